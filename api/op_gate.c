/* SPDX-License-Identifier: Apache-2.0 */
/* Gated units: halves of a tensor along an axis, one of which is activated; their gradients. And
 * the logarithm of the sigmoid, which has a tensor that nobody reads. */
#include <string.h>

#include "api/op_check.h"
#include "api/op_map.h"

/* ---- checks ---- */

static const char *whole_name(const struct op_problem *problem)
{
    if (op_argument_named(problem, "input")) return "input";
    return op_argument_named(problem, "self") ? "self" : "x";
}

static bool is_gradient(const struct op_problem *problem)
{
    return op_argument_named(problem, "gradOutput") || op_argument_named(problem, "gradOut") ||
           op_argument_named(problem, "yGrad");
}

/* aclnnFatreluMul's, one number. */
static bool is_threshold(const struct op_value *value)
{
    return strcmp(value->name, "threshold") == 0;
}

/* The tensors with two halves are the operand and, of a gradient, the result. */
static bool is_whole(const struct op_problem *problem, const struct op_value *value)
{
    if (is_gradient(problem) && op_is_written(value)) return true;
    return strcmp(value->name, whole_name(problem)) == 0;
}

/* The last one where there is no dim. */
static aclnnStatus find_axis(const struct op_problem *problem, int *axis)
{
    const struct op_value *dim = op_argument_named(problem, "dim");
    const aclTensor *whole = op_tensor_named(problem, whole_name(problem));
    if (dim) return op_check_axis(problem, dim, whole, axis);
    *axis = whole->descriptor.rank - 1;
    return ACLNN_SUCCESS;
}

/* aclnnGeluMul has a text. */
static aclnnStatus find_approximation(const struct op_problem *problem, bool *is_tanh)
{
    const struct op_value *text = op_argument_named(problem, "approximateOptional");
    const int64_t number = op_integer_named(problem, "approximate", 0);
    *is_tanh = text ? text->text && strcmp(text->text, "tanh") == 0 : number == 1;
    if (text)
        OP_CHECK(problem->row->name, !text->text || *is_tanh || strcmp(text->text, "none") == 0,
                 ACLNN_ERR_PARAM_INVALID, "%s is \"%s\"; it must be \"none\" or \"tanh\"",
                 text->name, text->text);
    OP_CHECK(problem->row->name, number == 0 || number == 1, ACLNN_ERR_PARAM_INVALID,
             "approximate is %" PRId64 "; it must be 0 (none) or 1 (tanh)", number);
    return ACLNN_SUCCESS;
}

static aclnnStatus gate_shapes(struct op_problem *problem)
{
    const char *name = whole_name(problem);
    const aclTensor *whole = op_tensor_named(problem, name);
    const struct ex_descriptor *d = &whole->descriptor;
    bool is_tanh;
    int axis;
    OP_TRY(op_check_rank(problem->row->name, name, whole, 1, EX_MAX_RANK));
    OP_TRY(find_axis(problem, &axis));
    OP_TRY(find_approximation(problem, &is_tanh));
    OP_CHECK(problem->row->name, d->sizes[axis] % 2 == 0, ACLNN_ERR_PARAM_INVALID,
             "%s's size along dim %d is %" PRId64 "; it must be even", name, axis, d->sizes[axis]);
    problem->rank = d->rank;
    for (int i = 0; i < d->rank; i++)
        problem->sizes[i] = i == axis ? d->sizes[i] / 2 : d->sizes[i];
    for (int i = 0; i < problem->tensor_count; i++) {
        const struct op_value *value = problem->tensor[i];
        const struct ex_descriptor *own = &value->tensor->descriptor;
        if (is_threshold(value))
            OP_CHECK(problem->row->name, op_element_count(own->rank, own->sizes) == 1,
                     ACLNN_ERR_PARAM_INVALID,
                     "threshold has %" PRId64 " elements; it must have one",
                     op_element_count(own->rank, own->sizes));
        else
            OP_TRY(op_check_shape(problem, value, value->tensor, d->rank,
                                  is_whole(problem, value) ? d->sizes : problem->sizes));
    }
    return ACLNN_SUCCESS;
}

/* ---- the plan ---- */

static void add_argument(struct op_map *map, const struct op_shape_call *call, int argument)
{
    struct op_place place = op_target(call, argument, 0);
    if (is_threshold(&call->problem->values[argument])) place.view.rank = 0;
    op_map_operand(map, &place);
}

static enum k_core core_of(const struct op_problem *problem)
{
    const enum k_core core = (enum k_core)problem->row->core;
    bool is_tanh = false;
    if (find_approximation(problem, &is_tanh) != ACLNN_SUCCESS || !is_tanh) return core;
    if (core == K_CORE_gelu_mul) return K_CORE_gelu_mul_tanh;
    return core == K_CORE_geglu ? K_CORE_geglu_tanh : K_CORE_geglu_tanh_grad;
}

/* Halves in the order of the core's: the first of the tensor's comes first, unless the other one is
 * not to be activated. */
static void find_halves(const struct op_problem *problem, const struct op_place *whole, int axis,
                        struct op_place halves[2])
{
    const int first = op_integer_named(problem, "activateLeft", 0) != 0;
    const int64_t size = problem->sizes[axis];
    for (int i = 0; i < 2; i++) {
        struct op_place *half = &halves[first == 0 ? i : 1 - i];
        half->buffer = whole->buffer;
        half->view = op_view_part(&whole->view, axis, i * size, 1, size);
    }
}

static void plan_gate(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const int from = op_given_argument(problem, whole_name(problem));
    const struct op_place whole = op_target(call, from, 0);
    struct op_place halves[2], results[2], made[2];
    int written[2], count = 0, axis = 0;
    struct op_map map;
    if (find_axis(problem, &axis) != ACLNN_SUCCESS) return; /* it was checked */
    find_halves(problem, &whole, axis, halves);
    op_map_begin(&map, call->plan, core_of(problem), problem->type, problem->rank, problem->sizes);
    for (int i = 0; i < problem->count; i++)
        if (op_is_written(&problem->values[i])) written[count++] = i;
    for (int i = 0; i < count; i++) {
        made[i] = op_map_target(call, written[i]);
        if (is_gradient(problem)) find_halves(problem, &made[i], axis, results);
        op_map_result(&map, is_gradient(problem) ? &results[0] : &made[i]);
        if (is_gradient(problem)) op_map_result(&map, &results[1]);
    }
    /* The result's gradient comes first, the activation of the forward function last. */
    for (int i = 0; i < from; i++)
        if (op_is_read(&problem->values[i])) op_map_argument(&map, call, i);
    op_map_operand(&map, &halves[0]);
    op_map_operand(&map, &halves[1]);
    for (int i = from + 1; i < problem->count; i++)
        if (op_is_read(&problem->values[i])) add_argument(&map, call, i);
    op_map_end(&map);
    for (int i = 0; i < count; i++)
        op_deliver(call, &made[i], written[i]);
}

const struct op_rule op_rule_gate = {.types = op_types_promoted,
                                     .shapes = gate_shapes,
                                     .more = &(const struct op_shape_rule){plan_gate}};

/* ---- logarithm of the sigmoid ---- */

static bool is_buffer(const struct op_value *value)
{
    return strcmp(value->name, "buffer") == 0;
}

/* PyTorch's buffer is empty. */
static aclnnStatus log_sigmoid_shapes(struct op_problem *problem)
{
    const aclTensor *self = op_tensor_named(problem, "self");
    problem->rank = self->descriptor.rank;
    for (int i = 0; i < problem->rank; i++)
        problem->sizes[i] = self->descriptor.sizes[i];
    for (int i = 0; i < problem->tensor_count; i++) {
        const struct op_value *value = problem->tensor[i];
        if (!is_buffer(value))
            OP_TRY(
                op_check_same_shape(problem->row->name, value->name, value->tensor, "self", self));
    }
    return ACLNN_SUCCESS;
}

static void plan_log_sigmoid(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const int out = (int)(op_written(problem, 0) - problem->values);
    const struct op_place to = op_map_target(call, out);
    struct op_map map;
    op_map_begin(&map, call->plan, (enum k_core)problem->row->core, problem->type, problem->rank,
                 problem->sizes);
    op_map_result(&map, &to);
    for (int i = 0; i < problem->count; i++)
        if (op_is_read(&problem->values[i]) && !is_buffer(&problem->values[i]))
            op_map_argument(&map, call, i);
    op_map_end(&map);
    op_deliver(call, &to, out);
}

const struct op_rule op_rule_log_sigmoid = {.types = op_types_promoted,
                                            .shapes = log_sigmoid_shapes,
                                            .runs_empty = true,
                                            .more =
                                                &(const struct op_shape_rule){plan_log_sigmoid}};
