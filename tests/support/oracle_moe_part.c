/* SPDX-License-Identifier: Apache-2.0 */
/* Mixtures of experts of which a part is here, and gradients of aclnnMoeFinalizeRoutingV2. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

enum { MOST = 512 };

struct part {
    int64_t begin, end;
    bool is_given;
};

/* The range of a call, or all `count` places: the array of that name, which may stand behind
 * another. */
static struct part part_of(const struct rig_problem *problem, int64_t count)
{
    const char *const *names = problem->op->array;
    for (int i = 0; names && names[i]; i++)
        if (strcmp(names[i], "rangeOptional") == 0 && !problem->call.array[i].is_null)
            return (struct part){problem->call.array[i].values[0], problem->call.array[i].values[1],
                                 true};
    return (struct part){0, count, false};
}

static bool is_in(struct part part, int64_t place)
{
    return place >= part.begin && place < part.end;
}

/* ---- aclnnMoeTokenPermuteWithEp ---- */

static void permute(struct rig_problem *problem)
{
    const int probs = norm_operand(problem, "probsOptional"), to = 3, to_places = 4, to_probs = 5;
    const int64_t count = problem->tensor[1].count, columns = problem->tensor[0].view.dims[1];
    const int64_t picks = count / problem->tensor[0].view.dims[0];
    const struct part part = part_of(problem, problem->tensor[to].view.dims[0]);
    const enum case_dtype dtype = problem->tensor[to].view.dtype;
    for (int64_t i = 0; i < count; i++) {
        const int64_t own = oracle_whole_value(problem, 1, i);
        int64_t number = 0; /* how many come before it */
        for (int64_t j = 0; j < count; j++) {
            const int64_t other = oracle_whole_value(problem, 1, j);
            number += other < own || (other == own && j < i);
        }
        oracle_whole(problem, to_places, i, CASE_I32, number);
        if (!is_in(part, number)) continue;
        for (int64_t j = 0; j < columns; j++)
            oracle_real(problem, to, (number - part.begin) * columns + j, dtype,
                        oracle_value(problem, 0, i / picks * columns + j));
        if (probs >= 0 && part.is_given)
            oracle_real(problem, to_probs, number - part.begin, problem->tensor[probs].view.dtype,
                        oracle_value(problem, probs, i));
    }
}

/* ---- sums ---- */

static void sum(struct rig_problem *problem)
{
    const bool is_grad = strstr(problem->op->name, "Grad") != NULL;
    const int probs = is_grad ? -1 : norm_operand(problem, "probsOptional");
    const int to = norm_one_of(problem, "out tokenGradOut");
    const int from_probs = norm_operand(problem, "permutedProbsOutputGradOptional");
    const int to_probs = norm_operand(problem, "probsGradOut");
    const int64_t rows = problem->tensor[to].view.dims[0],
                  columns = problem->tensor[to].view.dims[1];
    const int64_t count = problem->tensor[1].count, picks = count / rows;
    const int64_t here = problem->tensor[0].view.dims[0];
    const struct part part = part_of(problem, count);
    for (int64_t at = 0; at < rows * columns; at++) {
        double value = 0, size = 0;
        for (int64_t j = 0; j < picks; j++) {
            const int64_t p = at / columns * picks + j;
            const int64_t place = oracle_whole_value(problem, 1, p), row = place - part.begin;
            if (!is_in(part, place) || row >= here) continue;
            const double term = norm_value(problem, probs, p, 1) *
                                oracle_value(problem, 0, row * columns + at % columns);
            value += term;
            size += fabs(term);
        }
        norm_put_single(problem, to, at, value, size, (double)picks + 4);
    }
    for (int64_t p = 0; p < count && from_probs >= 0 && part.is_given; p++) {
        const int64_t place = oracle_whole_value(problem, 1, p);
        norm_put_single(
            problem, to_probs, p,
            is_in(part, place) ? oracle_value(problem, from_probs, place - part.begin) : 0, 0, 1);
    }
}

/* ---- gradients ---- */

static void grad(struct rig_problem *problem)
{
    const int places = 1, x = norm_one_of(problem, "permutedTokensOptional expandedXOptional");
    const int scale = norm_one_of(problem, "probsOptional scalesOptional");
    const int bias = norm_operand(problem, "biasOptional");
    const int expert = norm_operand(problem, "expertIdxOptional");
    const int to = norm_one_of(problem, "permutedTokensGradOut gradExpandedXOut");
    const int to_scale = norm_one_of(problem, "probsGradOut gradScalesOut");
    const int64_t rows = problem->tensor[0].view.dims[0], columns = problem->tensor[0].view.dims[1];
    const int64_t count = problem->tensor[places].count, picks = count / rows;
    const int64_t slots = problem->tensor[to].count / columns;
    const struct part part = part_of(problem, slots);
    for (int64_t i = 0; i < problem->tensor[to].count; i++)
        norm_put_single(problem, to, i, 0, 0, 1);
    for (int64_t p = 0; p < count; p++) {
        const int64_t place = oracle_whole_value(problem, places, p), row = place - part.begin;
        const bool is_here = is_in(part, place) && row < slots;
        double value = 0, size = 0;
        for (int64_t j = 0; j < columns; j++) {
            const double gradient = oracle_value(problem, 0, p / picks * columns + j);
            const double made = gradient * norm_value(problem, scale, p, 1);
            if (is_here) norm_put_single(problem, to, row * columns + j, made, fabs(made), 1);
            if (scale < 0) continue;
            const double own = is_here ? oracle_value(problem, x, row * columns + j) : 0;
            const double more =
                bias < 0 ? 0
                         : oracle_value(problem, bias,
                                        oracle_whole_value(problem, expert, p) * columns + j);
            value += gradient * (own + more);
            size += fabs(gradient) * (fabs(own) + fabs(more));
        }
        if (scale >= 0) norm_put_single(problem, to_scale, p, value, size, (double)columns + 3);
    }
}

/* ---- random problems ---- */

/* Places in any order, each once, some -1 where slots may be missing; experts that are there. */
static void fill(struct rig_problem *problem, struct random *random)
{
    struct rig_tensor *places = &problem->tensor[1];
    const int expert = norm_operand(problem, "expertIdxOptional");
    const int bias = norm_operand(problem, "biasOptional");
    const bool drops = norm_integer(problem, "dropPadMode", 0) == 1;
    const int64_t slots =
        drops ? norm_integer(problem, "expertNum", 1) * norm_integer(problem, "expertCapacity", 1)
              : places->count;
    int64_t free[MOST];
    for (int64_t i = 0; i < slots; i++) {
        const int64_t other = random_below(random, i + 1);
        free[i] = free[other];
        free[other] = i;
    }
    for (int64_t i = 0; i < places->count; i++) {
        const bool is_there = i < slots && !(drops && random_once_in(random, 4));
        places->bits[i] = oracle_cast_whole(CASE_I32, is_there ? free[i] : -1);
    }
    const int64_t experts = bias < 0 ? 5 : problem->tensor[bias].view.dims[0];
    for (int64_t i = 0; expert >= 0 && i < problem->tensor[expert].count; i++)
        problem->tensor[expert].bits[i] = (uint64_t)random_below(random, experts);
}

/* Numbers of experts. */
static void fill_indices(struct rig_problem *problem, struct random *random)
{
    struct rig_tensor *experts = &problem->tensor[1];
    for (int64_t i = 0; i < experts->count; i++)
        experts->bits[i] = oracle_cast_whole(experts->view.dtype, random_below(random, 7));
}

struct sizes {
    int64_t rows, columns, picks, count, begin, end;
    bool has_range;
};

static struct sizes sizes_of(struct random *random)
{
    struct sizes s = {.rows = random_between(random, 1, 9),
                      .columns = random_between(random, 1, 40),
                      .picks = random_between(random, 1, 4),
                      .has_range = random_once_in(random, 4) ? false : true};
    s.end = s.count = s.rows * s.picks;
    if (!s.has_range) return s;
    s.begin = random_below(random, s.count);
    s.end = random_between(random, s.begin + 1, s.count);
    return s;
}

static void add_range(struct test_case *test, const struct sizes *s)
{
    if (s->has_range)
        random_ints(test, "rangeOptional", (const int64_t[]){s->begin, s->end}, 2);
    else
        case_add(test, "rangeOptional", CASE_ALONE)->is_null = true;
}

static struct test_case random_permute(const struct rig_operator *op, struct random *random,
                                       enum case_dtype dtype)
{
    const enum case_dtype own = norm_some_single(op, random, dtype);
    const enum case_dtype of_probs = norm_some_single(op, random, dtype);
    struct test_case test = norm_start(op, random, own);
    struct sizes s = sizes_of(random);
    const bool is_flat = random_once_in(random, 3), has_probs = random_once_in(random, 2);
    if (is_flat) {
        s.rows = s.count;
        s.picks = 1;
    }
    const int64_t x[] = {s.rows, s.columns}, indices[] = {s.rows, s.picks};
    const int64_t to[] = {s.end - s.begin, s.columns};
    random_tensor(&test, random, "tokens", own, x, 2, false);
    random_tensor(&test, random, "indices", random_once_in(random, 2) ? CASE_I64 : CASE_I32,
                  indices, is_flat ? 1 : 2, false);
    norm_optional(&test, random, "probsOptional", of_probs, indices, is_flat ? 1 : 2, false,
                  has_probs);
    add_range(&test, &s);
    random_number(&test, "numOutTokens", s.has_range ? (double)random_between(random, -3, 3) : 0);
    random_number(&test, "paddedMode", 0);
    random_tensor(&test, random, "permuteTokensOut", own, to, 2, true);
    random_tensor(&test, random, "sortedIndicesOut", CASE_I32, &s.count, 1, true);
    norm_optional(&test, random, "permuteProbsOut", of_probs, to, 1, true,
                  has_probs && s.has_range);
    return test;
}

static struct test_case random_permute_grad(const struct rig_operator *op, struct random *random,
                                            enum case_dtype dtype)
{
    const enum case_dtype own = norm_some_single(op, random, dtype);
    const enum case_dtype of_probs = norm_some_single(op, random, dtype);
    struct test_case test = norm_start(op, random, own);
    const struct sizes s = sizes_of(random);
    const bool has_probs = random_once_in(random, 2);
    const int64_t here = s.end - s.begin + random_below(random, 3);
    const int64_t x[] = {here, s.columns}, to[] = {s.rows, s.columns}, each[] = {s.rows, s.picks};
    random_tensor(&test, random, "permutedTokensOutputGrad", own, x, 2, false);
    random_tensor(&test, random, "sortedIndices", CASE_I32, &s.count, 1, false);
    norm_optional(&test, random, "permutedProbsOutputGradOptional", of_probs, &here, 1, false,
                  has_probs);
    random_number(&test, "numTopk", (double)s.picks);
    add_range(&test, &s);
    random_number(&test, "paddedMode", 0);
    random_tensor(&test, random, "tokenGradOut", own, to, 2, true);
    norm_optional(&test, random, "probsGradOut", of_probs, each, 2, true, has_probs && s.has_range);
    return test;
}

static struct test_case random_unpermute(const struct rig_operator *op, struct random *random,
                                         enum case_dtype dtype)
{
    const enum case_dtype own = norm_some_single(op, random, dtype);
    const enum case_dtype of_probs = norm_some_single(op, random, dtype);
    struct test_case test = norm_start(op, random, own);
    struct sizes s = sizes_of(random);
    const bool has_probs = random_once_in(random, 2);
    if (!has_probs && !s.has_range) {
        s.rows = s.count;
        s.picks = 1;
    }
    const int64_t here = s.end - s.begin + random_below(random, 3);
    const int64_t x[] = {here, s.columns}, to[] = {s.rows, s.columns}, each[] = {s.rows, s.picks};
    random_tensor(&test, random, "permutedTokens", own, x, 2, false);
    random_tensor(&test, random, "sortedIndices", CASE_I32, &s.count, 1, false);
    norm_optional(&test, random, "probsOptional", of_probs, each, 2, false, has_probs);
    random_number(&test, "numTopk", has_probs || !s.has_range ? 9 : (double)s.picks);
    add_range(&test, &s);
    random_number(&test, "paddedMode", 0);
    case_add(&test, "restoreShapeOptional", CASE_ALONE)->is_null = true;
    random_tensor(&test, random, "out", own, to, 2, true);
    return test;
}

static struct test_case random_unpermute_grad(const struct rig_operator *op, struct random *random,
                                              enum case_dtype dtype)
{
    const enum case_dtype own = norm_some_single(op, random, dtype);
    const enum case_dtype of_probs = norm_some_single(op, random, dtype);
    struct test_case test = norm_start(op, random, own);
    const struct sizes s = sizes_of(random);
    const bool has_probs = random_once_in(random, 2);
    const int64_t here = s.end - s.begin + (s.has_range ? random_below(random, 3) : 0);
    const int64_t x[] = {s.rows, s.columns}, to[] = {here, s.columns}, each[] = {s.rows, s.picks};
    random_tensor(&test, random, "unpermutedTokensGrad", own, x, 2, false);
    random_tensor(&test, random, "sortedIndices", CASE_I32, &s.count, 1, false);
    norm_optional(&test, random, "permutedTokensOptional", own, to, 2, false, has_probs);
    norm_optional(&test, random, "probsOptional", of_probs, each, 2, false, has_probs);
    random_number(&test, "paddedMode", 0);
    case_add(&test, "restoreShapeOptional", CASE_ALONE)->is_null = true;
    add_range(&test, &s);
    random_number(&test, "topkNum", has_probs ? 9 : (double)s.picks);
    random_tensor(&test, random, "permutedTokensGradOut", own, to, 2, true);
    norm_optional(&test, random, "probsGradOut", of_probs, each, 2, true, has_probs);
    return test;
}

static struct test_case random_finalize_grad(const struct rig_operator *op, struct random *random,
                                             enum case_dtype dtype)
{
    const enum case_dtype own = norm_some_single(op, random, dtype);
    const enum case_dtype of_scale = norm_some_single(op, random, dtype);
    struct test_case test = norm_start(op, random, own);
    struct sizes s = sizes_of(random);
    const bool has_scale = random_once_in(random, 3) ? false : true,
               drops = random_once_in(random, 2);
    const bool has_bias = has_scale && random_once_in(random, 2);
    if (!has_scale) s.picks = 1;
    s.count = s.rows * s.picks;
    const int64_t active = random_below(random, s.count + 2);
    const int64_t experts = random_between(random, 1, 4), capacity = random_between(random, 1, 5);
    const int64_t rows = active > 0 && active < s.count ? active : s.count;
    const int64_t flat[] = {rows, s.columns}, slots[] = {experts, capacity, s.columns};
    const int64_t x[] = {s.rows, s.columns}, each[] = {s.rows, s.picks};
    const int64_t bias[] = {experts, s.columns}, *to = drops ? slots : flat;
    random_tensor(&test, random, "gradY", own, x, 2, false);
    random_tensor(&test, random, "expandedRowIdx", CASE_I32, &s.count, 1, false);
    norm_optional(&test, random, "expandedXOptional", own, to, drops ? 3 : 2, false, has_scale);
    norm_optional(&test, random, "scalesOptional", of_scale, each, 2, false, has_scale);
    norm_optional(&test, random, "expertIdxOptional", CASE_I32, each, 2, false, has_bias);
    norm_optional(&test, random, "biasOptional", own, bias, 2, false, has_bias);
    random_number(&test, "dropPadMode", drops);
    random_number(&test, "activeNum", (double)active);
    random_number(&test, "expertNum", (double)experts);
    random_number(&test, "expertCapacity", (double)capacity);
    random_tensor(&test, random, "gradExpandedXOut", own, to, drops ? 3 : 2, true);
    norm_optional(&test, random, "gradScalesOut", of_scale, each, 2, true, has_scale);
    return test;
}

const struct oracle_row oracle_moe_part_rows[] = {
    {.name = "aclnnMoeTokenPermuteWithEp",
     .oracle = permute,
     .random = random_permute,
     .fill = fill_indices},
    {.name = "aclnnMoeTokenPermuteWithEpGrad",
     .oracle = sum,
     .random = random_permute_grad,
     .fill = fill,
     .ulp = 1},
    {.name = "aclnnMoeTokenUnpermuteWithEp",
     .oracle = sum,
     .random = random_unpermute,
     .fill = fill,
     .ulp = 1},
    {.name = "aclnnMoeTokenUnpermuteWithEpGrad",
     .oracle = grad,
     .random = random_unpermute_grad,
     .fill = fill,
     .ulp = 1},
    {.name = "aclnnMoeFinalizeRoutingV2Grad",
     .oracle = grad,
     .random = random_finalize_grad,
     .fill = fill,
     .ulp = 1},
    {.name = NULL},
};
