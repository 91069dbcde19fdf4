/* SPDX-License-Identifier: Apache-2.0 */
/* The error function and what it gives: see math.h. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_MATH_ERF_H
#define ACLNN_CPU_KERNELS_VECTOR_MATH_ERF_H

#include "kernels/vector/math_exp.h"
#include "kernels/vector/math_log.h"

/* |x| <= 4 */
K_TEMPLATE
vd wide_erf(vd x)
{
    /* erf(x) / x = p / q of x^2, relative error 2^-28.9 */
    static const double p[] = {1.128379169377294,      0.18520305566642445,   0.054317000749136785,
                               0.0038496199571680456,  0.0003796135747807153, 4.684903201186875e-06,
                               -1.3202854896042739e-08};
    static const double q[] = {1.0,
                               0.4974653484601007,
                               0.11395844621209589,
                               0.01546212206480142,
                               0.0013075780447261945,
                               6.311178574252886e-05};
    const vd square = x * x;
    return x * vd_polynomial(square, 6, p) / vd_polynomial(square, 5, q);
}

/* Where e^-a^2 in double is exactly 0. */
#define WIDE_ERFC_ZERO 26.63

/* erfc(a) = e^-a^2 p(a) / q(a), a = |x| */
K_TEMPLATE
vd wide_erfc(vd x)
{
    /* relative error 2^-27.3 where a <= 10.4; beyond, the result is 0 in f32 */
    static const double p[] = {1.0000000060681629, 1.2408763883148972, 0.734190596306515,
                               0.2304530427345445, 0.03305608263520507};
    static const double q[] = {1.0,
                               2.3692561651418167,
                               2.407600088380828,
                               1.3301972856161335,
                               0.4084926029155864,
                               0.05858972330965482};
    const vd a = vd_at_most(vd_abs(x), WIDE_ERFC_ZERO);
    const vd tail = wide_exp(-a * a) * vd_polynomial(a, 4, p) / vd_polynomial(a, 5, q);
    return vd_if(vd_negative(x), 2 - tail, tail);
}

K_TEMPLATE
vf v_erf(vf x)
{
    return v_by_doubles(wide_erf, v_clamp(x, -4, 4));
}

K_TEMPLATE
vf v_erfc(vf x)
{
    return v_by_doubles(wide_erfc, x);
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
