/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one call of avg_pool_grad: the column in work, the factors of its windows, the ring
 * of spread rows. */
#ifndef ACLNN_CPU_KERNELS_SIMD_GRAD_H
#define ACLNN_CPU_KERNELS_SIMD_GRAD_H

#include "kernels/k_pool.h"
#include "kernels/pool_plan.h"
#include "kernels/simd/line.h"
#include "kernels/simd/sink.h"
#include "kernels/simd/spread.h"

struct scale {
    double size; /* of the windows, the width's part left out; 0: not made */
    float at[POOL_ROW_WINDOWS + VL];
};

struct grad {
    const struct k_pool *pool;
    struct pool_plan plan;
    const char *dy;
    char *dx;
    struct k_line line;
    struct k_sink sink;
    bool contiguous; /* the items' cells follow each other in memory */

    /* The column in work. */
    int64_t outer, depth, first_cell, first_channel;
    int64_t depth_low;
    int lead;      /* zero windows before the first one */
    int64_t front; /* cells before the column that its first sum reaches */
    int64_t first_window;
    struct k_channels in; /* without the row's address */
    int channels;         /* of this tile */

    /* The ring: rows [made - plan.rows, made) of dY, spread. */
    int64_t made;
    int slot;      /* of row `made` */
    float *prefix; /* sum of the rows of the block in work */
    float *ring;
    vi pattern[POOL_REGISTER_STEP];
    struct scale scales[POOL_DIRECT];
    int scale_turn;
    int64_t whole_low, whole_high; /* see rows_of_whole_height */
    struct spread_buffers buffers;
    vf storage[(POOL_ROWS_FLOATS + POOL_SLACK + 4 * LINE_SLACK) / VL];
    vf prefix_storage[(POOL_ROWS_FLOATS / POOL_DIRECT + 4 * LINE_SLACK) / VL];
};

static inline double window_extent(const struct pool_axis *axis, bool count_padding, int64_t window)
{
    int64_t start = window * axis->stride - axis->pad;
    const int64_t end = pool_min(start + axis->kernel, axis->limit);
    if (!count_padding && start < 0) start = 0;
    return (double)(end - start);
}

static inline void scale_make(const struct grad *g, struct scale *scale, double size)
{
    const struct pool_axis *width = &g->plan.width;
    const bool padding = g->pool->count_padding;
    const int64_t first = g->first_window;
    const int count = g->in.windows.real;
    scale->size = size;
    int64_t low = 0, high = count; /* windows [low, high) are whole */
    if (g->pool->divisor == 0) {
        if (!padding) low = (width->pad + width->stride - 1) / width->stride - first;
        const int64_t room = width->limit + width->pad - width->kernel;
        high = room < 0 ? 0 : room / width->stride + 1 - first;
        low = pool_min(pool_max(low, 0), count);
        high = pool_max(pool_min(high, count), low);
    }
    const double whole =
        g->pool->divisor != 0 ? (double)g->pool->divisor : size * (double)width->kernel;
    const vf value = v_all((float)(1.0 / whole));
    for (int64_t x = 0; x < count; x += VL)
        v_store(scale->at + x, value);
    v_store(scale->at + count,
            (vf){0}); /* times what is read as zero: +0 whatever the divisor's sign */
    for (int64_t x = 0; x < low; x++)
        scale->at[x] = (float)(1.0 / (size * window_extent(width, padding, first + x)));
    for (int64_t x = high; x < count; x++)
        scale->at[x] = (float)(1.0 / (size * window_extent(width, padding, first + x)));
}

/* The factors of the windows of a row whose extents along depth and height have the product `size`.
 * Sums along the depth keep one table per depth, else the tables are a cache. */
static inline const float *scale_of(struct grad *g, int depth, double size)
{
    if (g->in.windows.depths > 1) {
        struct scale *own = &g->scales[depth];
        if (own->size != size) scale_make(g, own, size);
        return own->at;
    }
    for (int i = 0; i < POOL_DIRECT; i++)
        if (g->scales[i].size == size) return g->scales[i].at;
    struct scale *next = &g->scales[g->scale_turn++ % POOL_DIRECT];
    scale_make(g, next, size);
    return next->at;
}

static inline void scales_forget(struct grad *g)
{
    for (int i = 0; i < POOL_DIRECT; i++)
        g->scales[i].size = 0;
}

/* Rows of dY whose windows reach beyond neither end of the height: one factor table serves them. */
static inline void rows_of_whole_height(struct grad *g)
{
    const struct pool_axis *height = &g->plan.height;
    const int64_t room = height->limit + height->pad - height->kernel;
    g->whole_low = g->pool->count_padding ? 0 : (height->pad + height->stride - 1) / height->stride;
    g->whole_high = room < 0 ? 0 : pool_min(room / height->stride + 1, height->out);
    if (g->pool->divisor != 0) g->whole_low = 0, g->whole_high = height->out;
}

static inline void grad_begin(struct grad *g, enum k_dtype dt, const struct k_pool *pool,
                              const struct pool_plan *plan, void *const buf[])
{
    g->pool = pool;
    g->plan = *plan;
    g->dy = buf[K_AVG_POOL_GRAD_DY];
    g->dx = buf[K_AVG_POOL_GRAD_DX];
    g->contiguous = plan->channel_tiles == 1 && (plan->cell_tiles == 1 || plan->height.in == 1);
    g->line.filled = g->line.skip = 0;
    g->line.at = NULL;
    g->ring = (float *)(void *)g->storage + 2 * LINE_SLACK;
    g->prefix = (float *)(void *)g->prefix_storage + 2 * LINE_SLACK;
    g->slot = 0;
    g->scale_turn = 0;
    g->first_window = -1;
    const int64_t windows = plan->outer * plan->depth.out * plan->height.out * plan->width.out;
    struct k_windows *in = &g->in.windows;
    in->end = g->dy + windows * plan->channels * k_size(dt);
    in->depth_bytes = plan->height.out * plan->width.out * plan->channels * k_size(dt);
    in->rounding = pool->rounding;
    g->in.window_bytes = plan->channels * k_size(dt);
    scales_forget(g);
    rows_of_whole_height(g);
    if (plan->registers) spread_pattern((int)plan->width.stride, (int)plan->width.rest, g->pattern);
}

static inline void channels_of_tile(struct grad *g, int64_t tile)
{
    const struct pool_plan *plan = &g->plan;
    int64_t begin = 0, end = plan->channels;
    if (plan->channel_tiles > 1 && plan->buffered) {
        begin = tile * plan->tile_channels;
        end = pool_min(begin + plan->tile_channels, plan->channels);
    } else if (plan->channel_tiles > 1) { /* even parts, cut at multiples of POOL_WIDE */
        const int64_t part = plan->channels / plan->channel_tiles;
        const int64_t more = plan->channels % plan->channel_tiles;
        begin = (tile * part + pool_min(tile, more)) / POOL_WIDE * POOL_WIDE;
        if (tile + 1 < plan->channel_tiles)
            end = ((tile + 1) * part + pool_min(tile + 1, more)) / POOL_WIDE * POOL_WIDE;
    }
    g->first_channel = begin;
    g->channels = g->in.channels = (int)(end - begin);
}

/* Windows [*low, *high] contain cell i; none if *low > *high. */
static inline void windows_of_cell(const struct pool_axis *axis, int64_t i, int64_t *low,
                                   int64_t *high)
{
    const int64_t q = i + axis->pad;
    *low = q < axis->kernel ? 0 : (q - axis->kernel) / axis->stride + 1;
    *high = pool_min(q / axis->stride, axis->out - 1);
}

static inline void column_begin(struct grad *g, int64_t column)
{
    const struct pool_plan *plan = &g->plan;
    const struct pool_axis *width = &plan->width;
    const int64_t tile = column % plan->cell_tiles;
    column /= plan->cell_tiles;
    channels_of_tile(g, column % plan->channel_tiles);
    column /= plan->channel_tiles;
    g->depth = column % plan->depth.in;
    g->outer = column / plan->depth.in;
    g->first_cell = tile * plan->cells;
    g->in.cells = (int)pool_min(plan->cells, width->in - g->first_cell);

    int64_t depth_high;
    windows_of_cell(&plan->depth, g->depth, &g->depth_low, &depth_high);
    const int depths = (int)pool_max(depth_high - g->depth_low + 1, 0);

    const int64_t begin = g->first_cell + width->pad, end = begin + g->in.cells - 1;
    const int64_t sums = begin / width->stride, before = sums - width->most + 1;
    const int64_t first = pool_max(before, 0);
    const int real = (int)pool_max(pool_min(end / width->stride, width->out - 1) - first + 1, 0);
    struct k_windows *in = &g->in.windows;
    if (first != g->first_window || real != in->real || (depths != in->depths && depths != 0))
        scales_forget(g);
    g->lead = (int)(first - before);
    g->front = begin - sums * width->stride;
    g->first_window = first;
    in->depths = depths;
    in->count = (int)(end / width->stride - first + 1);
    in->real = real;
    in->front = begin - first * width->stride;
}

static inline double tall_of(const struct grad *g, int64_t row)
{
    return g->pool->divisor != 0 ? 1 : window_extent(&g->plan.height, g->pool->count_padding, row);
}

static inline double deep_of(const struct grad *g, int depth)
{
    return g->pool->divisor != 0
               ? 1
               : window_extent(&g->plan.depth, g->pool->count_padding, g->depth_low + depth);
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

static inline struct k_rows rows_begin(const struct grad *g, const char *at)
{
    const struct k_windows *in = &g->in.windows;
    return (struct k_rows){.at = at,
                           .end = in->end,
                           .rounding = in->rounding,
                           .count = in->count,
                           .real = in->real,
                           .front = (int)in->front};
}

/* Several channels, or many windows or a long step: row `row` to e. */
K_TEMPLATE
void make_row_slowly(enum k_dtype dt, struct grad *g, int64_t row, float *e)
{
    const struct pool_plan *plan = &g->plan;
    const struct pool_axis *width = &plan->width;
    struct k_windows *in = &g->in.windows;
    in->at = row_of_dy(g, row, k_size(dt));
    for (int i = 0; i < in->depths; i++)
        in->scale[i] = scale_of(g, i, tall_of(g, row) * deep_of(g, i));
    const int64_t step = width->stride, rest = width->rest;
    if (plan->channels == 1 && plan->registers) { /* several depths: their sum first */
        struct k_rows sum = rows_begin(g, (const char *)g->buffers.windows);
        for (int x = 0; x < in->real; x += VL)
            v_store(g->buffers.windows + x, windows_load(dt, in, x, x + VL <= in->real));
        sum.end = (const char *)(g->buffers.windows + POOL_ROW_WINDOWS + VL);
        sum.rounding = K_ROUND_NONE;
        sum.to = e, sum.rows = 1;
        spread_rows_any(K_F32, (int)width->most, (int)step, rest == step, g->pattern, &sum);
    } else if (plan->channels == 1 || plan->buffered) {
        spread_buffered(dt, &g->in, g->lead, width, g->front, &g->buffers, e);
    } else if (width->most == 1) {
        spread_channels(dt, 1, &g->in, step, rest, e);
    } else if (width->most == 2) {
        spread_channels(dt, 2, &g->in, step, rest, e);
    } else if (width->most == 3) {
        spread_channels(dt, 3, &g->in, step, rest, e);
    } else {
        spread_channels(dt, 4, &g->in, step, rest, e);
    }
}

K_TEMPLATE
void make_rows_of(enum k_dtype dt, struct grad *g, int64_t last)
{
    const struct pool_plan *plan = &g->plan;
    const struct pool_axis *height = &plan->height, *width = &plan->width;
    while (g->made <= last) {
        const int64_t row = g->made;
        float *e = g->ring + g->slot * plan->pitch;
        int64_t rows = 1;
        if (row < 0 || row >= height->out || g->in.windows.depths == 0) {
            memset(e, 0, (size_t)plan->pitch * sizeof *e);
        } else if (g->in.windows.depths == 1 && plan->registers) {
            const double tall = tall_of(g, row);
            const int64_t most =
                pool_min(pool_min(last, height->out - 1) - row + 1, plan->rows - g->slot);
            if (row >= g->whole_low && row < g->whole_high)
                rows = pool_min(most, g->whole_high - row);
            struct k_rows in = rows_begin(g, row_of_dy(g, row, k_size(dt)));
            in.row_bytes = width->out * k_size(dt);
            in.scale = scale_of(g, 0, tall * deep_of(g, 0));
            in.to = e, in.pitch = plan->pitch, in.rows = rows;
            spread_rows_any(dt, (int)width->most, (int)width->stride, width->rest == width->stride,
                            g->pattern, &in);
        } else {
            make_row_slowly(dt, g, row, e);
        }
        g->made += rows;
        g->slot += (int)rows;
        if (g->slot == plan->rows) g->slot = 0;
    }
}

static __attribute__((noinline, unused)) void make_rows_f32(struct grad *g, int64_t last)
{
    make_rows_of(K_F32, g, last);
}

static __attribute__((noinline, unused)) void make_rows_f16(struct grad *g, int64_t last)
{
    make_rows_of(K_F16, g, last);
}

static __attribute__((noinline, unused)) void make_rows_bf16(struct grad *g, int64_t last)
{
    make_rows_of(K_BF16, g, last);
}

/* Rows made .. last of dY, spread to the cells of this column, go into the ring; one copy of the
 * code per type, whoever calls. */
K_TEMPLATE
void make_rows(enum k_dtype dt, struct grad *g, int64_t last)
{
    if (dt == K_F32) make_rows_f32(g, last);
    if (dt == K_F16) make_rows_f16(g, last);
    if (dt == K_BF16) make_rows_bf16(g, last);
}

static inline int slot_of(const struct grad *g, int64_t row)
{
    const int slot = g->slot - (int)(g->made - row);
    return slot < 0 ? slot + g->plan.rows : slot;
}

#endif
