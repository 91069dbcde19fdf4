/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/oracle.h"

#include <math.h>

int64_t oracle_window_count(const struct case_window *axis, bool ceil)
{
    int64_t room =
        axis->input + axis->pad + axis->pad_end - axis->dilation * (axis->kernel - 1) - 1;
    if (!ceil) return room < 0 ? 0 : room / axis->stride + 1;
    int64_t output = (room + axis->stride - 1) / axis->stride + 1;
    return (output - 1) * axis->stride >= axis->input + axis->pad ? output - 1 : output;
}

int64_t oracle_output_extent(int64_t input, int64_t kernel, int64_t stride, int64_t pad, bool ceil)
{
    const struct case_window axis = {.input = input,
                                     .kernel = kernel,
                                     .stride = stride,
                                     .pad = pad,
                                     .pad_end = pad,
                                     .dilation = 1};
    return oracle_window_count(&axis, ceil);
}

void oracle_auto_pad(struct case_window *axis, int auto_pad)
{
    enum { SAME_UPPER = 1, VALID = 3 };
    int64_t windows = (axis->input + axis->stride - 1) / axis->stride;
    int64_t total = (windows - 1) * axis->stride + (axis->kernel - 1) * axis->dilation + 1;
    total = total > axis->input ? total - axis->input : 0;
    if (auto_pad == VALID) total = 0;
    axis->pad = auto_pad == SAME_UPPER ? total / 2 : total - total / 2;
    axis->pad_end = total - axis->pad;
}

/* How many of 0 .. count - 1, each times step, lie below limit. */
static int64_t count_below(int64_t limit, int64_t step, int64_t count)
{
    int64_t below = limit <= 0 ? 0 : (limit - 1) / step + 1;
    return below < count ? below : count;
}

struct oracle_span oracle_span(const struct case_window *axis, int64_t w)
{
    int64_t start = w * axis->stride - axis->pad, step = axis->dilation, kernel = axis->kernel;
    int64_t before = count_below(-start, step, kernel);
    int64_t inside = count_below(axis->input - start, step, kernel) - before;
    int64_t begin = start + before * step;
    return (struct oracle_span){
        .begin = begin,
        .end = inside > 0 ? begin + (inside - 1) * step + 1 : begin,
        .step = step,
        .taps = inside,
        .padded = count_below(axis->input + axis->pad_end - start, step, kernel),
    };
}

struct oracle_span oracle_bin(int64_t input, int64_t output, int64_t i)
{
    int64_t begin = i * input / output, end = ((i + 1) * input + output - 1) / output;
    return (struct oracle_span){begin, end, 1, end - begin, end - begin};
}

struct oracle_problem oracle_problem_of(const struct test_case *test)
{
    struct oracle_problem problem = {
        .planes = test->batch * test->channels, .inputs = 1, .outputs = 1};
    for (int i = 0; i < ORACLE_AXES; i++) {
        int axis = i - (ORACLE_AXES - test->axes);
        problem.axis[i] =
            axis < 0 ? (struct case_window){1, 1, 1, 1, 0, 0, 1} : case_window(test, axis);
        problem.inputs *= problem.axis[i].input;
        problem.outputs *= problem.axis[i].output;
    }
    return problem;
}

struct oracle_problem oracle_adaptive_problem_of(const struct test_case *test)
{
    struct oracle_problem problem = oracle_problem_of(test);
    problem.is_adaptive = true;
    return problem;
}

struct oracle_box oracle_box_of(const struct oracle_problem *problem, int64_t window)
{
    const struct case_window *axis = problem->axis;
    const int64_t at[ORACLE_AXES] = {window / axis[2].output / axis[1].output,
                                     window / axis[2].output % axis[1].output,
                                     window % axis[2].output};
    struct oracle_box box = {.height = axis[1].input, .width = axis[2].input};
    for (int i = 0; i < ORACLE_AXES; i++)
        box.axis[i] = problem->is_adaptive ? oracle_bin(axis[i].input, axis[i].output, at[i])
                                           : oracle_span(&axis[i], at[i]);
    return box;
}

static int64_t offset_of(const struct oracle_box *box, const struct oracle_tap *tap)
{
    return (tap->at[0] * box->height + tap->at[1]) * box->width + tap->at[2];
}

struct oracle_tap oracle_first(const struct oracle_box *box)
{
    struct oracle_tap tap = {.left = 1};
    for (int i = 0; i < ORACLE_AXES; i++) {
        tap.at[i] = box->axis[i].begin;
        tap.left *= box->axis[i].taps;
    }
    tap.offset = offset_of(box, &tap);
    return tap;
}

void oracle_next(const struct oracle_box *box, struct oracle_tap *tap)
{
    tap->left--;
    for (int i = ORACLE_AXES - 1; i >= 0; i--) {
        tap->at[i] += box->axis[i].step;
        if (tap->at[i] < box->axis[i].end) break;
        tap->at[i] = box->axis[i].begin;
    }
    tap->offset = offset_of(box, tap);
}

double oracle_divisor(const struct test_case *test, const struct oracle_box *box)
{
    if (test->divisor != 0) return (double)test->divisor;
    double product = 1;
    for (int i = 0; i < ORACLE_AXES; i++)
        product *= (double)(test->exclude_pad ? box->axis[i].taps : box->axis[i].padded);
    return product;
}

void oracle_avg_pool(const struct test_case *test, const double *x, double *y)
{
    struct oracle_problem problem = oracle_problem_of(test);
    for (int64_t window = 0; window < problem.outputs; window++) {
        struct oracle_box box = oracle_box_of(&problem, window);
        for (int64_t plane = 0; plane < problem.planes; plane++) {
            const double *from = x + plane * problem.inputs;
            double sum = 0;
            for (struct oracle_tap tap = oracle_first(&box); tap.left > 0; oracle_next(&box, &tap))
                sum += from[tap.offset];
            y[plane * problem.outputs + window] = sum / oracle_divisor(test, &box);
        }
    }
}

void oracle_avg_pool_backward(const struct test_case *test, const double *dy, struct oracle_sum *dx)
{
    struct oracle_problem problem = oracle_problem_of(test);
    for (int64_t i = 0; i < problem.planes * problem.inputs; i++)
        dx[i] = (struct oracle_sum){0, 0, 0};
    for (int64_t window = 0; window < problem.outputs; window++) {
        struct oracle_box box = oracle_box_of(&problem, window);
        double divisor = oracle_divisor(test, &box);
        for (int64_t plane = 0; plane < problem.planes; plane++) {
            struct oracle_sum *to = dx + plane * problem.inputs;
            double term = dy[plane * problem.outputs + window] / divisor;
            for (struct oracle_tap tap = oracle_first(&box); tap.left > 0; oracle_next(&box, &tap))
                oracle_add(&to[tap.offset], term);
        }
    }
}

/* ---- roundings ---- */

/* Significand bits after the leading one, smallest normal exponent, bits of the exponent field. */
struct format {
    int mantissa, min_exponent, exponent_bits;
};

static const struct format formats[] = {
    [CASE_F32] = {23, -126, 8},
    [CASE_F16] = {10, -14, 5},
    [CASE_BF16] = {7, -126, 8},
    [CASE_F64] = {52, -1022, 11},
};

struct integer {
    int bits;
    bool is_signed;
};

static struct integer integer_of(enum case_dtype dtype)
{
    static const struct integer integers[CASE_DTYPES] = {
        [CASE_I8] = {8, true},    [CASE_U8] = {8, false},   [CASE_I16] = {16, true},
        [CASE_U16] = {16, false}, [CASE_I32] = {32, true},  [CASE_I64] = {64, true},
        [CASE_BOOL] = {1, false}, [CASE_U32] = {32, false}, [CASE_U64] = {64, false},
        [CASE_C64] = {64, false},
    };
    return integers[dtype];
}

bool oracle_is_float(enum case_dtype dtype)
{
    return dtype <= CASE_F64;
}

/* value * 2^exponent, as ldexp gives it, in a fraction of its time. */
static double times_power(double value, int exponent)
{
    if (exponent < -1022 || exponent > 1023) return ldexp(value, exponent);
    const union {
        uint64_t bits;
        double value;
    } power = {.bits = (uint64_t)(exponent + 1023) << 52};
    return value * power.value;
}

static const struct format hf32 = {11, -126, 8};

static double largest(const struct format *format)
{
    return times_power(2 - times_power(1, -format->mantissa), 1 - format->min_exponent);
}

/* Exponent of the last place of value. */
static int last_place(const struct format *format, double value)
{
    int exponent = value == 0 ? format->min_exponent : ilogb(value);
    if (exponent < format->min_exponent) exponent = format->min_exponent;
    return exponent - format->mantissa;
}

static double round_with(const struct format *format, double value, double (*nearest)(double))
{
    if (!isfinite(value)) return value;
    int place = last_place(format, value);
    double rounded = times_power(nearest(times_power(value, -place)), place);
    return fabs(rounded) > largest(format) ? copysign(INFINITY, value) : rounded;
}

static double nearest_even(double value)
{
    double below = floor(value), part = value - below;
    bool is_below = part < 0.5 || (part == 0.5 && fmod(below, 2) == 0);
    return copysign(is_below ? below : below + 1, value); /* -0.2 becomes -0 */
}

static double nearest_away(double value)
{
    return copysign(floor(fabs(value) + 0.5), value);
}

static double largest_integer(struct integer type)
{
    if (type.bits == 64) return type.is_signed ? 0x1p63 : 0x1p64; /* 2^63 - 1 is no double */
    return times_power(1, type.bits - type.is_signed) - 1;
}

double oracle_round(enum case_dtype dtype, double value)
{
    if (dtype == CASE_F64) return value;
    if (oracle_is_float(dtype)) return round_with(&formats[dtype], value, nearest_even);
    struct integer type = integer_of(dtype);
    double smallest = type.is_signed ? -times_power(1, type.bits - 1) : 0;
    return trunc(fmin(fmax(value, smallest), largest_integer(type)));
}

double oracle_round_hf32(double value)
{
    return round_with(&hf32, value, nearest_away);
}

double oracle_operand(enum case_dtype dtype, int math, double value)
{
    if (math == 2 && dtype != CASE_F16) return oracle_round(CASE_F16, value);
    if ((math == 1 || math == 3) && dtype == CASE_F32) return oracle_round_hf32(value);
    return value;
}

int64_t oracle_integer(enum case_dtype dtype, uint64_t bits)
{
    struct integer type = integer_of(dtype);
    if (type.bits == 64) return (int64_t)bits;
    uint64_t top = UINT64_C(1) << (type.bits - 1);
    bits &= 2 * top - 1;
    return type.is_signed ? (int64_t)(bits ^ top) - (int64_t)top : (int64_t)bits;
}

double oracle_from_bits(enum case_dtype dtype, uint64_t bits)
{
    if (dtype == CASE_U64) return (double)bits;
    if (!oracle_is_float(dtype)) return (double)oracle_integer(dtype, bits);
    const struct format *format = &formats[dtype];
    uint64_t fraction = bits & ((UINT64_C(1) << format->mantissa) - 1);
    int field = (int)(bits >> format->mantissa) & ((1 << format->exponent_bits) - 1);
    double value;
    if (field == (1 << format->exponent_bits) - 1) {
        value = fraction ? (double)NAN : (double)INFINITY;
    } else {
        uint64_t significand = field ? fraction | UINT64_C(1) << format->mantissa : fraction;
        int exponent = (field ? field - 1 : 0) + format->min_exponent;
        value = times_power((double)significand, exponent - format->mantissa);
    }
    return bits >> (format->mantissa + format->exponent_bits) & 1 ? -value : value;
}

static uint64_t integer_bits(enum case_dtype dtype, double value)
{
    struct integer type = integer_of(dtype);
    double rounded = oracle_round(dtype, value);
    if (dtype == CASE_U64) return rounded >= 0x1p64 ? UINT64_MAX : (uint64_t)rounded;
    int64_t number = rounded >= 0x1p63 ? INT64_MAX : (int64_t)rounded;
    return type.bits == 64 ? (uint64_t)number : (uint64_t)number & ((UINT64_C(1) << type.bits) - 1);
}

uint64_t oracle_to_bits(enum case_dtype dtype, double value)
{
    if (!oracle_is_float(dtype)) return integer_bits(dtype, value);
    const struct format *format = &formats[dtype];
    uint64_t top = (UINT64_C(1) << format->exponent_bits) - 1;
    uint64_t sign = (uint64_t)(signbit(value) != 0) << (format->mantissa + format->exponent_bits);
    uint64_t one = UINT64_C(1) << format->mantissa;
    if (isnan(value)) return sign | top << format->mantissa | one >> 1;
    double rounded = fabs(oracle_round(dtype, value));
    if (isinf(rounded)) return sign | top << format->mantissa;
    int place = last_place(format, rounded);
    uint64_t significand = (uint64_t)times_power(rounded, -place);
    uint64_t field = (uint64_t)(place + format->mantissa - format->min_exponent + 1);
    if (significand < one) field = 0; /* zero or subnormal */
    return sign | field << format->mantissa | (significand & (one - 1));
}

bool oracle_is_nan(enum case_dtype dtype, uint64_t bits)
{
    return oracle_is_float(dtype) && isnan(oracle_from_bits(dtype, bits));
}

bool oracle_greater(enum case_dtype dtype, uint64_t a, uint64_t b)
{
    if (oracle_is_float(dtype)) return oracle_from_bits(dtype, a) > oracle_from_bits(dtype, b);
    if (dtype == CASE_U64) return a > b;
    return oracle_integer(dtype, a) > oracle_integer(dtype, b);
}

double oracle_largest(enum case_dtype dtype)
{
    if (!oracle_is_float(dtype)) return largest_integer(integer_of(dtype));
    return largest(&formats[dtype]);
}

double oracle_ulp(enum case_dtype dtype, double value)
{
    if (!oracle_is_float(dtype)) return 1;
    double magnitude = fmin(fabs(value), oracle_largest(dtype));
    return times_power(1, last_place(&formats[dtype], magnitude));
}
