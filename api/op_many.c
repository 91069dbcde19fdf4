/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnMaxN, aclnnMinN, aclnnSum: elementwise functions of a list of tensors, two at a time. */
#include "api/op_scatter.h"

enum { TENSORS, OUT };

struct many_rule {
    struct op_shape_rule shape; /* first */
    enum k_core core;
};

/* The list's tensors broadcast to out's shape. */
static aclnnStatus shapes(struct op_problem *problem)
{
    const aclTensorList *list = problem->values[TENSORS].tensors;
    struct op_shape_text text;
    OP_CHECK(problem->row->name, list->size > 0, ACLNN_ERR_PARAM_INVALID, "tensors is empty");
    problem->rank = 0;
    for (uint64_t i = 0; i < list->size; i++)
        if (list->elements[i]->descriptor.rank > problem->rank)
            problem->rank = list->elements[i]->descriptor.rank;
    for (int axis = 0; axis < problem->rank; axis++)
        problem->sizes[axis] = 1;
    for (uint64_t i = 0; i < list->size; i++) {
        const struct ex_descriptor *d = &list->elements[i]->descriptor;
        int64_t *sizes = problem->sizes + problem->rank - d->rank;
        for (int axis = 0; axis < d->rank; axis++) {
            OP_CHECK(problem->row->name,
                     d->sizes[axis] == sizes[axis] || d->sizes[axis] == 1 || sizes[axis] == 1,
                     ACLNN_ERR_PARAM_INVALID,
                     "tensors[%" PRIu64 "]'s shape is %s; it does not broadcast with those before "
                     "it",
                     i, op_shape(&text, list->elements[i]));
            if (sizes[axis] == 1) sizes[axis] = d->sizes[axis];
        }
    }
    return op_check_shape(problem, &problem->values[OUT], problem->values[OUT].tensor,
                          problem->rank, problem->sizes);
}

static struct op_place one_of(const struct op_shape_call *call, uint64_t i)
{
    struct op_place place = op_target(call, TENSORS, i);
    place.view = op_view_broadcast(&place.view, call->problem->rank, call->problem->sizes);
    return place;
}

/* Sums of half types are made in FLOAT and rounded once. */
static void many(const struct op_shape_call *call)
{
    const struct many_rule *rule = call->problem->row->rule->more;
    const aclTensorList *list = call->problem->values[TENSORS].tensors;
    const aclDataType type = call->problem->type;
    const bool is_half = type == ACL_FLOAT16 || type == ACL_BF16;
    const struct op_place out = op_target(call, OUT, 0);
    struct op_place sum = op_apart_target(call, TENSORS, OUT), next = one_of(call, 0);
    if (rule->core == K_CORE_add && is_half && list->size > 2)
        sum = op_scratch_place(call->plan, ACL_FLOAT, out.view.rank, out.view.sizes);
    if (list->size == 1) op_copy_place(call->plan, &next, &sum);
    for (uint64_t i = 1; i < list->size; i++) {
        const struct op_place before = i == 1 ? next : sum, other = one_of(call, i);
        op_combine_places(call->plan, rule->core, &sum, &before, &other, NULL);
    }
    if (sum.buffer != out.buffer) op_copy_place(call->plan, &sum, &out);
}

#define MANY(name, what)                                                                           \
    const struct op_rule op_rule_##name = {                                                        \
        .types = op_one_type, .shapes = shapes, .more = &(const struct many_rule){{many}, what}}
MANY(max_of_many, K_CORE_maximum);
MANY(min_of_many, K_CORE_minimum);
MANY(sum_of_many, K_CORE_add);
