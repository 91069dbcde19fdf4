/* SPDX-License-Identifier: Apache-2.0 */
/* The process-wide set of worker threads: runs streams and cuts loops into slices. */
#ifndef ACLNN_CPU_RUNTIME_SCHEDULE_POOL_H
#define ACLNN_CPU_RUNTIME_SCHEDULE_POOL_H

#include <stdint.h>

struct rt_pool;

typedef void rt_slice_fn(void *context, int64_t begin, int64_t end);

/* The process's pool. Its threads start at the first need and end with aclFinalize. Never NULL. */
struct rt_pool *rt_pool_default(void);

/* How many threads, the caller among them, a loop may run on; >= 1. */
int rt_pool_threads(const struct rt_pool *pool);

/* Runs fn on [0, items) cut into slices of at least `grain` items. Same result as
 *     fn(context, 0, items);
 * and a NULL pool, or items <= grain, does exactly that on the calling thread. Returns when all
 * slices are done. Slices come in no order, but each CPU begins with the same part of the items in
 * every loop of as many. fn must not call rt_parallel_for. Callable from a task and from any user
 * thread. */
void rt_parallel_for(struct rt_pool *pool, rt_slice_fn *fn, void *context, int64_t items,
                     int64_t grain);

#endif
