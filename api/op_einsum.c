/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnEinsum: the two equations that CANN has. */
#include <string.h>

#include "api/op_map.h"
#include "api/op_scatter.h"

enum { TENSORS, EQUATION, OUTPUT };

/* "abcd,abced->abce", or "a,b->ab". */
static bool is_sum(const struct op_problem *problem)
{
    return strcmp(problem->values[EQUATION].text, "abcd,abced->abce") == 0;
}

static aclnnStatus einsum_types(struct op_problem *problem)
{
    const char *equation = problem->values[EQUATION].text;
    OP_CHECK(problem->row->name, equation, ACLNN_ERR_PARAM_NULLPTR, "equation is NULL");
    OP_TRY(op_one_type(problem));
    OP_CHECK(problem->row->name, is_sum(problem) || strcmp(equation, "a,b->ab") == 0,
             ACLNN_ERR_PARAM_INVALID,
             "equation is \"%s\"; it must be \"abcd,abced->abce\" or \"a,b->ab\"", equation);
    OP_CHECK(problem->row->name, problem->values[TENSORS].tensors->size == 2,
             ACLNN_ERR_PARAM_INVALID, "tensors has %" PRIu64 " elements; it must have 2",
             problem->values[TENSORS].tensors->size);
    return ACLNN_SUCCESS;
}

static aclnnStatus einsum_shapes(struct op_problem *problem)
{
    const aclTensorList *list = problem->values[TENSORS].tensors;
    const struct op_value *out = &problem->values[OUTPUT];
    const struct ex_descriptor *a = &list->elements[0]->descriptor;
    const struct ex_descriptor *b = &list->elements[1]->descriptor;
    const char *name = problem->row->name;
    const int rank = is_sum(problem) ? 4 : 1;
    struct op_shape_text text, other;
    OP_TRY(op_check_rank(name, "tensors[0]", list->elements[0], rank, rank));
    OP_TRY(op_check_rank(name, "tensors[1]", list->elements[1], is_sum(problem) ? 5 : 1,
                         is_sum(problem) ? 5 : 1));
    if (!is_sum(problem)) {
        const int64_t sizes[] = {a->sizes[0], b->sizes[0]};
        return op_check_shape(problem, out, out->tensor, 2, sizes);
    }
    OP_CHECK(name,
             memcmp(a->sizes, b->sizes, 3 * sizeof *a->sizes) == 0 && a->sizes[3] == b->sizes[4],
             ACLNN_ERR_PARAM_INVALID,
             "tensors[1]'s shape is %s; without its fourth size it must be tensors[0]'s, %s",
             op_shape(&text, list->elements[1]), op_shape(&other, list->elements[0]));
    return op_check_shape(problem, out, out->tensor, 4, b->sizes);
}

/* Products of half types are made in FLOAT, those of integers in INT64, and rounded or cast with
 * their sum. */
static aclDataType type_of_products(aclDataType type)
{
    if (type == ACL_FLOAT || type == ACL_FLOAT16 || type == ACL_BF16) return ACL_FLOAT;
    return type == ACL_DOUBLE ? ACL_DOUBLE : ACL_INT64;
}

static void plan_sum(const struct op_shape_call *call, struct op_place a, const struct op_place *b,
                     const struct op_place *out)
{
    const aclDataType type = call->problem->type;
    const struct op_place products =
        op_scratch_place(call->plan, type_of_products(type), 5, b->view.sizes);
    if (op_view_is_empty(&products.view)) {
        op_fill_place(call->plan, out, 0, 0);
        return;
    }
    a.view.rank = 5;
    a.view.sizes[4] = a.view.sizes[3];
    a.view.strides[4] = a.view.strides[3];
    a.view.sizes[3] = b->view.sizes[3];
    a.view.strides[3] = 0;
    op_combine_places(call->plan, K_CORE_mul, &products, &a, b, NULL);
    op_sum_step(call->plan, &products, 1U << 4, type, 1, out);
}

static void einsum(const struct op_shape_call *call)
{
    struct op_place a = op_source(call, TENSORS, 0), b = op_source(call, TENSORS, 1);
    const struct op_place out = op_target(call, OUTPUT, 0);
    if (is_sum(call->problem)) {
        plan_sum(call, a, &b, &out);
        return;
    }
    const struct op_view row = b.view;
    a.view.rank = 2;
    a.view.sizes[1] = row.sizes[0];
    a.view.strides[1] = 0;
    b.view = op_view_broadcast(&row, 2, out.view.sizes);
    op_combine_places(call->plan, K_CORE_mul, &out, &a, &b, NULL);
}

const struct op_rule op_rule_einsum = {
    .types = einsum_types,
    .shapes = einsum_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){einsum},
};
