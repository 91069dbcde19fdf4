/* SPDX-License-Identifier: Apache-2.0 */
/* The index family: operators that read or write elements at places that indices name. */
#ifndef ACLNN_CPU_API_OP_INDEX_H
#define ACLNN_CPU_API_OP_INDEX_H

#include "api/op_reduce.h"
#include "api/op_shape.h"
#include "kernels/index/k_index.h"

/* A gather or scatter that is put together. */
struct op_indexing {
    struct ex_plan *plan;
    struct k_index k;
    int buffers[K_INDEX_FIRST + K_INDEX_TENSORS];
};

/* Between elements of a table and of values, which are of one type. name: of the indices. */
struct op_indexing op_indexing_of(const struct op_shape_call *call, const struct op_place *table,
                                  const struct op_place *values, const char *name);
/* One more axis of the walk; returns its number. A stride of 0: the table's place there is what
 * indices say. */
int op_indexing_axis(struct op_indexing *x, int64_t size, int64_t table_stride,
                     int64_t value_stride);
/* One more tensor of indices into an axis of `size` elements that lie `step` apart. The shapes of
 * all are one. Axis i of it runs along axis first + i of the walk. */
void op_indexing_tensor(struct op_indexing *x, const struct op_place *indices, int first,
                        int64_t size, int64_t step);
/* The same of each column of a matrix (or of its last axis), whose rows run along the walk's first
 * axes. */
void op_indexing_columns(struct op_indexing *x, const struct op_place *indices,
                         const int64_t *sizes, const int64_t *steps);
/* The step. scatter: the axes whose positions never meet (k.is_apart) are those along which the
 * table has a stride, unless the caller says otherwise. */
void op_gather(struct op_indexing *x);
void op_scatter(struct op_indexing *x, enum k_combine combine);

/* ---- arguments ---- */

/* The place of that name among the arguments, or -1. */
int op_place_of(const struct op_problem *problem, const char *name);

/* Types: tensors have the first one's, which is one of the row's; those named index, indices or
 * repeats have INT32 or INT64, those named mask BOOL or UINT8. */
aclnnStatus op_index_types(struct op_problem *problem);

/* A tensor's size along an axis, where one of no dimensions has an axis of one element. */
static inline int64_t op_size_of(const aclTensor *tensor, int axis)
{
    return tensor->descriptor.rank > 0 ? tensor->descriptor.sizes[axis] : 1;
}

static inline int64_t op_stride_of(const struct op_view *view, int axis)
{
    return view->rank > 0 ? view->strides[axis] : 0;
}

#endif
