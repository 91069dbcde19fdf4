/* SPDX-License-Identifier: Apache-2.0 */
/* FLOAT16 to floats and back, in integers, so that the caller's rounding mode and flush-to-zero
 * setting do not matter. */
#include <string.h>

#include "acl/acl_base.h"

/* float: 1 sign, 8 exponent (bias 127), 23 mantissa bits; half: 1, 5 (bias 15), 10. */
enum {
    MANTISSA_SHIFT = 23 - 10,
    BIAS_STEP = 127 - 15,
    HALF_INFINITY = 0x7C00,
    HALF_QUIET = 0x0200,
};

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float aclFloat16ToFloat(aclFloat16 value)
{
    uint32_t sign = (uint32_t)(value & 0x8000) << 16;
    uint32_t exponent = (value >> 10) & 0x1F;
    uint32_t mantissa = value & 0x3FF;
    if (exponent == 0x1F) /* infinity or NaN */
        return float_of(sign | 0x7F800000 | mantissa << MANTISSA_SHIFT);
    if (exponent == 0) { /* zero, or a subnormal: a float has room to normalise it */
        if (mantissa == 0) return float_of(sign);
        uint32_t shift = (uint32_t)__builtin_clz(mantissa) - 21;
        mantissa = mantissa << shift & 0x3FF;
        exponent = 1 - shift; /* wraps below 0; adding BIAS_STEP brings it back */
    }
    return float_of(sign | (exponent + BIAS_STEP) << 23 | mantissa << MANTISSA_SHIFT);
}

aclFloat16 aclFloatToFloat16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000;
    uint32_t magnitude = bits & 0x7FFFFFFF;
    if (magnitude > 0x7F800000)
        return (aclFloat16)(sign | HALF_INFINITY | HALF_QUIET | (magnitude >> 13 & 0x3FF));
    if (magnitude >= 0x47800000) return (aclFloat16)(sign | HALF_INFINITY); /* 65536 and above */

    /* `kept` is the result before rounding and `rest` what is cut off, `half` being a tie. */
    uint32_t kept, rest, half;
    if (magnitude >= 0x38800000) { /* 2^-14 and above: a normal half */
        kept = (magnitude >> MANTISSA_SHIFT) - (BIAS_STEP << 10);
        rest = magnitude & 0x1FFF;
        half = 0x1000;
    } else if (magnitude >= 0x33000000) { /* 2^-25, which is half the smallest, and above */
        uint32_t mantissa = (magnitude & 0x7FFFFF) | 0x800000;
        uint32_t shift = 126 - (magnitude >> 23);
        kept = mantissa >> shift;
        rest = mantissa & ((1u << shift) - 1);
        half = 1u << (shift - 1);
    } else {
        return (aclFloat16)sign;
    }
    /* A carry out of the mantissa is a step of the exponent, up to infinity. */
    kept += rest > half || (rest == half && (kept & 1));
    return (aclFloat16)(sign | kept);
}
