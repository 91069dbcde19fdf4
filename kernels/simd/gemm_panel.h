/* SPDX-License-Identifier: Apache-2.0 */
/* A panel of the packed weight times a tile of positions. */
#ifndef ACLNN_CPU_KERNELS_SIMD_GEMM_PANEL_H
#define ACLNN_CPU_KERNELS_SIMD_GEMM_PANEL_H

#include "kernels/simd/gemm.h"

static __attribute__((noinline)) void multiply(int rows, const float *a, const float *b,
                                               int64_t depth, float *c, bool add,
                                               struct gemm_ahead ahead)
{
    switch (rows) {
#if K_VECTOR_BYTES == 64
    case 8:
        gemm_block(8, a, b, depth, c, add, ahead);
        break;
    case 7:
        gemm_block(7, a, b, depth, c, add, ahead);
        break;
    case 6:
        gemm_block(6, a, b, depth, c, add, ahead);
        break;
    case 5:
        gemm_block(5, a, b, depth, c, add, ahead);
        break;
#endif
    case 4:
        gemm_block(4, a, b, depth, c, add, ahead);
        break;
    case 3:
        gemm_block(3, a, b, depth, c, add, ahead);
        break;
    case 2:
        gemm_block(2, a, b, depth, c, add, ahead);
        break;
    default:
        gemm_block(1, a, b, depth, c, add, ahead);
        break;
    }
}

#if defined(K_PAIRS)
static __attribute__((noinline)) K_PAIRS_TARGET void multiply_pairs(int rows, const float *a,
                                                                    const float *b, int64_t depth,
                                                                    float *c, bool add,
                                                                    struct gemm_ahead ahead)
{
    if (rows == 8)
        gemm_pairs(8, a, b, depth, c, add, ahead);
    else if (rows >= 4) {
        gemm_pairs(4, a, b, depth, c, add, ahead);
        for (int row = 4; row < rows; row++)
            gemm_pairs(1, a + row, b, depth, c + row * GEMM_COLUMNS, add, ahead);
    } else
        for (int row = 0; row < rows; row++)
            gemm_pairs(1, a + row, b, depth, c + row * GEMM_COLUMNS, add, ahead);
}
#endif

/* All rows of a panel; weight is its first row of the depth's block. */
static void multiply_panel(bool pairs, int64_t rows, const float *weight, const float *columns,
                           int64_t depth, float *sums, bool add, struct gemm_ahead ahead)
{
#if defined(K_PAIRS)
    if (pairs) {
        multiply_pairs((int)rows, weight, columns, conv_up(depth, 2), sums, add, ahead);
        return;
    }
#endif
    for (int64_t row = 0; row < rows; row += GEMM_ROWS)
        multiply((int)(rows - row < GEMM_ROWS ? rows - row : GEMM_ROWS), weight + row, columns,
                 depth, sums + row * GEMM_COLUMNS, add, ahead);
    (void)pairs;
}

#endif
