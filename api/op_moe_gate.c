/* SPDX-License-Identifier: Apache-2.0 */
/* The experts of each token: aclnnMoeGatingTopKSoftmax, V2, MoeGatingTopK. */
#include "api/op_moe.h"
#include "kernels/kernels.h"
#include "kernels/moe/k_moe.h"

/* What the arguments of an operator mean; NULL: there is none. */
struct gate {
    const struct op_value *x, *bias, *finished, *y, *expert, *numbers, *all;
    struct k_moe_gate k;
};

static bool is_scored(const struct op_problem *problem)
{
    return op_argument_named(problem, "groupCount") != NULL;
}

static struct gate gate_of(const struct op_problem *problem)
{
    struct gate g = {
        .x = &problem->values[0],
        .bias = op_moe_given(problem, "biasOptional", NULL),
        .finished = op_moe_given(problem, "finishedOptional", NULL),
        .y = op_argument_named(problem, "yOut"),
        .expert = op_argument_named(problem, "expertIdxOut"),
        .numbers = op_argument_named(problem, "rowIdxOut"),
        .all = op_moe_given(problem, "softmaxResultOutOptional", "outOut"),
    };
    const struct ex_descriptor *x = &g.x->tensor->descriptor;
    const bool is_later = op_integer_named(problem, "renorm", 0) == 1;
    if (op_integer_named(problem, "outputSoftmaxResultFlag", 0) == 0 &&
        op_integer_named(problem, "outFlag", 0) == 0)
        g.all = NULL;
    if (is_later) g.all = NULL;
    g.k = (struct k_moe_gate){
        .kind = is_scored(problem) ? K_MOE_SCORES
                : is_later         ? K_MOE_SOFTMAX_PICKS
                                   : K_MOE_SOFTMAX,
        .rows = x->rank > 0 ? op_element_count(x->rank - 1, x->sizes) : 0,
        .experts = x->rank > 0 ? x->sizes[x->rank - 1] : 0,
        .picks = op_integer_named(problem, "k", 1),
        .groups = op_integer_named(problem, "groupCount", 1),
        .best_groups = op_integer_named(problem, "kGroup", 1),
        .by_pairs = op_integer_named(problem, "groupSelectMode", 0) == 1,
        .is_sigmoid = op_integer_named(problem, "normType", 0) == 1,
        .has_bias = g.bias != NULL,
        .has_finished = g.finished != NULL,
        .has_all = g.all != NULL,
        .has_numbers = g.numbers != NULL,
        .factor = op_real_named(problem, "routedScalingFactor", 1),
        .epsilon = op_real_named(problem, "eps", 0),
    };
    return g;
}

/* ---- checks ---- */

static aclnnStatus moe_gate_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct gate g = gate_of(problem);
    OP_TRY(op_moe_check_float(problem, g.x));
    OP_TRY(op_moe_check_float(problem, g.bias));
    if (g.finished)
        OP_TRY(
            op_check_type(name, g.finished->name, g.finished->tensor, OP_TYPE(ACL_BOOL), "BOOL"));
    OP_TRY(op_check_same_type(name, g.y->name, g.y->tensor, g.x->name, g.x->tensor));
    OP_TRY(op_moe_check_indices(problem, g.expert->name, false));
    if (g.numbers) OP_TRY(op_moe_check_indices(problem, g.numbers->name, false));
    problem->type = problem->result = (aclDataType)g.x->tensor->descriptor.data_type;
    if (!g.all) return ACLNN_SUCCESS;
    return op_check_type(name, g.all->name, g.all->tensor, OP_TYPE(ACL_FLOAT), "FLOAT");
}

static aclnnStatus check_flag(const struct op_problem *problem, const char *flag, int64_t last)
{
    const int64_t value = op_integer_named(problem, flag, 0);
    OP_CHECK(problem->row->name, value >= 0 && value <= last, ACLNN_ERR_PARAM_INVALID,
             "%s is %" PRId64 "; it must be between 0 and %" PRId64, flag, value, last);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_groups(const struct op_problem *problem, const struct k_moe_gate *k)
{
    const char *name = problem->row->name;
    OP_CHECK(name, k->experts <= K_MOE_EXPERTS, ACLNN_ERR_PARAM_INVALID,
             "x has %" PRId64 " experts; there may be %d", k->experts, K_MOE_EXPERTS);
    OP_CHECK(name, k->groups > 0 && k->groups <= k->experts && k->experts % k->groups == 0,
             ACLNN_ERR_PARAM_INVALID,
             "groupCount is %" PRId64 "; it must be greater than 0 and divide the %" PRId64
             " experts",
             k->groups, k->experts);
    OP_CHECK(name, k->best_groups > 0 && k->best_groups <= k->groups, ACLNN_ERR_PARAM_INVALID,
             "kGroup is %" PRId64 "; it must be between 1 and groupCount, which is %" PRId64,
             k->best_groups, k->groups);
    OP_CHECK(name, k->best_groups <= K_MOE_PICKS, ACLNN_ERR_PARAM_INVALID,
             "kGroup is %" PRId64 "; it must not be greater than %d", k->best_groups, K_MOE_PICKS);
    OP_CHECK(name, !k->by_pairs || k->experts / k->groups >= 2, ACLNN_ERR_PARAM_INVALID,
             "a group has 1 expert; groupSelectMode 1 needs 2");
    OP_TRY(check_flag(problem, "groupSelectMode", 1));
    return check_flag(problem, "normType", 1);
}

static aclnnStatus check_picked(const struct op_problem *problem, const struct op_value *value,
                                const struct gate *g)
{
    const struct ex_descriptor *x = &g->x->tensor->descriptor;
    int64_t sizes[EX_MAX_RANK];
    if (!value) return ACLNN_SUCCESS;
    for (int i = 0; i < x->rank; i++)
        sizes[i] = i == x->rank - 1 ? g->k.picks : x->sizes[i];
    return op_check_shape(problem, value, value->tensor, x->rank, sizes);
}

static aclnnStatus moe_gate_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct gate g = gate_of(problem);
    const struct ex_descriptor *x = &g.x->tensor->descriptor;
    OP_TRY(op_check_rank(name, "x", g.x->tensor, 1, EX_MAX_RANK));
    if (is_scored(problem)) OP_TRY(check_groups(problem, &g.k));
    OP_TRY(check_flag(problem, "renorm", is_scored(problem) ? 0 : 1));
    const int64_t most =
        g.k.kind == K_MOE_SCORES ? g.k.experts / g.k.groups * g.k.best_groups : g.k.experts;
    OP_CHECK(name, g.k.picks > 0 && g.k.picks <= most && g.k.picks <= K_MOE_PICKS,
             ACLNN_ERR_PARAM_INVALID,
             "k is %" PRId64 "; it must be between 1 and %" PRId64 ", the experts to choose from, "
             "and not greater than %d",
             g.k.picks, most, K_MOE_PICKS);
    OP_CHECK(name, g.k.experts <= INT32_MAX && g.k.rows <= INT32_MAX / g.k.picks,
             ACLNN_ERR_PARAM_INVALID,
             "x has %" PRId64 " rows of %" PRId64 "; INT32 must be able to number them", g.k.rows,
             g.k.experts);
    OP_TRY(check_picked(problem, g.y, &g));
    OP_TRY(check_picked(problem, g.expert, &g));
    OP_TRY(check_picked(problem, g.numbers, &g));
    if (g.all) OP_TRY(op_check_same_shape(name, g.all->name, g.all->tensor, "x", g.x->tensor));
    if (g.finished)
        OP_TRY(op_check_shape(problem, g.finished, g.finished->tensor, x->rank - 1, x->sizes));
    if (!g.bias) return ACLNN_SUCCESS;
    return op_check_shape(problem, g.bias, g.bias->tensor, 1, x->sizes + x->rank - 1);
}

/* ---- plan ---- */

static struct op_place target(const struct op_shape_call *call, const struct op_value *value,
                              const struct op_place *otherwise)
{
    return value ? op_dense_target(call, (int)(value - call->problem->values)) : *otherwise;
}

static void moe_gate(const struct op_shape_call *call)
{
    struct gate g = gate_of(call->problem);
    const struct op_value *values = call->problem->values;
    const int x = op_moe_source(call, g.x, -1), bias = op_moe_source(call, g.bias, x);
    const int finished = op_moe_source(call, g.finished, x);
    const struct op_place y = target(call, g.y, NULL), expert = target(call, g.expert, NULL);
    const struct op_place numbers = target(call, g.numbers, &expert), all = target(call, g.all, &y);
    g.k.from = op_k_dtype(g.x->tensor);
    g.k.to = op_k_dtype(g.y->tensor);
    g.k.bias = g.bias ? op_k_dtype(g.bias->tensor) : K_F32;
    ex_step(call->plan, "moe_gate", k_best()->moe_gate, &g.k, sizeof g.k, k_moe_gate_plan(&g.k),
            EX_BUFFERS(x, bias, finished, y.buffer, expert.buffer, numbers.buffer, all.buffer));
    op_deliver(call, &y, (int)(g.y - values));
    op_deliver(call, &expert, (int)(g.expert - values));
    if (g.numbers) op_deliver(call, &numbers, (int)(g.numbers - values));
    if (g.all) op_deliver(call, &all, (int)(g.all - values));
}

const struct op_rule op_rule_moe_gate = {
    .types = moe_gate_types,
    .shapes = moe_gate_shapes,
    .more = &(const struct op_shape_rule){moe_gate},
};
