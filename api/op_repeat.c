/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnRepeatInterleave, aclnnRepeatInterleaveWithDim, aclnnRepeatInterleaveTensor, and the
 * gradient, aclnnRepeatInterleaveGrad: how often each part is repeated is in a tensor. */
#include <stdio.h>

#include "api/op_scatter.h"
#include "kernels/index/k_repeat.h"
#include "runtime/support/base.h"

static int64_t elements_of(const aclTensor *tensor)
{
    return op_element_count(tensor->descriptor.rank, tensor->descriptor.sizes);
}

static int64_t size_of_output(const struct op_problem *problem)
{
    return op_argument_named(problem, "outputSize")->integer;
}

/* repeats is one number, or one for each of `parts`. */
static aclnnStatus check_repeats(const struct op_problem *problem, int64_t parts)
{
    const aclTensor *repeats = op_tensor_named(problem, "repeats");
    const int64_t count = elements_of(repeats);
    OP_TRY(op_check_rank(problem->row->name, "repeats", repeats, 0, 1));
    OP_CHECK(problem->row->name, count == 1 || count == parts, ACLNN_ERR_PARAM_INVALID,
             "repeats has %" PRId64 " elements; it must have 1 or %" PRId64, count, parts);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_output_size(const struct op_problem *problem)
{
    OP_CHECK(problem->row->name, size_of_output(problem) >= 0, ACLNN_ERR_PARAM_INVALID,
             "outputSize is %" PRId64 "; it must not be negative", size_of_output(problem));
    return ACLNN_SUCCESS;
}

static aclnnStatus flat_shapes(struct op_problem *problem)
{
    const struct op_value *out = op_argument_named(problem, "out");
    const int64_t size = size_of_output(problem);
    OP_TRY(check_repeats(problem, elements_of(op_tensor_named(problem, "self"))));
    OP_TRY(check_output_size(problem));
    return op_check_shape(problem, out, out->tensor, 1, &size);
}

static aclnnStatus dim_shapes(struct op_problem *problem)
{
    const struct op_value *out = op_argument_named(problem, "out");
    const aclTensor *self = op_tensor_named(problem, "self");
    int64_t sizes[EX_MAX_RANK] = {0};
    const int rank = self->descriptor.rank > 0 ? self->descriptor.rank : 1;
    int dim;
    OP_TRY(op_check_axis(problem, op_argument_named(problem, "dim"), self, &dim));
    OP_TRY(check_repeats(problem, op_size_of(self, dim)));
    OP_TRY(check_output_size(problem));
    for (int axis = 0; axis < rank; axis++)
        sizes[axis] = axis == dim ? size_of_output(problem) : op_size_of(self, axis);
    return op_check_shape(problem, out, out->tensor, rank, sizes);
}

static aclnnStatus tensor_types(struct op_problem *problem)
{
    OP_TRY(op_index_types(problem));
    return op_check_same_type(problem->row->name, "out", op_tensor_named(problem, "out"), "repeats",
                              op_tensor_named(problem, "repeats"));
}

static aclnnStatus tensor_shapes(struct op_problem *problem)
{
    const struct op_value *out = op_argument_named(problem, "out");
    const int64_t size = size_of_output(problem);
    OP_TRY(op_check_rank(problem->row->name, "repeats", op_tensor_named(problem, "repeats"), 1, 1));
    OP_TRY(check_output_size(problem));
    return op_check_shape(problem, out, out->tensor, 1, &size);
}

static void describe(const void *parameters, void *const buffers[], int64_t position, char *text,
                     size_t size)
{
    const struct k_repeat *p = parameters;
    const void *repeats = buffers[K_REPEAT_REPEATS];
    if (position < p->count)
        snprintf(text, size,
                 "element %" PRId64 " of repeats is %" PRId64 "; it must not be negative", position,
                 k_repeat_at(p, repeats, position));
    else
        snprintf(text, size, "repeats do not add up to %s, which is %" PRId64,
                 p->is_grad ? "yGrad's size" : "outputSize", p->room);
}

/* Part i of `parts` stands in `to` as often as repeats says. */
static void repeat(const struct op_shape_call *call, int64_t parts, const struct op_place *to)
{
    const struct op_place repeats = op_source(call, op_place_of(call->problem, "repeats"), 0);
    const struct op_view *view = &repeats.view;
    const struct k_repeat p = {
        .count = parts,
        .room = to->view.sizes[0],
        .is_wide = view->type == ACL_INT64,
        .is_wide_to = to->view.type == ACL_INT64,
        .is_grad = op_place_of(call->problem, "yGrad") >= 0,
        .offset = view->offset,
        .stride = view->rank == 0 || view->sizes[0] == 1 ? 0 : view->strides[0],
        .to_offset = to->view.offset,
        .to_stride = to->view.strides[0],
    };
    ex_step_with_faults(call->plan, "repeat", k_repeat, &p, sizeof p,
                        (struct k_work){.items = 1, .grain = 1},
                        EX_BUFFERS(repeats.buffer, to->buffer), describe);
}

static struct op_place indices_of(const struct op_shape_call *call, int64_t parts)
{
    const int64_t size = size_of_output(call->problem);
    const struct op_place indices = op_scratch_place(call->plan, ACL_INT64, 1, &size);
    repeat(call, parts, &indices);
    return indices;
}

static void plan_flat(const struct op_shape_call *call)
{
    const int self_place = op_place_of(call->problem, "self");
    const int64_t parts = elements_of(call->problem->values[self_place].tensor);
    const struct op_place self = op_dense_source(call, self_place);
    const struct op_place indices = indices_of(call, parts);
    const struct op_place out = op_target(call, op_place_of(call->problem, "out"), 0);
    struct op_indexing x = op_indexing_of(call, &self, &out, "repeats");
    op_indexing_axis(&x, out.view.sizes[0], 0, out.view.strides[0]);
    op_indexing_tensor(&x, &indices, 0, parts, 1);
    op_gather(&x);
}

static void plan_dim(const struct op_shape_call *call)
{
    const struct op_place self = op_source(call, op_place_of(call->problem, "self"), 0);
    const struct op_place out = op_target(call, op_place_of(call->problem, "out"), 0);
    struct op_indexing x = op_indexing_of(call, &self, &out, "repeats");
    int dim;
    op_find_axis(op_argument_named(call->problem, "dim")->integer, self.view.rank, &dim);
    const int64_t parts = self.view.rank > 0 ? self.view.sizes[dim] : 1;
    const struct op_place indices = indices_of(call, parts);
    for (int axis = 0; axis < out.view.rank; axis++)
        op_indexing_axis(&x, out.view.sizes[axis], axis == dim ? 0 : op_stride_of(&self.view, axis),
                         out.view.strides[axis]);
    op_indexing_tensor(&x, &indices, dim, parts, op_stride_of(&self.view, dim));
    op_gather(&x);
}

static void plan_tensor(const struct op_shape_call *call)
{
    const struct op_place out = op_target(call, op_place_of(call->problem, "out"), 0);
    repeat(call, elements_of(op_tensor_named(call->problem, "repeats")), &out);
}

const struct op_rule op_rule_repeat_flat = {
    .types = op_index_types,
    .shapes = flat_shapes,
    .more = &(const struct op_shape_rule){plan_flat},
};
const struct op_rule op_rule_repeat_dim = {
    .types = op_index_types,
    .shapes = dim_shapes,
    .more = &(const struct op_shape_rule){plan_dim},
};
const struct op_rule op_rule_repeat_tensor = {
    .types = tensor_types,
    .shapes = tensor_shapes,
    .more = &(const struct op_shape_rule){plan_tensor},
};

/* ---- aclnnRepeatInterleaveGrad ---- */

enum { GRAD, AXIS = 2, GRAD_OUT };

static aclnnStatus grad_shapes(struct op_problem *problem)
{
    const aclTensor *grad = problem->values[GRAD].tensor, *out = problem->values[GRAD_OUT].tensor;
    int64_t sizes[EX_MAX_RANK];
    int axis;
    OP_TRY(op_check_axis(problem, &problem->values[AXIS], grad, &axis));
    OP_CHECK(problem->row->name, out->descriptor.rank == grad->descriptor.rank,
             ACLNN_ERR_PARAM_INVALID, "out has %d dimensions, yGrad %d", out->descriptor.rank,
             grad->descriptor.rank);
    OP_TRY(check_repeats(problem, op_size_of(out, axis)));
    for (int i = 0; i < grad->descriptor.rank; i++)
        sizes[i] = i == axis ? op_size_of(out, axis) : op_size_of(grad, i);
    return op_check_shape(problem, &problem->values[GRAD_OUT], out, grad->descriptor.rank, sizes);
}

/* Each part is the sum of what it became. */
static void plan_grad(const struct op_shape_call *call)
{
    const struct op_table table = op_table_of(
        call, &(const struct op_table_request){.combine = K_ADD, .values = GRAD, .is_zero = true});
    const struct op_view *values = &table.values.view, *view = &table.place.view;
    int axis;
    op_find_axis(call->problem->values[AXIS].integer, values->rank, &axis);
    const int64_t parts = view->rank > 0 ? view->sizes[axis] : 1;
    const int64_t count = values->rank > 0 ? values->sizes[axis] : 1;
    if (!op_view_is_empty(view) && !op_view_is_empty(values)) {
        struct op_indexing x = op_indexing_of(call, &table.place, &table.values, "repeats");
        const struct op_place indices = op_scratch_place(call->plan, ACL_INT64, 1, &count);
        repeat(call, parts, &indices);
        for (int i = 0; i < values->rank || i == 0; i++)
            op_indexing_axis(&x, values->rank > 0 ? values->sizes[i] : 1,
                             i == axis ? 0 : op_stride_of(view, i), op_stride_of(values, i));
        op_indexing_tensor(&x, &indices, axis, parts, op_stride_of(view, axis));
        op_scatter(&x, K_ADD);
    }
    op_table_deliver(call, &table);
}

const struct op_rule op_rule_repeat_grad = {
    .types = op_index_types,
    .shapes = grad_shapes,
    .runs_empty = true, /* no gradient is 0 */
    .more = &(const struct op_shape_rule){plan_grad},
};
