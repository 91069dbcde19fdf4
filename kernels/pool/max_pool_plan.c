/* SPDX-License-Identifier: Apache-2.0 */
/* Shape arithmetic of max pooling; the same for every instruction set. */
#include "kernels/pool/max_pool_plan.h"

static int64_t windows_of(const struct k_max_pool *pool)
{
    return pool->output[0] * pool->output[1] * pool->output[2];
}

/* Of factors that are not negative; INT64_MAX where that is too little. */
static int64_t product(int64_t a, int64_t b)
{
    int64_t c;
    return __builtin_mul_overflow(a, b, &c) ? INT64_MAX : c;
}

static int64_t product_of(const int64_t extents[K_MAX_POOL_AXES])
{
    return product(product(extents[0], extents[1]), extents[2]);
}

struct k_work k_max_pool_work(const struct k_max_pool *pool)
{
    const struct max_plan plan = max_plan(pool);
    if (plan.items == 0) return (struct k_work){.items = 0, .grain = 1};
    const int64_t kernel[] = {plan.depth.kernel, plan.height.kernel, plan.width.kernel};
    const int64_t work = product(plan.tiles.tile * plan.tiles.channels, product_of(kernel));
    return (struct k_work){.items = plan.items, .grain = max_most(MAX_GRAIN / work, 1)};
}

/* Items are windows of one outer, all channels. */
struct k_work k_max_pool_any_work(const struct k_max_pool *pool)
{
    const int64_t work = max_most(product(product_of(pool->kernel), pool->channels), 1);
    return (struct k_work){.items = pool->outer * windows_of(pool),
                           .grain = max_most(MAX_GRAIN / work, 1)};
}

static struct k_work grad_work(const struct k_max_pool *pool, bool recompute)
{
    const struct max_plan plan = max_grad_plan(pool, recompute);
    if (plan.items == 0) return (struct k_work){.items = 0, .grain = 1};
    if (!plan.fast || plan.volumes || plan.planes > 1) return k_max_pool_scatter_work(pool);
    /* A slice makes the rows above its first one anew: let that be a small part of it. */
    const int64_t grain =
        max_most(MAX_GRAIN / (plan.tiles.tile * plan.tiles.channels), 4 * (plan.rows - 1));
    if (plan.block > 0)
        return (struct k_work){.items = plan.items,
                               .grain = max_most(grain, plan.block * plan.height.stride)};
    return (struct k_work){.items = plan.items, .grain = max_most(grain, 1)};
}

struct k_work k_max_pool_grad_work(const struct k_max_pool *pool)
{
    return grad_work(pool, false);
}

struct k_work k_max_pool_recompute_work(const struct k_max_pool *pool)
{
    return grad_work(pool, true);
}

struct k_work k_max_pool_scatter_work(const struct k_max_pool *pool)
{
    const int64_t cells = pool->input[0] * pool->input[1] * pool->input[2];
    const int64_t work = max_most(cells * pool->channels, 1);
    return (struct k_work){.items = cells * pool->channels == 0 ? 0 : pool->outer,
                           .grain = max_most(MAX_GRAIN / work, 1)};
}

struct k_work k_max_pool_mend_work(const struct k_max_pool *pool)
{
    struct k_work work = k_max_pool_scatter_work(pool);
    if (pool->space != K_INDEX_OF_PLANE && work.items > 0) work.items = 1;
    return work;
}

bool k_max_pool_is_fast(const struct k_max_pool *pool)
{
    return max_plan(pool).fast;
}

bool k_max_pool_is_by_rows(const struct k_max_pool *pool)
{
    const struct max_plan plan = max_plan(pool);
    return plan.fast && !plan.wide && max_by_rows(&plan) && plan.width.kernel <= 2;
}

int64_t k_max_pool_place(const struct k_max_pool *pool, int64_t position)
{
    if (pool->channels_inside || pool->channels == 1) return position;
    const int64_t windows = windows_of(pool);
    const int64_t plane = position / windows, window = position % windows;
    return (plane / pool->channels * windows + window) * pool->channels + plane % pool->channels;
}

/* Items are (outer, tile of what is inside). */
struct k_work k_max_global_work(const struct k_max_global *global)
{
    const int64_t inside = max_least(global->inner, MAX_GLOBAL_TILE);
    const int64_t work = max_most(global->length * inside, 1);
    return (struct k_work){.items = global->outer * max_global_tiles(global),
                           .grain = max_most(MAX_GRAIN / work, 1)};
}
