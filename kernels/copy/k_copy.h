/* SPDX-License-Identifier: Apache-2.0 */
/* Moving elements without arithmetic: strided copies. */
#ifndef ACLNN_CPU_KERNELS_COPY_K_COPY_H
#define ACLNN_CPU_KERNELS_COPY_K_COPY_H

#include <stdint.h>

#include "kernels/kernel.h"

enum { K_COPY_RANK = 8 };

/* How a copy is walked. The inner axis is walked in rows. When the source runs along another axis,
 * `across`, that one is cut into strips of `block` rows, and each strip is copied block by block.
 * An item is a piece of a row or a strip; the other axes are numbered outermost first. */
struct k_copy_walk {
    int64_t pieces; /* items = (product of the other axes) * pieces */
    int64_t row, across_size;
    int inner, across; /* axis numbers; -1: none */
    int block;
    bool streams; /* the destination is larger than the caches: stored past them */
};

/* to[sum i*to_stride] = from[sum i*from_stride] for every index vector i below sizes. Strides count
 * elements and may be 0 or negative on the source side; distinct destination elements do not
 * overlap. */
struct k_copy {
    int rank;         /* 0 <= rank <= K_COPY_RANK; 0 copies one element */
    int element_size; /* 1, 2, 4, 8 or 16 bytes */
    int64_t sizes[K_COPY_RANK];
    int64_t from_strides[K_COPY_RANK], to_strides[K_COPY_RANK];
    int64_t from_offset, to_offset; /* elements from the buffers' beginnings */
    struct k_copy_walk walk;        /* the way's plan finds it */
};

enum { K_COPY_FROM, K_COPY_TO, K_COPY_BUFFERS };

enum {
    K_COPY_EDGE = 64,        /* elements of the edge of a block that is transposed, at least, */
    K_COPY_EDGE_BYTES = 256, /* and bytes */
    K_COPY_PIECE = 1 << 14,  /* elements of a row that one item covers */
};

/* Drops axes of size 1, orders and merges axes so that the inner loops are long; the set of copied
 * elements stays. A step comes after it. */
void k_copy_simplify(struct k_copy *copy);

#endif
