/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies for f32 and f64; included once for each (numbers.h has the conventions). */

K_TEMPLATE
void NAME(div)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = x[0] / x[1];
}

K_TEMPLATE
void NAME(reciprocal)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = 1 / x[0];
}

/* s[0]: scale */
K_TEMPLATE
void NAME(masked_scale)(T *y, const T *x, const T *s)
{
    y[0] = x[0] * x[1] * s[0];
}

/* s[0]: value */
K_TEMPLATE
void NAME(addcdiv)(T *y, const T *x, const T *s)
{
    y[0] = x[0] + s[0] * x[1] / x[2];
}

/* The factor is an operand. */
K_TEMPLATE
void NAME(each_addcdiv)(T *y, const T *x, const T *s)
{
    (void)s;
    NAME(addcdiv)(y, x, x + 3);
}

/* From the nearer end, so that weights of 0 and 1 give the ends. */
K_TEMPLATE
void NAME(lerp)(T *y, const T *x, const T *s)
{
    (void)s;
    const MASK small = NAME(magnitude)(x[2]) < 0.5f;
    const T way = x[1] - x[0];
    y[0] = NAME(pick)(small, x[0] + x[2] * way, x[1] - way * (1 - x[2]));
}

/* s: rtol, atol, equal_nan */
K_TEMPLATE
void NAME(is_close)(T *y, const T *x, const T *s)
{
    const T error = NAME(magnitude)(x[0] - x[1]);
    const T allowed = s[1] + NAME(magnitude)(s[0] * x[1]);
    const MASK both_nan = NAME(is_nan)(x[0]) & NAME(is_nan)(x[1]) & (s[2] != 0);
    const MASK near = (error <= allowed) & (error < INFINITY);
    y[0] = NAME(truth)((x[0] == x[1]) | both_nan | near);
}

/* Gradients: x[0] is that of the result, x[1] the operand. */

/* s[0]: slope */
K_TEMPLATE
void NAME(leaky_relu_grad)(T *y, const T *x, const T *s)
{
    y[0] = NAME(pick)(x[1] > 0, x[0], x[0] * s[0]);
}

/* s: minimum, maximum */
K_TEMPLATE
void NAME(hardtanh_grad)(T *y, const T *x, const T *s)
{
    y[0] = NAME(pick)((x[1] <= s[0]) | (x[1] >= s[1]), (T){0}, x[0]);
}

/* s[0]: lambda */
K_TEMPLATE
void NAME(shrink_grad)(T *y, const T *x, const T *s)
{
    y[0] = NAME(pick)((x[1] >= -s[0]) & (x[1] <= s[0]), (T){0}, x[0]);
}

K_TEMPLATE
void NAME(hardsigmoid_grad)(T *y, const T *x, const T *s)
{
    (void)s;
    const T sixth = (T){0} + (ELEMENT)1 / 6;
    y[0] = NAME(pick)((x[1] > -3) & (x[1] < 3), x[0] * sixth, (T){0});
}

K_TEMPLATE
void NAME(hardswish_grad)(T *y, const T *x, const T *s)
{
    (void)s;
    const T inner = x[0] * (x[1] / 3 + (ELEMENT)0.5);
    y[0] = NAME(pick)(x[1] <= -3, (T){0}, NAME(pick)(x[1] < 3, inner, x[0]));
}
