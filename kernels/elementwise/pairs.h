/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of two real numbers, for f32 and f64; included once for each (numbers.h has the
 * conventions). */

K_TEMPLATE
void NAME(div_trunc)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(map)(FN(trunc), x[0] / x[1]);
}

/* From the exact remainder, as the quotient may round up to an integer; of quotients that round to
 * 0 the sign counts. */
K_TEMPLATE
void NAME(div_floor)(T *y, const T *x, const T *s)
{
    (void)s;
    const T zero = {0}, one = zero + 1, quotient = x[0] / x[1];
    const T rest = NAME(map2)(FN(fmod), x[0], x[1]);
    const MASK below = (rest != 0) & ((rest < 0) ^ (x[1] < 0));
    const T whole = (x[0] - rest) / x[1] - NAME(pick)(below, one, zero);
    const T down = NAME(map)(FN(floor), whole);
    const T nearest = down + NAME(pick)(whole - down > (ELEMENT)0.5, one, zero);
    const T signed_zero =
        NAME(pick)(quotient < 0, -zero, NAME(pick)(quotient == 0, quotient, zero));
    const T finite = NAME(pick)(whole == 0, signed_zero, nearest);
    y[0] = NAME(pick)(x[1] == 0, quotient, finite);
}

K_TEMPLATE
void NAME(fmod)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(map2)(FN(fmod), x[0], x[1]);
}

K_TEMPLATE
void NAME(remainder)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(map2)(FN(remainder), x[0], x[1]);
}

K_TEMPLATE
void NAME(pow)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(map2)(FN(pow), x[0], x[1]);
}

K_TEMPLATE
void NAME(atan2)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(map2)(FN(atan2), x[0], x[1]);
}

/* 0 where x[0] is, whatever the logarithm, unless x[1] is a NaN. */
K_TEMPLATE
void NAME(xlogy)(T *y, const T *x, const T *s)
{
    (void)s;
    const T product = x[0] * NAME(map)(FN(log), x[1]);
    y[0] = NAME(pick)((x[0] == 0) & ~NAME(is_nan)(x[1]), (T){0}, product);
}

/* In double for both types: where the sum is near 0, single precision would lose it. */
K_TEMPLATE
void NAME(logaddexp)(T *y, const T *x, const T *s)
{
    (void)s;
    T value = x[0];
    for (int i = 0; i < (int)(sizeof(T) / sizeof(ELEMENT)); i++)
        value[i] = (ELEMENT)log_add_exp(x[0][i], x[1][i]);
    y[0] = value;
}

K_TEMPLATE
void NAME(logaddexp2)(T *y, const T *x, const T *s)
{
    (void)s;
    T value = x[0];
    for (int i = 0; i < (int)(sizeof(T) / sizeof(ELEMENT)); i++)
        value[i] = (ELEMENT)log_add_exp2(x[0][i], x[1][i]);
    y[0] = value;
}
