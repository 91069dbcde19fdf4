/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution by its name: Conv2D, by aclnnConvolution. torch_npu's npu_conv2d asks for it, and the
 * gradient of its transposed convolution. */
#include <string.h>

#include "api/op_check.h"
#include "api/op_named_call.h"
#include "api/tensor_desc.h"
#include "runtime/support/base.h"
#include "runtime/support/error.h"

#include "aclnnop/aclnn_convolution.h"

enum { AXES = 4 };

static const enum op_named_side IN = OP_NAMED_INPUT, OUT = OP_NAMED_OUTPUT;

static const struct op_named_attribute attributes[] = {{"offset_x", {NULL, "0"}}};

/* ---- attributes ---- */

static void four_of(struct op_named_run *run, const char *name, bool is_required,
                    int64_t values[AXES])
{
    static const char rule[] = "be a list of 4 integers";
    const bool is_set = op_attribute_text(run->call->attr, name) != NULL;
    const bool is_four = op_named_integers(run, name, values, AXES, rule) == AXES;
    for (int i = 0; i < AXES && !is_four; i++)
        values[i] = 1;
    if (!is_four && (is_set || is_required)) op_named_refuse(run, name, rule);
}

/* The numbers of height and width, of four in the order of data_format. */
static aclIntArray *of_plane(struct op_named_run *run, const char *name, bool is_required,
                             const char *axes)
{
    int64_t values[AXES], plane[2] = {1, 1};
    four_of(run, name, is_required, values);
    for (int i = 0; i < AXES; i++) {
        if (axes[i] == 'H')
            plane[0] = values[i];
        else if (axes[i] == 'W')
            plane[1] = values[i];
        else if (values[i] != 1)
            op_named_refuse(run, name, "be 1 for N and C, in the order of data_format");
    }
    return aclCreateIntArray(plane, 2);
}

/* The order of axes; NHWC, as CANN has it, if nothing is said. */
static const char *format_of(struct op_named_run *run)
{
    const char *text = op_attribute_text(run->call->attr, "data_format");
    if (!text || strcmp(text, "\"NHWC\"") == 0) return "NHWC";
    if (strcmp(text, "\"NCHW\"") != 0) op_named_refuse(run, "data_format", "be NCHW or NHWC");
    return "NCHW";
}

/* ---- tensors ---- */

/* The tensor with its axes as N, C, H, W. One without a format of four axes is in data_format; x
 * and y have no other. */
static aclTensor *image(struct op_named_run *run, enum op_named_side side, int index,
                        const char *data_format, bool is_filter)
{
    static const char order[] = "NCHW";
    const struct op_view view = op_named_view(run, side, index, AXES);
    struct op_view ordered = view;
    if (run->status != ACL_SUCCESS) return NULL;
    const bool is_input = side == OP_NAMED_INPUT;
    const struct op_stored_tensor stored =
        op_stored_tensor((is_input ? run->call->input : run->call->output)[index]);
    const char *own = op_format_axes(stored.format);
    const char *axes = own[0] == '\0' ? data_format : own;
    op_named_demand(run, side, index, stored.rank == AXES, "it must have 4 dimensions");
    op_named_demand(run, side, index,
                    strlen(axes) == AXES && (is_filter || strcmp(axes, data_format) == 0),
                    is_filter ? "its format must be NCHW, NHWC, HWCN or ND"
                              : "its format must be data_format or ND");
    if (run->status != ACL_SUCCESS) return NULL;
    for (int i = 0; i < AXES; i++) {
        const int64_t axis = strchr(axes, order[i]) - axes;
        ordered.sizes[i] = view.sizes[axis];
        ordered.strides[i] = view.strides[axis];
    }
    return op_named_formatted(run, side, index, &ordered, ACL_FORMAT_NCHW);
}

/* ---- Conv2D ---- */

void op_named_conv2d(struct op_named_run *run)
{
    enum { X, FILTER, BIAS, OFFSET_W };
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    int64_t pads[AXES];
    op_named_attributes(run, attributes, RT_LENGTH(attributes));
    op_named_counts(run, 2, 1);
    const char *axes = format_of(run);
    aclTensor *x = image(run, IN, X, axes, false);
    aclTensor *filter = image(run, IN, FILTER, axes, true);
    aclTensor *bias = NULL;
    if (op_named_is_there(run, IN, BIAS)) {
        const struct op_view view = op_named_view(run, IN, BIAS, 1);
        bias = op_named_tensor(run, IN, BIAS, &view);
    }
    op_named_demand(run, IN, OFFSET_W, !op_named_is_there(run, IN, OFFSET_W),
                    "it must be left out: nothing is quantized");
    aclTensor *y = image(run, OUT, 0, axes, false);
    aclIntArray *strides = of_plane(run, "strides", true, axes);
    aclIntArray *dilations = of_plane(run, "dilations", false, axes);
    four_of(run, "pads", true, pads); /* top, bottom, left, right in either format */
    aclIntArray *padding = aclCreateIntArray(pads, AXES);
    const int64_t groups = op_named_integer(run, "groups", 1);
    if (run->status == ACL_SUCCESS && (!strides || !dilations || !padding))
        run->status = rt_error_report(ACL_ERROR_BAD_ALLOC, run->who, "no host memory for an array");
    if (run->status == ACL_SUCCESS) {
        const aclnnStatus phase1 =
            aclnnConvolutionGetWorkspaceSize(x, filter, bias, strides, padding, dilations, false,
                                             NULL, groups, y, 0, &bytes, &executor);
        op_named_launch(run, phase1, bytes, executor, aclnnConvolution);
    }
    aclDestroyIntArray(strides);
    aclDestroyIntArray(dilations);
    aclDestroyIntArray(padding);
}
