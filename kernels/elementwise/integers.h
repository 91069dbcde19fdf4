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

/* ---- quotients: none traps ---- */

/* Towards 0. A division by 0 gives all ones; the least integer by -1 is itself. */
K_TEMPLATE
T NAME(quotient)(T a, T b)
{
    const MASK zero = b == 0, minus = b == -1;
    const T whole = a / NAME(pick)(zero | minus, (T){0} + 1, b);
    return NAME(pick)(zero, (T){0} - 1, NAME(pick)(minus, -a, whole));
}

/* With the sign of a; a itself where b is 0. */
K_TEMPLATE
T NAME(rest)(T a, T b)
{
    return a - NAME(quotient)(a, b) * b;
}

/* Integers have no fraction. */
K_TEMPLATE
void NAME(round_off)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(pick)(x[1] == 7, (T){0}, x[0]);
}

K_TEMPLATE
void NAME(div_trunc)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(quotient)(x[0], x[1]);
}

/* A mask that is set is -1. */
K_TEMPLATE
void NAME(div_floor)(T *y, const T *x, const T *s)
{
    (void)s;
    const T quotient = NAME(quotient)(x[0], x[1]), rest = x[0] - quotient * x[1];
    y[0] = quotient + ((rest != 0) & (x[1] != 0) & ((rest ^ x[1]) < 0));
}

K_TEMPLATE
void NAME(fmod)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(rest)(x[0], x[1]);
}

K_TEMPLATE
void NAME(remainder)(T *y, const T *x, const T *s)
{
    (void)s;
    const T rest = NAME(rest)(x[0], x[1]);
    y[0] = rest + NAME(pick)((rest != 0) & ((rest ^ x[1]) < 0), x[1], (T){0});
}

/* A negative exponent leaves 1 of 1, 1 or -1 of -1, and 0 of others. */
K_TEMPLATE
void NAME(pow)(T *y, const T *x, const T *s)
{
    (void)s;
    T value = x[0];
    for (int i = 0; i < (int)(sizeof(T) / sizeof(ELEMENT)); i++) {
        const int64_t base = x[0][i], exponent = x[1][i];
        uint64_t power = 1, factor = (uint64_t)base;
        for (int64_t rest = exponent; rest > 0; rest >>= 1, factor *= factor)
            if (rest & 1) power *= factor;
        if (exponent < 0 && base != 1) power = base != -1 ? 0 : exponent & 1 ? UINT64_MAX : 1;
        value[i] = (ELEMENT)power;
    }
    y[0] = value;
}

K_TEMPLATE
void NAME(gcd)(T *y, const T *x, const T *s)
{
    (void)s;
    T value = x[0];
    for (int i = 0; i < (int)(sizeof(T) / sizeof(ELEMENT)); i++) {
        uint64_t a = x[0][i] < 0 ? 0 - (uint64_t)x[0][i] : (uint64_t)x[0][i];
        uint64_t b = x[1][i] < 0 ? 0 - (uint64_t)x[1][i] : (uint64_t)x[1][i];
        while (b) {
            const uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        value[i] = (ELEMENT)a;
    }
    y[0] = value;
}

K_TEMPLATE
void NAME(bitwise_not)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = ~x[0];
}
