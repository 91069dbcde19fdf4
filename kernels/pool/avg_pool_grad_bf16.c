/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of average pooling has a file for each type, which compile side by side. */
#include "kernels/pool/avg_pool_grad.h"

K_INSTANCE(avg_pool_grad, _bf16, K_BF16, struct k_pool)
