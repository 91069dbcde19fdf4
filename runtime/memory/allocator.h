/* SPDX-License-Identifier: Apache-2.0 */
/* Allocators that programs register for streams. */
#ifndef ACLNN_CPU_RUNTIME_MEMORY_ALLOCATOR_H
#define ACLNN_CPU_RUNTIME_MEMORY_ALLOCATOR_H

/* Forgets which streams have one; descriptions stay the program's. */
void rt_allocators_end(void);

#endif
