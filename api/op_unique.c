/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnUnique, Unique2, UniqueConsecutive, UniqueDim: how many results there are only the data
 * tell; they lie side by side, and the views have their size after the synchronise. */
#include <string.h>

#include "api/op_reduce.h"
#include "api/op_shape.h"
#include "api/op_sort.h"
#include "executor/steps.h"
#include "kernels/index/k_mask.h"
#include "kernels/sort/k_unique.h"

enum { NO_AXIS = 1000 /* dim of aclnnUniqueConsecutive: of all elements */ };

/* ---- arguments ---- */

static const struct op_value *self_of(const struct op_problem *problem)
{
    return problem->tensor[0];
}

static bool wants(const struct op_problem *problem, const char *name, bool otherwise)
{
    const struct op_value *value = op_argument_named(problem, name);
    return value ? value->integer != 0 : otherwise;
}

/* A result that is asked for, or NULL. UniqueDim always counts. */
static const struct op_value *inverse_of(const struct op_problem *problem)
{
    return wants(problem, "returnInverse", false) ? op_argument_named(problem, "inverseOut") : NULL;
}

static const struct op_value *counts_of(const struct op_problem *problem)
{
    return wants(problem, "returnCounts", true) ? op_argument_named(problem, "countsOut") : NULL;
}

static bool has_axis(const struct op_problem *problem)
{
    const struct op_value *dim = op_argument_named(problem, "dim");
    return dim && dim->integer != NO_AXIS;
}

static bool sorts(const struct op_problem *problem)
{
    return op_argument_named(problem, "sorted") != NULL;
}

/* ---- checks ---- */

static aclnnStatus types(struct op_problem *problem)
{
    const struct op_row *row = problem->row;
    const struct op_value *self = self_of(problem), *values = op_written(problem, 0);
    OP_TRY(op_check_type(row->name, self->name, self->tensor, row->types, row->type_names));
    OP_TRY(op_check_same_type(row->name, values->name, values->tensor, self->name, self->tensor));
    for (int i = 1; op_written(problem, i); i++)
        OP_TRY(op_check_type(row->name, op_written(problem, i)->name,
                             op_written(problem, i)->tensor,
                             OP_TYPE(ACL_INT64) | OP_TYPE(ACL_INT32), "INT64, INT32"));
    return ACLNN_SUCCESS;
}

static aclnnStatus shapes(struct op_problem *problem)
{
    const struct op_value *self = self_of(problem), *values = op_written(problem, 0);
    const struct op_value *inverse = inverse_of(problem), *counts = counts_of(problem);
    const struct ex_descriptor *d = &self->tensor->descriptor;
    int64_t slices = 0, elements = 0;
    int axis = 0;
    ex_element_count(d->sizes, d->rank, &elements);
    slices = elements;
    if (has_axis(problem)) {
        OP_TRY(op_check_rank(problem->row->name, self->name, self->tensor, 1, EX_MAX_RANK));
        OP_TRY(op_check_axis(problem, op_argument_named(problem, "dim"), self->tensor, &axis));
        slices = d->sizes[axis];
        OP_CHECK(problem->row->name, slices == 0 || elements > 0, ACLNN_ERR_PARAM_INVALID,
                 "%s has no elements along another axis than dim", self->name);
        OP_TRY(op_check_shape(problem, values, values->tensor, d->rank, d->sizes));
        OP_TRY(op_check_contiguous(problem->row->name, values->name, values->tensor));
    } else {
        OP_TRY(op_check_shape(problem, values, values->tensor, 1, &slices));
    }
    if (inverse && has_axis(problem))
        OP_TRY(op_check_shape(problem, inverse, inverse->tensor, 1, &slices));
    else if (inverse)
        OP_TRY(op_check_shape(problem, inverse, inverse->tensor, d->rank, d->sizes));
    return counts ? op_check_shape(problem, counts, counts->tensor, 1, &slices) : ACLNN_SUCCESS;
}

/* ---- the plan ---- */

static int room_of(struct ex_plan *plan, int64_t elements, size_t size)
{
    return ex_scratch(plan, (size_t)elements * size);
}

static struct k_unique unique_of(aclDataType type)
{
    struct k_unique u = {.element_size = (int)ex_element_size(type), .outer = 1, .inner = 1};
    const bool is_signed = type == ACL_INT8 || type == ACL_INT16 || type == ACL_INT32 ||
                           type == ACL_INT64 || op_is_floating(type);
    if (is_signed) u.sign = UINT64_C(1) << (8 * u.element_size - 1);
    u.infinity = type == ACL_FLOAT     ? 0x7F800000
                 : type == ACL_FLOAT16 ? 0x7C00
                 : type == ACL_BF16    ? 0x7F80
                 : type == ACL_DOUBLE  ? UINT64_C(0x7FF0000000000000)
                                       : 0;
    return u;
}

/* Slices along the axis, each dense. */
static int slices_of(const struct op_shape_call *call, int axis, struct k_unique *u)
{
    const int self = (int)(self_of(call->problem) - call->problem->values);
    struct op_place own = op_source(call, self, 0), turned = own;
    for (int i = 0; i < own.view.rank; i++) {
        if (i < axis) u->outer *= own.view.sizes[i];
        if (i > axis) u->inner *= own.view.sizes[i];
        const int from = i == 0 ? axis : i <= axis ? i - 1 : i;
        turned.view.sizes[i] = own.view.sizes[from];
        turned.view.strides[i] = own.view.strides[from];
    }
    u->slices = own.view.sizes[axis];
    if (op_view_is_dense(&turned.view)) return own.buffer;
    const struct op_place copy = {
        .buffer = room_of(call->plan, u->slices * u->outer * u->inner, (size_t)u->element_size),
        .view = op_view_dense(own.view.type, own.view.rank, turned.view.sizes)};
    op_copy_place(call->plan, &turned, &copy);
    return copy.buffer;
}

/* All elements, sorted if that is asked for. */
static int elements_of(const struct op_shape_call *call, struct k_unique *u, int *order)
{
    const aclTensor *self = self_of(call->problem)->tensor;
    const struct op_place from =
        op_dense_source(call, (int)(self_of(call->problem) - call->problem->values));
    u->slices = op_element_count(from.view.rank, from.view.sizes);
    if (!sorts(call->problem)) return from.buffer;
    struct k_sort sort = {.dtype = op_k_dtype(self),
                          .index_type = K_I64,
                          .has_values = true,
                          .has_index = u->has_inverse,
                          .rows = 1,
                          .count = u->slices,
                          .keep = u->slices};
    const int values = room_of(call->plan, u->slices, (size_t)u->element_size);
    *order = u->has_inverse ? room_of(call->plan, u->slices, 8) : values;
    op_sort_steps(call->plan, &sort, from.buffer, values, *order);
    u->has_order = u->has_inverse;
    u->in_order = true;
    return values;
}

static void sort_slices(const struct op_shape_call *call, struct k_unique *u, int from, int *order)
{
    const int room = room_of(call->plan, u->slices, 8);
    *order = room_of(call->plan, u->slices, 8);
    u->has_order = true;
    ex_step(call->plan, "order", k_unique_order, u, sizeof *u,
            (struct k_work){.items = 1, .grain = 1}, EX_BUFFERS(from, *order, room));
}

static void add_steps(const struct op_shape_call *call, struct k_unique *u, int from, int order,
                      int to, int inverse, int counted)
{
    const struct k_work blocks = {.items = u->blocks, .grain = 1};
    const struct k_mask sum = {.blocks = u->blocks};
    const int counts = room_of(call->plan, u->blocks + 1, 8);
    const int starts = u->has_counts ? room_of(call->plan, u->slices, 8) : counts;
    const struct op_value *values = op_written(call->problem, 0);
    const struct op_value *numbers = counts_of(call->problem);
    int axis = 0;
    if (has_axis(call->problem))
        op_find_axis(op_argument_named(call->problem, "dim")->integer,
                     values->tensor->descriptor.rank, &axis);
    ex_step(call->plan, "count", k_unique_count, u, sizeof *u, blocks,
            EX_BUFFERS(from, order, counts));
    ex_step(call->plan, "sum", k_mask_sum, &sum, sizeof sum,
            (struct k_work){.items = 1, .grain = 1}, EX_BUFFERS(counts));
    ex_step(call->plan, "place", k_unique_place, u, sizeof *u, blocks,
            EX_BUFFERS(from, order, counts, starts, to, inverse));
    if (u->has_counts)
        ex_step(call->plan, "runs", k_unique_runs, u, sizeof *u,
                (struct k_work){.items = u->slices, .grain = K_UNIQUE_BLOCK},
                EX_BUFFERS(counts, starts, counted));
    ex_settle_size(call->plan, to, axis, has_axis(call->problem), counts, u->blocks);
    if (numbers) ex_settle_size(call->plan, counted, 0, false, counts, u->blocks);
}

static void plan_unique(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const struct op_value *self = self_of(problem), *values = op_written(problem, 0);
    const struct op_value *inverse = inverse_of(problem), *counts = counts_of(problem);
    struct k_unique u = unique_of((aclDataType)self->tensor->descriptor.data_type);
    if (op_is_empty(self->tensor)) return;
    const int to = call->buffers[values - problem->values];
    const int counted = counts ? call->buffers[counts - problem->values] : to;
    struct op_place made = {.buffer = to};
    u.has_inverse = inverse != NULL;
    u.has_counts = counts != NULL;
    if (inverse) made = op_dense_target(call, (int)(inverse - problem->values));
    if (inverse) u.inverse_size = (int)ex_element_size(inverse->tensor->descriptor.data_type);
    if (counts) u.counts_size = (int)ex_element_size(counts->tensor->descriptor.data_type);
    if (counts) u.counts_step = counts->tensor->descriptor.strides[0];
    u.value_step = has_axis(problem) ? 1 : values->tensor->descriptor.strides[0];
    int axis = 0, from, order = to;
    if (has_axis(problem)) {
        op_find_axis(op_argument_named(problem, "dim")->integer, self->tensor->descriptor.rank,
                     &axis);
        from = slices_of(call, axis, &u);
        if (sorts(problem)) sort_slices(call, &u, from, &order);
    } else {
        from = elements_of(call, &u, &order);
    }
    u.blocks = (u.slices + K_UNIQUE_BLOCK - 1) / K_UNIQUE_BLOCK;
    add_steps(call, &u, from, order, to, made.buffer, counted);
    if (inverse) op_deliver(call, &made, (int)(inverse - problem->values));
}

const struct op_rule op_rule_unique = {
    .types = types,
    .shapes = shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_unique},
};
