/* SPDX-License-Identifier: Apache-2.0 */
/* Panels times tiles of columns by AArch64's dot products (SDOT) and products of matrices (SMMLA):
 * all of a panel's rows at once, whose sums fit its 32 registers. */
#ifndef ACLNN_CPU_KERNELS_INT8_INT8_LANES_H
#define ACLNN_CPU_KERNELS_INT8_INT8_LANES_H

#include "kernels/gemm/gemm_block.h"
#include "kernels/vector/dots.h"

/* Where sums go: rows `apart` words from each other. */
struct int8_sums {
    uint32_t *at;
    int64_t apart;
    bool add; /* to what is there */
};

#if defined(K_EIGHTS)
K_TEMPLATE
void int8_put(uint32_t *at, bool add, vu sum)
{
    v_store_u(at, add ? v_load_u(at) + sum : sum);
}

/* As int8_block: a vector of a has four rows. */
K_TEMPLATE
void int8_block_of_quads(int rows, int width, const uint32_t *a, const uint32_t *b, int64_t depth,
                         struct int8_sums c)
{
    vu sum[K_GEMM_PANEL][GEMM_WIDTH];
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
        for (int v = 0; v < width; v++)
            sum[r][v] = (vu){0};
    for (int64_t k = 0; k < depth; k++, a += K_GEMM_PANEL, b += GEMM_COLUMNS) {
        vu x[GEMM_WIDTH], w[K_GEMM_PANEL / VL];
#pragma GCC unroll 3
        for (int v = 0; v < width; v++)
            x[v] = v_load_u(b + v * VL);
#pragma GCC unroll 2
        for (int r = 0; r < rows; r += VL)
            w[r / VL] = v_load_u(a + r);
#pragma GCC unroll 8
        for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
            for (int v = 0; v < width; v++)
                sum[r][v] = v_dot_lane(x[v], r % VL, w[r / VL], sum[r][v]);
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
        for (int v = 0; v < width; v++)
            int8_put(c.at + r * c.apart + v * VL, c.add, sum[r][v]);
}

/* The same with rows of eights, of which depth counts words: a vector of sums has two rows and two
 * columns. */
K_TEMPLATE
void int8_block_of_eights(int rows, int width, const uint32_t *a, const uint32_t *b, int64_t depth,
                          struct int8_sums c)
{
    vu sum[K_GEMM_PANEL / 2][2 * GEMM_WIDTH];
#pragma GCC unroll 4
    for (int r = 0; r < rows / 2; r++)
#pragma GCC unroll 6
        for (int v = 0; v < 2 * width; v++)
            sum[r][v] = (vu){0};
    for (int64_t k = 0; k < depth; k += 2, a += 2 * K_GEMM_PANEL, b += 2 * GEMM_COLUMNS) {
        vu x[2 * GEMM_WIDTH];
#pragma GCC unroll 6
        for (int v = 0; v < 2 * width; v++)
            x[v] = v_load_u(b + v * VL);
#pragma GCC unroll 4
        for (int r = 0; r < rows / 2; r++) {
            const vu w = v_load_u(a + r * VL);
#pragma GCC unroll 6
            for (int v = 0; v < 2 * width; v++)
                sum[r][v] = v_dot_eights(w, x[v], sum[r][v]);
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < rows / 2; r++)
#pragma GCC unroll 3
        for (int v = 0; v < width; v++) {
            uint32_t *at = c.at + 2 * r * c.apart + v * VL;
            const vu one = sum[r][2 * v], other = sum[r][2 * v + 1];
            int8_put(at, c.add, v_zip_doubles(0, one, other));
            int8_put(at + c.apart, c.add, v_zip_doubles(1, one, other));
        }
}

K_TEMPLATE
void int8_block_of(enum v_quads quads, int rows, int width, const uint32_t *a, const uint32_t *b,
                   int64_t depth, struct int8_sums c)
{
    if (quads == CPU_EIGHTS)
        int8_block_of_eights(rows, width, a, b, depth, c);
    else
        int8_block_of_quads(rows, width, a, b, depth, c);
}

/* A panel, of which so many rows count: the sums have room for all of them. */
K_TEMPLATE
void int8_panel(enum v_quads quads, int64_t rows, int width, const uint32_t *a, const uint32_t *b,
                int64_t depth, struct int8_sums c)
{
    if (rows > 4)
        int8_block_of(quads, K_GEMM_PANEL, width, a, b, depth, c);
    else if (rows > 2)
        int8_block_of(quads, 4, width, a, b, depth, c);
    else
        int8_block_of(quads, 2, width, a, b, depth, c);
}

/* Whole tiles, or only the vectors that hold columns. */
K_TEMPLATE
void int8_multiply_lanes(enum v_quads quads, int64_t rows, int64_t vectors, const uint32_t *a,
                         const uint32_t *b, int64_t depth, struct int8_sums c)
{
    if (vectors == 1)
        int8_panel(quads, rows, 1, a, b, depth, c);
    else if (vectors == 2)
        int8_panel(quads, rows, 2, a, b, depth, c);
    else
        int8_panel(quads, rows, GEMM_WIDTH, a, b, depth, c);
}
#endif

#endif
