/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of records: the CPU's counter where it is the same and steady on all CPUs, for it costs
 * half of what CLOCK_MONOTONIC does; else that. Not ordered with memory: what two threads did
 * within some ten nanoseconds may seem to be the other way round. */
#ifndef ACLNN_CPU_RUNTIME_SUPPORT_TICKS_H
#define ACLNN_CPU_RUNTIME_SUPPORT_TICKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/support/futex.h"

/* Chooses the clock, once; before the first rt_ticks of any thread. */
void rt_ticks_choose(void);

extern atomic_bool rt_ticks_are_counted __attribute__((visibility("hidden")));

static inline int64_t rt_ticks(void)
{
#if defined(__x86_64__)
    if (__builtin_expect(atomic_load_explicit(&rt_ticks_are_counted, memory_order_relaxed), 1))
        return (int64_t)__builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    int64_t count;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#endif
    return rt_now_ns();
}

/* From ticks to CLOCK_MONOTONIC, measured from when the clock was chosen until now. */
struct rt_ticks_line {
    int64_t ticks, ns; /* the same moment */
    double ns_per_tick;
};
struct rt_ticks_line rt_ticks_measure(void);

static inline int64_t rt_ticks_to_ns(const struct rt_ticks_line *line, int64_t ticks)
{
    return line->ns + (int64_t)((double)(ticks - line->ticks) * line->ns_per_tick);
}

#endif
