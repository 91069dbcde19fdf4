/* SPDX-License-Identifier: Apache-2.0 */
/* acl_rt.h: limits of a device's cores, which here are threads. Each kind has its limit; a thread
 * does the work of both kinds, so the smaller one counts. Locks: none, each limit is one number. */
#include "runtime/schedule/limit.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"
#include "runtime/schedule/context.h"
#include "runtime/schedule/queue.h"
#include "runtime/support/config.h"
#include "runtime/support/devices.h"
#include "runtime/support/error.h"
#include "runtime/support/thread.h"

enum { KINDS = RT_LIMIT_KINDS };

/* ---- checks ---- */

static aclError check_device(const char *who, int32_t device)
{
    if (rt_device_exists(device)) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_RT_INVALID_DEVICEID, who,
                           "deviceId is %" PRId32 "; devices are numbered from 0 to %" PRId32,
                           device, rt_device_count() - 1);
}

static aclError check_kind(const char *who, aclrtDevResLimitType type)
{
    if ((unsigned)type < KINDS) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                           "type is %d; it must be ACL_RT_DEV_RES_CUBE_CORE or "
                           "ACL_RT_DEV_RES_VECTOR_CORE",
                           (int)type);
}

static aclError check_limit(const char *who, uint32_t value)
{
    const uint32_t threads = (uint32_t)rt_config()->threads;
    if (value > 0 && value <= threads) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                           "value is %" PRIu32 "; it must be from 1 to %" PRIu32
                           ", the threads of a device (ACLNN_CPU_THREADS)",
                           value, threads);
}

static aclError check_place(const char *who, const uint32_t *value)
{
    return value ? ACL_SUCCESS : rt_error_report(ACL_ERROR_INVALID_PARAM, who, "value is NULL");
}

/* ---- a device's ---- */

aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t *value)
{
    aclError status = check_place(__func__, value);
    if (status == ACL_SUCCESS) status = check_device(__func__, deviceId);
    if (status == ACL_SUCCESS) status = check_kind(__func__, type);
    if (status == ACL_SUCCESS) *value = (uint32_t)rt_limit_of_device(deviceId, (int)type);
    return status;
}

aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value)
{
    aclError status = check_device(__func__, deviceId);
    if (status == ACL_SUCCESS) status = check_kind(__func__, type);
    if (status == ACL_SUCCESS) status = check_limit(__func__, value);
    if (status == ACL_SUCCESS)
        atomic_store_explicit(&rt_device_limits[deviceId][type], value, memory_order_relaxed);
    return status;
}

aclError aclrtResetDeviceResLimit(int32_t deviceId)
{
    const aclError status = check_device(__func__, deviceId);
    for (int kind = 0; kind < KINDS && status == ACL_SUCCESS; kind++)
        atomic_store_explicit(&rt_device_limits[deviceId][kind], 0, memory_order_relaxed);
    return status;
}

/* ---- a stream's ---- */

aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t *value)
{
    struct rt_stream *queue;
    aclError status = check_place(__func__, value);
    if (status == ACL_SUCCESS) status = rt_stream_resolve(__func__, stream, &queue);
    if (status == ACL_SUCCESS) status = check_kind(__func__, type);
    if (status == ACL_SUCCESS) *value = (uint32_t)rt_limit_of_stream(queue, (int)type);
    return status;
}

aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value)
{
    struct rt_stream *queue;
    aclError status = rt_stream_resolve(__func__, stream, &queue);
    if (status == ACL_SUCCESS) status = check_kind(__func__, type);
    if (status == ACL_SUCCESS) status = check_limit(__func__, value);
    if (status == ACL_SUCCESS)
        atomic_store_explicit(&queue->limits[type], value, memory_order_relaxed);
    return status;
}

aclError aclrtResetStreamResLimit(aclrtStream stream)
{
    struct rt_stream *queue;
    const aclError status = rt_stream_resolve(__func__, stream, &queue);
    for (int kind = 0; kind < KINDS && status == ACL_SUCCESS; kind++)
        atomic_store_explicit(&queue->limits[kind], 0, memory_order_relaxed);
    return status;
}

/* ---- a thread's: those of the stream that it names ---- */

aclError aclrtUseStreamResInCurrentThread(aclrtStream stream)
{
    struct rt_stream *queue;
    const aclError status = rt_stream_resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;
    rt_self.limits_of = stream;
    rt_self.has_limits = true;
    return ACL_SUCCESS;
}

aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream)
{
    struct rt_stream *queue;
    const aclError status = rt_stream_resolve(__func__, stream, &queue);
    if (status == ACL_SUCCESS) rt_self.has_limits = false;
    return status;
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t *value)
{
    struct rt_context *context;
    struct rt_stream *queue;
    aclError status = check_place(__func__, value);
    if (status == ACL_SUCCESS) status = check_kind(__func__, type);
    if (status == ACL_SUCCESS) status = rt_context_current(__func__, &context);
    if (status == ACL_SUCCESS && rt_self.has_limits)
        status = rt_stream_resolve(__func__, rt_self.limits_of, &queue);
    if (status != ACL_SUCCESS) return status;
    *value = (uint32_t)(rt_self.has_limits ? rt_limit_of_stream(queue, (int)type)
                                           : rt_limit_of_device(context->device, (int)type));
    return ACL_SUCCESS;
}
