/* SPDX-License-Identifier: Apache-2.0 */
/* Devices and their primary contexts; the end of the runtime, and fork.
 * Locks: device_lock guards the primary contexts and their counts. It is never held while waiting
 * for work; taken before any other lock. */
#include "runtime/device/device.h"

#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>

#include "acl/acl_rt.h"
#include "runtime/callback/callback.h"
#include "runtime/callback/exception.h"
#include "runtime/capture/graph.h"
#include "runtime/capture/stream_capture.h"
#include "runtime/device/system.h"
#include "runtime/event/notify.h"
#include "runtime/event/value.h"
#include "runtime/schedule/context.h"
#include "runtime/schedule/grace.h"
#include "runtime/schedule/handles.h"
#include "runtime/schedule/host.h"
#include "runtime/schedule/worker.h"
#include "runtime/support/error.h"
#include "runtime/support/futex.h"
#include "runtime/support/thread.h"

enum { DEVICES = 1 };

static pthread_mutex_t device_lock = PTHREAD_MUTEX_INITIALIZER;
static struct primary {
    struct rt_context *context;
    uint64_t count; /* aclrtSetDevice calls not yet undone; 0 with a context that only threads
                       without one use (aclInit's defaultDevice) */
} primaries[DEVICES];

int32_t rt_device_count(void)
{
    return DEVICES;
}

bool rt_device_exists(int32_t device)
{
    return device >= 0 && device < DEVICES;
}

static aclError check_device(const char *who, int32_t device)
{
    if (rt_device_exists(device)) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_RT_INVALID_DEVICEID, who,
                           "deviceId is %" PRId32 "; devices are numbered from 0 to %d", device,
                           DEVICES - 1);
}

/* --- fork ----------------------------------------------------------------------------------- */

static void before_fork(void)
{
    pthread_mutex_lock(&device_lock);
    rt_capture_before_fork();
    rt_registry_before_fork();
    rt_callback_before_fork();
    rt_exception_before_fork();
    rt_host_before_fork();
    rt_value_before_fork();
    rt_grace_before_fork();
    rt_worker_before_fork();
}

static void after_fork_parent(void)
{
    rt_worker_after_fork_parent();
    rt_grace_after_fork_parent();
    rt_value_after_fork_parent();
    rt_host_after_fork_parent();
    rt_exception_after_fork_parent();
    rt_callback_after_fork_parent();
    rt_registry_after_fork_parent();
    rt_capture_after_fork_parent();
    pthread_mutex_unlock(&device_lock);
}

static void reset_object(struct rt_object *object)
{
    if (object->kind == RT_OBJECT_STREAM) rt_queue_after_fork_child(rt_stream_of(object));
    if (object->kind == RT_OBJECT_GRAPH) rt_graph_after_fork_child((struct rt_graph *)object);
    if (object->kind == RT_OBJECT_EVENT) rt_event_after_fork_child((struct rt_event *)object);
    if (object->kind == RT_OBJECT_NOTIFY || object->kind == RT_OBJECT_COUNT_NOTIFY)
        rt_notify_after_fork_child(object);
}

static void after_fork_child(void)
{
    rt_worker_after_fork_child();
    rt_grace_after_fork_child();
    rt_value_after_fork_child();
    rt_host_after_fork_child();
    rt_exception_after_fork_child();
    rt_callback_after_fork_child();
    rt_registry_after_fork_child(reset_object);
    rt_capture_after_fork_child();
    pthread_mutex_init(&device_lock, NULL);
}

static void watch_for_fork(void)
{
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

void rt_runtime_prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_for_fork);
}

/* --- devices -------------------------------------------------------------------------------- */

aclError aclrtGetDeviceCount(uint32_t *count)
{
    RT_CHECK(count, ACL_ERROR_INVALID_PARAM, "count is NULL");
    *count = DEVICES;
    return ACL_SUCCESS;
}

/* The device's primary context, made if it is not there, with so many uses more. NULL without
 * memory. */
static struct rt_context *use_primary(int32_t device, uint64_t uses)
{
    pthread_mutex_lock(&device_lock);
    struct primary *primary = &primaries[device];
    if (!primary->context) primary->context = rt_context_new(device, true);
    struct rt_context *context = primary->context;
    if (context) primary->count += uses;
    pthread_mutex_unlock(&device_lock);
    return context;
}

struct rt_context *rt_device_default_context(void)
{
    int32_t device = rt_system_default_device();
    return device >= 0 && rt_device_exists(device) ? use_primary(device, 0) : NULL;
}

aclError aclrtSetDevice(int32_t deviceId)
{
    aclError status = check_device(__func__, deviceId);
    if (status != ACL_SUCCESS) return status;
    struct rt_context *context = use_primary(deviceId, 1);
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
    struct rt_context *ending = NULL;
    pthread_mutex_lock(&device_lock);
    struct primary *primary = &primaries[device];
    bool is_set = primary->count > 0;
    if (is_set && (at_once || --primary->count == 0)) {
        ending = primary->context;
        *primary = (struct primary){0};
    }
    pthread_mutex_unlock(&device_lock);
    if (!is_set)
        return rt_error_report(ACL_ERROR_RT_CONTEXT_NULL, who,
                               "device %" PRId32 " is not set; it has been reset as often as set",
                               device);
    if (ending) rt_context_destroy(ending);
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
    aclError status = rt_context_current(__func__, &context);
    if (status == ACL_SUCCESS) *deviceId = context->device;
    return status;
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags, int32_t *active)
{
    RT_CHECK(!flags, ACL_ERROR_INVALID_PARAM, "flags must be NULL");
    RT_CHECK(active, ACL_ERROR_INVALID_PARAM, "active is NULL");
    aclError status = check_device(__func__, deviceId);
    if (status != ACL_SUCCESS) return status;
    pthread_mutex_lock(&device_lock);
    *active = primaries[deviceId].context != NULL;
    pthread_mutex_unlock(&device_lock);
    return ACL_SUCCESS;
}

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus)
{
    RT_CHECK(deviceStatus, ACL_ERROR_INVALID_PARAM, "deviceStatus is NULL");
    aclError status = check_device(__func__, deviceId);
    if (status == ACL_SUCCESS) *deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
    return status;
}

/* --- synchronising -------------------------------------------------------------------------- */

static bool is_on_device(const struct rt_stream *stream, int32_t device)
{
    return stream->context->device == device;
}

/* The first error found is returned; those of other streams stay for their own synchronise. */
static aclError synchronize(const char *who, int64_t deadline_ns)
{
    struct rt_context *context;
    struct rt_object **objects;
    size_t count;
    aclError status = rt_context_current(who, &context);
    if (status != ACL_SUCCESS) return status;
    status = rt_stream_check_wait(who, NULL);
    if (status == ACL_SUCCESS) status = rt_capture_check_device(who, context->device);
    if (status != ACL_SUCCESS) return status;
    if (!rt_registry_list(RT_OBJECT_STREAM, NULL, &objects, &count))
        return rt_error_report(ACL_ERROR_RT_MEMORY_ALLOCATION, who,
                               "no host memory for a list of streams");
    bool in_time = true;
    for (size_t i = 0; i < count && in_time && status == ACL_SUCCESS; i++) {
        struct rt_stream *stream = rt_stream_of(objects[i]);
        if (!is_on_device(stream, context->device)) continue;
        if (deadline_ns == RT_FOREVER) status = rt_stream_check_wait(who, stream);
        if (status != ACL_SUCCESS) break;
        uint64_t ticket = rt_queue_submitted(stream);
        if (deadline_ns == RT_FOREVER)
            rt_queue_await(stream, ticket);
        else
            in_time = rt_queue_await_until(stream, ticket, deadline_ns);
    }
    for (size_t i = 0; i < count && in_time && status == ACL_SUCCESS; i++) {
        struct rt_stream *stream = rt_stream_of(objects[i]);
        if (is_on_device(stream, context->device)) status = rt_stream_take_error(who, stream);
    }
    rt_registry_list_free(objects, count);
    if (!in_time)
        return rt_error_report(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, who,
                               "device %" PRId32 " has not finished in time", context->device);
    return status;
}

aclError aclrtSynchronizeDevice(void)
{
    return synchronize(__func__, RT_FOREVER);
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)
{
    RT_CHECK(timeout == -1 || timeout > 0, ACL_ERROR_RT_PARAM_INVALID,
             "timeout is %" PRId32 "; it must be -1 or milliseconds greater than 0", timeout);
    return synchronize(__func__,
                       timeout == -1 ? RT_FOREVER : rt_now_ns() + (int64_t)timeout * 1000000);
}

/* --- the end -------------------------------------------------------------------------------- */

void rt_runtime_shutdown(void)
{
    struct rt_object **objects;
    size_t count;
    pthread_mutex_lock(&device_lock);
    for (int i = 0; i < DEVICES; i++)
        primaries[i] = (struct primary){0};
    pthread_mutex_unlock(&device_lock);
    if (rt_registry_list(RT_OBJECT_CONTEXT, NULL, &objects, &count)) {
        for (size_t i = 0; i < count; i++)
            rt_context_destroy((struct rt_context *)objects[i]);
        rt_registry_list_free(objects, count);
    }
    rt_exception_end();
    rt_host_stop(); /* its threads may be about to wake workers, and so to start them */
    rt_worker_stop();
    rt_context_peek(); /* forgets this thread's context */
}
