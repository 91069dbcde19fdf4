/* SPDX-License-Identifier: Apache-2.0 */
/* How averages may be cut; the same for every instruction set. */
#include "kernels/pool/average_plan.h"
#include "kernels/pool/k_average.h"
#include "kernels/way.h"

const char *k_avg_planes_refuses(const struct k_problem *problem)
{
    const struct avg_plan plan = avg_plan_axes(problem->parameters);
    return !avg_is_empty(&plan) && avg_takes_planes(&plan) ? NULL : "not small planes";
}

const char *k_avg_cells_refuses(const struct k_problem *problem)
{
    const struct avg_plan plan = avg_plan_axes(problem->parameters);
    return !avg_is_empty(&plan) && avg_is_direct(&plan, problem->parameters)
               ? NULL
               : "few channels, or more than a few cells";
}

struct k_work k_avg_planes_plan(const struct k_problem *problem)
{
    struct k_average *average = problem->parameters;
    average->way = K_AVERAGE_PLANES;
    const struct avg_plan plan = avg_plan(average);
    const int64_t floats = plan.height.in * plan.width.in + plan.height.out * plan.width.out;
    return (struct k_work){.items = plan.items, .grain = pool_max(POOL_GRAIN / floats, 1)};
}

static struct k_work rows_of_outputs(struct k_average *average, enum k_average_way way)
{
    average->way = way;
    const struct avg_plan plan = avg_plan(average);
    if (plan.items == 0) return (struct k_work){.items = 0, .grain = 1};
    /* What a row of outputs reads; a slice makes the ring's rows anew: a small part of it. */
    const int64_t rows = pool_max(plan.height.in / plan.height.out, 1);
    int64_t grain = POOL_GRAIN / pool_max(plan.pitch * rows, 1);
    if (plan.deep && plan.kept) grain = pool_max(grain, 4 * (int64_t)plan.ring_rows / rows);
    return (struct k_work){.items = plan.items, .grain = pool_max(pool_max(grain, plan.batch), 1)};
}

struct k_work k_avg_cells_plan(const struct k_problem *problem)
{
    return rows_of_outputs(problem->parameters, K_AVERAGE_CELLS);
}

struct k_work k_avg_rows_plan(const struct k_problem *problem)
{
    return rows_of_outputs(problem->parameters, K_AVERAGE_ROWS);
}

struct k_work k_mean_work(const struct k_mean *mean)
{
    if (mean->channels == 0 || mean->count == 0) return (struct k_work){.items = 0, .grain = 1};
    const int64_t tiles = avg_ceil(mean->channels, MEAN_CHANNELS);
    const int64_t floats = mean->count * pool_min(mean->channels, MEAN_CHANNELS);
    return (struct k_work){.items = mean->outer * tiles,
                           .grain = pool_max(POOL_GRAIN / floats, mean->channels == 1 ? 64 : 1)};
}
