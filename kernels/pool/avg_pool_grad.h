/* SPDX-License-Identifier: Apache-2.0 */
/* dx[i] = sum over windows w that contain i of dy[w] / size(w).
 *
 * Order of the sum, the same for every level, layout and cutting: a value of dY is scaled by the
 * reciprocal of the product of its window's extents along depth and height and of the extent along
 * the width that most windows have (common_extent; or of the divisor), then summed along the depth,
 * then along the height; the sum is scaled by the ratio of that extent along the width to the
 * window's own (unless all have the same), summed along the width and spread to the cells. Summing
 * before spreading keeps the work at dY's size. Up to POOL_DIRECT terms along depth and height and
 * POOL_REGISTER_WINDOWS along the width are added one by one, the oldest first; more are added
 * along the width as sums of powers of two, along the height as the sum from a row to its block's
 * end plus the sum from the next block's begin (blocks have as many rows as the sum has terms),
 * along the depth as sums of POOL_DIRECT planes each. So the cost of an element does not grow with
 * the window's area.
 *
 * Another order where more windows hold a cell than a tile's row of windows has room for
 * (pool_plan.h: steps): a value is scaled by both factors and summed along the depth; of the
 * row, the windows that hold all cells of the tile become one sum, of sums of every 16th; that and
 * the windows before and behind are summed along the height; then the windows before are added to
 * the sum, the newest first, and to that the sum of those behind, the oldest first.
 *
 * Error: with n_d, n_h, n_w windows over a cell along each axis,
 *     |dx - exact| <= (4 + (n_d - 1) + (n_w - 1) + (n_h - 1)) * 2^-24 * sum |dy[w] / size(w)|
 * (first order; 2 instead of 4 where one factor serves) plus the rounding of the store: two
 * roundings per factor (reciprocal, product) and one per addition that a term passes through, less
 * where the sums are of powers of two or blocks. */
#ifndef ACLNN_CPU_KERNELS_POOL_AVG_POOL_GRAD_H
#define ACLNN_CPU_KERNELS_POOL_AVG_POOL_GRAD_H

#include "kernels/pool/grad.h"
#include "kernels/pool/grad_any.h"
#include "kernels/pool/grad_channels.h"
#include "kernels/pool/grad_flat.h"
#include "kernels/pool/grad_repeats.h"
#include "kernels/pool/grad_runs.h"
#include "kernels/pool/grad_short_walk.h"
#include "kernels/pool/k_pool_grad.h"
#include "kernels/vector/instance.h"

/* The first cell of an item, where items follow each other in memory. */
static inline int64_t item_cell(const struct pool_plan *plan, int64_t item)
{
    return item / plan->cell_tiles * plan->width.in + item % plan->cell_tiles * plan->cells;
}

/* The plan's way is a constant in each instance. */
K_TEMPLATE
void avg_pool_grad_by(enum k_dtype dt, enum pool_way way, const struct k_pool_grad *grad,
                      void *const buf[], struct k_slice slice)
{
    const struct k_pool *pool = &grad->pool;
    const struct pool_plan *plan = &grad->plan;
    struct grad g;
    struct any any;
    struct runs runs;
    grad_begin(&g, dt, pool, plan, buf);
    if (way == POOL_ANY) {
        any.scales = plan->steps > 0 && !g.widths.uniform;
        any.made = false;
        if (any.scales) g.widths.uniform = true; /* no table: there may be too many windows */
    }
    if (g.contiguous && slice.begin < slice.end) {
        const int64_t last = slice.end - 1, from = item_cell(plan, slice.begin);
        const int64_t cells =
            item_cell(plan, last) - from +
            pool_min(plan->cells, plan->width.in - last % plan->cell_tiles * plan->cells);
        const int64_t cell_bytes = plan->channels * k_size(dt);
        outlet_begin(&g.outlet, g.dx + from * cell_bytes, cells * cell_bytes, pool->stream_output);
        if (way == POOL_RUNS) runs_begin(&runs, &g);
        if (way == POOL_FLAT || way == POOL_FLAT_TWO || (way == POOL_REPEATS && !is_narrow(dt, &g)))
            flat_begin(&g);
    }
    if ((way == POOL_FLAT || way == POOL_FLAT_TWO) && short_takes(dt, &g)) {
        walk_short(dt, &g, slice);
        slice.begin = slice.end;
    }
    for (int64_t item = slice.begin, next; item < slice.end; item = next) {
        const int64_t column = item / plan->height.in, h = item % plan->height.in;
        const int64_t end = pool_min(plan->height.in, h + slice.end - item);
        next = item + end - h;
        column_begin(&g, column);
        if (way == POOL_RUNS)
            walk_runs(dt, &g, &runs);
        else if (way == POOL_FLAT)
            walk_flat(dt, &g, h, end);
        else if (way == POOL_FLAT_TWO)
            walk_twos(dt, &g, h, end);
        else if (way == POOL_REPEATS)
            walk_repeats(dt, &g, h, end);
        else if (way == POOL_CHANNELS)
            walk_channels(dt, &g, h, end);
        else
            walk_any(dt, &g, &any, h, end);
    }
    if (g.contiguous) outlet_end(&g.outlet);
    if (pool->stream_output) k_stream_end();
}

#define AVG_POOL_GRAD_WAY(name, way)                                                               \
    K_TEMPLATE                                                                                     \
    void avg_pool_grad_##name(enum k_dtype dt, const struct k_pool_grad *grad, void *const buf[],  \
                              struct k_slice slice)                                                \
    {                                                                                              \
        avg_pool_grad_by(dt, way, grad, buf, slice);                                               \
    }
AVG_POOL_GRAD_WAY(any, POOL_ANY)
AVG_POOL_GRAD_WAY(runs, POOL_RUNS)
AVG_POOL_GRAD_WAY(channels, POOL_CHANNELS)
AVG_POOL_GRAD_WAY(flat, POOL_FLAT)
AVG_POOL_GRAD_WAY(repeats, POOL_REPEATS)

/* Pairs of cells are stored as one: where dX begins at an odd element, which only its address
 * tells, the general way takes the problem. */
K_TEMPLATE
void avg_pool_grad_flat_two(enum k_dtype dt, const struct k_pool_grad *grad, void *const buf[],
                            struct k_slice slice)
{
    const bool even = (uintptr_t)buf[K_AVG_POOL_GRAD_DX] / (uintptr_t)k_size(dt) % 2 == 0;
    if (even) {
        avg_pool_grad_by(dt, POOL_FLAT_TWO, grad, buf, slice);
        return;
    }
    struct k_pool_grad any = *grad;
    pool_plan_any(&any.plan); /* items are the same: rows of at most POOL_FLAT_CELLS */
    any.plan.way = POOL_ANY;
    avg_pool_grad_by(dt, POOL_ANY, &any, buf, slice);
}

/* All ways of one type; the base level has the last one alone. */
#define AVG_POOL_GRAD_OF(suffix, dt)                                                               \
    K_INSTANCE_VECTOR(avg_pool_grad_runs, suffix, dt, struct k_pool_grad)                          \
    K_INSTANCE_VECTOR(avg_pool_grad_channels, suffix, dt, struct k_pool_grad)                      \
    K_INSTANCE_VECTOR(avg_pool_grad_flat, suffix, dt, struct k_pool_grad)                          \
    K_INSTANCE_VECTOR(avg_pool_grad_flat_two, suffix, dt, struct k_pool_grad)                      \
    K_INSTANCE_VECTOR(avg_pool_grad_repeats, suffix, dt, struct k_pool_grad)                       \
    K_INSTANCE(avg_pool_grad_any, suffix, dt, struct k_pool_grad)

#endif
