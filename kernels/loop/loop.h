/* SPDX-License-Identifier: Apache-2.0 */
/* Running a loop on the level being compiled. */
#ifndef ACLNN_CPU_KERNELS_LOOP_LOOP_H
#define ACLNN_CPU_KERNELS_LOOP_LOOP_H

#include "kernels/loop/k_loop.h"
#include "kernels/vector/instance.h"

/* Runs the body over a slice of the loop's items. buffers: the results' first elements, then the
 * operands', in the order of loop->operand. */
#define k_loop_run K_SYMBOL(loop_run)
void k_loop_run(const struct k_loop *loop, k_tile_fn *body, const void *parameters,
                void *const buffers[], struct k_slice slice);

#endif
