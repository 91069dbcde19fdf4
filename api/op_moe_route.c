/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens in the order of their experts: aclnnMoeTokenPermute, MoeTokenPermuteWithEp,
 * MoeInitRouting, V2, V3, MoeInitRoutingQuant, QuantV2; and MoeComputeExpertTokens. */
#include <stdio.h>

#include "api/op_moe.h"
#include "executor/steps.h"
#include "kernels/kernels.h"
#include "kernels/moe/k_moe.h"

/* What the arguments of an operator mean; NULL: there is none. */
struct route {
    const struct op_value *x, *places, *experts, *to, *to_places, *to_experts, *counts, *before;
    const struct op_value *probs, *to_probs, *scale, *offset, *to_scale;
    const struct op_value *range; /* of sorted numbers, or of experts */
    int64_t begin, end;           /* of the range, or of all experts */
    int64_t rows, picks, slots;   /* slots: rows of the result */
    int64_t capacity, expert_count;
    int64_t count_kind;  /* 0: none, 1: running sums, 2: each, 3: pairs */
    int64_t number_type; /* expertTokensNumType */
    int64_t quant;       /* -1: none, 0: by a given scale, 1: rows make their scales */
    bool is_third, is_dropping, is_scattered;
};

/* A number of one of two names. */
static int64_t number_of(const struct op_problem *problem, const char *name, const char *other)
{
    return op_integer_named(problem, name, op_integer_named(problem, other, 0));
}

static int64_t sliced(int64_t count, int64_t wanted)
{
    if (wanted == 0) return count;
    if (wanted > 0) return wanted < count ? wanted : count;
    return count + wanted > 0 ? count + wanted : 0;
}

/* What is not written is none. */
static void leave_outputs(struct route *r, const struct op_problem *problem)
{
    const bool has_before = number_of(problem, "expertTokensBeforeCapacityFlagOptional",
                                      "expertTokensBeforeCapacityFlag") != 0;
    if (!r->is_dropping || !has_before) r->before = NULL;
    if ((r->is_dropping && !r->is_third) || r->count_kind == 0) r->counts = NULL;
    if (r->quant == 0 || (r->quant < 0 && !r->scale)) r->to_scale = NULL;
    if (!r->range) r->probs = NULL;
    if (!r->probs) r->to_probs = NULL;
}

static void find_third(struct route *r, const struct op_problem *problem)
{
    static const int kinds[] = {1, 2, 3};
    const bool is_counted = op_integer_named(problem, "expertTokensNumFlag", 0) != 0;
    r->is_third = true;
    r->is_scattered = op_integer_named(problem, "rowIdxType", 0) == 1;
    r->number_type = op_integer_named(problem, "expertTokensNumType", 0);
    const bool is_known = r->number_type >= 0 && r->number_type < (int)RT_LENGTH(kinds);
    r->count_kind = is_counted && is_known ? kinds[r->number_type] : 0;
    if (!r->range) r->end = r->expert_count;
}

static struct route route_of(const struct op_problem *problem)
{
    struct route r = {
        .x = op_moe_given(problem, "x", "tokens"),
        .places = op_moe_given(problem, "rowIdx", NULL),
        .experts = op_moe_given(problem, "expertIdx", "indices"),
        .to = op_moe_given(problem, "expandedXOut", "permuteTokensOut"),
        .to_places = op_moe_given(problem, "expandedRowIdxOut", "sortedIndicesOut"),
        .to_experts = op_moe_given(problem, "expandedExpertIdxOut", NULL),
        .counts = op_moe_given(problem, "expertTokensCountOrCumsumOutOptional",
                               "expertTokensCountOrCumsumOut"),
        .before = op_moe_given(problem, "expertTokensBeforeCapacityOutOptional", NULL),
        .probs = op_moe_given(problem, "probsOptional", NULL),
        .to_probs = op_moe_given(problem, "permuteProbsOut", NULL),
        .scale = op_moe_given(problem, "scaleOptional", NULL),
        .offset = op_moe_given(problem, "offsetOptional", NULL),
        .to_scale = op_moe_given(problem, "expandedScaleOut", "dynamicQuantScaleOutOptional"),
        .range = op_moe_range(problem),
        .expert_count = number_of(problem, "expertNumOptional", "expertNum"),
        .count_kind = number_of(problem, "expertTokensCountOrCumsumFlagOptional",
                                "expertTokensCountOrCumsumFlag"),
        .quant =
            op_integer_named(problem, "quantMode", op_argument_named(problem, "scale") ? 0 : -1),
        .is_dropping = number_of(problem, "dropPadModeOptional", "dropPadMode") == 1,
    };
    const struct ex_descriptor *d = &r.experts->tensor->descriptor;
    r.rows = d->rank > 0 ? d->sizes[0] : 0;
    r.picks = d->rank > 1 ? d->sizes[1] : 1;
    if (r.range && r.range->ints->size == 2) {
        r.begin = r.range->ints->values[0];
        r.end = r.range->ints->values[1];
    }
    if (r.is_dropping) r.capacity = number_of(problem, "expertCapacityOptional", "expertCapacity");
    if (op_argument_named(problem, "rowIdxType")) find_third(&r, problem);
    leave_outputs(&r, problem);
    return r;
}

/* Rows of the result, of sizes that have been checked. */
static int64_t slots_of(const struct op_problem *problem, const struct route *r)
{
    const int64_t count = r->rows * r->picks;
    const int64_t active = number_of(problem, "activeNumOptional", "activeNum");
    if (r->is_dropping) return r->expert_count * r->capacity;
    if (r->places) return (active < r->rows ? active : r->rows) * r->picks;
    if (r->range && !r->is_third) return r->end - r->begin;
    return sliced(count, op_integer_named(problem, "numOutTokens", active));
}

/* ---- checks ---- */

static aclnnStatus check_scales(const struct op_problem *problem, const struct route *r)
{
    const char *name = problem->row->name;
    const struct op_value *const numbers[] = {r->scale, r->offset, r->to_scale};
    for (int i = 0; i < (int)RT_LENGTH(numbers); i++)
        if (numbers[i])
            OP_TRY(op_check_type(name, numbers[i]->name, numbers[i]->tensor, OP_TYPE(ACL_FLOAT),
                                 "FLOAT"));
    const int64_t least = !op_argument_named(problem, "quantMode") || r->is_third ? -1 : 0;
    OP_CHECK(name, r->quant >= least && r->quant <= 1, ACLNN_ERR_PARAM_INVALID,
             "quantMode is %" PRId64 "; it must be %s0 or 1", r->quant, least < 0 ? "-1, " : "");
    const bool is_given = op_argument_named(problem, "scaleOptional") && r->quant == 0;
    OP_CHECK(name, !is_given || (r->scale && r->offset), ACLNN_ERR_PARAM_INVALID,
             "quantMode is 0 and scaleOptional or offsetOptional NULL; both must be given");
    OP_CHECK(name, r->quant == 0 || !r->offset, ACLNN_ERR_PARAM_INVALID,
             "offsetOptional is given and quantMode %" PRId64 "; it must be 0", r->quant);
    const bool has_scales = r->quant == 1 || (r->quant < 0 && r->scale);
    OP_CHECK(name, !has_scales || r->to_scale, ACLNN_ERR_PARAM_NULLPTR, "%s is NULL",
             r->is_third ? "expandedScaleOut" : "dynamicQuantScaleOutOptional");
    return ACLNN_SUCCESS;
}

static aclnnStatus moe_route_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct route r = route_of(problem);
    OP_TRY(
        op_check_type(name, r.x->name, r.x->tensor, problem->row->types, problem->row->type_names));
    OP_TRY(op_moe_check_indices(problem, r.experts->name,
                                op_argument_named(problem, "indices") != NULL));
    if (r.places) OP_TRY(op_moe_check_indices(problem, "rowIdx", false));
    OP_TRY(check_scales(problem, &r));
    OP_CHECK(name, r.quant < 0 || r.x->tensor->descriptor.data_type != ACL_INT8,
             ACLNN_ERR_PARAM_INVALID, "x's type is INT8 and quantMode %" PRId64 "; it must be -1",
             r.quant);
    if (r.quant < 0)
        OP_TRY(op_check_same_type(name, r.to->name, r.to->tensor, r.x->name, r.x->tensor));
    else
        OP_TRY(op_check_type(name, r.to->name, r.to->tensor, OP_TYPE(ACL_INT8), "INT8"));
    const struct op_value *const wholes[] = {r.to_places, r.to_experts,
                                             r.is_third ? NULL : r.counts, r.before};
    for (int i = 0; i < (int)RT_LENGTH(wholes); i++)
        if (wholes[i]) OP_TRY(op_moe_check_indices(problem, wholes[i]->name, false));
    if (r.is_third && r.counts)
        OP_TRY(op_check_type(name, r.counts->name, r.counts->tensor, OP_TYPE(ACL_INT64), "INT64"));
    problem->type = problem->result = (aclDataType)r.x->tensor->descriptor.data_type;
    if (!r.probs) return ACLNN_SUCCESS;
    OP_TRY(op_moe_check_float(problem, r.probs));
    OP_CHECK(name, r.to_probs, ACLNN_ERR_PARAM_NULLPTR, "permuteProbsOut is NULL");
    return op_check_same_type(name, "permuteProbsOut", r.to_probs->tensor, "probsOptional",
                              r.probs->tensor);
}

/* What aclnnMoeInitRoutingV3 has in its own way. */
static aclnnStatus check_third(const struct op_problem *problem, const struct route *r)
{
    const char *name = problem->row->name;
    const int64_t places = op_integer_named(problem, "rowIdxType", 0);
    OP_CHECK(name, places == 0 || places == 1, ACLNN_ERR_PARAM_INVALID,
             "rowIdxType is %" PRId64 "; it must be 0 or 1", places);
    OP_CHECK(name, r->number_type >= 0 && r->number_type <= 2, ACLNN_ERR_PARAM_INVALID,
             "expertTokensNumType is %" PRId64 "; it must be 0, 1 or 2", r->number_type);
    OP_CHECK(name, op_integer_named(problem, "expertTokensNumFlag", 0) == 0 || r->counts,
             ACLNN_ERR_PARAM_NULLPTR, "expertTokensCountOrCumsumOut is NULL");
    OP_CHECK(name, r->expert_count > 0, ACLNN_ERR_PARAM_INVALID,
             "expertNum is %" PRId64 "; it must be greater than 0", r->expert_count);
    OP_CHECK(name, r->begin >= 0 && r->begin < r->end && r->end <= r->expert_count,
             ACLNN_ERR_PARAM_INVALID,
             "activeExpertRangeOptional is from %" PRId64 " to %" PRId64
             "; it must be a part of the %" PRId64 " experts",
             r->begin, r->end, r->expert_count);
    if (!r->is_dropping) return ACLNN_SUCCESS;
    OP_CHECK(name, r->begin == 0 && r->end == r->expert_count, ACLNN_ERR_PARAM_INVALID,
             "activeExpertRangeOptional is from %" PRId64 " to %" PRId64
             "; with dropPadMode 1 it must be all %" PRId64 " experts",
             r->begin, r->end, r->expert_count);
    OP_CHECK(name, places == 0, ACLNN_ERR_PARAM_INVALID,
             "rowIdxType is 1 and dropPadMode 1; one of both must be 0");
    OP_CHECK(name, !r->counts || r->number_type == 1, ACLNN_ERR_PARAM_INVALID,
             "expertTokensNumType is %" PRId64 "; with dropPadMode 1 it must be 1", r->number_type);
    return ACLNN_SUCCESS;
}

/* The numbers that aclnnMoeInitRoutingV2 has, and those after it. */
static aclnnStatus check_numbers(const struct op_problem *problem, const struct route *r)
{
    const char *name = problem->row->name;
    const int64_t mode = number_of(problem, "dropPadModeOptional", "dropPadMode");
    const int64_t active = number_of(problem, "activeNumOptional", "activeNum");
    OP_CHECK(name, active >= 0, ACLNN_ERR_PARAM_INVALID,
             "activeNum is %" PRId64 "; it must not be negative", active);
    OP_CHECK(name, mode == 0 || mode == 1, ACLNN_ERR_PARAM_INVALID,
             "dropPadMode is %" PRId64 "; it must be 0 or 1", mode);
    OP_CHECK(name, r->is_third || (r->count_kind >= 0 && r->count_kind <= 2),
             ACLNN_ERR_PARAM_INVALID,
             "expertTokensCountOrCumsumFlag is %" PRId64 "; it must be 0, 1 or 2", r->count_kind);
    OP_CHECK(name, r->expert_count >= 0 && r->expert_count <= INT32_MAX, ACLNN_ERR_PARAM_INVALID,
             "expertNum is %" PRId64 "; it must be between 0 and 2147483647", r->expert_count);
    OP_CHECK(name, !r->is_dropping || (r->expert_count > 0 && r->capacity > 0),
             ACLNN_ERR_PARAM_INVALID,
             "expertNum is %" PRId64 " and expertCapacity %" PRId64
             "; with dropPadMode 1 both must be greater than 0",
             r->expert_count, r->capacity);
    OP_CHECK(name, !r->is_dropping || r->capacity <= INT32_MAX / r->expert_count,
             ACLNN_ERR_PARAM_INVALID,
             "expertNum is %" PRId64 " and expertCapacity %" PRId64
             "; INT32 must be able to number their slots",
             r->expert_count, r->capacity);
    OP_CHECK(name, !r->counts || r->expert_count > 0, ACLNN_ERR_PARAM_INVALID,
             "expertNum is 0; counts of experts need it");
    return r->is_third ? check_third(problem, r) : ACLNN_SUCCESS;
}

static aclnnStatus check_one(const struct op_problem *problem, const struct op_value *value,
                             int64_t size)
{
    return value ? op_check_shape(problem, value, value->tensor, 1, &size) : ACLNN_SUCCESS;
}

static aclnnStatus check_counts(const struct op_problem *problem, const struct route *r)
{
    const int64_t pairs[] = {r->expert_count, 2};
    if (!r->counts) return ACLNN_SUCCESS;
    if (r->count_kind == 3) return op_check_shape(problem, r->counts, r->counts->tensor, 2, pairs);
    return check_one(problem, r->counts, r->is_third ? r->end - r->begin : r->expert_count);
}

/* The scale that is read: of each token, of all numbers, or of columns. */
static aclnnStatus check_scale(const struct op_problem *problem, const struct route *r)
{
    const int64_t columns = r->x->tensor->descriptor.sizes[1];
    const int64_t experts = r->is_third ? r->end - r->begin : r->expert_count;
    OP_TRY(check_one(problem, r->offset, 1));
    if (!r->scale) return ACLNN_SUCCESS;
    if (r->quant < 1) return check_one(problem, r->scale, r->quant < 0 ? r->rows : 1);
    OP_TRY(op_check_rank(problem->row->name, r->scale->name, r->scale->tensor, 2, 2));
    const int64_t rows = r->scale->tensor->descriptor.sizes[0];
    const int64_t sizes[] = {rows == 1 ? 1 : experts, columns};
    return op_check_shape(problem, r->scale, r->scale->tensor, 2, sizes);
}

static aclnnStatus check_range(const struct op_problem *problem, const struct route *r)
{
    const int64_t count = r->rows * r->picks;
    if (!r->range || r->is_third) return ACLNN_SUCCESS;
    OP_TRY(op_moe_check_range(problem, r->range, count));
    if (!r->probs) return ACLNN_SUCCESS;
    return op_check_same_shape(problem->row->name, "probsOptional", r->probs->tensor,
                               r->experts->name, r->experts->tensor);
}

static aclnnStatus moe_route_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct route r = route_of(problem);
    OP_TRY(op_moe_check_padding(problem));
    OP_TRY(op_check_rank(name, r.x->name, r.x->tensor, 2, 2));
    OP_TRY(op_check_rank(name, r.experts->name, r.experts->tensor,
                         op_argument_named(problem, "indices") ? 1 : 2, 2));
    OP_CHECK(name, !r.range || r.range->ints->size == 2, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRIu64 " elements; it must have 2", r.range ? r.range->name : "",
             r.range ? r.range->ints->size : 0);
    OP_TRY(check_numbers(problem, &r));
    const int64_t *x = r.x->tensor->descriptor.sizes, count = r.rows * r.picks;
    OP_CHECK(name, x[0] == r.rows, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRId64 " rows, %s has %" PRId64 "; they must be as many", r.x->name, x[0],
             r.experts->name, r.rows);
    OP_TRY(op_moe_check_numbers(problem, count));
    OP_TRY(check_range(problem, &r));
    if (r.places)
        OP_TRY(op_check_same_shape(name, "rowIdx", r.places->tensor, r.experts->name,
                                   r.experts->tensor));
    OP_TRY(check_one(problem, r.to_places, count));
    OP_TRY(check_one(problem, r.to_experts, count));
    OP_TRY(check_counts(problem, &r));
    OP_TRY(check_one(problem, r.before, r.expert_count));
    OP_TRY(check_scale(problem, &r));
    const int64_t dropped[] = {r.expert_count, r.capacity, x[1]};
    const int64_t sizes[] = {slots_of(problem, &r), x[1]};
    if (r.to_scale) OP_TRY(op_moe_check_count(problem, r.to_scale, slots_of(problem, &r)));
    OP_TRY(check_one(problem, r.to_probs, sizes[0]));
    return op_check_shape(problem, r.to, r.to->tensor, r.is_dropping ? 3 : 2,
                          r.is_dropping ? dropped : sizes);
}

/* ---- plan ---- */

static void describe_route(const void *parameters, void *const buffers[], int64_t position,
                           char *text, size_t size)
{
    const struct k_moe_route *r = parameters;
    const void *experts = buffers[K_MOE_ROUTE_EXPERTS];
    const int64_t expert =
        r->is_wide ? ((const int64_t *)experts)[position] : ((const int32_t *)experts)[position];
    if (r->experts > 0 && (expert < 0 || expert >= r->experts))
        snprintf(text, size,
                 "element %" PRId64 " of expertIdx is %" PRId64
                 "; it must be at least 0 and below %" PRId64,
                 position, expert, r->experts);
    else
        snprintf(text, size,
                 "element %" PRId64 " of rowIdx is %d; it must be at least 0 and below %" PRId64,
                 position, ((const int32_t *)buffers[K_MOE_ROUTE_PLACES])[position], r->count);
}

static struct op_place target(const struct op_shape_call *call, const struct op_value *value,
                              const struct op_place *otherwise)
{
    return value ? op_dense_target(call, (int)(value - call->problem->values)) : *otherwise;
}

static void deliver(const struct op_shape_call *call, const struct op_place *made,
                    const struct op_value *value)
{
    if (value) op_deliver(call, made, (int)(value - call->problem->values));
}

static struct k_moe_route kernel_of(const struct op_problem *problem, const struct route *r)
{
    static const enum k_moe_counts kinds[] = {K_MOE_EACH, K_MOE_RUNNING, K_MOE_EACH, K_MOE_PAIRS};
    const bool by_expert = r->quant == 1 && r->scale && r->scale->tensor->descriptor.sizes[0] != 1;
    return (struct k_moe_route){
        .count = r->rows * r->picks,
        .rows = r->rows,
        .picks = r->picks,
        .slots = slots_of(problem, r),
        .first = r->range && !r->is_third ? r->begin : 0,
        .is_wide = r->experts->tensor->descriptor.data_type == ACL_INT64,
        .has_places = r->places != NULL,
        .has_sorted = r->to_experts != NULL,
        .is_scattered = r->is_scattered,
        .has_positions = r->probs != NULL,
        .capacity = r->capacity,
        .experts = r->is_third || r->is_dropping || r->counts || by_expert ? r->expert_count : 0,
        .begin = r->is_third ? r->begin : 0,
        .end = r->is_third ? r->end : 0,
        .has_counts = r->counts != NULL,
        .has_before = r->before != NULL,
        .has_groups = by_expert,
        .counts_are_wide = r->is_third,
        .counts = kinds[r->count_kind],
    };
}

static void moe_route(const struct op_shape_call *call)
{
    const struct route r = route_of(call->problem);
    const struct k_moe_route k = kernel_of(call->problem, &r);
    const int experts = op_moe_source(call, r.experts, -1);
    const int places = op_moe_source(call, r.places, experts);
    const struct op_place to_places = target(call, r.to_places, NULL);
    const struct op_place to_experts = target(call, r.to_experts, &to_places);
    const struct op_place counts = target(call, r.counts, &to_places);
    const struct op_place before = target(call, r.before, &to_places);
    const size_t bytes = (size_t)k.slots * sizeof(int32_t) + 1;
    const int scratch = ex_scratch(call->plan, k_moe_route_scratch(&k) + 1);
    const int sources = ex_scratch(call->plan, bytes);
    const int positions = k.has_positions ? ex_scratch(call->plan, bytes) : sources;
    const int groups =
        k.has_groups ? ex_scratch(call->plan, (size_t)k.experts * sizeof(int32_t)) : sources;
    ex_step_with_faults(
        call->plan, "moe_route", k_moe_route, &k, sizeof k, (struct k_work){.items = 1, .grain = 1},
        EX_BUFFERS(experts, places, scratch, sources, to_places.buffer, to_experts.buffer,
                   counts.buffer, before.buffer, groups, positions),
        describe_route);
    const struct op_moe_quant quant = {
        .x = r.x,
        .scale = r.scale,
        .offset = r.offset,
        .to = r.to,
        .to_scale = r.to_scale,
        .mode = (int)r.quant,
        .slots = k.slots,
        .experts = k.has_groups ? r.scale->tensor->descriptor.sizes[0] : 0,
        .factor = op_real_named(call->problem, "scale", 1),
        .shift = op_real_named(call->problem, "offset", 0),
    };
    op_moe_place(call, &quant, sources, groups);
    if (r.probs) op_moe_copy_rows(call, r.probs, r.to_probs, k.count, k.slots, positions);
    deliver(call, &to_places, r.to_places);
    deliver(call, &to_experts, r.to_experts);
    deliver(call, &counts, r.counts);
    deliver(call, &before, r.before);
}

const struct op_rule op_rule_moe_route = {
    .types = moe_route_types,
    .shapes = moe_route_shapes,
    .runs_empty = true, /* counts of no tokens are 0 */
    .more = &(const struct op_shape_rule){moe_route},
};

/* ---- aclnnMoeComputeExpertTokens ---- */

enum { SORTED, EXPERTS, TOKENS_OUT };

static aclnnStatus moe_tokens_types(struct op_problem *problem)
{
    problem->type = problem->result = ACL_INT32;
    OP_TRY(op_moe_check_indices(problem, "sortedExperts", false));
    return op_moe_check_indices(problem, "out", false);
}

static aclnnStatus moe_tokens_shapes(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    const int64_t experts = values[EXPERTS].integer;
    OP_TRY(op_check_rank(problem->row->name, "sortedExperts", values[SORTED].tensor, 1, 1));
    OP_CHECK(problem->row->name, experts > 0, ACLNN_ERR_PARAM_INVALID,
             "numExperts is %" PRId64 "; it must be greater than 0", experts);
    OP_TRY(op_moe_check_numbers(problem, op_moe_count(&values[SORTED])));
    return op_check_shape(problem, &values[TOKENS_OUT], values[TOKENS_OUT].tensor, 1, &experts);
}

static void moe_tokens(const struct op_shape_call *call)
{
    const struct op_value *values = call->problem->values;
    const struct k_moe_tokens tokens = {.count = op_moe_count(&values[SORTED]),
                                        .experts = values[EXPERTS].integer};
    const int from = op_moe_source(call, &values[SORTED], -1);
    const struct op_place to = op_dense_target(call, TOKENS_OUT);
    ex_step(call->plan, "moe_tokens", k_moe_tokens, &tokens, sizeof tokens,
            (struct k_work){.items = tokens.experts, .grain = 1024}, EX_BUFFERS(from, to.buffer));
    op_deliver(call, &to, TOKENS_OUT);
}

const struct op_rule op_rule_moe_tokens = {
    .types = moe_tokens_types,
    .shapes = moe_tokens_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){moe_tokens},
};
