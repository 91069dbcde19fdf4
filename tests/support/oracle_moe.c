/* SPDX-License-Identifier: Apache-2.0 */
/* Mixtures of experts: gates, the order of tokens, sums of what comes back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

enum { MOST = 2048 }; /* of indices, experts */

/* ---- gates ---- */

/* The numbers of the `count` largest, one after the other, those that are taken left out. */
static void find_largest(const double *x, int64_t size, int64_t count, int64_t *to)
{
    bool is_taken[MOST] = {0};
    for (int64_t i = 0; i < count; i++) {
        int64_t best = -1;
        for (int64_t j = 0; j < size; j++)
            if (!is_taken[j] && (best < 0 || x[j] > x[best])) best = j;
        is_taken[best] = true;
        to[i] = best;
    }
}

/* p of a row, and by how many roundings of it each may differ. */
static void find_row(const double *x, int64_t size, bool is_sigmoid, double *p, double *roundings)
{
    double most = -INFINITY, sum = 0;
    for (int64_t i = 0; i < size; i++)
        most = fmax(most, x[i]);
    for (int64_t i = 0; i < size; i++)
        sum += exp(x[i] - most);
    for (int64_t i = 0; i < size; i++) {
        p[i] = is_sigmoid ? 1 / (1 + exp(-x[i])) : exp(x[i] - most) / sum;
        roundings[i] = is_sigmoid ? 4 : 6 + fabs(x[i] - most);
    }
}

/* Elements of groups that are not among the best become -infinity. */
static void leave_groups(const struct rig_problem *problem, double *score, int64_t size)
{
    const int64_t groups = norm_integer(problem, "groupCount", 1), each = size / groups;
    const bool by_pairs = norm_integer(problem, "groupSelectMode", 0) == 1;
    double of_group[MOST];
    int64_t best[MOST], largest[2];
    bool is_best[MOST] = {0};
    for (int64_t g = 0; g < groups; g++) {
        find_largest(score + g * each, each, by_pairs ? 2 : 1, largest);
        of_group[g] = score[g * each + largest[0]];
        if (by_pairs) of_group[g] += score[g * each + largest[1]];
    }
    find_largest(of_group, groups, norm_integer(problem, "kGroup", 1), best);
    for (int64_t i = 0; i < norm_integer(problem, "kGroup", 1); i++)
        is_best[best[i]] = true;
    for (int64_t i = 0; i < size; i++)
        if (!is_best[i / each]) score[i] = -INFINITY;
}

static void gate(struct rig_problem *problem)
{
    const bool is_scored = strcmp(problem->op->name, "aclnnMoeGatingTopK") == 0;
    const bool is_later = norm_integer(problem, "renorm", 0) == 1;
    const bool is_sigmoid = norm_integer(problem, "normType", 0) == 1;
    const int bias = norm_operand(problem, "biasOptional"), y = norm_operand(problem, "yOut");
    const int finished = norm_operand(problem, "finishedOptional");
    const int expert = norm_operand(problem, "expertIdxOut");
    const int numbers = norm_operand(problem, "rowIdxOut");
    const int all = norm_one_of(problem, "softmaxResultOutOptional outOut");
    const bool has_all = all >= 0 && !is_later &&
                         (norm_integer(problem, "outFlag", 0) != 0 ||
                          norm_integer(problem, "outputSoftmaxResultFlag", 0) != 0);
    const struct operand *view = &problem->tensor[0].view;
    const int64_t size = view->dims[view->rank - 1], k = norm_integer(problem, "k", 1);
    const int64_t rows = problem->tensor[expert].count / k;
    for (int64_t row = 0; row < rows; row++) {
        double x[MOST], p[MOST], score[MOST], roundings[MOST], sum = 0;
        int64_t best[MOST];
        for (int64_t i = 0; i < size; i++)
            x[i] = oracle_value(problem, 0, row * size + i);
        find_row(x, size, is_sigmoid, p, roundings);
        for (int64_t i = 0; i < size; i++)
            score[i] = is_scored ? p[i] + norm_value(problem, bias, i, 0) : x[i];
        if (is_scored) leave_groups(problem, score, size);
        find_largest(score, size, k, best);
        for (int64_t i = 0; i < k; i++)
            sum += is_scored ? p[best[i]] : exp(x[best[i]] - x[best[0]]);
        for (int64_t i = 0; i < k; i++) {
            double value = is_later ? exp(x[best[i]] - x[best[0]]) / sum : p[best[i]];
            if (is_sigmoid) value /= sum + norm_real(problem, "eps", 0);
            if (is_scored) value *= norm_real(problem, "routedScalingFactor", 1);
            const bool is_done = finished >= 0 && oracle_whole_value(problem, finished, row) != 0;
            norm_put_single(problem, y, row * k + i, value,
                            fabs(value) * (roundings[best[i]] + 4) / 4, 4);
            oracle_whole(problem, expert, row * k + i, CASE_I32, is_done ? size : best[i]);
            if (numbers >= 0) oracle_whole(problem, numbers, row * k + i, CASE_I32, i * rows + row);
        }
        for (int64_t i = 0; i < size && has_all; i++)
            norm_put_single(problem, all, row * size + i, p[i], p[i] * roundings[i] / 4, 4);
    }
}

/* Numbers whose probabilities, and sums with a bias, are equal or clearly not. */
static void fill_gate(struct rig_problem *problem, struct random *random)
{
    const int bias = norm_operand(problem, "biasOptional");
    for (int operand = 0; operand >= 0 && operand <= bias; operand++) {
        struct rig_tensor *t = &problem->tensor[operand];
        for (int64_t i = 0; i < t->count; i++)
            t->bits[i] = oracle_cast_real(t->view.dtype, (double)random_between(random, -8, 8) /
                                                             (operand == 0 ? 4 : 8));
    }
}

static struct test_case random_gate(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    const bool is_scored = strcmp(op->name, "aclnnMoeGatingTopK") == 0;
    const bool is_second = strstr(op->name, "V2") != NULL;
    const enum case_dtype own = norm_some_single(op, random, dtype);
    struct test_case test = norm_start(op, random, own);
    int64_t x[CASE_RANK], y[CASE_RANK];
    const int rank = (int)random_between(random, 1, 3);
    const int64_t groups = is_scored ? random_between(random, 1, 4) : 1;
    const int64_t best = random_between(random, 1, groups), each = random_between(random, 2, 12);
    for (int i = 0; i < rank; i++)
        x[i] = y[i] = i == rank - 1 ? groups * each : random_between(random, 1, 4);
    const int64_t k = y[rank - 1] = random_between(random, 1, best * each);
    const bool is_later = is_second && random_once_in(random, 2);
    const bool has_all = !is_later && random_once_in(random, 2);
    random_tensor(&test, random, "x", own, x, rank, false);
    if (is_scored)
        norm_optional(&test, random, "biasOptional", norm_some_single(op, random, dtype),
                      x + rank - 1, 1, false, random_once_in(random, 2));
    else
        norm_optional(&test, random, "finishedOptional", CASE_BOOL, x, rank - 1, false,
                      random_once_in(random, 2));
    random_number(&test, "k", (double)k);
    if (is_scored) {
        random_number(&test, "kGroup", (double)best);
        random_number(&test, "groupCount", (double)groups);
        random_number(&test, "groupSelectMode", (double)random_below(random, 2));
    }
    if (is_scored || is_second) random_number(&test, "renorm", is_later);
    if (is_scored) random_number(&test, "normType", (double)random_below(random, 2));
    if (is_second) random_number(&test, "outputSoftmaxResultFlag", has_all);
    if (is_scored) {
        random_number(&test, "outFlag", has_all);
        random_number(&test, "routedScalingFactor", 2.5);
        random_number(&test, "eps", 1e-3);
    }
    random_tensor(&test, random, "yOut", own, y, rank, true);
    random_tensor(&test, random, "expertIdxOut", CASE_I32, y, rank, true);
    if (is_scored || is_second)
        norm_optional(&test, random, is_scored ? "outOut" : "softmaxResultOutOptional", CASE_F32, x,
                      rank, true, has_all);
    else
        random_tensor(&test, random, "rowIdxOut", CASE_I32, y, rank, true);
    return test;
}

/* ---- routes ---- */

struct entry {
    int64_t expert, position;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->expert != y->expert) return x->expert < y->expert ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

static void copy_row(struct rig_problem *problem, int to, int64_t row, int64_t from,
                     int64_t columns)
{
    const enum case_dtype dtype = problem->tensor[to].view.dtype;
    for (int64_t i = 0; i < columns; i++) {
        const double value = from < 0 ? 0 : oracle_value(problem, 0, from * columns + i);
        oracle_real(problem, to, row * columns + i, dtype, value);
    }
}

static void count_experts(struct rig_problem *problem, const struct entry *sorted, int64_t count,
                          int operand, bool is_running)
{
    if (operand < 0) return;
    for (int64_t e = 0; e < problem->tensor[operand].count; e++) {
        int64_t hits = 0;
        for (int64_t i = 0; i < count; i++)
            hits += is_running ? sorted[i].expert <= e : sorted[i].expert == e;
        oracle_whole(problem, operand, e, CASE_I32, hits);
    }
}

static void route(struct rig_problem *problem)
{
    const int experts = norm_one_of(problem, "expertIdx indices");
    const int places = norm_operand(problem, "rowIdx");
    const int to = norm_one_of(problem, "expandedXOut permuteTokensOut");
    const int to_places = norm_one_of(problem, "expandedRowIdxOut sortedIndicesOut");
    const int to_experts = norm_operand(problem, "expandedExpertIdxOut");
    const struct operand *view = &problem->tensor[experts].view, *x = &problem->tensor[0].view;
    const int64_t count = problem->tensor[experts].count, columns = x->dims[1], rows = x->dims[0];
    const int64_t picks = view->rank == 2 ? view->dims[1] : 1;
    const bool drops = norm_integer(problem, "dropPadModeOptional", 0) == 1;
    const int64_t capacity = norm_integer(problem, "expertCapacityOptional", 0);
    const int64_t slots = columns > 0 ? problem->tensor[to].count / columns : 0;
    struct entry sorted[MOST];
    for (int64_t i = 0; i < count; i++)
        sorted[i] = (struct entry){oracle_whole_value(problem, experts, i), i};
    qsort(sorted, (size_t)count, sizeof *sorted, compare_entries);
    for (int64_t i = 0; i < count; i++)
        oracle_whole(problem, to_places, i, CASE_I32, -1);
    for (int64_t i = 0; i < slots && drops; i++)
        copy_row(problem, to, i, -1, columns);
    for (int64_t i = 0, used = 0; i < count; i++) {
        const int64_t place = places < 0 ? sorted[i].position
                                         : oracle_whole_value(problem, places, sorted[i].position);
        used = i > 0 && sorted[i].expert == sorted[i - 1].expert ? used + 1 : 0;
        const int64_t slot = !drops ? i : used < capacity ? sorted[i].expert * capacity + used : -1;
        oracle_whole(problem, to_places, place, CASE_I32, slot);
        if (to_experts >= 0) oracle_whole(problem, to_experts, i, CASE_I32, sorted[i].expert);
        if (slot >= 0 && slot < slots)
            copy_row(problem, to, slot, places < 0 ? place / picks : place % rows, columns);
    }
    const int64_t kind = norm_integer(problem, "expertTokensCountOrCumsumFlagOptional", 0);
    if (kind > 0 && !drops)
        count_experts(problem, sorted, count,
                      norm_operand(problem, "expertTokensCountOrCumsumOutOptional"), kind == 1);
    if (drops && norm_integer(problem, "expertTokensBeforeCapacityFlagOptional", 0) != 0)
        count_experts(problem, sorted, count,
                      norm_operand(problem, "expertTokensBeforeCapacityOutOptional"), false);
}

/* Numbers of experts; rows in any order, each once. */
static void fill_route(struct rig_problem *problem, struct random *random)
{
    struct rig_tensor *experts = &problem->tensor[norm_one_of(problem, "expertIdx indices")];
    const int places = norm_operand(problem, "rowIdx");
    const int64_t most = norm_integer(problem, "expertNumOptional", 7);
    for (int64_t i = 0; i < experts->count; i++)
        experts->bits[i] =
            oracle_cast_whole(experts->view.dtype, random_below(random, most > 0 ? most : 7));
    for (int64_t i = 0; places >= 0 && i < experts->count; i++) {
        const int64_t other = random_below(random, i + 1);
        problem->tensor[places].bits[i] = problem->tensor[places].bits[other];
        problem->tensor[places].bits[other] = (uint64_t)i;
    }
}

static struct test_case random_route(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    const bool is_second = strstr(op->name, "V2") != NULL, permutes = strstr(op->name, "Permute");
    const enum case_dtype own =
        permutes && dtype == CASE_I8 ? CASE_I8 : norm_some_single(op, random, dtype);
    struct test_case test = norm_start(op, random, own);
    const int64_t rows = random_between(random, 1, 12), columns = random_between(random, 1, 9);
    const bool is_flat = permutes && random_once_in(random, 3);
    const int64_t picks = is_flat ? 1 : random_between(random, 1, 4), count = rows * picks;
    const int64_t x[CASE_RANK] = {rows, columns}, experts[CASE_RANK] = {rows, picks};
    const int64_t active = random_once_in(random, 3) ? 0 : random_between(random, 1, count);
    const bool drops = is_second && random_once_in(random, 2);
    const int64_t number = random_between(random, 1, 6), capacity = random_between(random, 1, 5);
    int64_t to[CASE_RANK] = {active == 0 ? count : active, columns};
    random_tensor(&test, random, permutes ? "tokens" : "x", own, x, 2, false);
    if (!permutes && !is_second)
        random_tensor(&test, random, "rowIdx", CASE_I32, experts, 2, false);
    const enum case_dtype index = permutes && random_once_in(random, 2) ? CASE_I64 : CASE_I32;
    random_tensor(&test, random, permutes ? "indices" : "expertIdx", index, experts,
                  is_flat ? 1 : 2, false);
    if (permutes) {
        const bool is_cut = active > 0 && active < count && random_once_in(random, 2);
        random_number(&test, "numOutTokens", (double)(is_cut ? active - count : active));
        random_number(&test, "paddedMode", 0);
    } else {
        random_number(&test, is_second ? "activeNumOptional" : "activeNum", (double)active);
        if (!is_second) to[0] = (active < rows ? active : rows) * picks;
    }
    const int64_t kind = drops ? 0 : random_below(random, 3);
    if (is_second) {
        random_number(&test, "expertCapacityOptional", (double)(drops ? capacity : 0));
        random_number(&test, "expertNumOptional", (double)number);
        random_number(&test, "dropPadModeOptional", drops);
        random_number(&test, "expertTokensCountOrCumsumFlagOptional", (double)kind);
        random_number(&test, "expertTokensBeforeCapacityFlagOptional", drops);
    }
    if (drops) to[0] = number, to[1] = capacity, to[2] = columns;
    random_tensor(&test, random, permutes ? "permuteTokensOut" : "expandedXOut", own, to,
                  drops ? 3 : 2, true);
    random_tensor(&test, random, permutes ? "sortedIndicesOut" : "expandedRowIdxOut", CASE_I32,
                  &count, 1, true);
    if (!permutes && !is_second)
        random_tensor(&test, random, "expandedExpertIdxOut", CASE_I32, &count, 1, true);
    if (is_second) {
        norm_optional(&test, random, "expertTokensCountOrCumsumOutOptional", CASE_I32, &number, 1,
                      true, kind > 0);
        norm_optional(&test, random, "expertTokensBeforeCapacityOutOptional", CASE_I32, &number, 1,
                      true, drops);
    }
    return test;
}

static void tokens(struct rig_problem *problem)
{
    for (int64_t e = 0; e < problem->tensor[1].count; e++) {
        int64_t hits = 0;
        for (int64_t i = 0; i < problem->tensor[0].count; i++)
            hits += oracle_whole_value(problem, 0, i) <= e;
        oracle_whole(problem, 1, e, CASE_I32, hits);
    }
}

static void fill_tokens(struct rig_problem *problem, struct random *random)
{
    int64_t expert = -2;
    for (int64_t i = 0; i < problem->tensor[0].count; i++) {
        expert += random_below(random, 2);
        problem->tensor[0].bits[i] = oracle_cast_whole(CASE_I32, expert);
    }
}

static struct test_case random_tokens(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype);
    const int64_t count = random_between(random, 0, 40), experts = random_between(random, 1, 20);
    random_tensor(&test, random, "sortedExperts", CASE_I32, &count, 1, false);
    random_number(&test, "numExperts", (double)experts);
    random_tensor(&test, random, "out", CASE_I32, &experts, 1, true);
    return test;
}

const struct oracle_row oracle_moe_rows[] = {
    {.name = "aclnnMoeGatingTopKSoftmax aclnnMoeGatingTopKSoftmaxV2 aclnnMoeGatingTopK",
     .oracle = gate,
     .random = random_gate,
     .fill = fill_gate,
     .ulp = 1},
    {.name = "aclnnMoeInitRouting aclnnMoeInitRoutingV2 aclnnMoeTokenPermute",
     .oracle = route,
     .random = random_route,
     .fill = fill_route},
    {.name = "aclnnMoeComputeExpertTokens",
     .oracle = tokens,
     .random = random_tokens,
     .fill = fill_tokens,
     .sound = "moe_compute_expert_tokens i32 sortedExperts=9 numExperts=4 out=4"},
    {.name = NULL},
};
