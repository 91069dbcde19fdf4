/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_shape.h"

#include <stdio.h>

#include "api/op_complex.h"
#include "api/op_elementwise.h"
#include "api/op_families.h"
#include "executor/steps.h"

/* ---- views ---- */

bool op_view_is_empty(const struct op_view *view)
{
    for (int i = 0; i < view->rank; i++)
        if (view->sizes[i] == 0) return true;
    return false;
}

bool op_view_is_dense(const struct op_view *view)
{
    int64_t dense = 1;
    for (int i = view->rank - 1; i >= 0; i--) {
        if (view->sizes[i] != 1 && view->strides[i] != dense) return false;
        dense *= view->sizes[i];
    }
    return true;
}

struct op_view op_view_part(const struct op_view *view, int axis, int64_t begin, int64_t step,
                            int64_t count)
{
    struct op_view part = *view;
    part.offset += count == 0 ? 0 : begin * view->strides[axis];
    part.sizes[axis] = count;
    part.strides[axis] = count > 1 ? step * view->strides[axis] : 0; /* else step may be any */
    return part;
}

struct op_view op_view_swapped(struct op_view view, int a, int b)
{
    const int64_t size = view.sizes[a], stride = view.strides[a];
    view.sizes[a] = view.sizes[b];
    view.strides[a] = view.strides[b];
    view.sizes[b] = size;
    view.strides[b] = stride;
    return view;
}

/* ---- places ---- */

static const aclTensor *tensor_of(const struct op_value *value, uint64_t i)
{
    return op_is_list(value) ? value->tensors->elements[i] : value->tensor;
}

static bool is_written(const struct op_value *value)
{
    return op_is_written(value) || op_is_written_list(value);
}

struct op_place op_target(const struct op_shape_call *call, int argument, uint64_t i)
{
    return (struct op_place){.buffer = call->buffers[argument] + (int)i,
                             .view = op_view_of(tensor_of(&call->problem->values[argument], i))};
}

struct op_place op_scratch_place(struct ex_plan *plan, aclDataType type, int rank,
                                 const int64_t *sizes)
{
    const size_t bytes = (size_t)op_element_count(rank, sizes) * ex_element_size((int32_t)type);
    return (struct op_place){ex_scratch(plan, bytes), op_view_dense(type, rank, sizes)};
}

struct op_place op_scratch_like(struct ex_plan *plan, const struct op_view *view)
{
    return op_scratch_place(plan, view->type, view->rank, view->sizes);
}

static bool is_written_to(const struct op_problem *problem, const aclTensor *tensor)
{
    if (op_is_empty(tensor)) return false;
    for (int i = 0; i < problem->count; i++) {
        const struct op_value *value = &problem->values[i];
        if (!is_written(value) || !value->pointer) continue;
        const uint64_t count = op_is_list(value) ? value->tensors->size : 1;
        for (uint64_t j = 0; j < count; j++) {
            const aclTensor *written = tensor_of(value, j);
            if (!op_is_empty(written) && op_meets(&written->descriptor, &tensor->descriptor))
                return true;
        }
    }
    return false;
}

struct op_place op_source(const struct op_shape_call *call, int argument, uint64_t i)
{
    const struct op_place own = op_target(call, argument, i);
    if (!is_written_to(call->problem, tensor_of(&call->problem->values[argument], i))) return own;
    const struct op_place copy = op_scratch_like(call->plan, &own.view);
    op_copy_place(call->plan, &own, &copy);
    return copy;
}

struct op_place op_dense_source(const struct op_shape_call *call, int argument)
{
    const struct op_place source = op_source(call, argument, 0);
    if (op_view_is_dense(&source.view)) return source;
    const struct op_place copy = op_scratch_like(call->plan, &source.view);
    op_copy_place(call->plan, &source, &copy);
    return copy;
}

struct op_place op_dense_target(const struct op_shape_call *call, int argument)
{
    const struct op_place target = op_target(call, argument, 0);
    return op_view_is_dense(&target.view) ? target : op_scratch_like(call->plan, &target.view);
}

struct op_place op_apart_target(const struct op_shape_call *call, int list, int argument)
{
    const struct op_place target = op_target(call, argument, 0);
    const aclTensorList *tensors = call->problem->values[list].tensors;
    for (uint64_t i = 0; i < tensors->size; i++)
        if (is_written_to(call->problem, tensors->elements[i]))
            return op_scratch_like(call->plan, &target.view);
    return target;
}

void op_deliver(const struct op_shape_call *call, const struct op_place *made, int argument)
{
    struct op_place target = op_target(call, argument, 0), from = *made;
    if (from.buffer == target.buffer) return;
    from.view = op_view_dense(target.view.type, target.view.rank, target.view.sizes);
    op_copy_place(call->plan, &from, &target);
}

/* ---- steps ---- */

void op_copy_place(struct ex_plan *plan, const struct op_place *from, const struct op_place *to)
{
    op_copy_step(plan, from->buffer, &from->view, to->buffer, &to->view);
}

void op_fill_place(struct ex_plan *plan, const struct op_place *to, double real, int64_t integer)
{
    if (to->buffer < 0 || op_view_is_empty(&to->view)) return;
    for (int part = 0; part < 2 && op_is_complex(to->view.type); part++)
        op_fill_place(plan, &(const struct op_place){to->buffer, op_complex_part(&to->view, part)},
                      part == 0 ? real : 0, 0);
    if (op_is_complex(to->view.type)) return;
    const enum k_dtype dtype = op_k_dtype_of(to->view.type);
    struct k_elementwise e = {
        .core = K_CORE_copy,
        .constants = 1,
        .loop = {.results = 1, .rank = to->view.rank, .compute = k_compute_of(dtype)}};
    struct k_loop_operand *operand = &e.loop.operand[0];
    e.reals[0] = real;
    e.integers[0] = to->view.type == ACL_BOOL ? (real != 0 || integer != 0) : integer;
    operand->dtype = operand->via = dtype;
    operand->offset = to->view.offset;
    for (int i = 0; i < to->view.rank; i++) {
        e.loop.sizes[i] = to->view.sizes[i];
        operand->strides[i] = to->view.strides[i];
    }
    const struct k_work work = k_elementwise_finish(&e);
    ex_step(plan, "fill", k_best()->elementwise, &e, sizeof e, work, EX_BUFFERS(to->buffer));
}

void op_plan_shape(struct ex_plan *plan, const struct op_problem *problem, const int *buffers)
{
    const struct op_shape_rule *rule = problem->row->rule->more;
    rule->plan(&(const struct op_shape_call){plan, problem, buffers});
}

/* ---- checks ---- */

aclnnStatus op_one_type(struct op_problem *problem)
{
    const struct op_row *row = problem->row;
    for (int i = 0; i < problem->count; i++)
        OP_CHECK(row->name, problem->values[i].kind != OP_INTS || problem->values[i].ints,
                 ACLNN_ERR_PARAM_NULLPTR, "%s is NULL", problem->values[i].name);
    const aclTensor *first = NULL;
    const char *first_name = NULL;
    for (int i = 0; i < problem->count; i++) {
        const struct op_value *value = &problem->values[i];
        if (!op_is_tensor(value) && !op_is_list(value)) continue;
        const uint64_t count = op_is_list(value) ? value->tensors->size : 1;
        for (uint64_t j = 0; j < count; j++) {
            const aclTensor *tensor = tensor_of(value, j);
            if (!tensor && !op_is_list(value)) continue;
            OP_TRY(op_check_type(row->name, value->name, tensor, row->types, row->type_names));
            if (first)
                OP_TRY(op_check_same_type(row->name, value->name, tensor, first_name, first));
            else
                first = tensor, first_name = value->name;
        }
    }
    if (first) problem->type = problem->result = (aclDataType)first->descriptor.data_type;
    return ACLNN_SUCCESS;
}

aclnnStatus op_check_axis(const struct op_problem *problem, const struct op_value *value,
                          const aclTensor *tensor, int *axis)
{
    const int rank = tensor->descriptor.rank, axes = rank > 0 ? rank : 1;
    OP_CHECK(problem->row->name, op_find_axis(value->integer, rank, axis), ACLNN_ERR_PARAM_INVALID,
             "%s is %" PRId64 "; it must be from %d to %d", value->name, value->integer, -axes,
             axes - 1);
    return ACLNN_SUCCESS;
}

aclnnStatus op_check_shape(const struct op_problem *problem, const struct op_value *value,
                           const aclTensor *tensor, int rank, const int64_t *sizes)
{
    struct op_shape_text text;
    char wanted[256];
    size_t used = 0;
    const struct ex_descriptor *d = &tensor->descriptor;
    bool is_same = d->rank == rank;
    for (int i = 0; is_same && i < rank; i++)
        is_same = d->sizes[i] == sizes[i];
    if (is_same) return ACLNN_SUCCESS;
    for (int i = 0; i < rank; i++)
        used += (size_t)snprintf(wanted + used, sizeof wanted - used, "%s%" PRId64, i ? ", " : "",
                                 sizes[i]);
    wanted[used] = 0;
    return rt_error_report(ACLNN_ERR_PARAM_INVALID, problem->row->name,
                           "%s's shape is %s; it must be (%s)", value->name,
                           op_shape(&text, tensor), wanted);
}
