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

/* s[0]: divisor */
K_TEMPLATE
void NAME(sum_quotient)(T *y, const T *x, const T *s)
{
    y[0] = (x[0] + x[1]) / s[0];
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

/* s: what replaces NaN, infinity, -infinity */
K_TEMPLATE
void NAME(nan_to_num)(T *y, const T *x, const T *s)
{
    const T finite = NAME(pick)(x[0] == INFINITY, s[1], NAME(pick)(x[0] == -INFINITY, s[2], x[0]));
    y[0] = NAME(pick)(NAME(is_nan)(x[0]), s[0], finite);
}

K_TEMPLATE
void NAME(frac)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = x[0] - NAME(map)(FN(trunc), x[0]);
}

/* x[1]: 1 to the nearest, 2 down, 3 up, 4 as 1 but ties away from 0, 5 towards 0, 6 to the odd
 * neighbour, 7 the fraction; else as it is. */
K_TEMPLATE
void NAME(round_off)(T *y, const T *x, const T *s)
{
    const T down = NAME(map)(FN(floor), x[0]), up = NAME(map)(FN(ceil), x[0]);
    const T whole = NAME(map)(FN(trunc), x[0]), left = x[0] - whole, half = down / 2;
    const T next = whole + NAME(pick)(x[0] < 0, (T){0} - 1, (T){0} + 1);
    const MASK is_down = (down == x[0]) | (NAME(map)(FN(floor), half) != half);
    const T results[] = {NAME(map)(FN(round), x[0]),
                         down,
                         up,
                         NAME(pick)(NAME(magnitude)(left) >= (ELEMENT)0.5, next, whole),
                         whole,
                         NAME(pick)(is_down, down, up),
                         left};
    (void)s;
    y[0] = x[0];
    for (int i = 0; i < 7; i++)
        y[0] = NAME(pick)(x[1] == (ELEMENT)(i + 1), results[i], y[0]);
}

/* s: a power of ten, and whether numbers are rounded to multiples of it, not of its reciprocal */
K_TEMPLATE
void NAME(round_decimals)(T *y, const T *x, const T *s)
{
    const MASK is_multiple = s[1] != 0;
    const T whole = NAME(map)(FN(round), NAME(pick)(is_multiple, x[0] / s[0], x[0] * s[0]));
    y[0] = NAME(pick)(is_multiple, whole * s[0], whole / s[0]);
}

/* What is left of the nearest integer is exact, so zeros are where they should be. */
K_TEMPLATE
void NAME(sinc)(T *y, const T *x, const T *s)
{
    (void)s;
    const ELEMENT pi = (ELEMENT)0x1.921fb54442d18p+1;
    const T near = NAME(map)(FN(round), x[0]), half = near / 2;
    const T sine = NAME(map)(FN(sin), pi * (x[0] - near));
    const MASK is_odd = NAME(map)(FN(floor), half) != half;
    y[0] = NAME(pick)(x[0] == 0, (T){0} + 1, NAME(pick)(is_odd, -sine, sine) / (pi * x[0]));
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
