/* SPDX-License-Identifier: Apache-2.0 */
/* Circular functions and their inverses: see math.h. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_MATH_TRIG_H
#define ACLNN_CPU_KERNELS_VECTOR_MATH_TRIG_H

#include "kernels/vector/math_double.h"

#define WIDE_HALF_PI 0x1.921fb54442d18p+0

/* ---- sine and cosine of |r| <= pi / 4 ---- */

K_TEMPLATE
vd wide_sin_near(vd r)
{
    /* sin(r) / r of r^2, relative error 2^-37.7 */
    static const double c[] = {0.9999999999954486, -0.1666666663042567, 0.00833332868774748,
                               -0.00019839177566674163, 2.717145195661545e-06};
    return r * vd_polynomial(r * r, 4, c);
}

K_TEMPLATE
vd wide_cos_near(vd r)
{
    /* cos(r) of r^2, relative error 2^-34.0 */
    static const double c[] = {0.9999999999438796, -0.4999999957120508, 0.041666613200719856,
                               -0.0013886528187032517, 2.4372592363904046e-05};
    return vd_polynomial(r * r, 4, c);
}

/* ---- |x| <= WIDE_TRIG_NEAR ---- */

#define WIDE_TRIG_NEAR 0x1p20f

/* x = n pi / 2 + r, |r| <= pi / 4; the low bits of quadrant are n's. The first part of pi / 2 has
 * 33 bits, so its product with n is exact, on levels without fused multiply-add too. The float
 * nearest to a multiple has |r| > 2^-28. */
struct wide_angle {
    vd r;
    vul quadrant;
};

K_TEMPLATE
struct wide_angle wide_angle_of(vd x)
{
    const vd sum = vd_fma(x, vd_all(0x1.45f306dc9c883p-1), vd_all(WIDE_ROUNDING)),
             n = sum - WIDE_ROUNDING;
    const vd near = vd_fma(n, vd_all(-0x1.921fb544p+0), x);
    const vd r = vd_fma(n, vd_all(-0x1.0b4611a626331p-34), near);
    return (struct wide_angle){r, (vul)sum};
}

/* The sine of quadrant pi / 2 + r. */
K_TEMPLATE
vd wide_sin_of(struct wide_angle a)
{
    const vd_mask odd = vd_negative((vd)(a.quadrant << 63));
    const vd value = vd_if(odd, wide_cos_near(a.r), wide_sin_near(a.r));
    return (vd)((vul)value ^ (a.quadrant << 62 & 0x8000000000000000));
}

K_TEMPLATE
vd wide_sin(vd x)
{
    return wide_sin_of(wide_angle_of(x));
}

K_TEMPLATE
vd wide_cos(vd x)
{
    struct wide_angle a = wide_angle_of(x);
    a.quadrant += 1;
    return wide_sin_of(a);
}

K_TEMPLATE
vd wide_tan(vd x)
{
    const struct wide_angle a = wide_angle_of(x);
    const vd_mask odd = vd_negative((vd)(a.quadrant << 63));
    const vd sine = wide_sin_near(a.r), cosine = wide_cos_near(a.r);
    return vd_if(odd, -cosine, sine) / vd_if(odd, sine, cosine);
}

/* ---- any x ---- */

/* f of the lanes of x that `lanes` names, one by one; of the others value. Out of line: it is rare,
 * and calls would take registers from the loops around it. */
__attribute__((noinline, unused)) static void v_one_by_one(double (*f)(double), unsigned lanes,
                                                           const vf *x, vf *value)
{
    for (int i = 0; i < VL; i++)
        if (lanes >> i & 1) (*value)[i] = (float)f((*x)[i]);
}

K_TEMPLATE
vf v_trig(vd (*near)(vd), double (*far)(double), vf x)
{
    vf value = v_by_doubles(near, x);
    const vf a = v_abs(x);
    const v_mask large = v_less(v_all(WIDE_TRIG_NEAR), a) & v_less(a, v_all(INFINITY));
    if (v_mask_bits(large)) {
        vf some = value;
        v_one_by_one(far, v_mask_bits(large), &x, &some);
        value = some;
    }
    return value;
}

K_TEMPLATE
vf v_sin(vf x)
{
    return v_trig(wide_sin, sin, x);
}

K_TEMPLATE
vf v_cos(vf x)
{
    return v_trig(wide_cos, cos, x);
}

K_TEMPLATE
vf v_tan(vf x)
{
    return v_trig(wide_tan, tan, x);
}

/* ---- inverses ---- */

/* asin(s) of 0 <= s <= 1/2, square: s^2 */
K_TEMPLATE
vd wide_asin_near(vd s, vd square)
{
    /* asin(s) / s of s^2, relative error 2^-31.9 */
    static const double c[] = {1.00000000025542,    0.16666656917614553, 0.07500605541327865,
                               0.04450281136673756, 0.03190315095731027, 0.014130353387671756,
                               0.03789882487608507};
    return s * vd_polynomial(square, 6, c);
}

/* |x| = a >= 1/2: pi/2 - asin(a) = 2 asin(sqrt((1 - a) / 2)). NaN beyond 1. */
K_TEMPLATE
vd wide_asin(vd x)
{
    const vd a = vd_abs(x), far = 0.5 * (1 - a);
    const vd_mask near = vd_less(a, vd_all(0.5));
    const vd value = wide_asin_near(vd_if(near, a, vd_sqrt(far)), vd_if(near, a * a, far));
    return vd_copysign(vd_if(near, value, WIDE_HALF_PI - (value + value)), x);
}

K_TEMPLATE
vd wide_acos(vd x)
{
    const vd a = vd_abs(x), far = 0.5 * (1 - a);
    const vd_mask near = vd_less(a, vd_all(0.5));
    const vd value = wide_asin_near(vd_if(near, a, vd_sqrt(far)), vd_if(near, a * a, far));
    const vd twice = value + value, of_far = vd_if(vd_negative(x), WIDE_PI - twice, twice);
    return vd_if(near, WIDE_HALF_PI - vd_copysign(value, x), of_far);
}

/* atan(q), 0 <= q <= 1 */
K_TEMPLATE
vd wide_atan_near(vd q)
{
    /* atan(q) / q of q^2, relative error 2^-31.3 */
    static const double c[] = {0.999999999628244,     -0.3333332393515817,  0.19999604632249993,
                               -0.1427915958919182,   0.11054501034144137,  -0.08798771835971238,
                               0.06716108061720949,   -0.04435751510921784, 0.02227438003735654,
                               -0.007199398790028599, 0.0010911142451321154};
    return q * vd_polynomial(q * q, 10, c);
}

K_TEMPLATE
vd wide_atan(vd x)
{
    const vd a = vd_abs(x);
    const vd_mask above = vd_less(vd_all(1), a);
    const vd value = wide_atan_near(vd_if(above, 1 / a, a));
    return vd_copysign(vd_if(above, WIDE_HALF_PI - value, value), x);
}

K_TEMPLATE
vd wide_atan2(vd y, vd x)
{
    const vd a = vd_abs(y), b = vd_abs(x), zero = {0};
    const vd_mask above = vd_less(b, a);
    vd q = vd_if(above, b, a) / vd_if(above, a, b);
    q = vd_if(vd_equal(a, b), vd_if(vd_equal(a, zero), zero, vd_all(1)), q); /* 0 / 0, inf / inf */
    vd value = wide_atan_near(q);
    value = vd_if(above, WIDE_HALF_PI - value, value);
    value = vd_if(vd_negative(x), WIDE_PI - value, value);
    return vd_copysign(value, y);
}

K_TEMPLATE
vf v_asin(vf x)
{
    return v_by_doubles(wide_asin, x);
}

K_TEMPLATE
vf v_acos(vf x)
{
    return v_by_doubles(wide_acos, x);
}

K_TEMPLATE
vf v_atan(vf x)
{
    return v_by_doubles(wide_atan, x);
}

K_TEMPLATE
vf v_atan2(vf y, vf x)
{
    return v_by_doubles_2(wide_atan2, y, x);
}

#endif
