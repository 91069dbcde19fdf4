/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions of lists of tensors. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/oracle_rows.h"

enum { X, OUT };

/* leaves_range: the sum of powers is no normal f32 number, nor far below the largest. */
static double norm_of(const struct rig_problem *problem, int operand, double p, bool *leaves_range)
{
    double value = isinf(p) && p < 0 ? INFINITY : 0;
    *leaves_range = false;
    for (int64_t i = 0; i < problem->tensor[operand].count; i++) {
        const double x = fabs(oracle_value(problem, operand, i));
        if (isinf(p))
            value = isnan(x) || (p > 0 ? x > value : x < value) ? x : value;
        else
            value += p == 0 ? x != 0 : pow(x, p);
    }
    if (p == 0 || isinf(p)) return value;
    *leaves_range = isfinite(value) && value != 0 && (value > 1e37 || value < 1e-37);
    return pow(value, 1 / p);
}

static void norms(struct rig_problem *problem)
{
    const struct rig_call *call = &problem->call;
    const double p = call->scalar[0].value[0].real, root = p == 0 ? 1 : fmax(1, fabs(1 / p));
    problem->is_sum = true;
    for (int n = 0; n < call->count[X]; n++) {
        const int x = call->first[X] + n, out = call->first[OUT] + n;
        bool leaves_range;
        const double value = norm_of(problem, x, p, &leaves_range);
        const bool is_double = problem->tensor[x].view.dtype == CASE_F64;
        const double size = leaves_range && !is_double ? DBL_MAX : value;
        problem->tensor[out].sums[0] =
            (struct oracle_sum){value, isfinite(value) ? size : 0,
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

/* ---- elementwise functions of all tensors of a list ---- */

static double joined(const char *op, double a, double b)
{
    if (strstr(op, "Sum") || strstr(op, "AddN")) return a + b;
    if (isnan(a) || isnan(b)) return NAN;
    return strstr(op, "Max") ? (a < b ? b : a) : (b < a ? b : a);
}

static int64_t joined_whole(const char *op, int64_t a, int64_t b)
{
    if (strstr(op, "Sum") || strstr(op, "AddN")) return (int64_t)((uint64_t)a + (uint64_t)b);
    return strstr(op, "Max") ? (a < b ? b : a) : (b < a ? b : a);
}

static void many(struct rig_problem *problem)
{
    const struct rig_call *call = &problem->call;
    const int out = call->first[OUT];
    const struct operand *to = &problem->tensor[out].view;
    for (int64_t i = 0; i < problem->tensor[out].count; i++) {
        double real = 0;
        int64_t whole = 0;
        for (int n = 0; n < call->count[X]; n++) {
            const int x = call->first[X] + n;
            const int64_t at = oracle_broadcast(to, i, &problem->tensor[x].view);
            if (oracle_is_float(to->dtype)) {
                const double value = oracle_value(problem, x, at);
                real = n == 0 ? value : joined(problem->op->name, real, value);
                if (to->dtype != CASE_F64) real = oracle_round(CASE_F32, real);
            } else {
                const int64_t value = oracle_whole_value(problem, x, at);
                whole = n == 0 ? value : joined_whole(problem->op->name, whole, value);
            }
        }
        if (oracle_is_float(to->dtype))
            oracle_real(problem, out, i, to->dtype, real);
        else
            oracle_whole(problem, out, i, to->dtype, whole);
    }
}

static struct test_case random_many(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    int64_t out[CASE_RANK];
    const int rank = random_shape(random, out, 200), count = (int)random_between(random, 1, 5);
    const int whole = (int)random_below(random, count); /* this one has the shape of all */
    for (int i = 0; i < count; i++) {
        int64_t dims[CASE_RANK];
        const int less = i == whole ? 0 : (int)random_between(random, 0, rank);
        for (int axis = less; axis < rank; axis++)
            dims[axis - less] = i != whole && random_once_in(random, 4) ? 1 : out[axis];
        random_tensor(&test, random, op->tensor[X], dtype, dims, rank - less, false)->place =
            i == 0 ? CASE_FIRST : CASE_NEXT;
    }
    random_tensor(&test, random, op->tensor[OUT], dtype, out, rank, true);
    return test;
}

/* ---- aclnnEinsum: "abcd,abced->abce", or "a,b->ab" ---- */

static void einsum(struct rig_problem *problem)
{
    const struct rig_call *call = &problem->call;
    const int a = call->first[X], b = a + 1, out = call->first[OUT];
    const enum case_dtype type = problem->tensor[out].view.dtype;
    const bool sums = strcmp(call->text[0], "a,b->ab") != 0;
    const int64_t *sizes = problem->tensor[b].view.dims;
    const int64_t width = sums ? sizes[4] : 1;
    problem->is_sum = sums && oracle_is_float(type);
    for (int64_t i = 0; i < problem->tensor[out].count; i++) {
        double real = 0, size = 0;
        int64_t whole = 0;
        for (int64_t d = 0; d < width; d++) {
            const int64_t at_a = sums ? i / sizes[3] * width + d : i / sizes[0];
            const int64_t at_b = sums ? i * width + d : i % sizes[0];
            if (oracle_is_float(type)) {
                const double product =
                    oracle_value(problem, a, at_a) * oracle_value(problem, b, at_b);
                real = sums ? real + product : product; /* 0 + -0 is 0 */
                size += fabs(product);
            } else {
                whole =
                    (int64_t)((uint64_t)whole + (uint64_t)oracle_whole_value(problem, a, at_a) *
                                                    (uint64_t)oracle_whole_value(problem, b, at_b));
            }
        }
        if (!oracle_is_float(type))
            oracle_whole(problem, out, i, CASE_I64, whole);
        else if (sums)
            problem->tensor[out].sums[i] =
                (struct oracle_sum){real, isfinite(size) ? size : 0, width + 4};
        else
            oracle_real(problem, out, i, type, real);
    }
}

static struct test_case random_einsum(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const bool sums = random_once_in(random, 2);
    int64_t b[CASE_RANK];
    for (int i = 0; i < 5; i++)
        b[i] = random_between(random, random_once_in(random, 30) ? 0 : 1, i == 4 ? 9 : 4);
    const int64_t a[CASE_RANK] = {b[0], b[1], b[2], b[4]}, both[CASE_RANK] = {b[4], b[3]};
    if (sums) test.data = CASE_PLAIN;
    random_tensor(&test, random, op->tensor[X], dtype, sums ? a : &b[4], sums ? 4 : 1, false)
        ->place = CASE_FIRST;
    random_tensor(&test, random, op->tensor[X], dtype, sums ? b : &b[3], sums ? 5 : 1, false)
        ->place = CASE_NEXT;
    snprintf(case_add(&test, "equation", CASE_ALONE)->text, CASE_TEXT, "%s",
             sums ? "abcd,abced->abce" : "a,b->ab");
    random_tensor(&test, random, op->tensor[OUT], dtype, sums ? b : both, sums ? 4 : 2, true);
    return test;
}

const struct oracle_row oracle_lists_rows[] = {
    {.name = "aclnnEinsum", .oracle = einsum, .random = random_einsum, .by_strides = true},
    {.name = "aclnnMaxN aclnnMinN aclnnSum aclnnAddN", .oracle = many, .random = random_many},
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
