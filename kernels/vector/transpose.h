/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of elements the other way round. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_TRANSPOSE_H
#define ACLNN_CPU_KERNELS_VECTOR_TRANSPOSE_H

#include "kernels/vector/simd.h"

/* VL vectors become VL vectors, the other way round. Each step is a perfect shuffle of all
 * elements; as many as the width has bits make the transposition. */
K_TEMPLATE
void v_transpose(vf a[VL])
{
    vf b[VL];
#pragma GCC unroll 2
    for (int step = 1; step < VL; step *= 4) {
#pragma GCC unroll 8
        for (int i = 0; i < VL / 2; i++) {
            b[2 * i] = v_zip(0, a[i], a[i + VL / 2]);
            b[2 * i + 1] = v_zip(1, a[i], a[i + VL / 2]);
        }
        if (step * 2 >= VL) { /* an odd number of steps */
#pragma GCC unroll 16
            for (int i = 0; i < VL; i++)
                a[i] = b[i];
            break;
        }
#pragma GCC unroll 8
        for (int i = 0; i < VL / 2; i++) {
            a[2 * i] = v_zip(0, b[i], b[i + VL / 2]);
            a[2 * i + 1] = v_zip(1, b[i], b[i + VL / 2]);
        }
    }
}

/* Eight vectors as 8 rows of VL become VL rows of 8. */
K_TEMPLATE
void transpose_eight(vf a[8])
{
    vf b[8];
#pragma GCC unroll 3
    for (int step = 0; step < 3; step++) {
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) {
            b[2 * i] = v_zip(0, a[i], a[i + 4]);
            b[2 * i + 1] = v_zip(1, a[i], a[i + 4]);
        }
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++)
            a[i] = b[i];
    }
}

/* VL rows of VL floats, `from_row` apart, become VL rows, `to_row` apart, the other way round; rows
 * are written in order. */
static __attribute__((noinline, unused)) void transpose(const float *from, int64_t from_row,
                                                        float *to, int64_t to_row)
{
    vf a[VL];
#pragma GCC unroll 16
    for (int i = 0; i < VL; i++)
        a[i] = v_load(from + i * from_row);
    v_transpose(a);
#pragma GCC unroll 16
    for (int i = 0; i < VL; i++)
        v_store(to + i * to_row, a[i]);
}

/* ---- elements of 1, 2, 4 or 8 bytes, 16 bytes at a time ---- */

typedef uint8_t v16_bytes __attribute__((vector_size(16)));
typedef uint16_t v16_words __attribute__((vector_size(16)));
typedef uint32_t v16_doubles __attribute__((vector_size(16)));
typedef uint64_t v16_quads __attribute__((vector_size(16)));

/* The lower or upper halves of a and b, their elements alternating. */
K_TEMPLATE
v16_bytes v16_zip(int64_t size, bool upper, v16_bytes a, v16_bytes b)
{
    if (size == 1)
        return upper ? __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29,
                                               14, 30, 15, 31)
                     : __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6,
                                               22, 7, 23);
    if (size == 2) {
        const v16_words x = (v16_words)a, y = (v16_words)b;
        return (v16_bytes)(upper ? __builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15)
                                 : __builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11));
    }
    if (size == 4) {
        const v16_doubles x = (v16_doubles)a, y = (v16_doubles)b;
        return (v16_bytes)(upper ? __builtin_shufflevector(x, y, 2, 6, 3, 7)
                                 : __builtin_shufflevector(x, y, 0, 4, 1, 5));
    }
    const v16_quads x = (v16_quads)a, y = (v16_quads)b;
    return (v16_bytes)(upper ? __builtin_shufflevector(x, y, 1, 3)
                             : __builtin_shufflevector(x, y, 0, 2));
}

/* 16 / size rows of 16 bytes; rows are so many bytes apart. */
K_TEMPLATE
void transpose_square(int64_t size, const char *from, int64_t from_row, char *to, int64_t to_row)
{
    const int edge = (int)(16 / size);
    v16_bytes a[16], b[16];
#pragma GCC unroll 16
    for (int i = 0; i < edge; i++)
        memcpy(&a[i], from + i * from_row, 16);
#pragma GCC unroll 4
    for (int step = 1; step < edge; step *= 2) {
#pragma GCC unroll 8
        for (int i = 0; i < edge / 2; i++) {
            b[2 * i] = v16_zip(size, false, a[i], a[i + edge / 2]);
            b[2 * i + 1] = v16_zip(size, true, a[i], a[i + edge / 2]);
        }
#pragma GCC unroll 16
        for (int i = 0; i < edge; i++)
            a[i] = b[i];
    }
#pragma GCC unroll 16
    for (int i = 0; i < edge; i++)
        memcpy(to + i * to_row, &a[i], 16);
}

/* to[column][row] = from[row][column]; rows of both sides are so many bytes apart. */
K_TEMPLATE
void transpose_elements(int64_t size, const char *from, int64_t from_row, char *to, int64_t to_row,
                        int64_t rows, int64_t columns)
{
    const int64_t edge = 16 / size, whole_rows = rows / edge * edge;
    const int64_t whole_columns = columns / edge * edge;
    for (int64_t row = 0; row < whole_rows; row += edge)
        for (int64_t column = 0; column < whole_columns; column += edge)
            transpose_square(size, from + row * from_row + column * size, from_row,
                             to + column * to_row + row * size, to_row);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t column = row < whole_rows ? whole_columns : 0; column < columns; column++)
            memcpy(to + column * to_row + row * size, from + row * from_row + column * size,
                   (size_t)size);
}

#endif
