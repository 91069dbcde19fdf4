/* SPDX-License-Identifier: Apache-2.0 */
/* How many devices there are. */
#ifndef ACLNN_CPU_RUNTIME_SUPPORT_DEVICES_H
#define ACLNN_CPU_RUNTIME_SUPPORT_DEVICES_H

#include <stdbool.h>
#include <stdint.h>

enum { RT_DEVICES = 1 };

static inline int32_t rt_device_count(void)
{
    return RT_DEVICES;
}

static inline bool rt_device_exists(int64_t device)
{
    return device >= 0 && device < RT_DEVICES;
}

#endif
