/* SPDX-License-Identifier: Apache-2.0 */
/* One running rt_parallel_for, as its helpers see it. */
#ifndef ACLNN_CPU_RUNTIME_LOOP_H
#define ACLNN_CPU_RUNTIME_LOOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/pool.h"

struct rt_loop {
    rt_slice_fn *fn;
    void *context;
    int64_t items;
    int64_t grain;
    int threads;                       /* how many may take part, the caller among them */
    _Atomic uint32_t outstanding;      /* helpers invited or at work; the caller's futex */
    _Alignas(64) _Atomic int64_t next; /* first item not handed out */
};

/* A helper runs slices until none are left, then gives back its place in loop->outstanding; it must
 * not touch the loop afterwards. */
void rt_loop_run(struct rt_loop *loop);
void rt_loop_leave(struct rt_loop *loop);

bool rt_loop_wants_help(const struct rt_loop *loop);

#endif
