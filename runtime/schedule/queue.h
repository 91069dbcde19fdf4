/* SPDX-License-Identifier: Apache-2.0 */
/* The queue inside a stream: tasks in order of submission, run by whoever claims the stream.
 *
 * A stream is IDLE, RUNNING (one thread has claimed it and runs its tasks in batches) or PARKED
 * (its next task waits for an event). A thread that synchronises claims the stream and runs the
 * tasks itself, so that a small task costs neither a wake-up nor a switch; workers claim what
 * nobody else does. Tickets number a stream's tasks from 1: `submitted` is the last one queued,
 * `completed` the last one run. An IDLE stream with tasks left is always on the workers' ready or
 * watch list, or a thread that waits for it has been woken. */
#ifndef ACLNN_CPU_RUNTIME_SCHEDULE_QUEUE_H
#define ACLNN_CPU_RUNTIME_SCHEDULE_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/schedule/context.h"
#include "runtime/schedule/grace.h"
#include "runtime/schedule/host.h"
#include "runtime/schedule/stream.h"
#include "runtime/schedule/watch.h"
#include "runtime/schedule/worker.h"
#include "runtime/support/lock.h"
#include "runtime/support/registry.h"

struct rt_loop;
struct rt_subscriber;

enum rt_stream_state {
    RT_STREAM_IDLE,
    RT_STREAM_RUNNING,
    RT_STREAM_PARKED,
};

enum { RT_PRIORITIES = 8 }; /* 0 goes first */
enum { RT_LIMIT_KINDS = 2 };

enum { RT_CHUNK_TASKS = 31 }; /* with its link a chunk is 2 KiB */

struct rt_chunk {
    _Alignas(64) struct rt_task tasks[RT_CHUNK_TASKS]; /* a cache line each */
    struct rt_chunk *next;
};

/* What sets a parked stream going. */
enum rt_awaits {
    RT_AWAITS_PLACE, /* its dependency: a task, or nothing that is known when that has no serial */
    RT_AWAITS_ANYTHING, /* any task of any stream may */
    RT_AWAITS_THREAD,   /* the thread that runs the stream's callbacks, see callback.h */
    RT_AWAITS_RETURN,   /* its own task has begun on another thread and is not dropped any more */
};

/* Where the task that a parked stream waits for will run; 0 serial when not yet known. */
struct rt_dependency {
    const struct rt_stream *stream; /* look up by serial before use */
    uint64_t serial;
    uint64_t ticket;
};

/* --- parts of a stream -------------------------------------------------------------------------
 *
 * Each is written by the file that it names, others read it; but the child of a fork, whose only
 * thread may write all, resets them in queue.c. Those of grace.c, worker.c and watch.c are in their
 * headers. */

/* Of stream.c. Guarded by lock. */
struct rt_stream_error {
    aclError code; /* first since the last synchronise */
    char text[192];
};

/* Of run.c: what the stream is parked for, or about to be. Guarded by lock. */
struct rt_stream_park {
    struct rt_dependency dependency; /* while PARKED, as are the next three */
    int64_t deadline_ns;             /* the wait may be PARKED until then; 0: for ever */
    enum rt_awaits awaits;
    bool is_polled;       /* the watchman looks whether the wait is over */
    bool is_unparked;     /* the event came while the runner was about to park */
    uint64_t stop_ticket; /* aclrtStreamStop: the first wait up to here that would park ends; 0 */
};

/* Of wait.c. Guarded by lock. */
struct rt_stream_sleep {
    int waiters;        /* threads asleep on signal */
    int helpers;        /* those of them that will claim the stream when they can */
    const void *helper; /* the thread that runs the dependency in order to come back */
};

/* Of what it waits for: a mark of an event, a notify, a value. Guarded by the lock of that. */
struct rt_stream_waits_at {
    void *place;
    struct rt_stream *next;
    struct rt_task *task; /* not for marks */
};

/* Of callback/. Guarded by the lock of callback.c. */
struct rt_stream_callback {
    struct rt_subscriber *subscriber;
    struct rt_subscriber *awaited; /* runs the callback of a graph that the stream is parked for */
    bool has_host_functions;
    atomic_int blocking; /* launched and not ended */
};

/* Of capture/. Guarded by the lock of capture_lock.c. */
struct rt_stream_capture {
    struct rt_graph *graph; /* NULL: not captured */
    uint32_t lane;
    struct rt_task_group *updates; /* the group whose tasks are being replaced */
    struct rt_node_slot *next_slot;
};

struct rt_stream {
    struct rt_object object;
    struct rt_context *context;
    uint32_t id;
    uint32_t flags;
    uint32_t priority;
    uint32_t overflow_switch;
    uint32_t custom_tag, cache_op_info;      /* attributes that are only given back */
    _Atomic uint32_t limits[RT_LIMIT_KINDS]; /* of threads, by aclrtDevResLimitType; 0: none */
    bool stops_on_failure;

    struct rt_stream_error error;
    struct rt_stream_park park;
    struct rt_stream_sleep sleep;
    struct rt_stream_grace grace;
    struct rt_stream_lists lists;
    struct rt_stream_watch watch;
    struct rt_stream_waits_at waits_at;
    struct rt_stream_callback callback;
    struct rt_stream_capture capture;

    /* Guarded by lock. */
    struct rt_chunk *spare;
    int spare_count;

    /* Of the task that runs a host function: its runner's, the host thread's while it is there. */
    struct rt_host_job host_job;

    /* Submitting. Guarded by lock; submitted may be read without. */
    _Alignas(64) struct rt_lock lock;
    uint16_t tail_index;
    uint8_t state;           /* enum rt_stream_state */
    bool is_ready;           /* on the ready list, or a worker comes from there */
    bool is_watched;         /* on the watch list */
    bool is_active;          /* grace.c knows it: it may have tasks */
    bool is_dead;            /* destroyed; lists still hold references */
    bool refuses;            /* its context has stopped, after a failure or for an abort */
    bool is_blocking;        /* ASCEND_LAUNCH_BLOCKING=1 */
    atomic_bool is_diverted; /* tasks go to stream_capture.c; written under its lock */
    uint32_t task_ns;        /* what a task takes, from the last long batch */
    /* The thread that submitted last, as gettid tells; may be read without the lock. */
    _Atomic uint32_t submitter;
    _Atomic uint64_t submitted;
    uint64_t completed_seen; /* completed at some time: saves the submitter a look at the runner's
                                cache line */
    struct rt_chunk *tail;
    uint64_t large_ticket; /* the last task that was submitted as large */

    /* Running. head and head_index belong to the thread that has claimed the stream. */
    _Alignas(64) _Atomic uint64_t completed;
    _Atomic uint64_t attention; /* a thread wants to hear when this ticket completes */
    _Atomic uint64_t discard;   /* tasks up to this ticket are dropped, not run */
    struct rt_chunk *head;
    uint32_t head_index;
    int64_t parked_at;       /* the next task was not ready then; 0: it was not asked, or nothing is
                                recorded. The runner's */
    int64_t recorded_until;  /* of rt_ticks: nothing that a timeline shows here begins before. The
                                runner's */
    _Atomic uint32_t signal; /* futex of the waiters; changes at each wake */
    _Atomic(struct rt_loop *) loop; /* of the running task, while others may join; written under
                                       lock */
    atomic_bool has_error;          /* written under lock */
    atomic_int close;               /* threads that spin until they can take part in a loop */
    atomic_int close_cpu;           /* of the last one that came */
};

/* The stream that begins with this object; NULL for NULL. */
static inline struct rt_stream *rt_stream_of(struct rt_object *object)
{
    return (struct rt_stream *)(void *)object;
}

/* NULL without memory. The caller adds it to the registry. */
struct rt_stream *rt_queue_new(struct rt_context *context);
void rt_queue_free(struct rt_stream *stream);

/* Waits for a ticket, running the stream's tasks if nobody else does. */
void rt_queue_await(struct rt_stream *stream, uint64_t ticket);
/* Waits at most until the deadline (CLOCK_MONOTONIC) and runs nothing itself, since a task may last
 * longer than that. False: not complete. */
bool rt_queue_await_until(struct rt_stream *stream, uint64_t ticket, int64_t deadline_ns);
/* Waits until all that was submitted is complete, except that tasks behind a wait that will never
 * end, since nobody has recorded the event or streams wait for each other, are dropped: for the end
 * of a context. */
void rt_queue_finish(struct rt_stream *stream);
/* Waits until all is complete and no thread is inside the stream any more: before freeing. */
void rt_queue_quiesce(struct rt_stream *stream);

static inline uint64_t rt_queue_submitted(const struct rt_stream *stream)
{
    return atomic_load_explicit(&stream->submitted, memory_order_acquire);
}

static inline bool rt_queue_is_complete(struct rt_stream *stream, uint64_t ticket)
{
    return atomic_load_explicit(&stream->completed, memory_order_acquire) >= ticket;
}

/* As rt_stream_submit; *ticket is the task's. */
aclError rt_queue_submit(struct rt_stream *stream, const struct rt_task *task, unsigned flags,
                         uint64_t *ticket);

/* The same for a task that is to run although the stream is captured. */
aclError rt_queue_submit_now(struct rt_stream *stream, const struct rt_task *task, unsigned flags,
                             uint64_t *ticket);

/* So many chunks at hand. False without memory. */
bool rt_queue_reserve(struct rt_stream *stream, int chunks);

/* Somebody waits for tasks of this stream: if they lie there, give them to a worker now. */
void rt_queue_kick(struct rt_stream *stream);

/* For a kind's ready that is about to return false: what ends the wait, and when it ends without
 * (0: never). */
struct rt_wait {
    enum rt_awaits awaits;
    struct rt_dependency place;
    int64_t deadline_ns;
    bool is_polled;
};
void rt_queue_expect(struct rt_stream *stream, const struct rt_wait *wait);
/* What it waits for has got a place, or another one. */
void rt_queue_expect_at(struct rt_stream *stream, const struct rt_dependency *place);

/* What the parked stream waited for has come. */
void rt_queue_unpark(struct rt_stream *stream);
/* It has not, but the wait is given up; a task that has begun elsewhere is awaited all the same. */
void rt_queue_unpark_early(struct rt_stream *stream);

/* The task that the stream is parked at, or about to be, begins on the calling thread. False: it is
 * to be dropped. After true the stream stays parked, whatever is discarded, until rt_queue_return.
 */
bool rt_queue_begin(struct rt_stream *stream);
void rt_queue_return(struct rt_stream *stream);
/* The same, and the calling thread runs the stream on as far as its tasks are quick: a function
 * that is queued behind this one begins although all workers compute. */
void rt_queue_return_and_go_on(struct rt_stream *stream);
/* Of a task that was expected with RT_AWAITS_RETURN: rt_queue_return has been called for it. */
bool rt_queue_has_returned(struct rt_stream *stream);

/* Makes whoever runs the stream drop all tasks up to this ticket that have not started, a parked
 * one included. Does not wait. */
void rt_queue_discard(struct rt_stream *stream, uint64_t ticket);

/* For worker.c. Claims the stream and runs a batch; keeps no reference. */
void rt_queue_serve(struct rt_stream *stream);

/* For pool.c: others may take part in the running task's loop until it is taken back with NULL. */
void rt_queue_show_loop(struct rt_stream *stream, struct rt_loop *loop);

/* For the child of a fork: what the parent had queued stays the parent's. */
void rt_queue_after_fork_child(struct rt_stream *stream);

#endif
