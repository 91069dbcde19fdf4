/* SPDX-License-Identifier: Apache-2.0 */
/* Average pooling to a given size, its gradient, and the mean of every plane. */
#include <string.h>

#include "tests/support/rig_calls.h"
#include "tests/support/rig_random.h"
#include "tests/support/rows.h"

static double cells_of(const struct oracle_box *box)
{
    return (double)oracle_first(box).left;
}

static void clear_result(struct rig_problem *problem)
{
    struct rig_tensor *result = &problem->tensor[rig_operand_count(problem->op) - 1];
    memset(result->sums, 0, (size_t)result->count * sizeof result->sums[0]);
}

static void size_arguments(const struct test_case *test, struct rig_call *call)
{
    call->array[0] = rig_small_size(test);
}

static void no_arguments(const struct test_case *test, struct rig_call *call)
{
    (void)test;
    (void)call;
}

static void forward_oracle(struct rig_problem *problem)
{
    const struct oracle_problem p = oracle_adaptive_problem_of(problem->test);
    clear_result(problem);
    for (int64_t plane = 0; plane < p.planes; plane++)
        for (int64_t w = 0; w < p.outputs; w++) {
            const struct oracle_box box = oracle_box_of(&p, w);
            for (struct oracle_tap tap = oracle_first(&box); tap.left > 0; oracle_next(&box, &tap))
                oracle_add(&problem->tensor[1].sums[plane * p.outputs + w],
                           problem->tensor[0].values[plane * p.inputs + tap.offset] /
                               cells_of(&box));
        }
    problem->roundings = 2; /* the reciprocal and the product */
    problem->headroom = (double)p.inputs;
}

static void backward_oracle(struct rig_problem *problem)
{
    const struct oracle_problem p = oracle_adaptive_problem_of(problem->test);
    clear_result(problem);
    for (int64_t plane = 0; plane < p.planes; plane++)
        for (int64_t w = 0; w < p.outputs; w++) {
            const struct oracle_box box = oracle_box_of(&p, w);
            const double share = problem->tensor[0].values[plane * p.outputs + w] / cells_of(&box);
            for (struct oracle_tap tap = oracle_first(&box); tap.left > 0; oracle_next(&box, &tap))
                oracle_add(&problem->tensor[2].sums[plane * p.inputs + tap.offset], share);
        }
    problem->roundings = 4; /* the size in two factors, each a reciprocal and a product */
    problem->headroom = (double)p.inputs;
}

/* ---- forward ---- */

static struct test_case random_2d(struct random *random, enum case_dtype dtype)
{
    return rig_random_adaptive(random, "adaptive_avg_pool2d", dtype, 2, 0);
}

const struct rig_operator rig_adaptive_avg_pool2d = {
    .word = "adaptive_avg_pool2d",
    RIG_CALL(aclnnAdaptiveAvgPool2d),
    .operand = {{RIG_READ, CASE_X, NULL, false}, {RIG_SUM, CASE_Y, NULL, false}},
    .arguments = size_arguments,
    .oracle = forward_oracle,
    .random_case = random_2d,
};

static struct test_case random_3d(struct random *random, enum case_dtype dtype)
{
    return rig_random_adaptive(random, "adaptive_avg_pool3d", dtype, 3, RIG_ND_FORMAT);
}

const struct rig_operator rig_adaptive_avg_pool3d = {
    .word = "adaptive_avg_pool3d",
    RIG_CALL(aclnnAdaptiveAvgPool3d),
    .operand = {{RIG_READ, CASE_X, NULL, false}, {RIG_SUM, CASE_Y, NULL, false}},
    .arguments = size_arguments,
    .oracle = forward_oracle,
    .random_case = random_3d,
};

/* ---- gradients ---- */

static struct test_case random_2d_backward(struct random *random, enum case_dtype dtype)
{
    return rig_random_adaptive(random, "adaptive_avg_pool2d_backward", dtype, 2, RIG_ND_FORMAT);
}

const struct rig_operator rig_adaptive_avg_pool2d_backward = {
    .word = "adaptive_avg_pool2d_backward",
    RIG_CALL(aclnnAdaptiveAvgPool2dBackward),
    .operand = {{RIG_READ, CASE_DY, NULL, false},
                {RIG_SHAPE, CASE_X, NULL, false},
                {RIG_SUM, CASE_DX, NULL, false}},
    .arguments = no_arguments,
    .oracle = backward_oracle,
    .random_case = random_2d_backward,
};

/* DOUBLE only for one output per plane. */
static struct test_case random_3d_backward(struct random *random, enum case_dtype dtype)
{
    struct test_case test =
        rig_random_adaptive(random, "adaptive_avg_pool3d_backward", dtype, 3, RIG_ND_FORMAT);
    for (int i = 0; dtype == CASE_F64 && i < test.axes; i++)
        test.output[i] = 1;
    return test;
}

const struct rig_operator rig_adaptive_avg_pool3d_backward = {
    .word = "adaptive_avg_pool3d_backward",
    RIG_CALL(aclnnAdaptiveAvgPool3dBackward),
    .operand = {{RIG_READ, CASE_DY, NULL, false},
                {RIG_SHAPE, CASE_X, NULL, false},
                {RIG_SUM, CASE_DX, NULL, false}},
    .arguments = no_arguments,
    .oracle = backward_oracle,
    .random_case = random_3d_backward,
};

/* ---- the mean of every plane ---- */

static void global_oracle(struct rig_problem *problem)
{
    const struct rig_tensor *x = &problem->tensor[0], *y = &problem->tensor[1];
    const int64_t cells = x->count / y->count;
    clear_result(problem);
    for (int64_t i = 0; i < x->count; i++)
        oracle_add(&y->sums[i / cells], x->values[i] / (double)cells);
    problem->roundings = 2; /* the reciprocal and the product */
    problem->headroom = (double)cells;
}

static struct test_case random_global(struct random *random, enum case_dtype dtype)
{
    struct test_case test = rig_random_global(random, "global_average_pool", dtype, 0);
    if (test.axes > 3 || random_once_in(random, 3)) test.format = CASE_ND;
    return test;
}

const struct rig_operator rig_global_average_pool = {
    .word = "global_average_pool",
    RIG_CALL(aclnnGlobalAveragePool),
    .operand = {{RIG_READ, CASE_X, NULL, false}, {RIG_SUM, CASE_Y, NULL, false}},
    .arguments = no_arguments,
    .oracle = global_oracle,
    .random_case = random_global,
};
