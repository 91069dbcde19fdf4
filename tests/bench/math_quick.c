/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/math_quick.h"

#include <stddef.h>

#if defined(__x86_64__) && defined(__GLIBC__)
#include <dlfcn.h>
#include <immintrin.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "tests/unit/vector_math/level.h"

#define AVX2 __attribute__((target("avx2,fma")))
/* Of the second kind: what lies outside of the range of arguments is NaN, else as at its end. */
#define MVEC_FUNCTIONS(X)                                                                          \
    X(exp, -150, 150, false)                                                                       \
    X(exp2, -200, 200, false)                                                                      \
    X(expm1, -150, 150, false)                                                                     \
    X(log, 0, INFINITY, true)                                                                      \
    X(log2, 0, INFINITY, true)                                                                     \
    X(log10, 0, INFINITY, true)                                                                    \
    X(log1p, -1, INFINITY, true)                                                                   \
    X(cbrt, -INFINITY, INFINITY, false)                                                            \
    X(sin, -INFINITY, INFINITY, false)                                                             \
    X(cos, -INFINITY, INFINITY, false)                                                             \
    X(tan, -INFINITY, INFINITY, false)                                                             \
    X(asin, -1, 1, true)                                                                           \
    X(acos, -1, 1, true)                                                                           \
    X(atan, -INFINITY, INFINITY, false)                                                            \
    X(sinh, -150, 150, false)                                                                      \
    X(cosh, -150, 150, false)                                                                      \
    X(tanh, -50, 50, false)                                                                        \
    X(asinh, -INFINITY, INFINITY, false)                                                           \
    X(acosh, 1, INFINITY, true)                                                                    \
    X(atanh, -1, 1, true)                                                                          \
    X(erf, -10, 10, false)                                                                         \
    X(erfc, -15, 15, false)

typedef __m256d mvec_fn(__m256d x);

static struct {
#define X(name, low, high, is_domain) mvec_fn *name;
    MVEC_FUNCTIONS(X)
#undef X
} mvec;

static bool find(void *library, const char *name, mvec_fn **into)
{
    void *const symbol = dlsym(library, name);
    memcpy(into, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool load_library(void)
{
    static int is_loaded = -1;
    if (is_loaded >= 0) return is_loaded;
    void *library = dlopen("libmvec.so.1", RTLD_NOW);
    is_loaded = library != NULL && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#define X(name, low, high, is_domain)                                                              \
    if (is_loaded) is_loaded = find(library, "_ZGVdN4v_" #name, &mvec.name);
    MVEC_FUNCTIONS(X)
#undef X
    return is_loaded;
}

/* ---- vectors of four ---- */

#define INLINE static inline AVX2 __attribute__((always_inline))

INLINE __m256d all(double value)
{
    return _mm256_set1_pd(value);
}

INLINE __m256d if_less(__m256d a, __m256d b, __m256d yes, __m256d no)
{
    return _mm256_blendv_pd(no, yes, _mm256_cmp_pd(a, b, _CMP_LT_OQ));
}

INLINE __m256d if_equal(__m256d a, __m256d b, __m256d yes, __m256d no)
{
    return _mm256_blendv_pd(no, yes, _mm256_cmp_pd(a, b, _CMP_EQ_OQ));
}

INLINE __m256d magnitude(__m256d x)
{
    return _mm256_andnot_pd(all(-0.0), x);
}

INLINE __m256d with_sign(__m256d x, __m256d sign)
{
    return _mm256_or_pd(magnitude(x), _mm256_and_pd(sign, all(-0.0)));
}

/* The library leaves arguments outside of its own range to libm, one by one. */
#define X(name, low, high, is_domain)                                                              \
    INLINE __m256d name##_of(__m256d x, __m256d result)                                            \
    {                                                                                              \
        (void)result;                                                                              \
        const __m256d up = if_less(x, all(low), all(low), x);                                      \
        const __m256d value = mvec.name(if_less(all(high), up, all(high), up));                    \
        const __m256d below = is_domain ? if_less(x, all(low), all(NAN), value) : value;           \
        return is_domain ? if_less(all(high), x, all(NAN), below) : below;                         \
    }
MVEC_FUNCTIONS(X)
#undef X

/* ---- functions made of those ---- */

INLINE __m256d sqrt_of(__m256d x, __m256d result)
{
    (void)result;
    return _mm256_sqrt_pd(x);
}

INLINE __m256d rsqrt_of(__m256d x, __m256d result)
{
    (void)result;
    return all(1) / _mm256_sqrt_pd(x);
}

#define ROUNDING(name, mode)                                                                       \
    INLINE __m256d name##_of(__m256d x, __m256d result)                                            \
    {                                                                                              \
        (void)result;                                                                              \
        return _mm256_round_pd(x, (mode) | _MM_FROUND_NO_EXC);                                     \
    }
ROUNDING(round, _MM_FROUND_TO_NEAREST_INT)
ROUNDING(floor, _MM_FROUND_TO_NEG_INF)
ROUNDING(ceil, _MM_FROUND_TO_POS_INF)
ROUNDING(trunc, _MM_FROUND_TO_ZERO)

INLINE __m256d decay_of(__m256d x)
{
    return exp_of(-magnitude(x), x);
}

INLINE __m256d sigmoid_of(__m256d x, __m256d result)
{
    (void)result;
    const __m256d e = decay_of(x);
    return if_less(x, all(0), e, all(1)) / (1 + e);
}

INLINE __m256d silu_of(__m256d x, __m256d result)
{
    const __m256d value = x * sigmoid_of(x, result);
    return if_equal(x, all(-INFINITY), all(NAN), value);
}

INLINE __m256d gelu_of(__m256d x, __m256d result)
{
    const __m256d value = x * (0.5 * erfc_of(-x / sqrt(2), result));
    return if_equal(x, all(-INFINITY), all(NAN), value);
}

INLINE __m256d gelu_tanh_of(__m256d x, __m256d result)
{
    const double twice = 2 * 0.79788456080286535588;
    const __m256d value = x * sigmoid_of(twice * (x + 0.044715 * x * x * x), result);
    return if_equal(x, all(-INFINITY), all(NAN), value);
}

INLINE __m256d softplus_of(__m256d x, __m256d result)
{
    const __m256d above = if_less(x, all(0), all(0), x);
    return above + log1p_of(decay_of(x), result);
}

/* With d = e^-|x|: (2 d + d^2) / (2 d + d^2 + 2) where x < 0, else (1 + 2 d) / (1 + 2 d + 2 d^2).
 */
INLINE __m256d tanh_softplus_of(__m256d x, __m256d result)
{
    (void)result;
    const __m256d d = decay_of(x), small = d * (d + 2), large = 1 + 2 * d;
    return if_less(x, all(0), small / (small + 2), large / (large + 2 * d * d));
}

INLINE __m256d mish_of(__m256d x, __m256d result)
{
    const __m256d value = x * tanh_softplus_of(x, result);
    return if_equal(x, all(-INFINITY), all(NAN), value);
}

/* A step of Newton's method from the result; near 1 on erfc. */
INLINE __m256d erfinv_of(__m256d x, __m256d result)
{
    const __m256d a = magnitude(x), y = magnitude(result);
    const __m256d slope = 1.12837916709551257390 * exp_of(-y * y, y);
    const __m256d near = erf_of(y, y) - a, far = (1 - a) - erfc_of(y, y);
    const __m256d value = with_sign(y - if_less(a, all(0.5), near, far) / slope, x);
    const __m256d end = if_equal(a, all(1), with_sign(all(INFINITY), x), all(NAN));
    return if_equal(x, all(0), x, if_less(a, all(1), value, end));
}

/* The recurrence to z >= 20, the series, and the reflection. */
INLINE __m256d digamma_of(__m256d x, __m256d result)
{
    static const double series[] = {1.0 / 12,   -1.0 / 120, 1.0 / 252,
                                    -1.0 / 240, 1.0 / 132,  -691.0 / 32760};
    (void)result;
    const __m256d part = x - round_of(x, x), angle = M_PI * part;
    const __m256d mirror = -M_PI * cos_of(angle, x) / sin_of(angle, x);
    __m256d sum = if_less(x, all(0), mirror, all(0)), z = if_less(x, all(0), 1 - x, x);
    for (int i = 0; i < 20; i++) {
        const __m256d next = sum - 1 / z;
        sum = if_less(z, all(20), next, sum);
        z = if_less(z, all(20), z + 1, z);
    }
    const __m256d inverse = 1 / z, square = inverse * inverse;
    __m256d tail = all(0);
    for (int i = 5; i >= 0; i--)
        tail = tail * square + series[i];
    const __m256d value = sum + (log_of(z, z) - 0.5 * inverse - square * tail);
    const __m256d at_pole = if_equal(part, all(0), all(NAN), value);
    return if_equal(x, all(0), with_sign(all(INFINITY), -x), if_less(x, all(0), at_pole, value));
}

/* ---- arrays ---- */

#define DEFINE(name)                                                                               \
    AVX2 static void name##_array(const float *x, const float *result, double *values, int count)  \
    {                                                                                              \
        for (int i = 0; i < count; i += 4)                                                         \
            _mm256_storeu_pd(values + i, name##_of(_mm256_cvtps_pd(_mm_loadu_ps(x + i)),           \
                                                   _mm256_cvtps_pd(_mm_loadu_ps(result + i))));    \
    }
#define OTHERS(X)                                                                                  \
    X(sqrt)                                                                                        \
    X(rsqrt)                                                                                       \
    X(round)                                                                                       \
    X(floor)                                                                                       \
    X(ceil)                                                                                        \
    X(trunc)                                                                                       \
    X(sigmoid)                                                                                     \
    X(silu)                                                                                        \
    X(gelu)                                                                                        \
    X(gelu_tanh)                                                                                   \
    X(softplus)                                                                                    \
    X(tanh_softplus)                                                                               \
    X(mish)                                                                                        \
    X(erfinv)                                                                                      \
    X(digamma)
#define DEFINE_MVEC(name, low, high, is_domain) DEFINE(name)
MVEC_FUNCTIONS(DEFINE_MVEC)
OTHERS(DEFINE)

/* Near its zeros digamma is a difference of larger numbers, there in double alone. */
static void digamma_checked(const float *x, const float *result, double *values, int count)
{
    digamma_array(x, result, values, count);
    for (int i = 0; i < count; i++)
        if (fabs(values[i]) < 0x1p-6)
            values[i] = math_references[MATH_digamma].of_one((double)x[i]);
}

math_quick_fn *math_quick_of(int function)
{
#define ROW(name)                            [MATH_##name] = name##_array,
#define ROW_MVEC(name, low, high, is_domain) ROW(name)
    static math_quick_fn *const functions[MATH_FUNCTIONS] = {MVEC_FUNCTIONS(ROW_MVEC) OTHERS(ROW)};
    if (!load_library()) return NULL;
    return function == MATH_digamma ? digamma_checked : functions[function];
}

#else

math_quick_fn *math_quick_of(int function)
{
    (void)function;
    return NULL;
}

#endif
