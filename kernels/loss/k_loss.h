/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of losses that are never stored: of the results of an elementwise function without results
 * in its loop, one sum per item of the loop, in double. A reduction adds these. */
#ifndef ACLNN_CPU_KERNELS_LOSS_K_LOSS_H
#define ACLNN_CPU_KERNELS_LOSS_K_LOSS_H

#include "kernels/elementwise/k_elementwise.h"

/* Parameters: struct k_elementwise, its work. Buffers: the operands', then one of a double per
 * item. Each loss is rounded to the compute type. */

enum { K_LOSS_LANES = 16 }; /* of a sum, on every level */

#endif
