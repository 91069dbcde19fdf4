/* SPDX-License-Identifier: Apache-2.0 */
/* Devices and the end of the runtime. */
#ifndef ACLNN_CPU_RUNTIME_DEVICE_DEVICE_H
#define ACLNN_CPU_RUNTIME_DEVICE_DEVICE_H

/* For aclFinalize: waits for all queued work, joins the worker threads, frees every stream, event
 * and context. The library may be used again afterwards; handles from before are stale. */
void rt_runtime_shutdown(void);

#endif
