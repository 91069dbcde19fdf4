/* SPDX-License-Identifier: Apache-2.0 */
/* Linear algebra of dense matrices. Everything is double and row-major, matrix behind matrix: the
 * plans cast. Kernels of complex matrices have pairs of doubles in place of each, but for sigma and
 * LEFT, and use no P. */
#ifndef ACLNN_CPU_KERNELS_LINALG_K_LINALG_H
#define ACLNN_CPU_KERNELS_LINALG_K_LINALG_H

#include "kernels/kernel.h"

/* Solves A X = B in the place of B, by substitution; A's other triangle is not read, nor is its
 * diagonal if it is taken as ones. A zero on it divides as IEEE arithmetic has it. Items are strips
 * of columns of one matrix. */
struct k_triangular {
    bool is_upper, has_ones;
    int64_t matrices, order, columns;
    int64_t strips; /* k_triangular_work sets it */
};

enum { K_TRIANGULAR_A, K_TRIANGULAR_X };
enum { K_TRIANGULAR_STRIP = 32 };

struct k_work k_triangular_work(struct k_triangular *triangular);

/* Matrices of the kernels below: items are whole matrices. */
struct k_matrix {
    int64_t matrices, rows, columns;
    int64_t others;  /* qr: columns of Q; svd: rows of LONG */
    bool wants_log;  /* lu: LOG is that of the determinant, NaN of a negative one */
    bool has_faults; /* lu: a matrix without an inverse is a fault at its number */
    bool conjugates; /* svd of complex matrices: SHORT and LONG are conjugated at the end */
};

/* P A = L U in the place of A, with the largest pivot of each column. SIGN and LOG are those of
 * the determinant, one each for a matrix; P is a matrix, or not made where it is A. */
enum { K_LU_A, K_LU_P, K_LU_SIGN, K_LU_LOG, K_LU_BUFFERS };

/* A = L L^T in the place of A, of which the lower triangle is read; L has zeros above. A matrix
 * that is not positive definite becomes NaN and is a fault at its number. */
enum { K_CHOLESKY_A, K_CHOLESKY_BUFFERS };

/* A = Q R by Householder's reflections, as LAPACK has them: A's transpose (columns, rows) becomes
 * R's, Q's transpose has `others` rows. TAU has the smaller size of A for each matrix. */
enum { K_QR_A, K_QR_Q, K_QR_TAU };

/* X = S^T diag(sigma) L by rotations of the rows of X, of which there are no more than columns:
 * sigma, falling; SHORT = S^T's rows (rows, rows); LONG's rows (others, columns), of which those
 * behind sigma's complete a basis. X is overwritten; LEFT has a row for each matrix. Where X is not
 * finite everything is NaN. */
enum { K_SVD_X, K_SVD_SIGMA, K_SVD_SHORT, K_SVD_LONG, K_SVD_LEFT };

/* COST becomes exp(cost) with rows and columns scaled in turns, ROW and COLUMN their factors;
 * COLUMN has room for twice as many. It ends when the columns' factors change by no more than the
 * tolerance on average, or after K_SINKHORN_TURNS turns. One item. */
struct k_sinkhorn {
    int64_t rows, columns;
    double tolerance;
};

enum { K_SINKHORN_COST, K_SINKHORN_ROW, K_SINKHORN_COLUMN };
enum { K_SINKHORN_TURNS = 10000 };

struct k_work k_matrix_work(const struct k_matrix *matrix);

#endif
