/* SPDX-License-Identifier: Apache-2.0 */
/* Elements that are made from their place. */
#ifndef ACLNN_CPU_KERNELS_SHAPE_K_SHAPE_H
#define ACLNN_CPU_KERNELS_SHAPE_K_SHAPE_H

#include "kernels/kernel.h"

/* Kernels that memory limits, not arithmetic: compiled once, not per level. */
k_fn k_ramp, k_triangle, k_signs;

/* to[i] for 0 <= i < count, dense.
 *     K_RAMP_INTEGERS  first + i * step, wrapping: I32 or I64
 *     K_RAMP_REALS     first + i * step, in double: F32 or F64, as those below
 *     K_RAMP_ENDS      the same for the first half, last - (count - 1 - i) * step for the second
 *     K_RAMP_POWERS    base to the power of that */
enum k_ramp_kind { K_RAMP_INTEGERS, K_RAMP_REALS, K_RAMP_ENDS, K_RAMP_POWERS };

struct k_ramp {
    enum k_ramp_kind kind;
    enum k_dtype dtype;
    int64_t count, first_integer, step_integer;
    double first, last, step, base;
};

enum { K_RAMP_TO, K_RAMP_BUFFERS };
enum { K_RAMP_BLOCK = 1024 }; /* elements of an item */

struct k_work k_ramp_work(const struct k_ramp *ramp);

enum { K_TRIANGLE_RANK = 8 };

/* to[.., row, column] = from[.., row, column] where column - row <= diagonal (lower) or >= diagonal
 * (upper), else 0. Items are rows. Strides in elements; from and to may be one. */
struct k_triangle {
    int rank; /* 2 at least */
    int element_size;
    bool is_upper, is_in_place; /* in place: elements that stay are not touched */
    int64_t diagonal;
    int64_t sizes[K_TRIANGLE_RANK];
    int64_t from_strides[K_TRIANGLE_RANK], to_strides[K_TRIANGLE_RANK];
};

enum { K_TRIANGLE_FROM, K_TRIANGLE_TO, K_TRIANGLE_BUFFERS };

struct k_work k_triangle_work(const struct k_triangle *triangle);

/* packs: bytes of the signs of `count` dense numbers, 8 in each; bits behind the last number are 0.
 * Else 1 and -1 of bytes, `count` of them, a multiple of 8. Items are bytes. */
struct k_signs {
    enum k_dtype dtype; /* of the numbers: F32 or F16 */
    bool packs;
    int64_t count;
};

enum { K_SIGNS_FROM, K_SIGNS_TO };

struct k_work k_signs_work(const struct k_signs *signs);

#endif
