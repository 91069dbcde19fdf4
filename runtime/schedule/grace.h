/* SPDX-License-Identifier: Apache-2.0 */
/* Grace periods for rt_defer: which streams may have tasks, and when all that was queued has run.
 */
#ifndef ACLNN_CPU_RUNTIME_SCHEDULE_GRACE_H
#define ACLNN_CPU_RUNTIME_SCHEDULE_GRACE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct rt_stream;

/* A stream's place here. Written by grace.c alone, under its lock, but for the child of a fork. */
struct rt_stream_grace {
    struct rt_stream *next, *previous;
    uint64_t ticket; /* the grace period waits for it; 0: not for this stream */
};

/* Called with the stream's lock held, when it goes from "surely empty" to "may have tasks" and
 * back. */
void rt_grace_enter(struct rt_stream *stream);
void rt_grace_leave(struct rt_stream *stream);

/* Called without locks by the thread that completed the ticket some grace period waits for. */
void rt_grace_passed(struct rt_stream *stream);

/* Deferred and not yet released. */
extern _Atomic size_t rt_grace_unreleased;

void rt_grace_settle_slowly(struct rt_stream *stream);

/* For a thread that waited for the stream: what only its tasks kept from being released is released
 * when this returns. The stream may have been completed by a thread that has not come to that. */
static inline void rt_grace_settle(struct rt_stream *stream)
{
    if (__builtin_expect(atomic_load_explicit(&rt_grace_unreleased, memory_order_relaxed) > 0, 0))
        rt_grace_settle_slowly(stream);
}

#endif
