/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks: functions that a stream hands to the thread that has subscribed to it, which runs them
 * inside aclrtProcessReport. */
#ifndef ACLNN_CPU_RUNTIME_CALLBACK_CALLBACK_H
#define ACLNN_CPU_RUNTIME_CALLBACK_CALLBACK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"

struct rt_stream;

/* For a thread between two calls of aclrtProcessReport: a second. Tests whose thread surely comes,
 * or surely does not, change it. */
extern _Atomic int64_t rt_callback_patience_ns;

/* The stream's functions will run on host threads: 107011, reported, when a thread has subscribed
 * to it. */
aclError rt_callback_take_for_host(const char *who, struct rt_stream *stream);

/* From inside a task: a callback did not run, since nobody is subscribed any more. */
void rt_callback_fail(struct rt_stream *stream);

#endif
