/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAvgPool2d and aclnnAvgPool3d. */
#include "api/op_average.h"
#include "api/op_call.h"
#include "api/op_check.h"
#include "api/op_hand.h"
#include "api/op_pool.h"
#include "executor/plan.h"

static const char *const NAME_2D = "aclnnAvgPool2d", *const NAME_3D = "aclnnAvgPool3d";

enum { AXES_2D = 2, AXES_3D = 3, LAST_MATH_TYPE = 4 };

/* ---- aclnnAvgPool2d: the checks, in CANN's order ---- */

static aclnnStatus check_types(const char *op, const aclTensor *self, const aclTensor *out)
{
    OP_TRY(op_check_float(op, "self", self));
    OP_TRY(op_check_float(op, "out", out));
    return op_check_same_type(op, "out", out, "self", self);
}

static aclnnStatus check_formats_2d(const aclTensor *self, const aclTensor *out)
{
    const uint64_t nchw = OP_FORMAT(ACL_FORMAT_NCHW), ncl = OP_FORMAT(ACL_FORMAT_NCL);
    OP_TRY(op_check_format(NAME_2D, "self", self, nchw | ncl, "NCHW or NCL"));
    OP_TRY(op_check_format(NAME_2D, "out", out, nchw | ncl, "NCHW or NCL"));
    if (self->descriptor.rank == AXES_2D + 2) {
        OP_TRY(op_check_format(NAME_2D, "self", self, nchw, "NCHW for 4 dimensions"));
        OP_TRY(op_check_format(NAME_2D, "out", out, nchw, "NCHW for 4 dimensions"));
    }
    if (self->descriptor.rank == AXES_2D + 1) {
        OP_TRY(op_check_format(NAME_2D, "self", self, ncl, "NCL for 3 dimensions"));
        OP_TRY(op_check_format(NAME_2D, "out", out, ncl, "NCL for 3 dimensions"));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_values_2d(const aclTensor *self, const aclTensor *out,
                                   struct op_array kernel, struct op_array stride,
                                   struct op_array padding)
{
    OP_TRY(op_check_sizes(NAME_2D, "self", self));
    OP_TRY(op_check_sizes(NAME_2D, "out", out));
    OP_TRY(op_check_array_values(NAME_2D, kernel, 1));
    OP_TRY(op_check_array_values(NAME_2D, stride, 1));
    return op_check_array_values(NAME_2D, padding, 0);
}

/* Only the batch may be empty. */
static aclnnStatus check_not_empty(const aclTensor *self)
{
    const struct ex_descriptor *d = &self->descriptor;
    for (int i = d->rank == AXES_2D + 2; i < d->rank; i++)
        OP_CHECK(NAME_2D, d->sizes[i] > 0, ACLNN_ERR_PARAM_INVALID,
                 "self has size 0 at dimension %d; only the batch may be 0", i);
    return ACLNN_SUCCESS;
}

/* kernelSize may have more entries than two, which say nothing. */
static aclnnStatus check_shapes_2d(struct op_window *window, const aclTensor *self,
                                   const aclTensor *out, struct op_array kernel,
                                   struct op_array stride, struct op_array padding, bool ceil_mode)
{
    OP_TRY(op_check_rank(NAME_2D, "self", self, AXES_2D + 1, AXES_2D + 2));
    OP_TRY(op_check_rank(NAME_2D, "out", out, AXES_2D + 1, AXES_2D + 2));
    OP_TRY(op_check_same_rank(NAME_2D, "out", out, "self", self));
    OP_TRY(check_not_empty(self));
    OP_CHECK(NAME_2D, kernel.array->size >= 1, ACLNN_ERR_PARAM_INVALID,
             "kernelSize has 0 entries; it must have 1 or 2");
    OP_TRY(op_check_array_length(NAME_2D, padding, AXES_2D, false));
    OP_TRY(op_check_array_length(NAME_2D, stride, AXES_2D, true));
    *window = op_window_of(AXES_2D, kernel.array, stride.array, padding.array, ceil_mode);
    OP_TRY(op_check_window_padding(NAME_2D, window, "paddings", "kernelSize"));
    return op_window_check_output(window, NAME_2D, "out", out, "self", self);
}

/* What CANN leaves to the device: memory that is really there. */
static aclnnStatus check_views(const char *op, const aclTensor *self, const aclTensor *out)
{
    OP_TRY(op_check_input_view(op, "self", self));
    return op_check_output_view(op, "out", out);
}

/* ---- phase 1 ---- */

static aclnnStatus seal(const char *op, const struct op_call *call,
                        const struct op_average *average, uint64_t *workspaceSize,
                        aclOpExecutor **executor)
{
    const aclTensor *self = call->x, *out = call->y;
    struct ex_plan *plan = ex_plan_new(op);
    if (rt_log_topic_on(RT_LOG_CALLS)) op_call_note(plan, op, call);
    const int x = ex_input(plan, op_descriptor(self));
    const int y = ex_output(plan, op_descriptor(out));
    if (!op_is_empty(self) && !op_is_empty(out)) op_average_steps(plan, average, x, self, y, out);
    return ex_seal(plan, workspaceSize, executor);
}

static struct op_average average_of(const struct op_window *window, bool count_padding,
                                    int64_t divisor, enum k_rounding rounding)
{
    struct op_average average = {.axes = window->axes};
    average.geometry = op_window_average(window, false);
    average.geometry.count_padding = count_padding;
    average.geometry.divisor = divisor;
    average.geometry.rounding = rounding;
    return average;
}

aclnnStatus OP_HAND(aclnnAvgPool2d)(const aclTensor *self, const aclIntArray *kernelSize,
                                    const aclIntArray *strides, const aclIntArray *paddings,
                                    const bool ceilMode, const bool countIncludePad,
                                    const int64_t divisorOverride, const int8_t cubeMathType,
                                    aclTensor *out, uint64_t *workspaceSize,
                                    aclOpExecutor **executor)
{
    const struct op_array kernel = {"kernelSize", kernelSize}, stride = {"strides", strides},
                          padding = {"paddings", paddings};
    struct op_window window;
    OP_CHECK_NOT_NULL(NAME_2D, workspaceSize);
    OP_CHECK_NOT_NULL(NAME_2D, executor);
    OP_CHECK_NOT_NULL(NAME_2D, self);
    OP_CHECK_NOT_NULL(NAME_2D, kernelSize);
    OP_CHECK_NOT_NULL(NAME_2D, strides);
    OP_CHECK_NOT_NULL(NAME_2D, paddings);
    OP_CHECK_NOT_NULL(NAME_2D, out);
    OP_TRY(check_types(NAME_2D, self, out));
    OP_TRY(check_formats_2d(self, out));
    OP_TRY(check_values_2d(self, out, kernel, stride, padding));
    OP_TRY(check_shapes_2d(&window, self, out, kernel, stride, padding, ceilMode));
    OP_TRY(op_check_math_type(NAME_2D, cubeMathType, LAST_MATH_TYPE));
    OP_TRY(check_views(NAME_2D, self, out));
    const struct op_average average = average_of(&window, countIncludePad, divisorOverride,
                                                 op_math_rounding(cubeMathType, op_k_dtype(self)));
    const struct op_call call = {.axes = AXES_2D,
                                 .x = self,
                                 .y = out,
                                 .kernel = kernelSize,
                                 .stride = strides,
                                 .pad = paddings,
                                 .ceil = ceilMode,
                                 .exclude_pad = !countIncludePad,
                                 .divisor = divisorOverride,
                                 .math = cubeMathType};
    return seal(NAME_2D, &call, &average, workspaceSize, executor);
}

/* ---- aclnnAvgPool3d: the checks, in CANN's order ---- */

static aclnnStatus check_ranks_3d(const aclTensor *self, const aclTensor *out)
{
    OP_TRY(op_check_same_format(NAME_3D, "out", out, "self", self));
    OP_TRY(op_check_channels_first(NAME_3D, "self", self, 0));
    OP_TRY(op_check_rank(NAME_3D, "self", self, AXES_3D + 1, AXES_3D + 2));
    OP_TRY(op_check_same_rank(NAME_3D, "out", out, "self", self));
    OP_TRY(op_check_sizes(NAME_3D, "self", self));
    return op_check_sizes(NAME_3D, "out", out);
}

/* The arrays' values, axis by axis; the kernel fits the input without its padding. As everywhere,
 * none is larger than INT32_MAX. */
static aclnnStatus check_window_3d(const struct op_window *window, const aclTensor *self)
{
    const struct op_plane plane = op_plane_of(self, AXES_3D, false);
    for (int i = 0; i < AXES_3D; i++) {
        OP_CHECK(NAME_3D, window->kernel[i] > 0 && window->kernel[i] <= plane.size[i],
                 ACLNN_ERR_PARAM_INVALID,
                 "kernelSize[%d] is %" PRId64 "; it must be greater than 0 and at most self's size "
                 "along that axis, which is %" PRId64,
                 i, window->kernel[i], plane.size[i]);
        OP_CHECK(NAME_3D, window->kernel[i] <= INT32_MAX, ACLNN_ERR_PARAM_INVALID,
                 "kernelSize[%d] is %" PRId64 "; it must be at most %d", i, window->kernel[i],
                 INT32_MAX);
        OP_CHECK(NAME_3D, window->stride[i] > 0 && window->stride[i] <= INT32_MAX,
                 ACLNN_ERR_PARAM_INVALID,
                 "stride[%d] is %" PRId64 "; it must be greater than 0 and at most %d", i,
                 window->stride[i], INT32_MAX);
        OP_CHECK(NAME_3D,
                 window->pad_begin[i] >= 0 && window->pad_begin[i] <= window->kernel[i] / 2,
                 ACLNN_ERR_PARAM_INVALID,
                 "padding[%d] is %" PRId64 "; it must be 0 to half of kernelSize[%d], which is "
                 "%" PRId64,
                 i, window->pad_begin[i], i, window->kernel[i]);
    }
    return ACLNN_SUCCESS;
}

aclnnStatus OP_HAND(aclnnAvgPool3d)(const aclTensor *self, const aclIntArray *kernelSize,
                                    const aclIntArray *stride, const aclIntArray *padding,
                                    bool ceilMode, bool countIncludePad, int64_t divisorOverride,
                                    aclTensor *out, uint64_t *workspaceSize,
                                    aclOpExecutor **executor)
{
    OP_CHECK_NOT_NULL(NAME_3D, workspaceSize);
    OP_CHECK_NOT_NULL(NAME_3D, executor);
    OP_CHECK_NOT_NULL(NAME_3D, self);
    OP_CHECK_NOT_NULL(NAME_3D, kernelSize);
    OP_CHECK_NOT_NULL(NAME_3D, stride);
    OP_CHECK_NOT_NULL(NAME_3D, padding);
    OP_CHECK_NOT_NULL(NAME_3D, out);
    OP_TRY(check_types(NAME_3D, self, out));
    OP_TRY(check_ranks_3d(self, out));
    OP_TRY(op_check_array_length(NAME_3D, (struct op_array){"kernelSize", kernelSize}, AXES_3D,
                                 false));
    OP_TRY(op_check_array_length(NAME_3D, (struct op_array){"padding", padding}, AXES_3D, false));
    OP_TRY(op_check_array_length(NAME_3D, (struct op_array){"stride", stride}, AXES_3D, true));
    const struct op_window window = op_window_of(AXES_3D, kernelSize, stride, padding, ceilMode);
    OP_TRY(check_window_3d(&window, self));
    OP_TRY(op_window_check_output(&window, NAME_3D, "out", out, "self", self));
    OP_TRY(check_views(NAME_3D, self, out));
    const struct op_average average =
        average_of(&window, countIncludePad, divisorOverride, K_ROUND_NONE);
    const struct op_call call = {.axes = AXES_3D,
                                 .x = self,
                                 .y = out,
                                 .kernel = kernelSize,
                                 .stride = stride,
                                 .pad = padding,
                                 .ceil = ceilMode,
                                 .exclude_pad = !countIncludePad,
                                 .divisor = divisorOverride};
    return seal(NAME_3D, &call, &average, workspaceSize, executor);
}

/* ---- phase 2 ---- */
