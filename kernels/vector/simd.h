/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of the level being compiled: VL floats, written with the compiler's vector types (a * b +
 * c), and what those do not give: loads and stores of half types, shifts across vectors,
 * permutations, streaming stores. The same operands give the same bits on every level; the payload
 * and sign of a NaN may differ. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_SIMD_H
#define ACLNN_CPU_KERNELS_VECTOR_SIMD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kernels/kernel.h"
#include "kernels/vector/instance.h"

#if defined(K_ISA_avx512) || defined(K_ISA_avx2)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#if defined(K_ISA_avx512)
#define K_VECTOR_BYTES 64
#elif defined(K_ISA_avx2)
#define K_VECTOR_BYTES 32
#else
#define K_VECTOR_BYTES 16
#endif

enum { VL = K_VECTOR_BYTES / 4, LINE_BYTES = 64 };

typedef float vf __attribute__((vector_size(K_VECTOR_BYTES)));
typedef uint32_t vu __attribute__((vector_size(K_VECTOR_BYTES)));
typedef int32_t vi __attribute__((vector_size(K_VECTOR_BYTES)));
typedef uint16_t vh __attribute__((vector_size(K_VECTOR_BYTES / 2))); /* VL half numbers */

K_TEMPLATE
vf v_all(float value)
{
    return value - (vf){0};
}

/* Holds a loaded value in a register: compilers else repeat the load in every instruction that uses
 * it, and loads become the limit. */
K_TEMPLATE
vf v_keep(vf value)
{
#if defined(__x86_64__)
    __asm__("" : "+v"(value));
#endif
    return value;
}

K_TEMPLATE
vi v_lanes(void)
{
#if K_VECTOR_BYTES == 64
    return (vi){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#elif K_VECTOR_BYTES == 32
    return (vi){0, 1, 2, 3, 4, 5, 6, 7};
#else
    return (vi){0, 1, 2, 3};
#endif
}

/* Lanes below count come from a, the others from b. */
K_TEMPLATE
vf v_first(int count, vf a, vf b)
{
    const vi below = v_lanes() < count;
    return (vf)((below & (vi)a) | (~below & (vi)b));
}

K_TEMPLATE
vf v_load(const float *at)
{
    vf value;
    memcpy(&value, at, sizeof value);
    return value;
}

K_TEMPLATE
void v_store(float *at, vf value)
{
    memcpy(at, &value, sizeof value);
}

/* ---- half types ---- */

/* Left to itself, GCC widens and narrows vectors of words by their halves. */
K_TEMPLATE
vf v_from_bf16(vh half)
{
#if defined(K_ISA_avx512)
    const vu wide = (vu)_mm512_cvtepu16_epi32((__m256i)half);
#elif defined(K_ISA_avx2)
    const vu wide = (vu)_mm256_cvtepu16_epi32((__m128i)half);
#else
    const vu wide = __builtin_convertvector(half, vu);
#endif
    return (vf)(wide << 16);
}

/* The upper half of each lane is the nearest bf16, ties to even; a NaN stays one. */
K_TEMPLATE
vu v_round_bf16(vf value)
{
    const vu bits = (vu)value, quiet = bits | 0x400000;
    const vu rounded = bits + 0x7fff + (bits >> 16 & 1);
#if defined(K_ISA_avx512)
    const __mmask16 nan = _mm512_cmp_ps_mask((__m512)value, (__m512)value, _CMP_UNORD_Q);
    return (vu)_mm512_mask_mov_epi32((__m512i)rounded, nan, (__m512i)quiet);
#elif defined(K_ISA_avx2)
    const __m256 nan = _mm256_cmp_ps((__m256)value, (__m256)value, _CMP_UNORD_Q);
    return (vu)_mm256_blendv_ps((__m256)rounded, (__m256)quiet, nan);
#else
    const vu nan = (vu)(value != value);
    return (nan & quiet) | (~nan & rounded);
#endif
}

K_TEMPLATE
vh v_to_bf16(vf value)
{
#if defined(K_ISA_avx512)
    const __m512i upper = _mm512_set_epi32(0, 0, 0, 0, 0, 0, 0, 0, 0x1f001d, 0x1b0019, 0x170015,
                                           0x130011, 0xf000d, 0xb0009, 0x70005, 0x30001);
    const __m512i words = _mm512_permutexvar_epi16(upper, (__m512i)v_round_bf16(value));
    return (vh)_mm512_castsi512_si256(words);
#elif defined(K_ISA_avx2)
    const __m256i rounded = (__m256i)(v_round_bf16(value) >> 16);
    const __m256i words = _mm256_permute4x64_epi64(_mm256_packus_epi32(rounded, rounded), 0x08);
    return (vh)_mm256_castsi256_si128(words);
#else
    return __builtin_convertvector(v_round_bf16(value) >> 16, vh);
#endif
}

K_TEMPLATE
vf v_from_f16(vh half)
{
#if defined(K_ISA_avx512)
    return (vf)_mm512_cvtph_ps((__m256i)half);
#elif defined(K_ISA_avx2)
    return (vf)_mm256_cvtph_ps((__m128i)half);
#elif defined(__ARM_NEON) && defined(__aarch64__)
    return (vf)vcvt_f32_f16((float16x4_t)half);
#else
    /* The product moves the exponent's bias and makes subnormal numbers normal, exactly. */
    const vu bits = __builtin_convertvector(half, vu), rest = bits & 0x7fff;
    const vu special = (vu)(rest >= 0x7c00);
    const vu finite = (vu)((vf)(rest << 13) * 0x1p112f);
    return (vf)((bits & 0x8000) << 16 | (special & (rest << 13 | 0x7f800000)) |
                (~special & finite));
#endif
}

/* Nearest even; overflow is infinity; a NaN stays one. */
K_TEMPLATE
vh v_to_f16(vf value)
{
#if defined(K_ISA_avx512)
    return (vh)_mm512_cvtps_ph((__m512)value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif defined(K_ISA_avx2)
    return (vh)_mm256_cvtps_ph((__m256)value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif defined(__ARM_NEON) && defined(__aarch64__)
    return (vh)vcvt_f16_f32((float32x4_t)value);
#else
    const vu bits = (vu)value, rest = bits & 0x7fffffff;
    const vu nan = (vu)(rest > 0x7f800000), large = (vu)(rest >= 0x477ff000);
    const vu small = (vu)(rest < 0x38800000);
    /* 0.5 has the last place of the smallest half: the sum rounds as the store must. */
    const vu tiny = (vu)((vf)rest + 0.5f) - 0x3f000000;
    const vu normal = (rest - 0x38000000 + 0xfff + (rest >> 13 & 1)) >> 13;
    vu half = (small & tiny) | (~small & normal);
    half = (large & 0x7c00) | (~large & half);
    half = (nan & (0x7e00 | (rest >> 13 & 0x3ff))) | (~nan & half);
    return __builtin_convertvector(half | (bits >> 16 & 0x8000), vh);
#endif
}

/* ---- elements of a tensor ---- */

K_TEMPLATE
int64_t k_size(enum k_dtype dt)
{
    return dt == K_F32 ? 4 : 2;
}

K_TEMPLATE
vf v_from_half(enum k_dtype dt, vh half)
{
    return dt == K_F16 ? v_from_f16(half) : v_from_bf16(half);
}

K_TEMPLATE
vh v_to_half(enum k_dtype dt, vf value)
{
    return dt == K_F16 ? v_to_f16(value) : v_to_bf16(value);
}

/* VL elements, widened. */
K_TEMPLATE
vf k_load(enum k_dtype dt, const char *at)
{
    vh half;
    if (dt == K_F32) return v_load((const float *)(const void *)at);
    memcpy(&half, at, sizeof half);
    return v_from_half(dt, half);
}

/* The first count (1 <= count < VL) elements, widened, and zeros; no byte behind them is read. */
K_TEMPLATE
vf k_load_first(enum k_dtype dt, const char *at, int count)
{
#if defined(K_ISA_avx512)
    const __mmask16 mask = (__mmask16)((1U << count) - 1);
    if (dt == K_F32) return (vf)_mm512_maskz_loadu_ps(mask, at);
    return v_from_half(dt, (vh)_mm256_maskz_loadu_epi16(mask, at));
#else
    union {
        vf single;
        vh half;
    } bits = {.single = {0}};
    memcpy(&bits, at, (size_t)(count * k_size(dt)));
    return dt == K_F32 ? bits.single : v_from_half(dt, bits.half);
#endif
}

/* As k_load_first; bytes from at to end may be read, and reading them is cheaper. */
K_TEMPLATE
vf k_load_first_before(enum k_dtype dt, const char *at, int count, const char *end)
{
#if !defined(K_ISA_avx512)
    if (end - at >= VL * k_size(dt)) return v_first(count, k_load(dt, at), (vf){0});
#endif
    (void)end;
    return k_load_first(dt, at, count);
}

/* ---- two vectors of floats as one of f16 or bf16 ---- */

typedef uint16_t vw __attribute__((vector_size(K_VECTOR_BYTES))); /* 2 VL half numbers */

/* The upper halves of low's lanes, then of high's. */
K_TEMPLATE
vw v_upper_halves(vu low, vu high)
{
#if defined(K_ISA_avx512)
    const __m512i upper = (__m512i)(v_lanes() * 0x40004 + 0x30001); /* words 1, 3, 5, ... 63 */
    return (vw)_mm512_permutex2var_epi16((__m512i)low, upper, (__m512i)high);
#elif defined(K_ISA_avx2)
    const __m256i words = _mm256_packus_epi32((__m256i)(low >> 16), (__m256i)(high >> 16));
    return (vw)_mm256_permute4x64_epi64(words, 0xd8);
#elif defined(__SSE2__) /* packs signed numbers alone */
    return (vw)_mm_packs_epi32((__m128i)((vi)low >> 16), (__m128i)((vi)high >> 16));
#else
    return __builtin_shufflevector((vw)low, (vw)high, 1, 3, 5, 7, 9, 11, 13, 15);
#endif
}

/* low's lanes, then high's, rounded. */
K_TEMPLATE
vw v_to_halves(enum k_dtype dt, vf low, vf high)
{
    if (dt == K_BF16) return v_upper_halves(v_round_bf16(low), v_round_bf16(high));
    const vh a = v_to_f16(low), b = v_to_f16(high);
#if defined(K_ISA_avx512) /* a shuffle would become a permutation by words */
    return (vw)_mm512_inserti64x4(_mm512_castsi256_si512((__m256i)a), (__m256i)b, 1);
#elif K_VECTOR_BYTES == 32
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#else
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}

/* a0 b0 a1 b1 ...: the first or the last half of the elements. */
K_TEMPLATE
vw v_zip_halves(int half, vw a, vw b)
{
#if K_VECTOR_BYTES == 64
    return half == 0 ? __builtin_shufflevector(a, b, 0, 32, 1, 33, 2, 34, 3, 35, 4, 36, 5, 37, 6,
                                               38, 7, 39, 8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13,
                                               45, 14, 46, 15, 47)
                     : __builtin_shufflevector(a, b, 16, 48, 17, 49, 18, 50, 19, 51, 20, 52, 21, 53,
                                               22, 54, 23, 55, 24, 56, 25, 57, 26, 58, 27, 59, 28,
                                               60, 29, 61, 30, 62, 31, 63);
#elif K_VECTOR_BYTES == 32
    return half == 0 ? __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6,
                                               22, 7, 23)
                     : __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29,
                                               14, 30, 15, 31);
#else
    return half == 0 ? __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
                     : __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#endif
}

/* A vector of elements. */
K_TEMPLATE
void k_put(char *at, vf elements)
{
    memcpy(at, &elements, sizeof elements);
}

/* VL elements at `at`, rounded; half types store VL / 2 floats' worth of bytes. */
K_TEMPLATE
void k_store(enum k_dtype dt, char *at, vf value)
{
    const vh half = v_to_half(dt, value);
    if (dt == K_F32)
        memcpy(at, &value, sizeof value);
    else
        memcpy(at, &half, sizeof half);
}

/* ---- cache lines ---- */

/* A line of output is stored by vectors of K_VECTOR_BYTES, each made of so many vectors of floats.
 */
#define LINE_STORES    (LINE_BYTES / K_VECTOR_BYTES)
#define LINE_PARTS(dt) ((dt) == K_F32 ? 1 : 2)

/* One vector by a non-temporal store; at is aligned to its size. */
K_TEMPLATE
void k_stream(char *at, vf value)
{
#if defined(K_ISA_avx512)
    _mm512_stream_ps((float *)(void *)at, (__m512)value);
#elif defined(K_ISA_avx2)
    _mm256_stream_ps((float *)(void *)at, (__m256)value);
#elif defined(__SSE2__)
    _mm_stream_ps((float *)(void *)at, (__m128)value);
#else
    memcpy(at, &value, sizeof value);
#endif
}

/* A vector of elements, by a non-temporal store or not. */
K_TEMPLATE
void k_write(char *at, vf elements, bool stream)
{
    if (stream)
        k_stream(at, elements);
    else
        k_put(at, elements);
}

/* LINE_PARTS(dt) vectors of floats as one vector of output. */
K_TEMPLATE
void k_store_parts(enum k_dtype dt, char *at, const vf parts[], bool stream)
{
    vf bits = parts[0];
    if (dt != K_F32) bits = (vf)v_to_halves(dt, parts[0], parts[1]);
    if (stream)
        k_stream(at, bits);
    else
        memcpy(at, &bits, sizeof bits);
}

/* Makes streaming stores visible in order with what follows. */
K_TEMPLATE
void k_stream_end(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

K_TEMPLATE
void k_prefetch(const char *at)
{
    __builtin_prefetch(at, 0, 3);
}

/* To the second cache, where it waits without keeping a place among the first one's misses. */
K_TEMPLATE
void k_prefetch_second(const char *at)
{
    __builtin_prefetch(at, 0, 2);
}

enum { FAR_BYTES = 4096 };

/* Prefetches what lies FAR_BYTES behind `at`, for loops that read one sequence and write another
 * by non-temporal stores; hardware stops at the end of a page. */
K_TEMPLATE
void k_prefetch_far(const char *at)
{
    k_prefetch_second(at + FAR_BYTES);
}

/* ---- across lanes ---- */

/* The last n lanes of before, then the first VL - n of value: value delayed by n lanes, 0 <= n
 * <= 3. */
K_TEMPLATE
vf v_delay(int n, vf before, vf value)
{
#if K_VECTOR_BYTES == 64
#define DELAY(n) (vf) _mm512_alignr_epi32((__m512i)value, (__m512i)before, 16 - (n))
#elif K_VECTOR_BYTES == 32
#define DELAY(n)                                                                                   \
    __builtin_shufflevector(before, value, 8 - (n), 9 - (n), 10 - (n), 11 - (n), 12 - (n),         \
                            13 - (n), 14 - (n), 15 - (n))
#else
#define DELAY(n) __builtin_shufflevector(before, value, 4 - (n), 5 - (n), 6 - (n), 7 - (n))
#endif
    return n == 0 ? value : n == 1 ? DELAY(1) : n == 2 ? DELAY(2) : DELAY(3);
#undef DELAY
}

/* The lanes of value but the first, then the first one of after. */
K_TEMPLATE
vf v_advance(vf value, vf after)
{
#if K_VECTOR_BYTES == 64
    return (vf)_mm512_alignr_epi32((__m512i)after, (__m512i)value, 1);
#elif K_VECTOR_BYTES == 32
    return __builtin_shufflevector(value, after, 1, 2, 3, 4, 5, 6, 7, 8);
#else
    return __builtin_shufflevector(value, after, 1, 2, 3, 4);
#endif
}

/* a0 b0 a1 b1 ...: the first VL (half 0) or the last VL (half 1) of the 2 VL elements. */
K_TEMPLATE
vf v_zip(int half, vf a, vf b)
{
#if K_VECTOR_BYTES == 64
    return half == 0 ? __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6,
                                               22, 7, 23)
                     : __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29,
                                               14, 30, 15, 31);
#elif K_VECTOR_BYTES == 32
    return half == 0 ? __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
                     : __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#else
    return half == 0 ? __builtin_shufflevector(a, b, 0, 4, 1, 5)
                     : __builtin_shufflevector(a, b, 2, 6, 3, 7);
#endif
}

/* Lane i of the result is lane from[i] of a. Levels without it take another way. K_PICKS: v_pick
 * and v_pick_one are quick. */
#if defined(K_ISA_avx512) || defined(K_ISA_avx2)
#define K_PERMUTES
#define K_PICKS
K_TEMPLATE
vf v_permute(vf a, vi from)
{
#if defined(K_ISA_avx512)
    return (vf)_mm512_permutexvar_ps((__m512i)from, (__m512)a);
#else
    return (vf)_mm256_permutevar8x32_ps((__m256)a, (__m256i)from);
#endif
}
#endif

/* Half number i of the result is half number from[i] of a. */
#if defined(K_ISA_avx512)
#define K_PERMUTES_HALVES
K_TEMPLATE
vf v_permute_halves(vf a, vi from)
{
    return (vf)_mm512_permutexvar_epi16((__m512i)from, (__m512i)a);
}
#endif

#if defined(__ARM_NEON) && defined(__aarch64__)
#define K_PICKS
/* The bytes of lanes from[] of a table. */
K_TEMPLATE
uint8x16_t v_bytes_of_lanes(vi from)
{
    return (uint8x16_t)((vu)from * 0x4040404 + 0x3020100);
}
#endif

/* Lane i of the result is element from[i] of a followed by b, 0 <= from[i] < 2 VL. */
K_TEMPLATE
vf v_pick(vf a, vf b, vi from)
{
#if defined(K_ISA_avx512)
    return (vf)_mm512_permutex2var_ps((__m512)a, (__m512i)from, (__m512)b);
#elif defined(K_ISA_avx2)
    const __m256 low = _mm256_permutevar8x32_ps((__m256)a, (__m256i)from);
    const __m256 high = _mm256_permutevar8x32_ps((__m256)b, (__m256i)from);
    return (vf)_mm256_blendv_ps(low, high, (__m256)(vi)(from >= VL));
#elif defined(K_PICKS)
    const uint8x16x2_t pair = {{(uint8x16_t)a, (uint8x16_t)b}};
    return (vf)vqtbl2q_u8(pair, v_bytes_of_lanes(from));
#else
    float pair[2 * VL];
    vf picked = {0};
    v_store(pair, a);
    v_store(pair + VL, b);
    for (int i = 0; i < VL; i++)
        picked[i] = pair[from[i]];
    return picked;
#endif
}

/* Lane i of the result is lane from[i] of a, 0 <= from[i] < VL. */
K_TEMPLATE
vf v_pick_one(vf a, vi from)
{
#if defined(K_PERMUTES)
    return v_permute(a, from);
#elif defined(K_PICKS)
    return (vf)vqtbl1q_u8((uint8x16_t)a, v_bytes_of_lanes(from));
#else
    return v_pick(a, a, from);
#endif
}

/* Each lane has the k-th one of its group of lanes; a group has 1, 2 or 4. */
K_TEMPLATE
vf v_spread(int group, int k, vf a)
{
#if defined(K_ISA_avx512)
#define FOURS(from) (vf) _mm512_permute_ps((__m512)a, from)
#elif defined(K_ISA_avx2)
#define FOURS(from) (vf) _mm256_permute_ps((__m256)a, from)
#else
#define FOURS(from)                                                                                \
    __builtin_shufflevector(a, a, (from)&3, (from) >> 2 & 3, (from) >> 4 & 3, (from) >> 6 & 3)
#endif
    if (group == 1) return a;
    if (group == 2) return k == 0 ? FOURS(0xa0) : FOURS(0xf5);
    return k == 0 ? FOURS(0x00) : k == 1 ? FOURS(0x55) : k == 2 ? FOURS(0xaa) : FOURS(0xff);
#undef FOURS
}

#endif
