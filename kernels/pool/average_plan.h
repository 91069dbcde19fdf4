/* SPDX-License-Identifier: Apache-2.0 */
/* How averages are walked: shared by the planner (average_shape.c) and the kernel of every level.
 * A column is a tile of the output's row, walked down the height; items are rows of columns,
 * ordered (outer, depth, channel tile, cell tile, height). */
#ifndef ACLNN_CPU_KERNELS_POOL_AVERAGE_PLAN_H
#define ACLNN_CPU_KERNELS_POOL_AVERAGE_PLAN_H

#include "kernels/pool/k_average.h"
#include "kernels/pool/pool_plan.h"

enum {
    AVG_FLOATS = 8192,       /* a row of sums, in L1 */
    AVG_RING_FLOATS = 32768, /* rows of sums over the depth, in L2 */
    AVG_RING_ROWS = 192,     /* taller windows sum over the depth anew for each row of outputs */
    AVG_RING_SLACK = 16,
    AVG_COLUMNS = 512,   /* outputs of a tile, or cells of it */
    AVG_PICKS = 1024,    /* cells, sums or outputs of a plane that is added as a whole */
    AVG_BLOCK = 8,       /* terms are added in blocks of so many, the blocks' sums one by one */
    AVG_UNIFORM = 64,    /* widest window that is summed with the padding's cells */
    AVG_WIDE = 16,       /* channels from which vectors run along them */
    AVG_CELLS = 16,      /* outputs a tile should have at least, channels are cut for it */
    AVG_SLACK = 128,     /* floats behind a row that may be read or overwritten */
    AVG_BATCH = 1024,    /* inputs of rows that are done at once */
    AVG_DIRECT = 3,      /* kernel of windows that are summed from the input's cells, */
    AVG_DIRECT_BINS = 4, /* extent of bins */
    MEAN_CHANNELS = 512, /* of an item of mean */
};

struct avg_axis {
    enum k_span span;
    int64_t in, out, kernel, stride, dilation, pad, limit;
    int64_t step, common, inverse; /* of taps: windows o of a cell are step apart */
    bool uniform;                  /* windows of kernel terms, the padding's included */
    bool tiles;                    /* windows cut the input into whole pieces */
};

struct avg_range {
    int64_t first, count; /* inputs first, first + step, ... */
};

struct avg_plan {
    struct avg_axis depth, height, width;
    int64_t outer, channels;
    bool wide;     /* vectors run along the channels */
    bool plain;    /* outputs read the row of sums at a step of 1 or 2 floats, all alike */
    bool gathered; /* the terms of one output are too many for a row: in pieces */
    bool deep;     /* several depths: their sums wait in a ring */
    bool kept;     /* the ring holds all rows of a window */
    bool spans;    /* rows done at once may go on in the next column: all are alike */
    int ring_rows;
    int64_t cells, cell_tiles, tile_channels, channel_tiles, items;
    bool joined;     /* the sums of rows done at once are one row, as are their outputs */
    bool simple;     /* a row of sums is that of few rows of the input */
    bool sequential; /* every row of the input is added once */
    int64_t batch;   /* rows done at once */
    int64_t pitch;   /* floats of a row of sums */
    bool planes;     /* small ones, added as a whole; items are planes */
    bool direct;     /* many channels, small windows: without rows of sums, not in tiles */
};

static inline int64_t avg_ceil(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

/* floor(i * a / b) */
static inline int64_t avg_share(int64_t i, int64_t a, int64_t b)
{
    if ((i | a) >> 31 == 0) return i * a / b;
    return (int64_t)((__int128)i * a / b);
}

static inline struct avg_range avg_range(const struct avg_axis *a, int64_t i)
{
    struct avg_range range = {0, 0};
    int64_t end;
    if (a->span == K_SPAN_BINS) {
        range.first = avg_share(i, a->in, a->out);
        end = a->in - avg_share(a->out - 1 - i, a->in, a->out);
        range.count = end - range.first;
    } else if (a->span == K_SPAN_WINDOWS) {
        const int64_t start = i * a->stride - a->pad;
        range.first = pool_max(start, 0);
        range.count = pool_max(pool_min(start + a->kernel, a->in) - range.first, 0);
    } else {
        const int64_t q = i + a->pad, low = q - (a->kernel - 1) * a->dilation;
        const int64_t least = low > 0 ? avg_ceil(low, a->stride) : 0;
        const int64_t most = pool_min(q / a->stride, a->in - 1);
        if (q % a->common != 0 || least > most) return range;
        const int64_t place = (int64_t)((__int128)(q / a->common) * a->inverse % a->step);
        range.first = least + ((place - least) % a->step + a->step) % a->step;
        range.count = range.first > most ? 0 : (most - range.first) / a->step + 1;
    }
    return range;
}

/* How many cells count in window or bin o; 0: none of it lies in the input. */
static inline double avg_size(const struct avg_axis *a, bool gradient, bool count_padding,
                              int64_t o)
{
    if (a->span == K_SPAN_BINS) {
        const int64_t cells = gradient ? a->out : a->in, bins = gradient ? a->in : a->out;
        return (double)(cells - avg_share(bins - 1 - o, cells, bins) - avg_share(o, cells, bins));
    }
    const int64_t start = o * a->stride - a->pad;
    if (a->span == K_SPAN_WINDOWS) {
        const int64_t end = pool_min(start + a->kernel, a->limit);
        return (double)(end - (count_padding ? start : pool_max(start, 0)));
    }
    const int64_t first = count_padding || start >= 0 ? 0 : avg_ceil(-start, a->dilation);
    if (start >= a->limit) return 0;
    const int64_t last = pool_min((a->limit - 1 - start) / a->dilation, a->kernel - 1);
    return (double)pool_max(last - first + 1, 0);
}

/* At least as many inputs as the ranges of `outputs` neighbours span. */
static inline int64_t avg_span(const struct avg_axis *a, int64_t outputs)
{
    if (a->span == K_SPAN_BINS) return pool_min(avg_share(outputs, a->in, a->out) + 2, a->in);
    if (a->span == K_SPAN_TAPS)
        return pool_min((outputs + (a->kernel - 1) * a->dilation) / a->stride + 2, a->in);
    if (a->uniform) return (outputs - 1) * a->stride + a->kernel;
    if (a->kernel >= a->in || outputs - 1 > a->in / a->stride) return a->in;
    return pool_min((outputs - 1) * a->stride + a->kernel, a->in);
}

static inline struct avg_axis avg_axis(const struct k_average *average, int axis)
{
    struct avg_axis a = {.span = average->span[axis],
                         .in = average->input[axis],
                         .out = average->output[axis],
                         .kernel = average->kernel[axis],
                         .stride = average->stride[axis],
                         .dilation = average->dilation[axis],
                         .pad = average->pad_begin[axis],
                         .step = 1,
                         .common = 1};
    const int64_t cells = a.span == K_SPAN_TAPS ? a.out : a.in;
    const int64_t windows = a.span == K_SPAN_TAPS ? a.in : a.out;
    if (a.span == K_SPAN_BINS) return a;
    const int64_t padded = a.pad + cells + average->pad_end[axis];
    a.limit = cells + (average->count_padding ? average->pad_end[axis] : 0);
    a.kernel = pool_min(a.kernel, (padded - 1) / a.dilation + 1);   /* further taps meet nothing */
    if (windows == 1) a.stride = pool_max(a.kernel, cells + a.pad); /* any stride says the same */
    a.uniform = a.span == K_SPAN_WINDOWS && a.kernel <= AVG_UNIFORM;
    a.tiles = a.uniform && a.pad == 0 && a.stride == a.kernel && a.in == a.out * a.kernel;
    if (a.span == K_SPAN_WINDOWS) return a;
    int64_t rest = a.dilation, divisor = a.stride;
    while (rest != 0) {
        const int64_t next = divisor % rest;
        divisor = rest, rest = next;
    }
    a.common = divisor;
    a.step = a.dilation / divisor;
    /* The inverse of stride / common modulo step, by Euclid. */
    int64_t r0 = a.step, r1 = a.stride / divisor % a.step, t0 = 0, t1 = 1;
    while (r1 != 0) {
        const int64_t q = r0 / r1, r = r0 - q * r1, t = t0 - q * t1;
        r0 = r1, r1 = r, t0 = t1, t1 = t;
    }
    a.inverse = a.step == 1 ? 0 : (t0 + a.step) % a.step;
    return a;
}

/* Whether an output may add several inputs. */
static inline bool avg_adds(const struct avg_axis *a)
{
    if (a->in == 1) return false;
    return a->span == K_SPAN_BINS ? a->in != a->out : a->kernel > 1;
}

static inline void avg_ring(struct avg_plan *plan, int64_t *floats)
{
    const int64_t span = avg_span(&plan->height, 1);
    plan->kept = span <= AVG_RING_ROWS;
    plan->ring_rows = plan->kept ? (int)pool_max(span, AVG_BLOCK) : AVG_BLOCK;
    *floats = pool_min(*floats, AVG_RING_FLOATS / plan->ring_rows - AVG_RING_SLACK);
}

/* From a row of sums to the next one: padding in front is rounded up, a vector may be written
 * behind. */
static inline int64_t avg_row_floats(int64_t pitch)
{
    return (pitch + 3 * 16) / 16 * 16;
}

/* Planes of one channel that fit into a few vectors, of ranges that differ from output to output.
 */
static inline bool avg_takes_planes(const struct avg_plan *plan)
{
    const struct avg_axis *height = &plan->height, *width = &plan->width;
    return plan->channels == 1 && plan->depth.in == 1 && plan->depth.out == 1 &&
           avg_range(&plan->depth, 0).count == 1 && !width->uniform &&
           height->in * width->in <= AVG_PICKS && height->out * width->in <= AVG_PICKS &&
           height->out * width->out <= AVG_PICKS;
}

/* Does every output add a few inputs, next to each other, and at least one? */
static inline bool avg_adds_few(const struct avg_axis *a)
{
    if (a->span == K_SPAN_BINS) return avg_span(a, 1) <= AVG_DIRECT_BINS;
    if (a->span == K_SPAN_TAPS)
        return a->kernel == a->stride && a->dilation == 1 && a->pad == 0 &&
               a->out == a->in * a->kernel;
    return a->kernel <= AVG_DIRECT && a->pad < a->kernel &&
           (a->out - 1) * a->stride - a->pad < a->in;
}

/* Gradients: every output along the depth adds one input. */
static inline bool avg_is_direct(const struct avg_plan *plan, const struct k_average *average)
{
    const struct avg_axis *depth = &plan->depth;
    const bool single = depth->in == 1 && depth->out == 1 && avg_range(depth, 0).count == 1;
    return average->rounding == K_ROUND_NONE &&
           plan->channels >= (average->gradient ? (int)POOL_EVEN : (int)AVG_WIDE) &&
           plan->width.out <= AVG_COLUMNS &&
           (!average->gradient || plan->width.in <= AVG_COLUMNS) &&
           (single || !average->gradient) && avg_adds_few(depth) && avg_adds_few(&plan->height) &&
           avg_adds_few(&plan->width);
}

static inline void avg_join_axis(struct avg_axis *axis, int64_t outer)
{
    axis->in *= outer;
    axis->out *= outer;
    axis->limit = axis->in;
}

/* Axes that windows cut into whole pieces join the axis outside of them. */
static inline void avg_join(struct avg_plan *plan)
{
    struct avg_axis *depth = &plan->depth, *height = &plan->height;
    if (!depth->tiles || !height->tiles || !plan->width.uniform) return;
    avg_join_axis(depth, plan->outer);
    plan->outer = 1;
    plan->spans = plan->simple && plan->deep;
    if (depth->kernel > 1) return;
    avg_join_axis(height, depth->out);
    depth->in = depth->out = depth->limit = 1;
}

static inline struct avg_plan avg_plan_axes(const struct k_average *average)
{
    return (struct avg_plan){.depth = avg_axis(average, 0),
                             .height = avg_axis(average, 1),
                             .width = avg_axis(average, 2),
                             .outer = average->outer,
                             .channels = average->channels};
}

static inline bool avg_is_empty(const struct avg_plan *plan)
{
    return plan->outer == 0 || plan->channels == 0 ||
           plan->depth.out * plan->height.out * plan->width.out == 0;
}

static inline struct avg_plan avg_plan(const struct k_average *average)
{
    struct avg_plan plan = avg_plan_axes(average);
    if (avg_is_empty(&plan)) return plan;
    int64_t floats = AVG_FLOATS;
    plan.deep = avg_adds(&plan.depth);
    if (plan.deep) avg_ring(&plan, &floats);
    plan.wide = plan.channels >= AVG_WIDE;
    plan.tile_channels = plan.channels;
    if (plan.wide) {
        const int64_t want = avg_span(&plan.width, pool_min(AVG_CELLS, plan.width.out));
        int64_t most = pool_min(pool_max(floats / want, 4 * AVG_WIDE), floats / AVG_BLOCK);
        most = most / AVG_WIDE * AVG_WIDE;
        plan.tile_channels = pool_min(plan.channels, most);
    }
    plan.direct = average->way == K_AVERAGE_CELLS;
    if (plan.direct) plan.tile_channels = plan.channels;
    plan.channel_tiles = avg_ceil(plan.channels, plan.tile_channels);
    plan.cells = pool_min(plan.width.out, AVG_COLUMNS / (plan.wide ? 1 : plan.channels));
    while (!plan.direct && plan.cells > 1 &&
           avg_span(&plan.width, plan.cells) > floats / plan.tile_channels)
        plan.cells = (plan.cells + 1) / 2;
    plan.gathered = !plan.direct && avg_span(&plan.width, plan.cells) > floats / plan.tile_channels;
    plan.cell_tiles = avg_ceil(plan.width.out, plan.cells);
    plan.cells = avg_ceil(plan.width.out, plan.cell_tiles);
    plan.pitch = plan.gathered ? AVG_BLOCK * plan.tile_channels
                               : avg_span(&plan.width, plan.cells) * plan.tile_channels;
    plan.plain = plan.width.uniform && !plan.wide && !plan.gathered &&
                 (plan.width.stride == 1 || (plan.width.stride == 2 && plan.channels == 1));
    plan.joined = plan.plain && plan.width.tiles && plan.cell_tiles == 1;
    plan.sequential = plan.height.span == K_SPAN_WINDOWS && !plan.deep && !average->gradient &&
                      plan.height.kernel <= plan.height.stride;
    plan.simple = plan.height.span == K_SPAN_WINDOWS && plan.height.kernel <= AVG_BLOCK &&
                  !average->gradient && average->rounding == K_ROUND_NONE;
    if (plan.deep)
        plan.simple = plan.simple && plan.depth.span == K_SPAN_WINDOWS &&
                      plan.depth.kernel <= AVG_DIRECT && plan.height.kernel <= AVG_DIRECT;
    plan.batch = 1;
    if (!plan.gathered) {
        const int64_t columns = plan.cells * (plan.wide ? 1 : plan.channels);
        const int64_t floats_of_row = plan.joined ? plan.pitch : avg_row_floats(plan.pitch);
        plan.batch = pool_max(AVG_BATCH / floats_of_row, 1);
        if (plan.joined) plan.batch = pool_max(pool_min(plan.batch, AVG_COLUMNS / columns), 1);
    }
    plan.items =
        plan.outer * plan.depth.out * plan.channel_tiles * plan.cell_tiles * plan.height.out;
    if (plan.cell_tiles == 1 && plan.channel_tiles == 1 && !plan.gathered) avg_join(&plan);
    plan.planes = average->way == K_AVERAGE_PLANES;
    if (plan.planes) plan.items = plan.outer;
    return plan;
}

#endif
