/* SPDX-License-Identifier: Apache-2.0 */
/* Two results of attention over different keys become that over both: of maxima m and sums of
 * exponentials l,
 *
 *     m = max(m0, m1)    l = l0 exp(m0 - m) + l1 exp(m1 - m)
 *     out = out0 l0 exp(m0 - m) / l + out1 l1 exp(m1 - m) / l
 *
 * Statistics in double, rows in f32. */
#ifndef ACLNN_CPU_KERNELS_RING_K_RING_H
#define ACLNN_CPU_KERNELS_RING_K_RING_H

#include "kernels/kernel.h"

enum { K_RING_STATS = 8 /* places with each statistic, all the same */ };

/* Strides in elements. */
struct k_ring_side {
    int64_t batch, row, head, column;
};

/* Where the statistics of a row's heads are. */
enum k_ring_order {
    K_RING_BATCHES,   /* [batch][head][row] */
    K_RING_ROWS,      /* [row][head] */
    K_RING_SEQUENCES, /* [head][row] of each sequence; LENGTHS tells where one begins */
};

struct k_ring {
    enum k_dtype dtype;
    enum k_ring_order order;
    int64_t batch, rows, heads, columns; /* batch is 1 where sequences are behind each other */
    int64_t lengths, lengths_step;       /* of LENGTHS: 0, where each sequence ends */
    struct k_ring_side from[2], to;
    const char *name; /* the argument of LENGTHS */
};

/* A length that falls, is less than 0 or more than the rows is a fault at its place, and nothing is
 * written. */
enum {
    K_RING_PREVIOUS, /* out, then its maxima and sums: dense, f32 */
    K_RING_PREVIOUS_MAX,
    K_RING_PREVIOUS_SUM,
    K_RING_CURRENT,
    K_RING_CURRENT_MAX,
    K_RING_CURRENT_SUM,
    K_RING_LENGTHS, /* INT64 */
    K_RING_OUT,
    K_RING_MAX,
    K_RING_SUM,
    K_RING_BUFFERS,
};

struct k_work k_ring_update_work(const struct k_ring *ring);

#endif
