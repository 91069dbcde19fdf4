/* SPDX-License-Identifier: Apache-2.0 */
/* FLOAT16 to floats and back, against their definition in double. */
#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "acl/acl_base.h"

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* What a half that is not a NaN stands for. */
static double meaning(aclFloat16 half)
{
    int exponent = half >> 10 & 0x1F, mantissa = half & 0x3FF;
    double magnitude = exponent == 0x1F ? HUGE_VAL
                       : exponent == 0  ? ldexp(mantissa, -24)
                                        : ldexp(mantissa + 1024, exponent - 25);
    return half & 0x8000 ? -magnitude : magnitude;
}

static bool is_nan(aclFloat16 half)
{
    return (half & 0x7FFF) > 0x7C00;
}

Test(float16, every_half_has_its_value_and_comes_back)
{
    for (uint32_t h = 0; h <= 0xFFFF; h++) {
        aclFloat16 half = (aclFloat16)h;
        float value = aclFloat16ToFloat(half);
        if (is_nan(half)) {
            cr_assert(isnan(value), "0x%04X", h);
            cr_assert_eq(aclFloatToFloat16(value), half | 0x200, "0x%04X", h);
            continue;
        }
        cr_assert_eq((double)value, meaning(half), "0x%04X is %a", h, (double)value);
        cr_assert_eq(!!signbit(value), half >> 15, "0x%04X", h);
        cr_assert_eq(aclFloatToFloat16(value), half, "0x%04X", h);
    }
}

/* Between two neighbours: below the middle goes down, above goes up, the middle to the even one.
 * 65536 stands in for infinity as the neighbour of the largest half. */
Test(float16, between_two_halves_the_nearest_wins_and_ties_go_to_even)
{
    for (uint32_t h = 0; h < 0x7C00; h++) {
        double low = meaning((aclFloat16)h);
        double high = h == 0x7BFF ? 65536 : meaning((aclFloat16)(h + 1));
        float middle = (float)((low + high) / 2); /* exact: one bit more than a half has */
        uint32_t even = h & 1 ? h + 1 : h;
        for (uint32_t sign = 0; sign <= 1; sign++) {
            float s = sign ? -1.0f : 1.0f;
            uint32_t top = sign << 15;
            cr_assert_eq(aclFloatToFloat16(s * middle), top | even, "tie above 0x%04X", h);
            cr_assert_eq(aclFloatToFloat16(s * nextafterf(middle, 0)), top | h,
                         "below the tie above 0x%04X", h);
            cr_assert_eq(aclFloatToFloat16(s * nextafterf(middle, INFINITY)), top | (h + 1),
                         "above the tie above 0x%04X", h);
        }
    }
}

Test(float16, goes_to_infinity_and_to_zero)
{
    cr_expect_eq(aclFloatToFloat16(65519.996f), 0x7BFF);
    cr_expect_eq(aclFloatToFloat16(65520.0f), 0x7C00);
    cr_expect_eq(aclFloatToFloat16(3.4e38f), 0x7C00);
    cr_expect_eq(aclFloatToFloat16(-INFINITY), 0xFC00);
    cr_expect_eq(aclFloatToFloat16(0x1p-25f), 0);
    cr_expect_eq(aclFloatToFloat16(0x1.000002p-25f), 1);
    cr_expect_eq(aclFloatToFloat16(-0x1p-149f), 0x8000);
}

Test(float16, a_nan_stays_a_nan_and_quiet)
{
    /* A signalling NaN whose payload lies in the bits that are cut off must not become infinity. */
    cr_expect_eq(aclFloatToFloat16(float_of(0x7F800001)), 0x7E00);
    cr_expect_eq(aclFloatToFloat16(float_of(0xFF800001)), 0xFE00);
    cr_expect_eq(aclFloatToFloat16(float_of(0x7FC00000)), 0x7E00);
    cr_expect_eq(aclFloatToFloat16(float_of(0x7FFFFFFF)), 0x7FFF);
    cr_expect_eq(aclFloatToFloat16(float_of(0x7F802000)), 0x7E01);
    cr_expect_eq(bits_of(aclFloat16ToFloat(0x7E01)), 0x7FC02000);
    cr_expect_eq(bits_of(aclFloat16ToFloat(0xFE00)), 0xFFC00000);
}

Test(float16, the_callers_rounding_mode_does_not_matter)
{
    const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    volatile float between = 1.0f + 0x1.8p-11f;
    for (int i = 0; i < 3; i++) {
        fesetround(modes[i]);
        cr_expect_eq(aclFloatToFloat16(between), 0x3C01);
        cr_expect_eq(aclFloatToFloat16(-between), 0xBC01);
    }
    fesetround(FE_TONEAREST);
}
