/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_moe_map.h"

#include <stdio.h>

#include "kernels/kernels.h"

static const struct k_work whole = {.items = 1, .grain = 1};

void op_moe_divide(struct op_moe_map *map)
{
    const int64_t parts = map->is_padded ? map->experts : map->tokens;
    const int64_t each = parts > 0 ? map->places / parts : 0;
    map->picks = map->is_padded ? 0 : each;
    map->capacity = map->is_padded ? each : 0;
}

aclnnStatus op_moe_check_map(const struct op_problem *problem, const struct op_moe_map *map)
{
    const char *name = problem->row->name;
    const int64_t parts = map->is_padded ? map->experts : map->tokens;
    OP_CHECK(name,
             map->tokens >= 0 && map->experts >= 0 && map->tokens <= INT32_MAX &&
                 map->experts <= INT32_MAX,
             ACLNN_ERR_PARAM_INVALID,
             "there are %" PRId64 " tokens and %" PRId64
             " experts; both must be at least 0 and at most 2147483647",
             map->tokens, map->experts);
    OP_TRY(op_moe_check_numbers(problem, map->tokens * map->experts));
    OP_TRY(op_moe_check_numbers(problem, map->places));
    OP_CHECK(name, parts > 0 ? map->places % parts == 0 : map->places == 0, ACLNN_ERR_PARAM_INVALID,
             "there are %" PRId64 " places; %" PRId64 " %s do not divide them", map->places, parts,
             map->is_padded ? "experts" : "tokens");
    return ACLNN_SUCCESS;
}

aclnnStatus op_moe_check_map_type(const struct op_problem *problem, const struct op_value *value)
{
    return op_check_type(problem->row->name, value->name, value->tensor,
                         OP_TYPE(ACL_INT8) | OP_TYPE(ACL_BOOL), "INT8, BOOL");
}

aclnnStatus op_moe_check_map_shape(const struct op_problem *problem, const struct op_value *value,
                                   const struct op_moe_map *map)
{
    const int64_t sizes[] = {map->tokens, map->experts};
    return value ? op_check_shape(problem, value, value->tensor, 2, sizes) : ACLNN_SUCCESS;
}

/* ---- steps ---- */

static int numbers(const struct op_shape_call *call, int64_t count)
{
    return ex_scratch(call->plan, (size_t)count * sizeof(int32_t) + 1);
}

static void describe_map(const void *parameters, void *const buffers[], int64_t position,
                         char *text, size_t size)
{
    const struct k_moe_map *m = parameters;
    (void)buffers;
    snprintf(text, size,
             "token %" PRId64 " goes to more experts than the %" PRId64 " places of each token",
             position, m->picks);
}

static void describe_elements(const void *parameters, void *const buffers[], int64_t position,
                              char *text, size_t size)
{
    const struct k_moe_elements *e = parameters;
    const struct k_moe_map map = {.picks = e->picks};
    describe_map(&map, buffers, position, text, size);
}

void op_moe_map_step(const struct op_shape_call *call, const struct op_moe_map *map, int from,
                     struct op_moe_mapped *mapped)
{
    const struct k_moe_map k = {.tokens = map->tokens,
                                .experts = map->experts,
                                .picks = map->picks,
                                .capacity = map->capacity,
                                .is_padded = map->is_padded};
    const int used = numbers(call, map->tokens);
    if (mapped->to < 0) mapped->to = numbers(call, map->places);
    mapped->sources = numbers(call, map->places);
    mapped->elements = numbers(call, map->places);
    ex_step_with_faults(call->plan, "moe_map", k_moe_map, &k, sizeof k, whole,
                        EX_BUFFERS(from, used, mapped->to, mapped->sources, mapped->elements),
                        describe_map);
}

int op_moe_elements(const struct op_shape_call *call, const struct op_moe_map *map, int from,
                    int tokens, int slots)
{
    const struct k_moe_elements k = {.count = map->places,
                                     .tokens = map->tokens,
                                     .experts = map->experts,
                                     .picks = map->picks,
                                     .capacity = map->capacity,
                                     .is_padded = map->is_padded,
                                     .has_slots = slots >= 0};
    const int to = numbers(call, map->places);
    const int other = tokens >= 0 ? tokens : from;
    ex_step_with_faults(call->plan, "moe_elements", k_moe_elements, &k, sizeof k, whole,
                        EX_BUFFERS(from >= 0 ? from : other, other, slots >= 0 ? slots : other, to),
                        describe_elements);
    return to;
}

int op_moe_inverse(const struct op_shape_call *call, const struct op_moe_map *map, int elements)
{
    const int64_t count = map->tokens * map->experts;
    const struct k_moe_invert k = {
        .count = map->places, .rows = count, .kept = count, .places = count, .may_drop = true};
    const int to = numbers(call, count);
    ex_step(call->plan, "moe_invert", k_moe_invert, &k, sizeof k, whole, EX_BUFFERS(elements, to));
    return to;
}

static void describe_token(const void *parameters, void *const buffers[], int64_t position,
                           char *text, size_t size)
{
    const struct k_moe_route *r = parameters;
    snprintf(text, size,
             "element %" PRId64 " of sortedIndices is %d; it must be at least 0 and below %" PRId64,
             position, ((const int32_t *)buffers[K_MOE_ROUTE_EXPERTS])[position], r->experts);
}

void op_moe_sort(const struct op_shape_call *call, const struct op_moe_map *map, int tokens,
                 struct op_moe_sorted *sorted)
{
    const struct k_moe_route k = {
        .count = map->places,
        .rows = map->places,
        .picks = 1,
        .experts = map->tokens,
        .has_sorted = sorted->experts >= 0,
        .is_scattered = true,
        .has_counts = true,
        .counts = K_MOE_RUNNING,
    };
    const int scratch = ex_scratch(call->plan, k_moe_route_scratch(&k) + 1);
    if (sorted->list < 0) sorted->list = numbers(call, map->places);
    sorted->ends = numbers(call, map->tokens);
    const int none = sorted->list;
    ex_step_with_faults(call->plan, "moe_route", k_moe_route, &k, sizeof k, whole,
                        EX_BUFFERS(tokens, tokens, scratch, none, sorted->list,
                                   k.has_sorted ? sorted->experts : none, sorted->ends, none, none,
                                   none),
                        describe_token);
}

void op_moe_sum_step(const struct op_shape_call *call, const struct op_moe_map *map,
                     const struct op_moe_sums *sums)
{
    const int argument = (int)(sums->to - call->problem->values);
    if (op_is_empty(sums->to->tensor)) return;
    const struct k_moe_sum k = {
        .rows = map->tokens,
        .picks = map->picks,
        .columns = map->columns,
        .sources = map->places,
        .x = op_k_dtype(sums->x->tensor),
        .to = op_k_dtype(sums->to->tensor),
        .scale = sums->scale_type,
        .has_scale = sums->scale >= 0,
        .may_drop = true,
        .is_listed = map->is_padded,
    };
    const int x = op_moe_source(call, sums->x, -1), places = sums->places;
    const int scale = sums->scale >= 0 ? sums->scale : x;
    const int ends = sums->ends >= 0 ? sums->ends : places;
    const struct op_place to = op_dense_target(call, argument);
    ex_step_with_faults(call->plan, "moe_sum", k_best()->moe_sum, &k, sizeof k, k_moe_sum_plan(&k),
                        EX_BUFFERS(x, places, x, x, x, scale, places, ends, to.buffer),
                        op_moe_describe_sum);
    op_deliver(call, &to, argument);
}
