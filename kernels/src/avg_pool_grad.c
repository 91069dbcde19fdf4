/* SPDX-License-Identifier: Apache-2.0 */
/* dx[i] = sum over windows w that contain i of dy[w] / size(w).
 *
 * Order of the sum, the same for every level, layout and cutting: along the depth first, then along
 * the width, then along the height. A row of dY is scaled (one product with the reciprocal of
 * size(w), rounded to nearest), summed along the width and spread to the cells of a row of dX; such
 * rows wait in a ring in L1, and a row of dX is the sum of the rows that cover it, written in whole
 * cache lines. Up to POOL_REGISTER_WINDOWS terms along the width and POOL_DIRECT along depth and
 * height are added one by one; more are added along the width as sums of powers of two, along the
 * height as the sum from a row to its block's end plus the sum from the next block's begin (blocks
 * have as many rows as the sum has terms). So the cost of an element does not grow with the window.
 *
 * Error: with n_d, n_h, n_w windows over a cell along each axis,
 *     |dx - exact| <= (2 + (n_d - 1) + (n_w - 1) + (n_h - 1)) * 2^-24 * sum |dy[w] / size(w)|
 * (first order) plus the rounding of the store: two roundings of a term (reciprocal, product) and
 * one per addition that a term passes through, less where the sums are of powers of two or blocks.
 */
#include "kernels/k_pool.h"
#include "kernels/pool_plan.h"
#include "kernels/simd/line.h"
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
    if (g->pool->divisor != 0) size = 1;
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
    if (plan->channels == 1 && plan->width.most <= POOL_REGISTER_WINDOWS &&
        plan->width.stride <= POOL_REGISTER_STEP)
        spread_pattern((int)plan->width.stride, (int)plan->width.rest, g->pattern);
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

/* Row `made` of dY, spread to the cells of this column, goes into the ring. */
K_TEMPLATE
void make_row(enum k_dtype dt, struct grad *g)
{
    const struct pool_plan *plan = &g->plan;
    const struct pool_axis *height = &plan->height, *width = &plan->width;
    const int64_t row = g->made++;
    float *e = g->ring + g->slot * plan->pitch;
    if (++g->slot == plan->rows) g->slot = 0;
    struct k_windows *in = &g->in.windows;
    if (row < 0 || row >= height->out || in->depths == 0) {
        memset(e, 0, (size_t)plan->pitch * sizeof *e);
        return;
    }
    int64_t at = (g->outer * plan->depth.out + g->depth_low) * height->out + row;
    at = (at * width->out + g->first_window) * plan->channels + g->first_channel;
    in->at = g->dy + at * k_size(dt);
    const double tall = window_extent(height, g->pool->count_padding, row);
    for (int i = 0; i < in->depths; i++)
        in->scale[i] = scale_of(
            g, i, tall * window_extent(&plan->depth, g->pool->count_padding, g->depth_low + i));

    const int most = (int)width->most;
    const int64_t step = width->stride;
    if (plan->channels == 1) {
        if (most <= POOL_REGISTER_WINDOWS && width->stride <= POOL_REGISTER_STEP)
            spread_row_any(dt, most, (int)step, width->rest == width->stride, g->pattern, in, e);
        else
            spread_buffered(dt, &g->in, g->lead, width, g->front, &g->buffers, e);
    } else if (plan->buffered) {
        spread_buffered(dt, &g->in, g->lead, width, g->front, &g->buffers, e);
    } else if (plan->late) {
        channels_scale(dt, &g->in, e);
    } else if (most == 2) {
        spread_channels(dt, 2, &g->in, step, width->rest, e);
    } else if (most == 3) {
        spread_channels(dt, 3, &g->in, step, width->rest, e);
    } else {
        spread_channels(dt, 4, &g->in, step, width->rest, e);
    }
}

static inline int slot_of(const struct grad *g, int64_t row)
{
    const int slot = g->slot - (int)(g->made - row);
    return slot < 0 ? slot + g->plan.rows : slot;
}

K_TEMPLATE
void put_count(enum k_dtype dt, struct k_line *line, const float *const rows[], int count,
               int64_t length, bool stream)
{
    switch (count) {
    case 0:
        line_put(dt, line, rows, 0, length, stream);
        break;
    case 1:
        line_put(dt, line, rows, 1, length, stream);
        break;
    case 2:
        line_put(dt, line, rows, 2, length, stream);
        break;
    case 3:
        line_put(dt, line, rows, 3, length, stream);
        break;
    default:
        line_put(dt, line, rows, count, length, stream);
        break;
    }
}

static void put_f32(struct grad *g, const float *const rows[], int count, int64_t length)
{
    if (g->pool->stream_output)
        put_count(K_F32, &g->line, rows, count, length, true);
    else
        put_count(K_F32, &g->line, rows, count, length, false);
}

static void put_f16(struct grad *g, const float *const rows[], int count, int64_t length)
{
    if (g->pool->stream_output)
        put_count(K_F16, &g->line, rows, count, length, true);
    else
        put_count(K_F16, &g->line, rows, count, length, false);
}

static void put_bf16(struct grad *g, const float *const rows[], int count, int64_t length)
{
    if (g->pool->stream_output)
        put_count(K_BF16, &g->line, rows, count, length, true);
    else
        put_count(K_BF16, &g->line, rows, count, length, false);
}

K_TEMPLATE
void put(enum k_dtype dt, struct grad *g, const float *const rows[], int count, int64_t length)
{
    if (dt == K_F32) put_f32(g, rows, count, length);
    if (dt == K_F16) put_f16(g, rows, count, length);
    if (dt == K_BF16) put_bf16(g, rows, count, length);
}

/* A row of cells, each with all channels of the tile. Rows hold cells, or windows (plan.late). */
K_TEMPLATE
void put_cells(enum k_dtype dt, struct grad *g, char *to, const float *rows[], int count)
{
    const struct pool_plan *plan = &g->plan;
    const struct pool_axis *width = &plan->width;
    int64_t place = g->front;
    int window = 0;
    for (int cell = 0; cell < g->in.cells; cell++, to += g->in.window_bytes) {
        const bool covered = !plan->late || (place < width->rest && window < g->in.windows.real);
        if (plan->channel_tiles > 1) line_begin(dt, &g->line, to);
        put(dt, g, rows, covered ? count : 0, g->channels);
        if (plan->channel_tiles > 1) line_end(dt, &g->line);
        if (++place < width->stride && plan->late) continue;
        place = 0;
        window++;
        for (int i = 0; i < count; i++)
            rows[i] += g->channels;
    }
}

/* Row h of dX and those behind it; several only if they follow each other in memory and in the
 * ring. */
K_TEMPLATE
void put_rows(enum k_dtype dt, struct grad *g, const float *rows[], int count, int64_t h,
              int64_t heights)
{
    const struct pool_plan *plan = &g->plan;
    const int64_t row = (g->outer * plan->depth.in + g->depth) * plan->height.in + h;
    const int64_t at = (row * plan->width.in + g->first_cell) * plan->channels + g->first_channel;
    char *to = g->dx + at * k_size(dt);
    if (!g->contiguous || !g->line.at) line_begin(dt, &g->line, to);
    if (plan->late || plan->channel_tiles > 1)
        put_cells(dt, g, to, rows, count);
    else
        put(dt, g, rows, count, heights * g->in.cells * g->channels);
    if (!g->contiguous) line_end(dt, &g->line);
}

/* Height stride 1: in long runs every row of dX adds the next rows of the ring. */
K_TEMPLATE
void walk_dense(enum k_dtype dt, struct grad *g, int64_t h, int64_t end)
{
    const struct pool_plan *plan = &g->plan;
    const int count = plan->heights;
    const int64_t spare = plan->rows - count - (POOL_SLACK + plan->pitch - 1) / plan->pitch;
    const int64_t together = pool_max(pool_min(spare, POOL_RUN / plan->pitch), 1);
    g->made = h + plan->height.pad - count + 1;
    while (h < end) {
        const int64_t low = h + plan->height.pad - count + 1;
        int64_t heights = g->contiguous && !plan->late ? pool_min(together, end - h) : 1;
        while (g->made < low + count - 1 + heights)
            make_row(dt, g);
        const float *rows[POOL_DIRECT];
        for (int i = 0; i < count; i++) {
            const int slot = slot_of(g, low + i);
            heights = pool_min(heights, plan->rows - slot);
            rows[i] = g->ring + slot * plan->pitch;
        }
        put_rows(dt, g, rows, count, h, heights);
        h += heights;
    }
}

/* Any stride of the height, at most POOL_DIRECT rows to add. */
K_TEMPLATE
void walk_strided(enum k_dtype dt, struct grad *g, int64_t h, int64_t end)
{
    const struct pool_axis *height = &g->plan.height;
    int64_t window = (h + height->pad) / height->stride;
    int64_t place = (h + height->pad) % height->stride;
    g->made = 0;
    for (; h < end; h++) {
        const int64_t low = pool_max(window - height->most + (place < height->rest ? 1 : 2), 0);
        const int64_t high = pool_min(window, height->out - 1);
        g->made = pool_max(g->made, low);
        while (g->made <= high)
            make_row(dt, g);
        const float *rows[POOL_DIRECT];
        int count = 0;
        for (int64_t row = low; row <= high; row++)
            rows[count++] = g->ring + slot_of(g, row) * g->plan.pitch;
        put_rows(dt, g, rows, count, h, 1);
        if (++place == height->stride) place = 0, window++;
    }
}

static inline float *row_of(const struct grad *g, int64_t row)
{
    return g->ring + slot_of(g, row) * g->plan.pitch;
}

/* Each of the rows [begin, end) becomes the sum from it to the last one. */
static inline void suffix_sums(struct grad *g, int64_t begin, int64_t end)
{
    const int64_t pitch = g->plan.pitch;
    for (int64_t row = end - 2; row >= begin; row--) {
        float *to = row_of(g, row);
        const float *next = row_of(g, row + 1);
        for (int64_t x = 0; x < pitch; x += VL) {
            const vf old = v_load(to + x);
            v_store(to + x, v_first((int)pool_min(pitch - x, VL), old + v_load(next + x), old));
        }
    }
}

K_TEMPLATE
void make_row_in_block(enum k_dtype dt, struct grad *g)
{
    const float *e = g->ring + g->slot * g->plan.pitch;
    const bool first = g->made % g->plan.heights == 0;
    make_row(dt, g);
    for (int64_t x = 0; x < g->plan.pitch; x += VL)
        v_store(g->prefix + x, first ? v_load(e + x) : v_load(g->prefix + x) + v_load(e + x));
}

/* More rows to add: blocks of plan.heights rows, sums from a row to its block's end and from the
 * next block's begin on. A sum of fewer rows, at either end of dY, begins or ends with a block. */
K_TEMPLATE
void walk_blocks(enum k_dtype dt, struct grad *g, int64_t h, int64_t end)
{
    const struct pool_axis *height = &g->plan.height;
    const int block = g->plan.heights;
    int64_t low, high, begin = -1;
    bool ended = false; /* the last block holds sums to its end */
    for (; h < end; h++) {
        windows_of_cell(height, h, &low, &high);
        if (begin < 0) g->made = begin = low / block * block;
        while (g->made <= high) {
            if (g->made % block == 0 && g->made > begin) suffix_sums(g, g->made - block, g->made);
            make_row_in_block(dt, g);
        }
        const int64_t last = high / block * block;
        const float *rows[2] = {g->prefix, g->prefix};
        int count = 1;
        if (low > high) {
            count = 0;
        } else if (low > last) {
            if (!ended) suffix_sums(g, last, g->made);
            ended = true;
            rows[0] = row_of(g, low);
        } else if (low < last) {
            rows[0] = row_of(g, low);
            count = 2;
        }
        put_rows(dt, g, rows, count, h, 1);
    }
}

/* Hundreds of windows over one cell and more than one window: each is visited. */
K_TEMPLATE
void plain_row(enum k_dtype dt, const struct grad *g, int64_t outer, int64_t d, int64_t h)
{
    const struct pool_axis *depth = &g->plan.depth, *height = &g->plan.height;
    const struct pool_axis *width = &g->plan.width;
    const bool padding = g->pool->count_padding;
    const int64_t channels = g->plan.channels;
    int64_t d0, d1, h0, h1, w0, w1;
    windows_of_cell(depth, d, &d0, &d1);
    windows_of_cell(height, h, &h0, &h1);
    char *to =
        g->dx + ((outer * depth->in + d) * height->in + h) * width->in * channels * k_size(dt);
    for (int64_t i = 0; i < width->in * channels; i++, to += k_size(dt)) {
        windows_of_cell(width, i / channels, &w0, &w1);
        float sum = 0;
        for (int64_t od = d0; od <= d1; od++)
            for (int64_t oh = h0; oh <= h1; oh++)
                for (int64_t ow = w0; ow <= w1; ow++) {
                    const int64_t row = (outer * depth->out + od) * height->out + oh;
                    const int64_t at = (row * width->out + ow) * channels + i % channels;
                    const vf value = k_load_first(dt, g->dy + at * k_size(dt), 1);
                    double size = window_extent(depth, padding, od) *
                                  window_extent(height, padding, oh) *
                                  window_extent(width, padding, ow);
                    if (g->pool->divisor != 0) size = (double)g->pool->divisor;
                    sum += pool_round(dt, g->pool->rounding, value)[0] * (float)(1.0 / size);
                }
        const vh half = v_to_half(dt, v_all(sum));
        if (dt == K_F32)
            memcpy(to, &sum, sizeof sum);
        else
            memcpy(to, &half, sizeof half[0]);
    }
}

K_TEMPLATE
void avg_pool_grad(enum k_dtype dt, const struct k_pool *pool, void *const buf[],
                   struct k_slice slice)
{
    const struct pool_plan plan = pool_plan(pool);
    struct grad g;
    grad_begin(&g, dt, pool, &plan, buf);
    for (int64_t item = slice.begin, next; item < slice.end; item = next) {
        const int64_t column = item / plan.height.in, h = item % plan.height.in;
        const int64_t end = pool_min(plan.height.in, h + slice.end - item);
        next = item + end - h;
        if (plan.rows == 0) {
            for (int64_t row = h; row < end; row++)
                plain_row(dt, &g, column / plan.depth.in, column % plan.depth.in, row);
            continue;
        }
        column_begin(&g, column);
        if (plan.zero_rows)
            walk_dense(dt, &g, h, end);
        else if (plan.heights <= POOL_DIRECT)
            walk_strided(dt, &g, h, end);
        else
            walk_blocks(dt, &g, h, end);
    }
    line_end(dt, &g.line);
    if (pool->stream_output) k_stream_end();
}

K_FLOATS(avg_pool_grad, struct k_pool)
