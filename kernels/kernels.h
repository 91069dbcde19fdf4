/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic room's door: the table of all kernels of a level. Kernels themselves include
 * kernel.h alone, so that a new row of the table compiles none of them anew. */
#ifndef ACLNN_CPU_KERNELS_KERNELS_H
#define ACLNN_CPU_KERNELS_KERNELS_H

#include "kernels/kernel.h"

struct k_table {
    const char *isa;
    int vector_bytes;
#define K_KERNEL(name)     k_fn *name[K_DTYPES];
#define K_KERNEL_ANY(name) k_fn *name; /* one function for every element type */
#include "kernels/kernels.def"
};

#endif
