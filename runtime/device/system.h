/* SPDX-License-Identifier: Apache-2.0 */
/* What aclInit was told. */
#ifndef ACLNN_CPU_RUNTIME_DEVICE_SYSTEM_H
#define ACLNN_CPU_RUNTIME_DEVICE_SYSTEM_H

#include <stdint.h>

/* The device whose primary context serves threads that have none, from defaultDevice in aclInit's
 * file; -1 when there is no such device. */
int32_t rt_system_default_device(void);

#endif
