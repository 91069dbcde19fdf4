/* SPDX-License-Identifier: Apache-2.0 */
/* Products with matrices of low rank that are added to rows of a matrix. */
#ifndef ACLNN_CPU_KERNELS_GROUP_K_ADD_LORA_H
#define ACLNN_CPU_KERNELS_GROUP_K_ADD_LORA_H

#include "kernels/kernel.h"

/* OUT[row, offset + i] += scale * sum over r of B[group, i, r] * (A[group] X[row])[r], where group
 * is INDICES[row]; without has_a X itself stands for the product with A. Everything is dense
 * floats; NARROW has `rank` for each row. A group that is none is a fault at the row's number.
 * Items are rows. */
struct k_add_lora {
    bool has_a;
    int64_t groups, inputs, rank, outputs, width, offset;
    float scale;
};

enum {
    K_ADD_LORA_X,
    K_ADD_LORA_A,
    K_ADD_LORA_B,
    K_ADD_LORA_INDICES,
    K_ADD_LORA_NARROW,
    K_ADD_LORA_OUT,
    K_ADD_LORA_BUFFERS
};

#endif
