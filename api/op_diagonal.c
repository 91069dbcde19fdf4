/* SPDX-License-Identifier: Apache-2.0 */
/* Diagonals and edges. */
#include <string.h>

#include "api/op_complex.h"
#include "api/op_families.h"
#include "api/op_shape.h"
#include "executor/steps.h"

static const aclTensor *tensor_of(const struct op_problem *problem, int argument)
{
    return problem->values[argument].tensor;
}

/* ---- diagonals ---- */

static int64_t diagonal_length(const int64_t *sizes, int64_t diagonal)
{
    const int64_t rows = sizes[0] - (diagonal < 0 ? -diagonal : 0);
    const int64_t columns = sizes[1] - (diagonal > 0 ? diagonal : 0);
    const int64_t shorter = rows < columns ? rows : columns;
    return shorter > 0 ? shorter : 0;
}

/* The diagonal of a matrix, `diagonal` columns right of the main one. */
static struct op_view diagonal_of(const struct op_view *matrix, int64_t diagonal)
{
    struct op_view line = {.type = matrix->type, .rank = 1, .offset = matrix->offset};
    const int64_t row = diagonal < 0 ? -diagonal : 0, column = diagonal > 0 ? diagonal : 0;
    line.sizes[0] = diagonal_length(matrix->sizes, diagonal);
    if (line.sizes[0] > 1) line.strides[0] = matrix->strides[0] + matrix->strides[1];
    if (line.sizes[0] > 0) line.offset += row * matrix->strides[0] + column * matrix->strides[1];
    return line;
}

static aclnnStatus eye_shapes(struct op_problem *problem)
{
    const struct op_value *out = &problem->values[2];
    const int64_t sizes[] = {problem->values[0].integer, problem->values[1].integer};
    for (int i = 0; i < 2; i++)
        OP_CHECK(problem->row->name, sizes[i] >= 0, ACLNN_ERR_PARAM_INVALID,
                 "%s is %" PRId64 "; it must not be negative", problem->values[i].name, sizes[i]);
    return op_check_shape(problem, out, out->tensor, 2, sizes);
}

static void eye(const struct op_shape_call *call)
{
    const struct op_place target = op_target(call, 2, 0);
    const struct op_place line = {target.buffer, diagonal_of(&target.view, 0)};
    op_fill_place(call->plan, &target, 0, 0);
    op_fill_place(call->plan, &line, 1, 1);
}

static aclnnStatus check_diagonal(const struct op_problem *problem, int64_t *magnitude)
{
    const int64_t diagonal = problem->values[1].integer;
    OP_CHECK(problem->row->name, diagonal > -(INT64_C(1) << 40) && diagonal < INT64_C(1) << 40,
             ACLNN_ERR_PARAM_INVALID, "diagonal is %" PRId64 "; that is too far away", diagonal);
    *magnitude = diagonal < 0 ? -diagonal : diagonal;
    return ACLNN_SUCCESS;
}

static aclnnStatus square_shapes(struct op_problem *problem, int64_t elements)
{
    const struct op_value *out = &problem->values[2];
    int64_t magnitude = 0;
    OP_TRY(check_diagonal(problem, &magnitude));
    const int64_t sizes[] = {elements + magnitude, elements + magnitude};
    return op_check_shape(problem, out, out->tensor, 2, sizes);
}

static aclnnStatus diag_shapes(struct op_problem *problem)
{
    const aclTensor *self = tensor_of(problem, 0);
    int64_t magnitude = 0;
    OP_TRY(op_check_rank(problem->row->name, "self", self, 1, 2));
    if (self->descriptor.rank == 1) return square_shapes(problem, self->descriptor.sizes[0]);
    OP_TRY(check_diagonal(problem, &magnitude));
    const int64_t length = diagonal_length(self->descriptor.sizes, problem->values[1].integer);
    return op_check_shape(problem, &problem->values[2], tensor_of(problem, 2), 1, &length);
}

static aclnnStatus diag_flat_shapes(struct op_problem *problem)
{
    const struct ex_descriptor *d = &tensor_of(problem, 0)->descriptor;
    return square_shapes(problem, op_element_count(d->rank, d->sizes));
}

/* x, y: a square matrix and its diagonal */
static aclnnStatus diag_part_shapes(struct op_problem *problem)
{
    const aclTensor *x = tensor_of(problem, 0);
    const int64_t *sizes = x->descriptor.sizes;
    struct op_shape_text text;
    OP_TRY(op_check_rank(problem->row->name, "x", x, 2, 2));
    OP_CHECK(problem->row->name, sizes[0] == sizes[1], ACLNN_ERR_PARAM_INVALID,
             "x's shape is %s; it must be a square matrix", op_shape(&text, x));
    return op_check_shape(problem, &problem->values[1], tensor_of(problem, 1), 1, sizes);
}

static void diag_part(const struct op_shape_call *call)
{
    struct op_place source = op_source(call, 0, 0);
    const struct op_place target = op_target(call, 1, 0);
    source.view = diagonal_of(&source.view, 0);
    op_copy_place(call->plan, &source, &target);
}

/* A line becomes a diagonal, or a diagonal a line. */
static void diag(const struct op_shape_call *call)
{
    struct op_place source = op_source(call, 0, 0), target = op_target(call, 2, 0);
    const int64_t diagonal = call->problem->values[1].integer;
    if (source.view.rank == 2 && target.view.rank == 1) {
        source.view = diagonal_of(&source.view, diagonal);
    } else {
        op_fill_place(call->plan, &target, 0, 0);
        target.view = diagonal_of(&target.view, diagonal);
    }
    op_copy_place(call->plan, &source, &target);
}

static void diag_flat(const struct op_shape_call *call)
{
    struct op_place source = op_dense_source(call, 0), target = op_target(call, 2, 0);
    const int64_t offset = source.view.offset;
    op_fill_place(call->plan, &target, 0, 0);
    target.view = diagonal_of(&target.view, call->problem->values[1].integer);
    source.view = op_view_dense(source.view.type, 1, target.view.sizes);
    source.view.offset = offset;
    op_copy_place(call->plan, &source, &target);
}

/* ---- ConstantPadNd ---- */

/* The axis' padding in front and behind; the array begins with the last axis. */
static void padding_of(const aclIntArray *pad, int rank, int axis, int64_t *front, int64_t *behind)
{
    const uint64_t at = 2 * (uint64_t)(rank - 1 - axis);
    *front = at < pad->size ? pad->values[at] : 0;
    *behind = at < pad->size ? pad->values[at + 1] : 0;
}

static aclnnStatus pad_shapes(struct op_problem *problem)
{
    const struct ex_descriptor *d = &tensor_of(problem, 0)->descriptor;
    const aclIntArray *pad = problem->values[1].ints;
    int64_t sizes[EX_MAX_RANK];
    OP_CHECK(problem->row->name, pad->size % 2 == 0 && pad->size <= 2 * (uint64_t)d->rank,
             ACLNN_ERR_PARAM_INVALID,
             "pad has %" PRIu64 " elements; it must have two for each of self's last dimensions",
             pad->size);
    OP_CHECK(problem->row->name,
             op_is_complex(problem->type) || !op_is_complex(problem->values[2].scalar->data_type),
             ACLNN_ERR_PARAM_INVALID, "value is of type %s; it must be real, as self is",
             op_data_type_name(problem->values[2].scalar->data_type));
    for (int i = 0; i < d->rank; i++) {
        int64_t front, behind;
        padding_of(pad, d->rank, i, &front, &behind);
        OP_CHECK(problem->row->name,
                 !__builtin_add_overflow(d->sizes[i], front, &sizes[i]) &&
                     !__builtin_add_overflow(sizes[i], behind, &sizes[i]) && sizes[i] >= 0,
                 ACLNN_ERR_PARAM_INVALID,
                 "pad adds %" PRId64 " and %" PRId64 " to dimension %d, whose size is %" PRId64
                 "; the sum must not be negative",
                 front, behind, i, d->sizes[i]);
    }
    return op_check_shape(problem, &problem->values[3], tensor_of(problem, 3), d->rank, sizes);
}

/* What is inside of both, along each axis. */
static void pad(const struct op_shape_call *call)
{
    const aclIntArray *array = call->problem->values[1].ints;
    const aclScalar *value = call->problem->values[2].scalar;
    struct op_place source = op_source(call, 0, 0), target = op_target(call, 3, 0);
    const struct op_place whole = target;
    bool is_padded = false;
    for (int i = 0; i < source.view.rank; i++) {
        int64_t front, behind;
        padding_of(array, source.view.rank, i, &front, &behind);
        is_padded |= front > 0 || behind > 0;
        const int64_t skip = front < 0 ? -front : 0, at = front > 0 ? front : 0;
        int64_t count = source.view.sizes[i] - skip;
        if (count > target.view.sizes[i] - at) count = target.view.sizes[i] - at;
        if (count < 0) count = 0;
        source.view = op_view_part(&source.view, i, skip, 1, count);
        target.view = op_view_part(&target.view, i, at, 1, count);
    }
    if (is_padded) op_fill_scalar(call->plan, &whole, value);
    op_copy_place(call->plan, &source, &target);
}

/* ---- TransMatmulWeight ---- */

static void leave(const struct op_shape_call *call)
{
    ex_rearranges(call->plan, op_target(call, 0, 0).buffer);
}

static aclnnStatus any_shape(struct op_problem *problem)
{
    (void)problem;
    return ACLNN_SUCCESS;
}

#define RULE(name, checks, steps)                                                                  \
    const struct op_rule op_rule_##name = {.types = op_one_type,                                   \
                                           .shapes = checks,                                       \
                                           .runs_empty = true,                                     \
                                           .more = &(const struct op_shape_rule){steps}}
RULE(eye, eye_shapes, eye);
RULE(diag, diag_shapes, diag);
RULE(diag_part, diag_part_shapes, diag_part);
RULE(diag_flat, diag_flat_shapes, diag_flat);
RULE(pad, pad_shapes, pad);
RULE(leave, any_shape, leave);
