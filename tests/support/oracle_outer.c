/* SPDX-License-Identifier: Apache-2.0 */
/* Outer products, element by element. */
#include <math.h>
#include <string.h>

#include "tests/support/oracle.h"
#include "tests/support/oracle_rows.h"

enum { BETA, ALPHA }; /* scalars */

/* Where the arguments stand; addend -1: none. */
struct places {
    int addend, column, row, out;
};

static struct places places_of(const struct rig_problem *problem)
{
    if (strstr(problem->op->name, "Ger")) return (struct places){-1, 0, 1, 2};
    return (struct places){0, 1, 2, strstr(problem->op->name, "Inplace") ? 0 : 3};
}

static enum case_dtype type_of(const struct rig_problem *problem, const struct places *p)
{
    const enum case_dtype type =
        oracle_promote(problem->tensor[p->column].view.dtype, problem->tensor[p->row].view.dtype);
    return p->addend < 0 ? type : oracle_promote(problem->tensor[p->addend].view.dtype, type);
}

static void whole_element(struct rig_problem *problem, const struct places *p, enum case_dtype type,
                          int64_t i, const int64_t at[3])
{
    const struct rig_scalars *scalar = problem->call.scalar;
    const int64_t one = oracle_whole_value(problem, p->column, at[1]),
                  other = oracle_whole_value(problem, p->row, at[2]);
    uint64_t sum = (uint64_t)one * (uint64_t)other;
    if (p->addend >= 0 && type == CASE_BOOL) {
        sum = sum != 0 && scalar[ALPHA].value[0].real != 0;
        if (scalar[BETA].value[0].real != 0) sum |= oracle_whole_value(problem, 0, at[0]) != 0;
    } else if (p->addend >= 0) {
        sum = sum * (uint64_t)scalar[ALPHA].value[0].integer +
              (uint64_t)oracle_whole_value(problem, 0, at[0]) *
                  (uint64_t)scalar[BETA].value[0].integer;
    }
    oracle_whole(problem, p->out, i, type, (int64_t)sum);
}

/* Returns the sum of the terms' sizes. */
static double real_element(struct rig_problem *problem, const struct places *p,
                           enum case_dtype type, int64_t i, const int64_t at[3])
{
    double factor[2] = {0, 1};
    for (int k = 0; k < 2 && p->addend >= 0; k++) {
        const double value = problem->call.scalar[k].value[0].real;
        factor[k] = type == CASE_F64 ? value : oracle_round(CASE_F32, value);
    }
    const double product = factor[ALPHA] * oracle_value(problem, p->column, at[1]) *
                           oracle_value(problem, p->row, at[2]);
    const bool adds = factor[BETA] != 0;
    const double addend = adds ? factor[BETA] * oracle_value(problem, p->addend, at[0]) : 0;
    oracle_real(
        problem, p->out, i, problem->tensor[p->out].view.dtype,
        oracle_round(type == CASE_F64 ? CASE_F64 : CASE_F32, adds ? product + addend : product));
    return isfinite(product + addend) ? fabs(product) + fabs(addend) : 0;
}

static void outer(struct rig_problem *problem)
{
    const struct places p = places_of(problem);
    const enum case_dtype type = type_of(problem, &p);
    const struct operand *out = &problem->tensor[p.out].view;
    double largest = 0;
    for (int64_t i = 0; i < problem->tensor[p.out].count; i++) {
        int64_t at[3] = {0, i / out->dims[1], i % out->dims[1]};
        if (p.addend >= 0) at[0] = oracle_broadcast(out, i, &problem->tensor[p.addend].view);
        if (oracle_is_float(type))
            largest = fmax(largest, real_element(problem, &p, type, i, at));
        else
            whole_element(problem, &p, type, i, at);
    }
    /* Two products of the first factors, one each with the addend, and the sum. */
    if (p.addend >= 0)
        problem->near.absolute = 6 * (type == CASE_F64 ? 0x1p-53 : 0x1p-24) * largest;
}

/* A type that the one of the problem's first tensor is, or can be cast to. */
static enum case_dtype result_type(const struct rig_operator *op, struct random *random,
                                   enum case_dtype type)
{
    const enum case_dtype other = random_dtype(op, random);
    return random_once_in(random, 3) && oracle_kind(other) >= oracle_kind(type) ? other : type;
}

static struct test_case random_outer(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    const struct rig_problem of = {.op = op};
    const struct places p = places_of(&of);
    const bool in_place = p.addend == p.out;
    struct test_case test = random_start(op, random, dtype);
    const int64_t sizes[] = {random_between(random, 0, 12), random_between(random, 0, 12)};
    enum case_dtype type = dtype;
    test.data = CASE_PLAIN;
    if (p.addend >= 0) {
        const int left = in_place ? 0 : (int)random_below(random, 3);
        int64_t addend[2] = {0};
        for (int i = left; i < 2; i++)
            addend[i - left] = !in_place && random_once_in(random, 3) ? 1 : sizes[i];
        random_tensor(&test, random, op->tensor[p.addend], dtype, addend, 2 - left, in_place);
    }
    for (int i = 0; i < 2; i++) {
        enum case_dtype own = random_once_in(random, 2) ? dtype : random_dtype(op, random);
        if (in_place && oracle_kind(own) > oracle_kind(dtype)) own = dtype;
        if (p.addend < 0 && i == 0) type = own;
        type = oracle_promote(type, own);
        random_tensor(&test, random, op->tensor[i == 0 ? p.column : p.row], own, &sizes[i], 1,
                      false);
    }
    if (p.addend >= 0) {
        const enum case_dtype number = type == CASE_BOOL ? CASE_BOOL : CASE_I64;
        random_scalar(&test, random, "betaOptional", number);
        random_scalar(&test, random, "alphaOptional", number);
    }
    if (!in_place)
        random_tensor(&test, random, "out", result_type(op, random, type), sizes, 2, true);
    return test;
}

#define ROW(names, ...)                                                                            \
    {                                                                                              \
        .name = names, .oracle = outer, .random = random_outer, .ulp = 2, __VA_ARGS__              \
    }

const struct oracle_row oracle_outer_rows[] = {
    ROW("aclnnGer", .sound = "ger f32 self=2 vec2=3 out=2x3"),
    ROW("aclnnAddr",
        .lines = (const char *const[]){"addr i32 self=3x4 vec1=3 vec2=4 betaOptional=-3 "
                                       "alphaOptional=5 out=3x4",
                                       "addr f32 self=scalar vec1=300 vec2=400:s3 "
                                       "betaOptional=0.5 alphaOptional=-2 out=300x400",
                                       NULL},
        .sound = "addr f32 self=2x3 vec1=2 vec2=3 betaOptional=2 alphaOptional=3 out=2x3"),
    ROW("aclnnInplaceAddr",
        .sound = "inplace_addr f32 selfRef=2x3 vec1=2 vec2=3 betaOptional=2 alphaOptional=3"),
    {.name = NULL},
};
