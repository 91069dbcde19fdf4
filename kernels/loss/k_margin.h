/* SPDX-License-Identifier: Apache-2.0 */
/* The margins between the classes of a sample that are targets and those that are none. */
#ifndef ACLNN_CPU_KERNELS_LOSS_K_MARGIN_H
#define ACLNN_CPU_KERNELS_LOSS_K_MARGIN_H

#include "kernels/loop/k_loop.h"

/* Of each sample: the targets before the first negative one are j; the loss is the sum of
 * max(0, 1 - x[j] + x[i]) / classes over them and all classes i that are none of them. IS_TARGET
 * gets 1 for the targets, 0 for others; LOSS the loss and ONE the number 1, as doubles. A target
 * that is no class is noted as a fault at its place among all targets, and left out. */
struct k_margin {
    enum k_dtype x, target, is_target;
    int64_t samples, classes;
    int64_t x_steps[2], target_steps[2], is_target_steps[2]; /* along samples, classes */
};

enum {
    K_MARGIN_X,
    K_MARGIN_TARGET,
    K_MARGIN_IS_TARGET,
    K_MARGIN_LOSS,
    K_MARGIN_ONE,
    K_MARGIN_BUFFERS
};

struct k_work k_margin_work(const struct k_margin *margin);

#endif
