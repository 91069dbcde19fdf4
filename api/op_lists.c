/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of a list side by side, and a tensor in pieces. */
#include <string.h>

#include "api/op_shape.h"

enum { LIST = 0, DIM = 1, OUT = 2 };          /* Cat, Stack */
enum { SELF = 0, SPLIT_DIM = 2, PIECES = 3 }; /* SplitTensor, SplitWithSize */

/* ---- Cat ---- */

/* A tensor of shape (0) is nothing, whatever the others' shape. */
static bool is_nothing(const aclTensor *tensor)
{
    return tensor->descriptor.rank == 1 && tensor->descriptor.sizes[0] == 0;
}

static aclnnStatus check_list(const struct op_problem *problem)
{
    OP_CHECK(problem->row->name, problem->values[LIST].tensors->size > 0, ACLNN_ERR_PARAM_INVALID,
             "tensors is empty");
    return ACLNN_SUCCESS;
}

/* The elements promote to a type that can be cast to out's. */
static aclnnStatus cat_types(struct op_problem *problem)
{
    const struct op_row *row = problem->row;
    const aclTensorList *list = problem->values[LIST].tensors;
    const aclTensor *out = problem->values[OUT].tensor;
    OP_TRY(check_list(problem));
    for (uint64_t i = 0; i < list->size; i++) {
        const aclTensor *tensor = list->elements[i];
        const aclDataType type = (aclDataType)tensor->descriptor.data_type;
        OP_TRY(op_check_type(row->name, "tensors", tensor, row->types, row->type_names));
        problem->type = i == 0 ? type : op_promote(problem->type, type);
        OP_CHECK(row->name, problem->type != ACL_DT_UNDEFINED, ACLNN_ERR_PARAM_INVALID,
                 "tensors[%" PRIu64 "] is of type %s, which does not promote with those before it",
                 i, op_data_type_name(type));
    }
    OP_TRY(op_check_type(row->name, "out", out, row->types, row->type_names));
    const aclDataType result = (aclDataType)out->descriptor.data_type;
    OP_CHECK(row->name, op_can_cast(problem->type, result), ACLNN_ERR_PARAM_INVALID,
             "tensors promote to %s, which cannot be cast to out's type, %s",
             op_data_type_name(problem->type), op_data_type_name(result));
    problem->result = result;
    return ACLNN_SUCCESS;
}

static aclnnStatus cat_shapes(struct op_problem *problem)
{
    const aclTensorList *list = problem->values[LIST].tensors;
    const aclTensor *first = NULL;
    struct op_shape_text text, wanted;
    int64_t sizes[EX_MAX_RANK] = {0}, joint = 0;
    int axis = 0;
    for (uint64_t i = 0; i < list->size; i++) {
        const aclTensor *tensor = list->elements[i];
        const struct ex_descriptor *d = &tensor->descriptor;
        if (is_nothing(tensor)) continue;
        OP_TRY(op_check_rank(problem->row->name, "tensors", tensor, 1, EX_MAX_RANK));
        if (!first) {
            first = tensor;
            OP_TRY(op_check_axis(problem, &problem->values[DIM], first, &axis));
            memcpy(sizes, d->sizes, (size_t)d->rank * sizeof *sizes);
        }
        bool fits = d->rank == first->descriptor.rank;
        for (int j = 0; fits && j < d->rank; j++)
            fits = j == axis || d->sizes[j] == sizes[j];
        OP_CHECK(problem->row->name, fits && !__builtin_add_overflow(joint, d->sizes[axis], &joint),
                 ACLNN_ERR_PARAM_INVALID,
                 "tensors[%" PRIu64 "]'s shape is %s; it must be %s but for dimension %d", i,
                 op_shape(&text, tensor), op_shape(&wanted, first), axis);
    }
    if (!first) OP_TRY(op_check_axis(problem, &problem->values[DIM], list->elements[0], &axis));
    sizes[axis] = joint;
    return op_check_shape(problem, &problem->values[OUT], problem->values[OUT].tensor,
                          first ? first->descriptor.rank : 1, sizes);
}

static void cat(const struct op_shape_call *call)
{
    const aclTensorList *list = call->problem->values[LIST].tensors;
    const struct op_place target = op_apart_target(call, LIST, OUT);
    int64_t begin = 0;
    int axis = 0;
    op_find_axis(call->problem->values[DIM].integer, target.view.rank, &axis);
    if (op_view_is_empty(&target.view)) return;
    for (uint64_t i = 0; i < list->size; i++) {
        if (op_is_empty(list->elements[i])) continue;
        const struct op_place source = op_target(call, LIST, i);
        const int64_t count = source.view.sizes[axis];
        const struct op_place part = {target.buffer,
                                      op_view_part(&target.view, axis, begin, 1, count)};
        op_copy_place(call->plan, &source, &part);
        begin += count;
    }
    op_deliver(call, &target, OUT);
}

/* ---- Stack ---- */

static aclnnStatus stack_axis(const struct op_problem *problem, int *axis)
{
    const struct op_value *dim = &problem->values[DIM];
    const int rank = problem->values[LIST].tensors->elements[0]->descriptor.rank;
    OP_CHECK(problem->row->name, op_find_axis(dim->integer, rank + 1, axis),
             ACLNN_ERR_PARAM_INVALID, "dim is %" PRId64 "; it must be from %d to %d", dim->integer,
             -rank - 1, rank);
    return ACLNN_SUCCESS;
}

static aclnnStatus stack_shapes(struct op_problem *problem)
{
    const struct op_value *out = &problem->values[OUT];
    const aclTensorList *list = problem->values[LIST].tensors;
    const struct ex_descriptor *d = &list->elements[0]->descriptor;
    int64_t sizes[EX_MAX_RANK];
    struct op_shape_text text, wanted;
    int axis;
    OP_TRY(op_check_rank(problem->row->name, "tensors", list->elements[0], 0, EX_MAX_RANK - 1));
    OP_TRY(stack_axis(problem, &axis));
    for (uint64_t i = 1; i < list->size; i++)
        OP_CHECK(problem->row->name, op_same_shape(list->elements[i], list->elements[0]),
                 ACLNN_ERR_PARAM_INVALID,
                 "tensors[%" PRIu64 "] has shape %s; it must be tensors[0]'s, which is %s", i,
                 op_shape(&text, list->elements[i]), op_shape(&wanted, list->elements[0]));
    for (int i = 0; i <= d->rank; i++)
        sizes[i] = i == axis ? (int64_t)list->size : d->sizes[i < axis ? i : i - 1];
    return op_check_shape(problem, out, out->tensor, d->rank + 1, sizes);
}

/* The view at one index of an axis, which it has no more. */
static struct op_view at_index(const struct op_view *view, int axis, int64_t index)
{
    struct op_view one = *view;
    one.offset += index * view->strides[axis];
    one.rank--;
    for (int i = axis; i < one.rank; i++) {
        one.sizes[i] = view->sizes[i + 1];
        one.strides[i] = view->strides[i + 1];
    }
    return one;
}

static void stack(const struct op_shape_call *call)
{
    const aclTensorList *list = call->problem->values[LIST].tensors;
    const struct op_place target = op_apart_target(call, LIST, OUT);
    int axis = 0;
    op_find_axis(call->problem->values[DIM].integer, target.view.rank, &axis);
    if (op_view_is_empty(&target.view)) return;
    for (uint64_t i = 0; i < list->size; i++) {
        const struct op_place source = op_target(call, LIST, i);
        const struct op_place part = {target.buffer, at_index(&target.view, axis, (int64_t)i)};
        op_copy_place(call->plan, &source, &part);
    }
    op_deliver(call, &target, OUT);
}

/* ---- SplitTensor, SplitWithSize ---- */

static aclnnStatus check_piece(const struct op_problem *problem, uint64_t i, int axis, int64_t size)
{
    const struct op_value *out = &problem->values[PIECES];
    const struct ex_descriptor *d = &problem->values[SELF].tensor->descriptor;
    int64_t sizes[EX_MAX_RANK];
    memcpy(sizes, d->sizes, (size_t)d->rank * sizeof *sizes);
    sizes[axis] = size;
    return op_check_shape(problem, out, out->tensors->elements[i], d->rank, sizes);
}

static aclnnStatus check_pieces(const struct op_problem *problem, uint64_t count)
{
    const aclTensorList *out = problem->values[PIECES].tensors;
    OP_CHECK(problem->row->name, out->size == count, ACLNN_ERR_PARAM_INVALID,
             "out has %" PRIu64 " tensors; there are %" PRIu64 " pieces", out->size, count);
    return ACLNN_SUCCESS;
}

static aclnnStatus split_shapes(struct op_problem *problem)
{
    const aclTensor *self = problem->values[SELF].tensor;
    const uint64_t piece = (uint64_t)problem->values[1].integer;
    int axis;
    OP_TRY(op_check_rank(problem->row->name, "self", self, 1, EX_MAX_RANK));
    OP_TRY(op_check_axis(problem, &problem->values[SPLIT_DIM], self, &axis));
    const uint64_t size = (uint64_t)self->descriptor.sizes[axis];
    OP_CHECK(problem->row->name, (piece == 0) == (size == 0) || (size == 0 && piece > 0),
             ACLNN_ERR_PARAM_INVALID,
             "splitSections is 0; self's dimension %d has %" PRIu64 " elements", axis, size);
    const uint64_t count = size == 0 ? 1 : (size - 1) / piece + 1;
    OP_TRY(check_pieces(problem, count));
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t left = size == 0 ? 0 : size - i * piece;
        OP_TRY(check_piece(problem, i, axis, (int64_t)(left < piece ? left : piece)));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus split_sizes_shapes(struct op_problem *problem)
{
    const aclTensor *self = problem->values[SELF].tensor;
    const aclIntArray *sizes = problem->values[1].ints;
    int64_t sum = 0;
    int axis;
    OP_TRY(op_check_rank(problem->row->name, "self", self, 1, EX_MAX_RANK));
    OP_TRY(op_check_axis(problem, &problem->values[SPLIT_DIM], self, &axis));
    OP_TRY(check_pieces(problem, sizes->size));
    for (uint64_t i = 0; i < sizes->size; i++) {
        OP_CHECK(problem->row->name,
                 sizes->values[i] >= 0 && !__builtin_add_overflow(sum, sizes->values[i], &sum),
                 ACLNN_ERR_PARAM_INVALID,
                 "splitSize[%" PRIu64 "] is %" PRId64 "; it must not be negative", i,
                 sizes->values[i]);
        OP_TRY(check_piece(problem, i, axis, sizes->values[i]));
    }
    OP_CHECK(problem->row->name, sum == self->descriptor.sizes[axis], ACLNN_ERR_PARAM_INVALID,
             "splitSize's sum is %" PRId64 "; self's dimension %d has %" PRId64 " elements", sum,
             axis, self->descriptor.sizes[axis]);
    return ACLNN_SUCCESS;
}

/* Each piece has its size in its own shape. */
static void split(const struct op_shape_call *call)
{
    const uint64_t count = call->problem->values[PIECES].tensors->size;
    const struct op_place source = op_source(call, SELF, 0);
    int64_t begin = 0;
    int axis = 0;
    op_find_axis(call->problem->values[SPLIT_DIM].integer, source.view.rank, &axis);
    if (op_view_is_empty(&source.view)) return;
    for (uint64_t i = 0; i < count; i++) {
        const struct op_place target = op_target(call, PIECES, i);
        const int64_t size = target.view.sizes[axis];
        const struct op_place part = {source.buffer,
                                      op_view_part(&source.view, axis, begin, 1, size)};
        op_copy_place(call->plan, &part, &target);
        begin += size;
    }
}

static aclnnStatus stack_types(struct op_problem *problem)
{
    OP_TRY(check_list(problem));
    return op_one_type(problem);
}

const struct op_rule op_rule_cat = {.types = cat_types,
                                    .shapes = cat_shapes,
                                    .runs_empty = true,
                                    .more = &(const struct op_shape_rule){cat}};
const struct op_rule op_rule_stack = {.types = stack_types,
                                      .shapes = stack_shapes,
                                      .runs_empty = true,
                                      .more = &(const struct op_shape_rule){stack}};
const struct op_rule op_rule_split = {.types = op_one_type,
                                      .shapes = split_shapes,
                                      .runs_empty = true,
                                      .more = &(const struct op_shape_rule){split}};
const struct op_rule op_rule_split_sizes = {.types = op_one_type,
                                            .shapes = split_sizes_shapes,
                                            .runs_empty = true,
                                            .more = &(const struct op_shape_rule){split}};
