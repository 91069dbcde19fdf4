/* SPDX-License-Identifier: Apache-2.0 */
/* Devices and their primary contexts; the end of the runtime, and fork. */
#include "runtime/device/device.h"

#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>

#include "acl/acl_rt.h"
#include "runtime/callback/exception.h"
#include "runtime/schedule/context.h"
#include "runtime/schedule/handles.h"
#include "runtime/schedule/host.h"
#include "runtime/schedule/worker.h"
#include "runtime/support/devices.h"
#include "runtime/support/error.h"

static aclError check_device(const char *who, int32_t device)
{
    if (rt_device_exists(device)) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_RT_INVALID_DEVICEID, who,
                           "deviceId is %" PRId32 "; devices are numbered from 0 to %d", device,
                           rt_device_count() - 1);
}

/* --- devices -------------------------------------------------------------------------------- */

aclError aclrtGetDeviceCount(uint32_t *count)
{
    RT_CHECK(count, ACL_ERROR_INVALID_PARAM, "count is NULL");
    *count = (uint32_t)rt_device_count();
    return ACL_SUCCESS;
}

aclError aclrtSetDevice(int32_t deviceId)
{
    aclError status = check_device(__func__, deviceId);
    if (status != ACL_SUCCESS) return status;
    struct rt_context *context = rt_context_use_primary(deviceId, 1);
    RT_CHECK(context, ACL_ERROR_RT_MEMORY_ALLOCATION, "no host memory for device %" PRId32,
             deviceId);
    if (rt_context_peek() != context) rt_context_enter(context);
    return ACL_SUCCESS;
}

static aclError reset_device(const char *who, int32_t device, bool at_once)
{
    aclError status = check_device(who, device);
    if (status == ACL_SUCCESS) status = rt_stream_check_wait(who, NULL);
    if (status != ACL_SUCCESS) return status;
    struct rt_context *ending;
    bool is_set = rt_context_leave_primary(device, at_once, &ending);
    if (!is_set)
        return rt_error_report(ACL_ERROR_RT_CONTEXT_NULL, who,
                               "device %" PRId32 " is not set; it has been reset as often as set",
                               device);
    if (ending) rt_context_destroy(ending, true);
    return ACL_SUCCESS;
}

aclError aclrtResetDevice(int32_t deviceId)
{
    return reset_device(__func__, deviceId, false);
}

aclError aclrtResetDeviceForce(int32_t deviceId)
{
    return reset_device(__func__, deviceId, true);
}

aclError aclrtGetDevice(int32_t *deviceId)
{
    struct rt_context *context;
    RT_CHECK(deviceId, ACL_ERROR_INVALID_PARAM, "deviceId is NULL");
    aclError status = rt_context_probe(__func__, &context);
    if (status == ACL_SUCCESS) *deviceId = context->device;
    return status;
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags, int32_t *active)
{
    RT_CHECK(!flags, ACL_ERROR_INVALID_PARAM, "flags must be NULL");
    RT_CHECK(active, ACL_ERROR_INVALID_PARAM, "active is NULL");
    aclError status = check_device(__func__, deviceId);
    if (status != ACL_SUCCESS) return status;
    *active = rt_context_has_primary(deviceId);
    return ACL_SUCCESS;
}

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus)
{
    RT_CHECK(deviceStatus, ACL_ERROR_INVALID_PARAM, "deviceStatus is NULL");
    aclError status = check_device(__func__, deviceId);
    if (status == ACL_SUCCESS) *deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
    return status;
}

/* --- the end -------------------------------------------------------------------------------- */

void rt_runtime_shutdown(void)
{
    struct rt_object **objects;
    size_t count;
    rt_context_forget_primaries();
    if (rt_registry_list(RT_OBJECT_CONTEXT, NULL, &objects, &count)) {
        /* Default contexts are the library's: it ends them as aclrtResetDevice does. */
        for (size_t i = 0; i < count; i++) {
            struct rt_context *context = (struct rt_context *)objects[i];
            rt_context_destroy(context, context->is_primary);
        }
        rt_registry_list_free(objects, count);
    }
    rt_exception_end();
    rt_host_stop(); /* its threads may be about to wake workers, and so to start them */
    rt_worker_stop();
    rt_context_peek(); /* forgets this thread's context */
}
