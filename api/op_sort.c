/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnSort, aclnnArgsort, aclnnTopk: rows are sorted as they lie side by side; an operand of other
 * strides is brought to that first, results are brought back. */
#include "api/op_sort.h"
#include "api/op_reduce.h"
#include "api/op_shape.h"
#include "kernels/kernels.h"

/* ---- arguments ---- */

/* The result of values, or NULL (aclnnArgsort); the places are the last one. */
static const struct op_value *values_of(const struct op_problem *problem)
{
    return op_written(problem, 1) ? op_written(problem, 0) : NULL;
}

static const struct op_value *places_of(const struct op_problem *problem)
{
    return op_written(problem, values_of(problem) ? 1 : 0);
}

/* ---- checks ---- */

static aclnnStatus types(struct op_problem *problem)
{
    const struct op_row *row = problem->row;
    const struct op_value *self = problem->tensor[0], *values = values_of(problem);
    const struct op_value *places = places_of(problem);
    OP_TRY(op_check_type(row->name, self->name, self->tensor, row->types, row->type_names));
    if (values)
        OP_TRY(
            op_check_same_type(row->name, values->name, values->tensor, self->name, self->tensor));
    return op_check_type(row->name, places->name, places->tensor,
                         OP_TYPE(ACL_INT64) | OP_TYPE(ACL_INT32), "INT64, INT32");
}

static aclnnStatus shapes(struct op_problem *problem)
{
    const struct op_row *row = problem->row;
    const struct op_value *self = problem->tensor[0], *values = values_of(problem);
    const struct op_value *places = places_of(problem);
    const struct ex_descriptor *d = &self->tensor->descriptor;
    int64_t sizes[EX_MAX_RANK];
    int axis;
    OP_TRY(op_check_axis(problem, op_argument_named(problem, "dim"), self->tensor, &axis));
    for (int i = 0; i < d->rank; i++)
        sizes[i] = d->sizes[i];
    const int64_t size = d->rank > 0 ? sizes[axis] : 1, k = op_integer_named(problem, "k", size);
    OP_CHECK(row->name, k >= 0 && k <= size, ACLNN_ERR_PARAM_INVALID,
             "k is %" PRId64 "; it must be from 0 to %" PRId64, k, size);
    OP_CHECK(row->name,
             size <= INT32_MAX || (aclDataType)places->tensor->descriptor.data_type == ACL_INT64,
             ACLNN_ERR_PARAM_INVALID, "%s is INT32; it must count %" PRId64 " elements",
             places->name, size);
    if (d->rank > 0)
        sizes[axis] = k;
    else
        OP_CHECK(row->name, k == 1, ACLNN_ERR_PARAM_INVALID,
                 "k is %" PRId64 "; it must be 1 of a tensor without dimensions", k);
    if (values) OP_TRY(op_check_shape(problem, values, values->tensor, d->rank, sizes));
    return op_check_shape(problem, places, places->tensor, d->rank, sizes);
}

/* ---- the plan ---- */

static struct op_view axis_last(const struct op_view *view, int axis)
{
    struct op_view turned = *view;
    if (view->rank == 0) return turned;
    for (int i = axis; i + 1 < view->rank; i++) {
        turned.sizes[i] = view->sizes[i + 1];
        turned.strides[i] = view->strides[i + 1];
    }
    turned.sizes[view->rank - 1] = view->sizes[axis];
    turned.strides[view->rank - 1] = view->strides[axis];
    return turned;
}

static struct op_place dense_source(const struct op_shape_call *call, int axis)
{
    const int self = (int)(call->problem->tensor[0] - call->problem->values);
    struct op_place source = op_source(call, self, 0);
    source.view = axis_last(&source.view, axis);
    if (op_view_is_dense(&source.view)) return source;
    const struct op_place copy = op_scratch_like(call->plan, &source.view);
    op_copy_place(call->plan, &source, &copy);
    return copy;
}

/* A result as it lies, and where it is made. */
struct result {
    struct op_place own, made;
};

static struct result result_of(const struct op_shape_call *call, const struct op_value *value,
                               int axis)
{
    struct result result;
    result.own = op_target(call, (int)(value - call->problem->values), 0);
    result.own.view = axis_last(&result.own.view, axis);
    result.made = op_view_is_dense(&result.own.view)
                      ? result.own
                      : op_scratch_like(call->plan, &result.own.view);
    return result;
}

static void deliver(const struct op_shape_call *call, const struct result *result)
{
    if (result->made.buffer != result->own.buffer)
        op_copy_place(call->plan, &result->made, &result->own);
}

void op_sort_steps(struct ex_plan *plan, struct k_sort *sort, int from, int values, int index)
{
    struct k_work work = k_sort_plan(sort);
    const int64_t bytes = k_sort_scratch(sort, K_SORT_PART);
    int runs = bytes > 0 ? ex_scratch(plan, (size_t)bytes) : index;
    ex_step(plan, "sort", k_best()->sort_parts, sort, sizeof *sort, work,
            EX_BUFFERS(from, runs, values, index));
    while (k_sort_merge_plan(sort, &work)) {
        const int64_t made = k_sort_scratch(sort, 2 * sort->run);
        const int merged = sort->is_last ? index : ex_scratch(plan, (size_t)made);
        ex_step(plan, "merge", k_best()->sort_merge, sort, sizeof *sort, work,
                EX_BUFFERS(runs, merged, values, index));
        runs = merged;
        sort->run *= 2;
    }
}

static void plan_sort(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const struct op_value *values = values_of(problem), *places = places_of(problem);
    const struct ex_descriptor *d = &problem->tensor[0]->tensor->descriptor;
    int axis;
    if (op_is_empty(places->tensor)) return;
    op_find_axis(op_integer_named(problem, "dim", 0), d->rank, &axis);
    const struct op_place source = dense_source(call, axis);
    const struct result index = result_of(call, places, axis);
    const struct result value = values ? result_of(call, values, axis) : index;
    struct k_sort sort = {.dtype = op_k_dtype(problem->tensor[0]->tensor),
                          .index_type = op_k_dtype(places->tensor),
                          .has_values = values != NULL,
                          .has_index = true,
                          .count = d->rank > 0 ? d->sizes[axis] : 1};
    sort.is_descending =
        op_integer_named(problem, "descending", op_integer_named(problem, "largest", 0)) != 0;
    sort.keep = op_integer_named(problem, "k", sort.count);
    sort.rows = op_element_count(source.view.rank, source.view.sizes) / sort.count;
    op_sort_steps(call->plan, &sort, source.buffer, value.made.buffer, index.made.buffer);
    if (values) deliver(call, &value);
    deliver(call, &index);
}

#define SORT                                                                                       \
    {                                                                                              \
        .types = types, .shapes = shapes, .runs_empty = true,                                      \
        .more = &(const struct op_shape_rule)                                                      \
        {                                                                                          \
            plan_sort                                                                              \
        }                                                                                          \
    }
const struct op_rule op_rule_sort = SORT, op_rule_argsort = SORT, op_rule_topk = SORT;
