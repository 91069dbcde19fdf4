/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: each has a primary context, counted by aclrtSetDevice and aclrtResetDevice. */
#ifndef ACLNN_CPU_RUNTIME_DEVICE_DEVICE_H
#define ACLNN_CPU_RUNTIME_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

int32_t rt_device_count(void);
/* 0 <= device < rt_device_count() */
bool rt_device_exists(int32_t device);

struct rt_context;

/* For a thread without a context: the primary context of aclInit's default device. NULL when there
 * is no such device or no memory. */
struct rt_context *rt_device_default_context(void);

/* Before the first context: makes the process safe to fork. Cheap when repeated. */
void rt_runtime_prepare(void);

/* For aclFinalize: waits for all queued work, joins the worker threads, frees every stream, event
 * and context. The library may be used again afterwards; handles from before are stale. */
void rt_runtime_shutdown(void);

#endif
