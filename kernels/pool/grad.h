/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one call of avg_pool_grad: the column in work and the factors of its windows. */
#ifndef ACLNN_CPU_KERNELS_POOL_GRAD_H
#define ACLNN_CPU_KERNELS_POOL_GRAD_H

#include "kernels/pool/k_pool.h"
#include "kernels/pool/pool_plan.h"
#include "kernels/pool/spread.h"
#include "kernels/vector/block.h"
#include "kernels/vector/masks.h"
#include "kernels/vector/outlet.h"
#include "kernels/vector/pairs.h"

enum { WIDTHS_ROOM = 2 * (POOL_ROW_WINDOWS + 6 * VL) };

/* What depends on a window's place along the width; tables as block_table makes them. */
struct widths {
    bool uniform;     /* every window has the same extent: it is part of the rows' factors */
    int period, turn; /* rows that follow each other: their length, VL % period */
    int first, real;  /* windows that the tables are of; real < 0: none */
    float plain[POOL_ROW_WINDOWS + 2 * VL]; /* a factor per window */
    float factors[WIDTHS_ROOM];             /* POOL_FLAT*: the same, repeated */
    struct k_masks ahead, behind;    /* POOL_FLAT: the newest window over a cell, the oldest one
                                        of three belongs to the cell's row */
    uint32_t near[2 * MASKS_PERIOD]; /* POOL_FLAT_TWO, for two rows of windows: ~0 for those whose
                                        neighbour is in their row */
};

_Static_assert((int)POOL_FLAT_CELLS <= (int)MASKS_PERIOD, "masks cover a row");

/* Rows [first, end) of dY. */
enum { ROW_FACTORS = 80 };
struct row_factors {
    int64_t depth, first, end;
    float of[ROW_FACTORS];
};

struct grad {
    const struct k_pool *pool;
    struct pool_plan plan;
    const char *dy, *dy_end;
    char *dx;
    bool contiguous; /* the items' cells follow each other in memory */
    bool moderate;   /* no factor is below 2^-16: f16 or bf16 times one is 0 only if it was 0 */
    bool pairs;      /* bf16 may be rounded by v_round_pairs */
    /* slide_native: none of the two rows of dY before this address is tiny; times not to try. */
    const char *watched;
    int wary;
    int64_t windows_of_channel;
    int64_t whole_low, whole_high;  /* rows of dY that reach beyond neither end of the height */
    int64_t whole_begin, whole_end; /* rows of dX whose windows are all there and whole */
    double width_size; /* of every window if they are uniform; else of most, or 1: its reciprocal
                          is part of the rows' factors, its ratio to a window's is the window's */
    float whole_factor;
    /* A store across two lines would wait for the streaming stores before it. */
    _Alignas(LINE_BYTES) float slots[POOL_FUSED * POOL_SLOT];

    /* The column in work. */
    int64_t outer, depth, first_cell, first_channel;
    int64_t depth_low;
    int depths;           /* planes of dY over this one of dX */
    int cells, channels;  /* of this tile */
    int64_t first_window; /* of those that cover it */
    int64_t lead;         /* windows missing before the first one */
    int64_t count;        /* windows from the first one to the last cell's newest */
    int64_t front;        /* cells before the column that the first window reaches */
    int real;             /* windows in memory */
    struct widths widths;
    struct row_factors row_factors;
    struct k_outlet outlet;
};

K_TEMPLATE
struct k_block grad_round(enum k_dtype dt, enum k_rounding rounding, struct k_block x)
{
    x.a = pool_round(dt, rounding, x.a);
    if (dt != K_F32) x.b = pool_round(dt, rounding, x.b);
    return x;
}

/* ---- factors ---- */

static inline double window_extent(const struct pool_axis *axis, bool count_padding, int64_t window)
{
    int64_t start = window * axis->stride - axis->pad;
    const int64_t end = pool_min(start + axis->kernel, axis->limit);
    if (!count_padding && start < 0) start = 0;
    return (double)(end - start);
}

/* The extent along the width that is part of the rows' factors. If all windows have at least half
 * of the kernel's, that is it: most windows then have the factor 1, and the others one of at most
 * 2, by which what a subnormal number lost cannot grow much. */
static inline double common_extent(const struct pool_axis *width, bool count_padding, bool whole)
{
    const double first = window_extent(width, count_padding, 0), kernel = (double)width->kernel;
    const double last = window_extent(width, count_padding, width->out - 1);
    if (whole) return kernel;
    if (width->out == 1) return first;
    return 2 * (first < last ? first : last) >= kernel ? kernel : 1;
}

/* Windows [*low, *high) have the whole kernel's extent. */
static inline void whole_windows(const struct pool_axis *axis, bool count_padding, int64_t *low,
                                 int64_t *high)
{
    const int64_t room = axis->limit + axis->pad - axis->kernel;
    *low = count_padding ? 0 : axis->pad / axis->stride + (axis->pad % axis->stride != 0);
    *high = room < 0 ? 0 : pool_min(room / axis->stride + 1, axis->out);
}

/* The factor of row `row` of dY in the depth-th plane, with the width's common part. */
static inline float factor_of(const struct grad *g, int depth, int64_t row)
{
    const bool padding = g->pool->count_padding;
    if (g->pool->divisor != 0) return (float)(1.0 / (double)g->pool->divisor);
    const double deep = window_extent(&g->plan.depth, padding, g->depth_low + depth);
    return (float)(1.0 / (deep * window_extent(&g->plan.height, padding, row) * g->width_size));
}

static inline void grad_begin(struct grad *g, enum k_dtype dt, const struct k_pool *pool,
                              const struct pool_plan *plan, void *const buf[])
{
    const struct pool_axis *height = &plan->height, *width = &plan->width;
    int64_t low, high;
    g->pool = pool;
    g->plan = *plan;
    g->dy = buf[K_AVG_POOL_GRAD_DY];
    g->dx = buf[K_AVG_POOL_GRAD_DX];
    g->moderate = pool_is_moderate(plan, pool);
    g->pairs = dt == K_BF16 && k_pairs_bf16();
    g->watched = NULL;
    g->wary = 0;
    g->contiguous = plan->channel_tiles == 1 && (plan->cell_tiles == 1 || height->in == 1);
    const int64_t windows = plan->outer * plan->depth.out * height->out * width->out;
    g->dy_end = g->dy + windows * plan->channels * k_size(dt);
    whole_windows(width, pool->count_padding, &low, &high);
    const bool whole = low == 0 && high == width->out;
    g->widths.uniform = pool->divisor != 0 || whole || width->out == 1;
    g->widths.real = -1;
    g->widths.period = g->widths.turn = 0;
    g->width_size = 1;
    if (pool->divisor == 0) g->width_size = common_extent(width, pool->count_padding, whole);
    whole_windows(height, pool->count_padding, &low, &high);
    if (pool->divisor != 0) low = 0, high = height->out;
    g->whole_low = low, g->whole_high = high;
    g->whole_begin = pool_max(height->kernel + (low - 1) * height->stride - height->pad, 0);
    g->whole_end = high * height->stride - height->pad;
    g->depth = g->row_factors.depth = -1;
}

/* ---- the column ---- */

static inline void channels_of_tile(struct grad *g, int64_t tile)
{
    const struct pool_plan *plan = &g->plan;
    g->first_channel = tile * plan->tile_channels;
    g->channels = (int)pool_min(plan->tile_channels, plan->channels - g->first_channel);
}

/* Windows [*low, *high] contain cell i; none if *low > *high. */
static inline void windows_of_cell(const struct pool_axis *axis, int64_t i, int64_t *low,
                                   int64_t *high)
{
    const int64_t q = i + axis->pad;
    *low = q < axis->kernel ? 0 : (q - axis->kernel) / axis->stride + 1;
    *high = pool_min(q / axis->stride, axis->out - 1);
}

/* Masks for rows of dX that follow each other, by the cell of which the window is the newest. */
static inline void widths_flat(struct widths *w, const struct pool_axis *width)
{
    uint8_t flags[MASKS_PERIOD];
    const int period = (int)width->in, pad = (int)width->pad, most = (int)width->most;
    w->period = period;
    w->turn = VL % period;
    for (int behind = 0; behind < 2; behind++) {
        for (int cell = 0; cell < period; cell++) {
            const int window = cell + pad - (behind ? most - 1 : 0);
            flags[cell] = window >= 0 && window < period;
        }
        masks_make(behind ? &w->behind : &w->ahead, flags, period);
    }
}

static inline void widths_twos(struct widths *w, const struct pool_axis *width)
{
    const int64_t period = width->out, alone = width->pad == 0 ? 0 : period - 1;
    memset(w->near, 0xff, (size_t)(2 * period + VL) * sizeof w->near[0]);
    for (int64_t i = alone; i < 2 * period + VL; i += period)
        w->near[i] = 0;
}

static inline float width_factor(const struct grad *g, int64_t window)
{
    return (float)(g->width_size / window_extent(&g->plan.width, g->pool->count_padding, window));
}

static inline void widths_make(struct grad *g)
{
    struct widths *w = &g->widths;
    const struct pool_axis *width = &g->plan.width;
    const int64_t first = g->first_window;
    if (w->real < 0 && g->plan.way == POOL_FLAT) widths_flat(w, width);
    if (w->real < 0 && g->plan.way == POOL_FLAT_TWO) widths_twos(w, width);
    w->first = (int)first;
    w->real = g->real;
    if (w->uniform) return;
    for (int i = 0; i < g->real; i++)
        w->plain[i] = width_factor(g, first + i);
    if (g->plan.way == POOL_FLAT) block_table(K_F32, w->factors, WIDTHS_ROOM, w->plain, g->real);
    if (g->plan.way == POOL_FLAT_TWO) {
        memcpy(w->plain + g->real, w->plain, (size_t)g->real * sizeof(float));
        block_table(K_F32, w->factors, WIDTHS_ROOM, w->plain, 2 * g->real);
    }
}

K_OUTLINE void column_begin(struct grad *g, int64_t column)
{
    const struct pool_plan *plan = &g->plan;
    const struct pool_axis *width = &plan->width;
    int64_t tile = 0, depth_high;
    if (plan->cell_tiles > 1) tile = column % plan->cell_tiles, column /= plan->cell_tiles;
    int64_t channel_tile = 0;
    if (plan->channel_tiles > 1)
        channel_tile = column % plan->channel_tiles, column /= plan->channel_tiles;
    const int64_t depth = plan->depth.in == 1 ? 0 : column % plan->depth.in;
    g->outer = plan->depth.in == 1 ? column : column / plan->depth.in;
    if (depth != g->depth) {
        g->depth = depth;
        windows_of_cell(&plan->depth, depth, &g->depth_low, &depth_high);
        g->depths = (int)pool_max(depth_high - g->depth_low + 1, 0);
        g->whole_factor = g->depths == 1 ? factor_of(g, 0, g->whole_low) : 0;
    }
    const bool alike = plan->cell_tiles == 1 && plan->channel_tiles == 1;
    if (alike && g->widths.real >= 0) return;
    channels_of_tile(g, channel_tile);
    g->first_cell = tile * plan->cells;
    g->cells = (int)pool_min(plan->cells, width->in - g->first_cell);
    const int64_t begin = g->first_cell + width->pad, end = begin + g->cells - 1;
    const int64_t before = begin / width->stride - width->most + 1;
    const int64_t first = pool_max(before, 0);
    g->first_window = first;
    g->lead = first - before;
    g->front = begin - first * width->stride;
    g->count = end / width->stride - first + 1;
    g->real = (int)pool_max(pool_min(end / width->stride, width->out - 1) - first + 1, 0);
    if (g->widths.real != g->real || g->widths.first != first) widths_make(g);
}

/* The first window of this column in a row of dY. */
static inline const char *row_of_dy(const struct grad *g, int64_t row, int64_t element)
{
    const struct pool_plan *plan = &g->plan;
    const int64_t at = (g->outer * plan->depth.out + g->depth_low) * plan->height.out + row;
    return g->dy +
           ((at * plan->width.out + g->first_window) * plan->channels + g->first_channel) * element;
}

static inline char *row_of_dx(const struct grad *g, int64_t row, int64_t element)
{
    const struct pool_plan *plan = &g->plan;
    const int64_t at = (g->outer * plan->depth.in + g->depth) * plan->height.in + row;
    return g->dx +
           ((at * plan->width.in + g->first_cell) * plan->channels + g->first_channel) * element;
}

#endif
