/* SPDX-License-Identifier: Apache-2.0 */
/* Linear algebra of dense matrices. Everything is double and row-major, matrix behind matrix: the
 * plans cast. */
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

#endif
