/* SPDX-License-Identifier: Apache-2.0 */
/* Handles of executors. An aclOpExecutor is no address but the number of a slot and how often that
 * slot had been used when the handle was made. Slots are never given back to the system, so any
 * value can be judged at any time: a handle that is used up, destroyed or was never one names no
 * executor, also when its slot serves another by now.
 *
 * The slot counts the executor's references: one of the handle while it is alive, one of each
 * launch that is queued or captured. Every function may be called by several threads at once. */
#ifndef ACLNN_CPU_EXECUTOR_SLOT_H
#define ACLNN_CPU_EXECUTOR_SLOT_H

#include <stdbool.h>

#include "aclnn/acl_meta.h"

struct ex_executor;

/* An executor that has a slot; nothing else of it is set. NULL without memory. */
struct ex_executor *ex_executor_new(void);
/* Of an executor that no handle names. */
void ex_executor_free(struct ex_executor *executor);

/* A handle that takes over the executor. */
aclOpExecutor *ex_handle_new(struct ex_executor *executor);

/* Each gives a reference to the executor, or NULL when the handle names none. */
struct ex_executor *ex_handle_acquire(const aclOpExecutor *handle); /* leaves the handle alive */
struct ex_executor *ex_handle_end(const aclOpExecutor *handle);     /* its own: it is dead now */
/* For phase 2: ends the handle, unless it was made repeatable. */
struct ex_executor *ex_handle_take(const aclOpExecutor *handle);

/* False: the handle names no executor. */
bool ex_handle_make_repeatable(const aclOpExecutor *handle);

/* The caller's reference is the only one, and no handle could give another. */
bool ex_executor_is_mine(const struct ex_executor *executor);

/* Gives back a reference; the last one frees the executor. */
void ex_executor_release(struct ex_executor *executor);

#endif
