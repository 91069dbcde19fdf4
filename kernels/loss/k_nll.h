/* SPDX-License-Identifier: Apache-2.0 */
/* Losses of classes: one element of each row. */
#ifndef ACLNN_CPU_KERNELS_LOSS_K_NLL_H
#define ACLNN_CPU_KERNELS_LOSS_K_NLL_H

#include "kernels/loop/k_loop.h"

enum { K_NLL_RANK = 8 };

/* Positions are the indices of `rank` axes; steps along them in elements.
 *     K_NLL_EACH   out = -w[t] x[t], or 0 where t is ignored
 *     K_NLL_PARTS  the sums of that and of w[t] of each block of K_NLL_BLOCK positions, as doubles,
 *                  to OUT and TOTAL
 *     K_NLL_GRAD   out[t] = -w[t] g, or g / total if there is a total; elements of other classes
 *                  are left
 *     K_NLL_TOTAL  the sums of `positions` doubles X and WEIGHT to OUT, divided if is_mean, and
 *                  TOTAL
 * A target that is no class is noted as a fault at its position, and counts as one that is ignored.
 */
enum k_nll_kind { K_NLL_EACH, K_NLL_PARTS, K_NLL_GRAD, K_NLL_TOTAL };

enum { K_NLL_X, K_NLL_TARGET, K_NLL_WEIGHT, K_NLL_OUT, K_NLL_TOTAL_OUT, K_NLL_BUFFERS };
enum { K_NLL_BLOCK = 1024 };

struct k_nll {
    enum k_nll_kind kind;
    bool is_mean, has_weight, has_total, is_ignored_class;
    enum k_dtype dtype[K_NLL_BUFFERS];
    int rank;
    int64_t sizes[K_NLL_RANK], positions;
    /* of the gradient: X is gradOutput, OUT has the classes */
    int64_t x_steps[K_NLL_RANK], target_steps[K_NLL_RANK], out_steps[K_NLL_RANK];
    int64_t classes, class_step, weight_step, ignored;
};

struct k_work k_nll_work(const struct k_nll *nll);

#endif
