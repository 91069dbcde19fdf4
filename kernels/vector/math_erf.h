/* SPDX-License-Identifier: Apache-2.0 */
/* The error function and what it gives: see math.h. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_MATH_ERF_H
#define ACLNN_CPU_KERNELS_VECTOR_MATH_ERF_H

#include "kernels/vector/math_exp.h"
#include "kernels/vector/math_log.h"

/* erf(a) = 1 - e^-(a T(a)), 0 <= a <= 4: one polynomial for all, and no cancellation near 0. */
K_TEMPLATE
vd wide_erf(vd a)
{
    /* T, so that erf's relative error is 2^-31.2 */
    static const double c[] = {1.128379166627992,       0.6366198345751639,
                               0.10277127715524356,     -0.01911769480566363,
                               -0.00025306130627273906, 0.0017993542773043299,
                               -0.0007406862806153679,  0.00016748114445551637,
                               -2.1354643292523734e-05, 1.1933040670707195e-06};
    return -wide_expm1(-a * vd_polynomial(a, 9, c));
}

/* erfc(|x|) = e^-x^2 t P(t), t = 1 / (1 + 3/8 |x|) */
K_TEMPLATE
vd wide_erfc(vd x)
{
    /* relative error 2^-31.0 where |x| <= 10.4; beyond, the result is 0 in f32 */
    static const double c[] = {0.21156771715425007,  0.21166971856317163, 0.19543347254278218,
                               0.1762704123546283,   0.08119494086585091, 0.21962682966139574,
                               -0.27224997621407176, 0.448468869950598,   -0.4285890347351134,
                               0.18839128654908438,  -0.03178423715623716};
    const vd a = vd_abs(x), t = 1 / vd_fma(a, vd_all(0.375), vd_all(1));
    const vd tail = wide_exp(vd_at_least(-a * a, EXP_LOW)) * (t * vd_polynomial(t, 10, c));
    return vd_if(vd_negative(x), 2 - tail, tail);
}

/* x erfc(-x / sqrt(2)) / 2 */
K_TEMPLATE
vd wide_gelu(vd x)
{
    return 0.5 * x * wide_erfc(x * -0x1.6a09e667f3bcdp-1);
}

K_TEMPLATE
vf v_erf(vf x)
{
    return v_copysign(v_by_doubles(wide_erf, v_clamp(v_abs(x), 0, 4)), x);
}

K_TEMPLATE
vf v_erfc(vf x)
{
    return v_by_doubles(wide_erfc, x);
}

K_TEMPLATE
vf v_gelu(vf x)
{
    return v_by_doubles(wide_gelu, x);
}

/* erfinv(x) / x is a smooth function of w = -log(1 - x^2), and for large w of its root. */
K_TEMPLATE
vd wide_erfinv(vd x)
{
    /* w < 6, of w - 3: relative error 2^-31.7 */
    static const double middle[] = {
        1.623542006412531,       0.24163040209107825,    -0.005738135016552469,
        -0.0008361750568777225,  0.0001950614323595461,  -1.2722678945917934e-05,
        -1.7483068017726553e-06, 4.525176861461401e-07,  -2.3538962202682528e-08,
        -5.980668564892735e-09,  1.0813241944221646e-09, 2.2223526405333068e-11,
        -1.5041429200901163e-11};
    /* 6 <= w <= 16, of sqrt(w) - 3: relative error 2^-33.6 */
    static const double tail[] = {
        2.8329767989179877,    1.0016752748307298,      0.00944549747541538,
        -0.007643721874876828, 0.005685661132735994,    -0.003560021489908737,
        0.0014807281243880894, -0.00014089396668624297, -0.00027746282088879907,
        0.0001822137987918229, -4.027702055444427e-05};
    const vd w = -wide_log((1 - x) * (1 + x));
    const vd near = vd_polynomial(w - 3, 12, middle);
    const vd far = vd_polynomial(vd_sqrt(w) - 3, 10, tail);
    return x * vd_if(vd_less(w, vd_all(6)), near, far);
}

K_TEMPLATE
vf v_erfinv(vf x)
{
    const vf a = v_abs(x), one = v_all(1);
    const vf outside = v_if(v_equal(a, one), v_copysign(v_all(INFINITY), x), v_all(NAN));
    return v_if(v_less(a, one), v_by_doubles(wide_erfinv, x), outside);
}

#endif
