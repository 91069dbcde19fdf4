/* SPDX-License-Identifier: Apache-2.0 */
/* Copies, casts and fills. */
#include "tests/support/oracle_rows.h"

#include "tests/support/oracle.h"

/* What an element becomes in the output's type. */
static void cast(struct rig_problem *problem, int to, int64_t i, int from, int64_t j)
{
    const enum case_dtype type = problem->tensor[to].view.dtype;
    if (oracle_is_float(problem->tensor[from].view.dtype))
        oracle_real(problem, to, i, type, oracle_value(problem, from, j));
    else
        oracle_whole(problem, to, i, CASE_I64, oracle_whole_value(problem, from, j));
}

/* The operand that is read, whichever it is, broadcast to the one that is written. */
static void copy(struct rig_problem *problem)
{
    const int to = rig_is_output(&problem->op->operand[0]) ? 0 : 1, from = 1 - to;
    const struct rig_tensor *target = &problem->tensor[to];
    for (int64_t i = 0; i < target->count; i++)
        cast(problem, to, i, from, oracle_broadcast(&target->view, i, &problem->tensor[from].view));
}

static void fill(struct rig_problem *problem, const struct rig_scalar *value)
{
    const enum case_dtype type = problem->tensor[0].view.dtype;
    for (int64_t i = 0; i < problem->tensor[0].count; i++)
        if (!oracle_is_float(value->dtype))
            oracle_whole(problem, 0, i, CASE_I64, value->integer);
        else if (oracle_is_float(type) || type == CASE_BOOL)
            oracle_real(problem, 0, i, type, value->real);
        else /* by way of int64 */
            oracle_whole(problem, 0, i, type, (int64_t)oracle_cast_real(CASE_I64, value->real));
}

static void fill_scalar(struct rig_problem *problem)
{
    fill(problem, &problem->call.scalar[0].value[0]);
}

static void fill_zero(struct rig_problem *problem)
{
    fill(problem, &(const struct rig_scalar){.dtype = CASE_I64, .integer = 0});
}

static void fill_one(struct rig_problem *problem)
{
    fill(problem, &(const struct rig_scalar){.dtype = CASE_I64, .integer = 1});
}

/* ---- random problems ---- */

enum { ELEMENTS = 600 };

static struct test_case random_copy(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    int64_t dims[CASE_RANK], narrow[CASE_RANK];
    const int rank = random_shape(random, dims, ELEMENTS);
    const int left = random_once_in(random, 3) ? (int)random_between(random, 0, rank) : 0;
    random_tensor(&test, random, "selfRef", dtype, dims, rank, true);
    for (int axis = left; axis < rank; axis++)
        narrow[axis - left] = random_once_in(random, 4) ? 1 : dims[axis];
    random_tensor(&test, random, "src",
                  random_once_in(random, 3) ? dtype : random_dtype(op, random), narrow, rank - left,
                  false);
    return test;
}

static struct test_case random_cast(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const enum case_dtype to = random_dtype(op, random);
    int64_t dims[CASE_RANK];
    const int rank = random_shape(random, dims, ELEMENTS);
    random_tensor(&test, random, "self", dtype, dims, rank, false);
    random_type(&test, "dtype", to);
    random_tensor(&test, random, "out", to, dims, rank, true);
    return test;
}

static struct test_case random_move(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    int64_t dims[CASE_RANK];
    const int rank = random_shape(random, dims, ELEMENTS);
    random_tensor(&test, random, "x", dtype, dims, rank, false);
    random_tensor(&test, random, "y", dtype, dims, rank, true);
    return test;
}

static struct test_case random_fill(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    int64_t dims[CASE_RANK], one[1] = {1};
    const int rank = random_shape(random, dims, ELEMENTS);
    random_tensor(&test, random, "selfRef", dtype, dims, rank, true);
    if (op->tensor[1])
        random_tensor(&test, random, "value", random_dtype(op, random), one,
                      (int)random_below(random, 2), false);
    else if (op->names->argument[1].name)
        random_scalar(&test, random, "value",
                      random_once_in(random, 2) ? CASE_F32 : random_dtype(op, random));
    return test;
}

const struct oracle_row oracle_copy_rows[] = {
    {.name = "aclnnInplaceCopy",
     .oracle = copy,
     .random = random_copy,
     .lines = (const char *const[]){"inplace_copy f32 selfRef=70x90 src=70x90:s1x70",
                                    "inplace_copy bf16 selfRef=70x90:s1x70 src=90:f32",
                                    "inplace_copy i8 selfRef=3000 src=3000:f32 data=special",
                                    "inplace_copy i64 selfRef=300 src=300:f64 data=special",
                                    "inplace_copy f16 selfRef=300 src=300:i64 data=special", NULL},
     .sound = "inplace_copy f32 selfRef=2x3x4 src=2x3x4"},
    {.name = "aclnnTensorMove",
     .oracle = copy,
     .random = random_move,
     .sound = "tensor_move f32 x=2x3x4 y=2x3x4"},
    {.name = "aclnnCast",
     .oracle = copy,
     .random = random_cast,
     .sound = "cast f32 self=2x3x4 dtype=f16 out=2x3x4:f16"},
    {.name = "aclnnInplaceFillTensor", .oracle = copy, .random = random_fill},
    {.name = "aclnnInplaceFillScalar",
     .oracle = fill_scalar,
     .random = random_fill,
     .sound = "inplace_fill_scalar f32 selfRef=2x3x4 value=2"},
    {.name = "aclnnInplaceZero",
     .oracle = fill_zero,
     .random = random_fill,
     .sound = "inplace_zero f32 selfRef=2x3x4"},
    {.name = "aclnnInplaceOne",
     .oracle = fill_one,
     .random = random_fill,
     .sound = "inplace_one f32 selfRef=2x3x4"},
    {.name = NULL},
};
