/* SPDX-License-Identifier: Apache-2.0 */
/* Templates over a constant type and operation, instantiated by the switches at the end. The loops
 * are plain so that the compiler makes vectors of them; a reduction is as quick as memory. */
#include "runtime/collective/reduction.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define TEMPLATE static inline __attribute__((always_inline))

/* out is a or b, or apart from them: no element depends on another one, which the compiler cannot
 * see, and would else take a loop without vectors for work in place. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

size_t co_type_size(HcclDataType type)
{
    static const unsigned char sizes[] = {
        [HCCL_DATA_TYPE_INT8] = 1,   [HCCL_DATA_TYPE_INT16] = 2, [HCCL_DATA_TYPE_INT32] = 4,
        [HCCL_DATA_TYPE_FP16] = 2,   [HCCL_DATA_TYPE_FP32] = 4,  [HCCL_DATA_TYPE_INT64] = 8,
        [HCCL_DATA_TYPE_UINT64] = 8, [HCCL_DATA_TYPE_UINT8] = 1, [HCCL_DATA_TYPE_UINT16] = 2,
        [HCCL_DATA_TYPE_UINT32] = 4, [HCCL_DATA_TYPE_FP64] = 8,  [HCCL_DATA_TYPE_BFP16] = 2,
    };
    return (unsigned)type < sizeof(sizes) ? sizes[type] : 0;
}

/* --- half-precision types --------------------------------------------------------------------- */

TEMPLATE float as_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

TEMPLATE uint32_t as_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* Exponent and mantissa move to their places; a multiplication by a power of two corrects the
 * exponent and makes subnormal numbers normal. */
TEMPLATE float from_half(uint16_t half)
{
    const uint32_t magnitude = half & 0x7fffU, sign = (half & 0x8000U) << 16;
    const float finite = as_float(magnitude << 13) * 0x1p112F;
    const uint32_t special = (magnitude << 13) | 0x7f800000U;
    return as_float((magnitude >= 0x7c00U ? special : as_bits(finite)) | sign);
}

/* To nearest even. Below 2^-14 the result is subnormal: adding 1/2 leaves the integer count of
 * 2^-24 in the low bits, rounded by the addition. */
TEMPLATE uint16_t to_half(float value)
{
    const uint32_t bits = as_bits(value), magnitude = bits & 0x7fffffffU,
                   sign = bits >> 16 & 0x8000U;
    const uint32_t odd = magnitude >> 13 & 1U;
    const uint32_t normal = (magnitude + 0xfffU + odd - 0x38000000U) >> 13;
    const uint32_t subnormal = as_bits(as_float(magnitude) + 0.5F) - 0x3f000000U;
    uint32_t half = magnitude < 0x38800000U ? subnormal : normal;
    half = magnitude >= 0x477ff000U ? 0x7c00U : half; /* from 65520 on infinity */
    half = magnitude > 0x7f800000U ? 0x7e00U : half;
    return (uint16_t)(half | sign);
}

TEMPLATE uint16_t to_bfloat(float value)
{
    const uint32_t bits = as_bits(value);
    const uint32_t rounded = (bits + 0x7fffU + (bits >> 16 & 1U)) >> 16;
    return (uint16_t)((bits & 0x7fffffffU) > 0x7f800000U ? (bits >> 16 | 0x40U) : rounded);
}

/* --- floating point ----------------------------------------------------------------------------
 */

TEMPLATE float load(HcclDataType type, const void *from, size_t i)
{
    if (type == HCCL_DATA_TYPE_FP16) return from_half(((const uint16_t *)from)[i]);
    if (type == HCCL_DATA_TYPE_BFP16) return as_float((uint32_t)((const uint16_t *)from)[i] << 16);
    return ((const float *)from)[i];
}

TEMPLATE void store(HcclDataType type, void *to, size_t i, float value)
{
    if (type == HCCL_DATA_TYPE_FP16)
        ((uint16_t *)to)[i] = to_half(value);
    else if (type == HCCL_DATA_TYPE_BFP16)
        ((uint16_t *)to)[i] = to_bfloat(value);
    else
        ((float *)to)[i] = value;
}

TEMPLATE float join_floats(HcclReduceOp op, float a, float b)
{
    if (op == HCCL_REDUCE_SUM) return a + b;
    if (op == HCCL_REDUCE_PROD) return a * b;
    const bool takes_b = op == HCCL_REDUCE_MAX ? b > a : b < a;
    return (takes_b || b != b) && a == a ? b : a;
}

TEMPLATE void floats(HcclDataType type, HcclReduceOp op, void *out, const void *a, const void *b,
                     size_t count)
{
    INDEPENDENT
    for (size_t i = 0; i < count; i++)
        store(type, out, i, join_floats(op, load(type, a, i), load(type, b, i)));
}

TEMPLATE double join_doubles(HcclReduceOp op, double a, double b)
{
    if (op == HCCL_REDUCE_SUM) return a + b;
    if (op == HCCL_REDUCE_PROD) return a * b;
    const bool takes_b = op == HCCL_REDUCE_MAX ? b > a : b < a;
    return (takes_b || b != b) && a == a ? b : a;
}

TEMPLATE void doubles(HcclReduceOp op, double *out, const double *a, const double *b, size_t count)
{
    INDEPENDENT
    for (size_t i = 0; i < count; i++)
        out[i] = join_doubles(op, a[i], b[i]);
}

/* --- integers: in 32 bits up to that size, whose wrapping is that of the low bits ---------------
 */

TEMPLATE uint32_t load32(HcclDataType type, const void *from, size_t i)
{
    if (type == HCCL_DATA_TYPE_INT8) return (uint32_t)((const int8_t *)from)[i];
    if (type == HCCL_DATA_TYPE_UINT8) return ((const uint8_t *)from)[i];
    if (type == HCCL_DATA_TYPE_INT16) return (uint32_t)((const int16_t *)from)[i];
    if (type == HCCL_DATA_TYPE_UINT16) return ((const uint16_t *)from)[i];
    return ((const uint32_t *)from)[i];
}

TEMPLATE void store32(HcclDataType type, void *to, size_t i, uint32_t value)
{
    if (type == HCCL_DATA_TYPE_INT8 || type == HCCL_DATA_TYPE_UINT8)
        ((uint8_t *)to)[i] = (uint8_t)value;
    else if (type == HCCL_DATA_TYPE_INT16 || type == HCCL_DATA_TYPE_UINT16)
        ((uint16_t *)to)[i] = (uint16_t)value;
    else
        ((uint32_t *)to)[i] = value;
}

TEMPLATE void integers32(HcclDataType type, HcclReduceOp op, void *out, const void *a,
                         const void *b, size_t count)
{
    const bool is_signed = type != HCCL_DATA_TYPE_UINT32; /* smaller unsigned ones are positive */
    INDEPENDENT
    for (size_t i = 0; i < count; i++) {
        const uint32_t x = load32(type, a, i), y = load32(type, b, i);
        const bool is_less = is_signed ? (int32_t)x < (int32_t)y : x < y;
        uint32_t z = is_less == (op == HCCL_REDUCE_MAX) ? y : x;
        if (op == HCCL_REDUCE_SUM) z = x + y;
        if (op == HCCL_REDUCE_PROD) z = x * y;
        store32(type, out, i, z);
    }
}

TEMPLATE void integers64(bool is_signed, HcclReduceOp op, uint64_t *out, const uint64_t *a,
                         const uint64_t *b, size_t count)
{
    INDEPENDENT
    for (size_t i = 0; i < count; i++) {
        const uint64_t x = a[i], y = b[i];
        const bool is_less = is_signed ? (int64_t)x < (int64_t)y : x < y;
        uint64_t z = is_less == (op == HCCL_REDUCE_MAX) ? y : x;
        if (op == HCCL_REDUCE_SUM) z = x + y;
        if (op == HCCL_REDUCE_PROD) z = x * y;
        out[i] = z;
    }
}

/* --- instances ---------------------------------------------------------------------------------
 */

TEMPLATE void by_type(HcclDataType type, HcclReduceOp op, void *out, const void *a, const void *b,
                      size_t count)
{
    switch (type) {
#define CASE(t, call)                                                                              \
    case t:                                                                                        \
        call;                                                                                      \
        break;
        CASE(HCCL_DATA_TYPE_INT8, integers32(HCCL_DATA_TYPE_INT8, op, out, a, b, count))
        CASE(HCCL_DATA_TYPE_UINT8, integers32(HCCL_DATA_TYPE_UINT8, op, out, a, b, count))
        CASE(HCCL_DATA_TYPE_INT16, integers32(HCCL_DATA_TYPE_INT16, op, out, a, b, count))
        CASE(HCCL_DATA_TYPE_UINT16, integers32(HCCL_DATA_TYPE_UINT16, op, out, a, b, count))
        CASE(HCCL_DATA_TYPE_INT32, integers32(HCCL_DATA_TYPE_INT32, op, out, a, b, count))
        CASE(HCCL_DATA_TYPE_UINT32, integers32(HCCL_DATA_TYPE_UINT32, op, out, a, b, count))
        CASE(HCCL_DATA_TYPE_INT64, integers64(true, op, out, a, b, count))
        CASE(HCCL_DATA_TYPE_UINT64, integers64(false, op, out, a, b, count))
        CASE(HCCL_DATA_TYPE_FP16, floats(HCCL_DATA_TYPE_FP16, op, out, a, b, count))
        CASE(HCCL_DATA_TYPE_BFP16, floats(HCCL_DATA_TYPE_BFP16, op, out, a, b, count))
        CASE(HCCL_DATA_TYPE_FP32, floats(HCCL_DATA_TYPE_FP32, op, out, a, b, count))
        CASE(HCCL_DATA_TYPE_FP64, doubles(op, out, a, b, count))
#undef CASE
    default:
        break;
    }
}

void co_reduce(HcclDataType type, HcclReduceOp op, void *out, const void *a, const void *b,
               size_t count)
{
    if (op == HCCL_REDUCE_SUM) by_type(type, HCCL_REDUCE_SUM, out, a, b, count);
    if (op == HCCL_REDUCE_PROD) by_type(type, HCCL_REDUCE_PROD, out, a, b, count);
    if (op == HCCL_REDUCE_MAX) by_type(type, HCCL_REDUCE_MAX, out, a, b, count);
    if (op == HCCL_REDUCE_MIN) by_type(type, HCCL_REDUCE_MIN, out, a, b, count);
}
