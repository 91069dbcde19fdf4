/* SPDX-License-Identifier: Apache-2.0 */
/* aclrtLaunchCallback: the tasks that hand callbacks to the subscribed thread, and those of graphs,
 * which do so anew in each replay.
 * Locks: that of callback.c; a stream's may be taken inside it. */
#include <stddef.h>
#include <time.h>

#include "acl/acl_rt.h"
#include "runtime/callback/callback.h"
#include "runtime/callback/subscriber.h"
#include "runtime/capture/stream_capture.h"
#include "runtime/schedule/host.h"
#include "runtime/schedule/queue.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/checked.h"
#include "runtime/support/error.h"
#include "runtime/support/point.h"

enum { WORD_CALLBACK };

/* Of a captured one; the note is the callback that the replay waits for, or NO_MEMORY. */
enum { WORD_FUNCTION, WORD_DATA, WORD_SUBSCRIBER, WORD_GENERATION };
enum { NO_MEMORY = 1 };

enum { NAP_NS = 100000 };

/* --- tasks of streams ------------------------------------------------------------------------ */

/* False: nobody has subscribed, or not any more. */
static bool hand_over_locked(struct rt_callback *callback)
{
    struct rt_subscriber *subscriber = rt_callback_subscriber_locked(callback->stream);
    if (!subscriber) return false;
    rt_callback_leave_list_locked(callback);
    rt_callback_list_locked(callback, subscriber);
    return true;
}

static bool is_over_locked(const struct rt_callback *callback)
{
    return callback->state != RT_CALLBACK_LISTED && callback->state != RT_CALLBACK_TAKEN;
}

static bool has_run(struct rt_task *task, struct rt_stream *stream)
{
    struct rt_callback *callback = task->word[WORD_CALLBACK].pointer;
    rt_callback_lock();
    struct rt_subscriber *subscriber = rt_callback_subscriber_locked(callback->stream);
    if (callback->state == RT_CALLBACK_LAUNCHED && subscriber) {
        const struct rt_wait wait = {.awaits = RT_AWAITS_THREAD,
                                     .is_polled = !subscriber->has_entered};
        rt_queue_expect(stream, &wait);
        hand_over_locked(callback);
    }
    bool is_over = is_over_locked(callback);
    rt_callback_unlock();
    RT_POINT("callback was looked at");
    return is_over;
}

static void drop_callback(struct rt_task *task)
{
    struct rt_callback *callback = task->word[WORD_CALLBACK].pointer;
    rt_callback_lock();
    rt_callback_leave_list_locked(callback);
    rt_callback_unlock();
    rt_callback_free(callback);
}

static void run_blocking(struct rt_task *task, struct rt_stream *stream)
{
    struct rt_callback *callback = task->word[WORD_CALLBACK].pointer;
    if (callback->state != RT_CALLBACK_ENDED) rt_callback_fail(stream);
    drop_callback(task);
}

static void run_passing(struct rt_task *task, struct rt_stream *stream)
{
    struct rt_callback *callback = task->word[WORD_CALLBACK].pointer;
    rt_callback_lock();
    bool ok = hand_over_locked(callback);
    rt_callback_unlock();
    if (ok) return;
    rt_callback_fail(stream);
    drop_callback(task);
}

static const struct rt_task_kind blocking_kind = {
    .name = "aclrtLaunchCallback", .run = run_blocking, .drop = drop_callback, .ready = has_run};
static const struct rt_task_kind passing_kind = {
    .name = "aclrtLaunchCallback", .run = run_passing, .drop = drop_callback};

/* --- tasks of graphs ------------------------------------------------------------------------- */

static void fail_without_memory(struct rt_stream *stream)
{
    rt_stream_fail(stream, ACL_ERROR_RT_MEMORY_ALLOCATION, "no host memory for a callback");
}

/* The child of a fork has no subscribers: its graphs' callbacks fail. */
static struct rt_subscriber *subscriber_of(const struct rt_task *task)
{
    bool is_own = task->word[WORD_GENERATION].number == rt_host_generation();
    return is_own ? task->word[WORD_SUBSCRIBER].pointer : NULL;
}

/* NULL without memory. */
static struct rt_callback *new_replayed(const struct rt_task *task, struct rt_stream *stream,
                                        bool is_blocking)
{
    aclrtCallback function = (aclrtCallback)task->word[WORD_FUNCTION].number;
    struct rt_callback *callback =
        rt_callback_new(stream, function, task->word[WORD_DATA].pointer, is_blocking);
    if (callback) callback->is_replayed = true;
    return callback;
}

static void drop_captured(struct rt_task *task)
{
    struct rt_subscriber *subscriber = subscriber_of(task);
    if (subscriber) rt_callback_unbind(subscriber);
}

static void rerun_passing(struct rt_task *task, struct rt_stream *stream)
{
    struct rt_subscriber *subscriber = subscriber_of(task);
    struct rt_callback *callback = subscriber ? new_replayed(task, stream, false) : NULL;
    if (subscriber && !callback) {
        fail_without_memory(stream);
        return;
    }
    rt_callback_lock();
    bool is_there = subscriber && !rt_callback_has_ended_locked(subscriber);
    if (is_there) rt_callback_list_locked(callback, subscriber);
    rt_callback_unlock();
    if (is_there) return;
    rt_callback_fail(stream);
    if (callback) rt_callback_free(callback);
}

static bool has_returned(struct rt_task *task, struct rt_stream *stream)
{
    struct rt_subscriber *subscriber = subscriber_of(task);
    uint64_t *note = &task->word[RT_TASK_NOTE].number;
    if (!subscriber || *note == NO_MEMORY) return true;
    struct rt_callback *callback = task->word[RT_TASK_NOTE].pointer;
    bool is_new = !callback;
    if (is_new) callback = new_replayed(task, stream, true);
    if (!callback) {
        *note = NO_MEMORY;
        return true;
    }
    rt_callback_lock();
    if (is_new) task->word[RT_TASK_NOTE].pointer = callback;
    if (is_new && rt_callback_has_ended_locked(subscriber)) {
        callback->state = RT_CALLBACK_ORPHANED;
    } else if (is_new) {
        const struct rt_wait wait = {.awaits = RT_AWAITS_THREAD,
                                     .is_polled = !subscriber->has_entered};
        rt_queue_expect(stream, &wait);
        stream->callback.awaited = subscriber;
        rt_callback_list_locked(callback, subscriber);
    }
    bool is_over = is_over_locked(callback);
    if (is_over) stream->callback.awaited = NULL;
    rt_callback_unlock();
    RT_POINT("callback of a graph was looked at");
    return is_over;
}

static void rerun_blocking(struct rt_task *task, struct rt_stream *stream)
{
    struct rt_callback *callback = task->word[RT_TASK_NOTE].pointer;
    if (!subscriber_of(task)) {
        rt_callback_fail(stream);
    } else if (task->word[RT_TASK_NOTE].number == NO_MEMORY) {
        fail_without_memory(stream);
    } else {
        if (callback->state != RT_CALLBACK_ENDED) rt_callback_fail(stream);
        rt_callback_free(callback);
    }
}

/* One that the thread has begun is awaited: its data may go after the replay. */
static void leave_captured(struct rt_task *task, struct rt_stream *stream)
{
    const struct timespec nap = {.tv_nsec = NAP_NS};
    struct rt_callback *callback = task->word[RT_TASK_NOTE].pointer;
    rt_callback_lock();
    rt_callback_leave_list_locked(callback);
    while (callback->state == RT_CALLBACK_TAKEN) {
        rt_callback_unlock();
        nanosleep(&nap, NULL);
        rt_callback_lock();
    }
    stream->callback.awaited = NULL;
    rt_callback_unlock();
    rt_callback_free(callback);
}

static const struct rt_task_kind captured_blocking_kind = {.name = "aclrtLaunchCallback",
                                                           .run = rerun_blocking,
                                                           .drop = drop_captured,
                                                           .rerun = rerun_blocking,
                                                           .leave = leave_captured,
                                                           .ready = has_returned};
static const struct rt_task_kind captured_passing_kind = {.name = "aclrtLaunchCallback",
                                                          .run = rerun_passing,
                                                          .drop = drop_captured,
                                                          .rerun = rerun_passing};

/* False: the stream is not captured any more. */
static bool capture(struct rt_stream *stream, const struct rt_callback *callback, aclError *status)
{
    struct rt_task task = {
        .kind = callback->is_blocking ? &captured_blocking_kind : &captured_passing_kind,
        .word = {[WORD_FUNCTION].number = (uint64_t)(uintptr_t)callback->function,
                 [WORD_DATA].pointer = callback->data,
                 [WORD_SUBSCRIBER].pointer = callback->subscriber,
                 [WORD_GENERATION].number = rt_host_generation()}};
    bool is_taken = rt_capture_take(stream, &task, RT_SUBMIT_LARGE, status);
    if (!is_taken || *status != ACL_SUCCESS) drop_captured(&task);
    return is_taken;
}

/* --- the program ----------------------------------------------------------------------------- */

static aclError launch(struct rt_stream *stream, const struct rt_callback *what)
{
    struct rt_callback *callback =
        rt_callback_new(stream, what->function, what->data, what->is_blocking);
    if (!callback)
        return rt_error_report(ACL_ERROR_RT_MEMORY_ALLOCATION, blocking_kind.name,
                               "no host memory for a callback");
    if (callback->is_blocking)
        atomic_fetch_add_explicit(&stream->callback.blocking, 1, memory_order_relaxed);
    rt_callback_lock();
    rt_callback_launch_locked(callback);
    rt_callback_unlock();
    struct rt_task task = {.kind = callback->is_blocking ? &blocking_kind : &passing_kind,
                           .word[WORD_CALLBACK].pointer = callback};
    aclError status = rt_stream_submit(stream, &task, RT_SUBMIT_LARGE);
    if (status != ACL_SUCCESS) drop_callback(&task);
    return status;
}

aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType,
                             aclrtStream stream)
{
    struct rt_stream *queue;
    RT_CHECK(blockType == ACL_CALLBACK_BLOCK || blockType == ACL_CALLBACK_NO_BLOCK,
             ACL_ERROR_INVALID_PARAM,
             "blockType is %d; it must be ACL_CALLBACK_NO_BLOCK or ACL_CALLBACK_BLOCK",
             (int)blockType);
    RT_CHECK(fn, ACL_ERROR_RT_PARAM_INVALID, "fn is NULL");
    aclError status = rt_stream_resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;
    struct rt_callback what = {
        .function = fn, .data = userData, .is_blocking = blockType == ACL_CALLBACK_BLOCK};
    bool is_captured = rt_capture_is_captured(queue);
    rt_callback_lock();
    bool is_for_host = queue->callback.has_host_functions;
    bool has_ended = queue->callback.subscriber && !rt_callback_subscriber_locked(queue);
    bool has_subscriber = queue->callback.subscriber != NULL;
    if (is_captured && has_subscriber) {
        what.subscriber = queue->callback.subscriber;
        rt_callback_bind_locked(what.subscriber);
    }
    rt_callback_unlock();
    RT_CHECK(!is_for_host, ACL_ERROR_RT_STREAM_SUBSCRIBE,
             "stream %u has had host functions (aclrtLaunchHostFunc); it takes no callbacks",
             queue->id);
    RT_CHECK(has_subscriber, ACL_ERROR_RT_STREAM_NO_CB_REG,
             "no thread is subscribed to stream %u; aclrtSubscribeReport does that", queue->id);
    RT_CHECK(!has_ended || is_captured, ACL_ERROR_RT_STREAM_NO_CB_REG,
             "the thread that is subscribed to stream %u has ended", queue->id);
    if (rt_check_on()) rt_check_hooks.function(queue, (uintptr_t)fn, userData);
    if (is_captured && capture(queue, &what, &status)) return status;
    return launch(queue, &what);
}
