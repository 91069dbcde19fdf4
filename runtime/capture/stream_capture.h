/* SPDX-License-Identifier: Apache-2.0 */
/* Streams that are being captured: their tasks go into a graph and are not run. */
#ifndef ACLNN_CPU_RUNTIME_CAPTURE_STREAM_CAPTURE_H
#define ACLNN_CPU_RUNTIME_CAPTURE_STREAM_CAPTURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "runtime/schedule/hooks.h"

struct rt_graph;

/* Of a diverted stream. False: the stream is not, any more. True: the task was
 * taken, or *status says why not; a refused task is still the caller's. */
bool rt_capture_take(struct rt_stream *stream, const struct rt_task *task, unsigned flags,
                     aclError *status);

/* Where an event was recorded in a captured stream. All zero: nowhere. */
struct rt_capture_point {
    _Atomic uint64_t serial; /* of the graph; read without a lock to see whether there is any */
    struct rt_graph *graph;  /* the rest is guarded by the lock of stream_capture.c */
    uint32_t lane, count;
};

/* False: the stream is not captured, and the point is cleared. True: *status is the outcome. */
bool rt_capture_record(const char *who, struct rt_stream *stream, struct rt_capture_point *point,
                       aclError *status);
/* False: neither the point nor the stream is captured. True: the stream waits for the point in the
 * graph, for which a stream that is not captured joins the capture; or *status says why not:
 * 107031 for the default stream, 107032 for another capture's stream, 507903. */
bool rt_capture_wait(const char *who, struct rt_stream *stream, struct rt_capture_point *point,
                     aclError *status);
bool rt_capture_point_is_live(struct rt_capture_point *point);

/* Is the stream captured now? */
bool rt_capture_is_captured(struct rt_stream *stream);

/* Captures that have begun and not ended. */
extern _Atomic int rt_capture_count;

/* For calls that act at once on memory: 107030 when a capture's mode and the calling thread's
 * forbid them, and the capture is invalidated. */
aclError rt_capture_refuse_unsafe(const char *who);
static inline aclError rt_capture_check_unsafe(const char *who)
{
    if (__builtin_expect(atomic_load_explicit(&rt_capture_count, memory_order_relaxed) == 0, 1))
        return ACL_SUCCESS;
    return rt_capture_refuse_unsafe(who);
}
/* The same for a copy with pageable memory in this stream; a captured stream takes it in no mode
 * (107000). */
aclError rt_capture_check_pageable(const char *who, struct rt_stream *stream);

#endif
