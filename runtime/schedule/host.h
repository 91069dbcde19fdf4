/* SPDX-License-Identifier: Apache-2.0 */
/* Threads for the program's own functions. Such a function may block for as long as it likes, so it
 * gets no worker: there are as many of these threads as functions that run at once, started one by
 * one as they are needed. Two are kept when they are idle, the others end after a while. */
#ifndef ACLNN_CPU_RUNTIME_SCHEDULE_HOST_H
#define ACLNN_CPU_RUNTIME_SCHEDULE_HOST_H

#include <stdbool.h>

/* Embedded in the caller's object, which lives until run has returned. */
struct rt_host_job {
    void (*run)(struct rt_host_job *job); /* may free the job */
    struct rt_host_job *next;
};

/* Sees to it that job->run is called on one of the threads. False when there is none and none can
 * be started: then the caller runs it. Thread-safe; may start a thread, never waits. */
bool rt_host_push(struct rt_host_job *job);

/* Changes in the child of a fork: a job that was begun before returns to its thread's end at once.
 */
unsigned rt_host_generation(void);

/* Runs what was pushed and joins all threads. Nothing may be pushed meanwhile. */
void rt_host_stop(void);

/* Forgets what was pushed: for the child of a fork. */
static inline void rt_host_job_reset(struct rt_host_job *job)
{
    *job = (struct rt_host_job){0};
}

#endif
