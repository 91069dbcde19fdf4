/* SPDX-License-Identifier: Apache-2.0 */
/* Worker threads. At most rt_config()->threads, started one by one as they are needed. When they
 * may use every CPU there is, each is bound to one: a fresh thread that is not stays on its
 * creator's CPU for milliseconds.
 *
 * Locks: pool.lock guards both lists, started threads, `stopping` and who is the watchman. Nothing
 * is locked inside it. A worker's state doubles as its futex: whoever changes SLEEPING to BUSY must
 * wake it. A worker says SLEEPING before it looks for work a last time, a producer adds work before
 * it looks for sleepers, all in sequentially consistent order, so no work is missed. */
#include "runtime/schedule/worker.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "runtime/schedule/hooks.h"
#include "runtime/schedule/loop.h"
#include "runtime/schedule/queue.h"
#include "runtime/schedule/watch.h"
#include "runtime/support/alloc.h"
#include "runtime/support/config.h"
#include "runtime/support/float_env.h"
#include "runtime/support/fork.h"
#include "runtime/support/futex.h"
#include "runtime/support/log.h"
#include "runtime/support/point.h"
#include "runtime/support/spin.h"
#include "runtime/support/stack.h"
#include "runtime/support/thread.h"

enum {
    SPIN_NS = 50000,            /* before sleeping: loops that follow each other pay no wake-up */
    FIRST_LOOK_NS = 50000,      /* the watchman's period while it finds work ... */
    SLOW_LOOK_NS = 1000000,     /* ... and at most, while others run what is queued */
    POLL_LOOK_NS = 2000000,     /* when there are only waits for values in memory */
    PATIENT_LOOK_NS = 10000000, /* when there are only waits that may time out in seconds */
    LOOKS_AT_ONCE = 256,        /* streams per look */
    LEAST_STACK = 2 << 20,      /* kernels keep what fits the caches on it */
};

enum worker_state {
    BUSY,
    SPINNING,
    SLEEPING,
};

struct rt_worker {
    _Alignas(64) _Atomic uint32_t state; /* enum worker_state; futex */
    _Atomic(struct rt_loop *) invitation;
    int cpu; /* bound to, or -1 */
    int index;
    atomic_bool is_started; /* written under pool.lock */
    pthread_t thread;
};

struct rt_pool {
    int threads;
    struct rt_worker *workers; /* [threads], from the first start on */
    bool binds;                /* workers to CPUs, in rising order of both */
    int16_t worker_of_cpu[CPU_SETSIZE];
    atomic_int started;

    pthread_mutex_t lock;
    struct ready {
        struct rt_stream *first, *last;
    } ready[RT_PRIORITIES];
    struct rt_stream *watch_first, *watch_last;
    struct rt_worker *watchman;

    _Alignas(64) atomic_int ready_count;
    atomic_uint ready_priorities; /* a bit for each that has a stream; written under lock */
    atomic_bool stopping;
    atomic_bool unwatched; /* streams are on the watch list and there is no watchman */
    atomic_int computing;
};

static struct rt_pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct rt_pool *rt_pool_default(void)
{
    return &pool;
}

int rt_pool_threads(const struct rt_pool *unused)
{
    (void)unused;
    return rt_config()->threads;
}

int rt_worker_computing(int change)
{
    if (change == 0) return atomic_load_explicit(&pool.computing, memory_order_relaxed);
    return atomic_fetch_add_explicit(&pool.computing, change, memory_order_relaxed);
}

int rt_worker_place(void)
{
    if (rt_self.worker) return rt_self.worker->index;
    if (!rt_worker_any()) return 0;
    int cpu = pool.binds ? sched_getcpu() : -1;
    return cpu >= 0 && cpu < CPU_SETSIZE ? pool.worker_of_cpu[cpu] : pool.threads - 1;
}

bool rt_worker_is_crowded_here(void)
{
    if (!rt_worker_any() || rt_worker_computing(0) >= pool.threads) return false;
    int cpu = sched_getcpu();
    for (int i = 0; i < pool.threads; i++) {
        const struct rt_worker *worker = &pool.workers[i];
        if (worker->cpu == cpu)
            return atomic_load_explicit(&worker->state, memory_order_relaxed) == BUSY;
    }
    return false;
}

bool rt_worker_any(void)
{
    return atomic_load_explicit(&pool.started, memory_order_acquire) > 0;
}

/* --- lists --------------------------------------------------------------------------------- */

static void unlink_ready_locked(struct rt_stream *stream)
{
    struct ready *ready = &pool.ready[stream->priority];
    struct rt_stream *next = stream->lists.ready_next, *previous = stream->lists.ready_previous;
    *(previous ? &previous->lists.ready_next : &ready->first) = next;
    *(next ? &next->lists.ready_previous : &ready->last) = previous;
    stream->lists.is_listed = false;
    if (!ready->first)
        atomic_fetch_and_explicit(&pool.ready_priorities, ~(1u << stream->priority),
                                  memory_order_relaxed);
    atomic_fetch_sub_explicit(&pool.ready_count, 1, memory_order_seq_cst);
}

struct rt_stream *rt_worker_pop_ready(void)
{
    if (atomic_load_explicit(&pool.ready_count, memory_order_seq_cst) == 0) return NULL;
    struct rt_stream *stream = NULL;
    pthread_mutex_lock(&pool.lock);
    unsigned priorities = atomic_load_explicit(&pool.ready_priorities, memory_order_relaxed);
    if (priorities != 0) {
        stream = pool.ready[__builtin_ctz(priorities)].first;
        unlink_ready_locked(stream);
    }
    pthread_mutex_unlock(&pool.lock);
    return stream;
}

bool rt_worker_withdraw_ready(struct rt_stream *stream)
{
    pthread_mutex_lock(&pool.lock);
    bool is_listed = stream->lists.is_listed;
    if (is_listed) unlink_ready_locked(stream);
    pthread_mutex_unlock(&pool.lock);
    return is_listed;
}

bool rt_worker_has_ready_before(uint32_t priority)
{
    return (atomic_load_explicit(&pool.ready_priorities, memory_order_relaxed) &
            ((1u << priority) - 1)) != 0;
}

bool rt_worker_has_ready(void)
{
    return atomic_load_explicit(&pool.ready_count, memory_order_relaxed) > 0;
}

void rt_worker_push_ready(struct rt_stream *stream)
{
    pthread_mutex_lock(&pool.lock);
    struct ready *ready = &pool.ready[stream->priority];
    stream->lists.ready_next = NULL;
    stream->lists.ready_previous = ready->last;
    *(ready->last ? &ready->last->lists.ready_next : &ready->first) = stream;
    ready->last = stream;
    stream->lists.is_listed = true;
    atomic_fetch_or_explicit(&pool.ready_priorities, 1u << stream->priority, memory_order_relaxed);
    atomic_fetch_add_explicit(&pool.ready_count, 1, memory_order_seq_cst);
    pthread_mutex_unlock(&pool.lock);
}

static struct rt_stream *pop_watched(void)
{
    pthread_mutex_lock(&pool.lock);
    struct rt_stream *stream = pool.watch_first;
    if (stream) {
        pool.watch_first = stream->lists.watch_next;
        if (!pool.watch_first) pool.watch_last = NULL;
    }
    pthread_mutex_unlock(&pool.lock);
    return stream;
}

bool rt_worker_push_watched(struct rt_stream *stream)
{
    pthread_mutex_lock(&pool.lock);
    stream->lists.watch_next = NULL;
    if (pool.watch_last)
        pool.watch_last->lists.watch_next = stream;
    else
        pool.watch_first = stream;
    pool.watch_last = stream;
    bool unwatched = pool.watchman == NULL;
    if (unwatched) atomic_store_explicit(&pool.unwatched, true, memory_order_relaxed);
    pthread_mutex_unlock(&pool.lock);
    return unwatched;
}

/* --- sleeping and waking -------------------------------------------------------------------- */

static bool wake(struct rt_worker *worker)
{
    uint32_t state = SLEEPING;
    if (!atomic_compare_exchange_strong_explicit(&worker->state, &state, BUSY, memory_order_seq_cst,
                                                 memory_order_relaxed))
        return false;
    rt_futex_wake(&worker->state, 1);
    return true;
}

static void *worker_main(void *argument);

static bool create_thread(struct rt_worker *worker)
{
    sigset_t all, old;
    pthread_attr_t attributes;
    size_t stack;
    if (pthread_attr_init(&attributes) != 0) return false;
    if (pthread_attr_getstacksize(&attributes, &stack) == 0 && stack < LEAST_STACK)
        pthread_attr_setstacksize(&attributes, LEAST_STACK);
    if (worker->cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((size_t)worker->cpu, &set);
        pthread_attr_setaffinity_np(&attributes, sizeof(set), &set);
    }
    sigfillset(&all); /* signals are the program's, on the program's threads */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bool ok = pthread_create(&worker->thread, &attributes, worker_main, worker) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    return ok;
}

static bool make_workers_locked(void)
{
    if (pool.workers) return true;
    int threads = rt_config()->threads;
    struct rt_worker *workers = rt_alloc_aligned(64, (size_t)threads * sizeof(*workers));
    if (!workers) return false;
    cpu_set_t mask;
    CPU_ZERO(&mask);
    bool binds = rt_config()->threads_fill_cpus && sched_getaffinity(0, sizeof(mask), &mask) == 0 &&
                 CPU_COUNT(&mask) == threads;
    int cpu = -1;
    for (int i = 0; i < threads; i++) {
        if (binds) do
                cpu++;
            while (!CPU_ISSET((size_t)cpu, &mask));
        if (binds) pool.worker_of_cpu[cpu] = (int16_t)i;
        workers[i] = (struct rt_worker){.cpu = cpu, .index = i};
    }
    pool.binds = binds;
    pool.threads = threads;
    pool.workers = workers;
    return true;
}

/* Starts one more thread, if possible not on this CPU, with an invitation or NULL. */
static bool start_one(int avoid_cpu, bool strictly, struct rt_loop *invitation)
{
    bool ok = false;
    pthread_mutex_lock(&pool.lock);
    struct rt_worker *chosen = NULL;
    bool open =
        make_workers_locked() && !atomic_load_explicit(&pool.stopping, memory_order_relaxed);
    for (int i = 0; open && i < pool.threads; i++) {
        struct rt_worker *worker = &pool.workers[i];
        if (atomic_load_explicit(&worker->is_started, memory_order_relaxed)) continue;
        bool avoid = worker->cpu >= 0 && worker->cpu == avoid_cpu;
        if (avoid && strictly) continue;
        if (!chosen || !avoid) chosen = worker;
        if (!avoid) break;
    }
    if (chosen) {
        atomic_store_explicit(&chosen->state, BUSY, memory_order_relaxed);
        atomic_store_explicit(&chosen->invitation, invitation, memory_order_relaxed);
        ok = create_thread(chosen);
        if (!ok) rt_log(ACL_WARNING, "no thread could be started; work goes on with fewer");
        if (ok) {
            atomic_store_explicit(&chosen->is_started, true, memory_order_release);
            atomic_fetch_add_explicit(&pool.started, 1, memory_order_release);
        } else {
            atomic_store_explicit(&chosen->invitation, NULL, memory_order_relaxed);
        }
    }
    pthread_mutex_unlock(&pool.lock);
    return ok;
}

void rt_worker_wake_one(void)
{
    int cpu = sched_getcpu();
    struct rt_worker *here = NULL;
    if (rt_worker_any()) {
        for (int i = 0; i < pool.threads; i++) {
            struct rt_worker *worker = &pool.workers[i];
            if (!atomic_load_explicit(&worker->is_started, memory_order_acquire)) continue;
            uint32_t state = atomic_load_explicit(&worker->state, memory_order_seq_cst);
            bool is_here = worker->cpu >= 0 && worker->cpu == cpu;
            if (state == SPINNING && !is_here) return;
            if (state != SLEEPING) continue;
            if (is_here)
                here = worker;
            else if (wake(worker))
                return;
        }
    }
    if (atomic_load_explicit(&pool.started, memory_order_relaxed) < rt_config()->threads &&
        start_one(cpu, here != NULL, NULL))
        return;
    if (here) wake(here);
}

/* --- loops ---------------------------------------------------------------------------------- */

static bool invite(struct rt_worker *worker, struct rt_loop *loop)
{
    struct rt_loop *none = NULL;
    atomic_fetch_add_explicit(&loop->outstanding, 1, memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(&worker->invitation, &none, loop,
                                                 memory_order_seq_cst, memory_order_relaxed)) {
        atomic_fetch_sub_explicit(&loop->outstanding, 1, memory_order_relaxed);
        return false;
    }
    wake(worker);
    return true;
}

/* Of the workers that are started, not the caller's own and not on this CPU. */
static int invite_some(struct rt_loop *loop, int wanted, int cpu, bool busy_ones)
{
    for (int i = 0; i < pool.threads && wanted > 0; i++) {
        struct rt_worker *worker = &pool.workers[i];
        if (worker == rt_self.worker || (worker->cpu >= 0 && worker->cpu == cpu)) continue;
        if (!atomic_load_explicit(&worker->is_started, memory_order_acquire)) continue;
        bool is_busy = atomic_load_explicit(&worker->state, memory_order_seq_cst) == BUSY;
        if (is_busy == busy_ones) wanted -= invite(worker, loop);
    }
    return wanted;
}

void rt_worker_invite(struct rt_loop *loop, int wanted)
{
    int cpu = sched_getcpu();
    if (rt_worker_any()) wanted = invite_some(loop, wanted, cpu, false);
    while (wanted > 0 &&
           atomic_load_explicit(&pool.started, memory_order_relaxed) < rt_config()->threads) {
        atomic_fetch_add_explicit(&loop->outstanding, 1, memory_order_relaxed);
        if (!start_one(cpu, true, loop)) {
            atomic_fetch_sub_explicit(&loop->outstanding, 1, memory_order_relaxed);
            break;
        }
        wanted--;
    }
    /* Fewer compute than there are threads: who is busy is so for a moment, waking up or finding
     * that another was quicker. */
    if (rt_worker_any() && wanted > 0) invite_some(loop, wanted, cpu, true);
}

void rt_worker_revoke(struct rt_loop *loop)
{
    if (!rt_worker_any()) return;
    for (int i = 0; i < pool.threads; i++) {
        if (atomic_load_explicit(&loop->outstanding, memory_order_relaxed) == 0) return;
        struct rt_loop *mine = loop;
        struct rt_worker *worker = &pool.workers[i];
        if (atomic_load_explicit(&worker->invitation, memory_order_relaxed) != loop) continue;
        if (atomic_compare_exchange_strong_explicit(&worker->invitation, &mine, NULL,
                                                    memory_order_acquire, memory_order_relaxed))
            atomic_fetch_sub_explicit(&loop->outstanding, 1, memory_order_relaxed);
    }
}

/* --- the threads ---------------------------------------------------------------------------- */

static bool has_work(const struct rt_worker *worker)
{
    return atomic_load_explicit(&worker->invitation, memory_order_seq_cst) ||
           atomic_load_explicit(&pool.ready_count, memory_order_seq_cst) > 0 ||
           atomic_load_explicit(&pool.stopping, memory_order_seq_cst);
}

/* BUSY before taking anything: whoever adds work now looks for another worker, and what was added
 * before is seen here. */
static void do_work(struct rt_worker *worker)
{
    atomic_store_explicit(&worker->state, BUSY, memory_order_seq_cst);
    RT_POINT("worker is busy");
    struct rt_loop *loop =
        atomic_exchange_explicit(&worker->invitation, NULL, memory_order_acq_rel);
    struct rt_stream *stream = loop ? NULL : rt_worker_pop_ready();
    /* Others may count on this one, who will be busy for a while. */
    if (atomic_load_explicit(&pool.ready_count, memory_order_seq_cst) > 0 ||
        atomic_load_explicit(&pool.unwatched, memory_order_relaxed))
        rt_worker_wake_one();
    if (loop) {
        rt_worker_computing(1);
        rt_loop_run(loop);
        rt_worker_computing(-1);
    }
    if (stream) {
        rt_queue_serve(stream);
        rt_object_release(&stream->object);
    }
    atomic_store_explicit(&worker->state, SPINNING, memory_order_seq_cst);
    /* Last, so that the loop's caller can invite this worker again at once. */
    if (loop) rt_loop_leave(loop);
}

static bool spin_for_work(struct rt_worker *worker)
{
    if (rt_config()->threads == 1) return has_work(worker);
    atomic_store_explicit(&worker->state, SPINNING, memory_order_seq_cst);
    for (struct rt_spin spin = rt_spin_for(SPIN_NS); rt_spin(&spin);)
        if (has_work(worker)) return true;
    return false;
}

/* Looks once at what is being watched; true when something must be served now. *period is when to
 * look again. */
static bool look_around(int64_t *period)
{
    bool found = false;
    bool patient = true;
    bool polled = false;
    struct rt_stream *first = NULL;
    for (int i = 0; i < LOOKS_AT_ONCE; i++) {
        struct rt_stream *stream = pop_watched();
        if (!stream) break;
        if (stream == first) { /* once round */
            rt_worker_push_watched(stream);
            break;
        }
        enum rt_watch verdict = rt_watch_inspect(stream);
        if (!first && verdict != RT_WATCH_FORGET) first = stream;
        found |= verdict == RT_WATCH_SERVE || verdict == RT_WATCH_EXPIRED;
        patient &= verdict == RT_WATCH_PATIENTLY || verdict == RT_WATCH_POLLED ||
                   verdict == RT_WATCH_FORGET;
        polled |= verdict == RT_WATCH_POLLED;
        if (verdict == RT_WATCH_FORGET)
            rt_object_release(&stream->object);
        else
            rt_worker_push_watched(stream);
    }
    if (polled) rt_look_at_values();
    if (polled && rt_hooks.callback.look_at_threads) rt_hooks.callback.look_at_threads();
    int64_t longest = !patient ? SLOW_LOOK_NS : polled ? POLL_LOOK_NS : PATIENT_LOOK_NS;
    *period = *period < longest / 2 ? *period * 2 : longest;
    return found;
}

static bool become_watchman(struct rt_worker *worker)
{
    pthread_mutex_lock(&pool.lock);
    bool becomes = pool.watch_first && !pool.watchman;
    if (becomes) {
        pool.watchman = worker;
        atomic_store_explicit(&pool.unwatched, false, memory_order_relaxed);
    }
    pthread_mutex_unlock(&pool.lock);
    return becomes;
}

/* True when streams are left to watch. */
static bool resign(void)
{
    pthread_mutex_lock(&pool.lock);
    pool.watchman = NULL;
    bool left = pool.watch_first != NULL;
    atomic_store_explicit(&pool.unwatched, left, memory_order_relaxed);
    pthread_mutex_unlock(&pool.lock);
    return left;
}

static void sleep_until_work(struct rt_worker *worker)
{
    int64_t period = FIRST_LOOK_NS;
    bool watches = false;
    atomic_store_explicit(&worker->state, SLEEPING, memory_order_seq_cst);
    for (;;) {
        if (!watches) watches = become_watchman(worker);
        RT_POINT("before a worker sleeps");
        if (!has_work(worker))
            rt_futex_wait(&worker->state, SLEEPING, watches ? period : RT_FOREVER);
        if (has_work(worker)) break;
        if (!watches) {
            /* Woken to watch, or for nothing. */
            atomic_store_explicit(&worker->state, SLEEPING, memory_order_seq_cst);
            continue;
        }
        if (look_around(&period)) break;
        pthread_mutex_lock(&pool.lock);
        if (!pool.watch_first) {
            pool.watchman = NULL;
            watches = false;
            period = FIRST_LOOK_NS;
        }
        pthread_mutex_unlock(&pool.lock);
        atomic_store_explicit(&worker->state, SLEEPING, memory_order_seq_cst);
    }
    atomic_store_explicit(&worker->state, BUSY, memory_order_seq_cst); /* not for wake_one */
    RT_POINT("before the watchman resigns");
    if (watches && resign()) rt_worker_wake_one();
}

static void *worker_main(void *argument)
{
    struct rt_worker *worker = argument;
    char name[16];
    snprintf(name, sizeof(name), "aclnn-cpu/%d", worker->index);
    pthread_setname_np(pthread_self(), name);
    rt_self.worker = worker;
    rt_stack_look();
    rt_float_begin(); /* a thread begins with its creator's */
    while (!atomic_load_explicit(&pool.stopping, memory_order_acquire)) {
        if (has_work(worker))
            do_work(worker);
        else if (!spin_for_work(worker))
            sleep_until_work(worker);
    }
    return NULL;
}

void rt_worker_stop(void)
{
    atomic_store_explicit(&pool.stopping, true, memory_order_seq_cst);
    pthread_mutex_lock(&pool.lock); /* a thread that is being started has started after this */
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < pool.threads; i++) {
        struct rt_worker *worker = &pool.workers[i];
        if (!atomic_load_explicit(&worker->is_started, memory_order_acquire)) continue;
        wake(worker);
        pthread_join(worker->thread, NULL);
    }
    rt_free(pool.workers);
    pool.workers = NULL;
    pool.threads = 0;
    pool.watchman = NULL;
    atomic_store_explicit(&pool.started, 0, memory_order_release);
    atomic_store_explicit(&pool.stopping, false, memory_order_seq_cst);
    atomic_store_explicit(&pool.unwatched, false, memory_order_relaxed);
    for (struct rt_stream *stream; (stream = rt_worker_pop_ready());)
        rt_object_release(&stream->object);
    for (struct rt_stream *stream; (stream = pop_watched());)
        rt_object_release(&stream->object);
}

/* --- fork ----------------------------------------------------------------------------------- */

static void before_fork(void)
{
    pthread_mutex_lock(&pool.lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&pool.lock);
}

static void in_child(void)
{
    pthread_mutex_init(&pool.lock, NULL);
    rt_free(pool.workers);
    pool.workers = NULL;
    pool.threads = 0;
    pool.watchman = NULL;
    memset(pool.ready, 0, sizeof(pool.ready));
    atomic_store(&pool.ready_priorities, 0);
    pool.watch_first = pool.watch_last = NULL;
    atomic_store(&pool.ready_count, 0);
    atomic_store(&pool.started, 0);
    atomic_store(&pool.stopping, false);
    atomic_store(&pool.unwatched, false);
    atomic_store(&pool.computing, 0);
    rt_self.worker = NULL;
    rt_self.id = 0;
}

__attribute__((constructor)) static void guard_fork(void)
{
    static const struct rt_fork_handlers handlers = {before_fork, in_parent, in_child};
    rt_fork_guard(RT_FORK_WORKER, &handlers);
}
