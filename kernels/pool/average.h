/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one call of avg_pool: the column in work, its tables, the ring of rows summed over
 * the depth. Padding and what a range leaves out count as -0, which changes no sum. */
#ifndef ACLNN_CPU_KERNELS_POOL_AVERAGE_H
#define ACLNN_CPU_KERNELS_POOL_AVERAGE_H

#include "kernels/pool/average_plan.h"
#include "kernels/pool/spread.h"
#include "kernels/vector/outlet.h"

enum { AVG_SCALES = 8, AVG_FRONT = 16, LANES_MOST = 16 };

struct avg_scale {
    double size; /* of the windows, the width's part left out; 0: not made */
    float at[AVG_COLUMNS + AVG_FRONT];
};

/* Which floats of a row each output adds, vector by vector. */
struct picks {
    int columns;
    int64_t gap; /* from a term to the next */
    int32_t first[AVG_PICKS + AVG_FRONT], count[AVG_PICKS + AVG_FRONT];          /* of an output */
    int32_t base[AVG_PICKS / VL + AVG_FRONT], reach[AVG_PICKS / VL + AVG_FRONT]; /* of a vector */
    int32_t terms[AVG_PICKS / VL + AVG_FRONT];
};

struct average {
    const struct k_average *average;
    struct avg_plan plan;
    const char *in, *in_end;
    char *out;
    int64_t element, cell_bytes; /* of all channels */
    bool contiguous;             /* the items' outputs follow each other in memory */
    struct k_outlet outlet;

    /* The column in work. */
    int64_t outer, depth, tile, channel_tile, first_cell, first_channel;
    struct avg_range depths;
    int cells, channels, columns; /* columns: of a row, as vectors see it */
    int64_t low;                  /* input cell of sums[0], < 0 in the padding */
    int64_t real_low;             /* input cells [real_low, real_low + real) are read */
    int64_t real;
    /* A row of sums: `front` floats of padding that end at `lead`, the real ones, `behind` floats
     * of padding. Rows of sums are row_floats apart. */
    int64_t front, lead, behind, row_floats;
    int64_t pieces, piece_floats, piece_bytes; /* what is contiguous of those in memory */

    struct picks along; /* of the sums */
    struct avg_scale scales[AVG_SCALES];
    int scale_turn;
    int64_t held[AVG_RING_ROWS]; /* the row of the input that a row of the ring holds */
    vf factors[(AVG_FLOATS + AVG_SLACK) / VL]; /* of gradients, per float or per cell */
    vf sums_storage[(2 * AVG_FLOATS + 2 * AVG_SLACK) / VL];
    vf ring_storage[(AVG_RING_FLOATS + AVG_SLACK) / VL];
    float *sums, *ring;
};

static inline double avg_size_of(const struct average *g, const struct avg_axis *axis, int64_t i)
{
    const double size = avg_size(axis, g->average->gradient, g->average->count_padding, i);
    return size > 0 ? size : 1; /* of a window that meets no cell */
}

/* ---- tables ---- */

/* Where vectors of outputs read; columns behind the last one add nothing. */
static inline void picks_finish(struct picks *picks, int columns)
{
    picks->columns = columns;
    for (int at = 0; at * VL < columns; at++) {
        int32_t low = INT32_MAX, high = 0, terms = 0;
        for (int i = at * VL; i < (at + 1) * VL; i++) {
            if (i >= columns) picks->first[i] = picks->first[columns - 1], picks->count[i] = 0;
            if (picks->first[i] < low) low = picks->first[i];
            if (picks->first[i] > high) high = picks->first[i];
            if (picks->count[i] > terms) terms = picks->count[i];
        }
        picks->base[at] = low;
        picks->reach[at] = high - low;
        picks->terms[at] = terms;
    }
}

static inline void column_tables(struct average *g)
{
    const struct avg_axis *width = &g->plan.width;
    const int per = g->plan.wide ? 1 : g->channels;
    for (int cell = 0; cell < g->cells; cell++) {
        struct avg_range range = avg_range(width, g->first_cell + cell);
        if (width->uniform) {
            range.first = (g->first_cell + cell) * width->stride - width->pad;
            range.count = width->kernel;
        }
        if (range.count == 0) range.first = g->low;
        for (int i = 0; i < per; i++) {
            g->along.first[cell * per + i] = (int32_t)((range.first - g->low) * g->channels + i);
            g->along.count[cell * per + i] = (int32_t)range.count;
        }
    }
    g->along.gap = width->step * g->channels;
    if (!g->plan.wide) picks_finish(&g->along, g->columns);
}

static inline void factor_table(struct average *g)
{
    float *factor = (float *)(void *)g->factors;
    const int per = g->plan.wide ? 1 : g->channels;
    for (int64_t cell = 0; cell < g->real; cell++) {
        const float value = (float)(1.0 / avg_size_of(g, &g->plan.width, g->real_low + cell));
        for (int i = 0; i < per; i++)
            *factor++ = value;
    }
}

/* The cells of the input that the column's outputs add. */
static inline void column_extent(struct average *g)
{
    const struct avg_axis *width = &g->plan.width;
    int64_t low = INT64_MAX, high = 0;
    if (width->uniform) {
        low = g->first_cell * width->stride - width->pad;
        high = low + (g->cells - 1) * width->stride + width->kernel;
    } else {
        for (int cell = 0; cell < g->cells; cell++) {
            const struct avg_range range = avg_range(width, g->first_cell + cell);
            if (range.count == 0) continue;
            low = pool_min(low, range.first);
            high = pool_max(high, range.first + (range.count - 1) * width->step + 1);
        }
        if (high == 0) low = 0;
    }
    g->low = low;
    g->real_low = pool_max(low, 0);
    g->real = pool_min(high, width->in) - g->real_low;
}

static inline void sums_begin(struct average *g)
{
    const int64_t floats = g->real * g->channels;
    g->front = (g->real_low - g->low) * g->channels;
    g->lead = (g->front + LANES_MOST - 1) / LANES_MOST * LANES_MOST;
    g->behind = g->plan.width.uniform ? pool_max(g->plan.pitch - g->front - floats, 0) : 0;
    g->row_floats = g->plan.joined ? floats : avg_row_floats(g->plan.pitch);
    for (int row = 0; row < g->plan.batch; row++)
        for (int64_t x = 0; x < g->lead; x += VL)
            v_store(g->sums + row * g->row_floats + x, v_all(-0.0f));
}

/* What a tile of cells and channels has of its own. */
static inline void tile_begin(struct average *g)
{
    const struct avg_plan *plan = &g->plan;
    const int64_t channels = plan->channels - g->channel_tile * plan->tile_channels;
    g->first_channel = g->channel_tile * plan->tile_channels;
    g->channels = (int)pool_min(channels, plan->tile_channels);
    g->first_cell = g->tile * plan->cells;
    g->cells = (int)pool_min(plan->cells, plan->width.out - g->first_cell);
    g->columns = plan->wide ? g->cells : g->cells * g->channels;
    for (int i = 0; i < AVG_SCALES; i++)
        g->scales[i].size = 0;
    if (plan->gathered || plan->direct) return;
    column_extent(g);
    const bool whole = g->channels == plan->channels;
    g->pieces = whole ? 1 : g->real;
    g->piece_floats = whole ? g->real * g->channels : g->channels;
    g->piece_bytes = g->cell_bytes;
    if (!plan->plain) column_tables(g);
    if (g->average->gradient) factor_table(g);
    sums_begin(g);
}

static inline void column_begin(struct average *g, int64_t column)
{
    const struct avg_plan *plan = &g->plan;
    const int64_t tile = column % plan->cell_tiles, rest = column / plan->cell_tiles;
    const int64_t channel_tile = rest % plan->channel_tiles;
    const int64_t plane = rest / plan->channel_tiles;
    g->depth = plane % plan->depth.out;
    g->outer = plane / plan->depth.out;
    g->depths = avg_range(&plan->depth, g->depth);
    for (int i = 0; i < plan->ring_rows; i++)
        g->held[i] = -1;
    if (tile == g->tile && channel_tile == g->channel_tile) return;
    g->tile = tile;
    g->channel_tile = channel_tile;
    tile_begin(g);
}

static inline void average_begin(struct average *g, int64_t element,
                                 const struct k_average *average, void *const buf[])
{
    const struct avg_plan plan = avg_plan(average);
    g->average = average;
    g->plan = plan;
    g->element = element;
    g->cell_bytes = plan.channels * element;
    g->in = buf[K_AVERAGE_IN];
    g->in_end = g->in + plan.outer * plan.depth.in * plan.height.in * plan.width.in * g->cell_bytes;
    g->out = buf[K_AVERAGE_OUT];
    g->contiguous = plan.channel_tiles == 1 && (plan.cell_tiles == 1 || plan.height.out == 1);
    g->tile = g->channel_tile = -1;
    g->scale_turn = 0;
    g->sums = (float *)(void *)g->sums_storage;
    g->ring = (float *)(void *)g->ring_storage;
}

/* ---- factors ---- */

/* What the sums of a row of outputs are multiplied with; size: of its windows along depth and
 * height. */
static inline const float *scale_of(struct average *g, double size)
{
    for (int i = 0; i < AVG_SCALES; i++)
        if (g->scales[i].size == size) return g->scales[i].at;
    struct avg_scale *scale = &g->scales[g->scale_turn++ % AVG_SCALES];
    const struct avg_plan *plan = &g->plan;
    const bool by_size = !g->average->gradient && g->average->divisor == 0;
    const double same = g->average->gradient ? 1 : (double)g->average->divisor;
    const int columns = plan->joined ? (int)AVG_COLUMNS : g->columns;
    const int alike = plan->wide ? 1 : g->channels;
    scale->size = size;
    if (plan->joined) {
        const double all = by_size ? size * (double)plan->width.kernel : same;
        for (int x = 0; x < columns; x += VL)
            v_store(scale->at + x, v_all((float)(1.0 / all)));
    }
    for (int x = plan->joined ? columns : 0; x < columns; x += alike) {
        const int64_t cell = g->first_cell + x / alike;
        const double all = by_size ? size * avg_size_of(g, &plan->width, cell) : same;
        const float value = (float)(1.0 / all);
        for (int i = 0; i < alike; i++)
            scale->at[x + i] = value;
    }
    for (int x = 0; x < VL; x++)
        scale->at[columns + x] = 1;
    return scale->at;
}

/* The part of a row of outputs in its windows' size; 1 where it plays no part. */
static inline double row_size(const struct average *g, int64_t row)
{
    if (g->average->gradient || g->average->divisor != 0) return 1;
    if (g->plan.spans) row = 0;
    return avg_size_of(g, &g->plan.depth, g->depth) * avg_size_of(g, &g->plan.height, row);
}

/* At least so many rows of outputs from row `row` on have windows of the same size along the height
 * (there may not be so many). */
static inline int64_t rows_alike(const struct average *g, int64_t row)
{
    const struct avg_axis *height = &g->plan.height;
    const int64_t start = row * height->stride - height->pad;
    if (height->tiles) return INT64_MAX;
    if (g->average->gradient || height->span != K_SPAN_WINDOWS || start < 0) return 1;
    return pool_max((height->in - height->kernel - start) / height->stride + 1, 1);
}

static inline float input_factor(const struct average *g, int64_t depth, int64_t row)
{
    const double deep = avg_size_of(g, &g->plan.depth, depth);
    return (float)(1.0 / (deep * avg_size_of(g, &g->plan.height, row)));
}

/* ---- places ---- */

/* Cell `cell`, first channel of the column, of a row of the input. */
static inline const char *input_at(const struct average *g, int64_t depth, int64_t row,
                                   int64_t cell)
{
    const struct avg_plan *plan = &g->plan;
    const int64_t at = (g->outer * plan->depth.in + depth) * plan->height.in + row;
    return g->in + (at * plan->width.in + cell) * g->cell_bytes + g->first_channel * g->element;
}

static inline char *output_at(const struct average *g, int64_t row, int64_t cell)
{
    const struct avg_plan *plan = &g->plan;
    const int64_t at = (g->outer * plan->depth.out + g->depth) * plan->height.out + row;
    return g->out + (at * plan->width.out + cell) * g->cell_bytes + g->first_channel * g->element;
}

#endif
