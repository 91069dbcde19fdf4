/* SPDX-License-Identifier: Apache-2.0 */
/* How max pooling and its gradients are walked: shared by the planner (max_pool_plan.c) and the
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
    MAX_TAPS = 64,       /* of a window; gradients of larger ones are scattered */
    MAX_SIDE = 16,       /* taps along one axis of a window whose gradient is gathered */
    MAX_STRIDE = 8,      /* along the width; longer ones take the plain path */
    MAX_RING = 8192,     /* windows of the ring: codes and values, 64 KiB */
    MAX_ROW = 1920,      /* elements of a row of cells, or of windows, in work at once */
    MAX_SLACK = 64,      /* elements that may be read and written behind a row */
    MAX_SPLIT = 8192,    /* floats of a row of cells, split by phases */
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

/* Elements per phase of a split row of `windows` windows. */
static inline int64_t max_split_pitch(const struct max_axis *width, int64_t windows,
                                      int64_t channels)
{
    return (windows + width->high - width->low) * channels + MAX_SLACK;
}

static inline struct max_plan max_plan_axes(const struct k_max_pool *pool)
{
    return (struct max_plan){.depth = max_axis(pool, 0),
                             .height = max_axis(pool, 1),
                             .width = max_axis(pool, 2),
                             .outer = pool->outer,
                             .channels = pool->channels};
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

/* Windows of 2 or, padded by at most one cell, 3 by a step of 2. */
static inline bool max_is_of_twos(const struct max_axis *a)
{
    return a->stride == 2 && a->dilation == 1 &&
           ((a->kernel == 2 && a->pad == 0) || (a->kernel == 3 && a->pad <= 1));
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

/* One channel: windows of two cells side by side that do not overlap along the width? */
static inline bool max_is_apart(const struct max_plan *plan)
{
    const struct max_axis *width = &plan->width;
    return width->kernel == 2 && width->stride == 2 && width->dilation == 1 && width->pad == 0 &&
           width->in >= 2 * width->out;
}

/* Does each window of every depth lie inside the input? */
static inline bool max_is_deep_inside(const struct max_axis *depth)
{
    return depth->pad == 0 && (depth->out - 1) * depth->stride + max_span(depth) <= depth->in;
}

/* Cells by which the rows of windows of a depth, or of the next plane, begin further than a row
 * behind the last one. */
static inline int64_t max_jump(const struct max_plan *plan)
{
    const struct max_axis *depth = &plan->depth, *height = &plan->height;
    const int64_t stride = depth->out == 1 ? depth->in : depth->stride;
    return (stride * height->in - height->out * height->stride) * plan->width.in;
}

/* Such windows, of which rows of at most `lanes` share vectors (max_shared.h)? */
static inline bool max_is_shared(const struct max_plan *plan, int64_t lanes)
{
    const struct max_axis *depth = &plan->depth, *height = &plan->height;
    const int64_t taps = depth->kernel * height->kernel;
    return max_is_apart(plan) && plan->width.out <= lanes && height->pad == 0 &&
           (height->out - 1) * height->stride + max_span(height) <= height->in &&
           (taps == 2 || (taps == 4 && max_is_deep_inside(depth) && max_jump(plan) != 0));
}

/* Tiles of what is inside of max_global's axis. */
static inline int64_t max_global_tiles(const struct k_max_global *global)
{
    return (global->inner + MAX_GLOBAL_TILE - 1) / MAX_GLOBAL_TILE;
}

#endif
