/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for a value in memory. */
#ifndef ACLNN_CPU_RUNTIME_EVENT_VALUE_H
#define ACLNN_CPU_RUNTIME_EVENT_VALUE_H

#include <stdatomic.h>

/* Streams that wait for a value. */
extern atomic_int rt_value_waits;

/* Sets those going whose value has come. No stream's lock is held. */
void rt_value_look(void);

void rt_value_before_fork(void);
void rt_value_after_fork_parent(void);
void rt_value_after_fork_child(void);

#endif
