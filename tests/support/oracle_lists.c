/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions of lists of tensors. */
#include <math.h>

#include "tests/support/oracle_rows.h"

enum { X, OUT };

static double norm_of(const struct rig_problem *problem, int operand, double p)
{
    double value = isinf(p) && p < 0 ? INFINITY : 0;
    for (int64_t i = 0; i < problem->tensor[operand].count; i++) {
        const double x = fabs(oracle_value(problem, operand, i));
        if (isinf(p))
            value = isnan(x) || (p > 0 ? x > value : x < value) ? x : value;
        else
            value += p == 0 ? x != 0 : pow(x, p);
    }
    return p == 0 || isinf(p) ? value : pow(value, 1 / p);
}

static void norms(struct rig_problem *problem)
{
    const struct rig_call *call = &problem->call;
    const double p = call->scalar[0].value[0].real, root = p == 0 ? 1 : fmax(1, fabs(1 / p));
    problem->is_sum = true;
    for (int n = 0; n < call->count[X]; n++) {
        const int x = call->first[X] + n, out = call->first[OUT] + n;
        const double value = norm_of(problem, x, p);
        problem->tensor[out].sums[0] =
            (struct oracle_sum){value, isfinite(value) ? value : 0,
                                (int64_t)(((double)problem->tensor[x].count + 8) * root)};
    }
}

static struct test_case random_norms(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    static const double orders[] = {0, 1, 2, 3, 0.5, -1, INFINITY, -INFINITY};
    struct test_case test = random_start(op, random, dtype);
    const int count = (int)random_between(random, 1, 4);
    const double order = orders[random_below(random, 8)];
    for (int i = 0; i < count; i++) {
        int64_t dims[CASE_RANK];
        int rank;
        do {
            rank = random_shape(random, dims, 200);
            for (int axis = 0; axis < rank && isinf(order); axis++)
                dims[axis] += dims[axis] == 0; /* nothing has no largest */
        } while (rank == 0);
        random_tensor(&test, random, op->tensor[X], dtype, dims, rank, false)->place =
            i == 0 ? CASE_FIRST : CASE_NEXT;
    }
    struct case_argument *p = random_scalar(&test, random, "scalar", CASE_F32);
    p->real = order;
    p->has_real = true;
    for (int i = 0; i < count; i++)
        random_tensor(&test, random, op->tensor[OUT], dtype, (const int64_t[CASE_RANK]){1},
                      (int)random_below(random, 2), true)
            ->place = i == 0 ? CASE_FIRST : CASE_NEXT;
    return test;
}

const struct oracle_row oracle_lists_rows[] = {
    {.name = "aclnnForeachNorm",
     .oracle = norms,
     .random = random_norms,
     .by_strides = true,
     .ulp = 1,
     .lines =
         (const char *const[]){
             "foreach_norm f32 x=[300000,70x30,0x3] scalar=2:f32 out=[scalar,1,scalar]",
             "foreach_norm f16 x=[30000,scalar] scalar=1:i64 out=[scalar,scalar] data=special",
             "foreach_norm f32 x=[] scalar=2:f32 out=[]", NULL}},
    {.name = NULL},
};
