/* SPDX-License-Identifier: Apache-2.0 */
/* Products with a bias and a function of both, from the definition. */
#include <math.h>
#include <string.h>

#include "tests/support/oracle_fused.h"

enum { X1, X2, BIAS, X3, Y };

static double factor(const struct rig_problem *problem, int operand, int64_t at)
{
    const int math = (int)norm_integer(problem, "cubeMathType", 0);
    return oracle_operand(problem->tensor[operand].view.dtype, math,
                          oracle_value(problem, operand, at));
}

static double addend(const struct rig_problem *problem, int operand, int64_t at)
{
    if (problem->call.is_null[operand]) return 0;
    const struct operand *y = &problem->tensor[Y].view;
    return oracle_value(problem, operand, oracle_broadcast(y, at, &problem->tensor[operand].view));
}

/* The function of a sum, and by how much it may be wrong where the sum is wrong by `wrong`. GELU's
 * slope is less than 1.2, its own error at most 4 ULP. */
static double apply(const char *kind, double sum, double x3, double *wrong)
{
    const double cubic = 2 * 0.79788456080286535588 * (sum + 0.044715 * sum * sum * sum);
    double value = sum;
    if (strcmp(kind, "add") == 0) {
        value = sum + x3;
        *wrong += fused_rounding(value);
    } else if (strcmp(kind, "mul") == 0) {
        value = sum * x3;
        *wrong = *wrong * fabs(x3) + fused_rounding(value);
    } else if (strcmp(kind, "relu") == 0) {
        value = sum > 0 ? sum : 0;
    } else if (strcmp(kind, "gelu_erf") == 0 || strcmp(kind, "gelu_tanh") == 0) {
        value = strcmp(kind, "gelu_erf") == 0 ? sum * 0.5 * erfc(-sum * 0.70710678118654752440)
                                              : sum / (1 + exp(-cubic));
        *wrong = 1.2 * *wrong + 8 * fused_rounding(value);
    }
    return value;
}

static void fused(struct rig_problem *problem)
{
    const struct operand *x1 = &problem->tensor[X1].view, *y = &problem->tensor[Y].view;
    const int64_t m = y->dims[y->rank - 2], n = y->dims[y->rank - 1], k = x1->dims[x1->rank - 1];
    const char *kind = fused_text_of(problem, "fusedOpType");
    for (int64_t at = 0; at < problem->tensor[Y].count; at++) {
        const int64_t batch = at / (m * n), i = at / n % m, j = at % n;
        const double bias = addend(problem, BIAS, at), x3 = addend(problem, X3, at);
        double sum = bias, size = fabs(bias) + fabs(x3);
        for (int64_t p = 0; p < k; p++) {
            const double term = factor(problem, X1, (batch * m + i) * k + p) *
                                factor(problem, X2, (batch * k + p) * n + j);
            sum += term;
            size += fabs(term);
        }
        /* As of any product: (k + 2) u S, twice that for pairs of bf16. */
        double wrong = 2 * (double)(k + 6) * fused_rounding(size);
        const double value = apply(kind, sum, x3, &wrong);
        oracle_real(problem, Y, at, y->dtype, value);
        problem->tensor[Y].slack[at] = wrong;
    }
}

static struct test_case random_fused(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    static const struct {
        const char *name;
        int most;
        bool has_x3, has_bias;
    } kinds[] = {{"relu", 6, false, true}, /* the two others are no words of the case language */
                 {"add", 3, true, true},
                 {"mul", 3, true, true},
                 {"gelu_erf", 2, false, false},
                 {"gelu_tanh", 2, false, false}};
    const int kind = (int)random_below(random, 5);
    struct test_case test = norm_start(op, random, dtype);
    const int rank = (int)random_between(random, 2, kinds[kind].most);
    int64_t x1[CASE_RANK], x2[CASE_RANK], y[CASE_RANK], x3[CASE_RANK];
    for (int i = 0; i < rank - 2; i++)
        x1[i] = x2[i] = y[i] = random_between(random, i > 1, 2);
    x1[rank - 2] = y[rank - 2] = random_between(random, 0, 9);
    x2[rank - 1] = y[rank - 1] = random_between(random, 0, 9);
    x1[rank - 1] = x2[rank - 2] =
        random_once_in(random, 4) ? random_between(random, 20, 90) : random_between(random, 0, 12);
    memcpy(x3, y, sizeof x3);
    const int left = rank == 3 && random_once_in(random, 2);
    if (rank == 3 && random_once_in(random, 2)) x3[0] = 1;
    const int64_t bias[] = {random_once_in(random, 2) ? 1 : y[rank - 2], y[rank - 1]};
    const int bias_rank = 1 + random_once_in(random, 2);
    random_tensor(&test, random, "x1", dtype, x1, rank, false);
    random_tensor(&test, random, "x2", norm_some_single(op, random, dtype), x2, rank, false);
    norm_optional(&test, random, "bias", norm_some_single(op, random, dtype), bias + 2 - bias_rank,
                  bias_rank, false, kinds[kind].has_bias && random_once_in(random, 2));
    norm_optional(&test, random, "x3", norm_some_single(op, random, dtype), x3 + left, rank - left,
                  false, kinds[kind].has_x3);
    fused_text(&test, "fusedOpType", kinds[kind].name);
    random_number(&test, "cubeMathType", (double)random_below(random, 5));
    random_tensor(&test, random, "y", norm_some_single(op, random, dtype), y, rank, true);
    return test;
}

const struct oracle_row oracle_fused_product_rows[] = {
    {.name = "aclnnFusedMatmul",
     .oracle = fused,
     .random = random_fused,
     .by_strides = true,
     .ulp = 2,
     .lines = LINES("fused_matmul bf16 x1=70x300 x2=300x90 bias=90:f32 x3=70x90 fusedOpType=add "
                    "cubeMathType=4 y=70x90:strided",
                    "fused_matmul f32 x1=3x20x30 x2=3x30x40 x3=1x20x40 fusedOpType=mul "
                    "y=3x20x40"),
     .sound = "fused_matmul f32 x1=2x3x4 x2=2x4x5 bias=5 x3=3x5 fusedOpType=add y=2x3x5"},
    {.name = NULL},
};
