/* SPDX-License-Identifier: Apache-2.0 */
/* Events. Each record makes a mark: a point in a stream that is passed once. A wait takes the mark
 * that the event shows when the wait is submitted, so a later record cannot disturb it. A plain
 * event that was never recorded, or was reset, shows a mark without a place, which the next record
 * fills in; waiting for it parks the stream until then.
 *
 * Locks: an event's lock guards its marks, with their lists of parked streams. A stream's lock may
 * be taken inside it, never the other way round. A parked stream's dependency is written under
 * both. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "acl/acl_rt.h"
#include "runtime/alloc.h"
#include "runtime/error.h"
#include "runtime/futex.h"
#include "runtime/handles.h"
#include "runtime/profile.h"
#include "runtime/queue.h"
#include "runtime/stream_capture.h"
#include "runtime/thread.h"

struct rt_mark {
    struct rt_event *event;
    int references; /* the event while it shows this mark, and each queued task */
    bool is_recorded;
    atomic_bool is_done;
    int64_t done_ns; /* CLOCK_MONOTONIC */
    struct rt_dependency place;
    struct rt_stream *parked;
    uint64_t arrow; /* names the record in a timeline; 0: it is in none */
    struct rt_mark *next_free;
};

struct rt_event {
    struct rt_object object; /* one reference for the handle and one for each queued task */
    struct rt_context *context;
    uint32_t flags;
    bool is_ex;
    atomic_int waits; /* queued and not yet passed */
    struct rt_capture_point captured;
    pthread_mutex_t lock;
    struct rt_mark *shown; /* NULL: never recorded, or reset */
    struct rt_mark *unused;
    struct rt_mark own[2]; /* enough for an event that is synchronised between records */
};

enum { WORD_MARK, WORD_STREAM, WORD_SECONDS };

static _Atomic uint32_t wait_timeout; /* aclrtSetOpWaitTimeout, seconds; 0: none */

/* --- marks; all need the event's lock -------------------------------------------------------- */

static struct rt_mark *new_mark(struct rt_event *event)
{
    struct rt_mark *mark = event->unused;
    if (mark)
        event->unused = mark->next_free;
    else
        mark = rt_alloc(sizeof(*mark));
    if (!mark) return NULL;
    *mark = (struct rt_mark){.event = event, .references = 1};
    return mark;
}

static void put_mark(struct rt_mark *mark)
{
    if (!mark || --mark->references > 0) return;
    mark->next_free = mark->event->unused;
    mark->event->unused = mark;
}

static void set_dependency(struct rt_stream *stream, const struct rt_dependency *place)
{
    rt_lock_take(&stream->lock);
    stream->dependency = *place;
    rt_lock_give(&stream->lock);
}

/* The place is known only once the record is queued; streams may be parked by then. */
static void set_place(struct rt_mark *mark, struct rt_dependency place)
{
    mark->place = place;
    for (struct rt_stream *stream = mark->parked; stream; stream = stream->parked_next)
        set_dependency(stream, &place);
}

/* Once more for the same mark when the stream was set going without need; its deadline stays. */
static void park_on(struct rt_mark *mark, struct rt_stream *stream, uint64_t seconds)
{
    if (stream->parked_on == mark) return;
    rt_object_retain(&stream->object);
    stream->parked_on = mark;
    stream->parked_next = mark->parked;
    mark->parked = stream;
    struct rt_wait wait = {.place = mark->place, .deadline_ns = rt_deadline_of(seconds)};
    rt_queue_expect(stream, &wait);
}

static bool leave_parked(struct rt_mark *mark, struct rt_stream *stream)
{
    if (stream->parked_on != mark) return false;
    struct rt_stream **link = &mark->parked;
    while (*link != stream)
        link = &(*link)->parked_next;
    *link = stream->parked_next;
    stream->parked_on = NULL;
    return true;
}

/* --- tasks ----------------------------------------------------------------------------------- */

/* Streams are set going under the event's lock: one that is dropped meanwhile leaves the list
 * first, and so is not set going when it waits for something else. */
static void pass_mark(struct rt_mark *mark)
{
    struct rt_event *event = mark->event;
    pthread_mutex_lock(&event->lock);
    struct rt_stream *parked = mark->parked;
    mark->parked = NULL;
    mark->done_ns = rt_now_ns();
    mark->arrow = rt_profile_arrow_from();
    atomic_store_explicit(&mark->is_done, true, memory_order_release);
    while (parked) {
        struct rt_stream *stream = parked;
        parked = stream->parked_next; /* once unparked it may park anew */
        stream->parked_on = NULL;
        rt_queue_unpark(stream);
        rt_object_release(&stream->object);
    }
    put_mark(mark);
    pthread_mutex_unlock(&event->lock);
    rt_object_release(&event->object);
}

static void drop_record(struct rt_task *task)
{
    pass_mark(task->word[WORD_MARK].pointer);
}

static void run_record(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    pass_mark(task->word[WORD_MARK].pointer);
}

static bool is_wait_over(struct rt_task *task, struct rt_stream *stream)
{
    struct rt_mark *mark = task->word[WORD_MARK].pointer;
    if (atomic_load_explicit(&mark->is_done, memory_order_acquire)) return true;
    pthread_mutex_lock(&mark->event->lock);
    bool is_done = atomic_load_explicit(&mark->is_done, memory_order_relaxed);
    if (!is_done) park_on(mark, stream, task->word[WORD_SECONDS].number);
    pthread_mutex_unlock(&mark->event->lock);
    return is_done;
}

static void end_wait(struct rt_mark *mark)
{
    struct rt_event *event = mark->event;
    pthread_mutex_lock(&event->lock);
    put_mark(mark);
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
    pthread_mutex_lock(&mark->event->lock);
    bool was_parked = leave_parked(mark, stream);
    pthread_mutex_unlock(&mark->event->lock);
    if (was_parked) rt_object_release(&stream->object);
    end_wait(mark);
}

/* A dropped record counts as passed: streams that wait for it must not hang for ever. */
static const struct rt_task_kind record_kind = {
    .name = "aclrtRecordEvent", .run = run_record, .drop = drop_record};
static const struct rt_task_kind wait_kind = {
    .name = "aclrtStreamWaitEvent", .run = run_wait, .drop = drop_wait, .ready = is_wait_over};

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
    rt_registry_add(&event->object, RT_OBJECT_EVENT, &context->object, free_event);
    *handle = event;
    return ACL_SUCCESS;
}

void rt_event_destroy(struct rt_event *event)
{
    if (!rt_registry_remove(&event->object)) return;
    pthread_mutex_lock(&event->lock);
    put_mark(event->shown);
    event->shown = NULL;
    pthread_mutex_unlock(&event->lock);
    rt_object_release(&event->object);
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

/* The event behind a handle, with a reference that the caller gives back. */
static aclError acquire_event(const char *who, const char *argument, aclrtEvent handle,
                              struct rt_event **event)
{
    if (!handle) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "%s is NULL", argument);
    *event = (struct rt_event *)rt_registry_acquire(handle, RT_OBJECT_EVENT, 0);
    if (*event) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_RT_INVALID_HANDLE, who,
                           "%s %p is not an event, or has been destroyed", argument, handle);
}

static void release_event(struct rt_event *event)
{
    rt_object_release(&event->object);
}

/* The same for calls that ask or wait for it on the host. */
static aclError acquire_uncaptured(const char *who, const char *argument, aclrtEvent handle,
                                   struct rt_event **event)
{
    aclError status = acquire_event(who, argument, handle, event);
    if (status != ACL_SUCCESS || !rt_capture_point_is_live(&(*event)->captured)) return status;
    release_event(*event);
    return rt_error_report(ACL_ERROR_RT_EVENT_CAPTURED, who,
                           "%s %p was recorded in a stream that is being captured", argument,
                           handle);
}

aclError aclrtDestroyEvent(aclrtEvent event)
{
    struct rt_event *found;
    aclError status = acquire_event(__func__, "event", event, &found);
    if (status != ACL_SUCCESS) return status;
    rt_event_destroy(found);
    release_event(found);
    return ACL_SUCCESS;
}

/* --- in graphs -------------------------------------------------------------------------------- */

/* An event with ACL_EVENT_EXTERNAL is not an edge of the graph: what is captured happens to it in
 * each replay. */
enum { WORD_EVENT };

/* The mark that the record shall fill in, with references for the task and for the caller. */
static struct rt_mark *show_recorded(struct rt_event *event, bool *is_awaited)
{
    struct rt_mark *mark = event->shown;
    if (!mark || mark->is_recorded) {
        mark = new_mark(event);
        if (!mark) return NULL;
        put_mark(event->shown);
        event->shown = mark;
    }
    mark->is_recorded = true;
    mark->references += 2;
    *is_awaited = mark->parked != NULL;
    return mark;
}

static void rerun_record(struct rt_task *task, struct rt_stream *stream)
{
    struct rt_event *event = task->word[WORD_EVENT].pointer;
    bool is_awaited;
    pthread_mutex_lock(&event->lock);
    struct rt_mark *mark = show_recorded(event, &is_awaited);
    pthread_mutex_unlock(&event->lock);
    if (!mark) {
        rt_stream_fail(stream, ACL_ERROR_RT_MEMORY_ALLOCATION, "no host memory for a record");
        return;
    }
    rt_object_retain(&event->object);
    pass_mark(mark);
    pthread_mutex_lock(&event->lock);
    put_mark(mark);
    pthread_mutex_unlock(&event->lock);
}

/* The note tells that the stream was parked; when its mark has passed it is parked no more. A mark
 * that somebody waits for so is kept by the event, or by its record until that passes. */
static bool is_external_wait_over(struct rt_task *task, struct rt_stream *stream)
{
    struct rt_event *event = task->word[WORD_EVENT].pointer;
    uint64_t *was_parked = &task->word[RT_TASK_NOTE].number;
    pthread_mutex_lock(&event->lock);
    bool is_over = *was_parked != 0 && stream->parked_on == NULL;
    if (*was_parked == 0) {
        if (!event->shown) event->shown = new_mark(event);
        struct rt_mark *mark = event->shown;
        is_over = !mark || atomic_load_explicit(&mark->is_done, memory_order_relaxed);
        if (!is_over) park_on(mark, stream, 0);
    }
    *was_parked = !is_over;
    pthread_mutex_unlock(&event->lock);
    return is_over;
}

static void leave_external_wait(struct rt_task *task, struct rt_stream *stream)
{
    struct rt_event *event = task->word[WORD_EVENT].pointer;
    pthread_mutex_lock(&event->lock);
    bool was_parked = stream->parked_on && leave_parked(stream->parked_on, stream);
    pthread_mutex_unlock(&event->lock);
    if (was_parked) rt_object_release(&stream->object);
}

static void rerun_wait(struct rt_task *task, struct rt_stream *stream)
{
    (void)task;
    (void)stream;
}

static void reset_now(struct rt_event *event)
{
    pthread_mutex_lock(&event->lock);
    if (event->shown && event->shown->is_recorded) {
        put_mark(event->shown);
        event->shown = NULL;
    }
    pthread_mutex_unlock(&event->lock);
}

static void rerun_reset(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    reset_now(task->word[WORD_EVENT].pointer);
}

static void drop_external(struct rt_task *task)
{
    struct rt_event *event = task->word[WORD_EVENT].pointer;
    rt_object_release(&event->object);
}

/* When the capture has ended before the task came to it. */
static void run_external(struct rt_task *task, struct rt_stream *stream)
{
    task->kind->rerun(task, stream);
    drop_external(task);
}

static const struct rt_task_kind external_record_kind = {
    .name = "aclrtRecordEvent", .run = run_external, .drop = drop_external, .rerun = rerun_record};
static const struct rt_task_kind external_wait_kind = {.name = "aclrtStreamWaitEvent",
                                                       .run = run_external,
                                                       .drop = drop_external,
                                                       .ready = is_external_wait_over,
                                                       .leave = leave_external_wait,
                                                       .rerun = rerun_wait};
static const struct rt_task_kind external_reset_kind = {
    .name = "aclrtResetEvent", .run = run_external, .drop = drop_external, .rerun = rerun_reset};

static aclError capture_external(const char *who, struct rt_event *event, struct rt_stream *stream,
                                 const struct rt_task_kind *kind)
{
    if ((event->flags & ACL_EVENT_EXTERNAL) == 0)
        return rt_error_report(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, who,
                               "stream %u is being captured; that takes events of "
                               "aclrtCreateEventExWithFlag, or with ACL_EVENT_EXTERNAL",
                               stream->id);
    struct rt_task task = {.kind = kind, .word[WORD_EVENT].pointer = event};
    rt_object_retain(&event->object);
    aclError status = rt_stream_submit(stream, &task, 0);
    if (status != ACL_SUCCESS) rt_object_release(&event->object);
    return status;
}

/* All three: false when the stream is not being captured, else *status is the outcome. */
static bool record_in_capture(const char *who, struct rt_event *event, struct rt_stream *stream,
                              aclError *status)
{
    if (event->is_ex) return rt_capture_record(who, stream, &event->captured, status);
    if (!rt_capture_is_captured(stream)) return false;
    *status = capture_external(who, event, stream, &external_record_kind);
    return true;
}

static bool wait_in_capture(const char *who, struct rt_event *event, struct rt_stream *stream,
                            aclError *status)
{
    if (rt_capture_wait(who, stream, &event->captured, status)) return true;
    if (!rt_capture_is_captured(stream)) return false;
    if (!event->is_ex) {
        *status = capture_external(who, event, stream, &external_wait_kind);
        return true;
    }
    pthread_mutex_lock(&event->lock);
    bool is_recorded = event->shown != NULL;
    pthread_mutex_unlock(&event->lock);
    *status = ACL_SUCCESS; /* nothing to wait for */
    if (is_recorded)
        *status = rt_error_report(ACL_ERROR_RT_CAPTURE_DEPENDENCY, who,
                                  "stream %u is being captured and the event was recorded outside "
                                  "of the capture",
                                  stream->id);
    return true;
}

static bool reset_in_capture(const char *who, struct rt_event *event, struct rt_stream *stream,
                             aclError *status)
{
    if (!rt_capture_is_captured(stream)) return false;
    *status = capture_external(who, event, stream, &external_reset_kind);
    return true;
}

/* --- recording and waiting -------------------------------------------------------------------- */

/* One that is to be changed belongs to the stream's context, which is the thread's current one. A
 * stream may wait for any event. */
static aclError resolve_both(const char *who, aclrtEvent event_handle, bool changes,
                             aclrtStream stream_handle, struct rt_event **event,
                             struct rt_stream **stream)
{
    aclError status = rt_stream_resolve(who, stream_handle, stream);
    if (status == ACL_SUCCESS) status = acquire_event(who, "event", event_handle, event);
    if (status != ACL_SUCCESS) return status;
    if (!changes || (*event)->context == (*stream)->context) return ACL_SUCCESS;
    release_event(*event);
    return rt_error_report(ACL_ERROR_RT_STREAM_CONTEXT, who,
                           "event %p belongs to another context than the stream", event_handle);
}

static aclError record(struct rt_event *event, struct rt_stream *stream)
{
    bool is_awaited = false;
    uint64_t ticket = 0;
    pthread_mutex_lock(&event->lock);
    struct rt_mark *mark = show_recorded(event, &is_awaited);
    pthread_mutex_unlock(&event->lock);
    if (!mark)
        return rt_error_report(ACL_ERROR_RT_MEMORY_ALLOCATION, record_kind.name,
                               "no host memory for a record");
    rt_object_retain(&event->object); /* the task's */
    struct rt_task task = {.kind = &record_kind, .word[WORD_MARK].pointer = mark};
    aclError status = rt_queue_submit(stream, &task, is_awaited ? RT_SUBMIT_LARGE : 0, &ticket);
    if (status != ACL_SUCCESS) pass_mark(mark);
    pthread_mutex_lock(&event->lock);
    if (status == ACL_SUCCESS)
        set_place(mark, (struct rt_dependency){
                            .stream = stream, .serial = stream->object.serial, .ticket = ticket});
    put_mark(mark);
    pthread_mutex_unlock(&event->lock);
    return status;
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
    struct rt_event *found;
    struct rt_stream *queue;
    aclError status = resolve_both(__func__, event, true, stream, &found, &queue);
    if (status != ACL_SUCCESS) return status;
    if (!record_in_capture(__func__, found, queue, &status)) status = record(found, queue);
    release_event(found);
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
        mark = event->shown = new_mark(event);
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
    if (!wait_in_capture(who, found, queue, &status)) status = wait_for(found, queue, seconds);
    release_event(found);
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
    } else if (!reset_in_capture(__func__, found, queue, &status) &&
               (found->flags & ACL_EVENT_TIME_LINE) == 0) {
        reset_now(found);
    }
    release_event(found);
    return status;
}

/* --- asking ----------------------------------------------------------------------------------- */

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

static struct rt_stream *acquire_recorder(const struct shown *shown)
{
    if (shown->is_done || shown->place.serial == 0) return NULL;
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
    aclError code = acquire_uncaptured(__func__, "event", event, &found);
    if (code != ACL_SUCCESS) return code;
    struct shown shown = look_at(found);
    bool is_complete = shown.is_recorded ? shown.is_done : found->is_ex;
    if (!is_complete) kick_recorder(&shown);
    *status =
        is_complete ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    release_event(found);
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
    aclError code = acquire_uncaptured(__func__, "event", event, &found);
    if (code != ACL_SUCCESS) return code;
    if (found->is_ex) {
        code = refuse_ex(__func__, event);
    } else {
        struct shown shown = look_at(found);
        bool is_pending = shown.is_recorded && !shown.is_done;
        if (is_pending) kick_recorder(&shown);
        *status = is_pending ? ACL_EVENT_STATUS_NOT_READY : ACL_EVENT_STATUS_COMPLETE;
    }
    release_event(found);
    return code;
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status)
{
    struct rt_event *found;
    RT_CHECK(status, ACL_ERROR_INVALID_PARAM, "status is NULL");
    aclError code = acquire_uncaptured(__func__, "event", event, &found);
    if (code != ACL_SUCCESS) return code;
    if (found->is_ex)
        code = refuse_ex(__func__, event);
    else
        *status = atomic_load_explicit(&found->waits, memory_order_acquire) > 0
                      ? ACL_EVENT_WAIT_STATUS_NOT_READY
                      : ACL_EVENT_WAIT_STATUS_COMPLETE;
    release_event(found);
    return code;
}

/* deadline_ns RT_FOREVER: none. An event that was never recorded is complete, as on the device. */
static aclError synchronize(const char *who, aclrtEvent event, int64_t deadline_ns)
{
    struct rt_event *found;
    aclError status = acquire_uncaptured(who, "event", event, &found);
    if (status != ACL_SUCCESS) return status;
    struct shown shown = look_at(found);
    release_event(found);
    struct rt_stream *stream = acquire_recorder(&shown);
    if (!stream) return ACL_SUCCESS;
    status = rt_stream_check_wait(who, deadline_ns == RT_FOREVER ? stream : NULL);
    if (status != ACL_SUCCESS) {
        rt_object_release(&stream->object);
        return status;
    }
    if (deadline_ns == RT_FOREVER)
        rt_queue_await(stream, shown.place.ticket);
    else if (!rt_queue_await_until(stream, shown.place.ticket, deadline_ns))
        status = rt_error_report(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, who,
                                 "event %p has not completed in time", event);
    if (status == ACL_SUCCESS) status = rt_stream_take_error(who, stream);
    rt_object_release(&stream->object);
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
    aclError status = acquire_uncaptured(who, argument, event, &found);
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
    release_event(found);
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
    aclError status = acquire_event(__func__, "event", event, &found);
    if (status != ACL_SUCCESS) return status;
    *eventId = (uint32_t)found->object.serial;
    release_event(found);
    return ACL_SUCCESS;
}

/* --- fork ------------------------------------------------------------------------------------- */

/* Records and waits that the parent had queued are not the child's: what was recorded counts as
 * done. */
void rt_event_after_fork_child(struct rt_event *event)
{
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
