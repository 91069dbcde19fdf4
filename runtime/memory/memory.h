/* SPDX-License-Identifier: Apache-2.0 */
/* What the families of memory have in common. */
#ifndef ACLNN_CPU_RUNTIME_MEMORY_MEMORY_H
#define ACLNN_CPU_RUNTIME_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "acl/acl_rt.h"

/* ACL_ERROR_RT_MEMORY_ALLOCATION with a text that says how much was asked for, is used and is free;
 * fits: the device has the room, but the system has no memory. */
aclError rt_memory_refuse(const char *who, int32_t device, size_t size, bool fits);

/* Whether all of [address, address + size) is memory that a device reaches without the host's help:
 * device memory, pinned or registered host memory. Copies between such need not wait. */
bool rt_memory_is_known(const void *address, size_t size);

/* What aclrtPointerGetAttributes tells of an address. */
void rt_memory_describe(const void *address, aclrtPtrAttributes *attributes);

#endif
