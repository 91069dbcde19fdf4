/* SPDX-License-Identifier: Apache-2.0 */
/* to[sum i*to_stride] = from[sum i*from_stride].
 * The destination is walked in rising order. Rows that are contiguous on both sides are memcpy.
 * When the source runs along another axis (a transposition), blocks are transposed into a buffer
 * and written out row by row, so that some lines of memory are read and written at a time. */
#include <string.h>

#include "kernels/copy/k_copy.h"
#include "kernels/vector/transpose.h"

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

/* Whole lines by non-temporal stores. */
static void stream_row(char *to, const char *from, int64_t bytes)
{
    for (int64_t at = 0; at < bytes; at += K_VECTOR_BYTES)
        k_stream(to + at, v_load((const float *)(const void *)(from + at)));
}

K_TEMPLATE
int64_t edge_of(size_t size)
{
    const int64_t edge = (int64_t)(K_COPY_EDGE_BYTES / size);
    return edge < K_COPY_EDGE ? K_COPY_EDGE : edge;
}

/* A strip: `rows` rows of `count` elements, the source contiguous from row to row. */
K_TEMPLATE
void copy_strip(size_t size, bool streams, char *to, int64_t to_row, int64_t to_step,
                const char *from, int64_t from_step, int64_t rows, int64_t count)
{
    enum { LINE = 64, BLOCK_BYTES = K_COPY_EDGE_BYTES * K_COPY_EDGE_BYTES };
    const int64_t bytes = (int64_t)size, edge = edge_of(size);
    _Alignas(LINE) char block[BLOCK_BYTES]; /* block[row][column] */
    for (int64_t column = 0; column < count; column += edge) {
        const int64_t left = count - column;
        const int64_t columns = left < edge ? left : edge;
        const int64_t row_bytes = columns * bytes;
        char *target = to + column * to_step;
        transpose_elements(bytes, from + column * from_step, from_step, block, row_bytes, columns,
                           rows);
        if (to_step == bytes && to_row == row_bytes) {
            memcpy(target, block, (size_t)(rows * row_bytes));
        } else if (streams && (((uintptr_t)target | (uint64_t)to_row | (uint64_t)row_bytes) &
                               (LINE - 1)) == 0) {
            for (int64_t row = 0; row < rows; row++)
                stream_row(target + row * to_row, block + row * row_bytes, row_bytes);
        } else {
            for (int64_t row = 0; row < rows; row++)
                copy_row(size, target + row * to_row, to_step, block + row * row_bytes, bytes,
                         columns);
        }
    }
}

/* Where an item begins on both sides; the offsets of the other axes are found anew per item. */
struct item {
    char *to;
    const char *from;
    int64_t piece;
};

K_TEMPLATE
struct item item_at(size_t size, const struct k_copy *copy, void *const buffers[], int64_t item)
{
    const int64_t bytes = (int64_t)size;
    int64_t rest = item / copy->walk.pieces;
    int64_t to = copy->to_offset, from = copy->from_offset;
    for (int axis = copy->walk.inner - 1; axis >= 0; axis--) {
        if (axis == copy->walk.across) continue;
        const int64_t index = rest % copy->sizes[axis];
        rest /= copy->sizes[axis];
        to += index * copy->to_strides[axis];
        from += index * copy->from_strides[axis];
    }
    return (struct item){.to = (char *)buffers[K_COPY_TO] + to * bytes,
                         .from = (const char *)buffers[K_COPY_FROM] + from * bytes,
                         .piece = item % copy->walk.pieces};
}

K_TEMPLATE
void copy_rows(size_t size, const struct k_copy *copy, void *const buffers[], struct k_slice slice)
{
    const struct k_copy_walk *walk = &copy->walk;
    const int64_t bytes = (int64_t)size;
    const int64_t to_step = walk->inner < 0 ? bytes : copy->to_strides[walk->inner] * bytes;
    const int64_t from_step = walk->inner < 0 ? bytes : copy->from_strides[walk->inner] * bytes;
    for (int64_t i = slice.begin; i < slice.end; i++) {
        const struct item item = item_at(size, copy, buffers, i);
        const int64_t first = item.piece * K_COPY_PIECE, left = walk->row - first;
        copy_row(size, item.to + first * to_step, to_step, item.from + first * from_step, from_step,
                 left < K_COPY_PIECE ? left : K_COPY_PIECE);
    }
}

K_TEMPLATE
void copy_blocks(size_t size, const struct k_copy *copy, void *const buffers[],
                 struct k_slice slice)
{
    const struct k_copy_walk *walk = &copy->walk;
    const int64_t bytes = (int64_t)size, to_row = copy->to_strides[walk->across] * bytes;
    for (int64_t i = slice.begin; i < slice.end; i++) {
        const struct item item = item_at(size, copy, buffers, i);
        const int64_t first = item.piece * walk->block, left = walk->across_size - first;
        copy_strip(size, walk->streams, item.to + first * to_row, to_row,
                   copy->to_strides[walk->inner] * bytes, item.from + first * bytes,
                   copy->from_strides[walk->inner] * bytes, left < walk->block ? left : walk->block,
                   walk->row);
    }
    if (walk->streams) k_stream_end();
}

/* The element's size is a constant in each case. */
#define COPY_BY_SIZE(body, copy, buffers, slice)                                                   \
    switch ((copy)->element_size) {                                                                \
    case 1:                                                                                        \
        body(1, copy, buffers, slice);                                                             \
        break;                                                                                     \
    case 2:                                                                                        \
        body(2, copy, buffers, slice);                                                             \
        break;                                                                                     \
    case 4:                                                                                        \
        body(4, copy, buffers, slice);                                                             \
        break;                                                                                     \
    case 8:                                                                                        \
        body(8, copy, buffers, slice);                                                             \
        break;                                                                                     \
    default:                                                                                       \
        body(16, copy, buffers, slice);                                                            \
        break;                                                                                     \
    }

k_fn K_SYMBOL(copy_strided_rows), K_SYMBOL(copy_strided_blocks);

void K_SYMBOL(copy_strided_rows)(const void *parameters, void *const buffers[],
                                 struct k_slice slice)
{
    const struct k_copy *copy = parameters;
    COPY_BY_SIZE(copy_rows, copy, buffers, slice)
}

void K_SYMBOL(copy_strided_blocks)(const void *parameters, void *const buffers[],
                                   struct k_slice slice)
{
    const struct k_copy *copy = parameters;
    COPY_BY_SIZE(copy_blocks, copy, buffers, slice)
}
