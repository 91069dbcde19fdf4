/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of complex numbers, for f32 and f64; included once for each. Parts alternate: x[0] and
 * x[1] are the real and the imaginary part of the first operand, y[0] and y[1] of the result. What
 * is f32 is computed in double and rounded once. */

/* a + alpha b; s: alpha */
K_TEMPLATE
void NAME(complex_add_wide)(vd *y, const vd *x, const vd *s)
{
    y[0] = x[0] + (s[0] * x[2] - s[1] * x[3]);
    y[1] = x[1] + (s[0] * x[3] + s[1] * x[2]);
}
WIDE(complex_add)

/* As defined: infinite parts are not looked at. */
K_TEMPLATE
void NAME(complex_mul_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[0] = x[0] * x[2] - x[1] * x[3];
    y[1] = x[0] * x[3] + x[1] * x[2];
}
WIDE(complex_mul)

/* Smith's method, by the larger part of the divisor; by 0 both parts are divided on their own. */
K_TEMPLATE
void NAME(complex_div_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    const vd zero = {0};
    const vd_mask swaps = vd_less(vd_abs(x[2]), vd_abs(x[3]));
    const vd large = vd_if(swaps, x[3], x[2]), small = vd_if(swaps, x[2], x[3]);
    const vd a = vd_if(swaps, x[1], x[0]), b = vd_if(swaps, x[0], x[1]);
    const vd_mask by_zero = vd_equal(large, zero) & vd_equal(small, zero);
    const vd ratio = small / large, scale = 1 / (large + small * ratio),
             inverse = 1 / vd_abs(large);
    const vd product = a * ratio, difference = vd_if(swaps, product - b, b - product);
    y[0] = vd_if(by_zero, x[0] * inverse, (a + b * ratio) * scale);
    y[1] = vd_if(by_zero, x[1] * inverse, difference * scale);
}
WIDE(complex_div)

/* x: the gradient of the result, the result: times the conjugate of (1 - result) result */
K_TEMPLATE
void NAME(complex_sigmoid_grad_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    const vd rest = 1 - x[2], real = rest * x[2] + x[3] * x[3];
    const vd imaginary = rest * x[3] - x[3] * x[2];
    y[0] = x[0] * real + x[1] * imaginary;
    y[1] = x[1] * real - x[0] * imaginary;
}
WIDE(complex_sigmoid_grad)

K_TEMPLATE
vd NAME(complex_truth)(vd_mask mask)
{
    return vd_if(mask, vd_all(1), (vd){0});
}

K_TEMPLATE
vd_mask NAME(complex_equal)(const vd *x)
{
    return vd_equal(x[0], x[2]) & vd_equal(x[1], x[3]);
}

/* Of the i-th operand: whether it is 0. */
K_TEMPLATE
vd_mask NAME(complex_is_zero)(const vd *x, int i)
{
    return vd_equal(x[2 * i], (vd){0}) & vd_equal(x[2 * i + 1], (vd){0});
}

K_TEMPLATE
void NAME(complex_eq_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[0] = NAME(complex_truth)(NAME(complex_equal)(x));
}
WIDE(complex_eq)

K_TEMPLATE
void NAME(complex_ne_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[0] = NAME(complex_truth)(~NAME(complex_equal)(x));
}
WIDE(complex_ne)

K_TEMPLATE
void NAME(complex_and_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[0] = NAME(complex_truth)(~(NAME(complex_is_zero)(x, 0) | NAME(complex_is_zero)(x, 1)));
}
WIDE(complex_and)

K_TEMPLATE
void NAME(complex_or_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[0] = NAME(complex_truth)(~(NAME(complex_is_zero)(x, 0) & NAME(complex_is_zero)(x, 1)));
}
WIDE(complex_or)

K_TEMPLATE
void NAME(complex_xor_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[0] = NAME(complex_truth)(NAME(complex_is_zero)(x, 0) ^ NAME(complex_is_zero)(x, 1));
}
WIDE(complex_xor)

K_TEMPLATE
void NAME(complex_abs)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(map2)(FN(hypot), x[0], x[1]);
}

K_TEMPLATE
void NAME(complex_angle)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(map2)(FN(atan2), x[1], x[0]);
}

/* x: the parts */
K_TEMPLATE
void NAME(complex_join)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = x[0];
    y[1] = x[1];
}

/* x: the magnitude, the angle */
K_TEMPLATE
void NAME(complex_polar_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    vd cosine = x[1], sine = x[1];
    for (int i = 0; i < (int)(sizeof sine / sizeof sine[0]); i++) {
        cosine[i] = cos(x[1][i]);
        sine[i] = sin(x[1][i]);
    }
    y[0] = x[0] * cosine;
    y[1] = x[0] * sine;
}
WIDE(complex_polar)

/* z / |z|, of 0 itself */
K_TEMPLATE
void NAME(complex_sign_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    const vd zero = {0};
    vd size = zero;
    for (int i = 0; i < (int)(sizeof size / sizeof size[0]); i++)
        size[i] = hypot(x[0][i], x[1][i]);
    const vd_mask is_zero = vd_equal(size, zero);
    y[0] = vd_if(is_zero, zero, x[0] / size);
    y[1] = vd_if(is_zero, zero, x[1] / size);
}
WIDE(complex_sign)

/* s[0]: which one */
K_TEMPLATE
void NAME(complex_function_wide)(vd *y, const vd *x, const vd *s)
{
    const enum k_complex_function function = (enum k_complex_function)s[0][0];
    vd real = x[0], imaginary = x[1];
    for (int i = 0; i < (int)(sizeof *x / sizeof x[0][0]); i++) {
        double value[] = {x[0][i], x[1][i]};
        k_complex_apply(function, value);
        real[i] = value[0];
        imaginary[i] = value[1];
    }
    y[0] = real;
    y[1] = imaginary;
}
WIDE(complex_function)

/* s[0]: whether 0 to the power of 0 is 1 */
K_TEMPLATE
void NAME(complex_pow_wide)(vd *y, const vd *x, const vd *s)
{
    vd real = x[0], imaginary = x[1];
    for (int i = 0; i < (int)(sizeof *x / sizeof x[0][0]); i++) {
        double value[] = {x[0][i], x[1][i]};
        k_complex_power(value, (const double[]){x[2][i], x[3][i]}, s[0][0] != 0);
        real[i] = value[0];
        imaginary[i] = value[1];
    }
    y[0] = real;
    y[1] = imaginary;
}
WIDE(complex_pow)

/* Of a real number: pi if it is negative. */
K_TEMPLATE
void NAME(real_angle_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    const vd angle = vd_if(vd_less(x[0], (vd){0}), vd_all(WIDE_PI), (vd){0});
    y[0] = vd_if(vd_equal(x[0], x[0]), angle, x[0]);
}
WIDE(real_angle)
