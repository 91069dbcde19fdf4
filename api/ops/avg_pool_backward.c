/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAvgPool2dBackward: the gradient of average pooling. */

#include "api/op_call.h"
#include "api/op_check.h"
#include "api/op_hand.h"
#include "api/op_pool.h"
#include "executor/plan.h"
#include "executor/steps.h"
#include "kernels/pool/k_pool_grad.h"

static const char *const NAME = "aclnnAvgPool2dBackward";

enum { AXES = 2, LAST_MATH_TYPE = 3 };

/* The checks, in CANN's order. */

static aclnnStatus check_types(const aclTensor *gradOutput, const aclTensor *self,
                               const aclTensor *gradInput)
{
    OP_TRY(op_check_float(NAME, "gradOutput", gradOutput));
    OP_TRY(op_check_float(NAME, "self", self));
    OP_TRY(op_check_float(NAME, "gradInput", gradInput));
    /* self's data is not read, so its type may differ. */
    return op_check_same_type(NAME, "gradInput", gradInput, "gradOutput", gradOutput);
}

static aclnnStatus check_formats(const aclTensor *gradOutput, const aclTensor *self,
                                 const aclTensor *gradInput)
{
    const uint64_t nchw = OP_FORMAT(ACL_FORMAT_NCHW);
    const uint64_t either = nchw | OP_FORMAT(ACL_FORMAT_NCL);
    OP_TRY(op_check_format(NAME, "gradOutput", gradOutput, either, "NCHW or NCL"));
    OP_TRY(op_check_format(NAME, "self", self, either, "NCHW or NCL"));
    OP_TRY(op_check_format(NAME, "gradInput", gradInput, either, "NCHW or NCL"));
    if (gradOutput->descriptor.rank != AXES + 2) return ACLNN_SUCCESS;
    OP_TRY(op_check_format(NAME, "gradOutput", gradOutput, nchw, "NCHW for 4 dimensions"));
    return op_check_format(NAME, "gradInput", gradInput, nchw, "NCHW for 4 dimensions");
}

static aclnnStatus check_ranks(const aclTensor *gradOutput, const aclTensor *gradInput)
{
    OP_TRY(op_check_rank(NAME, "gradOutput", gradOutput, AXES + 1, AXES + 2));
    OP_TRY(op_check_rank(NAME, "gradInput", gradInput, AXES + 1, AXES + 2));
    OP_TRY(op_check_same_rank(NAME, "gradInput", gradInput, "gradOutput", gradOutput));
    OP_TRY(op_check_sizes(NAME, "gradOutput", gradOutput));
    return op_check_sizes(NAME, "gradInput", gradInput);
}

/* What CANN leaves to the device: the extent of gradOutput, and memory that is really there. */
static aclnnStatus check_extents(const struct op_window *window, const aclTensor *gradOutput,
                                 const aclTensor *self, const aclTensor *gradInput)
{
    OP_TRY(op_window_check_output(window, NAME, "gradOutput", gradOutput, "self", self));
    OP_TRY(op_check_input_view(NAME, "gradOutput", gradOutput));
    return op_check_output_view(NAME, "gradInput", gradInput);
}

/* Phase 1. */

aclnnStatus OP_HAND(aclnnAvgPool2dBackward)(const aclTensor *gradOutput, const aclTensor *self,
                                            const aclIntArray *kernelSize,
                                            const aclIntArray *stride, const aclIntArray *padding,
                                            bool ceilMode, bool countIncludePad,
                                            int64_t divisorOverride, int8_t cubeMathType,
                                            aclTensor *gradInput, uint64_t *workspaceSize,
                                            aclOpExecutor **executor)
{
    struct op_window window;
    OP_CHECK_NOT_NULL(NAME, workspaceSize);
    OP_CHECK_NOT_NULL(NAME, executor);
    OP_CHECK_NOT_NULL(NAME, gradOutput);
    OP_CHECK_NOT_NULL(NAME, self);
    OP_CHECK_NOT_NULL(NAME, kernelSize);
    OP_CHECK_NOT_NULL(NAME, padding);
    OP_CHECK_NOT_NULL(NAME, gradInput);
    OP_TRY(check_types(gradOutput, self, gradInput));
    OP_TRY(check_formats(gradOutput, self, gradInput));
    OP_TRY(check_ranks(gradOutput, gradInput));
    OP_TRY(op_window_read(&window, NAME, AXES, kernelSize, stride, padding, ceilMode));
    OP_TRY(op_check_math_type(NAME, cubeMathType, LAST_MATH_TYPE));
    OP_TRY(op_check_same_shape(NAME, "gradInput", gradInput, "self", self));
    bool is_empty = op_is_empty(gradOutput) || op_is_empty(gradInput);
    if (!is_empty) OP_TRY(check_extents(&window, gradOutput, self, gradInput));

    struct ex_plan *plan = ex_plan_new(NAME);
    OP_CALL(plan, NAME, .axes = AXES, .x = self, .dx = gradInput, .dy = gradOutput,
            .kernel = kernelSize, .stride = stride, .pad = padding, .ceil = ceilMode,
            .exclude_pad = !countIncludePad, .divisor = divisorOverride, .math = cubeMathType);
    int dy = ex_input(plan, op_descriptor(gradOutput));
    ex_input(plan, op_descriptor(self)); /* only its shape matters */
    int dx = ex_output(plan, op_descriptor(gradInput));
    if (is_empty) return ex_seal(plan, workspaceSize, executor);

    enum k_dtype dtype = op_k_dtype(gradInput);
    enum k_layout layout = op_pool_layout(gradInput, gradOutput, AXES);
    struct ex_order order = op_pool_order(gradInput, AXES, layout);
    int source = ex_packed(plan, dy, &order);
    int target = ex_target(plan, dx, &order);
    struct k_pool pool = op_window_pool(&window, gradOutput, gradInput, layout);
    pool.divisor = divisorOverride;
    pool.count_padding = countIncludePad;
    pool.rounding = op_math_rounding(cubeMathType, dtype);
    pool.stream_output = target == dx && op_exceed_caches_together(gradOutput, gradInput);
    const struct k_pool_grad grad = k_pool_grad(&pool, dtype);
    ex_step_way(plan, "avg_pool_grad", K_CHOICE_avg_pool_grad, dtype, &grad, sizeof grad,
                EX_BUFFERS(source, target), NULL);
    ex_deliver(plan, target, dx, &order);
    return ex_seal(plan, workspaceSize, executor);
}
