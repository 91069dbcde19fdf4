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
#include "kernels/simd/grad.h"
#include "kernels/simd/instance.h"

/* Appends the sum of `count` rows to the line; one copy of the code per type, whoever calls. */
K_TEMPLATE
void put_count(enum k_dtype dt, struct k_line *line, const float *const rows[], int count,
               int64_t length, bool stream)
{
    switch (count) {
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

/* A row of cells, each with all channels of the tile. */
K_TEMPLATE
void put_cells(enum k_dtype dt, struct grad *g, char *to, const float *rows[], int count)
{
    for (int cell = 0; cell < g->in.cells; cell++, to += g->in.window_bytes) {
        line_begin(dt, &g->line, to);
        put(dt, g, rows, count, g->channels);
        line_end(dt, &g->line);
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
    char *to = row_of_dx(g, h, k_size(dt));
    if (!g->contiguous || !g->line.at) line_begin(dt, &g->line, to);
    if (g->plan.channel_tiles > 1)
        put_cells(dt, g, to, rows, count);
    else
        put(dt, g, rows, count, heights * g->in.cells * g->channels);
    if (!g->contiguous) line_end(dt, &g->line);
}

/* Makes rows if fewer than plan.ahead are waiting behind `needed`, but none behind `last`. */
K_TEMPLATE
void make_rows_ahead(enum k_dtype dt, struct grad *g, int64_t needed, int64_t last)
{
    const int64_t ahead = g->plan.ahead;
    if (g->made <= pool_min(needed + ahead, last))
        make_rows(dt, g, pool_min(needed + 2 * ahead, last));
}

/* Height stride 1: in long runs every row of dX adds the next rows of the ring. */
K_TEMPLATE
void walk_dense(enum k_dtype dt, struct grad *g, int64_t h, int64_t end)
{
    const struct pool_plan *plan = &g->plan;
    const int count = plan->heights;
    const int64_t behind = (POOL_SLACK + plan->pitch - 1) / plan->pitch;
    const int64_t spare = plan->rows - count - behind - 2 * plan->ahead;
    const int64_t last = end - 1 + plan->height.pad;
    const int64_t together = pool_max(pool_min(spare, POOL_RUN / plan->pitch), 1);
    g->made = h + plan->height.pad - count + 1;
    while (h < end) {
        const int64_t low = h + plan->height.pad - count + 1;
        int64_t heights = g->contiguous ? pool_min(together, end - h) : 1;
        make_rows_ahead(dt, g, low + count - 2 + heights, last);
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

/* One row of cells, the sum of n rows; up to 2 VL elements behind it are overwritten. */
K_TEMPLATE
void sum_row(enum k_dtype dt, const float *const rows[], int n, char *to, int64_t bytes)
{
    const char *end = to + bytes;
    for (int64_t x = 0; to < end; to += K_VECTOR_BYTES) {
        vf sum = line_sum(rows, n, x);
        x += VL;
        if (dt != K_F32) {
            sum = (vf)v_to_halves(dt, sum, line_sum(rows, n, x));
            x += VL;
        }
        k_put(to, sum);
    }
}

/* Rows of cells, each the sum of counts[r] rows of the ring. */
K_TEMPLATE
void sum_rows(enum k_dtype dt, const float *const rows[][POOL_DIRECT], const int counts[],
              int64_t heights, char *to, int64_t bytes)
{
    for (int64_t r = 0; r < heights; r++, to += bytes) {
        const float *const two[2] = {rows[r][0], rows[r][1]};
        if (counts[r] == 1)
            sum_row(dt, two, 1, to, bytes);
        else if (counts[r] == 2)
            sum_row(dt, two, 2, to, bytes);
        else
            sum_row(dt, rows[r], counts[r], to, bytes);
    }
}

/* Rows low to high of the ring; returns how many. */
static inline int rows_between(const struct grad *g, int64_t low, int64_t high,
                               const float *rows[POOL_DIRECT])
{
    if (low > high) return 0;
    int slot = slot_of(g, low), count = 0;
    for (int64_t row = low; row <= high; row++) {
        rows[count++] = g->ring + slot * g->plan.pitch;
        if (++slot == g->plan.rows) slot = 0;
    }
    return count;
}

/* Any stride of the height, at most POOL_DIRECT rows to add; plan.block rows of dX at a time. */
K_TEMPLATE
void walk_strided(enum k_dtype dt, struct grad *g, int64_t h, int64_t end)
{
    const struct pool_axis *height = &g->plan.height;
    const int64_t bytes = g->in.cells * g->in.window_bytes;
    int64_t low, high, last;
    int64_t window = (h + height->pad) / height->stride;
    int64_t place = (h + height->pad) - window * height->stride;
    windows_of_cell(height, end - 1, &low, &last);
    g->made = 0;
    for (int64_t heights; h < end; h += heights) {
        const float *rows[POOL_BLOCK][POOL_DIRECT];
        int counts[POOL_BLOCK];
        heights = g->plan.block > 1 && g->contiguous ? pool_min(g->plan.block, end - h) : 1;
        windows_of_cell(height, h + heights - 1, &low, &high);
        low = pool_max(window - height->most + (place < height->rest ? 1 : 2), 0);
        g->made = pool_max(g->made, low);
        make_rows_ahead(dt, g, high, last);
        for (int64_t r = 0; r < heights; r++) {
            low = pool_max(window - height->most + (place < height->rest ? 1 : 2), 0);
            counts[r] = rows_between(g, low, pool_min(window, height->out - 1), rows[r]);
            if (++place == height->stride) place = 0, window++;
        }
        if (g->plan.channels > 1) {
            put_rows(dt, g, rows[0], counts[0], h, 1);
            continue;
        }
        if (!g->contiguous)
            sink_begin(&g->sink, row_of_dx(g, h, k_size(dt)), bytes, g->pool->stream_output);
        char *to = sink_room(&g->sink, heights * bytes, false);
        sum_rows(dt, rows, counts, heights, to, bytes);
        sink_took(&g->sink, heights * bytes);
        if (!g->contiguous) sink_end(&g->sink);
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
    make_rows(dt, g, g->made);
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
    int64_t low, high, begin = -1, summed = -1; /* the block that holds sums to its end */
    for (; h < end; h++) {
        windows_of_cell(height, h, &low, &high);
        if (begin < 0) g->made = begin = low / block * block;
        while (g->made <= high) {
            const int64_t before = g->made - block;
            if (g->made % block == 0 && g->made > begin && summed != before)
                suffix_sums(g, summed = before, g->made);
            make_row_in_block(dt, g);
        }
        const int64_t last = high / block * block;
        const float *rows[2] = {g->prefix, g->prefix};
        int count = 1;
        if (low > high) {
            count = 0;
        } else if (low > last) {
            if (summed != last) suffix_sums(g, summed = last, g->made);
            rows[0] = row_of(g, low);
        } else if (low < last) {
            rows[0] = row_of(g, low);
            count = 2;
        }
        put_rows(dt, g, rows, count, h, 1);
    }
}

/* The row of dY over row h of dX where at most one is; -1: none. */
static inline int64_t single_row(const struct grad *g, int64_t h)
{
    const struct pool_axis *height = &g->plan.height;
    const int64_t row = (h + height->pad) / height->stride;
    const int64_t place = (h + height->pad) - row * height->stride;
    return place < height->rest && row < height->out && g->in.windows.depths == 1 ? row : -1;
}

/* One channel, at most one window over a cell: a row of dX is a row of dY, scaled and spread. As
 * many rows at a time as share their factors. */
K_TEMPLATE
void walk_expand(enum k_dtype dt, struct grad *g, int64_t h, int64_t end)
{
    const struct pool_axis *height = &g->plan.height, *width = &g->plan.width;
    const int64_t bytes = g->in.cells * k_size(dt);
    const int64_t row_bytes = width->out * k_size(dt);
    struct k_rows in = rows_begin(g, NULL);
    int64_t row = (h + height->pad) / height->stride;
    int64_t place = (h + height->pad) - row * height->stride;
    const char *from = row_of_dy(g, row, k_size(dt));
    while (h < end) {
        const char *list[POOL_BLOCK];
        const double size = tall_of(g, row);
        const bool whole = row >= g->whole_low && row < g->whole_high;
        const int64_t most = g->contiguous ? pool_min(g->plan.block, end - h) : 1;
        int64_t heights = 0;
        for (; heights < most; heights++) {
            if (!(whole && row < g->whole_high) && tall_of(g, row) != size) break;
            const bool covered = place < height->rest && row < height->out;
            list[heights] = covered && g->in.windows.depths == 1 ? from : NULL;
            if (++place == height->stride) place = 0, row++, from += row_bytes;
        }
        if (g->in.windows.depths == 1) in.scale = scale_of(g, 0, size * deep_of(g, 0));
        if (!g->contiguous)
            sink_begin(&g->sink, row_of_dx(g, h, k_size(dt)), bytes, g->pool->stream_output);
        char *to = sink_room(&g->sink, heights * bytes, in.front != 0);
        in.rows = heights;
        expand_rows_step(dt, (int)width->stride, width->rest == width->stride, g->pattern, &in,
                         list, to, bytes);
        sink_took(&g->sink, heights * bytes);
        if (!g->contiguous) sink_end(&g->sink);
        h += heights;
    }
}

/* All channels of window j to `cells` cells, by pieces that the sink takes; j < 0: zeros. */
K_TEMPLATE
void sink_cells(enum k_dtype dt, struct grad *g, int j, int64_t cells)
{
    const int64_t bytes = g->in.window_bytes;
    const bool wide = g->in.channels >= 2 * VL && bytes <= SINK_ROOM;
    const int64_t most = wide && j >= 0 ? SINK_ROOM / bytes : 1;
    const int piece = (int)pool_min(g->in.channels, SINK_ROOM / k_size(dt));
    for (int64_t cell = 0; cell < cells; cell += most) {
        const int64_t copies = pool_min(most, cells - cell);
        for (int first = 0; first < g->in.channels; first += piece) {
            const int count = (int)pool_min(piece, g->in.channels - first);
            const int64_t part = copies * count * k_size(dt);
            char *to = sink_room(&g->sink, part, false);
            if (j < 0)
                memset(to, 0, (size_t)part);
            else
                channels_copy(dt, &g->in, j, first, count, to, (int)copies, bytes);
            sink_took(&g->sink, part);
        }
    }
}

/* One window at most over every cell, vectors along the channels: dX is dY's elements, scaled. */
K_TEMPLATE
void walk_straight(enum k_dtype dt, struct grad *g, int64_t h, int64_t end)
{
    const struct pool_axis *width = &g->plan.width;
    struct k_windows *in = &g->in.windows;
    for (; h < end; h++) {
        if (!g->contiguous)
            sink_begin(&g->sink, row_of_dx(g, h, k_size(dt)), g->in.cells * g->in.window_bytes,
                       g->pool->stream_output);
        const int64_t row = single_row(g, h);
        if (row >= 0) {
            in->scale[0] = scale_of(g, 0, tall_of(g, row) * deep_of(g, 0));
            in->at = row_of_dy(g, row, k_size(dt));
        }
        int64_t cell = -g->front;
        for (int j = 0; cell < g->in.cells; j++, cell += width->stride) {
            const int64_t stop = pool_min(cell + width->stride, g->in.cells);
            const int64_t begin = pool_max(cell, 0);
            const int64_t split = pool_max(pool_min(cell + width->rest, stop), begin);
            const bool real = row >= 0 && j < in->real;
            sink_cells(dt, g, real ? j : -1, split - begin);
            sink_cells(dt, g, -1, stop - split);
        }
        if (!g->contiguous) sink_end(&g->sink);
    }
}

/* `cells` cells of one value. */
K_TEMPLATE
void sink_fill(enum k_dtype dt, struct grad *g, float value, int64_t cells)
{
    const vf all = v_all(value), bits = dt == K_F32 ? all : (vf)v_to_halves(dt, all, all);
    for (int64_t bytes = cells * k_size(dt), part; bytes > 0; bytes -= part) {
        part = pool_min(bytes, SINK_ROOM);
        char *to = sink_room(&g->sink, part, false);
        for (int64_t x = 0; x < part; x += K_VECTOR_BYTES)
            memcpy(to + x, &bits, sizeof bits);
        sink_took(&g->sink, part);
    }
}

/* One channel, one row, wide windows that do not overlap: runs of one value each. */
K_TEMPLATE
void walk_runs(enum k_dtype dt, struct grad *g)
{
    const struct pool_axis *width = &g->plan.width;
    struct k_windows *in = &g->in.windows;
    float *values = g->buffers.windows;
    const bool covered = single_row(g, 0) == 0;
    if (!g->contiguous)
        sink_begin(&g->sink, row_of_dx(g, 0, k_size(dt)), g->in.cells * k_size(dt),
                   g->pool->stream_output);
    if (covered) {
        in->at = row_of_dy(g, 0, k_size(dt));
        in->scale[0] = scale_of(g, 0, tall_of(g, 0) * deep_of(g, 0));
        for (int x = 0; x < in->real; x += VL)
            v_store(values + x, windows_load(dt, in, x, x + VL <= in->real));
    }
    int64_t cell = -g->front;
    for (int j = 0; cell < g->in.cells; j++, cell += width->stride) {
        const int64_t stop = pool_min(cell + width->stride, g->in.cells);
        const int64_t begin = pool_max(cell, 0);
        const int64_t split = pool_max(pool_min(cell + width->rest, stop), begin);
        sink_fill(dt, g, covered && j < in->real ? values[j] : 0, split - begin);
        sink_fill(dt, g, 0, stop - split);
    }
    if (!g->contiguous) sink_end(&g->sink);
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

/* The first cell of an item, where items follow each other in memory. */
static inline int64_t item_cell(const struct pool_plan *plan, int64_t item)
{
    return item / plan->cell_tiles * plan->width.in + item % plan->cell_tiles * plan->cells;
}

K_TEMPLATE
void avg_pool_grad(enum k_dtype dt, const struct k_pool *pool, void *const buf[],
                   struct k_slice slice)
{
    const struct pool_plan plan = pool_plan(pool);
    struct grad g;
    grad_begin(&g, dt, pool, &plan, buf);
    if (g.contiguous && slice.begin < slice.end) {
        const int64_t last = slice.end - 1, from = item_cell(&plan, slice.begin);
        const int64_t cells =
            item_cell(&plan, last) - from +
            pool_min(plan.cells, plan.width.in - last % plan.cell_tiles * plan.cells);
        const int64_t cell_bytes = plan.channels * k_size(dt);
        sink_begin(&g.sink, g.dx + from * cell_bytes, cells * cell_bytes, pool->stream_output);
    }
    for (int64_t item = slice.begin, next; item < slice.end; item = next) {
        const int64_t column = item / plan.height.in, h = item % plan.height.in;
        const int64_t end = pool_min(plan.height.in, h + slice.end - item);
        next = item + end - h;
        if (plan.way == POOL_PLAIN) {
            for (int64_t row = h; row < end; row++)
                plain_row(dt, &g, column / plan.depth.in, column % plan.depth.in, row);
            continue;
        }
        column_begin(&g, column);
        if (plan.way == POOL_RUNS)
            walk_runs(dt, &g);
        else if (plan.way == POOL_STRAIGHT)
            walk_straight(dt, &g, h, end);
        else if (plan.way == POOL_EXPAND)
            walk_expand(dt, &g, h, end);
        else if (plan.zero_rows)
            walk_dense(dt, &g, h, end);
        else if (plan.heights <= POOL_DIRECT)
            walk_strided(dt, &g, h, end);
        else
            walk_blocks(dt, &g, h, end);
    }
    line_end(dt, &g.line);
    if (g.contiguous) sink_end(&g.sink);
    if (pool->stream_output) k_stream_end();
}

K_FLOATS(avg_pool_grad, struct k_pool)
