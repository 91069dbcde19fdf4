/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of max pooling: a slice's rows of cells, an outer after the other. Where an index lies
 * outside of its window, its outer is scattered instead: at once if the slice holds all of it, else
 * by max_pool_mend, the step behind. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_WALK_H
#define ACLNN_CPU_KERNELS_POOL_MAX_WALK_H

#include "kernels/pool/max_grad.h"
#include "kernels/pool/max_scatter.h"

static inline void outlet_at(struct max_grad *g, int64_t item, int64_t end, int64_t row_bytes)
{
    if (item < end)
        outlet_begin(&g->outlet, g->dx + item * row_bytes, (end - item) * row_bytes,
                     g->pool->stream_output);
}

/* Rows [h, end) of the column (outer, d) that grad_column has begun; false, and rows missing, if a
 * stray index is found and not to be ignored. */
typedef bool grad_walk_fn(enum k_dtype dt, struct max_grad *g, int64_t d, int64_t h, int64_t end,
                          bool ignore);

/* Items are rows. Returns whether an outer that the slice holds in part has stray indices, or an
 * index lies in another outer. */
K_TEMPLATE
bool walk_rows(enum k_dtype dt, struct max_grad *g, const struct k_scatter *scatter,
               struct k_slice slice, grad_walk_fn *make)
{
    const struct max_plan *plan = &g->plan;
    const int64_t rows = plan->height.in, per_outer = plan->depth.in * rows;
    const int64_t row_bytes = plan->width.in * plan->channels * k_size(dt);
    bool unsettled = false;
    outlet_at(g, slice.begin, slice.end, row_bytes);
    for (int64_t item = slice.begin; item < slice.end;) {
        const int64_t h = item % rows, column = item / rows, outer = item / per_outer;
        const int64_t end = max_least(rows, h + slice.end - item), d = column % plan->depth.in;
        const bool whole = outer * per_outer >= slice.begin && (outer + 1) * per_outer <= slice.end;
        grad_column(g, outer, d, h);
        if (make(dt, g, d, h, end, !whole)) {
            if (g->stray) {
                unsettled = true;
                scatter_add(dt, scatter, outer, 0, 0, 0, plan->channels, NULL); /* notes faults */
            }
            g->stray = false;
            item += end - h;
            continue;
        }
        outlet_end(&g->outlet);
        k_stream_end();
        unsettled |= scatter_outer(dt, scatter, outer);
        g->stray = false;
        item = (outer + 1) * per_outer;
        outlet_at(g, item, slice.end, row_bytes);
    }
    if (slice.begin < slice.end) outlet_end(&g->outlet);
    return unsettled;
}

/* ---- the body of a way ---- */

/* Of the gradient with indices from memory. */
K_TEMPLATE
struct k_scatter max_grad_begin(enum k_dtype dt, struct max_grad *g, const struct k_max_pool *pool,
                                void *const buf[])
{
    struct k_scatter scatter = scatter_begin(
        pool, buf[K_MAX_POOL_GRAD_DY], buf[K_MAX_POOL_GRAD_INDICES], NULL, buf[K_MAX_POOL_GRAD_DX]);
    scatter.fault = buf[K_MAX_POOL_GRAD_BUFFERS];
    grad_begin(g, dt, pool, buf[K_MAX_POOL_GRAD_DY], buf[K_MAX_POOL_GRAD_INDICES],
               buf[K_MAX_POOL_GRAD_DX]);
    return scatter;
}

static inline void max_grad_end(const struct max_grad *g, const struct k_scatter *scatter,
                                bool unsettled)
{
    if (unsettled) atomic_store_explicit(&scatter->fault->unsettled, 1, memory_order_relaxed);
    if (g->pool->stream_output) k_stream_end();
}

#endif
