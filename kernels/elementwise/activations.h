/* SPDX-License-Identifier: Apache-2.0 */
/* Activations and their gradients, for f32 and f64; included once for each (numbers.h has the
 * conventions). Of a gradient x[0] is that of the result and x[1] the operand, or the result. */

K_TEMPLATE
void NAME(leaky_relu)(T *y, const T *x, const T *s)
{
    y[0] = NAME(pick)(x[0] > 0, x[0], x[0] * s[0]);
}

/* x + 3 between 0 and 6; a NaN stays. */
K_TEMPLATE
T NAME(six)(T x)
{
    const T six = (T){0} + 6, sum = x + 3;
    return NAME(pick)(sum < 0, (T){0}, NAME(pick)(sum > 6, six, sum));
}

K_TEMPLATE
void NAME(hardsigmoid)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(six)(x[0]) / 6;
}

K_TEMPLATE
void NAME(hardswish)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = x[0] * NAME(six)(x[0]) / 6;
}

/* s[0]: lambda */
K_TEMPLATE
void NAME(hardshrink)(T *y, const T *x, const T *s)
{
    y[0] = NAME(pick)((x[0] >= -s[0]) & (x[0] <= s[0]), (T){0}, x[0]);
}

/* A NaN stays. */
K_TEMPLATE
void NAME(softshrink)(T *y, const T *x, const T *s)
{
    const T zero = {0}, inner = NAME(pick)(NAME(is_nan)(x[0]), x[0], zero);
    const T above = NAME(pick)(x[0] > s[0], x[0] - s[0], inner);
    y[0] = NAME(pick)(x[0] < -s[0], x[0] + s[0], above);
}

/* s: lambda, bias */
K_TEMPLATE
void NAME(shrink)(T *y, const T *x, const T *s)
{
    const T zero = {0}, inner = NAME(pick)(NAME(is_nan)(x[0]), x[0], zero);
    const T above = NAME(pick)(x[0] > s[0], x[0] - s[1], inner);
    y[0] = NAME(pick)(x[0] < -s[0], x[0] + s[1], above);
}

K_TEMPLATE
void NAME(sigmoid_grad)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = x[0] * (1 - x[1]) * x[1];
}

K_TEMPLATE
void NAME(tanh_grad)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = x[0] * (1 - x[1] * x[1]);
}

K_TEMPLATE
void NAME(log_sigmoid)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = -NAME(map)(FN(softplus), -x[0]);
}

K_TEMPLATE
void NAME(gelu_grad)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = x[0] * NAME(map)(FN(gelu_slope), x[1]);
}

/* ---- in double ---- */

#undef WIDE
#define WIDE(core, operands, numbers)                                                              \
    K_TEMPLATE                                                                                     \
    void NAME(core)(T * y, const T *x, const T *s)                                                 \
    {                                                                                              \
        y[0] = NAME(in_double)(NAME(core##_wide), operands, numbers, x, s);                        \
    }

/* s[0]: beta */
K_TEMPLATE
vd NAME(swish_wide)(const vd *x, const vd *s)
{
    return x[0] * NAME(wide_sigmoid)(s[0] * x[0]);
}
WIDE(swish, 1, 1)

K_TEMPLATE
vd NAME(swish_grad_wide)(const vd *x, const vd *s)
{
    const vd u = s[0] * x[1], sigmoid = NAME(wide_sigmoid)(u);
    return x[0] * (sigmoid * (1 + u * (1 - sigmoid)));
}
WIDE(swish_grad, 2, 1)

/* As (1 + tanh(u)) / 2 = sigmoid(2 u). */
K_TEMPLATE
vd NAME(gelu_tanh_grad_wide)(const vd *x, const vd *s)
{
    (void)s;
    const double twice = 2 * 0x1.9884533d43651p-1, cubic = 0.044715;
    const vd square = x[1] * x[1];
    const vd sigmoid = NAME(wide_sigmoid)(twice * (x[1] + cubic * x[1] * square));
    const vd slope = twice * (1 + 3 * cubic * square);
    return x[0] * (sigmoid + x[1] * (sigmoid * (1 - sigmoid)) * slope);
}
WIDE(gelu_tanh_grad, 2, 0)

K_TEMPLATE
vd NAME(mish_grad_wide)(const vd *x, const vd *s)
{
    (void)s;
    const vd tanh = NAME(wide_tanh_softplus)(x[1]), sigmoid = NAME(wide_sigmoid)(x[1]);
    return x[0] * (tanh + x[1] * (sigmoid * (1 - tanh * tanh)));
}
WIDE(mish_grad, 2, 0)

/* s: alpha, scale, input scale */
K_TEMPLATE
vd NAME(elu_wide)(const vd *x, const vd *s)
{
    const vd below = s[0] * s[1] * NAME(wide_expm1)(x[0] * s[2]);
    return vd_if(vd_less(x[0], (vd){0}), below, x[0] * s[1]);
}
WIDE(elu, 1, 3)

K_TEMPLATE
vd NAME(elu_grad_wide)(const vd *x, const vd *s)
{
    const vd below = s[0] * s[1] * s[2] * NAME(wide_exp)(x[1] * s[2]);
    return x[0] * vd_if(vd_less((vd){0}, x[1]), s[1], below);
}
WIDE(elu_grad, 2, 3)

/* x[1]: the result; s[3]: the number above which it is that of a positive operand */
K_TEMPLATE
vd NAME(elu_result_grad_wide)(const vd *x, const vd *s)
{
    const vd below = s[2] * (x[1] + s[0] * s[1]);
    return x[0] * vd_if(vd_less(s[3], x[1]), s[1], below);
}
WIDE(elu_result_grad, 2, 4)

/* s: beta, threshold */
K_TEMPLATE
vd NAME(softplus_wide)(const vd *x, const vd *s)
{
    const vd u = x[0] * s[0];
    return vd_if(vd_less(s[1], u), x[0], NAME(wide_softplus)(u) / s[0]);
}
WIDE(softplus, 1, 2)

K_TEMPLATE
vd NAME(softplus_grad_wide)(const vd *x, const vd *s)
{
    const vd u = x[1] * s[0];
    return x[0] * vd_if(vd_less(s[1], u), vd_all(1), NAME(wide_sigmoid)(u));
}
WIDE(softplus_grad, 2, 2)

K_TEMPLATE
vd NAME(log_sigmoid_grad_wide)(const vd *x, const vd *s)
{
    (void)s;
    return x[0] * NAME(wide_sigmoid)(-x[1]);
}
WIDE(log_sigmoid_grad, 2, 0)

/* s[0]: eps; a negative one bounds nothing */
K_TEMPLATE
vd NAME(logit_wide)(const vd *x, const vd *s)
{
    const vd eps = s[0], most = 1 - eps;
    const vd lower = vd_if(vd_less(x[0], eps), eps, vd_if(vd_less(most, x[0]), most, x[0]));
    const vd z = vd_if(vd_less(eps, (vd){0}), x[0], lower);
    return NAME(wide_log)(z / (1 - z));
}
WIDE(logit, 1, 1)

/* x[0]: the operand, x[1]: the result's gradient */
K_TEMPLATE
vd NAME(logit_grad_wide)(const vd *x, const vd *s)
{
    const vd zero = {0}, one = vd_all(1), eps = s[0];
    const vd_mask is_free = vd_less(eps, zero);
    const vd least = vd_if(is_free, zero, eps), most = vd_if(is_free, one, 1 - eps);
    const vd outside = vd_if(is_free, vd_all(NAN), zero);
    const vd inner = x[1] / (x[0] * (1 - x[0]) + zero);
    return vd_if(vd_less(x[0], least) | vd_less(most, x[0]), outside, inner);
}
WIDE(logit_grad, 2, 1)
