/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnextAvgPoolGrad: ONNX's AveragePoolGrad and OpenVINO's AvgPoolBackprop. */
#include "api/op_average.h"
#include "api/op_call.h"
#include "api/op_check.h"
#include "api/op_hand.h"
#include "executor/plan.h"
#include "runtime/support/base.h"

static const char *const NAME = "aclnnextAvgPoolGrad";

/* The tensors. */

static aclnnStatus check_formats(const aclTensor *gradOutput, const aclTensor *gradInput)
{
    const uint64_t formats = OP_FORMAT(ACL_FORMAT_NCL) | OP_FORMAT(ACL_FORMAT_NCHW) |
                             OP_FORMAT(ACL_FORMAT_NCDHW) | OP_FORMAT(ACL_FORMAT_ND) |
                             OP_FORMAT(ACL_FORMAT_NHWC) | OP_FORMAT(ACL_FORMAT_NDHWC);
    const char *rule = "NCL, NCHW, NCDHW, ND, NHWC or NDHWC";
    OP_TRY(op_check_format(NAME, "gradOutput", gradOutput, formats, rule));
    OP_TRY(op_check_format(NAME, "gradInput", gradInput, formats, rule));
    return op_check_same_format(NAME, "gradInput", gradInput, "gradOutput", gradOutput);
}

static aclnnStatus check_ranks(const aclTensor *gradOutput, const aclTensor *gradInput)
{
    OP_TRY(op_check_rank(NAME, "gradOutput", gradOutput, 3, K_POOL_AXES + 2));
    OP_TRY(op_check_same_rank(NAME, "gradInput", gradInput, "gradOutput", gradOutput));
    OP_TRY(op_check_format_rank(NAME, "gradOutput", gradOutput));
    OP_TRY(op_check_sizes(NAME, "gradOutput", gradOutput));
    return op_check_sizes(NAME, "gradInput", gradInput);
}

static aclnnStatus check_input_shape(const aclIntArray *inputShape, const aclTensor *gradInput)
{
    const struct ex_descriptor *d = &gradInput->descriptor;
    if (!inputShape) return ACLNN_SUCCESS;
    OP_CHECK(NAME, inputShape->size == (uint64_t)d->rank, ACLNN_ERR_PARAM_INVALID,
             "inputShape has %" PRIu64 " entries; it must have one per dimension of gradInput, "
             "which are %d",
             inputShape->size, d->rank);
    for (int i = 0; i < d->rank; i++)
        OP_CHECK(NAME, inputShape->values[i] == d->sizes[i], ACLNN_ERR_PARAM_INVALID,
                 "inputShape[%d] is %" PRId64 "; it must be gradInput's size, which is %" PRId64, i,
                 inputShape->values[i], d->sizes[i]);
    return ACLNN_SUCCESS;
}

/* gradOutput is what pooling makes of gradInput. */
static aclnnStatus check_output(const struct op_window *window, bool channels_last,
                                const aclTensor *gradOutput, const aclTensor *gradInput)
{
    const struct ex_descriptor *o = &gradOutput->descriptor, *d = &gradInput->descriptor;
    struct op_shape_text output_text, input_text;
    for (int i = 0; i < d->rank; i++) {
        const int axis = i - (channels_last ? 1 : 2);
        int64_t expected = d->sizes[i];
        if (axis >= 0 && axis < window->axes)
            OP_CHECK(
                NAME,
                op_window_count(window, axis + K_POOL_AXES - window->axes, d->sizes[i], &expected),
                ACLNN_ERR_PARAM_INVALID,
                "kernelSize, strides and pads along axis %d do not fit 64 bits", axis);
        OP_CHECK(NAME, o->sizes[i] == expected, ACLNN_ERR_PARAM_INVALID,
                 "gradOutput has shape %s; for gradInput of shape %s its dimension %d must be "
                 "%" PRId64,
                 op_shape(&output_text, gradOutput), op_shape(&input_text, gradInput), i, expected);
    }
    return ACLNN_SUCCESS;
}

/* Phase 1. */

aclnnStatus OP_HAND(aclnnextAvgPoolGrad)(const aclTensor *gradOutput, const aclIntArray *inputShape,
                                         const aclIntArray *kernelSize, const aclIntArray *strides,
                                         const aclIntArray *padsBegin, const aclIntArray *padsEnd,
                                         const aclIntArray *dilations, int64_t autoPad,
                                         bool ceilMode, bool countIncludePad, aclTensor *gradInput,
                                         uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const struct op_ext_window attributes = {kernelSize, strides,   padsBegin,
                                             padsEnd,    dilations, autoPad};
    OP_CHECK_NOT_NULL(NAME, workspaceSize);
    OP_CHECK_NOT_NULL(NAME, executor);
    OP_CHECK_NOT_NULL(NAME, gradOutput);
    OP_CHECK_NOT_NULL(NAME, kernelSize);
    OP_CHECK_NOT_NULL(NAME, gradInput);
    OP_TRY(op_check_float(NAME, "gradOutput", gradOutput));
    OP_TRY(op_check_float(NAME, "gradInput", gradInput));
    OP_TRY(op_check_same_type(NAME, "gradInput", gradInput, "gradOutput", gradOutput));
    OP_TRY(check_formats(gradOutput, gradInput));
    OP_TRY(check_ranks(gradOutput, gradInput));
    OP_TRY(check_input_shape(inputShape, gradInput));

    const int axes = gradInput->descriptor.rank - 2;
    const int32_t format = gradInput->descriptor.storage_format;
    const bool last = format == ACL_FORMAT_NHWC || format == ACL_FORMAT_NDHWC;
    const struct op_plane plane = op_plane_of(gradInput, axes, last);
    struct op_window window = {.axes = axes, .ceil_mode = ceilMode};
    OP_TRY(op_ext_window_read(&window, NAME, &attributes, &plane));
    OP_TRY(check_output(&window, last, gradOutput, gradInput));
    OP_TRY(op_check_input_view(NAME, "gradOutput", gradOutput));
    OP_TRY(op_check_output_view(NAME, "gradInput", gradInput));

    struct op_average average = {.axes = axes, .channels_last = last};
    average.geometry = op_window_average(&window, true);
    average.geometry.count_padding = countIncludePad;
    struct ex_plan *plan = ex_plan_new(NAME);
    OP_CALL(plan, NAME, .axes = axes, .dx = gradInput, .dy = gradOutput, .kernel = kernelSize,
            .stride = strides, .pad = padsBegin, .pad_end = padsEnd, .dilation = dilations,
            .ceil = ceilMode, .exclude_pad = !countIncludePad, .auto_pad = autoPad);
    const int dy = ex_input(plan, op_descriptor(gradOutput));
    const int dx = ex_output(plan, op_descriptor(gradInput));
    if (op_is_empty(gradOutput) && !op_is_empty(gradInput))
        op_zero_steps(plan, dx, gradInput);
    else if (!op_is_empty(gradInput))
        op_average_steps(plan, &average, dy, gradOutput, dx, gradInput);
    return ex_seal(plan, workspaceSize, executor);
}
