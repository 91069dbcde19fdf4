/* SPDX-License-Identifier: Apache-2.0 */
/* The table of oracle_elementwise.def, and the functions that its forms call. */
#include "tests/support/oracle_elementwise.h"

#include <string.h>

/* ---- bounds ---- */

static double larger(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : a < b ? b : a;
}

static double smaller(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : b < a ? b : a;
}

/* Operands 1 and 2 are bounds if they are given. */
static double within(const double *x, unsigned given)
{
    const double raised = given & 2 ? larger(x[0], x[1]) : x[0];
    return given & 4 ? smaller(raised, x[2]) : raised;
}

static int64_t within_whole(const int64_t *x, unsigned given)
{
    const int64_t raised = given & 2 && x[0] < x[1] ? x[1] : x[0];
    return given & 4 && x[2] < raised ? x[2] : raised;
}

static void give_a_bound(struct test_case *test, struct random *random)
{
    if (case_argument_named(test, "clipValueMin") || case_argument_named(test, "clipValueMax"))
        return;
    if (strcmp(test->op, "clamp_tensor") == 0)
        random_tensor(test, random, "clipValueMax", test->dtype, NULL, 0, false);
    else
        random_scalar(test, random, "clipValueMin", CASE_BOOL);
}

/* ---- quotients and powers ---- */

/* Towards minus infinity: from the exact remainder, as Python's divmod. */
static double floor_quotient(double a, double b, bool is_double)
{
    const double rest = fmod(a, b);
    if (b == 0) return a / b;
    double quotient = R(R(a - rest) / b);
    if (rest != 0 && (rest < 0) != (b < 0)) quotient = R(quotient - 1);
    if (quotient == 0) return copysign(0, a / b);
    const double down = floor(quotient);
    return R(quotient - down) > 0.5 ? R(down + 1) : down;
}

static double divisor_remainder(double a, double b)
{
    const double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* Divisions by 0 and of the least integer by -1 are ours to say: docs/numerics.md. */
static int64_t whole_quotient(int64_t a, int64_t b)
{
    return b == 0 ? -1 : b == -1 ? minus(0, a) : a / b;
}

static int64_t whole_remainder(int64_t a, int64_t b)
{
    return b == 0 ? a : b == -1 ? 0 : a % b;
}

static int64_t whole_floor_quotient(int64_t a, int64_t b)
{
    if (b == 0 || b == -1) return whole_quotient(a, b);
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t whole_power(int64_t base, int64_t exponent)
{
    int64_t power = 1, factor = base;
    if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
    for (int bit = 0; bit < 63; bit++, factor = times(factor, factor))
        if (exponent >> bit & 1) power = times(power, factor);
    return power;
}

static int64_t divisor(int64_t a, int64_t b)
{
    const uint64_t other = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    uint64_t large = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, small = other;
    while (small != 0) {
        const uint64_t rest = large % small;
        large = small;
        small = rest;
    }
    return (int64_t)large;
}

static double log_of_sum(double a, double b, bool is_binary)
{
    const double most = a < b ? b : a, least = a < b ? a : b;
    if (isnan(a) || isnan(b)) return NAN;
    if (isinf(most)) return most;
    if (is_binary) return most + log1p(exp2(least - most)) / 0.69314718055994530942;
    return most + log1p(exp(least - most));
}

/* ---- gradients ---- */

static struct case_argument *argument_of(struct test_case *test, const char *name)
{
    for (int i = 0; i < test->arguments; i++)
        if (strcmp(test->argument[i].name, name) == 0) return &test->argument[i];
    return NULL;
}

/* Negative ones are refused. */
static void raise(struct case_argument *one)
{
    one->real = fabs(one->real);
    if (!one->has_real) one->dims[0] = (int64_t)one->real;
}

static void raise_slope(struct test_case *test, struct random *random)
{
    (void)random;
    raise(argument_of(test, "negativeSlope"));
}

static void raise_lambda(struct test_case *test, struct random *random)
{
    (void)random;
    raise(argument_of(test, "lambd"));
}

static void raise_alpha(struct test_case *test, struct random *random)
{
    (void)random;
    if (argument_of(test, "isResult")->real != 0) raise(argument_of(test, "alpha"));
}

static void leave_zero(struct test_case *test, struct random *random)
{
    struct case_argument *alpha = argument_of(test, "alpha");
    (void)random;
    if (fabs(alpha->real) > 1e-6) return; /* less may be 0 in half precision */
    alpha->real = 1;
    alpha->dims[0] = 1;
}

/* Half of them without bounds. */
static void free_eps(struct test_case *test, struct random *random)
{
    struct case_argument *eps = argument_of(test, "eps");
    if (random_once_in(random, 2)) return;
    eps->has_real = false;
    eps->rank = 1;
    eps->dims[0] = -1;
    eps->real = -1;
}

static double logistic(double x)
{
    return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

/* dy times a sum whose terms may cancel, and are powers of e by an exponent that is rounded, too.
 */
static double slope_of(double dy, double exponent, double a, double b)
{
    const double size = fabs(dy) * (fabs(a) + fabs(b)) * (1 + fabs(exponent));
    return oracle_cancelling(isfinite(size) ? size : 0, dy * (a + b));
}

static double swish_slope(double dy, double x, double beta)
{
    const double u = beta * x, s = logistic(u);
    const double size = fabs(dy) * s * (1 + fabs(u)) * (1 + fabs(u));
    return oracle_cancelling(isfinite(size) ? size : 0, dy * (s * (1 + u * (1 - s))));
}

/* An infinite dy times what is 0 in FLOAT is NaN. */
static double gelu_slope(double dy, double x, bool is_double)
{
    const double density = exp(-x * x / 2) * 0.39894228040143267794;
    const double a = erfc(-x * 0.70710678118654752440) / 2, b = x * density;
    if (isinf(dy) && !is_double && (float)(a + b) == 0) return oracle_cancelling(0, NAN);
    return slope_of(dy, x * x / 2, a, b);
}

static double gelu_tanh_slope(double dy, double x)
{
    const double twice = 2 * 0.79788456080286535588; /* (1 + tanh(u)) / 2 = logistic(2 u) */
    const double u = twice * (x + 0.044715 * x * x * x), s = logistic(u);
    return slope_of(dy, u, s, x * (s * (1 - s)) * twice * (1 + 3 * 0.044715 * x * x));
}

static double tanh_of_softplus(double x)
{
    return x > 40 ? 1 : (double)tanhl(log1pl(expl(x)));
}

/* DOUBLE is rounded some times. */
static double mish_of(double x)
{
    const double value = x * tanh_of_softplus(x);
    return oracle_cancelling(isfinite(value) ? fabs(value) : 0, value);
}

static double mish_slope(double dy, double x)
{
    const double t = tanh_of_softplus(x);
    return slope_of(dy, x, t, x * (logistic(x) * (1 - t * t)));
}

static double log_odds(double x, double eps)
{
    const double z = eps < 0 ? x : x < eps ? eps : x > 1 - eps ? 1 - eps : x;
    return log(z / (1 - z));
}

static double log_odds_slope(double x, double dy, double eps)
{
    if (isnan(x)) return x;
    if (eps < 0 && (x < 0 || x > 1)) return NAN;
    if (eps < 0 && (x == 0 || x == 1)) return dy * INFINITY;
    if (eps >= 0 && (x < eps || x > 1 - eps)) return 0;
    return dy / (x * (1 - x) + 0); /* of -0 as of 0 */
}

/* Of the problem that is asked for. */
static bool is_approximate;

/* ---- functions that libm lacks, or that need more than double ---- */

static double sine_by_angle(double x)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    const long double near = rintl(x), sine = sinl(pi * ((long double)x - near));
    if (x == 0) return 1;
    return (double)((fmodl(near, 2) != 0 ? -sine : sine) / (pi * (long double)x));
}

/* Bisection: erf rises, and near 1 its complement tells more. */
static double inverse_of_erf(double x)
{
    const long double a = fabsl(x);
    if (!(a < 1)) return a == 1 ? copysign(INFINITY, x) : NAN;
    long double low = 0.886L * a, high = a < 0.1L ? 0.9L * a : 6;
    for (int i = 0; i < 66; i++) {
        const long double middle = low + (high - low) / 2;
        if (a < 0.5L ? erfl(middle) < a : erfcl(middle) > 1 - a)
            low = middle;
        else
            high = middle;
    }
    return copysign((double)low, x);
}

static double log_of_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

/* The recurrence to z >= 20, the asymptotic series, and the reflection. */
static double slope_of_log_gamma(double x)
{
    static const long double bernoulli[] = {1.0L / 6,   -1.0L / 30, 1.0L / 42,
                                            -1.0L / 30, 5.0L / 66,  -691.0L / 2730};
    const long double pi = 3.14159265358979323846264338327950288L;
    long double z = x, sum = 0, power = 1;
    if (x == 0) return copysign(INFINITY, -x);
    if (x < 0 && x == floor(x)) return NAN;
    if (isinf(x)) return x;
    if (x < 0) {
        const long double part = z - rintl(z);
        sum = -pi * cosl(pi * part) / sinl(pi * part);
        z = 1 - z;
    }
    for (; z < 20; z += 1)
        sum -= 1 / z;
    sum += logl(z) - 0.5L / z;
    for (int k = 1; k <= 6; k++) {
        power /= z * z;
        sum -= bernoulli[k - 1] / (2 * k) * power;
    }
    return (double)sum;
}

/* In double the reflection's quotient costs some places more. */
static double digamma_of(double x, bool is_double)
{
    const double value = slope_of_log_gamma(x);
    return is_double && isfinite(value) ? oracle_cancelling(fabs(value), value) : value;
}

/* -2 to 3; of integers none is negative. */
static void draw_decimals(struct test_case *test, struct random *random)
{
    const int least = oracle_is_float(test->dtype) ? -2 : 0;
    for (int i = 0; i < test->arguments; i++) {
        struct case_argument *one = &test->argument[i];
        if (strcmp(one->name, "decimals") != 0) continue;
        one->dims[0] = least + random_below(random, 4 - least);
        one->real = (double)one->dims[0];
    }
}

/* CANN's roundMode; 7 is what torch_npu asks for the fraction by. */
static double rounded_off(double x, double mode)
{
    if (mode == 6) return fmod(floor(x), 2) != 0 || floor(x) == x ? floor(x) : ceil(x);
    return mode == 1   ? rint(x)
           : mode == 2 ? floor(x)
           : mode == 3 ? ceil(x)
           : mode == 4 ? round(x)
           : mode == 5 ? trunc(x)
           : mode == 7 ? x - trunc(x)
                       : x;
}

/* aclnnFastGeluV2's formula. */
static double two_parabolas(double x)
{
    const double size = 0.7071 * fabs(x), away = size > 1.769 ? 0 : size - 1.769;
    const double half = 0.5 - 0.1444 * away * away;
    return x * ((x + 1e-12 < 0 ? -half : half) + 0.5);
}

/* Above 0. */
static void raise_delta(struct test_case *test, struct random *random)
{
    struct case_argument *delta = argument_of(test, "delta");
    delta->real = random_once_in(random, 2) ? 1 : 0.625;
    delta->has_real = true;
}

#define ORACLE_LINE ORACLE_FORMS
#include "tests/support/oracle_elementwise.def"
#undef ORACLE_LINE

/* All bits turned over; a bool has one. */
static void negated_bits(struct rig_problem *problem)
{
    const enum case_dtype type = problem->tensor[0].view.dtype;
    for (int64_t i = 0; i < problem->tensor[1].count; i++) {
        const int64_t x = oracle_whole_value(problem, 0, i);
        oracle_whole(problem, 1, i, type, type == CASE_BOOL ? !x : ~x);
    }
}

static void gelu_backward_by_text(struct rig_problem *problem)
{
    is_approximate = strcmp(problem->call.text[0], "tanh") == 0;
    oracle_elementwise(problem);
}

static struct test_case random_gelu_backward(const struct rig_operator *op, struct random *random,
                                             enum case_dtype dtype)
{
    struct test_case test = random_elementwise(op, random, dtype);
    struct case_argument *text = random_type(&test, "approximate", CASE_F32);
    strcpy(text->text, random_once_in(random, 2) ? "tanh" : "none");
    return test;
}

const struct oracle_row oracle_elementwise_rows[] = {
    {.name = "aclnnGeluBackwardV2",
     .oracle = gelu_backward_by_text,
     .random = random_gelu_backward,
     .ulp = 1,
     .more = &gelu_backward_v2_more,
     .sound = "gelu_backward_v2 f32 gradOutput=2x3x4 self=2x3x4 approximate=tanh gradInput=2x3x4"},
    {.name = "aclnnBitwiseNot",
     .oracle = negated_bits,
     .random = random_elementwise,
     .more = &bitwise_not_more},
    {.name = "aclnnLgamma",
     .oracle = oracle_elementwise,
     .random = random_elementwise,
     .ulp = 1,
     .absolute = 0x1p-44,
     .more = &lgamma_more},
    {.name = "aclnnDigamma",
     .oracle = oracle_elementwise,
     .random = random_elementwise,
     .ulp = 2,
     .absolute = 0x1p-44,
     .more = &digamma_more},
#define ORACLE_LINE ORACLE_ROW
#include "tests/support/oracle_elementwise.def"
    {.name = NULL},
};
