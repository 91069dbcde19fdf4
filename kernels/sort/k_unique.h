/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of equal slices. Slices are numbered; `order` tells the number of the i-th one, where it
 * is not i itself. A slice that differs from the one before begins a group: a NaN equals nothing,
 * zeros of both signs are equal. Three steps: the beginnings of each block are counted, the counts
 * summed up (k_mask_sum), then each block knows the numbers of its groups. */
#ifndef ACLNN_CPU_KERNELS_SORT_K_UNIQUE_H
#define ACLNN_CPU_KERNELS_SORT_K_UNIQUE_H

#include "kernels/kernel.h"

/* Compiled once, not per level. */
k_fn k_unique_order, k_unique_count, k_unique_place, k_unique_runs;

struct k_unique {
    int element_size;
    uint64_t infinity, sign; /* bits; infinity 0: integers. sign 0: without one */
    int64_t slices, blocks;
    /* A slice's elements lie side by side, `outer` runs of `inner`. Group g's are delivered to
     * ((o * groups + g) * inner + i) * value_step. */
    int64_t outer, inner, value_step;
    bool has_order, in_order; /* in_order: the i-th slice lies at place i all the same */
    bool has_inverse, has_counts;
    int inverse_size, counts_size; /* of an integer */
    int64_t counts_step;
};

enum {
    K_UNIQUE_FROM,
    K_UNIQUE_ORDER,   /* int64 */
    K_UNIQUE_COUNTS,  /* int64 of each block, as k_mask_sum leaves them */
    K_UNIQUE_STARTS,  /* int64 of each group: which slice in order begins it */
    K_UNIQUE_VALUES,  /* any other buffer where a result is not wanted */
    K_UNIQUE_INVERSE, /* dense: of each slice, its group */
    K_UNIQUE_BUFFERS
};
/* k_unique_order sorts the slices: FROM, ORDER, and room of as many numbers.
 * k_unique_runs: */
enum { K_RUNS_COUNTS, K_RUNS_STARTS, K_RUNS_TO };

enum { K_UNIQUE_BLOCK = 4096 };

#endif
