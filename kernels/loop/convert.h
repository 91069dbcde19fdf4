/* SPDX-License-Identifier: Apache-2.0 */
/* Dense elements of one type as elements of a compute type, and back. */
#ifndef ACLNN_CPU_KERNELS_LOOP_CONVERT_H
#define ACLNN_CPU_KERNELS_LOOP_CONVERT_H

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

#endif
