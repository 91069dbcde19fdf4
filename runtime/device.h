/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: each has a primary context, counted by aclrtSetDevice and aclrtResetDevice. */
#ifndef ACLNN_CPU_RUNTIME_DEVICE_H
#define ACLNN_CPU_RUNTIME_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

int32_t rt_device_count(void);
/* 0 <= device < rt_device_count() */
bool rt_device_exists(int32_t device);

/* Before the first context: makes the process safe to fork. Cheap when repeated. */
void rt_runtime_prepare(void);

/* For aclFinalize: waits for all queued work, joins the worker threads, frees every stream, event
 * and context. The library may be used again afterwards; handles from before are stale. */
void rt_runtime_shutdown(void);

#endif
