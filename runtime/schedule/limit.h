/* SPDX-License-Identifier: Apache-2.0 */
/* How many threads the operators of a device or a stream may run on. */
#ifndef ACLNN_CPU_RUNTIME_SCHEDULE_LIMIT_H
#define ACLNN_CPU_RUNTIME_SCHEDULE_LIMIT_H

#include <stdint.h>

#include "runtime/schedule/queue.h"
#include "runtime/support/config.h"

/* Of each device, by aclrtDevResLimitType; 0: none. Of pool.c. */
extern _Atomic uint32_t rt_device_limits[RT_DEVICES_MAX][RT_LIMIT_KINDS];

/* The limit of one kind; all threads where there is none. */
static inline int rt_limit_of_device(int32_t device, int kind)
{
    const uint32_t limit =
        atomic_load_explicit(&rt_device_limits[device][kind], memory_order_relaxed);
    return limit > 0 ? (int)limit : rt_config()->threads;
}

static inline int rt_limit_of_stream(const struct rt_stream *stream, int kind)
{
    const uint32_t limit = atomic_load_explicit(&stream->limits[kind], memory_order_relaxed);
    return limit > 0 ? (int)limit : rt_limit_of_device(stream->context->device, kind);
}

#endif
