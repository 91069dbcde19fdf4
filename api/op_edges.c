/* SPDX-License-Identifier: Apache-2.0 */
/* Edges that repeat what is inside, windows as columns, diagonals in place. */
#include <string.h>

#include "api/op_complex.h"
#include "api/op_edges.h"

static const aclTensor *tensor_of(const struct op_problem *problem, int argument)
{
    return problem->values[argument].tensor;
}

/* ---- reflected, replicated, circular edges ---- */

static const struct op_edges_rule *edges_of(const struct op_problem *problem)
{
    return (const struct op_edges_rule *)problem->row->rule->more;
}

int64_t op_edges_padding(const struct op_problem *problem, int rank, int axis, int side)
{
    const int axes = edges_of(problem)->axes, place = rank - 1 - axis;
    const aclIntArray *padding = op_argument_named(problem, "padding")->ints;
    return place < axes ? padding->values[2 * place + side] : 0;
}

aclnnStatus op_edges_sizes(const struct op_problem *problem, const aclTensor *self, int64_t *sizes)
{
    const struct op_edges_rule *rule = edges_of(problem);
    const struct ex_descriptor *d = &self->descriptor;
    const aclIntArray *padding = op_argument_named(problem, "padding")->ints;
    OP_TRY(op_check_rank(problem->row->name, "self", self, rule->axes + 1, rule->axes + 2));
    OP_CHECK(problem->row->name, padding->size == 2 * (uint64_t)rule->axes, ACLNN_ERR_PARAM_INVALID,
             "padding has %" PRIu64 " elements; it must have %d", padding->size, 2 * rule->axes);
    memcpy(sizes, d->sizes, (size_t)d->rank * sizeof *sizes);
    for (int axis = 0; axis < d->rank; axis++) {
        const int64_t most = rule->edge == OP_EDGE_REFLECTION ? d->sizes[axis] - 1 : d->sizes[axis];
        int64_t inside = d->sizes[axis]; /* what negative padding leaves */
        for (int side = 0; side < 2; side++) {
            const int64_t more = op_edges_padding(problem, d->rank, axis, side);
            OP_CHECK(problem->row->name,
                     more <= 0 ||
                         (rule->edge == OP_EDGE_REPLICATION ? d->sizes[axis] > 0 : more <= most),
                     ACLNN_ERR_PARAM_INVALID,
                     "padding of dimension %d is %" PRId64 "; its size is %" PRId64
                     ", which has no such edge",
                     axis, more, d->sizes[axis]);
            OP_CHECK(problem->row->name, !__builtin_add_overflow(sizes[axis], more, &sizes[axis]),
                     ACLNN_ERR_PARAM_INVALID, "padding of dimension %d is %" PRId64, axis, more);
            OP_CHECK(problem->row->name, more >= -inside, ACLNN_ERR_PARAM_INVALID,
                     "padding of dimension %d is %" PRId64 "; only %" PRId64
                     " elements are left to leave out",
                     axis, more, inside);
            if (more < 0) inside += more;
        }
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus edges_shapes(struct op_problem *problem)
{
    const aclTensor *self = tensor_of(problem, 0);
    int64_t sizes[EX_MAX_RANK];
    OP_TRY(op_edges_sizes(problem, self, sizes));
    return op_check_shape(problem, &problem->values[2], tensor_of(problem, 2),
                          self->descriptor.rank, sizes);
}

/* What an edge of `count` elements repeats. */
static struct op_view edge_view(const struct op_view *from, enum op_edge edge, int axis, int side,
                                int64_t count)
{
    const int64_t size = from->sizes[axis];
    if (edge == OP_EDGE_REFLECTION)
        return op_view_part(from, axis, side == 0 ? count : size - 2, -1, count);
    if (edge == OP_EDGE_REPLICATION)
        return op_view_part(from, axis, side == 0 ? 0 : size - 1, 0, count);
    return op_view_part(from, axis, side == 0 ? size - count : 0, 1, count);
}

/* Along each padded axis three parts: in front, inside, behind. */
static void edge_parts(const struct op_shape_call *call, int axis, const struct op_place *from,
                       const struct op_place *to)
{
    const struct op_edges_rule *rule = edges_of(call->problem);
    if (axis == from->view.rank) {
        op_copy_place(call->plan, from, to);
        return;
    }
    const int64_t size = from->view.sizes[axis];
    const int64_t front = op_edges_padding(call->problem, from->view.rank, axis, 0);
    const int64_t behind = op_edges_padding(call->problem, from->view.rank, axis, 1);
    struct op_place a = *from, b = *to;
    const int64_t cut = front < 0 ? -front : 0, inside = size - cut + (behind < 0 ? behind : 0);
    a.view = op_view_part(&from->view, axis, cut, 1, inside);
    b.view = op_view_part(&to->view, axis, front > 0 ? front : 0, 1, inside);
    edge_parts(call, axis + 1, &a, &b);
    if (front > 0) {
        a.view = edge_view(&from->view, rule->edge, axis, 0, front);
        b.view = op_view_part(&to->view, axis, 0, 1, front);
        edge_parts(call, axis + 1, &a, &b);
    }
    if (behind > 0) {
        a.view = edge_view(&from->view, rule->edge, axis, 1, behind);
        b.view = op_view_part(&to->view, axis, front + size, 1, behind);
        edge_parts(call, axis + 1, &a, &b);
    }
}

static void edges(const struct op_shape_call *call)
{
    if (op_is_empty(tensor_of(call->problem, 2))) return;
    const struct op_place source = op_source(call, 0, 0), target = op_target(call, 2, 0);
    edge_parts(call, 0, &source, &target);
}

/* ---- Im2col ---- */

enum { WINDOW = 1, COLUMNS = WINDOW + OP_WINDOW_ARGUMENTS };

int64_t op_columns_windows(const struct op_value *window, int64_t size, int i)
{
    int64_t number[OP_WINDOW_ARGUMENTS];
    for (int j = 0; j < OP_WINDOW_ARGUMENTS; j++)
        number[j] = window[j].ints->values[i];
    const int64_t left =
        size + 2 * number[OP_PADDING] - number[OP_DILATION] * (number[OP_KERNEL] - 1) - 1;
    return left < 0 ? 0 : left / number[OP_STRIDE] + 1;
}

aclnnStatus op_columns_sizes(const struct op_problem *problem, const struct op_value *window,
                             const char *name, const aclTensor *image, int64_t *sizes)
{
    const struct ex_descriptor *d = &image->descriptor;
    const int64_t far = INT64_C(1) << 30;
    int64_t windows[2];
    OP_TRY(op_check_rank(problem->row->name, name, image, 3, 4));
    for (int j = 0; j < OP_WINDOW_ARGUMENTS; j++) {
        const struct op_value *value = &window[j];
        OP_CHECK(problem->row->name, value->ints->size == 2, ACLNN_ERR_PARAM_INVALID,
                 "%s has %" PRIu64 " elements; it must have 2", value->name, value->ints->size);
        for (int i = 0; i < 2; i++)
            OP_CHECK(problem->row->name,
                     value->ints->values[i] >= (j != OP_PADDING) && value->ints->values[i] <= far,
                     ACLNN_ERR_PARAM_INVALID,
                     "%s[%d] is %" PRId64 "; it must be from %d to %" PRId64, value->name, i,
                     value->ints->values[i], j != OP_PADDING, far);
    }
    for (int i = 0; i < 2; i++) {
        windows[i] = op_columns_windows(window, d->sizes[d->rank - 2 + i], i);
        OP_CHECK(problem->row->name, windows[i] > 0, ACLNN_ERR_PARAM_INVALID,
                 "no window fits into dimension %d of %s, whose size is %" PRId64, d->rank - 2 + i,
                 name, d->sizes[d->rank - 2 + i]);
    }
    const int at = d->rank - 3;
    const int64_t *kernel = window[OP_KERNEL].ints->values;
    if (at == 1) sizes[0] = d->sizes[0];
    OP_CHECK(problem->row->name,
             !__builtin_mul_overflow(d->sizes[at], kernel[0] * kernel[1], &sizes[at]) &&
                 !__builtin_mul_overflow(windows[0], windows[1], &sizes[at + 1]),
             ACLNN_ERR_PARAM_INVALID, "more columns than can be counted");
    return ACLNN_SUCCESS;
}

static aclnnStatus columns_shapes(struct op_problem *problem)
{
    const aclTensor *self = tensor_of(problem, 0);
    int64_t sizes[3];
    OP_TRY(op_columns_sizes(problem, &problem->values[WINDOW], "self", self, sizes));
    return op_check_shape(problem, &problem->values[COLUMNS], tensor_of(problem, COLUMNS),
                          self->descriptor.rank - 1, sizes);
}

/* The windows whose element `tap` lies inside the axis, and where the first one's is. */
struct inside {
    int64_t first, count, begin;
};

static struct inside inside_of(const struct op_problem *problem, int64_t size, int i, int64_t tap)
{
    const int64_t stride = problem->values[WINDOW + OP_STRIDE].ints->values[i];
    const int64_t at = tap * problem->values[WINDOW + OP_DILATION].ints->values[i] -
                       problem->values[WINDOW + OP_PADDING].ints->values[i];
    const int64_t windows = op_columns_windows(&problem->values[WINDOW], size, i);
    struct inside inside = {.first = at < 0 ? (-at + stride - 1) / stride : 0};
    const int64_t end = at >= size ? 0 : (size - 1 - at) / stride + 1;
    inside.count = (end < windows ? end : windows) - inside.first;
    if (inside.count < 0) inside.count = 0;
    inside.begin = at + inside.first * stride;
    return inside;
}

/* One copy per element of the window: it takes all windows of all channels. */
static void columns(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const int64_t *kernel = problem->values[WINDOW + OP_KERNEL].ints->values;
    const int64_t *padding = problem->values[WINDOW + OP_PADDING].ints->values;
    const int64_t *stride = problem->values[WINDOW + OP_STRIDE].ints->values;
    const struct op_place source = op_source(call, 0, 0), target = op_target(call, COLUMNS, 0);
    const int rank = source.view.rank, channel = rank - 3, y = rank - 2, x = rank - 1;
    if (op_view_is_empty(&target.view)) return;
    if (padding[0] > 0 || padding[1] > 0) op_fill_place(call->plan, &target, 0, 0);
    const int64_t width = op_columns_windows(&problem->values[WINDOW], source.view.sizes[x], 1);
    for (int64_t tap = 0; tap < kernel[0] * kernel[1]; tap++) {
        const struct inside down = inside_of(problem, source.view.sizes[y], 0, tap / kernel[1]);
        const struct inside right = inside_of(problem, source.view.sizes[x], 1, tap % kernel[1]);
        if (down.count == 0 || right.count == 0) continue;
        struct op_place from = source, to = target;
        from.view = op_view_part(&from.view, y, down.begin, stride[0], down.count);
        from.view = op_view_part(&from.view, x, right.begin, stride[1], right.count);
        to.view = from.view;
        to.view.offset = tap * target.view.strides[channel] +
                         (down.first * width + right.first) * target.view.strides[channel + 1];
        if (channel == 1) to.view.strides[0] = target.view.strides[0];
        to.view.strides[channel] = kernel[0] * kernel[1] * target.view.strides[channel];
        to.view.strides[y] = width * target.view.strides[channel + 1];
        to.view.strides[x] = target.view.strides[channel + 1];
        op_copy_place(call->plan, &from, &to);
    }
}

/* ---- FillDiagonal ---- */

static aclnnStatus fill_diagonal_shapes(struct op_problem *problem)
{
    const aclTensor *self = tensor_of(problem, 0);
    const struct ex_descriptor *d = &self->descriptor;
    struct op_shape_text text;
    OP_TRY(op_check_rank(problem->row->name, "selfRef", self, 2, EX_MAX_RANK));
    for (int i = 1; i < d->rank && d->rank > 2; i++)
        OP_CHECK(problem->row->name, d->sizes[i] == d->sizes[0], ACLNN_ERR_PARAM_INVALID,
                 "selfRef's shape is %s; more than two dimensions must be of one size",
                 op_shape(&text, self));
    return ACLNN_SUCCESS;
}

/* In a tall matrix, wrapped, one more diagonal begins behind each `columns` + 1 rows: those that
 * are whole are the rows of a view, what is left is one line. */
static void fill_diagonal(const struct op_shape_call *call)
{
    const aclScalar *value = call->problem->values[1].scalar;
    const struct op_place self = op_target(call, 0, 0);
    const struct op_view *view = &self.view;
    if (op_view_is_empty(view)) return;
    const bool wraps = call->problem->values[2].integer != 0 && view->rank == 2;
    const int64_t rows = view->sizes[0], columns = view->sizes[view->rank - 1];
    const int64_t step = columns + 1, whole = wraps ? rows / step : 0;
    struct op_place line = {self.buffer, {.type = view->type, .rank = 2}};
    line.view.sizes[0] = whole;
    line.view.sizes[1] = columns;
    line.view.strides[0] = whole > 1 ? step * view->strides[0] : 0;
    for (int i = 0; i < view->rank; i++)
        line.view.strides[1] += view->strides[i];
    op_fill_scalar(call->plan, &line, value);
    const int64_t left = rows - whole * step;
    line.view.rank = 1;
    line.view.offset = whole * step * view->strides[0];
    line.view.sizes[0] = left < columns ? left : columns;
    line.view.strides[0] = line.view.strides[1];
    if (left > 0) op_fill_scalar(call->plan, &line, value);
}

/* The value is one that can be cast to the tensor's type. */
static aclnnStatus fill_types(struct op_problem *problem)
{
    const aclDataType type = problem->values[1].scalar->data_type;
    OP_TRY(op_one_type(problem));
    OP_CHECK(problem->row->name, op_can_cast(type, problem->type), ACLNN_ERR_PARAM_INVALID,
             "fillValue is of type %s, which cannot be cast to %s", op_data_type_name(type),
             op_data_type_name(problem->type));
    return ACLNN_SUCCESS;
}

#define EDGES(name, kind, count)                                                                   \
    const struct op_rule op_rule_##name = {                                                        \
        .types = op_one_type,                                                                      \
        .shapes = edges_shapes,                                                                    \
        .runs_empty = true,                                                                        \
        .more = &(const struct op_edges_rule){{edges}, kind, count}}
EDGES(reflection1, OP_EDGE_REFLECTION, 1);
EDGES(reflection2, OP_EDGE_REFLECTION, 2);
EDGES(reflection3, OP_EDGE_REFLECTION, 3);
EDGES(replication1, OP_EDGE_REPLICATION, 1);
EDGES(replication2, OP_EDGE_REPLICATION, 2);
EDGES(replication3, OP_EDGE_REPLICATION, 3);
EDGES(circular2, OP_EDGE_CIRCULAR, 2);
EDGES(circular3, OP_EDGE_CIRCULAR, 3);
const struct op_rule op_rule_columns = {.types = op_one_type,
                                        .shapes = columns_shapes,
                                        .runs_empty = true,
                                        .more = &(const struct op_shape_rule){columns}};
const struct op_rule op_rule_fill_diagonal = {.types = fill_types,
                                              .shapes = fill_diagonal_shapes,
                                              .runs_empty = true,
                                              .more = &(const struct op_shape_rule){fill_diagonal}};
