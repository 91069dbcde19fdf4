/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens to their experts by a map: aclnnMoeTokenPermuteWithRoutingMap and its gradient. */
#include "api/op_moe_map.h"
#include "kernels/kernels.h"

static aclnnStatus check_pair(const struct op_problem *problem, const struct op_value *from,
                              const struct op_value *to, const char *name)
{
    if (!from) return ACLNN_SUCCESS;
    OP_TRY(op_moe_check_float(problem, from));
    OP_CHECK(problem->row->name, to, ACLNN_ERR_PARAM_NULLPTR, "%s is given and %s is NULL",
             from->name, name);
    return op_check_same_type(problem->row->name, to->name, to->tensor, from->name, from->tensor);
}

/* ---- aclnnMoeTokenPermuteWithRoutingMap ---- */

enum { TOKENS, MAP, PROBS, OUT_TOKENS, PADS, TO, TO_PROBS, TO_INDICES };

static aclnnStatus moe_map_types(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    OP_TRY(op_moe_check_float(problem, &values[TOKENS]));
    OP_TRY(op_moe_check_map_type(problem, &values[MAP]));
    OP_TRY(op_check_same_type(problem->row->name, "permuteTokensOut", values[TO].tensor, "tokens",
                              values[TOKENS].tensor));
    OP_TRY(op_moe_check_indices(problem, "sortedIndicesOut", false));
    problem->type = problem->result = (aclDataType)values[TOKENS].tensor->descriptor.data_type;
    const struct op_value *probs = op_moe_given(problem, "probsOptional", NULL);
    return check_pair(problem, probs, op_moe_given(problem, "permuteProbsOutOptional", NULL),
                      "permuteProbsOutOptional");
}

static struct op_moe_map map_of(const struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    const struct ex_descriptor *d = &values[MAP].tensor->descriptor;
    struct op_moe_map m = {.tokens = d->sizes[0],
                           .experts = d->sizes[1],
                           .columns = values[TOKENS].tensor->descriptor.sizes[1],
                           .is_padded = values[PADS].integer != 0};
    const int64_t parts = m.is_padded ? m.experts : m.tokens;
    m.places = parts > 0 ? values[OUT_TOKENS].integer / parts * parts : 0;
    op_moe_divide(&m);
    return m;
}

static aclnnStatus moe_map_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    OP_TRY(op_check_rank(name, "tokens", values[TOKENS].tensor, 2, 2));
    OP_TRY(op_check_rank(name, "routingMap", values[MAP].tensor, 2, 2));
    const int64_t *sizes = values[MAP].tensor->descriptor.sizes;
    const int64_t rows = values[TOKENS].tensor->descriptor.sizes[0];
    const int64_t count = values[OUT_TOKENS].integer;
    OP_CHECK(name, rows == sizes[0], ACLNN_ERR_PARAM_INVALID,
             "tokens has %" PRId64 " rows, routingMap has %" PRId64 "; they must be as many", rows,
             sizes[0]);
    OP_CHECK(name, count >= 0 && count <= sizes[0] * sizes[1], ACLNN_ERR_PARAM_INVALID,
             "numOutTokens is %" PRId64 "; it must be at least 0 and at most the %" PRId64
             " elements of routingMap",
             count, sizes[0] * sizes[1]);
    const struct op_moe_map m = map_of(problem);
    OP_TRY(op_moe_check_map(problem, &m));
    const int64_t to[] = {m.places, m.columns};
    OP_TRY(op_check_shape(problem, &values[TO], values[TO].tensor, 2, to));
    OP_TRY(op_check_shape(problem, &values[TO_INDICES], values[TO_INDICES].tensor, 1, to));
    if (!values[PROBS].tensor) return ACLNN_SUCCESS;
    OP_TRY(op_moe_check_map_shape(problem, &values[PROBS], &m));
    return op_check_shape(problem, &values[TO_PROBS], values[TO_PROBS].tensor, 1, to);
}

static void moe_map(const struct op_shape_call *call)
{
    const struct op_value *values = call->problem->values;
    const struct op_moe_map m = map_of(call->problem);
    if (m.places == 0) return;
    const struct op_place indices = op_dense_target(call, TO_INDICES);
    struct op_moe_mapped mapped = {.to = indices.buffer};
    op_moe_map_step(call, &m, op_moe_source(call, &values[MAP], -1), &mapped);
    op_moe_copy_rows(call, &values[TOKENS], &values[TO], m.tokens, m.places, mapped.sources);
    if (values[PROBS].tensor)
        op_moe_copy_rows(call, &values[PROBS], &values[TO_PROBS], m.tokens * m.experts, m.places,
                         mapped.elements);
    op_deliver(call, &indices, TO_INDICES);
}

const struct op_rule op_rule_moe_map = {
    .types = moe_map_types,
    .shapes = moe_map_shapes,
    .runs_empty = true, /* places of rows without columns */
    .more = &(const struct op_shape_rule){moe_map},
};

/* ---- its gradient ---- */

enum { GRADIENT, PROBS_GRADIENT, INDICES, GRAD_MAP, EXPERTS, COUNT, GRAD_PADS, GRAD, GRAD_PROBS };

static aclnnStatus moe_map_grad_types(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    OP_TRY(op_moe_check_float(problem, &values[GRADIENT]));
    OP_TRY(op_moe_check_indices(problem, "sortedIndices", false));
    OP_TRY(op_check_same_type(problem->row->name, "tokensGradOut", values[GRAD].tensor,
                              "permutedTokenOutputGrad", values[GRADIENT].tensor));
    problem->type = problem->result = (aclDataType)values[GRADIENT].tensor->descriptor.data_type;
    if (!values[PROBS_GRADIENT].tensor) return ACLNN_SUCCESS;
    OP_TRY(check_pair(problem, &values[PROBS_GRADIENT],
                      op_moe_given(problem, "probsGradOutOptional", NULL), "probsGradOutOptional"));
    const bool is_padded = values[GRAD_PADS].integer != 0;
    OP_CHECK(problem->row->name, is_padded || values[GRAD_MAP].tensor, ACLNN_ERR_PARAM_NULLPTR,
             "permutedProbsOutputGradOptional is given and routingMapOptional is NULL");
    return values[GRAD_MAP].tensor ? op_moe_check_map_type(problem, &values[GRAD_MAP])
                                   : ACLNN_SUCCESS;
}

static struct op_moe_map map_grad_of(const struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    return (struct op_moe_map){.tokens = values[COUNT].integer,
                               .experts = values[EXPERTS].integer,
                               .columns = values[GRADIENT].tensor->descriptor.sizes[1],
                               .places = values[GRADIENT].tensor->descriptor.sizes[0],
                               .is_padded = values[GRAD_PADS].integer != 0};
}

static aclnnStatus moe_map_grad_shapes(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    OP_TRY(op_check_rank(problem->row->name, "permutedTokenOutputGrad", values[GRADIENT].tensor, 2,
                         2));
    const struct op_moe_map m = map_grad_of(problem);
    OP_TRY(op_moe_check_map(problem, &m));
    const int64_t to[] = {m.tokens, m.columns};
    OP_TRY(op_check_shape(problem, &values[INDICES], values[INDICES].tensor, 1, &m.places));
    OP_TRY(op_check_shape(problem, &values[GRAD], values[GRAD].tensor, 2, to));
    if (!values[PROBS_GRADIENT].tensor) return ACLNN_SUCCESS;
    OP_TRY(op_check_shape(problem, &values[PROBS_GRADIENT], values[PROBS_GRADIENT].tensor, 1,
                          &m.places));
    if (values[GRAD_MAP].tensor) OP_TRY(op_moe_check_map_shape(problem, &values[GRAD_MAP], &m));
    return op_moe_check_map_shape(problem, &values[GRAD_PROBS], &m);
}

static void moe_map_grad(const struct op_shape_call *call)
{
    const struct op_value *values = call->problem->values;
    struct op_moe_map m = map_grad_of(call->problem);
    op_moe_divide(&m);
    const int indices = op_moe_source(call, &values[INDICES], -1);
    struct op_moe_sorted sorted = {.list = -1, .experts = -1, .ends = -1};
    if (m.is_padded) op_moe_sort(call, &m, indices, &sorted);
    op_moe_sum_step(call, &m,
                    &(struct op_moe_sums){.x = &values[GRADIENT],
                                          .to = &values[GRAD],
                                          .places = m.is_padded ? sorted.list : indices,
                                          .ends = sorted.ends,
                                          .scale = -1});
    if (!values[PROBS_GRADIENT].tensor || op_is_empty(values[GRAD_PROBS].tensor)) return;
    int elements;
    if (m.is_padded) {
        elements = op_moe_elements(call, &m, -1, indices, -1);
    } else {
        struct op_moe_mapped mapped = {.to = -1};
        op_moe_map_step(call, &m, op_moe_source(call, &values[GRAD_MAP], -1), &mapped);
        elements = mapped.elements;
    }
    const int numbers = op_moe_inverse(call, &m, elements);
    const struct k_moe_rows rows = {
        .rows = m.tokens * m.experts,
        .bytes = (int64_t)ex_element_size(values[PROBS_GRADIENT].tensor->descriptor.data_type),
        .sources = m.places};
    const int from = op_moe_source(call, &values[PROBS_GRADIENT], -1);
    const struct op_place to = op_dense_target(call, GRAD_PROBS);
    op_moe_rows_step(call, from, numbers, to.buffer, &rows);
    op_deliver(call, &to, GRAD_PROBS);
}

const struct op_rule op_rule_moe_map_grad = {
    .types = moe_map_grad_types,
    .shapes = moe_map_grad_shapes,
    .runs_empty = true, /* tokens without places have zeros */
    .more = &(const struct op_shape_rule){moe_map_grad},
};
