/* SPDX-License-Identifier: Apache-2.0 */
/* Points: places between two steps where another thread may come in between, named so that a test
 * can delay whoever passes there (tests/stress/test_schedules.c). Builds with a sanitizer have
 * them; elsewhere RT_POINT is nothing at all.
 *
 * Locks may be held at a point: the hook may sleep, and calls nothing of ours. */
#ifndef ACLNN_CPU_RUNTIME_SUPPORT_POINT_H
#define ACLNN_CPU_RUNTIME_SUPPORT_POINT_H

#ifdef ACLNN_CPU_POINTS

#include <stdatomic.h>
#include <stddef.h>

/* `name` has static storage. */
typedef void rt_point_hook(const char *name);

extern _Atomic(rt_point_hook *) rt_point_hooked; /* NULL: nobody is delayed */

/* Relaxed, so that points order nothing that the thread sanitizer would then take for ordered. */
static inline void rt_point(const char *name)
{
    rt_point_hook *hook = atomic_load_explicit(&rt_point_hooked, memory_order_relaxed);
    if (hook) hook(name);
}

#define RT_POINT(name) rt_point(name)

#else

#define RT_POINT(name) ((void)0)

#endif

#endif
