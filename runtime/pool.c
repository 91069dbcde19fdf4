/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel loops. A loop lives on its caller's stack; helpers reach it by invitation (worker.c) or
 * through the stream whose task runs it (a thread that waits for that stream lends a hand).
 * Locks: none of its own. loop->outstanding counts helpers that may still touch the loop; the
 * caller leaves when it is 0. */
#include "runtime/pool.h"

#include <stdbool.h>
#include <stddef.h>

#include "runtime/futex.h"
#include "runtime/loop.h"
#include "runtime/queue.h"
#include "runtime/thread.h"
#include "runtime/worker.h"

enum {
    /* A slice is what is left divided by this many times the threads: large slices first, small
     * ones at the end, where they even out threads of different speed. */
    SLICES_PER_THREAD = 2,
    /* but never less than this fraction of the loop, so that slices stay worth their overhead */
    SMALLEST_SLICE = 32,
    SPIN_NS = 50000,
};

static const uint32_t CALLER_SLEEPS = 1u << 31; /* in loop->outstanding */

static bool take_slice(struct rt_loop *loop, int64_t *begin, int64_t *end)
{
    int64_t at = atomic_load_explicit(&loop->next, memory_order_relaxed);
    int64_t size;
    do {
        int64_t left = loop->items - at;
        if (left <= 0) return false;
        size = left / ((int64_t)SLICES_PER_THREAD * loop->threads);
        if (size < loop->grain) size = loop->grain;
        if (left - size < loop->grain) size = left;
    } while (!atomic_compare_exchange_weak_explicit(&loop->next, &at, at + size,
                                                    memory_order_relaxed, memory_order_relaxed));
    *begin = at;
    *end = at + size;
    return true;
}

void rt_loop_run(struct rt_loop *loop)
{
    int64_t begin, end;
    while (take_slice(loop, &begin, &end))
        loop->fn(loop->context, begin, end);
}

void rt_loop_leave(struct rt_loop *loop)
{
    /* After this the loop may be gone; a wake needs only its address. */
    uint32_t before = atomic_fetch_sub_explicit(&loop->outstanding, 1, memory_order_acq_rel);
    if (before == (CALLER_SLEEPS | 1)) rt_futex_wake(&loop->outstanding, 1);
}

bool rt_loop_wants_help(const struct rt_loop *loop)
{
    int64_t left = loop->items - atomic_load_explicit(&loop->next, memory_order_relaxed);
    return left >= 2 * loop->grain;
}

static void await_helpers(struct rt_loop *loop)
{
    uint32_t left = atomic_load_explicit(&loop->outstanding, memory_order_acquire);
    if (left == 0) return;
    for (int64_t stop = rt_now_ns() + SPIN_NS; rt_now_ns() < stop;) {
        for (int i = 0; i < 16; i++)
            rt_pause();
        if (atomic_load_explicit(&loop->outstanding, memory_order_acquire) == 0) return;
    }
    left = atomic_fetch_or_explicit(&loop->outstanding, CALLER_SLEEPS, memory_order_acq_rel);
    for (left |= CALLER_SLEEPS; left != CALLER_SLEEPS;) {
        rt_futex_wait(&loop->outstanding, left, RT_FOREVER);
        left = atomic_load_explicit(&loop->outstanding, memory_order_acquire);
    }
}

static void run_in_parallel(struct rt_loop *loop)
{
    bool is_user = rt_self.worker == NULL;
    struct rt_stream *stream = rt_self.running;
    int computing = rt_worker_computing(is_user) + is_user;
    int wanted = loop->threads - 1;
    int free_threads = rt_pool_threads(rt_pool_default()) - computing;
    if (wanted > free_threads) wanted = free_threads;
    if (wanted > 0) {
        rt_worker_invite(loop, wanted);
        if (stream) rt_queue_show_loop(stream, loop);
    }
    rt_loop_run(loop);
    if (wanted > 0) {
        if (stream) rt_queue_show_loop(stream, NULL);
        rt_worker_revoke(loop);
        await_helpers(loop);
    }
    rt_worker_computing(-is_user);
}

void rt_parallel_for(struct rt_pool *pool, rt_slice_fn *fn, void *context, int64_t items,
                     int64_t grain)
{
    if (items <= 0) return;
    if (grain < 1) grain = 1;
    int64_t slices = items / grain;
    int threads = pool ? rt_pool_threads(pool) : 1;
    if (slices < threads) threads = (int)slices;
    if (threads < 2) {
        fn(context, 0, items);
        return;
    }
    int64_t smallest = items / ((int64_t)SMALLEST_SLICE * threads);
    struct rt_loop loop = {.fn = fn,
                           .context = context,
                           .items = items,
                           .grain = grain > smallest ? grain : smallest,
                           .threads = threads};
    run_in_parallel(&loop);
}
