/* SPDX-License-Identifier: Apache-2.0 */
/* Gates and activations with weights in double, for f32 and f64; included once for each
 * (kernels/loss/wide_cores.h). Of gradients x[0] is that of the result. */

/* x: what passes, the gate */
K_TEMPLATE
void NAME(glu_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[0] = x[0] * NAME(wide_sigmoid)(x[1]);
}
WIDE(glu)

K_TEMPLATE
void NAME(glu_grad_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    const struct wide_sigmoids gate = wide_sigmoids_of(x[2], NAME(wide_exp)(-vd_abs(x[2])));
    y[0] = x[0] * gate.of_x;
    y[1] = x[0] * x[1] * (gate.of_x * gate.of_minus_x);
}
WIDE(glu_grad)

/* x: what is activated, the factor */
K_TEMPLATE
void NAME(swiglu_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[0] = x[0] * NAME(wide_sigmoid)(x[0]) * x[1];
}
WIDE(swiglu)

K_TEMPLATE
void NAME(swiglu_grad_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    const struct wide_sigmoids p = wide_sigmoids_of(x[1], NAME(wide_exp)(-vd_abs(x[1])));
    y[0] = x[0] * x[2] * (p.of_x * (1 + x[1] * p.of_minus_x));
    y[1] = x[0] * (x[1] * p.of_x);
}
WIDE(swiglu_grad)

/* ---- x: the factor, what is activated; of gradients then its activation. y: of each ---- */

#undef ROOT_HALF
#undef DENSITY
#define ROOT_HALF 0x1.6a09e667f3bcdp-1
#define DENSITY   0x1.9884533d43651p-2 /* of the normal distribution, at 0 */

/* The normal distribution. */
K_TEMPLATE
vd NAME(normal)(vd x)
{
    return 0.5 * NAME(wide_erfc)(x * -ROOT_HALF);
}

/* (1 + tanh(u)) / 2 = sigmoid(2 u); twice u */
K_TEMPLATE
vd NAME(twice_cubic)(vd x)
{
    return 4 * DENSITY * (x + 0.044715 * x * (x * x));
}

K_TEMPLATE
void NAME(geglu_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[1] = x[1] * NAME(normal)(x[1]);
    y[0] = x[0] * y[1];
}
WIDE(geglu)

K_TEMPLATE
void NAME(geglu_tanh_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[1] = x[1] * NAME(wide_sigmoid)(NAME(twice_cubic)(x[1]));
    y[0] = x[0] * y[1];
}
WIDE(geglu_tanh)

K_TEMPLATE
void NAME(geglu_grad_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    const vd density = DENSITY * NAME(wide_exp)(x[2] * x[2] * -0.5);
    y[0] = x[0] * x[3];
    y[1] = x[0] * x[1] * (NAME(normal)(x[2]) + x[2] * density);
}
WIDE(geglu_grad)

K_TEMPLATE
void NAME(geglu_tanh_grad_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    const vd u = NAME(twice_cubic)(x[2]), square = x[2] * x[2];
    const struct wide_sigmoids p = wide_sigmoids_of(u, NAME(wide_exp)(-vd_abs(u)));
    const vd slope = 4 * DENSITY * (1 + 3 * 0.044715 * square);
    y[0] = x[0] * x[3];
    y[1] = x[0] * x[1] * (p.of_x + x[2] * (p.of_x * p.of_minus_x) * slope);
}
WIDE(geglu_tanh_grad)

/* ---- slopes that are operands ---- */

K_TEMPLATE
void NAME(prelu_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[0] = vd_if(vd_less((vd){0}, x[0]), x[0], x[1] * x[0]);
}
WIDE(prelu)

/* x: gradient, operand, slope; y: of the operand, of its slope */
K_TEMPLATE
void NAME(prelu_grad_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    const vd zero = {0};
    const vd_mask is_positive = vd_less(zero, x[1]);
    y[0] = vd_if(is_positive, x[0], x[2] * x[0]);
    y[1] = vd_if(is_positive, zero, x[1] * x[0]);
}
WIDE(prelu_grad)

/* y: the result, the slope that it has */
K_TEMPLATE
void NAME(rrelu_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    const vd_mask is_negative = vd_less(x[0], (vd){0}) | vd_equal(x[0], (vd){0});
    y[0] = vd_if(is_negative, x[0] * x[1], x[0]);
    y[1] = vd_if(is_negative, x[1], vd_all(1));
}
WIDE(rrelu)
