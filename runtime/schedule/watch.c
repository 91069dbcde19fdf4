/* SPDX-License-Identifier: Apache-2.0 */
/* Locks: the stream's, see queue.c. */
#include "runtime/schedule/watch.h"

#include "acl/acl_rt.h"
#include "runtime/schedule/claim.h"
#include "runtime/schedule/grace.h"
#include "runtime/schedule/queue.h"
#include "runtime/schedule/worker.h"
#include "runtime/support/futex.h"
#include "runtime/support/point.h"

enum { STILL_LOOKS = 8 }; /* after which an empty stream is no longer watched */

static enum rt_watch judge_locked(struct rt_stream *stream)
{
    uint64_t submitted = rt_queue_submitted(stream);
    uint64_t completed = atomic_load_explicit(&stream->completed, memory_order_acquire);
    bool lies = stream->state == RT_STREAM_IDLE && completed < stream->watch.submitted;
    bool moved = submitted != stream->watch.submitted || completed != stream->watch.completed;
    stream->watch.submitted = submitted;
    stream->watch.completed = completed;
    stream->watch.still = moved ? 0 : stream->watch.still + 1;
    if (stream->is_dead) return RT_WATCH_FORGET;
    if (stream->state == RT_STREAM_PARKED) {
        int64_t deadline = stream->park.deadline_ns;
        if (deadline != 0 && rt_now_ns() >= deadline) return RT_WATCH_EXPIRED;
        if (stream->park.is_polled) return RT_WATCH_POLLED;
        return deadline != 0 ? RT_WATCH_PATIENTLY : RT_WATCH_FORGET;
    }
    if (lies) return RT_WATCH_SERVE;
    return stream->watch.still < STILL_LOOKS ? RT_WATCH_KEEP : RT_WATCH_FORGET;
}

unsigned rt_watch_locked(struct rt_stream *stream)
{
    if (stream->is_watched || stream->is_dead) return 0;
    stream->is_watched = true;
    stream->watch.submitted = rt_queue_submitted(stream);
    stream->watch.completed = stream->watch.submitted;
    stream->watch.still = 0;
    rt_object_retain(&stream->object);
    return rt_worker_push_watched(stream) ? RT_WAKE_WORKER : 0;
}

static unsigned forget_locked(struct rt_stream *stream)
{
    stream->is_watched = false;
    if (stream->state != RT_STREAM_IDLE) return 0;
    if (rt_has_tasks(stream)) return rt_push_ready_locked(stream);
    if (stream->is_active) rt_grace_leave(stream);
    stream->is_active = false;
    return 0;
}

/* The error first: whoever takes over the stream after the wait must find it. Only the wait itself
 * is dropped; what comes after it runs. */
static void expire(struct rt_stream *stream)
{
    unsigned after = 0;
    uint64_t completed = stream->watch.completed;
    rt_stream_fail(stream, ACL_ERROR_RT_WAIT_TIMEOUT,
                   "a wait took longer than its own limit or aclrtSetOpWaitTimeout allows");
    rt_lock_take(&stream->lock);
    if (stream->state == RT_STREAM_PARKED && !rt_queue_is_complete(stream, completed + 1)) {
        rt_discard_locked(stream, completed + 1);
        after = rt_leave_locked(stream);
    }
    rt_claim_unlock(stream, after);
}

enum rt_watch rt_watch_inspect(struct rt_stream *stream)
{
    unsigned after = 0;
    RT_POINT("before the watchman looks");
    rt_lock_take(&stream->lock);
    enum rt_watch verdict = judge_locked(stream);
    if (verdict == RT_WATCH_FORGET) after = forget_locked(stream);
    /* The watchman itself looks at the ready list next. */
    if (verdict == RT_WATCH_SERVE) after = rt_push_ready_locked(stream) & ~(unsigned)RT_WAKE_WORKER;
    rt_claim_unlock(stream, after);
    RT_POINT("watchman has looked");
    if (verdict == RT_WATCH_EXPIRED) expire(stream);
    return verdict;
}
