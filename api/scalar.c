/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars: one value with its type. */
#include <string.h>

#include "api/tensor.h"
#include "runtime/support/alloc.h"
#include "runtime/support/error.h"

#include "aclnn/opdev/op_errno.h"

aclScalar *aclCreateScalar(void *value, aclDataType dataType)
{
    size_t size = ex_element_size(dataType);
    if (!value) {
        RT_ERROR(ACLNN_ERR_PARAM_NULLPTR, "value is NULL");
        return NULL;
    }
    if (size == 0) {
        RT_ERROR(ACLNN_ERR_PARAM_INVALID, "dataType is %d; a scalar cannot have that type",
                 (int)dataType);
        return NULL;
    }
    aclScalar *scalar = rt_alloc_zeroed(sizeof *scalar);
    if (!scalar) {
        RT_ERROR(ACLNN_ERR_INNER, "no host memory for a scalar");
        return NULL;
    }
    scalar->data_type = dataType;
    memcpy(scalar->value, value, size);
    return scalar;
}

aclnnStatus aclDestroyScalar(const aclScalar *scalar)
{
    rt_free((void *)scalar);
    return ACLNN_SUCCESS;
}
