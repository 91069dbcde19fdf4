/* SPDX-License-Identifier: Apache-2.0 */
/* The elementwise family's part of a row. */
#ifndef ACLNN_CPU_API_OP_ELEMENTWISE_H
#define ACLNN_CPU_API_OP_ELEMENTWISE_H

#include "api/op_row.h"
#include "kernels/elementwise/k_elementwise.h"

/* What a rule's `more` points to. */
struct op_elementwise {
    /* Changes what is computed where the arguments ask for it: another core, other numbers. May be
     * NULL. */
    void (*adjust)(const struct op_problem *problem, struct k_elementwise *e);
};

/* Whether two views that are not empty reach some of the same bytes, as far as ranges tell. Tensors
 * without an address are taken to lie apart. */
bool op_meets(const struct ex_descriptor *a, const struct ex_descriptor *b);
/* The same, unless they are one view: whether writing one element of `to` may change another of
 * `from` that is still to be read. */
bool op_disturbs(const struct ex_descriptor *to, const struct ex_descriptor *from);

#endif
