/* SPDX-License-Identifier: Apache-2.0 */
/* Activations as small integers: aclnnSwiGluQuant, V2, GeluQuant. What is activated is FLOAT in
 * scratch, from which the result is quantized. */
#include <string.h>

#include "api/op_map.h"
#include "api/op_quantize.h"
#include "kernels/kernels.h"
#include "kernels/quant/k_quantize.h"

/* What the arguments of an operator mean; NULL: not there. */
struct gate_quant {
    const struct op_value *x, *scale, *offset, *groups, *y, *made;
    bool is_static, has_halves;
};

static const struct op_value *either(const struct op_problem *problem, const char *name,
                                     const char *other)
{
    const struct op_value *value = op_given(problem, name);
    return value ? value : op_given(problem, other);
}

static const struct op_value *mode_of(const struct op_problem *problem)
{
    const struct op_value *mode = op_argument_named(problem, "quantMode");
    return mode ? mode : op_argument_named(problem, "quantModeOptional");
}

static struct gate_quant gate_quant_of(const struct op_problem *problem)
{
    const char *mode = mode_of(problem)->text;
    return (struct gate_quant){
        .x = &problem->values[0],
        .scale = either(problem, "smoothScalesOptional", "inputScaleOptional"),
        .offset = either(problem, "offsetsOptional", "inputOffsetOptional"),
        .groups = op_given(problem, "groupIndexOptional"),
        .y = op_written(problem, 0),
        .made = either(problem, "scaleOut", "outScaleOptional"),
        .is_static = mode && strcmp(mode, "static") == 0,
        .has_halves = op_argument_named(problem, "activateLeft") != NULL,
    };
}

/* The result's shape: x's, or half of its last axis. */
static void find_sizes(const struct gate_quant *g, int64_t *sizes)
{
    const struct ex_descriptor *x = &g->x->tensor->descriptor;
    memcpy(sizes, x->sizes, (size_t)x->rank * sizeof *sizes);
    if (g->has_halves) sizes[x->rank - 1] /= 2;
}

/* ---- checks ---- */

/* The text is one of two; a missing one is the second where it may be missing. */
static aclnnStatus check_text(const struct op_problem *problem, const struct op_value *value,
                              const char *one, const char *other, bool may_be_null)
{
    OP_CHECK(problem->row->name, value->text || may_be_null, ACLNN_ERR_PARAM_NULLPTR, "%s is NULL",
             value->name);
    OP_CHECK(problem->row->name,
             !value->text || strcmp(value->text, one) == 0 || strcmp(value->text, other) == 0,
             ACLNN_ERR_PARAM_INVALID, "%s is \"%.20s\"; it must be %s or %s", value->name,
             value->text, one, other);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_texts(const struct op_problem *problem)
{
    const struct op_value *approximate = op_argument_named(problem, "approximate");
    const struct op_value *round = op_argument_named(problem, "roundMode");
    if (approximate) OP_TRY(check_text(problem, approximate, "none", "tanh", false));
    OP_TRY(check_text(problem, mode_of(problem), "static", "dynamic", !round));
    if (!round) return ACLNN_SUCCESS;
    OP_CHECK(problem->row->name, round->text, ACLNN_ERR_PARAM_NULLPTR, "roundMode is NULL");
    OP_CHECK(problem->row->name, strcmp(round->text, "rint") == 0, ACLNN_ERR_PARAM_INVALID,
             "roundMode is \"%.20s\"; it must be rint, for y is INT8", round->text);
    return ACLNN_SUCCESS;
}

/* SwiGluQuant's result is INT8; V2's is INT8 or INT4, as dstType says; GeluQuant's INT8. */
static aclnnStatus check_result_type(const struct op_problem *problem, const struct gate_quant *g)
{
    const char *name = problem->row->name;
    const bool takes_four = op_argument_named(problem, "groupListType") != NULL;
    const int32_t type = g->y->tensor->descriptor.data_type;
    OP_TRY(op_check_type(name, g->y->name, g->y->tensor,
                         OP_TYPE(ACL_INT8) | (takes_four ? OP_TYPE(ACL_INT4) : 0),
                         takes_four ? "INT8, INT4" : "INT8"));
    const int64_t told = op_integer_named(problem, "dstType", type);
    OP_CHECK(name, told == type, ACLNN_ERR_PARAM_INVALID,
             "dstType is %" PRId64 "; %s's type is %s (%d)", told, g->y->name,
             op_data_type_name((aclDataType)type), type);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_presence(const struct op_problem *problem, const struct gate_quant *g)
{
    const char *name = problem->row->name;
    const char *scale = g->has_halves ? "smoothScalesOptional" : "inputScaleOptional";
    OP_CHECK(name, !g->is_static || g->scale, ACLNN_ERR_PARAM_NULLPTR,
             "%s is NULL and %s \"static\"; it must be given", scale, mode_of(problem)->name);
    OP_CHECK(name, !g->offset || g->scale, ACLNN_ERR_PARAM_INVALID,
             "%s is given and %s is NULL; both must be given", g->offset->name, scale);
    if (g->has_halves) return ACLNN_SUCCESS;
    OP_CHECK(name, g->is_static || g->made, ACLNN_ERR_PARAM_NULLPTR, "outScaleOptional is NULL");
    OP_CHECK(name, !g->is_static || !g->made, ACLNN_ERR_PARAM_INVALID,
             "outScaleOptional is given and quantMode \"static\"; it must be NULL");
    return ACLNN_SUCCESS;
}

static aclnnStatus gate_quant_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    OP_TRY(check_texts(problem));
    const struct gate_quant g = gate_quant_of(problem);
    OP_TRY(check_presence(problem, &g));
    OP_TRY(
        op_check_type(name, g.x->name, g.x->tensor, problem->row->types, problem->row->type_names));
    if (g.scale) OP_TRY(op_check_float(name, g.scale->name, g.scale->tensor));
    if (g.offset)
        OP_TRY(op_check_same_type(name, g.offset->name, g.offset->tensor, g.scale->name,
                                  g.scale->tensor));
    if (g.groups)
        OP_TRY(op_check_type(name, g.groups->name, g.groups->tensor, OP_TYPE(ACL_INT32), "INT32"));
    OP_TRY(check_result_type(problem, &g));
    if (g.made)
        OP_TRY(op_check_type(name, g.made->name, g.made->tensor, OP_TYPE(ACL_FLOAT), "FLOAT"));
    problem->type = problem->result = ACL_FLOAT;
    return ACLNN_SUCCESS;
}

/* (groups), or (groups, columns); of GeluQuant (1) or (columns). */
static aclnnStatus check_factors(const struct op_problem *problem, const struct gate_quant *g,
                                 int64_t columns)
{
    struct op_shape_text text;
    const char *name = problem->row->name;
    if (!g->scale) return ACLNN_SUCCESS;
    const struct ex_descriptor *d = &g->scale->tensor->descriptor;
    const int64_t groups = g->groups ? g->groups->tensor->descriptor.sizes[0] : 1;
    const bool is_flat = d->rank == 1 && d->sizes[0] == groups;
    const bool is_whole = g->has_halves
                              ? d->rank == 2 && d->sizes[0] == groups && d->sizes[1] == columns
                              : d->rank == 1 && d->sizes[0] == columns;
    OP_CHECK(name, is_flat || is_whole, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it must be (%" PRId64 ") or (%s%" PRId64 ")", g->scale->name,
             op_shape(&text, g->scale->tensor), groups,
             !g->has_halves ? ""
             : groups == 1  ? "1, "
                            : "groups, ",
             columns);
    return g->offset ? op_check_same_shape(name, g->offset->name, g->offset->tensor, g->scale->name,
                                           g->scale->tensor)
                     : ACLNN_SUCCESS;
}

static aclnnStatus gate_quant_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct gate_quant g = gate_quant_of(problem);
    const struct ex_descriptor *x = &g.x->tensor->descriptor;
    const int64_t list = op_integer_named(problem, "groupListType", 0);
    int64_t sizes[EX_MAX_RANK];
    OP_TRY(op_check_rank(name, g.x->name, g.x->tensor, g.has_halves || !g.is_static ? 2 : 1,
                         EX_MAX_RANK));
    OP_CHECK(name, !g.has_halves || x->sizes[x->rank - 1] % 2 == 0, ACLNN_ERR_PARAM_INVALID,
             "x's last dimension is %" PRId64 "; it must be even", x->sizes[x->rank - 1]);
    OP_CHECK(name, list == 0 || list == 1, ACLNN_ERR_PARAM_INVALID,
             "groupListType is %" PRId64 "; it must be 0 or 1", list);
    find_sizes(&g, sizes);
    if (g.groups) {
        OP_TRY(op_check_rank(name, g.groups->name, g.groups->tensor, 1, 1));
        OP_CHECK(name, g.groups->tensor->descriptor.sizes[0] >= 1, ACLNN_ERR_PARAM_INVALID,
                 "groupIndexOptional is empty; it must have at least 1 element, or be NULL");
    }
    OP_TRY(check_factors(problem, &g, sizes[x->rank - 1]));
    OP_TRY(op_check_small(problem, g.y, x->rank, sizes));
    return g.made ? op_check_shape(problem, g.made, g.made->tensor, x->rank - 1, sizes)
                  : ACLNN_SUCCESS;
}

/* ---- plan ---- */

static int argument_of(const struct op_shape_call *call, const struct op_value *value)
{
    return (int)(value - call->problem->values);
}

static struct op_place activate(const struct op_shape_call *call, const struct gate_quant *g,
                                const int64_t *sizes)
{
    const struct op_problem *problem = call->problem;
    const struct op_value *approximate = op_argument_named(problem, "approximate");
    const bool is_tanh = approximate && strcmp(approximate->text, "tanh") == 0;
    const int rank = g->x->tensor->descriptor.rank;
    const struct op_place made = op_scratch_place(call->plan, ACL_FLOAT, rank, sizes);
    const struct op_place whole = op_target(call, 0, 0);
    struct op_map map;
    op_map_begin(&map, call->plan,
                 g->has_halves ? K_CORE_swiglu
                 : is_tanh     ? K_CORE_gelu_tanh
                               : K_CORE_gelu,
                 ACL_FLOAT, rank, sizes);
    op_map_result(&map, &made);
    const int64_t first = op_integer_named(problem, "activateLeft", 1) != 0 ? 0 : 1;
    for (int i = 0; g->has_halves && i < 2; i++) { /* the activated half comes first */
        const int64_t half = sizes[rank - 1], begin = (first + i) % 2 * half;
        const struct op_place part = {whole.buffer,
                                      op_view_part(&whole.view, rank - 1, begin, 1, half)};
        op_map_operand(&map, &part);
    }
    if (!g->has_halves) op_map_operand(&map, &whole);
    op_map_end(&map);
    return made;
}

static enum k_quantize_what what_of(const struct gate_quant *g)
{
    if (g->is_static) return K_QUANTIZE;
    return g->has_halves ? K_QUANTIZE_INVERSE : K_QUANTIZE_DYNAMIC;
}

static struct k_quantize quantize_of(const struct op_problem *problem, const struct gate_quant *g,
                                     const int64_t *sizes)
{
    const int rank = g->x->tensor->descriptor.rank;
    const struct ex_descriptor *scale = g->scale ? &g->scale->tensor->descriptor : NULL;
    const int64_t columns = sizes[rank - 1];
    return (struct k_quantize){
        .what = what_of(g),
        .from = K_F32,
        .to = K_I8,
        .factor = g->scale ? op_k_dtype(g->scale->tensor) : K_F32,
        .offset = g->offset ? op_k_dtype(g->offset->tensor) : K_F32,
        .is_four = g->y->tensor->descriptor.data_type == ACL_INT4,
        .rows = op_element_count(rank - 1, sizes),
        .columns = columns,
        .inner = 1,
        .by_column = scale && (g->has_halves ? scale->rank == 2 : scale->sizes[0] == columns),
        .has_scale = g->scale != NULL,
        .has_offset = g->offset && g->is_static,
        .experts = g->groups ? g->groups->tensor->descriptor.sizes[0] : 0,
        .is_count = op_integer_named(problem, "groupListType", 0) == 1,
        .is_plain = true,
    };
}

static int source(const struct op_shape_call *call, const struct op_value *value, int otherwise)
{
    return value ? op_dense_source(call, argument_of(call, value)).buffer : otherwise;
}

/* Where no scale is made. */
static void fill_made(const struct op_shape_call *call, const struct gate_quant *g)
{
    if (!g->made) return;
    const struct op_place zeros = op_target(call, argument_of(call, g->made), 0);
    op_fill_place(call->plan, &zeros, 0, 0);
}

static void gate_quant(const struct op_shape_call *call)
{
    const struct gate_quant g = gate_quant_of(call->problem);
    int64_t sizes[EX_MAX_RANK];
    find_sizes(&g, sizes);
    const bool is_empty = op_is_empty(g.x->tensor), is_made = g.made && !g.is_static && !is_empty;
    if (is_empty) {
        fill_made(call, &g);
        return;
    }
    const struct k_quantize k = quantize_of(call->problem, &g, sizes);
    const int scale = source(call, g.scale, -1), offset = source(call, g.offset, -1);
    const int groups = source(call, g.groups, -1);
    const int from = activate(call, &g, sizes).buffer;
    const struct op_place to = op_dense_target(call, argument_of(call, g.y));
    const struct op_place made = is_made ? op_dense_target(call, argument_of(call, g.made)) : to;
    ex_step(call->plan, "quantize", k_best()->quantize, &k, sizeof k, k_quantize_plan(&k),
            EX_BUFFERS(from, scale < 0 ? from : scale, offset < 0 ? from : offset, to.buffer,
                       made.buffer, made.buffer, groups < 0 ? from : groups));
    op_deliver(call, &to, argument_of(call, g.y));
    if (is_made)
        op_deliver(call, &made, argument_of(call, g.made));
    else
        fill_made(call, &g);
}

const struct op_rule op_rule_gate_quant = {
    .types = gate_quant_types,
    .shapes = gate_quant_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){gate_quant},
};
