/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAdaptiveAvgPool2dBackward and aclnnAdaptiveAvgPool3dBackward. */
#include "api/op_average.h"
#include "api/op_call.h"
#include "api/op_check.h"
#include "api/op_hand.h"
#include "executor/plan.h"
#include "executor/steps.h"

static const char *const NAME_2D = "aclnnAdaptiveAvgPool2dBackward";
static const char *const NAME_3D = "aclnnAdaptiveAvgPool3dBackward";

enum { AXES_2D = 2, AXES_3D = 3 };

/* The checks, in CANN's order. */

static aclnnStatus check_leading(const char *op, int axes, const char *argument,
                                 const aclTensor *tensor, const aclTensor *self)
{
    struct op_shape_text text, self_text;
    for (int i = 0; i < self->descriptor.rank - axes; i++)
        OP_CHECK(op, tensor->descriptor.sizes[i] == self->descriptor.sizes[i],
                 ACLNN_ERR_PARAM_INVALID,
                 "%s has shape %s; all but its last %d dimensions must be self's, which has shape "
                 "%s",
                 argument, op_shape(&text, tensor), axes, op_shape(&self_text, self));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_shapes_2d(const aclTensor *gradOutput, const aclTensor *self,
                                   const aclTensor *out)
{
    OP_TRY(op_check_same_rank(NAME_2D, "gradOutput", gradOutput, "self", self));
    OP_TRY(op_check_sizes(NAME_2D, "self", self));
    OP_TRY(op_check_sizes(NAME_2D, "gradOutput", gradOutput));
    OP_TRY(op_check_rank(NAME_2D, "out", out, AXES_2D + 1, AXES_2D + 2));
    OP_TRY(op_check_same_rank(NAME_2D, "out", out, "self", self));
    OP_TRY(op_check_same_shape(NAME_2D, "out", out, "self", self));
    return check_leading(NAME_2D, AXES_2D, "gradOutput", gradOutput, self);
}

static aclnnStatus check_shapes_3d(const aclTensor *gradOutput, const aclTensor *self,
                                   const aclTensor *out)
{
    OP_TRY(op_check_rank(NAME_3D, "self", self, AXES_3D + 1, AXES_3D + 2));
    OP_TRY(op_check_same_rank(NAME_3D, "gradOutput", gradOutput, "self", self));
    OP_TRY(op_check_same_rank(NAME_3D, "out", out, "self", self));
    OP_TRY(op_check_sizes(NAME_3D, "self", self));
    for (int i = 1; i < self->descriptor.rank; i++)
        OP_CHECK(NAME_3D, self->descriptor.sizes[i] > 0, ACLNN_ERR_PARAM_INVALID,
                 "self has size 0 at dimension %d; only its first dimension may be 0", i);
    OP_TRY(op_check_same_shape(NAME_3D, "out", out, "self", self));
    OP_TRY(op_check_sizes(NAME_3D, "gradOutput", gradOutput));
    OP_TRY(check_leading(NAME_3D, AXES_3D, "gradOutput", gradOutput, self));
    for (int i = self->descriptor.rank - AXES_3D; i < self->descriptor.rank; i++)
        OP_CHECK(NAME_3D, gradOutput->descriptor.sizes[i] > 0, ACLNN_ERR_PARAM_INVALID,
                 "gradOutput has size 0 at dimension %d; it must be greater than 0", i);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_types_2d(const aclTensor *gradOutput, const aclTensor *self,
                                  const aclTensor *out)
{
    OP_TRY(op_check_float(NAME_2D, "gradOutput", gradOutput));
    OP_TRY(op_check_float(NAME_2D, "self", self));
    OP_TRY(op_check_same_type(NAME_2D, "self", self, "gradOutput", gradOutput));
    return op_check_same_type(NAME_2D, "out", out, "self", self);
}

/* DOUBLE has a gradient where one output is the mean of everything. */
static aclnnStatus check_types_3d(const aclTensor *gradOutput, const aclTensor *self,
                                  const aclTensor *out)
{
    const uint64_t floats = OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_FLOAT16) | OP_TYPE(ACL_BF16);
    const struct op_plane small = op_plane_of(gradOutput, AXES_3D, false);
    const bool is_mean = small.size[0] == 1 && small.size[1] == 1 && small.size[2] == 1;
    const uint64_t types = floats | (is_mean ? OP_TYPE(ACL_DOUBLE) : 0);
    const char *rule = is_mean ? "FLOAT, FLOAT16, BF16 or DOUBLE"
                               : "FLOAT, FLOAT16 or BF16 (DOUBLE for a gradOutput of 1 x 1 x 1)";
    OP_TRY(op_check_type(NAME_3D, "gradOutput", gradOutput, types, rule));
    OP_TRY(op_check_type(NAME_3D, "self", self, types, rule));
    OP_TRY(op_check_same_type(NAME_3D, "self", self, "gradOutput", gradOutput));
    return op_check_same_type(NAME_3D, "out", out, "self", self);
}

static aclnnStatus check_formats(const char *op, const aclTensor *gradOutput, const aclTensor *self)
{
    OP_TRY(op_check_same_format(op, "gradOutput", gradOutput, "self", self));
    return op_check_channels_first(op, "gradOutput", gradOutput, 0);
}

/* Phase 1. */

/* gradOutput of one element per plane, in double: each cell gets its share. */
static void spread_steps(struct ex_plan *plan, int dy, const aclTensor *gradOutput, int dx,
                         const aclTensor *out)
{
    const struct op_plane plane = op_plane_of(out, AXES_3D, false);
    const enum k_layout layout = op_pool_layout(out, gradOutput, AXES_3D);
    const bool last = layout == K_CHANNELS_LAST;
    const struct ex_order in_order = op_pool_order(gradOutput, AXES_3D, layout);
    const struct ex_order out_order = op_pool_order(out, AXES_3D, layout);
    const int source = ex_packed(plan, dy, &in_order), target = ex_target(plan, dx, &out_order);
    struct k_mean mean = {.outer = last ? plane.batch : plane.batch * plane.channels,
                          .count = plane.size[0] * plane.size[1] * plane.size[2],
                          .channels = last ? plane.channels : 1};
    mean.divisor = (double)mean.count;
    ex_step(plan, "spread_f64", k_best()->spread_f64, &mean, sizeof mean, k_mean_work(&mean),
            EX_BUFFERS(source, target));
    ex_deliver(plan, target, dx, &out_order);
}

static aclnnStatus seal(const char *op, int axes, const aclTensor *gradOutput,
                        const aclTensor *self, const aclTensor *out, uint64_t *workspaceSize,
                        aclOpExecutor **executor)
{
    const bool is_empty = op_is_empty(self) || op_is_empty(gradOutput);
    if (!is_empty) {
        OP_TRY(op_check_input_view(op, "gradOutput", gradOutput));
        OP_TRY(op_check_output_view(op, "out", out));
    }
    struct ex_plan *plan = ex_plan_new(op);
    OP_CALL(plan, op, .axes = axes, .x = self, .dx = out, .dy = gradOutput);
    const int dy = ex_input(plan, op_descriptor(gradOutput));
    ex_input(plan, op_descriptor(self)); /* only its shape matters */
    const int dx = ex_output(plan, op_descriptor(out));
    if (is_empty) return ex_seal(plan, workspaceSize, executor);
    const struct op_plane large = op_plane_of(out, axes, false);
    const struct op_plane small = op_plane_of(gradOutput, axes, false);
    const struct op_average average = {.axes = axes,
                                       .geometry = op_bins_average(&large, &small, true)};
    if (op_k_dtype(out) == K_F64)
        spread_steps(plan, dy, gradOutput, dx, out);
    else
        op_average_steps(plan, &average, dy, gradOutput, dx, out);
    return ex_seal(plan, workspaceSize, executor);
}

aclnnStatus OP_HAND(aclnnAdaptiveAvgPool2dBackward)(const aclTensor *gradOutput,
                                                    const aclTensor *self, aclTensor *out,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor)
{
    OP_CHECK_NOT_NULL(NAME_2D, workspaceSize);
    OP_CHECK_NOT_NULL(NAME_2D, executor);
    OP_CHECK_NOT_NULL(NAME_2D, gradOutput);
    OP_CHECK_NOT_NULL(NAME_2D, self);
    OP_CHECK_NOT_NULL(NAME_2D, out);
    OP_TRY(check_shapes_2d(gradOutput, self, out));
    OP_TRY(check_types_2d(gradOutput, self, out));
    OP_TRY(check_formats(NAME_2D, gradOutput, self));
    OP_TRY(op_check_channels_first(NAME_2D, "out", out, 0));
    return seal(NAME_2D, AXES_2D, gradOutput, self, out, workspaceSize, executor);
}

aclnnStatus OP_HAND(aclnnAdaptiveAvgPool3dBackward)(const aclTensor *gradOutput,
                                                    const aclTensor *self, aclTensor *out,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor)
{
    OP_CHECK_NOT_NULL(NAME_3D, workspaceSize);
    OP_CHECK_NOT_NULL(NAME_3D, executor);
    OP_CHECK_NOT_NULL(NAME_3D, gradOutput);
    OP_CHECK_NOT_NULL(NAME_3D, self);
    OP_CHECK_NOT_NULL(NAME_3D, out);
    OP_TRY(check_shapes_3d(gradOutput, self, out));
    OP_TRY(check_types_3d(gradOutput, self, out));
    OP_TRY(op_check_same_format(NAME_3D, "gradOutput", gradOutput, "self", self));
    OP_TRY(op_check_same_format(NAME_3D, "out", out, "self", self));
    OP_TRY(op_check_channels_first(NAME_3D, "gradOutput", gradOutput, 0));
    return seal(NAME_3D, AXES_3D, gradOutput, self, out, workspaceSize, executor);
}
