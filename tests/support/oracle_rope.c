/* SPDX-License-Identifier: Apache-2.0 */
/* Rotary embeddings by a table, element by element. */
#include <math.h>

#include "tests/support/oracle_index.h"
#include "tests/support/oracle_norm.h"

struct turning {
    int positions, table;
    int64_t tokens, head, half, rows, sections, end[4];
    bool are_neighbours;
};

static struct turning turning_of(const struct rig_problem *problem)
{
    struct turning t = {.positions = norm_operand(problem, "positions"),
                        .table = norm_operand(problem, "cosSinCache"),
                        .head = norm_integer(problem, "headSize", 1),
                        .are_neighbours = norm_integer(problem, "isNeoxStyle", 1) == 0,
                        .sections = 1};
    const struct rig_array *sections = &problem->call.array[0];
    t.tokens = problem->tensor[norm_operand(problem, "queryIn")].view.dims[0];
    t.rows = problem->tensor[t.table].view.dims[0];
    t.half = t.end[0] = problem->tensor[t.table].view.dims[1] / 2;
    if (problem->tensor[t.positions].view.rank == 1) return t;
    t.sections = sections->length;
    for (int i = 0; i < sections->length; i++)
        t.end[i] = (i ? t.end[i - 1] : 0) + sections->values[i];
    return t;
}

static int64_t position_of(struct rig_problem *problem, const struct turning *t, int64_t token,
                           int64_t pair)
{
    int64_t section = 0;
    while (pair >= t->end[section])
        section++;
    const int64_t at = section * t->tokens + token;
    return index_of(problem, t->positions, at, t->rows, false, at, "positions");
}

static void turn(struct rig_problem *problem, const struct turning *t, const char *in,
                 const char *out)
{
    const int x = norm_operand(problem, in), to = norm_operand(problem, out);
    const int64_t columns = problem->tensor[x].view.dims[1];
    for (int64_t i = 0; i < problem->tensor[x].count; i++) {
        const int64_t token = i / columns, at = i % columns % t->head, base = i - at;
        double value = oracle_value(problem, x, i), size = 0;
        if (at < 2 * t->half) {
            const int64_t pair = t->are_neighbours ? at / 2 : at % t->half;
            const bool is_first = t->are_neighbours ? at % 2 == 0 : at < t->half;
            const int64_t step = t->are_neighbours ? 1 : t->half;
            const int64_t position = position_of(problem, t, token, pair);
            const double other = oracle_value(problem, x, base + at + (is_first ? step : -step));
            const int64_t row = position * 2 * t->half;
            const double a = position < 0 ? 0 : value * oracle_value(problem, t->table, row + pair);
            const double b =
                position < 0 ? 0 : other * oracle_value(problem, t->table, row + t->half + pair);
            value = is_first ? a - b : a + b;
            size = fabs(a) + fabs(b);
        }
        norm_put_single(problem, to, i, value, size, 2);
    }
}

/* The first position that is none, in their order, is what the error names. */
static void rope(struct rig_problem *problem)
{
    const struct turning t = turning_of(problem);
    for (int64_t at = 0; at < t.sections * t.tokens; at++)
        index_of(problem, t.positions, at, t.rows, false, at, "positions");
    turn(problem, &t, "queryIn", "queryOut");
    turn(problem, &t, "keyIn", "keyOut");
}

static void fill(struct rig_problem *problem, struct random *random)
{
    const struct turning t = turning_of(problem);
    index_fill(problem, random, t.positions, t.rows, false);
}

static struct test_case random_rope(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype);
    const bool has_sections = random_once_in(random, 2);
    const int64_t half = random_between(random, has_sections ? 3 : 1, 12);
    const int64_t head = 2 * half + random_below(random, 2) * random_between(random, 1, 5);
    const int64_t tokens = random_between(random, random_once_in(random, 20) ? 0 : 1, 6);
    const int64_t first = random_between(random, 1, half - 2 > 1 ? half - 2 : 1);
    const int64_t sections[] = {first, 1, half - first - 1};
    const int64_t query[] = {tokens, head * random_between(random, 1, 4)};
    const int64_t key[] = {tokens, head * random_between(random, 1, 3)};
    const int64_t table[] = {random_between(random, 1, 9), 2 * half};
    const int64_t positions[] = {3, tokens};
    random_tensor(&test, random, "positions", index_dtype(random),
                  has_sections ? positions : positions + 1, has_sections ? 2 : 1, false);
    random_tensor(&test, random, "queryIn", dtype, query, 2, false);
    random_tensor(&test, random, "keyIn", dtype, key, 2, false);
    random_tensor(&test, random, "cosSinCache", dtype, table, 2, false);
    if (has_sections) random_ints(&test, "mropeSection", sections, 3);
    random_number(&test, "headSize", (double)head);
    random_number(&test, "isNeoxStyle", (double)random_below(random, 2));
    random_tensor(&test, random, "queryOut", dtype, query, 2, true);
    random_tensor(&test, random, "keyOut", dtype, key, 2, true);
    return test;
}

const struct oracle_row oracle_rope_rows[] = {
    {.name = "aclnnRopeWithSinCosCache",
     .oracle = rope,
     .random = random_rope,
     .fill = fill,
     .ulp = 2},
    {.name = NULL},
};
