/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of padded edges and windows: sums of what was repeated. */
#include "api/op_complex.h"
#include "api/op_edges.h"
#include "kernels/kernels.h"
#include "kernels/overlap/k_overlap.h"

enum { GRAD = 0 };

static struct k_overlap_axis plain(int64_t size, int64_t stride)
{
    return (struct k_overlap_axis){.kind = K_OVERLAP_PLAIN, .size = size, .stride = stride};
}

/* The step from the gradient to what it adds up to; `o` has rank and axes. */
static void add_up(const struct op_shape_call *call, struct k_overlap *o,
                   const struct op_place *grad, const struct op_place *target)
{
    o->from = op_k_dtype_of(grad->view.type);
    o->to = op_k_dtype_of(target->view.type);
    o->from_offset = grad->view.offset;
    o->to_offset = target->view.offset;
    for (int i = 0; i < o->rank; i++)
        o->to_strides[i] = target->view.strides[i];
    const struct k_work work = k_overlap_plan(o);
    ex_step(call->plan, "overlap_add", k_best()->overlap_add, o, sizeof *o, work,
            EX_BUFFERS(grad->buffer, target->buffer));
}

/* The same to the tensor of that argument. */
static void end(const struct op_shape_call *call, struct k_overlap *o, const struct op_place *grad,
                int argument)
{
    const struct op_place target = op_target(call, argument, 0);
    add_up(call, o, grad, &target);
}

/* ---- reflected, replicated, circular edges ---- */

enum { SELF = 1, EDGES_GRAD = 3 };

static aclnnStatus edges_shapes(struct op_problem *problem)
{
    const aclTensor *self = problem->values[SELF].tensor;
    const struct ex_descriptor *d = &self->descriptor;
    int64_t sizes[EX_MAX_RANK];
    OP_TRY(op_edges_sizes(problem, self, sizes));
    OP_TRY(op_check_shape(problem, &problem->values[GRAD], problem->values[GRAD].tensor, d->rank,
                          sizes));
    return op_check_same_shape(problem->row->name, problem->values[EDGES_GRAD].name,
                               problem->values[EDGES_GRAD].tensor, "self", self);
}

static void add_edges(const struct op_shape_call *call, const struct op_place *grad,
                      const struct op_place *target)
{
    static const enum k_overlap_kind kinds[] = {[OP_EDGE_REFLECTION] = K_OVERLAP_REFLECTION,
                                                [OP_EDGE_REPLICATION] = K_OVERLAP_REPLICATION,
                                                [OP_EDGE_CIRCULAR] = K_OVERLAP_CIRCULAR};
    const struct op_edges_rule *rule = call->problem->row->rule->more;
    const struct ex_descriptor *d = &call->problem->values[SELF].tensor->descriptor;
    struct k_overlap o = {.rank = d->rank};
    for (int i = 0; i < d->rank; i++) {
        o.axis[i] = plain(d->sizes[i], grad->view.strides[i]);
        o.axis[i].front = op_edges_padding(call->problem, d->rank, i, 0);
        o.axis[i].behind = op_edges_padding(call->problem, d->rank, i, 1);
        if (i >= d->rank - rule->axes) o.axis[i].kind = kinds[rule->edge];
    }
    add_up(call, &o, grad, target);
}

/* The parts of complex numbers are sums of their own. */
static void edges(const struct op_shape_call *call)
{
    const struct op_place grad = op_source(call, GRAD, 0), to = op_target(call, EDGES_GRAD, 0);
    if (!op_is_complex(grad.view.type)) {
        add_edges(call, &grad, &to);
        return;
    }
    for (int part = 0; part < 2; part++)
        add_edges(call, &(const struct op_place){grad.buffer, op_complex_part(&grad.view, part)},
                  &(const struct op_place){to.buffer, op_complex_part(&to.view, part)});
}

#define EDGES(name, kind, count)                                                                   \
    const struct op_rule op_rule_##name = {                                                        \
        .types = op_one_type,                                                                      \
        .shapes = edges_shapes,                                                                    \
        .more = &(const struct op_edges_rule){{edges}, kind, count}}
EDGES(reflection1_grad, OP_EDGE_REFLECTION, 1);
EDGES(reflection2_grad, OP_EDGE_REFLECTION, 2);
EDGES(reflection3_grad, OP_EDGE_REFLECTION, 3);
EDGES(replication1_grad, OP_EDGE_REPLICATION, 1);
EDGES(replication2_grad, OP_EDGE_REPLICATION, 2);
EDGES(replication3_grad, OP_EDGE_REPLICATION, 3);
EDGES(circular2_grad, OP_EDGE_CIRCULAR, 2);
EDGES(circular3_grad, OP_EDGE_CIRCULAR, 3);

/* ---- Im2colBackward ---- */

enum { INPUT_SIZE = 1, WINDOW = 2, IMAGE = WINDOW + OP_WINDOW_ARGUMENTS };

static aclnnStatus image_shapes(struct op_problem *problem)
{
    const struct op_value *out = &problem->values[IMAGE];
    const struct ex_descriptor *d = &out->tensor->descriptor;
    const aclIntArray *size = problem->values[INPUT_SIZE].ints;
    int64_t columns[EX_MAX_RANK];
    OP_CHECK(problem->row->name, size->size == 2, ACLNN_ERR_PARAM_INVALID,
             "inputSize has %" PRIu64 " elements; it must have 2", size->size);
    OP_TRY(op_columns_sizes(problem, &problem->values[WINDOW], out->name, out->tensor, columns));
    for (int i = 0; i < 2; i++)
        OP_CHECK(problem->row->name, d->sizes[d->rank - 2 + i] == size->values[i],
                 ACLNN_ERR_PARAM_INVALID,
                 "dimension %d of out is %" PRId64 "; inputSize[%d] is %" PRId64, d->rank - 2 + i,
                 d->sizes[d->rank - 2 + i], i, size->values[i]);
    return op_check_shape(problem, &problem->values[GRAD], problem->values[GRAD].tensor,
                          d->rank - 1, columns);
}

static struct k_overlap_axis windows(const struct op_value *window, int64_t size, int i)
{
    return (struct k_overlap_axis){.kind = K_OVERLAP_WINDOWS,
                                   .size = size,
                                   .taps = window[OP_KERNEL].ints->values[i],
                                   .dilation = window[OP_DILATION].ints->values[i],
                                   .padding = window[OP_PADDING].ints->values[i],
                                   .window = window[OP_STRIDE].ints->values[i],
                                   .windows = op_columns_windows(window, size, i)};
}

static void image(const struct op_shape_call *call)
{
    const struct op_value *window = &call->problem->values[WINDOW];
    const struct ex_descriptor *d = &call->problem->values[IMAGE].tensor->descriptor;
    const int64_t *kernel = window[OP_KERNEL].ints->values;
    const struct op_place grad = op_source(call, GRAD, 0);
    const int channel = d->rank - 3, y = d->rank - 2, x = d->rank - 1;
    const int64_t along = grad.view.strides[channel], step = grad.view.strides[channel + 1];
    struct k_overlap o = {.rank = d->rank};
    if (channel == 1) o.axis[0] = plain(d->sizes[0], grad.view.strides[0]);
    o.axis[channel] = plain(d->sizes[channel], kernel[0] * kernel[1] * along);
    o.axis[y] = windows(window, d->sizes[y], 0);
    o.axis[x] = windows(window, d->sizes[x], 1);
    o.axis[y].tap_stride = kernel[1] * along;
    o.axis[y].stride = o.axis[x].windows * step;
    o.axis[x].tap_stride = along;
    o.axis[x].stride = step;
    end(call, &o, &grad, IMAGE);
}

const struct op_rule op_rule_image = {
    .types = op_one_type,
    .shapes = image_shapes,
    .more = &(const struct op_shape_rule){image},
};

/* ---- UnfoldGrad ---- */

enum { SIZES = 1, DIM, SIZE, STEP, UNFOLD_GRAD };

static aclnnStatus unfold_shapes(struct op_problem *problem)
{
    const aclIntArray *sizes = problem->values[SIZES].ints;
    const int64_t size = problem->values[SIZE].integer, step = problem->values[STEP].integer;
    const struct op_value *dim = &problem->values[DIM];
    int64_t windows[EX_MAX_RANK];
    int axis;
    OP_CHECK(problem->row->name, sizes->size < EX_MAX_RANK, ACLNN_ERR_PARAM_INVALID,
             "inputSizes has %" PRIu64 " elements; it must have at most %d", sizes->size,
             EX_MAX_RANK - 1);
    const int rank = (int)sizes->size;
    OP_TRY(op_check_shape(problem, &problem->values[UNFOLD_GRAD],
                          problem->values[UNFOLD_GRAD].tensor, rank, sizes->values));
    OP_CHECK(problem->row->name, op_find_axis(dim->integer, rank, &axis), ACLNN_ERR_PARAM_INVALID,
             "dim is %" PRId64 "; inputSizes has %d elements", dim->integer, rank);
    const int64_t most = rank > 0 ? sizes->values[axis] : 1;
    OP_CHECK(problem->row->name, size >= 1 && size <= most, ACLNN_ERR_PARAM_INVALID,
             "size is %" PRId64 "; it must be from 1 to inputSizes[%d], %" PRId64, size, axis,
             most);
    OP_CHECK(problem->row->name, step >= 1, ACLNN_ERR_PARAM_INVALID,
             "step is %" PRId64 "; it must be at least 1", step);
    for (int i = 0; i < rank; i++)
        windows[i] = i == axis ? (sizes->values[i] - size) / step + 1 : sizes->values[i];
    windows[rank] = size;
    return op_check_shape(problem, &problem->values[GRAD], problem->values[GRAD].tensor, rank + 1,
                          windows);
}

static void unfold(const struct op_shape_call *call)
{
    const struct ex_descriptor *d = &call->problem->values[UNFOLD_GRAD].tensor->descriptor;
    const int64_t size = call->problem->values[SIZE].integer;
    const struct op_place grad = op_source(call, GRAD, 0);
    struct k_overlap o = {.rank = d->rank};
    int axis;
    if (d->rank == 0) { /* its only slice is itself */
        o.rank = 1;
        o.axis[0] = plain(1, 0);
        end(call, &o, &grad, UNFOLD_GRAD);
        return;
    }
    op_find_axis(call->problem->values[DIM].integer, d->rank, &axis);
    for (int i = 0; i < d->rank; i++)
        o.axis[i] = plain(d->sizes[i], grad.view.strides[i]);
    o.axis[axis].kind = K_OVERLAP_WINDOWS;
    o.axis[axis].taps = size;
    o.axis[axis].dilation = 1;
    o.axis[axis].windows = grad.view.sizes[axis];
    o.axis[axis].window = grad.view.sizes[axis] > 1 ? call->problem->values[STEP].integer : 1;
    o.axis[axis].tap_stride = grad.view.strides[d->rank];
    end(call, &o, &grad, UNFOLD_GRAD);
}

const struct op_rule op_rule_unfold_grad = {
    .types = op_one_type,
    .shapes = unfold_shapes,
    .more = &(const struct op_shape_rule){unfold},
};
