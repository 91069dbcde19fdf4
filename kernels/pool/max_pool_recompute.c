/* SPDX-License-Identifier: Apache-2.0 */
/* dx[i] = sum of dy over the windows whose first largest tap is i, in their row-major order: as
 * simd/max_pool_grad.h, with indices that are found in x. */
#include "kernels/vector/instance.h"

enum { GRAD_FINDS = 1 };

#include "kernels/pool/max_walk.h"

K_TEMPLATE
void max_pool_recompute(enum k_dtype dt, const struct k_max_pool *pool, void *const buf[],
                        struct k_slice slice)
{
    struct max_grad g;
    struct k_argmax argmax;
    struct k_lanes real;
    struct max_rows rows;
    char taps[MAX_FOUND];
    vf best[(MAX_RING / 2 + MAX_SLACK) / VL];
    g.plan = max_grad_plan(pool, true);
    struct k_scatter scatter =
        scatter_begin(pool, buf[K_MAX_POOL_RECOMPUTE_DY], NULL, buf[K_MAX_POOL_RECOMPUTE_X],
                      buf[K_MAX_POOL_RECOMPUTE_DX]);
    if (!g.plan.fast) {
        for (int64_t outer = slice.begin; outer < slice.end; outer++)
            scatter_outer(dt, &scatter, outer);
        return;
    }
    grad_begin(&g, dt, pool, buf[K_MAX_POOL_RECOMPUTE_DY], NULL, buf[K_MAX_POOL_RECOMPUTE_DX]);
    argmax.plan = &g.plan;
    argmax.x = buf[K_MAX_POOL_RECOMPUTE_X];
    argmax.end = argmax.x + pool->outer * scatter.cells * pool->channels * k_size(dt);
    argmax.codes = true;
    argmax.best = (float *)(void *)best;
    real.first = real.windows = -1; /* none yet */
    g.argmax = &argmax;
    g.taps = taps;
    if (g.plan.block > 0 && max_by_rows(&g.plan)) {
        rows_begin(&rows, &g.plan, argmax.x, argmax.end, true, false);
        g.rows = &rows;
    }
    walk_items(dt, &g, &real, &scatter, slice);
    if (pool->stream_output) k_stream_end();
}

K_FLOATS(max_pool_recompute, struct k_max_pool)
