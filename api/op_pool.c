/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_pool.h"

#include "runtime/support/config.h"

#include <math.h>

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

static double bytes_of(const aclTensor *tensor)
{
    const struct ex_descriptor *d = &tensor->descriptor;
    int64_t count;
    if (!ex_element_count(d->sizes, d->rank, &count)) return INFINITY;
    return (double)count * (double)ex_element_size(d->data_type);
}

bool op_exceeds_caches(const aclTensor *tensor)
{
    return bytes_of(tensor) >= (double)k_cache_last_level();
}

bool op_exceed_caches_together(const aclTensor *read, const aclTensor *written)
{
    return bytes_of(read) + bytes_of(written) >= (double)k_cache_last_level();
}
