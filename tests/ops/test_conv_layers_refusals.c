/* SPDX-License-Identifier: Apache-2.0 */
/* What aclnnConvDepthwise2d, aclnnConvTbc and aclnnConvTbcBackward refuse: the code, and a text
 * with the operator's name, the argument and the value; each list is in the order of the checks,
 * and with two faults at once the earlier one speaks. And their empty tensors. */
#include "tests/ops/suite.h"
#include "tests/support/rows_conv.h"

RIG_SUITE(conv_layers_refusals);

static bool each_alone(const struct rig_fault *earlier, const struct rig_fault *later)
{
    (void)earlier, (void)later;
    return true;
}

Test(conv_layers_refusals, depthwise)
{
    static const char sound[] =
        "conv_depthwise2d f32 self=2x3x5x7:nchw weight=6x1x2x3:nchw kernelSize=2x3 bias=6 "
        "stride=1x1 padding=0x1 dilation=1x1 out=2x6x4x7:nchw";
    static const struct rig_fault faults[] = {
        {"self=null", NULLPTR, "self", "NULL"},
        {"weight=null", NULLPTR, "weight", "NULL"},
        {"stride=null", NULLPTR, "stride", "NULL"},
        {"padding=null", NULLPTR, "padding", "NULL"},
        {"dilation=null", NULLPTR, "dilation", "NULL"},
        {"out=null", NULLPTR, "out", "NULL"},
        {"kernelSize=null", NULLPTR, "kernelSize", "NULL"},
        {"bias.type=f64", INVALID, "bias", "DOUBLE"},
        {"bias.type=f16", INVALID, "bias", "FLOAT16"},
        {"weight.type=i8", INVALID, "weight", "INT8"},
        {"out.type=i32", INVALID, "out", "INT32"},
        {"weight.type=bf16", INVALID, "weight", "BF16"},
        {"out.type=f16", INVALID, "out", "FLOAT16"},
        {"self.rank=3", INVALID, "self", "3 dimensions"},
        {"weight.rank=5", INVALID, "weight", "5 dimensions"},
        {"out.rank=3", INVALID, "out", "3 dimensions"},
        {"bias.rank=2", INVALID, "bias", "2 dimensions"},
        {"stride.length=1", INVALID, "stride", "1 entries"},
        {"padding.length=4", INVALID, "padding", "4 entries"},
        {"dilation.length=3", INVALID, "dilation", "3 entries"},
        {"self.format=nhwc", INVALID, "self", "NHWC"},
        {"weight.format=nd", INVALID, "weight", "ND"},
        {"out.format=nhwc", INVALID, "out", "NHWC"},
        {"bias.format=nc1hwc0", INVALID, "bias", "NC1HWC0"},
        {"self.dims[0]=-2", INVALID, "self", "-2"},
        {"weight.dims[2]=0", INVALID, "weight", "no taps"},
        {"stride[1]=0", INVALID, "stride[1]", "is 0"},
        {"dilation[0]=0", INVALID, "dilation[0]", "is 0"},
        {"padding[0]=-1", INVALID, "padding[0]", "-1"},
        {"weight.dims[3]=40", INVALID, "self", "no window"},
        {"weight.dims[1]=2", INVALID, "dimension 1 of weight", "is 2"},
        {"weight.dims[0]=7", INVALID, "dimension 0 of weight", "is 7"},
        {"bias.dims[0]=5", INVALID, "bias", "5 elements"},
        {"out.dims[3]=8", INVALID, "out", "(2, 6, 4, 8)"},
        {"cubeMathType=5", INVALID, "cubeMathType", "5"},
        {"kernelSize.length=1", INVALID, "kernelSize", "1 entries"},
        {"kernelSize[1]=2", INVALID, "kernelSize[1]", "is 2"},
    };
    check_line(&rig_conv_depthwise2d, sound);
    CHECK_REFUSALS(&rig_conv_depthwise2d, sound, faults, NULL);
    /* Two sizes of one tensor. */
    static const struct rig_fault more[] = {
        {"weight.dims[3]=40 weight.dims[2]=0", INVALID, "weight", "no taps"},
        {"weight.dims[1]=2 weight.dims[2]=0", INVALID, "weight", "no taps"},
        {"weight.dims[0]=7 weight.dims[2]=0", INVALID, "weight", "no taps"},
        {"weight.dims[1]=2 weight.dims[3]=40", INVALID, "self", "no window"},
        {"weight.dims[0]=7 weight.dims[3]=40", INVALID, "self", "no window"},
        {"weight.dims[0]=7 weight.dims[1]=2", INVALID, "dimension 1 of weight", "is 2"},
    };
    CHECK_REFUSALS(&rig_conv_depthwise2d, sound, more, each_alone);
}

Test(conv_layers_refusals, tbc)
{
    static const char sound[] = "conv_tbc f32 self=7x2x3 weight=3x3x4 bias=4 pad=1 output=7x2x4";
    static const struct rig_fault faults[] = {
        {"self=null", NULLPTR, "self", "NULL"},
        {"weight=null", NULLPTR, "weight", "NULL"},
        {"bias=null", NULLPTR, "bias", "NULL"},
        {"output=null", NULLPTR, "output", "NULL"},
        {"bias.type=f64", INVALID, "bias", "DOUBLE"},
        {"self.type=i8", INVALID, "self", "INT8"},
        {"weight.type=f16", INVALID, "weight", "FLOAT16"},
        {"output.type=bf16", INVALID, "output", "BF16"},
        {"self.rank=2", INVALID, "self", "2 dimensions"},
        {"weight.rank=4", INVALID, "weight", "4 dimensions"},
        {"output.rank=2", INVALID, "output", "2 dimensions"},
        {"bias.rank=2", INVALID, "bias", "2 dimensions"},
        {"self.format=nchw", INVALID, "self", "NCHW"},
        {"weight.format=nhwc", INVALID, "weight", "NHWC"},
        {"output.format=ncdhw", INVALID, "output", "NCDHW"},
        {"bias.format=fractal_z", INVALID, "bias", "FRACTAL_Z"},
        {"self.dims[1]=-2", INVALID, "self", "-2"},
        {"bias.dims[0]=5", INVALID, "bias", "5 elements"},
        {"weight.dims[0]=0", INVALID, "weight", "no taps"},
        {"pad=-1", INVALID, "pad ", "-1"},
        {"pad=max", INVALID, "pad ", "64 bits"},
        {"weight.dims[0]=10", INVALID, "self", "10 taps"},
        {"weight.dims[1]=5", INVALID, "self", "3 channels"},
        {"output.dims[0]=8", INVALID, "output", "(8, 2, 4)"},
        {"cubeMathType=5", INVALID, "cubeMathType", "5"},
    };
    check_line(&rig_conv_tbc, sound);
    CHECK_REFUSALS(&rig_conv_tbc, sound, faults, NULL);
    static const struct rig_fault more[] = {
        {"weight.dims[1]=5 weight.dims[0]=0", INVALID, "weight", "no taps"},
        {"weight.dims[1]=5 weight.dims[0]=10", INVALID, "self", "10 taps"},
    };
    CHECK_REFUSALS(&rig_conv_tbc, sound, more, each_alone);
}

Test(conv_layers_refusals, tbc_backward)
{
    static const char sound[] =
        "conv_tbc_backward f32 self=7x2x4 input=7x2x3 weight=3x3x4 bias=4 pad=1 gradInput=7x2x3 "
        "gradWeight=3x3x4 gradBias=4";
    static const struct rig_fault faults[] = {
        {"self=null", NULLPTR, "self", "NULL"},
        {"input=null", NULLPTR, "input", "NULL"},
        {"weight=null", NULLPTR, "weight", "NULL"},
        {"bias=null", NULLPTR, "bias", "NULL"},
        {"gradInput=null", NULLPTR, "gradInput", "NULL"},
        {"gradWeight=null", NULLPTR, "gradWeight", "NULL"},
        {"self.type=f64", INVALID, "self", "DOUBLE"},
        {"input.type=i8", INVALID, "input", "INT8"},
        {"weight.type=i32", INVALID, "weight", "INT32"},
        {"bias.type=f64", INVALID, "bias", "DOUBLE"},
        {"gradInput.type=f64", INVALID, "gradInput", "DOUBLE"},
        {"gradWeight.type=f64", INVALID, "gradWeight", "DOUBLE"},
        {"self.format=nchw", INVALID, "self", "NCHW"},
        {"input.format=nhwc", INVALID, "input", "NHWC"},
        {"weight.format=ncdhw", INVALID, "weight", "NCDHW"},
        {"bias.format=ncl", INVALID, "bias", "NCL"},
        {"gradInput.format=nchw", INVALID, "gradInput", "NCHW"},
        {"gradWeight.format=nchw", INVALID, "gradWeight", "NCHW"},
        {"self.dims[0]=0", INVALID, "self", "empty"},
        {"self.rank=2", INVALID, "self", "2 dimensions"},
        {"input.rank=2", INVALID, "input", "2 dimensions"},
        {"weight.rank=4", INVALID, "weight", "4 dimensions"},
        {"bias.rank=2", INVALID, "bias", "2 dimensions"},
        {"gradInput.rank=4", INVALID, "gradInput", "4 dimensions"},
        {"gradWeight.rank=4", INVALID, "gradWeight", "4 dimensions"},
        {"weight.dims[1]=5", INVALID, "input", "3 channels"},
        {"bias.dims[0]=9", INVALID, "bias", "9 elements"},
        {"pad=-1", INVALID, "pad ", "-1"},
        {"weight.dims[0]=30", INVALID, "input", "30 taps"},
        {"self.dims[1]=3", INVALID, "self", "(7, 3, 4)"},
        {"gradInput.dims[0]=8", INVALID, "gradInput", "(8, 2, 3)"},
        {"gradWeight.dims[2]=5", INVALID, "gradWeight", "(3, 3, 5)"},
        {"cubeMathType=4", INVALID, "cubeMathType", "4"},
    };
    check_line(&rig_conv_tbc_backward, sound);
    CHECK_REFUSALS(&rig_conv_tbc_backward, sound, faults, NULL);
    static const struct rig_fault more[] = {
        {"weight.dims[0]=30 weight.dims[1]=5", INVALID, "input", "3 channels"},
        {"self.dims[1]=3 self.dims[0]=0", INVALID, "self", "empty"},
    };
    CHECK_REFUSALS(&rig_conv_tbc_backward, sound, more, each_alone);
}

/* ---- empty tensors ---- */

/* No channels, or no time but a pad: the output is the bias; gradients of input and weight are 0,
 * that of the bias is the sum of self, as always. */
Test(conv_layers_refusals, empty_tbc)
{
    CHECK_EACH(&rig_conv_tbc, "conv_tbc f32 self=7x2x0 weight=3x0x4 bias=4 pad=1 output=7x2x4",
               "conv_tbc f32 self=0x2x3 weight=3x3x4 bias=4 pad=2 output=2x2x4",
               "conv_tbc f32 self=7x0x3 weight=3x3x4 bias=4 pad=1 output=7x0x4");
    CHECK_EACH(&rig_conv_tbc_backward,
               "conv_tbc_backward f32 self=7x2x4 input=7x2x0 weight=3x0x4 bias=4 pad=1 "
               "gradInput=7x2x0 gradWeight=3x0x4 gradBias=4",
               "conv_tbc_backward f32 self=2x2x4 input=0x2x3 weight=3x3x4 bias=4 pad=2 "
               "gradInput=0x2x3 gradWeight=3x3x4 gradBias=4");
}

Test(conv_layers_refusals, empty_depthwise)
{
    CHECK_EACH(&rig_conv_depthwise2d,
               "conv_depthwise2d f32 self=0x3x5x7:nchw weight=6x1x2x3:nchw kernelSize=2x3 bias=6 "
               "stride=1x1 padding=0x1 dilation=1x1 out=0x6x4x7:nchw",
               "conv_depthwise2d f32 self=2x0x5x7:nchw weight=0x1x2x3:nchw kernelSize=2x3 bias=0 "
               "stride=1x1 padding=0x1 dilation=1x1 out=2x0x4x7:nchw");
}
