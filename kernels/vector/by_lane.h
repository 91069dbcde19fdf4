/* SPDX-License-Identifier: Apache-2.0 */
/* What the bodies ask of every compute type and no operator of C gives. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_BY_LANE_H
#define ACLNN_CPU_KERNELS_VECTOR_BY_LANE_H

#include "kernels/vector/math.h"

K_TEMPLATE
vf magnitude_f32(vf x)
{
    return (vf)((vi)x & INT32_MAX);
}

K_TEMPLATE
vd magnitude_f64(vd x)
{
    return (vd)((vl)x & INT64_MAX);
}

K_TEMPLATE
vi magnitude_i32(vi x)
{
    const vi sign = x >> 31;
    return (x ^ sign) - sign;
}

K_TEMPLATE
vl magnitude_i64(vl x)
{
    const vl sign = x < 0;
    return (x ^ sign) - sign;
}

/* f of each lane. */
K_TEMPLATE
vf map_f32(vf (*f)(vf), vf x)
{
    return f(x);
}

K_TEMPLATE
vd map_f64(double (*f)(double), vd x)
{
    for (int i = 0; i < (int)(sizeof x / sizeof x[0]); i++)
        x[i] = f(x[i]);
    return x;
}

/* f of each lane of both. */
K_TEMPLATE
vf map2_f32(vf (*f)(vf, vf), vf x, vf y)
{
    return f(x, y);
}

K_TEMPLATE
vd map2_f64(double (*f)(double, double), vd x, vd y)
{
    for (int i = 0; i < (int)(sizeof x / sizeof x[0]); i++)
        x[i] = f(x[i], y[i]);
    return x;
}

K_TEMPLATE
vi is_nan_f32(vf x)
{
    return x != x;
}

K_TEMPLATE
vl is_nan_f64(vd x)
{
    return x != x;
}

K_TEMPLATE
vi is_nan_i32(vi x)
{
    return x ^ x;
}

K_TEMPLATE
vl is_nan_i64(vl x)
{
    return x ^ x;
}

#endif
