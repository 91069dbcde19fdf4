/* SPDX-License-Identifier: Apache-2.0 */
/* Events in captures and replays. Those of aclrtCreateEventExWithFlag are edges of the graph
 * (stream_capture.c). An event with ACL_EVENT_EXTERNAL is none: what is captured happens to it in
 * each replay. Locks: mark.h. */
#include <stddef.h>

#include "acl/acl_rt.h"
#include "runtime/event/mark.h"
#include "runtime/schedule/handles.h"
#include "runtime/support/error.h"

enum { WORD_EVENT };

static void rerun_record(struct rt_task *task, struct rt_stream *stream)
{
    struct rt_event *event = task->word[WORD_EVENT].pointer;
    bool is_awaited;
    pthread_mutex_lock(&event->lock);
    struct rt_mark *mark = rt_mark_record_locked(event, &is_awaited);
    pthread_mutex_unlock(&event->lock);
    if (!mark) {
        rt_stream_fail(stream, ACL_ERROR_RT_MEMORY_ALLOCATION, "no host memory for a record");
        return;
    }
    rt_object_retain(&event->object);
    rt_mark_pass(mark);
    pthread_mutex_lock(&event->lock);
    rt_mark_put_locked(mark);
    pthread_mutex_unlock(&event->lock);
}

/* The note tells that the stream was parked; when its mark has passed it is parked no more. A mark
 * that somebody waits for so is kept by the event, or by its record until that passes. */
static bool is_external_wait_over(struct rt_task *task, struct rt_stream *stream)
{
    struct rt_event *event = task->word[WORD_EVENT].pointer;
    uint64_t *was_parked = &task->word[RT_TASK_NOTE].number;
    pthread_mutex_lock(&event->lock);
    bool is_over = *was_parked != 0 && stream->waits_at.place == NULL;
    if (*was_parked == 0) {
        if (!event->shown) event->shown = rt_mark_new_locked(event);
        struct rt_mark *mark = event->shown;
        is_over = !mark || atomic_load_explicit(&mark->is_done, memory_order_relaxed);
        if (!is_over) rt_mark_park_locked(mark, stream, 0);
    }
    *was_parked = !is_over;
    pthread_mutex_unlock(&event->lock);
    return is_over;
}

static void leave_external_wait(struct rt_task *task, struct rt_stream *stream)
{
    struct rt_event *event = task->word[WORD_EVENT].pointer;
    pthread_mutex_lock(&event->lock);
    bool was_parked =
        stream->waits_at.place && rt_mark_leave_locked(stream->waits_at.place, stream);
    pthread_mutex_unlock(&event->lock);
    if (was_parked) rt_object_release(&stream->object);
}

static void rerun_wait(struct rt_task *task, struct rt_stream *stream)
{
    (void)task;
    (void)stream;
}

static void rerun_reset(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    rt_event_reset_now(task->word[WORD_EVENT].pointer);
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

bool rt_event_record_in_capture(const char *who, struct rt_event *event, struct rt_stream *stream,
                                aclError *status)
{
    if (event->is_ex) return rt_capture_record(who, stream, &event->captured, status);
    if (!rt_capture_is_captured(stream)) return false;
    *status = capture_external(who, event, stream, &external_record_kind);
    return true;
}

bool rt_event_wait_in_capture(const char *who, struct rt_event *event, struct rt_stream *stream,
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

bool rt_event_reset_in_capture(const char *who, struct rt_event *event, struct rt_stream *stream,
                               aclError *status)
{
    if (!rt_capture_is_captured(stream)) return false;
    *status = capture_external(who, event, stream, &external_reset_kind);
    return true;
}
