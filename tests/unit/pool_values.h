/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of the kernels' types, for tests that call kernels themselves. */
#ifndef ACLNN_CPU_TESTS_POOL_VALUES_H
#define ACLNN_CPU_TESTS_POOL_VALUES_H

#include <string.h>

#include "kernels/kernels.h"
#include "kernels/pool/k_pool.h"
#include "tests/support/oracle.h"
#include "tests/unit/dice.h"

static const char *const dtype_names[K_DTYPES] = {"f32", "f16", "bf16"};

static inline enum case_dtype case_dtype_of(enum k_dtype dt)
{
    return dt == K_F32 ? CASE_F32 : dt == K_F16 ? CASE_F16 : CASE_BF16;
}

static inline double element(enum k_dtype dt, const void *base, int64_t i)
{
    if (dt == K_F32) return ((const float *)base)[i];
    return oracle_from_bits(case_dtype_of(dt), ((const uint16_t *)base)[i]);
}

/* What the kernel computes with. */
static inline double operand(enum k_dtype dt, enum k_rounding rounding, double value)
{
    const int math = rounding == K_ROUND_F16 ? 2 : rounding == K_ROUND_HF32 ? 3 : 0;
    return oracle_operand(case_dtype_of(dt), math, value);
}

/* The store rounds by at most half of the last place. */
static inline double store_error(enum k_dtype dt, double value)
{
    return oracle_ulp(case_dtype_of(dt), value) / 2;
}

/* In -20 .. 20; of FP16 any mantissas, of exponents around 0. */
static inline void fill_random(enum k_dtype dt, void *base, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const float value = (float)between(-20000, 20000) * 1e-3f;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        if (dt == K_F32) ((float *)base)[i] = value;
        if (dt == K_BF16) ((uint16_t *)base)[i] = (uint16_t)(bits >> 16);
        if (dt == K_F16)
            ((uint16_t *)base)[i] =
                (uint16_t)((random_next(dice()) & 0x83ff) | (uint64_t)between(8, 20) << 10);
    }
}

#endif
