/* SPDX-License-Identifier: Apache-2.0 */
/* Mixed precision: gradients scaled back, the scale that follows. */
#include <math.h>
#include <string.h>

#include "tests/support/oracle_rows.h"

enum { SCALE, TRACKER, FOUND, NEW_SCALE, NEW_TRACKER }; /* aclnnAmpUpdateScale */

static void unscale(struct rig_problem *problem)
{
    const int grads = problem->operands - 2, found = grads, inverse = grads + 1;
    bool is_found = false;
    for (int n = 0; n < grads; n++)
        for (int64_t i = 0; i < problem->tensor[n].count; i++) {
            const double x = oracle_value(problem, n, i);
            is_found |= !isfinite(x);
            oracle_real(problem, n, i, problem->tensor[n].view.dtype,
                        x * oracle_value(problem, inverse, 0));
        }
    oracle_real(problem, found, 0, CASE_F32, is_found ? 1 : oracle_value(problem, found, 0));
}

static struct test_case random_unscale(const struct rig_operator *op, struct random *random,
                                       enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    int64_t dims[CASE_RANK], one[CASE_RANK] = {1};
    const int count = (int)random_between(random, 1, 3);
    for (int i = 0; i < count; i++) {
        const int rank = random_shape(random, dims, 300);
        struct case_argument *grad =
            random_tensor(&test, random, "scaledGrads", dtype, dims, rank, true);
        grad->place = i == 0 ? CASE_FIRST : CASE_NEXT;
    }
    random_tensor(&test, random, "foundInf", CASE_F32, one, 1, true);
    random_tensor(&test, random, "invScale", CASE_F32, one, (int)random_below(random, 2), false);
    return test;
}

static void amp_scale(struct rig_problem *problem)
{
    const enum case_dtype dtype = problem->tensor[NEW_SCALE].view.dtype;
    const double growth = problem->call.real[0], backoff = problem->call.real[1];
    double scale = oracle_value(problem, SCALE, 0);
    int64_t tracker = oracle_whole_value(problem, TRACKER, 0);
    if (oracle_value(problem, FOUND, 0) != 0) {
        scale *= backoff;
        tracker = 0;
    } else if (++tracker == problem->call.number[2]) {
        const double grown = oracle_from_bits(dtype, oracle_to_bits(dtype, scale * growth));
        if (isfinite(grown)) scale *= growth;
        tracker = 0;
    }
    oracle_real(problem, NEW_SCALE, 0, dtype, scale);
    oracle_whole(problem, NEW_TRACKER, 0, CASE_I32, tracker);
}

/* Half of the time nothing was found; counts are small. */
static void fill(struct rig_problem *problem, struct random *random)
{
    if (random_once_in(random, 2)) problem->tensor[FOUND].bits[0] = 0;
    problem->tensor[TRACKER].bits[0] = (uint64_t)random_below(random, 4);
}

static struct test_case random_scale(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const int64_t one[CASE_RANK] = {1};
    random_tensor(&test, random, "currentScale", dtype, one, 1, false);
    random_tensor(&test, random, "growthTracker", CASE_I32, one, 1, false);
    random_tensor(&test, random, "foundInf", dtype, one, 1, false);
    random_number(&test, "growthFactor", 2);
    random_number(&test, "backoffFactor", 0.5);
    random_number(&test, "growthInterval", (double)random_between(random, 1, 4));
    random_tensor(&test, random, "updatedScale", dtype, one, 1, true);
    random_tensor(&test, random, "updatedGrowthTracker", CASE_I32, one, 1, true);
    return test;
}

const struct oracle_row oracle_amp_rows[] = {
    {.name = "aclnnForeachNonFiniteCheckAndUnscale",
     .oracle = unscale,
     .random = random_unscale,
     .lines =
         (const char *const[]){
             "foreach_non_finite_check_and_unscale f32 scaledGrads=[70001,300x200] foundInf=1:f32 "
             "invScale=1:f32",
             "foreach_non_finite_check_and_unscale bf16 scaledGrads=[70001] foundInf=1:f32 "
             "invScale=1:f32 data=special",
             NULL}},
    {.name = "aclnnAmpUpdateScale", .oracle = amp_scale, .random = random_scale, .fill = fill},
    {.name = NULL},
};
