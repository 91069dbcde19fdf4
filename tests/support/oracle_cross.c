/* SPDX-License-Identifier: Apache-2.0 */
/* Cross products, component by component. */
#include <string.h>

#include "tests/support/oracle_rows.h"

enum { SELF, OTHER, OUT };

/* Element of an operand where the component of element i of the result is another one. */
static int64_t element_of(const struct rig_problem *problem, int operand, int64_t i, int axis,
                          int64_t other)
{
    const struct operand *out = &problem->tensor[OUT].view;
    int64_t step = 1;
    for (int k = axis + 1; k < out->rank; k++)
        step *= out->dims[k];
    const int64_t own = i / step % 3;
    return oracle_broadcast(out, i + (other - own) * step, &problem->tensor[operand].view);
}

static void cross(struct rig_problem *problem)
{
    const struct operand *out = &problem->tensor[OUT].view;
    const int64_t dim = problem->call.number[0];
    const int axis = (int)(dim < 0 ? dim + out->rank : dim);
    const bool is_double = out->dtype == CASE_F64;
    int64_t step = 1;
    for (int k = axis + 1; k < out->rank; k++)
        step *= out->dims[k];
    for (int64_t i = 0; i < problem->tensor[OUT].count; i++) {
        const int64_t j = (i / step + 1) % 3, k = (i / step + 2) % 3;
        const int64_t a = element_of(problem, SELF, i, axis, j),
                      b = element_of(problem, OTHER, i, axis, k),
                      c = element_of(problem, SELF, i, axis, k),
                      d = element_of(problem, OTHER, i, axis, j);
        if (!oracle_is_float(out->dtype)) {
            const uint64_t left = (uint64_t)oracle_whole_value(problem, SELF, a) *
                                  (uint64_t)oracle_whole_value(problem, OTHER, b);
            const uint64_t right = (uint64_t)oracle_whole_value(problem, SELF, c) *
                                   (uint64_t)oracle_whole_value(problem, OTHER, d);
            oracle_whole(problem, OUT, i, out->dtype, (int64_t)(left - right));
            continue;
        }
        double left = oracle_value(problem, SELF, a) * oracle_value(problem, OTHER, b);
        double right = oracle_value(problem, SELF, c) * oracle_value(problem, OTHER, d);
        if (!is_double) left = oracle_round(CASE_F32, left);
        if (!is_double) right = oracle_round(CASE_F32, right);
        const double value = left - right;
        oracle_real(problem, OUT, i, out->dtype, is_double ? value : oracle_round(CASE_F32, value));
    }
}

static struct test_case random_cross(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    int64_t self[CASE_RANK], other[CASE_RANK], out[CASE_RANK];
    const int rank = (int)random_between(random, 1, 5), axis = (int)random_below(random, rank);
    for (int i = 0; i < rank; i++) {
        out[i] = i == axis ? 3 : random_between(random, random_once_in(random, 20) ? 0 : 1, 5);
        self[i] = random_once_in(random, 6) ? 1 : out[i];
        other[i] = self[i] == out[i] && random_once_in(random, 6) ? 1 : out[i];
    }
    random_tensor(&test, random, "self", dtype, self, rank, false);
    random_tensor(&test, random, "other", dtype, other, rank, false);
    random_number(&test, "dim", random_once_in(random, 2) ? axis : axis - rank);
    random_tensor(&test, random, "out", dtype, out, rank, true);
    return test;
}

const struct oracle_row oracle_cross_rows[] = {
    {.name = "aclnnLinalgCross",
     .oracle = cross,
     .random = random_cross,
     .lines =
         (const char *const[]){"linalg_cross f32 self=100x3x40 other=100x3x40 dim=1 out=100x3x40",
                               "linalg_cross bf16 self=3x7 other=3x1 dim=0 out=3x7 data=special",
                               NULL},
     .sound = "linalg_cross f32 self=2x4x3 other=2x4x3 dim=2 out=2x4x3"},
    {.name = NULL},
};
