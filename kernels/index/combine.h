/* SPDX-License-Identifier: Apache-2.0 */
/* Combining values with elements of a table of type T, computed in U, where integers wrap. Included
 * once for each type. */

K_TEMPLATE
T NAME(one)(enum k_combine combine, T a, T b)
{
    switch (combine) {
    case K_ADD:
        return (T)((U)a + (U)b);
    case K_MUL:
        return (T)((U)a * (U)b);
    case K_MAX: /* a NaN stays */
        return a > b ? a : b >= a ? b : (T)((U)a + (U)b);
    case K_MIN:
        return a < b ? a : b <= a ? b : (T)((U)a + (U)b);
    default:
        return b;
    }
}

K_TEMPLATE
void NAME(all)(enum k_combine combine, char *to, int64_t to_step, const char *from,
               int64_t from_step, int64_t count)
{
    const int64_t size = (int64_t)sizeof(T);
    T *restrict table = (T *)to;
    const T *restrict values = (const T *)from;
    if (to_step == size && from_step == size)
        for (int64_t i = 0; i < count; i++)
            table[i] = NAME(one)(combine, table[i], values[i]);
    else
        for (int64_t i = 0; i < count; i++, to += to_step, from += from_step)
            *(T *)to = NAME(one)(combine, *(const T *)to, *(const T *)from);
}

static void NAME(run)(enum k_combine combine, char *to, int64_t to_step, const char *from,
                      int64_t from_step, int64_t count)
{
    if (combine == K_ADD)
        NAME(all)(K_ADD, to, to_step, from, from_step, count);
    else if (combine == K_MUL)
        NAME(all)(K_MUL, to, to_step, from, from_step, count);
    else if (combine == K_MAX)
        NAME(all)(K_MAX, to, to_step, from, from_step, count);
    else
        NAME(all)(K_MIN, to, to_step, from, from_step, count);
}

#undef T
#undef U
#undef NAME
