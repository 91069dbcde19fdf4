/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "tests/unit/vector_math/level.h"

/* ---- levels ---- */

#define MATH_LEVEL(isa) extern math_level_fn math_level__##isa;
#ifdef MATH_avx512
MATH_LEVEL(avx512)
#endif
#ifdef MATH_avx2
MATH_LEVEL(avx2)
#endif
#ifdef MATH_neon
MATH_LEVEL(neon)
#endif
#ifdef MATH_base
MATH_LEVEL(base)
#endif

static math_level_fn *const levels[] = {
#ifdef MATH_avx512
    math_level__avx512,
#endif
#ifdef MATH_avx2
    math_level__avx2,
#endif
#ifdef MATH_neon
    math_level__neon,
#endif
#ifdef MATH_base
    math_level__base,
#endif
};

static bool cpu_runs(const char *isa)
{
    enum { TABLES = 8 };
    const struct k_table *tables[TABLES];
    const size_t count = k_tables(tables, TABLES);
    for (size_t i = 0; i < count; i++)
        if (strcmp(tables[i]->isa, isa) == 0) return true;
    return false;
}

const struct math_level *math_next_level(size_t *i)
{
    while (*i < sizeof levels / sizeof *levels) {
        const struct math_level *level = levels[(*i)++]();
        if (cpu_runs(level->isa)) return level;
    }
    return NULL;
}

/* ---- errors ---- */

double math_ulp_error(float result, double value)
{
    if (isnan(value) || isnan(result)) return isnan(value) && isnan(result) ? 0 : INFINITY;
    if (result == (float)value && result != 0 && isinf(result)) return 0;
    if (isinf(value) || (result == 0 && !signbit(result) != !signbit(value))) return INFINITY;
    const double reached = isinf(result) ? copysign(0x1p128, result) : (double)result;
    int exponent = value == 0 ? -126 : ilogb(value);
    exponent = exponent < -126 ? -126 : exponent > 127 ? 127 : exponent;
    return ldexp(fabs(reached - value), 23 - exponent);
}

/* ---- values: libm's ---- */

#define LIBM(name)                                                                                 \
    static double name##_value(double x)                                                           \
    {                                                                                              \
        return name(x);                                                                            \
    }
LIBM(exp)
LIBM(exp2)
LIBM(expm1)
LIBM(log)
LIBM(log2)
LIBM(log10)
LIBM(log1p)
LIBM(cbrt)
LIBM(sqrt)
LIBM(sin)
LIBM(cos)
LIBM(tan)
LIBM(asin)
LIBM(acos)
LIBM(atan)
LIBM(sinh)
LIBM(cosh)
LIBM(tanh)
LIBM(asinh)
LIBM(acosh)
LIBM(atanh)
LIBM(erf)
LIBM(erfc)
LIBM(floor)
LIBM(ceil)
LIBM(trunc)
#undef LIBM

#define LIBM(name)                                                                                 \
    static double name##_value(double x, double y)                                                 \
    {                                                                                              \
        return name(x, y);                                                                         \
    }
LIBM(pow)
LIBM(atan2)
LIBM(hypot)
LIBM(fmod)
#undef LIBM

/* ---- values: from the definition ---- */

static double round_value(double x)
{
    return nearbyint(x);
}

static double rsqrt_value(double x)
{
    return 1 / sqrt(x);
}

static double lgamma_value(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

/* Bisection: erf rises, and near 1 its complement tells more. */
static double erfinv_value(double x)
{
    const double a = fabs(x);
    if (!(a < 1)) return a == 1 ? copysign(INFINITY, x) : NAN;
    long double low = 0.886L * (long double)a, high = a < 0.1 ? 0.9L * (long double)a : 6;
    for (int i = 0; i < 50; i++) {
        const long double middle = low + (high - low) / 2;
        if (a < 0.5 ? erfl(middle) < (long double)a : erfcl(middle) > 1 - (long double)a)
            low = middle;
        else
            high = middle;
    }
    return copysign((double)low, x);
}

/* The recurrence to z >= 20, the asymptotic series, and the reflection. */
static double digamma_value(double x)
{
    static const long double bernoulli[] = {1.0L / 6,   -1.0L / 30, 1.0L / 42,
                                            -1.0L / 30, 5.0L / 66,  -691.0L / 2730};
    const long double pi = 3.14159265358979323846264338327950288L;
    if (x == 0) return copysign(INFINITY, -x);
    if (x < 0 && x == floor(x)) return NAN;
    long double z = x, sum = 0;
    if (x < 0) {
        const long double part = z - nearbyintl(z);
        sum = -pi * cosl(pi * part) / sinl(pi * part);
        z = 1 - z;
    }
    for (; z < 20; z += 1)
        sum -= 1 / z;
    sum += logl(z) - 0.5L / z;
    long double power = 1;
    for (int k = 1; k <= 6; k++) {
        power /= z * z;
        sum -= bernoulli[k - 1] / (2 * k) * power;
    }
    return (double)sum;
}

static double sigmoid_value(double x)
{
    return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
}

/* -infinity times 0 is a NaN, as in torch. */
static double silu_value(double x)
{
    return x * sigmoid_value(x);
}

static double gelu_value(double x)
{
    return x * (0.5 * erfc(-x / sqrt(2)));
}

static double gelu_tanh_value(double x)
{
    return x * sigmoid_value(2 * sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x));
}

static double softplus_value(double x)
{
    return x > 50 ? x : log1p(exp(x));
}

static double tanh_softplus_value(double x)
{
    return tanh(softplus_value(x));
}

static double mish_value(double x)
{
    return x * tanh_softplus_value(x);
}

static double remainder_value(double x, double y)
{
    const double r = fmod(x, y);
    return r != 0 && !signbit(r) != !signbit(y) ? r + y : r;
}

const struct math_reference math_references[MATH_FUNCTIONS] = {
#define MATH_1(function, ulp, zero)                                                                \
    {.name = #function, .bound = ulp, .absolute = zero, .of_one = function##_value},
#define MATH_2(function, ulp, zero)                                                                \
    {.name = #function, .bound = ulp, .absolute = zero, .of_two = function##_value},
#include "tests/unit/vector_math/functions.def"
#undef MATH_1
#undef MATH_2
};
