/* SPDX-License-Identifier: Apache-2.0 */
/* Grace periods for rt_defer: which streams may have tasks, and when all that was queued has run.
 */
#ifndef ACLNN_CPU_RUNTIME_GRACE_H
#define ACLNN_CPU_RUNTIME_GRACE_H

struct rt_stream;

/* Called with the stream's lock held, when it goes from "surely empty" to "may have tasks" and
 * back. */
void rt_grace_enter(struct rt_stream *stream);
void rt_grace_leave(struct rt_stream *stream);

/* Called without locks by the thread that completed the ticket some grace period waits for. */
void rt_grace_passed(struct rt_stream *stream);

void rt_grace_before_fork(void);
void rt_grace_after_fork_parent(void);
void rt_grace_after_fork_child(void);

#endif
