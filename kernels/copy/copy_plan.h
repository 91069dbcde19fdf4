/* SPDX-License-Identifier: Apache-2.0 */
/* How a strided copy is walked: shared by the planner (copy_shape.c) and the kernel of every level.
 */
#ifndef ACLNN_CPU_KERNELS_COPY_COPY_PLAN_H
#define ACLNN_CPU_KERNELS_COPY_COPY_PLAN_H

#include <stdbool.h>

#include "kernels/copy/k_copy.h"

enum {
    COPY_LINE = 64,       /* bytes of a transposed block's edge */
    COPY_PIECE = 1 << 14, /* elements of a row that one item covers */
    COPY_GRAIN = 1 << 16, /* bytes worth a thread */
};

/* The inner axis is walked in rows. When the source runs along another axis, `across`, that one is
 * cut into strips of `block` rows, and each strip goes through square blocks. An item is a piece of
 * a row or a strip; `other` axes are numbered outermost first. */
struct copy_plan {
    int64_t items, pieces; /* items = (product of the other axes) * pieces */
    int64_t row, across_size;
    int inner, across; /* axis numbers; -1: none */
    int block;
};

static inline int64_t copy_magnitude(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

static inline struct copy_plan copy_plan(const struct k_copy *copy)
{
    struct copy_plan plan = {.items = 1, .inner = copy->rank - 1, .across = -1, .row = 1};
    plan.block = COPY_LINE / copy->element_size;
    if (plan.inner >= 0) plan.row = copy->sizes[plan.inner];
    for (int axis = 0; axis < plan.inner; axis++) {
        bool runs = copy->from_strides[axis] == 1 && copy->from_strides[plan.inner] != 1;
        if (runs && copy->sizes[axis] >= 4 && plan.row >= 4) plan.across = axis;
    }
    for (int axis = 0; axis < plan.inner; axis++)
        if (axis != plan.across) plan.items *= copy->sizes[axis];
    if (plan.across >= 0) {
        plan.across_size = copy->sizes[plan.across];
        plan.pieces = (plan.across_size + plan.block - 1) / plan.block;
    } else {
        plan.pieces = (plan.row + COPY_PIECE - 1) / COPY_PIECE;
    }
    plan.items *= plan.row == 0 ? 0 : plan.pieces;
    return plan;
}

#endif
