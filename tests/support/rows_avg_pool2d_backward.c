/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "tests/support/rig_calls.h"
#include "tests/support/rig_random.h"
#include "tests/support/rows.h"

enum { GRAD_OUTPUT, SELF, GRAD_INPUT };

static void arguments(const struct test_case *test, struct rig_call *call)
{
    call->array[0] = rig_kernel(test);
    call->array[1] = rig_stride(test);
    call->array[2] = rig_pad(test);
    call->number[0] = test->ceil;
    call->number[1] = !test->exclude_pad;
    call->number[2] = test->divisor;
    call->number[3] = test->math;
}

static void oracle(struct rig_problem *problem)
{
    const struct test_case *test = problem->test;
    const struct rig_tensor *dy = &problem->tensor[GRAD_OUTPUT];
    double *rounded = malloc((size_t)dy->count * sizeof *rounded);
    if (!rounded) abort();
    for (int64_t i = 0; i < dy->count; i++)
        rounded[i] = oracle_operand(test->dtype, test->math, dy->values[i]);
    oracle_avg_pool_backward(test, rounded, problem->tensor[GRAD_INPUT].sums);
    free(rounded);
    problem->roundings = 2.0 * test->axes; /* a reciprocal and a product for each axis */
    for (int i = 0; i < test->axes; i++)   /* until the last reciprocal is applied */
        problem->headroom *= (double)case_window(test, i).kernel;
}

static void make_empty(struct random *random, struct test_case *test)
{
    test->has_output = true;
    for (int i = 0; i < test->axes; i++)
        test->output[i] = random_below(random, 4);
    switch (random_below(random, 4)) {
    case 0:
        if (test->batched) test->batch = 0;
        if (!test->batched) test->channels = 0;
        break;
    case 1:
        test->channels = 0;
        break;
    case 2:
        test->input[random_below(random, test->axes)] = 0;
        break;
    default:
        test->output[random_below(random, test->axes)] = 0;
    }
}

static struct test_case random_case(struct random *random, enum case_dtype dtype)
{
    struct test_case test =
        rig_random_window(random, "avg_pool2d_backward", dtype, 2,
                          RIG_CEIL | RIG_EXCLUDE_PAD | RIG_DIVISOR | RIG_MATH | RIG_NULL_STRIDE);
    if (random_once_in(random, 80)) make_empty(random, &test);
    return test;
}

const struct rig_operator rig_avg_pool2d_backward = {
    .word = "avg_pool2d_backward",
    RIG_CALL(aclnnAvgPool2dBackward),
    .operand = {{RIG_READ, CASE_DY, NULL, false},
                {RIG_SHAPE, CASE_X, NULL, false},
                {RIG_SUM, CASE_DX, NULL, false}},
    .arguments = arguments,
    .oracle = oracle,
    .random_case = random_case,
};
