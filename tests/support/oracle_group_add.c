/* SPDX-License-Identifier: Apache-2.0 */
/* Products of groups of terms that are added to what is there, term by term. */
#include <math.h>

#include "tests/support/oracle_norm.h"

enum { ADD_X, ADD_WEIGHT, ADD_LIST, ADD_Y };

static void add_products(struct rig_problem *problem)
{
    const int64_t *x = problem->tensor[ADD_X].view.dims, m = x[1];
    const int64_t n = problem->tensor[ADD_WEIGHT].view.dims[1];
    double largest = 0;
    for (int64_t at = 0; at < problem->tensor[ADD_Y].count; at++) {
        const int64_t group = at / (m * n), i = at / n % m, j = at % n;
        const int64_t end = oracle_whole_value(problem, ADD_LIST, group);
        double sum = oracle_value(problem, ADD_Y, at), size = fabs(sum);
        for (int64_t p = group > 0 ? oracle_whole_value(problem, ADD_LIST, group - 1) : 0; p < end;
             p++) {
            const double term = oracle_value(problem, ADD_X, p * m + i) *
                                oracle_value(problem, ADD_WEIGHT, p * n + j);
            sum += term;
            size += fabs(term);
        }
        largest = fmax(largest, size);
        oracle_real(problem, ADD_Y, at, CASE_F32, sum);
    }
    /* As of any product: (k + 2) u S, twice that for pairs of bf16. */
    problem->near.absolute = ldexp(2 * (double)(x[0] + 6) * largest, -24);
}

static void fill_ends(struct rig_problem *problem, struct random *random)
{
    struct rig_tensor *list = &problem->tensor[ADD_LIST];
    const int64_t terms = problem->tensor[ADD_X].view.dims[0];
    for (int64_t i = 0, end = 0; i < list->count; i++) {
        if (!random_once_in(random, 4)) end = random_between(random, end, terms);
        if (i == list->count - 1 && random_once_in(random, 2)) end = terms;
        list->bits[i] = (uint64_t)end;
    }
}

static struct test_case random_added(const struct rig_operator *op, struct random *random,
                                     enum case_dtype some)
{
    const enum case_dtype dtype = some == CASE_BF16 ? CASE_BF16 : CASE_F16;
    struct test_case test = norm_start(op, random, dtype);
    const int64_t groups = random_between(random, 0, 4), m = random_between(random, 0, 12);
    const int64_t k = random_between(random, 0, 40), n = random_between(random, 0, 12);
    const int64_t y[] = {groups, m, n}, flat[] = {groups * m, n};
    const bool is_flat = random_once_in(random, 2);
    random_tensor(&test, random, "x", dtype, (const int64_t[]){k, m}, 2, false);
    random_tensor(&test, random, "weight", dtype, (const int64_t[]){k, n}, 2, false);
    random_tensor(&test, random, "groupList", CASE_I64, &groups, 1, false);
    random_tensor(&test, random, "yRef", CASE_F32, is_flat ? flat : y, is_flat ? 2 : 3, true);
    random_number(&test, "transposeX", 1);
    random_number(&test, "transposeWeight", 0);
    random_number(&test, "groupType", 2);
    return test;
}

const struct oracle_row oracle_group_add_rows[] = {
    {.name = "aclnnGroupedMatmulAdd",
     .oracle = add_products,
     .random = random_added,
     .fill = fill_ends,
     .by_strides = true,
     .ulp = 2,
     .lines = (const char *const[]){"grouped_matmul_add bf16 x=700x270 weight=700x90 "
                                    "groupList=3:i64 yRef=3x270x90:f32:strided transposeX=1 "
                                    "transposeWeight=0 groupType=2",
                                    NULL},
     .sound = "grouped_matmul_add f16 x=7x4 weight=7x5 groupList=2:i64 yRef=2x4x5:f32 "
              "transposeX=1 transposeWeight=0 groupType=2"},
    {.name = NULL},
};
