/* SPDX-License-Identifier: Apache-2.0 */
/* Maximum pooling: cases that other systems got wrong, shapes that take each way through the
 * kernels, and what must not depend on who computes. */
#include <stdio.h>
#include <string.h>

#include "aclnnext/aclnnext_max_pool_backward.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "tests/ops/suite.h"
#include "tests/support/rows.h"

RIG_SUITE(max_pool_properties);

/* ---- faults of other systems ---- */

/* Windows with a stride as large as the kernel share cells when they are dilated: the gradient has
 * to add there, not to assign. */
Test(max_pool_properties, dilated_windows_with_the_kernel_as_stride_overlap)
{
    CHECK_EACH(&rig_max_pool2d_with_indices_backward,
               "max_pool2d_with_indices_backward f32 n1c2 12x14 k2 s2 d2 data=ties seed=1",
               "max_pool2d_with_indices_backward f32 n2c3 20x23 k3 s3 d2 p1 data=ties seed=2");
    CHECK_EACH(&rig_aclnnext_max_pool_backward,
               "aclnnext_max_pool_backward f32 n1c2 12x14 k2 s2 d2 data=ties seed=1",
               "aclnnext_max_pool_backward bf16 n1c3 9x12x14 k2 s2 d2x3x2 data=ties seed=2");
}

/* An index outside of its plane writes nothing, is told with position and value, and all other
 * gradients are right. */
Test(max_pool_properties, an_index_outside_writes_nowhere)
{
    CHECK_EACH(&rig_max_pool2d_with_indices_backward,
               "max_pool2d_with_indices_backward f32 n3c4 31x40 k3 s2 p1 picks=bad seed=3",
               "max_pool2d_with_indices_backward f32 n3c4 31x40 k3 s2 p1 picks=bad fmt=nhwc "
               "idx=i64 seed=4",
               "max_pool2d_with_indices_backward f16 n3c4 31x40 k3 s2 p1 picks=bad nhwc seed=5",
               "max_pool2d_with_indices_backward bf16 c7 9x9 k9 s1 p4 picks=bad seed=6");
    CHECK_EACH(&rig_max_pool2d_with_mask_backward,
               "max_pool2d_with_mask_backward f32 n3c4 31x40 k3 s2 p1 picks=bad seed=7");
    CHECK_EACH(&rig_max_pool3d_with_argmax_backward,
               "max_pool3d_with_argmax_backward f32 n2c2 7x8x9 k2 s2 picks=bad seed=8");
    CHECK_EACH(&rig_aclnnext_max_pool_grad,
               "aclnnext_max_pool_grad f32 n2c3 9x11 k3 s2 picks=bad seed=9",
               "aclnnext_max_pool_grad f16 n2c3 9x11 k3 s2 picks=bad order=1 seed=10");
}

/* Small planes are walked many at a time: each index counts in its own. */
Test(max_pool_properties, grouped_planes_keep_their_indices)
{
    CHECK_EACH(&rig_max_pool2d_with_indices_backward,
               "max_pool2d_with_indices_backward f32 n4c37 7x7 k3 s2 p1 seed=1",
               "max_pool2d_with_indices_backward f32 n4c37 7x7 k3 s2 p1 picks=any seed=2",
               "max_pool2d_with_indices_backward bf16 n5c41 2x2 k2 s2 seed=3",
               "max_pool2d_with_indices_backward f16 n5c41 3x1 k1 s1 seed=4");
    CHECK_EACH(&rig_max_pool2d_with_indices,
               "max_pool2d_with_indices f32 n4c37 7x7 k3 s2 p1 seed=1",
               "max_pool2d_with_indices bf16 n5c41 2x2 k2 s2 seed=3");
}

/* ---- ways through the kernels ---- */

Test(max_pool_properties, edges_of_shapes)
{
    CHECK_EACH(
        &rig_max_pool2d_with_indices_backward, "max_pool2d_with_indices_backward f32 n0c3 9x11 k3",
        "max_pool2d_with_indices_backward f32 n1c1 5x9000 k1x3 s1x2 p0x1 seed=1",
        "max_pool2d_with_indices_backward bf16 n1c1 5x9000 k2x3 s1x1 p1x1 picks=any seed=2",
        "max_pool2d_with_indices_backward f32 n1c2100 5x6 k3 s2 p1 fmt=nhwc seed=3",
        "max_pool2d_with_indices_backward f16 n1c700 5x6 k2 s1 nhwc seed=4",
        "max_pool2d_with_indices_backward f32 n2c5 40x41 k3 s4x9 seed=5",
        "max_pool2d_with_indices_backward f32 n1c2 60x60 k17 s2 p8 seed=6",
        "max_pool2d_with_indices_backward bf16 n1c1 200x210 k3 s2 p1 picks=any idx=i64 seed=7",
        "max_pool2d_with_indices_backward f32 n1c3 300x310 k2 s2 seed=8");
    CHECK_EACH(&rig_max_pool2d_with_indices, "max_pool2d_with_indices f32 n0c3 9x11 k3",
               "max_pool2d_with_indices f32 n1c1 5x9000 k1x3 s1x2 p0x1 seed=1",
               "max_pool2d_with_indices bf16 n1c2100 5x6 k3 s2 p1 fmt=nhwc seed=3",
               "max_pool2d_with_indices f32 n1c1 9x20000 k2x2 s1 d1x9000 seed=4",
               "max_pool2d_with_indices f16 n2c3 30x31 k3 s12 data=special seed=5");
    CHECK_EACH(&rig_max_pool3d_with_argmax, "max_pool3d_with_argmax f32 n0c3 4x4x4 k2",
               "max_pool3d_with_argmax f32 n2c0 4x4x4 k2",
               "max_pool3d_with_argmax f32 n1c3 9x8x7 k3 s2 p1 d2 idx=i64 "
               "fmt=ndhwc y=strided data=ties seed=1");
    CHECK_EACH(&rig_aclnnext_max_pool_backward,
               "aclnnext_max_pool_backward f32 n1c1 5x9000 k1x3 s1x2 p0x1 seed=1",
               "aclnnext_max_pool_backward bf16 n1c700 5x6 k2 s1 nhwc seed=4",
               "aclnnext_max_pool_backward f16 n1c2 60x60 k17 s2 p8 data=ties seed=6",
               "aclnnext_max_pool_backward f32 n1c2 300 k5 s3 d7 p2 data=special seed=7");
}

/* Ties, NaN and infinities in every lane. */
Test(max_pool_properties, special_values)
{
    char line[256];
    static const char *const shapes[] = {"n2c3 33x35 k3 s2 p1", "n2c3 33x35 k3 s1 p1",
                                         "n2c3 34x36 k2 s2", "n1c19 13x14 k3 s2 p1 nhwc"};
    static const char *const types[] = {"f32", "f16", "bf16"};
    for (int shape = 0; shape < 4; shape++)
        for (int type = 0; type < 3; type++)
            for (int data = 0; data < 2; data++) {
                snprintf(line, sizeof line, "max_pool2d_with_indices %s %s data=%s seed=%d",
                         types[type], shapes[shape], data ? "ties" : "special", shape);
                check_line(&rig_max_pool2d_with_indices, line);
                snprintf(line, sizeof line, "aclnnext_max_pool_backward %s %s data=%s seed=%d",
                         types[type], shapes[shape], data ? "ties" : "special", shape);
                check_line(&rig_aclnnext_max_pool_backward, line);
            }
}

Test(max_pool_properties, repeatable)
{
    check_repeatable(&rig_max_pool2d_with_indices,
                     "max_pool2d_with_indices f32 n2c3 19x21 k3 s2 p1 strided");
    check_repeatable(&rig_max_pool2d_with_indices_backward,
                     "max_pool2d_with_indices_backward f32 n2c3 19x21 k3 s2 p1 picks=any strided");
    check_repeatable(&rig_aclnnext_max_pool_backward,
                     "aclnnext_max_pool_backward bf16 n2c3 19x21 k3 s2 p1 nhwc");
}

/* ---- pairs of operators ---- */

enum { N = 3, C = 5, H = 37, W = 41 };

static void run(aclnnStatus status, const uint64_t *needed, aclOpExecutor *const *executor,
                rig_phase2 *phase2)
{
    void *workspace = NULL;
    cr_assert_eq(status, ACLNN_SUCCESS, "%s", aclGetRecentErrMsg());
    const uint64_t size = *needed;
    if (size > 0) cr_assert_eq(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    cr_assert_eq(phase2(workspace, size, *executor, rig.stream), ACLNN_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(rig.stream), ACL_SUCCESS);
    if (workspace) aclrtFree(workspace);
}

static aclTensor *tensor_of(const int64_t dims[4], aclDataType type, void *data)
{
    return aclCreateTensor(dims, 4, type, NULL, 0, ACL_FORMAT_NCHW, dims, 4, data);
}

/* Forward with indices, its backward, and the backward without indices, on small integers, whose
 * sums do not round: both gradients are one, and their product with x is that of dy with y. */
static void check_pair(int64_t kernel, int64_t stride, int64_t pad, int64_t dilation)
{
    const int64_t span = (kernel - 1) * dilation + 1;
    const int64_t oh = (H + 2 * pad - span) / stride + 1, ow = (W + 2 * pad - span) / stride + 1;
    const int64_t large[4] = {N, C, H, W}, small[4] = {N, C, oh, ow};
    const int64_t cells = N * C * H * W, windows = N * C * oh * ow;
    static float x[N * C * H * W], y[N * C * H * W], dy[N * C * H * W];
    static float by_index[N * C * H * W], again[N * C * H * W];
    static int64_t indices[N * C * H * W];
    struct random random = {.state =
                                (uint64_t)(kernel * 1000 + stride * 100 + pad * 10 + dilation)};
    for (int64_t i = 0; i < cells; i++)
        x[i] = (float)random_between(&random, -50, 50);
    for (int64_t i = 0; i < windows; i++)
        dy[i] = (float)random_between(&random, -50, 50);
    aclTensor *tx = tensor_of(large, ACL_FLOAT, x), *ty = tensor_of(small, ACL_FLOAT, y);
    aclTensor *tdy = tensor_of(small, ACL_FLOAT, dy), *ti = tensor_of(small, ACL_INT64, indices);
    aclTensor *first = tensor_of(large, ACL_FLOAT, by_index);
    aclTensor *second = tensor_of(large, ACL_FLOAT, again);
    aclIntArray *k = aclCreateIntArray(&kernel, 1), *s = aclCreateIntArray(&stride, 1);
    aclIntArray *p = aclCreateIntArray(&pad, 1), *d = aclCreateIntArray(&dilation, 1);
    uint64_t size;
    aclOpExecutor *executor;
    run(aclnnMaxPool2dWithIndicesGetWorkspaceSize(tx, k, s, p, d, false, ty, ti, &size, &executor),
        &size, &executor, aclnnMaxPool2dWithIndices);
    cr_expect_eq(size, 0);
    run(aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize(tdy, tx, ti, k, s, p, d, false, first,
                                                          &size, &executor),
        &size, &executor, aclnnMaxPool2dWithIndicesBackward);
    cr_expect_eq(size, 0);
    run(aclnnextMaxPoolBackwardGetWorkspaceSize(tdy, tx, k, s, p, p, d, 0, false, second, &size,
                                                &executor),
        &size, &executor, aclnnextMaxPoolBackward);
    cr_expect_eq(size, 0);
    cr_expect_eq(memcmp(by_index, again, sizeof(float) * (size_t)cells), 0);
    double of_outputs = 0, of_inputs = 0;
    for (int64_t i = 0; i < windows; i++)
        of_outputs += (double)dy[i] * y[i];
    for (int64_t i = 0; i < cells; i++)
        of_inputs += (double)by_index[i] * x[i];
    cr_expect_eq(of_outputs, of_inputs, "k%d s%d p%d d%d: %g, %g", (int)kernel, (int)stride,
                 (int)pad, (int)dilation, of_outputs, of_inputs);
    const aclTensor *const tensors[] = {tx, ty, tdy, ti, first, second};
    for (int i = 0; i < 6; i++)
        aclDestroyTensor(tensors[i]);
    const aclIntArray *const arrays[] = {k, s, p, d};
    for (int i = 0; i < 4; i++)
        aclDestroyIntArray(arrays[i]);
}

Test(max_pool_properties, gradients_are_adjoint_and_one)
{
    check_pair(2, 2, 0, 1);
    check_pair(3, 2, 1, 1);
    check_pair(3, 1, 1, 1);
    check_pair(3, 3, 1, 2);
    check_pair(5, 1, 2, 3);
    check_pair(9, 2, 4, 1);
    check_pair(4, 7, 0, 1);
}

/* ---- who computes ---- */

Test(max_pool_settings, threads_and_instruction_sets, .timeout = 900)
{
    static const char *const forward[] = {
        "max_pool2d_with_indices f32 n2c5 190x200 k3 s2 p1 data=special",
        "max_pool2d_with_indices bf16 n1c33 90x100 k3 s1 p1 nhwc data=ties"};
    static const char *const backward[] = {
        "max_pool2d_with_indices_backward f32 n1c3 300x310 k3 s2 p1",
        "max_pool2d_with_indices_backward f32 n1c3 300x310 k3 s2 p1 picks=any",
        "max_pool2d_with_indices_backward bf16 n1c33 90x100 k3 s1 p1 nhwc picks=bad"};
    static const char *const again[] = {
        "aclnnext_max_pool_backward f32 n1c3 300x310 k3 s2 p1 data=special",
        "aclnnext_max_pool_backward f16 n1c33 90x100 k3 s1 p1 nhwc data=ties"};
    static const char *const flat[] = {
        "aclnnext_max_pool_grad f32 n2c30 90x91 k3 s2 picks=any",
        "aclnnext_max_pool_grad bf16 n2c30 90x91 k3 s2 picks=bad order=1"};
    check_settings(&rig_max_pool2d_with_indices, forward, 2);
    check_settings(&rig_max_pool2d_with_indices_backward, backward, 3);
    check_settings(&rig_aclnnext_max_pool_backward, again, 2);
    check_settings(&rig_aclnnext_max_pool_grad, flat, 2);
}
