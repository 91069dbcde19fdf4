/* SPDX-License-Identifier: Apache-2.0 */
/* dx[i] = sum of dy over the windows whose index is i, in their row-major order: any shape, window
 * by window (max_scatter.h). From +0 on that gives the bits of the ways that gather: a sum is never
 * -0, so that adding +0 for a window that does not match changes nothing. */
#include "kernels/pool/max_scatter.h"
#include "kernels/vector/instance.h"

K_TEMPLATE
void max_pool_grad_scatter(enum k_dtype dt, const struct k_max_pool *pool, void *const buf[],
                           struct k_slice slice)
{
    struct k_fault *fault = buf[K_MAX_POOL_GRAD_BUFFERS];
    struct k_scatter scatter = scatter_begin(
        pool, buf[K_MAX_POOL_GRAD_DY], buf[K_MAX_POOL_GRAD_INDICES], NULL, buf[K_MAX_POOL_GRAD_DX]);
    scatter.fault = fault;
    bool elsewhere = false;
    for (int64_t outer = slice.begin; outer < slice.end; outer++)
        elsewhere |= scatter_outer(dt, &scatter, outer);
    if (elsewhere) atomic_store_explicit(&fault->unsettled, 1, memory_order_relaxed);
}

/* The step behind: scatters again what a slice could not finish. */
K_TEMPLATE
void max_pool_mend(enum k_dtype dt, const struct k_max_pool *pool, void *const buf[],
                   struct k_slice slice)
{
    const struct k_fault *fault = buf[K_MAX_POOL_GRAD_BUFFERS];
    if (atomic_load_explicit(&fault->unsettled, memory_order_relaxed) == 0) return;
    const struct k_scatter scatter = scatter_begin(
        pool, buf[K_MAX_POOL_GRAD_DY], buf[K_MAX_POOL_GRAD_INDICES], NULL, buf[K_MAX_POOL_GRAD_DX]);
    if (pool->space != K_INDEX_OF_PLANE)
        scatter_all(dt, &scatter);
    else
        for (int64_t outer = slice.begin; outer < slice.end; outer++)
            scatter_outer(dt, &scatter, outer);
}

K_FLOATS(max_pool_grad_scatter, struct k_max_pool)
K_FLOATS(max_pool_mend, struct k_max_pool)
