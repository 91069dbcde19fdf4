/* SPDX-License-Identifier: Apache-2.0 */
/* out[o] = sum of in[i] over the box of ranges of o, times 1 / size(o); gradients: the sum of
 * in[i] / size(i). Average pooling, adaptive average pooling and its gradient, the gradient of
 * dilated windows.
 *
 * Separable: the rows that a row of outputs needs are added first, along the depth, then along the
 * height, vector by vector, into one row of sums in L1; outputs then add along that row. Rows
 * summed over the depth wait in a ring for the next rows of outputs. So the cost of an element
 * grows with the sum of a window's extents at most. Small planes are added as a whole, first along
 * the height, then along the width (average_planes.h). Many channels with small windows need no row
 * of sums (average_cells.h).
 *
 * Order of a sum, the same for every level, layout and cutting: along each axis blocks of AVG_BLOCK
 * consecutive terms, each from its first to its last, then the blocks' sums likewise. Blocks begin
 * at the range's first cell; along the width, for windows of up to AVG_UNIFORM cells, at the
 * window's first cell, in the padding or not.
 *
 * Error, with n_d, n_h, n_w terms along the axes and b(n) = min(n, 8) - 1 + (n - 1) / 8:
 *     |out - exact| <= (2 + b(n_d) + b(n_h) + b(n_w)) * 2^-24 * sum |in[i] / size|
 * (first order), for gradients 4 instead of 2 (the size is divided in two factors), plus the
 * rounding of the store. */
#include "kernels/pool/average.h"
#include "kernels/pool/average_along.h"
#include "kernels/pool/average_cells.h"
#include "kernels/pool/average_planes.h"
#include "kernels/pool/average_rows.h"
#include "kernels/vector/instance.h"

/* ---- rows of outputs ---- */

/* Rows [row, row + rows) of the output; several only if they follow each other in memory. */
K_TEMPLATE
void put_columns(enum k_dtype dt, struct average *g, int64_t row, int rows, const float *sums,
                 const float *scale)
{
    const int64_t bytes = g->columns * k_size(dt);
    if (!g->contiguous)
        outlet_begin(&g->outlet, output_at(g, row, g->first_cell), bytes,
                     g->average->stream_output);
    const int64_t lines = g->plan.joined ? 1 : rows, line = g->plan.joined ? rows * bytes : bytes;
    char *to = outlet_room(&g->outlet, lines, line);
    const int64_t pitch = outlet_pitch(&g->outlet, line);
    if (g->plan.joined) {
        columns_row(dt, g, sums, scale, g->columns * rows, to);
    } else {
        for (int r = 0; r < rows; r++)
            columns_row(dt, g, sums + r * g->row_floats, scale, g->columns, to + r * pitch);
    }
    outlet_took(&g->outlet, lines, line);
    if (!g->contiguous) outlet_end(&g->outlet);
}

K_TEMPLATE
void put_cells(enum k_dtype dt, struct average *g, int64_t row, const float *sums,
               const float *scale)
{
    const int64_t bytes = g->channels * k_size(dt);
    const bool apart = g->plan.channel_tiles > 1;
    const bool stream = g->average->stream_output;
    const int most = apart ? 1 : (int)pool_max(OUTLET_ROOM / bytes, 1);
    char *to = output_at(g, row, g->first_cell);
    if (!g->contiguous && !apart) outlet_begin(&g->outlet, to, g->cells * bytes, stream);
    for (int cell = 0, end; cell < g->cells; cell = end) {
        end = (int)pool_min(cell + most, g->cells);
        if (apart) outlet_begin(&g->outlet, to + cell * g->cell_bytes, bytes, stream);
        char *room = outlet_room(&g->outlet, 1, (end - cell) * bytes);
        cells_row(dt, g, sums, scale, cell, end, room, bytes);
        outlet_took(&g->outlet, 1, (end - cell) * bytes);
        if (apart) outlet_end(&g->outlet);
    }
    if (!g->contiguous && !apart) outlet_end(&g->outlet);
}

/* real: the sums of the cells that are read. */
static inline void apply_factors(const struct average *g, float *real)
{
    const float *factor = (const float *)(const void *)g->factors;
    const int64_t floats = g->real * g->channels;
    if (!g->plan.wide) {
        for (int64_t x = 0; x < floats; x += VL)
            v_store(real + x, v_load(real + x) * v_load(factor + x));
        return;
    }
    for (int64_t cell = 0; cell < g->real; cell++, real += g->channels)
        for (int x = 0; x < g->channels; x += VL) {
            const vf old = v_load(real + x), value = old * v_all(factor[cell]);
            v_store(real + x, v_first(g->channels - x, value, old));
        }
}

/* The row of its column that item `item` is, where that begins as all columns do. */
static inline int64_t spanned_row(struct average *g, int64_t item)
{
    const int64_t column = item / g->plan.height.out;
    g->depth = column;
    g->depths.first = column * g->plan.depth.kernel;
    return item - column * g->plan.height.out;
}

/* Rows [row, row + rows) of the output: the sums of all first, then what adds along them, so that
 * stores have left the store queue when they are read (a load that spans two stores has to wait for
 * both). */
K_TEMPLATE
void put_rows(enum k_dtype dt, struct average *g, int64_t row, int rows)
{
    const struct reading reading = {.cell = g->real_low,
                                    .pieces = g->pieces,
                                    .floats = g->piece_floats,
                                    .bytes = g->piece_bytes};
    const int64_t floats = g->real * g->channels, row_floats = g->row_floats;
    float *real = g->sums + g->lead;
    for (int64_t r = 0, done; r < rows; r += done) {
        const int64_t at = g->plan.spans ? spanned_row(g, row + r) : row + r;
        done = sum_whole(dt, g, at, rows - r, real + r * row_floats);
        if (done == 0) {
            if (g->plan.spans) column_begin(g, (row + r) / g->plan.height.out);
            sum_tall(dt, g, &reading, at, real + r * row_floats);
            done = 1;
        }
    }
    for (int r = 0; r < rows && (g->average->gradient || g->behind > 0); r++) {
        float *at = real + r * row_floats;
        if (g->average->gradient) apply_factors(g, at);
        for (int64_t x = 0; x < g->behind; x += VL)
            v_store(at + floats + x, v_all(-0.0f));
    }
    const int most = g->contiguous && !g->plan.wide
                         ? (int)pool_max(OUTLET_ROOM / (g->columns * k_size(dt) + LINE_BYTES), 1)
                         : 1;
    const float *sums = g->sums + g->lead - g->front;
    for (int r = 0, end; r < rows; sums += (end - r) * row_floats, r = end) {
        const double size = row_size(g, row + r);
        const float *scale = scale_of(g, size);
        end = r + (int)pool_min(rows_alike(g, row + r), pool_min(most, rows - r));
        if (g->plan.wide)
            put_cells(dt, g, row + r, sums, scale);
        else
            put_columns(dt, g, row + r, end - r, sums, scale);
    }
}

/* Outputs of too many terms for a row of sums: AVG_BLOCK of them at a time. */
K_TEMPLATE
void put_gathered(enum k_dtype dt, struct average *g, int64_t row)
{
    const struct avg_axis *width = &g->plan.width;
    const float scale = scale_of(g, row_size(g, row))[0];
    const struct avg_range range = avg_range(width, g->first_cell);
    const int channels = g->channels;
    float *total = (float *)(void *)g->factors;
    char *to = output_at(g, row, g->first_cell);
    memset(total, 0, (size_t)channels * sizeof *total);
    for (int64_t t = 0; t < range.count; t += AVG_BLOCK) {
        const int m = (int)pool_min(range.count - t, AVG_BLOCK);
        for (int i = 0; i < m; i++) {
            const int64_t cell = range.first + (t + i) * width->step;
            const struct reading reading = {.cell = cell, .pieces = 1, .floats = channels};
            float *sums = g->sums + i * channels;
            for (int j = 0; g->plan.deep && j < g->plan.ring_rows; j++)
                g->held[j] = -1;
            sum_tall(dt, g, &reading, row, sums);
            const float factor =
                g->average->gradient ? (float)(1.0 / avg_size_of(g, width, cell)) : 1;
            for (int x = 0; x < channels; x++)
                sums[x] = sums[x] * factor;
        }
        for (int x = 0; x < channels; x++) {
            const float block = lane_sum(g->sums + x, m, channels);
            total[x] = t == 0 ? block : total[x] + block;
        }
    }
    for (int x = 0; x < channels; x += VL) {
        char bytes[K_VECTOR_BYTES];
        k_store(dt, bytes, (v_load(total + x) + (vf){0}) * v_all(scale));
        const int left = (int)pool_min(channels - x, VL);
        memcpy(to + x * k_size(dt), bytes, (size_t)(left * k_size(dt)));
    }
}

/* ---- items ---- */

/* The first output of an item, where items follow each other in memory. */
static inline int64_t item_output(const struct avg_plan *plan, int64_t item)
{
    return item / plan->cell_tiles * plan->width.out + item % plan->cell_tiles * plan->cells;
}

K_TEMPLATE
void avg_pool_planes(enum k_dtype dt, const struct k_average *average, void *const buf[],
                     struct k_slice slice)
{
    struct average g;
    average_begin(&g, k_size(dt), average, buf);
    walk_planes(dt, &g, slice);
}

K_TEMPLATE
void avg_pool_cells(enum k_dtype dt, const struct k_average *average, void *const buf[],
                    struct k_slice slice)
{
    struct average g;
    average_begin(&g, k_size(dt), average, buf);
    walk_cells(dt, &g, slice);
}

K_TEMPLATE
void avg_pool_rows(enum k_dtype dt, const struct k_average *average, void *const buf[],
                   struct k_slice slice)
{
    struct average g;
    average_begin(&g, k_size(dt), average, buf);
    const struct avg_plan *plan = &g.plan;
    const bool sunk = g.contiguous && !plan->gathered && slice.begin < slice.end;
    if (sunk) {
        const int64_t last = slice.end - 1, from = item_output(plan, slice.begin);
        const int64_t tail =
            pool_min(plan->cells, plan->width.out - last % plan->cell_tiles * plan->cells);
        const int64_t outputs = item_output(plan, last) + tail - from;
        outlet_begin(&g.outlet, g.out + from * g.cell_bytes, outputs * g.cell_bytes,
                     average->stream_output);
    }
    for (int64_t item = slice.begin; item < slice.end;) {
        int64_t first = item % plan->height.out;
        int64_t end = pool_min(plan->height.out, first + slice.end - item);
        column_begin(&g, item / plan->height.out);
        if (plan->spans) first = item, end = slice.end; /* rows of all columns */
        for (int64_t row = first; row < end;) {
            const int rows = (int)pool_min(plan->batch, end - row);
            if (plan->gathered)
                put_gathered(dt, &g, row);
            else
                put_rows(dt, &g, row, rows);
            row += rows;
        }
        item += end - first;
    }
    if (sunk) outlet_end(&g.outlet);
    if (average->stream_output) k_stream_end();
}

K_FLOATS(avg_pool_planes, struct k_average)
K_FLOATS(avg_pool_cells, struct k_average)
K_FLOATS(avg_pool_rows, struct k_average)
