/* SPDX-License-Identifier: Apache-2.0 */
/* Faults that other systems' pooling gradients have or had, each with a problem on which it shows:
 * the operator must agree with the definition there, and a definition with the fault put in must
 * not agree with the operator, or the problem would not catch it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ops/suite.h"
#include "tests/support/rows.h"

RIG_SUITE(faults_of_others);

static struct rig_tensor *tensor_of(struct rig_problem *problem, enum case_tensor tensor)
{
    for (int i = 0; i < rig_operand_count(problem->op); i++) {
        if (problem->op->operand[i].tensor == tensor) return &problem->tensor[i];
    }
    fprintf(stderr, "%s has no such tensor\n", problem->op->name);
    abort();
}

typedef void oracle_fn(struct rig_problem *problem);

/* The operator is right on this problem, and the fault would be seen. */
static void expect_right(const struct rig_operator *op, const char *line, oracle_fn *faulty)
{
    struct rig_operator with_fault = *op;
    check_line(op, line);
    if (!faulty) return;
    with_fault.oracle = faulty;
    cr_assert_not(rig_check_line(&rig, &with_fault, line), "%s would not show the fault", line);
    cr_assert(strstr(rig.text, "expected"), "not seen as a wrong element: %s", rig.text);
}

/* ---- average pooling ---- */

/* Where a tap lies, and what its window is divided by, as a faulty system has it. */
struct fault {
    bool assigns;        /* overlapping windows do not add up */
    bool turns_axes;     /* depth and width change places */
    bool forgets_clip;   /* divides by the whole window at the edge too */
    bool forgets_planes; /* every plane's gradient goes to the first */
};

static int64_t turned(const struct oracle_problem *problem, const struct oracle_tap *tap)
{
    int64_t depth = problem->axis[0].input, height = problem->axis[1].input;
    return (tap->at[2] * height + tap->at[1]) * depth + tap->at[0];
}

static double divisor_of(const struct fault *fault, const struct rig_problem *problem,
                         const struct oracle_problem *pool, const struct oracle_box *box)
{
    double whole = 1;
    if (!fault->forgets_clip) return oracle_divisor(problem->test, box);
    for (int i = 0; i < ORACLE_AXES; i++)
        whole *= (double)pool->axis[i].kernel;
    return whole;
}

static void average_with(const struct fault *fault, struct rig_problem *problem)
{
    struct oracle_problem pool = oracle_problem_of(problem->test);
    const struct rig_tensor *dy = tensor_of(problem, CASE_DY);
    struct oracle_sum *dx = tensor_of(problem, CASE_DX)->sums;
    memset(dx, 0, (size_t)(pool.planes * pool.inputs) * sizeof *dx);
    for (int64_t window = 0; window < pool.outputs; window++) {
        struct oracle_box box = oracle_box_of(&pool, window);
        double divisor = divisor_of(fault, problem, &pool, &box);
        for (int64_t plane = 0; plane < pool.planes; plane++) {
            double term = dy->values[plane * pool.outputs + window] / divisor;
            for (struct oracle_tap tap = oracle_first(&box); tap.left > 0;
                 oracle_next(&box, &tap)) {
                int64_t at = fault->turns_axes ? turned(&pool, &tap) : tap.offset;
                struct oracle_sum *sum =
                    &dx[(fault->forgets_planes ? 0 : plane) * pool.inputs + at];
                if (fault->assigns) *sum = (struct oracle_sum){0};
                oracle_add(sum, term);
            }
        }
    }
    problem->roundings = 2.0 * problem->test->axes;
}

static void assigned_average(struct rig_problem *problem)
{
    average_with(&(struct fault){.assigns = true}, problem);
}

static void turned_average(struct rig_problem *problem)
{
    average_with(&(struct fault){.turns_axes = true}, problem);
}

static void unclipped_average(struct rig_problem *problem)
{
    average_with(&(struct fault){.forgets_clip = true}, problem);
}

/* ONNX Runtime's AveragePoolGrad in 3-D assigns where it must add. */
Test(faults_of_others, gradients_of_overlapping_3d_windows_add_up)
{
    expect_right(&rig_aclnnext_avg_pool_grad,
                 "aclnnext_avg_pool_grad f32 n2c3 4x5x6 k3x2x3 s1x1x2 p1x0x1 seed=1",
                 assigned_average);
    expect_right(&rig_avg_pool3d_backward,
                 "avg_pool3d_backward f32 n2c3 4x5x6 k3x2x3 s1x1x2 p1x0x1 seed=1",
                 assigned_average);
}

/* The same walks its axes in a wrong order, which shows unless D = H = W. */
Test(faults_of_others, depth_height_and_width_keep_their_places)
{
    expect_right(&rig_aclnnext_avg_pool_grad,
                 "aclnnext_avg_pool_grad f32 n2c3 3x5x7 k2x2x3 s2x1x3 seed=2", turned_average);
    expect_right(&rig_avg_pool3d_backward,
                 "avg_pool3d_backward f32 n2c3 3x5x7 k2x2x3 s2x1x3 seed=2", turned_average);
}

/* Its divisor ignores the padding at the end and what ceilMode adds. */
Test(faults_of_others, the_divisor_knows_end_padding_and_ceil)
{
    expect_right(&rig_aclnnext_avg_pool_grad,
                 "aclnnext_avg_pool_grad f32 n1c2 8x9 k3 s2 p0 q1x2 exclude_pad seed=3",
                 unclipped_average);
    expect_right(&rig_aclnnext_avg_pool_grad,
                 "aclnnext_avg_pool_grad f32 n1c2 8x9 k3x2 s2 ceil seed=3", unclipped_average);
}

/* PyTorch divided by the whole window where it reaches past the edge. */
Test(faults_of_others, windows_past_the_edge_are_divided_by_what_they_cover)
{
    expect_right(&rig_avg_pool2d_backward,
                 "avg_pool2d_backward f32 n1c2 8x7 k3x4 s2x3 p1 ceil seed=4", unclipped_average);
    expect_right(&rig_avg_pool2d_backward, "avg_pool2d_backward f32 c2 5x5 k2 s2 ceil seed=4",
                 unclipped_average);
    expect_right(&rig_avg_pool3d_backward,
                 "avg_pool3d_backward f32 n1c2 5x6x8 k2x3x3 s2 p1 ceil seed=4", unclipped_average);
}

/* ---- max pooling ---- */

static void assigned_maximum(struct rig_problem *problem)
{
    struct oracle_problem pool = oracle_problem_of(problem->test);
    const struct rig_tensor *dy = tensor_of(problem, CASE_DY), *x = tensor_of(problem, CASE_X);
    struct oracle_sum *dx = tensor_of(problem, CASE_DX)->sums;
    memset(dx, 0, (size_t)(pool.planes * pool.inputs) * sizeof *dx);
    for (int64_t i = 0; i < pool.planes * pool.outputs; i++) {
        struct oracle_box box = oracle_box_of(&pool, i % pool.outputs);
        int64_t base = i / pool.outputs * pool.inputs, best = -1;
        for (struct oracle_tap tap = oracle_first(&box); tap.left > 0; oracle_next(&box, &tap)) {
            if (best < 0 || x->values[base + tap.offset] > x->values[best])
                best = base + tap.offset;
        }
        dx[best] = (struct oracle_sum){dy->values[i], fabs(dy->values[i]), 1};
    }
    for (int64_t i = 0; i < pool.planes * pool.inputs; i++) /* whether it wants sums or bits */
        tensor_of(problem, CASE_DX)->want[i] = oracle_to_bits(problem->test->dtype, dx[i].value);
}

/* composable_kernel takes windows for disjoint when the stride is the kernel; with dilation they
 * share cells. */
Test(faults_of_others, dilated_windows_share_cells_though_the_stride_is_the_kernel)
{
    expect_right(&rig_aclnnext_max_pool_backward,
                 "aclnnext_max_pool_backward f32 n2c3 9x11 k2 s2 d2 seed=5", assigned_maximum);
    expect_right(&rig_aclnnext_max_pool_backward,
                 "aclnnext_max_pool_backward f32 n4c16 16x17 k3 s3 d3 seed=5", assigned_maximum);
    expect_right(&rig_max_pool2d_with_indices_backward,
                 "max_pool2d_with_indices_backward f32 n2c3 9x11 k2 s2 d2 seed=5", NULL);
    expect_right(&rig_max_pool3d_with_argmax_backward,
                 "max_pool3d_with_argmax_backward f32 n2c3 6x7x9 k2 s2 d2 seed=5", NULL);
}

/* Many planes are worked on together: each keeps its own gradient. */
static void first_plane_only(struct rig_problem *problem)
{
    average_with(&(struct fault){.forgets_planes = true}, problem);
}

Test(faults_of_others, grouped_planes_keep_their_gradients)
{
    expect_right(&rig_avg_pool2d_backward, "avg_pool2d_backward f32 n5c37 3x3 k2 s1 seed=6",
                 first_plane_only);
    expect_right(&rig_avg_pool3d_backward, "avg_pool3d_backward f32 n5c37 2x3x3 k2 s1 seed=6",
                 first_plane_only);
    expect_right(&rig_max_pool2d_with_indices_backward,
                 "max_pool2d_with_indices_backward f32 n5c37 3x3 k2 s1 seed=6", NULL);
    expect_right(&rig_aclnnext_max_pool_backward,
                 "aclnnext_max_pool_backward f32 n5c37 3x3 k2 s1 seed=6", assigned_maximum);
}

/* ONNX Runtime's MaxPoolGrad once wrote outside dX for a bad index. The rig's memory ends at guard
 * pages; the rows with picks=bad want 507015 and all other gradients. */
Test(faults_of_others, a_bad_index_is_not_followed)
{
    static const struct {
        const struct rig_operator *op;
        const char *line;
    } bad[] = {
        {&rig_aclnnext_max_pool_grad, "aclnnext_max_pool_grad f32 n2c3 7x9 k2 s2 picks=bad seed=7"},
        {&rig_aclnnext_max_pool_grad,
         "aclnnext_max_pool_grad bf16 n2c3 4x7x9 k2 s1x2x2 idx=i64 picks=bad order=1 seed=7"},
        {&rig_max_pool2d_with_indices_backward,
         "max_pool2d_with_indices_backward f32 n2c3 7x9 k2 s2 picks=bad seed=7"},
        {&rig_max_pool2d_with_indices_backward,
         "max_pool2d_with_indices_backward f16 n2c3 7x9 k3 s1 idx=i64 picks=bad strided seed=7"},
        {&rig_max_pool2d_with_mask_backward,
         "max_pool2d_with_mask_backward f32 n2c3 7x9 k2 s2 picks=bad seed=7"},
        {&rig_max_pool3d_with_argmax_backward,
         "max_pool3d_with_argmax_backward f32 n2c3 5x7x9 k2 s2 picks=bad seed=7"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        check_line(bad[i].op, bad[i].line);
        cr_assert_eq(rig.problem.sync_code, 507015, "%s has no bad index", bad[i].line);
    }
}
