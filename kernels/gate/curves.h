/* SPDX-License-Identifier: Apache-2.0 */
/* Activations, and gradients that take a function's result, in double, for f32 and f64; included
 * once for each (kernels/loss/wide_cores.h). */

/* x: what is activated, the factor */
K_TEMPLATE
void NAME(gelu_mul_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[0] = x[0] * NAME(normal)(x[0]) * x[1];
}
WIDE(gelu_mul)

K_TEMPLATE
void NAME(gelu_mul_tanh_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[0] = x[0] * NAME(wide_sigmoid)(NAME(twice_cubic)(x[0])) * x[1];
}
WIDE(gelu_mul_tanh)

K_TEMPLATE
void NAME(softsign_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[0] = x[0] / (1 + vd_abs(x[0]));
}
WIDE(softsign)

/* x: the result's gradient, the operand */
K_TEMPLATE
void NAME(softsign_grad_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    const vd size = 1 + vd_abs(x[1]);
    y[0] = x[0] / (size * size);
}
WIDE(softsign_grad)

/* x: the operand, the value at 0; that of a NaN is 0. */
K_TEMPLATE
void NAME(heaviside_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    const vd zero = {0}, step = vd_if(vd_less(zero, x[0]), vd_all(1), zero);
    y[0] = vd_if(vd_equal(x[0], zero), x[1], step);
}
WIDE(heaviside)

/* A NaN stays. */
K_TEMPLATE
void NAME(squared_relu_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[0] = vd_if(vd_less(x[0], (vd){0}), (vd){0}, x[0] * x[0]);
}
WIDE(squared_relu)

/* A parabola on each side in place of the normal distribution. */
K_TEMPLATE
void NAME(fast_gelu_v2_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    const vd size = 0.7071 * vd_abs(x[0]), edge = vd_all(1.769);
    const vd away = vd_if(vd_less(edge, size), (vd){0}, size - edge);
    const vd half = 0.5 - 0.1444 * away * away;
    const vd sign = vd_if(vd_less(x[0] + 1e-12, (vd){0}), vd_all(-1), vd_all(1));
    y[0] = x[0] * (sign * half + 0.5);
}
WIDE(fast_gelu_v2)

/* 0 where x[0] is, unless x[1] is NaN. */
K_TEMPLATE
void NAME(xlog1py_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    const vd zero = {0}, product = x[0] * NAME(wide_log1p)(x[1]);
    y[0] = vd_if(vd_equal(x[1], x[1]), vd_if(vd_equal(x[0], zero), zero, product), x[1]);
}
WIDE(xlog1py)

/* ---- gradients; x: the function's result (of asin its operand), the gradient of the result ----
 */

K_TEMPLATE
void NAME(sqrt_slope_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    const vd zero = {0}, half = 0.5 * x[1];
    y[0] = vd_if(vd_equal(half, zero), zero, half / x[0]);
}
WIDE(sqrt_slope)

K_TEMPLATE
void NAME(asin_slope_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[0] = x[1] / vd_sqrt((1 - x[0]) * (1 + x[0]));
}
WIDE(asin_slope)

/* sinh(x) = (m + m / (m + 1)) / 2, m = exp(x) - 1, of the magnitude, so that nothing cancels. */
K_TEMPLATE
void NAME(acosh_slope_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    const vd m = NAME(wide_expm1)(vd_abs(x[0]));
    const vd part = vd_if(vd_less(vd_all(0x1p60), m), vd_all(1), m / (m + 1));
    y[0] = x[1] / vd_copysign(0.5 * (m + part), x[0]);
}
WIDE(acosh_slope)

K_TEMPLATE
void NAME(tanh_slope_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[0] = x[1] * ((1 - x[0]) * (1 + x[0]));
}
WIDE(tanh_slope)

/* ---- x: a sum, scales of its column and row, a bias ---- */

K_TEMPLATE
void NAME(dequant_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[0] = x[0] * x[1] * x[2] + x[3];
}
WIDE(dequant)

K_TEMPLATE
void NAME(dequant_whole_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[0] = (x[0] + x[3]) * x[1] * x[2];
}
WIDE(dequant_whole)

/* x: what is cut off below the third operand, a factor */
K_TEMPLATE
void NAME(fatrelu_mul_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[0] = vd_if(vd_less(x[0], x[2]), (vd){0}, x[0]) * x[1];
}
WIDE(fatrelu_mul)

/* s[0]: alpha. A NaN stays. */
K_TEMPLATE
void NAME(add_relu_wide)(vd *y, const vd *x, const vd *s)
{
    const vd sum = x[0] + s[0] * x[1];
    y[0] = vd_if(vd_less(sum, (vd){0}), (vd){0}, sum);
}
WIDE(add_relu)
