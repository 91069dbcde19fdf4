/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/overlap/k_overlap.h"

struct k_work k_overlap_plan(struct k_overlap *o)
{
    const int64_t row = o->axis[o->rank - 1].size;
    int64_t rows = 1;
    for (int i = 0; i < o->rank - 1; i++)
        rows *= o->axis[i].size;
    o->tiles = (row + K_OVERLAP_TILE - 1) / K_OVERLAP_TILE;
    const int64_t length = row < K_OVERLAP_TILE ? row : K_OVERLAP_TILE;
    return (struct k_work){.items = rows * o->tiles, .grain = 8192 / (length > 0 ? length : 1) + 1};
}
