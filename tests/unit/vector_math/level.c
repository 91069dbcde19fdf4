/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled once per level, as kernels are. */
#include "tests/unit/vector_math/level.h"

#include "kernels/vector/math.h"

#define MATH_1(name, bound, absolute)                                                              \
    static void name##_run(const float *x, const float *y, float *result, int64_t count)           \
    {                                                                                              \
        (void)y;                                                                                   \
        for (int64_t i = 0; i < count; i += VL)                                                    \
            v_store(result + i, v_##name(v_load(x + i)));                                          \
    }                                                                                              \
    static double name##_f64(double x, double y)                                                   \
    {                                                                                              \
        (void)y;                                                                                   \
        return v_##name##_f64(x);                                                                  \
    }
#define MATH_2(name, bound, absolute)                                                              \
    static void name##_run(const float *x, const float *y, float *result, int64_t count)           \
    {                                                                                              \
        for (int64_t i = 0; i < count; i += VL)                                                    \
            v_store(result + i, v_##name(v_load(x + i), v_load(y + i)));                           \
    }                                                                                              \
    static double name##_f64(double x, double y)                                                   \
    {                                                                                              \
        return v_##name##_f64(x, y);                                                               \
    }
#include "tests/unit/vector_math/functions.def"
#undef MATH_1
#undef MATH_2

math_level_fn K_SYMBOL(math_level);
const struct math_level *K_SYMBOL(math_level)(void)
{
#define MATH_1(name, bound, absolute) [MATH_##name] = name##_run,
#define MATH_2                        MATH_1
    static const struct math_level level = {
        .isa = K_ISA_STRING,
#ifndef K_ISA_base
        .fused = true,
#endif
        .run =
            {
#include "tests/unit/vector_math/functions.def"
            },
#undef MATH_1
#define MATH_1(name, bound, absolute) [MATH_##name] = name##_f64,
        .run_f64 =
            {
#include "tests/unit/vector_math/functions.def"
            },
    };
#undef MATH_1
#undef MATH_2
    return &level;
}
