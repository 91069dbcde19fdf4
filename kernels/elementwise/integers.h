/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies for i32 and i64; included once for each (numbers.h has the conventions). Narrower integers
 * are sign- or zero-extended; what is stored is the low bits. */

K_TEMPLATE
void NAME(bitwise_and)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = x[0] & x[1];
}

K_TEMPLATE
void NAME(bitwise_or)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = x[0] | x[1];
}

K_TEMPLATE
void NAME(bitwise_xor)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = x[0] ^ x[1];
}

/* Bits behind the width and negative numbers of them give 0. (The shift of a vector does not trap.)
 */
K_TEMPLATE
void NAME(left_shift)(T *y, const T *x, const T *s)
{
    (void)s;
    const int width = 8 * sizeof(ELEMENT);
    const MASK inside = (x[1] >= 0) & (x[1] < width);
    y[0] = NAME(pick)(inside, x[0] << (x[1] & (width - 1)), (T){0});
}

/* Bits behind the width give the sign; a negative number of them is 0, as CANN says. */
K_TEMPLATE
void NAME(right_shift)(T *y, const T *x, const T *s)
{
    (void)s;
    const int most = 8 * sizeof(ELEMENT) - 1;
    const T shift = NAME(smaller)(NAME(larger)(x[1], (T){0}), (T){0} + most);
    y[0] = x[0] >> shift;
}
