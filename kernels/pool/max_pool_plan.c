/* SPDX-License-Identifier: Apache-2.0 */
/* Which ways max pooling has for a shape, and their plans; the same for every instruction set. */
#include "kernels/pool/max_pool_plan.h"
#include "kernels/kernels.h"
#include "kernels/way.h"

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

/* Floats of a vector. */
static int64_t lanes_of(const struct k_problem *problem)
{
    return problem->level->vector_bytes / (int)sizeof(float);
}

static void max_tile_width(struct max_tiles *t, int64_t extent, int64_t most, int64_t step)
{
    t->tiles = (extent + most - 1) / most;
    t->tile = (extent + t->tiles - 1) / t->tiles;
    t->tile = (t->tile + step - 1) / step * step;
    t->tiles = (extent + t->tile - 1) / t->tile;
}

static void max_tile_channels(struct max_tiles *t, int64_t extent, int64_t most)
{
    const int64_t step = most >= MAX_SLACK ? MAX_SLACK : 1;
    t->of_channels = (extent + most - 1) / most;
    t->channels = (extent + t->of_channels - 1) / t->of_channels;
    t->channels = max_least((t->channels + step - 1) / step * step, most);
    t->of_channels = (extent + t->channels - 1) / t->channels;
}

/* Windows of a row that fit the buffers of max_pool, for so many channels; 0: none. */
static int64_t max_windows_fit(const struct max_axis *width, int64_t channels)
{
    const int64_t room = (MAX_SPLIT / width->stride - MAX_SLACK) / channels;
    return max_least(room - (width->high - width->low), MAX_ROW / channels);
}

/* Most channels <= the tensor's for which `fit` has room, by halves; 0: none. */
static int64_t max_channels_fit(int64_t channels, const struct max_axis *width,
                                int64_t fit(const struct max_axis *, int64_t))
{
    while (channels > MAX_WIDE && fit(width, channels) < 1)
        channels = (channels + 1) / 2;
    return fit(width, channels) < 1 ? 0 : channels;
}

static bool is_wide(const struct k_max_pool *pool)
{
    return pool->channels >= MAX_WIDE;
}

static bool has_places(const struct k_max_pool *pool)
{
    return product_of(pool->input) <= INT32_MAX;
}

static bool is_empty(const struct k_max_pool *pool)
{
    return pool->outer == 0 || pool->channels == 0 || product_of(pool->input) == 0 ||
           product_of(pool->output) == 0;
}

/* Rows of windows of many channels. */
static struct max_plan channels_plan(const struct k_max_pool *pool)
{
    struct max_plan plan = max_plan_axes(pool);
    plan.tiles = (struct max_tiles){plan.width.out, 1, plan.channels, 1};
    plan.items = plan.outer * plan.depth.out * plan.height.out;
    return plan;
}

/* Tiles of rows of windows; items is 0 where buffers have no room for one. */
static struct max_plan tiles_plan(const struct k_max_pool *pool)
{
    struct max_plan plan = max_plan_axes(pool);
    if (is_empty(pool) || plan.width.stride > MAX_STRIDE) return plan;
    const int64_t channels = max_channels_fit(plan.channels, &plan.width, max_windows_fit);
    if (channels == 0) return plan;
    max_tile_channels(&plan.tiles, plan.channels, channels);
    max_tile_width(&plan.tiles, plan.width.out, max_windows_fit(&plan.width, plan.tiles.channels),
                   1);
    plan.items =
        plan.outer * plan.depth.out * plan.tiles.of_channels * plan.tiles.tiles * plan.height.out;
    return plan;
}

/* Do a window's taps lie within MAX_SIDE cells? Sizes may be as large as numbers go. */
static bool max_is_near(const struct max_axis *a)
{
    return a->kernel <= MAX_SIDE && (a->kernel == 1 || a->dilation < MAX_SIDE) &&
           max_span(a) <= MAX_SIDE;
}

/* One channel: can the windows be found along rows, then over them (kernels/pool/max_rows.h)? */
static bool by_rows(const struct max_plan *plan)
{
    const struct max_axis *depth = &plan->depth, *height = &plan->height, *width = &plan->width;
    return plan->channels == 1 && (width->dilation == 1 || width->kernel == 1) &&
           width->stride <= 2 && width->kernel <= MAX_SIDE && max_is_near(depth) &&
           max_is_near(height) && plan->tiles.tiles == 1 &&
           width->out <= MAX_RING / MAX_SIDE - 16 &&
           max_power(max_span(depth)) * max_power(max_span(height)) * (width->out + 16) <= MAX_RING;
}

/* ---- max_pool ---- */

const char *k_max_tiles_refuses(const struct k_problem *problem)
{
    const struct k_max_pool *pool = problem->parameters;
    if (!has_places(pool)) return "places are wider than 32 bits";
    return tiles_plan(pool).items == 0 ? "rows are too long, or steps" : NULL;
}

const char *k_max_rows_refuses(const struct k_problem *problem)
{
    const struct k_max_pool *pool = problem->parameters;
    if (!has_places(pool)) return "places are wider than 32 bits";
    const struct max_plan plan = tiles_plan(pool);
    return plan.items == 0 || !by_rows(&plan) ? "several channels, or windows too wide" : NULL;
}

const char *k_max_apart_refuses(const struct k_problem *problem)
{
    const struct max_plan plan = max_plan_axes(problem->parameters);
    return max_is_apart(&plan) ? k_max_rows_refuses(problem) : "windows are not pairs of cells";
}

const char *k_max_shared_refuses(const struct k_problem *problem)
{
    const struct max_plan plan = max_plan_axes(problem->parameters);
    if (!max_is_shared(&plan, lanes_of(problem))) return "rows are long, or reach into padding";
    return k_max_apart_refuses(problem);
}

const char *k_max_channels_refuses(const struct k_problem *problem)
{
    const struct k_max_pool *pool = problem->parameters;
    if (!is_wide(pool)) return "few channels";
    return has_places(pool) ? NULL : "places are wider than 32 bits";
}

static struct k_work forward_work(struct k_max_pool *pool, const struct max_plan *plan)
{
    pool->plan = *plan;
    if (is_empty(pool)) return (struct k_work){.items = 0, .grain = 1};
    const int64_t work = product(plan->tiles.tile * plan->tiles.channels, product_of(pool->kernel));
    return (struct k_work){.items = plan->items, .grain = max_most(MAX_GRAIN / work, 1)};
}

struct k_work k_max_tiles_plan(const struct k_problem *problem)
{
    struct k_max_pool *pool = problem->parameters;
    const struct max_plan plan = tiles_plan(pool);
    return forward_work(pool, &plan);
}

struct k_work k_max_channels_plan(const struct k_problem *problem)
{
    struct k_max_pool *pool = problem->parameters;
    const struct max_plan plan = channels_plan(pool);
    return forward_work(pool, &plan);
}

/* Items are windows of one outer, all channels. */
struct k_work k_max_any_plan(const struct k_problem *problem)
{
    const struct k_max_pool *pool = problem->parameters;
    const int64_t work = max_most(product(product_of(pool->kernel), pool->channels), 1);
    return (struct k_work){.items = pool->outer * windows_of(pool),
                           .grain = max_most(MAX_GRAIN / work, 1)};
}

bool k_max_pool_is_by_rows(const struct k_max_pool *pool)
{
    if (!has_places(pool)) return false;
    const struct max_plan plan = tiles_plan(pool);
    return plan.items > 0 && by_rows(&plan) && plan.width.kernel <= 2;
}

/* One channel, indices: are whole volumes made, a row of cells after the other? */
static bool by_volumes(const struct max_plan *plan, const struct k_max_pool *pool)
{
    const struct max_axis *depth = &plan->depth, *height = &plan->height, *width = &plan->width;
    const int64_t windows = depth->out * height->out * width->out;
    return plan->channels == 1 && pool->index == K_INDEX_I32 && pool->space != K_INDEX_OF_COLUMNS &&
           width->in <= VOLUME_WIDTH && max_is_of_twos(height) && max_is_of_twos(width) &&
           height->kernel == width->kernel && height->pad == width->pad &&
           depth->kernel == depth->stride && depth->pad == 0 &&
           (depth->dilation == 1 || depth->kernel == 1) && depth->in <= VOLUME_CELLS &&
           height->in <= VOLUME_CELLS && depth->in * height->in * width->in <= VOLUME_CELLS &&
           windows > 0 && windows <= VOLUME_WINDOWS;
}

/* ---- max_pool_grad ---- */

static struct k_work whole_outers(const struct k_max_pool *pool)
{
    const int64_t cells = pool->input[0] * pool->input[1] * pool->input[2];
    const int64_t work = max_most(cells * pool->channels, 1);
    return (struct k_work){.items = cells * pool->channels == 0 ? 0 : pool->outer,
                           .grain = max_most(MAX_GRAIN / work, 1)};
}

/* A slice makes the rows above its first one anew: let that be a small part of it. */
static struct k_work rows_of_cells(const struct max_plan *plan)
{
    int64_t grain = max_most(MAX_GRAIN / (plan->tiles.tile * plan->tiles.channels),
                             4 * (plan->height.high - plan->height.low));
    return (struct k_work){.items = plan->items, .grain = max_most(grain, 1)};
}

/* For all ways that gather: why not? */
static const char *gathering_refused(const struct k_max_pool *pool)
{
    const struct max_plan plan = max_plan_axes(pool);
    if (!pool->is_told) return "no windows are told";
    if (is_empty(pool)) return "nothing to gather";
    return max_can_gather(&plan) ? NULL : "too many taps";
}

const char *k_max_grad_volumes_refuses(const struct k_problem *problem)
{
    const struct k_max_pool *pool = problem->parameters;
    const struct max_plan plan = max_plan_axes(pool);
    const char *refused = gathering_refused(pool);
    if (refused) return refused;
    if (!by_volumes(&plan, pool)) return "volumes are large, or windows not of 2 or 3 by 2";
    return plan.width.in > 2 * lanes_of(problem) ? "rows are longer than two vectors" : NULL;
}

/* Items are outers. */
struct k_work k_max_grad_outers_plan(const struct k_problem *problem)
{
    struct k_max_pool *pool = problem->parameters;
    pool->plan = max_plan_axes(pool);
    return whole_outers(pool);
}

const char *k_max_grad_flat_refuses(const struct k_problem *problem)
{
    const struct k_max_pool *pool = problem->parameters;
    const struct max_plan plan = max_plan_axes(pool);
    if (!max_is_flat(&plan, pool) || plan.height.in * plan.width.in < lanes_of(problem))
        return "not kernel 3, step 1, as many windows as cells";
    return gathering_refused(pool);
}

const char *k_max_grad_twos_refuses(const struct k_problem *problem)
{
    const struct k_max_pool *pool = problem->parameters;
    const struct max_plan plan = max_plan_axes(pool);
    const struct max_axis *depth = &plan.depth, *height = &plan.height, *width = &plan.width;
    const bool twos =
        plan.channels == 1 && pool->index == K_INDEX_I32 && pool->space != K_INDEX_OF_COLUMNS &&
        max_is_of_twos(height) && max_is_of_twos(width) && height->kernel == width->kernel &&
        height->pad == width->pad && height->in == 2 * height->out && width->in == 2 * width->out &&
        width->out >= lanes_of(problem) && depth->kernel == depth->stride && depth->pad == 0 &&
        depth->in == depth->kernel * depth->out && depth->dilation == 1 &&
        (depth->kernel == 1 || height->kernel == 2);
    if (!twos) return "not kernel 2 or 3 by a step of 2, half as many windows as cells";
    const char *refused = gathering_refused(pool);
    if (refused) return refused;
    return plan.outer > INT32_MAX / product_of(pool->input) ? "places are wider than 31 bits"
                                                            : NULL;
}

const char *k_max_grad_channels_refuses(const struct k_problem *problem)
{
    const struct k_max_pool *pool = problem->parameters;
    if (!is_wide(pool) || pool->index == K_INDEX_NONE) return "few channels";
    if (pool->output[2] > MAX_RING / 2) return "rows are too long";
    return gathering_refused(pool);
}

struct k_work k_max_grad_channels_plan(const struct k_problem *problem)
{
    struct k_max_pool *pool = problem->parameters;
    struct max_plan plan = max_plan_axes(pool);
    plan.rows = (int)max_least(plan.height.high - plan.height.low + 1, MAX_RING);
    plan.tiles = (struct max_tiles){plan.width.in, 1, plan.channels, 1};
    plan.items = plan.outer * plan.depth.in * plan.height.in;
    pool->plan = plan;
    return rows_of_cells(&plan);
}

/* f32 of planes is scattered where it belongs, as fast as it is gathered. */
const char *k_max_grad_guess_refuses(const struct k_problem *problem)
{
    const struct k_max_pool *pool = problem->parameters;
    if (pool->is_told) return "windows are told";
    return problem->dtype == K_F32 && pool->space == K_INDEX_OF_PLANE ? "f32 of planes" : NULL;
}

struct k_work k_max_grad_scatter_plan(const struct k_problem *problem)
{
    return whole_outers(problem->parameters);
}

struct k_work k_max_pool_mend_work(const struct k_max_pool *pool)
{
    struct k_work work = whole_outers(pool);
    if (pool->space != K_INDEX_OF_PLANE && work.items > 0) work.items = 1;
    return work;
}

bool k_max_pool_grad_is_by_volumes(const struct k_max_pool *pool, enum k_dtype dtype)
{
    struct k_max_pool copy = *pool;
    const struct k_problem problem = {&copy, dtype, k_best()};
    return k_best()->max_pool_grad_volumes[dtype] && !k_max_grad_volumes_refuses(&problem);
}

/* Planes that no way gathers from. */
bool k_max_pool_grad_is_scattered(const struct k_max_pool *pool, enum k_dtype dtype)
{
    struct k_max_pool copy = *pool;
    const struct k_table *level = k_best();
    const struct k_problem problem = {&copy, dtype, level};
    if (pool->channels != 1 || pool->space != K_INDEX_OF_PLANE) return false;
    return !k_max_pool_grad_is_by_volumes(pool, dtype) &&
           !(level->max_pool_grad_flat[dtype] && !k_max_grad_flat_refuses(&problem)) &&
           !(level->max_pool_grad_twos[dtype] && !k_max_grad_twos_refuses(&problem));
}

/* ---- max_recompute ---- */

const char *k_max_recompute_channels_refuses(const struct k_problem *problem)
{
    struct k_max_recompute *both = problem->parameters;
    const struct max_plan plan = max_plan_axes(&both->find);
    const char *refused = k_max_grad_channels_refuses(&(struct k_problem){
        .parameters = &both->find, .dtype = problem->dtype, .level = problem->level});
    if (refused) return refused;
    const int64_t rows = (plan.height.high - plan.height.low + 1) * max_depths(&plan.depth);
    return rows > MAX_FOUND / plan.width.out / plan.channels ? "rows of taps are too long" : NULL;
}

struct k_work k_max_recompute_channels_plan(const struct k_problem *problem)
{
    struct k_max_recompute *both = problem->parameters;
    return k_max_grad_channels_plan(&(struct k_problem){
        .parameters = &both->find, .dtype = problem->dtype, .level = problem->level});
}

/* So many outers at a time have their indices found, then added. */
struct k_work k_max_recompute_outers_plan(const struct k_problem *problem)
{
    struct k_max_recompute *both = problem->parameters;
    const int64_t outer = both->find.outer, windows = windows_of(&both->find);
    const int64_t fit = K_MAX_RECOMPUTE_WINDOWS / max_most(windows * both->find.channels, 1);
    const bool stream = both->find.stream_output;
    both->outers = max_most(max_least(fit, outer), 1);
    both->find.outer = both->outers;
    both->find.stream_output = false;
    both->add = both->find;
    both->add.stream_output = stream;
    struct k_problem part = {
        .parameters = &both->find, .dtype = problem->dtype, .level = problem->level};
    const struct k_chosen find = k_way_choose(K_CHOICE_max_pool, &part);
    part.parameters = &both->add;
    const struct k_chosen add = k_way_choose(K_CHOICE_max_pool_grad, &part);
    both->run_find = find.run;
    both->run_add = add.run;
    both->find_items = find.work.items / both->outers;
    both->add_items = add.work.items / both->outers;
    struct k_work work = whole_outers(&both->add);
    if (work.items > 0) work.items = outer;
    return work;
}

bool k_max_recompute_is_one_step(const struct k_max_recompute *both, enum k_dtype dtype)
{
    const int64_t windows = product(product_of(both->find.output), both->find.channels);
    struct k_max_recompute copy = *both;
    const struct k_problem problem = {&copy, dtype, k_best()};
    return windows <= K_MAX_RECOMPUTE_WINDOWS ||
           (k_best()->max_recompute_channels[dtype] && !k_max_recompute_channels_refuses(&problem));
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
