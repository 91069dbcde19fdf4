/* SPDX-License-Identifier: Apache-2.0 */
/* How max pooling and its gradients are walked: shared by the planner (max_pool_shape.c) and the
 * kernels of every level.
 *
 * Along one axis, cell i = stride * q + c (0 <= c < stride, the phase) is tap j of window q + e
 * with stride * e = c + pad - j * dilation; so each tap belongs to one phase, with one shift e.
 * Seen from the window, tap j is cell stride * (o + f) + c with stride * f + c = j * dilation -
 * pad: then f = -e. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_POOL_PLAN_H
#define ACLNN_CPU_KERNELS_POOL_MAX_POOL_PLAN_H

#include "kernels/pool/k_max_pool.h"

enum {
    MAX_TAPS = 64,   /* of a window; gradients of larger ones are scattered */
    MAX_SIDE = 16,   /* taps along one axis of a window whose gradient is gathered */
    MAX_STRIDE = 8,  /* along the width; longer ones take the plain path */
    MAX_RING = 8192, /* windows of the ring: codes and values, 64 KiB */
    MAX_RING_WANTED = 3072,
    MAX_ROW = 1920,      /* elements of a row of cells, or of windows, in work at once */
    MAX_SLACK = 64,      /* elements that may be read and written behind a row */
    MAX_SPLIT = 8192,    /* floats of a row of cells, split by phases */
    MAX_LANES = 512,     /* windows of a block, wanted */
    MAX_BLOCK = 4096,    /* cells of a block, at most */
    MAX_STRIP = 4,       /* rows of cells that may share the loads of their windows */
    MAX_WIDE = 16,       /* channels from which vectors run along them */
    MAX_AHEAD = 2560,    /* bytes that reads are announced ahead; */
    MAX_FAR = 8192,      /* rows of cells in planes, to the first cache */
    MAX_FOUND = 1 << 16, /* taps of windows by recompute, a byte each */
    MAX_GRAIN = 1 << 14,
    MAX_GLOBAL_TILE = 512, /* elements inside of max_global's axis that are an item */
    VOLUME_WINDOWS = 512,  /* of a small volume, at most; */
    VOLUME_CELLS = 4096,
    VOLUME_WIDTH = 32, /* cells of a row */
    FLAT_SIDE = 3,     /* taps of a window along its axes */
};

struct max_axis {
    int64_t in, out, kernel, stride, dilation, pad;
    int64_t low, high; /* least and largest shift e of a tap */
};

/* The taps of one axis by phases: those of phase c are [first[c], first[c + 1]), by rising shift.
 */
struct max_phases {
    int first[MAX_STRIDE + 1];
    int shift[MAX_SIDE], tap[MAX_SIDE];
};

static inline int64_t max_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t max_most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t max_floor_div(int64_t a, int64_t b)
{
    if (b == 1) return a; /* most are, and a division takes as long as a dozen additions */
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

static inline struct max_axis max_axis(const struct k_max_pool *pool, int axis)
{
    struct max_axis a = {.in = pool->input[axis],
                         .out = pool->output[axis],
                         .kernel = pool->kernel[axis],
                         .stride = pool->stride[axis],
                         .dilation = pool->dilation[axis],
                         .pad = pool->pad[axis]};
    if (a.out == 1) a.stride = 1; /* any stride says the same */
    a.low = -max_floor_div((a.kernel - 1) * a.dilation - a.pad, a.stride);
    a.high = -max_floor_div(-a.pad, a.stride);
    return a;
}

/* kernel <= MAX_SIDE, stride <= MAX_STRIDE. */
static inline void max_phases(const struct max_axis *a, struct max_phases *phases)
{
    int count = 0, shift[MAX_SIDE], phase[MAX_SIDE];
    for (int64_t j = 0; j < a->kernel; j++) {
        const int64_t cell = j * a->dilation - a->pad, group = max_floor_div(cell, a->stride);
        phase[j] = (int)(cell - group * a->stride);
        shift[j] = (int)-group;
    }
    for (int c = 0; c < a->stride; c++) {
        phases->first[c] = count;
        for (int j = (int)a->kernel - 1; j >= 0; j--) {
            if (phase[j] != c) continue;
            phases->shift[count] = shift[j];
            phases->tap[count++] = j;
        }
    }
    phases->first[a->stride] = count;
}

/* A row is cut into tiles of channels and, along the width, of windows (max_pool) or cells. */
struct max_tiles {
    int64_t tile, tiles;           /* windows or cells */
    int64_t channels, of_channels; /* of a tile; how many tiles */
};

struct max_plan {
    struct max_axis depth, height, width;
    int64_t outer, channels;
    struct max_tiles tiles;
    int64_t items; /* rows of tiles, ordered (outer, depth, channel tile, width tile, height) */
    int64_t pitch; /* gradient: elements of a row of the ring */
    int rows;      /* gradient: rows of the ring, for each of the depths over a cell */
    /* One channel: rows of windows lie one behind the other, and rows of cells are made `block`
     * groups (of as many rows as the stride) at a time. A row has room for all its cells' windows,
     * so those beside a row's ends, which belong to other rows, never have a place that the cell
     * compares with: places need no gaps. 0: row by row. */
    int64_t block;
    int64_t planes; /* in a block, if more than one; `block` is then all their groups */
    int64_t groups; /* of rows of a plane */
    bool volumes;   /* one channel, small volumes (kernels/pool/max_grad_volumes.h) */
    bool wide;      /* whole rows, vectors along the channels of memory */
    bool fast;      /* vectors; else the plain path */
};

static inline void max_tile_width(struct max_tiles *t, int64_t extent, int64_t most, int64_t step)
{
    t->tiles = (extent + most - 1) / most;
    t->tile = (extent + t->tiles - 1) / t->tiles;
    t->tile = (t->tile + step - 1) / step * step;
    t->tiles = (extent + t->tile - 1) / t->tile;
}

static inline void max_tile_channels(struct max_tiles *t, int64_t extent, int64_t most)
{
    const int64_t step = most >= MAX_SLACK ? MAX_SLACK : 1;
    t->of_channels = (extent + most - 1) / most;
    t->channels = (extent + t->of_channels - 1) / t->of_channels;
    t->channels = max_least((t->channels + step - 1) / step * step, most);
    t->of_channels = (extent + t->channels - 1) / t->channels;
}

/* Elements per phase of a split row of `windows` windows. */
static inline int64_t max_split_pitch(const struct max_axis *width, int64_t windows,
                                      int64_t channels)
{
    return (windows + width->high - width->low) * channels + MAX_SLACK;
}

/* Windows of a row that fit the buffers of max_pool, for so many channels; 0: none. */
static inline int64_t max_windows_fit(const struct max_axis *width, int64_t channels)
{
    const int64_t room = (MAX_SPLIT / width->stride - MAX_SLACK) / channels;
    return max_least(room - (width->high - width->low), MAX_ROW / channels);
}

static inline struct max_plan max_plan_axes(const struct k_max_pool *pool)
{
    return (struct max_plan){.depth = max_axis(pool, 0),
                             .height = max_axis(pool, 1),
                             .width = max_axis(pool, 2),
                             .outer = pool->outer,
                             .channels = pool->channels};
}

/* Most channels <= the tensor's for which `fit` has room, by halves; 0: none. */
static inline int64_t max_channels_fit(int64_t channels, const struct max_axis *width,
                                       int64_t fit(const struct max_axis *, int64_t))
{
    while (channels > MAX_WIDE && fit(width, channels) < 1)
        channels = (channels + 1) / 2;
    return fit(width, channels) < 1 ? 0 : channels;
}

static inline struct max_plan max_plan(const struct k_max_pool *pool)
{
    struct max_plan plan = max_plan_axes(pool);
    const int64_t plane = plan.depth.in * plan.height.in * plan.width.in;
    const int64_t windows = plan.depth.out * plan.height.out * plan.width.out;
    if (plan.outer == 0 || plan.channels == 0 || plane == 0 || windows == 0) return plan;
    if (plane > INT32_MAX) return plan;
    plan.wide = plan.channels >= MAX_WIDE;
    if (plan.wide) {
        plan.fast = true;
        plan.tiles = (struct max_tiles){plan.width.out, 1, plan.channels, 1};
        plan.items = plan.outer * plan.depth.out * plan.height.out;
        return plan;
    }
    if (plan.width.stride > MAX_STRIDE) return plan;
    const int64_t channels = max_channels_fit(plan.channels, &plan.width, max_windows_fit);
    if (channels == 0) return plan;
    plan.fast = true;
    max_tile_channels(&plan.tiles, plan.channels, channels);
    max_tile_width(&plan.tiles, plan.width.out, max_windows_fit(&plan.width, plan.tiles.channels),
                   1);
    plan.items =
        plan.outer * plan.depth.out * plan.tiles.of_channels * plan.tiles.tiles * plan.height.out;
    return plan;
}

/* Cells from a window's first tap to its last one. */
static inline int64_t max_span(const struct max_axis *a)
{
    return (a->kernel - 1) * a->dilation + 1;
}

/* The least power of two that is not less than n. */
static inline int64_t max_power(int64_t n)
{
    int64_t power = 1;
    while (power < n)
        power *= 2;
    return power;
}

/* Do a window's taps lie within MAX_SIDE cells? Sizes may be as large as numbers go. */
static inline bool max_is_near(const struct max_axis *a)
{
    return a->kernel <= MAX_SIDE && (a->kernel == 1 || a->dilation < MAX_SIDE) &&
           max_span(a) <= MAX_SIDE;
}

/* One channel: can the windows be found along rows, then over them (kernels/pool/max_rows.h)? */
static inline bool max_by_rows(const struct max_plan *plan)
{
    const struct max_axis *depth = &plan->depth, *height = &plan->height, *width = &plan->width;
    return plan->channels == 1 && (width->dilation == 1 || width->kernel == 1) &&
           width->stride <= 2 && width->kernel <= MAX_SIDE && max_is_near(depth) &&
           max_is_near(height) && plan->tiles.tiles == 1 &&
           width->out <= MAX_RING / MAX_SIDE - 16 &&
           max_power(max_span(depth)) * max_power(max_span(height)) * (width->out + 16) <= MAX_RING;
}

static inline bool max_can_gather(const struct max_plan *plan)
{
    const struct max_axis *const axes[] = {&plan->depth, &plan->height, &plan->width};
    int64_t taps = 1;
    for (int i = 0; i < K_MAX_POOL_AXES; i++) {
        if (axes[i]->kernel > MAX_SIDE || axes[i]->stride > MAX_STRIDE) return false;
        taps *= axes[i]->kernel;
    }
    return taps <= MAX_TAPS && plan->depth.in * plan->height.in * plan->width.in <= INT32_MAX;
}

/* Most depths over a cell. */
static inline int max_depths(const struct max_axis *depth)
{
    int most = 0;
    struct max_phases phases;
    max_phases(depth, &phases);
    for (int c = 0; c < depth->stride; c++)
        if (phases.first[c + 1] - phases.first[c] > most)
            most = phases.first[c + 1] - phases.first[c];
    return most;
}

/* Cells of a row, `pitch` being the room of a row of windows; 0: none. */
static inline int64_t max_cells_fit(const struct max_plan *plan, int64_t pitch, int64_t channels)
{
    const struct max_axis *width = &plan->width;
    const int64_t windows = (pitch - MAX_SLACK) / channels - (width->high - width->low);
    return max_least(windows * width->stride,
                     max_most(MAX_ROW / channels / width->stride * width->stride, width->stride));
}

/* Lanes in front of and behind a block that its terms may reach. */
static inline int64_t max_guard(const struct max_plan *plan)
{
    return max_most(plan->width.high, -plan->width.low) + MAX_SLACK;
}

static inline void max_plan_block(struct max_plan *plan, int depths)
{
    const struct max_axis *height = &plan->height, *width = &plan->width;
    const int64_t span = height->high - height->low, stride = width->stride;
    const int64_t pitch = max_most(width->out, (width->in + stride - 1) / stride);
    const int64_t cells = height->stride * pitch * stride; /* of a group */
    if (plan->channels != 1 || cells > MAX_BLOCK || width->in > MAX_ROW || depths == 0) return;
    /* A place must be that of one tap: a window wider than a row would reach around it. */
    if ((width->kernel - 1) * width->dilation >= width->in) return;
    const int64_t most = MAX_RING / depths - 2 * max_guard(plan);
    const int64_t groups =
        max_most(height->out, (height->in + height->stride - 1) / height->stride);
    const int64_t lanes = stride > 1 ? MAX_LANES / 2 : MAX_LANES; /* each makes more cells */
    int64_t block = max_least(max_most(lanes / pitch, 1), MAX_BLOCK / cells);
    block = max_least(max_least(block, most / pitch - span), MAX_RING / 2 / pitch - span);
    if (block < 1 || (block < span && block < groups)) return;
    plan->pitch = pitch;
    plan->groups = groups;
    plan->fast = true;
    plan->tiles = (struct max_tiles){width->in, 1, 1, 1};
    const bool planar = plan->depth.in == 1 && plan->depth.kernel == 1;
    /* No window may reach around a plane either. */
    const bool tall = groups * height->stride > (height->kernel - 1) * height->dilation;
    plan->planes = planar && tall ? block / groups : 0;
    if (plan->planes > 1) {
        plan->block = plan->planes * groups;
        plan->items = plan->outer;
        return;
    }
    plan->planes = 1;
    plan->block = max_least(block, groups);
    if (plan->block > MAX_STRIP) plan->block -= plan->block % MAX_STRIP;
    plan->items = plan->outer * plan->depth.in * height->in;
}

/* Windows of 2 or, padded by at most one cell, 3 by a step of 2. */
static inline bool max_is_of_twos(const struct max_axis *a)
{
    return a->stride == 2 && a->dilation == 1 &&
           ((a->kernel == 2 && a->pad == 0) || (a->kernel == 3 && a->pad <= 1));
}

/* One channel, indices: are whole volumes made, a row of cells after the other? */
static inline bool max_by_volumes(const struct max_plan *plan, const struct k_max_pool *pool)
{
    const struct max_axis *depth = &plan->depth, *height = &plan->height, *width = &plan->width;
    const int64_t windows = depth->out * height->out * width->out;
    return plan->channels == 1 && pool->index != K_INDEX_NONE &&
           pool->space != K_INDEX_OF_COLUMNS && width->in <= VOLUME_WIDTH &&
           max_is_of_twos(height) && max_is_of_twos(width) && height->kernel == width->kernel &&
           height->pad == width->pad && depth->kernel == depth->stride && depth->pad == 0 &&
           (depth->dilation == 1 || depth->kernel == 1) && depth->in <= VOLUME_CELLS &&
           height->in <= VOLUME_CELLS && depth->in * height->in * width->in <= VOLUME_CELLS &&
           windows > 0 && windows <= VOLUME_WINDOWS;
}

/* Windows of 3 by a step of one, as many as cells. */
static inline bool max_axis_is_flat(const struct max_axis *a)
{
    return a->kernel == FLAT_SIDE && a->stride == 1 && a->dilation == 1 && a->pad == 1 &&
           a->in == a->out && a->in >= FLAT_SIDE;
}

/* One channel, indices: are all planes made as one row of cells? */
static inline bool max_is_flat(const struct max_plan *plan, const struct k_max_pool *pool)
{
    const struct max_axis *depth = &plan->depth;
    return plan->channels == 1 && pool->index == K_INDEX_I32 && depth->kernel == 1 &&
           depth->in == depth->out && depth->stride == 1 && depth->pad == 0 &&
           max_axis_is_flat(&plan->height) && max_axis_is_flat(&plan->width);
}

/* The gradient's plan; items is of one row per outer when it is not gathered but scattered.
 * recompute: the indices are found in x. */
static inline struct max_plan max_grad_plan(const struct k_max_pool *pool, bool recompute)
{
    struct max_plan plan = max_plan_axes(pool);
    const int64_t cells = plan.depth.in * plan.height.in * plan.width.in;
    if (plan.outer == 0 || plan.channels == 0 || cells == 0) return plan;
    plan.items = plan.outer;
    if (!max_can_gather(&plan)) return plan;
    if (!recompute && max_by_volumes(&plan, pool)) {
        plan.fast = plan.volumes = true;
        return plan;
    }
    const struct max_axis *width = &plan.width;
    const int depths = max_depths(&plan.depth);
    plan.rows = (int)max_least(plan.height.high - plan.height.low + 1, MAX_RING);
    max_plan_block(&plan, depths);
    if (plan.block > 0 && !recompute) return plan;
    if (plan.block > 0 && max_windows_fit(width, 1) >= width->out) return plan;
    plan.block = 0;
    plan.fast = false;
    plan.wide = plan.channels >= MAX_WIDE && width->out <= MAX_RING / 2 &&
                (recompute ? plan.rows * (int64_t)depths <= MAX_FOUND / width->out / plan.channels
                           : pool->index != K_INDEX_NONE);
    if (plan.wide) {
        plan.fast = true;
        plan.tiles = (struct max_tiles){width->in, 1, plan.channels, 1};
        plan.items = plan.outer * plan.depth.in * plan.height.in;
        return plan;
    }
    const int64_t rows = max_most(plan.rows * (int64_t)depths, 1);
    const int64_t most = max_least(MAX_RING / rows, MAX_RING / 2);
    const int64_t halo = width->high - width->low;
    int64_t channels = plan.channels;
    while (channels > MAX_WIDE && (max_cells_fit(&plan, most, channels) < 1 || channels > MAX_ROW ||
                                   (recompute && max_windows_fit(width, channels) < 1 + halo)))
        channels = (channels + 1) / 2;
    max_tile_channels(&plan.tiles, plan.channels, channels);
    channels = plan.tiles.channels;
    const int64_t least = (1 + halo) * channels + MAX_SLACK; /* of a row of the ring */
    int64_t fit = max_cells_fit(
        &plan, max_least(max_most(MAX_RING_WANTED / rows, least + 4 * channels), most), channels);
    if (recompute) fit = max_least(fit, (max_windows_fit(width, channels) - halo) * width->stride);
    if (fit < 1) return plan;
    plan.fast = true;
    max_tile_width(&plan.tiles, width->in, fit, width->stride);
    const int64_t windows = (plan.tiles.tile + width->stride - 1) / width->stride + halo;
    plan.pitch = windows * channels + MAX_SLACK;
    plan.items =
        plan.outer * plan.depth.in * plan.tiles.of_channels * plan.tiles.tiles * plan.height.in;
    return plan;
}

/* Tiles of what is inside of max_global's axis. */
static inline int64_t max_global_tiles(const struct k_max_global *global)
{
    return (global->inner + MAX_GLOBAL_TILE - 1) / MAX_GLOBAL_TILE;
}

#endif
