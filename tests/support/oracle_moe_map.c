/* SPDX-License-Identifier: Apache-2.0 */
/* Mixtures of experts by a map: tokens to their experts and back, and the gradients. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

enum { MOST = 512 };

static bool goes(const struct rig_problem *problem, int map, int64_t token, int64_t expert)
{
    const int64_t experts = problem->tensor[map].view.dims[1];
    return oracle_whole_value(problem, map, token * experts + expert) != 0;
}

/* The j-th expert of a token, -1 where it has fewer. */
static int64_t expert_of(const struct rig_problem *problem, int map, int64_t token, int64_t j)
{
    for (int64_t e = 0; e < problem->tensor[map].view.dims[1]; e++)
        if (goes(problem, map, token, e) && j-- == 0) return e;
    return -1;
}

/* How many (token, expert) of the map come before one, expert by expert. */
static int64_t row_of(const struct rig_problem *problem, int map, int64_t token, int64_t expert)
{
    int64_t row = 0;
    for (int64_t e = 0; e <= expert; e++)
        for (int64_t t = 0; t < problem->tensor[map].view.dims[0]; t++)
            row += (e < expert || t < token) && goes(problem, map, t, e);
    return row;
}

static bool is_padded(const struct rig_problem *problem)
{
    return norm_integer(problem, "dropAndPad", 0) + norm_integer(problem, "paddedMode", 0) != 0;
}

static void copy_row(struct rig_problem *problem, int from, int64_t source, int to, int64_t row,
                     int64_t columns)
{
    for (int64_t j = 0; j < columns; j++)
        oracle_real(problem, to, row * columns + j, problem->tensor[to].view.dtype,
                    source < 0 ? 0 : oracle_value(problem, from, source * columns + j));
}

/* The same of one element beside sums; 0 where source is -1. */
static void copy_one(struct rig_problem *problem, int from, int64_t source, int to, int64_t i)
{
    norm_put_single(problem, to, i, source < 0 ? 0 : oracle_value(problem, from, source), 0, 1);
}

/* ---- aclnnMoeTokenPermuteWithRoutingMap ---- */

/* The token in slot c of an expert: its own first, then others. */
static int64_t token_in_slot(const struct rig_problem *problem, int64_t expert, int64_t c)
{
    const int64_t tokens = problem->tensor[1].view.dims[0];
    for (int own = 1; own >= 0; own--)
        for (int64_t t = 0; t < tokens; t++)
            if (goes(problem, 1, t, expert) == own && c-- == 0) return t;
    return -1;
}

static void permute(struct rig_problem *problem)
{
    enum { TOKENS, MAP, PROBS, TO, TO_PROBS, TO_INDICES };
    const struct operand *map = &problem->tensor[MAP].view;
    const int64_t tokens = map->dims[0], experts = map->dims[1];
    const int64_t count = problem->tensor[TO_INDICES].count;
    const int64_t columns = problem->tensor[TOKENS].view.dims[1];
    const bool has_probs = !problem->call.is_null[PROBS], pads = is_padded(problem);
    for (int64_t r = 0; r < count; r++) {
        copy_row(problem, TOKENS, -1, TO, r, columns);
        if (has_probs) copy_row(problem, PROBS, -1, TO_PROBS, r, 1);
    }
    for (int64_t i = 0; i < count; i++) {
        const int64_t each = count / (pads ? experts : tokens);
        const int64_t e = pads ? i / each : expert_of(problem, MAP, i / each, i % each);
        const int64_t t = pads ? token_in_slot(problem, e, i % each) : i / each;
        const int64_t row = pads ? i : e < 0 ? -1 : row_of(problem, MAP, t, e);
        oracle_whole(problem, TO_INDICES, i, CASE_I32, pads ? t : row);
        if (row < 0) continue;
        copy_row(problem, TOKENS, t, TO, row, columns);
        if (has_probs) copy_row(problem, PROBS, t * experts + e, TO_PROBS, row, 1);
    }
}

/* The sum of the rows of `from` that a list names, each times a number. */
struct sum {
    double value, size, terms;
};

static void add(struct sum *sum, double value)
{
    sum->value += value;
    sum->size += fabs(value);
    sum->terms++;
}

static void permute_grad(struct rig_problem *problem)
{
    enum { GRADIENT, PROBS, INDICES, MAP, TO, TO_PROBS };
    const int64_t tokens = norm_integer(problem, "tokensNum", 0);
    const int64_t experts = norm_integer(problem, "numExperts", 0);
    const int64_t count = problem->tensor[INDICES].count;
    const int64_t columns = problem->tensor[GRADIENT].view.dims[1];
    const bool pads = is_padded(problem);
    const int64_t each = count / (pads ? experts : tokens);
    for (int64_t at = 0; at < tokens * columns; at++) {
        struct sum sum = {0};
        for (int64_t i = 0; i < count; i++) {
            const int64_t index = oracle_whole_value(problem, INDICES, i);
            const int64_t token = pads ? index : i / each, row = pads ? i : index;
            if (token == at / columns && row >= 0)
                add(&sum, oracle_value(problem, GRADIENT, row * columns + at % columns));
        }
        norm_put_single(problem, TO, at, sum.value, sum.size, sum.terms + 2);
    }
    if (problem->call.is_null[PROBS]) return;
    for (int64_t i = 0; i < tokens * experts; i++)
        copy_one(problem, PROBS, -1, TO_PROBS, i);
    for (int64_t r = 0; r < count && pads; r++) {
        const int64_t token = oracle_whole_value(problem, INDICES, r);
        copy_one(problem, PROBS, r, TO_PROBS, token * experts + r / each);
    }
    for (int64_t i = 0; i < tokens * experts && !pads; i++)
        if (goes(problem, MAP, i / experts, i % experts))
            copy_one(problem, PROBS, row_of(problem, MAP, i / experts, i % experts), TO_PROBS, i);
}

/* ---- aclnnMoeTokenUnpermuteWithRoutingMap ---- */

/* The token and the element of probs of place i; an element of -1: there is none. */
struct place {
    int64_t token, element;
};

static struct place place_of(const struct rig_problem *problem, int map, int64_t i, int64_t each,
                             int64_t experts, int64_t slot, int64_t token)
{
    if (is_padded(problem)) return (struct place){token, token * experts + slot / each};
    const int64_t own = i / each, e = map < 0 ? -1 : expert_of(problem, map, own, i % each);
    return (struct place){own, e < 0 ? -1 : own * experts + e};
}

static void unpermute(struct rig_problem *problem)
{
    enum { TOKENS, INDICES, MAP, PROBS, TO, TO_INDEX, TO_TOKEN, TO_PROBS };
    const struct operand *y = &problem->tensor[TO].view;
    const bool pads = is_padded(problem), has_probs = !problem->call.is_null[PROBS];
    const int64_t tokens = y->dims[0], columns = y->dims[1], count = problem->tensor[INDICES].count;
    const int64_t experts = has_probs ? problem->tensor[PROBS].view.dims[1] : 1;
    const int64_t each = count / (pads ? experts : tokens);
    const int map = problem->call.is_null[MAP] ? -1 : MAP;
    struct place places[MOST];
    for (int64_t i = 0; i < count; i++) {
        const int64_t index = oracle_whole_value(problem, INDICES, i);
        places[i] = place_of(problem, map, i, each, experts, i, index);
        int64_t before = 0; /* how many come before it, sorted */
        for (int64_t j = 0; j < count; j++) {
            const int64_t other = oracle_whole_value(problem, INDICES, j);
            before += other < index || (other == index && j < i);
        }
        oracle_whole(problem, TO_INDEX, pads ? before : i, CASE_I32, pads ? i : index);
        oracle_whole(problem, TO_TOKEN, pads ? before : i, CASE_I32, pads ? index : i / each);
        if (has_probs) copy_one(problem, PROBS, places[i].element, TO_PROBS, i);
    }
    for (int64_t at = 0; at < tokens * columns; at++) {
        struct sum sum = {0};
        for (int64_t i = 0; i < count; i++) {
            const int64_t row = pads ? i : oracle_whole_value(problem, INDICES, i);
            if (places[i].token != at / columns || row < 0) continue;
            double by = 1;
            if (has_probs)
                by = places[i].element < 0 ? 0 : oracle_value(problem, PROBS, places[i].element);
            add(&sum, by * oracle_value(problem, TOKENS, row * columns + at % columns));
        }
        norm_put_single(problem, TO, at, sum.value, sum.size, sum.terms + 4);
    }
}

static void unpermute_grad(struct rig_problem *problem)
{
    enum { GRADIENT, INDEX, TOKEN, MAP, PERMUTED, PROBS, TO, TO_PROBS };
    const bool pads = is_padded(problem), has_probs = !problem->call.is_null[PROBS];
    const int64_t tokens = problem->tensor[GRADIENT].view.dims[0];
    const int64_t columns = problem->tensor[GRADIENT].view.dims[1];
    const int64_t count = problem->tensor[INDEX].count;
    const int64_t experts = has_probs ? problem->tensor[PROBS].view.dims[1] : 1;
    const int64_t each = count / (pads ? experts : tokens);
    const int map = problem->call.is_null[MAP] ? -1 : MAP;
    for (int64_t i = 0; i < count * columns; i++)
        norm_put_single(problem, TO, i, 0, 0, 1);
    for (int64_t i = 0; i < tokens * experts && has_probs; i++)
        norm_put_single(problem, TO_PROBS, i, 0, 0, 1);
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = oracle_whole_value(problem, INDEX, i);
        const int64_t token = oracle_whole_value(problem, TOKEN, i);
        const struct place place = place_of(problem, map, i, each, experts, row, token);
        double by = 1;
        if (has_probs) by = place.element < 0 ? 0 : oracle_value(problem, PROBS, place.element);
        struct sum sum = {0};
        for (int64_t j = 0; j < columns && row >= 0; j++) {
            const double gradient = oracle_value(problem, GRADIENT, token * columns + j);
            norm_put_single(problem, TO, row * columns + j, by * gradient, fabs(by * gradient), 1);
            if (has_probs) add(&sum, gradient * oracle_value(problem, PERMUTED, row * columns + j));
        }
        if (has_probs && place.element >= 0)
            norm_put_single(problem, TO_PROBS, place.element, sum.value, sum.size, sum.terms + 3);
    }
}

/* ---- random problems ---- */

/* A token goes to `most` experts at most; -1: to any. */
static void fill_map(struct rig_problem *problem, int map, int64_t most, struct random *random)
{
    struct rig_tensor *t = &problem->tensor[map];
    const int64_t experts = t->view.dims[1];
    for (int64_t i = 0; i < t->count; i++) {
        int64_t used = 0;
        for (int64_t e = i / experts * experts; e < i; e++)
            used += t->bits[e] != 0;
        const bool is_on = random_once_in(random, 2) && (most < 0 || used < most);
        t->bits[i] = oracle_cast_whole(t->view.dtype, is_on);
    }
}

/* 0 to count - 1 in any order. */
static void shuffle(int64_t *to, int64_t count, struct random *random)
{
    for (int64_t i = 0; i < count; i++) {
        const int64_t other = random_below(random, i + 1);
        to[i] = to[other];
        to[other] = i;
    }
}

static void fill_permute(struct rig_problem *problem, struct random *random)
{
    const int64_t tokens = problem->tensor[1].view.dims[0];
    fill_map(problem, 1, is_padded(problem) ? -1 : problem->tensor[5].count / tokens, random);
}

/* Of each expert some tokens, each once; or rows, each once, some of them -1. */
static void make_places(int64_t *to, int64_t count, int64_t tokens, int64_t capacity,
                        struct random *random)
{
    int64_t order[MOST];
    for (int64_t at = 0; capacity > 0 && at < count; at += capacity) {
        shuffle(order, tokens, random);
        for (int64_t c = 0; c < capacity; c++)
            to[at + c] = order[c];
    }
    if (capacity > 0) return;
    shuffle(to, count, random);
    for (int64_t i = 0; i < count; i++)
        if (random_once_in(random, 5)) to[i] = -1;
}

static void fill_grad(struct rig_problem *problem, struct random *random)
{
    const int64_t tokens = norm_integer(problem, "tokensNum", 1);
    const int64_t count = problem->tensor[2].count;
    const bool pads = is_padded(problem);
    int64_t places[MOST];
    make_places(places, count, tokens, pads ? count / norm_integer(problem, "numExperts", 1) : 0,
                random);
    for (int64_t i = 0; i < count; i++)
        problem->tensor[2].bits[i] = oracle_cast_whole(CASE_I32, places[i]);
    if (!problem->call.is_null[3]) fill_map(problem, 3, pads ? -1 : count / tokens, random);
}

static int64_t experts_of(const struct rig_problem *problem)
{
    const int probs = norm_operand(problem, "probsOptional");
    return probs < 0 ? 1 : problem->tensor[probs].view.dims[1];
}

static void fill_unpermute(struct rig_problem *problem, struct random *random)
{
    const int64_t tokens = problem->tensor[4].view.dims[0], count = problem->tensor[1].count;
    const bool pads = is_padded(problem);
    int64_t places[MOST];
    make_places(places, count, tokens,
                pads && experts_of(problem) > 1 ? count / experts_of(problem) : 0, random);
    for (int64_t i = 0; i < count; i++) {
        const bool is_any = pads && experts_of(problem) == 1;
        problem->tensor[1].bits[i] =
            oracle_cast_whole(CASE_I32, is_any ? random_below(random, tokens) : places[i]);
    }
    if (!problem->call.is_null[2]) fill_map(problem, 2, pads ? -1 : count / tokens, random);
}

static void fill_unpermute_grad(struct rig_problem *problem, struct random *random)
{
    const int64_t tokens = problem->tensor[0].view.dims[0], count = problem->tensor[1].count;
    const bool pads = is_padded(problem);
    const int64_t capacity = pads ? count / experts_of(problem) : 0;
    int64_t places[MOST];
    make_places(places, count, tokens, capacity <= tokens ? capacity : 0, random);
    for (int64_t i = 0, made = 0; i < tokens && pads; i++)
        for (int64_t r = 0; r < count; r++)
            if ((capacity <= tokens ? places[r] : r % tokens) == i) {
                problem->tensor[1].bits[made] = (uint64_t)r;
                problem->tensor[2].bits[made++] = (uint64_t)i;
            }
    for (int64_t i = 0; i < count && !pads; i++) {
        problem->tensor[1].bits[i] = oracle_cast_whole(CASE_I32, places[i]);
        problem->tensor[2].bits[i] = (uint64_t)(i / (count / tokens));
    }
    if (!problem->call.is_null[3]) fill_map(problem, 3, pads ? -1 : count / tokens, random);
}

struct sizes {
    int64_t tokens, experts, columns, count, each;
    bool pads, has_probs, has_map;
    enum case_dtype own, of_probs, of_map;
};

static struct sizes sizes_of(const struct rig_operator *op, struct random *random,
                             enum case_dtype dtype)
{
    struct sizes s = {.tokens = random_between(random, 1, 8),
                      .experts = random_between(random, 1, 5),
                      .columns = random_between(random, 1, 20),
                      .pads = random_once_in(random, 2),
                      .has_probs = random_once_in(random, 2),
                      .own = norm_some_single(op, random, dtype),
                      .of_probs = norm_some_single(op, random, dtype),
                      .of_map = random_once_in(random, 2) ? CASE_BOOL : CASE_I8};
    s.each = random_between(random, 1, s.pads ? s.tokens : s.experts);
    s.count = s.each * (s.pads ? s.experts : s.tokens);
    s.has_map = s.has_probs && (!s.pads || random_once_in(random, 2));
    return s;
}

/* A map is never broadcast: rows of it would have more experts than places. */
static struct test_case random_permute(const struct rig_operator *op, struct random *random,
                                       enum case_dtype dtype)
{
    const struct sizes s = sizes_of(op, random, dtype);
    struct test_case test = norm_start(op, random, s.own);
    const int64_t x[] = {s.tokens, s.columns}, map[] = {s.tokens, s.experts};
    const int64_t to[] = {s.count, s.columns}, spare = (s.pads ? s.experts : s.tokens) - 1;
    const int64_t most = s.tokens * s.experts - s.count;
    random_tensor(&test, random, "tokens", s.own, x, 2, false);
    random_tensor(&test, random, "routingMap", s.of_map, map, 2, true);
    norm_optional(&test, random, "probsOptional", s.of_probs, map, 2, false, s.has_probs);
    random_number(&test, "numOutTokens",
                  (double)(s.count + random_between(random, 0, spare < most ? spare : most)));
    random_number(&test, "dropAndPad", s.pads);
    random_tensor(&test, random, "permuteTokensOut", s.own, to, 2, true);
    norm_optional(&test, random, "permuteProbsOutOptional", s.of_probs, to, 1, true, s.has_probs);
    random_tensor(&test, random, "sortedIndicesOut", CASE_I32, to, 1, true);
    return test;
}

static struct test_case random_permute_grad(const struct rig_operator *op, struct random *random,
                                            enum case_dtype dtype)
{
    const struct sizes s = sizes_of(op, random, dtype);
    struct test_case test = norm_start(op, random, s.own);
    const int64_t x[] = {s.count, s.columns}, map[] = {s.tokens, s.experts};
    const int64_t to[] = {s.tokens, s.columns};
    random_tensor(&test, random, "permutedTokenOutputGrad", s.own, x, 2, false);
    norm_optional(&test, random, "permutedProbsOutputGradOptional", s.of_probs, x, 1, false,
                  s.has_probs);
    random_tensor(&test, random, "sortedIndices", CASE_I32, x, 1, false);
    norm_optional(&test, random, "routingMapOptional", s.of_map, map, 2, true, s.has_map);
    random_number(&test, "numExperts", (double)s.experts);
    random_number(&test, "tokensNum", (double)s.tokens);
    random_number(&test, "dropAndPad", s.pads);
    random_tensor(&test, random, "tokensGradOut", s.own, to, 2, true);
    norm_optional(&test, random, "probsGradOutOptional", s.of_probs, map, 2, true, s.has_probs);
    return test;
}

static void add_shape(struct test_case *test, struct random *random, const int64_t *shape)
{
    if (random_once_in(random, 2))
        random_ints(test, "restoreShapeOptional", shape, 2);
    else
        case_add(test, "restoreShapeOptional", CASE_ALONE)->is_null = true;
}

static struct test_case random_unpermute(const struct rig_operator *op, struct random *random,
                                         enum case_dtype dtype)
{
    const struct sizes s = sizes_of(op, random, dtype);
    struct test_case test = norm_start(op, random, s.own);
    const int64_t x[] = {s.count, s.columns}, map[] = {s.tokens, s.experts};
    const int64_t to[] = {s.tokens, s.columns};
    random_tensor(&test, random, "permutedTokens", s.own, x, 2, false);
    random_tensor(&test, random, "sortedIndices", CASE_I32, x, 1, false);
    norm_optional(&test, random, "routingMapOptional", s.of_map, map, 2, true, s.has_map);
    norm_optional(&test, random, "probsOptional", s.of_probs, map, 2, false, s.has_probs);
    random_number(&test, "paddedMode", s.pads);
    add_shape(&test, random, to);
    random_tensor(&test, random, "unpermutedTokens", s.own, to, 2, true);
    random_tensor(&test, random, "outIndex", CASE_I32, x, 1, true);
    random_tensor(&test, random, "permuteTokenId", CASE_I32, x, 1, true);
    norm_optional(&test, random, "permuteProbs", s.of_probs, x, 1, true, s.has_probs);
    return test;
}

static struct test_case random_unpermute_grad(const struct rig_operator *op, struct random *random,
                                              enum case_dtype dtype)
{
    const struct sizes s = sizes_of(op, random, dtype);
    struct test_case test = norm_start(op, random, s.own);
    const int64_t x[] = {s.count, s.columns}, map[] = {s.tokens, s.experts};
    const int64_t from[] = {s.tokens, s.columns};
    random_tensor(&test, random, "unpermutedTokensGrad", s.own, from, 2, false);
    random_tensor(&test, random, "outIndex", CASE_I32, x, 1, false);
    random_tensor(&test, random, "permuteTokenId", CASE_I32, x, 1, false);
    norm_optional(&test, random, "routingMapOptional", s.of_map, map, 2, true, s.has_map);
    norm_optional(&test, random, "permutedTokensOptional", s.own, x, 2, false, s.has_probs);
    norm_optional(&test, random, "probsOptional", s.of_probs, map, 2, false, s.has_probs);
    random_number(&test, "dropAndPad", s.pads);
    add_shape(&test, random, from);
    random_tensor(&test, random, "permutedTokensGradOut", s.own, x, 2, true);
    norm_optional(&test, random, "probsGradOutOptional", s.of_probs, map, 2, true, s.has_probs);
    return test;
}

const struct oracle_row oracle_moe_map_rows[] = {
    {.name = "aclnnMoeTokenPermuteWithRoutingMap",
     .oracle = permute,
     .random = random_permute,
     .fill = fill_permute},
    {.name = "aclnnMoeTokenPermuteWithRoutingMapGrad",
     .oracle = permute_grad,
     .random = random_permute_grad,
     .fill = fill_grad,
     .ulp = 1},
    {.name = "aclnnMoeTokenUnpermuteWithRoutingMap",
     .oracle = unpermute,
     .random = random_unpermute,
     .fill = fill_unpermute,
     .ulp = 1},
    {.name = "aclnnMoeTokenUnpermuteWithRoutingMapGrad",
     .oracle = unpermute_grad,
     .random = random_unpermute_grad,
     .fill = fill_unpermute_grad,
     .ulp = 1},
    {.name = NULL},
};
