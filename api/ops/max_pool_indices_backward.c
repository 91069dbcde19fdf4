/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnMaxPool2dWithIndicesBackward, aclnnMaxPool2dWithMaskBackward,
 * aclnnMaxPool3dWithArgmaxBackward: gradients go where the maxima were. */

#include "api/op_call.h"
#include "api/op_hand.h"
#include "api/op_max_pool.h"
#include "api/op_unpool.h"
#include "executor/plan.h"

static const char *const INDICES_2D = "aclnnMaxPool2dWithIndicesBackward";
static const char *const MASK_2D = "aclnnMaxPool2dWithMaskBackward";
static const char *const ARGMAX_3D = "aclnnMaxPool3dWithArgmaxBackward";

struct arguments {
    const char *op;
    int axes;
    bool mask;       /* indices are a buffer of bytes */
    uint64_t inside; /* formats with the channels innermost that count */
    const aclTensor *gradOutput, *self, *indices;
    struct op_max_arrays arrays;
    bool ceil_mode;
    const aclTensor *gradInput;
};

static struct arguments arguments_of(const char *op, int axes, const aclTensor *gradOutput,
                                     const aclTensor *self, const aclTensor *indices,
                                     const aclIntArray *kernelSize, const aclIntArray *stride,
                                     const aclIntArray *padding, const aclIntArray *dilation,
                                     bool ceilMode, const aclTensor *gradInput)
{
    return (struct arguments){.op = op,
                              .axes = axes,
                              .gradOutput = gradOutput,
                              .self = self,
                              .indices = indices,
                              .arrays = {{"kernelSize", kernelSize},
                                         {"stride", stride},
                                         {"padding", padding},
                                         {"dilation", dilation}},
                              .ceil_mode = ceilMode,
                              .gradInput = gradInput};
}

/* The checks, in CANN's order. */

static aclnnStatus check_given(const struct arguments *a)
{
    const struct {
        const char *name;
        const void *pointer;
    } given[] = {{"gradOutput", a->gradOutput},
                 {"self", a->self},
                 {"indices", a->indices},
                 {"kernelSize", a->arrays.kernel.array},
                 {"stride", a->arrays.stride.array},
                 {"padding", a->arrays.padding.array},
                 {"dilation", a->arrays.dilation.array},
                 {"gradInput", a->gradInput}};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
        OP_CHECK(a->op, given[i].pointer, ACLNN_ERR_PARAM_NULLPTR, "%s is NULL", given[i].name);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_formats(const struct arguments *a)
{
    OP_TRY(op_check_same_format(a->op, "gradOutput", a->gradOutput, "self", a->self));
    OP_TRY(op_check_same_format(a->op, "gradInput", a->gradInput, "self", a->self));
    return op_check_channels_first(a->op, "self", a->self, a->inside);
}

static aclnnStatus check_ranks(const struct arguments *a, const char *const names[],
                               const aclTensor *const tensors[], int count)
{
    for (int i = 0; i < count; i++)
        OP_TRY(op_check_rank(a->op, names[i], tensors[i], a->axes + 1, a->axes + 2));
    for (int i = 0; i < count; i++)
        OP_TRY(op_check_sizes(a->op, names[i], tensors[i]));
    return ACLNN_SUCCESS;
}

/* What CANN leaves to the device: maxima that exist, memory that is really there. self's is not
 * read. */
static aclnnStatus check_data(const struct arguments *a, const struct op_window *window)
{
    if (op_is_empty(a->gradInput)) return ACLNN_SUCCESS;
    if (!op_is_empty(a->gradOutput)) {
        OP_TRY(op_max_check_windows(a->op, window, a->gradOutput, a->gradInput, a->indices));
        OP_TRY(op_check_input_view(a->op, "gradOutput", a->gradOutput));
        OP_TRY(op_check_input_view(a->op, "indices", a->indices));
    }
    return op_check_output_view(a->op, "gradInput", a->gradInput);
}

static aclnnStatus check_2d(const struct arguments *a, struct op_window *window)
{
    const char *op = a->op;
    OP_TRY(check_given(a));
    OP_TRY(op_check_float(op, "self", a->self));
    OP_TRY(op_check_same_type(op, "gradOutput", a->gradOutput, "self", a->self));
    OP_TRY(op_check_same_type(op, "gradInput", a->gradInput, "self", a->self));
    if (a->mask)
        OP_TRY(op_check_type(op, "indices", a->indices, OP_TYPE(ACL_INT8), "INT8"));
    else
        OP_TRY(op_check_index_type(op, "indices", a->indices));
    OP_TRY(check_formats(a));
    const aclTensor *const tensors[] = {a->self, a->gradInput, a->gradOutput, a->indices};
    OP_TRY(check_ranks(a, (const char *const[]){"self", "gradInput", "gradOutput", "indices"},
                       tensors, 4));
    OP_TRY(op_max_check_lengths(op, a->axes, &a->arrays));
    OP_TRY(op_max_check_values(op, a->axes, &a->arrays, a->mask));
    OP_TRY(op_check_same_shape(op, "gradInput", a->gradInput, "self", a->self));
    OP_TRY(op_max_check_filled(op, "self", a->self, a->axes + 1));
    *window = op_max_window(a->axes, &a->arrays, a->ceil_mode);
    OP_TRY(op_max_check_shape(op, window, "gradOutput", a->gradOutput, "self", a->self, true));
    if (a->mask)
        OP_TRY(op_max_check_mask(op, window, a->indices, "gradOutput", a->gradOutput));
    else
        OP_TRY(op_check_same_shape(op, "indices", a->indices, "gradOutput", a->gradOutput));
    return check_data(a, window);
}

static aclnnStatus check_plane(const struct arguments *a)
{
    const struct op_plane plane = op_plane_of(a->self, a->axes, false);
    int64_t cells;
    OP_CHECK(a->op,
             a->indices->descriptor.data_type == ACL_INT64 ||
                 (ex_element_count(plane.size, K_POOL_AXES, &cells) && cells <= INT32_MAX),
             ACLNN_ERR_PARAM_INVALID,
             "a plane of self has more elements than indices of type INT32 can count");
    return ACLNN_SUCCESS;
}

static aclnnStatus check_3d(const struct arguments *a, struct op_window *window)
{
    const char *op = a->op;
    OP_TRY(check_given(a));
    OP_TRY(op_check_float(op, "self", a->self));
    OP_TRY(op_check_index_type(op, "indices", a->indices));
    OP_TRY(op_check_same_type(op, "gradOutput", a->gradOutput, "self", a->self));
    OP_TRY(op_check_same_type(op, "gradInput", a->gradInput, "self", a->self));
    OP_TRY(check_formats(a));
    const aclTensor *const tensors[] = {a->gradOutput, a->gradInput, a->indices, a->self};
    OP_TRY(check_ranks(a, (const char *const[]){"gradOutput", "gradInput", "indices", "self"},
                       tensors, 4));
    OP_TRY(op_max_check_arrays(op, a->axes, &a->arrays));
    OP_TRY(check_plane(a));
    OP_TRY(op_check_same_shape(op, "indices", a->indices, "gradOutput", a->gradOutput));
    OP_TRY(op_check_same_shape(op, "gradInput", a->gradInput, "self", a->self));
    *window = op_max_window(a->axes, &a->arrays, a->ceil_mode);
    if (!op_is_empty(a->gradOutput) && !op_is_empty(a->self))
        OP_TRY(op_max_check_shape(op, window, "gradOutput", a->gradOutput, "self", a->self, false));
    return check_data(a, window);
}

/* Phase 1. */

static aclnnStatus plan_backward(const struct arguments *a, uint64_t *workspaceSize,
                                 aclOpExecutor **executor)
{
    struct op_window window = {.axes = a->axes};
    OP_TRY(a->axes == 3 ? check_3d(a, &window) : check_2d(a, &window));

    struct ex_plan *plan = ex_plan_new(a->op);
    OP_CALL(plan, a->op, .axes = a->axes, .x = a->self, .dx = a->gradInput, .dy = a->gradOutput,
            .i = a->indices, .kernel = a->arrays.kernel.array, .stride = a->arrays.stride.array,
            .pad = a->arrays.padding.array, .dilation = a->arrays.dilation.array,
            .ceil = a->ceil_mode);
    const int dy = ex_input(plan, op_descriptor(a->gradOutput));
    ex_input(plan, op_descriptor(a->self)); /* only its shape matters */
    const int i = ex_input(plan, op_descriptor(a->indices));
    const int dx = ex_output(plan, op_descriptor(a->gradInput));
    if (op_is_empty(a->gradInput)) return ex_seal(plan, workspaceSize, executor);
    if (op_is_empty(a->gradOutput))
        op_zero_steps(plan, dx, a->gradInput);
    else
        op_max_grad_steps(plan, &window, (struct op_max_tensor){a->gradOutput, dy},
                          (struct op_max_tensor){a->indices, i}, a->mask, K_INDEX_OF_PLANE,
                          (struct op_max_tensor){a->gradInput, dx}, a->axes);
    return ex_seal(plan, workspaceSize, executor);
}

aclnnStatus OP_HAND(aclnnMaxPool2dWithIndicesBackward)(
    const aclTensor *gradOutput, const aclTensor *self, const aclTensor *indices,
    const aclIntArray *kernelSize, const aclIntArray *stride, const aclIntArray *padding,
    const aclIntArray *dilation, bool ceilMode, aclTensor *gradInput, uint64_t *workspaceSize,
    aclOpExecutor **executor)
{
    struct arguments a = arguments_of(INDICES_2D, 2, gradOutput, self, indices, kernelSize, stride,
                                      padding, dilation, ceilMode, gradInput);
    a.inside = OP_FORMAT(ACL_FORMAT_NHWC);
    OP_CHECK_NOT_NULL(a.op, workspaceSize);
    OP_CHECK_NOT_NULL(a.op, executor);
    return plan_backward(&a, workspaceSize, executor);
}

aclnnStatus OP_HAND(aclnnMaxPool2dWithMaskBackward)(
    const aclTensor *gradOutput, const aclTensor *self, const aclTensor *indices,
    const aclIntArray *kernelSize, const aclIntArray *stride, const aclIntArray *padding,
    const aclIntArray *dilation, bool ceilMode, aclTensor *gradInput, uint64_t *workspaceSize,
    aclOpExecutor **executor)
{
    struct arguments a = arguments_of(MASK_2D, 2, gradOutput, self, indices, kernelSize, stride,
                                      padding, dilation, ceilMode, gradInput);
    a.mask = true;
    OP_CHECK_NOT_NULL(a.op, workspaceSize);
    OP_CHECK_NOT_NULL(a.op, executor);
    OP_CHECK_NOT_NULL(a.op, kernelSize);
    OP_CHECK_NOT_NULL(a.op, self);
    OP_CHECK_NOT_NULL(a.op, gradOutput);
    /* CANN's code for this length is that of a NULL. */
    OP_CHECK(a.op, kernelSize->size == 1 || kernelSize->size == 2, ACLNN_ERR_PARAM_NULLPTR,
             "kernelSize has %" PRIu64 " entries; it must have 1 or 2", kernelSize->size);
    return plan_backward(&a, workspaceSize, executor);
}

aclnnStatus OP_HAND(aclnnMaxPool3dWithArgmaxBackward)(
    const aclTensor *gradOutput, const aclTensor *self, const aclTensor *indices,
    const aclIntArray *kernelSize, const aclIntArray *stride, const aclIntArray *padding,
    const aclIntArray *dilation, bool ceilMode, aclTensor *gradInput, uint64_t *workspaceSize,
    aclOpExecutor **executor)
{
    const struct arguments a = arguments_of(ARGMAX_3D, 3, gradOutput, self, indices, kernelSize,
                                            stride, padding, dilation, ceilMode, gradInput);
    OP_CHECK_NOT_NULL(a.op, workspaceSize);
    OP_CHECK_NOT_NULL(a.op, executor);
    return plan_backward(&a, workspaceSize, executor);
}
