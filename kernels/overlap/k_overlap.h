/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of operators that repeat elements: each element is the sum of all that was made of it.
 *
 *     to[i0, i1, ..] = sum of from[p0 + p1 + ..] over all p0 of i0, p1 of i1, ...
 *
 * An axis says at which places of `from` its index i was repeated; the axes know nothing of each
 * other. Sums are made in double, in the order of the places. */
#ifndef ACLNN_CPU_KERNELS_OVERLAP_K_OVERLAP_H
#define ACLNN_CPU_KERNELS_OVERLAP_K_OVERLAP_H

#include "kernels/loop/k_loop.h"

enum { K_OVERLAP_RANK = 8, K_OVERLAP_TILE = 1024 };

/* With `stride` elements from place to place:
 *     PLAIN        i
 *     REFLECTION   front + i, and its images in both edges; front, behind < 0: left out
 *     REPLICATION  the same, and all of an edge for the element at its end
 *     CIRCULAR     the same, and the other edge's copy
 *     WINDOWS      tap t of window w for all t and w with i = w window + t dilation - padding:
 *                  w stride + t tap_stride */
enum k_overlap_kind {
    K_OVERLAP_PLAIN,
    K_OVERLAP_REFLECTION,
    K_OVERLAP_REPLICATION,
    K_OVERLAP_CIRCULAR,
    K_OVERLAP_WINDOWS
};

struct k_overlap_axis {
    enum k_overlap_kind kind;
    int64_t size, stride; /* size: of `to` */
    int64_t front, behind;
    int64_t taps, dilation, padding, tap_stride, windows, window;
};

struct k_overlap {
    enum k_dtype from, to;
    int rank; /* 1 at least */
    struct k_overlap_axis axis[K_OVERLAP_RANK];
    int64_t from_offset, to_offset, to_strides[K_OVERLAP_RANK];
    int64_t tiles; /* of a row */
};

enum { K_OVERLAP_FROM, K_OVERLAP_TO };

/* Items are tiles of rows. Fills in `tiles`. */
struct k_work k_overlap_plan(struct k_overlap *overlap);

#endif
