/* SPDX-License-Identifier: Apache-2.0 */
/* Two results of attention over different keys. */
#include <math.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

enum { STATS = 8 };

/* Where a row of a head has its statistics. */
static int64_t stat_of(const struct rig_problem *problem, int64_t batch, int64_t row, int64_t head,
                       int64_t rows, int64_t heads)
{
    const bool by_rows = strcmp(problem->call.text[0], "TND") == 0;
    const char *own = problem->op->names->text[1] ? problem->call.text[1] : NULL;
    const int lengths = norm_operand(problem, "actualSeqQlenOptional");
    int64_t begin = 0, end = 0;
    if (!by_rows) return (batch * heads + head) * rows + row;
    if (own && strcmp(own, "TND") == 0) return row * heads + head;
    for (int64_t i = 0; end <= row; i++) {
        begin = end;
        end = i < problem->tensor[lengths].count ? oracle_whole_value(problem, lengths, i) : rows;
    }
    return begin * heads + head * (end - begin) + row - begin;
}

static void put(struct rig_problem *problem, const char *name, int64_t i, double value,
                double slack)
{
    const int operand = norm_operand(problem, name);
    problem->near.ulp = 2;
    problem->tensor[operand].near[i] = value;
    problem->tensor[operand].slack[i] = slack + 0x1p-149; /* 0 of either sign */
}

static void ring(struct rig_problem *problem)
{
    const int64_t *sizes = problem->tensor[0].view.dims;
    const bool by_rows = strcmp(problem->call.text[0], "TND") == 0;
    const int64_t rows = sizes[0], batches = by_rows ? 1 : sizes[1];
    const int64_t heads = by_rows ? sizes[1] : problem->tensor[1].view.dims[1];
    const int64_t columns = by_rows ? sizes[2] : sizes[2] / heads;
    for (int64_t row = 0; row < rows; row++)
        for (int64_t b = 0; b < batches; b++)
            for (int64_t n = 0; n < heads; n++) {
                const int64_t stat = stat_of(problem, b, row, n, rows, heads) * STATS;
                const double m0 = oracle_value(problem, 1, stat),
                             m1 = oracle_value(problem, 4, stat);
                const double m = fmax(m0, m1);
                const double w0 = oracle_value(problem, 2, stat) * exp(m0 - m);
                const double w1 = oracle_value(problem, 5, stat) * exp(m1 - m), l = w0 + w1;
                for (int i = 0; i < STATS; i++) {
                    put(problem, "softmaxMaxOut", stat + i, m, 0);
                    put(problem, "softmaxSumOut", stat + i, l, 0);
                }
                for (int64_t d = 0; d < columns; d++) {
                    const int64_t at = ((row * batches + b) * heads + n) * columns + d;
                    const double x = oracle_value(problem, 0, at) * w0 / l;
                    const double y = oracle_value(problem, 3, at) * w1 / l;
                    put(problem, "attnOutOut", at, x + y, 0x1p-22 * (fabs(x) + fabs(y)));
                }
            }
}

static struct test_case random_ring(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    static const char *const outs[] = {"prevAttnOut", "curAttnOut", "attnOutOut"};
    static const char *const stats[] = {"prevSoftmaxMax", "prevSoftmaxSum", "curSoftmaxMax",
                                        "curSoftmaxSum",  "softmaxMaxOut",  "softmaxSumOut"};
    struct test_case test = norm_start(op, random, dtype);
    const bool by_rows = random_once_in(random, 2);
    const int64_t rows = random_once_in(random, 20) ? 0 : random_between(random, 1, 12);
    const int64_t batch = random_between(random, 1, 3), heads = random_between(random, 1, 3);
    const int64_t columns = random_between(random, 1, random_once_in(random, 4) ? 300 : 20);
    const int64_t of_rows[] = {rows, heads, columns};
    const int64_t of_batch[] = {rows, batch, heads * columns};
    const int64_t row_stats[] = {rows, heads, STATS};
    const int64_t batch_stats[] = {batch, heads, rows, STATS};
    const int64_t lengths[] = {random_between(random, 1, 4)};
    for (int i = 0; i < 3; i++)
        random_tensor(&test, random, outs[i], dtype, by_rows ? of_rows : of_batch, 3, i == 2);
    for (int i = 0; i < 6; i++) /* fill() writes those of the operands */
        random_tensor(&test, random, stats[i], CASE_F32, by_rows ? row_stats : batch_stats,
                      by_rows ? 3 : 4, true);
    if (by_rows) random_tensor(&test, random, "actualSeqQlenOptional", CASE_I64, lengths, 1, true);
    strcpy(random_type(&test, "inputLayoutOptional", CASE_F32)->text, by_rows ? "TND" : "SBH");
    if (op->names->text[1] && random_once_in(random, 2))
        strcpy(random_type(&test, op->names->text[1], CASE_F32)->text, "TND");
    return test;
}

/* Sums that are positive; ends that do not fall. */
static void fill(struct rig_problem *problem, struct random *random)
{
    static const char *const sums[] = {"prevSoftmaxSum", "curSoftmaxSum"};
    const int lengths = norm_operand(problem, "actualSeqQlenOptional");
    for (int k = 0; k < 2; k++) {
        struct rig_tensor *tensor = &problem->tensor[norm_operand(problem, sums[k])];
        for (int64_t i = 0; i < tensor->count; i++)
            tensor->bits[i] = oracle_cast_real(CASE_F32, 1.5 + random_unit(random));
    }
    if (lengths >= 0) problem->tensor[lengths].bits[0] = 0;
    for (int64_t i = 1; lengths >= 0 && i < problem->tensor[lengths].count; i++)
        problem->tensor[lengths].bits[i] = (uint64_t)random_between(
            random, (int64_t)problem->tensor[lengths].bits[i - 1], problem->tensor[0].view.dims[0]);
}

const struct oracle_row oracle_ring_rows[] = {
    {.name = "aclnnRingAttentionUpdate aclnnRingAttentionUpdateV2",
     .oracle = ring,
     .random = random_ring,
     .fill = fill,
     .ulp = 2,
     .lines = NULL},
    {.name = NULL},
};
