/* SPDX-License-Identifier: Apache-2.0 */
/* How long a call waits for queued work to release memory that its owner has given back already. On
 * a device there is nothing to wait for, so the end of the wait is not an error. */
#ifndef ACLNN_CPU_RUNTIME_MEMORY_PATIENCE_H
#define ACLNN_CPU_RUNTIME_MEMORY_PATIENCE_H

#include <pthread.h>
#include <time.h>

enum { RT_PATIENCE_NS = 100000000 };

/* A condition whose waits end by the clock of rt_patience_ends. */
static inline void rt_patience_condition(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static inline struct timespec rt_patience_ends(void)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += RT_PATIENCE_NS;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    return end;
}

#endif
