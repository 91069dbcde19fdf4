/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnDequantSwigluQuant and V2: sums of products of small integers through gates, as small
 * integers again. */
#include <math.h>
#include <string.h>

#include "api/op_experts.h"
#include "api/op_quantize.h"
#include "kernels/kernels.h"
#include "kernels/quant/k_gate_rows.h"

/* What the arguments mean; NULL: not there. */
struct dequant_gate {
    const struct op_value *x, *scale, *token, *bias, *smooth, *offset, *list, *y, *made;
    bool is_second, is_dynamic, is_left;
    int64_t mode, rows, width, groups; /* width: of x; groups: 1 without a list */
};

static struct dequant_gate gate_of(const struct op_problem *problem)
{
    const char *mode = op_argument_named(problem, "quantModeOptional")->text;
    struct dequant_gate g = {
        .x = &problem->values[0],
        .scale = op_given(problem, "weightScaleOptional"),
        .token = op_given(problem, "activationScaleOptional"),
        .bias = op_given(problem, "biasOptional"),
        .smooth = op_given(problem, "quantScaleOptional"),
        .offset = op_given(problem, "quantOffsetOptional"),
        .list = op_given(problem, "groupIndexOptional"),
        .y = op_given(problem, "yOut"),
        .made = op_given(problem, "scaleOut"),
        .is_second = op_argument_named(problem, "swigluMode") != NULL,
        .is_dynamic = mode && strcmp(mode, "dynamic") == 0,
        .is_left = op_integer_named(problem, "activateLeft", 1) != 0,
        .mode = op_integer_named(problem, "swigluMode", 0),
    };
    const struct ex_descriptor *x = &g.x->tensor->descriptor;
    g.rows = x->rank > 0 ? op_element_count(x->rank - 1, x->sizes) : 0;
    g.width = x->rank > 0 ? x->sizes[x->rank - 1] : 0;
    g.groups = 1;
    if (g.list && g.list->tensor->descriptor.rank > 0)
        g.groups = g.list->tensor->descriptor.sizes[0];
    return g;
}

static double real_named(const struct op_problem *problem, const char *name, double otherwise)
{
    const struct op_value *value = op_argument_named(problem, name);
    return value ? value->real : otherwise;
}

/* ---- checks ---- */

static aclnnStatus check_texts(const struct op_problem *problem)
{
    const struct op_value *mode = op_argument_named(problem, "quantModeOptional");
    const struct op_value *round = op_argument_named(problem, "roundModeOptional");
    OP_CHECK(problem->row->name,
             !mode->text || strcmp(mode->text, "static") == 0 || strcmp(mode->text, "dynamic") == 0,
             ACLNN_ERR_PARAM_INVALID,
             "quantModeOptional is \"%.20s\"; it must be static or dynamic, or NULL for static",
             mode->text);
    OP_CHECK(problem->row->name, !round || !round->text || strcmp(round->text, "rint") == 0,
             ACLNN_ERR_PARAM_INVALID,
             "roundModeOptional is \"%.20s\"; it must be rint, or NULL, for yOut is INT8",
             round->text);
    return ACLNN_SUCCESS;
}

/* Only sums have factors; static results of the second version need a scale. */
static aclnnStatus check_presence(const struct op_problem *problem, const struct dequant_gate *g)
{
    const char *name = problem->row->name;
    const struct op_value *const of_sums[] = {g->scale, g->token, g->bias};
    const bool is_whole = g->x->tensor->descriptor.data_type == ACL_INT32;
    OP_CHECK(name, !is_whole || g->scale, ACLNN_ERR_PARAM_NULLPTR,
             "weightScaleOptional is NULL and x INT32; it must be given");
    for (int i = 0; i < (int)RT_LENGTH(of_sums); i++)
        OP_CHECK(name, is_whole || !of_sums[i], ACLNN_ERR_PARAM_INVALID,
                 "%s is given and x's data type is %s; only INT32 has it", of_sums[i]->name,
                 op_data_type_name((aclDataType)g->x->tensor->descriptor.data_type));
    OP_CHECK(name, g->smooth || g->is_dynamic || !g->is_second, ACLNN_ERR_PARAM_NULLPTR,
             "quantScaleOptional is NULL and quantModeOptional static; it must be given");
    OP_CHECK(name, !g->offset || g->smooth, ACLNN_ERR_PARAM_INVALID,
             "quantOffsetOptional is given and quantScaleOptional is NULL; both must be given");
    OP_CHECK(name, !g->offset || !g->is_dynamic || !g->is_second, ACLNN_ERR_PARAM_INVALID,
             "quantOffsetOptional is given and quantModeOptional dynamic; it must be NULL");
    return ACLNN_SUCCESS;
}

/* The numbers that the second version adds. */
static aclnnStatus check_numbers(const struct op_problem *problem, const struct dequant_gate *g)
{
    const char *name = problem->row->name;
    const int rank = g->x->tensor->descriptor.rank;
    const int64_t type = op_integer_named(problem, "dstType", ACL_INT8);
    const int64_t axis = op_integer_named(problem, "activateDim", -1);
    const double limit = real_named(problem, "clampLimit", 1);
    OP_CHECK(name, type == ACL_INT8, ACLNN_ERR_PARAM_INVALID,
             "dstType is %" PRId64 "; it must be %d, INT8", type, (int)ACL_INT8);
    OP_CHECK(name, axis == -1 || axis == rank - 1, ACLNN_ERR_PARAM_INVALID,
             "activateDim is %" PRId64 "; it must be -1 or %d, the last dimension", axis, rank - 1);
    OP_CHECK(name, g->mode >= 0 && g->mode <= 3, ACLNN_ERR_PARAM_INVALID,
             "swigluMode is %" PRId64 "; it must be between 0 and 3", g->mode);
    OP_CHECK(name, g->mode != 1 || g->is_left, ACLNN_ERR_PARAM_INVALID,
             "activateLeft is false and swigluMode 1; it must be true");
    OP_CHECK(name, g->mode == 0 || (limit > 0 && isfinite(limit)), ACLNN_ERR_PARAM_INVALID,
             "clampLimit is %g; it must be above 0 and finite", limit);
    return ACLNN_SUCCESS;
}

static aclnnStatus dequant_gate_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct dequant_gate g = gate_of(problem);
    const struct op_value *const floats[] = {g.scale, g.token, g.smooth, g.offset, g.made};
    OP_TRY(check_texts(problem));
    OP_TRY(op_check_type(name, "x", g.x->tensor, problem->row->types, problem->row->type_names));
    OP_TRY(check_presence(problem, &g));
    for (int i = 0; i < (int)RT_LENGTH(floats); i++)
        if (floats[i])
            OP_TRY(op_check_type(name, floats[i]->name, floats[i]->tensor, OP_TYPE(ACL_FLOAT),
                                 "FLOAT"));
    if (g.bias)
        OP_TRY(op_check_type(name, "biasOptional", g.bias->tensor,
                             OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_FLOAT16) | OP_TYPE(ACL_BF16) |
                                 OP_TYPE(ACL_INT32),
                             "FLOAT, FLOAT16, BF16, INT32"));
    if (g.list)
        OP_TRY(op_check_type(name, "groupIndexOptional", g.list->tensor,
                             OP_TYPE(ACL_INT64) | (g.is_second ? UINT64_C(0) : OP_TYPE(ACL_INT32)),
                             g.is_second ? "INT64" : "INT32, INT64"));
    OP_TRY(op_check_type(name, "yOut", g.y->tensor, OP_TYPE(ACL_INT8), "INT8"));
    problem->type = problem->result = ACL_FLOAT;
    return check_numbers(problem, &g);
}

/* (columns) or (1, columns) without groups, (groups, columns) with them. */
static aclnnStatus check_rows(const struct op_problem *problem, const struct dequant_gate *g,
                              const struct op_value *value, int64_t columns, bool may_be_one)
{
    struct op_shape_text text;
    if (!value) return ACLNN_SUCCESS;
    const struct ex_descriptor *d = &value->tensor->descriptor;
    const bool is_flat = d->rank == 1 && d->sizes[0] == columns && g->groups == 1;
    const bool is_whole = d->rank == 2 && d->sizes[0] == g->groups && d->sizes[1] == columns;
    const bool is_one = may_be_one && d->rank == 1 && d->sizes[0] == g->groups;
    OP_CHECK(problem->row->name, is_flat || is_whole || is_one, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it must be (%" PRId64 ", %" PRId64 ")%s%s", value->name,
             op_shape(&text, value->tensor), g->groups, columns,
             g->groups == 1 ? ", or without the first dimension" : "",
             may_be_one ? ", or have one number for each group" : "");
    return ACLNN_SUCCESS;
}

static aclnnStatus dequant_gate_shapes(struct op_problem *problem)
{
    struct op_shape_text text;
    const char *name = problem->row->name;
    const struct dequant_gate g = gate_of(problem);
    const struct ex_descriptor *x = &g.x->tensor->descriptor;
    int64_t sizes[EX_MAX_RANK];
    OP_TRY(op_check_rank(name, "x", g.x->tensor, 2, EX_MAX_RANK));
    OP_CHECK(name, g.width % 2 == 0, ACLNN_ERR_PARAM_INVALID,
             "x's last dimension is %" PRId64 "; it must be even", g.width);
    memcpy(sizes, x->sizes, (size_t)x->rank * sizeof *sizes);
    sizes[x->rank - 1] /= 2;
    if (g.list) {
        const struct ex_descriptor *d = &g.list->tensor->descriptor;
        OP_TRY(op_check_rank(name, "groupIndexOptional", g.list->tensor, 1, 1 + g.is_second));
        OP_CHECK(name, g.groups >= 1 && (d->rank == 1 || d->sizes[1] == 2), ACLNN_ERR_PARAM_INVALID,
                 "groupIndexOptional's shape is %s; it must be (groups)%s, at least 1 of them",
                 op_shape(&text, g.list->tensor), g.is_second ? " or (groups, 2)" : "");
    }
    OP_TRY(check_rows(problem, &g, g.scale, g.width, false));
    OP_TRY(check_rows(problem, &g, g.bias, g.width, false));
    OP_TRY(check_rows(problem, &g, g.smooth, g.width / 2, true));
    if (g.offset)
        OP_TRY(op_check_same_shape(name, "quantOffsetOptional", g.offset->tensor,
                                   "quantScaleOptional", g.smooth->tensor));
    if (g.token) {
        const struct ex_descriptor *d = &g.token->tensor->descriptor;
        OP_CHECK(name, op_element_count(d->rank, d->sizes) == g.rows, ACLNN_ERR_PARAM_INVALID,
                 "activationScaleOptional's shape is %s; it must have an element for each of x's "
                 "%" PRId64 " rows",
                 op_shape(&text, g.token->tensor), g.rows);
    }
    OP_TRY(op_check_shape(problem, g.y, g.y->tensor, x->rank, sizes));
    return op_check_shape(problem, g.made, g.made->tensor, x->rank - 1, sizes);
}

/* ---- plan ---- */

static int argument_of(const struct op_shape_call *call, const struct op_value *value)
{
    return (int)(value - call->problem->values);
}

static int source(const struct op_shape_call *call, const struct op_value *value, int otherwise)
{
    return value ? op_dense_source(call, argument_of(call, value)).buffer : otherwise;
}

/* What is not written stays as it is. */
static struct op_place target(const struct op_shape_call *call, const struct op_value *value)
{
    const int argument = argument_of(call, value);
    const struct op_place own = op_target(call, argument, 0), to = op_dense_target(call, argument);
    if (to.buffer != own.buffer) op_copy_place(call->plan, &own, &to);
    return to;
}

static struct k_gate_rows rows_of(const struct op_problem *problem, const struct dequant_gate *g)
{
    static const enum k_gate_form forms[] = {K_GATE_PLAIN, K_GATE_CLAMPED, K_GATE_CLAMPED,
                                             K_GATE_STEP};
    const struct ex_descriptor *smooth = g->smooth ? &g->smooth->tensor->descriptor : NULL;
    return (struct k_gate_rows){
        .form = forms[g->mode],
        .from = op_k_dtype(g->x->tensor),
        .bias = g->bias ? op_k_dtype(g->bias->tensor) : K_F32,
        .rows = g->rows,
        .columns = g->width / 2,
        .groups = g->list ? g->groups : 0,
        .has_scale = g->scale != NULL,
        .has_token = g->token != NULL,
        .has_bias = g->bias != NULL,
        .has_smooth = g->smooth != NULL,
        .has_offset = g->offset != NULL,
        .by_column = smooth && (smooth->rank == 2 || smooth->sizes[0] != g->groups),
        .is_dynamic = g->is_dynamic,
        .is_right = !g->is_left,
        .is_interleaved = g->mode == 1,
        .limit = (float)real_named(problem, "clampLimit", 0),
        .alpha = (float)real_named(problem, "gluAlpha", 0),
        .more = (float)real_named(problem, "gluBias", 0),
    };
}

static void dequant_gate(const struct op_shape_call *call)
{
    const struct dequant_gate g = gate_of(call->problem);
    if (g.rows == 0) return;
    const struct k_gate_rows k = rows_of(call->problem, &g);
    const int x = source(call, g.x, -1), scale = source(call, g.scale, x);
    const int token = source(call, g.token, x), bias = source(call, g.bias, x);
    const int smooth = source(call, g.smooth, x), offset = source(call, g.offset, x);
    int table = x;
    if (g.list) {
        const bool is_pair = g.list->tensor->descriptor.rank == 2;
        table = op_experts_table(call, g.list, is_pair ? K_GROUP_PAIRS : K_GROUP_COUNTS, g.groups,
                                 g.rows, g.groups);
    }
    const struct op_place y = target(call, g.y), made = target(call, g.made);
    ex_step(call->plan, "gate_rows", k_best()->gate_rows, &k, sizeof k, k_gate_rows_plan(&k),
            EX_BUFFERS(x, scale, token, bias, smooth, offset, table, y.buffer, made.buffer));
    op_deliver(call, &y, argument_of(call, g.y));
    op_deliver(call, &made, argument_of(call, g.made));
}

const struct op_rule op_rule_dequant_gate = {
    .types = dequant_gate_types,
    .shapes = dequant_gate_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){dequant_gate},
};
