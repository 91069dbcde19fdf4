/* SPDX-License-Identifier: Apache-2.0 */
/* A lock for sections of some ten instructions: taking it is one atomic exchange, giving it back a
 * plain store, which a mutex that knows its sleepers cannot offer. Who finds it held spins, then
 * yields, then naps: that is rare, since a holder makes no system call and takes only locks that
 * are as short. */
#ifndef ACLNN_CPU_RUNTIME_SUPPORT_LOCK_H
#define ACLNN_CPU_RUNTIME_SUPPORT_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct rt_lock {
    _Atomic uint32_t is_held;
};

void rt_lock_take_slowly(struct rt_lock *lock) __attribute__((cold));

static inline bool rt_lock_try(struct rt_lock *lock)
{
    return atomic_exchange_explicit(&lock->is_held, 1, memory_order_seq_cst) == 0;
}

static inline void rt_lock_take(struct rt_lock *lock)
{
    if (__builtin_expect(!rt_lock_try(lock), 0)) rt_lock_take_slowly(lock);
}

static inline void rt_lock_give(struct rt_lock *lock)
{
    atomic_store_explicit(&lock->is_held, 0, memory_order_release);
}

#endif
