/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of average pooling has a file for each type, which compile side by side. */
#include "kernels/pool/avg_pool_grad.h"

AVG_POOL_GRAD_OF(_bf16, K_BF16)
