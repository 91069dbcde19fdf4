/* SPDX-License-Identifier: Apache-2.0 */
/* Running a stream that was claimed: batches of tasks, and parking where the next one is not ready.
 *
 * Locks: a stream's lock guards what queue.h says; inside it as queue.c.
 * completed and attention look at each other without the lock: a runner stores completed and reads
 * attention, a waiter lowers attention and reads completed. The runner spends no barrier on this
 * after each task, so it may miss a waiter that comes at that moment; it looks again after the next
 * task and, under the lock, when it leaves or parks the stream, and a waiter's first sleep after it
 * has asked is short. */
#include "runtime/schedule/hooks.h"
#include "runtime/schedule/queue.h"

#include <assert.h>

#include "acl/acl_rt.h"
#include "runtime/schedule/claim.h"
#include "runtime/schedule/grace.h"
#include "runtime/schedule/record.h"
#include "runtime/schedule/worker.h"
#include "runtime/support/alloc.h"
#include "runtime/support/config.h"
#include "runtime/support/float_env.h"
#include "runtime/support/point.h"
#include "runtime/support/thread.h"

enum {
    BATCH = 128,      /* tasks a worker runs before it looks at other streams */
    SLICE_NS = 50000, /* or so long, when no other worker can look at them: a task may last */
    SPARE_CHUNKS = 2 * RT_LONG_QUEUE / RT_CHUNK_TASKS,
};

static void next_chunk(struct rt_stream *stream)
{
    struct rt_chunk *old = stream->head;
    rt_lock_take(&stream->lock);
    stream->head = old->next;
    stream->head_index = 0;
    bool keep = stream->spare_count < SPARE_CHUNKS;
    if (keep) {
        old->next = stream->spare;
        stream->spare = old;
        stream->spare_count++;
    }
    rt_lock_give(&stream->lock);
    if (!keep) rt_free(old);
}

bool rt_ask_attention(struct rt_stream *stream, uint64_t ticket)
{
    RT_POINT("before attention is asked");
    uint64_t old = atomic_load_explicit(&stream->attention, memory_order_relaxed);
    while (old > ticket) {
        if (atomic_compare_exchange_weak_explicit(&stream->attention, &old, ticket,
                                                  memory_order_seq_cst, memory_order_relaxed))
            return true;
    }
    return false;
}

static bool is_discarded(struct rt_stream *stream, uint64_t completed)
{
    return completed < atomic_load_explicit(&stream->discard, memory_order_relaxed);
}

static bool wants_attention(struct rt_stream *stream, uint64_t completed)
{
    return atomic_load_explicit(&stream->attention, memory_order_seq_cst) <= completed;
}

static void give_attention(struct rt_stream *stream)
{
    atomic_store_explicit(&stream->attention, UINT64_MAX, memory_order_seq_cst);
    RT_POINT("attention taken back");
    rt_lock_take(&stream->lock);
    rt_claim_unlock(stream, rt_signal_locked(stream));
    rt_grace_passed(stream);
}

/* A thread that waits will run what the stream waits for itself; for others a worker does. */
static void kick_dependency(const struct rt_dependency *dependency)
{
    if (dependency->serial == 0) return;
    RT_POINT("parked");
    struct rt_stream *stream =
        rt_stream_of(rt_registry_acquire(dependency->stream, RT_OBJECT_STREAM, dependency->serial));
    if (!stream) return;
    rt_lock_take(&stream->lock);
    rt_claim_unlock(stream, rt_is_claimable_locked(stream) ? rt_push_ready_locked(stream) : 0);
    rt_object_release(&stream->object);
}

void rt_stop_wait_locked(struct rt_stream *stream)
{
    uint64_t completed = atomic_load_explicit(&stream->completed, memory_order_acquire);
    stream->park.stop_ticket = 0;
    rt_stream_leave_error_locked(stream, ACL_ERROR_RT_TASK_ABORT_STOP, "a wait was stopped");
    rt_discard_locked(stream, completed + 1);
}

void rt_stop_next_wait_locked(struct rt_stream *stream)
{
    stream->park.stop_ticket = rt_queue_submitted(stream);
}

/* False: the event came meanwhile, or the task is to be dropped; look at it again. */
static bool park(struct rt_stream *stream, uint64_t completed, enum rt_runner runner)
{
    unsigned after = 0;
    RT_POINT("before parking");
    rt_lock_take(&stream->lock);
    if (__builtin_expect(wants_attention(stream, completed), 0)) {
        rt_lock_give(&stream->lock);
        give_attention(stream);
        return false;
    }
    bool parks = !stream->park.is_unparked &&
                 (!is_discarded(stream, completed) || stream->park.awaits == RT_AWAITS_RETURN);
    if (parks && completed < stream->park.stop_ticket && stream->park.awaits != RT_AWAITS_RETURN) {
        rt_stop_wait_locked(stream);
        parks = false;
    }
    stream->park.is_unparked = false;
    struct rt_dependency dependency = stream->park.dependency;
    if (parks) {
        stream->state = RT_STREAM_PARKED;
        if (stream->park.deadline_ns != 0 || stream->park.is_polled)
            after = rt_watch_locked(stream);
    }
    rt_claim_unlock(stream, after);
    if (parks && runner != RT_RUNNER_WAITS) kick_dependency(&dependency);
    return parks;
}

/* How a runner leaves a stream that has tasks left. */
enum leaving {
    LEAVES_IT_READY,
    LEAVES_IT_WATCHED,
};

/* False: there is more to run. */
static bool unclaim(struct rt_stream *stream, uint64_t completed, uint64_t target,
                    enum rt_runner runner, enum leaving leaving)
{
    unsigned after = 0;
    RT_POINT("before the claim is given back");
    rt_lock_take(&stream->lock);
    bool is_empty = rt_queue_submitted(stream) == completed;
    bool leaves = is_empty || completed >= target;
    if (__builtin_expect(leaves && wants_attention(stream, completed), 0)) {
        rt_lock_give(&stream->lock);
        give_attention(stream);
        return false;
    }
    if (leaves) {
        stream->state = RT_STREAM_IDLE;
        stream->completed_seen = completed;
        if (is_empty) {
            /* The next task goes where this one was: warm in the cache, and no chunk is used up. */
            assert(stream->head == stream->tail);
            stream->tail_index = 0;
            stream->head_index = 0;
            after = rt_watch_locked(stream);
        } else if (leaving == LEAVES_IT_WATCHED && stream->sleep.waiters == 0) {
            after = rt_watch_locked(stream);
        } else if (runner == RT_RUNNER_WORKS) {
            /* Behind the others; this worker looks there next. A thread that sleeps for the stream
             * sleeps on: awake it would be one more than there are CPUs. */
            rt_push_ready_locked(stream);
        } else {
            after = rt_leave_locked(stream);
        }
    }
    rt_claim_unlock(stream, after);
    return leaves;
}

enum outcome { HAS_RUN, HAS_PARKED, IS_REFUSED, GIVES_WAY };

/* A task that has begun elsewhere is not dropped: the stream parks again until it returns, however
 * it was set going. Once this is true the task cannot begin any more, see rt_queue_begin. */
static bool is_to_be_dropped(struct rt_stream *stream, uint64_t completed)
{
    if (__builtin_expect(!is_discarded(stream, completed), 1)) return false;
    rt_lock_take(&stream->lock);
    bool is_away = stream->park.awaits == RT_AWAITS_RETURN;
    rt_lock_give(&stream->lock);
    return !is_away;
}

/* Runs or drops the next task. When it has parked the stream is no longer the caller's. */
static inline enum outcome run_next(struct rt_stream *stream, uint64_t completed,
                                    enum rt_runner runner)
{
    if (__builtin_expect(stream->head_index == RT_CHUNK_TASKS, 0)) next_chunk(stream);
    struct rt_task *task = &stream->head->tasks[stream->head_index];
    const struct rt_task_kind *kind = task->kind;
    if (runner == RT_RUNNER_SUBMITS && kind->calls_program) return IS_REFUSED;
    if (runner == RT_RUNNER_RETURNS && !kind->is_quick) return IS_REFUSED;
    bool is_dropped = is_to_be_dropped(stream, completed);
    while (!is_dropped && kind->ready && !kind->ready(task, stream)) {
        if (stream->parked_at == 0) stream->parked_at = rt_profile_parks(stream);
        if (park(stream, completed, runner)) return HAS_PARKED;
        is_dropped = is_to_be_dropped(stream, completed);
    }
    if (__builtin_expect(!is_dropped, 1))
        rt_profile_run(stream, task, kind->run, stream, completed + 1, stream->parked_at, 0);
    else if (kind->drop)
        kind->drop(task);
    stream->parked_at = 0;
    stream->head_index++;
    return HAS_RUN;
}

/* A worker has run this stream since start, and another one that comes no later has nobody else. */
static bool gives_way_after(const struct rt_stream *stream, int64_t start)
{
    return rt_worker_has_ready_before(stream->priority + 1) &&
           rt_worker_computing(0) >= rt_config()->threads && rt_now_ns() - start >= SLICE_NS;
}

/* Runs up to end; false when it came to a halt before. *completed counts on. */
static bool run_batch(struct rt_stream *stream, uint64_t *completed, uint64_t end,
                      enum rt_runner runner, enum outcome *outcome)
{
    uint64_t first = *completed;
    bool is_worker = runner == RT_RUNNER_WORKS;
    bool is_timed = end - first >= (is_worker ? RT_FEW_TASKS / 4 : RT_FEW_TASKS);
    int64_t start = is_timed || is_worker ? rt_now_ns() : 0;
    bool gives_way = is_worker && stream->priority > 0;
    while (*completed < end) {
        if (gives_way && rt_worker_has_ready_before(stream->priority)) {
            *outcome = GIVES_WAY;
            return false;
        }
        *outcome = run_next(stream, *completed, runner);
        if (__builtin_expect(*outcome != HAS_RUN, 0)) return false;
        ++*completed;
        atomic_store_explicit(&stream->completed, *completed, memory_order_release);
        if (__builtin_expect(wants_attention(stream, *completed), 0)) give_attention(stream);
        if (is_worker && __builtin_expect(gives_way_after(stream, start), 0)) {
            *outcome = GIVES_WAY;
            return false;
        }
    }
    if (is_timed) stream->task_ns = (uint32_t)((rt_now_ns() - start) / (int64_t)(end - first));
    return true;
}

/* Somebody submits tiny tasks while a worker runs them: he is quicker with them. If he stops, the
 * watchman sees it. */
static bool is_for_submitter(struct rt_stream *stream, uint64_t submitted_before)
{
    return stream->task_ns < RT_TINY_NS && rt_queue_submitted(stream) != submitted_before &&
           atomic_load_explicit(&stream->attention, memory_order_relaxed) == UINT64_MAX;
}

void rt_run_claimed(struct rt_stream *stream, uint64_t target, enum rt_runner runner)
{
    const struct rt_float_env own = rt_float_begin();
    struct rt_stream *outer = rt_self.running;
    uint64_t completed = atomic_load_explicit(&stream->completed, memory_order_relaxed);
    enum outcome outcome = HAS_RUN;
    enum leaving leaving = LEAVES_IT_READY;
    rt_self.running = stream;
    do {
        uint64_t submitted = rt_queue_submitted(stream);
        uint64_t end = submitted < target ? submitted : target;
        if (!run_batch(stream, &completed, end, runner, &outcome)) {
            if (outcome == HAS_PARKED) break;
            target = completed;
        }
        if (runner != RT_RUNNER_WORKS) continue;
        leaving = LEAVES_IT_READY;
        if (is_for_submitter(stream, submitted)) {
            leaving = LEAVES_IT_WATCHED;
            target = completed;
        } else if (completed == target && !rt_worker_has_ready()) {
            target += BATCH; /* no other stream needs this worker */
        }
    } while (!unclaim(stream, completed, target, runner, leaving));
    rt_self.running = outer;
    rt_float_end(own);
    RT_POINT("claim given back");
    rt_look_at_values();
}

void rt_queue_serve(struct rt_stream *stream)
{
    rt_lock_take(&stream->lock);
    stream->is_ready = false;
    bool ours = rt_is_claimable_locked(stream);
    if (ours) rt_claim_locked(stream);
    rt_lock_give(&stream->lock);
    if (!ours) return;
    RT_POINT("worker has claimed");
    uint64_t completed = atomic_load_explicit(&stream->completed, memory_order_relaxed);
    int is_worker = rt_self.worker != NULL;
    rt_worker_computing(is_worker);
    rt_run_claimed(stream, completed + BATCH, RT_RUNNER_WORKS);
    rt_worker_computing(-is_worker);
}

/* --- parked streams ------------------------------------------------------------------------- */

void rt_queue_kick(struct rt_stream *stream)
{
    struct rt_dependency dependency = {0};
    unsigned after = 0;
    rt_lock_take(&stream->lock);
    if (rt_is_claimable_locked(stream))
        after = rt_push_ready_locked(stream);
    else if (stream->state == RT_STREAM_PARKED)
        dependency = stream->park.dependency;
    rt_claim_unlock(stream, after);
    kick_dependency(&dependency);
}

void rt_queue_expect(struct rt_stream *stream, const struct rt_wait *wait)
{
    rt_lock_take(&stream->lock);
    stream->park.awaits = wait->awaits;
    stream->park.dependency = wait->place;
    stream->park.deadline_ns = wait->deadline_ns;
    stream->park.is_polled = wait->is_polled;
    rt_lock_give(&stream->lock);
}

void rt_queue_expect_at(struct rt_stream *stream, const struct rt_dependency *place)
{
    rt_lock_take(&stream->lock);
    stream->park.dependency = *place;
    rt_lock_give(&stream->lock);
}

static unsigned unpark_locked(struct rt_stream *stream)
{
    if (stream->state == RT_STREAM_RUNNING) {
        stream->park.is_unparked = true;
    } else if (stream->state == RT_STREAM_PARKED) {
        stream->state = RT_STREAM_IDLE;
        if (stream->sleep.helper != &rt_self) return rt_leave_locked(stream);
    }
    return 0;
}

void rt_queue_unpark(struct rt_stream *stream)
{
    RT_POINT("before setting going");
    rt_lock_take(&stream->lock);
    rt_claim_unlock(stream, unpark_locked(stream));
}

void rt_queue_unpark_early(struct rt_stream *stream)
{
    rt_lock_take(&stream->lock);
    rt_claim_unlock(stream, stream->park.awaits == RT_AWAITS_RETURN ? 0 : unpark_locked(stream));
}

bool rt_queue_begin(struct rt_stream *stream)
{
    RT_POINT("before beginning elsewhere");
    rt_lock_take(&stream->lock);
    bool begins =
        !is_discarded(stream, atomic_load_explicit(&stream->completed, memory_order_relaxed));
    if (begins) stream->park.awaits = RT_AWAITS_RETURN;
    rt_lock_give(&stream->lock);
    return begins;
}

void rt_queue_return(struct rt_stream *stream)
{
    RT_POINT("before returning");
    rt_lock_take(&stream->lock);
    stream->park.awaits = RT_AWAITS_PLACE;
    rt_claim_unlock(stream, unpark_locked(stream));
}

void rt_queue_return_and_go_on(struct rt_stream *stream)
{
    unsigned after = 0;
    RT_POINT("before returning");
    rt_lock_take(&stream->lock);
    stream->park.awaits = RT_AWAITS_PLACE;
    bool ours = stream->state == RT_STREAM_PARKED;
    if (ours)
        rt_claim_locked(stream);
    else
        after = unpark_locked(stream);
    rt_claim_unlock(stream, after);
    RT_POINT("returned and goes on");
    if (!ours) return;
    uint64_t completed = atomic_load_explicit(&stream->completed, memory_order_relaxed);
    rt_run_claimed(stream, completed + BATCH, RT_RUNNER_RETURNS);
}

bool rt_queue_has_returned(struct rt_stream *stream)
{
    rt_lock_take(&stream->lock);
    bool has_returned = stream->park.awaits != RT_AWAITS_RETURN;
    rt_lock_give(&stream->lock);
    return has_returned;
}
