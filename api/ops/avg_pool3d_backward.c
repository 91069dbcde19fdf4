/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAvgPool3dBackward: the gradient of average pooling in three axes. */
#include "api/op_average.h"
#include "api/op_call.h"
#include "api/op_check.h"
#include "api/op_hand.h"
#include "api/op_pool.h"
#include "executor/plan.h"

static const char *const NAME = "aclnnAvgPool3dBackward";

enum { AXES = 3 };

/* The checks, in CANN's order. */

static aclnnStatus check_tensors(const aclTensor *gradOutput, const aclTensor *self,
                                 const aclTensor *output)
{
    OP_TRY(op_check_float(NAME, "gradOutput", gradOutput));
    OP_TRY(op_check_float(NAME, "self", self));
    OP_TRY(op_check_float(NAME, "output", output));
    /* self's data is not read, so its type may differ. */
    OP_TRY(op_check_same_type(NAME, "output", output, "gradOutput", gradOutput));
    OP_TRY(op_check_rank(NAME, "gradOutput", gradOutput, AXES + 1, AXES + 2));
    OP_TRY(op_check_same_rank(NAME, "self", self, "gradOutput", gradOutput));
    OP_TRY(op_check_same_rank(NAME, "output", output, "gradOutput", gradOutput));
    OP_TRY(op_check_sizes(NAME, "gradOutput", gradOutput));
    OP_TRY(op_check_sizes(NAME, "output", output));
    return op_check_same_shape(NAME, "output", output, "self", self);
}

/* self's format is CANN's to ignore, but sizes in another order would be read wrongly. */
static aclnnStatus check_formats(const aclTensor *gradOutput, const aclTensor *self,
                                 const aclTensor *output)
{
    OP_TRY(op_check_same_format(NAME, "output", output, "gradOutput", gradOutput));
    OP_TRY(op_check_channels_first(NAME, "gradOutput", gradOutput, 0));
    return op_check_channels_first(NAME, "self", self, 0);
}

static aclnnStatus check_window(const struct op_window *window, struct op_array kernel,
                                struct op_array stride, struct op_array padding,
                                const aclTensor *gradOutput, const aclTensor *self)
{
    OP_TRY(op_check_array_values(NAME, kernel, 1));
    OP_TRY(op_check_array_values(NAME, stride, 1));
    OP_TRY(op_check_window_padding(NAME, window, "padding", "kernelSize"));
    OP_TRY(op_check_array_values(NAME, padding, 0));
    return op_window_check_output(window, NAME, "gradOutput", gradOutput, "self", self);
}

/* Phase 1. */

aclnnStatus OP_HAND(aclnnAvgPool3dBackward)(const aclTensor *gradOutput, const aclTensor *self,
                                            const aclIntArray *kernelSize,
                                            const aclIntArray *stride, const aclIntArray *padding,
                                            bool ceilMode, bool countIncludePad,
                                            int64_t divisorOverride, aclTensor *output,
                                            uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const struct op_array kernels = {"kernelSize", kernelSize}, strides = {"stride", stride},
                          paddings = {"padding", padding};
    OP_CHECK_NOT_NULL(NAME, workspaceSize);
    OP_CHECK_NOT_NULL(NAME, executor);
    OP_CHECK_NOT_NULL(NAME, gradOutput);
    OP_CHECK_NOT_NULL(NAME, self);
    OP_CHECK_NOT_NULL(NAME, kernelSize);
    OP_CHECK_NOT_NULL(NAME, stride);
    OP_CHECK_NOT_NULL(NAME, padding);
    OP_CHECK_NOT_NULL(NAME, output);
    OP_TRY(check_tensors(gradOutput, self, output));
    OP_TRY(op_check_array_length(NAME, kernels, AXES, false));
    OP_TRY(op_check_array_length(NAME, paddings, AXES, false));
    OP_TRY(op_check_array_length(NAME, strides, AXES, true));
    OP_TRY(check_formats(gradOutput, self, output));
    struct op_average average = {.axes = AXES};
    if (!op_is_empty(gradOutput)) {
        const struct op_window window = op_window_of(AXES, kernelSize, stride, padding, ceilMode);
        OP_TRY(check_window(&window, kernels, strides, paddings, gradOutput, self));
        OP_TRY(op_check_input_view(NAME, "gradOutput", gradOutput));
        OP_TRY(op_check_output_view(NAME, "output", output));
        average.geometry = op_window_average(&window, true);
        average.geometry.count_padding = countIncludePad;
        average.geometry.divisor = divisorOverride;
    }

    struct ex_plan *plan = ex_plan_new(NAME);
    OP_CALL(plan, NAME, .axes = AXES, .x = self, .dx = output, .dy = gradOutput,
            .kernel = kernelSize, .stride = stride, .pad = padding, .ceil = ceilMode,
            .exclude_pad = !countIncludePad, .divisor = divisorOverride);
    const int dy = ex_input(plan, op_descriptor(gradOutput));
    ex_input(plan, op_descriptor(self)); /* only its shape matters */
    const int dx = ex_output(plan, op_descriptor(output));
    if (!op_is_empty(gradOutput) && !op_is_empty(output))
        op_average_steps(plan, &average, dy, gradOutput, dx, output);
    return ex_seal(plan, workspaceSize, executor);
}
