/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnMaxUnpool2d, aclnnMaxUnpool3d: values go back to where maximum pooling found them. */

#include "api/op_call.h"
#include "api/op_hand.h"
#include "api/op_pool.h"
#include "api/op_unpool.h"
#include "executor/plan.h"
#include "executor/steps.h"

static const char *const NAME_2D = "aclnnMaxUnpool2d", *const NAME_3D = "aclnnMaxUnpool3d";

/* The checks, in CANN's order. */

static aclnnStatus check_types(const char *op, const aclTensor *self, const aclTensor *indices,
                               const char *out_name, const aclTensor *out)
{
    const uint64_t types = OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_FLOAT16) | OP_TYPE(ACL_BF16) |
                           OP_TYPE(ACL_DOUBLE) | OP_TYPE(ACL_INT8) | OP_TYPE(ACL_UINT8) |
                           OP_TYPE(ACL_INT16) | OP_TYPE(ACL_INT32) | OP_TYPE(ACL_INT64);
    OP_TRY(op_check_type(op, "self", self, types,
                         "FLOAT, FLOAT16, BF16, DOUBLE, INT8, UINT8, INT16, INT32 or INT64"));
    OP_TRY(op_check_same_type(op, out_name, out, "self", self));
    return op_check_index_type(op, "indices", indices);
}

static aclnnStatus check_inputs(const char *op, const aclTensor *self, const aclTensor *indices,
                                int axes)
{
    OP_TRY(op_check_rank(op, "self", self, axes + 1, axes + 2));
    OP_TRY(op_check_same_rank(op, "indices", indices, "self", self));
    OP_TRY(op_check_same_shape(op, "indices", indices, "self", self));
    return op_check_filled(op, "self", self);
}

static aclnnStatus check_out(const char *op, const char *out_name, const aclTensor *out,
                             const aclTensor *self, const aclIntArray *outputSize, int axes)
{
    OP_TRY(op_check_same_rank(op, out_name, out, "self", self));
    OP_TRY(op_check_same_leading(op, out_name, out, "self", self, axes));
    OP_TRY(op_check_spatial(op, out_name, out, outputSize));
    return op_check_sizes(op, out_name, out);
}

static aclnnStatus check_2d(const aclTensor *self, const aclTensor *indices,
                            const aclIntArray *outputSize, const aclTensor *out)
{
    const char *op = NAME_2D;
    enum { AXES = 2 };
    OP_TRY(check_types(op, self, indices, "out", out));
    OP_TRY(check_inputs(op, self, indices, AXES));
    OP_TRY(op_check_length(op, "outputSize", outputSize, AXES));
    for (int i = 0; i < AXES; i++)
        OP_TRY(op_check_entry_positive(op, "outputSize", outputSize, i));
    OP_TRY(op_check_holds(op, outputSize, "self", self, AXES));
    /* CANN takes any `out` when self is empty, and finds a wrong one late when it is not. */
    return op_is_empty(self) ? ACLNN_SUCCESS : check_out(op, "out", out, self, outputSize, AXES);
}

static aclnnStatus check_3d(const aclTensor *self, const aclTensor *indices,
                            const aclIntArray *outputSize, const aclIntArray *stride,
                            const aclIntArray *padding, const aclTensor *outRef)
{
    const char *op = NAME_3D;
    enum { AXES = 3 };
    OP_TRY(op_check_contiguous(op, "outRef", outRef));
    OP_TRY(check_types(op, self, indices, "outRef", outRef));
    OP_TRY(check_inputs(op, self, indices, AXES));
    OP_TRY(op_check_unpool_arrays(op, outputSize, stride, padding, AXES));
    OP_TRY(op_check_holds(op, outputSize, "self", self, AXES));
    return check_out(op, "outRef", outRef, self, outputSize, AXES);
}

/* What CANN leaves to the device: an order of the elements that is really meant, and memory that is
 * really there. */
static aclnnStatus check_views(const char *op, const aclTensor *self, const aclTensor *indices,
                               const char *out_name, const aclTensor *out)
{
    OP_TRY(op_check_channels_first(op, "self", self, 0));
    OP_TRY(op_check_channels_first(op, "indices", indices, 0));
    OP_TRY(op_check_channels_first(op, out_name, out, 0));
    OP_TRY(op_check_input_view(op, "self", self));
    OP_TRY(op_check_input_view(op, "indices", indices));
    return op_check_output_view(op, out_name, out);
}

/* Phase 1. */

static aclnnStatus plan_unpool(const char *op, const aclTensor *self, const aclTensor *indices,
                               const aclTensor *out, int axes, const aclIntArray *stride,
                               const aclIntArray *padding, uint64_t *workspaceSize,
                               aclOpExecutor **executor)
{
    struct ex_plan *plan = ex_plan_new(op);
    OP_CALL(plan, op, .axes = axes, .x = out, .y = self, .i = indices, .stride = stride,
            .pad = padding);
    int values = ex_input(plan, op_descriptor(self));
    int positions = ex_input(plan, op_descriptor(indices));
    int cells = ex_output(plan, op_descriptor(out));
    if (op_is_empty(self)) return ex_seal(plan, workspaceSize, executor);

    struct ex_order order = ex_order_identity(self->descriptor.rank);
    int source = ex_packed(plan, values, &order);
    int index = ex_packed(plan, positions, &order);
    int target = ex_target(plan, cells, &order);
    struct k_plane plane = op_plane(self, out, indices, out, axes);
    plane.stream_output = target == cells && op_exceeds_caches(out);
    ex_step_with_faults(plan, "plane_scatter_last", k_best()->plane_scatter_last, &plane,
                        sizeof plane, k_plane_scatter_work(&plane),
                        EX_BUFFERS(source, index, target), op_describe_plane_fault);
    ex_deliver(plan, target, cells, &order);
    return ex_seal(plan, workspaceSize, executor);
}

aclnnStatus OP_HAND(aclnnMaxUnpool2d)(const aclTensor *self, const aclTensor *indices,
                                      const aclIntArray *outputSize, aclTensor *out,
                                      uint64_t *workspaceSize, aclOpExecutor **executor)
{
    OP_CHECK_NOT_NULL(NAME_2D, workspaceSize);
    OP_CHECK_NOT_NULL(NAME_2D, executor);
    OP_CHECK_NOT_NULL(NAME_2D, self);
    OP_CHECK_NOT_NULL(NAME_2D, indices);
    OP_CHECK_NOT_NULL(NAME_2D, outputSize);
    OP_CHECK_NOT_NULL(NAME_2D, out);
    OP_TRY(check_2d(self, indices, outputSize, out));
    if (!op_is_empty(self)) OP_TRY(check_views(NAME_2D, self, indices, "out", out));
    return plan_unpool(NAME_2D, self, indices, out, 2, NULL, NULL, workspaceSize, executor);
}

aclnnStatus OP_HAND(aclnnMaxUnpool3d)(const aclTensor *self, const aclTensor *indices,
                                      const aclIntArray *outputSize, const aclIntArray *stride,
                                      const aclIntArray *padding, aclTensor *outRef,
                                      uint64_t *workspaceSize, aclOpExecutor **executor)
{
    OP_CHECK_NOT_NULL(NAME_3D, workspaceSize);
    OP_CHECK_NOT_NULL(NAME_3D, executor);
    OP_CHECK_NOT_NULL(NAME_3D, self);
    OP_CHECK_NOT_NULL(NAME_3D, indices);
    OP_CHECK_NOT_NULL(NAME_3D, outputSize);
    OP_CHECK_NOT_NULL(NAME_3D, stride);
    OP_CHECK_NOT_NULL(NAME_3D, padding);
    OP_CHECK_NOT_NULL(NAME_3D, outRef);
    OP_TRY(check_3d(self, indices, outputSize, stride, padding, outRef));
    if (!op_is_empty(self)) OP_TRY(check_views(NAME_3D, self, indices, "outRef", outRef));
    return plan_unpool(NAME_3D, self, indices, outRef, 3, stride, padding, workspaceSize, executor);
}
