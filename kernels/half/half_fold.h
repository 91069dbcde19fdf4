/* SPDX-License-Identifier: Apache-2.0 */
/* Folds of dense f16 and bf16 that are widened in registers, on the level being compiled. */
#ifndef ACLNN_CPU_KERNELS_HALF_HALF_FOLD_H
#define ACLNN_CPU_KERNELS_HALF_HALF_FOLD_H

#include "kernels/reduce/k_reduce.h"
#include "kernels/vector/instance.h"

enum { K_HALF_FOLD_LANES = 32 }; /* sums of a row */

struct k_half_fold {
    /* Combines elements of x into K_HALF_FOLD_LANES floats. */
    void (*along)(void *lanes, const void *x, int64_t count, const void *number);
    /* sums[i], floats, with elements i of 1 to 4 rows. */
    void (*across)(void *sums, const void *const rows[4], int row_count, int64_t count,
                   const void *numbers);
};

/* NULL: there is none of this fold and type. */
#define k_half_fold_of K_SYMBOL(half_fold_of)
const struct k_half_fold *k_half_fold_of(enum k_fold fold, enum k_dtype dtype);

#endif
