/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAddLora: everything but the indices becomes dense floats, of the weights one layer. */
#include <stdio.h>

#include "api/op_check.h"
#include "api/op_rule.h"
#include "api/op_shape.h"
#include "kernels/group/k_add_lora.h"
#include "kernels/kernels.h"

enum { Y, X, WEIGHT_B, INDICES, WEIGHT_A, LAYER, SCALE, OFFSET, SLICE, OUT };

static aclnnStatus lora_types(struct op_problem *problem)
{
    const struct op_row *row = problem->row;
    for (int i = 0; i < problem->tensor_count; i++) {
        const struct op_value *value = problem->tensor[i];
        if (value == &problem->values[INDICES]) {
            OP_TRY(
                op_check_type(row->name, value->name, value->tensor, OP_TYPE(ACL_INT32), "INT32"));
            continue;
        }
        OP_TRY(op_check_type(row->name, value->name, value->tensor, row->types, row->type_names));
        OP_TRY(op_check_same_type(row->name, value->name, value->tensor, "y",
                                  problem->values[Y].tensor));
    }
    problem->type = (aclDataType)problem->values[Y].tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

static const int64_t *sizes_of(const struct op_problem *problem, int argument)
{
    return problem->values[argument].tensor->descriptor.sizes;
}

static aclnnStatus check_numbers(const struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    const int64_t *b = sizes_of(problem, WEIGHT_B), width = sizes_of(problem, Y)[1];
    OP_CHECK(problem->row->name, values[LAYER].integer >= 0 && values[LAYER].integer < b[1],
             ACLNN_ERR_PARAM_INVALID, "layerIdx is %" PRId64 "; weightB has %" PRId64 " layers",
             values[LAYER].integer, b[1]);
    OP_CHECK(problem->row->name, values[SLICE].integer == b[2], ACLNN_ERR_PARAM_INVALID,
             "ySliceSize is %" PRId64 "; it must be weightB's third size, %" PRId64,
             values[SLICE].integer, b[2]);
    OP_CHECK(problem->row->name,
             b[2] <= width && values[OFFSET].integer >= 0 && values[OFFSET].integer <= width - b[2],
             ACLNN_ERR_PARAM_INVALID,
             "yOffset is %" PRId64 " and ySliceSize %" PRId64 "; y has %" PRId64 " columns",
             values[OFFSET].integer, values[SLICE].integer, width);
    return ACLNN_SUCCESS;
}

static aclnnStatus lora_shapes(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    const char *name = problem->row->name;
    OP_TRY(op_check_rank(name, "y", values[Y].tensor, 2, 2));
    OP_TRY(op_check_rank(name, "x", values[X].tensor, 2, 2));
    OP_TRY(op_check_rank(name, "weightB", values[WEIGHT_B].tensor, 4, 4));
    const int64_t rows = sizes_of(problem, Y)[0], inputs = sizes_of(problem, X)[1];
    const int64_t *b = sizes_of(problem, WEIGHT_B);
    const int64_t a[] = {b[0], b[1], b[3], inputs}, x[] = {rows, inputs}, narrow[] = {rows, b[3]};
    OP_TRY(op_check_shape(problem, &values[X], values[X].tensor, 2,
                          values[WEIGHT_A].tensor ? x : narrow));
    OP_TRY(op_check_shape(problem, &values[INDICES], values[INDICES].tensor, 1, &rows));
    if (values[WEIGHT_A].tensor)
        OP_TRY(op_check_shape(problem, &values[WEIGHT_A], values[WEIGHT_A].tensor, 4, a));
    OP_TRY(op_check_same_shape(name, "out", values[OUT].tensor, "y", values[Y].tensor));
    return check_numbers(problem);
}

/* Dense floats of a view. */
static struct op_place floats_of(struct ex_plan *plan, const struct op_place *from)
{
    if (from->view.type == ACL_FLOAT && from->view.offset == 0 && op_view_is_dense(&from->view))
        return *from;
    const struct op_place copy =
        op_scratch_place(plan, ACL_FLOAT, from->view.rank, from->view.sizes);
    op_copy_place(plan, from, &copy);
    return copy;
}

/* The layer's matrices of all groups. */
static struct op_place layer_of(const struct op_shape_call *call, int argument)
{
    struct op_place weight = op_source(call, argument, 0);
    weight.view = op_view_part(&weight.view, 1, call->problem->values[LAYER].integer, 1, 1);
    return floats_of(call->plan, &weight);
}

static void describe(const void *parameters, void *const buffers[], int64_t position, char *text,
                     size_t size)
{
    const struct k_add_lora *l = parameters;
    snprintf(text, size, "element %" PRId64 " of indices is %d; it must be from 0 to %" PRId64,
             position, ((const int32_t *)buffers[K_ADD_LORA_INDICES])[position], l->groups - 1);
}

static void plan_lora(const struct op_shape_call *call)
{
    const struct op_value *values = call->problem->values;
    const struct op_place to = op_target(call, OUT, 0), y = op_source(call, Y, 0);
    const int64_t *b = sizes_of(call->problem, WEIGHT_B);
    struct k_add_lora l = {.has_a = values[WEIGHT_A].tensor != NULL,
                           .groups = b[0],
                           .outputs = b[2],
                           .rank = b[3],
                           .inputs = sizes_of(call->problem, X)[1],
                           .width = to.view.sizes[1],
                           .offset = values[OFFSET].integer,
                           .scale = (float)values[SCALE].real};
    const bool adds = l.outputs > 0 && l.rank > 0 && l.inputs > 0;
    if (op_view_is_empty(&to.view)) return;
    if (!adds) {
        op_copy_place(call->plan, &y, &to);
        return;
    }
    const bool is_direct = to.view.type == ACL_FLOAT && op_view_is_dense(&to.view);
    const struct op_place made =
        is_direct ? to : op_scratch_place(call->plan, ACL_FLOAT, 2, to.view.sizes);
    const struct op_place own = op_source(call, X, 0), x = floats_of(call->plan, &own);
    const struct op_place of_b = layer_of(call, WEIGHT_B);
    const struct op_place of_a = l.has_a ? layer_of(call, WEIGHT_A) : of_b;
    const struct op_place indices = op_dense_source(call, INDICES);
    const int64_t narrow_sizes[] = {to.view.sizes[0], l.rank};
    const struct op_place narrow = op_scratch_place(call->plan, ACL_FLOAT, 2, narrow_sizes);
    const double cost = (double)l.rank * (double)(l.inputs + l.outputs);
    op_copy_place(call->plan, &y, &made);
    ex_step_with_faults(
        call->plan, "add_lora", k_best()->add_lora, &l, sizeof l,
        (struct k_work){.items = to.view.sizes[0],
                        .grain = cost >= 1 << 16 ? 1 : (int64_t)((1 << 16) / cost)},
        EX_BUFFERS(x.buffer, of_a.buffer, of_b.buffer, indices.buffer, narrow.buffer, made.buffer),
        describe);
    if (!is_direct) op_copy_place(call->plan, &made, &to);
}

const struct op_rule op_rule_add_lora = {
    .types = lora_types,
    .shapes = lora_shapes,
    .runs_empty = true, /* y is copied where there is nothing to add */
    .more = &(const struct op_shape_rule){plan_lora},
};
