/* SPDX-License-Identifier: Apache-2.0 */
/* How many devices there are: each is a share of this machine's memory; all have its CPUs. */
#ifndef ACLNN_CPU_RUNTIME_SUPPORT_DEVICES_H
#define ACLNN_CPU_RUNTIME_SUPPORT_DEVICES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/support/config.h"

static inline int32_t rt_device_count(void)
{
    return rt_config()->devices;
}

static inline bool rt_device_exists(int64_t device)
{
    return device >= 0 && device < rt_device_count();
}

#endif
