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

K_TEMPLATE
void put_kind(enum k_dtype dt, struct k_line *line, int kind, const struct k_source *source,
              int64_t length, bool stream)
{
    switch (kind) {
    case SOURCE_ROWS:
        line_put(dt, line, SOURCE_ROWS, source, length, stream);
        break;
    case SOURCE_ROWS + 1:
        line_put(dt, line, SOURCE_ROWS + 1, source, length, stream);
        break;
    case SOURCE_ROWS + 2:
        line_put(dt, line, SOURCE_ROWS + 2, source, length, stream);
        break;
    case SOURCE_ROWS + 3:
        line_put(dt, line, SOURCE_ROWS + 3, source, length, stream);
        break;
    case SOURCE_VALUE:
        line_put(dt, line, SOURCE_VALUE, source, length, stream);
        break;
    case SOURCE_SCALED:
        line_put(dt, line, SOURCE_SCALED, source, length, stream);
        break;
    default:
        line_put(dt, line, kind, source, length, stream);
        break;
    }
}

static void put_f32(struct grad *g, int kind, const struct k_source *source, int64_t length)
{
    if (g->pool->stream_output)
        put_kind(K_F32, &g->line, kind, source, length, true);
    else
        put_kind(K_F32, &g->line, kind, source, length, false);
}

static void put_f16(struct grad *g, int kind, const struct k_source *source, int64_t length)
{
    if (g->pool->stream_output)
        put_kind(K_F16, &g->line, kind, source, length, true);
    else
        put_kind(K_F16, &g->line, kind, source, length, false);
}

static void put_bf16(struct grad *g, int kind, const struct k_source *source, int64_t length)
{
    if (g->pool->stream_output)
        put_kind(K_BF16, &g->line, kind, source, length, true);
    else
        put_kind(K_BF16, &g->line, kind, source, length, false);
}

/* Appends a run to the output; one copy of the code per type, whoever calls. */
K_TEMPLATE
void put_source(enum k_dtype dt, struct grad *g, int kind, const struct k_source *source,
                int64_t length)
{
    if (dt == K_F32) put_f32(g, kind, source, length);
    if (dt == K_F16) put_f16(g, kind, source, length);
    if (dt == K_BF16) put_bf16(g, kind, source, length);
}

K_TEMPLATE
void put(enum k_dtype dt, struct grad *g, const float *const rows[], int count, int64_t length)
{
    const struct k_source source = {.rows = rows};
    put_source(dt, g, SOURCE_ROWS + count, &source, length);
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
    const struct pool_plan *plan = &g->plan;
    const int64_t row = (g->outer * plan->depth.in + g->depth) * plan->height.in + h;
    const int64_t at = (row * plan->width.in + g->first_cell) * plan->channels + g->first_channel;
    char *to = g->dx + at * k_size(dt);
    if (!g->contiguous || !g->line.at) line_begin(dt, &g->line, to);
    if (plan->channel_tiles > 1)
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
    const int64_t behind = (POOL_SLACK + plan->pitch - 1) / plan->pitch;
    const int64_t spare = plan->rows - count - behind - plan->ahead;
    const int64_t last = end - 1 + plan->height.pad;
    const int64_t together = pool_max(pool_min(spare, POOL_RUN / plan->pitch), 1);
    g->made = h + plan->height.pad - count + 1;
    while (h < end) {
        const int64_t low = h + plan->height.pad - count + 1;
        int64_t heights = g->contiguous ? pool_min(together, end - h) : 1;
        const int64_t wanted = pool_min(low + count - 2 + heights + plan->ahead, last);
        while (g->made <= wanted)
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
    int64_t first_low, last;
    windows_of_cell(height, end - 1, &first_low, &last);
    g->made = 0;
    for (; h < end; h++) {
        const int64_t low = pool_max(window - height->most + (place < height->rest ? 1 : 2), 0);
        const int64_t high = pool_min(window, height->out - 1);
        g->made = pool_max(g->made, low);
        const int64_t wanted = pool_min(high + g->plan.ahead, last);
        while (g->made <= wanted)
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

/* A window's cells in a row, [cell, cell + stride) without those that the tile lacks: the first
 * ones take the run, the others are in no window. */
K_TEMPLATE
void put_window(enum k_dtype dt, struct grad *g, int kind, const struct k_source *source,
                int64_t cell, bool covered)
{
    const struct pool_axis *width = &g->plan.width;
    const int64_t channels = g->plan.channels;
    const int64_t end = pool_min(cell + width->stride, g->in.cells), begin = pool_max(cell, 0);
    const int64_t split = covered ? pool_max(pool_min(cell + width->rest, end), begin) : begin;
    if (kind == SOURCE_VALUE && begin < split)
        put_source(dt, g, kind, source, split - begin);
    else
        for (int64_t i = begin; i < split; i++)
            put_source(dt, g, kind, source, channels);
    if (split < end) put_source(dt, g, SOURCE_ROWS, source, (end - split) * channels);
}

/* One window at most over every cell, vectors along the channels: dX is dY's elements, scaled. */
K_TEMPLATE
void walk_straight(enum k_dtype dt, struct grad *g, int64_t h, int64_t end)
{
    const struct pool_plan *plan = &g->plan;
    const struct pool_axis *height = &plan->height, *width = &plan->width;
    const struct k_windows *in = &g->in.windows;
    const bool padding = g->pool->count_padding;
    const int64_t step = g->in.window_bytes;
    const float *ring[1] = {g->ring};
    for (; h < end; h++) {
        const int64_t row = (h + height->pad) / height->stride;
        const bool covered = (h + height->pad) % height->stride < height->rest &&
                             row < height->out && in->depths == 1;
        const int64_t at = (g->outer * plan->depth.out + g->depth_low) * height->out + row;
        const char *from = g->dy + (at * width->out + g->first_window) * step;
        const float *scale = NULL;
        if (covered)
            scale = scale_of(g, 0,
                             window_extent(height, padding, row) *
                                 window_extent(&plan->depth, padding, g->depth_low));
        const int64_t to = ((g->outer * plan->depth.in + g->depth) * height->in + h) * width->in;
        if (!g->contiguous || !g->line.at)
            line_begin(dt, &g->line, g->dx + (to + g->first_cell) * step);
        int64_t cell = -g->front;
        for (int j = 0; cell < g->in.cells; j++, cell += width->stride, from += step) {
            struct k_source source = {.at = from, .rounding = in->rounding, .rows = ring};
            int kind = SOURCE_SCALED;
            const bool real = covered && j < in->real;
            if (real) source.value = scale[j];
            if (real && (from - g->dy < 2 * LINE_BYTES || in->end - from < step + 2 * LINE_BYTES)) {
                struct k_channels one = g->in; /* near the tensor's ends: nothing beyond is read */
                one.windows.at = from, one.windows.real = 1;
                one.windows.scale[0] = scale + j;
                channels_scale(dt, &one, g->ring);
                kind = SOURCE_ROWS + 1;
            }
            put_window(dt, g, kind, &source, cell, real);
        }
        if (!g->contiguous) line_end(dt, &g->line);
    }
}

/* One channel, one row, wide windows that do not overlap: runs of one value each. */
K_TEMPLATE
void walk_runs(enum k_dtype dt, struct grad *g)
{
    const struct pool_plan *plan = &g->plan;
    const struct pool_axis *depth = &plan->depth, *width = &plan->width;
    const bool padding = g->pool->count_padding;
    struct k_windows *in = &g->in.windows;
    float *values = g->buffers.windows;
    const int64_t row = g->outer * depth->out + g->depth_low; /* the height has one window */
    in->at = g->dy + (row * width->out + g->first_window) * k_size(dt);
    if (in->depths != 0) {
        in->scale[0] = scale_of(g, 0,
                                window_extent(&plan->height, padding, 0) *
                                    window_extent(depth, padding, g->depth_low));
        for (int x = 0; x < in->real; x += VL)
            v_store(values + x, windows_load(dt, in, x, x + VL <= in->real));
    }
    const int64_t to = (g->outer * depth->in + g->depth) * width->in + g->first_cell;
    if (!g->line.at) line_begin(dt, &g->line, g->dx + to * k_size(dt));
    int64_t cell = -g->front;
    for (int j = 0; cell < g->in.cells; j++, cell += width->stride) {
        const bool real = in->depths != 0 && j < in->real;
        const struct k_source source = {.value = real ? values[j] : 0};
        put_window(dt, g, SOURCE_VALUE, &source, cell, real);
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
        else if (plan.zero_rows)
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
