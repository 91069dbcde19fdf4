/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of what sums for each token what experts made: aclnnMoeTokenUnpermuteGrad,
 * MoeTokenUnpermuteWithEpGrad, MoeFinalizeRoutingV2Grad. */
#include <stdio.h>

#include "api/op_moe.h"
#include "executor/steps.h"
#include "kernels/kernels.h"
#include "kernels/moe/k_moe.h"

/* What the arguments of an operator mean; NULL: there is none. */
struct grad {
    const struct op_value *gradient, *places, *x, *scale, *expert, *bias, *range, *to, *to_scale;
    int64_t rows, picks, columns; /* of the gradient, and places of each row */
    int64_t sources, slots;       /* rows of `to`; numbers that places may have */
    int64_t first;                /* the place of row 0 */
    bool is_finalize, is_dropping;
};

static int64_t rows_of(const struct op_value *value)
{
    const struct ex_descriptor *d = &value->tensor->descriptor;
    return d->rank > 0 ? op_element_count(d->rank - 1, d->sizes) : 0;
}

static struct grad grad_of(const struct op_problem *problem)
{
    struct grad g = {
        .gradient = op_moe_given(problem, "unpermutedTokensGrad", "gradY"),
        .places = op_moe_given(problem, "sortedIndices", "expandedRowIdx"),
        .x = op_moe_given(problem, "permutedTokens", "permutedTokensOptional"),
        .scale = op_moe_given(problem, "probsOptional", "scalesOptional"),
        .expert = op_moe_given(problem, "expertIdxOptional", NULL),
        .bias = op_moe_given(problem, "biasOptional", NULL),
        .range = op_moe_range(problem),
        .to = op_moe_given(problem, "permutedTokensGradOut", "gradExpandedXOut"),
        .to_scale = op_moe_given(problem, "probsGradOut", "gradScalesOut"),
        .is_finalize = op_argument_named(problem, "gradY") != NULL,
        .is_dropping = op_integer_named(problem, "dropPadMode", 0) == 1,
    };
    if (!g.x) g.x = op_moe_given(problem, "expandedXOptional", NULL);
    const struct ex_descriptor *d = &g.gradient->tensor->descriptor;
    const int64_t count = op_moe_count(g.places);
    g.columns = d->rank == 2 ? d->sizes[1] : 0;
    g.picks = op_integer_named(problem, "topkNum", 1);
    if (g.scale && g.scale->tensor->descriptor.rank == 2)
        g.picks = g.scale->tensor->descriptor.sizes[1];
    g.rows = g.picks > 0 ? count / g.picks : 0;
    g.sources = rows_of(g.to);
    g.slots = g.is_dropping ? g.sources : count;
    if (g.range && g.range->ints->size == 2) g.first = g.range->ints->values[0];
    return g;
}

static aclnnStatus moe_grad_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct grad g = grad_of(problem);
    const struct op_value *const others[] = {g.x, g.bias, g.to};
    OP_TRY(op_moe_check_float(problem, g.gradient));
    OP_TRY(op_moe_check_indices(problem, g.places->name, false));
    for (int i = 0; i < (int)RT_LENGTH(others); i++)
        if (others[i])
            OP_TRY(op_check_same_type(name, others[i]->name, others[i]->tensor, g.gradient->name,
                                      g.gradient->tensor));
    problem->type = problem->result = (aclDataType)g.gradient->tensor->descriptor.data_type;
    if (g.expert) OP_TRY(op_moe_check_indices(problem, g.expert->name, false));
    OP_CHECK(name, !g.bias || g.expert, ACLNN_ERR_PARAM_INVALID,
             "biasOptional is given and expertIdxOptional NULL; both must be given");
    if (!g.scale) return ACLNN_SUCCESS;
    OP_TRY(op_moe_check_float(problem, g.scale));
    OP_CHECK(name, g.x, ACLNN_ERR_PARAM_NULLPTR, "%s is given and %s is NULL", g.scale->name,
             g.is_finalize ? "expandedXOptional" : "permutedTokensOptional");
    OP_CHECK(name, g.to_scale, ACLNN_ERR_PARAM_NULLPTR, "%s is NULL",
             g.is_finalize ? "gradScalesOut" : "probsGradOut");
    return op_check_same_type(name, g.to_scale->name, g.to_scale->tensor, g.scale->name,
                              g.scale->tensor);
}

/* What aclnnMoeFinalizeRoutingV2Grad says of its result. */
static aclnnStatus check_finalize(const struct op_problem *problem, const struct grad *g)
{
    const char *name = problem->row->name;
    const int64_t mode = op_integer_named(problem, "dropPadMode", 0);
    const int64_t active = op_integer_named(problem, "activeNum", 0);
    const int64_t experts = op_integer_named(problem, "expertNum", 0);
    const int64_t capacity = op_integer_named(problem, "expertCapacity", 0);
    const int64_t count = op_moe_count(g->places);
    OP_CHECK(name, mode == 0 || mode == 1, ACLNN_ERR_PARAM_INVALID,
             "dropPadMode is %" PRId64 "; it must be 0 or 1", mode);
    OP_CHECK(name, g->scale || g->picks == 1, ACLNN_ERR_PARAM_INVALID,
             "scalesOptional is NULL and a token has %" PRId64 " places; it must have one",
             g->picks);
    if (mode == 0) {
        const int64_t rows = active > 0 && active < count ? active : count;
        return op_moe_check_matrix(problem, g->to, rows, g->columns);
    }
    OP_CHECK(name, experts > 0 && capacity > 0, ACLNN_ERR_PARAM_INVALID,
             "expertNum is %" PRId64 " and expertCapacity %" PRId64
             "; with dropPadMode 1 both must be greater than 0",
             experts, capacity);
    OP_CHECK(name, !g->bias || g->bias->tensor->descriptor.sizes[0] == experts,
             ACLNN_ERR_PARAM_INVALID, "expertNum is %" PRId64 "; it must be biasOptional's rows",
             experts);
    const int64_t sizes[] = {experts, capacity, g->columns};
    return op_check_shape(problem, g->to, g->to->tensor, 3, sizes);
}

static aclnnStatus check_shapes(const struct op_problem *problem, const struct grad *g)
{
    const char *name = problem->row->name;
    const int64_t count = op_moe_count(g->places);
    OP_CHECK(name, g->picks > 0 && g->rows * g->picks == count, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRId64 " elements; %" PRId64 " experts to a token do not divide them",
             g->places->name, count, g->picks);
    OP_TRY(op_moe_check_numbers(problem, count));
    OP_TRY(op_moe_check_numbers(problem, g->sources));
    OP_TRY(op_moe_check_matrix(problem, g->scale, g->rows, g->picks));
    OP_TRY(op_moe_check_matrix(problem, g->gradient, g->rows, g->columns));
    if (g->scale) OP_TRY(op_moe_check_matrix(problem, g->to_scale, g->rows, g->picks));
    OP_TRY(op_moe_check_matrix(problem, g->expert, g->rows, g->picks));
    if (g->bias) {
        OP_TRY(op_check_rank(name, g->bias->name, g->bias->tensor, 2, 2));
        OP_TRY(op_moe_check_matrix(problem, g->bias, g->bias->tensor->descriptor.sizes[0],
                                   g->columns));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus moe_grad_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct grad g = grad_of(problem);
    OP_TRY(op_moe_check_padding(problem));
    OP_TRY(op_check_rank(name, g.gradient->name, g.gradient->tensor, 2, 2));
    OP_TRY(op_check_rank(name, g.to->name, g.to->tensor, 2, g.is_dropping ? 3 : 2));
    if (g.scale) OP_TRY(op_check_rank(name, g.scale->name, g.scale->tensor, 2, 2));
    OP_TRY(check_shapes(problem, &g));
    if (g.is_finalize) OP_TRY(check_finalize(problem, &g));
    if (g.range) {
        OP_TRY(op_moe_check_range(problem, g.range, op_moe_count(g.places)));
        const int64_t rows = g.range->ints->values[1] - g.first;
        OP_CHECK(name, g.sources >= rows, ACLNN_ERR_PARAM_INVALID,
                 "%s has %" PRId64 " rows; it must have at least the %" PRId64 " of rangeOptional",
                 g.to->name, g.sources, rows);
    }
    if (g.x) return op_check_same_shape(name, g.x->name, g.x->tensor, g.to->name, g.to->tensor);
    return op_moe_check_matrix(problem, g.is_finalize ? NULL : g.to, g.sources, g.columns);
}

/* ---- plan ---- */

static void describe_expert(const void *parameters, void *const buffers[], int64_t position,
                            char *text, size_t size)
{
    const struct k_moe_grad *g = parameters;
    snprintf(text, size,
             "element %" PRId64 " of expertIdxOptional is %d; biasOptional has %" PRId64 " rows",
             position / 2, ((const int32_t *)buffers[K_MOE_SCALE_GRAD_EXPERT])[position / 2],
             g->experts);
}

static enum k_dtype dtype_of(const struct op_value *value)
{
    return value ? op_k_dtype(value->tensor) : K_F32;
}

static int argument_of(const struct op_shape_call *call, const struct op_value *value)
{
    return (int)(value - call->problem->values);
}

/* Rows of `to`, by the position that each is the place of. */
static void grad_of_rows(const struct op_shape_call *call, const struct grad *g,
                         const struct k_moe_grad *k, int places, int gradient, int scale)
{
    const int64_t rows = g->sources;
    const struct k_moe_invert invert = {
        .count = op_moe_count(g->places),
        .rows = rows,
        .kept = g->range ? g->range->ints->values[1] - g->first : rows,
        .places = g->slots,
        .first = g->first,
        .may_drop = g->is_dropping,
    };
    const int inverse = ex_scratch(call->plan, (size_t)g->sources * sizeof(int32_t) + 1);
    ex_step_with_faults(call->plan, "moe_invert", k_moe_invert, &invert, sizeof invert,
                        (struct k_work){.items = 1, .grain = 1}, EX_BUFFERS(places, inverse),
                        op_moe_describe_invert);
    if (op_is_empty(g->to->tensor)) return;
    const struct op_place to = op_dense_target(call, argument_of(call, g->to));
    ex_step(call->plan, "moe_grad", k_best()->moe_grad, k, sizeof *k, k_moe_grad_plan(k),
            EX_BUFFERS(gradient, scale, inverse, places, to.buffer));
    op_deliver(call, &to, argument_of(call, g->to));
}

static void moe_grad(const struct op_shape_call *call)
{
    const struct grad g = grad_of(call->problem);
    struct k_moe_grad k = {
        .rows = g.rows,
        .picks = g.picks,
        .columns = g.columns,
        .sources = g.sources,
        .first = g.first,
        .experts = g.bias ? g.bias->tensor->descriptor.sizes[0] : 0,
        .x = dtype_of(g.x),
        .gradient = dtype_of(g.gradient),
        .scale = dtype_of(g.scale),
        .to = dtype_of(g.to),
        .bias = dtype_of(g.bias),
        .has_scale = g.scale != NULL,
        .has_bias = g.bias != NULL,
    };
    const int places = op_moe_source(call, g.places, -1);
    const int gradient = op_moe_source(call, g.gradient, -1);
    grad_of_rows(call, &g, &k, places, gradient, op_moe_source(call, g.scale, gradient));
    if (!g.scale || op_is_empty(g.to_scale->tensor)) return;
    const struct op_place to = op_dense_target(call, argument_of(call, g.to_scale));
    const int x = op_moe_source(call, g.x, -1), bias = op_moe_source(call, g.bias, gradient);
    const int expert = op_moe_source(call, g.expert, places);
    k.to = k.scale;
    if (g.range) k.sources = g.range->ints->values[1] - g.first;
    ex_step_with_faults(call->plan, "moe_scale_grad", k_best()->moe_scale_grad, &k, sizeof k,
                        k_moe_scale_grad_plan(&k),
                        EX_BUFFERS(x, gradient, places, places, bias, expert, to.buffer),
                        describe_expert);
    op_deliver(call, &to, argument_of(call, g.to_scale));
}

const struct op_rule op_rule_moe_grad = {
    .types = moe_grad_types,
    .shapes = moe_grad_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){moe_grad},
};
