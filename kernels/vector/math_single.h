/* SPDX-License-Identifier: Apache-2.0 */
/* Exponentials in f32 throughout. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_MATH_SINGLE_H
#define ACLNN_CPU_KERNELS_VECTOR_MATH_SINGLE_H

#include "kernels/vector/lanes.h"
#include "kernels/vector/math_double.h"

/* x - n log(2), n a small integer. */
K_TEMPLATE
vf v_exp_rest(vf x, vf n)
{
    return v_fma(n, v_all(-0x1.7f7d1cp-20F), v_fma(n, v_all(-0x1.62e4p-1F), x));
}

/* e^x for |x| <= log(2) / 2. */
K_TEMPLATE
vf v_exp_near_zero(vf x)
{
    static const float c[] = {1.9875691500e-4F, 1.3981999507e-3F, 8.3334519073e-3F,
                              4.1665795894e-2F, 1.6666665459e-1F, 5.0000001201e-1F};
    vf p = v_all(c[0]);
#pragma GCC unroll 5
    for (int i = 1; i < 6; i++)
        p = v_fma(p, x, v_all(c[i]));
    return v_fma(p, x * x, x) + 1;
}

/* e^x for x <= 88: within 1 ULP; 0 where it is below the normal numbers. */
K_TEMPLATE
vf v_exp_single(vf x)
{
    const vf rounding = v_all(0x1.8p23F);
    const vf sum = v_fma(x, v_all(0x1.715476p+0F), rounding);
    const vf value = v_exp_near_zero(v_exp_rest(x, sum - rounding));
    const vf scale = (vf)(((vu)sum << 23) + 0x3f800000);
    return v_if(v_less(x, v_all(-87.0F)), (vf){0}, value * scale);
}

#endif
