/* SPDX-License-Identifier: Apache-2.0 */
/* Events: life, records, waits. Locks: mark.h. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "acl/acl_rt.h"
#include "runtime/event/mark.h"
#include "runtime/profile/profile.h"
#include "runtime/schedule/handles.h"
#include "runtime/support/alloc.h"
#include "runtime/support/checked.h"
#include "runtime/support/error.h"
#include "runtime/support/futex.h"
#include "runtime/support/point.h"

enum { WORD_MARK, WORD_STREAM, WORD_SECONDS };

static _Atomic uint32_t wait_timeout; /* aclrtSetOpWaitTimeout, seconds; 0: none */

/* --- tasks ----------------------------------------------------------------------------------- */

static void drop_record(struct rt_task *task)
{
    rt_mark_pass(task->word[WORD_MARK].pointer);
}

static void run_record(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    rt_mark_pass(task->word[WORD_MARK].pointer);
}

static bool is_wait_over(struct rt_task *task, struct rt_stream *stream)
{
    struct rt_mark *mark = task->word[WORD_MARK].pointer;
    if (atomic_load_explicit(&mark->is_done, memory_order_acquire)) return true;
    RT_POINT("mark was looked at");
    pthread_mutex_lock(&mark->event->lock);
    bool is_done = atomic_load_explicit(&mark->is_done, memory_order_relaxed);
    if (!is_done) rt_mark_park_locked(mark, stream, task->word[WORD_SECONDS].number);
    pthread_mutex_unlock(&mark->event->lock);
    return is_done;
}

static void end_wait(struct rt_mark *mark)
{
    struct rt_event *event = mark->event;
    pthread_mutex_lock(&event->lock);
    rt_mark_put_locked(mark);
    pthread_mutex_unlock(&event->lock);
    atomic_fetch_sub_explicit(&event->waits, 1, memory_order_release);
    rt_object_release(&event->object);
}

static void run_wait(struct rt_task *task, struct rt_stream *stream)
{
    struct rt_mark *mark = task->word[WORD_MARK].pointer;
    (void)stream;
    rt_profile_arrow_to(mark->arrow);
    end_wait(mark);
}

static void drop_wait(struct rt_task *task)
{
    struct rt_mark *mark = task->word[WORD_MARK].pointer;
    struct rt_stream *stream = task->word[WORD_STREAM].pointer;
    RT_POINT("before an event's wait leaves");
    pthread_mutex_lock(&mark->event->lock);
    bool was_parked = rt_mark_leave_locked(mark, stream);
    pthread_mutex_unlock(&mark->event->lock);
    if (was_parked) rt_object_release(&stream->object);
    end_wait(mark);
}

/* A dropped record counts as passed: streams that wait for it must not hang for ever. */
static const struct rt_task_kind record_kind = {
    .name = "aclrtRecordEvent", .run = run_record, .drop = drop_record, .is_quick = true};
static const struct rt_task_kind wait_kind = {.name = "aclrtStreamWaitEvent",
                                              .run = run_wait,
                                              .drop = drop_wait,
                                              .ready = is_wait_over,
                                              .is_quick = true};

/* --- life ------------------------------------------------------------------------------------ */

static bool is_own(const struct rt_event *event, const struct rt_mark *mark)
{
    return mark == &event->own[0] || mark == &event->own[1];
}

static void free_event(struct rt_object *object)
{
    struct rt_event *event = (struct rt_event *)object;
    for (struct rt_mark *mark = event->unused; mark;) {
        struct rt_mark *next = mark->next_free;
        if (!is_own(event, mark)) rt_free(mark);
        mark = next;
    }
    pthread_mutex_destroy(&event->lock);
    rt_free(event);
}

static void end_event(struct rt_object *object)
{
    struct rt_event *event = (struct rt_event *)object;
    if (!rt_registry_remove(object)) return;
    rt_check_died(RT_CHECK_EVENT, object);
    pthread_mutex_lock(&event->lock);
    rt_mark_put_locked(event->shown);
    event->shown = NULL;
    pthread_mutex_unlock(&event->lock);
    rt_object_release(object);
}

/* Records and waits that the parent had queued are not the child's: what was recorded counts as
 * done. */
static void reset_event(struct rt_object *object)
{
    struct rt_event *event = (struct rt_event *)object;
    pthread_mutex_init(&event->lock, NULL);
    atomic_store_explicit(&event->object.references, 1, memory_order_relaxed);
    atomic_store_explicit(&event->waits, 0, memory_order_relaxed);
    struct rt_mark *shown = event->shown;
    event->unused = NULL;
    for (int i = 0; i < 2; i++) {
        if (&event->own[i] == shown) continue;
        event->own[i].next_free = event->unused;
        event->unused = &event->own[i];
    }
    if (!shown) return;
    shown->references = 1;
    shown->parked = NULL;
    if (!shown->is_recorded || atomic_load_explicit(&shown->is_done, memory_order_relaxed)) return;
    shown->done_ns = rt_now_ns();
    atomic_store_explicit(&shown->is_done, true, memory_order_relaxed);
}

static const struct rt_object_class event_class = {
    .free = free_event, .end = end_event, .after_fork_child = reset_event};

static aclError create_event(const char *who, aclrtEvent *handle, uint32_t flags, bool is_ex)
{
    struct rt_context *context;
    if (!handle)
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "event is NULL; it must point to a place for the handle");
    if ((flags & ACL_EVENT_EXTERNAL) && flags != ACL_EVENT_EXTERNAL)
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "flag is 0x%" PRIx32 "; ACL_EVENT_EXTERNAL goes with no other flag",
                               flags);
    aclError status = rt_context_current(who, &context);
    if (status != ACL_SUCCESS) return status;
    struct rt_event *event = rt_alloc_zeroed(sizeof(*event));
    if (!event)
        return rt_error_report(ACL_ERROR_RT_MEMORY_ALLOCATION, who, "no host memory for an event");
    event->context = context;
    event->flags = flags;
    event->is_ex = is_ex;
    pthread_mutex_init(&event->lock, NULL);
    event->own[0].next_free = &event->own[1];
    event->unused = &event->own[0];
    rt_registry_add(&event->object, RT_OBJECT_EVENT, &context->object, &event_class);
    *handle = event;
    rt_check_born(RT_CHECK_EVENT, event, 0);
    return ACL_SUCCESS;
}

aclError aclrtCreateEvent(aclrtEvent *event)
{
    return create_event(__func__, event,
                        ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE | ACL_EVENT_CAPTURE_STREAM_PROGRESS,
                        false);
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
    return create_event(__func__, event, flag, false);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
    return create_event(__func__, event, flag, true);
}

aclError rt_event_acquire(const char *who, const char *argument, aclrtEvent handle,
                          struct rt_event **event)
{
    if (!handle) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "%s is NULL", argument);
    *event = (struct rt_event *)rt_registry_acquire(handle, RT_OBJECT_EVENT, 0);
    if (*event) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_RT_INVALID_HANDLE, who,
                           "%s %p is not an event, or has been destroyed", argument, handle);
}

void rt_event_release(struct rt_event *event)
{
    rt_object_release(&event->object);
}

aclError rt_event_acquire_uncaptured(const char *who, const char *argument, aclrtEvent handle,
                                     struct rt_event **event)
{
    aclError status = rt_event_acquire(who, argument, handle, event);
    if (status != ACL_SUCCESS || !rt_capture_point_is_live(&(*event)->captured)) return status;
    rt_event_release(*event);
    return rt_error_report(ACL_ERROR_RT_EVENT_CAPTURED, who,
                           "%s %p was recorded in a stream that is being captured", argument,
                           handle);
}

aclError aclrtDestroyEvent(aclrtEvent event)
{
    struct rt_event *found;
    aclError status = rt_event_acquire(__func__, "event", event, &found);
    if (status != ACL_SUCCESS) return status;
    end_event(&found->object);
    rt_event_release(found);
    return ACL_SUCCESS;
}

/* --- recording and waiting -------------------------------------------------------------------- */

/* One that is to be changed belongs to the stream's context, which is the thread's current one. A
 * stream may wait for any event. */
static aclError resolve_both(const char *who, aclrtEvent event_handle, bool changes,
                             aclrtStream stream_handle, struct rt_event **event,
                             struct rt_stream **stream)
{
    aclError status = rt_stream_resolve(who, stream_handle, stream);
    if (status == ACL_SUCCESS) status = rt_event_acquire(who, "event", event_handle, event);
    if (status != ACL_SUCCESS) return status;
    if (!changes || (*event)->context == (*stream)->context) return ACL_SUCCESS;
    rt_event_release(*event);
    return rt_error_report(ACL_ERROR_RT_STREAM_CONTEXT, who,
                           "event %p belongs to another context than the stream", event_handle);
}

static aclError record(struct rt_event *event, struct rt_stream *stream)
{
    bool is_awaited = false;
    uint64_t ticket = 0;
    pthread_mutex_lock(&event->lock);
    struct rt_mark *mark = rt_mark_record_locked(event, &is_awaited);
    pthread_mutex_unlock(&event->lock);
    if (!mark)
        return rt_error_report(ACL_ERROR_RT_MEMORY_ALLOCATION, record_kind.name,
                               "no host memory for a record");
    rt_object_retain(&event->object); /* the task's */
    struct rt_task task = {.kind = &record_kind, .word[WORD_MARK].pointer = mark};
    aclError status = rt_queue_submit(stream, &task, is_awaited ? RT_SUBMIT_LARGE : 0, &ticket);
    if (status != ACL_SUCCESS) rt_mark_pass(mark);
    RT_POINT("before a mark's place is set");
    pthread_mutex_lock(&event->lock);
    if (status == ACL_SUCCESS)
        rt_mark_set_place_locked(mark, (struct rt_dependency){.stream = stream,
                                                              .serial = stream->object.serial,
                                                              .ticket = ticket});
    rt_mark_put_locked(mark);
    pthread_mutex_unlock(&event->lock);
    return status;
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
    struct rt_event *found;
    struct rt_stream *queue;
    aclError status = resolve_both(__func__, event, true, stream, &found, &queue);
    if (status != ACL_SUCCESS) return status;
    if (!rt_event_record_in_capture(__func__, found, queue, &status)) status = record(found, queue);
    if (rt_check_on() && status == ACL_SUCCESS) rt_check_hooks.record(queue, found);
    rt_event_release(found);
    return status;
}

/* The mark to wait for, with a reference for the task; NULL with *status 0 when there is nothing to
 * wait for. */
static struct rt_mark *awaited_mark(struct rt_event *event, const struct rt_stream *stream,
                                    aclError *status)
{
    struct rt_mark *mark = event->shown;
    *status = ACL_SUCCESS;
    if (!mark) {
        if (event->is_ex) return NULL;
        mark = event->shown = rt_mark_new_locked(event);
        if (!mark) *status = ACL_ERROR_RT_MEMORY_ALLOCATION;
    } else if (atomic_load_explicit(&mark->is_done, memory_order_relaxed) ||
               mark->place.serial == stream->object.serial) {
        return NULL; /* passed, or earlier in the same stream */
    }
    if (mark) mark->references++;
    return mark;
}

static aclError wait_for(struct rt_event *event, struct rt_stream *stream, uint32_t seconds)
{
    aclError status;
    uint64_t ticket;
    pthread_mutex_lock(&event->lock);
    struct rt_mark *mark = awaited_mark(event, stream, &status);
    pthread_mutex_unlock(&event->lock);
    if (status != ACL_SUCCESS)
        return rt_error_report(status, wait_kind.name, "no host memory for a wait");
    if (!mark) return ACL_SUCCESS;
    rt_object_retain(&event->object); /* the task's */
    atomic_fetch_add_explicit(&event->waits, 1, memory_order_relaxed);
    struct rt_task task = {.kind = &wait_kind,
                           .word = {[WORD_MARK].pointer = mark,
                                    [WORD_STREAM].pointer = stream,
                                    [WORD_SECONDS].number = seconds}};
    status = rt_queue_submit(stream, &task, 0, &ticket);
    if (status != ACL_SUCCESS) end_wait(mark);
    return status;
}

static aclError stream_wait(const char *who, aclrtStream stream, aclrtEvent event, uint32_t seconds)
{
    struct rt_event *found;
    struct rt_stream *queue;
    aclError status = resolve_both(who, event, false, stream, &found, &queue);
    if (status != ACL_SUCCESS) return status;
    if (!rt_event_wait_in_capture(who, found, queue, &status))
        status = wait_for(found, queue, seconds);
    if (rt_check_on() && status == ACL_SUCCESS) rt_check_hooks.wait(queue, found, found->is_ex);
    rt_event_release(found);
    return status;
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
    return stream_wait(__func__, stream, event,
                       atomic_load_explicit(&wait_timeout, memory_order_relaxed));
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout)
{
    RT_CHECK(timeout >= 0, ACL_ERROR_RT_PARAM_INVALID,
             "timeout is %" PRId32 "; it must be seconds, or 0 for no limit", timeout);
    return stream_wait(__func__, stream, event, (uint32_t)timeout);
}

aclError aclrtSetOpWaitTimeout(uint32_t timeout)
{
    atomic_store_explicit(&wait_timeout, timeout, memory_order_relaxed);
    return ACL_SUCCESS;
}

/* Waits hold on to the mark they took, so a reset need not be queued behind them: it decides what
 * later calls see. */
aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)
{
    struct rt_event *found;
    struct rt_stream *queue;
    aclError status = resolve_both(__func__, event, true, stream, &found, &queue);
    if (status != ACL_SUCCESS) return status;
    if (found->is_ex) {
        status = RT_ERROR(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                          "event %p is from aclrtCreateEventExWithFlag, which is not reset", event);
    } else if (!rt_event_reset_in_capture(__func__, found, queue, &status) &&
               (found->flags & ACL_EVENT_TIME_LINE) == 0) {
        rt_event_reset_now(found);
        if (rt_check_on()) rt_check_hooks.reset(found);
    }
    rt_event_release(found);
    return status;
}
