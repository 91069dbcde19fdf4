/* SPDX-License-Identifier: Apache-2.0 */
/* Notifies as context.c and device.c need them. */
#ifndef ACLNN_CPU_RUNTIME_EVENT_NOTIFY_H
#define ACLNN_CPU_RUNTIME_EVENT_NOTIFY_H

struct rt_object;

/* Takes the handle away; what queued tasks use is freed by the last of them. A second call does
 * nothing. */
void rt_notify_destroy(struct rt_object *object);

void rt_notify_after_fork_child(struct rt_object *object);

#endif
