/* SPDX-License-Identifier: Apache-2.0 */
/* What the scheduler asks of the features above it, which it does not know: each feature fills in
 * its own members when the library is loaded (a constructor), and nobody writes them later. Those
 * that the scheduler may ask although no feature is there accept that: they ask first whether a
 * member is NULL. */
#ifndef ACLNN_CPU_RUNTIME_SCHEDULE_HOOKS_H
#define ACLNN_CPU_RUNTIME_SCHEDULE_HOOKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "runtime/schedule/queue.h"

struct rt_capture_hooks {
    /* For a stream that is diverted. False: it is not, any more. True: the task was taken, or
     * *status says why not; a refused task is still the caller's. */
    bool (*take)(struct rt_stream *stream, const struct rt_task *task, unsigned flags,
                 aclError *status);
    /* 107027 when the stream is captured. */
    aclError (*refuse_stream)(const char *who, struct rt_stream *stream);
    /* 107027 when a stream of the device is captured. */
    aclError (*check_device)(const char *who, int32_t device);
    /* A stream dies that is diverted: what it keeps for an update of a task group is given back. */
    void (*leave)(struct rt_stream *stream);
    /* The captures of a context that ends; their graphs are destroyed. */
    void (*abandon)(struct rt_context *context);
};

struct rt_callback_hooks {
    /* Sets those streams going whose subscribed thread has ended. Asked from time to time while a
     * stream is parked that is polled. */
    void (*look_at_threads)(void);
    /* Whether the thread that runs the stream's callbacks is at it, or may be soon. Never true on
     * that thread itself. */
    bool (*is_expected)(struct rt_stream *stream);
    /* A callback of the stream waits, or will wait, for the calling thread: who waits for the
     * stream here would wait for ever. Asked while there are blocking callbacks. */
    bool (*is_mine)(struct rt_stream *stream);
    /* Ends the stream's subscription after its last task: waits for callbacks that block nothing
     * and are still to run, as long as they are expected, or drops them. */
    void (*leave)(struct rt_stream *stream, bool discards);
};

struct rt_exception_hooks {
    /* The stream's task has failed with this code: the callbacks are called soon, on a host thread.
     * No lock is held by the caller. */
    void (*raise)(const struct rt_stream *stream, aclError code);
    /* Waits until the callbacks have been called for all that was raised before; not inside a
     * callback. */
    void (*settle)(void);
};

struct rt_hooks {
    struct rt_capture_hooks capture;
    struct rt_callback_hooks callback;
    struct rt_exception_hooks exception;
    /* Sets those streams going whose value in memory has come. No stream's lock is held. Asked
     * while rt_value_waits is greater than 0. */
    void (*look_at_values)(void);
};

extern struct rt_hooks rt_hooks __attribute__((visibility("hidden")));

/* Streams that wait for a value. */
extern _Atomic int rt_value_waits __attribute__((visibility("hidden")));

static inline void rt_look_at_values(void)
{
    if (__builtin_expect(atomic_load_explicit(&rt_value_waits, memory_order_seq_cst) > 0, 0))
        rt_hooks.look_at_values();
}

static inline bool rt_callback_is_mine(struct rt_stream *stream)
{
    return atomic_load_explicit(&stream->callback.blocking, memory_order_relaxed) > 0 &&
           rt_hooks.callback.is_mine(stream);
}

/* 107027 when the stream is captured. */
static inline aclError rt_capture_check_stream(const char *who, struct rt_stream *stream)
{
    if (__builtin_expect(!atomic_load_explicit(&stream->is_diverted, memory_order_relaxed), 1))
        return ACL_SUCCESS;
    return rt_hooks.capture.refuse_stream(who, stream);
}

#endif
