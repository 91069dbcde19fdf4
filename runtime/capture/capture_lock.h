/* SPDX-License-Identifier: Apache-2.0 */
/* The lock of captures: it guards the list of captures, the graphs in it, which graph a stream goes
 * to, the points of events, and task groups. The registry's locks and a stream's may be taken
 * inside it; no task runs or is dropped there. */
#ifndef ACLNN_CPU_RUNTIME_CAPTURE_CAPTURE_LOCK_H
#define ACLNN_CPU_RUNTIME_CAPTURE_CAPTURE_LOCK_H

void rt_capture_lock(void);
void rt_capture_unlock(void);

#endif
