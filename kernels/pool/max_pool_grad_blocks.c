/* SPDX-License-Identifier: Apache-2.0 */
/* dx[i] = sum of dy over the windows whose index is i, in their row-major order: one channel, many
 * rows at a time (max_block.h). */
#include "kernels/pool/max_block.h"
#include "kernels/pool/max_walk.h"
#include "kernels/vector/instance.h"

/* Small planes, several at a time; items are planes. Returns as walk_rows. */
K_TEMPLATE
bool walk_planes(enum k_dtype dt, struct max_grad *g, const struct k_scatter *scatter,
                 struct k_slice slice)
{
    const struct max_plan *plan = &g->plan;
    const int64_t rows = plan->height.in;
    const int64_t bytes = rows * plan->width.in * k_size(dt);
    bool unsettled = false;
    grad_column(g, slice.begin, 0, 0);
    outlet_at(g, slice.begin, slice.end, bytes);
    for (int64_t outer = slice.begin, planes; outer < slice.end; outer += planes) {
        planes = max_least(plan->planes, slice.end - outer);
        if (!block_is_direct(g, outer, 0, planes * plan->groups)) {
            take_planes(dt, g, outer, planes);
            block_in_ring(g);
        }
        if (!g->stray) block_cells(dt, g, planes, 0, 0, plan->groups);
        if (!g->stray) {
            block_out(dt, g, planes, plan->groups, 0, rows);
            continue;
        }
        outlet_end(&g->outlet);
        k_stream_end();
        for (int64_t plane = outer; plane < outer + planes; plane++)
            unsettled |= scatter_outer(dt, scatter, plane);
        g->stray = false;
        outlet_at(g, outer + planes, slice.end, bytes);
    }
    if (slice.begin < slice.end) outlet_end(&g->outlet);
    return unsettled;
}

K_TEMPLATE
void max_pool_grad_blocks(enum k_dtype dt, const struct k_max_pool *pool, void *const buf[],
                          struct k_slice slice)
{
    struct max_grad g;
    const struct k_scatter scatter = max_grad_begin(dt, &g, pool, buf);
    block_begin(&g);
    max_grad_end(&g, &scatter,
                 g.plan.planes > 1 ? walk_planes(dt, &g, &scatter, slice)
                                   : walk_rows(dt, &g, &scatter, slice, walk_blocks));
}

K_FLOATS_VECTOR(max_pool_grad_blocks, struct k_max_pool)
