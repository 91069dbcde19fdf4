/* SPDX-License-Identifier: Apache-2.0 */
/* The worker threads behind pool.h: which streams they serve, how they sleep and who wakes them.
 *
 * A stream that wants a worker at once is pushed as ready. A stream with a few small tasks is only
 * put on the watch list: most programs synchronise soon and then run such tasks themselves, and a
 * wake-up would cost more than the tasks. One sleeping worker, the watchman, wakes by timer as long
 * as the list is not empty and serves what has been lying there. */
#ifndef ACLNN_CPU_RUNTIME_SCHEDULE_WORKER_H
#define ACLNN_CPU_RUNTIME_SCHEDULE_WORKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/schedule/pool.h"

struct rt_loop;
struct rt_stream;

/* A stream's place in the lists. Written by worker.c alone, under its lock, but for the child of a
 * fork. */
struct rt_stream_lists {
    struct rt_stream *ready_next, *ready_previous, *watch_next;
    bool is_listed; /* as ready */
};

/* Both take over one reference to the stream and wake nobody. The second is true when the list has
 * no watchman: then a worker must be woken. */
void rt_worker_push_ready(struct rt_stream *stream);
bool rt_worker_push_watched(struct rt_stream *stream);

/* Takes the stream off the ready list. True: its reference is the caller's. False: it was not
 * there, or a worker has popped it and comes to serve it. */
bool rt_worker_withdraw_ready(struct rt_stream *stream);

/* Sees to it that a worker looks for work soon, if any is free. */
void rt_worker_wake_one(void);

bool rt_worker_has_ready(void);
/* A stream that goes before those of this priority is ready. */
bool rt_worker_has_ready_before(uint32_t priority);

/* Offers the loop to up to `wanted` idle workers of other CPUs than the caller's, starting threads
 * that are not there yet. Each that will take part or might do so is counted in loop->outstanding.
 */
void rt_worker_invite(struct rt_loop *loop, int wanted);
/* Takes back invitations that nobody has taken up; their count leaves loop->outstanding. */
void rt_worker_revoke(struct rt_loop *loop);

/* Which part of a loop belongs to the calling thread: its CPU's number among those that workers are
 * bound to, or, where they are not bound, a worker's own number and the last one for all others. */
int rt_worker_place(void);

/* Threads that compute now, as far as loops and workers tell; changes by `change`, returns the old
 * value. */
int rt_worker_computing(int change);

/* A worker is busy on the calling thread's CPU while another CPU has none that computes. */
bool rt_worker_is_crowded_here(void);

/* False when not a single worker thread could be started: then a thread that waits must do all
 * work itself. */
bool rt_worker_any(void);
/* Pops a ready stream, NULL when there is none; its reference is the caller's. */
struct rt_stream *rt_worker_pop_ready(void);

/* Joins all threads and forgets both lists. No work may be queued. */
void rt_worker_stop(void);

#endif
