/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of indices beside vectors of floats: what max pooling compares and selects. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_SELECT_H
#define ACLNN_CPU_KERNELS_VECTOR_SELECT_H

#include "kernels/vector/simd.h"

K_TEMPLATE
vi v_all_i(int32_t value)
{
    return value - (vi){0};
}

K_TEMPLATE
vi v_load_i(const int32_t *at)
{
    vi value;
    memcpy(&value, at, sizeof value);
    return value;
}

K_TEMPLATE
void v_store_i(int32_t *at, vi value)
{
    memcpy(at, &value, sizeof value);
}

typedef uint8_t v_bytes __attribute__((vector_size(VL)));

/* Lanes from bytes; compilers convert these vectors lane by lane. */
K_TEMPLATE
vi v_load_bytes(const char *at)
{
    v_bytes bytes;
    memcpy(&bytes, at, sizeof bytes);
#if defined(K_ISA_avx512)
    return (vi)_mm512_cvtepu8_epi32((__m128i)bytes);
#elif defined(K_ISA_avx2)
    return (vi)_mm256_cvtepu8_epi32(_mm_set_epi64x(0, (int64_t)bytes));
#elif defined(__SSE2__)
    int32_t bits;
    memcpy(&bits, &bytes, sizeof bits);
    const __m128i zero = _mm_setzero_si128();
    const __m128i words = _mm_unpacklo_epi8(_mm_cvtsi32_si128(bits), zero);
    return (vi)_mm_unpacklo_epi16(words, zero);
#else
    return __builtin_convertvector(bytes, vi);
#endif
}

/* Lanes, 0 to 255, as bytes. */
K_TEMPLATE
void v_store_bytes(char *at, vi value)
{
#if defined(K_ISA_avx512)
    _mm_storeu_si128((__m128i *)(void *)at, _mm512_cvtepi32_epi8((__m512i)value));
#elif defined(K_ISA_avx2)
    const __m256i all = (__m256i)value;
    const __m128i words =
        _mm_packus_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    _mm_storel_epi64((__m128i *)(void *)at, _mm_packus_epi16(words, words));
#elif defined(__SSE2__)
    const __m128i words = _mm_packs_epi32((__m128i)value, (__m128i)value);
    const int32_t bits = _mm_cvtsi128_si32(_mm_packus_epi16(words, words));
    memcpy(at, &bits, sizeof bits);
#else
    const v_bytes bytes = __builtin_convertvector(value, v_bytes);
    memcpy(at, &bytes, sizeof bytes);
#endif
}

/* Is any lane not 0? */
K_TEMPLATE
bool v_any(vi value)
{
#if defined(K_ISA_avx512)
    return _mm512_test_epi32_mask((__m512i)value, (__m512i)value) != 0;
#elif defined(K_ISA_avx2)
    return !_mm256_testz_si256((__m256i)value, (__m256i)value);
#else
    int32_t all = 0;
    for (int i = 0; i < VL; i++)
        all |= value[i];
    return all != 0;
#endif
}

/* sum + term in the lanes where a is b; sum, which is not -0, in the others. */
K_TEMPLATE
vf v_add_where_same(vf sum, vi a, vi b, vf term)
{
#if defined(K_ISA_avx512)
    const __mmask16 same = _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
    return (vf)_mm512_mask_add_ps((__m512)sum, same, (__m512)sum, (__m512)term);
#else
    return sum + (vf)((a == b) & (vi)term);
#endif
}

/* The same value, in a register: where it is used several times, a compiler would rather load it
 * each time, which costs more if loads cross lines. */
K_TEMPLATE
vf v_held(vf value)
{
#if defined(K_ISA_avx512)
    __asm__("" : "+v"(value));
#elif defined(K_ISA_avx2)
    __asm__("" : "+x"(value));
#endif
    return value;
}

/* The least of unsigned lanes. */
K_TEMPLATE
vu v_least_u(vu a, vu b)
{
#if defined(K_ISA_avx512)
    return (vu)_mm512_min_epu32((__m512i)a, (__m512i)b);
#elif defined(K_ISA_avx2)
    return (vu)_mm256_min_epu32((__m256i)a, (__m256i)b);
#else
    const vu less = (vu)(a < b);
    return (less & a) | (~less & b);
#endif
}

/* The greatest of unsigned lanes. */
K_TEMPLATE
vu v_most_u(vu a, vu b)
{
#if defined(K_ISA_avx512)
    return (vu)_mm512_max_epu32((__m512i)a, (__m512i)b);
#elif defined(K_ISA_avx2)
    return (vu)_mm256_max_epu32((__m256i)a, (__m256i)b);
#else
    const vu less = (vu)(a < b);
    return (less & b) | (~less & a);
#endif
}

/* value and tap take the place of *best and *code in the lanes where value is larger or a NaN. */
K_TEMPLATE
void v_take_larger(vf *best, vi *code, vf value, vi tap)
{
#if defined(K_ISA_avx512)
    const __m512 v = (__m512)value, b = (__m512)*best;
    const __mmask16 number = _mm512_cmp_ps_mask(v, v, _CMP_ORD_Q);
    const __mmask16 keep = _mm512_mask_cmp_ps_mask(number, v, b, _CMP_NGT_UQ);
    *best = (vf)_mm512_mask_mov_ps(v, keep, b);
    *code = (vi)_mm512_mask_mov_epi32((__m512i)tap, keep, (__m512i)*code);
#elif defined(K_ISA_avx2)
    const __m256 v = (__m256)value, b = (__m256)*best;
    const __m256 take =
        _mm256_or_ps(_mm256_cmp_ps(v, b, _CMP_GT_OQ), _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
    *best = (vf)_mm256_blendv_ps(b, v, take);
    *code = (vi)_mm256_blendv_ps((__m256)*code, (__m256)tap, take);
#else
    const vi take = (value > *best) | (value != value);
    *best = (vf)((take & (vi)value) | (~take & (vi)*best));
    *code = (take & tap) | (~take & *code);
#endif
}

/* value and tap take the place of *best and *code in the lanes where value is larger; no NaN. */
K_TEMPLATE
void v_take_greater(vf *best, vi *code, vf value, vi tap)
{
#if defined(K_ISA_avx512)
    const __m512 v = (__m512)value, b = (__m512)*best;
    const __mmask16 take = _mm512_cmp_ps_mask(v, b, _CMP_GT_OQ);
    *best = (vf)_mm512_max_ps(v, b);
    *code = (vi)_mm512_mask_mov_epi32((__m512i)*code, take, (__m512i)tap);
#elif defined(K_ISA_avx2)
    const __m256 v = (__m256)value, b = (__m256)*best;
    const __m256 take = _mm256_cmp_ps(v, b, _CMP_GT_OQ);
    *best = (vf)_mm256_max_ps(v, b);
    *code = (vi)_mm256_blendv_ps((__m256)*code, (__m256)tap, take);
#else
    const vi take = value > *best;
    *best = (vf)((take & (vi)value) | (~take & (vi)*best));
    *code = (take & tap) | (~take & *code);
#endif
}

/* The larger one, best if neither is; no NaN. */
K_TEMPLATE
vf v_greater(vf best, vf value)
{
#if defined(K_ISA_avx512)
    return (vf)_mm512_max_ps((__m512)value, (__m512)best);
#elif defined(K_ISA_avx2)
    return (vf)_mm256_max_ps((__m256)value, (__m256)best);
#else
    const vi take = value > best;
    return (vf)((take & (vi)value) | (~take & (vi)best));
#endif
}

/* The larger one, or a NaN if one is. */
K_TEMPLATE
vf v_larger(vf best, vf value)
{
#if defined(K_ISA_avx512)
    /* max gives its second operand where one is a NaN. */
    const __m512 larger = _mm512_max_ps((__m512)value, (__m512)best);
    const __mmask16 nan = _mm512_cmp_ps_mask((__m512)value, (__m512)value, _CMP_UNORD_Q);
    return (vf)_mm512_mask_mov_ps(larger, nan, (__m512)value);
#elif defined(K_ISA_avx2)
    const __m256 larger = _mm256_max_ps((__m256)value, (__m256)best);
    const __m256 nan = _mm256_cmp_ps((__m256)value, (__m256)value, _CMP_UNORD_Q);
    return (vf)_mm256_blendv_ps(larger, (__m256)value, nan);
#else
    const vi take = (value > best) | (value != value);
    return (vf)((take & (vi)value) | (~take & (vi)best));
#endif
}

/* The even (0) or odd (1) elements of a followed by b. */
K_TEMPLATE
vf v_unzip(int half, vf a, vf b)
{
#if K_VECTOR_BYTES == 64
    return half == 0 ? __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24,
                                               26, 28, 30)
                     : __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25,
                                               27, 29, 31);
#elif K_VECTOR_BYTES == 32
    return half == 0 ? __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
                     : __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
#else
    return half == 0 ? __builtin_shufflevector(a, b, 0, 2, 4, 6)
                     : __builtin_shufflevector(a, b, 1, 3, 5, 7);
#endif
}

/* `sum` with the lanes from[i] of value in those lanes where place[i] is `which`. */
K_TEMPLATE
vf v_place(vf sum, vf value, vi from, vi place, int which)
{
#if defined(K_ISA_avx512)
    const __mmask16 here = _mm512_cmpeq_epi32_mask((__m512i)place, _mm512_set1_epi32(which));
    return (vf)_mm512_mask_permutexvar_ps((__m512)sum, here, (__m512i)from, (__m512)value);
#else
    const vi here = place == which;
    return (vf)((here & (vi)v_pick_one(value, from)) | (~here & (vi)sum));
#endif
}

/* The first count (1 <= count <= VL) of 32-bit or 64-bit (wide) indices, narrowed; *high collects
 * the upper halves. Other lanes are anything; bytes from at to end may be read. */
K_TEMPLATE
vi k_load_indices(bool wide, const char *at, int count, const char *end, vi *high)
{
    if (!wide) {
        if (count >= VL || end - at >= K_VECTOR_BYTES)
            return v_load_i((const int32_t *)(const void *)at);
        return (vi)k_load_first(K_F32, at, count);
    }
    vf low[2] = {{0}, {0}};
    if (count >= VL || end - at >= 2 * K_VECTOR_BYTES)
        memcpy(low, at, sizeof low);
    else
        memcpy(low, at, (size_t)count * 8);
    const vi upper = (vi)v_unzip(1, low[0], low[1]);
    *high |= count >= VL ? upper : upper & (vi)(v_lanes() < count);
    return (vi)v_unzip(0, low[0], low[1]);
}

/* Indices of VL lanes; i64: twice the bytes. */
K_TEMPLATE
void put_place(bool wide, char *to, vi place, bool stream)
{
    if (!wide) {
        k_write(to, (vf)place, stream);
        return;
    }
    const vf zero = {0}; /* a place is never negative: its upper half */
    k_write(to, v_zip(0, (vf)place, zero), stream);
    k_write(to + K_VECTOR_BYTES, v_zip(1, (vf)place, zero), stream);
}

/* k_store of values that are elements, widened: nothing is rounded. */
K_TEMPLATE
void k_store_same(enum k_dtype dt, char *at, vf value)
{
    if (dt != K_BF16) {
        k_store(dt, at, value);
        return;
    }
#if defined(K_ISA_avx512)
    const vh half = (vh)_mm512_cvtepi32_epi16((__m512i)((vu)value >> 16));
#elif defined(K_ISA_avx2)
    const __m256i upper = (__m256i)((vu)value >> 16);
    const __m256i words = _mm256_permute4x64_epi64(_mm256_packus_epi32(upper, upper), 0x08);
    const vh half = (vh)_mm256_castsi256_si128(words);
#else
    const vh half = __builtin_convertvector((vu)value >> 16, vh);
#endif
    memcpy(at, &half, sizeof half);
}

#endif
