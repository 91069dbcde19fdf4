/* SPDX-License-Identifier: Apache-2.0 */
/* What the families of memory have in common. */
#ifndef ACLNN_CPU_RUNTIME_MEMORY_H
#define ACLNN_CPU_RUNTIME_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "acl/acl_base.h"

/* ACL_ERROR_RT_MEMORY_ALLOCATION with a text that says how much was asked for, is used and is free;
 * fits: the device has the room, but the system has no memory. */
aclError rt_memory_refuse(const char *who, size_t size, bool fits);

#endif
