/* SPDX-License-Identifier: Apache-2.0 */
/* Dense elements of one type as elements of a compute type, and back. */
#ifndef ACLNN_CPU_KERNELS_LOOP_CONVERT_H
#define ACLNN_CPU_KERNELS_LOOP_CONVERT_H

#include <string.h>

#include "kernels/loop/k_loop.h"
#include "kernels/vector/instance.h"

#define k_widen  K_SYMBOL(loop_widen)
#define k_narrow K_SYMBOL(loop_narrow)

/* to[i] = from[i] as numbers of the compute type. Integers of more bits than a float has are
 * rounded to nearest even; floating numbers become no integers here. */
void k_widen(enum k_compute compute, enum k_dtype dtype, const char *from, void *to, int64_t count);

/* to[i] = from[i] as elements of dtype.
 * - An integer as an integer keeps its low bits; anything as bool is whether it is not 0.
 * - A number as a floating number is rounded once to nearest even, to infinity beyond the range.
 * - A floating number as an integer loses its fraction; beyond the range it becomes the nearest
 *   integer that there is, a NaN 0. */
void k_narrow(enum k_compute compute, enum k_dtype dtype, const void *from, char *to,
              int64_t count);

/* Element i. */
static inline double k_number_at(enum k_dtype dtype, const void *from, int64_t i)
{
    double number;
    k_widen(K_AS_F64, dtype, (const char *)from + i * k_dtype_size(dtype), &number, 1);
    return number;
}

/* As element i, by way of f32 where it is no f64. */
static inline void k_put_number(enum k_dtype dtype, void *to, int64_t i, double number)
{
    const float single = (float)number;
    char *at = (char *)to + i * k_dtype_size(dtype);
    if (dtype == K_F64)
        memcpy(at, &number, sizeof number);
    else
        k_narrow(K_AS_F32, dtype, &single, at, 1);
}

#endif
