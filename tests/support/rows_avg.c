/* SPDX-License-Identifier: Apache-2.0 */
/* Average pooling forward, its gradient in three axes, and the gradient of ONNX and OpenVINO. */
#include <math.h>
#include <string.h>

#include "tests/support/rig_calls.h"
#include "tests/support/rig_random.h"
#include "tests/support/rows.h"

static void window_arguments(const struct test_case *test, struct rig_call *call)
{
    call->array[0] = rig_kernel(test);
    call->array[1] = rig_stride(test);
    call->array[2] = rig_pad(test);
    call->number[0] = test->ceil;
    call->number[1] = !test->exclude_pad;
    call->number[2] = test->divisor;
    call->number[3] = test->math;
}

/* Before the divisor is applied a sum is that much larger. */
static double headroom_of(const struct test_case *test)
{
    double area = 1;
    for (int i = 0; i < test->axes; i++)
        area *= (double)case_window(test, i).kernel;
    return fmax(area, fabs((double)test->divisor));
}

static void forward_oracle(struct rig_problem *problem)
{
    const struct test_case *test = problem->test;
    const struct oracle_problem p = oracle_problem_of(test);
    const double *x = problem->tensor[0].values;
    struct oracle_sum *y = problem->tensor[1].sums;
    memset(y, 0, (size_t)problem->tensor[1].count * sizeof *y);
    for (int64_t plane = 0; plane < p.planes; plane++)
        for (int64_t w = 0; w < p.outputs; w++) {
            const struct oracle_box box = oracle_box_of(&p, w);
            const double divisor = oracle_divisor(test, &box);
            struct oracle_sum *sum = &y[plane * p.outputs + w];
            for (struct oracle_tap tap = oracle_first(&box); tap.left > 0; oracle_next(&box, &tap))
                oracle_add(
                    sum, oracle_operand(test->dtype, test->math, x[plane * p.inputs + tap.offset]) /
                             divisor);
        }
    problem->roundings = 2; /* the reciprocal and the product */
    problem->headroom = headroom_of(test);
}

static void backward_oracle(struct rig_problem *problem)
{
    oracle_avg_pool_backward(problem->test, problem->tensor[0].values,
                             problem->tensor[rig_operand_count(problem->op) - 1].sums);
    problem->roundings = 4; /* the size in two factors, each a reciprocal and a product */
    problem->headroom = headroom_of(problem->test);
}

/* ---- aclnnAvgPool2d ---- */

static struct test_case random_2d(struct random *random, enum case_dtype dtype)
{
    return rig_random_window(random, "avg_pool2d", dtype, 2,
                             RIG_CEIL | RIG_EXCLUDE_PAD | RIG_DIVISOR | RIG_MATH);
}

const struct rig_operator rig_avg_pool2d = {
    .word = "avg_pool2d",
    RIG_CALL(aclnnAvgPool2d),
    .operand = {{RIG_READ, CASE_X, NULL, false}, {RIG_SUM, CASE_Y, NULL, false}},
    .arguments = window_arguments,
    .oracle = forward_oracle,
    .random_case = random_2d,
};

/* ---- aclnnAvgPool3d ---- */

static struct test_case random_3d(struct random *random, enum case_dtype dtype)
{
    return rig_random_window(random, "avg_pool3d", dtype, 3,
                             RIG_CEIL | RIG_EXCLUDE_PAD | RIG_DIVISOR | RIG_ND_FORMAT |
                                 RIG_KERNEL_FITS);
}

const struct rig_operator rig_avg_pool3d = {
    .word = "avg_pool3d",
    RIG_CALL(aclnnAvgPool3d),
    .operand = {{RIG_READ, CASE_X, NULL, false}, {RIG_SUM, CASE_Y, NULL, false}},
    .arguments = window_arguments,
    .oracle = forward_oracle,
    .random_case = random_3d,
};

/* ---- aclnnAvgPool3dBackward ---- */

static struct test_case random_3d_backward(struct random *random, enum case_dtype dtype)
{
    return rig_random_window(random, "avg_pool3d_backward", dtype, 3,
                             RIG_CEIL | RIG_EXCLUDE_PAD | RIG_DIVISOR | RIG_ND_FORMAT);
}

/* CANN's header has gradOuput. */
static const char *const names_3d_backward[] = {"gradOutput", "self", "output", NULL};

const struct rig_operator rig_avg_pool3d_backward = {
    .word = "avg_pool3d_backward",
    RIG_CALL_NAMED(aclnnAvgPool3dBackward, names_3d_backward),
    .operand = {{RIG_READ, CASE_DY, NULL, false},
                {RIG_SHAPE, CASE_X, NULL, false},
                {RIG_SUM, CASE_DX, NULL, false}},
    .arguments = window_arguments,
    .oracle = backward_oracle,
    .random_case = random_3d_backward,
};

/* ---- aclnnextAvgPoolGrad ---- */

enum { INPUT_SHAPE, KERNEL, STRIDES, PADS_BEGIN, PADS_END, DILATIONS };

/* inputShape is given for odd seeds. */
static void grad_arguments(const struct test_case *test, struct rig_call *call)
{
    struct rig_array *shape = &call->array[INPUT_SHAPE];
    const bool last = test->format == CASE_NHWC || test->format == CASE_NDHWC;
    *shape = (struct rig_array){.is_null = test->seed % 2 == 0, .length = test->axes + 2};
    shape->values[0] = test->batch;
    shape->values[last ? test->axes + 1 : 1] = test->channels;
    for (int i = 0; i < test->axes; i++)
        shape->values[i + (last ? 1 : 2)] = test->input[i];
    call->array[KERNEL] = rig_kernel(test);
    call->array[STRIDES] = rig_stride(test);
    call->array[PADS_BEGIN] = rig_pad(test);
    call->array[PADS_END] = rig_pad_end(test);
    call->array[DILATIONS] = rig_dilation(test);
    call->number[0] = test->auto_pad;
    call->number[1] = test->ceil;
    call->number[2] = !test->exclude_pad;
}

static struct test_case random_grad(struct random *random, enum case_dtype dtype)
{
    return rig_random_window(
        random, "aclnnext_avg_pool_grad", dtype, (int)random_between(random, 1, 3),
        RIG_CEIL | RIG_EXCLUDE_PAD | RIG_DILATION | RIG_END_PADS | RIG_AUTO_PAD | RIG_NULL_STRIDE |
            RIG_LAST_FORMAT | RIG_ND_FORMAT | RIG_BATCHED | RIG_FAR_END_PADS);
}

const struct rig_operator rig_aclnnext_avg_pool_grad = {
    .word = "aclnnext_avg_pool_grad",
    RIG_CALL(aclnnextAvgPoolGrad),
    .operand = {{RIG_READ, CASE_DY, NULL, false}, {RIG_SUM, CASE_DX, NULL, false}},
    .arguments = grad_arguments,
    .oracle = backward_oracle,
    .runs_empty = true,
    .is_batched = true,
    .random_case = random_grad,
};
