/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices by BLIS, where it is. */
#ifndef ACLNN_CPU_KERNELS_BLIS_K_BLIS_H
#define ACLNN_CPU_KERNELS_BLIS_K_BLIS_H

#include <stdbool.h>

#include "kernels/kernel.h"

/* c = a * b, on the calling thread. Only with k_blis_arch(). */
struct k_gemm_blis {
    int64_t m, n, k;
    const void *a, *b;
    void *c;
    int64_t a_row, a_column, b_row, b_column, c_row, c_column;
};
void k_blis_multiply(enum k_dtype dtype, const struct k_gemm_blis *product);
/* The kernels that BLIS takes on this CPU, in its own words; NULL without BLIS. */
const char *k_blis_arch(void);
/* Whether those are more than plain C code. */
bool k_blis_is_usable(void);

#endif
