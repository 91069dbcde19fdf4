/* SPDX-License-Identifier: Apache-2.0 */
/* Rotary embeddings. cos and sin are broadcast to what is turned. */
#include <string.h>

#include "api/op_check.h"
#include "api/op_norm.h"

/* ---- shapes ---- */

/* cos and sin have one shape, whose axes are those of x or have one element, the last one's all. */
static aclnnStatus check_tables(const struct op_problem *problem, const char *name,
                                const aclTensor *x)
{
    static const char *const tables[] = {"cos", "sin", "dcosOut", "dsinOut"};
    const struct ex_descriptor *d = &x->descriptor;
    struct op_shape_text text;
    OP_TRY(op_check_rank(problem->row->name, name, x, 1, EX_MAX_RANK));
    for (int i = 0; i < 4; i++) {
        const aclTensor *table = op_tensor_named(problem, tables[i]);
        if (!table) continue;
        bool fits = table->descriptor.rank == d->rank;
        for (int axis = 0; axis < d->rank && fits; axis++)
            fits = table->descriptor.sizes[axis] == d->sizes[axis] ||
                   (axis < d->rank - 1 && table->descriptor.sizes[axis] == 1);
        OP_CHECK(problem->row->name, fits, ACLNN_ERR_PARAM_INVALID,
                 "%s's shape is %s; it must be %s's, or have axes of 1 but for the last", tables[i],
                 op_shape(&text, table), name);
    }
    for (int i = 1; i < 4; i++)
        OP_TRY(op_norm_check_shape(problem, tables[i], d->rank,
                                   op_tensor_named(problem, "cos")->descriptor.sizes));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_row(const struct op_problem *problem, const char *name, const aclTensor *x,
                             int64_t mode)
{
    const int64_t count = x->descriptor.sizes[x->descriptor.rank - 1];
    const int64_t unit = mode == K_ROTARY_QUARTER ? 4 : 2;
    OP_CHECK(problem->row->name, mode >= 0 && mode <= 3, ACLNN_ERR_PARAM_INVALID,
             "mode is %" PRId64 "; it must be from 0 to 3", mode);
    OP_CHECK(problem->row->name, count % unit == 0 && count <= K_NORM_KEEP, ACLNN_ERR_PARAM_INVALID,
             "%s's last axis has %" PRId64 " elements; it must be a multiple of %" PRId64
             ", at most %d",
             name, count, unit, K_NORM_KEEP);
    return ACLNN_SUCCESS;
}

/* The argument, or what aclnnInterleaveRope does, which has none. */
static int64_t given_mode(const struct op_problem *problem)
{
    return op_integer_named(problem, "mode", K_ROTARY_PAIRS_TO_HALF);
}

static aclnnStatus shapes(struct op_problem *problem)
{
    const char *name = problem->tensor[0]->name;
    const aclTensor *x = problem->tensor[0]->tensor;
    const struct ex_descriptor *d = &x->descriptor;
    OP_CHECK(problem->row->name, !op_tensor_named(problem, "rotate"), ACLNN_ERR_PARAM_INVALID,
             "rotate is given; it must be NULL: matrices are not supported");
    OP_TRY(check_tables(problem, name, x));
    OP_TRY(check_row(problem, name, x, given_mode(problem)));
    OP_TRY(op_norm_check_shape(problem, "out", d->rank, d->sizes));
    OP_TRY(op_norm_check_shape(problem, "xOptional", d->rank, d->sizes));
    return op_norm_check_shape(problem, "dxOut", d->rank, d->sizes);
}

/* -1: none. */
static int64_t mode_of(const struct op_problem *problem)
{
    const struct op_value *mode = op_argument_named(problem, "rotaryMode");
    if (!mode || !mode->text || strcmp(mode->text, "half") == 0) return K_ROTARY_HALF;
    if (strcmp(mode->text, "interleave") == 0) return K_ROTARY_PAIRS;
    return strcmp(mode->text, "quarter") == 0 ? K_ROTARY_QUARTER : -1;
}

static aclnnStatus apply_shapes(struct op_problem *problem)
{
    static const char *const names[] = {"queryRef", "keyRef"};
    const int64_t layout = op_integer_named(problem, "layout", 1), mode = mode_of(problem);
    OP_CHECK(problem->row->name, layout >= 1 && layout <= 4, ACLNN_ERR_PARAM_INVALID,
             "layout is %" PRId64 "; it must be from 1 to 4", layout);
    OP_CHECK(problem->row->name, mode >= 0, ACLNN_ERR_PARAM_INVALID,
             "rotaryMode is \"%s\"; it must be \"half\", \"interleave\" or \"quarter\"",
             op_argument_named(problem, "rotaryMode")->text);
    for (int i = 0; i < 2; i++) {
        const aclTensor *tensor = op_tensor_named(problem, names[i]);
        OP_TRY(check_tables(problem, names[i], tensor));
        OP_TRY(check_row(problem, names[i], tensor, mode));
    }
    return ACLNN_SUCCESS;
}

/* ---- plans ---- */

static void begin(struct op_norm_call *call, enum k_norm_kind kind, const aclTensor *x,
                  int64_t mode)
{
    const struct ex_descriptor *d = &x->descriptor;
    op_norm_begin(call, kind, d->rank, d->sizes, 1U << (d->rank - 1));
    call->norm.number[0] = (double)d->sizes[d->rank - 1];
    call->norm.number[1] = (double)mode;
}

static void add(struct op_norm_call *call, enum k_norm_kind kind, const char *x, const char *out,
                int64_t mode)
{
    const aclTensor *tensor = op_tensor_named(call->problem, x);
    if (op_is_empty(tensor)) return;
    begin(call, kind, tensor, mode);
    const struct op_view view = op_view_of(tensor);
    op_norm_operand(call, K_ROTARY_X, x, &view);
    op_norm_whole(call, K_ROTARY_COS, "cos");
    op_norm_whole(call, K_ROTARY_SIN, "sin");
    op_norm_whole(call, K_ROTARY_OUT, out);
    op_norm_end(call, 3, NULL);
}

static void plan_rotary(struct op_norm_call *call)
{
    add(call, K_NORM_ROTARY, "x", "out", given_mode(call->problem));
}

static void plan_apply_rotary(struct op_norm_call *call)
{
    add(call, K_NORM_ROTARY, "queryRef", "queryRef", mode_of(call->problem));
    add(call, K_NORM_ROTARY, "keyRef", "keyRef", mode_of(call->problem));
}

/* The gradient of a table, dense in scratch. */
static int place_table(struct op_norm_call *call, int slot, const struct op_value *value)
{
    struct op_view view = op_view_of(value->tensor);
    const int64_t elements = op_element_count(view.rank, view.sizes);
    view = op_view_dense(view.type, view.rank, view.sizes);
    const int scratch =
        ex_scratch(call->plan, (size_t)elements * ex_element_size((int32_t)view.type));
    view = op_view_broadcast(&view, call->rank, call->sizes);
    op_norm_place(call, slot, scratch, &view, true);
    return scratch;
}

/* Sums over the axes along which the tables are broadcast. */
static void plan_tables(struct op_norm_call *call)
{
    static const char *const names[] = {"dcosOut", "dsinOut"};
    const aclTensor *x = op_tensor_named(call->problem, "xOptional");
    const struct ex_descriptor *d = &x->descriptor;
    const struct ex_descriptor *table = &op_tensor_named(call->problem, "cos")->descriptor;
    unsigned reduced = 1U << (d->rank - 1);
    int scratch[2];
    for (int i = 0; i < d->rank; i++)
        if (table->sizes[i] == 1) reduced |= 1U << i;

    op_norm_begin(call, K_NORM_ROTARY_TABLES_GRAD, d->rank, d->sizes, reduced);
    call->norm.number[0] = (double)d->sizes[d->rank - 1];
    call->norm.number[1] = (double)given_mode(call->problem);
    op_norm_whole(call, K_ROTARY_TABLES_X, "xOptional");
    op_norm_whole(call, K_ROTARY_TABLES_DY, "dy");
    for (int i = 0; i < 2; i++)
        if (op_norm_given(call, names[i]))
            scratch[i] = place_table(call, K_ROTARY_TABLES_DCOS + i, op_norm_given(call, names[i]));
    op_norm_end(call, 3, NULL);
    for (int i = 0; i < 2; i++) {
        const struct op_value *value = op_norm_given(call, names[i]);
        if (!value) continue;
        const struct op_view to = op_view_of(value->tensor);
        const struct op_view from = op_view_dense(to.type, to.rank, to.sizes);
        op_copy_step(call->plan, scratch[i], &from, call->buffers[value - call->problem->values],
                     &to);
    }
}

/* The tables' first: dx may lie where dy does. */
static void plan_rotary_grad(struct op_norm_call *call)
{
    static const char *const names[] = {"dcosOut", "dsinOut"};
    const bool is_empty = op_is_empty(op_tensor_named(call->problem, "dy"));
    for (int i = 0; i < 2 && is_empty && op_norm_given(call, "xOptional"); i++)
        if (op_norm_given(call, names[i])) op_norm_fill(call, op_norm_given(call, names[i]), 0);
    if (is_empty) return;
    if (op_norm_given(call, "xOptional") &&
        (op_norm_given(call, "dcosOut") || op_norm_given(call, "dsinOut")))
        plan_tables(call);
    add(call, K_NORM_ROTARY_GRAD, "dy", "dxOut", given_mode(call->problem));
}

static const struct op_norm_rule rotary = {.plan = plan_rotary};
static const struct op_norm_rule rotary_grad = {.plan = plan_rotary_grad};
static const struct op_norm_rule apply_rotary = {.plan = plan_apply_rotary};
const struct op_rule op_rule_rotary = {.types = op_norm_types, .shapes = shapes, .more = &rotary};
const struct op_rule op_rule_rotary_grad = {
    .types = op_norm_types, .shapes = shapes, .runs_empty = true, .more = &rotary_grad};
const struct op_rule op_rule_apply_rotary = {
    .types = op_norm_types, .shapes = apply_shapes, .runs_empty = true, .more = &apply_rotary};
