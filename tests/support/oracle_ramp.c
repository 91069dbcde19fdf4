/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences and triangles. */
#include <math.h>
#include <string.h>

#include "tests/support/oracle.h"
#include "tests/support/oracle_shape.h"

static const struct rig_scalar *scalar(const struct rig_problem *problem, int i)
{
    return &problem->call.scalar[i].value[0];
}

/* ---- sequences ---- */

static void arange(struct rig_problem *problem)
{
    const enum case_dtype type = problem->tensor[0].view.dtype;
    bool is_whole = true;
    for (int i = 0; i < 3; i++)
        is_whole &= !oracle_is_float(scalar(problem, i)->dtype);
    for (int64_t i = 0; i < problem->tensor[0].count; i++)
        if (is_whole || !oracle_is_float(type))
            oracle_whole(problem, 0, i, CASE_I64,
                         scalar(problem, 0)->integer + i * scalar(problem, 2)->integer);
        else
            oracle_real(problem, 0, i, type,
                        scalar(problem, 0)->real + (double)i * scalar(problem, 2)->real);
}

/* Number i of those at equal distances. */
static double number_at(const struct rig_problem *problem, int64_t i)
{
    const bool cuts = !oracle_is_float(problem->tensor[0].view.dtype);
    const int64_t count = problem->tensor[0].count;
    const double start = cuts ? trunc(scalar(problem, 0)->real) : scalar(problem, 0)->real;
    const double end = cuts ? trunc(scalar(problem, 1)->real) : scalar(problem, 1)->real;
    if (count == 1) return start;
    const double step = (end - start) / (double)(count - 1);
    return i < count / 2 ? start + (double)i * step : end - (double)(count - 1 - i) * step;
}

static void linspace(struct rig_problem *problem)
{
    for (int64_t i = 0; i < problem->tensor[0].count; i++)
        oracle_real(problem, 0, i, problem->tensor[0].view.dtype, number_at(problem, i));
}

static void log_space(struct rig_problem *problem)
{
    for (int64_t i = 0; i < problem->tensor[0].count; i++)
        oracle_real(problem, 0, i, problem->tensor[0].view.dtype,
                    pow(problem->call.real[1], number_at(problem, i)));
}

/* ---- triangles ---- */

static void triangle(struct rig_problem *problem)
{
    const int out = problem->operands - 1;
    const struct operand *view = &problem->tensor[out].view;
    const bool is_upper = strstr(problem->op->name, "Triu") != NULL;
    const int64_t diagonal = problem->call.number[0];
    for (int64_t i = 0; i < problem->tensor[out].count; i++) {
        int64_t at[RANK];
        shape_indices(view, i, at);
        const int64_t right = at[view->rank - 1] - at[view->rank - 2];
        const bool stays = is_upper ? right >= diagonal : right <= diagonal;
        shape_put(problem, out, i, 0, stays ? i : -1);
    }
}

/* ---- random problems ---- */

static double some_number(struct random *random, bool is_whole)
{
    const double value = (double)random_between(random, -20, 20);
    return is_whole ? value : value + (double)random_between(random, 0, 7) / 8;
}

static void add_scalar(struct test_case *test, const char *name, double value, bool is_whole)
{
    struct case_argument *argument = random_number(test, name, value);
    argument->has_dtype = true;
    argument->dtype = is_whole ? CASE_I64 : CASE_F64;
}

static struct test_case random_arange(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const bool is_whole = random_once_in(random, 2) || !oracle_is_float(dtype);
    const bool takes_end = strstr(op->name, "Range") != NULL;
    const double start = fabs(some_number(random, is_whole)),
                 step = 1 + (double)random_below(random, 3) + (is_whole ? 0 : 0.25);
    const double sign = random_once_in(random, 3) && dtype != CASE_U8 ? -1 : 1;
    const double end = start + sign * (double)random_between(random, 0, 90);
    const double count = (end - start) / (sign * step);
    struct shape out = {.rank = 1};
    out.dims[0] = (int64_t)(takes_end ? floor(count) + 1 : ceil(count));
    add_scalar(&test, "start", start, is_whole);
    add_scalar(&test, "end", end, is_whole);
    add_scalar(&test, "step", sign * step, is_whole);
    shape_tensor(&test, random, "out", dtype, &out, true);
    return test;
}

static struct test_case random_linspace(const struct rig_operator *op, struct random *random,
                                        enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const bool is_whole = random_once_in(random, 2), is_power = op->names->number[1] != NULL;
    const struct shape out = shape_some(random, 0, RANK);
    int64_t elements = 1;
    for (int i = 0; i < out.rank; i++)
        elements *= out.dims[i];
    const double start = some_number(random, is_whole), end = some_number(random, is_whole);
    add_scalar(&test, "start", is_power ? start / 4 : fabs(start), is_whole && !is_power);
    add_scalar(&test, "end", is_power ? end / 4 : fabs(end), is_whole && !is_power);
    random_number(&test, "steps", (double)elements);
    if (is_power) random_number(&test, "base", random_once_in(random, 2) ? 10 : 2.5);
    shape_tensor(&test, random, is_power ? "result" : "out", dtype, &out, true);
    return test;
}

static struct test_case random_triangle(const struct rig_operator *op, struct random *random,
                                        enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const bool is_in_place = strstr(op->name, "Inplace") != NULL;
    struct shape self = shape_some(random, 2, RANK);
    if (random_once_in(random, 2)) {
        self.rank = 2;
        self.dims[0] = random_between(random, 1, 20);
        self.dims[1] = random_between(random, 1, 20);
    }
    shape_tensor(&test, random, op->names->tensor[0], dtype, &self, is_in_place);
    random_number(&test, "diagonal", (double)random_between(random, -8, 8));
    if (!is_in_place) shape_tensor(&test, random, "out", dtype, &self, true);
    return test;
}

const struct oracle_row oracle_ramp_rows[] = {
    {.name = "aclnnArange",
     .oracle = arange,
     .random = random_arange,
     .lines = LINES("arange f32 start=0 end=5000 step=1 out=5000",
                    "arange f32 start=0.5 end=2000 step=0.25 out=7998:strided",
                    "arange i64 start=9223372036854775000 end=9223372036854775003 step=1 out=3",
                    "arange bf16 start=5 end=5 step=1 out=0",
                    "arange f16 start=0 end=24 step=2 out=1x3x4:strided"),
     .sound = "arange f32 start=0 end=24 step=1 out=24"},
    {.name = "aclnnRange",
     .oracle = arange,
     .random = random_arange,
     .sound = "range f32 start=0 end=24 step=1 out=25"},
    {.name = "aclnnLinspace",
     .oracle = linspace,
     .random = random_linspace,
     .lines = LINES("linspace f32 start=0 end=1 steps=3001 out=3001",
                    "linspace f32 start=2 end=7 steps=1 out=scalar",
                    "linspace f16 start=1 end=-1 steps=0 out=0")},
    {.name = "aclnnLogSpace", .oracle = log_space, .random = random_linspace, .ulp = 1},
    {.name = "aclnnTril aclnnTriu aclnnInplaceTril aclnnInplaceTriu",
     .oracle = triangle,
     .random = random_triangle},
    {.name = NULL},
};
