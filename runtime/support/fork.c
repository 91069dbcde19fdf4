/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/support/fork.h"

#include <pthread.h>
#include <stddef.h>

static const struct rt_fork_handlers *table[RT_FORK_RANKS];

void rt_fork_guard(enum rt_fork_rank rank, const struct rt_fork_handlers *handlers)
{
    table[rank] = handlers;
}

static void before_fork(void)
{
    for (int i = 0; i < RT_FORK_RANKS; i++)
        if (table[i]) table[i]->before();
}

static void in_parent(void)
{
    for (int i = RT_FORK_RANKS; i-- > 0;)
        if (table[i]) table[i]->in_parent();
}

static void in_child(void)
{
    for (int i = RT_FORK_RANKS; i-- > 0;)
        if (table[i]) table[i]->in_child();
}

static void watch_for_fork(void)
{
    pthread_atfork(before_fork, in_parent, in_child);
}

void rt_fork_prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_for_fork);
}
