/* SPDX-License-Identifier: Apache-2.0 */
/* What aclnnMaxUnpool2d, aclnnMaxUnpool3d and their gradients refuse: codes, words and order. */
#include <string.h>

#include "tests/ops/suite.h"
#include "tests/support/rows_indices.h"

static const char *const SOUND_2D = "max_unpool2d f32 n2c3 9x11 o4x5";
static const char *const SOUND_3D = "max_unpool3d f32 n2c3 4x6x5 o2x3x2";
static const char *const SOUND_2D_BACKWARD = "max_unpool2d_backward f32 n2c3 9x11 o4x5";
static const char *const SOUND_3D_BACKWARD = "max_unpool3d_backward f32 n2c3 4x6x5 o2x3x2 idx=i64";

/* An empty tensor has no strides that could be wrong, and one of stride 0 reaches little. */
static bool is_excused(const struct rig_fault *earlier, const struct rig_fault *later)
{
    if (strstr(earlier->change, "strides")) return strstr(later->change, "=0") != NULL;
    return strstr(earlier->change, "storage") && strstr(later->change, "strides");
}

Test(max_unpool_refusals, forward_2d)
{
    static const struct rig_fault faults[] = {
        {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
        {"executor=null", NULLPTR, "executor", "NULL"},
        {"self=null", NULLPTR, "self", "NULL"},
        {"indices=null", NULLPTR, "indices", "NULL"},
        {"outputSize=null", NULLPTR, "outputSize", "NULL"},
        {"out=null", NULLPTR, "out", "NULL"},
        {"self.type=bool", INVALID, "self", "BOOL"},
        {"out.type=f16", INVALID, "out", "FLOAT16"},
        {"indices.type=i16", INVALID, "indices", "INT16"},
        {"self.rank=5", INVALID, "self", "5"},
        {"indices.rank=5", INVALID, "indices", "5"},
        {"indices.dims[3]=4", INVALID, "indices", "(2, 3, 4, 4"},
        {"self.dims[0]=-1 indices.dims[0]=-1", INVALID, "self", "-1"},
        {"self.dims[2]=0 indices.dims[2]=0", INVALID, "self", "size 0"},
        {"outputSize.length=3", INVALID, "outputSize", "3"},
        {"outputSize[0]=-9", INVALID, "outputSize[0]", "-9"},
        {"outputSize[1]=0", INVALID, "outputSize[1]", "is 0"},
        {"outputSize[0]=1", INVALID, "outputSize", "11"},
        {"out.rank=5", INVALID, "out", "5"},
        {"out.dims[1]=4", INVALID, "out", "(2, 4, 9, 11"},
        {"out.dims[3]=12", INVALID, "out", "outputSize[1]"},
        {"self.format=nc1hwc0", INVALID, "self", "NC1HWC0"},
        {"indices.tag=nhwc", INVALID, "indices", "NHWC"},
        {"out.format=fractal_z", INVALID, "out", "FRACTAL_Z"},
        {"out.strides[3]=0", INVALID, "out", "share"},
    };
    CHECK_REFUSALS(&rig_max_unpool2d, SOUND_2D, faults, is_excused);
    static const struct rig_fault large[] = {
        {"outputSize[0]=max", INVALID, "outputSize", "int64_t"}};
    CHECK_REFUSALS(&rig_max_unpool2d, SOUND_2D, large, is_excused);
    static const char *const changes[] = {"self.dims[0]=0 indices.dims[0]=0", "self.format=nd",
                                          "indices.type=i64", "self.type=bf16 out.type=bf16",
                                          "outputSize[0]=10 out.dims[2]=10 out.storage=660"};
    CHECK_ACCEPTED(&rig_max_unpool2d, SOUND_2D, changes);
}

Test(max_unpool_refusals, forward_3d)
{
    static const struct rig_fault faults[] = {
        {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
        {"executor=null", NULLPTR, "executor", "NULL"},
        {"self=null", NULLPTR, "self", "NULL"},
        {"indices=null", NULLPTR, "indices", "NULL"},
        {"outputSize=null", NULLPTR, "outputSize", "NULL"},
        {"stride=null", NULLPTR, "stride", "NULL"},
        {"padding=null", NULLPTR, "padding", "NULL"},
        {"outRef=null", NULLPTR, "outRef", "NULL"},
        {"outRef.strides[3]=6", INVALID, "outRef", "contiguous"},
        {"self.type=complex64", INVALID, "self", "COMPLEX64"},
        {"outRef.type=f16", INVALID, "outRef", "FLOAT16"},
        {"indices.type=i8", INVALID, "indices", "INT8"},
        {"self.rank=6", INVALID, "self", "6"},
        {"indices.rank=6", INVALID, "indices", "6"},
        {"indices.dims[4]=3", INVALID, "indices", "(2, 3, 2, 3, 3"},
        {"self.dims[0]=-1 indices.dims[0]=-1", INVALID, "self", "-1"},
        {"self.dims[4]=0 indices.dims[4]=0", INVALID, "self", "size 0"},
        {"outputSize.length=2", INVALID, "outputSize", "2"},
        {"stride.length=2", INVALID, "stride", "2"},
        {"padding.length=4", INVALID, "padding", "4"},
        {"stride[0]=0", INVALID, "stride[0]", "is 0"},
        {"outputSize[0]=0", INVALID, "outputSize[0]", "is 0"},
        {"stride[2]=-1", INVALID, "stride[2]", "-1"},
        {"outputSize[2]=-5", INVALID, "outputSize[2]", "-5"},
        {"outputSize[1]=1 outputSize[2]=2", INVALID, "outputSize", "8"},
        {"outRef.rank=10", INVALID, "outRef", "10"},
        {"outRef.dims[0]=3", INVALID, "outRef", "(3, 3, 4, 6, 5"},
        {"outRef.dims[4]=6", INVALID, "outRef", "outputSize[2]"},
        {"self.tag=ndhwc", INVALID, "self", "NDHWC"},
        {"indices.format=nc1hwc0", INVALID, "indices", "NC1HWC0"},
        {"outRef.tag=ndhwc", INVALID, "outRef", "NDHWC"},
    };
    CHECK_REFUSALS(&rig_max_unpool3d, SOUND_3D, faults, is_excused);
    static const char *const changes[] = {"padding[0]=-5", "padding[2]=max", "stride[1]=max",
                                          "indices.type=i64", "self.type=f64 outRef.type=f64"};
    CHECK_ACCEPTED(&rig_max_unpool3d, SOUND_3D, changes);
}

Test(max_unpool_refusals, backward_2d)
{
    static const struct rig_fault faults[] = {
        {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
        {"executor=null", NULLPTR, "executor", "NULL"},
        {"gradOutput=null", NULLPTR, "gradOutput", "NULL"},
        {"self=null", NULLPTR, "self", "NULL"},
        {"indices=null", NULLPTR, "indices", "NULL"},
        {"outputSize=null", NULLPTR, "outputSize", "NULL"},
        {"out=null", NULLPTR, "out", "NULL"},
        {"gradOutput.type=f64", INVALID, "gradOutput", "DOUBLE"},
        {"self.type=f64", INVALID, "self", "DOUBLE"},
        {"out.type=f64", INVALID, "out", "DOUBLE"},
        {"out.type=bool", INVALID, "out", "BOOL"},
        {"out.type=i32", INVALID, "out", "INT32"},
        {"self.type=f16", INVALID, "gradOutput", "FLOAT16"},
        {"indices.type=i16", INVALID, "indices", "INT16"},
        {"self.rank=5", INVALID, "self", "5"},
        {"gradOutput.rank=5", INVALID, "gradOutput", "5"},
        {"gradOutput.dims[1]=4", INVALID, "gradOutput", "(2, 4, 9, 11"},
        {"indices.dims[3]=4", INVALID, "indices", "(2, 3, 4, 4"},
        {"out.dims[3]=4", INVALID, "out", "(2, 3, 4, 4"},
        {"outputSize.length=3", INVALID, "outputSize", "3"},
        {"outputSize[1]=12", INVALID, "gradOutput", "outputSize[1]"},
        {"gradOutput.dims[2]=0 outputSize[0]=0", INVALID, "gradOutput", "empty"},
        {"self.dims[2]=-4 indices.dims[2]=-4 out.dims[2]=-4", INVALID, "self", "-4"},
        {"gradOutput.dims[2]=-9 outputSize[0]=-9", INVALID, "gradOutput", "-9"},
        {"gradOutput.tag=nhwc", INVALID, "gradOutput", "NHWC"},
        {"self.format=nc1hwc0", INVALID, "self", "NC1HWC0"},
        {"indices.tag=nhwc", INVALID, "indices", "NHWC"},
        {"out.format=nc1hwc0", INVALID, "out", "NC1HWC0"},
    };
    CHECK_REFUSALS(&rig_max_unpool2d_backward, SOUND_2D_BACKWARD, faults, is_excused);
    static const struct rig_fault from_integers[] = {
        {"gradOutput.type=i32 self.type=i32 out.type=bool", INVALID, "out", "BOOL"}};
    static const struct rig_fault to_integers[] = {
        {"gradOutput.type=bf16 self.type=bf16 out.type=i64", INVALID, "out", "INT64"}};
    CHECK_REFUSALS(&rig_max_unpool2d_backward, SOUND_2D_BACKWARD, from_integers, NULL);
    CHECK_REFUSALS(&rig_max_unpool2d_backward, SOUND_2D_BACKWARD, to_integers, NULL);
    static const char *const changes[] = {
        "out.type=f16",
        "gradOutput.type=bool self.type=bool out.type=i8",
        "gradOutput.type=bool self.type=bool out.type=bool",
        "gradOutput.type=i64 self.type=i64 out.type=u8",
        "self.storage=1",
        "gradOutput.dims[0]=0 self.dims[0]=0 indices.dims[0]=0 out.dims[0]=0"};
    CHECK_ACCEPTED(&rig_max_unpool2d_backward, SOUND_2D_BACKWARD, changes);
}

Test(max_unpool_refusals, backward_3d)
{
    static const struct rig_fault faults[] = {
        {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
        {"executor=null", NULLPTR, "executor", "NULL"},
        {"gradOutput=null", NULLPTR, "gradOutput", "NULL"},
        {"self=null", NULLPTR, "self", "NULL"},
        {"indices=null", NULLPTR, "indices", "NULL"},
        {"outputSize=null", NULLPTR, "outputSize", "NULL"},
        {"stride=null", NULLPTR, "stride", "NULL"},
        {"padding=null", NULLPTR, "padding", "NULL"},
        {"out=null", NULLPTR, "out", "NULL"},
        {"out.strides[3]=3", INVALID, "out", "contiguous"},
        {"gradOutput.type=bool", INVALID, "gradOutput", "BOOL"},
        {"self.type=f16", INVALID, "self", "FLOAT16"},
        {"out.type=f16", INVALID, "out", "FLOAT16"},
        {"indices.type=i32", INVALID, "indices", "INT32"},
        {"self.rank=6", INVALID, "self", "6"},
        {"indices.rank=6", INVALID, "indices", "6"},
        {"out.rank=6", INVALID, "out", "6"},
        {"indices.dims[4]=3", INVALID, "indices", "(2, 3, 2, 3, 3"},
        {"out.dims[4]=3", INVALID, "out", "(2, 3, 2, 3, 3"},
        {"self.dims[0]=-1 indices.dims[0]=-1 out.dims[0]=-1", INVALID, "self", "-1"},
        {"self.dims[3]=0 indices.dims[3]=0 out.dims[3]=0", INVALID, "self", "size 0"},
        {"outputSize.length=2", INVALID, "outputSize", "2"},
        {"stride.length=1", INVALID, "stride", "1"},
        {"padding.length=0", INVALID, "padding", "0"},
        {"stride[0]=0", INVALID, "stride[0]", "is 0"},
        {"outputSize[0]=0", INVALID, "outputSize[0]", "is 0"},
        {"stride[2]=-1", INVALID, "stride[2]", "-1"},
        {"outputSize[2]=-5", INVALID, "outputSize[2]", "-5"},
        {"outputSize[1]=1 outputSize[2]=2", INVALID, "outputSize", "8"},
        {"gradOutput.rank=6", INVALID, "gradOutput", "6"},
        {"gradOutput.dims[4]=6", INVALID, "gradOutput", "outputSize[2]"},
        {"gradOutput.dims[0]=3", INVALID, "gradOutput", "(3, 3, 4, 6, 5"},
        {"gradOutput.tag=ndhwc", INVALID, "gradOutput", "NDHWC"},
        {"self.format=nc1hwc0", INVALID, "self", "NC1HWC0"},
        {"indices.tag=ndhwc", INVALID, "indices", "NDHWC"},
        {"out.format=nc1hwc0", INVALID, "out", "NC1HWC0"},
    };
    CHECK_REFUSALS(&rig_max_unpool3d_backward, SOUND_3D_BACKWARD, faults, is_excused);
    static const char *const changes[] = {"padding[0]=-5", "stride[1]=max", "self.storage=1",
                                          "self.type=f64 gradOutput.type=f64 out.type=f64"};
    CHECK_ACCEPTED(&rig_max_unpool3d_backward, SOUND_3D_BACKWARD, changes);
}
