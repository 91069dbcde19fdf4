/* SPDX-License-Identifier: Apache-2.0 */
/* result[i] = f(operand[i]) over up to 8 axes, the operand's strides in elements, 0 where it is
 * repeated. */
#ifndef ACLNN_CPU_KERNELS_ELEMENTWISE_K_ELEMENTWISE_H
#define ACLNN_CPU_KERNELS_ELEMENTWISE_K_ELEMENTWISE_H

#include "kernels/kernels.h"

enum { K_ELEMENTWISE_RANK = 8 };

enum k_unary {
#define K_UNARY(name) K_UNARY_##name,
#include "kernels/elementwise/unary.def"
    K_UNARIES
};

/* An item is K_ELEMENTWISE_TILE results that follow each other in row-major order of the axes. */
enum { K_ELEMENTWISE_TILE = 1024 };

struct k_elementwise {
    enum k_unary function;
    enum k_dtype dtype; /* of both tensors */
    int rank;
    int64_t elements;
    int64_t sizes[K_ELEMENTWISE_RANK];
    int64_t from_strides[K_ELEMENTWISE_RANK], to_strides[K_ELEMENTWISE_RANK];
};

enum { K_ELEMENTWISE_FROM, K_ELEMENTWISE_TO, K_ELEMENTWISE_BUFFERS };

#endif
