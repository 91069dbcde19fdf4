/* SPDX-License-Identifier: Apache-2.0 */
/* The bodies of the cores, on the level being compiled. */
#ifndef ACLNN_CPU_KERNELS_ELEMENTWISE_ELEMENTWISE_H
#define ACLNN_CPU_KERNELS_ELEMENTWISE_ELEMENTWISE_H

#include "kernels/elementwise/k_elementwise.h"
#include "kernels/vector/instance.h"

/* What is run over a dense tile, with e as its parameters. */
#define k_elementwise_tile K_SYMBOL(elementwise_tile)
k_tile_fn *k_elementwise_tile(const struct k_elementwise *e);

#endif
