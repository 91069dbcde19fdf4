/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/support/lock.h"

#include <sched.h>
#include <time.h>

#include "runtime/support/futex.h"

enum { SPINS = 200, YIELDS = 20, NAP_NS = 50000 };

/* The holder is at work on another CPU, or it lost its CPU: then it needs ours, and if its priority
 * is lower than ours it gets that only while we sleep. */
void rt_lock_take_slowly(struct rt_lock *lock)
{
    const struct timespec nap = {.tv_nsec = NAP_NS};
    for (int round = 0;; round++) {
        for (int i = 0; i < SPINS; i++) {
            rt_pause();
            if (atomic_load_explicit(&lock->is_held, memory_order_relaxed)) continue;
            if (rt_lock_try(lock)) return;
        }
        if (round < YIELDS)
            sched_yield();
        else
            nanosleep(&nap, NULL);
    }
}
