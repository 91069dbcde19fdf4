/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of floats to a tensor, rounded. */
#ifndef ACLNN_CPU_KERNELS_CONV_CONV_PUT_H
#define ACLNN_CPU_KERNELS_CONV_CONV_PUT_H

#include "kernels/conv/conv_plan.h"
#include "kernels/vector/lanes.h"

K_TEMPLATE
void put_row_of(enum k_dtype dt, const float *row, int64_t count, char *to, int64_t step)
{
    int64_t i = 0;
    for (; step == 1 && i + VL <= count; i += VL)
        k_store(dt, to + i * k_size(dt), v_load(row + i));
    for (; i < count; i += VL)
        k_store_between(dt, to + i * step * k_size(dt), step, 0,
                        (int)(count - i < VL ? count - i : VL), v_load(row + i));
}

/* even[0] odd[0] even[1] ... */
K_TEMPLATE
void put_joined_of(enum k_dtype dt, const float *even, const float *odd, int64_t count, char *to)
{
    for (int64_t i = 0; i < count; i += 2 * VL) {
        const vf a = v_load(even + i / 2), b = v_load(odd + i / 2);
#pragma GCC unroll 2
        for (int half = 0; half < 2; half++) {
            const int64_t left = count - i - half * VL;
            char *at = to + (i + half * VL) * k_size(dt);
            if (left >= VL)
                k_store(dt, at, v_zip(half, a, b));
            else if (left > 0)
                k_store_between(dt, at, 1, 0, (int)left, v_zip(half, a, b));
        }
    }
}

/* `odd` NULL: a row as it is, `step` elements from one to the next. */
static __attribute__((noinline)) void put_row(enum k_dtype dtype, const float *even,
                                              const float *odd, int64_t count, char *to,
                                              int64_t step)
{
    if (odd != NULL && dtype == K_F32)
        put_joined_of(K_F32, even, odd, count, to);
    else if (odd != NULL && dtype == K_F16)
        put_joined_of(K_F16, even, odd, count, to);
    else if (odd != NULL)
        put_joined_of(K_BF16, even, odd, count, to);
    else if (dtype == K_F32)
        put_row_of(K_F32, even, count, to, step);
    else if (dtype == K_F16)
        put_row_of(K_F16, even, count, to, step);
    else
        put_row_of(K_BF16, even, count, to, step);
}

#endif
