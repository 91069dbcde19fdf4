/* SPDX-License-Identifier: Apache-2.0 */
/* Stream queues: submit and claim. Running is run.c, waiting wait.c, the watchman's part watch.c.
 *
 * Locks: a stream's lock guards what queue.h says. Inside it the locks of worker.c (pushing on a
 * list) and of grace.c may be taken, never another stream's; no system call is made. */
#include "runtime/schedule/queue.h"

#include <stddef.h>

#include "acl/acl_rt.h"
#include "runtime/schedule/claim.h"
#include "runtime/schedule/grace.h"
#include "runtime/schedule/hooks.h"
#include "runtime/schedule/record.h"
#include "runtime/schedule/worker.h"
#include "runtime/support/alloc.h"
#include "runtime/support/config.h"
#include "runtime/support/error.h"
#include "runtime/support/futex.h"
#include "runtime/support/point.h"
#include "runtime/support/stack.h"
#include "runtime/support/thread.h"

enum {
    WORTH_A_WORKER = 15000, /* ns of queued work that justify a wake-up and a switch of caches */
    MANY = 256, /* tasks; if they are not worth a worker, the submitter runs them: 16 KiB that it
                   has just written */
    UNKNOWN_NS = 1000, /* a task, before any batch was timed */
};

struct rt_stream *rt_queue_new(struct rt_context *context)
{
    struct rt_stream *stream = rt_alloc_aligned(64, sizeof(*stream));
    if (!stream) return NULL;
    *stream = (struct rt_stream){.context = context,
                                 .tail_index = RT_CHUNK_TASKS,
                                 .task_ns = UNKNOWN_NS,
                                 .is_blocking = rt_config()->launch_blocking};
    atomic_init(&stream->attention, UINT64_MAX);
    return stream;
}

static void free_chunks(struct rt_chunk *chunk)
{
    while (chunk) {
        struct rt_chunk *next = chunk->next;
        rt_free(chunk);
        chunk = next;
    }
}

void rt_queue_free(struct rt_stream *stream)
{
    free_chunks(stream->head);
    free_chunks(stream->spare);
    rt_free(stream);
}

/* --- who runs it ---------------------------------------------------------------------------- */

void rt_claim_unlock(struct rt_stream *stream, unsigned after)
{
    rt_lock_give(&stream->lock);
    if (__builtin_expect(after == 0, 1)) return;
    RT_POINT("before a wake");
    if (after & RT_WAKE_WAITERS) rt_futex_wake(&stream->signal, INT_MAX);
    if (after & RT_WAKE_WORKER) rt_worker_wake_one();
}

bool rt_has_tasks(struct rt_stream *stream)
{
    return !rt_queue_is_complete(stream, rt_queue_submitted(stream));
}

bool rt_is_claimable_locked(struct rt_stream *stream)
{
    if (stream->state == RT_STREAM_RUNNING || !rt_has_tasks(stream)) return false;
    if (stream->state == RT_STREAM_PARKED && stream->park.awaits == RT_AWAITS_RETURN) return false;
    uint64_t discard = atomic_load_explicit(&stream->discard, memory_order_relaxed);
    return stream->state == RT_STREAM_IDLE || !rt_queue_is_complete(stream, discard);
}

bool rt_should_claim_locked(struct rt_stream *stream)
{
    if (!rt_is_claimable_locked(stream) || !rt_stack_suffices()) return false;
    return rt_queue_is_complete(stream, stream->large_ticket) || !rt_worker_is_crowded_here();
}

void rt_claim_locked(struct rt_stream *stream)
{
    stream->state = RT_STREAM_RUNNING;
    if (stream->is_ready && rt_worker_withdraw_ready(stream)) {
        stream->is_ready = false;
        rt_object_release(&stream->object);
    }
}

bool rt_claim(struct rt_stream *stream)
{
    rt_lock_take(&stream->lock);
    bool ours = rt_should_claim_locked(stream);
    if (ours) rt_claim_locked(stream);
    rt_lock_give(&stream->lock);
    return ours;
}

unsigned rt_push_ready_locked(struct rt_stream *stream)
{
    if (stream->is_ready) return 0;
    stream->is_ready = true;
    rt_object_retain(&stream->object);
    rt_worker_push_ready(stream);
    return RT_WAKE_WORKER;
}

unsigned rt_signal_locked(struct rt_stream *stream)
{
    if (stream->sleep.waiters == 0) return 0;
    atomic_fetch_add_explicit(&stream->signal, 1, memory_order_relaxed);
    return RT_WAKE_WAITERS;
}

unsigned rt_leave_locked(struct rt_stream *stream)
{
    return stream->sleep.helpers > 0 ? rt_signal_locked(stream) : rt_push_ready_locked(stream);
}

/* --- submitting ----------------------------------------------------------------------------- */

static bool grow_locked(struct rt_stream *stream)
{
    struct rt_chunk *chunk = stream->spare;
    if (chunk) {
        stream->spare = chunk->next;
        stream->spare_count--;
    } else {
        chunk = rt_alloc_aligned(64, sizeof(*chunk));
        if (!chunk) return false;
    }
    chunk->next = NULL;
    if (stream->tail)
        stream->tail->next = chunk;
    else
        stream->head = chunk;
    stream->tail = chunk;
    stream->tail_index = 0;
    return true;
}

static aclError refuse(struct rt_stream *stream, const struct rt_task *task)
{
    aclError code = atomic_load_explicit(&stream->context->failure, memory_order_relaxed);
    if (code == ACL_ERROR_RT_DEVICE_TASK_ABORT)
        return rt_error_report(code, task->kind->name, "the work of device %d is being aborted",
                               (int)stream->context->device);
    return rt_error_report(code, task->kind->name,
                           "an earlier task failed with %d (%s) and the stream's context stops on "
                           "failure",
                           code, rt_error_name(code));
}

/* The queue is idle and no longer short. True: the submitter has claimed it. */
static bool spread_locked(struct rt_stream *stream, uint64_t queued, unsigned *after)
{
    stream->completed_seen = atomic_load_explicit(&stream->completed, memory_order_relaxed);
    if (stream->task_ns >= RT_TINY_NS && queued * stream->task_ns >= WORTH_A_WORKER) {
        *after |= rt_push_ready_locked(stream);
        if (queued < RT_LONG_QUEUE) return false;
    }
    if (queued < MANY || rt_self.running || !rt_stack_suffices()) return false;
    rt_claim_locked(stream);
    return true;
}

/* So that a submitter cannot run away from whoever runs the stream: gives him a moment. */
static void hold_back(struct rt_stream *stream, uint64_t submitted)
{
    for (int i = 0; i < 100 && !rt_queue_is_complete(stream, submitted - RT_LONG_QUEUE); i++)
        rt_pause();
}

bool rt_queue_reserve(struct rt_stream *stream, int chunks)
{
    for (int i = 0; i < chunks; i++) {
        struct rt_chunk *chunk = rt_alloc_aligned(64, sizeof(*chunk));
        if (!chunk) return false;
        rt_lock_take(&stream->lock);
        chunk->next = stream->spare;
        stream->spare = chunk;
        stream->spare_count++;
        rt_lock_give(&stream->lock);
    }
    return true;
}

aclError rt_queue_submit_now(struct rt_stream *stream, const struct rt_task *task, unsigned flags,
                             uint64_t *ticket)
{
    unsigned after = 0;
    bool claimed = false;
    int64_t begin = rt_profile_begin();
    const char *name = begin != 0 ? rt_task_name(task) : NULL;
    rt_lock_take(&stream->lock);
    if (__builtin_expect(stream->refuses, 0)) {
        rt_lock_give(&stream->lock);
        return refuse(stream, task);
    }
    if (__builtin_expect(stream->tail_index == RT_CHUNK_TASKS, 0) && !grow_locked(stream)) {
        rt_lock_give(&stream->lock);
        return rt_error_report(ACL_ERROR_RT_MEMORY_ALLOCATION, task->kind->name,
                               "no host memory for a task of stream %u", stream->id);
    }
    stream->tail->tasks[stream->tail_index++] = *task;
    uint64_t submitted = atomic_load_explicit(&stream->submitted, memory_order_relaxed) + 1;
    atomic_store_explicit(&stream->submitted, submitted, memory_order_release);
    atomic_store_explicit(&stream->submitter, rt_self.id, memory_order_relaxed);
    if (flags & RT_SUBMIT_LARGE) stream->large_ticket = submitted;
    uint64_t queued = submitted - stream->completed_seen;
    if (__builtin_expect(!stream->is_active, 0)) {
        stream->is_active = true;
        rt_grace_enter(stream);
    }
    if (stream->state == RT_STREAM_IDLE) {
        /* With a single thread nothing runs sooner for being handed over. */
        if ((flags & RT_SUBMIT_LARGE) && rt_config()->threads > 1)
            after = rt_push_ready_locked(stream);
        else if (__builtin_expect(!stream->is_watched, 0) && !stream->is_ready)
            after = rt_watch_locked(stream);
        if (__builtin_expect(queued % RT_FEW_TASKS == 0, 0))
            claimed = spread_locked(stream, queued, &after);
    } else if (__builtin_expect(queued > RT_LONG_QUEUE, 0)) {
        stream->completed_seen = atomic_load_explicit(&stream->completed, memory_order_relaxed);
        queued = submitted - stream->completed_seen;
    }
    rt_claim_unlock(stream, after);
    RT_POINT("submitted");
    *ticket = submitted;
    rt_self.last_task = (uint32_t)submitted;
    if (__builtin_expect(claimed, 0))
        rt_run_claimed(stream, submitted, RT_RUNNER_SUBMITS);
    else if (__builtin_expect(queued > RT_LONG_QUEUE, 0) && !rt_self.running)
        hold_back(stream, submitted);
    if (__builtin_expect(begin != 0, 0))
        rt_record_hooks.submit(stream, name, submitted, begin,
                               after == 0 && !claimed && queued <= RT_LONG_QUEUE);
    return ACL_SUCCESS;
}

aclError rt_queue_submit(struct rt_stream *stream, const struct rt_task *task, unsigned flags,
                         uint64_t *ticket)
{
    aclError status;
    if (__builtin_expect(atomic_load_explicit(&stream->is_diverted, memory_order_relaxed), 0) &&
        rt_hooks.capture.take(stream, task, flags, &status)) {
        *ticket = 0; /* nothing to wait for */
        return status;
    }
    return rt_queue_submit_now(stream, task, flags, ticket);
}

aclError rt_stream_submit(struct rt_stream *stream, const struct rt_task *task, unsigned flags)
{
    uint64_t ticket;
    aclError status = rt_queue_submit(stream, task, flags, &ticket);
    if (__builtin_expect(stream->is_blocking, 0) && status == ACL_SUCCESS && !rt_is_inside_task() &&
        !rt_callback_is_mine(stream))
        rt_queue_await(stream, ticket);
    return status;
}

void rt_discard_locked(struct rt_stream *stream, uint64_t ticket)
{
    if (atomic_load_explicit(&stream->discard, memory_order_relaxed) < ticket)
        atomic_store_explicit(&stream->discard, ticket, memory_order_relaxed);
}

void rt_queue_discard(struct rt_stream *stream, uint64_t ticket)
{
    RT_POINT("before a discard");
    rt_lock_take(&stream->lock);
    rt_discard_locked(stream, ticket);
    rt_claim_unlock(stream, rt_is_claimable_locked(stream) ? rt_leave_locked(stream) : 0);
}

void rt_queue_show_loop(struct rt_stream *stream, struct rt_loop *loop)
{
    rt_lock_take(&stream->lock);
    atomic_store_explicit(&stream->loop, loop, memory_order_relaxed);
    rt_lock_give(&stream->lock);
}

/* --- fork ----------------------------------------------------------------------------------- */

void rt_queue_after_fork_child(struct rt_stream *stream)
{
    /* A lock that another thread held tells that it was amid a change: its chunks are left behind.
     */
    bool is_consistent = rt_lock_try(&stream->lock);
    bool ours = stream->state == RT_STREAM_RUNNING && rt_self.running == stream;
    rt_lock_give(&stream->lock);
    stream->is_ready = stream->lists.is_listed = stream->is_watched = stream->is_active =
        stream->park.is_unparked = false;
    stream->sleep.waiters = stream->sleep.helpers = 0;
    stream->sleep.helper = NULL;
    stream->waits_at.place = NULL;
    stream->callback.subscriber = stream->callback.awaited = NULL;
    atomic_store_explicit(&stream->callback.blocking, 0, memory_order_relaxed);
    stream->grace.ticket = stream->park.stop_ticket = 0;
    rt_host_job_reset(&stream->host_job);
    atomic_store_explicit(&stream->object.references, 1 + ours, memory_order_relaxed);
    atomic_store_explicit(&stream->loop, NULL, memory_order_relaxed);
    atomic_store_explicit(&stream->close, 0, memory_order_relaxed);
    atomic_store_explicit(&stream->attention, UINT64_MAX, memory_order_relaxed);
    if (ours) return;
    stream->state = RT_STREAM_IDLE;
    uint64_t submitted = rt_queue_submitted(stream);
    atomic_store_explicit(&stream->completed, submitted, memory_order_relaxed);
    stream->completed_seen = submitted;
    if (is_consistent) {
        free_chunks(stream->head);
        free_chunks(stream->spare);
    }
    stream->head = stream->tail = stream->spare = NULL;
    stream->spare_count = 0;
    stream->tail_index = RT_CHUNK_TASKS;
    stream->head_index = 0;
}
