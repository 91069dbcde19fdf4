/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions, scans and selections of rows. */
#ifndef ACLNN_CPU_API_OP_REDUCE_H
#define ACLNN_CPU_API_OP_REDUCE_H

#include "api/op_row.h"
#include "api/op_rule.h"

enum op_reduce {
    OP_REDUCE_sum,
    OP_REDUCE_nansum,
    OP_REDUCE_log_sum,
    OP_REDUCE_mean,
    OP_REDUCE_prod,
    OP_REDUCE_max,
    OP_REDUCE_min,
    OP_REDUCE_min_max,
    OP_REDUCE_any,
    OP_REDUCE_all,
    OP_REDUCE_norm,
    OP_REDUCE_var,
    OP_REDUCE_std,
    OP_REDUCE_log_sum_exp,
    OP_REDUCE_trace,
    OP_REDUCE_max_place, /* the extreme, if there are two results, and its place */
    OP_REDUCE_min_place,
    OP_REDUCE_median,
    OP_REDUCE_nan_median,
    OP_REDUCE_kth,
    OP_REDUCE_cumsum,
    OP_REDUCE_cumprod,
    OP_REDUCE_cummax,
    OP_REDUCE_cummin,
};

/* What a call reduces, from its arguments, which may be unsound: bit i is axis i. */
unsigned op_reduced_axes(const struct op_problem *problem);
/* Whether they are kept as axes of one element. */
bool op_keeps_axes(const struct op_problem *problem);
/* Which of them has places: -1: none. */
int op_place_result(const struct op_problem *problem);

#endif
