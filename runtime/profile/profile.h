/* SPDX-License-Identifier: Apache-2.0 */
/* What happens when, for timelines (ACLNN_CPU_TIMELINE, aclprofStart) and for the table of
 * ACLNN_CPU_SUMMARY. Each thread writes its own records and takes no lock; memory for records is
 * bounded, and what does not fit is counted as lost.
 *
 * When nothing is recorded a hook costs one load. Names are static storage. Times are of rt_ticks;
 * 0 stands for none. */
#ifndef ACLNN_CPU_RUNTIME_PROFILE_PROFILE_H
#define ACLNN_CPU_RUNTIME_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/schedule/record.h"

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

/* aclprofStop: ranges that are still open will not be recorded. */
void rt_profile_drop_ranges(void);

/* Starts what the environment asks for; once, when it has been read. */
void rt_profile_start(const char *timeline, bool summary);
/* aclFinalize: all work has ended. Writes what there is to write. */
void rt_profile_finish(void);

#endif
