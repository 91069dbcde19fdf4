/* SPDX-License-Identifier: Apache-2.0 */
/* Maximum pooling: every refusal with its code, its text and its place in the order of checks. */
#include <string.h>

#include "tests/ops/suite.h"
#include "tests/support/rows.h"

TestSuite(max_pool_refusals, .timeout = 900);

static const struct rig_fault forward_2d[] = {
    {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
    {"executor=null", NULLPTR, "executor", "NULL"},
    {"self=null", NULLPTR, "self", "NULL"},
    {"kernelSize=null", NULLPTR, "kernelSize", "NULL"},
    {"stride=null", NULLPTR, "stride", "NULL"},
    {"padding=null", NULLPTR, "padding", "NULL"},
    {"dilation=null", NULLPTR, "dilation", "NULL"},
    {"out=null", NULLPTR, "out", "NULL"},
    {"indices=null", NULLPTR, "indices", "NULL"},
    {"self.type=f64", INVALID, "self", "DOUBLE"},
    {"out.type=f16", INVALID, "out", "FLOAT16"},
    {"indices.type=u8", INVALID, "indices", "UINT8"},
    {"out.format=nd", INVALID, "out", "ND"},
    {"self.format=nc1hwc0 out.format=nc1hwc0", INVALID, "self", "NC1HWC0"},
    {"self.rank=5", INVALID, "self", "5"},
    {"self.dims[0]=-2", INVALID, "self", "-2"},
    {"kernelSize.length=3", INVALID, "kernelSize", "3"},
    {"stride.length=3", INVALID, "stride", "3"},
    {"padding.length=0", INVALID, "padding", "0"},
    {"dilation.length=3", INVALID, "dilation", "3"},
    {"kernelSize[1]=0", INVALID, "kernelSize[1]", "is 0"},
    {"stride[0]=-1", INVALID, "stride[0]", "-1"},
    {"padding[0]=-1", INVALID, "padding[0]", "-1"},
    {"padding[1]=2", INVALID, "padding[1]", "is 2"},
    {"dilation[0]=0", INVALID, "dilation[0]", "is 0"},
    {"out.dims[2]=3", INVALID, "out", "(2, 3, 3, 5)"},
    {"indices.dims[3]=6", INVALID, "indices", "(2, 3, 4, 6)"},
};

Test(max_pool_refusals, max_pool2d_with_indices)
{
    CHECK_REFUSALS(&rig_max_pool2d_with_indices,
                   "max_pool2d_with_indices f32 n2c3 8x10 k3x3 s2x2 p1x1 d1x1", forward_2d, NULL);
}

static const struct rig_fault backward_2d[] = {
    {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
    {"executor=null", NULLPTR, "executor", "NULL"},
    {"gradOutput=null", NULLPTR, "gradOutput", "NULL"},
    {"self=null", NULLPTR, "self", "NULL"},
    {"indices=null", NULLPTR, "indices", "NULL"},
    {"kernelSize=null", NULLPTR, "kernelSize", "NULL"},
    {"stride=null", NULLPTR, "stride", "NULL"},
    {"padding=null", NULLPTR, "padding", "NULL"},
    {"dilation=null", NULLPTR, "dilation", "NULL"},
    {"gradInput=null", NULLPTR, "gradInput", "NULL"},
    {"self.type=f64", INVALID, "self", "DOUBLE"},
    {"gradOutput.type=f16", INVALID, "gradOutput", "FLOAT16"},
    {"gradInput.type=bf16", INVALID, "gradInput", "BF16"},
    {"indices.type=f32", INVALID, "indices", "FLOAT"},
    {"gradOutput.format=nd", INVALID, "gradOutput", "ND"},
    {"gradInput.format=nd", INVALID, "gradInput", "ND"},
    {"self.rank=5", INVALID, "self", "5"},
    {"gradInput.rank=2", INVALID, "gradInput", "2"},
    {"gradOutput.rank=5", INVALID, "gradOutput", "5"},
    {"indices.rank=2", INVALID, "indices", "2"},
    {"kernelSize.length=3", INVALID, "kernelSize", "3"},
    {"stride.length=3", INVALID, "stride", "3"},
    {"padding.length=0", INVALID, "padding", "0"},
    {"dilation.length=3", INVALID, "dilation", "3"},
    {"kernelSize[1]=0", INVALID, "kernelSize[1]", "is 0"},
    {"stride[0]=-1", INVALID, "stride[0]", "-1"},
    {"padding[0]=-1", INVALID, "padding[0]", "-1"},
    {"padding[1]=2", INVALID, "padding[1]", "is 2"},
    {"dilation[0]=0", INVALID, "dilation[0]", "is 0"},
    {"gradInput.dims[3]=11", INVALID, "gradInput", "11"},
    {"gradOutput.dims[2]=3", INVALID, "gradOutput", "(2, 3, 3, 5)"},
    {"indices.dims[3]=6", INVALID, "indices", "(2, 3, 4, 6)"},
};

Test(max_pool_refusals, max_pool2d_with_indices_backward)
{
    CHECK_REFUSALS(&rig_max_pool2d_with_indices_backward,
                   "max_pool2d_with_indices_backward f32 n2c3 8x10 k3x3 s2x2 p1x1 d1x1",
                   backward_2d, NULL);
}

static const struct rig_fault mask[] = {
    {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
    {"executor=null", NULLPTR, "executor", "NULL"},
    {"kernelSize=null", NULLPTR, "kernelSize", "NULL"},
    {"self=null", NULLPTR, "self", "NULL"},
    {"out=null", NULLPTR, "out", "NULL"},
    {"kernelSize.length=3", INVALID, "kernelSize", "3"},
    {"stride=null", NULLPTR, "stride", "NULL"},
    {"padding=null", NULLPTR, "padding", "NULL"},
    {"dilation=null", NULLPTR, "dilation", "NULL"},
    {"indices=null", NULLPTR, "indices", "NULL"},
    {"self.type=i32", INVALID, "self", "INT32"},
    {"out.type=f16", INVALID, "out", "FLOAT16"},
    {"indices.type=i32", INVALID, "indices", "INT32"},
    {"out.format=nd", INVALID, "out", "ND"},
    {"self.rank=5", INVALID, "self", "5"},
    {"stride.length=3", INVALID, "stride", "3"},
    {"kernelSize[1]=0", INVALID, "kernelSize[1]", "is 0"},
    {"dilation[0]=2", INVALID, "dilation[0]", "is 2"},
    {"out.dims[2]=3", INVALID, "out", "(2, 3, 3, 5)"},
    {"indices.dims[3]=64", INVALID, "indices", "(2, 3, 9, 64)"},
    {"indices.strides[3]=2", INVALID, "indices", "contiguous|strides"},
    {"indices.offset=4", INVALID, "indices", "offset"},
};

Test(max_pool_refusals, max_pool2d_with_mask)
{
    CHECK_REFUSALS(&rig_max_pool2d_with_mask,
                   "max_pool2d_with_mask f32 n2c3 8x10 k3x3 s2x2 p1x1 d1x1", mask, NULL);
}

static const struct rig_fault mask_backward[] = {
    {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
    {"executor=null", NULLPTR, "executor", "NULL"},
    {"kernelSize=null", NULLPTR, "kernelSize", "NULL"},
    {"self=null", NULLPTR, "self", "NULL"},
    {"gradOutput=null", NULLPTR, "gradOutput", "NULL"},
    {"kernelSize.length=3", NULLPTR, "kernelSize", "3"}, /* CANN's code for a length here */
    {"indices=null", NULLPTR, "indices", "NULL"},
    {"stride=null", NULLPTR, "stride", "NULL"},
    {"padding=null", NULLPTR, "padding", "NULL"},
    {"dilation=null", NULLPTR, "dilation", "NULL"},
    {"gradInput=null", NULLPTR, "gradInput", "NULL"},
    {"self.type=i32", INVALID, "self", "INT32"},
    {"indices.type=i32", INVALID, "indices", "INT32"},
    {"dilation[0]=2", INVALID, "dilation[0]", "is 2"},
    {"gradOutput.dims[2]=3", INVALID, "gradOutput", "(2, 3, 3, 5)"},
    {"indices.dims[3]=64", INVALID, "indices", "(2, 3, 9, 64)"},
    {"indices.offset=4", INVALID, "indices", "offset"},
};

Test(max_pool_refusals, max_pool2d_with_mask_backward)
{
    CHECK_REFUSALS(&rig_max_pool2d_with_mask_backward,
                   "max_pool2d_with_mask_backward f32 n2c3 8x10 k3x3 s2x2 p1x1 d1x1", mask_backward,
                   NULL);
}

static const struct rig_fault forward_3d[] = {
    {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
    {"executor=null", NULLPTR, "executor", "NULL"},
    {"self=null", NULLPTR, "self", "NULL"},
    {"kernelSize=null", NULLPTR, "kernelSize", "NULL"},
    {"stride=null", NULLPTR, "stride", "NULL"},
    {"padding=null", NULLPTR, "padding", "NULL"},
    {"dilation=null", NULLPTR, "dilation", "NULL"},
    {"out=null", NULLPTR, "out", "NULL"},
    {"indices=null", NULLPTR, "indices", "NULL"},
    {"self.type=f64", INVALID, "self", "DOUBLE"},
    {"indices.type=u8", INVALID, "indices", "UINT8"},
    {"out.type=f16", INVALID, "out", "FLOAT16"},
    {"out.format=nd", INVALID, "out", "ND"},
    {"indices.format=nd", INVALID, "indices", "ND"},
    {"self.rank=3", INVALID, "self", "3"},
    {"self.dims[0]=-2", INVALID, "self", "-2"},
    {"kernelSize.length=2", INVALID, "kernelSize", "2"},
    {"kernelSize[1]=0", INVALID, "kernelSize[1]", "is 0"},
    {"stride.length=2", INVALID, "stride", "2"},
    {"stride[0]=-1", INVALID, "stride[0]", "-1"},
    {"padding.length=0", INVALID, "padding", "0"},
    {"padding[0]=-1", INVALID, "padding[0]", "-1"},
    {"padding[1]=2", INVALID, "padding[1]", "is 2"},
    {"dilation.length=2", INVALID, "dilation", "2"},
    {"dilation[0]=0", INVALID, "dilation[0]", "is 0"},
    {"out.dims[2]=2", INVALID, "out", "(2, 3, 2, 4, 5)"},
    {"indices.dims[3]=6", INVALID, "indices", "(2, 3, 3, 6, 5)"},
};

Test(max_pool_refusals, max_pool3d_with_argmax)
{
    CHECK_REFUSALS(&rig_max_pool3d_with_argmax,
                   "max_pool3d_with_argmax f32 n2c3 5x8x10 k3x3x3 s2x2x2 p1x1x1 d1x1x1", forward_3d,
                   NULL);
}

static const struct rig_fault backward_3d[] = {
    {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
    {"executor=null", NULLPTR, "executor", "NULL"},
    {"gradOutput=null", NULLPTR, "gradOutput", "NULL"},
    {"self=null", NULLPTR, "self", "NULL"},
    {"indices=null", NULLPTR, "indices", "NULL"},
    {"kernelSize=null", NULLPTR, "kernelSize", "NULL"},
    {"stride=null", NULLPTR, "stride", "NULL"},
    {"padding=null", NULLPTR, "padding", "NULL"},
    {"dilation=null", NULLPTR, "dilation", "NULL"},
    {"gradInput=null", NULLPTR, "gradInput", "NULL"},
    {"self.type=f64", INVALID, "self", "DOUBLE"},
    {"indices.type=i8", INVALID, "indices", "INT8"},
    {"gradOutput.type=f16", INVALID, "gradOutput", "FLOAT16"},
    {"gradInput.type=bf16", INVALID, "gradInput", "BF16"},
    {"gradOutput.format=nd", INVALID, "gradOutput", "ND"},
    {"gradOutput.rank=3", INVALID, "gradOutput", "3"},
    {"gradInput.rank=3", INVALID, "gradInput", "3"},
    {"indices.rank=3", INVALID, "indices", "3"},
    {"self.rank=3", INVALID, "self", "3"},
    {"kernelSize.length=2", INVALID, "kernelSize", "2"},
    {"stride.length=2", INVALID, "stride", "2"},
    {"padding.length=0", INVALID, "padding", "0"},
    {"padding[1]=2", INVALID, "padding[1]", "is 2"},
    {"dilation[0]=0", INVALID, "dilation[0]", "is 0"},
    {"indices.dims[3]=6", INVALID, "indices", "(2, 3, 3, 6, 5)"},
    {"gradInput.dims[3]=11", INVALID, "gradInput", "11"},
    {"gradOutput.dims[2]=2 indices.dims[2]=2", INVALID, "gradOutput", "(2, 3, 2, 4, 5)"},
};

Test(max_pool_refusals, max_pool3d_with_argmax_backward)
{
    CHECK_REFUSALS(&rig_max_pool3d_with_argmax_backward,
                   "max_pool3d_with_argmax_backward f32 n2c3 5x8x10 k3x3x3 s2x2x2 p1x1x1 d1x1x1",
                   backward_3d, NULL);
}

static const struct rig_fault onnx[] = {
    {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
    {"executor=null", NULLPTR, "executor", "NULL"},
    {"self=null", NULLPTR, "self", "NULL"},
    {"kernelShape=null", NULLPTR, "kernelShape", "NULL"},
    {"strides=null", NULLPTR, "strides", "NULL"},
    {"pads=null", NULLPTR, "pads", "NULL"},
    {"dilations=null", NULLPTR, "dilations", "NULL"},
    {"out=null", NULLPTR, "out", "NULL"},
    {"self.type=f64", INVALID, "self", "DOUBLE"},
    {"out.type=f16", INVALID, "out", "FLOAT16"},
    {"out.format=nd", INVALID, "out", "ND"},
    {"self.format=nhwc out.format=nhwc", INVALID, "self", "NHWC"},
    {"self.rank=5", INVALID, "self", "5"},
    {"kernelShape.length=3", INVALID, "kernelShape", "3"},
    {"strides.length=3", INVALID, "strides", "3"},
    {"pads.length=3", INVALID, "pads", "3"},
    {"dilations.length=3", INVALID, "dilations", "3"},
    {"autoPad=1", INVALID, "autoPad", "is 1"},
    {"dilations[1]=2", INVALID, "dilations[1]", "is 2"},
    {"kernelShape[1]=0", INVALID, "kernelShape[1]", "is 0"},
    {"strides[0]=-1", INVALID, "strides[0]", "-1"},
    {"pads[0]=-1", INVALID, "pads[0]", "-1"},
    {"pads[1]=2", INVALID, "pads", "2"},
    {"out.dims[2]=3", INVALID, "out", "(2, 3, 3, 5)"},
};

Test(max_pool_refusals, max_pool)
{
    CHECK_REFUSALS(&rig_max_pool, "max_pool f32 n2c3 8x10 k3x3 s2x2 p1x1 d1x1", onnx, NULL);
}

static const struct rig_fault global[] = {
    {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
    {"executor=null", NULLPTR, "executor", "NULL"},
    {"self=null", NULLPTR, "self", "NULL"},
    {"out=null", NULLPTR, "out", "NULL"},
    {"self.type=i32", INVALID, "self", "INT32"},
    {"out.type=f16", INVALID, "out", "FLOAT16"},
    {"self.format=nhwc", INVALID, "self", "NHWC"},
    {"out.format=nd", INVALID, "out", "ND"},
    {"self.rank=3", INVALID, "self", "3"},
    {"out.rank=5", INVALID, "out", "5"},
    {"out.dims[2]=3", INVALID, "out", "(2, 3, 3, 1)"},
    {"self.dims[3]=0", INVALID, "self", "is 0|size 0"},
};

Test(max_pool_refusals, global_max_pool)
{
    CHECK_REFUSALS(&rig_global_max_pool, "global_max_pool f32 n2c3 8x10 o1x1", global, NULL);
}

static const struct rig_fault recompute[] = {
    {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
    {"executor=null", NULLPTR, "executor", "NULL"},
    {"gradOutput=null", NULLPTR, "gradOutput", "NULL"},
    {"self=null", NULLPTR, "self", "NULL"},
    {"kernelSize=null", NULLPTR, "kernelSize", "NULL"},
    {"gradInput=null", NULLPTR, "gradInput", "NULL"},
    {"gradOutput.type=f64", INVALID, "gradOutput", "DOUBLE"},
    {"self.type=f16", INVALID, "self", "FLOAT16"},
    {"gradInput.type=bf16", INVALID, "gradInput", "BF16"},
    {"self.format=nc1hwc0", INVALID, "self", "NC1HWC0"},
    {"gradInput.format=nd", INVALID, "gradInput", "ND"},
    {"gradInput.rank=5", INVALID, "gradInput", "5"},
    {"gradInput.dims[3]=11", INVALID, "gradInput", "11"},
    {"kernelSize.length=3", INVALID, "kernelSize", "3"},
    {"strides[0]=0", INVALID, "strides[0]", "is 0"},
    {"dilations[1]=0", INVALID, "dilations[1]", "is 0"},
    {"autoPad=4", INVALID, "autoPad", "is 4"},
    {"padsBegin[0]=-1", INVALID, "padsBegin[0]", "-1"},
    {"padsEnd.length=3", INVALID, "padsEnd", "3"},
    {"gradOutput.dims[2]=3", INVALID, "gradOutput", "(2, 3, 3, 5)"},
};

Test(max_pool_refusals, aclnnext_max_pool_backward)
{
    CHECK_REFUSALS(&rig_aclnnext_max_pool_backward,
                   "aclnnext_max_pool_backward f32 n2c3 8x10 k3x3 s2x2 p1x1 q1x1 d1x1", recompute,
                   NULL);
}

static const struct rig_fault flat[] = {
    {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
    {"executor=null", NULLPTR, "executor", "NULL"},
    {"gradOutput=null", NULLPTR, "gradOutput", "NULL"},
    {"indices=null", NULLPTR, "indices", "NULL"},
    {"gradInput=null", NULLPTR, "gradInput", "NULL"},
    {"gradOutput.type=f64", INVALID, "gradOutput", "DOUBLE"},
    {"indices.type=f32", INVALID, "indices", "FLOAT"},
    {"gradInput.type=bf16", INVALID, "gradInput", "BF16"},
    {"indices.format=nc1hwc0", INVALID, "indices", "NC1HWC0"},
    {"gradInput.format=nd", INVALID, "gradInput", "ND"},
    {"gradInput.rank=5", INVALID, "gradInput", "5"},
    {"storageOrder=2", INVALID, "storageOrder", "is 2"},
    {"indices.dims[2]=3", INVALID, "indices", "(2, 3, 3, 5)"},
    {"gradInput.dims[1]=4", INVALID, "gradOutput", "4"},
};

Test(max_pool_refusals, aclnnext_max_pool_grad)
{
    CHECK_REFUSALS(&rig_aclnnext_max_pool_grad,
                   "aclnnext_max_pool_grad f32 n2c3 8x10 k3x3 s2x2 p1x1", flat, NULL);
}

/* What only looks wrong; and a dilation that leaves a window without a tap inside. */
Test(max_pool_refusals, accepted)
{
    static char text[RIG_TEXT];
    static const char *const changes[] = {"stride.length=0", "dilation[0]=1",
                                          "self.type=bf16 out.type=bf16", "indices.type=i64"};
    CHECK_ACCEPTED(&rig_max_pool2d_with_indices,
                   "max_pool2d_with_indices f32 n2c3 9x9 k3x3 s3x3 p0x0 d1x1", changes);
    cr_assert_not(rig_check_accepted(&rig_max_pool2d_with_indices,
                                     "max_pool2d_with_indices f32 n1c1 3x3 k2x2 s1x1 p1x1 d4x4",
                                     (const char *[]){"ceilMode=0"}, 1, text));
    cr_assert(strstr(text, "has all its taps in the padding"), "%s", text);
}
