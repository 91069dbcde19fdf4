/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnGroupedMatmulSwigluQuant, WeightNZ, V2, WeightNzV2: products of rows of experts through
 * gates, as INT8. */
#include "api/op_experts.h"
#include "api/op_quantize.h"
#include "kernels/kernels.h"
#include "kernels/quant/k_gate_rows.h"

/* What the arguments mean. */
struct experts_gate {
    struct op_experts experts;
    const struct op_value *smooth, *y, *made;
    bool is_second;
};

/* A list that has no tensor is not there. */
static const struct op_value *given(const struct op_problem *problem, const char *name)
{
    const struct op_value *value = op_argument_named(problem, name);
    if (!value || !value->pointer) return NULL;
    return op_is_list(value) && value->tensors->size == 0 ? NULL : value;
}

static struct experts_gate gate_of(const struct op_problem *problem)
{
    const bool is_second = op_argument_named(problem, "groupListType") != NULL;
    struct experts_gate g = {
        .experts = {.x = given(problem, "x"),
                    .weight = given(problem, "weight"),
                    .scale = given(problem, "weightScale"),
                    .bias = given(problem, is_second ? "weightAssistMatrix" : "bias"),
                    .token = given(problem, "xScale"),
                    .list = given(problem, "groupList"),
                    .form = (enum k_group_form)op_integer_named(problem, "groupListType", 0),
                    .takes_fours = is_second},
        .smooth = given(problem, "smoothScale"),
        .y = given(problem, "output"),
        .made = given(problem, "outputScale"),
        .is_second = is_second,
    };
    const struct ex_descriptor *y = &g.y->tensor->descriptor;
    if (y->rank == 2 && !__builtin_mul_overflow(y->sizes[1], 2, &g.experts.n)) return g;
    g.experts.n = -1; /* which no weight has */
    return g;
}

/* ---- checks ---- */

static aclnnStatus check_absent(const struct op_problem *problem, const char *argument)
{
    OP_CHECK(problem->row->name, !given(problem, argument), ACLNN_ERR_PARAM_INVALID,
             "%s is given; it is not supported and must be NULL", argument);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_number(const struct op_problem *problem, const char *argument,
                                int64_t most)
{
    const int64_t number = op_integer_named(problem, argument, 0);
    OP_CHECK(problem->row->name, number >= 0 && number <= most, ACLNN_ERR_PARAM_INVALID,
             "%s is %" PRId64 "; it must be %s%" PRId64, argument, number, most > 0 ? "0 or " : "",
             most);
    return ACLNN_SUCCESS;
}

static aclnnStatus experts_gate_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const int64_t type = op_integer_named(problem, "dequantDtype", 0);
    OP_CHECK(name, given(problem, "weight"), ACLNN_ERR_PARAM_INVALID, "weight has no tensor");
    OP_CHECK(name, given(problem, "weightScale"), ACLNN_ERR_PARAM_INVALID,
             "weightScale has no tensor");
    const struct experts_gate g = gate_of(problem);
    if (g.is_second) OP_TRY(check_absent(problem, "bias"));
    OP_TRY(check_absent(problem, "offset"));
    OP_TRY(check_absent(problem, "outputOffset"));
    OP_TRY(op_experts_check_types(problem, &g.experts));
    const aclDataType x = (aclDataType)g.experts.x->tensor->descriptor.data_type;
    OP_CHECK(name, !g.experts.bias || op_experts_is_four(&g.experts), ACLNN_ERR_PARAM_INVALID,
             "%s is given and the weights are INT8; it must be NULL", g.experts.bias->name);
    OP_CHECK(name, !g.smooth || x != ACL_INT8, ACLNN_ERR_PARAM_INVALID,
             "smoothScale is given and x's data type is INT8; it must be NULL");
    if (g.smooth)
        OP_TRY(op_check_type(name, "smoothScale", g.smooth->tensor, OP_TYPE(ACL_FLOAT), "FLOAT"));
    OP_TRY(check_number(problem, "dequantMode", 1));
    OP_TRY(check_number(problem, "quantMode", 0));
    OP_TRY(check_number(problem, "groupListType", 1));
    OP_CHECK(name, type == 0 || type == ACL_DT_UNDEFINED || type == 28, ACLNN_ERR_PARAM_INVALID,
             "dequantDtype is %" PRId64 "; it must be 0 (FLOAT) or 28 (not told)", type);
    OP_TRY(op_check_type(name, "output", g.y->tensor, OP_TYPE(ACL_INT8), "INT8"));
    problem->type = problem->result = ACL_FLOAT;
    return op_check_type(name, "outputScale", g.made->tensor, OP_TYPE(ACL_FLOAT), "FLOAT");
}

static aclnnStatus experts_gate_shapes(struct op_problem *problem)
{
    struct op_shape_text text;
    const char *name = problem->row->name;
    const struct experts_gate g = gate_of(problem);
    OP_TRY(op_check_rank(name, "output", g.y->tensor, 2, 2));
    OP_TRY(op_experts_check_shapes(problem, &g.experts));
    const struct op_experts_sizes s = op_experts_sizes_of(&g.experts);
    const int64_t columns = g.experts.n / 2, y[] = {s.m, columns};
    const int64_t mode = op_integer_named(problem, "dequantMode", s.parts > 1);
    OP_CHECK(name, mode == 1 || s.parts == 1, ACLNN_ERR_PARAM_INVALID,
             "dequantMode is 0 and weightScale has %" PRId64 " parts of the terms; it must be 1",
             s.parts);
    OP_TRY(op_check_shape(problem, g.y, g.y->tensor, 2, y));
    if (g.smooth) {
        const struct ex_descriptor *d = &g.smooth->tensor->descriptor;
        OP_CHECK(
            name,
            (d->rank == 1 || (d->rank == 2 && d->sizes[1] == columns)) && d->sizes[0] == s.experts,
            ACLNN_ERR_PARAM_INVALID,
            "smoothScale's shape is %s; it must be (%" PRId64 ") or (%" PRId64 ", %" PRId64 ")",
            op_shape(&text, g.smooth->tensor), s.experts, s.experts, columns);
    }
    return op_check_shape(problem, g.made, g.made->tensor, 1, &s.m);
}

/* ---- plan ---- */

static int argument_of(const struct op_shape_call *call, const struct op_value *value)
{
    return (int)(value - call->problem->values);
}

/* Rows of no group stay as they are. */
static struct op_place target(const struct op_shape_call *call, const struct op_value *value)
{
    const int argument = argument_of(call, value);
    const struct op_place own = op_target(call, argument, 0), to = op_dense_target(call, argument);
    if (to.buffer != own.buffer) op_copy_place(call->plan, &own, &to);
    return to;
}

static void experts_gate(const struct op_shape_call *call)
{
    const struct experts_gate g = gate_of(call->problem);
    const struct op_experts_sizes s = op_experts_sizes_of(&g.experts);
    if (s.m == 0) return;
    const int table = op_experts_table(call, g.experts.list, g.experts.form, s.groups, s.m, 0);
    const struct op_place sums = op_experts_multiply(call, &g.experts, table);
    const int smooth =
        g.smooth ? op_dense_source(call, argument_of(call, g.smooth)).buffer : sums.buffer;
    const struct op_place y = target(call, g.y), made = target(call, g.made);
    const struct k_gate_rows k = {
        .form = K_GATE_PLAIN,
        .from = K_F32,
        .rows = s.m,
        .columns = g.experts.n / 2,
        .groups = s.groups,
        .has_smooth = g.smooth != NULL,
        .by_column = g.smooth && g.smooth->tensor->descriptor.rank == 2,
        .is_dynamic = true,
    };
    ex_step(call->plan, "gate_rows", k_best()->gate_rows, &k, sizeof k, k_gate_rows_plan(&k),
            EX_BUFFERS(sums.buffer, sums.buffer, sums.buffer, sums.buffer, smooth, sums.buffer,
                       table, y.buffer, made.buffer));
    op_deliver(call, &y, argument_of(call, g.y));
    op_deliver(call, &made, argument_of(call, g.made));
}

const struct op_rule op_rule_experts_gate = {
    .types = experts_gate_types,
    .shapes = experts_gate_shapes,
    .runs_empty = true,
    .takes_nz = true,
    .more = &(const struct op_shape_rule){experts_gate},
};
