/* SPDX-License-Identifier: Apache-2.0 */
/* dx[i] = sum over windows w that contain i of dy[w] / size(w).
 *
 * Order of the sum, the same for every level, layout and cutting: a value of dY is scaled by the
 * reciprocal of its window's extent along depth and height (and width, if that is the same for
 * every window; or of the divisor), then summed along the depth, then along the height; the sum is
 * scaled by the reciprocal of the extent along the width (unless that is done), summed along the
 * width and spread to the cells. Summing before spreading keeps the work at dY's size. Up to
 * POOL_DIRECT terms along depth and height and POOL_REGISTER_WINDOWS along the width are added one
 * by one, the oldest first; more are added along the width as sums of powers of two, along the
 * height as the sum from a row to its block's end plus the sum from the next block's begin (blocks
 * have as many rows as the sum has terms). So the cost of an element does not grow with the window.
 *
 * Error: with n_d, n_h, n_w windows over a cell along each axis,
 *     |dx - exact| <= (4 + (n_d - 1) + (n_w - 1) + (n_h - 1)) * 2^-24 * sum |dy[w] / size(w)|
 * (first order; 2 instead of 4 where one factor serves) plus the rounding of the store: two
 * roundings per factor (reciprocal, product) and one per addition that a term passes through, less
 * where the sums are of powers of two or blocks. */
#include "kernels/simd/grad.h"
#include "kernels/simd/grad_any.h"
#include "kernels/simd/grad_channels.h"
#include "kernels/simd/grad_rows.h"
#include "kernels/simd/grad_runs.h"
#include "kernels/simd/instance.h"

/* Hundreds of windows over one cell and more than one window: each is visited. */
K_TEMPLATE
void plain_row(enum k_dtype dt, const struct grad *g, int64_t outer, int64_t d, int64_t h)
{
    const struct pool_axis *depth = &g->plan.depth, *height = &g->plan.height;
    const struct pool_axis *width = &g->plan.width;
    const bool padding = g->pool->count_padding;
    const int64_t channels = g->plan.channels;
    int64_t d0, d1, h0, h1, w0, w1;
    windows_of_cell(depth, d, &d0, &d1);
    windows_of_cell(height, h, &h0, &h1);
    char *to =
        g->dx + ((outer * depth->in + d) * height->in + h) * width->in * channels * k_size(dt);
    for (int64_t i = 0; i < width->in * channels; i++, to += k_size(dt)) {
        windows_of_cell(width, i / channels, &w0, &w1);
        float sum = 0;
        for (int64_t od = d0; od <= d1; od++)
            for (int64_t oh = h0; oh <= h1; oh++)
                for (int64_t ow = w0; ow <= w1; ow++) {
                    const int64_t row = (outer * depth->out + od) * height->out + oh;
                    const int64_t at = (row * width->out + ow) * channels + i % channels;
                    const vf value = k_load_first(dt, g->dy + at * k_size(dt), 1);
                    double size = window_extent(depth, padding, od) *
                                  window_extent(height, padding, oh) *
                                  window_extent(width, padding, ow);
                    if (g->pool->divisor != 0) size = (double)g->pool->divisor;
                    sum += pool_round(dt, g->pool->rounding, value)[0] * (float)(1.0 / size);
                }
        const vh half = v_to_half(dt, v_all(sum));
        if (dt == K_F32)
            memcpy(to, &sum, sizeof sum);
        else
            memcpy(to, &half, sizeof half[0]);
    }
}

/* The first cell of an item, where items follow each other in memory. */
static inline int64_t item_cell(const struct pool_plan *plan, int64_t item)
{
    return item / plan->cell_tiles * plan->width.in + item % plan->cell_tiles * plan->cells;
}

K_TEMPLATE
void avg_pool_grad(enum k_dtype dt, const struct k_pool *pool, void *const buf[],
                   struct k_slice slice)
{
    const struct pool_plan plan = pool_plan(pool);
    struct grad g;
    struct any any;
    struct runs runs;
    grad_begin(&g, dt, pool, &plan, buf);
    if (g.contiguous && slice.begin < slice.end) {
        const int64_t last = slice.end - 1, from = item_cell(&plan, slice.begin);
        const int64_t cells =
            item_cell(&plan, last) - from +
            pool_min(plan.cells, plan.width.in - last % plan.cell_tiles * plan.cells);
        const int64_t cell_bytes = plan.channels * k_size(dt);
        outlet_begin(&g.outlet, g.dx + from * cell_bytes, cells * cell_bytes, pool->stream_output);
        if (plan.way == POOL_RUNS) runs_begin(&runs, &g);
    }
    for (int64_t item = slice.begin, next; item < slice.end; item = next) {
        const int64_t column = item / plan.height.in, h = item % plan.height.in;
        const int64_t end = pool_min(plan.height.in, h + slice.end - item);
        next = item + end - h;
        if (plan.way == POOL_PLAIN) {
            for (int64_t row = h; row < end; row++)
                plain_row(dt, &g, column / plan.depth.in, column % plan.depth.in, row);
            continue;
        }
        column_begin(dt, &g, column);
        if (plan.way == POOL_RUNS)
            walk_runs(dt, &g, &runs);
        else if (plan.way == POOL_ROWS)
            walk_rows(dt, &g, h, end);
        else if (plan.way == POOL_CHANNELS)
            walk_channels(dt, &g, h, end);
        else
            walk_any(dt, &g, &any, h, end);
    }
    if (g.contiguous) outlet_end(&g.outlet);
    if (pool->stream_output) k_stream_end();
}

K_FLOATS(avg_pool_grad, struct k_pool)
