/* SPDX-License-Identifier: Apache-2.0 */
/* to[sum i*to_stride] = from[sum i*from_stride].
 * The destination is walked in rising order. Rows that are contiguous on both sides are memcpy.
 * When the source runs along another axis (a transposition), square blocks of one cache line by one
 * line's worth of rows are gathered line by line into a buffer and written out line by line, so
 * that each line of either side is touched once, and rows a power of two apart do not evict each
 * other while a block is in work. */
#include <string.h>

#include "kernels/copy/copy_plan.h"
#include "kernels/copy/k_copy.h"
#include "kernels/vector/instance.h"

/* One row of `count` elements of the constant size `size`; strides in bytes. */
K_TEMPLATE
void copy_row(size_t size, char *to, int64_t to_step, const char *from, int64_t from_step,
              int64_t count)
{
    const int64_t dense = (int64_t)size;
    if (to_step == dense && from_step == dense) {
        memcpy(to, from, (size_t)count * size);
    } else if (to_step == dense) {
        for (int64_t i = 0; i < count; i++)
            memcpy(to + i * dense, from + i * from_step, size);
    } else {
        for (int64_t i = 0; i < count; i++)
            memcpy(to + i * to_step, from + i * from_step, size);
    }
}

/* A strip: `rows` rows of `count` elements, the source contiguous from row to row. */
K_TEMPLATE
void copy_strip(size_t size, char *to, int64_t to_row, int64_t to_step, const char *from,
                int64_t from_step, int64_t rows, int64_t count)
{
    enum { EDGE = COPY_LINE };
    const int64_t block = (int64_t)(EDGE / size);
    char lines[EDGE * EDGE]; /* lines[column][row] */
    for (int64_t column = 0; column < count; column += block) {
        const int64_t columns = count - column < block ? count - column : block;
        const char *source = from + column * from_step;
        char *target = to + column * to_step;
        if (rows == block && columns == block && to_step == (int64_t)size) {
            for (int64_t i = 0; i < block; i++)
                memcpy(lines + i * EDGE, source + i * from_step, EDGE);
            for (int64_t r = 0; r < block; r++)
                for (int64_t i = 0; i < block; i++)
                    memcpy(target + r * to_row + i * (int64_t)size,
                           lines + i * EDGE + r * (int64_t)size, size);
        } else {
            for (int64_t i = 0; i < columns; i++)
                for (int64_t r = 0; r < rows; r++)
                    memcpy(target + r * to_row + i * to_step,
                           source + i * from_step + r * (int64_t)size, size);
        }
    }
}

/* Items in rising order; the offsets of the other axes are found anew per item. */
K_TEMPLATE
void copy_items(size_t size, const struct k_copy *copy, char *to, const char *from,
                struct k_slice slice)
{
    const struct copy_plan plan = copy_plan(copy);
    const int64_t bytes = (int64_t)size;
    const int64_t to_step = plan.inner < 0 ? bytes : copy->to_strides[plan.inner] * bytes;
    const int64_t from_step = plan.inner < 0 ? bytes : copy->from_strides[plan.inner] * bytes;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t piece = item % plan.pieces;
        int64_t rest = item / plan.pieces, to_offset = 0, from_offset = 0;
        for (int axis = plan.inner - 1; axis >= 0; axis--) {
            if (axis == plan.across) continue;
            const int64_t index = rest % copy->sizes[axis];
            rest /= copy->sizes[axis];
            to_offset += index * copy->to_strides[axis];
            from_offset += index * copy->from_strides[axis];
        }
        char *target = to + to_offset * bytes;
        const char *source = from + from_offset * bytes;
        if (plan.across >= 0) {
            const int64_t first = piece * plan.block, left = plan.across_size - first;
            const int64_t to_row = copy->to_strides[plan.across] * bytes;
            copy_strip(size, target + first * to_row, to_row, to_step, source + first * bytes,
                       from_step, left < plan.block ? left : plan.block, plan.row);
        } else {
            const int64_t first = piece * COPY_PIECE, left = plan.row - first;
            copy_row(size, target + first * to_step, to_step, source + first * from_step, from_step,
                     left < COPY_PIECE ? left : COPY_PIECE);
        }
    }
}

k_fn K_SYMBOL(copy_strided), K_SYMBOL(fill_bytes);

void K_SYMBOL(copy_strided)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_copy *copy = parameters;
    const char *from = buffers[K_COPY_FROM];
    char *to = buffers[K_COPY_TO];
    switch (copy->element_size) {
    case 1:
        copy_items(1, copy, to, from, slice);
        break;
    case 2:
        copy_items(2, copy, to, from, slice);
        break;
    case 4:
        copy_items(4, copy, to, from, slice);
        break;
    case 8:
        copy_items(8, copy, to, from, slice);
        break;
    default:
        copy_items(16, copy, to, from, slice);
        break;
    }
}

void K_SYMBOL(fill_bytes)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_fill *fill = parameters;
    memset((char *)buffers[K_FILL_TO] + fill->skip + slice.begin, fill->value,
           (size_t)(slice.end - slice.begin));
}
