/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the stream queues, for queue.c, run.c, wait.c and watch.c: who runs a stream next.
 * Functions that say "locked" need the stream's lock; what they leave to be done after it is given
 * back is a set of enum rt_after. */
#ifndef ACLNN_CPU_RUNTIME_SCHEDULE_CLAIM_H
#define ACLNN_CPU_RUNTIME_SCHEDULE_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/schedule/queue.h"

enum {
    RT_FEW_TASKS = 32, /* are left to the watchman or to who synchronises first; a submitter looks
                          what to do after each so many */
    RT_LONG_QUEUE = 4096, /* tasks; from here on a submitter lends a hand in any case */
    RT_TINY_NS = 150, /* a task costs as much to hand over: its cache line goes to the other CPU and
                         back. Its submitter runs it, and a worker leaves it to him. */
};

enum rt_after {
    RT_WAKE_WAITERS = 1,
    RT_WAKE_WORKER = 2,
};

/* Gives the lock back, then wakes. */
void rt_claim_unlock(struct rt_stream *stream, unsigned after);

bool rt_has_tasks(struct rt_stream *stream);
bool rt_is_claimable_locked(struct rt_stream *stream);

/* Claimable, and a thread of the program does well to run it: not when its stack is too small for
 * tasks, nor when large ones are queued, a worker is busy on this CPU and another CPU is free. */
bool rt_should_claim_locked(struct rt_stream *stream);

/* The stream is claimable, and the caller's from now on: no worker needs to come for it. The caller
 * has a reference of its own, or the handle is alive. */
void rt_claim_locked(struct rt_stream *stream);

/* Claims the stream if it should. */
bool rt_claim(struct rt_stream *stream);

enum rt_runner {
    RT_RUNNER_WAITS,   /* for the stream, or for one that waits for it */
    RT_RUNNER_SUBMITS, /* runs no task that calls the program */
    RT_RUNNER_RETURNS, /* has run a function of the stream's; runs only what is quick */
    RT_RUNNER_WORKS,   /* a worker */
};

/* Runs the tasks of a stream that the caller has claimed, up to target or while there are any, and
 * gives the claim back. */
void rt_run_claimed(struct rt_stream *stream, uint64_t target, enum rt_runner runner);

/* Tasks up to this ticket are dropped, unless they have begun. Whoever calls this sees to it that a
 * parked stream is claimed. */
void rt_discard_locked(struct rt_stream *stream, uint64_t ticket);

/* Leaves the error for the next synchronise, in place of what dropped work may have left. */
void rt_stream_leave_error_locked(struct rt_stream *stream, aclError code, const char *text);

/* aclrtStreamStop: the wait that the stream is parked at, or about to be, ends; the rest as
 * rt_discard_locked. */
void rt_stop_wait_locked(struct rt_stream *stream);
/* The same for the first wait among the tasks queued by now that would park. */
void rt_stop_next_wait_locked(struct rt_stream *stream);

/* Those who sleep for it. */
unsigned rt_signal_locked(struct rt_stream *stream);
/* The stream is claimable and the caller does not claim it: someone who sleeps for it goes on, else
 * a worker. */
unsigned rt_leave_locked(struct rt_stream *stream);
/* A worker, even if someone sleeps for it. */
unsigned rt_push_ready_locked(struct rt_stream *stream);
/* On the watch list, unless it is there. */
unsigned rt_watch_locked(struct rt_stream *stream);

/* Lowers attention to this ticket; false: it was as low. The runner looks at it after each
 * completion, and once more under the lock before it leaves. */
bool rt_ask_attention(struct rt_stream *stream, uint64_t ticket);

#endif
