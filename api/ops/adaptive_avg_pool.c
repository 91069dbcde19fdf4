/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAdaptiveAvgPool2d and aclnnAdaptiveAvgPool3d. */
#include "api/op_average.h"
#include "api/op_call.h"
#include "api/op_check.h"
#include "api/op_hand.h"
#include "executor/plan.h"

static const char *const NAME_2D = "aclnnAdaptiveAvgPool2d";
static const char *const NAME_3D = "aclnnAdaptiveAvgPool3d";

enum { AXES_2D = 2, AXES_3D = 3 };

/* The checks, in CANN's order. */

static aclnnStatus check_leading(const char *op, int axes, const aclTensor *self,
                                 const aclTensor *out)
{
    struct op_shape_text out_text, self_text;
    for (int i = 0; i < self->descriptor.rank - axes; i++)
        OP_CHECK(op, out->descriptor.sizes[i] == self->descriptor.sizes[i], ACLNN_ERR_PARAM_INVALID,
                 "out has shape %s; all but its last %d dimensions must be self's, which has shape "
                 "%s",
                 op_shape(&out_text, out), axes, op_shape(&self_text, self));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_ranks(const char *op, int axes, const aclTensor *self,
                               const aclTensor *out)
{
    OP_TRY(op_check_rank(op, "self", self, axes + 1, axes + 2));
    OP_TRY(op_check_same_rank(op, "out", out, "self", self));
    OP_TRY(op_check_sizes(op, "self", self));
    return op_check_sizes(op, "out", out);
}

static aclnnStatus check_types(const char *op, const aclTensor *self, const aclTensor *out)
{
    OP_TRY(op_check_float(op, "self", self));
    OP_TRY(op_check_float(op, "out", out));
    return op_check_same_type(op, "out", out, "self", self);
}

static aclnnStatus check_formats_2d(const aclTensor *self, const aclTensor *out)
{
    const uint64_t nchw = OP_FORMAT(ACL_FORMAT_NCHW), ncl = OP_FORMAT(ACL_FORMAT_NCL);
    const bool batched = self->descriptor.rank == AXES_2D + 2;
    OP_TRY(op_check_same_format(NAME_2D, "out", out, "self", self));
    return op_check_format(NAME_2D, "self", self, batched ? nchw : ncl,
                           batched ? "NCHW for 4 dimensions" : "NCL for 3 dimensions");
}

static aclnnStatus check_output_size(const char *op, int axes, const aclIntArray *outputSize,
                                     const aclTensor *out, int64_t min)
{
    const struct ex_descriptor *d = &out->descriptor;
    OP_CHECK(op, outputSize->size == (uint64_t)axes, ACLNN_ERR_PARAM_INVALID,
             "outputSize has %" PRIu64 " entries; it must have %d", outputSize->size, axes);
    for (int i = 0; i < axes; i++) {
        const int64_t wanted = outputSize->values[i], size = d->sizes[d->rank - axes + i];
        OP_CHECK(op, wanted >= min, ACLNN_ERR_PARAM_INVALID,
                 "outputSize[%d] is %" PRId64 "; it must %s", i, wanted,
                 min > 0 ? "be greater than 0" : "not be negative");
        OP_CHECK(op, wanted == size, ACLNN_ERR_PARAM_INVALID,
                 "outputSize[%d] is %" PRId64 "; it must be out's size at dimension %d, which is "
                 "%" PRId64,
                 i, wanted, d->rank - axes + i, size);
    }
    return ACLNN_SUCCESS;
}

/* The first dimension may be empty, the others not. */
static aclnnStatus check_sizes_3d(const aclTensor *self, const aclTensor *out)
{
    for (int i = 1; i < self->descriptor.rank; i++)
        OP_CHECK(NAME_3D, self->descriptor.sizes[i] > 0, ACLNN_ERR_PARAM_INVALID,
                 "self has size 0 at dimension %d; only its first dimension may be 0", i);
    OP_TRY(check_leading(NAME_3D, AXES_3D, self, out));
    for (int i = out->descriptor.rank - AXES_3D; i < out->descriptor.rank; i++)
        OP_CHECK(NAME_3D, out->descriptor.sizes[i] > 0, ACLNN_ERR_PARAM_INVALID,
                 "out has size 0 at dimension %d; it must be greater than 0", i);
    return ACLNN_SUCCESS;
}

/* Phase 1. */

static aclnnStatus seal(const char *op, int axes, const aclTensor *self, const aclTensor *out,
                        uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const bool is_empty = op_is_empty(self) || op_is_empty(out);
    if (!is_empty) {
        OP_TRY(op_check_input_view(op, "self", self));
        OP_TRY(op_check_output_view(op, "out", out));
    }
    struct ex_plan *plan = ex_plan_new(op);
    OP_CALL(plan, op, .axes = axes, .x = self, .y = out);
    const int x = ex_input(plan, op_descriptor(self));
    const int y = ex_output(plan, op_descriptor(out));
    if (is_empty) return ex_seal(plan, workspaceSize, executor);
    const struct op_plane large = op_plane_of(self, axes, false);
    const struct op_plane small = op_plane_of(out, axes, false);
    const struct op_average average = {.axes = axes,
                                       .geometry = op_bins_average(&large, &small, false)};
    op_average_steps(plan, &average, x, self, y, out);
    return ex_seal(plan, workspaceSize, executor);
}

aclnnStatus OP_HAND(aclnnAdaptiveAvgPool2d)(const aclTensor *self, const aclIntArray *outputSize,
                                            aclTensor *out, uint64_t *workspaceSize,
                                            aclOpExecutor **executor)
{
    OP_CHECK_NOT_NULL(NAME_2D, workspaceSize);
    OP_CHECK_NOT_NULL(NAME_2D, executor);
    OP_CHECK_NOT_NULL(NAME_2D, self);
    OP_CHECK_NOT_NULL(NAME_2D, outputSize);
    OP_CHECK_NOT_NULL(NAME_2D, out);
    OP_TRY(check_ranks(NAME_2D, AXES_2D, self, out));
    OP_TRY(check_leading(NAME_2D, AXES_2D, self, out));
    OP_TRY(check_types(NAME_2D, self, out));
    OP_TRY(check_formats_2d(self, out));
    OP_TRY(check_output_size(NAME_2D, AXES_2D, outputSize, out, 0));
    return seal(NAME_2D, AXES_2D, self, out, workspaceSize, executor);
}

aclnnStatus OP_HAND(aclnnAdaptiveAvgPool3d)(const aclTensor *self, const aclIntArray *outputSize,
                                            aclTensor *out, uint64_t *workspaceSize,
                                            aclOpExecutor **executor)
{
    OP_CHECK_NOT_NULL(NAME_3D, workspaceSize);
    OP_CHECK_NOT_NULL(NAME_3D, executor);
    OP_CHECK_NOT_NULL(NAME_3D, self);
    OP_CHECK_NOT_NULL(NAME_3D, outputSize);
    OP_CHECK_NOT_NULL(NAME_3D, out);
    OP_TRY(check_ranks(NAME_3D, AXES_3D, self, out));
    OP_TRY(check_sizes_3d(self, out));
    OP_TRY(check_types(NAME_3D, self, out));
    OP_TRY(op_check_same_format(NAME_3D, "out", out, "self", self));
    OP_TRY(op_check_channels_first(NAME_3D, "self", self, 0));
    OP_TRY(check_output_size(NAME_3D, AXES_3D, outputSize, out, 1));
    return seal(NAME_3D, AXES_3D, self, out, workspaceSize, executor);
}
