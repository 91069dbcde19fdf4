/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for all streams of a device. */
#include <inttypes.h>
#include <stdbool.h>

#include "acl/acl_rt.h"
#include "runtime/schedule/handles.h"
#include "runtime/schedule/hooks.h"
#include "runtime/support/checked.h"
#include "runtime/support/error.h"
#include "runtime/support/futex.h"

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
    if (status == ACL_SUCCESS && rt_hooks.capture.check_device)
        status = rt_hooks.capture.check_device(who, context->device);
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
        if (in_time) rt_check_joined(stream);
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
