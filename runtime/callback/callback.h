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

/* Whether the thread that runs the stream's callbacks is at it, or may be soon: it is inside
 * aclrtProcessReport, or left it or was given a callback less than its patience ago. Never true on
 * that thread itself. */
bool rt_callback_is_expected(struct rt_stream *stream);

/* A callback of the stream waits, or will wait, for the calling thread: who waits for the stream
 * here would wait for ever. Callbacks of graphs that are replayed there are not looked at. */
bool rt_callback_is_mine(struct rt_stream *stream);

/* The stream's functions will run on host threads: 107011, reported, when a thread has subscribed
 * to it. */
aclError rt_callback_take_for_host(const char *who, struct rt_stream *stream);

/* Ends the stream's subscription after its last task: waits for callbacks that block nothing and
 * are still to run, as long as they are expected, or drops them. */
void rt_callback_leave(struct rt_stream *stream, bool discards);

/* From inside a task: a callback did not run, since nobody is subscribed any more. */
void rt_callback_fail(struct rt_stream *stream);

void rt_callback_before_fork(void);
void rt_callback_after_fork_parent(void);
void rt_callback_after_fork_child(void);

#endif
