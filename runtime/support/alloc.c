/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/support/alloc.h"

#include <stdatomic.h>
#include <stdlib.h>

/* A production process never calls rt_alloc_fail_at and pays one relaxed load per request. */
static atomic_bool counting;
static _Atomic int64_t requests;
static _Atomic int64_t failing;

static bool refused(void)
{
    if (__builtin_expect(!atomic_load_explicit(&counting, memory_order_relaxed), 1)) return false;
    int64_t number = atomic_fetch_add(&requests, 1) + 1;
    return number == atomic_load(&failing);
}

int64_t rt_alloc_fail_at(int64_t n)
{
    atomic_store(&failing, n);
    int64_t made = atomic_exchange(&requests, 0);
    atomic_store(&counting, true);
    return made;
}

/* malloc(0) may answer NULL, which would read as exhaustion. */
static size_t at_least_one(size_t size)
{
    return size ? size : 1;
}

void *rt_alloc(size_t size)
{
    return refused() ? NULL : malloc(at_least_one(size));
}

bool rt_alloc_again(void)
{
    return !refused();
}

void *rt_alloc_zeroed(size_t size)
{
    return refused() ? NULL : calloc(1, at_least_one(size));
}

void *rt_alloc_aligned(size_t alignment, size_t size)
{
    if (refused()) return NULL;
    if (alignment < sizeof(void *)) alignment = sizeof(void *);
    void *memory = NULL;
    return posix_memalign(&memory, alignment, at_least_one(size)) ? NULL : memory;
}

void rt_free(void *memory)
{
    free(memory);
}

/* operator new[](std::size_t, const std::nothrow_t &) and std::nothrow. The second tells a C++
 * runtime, which every caller of delete[] has loaded, from a sanitizer that only intercepts new. */
extern void *_ZnamRKSt9nothrow_t(size_t size, const void *nothrow) __attribute__((weak));
extern const char _ZSt7nothrow __attribute__((weak));

void *rt_alloc_for_delete(size_t size)
{
    if (refused()) return NULL;
    if (_ZnamRKSt9nothrow_t && &_ZSt7nothrow) return _ZnamRKSt9nothrow_t(size, &_ZSt7nothrow);
    return malloc(at_least_one(size));
}
