/* SPDX-License-Identifier: Apache-2.0 */
/* What bodies in double are made of: functions of a vector of doubles, NAME(wide_<function>), good
 * enough for what they serve. For f32 those of kernels/vector, a relative error of about 2^-30; for
 * f64 libm's, lane by lane. */
#ifndef ACLNN_CPU_KERNELS_ELEMENTWISE_WIDE_H
#define ACLNN_CPU_KERNELS_ELEMENTWISE_WIDE_H

#include "kernels/vector/math.h"

/* A body's value in double: of both halves of vectors of floats, rounded once. */
K_TEMPLATE
vf in_double_f32(vd (*body)(const vd *, const vd *), int operands, int numbers, const vf *x,
                 const vf *s)
{
    vd part[2], wide_x[4], wide_s[4];
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < operands; i++)
            wide_x[i] = vd_widen(half, x[i]);
        for (int i = 0; i < numbers; i++)
            wide_s[i] = vd_widen(half, s[i]);
        part[half] = body(wide_x, wide_s);
    }
    return v_narrow(part[0], part[1]);
}

K_TEMPLATE
vd in_double_f64(vd (*body)(const vd *, const vd *), int operands, int numbers, const vd *x,
                 const vd *s)
{
    (void)operands, (void)numbers;
    return body(x, s);
}

/* f of each lane. */
K_TEMPLATE
vd each_lane(double (*f)(double), vd x)
{
    for (int i = 0; i < (int)(sizeof x / sizeof x[0]); i++)
        x[i] = f(x[i]);
    return x;
}

K_TEMPLATE
vd wide_exp_f32(vd x)
{
    return wide_exp(vd_at_most(vd_at_least(x, WIDE_EXP_LOW), WIDE_EXP_HIGH));
}

K_TEMPLATE
vd wide_expm1_f32(vd x)
{
    const vd value = wide_expm1(vd_at_most(vd_at_least(x, -700), 709));
    return vd_copysign(vd_if(vd_less(vd_all(709.4), x), vd_all(INFINITY), value), x);
}

K_TEMPLATE
vd wide_sigmoid_f32(vd x)
{
    return wide_sigmoid(x);
}

K_TEMPLATE
vd wide_erfc_f32(vd x)
{
    return wide_erfc(x);
}

K_TEMPLATE
vd wide_softplus_f32(vd x)
{
    return wide_softplus(x);
}

K_TEMPLATE
vd wide_tanh_softplus_f32(vd x)
{
    return wide_tanh_softplus(x);
}

K_TEMPLATE
vd wide_log_f32(vd x)
{
    const vd zero = {0}, value = vd_if(vd_less(x, vd_all(INFINITY)), wide_log(x), x);
    const vd outside = vd_if(vd_equal(x, zero), vd_all(-INFINITY), vd_all(NAN));
    return vd_if(vd_less(zero, x), value, outside);
}

#define EACH_LANE(f)                                                                               \
    K_TEMPLATE                                                                                     \
    vd wide_##f##_f64(vd x)                                                                        \
    {                                                                                              \
        return each_lane(v_##f##_f64, x);                                                          \
    }
EACH_LANE(exp)
EACH_LANE(expm1)
EACH_LANE(sigmoid)
EACH_LANE(erfc)
EACH_LANE(softplus)
EACH_LANE(tanh_softplus)
EACH_LANE(log)
#undef EACH_LANE

#endif
