/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices of INT8, many at once:
 *
 *     whole[i][j] = sum over p of a[i][p] * b[p][j] + bias[j]             in 32 bits, which wrap
 *     c[i][j]     = whole[i][j] * scale[j] * token[i] + bias[j] + offset[j]
 *
 * The bias is whole or FLOAT; what is not there is left out. Sums are exact, then each operation is
 * one of FLOAT, rounded, in this order: bits are the same on every level. c is F32, F16, BF16, I8
 * (nearest even, the nearest end beyond, 0 from a NaN) or I32, which is the whole number itself.
 *
 * A scale of type U64 has the upper 19 bits of a FLOAT in its lower half and an offset of 9 bits
 * from bit 37 on, which is added where c is I8 and no other offset is there.
 *
 * is_four: b is INT4, two to a byte, the low one first, its columns side by side, and its rows
 * begin at whole bytes. The terms are in parts of equal length, each with scales of its own:
 *
 *     c[i][j] = (sum over parts of (sum over p of (a[i][p] - less) * b[p][j]) * scale[part][j]
 *                + bias[j] + (sum over p of a[i][p]) * offset[j]) * token[i]
 *
 * from left to right, sums of integers exact, all else FLOAT; c is F32, F16 or BF16. */
#ifndef ACLNN_CPU_KERNELS_INT8_K_INT8_H
#define ACLNN_CPU_KERNELS_INT8_K_INT8_H

#include "kernels/gemm/k_gemm.h"

/* Strides in elements, 0 where one serves all. */
struct k_int8_factor {
    bool is_there;
    enum k_dtype dtype; /* F32, F16, BF16; a scale: U64 too; a bias: I32 too */
    int64_t step;
};

struct k_int8 {
    struct k_gemm gemm;                        /* a and b are I8; the addend is the bias */
    struct k_int8_factor scale, token, offset; /* token's and offset's dtype is F32 */
    bool has_dots;                             /* k_dots_int8(); a plan sets it */
    bool is_four;
    int64_t part, part_step; /* of is_four: terms; from part to part, in scales */
    int32_t less;
};

/* What is not there is any buffer. */
enum { K_INT8_A, K_INT8_B, K_INT8_C, K_INT8_BIAS, K_INT8_SCALE, K_INT8_TOKEN, K_INT8_OFFSET };

enum { K_INT8_TILES = 8 }; /* rows, from which tiles repay */

/* INT4, two to a byte and the low one first, as INT8: so many bytes of them. */
enum { K_INT8_WIDEN_BYTES = 1 << 14 }; /* of an item */
struct k_int8_widen {
    int64_t bytes;
};
enum { K_INT8_WIDEN_FROM, K_INT8_WIDEN_TO };
struct k_work k_int8_widen_plan(const struct k_int8_widen *widen);

/* Scales, and offsets between -256 and 255, as one number of 64 bits each. Steps: 0 where one
 * serves all. */
struct k_int8_param {
    int64_t count;
    int64_t scale_step, offset_step;
    bool has_offset;
};
enum { K_INT8_PARAM_SCALE, K_INT8_PARAM_OFFSET, K_INT8_PARAM_TO };
/* int8_unpack: back again, as FLOAT; both are written. */
enum { K_INT8_UNPACK_FROM, K_INT8_UNPACK_SCALE, K_INT8_UNPACK_OFFSET };
struct k_work k_int8_param_plan(const struct k_int8_param *param);

#endif
