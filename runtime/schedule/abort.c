/* SPDX-License-Identifier: Apache-2.0 */
/* Ends a stream's work before its time. A task that computes cannot be stopped half way: it is
 * waited for, since it uses memory that the program may free next.
 * Locks: the stream's, see queue.c. */
#include <stdbool.h>
#include <stdio.h>

#include "acl/acl_rt.h"
#include "runtime/schedule/claim.h"
#include "runtime/schedule/handles.h"
#include "runtime/schedule/queue.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/error.h"
#include "runtime/support/futex.h"
#include "runtime/support/point.h"
#include "runtime/support/thread.h"

enum { LOOK_NS = 1000000 };

/* The running task is a function of the program, which may be waiting for the caller. */
static bool is_away(struct rt_stream *stream)
{
    rt_lock_take(&stream->lock);
    bool is_away = stream->state == RT_STREAM_PARKED && stream->awaits == RT_AWAITS_RETURN;
    rt_lock_give(&stream->lock);
    return is_away;
}

/* Leaves the error for the next synchronise, in place of what the dropped work may have left. */
static void leave_error_locked(struct rt_stream *stream, aclError code, const char *text)
{
    if (stream->refuses) return;
    stream->error = code;
    snprintf(stream->error_text, sizeof(stream->error_text), "%s", text);
    atomic_store_explicit(&stream->has_error, true, memory_order_release);
}

aclError aclrtStreamAbort(aclrtStream stream)
{
    struct rt_stream *queue;
    aclError status = rt_stream_resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;
    rt_lock_take(&queue->lock);
    leave_error_locked(queue, ACL_ERROR_RT_STREAM_ABORT,
                       "the stream was aborted; its work was dropped");
    rt_lock_give(&queue->lock);
    RT_POINT("abort has left its error");
    uint64_t ticket = rt_queue_submitted(queue);
    rt_queue_discard(queue, ticket);
    if (rt_is_inside_task()) return ACL_SUCCESS;
    while (!rt_queue_await_until(queue, ticket, rt_now_ns() + LOOK_NS)) {
        if (is_away(queue)) break;
    }
    return ACL_SUCCESS;
}

aclError aclrtStreamStop(aclrtStream stream)
{
    struct rt_stream *queue;
    bool computes, stops;
    RT_CHECK(stream, ACL_ERROR_RT_PARAM_INVALID,
             "stream is NULL; the default stream cannot be stopped");
    aclError status = rt_stream_resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;
    rt_lock_take(&queue->lock);
    uint64_t completed = atomic_load_explicit(&queue->completed, memory_order_acquire);
    stops = queue->state == RT_STREAM_PARKED && queue->awaits != RT_AWAITS_RETURN;
    computes = !stops && queue->state != RT_STREAM_IDLE;
    if (stops) {
        leave_error_locked(queue, ACL_ERROR_RT_TASK_ABORT_STOP, "a wait was stopped");
        rt_discard_locked(queue, completed + 1);
    }
    rt_claim_unlock(queue, stops ? rt_leave_locked(queue) : 0);
    RT_CHECK(!computes, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
             "stream %u is running a task that does not wait for anything; a CPU cannot stop it "
             "half way",
             queue->id);
    return ACL_SUCCESS;
}
