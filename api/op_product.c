/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_product.h"

#include "executor/steps.h"

struct k_gemm_matrix op_product_matrix(const struct op_view *view)
{
    const int rank = view->rank;
    const int64_t rows = view->sizes[rank - 2], columns = view->sizes[rank - 1];
    struct k_gemm_matrix matrix = {.dtype = op_k_dtype_of(view->type),
                                   .row = view->strides[rank - 2],
                                   .column = view->strides[rank - 1]};
    for (int i = 3; i <= rank; i++)
        matrix.batch[K_GEMM_BATCH + 2 - i] =
            view->sizes[rank - i] == 1 ? 0 : view->strides[rank - i];
    /* Strides that nobody follows choose no way. */
    if (columns == 1) matrix.column = 1;
    if (rows == 1) matrix.row = columns;
    return matrix;
}

struct k_gemm op_product(const struct op_view *a, const struct op_view *b, const struct op_view *c)
{
    const int rank = c->rank;
    struct k_gemm gemm = {.m = c->sizes[rank - 2],
                          .n = c->sizes[rank - 1],
                          .k = a->sizes[a->rank - 1],
                          .batch = {1, 1, 1, 1},
                          .a = op_product_matrix(a),
                          .b = op_product_matrix(b),
                          .c = op_product_matrix(c),
                          .alpha = 1};
    for (int i = 3; i <= rank; i++)
        gemm.batch[K_GEMM_BATCH + 2 - i] = c->sizes[rank - i];
    return gemm;
}

void op_product_step(struct ex_plan *plan, const struct k_gemm *gemm, int a, int b, int c,
                     int addend)
{
    const bool is_read = gemm->k > 0;
    double products = (double)gemm->m * (double)gemm->n * (double)gemm->k;
    for (int i = 0; i < K_GEMM_BATCH; i++)
        products *= (double)gemm->batch[i];
    ex_step_way(plan, "gemm", K_CHOICE_gemm, K_F32, gemm, sizeof *gemm,
                (const int[]){is_read ? a : c, is_read ? b : c, c, addend},
                gemm->has_addend ? K_GEMM_BUFFERS : K_GEMM_ADDEND, NULL);
    ex_flops(plan, 2 * products);
}
