/* SPDX-License-Identifier: Apache-2.0 */
/* Products with a weight of small integers, term by term. */
#include <math.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

/* The factor of term p and column j, or what stands for one that is not there. */
static double factor(const struct rig_problem *problem, int operand, int64_t p, int64_t j,
                     double otherwise)
{
    if (operand < 0) return otherwise;
    const struct operand *view = &problem->tensor[operand].view;
    const int64_t columns = view->dims[view->rank - 1];
    const int64_t group = norm_integer(problem, "antiquantGroupSize", 0);
    const int64_t row = group > 0 ? p / group : 0;
    return oracle_value(problem, operand, row * columns + (columns == 1 ? 0 : j));
}

static void weight_quant(struct rig_problem *problem)
{
    const int x = norm_operand(problem, "x"), weight = norm_operand(problem, "weight");
    const int scale = norm_operand(problem, "antiquantScale");
    const int offset = norm_operand(problem, "antiquantOffsetOptional");
    const int bias = norm_operand(problem, "biasOptional"), y = norm_operand(problem, "y");
    const int64_t k = problem->tensor[x].view.dims[1], n = problem->tensor[weight].view.dims[1];
    for (int64_t at = 0; at < problem->tensor[y].count; at++) {
        const int64_t i = at / n, j = at % n;
        const double first = bias < 0 ? 0 : oracle_value(problem, bias, j);
        double sum = first, size = fabs(first);
        for (int64_t p = 0; p < k; p++) {
            const double by = factor(problem, scale, p, j, 1),
                         more = factor(problem, offset, p, j, 0);
            const double of = oracle_value(problem, x, i * k + p) * by;
            const double whole = oracle_value(problem, weight, p * n + j);
            sum += of * (whole + more);
            size += fabs(of) * (fabs(whole) + fabs(more));
        }
        /* Rows may repeat one value: roundings of such sums add up, one for each term. */
        norm_put_single(problem, y, at, sum, isfinite(size) ? size * ((double)k + 3) / 4 : 0, 4);
    }
}

static struct test_case random_weight_quant(const struct rig_operator *op, struct random *random,
                                            enum case_dtype dtype)
{
    static const char *const optional[] = {"quantScaleOptional", "quantOffsetOptional"};
    if (dtype != CASE_BF16) dtype = CASE_F16;
    struct test_case test = norm_start(op, random, dtype);
    const int64_t m =
        random_once_in(random, 3) ? random_between(random, 17, 30) : random_between(random, 1, 9);
    const int64_t k = random_between(random, 1, 100), n = random_between(random, 1, 70);
    const int64_t group = 32 * random_below(random, 3),
                  groups = group > 0 ? (k - 1) / group + 1 : 1;
    const int64_t x[CASE_RANK] = {m, k}, weight[CASE_RANK] = {k, n}, y[CASE_RANK] = {m, n};
    const bool is_one = group == 0 && random_once_in(random, 3);
    const bool is_row = group == 0 && random_once_in(random, 2);
    const int64_t columns = is_one ? 1 : n;
    const int64_t factors[CASE_RANK] = {is_row ? columns : groups, columns};
    const int64_t bias[CASE_RANK] = {1, n};
    random_tensor(&test, random, "x", dtype, x, 2, false);
    random_tensor(&test, random, "weight", CASE_I8, weight, 2, false);
    random_tensor(&test, random, "antiquantScale", dtype, factors, is_row ? 1 : 2, false);
    if (random_once_in(random, 2))
        random_tensor(&test, random, "antiquantOffsetOptional", dtype, factors, is_row ? 1 : 2,
                      false);
    else
        case_add(&test, "antiquantOffsetOptional", CASE_ALONE)->is_null = true;
    for (int i = 0; i < 2; i++)
        case_add(&test, optional[i], CASE_ALONE)->is_null = true;
    if (random_once_in(random, 2)) {
        const bool is_wide = random_once_in(random, 2);
        random_tensor(&test, random, "biasOptional", norm_some_type(op, random, dtype),
                      bias + !is_wide, 1 + is_wide, false);
    } else {
        case_add(&test, "biasOptional", CASE_ALONE)->is_null = true;
    }
    random_number(&test, "antiquantGroupSize", (double)group);
    if (strstr(op->name, "V3")) random_number(&test, "innerPrecise", 1);
    random_tensor(&test, random, "y", dtype, y, 2, true);
    return test;
}

#define NO_RESULT "quantScaleOptional=null quantOffsetOptional=null"
#define PLAIN     "antiquantOffsetOptional=null " NO_RESULT " biasOptional=null"

const struct oracle_row oracle_quant_rows[] = {
    {.name = "aclnnWeightQuantBatchMatmulV2",
     .oracle = weight_quant,
     .random = random_weight_quant,
     .ulp = 1,
     .by_strides = true,
     .lines = LINES("weight_quant_batch_matmul_v2 f16 x=1x2100 weight=2100x70:i8:s1x2100 "
                    "antiquantScale=66x70:s1x66 " PLAIN " antiquantGroupSize=32 y=1x70",
                    "weight_quant_batch_matmul_v2 f16 x=6x576 weight=576x70:i8:s1x576 "
                    "antiquantScale=18x70:s1x18 " PLAIN " antiquantGroupSize=32 y=6x70",
                    "weight_quant_batch_matmul_v2 bf16 x=13x1056 weight=1056x37:i8:s1x1056 "
                    "antiquantScale=33x37:s1x33 antiquantOffsetOptional=33x37:s1x33 " NO_RESULT
                    " biasOptional=null antiquantGroupSize=32 y=13x37",
                    "weight_quant_batch_matmul_v2 bf16 x=40x300 weight=300x500:i8:s1x300 "
                    "antiquantScale=10x500 " PLAIN " antiquantGroupSize=32 y=40x500",
                    "weight_quant_batch_matmul_v2 f16 x=270x33:s1x270 weight=33x50:i8:s50x1 "
                    "antiquantScale=50 antiquantOffsetOptional=50 " NO_RESULT
                    " biasOptional=50 antiquantGroupSize=0 y=270x50:strided")},
    {.name = "aclnnWeightQuantBatchMatmulV3",
     .oracle = weight_quant,
     .random = random_weight_quant,
     .ulp = 1,
     .by_strides = true,
     .lines = LINES("weight_quant_batch_matmul_v3 f16 x=3x70 weight=70x5:i8 antiquantScale=3x5 "
                    "antiquantOffsetOptional=3x5 " NO_RESULT
                    " biasOptional=1x5 antiquantGroupSize=32 innerPrecise=0 y=3x5")},
    {.name = NULL},
};
