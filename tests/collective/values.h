/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of every type, as exact numbers, and half-precision types by their definition. */
#ifndef ACLNN_CPU_TESTS_COLLECTIVE_VALUES_H
#define ACLNN_CPU_TESTS_COLLECTIVE_VALUES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "hccl/hccl_types.h"

static inline size_t value_size(HcclDataType type)
{
    static const size_t sizes[] = {1, 2, 4, 2, 4, 8, 8, 1, 2, 4, 8, 2};
    return sizes[type];
}

static inline int value_is_unsigned(HcclDataType type)
{
    return type >= HCCL_DATA_TYPE_UINT64 && type <= HCCL_DATA_TYPE_UINT32;
}

/* To nearest even with so many bits of mantissa, the hidden one counted; exponents from lowest. */
static inline double value_round(double x, int bits, int lowest, double most)
{
    int exponent;
    if (isnan(x) || isinf(x) || x == 0) return x;
    frexp(x, &exponent); /* |x| in [2^(e-1), 2^e) */
    if (exponent - 1 < lowest) exponent = lowest + 1;
    double unit = ldexp(1, exponent - bits);
    x = nearbyint(x / unit) * unit;
    return fabs(x) > most ? copysign(INFINITY, x) : x;
}

static inline double value_half(double x)
{
    return value_round(x, 11, -14, 65504);
}

static inline double value_bfloat(double x)
{
    return value_round(x, 8, -126, 0x1.fep127);
}

static inline double value_from_half(uint16_t h)
{
    int exponent = h >> 10 & 31, mantissa = h & 1023;
    double x = exponent == 0 ? ldexp(mantissa, -24) : ldexp(1024 + mantissa, exponent - 25);
    if (exponent == 31) x = mantissa ? NAN : INFINITY;
    return h >> 15 ? -x : x;
}

/* Of a number that is one. */
static inline uint16_t value_to_half(double x)
{
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    int exponent;
    if (isnan(x)) return 0x7e00;
    x = fabs(x);
    if (isinf(x)) return sign | 0x7c00;
    frexp(x, &exponent);
    if (x == 0 || exponent - 1 < -14) return (uint16_t)(sign | (unsigned)ldexp(x, 24));
    return (uint16_t)(sign | (((unsigned)(exponent + 14) << 10) +
                              ((unsigned)ldexp(x, 11 - exponent) - 1024)));
}

static inline double value_get(HcclDataType type, const void *from, size_t i)
{
    uint32_t bits;
    float single;
    switch (type) {
    case HCCL_DATA_TYPE_INT8:
        return ((const int8_t *)from)[i];
    case HCCL_DATA_TYPE_UINT8:
        return ((const uint8_t *)from)[i];
    case HCCL_DATA_TYPE_INT16:
        return ((const int16_t *)from)[i];
    case HCCL_DATA_TYPE_UINT16:
        return ((const uint16_t *)from)[i];
    case HCCL_DATA_TYPE_INT32:
        return ((const int32_t *)from)[i];
    case HCCL_DATA_TYPE_UINT32:
        return ((const uint32_t *)from)[i];
    case HCCL_DATA_TYPE_INT64:
        return (double)((const int64_t *)from)[i];
    case HCCL_DATA_TYPE_UINT64:
        return (double)((const uint64_t *)from)[i];
    case HCCL_DATA_TYPE_FP16:
        return value_from_half(((const uint16_t *)from)[i]);
    case HCCL_DATA_TYPE_FP32:
        return (double)((const float *)from)[i];
    case HCCL_DATA_TYPE_FP64:
        return ((const double *)from)[i];
    default:
        bits = (uint32_t)((const uint16_t *)from)[i] << 16;
        memcpy(&single, &bits, sizeof(single));
        return (double)single;
    }
}

/* value is one of the type. */
static inline void value_put(HcclDataType type, void *to, size_t i, double value)
{
    uint32_t bits;
    float single = (float)value;
    switch (type) {
    case HCCL_DATA_TYPE_INT8:
    case HCCL_DATA_TYPE_UINT8:
        ((uint8_t *)to)[i] = (uint8_t)(int64_t)value;
        break;
    case HCCL_DATA_TYPE_INT16:
    case HCCL_DATA_TYPE_UINT16:
        ((uint16_t *)to)[i] = (uint16_t)(int64_t)value;
        break;
    case HCCL_DATA_TYPE_INT32:
    case HCCL_DATA_TYPE_UINT32:
        ((uint32_t *)to)[i] = (uint32_t)(int64_t)value;
        break;
    case HCCL_DATA_TYPE_INT64:
    case HCCL_DATA_TYPE_UINT64:
        ((uint64_t *)to)[i] = (uint64_t)(int64_t)value;
        break;
    case HCCL_DATA_TYPE_FP16:
        ((uint16_t *)to)[i] = value_to_half(value);
        break;
    case HCCL_DATA_TYPE_FP32:
        ((float *)to)[i] = single;
        break;
    case HCCL_DATA_TYPE_FP64:
        ((double *)to)[i] = value;
        break;
    default:
        memcpy(&bits, &single, sizeof(bits));
        ((uint16_t *)to)[i] = (uint16_t)(bits >> 16);
        break;
    }
}

#endif
