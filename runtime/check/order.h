/* SPDX-License-Identifier: Apache-2.0 */
/* The order of what a program has queued: lanes (the host, streams, lanes of graphs), and what
 * connects them. Steps are judged in an order in which they might run: those behind a wait whose
 * event nobody has recorded yet are put aside until somebody has. The caller holds the checker's
 * lock. */
#ifndef ACLNN_CPU_RUNTIME_CHECK_ORDER_H
#define ACLNN_CPU_RUNTIME_CHECK_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/check/judge.h"
#include "runtime/support/checked.h"

/* Queued in the stream (NULL: the host does it now), or added to its graph. False: a graph has it,
 * whose replays count as the operations. */
bool rt_check_order_submit(struct rt_stream *stream, const struct rt_check_step *step);
void rt_check_order_reset(const void *event);
void rt_check_order_joined(struct rt_stream *stream);
void rt_check_order_joined_event(const void *event);
void rt_check_order_ended(struct rt_stream *stream);
void rt_check_order_forget(const void *key); /* an event or a notify is no more */
void rt_check_order_graph_ended(const void *graph);

/* The function begins to run: the host has seen what was before it in its stream. Returns its
 * serial; 0: it is not known. */
uint64_t rt_check_order_function(uintptr_t function, const void *argument);

const struct rt_check_clock *rt_check_order_host(void);

#endif
