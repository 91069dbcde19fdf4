/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that write elements at places that indices name. */
#include "api/op_scatter.h"

#include <string.h>

#include "api/op_elementwise.h"
#include "runtime/support/base.h"

#define TENSOR(problem, name) (op_argument_named((problem), (name))->tensor)

/* ---- the table ---- */

static int written(const struct op_problem *problem)
{
    for (int i = 0; i < problem->count; i++)
        if (op_is_written(&problem->values[i])) return i;
    return -1;
}

static bool is_half(aclDataType type)
{
    return type == ACL_FLOAT16 || type == ACL_BF16;
}

static struct op_place scratch_of(struct ex_plan *plan, aclDataType type, int rank,
                                  const int64_t *sizes)
{
    struct op_place place = {.view = op_view_dense(type, rank, sizes)};
    int64_t elements = 1;
    for (int i = 0; i < rank; i++)
        elements *= sizes[i];
    place.buffer =
        elements == 0 ? -1 : ex_scratch(plan, (size_t)elements * ex_element_size((int32_t)type));
    return place;
}

/* A scalar as one element, whose strides are 0 in any shape. */
static struct op_place scalar_place(const struct op_shape_call *call, const aclScalar *scalar,
                                    aclDataType type)
{
    const struct op_place place = scratch_of(call->plan, type, 0, NULL);
    op_fill_place(call->plan, &place, op_scalar_real(scalar), op_scalar_integer(scalar));
    return place;
}

static struct op_place widened(const struct op_shape_call *call, const struct op_place *narrow)
{
    const struct op_view *view = &narrow->view;
    const struct op_place wide = scratch_of(call->plan, ACL_FLOAT, view->rank, view->sizes);
    op_copy_place(call->plan, narrow, &wide);
    return wide;
}

struct op_table op_table_of(const struct op_shape_call *call, enum k_combine combine, int values)
{
    const struct op_problem *problem = call->problem;
    const bool is_wide = combine != K_SET && is_half(problem->type);
    const aclDataType type = is_wide ? ACL_FLOAT : problem->type;
    struct op_table table = {.target = written(problem)};
    const int self = op_place_of(problem, "self");
    if (values >= 0 && op_is_scalar(&problem->values[values])) {
        table.values = scalar_place(call, problem->values[values].scalar, type);
    } else if (values >= 0) {
        table.values = op_source(call, values, 0);
        if (is_wide) table.values = widened(call, &table.values);
    }
    table.place = op_target(call, table.target, 0);
    const aclTensor *target = problem->values[table.target].tensor;
    if (op_is_empty(target)) return table;
    struct op_place before = table.place;
    if (self >= 0) {
        const aclTensor *tensor = problem->values[self].tensor;
        const bool meets = op_disturbs(&target->descriptor, &tensor->descriptor);
        before = meets ? op_source(call, self, 0) : op_target(call, self, 0);
    }
    if (is_wide)
        table.place = widened(call, &before);
    else if (before.buffer != table.place.buffer)
        op_copy_place(call->plan, &before, &table.place);
    return table;
}

void op_table_deliver(const struct op_shape_call *call, const struct op_table *table)
{
    const struct op_place target = op_target(call, table->target, 0);
    if (table->place.buffer != target.buffer) op_copy_place(call->plan, &table->place, &target);
}

/* ---- scatter: index is of the values' shape ---- */

/* The tensor that is written before it is. */
static const struct op_value *before(const struct op_problem *problem)
{
    const int self = op_place_of(problem, "self");
    return &problem->values[self >= 0 ? self : written(problem)];
}

static aclnnStatus check_out(const struct op_problem *problem)
{
    const struct op_value *self = before(problem), *out = &problem->values[written(problem)];
    if (self == out) return ACLNN_SUCCESS;
    return op_check_same_shape(problem->row->name, out->name, out->tensor, self->name,
                               self->tensor);
}

/* index's sizes are within those of self, but along dim, and within those of src. */
static aclnnStatus check_within(const struct op_problem *problem, const aclTensor *index,
                                const char *name, const aclTensor *tensor, int free_axis)
{
    struct op_shape_text text, other;
    const struct ex_descriptor *i = &index->descriptor, *d = &tensor->descriptor;
    if (i->rank > 1 || d->rank > 1)
        OP_TRY(op_check_same_rank(problem->row->name, "index", index, name, tensor));
    for (int axis = 0; axis < i->rank; axis++)
        OP_CHECK(problem->row->name,
                 axis == free_axis || i->sizes[axis] <= op_size_of(tensor, axis),
                 ACLNN_ERR_PARAM_INVALID,
                 "index's shape is %s; at dimension %d it must not exceed %s's, which is %s",
                 op_shape(&text, index), axis, name, op_shape(&other, tensor));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_reduce(const struct op_problem *problem, int64_t most, const char *words)
{
    const struct op_value *reduce = op_argument_named(problem, "reduce");
    OP_CHECK(problem->row->name, !reduce || (reduce->integer >= 0 && reduce->integer <= most),
             ACLNN_ERR_PARAM_INVALID, "reduce is %" PRId64 "; it must be %s", reduce->integer,
             words);
    return ACLNN_SUCCESS;
}

static aclnnStatus scatter_shapes(struct op_problem *problem)
{
    const struct op_value *self = before(problem), *src = op_argument_named(problem, "src");
    const aclTensor *index = TENSOR(problem, "index");
    int dim;
    OP_TRY(op_check_axis(problem, op_argument_named(problem, "dim"), self->tensor, &dim));
    OP_TRY(check_out(problem));
    if (!op_is_empty(index)) {
        OP_TRY(check_within(problem, index, self->name, self->tensor, dim));
        if (src) OP_TRY(check_within(problem, index, "src", src->tensor, -1));
        OP_CHECK(problem->row->name, op_size_of(self->tensor, dim) > 0, ACLNN_ERR_PARAM_INVALID,
                 "%s has no element along dimension %d; no index can name one", self->name, dim);
    }
    return check_reduce(problem, 2, "0 (replace), 1 (add) or 2 (multiply)");
}

static enum k_combine combine_of(const struct op_problem *problem)
{
    static const enum k_combine combines[] = {K_SET, K_ADD, K_MUL};
    const struct op_value *reduce = op_argument_named(problem, "reduce");
    return reduce ? combines[reduce->integer] : K_ADD;
}

static void plan_scatter(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const enum k_combine combine = combine_of(problem);
    const int src = op_place_of(problem, "src"), value = op_place_of(problem, "value");
    const struct op_place index = op_source(call, op_place_of(problem, "index"), 0);
    const struct op_table table = op_table_of(call, combine, src >= 0 ? src : value);
    if (!op_view_is_empty(&index.view) && !op_view_is_empty(&table.place.view)) {
        struct op_indexing x = op_indexing_of(call, &table.place, &table.values, "index");
        int dim;
        op_find_axis(op_argument_named(problem, "dim")->integer, table.place.view.rank, &dim);
        for (int axis = 0; axis < index.view.rank; axis++)
            op_indexing_axis(&x, index.view.sizes[axis],
                             axis == dim ? 0 : op_stride_of(&table.place.view, axis),
                             src >= 0 ? op_stride_of(&table.values.view, axis) : 0);
        op_indexing_tensor(&x, &index, 0, op_size_of(before(problem)->tensor, dim),
                           op_stride_of(&table.place.view, dim));
        op_scatter(&x, combine);
    }
    op_table_deliver(call, &table);
}

const struct op_rule op_rule_scatter = {
    .types = op_index_types,
    .shapes = scatter_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_scatter},
};
