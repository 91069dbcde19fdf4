/* SPDX-License-Identifier: Apache-2.0 */
/* Operators whose result is a view of their operand, or several, copied. */
#include <string.h>

#include "api/op_shape.h"

enum { SELF = 0, WIDE_RANK = 2 * EX_MAX_RANK };

static const aclTensor *tensor_of(const struct op_problem *problem, int argument)
{
    return problem->values[argument].tensor;
}

/* The result is the last argument. */
static int out_of(const struct op_problem *problem)
{
    return problem->count - 1;
}

static aclnnStatus check_out(const struct op_problem *problem, int rank, const int64_t *sizes)
{
    const struct op_value *out = &problem->values[out_of(problem)];
    return op_check_shape(problem, out, out->tensor, rank, sizes);
}

static void copy_sizes(int64_t *to, const aclTensor *tensor)
{
    memcpy(to, tensor->descriptor.sizes, (size_t)tensor->descriptor.rank * sizeof *to);
}

/* Each element of an array of axes is one, and none is there twice. */
static aclnnStatus check_axes(const struct op_problem *problem, const struct op_value *value,
                              int rank, int axes[EX_MAX_RANK])
{
    unsigned seen = 0;
    for (uint64_t i = 0; i < value->ints->size; i++) {
        int axis;
        OP_CHECK(problem->row->name, op_find_axis(value->ints->values[i], rank, &axis),
                 ACLNN_ERR_PARAM_INVALID,
                 "%s[%" PRIu64 "] is %" PRId64 "; the tensor has %d dimensions", value->name, i,
                 value->ints->values[i], rank);
        OP_CHECK(problem->row->name, (seen >> axis & 1) == 0, ACLNN_ERR_PARAM_INVALID,
                 "%s names dimension %d twice", value->name, axis);
        seen |= 1U << axis;
        axes[i] = axis;
    }
    return ACLNN_SUCCESS;
}

/* ---- Permute ---- */

static aclnnStatus permute_shapes(struct op_problem *problem)
{
    const struct ex_descriptor *d = &tensor_of(problem, SELF)->descriptor;
    const struct op_value *dims = &problem->values[1];
    int axes[EX_MAX_RANK];
    int64_t sizes[EX_MAX_RANK];
    OP_CHECK(problem->row->name, dims->ints->size == (uint64_t)d->rank, ACLNN_ERR_PARAM_INVALID,
             "dims has %" PRIu64 " elements; self has %d dimensions", dims->ints->size, d->rank);
    OP_TRY(check_axes(problem, dims, d->rank, axes));
    for (int i = 0; i < d->rank; i++)
        sizes[i] = d->sizes[axes[i]];
    return check_out(problem, d->rank, sizes);
}

static void permute(const struct op_shape_call *call)
{
    const struct op_place source = op_source(call, SELF, 0), target = op_target(call, 2, 0);
    const aclIntArray *dims = call->problem->values[1].ints;
    struct op_place turned = source;
    for (int i = 0; i < source.view.rank; i++) {
        int axis = 0;
        op_find_axis(dims->values[i], source.view.rank, &axis);
        turned.view.sizes[i] = source.view.sizes[axis];
        turned.view.strides[i] = source.view.strides[axis];
    }
    op_copy_place(call->plan, &turned, &target);
}

/* ---- Expand ---- */

static aclnnStatus expand_shapes(struct op_problem *problem)
{
    const struct ex_descriptor *d = &tensor_of(problem, SELF)->descriptor;
    const aclIntArray *size = problem->values[1].ints;
    const int rank = (int)size->size, missing = rank - d->rank;
    int64_t sizes[EX_MAX_RANK];
    OP_CHECK(problem->row->name, size->size <= EX_MAX_RANK && missing >= 0, ACLNN_ERR_PARAM_INVALID,
             "size has %" PRIu64 " elements; it must have from self's %d to %d", size->size,
             d->rank, EX_MAX_RANK);
    for (int i = 0; i < rank; i++) {
        const int64_t own = i < missing ? 1 : d->sizes[i - missing];
        sizes[i] = size->values[i] == -1 && i >= missing ? own : size->values[i];
        OP_CHECK(problem->row->name, sizes[i] >= 0 && (own == 1 || own == sizes[i]),
                 ACLNN_ERR_PARAM_INVALID,
                 "size[%d] is %" PRId64 "; self's size %" PRId64 " does not expand to it", i,
                 size->values[i], own);
    }
    return check_out(problem, rank, sizes);
}

static void expand(const struct op_shape_call *call)
{
    struct op_place source = op_source(call, SELF, 0);
    const struct op_place target = op_target(call, 2, 0);
    source.view = op_view_broadcast(&source.view, target.view.rank, target.view.sizes);
    op_copy_place(call->plan, &source, &target);
}

/* ---- Repeat, RepeatInterleaveInt: axes that are split in two ---- */

/* Views of up to WIDE_RANK axes, in pieces of EX_MAX_RANK. */
struct wide {
    int rank;
    int64_t sizes[WIDE_RANK], from[WIDE_RANK], to[WIDE_RANK];
};

static void add_axis(struct wide *wide, int64_t size, int64_t from, int64_t to)
{
    if (size == 1) return;
    wide->sizes[wide->rank] = size;
    wide->from[wide->rank] = from;
    wide->to[wide->rank++] = to;
}

static void copy_wide(struct ex_plan *plan, const struct wide *wide, struct op_place from,
                      struct op_place to)
{
    if (wide->rank > EX_MAX_RANK) {
        struct wide rest = *wide;
        int least = 0;
        for (int i = 1; i < wide->rank; i++)
            if (wide->sizes[i] < wide->sizes[least]) least = i;
        for (int i = least; i + 1 < wide->rank; i++) {
            rest.sizes[i] = wide->sizes[i + 1];
            rest.from[i] = wide->from[i + 1];
            rest.to[i] = wide->to[i + 1];
        }
        rest.rank--;
        for (int64_t i = 0; i < wide->sizes[least]; i++) {
            copy_wide(plan, &rest, from, to);
            from.view.offset += wide->from[least];
            to.view.offset += wide->to[least];
        }
        return;
    }
    from.view.rank = to.view.rank = wide->rank;
    for (int i = 0; i < wide->rank; i++) {
        from.view.sizes[i] = to.view.sizes[i] = wide->sizes[i];
        from.view.strides[i] = wide->from[i];
        to.view.strides[i] = wide->to[i];
    }
    op_copy_place(plan, &from, &to);
}

static aclnnStatus repeat_shapes(struct op_problem *problem)
{
    const struct ex_descriptor *d = &tensor_of(problem, SELF)->descriptor;
    const aclIntArray *repeats = problem->values[1].ints;
    const int rank = (int)repeats->size, missing = rank - d->rank;
    int64_t sizes[EX_MAX_RANK];
    OP_CHECK(problem->row->name, repeats->size <= EX_MAX_RANK && missing >= 0,
             ACLNN_ERR_PARAM_INVALID,
             "repeats has %" PRIu64 " elements; it must have from self's %d to %d", repeats->size,
             d->rank, EX_MAX_RANK);
    for (int i = 0; i < rank; i++) {
        const int64_t own = i < missing ? 1 : d->sizes[i - missing];
        OP_CHECK(problem->row->name,
                 repeats->values[i] >= 0 &&
                     !__builtin_mul_overflow(own, repeats->values[i], &sizes[i]),
                 ACLNN_ERR_PARAM_INVALID, "repeats[%d] is %" PRId64 "; it must not be negative", i,
                 repeats->values[i]);
    }
    return check_out(problem, rank, sizes);
}

static void repeat(const struct op_shape_call *call)
{
    const struct op_place source = op_source(call, SELF, 0), target = op_target(call, 2, 0);
    const aclIntArray *repeats = call->problem->values[1].ints;
    const struct op_view *to = &target.view;
    const struct op_view from = source.view;
    struct wide wide = {.rank = 0};
    if (op_view_is_empty(to)) return;
    for (int i = 0; i < to->rank; i++) {
        const int axis = i - (to->rank - from.rank);
        const int64_t own = axis < 0 ? 1 : from.sizes[axis];
        add_axis(&wide, repeats->values[i], 0, own * to->strides[i]);
        if (axis >= 0) add_axis(&wide, own, from.strides[axis], to->strides[i]);
    }
    copy_wide(call->plan, &wide, source, target);
}

/* repeats is argument 1, outputSize the one before out; with a dimension (argument 2) between. */
static aclnnStatus interleave_shapes(struct op_problem *problem)
{
    const struct op_value *repeats = &problem->values[1];
    const struct op_value *output_size = &problem->values[problem->count - 2];
    const bool has_axis = problem->count == 5;
    const aclTensor *self = tensor_of(problem, SELF);
    int64_t sizes[EX_MAX_RANK];
    int axis = 0, rank = 1;
    if (has_axis) {
        OP_TRY(op_check_axis(problem, &problem->values[2], self, &axis));
        rank = self->descriptor.rank > 0 ? self->descriptor.rank : 1;
        sizes[0] = 1;
        copy_sizes(sizes, self);
    } else {
        sizes[0] = op_element_count(self->descriptor.rank, self->descriptor.sizes);
    }
    OP_CHECK(problem->row->name,
             repeats->integer >= 0 &&
                 !__builtin_mul_overflow(sizes[axis], repeats->integer, &sizes[axis]),
             ACLNN_ERR_PARAM_INVALID, "repeats is %" PRId64 "; it must not be negative",
             repeats->integer);
    OP_CHECK(problem->row->name, output_size->integer == sizes[axis], ACLNN_ERR_PARAM_INVALID,
             "outputSize is %" PRId64 "; the result has %" PRId64, output_size->integer,
             sizes[axis]);
    return check_out(problem, rank, sizes);
}

static void interleave(const struct op_shape_call *call)
{
    const int out = out_of(call->problem);
    const int64_t repeats = call->problem->values[1].integer;
    const struct op_place target = op_target(call, out, 0);
    struct op_place source;
    struct wide wide = {.rank = 0};
    int axis = 0;
    if (op_view_is_empty(&target.view)) return;
    if (call->problem->count == 5) {
        source = op_source(call, SELF, 0);
        op_find_axis(call->problem->values[2].integer, source.view.rank, &axis);
    } else { /* all elements in a row */
        const int64_t elements = target.view.sizes[0] / repeats;
        source = op_dense_source(call, SELF);
        const int64_t offset = source.view.offset;
        source.view = op_view_dense(source.view.type, 1, &elements);
        source.view.offset = offset;
    }
    for (int i = 0; i < target.view.rank; i++) {
        const int64_t step = target.view.strides[i];
        const int64_t own = source.view.rank == 0 ? 1 : source.view.sizes[i];
        const int64_t from = source.view.rank == 0 ? 0 : source.view.strides[i];
        if (i == axis) add_axis(&wide, repeats, 0, step);
        add_axis(&wide, own, from, i == axis ? repeats * step : step);
    }
    copy_wide(call->plan, &wide, source, target);
}

/* ---- Flip ---- */

static aclnnStatus flip_shapes(struct op_problem *problem)
{
    const aclTensor *self = tensor_of(problem, SELF);
    int axes[EX_MAX_RANK];
    OP_TRY(check_axes(problem, &problem->values[1], self->descriptor.rank, axes));
    return check_out(problem, self->descriptor.rank, self->descriptor.sizes);
}

static void flip(const struct op_shape_call *call)
{
    struct op_place source = op_source(call, SELF, 0);
    const struct op_place target = op_target(call, 2, 0);
    const aclIntArray *dims = call->problem->values[1].ints;
    if (op_view_is_empty(&target.view)) return;
    for (uint64_t i = 0; i < dims->size && source.view.rank > 0; i++) {
        int axis = 0;
        op_find_axis(dims->values[i], source.view.rank, &axis);
        source.view = op_view_part(&source.view, axis, source.view.sizes[axis] - 1, -1,
                                   source.view.sizes[axis]);
    }
    op_copy_place(call->plan, &source, &target);
}

/* ---- Roll ---- */

static aclnnStatus roll_shapes(struct op_problem *problem)
{
    const aclTensor *x = tensor_of(problem, SELF);
    const aclIntArray *shifts = problem->values[1].ints, *dims = problem->values[2].ints;
    OP_CHECK(problem->row->name, shifts->size == (dims->size > 0 ? dims->size : 1),
             ACLNN_ERR_PARAM_INVALID,
             "shifts has %" PRIu64 " elements, dims %" PRIu64
             "; they must have as many, or shifts one and dims none",
             shifts->size, dims->size);
    for (uint64_t i = 0; i < dims->size; i++) {
        int axis;
        OP_CHECK(problem->row->name, op_find_axis(dims->values[i], x->descriptor.rank, &axis),
                 ACLNN_ERR_PARAM_INVALID, "dims[%" PRIu64 "] is %" PRId64 "; x has %d dimensions",
                 i, dims->values[i], x->descriptor.rank);
    }
    return check_out(problem, x->descriptor.rank, x->descriptor.sizes);
}

/* Two parts along each axis that is shifted. */
static void roll_parts(struct ex_plan *plan, int axis, const int64_t *shifts,
                       const struct op_place *from, const struct op_place *to)
{
    while (axis < from->view.rank && shifts[axis] == 0)
        axis++;
    if (axis >= from->view.rank) {
        op_copy_place(plan, from, to);
        return;
    }
    const int64_t size = from->view.sizes[axis], shift = shifts[axis];
    struct op_place a = *from, b = *to;
    a.view = op_view_part(&from->view, axis, 0, 1, size - shift);
    b.view = op_view_part(&to->view, axis, shift, 1, size - shift);
    roll_parts(plan, axis + 1, shifts, &a, &b);
    a.view = op_view_part(&from->view, axis, size - shift, 1, shift);
    b.view = op_view_part(&to->view, axis, 0, 1, shift);
    roll_parts(plan, axis + 1, shifts, &a, &b);
}

/* 0 <= result < size */
static int64_t modulo(int64_t value, int64_t size)
{
    const int64_t remainder = value % size;
    return remainder < 0 ? remainder + size : remainder;
}

static void roll(const struct op_shape_call *call)
{
    const aclIntArray *shifts = call->problem->values[1].ints;
    const aclIntArray *dims = call->problem->values[2].ints;
    int64_t by[EX_MAX_RANK] = {0};
    if (op_is_empty(tensor_of(call->problem, SELF))) return;
    if (dims->size == 0) { /* all elements in a row */
        struct op_place source = op_dense_source(call, SELF), target = op_dense_target(call, 3);
        const struct op_place made = target;
        const int64_t elements = op_element_count(source.view.rank, source.view.sizes);
        const int64_t from = source.view.offset, to = target.view.offset;
        source.view = target.view = op_view_dense(source.view.type, 1, &elements);
        source.view.offset = from;
        target.view.offset = to;
        by[0] = modulo(shifts->values[0], elements);
        roll_parts(call->plan, 0, by, &source, &target);
        op_deliver(call, &made, 3);
        return;
    }
    const struct op_place source = op_source(call, SELF, 0), target = op_target(call, 3, 0);
    for (uint64_t i = 0; i < dims->size && source.view.rank > 0; i++) {
        int axis = 0;
        op_find_axis(dims->values[i], source.view.rank, &axis);
        const int64_t size = source.view.sizes[axis];
        by[axis] = (by[axis] + modulo(shifts->values[i], size)) % size;
    }
    roll_parts(call->plan, 0, by, &source, &target);
}

/* ---- Slice, SliceV2 ---- */

struct part {
    int64_t begin, step, count;
};

static int64_t clamp(int64_t value, int64_t size)
{
    if (value < 0) value = value < -size ? 0 : value + size;
    return value > size ? size : value;
}

static struct part part_of(int64_t size, int64_t start, int64_t end, int64_t step)
{
    struct part part = {.begin = clamp(start, size), .step = step};
    const int64_t stop = clamp(end, size);
    if (stop > part.begin) part.count = (stop - part.begin - 1) / step + 1;
    return part;
}

static aclnnStatus check_step(const struct op_problem *problem, const char *name, int64_t step)
{
    OP_CHECK(problem->row->name, step > 0, ACLNN_ERR_PARAM_INVALID,
             "%s is %" PRId64 "; it must be greater than 0", name, step);
    return ACLNN_SUCCESS;
}

static aclnnStatus slice_shapes(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    const aclTensor *self = tensor_of(problem, SELF);
    int64_t sizes[EX_MAX_RANK];
    int axis;
    OP_TRY(op_check_rank(problem->row->name, "self", self, 1, EX_MAX_RANK));
    OP_TRY(op_check_axis(problem, &values[1], self, &axis));
    OP_TRY(check_step(problem, "step", values[4].integer));
    copy_sizes(sizes, self);
    sizes[axis] =
        part_of(sizes[axis], values[2].integer, values[3].integer, values[4].integer).count;
    return check_out(problem, self->descriptor.rank, sizes);
}

static void take_part(struct op_place *source, int64_t dim, int64_t start, int64_t end,
                      int64_t step)
{
    int axis = 0;
    op_find_axis(dim, source->view.rank, &axis);
    const struct part part = part_of(source->view.sizes[axis], start, end, step);
    source->view = op_view_part(&source->view, axis, part.begin, part.step, part.count);
}

static void slice(const struct op_shape_call *call)
{
    const struct op_value *values = call->problem->values;
    struct op_place source = op_source(call, SELF, 0);
    const struct op_place target = op_target(call, 5, 0);
    take_part(&source, values[1].integer, values[2].integer, values[3].integer, values[4].integer);
    op_copy_place(call->plan, &source, &target);
}

static aclnnStatus slices_shapes(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    const aclIntArray *starts = values[1].ints, *ends = values[2].ints, *steps = values[4].ints;
    const aclTensor *self = tensor_of(problem, SELF);
    int axes[EX_MAX_RANK];
    int64_t sizes[EX_MAX_RANK];
    for (int i = 1; i <= 4; i++)
        OP_CHECK(problem->row->name, values[i].ints->size == starts->size, ACLNN_ERR_PARAM_INVALID,
                 "%s has %" PRIu64 " elements, starts %" PRIu64 "; they must have as many",
                 values[i].name, values[i].ints->size, starts->size);
    OP_TRY(op_check_rank(problem->row->name, "self", self, 1, EX_MAX_RANK));
    OP_TRY(check_axes(problem, &values[3], self->descriptor.rank, axes));
    copy_sizes(sizes, self);
    for (uint64_t i = 0; i < starts->size; i++) {
        OP_TRY(check_step(problem, "an element of steps", steps->values[i]));
        sizes[axes[i]] =
            part_of(sizes[axes[i]], starts->values[i], ends->values[i], steps->values[i]).count;
    }
    return check_out(problem, self->descriptor.rank, sizes);
}

static void slices(const struct op_shape_call *call)
{
    const struct op_value *values = call->problem->values;
    struct op_place source = op_source(call, SELF, 0);
    const struct op_place target = op_target(call, 5, 0);
    for (uint64_t i = 0; i < values[1].ints->size; i++)
        take_part(&source, values[3].ints->values[i], values[1].ints->values[i],
                  values[2].ints->values[i], values[4].ints->values[i]);
    op_copy_place(call->plan, &source, &target);
}

/* ---- Flatten ---- */

static aclnnStatus flatten_shapes(struct op_problem *problem)
{
    const struct ex_descriptor *d = &tensor_of(problem, SELF)->descriptor;
    const struct op_value *axis = &problem->values[1];
    int64_t sizes[2] = {1, 1};
    OP_CHECK(problem->row->name, axis->integer >= -d->rank && axis->integer <= d->rank,
             ACLNN_ERR_PARAM_INVALID, "axis is %" PRId64 "; self has %d dimensions", axis->integer,
             d->rank);
    const int64_t cut = axis->integer < 0 ? axis->integer + d->rank : axis->integer;
    for (int i = 0; i < d->rank; i++)
        sizes[i >= cut] *= d->sizes[i];
    return check_out(problem, 2, sizes);
}

static void flatten(const struct op_shape_call *call)
{
    const struct op_place source = op_source(call, SELF, 0);
    struct op_place target = op_dense_target(call, 2);
    const struct op_place made = target;
    const int64_t offset = target.view.offset;
    target.view = op_view_dense(source.view.type, source.view.rank, source.view.sizes);
    target.view.offset = offset;
    op_copy_place(call->plan, &source, &target);
    op_deliver(call, &made, 2);
}

/* ---- ChannelShuffle ---- */

static aclnnStatus shuffle_shapes(struct op_problem *problem)
{
    const aclTensor *self = tensor_of(problem, SELF);
    const int64_t groups = problem->values[1].integer;
    OP_TRY(op_check_rank(problem->row->name, "self", self, 3, 7));
    OP_CHECK(problem->row->name, groups > 0 && self->descriptor.sizes[1] % groups == 0,
             ACLNN_ERR_PARAM_INVALID,
             "groups is %" PRId64 "; it must be greater than 0 and divide self's %" PRId64
             " channels",
             groups, self->descriptor.sizes[1]);
    return check_out(problem, self->descriptor.rank, self->descriptor.sizes);
}

/* Channel g * n + j becomes channel j * groups + g. */
static void shuffle(const struct op_shape_call *call)
{
    const struct op_place source = op_source(call, SELF, 0), target = op_target(call, 2, 0);
    const int64_t groups = call->problem->values[1].integer;
    struct wide wide = {.rank = 0};
    if (op_view_is_empty(&target.view)) return;
    for (int i = 0; i < source.view.rank; i++) {
        const int64_t from = source.view.strides[i], to = target.view.strides[i];
        const int64_t size = source.view.sizes[i];
        if (i == 1) {
            add_axis(&wide, groups, size / groups * from, to);
            add_axis(&wide, size / groups, from, groups * to);
        } else {
            add_axis(&wide, size, from, to);
        }
    }
    copy_wide(call->plan, &wide, source, target);
}

#define RULE(name, checks, steps)                                                                  \
    const struct op_rule op_rule_##name = {.types = op_one_type,                                   \
                                           .shapes = checks,                                       \
                                           .runs_empty = true,                                     \
                                           .more = &(const struct op_shape_rule){steps}}
RULE(permute, permute_shapes, permute);
RULE(expand, expand_shapes, expand);
RULE(repeat, repeat_shapes, repeat);
RULE(interleave, interleave_shapes, interleave);
RULE(flip, flip_shapes, flip);
RULE(roll, roll_shapes, roll);
RULE(slice, slice_shapes, slice);
RULE(slices, slices_shapes, slices);
RULE(flatten, flatten_shapes, flatten);
RULE(channel_shuffle, shuffle_shapes, shuffle);
