/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens in the order of their experts: aclnnMoeTokenPermute, MoeInitRouting, MoeInitRoutingV2,
 * MoeComputeExpertTokens. */
#include <stdio.h>

#include "api/op_moe.h"
#include "executor/steps.h"
#include "kernels/kernels.h"
#include "kernels/moe/k_moe.h"

/* What the arguments of an operator mean; NULL: there is none. */
struct route {
    const struct op_value *x, *places, *experts, *to, *to_places, *to_experts, *counts, *before;
    int64_t rows, picks, slots; /* slots: rows of the result */
    int64_t capacity, expert_count;
    int64_t count_kind; /* 0: none, 1: running sums, 2: each */
    bool is_dropping;
};

static int64_t sliced(int64_t count, int64_t wanted)
{
    if (wanted == 0) return count;
    if (wanted > 0) return wanted < count ? wanted : count;
    return count + wanted > 0 ? count + wanted : 0;
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
        .counts = op_moe_given(problem, "expertTokensCountOrCumsumOutOptional", NULL),
        .before = op_moe_given(problem, "expertTokensBeforeCapacityOutOptional", NULL),
        .expert_count = op_integer_named(problem, "expertNumOptional", 0),
        .count_kind = op_integer_named(problem, "expertTokensCountOrCumsumFlagOptional", 0),
        .is_dropping = op_integer_named(problem, "dropPadModeOptional", 0) == 1,
    };
    const struct ex_descriptor *d = &r.experts->tensor->descriptor;
    r.rows = d->rank > 0 ? d->sizes[0] : 0;
    r.picks = d->rank > 1 ? d->sizes[1] : 1;
    if (r.is_dropping) r.capacity = op_integer_named(problem, "expertCapacityOptional", 0);
    const bool has_before =
        op_integer_named(problem, "expertTokensBeforeCapacityFlagOptional", 0) != 0;
    if (!r.is_dropping || !has_before) r.before = NULL;
    if (r.is_dropping || r.count_kind == 0) r.counts = NULL;
    return r;
}

/* Rows of the result, of sizes that have been checked. */
static int64_t slots_of(const struct op_problem *problem, const struct route *r)
{
    const int64_t count = r->rows * r->picks;
    const int64_t active = op_integer_named(problem, "activeNumOptional", 0);
    if (r->is_dropping) return r->expert_count * r->capacity;
    if (r->places) {
        const int64_t rows = op_integer_named(problem, "activeNum", 0);
        return (rows < r->rows ? rows : r->rows) * r->picks;
    }
    return sliced(count, op_integer_named(problem, "numOutTokens", active));
}

/* ---- checks ---- */

static aclnnStatus moe_route_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct route r = route_of(problem);
    OP_TRY(
        op_check_type(name, r.x->name, r.x->tensor, problem->row->types, problem->row->type_names));
    OP_TRY(op_moe_check_indices(problem, r.experts->name,
                                op_argument_named(problem, "indices") != NULL));
    if (r.places) OP_TRY(op_moe_check_indices(problem, "rowIdx", false));
    OP_TRY(op_check_same_type(name, r.to->name, r.to->tensor, r.x->name, r.x->tensor));
    const struct op_value *const wholes[] = {r.to_places, r.to_experts, r.counts, r.before};
    for (int i = 0; i < (int)RT_LENGTH(wholes); i++)
        if (wholes[i]) OP_TRY(op_moe_check_indices(problem, wholes[i]->name, false));
    problem->type = problem->result = (aclDataType)r.x->tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

/* The numbers that aclnnMoeInitRoutingV2 has. */
static aclnnStatus check_numbers(const struct op_problem *problem, const struct route *r)
{
    const char *name = problem->row->name;
    const int64_t mode = op_integer_named(problem, "dropPadModeOptional", 0);
    const int64_t active =
        op_integer_named(problem, "activeNum", op_integer_named(problem, "activeNumOptional", 0));
    OP_CHECK(name, active >= 0, ACLNN_ERR_PARAM_INVALID,
             "activeNum is %" PRId64 "; it must not be negative", active);
    OP_CHECK(name, mode == 0 || mode == 1, ACLNN_ERR_PARAM_INVALID,
             "dropPadMode is %" PRId64 "; it must be 0 or 1", mode);
    OP_CHECK(name, r->count_kind >= 0 && r->count_kind <= 2, ACLNN_ERR_PARAM_INVALID,
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
    return ACLNN_SUCCESS;
}

static aclnnStatus check_one(const struct op_problem *problem, const struct op_value *value,
                             int64_t size)
{
    return value ? op_check_shape(problem, value, value->tensor, 1, &size) : ACLNN_SUCCESS;
}

static aclnnStatus moe_route_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct route r = route_of(problem);
    OP_TRY(op_moe_check_padding(problem));
    OP_TRY(op_check_rank(name, r.x->name, r.x->tensor, 2, 2));
    OP_TRY(op_check_rank(name, r.experts->name, r.experts->tensor,
                         op_argument_named(problem, "indices") ? 1 : 2, 2));
    OP_TRY(check_numbers(problem, &r));
    const int64_t *x = r.x->tensor->descriptor.sizes, count = r.rows * r.picks;
    OP_CHECK(name, x[0] == r.rows, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRId64 " rows, %s has %" PRId64 "; they must be as many", r.x->name, x[0],
             r.experts->name, r.rows);
    OP_TRY(op_moe_check_numbers(problem, count));
    if (r.places)
        OP_TRY(op_check_same_shape(name, "rowIdx", r.places->tensor, r.experts->name,
                                   r.experts->tensor));
    OP_TRY(check_one(problem, r.to_places, count));
    OP_TRY(check_one(problem, r.to_experts, count));
    OP_TRY(check_one(problem, r.counts, r.expert_count));
    OP_TRY(check_one(problem, r.before, r.expert_count));
    const int64_t dropped[] = {r.expert_count, r.capacity, x[1]};
    const int64_t sizes[] = {slots_of(problem, &r), x[1]};
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

static void moe_route(const struct op_shape_call *call)
{
    const struct route r = route_of(call->problem);
    struct k_moe_route k = {
        .count = r.rows * r.picks,
        .rows = r.rows,
        .picks = r.picks,
        .slots = slots_of(call->problem, &r),
        .is_wide = r.experts->tensor->descriptor.data_type == ACL_INT64,
        .has_places = r.places != NULL,
        .has_sorted = r.to_experts != NULL,
        .capacity = r.capacity,
        .experts = r.is_dropping || r.counts ? r.expert_count : 0,
        .has_counts = r.counts != NULL,
        .has_before = r.before != NULL,
        .is_running = r.count_kind == 1,
    };
    const int experts = op_moe_source(call, r.experts, -1);
    const int places = op_moe_source(call, r.places, experts), x = op_moe_source(call, r.x, -1);
    const struct op_place to = target(call, r.to, NULL);
    const struct op_place to_places = target(call, r.to_places, NULL);
    const struct op_place to_experts = target(call, r.to_experts, &to_places);
    const struct op_place counts = target(call, r.counts, &to_places);
    const struct op_place before = target(call, r.before, &to_places);
    const int scratch = ex_scratch(call->plan, k_moe_route_scratch(&k) + 1);
    const int sources = ex_scratch(call->plan, (size_t)k.slots * sizeof(int32_t) + 1);
    ex_step_with_faults(call->plan, "moe_route", k_moe_route, &k, sizeof k,
                        (struct k_work){.items = 1, .grain = 1},
                        EX_BUFFERS(experts, places, scratch, sources, to_places.buffer,
                                   to_experts.buffer, counts.buffer, before.buffer),
                        describe_route);
    const int64_t columns = r.x->tensor->descriptor.sizes[1];
    const struct k_moe_rows rows = {
        .rows = k.slots, .bytes = columns * (int64_t)ex_element_size((int32_t)call->problem->type)};
    if (k.slots > 0 && columns > 0)
        ex_step(call->plan, "moe_rows", k_moe_rows, &rows, sizeof rows, k_moe_rows_plan(&rows),
                EX_BUFFERS(x, sources, to.buffer));
    deliver(call, &to, r.to);
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
