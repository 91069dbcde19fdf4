/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, events and contexts as the files that own their life share them. */
#ifndef ACLNN_CPU_RUNTIME_SCHEDULE_HANDLES_H
#define ACLNN_CPU_RUNTIME_SCHEDULE_HANDLES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/schedule/context.h"
#include "runtime/schedule/queue.h"
#include "runtime/support/thread.h"

/* NULL without memory. */
struct rt_stream *rt_stream_new(struct rt_context *context, uint32_t priority, uint32_t flags);
/* One that no program sees: it belongs to the owner and not to the streams of the context. */
struct rt_stream *rt_stream_new_inside(struct rt_context *context, struct rt_object *owner);
/* Waits for its tasks, or only for the running one when it discards the others. A second call for
 * the same stream does nothing. */
void rt_stream_destroy(struct rt_stream *stream, bool discards);

/* Its queued work is dropped and no more is taken, until it accepts work again, without error. */
void rt_stream_refuse_work(struct rt_stream *stream);
void rt_stream_accept_work(struct rt_stream *stream);

/* 207000, reported in the name of `who`, when waiting for the stream (NULL: for any) would be
 * waiting for the caller: inside a task or a callback, or when a callback waits for the calling
 * thread. */
aclError rt_stream_check_wait(const char *who, struct rt_stream *stream);

/* The stream's asynchronous error, reported in the name of `who` and cleared; 0 when there is none.
 */
aclError rt_stream_take_error(const char *who, struct rt_stream *stream);

static inline unsigned rt_thread_slot(const void *handle)
{
    return (unsigned)((uintptr_t)handle >> 8) % RT_THREAD_STREAMS;
}

/* The calling thread need not look this stream of its current context up again. */
void rt_context_remember(struct rt_stream *stream);

#endif
