/* SPDX-License-Identifier: Apache-2.0 */
/* The ways of the gradient of average pooling. pool_plan finds the axes, the tiles and the class of
 * the problem (enum pool_way); a way asks whether that class, or what a level makes of it, is its
 * own. */
#include "kernels/pool/pool_plan.h"
#include "kernels/pool/k_pool_grad.h"
#include "kernels/way.h"

static int64_t element_of(enum k_dtype dtype)
{
    return dtype == K_F32 ? 4 : 2;
}

struct k_pool_grad k_pool_grad(const struct k_pool *pool, enum k_dtype dtype)
{
    return (struct k_pool_grad){.pool = *pool, .plan = pool_plan(pool, element_of(dtype))};
}

static enum pool_way way_of(const struct k_problem *problem)
{
    const struct k_pool_grad *grad = problem->parameters;
    return grad->plan.way;
}

const char *k_avg_grad_runs_refuses(const struct k_problem *problem)
{
    return way_of(problem) == POOL_RUNS ? NULL : "not one row of windows that lie apart";
}

const char *k_avg_grad_channels_refuses(const struct k_problem *problem)
{
    return way_of(problem) == POOL_CHANNELS
               ? NULL
               : "few channels, or not windows of three or side by side";
}

const char *k_avg_grad_flat_refuses(const struct k_problem *problem)
{
    return way_of(problem) == POOL_FLAT ? NULL
                                        : "rows of dX do not follow each other as those of dY";
}

const char *k_avg_grad_flat_two_refuses(const struct k_problem *problem)
{
    return way_of(problem) == POOL_FLAT_TWO ? NULL : "not steps of two and windows of three";
}

const char *k_avg_grad_repeats_refuses(const struct k_problem *problem)
{
    return way_of(problem) == POOL_REPEATS ? NULL : "not windows of two side by side";
}

static struct k_work planned(const struct k_problem *problem, enum pool_way way)
{
    struct k_pool_grad *grad = problem->parameters;
    struct pool_plan *plan = &grad->plan;
    plan->way = way;
    if (plan->items == 0) return (struct k_work){.items = 0, .grain = 1};
    /* A slice makes the rows above its first one anew: let that be a small part of it. */
    const int64_t floats = plan->cells * plan->tile_channels;
    const int64_t again = plan->heights > POOL_DIRECT ? 2 * plan->heights : plan->heights - 1;
    const int64_t grain = pool_max(POOL_GRAIN / floats, 4 * again);
    return (struct k_work){.items = plan->items, .grain = pool_max(grain, 1)};
}

struct k_work k_avg_grad_runs_plan(const struct k_problem *problem)
{
    return planned(problem, POOL_RUNS);
}

struct k_work k_avg_grad_channels_plan(const struct k_problem *problem)
{
    return planned(problem, POOL_CHANNELS);
}

struct k_work k_avg_grad_flat_plan(const struct k_problem *problem)
{
    return planned(problem, POOL_FLAT);
}

struct k_work k_avg_grad_flat_two_plan(const struct k_problem *problem)
{
    return planned(problem, POOL_FLAT_TWO);
}

struct k_work k_avg_grad_repeats_plan(const struct k_problem *problem)
{
    return planned(problem, POOL_REPEATS);
}

struct k_work k_avg_grad_any_plan(const struct k_problem *problem)
{
    struct k_pool_grad *grad = problem->parameters;
    if (grad->plan.items > 0) pool_plan_any(&grad->plan);
    return planned(problem, POOL_ANY);
}
