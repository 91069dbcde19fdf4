/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/distance/k_distance.h"

static int64_t parts(int64_t count, int64_t part)
{
    return (count + part - 1) / part;
}

static int64_t batches(const struct k_distance *d)
{
    int64_t count = 1;
    for (int i = 0; i < d->batch_rank; i++)
        count *= d->batch_sizes[i];
    return count;
}

static int64_t grain(int64_t cost)
{
    return 16384 / (cost > 0 ? cost : 1) + 1;
}

struct k_work k_distance_plan(struct k_distance *d)
{
    d->row_tiles = parts(d->rows, K_DISTANCE_ROWS);
    d->column_tiles = parts(d->columns, K_DISTANCE_COLUMNS);
    const int64_t rows = d->rows < K_DISTANCE_ROWS ? d->rows : K_DISTANCE_ROWS;
    return (struct k_work){.items = batches(d) * d->row_tiles * d->column_tiles,
                           .grain = grain(rows * K_DISTANCE_COLUMNS * (d->features / 8 + 1))};
}

struct k_work k_distance_grad_plan(struct k_distance *d)
{
    d->strips = parts(d->features, K_DISTANCE_STRIP);
    const int64_t strip = d->features < K_DISTANCE_STRIP ? d->features : K_DISTANCE_STRIP;
    return (struct k_work){.items = batches(d) * d->rows * d->strips,
                           .grain = grain(d->columns * (strip / 8 + 1))};
}
