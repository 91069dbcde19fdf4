/* SPDX-License-Identifier: Apache-2.0 */
/* values[i] = table[i, place of i]. Rows of the last axis: one place for the whole row, which is
 * then copied, or one for each element. */
#include "kernels/index/walk.h"

enum { AHEAD = 4, PREFETCH_BYTES = 512 }; /* rows that are fetched before they are copied */

/* Does no index depend on the last axis? */
static bool has_rows(const struct k_index *p)
{
    for (int k = 0; k < p->count; k++)
        if (p->index[k].strides[p->rank - 1] != 0) return false;
    return true;
}

K_TEMPLATE
void copy_row(int64_t size, const struct k_index *p, void *const buffers[], const struct walk *walk,
              int64_t count)
{
    const int last = p->rank - 1;
    char *to = (char *)buffers[K_INDEX_VALUES] + walk->values * size;
    const int64_t to_step = p->value_strides[last] * size;
    const int64_t place = walk_place(p, walk, buffers);
    const char *from = (const char *)buffers[K_INDEX_TABLE] + place * size;
    if (__builtin_expect(place < 0, 0))
        for (int64_t i = 0; i < count; i++)
            memset(to + i * to_step, 0, (size_t)size);
    else
        walk_copy(size, to, to_step, from, p->table_strides[last] * size, count);
}

/* One index tensor, whose elements differ along the row. */
K_TEMPLATE
void gather_row(int64_t size, bool is_wide, const struct k_index *p, void *const buffers[],
                const struct walk *walk, int64_t count)
{
    const int last = p->rank - 1;
    const struct k_index_tensor *tensor = &p->index[0];
    const char *table = (const char *)buffers[K_INDEX_TABLE] + walk->table * size;
    char *to = (char *)buffers[K_INDEX_VALUES] + walk->values * size;
    const char *index = (const char *)buffers[K_INDEX_FIRST] + walk->at[0] * (is_wide ? 8 : 4);
    const int64_t to_step = p->value_strides[last] * size, step = tensor->step * size;
    const int64_t along = p->table_strides[last] * size, index_step = tensor->strides[last];
    const int64_t wrap = p->wraps ? tensor->size : 0;
    for (int64_t i = 0; i < count; i++, to += to_step, table += along) {
        int64_t at = is_wide ? ((const int64_t *)(const void *)index)[i * index_step]
                             : ((const int32_t *)(const void *)index)[i * index_step];
        if (at < 0) at += wrap;
        if (__builtin_expect((uint64_t)at < (uint64_t)tensor->size, 1)) {
            memcpy(to, table + at * step, (size_t)size);
        } else {
            walk_note(p, buffers, walk->number + i * p->number_strides[last], 0);
            memset(to, 0, (size_t)size);
        }
    }
}

/* Several index tensors. */
K_TEMPLATE
void gather_each(int64_t size, const struct k_index *p, void *const buffers[], struct walk walk,
                 int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        copy_row(size, p, buffers, &walk, 1);
        walk_along(p, &walk, p->rank - 1, 1);
    }
}

/* The row that is copied some steps later begins to come. */
K_TEMPLATE
void fetch(int64_t size, const struct k_index *p, void *const buffers[], const struct walk *walk,
           int64_t count)
{
    const struct k_index_tensor *tensor = &p->index[0];
    const int axis = p->rank - 2;
    const int64_t index =
        walk_index(p, tensor, buffers[K_INDEX_FIRST], walk->at[0] + AHEAD * tensor->strides[axis]);
    const char *row = (const char *)buffers[K_INDEX_TABLE] +
                      (walk->table + AHEAD * p->table_strides[axis] + index * tensor->step) * size;
    const int64_t bytes = count * size < PREFETCH_BYTES ? count * size : PREFETCH_BYTES;
    if (index < 0) return;
    for (int64_t i = 0; i < bytes; i += 64)
        __builtin_prefetch(row + i, 0, 3);
}

/* `rows` rows one after the other along the axis before the last. */
K_TEMPLATE
void gather_rows(int64_t size, const struct k_index *p, void *const buffers[], struct walk walk,
                 int64_t rows, int64_t count)
{
    const bool is_copy = has_rows(p), one = p->count == 1;
    const bool fetches =
        is_copy && one && p->rank > 1 && p->table_strides[p->rank - 1] == 1 && p->pieces == 1;
    for (int64_t row = 0; row < rows; row++) {
        if (fetches && row + AHEAD < rows) fetch(size, p, buffers, &walk, count);
        if (is_copy)
            copy_row(size, p, buffers, &walk, count);
        else if (!one)
            gather_each(size, p, buffers, walk, count);
        else if (p->index[0].is_wide)
            gather_row(size, true, p, buffers, &walk, count);
        else
            gather_row(size, false, p, buffers, &walk, count);
        if (p->rank > 1) walk_along(p, &walk, p->rank - 2, 1);
    }
}

static void gather_slice(int64_t size, const struct k_index *p, void *const buffers[],
                         struct k_slice slice)
{
    const int last = p->rank - 1;
    const int64_t along = p->rank > 1 ? p->sizes[last - 1] : 1;
    for (int64_t item = slice.begin; item < slice.end;) {
        struct walk walk = walk_begin(p);
        const int64_t row = item / p->pieces, begin = item % p->pieces * p->piece;
        const int64_t rest = p->sizes[last] - begin, count = rest < p->piece ? rest : p->piece;
        int64_t rows = 1;
        walk_to(p, &walk, 0, last, row);
        walk_along(p, &walk, last, begin);
        if (p->pieces == 1) {
            rows = along - row % along;
            if (rows > slice.end - item) rows = slice.end - item;
        }
        if (size == 1)
            gather_rows(1, p, buffers, walk, rows, count);
        else if (size == 2)
            gather_rows(2, p, buffers, walk, rows, count);
        else if (size == 4)
            gather_rows(4, p, buffers, walk, rows, count);
        else if (size == 8)
            gather_rows(8, p, buffers, walk, rows, count);
        else
            gather_rows(16, p, buffers, walk, rows, count);
        item += rows;
    }
}

void k_gather(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_index *p = parameters;
    gather_slice(p->element_size, p, buffers, slice);
}
