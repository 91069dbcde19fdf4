/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices, many at once:
 *
 *     c[i][j] = activation(alpha * sum over p of a[i][p] * b[p][j] + beta * addend[i][j])
 *
 * for i < m, j < n, p < k and every matrix of the batch. All strides are free: a transposed operand
 * has its two strides swapped, a stride of 0 repeats an operand (not c). A bias is an addend with a
 * stride of 0. c must not overlap a or b; it may be the addend itself, element by element. Types:
 * all of them f64, or each one f32, f16 or bf16.
 *
 * Sums of f32, f16 and bf16 run in f32, sums of f64 in f64; the result is rounded once when it is
 * stored. The cut of the work follows from the shape, so bits depend neither on the number of
 * threads nor on the slices. Error of an element, with u = 2^-24 (2^-53 for f64) and S the sum of
 * |a * b|: at most (k + 2) u S before the epilogue, twice that for products of bf16 pairs and
 * tiles (kernels/vector/pairs.h, tiles.h), then one rounding for each operation of the epilogue and
 * one for the store. */
#ifndef ACLNN_CPU_KERNELS_GEMM_K_GEMM_H
#define ACLNN_CPU_KERNELS_GEMM_K_GEMM_H

#include "kernels/kernel.h"

enum {
    K_GEMM_BATCH = 4,   /* axes of the batch */
    K_GEMM_PANEL = 8,   /* rows that are packed side by side */
    K_GEMM_TILE = 48,   /* columns of the largest register block; those of other levels divide it */
    K_GEMM_FEW = 4,     /* rows, at most, of the ways that pack nothing */
    K_GEMM_DEPTH = 256, /* terms between two additions to a sum */
    K_GEMM_ROWS = 256,
    K_GEMM_COLUMNS = 288, /* of an item, at most */
    K_GEMM_SWEEP = 2048,  /* columns of an item of few rows, at most */
};

/* Strides in elements; batch: of each axis. */
struct k_gemm_matrix {
    enum k_dtype dtype;
    int64_t row, column, batch[K_GEMM_BATCH];
};

enum k_gemm_activation { K_GEMM_LINEAR, K_GEMM_RELU };

/* What a way's plan adds. An item is `rows` by `columns` elements of one c. */
struct k_gemm_cut {
    bool is_swapped; /* computed as c' = b' a', so that rows are the few or the strided ones */
    bool pairs;      /* products of bf16 by k_pairs_bf16() */
    int64_t rows, columns, row_blocks, column_blocks;
};

struct k_gemm {
    int64_t m, n, k, batch[K_GEMM_BATCH]; /* an axis that is not used has 1 */
    struct k_gemm_matrix a, b, c, addend;
    bool has_addend;
    double alpha, beta; /* beta counts with an addend only */
    enum k_gemm_activation activation;
    enum k_rounding rounding; /* of a and b */
    struct k_gemm_cut cut;
};

enum { K_GEMM_A, K_GEMM_B, K_GEMM_C, K_GEMM_ADDEND, K_GEMM_BUFFERS };

/* The problem as the kernel computes it: transposed as a whole where the plan says so. left and
 * right tell which buffers hold a and b then. */
struct k_gemm_view {
    struct k_gemm gemm;
    int left, right;
};

struct k_gemm_view k_gemm_view_of(const struct k_gemm *gemm);

/* Larger items than the plan's: for ways that multiply tiles. rows: of c as items cut it. */
struct k_work k_gemm_cut_for_tiles(struct k_gemm *gemm, int64_t rows, struct k_work work);

#endif
