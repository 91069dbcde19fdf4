/* SPDX-License-Identifier: Apache-2.0 */
/* Cores whose bodies have a file of their own: computed in double, rounded once. The file
 * - includes this header behind its rows' counts (enum { <core>_results, <core>_operands }),
 * - for f32 and for f64 as_<type>.h, its bodies, each followed by WIDE(core), and run.h,
 * - and defines K_CORE and K_FORM as WIDE_CORE and WIDE_FORM for its rows.
 * A body: void NAME(core_wide)(vd *y, const vd *x, const vd *s), results, operands, numbers. */
#ifndef ACLNN_CPU_KERNELS_LOSS_WIDE_CORES_H
#define ACLNN_CPU_KERNELS_LOSS_WIDE_CORES_H

#include <string.h>

#include "kernels/elementwise/k_elementwise.h"
#include "kernels/elementwise/wide.h"
#include "kernels/loop/loop.h"
#include "kernels/vector/simd.h"

typedef void wide_body(vd *y, const vd *x, const vd *s);

enum { WIDE_RESULTS = 2, WIDE_OPERANDS = 5, WIDE_NUMBERS = 2 };

/* Both halves of vectors of floats. */
K_TEMPLATE
void wide_results_f32(wide_body *body, int results, int operands, vf *y, const vf *x, const vf *s)
{
    vd part[2][WIDE_RESULTS], wide_x[WIDE_OPERANDS], wide_s[WIDE_NUMBERS];
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < operands; i++)
            wide_x[i] = vd_widen(half, x[i]);
        for (int i = 0; i < WIDE_NUMBERS; i++)
            wide_s[i] = vd_widen(half, s[i]);
        body(part[half], wide_x, wide_s);
    }
    for (int i = 0; i < results; i++)
        y[i] = v_narrow(part[0][i], part[1][i]);
}

K_TEMPLATE
void wide_results_f64(wide_body *body, int results, int operands, vd *y, const vd *x, const vd *s)
{
    (void)results, (void)operands;
    body(y, x, s);
}

/* log(1 + x); of -1 minus infinity, of less NaN. */
K_TEMPLATE
vd wide_log1p_f32(vd x)
{
    const vd value = vd_copysign(wide_log1p(x), x), least = vd_all(-1);
    const vd outside = vd_if(vd_equal(x, least), vd_all(-INFINITY), vd_all(NAN));
    return vd_if(vd_less(least, x), vd_if(vd_less(x, vd_all(INFINITY)), value, x), outside);
}

K_TEMPLATE
vd wide_log1p_f64(vd x)
{
    return each_lane(v_log1p_f64, x);
}

/* sigmoid(x) and sigmoid(-x), none of them by a difference. */
struct wide_sigmoids {
    vd of_x, of_minus_x;
};

K_TEMPLATE
struct wide_sigmoids wide_sigmoids_of(vd x, vd power)
{
    const vd large = 1 / (1 + power), small = power * large;
    const vd_mask is_negative = vd_less(x, (vd){0});
    return (struct wide_sigmoids){vd_if(is_negative, small, large),
                                  vd_if(is_negative, large, small)};
}

#define WIDE(core)                                                                                 \
    K_TEMPLATE                                                                                     \
    void NAME(core)(T * y, const T *x, const T *s)                                                 \
    {                                                                                              \
        NAME(wide_results)(NAME(core##_wide), core##_results, core##_operands, y, x, s);           \
    }

#define WIDE_TILE(name, type, constants)                                                           \
    k_tile_fn K_SYMBOL(name##_##constants##_##type);                                               \
    void K_SYMBOL(name##_##constants##_##type)(const void *e, const void *const from[],            \
                                               void *const to[], int64_t count)                    \
    {                                                                                              \
        run_##type(name##_##type, name##_results, name##_operands, constants, e, from, to, count); \
    }
#define WIDE_FORM(name, types, constants)                                                          \
    WIDE_TILE(name, f32, constants) WIDE_TILE(name, f64, constants)
#define WIDE_CORE(name, results, operands, types, cost) WIDE_FORM(name, types, 0)

#endif
