/* SPDX-License-Identifier: Apache-2.0 */
/* What the program asks an event: whether it has come, and when; waiting for it on the host. Locks:
 * mark.h. */
#include <inttypes.h>
#include <stddef.h>

#include "acl/acl_rt.h"
#include "runtime/event/mark.h"
#include "runtime/schedule/handles.h"
#include "runtime/support/checked.h"
#include "runtime/support/error.h"
#include "runtime/support/futex.h"

struct shown {
    bool is_recorded;
    bool is_done;
    int64_t done_ns;
    struct rt_dependency place;
};

static struct shown look_at(struct rt_event *event)
{
    struct shown shown = {0};
    pthread_mutex_lock(&event->lock);
    const struct rt_mark *mark = event->shown;
    if (mark && mark->is_recorded)
        shown =
            (struct shown){.is_recorded = true,
                           .is_done = atomic_load_explicit(&mark->is_done, memory_order_acquire),
                           .done_ns = mark->done_ns,
                           .place = mark->place};
    pthread_mutex_unlock(&event->lock);
    return shown;
}

/* NULL when there is no record, or its stream is no more. */
static struct rt_stream *acquire_recorder(const struct shown *shown)
{
    if (shown->place.serial == 0) return NULL;
    return rt_stream_of(
        rt_registry_acquire(shown->place.stream, RT_OBJECT_STREAM, shown->place.serial));
}

/* Whoever polls an event shall not wait for the watchman. */
static void kick_recorder(const struct shown *shown)
{
    struct rt_stream *stream = acquire_recorder(shown);
    if (stream) rt_queue_kick(stream);
    rt_object_release(stream ? &stream->object : NULL);
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status)
{
    struct rt_event *found;
    RT_CHECK(status, ACL_ERROR_INVALID_PARAM, "status is NULL");
    aclError code = rt_event_acquire_uncaptured(__func__, "event", event, &found);
    if (code != ACL_SUCCESS) return code;
    struct shown shown = look_at(found);
    bool is_complete = shown.is_recorded ? shown.is_done : found->is_ex;
    if (!is_complete) kick_recorder(&shown);
    if (rt_check_on() && is_complete) rt_check_hooks.joined_event(found);
    *status =
        is_complete ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    rt_event_release(found);
    return ACL_SUCCESS;
}

static aclError refuse_ex(const char *who, aclrtEvent event)
{
    return rt_error_report(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, who,
                           "event %p is from aclrtCreateEventExWithFlag; aclrtQueryEventStatus "
                           "asks those",
                           event);
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status)
{
    struct rt_event *found;
    RT_CHECK(status, ACL_ERROR_INVALID_PARAM, "status is NULL");
    aclError code = rt_event_acquire_uncaptured(__func__, "event", event, &found);
    if (code != ACL_SUCCESS) return code;
    if (found->is_ex) {
        code = refuse_ex(__func__, event);
    } else {
        struct shown shown = look_at(found);
        bool is_pending = shown.is_recorded && !shown.is_done;
        if (is_pending) kick_recorder(&shown);
        if (rt_check_on() && !is_pending) rt_check_hooks.joined_event(found);
        *status = is_pending ? ACL_EVENT_STATUS_NOT_READY : ACL_EVENT_STATUS_COMPLETE;
    }
    rt_event_release(found);
    return code;
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status)
{
    struct rt_event *found;
    RT_CHECK(status, ACL_ERROR_INVALID_PARAM, "status is NULL");
    aclError code = rt_event_acquire_uncaptured(__func__, "event", event, &found);
    if (code != ACL_SUCCESS) return code;
    if (found->is_ex)
        code = refuse_ex(__func__, event);
    else
        *status = atomic_load_explicit(&found->waits, memory_order_acquire) > 0
                      ? ACL_EVENT_WAIT_STATUS_NOT_READY
                      : ACL_EVENT_WAIT_STATUS_COMPLETE;
    rt_event_release(found);
    return code;
}

static aclError await(const char *who, aclrtEvent event, struct rt_stream *stream, uint64_t ticket,
                      int64_t deadline_ns)
{
    bool has_deadline = deadline_ns != RT_FOREVER;
    aclError status = rt_stream_check_wait(who, has_deadline ? NULL : stream);
    if (status != ACL_SUCCESS) return status;
    if (!has_deadline)
        rt_queue_await(stream, ticket);
    else if (!rt_queue_await_until(stream, ticket, deadline_ns))
        return rt_error_report(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, who,
                               "event %p has not completed in time", event);
    return ACL_SUCCESS;
}

/* deadline_ns RT_FOREVER: none. An event that was never recorded is complete, as on the device. */
static aclError synchronize(const char *who, aclrtEvent event, int64_t deadline_ns)
{
    struct rt_event *found;
    aclError status = rt_event_acquire_uncaptured(who, "event", event, &found);
    if (status != ACL_SUCCESS) return status;
    struct shown shown = look_at(found);
    struct rt_stream *stream = acquire_recorder(&shown);
    if (stream) {
        if (!shown.is_done) status = await(who, event, stream, shown.place.ticket, deadline_ns);
        if (status == ACL_SUCCESS) status = rt_stream_take_error(who, stream);
        rt_object_release(&stream->object);
    }
    if (rt_check_on() && status == ACL_SUCCESS) rt_check_hooks.joined_event(found);
    rt_event_release(found);
    return status;
}

aclError aclrtSynchronizeEvent(aclrtEvent event)
{
    return synchronize(__func__, event, RT_FOREVER);
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)
{
    RT_CHECK(timeout == -1 || timeout > 0, ACL_ERROR_RT_PARAM_INVALID,
             "timeout is %" PRId32 "; it must be -1 or milliseconds greater than 0", timeout);
    return synchronize(__func__, event,
                       timeout == -1 ? RT_FOREVER : rt_now_ns() + (int64_t)timeout * 1000000);
}

static aclError time_of(const char *who, const char *argument, aclrtEvent event, int64_t *ns)
{
    struct rt_event *found;
    aclError status = rt_event_acquire_uncaptured(who, argument, event, &found);
    if (status != ACL_SUCCESS) return status;
    struct shown shown = look_at(found);
    if (found->flags & ACL_EVENT_EXTERNAL)
        status =
            rt_error_report(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, who,
                            "%s %p is an external event, which keeps no time", argument, event);
    else if (!shown.is_recorded)
        status = rt_error_report(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, who,
                                 "%s %p has not been recorded", argument, event);
    else if (!shown.is_done)
        status = rt_error_report(ACL_ERROR_RT_EVENT_NOT_COMPLETE, who,
                                 "%s %p has not completed; synchronise it first", argument, event);
    else
        *ns = shown.done_ns;
    rt_event_release(found);
    return status;
}

aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent)
{
    int64_t start = 0, end = 0;
    RT_CHECK(ms, ACL_ERROR_INVALID_PARAM, "ms is NULL");
    aclError status = time_of(__func__, "startEvent", startEvent, &start);
    if (status == ACL_SUCCESS) status = time_of(__func__, "endEvent", endEvent, &end);
    if (status != ACL_SUCCESS) return status;
    RT_CHECK(end >= start, ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL,
             "endEvent was recorded %" PRId64 " ns before startEvent", start - end);
    *ms = (float)((double)(end - start) * 1e-6);
    return ACL_SUCCESS;
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp)
{
    int64_t ns = 0;
    RT_CHECK(timestamp, ACL_ERROR_INVALID_PARAM, "timestamp is NULL");
    aclError status = time_of(__func__, "event", event, &ns);
    if (status == ACL_SUCCESS) *timestamp = (uint64_t)(ns / 1000);
    return status;
}

aclError aclrtGetEventId(aclrtEvent event, uint32_t *eventId)
{
    struct rt_event *found;
    RT_CHECK(eventId, ACL_ERROR_INVALID_PARAM, "eventId is NULL");
    aclError status = rt_event_acquire(__func__, "event", event, &found);
    if (status != ACL_SUCCESS) return status;
    *eventId = (uint32_t)found->object.serial;
    rt_event_release(found);
    return ACL_SUCCESS;
}
