/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAdaptiveMaxPool2dBackward, aclnnAdaptiveMaxPool3dBackward: gradients go where the maxima
 * were.
 */

#include "api/op_call.h"
#include "api/op_hand.h"
#include "api/op_max_pool.h"
#include "api/op_unpool.h"
#include "executor/plan.h"
#include "executor/steps.h"

static const char *const NAME_2D = "aclnnAdaptiveMaxPool2dBackward";
static const char *const NAME_3D = "aclnnAdaptiveMaxPool3dBackward";

struct arguments {
    const char *op;
    int axes;
    const aclTensor *gradOutput, *self, *indices, *gradInput;
};

/* The checks, in CANN's order. */

/* Data are channels first: what says otherwise is refused. */
static aclnnStatus check_formats(const struct arguments *a)
{
    const uint64_t formats = OP_FORMAT(ACL_FORMAT_NCHW) | OP_FORMAT(ACL_FORMAT_NCL) |
                             OP_FORMAT(ACL_FORMAT_NCDHW) | OP_FORMAT(ACL_FORMAT_ND);
    OP_TRY(op_check_format(a->op, "self", a->self, formats, "NCHW, NCL, NCDHW or ND"));
    OP_TRY(op_check_same_format(a->op, "gradOutput", a->gradOutput, "self", a->self));
    OP_TRY(op_check_same_format(a->op, "indices", a->indices, "self", a->self));
    return op_check_same_format(a->op, "gradInput", a->gradInput, "self", a->self);
}

static aclnnStatus check(const struct arguments *a)
{
    const char *op = a->op;
    OP_TRY(op_check_same_type(op, "gradOutput", a->gradOutput, "self", a->self));
    OP_TRY(op_check_same_type(op, "gradInput", a->gradInput, "self", a->self));
    OP_TRY(op_check_float(op, "self", a->self));
    OP_TRY(op_check_index_type(op, "indices", a->indices));
    OP_TRY(op_check_same_rank(op, "gradOutput", a->gradOutput, "self", a->self));
    OP_TRY(op_check_same_rank(op, "indices", a->indices, "self", a->self));
    OP_TRY(op_check_same_rank(op, "gradInput", a->gradInput, "self", a->self));
    OP_TRY(op_check_same_shape(op, "indices", a->indices, "gradOutput", a->gradOutput));
    OP_TRY(op_check_same_shape(op, "gradInput", a->gradInput, "self", a->self));
    OP_TRY(check_formats(a));
    OP_TRY(op_check_rank(op, "self", a->self, a->axes + 1, a->axes + 2));
    OP_TRY(op_check_sizes(op, "self", a->self));
    return op_check_sizes(op, "gradOutput", a->gradOutput);
}

static aclnnStatus check_indices_count(const struct arguments *a)
{
    const struct ex_descriptor *d = &a->self->descriptor;
    int64_t cells = 0;
    const bool fits = ex_element_count(d->sizes + (d->rank - a->axes), a->axes, &cells);
    OP_CHECK(a->op, a->indices->descriptor.data_type == ACL_INT64 || (fits && cells <= INT32_MAX),
             ACLNN_ERR_PARAM_INVALID,
             "indices is INT32, which cannot count the elements of self's planes; INT64 can");
    return ACLNN_SUCCESS;
}

/* What CANN leaves to the device: planes that belong together, memory that is really there. self's
 * is not read. */
static aclnnStatus check_data(const struct arguments *a)
{
    if (op_is_empty(a->gradInput)) return ACLNN_SUCCESS;
    if (!op_is_empty(a->gradOutput)) {
        OP_TRY(op_check_same_leading(a->op, "gradOutput", a->gradOutput, "self", a->self, a->axes));
        OP_TRY(check_indices_count(a));
        OP_TRY(op_check_input_view(a->op, "gradOutput", a->gradOutput));
        OP_TRY(op_check_input_view(a->op, "indices", a->indices));
    }
    return op_check_output_view(a->op, "gradInput", a->gradInput);
}

/* Phase 1. */

static aclnnStatus plan_backward(const struct arguments *a, uint64_t *workspaceSize,
                                 aclOpExecutor **executor)
{
    OP_CHECK_NOT_NULL(a->op, workspaceSize);
    OP_CHECK_NOT_NULL(a->op, executor);
    OP_CHECK(a->op, a->gradOutput, ACLNN_ERR_PARAM_NULLPTR, "gradOutput is NULL");
    OP_CHECK(a->op, a->self, ACLNN_ERR_PARAM_NULLPTR, "self is NULL");
    OP_CHECK(a->op, a->indices, ACLNN_ERR_PARAM_NULLPTR, "indices is NULL");
    OP_CHECK(a->op, a->gradInput, ACLNN_ERR_PARAM_NULLPTR, "gradInput is NULL");
    OP_TRY(check(a));
    OP_TRY(check_data(a));

    struct ex_plan *plan = ex_plan_new(a->op);
    OP_CALL(plan, a->op, .axes = a->axes, .x = a->self, .dx = a->gradInput, .dy = a->gradOutput,
            .i = a->indices);
    int dy = ex_input(plan, op_descriptor(a->gradOutput));
    ex_input(plan, op_descriptor(a->self)); /* only its shape matters */
    int positions = ex_input(plan, op_descriptor(a->indices));
    int dx = ex_output(plan, op_descriptor(a->gradInput));
    struct op_window window;
    if (op_is_empty(a->gradInput)) return ex_seal(plan, workspaceSize, executor);
    const bool is_window = op_max_window_of_bins(&window, a->axes, a->gradInput, a->gradOutput);
    if (!op_is_empty(a->gradOutput) &&
        (op_max_is_last_in_memory(a->gradInput, a->gradOutput, a->indices, a->axes) ||
         (is_window &&
          op_max_grad_is_by_volumes(&window, a->gradOutput, a->indices, a->gradInput)))) {
        op_max_grad_steps(plan, is_window ? &window : NULL,
                          (struct op_max_tensor){a->gradOutput, dy},
                          (struct op_max_tensor){a->indices, positions}, false, K_INDEX_OF_PLANE,
                          (struct op_max_tensor){a->gradInput, dx}, a->axes);
        return ex_seal(plan, workspaceSize, executor);
    }

    struct ex_order order = ex_order_identity(a->gradInput->descriptor.rank);
    int target = ex_target(plan, dx, &order), source = target, index = target;
    struct k_plane plane = op_plane(a->gradOutput, a->gradInput, a->indices, a->gradInput, a->axes);
    plane.stream_output = target == dx && op_exceeds_caches(a->gradInput);
    if (op_is_empty(a->gradOutput)) {
        plane.entries = 0; /* zeros everywhere */
    } else {
        source = ex_packed(plan, dy, &order);
        index = ex_packed(plan, positions, &order);
    }
    ex_step_with_faults(plan, "plane_scatter_add",
                        k_best()->plane_scatter_add[op_k_dtype(a->gradInput)], &plane, sizeof plane,
                        k_plane_scatter_work(&plane), EX_BUFFERS(source, index, target),
                        op_describe_plane_fault);
    ex_deliver(plan, target, dx, &order);
    return ex_seal(plan, workspaceSize, executor);
}

aclnnStatus OP_HAND(aclnnAdaptiveMaxPool2dBackward)(const aclTensor *gradOutput,
                                                    const aclTensor *self, const aclTensor *indices,
                                                    aclTensor *gradInput, uint64_t *workspaceSize,
                                                    aclOpExecutor **executor)
{
    const struct arguments arguments = {NAME_2D, 2, gradOutput, self, indices, gradInput};
    return plan_backward(&arguments, workspaceSize, executor);
}

aclnnStatus OP_HAND(aclnnAdaptiveMaxPool3dBackward)(const aclTensor *gradOutput,
                                                    const aclTensor *self, const aclTensor *indices,
                                                    aclTensor *gradInput, uint64_t *workspaceSize,
                                                    aclOpExecutor **executor)
{
    const struct arguments arguments = {NAME_3D, 3, gradOutput, self, indices, gradInput};
    return plan_backward(&arguments, workspaceSize, executor);
}
