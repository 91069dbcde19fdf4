/* SPDX-License-Identifier: Apache-2.0 */
/* What aclnnAdaptiveMaxPool2d, aclnnAdaptiveMaxPool3d and their gradients refuse: codes, words and
 * order. */
#include "tests/ops/suite.h"
#include "tests/support/rows_indices.h"

static const char *const SOUND_2D = "adaptive_max_pool2d f32 n2c3 9x11 o4x5 idx=i64";
static const char *const SOUND_3D = "adaptive_max_pool3d f32 n2c3 4x6x5 o2x3x2 seed=1";

Test(adaptive_max_pool_refusals, forward_2d)
{
    static const struct rig_fault faults[] = {
        {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
        {"executor=null", NULLPTR, "executor", "NULL"},
        {"self=null", NULLPTR, "self", "NULL"},
        {"outputSize=null", NULLPTR, "outputSize", "NULL"},
        {"outputOut=null", NULLPTR, "outputOut", "NULL"},
        {"indicesOut=null", NULLPTR, "indicesOut", "NULL"},
        {"self.type=i32", INVALID, "self", "INT32"},
        {"outputOut.type=i64", INVALID, "outputOut", "INT64"},
        {"outputOut.type=f16", INVALID, "outputOut", "FLOAT16"},
        {"indicesOut.type=i32", INVALID, "indicesOut", "INT32"},
        {"self.rank=5", INVALID, "self", "5"},
        {"indicesOut.dims[3]=4", INVALID, "indicesOut", "(2, 3, 4, 4"},
        {"self.dims[0]=-1", INVALID, "self", "-1"},
        {"self.dims[2]=0", INVALID, "self", "size 0"},
        {"outputSize.length=3", INVALID, "outputSize", "3"},
        {"outputSize[0]=0", INVALID, "outputSize[0]", "is 0"},
        {"outputSize[1]=-5", INVALID, "outputSize[1]", "-5"},
        {"self.format=nhwc", INVALID, "self", "NHWC"},
        {"outputOut.format=nc1hwc0", INVALID, "outputOut", "NC1HWC0"},
        {"outputOut.rank=5 indicesOut.rank=5", INVALID, "outputOut", "5"},
        {"outputOut.dims[1]=4 indicesOut.dims[1]=4", INVALID, "outputOut", "(2, 4, 4, 5"},
        {"outputSize[1]=6", INVALID, "outputOut", "outputSize[1]"},
    };
    CHECK_REFUSALS(&rig_adaptive_max_pool2d, SOUND_2D, faults, NULL);
    static const struct rig_fault overlap[] = {
        {"indicesOut.strides[3]=0", INVALID, "indicesOut", "share"}};
    CHECK_REFUSALS(&rig_adaptive_max_pool2d, SOUND_2D, overlap, NULL);
    static const char *const changes[] = {"self.format=nd outputOut.format=nd",
                                          "indicesOut.format=nc", "self.dims[0]=0",
                                          "self.type=f64 outputOut.type=f64"};
    CHECK_ACCEPTED(&rig_adaptive_max_pool2d, SOUND_2D, changes);
}

Test(adaptive_max_pool_refusals, forward_3d)
{
    static const struct rig_fault faults[] = {
        {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
        {"executor=null", NULLPTR, "executor", "NULL"},
        {"self=null", NULLPTR, "self", "NULL"},
        {"outputSize=null", NULLPTR, "outputSize", "NULL"},
        {"outputOut=null", NULLPTR, "outputOut", "NULL"},
        {"indicesOut=null", NULLPTR, "indicesOut", "NULL"},
        {"self.rank=6", INVALID, "self", "6"},
        {"outputOut.rank=6", INVALID, "outputOut", "6"},
        {"indicesOut.rank=6", INVALID, "indicesOut", "6"},
        {"self.type=f64", INVALID, "self", "DOUBLE"},
        {"outputOut.type=f64", INVALID, "outputOut", "DOUBLE"},
        {"indicesOut.type=i16", INVALID, "indicesOut", "INT16"},
        {"self.format=ndhwc", INVALID, "self", "NDHWC"},
        {"outputOut.format=nd", INVALID, "outputOut", "ND"},
        {"outputSize.length=2", INVALID, "outputSize", "2"},
        {"outputOut.dims[1]=4", INVALID, "outputOut", "(2, 4, 2, 3, 2"},
        {"outputSize[2]=3", INVALID, "outputOut", "outputSize"},
        {"indicesOut.dims[4]=3", INVALID, "indicesOut", "(2, 3, 2, 3, 3"},
        {"outputOut.type=f16", INVALID, "outputOut", "FLOAT16"},
        {"self.dims[0]=-1 outputOut.dims[0]=-1 indicesOut.dims[0]=-1", INVALID, "self", "-1"},
        {"self.dims[3]=0", INVALID, "self", "size 0"},
        {"self.dims[2]=71582789", INVALID, "indicesOut", "INT32"},
        {"outputSize[0]=0 outputOut.dims[2]=0 indicesOut.dims[2]=0", INVALID, "outputSize[0]",
         "is 0"},
    };
    CHECK_REFUSALS(&rig_adaptive_max_pool3d, SOUND_3D, faults, NULL);
    static const char *const changes[] = {
        "self.format=nchw outputOut.format=nchw", "self.format=nd outputOut.format=nd",
        "indicesOut.type=i64", "self.dims[0]=0 outputOut.dims[0]=0 indicesOut.dims[0]=0"};
    CHECK_ACCEPTED(&rig_adaptive_max_pool3d, SOUND_3D, changes);
}

/* Both gradients have the same checks; `planes` and `rank` differ with the axes. */
static void check_backward(const struct rig_operator *op, const char *sound,
                           const struct rig_fault *faults, int count)
{
    static const char *const changes[] = {
        "indices.type=i64", "self.storage=1",
        "self.type=bf16 gradOutput.type=bf16 gradInput.type=bf16",
        "gradOutput.dims[0]=0 indices.dims[0]=0",
        "self.format=nd gradOutput.format=nd indices.format=nd gradInput.format=nd"};
    check_refusals((struct rig_refusals){op, sound, faults, count, NULL});
    CHECK_ACCEPTED(op, sound, changes);
}

Test(adaptive_max_pool_refusals, backward_2d)
{
    static const struct rig_fault faults[] = {
        {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
        {"executor=null", NULLPTR, "executor", "NULL"},
        {"gradOutput=null", NULLPTR, "gradOutput", "NULL"},
        {"self=null", NULLPTR, "self", "NULL"},
        {"indices=null", NULLPTR, "indices", "NULL"},
        {"gradInput=null", NULLPTR, "gradInput", "NULL"},
        {"gradOutput.type=f16", INVALID, "gradOutput", "FLOAT16"},
        {"gradInput.type=f16", INVALID, "gradInput", "FLOAT16"},
        {"self.type=f64 gradOutput.type=f64 gradInput.type=f64", INVALID, "self", "DOUBLE"},
        {"indices.type=i16", INVALID, "indices", "INT16"},
        {"gradOutput.rank=5", INVALID, "gradOutput", "5"},
        {"indices.rank=5", INVALID, "indices", "5"},
        {"gradInput.rank=5", INVALID, "gradInput", "5"},
        {"indices.dims[3]=4", INVALID, "indices", "(2, 3, 4, 4|(2, 4, 4, 3"},
        {"gradInput.dims[3]=12", INVALID, "gradInput", "(2, 3, 9, 12|(2, 9, 12, 3"},
        {"self.format=nhwc gradOutput.format=nhwc indices.format=nhwc gradInput.format=nhwc",
         INVALID, "self", "NHWC"},
        {"gradOutput.format=nd", INVALID, "gradOutput", "ND"},
        {"indices.format=nd", INVALID, "indices", "ND"},
        {"gradInput.format=nc1hwc0", INVALID, "gradInput", "NC1HWC0"},
        {"self.rank=5 gradOutput.rank=5 indices.rank=5 gradInput.rank=5", INVALID, "self", "5"},
        {"self.dims[2]=-9 gradInput.dims[2]=-9", INVALID, "self", "-9"},
        {"gradOutput.dims[2]=-4 indices.dims[2]=-4", INVALID, "gradOutput", "-4"},
        {"gradOutput.dims[0]=1 indices.dims[0]=1", INVALID, "gradOutput", "(1, 3, 4, 5"},
    };
    check_backward(&rig_adaptive_max_pool2d_backward,
                   "adaptive_max_pool2d_backward f32 n2c3 9x11 o4x5", faults, LENGTH(faults));
}

Test(adaptive_max_pool_refusals, backward_3d)
{
    static const struct rig_fault faults[] = {
        {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
        {"executor=null", NULLPTR, "executor", "NULL"},
        {"gradOutput=null", NULLPTR, "gradOutput", "NULL"},
        {"self=null", NULLPTR, "self", "NULL"},
        {"indices=null", NULLPTR, "indices", "NULL"},
        {"gradInput=null", NULLPTR, "gradInput", "NULL"},
        {"gradOutput.type=bf16", INVALID, "gradOutput", "BF16|BFLOAT16"},
        {"gradInput.type=f16", INVALID, "gradInput", "FLOAT16"},
        {"self.type=i32 gradOutput.type=i32 gradInput.type=i32", INVALID, "self", "INT32"},
        {"indices.type=f32", INVALID, "indices", "FLOAT"},
        {"gradOutput.rank=6", INVALID, "gradOutput", "6"},
        {"indices.rank=6", INVALID, "indices", "6"},
        {"gradInput.rank=6", INVALID, "gradInput", "6"},
        {"indices.dims[3]=4", INVALID, "indices", "(2, 3, 2, 4, 2|(2, 2, 4, 2, 3"},
        {"gradInput.dims[3]=12", INVALID, "gradInput", "(2, 3, 4, 12, 5|(2, 4, 12, 5, 3"},
        {"self.format=ndhwc gradOutput.format=ndhwc indices.format=ndhwc gradInput.format=ndhwc",
         INVALID, "self", "NDHWC"},
        {"gradOutput.format=nd", INVALID, "gradOutput", "ND"},
        {"indices.format=nd", INVALID, "indices", "ND"},
        {"gradInput.format=nd", INVALID, "gradInput", "ND"},
        {"self.rank=6 gradOutput.rank=6 indices.rank=6 gradInput.rank=6", INVALID, "self", "6"},
        {"self.dims[2]=-4 gradInput.dims[2]=-4", INVALID, "self", "-4"},
        {"gradOutput.dims[2]=-2 indices.dims[2]=-2", INVALID, "gradOutput", "-2"},
        {"gradOutput.dims[1]=1 indices.dims[1]=1", INVALID, "gradOutput", "(2, 1, 2, 3, 2"},
    };
    check_backward(&rig_adaptive_max_pool3d_backward,
                   "adaptive_max_pool3d_backward f32 n2c3 4x6x5 o2x3x2", faults, LENGTH(faults));
}
