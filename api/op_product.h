/* SPDX-License-Identifier: Apache-2.0 */
/* A product of matrices, many at once, of views. */
#ifndef ACLNN_CPU_API_OP_PRODUCT_H
#define ACLNN_CPU_API_OP_PRODUCT_H

#include "api/op_shape.h"
#include "kernels/gemm/k_gemm.h"

/* c = a b, in views of one rank, at most K_GEMM_BATCH + 2: axes of the batch, then rows and
 * columns. Sizes are c's, terms a's; a factor's axis of the batch that has one matrix serves all.
 */
struct k_gemm op_product(const struct op_view *a, const struct op_view *b, const struct op_view *c);
/* A view over the result as an addend, or as one of those. */
struct k_gemm_matrix op_product_matrix(const struct op_view *view);
/* The step; the factors lie in these buffers. addend: -1 without one. */
void op_product_step(struct ex_plan *plan, const struct k_gemm *gemm, int a, int b, int c,
                     int addend);

#endif
