/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of int32_t picked from anywhere in memory. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_GATHER_H
#define ACLNN_CPU_KERNELS_VECTOR_GATHER_H

#include "kernels/vector/simd.h"

/* Lane i of the result is base[at[i]]. */
K_TEMPLATE
vi v_gather_i(const int32_t *base, vi at)
{
#if defined(K_ISA_avx512)
    return (vi)_mm512_i32gather_epi32((__m512i)at, base, 4);
#elif defined(K_ISA_avx2)
    return (vi)_mm256_i32gather_epi32(base, (__m256i)at, 4);
#else
    vi picked = {0};
    for (int i = 0; i < VL; i++)
        picked[i] = base[at[i]];
    return picked;
#endif
}

#endif
