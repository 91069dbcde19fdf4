/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels take of the stack of the thread that runs them: plans print it. */
#ifndef ACLNN_CPU_KERNELS_KERNEL_STACK_H
#define ACLNN_CPU_KERNELS_KERNEL_STACK_H

#include "kernels/kernel.h"

struct k_stack {
    const char *kernel; /* its name; NULL: those that take little */
    int kib;            /* at most, of each thread */
    const char *what;   /* is kept there */
};

enum { K_STACK_LITTLE = 32 }; /* KiB */

/* Of a kernel of k_best(). */
struct k_stack k_stack_of(k_fn *kernel);

/* The rows of kernel_stack.def; returns how many. */
int k_stacks(const struct k_stack **rows);

#endif
