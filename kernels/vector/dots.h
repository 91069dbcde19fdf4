/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products of small integers within the lanes of 32 bits, exact modulo 2^32: two integers of 16
 * bits to a lane, or four of 8 bits where the CPU multiplies those. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_DOTS_H
#define ACLNN_CPU_KERNELS_VECTOR_DOTS_H

#include "kernels/vector/integers.h"

/* Levels with four bytes to a lane; with products of eight bytes of two rows and two columns. */
#if defined(K_ISA_avx512)
#define K_QUADS
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define K_QUADS
#define K_EIGHTS
#endif

/* Which products of bytes: none of four to a lane, those of every CPU of the level, or those of an
 * instruction that only some have (k_dots_int8; eights: k_tiles_int8). */
enum __attribute__((packed)) v_quads {
    NO_QUADS,
    PLAIN_QUADS,
    CPU_QUADS,
    CPU_EIGHTS,
#if defined(K_EIGHTS)
    EVERY_CPU = PLAIN_QUADS,
#else
    EVERY_CPU = NO_QUADS,
#endif
};

/* Where it is not 0 the first operand's bytes of quads are unsigned. */
#if defined(K_ISA_avx512)
enum { QUADS_BIAS = 128 };
#else
enum { QUADS_BIAS = 0 };
#endif

K_TEMPLATE
vu v_load_u(const void *at)
{
    vu value;
    memcpy(&value, at, sizeof value);
    return value;
}

K_TEMPLATE
void v_store_u(void *at, vu value)
{
    memcpy(at, &value, sizeof value);
}

K_TEMPLATE
vu v_all_u(uint32_t word)
{
    return word - (vu){0};
}

/* 2 VL signed bytes as words of 16 bits. */
K_TEMPLATE
vu v_extend_bytes(const char *from)
{
#if defined(K_ISA_avx512)
    return (vu)_mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)(const void *)from));
#elif defined(K_ISA_avx2)
    return (vu)_mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)from));
#elif defined(__SSE2__)
    const __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)from);
    return (vu)_mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8);
#else
    typedef int8_t bytes __attribute__((vector_size(2 * VL)));
    typedef int16_t words __attribute__((vector_size(4 * VL)));
    bytes value;
    memcpy(&value, from, sizeof value);
    return (vu) __builtin_convertvector(value, words);
#endif
}

/* sum + the dot product of each lane's two words of 16 bits */
K_TEMPLATE
vu v_dot_pairs(vu a, vu b, vu sum)
{
#if defined(K_ISA_avx512)
    return sum + (vu)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(K_ISA_avx2)
    return sum + (vu)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return sum + (vu)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
    const vi low_a = (vi)(a << 16) >> 16, low_b = (vi)(b << 16) >> 16;
    return sum + (vu)(low_a * low_b) + (vu)(((vi)a >> 16) * ((vi)b >> 16));
#endif
}

#if defined(K_QUADS)
/* sum + the dot product of each lane's four bytes. On the level avx512 only where the CPU has the
 * instruction (k_dots_int8): in assembly, as templates that reach it must not carry the target. */
K_TEMPLATE
vu v_dot_quads(vu a, vu b, vu sum)
{
#if defined(K_ISA_avx512)
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
    return sum;
#else
    const int16x8_t low = vmull_s8(vget_low_s8((int8x16_t)a), vget_low_s8((int8x16_t)b));
    const int16x8_t high = vmull_high_s8((int8x16_t)a, (int8x16_t)b);
    return sum + (vu)vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high));
#endif
}
#endif

#if defined(K_EIGHTS)
/* SDOT by vectors and by each lane, SMMLA: by number, as assemblers may refuse their names outside
 * of a target that has them. The number of register v5 is .Lv5. */
__asm__(".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,"
        "30,31\n\t.equ .Lv\\n, \\n\n\t.endr");
#define V_DOT_SDOT   "0x4e809400"
#define V_DOT_SDOT_0 "0x4f80e000"
#define V_DOT_SDOT_1 "0x4fa0e000"
#define V_DOT_SDOT_2 "0x4f80e800"
#define V_DOT_SDOT_3 "0x4fa0e800"
#define V_DOT_SMMLA  "0x4e80a400"
/* sum += a * b */
#define V_DOT(instruction, a, b, sum)                                                              \
    __asm__(".inst " instruction " | .L%0 | .L%1 << 5 | .L%2 << 16" : "+w"(sum) : "w"(a), "w"(b))

/* As v_dot_quads, where the CPU has the instruction (k_dots_int8). */
K_TEMPLATE
vu v_dot_quads_cpu(vu a, vu b, vu sum)
{
    V_DOT(V_DOT_SDOT, a, b, sum);
    return sum;
}

/* sum + the dot product of each lane of a and one lane of b. */
K_TEMPLATE
vu v_dot_lane(vu a, int lane, vu b, vu sum)
{
    if (lane == 0) V_DOT(V_DOT_SDOT_0, a, b, sum);
    if (lane == 1) V_DOT(V_DOT_SDOT_1, a, b, sum);
    if (lane == 2) V_DOT(V_DOT_SDOT_2, a, b, sum);
    if (lane == 3) V_DOT(V_DOT_SDOT_3, a, b, sum);
    return sum;
}

/* Eight bytes each of two rows and of two columns; sum has the products of the first row with both
 * columns, then those of the second row. */
K_TEMPLATE
vu v_dot_eights(vu rows, vu columns, vu sum)
{
    V_DOT(V_DOT_SMMLA, rows, columns, sum);
    return sum;
}

/* Of lanes of 64 bits: the first of a and of b, or the last of both. */
K_TEMPLATE
vu v_zip_doubles(int half, vu a, vu b)
{
    return half == 0 ? __builtin_shufflevector(a, b, 0, 1, 4, 5)
                     : __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

/* `count` bytes, 8, 12 or 16, and zeros. */
K_TEMPLATE
uint8x16_t v_some_bytes(int count, const char *at)
{
    uint64_t low;
    uint32_t last = 0;
    uint8x16_t all;
    if (count == 16) {
        memcpy(&all, at, sizeof all);
        return all;
    }
    memcpy(&low, at, sizeof low);
    if (count == 12) memcpy(&last, at + sizeof low, sizeof last);
    const uint64x2_t words = vcombine_u64(vcreate_u64(low), vcreate_u64(0));
    return (uint8x16_t)vsetq_lane_u32(last, (uint32x4_t)words, 2);
}

/* Four rows of bytes, `step` bytes from each other, as words: lane after lane of `vectors` vectors,
 * two to four, has the next byte of each row. */
K_TEMPLATE
void v_quads_of_rows(int vectors, const char *at, int64_t step, vu to[])
{
    uint8x16_t row[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        row[i] = v_some_bytes(vectors * VL, (const char *)((uintptr_t)at + (uintptr_t)(i * step)));
    const uint16x8_t first = (uint16x8_t)vzip1q_u8(row[0], row[1]);
    const uint16x8_t second = (uint16x8_t)vzip1q_u8(row[2], row[3]);
    to[0] = (vu)vzip1q_u16(first, second);
    to[1] = (vu)vzip2q_u16(first, second);
    if (vectors == 2) return;
    const uint16x8_t third = (uint16x8_t)vzip2q_u8(row[0], row[1]);
    const uint16x8_t fourth = (uint16x8_t)vzip2q_u8(row[2], row[3]);
    to[2] = (vu)vzip1q_u16(third, fourth);
    if (vectors == 4) to[3] = (vu)vzip2q_u16(third, fourth);
}
#endif

#endif
