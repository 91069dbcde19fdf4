/* SPDX-License-Identifier: Apache-2.0 */
/* The floor's threads: one per CPU of this process, each pinned, joined by spinning barriers so
 * that a floor has no cost of threads in it. */
#ifndef ACLNN_CPU_TESTS_BENCH_CREW_H
#define ACLNN_CPU_TESTS_BENCH_CREW_H

#include <stdint.h>

/* Thread `thread` of `threads` does its part. */
typedef void crew_fn(void *context, int thread, int threads);

/* Starts the threads beside the caller, which is thread 0. Once per process. */
void crew_start(int threads);
/* Every thread calls fn count times, in step. Seconds from the first start to the last end. */
double crew_run(crew_fn *fn, void *context, int64_t count);

#endif
