/* SPDX-License-Identifier: Apache-2.0 */
/* The objects behind the handles of acl_meta.h. */
#ifndef ACLNN_CPU_API_TENSOR_H
#define ACLNN_CPU_API_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "executor/view.h"

#include "aclnn/acl_meta.h"

struct aclTensor {
    struct ex_descriptor descriptor; /* first: the executor sees a tensor as this */
    int64_t *separate;               /* where aclInitTensor put extents that own[] cannot hold */
    uint64_t capacity;               /* of the block that descriptor.sizes begins */
    int64_t own[];                   /* sizes, strides and storage sizes, one after the other */
};

struct aclScalar {
    aclDataType data_type;
    _Alignas(16) unsigned char value[16]; /* ex_element_size(data_type) bytes of it, then zeros */
};

struct aclIntArray {
    uint64_t size;
    int64_t values[];
};

struct aclFloatArray {
    uint64_t size;
    float values[];
};

struct aclBoolArray {
    uint64_t size;
    bool values[];
};

/* As aclTensorList (executor/view.h): it owns its elements, which may be NULL. */
struct aclScalarList {
    uint64_t size;
    const aclScalar *elements[];
};

/* A block of `header` bytes, which the caller fills, and behind it a copy of *size values of
 * value_size bytes; NULL and a report in the name of `who` when there is no memory for it. values
 * may be NULL, which makes *size 0. */
void *op_new_array(const char *who, size_t header, const void *values, uint64_t *size,
                   size_t value_size);

/* The size getter of everything that has one: 161001 in the name of `who` for a NULL array (whose
 * public name is `argument`) or a NULL size. */
aclnnStatus op_get_size(const char *who, const char *argument, const uint64_t *array_size,
                        uint64_t *size);

#endif
