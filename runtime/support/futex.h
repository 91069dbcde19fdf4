/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeping on a word of memory, the clock, and the pause of a spin loop. */
#ifndef ACLNN_CPU_RUNTIME_SUPPORT_FUTEX_H
#define ACLNN_CPU_RUNTIME_SUPPORT_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define RT_FOREVER INT64_MAX

/* CLOCK_MONOTONIC in nanoseconds. */
static inline int64_t rt_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* When a wait ends that may take so many seconds; 0 for 0, which is for ever. */
static inline int64_t rt_deadline_of(uint64_t seconds)
{
    return seconds == 0 ? 0 : rt_now_ns() + (int64_t)seconds * 1000000000;
}

/* Returns when *word differs from value, after a wake, after timeout_ns (RT_FOREVER: none), or for
 * no reason: call it in a loop. */
static inline void rt_futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t timeout_ns)
{
    struct timespec limit = {.tv_sec = (time_t)(timeout_ns / 1000000000),
                             .tv_nsec = (long)(timeout_ns % 1000000000)};
    if (timeout_ns < 0) return;
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, timeout_ns == RT_FOREVER ? NULL : &limit,
            NULL, 0);
}

/* word may already be gone: only its address is used. */
static inline void rt_futex_wake(_Atomic uint32_t *word, int count)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static inline void rt_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

#endif
