/* SPDX-License-Identifier: Apache-2.0 */
/* Bags of rows, from the definition. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

enum { WEIGHT, INDICES, OFFSETS, PER_SAMPLE, OUTPUT, BAG_OF, BAG_SIZE, PLACES };
enum { SUM, MEAN };

struct bags {
    int64_t rows, features, indices, count, mode, padding;
};

static struct bags bags_of(const struct rig_problem *problem)
{
    const int64_t *table = problem->tensor[WEIGHT].view.dims;
    const bool has_last = norm_integer(problem, "includeLastOffset", 0) != 0;
    return (struct bags){.rows = table[0],
                         .features = table[1],
                         .indices = problem->tensor[INDICES].count,
                         .count = problem->tensor[OFFSETS].count - has_last,
                         .mode = norm_integer(problem, "mode", 0),
                         .padding = norm_integer(problem, "paddingIdx", -1)};
}

static void note(struct rig_problem *problem, const char *of, int64_t i, int64_t value)
{
    if (problem->sync_code != ACL_SUCCESS) return;
    problem->sync_code = ACL_ERROR_RT_AICORE_EXCEPTION;
    snprintf(problem->sync_words, sizeof problem->sync_words,
             "element %" PRId64 " of %s is %" PRId64 ";", i, of, value);
}

/* Where bag b begins: offsets do not go back. */
static int64_t begin_of(struct rig_problem *problem, const struct bags *bags, int64_t b)
{
    int64_t begin = 0;
    if (b == bags->count) return bags->indices;
    for (int64_t i = 0; i <= b; i++) {
        const int64_t offset = oracle_whole_value(problem, OFFSETS, i);
        const int64_t most = i == 0 ? 0 : bags->indices;
        if (offset < begin || offset > most) note(problem, "offsets", i, offset);
        if (offset > begin) begin = offset < most ? offset : most;
    }
    return begin;
}

/* Whether index i counts. */
static bool counts(struct rig_problem *problem, const struct bags *bags, int64_t i)
{
    const int64_t row = oracle_whole_value(problem, INDICES, i);
    if (row < 0 || row >= bags->rows) note(problem, "indices", i, row);
    return row >= 0 && row < bags->rows && (bags->padding < 0 || row != bags->padding);
}

static void put_feature(struct rig_problem *problem, const struct bags *bags, int64_t b, int64_t f,
                        int64_t begin, int64_t end)
{
    double sum = 0, size = 0, most = 0, n = 0;
    int64_t place = 0;
    for (int64_t i = begin; i < end; i++) {
        if (!counts(problem, bags, i)) continue;
        const int64_t row = oracle_whole_value(problem, INDICES, i);
        const double x = oracle_value(problem, WEIGHT, row * bags->features + f);
        const int weights = problem->call.is_null[PER_SAMPLE] ? -1 : PER_SAMPLE;
        const double term = x * norm_value(problem, weights, i, 1);
        if (n == 0 || x > most) most = x, place = row;
        sum += term;
        size += fabs(term);
        n++;
    }
    const int64_t at = b * bags->features + f;
    if (bags->mode == SUM)
        norm_put_sum(problem, OUTPUT, at, sum, size, n);
    else if (bags->mode == MEAN)
        norm_put_sum(problem, OUTPUT, at, n > 0 ? sum / n : 0, n > 0 ? size / n : 0, n);
    else
        norm_put_sum(problem, OUTPUT, at, most, 0, 0);
    if (bags->mode > MEAN)
        oracle_whole(problem, PLACES, at, problem->tensor[PLACES].view.dtype, place);
}

static void embedding_bag(struct rig_problem *problem)
{
    const struct bags bags = bags_of(problem);
    const enum case_dtype of = problem->tensor[BAG_OF].view.dtype;
    const enum case_dtype sizes = problem->tensor[BAG_SIZE].view.dtype;
    const enum case_dtype places = problem->tensor[PLACES].view.dtype;
    const bool has_of = problem->tensor[BAG_OF].count > 0;
    for (int64_t i = 0; i < problem->tensor[BAG_SIZE].count; i++)
        oracle_whole(problem, BAG_SIZE, i, sizes, 0);
    for (int64_t i = 0; i < problem->tensor[PLACES].count && bags.mode <= MEAN; i++)
        oracle_whole(problem, PLACES, i, places, 0);
    for (int64_t i = 0; i < bags.indices && has_of && bags.count == 0; i++)
        oracle_whole(problem, BAG_OF, i, of, 0);
    begin_of(problem, &bags, bags.count - 1);
    for (int64_t b = 0; b < bags.count; b++) {
        const int64_t begin = begin_of(problem, &bags, b);
        const int64_t end = begin_of(problem, &bags, b + 1);
        int64_t size = 0;
        for (int64_t i = begin; i < end; i++) {
            if (has_of) oracle_whole(problem, BAG_OF, i, of, b);
            size += counts(problem, &bags, i);
        }
        oracle_whole(problem, BAG_SIZE, b, sizes, size);
        for (int64_t f = 0; f < bags.features; f++)
            put_feature(problem, &bags, b, f, begin, end);
    }
}

/* ---- random problems ---- */

/* Rows of the table, offsets in order; with data=ties some that are neither. */
static void fill(struct rig_problem *problem, struct random *random)
{
    const struct bags bags = bags_of(problem);
    struct rig_tensor *indices = &problem->tensor[INDICES], *offsets = &problem->tensor[OFFSETS];
    const bool has_bad = problem->test->data == CASE_TIES;
    int64_t last = 0;
    for (int64_t i = 0; i < indices->count; i++) {
        int64_t row = bags.rows > 0 ? random_below(random, bags.rows) : 0;
        if (has_bad && random_once_in(random, 9)) row = bags.rows + random_below(random, 3);
        indices->bits[i] = oracle_cast_whole(indices->view.dtype, row);
    }
    for (int64_t i = 0; i < offsets->count; i++) {
        int64_t offset = i == 0 ? 0 : random_between(random, last, bags.indices);
        if (random_once_in(random, 2)) offset = last;
        last = offset;
        if (has_bad && random_once_in(random, 12))
            offset = random_below(random, 2 * bags.indices + 2);
        offsets->bits[i] = oracle_cast_whole(offsets->view.dtype, offset);
    }
}

static struct test_case random_bag(const struct rig_operator *op, struct random *random,
                                   enum case_dtype dtype)
{
    static const enum case_dtype types[] = {CASE_I64, CASE_I32, CASE_I64, CASE_I16, CASE_U8};
    struct test_case test = norm_start(op, random, dtype);
    const int64_t rows = random_between(random, 1, 12);
    const int64_t features = random_once_in(random, 20)  ? 0
                             : random_once_in(random, 9) ? 300
                                                         : random_between(random, 1, 9);
    const int64_t indices = random_once_in(random, 9) ? 0 : random_between(random, 1, 20);
    const int64_t bags = random_once_in(random, 20) ? 0 : random_between(random, 1, 8);
    const int64_t mode = random_below(random, 3), has_last = random_below(random, 2);
    const int64_t table[] = {rows, features}, out[] = {bags, features};
    const int64_t offsets = bags + has_last, bag_of = random_once_in(random, 3) ? 0 : indices;
    const enum case_dtype whole = random_once_in(random, 2) ? CASE_I64 : CASE_I32;
    if (random_once_in(random, 4)) test.data = CASE_TIES;
    random_tensor(&test, random, "weight", dtype, table, 2, false);
    random_tensor(&test, random, "indices", types[random_below(random, 5)], &indices, 1, false);
    random_tensor(&test, random, "offsets", types[random_below(random, 5)], &offsets, 1, true);
    random_number(&test, "scaleGradByFreq", 0);
    random_number(&test, "mode", (double)mode);
    random_number(&test, "sparse", 0);
    if (mode == SUM && random_once_in(random, 2))
        random_tensor(&test, random, "perSampleWeights", dtype, &indices, 1, false);
    random_number(&test, "includeLastOffset", (double)has_last);
    random_number(&test, "paddingIdx",
                  random_once_in(random, 2) ? -1 : (double)random_below(random, rows));
    random_tensor(&test, random, "output", dtype, out, 2, true);
    random_tensor(&test, random, "offset2bag", whole, &bag_of, 1, true);
    random_tensor(&test, random, "bagSize", whole, random_once_in(random, 2) ? &bags : &offsets, 1,
                  true);
    random_tensor(&test, random, "maxIndices", whole, out, mode > MEAN ? 2 : 1, true);
    return test;
}

const struct oracle_row oracle_bag_rows[] = {
    {.name = "aclnnEmbeddingBag",
     .oracle = embedding_bag,
     .random = random_bag,
     .fill = fill,
     .ulp = 1,
     .lines = LINES("embedding_bag f32 weight=10x3 indices=6:i64 offsets=4:i64 mode=0 "
                    "perSampleWeights=6 paddingIdx=-1 output=4x3 offset2bag=6:i64 bagSize=4:i64 "
                    "maxIndices=4:i64",
                    "embedding_bag bf16 weight=50x600 indices=200:i32 offsets=30:i64 mode=1 "
                    "paddingIdx=3 output=30x600 offset2bag=200:i64 bagSize=30:i64 "
                    "maxIndices=30:i64",
                    "embedding_bag f32 weight=50x600:strided indices=200:i32 offsets=31:i32 mode=2 "
                    "includeLastOffset=1 paddingIdx=-1 output=30x600:strided offset2bag=200:i32 "
                    "bagSize=30:i32 maxIndices=30x600:i32",
                    "embedding_bag f32 weight=10x3 indices=40:i64 offsets=9:i64 mode=2 "
                    "paddingIdx=-1 output=9x3 offset2bag=40:i64 bagSize=9:i64 "
                    "maxIndices=9x3:i64 data=ties"),
     .sound = "embedding_bag f32 weight=10x3 indices=6:i64 offsets=4:i64 mode=0 "
              "perSampleWeights=6 paddingIdx=-1 output=4x3 offset2bag=6:i64 bagSize=4:i64 "
              "maxIndices=4:i64"},
    {.name = NULL},
};
