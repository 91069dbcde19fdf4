/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is prefetched a little at a time, between computations: nests of short regions, which
 * the machine's own prefetching does not foresee. */
#ifndef ACLNN_CPU_KERNELS_CONV_SWEEP_H
#define ACLNN_CPU_KERNELS_CONV_SWEEP_H

#include "kernels/vector/simd.h"

enum { SWEEP_LOOPS = 4 };

/* Regions of `bytes`, count[0] * ... * count[3] of them, stride[] bytes apart. */
struct sweep {
    const char *from; /* of the region in work */
    int64_t bytes, count[SWEEP_LOOPS], stride[SWEEP_LOOPS];
    int64_t at[SWEEP_LOOPS], line;
    int64_t quota;   /* lines at a time */
    int64_t regions; /* left */
    bool is_written;
};

static inline struct sweep sweep_of(const char *from, int64_t bytes, const int64_t count[],
                                    const int64_t stride[])
{
    struct sweep s = {.from = from, .bytes = bytes, .regions = 1};
    for (int i = 0; i < SWEEP_LOOPS; i++) {
        s.count[i] = count[i];
        s.stride[i] = stride[i];
        s.regions *= count[i];
    }
    return s;
}

/* So that so many turns do all of it. */
static inline void sweep_share(struct sweep *s, int64_t turns)
{
    const int64_t lines = s->regions * (s->bytes / LINE_BYTES + 1);
    s->quota = turns > 0 ? (lines + turns - 1) / turns : 0;
}

static inline void sweep_on(struct sweep *s)
{
    for (int64_t left = s->quota; left > 0 && s->regions > 0; left--) {
        const char *at = s->from + s->line;
        if (s->is_written)
            __builtin_prefetch(at, 1, 2);
        else
            __builtin_prefetch(at, 0, 2);
        s->line += LINE_BYTES;
        if (s->line < s->bytes) continue;
        s->line = 0;
        s->regions--;
        for (int i = SWEEP_LOOPS - 1; i >= 0; i--) {
            s->from += s->stride[i];
            if (++s->at[i] < s->count[i]) break;
            s->from -= s->stride[i] * s->count[i];
            s->at[i] = 0;
        }
    }
}

#endif
