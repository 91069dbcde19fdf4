/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of host values: a size and a copy of the values in one block. */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "api/tensor.h"
#include "runtime/support/alloc.h"
#include "runtime/support/base.h"
#include "runtime/support/error.h"

#include "aclnn/opdev/op_errno.h"

void *op_new_array(const char *who, size_t header, const void *values, uint64_t *size,
                   size_t value_size)
{
    size_t bytes;
    if (!values) *size = 0;
    if (!rt_size_mul_ok(*size, value_size, &bytes) || !rt_size_add_ok(bytes, header, &bytes)) {
        rt_error_report(ACLNN_ERR_PARAM_INVALID, who,
                        "size is %" PRIu64 "; that is beyond all memory", *size);
        return NULL;
    }
    char *array = rt_alloc(bytes);
    if (!array) {
        rt_error_report(ACLNN_ERR_INNER, who, "no host memory for %" PRIu64 " values", *size);
        return NULL;
    }
    if (*size) memcpy(array + header, values, bytes - header);
    return array;
}

aclnnStatus op_get_size(const char *who, const char *argument, const uint64_t *array_size,
                        uint64_t *size)
{
    if (!array_size || !size)
        return rt_error_report(ACLNN_ERR_PARAM_NULLPTR, who, "%s is NULL",
                               array_size ? "size" : argument);
    *size = *array_size;
    return ACLNN_SUCCESS;
}

aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size)
{
    aclIntArray *array =
        op_new_array(__func__, offsetof(aclIntArray, values), value, &size, sizeof *value);
    if (array) array->size = size;
    return array;
}

aclFloatArray *aclCreateFloatArray(const float *value, uint64_t size)
{
    aclFloatArray *array =
        op_new_array(__func__, offsetof(aclFloatArray, values), value, &size, sizeof *value);
    if (array) array->size = size;
    return array;
}

aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size)
{
    aclBoolArray *array =
        op_new_array(__func__, offsetof(aclBoolArray, values), value, &size, sizeof *value);
    if (array) array->size = size;
    return array;
}

aclnnStatus aclDestroyIntArray(const aclIntArray *array)
{
    rt_free((void *)array);
    return ACLNN_SUCCESS;
}

aclnnStatus aclDestroyFloatArray(const aclFloatArray *array)
{
    rt_free((void *)array);
    return ACLNN_SUCCESS;
}

aclnnStatus aclDestroyBoolArray(const aclBoolArray *array)
{
    rt_free((void *)array);
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size)
{
    return op_get_size(__func__, "array", array ? &array->size : NULL, size);
}

aclnnStatus aclGetFloatArraySize(const aclFloatArray *array, uint64_t *size)
{
    return op_get_size(__func__, "array", array ? &array->size : NULL, size);
}

aclnnStatus aclGetBoolArraySize(const aclBoolArray *array, uint64_t *size)
{
    return op_get_size(__func__, "array", array ? &array->size : NULL, size);
}
