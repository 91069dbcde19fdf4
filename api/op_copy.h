/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between views: what most operators on shapes are made of. */
#ifndef ACLNN_CPU_API_OP_COPY_H
#define ACLNN_CPU_API_OP_COPY_H

#include "api/op_row.h"

/* Elements of a buffer. A stride may be 0 or negative on the side that is read. */
struct op_view {
    aclDataType type;
    int rank;
    int64_t offset; /* elements from the buffer's beginning */
    int64_t sizes[EX_MAX_RANK], strides[EX_MAX_RANK];
};

/* A tensor as its buffer has it. Strides that reach nothing, of axes of one element and of empty
 * tensors, are 0 whatever the tensor says. */
struct op_view op_view_of(const aclTensor *tensor);
/* A dense one of that shape. */
struct op_view op_view_dense(aclDataType type, int rank, const int64_t *sizes);
/* Steps of 0 along axes that are missing in front or have one element: the view in that shape. */
struct op_view op_view_broadcast(const struct op_view *view, int rank, const int64_t *sizes);

/* A step that copies each element of one view to its place in the other, of the same shape, cast to
 * its type. None when there are no elements. */
void op_copy_step(struct ex_plan *plan, int from, const struct op_view *from_view, int to,
                  const struct op_view *to_view);

/* An axis of a tensor of `rank` dimensions, counted from the end if negative; false if it is none.
 * A tensor without dimensions has axes 0 and -1. */
bool op_find_axis(int64_t axis, int rank, int *found);

#endif
