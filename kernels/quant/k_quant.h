/* SPDX-License-Identifier: Apache-2.0 */
/* Products with a weight of small integers:
 *
 *     y[i][j] = sum over p of x[i][p] * (weight[p][j] + offset[g][j]) * scale[g][j] + bias[j]
 *
 * for g = p / group. The weight is INT8, or INT4 two to a byte, the low half first. Everything is
 * computed in FLOAT and rounded once. Ways: dots serves few rows where the terms of a column
 * lie side by side: the weight is read once and widened on the way. packed widens a block of the
 * weight, then multiplies as gemm_packed does, whose rows of sums and panels these are. */
#ifndef ACLNN_CPU_KERNELS_QUANT_K_QUANT_H
#define ACLNN_CPU_KERNELS_QUANT_K_QUANT_H

#include "kernels/gemm/k_gemm.h"
#include "kernels/loop/k_loop.h"

enum {
    K_QUANT_FEW = 16,     /* rows, up to which dots is faster */
    K_QUANT_COLUMNS = 32, /* of its items */
    K_QUANT_GROUP = 32,   /* groups are multiples of so many terms */
};

/* Scales or offsets: strides in elements, 0 where one serves all. */
struct k_quant_factor {
    enum k_dtype dtype;
    int64_t group, column;
};

struct k_quant {
    struct k_gemm gemm;  /* a is x, c is y, dense rows; the addend is the bias; b is not used */
    bool is_four;        /* bits; else eight */
    int64_t row, column; /* strides of the weight, in elements; one of them is 1 */
    int64_t group;       /* terms; k where there is but one */
    struct k_quant_factor scale, offset;
    bool has_offset;
};

/* What is not there is any buffer. */
enum { K_QUANT_X, K_QUANT_WEIGHT, K_QUANT_Y, K_QUANT_BIAS, K_QUANT_SCALE, K_QUANT_OFFSET };

#endif
