/* SPDX-License-Identifier: Apache-2.0 */
/* What the runtime keeps per thread. */
#ifndef ACLNN_CPU_RUNTIME_SUPPORT_THREAD_H
#define ACLNN_CPU_RUNTIME_SUPPORT_THREAD_H

#include <stdbool.h>
#include <stdint.h>

struct rt_context;
struct rt_record_log;
struct rt_stream;
struct rt_worker;

enum { RT_THREAD_STREAMS = 4 };

struct rt_thread {
    struct rt_context *context; /* current context; valid while context_serial is alive */
    uint64_t context_serial;
    uint64_t epoch; /* the registry epoch under which known[] and default_stream were looked up */
    struct rt_stream *known[RT_THREAD_STREAMS]; /* live streams of the current context */
    struct rt_stream *default_stream;           /* of the current context, or NULL */
    struct rt_stream *running;                  /* the stream whose tasks this thread runs */
    struct rt_worker *worker;                   /* NULL on a user's thread */
    uint32_t last_task;                         /* ticket of the last task this thread submitted */
    int capture_mode;                           /* aclmdlRICaptureThreadExchangeMode */
    struct rt_record_log *profile;              /* what it did, while that is recorded; or NULL */
    uintptr_t stack_first, stack_room;          /* where a task may begin (stack.h) */
    void *limits_of;                            /* the stream whose limits it uses, if has_limits */
    uint32_t id;                                /* gettid, once it has had a context */
    bool in_callback;                           /* runs a function of the program for a stream */
    bool stack_is_known;
    bool has_limits;
};

/* initial-exec saves the call that finds a shared library's thread variables, 3-5 ns on every
 * submit; the struct is small enough for the room that libc keeps for dlopen. */
extern _Thread_local struct rt_thread rt_self __attribute__((tls_model("initial-exec")));

/* A stream's work is behind this call: it must not wait for a stream. */
static inline bool rt_is_inside_task(void)
{
    return rt_self.running || rt_self.in_callback;
}

#endif
