/* SPDX-License-Identifier: Apache-2.0 */
/* dx[i] = sum of dy over the windows whose index is i, in their row-major order.
 *
 * Gathered: a row of dX looks at the windows over each of its cells and adds where their index
 * means it (kernels/pool/max_grad.h); every element is written once, whatever the overlap. That
 * finds all terms as long as every index lies in its own window. Where one does not, its outer
 * (plane or image) is scattered, in the same order of terms: at once if the slice holds all of it,
 * else by max_pool_mend, the step behind this one. From +0 on the two ways give the same bits: a
 * sum is never -0, so adding +0 for a window that does not match changes nothing.
 *
 * max_pool_scatter is told no windows. It guesses them from the indices of its first outer: where
 * they hold, as for any pooling of one kernel and stride, that is gathered too. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_POOL_GRAD_H
#define ACLNN_CPU_KERNELS_POOL_MAX_POOL_GRAD_H

#include "kernels/vector/instance.h"

enum { GRAD_FINDS = 0 };

#include "kernels/pool/max_guess.h"
#include "kernels/pool/max_walk.h"

/* Has an outer stray indices? */
K_TEMPLATE
bool outer_strays(enum k_dtype dt, struct max_grad *g, int64_t outer)
{
    const struct max_plan *plan = &g->plan;
    const int64_t tiles = plan->tiles.of_channels * plan->tiles.tiles;
    g->stray = false;
    g->outer = outer;
    for (int64_t tile = 0; tile < tiles; tile++) {
        if (!plan->wide) grad_tile(g, tile);
        for (int64_t od = 0; od < plan->depth.out && !g->stray; od++) {
            g->depths = 1;
            g->depth[0] = od;
            for (int64_t oh = 0; oh < plan->height.out && !g->stray; oh++)
                if (plan->wide)
                    look_at_channels(g, od, oh);
                else
                    make_rows(dt, g, NULL, oh);
        }
    }
    return g->stray;
}

/* plan: of the pool, or NULL. */
K_TEMPLATE
void max_pool_grad(enum k_dtype dt, const struct k_max_pool *pool, const struct max_plan *plan,
                   void *const buf[], struct k_slice slice)
{
    struct max_grad g;
    struct k_fault *fault = buf[K_MAX_POOL_GRAD_BUFFERS];
    if (plan)
        g.plan = *plan;
    else
        g.plan = max_grad_plan(pool, false);
    struct k_scatter scatter = scatter_begin(
        pool, buf[K_MAX_POOL_GRAD_DY], buf[K_MAX_POOL_GRAD_INDICES], NULL, buf[K_MAX_POOL_GRAD_DX]);
    scatter.fault = fault;
    if (!g.plan.fast) {
        for (int64_t outer = slice.begin; outer < slice.end; outer++)
            scatter_outer(dt, &scatter, outer);
        return;
    }
    grad_begin(&g, dt, pool, buf[K_MAX_POOL_GRAD_DY], buf[K_MAX_POOL_GRAD_INDICES],
               buf[K_MAX_POOL_GRAD_DX]);
    if (walk_items(dt, &g, NULL, &scatter, slice))
        atomic_store_explicit(&fault->unsettled, 1, memory_order_relaxed);
    if (pool->stream_output) k_stream_end();
}

typedef void grad_planned_fn(const struct k_max_pool *pool, const struct max_plan *plan,
                             void *const buf[], struct k_slice slice);

K_TEMPLATE
void max_pool_mend(enum k_dtype dt, const struct k_max_pool *pool, void *const buf[],
                   struct k_slice slice)
{
    struct max_grad g;
    const struct k_fault *fault = buf[K_MAX_POOL_GRAD_BUFFERS];
    if (atomic_load_explicit(&fault->unsettled, memory_order_relaxed) == 0) return;
    const struct k_scatter scatter = scatter_begin(
        pool, buf[K_MAX_POOL_GRAD_DY], buf[K_MAX_POOL_GRAD_INDICES], NULL, buf[K_MAX_POOL_GRAD_DX]);
    if (pool->space != K_INDEX_OF_PLANE) {
        scatter_all(dt, &scatter);
        return;
    }
    g.plan = max_grad_plan(pool, false);
    grad_begin(&g, dt, pool, buf[K_MAX_POOL_GRAD_DY], buf[K_MAX_POOL_GRAD_INDICES],
               buf[K_MAX_POOL_GRAD_DX]);
    if (g.plan.wide) channels_begin(&g);
    /* A stray index may have been taken for one of the outer beside its own. */
    bool before = slice.begin > 0 && outer_strays(dt, &g, slice.begin - 1);
    bool now = outer_strays(dt, &g, slice.begin);
    for (int64_t outer = slice.begin; outer < slice.end; outer++) {
        const bool next = outer + 1 < pool->outer && outer_strays(dt, &g, outer + 1);
        if (before || now || next) scatter_outer(dt, &scatter, outer);
        before = now, now = next;
    }
}

K_TEMPLATE
void max_pool_scatter(enum k_dtype dt, const struct k_max_pool *pool, void *const buf[],
                      struct k_slice slice, grad_planned_fn *gather)
{
    struct k_fault *fault = buf[K_MAX_POOL_GRAD_BUFFERS];
    struct k_scatter scatter = scatter_begin(
        pool, buf[K_MAX_POOL_GRAD_DY], buf[K_MAX_POOL_GRAD_INDICES], NULL, buf[K_MAX_POOL_GRAD_DX]);
    scatter.fault = fault;
    struct k_max_pool guess;
    struct max_plan plan;
    /* Floats of one plane are scattered where they belong, as fast as they are gathered. */
    const bool gathers = dt != K_F32 || pool->space != K_INDEX_OF_PLANE;
    if (gathers && guess_windows(&scatter, slice.begin, &guess, &plan)) {
        const int64_t items = plan.items / pool->outer;
        gather(&guess, &plan, buf, (struct k_slice){slice.begin * items, slice.end * items});
        return;
    }
    bool elsewhere = false;
    for (int64_t outer = slice.begin; outer < slice.end; outer++)
        if (scatter_outer(dt, &scatter, outer)) elsewhere = true;
    if (elsewhere) atomic_store_explicit(&fault->unsettled, 1, memory_order_relaxed);
}

/* The three kernels of a type. */
#define K_MAX_POOL_GRAD(suffix, dtype)                                                             \
    static __attribute__((noinline)) void grad_planned##suffix(                                    \
        const struct k_max_pool *pool, const struct max_plan *plan, void *const buffers[],         \
        struct k_slice slice)                                                                      \
    {                                                                                              \
        max_pool_grad(dtype, pool, plan, buffers, slice);                                          \
    }                                                                                              \
    k_fn K_SYMBOL(max_pool_grad##suffix);                                                          \
    void K_SYMBOL(max_pool_grad##suffix)(const void *pool, void *const buffers[],                  \
                                         struct k_slice slice)                                     \
    {                                                                                              \
        grad_planned##suffix(pool, NULL, buffers, slice);                                          \
    }                                                                                              \
    K_INSTANCE(max_pool_mend, suffix, dtype, struct k_max_pool)                                    \
    k_fn K_SYMBOL(max_pool_scatter##suffix);                                                       \
    void K_SYMBOL(max_pool_scatter##suffix)(const void *pool, void *const buffers[],               \
                                            struct k_slice slice)                                  \
    {                                                                                              \
        max_pool_scatter(dtype, pool, buffers, slice, grad_planned##suffix);                       \
    }

#endif
