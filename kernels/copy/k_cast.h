/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of one type as elements of another. */
#ifndef ACLNN_CPU_KERNELS_COPY_K_CAST_H
#define ACLNN_CPU_KERNELS_COPY_K_CAST_H

#include "kernels/kernel.h"

/* to[i] = from[i]. Items are elements, both sides dense.
 * - An integer as an integer keeps its low bits; BOOL is read as 0 or 1.
 * - An integer or BOOL as a floating number, and one floating number as another, is rounded once to
 *   the nearest, ties to even; infinity beyond the range; a NaN stays one.
 * Floating numbers are not cast to integers, nothing but BOOL to BOOL. Types are those of enum
 * k_dtype but K_F64. */
struct k_cast {
    enum k_dtype from, to;
};

struct k_work k_cast_elements_work(int64_t elements);

enum { K_CAST_FROM, K_CAST_TO, K_CAST_BUFFERS };

#endif
