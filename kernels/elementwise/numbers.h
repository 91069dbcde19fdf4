/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies for every compute type; included once for each (as_<type>.h). y: results, x: operands, s:
 * coefficients, all by lanes. Integers wrap. */

/* Lanes of a where the mask is set, of b elsewhere. */
K_TEMPLATE
T NAME(pick)(MASK mask, T a, T b)
{
    return (T)((mask & (MASK)a) | (~mask & (MASK)b));
}

K_TEMPLATE
T NAME(truth)(MASK mask)
{
    return NAME(pick)(mask, (T){0} + 1, (T){0});
}

K_TEMPLATE
void NAME(copy)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = x[0];
}

/* The sign bit of a floating number goes, of a NaN, too; the least integer stays itself. */
K_TEMPLATE
void NAME(abs)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(magnitude)(x[0]);
}

K_TEMPLATE
void NAME(neg)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = -x[0];
}

/* s[0]: alpha */
K_TEMPLATE
void NAME(add)(T *y, const T *x, const T *s)
{
    y[0] = x[0] + s[0] * x[1];
}

K_TEMPLATE
void NAME(sub)(T *y, const T *x, const T *s)
{
    y[0] = x[0] - s[0] * x[1];
}

K_TEMPLATE
void NAME(rsub)(T *y, const T *x, const T *s)
{
    y[0] = x[1] - s[0] * x[0];
}

K_TEMPLATE
void NAME(mul)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = x[0] * x[1];
}

K_TEMPLATE
void NAME(square)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = x[0] * x[0];
}

K_TEMPLATE
void NAME(gt)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(truth)(x[0] > x[1]);
}

K_TEMPLATE
void NAME(eq)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(truth)(x[0] == x[1]);
}

K_TEMPLATE
void NAME(ne)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(truth)(x[0] != x[1]);
}

K_TEMPLATE
void NAME(lt)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(truth)(x[0] < x[1]);
}

K_TEMPLATE
void NAME(le)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(truth)(x[0] <= x[1]);
}

K_TEMPLATE
void NAME(ge)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(truth)(x[0] >= x[1]);
}

K_TEMPLATE
void NAME(where)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(pick)(x[0] != 0, x[1], x[2]);
}

/* s[0]: value */
K_TEMPLATE
void NAME(addcmul)(T *y, const T *x, const T *s)
{
    y[0] = x[0] + s[0] * x[1] * x[2];
}

/* The factor is an operand. */
K_TEMPLATE
void NAME(each_addcmul)(T *y, const T *x, const T *s)
{
    (void)s;
    NAME(addcmul)(y, x, x + 3);
}

K_TEMPLATE
void NAME(sign)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(truth)(x[0] > 0) - NAME(truth)(x[0] < 0);
}

K_TEMPLATE
void NAME(relu)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(pick)(x[0] <= 0, (T){0}, x[0]);
}

K_TEMPLATE
void NAME(is_finite)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(truth)(x[0] - x[0] == 0);
}

K_TEMPLATE
void NAME(is_inf)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(truth)(((x[0] > 0) | (x[0] < 0)) & (x[0] - x[0] != 0));
}

K_TEMPLATE
void NAME(is_neg_inf)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(truth)((x[0] < 0) & (x[0] - x[0] != 0));
}

K_TEMPLATE
void NAME(is_pos_inf)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(truth)((x[0] > 0) & (x[0] - x[0] != 0));
}

/* Of -0 and of a NaN's sign, too. */
K_TEMPLATE
void NAME(signbit)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(truth)((MASK)x[0] < 0);
}

K_TEMPLATE
void NAME(logical_not)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(truth)(x[0] == 0);
}

/* A NaN beats every number; of equal ones the first is kept. */
K_TEMPLATE
T NAME(larger)(T a, T b)
{
    return NAME(pick)((a < b) | NAME(is_nan)(b), b, a);
}

K_TEMPLATE
T NAME(smaller)(T a, T b)
{
    return NAME(pick)((b < a) | NAME(is_nan)(b), b, a);
}

K_TEMPLATE
void NAME(maximum)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(larger)(x[0], x[1]);
}

K_TEMPLATE
void NAME(minimum)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(smaller)(x[0], x[1]);
}

K_TEMPLATE
void NAME(clamp)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(smaller)(NAME(larger)(x[0], x[1]), x[2]);
}

K_TEMPLATE
void NAME(logical_and)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(truth)((x[0] != 0) & (x[1] != 0));
}

K_TEMPLATE
void NAME(logical_or)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(truth)((x[0] != 0) | (x[1] != 0));
}

K_TEMPLATE
void NAME(logical_xor)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(truth)((x[0] != 0) ^ (x[1] != 0));
}

/* s[0]: the value */
K_TEMPLATE
void NAME(masked_fill)(T *y, const T *x, const T *s)
{
    y[0] = NAME(pick)(x[1] != 0, s[0], x[0]);
}

K_TEMPLATE
void NAME(masked_choice)(T *y, const T *x, const T *s)
{
    (void)s;
    y[0] = NAME(pick)(x[1] != 0, x[2], x[0]);
}

/* s: threshold, value */
K_TEMPLATE
void NAME(threshold)(T *y, const T *x, const T *s)
{
    y[0] = NAME(pick)(x[0] <= s[0], s[1], x[0]);
}

/* Gradients: x[0] is that of the result, x[1] the operand. s[0]: threshold */
K_TEMPLATE
void NAME(threshold_grad)(T *y, const T *x, const T *s)
{
    y[0] = NAME(pick)(x[1] <= s[0], (T){0}, x[0]);
}
