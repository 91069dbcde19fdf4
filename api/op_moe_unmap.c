/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens back from their experts by a map: aclnnMoeTokenUnpermuteWithRoutingMap and its gradient.
 */
#include <stdio.h>

#include "api/op_moe_map.h"
#include "kernels/kernels.h"

static int64_t size_of(const struct op_value *value, int axis)
{
    return value->tensor->descriptor.sizes[axis];
}

/* restoreShapeOptional is NULL, or the shape that the tokens have. */
static aclnnStatus check_restored(const struct op_problem *problem, const struct op_moe_map *map)
{
    const struct op_value *shape = op_argument_named(problem, "restoreShapeOptional");
    if (!shape->ints || shape->ints->size == 0) return ACLNN_SUCCESS;
    OP_CHECK(problem->row->name, shape->ints->size == 2, ACLNN_ERR_PARAM_INVALID,
             "restoreShapeOptional has %" PRIu64 " elements; it must have 2", shape->ints->size);
    OP_CHECK(problem->row->name,
             shape->ints->values[0] == map->tokens && shape->ints->values[1] == map->columns,
             ACLNN_ERR_PARAM_INVALID,
             "restoreShapeOptional is (%" PRId64 ", %" PRId64 "); the tokens are (%" PRId64
             ", %" PRId64 ")",
             shape->ints->values[0], shape->ints->values[1], map->tokens, map->columns);
    return ACLNN_SUCCESS;
}

/* What probabilities need: a map, unless they are padded, and where to write. */
static aclnnStatus check_probs(const struct op_problem *problem, const struct op_value *probs,
                               const struct op_value *map, bool needs_map,
                               const struct op_value *to)
{
    const char *name = problem->row->name;
    OP_TRY(op_moe_check_float(problem, probs));
    OP_CHECK(name, !needs_map || map->tensor, ACLNN_ERR_PARAM_NULLPTR,
             "probsOptional is given and routingMapOptional is NULL");
    if (map->tensor) OP_TRY(op_moe_check_map_type(problem, map));
    OP_CHECK(name, to->tensor, ACLNN_ERR_PARAM_NULLPTR, "probsOptional is given and %s is NULL",
             to->name);
    return op_check_same_type(name, to->name, to->tensor, "probsOptional", probs->tensor);
}

/* A step that copies probabilities, by the elements they have at each place, to scratch. */
static int probs_of_places(const struct op_shape_call *call, const struct op_moe_map *map,
                           const struct op_value *probs, int elements)
{
    const int64_t bytes = (int64_t)ex_element_size(probs->tensor->descriptor.data_type);
    const struct k_moe_rows rows = {
        .rows = map->places, .bytes = bytes, .sources = map->tokens * map->experts};
    const int to = ex_scratch(call->plan, (size_t)(map->places * bytes) + 1);
    op_moe_rows_step(call, op_moe_source(call, probs, -1), elements, to, &rows);
    return to;
}

/* ---- aclnnMoeTokenUnpermuteWithRoutingMap ---- */

enum { TOKENS, INDICES, MAP, PROBS, PADS, SHAPE, TO, TO_INDEX, TO_TOKEN, TO_PROBS };

static aclnnStatus moe_unmap_types(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    static const int indices[] = {INDICES, TO_INDEX, TO_TOKEN};
    OP_TRY(op_moe_check_float(problem, &values[TOKENS]));
    for (int i = 0; i < (int)RT_LENGTH(indices); i++)
        OP_TRY(op_moe_check_indices(problem, values[indices[i]].name, false));
    problem->type = problem->result = (aclDataType)values[TOKENS].tensor->descriptor.data_type;
    OP_TRY(op_check_same_type(problem->row->name, "unpermutedTokens", values[TO].tensor,
                              "permutedTokens", values[TOKENS].tensor));
    if (!values[PROBS].tensor) return ACLNN_SUCCESS;
    return check_probs(problem, &values[PROBS], &values[MAP], values[PADS].integer == 0,
                       &values[TO_PROBS]);
}

static struct op_moe_map unmap_of(const struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    struct op_moe_map m = {.tokens = size_of(&values[TO], 0),
                           .columns = size_of(&values[TO], 1),
                           .places = size_of(&values[TOKENS], 0),
                           .is_padded = values[PADS].integer != 0};
    /* Without probabilities nobody asks which expert a place is of. */
    m.experts = values[PROBS].tensor ? size_of(&values[PROBS], 1) : m.is_padded ? m.places : 0;
    op_moe_divide(&m);
    return m;
}

static aclnnStatus moe_unmap_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    OP_TRY(op_check_rank(name, "permutedTokens", values[TOKENS].tensor, 2, 2));
    OP_TRY(op_check_rank(name, "unpermutedTokens", values[TO].tensor, 2, 2));
    if (values[PROBS].tensor)
        OP_TRY(op_check_rank(name, "probsOptional", values[PROBS].tensor, 2, 2));
    const struct op_moe_map m = unmap_of(problem);
    static const int indices[] = {INDICES, TO_INDEX, TO_TOKEN};
    const int64_t sizes[] = {m.places, m.columns};
    OP_TRY(check_restored(problem, &m));
    OP_TRY(op_check_shape(problem, &values[TOKENS], values[TOKENS].tensor, 2, sizes));
    for (int i = 0; i < (int)RT_LENGTH(indices); i++)
        OP_TRY(op_check_shape(problem, &values[indices[i]], values[indices[i]].tensor, 1, sizes));
    if (!values[PROBS].tensor) {
        const struct op_moe_map other = {
            .tokens = m.tokens, .places = m.places, .is_padded = false};
        return m.is_padded ? op_moe_check_numbers(problem, m.places)
                           : op_moe_check_map(problem, &other);
    }
    OP_TRY(op_moe_check_map(problem, &m));
    OP_TRY(op_moe_check_map_shape(problem, &values[PROBS], &m));
    if (values[MAP].tensor) OP_TRY(op_moe_check_map_shape(problem, &values[MAP], &m));
    return op_check_shape(problem, &values[TO_PROBS], values[TO_PROBS].tensor, 1, sizes);
}

/* The places and tokens that the gradient needs, in outIndex and permuteTokenId. */
static void write_indices(const struct op_shape_call *call, const struct op_moe_map *map, int from,
                          struct op_moe_sorted *sorted)
{
    const struct op_place index = op_dense_target(call, TO_INDEX);
    const struct op_place token = op_dense_target(call, TO_TOKEN);
    if (map->is_padded) {
        sorted->list = index.buffer;
        sorted->experts = token.buffer;
        op_moe_sort(call, map, from, sorted);
    } else if (map->places > 0) {
        const struct k_moe_slots slots = {.picks = map->picks};
        const struct op_place dense = {
            .buffer = from, .view = op_view_dense(ACL_INT32, 1, (const int64_t[]){map->places})};
        op_copy_place(call->plan, &dense, &index);
        ex_step(call->plan, "moe_slots", k_moe_slots, &slots, sizeof slots,
                (struct k_work){.items = map->places, .grain = 1 << 14}, EX_BUFFERS(token.buffer));
    }
    op_deliver(call, &index, TO_INDEX);
    op_deliver(call, &token, TO_TOKEN);
}

static void moe_unmap(const struct op_shape_call *call)
{
    const struct op_value *values = call->problem->values;
    const struct op_moe_map m = unmap_of(call->problem);
    const int indices = op_moe_source(call, &values[INDICES], -1);
    struct op_moe_sorted sorted = {.list = indices, .experts = -1, .ends = -1};
    write_indices(call, &m, indices, &sorted);
    struct op_moe_sums sums = {.x = &values[TOKENS],
                               .to = &values[TO],
                               .places = sorted.list,
                               .ends = sorted.ends,
                               .scale = -1};
    if (values[PROBS].tensor && m.places > 0) {
        const int map = m.is_padded ? -1 : op_moe_source(call, &values[MAP], -1);
        const int elements = op_moe_elements(call, &m, map, m.is_padded ? indices : -1, -1);
        const struct op_place to = op_dense_target(call, TO_PROBS);
        const struct k_moe_rows rows = {
            .rows = m.places,
            .bytes = (int64_t)ex_element_size(values[PROBS].tensor->descriptor.data_type),
            .sources = m.tokens * m.experts};
        op_moe_rows_step(call, op_moe_source(call, &values[PROBS], -1), elements, to.buffer, &rows);
        op_deliver(call, &to, TO_PROBS);
        sums.scale = to.buffer;
        sums.scale_type = op_k_dtype(values[PROBS].tensor);
    }
    op_moe_sum_step(call, &m, &sums);
}

const struct op_rule op_rule_moe_unmap = {
    .types = moe_unmap_types,
    .shapes = moe_unmap_shapes,
    .runs_empty = true, /* tokens without places are zeros */
    .more = &(const struct op_shape_rule){moe_unmap},
};

/* ---- its gradient ---- */

enum {
    GRADIENT,
    INDEX,
    TOKEN,
    GRAD_MAP,
    PERMUTED,
    GRAD_PROBS,
    GRAD_PADS,
    GRAD_SHAPE,
    GRAD,
    PROBS_GRAD
};

static aclnnStatus moe_unmap_grad_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    OP_TRY(op_moe_check_float(problem, &values[GRADIENT]));
    OP_TRY(op_moe_check_indices(problem, "outIndex", false));
    OP_TRY(op_moe_check_indices(problem, "permuteTokenId", false));
    OP_TRY(op_check_same_type(name, "permutedTokensGradOut", values[GRAD].tensor,
                              "unpermutedTokensGrad", values[GRADIENT].tensor));
    problem->type = problem->result = (aclDataType)values[GRADIENT].tensor->descriptor.data_type;
    if (!values[GRAD_PROBS].tensor) return ACLNN_SUCCESS;
    OP_CHECK(name, values[PERMUTED].tensor, ACLNN_ERR_PARAM_NULLPTR,
             "probsOptional is given and permutedTokensOptional is NULL");
    OP_TRY(op_check_same_type(name, "permutedTokensOptional", values[PERMUTED].tensor,
                              "unpermutedTokensGrad", values[GRADIENT].tensor));
    return check_probs(problem, &values[GRAD_PROBS], &values[GRAD_MAP],
                       values[GRAD_PADS].integer == 0, &values[PROBS_GRAD]);
}

static struct op_moe_map unmap_grad_of(const struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    struct op_moe_map m = {.tokens = size_of(&values[GRADIENT], 0),
                           .columns = size_of(&values[GRADIENT], 1),
                           .places = op_moe_count(&values[INDEX]),
                           .is_padded = values[GRAD_PADS].integer != 0};
    m.experts = values[GRAD_PROBS].tensor ? size_of(&values[GRAD_PROBS], 1) : 0;
    op_moe_divide(&m);
    return m;
}

static aclnnStatus moe_unmap_grad_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    OP_TRY(op_check_rank(name, "unpermutedTokensGrad", values[GRADIENT].tensor, 2, 2));
    if (values[GRAD_PROBS].tensor)
        OP_TRY(op_check_rank(name, "probsOptional", values[GRAD_PROBS].tensor, 2, 2));
    const struct op_moe_map m = unmap_grad_of(problem);
    const int64_t sizes[] = {m.places, m.columns};
    OP_TRY(check_restored(problem, &m));
    OP_TRY(op_moe_check_numbers(problem, m.places));
    OP_TRY(op_moe_check_numbers(problem, m.tokens));
    OP_TRY(op_check_shape(problem, &values[INDEX], values[INDEX].tensor, 1, sizes));
    OP_TRY(op_check_shape(problem, &values[TOKEN], values[TOKEN].tensor, 1, sizes));
    OP_TRY(op_check_shape(problem, &values[GRAD], values[GRAD].tensor, 2, sizes));
    if (!values[GRAD_PROBS].tensor) return ACLNN_SUCCESS;
    OP_TRY(op_moe_check_map(problem, &m));
    OP_TRY(op_check_shape(problem, &values[PERMUTED], values[PERMUTED].tensor, 2, sizes));
    OP_TRY(op_moe_check_map_shape(problem, &values[GRAD_PROBS], &m));
    if (values[GRAD_MAP].tensor) OP_TRY(op_moe_check_map_shape(problem, &values[GRAD_MAP], &m));
    return op_moe_check_map_shape(problem, &values[PROBS_GRAD], &m);
}

static void describe_token(const void *parameters, void *const buffers[], int64_t position,
                           char *text, size_t size)
{
    const struct k_moe_grad *g = parameters;
    snprintf(text, size,
             "element %" PRId64 " of permuteTokenId is %d; it must be at least 0 and below "
             "%" PRId64,
             position / 2, ((const int32_t *)buffers[K_MOE_GRAD_TOKENS])[position / 2], g->rows);
}

/* The gradient of each place's probability, and from there to those of tokens and experts. */
static void probs_grad(const struct op_shape_call *call, const struct op_moe_map *map,
                       struct k_moe_grad k, int index, int token, int elements)
{
    const struct op_value *values = call->problem->values;
    const int64_t bytes = (int64_t)ex_element_size(values[GRAD_PROBS].tensor->descriptor.data_type);
    const int gradient = op_moe_source(call, &values[GRADIENT], -1);
    const int x = op_moe_source(call, &values[PERMUTED], -1);
    const int made = ex_scratch(call->plan, (size_t)(map->places * bytes) + 1);
    const struct k_moe_rows rows = {
        .rows = map->tokens * map->experts, .bytes = bytes, .sources = map->places};
    k.to = k.scale;
    k.rows = map->places; /* its items are rows * picks */
    k.picks = 1;
    const struct k_work work = k_moe_scale_grad_plan(&k);
    k.rows = map->tokens;
    ex_step(call->plan, "moe_scale_grad", k_best()->moe_scale_grad, &k, sizeof k, work,
            EX_BUFFERS(x, gradient, index, token, x, index, made));
    const struct op_place to = op_dense_target(call, PROBS_GRAD);
    op_moe_rows_step(call, made, op_moe_inverse(call, map, elements), to.buffer, &rows);
    op_deliver(call, &to, PROBS_GRAD);
}

static void moe_unmap_grad(const struct op_shape_call *call)
{
    const struct op_value *values = call->problem->values;
    const struct op_moe_map m = unmap_grad_of(call->problem);
    const int index = op_moe_source(call, &values[INDEX], -1);
    const int token = op_moe_source(call, &values[TOKEN], -1);
    const bool has_probs = values[GRAD_PROBS].tensor != NULL;
    const struct k_moe_invert invert = {.count = m.places,
                                        .rows = m.places,
                                        .kept = m.places,
                                        .places = m.places,
                                        .may_drop = true};
    const struct k_moe_grad k = {
        .rows = m.tokens,
        .picks = 1,
        .columns = m.columns,
        .sources = m.places,
        .x = op_k_dtype(values[GRADIENT].tensor),
        .gradient = op_k_dtype(values[GRADIENT].tensor),
        .scale = has_probs ? op_k_dtype(values[GRAD_PROBS].tensor) : K_F32,
        .to = op_k_dtype(values[GRAD].tensor),
        .has_scale = has_probs,
        .has_tokens = true,
    };
    int elements = -1, scale = index;
    if (has_probs) {
        const int map = m.is_padded ? -1 : op_moe_source(call, &values[GRAD_MAP], -1);
        elements =
            op_moe_elements(call, &m, map, m.is_padded ? token : -1, m.is_padded ? index : -1);
        scale = probs_of_places(call, &m, &values[GRAD_PROBS], elements);
    }
    if (!op_is_empty(values[GRAD].tensor)) {
        const int gradient = op_moe_source(call, &values[GRADIENT], -1);
        const int inverse = ex_scratch(call->plan, (size_t)m.places * sizeof(int32_t) + 1);
        ex_step_with_faults(call->plan, "moe_invert", k_moe_invert, &invert, sizeof invert,
                            (struct k_work){.items = 1, .grain = 1}, EX_BUFFERS(index, inverse),
                            op_moe_describe_invert);
        const struct op_place to = op_dense_target(call, GRAD);
        ex_step_with_faults(call->plan, "moe_grad", k_best()->moe_grad, &k, sizeof k,
                            k_moe_grad_plan(&k),
                            EX_BUFFERS(gradient, scale, inverse, token, to.buffer), describe_token);
        op_deliver(call, &to, GRAD);
    }
    if (has_probs && !op_is_empty(values[PROBS_GRAD].tensor))
        probs_grad(call, &m, k, index, token, elements);
}

const struct op_rule op_rule_moe_unmap_grad = {
    .types = moe_unmap_grad_types,
    .shapes = moe_unmap_grad_shapes,
    .runs_empty = true, /* experts without places have gradients of 0 */
    .more = &(const struct op_shape_rule){moe_unmap_grad},
};
