/* SPDX-License-Identifier: Apache-2.0 */
/* Physical memory of one process in another one, which this library does not have: a piece is an
 * anonymous mapping, not a file. */
#include "runtime/support/error.h"

#include "acl/acl_rt.h"

#define REFUSE_SHARING()                                                                           \
    RT_ERROR(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,                                                     \
             "physical memory is not handed from one process to another here")

aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType handleType,
                                         uint64_t flags, uint64_t *shareableHandle)
{
    (void)handleType;
    (void)flags;
    RT_CHECK(handle, ACL_ERROR_INVALID_PARAM, "handle is NULL");
    RT_CHECK(shareableHandle, ACL_ERROR_INVALID_PARAM, "shareableHandle is NULL");
    return REFUSE_SHARING();
}

aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid, size_t pidNum)
{
    (void)shareableHandle;
    (void)pidNum;
    RT_CHECK(pid, ACL_ERROR_INVALID_PARAM, "pid is NULL");
    return REFUSE_SHARING();
}

aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId,
                                           aclrtDrvMemHandle *handle)
{
    (void)shareableHandle;
    (void)deviceId;
    RT_CHECK(handle, ACL_ERROR_INVALID_PARAM, "handle is NULL");
    return REFUSE_SHARING();
}
