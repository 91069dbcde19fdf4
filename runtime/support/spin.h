/* SPDX-License-Identifier: Apache-2.0 */
/* Spinning for a while. Whoever is waited for, or a thread of the program, may be queued for this
 * very CPU: a spinner that never gives way holds it up for as long as it spins. */
#ifndef ACLNN_CPU_RUNTIME_SUPPORT_SPIN_H
#define ACLNN_CPU_RUNTIME_SUPPORT_SPIN_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/support/futex.h"

enum {
    RT_SPIN_PAUSES = 16, /* between two looks at what is waited for */
    RT_SPIN_LOOKS = 4,   /* between two yields, of 0.2 us each where nobody else is queued */
};

struct rt_spin {
    int64_t stop;
    unsigned looks;
};

static inline struct rt_spin rt_spin_for(int64_t ns)
{
    return (struct rt_spin){.stop = rt_now_ns() + ns};
}

/* Passes the time until the next look. False: the spin is over. */
static inline bool rt_spin(struct rt_spin *spin)
{
    if (spin->looks++ % RT_SPIN_LOOKS == 0) {
        if (rt_now_ns() >= spin->stop) return false;
        if (spin->looks > 1) sched_yield();
    }
    for (int i = 0; i < RT_SPIN_PAUSES; i++)
        rt_pause();
    return true;
}

#endif
