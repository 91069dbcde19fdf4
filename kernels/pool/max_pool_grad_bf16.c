/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of max pooling has a file for each type, which compile side by side. */
#include "kernels/pool/max_pool_grad.h"

K_MAX_POOL_GRAD(_bf16, K_BF16)
