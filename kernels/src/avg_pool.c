/* SPDX-License-Identifier: Apache-2.0 */
/* out[o] = sum of in[i] over the box of ranges of o, times 1 / size(o); gradients: the sum of
 * in[i] / size(i). Average pooling, adaptive average pooling and its gradient, the gradient of
 * dilated windows.
 *
 * Separable: the rows that a row of outputs needs are added first, along the depth, then along the
 * height, vector by vector, into one row of sums in L1; outputs then add along that row. Rows
 * summed over the depth wait in a ring for the next rows of outputs. So the cost of an element
 * grows with the sum of a window's extents at most.
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
#include "kernels/simd/average.h"
#include "kernels/simd/instance.h"

/* ---- rows into a row of sums ---- */

/* VL floats at x of the sum of m rows, the first `left` of them if those are fewer. */
K_TEMPLATE
vf rows_at(enum k_dtype dt, bool exact, int m, const char *const rows[], const float *factors,
           enum k_rounding rounding, const char *end, int64_t x, int left)
{
    vf sum = {0};
#pragma GCC unroll 4
    for (int i = 0; i < m; i++) {
        const char *at = rows[i] + x * k_size(dt);
        vf term = left >= VL ? k_load(dt, at) : k_load_first_before(dt, at, left, end);
        if (!exact) {
            term = pool_round(dt, rounding, term);
            if (factors) term = term * v_all(factors[i]);
        }
        sum = i == 0 ? term : sum + term;
    }
    return sum;
}

/* to = (or, joining, to +) the sum of m rows of floats, from the first to the last; factors: of the
 * rows, NULL: 1. */
K_TEMPLATE
void sum_rows(enum k_dtype dt, bool exact, int m, const char *const rows[], const float *factors,
              enum k_rounding rounding, const char *end, int64_t floats, float *to, bool joining)
{
    const char *from[AVG_BLOCK]; /* a copy: not read again after each store */
    for (int i = 0; i < m; i++)
        from[i] = rows[i];
    int64_t x = 0;
    for (; x + VL <= floats; x += VL) {
        const vf sum = rows_at(dt, exact, m, from, factors, rounding, end, x, VL);
        v_store(to + x, joining ? v_load(to + x) + sum : sum);
    }
    if (x == floats) return;
    const int left = (int)(floats - x);
    vf sum = rows_at(dt, exact, m, from, factors, rounding, end, x, left);
    if (joining) sum = v_first(left, v_load(to + x) + sum, v_load(to + x));
    v_store(to + x, sum);
}

#define SUM_ARGUMENTS                                                                              \
    int m, const char *const rows[], const float *factors, enum k_rounding rounding,               \
        const char *end, int64_t floats, float *to, bool joining

K_TEMPLATE
void sum_block(enum k_dtype dt, SUM_ARGUMENTS)
{
    if (factors || rounding != K_ROUND_NONE)
        sum_rows(dt, false, m, rows, factors, rounding, end, floats, to, joining);
    else if (m == 1 && !joining)
        sum_rows(dt, true, 1, rows, NULL, rounding, end, floats, to, false);
    else if (m == 1)
        sum_rows(dt, true, 1, rows, NULL, rounding, end, floats, to, true);
    else if (m == 2 && !joining)
        sum_rows(dt, true, 2, rows, NULL, rounding, end, floats, to, false);
    else if (m == 3 && !joining)
        sum_rows(dt, true, 3, rows, NULL, rounding, end, floats, to, false);
    else
        sum_rows(dt, true, m, rows, NULL, rounding, end, floats, to, joining);
}

static __attribute__((noinline)) void sum_block_f32(SUM_ARGUMENTS)
{
    sum_block(K_F32, m, rows, factors, rounding, end, floats, to, joining);
}

static __attribute__((noinline)) void sum_block_f16(SUM_ARGUMENTS)
{
    sum_block(K_F16, m, rows, factors, rounding, end, floats, to, joining);
}

static __attribute__((noinline)) void sum_block_bf16(SUM_ARGUMENTS)
{
    sum_block(K_BF16, m, rows, factors, rounding, end, floats, to, joining);
}

K_TEMPLATE
void sum_block_of(enum k_dtype dt, SUM_ARGUMENTS)
{
    if (dt == K_F32) sum_block_f32(m, rows, factors, rounding, end, floats, to, joining);
    if (dt == K_F16) sum_block_f16(m, rows, factors, rounding, end, floats, to, joining);
    if (dt == K_BF16) sum_block_bf16(m, rows, factors, rounding, end, floats, to, joining);
}

/* What is read of a row: `pieces` pieces of `floats`, `bytes` apart in memory, dense in the sums.
 */
struct reading {
    int64_t cell, pieces, floats, bytes;
};

/* Adds m rows of the input, the i-th at depth d + i * deep and row h + i * tall. Rows that are read
 * once are added one after the other: so memory is read in its order, which prefetchers follow. */
K_TEMPLATE
void sum_input(enum k_dtype dt, const struct average *g, const struct reading *reading, int64_t d,
               int64_t deep, int64_t h, int64_t tall, int m, float *to, bool joining)
{
    const char *rows[AVG_BLOCK];
    float factors[AVG_BLOCK];
    for (int i = 0; i < m; i++) {
        rows[i] = input_at(g, d + i * deep, h + i * tall, reading->cell);
        if (g->average->gradient) factors[i] = input_factor(g, d + i * deep, h + i * tall);
    }
    if (g->plan.sequential && !joining && reading->pieces == 1) {
        for (int i = 0; i < m; i++)
            sum_block_of(dt, 1, rows + i, NULL, g->average->rounding, g->in_end, reading->floats,
                         to, i > 0);
        return;
    }
    for (int64_t piece = 0; piece < reading->pieces; piece++, to += reading->floats) {
        sum_block_of(dt, m, rows, g->average->gradient ? factors : NULL, g->average->rounding,
                     g->in_end, reading->floats, to, joining);
        for (int i = 0; i < m; i++)
            rows[i] += reading->bytes;
    }
}

/* Row h of the input, summed over the column's depths, at its place in the ring. */
K_TEMPLATE
const char *deep_row(enum k_dtype dt, struct average *g, const struct reading *reading, int64_t h,
                     int place)
{
    float *to = g->ring + place * (g->plan.pitch + AVG_RING_SLACK);
    const int64_t step = g->plan.depth.step;
    if (g->plan.kept && g->held[place] == h) return (const char *)to;
    for (int64_t t = 0; t < g->depths.count; t += AVG_BLOCK) {
        const int m = (int)pool_min(g->depths.count - t, AVG_BLOCK);
        sum_input(dt, g, reading, g->depths.first + t * step, step, h, 0, m, to, t > 0);
    }
    g->held[place] = h;
    return (const char *)to;
}

/* The sums over depth and height for row `row` of the output. */
K_TEMPLATE
void sum_tall(enum k_dtype dt, struct average *g, const struct reading *reading, int64_t row,
              float *to)
{
    const struct avg_range range = avg_range(&g->plan.height, row);
    const int64_t step = g->plan.height.step, floats = reading->pieces * reading->floats;
    if (range.count == 0 || g->depths.count == 0) {
        memset(to, 0, (size_t)floats * sizeof *to);
        return;
    }
    for (int64_t t = 0; t < range.count; t += AVG_BLOCK) {
        const int m = (int)pool_min(range.count - t, AVG_BLOCK);
        const int64_t h = range.first + t * step;
        if (!g->plan.deep) {
            sum_input(dt, g, reading, g->depths.first, 0, h, step, m, to, t > 0);
            continue;
        }
        const char *rows[AVG_BLOCK];
        for (int i = 0; i < m; i++) {
            const int64_t place = g->plan.kept ? (h + i * step) % g->plan.ring_rows : i;
            rows[i] = deep_row(dt, g, reading, h + i * step, (int)place);
        }
        sum_block_f32(m, rows, NULL, K_ROUND_NONE, (const char *)(g->ring + AVG_RING_FLOATS),
                      floats, to, t > 0);
    }
}

/* ---- many rows of whole windows ---- */

/* Rows of n rows each: the first at `at`, the next ones step_bytes further. */
struct run {
    const char *at;
    int64_t row_bytes, step_bytes, floats, rows;
    float *to;
    int64_t row_floats;
    int n;
};

K_TEMPLATE
void sum_run(enum k_dtype dt, int n, bool sequential, const struct run *run)
{
    const struct run in = *run;
    const char *at = in.at;
    float *to = in.to;
    for (int64_t r = 0; r < in.rows; r++, at += in.step_bytes, to += in.row_floats) {
        const char *rows[AVG_BLOCK];
        for (int i = 0; i < n; i++)
            rows[i] = at + i * in.row_bytes;
        if (!sequential) {
            for (int64_t x = 0; x < in.floats; x += VL)
                v_store(to + x, rows_at(dt, true, n, rows, NULL, K_ROUND_NONE, NULL, x, VL));
            continue;
        }
        for (int64_t x = 0; x < in.floats; x += VL)
            v_store(to + x, k_load(dt, rows[0] + x * k_size(dt)));
        for (int i = 1; i < n; i++)
            for (int64_t x = 0; x < in.floats; x += VL)
                v_store(to + x, v_load(to + x) + k_load(dt, rows[i] + x * k_size(dt)));
    }
}

K_TEMPLATE
void sum_runs(enum k_dtype dt, bool sequential, const struct run *run)
{
    if (run->n == 1)
        sum_run(dt, 1, false, run);
    else if (run->n == 2)
        sum_run(dt, 2, false, run);
    else if (run->n == 3 && !sequential)
        sum_run(dt, 3, false, run);
    else
        sum_run(dt, run->n, sequential, run);
}

static __attribute__((noinline)) void sum_runs_f32(bool sequential, const struct run *run)
{
    sum_runs(K_F32, sequential, run);
}

static __attribute__((noinline)) void sum_runs_f16(bool sequential, const struct run *run)
{
    sum_runs(K_F16, sequential, run);
}

static __attribute__((noinline)) void sum_runs_bf16(bool sequential, const struct run *run)
{
    sum_runs(K_BF16, sequential, run);
}

/* The sums of as many of the rows from `row` on as have whole windows of at most AVG_BLOCK rows and
 * whose last vectors lie in the tensor; returns how many. */
K_TEMPLATE
int64_t sum_whole(enum k_dtype dt, const struct average *g, int64_t row, int64_t rows, float *to)
{
    const struct avg_axis *height = &g->plan.height;
    const int64_t start = row * height->stride - height->pad;
    if (!g->plan.simple || start < 0 || g->pieces != 1) return 0;
    const int64_t last = (height->in + height->pad - height->kernel) / height->stride;
    struct run run = {.at = input_at(g, g->depths.first, start, g->real_low),
                      .row_bytes = g->plan.width.in * g->cell_bytes,
                      .floats = g->piece_floats,
                      .rows = pool_min(rows, last - row + 1),
                      .to = to,
                      .row_floats = g->row_floats,
                      .n = (int)height->kernel};
    run.step_bytes = height->stride * run.row_bytes;
    const int64_t reach =
        (run.n - 1) * run.row_bytes + (run.floats + VL - 1) / VL * VL * k_size(dt);
    while (run.rows > 0 && g->in_end - run.at < (run.rows - 1) * run.step_bytes + reach)
        run.rows--;
    if (run.rows <= 0) return 0;
    if (dt == K_F32) sum_runs_f32(g->plan.sequential, &run);
    if (dt == K_F16) sum_runs_f16(g->plan.sequential, &run);
    if (dt == K_BF16) sum_runs_bf16(g->plan.sequential, &run);
    return run.rows;
}

/* ---- along the row of sums ---- */

/* One vector of outputs, each the sum of n terms `gap` floats apart. */
K_TEMPLATE
vf plain_sum(int stride, int n, const float *at, int64_t gap)
{
    const vi lanes = v_lanes() * 2;
    vf sum = {0}, block = {0};
#pragma GCC unroll 4
    for (int t = 0; t < n; t++) {
        vf term;
        if (stride == 1) {
            term = v_load(at + t * gap);
        } else {
            const float *even = at + t / 2 * 2;
            term = v_pick(v_load(even), v_load(even + VL), lanes + t % 2);
        }
        block = t % AVG_BLOCK == 0 ? term : block + term;
        if (t % AVG_BLOCK == AVG_BLOCK - 1 || t == n - 1) sum = t < AVG_BLOCK ? block : sum + block;
    }
    return sum;
}

K_TEMPLATE
void plain_row(enum k_dtype dt, int stride, int n, const float *from, int64_t gap,
               const float *scale, int columns, char *to)
{
    for (int x = 0; x < columns; x += VL)
        k_store(dt, to + x * k_size(dt),
                plain_sum(stride, n, from + x * stride, gap) * v_load(scale + x));
}

/* n terms in vectors of any lanes; those that a lane has not count as -0. */
K_TEMPLATE
vf picked_sum(const struct average *g, const float *sums, int x, bool far)
{
    const int vector = x / VL, n = g->terms[vector];
    const int64_t gap = g->plan.width.step * g->channels;
    const float *at = sums + g->base[vector];
    vi lanes, counts;
    memcpy(&lanes, g->first + x, sizeof lanes);
    memcpy(&counts, g->count + x, sizeof counts);
    lanes = lanes - g->base[vector];
    const vi low = lanes & (2 * VL - 1), beyond = lanes >= 2 * VL;
    vf sum = {0}, block = {0};
    for (int t = 0; t < n; t++, at += gap) {
        vf term = v_pick(v_load(at), v_load(at + VL), low);
        if (far) {
            const vf other = v_pick(v_load(at + 2 * VL), v_load(at + 3 * VL), low);
            term = (vf)((beyond & (vi)other) | (~beyond & (vi)term));
        }
        const vi ours = counts > t;
        term = (vf)((ours & (vi)term) | (~ours & (vi)v_all(-0.0f)));
        block = t % AVG_BLOCK == 0 ? term : block + term;
        if (t % AVG_BLOCK == AVG_BLOCK - 1 || t == n - 1) sum = t < AVG_BLOCK ? block : sum + block;
    }
    return (vf)((vi)sum & (counts > 0));
}

static inline float lane_sum(const float *at, int count, int64_t gap)
{
    float sum = 0;
    for (int t = 0; t < count; t += AVG_BLOCK) {
        const int end = count - t < AVG_BLOCK ? count : t + AVG_BLOCK;
        float block = at[t * gap];
        for (int i = t + 1; i < end; i++)
            block = block + at[i * gap];
        sum = t == 0 ? block : sum + block;
    }
    return sum;
}

/* Any ranges. */
K_TEMPLATE
void picked_row(enum k_dtype dt, const struct average *g, const float *sums, const float *scale,
                char *to)
{
    for (int x = 0; x < g->columns; x += VL) {
        vf sum = {0};
        if (g->reach[x / VL] < 2 * VL) {
            sum = picked_sum(g, sums, x, false);
        } else if (g->reach[x / VL] < 4 * VL) {
            sum = picked_sum(g, sums, x, true);
        } else {
            float lanes[VL] = {0};
            const int64_t gap = g->plan.width.step * g->channels;
            for (int i = 0; i < VL && x + i < g->columns; i++)
                lanes[i] = lane_sum(sums + g->first[x + i], g->count[x + i], gap);
            sum = v_load(lanes);
        }
        k_store(dt, to + x * k_size(dt), sum * v_load(scale + x));
    }
}

/* One channel or few: `columns` outputs to `to`, and what fills the last vector. */
K_TEMPLATE
void columns_row(enum k_dtype dt, const struct average *g, const float *from, const float *scale,
                 int columns, char *to)
{
    const int n = (int)g->plan.width.kernel;
    if (!g->plan.plain)
        picked_row(dt, g, from, scale, to);
    else if (g->plan.width.stride == 1 && n == 3)
        plain_row(dt, 1, 3, from, g->channels, scale, columns, to);
    else if (g->plan.width.stride == 1)
        plain_row(dt, 1, n, from, g->channels, scale, columns, to);
    else if (n == 2)
        plain_row(dt, 2, 2, from, 1, scale, columns, to);
    else if (n == 3)
        plain_row(dt, 2, 3, from, 1, scale, columns, to);
    else
        plain_row(dt, 2, n, from, 1, scale, columns, to);
}

/* Many channels: outputs of cells [cell, end), the tile's channels of each, `bytes` apart. */
K_TEMPLATE
void cells_row(enum k_dtype dt, int constant, const struct average *g, const float *sums,
               const float *scale, int cell, int end, char *to, int64_t bytes)
{
    const int channels = g->channels;
    const int64_t gap = g->plan.width.step * channels;
    for (; cell < end; cell++, to += bytes) {
        const float *from = sums + g->first[cell];
        const int n = constant ? constant : g->count[cell];
        for (int tile = 0; tile < channels; tile += VL) {
            const int x = tile + VL <= channels || channels < VL ? tile : channels - VL;
            const vf sum = n == 0 ? (vf){0} : plain_sum(1, n, from + x, gap);
            k_store(dt, to + x * k_size(dt), sum * v_all(scale[cell]));
        }
    }
}

K_TEMPLATE
void cells_row_of(enum k_dtype dt, const struct average *g, const float *sums, const float *scale,
                  int cell, int end, char *to, int64_t bytes)
{
    const int n = g->plan.width.uniform ? (int)g->plan.width.kernel : 0;
    if (n == 2)
        cells_row(dt, 2, g, sums, scale, cell, end, to, bytes);
    else if (n == 3)
        cells_row(dt, 3, g, sums, scale, cell, end, to, bytes);
    else
        cells_row(dt, 0, g, sums, scale, cell, end, to, bytes);
}

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
        cells_row_of(dt, g, sums, scale, cell, end, room, bytes);
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
        done = sum_whole(dt, g, row + r, rows - r, real + r * row_floats);
        if (done == 0) {
            sum_tall(dt, g, &reading, row + r, real + r * row_floats);
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
        end = r + 1;
        while (end < rows && end - r < most && row_size(g, row + end) == size)
            end++;
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
        k_store(dt, bytes, v_load(total + x) * v_all(scale));
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
void avg_pool(enum k_dtype dt, const struct k_average *average, void *const buf[],
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
        const int64_t column = item / plan->height.out, first = item % plan->height.out;
        const int64_t end = pool_min(plan->height.out, first + slice.end - item);
        column_begin(&g, column);
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

K_FLOATS(avg_pool, struct k_average)
