/* SPDX-License-Identifier: Apache-2.0 */
/* Planes of values that meet planes of cells through indices: index i of a plane names the cell of
 * the same plane that value i belongs to. Everything is dense, one plane behind the other. */
#ifndef ACLNN_CPU_KERNELS_POOL_K_PLANE_H
#define ACLNN_CPU_KERNELS_POOL_K_PLANE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"

struct k_plane {
    int64_t planes;
    int64_t entries;    /* of a plane: values, and as many indices */
    int64_t cells;      /* of a plane: what indices count, from 0 */
    int element_size;   /* of a value and of a cell: 1, 2, 4 or 8 bytes */
    int index_size;     /* 4: int32_t, 8: int64_t */
    bool stream_output; /* the cells are larger than the caches: write past them */
};

/* Buffers of all three kernels. Behind them each expects a struct k_fault; positions in it count
 * the indices of all planes from 0. A value whose index lies outside of its plane is left out.
 *
 * plane_scatter_add:  cells = 0, then for rising i  cells[plane][indices[plane][i]] +=
 *                     values[plane][i]; sums in float, rounded once
 * plane_scatter_last: cells = 0, then for rising i  cells[plane][indices[plane][i]] =
 *                     values[plane][i]
 * plane_gather:       values[plane][i] = cells[plane][indices[plane][i]], 0 where that is outside
 */
enum { K_PLANE_VALUES, K_PLANE_INDICES, K_PLANE_CELLS, K_PLANE_BUFFERS };

struct k_work k_plane_scatter_work(const struct k_plane *plane);
struct k_work k_plane_gather_work(const struct k_plane *plane);

#endif
