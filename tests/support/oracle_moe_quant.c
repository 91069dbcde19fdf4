/* SPDX-License-Identifier: Apache-2.0 */
/* Mixtures of experts: tokens in the order of experts that are here, as they are or as INT8. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

enum { MOST = 512 };

/* What a call says. */
struct route {
    int experts, places, scale, offset, to, to_places, to_experts, to_scale, counts, before;
    int64_t rows, columns, picks, number, capacity, begin, end, mode;
    bool is_third, drops, is_scattered;
};

static struct route route_of(const struct rig_problem *problem)
{
    const char *name = problem->op->name;
    struct route r = {
        .experts = norm_operand(problem, "expertIdx"),
        .places = norm_operand(problem, "rowIdx"),
        .scale = norm_operand(problem, "scaleOptional"),
        .offset = norm_operand(problem, "offsetOptional"),
        .to = norm_operand(problem, "expandedXOut"),
        .to_places = norm_operand(problem, "expandedRowIdxOut"),
        .to_experts = norm_operand(problem, "expandedExpertIdxOut"),
        .to_scale = norm_one_of(problem, "expandedScaleOut dynamicQuantScaleOutOptional"),
        .counts = norm_one_of(problem, "expertTokensCountOrCumsumOut "
                                       "expertTokensCountOrCumsumOutOptional"),
        .before = norm_operand(problem, "expertTokensBeforeCapacityOutOptional"),
        .number = norm_integer(problem, "expertNum", 0),
        .mode = norm_integer(problem, "quantMode", 0),
        .is_third = strstr(name, "V3") != NULL,
        .drops = norm_integer(problem, "dropPadMode", 0) == 1,
        .is_scattered = norm_integer(problem, "rowIdxType", 0) == 1,
    };
    const struct operand *x = &problem->tensor[0].view;
    r.rows = x->dims[0];
    r.columns = x->dims[1];
    r.picks = problem->tensor[r.experts].view.dims[1];
    r.capacity = norm_integer(problem, "expertCapacity", 0);
    r.end = r.number;
    if (r.is_third && !problem->call.array[0].is_null) {
        r.begin = problem->call.array[0].values[0];
        r.end = problem->call.array[0].values[1];
    }
    return r;
}

static bool is_here(const struct route *r, int64_t expert)
{
    return !r->is_third || (expert >= r->begin && expert < r->end);
}

struct entry {
    int64_t expert, position;
};

static int compare(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->expert != y->expert) return x->expert < y->expert ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

static int64_t sort_here(const struct rig_problem *problem, const struct route *r,
                         struct entry *sorted)
{
    int64_t count = 0;
    for (int64_t i = 0; i < r->rows * r->picks; i++) {
        const int64_t expert = oracle_whole_value(problem, r->experts, i);
        if (is_here(r, expert)) sorted[count++] = (struct entry){expert, i};
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    return count;
}

/* ---- rows ---- */

static int64_t whole(float value)
{
    const float made = rintf(value);
    return isnan(value) ? 0 : made < -128 ? -128 : made > 127 ? 127 : (int64_t)made;
}

static void put_row(struct rig_problem *problem, const struct route *r, int64_t slot, int64_t token,
                    int64_t expert)
{
    const int smooth = r->mode == 1 ? r->scale : -1;
    const bool is_one = smooth >= 0 && problem->tensor[smooth].view.dims[0] == 1;
    float most = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t j = 0; j < r->columns; j++) {
            const int64_t at = slot * r->columns + j, from = token * r->columns + j;
            const enum case_dtype dtype = problem->tensor[r->to].view.dtype;
            float value = token < 0 ? 0 : (float)oracle_value(problem, 0, from);
            if (r->mode < 0 && pass == 1) {
                oracle_real(problem, r->to, at, dtype,
                            token < 0 ? 0 : oracle_value(problem, 0, from));
                continue;
            }
            if (smooth >= 0 && token >= 0)
                value *= (float)oracle_value(problem, smooth,
                                             (is_one ? 0 : expert - r->begin) * r->columns + j);
            most = isnan(value) || isnan(most) ? NAN : fmaxf(most, fabsf(value));
            if (pass == 0) continue;
            if (r->mode == 1) value /= most / 127;
            if (r->mode == 0) {
                const bool is_given = r->scale >= 0;
                value *= is_given ? (float)oracle_value(problem, r->scale, 0)
                                  : (float)norm_real(problem, "scale", 1);
                value += is_given ? (float)oracle_value(problem, r->offset, 0)
                                  : (float)norm_real(problem, "offset", 0);
            }
            oracle_whole(problem, r->to, at, CASE_I8, token < 0 ? 0 : whole(value));
        }
    if (r->to_scale < 0) return;
    const double beside = r->mode == 1 ? (double)(most / 127)
                                       : (token < 0 ? 0 : oracle_value(problem, r->scale, token));
    oracle_real(problem, r->to_scale, slot, CASE_F32, beside);
}

/* ---- counts ---- */

static void put_counts(struct rig_problem *problem, const struct route *r,
                       const struct entry *sorted, int64_t count)
{
    const int64_t kind = r->is_third ? norm_integer(problem, "expertTokensNumType", 0)
                                     : norm_integer(problem, "expertTokensCountOrCumsumFlag", 0);
    const bool is_running = kind == (r->is_third ? 0 : 1);
    int64_t pairs = 0;
    for (int64_t e = r->begin; e < r->end; e++) {
        int64_t own = 0, upto = 0;
        for (int64_t i = 0; i < count; i++) {
            own += sorted[i].expert == e;
            upto += sorted[i].expert <= e;
        }
        if (r->before >= 0) oracle_whole(problem, r->before, e, CASE_I32, own);
        if (r->counts < 0) continue;
        const enum case_dtype dtype = problem->tensor[r->counts].view.dtype;
        if (!r->is_third || kind < 2) {
            oracle_whole(problem, r->counts, e - r->begin, dtype, is_running ? upto : own);
        } else if (own > 0) {
            oracle_whole(problem, r->counts, 2 * pairs, dtype, e);
            oracle_whole(problem, r->counts, 2 * pairs++ + 1, dtype, own);
        }
    }
    for (int64_t i = 2 * pairs; r->counts >= 0 && r->is_third && kind == 2 && i < 2 * r->number;
         i++)
        oracle_whole(problem, r->counts, i, CASE_I64, 0);
}

static void route(struct rig_problem *problem)
{
    const struct route r = route_of(problem);
    struct entry sorted[MOST];
    int64_t token[MOST], expert[MOST];
    const int64_t slots = problem->tensor[r.to].count / r.columns;
    const int64_t count = sort_here(problem, &r, sorted);
    for (int64_t i = 0; i < MOST; i++)
        token[i] = expert[i] = -1;
    for (int64_t i = 0; i < r.rows * r.picks; i++)
        oracle_whole(problem, r.to_places, i, CASE_I32, -1);
    for (int64_t i = 0, used = 0; i < count; i++) {
        used = i > 0 && sorted[i].expert == sorted[i - 1].expert ? used + 1 : 0;
        if (r.drops && used >= r.capacity) continue;
        const int64_t slot = r.drops ? sorted[i].expert * r.capacity + used : i;
        const int64_t place = r.places < 0
                                  ? sorted[i].position
                                  : oracle_whole_value(problem, r.places, sorted[i].position);
        oracle_whole(problem, r.to_places, r.is_scattered ? i : place, CASE_I32,
                     r.is_scattered ? place : slot);
        if (r.to_experts >= 0) oracle_whole(problem, r.to_experts, i, CASE_I32, sorted[i].expert);
        token[slot] = r.places < 0 ? place / r.picks : place % r.rows;
        expert[slot] = sorted[i].expert;
    }
    for (int64_t slot = 0; slot < slots; slot++)
        put_row(problem, &r, slot, token[slot], expert[slot]);
    put_counts(problem, &r, sorted, count);
}

/* ---- random problems ---- */

/* Numbers of experts; rows in any order, each once. */
static void fill(struct rig_problem *problem, struct random *random)
{
    struct rig_tensor *experts = &problem->tensor[norm_operand(problem, "expertIdx")];
    const int places = norm_operand(problem, "rowIdx");
    const int64_t most = norm_integer(problem, "expertNum", 7);
    for (int64_t i = 0; i < experts->count; i++)
        experts->bits[i] = (uint64_t)random_below(random, most);
    for (int64_t i = 0; places >= 0 && i < experts->count; i++) {
        const int64_t other = random_below(random, i + 1);
        problem->tensor[places].bits[i] = problem->tensor[places].bits[other];
        problem->tensor[places].bits[other] = (uint64_t)i;
    }
}

/* Extents of a problem. */
struct sizes {
    int64_t x[CASE_RANK], experts[CASE_RANK], to[CASE_RANK];
    int64_t count, number, capacity, active;
    bool drops;
};

static struct sizes sizes_of(struct random *random, bool may_drop)
{
    struct sizes s = {.number = random_between(random, 1, 6),
                      .capacity = random_between(random, 1, 5),
                      .drops = may_drop && random_once_in(random, 2)};
    s.x[0] = s.experts[0] = random_between(random, 1, 12);
    s.x[1] = random_between(random, 1, 9);
    s.experts[1] = random_between(random, 1, 4);
    s.count = s.x[0] * s.experts[1];
    s.active = random_once_in(random, 3) ? 0 : random_between(random, 1, s.count + 2);
    s.to[0] = s.active == 0 || s.active > s.count ? s.count : s.active;
    s.to[1] = s.x[1];
    if (s.drops) s.to[0] = s.number, s.to[1] = s.capacity, s.to[2] = s.x[1];
    return s;
}

static void add_scales(struct test_case *test, struct random *random, const struct sizes *s,
                       int64_t experts, int mode, bool has_scale)
{
    int64_t dims[CASE_RANK] = {mode < 0 ? s->x[0] : 1, s->x[1]};
    if (mode == 1 && random_once_in(random, 2)) dims[0] = experts;
    norm_optional(test, random, "scaleOptional", CASE_F32, dims, mode == 1 ? 2 : 1, false,
                  mode == 0 || has_scale);
    norm_optional(test, random, "offsetOptional", CASE_F32, (const int64_t[]){1}, 1, false,
                  mode == 0);
}

static struct test_case random_third(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    const int mode = (int)random_below(random, dtype == CASE_I8 ? 1 : 3) - 1;
    const enum case_dtype own = dtype == CASE_I8 ? CASE_I8 : norm_some_single(op, random, dtype);
    struct test_case test = norm_start(op, random, own);
    const struct sizes s = sizes_of(random, true);
    const bool has_range = random_once_in(random, 2), counts = random_once_in(random, 2);
    const int64_t begin = s.drops || !has_range ? 0 : random_below(random, s.number);
    const int64_t end =
        s.drops || !has_range ? s.number : random_between(random, begin + 1, s.number);
    const int64_t kind = s.drops ? 1 : random_below(random, 3);
    const bool has_scale = random_once_in(random, 2);
    const int64_t slots = s.drops ? s.number * s.capacity : s.to[0];
    random_tensor(&test, random, "x", own, s.x, 2, false);
    random_tensor(&test, random, "expertIdx", CASE_I32, s.experts, 2, false);
    add_scales(&test, random, &s, end - begin, mode, has_scale);
    random_number(&test, "activeNum", (double)s.active);
    random_number(&test, "expertCapacity", (double)(s.drops ? s.capacity : 0));
    random_number(&test, "expertNum", (double)s.number);
    random_number(&test, "dropPadMode", s.drops);
    random_number(&test, "expertTokensNumType", (double)kind);
    random_number(&test, "expertTokensNumFlag", counts);
    random_number(&test, "quantMode", mode);
    if (has_range)
        random_ints(&test, "activeExpertRangeOptional", (const int64_t[]){begin, end}, 2);
    else
        case_add(&test, "activeExpertRangeOptional", CASE_ALONE)->is_null = true;
    random_number(&test, "rowIdxType", s.drops ? 0 : (double)random_below(random, 2));
    random_tensor(&test, random, "expandedXOut", mode < 0 ? own : CASE_I8, s.to, s.drops ? 3 : 2,
                  true);
    random_tensor(&test, random, "expandedRowIdxOut", CASE_I32, &s.count, 1, true);
    norm_optional(&test, random, "expertTokensCountOrCumsumOut", CASE_I64,
                  kind == 2 ? (const int64_t[]){s.number, 2} : (const int64_t[]){end - begin},
                  kind == 2 ? 2 : 1, true, counts);
    norm_optional(&test, random, "expandedScaleOut", CASE_F32, &slots, 1, true,
                  mode == 1 || (mode < 0 && has_scale));
    return test;
}

static struct test_case random_first(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    const enum case_dtype own = norm_some_single(op, random, dtype);
    struct test_case test = norm_start(op, random, own);
    struct sizes s = sizes_of(random, false);
    s.to[0] = (s.active < s.x[0] ? s.active : s.x[0]) * s.experts[1];
    random_tensor(&test, random, "x", own, s.x, 2, false);
    random_tensor(&test, random, "rowIdx", CASE_I32, s.experts, 2, false);
    random_tensor(&test, random, "expertIdx", CASE_I32, s.experts, 2, false);
    random_number(&test, "activeNum", (double)s.active);
    random_number(&test, "scale", 2.75);
    random_number(&test, "offset", (double)random_between(random, -3, 3) / 4);
    random_tensor(&test, random, "expandedXOut", CASE_I8, s.to, 2, true);
    random_tensor(&test, random, "expandedRowIdxOut", CASE_I32, &s.count, 1, true);
    random_tensor(&test, random, "expandedExpertIdxOut", CASE_I32, &s.count, 1, true);
    return test;
}

static struct test_case random_second(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    const int mode = (int)random_below(random, 2);
    const enum case_dtype own = norm_some_single(op, random, dtype);
    struct test_case test = norm_start(op, random, own);
    const struct sizes s = sizes_of(random, true);
    const int64_t kind = s.drops ? 0 : random_below(random, 3);
    const int64_t slots = s.drops ? s.number * s.capacity : s.to[0];
    random_tensor(&test, random, "x", own, s.x, 2, false);
    random_tensor(&test, random, "expertIdx", CASE_I32, s.experts, 2, false);
    add_scales(&test, random, &s, s.number, mode, random_once_in(random, 2));
    random_number(&test, "activeNum", (double)s.active);
    random_number(&test, "expertCapacity", (double)(s.drops ? s.capacity : 0));
    random_number(&test, "expertNum", (double)s.number);
    random_number(&test, "dropPadMode", s.drops);
    random_number(&test, "expertTokensCountOrCumsumFlag", (double)kind);
    random_number(&test, "expertTokensBeforeCapacityFlag", s.drops);
    random_number(&test, "quantMode", mode);
    random_tensor(&test, random, "expandedXOut", CASE_I8, s.to, s.drops ? 3 : 2, true);
    random_tensor(&test, random, "expandedRowIdxOut", CASE_I32, &s.count, 1, true);
    norm_optional(&test, random, "expertTokensCountOrCumsumOutOptional", CASE_I32, &s.number, 1,
                  true, kind > 0);
    norm_optional(&test, random, "expertTokensBeforeCapacityOutOptional", CASE_I32, &s.number, 1,
                  true, s.drops);
    norm_optional(&test, random, "dynamicQuantScaleOutOptional", CASE_F32, &slots, 1, true,
                  mode == 1);
    return test;
}

const struct oracle_row oracle_moe_quant_rows[] = {
    {.name = "aclnnMoeInitRoutingV3", .oracle = route, .random = random_third, .fill = fill},
    {.name = "aclnnMoeInitRoutingQuant", .oracle = route, .random = random_first, .fill = fill},
    {.name = "aclnnMoeInitRoutingQuantV2", .oracle = route, .random = random_second, .fill = fill},
    {.name = NULL},
};
