/* SPDX-License-Identifier: Apache-2.0 */
/* dx[indices[o]] += dy[o] for rising o, without windows. Planes are filled one by one; if an index
 * turns out to lie in another plane than its window, max_pool_mend does the whole tensor again in
 * the order of the windows. */
#include "kernels/simd/instance.h"
#include "kernels/simd/max_scatter.h"

K_TEMPLATE
void max_pool_scatter(enum k_dtype dt, const struct k_max_pool *pool, void *const buf[],
                      struct k_slice slice)
{
    struct k_fault *fault = buf[K_MAX_POOL_GRAD_BUFFERS];
    struct k_scatter scatter = scatter_begin(
        pool, buf[K_MAX_POOL_GRAD_DY], buf[K_MAX_POOL_GRAD_INDICES], NULL, buf[K_MAX_POOL_GRAD_DX]);
    scatter.fault = fault;
    bool elsewhere = false;
    for (int64_t outer = slice.begin; outer < slice.end; outer++)
        if (scatter_outer(dt, &scatter, outer)) elsewhere = true;
    if (elsewhere) atomic_store_explicit(&fault->unsettled, 1, memory_order_relaxed);
}

K_FLOATS(max_pool_scatter, struct k_max_pool)
