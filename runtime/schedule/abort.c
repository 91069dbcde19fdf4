/* SPDX-License-Identifier: Apache-2.0 */
/* Ends a stream's work before its time. A task that computes cannot be stopped half way: it is
 * waited for, since it uses memory that the program may free next.
 * Locks: the stream's, see queue.c. */
#include <stdbool.h>
#include <time.h>

#include "acl/acl_rt.h"
#include "runtime/schedule/claim.h"
#include "runtime/schedule/handles.h"
#include "runtime/schedule/queue.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/error.h"
#include "runtime/support/futex.h"
#include "runtime/support/point.h"
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
    while (!rt_queue_await_until(queue, ticket, rt_now_ns() + LOOK_NS)) {
        if (is_away(queue)) break;
    }
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
