/* SPDX-License-Identifier: Apache-2.0 */
/* Cores whose bodies widen f16 and bf16 by themselves, on the level being compiled. */
#ifndef ACLNN_CPU_KERNELS_HALF_HALF_H
#define ACLNN_CPU_KERNELS_HALF_HALF_H

#include "kernels/elementwise/k_elementwise.h"
#include "kernels/vector/instance.h"

/* What is run over a dense tile, with e as its parameters, where e is computed as K_AS_F16 or
 * K_AS_BF16: forms.def has what there is. */
#define k_half_tile K_SYMBOL(half_tile)
k_tile_fn *k_half_tile(const struct k_elementwise *e);

#endif
