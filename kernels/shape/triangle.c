/* SPDX-License-Identifier: Apache-2.0 */
/* Lower and upper triangles of matrices, row by row. */
#include <string.h>

#include "kernels/shape/k_shape.h"
#include "kernels/vector/instance.h"

/* Elements [begin, end) of a row. */
K_TEMPLATE
void copy_part(int64_t size, char *to, int64_t to_step, const char *from, int64_t from_step,
               int64_t begin, int64_t end)
{
    if (begin >= end) return;
    if (to_step == 1 && from_step == 1)
        memcpy(to + begin * size, from + begin * size, (size_t)((end - begin) * size));
    else
        for (int64_t i = begin; i < end; i++)
            memcpy(to + i * to_step * size, from + i * from_step * size, (size_t)size);
}

K_TEMPLATE
void clear_part(int64_t size, char *to, int64_t to_step, int64_t begin, int64_t end)
{
    if (begin >= end) return;
    if (to_step == 1)
        memset(to + begin * size, 0, (size_t)((end - begin) * size));
    else
        for (int64_t i = begin; i < end; i++)
            memset(to + i * to_step * size, 0, (size_t)size);
}

static int64_t between(int64_t value, int64_t most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

K_TEMPLATE
void rows(int64_t size, const struct k_triangle *t, void *const buffers[], struct k_slice slice)
{
    const int inner = t->rank - 1;
    const int64_t columns = t->sizes[inner];
    const int64_t to_step = t->to_strides[inner], from_step = t->from_strides[inner];
    for (int64_t item = slice.begin; item < slice.end; item++) {
        int64_t rest = item, from_at = 0, to_at = 0;
        const int64_t row = item % t->sizes[inner - 1];
        for (int axis = inner - 1; axis >= 0; axis--) {
            const int64_t index = rest % t->sizes[axis];
            rest /= t->sizes[axis];
            from_at += index * t->from_strides[axis];
            to_at += index * t->to_strides[axis];
        }
        char *to = (char *)buffers[K_TRIANGLE_TO] + to_at * size;
        const char *from = (const char *)buffers[K_TRIANGLE_FROM] + from_at * size;
        /* Lower: columns below the cut stay; upper: those from it on. */
        const int64_t cut = between(row + t->diagonal + !t->is_upper, columns);
        if (!t->is_in_place)
            copy_part(size, to, to_step, from, from_step, t->is_upper ? cut : 0,
                      t->is_upper ? columns : cut);
        clear_part(size, to, to_step, t->is_upper ? 0 : cut, t->is_upper ? cut : columns);
    }
}

void k_triangle(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_triangle *triangle = parameters;
    if (triangle->element_size == 1)
        rows(1, triangle, buffers, slice);
    else if (triangle->element_size == 2)
        rows(2, triangle, buffers, slice);
    else if (triangle->element_size == 4)
        rows(4, triangle, buffers, slice);
    else if (triangle->element_size == 8)
        rows(8, triangle, buffers, slice);
    else
        rows(16, triangle, buffers, slice);
}
