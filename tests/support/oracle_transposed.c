/* SPDX-License-Identifier: Apache-2.0 */
/* Products of batches whose axes are in another order, from the definition. */
#include <math.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

enum { X1, X2, BIAS, SCALE, OUT };
enum { UNPACKED = 24 }; /* bits of a FLOAT */

/* What a call says. */
struct product {
    int64_t batch, m, k, n, split, math;
    const int64_t *order1, *order2;
};

static struct product product_of(const struct rig_problem *problem)
{
    const struct operand *x1 = &problem->tensor[X1].view, *x2 = &problem->tensor[X2].view;
    struct product p = {.math = norm_integer(problem, "cubeMathType", 0),
                        .split = norm_integer(problem, "batchSplitFactor", 1),
                        .order1 = problem->call.array[0].values,
                        .order2 = problem->call.array[1].values};
    p.batch = x1->dims[p.order1[0]];
    p.m = x1->dims[p.order1[1]];
    p.k = x1->dims[p.order1[2]];
    p.n = x2->dims[p.order2[2]];
    return p;
}

/* Element (b, i, j) of a factor, as it is multiplied. */
static double factor(const struct rig_problem *problem, int operand, const int64_t *order,
                     const int64_t at[3], int math)
{
    const struct operand *view = &problem->tensor[operand].view;
    int64_t index[3];
    for (int i = 0; i < 3; i++)
        index[order[i]] = at[i];
    const int64_t place = (index[0] * view->dims[1] + index[1]) * view->dims[2] + index[2];
    return oracle_operand(view->dtype, math, oracle_value(problem, operand, place));
}

/* The scale's upper 19 bits, and the offset that stands beside it. */
static double unpack(uint64_t both, double *offset)
{
    const uint64_t bits = both & 0xffffe000;
    const int64_t nine = (int64_t)(both >> 37 & 511);
    *offset = (double)(nine < 256 ? nine : nine - 512);
    return oracle_from_bits(CASE_F32, bits);
}

static void multiply(struct rig_problem *problem)
{
    const struct product p = product_of(problem);
    const bool is_small = !problem->call.is_null[SCALE];
    const enum case_dtype dtype = problem->tensor[OUT].view.dtype;
    double largest = 0;
    for (int64_t at = 0; at < p.batch * p.m * p.n; at++) {
        const int64_t i = at / (p.batch * p.n), b = at / p.n % p.batch, j = at % p.n;
        const int64_t inner = p.batch / p.split;
        const int64_t to = ((b / inner * p.m + i) * inner + b % inner) * p.n + j;
        double sum = 0, size = 0;
        for (int64_t t = 0; t < p.k; t++) {
            const double term =
                factor(problem, X1, p.order1, (const int64_t[]){b, i, t}, (int)p.math) *
                factor(problem, X2, p.order2, (const int64_t[]){b, t, j}, (int)p.math);
            sum += term;
            size += fabs(term);
        }
        largest = fmax(largest, size);
        if (!is_small) {
            oracle_real(problem, OUT, to, dtype, sum);
            continue;
        }
        double offset;
        const double scale = unpack(rig_given(problem, SCALE)[b * p.n + j], &offset);
        const double value = sum * scale + offset;
        const double wrong =
            2 * (double)(p.k + 6) * size * fabs(scale) + 2 * fabs(sum * scale) + 2 * fabs(value);
        oracle_rounded(problem, OUT, at, 8, value, ldexp(wrong, -UNPACKED));
    }
    /* As of any product: (k + 2) u S, twice that for pairs of bf16. */
    problem->near.absolute = ldexp(2 * (double)(p.k + 6) * largest, -UNPACKED);
}

static void fill(struct rig_problem *problem, struct random *random)
{
    struct rig_tensor *t = &problem->tensor[SCALE];
    for (int64_t i = 0; !problem->call.is_null[SCALE] && i < t->count; i++) {
        const double scale = (double)random_between(random, -400, 400) / 32;
        t->bits[i] = oracle_to_bits(CASE_F32, scale) | (uint64_t)random_below(random, 512) << 37;
    }
}

static struct test_case random_product(const struct rig_operator *op, struct random *random,
                                       enum case_dtype dtype)
{
    static const int64_t own[] = {0, 1, 2}, rows_first[] = {1, 0, 2}, columns_first[] = {0, 2, 1};
    struct test_case test = norm_start(op, random, dtype);
    const bool is_small = random_once_in(random, 3), left = random_once_in(random, 2);
    const bool right = random_once_in(random, 2);
    const int64_t split = is_small ? 1 : random_between(random, 1, 3);
    const int64_t batch = split * random_between(random, 0, 3);
    const int64_t m = random_between(random, 0, 9), n = random_between(random, 0, 9);
    const int64_t k =
        random_once_in(random, 4) ? random_between(random, 20, 90) : random_between(random, 0, 12);
    const int64_t x1[] = {left ? m : batch, left ? batch : m, k};
    const int64_t x2[] = {batch, right ? n : k, right ? k : n}, columns = batch * n;
    const int64_t apart[] = {m, batch, n}, joint[] = {m, 1, columns};
    const int64_t parts[] = {split, m, columns / split};
    random_tensor(&test, random, "x1", dtype, x1, 3, false);
    random_tensor(&test, random, "x2", norm_some_single(op, random, dtype), x2, 3, false);
    norm_optional(&test, random, "scale", random_once_in(random, 2) ? CASE_U64 : CASE_I64, &columns,
                  1, false, is_small);
    random_ints(&test, "permX1", left ? rows_first : own, 3);
    random_ints(&test, "permX2", right ? columns_first : own, 3);
    random_ints(&test, "permY", rows_first, 3);
    random_number(&test, "cubeMathType", (double)random_below(random, 4));
    random_number(&test, "batchSplitFactor", (double)split);
    random_tensor(&test, random, "out", is_small ? CASE_I8 : norm_some_single(op, random, dtype),
                  is_small    ? joint
                  : split > 1 ? parts
                              : apart,
                  3, true);
    return test;
}

#define ROW(name_of, word)                                                                         \
    {                                                                                              \
        .name = name_of, .oracle = multiply, .random = random_product, .fill = fill,               \
        .by_strides = true, .ulp = 2,                                                              \
        .lines = LINES(word " bf16 x1=70x3x90 x2=3x90x60 permX1=1x0x2 permX2=0x1x2 permY=1x0x2 "   \
                            "batchSplitFactor=3 out=3x70x60:f32",                                  \
                       word " f16 x1=2x3x4 x2=2x4x5 scale=10:u64 permX1=0x1x2 permX2=0x1x2 "       \
                            "permY=1x0x2 batchSplitFactor=1 out=3x1x10:i8")                        \
    }

const struct oracle_row oracle_transposed_rows[] = {
    ROW("aclnnTransposeBatchMatMul", "transpose_batch_mat_mul"),
    ROW("aclnnTransposeBatchMatMulWeightNz", "transpose_batch_mat_mul_weight_nz"),
    {.name = NULL},
};
