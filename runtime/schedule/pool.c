/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel loops. A loop lives on its caller's stack; helpers reach it by invitation (worker.c) or
 * through the stream whose task runs it (a thread that waits for that stream lends a hand).
 *
 * A loop is cut into chunks, and the chunks into as many parts as threads may take part. A thread
 * begins with the part that belongs to its CPU, so that a loop of the same shape finds in that
 * CPU's caches what the loop before left there; then it takes from the far end of others' parts.
 *
 * Locks: none of its own. loop->outstanding counts helpers that may still touch the loop; the
 * caller leaves when it is 0. */
#include "runtime/schedule/pool.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "runtime/schedule/limit.h"
#include "runtime/schedule/loop.h"
#include "runtime/schedule/queue.h"
#include "runtime/schedule/worker.h"
#include "runtime/support/futex.h"
#include "runtime/support/spin.h"
#include "runtime/support/thread.h"

enum {
    CHUNKS_PER_PART = 32, /* at most, so that slices stay worth their overhead */
    MANY_CHUNKS = 16,     /* of which the first may be over before others are invited */
    SPIN_NS = 50000,
};

static const uint32_t CALLER_SLEEPS = 1u << 31; /* in loop->outstanding */

_Atomic uint32_t rt_device_limits[RT_DEVICES_MAX][RT_LIMIT_KINDS];

static inline int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The first item of a chunk; chunks differ by one item at most. */
static int64_t chunk_begin(const struct rt_loop *loop, int64_t chunk)
{
    int64_t size = loop->items / loop->chunks, larger = loop->items % loop->chunks;
    return chunk * size + smaller(chunk, larger);
}

static uint64_t pack(uint32_t first, uint32_t end)
{
    return (uint64_t)end << 32 | first;
}

static uint32_t chunks_left(uint64_t range)
{
    return (uint32_t)(range >> 32) - (uint32_t)range;
}

enum taking { FIRST_CHUNK, FROM_FRONT, FROM_BACK };

/* Half of what is left of a part: large slices first, small ones at the end, where they even out
 * threads of different speed. */
static bool take_slice(struct rt_loop *loop, int part, enum taking taking, int64_t *begin,
                       int64_t *end)
{
    _Atomic uint64_t *place = &loop->part[part].range;
    uint64_t range = atomic_load_explicit(place, memory_order_relaxed), rest;
    uint32_t first, last;
    do {
        first = (uint32_t)range;
        last = (uint32_t)(range >> 32);
        if (first == last) return false;
        uint32_t size = taking == FIRST_CHUNK ? 1 : (last - first + 1) / 2;
        rest = taking == FROM_BACK ? pack(first, last - size) : pack(first + size, last);
        if (taking == FROM_BACK)
            first = last - size;
        else
            last = first + size;
    } while (!atomic_compare_exchange_weak_explicit(place, &range, rest, memory_order_relaxed,
                                                    memory_order_relaxed));
    *begin = chunk_begin(loop, first);
    *end = chunk_begin(loop, last);
    return true;
}

void rt_loop_run(struct rt_loop *loop)
{
    int own = rt_worker_place() % loop->parts;
    for (int i = 0; i < loop->parts; i++) {
        int part = own + i < loop->parts ? own + i : own + i - loop->parts;
        int64_t begin, end;
        while (take_slice(loop, part, i == 0 ? FROM_FRONT : FROM_BACK, &begin, &end))
            loop->fn(loop->context, begin, end);
    }
}

void rt_loop_leave(struct rt_loop *loop)
{
    /* After this the loop may be gone; a wake needs only its address. */
    uint32_t before = atomic_fetch_sub_explicit(&loop->outstanding, 1, memory_order_acq_rel);
    if (before == (CALLER_SLEEPS | 1)) rt_futex_wake(&loop->outstanding, 1);
}

bool rt_loop_wants_help(const struct rt_loop *loop)
{
    for (int i = 0; i < loop->parts; i++)
        if (chunks_left(atomic_load_explicit(&loop->part[i].range, memory_order_relaxed)) >= 2)
            return true;
    return false;
}

static void await_helpers(struct rt_loop *loop)
{
    uint32_t left = atomic_load_explicit(&loop->outstanding, memory_order_acquire);
    if (left == 0) return;
    for (struct rt_spin spin = rt_spin_for(SPIN_NS); rt_spin(&spin);)
        if (atomic_load_explicit(&loop->outstanding, memory_order_acquire) == 0) return;
    left = atomic_fetch_or_explicit(&loop->outstanding, CALLER_SLEEPS, memory_order_acq_rel);
    for (left |= CALLER_SLEEPS; left != CALLER_SLEEPS;) {
        rt_futex_wait(&loop->outstanding, left, RT_FOREVER);
        left = atomic_load_explicit(&loop->outstanding, memory_order_acquire);
    }
}

/* A thread that waits for the stream spins on its CPU: it takes part sooner than a worker of the
 * same CPU, which would have to push it aside. It may be about to come from its submit. */
static int await_company(struct rt_loop *loop, struct rt_stream *stream)
{
    int64_t begin, end;
    if (loop->chunks >= MANY_CHUNKS &&
        take_slice(loop, rt_worker_place() % loop->parts, FIRST_CHUNK, &begin, &end))
        loop->fn(loop->context, begin, end);
    int close = atomic_load_explicit(&stream->close, memory_order_relaxed);
    bool is_elsewhere =
        atomic_load_explicit(&stream->close_cpu, memory_order_relaxed) != sched_getcpu();
    return is_elsewhere ? close : 0;
}

static void run_with_helpers(struct rt_loop *loop, int wanted)
{
    struct rt_stream *stream = loop->is_limited ? NULL : rt_self.running;
    if (stream) rt_queue_show_loop(stream, loop);
    if (stream && rt_self.worker) wanted -= await_company(loop, stream);
    if (wanted > 0) rt_worker_invite(loop, wanted);
    rt_loop_run(loop);
    if (stream) rt_queue_show_loop(stream, NULL);
    rt_worker_revoke(loop);
    await_helpers(loop);
}

static void run_in_parallel(struct rt_loop *loop, int threads)
{
    bool is_user = rt_self.worker == NULL;
    int computing = rt_worker_computing(is_user) + is_user;
    int free_threads = rt_pool_threads(rt_pool_default()) - computing;
    int wanted = (int)smaller(threads - 1, free_threads);
    if (wanted > 0)
        run_with_helpers(loop, wanted);
    else
        loop->fn(loop->context, 0, loop->items);
    rt_worker_computing(-is_user);
}

static void cut(struct rt_loop *loop)
{
    for (int i = 0; i < loop->parts; i++) {
        uint32_t first = (uint32_t)(loop->chunks * i / loop->parts);
        uint32_t end = (uint32_t)(loop->chunks * (i + 1) / loop->parts);
        atomic_init(&loop->part[i].range, pack(first, end));
    }
}

/* A thread does the work of both kinds of cores: the smaller limit counts. */
static int limited(const struct rt_stream *stream, int threads)
{
    for (int kind = 0; kind < RT_LIMIT_KINDS && stream; kind++)
        threads = (int)smaller(threads, rt_limit_of_stream(stream, kind));
    return threads;
}

void rt_parallel_for(struct rt_pool *pool, rt_slice_fn *fn, void *context, int64_t items,
                     int64_t grain)
{
    if (items <= 0) return;
    int64_t chunks = grain > 1 ? items / grain : items;
    const int all = pool ? rt_pool_threads(pool) : 1;
    const int allowed = limited(rt_self.running, all);
    int threads = chunks < allowed ? (int)chunks : allowed;
    if (threads < 2) {
        fn(context, 0, items);
        return;
    }
    int parts = (int)smaller(threads, RT_LOOP_PARTS);
    struct rt_loop loop;
    loop.fn = fn;
    loop.context = context;
    loop.items = items;
    loop.chunks = smaller(chunks, (int64_t)CHUNKS_PER_PART * parts);
    loop.parts = parts;
    loop.is_limited = allowed < all;
    atomic_init(&loop.outstanding, 0);
    cut(&loop);
    run_in_parallel(&loop, threads);
}
