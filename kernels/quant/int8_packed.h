/* SPDX-License-Identifier: Apache-2.0 */
/* A scale and an offset in one number of 64 bits (k_int8.h). */
#ifndef ACLNN_CPU_KERNELS_QUANT_INT8_PACKED_H
#define ACLNN_CPU_KERNELS_QUANT_INT8_PACKED_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The one of the two that is asked for. */
static inline float int8_unpack(uint64_t both, bool is_offset)
{
    const uint32_t bits = (uint32_t)both & 0xffffe000;
    const int nine = (int)(both >> 37 & 0x1ff);
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return is_offset ? (float)(nine < 256 ? nine : nine - 512) : scale;
}

#endif
