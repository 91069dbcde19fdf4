/* SPDX-License-Identifier: Apache-2.0 */
/* What an LSTM cell does behind its matrix products, and its gradients: a step of the elementwise
 * kernel for each function, in FLOAT or DOUBLE throughout; results are rounded once. */
#include "api/op_check.h"
#include "api/op_map.h"

/* Gates lie side by side in this order. */
enum { INPUT, CELL, FORGET, OUTPUT, GATES };

/* Both operators have cx, [batch, hidden]. */
static const struct ex_descriptor *state_of(const struct op_problem *problem)
{
    return &op_tensor_named(problem, "cx")->descriptor;
}

static aclnnStatus check_named(const struct op_problem *problem, const char *name, int rank,
                               const int64_t *sizes)
{
    const struct op_value *value = op_argument_named(problem, name);
    if (!value || !value->tensor) return ACLNN_SUCCESS;
    return op_check_shape(problem, value, value->tensor, rank, sizes);
}

static aclnnStatus cell_shapes(struct op_problem *problem)
{
    static const char *const states[] = {"hyOut",         "cyOut", "gradHyOptional",
                                         "gradCOptional", "cy",    "gradCxOut"};
    static const char *const gates[] = {"inputGates", "hiddenGates", "storageOut", "storage",
                                        "gradGatesOut"};
    static const char *const biases[] = {"inputBiasOptional", "hiddenBiasOptional", "gradBiasOut"};
    int64_t all[2];
    OP_TRY(op_check_rank(problem->row->name, "cx", op_tensor_named(problem, "cx"), 2, 2));
    const int64_t *one = state_of(problem)->sizes;
    OP_CHECK(problem->row->name, one[1] <= INT64_MAX / GATES, ACLNN_ERR_PARAM_INVALID,
             "cx has %" PRId64 " elements a row; that is too many", one[1]);
    all[0] = one[0];
    all[1] = GATES * one[1];
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        OP_TRY(check_named(problem, states[i], 2, one));
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++)
        OP_TRY(check_named(problem, gates[i], 2, all));
    for (size_t i = 0; i < sizeof biases / sizeof *biases; i++)
        OP_TRY(check_named(problem, biases[i], 1, &all[1]));
    return ACLNN_SUCCESS;
}

/* ---- steps ---- */

static aclDataType wide_type(const struct op_problem *problem)
{
    return problem->type == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT;
}

static struct op_place room(const struct op_shape_call *call, int columns)
{
    const struct ex_descriptor *d = state_of(call->problem);
    const int64_t sizes[] = {d->sizes[0], columns * d->sizes[1]};
    return op_scratch_place(call->plan, wide_type(call->problem), 2, sizes);
}

static struct op_place gate(const struct op_place *all, int which)
{
    const int64_t hidden = all->view.sizes[1] / GATES;
    return (struct op_place){all->buffer, op_view_part(&all->view, 1, which * hidden, 1, hidden)};
}

/* to = core(a, b, c), those that are given; a sum or product counts its terms once. */
static void apply(const struct op_shape_call *call, enum k_core core, struct op_place to,
                  const struct op_place *a, const struct op_place *b, const struct op_place *c)
{
    struct op_map map;
    op_map_begin(&map, call->plan, core, wide_type(call->problem), 2, to.view.sizes);
    op_map_result(&map, &to);
    op_map_operand(&map, a);
    if (b) op_map_operand(&map, b);
    if (c) op_map_operand(&map, c);
    op_map_number(&map, 1);
    op_map_end(&map);
}

static struct op_place named(const struct op_shape_call *call, const char *name)
{
    return op_target(call, op_given_argument(call->problem, name), 0);
}

static bool is_given(const struct op_shape_call *call, const char *name)
{
    return op_given_argument(call->problem, name) >= 0;
}

/* Results are written when nothing is left to be read. */
static void cell(const struct op_shape_call *call)
{
    static const enum k_core activations[GATES] = {K_CORE_sigmoid, K_CORE_tanh, K_CORE_sigmoid,
                                                   K_CORE_sigmoid};
    static const char *const biases[] = {"inputBiasOptional", "hiddenBiasOptional"};
    const struct op_place sums = room(call, GATES), active = room(call, GATES);
    const struct op_place state = room(call, 1), bent = room(call, 1);
    const struct op_place input = named(call, "inputGates"), hidden = named(call, "hiddenGates");
    const struct op_place before = named(call, "cx"), hy = named(call, "hyOut");
    const struct op_place cy = named(call, "cyOut"), storage = named(call, "storageOut");
    struct op_place gates[GATES];
    apply(call, K_CORE_add, sums, &input, &hidden, NULL);
    for (int i = 0; i < 2; i++) {
        if (!is_given(call, biases[i])) continue;
        const struct op_place bias = named(call, biases[i]);
        apply(call, K_CORE_add, sums, &sums, &bias, NULL);
    }
    for (int i = 0; i < GATES; i++) {
        const struct op_place from = gate(&sums, i);
        gates[i] = gate(&active, i);
        apply(call, activations[i], gates[i], &from, NULL, NULL);
    }
    apply(call, K_CORE_mul, state, &gates[INPUT], &gates[CELL], NULL);
    apply(call, K_CORE_addcmul, state, &state, &gates[FORGET], &before);
    apply(call, K_CORE_tanh, bent, &state, NULL, NULL);
    op_copy_place(call->plan, &active, &storage);
    op_copy_place(call->plan, &state, &cy);
    apply(call, K_CORE_mul, hy, &gates[OUTPUT], &bent, NULL);
}

static aclnnStatus cell_types(struct op_problem *problem)
{
    const aclTensor *input = op_tensor_named(problem, "inputBiasOptional");
    const aclTensor *hidden = op_tensor_named(problem, "hiddenBiasOptional");
    OP_CHECK(problem->row->name, !input == !hidden, ACLNN_ERR_PARAM_INVALID,
             "%s is NULL; both biases are given, or none",
             input ? "hiddenBiasOptional" : "inputBiasOptional");
    return op_types_same(problem);
}

const struct op_rule op_rule_lstm_cell = {
    .types = cell_types, .shapes = cell_shapes, .more = &(const struct op_shape_rule){cell}};

/* ---- gradients ---- */

static aclnnStatus grad_types(struct op_problem *problem)
{
    const bool has_bias = op_integer_named(problem, "hasBias", 0) != 0;
    OP_CHECK(problem->row->name, !has_bias || op_tensor_named(problem, "gradBiasOut"),
             ACLNN_ERR_PARAM_NULLPTR, "gradBiasOut is NULL; hasBias is true");
    return op_types_same(problem);
}

/* The state's gradient: that of cy, and what comes through hy. bent: tanh(cy). */
static void make_state(const struct op_shape_call *call, const struct op_place *output,
                       const struct op_place *bent, const struct op_place *made)
{
    const bool has_hy = is_given(call, "gradHyOptional"), has_c = is_given(call, "gradCOptional");
    op_fill_place(call->plan, made, 0, 0);
    if (has_hy) {
        const struct op_place hy = named(call, "gradHyOptional");
        apply(call, K_CORE_mul, *made, &hy, output, NULL);
        apply(call, K_CORE_tanh_grad, *made, made, bent, NULL);
    }
    if (has_c) {
        const struct op_place c = named(call, "gradCOptional");
        apply(call, K_CORE_add, *made, made, &c, NULL);
    }
}

static void grad(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const struct op_place storage = named(call, "storage"), cy = named(call, "cy");
    const struct op_place before = named(call, "cx");
    const struct op_place bent = room(call, 1), state = room(call, 1), part = room(call, 1);
    const struct op_place made = room(call, GATES), to = named(call, "gradGatesOut");
    const struct op_place to_cx = named(call, "gradCxOut");
    struct op_place active[GATES], grads[GATES];
    for (int i = 0; i < GATES; i++) {
        active[i] = gate(&storage, i);
        grads[i] = gate(&made, i);
    }
    apply(call, K_CORE_tanh, bent, &cy, NULL, NULL);
    make_state(call, &active[OUTPUT], &bent, &state);
    op_fill_place(call->plan, &grads[OUTPUT], 0, 0);
    if (is_given(call, "gradHyOptional")) {
        const struct op_place hy = named(call, "gradHyOptional");
        apply(call, K_CORE_mul, part, &hy, &bent, NULL);
        apply(call, K_CORE_sigmoid_grad, grads[OUTPUT], &part, &active[OUTPUT], NULL);
    }
    apply(call, K_CORE_mul, part, &state, &active[CELL], NULL);
    apply(call, K_CORE_sigmoid_grad, grads[INPUT], &part, &active[INPUT], NULL);
    apply(call, K_CORE_mul, part, &state, &before, NULL);
    apply(call, K_CORE_sigmoid_grad, grads[FORGET], &part, &active[FORGET], NULL);
    apply(call, K_CORE_mul, part, &state, &active[INPUT], NULL);
    apply(call, K_CORE_tanh_grad, grads[CELL], &part, &active[CELL], NULL);
    apply(call, K_CORE_mul, part, &state, &active[FORGET], NULL);
    op_copy_place(call->plan, &made, &to);
    op_copy_place(call->plan, &part, &to_cx);
    if (!op_integer_named(problem, "hasBias", 0)) return;
    const struct op_place bias = named(call, "gradBiasOut");
    if (op_view_is_empty(&made.view))
        op_fill_place(call->plan, &bias, 0, 0);
    else
        op_sum_step(call->plan, &made, 1, problem->type, 1, &bias);
}

const struct op_rule op_rule_lstm_cell_grad = {.types = grad_types,
                                               .shapes = cell_shapes,
                                               .runs_empty = true,
                                               .more = &(const struct op_shape_rule){grad}};
