/* SPDX-License-Identifier: Apache-2.0 */
/* A panel of the packed weight times a tile of positions. */
#ifndef ACLNN_CPU_KERNELS_GEMM_GEMM_PANEL_H
#define ACLNN_CPU_KERNELS_GEMM_GEMM_PANEL_H

#include "kernels/gemm/gemm_block.h"

static __attribute__((noinline)) void multiply(int rows, const float *a, const float *b,
                                               int64_t depth, struct gemm_sums c,
                                               struct gemm_ahead ahead)
{
    const struct gemm_source packed = {0};
    const struct gemm_result none = {0};
    switch (rows) {
#if K_VECTOR_BYTES == 64
    case 8:
        gemm_block(8, false, a, b, depth, c, ahead, packed, none);
        break;
    case 7:
        gemm_block(7, false, a, b, depth, c, ahead, packed, none);
        break;
    case 6:
        gemm_block(6, false, a, b, depth, c, ahead, packed, none);
        break;
    case 5:
        gemm_block(5, false, a, b, depth, c, ahead, packed, none);
        break;
#endif
    case 4:
        gemm_block(4, false, a, b, depth, c, ahead, packed, none);
        break;
    case 3:
        gemm_block(3, false, a, b, depth, c, ahead, packed, none);
        break;
    case 2:
        gemm_block(2, false, a, b, depth, c, ahead, packed, none);
        break;
    default:
        gemm_block(1, false, a, b, depth, c, ahead, packed, none);
        break;
    }
}

#if defined(K_PAIRS)
static __attribute__((noinline)) K_PAIRS_TARGET void multiply_pairs(int rows, const float *a,
                                                                    const float *b, int64_t depth,
                                                                    struct gemm_sums c,
                                                                    struct gemm_ahead ahead)
{
    const struct gemm_source packed = {0};
    if (rows == 8) {
        gemm_pairs(8, a, b, depth, c, ahead, packed);
        return;
    }
    int row = 0;
    if (rows >= 4) {
        gemm_pairs(4, a, b, depth, c, ahead, packed);
        c.at += 4 * c.apart;
        row = 4;
    }
    for (; row < rows; row++, c.at += c.apart)
        gemm_pairs(1, a + row, b, depth, c, ahead, packed);
}

static __attribute__((noinline, unused)) K_PAIRS_TARGET void
pack_multiply_pairs(const float *a, int64_t depth, struct gemm_sums c, struct gemm_ahead ahead,
                    struct gemm_source source)
{
    gemm_pairs(K_GEMM_PANEL, a, source.to, depth, c, ahead, source);
}
#endif

static __attribute__((noinline, unused)) void pack_multiply(const float *a, int64_t depth,
                                                            struct gemm_sums c,
                                                            struct gemm_ahead ahead,
                                                            struct gemm_source source)
{
    const struct gemm_result none = {0};
    gemm_block(GEMM_ROWS, false, a, source.to, depth, c, ahead, source, none);
}

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

/* The same of a whole panel, with columns of a source; depth is even for pairs. */
static __attribute__((unused)) void pack_multiply_panel(bool pairs, const float *weight,
                                                        int64_t depth, struct gemm_sums sums,
                                                        struct gemm_ahead ahead,
                                                        struct gemm_source source)
{
#if defined(K_PAIRS)
    if (pairs) {
        pack_multiply_pairs(weight, depth / 2, sums, ahead, source);
        return;
    }
#endif
    pack_multiply(weight, depth, sums, ahead, source);
    sums.at += GEMM_ROWS * sums.apart;
    multiply_panel(pairs, K_GEMM_PANEL - (int64_t)GEMM_ROWS, weight + GEMM_ROWS, source.to, depth,
                   sums, ahead);
}

static __attribute__((noinline, unused)) void
multiply_into(const float *a, const float *b, int64_t depth, struct gemm_sums c,
              struct gemm_ahead ahead, struct gemm_source source, struct gemm_result result)
{
    const struct gemm_source packed = {0};
    if (source.at)
        gemm_block(GEMM_ROWS, true, a, source.to, depth, c, ahead, source, result);
    else
        gemm_block(GEMM_ROWS, true, a, b, depth, c, ahead, packed, result);
}

/* A whole panel of floats, with columns of a source or, without one, packed ones, to the result. */
static __attribute__((unused)) void
multiply_panel_into(const float *weight, const float *columns, int64_t depth, struct gemm_sums sums,
                    struct gemm_ahead ahead, struct gemm_source source, struct gemm_result result)
{
    if (source.at) columns = source.to;
    for (int row = 0; row < K_GEMM_PANEL; row += GEMM_ROWS) {
        multiply_into(weight + row, columns, depth, sums, ahead, source, result);
        source.at = NULL;
        sums.at += GEMM_ROWS * sums.apart;
        result.at += GEMM_ROWS * result.apart;
        result.next += GEMM_ROWS * result.next_apart;
        result.bias += GEMM_ROWS;
    }
}

#endif
