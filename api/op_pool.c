/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_pool.h"

#include "runtime/base.h"
#include "runtime/config.h"

static int64_t entry(const aclIntArray *array, int axis)
{
    return array->values[array->size == 1 ? 0 : axis];
}

static aclnnStatus check_lengths(const char *op, int axes, const aclIntArray *kernel_size,
                                 const aclIntArray *stride, const aclIntArray *padding)
{
    uint64_t all = (uint64_t)axes;
    OP_CHECK(op, kernel_size->size == 1 || kernel_size->size == all, ACLNN_ERR_PARAM_INVALID,
             "kernelSize has %" PRIu64 " entries; it must have 1 or %d", kernel_size->size, axes);
    for (uint64_t i = 0; i < kernel_size->size; i++)
        OP_CHECK(op, kernel_size->values[i] > 0, ACLNN_ERR_PARAM_INVALID,
                 "kernelSize[%" PRIu64 "] is %" PRId64 "; it must be greater than 0", i,
                 kernel_size->values[i]);

    uint64_t strides = stride ? stride->size : 0;
    OP_CHECK(op, strides <= 1 || strides == all, ACLNN_ERR_PARAM_INVALID,
             "stride has %" PRIu64 " entries; it must have 0, 1 or %d", strides, axes);
    for (uint64_t i = 0; i < strides; i++)
        OP_CHECK(op, stride->values[i] > 0, ACLNN_ERR_PARAM_INVALID,
                 "stride[%" PRIu64 "] is %" PRId64 "; it must be greater than 0", i,
                 stride->values[i]);

    OP_CHECK(op, padding->size == 1 || padding->size == all, ACLNN_ERR_PARAM_INVALID,
             "padding has %" PRIu64 " entries; it must have 1 or %d", padding->size, axes);
    for (uint64_t i = 0; i < padding->size; i++)
        OP_CHECK(op, padding->values[i] >= 0, ACLNN_ERR_PARAM_INVALID,
                 "padding[%" PRIu64 "] is %" PRId64 "; it must not be negative", i,
                 padding->values[i]);
    return ACLNN_SUCCESS;
}

aclnnStatus op_window_read(struct op_window *window, const char *op, int axes,
                           const aclIntArray *kernel_size, const aclIntArray *stride,
                           const aclIntArray *padding, bool ceil_mode)
{
    OP_TRY(check_lengths(op, axes, kernel_size, stride, padding));
    *window = (struct op_window){.axes = axes, .ceil_mode = ceil_mode};
    for (int i = 0; i < K_POOL_AXES; i++) {
        int axis = i - (K_POOL_AXES - axes);
        bool is_used = axis >= 0;
        window->kernel[i] = is_used ? entry(kernel_size, axis) : 1;
        window->stride[i] = window->dilation[i] = 1;
        if (is_used)
            window->stride[i] = stride && stride->size ? entry(stride, axis) : window->kernel[i];
        int64_t pad = is_used ? entry(padding, axis) : 0;
        OP_CHECK(op, pad <= window->kernel[i] / 2, ACLNN_ERR_PARAM_INVALID,
                 "padding[%d] is %" PRId64 "; it must be at most half of kernelSize[%d], which is "
                 "%" PRId64,
                 axis, pad, axis, window->kernel[i]);
        window->pad_begin[i] = window->pad_end[i] = pad;
    }
    return ACLNN_SUCCESS;
}

bool op_window_count(const struct op_window *window, int axis, int64_t input, int64_t *count)
{
    int64_t stride = window->stride[axis], before, padded, span;
    if (!rt_mul_ok(window->kernel[axis] - 1, window->dilation[axis], &span)) return false;
    if (!rt_add_ok(input, window->pad_begin[axis], &before)) return false;
    if (!rt_add_ok(before, window->pad_end[axis], &padded)) return false;
    int64_t room = padded - 1 - span; /* the last position at which a whole window begins */
    *count = room < 0 ? 0 : room / stride + 1;
    bool is_partial = room < 0 ? room > -stride : room % stride != 0;
    /* A partial window counts if it begins inside the input or the padding before it. */
    if (window->ceil_mode && is_partial &&
        (*count == 0 ? before > 0 : stride < before - (*count - 1) * stride))
        *count += 1;
    /* So must the last whole one, which end padding can push out. */
    if (window->ceil_mode && !is_partial && *count > 0 && (*count - 1) * stride >= before)
        *count -= 1;
    /* So does a whole one: one that lies in the padding behind does not. */
    if (window->ceil_mode && *count > 0 && (*count - 1) * stride >= before) *count -= 1;
    return true;
}

aclnnStatus op_window_check_output(const struct op_window *window, const char *op,
                                   const char *output_name, const aclTensor *output,
                                   const char *input_name, const aclTensor *input)
{
    const struct ex_descriptor *o = &output->descriptor, *i = &input->descriptor;
    struct op_shape_text output_text, input_text;
    int leading = i->rank - window->axes;
    for (int d = 0; d < i->rank; d++) {
        int64_t expected = i->sizes[d];
        if (d >= leading) {
            int axis = K_POOL_AXES - window->axes + d - leading;
            OP_CHECK(op, op_window_count(window, axis, i->sizes[d], &expected),
                     ACLNN_ERR_PARAM_INVALID,
                     "kernelSize, stride and padding along dimension %d of %s do not fit 64 bits",
                     d, input_name);
        }
        OP_CHECK(op, o->sizes[d] == expected, ACLNN_ERR_PARAM_INVALID,
                 "%s has shape %s; for %s of shape %s its dimension %d must be %" PRId64,
                 output_name, op_shape(&output_text, output), input_name,
                 op_shape(&input_text, input), d, expected);
    }
    return ACLNN_SUCCESS;
}

struct k_pool op_window_pool(const struct op_window *window, const aclTensor *output,
                             const aclTensor *input, enum k_layout layout)
{
    const struct ex_descriptor *o = &output->descriptor, *i = &input->descriptor;
    int leading = i->rank - window->axes;
    int64_t batch = leading == 2 ? i->sizes[0] : 1, channels = i->sizes[leading - 1];
    struct k_pool pool = {.layout = layout};
    pool.outer = layout == K_CHANNELS_LAST ? batch : batch * channels;
    pool.channels = layout == K_CHANNELS_LAST ? channels : 1;
    for (int axis = 0; axis < K_POOL_AXES; axis++) {
        int d = axis - (K_POOL_AXES - window->axes) + leading;
        bool is_used = d >= leading;
        pool.input[axis] = is_used ? i->sizes[d] : 1;
        pool.output[axis] = is_used ? o->sizes[d] : 1;
        pool.kernel[axis] = window->kernel[axis];
        pool.stride[axis] = window->stride[axis];
        pool.pad_begin[axis] = window->pad_begin[axis];
        pool.pad_end[axis] = window->pad_end[axis];
    }
    return pool;
}

struct ex_order op_pool_order(const aclTensor *tensor, int axes, enum k_layout layout)
{
    int rank = tensor->descriptor.rank;
    if (layout == K_CHANNELS_FIRST) return ex_order_identity(rank);
    return ex_order_channels_last(rank, rank == axes + 1);
}

enum k_layout op_pool_layout(const aclTensor *large, const aclTensor *small, int axes)
{
    struct ex_order last = op_pool_order(large, axes, K_CHANNELS_LAST);
    struct ex_order first = op_pool_order(large, axes, K_CHANNELS_FIRST);
    /* 2 points for the larger tensor, 1 for the smaller; a tie goes to channels first. */
    int first_points =
        2 * ex_is_dense(&large->descriptor, &first) + ex_is_dense(&small->descriptor, &first);
    int last_points =
        2 * ex_is_dense(&large->descriptor, &last) + ex_is_dense(&small->descriptor, &last);
    return last_points > first_points ? K_CHANNELS_LAST : K_CHANNELS_FIRST;
}

enum k_rounding op_math_rounding(int8_t cube_math_type, enum k_dtype dtype)
{
    enum { ALLOW_FP32_DOWN_PRECISION = 1, USE_FP16 = 2, USE_HF32 = 3 };
    if (rt_config()->exact_math) return K_ROUND_NONE;
    if (cube_math_type == USE_FP16 && dtype != K_F16) return K_ROUND_F16;
    if ((cube_math_type == ALLOW_FP32_DOWN_PRECISION || cube_math_type == USE_HF32) &&
        dtype == K_F32)
        return K_ROUND_HF32;
    return K_ROUND_NONE;
}

bool op_exceeds_caches(const aclTensor *tensor)
{
    const struct ex_descriptor *d = &tensor->descriptor;
    int64_t count;
    if (!ex_element_count(d->sizes, d->rank, &count)) return true;
    return (size_t)count * ex_element_size(d->data_type) >= k_cache_last_level();
}
