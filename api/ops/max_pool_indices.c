/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnMaxPool2dWithIndices, aclnnMaxPool2dWithMask, aclnnMaxPool3dWithArgmax: maximum pooling that
 * tells where the maxima were. */

#include "api/op_call.h"
#include "api/op_hand.h"
#include "api/op_max_pool.h"
#include "api/op_shape.h"
#include "api/op_unpool.h"
#include "executor/plan.h"

static const char *const INDICES_2D = "aclnnMaxPool2dWithIndices";
static const char *const MASK_2D = "aclnnMaxPool2dWithMask";
static const char *const ARGMAX_3D = "aclnnMaxPool3dWithArgmax";

struct arguments {
    const char *op;
    int axes;
    bool mask;       /* indices are a buffer of bytes */
    uint64_t inside; /* formats with the channels innermost that count */
    const aclTensor *self;
    struct op_max_arrays arrays;
    bool ceil_mode;
    const aclTensor *out, *indices;
};

static struct arguments arguments_of(const char *op, int axes, const aclTensor *self,
                                     const aclIntArray *kernelSize, const aclIntArray *stride,
                                     const aclIntArray *padding, const aclIntArray *dilation,
                                     bool ceilMode, const aclTensor *out, const aclTensor *indices)
{
    return (struct arguments){.op = op,
                              .axes = axes,
                              .self = self,
                              .arrays = {{"kernelSize", kernelSize},
                                         {"stride", stride},
                                         {"padding", padding},
                                         {"dilation", dilation}},
                              .ceil_mode = ceilMode,
                              .out = out,
                              .indices = indices};
}

/* The checks, in CANN's order. */

static aclnnStatus check_given(const struct arguments *a)
{
    const struct {
        const char *name;
        const void *pointer;
    } given[] = {{"self", a->self},
                 {"kernelSize", a->arrays.kernel.array},
                 {"stride", a->arrays.stride.array},
                 {"padding", a->arrays.padding.array},
                 {"dilation", a->arrays.dilation.array},
                 {"out", a->out},
                 {"indices", a->indices}};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
        OP_CHECK(a->op, given[i].pointer, ACLNN_ERR_PARAM_NULLPTR, "%s is NULL", given[i].name);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_types_and_formats(const struct arguments *a)
{
    OP_TRY(op_check_float(a->op, "self", a->self));
    OP_TRY(op_check_same_type(a->op, "out", a->out, "self", a->self));
    if (a->mask)
        OP_TRY(op_check_type(a->op, "indices", a->indices, OP_TYPE(ACL_INT8), "INT8"));
    else
        OP_TRY(op_check_index_type(a->op, "indices", a->indices));
    OP_TRY(op_check_same_format(a->op, "out", a->out, "self", a->self));
    OP_TRY(op_check_channels_first(a->op, "self", a->self, a->inside));
    OP_TRY(op_check_rank(a->op, "self", a->self, a->axes + 1, a->axes + 2));
    return op_check_sizes(a->op, "self", a->self);
}

/* Shapes; what CANN leaves to the device: maxima that exist, memory that is really there. */
static aclnnStatus check_shapes(const struct arguments *a, const struct op_window *window)
{
    const bool strict = a->axes == 2;
    OP_TRY(op_max_check_shape(a->op, window, "out", a->out, "self", a->self, strict));
    if (a->mask)
        OP_TRY(op_max_check_mask(a->op, window, a->indices, "out", a->out));
    else
        OP_TRY(op_check_same_shape(a->op, "indices", a->indices, "out", a->out));
    if (op_is_empty(a->out)) return ACLNN_SUCCESS;
    OP_TRY(op_max_check_windows(a->op, window, a->out, a->self, a->indices));
    OP_TRY(op_check_input_view(a->op, "self", a->self));
    OP_TRY(op_check_output_view(a->op, "out", a->out));
    return op_check_output_view(a->op, "indices", a->indices);
}

static aclnnStatus check_2d(const struct arguments *a, struct op_window *window)
{
    OP_TRY(check_given(a));
    OP_TRY(check_types_and_formats(a));
    OP_TRY(op_max_check_lengths(a->op, a->axes, &a->arrays));
    OP_TRY(op_max_check_values(a->op, a->axes, &a->arrays, a->mask));
    OP_TRY(op_max_check_filled(a->op, "self", a->self, a->axes + 1));
    *window = op_max_window(a->axes, &a->arrays, a->ceil_mode);
    return check_shapes(a, window);
}

/* As check_2d, but types, formats and arrays in another order, and empty tensors end it earlier. */
static aclnnStatus check_3d(const struct arguments *a, struct op_window *window)
{
    OP_TRY(check_given(a));
    OP_TRY(op_check_float(a->op, "self", a->self));
    OP_TRY(op_check_index_type(a->op, "indices", a->indices));
    OP_TRY(op_check_same_type(a->op, "out", a->out, "self", a->self));
    OP_TRY(op_check_same_format(a->op, "out", a->out, "self", a->self));
    OP_TRY(op_check_same_format(a->op, "indices", a->indices, "self", a->self));
    OP_TRY(op_check_channels_first(a->op, "self", a->self, a->inside));
    OP_TRY(op_check_rank(a->op, "self", a->self, a->axes + 1, a->axes + 2));
    OP_TRY(op_check_sizes(a->op, "self", a->self));
    OP_TRY(op_check_sizes(a->op, "out", a->out));
    OP_TRY(op_max_check_arrays(a->op, a->axes, &a->arrays));
    if (op_is_empty(a->self) || op_is_empty(a->out)) return ACLNN_SUCCESS;
    *window = op_max_window(a->axes, &a->arrays, a->ceil_mode);
    return check_shapes(a, window);
}

/* Phase 1. */

static aclnnStatus plan_forward(const struct arguments *a, uint64_t *workspaceSize,
                                aclOpExecutor **executor)
{
    struct op_window window = {.axes = a->axes};
    OP_TRY(a->axes == 3 ? check_3d(a, &window) : check_2d(a, &window));

    struct ex_plan *plan = ex_plan_new(a->op);
    OP_CALL(plan, a->op, .axes = a->axes, .x = a->self, .y = a->out, .i = a->indices,
            .kernel = a->arrays.kernel.array, .stride = a->arrays.stride.array,
            .pad = a->arrays.padding.array, .dilation = a->arrays.dilation.array,
            .ceil = a->ceil_mode);
    const int x = ex_input(plan, op_descriptor(a->self));
    const int y = ex_output(plan, op_descriptor(a->out));
    const int i = ex_output(plan, op_descriptor(a->indices));
    if (op_is_empty(a->self) || op_is_empty(a->out)) return ex_seal(plan, workspaceSize, executor);
    /* One tap needs no place, and the buffer has no room for it. */
    const bool unit = a->mask && window.kernel[1] == 1 && window.kernel[2] == 1;
    op_max_forward_steps(plan, &window, (struct op_max_tensor){a->self, x},
                         (struct op_max_tensor){a->out, y},
                         (struct op_max_tensor){unit ? NULL : a->indices, i}, a->mask);
    if (a->mask) {
        int64_t places = 0, bytes = 0;
        ex_element_count(a->indices->descriptor.sizes, a->indices->descriptor.rank, &bytes);
        if (!unit) ex_element_count(a->out->descriptor.sizes, a->out->descriptor.rank, &places);
        const int64_t rest = bytes - 4 * places;
        struct op_view view = op_view_dense(ACL_INT8, 1, &rest);
        view.offset = 4 * places;
        op_fill_place(plan, &(const struct op_place){i, view}, 0, unit ? -1 : 0);
    }
    return ex_seal(plan, workspaceSize, executor);
}

aclnnStatus OP_HAND(aclnnMaxPool2dWithIndices)(const aclTensor *self, const aclIntArray *kernelSize,
                                               const aclIntArray *stride,
                                               const aclIntArray *padding,
                                               const aclIntArray *dilation, bool ceilMode,
                                               aclTensor *out, aclTensor *indices,
                                               uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct arguments a = arguments_of(INDICES_2D, 2, self, kernelSize, stride, padding, dilation,
                                      ceilMode, out, indices);
    a.inside = OP_FORMAT(ACL_FORMAT_NHWC);
    OP_CHECK_NOT_NULL(a.op, workspaceSize);
    OP_CHECK_NOT_NULL(a.op, executor);
    return plan_forward(&a, workspaceSize, executor);
}

aclnnStatus OP_HAND(aclnnMaxPool2dWithMask)(const aclTensor *self, const aclIntArray *kernelSize,
                                            const aclIntArray *stride, const aclIntArray *padding,
                                            const aclIntArray *dilation, bool ceilMode,
                                            aclTensor *out, aclTensor *indices,
                                            uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct arguments a = arguments_of(MASK_2D, 2, self, kernelSize, stride, padding, dilation,
                                      ceilMode, out, indices);
    a.mask = true;
    OP_CHECK_NOT_NULL(a.op, workspaceSize);
    OP_CHECK_NOT_NULL(a.op, executor);
    OP_CHECK_NOT_NULL(a.op, kernelSize);
    OP_CHECK_NOT_NULL(a.op, self);
    OP_CHECK_NOT_NULL(a.op, out);
    OP_TRY(op_check_array_length(a.op, a.arrays.kernel, 2, false));
    return plan_forward(&a, workspaceSize, executor);
}

aclnnStatus OP_HAND(aclnnMaxPool3dWithArgmax)(const aclTensor *self, const aclIntArray *kernelSize,
                                              const aclIntArray *stride, const aclIntArray *padding,
                                              const aclIntArray *dilation, bool ceilMode,
                                              aclTensor *out, aclTensor *indices,
                                              uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct arguments a = arguments_of(ARGMAX_3D, 3, self, kernelSize, stride, padding, dilation,
                                      ceilMode, out, indices);
    a.inside = OP_FORMAT(ACL_FORMAT_NDHWC);
    OP_CHECK_NOT_NULL(a.op, workspaceSize);
    OP_CHECK_NOT_NULL(a.op, executor);
    return plan_forward(&a, workspaceSize, executor);
}
