/* SPDX-License-Identifier: Apache-2.0 */
/* What experts made, summed for each token: aclnnMoeFinalizeRouting, V2, MoeTokenUnpermute,
 * MoeTokenUnpermuteWithEp, MoeTokenPermuteGrad, MoeTokenPermuteWithEpGrad, MoeInitRoutingV2Grad. */
#include <stdio.h>

#include "api/op_moe.h"
#include "executor/steps.h"
#include "kernels/kernels.h"
#include "kernels/moe/k_moe.h"

/* What the arguments of an operator mean; NULL: there is none. */
struct sum {
    const struct op_value *x, *places, *first, *second, *bias, *scale, *expert, *out;
    const struct op_value *range, *probs, *to_probs; /* gradients of probs */
    int64_t begin, end;                              /* places that are here */
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
        .out = op_moe_given(problem, "out", "tokenGradOut"),
        .range = op_moe_range(problem),
        .probs = op_moe_given(problem, "permutedProbsOutputGradOptional", NULL),
        .to_probs = op_moe_given(problem, "probsGradOut", NULL),
    };
    const bool has_top = top && (s.range || !op_argument_named(problem, "restoreShapeOptional"));
    s.picks = has_top ? top->integer : 1;
    if (s.range && s.range->ints->size == 2) {
        s.begin = s.range->ints->values[0];
        s.end = s.range->ints->values[1];
    }
    if (!s.range) s.probs = NULL;
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
    OP_TRY(op_check_same_type(name, s.out->name, s.out->tensor, s.x->name, s.x->tensor));
    if (!s.probs) return ACLNN_SUCCESS;
    OP_TRY(op_moe_check_float(problem, s.probs));
    OP_CHECK(name, s.to_probs, ACLNN_ERR_PARAM_NULLPTR, "probsGradOut is NULL");
    return op_check_same_type(name, "probsGradOut", s.to_probs->tensor, s.probs->name,
                              s.probs->tensor);
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

/* The places that are here, and what is at them. */
static aclnnStatus check_range(const struct op_problem *problem, const struct sum *s)
{
    const char *name = problem->row->name;
    if (!s->range) return ACLNN_SUCCESS;
    OP_TRY(op_moe_check_range(problem, s->range, op_moe_count(s->places)));
    const int64_t count = s->end - s->begin;
    OP_CHECK(name, s->sources >= count, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRId64 " rows; it must have at least the %" PRId64 " of rangeOptional",
             s->x->name, s->sources, count);
    if (!s->probs) return ACLNN_SUCCESS;
    OP_TRY(op_check_rank(name, s->probs->name, s->probs->tensor, 1, 1));
    OP_CHECK(name, op_moe_count(s->probs) >= count, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRId64 " elements; it must have at least the %" PRId64 " of rangeOptional",
             s->probs->name, op_moe_count(s->probs), count);
    return op_moe_check_matrix(problem, s->to_probs, s->rows, s->picks);
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
    OP_TRY(check_range(problem, &s));
    OP_TRY(op_moe_check_matrix(problem, s.scale, s.rows, s.picks));
    OP_TRY(op_moe_check_matrix(problem, s.first, s.rows, s.columns));
    OP_TRY(op_moe_check_matrix(problem, s.second, s.rows, s.columns));
    OP_CHECK(name, !s.bias || s.expert, ACLNN_ERR_PARAM_INVALID,
             "%s is given and expertIdxOptional is NULL; both must be given", s.bias->name);
    if (s.bias) {
        OP_TRY(op_check_rank(name, s.bias->name, s.bias->tensor, 2, 2));
        OP_TRY(
            op_moe_check_matrix(problem, s.bias, s.bias->tensor->descriptor.sizes[0], s.columns));
    }
    OP_TRY(op_moe_check_matrix(problem, s.expert, s.rows, s.picks));
    return op_moe_check_matrix(problem, s.out, s.rows, s.columns);
}

/* ---- plan ---- */

void op_moe_describe_sum(const void *parameters, void *const buffers[], int64_t position,
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

/* The gradients of probabilities: those at their places, 0 where a place is not here. */
static void probs_grad(const struct op_shape_call *call, const struct sum *s, int places)
{
    if (!s->probs || op_is_empty(s->to_probs->tensor)) return;
    const int argument = (int)(s->to_probs - call->problem->values);
    const struct k_moe_rows rows = {
        .rows = s->rows * s->picks,
        .bytes = (int64_t)ex_element_size(s->probs->tensor->descriptor.data_type),
        .sources = s->end - s->begin,
        .first = s->begin};
    const int probs = op_moe_source(call, s->probs, -1);
    const struct op_place to = op_dense_target(call, argument);
    op_moe_rows_step(call, probs, places, to.buffer, &rows);
    op_deliver(call, &to, argument);
}

static void moe_sum(const struct op_shape_call *call)
{
    const struct sum s = sum_of(call->problem);
    const int argument = (int)(s.out - call->problem->values);
    const int places = op_moe_source(call, s.places, -1);
    probs_grad(call, &s, places);
    if (op_is_empty(s.out->tensor)) return;
    const struct k_moe_sum k = {
        .rows = s.rows,
        .picks = s.picks,
        .columns = s.columns,
        .sources = s.range ? s.end - s.begin : s.sources,
        .begin = s.begin,
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
    const int x = op_moe_source(call, s.x, -1);
    const int first = op_moe_source(call, s.first, x), second = op_moe_source(call, s.second, x);
    const int bias = op_moe_source(call, s.bias, x), scale = op_moe_source(call, s.scale, x);
    const int expert = op_moe_source(call, s.expert, places);
    const struct op_place to = op_dense_target(call, argument);
    ex_step_with_faults(
        call->plan, "moe_sum", k_best()->moe_sum, &k, sizeof k, k_moe_sum_plan(&k),
        EX_BUFFERS(x, places, first, second, bias, scale, expert, places, to.buffer),
        op_moe_describe_sum);
    op_deliver(call, &to, argument);
}

const struct op_rule op_rule_moe_sum = {
    .types = moe_sum_types,
    .shapes = moe_sum_shapes,
    .runs_empty = true, /* no row of experts is a sum of nothing */
    .more = &(const struct op_shape_rule){moe_sum},
};
