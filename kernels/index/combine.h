/* SPDX-License-Identifier: Apache-2.0 */
/* Combining values with elements of a table of type T, computed in U, where integers wrap. Included
 * once for each type. */

/* Of integers cut towards 0; by 0 it is 0. */
K_TEMPLATE
T NAME(quotient)(T a, T b)
{
    const bool is_real = (T)0.5 != 0, is_signed = (T)-1 < (T)1;
    if (!is_real && b == 0) return 0;
    if (!is_real && is_signed && b == (T)-1) return (T)(0 - (U)a); /* the least one wraps */
    return (T)(a / b);
}

K_TEMPLATE
T NAME(one)(enum k_combine combine, T a, T b)
{
    switch (combine) {
    case K_ADD:
        return (T)((U)a + (U)b);
    case K_MUL:
        return (T)((U)a * (U)b);
    case K_DIV:
        return NAME(quotient)(a, b);
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
    T *restrict table = (T *)(void *)to;
    const T *restrict values = (const T *)(const void *)from;
    if (to_step == size && from_step == size)
        for (int64_t i = 0; i < count; i++)
            table[i] = NAME(one)(combine, table[i], values[i]);
    else
        for (int64_t i = 0; i < count; i++, to += to_step, from += from_step)
            *(T *)(void *)to =
                NAME(one)(combine, *(const T *)(const void *)to, *(const T *)(const void *)from);
}

static void NAME(run)(enum k_combine combine, char *to, int64_t to_step, const char *from,
                      int64_t from_step, int64_t count)
{
    if (combine == K_SET)
        NAME(all)(K_SET, to, to_step, from, from_step, count);
    else if (combine == K_ADD)
        NAME(all)(K_ADD, to, to_step, from, from_step, count);
    else if (combine == K_MUL)
        NAME(all)(K_MUL, to, to_step, from, from_step, count);
    else if (combine == K_DIV)
        NAME(all)(K_DIV, to, to_step, from, from_step, count);
    else if (combine == K_MAX)
        NAME(all)(K_MAX, to, to_step, from, from_step, count);
    else
        NAME(all)(K_MIN, to, to_step, from, from_step, count);
}

/* Each value at the place of its own index. Returns the first that has none, or -1. */
K_TEMPLATE
int64_t NAME(each)(enum k_combine combine, bool is_wide, const struct line *line)
{
    int64_t bad = -1;
    char *to = line->to;
    const char *from = line->from;
    for (int64_t i = 0; i < line->count; i++, to += line->along, from += line->from_step) {
        int64_t index = is_wide ? ((const int64_t *)line->index)[i * line->index_step]
                                : ((const int32_t *)line->index)[i * line->index_step];
        if (index < 0) index += line->wrap;
        if ((uint64_t)index - (uint64_t)line->begin < (uint64_t)line->places) {
            T *place = (T *)(void *)(to + index * line->step);
            *place = NAME(one)(combine, *place, *(const T *)(const void *)from);
        } else if ((uint64_t)index >= (uint64_t)line->size && bad < 0) {
            bad = i;
        }
    }
    return bad;
}

static int64_t NAME(line)(enum k_combine combine, const struct line *line)
{
    if (combine == K_SET)
        return line->is_wide ? NAME(each)(K_SET, true, line) : NAME(each)(K_SET, false, line);
    if (combine == K_ADD)
        return line->is_wide ? NAME(each)(K_ADD, true, line) : NAME(each)(K_ADD, false, line);
    return NAME(each)(combine, line->is_wide, line);
}

#undef T
#undef U
#undef NAME
