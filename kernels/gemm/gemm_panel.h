/* SPDX-License-Identifier: Apache-2.0 */
/* A panel of the packed weight times a tile of positions. */
#ifndef ACLNN_CPU_KERNELS_GEMM_GEMM_PANEL_H
#define ACLNN_CPU_KERNELS_GEMM_GEMM_PANEL_H

#include "kernels/gemm/gemm_block.h"

#define PACKED    ((struct gemm_source){0})
#define NO_RESULT ((struct gemm_result){0})
#define NO_AHEAD  ((struct gemm_ahead){0})

static __attribute__((noinline)) void multiply(int rows, const float *a, const float *b,
                                               int64_t depth, struct gemm_sums c,
                                               struct gemm_ahead ahead)
{
#if K_VECTOR_BYTES == 64
    if (rows == 8) gemm_block(8, GEMM_WIDTH, false, a, b, depth, c, ahead, PACKED, NO_RESULT);
    if (rows == 7) gemm_block(7, GEMM_WIDTH, false, a, b, depth, c, ahead, PACKED, NO_RESULT);
    if (rows == 6) gemm_block(6, GEMM_WIDTH, false, a, b, depth, c, ahead, PACKED, NO_RESULT);
    if (rows == 5) gemm_block(5, GEMM_WIDTH, false, a, b, depth, c, ahead, PACKED, NO_RESULT);
#endif
    if (rows == 4) gemm_block(4, GEMM_WIDTH, false, a, b, depth, c, ahead, PACKED, NO_RESULT);
    if (rows == 3) gemm_block(3, GEMM_WIDTH, false, a, b, depth, c, ahead, PACKED, NO_RESULT);
    if (rows == 2) gemm_block(2, GEMM_WIDTH, false, a, b, depth, c, ahead, PACKED, NO_RESULT);
    if (rows == 1) gemm_block(1, GEMM_WIDTH, false, a, b, depth, c, ahead, PACKED, NO_RESULT);
}

#if defined(K_PAIRS)
static __attribute__((noinline)) K_PAIRS_TARGET void multiply_pairs(int rows, const float *a,
                                                                    const float *b, int64_t depth,
                                                                    struct gemm_sums c,
                                                                    struct gemm_ahead ahead)
{
    if (rows == 8) {
        gemm_pairs(8, GEMM_WIDTH, a, b, depth, c, ahead, PACKED);
        return;
    }
    const int first = rows & 4;
    if (first) gemm_pairs(4, GEMM_WIDTH, a, b, depth, c, ahead, PACKED);
    c.at += first * c.apart;
    for (int row = first; row < rows; row++, c.at += c.apart)
        gemm_pairs(1, GEMM_WIDTH, a + row, b, depth, c, ahead, PACKED);
}
#endif

/* All rows of a panel; weight is its first row of the depth's block. */
static void multiply_panel(bool pairs, int64_t rows, const float *weight, const float *columns,
                           int64_t depth, struct gemm_sums sums, struct gemm_ahead ahead)
{
#if defined(K_PAIRS)
    if (pairs) {
        multiply_pairs((int)rows, weight, columns, (depth + 1) / 2, sums, ahead);
        return;
    }
#endif
    for (int64_t row = 0; row < rows; row += GEMM_ROWS, sums.at += GEMM_ROWS * sums.apart)
        multiply((int)(rows - row < GEMM_ROWS ? rows - row : GEMM_ROWS), weight + row, columns,
                 depth, sums, ahead);
    (void)pairs;
}
#if defined(K_PAIRS)
static __attribute__((noinline, unused)) K_PAIRS_TARGET void
multiply_last_pairs(int width, const float *a, const float *b, int64_t depth, struct gemm_sums c)
{
    if (width == 1)
        gemm_pairs(GEMM_ROWS, 1, a, b, depth, c, NO_AHEAD, PACKED);
    else
        gemm_pairs(GEMM_ROWS, 2, a, b, depth, c, NO_AHEAD, PACKED);
}
#endif

/* A whole panel times the first one or two vectors of a tile, the last columns: a whole tile would
 * waste the others. Sums are the same as those of tiles. */
static __attribute__((noinline, unused)) void multiply_last(bool pairs, int width, const float *a,
                                                            const float *b, int64_t terms,
                                                            struct gemm_sums c)
{
#if defined(K_PAIRS)
    if (pairs) {
        multiply_last_pairs(width, a, b, (terms + 1) / 2, c);
        return;
    }
#endif
    (void)pairs;
    for (int row = 0; row < K_GEMM_PANEL; row += GEMM_ROWS, c.at += GEMM_ROWS * c.apart)
        if (width == 1)
            gemm_block(GEMM_ROWS, 1, false, a + row, b, terms, c, NO_AHEAD, PACKED, NO_RESULT);
        else
            gemm_block(GEMM_ROWS, 2, false, a + row, b, terms, c, NO_AHEAD, PACKED, NO_RESULT);
}

/* Rows of a panel times the first vectors of a tile, up to a whole one of each. Sums behind the
 * last vector may be written. */
static __attribute__((unused)) void multiply_any(bool pairs, int64_t rows, int64_t vectors,
                                                 const float *panel, const float *tile,
                                                 int64_t terms, struct gemm_sums sums)
{
    if (rows == K_GEMM_PANEL && vectors < GEMM_WIDTH)
        multiply_last(pairs, (int)vectors, panel, tile, terms, sums);
    else
        multiply_panel(pairs, rows, panel, tile, terms, sums,
                       (struct gemm_ahead){(const char *)tile, 0});
}

#endif
