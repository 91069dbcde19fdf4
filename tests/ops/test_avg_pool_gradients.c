/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAvgPool3dBackward and aclnnextAvgPoolGrad against their definition, against each other, and
 * against the forward operators of which they are the adjoint. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ops/suite.h"
#include "tests/support/rows.h"

RIG_SUITE(avg_pool_gradients);
TestSuite(avg_pool_gradients_alone, .timeout = 900);

Test(avg_pool_gradients, random_3d_backward)
{
    check_floats(&rig_avg_pool3d_backward);
}

Test(avg_pool_gradients, random_grad)
{
    check_floats(&rig_aclnnext_avg_pool_grad);
}

Test(avg_pool_gradients, case_of_the_environment)
{
    check_environment(&rig_avg_pool3d_backward);
    check_environment(&rig_aclnnext_avg_pool_grad);
}

Test(avg_pool_gradients, large_problems)
{
    static const char *const lines[] = {
        "aclnnext_avg_pool_grad f32 n2c5 60x71 k5 s2 d3 p2 seed=1",
        "aclnnext_avg_pool_grad bf16 n1c70 40x37 k3 s1 d2 p1 fmt=nhwc seed=2",
        "aclnnext_avg_pool_grad f16 n1c3 3000 k40 s3 d7 p20 seed=3",
        "aclnnext_avg_pool_grad f32 n1c2 9x30x25 k3 s2 d2 p1 q3 ceil exclude_pad seed=4",
        "aclnnext_avg_pool_grad f32 n1c2 20x300 k2x90 s1x2 d1x3 p1x200 seed=5",
        "aclnnext_avg_pool_grad f32 n1c2 40x30 k2 s2 p5x7 q9x4 seed=6",
        "aclnnext_avg_pool_grad f32 n1c2 40x30 k3 s2 d4 p12x9 q20x11 exclude_pad seed=7",
    };
    CHECK_LINES(&rig_aclnnext_avg_pool_grad, lines);
}

/* Where no window fits there is no gradient. */
Test(avg_pool_gradients, no_window_fits)
{
    struct rig_operator op = rig_aclnnext_avg_pool_grad;
    op.runs_empty = true;
    static const char *const lines[] = {
        "aclnnext_avg_pool_grad f32 n2c3 4x5 k6 s1 o0x0",
        "aclnnext_avg_pool_grad bf16 n2c3 4x9 k6 s1 o0x4 dx=strided"};
    CHECK_LINES(&op, lines);
}

/* ---- pairs of operators ---- */

struct side {
    int64_t count[3];
    double *values[3];
    uint64_t *bits[3];
};

/* Runs a line under the operator's word and keeps a copy of its tensors. */
static struct side run_side(const struct rig_operator *op, const char *rest)
{
    char line[CASE_LINE], error[256];
    struct test_case test;
    struct side side = {0};
    snprintf(line, sizeof line, "%s %s", op->word, rest);
    cr_assert(case_parse(line, &test, error, sizeof error), "%s: %s", line, error);
    cr_assert(rig_check(&rig, op, &test), "%s", rig.text);
    for (int i = 0; i < rig_operand_count(op); i++) {
        const struct rig_tensor *tensor = &rig.problem.tensor[i];
        if (op->operand[i].role == RIG_SHAPE) continue;
        side.count[i] = tensor->count;
        side.values[i] = malloc((size_t)tensor->count * sizeof(double) + 1);
        side.bits[i] = malloc((size_t)tensor->count * sizeof(uint64_t) + 1);
        memcpy(side.values[i], tensor->values, (size_t)tensor->count * sizeof(double));
        memcpy(side.bits[i], tensor->bits, (size_t)tensor->count * sizeof(uint64_t));
    }
    return side;
}

static void free_side(struct side *side)
{
    for (int i = 0; i < 3; i++)
        free(side->values[i]), free(side->bits[i]);
}

static void check_twin(const struct rig_operator *op, int result, const char *rest)
{
    struct side a = run_side(op, rest), b = run_side(&rig_aclnnext_avg_pool_grad, rest);
    cr_assert_eq(a.count[0], b.count[0]);
    cr_assert(memcmp(a.bits[0], b.bits[0], (size_t)a.count[0] * 8) == 0, "other inputs: %s", rest);
    cr_assert_eq(a.count[result], b.count[1]);
    for (int64_t i = 0; i < b.count[1]; i++)
        cr_assert(a.bits[result][i] == b.bits[1][i], "%s %s: element %lld", op->word, rest,
                  (long long)i);
    free_side(&a);
    free_side(&b);
}

Test(avg_pool_gradients, twins_have_the_same_bits)
{
    static const char *const flat[] = {
        "f32 n2c3 35x33 k3 s1 p1 seed=1", "bf16 n2c20 35x33 k3 s2 p1 nhwc ceil seed=2",
        "f16 n3c5 14x18 k2 s2 seed=3", "f32 n1c7 20x19 k5x4 s3x2 p2x1 exclude_pad seed=4",
        "f32 n1c33 9x9 k9 nhwc exclude_pad seed=5"};
    static const char *const deep[] = {
        "f32 n2c3 5x12x9 k3 s1 p1 seed=1", "bf16 n1c18 6x8x10 k2 s2 nhwc seed=2",
        "f16 n2c2 7x6x5 k3x2x3 s2x1x3 p1x1x0 ceil exclude_pad seed=3"};
    for (int i = 0; i < LENGTH(flat); i++)
        check_twin(&rig_avg_pool2d_backward, 2, flat[i]);
    for (int i = 0; i < LENGTH(deep); i++)
        check_twin(&rig_avg_pool3d_backward, 2, deep[i]);
}

/* <dy, f(x)> = <f'(dy), x>. */
static void check_adjoint(const struct rig_operator *forward, const struct rig_operator *backward,
                          const char *rest)
{
    const int result = rig_operand_count(backward) - 1;
    struct side f = run_side(forward, rest), b = run_side(backward, rest);
    double left = 0, right = 0, magnitude = 0;
    cr_assert_eq(f.count[1], b.count[0]);
    cr_assert_eq(f.count[0], b.count[result]);
    for (int64_t i = 0; i < b.count[0]; i++) {
        left += b.values[0][i] * f.values[1][i];
        magnitude += fabs(b.values[0][i] * f.values[1][i]);
    }
    for (int64_t i = 0; i < f.count[0]; i++) {
        right += b.values[result][i] * f.values[0][i];
        magnitude += fabs(b.values[result][i] * f.values[0][i]);
    }
    /* Every term is right to 40 roundings of its own magnitude, and sums stay below theirs. */
    cr_assert(fabs(left - right) <= 40 * 0x1p-24 * magnitude, "%s %s: %.9g, %.9g", forward->word,
              rest, left, right);
    cr_assert(magnitude > 0);
    free_side(&f);
    free_side(&b);
}

Test(avg_pool_gradients, gradients_are_adjoint)
{
    static const char *const flat[] = {
        "f32 n2c3 15x13 k3 s1 p1 seed=1", "f32 n2c20 15x13 k3 s2 p1 nhwc ceil seed=2",
        "f32 n3c5 14x18 k2 s2 seed=3", "f32 n1c7 20x19 k5x4 s3x2 p2x1 exclude_pad seed=4",
        "f32 n1c7 20x19 k5 s2 divisor=-7 seed=5"};
    static const char *const deep[] = {
        "f32 n2c3 5x12x9 k3 s1 p1 seed=1",
        "f32 n2c2 7x6x5 k3x2x3 s2x1x3 p1x1x0 ceil exclude_pad seed=3"};
    static const char *const bins[] = {"f32 n2c3 15x13 o7x5 seed=1",
                                       "f32 n2c20 6x5 o8x11 nhwc seed=2",
                                       "f32 n1c3 14x14 o7x7 seed=3", "f32 n1c3 9x7 o1x1 seed=4"};
    static const char *const deep_bins[] = {"f32 n2c3 5x7x6 o3x4x2 seed=1",
                                            "f32 n2c17 3x4x4 o5x2x1 nhwc seed=2"};
    for (int i = 0; i < LENGTH(flat); i++)
        check_adjoint(&rig_avg_pool2d, &rig_avg_pool2d_backward, flat[i]);
    for (int i = 0; i < LENGTH(deep); i++)
        check_adjoint(&rig_avg_pool3d, &rig_avg_pool3d_backward, deep[i]);
    for (int i = 0; i < LENGTH(bins); i++)
        check_adjoint(&rig_adaptive_avg_pool2d, &rig_adaptive_avg_pool2d_backward, bins[i]);
    for (int i = 0; i < LENGTH(deep_bins); i++)
        check_adjoint(&rig_adaptive_avg_pool3d, &rig_adaptive_avg_pool3d_backward, deep_bins[i]);
}

/* ---- known faults of other systems ---- */

/* Overlapping windows in three axes must add up, and each axis is its own: D, H, W all different.
 */
Test(avg_pool_gradients, overlap_in_three_axes_of_different_sizes)
{
    static const char *const own[] = {"avg_pool3d_backward f32 n2c3 4x7x9 k3 s1 p1 seed=1",
                                      "avg_pool3d_backward f32 n1c2 9x4x6 k3x2x4 s1x1x2 seed=2",
                                      "avg_pool3d_backward bf16 n1c17 5x8x3 k2 s1 nhwc seed=3"};
    static const char *const grad[] = {
        "aclnnext_avg_pool_grad f32 n2c3 4x7x9 k3 s1 p1 seed=1",
        "aclnnext_avg_pool_grad f32 n1c2 9x4x6 k3x2x4 s1x1x2 seed=2",
        "aclnnext_avg_pool_grad f32 n1c2 9x4x6 k3x2x3 s1x1x2 d2 seed=4"};
    CHECK_LINES(&rig_avg_pool3d_backward, own);
    CHECK_LINES(&rig_aclnnext_avg_pool_grad, grad);
}

/* The divisor sees end padding that differs from the beginning's, and a window that ceilMode cuts.
 */
Test(avg_pool_gradients, divisor_with_end_padding_and_ceil)
{
    static const char *const lines[] = {
        "aclnnext_avg_pool_grad f32 n1c2 8x9 k3 s2 p0 q1 ceil seed=1",
        "aclnnext_avg_pool_grad f32 n1c2 8x9 k3 s2 p1x0 q0x2 ceil exclude_pad seed=2",
        "aclnnext_avg_pool_grad f32 n1c2 8 k3 s2 p1 ceil seed=3",
        "aclnnext_avg_pool_grad f32 n1c2 7x7 k4 s3 d2 p0 q3 ceil seed=4",
        "aclnnext_avg_pool_grad f32 n1c2 11x10 k4 s3 auto=1 seed=5",
        "aclnnext_avg_pool_grad f32 n1c2 11x10 k4 s3 auto=2 exclude_pad seed=6"};
    CHECK_LINES(&rig_aclnnext_avg_pool_grad, lines);
}

/* Windows past the edge divide by what lies in the padded input, not by their size. */
Test(avg_pool_gradients, windows_past_the_edge)
{
    static const char *const own[] = {
        "avg_pool3d_backward f32 n1c2 5x5x5 k4 s3 p2 ceil seed=1",
        "avg_pool3d_backward f32 n1c2 5x4x3 k2 s2 ceil exclude_pad seed=2",
        "avg_pool3d_backward f32 n1c2 1x2x3 k4 s4 p2 ceil seed=3"};
    static const char *const grad[] = {
        "aclnnext_avg_pool_grad f32 n1c2 5x5 k4 s3 p2 ceil seed=1",
        "aclnnext_avg_pool_grad f32 n1c2 6x5 k3 s3 d2 p2 ceil seed=2"};
    CHECK_LINES(&rig_avg_pool3d_backward, own);
    CHECK_LINES(&rig_aclnnext_avg_pool_grad, grad);
}

/* With dilation windows at a stride of the kernel still share cells. */
Test(avg_pool_gradients, dilation_two_with_stride_equal_to_the_kernel)
{
    static const char *const lines[] = {
        "aclnnext_avg_pool_grad f32 n1c2 17x19 k2 s2 d2 seed=1",
        "aclnnext_avg_pool_grad f32 n1c20 17x19 k3 s3 d2 p1 fmt=nhwc seed=2",
        "aclnnext_avg_pool_grad f32 n1c2 9x17x19 k3 s3 d2 seed=3"};
    CHECK_LINES(&rig_aclnnext_avg_pool_grad, lines);
}

/* ---- same bits, refusals ---- */

static const char *const same[] = {
    "aclnnext_avg_pool_grad f32 n4c64 56x57 k3 s1 p1 seed=1",
    "aclnnext_avg_pool_grad bf16 n2c96 40x40 k3 s2 d2 p1 fmt=nhwc seed=2",
    "aclnnext_avg_pool_grad f16 n3c9 33x65 k5x4 s2x3 d3 p2 strided seed=3"};

Test(avg_pool_gradients_alone, threads)
{
    check_same_bits(&rig_aclnnext_avg_pool_grad, &rig_threads, same, 3, 30);
}

Test(avg_pool_gradients_alone, isas)
{
    check_same_bits(&rig_aclnnext_avg_pool_grad, &rig_isas, same, 3, 30);
}

Test(avg_pool_gradients, repeatable)
{
    check_repeatable(&rig_avg_pool3d_backward,
                     "avg_pool3d_backward f32 n2c3 9x8x5 k3 s2 p1 strided seed=3");
    check_repeatable(&rig_aclnnext_avg_pool_grad,
                     "aclnnext_avg_pool_grad f32 n2c3 9x8 k3 s2 d2 p1 strided seed=3");
}

Test(avg_pool_gradients_alone, refusals_3d_backward)
{
    static const struct rig_fault faults[] = {
        {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
        {"executor=null", NULLPTR, "executor", "NULL"},
        {"gradOutput=null", NULLPTR, "gradOutput", "NULL"},
        {"self=null", NULLPTR, "self", "NULL"},
        {"kernelSize=null", NULLPTR, "kernelSize", "NULL"},
        {"stride=null", NULLPTR, "stride", "NULL"},
        {"padding=null", NULLPTR, "padding", "NULL"},
        {"output=null", NULLPTR, "output", "NULL"},
        {"gradOutput.type=i32", INVALID, "gradOutput", "INT32"},
        {"self.type=f64", INVALID, "self", "DOUBLE"},
        {"output.type=i64", INVALID, "output", "INT64"},
        {"output.type=f16", INVALID, "output", "FLOAT16"},
        {"gradOutput.rank=3", INVALID, "gradOutput", "3"},
        {"self.rank=4", INVALID, "self", "4"},
        {"self.dims[3]=9", INVALID, "output", "9"},
        {"kernelSize.length=2", INVALID, "kernelSize", "2"},
        {"padding.length=0", INVALID, "padding", "0"},
        {"stride.length=2", INVALID, "stride", "2"},
        {"output.format=nd", INVALID, "output", "ND"},
        {"gradOutput.tag=ndhwc output.tag=ndhwc", INVALID, "gradOutput", "NDHWC"},
        {"self.tag=nhwc", INVALID, "self", "NHWC"},
        {"kernelSize[0]=0", INVALID, "kernelSize[0]", "is 0"},
        {"stride[1]=0", INVALID, "stride[1]", "is 0"},
        {"padding[2]=2", INVALID, "padding[2]", "2"},
        {"padding[1]=-1", INVALID, "padding[1]", "-1"},
        {"gradOutput.dims[4]=3", INVALID, "gradOutput", "3"},
    };
    static const char sound[] = "avg_pool3d_backward f32 n2c3 6x8x10 k3x3x3 s2x2x2 p1x1x1";
    CHECK_REFUSALS(&rig_avg_pool3d_backward, sound, faults, NULL);
    static const char *const changes[] = {
        "self.type=bf16", "gradOutput.dims[0]=0 self.dims[0]=0 output.dims[0]=0",
        "gradOutput.dims[2]=0 kernelSize[0]=-1", "divisorOverride=min"};
    CHECK_ACCEPTED(&rig_avg_pool3d_backward, sound, changes);
}

Test(avg_pool_gradients_alone, refusals_grad)
{
    static const struct rig_fault faults[] = {
        {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
        {"executor=null", NULLPTR, "executor", "NULL"},
        {"gradOutput=null", NULLPTR, "gradOutput", "NULL"},
        {"kernelSize=null", NULLPTR, "kernelSize", "NULL"},
        {"gradInput=null", NULLPTR, "gradInput", "NULL"},
        {"gradOutput.type=f64", INVALID, "gradOutput", "DOUBLE"},
        {"gradInput.type=i8", INVALID, "gradInput", "INT8"},
        {"gradInput.type=f16", INVALID, "gradInput", "FLOAT16"},
        {"gradOutput.format=nc1hwc0", INVALID, "gradOutput", "NC1HWC0"},
        {"gradInput.format=hwcn", INVALID, "gradInput", "HWCN"},
        {"gradInput.format=nd", INVALID, "gradInput", "ND"},
        {"gradOutput.rank=6", INVALID, "gradOutput", "6"},
        {"gradInput.rank=3", INVALID, "gradInput", "3"},
        {"gradOutput.format=ncl gradInput.format=ncl", INVALID, "gradOutput", "NCL"},
        {"inputShape.length=3", INVALID, "inputShape", "3"},
        {"inputShape[1]=4", INVALID, "inputShape[1]", "4"},
        {"kernelSize[1]=0", INVALID, "kernelSize[1]", "is 0"},
        {"strides.length=3", INVALID, "strides", "3"},
        {"dilations[0]=0", INVALID, "dilations[0]", "is 0"},
        {"autoPad=4", INVALID, "autoPad", "4"},
        {"padsBegin[0]=-1", INVALID, "padsBegin[0]", "-1"},
        {"padsEnd.length=3", INVALID, "padsEnd", "3"},
        {"gradOutput.dims[2]=3", INVALID, "gradOutput", "3"},
    };
    static const char sound[] =
        "aclnnext_avg_pool_grad f32 n2c3 8x10 k3x3 s2x2 p1x1 q1x1 d1x1 seed=1";
    CHECK_REFUSALS(&rig_aclnnext_avg_pool_grad, sound, faults, NULL);
    static const char *const changes[] = {
        "inputShape=null", "dilations=null", "strides[0]=2", "autoPad=1 padsBegin[0]=-4",
        "gradOutput.dims[0]=0 gradInput.dims[0]=0 inputShape[0]=0"};
    CHECK_ACCEPTED(&rig_aclnnext_avg_pool_grad, sound, changes);
}
