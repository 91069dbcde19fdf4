/* SPDX-License-Identifier: Apache-2.0 */
/* Tells the program's exception callbacks of tasks that failed. */
#ifndef ACLNN_CPU_RUNTIME_CALLBACK_EXCEPTION_H
#define ACLNN_CPU_RUNTIME_CALLBACK_EXCEPTION_H

#include "acl/acl_base.h"

struct rt_stream;

/* The stream's task has failed with this code: the callbacks are called soon, on a host thread. No
 * lock is held by the caller. */
void rt_exception_raise(const struct rt_stream *stream, aclError code);

/* Waits until the callbacks have been called for all that was raised before; not inside a callback.
 */
void rt_exception_settle(void);

/* For aclFinalize: forgets all callbacks. */
void rt_exception_end(void);

void rt_exception_before_fork(void);
void rt_exception_after_fork_parent(void);
void rt_exception_after_fork_child(void);

#endif
