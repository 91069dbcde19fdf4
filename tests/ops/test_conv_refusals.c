/* SPDX-License-Identifier: Apache-2.0 */
/* What aclnnConvolutionBackward, aclnnextConvGrad and aclnnConvolution refuse: the code, and a text
 * with the operator's name, the argument and the value. Each list is in the order of the checks;
 * with two faults at once the earlier one speaks. And what they accept without tensors to read. */
#include "tests/ops/suite.h"
#include "tests/support/rows_conv.h"

RIG_SUITE(conv_refusals);

#define SIDES    "gradOutput=2x6x5x4:nchw input=2x4x5x4:nchw weight=6x2x3x3:nchw "
#define RESULTS  "gradInput=2x4x5x4:nchw gradWeight=6x2x3x3:nchw gradBias=6"
#define BACKWARD "convolution_backward f32 "
#define GRAD     "aclnnext_conv_grad f32 "
#define FORWARD  "convolution f32 "
#define WINDOWS  "stride=1x1 padding=1x1 dilation=1x1 outputPadding=0x0 groups=2 "

static bool each_alone(const struct rig_fault *earlier, const struct rig_fault *later)
{
    (void)earlier, (void)later;
    return true;
}

Test(conv_refusals, backward)
{
    static const char sound[] = BACKWARD SIDES "biasSizes=6 " WINDOWS "outputMask=1x1x1 " RESULTS;
    static const struct rig_fault faults[] = {
        {"gradOutput=null", NULLPTR, "gradOutput", "NULL"},
        {"input=null", NULLPTR, "input", "NULL"},
        {"weight=null", NULLPTR, "weight", "NULL"},
        {"stride=null", NULLPTR, "stride", "NULL"},
        {"padding=null", NULLPTR, "padding", "NULL"},
        {"dilation=null", NULLPTR, "dilation", "NULL"},
        {"outputPadding=null", NULLPTR, "outputPadding", "NULL"},
        {"outputMask=null", NULLPTR, "outputMask", "NULL"},
        {"outputMask.length=2", NULLPTR, "outputMask", "2"},
        {"gradInput=null", NULLPTR, "gradInput", "outputMask[0]"},
        {"gradWeight=null", NULLPTR, "gradWeight", "outputMask[1]"},
        {"gradBias=null", NULLPTR, "gradBias", "outputMask[2]"},
        {"gradOutput.type=f64", INVALID, "gradOutput", "DOUBLE"},
        {"input.type=i32", INVALID, "input", "INT32"},
        {"weight.type=i8", INVALID, "weight", "INT8"},
        {"gradInput.type=f64", INVALID, "gradInput", "DOUBLE"},
        {"gradWeight.type=f64", INVALID, "gradWeight", "DOUBLE"},
        {"gradBias.type=f64", INVALID, "gradBias", "DOUBLE"},
        {"gradOutput.format=nhwc", INVALID, "gradOutput", "NHWC"},
        {"input.format=nd", INVALID, "input", "ND"},
        {"weight.format=nc1hwc0", INVALID, "weight", "NC1HWC0"},
        {"gradInput.format=nhwc", INVALID, "gradInput", "NHWC"},
        {"gradWeight.format=nhwc", INVALID, "gradWeight", "NHWC"},
        {"gradBias.format=ncl", INVALID, "gradBias", "NCL"},
        {"stride[1]=0", INVALID, "stride[1]", "is 0"},
        {"padding[0]=-1", INVALID, "padding[0]", "-1"},
        {"dilation[0]=0", INVALID, "dilation[0]", "is 0"},
        {"groups=0", INVALID, "groups", "is 0"},
        {"cubeMathType=4", INVALID, "cubeMathType", "4"},
        {"gradInput.dims[3]=5", INVALID, "gradInput", "(2, 4, 5, 5)"},
        {"gradWeight.dims[0]=4", INVALID, "gradWeight", "(4, 2, 3, 3)"},
        {"gradBias.dims[0]=5", INVALID, "gradBias", "5"},
        {"stride.length=3 stride[2]=1", INVALID, "stride", "3"},
        {"dilation.length=1", INVALID, "dilation", "1"},
        {"padding.length=1", INVALID, "padding", "1"},
        {"groups=4", INVALID, "input", "groups, which is 4"},
        {"gradOutput.dims[2]=6", INVALID, "gradOutput", "(2, 6, 6, 4)"},
    };
    check_line(&rig_convolution_backward, sound);
    static const struct rig_fault more[] = {
        {"stride.length=3 stride[2]=1 stride[1]=0", INVALID, "stride[1]", "is 0"},
    };
    CHECK_REFUSALS(&rig_convolution_backward, sound, faults, NULL);
    CHECK_REFUSALS(&rig_convolution_backward, sound, more, each_alone);
}

Test(conv_refusals, grad)
{
    static const char sound[] = GRAD SIDES "strides=1x1 padsBegin=1x1 padsEnd=1x1 dilations=1x1 "
                                           "groups=2 " RESULTS;
    static const struct rig_fault faults[] = {
        {"gradOutput=null", NULLPTR, "gradOutput", "NULL"},
        {"input=null", NULLPTR, "input", "NULL"},
        {"weight=null", NULLPTR, "weight", "NULL"},
        {"gradInput=null gradWeight=null gradBias=null", NULLPTR, "gradInput", "all NULL"},
        {"gradOutput.type=f64", INVALID, "gradOutput", "DOUBLE"},
        {"input.type=i32", INVALID, "input", "INT32"},
        {"weight.type=i8", INVALID, "weight", "INT8"},
        {"gradInput.type=f64", INVALID, "gradInput", "DOUBLE"},
        {"gradOutput.rank=2", INVALID, "gradOutput", "2 dimensions"},
        {"weight.format=nc1hwc0", INVALID, "weight", "NC1HWC0"},
        {"gradInput.dims[3]=5", INVALID, "gradInput", "(2, 4, 5, 5)"},
        {"gradInput.format=nhwc", INVALID, "gradInput", "NHWC"},
        {"gradWeight.dims[0]=4", INVALID, "gradWeight", "(4, 2, 3, 3)"},
        {"gradBias.dims[0]=5", INVALID, "gradBias", "5"},
        {"strides.length=3 strides[2]=1", INVALID, "strides", "3"},
        {"strides[1]=0", INVALID, "strides[1]", "is 0"},
    };
    static const struct rig_fault more[] = {
        /* an autoPad hides the pads */
        {"dilations[0]=0", INVALID, "dilations[0]", "is 0"},
        {"autoPad=4", INVALID, "autoPad", "4"},
        {"padsBegin[0]=-1", INVALID, "padsBegin[0]", "-1"},
        {"padsEnd[0]=-1", INVALID, "padsEnd[0]", "-1"},
        {"groups=0", INVALID, "groups", "is 0"},
        {"cubeMathType=4", INVALID, "cubeMathType", "4"},
        {"groups=4", INVALID, "input", "groups, which is 4"},
        {"gradOutput.dims[2]=6", INVALID, "gradOutput", "(2, 6, 6, 4)"},
        {"strides[1]=0 strides.length=3", INVALID, "strides", "3"},
    };
    CHECK_EACH(&rig_aclnnext_conv_grad, sound,
               GRAD SIDES "padsBegin=1 padsEnd=1 groups=2 gradWeight=6x2x3x3:nchw gradBias=6",
               GRAD SIDES "autoPad=1 padsEnd=1 groups=2 gradWeight=6x2x3x3:nchw gradBias=6",
               GRAD SIDES "autoPad=2 padsEnd=1 groups=2 gradInput=2x4x5x4:nchw");
    CHECK_REFUSALS(&rig_aclnnext_conv_grad, sound, faults, NULL);
    CHECK_REFUSALS(&rig_aclnnext_conv_grad, sound, more, each_alone);
}

#define TENSORS "input=2x4x5x4:nchw weight=6x2x3x3:nchw "

Test(conv_refusals, forward)
{
    static const char sound[] = FORWARD TENSORS "bias=6 " WINDOWS "output=2x6x5x4:nchw";
    static const struct rig_fault faults[] = {
        {"input=null", NULLPTR, "input", "NULL"},
        {"weight=null", NULLPTR, "weight", "NULL"},
        {"stride=null", NULLPTR, "stride", "NULL"},
        {"padding=null", NULLPTR, "padding", "NULL"},
        {"dilation=null", NULLPTR, "dilation", "NULL"},
        {"output=null", NULLPTR, "output", "NULL"},
        {"bias.type=f64", INVALID, "bias", "DOUBLE"},
        {"input.type=i32", INVALID, "input", "INT32"},
        {"weight.type=i8", INVALID, "weight", "INT8"},
        {"output.type=f64", INVALID, "output", "DOUBLE"},
        {"output.rank=2", INVALID, "output", "2 dimensions"},
        {"bias.dims[0]=5", INVALID, "bias", "5"},
        {"stride.length=3 stride[2]=1", INVALID, "stride", "3"},
        {"dilation.length=1", INVALID, "dilation", "1"},
        {"padding.length=1", INVALID, "padding", "1"},
        {"output.format=nhwc", INVALID, "output", "NHWC"},
        {"weight.format=nc1hwc0", INVALID, "weight", "NC1HWC0"},
        {"stride[1]=0", INVALID, "stride[1]", "is 0"},
        {"dilation[0]=0", INVALID, "dilation[0]", "is 0"},
        {"padding[0]=-1", INVALID, "padding[0]", "-1"},
        {"groups=0", INVALID, "groups", "is 0"},
        {"groups=4", INVALID, "input", "must have 8"},
        {"output.dims[2]=6", INVALID, "output", "(2, 6, 6, 4)"},
        {"cubeMathType=5", INVALID, "cubeMathType", "5"},
    };
    CHECK_EACH(&rig_convolution, sound,
               FORWARD TENSORS "stride=1x1 padding=1x1 dilation=1x1 groups=2 output=2x6x5x4:nchw "
                               "cubeMathType=4");
    static const struct rig_fault more[] = {
        {"stride[1]=0 stride.length=3 stride[2]=1", INVALID, "stride", "3"},
    };
    CHECK_REFUSALS(&rig_convolution, sound, faults, NULL);
    CHECK_REFUSALS(&rig_convolution, sound, more, each_alone);
}

/* ---- empty tensors: gradWeight and gradBias are filled with zeros ---- */

#define NO_BATCH   "gradOutput=0x6x5x4:nchw input=0x4x5x4:nchw weight=6x2x3x3:nchw "
#define OF_NOTHING "gradInput=0x4x5x4:nchw gradWeight=6x2x3x3:nchw gradBias=6"

Test(conv_refusals, empty_batch)
{
    static const char empty[] =
        BACKWARD NO_BATCH "biasSizes=6 " WINDOWS "outputMask=1x1x1 " OF_NOTHING;
    static const struct rig_fault faults[] = {{"biasSizes=null", INVALID, "biasSizes", "NULL"}};
    CHECK_EACH(&rig_convolution_backward, empty,
               BACKWARD NO_BATCH WINDOWS "outputMask=1x1x0 " OF_NOTHING);
    check_line(&rig_aclnnext_conv_grad, GRAD NO_BATCH "padsBegin=1 padsEnd=1 groups=2 " OF_NOTHING);
    CHECK_REFUSALS(&rig_convolution_backward, empty, faults, NULL);
}

/* Without channels of the input there is still a gradOutput, whose sums are ConvGrad's gradBias. */
Test(conv_refusals, bias_of_an_empty_input)
{
    check_line(&rig_aclnnext_conv_grad,
               GRAD "gradOutput=2x6x5x4:nchw input=2x0x5x4:nchw weight=6x0x3x3:nchw padsBegin=1 "
                    "padsEnd=1 groups=2 gradInput=2x0x5x4:nchw gradWeight=6x0x3x3:nchw gradBias=6");
}

Test(conv_refusals, empty_forward)
{
    check_line(&rig_convolution, FORWARD "input=0x4x5x4:nchw weight=6x2x3x3:nchw bias=6 " WINDOWS
                                         "output=0x6x5x4:nchw");
}
