/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisations: functions of rows. A row is what the reduced axes reach from one index of the
 * kept axes; each operand has steps along both, 0 where it is repeated. A body takes a row's
 * statistics, in double, and makes the results from them and the elements:
 *
 *     softmax        m = max x; e = exp(x - m); out = e / sum(e)
 *     log_softmax    out = x - m - log(sum(e))
 *     softmax_grad   out = (dy - sum(dy y)) y
 *     log_softmax_grad  out = dy - exp(y) sum(dy)
 *
 * Everything is computed in double and rounded once. A row's elements are summed in their order in
 * lanes of K_NORM_LANES, whatever the level. */
#ifndef ACLNN_CPU_KERNELS_NORM_K_NORM_H
#define ACLNN_CPU_KERNELS_NORM_K_NORM_H

#include "kernels/loop/k_loop.h"

enum k_norm_kind {
    K_NORM_SOFTMAX,
    K_NORM_LOG_SOFTMAX,
    K_NORM_SOFTMAX_GRAD,
    K_NORM_LOG_SOFTMAX_GRAD,
    K_NORM_CROSS_ENTROPY,
    K_NORM_CROSS_ENTROPY_GRAD,
    K_NORM_KINDS
};

enum {
    K_NORM_RANK = 8,
    K_NORM_OPERANDS = 12,
    K_NORM_NUMBERS = 6,
    K_NORM_LANES = 16,
    K_NORM_KEEP = 4096,         /* elements of a row that are kept as doubles */
    K_NORM_GROUP = 16,          /* rows that are transposed together at most */
    K_NORM_GROUP_BYTES = 65536, /* of them */
    K_NORM_LOCALS = 5,          /* operands that are */
};

/* Operands by kind. */
enum { K_SOFTMAX_X, K_SOFTMAX_OUT };
enum { K_SOFTMAX_GRAD_DY, K_SOFTMAX_GRAD_Y, K_SOFTMAX_GRAD_OUT };
/* TARGET, LOSS and TOTAL have one element for each row, WEIGHT one for each class. LOSS is
 *     -(1 - s) w[t] logp[t] - s / C sum_c(w[c] logp[c]),
 * TOTAL w[t]; both are 0 where t is number[1], which is ignored. number[0]: s. A target that is no
 * class is noted as a fault at its row, and counts as one that is ignored. */
enum {
    K_CROSS_X,
    K_CROSS_TARGET,
    K_CROSS_WEIGHT,
    K_CROSS_OUT, /* log_softmax of the row */
    K_CROSS_LOSS,
    K_CROSS_TOTAL
};
/* out = g ((1 - s) w[t] (p - [c = t]) + s / C (p sum(w) - w[c])), g: DLOSS, divided by the sum of
 * w[t] over all rows if there is a TOTAL, p: exp(logp). */
enum {
    K_CROSS_GRAD_LOGP,
    K_CROSS_GRAD_TARGET,
    K_CROSS_GRAD_WEIGHT,
    K_CROSS_GRAD_DLOSS,
    K_CROSS_GRAD_TOTAL,
    K_CROSS_GRAD_OUT
};

struct k_norm_operand {
    bool is_there;
    bool is_written;
    enum k_dtype dtype;
    int64_t kept[K_NORM_RANK], reduced[K_NORM_RANK]; /* steps in elements */
};

struct k_norm {
    enum k_norm_kind kind;
    bool is_precise; /* functions are libm's: for elements of f64 */
    bool has_faults; /* a struct k_fault follows the buffers */
    int kept_rank, reduced_rank;
    int64_t kept_sizes[K_NORM_RANK], reduced_sizes[K_NORM_RANK];
    int operands;
    struct k_norm_operand operand[K_NORM_OPERANDS];
    double number[K_NORM_NUMBERS];
    int64_t ignored;
    /* What the plan finds. Operands whose elements lie side by side along the last kept axis and
     * not along the row are transposed, `group` rows at a time. */
    int64_t count, rows; /* elements of a row, rows */
    int64_t group;       /* 1: no operand is */
    unsigned transposed; /* bit i: operand i is */
};

/* Merges axes and chooses groups. Items are groups of rows. cost: how much more than a copy an
 * element costs. */
struct k_work k_norm_plan(struct k_norm *norm, int cost);

/* ---- losses of classes ---- */

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
    int64_t sizes[K_NORM_RANK], positions;
    /* of the gradient: X is gradOutput, OUT has the classes */
    int64_t x_steps[K_NORM_RANK], target_steps[K_NORM_RANK], out_steps[K_NORM_RANK];
    int64_t classes, class_step, weight_step, ignored;
};

struct k_work k_nll_work(const struct k_nll *nll);

#endif
