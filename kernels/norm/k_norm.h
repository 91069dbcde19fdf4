/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisations: functions of rows. A row is what the reduced axes reach from one index of the
 * kept axes; each operand has steps along both, 0 where it is repeated. A body takes a row's
 * statistics, in double, and makes the results from them and the elements:
 *
 *     softmax        m = max x; e = exp(x - m); out = e / sum(e)
 *     log_softmax    out = x - m - log(sum(e))
 *     softmax_grad   out = (dy - sum(dy y)) y
 *     log_softmax_grad  out = dy - exp(y) sum(dy)
 *     affine         out = act((x - mean) rstd gamma + beta)
 *     affine_grad    dx = rstd (g - sum(g) / n - xhat sum(g xhat) / n), g = dy gamma
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
    K_NORM_MASKED_SOFTMAX,
    K_NORM_MASKED_SOFTMAX_GRAD,
    K_NORM_LABELS,
    K_NORM_AFFINE, /* kinds before it are the kernel softmax's */
    K_NORM_AFFINE_GRAD,
    K_NORM_PARAMETER_GRAD,
    K_NORM_SUMS,
    K_NORM_GRAD_SUMS,
    K_NORM_GATHER,
    K_NORM_SYNC_GRAD,
    K_NORM_RENORM,
    K_NORM_ROTARY, /* kinds from it on are the kernel rotary's */
    K_NORM_ROTARY_GRAD,
    K_NORM_ROTARY_TABLES_GRAD,
    K_NORM_KINDS
};

enum {
    K_NORM_RANK = 8,
    K_NORM_OPERANDS = 13,
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
/* x stands for number[0] X, or -10000 where MASK is not 0; the gradient is multiplied by number[0],
 * or 0 there. */
enum { K_MASKED_X, K_MASKED_MASK, K_MASKED_OUT };
enum { K_MASKED_GRAD_DY, K_MASKED_GRAD_Y, K_MASKED_GRAD_MASK, K_MASKED_GRAD_OUT };
/* LOSS: -sum(labels log_softmax(x)); GRAD: softmax(x) - labels. */
enum { K_LABELS_X, K_LABELS_LABELS, K_LABELS_LOSS, K_LABELS_GRAD };
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

/* x stands for number[1] X + X2 + BIAS, what of those is there; SUM gets it. rstd is
 * 1 / sqrt(variance + number[0]), the variance of all elements (not K_NORM_CENTRED: the mean of
 * their squares). MEAN_IN and RSTD_IN are taken in place of the row's own statistics. number[2] is
 * added to gamma. K_NORM_SWISH: act(z) = z / (1 + exp(-number[3] z)). SPREAD gets rstd, or the
 * variance, and RSTD_IN has the same of the two. */
enum {
    K_AFFINE_X,
    K_AFFINE_X2,
    K_AFFINE_BIAS,
    K_AFFINE_GAMMA,
    K_AFFINE_BETA,
    K_AFFINE_MEAN_IN,
    K_AFFINE_RSTD_IN,
    K_AFFINE_OUT,
    K_AFFINE_MEAN,
    K_AFFINE_SPREAD,
    K_AFFINE_SUM,
    K_AFFINE_RUNNING_MEAN,    /* becomes (1 - number[4]) of itself and number[4] of the mean, */
    K_AFFINE_RUNNING_VARIANCE /* of the variance of a sample */
};
/* DX gets number[1] times what DX2 gets; DSUM is added to it. DGAMMA and DBETA get the row's
 * sum(dy xhat) and sum(dy), with K_NORM_OF_ROW. K_NORM_FIXED: the statistics do not depend on x. */
enum {
    K_AFFINE_GRAD_X,
    K_AFFINE_GRAD_X2,
    K_AFFINE_GRAD_DY,
    K_AFFINE_GRAD_GAMMA,
    K_AFFINE_GRAD_BETA,
    K_AFFINE_GRAD_MEAN,
    K_AFFINE_GRAD_RSTD,
    K_AFFINE_GRAD_DSUM,
    K_AFFINE_GRAD_DX,
    K_AFFINE_GRAD_DX2,
    K_AFFINE_GRAD_DGAMMA,
    K_AFFINE_GRAD_DBETA
};

/* Sums of a row: of x and its squares; of dy and dy (x - mean), and what gamma and beta get. */
enum { K_SUMS_X, K_SUMS_SUM, K_SUMS_SQUARES };
enum {
    K_GRAD_SUMS_X,
    K_GRAD_SUMS_DY,
    K_GRAD_SUMS_MEAN,
    K_GRAD_SUMS_RSTD,
    K_GRAD_SUMS_OF_DY,
    K_GRAD_SUMS_OF_DY_X,
    K_GRAD_SUMS_DGAMMA,
    K_GRAD_SUMS_DBETA
};
/* A row has the statistics of parts of COUNTS elements; they become those of all. number[0]:
 * epsilon, number[4]: as above. */
enum {
    K_GATHER_MEAN,
    K_GATHER_RSTD,
    K_GATHER_COUNTS,
    K_GATHER_RUNNING_MEAN,
    K_GATHER_RUNNING_VARIANCE,
    K_GATHER_MEAN_ALL,
    K_GATHER_RSTD_ALL
};
/* dx = (dy - OF_DY / n - (x - mean) rstd^2 OF_DY_X / n) rstd gamma, n: COUNT */
enum {
    K_SYNC_GRAD_X,
    K_SYNC_GRAD_DY,
    K_SYNC_GRAD_MEAN,
    K_SYNC_GRAD_RSTD,
    K_SYNC_GRAD_GAMMA,
    K_SYNC_GRAD_OF_DY,
    K_SYNC_GRAD_OF_DY_X,
    K_SYNC_GRAD_COUNT,
    K_SYNC_GRAD_DX
};

/* A row whose norm, of the order number[0], is more than number[1] is scaled to have that. */
enum { K_RENORM_X, K_RENORM_OUT };
/* OUT = x cos + rotated(x) sin of a row of number[0] elements; how it is rotated is number[1], an
 * enum k_rotary. The gradient of x has the same shape; those of COS and SIN are sums over a row
 * that is made of such rows. */
enum { K_ROTARY_X, K_ROTARY_COS, K_ROTARY_SIN, K_ROTARY_OUT };
enum { K_ROTARY_TABLES_X, K_ROTARY_TABLES_DY, K_ROTARY_TABLES_DCOS, K_ROTARY_TABLES_DSIN };
enum k_rotary { K_ROTARY_HALF, K_ROTARY_PAIRS, K_ROTARY_QUARTER, K_ROTARY_PAIRS_TO_HALF };

/* K_NORM_OF_ROW: gamma and beta have one element for each row. */
enum { K_NORM_CENTRED = 1, K_NORM_SWISH = 2, K_NORM_FIXED = 4, K_NORM_OF_ROW = 8 };
enum k_norm_spread { K_NORM_RSTD, K_NORM_VARIANCE };

struct k_norm_operand {
    bool is_there;
    bool is_written;
    enum k_dtype dtype;
    int64_t kept[K_NORM_RANK], reduced[K_NORM_RANK]; /* steps in elements */
};

struct k_norm {
    enum k_norm_kind kind;
    bool is_precise; /* a tensor of the operator is f64: all in double, functions are libm's */
    bool has_faults; /* a struct k_fault follows the buffers */
    int kept_rank, reduced_rank;
    int64_t kept_sizes[K_NORM_RANK], reduced_sizes[K_NORM_RANK];
    int operands;
    struct k_norm_operand operand[K_NORM_OPERANDS];
    double number[K_NORM_NUMBERS];
    int64_t ignored;
    unsigned options;
    enum k_norm_spread spread;
    /* What the plan finds. Operands whose elements lie side by side along the last kept axis and
     * not along the row are transposed, `group` rows at a time. */
    int64_t count, rows; /* elements of a row, rows */
    int64_t group;       /* 1: no operand is */
    unsigned transposed; /* bit i: operand i is */
};

/* Merges axes and chooses groups. Items are groups of rows. cost: how much more than a copy an
 * element costs. */
struct k_work k_norm_plan(struct k_norm *norm, int cost);

/* Of a planned one: whether an operand's elements lie side by side along the last kept axis, not
 * along the row. */
bool k_norm_lies_across(const struct k_norm *norm, int operand);

/* ---- sums over rows ---- */

/* The gradients of gamma and beta that has one element for each of a row: sums over parts of the
 * rows, for each element, doubles [part][element], to DGAMMA and DBETA of a planned affine_grad.
 * Items are parts times tiles of elements. */
struct k_norm_columns {
    struct k_norm norm;
    int64_t part, parts, tiles; /* rows of a part */
};

struct k_work k_norm_columns_plan(struct k_norm_columns *columns);

#endif
