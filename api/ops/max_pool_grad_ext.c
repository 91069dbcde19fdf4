/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnextMaxPoolGrad: ONNX's MaxPoolGrad. aclnnextMaxPoolBackward: the gradient of maximum pooling
 * that finds the maxima again (oneDNN Graph's MaxPoolBackward). */
#include "api/op_call.h"
#include "api/op_max_pool.h"
#include "api/op_unpool.h"
#include "executor/launch.h"
#include "executor/plan.h"
#include "runtime/base.h"

#include "aclnnext/aclnnext_auto_pad.h"
#include "aclnnext/aclnnext_max_pool_backward.h"
#include "aclnnext/aclnnext_max_pool_grad.h"

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

aclnnStatus aclnnextMaxPoolGradGetWorkspaceSize(const aclTensor *gradOutput,
                                                const aclTensor *indices, int64_t storageOrder,
                                                aclTensor *gradInput, uint64_t *workspaceSize,
                                                aclOpExecutor **executor)
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

struct arrays {
    struct op_array kernel, strides, begin, end, dilations;
};

static aclnnStatus check_array(struct op_array array, int axes, int64_t least)
{
    OP_TRY(op_check_array_length(BACKWARD, array, axes, array.array == NULL));
    return op_check_array_least(BACKWARD, array, least);
}

static aclnnStatus check_arrays(const struct arrays *a, int axes, int64_t auto_pad)
{
    OP_TRY(check_array(a->kernel, axes, 1));
    OP_TRY(check_array(a->strides, axes, 1));
    OP_TRY(check_array(a->dilations, axes, 1));
    OP_CHECK(BACKWARD, auto_pad >= ACLNNEXT_AUTO_PAD_NONE && auto_pad <= ACLNNEXT_AUTO_PAD_VALID,
             ACLNN_ERR_PARAM_INVALID, "autoPad is %" PRId64 "; it must be 0 to 3", auto_pad);
    if (auto_pad != ACLNNEXT_AUTO_PAD_NONE) return ACLNN_SUCCESS; /* pads are not looked at */
    OP_TRY(check_array(a->begin, axes, 0));
    return check_array(a->end, axes, 0);
}

static int64_t entry(struct op_array array, int axis, int64_t otherwise)
{
    if (!array.array) return otherwise;
    return array.array->values[array.array->size == 1 ? 0 : axis];
}

/* total = max((ceil(size / stride) - 1) * stride + extent - size, 0), the odd cell at the end
 * (upper) or at the beginning. */
static void pad_automatically(struct op_window *window, int axis, int64_t size, int64_t extent,
                              int64_t auto_pad)
{
    window->pad_begin[axis] = window->pad_end[axis] = 0;
    if (auto_pad == ACLNNEXT_AUTO_PAD_VALID || size == 0) return;
    const int64_t rest = (size - 1) % window->stride[axis] + 1; /* cells from the last window on */
    const int64_t total = extent > rest ? extent - rest : 0;
    const bool upper = auto_pad == ACLNNEXT_AUTO_PAD_SAME_UPPER;
    window->pad_begin[axis] = upper ? total / 2 : total - total / 2;
    window->pad_end[axis] = total - window->pad_begin[axis];
}

static aclnnStatus read_window(struct op_window *window, const struct arrays *a,
                               const aclTensor *self, int64_t auto_pad)
{
    const struct op_plane plane = op_plane_of(self, window->axes, op_max_channels_last(self));
    for (int i = 0; i < K_POOL_AXES; i++) {
        const int axis = i - (K_POOL_AXES - window->axes);
        int64_t extent;
        window->kernel[i] = window->stride[i] = window->dilation[i] = 1;
        if (axis < 0) continue;
        window->kernel[i] = entry(a->kernel, axis, 1);
        window->stride[i] = entry(a->strides, axis, window->kernel[i]);
        window->dilation[i] = entry(a->dilations, axis, 1);
        OP_CHECK(BACKWARD,
                 rt_mul_ok(window->kernel[i] - 1, window->dilation[i], &extent) &&
                     rt_add_ok(extent, 1, &extent),
                 ACLNN_ERR_PARAM_INVALID,
                 "kernelSize and dilations along axis %d do not fit 64 bits", axis);
        if (auto_pad != ACLNNEXT_AUTO_PAD_NONE) {
            pad_automatically(window, i, plane.size[i], extent, auto_pad);
            continue;
        }
        window->pad_begin[i] = entry(a->begin, axis, 0);
        window->pad_end[i] = entry(a->end, axis, 0);
    }
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnextMaxPoolBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclIntArray *kernelSize,
    const aclIntArray *strides, const aclIntArray *padsBegin, const aclIntArray *padsEnd,
    const aclIntArray *dilations, int64_t autoPad, bool ceilMode, aclTensor *gradInput,
    uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const struct arrays arrays = {{"kernelSize", kernelSize},
                                  {"strides", strides},
                                  {"padsBegin", padsBegin},
                                  {"padsEnd", padsEnd},
                                  {"dilations", dilations}};
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
    OP_TRY(check_arrays(&arrays, window.axes, autoPad));
    OP_TRY(read_window(&window, &arrays, self, autoPad));
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

/* Phase 2. */

aclnnStatus aclnnextMaxPoolGrad(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream)
{
    return ex_launch(GRAD, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnextMaxPoolBackward(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream)
{
    return ex_launch(BACKWARD, workspace, workspaceSize, executor, stream);
}
