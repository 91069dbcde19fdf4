/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax, its logarithm, their gradients. */
#include "api/op_check.h"
#include "api/op_norm.h"

static const aclTensor *first(const struct op_problem *problem)
{
    return problem->tensor[0]->tensor;
}

static aclnnStatus shapes(struct op_problem *problem)
{
    const struct ex_descriptor *d = &first(problem)->descriptor;
    int axis;
    OP_TRY(op_norm_check_dim(problem, first(problem), &axis));
    for (int i = 1; i < problem->tensor_count; i++)
        OP_TRY(op_norm_check_shape(problem, problem->tensor[i]->name, d->rank, d->sizes));
    return ACLNN_SUCCESS;
}

static void plan(struct op_norm_call *call)
{
    static const enum k_norm_kind kinds[] = {
        [OP_NORM_softmax] = K_NORM_SOFTMAX,
        [OP_NORM_log_softmax] = K_NORM_LOG_SOFTMAX,
        [OP_NORM_softmax_grad] = K_NORM_SOFTMAX_GRAD,
        [OP_NORM_log_softmax_grad] = K_NORM_LOG_SOFTMAX_GRAD,
    };
    const struct ex_descriptor *d = &first(call->problem)->descriptor;
    const enum k_norm_kind kind = kinds[call->problem->row->core];
    int axis = 0;
    op_find_axis(op_norm_integer(call->problem, "dim", 0), d->rank, &axis);
    op_norm_begin(call, kind, d->rank, d->sizes, d->rank > 0 ? 1U << axis : 0);
    for (int i = 0; i < call->problem->tensor_count; i++)
        op_norm_whole(call, i, call->problem->tensor[i]->name);
    op_norm_end(call, 4, NULL);
}

static const struct op_norm_rule more = {.plan = plan};
const struct op_rule op_rule_softmax = {.types = op_norm_types, .shapes = shapes, .more = &more};
