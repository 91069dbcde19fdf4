/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory of the program's own that it registered, so that copies need not wait. */
#ifndef ACLNN_CPU_RUNTIME_MEMORY_HOST_REGISTER_H
#define ACLNN_CPU_RUNTIME_MEMORY_HOST_REGISTER_H

#include <stdbool.h>
#include <stddef.h>

/* Whether all of [address, address + size) lies in one registered range. */
bool rt_host_registered(const void *address, size_t size);

#endif
