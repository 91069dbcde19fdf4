/* SPDX-License-Identifier: Apache-2.0 */
/* Stream queues as the rest of the library sees them: submit a task, fail from inside a task, wait,
 * defer a release. */
#ifndef ACLNN_CPU_RUNTIME_SCHEDULE_STREAM_H
#define ACLNN_CPU_RUNTIME_SCHEDULE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"

struct rt_stream; /* what an aclrtStream points at */
struct rt_task;

struct rt_task_kind {
    const char *name;
    /* Runs once, on a worker or on a thread that waits for the stream. Must not block, submit, or
     * wait. */
    void (*run)(struct rt_task *task, struct rt_stream *stream);
    /* Instead of run, when the task is discarded (DestroyForce). NULL: nothing to release. */
    void (*drop)(struct rt_task *task);
    /* As run, but releases nothing: a captured task runs each time its graph is replayed, and drop
     * releases it when the graph dies. Runs of one graph never overlap, so ready and rerun may keep
     * a note in word[RT_TASK_NOTE], which is 0 when ready is asked for the first time in a run.
     * ready is asked before it as before run. NULL: the kind cannot be captured; submitting it to a
     * capturing stream is refused with 107027 and invalidates the capture. The stream is the one
     * whose error the task may set; for a kind with ready it is the one that was asked, which in a
     * graph is another. */
    void (*rerun)(struct rt_task *task, struct rt_stream *stream);
    /* In a replay that is given up: ready has said no for this stream and will not be asked again;
     * what it has arranged is to be undone. A kind with ready needs it to be captured. */
    void (*leave)(struct rt_task *task, struct rt_stream *stream);
    /* Asked before run, NULL: always ready. False parks the stream: the kind has then arranged that
     * rt_queue_unpark is called, after which it is asked again. */
    bool (*ready)(struct rt_task *task, struct rt_stream *stream);
    /* run calls the program's code, which may take the program's locks: it must not run while a
     * thread of the program is submitting. */
    bool calls_program;
    bool is_quick;    /* takes less than a worker takes to come: whoever is there may run it */
    bool is_operator; /* a launch: what may stand in a task group */
    /* What printed graphs and a timeline's submits call the task, in static storage; NULL: name.
     * Its run tells rt_profile_operator the same. */
    const char *(*name_of)(const struct rt_task *task);
};

enum { RT_TASK_NOTE = 6 };

/* 64 bytes, copied into the queue: submitting allocates nothing once a stream is warm. */
struct rt_task {
    const struct rt_task_kind *kind;
    union {
        void *pointer;
        uint64_t number;
    } word[7];
};

static inline const char *rt_task_name(const struct rt_task *task)
{
    return task->kind->name_of ? task->kind->name_of(task) : task->kind->name;
}

enum rt_submit_flags {
    RT_SUBMIT_LARGE = 1, /* worth waking a worker at once: some microseconds of work or more */
};

/* The stream a handle means: NULL is the default stream of the calling thread's current context. On
 * failure (107002 without a context, 107003 for another context's stream, 107017 for no stream)
 * reports a text in the name of `who` and returns the code. */
aclError rt_stream_resolve(const char *who, aclrtStream handle, struct rt_stream **stream);

/* Queues a copy of *task behind all that was submitted to the stream before. Thread-safe. Fails
 * only for want of host memory (207001, reported), and then task is not queued and drop is not
 * called. With ASCEND_LAUNCH_BLOCKING=1 returns when the task has run; an asynchronous error is
 * still left to the next synchronise. */
aclError rt_stream_submit(struct rt_stream *stream, const struct rt_task *task, unsigned flags);

/* Waits until all that was submitted before the call has run, helping to run it. Leaves the
 * stream's error in place. */
void rt_stream_drain(struct rt_stream *stream);

/* From inside a running task: the stream's first error since its last synchronise is kept, later
 * ones are only logged. The text reaches the thread that synchronises. */
void rt_stream_fail(struct rt_stream *stream, aclError code, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* Something to release when no queued work can use it any more. Embedded in the caller's object;
 * zero-initialised. */
struct rt_deferred {
    struct rt_deferred *next;
    void (*release)(struct rt_deferred *deferred);
};

/* Calls deferred->release once every task that is queued now, on any stream, has run: before
 * returning when nothing is queued, else from the thread that runs the last of them or waits for
 * it; a thread that has waited for all those streams finds it released. Never blocks, never
 * allocates. */
void rt_defer(struct rt_deferred *deferred);

/* Surely nothing is queued on any stream: rt_defer would release at once. One or two loads. */
bool rt_defer_is_idle(void);

#endif
