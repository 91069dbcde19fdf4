/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/oracle.h"

#include <math.h>

int64_t oracle_output_extent(int64_t input, int64_t kernel, int64_t stride, int64_t pad, bool ceil)
{
    int64_t room = input + 2 * pad - kernel;
    if (!ceil) return room / stride + 1;
    int64_t output = (room + stride - 1) / stride + 1;
    return (output - 1) * stride >= input + pad ? output - 1 : output;
}

struct oracle_span oracle_span(const struct case_window *axis, int64_t w)
{
    int64_t start = w * axis->stride - axis->pad;
    int64_t end = start + axis->kernel;
    if (end > axis->input + axis->pad) end = axis->input + axis->pad;
    return (struct oracle_span){
        .begin = start < 0 ? 0 : start,
        .end = end > axis->input ? axis->input : end,
        .padded = end - start,
    };
}

/* One- and two-dimensional problems become three-dimensional ones with ones in front. */
struct problem {
    struct case_window axis[CASE_AXES];
    int64_t planes, inputs, outputs; /* planes, and elements of one plane */
};

static struct problem problem_of(const struct test_case *test)
{
    struct problem problem = {.planes = test->batch * test->channels, .inputs = 1, .outputs = 1};
    for (int i = 0; i < CASE_AXES; i++) {
        int axis = i - (CASE_AXES - test->axes);
        problem.axis[i] = axis < 0 ? (struct case_window){1, 1, 1, 1, 0} : case_window(test, axis);
        problem.inputs *= problem.axis[i].input;
        problem.outputs *= problem.axis[i].output;
    }
    return problem;
}

struct box {
    struct oracle_span d, h, w;
    double divisor;
};

/* The window with this number in row-major order. */
static struct box box_of(const struct test_case *test, const struct problem *problem,
                         int64_t window)
{
    const struct case_window *axis = problem->axis;
    struct box box = {
        .d = oracle_span(&axis[0], window / axis[2].output / axis[1].output),
        .h = oracle_span(&axis[1], window / axis[2].output % axis[1].output),
        .w = oracle_span(&axis[2], window % axis[2].output),
    };
    if (test->divisor != 0) {
        box.divisor = (double)test->divisor;
    } else if (!test->exclude_pad) {
        box.divisor = (double)box.d.padded * (double)box.h.padded * (double)box.w.padded;
    } else {
        box.divisor = (double)(box.d.end - box.d.begin) * (double)(box.h.end - box.h.begin) *
                      (double)(box.w.end - box.w.begin);
    }
    return box;
}

void oracle_avg_pool(const struct test_case *test, const double *x, double *y)
{
    struct problem problem = problem_of(test);
    int64_t height = problem.axis[1].input, width = problem.axis[2].input;
    for (int64_t window = 0; window < problem.outputs; window++) {
        struct box box = box_of(test, &problem, window);
        for (int64_t plane = 0; plane < problem.planes; plane++) {
            const double *from = x + plane * problem.inputs;
            double sum = 0;
            for (int64_t d = box.d.begin; d < box.d.end; d++)
                for (int64_t h = box.h.begin; h < box.h.end; h++)
                    for (int64_t w = box.w.begin; w < box.w.end; w++)
                        sum += from[(d * height + h) * width + w];
            y[plane * problem.outputs + window] = sum / box.divisor;
        }
    }
}

void oracle_avg_pool_backward(const struct test_case *test, const double *dy, struct oracle_sum *dx)
{
    struct problem problem = problem_of(test);
    int64_t height = problem.axis[1].input, width = problem.axis[2].input;
    for (int64_t i = 0; i < problem.planes * problem.inputs; i++)
        dx[i] = (struct oracle_sum){0, 0, 0};
    for (int64_t window = 0; window < problem.outputs; window++) {
        struct box box = box_of(test, &problem, window);
        for (int64_t plane = 0; plane < problem.planes; plane++) {
            struct oracle_sum *to = dx + plane * problem.inputs;
            double term = dy[plane * problem.outputs + window] / box.divisor;
            for (int64_t d = box.d.begin; d < box.d.end; d++)
                for (int64_t h = box.h.begin; h < box.h.end; h++)
                    for (int64_t w = box.w.begin; w < box.w.end; w++) {
                        struct oracle_sum *sum = &to[(d * height + h) * width + w];
                        sum->value += term;
                        if (isfinite(term)) sum->magnitude += fabs(term);
                        sum->terms++;
                    }
        }
    }
}

/* ---- roundings ---- */

/* Significand bits after the leading one, smallest normal exponent, bits of the exponent field. */
struct format {
    int mantissa, min_exponent, exponent_bits;
};

static const struct format formats[CASE_DTYPES] = {
    [CASE_F32] = {23, -126, 8},
    [CASE_F16] = {10, -14, 5},
    [CASE_BF16] = {7, -126, 8},
};

static const struct format hf32 = {11, -126, 8};

static double largest(const struct format *format)
{
    return ldexp(2 - ldexp(1, -format->mantissa), 1 - format->min_exponent);
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
    double rounded = ldexp(nearest(ldexp(value, -place)), place);
    return fabs(rounded) > largest(format) ? copysign(INFINITY, value) : rounded;
}

static double nearest_even(double value)
{
    double below = floor(value), part = value - below;
    if (part < 0.5 || (part == 0.5 && fmod(below, 2) == 0)) return below;
    return below + 1;
}

static double nearest_away(double value)
{
    return copysign(floor(fabs(value) + 0.5), value);
}

double oracle_round(enum case_dtype dtype, double value)
{
    return round_with(&formats[dtype], value, nearest_even);
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

double oracle_from_bits(enum case_dtype dtype, uint32_t bits)
{
    const struct format *format = &formats[dtype];
    uint32_t fraction = bits & ((1u << format->mantissa) - 1);
    int field = (int)(bits >> format->mantissa) & ((1 << format->exponent_bits) - 1);
    double value;
    if (field == (1 << format->exponent_bits) - 1) {
        value = fraction ? (double)NAN : (double)INFINITY;
    } else {
        uint32_t significand = field ? fraction | 1u << format->mantissa : fraction;
        int exponent = (field ? field - 1 : 0) + format->min_exponent;
        value = ldexp(significand, exponent - format->mantissa);
    }
    return bits >> (format->mantissa + format->exponent_bits) & 1 ? -value : value;
}

uint32_t oracle_to_bits(enum case_dtype dtype, double value)
{
    const struct format *format = &formats[dtype];
    uint32_t top = (1u << format->exponent_bits) - 1;
    uint32_t sign = (uint32_t)(signbit(value) != 0) << (format->mantissa + format->exponent_bits);
    if (isnan(value)) return sign | top << format->mantissa | 1u << (format->mantissa - 1);
    double rounded = fabs(oracle_round(dtype, value));
    if (isinf(rounded)) return sign | top << format->mantissa;
    int place = last_place(format, rounded);
    uint32_t significand = (uint32_t)ldexp(rounded, -place);
    uint32_t field = (uint32_t)(place + format->mantissa - format->min_exponent + 1);
    if (significand < 1u << format->mantissa) field = 0; /* zero or subnormal */
    return sign | field << format->mantissa | (significand & ((1u << format->mantissa) - 1));
}

double oracle_largest(enum case_dtype dtype)
{
    return largest(&formats[dtype]);
}

double oracle_ulp(enum case_dtype dtype, double value)
{
    double magnitude = fmin(fabs(value), oracle_largest(dtype));
    return ldexp(1, last_place(&formats[dtype], magnitude));
}
