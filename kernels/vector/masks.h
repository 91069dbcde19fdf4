/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of one bit per element, which repeat, and sums that leave out elements by them. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_MASKS_H
#define ACLNN_CPU_KERNELS_VECTOR_MASKS_H

#include "kernels/vector/simd.h"

enum { MASKS_PERIOD = 512 };

struct k_masks {
#if defined(K_ISA_avx512)
    uint16_t bits[MASKS_PERIOD]; /* of the vector from each element on */
#else
    uint32_t lanes[MASKS_PERIOD + VL];
#endif
};

/* flags: 0 or 1 for each of `period` elements, which repeat. */
static inline void masks_make(struct k_masks *masks, const uint8_t flags[], int period)
{
#if defined(K_ISA_avx512)
    uint32_t bits = 0;
    for (int i = -VL, next = 0; i < period; i++) {
        if (i >= 0) masks->bits[i] = (uint16_t)bits;
        bits = bits >> 1 | (uint32_t)flags[next] << (VL - 1);
        if (++next == period) next = 0;
    }
#else
    for (int i = 0, next = 0; i < period + VL; i++) {
        masks->lanes[i] = flags[next] ? 0xffffffff : 0;
        if (++next == period) next = 0;
    }
#endif
}

/* sum, which holds no -0, plus those elements of x whose bit is set; the first element of x is
 * element i < period of the masks. */
K_TEMPLATE
vf v_add_kept(vf sum, vf x, const struct k_masks *masks, int i)
{
#if defined(K_ISA_avx512)
    return (vf)_mm512_mask_add_ps((__m512)sum, masks->bits[i], (__m512)sum, (__m512)x);
#else
    vu kept;
    memcpy(&kept, masks->lanes + i, sizeof kept);
    return sum + (vf)((vu)x & kept);
#endif
}

#endif
