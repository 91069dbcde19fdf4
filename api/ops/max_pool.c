/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnMaxPool and aclnnGlobalMaxPool: maximum pooling without indices. */

#include "api/op_call.h"
#include "api/op_hand.h"
#include "api/op_max_pool.h"
#include "executor/plan.h"
#include "executor/steps.h"

static const char *const NAME = "aclnnMaxPool";
static const char *const GLOBAL = "aclnnGlobalMaxPool";

enum { AXES = 2 };

struct arrays {
    const aclIntArray *kernelShape, *strides, *pads, *dilations;
};

/* The checks of aclnnMaxPool, in CANN's order. */

static aclnnStatus check_tensors(const aclTensor *self, const aclTensor *out)
{
    const uint64_t types = OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_FLOAT16) | OP_TYPE(ACL_BF16) |
                           OP_TYPE(ACL_INT32) | OP_TYPE(ACL_INT64) | OP_TYPE(ACL_UINT8) |
                           OP_TYPE(ACL_INT16) | OP_TYPE(ACL_INT8) | OP_TYPE(ACL_UINT16);
    OP_TRY(op_check_type(NAME, "self", self, types,
                         "FLOAT, FLOAT16, BF16, INT32, INT64, UINT8, INT16, INT8 or UINT16"));
    OP_TRY(op_check_same_type(NAME, "out", out, "self", self));
    OP_TRY(op_check_same_format(NAME, "out", out, "self", self));
    OP_TRY(op_check_channels_first(NAME, "self", self, 0));
    OP_TRY(op_check_rank(NAME, "self", self, AXES + 1, AXES + 2));
    OP_TRY(op_check_rank(NAME, "out", out, AXES + 1, AXES + 2));
    return op_check_sizes(NAME, "self", self);
}

static aclnnStatus check_length(const char *name, const aclIntArray *array, uint64_t lengths,
                                const char *rule)
{
    OP_CHECK(NAME, array->size < 64 && (lengths >> array->size & 1), ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRIu64 " entries; it must have %s", name, array->size, rule);
    return ACLNN_SUCCESS;
}

/* pads: none; all four; {top = bottom, left = right}; {top, left, bottom, right}. */
static void read_pads(struct op_window *window, const aclIntArray *pads)
{
    for (int axis = 0; axis < AXES; axis++) {
        const int i = axis + K_POOL_AXES - AXES;
        const int begin = pads->size == 1 ? 0 : axis;
        const int end = pads->size == 4 ? axis + 2 : begin;
        window->pad_begin[i] = pads->size ? pads->values[begin] : 0;
        window->pad_end[i] = pads->size ? pads->values[end] : 0;
    }
}

static aclnnStatus check_pads(const struct op_window *window, const aclIntArray *pads)
{
    static const char *const axes[] = {"top and bottom", "left and right"};
    OP_TRY(op_check_array_values(NAME, (struct op_array){"pads", pads}, 0));
    for (int axis = 0; axis < AXES; axis++) {
        const int i = axis + K_POOL_AXES - AXES;
        const int64_t begin = window->pad_begin[i], end = window->pad_end[i];
        OP_CHECK(NAME, begin <= window->kernel[i] && end <= window->kernel[i] - begin,
                 ACLNN_ERR_PARAM_INVALID,
                 "pads at %s are %" PRId64 " and %" PRId64 "; together they must be at most "
                 "kernelShape[%d], which is %" PRId64,
                 axes[axis], begin, end, axis, window->kernel[i]);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_arrays(const struct arrays *a, int64_t auto_pad, struct op_window *window)
{
    const struct op_array kernel = {"kernelShape", a->kernelShape},
                          strides = {"strides", a->strides};
    OP_TRY(op_check_array_length(NAME, kernel, AXES, false));
    OP_TRY(op_check_array_length(NAME, strides, AXES, true));
    OP_TRY(check_length("pads", a->pads, 0x17, "0, 1, 2 or 4"));
    OP_TRY(check_length("dilations", a->dilations, 0x17, "0, 1, 2 or 4"));
    OP_CHECK(NAME, auto_pad == 0, ACLNN_ERR_PARAM_INVALID,
             "autoPad is %" PRId64 "; it must be 0 (NOTSET)", auto_pad);
    for (uint64_t i = 0; i < a->dilations->size; i++)
        OP_CHECK(NAME, a->dilations->values[i] == 1, ACLNN_ERR_PARAM_INVALID,
                 "dilations[%" PRIu64 "] is %" PRId64 "; it must be 1", i, a->dilations->values[i]);
    OP_TRY(op_check_array_values(NAME, kernel, 1));
    OP_TRY(op_check_array_values(NAME, strides, 1));
    *window = op_window_of(AXES, a->kernelShape, a->strides, a->kernelShape, window->ceil_mode);
    for (int i = K_POOL_AXES - AXES; a->strides->size == 0 && i < K_POOL_AXES; i++)
        window->stride[i] = 1; /* ONNX's default, not the kernel */
    read_pads(window, a->pads);
    return check_pads(window, a->pads);
}

/* Phase 1. */

aclnnStatus OP_HAND(aclnnMaxPool)(const aclTensor *self, const aclIntArray *kernelShape,
                                  const aclIntArray *strides, const int64_t autoPad,
                                  const aclIntArray *pads, const aclIntArray *dilations,
                                  const int64_t ceilMode, aclTensor *out, uint64_t *workspaceSize,
                                  aclOpExecutor **executor)
{
    const struct arrays arrays = {kernelShape, strides, pads, dilations};
    struct op_window window = {.axes = AXES, .ceil_mode = ceilMode != 0};
    OP_CHECK_NOT_NULL(NAME, workspaceSize);
    OP_CHECK_NOT_NULL(NAME, executor);
    OP_CHECK_NOT_NULL(NAME, self);
    OP_CHECK_NOT_NULL(NAME, kernelShape);
    OP_CHECK_NOT_NULL(NAME, strides);
    OP_CHECK_NOT_NULL(NAME, pads);
    OP_CHECK_NOT_NULL(NAME, dilations);
    OP_CHECK_NOT_NULL(NAME, out);
    OP_TRY(check_tensors(self, out));
    OP_TRY(check_arrays(&arrays, autoPad, &window));
    OP_TRY(op_max_check_filled(NAME, "self", self, AXES + 1));
    OP_TRY(op_max_check_shape(NAME, &window, "out", out, "self", self, true));
    OP_TRY(op_check_input_view(NAME, "self", self));
    OP_TRY(op_check_output_view(NAME, "out", out));

    struct ex_plan *plan = ex_plan_new(NAME);
    OP_CALL(plan, NAME, .axes = AXES, .x = self, .y = out, .kernel = kernelShape, .stride = strides,
            .pad = pads, .dilation = dilations, .ceil = ceilMode != 0, .auto_pad = autoPad);
    const int x = ex_input(plan, op_descriptor(self));
    const int y = ex_output(plan, op_descriptor(out));
    if (!op_is_empty(self))
        op_max_forward_steps(plan, &window, (struct op_max_tensor){self, x},
                             (struct op_max_tensor){out, y}, (struct op_max_tensor){NULL, -1},
                             false);
    return ex_seal(plan, workspaceSize, executor);
}

/* The checks of aclnnGlobalMaxPool, in CANN's order. */

static aclnnStatus check_global(const aclTensor *self, const aclTensor *out)
{
    enum { LEAST = 4, MOST = EX_MAX_RANK };
    const uint64_t types =
        OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_FLOAT16) | OP_TYPE(ACL_BF16) | OP_TYPE(ACL_DOUBLE);
    const uint64_t formats =
        OP_FORMAT(ACL_FORMAT_ND) | OP_FORMAT(ACL_FORMAT_NCHW) | OP_FORMAT(ACL_FORMAT_NCDHW);
    struct op_shape_text self_text, out_text;
    OP_TRY(op_check_type(GLOBAL, "self", self, types, "FLOAT, FLOAT16, BF16 or DOUBLE"));
    OP_TRY(op_check_same_type(GLOBAL, "out", out, "self", self));
    OP_TRY(op_check_format(GLOBAL, "self", self, formats, "ND, NCHW or NCDHW"));
    OP_TRY(op_check_same_format(GLOBAL, "out", out, "self", self));
    OP_TRY(op_check_rank(GLOBAL, "self", self, LEAST, MOST));
    OP_TRY(op_check_same_rank(GLOBAL, "out", out, "self", self));
    OP_TRY(op_check_sizes(GLOBAL, "self", self));
    const struct ex_descriptor *s = &self->descriptor, *o = &out->descriptor;
    for (int i = 0; i < s->rank; i++)
        OP_CHECK(GLOBAL, o->sizes[i] == (i < 2 ? s->sizes[i] : 1), ACLNN_ERR_PARAM_INVALID,
                 "out has shape %s; for self of shape %s its dimension %d must be %" PRId64,
                 op_shape(&out_text, out), op_shape(&self_text, self), i, i < 2 ? s->sizes[i] : 1);
    OP_TRY(op_max_check_filled(GLOBAL, "self", self, s->rank - 2));
    OP_TRY(op_check_input_view(GLOBAL, "self", self));
    return op_check_output_view(GLOBAL, "out", out);
}

aclnnStatus OP_HAND(aclnnGlobalMaxPool)(const aclTensor *self, aclTensor *out,
                                        uint64_t *workspaceSize, aclOpExecutor **executor)
{
    OP_CHECK_NOT_NULL(GLOBAL, workspaceSize);
    OP_CHECK_NOT_NULL(GLOBAL, executor);
    OP_CHECK_NOT_NULL(GLOBAL, self);
    OP_CHECK_NOT_NULL(GLOBAL, out);
    OP_TRY(check_global(self, out));

    struct ex_plan *plan = ex_plan_new(GLOBAL);
    OP_CALL(plan, GLOBAL, .axes = self->descriptor.rank - 2, .x = self, .y = out);
    const int x = ex_input(plan, op_descriptor(self));
    const int y = ex_output(plan, op_descriptor(out));
    if (op_is_empty(self)) return ex_seal(plan, workspaceSize, executor);
    const struct ex_descriptor *d = &self->descriptor;
    const struct ex_order first = ex_order_identity(d->rank);
    const struct ex_order last = ex_order_channels_last(d->rank, false);
    const bool is_last = !ex_is_dense(d, &first) && ex_is_dense(d, &last);
    const struct ex_order *order = is_last ? &last : &first;
    struct k_max_global global = {.outer = d->sizes[0] * (is_last ? 1 : d->sizes[1]),
                                  .length = 1,
                                  .inner = is_last ? d->sizes[1] : 1,
                                  .dtype = op_k_dtype(self)};
    for (int i = 2; i < d->rank; i++)
        global.length *= d->sizes[i];
    const int from = ex_packed(plan, x, order), to = ex_target(plan, y, order);
    ex_step(plan, "max_global", k_best()->max_global, &global, sizeof global,
            k_max_global_work(&global), EX_BUFFERS(from, to));
    ex_deliver(plan, to, y, order);
    return ex_seal(plan, workspaceSize, executor);
}
