/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_unpool.h"

#include <stdio.h>

#include "runtime/support/base.h"

aclnnStatus op_check_index_type(const char *op, const char *argument, const aclTensor *tensor)
{
    return op_check_type(op, argument, tensor, OP_TYPE(ACL_INT32) | OP_TYPE(ACL_INT64),
                         "INT32 or INT64");
}

aclnnStatus op_check_filled(const char *op, const char *argument, const aclTensor *tensor)
{
    const struct ex_descriptor *d = &tensor->descriptor;
    OP_TRY(op_check_sizes(op, argument, tensor));
    for (int i = 1; i < d->rank; i++)
        OP_CHECK(op, d->sizes[i] > 0, ACLNN_ERR_PARAM_INVALID,
                 "%s has size 0 at dimension %d; only its first may be 0", argument, i);
    return ACLNN_SUCCESS;
}

aclnnStatus op_check_same_leading(const char *op, const char *argument, const aclTensor *tensor,
                                  const char *other_argument, const aclTensor *other, int axes)
{
    const struct ex_descriptor *d = &tensor->descriptor, *o = &other->descriptor;
    struct op_shape_text text, other_text;
    for (int i = 0; i < d->rank - axes; i++)
        OP_CHECK(op, d->sizes[i] == o->sizes[i], ACLNN_ERR_PARAM_INVALID,
                 "%s has shape %s; its dimension %d must be that of %s, whose shape is %s",
                 argument, op_shape(&text, tensor), i, other_argument,
                 op_shape(&other_text, other));
    return ACLNN_SUCCESS;
}

aclnnStatus op_check_length(const char *op, const char *argument, const aclIntArray *array,
                            int length)
{
    OP_CHECK(op, array->size == (uint64_t)length, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRIu64 " entries; it must have %d", argument, array->size, length);
    return ACLNN_SUCCESS;
}

aclnnStatus op_check_entry_positive(const char *op, const char *argument, const aclIntArray *array,
                                    int i)
{
    OP_CHECK(op, array->values[i] > 0, ACLNN_ERR_PARAM_INVALID,
             "%s[%d] is %" PRId64 "; it must be greater than 0", argument, i, array->values[i]);
    return ACLNN_SUCCESS;
}

aclnnStatus op_check_unpool_arrays(const char *op, const aclIntArray *outputSize,
                                   const aclIntArray *stride, const aclIntArray *padding, int axes)
{
    OP_TRY(op_check_length(op, "outputSize", outputSize, axes));
    OP_TRY(op_check_length(op, "stride", stride, axes));
    OP_TRY(op_check_length(op, "padding", padding, axes));
    for (int i = 0; i < axes; i++) {
        OP_TRY(op_check_entry_positive(op, "stride", stride, i));
        OP_TRY(op_check_entry_positive(op, "outputSize", outputSize, i));
    }
    return ACLNN_SUCCESS;
}

/* The product of the last `axes` sizes, which a check has accepted. */
static int64_t plane_of(const aclTensor *tensor, int axes)
{
    const struct ex_descriptor *d = &tensor->descriptor;
    int64_t product = 0;
    ex_element_count(d->sizes + (d->rank - axes), axes, &product);
    return product;
}

aclnnStatus op_check_holds(const char *op, const aclIntArray *outputSize, const char *argument,
                           const aclTensor *tensor, int axes)
{
    int64_t cells = 0, entries = plane_of(tensor, axes);
    OP_CHECK(op, ex_element_count(outputSize->values, axes, &cells), ACLNN_ERR_PARAM_INVALID,
             "outputSize multiplies to more than an int64_t holds");
    OP_CHECK(op, cells >= entries, ACLNN_ERR_PARAM_INVALID,
             "outputSize makes planes of %" PRId64 " elements; they must have at least those of "
             "%s, which are %" PRId64,
             cells, argument, entries);
    return ACLNN_SUCCESS;
}

aclnnStatus op_check_spatial(const char *op, const char *argument, const aclTensor *tensor,
                             const aclIntArray *outputSize)
{
    const struct ex_descriptor *d = &tensor->descriptor;
    struct op_shape_text text;
    int leading = d->rank - (int)outputSize->size;
    for (int i = 0; i < (int)outputSize->size; i++)
        OP_CHECK(op, d->sizes[leading + i] == outputSize->values[i], ACLNN_ERR_PARAM_INVALID,
                 "%s has shape %s; its dimension %d must be outputSize[%d], which is %" PRId64,
                 argument, op_shape(&text, tensor), leading + i, i, outputSize->values[i]);
    return ACLNN_SUCCESS;
}

struct k_plane op_plane(const aclTensor *small, const aclTensor *large, const aclTensor *indices,
                        const aclTensor *result, int axes)
{
    const struct ex_descriptor *d = &result->descriptor;
    struct k_plane plane = {
        .entries = plane_of(small, axes),
        .cells = plane_of(large, axes),
        .element_size = (int)ex_element_size(large->descriptor.data_type),
        .index_size = (int)ex_element_size(indices->descriptor.data_type),
    };
    ex_element_count(d->sizes, d->rank - axes, &plane.planes);
    return plane;
}

void op_describe_plane_fault(const void *parameters, void *const buffers[], int64_t position,
                             char *text, size_t size)
{
    const struct k_plane *plane = parameters;
    const void *indices = buffers[K_PLANE_INDICES];
    const int64_t index = plane->index_size == 4 ? ((const int32_t *)indices)[position]
                                                 : ((const int64_t *)indices)[position];
    snprintf(text, size,
             "element %" PRId64 " of indices is %" PRId64 "; it must be 0 to %" PRId64
             ", inside the plane",
             position, index, plane->cells - 1);
}
