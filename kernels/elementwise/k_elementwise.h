/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise functions: a core, of which a body per compute type is run by the loop. */
#ifndef ACLNN_CPU_KERNELS_ELEMENTWISE_K_ELEMENTWISE_H
#define ACLNN_CPU_KERNELS_ELEMENTWISE_K_ELEMENTWISE_H

#include "kernels/loop/k_loop.h"

enum k_core {
#define K_CORE(name, results, operands, types, cost) K_CORE_##name,
#include "kernels/elementwise/cores.def"
    K_CORES
};

enum {
    K_NUMBERS = 8,        /* constants and coefficients of a call at most */
    K_CONSTANTS = 1 << 3, /* a core's operands that may be constants are its first three */
};

struct k_elementwise {
    struct k_loop loop;
    enum k_core core;
    unsigned constants; /* bit i: the core's operand i is no tensor but the next of the numbers */
    /* The constants in the order of the operands, then the coefficients; for floating and for
     * integer compute types. */
    double reals[K_NUMBERS];
    int64_t integers[K_NUMBERS];
};

/* Whether the core computes in that type with those constants. */
bool k_elementwise_has(enum k_core core, enum k_compute compute, unsigned constants);
/* What a core and its operands are called, for messages and tests; operands and results. */
const char *k_core_name(enum k_core core);
int k_core_operands(enum k_core core);
int k_core_results(enum k_core core);

/* Finishes the loop. */
struct k_work k_elementwise_finish(struct k_elementwise *e);

#endif
