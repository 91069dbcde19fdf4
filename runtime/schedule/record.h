/* SPDX-License-Identifier: Apache-2.0 */
/* Where the scheduler tells what happens when, for who records it (profile/). When nothing is
 * recorded a hook costs one load. Names are static storage. Times are of rt_ticks; 0 stands for
 * none. */
#ifndef ACLNN_CPU_RUNTIME_SCHEDULE_RECORD_H
#define ACLNN_CPU_RUNTIME_SCHEDULE_RECORD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/support/ticks.h"

struct rt_stream;
struct rt_task;

enum rt_profile_flag {
    RT_PROFILE_HOST = 1,    /* calls of the program: phase 1, submits, waits */
    RT_PROFILE_TASKS = 2,   /* what streams run */
    RT_PROFILE_STEPS = 4,   /* and the steps of operators */
    RT_PROFILE_MARKS = 8,   /* the program's own marks and ranges */
    RT_PROFILE_SUMMARY = 16 /* sums per operator */
};

/* What is recorded; written by profile.c alone. */
extern _Atomic unsigned rt_profile_flags __attribute__((visibility("hidden")));

typedef void rt_profile_run_fn(struct rt_task *task, struct rt_stream *stream);

/* Filled in by profile.c when the library is loaded; asked while something is recorded. */
struct rt_record_hooks {
    int64_t (*run)(struct rt_stream *track, struct rt_task *task, rt_profile_run_fn *run,
                   struct rt_stream *stream, uint64_t ticket, int64_t parked_at, int64_t now);
    int64_t (*parks)(const struct rt_stream *stream);
    /* The calling thread has claimed the stream and has just read the clock: the task that it runs
     * next, if it is one of the stream's, begins then. NULL when rt_run_claimed has returned. */
    void (*next_begins)(const struct rt_stream *stream, int64_t now);
    /* Calls of the program that end now, on the calling thread's track. is_moment: nothing was done
     * but what a submit always does, and the clock is not read again. */
    void (*submit)(struct rt_stream *stream, const char *name, uint64_t ticket, int64_t begin,
                   bool is_moment);
    void (*wait)(struct rt_stream *stream, int64_t begin);
    /* The running task is this operator, and began then, maybe on another thread. */
    void (*operator_since)(const char *name, size_t bytes, int64_t begin);
};
extern struct rt_record_hooks rt_record_hooks __attribute__((visibility("hidden")));

static inline bool rt_profile_on(void)
{
    /* Acquires: which clock has been chosen is seen as well. */
    return __builtin_expect(atomic_load_explicit(&rt_profile_flags, memory_order_acquire) != 0, 0);
}

/* The time when something is recorded, else 0: then there is nothing to end. */
static inline int64_t rt_profile_begin(void)
{
    return rt_profile_on() ? rt_ticks() : 0;
}

/* For whoever runs tasks: run(task, stream), which is the kind's run or rerun, with its record
 * around it, on the track of the stream whose turn it is. ticket: the task's own, 0 when it has
 * none. parked_at: when the stream began to wait for this task to be ready, 0 when it did not.
 * now: the time, or 0, since reading the clock costs as much as the record; returns when the task
 * has ended, or 0, for one that follows at once. */
static inline int64_t rt_profile_run(struct rt_stream *track, struct rt_task *task,
                                     rt_profile_run_fn *run, struct rt_stream *stream,
                                     uint64_t ticket, int64_t parked_at, int64_t now)
{
    if (rt_profile_on())
        return rt_record_hooks.run(track, task, run, stream, ticket, parked_at, now);
    run(task, stream);
    return 0;
}

/* begin: of rt_profile_begin; 0: not known. */
static inline void rt_profile_operator_since(const char *name, size_t bytes, int64_t begin)
{
    if (rt_profile_on()) rt_record_hooks.operator_since(name, bytes, begin);
}

/* The stream, which the calling thread has claimed, stands before a task that is not ready. Returns
 * when, or 0. */
static inline int64_t rt_profile_parks(const struct rt_stream *stream)
{
    return rt_profile_on() ? rt_record_hooks.parks(stream) : 0;
}

#endif
