/* SPDX-License-Identifier: Apache-2.0 */
/* How the gradient of average pooling is walked: shared by the planner (pool_shape.c) and the
 * kernel of every level.
 *
 * Along one axis, cell i has the padded position i + p = s * j + c with 0 <= c < s, and lies in the
 * windows j - t, 0 <= t < n(c), where n(c) = ceil((k - c) / s): that is `most` for c < rest and
 * most - 1 for the others. */
#ifndef ACLNN_CPU_KERNELS_POOL_PLAN_H
#define ACLNN_CPU_KERNELS_POOL_PLAN_H

#include "kernels/k_pool.h"

enum {
    POOL_ROWS_FLOATS = 8192, /* the spread rows of dY, in L1 */
    POOL_LEAD = 512,         /* floats of spread rows made before they are needed */
    POOL_ROW_WINDOWS =
        1024,        /* windows of a row in work at once, times channels where they are buffered */
    POOL_DIRECT = 8, /* up to so many rows are added one by one */
    POOL_WINDOWS = 256, /* more windows over one cell take the plain path */
    POOL_SLACK = 160,   /* floats that may be written behind a row */
    POOL_REGISTER_WINDOWS = 4,
    POOL_REGISTER_STEP = 8,
    POOL_WIDE = 16,  /* channels from which vectors run along them */
    POOL_BLOCK = 32, /* most rows of dX made together, and their floats: */
    POOL_BLOCK_FLOATS = 512,
    POOL_RUN = 512, /* floats of dX written between one making of rows and the next, or one row */
    POOL_AHEAD = 1024, /* bytes that reads of dY are announced ahead */
    POOL_GRAIN = 1 << 14,
};

enum pool_way {
    POOL_PLAIN,    /* every window of every cell */
    POOL_RING,     /* rows of dY are spread into a ring, rows of dX are sums of them */
    POOL_STRAIGHT, /* at most one window over a cell, vectors along the channels: no ring */
    POOL_EXPAND,   /* at most one window over a cell, one channel: rows of dY become rows of dX */
    POOL_RUNS,     /* at most one window over a cell, one wide row: runs of one value */
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
    int64_t pitch; /* floats of a row of the ring */
    int rows;      /* of the ring that holds spread rows of dY */
    int heights;   /* most rows of dY that one row of dX adds */
    bool buffered; /* several channels, summed along the width through buffers */
    int block;     /* rows of dX made together */
    int ahead; /* rows made before they are needed: their stores have left the store queue when they
                  are read */
    enum pool_way way;
    bool registers; /* one channel; few windows along the width, a short step: sums in registers */
    bool zero_rows; /* height stride 1: rows beyond dY's ends count as zero, every sum has `heights`
                       terms */
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
    a->most = (a->kernel + a->stride - 1) / a->stride;
    a->rest = a->kernel - (a->most - 1) * a->stride;
}

/* Channels and cells of a tile, when several rows or windows meet in a cell. */
static inline void pool_cut_channels(struct pool_plan *plan)
{
    const struct pool_axis *width = &plan->width;
    int64_t floats = (POOL_ROWS_FLOATS - POOL_SLACK) / (plan->heights + 1);
    int64_t most = floats / 4;
    plan->buffered = width->most > POOL_REGISTER_WINDOWS || plan->channels < POOL_WIDE ||
                     (plan->channels > most && most < 4 * POOL_WIDE);
    if (plan->buffered) {
        floats = (POOL_ROWS_FLOATS - POOL_SLACK) / (plan->heights + 3);
        most = pool_max(pool_min(floats / 4, POOL_ROW_WINDOWS / (width->most + 4)), 1);
    }
    if (plan->channels > most) {
        const int64_t even = plan->buffered ? most : most - POOL_WIDE;
        plan->channel_tiles = (plan->channels + even - 1) / even;
        plan->tile_channels = most;
    }
    int64_t windows = plan->buffered ? POOL_ROW_WINDOWS / plan->tile_channels : POOL_ROW_WINDOWS;
    windows = pool_max(windows - width->most - 2, 1);
    plan->cells = pool_max(floats / plan->tile_channels, 1);
    if (plan->cells / width->stride > windows) plan->cells = windows * width->stride;
}

static inline void pool_tile_cells(struct pool_plan *plan)
{
    plan->cells = pool_min(plan->cells, plan->width.in);
    plan->cell_tiles = (plan->width.in + plan->cells - 1) / plan->cells;
    plan->cells = (plan->width.in + plan->cell_tiles - 1) / plan->cell_tiles;
    plan->pitch = plan->cells * plan->tile_channels;
    plan->block = (int)pool_max(pool_min(POOL_BLOCK_FLOATS / plan->pitch, POOL_BLOCK), 1);
}

/* Cells of an item where no ring is needed. */
static inline void pool_cut_single(struct pool_plan *plan)
{
    const int64_t stride = plan->width.stride, windows = POOL_ROW_WINDOWS - 4;
    plan->cells =
        plan->height.in == 1 ? pool_max(POOL_ROWS_FLOATS / plan->channels, 1) : plan->width.in;
    if (plan->way == POOL_EXPAND) plan->cells = pool_min(plan->cells, POOL_ROWS_FLOATS / 4);
    if (plan->cells / stride > windows) plan->cells = windows * stride;
    if (plan->cells > stride) plan->cells -= plan->cells % stride;
    pool_tile_cells(plan);
}

static inline enum pool_way pool_choose(const struct pool_plan *plan)
{
    if (plan->heights > POOL_WINDOWS || plan->width.most > POOL_WINDOWS ||
        plan->depth.most > POOL_DIRECT)
        return POOL_PLAIN;
    if (plan->depth.most > 1 || plan->height.most > 1 || plan->width.most > 1) return POOL_RING;
    if (plan->channels >= POOL_WIDE) return POOL_STRAIGHT;
    if (plan->channels > 1) return POOL_RING;
    if (plan->registers) return POOL_EXPAND;
    return plan->height.in == 1 && plan->height.out == 1 ? POOL_RUNS : POOL_RING;
}

static inline void pool_cut_ring(struct pool_plan *plan)
{
    const struct pool_axis *width = &plan->width;
    if (plan->channels == 1) {
        const int64_t floats = (POOL_ROWS_FLOATS - POOL_SLACK - 2 * POOL_LEAD - POOL_BLOCK_FLOATS) /
                               (plan->heights + 7);
        const int64_t windows = POOL_ROW_WINDOWS - 2 - width->most;
        plan->cells = floats / width->stride < windows ? floats : windows * width->stride;
    } else {
        pool_cut_channels(plan);
    }
    pool_tile_cells(plan);
    if (plan->channels > 1) plan->block = 1; /* their rows go line by line */
    if (plan->channels > 1 && !plan->buffered) {
        plan->rows = plan->heights + 1;
        return;
    }
    if (plan->channels == 1 && plan->heights <= POOL_DIRECT)
        plan->ahead = (int)((POOL_LEAD + plan->pitch - 1) / plan->pitch);
    const int64_t behind = (POOL_SLACK + plan->pitch - 1) / plan->pitch;
    plan->rows = (int)(plan->heights + 2 + behind + 2 * plan->ahead + plan->block);
    if (plan->zero_rows) /* room for long runs */
        plan->rows = (int)pool_max(plan->rows, POOL_ROWS_FLOATS / 2 / plan->pitch);
}

static inline struct pool_plan pool_plan(const struct k_pool *pool)
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
    plan.zero_rows = plan.height.stride == 1 && plan.height.most <= POOL_DIRECT;
    const int64_t heights =
        plan.zero_rows ? plan.height.most : pool_min(plan.height.most, plan.height.out);
    plan.cells = plan.width.in;
    plan.cell_tiles = plan.channel_tiles = 1;
    plan.tile_channels = plan.channels;
    plan.heights = (int)pool_min(heights, POOL_WINDOWS + 1);
    plan.registers = plan.channels == 1 && plan.width.most <= POOL_REGISTER_WINDOWS &&
                     plan.width.stride <= POOL_REGISTER_STEP;
    plan.way = pool_choose(&plan);
    if (plan.way == POOL_RING)
        pool_cut_ring(&plan);
    else if (plan.way != POOL_PLAIN)
        pool_cut_single(&plan);
    plan.items = plan.outer * plan.depth.in * plan.channel_tiles * plan.cell_tiles * plan.height.in;
    return plan;
}

#endif
