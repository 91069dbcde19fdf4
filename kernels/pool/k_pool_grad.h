/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of average pooling: the parameters of its step, a problem and its plan. */
#ifndef ACLNN_CPU_KERNELS_POOL_K_POOL_GRAD_H
#define ACLNN_CPU_KERNELS_POOL_K_POOL_GRAD_H

#include "kernels/pool/pool_plan.h"

struct k_pool_grad {
    struct k_pool pool;
    struct pool_plan plan; /* the way's plan finishes it */
};

struct k_pool_grad k_pool_grad(const struct k_pool *pool, enum k_dtype dtype);

#endif
