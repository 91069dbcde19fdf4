/* SPDX-License-Identifier: Apache-2.0 */
/* Stream queues: submit, claim, run. Waiting is wait.c, the watchman's part watch.c.
 *
 * Locks: a stream's lock guards what queue.h says. Inside it the locks of worker.c (pushing on a
 * list) and of grace.c may be taken, never another stream's; no system call is made.
 * completed and attention look at each other without the lock: a runner stores completed and reads
 * attention, a waiter lowers attention and reads completed. The runner spends no barrier on this
 * after each task, so it may miss a waiter that comes at that moment; it looks again after the next
 * task and, under the lock, when it leaves or parks the stream, and a waiter's first sleep after it
 * has asked is short. */
#include "runtime/queue.h"

#include <assert.h>
#include <stddef.h>

#include "acl/acl_rt.h"
#include "runtime/alloc.h"
#include "runtime/callback.h"
#include "runtime/claim.h"
#include "runtime/config.h"
#include "runtime/error.h"
#include "runtime/futex.h"
#include "runtime/grace.h"
#include "runtime/point.h"
#include "runtime/profile.h"
#include "runtime/stack.h"
#include "runtime/stream_capture.h"
#include "runtime/thread.h"
#include "runtime/value.h"
#include "runtime/worker.h"

enum {
    FEW = 32,               /* tasks that are left to the watchman or to who synchronises first; a
                               submitter looks what to do after each so many */
    WORTH_A_WORKER = 15000, /* ns of queued work that justify a wake-up and a switch of caches */
    MANY = 256,        /* tasks; if they are not worth a worker, the submitter runs them: 16 KiB
                          that it has just written */
    LONG_QUEUE = 4096, /* tasks; from here on it lends a hand in any case */
    BATCH = 128,       /* tasks a worker runs before it looks at other streams */
    SPARE_CHUNKS = 2 * LONG_QUEUE / RT_CHUNK_TASKS,
    UNKNOWN_NS = 1000, /* a task, before any batch was timed */
    TINY_NS = 150,     /* a task costs as much to hand over: its cache line goes to the other CPU
                          and back. Its submitter runs it, and a worker leaves it to him. */
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
    if (stream->state == RT_STREAM_PARKED && stream->awaits == RT_AWAITS_RETURN) return false;
    uint64_t discard = atomic_load_explicit(&stream->discard, memory_order_relaxed);
    return stream->state == RT_STREAM_IDLE || !rt_queue_is_complete(stream, discard);
}

bool rt_should_claim_locked(struct rt_stream *stream)
{
    if (!rt_is_claimable_locked(stream) || !rt_stack_suffices()) return false;
    return rt_queue_is_complete(stream, stream->large_ticket) || !rt_worker_is_crowded_here();
}

bool rt_claim(struct rt_stream *stream)
{
    rt_lock_take(&stream->lock);
    bool ours = rt_should_claim_locked(stream);
    if (ours) stream->state = RT_STREAM_RUNNING;
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

unsigned rt_watch_locked(struct rt_stream *stream)
{
    if (stream->is_watched || stream->is_dead) return 0;
    stream->is_watched = true;
    stream->watch_submitted = rt_queue_submitted(stream);
    stream->watch_completed = stream->watch_submitted;
    stream->watch_still = 0;
    rt_object_retain(&stream->object);
    return rt_worker_push_watched(stream) ? RT_WAKE_WORKER : 0;
}

static unsigned signal_waiters_locked(struct rt_stream *stream)
{
    if (stream->waiters == 0) return 0;
    atomic_fetch_add_explicit(&stream->signal, 1, memory_order_relaxed);
    return RT_WAKE_WAITERS;
}

unsigned rt_leave_locked(struct rt_stream *stream)
{
    return stream->helpers > 0 ? signal_waiters_locked(stream) : rt_push_ready_locked(stream);
}

/* --- running -------------------------------------------------------------------------------- */

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
    rt_claim_unlock(stream, signal_waiters_locked(stream));
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
    bool parks = !stream->is_unparked &&
                 (!is_discarded(stream, completed) || stream->awaits == RT_AWAITS_RETURN);
    stream->is_unparked = false;
    struct rt_dependency dependency = stream->dependency;
    if (parks) {
        stream->state = RT_STREAM_PARKED;
        if (stream->park_deadline_ns != 0 || stream->is_polled) after = rt_watch_locked(stream);
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
        } else if (leaving == LEAVES_IT_WATCHED && stream->waiters == 0) {
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
    bool is_away = stream->awaits == RT_AWAITS_RETURN;
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

/* Runs up to end; false when it came to a halt before. *completed counts on. */
static bool run_batch(struct rt_stream *stream, uint64_t *completed, uint64_t end,
                      enum rt_runner runner, enum outcome *outcome)
{
    uint64_t first = *completed;
    uint64_t worth_timing = runner == RT_RUNNER_WORKS ? FEW / 4 : FEW;
    int64_t start = end - first >= worth_timing ? rt_now_ns() : 0;
    bool gives_way = runner == RT_RUNNER_WORKS && stream->priority > 0;
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
    }
    if (start != 0) stream->task_ns = (uint32_t)((rt_now_ns() - start) / (int64_t)(end - first));
    return true;
}

/* Somebody submits tiny tasks while a worker runs them: he is quicker with them. If he stops, the
 * watchman sees it. */
static bool is_for_submitter(struct rt_stream *stream, uint64_t submitted_before)
{
    return stream->task_ns < TINY_NS && rt_queue_submitted(stream) != submitted_before &&
           atomic_load_explicit(&stream->attention, memory_order_relaxed) == UINT64_MAX;
}

void rt_run_claimed(struct rt_stream *stream, uint64_t target, enum rt_runner runner)
{
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
    RT_POINT("claim given back");
    if (__builtin_expect(atomic_load_explicit(&rt_value_waits, memory_order_relaxed) > 0, 0))
        rt_value_look();
}

void rt_queue_serve(struct rt_stream *stream)
{
    rt_lock_take(&stream->lock);
    stream->is_ready = false;
    bool ours = rt_is_claimable_locked(stream);
    if (ours) stream->state = RT_STREAM_RUNNING;
    rt_lock_give(&stream->lock);
    if (!ours) return;
    RT_POINT("worker has claimed");
    uint64_t completed = atomic_load_explicit(&stream->completed, memory_order_relaxed);
    rt_run_claimed(stream, completed + BATCH, RT_RUNNER_WORKS);
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
    return rt_error_report(code, task->kind->name,
                           "an earlier task failed with %d (%s) and the stream's context stops on "
                           "failure",
                           code, rt_error_name(code));
}

/* The queue is idle and no longer short. True: the submitter has claimed it. */
static bool spread_locked(struct rt_stream *stream, uint64_t queued, unsigned *after)
{
    stream->completed_seen = atomic_load_explicit(&stream->completed, memory_order_relaxed);
    if (stream->task_ns >= TINY_NS && queued * stream->task_ns >= WORTH_A_WORKER) {
        *after |= rt_push_ready_locked(stream);
        if (queued < LONG_QUEUE) return false;
    }
    if (queued < MANY || rt_self.running || !rt_stack_suffices()) return false;
    stream->state = RT_STREAM_RUNNING;
    return true;
}

/* So that a submitter cannot run away from whoever runs the stream: gives him a moment. */
static void hold_back(struct rt_stream *stream, uint64_t submitted)
{
    for (int i = 0; i < 100 && !rt_queue_is_complete(stream, submitted - LONG_QUEUE); i++)
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
        if (__builtin_expect(queued % FEW == 0, 0)) claimed = spread_locked(stream, queued, &after);
    } else if (__builtin_expect(queued > LONG_QUEUE, 0)) {
        stream->completed_seen = atomic_load_explicit(&stream->completed, memory_order_relaxed);
        queued = submitted - stream->completed_seen;
    }
    rt_claim_unlock(stream, after);
    RT_POINT("submitted");
    *ticket = submitted;
    rt_self.last_task = (uint32_t)submitted;
    if (__builtin_expect(claimed, 0))
        rt_run_claimed(stream, submitted, RT_RUNNER_SUBMITS);
    else if (__builtin_expect(queued > LONG_QUEUE, 0) && !rt_self.running)
        hold_back(stream, submitted);
    if (__builtin_expect(begin != 0, 0))
        rt_profile_submit(stream, name, submitted, begin,
                          after == 0 && !claimed && queued <= LONG_QUEUE);
    return ACL_SUCCESS;
}

aclError rt_queue_submit(struct rt_stream *stream, const struct rt_task *task, unsigned flags,
                         uint64_t *ticket)
{
    aclError status;
    if (__builtin_expect(atomic_load_explicit(&stream->is_diverted, memory_order_relaxed), 0) &&
        rt_capture_take(stream, task, flags, &status)) {
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

void rt_queue_kick(struct rt_stream *stream)
{
    struct rt_dependency dependency = {0};
    unsigned after = 0;
    rt_lock_take(&stream->lock);
    if (rt_is_claimable_locked(stream))
        after = rt_push_ready_locked(stream);
    else if (stream->state == RT_STREAM_PARKED)
        dependency = stream->dependency;
    rt_claim_unlock(stream, after);
    kick_dependency(&dependency);
}

void rt_queue_expect(struct rt_stream *stream, const struct rt_wait *wait)
{
    rt_lock_take(&stream->lock);
    stream->awaits = wait->awaits;
    stream->dependency = wait->place;
    stream->park_deadline_ns = wait->deadline_ns;
    stream->is_polled = wait->is_polled;
    rt_lock_give(&stream->lock);
}

static unsigned unpark_locked(struct rt_stream *stream)
{
    if (stream->state == RT_STREAM_RUNNING) {
        stream->is_unparked = true;
    } else if (stream->state == RT_STREAM_PARKED) {
        stream->state = RT_STREAM_IDLE;
        if (stream->helper != &rt_self) return rt_leave_locked(stream);
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
    rt_claim_unlock(stream, stream->awaits == RT_AWAITS_RETURN ? 0 : unpark_locked(stream));
}

bool rt_queue_begin(struct rt_stream *stream)
{
    RT_POINT("before beginning elsewhere");
    rt_lock_take(&stream->lock);
    bool begins =
        !is_discarded(stream, atomic_load_explicit(&stream->completed, memory_order_relaxed));
    if (begins) stream->awaits = RT_AWAITS_RETURN;
    rt_lock_give(&stream->lock);
    return begins;
}

void rt_queue_return(struct rt_stream *stream)
{
    RT_POINT("before returning");
    rt_lock_take(&stream->lock);
    stream->awaits = RT_AWAITS_PLACE;
    rt_claim_unlock(stream, unpark_locked(stream));
}

bool rt_queue_has_returned(struct rt_stream *stream)
{
    rt_lock_take(&stream->lock);
    bool has_returned = stream->awaits != RT_AWAITS_RETURN;
    rt_lock_give(&stream->lock);
    return has_returned;
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
    stream->is_ready = stream->is_watched = stream->is_active = stream->is_unparked = false;
    stream->waiters = stream->helpers = 0;
    stream->helper = NULL;
    stream->parked_on = NULL;
    stream->subscriber = stream->awaited = NULL;
    atomic_store_explicit(&stream->blocking_callbacks, 0, memory_order_relaxed);
    stream->grace_ticket = 0;
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
