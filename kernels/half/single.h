/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies whose results are rounded to a half type: in f32 throughout, within 2^-20 of the value,
 * where those of f32 take doubles to be within 2^-24. */
#ifndef ACLNN_CPU_KERNELS_HALF_SINGLE_H
#define ACLNN_CPU_KERNELS_HALF_SINGLE_H

#include "kernels/vector/math_normal.h"

K_TEMPLATE
void gelu_single_f32(vf *y, const vf *x, const vf *s)
{
    (void)s;
    y[0] = v_gelu_single(x[0], false);
}

K_TEMPLATE
void gelu_grad_single_f32(vf *y, const vf *x, const vf *s)
{
    (void)s;
    y[0] = x[0] * v_gelu_slope_single(x[1]);
}

/* 1 / (1 + e^-x) and what is left of it to 1, none of them by a difference. */
struct single_sigmoids {
    vf value, rest;
};

K_TEMPLATE
struct single_sigmoids single_sigmoids(vf x)
{
    const vf decay = v_decay(-v_at_most(v_abs(x), 120), v_all(1)), large = 1 / (1 + decay),
             small = decay * large;
    const v_mask is_negative = v_less(x, v_all(0));
    return (struct single_sigmoids){v_if(is_negative, small, large),
                                    v_if(is_negative, large, small)};
}

K_TEMPLATE
void sigmoid_single_f32(vf *y, const vf *x, const vf *s)
{
    (void)s;
    y[0] = single_sigmoids(x[0]).value;
}

K_TEMPLATE
void silu_single_f32(vf *y, const vf *x, const vf *s)
{
    (void)s;
    y[0] = x[0] * single_sigmoids(x[0]).value;
}

#endif
