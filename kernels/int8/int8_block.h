/* SPDX-License-Identifier: Apache-2.0 */
/* A panel of packed rows times a tile of packed columns, in registers. */
#ifndef ACLNN_CPU_KERNELS_INT8_INT8_BLOCK_H
#define ACLNN_CPU_KERNELS_INT8_INT8_BLOCK_H

#include "kernels/int8/int8_lanes.h"

/* Holds a value in a register where there are enough of them. */
K_TEMPLATE
vu int8_keep(vu value)
{
#if defined(K_ISA_avx512)
    __asm__("" : "+v"(value));
#endif
    return value;
}

/* sums[row][column] = or += sum over k of a[k][row] * b[k][column], k in words, for the first
 * `width` vectors of a tile; a's rows are K_GEMM_PANEL apart. */
K_TEMPLATE
void int8_block(enum v_quads quads, int rows, int width, const uint32_t *a, const uint32_t *b,
                int64_t depth, struct int8_sums c)
{
    vu sum[GEMM_ROWS][GEMM_WIDTH];
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
        for (int v = 0; v < width; v++)
            sum[r][v] = (vu){0};
    for (int64_t k = 0; k < depth; k++, a += K_GEMM_PANEL, b += GEMM_COLUMNS) {
        vu x[GEMM_WIDTH];
#pragma GCC unroll 3
        for (int v = 0; v < width; v++)
            x[v] = int8_keep(v_load_u(b + v * VL));
#pragma GCC unroll 8
        for (int r = 0; r < rows; r++) {
            const vu w = int8_keep(v_all_u(a[r]));
#pragma GCC unroll 3
            for (int v = 0; v < width; v++) {
#if defined(K_QUADS)
                if (quads != NO_QUADS) {
                    sum[r][v] = v_dot_quads(x[v], w, sum[r][v]);
                    continue;
                }
#endif
                sum[r][v] = v_dot_pairs(x[v], w, sum[r][v]);
            }
        }
    }
    (void)quads;
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
        for (int v = 0; v < width; v++) {
            uint32_t *at = c.at + r * c.apart + v * VL;
            v_store_u(at, c.add ? v_load_u(at) + sum[r][v] : sum[r][v]);
        }
}

/* Rows of a panel, up to a whole one, times the first `width` vectors of a tile. */
K_TEMPLATE
void int8_rows(enum v_quads quads, int rows, int width, const uint32_t *a, const uint32_t *b,
               int64_t depth, struct int8_sums c)
{
    int row = 0;
    for (; row + GEMM_ROWS <= rows; row += GEMM_ROWS, c.at += GEMM_ROWS * c.apart)
        int8_block(quads, GEMM_ROWS, width, a + row, b, depth, c);
    for (; GEMM_ROWS > 4 && row + 4 <= rows; row += 4, c.at += 4 * c.apart)
        int8_block(quads, 4, width, a + row, b, depth, c);
    for (; row + 2 <= rows; row += 2, c.at += 2 * c.apart)
        int8_block(quads, 2, width, a + row, b, depth, c);
    if (row < rows) int8_block(quads, 1, width, a + row, b, depth, c);
}

/* Whole tiles; or only the vectors that hold columns, one or two. */
K_TEMPLATE
void int8_multiply(enum v_quads quads, int rows, int64_t vectors, const uint32_t *a,
                   const uint32_t *b, int64_t depth, struct int8_sums c)
{
#if defined(K_EIGHTS)
    if (quads == CPU_QUADS || quads == CPU_EIGHTS) {
        int8_multiply_lanes(quads, rows, vectors, a, b, depth, c);
        return;
    }
#endif
    if (vectors == 1)
        int8_rows(quads, rows, 1, a, b, depth, c);
    else if (vectors == 2)
        int8_rows(quads, rows, 2, a, b, depth, c);
    else
        int8_rows(quads, rows, GEMM_WIDTH, a, b, depth, c);
}

#endif
