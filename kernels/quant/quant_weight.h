/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of a weight, scales and offsets as floats. */
#ifndef ACLNN_CPU_KERNELS_QUANT_QUANT_WEIGHT_H
#define ACLNN_CPU_KERNELS_QUANT_QUANT_WEIGHT_H

#include "kernels/gemm/gemm_item.h"
#include "kernels/quant/k_quant.h"
#include "kernels/vector/integers.h"

/* VL integers. Of INT4 these are the even ones (half 0) or the odd ones (half 1) of 2 VL. */
K_TEMPLATE
vf quant_load(bool is_four, int half, const char *at)
{
    vi words = v_from_bytes(!is_four, at);
    if (is_four) words = half == 0 ? words << 28 >> 28 : words << 24 >> 28;
    return __builtin_convertvector(words, vf);
}

/* Element `index` of the weight. */
static inline float quant_element(bool is_four, const char *weight, int64_t index)
{
    if (!is_four) return (float)(signed char)weight[index];
    const unsigned byte = (unsigned char)weight[index / 2];
    const int four = (int)(index % 2 != 0 ? byte >> 4 : byte & 15);
    return (float)(four >= 8 ? four - 16 : four);
}

/* `count` factors `step` elements from each other, and zeros up to a whole vector. */
static inline void quant_factors(const struct k_quant_factor *factor, const void *buffer,
                                 int64_t group, int64_t column, int64_t step, int64_t count,
                                 float *to)
{
    const int64_t at = group * factor->group + column * factor->column;
    widen(factor->dtype, v_address(buffer, k_size(factor->dtype) * at), step, count, to);
}

#endif
