/* SPDX-License-Identifier: Apache-2.0 */
/* Stream queues: submit, claim, run, wait.
 *
 * Locks: a stream's lock guards what queue.h says. Inside it the lock of worker.c (pushing on a
 * list) or of grace.c may be taken, never another stream's and never a mark's.
 * Outside the lock two pairs look at each other's writes in sequentially consistent order: a runner
 * stores completed and then reads attention, a waiter lowers attention and then reads completed. */
#include "runtime/queue.h"

#include <assert.h>
#include <sched.h>
#include <stddef.h>

#include "acl/acl_rt.h"
#include "runtime/alloc.h"
#include "runtime/config.h"
#include "runtime/error.h"
#include "runtime/futex.h"
#include "runtime/grace.h"
#include "runtime/loop.h"
#include "runtime/thread.h"
#include "runtime/worker.h"

enum {
    ENOUGH_FOR_A_WORKER = 32, /* small tasks that together are worth waking one */
    LONG_QUEUE = 4096,        /* from here on a submitter lends a hand: 256 KiB of tasks */
    BATCH = 128,              /* tasks a worker runs before it looks at other streams */
    SPARE_CHUNKS = 2 * LONG_QUEUE / RT_CHUNK_TASKS,
    SPIN_NS = 20000,     /* a futex wake-up takes longer than this on a virtual machine */
    DEEPEST_HELP = 32,   /* streams that wait for streams */
    STILL_LOOKS = 8,     /* looks after which an empty stream is no longer watched */
    LONELY_NS = 1000000, /* between looks at the ready list when no worker exists */
};

struct rt_stream *rt_queue_new(struct rt_context *context)
{
    struct rt_stream *stream = rt_alloc_aligned(64, sizeof(*stream));
    if (!stream) return NULL;
    *stream = (struct rt_stream){.context = context, .tail_index = RT_CHUNK_TASKS};
    pthread_mutex_init(&stream->lock, NULL);
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
    pthread_mutex_destroy(&stream->lock);
    rt_free(stream);
}

static bool has_tasks(struct rt_stream *stream)
{
    return !rt_queue_is_complete(stream, rt_queue_submitted(stream));
}

/* All that say "locked" need the stream's lock. */
static bool is_claimable_locked(struct rt_stream *stream)
{
    if (stream->state == RT_STREAM_RUNNING || !has_tasks(stream)) return false;
    uint64_t discard = atomic_load_explicit(&stream->discard, memory_order_relaxed);
    return stream->state == RT_STREAM_IDLE || !rt_queue_is_complete(stream, discard);
}

static void push_ready_locked(struct rt_stream *stream)
{
    if (stream->is_ready) return;
    stream->is_ready = true;
    rt_object_retain(&stream->object);
    rt_worker_push_ready(stream, true);
}

static void watch_locked(struct rt_stream *stream)
{
    if (stream->is_watched || stream->is_dead) return;
    stream->is_watched = true;
    stream->watch_submitted = rt_queue_submitted(stream);
    stream->watch_completed = stream->watch_submitted;
    stream->watch_still = 0;
    rt_object_retain(&stream->object);
    rt_worker_push_watched(stream);
}

static void wake_waiters_locked(struct rt_stream *stream)
{
    if (stream->waiters == 0) return;
    atomic_fetch_add_explicit(&stream->signal, 1, memory_order_relaxed);
    rt_futex_wake(&stream->signal, INT_MAX);
}

/* The stream is idle with tasks left: someone who sleeps for it goes on, else a worker. */
static void leave_rest_locked(struct rt_stream *stream)
{
    if (stream->helpers > 0)
        wake_waiters_locked(stream);
    else
        push_ready_locked(stream);
}

/* --- running ------------------------------------------------------------------------------- */

static void next_chunk(struct rt_stream *stream)
{
    struct rt_chunk *old = stream->head;
    pthread_mutex_lock(&stream->lock);
    stream->head = old->next;
    stream->head_index = 0;
    bool keep = stream->spare_count < SPARE_CHUNKS;
    if (keep) {
        old->next = stream->spare;
        stream->spare = old;
        stream->spare_count++;
    }
    pthread_mutex_unlock(&stream->lock);
    if (!keep) rt_free(old);
}

static void notify(struct rt_stream *stream)
{
    atomic_store_explicit(&stream->attention, UINT64_MAX, memory_order_seq_cst);
    pthread_mutex_lock(&stream->lock);
    wake_waiters_locked(stream);
    pthread_mutex_unlock(&stream->lock);
    rt_grace_passed(stream);
}

/* False: the event came meanwhile, ask the task again. */
static bool park(struct rt_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    bool parks = !stream->is_unparked;
    stream->is_unparked = false;
    struct rt_dependency dependency = stream->dependency;
    if (parks) {
        stream->state = RT_STREAM_PARKED;
        if (stream->park_deadline_ns != 0) watch_locked(stream);
    }
    pthread_mutex_unlock(&stream->lock);
    if (!parks || !rt_self.worker || dependency.serial == 0) return parks;
    struct rt_object *other =
        rt_registry_acquire(dependency.stream, RT_OBJECT_STREAM, dependency.serial);
    if (other) rt_queue_kick(rt_stream_of(other));
    rt_object_release(other);
    return parks;
}

/* False: there is more to run. */
static bool unclaim(struct rt_stream *stream, uint64_t completed, uint64_t target)
{
    pthread_mutex_lock(&stream->lock);
    bool is_empty = rt_queue_submitted(stream) == completed;
    bool leave = is_empty || completed >= target;
    if (leave) {
        stream->state = RT_STREAM_IDLE;
        if (is_empty) {
            /* The next task goes where this one was: warm in the cache, and no chunk is used up. */
            assert(stream->head == stream->tail);
            stream->tail_index = 0;
            stream->head_index = 0;
            watch_locked(stream);
        } else if (rt_self.worker && stream->helpers == 0 && !stream->is_ready) {
            stream->is_ready = true; /* behind the others; this worker looks there next */
            rt_object_retain(&stream->object);
            rt_worker_push_ready(stream, false);
        } else {
            leave_rest_locked(stream);
        }
    }
    pthread_mutex_unlock(&stream->lock);
    return leave;
}

/* Runs or drops the next task. False: the stream is parked and no longer ours. */
static bool run_next(struct rt_stream *stream, uint64_t completed)
{
    if (stream->head_index == RT_CHUNK_TASKS) next_chunk(stream);
    struct rt_task *task = &stream->head->tasks[stream->head_index];
    const struct rt_task_kind *kind = task->kind;
    if (__builtin_expect(completed < atomic_load_explicit(&stream->discard, memory_order_relaxed),
                         0)) {
        if (kind->drop) kind->drop(task);
    } else {
        while (kind->ready && !kind->ready(task, stream))
            if (park(stream)) return false;
        kind->run(task, stream);
    }
    stream->head_index++;
    return true;
}

/* Runs the tasks of a stream that the caller has claimed, up to target or while there are any, and
 * gives the claim back. */
static void run_claimed(struct rt_stream *stream, uint64_t target)
{
    struct rt_stream *outer = rt_self.running;
    rt_self.running = stream;
    uint64_t completed = atomic_load_explicit(&stream->completed, memory_order_relaxed);
    do {
        uint64_t end = rt_queue_submitted(stream);
        if (end > target) end = target;
        while (completed < end) {
            if (!run_next(stream, completed)) {
                rt_self.running = outer;
                return;
            }
            completed++;
            atomic_store_explicit(&stream->completed, completed, memory_order_seq_cst);
            if (__builtin_expect(
                    atomic_load_explicit(&stream->attention, memory_order_seq_cst) <= completed, 0))
                notify(stream);
        }
    } while (!unclaim(stream, completed, target));
    rt_self.running = outer;
}

static bool claim(struct rt_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    bool ours = is_claimable_locked(stream);
    if (ours) stream->state = RT_STREAM_RUNNING;
    pthread_mutex_unlock(&stream->lock);
    return ours;
}

void rt_queue_serve(struct rt_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    stream->is_ready = false;
    bool ours = is_claimable_locked(stream);
    if (ours) stream->state = RT_STREAM_RUNNING;
    pthread_mutex_unlock(&stream->lock);
    if (ours)
        run_claimed(stream, atomic_load_explicit(&stream->completed, memory_order_relaxed) + BATCH);
}

/* --- submitting ---------------------------------------------------------------------------- */

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

/* So that a submitter cannot run away from slower consumers: runs the older half of a long queue
 * itself, or gives whoever runs it a moment. */
static void relieve(struct rt_stream *stream, uint64_t submitted)
{
    if (rt_self.running) return;
    pthread_mutex_lock(&stream->lock);
    bool is_running = stream->state == RT_STREAM_RUNNING;
    bool ours = is_claimable_locked(stream);
    if (ours) stream->state = RT_STREAM_RUNNING;
    pthread_mutex_unlock(&stream->lock);
    if (ours) run_claimed(stream, submitted - LONG_QUEUE / 2);
    for (int i = 0; is_running && i < 100; i++) {
        if (rt_queue_is_complete(stream, submitted - LONG_QUEUE)) break;
        rt_pause();
    }
}

static aclError refuse(struct rt_stream *stream, const struct rt_task *task)
{
    aclError code = atomic_load_explicit(&stream->context->failure, memory_order_relaxed);
    return rt_error_report(code, task->kind->name,
                           "an earlier task failed with %d (%s) and the stream's context stops on "
                           "failure",
                           code, rt_error_name(code));
}

aclError rt_queue_submit(struct rt_stream *stream, const struct rt_task *task, unsigned flags,
                         uint64_t *ticket)
{
    pthread_mutex_lock(&stream->lock);
    if (__builtin_expect(stream->refuses, 0)) {
        pthread_mutex_unlock(&stream->lock);
        return refuse(stream, task);
    }
    if (stream->tail_index == RT_CHUNK_TASKS && !grow_locked(stream)) {
        pthread_mutex_unlock(&stream->lock);
        return rt_error_report(ACL_ERROR_RT_MEMORY_ALLOCATION, task->kind->name,
                               "no host memory for a task of stream %u", stream->id);
    }
    stream->tail->tasks[stream->tail_index++] = *task;
    uint64_t submitted = atomic_load_explicit(&stream->submitted, memory_order_relaxed) + 1;
    atomic_store_explicit(&stream->submitted, submitted, memory_order_release);
    uint64_t queued = submitted - atomic_load_explicit(&stream->completed, memory_order_relaxed);
    if (__builtin_expect(!stream->is_active, 0)) {
        stream->is_active = true;
        rt_grace_enter(stream);
    }
    if (stream->state == RT_STREAM_IDLE) {
        /* With a single thread nothing runs sooner for being handed over. */
        bool overlaps = (flags & RT_SUBMIT_LARGE) && rt_pool_threads(rt_pool_default()) > 1;
        if (overlaps || queued >= ENOUGH_FOR_A_WORKER)
            push_ready_locked(stream);
        else if (!stream->is_ready)
            watch_locked(stream);
    }
    pthread_mutex_unlock(&stream->lock);
    *ticket = submitted;
    rt_self.last_task = (uint32_t)submitted;
    if (__builtin_expect(queued > LONG_QUEUE, 0)) relieve(stream, submitted);
    return ACL_SUCCESS;
}

aclError rt_stream_submit(struct rt_stream *stream, const struct rt_task *task, unsigned flags)
{
    uint64_t ticket;
    aclError status = rt_queue_submit(stream, task, flags, &ticket);
    if (status == ACL_SUCCESS && rt_config()->launch_blocking && !rt_self.running)
        rt_queue_await(stream, ticket);
    return status;
}

/* --- waiting ------------------------------------------------------------------------------- */

static bool join_loop(struct rt_stream *stream)
{
    if (!atomic_load_explicit(&stream->loop, memory_order_relaxed)) return false;
    bool fits = rt_worker_computing(1) < rt_pool_threads(rt_pool_default());
    struct rt_loop *loop = NULL;
    if (fits) {
        pthread_mutex_lock(&stream->lock);
        loop = atomic_load_explicit(&stream->loop, memory_order_relaxed);
        if (loop && !rt_loop_wants_help(loop)) loop = NULL;
        if (loop) atomic_fetch_add_explicit(&loop->outstanding, 1, memory_order_relaxed);
        pthread_mutex_unlock(&stream->lock);
    }
    if (loop) rt_loop_run(loop);
    rt_worker_computing(-1);
    if (loop) rt_loop_leave(loop);
    return loop != NULL;
}

void rt_queue_show_loop(struct rt_stream *stream, struct rt_loop *loop)
{
    pthread_mutex_lock(&stream->lock);
    atomic_store_explicit(&stream->loop, loop, memory_order_relaxed);
    pthread_mutex_unlock(&stream->lock);
}

/* Runs what a parked stream waits for. False: nothing could be done. */
static bool help(const struct rt_dependency *dependency, int depth)
{
    if (dependency->serial == 0 || depth == DEEPEST_HELP) return false;
    struct rt_object *object =
        rt_registry_acquire(dependency->stream, RT_OBJECT_STREAM, dependency->serial);
    if (!object) return false;
    struct rt_stream *stream = rt_stream_of(object);
    bool helped = false;
    pthread_mutex_lock(&stream->lock);
    if (stream->state == RT_STREAM_PARKED && !is_claimable_locked(stream)) {
        struct rt_dependency deeper = stream->dependency;
        stream->helper = &rt_self;
        pthread_mutex_unlock(&stream->lock);
        helped = help(&deeper, depth + 1);
        pthread_mutex_lock(&stream->lock);
        if (stream->helper == &rt_self) stream->helper = NULL;
    }
    bool ours = is_claimable_locked(stream) && !rt_queue_is_complete(stream, dependency->ticket);
    if (ours)
        stream->state = RT_STREAM_RUNNING;
    else if (is_claimable_locked(stream) && !stream->is_watched)
        leave_rest_locked(stream);
    pthread_mutex_unlock(&stream->lock);
    if (ours)
        run_claimed(stream, dependency->ticket);
    else if (!helped)
        helped = join_loop(stream);
    rt_object_release(object);
    return ours || helped;
}

/* The lock is held before and after, not meanwhile. */
static void sleep_locked(struct rt_stream *stream, uint64_t ticket, bool is_helper,
                         int64_t timeout_ns)
{
    stream->waiters++;
    stream->helpers += is_helper;
    uint64_t old = atomic_load_explicit(&stream->attention, memory_order_relaxed);
    while (old > ticket &&
           !atomic_compare_exchange_weak_explicit(&stream->attention, &old, ticket,
                                                  memory_order_seq_cst, memory_order_relaxed)) {
    }
    uint32_t signal = atomic_load_explicit(&stream->signal, memory_order_relaxed);
    bool is_complete = atomic_load_explicit(&stream->completed, memory_order_seq_cst) >= ticket;
    pthread_mutex_unlock(&stream->lock);
    if (!is_complete) rt_futex_wait(&stream->signal, signal, timeout_ns);
    pthread_mutex_lock(&stream->lock);
    stream->waiters--;
    stream->helpers -= is_helper;
}

/* Without a single worker the thread that waits does other streams' work too. */
static int64_t work_alone(void)
{
    if (rt_worker_any()) return RT_FOREVER;
    struct rt_stream *other = rt_worker_pop_ready();
    if (!other) return LONELY_NS;
    rt_queue_serve(other);
    rt_object_release(&other->object);
    return 0;
}

/* Another thread runs the stream: takes part in its loop, or spins for a while. */
static bool stay_close(struct rt_stream *stream, uint64_t ticket)
{
    if (rt_pool_threads(rt_pool_default()) == 1) return false;
    for (int64_t stop = rt_now_ns() + SPIN_NS; rt_now_ns() < stop;) {
        for (int i = 0; i < 16; i++)
            rt_pause();
        if (rt_queue_is_complete(stream, ticket) || join_loop(stream)) return true;
    }
    return false;
}

/* A thread that gives up drops the tasks of a stream that waits for an event nobody has recorded.
 */
static void await_slowly(struct rt_stream *stream, uint64_t ticket, bool gives_up)
{
    bool tired = false; /* has spun in vain since anything happened */
    rt_object_retain(&stream->object);
    pthread_mutex_lock(&stream->lock);
    while (!rt_queue_is_complete(stream, ticket)) {
        if (is_claimable_locked(stream)) {
            stream->state = RT_STREAM_RUNNING;
            pthread_mutex_unlock(&stream->lock);
            run_claimed(stream, ticket);
            pthread_mutex_lock(&stream->lock);
            tired = false;
        } else if (tired) {
            pthread_mutex_unlock(&stream->lock);
            int64_t timeout = work_alone();
            pthread_mutex_lock(&stream->lock);
            if (timeout > 0 && !is_claimable_locked(stream))
                sleep_locked(stream, ticket, true, timeout);
            tired = false;
        } else {
            bool is_parked = stream->state == RT_STREAM_PARKED;
            struct rt_dependency dependency = stream->dependency;
            if (is_parked && gives_up && dependency.serial == 0) {
                atomic_store_explicit(&stream->discard, UINT64_MAX, memory_order_relaxed);
                continue;
            }
            if (is_parked) stream->helper = &rt_self;
            pthread_mutex_unlock(&stream->lock);
            bool done = is_parked ? help(&dependency, 0) : stay_close(stream, ticket);
            pthread_mutex_lock(&stream->lock);
            if (stream->helper == &rt_self) stream->helper = NULL;
            tired = !done;
        }
    }
    /* Whoever woke us may have counted on us for the tasks behind our ticket. */
    if (is_claimable_locked(stream) && !stream->is_watched) leave_rest_locked(stream);
    pthread_mutex_unlock(&stream->lock);
    rt_object_release(&stream->object);
}

void rt_queue_await(struct rt_stream *stream, uint64_t ticket)
{
    if (rt_queue_is_complete(stream, ticket)) return;
    if (claim(stream)) run_claimed(stream, ticket);
    if (rt_queue_is_complete(stream, ticket)) return;
    await_slowly(stream, ticket, false);
}

void rt_queue_finish(struct rt_stream *stream)
{
    await_slowly(stream, rt_queue_submitted(stream), true);
}

void rt_stream_drain(struct rt_stream *stream)
{
    rt_queue_await(stream, rt_queue_submitted(stream));
}

bool rt_queue_await_until(struct rt_stream *stream, uint64_t ticket, int64_t deadline_ns)
{
    if (rt_queue_is_complete(stream, ticket)) return true;
    rt_queue_kick(stream);
    rt_object_retain(&stream->object);
    pthread_mutex_lock(&stream->lock);
    int64_t left = deadline_ns - rt_now_ns();
    while (!rt_queue_is_complete(stream, ticket) && left > 0) {
        sleep_locked(stream, ticket, false, left);
        left = deadline_ns - rt_now_ns();
    }
    pthread_mutex_unlock(&stream->lock);
    bool is_complete = rt_queue_is_complete(stream, ticket);
    rt_object_release(&stream->object);
    return is_complete;
}

void rt_queue_kick(struct rt_stream *stream)
{
    struct rt_dependency dependency = {0};
    pthread_mutex_lock(&stream->lock);
    if (is_claimable_locked(stream))
        push_ready_locked(stream);
    else if (stream->state == RT_STREAM_PARKED)
        dependency = stream->dependency;
    pthread_mutex_unlock(&stream->lock);
    if (dependency.serial == 0) return;
    struct rt_object *object =
        rt_registry_acquire(dependency.stream, RT_OBJECT_STREAM, dependency.serial);
    if (!object) return;
    struct rt_stream *other = rt_stream_of(object);
    pthread_mutex_lock(&other->lock);
    if (is_claimable_locked(other)) push_ready_locked(other);
    pthread_mutex_unlock(&other->lock);
    rt_object_release(object);
}

void rt_queue_unpark(struct rt_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    if (stream->state == RT_STREAM_RUNNING) {
        stream->is_unparked = true;
    } else if (stream->state == RT_STREAM_PARKED) {
        stream->state = RT_STREAM_IDLE;
        if (stream->helper != &rt_self) leave_rest_locked(stream);
    }
    pthread_mutex_unlock(&stream->lock);
}

void rt_queue_discard(struct rt_stream *stream, uint64_t ticket)
{
    pthread_mutex_lock(&stream->lock);
    if (atomic_load_explicit(&stream->discard, memory_order_relaxed) < ticket)
        atomic_store_explicit(&stream->discard, ticket, memory_order_relaxed);
    if (is_claimable_locked(stream)) leave_rest_locked(stream);
    pthread_mutex_unlock(&stream->lock);
}

void rt_queue_quiesce(struct rt_stream *stream)
{
    for (bool quiet = false; !quiet;) {
        rt_stream_drain(stream);
        pthread_mutex_lock(&stream->lock);
        quiet = stream->state == RT_STREAM_IDLE && !has_tasks(stream);
        if (quiet) {
            stream->is_dead = true;
            if (stream->is_active) rt_grace_leave(stream);
            stream->is_active = false;
        }
        pthread_mutex_unlock(&stream->lock);
        if (!quiet) sched_yield();
    }
}

/* --- the watchman -------------------------------------------------------------------------- */

static enum rt_watch inspect_locked(struct rt_stream *stream)
{
    uint64_t submitted = rt_queue_submitted(stream);
    uint64_t completed = atomic_load_explicit(&stream->completed, memory_order_acquire);
    bool lies = stream->state == RT_STREAM_IDLE && completed < stream->watch_submitted;
    bool moved = submitted != stream->watch_submitted || completed != stream->watch_completed;
    stream->watch_submitted = submitted;
    stream->watch_completed = completed;
    stream->watch_still = moved ? 0 : stream->watch_still + 1;
    if (stream->is_dead) return RT_WATCH_FORGET;
    if (stream->state == RT_STREAM_PARKED) {
        if (stream->park_deadline_ns == 0) return RT_WATCH_FORGET;
        return rt_now_ns() < stream->park_deadline_ns ? RT_WATCH_PATIENTLY : RT_WATCH_EXPIRED;
    }
    if (lies) return RT_WATCH_SERVE;
    return stream->watch_still < STILL_LOOKS ? RT_WATCH_KEEP : RT_WATCH_FORGET;
}

/* The error first: whoever takes over the stream after the wait must find it. Only the wait itself
 * is dropped; what comes after it runs. */
static void expire(struct rt_stream *stream)
{
    rt_stream_fail(stream, ACL_ERROR_RT_WAIT_TIMEOUT,
                   "a wait for an event took longer than aclrtSetOpWaitTimeout allows");
    pthread_mutex_lock(&stream->lock);
    if (stream->state == RT_STREAM_PARKED &&
        rt_queue_is_complete(stream, stream->watch_completed) &&
        !rt_queue_is_complete(stream, stream->watch_completed + 1)) {
        atomic_store_explicit(&stream->discard, stream->watch_completed + 1, memory_order_relaxed);
        leave_rest_locked(stream);
    }
    pthread_mutex_unlock(&stream->lock);
}

enum rt_watch rt_queue_inspect(struct rt_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    enum rt_watch verdict = inspect_locked(stream);
    if (verdict == RT_WATCH_SERVE) push_ready_locked(stream);
    if (verdict == RT_WATCH_FORGET) {
        stream->is_watched = false;
        if (stream->state == RT_STREAM_IDLE && has_tasks(stream)) push_ready_locked(stream);
        if (stream->state == RT_STREAM_IDLE && stream->is_active && !has_tasks(stream)) {
            stream->is_active = false;
            rt_grace_leave(stream);
        }
    }
    pthread_mutex_unlock(&stream->lock);
    if (verdict == RT_WATCH_EXPIRED) expire(stream);
    return verdict;
}

/* --- fork ---------------------------------------------------------------------------------- */

void rt_queue_after_fork_child(struct rt_stream *stream)
{
    /* A lock that another thread held tells that it was amid a change: its chunks are left behind.
     */
    bool consistent = pthread_mutex_trylock(&stream->lock) == 0;
    bool ours = stream->state == RT_STREAM_RUNNING && rt_self.running == stream;
    pthread_mutex_init(&stream->lock, NULL);
    stream->is_ready = stream->is_watched = stream->is_active = stream->is_unparked = false;
    stream->waiters = stream->helpers = 0;
    stream->grace_ticket = 0;
    stream->helper = NULL;
    atomic_store_explicit(&stream->object.references, 1 + ours, memory_order_relaxed);
    atomic_store_explicit(&stream->loop, NULL, memory_order_relaxed);
    atomic_store_explicit(&stream->attention, UINT64_MAX, memory_order_relaxed);
    if (ours) return;
    stream->state = RT_STREAM_IDLE;
    uint64_t submitted = rt_queue_submitted(stream);
    atomic_store_explicit(&stream->completed, submitted, memory_order_relaxed);
    if (consistent) {
        free_chunks(stream->head);
        free_chunks(stream->spare);
    }
    stream->head = stream->tail = stream->spare = NULL;
    stream->spare_count = 0;
    stream->tail_index = RT_CHUNK_TASKS;
    stream->head_index = 0;
}
