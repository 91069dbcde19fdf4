/* SPDX-License-Identifier: Apache-2.0 */
/* Shape arithmetic of pooling; the same for every instruction set. */
#include "kernels/pool/pool_plan.h"
#include "kernels/pool/k_pool.h"

struct k_work k_avg_pool_grad_work(const struct k_pool *pool, enum k_dtype dtype)
{
    const struct pool_plan plan = pool_plan(pool, dtype == K_F32 ? 4 : 2);
    if (plan.items == 0) return (struct k_work){.items = 0, .grain = 1};
    /* A slice makes the rows above its first one anew: let that be a small part of it. */
    const int64_t floats = plan.cells * plan.tile_channels;
    const int64_t again = plan.heights > POOL_DIRECT ? 2 * plan.heights : plan.heights - 1;
    const int64_t grain = pool_max(POOL_GRAIN / floats, 4 * again);
    return (struct k_work){.items = plan.items, .grain = pool_max(grain, 1)};
}
