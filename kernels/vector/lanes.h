/* SPDX-License-Identifier: Apache-2.0 */
/* Multiply-add, fused where the level has it, and loads and stores of some lanes of a vector, which
 * packing needs. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_LANES_H
#define ACLNN_CPU_KERNELS_VECTOR_LANES_H

#include "kernels/vector/simd.h"

/* a * b + c */
K_TEMPLATE
vf v_fma(vf a, vf b, vf c)
{
#if defined(K_ISA_avx512)
    return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(K_ISA_avx2)
    return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__ARM_NEON) && defined(__aarch64__)
    return (vf)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    return a * b + c;
#endif
}

/* ---- some lanes ---- */

/* An address that may lie outside of its object, of which only some lanes are touched. */
K_TEMPLATE
const char *v_address(const char *base, int64_t bytes)
{
    return (const char *)((uintptr_t)base + (uintptr_t)bytes);
}

/* Lanes first to first + count - 1 from value, the others from other. */
K_TEMPLATE
vf v_between(int first, int count, vf value, vf other)
{
    const vi lanes = v_lanes();
    const vi inside = (lanes >= first) & (lanes < first + count);
    return (vf)((inside & (vi)value) | (~inside & (vi)other));
}

#if defined(K_ISA_avx512)
/* Those lanes of the elements at `at`, zeros elsewhere; only their memory is touched. */
K_TEMPLATE
vf k_load_lanes(enum k_dtype dt, const char *at, __mmask16 lanes)
{
    if (dt == K_F32) return (vf)_mm512_maskz_loadu_ps(lanes, (const void *)at);
    return v_from_half(dt, (vh)_mm256_maskz_loadu_epi16(lanes, (const void *)at));
}
#endif

/* Lanes first to first + count - 1 of the elements at + lane * step (in elements); other lanes keep
 * what is in `other`, and their memory is not touched. */
K_TEMPLATE
vf k_load_between(enum k_dtype dt, const char *at, int64_t step, int first, int count, vf other)
{
    const int64_t size = k_size(dt);
    if (step == 1 && count == VL) return k_load(dt, at);
#if defined(K_ISA_avx512)
    const __mmask16 mask = (__mmask16)(((1U << count) - 1) << first);
    if (step == 1 && dt == K_F32)
        return (vf)_mm512_mask_loadu_ps((__m512)other, mask, (const void *)at);
    if (step == 1) {
        const vf value = v_from_half(dt, (vh)_mm256_maskz_loadu_epi16(mask, (const void *)at));
        return (vf)_mm512_mask_mov_ps((__m512)other, mask, (__m512)value);
    }
    if (dt == K_F32 && step < 1 << 20) {
        const vi lanes = v_lanes() * (int32_t)step;
        return (vf)_mm512_mask_i32gather_ps((__m512)other, mask, (__m512i)lanes, (const void *)at,
                                            4);
    }
#endif
    union {
        vf single;
        vh half;
        char bytes[sizeof(vf)];
    } raw = {.single = {0}};
    for (int lane = first; lane < first + count; lane++)
        memcpy(raw.bytes + lane * size, v_address(at, lane * step * size), (size_t)size);
    return v_between(first, count, dt == K_F32 ? raw.single : v_from_half(dt, raw.half), other);
}

/* Stores lanes first to first + count - 1 at at + lane * step, rounded. */
K_TEMPLATE
void k_store_between(enum k_dtype dt, char *at, int64_t step, int first, int count, vf value)
{
    const int64_t size = k_size(dt);
    if (step == 1 && count == VL) {
        k_store(dt, at, value);
        return;
    }
#if defined(K_ISA_avx512)
    const __mmask16 mask = (__mmask16)(((1U << count) - 1) << first);
    if (step == 1) {
        if (dt == K_F32)
            _mm512_mask_storeu_ps((void *)at, mask, (__m512)value);
        else
            _mm256_mask_storeu_epi16((void *)at, mask, (__m256i)v_to_half(dt, value));
        return;
    }
#endif
    char raw[sizeof value];
    k_store(dt, raw, value);
    for (int lane = first; lane < first + count; lane++)
        memcpy((char *)(uintptr_t)v_address(at, lane * step * size), raw + lane * size,
               (size_t)size);
}

K_TEMPLATE
vf v_round_operand(enum k_rounding rounding, vf value)
{
    if (rounding == K_ROUND_F16) return v_from_f16(v_to_f16(value));
    if (rounding != K_ROUND_HF32) return value;
    /* Ties away: half of the last kept place, then the rest is cut. */
    const vu bits = (vu)value, special = (vu)((bits & 0x7f800000) == 0x7f800000);
    return (vf)((special & bits) | (~special & ((bits + 0x800) & 0xfffff000)));
}

#endif
