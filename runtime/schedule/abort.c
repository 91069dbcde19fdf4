/* SPDX-License-Identifier: Apache-2.0 */
/* Ends the work of a stream or a device before its time. A task that computes cannot be stopped
 * half way: it is waited for, since it uses memory that the program may free next.
 * Locks: the stream's, see queue.c. */
#include <inttypes.h>
#include <stdbool.h>
#include <time.h>

#include "acl/acl_rt.h"
#include "runtime/schedule/claim.h"
#include "runtime/schedule/context.h"
#include "runtime/schedule/handles.h"
#include "runtime/schedule/queue.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/devices.h"
#include "runtime/support/error.h"
#include "runtime/support/futex.h"
#include "runtime/support/point.h"
#include "runtime/support/registry.h"
#include "runtime/support/thread.h"

enum { LOOK_NS = 1000000, STOP_NAP_NS = 50000, STOP_PATIENCE_NS = 2000000 };

/* The running task is a function of the program, which may be waiting for the caller. */
static bool is_away(struct rt_stream *stream)
{
    rt_lock_take(&stream->lock);
    bool is_away = stream->state == RT_STREAM_PARKED && stream->park.awaits == RT_AWAITS_RETURN;
    rt_lock_give(&stream->lock);
    return is_away;
}

/* Until all up to the ticket have run or been dropped. False: not by the deadline. */
static bool await_end(struct rt_stream *stream, uint64_t ticket, int64_t deadline)
{
    for (;;) {
        int64_t look = rt_now_ns() + LOOK_NS;
        if (rt_queue_await_until(stream, ticket, look < deadline ? look : deadline)) return true;
        if (is_away(stream)) return true;
        if (rt_now_ns() >= deadline) return false;
    }
}

aclError aclrtStreamAbort(aclrtStream stream)
{
    struct rt_stream *queue;
    aclError status = rt_stream_resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;
    rt_lock_take(&queue->lock);
    rt_stream_leave_error_locked(queue, ACL_ERROR_RT_STREAM_ABORT,
                                 "the stream was aborted; its work was dropped");
    rt_lock_give(&queue->lock);
    RT_POINT("abort has left its error");
    uint64_t ticket = rt_queue_submitted(queue);
    rt_queue_discard(queue, ticket);
    if (rt_is_inside_task()) return ACL_SUCCESS;
    await_end(queue, ticket, INT64_MAX);
    return ACL_SUCCESS;
}

/* Changes all streams that the program has made in the device's contexts, whose failure becomes
 * `code`. False: no host memory. */
static bool change_streams(int32_t device, aclError code, void (*change)(struct rt_stream *))
{
    struct rt_object **contexts, **streams;
    size_t count, stream_count;
    bool is_listed = true;
    if (!rt_registry_list(RT_OBJECT_CONTEXT, NULL, &contexts, &count)) return false;
    for (size_t i = 0; i < count && is_listed; i++) {
        struct rt_context *context = (struct rt_context *)contexts[i];
        if (context->device != device) continue;
        atomic_store_explicit(&context->failure, code, memory_order_release);
        is_listed = rt_registry_list(RT_OBJECT_STREAM, &context->object, &streams, &stream_count);
        if (!is_listed) continue;
        for (size_t j = 0; j < stream_count; j++)
            change(rt_stream_of(streams[j]));
        rt_registry_list_free(streams, stream_count);
    }
    rt_registry_list_free(contexts, count);
    return is_listed;
}

/* False: not by the deadline, or no host memory (*is_listed). */
static bool await_device(int32_t device, int64_t deadline, bool *is_listed)
{
    struct rt_object **streams;
    size_t count;
    bool in_time = true;
    *is_listed = rt_registry_list(RT_OBJECT_STREAM, NULL, &streams, &count);
    if (!*is_listed) return false;
    for (size_t i = 0; i < count && in_time; i++) {
        struct rt_stream *stream = rt_stream_of(streams[i]);
        if (stream->context->device == device)
            in_time = await_end(stream, rt_queue_submitted(stream), deadline);
    }
    rt_registry_list_free(streams, count);
    return in_time;
}

aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout)
{
    int64_t deadline = timeout == 0 ? INT64_MAX : rt_now_ns() + (int64_t)timeout * 1000000;
    RT_CHECK(rt_device_exists(deviceId), ACL_ERROR_RT_INVALID_DEVICEID,
             "deviceId is %" PRId32 "; devices are numbered from 0 to %d", deviceId,
             rt_device_count() - 1);
    aclError status = rt_stream_check_wait(__func__, NULL);
    if (status != ACL_SUCCESS) return status;
    bool is_listed =
        change_streams(deviceId, ACL_ERROR_RT_DEVICE_TASK_ABORT, rt_stream_refuse_work);
    if (is_listed) {
        RT_POINT("a device's work is dropped");
        bool in_time = await_device(deviceId, deadline, &is_listed);
        RT_CHECK(in_time || !is_listed, ACL_ERROR_RT_WAIT_TIMEOUT,
                 "a task of device %" PRId32 " still runs after %" PRIu32 " ms", deviceId, timeout);
    }
    RT_CHECK(is_listed && change_streams(deviceId, ACL_SUCCESS, rt_stream_accept_work),
             ACL_ERROR_RT_MEMORY_ALLOCATION, "no host memory for a list of streams");
    return ACL_SUCCESS;
}

enum stop { STOPS, RUNS_ON };

/* The wait that the stream stands at ends now; one that it has still to come to when it comes
 * there. */
static enum stop stop_locked(struct rt_stream *stream, unsigned *after)
{
    bool is_parked = stream->state == RT_STREAM_PARKED && stream->park.awaits != RT_AWAITS_RETURN;
    if (stream->state != RT_STREAM_IDLE && !is_parked) return RUNS_ON;
    if (is_parked) {
        rt_stop_wait_locked(stream);
        *after = rt_leave_locked(stream);
    } else if (rt_has_tasks(stream)) {
        rt_stop_next_wait_locked(stream);
    }
    return STOPS;
}

/* Whoever runs the stream may be about to park it: looks again for a moment. */
static enum stop try_to_stop(struct rt_stream *stream)
{
    const struct timespec nap = {.tv_nsec = STOP_NAP_NS};
    const int64_t deadline = rt_now_ns() + (rt_is_inside_task() ? 0 : STOP_PATIENCE_NS);
    for (;;) {
        unsigned after = 0;
        rt_lock_take(&stream->lock);
        enum stop stop = stop_locked(stream, &after);
        rt_claim_unlock(stream, after);
        if (stop == STOPS || rt_now_ns() >= deadline) return stop;
        RT_POINT("before a stop looks again");
        nanosleep(&nap, NULL);
    }
}

aclError aclrtStreamStop(aclrtStream stream)
{
    struct rt_stream *queue;
    RT_CHECK(stream, ACL_ERROR_RT_PARAM_INVALID,
             "stream is NULL; the default stream cannot be stopped");
    aclError status = rt_stream_resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;
    RT_CHECK(try_to_stop(queue) == STOPS, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
             "stream %u is running a task that does not wait for anything; a CPU cannot stop it "
             "half way",
             queue->id);
    return ACL_SUCCESS;
}
