/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, contexts, and which of them the calling thread works in. */
#ifndef ACLNN_CPU_RUNTIME_SCHEDULE_CONTEXT_H
#define ACLNN_CPU_RUNTIME_SCHEDULE_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "runtime/support/registry.h"

struct rt_stream;

enum { RT_OPTIONS = 4 }; /* values of aclSysParamOpt */

struct rt_options {
    _Atomic int64_t value[RT_OPTIONS];
    atomic_bool is_set[RT_OPTIONS];
};

struct rt_context {
    struct rt_object object;
    int32_t device;
    bool is_primary;
    struct rt_stream *default_stream; /* owned; lives as long as the context's handle */
    atomic_bool stop_on_failure;      /* aclrtSetStreamFailureMode on one of its streams */
    _Atomic aclError failure; /* with stop_on_failure: the first failure of any stream; 107022 while
                               * aclrtDeviceTaskAbort drops its work */
    struct rt_options options; /* aclrtCtxSetSysParamOpt */
};

/* For calls that need a context: 107002 with a text in the name of `who` when the thread has none.
 */
aclError rt_context_current(const char *who, struct rt_context **context);
/* The same for a caller who may only want to know: its text is a note (rt_error_note). */
aclError rt_context_probe(const char *who, struct rt_context **context);

/* The calling thread's current context, NULL when it has none or that has died. */
struct rt_context *rt_context_peek(void);

/* Threads without a context use this device's primary context from now on; -1: none. */
void rt_context_set_default_device(int32_t device);
int32_t rt_context_default_device(void);

/* The device's primary context, made if it is not there, with so many uses more. NULL without
 * memory. */
struct rt_context *rt_context_use_primary(int32_t device, uint64_t uses);
/* One use less, or none at all at once. False: it has none. *ending: the context, when that was the
 * last use; it is the caller's to destroy. */
bool rt_context_leave_primary(int32_t device, bool at_once, struct rt_context **ending);
bool rt_context_has_primary(int32_t device);
void rt_context_forget_primaries(void);

/* A new context with its default stream; NULL without memory. */
struct rt_context *rt_context_new(int32_t device, bool is_primary);

/* Makes it the calling thread's; NULL leaves the thread without a context. */
void rt_context_enter(struct rt_context *context);

/* Waits for the work of all its streams, then frees its streams and events and itself.
 * is_due: else the program has left it, and what lives in it counts as left behind. */
void rt_context_destroy(struct rt_context *context, bool is_due);

#endif
