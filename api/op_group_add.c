/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnGroupedMatmulAdd: products of groups of terms, each added to a matrix of its own: gradients
 * of weights, for which the data tell which rows belong to which expert. */
#include <stdio.h>

#include "api/op_group.h"
#include "api/op_product.h"

enum { X, WEIGHT, LIST, Y, TRANSPOSE_X, TRANSPOSE_WEIGHT, GROUP_TYPE };

static const struct ex_descriptor *tensor_of(const struct op_problem *problem, int argument)
{
    return &problem->values[argument].tensor->descriptor;
}

static aclnnStatus group_add_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    for (int i = X; i <= WEIGHT; i++)
        OP_TRY(op_check_type(name, values[i].name, values[i].tensor, problem->row->types,
                             problem->row->type_names));
    OP_TRY(op_check_same_type(name, "weight", values[WEIGHT].tensor, "x", values[X].tensor));
    OP_TRY(op_check_type(name, "groupList", values[LIST].tensor, OP_TYPE(ACL_INT64), "INT64"));
    OP_TRY(op_check_type(name, "yRef", values[Y].tensor, OP_TYPE(ACL_FLOAT), "FLOAT"));
    OP_CHECK(name, values[TRANSPOSE_X].integer != 0, ACLNN_ERR_PARAM_INVALID,
             "transposeX is false; it must be true");
    OP_CHECK(name, values[TRANSPOSE_WEIGHT].integer == 0, ACLNN_ERR_PARAM_INVALID,
             "transposeWeight is true; it must be false");
    OP_CHECK(name, values[GROUP_TYPE].integer == OP_GROUP_TERMS, ACLNN_ERR_PARAM_INVALID,
             "groupType is %" PRId64 "; it must be %d, groups of terms", values[GROUP_TYPE].integer,
             (int)OP_GROUP_TERMS);
    problem->type = (aclDataType)tensor_of(problem, X)->data_type;
    problem->result = ACL_FLOAT;
    return ACLNN_SUCCESS;
}

static aclnnStatus group_add_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    OP_TRY(op_check_rank(name, "x", values[X].tensor, 2, 2));
    OP_TRY(op_check_rank(name, "weight", values[WEIGHT].tensor, 2, 2));
    OP_TRY(op_check_rank(name, "groupList", values[LIST].tensor, 1, 1));
    OP_TRY(op_check_rank(name, "yRef", values[Y].tensor, 2, 3));
    const struct ex_descriptor *x = tensor_of(problem, X), *weight = tensor_of(problem, WEIGHT);
    const int64_t groups = tensor_of(problem, LIST)->sizes[0];
    const int64_t sizes[] = {groups, x->sizes[1], weight->sizes[1]};
    int64_t flat[] = {0, weight->sizes[1]};
    OP_CHECK(name, x->sizes[0] == weight->sizes[0], ACLNN_ERR_PARAM_INVALID,
             "x has %" PRId64 " rows, weight has %" PRId64 "; they must be as many", x->sizes[0],
             weight->sizes[0]);
    OP_CHECK(name, groups <= OP_GROUP_MOST, ACLNN_ERR_PARAM_INVALID,
             "groupList has %" PRId64 " elements; there may be %d", groups, (int)OP_GROUP_MOST);
    OP_CHECK(name, !__builtin_mul_overflow(groups, x->sizes[1], &flat[0]), ACLNN_ERR_PARAM_INVALID,
             "%" PRId64 " groups of %" PRId64 " rows exceed 2^63", groups, x->sizes[1]);
    if (tensor_of(problem, Y)->rank == 2)
        return op_check_shape(problem, &values[Y], values[Y].tensor, 2, flat);
    return op_check_shape(problem, &values[Y], values[Y].tensor, 3, sizes);
}

static void describe_list(const void *parameters, void *const buffers[], int64_t position,
                          char *text, size_t size)
{
    const struct k_group_ranges *r = parameters;
    const int64_t *list = buffers[K_GROUP_LIST];
    const struct k_group_range *ranges = buffers[K_GROUP_TABLE];
    snprintf(text, size,
             "groupList[%" PRId64 "] is %" PRId64 "; it must be from %" PRId64 " to %" PRId64,
             position, list[position], ranges[position].begin, r->extent);
}

/* The buffer of the table. */
static int add_table(const struct op_shape_call *call, int64_t groups, int64_t terms)
{
    const struct k_group_ranges ranges = {.form = K_GROUP_ENDS, .groups = groups, .extent = terms};
    const struct op_place list = op_dense_source(call, LIST);
    const int table = ex_scratch(call->plan, (size_t)(groups + 1) * sizeof(struct k_group_range));
    ex_step_with_faults(call->plan, "group_ranges", k_group_ranges, &ranges, sizeof ranges,
                        (struct k_work){.items = 1, .grain = 1}, EX_BUFFERS(list.buffer, table),
                        describe_list);
    return table;
}

static void group_add(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    if (op_is_empty(problem->values[Y].tensor)) return;
    const int64_t groups = tensor_of(problem, LIST)->sizes[0];
    const struct op_place x = op_source(call, X, 0), weight = op_source(call, WEIGHT, 0);
    const struct op_view left = op_view_swapped(x.view, 0, 1);
    const int64_t sizes[] = {left.sizes[0], weight.view.sizes[1]};
    const struct op_view one = op_view_dense(ACL_FLOAT, 2, sizes);
    const int table = add_table(call, groups, left.sizes[1]);
    const struct op_place own = op_target(call, Y, 0), y = op_dense_target(call, Y);
    if (y.buffer != own.buffer) op_copy_place(call->plan, &own, &y);
    struct k_group k = {.kind = K_GROUP_PLAIN,
                        .by_terms = true,
                        .is_one = true,
                        .adds = true,
                        .groups = groups,
                        .gemm = op_product(&left, &weight.view, &one)};
    const int64_t size = (int64_t)ex_element_size((int32_t)left.type);
    k.gemm.has_addend = true;
    k.gemm.beta = 1;
    k.gemm.addend = k.gemm.c;
    k.x_step = size * k.gemm.a.column;
    k.term_step = size * k.gemm.b.row;
    k.y_step = (int64_t)sizeof(float) * sizes[0] * sizes[1];
    ex_step_way(call->plan, "group", K_CHOICE_group, K_F32, &k, sizeof k,
                EX_BUFFERS(table, x.buffer, weight.buffer, y.buffer, y.buffer, y.buffer, y.buffer),
                NULL);
    ex_flops(call->plan, 2 * (double)sizes[0] * (double)sizes[1] * (double)left.sizes[1]);
    op_deliver(call, &y, Y);
}

const struct op_rule op_rule_group_add = {
    .types = group_add_types,
    .shapes = group_add_shapes,
    .more = &(const struct op_shape_rule){group_add},
};
