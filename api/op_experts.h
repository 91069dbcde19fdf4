/* SPDX-License-Identifier: Apache-2.0 */
/* Products of rows of experts, in small integers, that are the first step of an operator: the
 * checks of their operands, and their steps. Results are FLOAT, in scratch. */
#ifndef ACLNN_CPU_API_OP_EXPERTS_H
#define ACLNN_CPU_API_OP_EXPERTS_H

#include "api/op_shape.h"
#include "kernels/group/k_group.h"

/* x (m, k) INT8, or INT4 where the weight is, times the weight of each row's group. The weight is
 * one (experts, k, n), or (experts, n / c, k / 16, 16, c) as FRACTAL_NZ lies; or a list of
 * matrices. What is not there is NULL. */
struct op_experts {
    const struct op_value *x, *weight, *scale, *bias, *offset, *token, *list;
    enum k_group_form form;
    int64_t n;          /* as the result says */
    bool is_transposed; /* weight is (experts, n, k) */
    bool takes_fours;   /* x may be INT4 */
};

/* Found by the checks. */
struct op_experts_sizes {
    int64_t m, k, experts, groups, parts;
    bool is_joint, is_four; /* one tensor of the weight; its elements are INT4 */
};

/* Whether the weights are INT4. */
bool op_experts_is_four(const struct op_experts *experts);
struct op_experts_sizes op_experts_sizes_of(const struct op_experts *experts);

aclnnStatus op_experts_check_types(const struct op_problem *problem,
                                   const struct op_experts *experts);
aclnnStatus op_experts_check_shapes(const struct op_problem *problem,
                                    const struct op_experts *experts);

/* The step that makes the table of groups from a list of `groups` numbers; its buffer. A list of
 * INT32 is widened. */
int op_experts_table(const struct op_shape_call *call, const struct op_value *list,
                     enum k_group_form form, int64_t groups, int64_t extent, int64_t weights);
/* The products, as FLOAT (m, n): rows of no group are not written. */
struct op_place op_experts_multiply(const struct op_shape_call *call,
                                    const struct op_experts *experts, int table);

#endif
