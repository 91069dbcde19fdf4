/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnextMaxPoolGrad: ONNX's MaxPoolGrad. aclnnextMaxPoolBackward: the gradient of maximum pooling
 * that finds the maxima again (oneDNN Graph's MaxPoolBackward). */
#include "api/op_call.h"
#include "api/op_hand.h"
#include "api/op_max_pool.h"
#include "api/op_unpool.h"
#include "executor/plan.h"

static const char *const GRAD = "aclnnextMaxPoolGrad";
static const char *const BACKWARD = "aclnnextMaxPoolBackward";

/* The tensors of either operator: all of one format and rank. */

static aclnnStatus check_formats(const char *op, const char *const names[],
                                 const aclTensor *const tensors[], int count)
{
    const uint64_t formats = OP_FORMAT(ACL_FORMAT_NCL) | OP_FORMAT(ACL_FORMAT_NCHW) |
                             OP_FORMAT(ACL_FORMAT_NCDHW) | OP_FORMAT(ACL_FORMAT_ND) |
                             OP_FORMAT(ACL_FORMAT_NHWC) | OP_FORMAT(ACL_FORMAT_NDHWC);
    for (int i = 0; i < count; i++)
        OP_TRY(op_check_format(op, names[i], tensors[i], formats,
                               "NCL, NCHW, NCDHW, ND, NHWC or NDHWC"));
    for (int i = 1; i < count; i++)
        OP_TRY(op_check_same_format(op, names[i], tensors[i], names[0], tensors[0]));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_ranks(const char *op, const char *const names[],
                               const aclTensor *const tensors[], int count)
{
    OP_TRY(op_check_rank(op, names[0], tensors[0], 3, K_POOL_AXES + 2));
    for (int i = 1; i < count; i++)
        OP_TRY(op_check_same_rank(op, names[i], tensors[i], names[0], tensors[0]));
    OP_TRY(op_check_format_rank(op, names[0], tensors[0]));
    for (int i = 0; i < count; i++)
        OP_TRY(op_check_sizes(op, names[i], tensors[i]));
    return ACLNN_SUCCESS;
}

/* Phase 1 of aclnnextMaxPoolGrad. */

/* The batch and the channels, which gradOutput and gradInput share. */
static aclnnStatus check_planes(const aclTensor *gradOutput, const aclTensor *gradInput)
{
    const struct ex_descriptor *o = &gradOutput->descriptor, *d = &gradInput->descriptor;
    const int channels = op_max_channels_last(gradInput) ? d->rank - 1 : 1;
    for (int i = 0; i < d->rank; i++)
        OP_CHECK(
            GRAD, (i != 0 && i != channels) || o->sizes[i] == d->sizes[i], ACLNN_ERR_PARAM_INVALID,
            "gradOutput has size %" PRId64 " at dimension %d; it must be gradInput's, which is "
            "%" PRId64,
            o->sizes[i], i, d->sizes[i]);
    return ACLNN_SUCCESS;
}

aclnnStatus OP_HAND(aclnnextMaxPoolGrad)(const aclTensor *gradOutput, const aclTensor *indices,
                                         int64_t storageOrder, aclTensor *gradInput,
                                         uint64_t *workspaceSize, aclOpExecutor **executor)
{
    OP_CHECK_NOT_NULL(GRAD, workspaceSize);
    OP_CHECK_NOT_NULL(GRAD, executor);
    OP_CHECK_NOT_NULL(GRAD, gradOutput);
    OP_CHECK_NOT_NULL(GRAD, indices);
    OP_CHECK_NOT_NULL(GRAD, gradInput);
    const char *const names[] = {"gradOutput", "indices", "gradInput"};
    const aclTensor *const tensors[] = {gradOutput, indices, gradInput};
    OP_TRY(op_check_float(GRAD, "gradOutput", gradOutput));
    OP_TRY(op_check_index_type(GRAD, "indices", indices));
    OP_TRY(op_check_same_type(GRAD, "gradInput", gradInput, "gradOutput", gradOutput));
    OP_TRY(check_formats(GRAD, names, tensors, 3));
    OP_TRY(check_ranks(GRAD, names, tensors, 3));
    OP_CHECK(GRAD, storageOrder == 0 || storageOrder == 1, ACLNN_ERR_PARAM_INVALID,
             "storageOrder is %" PRId64 "; it must be 0 or 1", storageOrder);
    OP_TRY(op_check_same_shape(GRAD, "indices", indices, "gradOutput", gradOutput));
    OP_TRY(check_planes(gradOutput, gradInput));
    OP_TRY(op_check_input_view(GRAD, "gradOutput", gradOutput));
    OP_TRY(op_check_input_view(GRAD, "indices", indices));
    OP_TRY(op_check_output_view(GRAD, "gradInput", gradInput));

    struct ex_plan *plan = ex_plan_new(GRAD);
    OP_CALL(plan, GRAD, .axes = gradInput->descriptor.rank - 2, .dx = gradInput, .dy = gradOutput,
            .i = indices, .storage_order = storageOrder);
    const int dy = ex_input(plan, op_descriptor(gradOutput));
    const int i = ex_input(plan, op_descriptor(indices));
    const int dx = ex_output(plan, op_descriptor(gradInput));
    if (op_is_empty(gradInput)) return ex_seal(plan, workspaceSize, executor);
    if (op_is_empty(gradOutput))
        op_zero_steps(plan, dx, gradInput);
    else
        op_max_grad_steps(plan, NULL, (struct op_max_tensor){gradOutput, dy},
                          (struct op_max_tensor){indices, i}, false,
                          storageOrder == 0 ? K_INDEX_OF_TENSOR : K_INDEX_OF_COLUMNS,
                          (struct op_max_tensor){gradInput, dx}, gradInput->descriptor.rank - 2);
    return ex_seal(plan, workspaceSize, executor);
}

/* Phase 1 of aclnnextMaxPoolBackward. */

aclnnStatus OP_HAND(aclnnextMaxPoolBackward)(
    const aclTensor *gradOutput, const aclTensor *self, const aclIntArray *kernelSize,
    const aclIntArray *strides, const aclIntArray *padsBegin, const aclIntArray *padsEnd,
    const aclIntArray *dilations, int64_t autoPad, bool ceilMode, aclTensor *gradInput,
    uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const struct op_ext_window attributes = {kernelSize, strides,   padsBegin,
                                             padsEnd,    dilations, autoPad};
    OP_CHECK_NOT_NULL(BACKWARD, workspaceSize);
    OP_CHECK_NOT_NULL(BACKWARD, executor);
    OP_CHECK_NOT_NULL(BACKWARD, gradOutput);
    OP_CHECK_NOT_NULL(BACKWARD, self);
    OP_CHECK_NOT_NULL(BACKWARD, kernelSize);
    OP_CHECK_NOT_NULL(BACKWARD, gradInput);
    const char *const names[] = {"gradOutput", "self", "gradInput"};
    const aclTensor *const tensors[] = {gradOutput, self, gradInput};
    OP_TRY(op_check_float(BACKWARD, "gradOutput", gradOutput));
    OP_TRY(op_check_same_type(BACKWARD, "self", self, "gradOutput", gradOutput));
    OP_TRY(op_check_same_type(BACKWARD, "gradInput", gradInput, "gradOutput", gradOutput));
    OP_TRY(check_formats(BACKWARD, names, tensors, 3));
    OP_TRY(check_ranks(BACKWARD, names, tensors, 3));
    OP_TRY(op_check_same_shape(BACKWARD, "gradInput", gradInput, "self", self));
    struct op_window window = {.axes = self->descriptor.rank - 2, .ceil_mode = ceilMode};
    const struct op_plane plane = op_plane_of(self, window.axes, op_max_channels_last(self));
    OP_TRY(op_ext_window_read(&window, BACKWARD, &attributes, &plane));
    OP_TRY(op_max_check_shape(BACKWARD, &window, "gradOutput", gradOutput, "self", self, false));
    if (!op_is_empty(gradOutput) && !op_is_empty(self))
        OP_TRY(op_max_check_windows(BACKWARD, &window, gradOutput, self, NULL));
    OP_TRY(op_check_input_view(BACKWARD, "gradOutput", gradOutput));
    OP_TRY(op_check_input_view(BACKWARD, "self", self));
    OP_TRY(op_check_output_view(BACKWARD, "gradInput", gradInput));

    struct ex_plan *plan = ex_plan_new(BACKWARD);
    OP_CALL(plan, BACKWARD, .axes = window.axes, .x = self, .dx = gradInput, .dy = gradOutput,
            .kernel = kernelSize, .stride = strides, .pad = padsBegin, .pad_end = padsEnd,
            .dilation = dilations, .ceil = ceilMode, .auto_pad = autoPad);
    const int dy = ex_input(plan, op_descriptor(gradOutput));
    const int x = ex_input(plan, op_descriptor(self));
    const int dx = ex_output(plan, op_descriptor(gradInput));
    if (op_is_empty(gradInput)) return ex_seal(plan, workspaceSize, executor);
    if (op_is_empty(gradOutput))
        op_zero_steps(plan, dx, gradInput);
    else
        op_max_recompute_steps(plan, &window, (struct op_max_tensor){gradOutput, dy},
                               (struct op_max_tensor){self, x},
                               (struct op_max_tensor){gradInput, dx});
    return ex_seal(plan, workspaceSize, executor);
}
