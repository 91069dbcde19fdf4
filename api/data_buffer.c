/* SPDX-License-Identifier: Apache-2.0 */
/* aclDataBuffer, a pair of address and size, and the sizes of types. */
#include <stddef.h>

#include "executor/view.h"
#include "runtime/support/alloc.h"
#include "runtime/support/error.h"

#include "acl/acl_base.h"

struct aclDataBuffer {
    void *data;
    size_t size;
};

aclDataBuffer *aclCreateDataBuffer(void *data, size_t size)
{
    aclDataBuffer *buffer = rt_alloc(sizeof *buffer);
    if (!buffer) {
        RT_ERROR(ACL_ERROR_BAD_ALLOC, "no host memory for a data buffer");
        return NULL;
    }
    *buffer = (aclDataBuffer){.data = data, .size = size};
    return buffer;
}

aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer)
{
    RT_CHECK(dataBuffer, ACL_ERROR_INVALID_PARAM, "dataBuffer is NULL");
    rt_free((void *)dataBuffer);
    return ACL_SUCCESS;
}

aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size)
{
    RT_CHECK(dataBuffer, ACL_ERROR_INVALID_PARAM, "dataBuffer is NULL");
    *dataBuffer = (aclDataBuffer){.data = data, .size = size};
    return ACL_SUCCESS;
}

void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer)
{
    return dataBuffer ? dataBuffer->data : NULL;
}

uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer)
{
    return dataBuffer ? (uint32_t)dataBuffer->size : 0;
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer)
{
    return dataBuffer ? dataBuffer->size : 0;
}

size_t aclDataTypeSize(aclDataType dataType)
{
    return ex_element_size(dataType);
}
