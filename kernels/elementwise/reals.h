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
