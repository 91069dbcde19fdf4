/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of a table at places that indices name: read (gather), or written and combined
 * (scatter). */
#ifndef ACLNN_CPU_KERNELS_INDEX_K_INDEX_H
#define ACLNN_CPU_KERNELS_INDEX_K_INDEX_H

#include "kernels/kernel.h"

/* Kernels that memory limits, not arithmetic: compiled once, not per level. */
k_fn k_gather, k_scatter;

enum { K_INDEX_RANK = 8, K_INDEX_TENSORS = 8 };

/* What a value does to the element of the table that it meets. */
enum k_combine { K_SET, K_ADD, K_MUL, K_DIV, K_MAX, K_MIN, K_COMBINES };

/* A tensor of indices into one axis of the table. */
struct k_index_tensor {
    bool is_wide;       /* int64, else int32 */
    int64_t size, step; /* elements of that axis; its stride in the table */
    int64_t offset;     /* elements in front of the first index */
    int64_t strides[K_INDEX_RANK];
    int64_t own[K_INDEX_RANK]; /* strides of its own axes, numbers[] many, for the report */
};

/* For every position i below sizes, with place = sum of indices[k][i] * step[k]:
 *     gather   values[i * value_strides] = table[i * table_strides + place]
 *     scatter  the other way, combined; positions in row-major order
 * Strides in elements, 0 where a tensor does not depend on an axis. An index outside of [0, size)
 * (with `wraps`: [-size, size)) is noted as element * count + k of the index tensors, element
 * counted in the shape numbers[], and is not followed: gather makes 0 of it. */
struct k_index {
    int element_size;
    enum k_dtype dtype; /* of what is combined; of complex numbers: of their parts */
    bool is_complex;
    enum k_combine combine;
    bool wraps, skips; /* skips: indices outside are no mistake */
    int rank;
    int64_t sizes[K_INDEX_RANK];
    int64_t table_strides[K_INDEX_RANK], value_strides[K_INDEX_RANK];
    int64_t number_strides[K_INDEX_RANK]; /* of the element's number in the index tensors */
    int64_t table_offset, value_offset;
    /* scatter: different positions along the axis never meet in the table. k_scatter_finish orders
     * the axes: `outer` of these, the others, `inner` of these along which the place is one. */
    bool is_apart[K_INDEX_RANK];
    int outer, inner;
    int64_t pieces, piece; /* the last axis is cut into pieces of so many elements */
    int64_t parts, part;   /* scatter: an item has so many of the first index's places */
    const char *name;      /* of the index tensors: static storage; */
    bool is_columns;       /* they are the columns of one, which `name` is */
    bool is_list;          /* they are its elements */
    int number_rank;
    int64_t numbers[K_INDEX_RANK];
    int count;
    struct k_index_tensor index[K_INDEX_TENSORS]; /* the last member: only `count` are kept */
};

enum { K_INDEX_TABLE, K_INDEX_VALUES, K_INDEX_FIRST }; /* buffers, then the index tensors */

static inline size_t k_index_bytes(const struct k_index *index)
{
    return offsetof(struct k_index, index) + (size_t)index->count * sizeof index->index[0];
}

/* Orders and merges the axes; returns how the work may be cut. */
struct k_work k_gather_finish(struct k_index *index);
struct k_work k_scatter_finish(struct k_index *index);

/* ---- for the kernels ---- */

static inline int64_t k_index_at(const struct k_index_tensor *tensor, const void *buffer,
                                 int64_t place)
{
    return tensor->is_wide ? ((const int64_t *)buffer)[place] : ((const int32_t *)buffer)[place];
}

#endif
