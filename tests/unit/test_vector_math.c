/* SPDX-License-Identifier: Apache-2.0 */
/* Vector math on every level that this CPU runs, against libm in double and the definitions.
 * tests/bench/math_ulp.c looks at all values of one function. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "tests/support/random.h"
#include "tests/unit/vector_math/level.h"

enum { TILE = 1024, SAMPLE = 16 };

#define FOR_LEVELS(level)                                                                          \
    for (size_t next_ = 0; next_ == 0;)                                                            \
        for (const struct math_level *level; (level = math_next_level(&next_)) != NULL;)

static float value_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Any bits, and as often a moderate size, where the functions are not constant. */
static float any_value(struct random *random)
{
    const uint32_t bits = (uint32_t)random_next(random);
    if (random_once_in(random, 2)) return value_of(bits);
    return value_of((bits & 0x80ffffff) + (uint32_t)random_between(random, 0x78, 0x84) * 0x800000);
}

static double expected(const struct math_reference *r, float x, float y)
{
    return r->of_two ? r->of_two((double)x, (double)y) : r->of_one((double)x);
}

static void check(const struct math_level *level, int function, float x, float y, float result)
{
    const struct math_reference *r = &math_references[function];
    const double value = expected(r, x, y), error = math_ulp_error(result, value);
    cr_assert(error <= r->bound || fabs((double)result - value) <= r->absolute,
              "%s %s(%a, %a) gives %a instead of %a: %g ULP", level->isa, r->name, (double)x,
              (double)y, (double)result, value, error);
}

Test(vector_math, errors_are_within_the_bounds)
{
    struct random random = {random_test_seed()};
    float x[TILE], y[TILE], result[TILE];
    for (int64_t tile = 0; tile < random_test_count(SAMPLE); tile++)
        for (int function = 0; function < MATH_FUNCTIONS; function++) {
            for (int i = 0; i < TILE; i++)
                x[i] = any_value(&random), y[i] = any_value(&random);
            FOR_LEVELS(level)
            {
                level->run[function](x, y, result, TILE);
                for (int i = 0; i < TILE; i++)
                    check(level, function, x[i], y[i], result[i]);
            }
        }
}

/* Where cases meet, and every other of them. */
static const float corners[] = {0.0f,
                                0x1p-149f,
                                0x1p-148f,
                                0x1.fffffcp-127f,
                                0x1p-126f,
                                0x1p-60f,
                                0x1p-24f,
                                0x1p-12f,
                                0.25f,
                                0.4f,
                                0x1.fffffep-2f,
                                0.5f,
                                0.7071067f,
                                0.7071069f,
                                0.99f,
                                0.9975f,
                                0.9999999f,
                                1.0f,
                                1.0000001f,
                                1.4142135f,
                                1.4142137f,
                                1.4616321f,
                                1.5f,
                                2.0f,
                                2.5f,
                                3.0f,
                                3.1415927f,
                                4.0f,
                                4.5f,
                                7.5f,
                                8.0f,
                                9.0f,
                                10.05f,
                                10.0544f,
                                13.2f,
                                14.3f,
                                20.0f,
                                33.0f,
                                87.4f,
                                88.72283f,
                                88.72284f,
                                89.4f,
                                252.898209f,
                                4.71238899f,
                                103.97f,
                                104.0f,
                                127.99999f,
                                128.0f,
                                149.0f,
                                150.0f,
                                1000.5f,
                                709.5f,
                                710.0f,
                                0x1p20f,
                                1048577.0f,
                                0x1p22f,
                                4194303.5f,
                                0x1p23f,
                                8388609.0f,
                                0x1p24f,
                                16777218.0f,
                                0x1p30f,
                                0x1p31f,
                                0x1p60f,
                                1e30f,
                                0x1p127f,
                                0x1.fffffep127f,
                                INFINITY,
                                NAN};

enum { CORNERS = sizeof corners / sizeof *corners };

static float corner(int i)
{
    return i < CORNERS ? corners[i] : -corners[i - CORNERS];
}

Test(vector_math, corners_are_right)
{
    FOR_LEVELS(level)
    for (int function = 0; function < MATH_FUNCTIONS; function++)
        for (int i = 0; i < 2 * CORNERS; i++) {
            const int pairs = math_references[function].of_two ? 2 * CORNERS : 1;
            for (int j = 0; j < pairs; j++) {
                float x[16], y[16], result[16];
                for (int k = 0; k < 16; k++)
                    x[k] = k % 3 ? 0.5f : corner(i), y[k] = k % 3 ? 0.5f : corner(j);
                level->run[function](x, y, result, 16);
                for (int k = 0; k < 16; k++)
                    check(level, function, x[k], y[k], result[k]);
            }
        }
}

/* What the references themselves must say: C's Annex F and torch. */
Test(vector_math, special_values)
{
    static const struct {
        int function;
        double x, y, value;
    } cases[] = {
        {MATH_exp, -INFINITY, 0, 0},
        {MATH_exp, INFINITY, 0, INFINITY},
        {MATH_log, -1, 0, NAN},
        {MATH_log, 0, 0, -INFINITY},
        {MATH_log, -0.0, 0, -INFINITY},
        {MATH_log1p, -1, 0, -INFINITY},
        {MATH_log1p, -0.0, 0, -0.0},
        {MATH_expm1, -0.0, 0, -0.0},
        {MATH_expm1, -INFINITY, 0, -1},
        {MATH_log2, 8, 0, 3},
        {MATH_log10, 1000, 0, 3},
        {MATH_exp2, -149, 0, 0x1p-149},
        {MATH_cbrt, -27, 0, -3},
        {MATH_sqrt, -0.0, 0, -0.0},
        {MATH_sqrt, -1, 0, NAN},
        {MATH_rsqrt, 0, 0, INFINITY},
        {MATH_rsqrt, -0.0, 0, -INFINITY},
        {MATH_sin, INFINITY, 0, NAN},
        {MATH_cos, -INFINITY, 0, NAN},
        {MATH_tan, -0.0, 0, -0.0},
        {MATH_asin, 1.5, 0, NAN},
        {MATH_acosh, 0.5, 0, NAN},
        {MATH_atanh, -1, 0, -INFINITY},
        {MATH_atanh, 2, 0, NAN},
        {MATH_tanh, -0.0, 0, -0.0},
        {MATH_tanh, INFINITY, 0, 1},
        {MATH_erf, INFINITY, 0, 1},
        {MATH_erf, -INFINITY, 0, -1},
        {MATH_erfc, -INFINITY, 0, 2},
        {MATH_erfinv, 1, 0, INFINITY},
        {MATH_erfinv, -1, 0, -INFINITY},
        {MATH_erfinv, 1.5, 0, NAN},
        {MATH_lgamma, 0, 0, INFINITY},
        {MATH_lgamma, -3, 0, INFINITY},
        {MATH_lgamma, -INFINITY, 0, INFINITY},
        {MATH_lgamma, 1, 0, 0},
        {MATH_lgamma, 2, 0, 0},
        {MATH_digamma, 0, 0, -INFINITY},
        {MATH_digamma, -0.0, 0, INFINITY},
        {MATH_digamma, -2, 0, NAN},
        {MATH_digamma, INFINITY, 0, INFINITY},
        {MATH_digamma, -INFINITY, 0, NAN},
        {MATH_round, 2.5, 0, 2},
        {MATH_round, -0.5, 0, -0.0},
        {MATH_floor, -0.5, 0, -1},
        {MATH_ceil, -0.5, 0, -0.0},
        {MATH_trunc, -2.7, 0, -2},
        {MATH_sigmoid, -INFINITY, 0, 0},
        {MATH_sigmoid, INFINITY, 0, 1},
        {MATH_silu, INFINITY, 0, INFINITY},
        {MATH_silu, -INFINITY, 0, NAN},
        {MATH_gelu, -INFINITY, 0, NAN},
        {MATH_gelu, INFINITY, 0, INFINITY},
        {MATH_gelu_tanh, -INFINITY, 0, NAN},
        {MATH_mish, -INFINITY, 0, NAN},
        {MATH_softplus, -INFINITY, 0, 0},
        {MATH_softplus, INFINITY, 0, INFINITY},
        {MATH_pow, NAN, 0, 1},
        {MATH_pow, 1, NAN, 1},
        {MATH_pow, -1, INFINITY, 1},
        {MATH_pow, -0.0, -3, -INFINITY},
        {MATH_pow, -8, 1.0 / 3, NAN},
        {MATH_pow, -2, 3, -8},
        {MATH_pow, 0, -0.5, INFINITY},
        {MATH_atan2, -0.0, -1, -3.1415927410125732},
        {MATH_atan2, 0, 0, 0},
        {MATH_hypot, -INFINITY, NAN, INFINITY},
        {MATH_fmod, 5, 0, NAN},
        {MATH_fmod, 5, INFINITY, 5},
        {MATH_fmod, -5, 3, -2},
        {MATH_remainder, -5, 3, 1},
        {MATH_remainder, 5, -3, -1},
        {MATH_remainder, -6, 3, -0.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        FOR_LEVELS(level)
        {
            const int function = cases[i].function;
            float x[16], y[16], result[16];
            for (int k = 0; k < 16; k++)
                x[k] = (float)cases[i].x, y[k] = (float)cases[i].y;
            level->run[function](x, y, result, 16);
            for (int k = 0; k < 16; k++)
                cr_assert(math_ulp_error(result[k], cases[i].value) <= 0.5, "%s %s(%a, %a) is %a",
                          level->isa, math_references[function].name, cases[i].x, cases[i].y,
                          (double)result[k]);
            const float of_double = (float)level->run_f64[function](cases[i].x, cases[i].y);
            cr_assert(math_ulp_error(of_double, cases[i].value) <= 0.5, "f64 %s(%a, %a) is %a",
                      math_references[function].name, cases[i].x, cases[i].y, (double)of_double);
        }
}

static bool same_bits(float a, float b)
{
    uint32_t of_a, of_b;
    memcpy(&of_a, &a, sizeof of_a);
    memcpy(&of_b, &b, sizeof of_b);
    return of_a == of_b || (isnan(a) && isnan(b));
}

Test(vector_math, levels_with_fused_multiply_add_give_the_same_bits)
{
    struct random random = {random_test_seed()};
    float x[TILE], y[TILE], first[TILE], result[TILE];
    for (int64_t tile = 0; tile < random_test_count(4 * SAMPLE); tile++)
        for (int function = 0; function < MATH_FUNCTIONS; function++) {
            bool is_first = true;
            for (int i = 0; i < TILE; i++)
                x[i] = any_value(&random), y[i] = any_value(&random);
            FOR_LEVELS(level)
            {
                if (!level->fused) continue;
                level->run[function](x, y, is_first ? first : result, TILE);
                for (int i = 0; i < TILE && !is_first; i++)
                    cr_assert(same_bits(first[i], result[i]), "%s(%a, %a) is %a or %a",
                              math_references[function].name, (double)x[i], (double)y[i],
                              (double)first[i], (double)result[i]);
                is_first = false;
            }
        }
}

/* Relative to the value, or to 1 where results near zeros are differences. A product of a subnormal
 * e^x has fewer digits. */
Test(vector_math, doubles_are_right)
{
    struct random random = {random_test_seed()};
    size_t first = 0;
    const struct math_level *level = math_next_level(&first);
    for (int function = 0; function < MATH_FUNCTIONS; function++)
        for (int64_t i = 0; i < random_test_count(SAMPLE * 64); i++) {
            const struct math_reference *r = &math_references[function];
            const float x = any_value(&random), y = any_value(&random);
            const double value = expected(r, x, y);
            const double result = level->run_f64[function]((double)x, (double)y);
            const double scale = r->absolute > 0 ? fmax(fabs(value), 1) : fabs(value);
            cr_assert((isnan(value) && isnan(result)) || result == value ||
                          fabs(result - value) <= fmax(0x1p-40 * scale, DBL_MIN),
                      "f64 %s(%a, %a) is %a instead of %a", r->name, (double)x, (double)y, result,
                      value);
        }
}
