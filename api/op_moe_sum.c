/* SPDX-License-Identifier: Apache-2.0 */
/* What experts made, summed for each token: aclnnMoeFinalizeRouting, V2, MoeTokenUnpermute,
 * MoeTokenPermuteGrad, MoeInitRoutingV2Grad; and MoeTokenUnpermuteGrad. */
#include <stdio.h>

#include "api/op_moe.h"
#include "executor/steps.h"
#include "kernels/kernels.h"
#include "kernels/moe/k_moe.h"

/* What the arguments of an operator mean; NULL: there is none. */
struct sum {
    const struct op_value *x, *places, *first, *second, *bias, *scale, *expert, *out;
    int64_t rows, picks, columns, sources;
    bool by_columns;
};

static struct sum sum_of(const struct op_problem *problem)
{
    const bool is_routed = op_argument_named(problem, "topK") != NULL;
    const struct op_value *top = op_argument_named(problem, is_routed ? "topK" : "numTopk");
    struct sum s = {
        .x = &problem->values[0],
        .places = op_moe_given(problem, "expandedRowIdx", "sortedIndices"),
        .first = op_moe_given(problem, "x1", "x1Optional"),
        .second = op_moe_given(problem, "x2Optional", NULL),
        .bias = op_moe_given(problem, "bias", "biasOptional"),
        .expert = op_moe_given(problem, "expandedExpertIdx", "expertIdxOptional"),
        .out = op_moe_given(problem, "out", NULL),
        .picks = top ? top->integer : 1,
    };
    s.scale = op_moe_given(problem, "scales", "scalesOptional");
    if (!s.scale) s.scale = op_moe_given(problem, "probsOptional", NULL);
    const struct ex_descriptor *x = &s.x->tensor->descriptor;
    const int64_t count = op_moe_count(s.places),
                  mode = op_integer_named(problem, "dropPadMode", 0);
    if (s.scale && s.scale->tensor->descriptor.rank == 2)
        s.picks = s.scale->tensor->descriptor.sizes[1];
    s.rows = s.picks > 0 ? count / s.picks : 0;
    s.columns = x->rank > 0 ? x->sizes[x->rank - 1] : 0;
    s.sources = x->rank > 0 ? op_element_count(x->rank - 1, x->sizes) : 0;
    s.by_columns = op_argument_named(problem, "expandedRowIdx") && mode < 2 && !is_routed;
    return s;
}

/* ---- checks ---- */

static aclnnStatus moe_sum_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct sum s = sum_of(problem);
    OP_TRY(op_moe_check_float(problem, s.x));
    OP_TRY(op_moe_check_indices(problem, s.places->name, false));
    if (s.expert) OP_TRY(op_moe_check_indices(problem, s.expert->name, false));
    const struct op_value *const others[] = {s.first, s.second, s.bias};
    for (int i = 0; i < (int)RT_LENGTH(others); i++)
        if (others[i])
            OP_TRY(op_check_same_type(name, others[i]->name, others[i]->tensor, s.x->name,
                                      s.x->tensor));
    OP_TRY(op_moe_check_float(problem, s.scale));
    problem->type = problem->result = (aclDataType)s.x->tensor->descriptor.data_type;
    return op_check_same_type(name, "out", s.out->tensor, s.x->name, s.x->tensor);
}

static aclnnStatus check_matrix(const struct op_problem *problem, const struct op_value *value,
                                int64_t rows, int64_t columns)
{
    const int64_t sizes[] = {rows, columns};
    return value ? op_check_shape(problem, value, value->tensor, 2, sizes) : ACLNN_SUCCESS;
}

/* Tokens and picks of a list of places. */
static aclnnStatus check_picks(const struct op_problem *problem, const struct sum *s)
{
    const int64_t count = op_moe_count(s->places);
    OP_CHECK(problem->row->name, s->picks > 0 && s->rows * s->picks == count,
             ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRId64 " elements; %" PRId64 " experts to a token do not divide them",
             s->places->name, count, s->picks);
    return op_moe_check_numbers(problem, count);
}

static aclnnStatus moe_sum_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct sum s = sum_of(problem);
    const int64_t mode = op_integer_named(problem, "dropPadMode", 0);
    const int64_t active = op_integer_named(problem, "activeNum", 0);
    const int most = op_argument_named(problem, "topK") ? 1 : 3;
    OP_TRY(op_moe_check_padding(problem));
    OP_CHECK(name, mode >= 0 && mode <= most, ACLNN_ERR_PARAM_INVALID,
             "dropPadMode is %" PRId64 "; it must be between 0 and %d", mode, most);
    OP_CHECK(name, active >= 0, ACLNN_ERR_PARAM_INVALID,
             "activeNum is %" PRId64 "; it must not be negative", active);
    OP_TRY(op_check_rank(name, s.x->name, s.x->tensor, 2, mode % 2 == 1 ? 3 : 2));
    if (s.scale) OP_TRY(op_check_rank(name, s.scale->name, s.scale->tensor, 2, 2));
    OP_TRY(check_picks(problem, &s));
    OP_TRY(op_moe_check_numbers(problem, s.sources));
    OP_TRY(check_matrix(problem, s.scale, s.rows, s.picks));
    OP_TRY(check_matrix(problem, s.first, s.rows, s.columns));
    OP_TRY(check_matrix(problem, s.second, s.rows, s.columns));
    OP_CHECK(name, !s.bias || s.expert, ACLNN_ERR_PARAM_INVALID,
             "%s is given and expertIdxOptional is NULL; both must be given", s.bias->name);
    if (s.bias) {
        OP_TRY(op_check_rank(name, s.bias->name, s.bias->tensor, 2, 2));
        OP_TRY(check_matrix(problem, s.bias, s.bias->tensor->descriptor.sizes[0], s.columns));
    }
    OP_TRY(check_matrix(problem, s.expert, s.rows, s.picks));
    return check_matrix(problem, s.out, s.rows, s.columns);
}

/* ---- plan ---- */

static void describe_sum(const void *parameters, void *const buffers[], int64_t position,
                         char *text, size_t size)
{
    const struct k_moe_sum *s = parameters;
    if (position % 2 == 1)
        snprintf(text, size, "the expert at element %" PRId64 " is %d; bias has %" PRId64 " rows",
                 position / 2, ((const int32_t *)buffers[K_MOE_SUM_EXPERT])[position / 2],
                 s->experts);
    else
        snprintf(text, size,
                 "element %" PRId64 " of the indices of rows is %d; there are %" PRId64 " rows",
                 position / 2, ((const int32_t *)buffers[K_MOE_SUM_PLACES])[position / 2],
                 s->sources);
}

static enum k_dtype dtype_of(const struct op_value *value)
{
    return value ? op_k_dtype(value->tensor) : K_F32;
}

static void moe_sum(const struct op_shape_call *call)
{
    const struct sum s = sum_of(call->problem);
    const int argument = (int)(s.out - call->problem->values);
    if (op_is_empty(s.out->tensor)) return;
    const struct k_moe_sum k = {
        .rows = s.rows,
        .picks = s.picks,
        .columns = s.columns,
        .sources = s.sources,
        .experts = s.bias ? s.bias->tensor->descriptor.sizes[0] : 0,
        .x = dtype_of(s.x),
        .to = dtype_of(s.out),
        .first = dtype_of(s.first),
        .second = dtype_of(s.second),
        .bias = dtype_of(s.bias),
        .scale = dtype_of(s.scale),
        .has_first = s.first != NULL,
        .has_second = s.second != NULL,
        .has_bias = s.bias != NULL,
        .has_scale = s.scale != NULL,
        .by_columns = s.by_columns,
        .may_drop = op_argument_named(call->problem, "dropPadMode") != NULL,
    };
    const int x = op_moe_source(call, s.x, -1), places = op_moe_source(call, s.places, -1);
    const int first = op_moe_source(call, s.first, x), second = op_moe_source(call, s.second, x);
    const int bias = op_moe_source(call, s.bias, x), scale = op_moe_source(call, s.scale, x);
    const int expert = op_moe_source(call, s.expert, places);
    const struct op_place to = op_dense_target(call, argument);
    ex_step_with_faults(call->plan, "moe_sum", k_best()->moe_sum, &k, sizeof k, k_moe_sum_plan(&k),
                        EX_BUFFERS(x, places, first, second, bias, scale, expert, to.buffer),
                        describe_sum);
    op_deliver(call, &to, argument);
}

const struct op_rule op_rule_moe_sum = {
    .types = moe_sum_types,
    .shapes = moe_sum_shapes,
    .runs_empty = true, /* no row of experts is a sum of nothing */
    .more = &(const struct op_shape_rule){moe_sum},
};

/* ---- aclnnMoeTokenUnpermuteGrad ---- */

enum { TOKENS, GRADIENT, PLACES, PROBS, TOKENS_GRAD = 6, PROBS_GRAD };

static aclnnStatus moe_grad_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    static const int others[] = {GRADIENT, TOKENS_GRAD};
    OP_TRY(op_moe_check_float(problem, &values[TOKENS]));
    for (int i = 0; i < (int)RT_LENGTH(others); i++)
        OP_TRY(op_check_same_type(name, values[others[i]].name, values[others[i]].tensor,
                                  values[TOKENS].name, values[TOKENS].tensor));
    OP_TRY(op_moe_check_indices(problem, "sortedIndices", false));
    problem->type = problem->result = (aclDataType)values[TOKENS].tensor->descriptor.data_type;
    if (!values[PROBS].tensor) return ACLNN_SUCCESS;
    OP_TRY(op_moe_check_float(problem, &values[PROBS]));
    OP_CHECK(name, values[PROBS_GRAD].tensor, ACLNN_ERR_PARAM_NULLPTR, "probsGradOut is NULL");
    return op_check_same_type(name, "probsGradOut", values[PROBS_GRAD].tensor, "probsOptional",
                              values[PROBS].tensor);
}

static aclnnStatus moe_grad_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    OP_TRY(op_moe_check_padding(problem));
    OP_TRY(op_check_rank(name, values[TOKENS].name, values[TOKENS].tensor, 2, 2));
    if (values[PROBS].tensor)
        OP_TRY(op_check_rank(name, values[PROBS].name, values[PROBS].tensor, 2, 2));
    const struct sum s = sum_of(problem);
    OP_TRY(check_picks(problem, &s));
    OP_TRY(op_moe_check_numbers(problem, s.sources));
    OP_TRY(check_matrix(problem, s.scale, s.rows, s.picks));
    OP_TRY(check_matrix(problem, &values[GRADIENT], s.rows, s.columns));
    if (s.scale) OP_TRY(check_matrix(problem, &values[PROBS_GRAD], s.rows, s.picks));
    return check_matrix(problem, &values[TOKENS_GRAD], s.sources, s.columns);
}

static void describe_invert(const void *parameters, void *const buffers[], int64_t position,
                            char *text, size_t size)
{
    const struct k_moe_invert *v = parameters;
    snprintf(text, size,
             "element %" PRId64 " of sortedIndices is %d; it must be at least 0 and below %" PRId64,
             position, ((const int32_t *)buffers[K_MOE_INVERT_PLACES])[position], v->count);
}

static void moe_grad(const struct op_shape_call *call)
{
    const struct op_value *values = call->problem->values;
    const struct sum s = sum_of(call->problem);
    const struct k_moe_invert invert = {.count = op_moe_count(s.places), .rows = s.sources};
    struct k_moe_grad k = {.rows = s.rows,
                           .picks = s.picks,
                           .columns = s.columns,
                           .sources = s.sources,
                           .x = dtype_of(s.x),
                           .gradient = dtype_of(&values[GRADIENT]),
                           .scale = dtype_of(s.scale),
                           .to = dtype_of(&values[TOKENS_GRAD]),
                           .has_scale = s.scale != NULL};
    const int places = op_moe_source(call, s.places, -1);
    const int gradient = op_moe_source(call, &values[GRADIENT], -1);
    const int scale = op_moe_source(call, s.scale, gradient);
    const int inverse = ex_scratch(call->plan, (size_t)s.sources * sizeof(int32_t) + 1);
    ex_step_with_faults(call->plan, "moe_invert", k_moe_invert, &invert, sizeof invert,
                        (struct k_work){.items = 1, .grain = 1}, EX_BUFFERS(places, inverse),
                        describe_invert);
    if (!op_is_empty(values[TOKENS_GRAD].tensor)) {
        const struct op_place to = op_dense_target(call, TOKENS_GRAD);
        ex_step(call->plan, "moe_grad", k_best()->moe_grad, &k, sizeof k, k_moe_grad_plan(&k),
                EX_BUFFERS(gradient, scale, inverse, to.buffer));
        op_deliver(call, &to, TOKENS_GRAD);
    }
    if (!s.scale || op_is_empty(values[PROBS_GRAD].tensor)) return;
    const struct op_place to = op_dense_target(call, PROBS_GRAD);
    const int x = op_moe_source(call, s.x, -1);
    k.to = k.scale;
    ex_step(call->plan, "moe_scale_grad", k_best()->moe_scale_grad, &k, sizeof k,
            k_moe_scale_grad_plan(&k), EX_BUFFERS(x, gradient, places, to.buffer));
    op_deliver(call, &to, PROBS_GRAD);
}

const struct op_rule op_rule_moe_grad = {
    .types = moe_grad_types,
    .shapes = moe_grad_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){moe_grad},
};
