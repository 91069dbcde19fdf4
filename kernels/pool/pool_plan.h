/* SPDX-License-Identifier: Apache-2.0 */
/* How the gradient of average pooling is walked: shared by the planner (pool_plan.c) and the
 * kernel of every level.
 *
 * Along one axis, cell i has the padded position i + p = s * j + c with 0 <= c < s, and lies in the
 * windows j - t, 0 <= t < n(c), where n(c) = ceil((k - c) / s): that is `most` for c < rest and
 * most - 1 for the others. */
#ifndef ACLNN_CPU_KERNELS_POOL_POOL_PLAN_H
#define ACLNN_CPU_KERNELS_POOL_POOL_PLAN_H

#include "kernels/pool/k_pool.h"

enum {
    POOL_FUSED = 3,            /* windows over a cell along an axis that are summed in registers */
    POOL_WIDE = 64,            /* bytes of a cell's channels from which vectors run along them; */
    POOL_WIDE_APART = 32,      /* where windows lie side by side, so many, too */
    POOL_SLOT = 2048 + 32,     /* floats of a window's channels, summed along the height */
    POOL_FLAT_CELLS = 512,     /* of a row that may be treated as one with its neighbours */
    POOL_EVEN = 32,            /* elements of the longest vector */
    POOL_ROW_WINDOWS = 1024,   /* windows of a row in work at once, times channels in buffers */
    POOL_CELLS_FLOATS = 2048,  /* cells of a row in work at once, times channels */
    POOL_TALL_FLOATS = 16384,  /* sums of rows of dY */
    POOL_MIN_FLOATS = 32,      /* of them for a row, 16 of which remain unused */
    POOL_DIRECT = 8,           /* up to so many rows are added one by one */
    POOL_REGISTER_WINDOWS = 4, /* so many windows along the width */
    POOL_RUN = 2048,   /* bytes of dX between one look at the outlet and the next, or one row */
    POOL_AHEAD = 1024, /* prefetch distance in dY, */
    POOL_FAR = 8192,   /* and where dX is stored non-temporal */
    POOL_GRAIN = 1 << 14,
    POOL_MOST_ROWS = 1 << 24, /* more are as good as any number */
};

enum pool_way {
    POOL_ANY,      /* through buffers */
    POOL_FLAT,     /* one channel, rows of dX follow each other as those of dY do: cell i lies in
                      windows i - 1 to i + 1 */
    POOL_FLAT_TWO, /* the same with steps of two: windows j - 1 and j, or j and j + 1, make cells 2
                      j and 2 j + 1; needs dX at an even element */
    POOL_REPEATS,  /* one channel, windows of two cells that cut dX into whole pieces */
    POOL_CHANNELS, /* several channels, windows of three along the width or side by side */
    POOL_RUNS,     /* at most one window over a cell, one channel, one row: runs of one value */
};

struct pool_axis {
    int64_t in, out, kernel, stride, pad, limit; /* limit: where a window's counted part ends */
    int64_t most, rest;
};

struct pool_plan {
    struct pool_axis depth, height, width;
    int64_t outer, channels;
    /* A column is one tile of a row's cells and channels, walked down the height. Items are rows of
     * columns, ordered (outer, depth, channel tile, cell tile, height). */
    int64_t cells, cell_tiles, tile_channels, channel_tiles, items;
    int heights; /* most rows of dY that one row of dX adds */
    int segment; /* of a block of so many rows: sums from its rows to the end are kept for as many;
                    0: rows are added one by one */
    int steps;   /* > 0: a tile's steps along the width; the windows that hold all its cells are one
                    sum, made before that along the height */
    enum pool_way way;
};

static inline int64_t pool_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t pool_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline struct pool_axis pool_axis(const struct k_pool *pool, int axis)
{
    struct pool_axis a = {.in = pool->input[axis],
                          .out = pool->output[axis],
                          .kernel = pool->kernel[axis],
                          .stride = pool->stride[axis],
                          .pad = pool->pad_begin[axis]};
    a.limit = a.in + (pool->count_padding ? pool->pad_end[axis] : 0);
    if (a.out == 1) a.stride = pool_max(a.kernel, a.in + a.pad); /* any stride says the same */
    return a;
}

/* Whether the windows cut the axis into whole pieces. */
static inline bool pool_tiles(const struct pool_axis *a)
{
    return a->pad == 0 && a->stride == a->kernel && a->in == a->out * a->kernel;
}

static inline struct pool_axis pool_tiling(int64_t out, int64_t kernel)
{
    return (struct pool_axis){
        .in = out * kernel, .out = out, .kernel = kernel, .stride = kernel, .limit = out * kernel};
}

/* Axes that are cut into whole pieces join the axis outside of them. */
static inline void pool_join(struct pool_plan *plan)
{
    struct pool_axis *depth = &plan->depth, *height = &plan->height, *width = &plan->width;
    if (pool_tiles(depth) && pool_tiles(height) && pool_tiles(width) && height->out == 1 &&
        width->out == 1) {
        const int64_t cells = depth->kernel * height->kernel * width->kernel;
        *width = pool_tiling(plan->outer * depth->out, cells);
        *depth = *height = pool_tiling(1, 1);
        plan->outer = 1;
        return;
    }
    if (pool_tiles(depth) && depth->kernel == 1) {
        plan->outer *= depth->out;
        *depth = pool_tiling(1, 1);
    }
    if (depth->in != 1 || !pool_tiles(depth) || !pool_tiles(height)) return;
    *height = pool_tiling(plan->outer * height->out, height->kernel);
    plan->outer = 1;
    if (pool_tiles(width) && (width->out == 1 || height->kernel == 1)) {
        *width = pool_tiling(height->out * width->out, height->kernel * width->kernel);
        *height = pool_tiling(1, 1);
    }
}

static inline void pool_count(struct pool_axis *a)
{
    a->most = (a->kernel - 1) / a->stride + 1;
    a->rest = a->kernel - (a->most - 1) * a->stride;
}

static inline void pool_tile_cells(struct pool_plan *plan, int64_t cells)
{
    plan->cells = pool_max(pool_min(cells, plan->width.in), 1);
    plan->cell_tiles = (plan->width.in + plan->cells - 1) / plan->cells;
}

static inline int64_t pool_root(int64_t n)
{
    int64_t root = 1;
    while (root * root < n)
        root++;
    return root;
}

/* Floats of a tile's row of windows. Where the sums along the height leave room for next to
 * nothing, they are made row by row. */
static inline int64_t pool_row_floats(struct pool_plan *plan)
{
    const int64_t floats = POOL_ROW_WINDOWS - 32;
    plan->segment = 0;
    if (plan->heights <= POOL_DIRECT) return floats;
    const int64_t segment = pool_root(plan->heights);
    const int64_t rows = segment + (plan->heights + segment - 1) / segment + 2;
    if (POOL_TALL_FLOATS / rows < POOL_MIN_FLOATS) return floats;
    plan->segment = (int)segment;
    return pool_min(floats, POOL_TALL_FLOATS / rows - 16);
}

/* Tiles where so many windows hold a cell that not even those of one cell fit a row: of one channel
 * each, so that they are the same along the width for every layout: the order of the sum goes by
 * them. */
static inline void pool_cut_wide(struct pool_plan *plan, int64_t floats)
{
    const int64_t stride = plan->width.stride, cells = POOL_CELLS_FLOATS;
    plan->steps = (int)(floats / 2);
    plan->tile_channels = 1;
    plan->channel_tiles = plan->channels;
    pool_tile_cells(plan, cells / stride < plan->steps - 1 ? cells : (plan->steps - 1) * stride);
}

/* Tiles for the way through buffers. */
static inline void pool_cut_any(struct pool_plan *plan)
{
    const struct pool_axis *width = &plan->width;
    const int64_t floats = pool_row_floats(plan);
    const int64_t most = pool_min(width->most, width->out);
    if (floats < width->most + 2) {
        pool_cut_wide(plan, floats);
        return;
    }
    int64_t channels = pool_min(floats / (2 * most + 8), floats / (width->most + 2));
    channels = pool_max(channels, 1);
    if (channels > 16) channels -= channels % 16;
    plan->tile_channels = pool_min(channels, plan->channels);
    plan->channel_tiles = (plan->channels + plan->tile_channels - 1) / plan->tile_channels;
    const int64_t windows = floats / plan->tile_channels - width->most - 1;
    const int64_t cells = POOL_CELLS_FLOATS / plan->tile_channels;
    pool_tile_cells(plan, cells / width->stride < windows ? cells : windows * width->stride);
}

/* Tiles for sums in registers. */
static inline void pool_cut_fused(struct pool_plan *plan)
{
    const int64_t stride = plan->width.stride, windows = POOL_ROW_WINDOWS - 8;
    int64_t cells = plan->width.in;
    if (plan->way == POOL_RUNS) {
        cells = pool_min(cells, 8 * POOL_CELLS_FLOATS);
    } else if (plan->way == POOL_CHANNELS) {
        plan->channel_tiles = (plan->channels + POOL_CELLS_FLOATS - 1) / POOL_CELLS_FLOATS;
        const int64_t even = (plan->channels + plan->channel_tiles - 1) / plan->channel_tiles;
        plan->tile_channels = pool_min((even + 31) / 32 * 32, plan->channels);
        plan->channel_tiles = (plan->channels + plan->tile_channels - 1) / plan->tile_channels;
        /* One row is all there is: pieces of it are what threads share. */
        if (plan->height.in == 1)
            cells = pool_min(cells, pool_max(POOL_GRAIN / plan->tile_channels, stride));
    }
    if (cells / stride > windows) cells = windows * stride;
    if (cells < plan->width.in && cells > stride) cells -= cells % stride;
    /* Every tile begins at the same place in a vector. */
    if (plan->way == POOL_RUNS && cells < plan->width.in && (cells - 1) / POOL_EVEN >= stride)
        cells -= cells % (stride * POOL_EVEN);
    pool_tile_cells(plan, cells);
}

/* Are windows over a cell so few that they are summed in registers? */
static inline bool pool_is_fused(const struct pool_plan *plan)
{
    return plan->depth.most == 1 && plan->height.most <= POOL_FUSED &&
           plan->width.most <= POOL_FUSED;
}

/* Do windows lie side by side, with all of those there that cells lie in? */
static inline bool pool_is_apart(const struct pool_plan *plan)
{
    const struct pool_axis *width = &plan->width, *height = &plan->height;
    return height->most == 1 && height->rest == height->stride && width->most == 1 &&
           width->rest == width->stride &&
           (width->in - 1 + width->pad) / width->stride < width->out;
}

/* One channel: do three windows lie over a cell, its own, the one before and the one behind? */
static inline bool pool_is_flat(const struct pool_plan *plan)
{
    const struct pool_axis *width = &plan->width;
    return width->stride == 1 && plan->height.stride == 1 && width->in == width->out &&
           width->most == POOL_FUSED && plan->height.most == POOL_FUSED && width->pad == 1 &&
           width->in <= POOL_FLAT_CELLS;
}

static inline bool pool_is_flat_two(const struct pool_plan *plan)
{
    const struct pool_axis *width = &plan->width, *height = &plan->height;
    return width->stride == 2 && width->kernel == 3 && width->pad <= 1 &&
           width->in == 2 * width->out && width->out >= POOL_EVEN / 2 &&
           width->in <= POOL_FLAT_CELLS && height->stride == 2 && height->kernel == 3;
}

static inline bool pool_repeats(const struct pool_plan *plan)
{
    const struct pool_axis *width = &plan->width, *height = &plan->height;
    return pool_tiles(width) && width->kernel == 2 && width->in <= POOL_FLAT_CELLS &&
           pool_tiles(height) && height->kernel > 1;
}

/* Is no factor below 2^-16? */
static inline bool pool_is_moderate(const struct pool_plan *plan, const struct k_pool *pool)
{
    if (pool->divisor != 0) return pool->divisor <= 1 << 16 && pool->divisor >= -(1 << 16);
    return plan->depth.kernel <= 1 << 12 && plan->height.kernel <= 3 && plan->width.kernel <= 3;
}

/* Several channels: windows of three along the width, one or two steps apart, up to three or two
 * rows of them over a cell? Of f16 and bf16 no factor may be small. */
static inline bool pool_slides(const struct pool_plan *plan, const struct k_pool *pool,
                               int64_t element)
{
    const struct pool_axis *width = &plan->width, *height = &plan->height;
    if (width->kernel != 3 || (element < 4 && !pool_is_moderate(plan, pool))) return false;
    return width->stride == 1 || (width->stride == 2 && height->most <= 2);
}

/* element: bytes of one. */
static inline enum pool_way pool_choose(const struct pool_plan *plan, const struct k_pool *pool,
                                        int64_t element)
{
    const int64_t bytes = plan->channels * element;
    const bool is_single = plan->height.in == 1 && plan->height.out == 1 && plan->width.most == 1;
    if (!pool_is_fused(plan)) return POOL_ANY;
    if (plan->channels > 1) {
        if (plan->channels > 16 * POOL_CELLS_FLOATS) return POOL_ANY; /* tiles end with few */
        if (pool_is_apart(plan))
            return bytes >= POOL_WIDE || bytes == POOL_WIDE_APART ? POOL_CHANNELS : POOL_ANY;
        return bytes >= POOL_WIDE && pool_slides(plan, pool, element) ? POOL_CHANNELS : POOL_ANY;
    }
    if (pool_is_flat(plan)) return POOL_FLAT;
    if (pool_is_flat_two(plan)) return POOL_FLAT_TWO;
    if (pool_repeats(plan)) return POOL_REPEATS;
    return is_single && plan->width.stride > 2 ? POOL_RUNS : POOL_ANY;
}

static inline void pool_count_items(struct pool_plan *plan)
{
    plan->items =
        plan->outer * plan->depth.in * plan->channel_tiles * plan->cell_tiles * plan->height.in;
}

/* Tiles for the way that takes every problem. */
static inline void pool_plan_any(struct pool_plan *plan)
{
    plan->cell_tiles = plan->channel_tiles = 1;
    plan->tile_channels = plan->channels;
    plan->cells = plan->width.in;
    pool_cut_any(plan);
    pool_count_items(plan);
}

static inline struct pool_plan pool_plan(const struct k_pool *pool, int64_t element)
{
    struct pool_plan plan = {.depth = pool_axis(pool, 0),
                             .height = pool_axis(pool, 1),
                             .width = pool_axis(pool, 2),
                             .outer = pool->outer,
                             .channels = pool->channels};
    const int64_t cells = plan.depth.in * plan.height.in * plan.width.in;
    if (pool->outer == 0 || pool->channels == 0 || cells == 0) return plan;
    pool_join(&plan);
    pool_count(&plan.depth);
    pool_count(&plan.height);
    pool_count(&plan.width);
    const struct pool_axis *width = &plan.width;
    plan.cell_tiles = plan.channel_tiles = 1;
    plan.tile_channels = plan.channels;
    plan.cells = width->in;
    plan.heights = (int)pool_min(pool_min(plan.height.most, plan.height.out), POOL_MOST_ROWS);
    plan.way = pool_choose(&plan, pool, element);
    if (plan.way == POOL_ANY)
        pool_cut_any(&plan);
    else
        pool_cut_fused(&plan);
    pool_count_items(&plan);
    return plan;
}

#endif
