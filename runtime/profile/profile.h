/* SPDX-License-Identifier: Apache-2.0 */
/* What happens when, for timelines (ACLNN_CPU_TIMELINE, aclprofStart) and for the table of
 * ACLNN_CPU_SUMMARY. Each thread writes its own records and takes no lock; memory for records is
 * bounded, and what does not fit is counted as lost.
 *
 * When nothing is recorded a hook costs one load. Names are static storage. Times are of rt_ticks;
 * 0 stands for none. */
#ifndef ACLNN_CPU_RUNTIME_PROFILE_PROFILE_H
#define ACLNN_CPU_RUNTIME_PROFILE_PROFILE_H

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

extern _Atomic unsigned rt_profile_flags __attribute__((visibility("hidden")));

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
typedef void rt_profile_run_fn(struct rt_task *task, struct rt_stream *stream);
int64_t rt_profile_run_slowly(struct rt_stream *track, struct rt_task *task, rt_profile_run_fn *run,
                              struct rt_stream *stream, uint64_t ticket, int64_t parked_at,
                              int64_t now);
static inline int64_t rt_profile_run(struct rt_stream *track, struct rt_task *task,
                                     rt_profile_run_fn *run, struct rt_stream *stream,
                                     uint64_t ticket, int64_t parked_at, int64_t now)
{
    if (rt_profile_on())
        return rt_profile_run_slowly(track, task, run, stream, ticket, parked_at, now);
    run(task, stream);
    return 0;
}

/* The calling thread has claimed the stream and has just read the clock: the task that it runs
 * next, if it is one of the stream's, begins then. NULL when rt_run_claimed has returned. */
void rt_profile_next_begins(const struct rt_stream *stream, int64_t now);

/* The stream, which the calling thread has claimed, stands before a task that is not ready. Returns
 * when, or 0. */
int64_t rt_profile_parks_slowly(const struct rt_stream *stream);
static inline int64_t rt_profile_parks(const struct rt_stream *stream)
{
    return rt_profile_on() ? rt_profile_parks_slowly(stream) : 0;
}

/* What a running task moves and computes; nothing outside of one. */
void rt_profile_note_slowly(size_t bytes, double flops);
static inline void rt_profile_note(size_t bytes, double flops)
{
    if (rt_profile_on()) rt_profile_note_slowly(bytes, flops);
}

/* The running task is where an arrow begins; returns what names the arrow (0: nothing is recorded),
 * for any number of tasks where it ends. */
uint64_t rt_profile_arrow_from(void);
void rt_profile_arrow_to(uint64_t arrow);

/* The running task is this operator. Returns when it began, and so its first step; 0 when nothing
 * is recorded. */
int64_t rt_profile_operator_slowly(const char *name, size_t bytes, double flops);
static inline int64_t rt_profile_operator(const char *name, size_t bytes, double flops)
{
    return rt_profile_on() ? rt_profile_operator_slowly(name, bytes, flops) : 0;
}

/* A step of the running operator ends now; returns when. The operator ends with its last one. */
int64_t rt_profile_step(const char *name, int64_t begin, size_t bytes);

/* Calls of the program that end now, on the calling thread's track. A call that moved bytes says
 * how many. */
void rt_profile_call(const char *name, int64_t begin, size_t bytes);
void rt_profile_plan(const char *operator_name, int64_t begin);
/* is_moment: nothing was done but what a submit always does, and the clock is not read again. */
void rt_profile_submit(struct rt_stream *stream, const char *name, uint64_t ticket, int64_t begin,
                       bool is_moment);
void rt_profile_wait(struct rt_stream *stream, int64_t begin);

/* aclprofStop: ranges that are still open will not be recorded. */
void rt_profile_drop_ranges(void);

/* Starts what the environment asks for; once, when it has been read. */
void rt_profile_start(const char *timeline, bool summary);
/* aclFinalize: all work has ended. Writes what there is to write. */
void rt_profile_finish(void);

#endif
