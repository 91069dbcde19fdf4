/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACLNN_CPU_RUNTIME_MEMORY_COPY_H
#define ACLNN_CPU_RUNTIME_MEMORY_COPY_H

#include <stddef.h>

#include "runtime/schedule/stream.h"

/* Queues a copy without a check; never waits. */
aclError rt_copy_queue(struct rt_stream *stream, void *to, const void *from, size_t count);

/* Tells the checker of a copy between any memory; while something is checked. */
void rt_copy_tell(struct rt_stream *stream, const char *who, const void *to, const void *from,
                  size_t count);

#endif
