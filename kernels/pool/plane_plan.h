/* SPDX-License-Identifier: Apache-2.0 */
/* How scatters into planes are cut: shared by the planner (plane_shape.c) and the kernel of every
 * level. */
#ifndef ACLNN_CPU_KERNELS_POOL_PLANE_PLAN_H
#define ACLNN_CPU_KERNELS_POOL_PLANE_PLAN_H

#include "kernels/pool/k_plane.h"

enum {
    PLANE_GRAIN = 1 << 16,    /* bytes worth a thread */
    PLANE_LARGE = 1 << 19,    /* bytes of cells from which a plane is worth more than one thread */
    PLANE_PIECES = 4,         /* of all planes together, so that few large ones can share threads */
    PLANE_PIECE_CELLS = 1024, /* pieces begin at multiples of it: no two share a cache line */
};

/* An item is a piece of a plane. Whoever fills a piece looks at all indices of the plane, so pieces
 * are few. */
struct plane_pieces {
    int64_t count, cells; /* of a plane; of a piece, the last may have less */
};

static inline struct plane_pieces plane_pieces(const struct k_plane *plane)
{
    struct plane_pieces pieces = {1, plane->cells};
    if (plane->planes >= PLANE_PIECES || plane->cells < PLANE_LARGE / plane->element_size)
        return pieces;
    pieces.count = (PLANE_PIECES + plane->planes - 1) / plane->planes;
    const int64_t blocks = (plane->cells + PLANE_PIECE_CELLS - 1) / PLANE_PIECE_CELLS;
    pieces.cells = (blocks + pieces.count - 1) / pieces.count * PLANE_PIECE_CELLS;
    pieces.count = (plane->cells + pieces.cells - 1) / pieces.cells;
    return pieces;
}

#endif
