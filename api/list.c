/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of tensors and scalars: arrays of pointers that own what they point at. */
#include <stddef.h>

#include "api/tensor.h"
#include "runtime/support/alloc.h"

#include "aclnn/opdev/op_errno.h"

aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size)
{
    aclTensorList *list =
        op_new_array(__func__, offsetof(aclTensorList, elements), value, &size, sizeof *value);
    if (list) list->size = size;
    return list;
}

aclScalarList *aclCreateScalarList(const aclScalar *const *value, uint64_t size)
{
    aclScalarList *list =
        op_new_array(__func__, offsetof(aclScalarList, elements), value, &size, sizeof *value);
    if (list) list->size = size;
    return list;
}

aclnnStatus aclDestroyTensorList(const aclTensorList *array)
{
    for (uint64_t i = 0; array && i < array->size; i++)
        aclDestroyTensor(array->elements[i]);
    rt_free((void *)array);
    return ACLNN_SUCCESS;
}

aclnnStatus aclDestroyScalarList(const aclScalarList *array)
{
    for (uint64_t i = 0; array && i < array->size; i++)
        aclDestroyScalar(array->elements[i]);
    rt_free((void *)array);
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetTensorListSize(const aclTensorList *tensorList, uint64_t *size)
{
    return op_get_size(__func__, "tensorList", tensorList ? &tensorList->size : NULL, size);
}

aclnnStatus aclGetScalarListSize(const aclScalarList *scalarList, uint64_t *size)
{
    return op_get_size(__func__, "scalarList", scalarList ? &scalarList->size : NULL, size);
}
