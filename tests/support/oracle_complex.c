/* SPDX-License-Identifier: Apache-2.0 */
/* Complex numbers that are made of real ones. */
#include <math.h>

#include "tests/support/oracle_rows.h"

enum { FIRST, SECOND, OUT };

/* Element i of out, rounded once. */
static void give(struct rig_problem *problem, int64_t i, double real, double imaginary)
{
    const uint64_t bits = oracle_cast_real(CASE_F32, imaginary) << 32;
    oracle_whole(problem, OUT, i, CASE_C64, (int64_t)(bits | oracle_cast_real(CASE_F32, real)));
}

static double value(const struct rig_problem *problem, int operand, int64_t i)
{
    const struct operand *from = &problem->tensor[operand].view;
    return oracle_value(problem, operand, oracle_broadcast(&problem->tensor[OUT].view, i, from));
}

static void complex_of(struct rig_problem *problem)
{
    for (int64_t i = 0; i < problem->tensor[OUT].count; i++)
        give(problem, i, value(problem, FIRST, i), value(problem, SECOND, i));
}

static void polar(struct rig_problem *problem)
{
    for (int64_t i = 0; i < problem->tensor[OUT].count; i++) {
        const long double size = value(problem, FIRST, i), angle = value(problem, SECOND, i);
        give(problem, i, (double)(size * cosl(angle)), (double)(size * sinl(angle)));
    }
}

/* FLOAT makes COMPLEX64; tests/ops/test_complex_arithmetic.c has the other type. */
static struct test_case random_parts(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, CASE_F32);
    int64_t dims[CASE_RANK], rest[CASE_RANK];
    const int rank = random_shape(random, dims, 400);
    (void)dtype;
    test.data = CASE_PLAIN; /* there are many NaNs, and here bits are compared */
    for (int i = 0; i < rank; i++)
        rest[i] = random_once_in(random, 4) ? 1 : dims[i];
    random_tensor(&test, random, op->tensor[FIRST], CASE_F32, dims, rank, false);
    random_tensor(&test, random, op->tensor[SECOND], CASE_F32, rest, rank, false);
    random_tensor(&test, random, op->tensor[OUT], CASE_C64, dims, rank, true);
    return test;
}

const struct oracle_row oracle_complex_rows[] = {
    {.name = "aclnnComplex",
     .oracle = complex_of,
     .random = random_parts,
     .sound = "complex f32 real=2x3x4 imag=2x3x4 out=2x3x4:c64"},
    {.name = "aclnnPolar",
     .oracle = polar,
     .random = random_parts,
     .sound = "polar f32 input=2x3x4 angle=2x3x4 out=2x3x4:c64"},
    {.name = NULL},
};
