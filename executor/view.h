/* SPDX-License-Identifier: Apache-2.0 */
/* The plain part of a tensor: what plans and kernels need to know of it, without the api's objects.
 * It is the first member of every aclTensor, and counted: whoever keeps a pointer beyond one call
 * retains it, so a user may destroy his tensor at any time. */
#ifndef ACLNN_CPU_EXECUTOR_VIEW_H
#define ACLNN_CPU_EXECUTOR_VIEW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/support/base.h"

#include "acl/acl_base.h"
#include "aclnn/acl_meta.h"

enum { EX_MAX_RANK = 8 }; /* of an operator's tensors; a descriptor can hold more */

/* Element (i0, i1, ...) lies at address + (offset + i0 * strides[0] + ...) * element size. Nothing
 * of it has been checked: sizes, strides and offset may be negative, products may overflow. */
struct ex_descriptor {
    _Atomic int64_t references;
    _Atomic(void *) address; /* of offset 0; the only member that may change under another thread */
    _Atomic bool is_destroyed; /* by the program, while something is checked */
    int32_t data_type;         /* aclDataType */
    int32_t format;            /* aclFormat, of the view */
    int32_t storage_format;    /* aclFormat, of the memory behind it */
    int rank;
    int storage_rank;
    int64_t offset;         /* in elements */
    const int64_t *sizes;   /* rank of them, as of strides; never NULL */
    const int64_t *strides; /* in elements */
    const int64_t *storage_sizes;
    void (*free)(struct ex_descriptor *descriptor); /* called with the last reference */
};

/* A list owns its elements, which may be NULL. Each begins with its struct ex_descriptor. */
struct aclTensorList {
    uint64_t size;
    const aclTensor *elements[];
};

static inline struct ex_descriptor *ex_list_element(const aclTensorList *list, uint64_t index)
{
    return (struct ex_descriptor *)(uintptr_t)list->elements[index];
}

static inline void ex_descriptor_retain(struct ex_descriptor *descriptor)
{
    atomic_fetch_add_explicit(&descriptor->references, 1, memory_order_relaxed);
}

/* NULL is fine. */
static inline void ex_descriptor_release(struct ex_descriptor *descriptor)
{
    if (!descriptor) return;
    if (atomic_fetch_sub_explicit(&descriptor->references, 1, memory_order_acq_rel) == 1)
        descriptor->free(descriptor);
}

/* Bytes of one element; 1 for types narrower than a byte, 0 for ACL_STRING and for no type. */
static inline size_t ex_element_size(int32_t data_type)
{
    static const uint8_t bytes[] = {
        [ACL_FLOAT] = 4,       [ACL_FLOAT16] = 2,     [ACL_INT8] = 1,
        [ACL_INT32] = 4,       [ACL_UINT8] = 1,       [ACL_INT16] = 2,
        [ACL_UINT16] = 2,      [ACL_UINT32] = 4,      [ACL_INT64] = 8,
        [ACL_UINT64] = 8,      [ACL_DOUBLE] = 8,      [ACL_BOOL] = 1,
        [ACL_COMPLEX64] = 8,   [ACL_COMPLEX128] = 16, [ACL_BF16] = 2,
        [ACL_INT4] = 1,        [ACL_UINT1] = 1,       [ACL_COMPLEX32] = 4,
        [ACL_HIFLOAT8] = 1,    [ACL_FLOAT8_E5M2] = 1, [ACL_FLOAT8_E4M3FN] = 1,
        [ACL_FLOAT8_E8M0] = 1, [ACL_FLOAT6_E3M2] = 1, [ACL_FLOAT6_E2M3] = 1,
        [ACL_FLOAT4_E2M1] = 1, [ACL_FLOAT4_E1M2] = 1,
    };
    return data_type >= 0 && (size_t)data_type < RT_LENGTH(bytes) ? bytes[data_type] : 0;
}

/* Bytes of so many elements; two of ACL_INT4 share one. */
static inline size_t ex_element_bytes(int32_t data_type, size_t count)
{
    return data_type == ACL_INT4 ? count / 2 + count % 2 : count * ex_element_size(data_type);
}

/* The product of the sizes, which is 1 for rank 0 and 0 as soon as one size is 0. False when a size
 * is negative or the product does not fit; then *count is not written. */
static inline bool ex_element_count(const int64_t *sizes, int rank, int64_t *count)
{
    int64_t product = 1;
    bool fits = true, is_empty = false;
    for (int i = 0; i < rank; i++) {
        if (sizes[i] < 0) return false;
        is_empty = is_empty || sizes[i] == 0;
        fits = fits && rt_mul_ok(product, sizes[i], &product);
    }
    if (is_empty || fits) *count = is_empty ? 0 : product;
    return is_empty || fits;
}

#endif
