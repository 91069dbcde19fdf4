/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory for the library's own objects. Everything we allocate goes through here, so that a
 * test can make the n-th request fail. Device memory, which users ask for, is memory.h. */
#ifndef ACLNN_CPU_RUNTIME_SUPPORT_ALLOC_H
#define ACLNN_CPU_RUNTIME_SUPPORT_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NULL when memory is exhausted. Thread-safe. */
void *rt_alloc(size_t size);
void *rt_alloc_zeroed(size_t size);
void *rt_alloc_aligned(size_t alignment, size_t size); /* alignment: a power of two */
void rt_free(void *memory);                            /* any of the three above, or NULL */

/* A request that kept memory serves: false where a test makes it fail. */
bool rt_alloc_again(void);

/* For arrays that a C++ caller releases with delete[]: from operator new[] when the process has a
 * C++ runtime, else from malloc. */
void *rt_alloc_for_delete(size_t size);

/* Tests: of the requests made from now on, by any thread, the n-th (from 1) fails, once; 0 turns it
 * off. Returns how many requests were made since the previous call. */
int64_t rt_alloc_fail_at(int64_t n);

#endif
