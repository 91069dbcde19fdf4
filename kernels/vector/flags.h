/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes and bits that say of each element whether something holds, as lanes. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_FLAGS_H
#define ACLNN_CPU_KERNELS_VECTOR_FLAGS_H

#include "kernels/vector/lanes.h"

typedef uint8_t v_bytes __attribute__((vector_size(VL)));

/* Words that are not 0 where a byte, or a bit, of a row is not; elements from `first` on. */
K_TEMPLATE
vf flags_of(bool is_bits, const char *row, int64_t step, int64_t first, int64_t count)
{
    if (is_bits) {
        const int64_t last = (first + count - 1) / 8;
        uint32_t word = 0;
        for (int64_t at = first / 8; at <= last; at++)
            word |= (uint32_t)(uint8_t)row[at] << 8 * (at - first / 8);
        return (vf)(((word >> first % 8) - (vu){0}) >> (vu)v_lanes() & 1);
    }
    v_bytes bytes = {0};
    if (step == 1 && count == VL)
        memcpy(&bytes, row + first, VL);
    else
        for (int64_t i = 0; i < count; i++)
            bytes[i] = (uint8_t)row[(first + i) * step];
    return (vf) __builtin_convertvector(bytes, vi);
}

static inline bool is_any_set(const char *row, int64_t step, int64_t count)
{
    uint64_t some = 0, word;
    int64_t i = 0;
    for (; step == 1 && i + 8 <= count; i += 8) {
        memcpy(&word, row + i, sizeof word);
        some |= word;
    }
    for (; i < count; i++)
        some |= (uint64_t)(uint8_t)row[i * step];
    return some != 0;
}

#endif
