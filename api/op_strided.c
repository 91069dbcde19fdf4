/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnStridedSlice and aclnnStridedSliceAssignV2: parts of a tensor along several axes. */
#include "api/op_shape.h"

#include "api/op_index.h"
#include "runtime/support/base.h"

/* ---- aclnnStridedSlice: the specification of TensorFlow ---- */

struct masks {
    int64_t begin, end, ellipsis, new_axis, shrink;
};

static struct masks masks_of(const struct op_problem *problem)
{
    return (struct masks){.begin = op_argument_named(problem, "beginMask")->integer,
                          .end = op_argument_named(problem, "endMask")->integer,
                          .ellipsis = op_argument_named(problem, "ellipsisMask")->integer,
                          .new_axis = op_argument_named(problem, "newAxisMask")->integer,
                          .shrink = op_argument_named(problem, "shrinkAxisMask")->integer};
}

static const aclIntArray *array_of(const struct op_problem *problem, const char *name)
{
    return op_argument_named(problem, name)->ints;
}

static bool has_bit(int64_t mask, uint64_t i)
{
    return i < 63 && mask >> i & 1;
}

static int64_t clamped(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* A place on an axis, from the end if negative, within it (or just beside, where steps go down). */
static int64_t on_axis(int64_t place, int64_t size, bool goes_down)
{
    if (place < 0) place = place < -size ? -1 : place + size;
    return goes_down ? clamped(place, -1, size - 1) : clamped(place, 0, size);
}

/* Elements from begin to end, by steps. */
static int64_t steps_between(int64_t begin, int64_t end, int64_t step)
{
    if (step > 0) return begin < end ? (end - begin - 1) / step + 1 : 0;
    return begin > end ? (begin - end - 1) / (step == INT64_MIN ? INT64_MAX : -step) + 1 : 0;
}

/* The i-th entry's part of axis `axis` of `view`; false: an index that shrinks is outside. */
static bool slice_axis(const struct op_problem *problem, const struct masks *masks, uint64_t i,
                       struct op_view *view, int axis)
{
    const int64_t step = array_of(problem, "strides")->values[i], size = view->sizes[axis];
    int64_t begin = array_of(problem, "begin")->values[i];
    int64_t end = array_of(problem, "end")->values[i];
    if (has_bit(masks->shrink, i)) {
        if (begin < 0) begin += size;
        if (begin < 0 || begin >= size) return false;
        *view = op_view_part(view, axis, begin, 1, 1);
        return true;
    }
    begin = has_bit(masks->begin, i) ? (step > 0 ? 0 : size - 1) : on_axis(begin, size, step < 0);
    end = has_bit(masks->end, i) ? (step > 0 ? size : -1) : on_axis(end, size, step < 0);
    *view = op_view_part(view, axis, begin, step, steps_between(begin, end, step));
    return true;
}

/* What is selected: the kept axes of self and new ones, in order. */
static aclnnStatus strided_view(const struct op_problem *problem, const struct op_view *self,
                                struct op_view *selected)
{
    const struct masks masks = masks_of(problem);
    const uint64_t entries = array_of(problem, "begin")->size;
    struct op_view view = *self;
    int axis = 0, rank = 0, taken = 0;
    for (uint64_t i = 0; i < entries; i++)
        taken += !has_bit(masks.ellipsis, i) && !has_bit(masks.new_axis, i);
    OP_CHECK(problem->row->name, taken <= view.rank, ACLNN_ERR_PARAM_INVALID,
             "begin names %d axes; self has %d", taken, view.rank);
    *selected = (struct op_view){.type = view.type};
    for (uint64_t i = 0; i <= entries; i++) {
        int whole = 0; /* axes that are left as they are */
        if (i == entries || has_bit(masks.ellipsis, i)) whole = view.rank - axis - taken;
        for (; whole > 0 && rank < EX_MAX_RANK; whole--, axis++, rank++) {
            selected->sizes[rank] = view.sizes[axis];
            selected->strides[rank] = view.strides[axis];
        }
        if (i == entries || has_bit(masks.ellipsis, i)) continue;
        const bool is_new = has_bit(masks.new_axis, i);
        OP_CHECK(problem->row->name, rank < EX_MAX_RANK, ACLNN_ERR_PARAM_INVALID,
                 "the result has more than %d dimensions", EX_MAX_RANK);
        if (!is_new)
            OP_CHECK(problem->row->name, slice_axis(problem, &masks, i, &view, axis),
                     ACLNN_ERR_PARAM_INVALID,
                     "begin[%" PRIu64 "] is %" PRId64 "; self has %" PRId64
                     " elements along dimension %d",
                     i, array_of(problem, "begin")->values[i], view.sizes[axis], axis);
        selected->sizes[rank] = is_new ? 1 : view.sizes[axis];
        selected->strides[rank] = is_new ? 0 : view.strides[axis];
        rank += is_new || !has_bit(masks.shrink, i);
        axis += !is_new;
        taken -= !is_new;
    }
    selected->rank = rank;
    selected->offset = view.offset;
    return ACLNN_SUCCESS;
}

static aclnnStatus check_arrays(const struct op_problem *problem)
{
    const aclIntArray *begin = array_of(problem, "begin"), *end = array_of(problem, "end");
    const aclIntArray *strides = array_of(problem, "strides");
    OP_CHECK(problem->row->name, begin->size == end->size && begin->size == strides->size,
             ACLNN_ERR_PARAM_INVALID,
             "begin, end and strides have %" PRIu64 ", %" PRIu64 " and %" PRIu64
             " entries; they must have as many",
             begin->size, end->size, strides->size);
    for (uint64_t i = 0; i < strides->size; i++)
        OP_CHECK(problem->row->name, strides->values[i] != 0, ACLNN_ERR_PARAM_INVALID,
                 "strides[%" PRIu64 "] is 0; it must not be", i);
    return ACLNN_SUCCESS;
}

static aclnnStatus slice_shapes(struct op_problem *problem)
{
    const struct op_value *out = op_argument_named(problem, "out");
    const struct masks masks = masks_of(problem);
    struct op_view selected;
    OP_TRY(check_arrays(problem));
    OP_CHECK(problem->row->name, __builtin_popcountll((uint64_t)masks.ellipsis) <= 1,
             ACLNN_ERR_PARAM_INVALID,
             "ellipsisMask is %" PRId64 "; it must not have more than one bit", masks.ellipsis);
    const struct ex_descriptor *d = &op_argument_named(problem, "self")->tensor->descriptor;
    /* Its strides have not been checked yet. */
    const struct op_view self = op_view_dense((aclDataType)d->data_type, d->rank, d->sizes);
    OP_TRY(strided_view(problem, &self, &selected));
    return op_check_shape(problem, out, out->tensor, selected.rank, selected.sizes);
}

static void plan_slice(const struct op_shape_call *call)
{
    const struct op_place out = op_target(call, op_place_of(call->problem, "out"), 0);
    struct op_place part = op_source(call, 0, 0);
    const struct op_view own = part.view;
    if (strided_view(call->problem, &own, &part.view) != ACLNN_SUCCESS) return;
    op_copy_place(call->plan, &part, &out);
}

const struct op_rule op_rule_strided_slice = {
    .types = op_one_type,
    .shapes = slice_shapes,
    .more = &(const struct op_shape_rule){plan_slice},
};

/* ---- aclnnStridedSliceAssignV2 ---- */

/* The elements that are written, of a view of varRef. */
static aclnnStatus assigned_view(const struct op_problem *problem, struct op_view *view)
{
    const aclIntArray *axes = array_of(problem, "axesOptional");
    const aclIntArray *begins = array_of(problem, "begin");
    bool is_taken[EX_MAX_RANK] = {false};
    OP_CHECK(problem->row->name, !axes || axes->size == begins->size, ACLNN_ERR_PARAM_INVALID,
             "axesOptional has %" PRIu64 " entries; it must have as many as begin, %" PRIu64,
             axes ? axes->size : 0, begins->size);
    OP_CHECK(problem->row->name, begins->size <= (uint64_t)view->rank, ACLNN_ERR_PARAM_INVALID,
             "begin has %" PRIu64 " entries; varRef has %d dimensions", begins->size, view->rank);
    for (uint64_t i = 0; i < begins->size; i++) {
        const int64_t named = axes ? axes->values[i] : (int64_t)i;
        const int64_t step = array_of(problem, "strides")->values[i];
        int axis;
        OP_CHECK(problem->row->name, op_find_axis(named, view->rank, &axis) && !is_taken[axis],
                 ACLNN_ERR_PARAM_INVALID,
                 "axesOptional[%" PRIu64 "] is %" PRId64
                 "; it must name a dimension of varRef, each once",
                 i, named);
        OP_CHECK(problem->row->name, step > 0, ACLNN_ERR_PARAM_INVALID,
                 "strides[%" PRIu64 "] is %" PRId64 "; it must be greater than 0", i, step);
        is_taken[axis] = true;
        const int64_t size = view->sizes[axis];
        const int64_t begin = on_axis(begins->values[i], size, false);
        const int64_t end = on_axis(array_of(problem, "end")->values[i], size, false);
        *view = op_view_part(view, axis, begin, step, steps_between(begin, end, step));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus assign_types(struct op_problem *problem)
{
    static const char *const arrays[] = {"begin", "end", "strides"};
    for (int i = 0; i < 3; i++)
        OP_CHECK(problem->row->name, array_of(problem, arrays[i]), ACLNN_ERR_PARAM_NULLPTR,
                 "%s is NULL", arrays[i]);
    const struct op_value *var = op_argument_named(problem, "varRef");
    const struct op_value *value = op_argument_named(problem, "inputValue");
    OP_TRY(op_check_type(problem->row->name, var->name, var->tensor, problem->row->types,
                         problem->row->type_names));
    return op_check_same_type(problem->row->name, value->name, value->tensor, var->name,
                              var->tensor);
}

static aclnnStatus assign_shapes(struct op_problem *problem)
{
    const struct op_value *value = op_argument_named(problem, "inputValue");
    const struct ex_descriptor *d = &op_argument_named(problem, "varRef")->tensor->descriptor;
    /* Its strides have not been checked yet. */
    struct op_view view = op_view_dense((aclDataType)d->data_type, d->rank, d->sizes);
    OP_TRY(check_arrays(problem));
    OP_TRY(assigned_view(problem, &view));
    return op_check_shape(problem, value, value->tensor, view.rank, view.sizes);
}

static void plan_assign(const struct op_shape_call *call)
{
    const struct op_place value = op_source(call, 1, 0);
    struct op_place part = op_target(call, 0, 0);
    if (assigned_view(call->problem, &part.view) != ACLNN_SUCCESS) return;
    op_copy_place(call->plan, &value, &part);
}

const struct op_rule op_rule_strided_assign = {
    .types = assign_types,
    .shapes = assign_shapes,
    .more = &(const struct op_shape_rule){plan_assign},
};
