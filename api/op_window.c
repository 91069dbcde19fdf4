/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_window.h"

#include "runtime/support/base.h"

#include "aclnnext/aclnnext_auto_pad.h"

aclnnStatus op_check_array_length(const char *op, struct op_array array, int axes, bool or_none)
{
    const uint64_t size = array.array ? array.array->size : 0;
    OP_CHECK(op, size == 1 || size == (uint64_t)axes || (or_none && size == 0),
             ACLNN_ERR_PARAM_INVALID, "%s has %" PRIu64 " entries; it must have %s1 or %d",
             array.name, size, or_none ? "0, " : "", axes);
    return ACLNN_SUCCESS;
}

aclnnStatus op_check_array_values(const char *op, struct op_array array, int64_t min)
{
    for (uint64_t i = 0; array.array && i < array.array->size; i++) {
        const int64_t value = array.array->values[i];
        OP_CHECK(op, value >= min, ACLNN_ERR_PARAM_INVALID,
                 "%s[%" PRIu64 "] is %" PRId64 "; it must %s", array.name, i, value,
                 min > 0 ? "be greater than 0" : "not be negative");
        OP_CHECK(op, value <= INT32_MAX, ACLNN_ERR_PARAM_INVALID,
                 "%s[%" PRIu64 "] is %" PRId64 "; it must be at most %d", array.name, i, value,
                 INT32_MAX);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_array(const char *op, const char *name, const aclIntArray *array, int axes,
                               int64_t min, bool or_none)
{
    const struct op_array named = {name, array};
    OP_TRY(op_check_array_length(op, named, axes, or_none));
    return op_check_array_values(op, named, min);
}

static int64_t entry(const aclIntArray *array, int axis, int64_t otherwise)
{
    if (!array || array->size == 0) return otherwise;
    return array->values[array->size == 1 ? 0 : axis];
}

struct op_window op_window_of(int axes, const aclIntArray *kernel_size, const aclIntArray *stride,
                              const aclIntArray *padding, bool ceil_mode)
{
    struct op_window window = {.axes = axes, .ceil_mode = ceil_mode};
    for (int i = 0; i < K_POOL_AXES; i++) {
        const int axis = i - (K_POOL_AXES - axes);
        window.kernel[i] = window.stride[i] = window.dilation[i] = 1;
        if (axis < 0) continue;
        window.kernel[i] = entry(kernel_size, axis, 1);
        window.stride[i] = entry(stride, axis, window.kernel[i]);
        window.pad_begin[i] = window.pad_end[i] = entry(padding, axis, 0);
    }
    return window;
}

aclnnStatus op_check_window_padding(const char *op, const struct op_window *window,
                                    const char *padding_name, const char *kernel_name)
{
    for (int i = K_POOL_AXES - window->axes; i < K_POOL_AXES; i++) {
        const int axis = i - (K_POOL_AXES - window->axes);
        OP_CHECK(op, window->pad_begin[i] <= window->kernel[i] / 2, ACLNN_ERR_PARAM_INVALID,
                 "%s[%d] is %" PRId64 "; it must be at most half of %s[%d], which is %" PRId64,
                 padding_name, axis, window->pad_begin[i], kernel_name, axis, window->kernel[i]);
    }
    return ACLNN_SUCCESS;
}

aclnnStatus op_window_read(struct op_window *window, const char *op, int axes,
                           const aclIntArray *kernel_size, const aclIntArray *stride,
                           const aclIntArray *padding, bool ceil_mode)
{
    OP_TRY(check_array(op, "kernelSize", kernel_size, axes, 1, false));
    OP_TRY(check_array(op, "stride", stride, axes, 1, true));
    OP_TRY(check_array(op, "padding", padding, axes, 0, false));
    *window = op_window_of(axes, kernel_size, stride, padding, ceil_mode);
    return op_check_window_padding(op, window, "padding", "kernelSize");
}

struct op_plane op_plane_of(const aclTensor *tensor, int axes, bool channels_last)
{
    const struct ex_descriptor *d = &tensor->descriptor;
    const int leading = d->rank - axes, first = channels_last ? leading - 1 : leading;
    struct op_plane plane = {.batch = leading == 2 ? d->sizes[0] : 1};
    plane.channels = d->sizes[channels_last ? d->rank - 1 : leading - 1];
    for (int i = 0; i < K_POOL_AXES; i++) {
        const int axis = i - (K_POOL_AXES - axes);
        plane.size[i] = axis < 0 ? 1 : d->sizes[first + axis];
    }
    return plane;
}

static aclnnStatus check_ext_arrays(const char *op, const struct op_ext_window *from, int axes)
{
    OP_TRY(check_array(op, "kernelSize", from->kernel_size, axes, 1, false));
    OP_TRY(check_array(op, "strides", from->strides, axes, 1, true));
    OP_TRY(check_array(op, "dilations", from->dilations, axes, 1, true));
    OP_CHECK(op,
             from->auto_pad >= ACLNNEXT_AUTO_PAD_NONE && from->auto_pad <= ACLNNEXT_AUTO_PAD_VALID,
             ACLNN_ERR_PARAM_INVALID, "autoPad is %" PRId64 "; it must be 0 to 3", from->auto_pad);
    if (from->auto_pad != ACLNNEXT_AUTO_PAD_NONE) return ACLNN_SUCCESS;
    OP_TRY(check_array(op, "padsBegin", from->pads_begin, axes, 0, true));
    return check_array(op, "padsEnd", from->pads_end, axes, 0, true);
}

/* total = max((ceil(size / stride) - 1) * stride + extent - size, 0), the odd cell at the end
 * (upper) or at the beginning. */
static void pad_automatically(struct op_window *window, int i, int64_t size, int64_t extent,
                              int64_t auto_pad)
{
    window->pad_begin[i] = window->pad_end[i] = 0;
    if (auto_pad == ACLNNEXT_AUTO_PAD_VALID || size == 0) return;
    const int64_t rest = (size - 1) % window->stride[i] + 1; /* cells from the last window on */
    const int64_t total = extent > rest ? extent - rest : 0;
    const bool upper = auto_pad == ACLNNEXT_AUTO_PAD_SAME_UPPER;
    window->pad_begin[i] = upper ? total / 2 : total - total / 2;
    window->pad_end[i] = total - window->pad_begin[i];
}

aclnnStatus op_ext_window_read(struct op_window *window, const char *op,
                               const struct op_ext_window *from, const struct op_plane *plane)
{
    OP_TRY(check_ext_arrays(op, from, window->axes));
    for (int i = 0; i < K_POOL_AXES; i++) {
        const int axis = i - (K_POOL_AXES - window->axes);
        int64_t extent;
        window->kernel[i] = window->stride[i] = window->dilation[i] = 1;
        if (axis < 0) continue;
        window->kernel[i] = entry(from->kernel_size, axis, 1);
        window->stride[i] = entry(from->strides, axis, window->kernel[i]);
        window->dilation[i] = entry(from->dilations, axis, 1);
        OP_CHECK(op,
                 rt_mul_ok(window->kernel[i] - 1, window->dilation[i], &extent) &&
                     rt_add_ok(extent, 1, &extent),
                 ACLNN_ERR_PARAM_INVALID,
                 "kernelSize and dilations along axis %d do not fit 64 bits", axis);
        if (from->auto_pad != ACLNNEXT_AUTO_PAD_NONE) {
            pad_automatically(window, i, plane->size[i], extent, from->auto_pad);
        } else {
            window->pad_begin[i] = entry(from->pads_begin, axis, 0);
            window->pad_end[i] = entry(from->pads_end, axis, 0);
        }
    }
    return ACLNN_SUCCESS;
}

bool op_window_count(const struct op_window *window, int axis, int64_t input, int64_t *count)
{
    const int64_t stride = window->stride[axis];
    int64_t before, padded, span;
    if (!rt_mul_ok(window->kernel[axis] - 1, window->dilation[axis], &span)) return false;
    if (!rt_add_ok(input, window->pad_begin[axis], &before)) return false;
    if (!rt_add_ok(before, window->pad_end[axis], &padded)) return false;
    const int64_t room = padded - 1 - span; /* the last position at which a whole window begins */
    *count = room < 0 ? 0 : room / stride + 1;
    if (!window->ceil_mode) return true;
    const bool is_cut_off = room < 0 ? room > -stride : room % stride != 0;
    const int64_t inside = before / stride + (before % stride != 0); /* as many begin before it */
    *count += is_cut_off;
    if (*count > inside) *count -= 1;
    return true;
}
