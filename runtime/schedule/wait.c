/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that wait for a stream. They run its tasks if nobody else does, or take part in the loop
 * of the running one, or run what a parked stream waits for; only then do they sleep.
 * Locks: the stream's, see queue.c. No two streams' at once. */
#include <sched.h>
#include <stddef.h>

#include "runtime/schedule/claim.h"
#include "runtime/schedule/grace.h"
#include "runtime/schedule/hooks.h"
#include "runtime/schedule/loop.h"
#include "runtime/schedule/queue.h"
#include "runtime/schedule/record.h"
#include "runtime/schedule/worker.h"
#include "runtime/support/checked.h"
#include "runtime/support/float_env.h"
#include "runtime/support/futex.h"
#include "runtime/support/point.h"
#include "runtime/support/spin.h"
#include "runtime/support/stack.h"
#include "runtime/support/thread.h"

enum {
    SPIN_NS = 50000,        /* about what a futex wake-up takes on a virtual machine */
    DEEPEST_HELP = 32,      /* streams that wait for streams */
    FIRST_NAP_NS = 2000000, /* see run.c: a runner amid a long batch may have missed us */
    LONELY_NS = 1000000,    /* between looks at the ready list when no worker exists */
};

static bool join_loop(struct rt_stream *stream)
{
    if (!atomic_load_explicit(&stream->loop, memory_order_relaxed) || !rt_stack_suffices())
        return false;
    struct rt_loop *loop = NULL;
    if (rt_worker_computing(1) < rt_pool_threads(rt_pool_default())) {
        rt_lock_take(&stream->lock);
        loop = atomic_load_explicit(&stream->loop, memory_order_relaxed);
        if (loop && !rt_loop_wants_help(loop)) loop = NULL;
        if (loop) atomic_fetch_add_explicit(&loop->outstanding, 1, memory_order_relaxed);
        rt_lock_give(&stream->lock);
    }
    if (loop) {
        const struct rt_float_env own = rt_float_begin();
        RT_POINT("loop joined");
        rt_loop_run(loop);
        rt_float_end(own);
    }
    rt_worker_computing(-1);
    if (loop) rt_loop_leave(loop);
    return loop != NULL;
}

/* Another thread runs the stream: takes part in its loop, or spins for a while. */
static bool stay_close(struct rt_stream *stream, uint64_t ticket)
{
    if (rt_pool_threads(rt_pool_default()) == 1) return false;
    bool done = false;
    const int joins = rt_stack_suffices();
    atomic_store_explicit(&stream->close_cpu, sched_getcpu(), memory_order_relaxed);
    atomic_fetch_add_explicit(&stream->close, joins, memory_order_relaxed);
    for (struct rt_spin spin = rt_spin_for(SPIN_NS); !done && rt_spin(&spin);)
        done = rt_queue_is_complete(stream, ticket) || join_loop(stream);
    atomic_fetch_sub_explicit(&stream->close, joins, memory_order_relaxed);
    return done;
}

/* Runs what a parked stream waits for. False: nothing could be done. */
static bool help(const struct rt_dependency *dependency, int depth)
{
    if (dependency->serial == 0 || depth == DEEPEST_HELP) return false;
    struct rt_stream *stream =
        rt_stream_of(rt_registry_acquire(dependency->stream, RT_OBJECT_STREAM, dependency->serial));
    if (!stream) return false;
    RT_POINT("before helping");
    bool helped = false;
    unsigned after = 0;
    rt_lock_take(&stream->lock);
    if (stream->state == RT_STREAM_PARKED && !rt_is_claimable_locked(stream)) {
        struct rt_dependency deeper = stream->park.dependency;
        stream->sleep.helper = &rt_self;
        rt_lock_give(&stream->lock);
        helped = help(&deeper, depth + 1);
        rt_lock_take(&stream->lock);
        if (stream->sleep.helper == &rt_self) stream->sleep.helper = NULL;
    }
    bool is_claimable = rt_is_claimable_locked(stream);
    bool ours =
        is_claimable && !rt_queue_is_complete(stream, dependency->ticket) && rt_stack_suffices();
    if (ours)
        rt_claim_locked(stream);
    else if (is_claimable && !stream->is_watched)
        after = rt_leave_locked(stream);
    rt_claim_unlock(stream, after);
    RT_POINT("helper has looked");
    if (ours)
        rt_run_claimed(stream, dependency->ticket, RT_RUNNER_WAITS);
    else if (!helped)
        helped = join_loop(stream);
    rt_object_release(&stream->object);
    return ours || helped;
}

/* The lock is held before and after, not meanwhile. has_asked: for attention, since it last slept
 * here. */
static void sleep_locked(struct rt_stream *stream, uint64_t ticket, bool is_helper, bool has_asked,
                         int64_t timeout_ns)
{
    stream->sleep.waiters++;
    stream->sleep.helpers += is_helper;
    if (rt_ask_attention(stream, ticket) || has_asked)
        timeout_ns = timeout_ns < FIRST_NAP_NS ? timeout_ns : FIRST_NAP_NS;
    uint32_t signal = atomic_load_explicit(&stream->signal, memory_order_relaxed);
    rt_lock_give(&stream->lock);
    RT_POINT("before sleeping");
    if (!rt_queue_is_complete(stream, ticket)) rt_futex_wait(&stream->signal, signal, timeout_ns);
    rt_lock_take(&stream->lock);
    stream->sleep.waiters--;
    stream->sleep.helpers -= is_helper;
}

/* Without a single worker the thread that waits does other streams' work too. */
static bool work_alone(void)
{
    struct rt_stream *other = rt_worker_any() ? NULL : rt_worker_pop_ready();
    if (!other) return false;
    rt_queue_serve(other);
    rt_object_release(&other->object);
    return true;
}

/* What a stream is parked for, as one look found it. */
struct sight {
    bool is_parked; /* and nothing makes it claimable */
    enum rt_awaits awaits;
    struct rt_dependency place;
};

static struct sight look_at(struct rt_stream *stream)
{
    rt_lock_take(&stream->lock);
    struct sight sight = {.is_parked =
                              stream->state == RT_STREAM_PARKED && !rt_is_claimable_locked(stream),
                          .awaits = stream->park.awaits,
                          .place = stream->park.dependency};
    rt_lock_give(&stream->lock);
    return sight;
}

/* May go on without anything that other streams do. */
static bool may_move(struct rt_stream *stream)
{
    if (!rt_has_tasks(stream)) return false;
    struct sight sight = look_at(stream);
    if (!sight.is_parked || sight.awaits == RT_AWAITS_RETURN) return true;
    return sight.awaits == RT_AWAITS_THREAD && rt_hooks.callback.is_expected(stream);
}

/* No stream of the process has anything to run. A value that has come makes its stream claimable
 * first. */
static bool is_all_still(void)
{
    struct rt_object **objects;
    size_t count;
    bool still = true;
    rt_look_at_values();
    if (!rt_registry_list(RT_OBJECT_STREAM, NULL, &objects, &count)) return false;
    for (size_t i = 0; i < count && still; i++)
        still = !may_move(rt_stream_of(objects[i]));
    rt_registry_list_free(objects, count);
    return still;
}

/* A stream is parked so: will it stay so for ever? True when the chain of parked streams behind it
 * ends at an event that nobody has recorded, in a circle, at a thread that runs no callbacks, or at
 * something that any task might bring while there is no task that could run. A link that was seen
 * holds as long as those after it do, so what is found at the end holds for all. */
static bool leads_nowhere(struct rt_stream *parked)
{
    uint64_t landmark = 0; /* a stream on the way, after Brent: later and later ones */
    struct rt_stream *stream = parked;
    bool is_stuck = true;
    rt_object_retain(&stream->object);
    for (uint64_t step = 1, next_landmark = 1;; step++) {
        struct sight sight = look_at(stream);
        struct rt_dependency place = sight.place;
        if (!sight.is_parked || sight.awaits == RT_AWAITS_RETURN)
            is_stuck = false;
        else if (sight.awaits == RT_AWAITS_THREAD)
            is_stuck = !rt_hooks.callback.is_expected(stream);
        else if (sight.awaits == RT_AWAITS_ANYTHING)
            is_stuck = is_all_still();
        rt_object_release(&stream->object);
        if (!is_stuck || sight.awaits != RT_AWAITS_PLACE || place.serial == 0) return is_stuck;
        if (place.serial == landmark) return true;
        if (step == next_landmark) {
            landmark = place.serial;
            next_landmark *= 2;
        }
        stream = rt_stream_of(rt_registry_acquire(place.stream, RT_OBJECT_STREAM, place.serial));
        if (!stream) return false;
        if (rt_queue_is_complete(stream, place.ticket)) {
            rt_object_release(&stream->object);
            return false;
        }
    }
}

/* Drops the tasks of a parked stream if its wait will never end. The lock is held before and after,
 * not meanwhile. */
static bool give_up_locked(struct rt_stream *stream)
{
    rt_lock_give(&stream->lock);
    bool is_stuck = leads_nowhere(stream);
    RT_POINT("before giving up");
    rt_lock_take(&stream->lock);
    is_stuck =
        is_stuck && stream->state == RT_STREAM_PARKED && stream->park.awaits != RT_AWAITS_RETURN;
    if (is_stuck) rt_discard_locked(stream, UINT64_MAX);
    return is_stuck;
}

/* One step of waiting for a stream that cannot be claimed; the lock is held before and after.
 * False: nothing to do but sleep. */
static bool step_locked(struct rt_stream *stream, uint64_t ticket, bool gives_up)
{
    if (rt_is_claimable_locked(stream)) { /* but not for this thread: crowded, or a small stack */
        rt_claim_unlock(stream, rt_push_ready_locked(stream));
        bool waited = stay_close(stream, ticket) || work_alone();
        rt_lock_take(&stream->lock);
        return waited;
    }
    bool is_parked = stream->state == RT_STREAM_PARKED;
    struct rt_dependency dependency = stream->park.dependency;
    if (is_parked && gives_up && give_up_locked(stream)) return true;
    if (is_parked) stream->sleep.helper = &rt_self;
    rt_lock_give(&stream->lock);
    RT_POINT("waiter has looked");
    bool done = is_parked ? help(&dependency, 0) : stay_close(stream, ticket);
    if (!done) done = work_alone();
    rt_lock_take(&stream->lock);
    if (stream->sleep.helper == &rt_self) stream->sleep.helper = NULL;
    return done || rt_should_claim_locked(stream);
}

/* A thread that gives up drops the tasks of a stream whose wait will never end. */
static void await_slowly(struct rt_stream *stream, uint64_t ticket, bool gives_up)
{
    bool has_asked = false;
    rt_object_retain(&stream->object);
    rt_lock_take(&stream->lock);
    while (!rt_queue_is_complete(stream, ticket)) {
        if (rt_should_claim_locked(stream)) {
            rt_claim_locked(stream);
            rt_lock_give(&stream->lock);
            rt_run_claimed(stream, ticket, RT_RUNNER_WAITS);
            rt_lock_take(&stream->lock);
        } else {
            has_asked |= rt_ask_attention(stream, ticket);
            if (step_locked(stream, ticket, gives_up)) continue;
            int64_t longest = gives_up ? FIRST_NAP_NS : RT_FOREVER;
            sleep_locked(stream, ticket, true, has_asked, rt_worker_any() ? longest : LONELY_NS);
            has_asked = false;
        }
    }
    /* Whoever woke us may have counted on us for the tasks behind our ticket. */
    bool is_left = rt_is_claimable_locked(stream) && !stream->is_watched;
    rt_claim_unlock(stream, is_left ? rt_leave_locked(stream) : 0);
    rt_object_release(&stream->object);
}

void rt_queue_await(struct rt_stream *stream, uint64_t ticket)
{
    int64_t begin = rt_profile_begin();
    if (!rt_queue_is_complete(stream, ticket) && rt_claim(stream)) {
        if (__builtin_expect(begin != 0, 0)) rt_record_hooks.next_begins(stream, begin);
        rt_run_claimed(stream, ticket, RT_RUNNER_WAITS);
        if (__builtin_expect(begin != 0, 0)) rt_record_hooks.next_begins(NULL, 0);
    }
    if (!rt_queue_is_complete(stream, ticket)) await_slowly(stream, ticket, false);
    rt_grace_settle(stream);
    if (__builtin_expect(begin != 0, 0)) rt_record_hooks.wait(stream, begin);
}

void rt_stream_drain(struct rt_stream *stream)
{
    rt_queue_await(stream, rt_queue_submitted(stream));
    rt_check_joined(stream);
}

void rt_queue_finish(struct rt_stream *stream)
{
    await_slowly(stream, rt_queue_submitted(stream), true);
}

bool rt_queue_await_until(struct rt_stream *stream, uint64_t ticket, int64_t deadline_ns)
{
    int64_t begin = rt_profile_begin();
    rt_object_retain(&stream->object);
    if (!rt_queue_is_complete(stream, ticket)) rt_queue_kick(stream);
    rt_lock_take(&stream->lock);
    int64_t left = deadline_ns - rt_now_ns();
    while (!rt_queue_is_complete(stream, ticket) && left > 0) {
        sleep_locked(stream, ticket, false, false, left);
        left = deadline_ns - rt_now_ns();
    }
    rt_lock_give(&stream->lock);
    bool is_complete = rt_queue_is_complete(stream, ticket);
    if (is_complete) rt_grace_settle(stream);
    if (begin != 0) rt_record_hooks.wait(stream, begin);
    rt_object_release(&stream->object);
    return is_complete;
}

void rt_queue_quiesce(struct rt_stream *stream)
{
    for (bool quiet = false; !quiet;) {
        rt_stream_drain(stream);
        rt_lock_take(&stream->lock);
        quiet = stream->state == RT_STREAM_IDLE && !rt_has_tasks(stream);
        if (quiet) {
            stream->is_dead = true;
            if (stream->is_active) rt_grace_leave(stream);
            stream->is_active = false;
        }
        rt_lock_give(&stream->lock);
        if (!quiet) sched_yield();
    }
}
