/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACLNN_CPU_KERNELS_QUANT_INT8_NIBBLES_H
#define ACLNN_CPU_KERNELS_QUANT_INT8_NIBBLES_H

#include "kernels/gemm/k_gemm.h"
#include "kernels/vector/instance.h"

enum {
    INT8_FOURS_APART = K_GEMM_TILE,      /* from term to term of what is widened */
    INT8_FOURS_TERMS = 4 * K_GEMM_DEPTH, /* at once, at most */
};

/* So many terms of `lanes` columns of INT4, an even number, rows `apart` bytes from each other, as
 * bytes; adds the sum of each column's to its number. */
void K_SYMBOL(int8_fours)(const char *from, int64_t apart, int64_t terms, int64_t lanes, int8_t *to,
                          int32_t *sums);

#endif
