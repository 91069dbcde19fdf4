/* SPDX-License-Identifier: Apache-2.0 */
/* One running rt_parallel_for, as its helpers see it. */
#ifndef ACLNN_CPU_RUNTIME_SCHEDULE_LOOP_H
#define ACLNN_CPU_RUNTIME_SCHEDULE_LOOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/schedule/pool.h"

enum { RT_LOOP_PARTS = 64 }; /* more threads share them */

/* Chunks of the loop that nobody has taken yet: the first one and, in the upper half, the one
 * behind the last. */
struct rt_loop_part {
    _Alignas(64) _Atomic uint64_t range;
};

struct rt_loop {
    rt_slice_fn *fn;
    void *context;
    int64_t items;
    int64_t chunks;
    int parts;
    bool is_limited; /* to the threads that are invited: none that waits for the stream joins */
    _Atomic uint32_t outstanding; /* helpers invited or at work; the caller's futex */
    struct rt_loop_part part[RT_LOOP_PARTS];
};

/* A helper runs slices until none are left, then gives back its place in loop->outstanding; it must
 * not touch the loop afterwards. */
void rt_loop_run(struct rt_loop *loop);
void rt_loop_leave(struct rt_loop *loop);

bool rt_loop_wants_help(const struct rt_loop *loop);

#endif
