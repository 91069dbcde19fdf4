/* SPDX-License-Identifier: Apache-2.0 */
/* Average pooling of many channels with small windows or bins: outputs straight from the cells of
 * their windows, which stay in the first cache from one output to the next; vectors run along the
 * channels. The order of the sums is that of rows of sums: along the height, then along the width.
 */
#ifndef ACLNN_CPU_KERNELS_SIMD_AVERAGE_CELLS_H
#define ACLNN_CPU_KERNELS_SIMD_AVERAGE_CELLS_H

#include "kernels/simd/average.h"
#include "kernels/simd/block.h"

/* Outputs of one row. */
struct cells {
    const char *from; /* the first row of the windows, cell 0 */
    char *to;         /* output 0 */
    const float *scale;
    int64_t row_bytes, cell_bytes; /* of the input; outputs are cell_bytes apart, too */
    int64_t last;                  /* channel where the last block begins */
    int64_t stride;                /* of the width: cells from window to window */
    int blocks;
    bool stream;
    float rows[AVG_DIRECT_BINS]; /* of gradients: what rows of the input are multiplied with */
};

K_TEMPLATE
struct k_block cells_times(enum k_dtype dt, struct k_block x, float factor)
{
    return (struct k_block){x.a * v_all(factor), dt == K_F32 ? x.b : x.b * v_all(factor)};
}

/* A column of n cells. fresh: so many of them were not in the row of windows above. */
K_TEMPLATE
struct k_block cells_column(enum k_dtype dt, int n, int fresh, const char *at, int64_t row_bytes)
{
    struct k_block sum = block_load(dt, at);
    if (fresh >= n) k_prefetch_far(at);
#pragma GCC unroll 3
    for (int i = 1; i < n; i++) {
        at += row_bytes;
        sum = block_add(dt, sum, block_load(dt, at));
        if (fresh >= n - i) k_prefetch_far(at);
    }
    return sum;
}

/* A block of a window of n rows and m columns; step: of the windows, 0: unknown. */
K_TEMPLATE
vf cells_window(enum k_dtype dt, int n, int m, int step, const struct cells *c, const char *at,
                float scale)
{
    struct k_block sum = cells_column(dt, n, step >= m ? step : 0, at, c->row_bytes);
#pragma GCC unroll 3
    for (int i = 1; i < m; i++) {
        at += c->cell_bytes;
        sum = block_add(dt, sum, cells_column(dt, n, step >= m - i ? step : 0, at, c->row_bytes));
    }
    return block_elements(dt, cells_times(dt, sum, scale));
}

/* Outputs [begin, end), whose windows have n rows and m columns; the first one begins at `at`. */
K_TEMPLATE
void cells_outputs(enum k_dtype dt, int n, int m, int step, const struct cells *given,
                   const char *at, int64_t begin, int64_t end)
{
    const struct cells c = *given; /* a copy: not read again after each store */
    char *to = c.to + begin * c.cell_bytes;
    for (int64_t o = begin; o < end; o++, at += c.stride * c.cell_bytes, to += c.cell_bytes) {
        const float scale = c.scale[o];
        for (int block = 0; block < c.blocks; block++) {
            const int64_t x = pool_min((int64_t)block * BLOCK(dt), c.last) * k_size(dt);
            k_write(to + x, cells_window(dt, n, m, step, &c, at + x, scale), c.stream);
        }
    }
}

/* An output of a gradient: n rows and m columns of inputs, `factors` of the columns. */
K_TEMPLATE
void cells_scaled(enum k_dtype dt, int n, int m, const struct cells *given, const char *at,
                  const float *factors, int64_t output)
{
    const struct cells c = *given;
    char *to = c.to + output * c.cell_bytes;
    for (int block = 0; block < c.blocks; block++) {
        const int64_t x = pool_min((int64_t)block * BLOCK(dt), c.last) * k_size(dt);
        struct k_block sum = {{0}, {0}};
        for (int i = 0; i < m; i++) {
            const char *from = at + x + i * c.cell_bytes;
            struct k_block column = cells_times(dt, block_load(dt, from), c.rows[0]);
            for (int r = 1; r < n; r++)
                column = block_add(
                    dt, column, cells_times(dt, block_load(dt, from + r * c.row_bytes), c.rows[r]));
            column = cells_times(dt, column, factors[i]);
            sum = i == 0 ? column : block_add(dt, sum, column);
        }
        sum = cells_times(dt, sum, c.scale[output]);
        k_write(to + x, block_elements(dt, sum), c.stream);
    }
}

K_TEMPLATE
void cells_scaled_of(enum k_dtype dt, const struct cells *c, int n, int m, const char *at,
                     const float *factors, int64_t output)
{
    if (n == 1 && m == 1)
        cells_scaled(dt, 1, 1, c, at, factors, output);
    else if (n == 1 && m == 2)
        cells_scaled(dt, 1, 2, c, at, factors, output);
    else if (n == 2 && m == 1)
        cells_scaled(dt, 2, 1, c, at, factors, output);
    else if (n == 2 && m == 2)
        cells_scaled(dt, 2, 2, c, at, factors, output);
    else
        cells_scaled(dt, n, m, c, at, factors, output);
}

#define CELLS_OF(suffix, dt)                                                                       \
    static __attribute__((noinline)) void cells_2_2##suffix(const struct cells *c, const char *at, \
                                                            int64_t begin, int64_t end)            \
    {                                                                                              \
        cells_outputs(dt, 2, 2, 2, c, at, begin, end);                                             \
    }                                                                                              \
    static __attribute__((noinline)) void cells_3_1##suffix(const struct cells *c, const char *at, \
                                                            int64_t begin, int64_t end)            \
    {                                                                                              \
        cells_outputs(dt, 3, 3, 1, c, at, begin, end);                                             \
    }                                                                                              \
    static __attribute__((noinline)) void cells_3_2##suffix(const struct cells *c, const char *at, \
                                                            int64_t begin, int64_t end)            \
    {                                                                                              \
        cells_outputs(dt, 3, 3, 2, c, at, begin, end);                                             \
    }                                                                                              \
    static __attribute__((noinline)) void cells_any##suffix(                                       \
        const struct cells *c, int n, int m, const char *at, int64_t begin, int64_t end)           \
    {                                                                                              \
        cells_outputs(dt, n, m, 0, c, at, begin, end);                                             \
    }                                                                                              \
    static __attribute__((noinline)) void cells_scaled##suffix(                                    \
        const struct cells *c, int n, int m, const char *at, const float *factors, int64_t output) \
    {                                                                                              \
        cells_scaled_of(dt, c, n, m, at, factors, output);                                         \
    }                                                                                              \
    static inline void cells_run##suffix(const struct cells *c, int n, int m, const char *at,      \
                                         int64_t begin, int64_t end)                               \
    {                                                                                              \
        if (n == 2 && m == 2 && c->stride == 2)                                                    \
            cells_2_2##suffix(c, at, begin, end);                                                  \
        else if (n == 3 && m == 3 && c->stride == 1)                                               \
            cells_3_1##suffix(c, at, begin, end);                                                  \
        else if (n == 3 && m == 3 && c->stride == 2)                                               \
            cells_3_2##suffix(c, at, begin, end);                                                  \
        else                                                                                       \
            cells_any##suffix(c, n, m, at, begin, end);                                            \
    }
CELLS_OF(_f32, K_F32)
CELLS_OF(_f16, K_F16)
CELLS_OF(_bf16, K_BF16)

/* Row `row` of the column's outputs. */
K_TEMPLATE
void cells_row_of_outputs(enum k_dtype dt, struct average *g, int64_t row, const float *columns)
{
    const struct avg_axis *width = &g->plan.width;
    const struct avg_range rows = avg_range(&g->plan.height, row);
    const bool gradient = g->average->gradient;
    char *to = output_at(g, row, 0);
    const bool aligned = ((uintptr_t)to | (uintptr_t)g->cell_bytes) % LINE_BYTES == 0;
    struct cells c = {.from = input_at(g, g->depths.first, rows.first, 0),
                      .to = to,
                      .scale = scale_of(g, row_size(g, row)),
                      .row_bytes = width->in * g->cell_bytes,
                      .cell_bytes = g->cell_bytes,
                      .last = g->channels - BLOCK(dt),
                      .stride = width->stride,
                      .blocks = (g->channels + BLOCK(dt) - 1) / BLOCK(dt),
                      .stream = g->average->stream_output && aligned};
    for (int64_t i = 0; i < rows.count && gradient; i++)
        c.rows[i] = input_factor(g, g->depths.first, rows.first + i);
    const int n = (int)rows.count;
    for (int64_t o = 0, end; o < width->out; o = end) {
        const struct avg_range range = avg_range(width, o);
        const char *at = c.from + range.first * c.cell_bytes;
        const float *factors = columns + range.first;
        const int m = (int)range.count;
        end = o + 1;
        if (gradient) {
            if (dt == K_F32) cells_scaled_f32(&c, n, m, at, factors, o);
            if (dt == K_F16) cells_scaled_f16(&c, n, m, at, factors, o);
            if (dt == K_BF16) cells_scaled_bf16(&c, n, m, at, factors, o);
            continue;
        }
        /* Windows have all their cells up to the last one that ends in the input. */
        if (width->span == K_SPAN_WINDOWS && range.count == width->kernel)
            end =
                pool_min((width->in + width->pad - width->kernel) / width->stride + 1, width->out);
        if (dt == K_F32) cells_run_f32(&c, n, m, at, o, end);
        if (dt == K_F16) cells_run_f16(&c, n, m, at, o, end);
        if (dt == K_BF16) cells_run_bf16(&c, n, m, at, o, end);
    }
}

/* Items are rows of outputs. */
K_TEMPLATE
void walk_cells(enum k_dtype dt, struct average *g, struct k_slice slice)
{
    const struct avg_plan *plan = &g->plan;
    float columns[AVG_COLUMNS];
    for (int64_t i = 0; i < plan->width.in && g->average->gradient; i++)
        columns[i] = (float)(1.0 / avg_size_of(g, &plan->width, i));
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t row = item % plan->height.out;
        if (item == slice.begin || row == 0) column_begin(g, item / plan->height.out);
        cells_row_of_outputs(dt, g, row, columns);
    }
    if (g->average->stream_output) k_stream_end();
}

#endif
