/* SPDX-License-Identifier: Apache-2.0 */
/* What keeps the process safe to fork: each file with a lock hands over what it does around a
 * fork. */
#ifndef ACLNN_CPU_RUNTIME_SUPPORT_FORK_H
#define ACLNN_CPU_RUNTIME_SUPPORT_FORK_H

struct rt_fork_handlers {
    void (*before)(void);
    void (*in_parent)(void);
    void (*in_child)(void);
};

/* The order in which locks are taken; they are given back in the opposite order. */
enum rt_fork_rank {
    RT_FORK_DEVICE,
    RT_FORK_CAPTURE,
    RT_FORK_REGISTRY,
    RT_FORK_CALLBACK,
    RT_FORK_EXCEPTION,
    RT_FORK_HOST,
    RT_FORK_VALUE,
    RT_FORK_GRACE,
    RT_FORK_WORKER,
    RT_FORK_CHECK,
    RT_FORK_RANKS
};

/* One entry per rank, for ever; to be called when the library is loaded (a constructor). */
void rt_fork_guard(enum rt_fork_rank rank, const struct rt_fork_handlers *handlers);

/* From now on the handlers are called. Before the first context and the first allocator; cheap when
 * repeated. */
void rt_fork_prepare(void);

#endif
