/* SPDX-License-Identifier: Apache-2.0 */
/* Products of whole panels that read columns where they lie in a tensor, or store complete sums
 * where they belong. */
#ifndef ACLNN_CPU_KERNELS_CONV_POINT_PANEL_H
#define ACLNN_CPU_KERNELS_CONV_POINT_PANEL_H

#include "kernels/gemm/gemm_panel.h"

#if defined(K_PAIRS)
static __attribute__((noinline)) K_PAIRS_TARGET void
pack_multiply_pairs(const float *a, int64_t depth, struct gemm_sums c, struct gemm_ahead ahead,
                    struct gemm_source source)
{
    gemm_pairs(K_GEMM_PANEL, GEMM_WIDTH, a, source.to, depth, c, ahead, source);
}
#endif

static __attribute__((noinline)) void pack_multiply(const float *a, int64_t depth,
                                                    struct gemm_sums c, struct gemm_ahead ahead,
                                                    struct gemm_source source)
{
    const struct gemm_result none = {0};
    gemm_block(GEMM_ROWS, GEMM_WIDTH, false, a, source.to, depth, c, ahead, source, none);
}

/* multiply_panel of a whole panel, with columns of a source; depth is even for pairs. */
static void pack_multiply_panel(bool pairs, const float *weight, int64_t depth,
                                struct gemm_sums sums, struct gemm_ahead ahead,
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

static __attribute__((noinline)) void multiply_into(const float *a, const float *b, int64_t depth,
                                                    struct gemm_sums c, struct gemm_ahead ahead,
                                                    struct gemm_source source,
                                                    struct gemm_result result)
{
    const struct gemm_source packed = {0};
    if (source.at)
        gemm_block(GEMM_ROWS, GEMM_WIDTH, true, a, source.to, depth, c, ahead, source, result);
    else
        gemm_block(GEMM_ROWS, GEMM_WIDTH, true, a, b, depth, c, ahead, packed, result);
}

/* A whole panel of floats, with columns of a source or, without one, packed ones, to the result. */
static void multiply_panel_into(const float *weight, const float *columns, int64_t depth,
                                struct gemm_sums sums, struct gemm_ahead ahead,
                                struct gemm_source source, struct gemm_result result)
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
