/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnMaxUnpool2dBackward, aclnnMaxUnpool3dBackward: each value's gradient is that of the cell it
 * went to. */

#include "api/op_call.h"
#include "api/op_copy.h"
#include "api/op_hand.h"
#include "api/op_pool.h"
#include "api/op_unpool.h"
#include "executor/plan.h"
#include "executor/steps.h"

static const char *const NAME_2D = "aclnnMaxUnpool2dBackward";
static const char *const NAME_3D = "aclnnMaxUnpool3dBackward";

/* The checks, in CANN's order. */

static aclnnStatus check_castable(const aclTensor *self, const aclTensor *out)
{
    const uint64_t floats = OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_FLOAT16) | OP_TYPE(ACL_BF16);
    const int32_t from = self->descriptor.data_type, to = out->descriptor.data_type;
    const bool from_float = floats >> from & 1, to_float = floats >> to & 1;
    const char *self_type = op_data_type_name((aclDataType)from);
    OP_CHECK(NAME_2D, to != ACL_BOOL || from == ACL_BOOL, ACLNN_ERR_PARAM_INVALID,
             "out has data type BOOL; gradients of self's type %s cannot be cast to it", self_type);
    OP_CHECK(NAME_2D, to_float || to == ACL_BOOL || !from_float, ACLNN_ERR_PARAM_INVALID,
             "out has the integer type %s; gradients of self's floating type %s cannot be cast to "
             "it",
             op_data_type_name((aclDataType)to), self_type);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_types_2d(const aclTensor *gradOutput, const aclTensor *self,
                                  const aclTensor *indices, const aclTensor *out)
{
    const uint64_t types = OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_FLOAT16) | OP_TYPE(ACL_BF16) |
                           OP_TYPE(ACL_INT8) | OP_TYPE(ACL_UINT8) | OP_TYPE(ACL_INT16) |
                           OP_TYPE(ACL_INT32) | OP_TYPE(ACL_INT64) | OP_TYPE(ACL_BOOL);
    const char *rule = "FLOAT, FLOAT16, BF16, INT8, UINT8, INT16, INT32, INT64 or BOOL";
    OP_TRY(op_check_type(NAME_2D, "gradOutput", gradOutput, types, rule));
    OP_TRY(op_check_type(NAME_2D, "self", self, types, rule));
    OP_TRY(op_check_type(NAME_2D, "out", out, types, rule));
    OP_TRY(check_castable(self, out));
    OP_TRY(op_check_same_type(NAME_2D, "gradOutput", gradOutput, "self", self));
    return op_check_index_type(NAME_2D, "indices", indices);
}

static aclnnStatus check_types_3d(const aclTensor *gradOutput, const aclTensor *self,
                                  const aclTensor *indices, const aclTensor *out)
{
    const uint64_t types = OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_FLOAT16) | OP_TYPE(ACL_BF16) |
                           OP_TYPE(ACL_DOUBLE) | OP_TYPE(ACL_INT8) | OP_TYPE(ACL_UINT8) |
                           OP_TYPE(ACL_INT16) | OP_TYPE(ACL_INT32) | OP_TYPE(ACL_INT64);
    OP_TRY(op_check_type(NAME_3D, "gradOutput", gradOutput, types,
                         "FLOAT, FLOAT16, BF16, DOUBLE, INT8, UINT8, INT16, INT32 or INT64"));
    OP_TRY(op_check_same_type(NAME_3D, "self", self, "gradOutput", gradOutput));
    OP_TRY(op_check_same_type(NAME_3D, "out", out, "gradOutput", gradOutput));
    return op_check_type(NAME_3D, "indices", indices, OP_TYPE(ACL_INT64), "INT64");
}

static aclnnStatus check_2d(const aclTensor *gradOutput, const aclTensor *self,
                            const aclTensor *indices, const aclIntArray *outputSize,
                            const aclTensor *out)
{
    const char *op = NAME_2D;
    enum { AXES = 2 };
    OP_TRY(check_types_2d(gradOutput, self, indices, out));
    OP_TRY(op_check_rank(op, "self", self, AXES + 1, AXES + 2));
    OP_TRY(op_check_same_rank(op, "gradOutput", gradOutput, "self", self));
    OP_TRY(op_check_same_leading(op, "gradOutput", gradOutput, "self", self, AXES));
    OP_TRY(op_check_same_shape(op, "indices", indices, "self", self));
    OP_TRY(op_check_same_shape(op, "out", out, "self", self));
    OP_TRY(op_check_length(op, "outputSize", outputSize, AXES));
    OP_TRY(op_check_spatial(op, "gradOutput", gradOutput, outputSize));
    struct op_shape_text text;
    OP_CHECK(op, op_is_empty(self) || !op_is_empty(gradOutput), ACLNN_ERR_PARAM_INVALID,
             "gradOutput is empty with its shape %s; where self is not, it must have elements",
             op_shape(&text, gradOutput));
    OP_TRY(op_check_sizes(op, "self", self));
    return op_check_sizes(op, "gradOutput", gradOutput);
}

static aclnnStatus check_3d(const aclTensor *gradOutput, const aclTensor *self,
                            const aclTensor *indices, const aclIntArray *outputSize,
                            const aclIntArray *stride, const aclIntArray *padding,
                            const aclTensor *out)
{
    const char *op = NAME_3D;
    enum { AXES = 3 };
    OP_TRY(op_check_contiguous(op, "out", out));
    OP_TRY(check_types_3d(gradOutput, self, indices, out));
    OP_TRY(op_check_rank(op, "self", self, AXES + 1, AXES + 2));
    OP_TRY(op_check_same_rank(op, "indices", indices, "self", self));
    OP_TRY(op_check_same_rank(op, "out", out, "self", self));
    OP_TRY(op_check_same_shape(op, "indices", indices, "self", self));
    OP_TRY(op_check_same_shape(op, "out", out, "self", self));
    OP_TRY(op_check_filled(op, "self", self));
    OP_TRY(op_check_unpool_arrays(op, outputSize, stride, padding, AXES));
    OP_TRY(op_check_holds(op, outputSize, "self", self, AXES));
    OP_TRY(op_check_same_rank(op, "gradOutput", gradOutput, "self", self));
    OP_TRY(op_check_spatial(op, "gradOutput", gradOutput, outputSize));
    OP_TRY(op_check_same_leading(op, "gradOutput", gradOutput, "self", self, AXES));
    return op_check_sizes(op, "gradOutput", gradOutput);
}

/* What CANN leaves to the device: an order of the elements that is really meant, and memory that is
 * really there. self's is not read. */
static aclnnStatus check_views(const char *op, const aclTensor *gradOutput, const aclTensor *self,
                               const aclTensor *indices, const aclTensor *out)
{
    OP_TRY(op_check_channels_first(op, "gradOutput", gradOutput, 0));
    OP_TRY(op_check_channels_first(op, "self", self, 0));
    OP_TRY(op_check_channels_first(op, "indices", indices, 0));
    OP_TRY(op_check_channels_first(op, "out", out, 0));
    OP_TRY(op_check_input_view(op, "gradOutput", gradOutput));
    OP_TRY(op_check_input_view(op, "indices", indices));
    return op_check_output_view(op, "out", out);
}

/* Phase 1. */

static aclnnStatus plan_gather(const char *op, const aclTensor *gradOutput, const aclTensor *self,
                               const aclTensor *indices, const aclTensor *out, int axes,
                               const aclIntArray *stride, const aclIntArray *padding,
                               uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct ex_plan *plan = ex_plan_new(op);
    OP_CALL(plan, op, .axes = axes, .dx = gradOutput, .y = self, .dy = out, .i = indices,
            .result = out, .stride = stride, .pad = padding);
    int dy = ex_input(plan, op_descriptor(gradOutput));
    ex_input(plan, op_descriptor(self)); /* only its shape matters */
    int positions = ex_input(plan, op_descriptor(indices));
    int dx = ex_output(plan, op_descriptor(out));
    if (op_is_empty(out)) return ex_seal(plan, workspaceSize, executor);

    struct ex_order order = ex_order_identity(out->descriptor.rank);
    int source = ex_packed(plan, dy, &order);
    int index = ex_packed(plan, positions, &order);
    const struct op_view to = op_view_of(out);
    const aclDataType type = (aclDataType)gradOutput->descriptor.data_type;
    const struct op_view made = op_view_dense(type, to.rank, to.sizes);
    const bool is_cast = to.type != type;
    struct k_plane plane = op_plane(out, gradOutput, indices, out, axes);
    const int64_t elements = plane.planes * plane.entries;
    const int target = is_cast ? ex_scratch(plan, (size_t)elements * (size_t)plane.element_size)
                               : ex_target(plan, dx, &order);
    ex_step_with_faults(plan, "plane_gather", k_best()->plane_gather, &plane, sizeof plane,
                        k_plane_gather_work(&plane), EX_BUFFERS(target, index, source),
                        op_describe_plane_fault);
    if (is_cast)
        op_copy_step(plan, target, &made, dx, &to);
    else
        ex_deliver(plan, target, dx, &order);
    return ex_seal(plan, workspaceSize, executor);
}

aclnnStatus OP_HAND(aclnnMaxUnpool2dBackward)(const aclTensor *gradOutput, const aclTensor *self,
                                              const aclTensor *indices,
                                              const aclIntArray *outputSize, aclTensor *out,
                                              uint64_t *workspaceSize, aclOpExecutor **executor)
{
    OP_CHECK_NOT_NULL(NAME_2D, workspaceSize);
    OP_CHECK_NOT_NULL(NAME_2D, executor);
    OP_CHECK_NOT_NULL(NAME_2D, gradOutput);
    OP_CHECK_NOT_NULL(NAME_2D, self);
    OP_CHECK_NOT_NULL(NAME_2D, indices);
    OP_CHECK_NOT_NULL(NAME_2D, outputSize);
    OP_CHECK_NOT_NULL(NAME_2D, out);
    OP_TRY(check_2d(gradOutput, self, indices, outputSize, out));
    if (!op_is_empty(self)) OP_TRY(check_views(NAME_2D, gradOutput, self, indices, out));
    return plan_gather(NAME_2D, gradOutput, self, indices, out, 2, NULL, NULL, workspaceSize,
                       executor);
}

aclnnStatus OP_HAND(aclnnMaxUnpool3dBackward)(const aclTensor *gradOutput, const aclTensor *self,
                                              const aclTensor *indices,
                                              const aclIntArray *outputSize,
                                              const aclIntArray *stride, const aclIntArray *padding,
                                              aclTensor *out, uint64_t *workspaceSize,
                                              aclOpExecutor **executor)
{
    OP_CHECK_NOT_NULL(NAME_3D, workspaceSize);
    OP_CHECK_NOT_NULL(NAME_3D, executor);
    OP_CHECK_NOT_NULL(NAME_3D, gradOutput);
    OP_CHECK_NOT_NULL(NAME_3D, self);
    OP_CHECK_NOT_NULL(NAME_3D, indices);
    OP_CHECK_NOT_NULL(NAME_3D, outputSize);
    OP_CHECK_NOT_NULL(NAME_3D, stride);
    OP_CHECK_NOT_NULL(NAME_3D, padding);
    OP_CHECK_NOT_NULL(NAME_3D, out);
    OP_TRY(check_3d(gradOutput, self, indices, outputSize, stride, padding, out));
    if (!op_is_empty(self)) OP_TRY(check_views(NAME_3D, gradOutput, self, indices, out));
    return plan_gather(NAME_3D, gradOutput, self, indices, out, 3, stride, padding, workspaceSize,
                       executor);
}
