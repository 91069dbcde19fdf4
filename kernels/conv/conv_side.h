/* SPDX-License-Identifier: Apache-2.0 */
/* The side that a convolution reads and the one that it writes; single factors and biases. */
#ifndef ACLNN_CPU_KERNELS_CONV_CONV_SIDE_H
#define ACLNN_CPU_KERNELS_CONV_CONV_SIDE_H

#include "kernels/conv/window_pack.h"

static inline const struct k_conv_tensor *tensor_from(const struct k_conv *conv)
{
    return conv->to_large ? &conv->small : &conv->large;
}

static inline const struct k_conv_tensor *tensor_to(const struct k_conv *conv)
{
    return conv->to_large ? &conv->large : &conv->small;
}

/* An element of the weight, rounded as operands are. */
static inline float load_weight(const struct k_conv *conv, const char *at)
{
    const enum k_dtype dt = conv->weight.dtype;
    float single;
    vf value;
    if (dt == K_F32) {
        memcpy(&single, at, sizeof single);
        if (conv->rounding == K_ROUND_NONE) return single;
        value = v_all(single);
    } else {
        value = dt == K_F16 ? k_load_first(K_F16, at, 1) : k_load_first(K_BF16, at, 1);
    }
    return v_round_operand(conv->rounding, value)[0];
}

static float load_bias(const struct k_conv *conv, const char *bias, int64_t channel)
{
    const char *at = bias + channel * conv->bias_stride * pack_size(conv->bias_dtype);
    if (conv->bias_dtype == K_F32) return k_load_first(K_F32, at, 1)[0];
    if (conv->bias_dtype == K_F16) return k_load_first(K_F16, at, 1)[0];
    return k_load_first(K_BF16, at, 1)[0];
}

#endif
