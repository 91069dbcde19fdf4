/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions that the older single-operator interface takes. */
#ifndef ACLNN_CPU_API_TENSOR_DESC_H
#define ACLNN_CPU_API_TENSOR_DESC_H

#include <stdbool.h>
#include <stddef.h>

#include "acl/acl_op.h"

/* A tensor as its memory has it. */
struct op_stored_tensor {
    aclDataType type;
    aclFormat format;
    int rank;
    const int64_t *sizes; /* the description's; a negative one is not known */
    bool is_on_host;
    const void *constant; /* contents that the program has told; NULL: none */
    size_t constant_size;
};
struct op_stored_tensor op_stored_tensor(const aclTensorDesc *desc);

/* Writes "FLOAT[2,3]" or "{axis=1, keep_dims=true}" into text, cut when it does not fit; returns
 * its length. NULL is written as "NULL". */
size_t op_describe_tensor(const aclTensorDesc *desc, char *text, size_t room);
size_t op_describe_attributes(const aclopAttr *attr, char *text, size_t room);

/* The text of a value, as op_describe_attributes writes it; NULL if it is not set. */
const char *op_attribute_text(const aclopAttr *attr, const char *name);

/* Appends to a text of *length bytes; a text that does not fit is cut. */
void op_append(char *text, size_t room, size_t *length, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
