/* SPDX-License-Identifier: Apache-2.0 */
/* Average pooling of many channels with small windows or bins: outputs straight from the cells of
 * their windows, which stay in the first cache from one output to the next; vectors run along the
 * channels. The order of the sums is that of rows of sums: along the height, then along the width.
 */
#ifndef ACLNN_CPU_KERNELS_POOL_AVERAGE_CELLS_H
#define ACLNN_CPU_KERNELS_POOL_AVERAGE_CELLS_H

#include "kernels/pool/average.h"
#include "kernels/vector/block.h"

/* Outputs of one row. */
struct cells {
    const char *from; /* the first row of the windows, cell 0 */
    char *to;         /* output 0 */
    const float *scale;
    int64_t row_bytes, cell_bytes; /* of the input; outputs are cell_bytes apart, too */
    int64_t deep_bytes;            /* from a plane to the next one */
    float *slots;                  /* for the sums along the height of two columns */
    int64_t last;                  /* where the last block begins: bytes from channel 0 */
    int64_t row_step, to_step;     /* from a row of windows to the next one */
    int64_t stride;                /* of the width: cells from window to window */
    int rows, deep;                /* of a window: rows and planes */
    int blocks;
    bool narrow; /* blocks are of VL elements */
    bool stream;
    float factors[AVG_DIRECT_BINS]; /* of gradients: what rows of the input are multiplied with */
};

enum {
    CELLS_SLOT = AVG_FLOATS / 2, /* floats of a column's sums */
    CELLS_LONG = 8               /* blocks from which cells are read one after the other */
};

/* What a loop over windows knows when it is compiled. step: from window to window, both ways; 0:
 * unknown. */
struct window {
    int rows, columns, deep, step;
    bool narrow;
    bool apart; /* a step of two: cells are read in the order of memory */
};

/* A sum of nothing but -0 is 0. */
K_TEMPLATE
struct k_block cells_sum(struct k_block x)
{
    return (struct k_block){x.a + (vf){0}, x.b + (vf){0}};
}

K_TEMPLATE
struct k_block cells_times(enum k_dtype dt, struct k_block x, float factor)
{
    return (struct k_block){x.a * v_all(factor), dt == K_F32 ? x.b : x.b * v_all(factor)};
}

K_TEMPLATE
struct k_block cells_load(enum k_dtype dt, bool narrow, const char *at)
{
    return narrow ? (struct k_block){k_load(dt, at), {0}} : block_load(dt, at);
}

/* A cell and those behind it along the depth. */
K_TEMPLATE
struct k_block cells_deep(enum k_dtype dt, struct window w, bool is_new, const struct cells *c,
                          const char *at, int64_t ahead)
{
    const enum k_dtype parts = w.narrow ? K_F32 : dt;
    struct k_block sum = cells_load(dt, w.narrow, at);
    if (is_new) k_prefetch(at + ahead);
    for (int i = 1; i < w.deep; i++) {
        at += c->deep_bytes;
        sum = block_add(parts, sum, cells_load(dt, w.narrow, at));
        if (is_new) k_prefetch(at + ahead);
    }
    return sum;
}

/* A column of cells, `fresh` of which were not in the row of windows above. */
K_TEMPLATE
struct k_block cells_column(enum k_dtype dt, struct window w, int fresh, const struct cells *c,
                            const char *at, int64_t ahead)
{
    const enum k_dtype parts = w.narrow ? K_F32 : dt;
    struct k_block sum = cells_deep(dt, w, fresh >= w.rows, c, at, ahead);
#pragma GCC unroll 3
    for (int i = 1; i < w.rows; i++) {
        at += c->row_bytes;
        sum = block_add(parts, sum, cells_deep(dt, w, fresh >= w.rows - i, c, at, ahead));
    }
    return sum;
}

/* The newest cells of a window's rows are column w.columns - 1: at a step of one alone, at a step
 * of two with the one before it. */
K_TEMPLATE
struct k_block cells_column_of(enum k_dtype dt, struct window w, int column, const struct cells *c,
                               const char *at, int64_t ahead)
{
    const int fresh = w.step >= w.columns - column ? w.step : 0;
    return cells_column(dt, w, fresh, c, at + column * c->cell_bytes, ahead);
}

K_TEMPLATE
void cells_put(enum k_dtype dt, struct window w, const struct cells *c, struct k_block sum,
               float scale, char *to)
{
    const enum k_dtype parts = w.narrow ? K_F32 : dt;
    sum = cells_times(parts, cells_sum(sum), scale);
    if (w.narrow)
        k_store(dt, to, sum.a);
    else
        k_write(to, block_elements(dt, sum), c->stream);
}

/* A window. */
K_TEMPLATE
void cells_window(enum k_dtype dt, struct window w, const struct cells *c, const char *at,
                  float scale, char *to, int64_t ahead)
{
    const enum k_dtype parts = w.narrow ? K_F32 : dt;
    const int64_t bytes = (w.narrow ? VL : BLOCK(dt)) * k_size(dt);
    for (int block = 0; block < c->blocks; block++) {
        const int64_t x = pool_min(block * bytes, c->last);
        struct k_block sum = cells_column_of(dt, w, 0, c, at + x, ahead);
#pragma GCC unroll 3
        for (int i = 1; i < w.columns; i++)
            sum = block_add(parts, sum, cells_column_of(dt, w, i, c, at + x, ahead));
        cells_put(dt, w, c, sum, scale, to + x);
    }
}

K_TEMPLATE
struct k_block cells_slot(enum k_dtype dt, const float *at)
{
    return (struct k_block){v_load(at), dt == K_F32 ? (vf){0} : v_load(at + VL)};
}

K_TEMPLATE
void cells_keep(enum k_dtype dt, float *at, struct k_block sum)
{
    v_store(at, sum.a);
    if (dt != K_F32) v_store(at + VL, sum.b);
}

/* The last two columns of a window, cell after cell in the order of memory: the sums of the first
 * of them wait in a slot, as those of the last one do for the next window of three columns. */
K_TEMPLATE
void cells_apart(enum k_dtype dt, struct window w, const struct cells *c, const char *at,
                 float scale, char *to, int64_t ahead)
{
    const bool three = w.columns == 3;
    float *old = c->slots, *slot = c->slots + CELLS_SLOT;
    for (int64_t x = 0;; x += K_VECTOR_BYTES, slot += BLOCK(dt)) {
        x = pool_min(x, c->last);
        cells_keep(dt, slot, cells_column_of(dt, w, w.columns - 2, c, at + x, ahead));
        if (x == c->last) break;
    }
    slot = c->slots + CELLS_SLOT;
    for (int64_t x = 0;; x += K_VECTOR_BYTES, slot += BLOCK(dt), old += BLOCK(dt)) {
        x = pool_min(x, c->last);
        struct k_block sum = cells_slot(dt, slot);
        if (three) sum = block_add(dt, cells_slot(dt, old), sum);
        const struct k_block newest = cells_column_of(dt, w, w.columns - 1, c, at + x, ahead);
        if (three) cells_keep(dt, old, newest);
        cells_put(dt, w, c, block_add(dt, sum, newest), scale, to + x);
        if (x == c->last) break;
    }
}

/* The column that the first window of a row would have from the one before. */
K_TEMPLATE
void cells_first_column(enum k_dtype dt, struct window w, const struct cells *c, const char *at)
{
    const struct window old = {.rows = w.rows, .columns = w.columns, .deep = w.deep};
    float *slot = c->slots;
    for (int64_t x = 0;; x += K_VECTOR_BYTES, slot += BLOCK(dt)) {
        x = pool_min(x, c->last);
        cells_keep(dt, slot, cells_column_of(dt, old, 0, c, at + x, 0));
        if (x == c->last) break;
    }
}

/* Outputs [begin, end) of `rows` rows, whose windows are alike; the first one begins at `at`. What
 * lies FAR_BYTES ahead of the last ones of a row is in the next row of windows, not in the next row
 * of the input. */
K_TEMPLATE
void cells_outputs(enum k_dtype dt, struct window w, const struct cells *given, const char *at,
                   int64_t begin, int64_t end, int64_t rows)
{
    const struct cells c = *given; /* a copy: not read again after each store */
    const int64_t step = c.stride * c.cell_bytes, count = end - begin;
    const int64_t near = w.step > 0 ? (c.from + c.row_bytes - at - FAR_BYTES) / step : 0;
    const int64_t split = pool_min(pool_max(near, 0), count);
    const float *scale = c.scale + begin;
    char *to = c.to + begin * c.cell_bytes;
    for (; rows > 0; rows--) {
        if (w.apart && w.columns == 3) cells_first_column(dt, w, &c, at);
        for (int64_t o = 0; o < count;) {
            const int64_t last = o < split ? split : count;
            const int64_t ahead = FAR_BYTES + (o < split ? 0 : c.row_step - c.row_bytes);
            for (; o < last; o++, at += step, to += c.cell_bytes)
                if (w.apart)
                    cells_apart(dt, w, &c, at, scale[o], to, ahead);
                else
                    cells_window(dt, w, &c, at, scale[o], to, ahead);
        }
        at += c.row_step - count * step;
        to += c.to_step - count * c.cell_bytes;
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
        const int64_t x = pool_min((int64_t)block * K_VECTOR_BYTES, c.last);
        struct k_block sum = {{0}, {0}};
        for (int i = 0; i < m; i++) {
            const char *from = at + x + i * c.cell_bytes;
            struct k_block column = cells_times(dt, block_load(dt, from), c.factors[0]);
            for (int r = 1; r < n; r++)
                column = block_add(
                    dt, column,
                    cells_times(dt, block_load(dt, from + r * c.row_bytes), c.factors[r]));
            column = cells_times(dt, column, factors[i]);
            sum = i == 0 ? column : block_add(dt, sum, column);
        }
        sum = cells_times(dt, cells_sum(sum), c.scale[output]);
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

/* Functions for the windows that are usual. */
#define CELLS_RUN(name, dt, ...)                                                                   \
    K_OUTLINE void name(const struct cells *c, int m, const char *at, int64_t begin, int64_t end,  \
                        int64_t rows)                                                              \
    {                                                                                              \
        (void)m;                                                                                   \
        cells_outputs(dt, (struct window){__VA_ARGS__}, c, at, begin, end, rows);                  \
    }
#define CELLS_OF(suffix, dt)                                                                       \
    CELLS_RUN(cells_2_2##suffix, dt, 2, 2, 1, 2, false, false)                                     \
    CELLS_RUN(cells_2_2_deep##suffix, dt, 2, 2, 2, 2, false, false)                                \
    CELLS_RUN(cells_2_2_apart##suffix, dt, 2, 2, 1, 2, false, true)                                \
    CELLS_RUN(cells_2_2_deep_apart##suffix, dt, 2, 2, 2, 2, false, true)                           \
    CELLS_RUN(cells_3_1##suffix, dt, 3, 3, 1, 1, false, false)                                     \
    CELLS_RUN(cells_3_2##suffix, dt, 3, 3, 1, 2, false, false)                                     \
    CELLS_RUN(cells_3_2_apart##suffix, dt, 3, 3, 1, 2, false, true)                                \
    CELLS_RUN(cells_2_2_narrow##suffix, dt, 2, 2, 1, 2, true, false)                               \
    CELLS_RUN(cells_narrow##suffix, dt, c->rows, m, c->deep, 0, true, false)                       \
    CELLS_RUN(cells_any##suffix, dt, c->rows, m, c->deep, 0, false, false)                         \
    K_OUTLINE void cells_scaled##suffix(const struct cells *c, int m, const char *at,              \
                                        const float *factors, int64_t output)                      \
    {                                                                                              \
        cells_scaled_of(dt, c, c->rows, m, at, factors, output);                                   \
    }                                                                                              \
    /* m: the windows' columns */                                                                  \
    static inline void cells_run##suffix(const struct cells *c, int m, const char *at,             \
                                         int64_t begin, int64_t end, int64_t rows)                 \
    {                                                                                              \
        const bool special = K_VECTOR_BYTES > 16; /* the base level has the general ones */        \
        const bool twos = special && c->rows == 2 && m == 2 && c->stride == 2;                     \
        const bool threes = special && c->rows == 3 && m == 3 && c->deep == 1;                     \
        const bool apart = c->blocks >= CELLS_LONG && c->blocks * BLOCK(dt) <= CELLS_SLOT;         \
        if (c->narrow)                                                                             \
            (twos && c->deep == 1 ? cells_2_2_narrow##suffix                                       \
                                  : cells_narrow##suffix)(c, m, at, begin, end, rows);             \
        else if (twos && c->deep == 1)                                                             \
            (apart ? cells_2_2_apart##suffix : cells_2_2##suffix)(c, m, at, begin, end, rows);     \
        else if (twos && c->deep == 2)                                                             \
            (apart ? cells_2_2_deep_apart##suffix : cells_2_2_deep##suffix)(c, m, at, begin, end,  \
                                                                            rows);                 \
        else if (threes && c->stride == 2)                                                         \
            (apart ? cells_3_2_apart##suffix : cells_3_2##suffix)(c, m, at, begin, end, rows);     \
        else if (threes && c->stride == 1) /* bins, too */                                         \
            cells_3_1##suffix(c, m, at, begin, end, rows);                                         \
        else                                                                                       \
            cells_any##suffix(c, m, at, begin, end, rows);                                         \
    }
CELLS_OF(_f32, K_F32)
CELLS_OF(_f16, K_F16)
CELLS_OF(_bf16, K_BF16)

K_TEMPLATE
void cells_run(enum k_dtype dt, const struct cells *c, int m, const char *at, int64_t begin,
               int64_t end, int64_t rows)
{
    if (dt == K_F32) cells_run_f32(c, m, at, begin, end, rows);
    if (dt == K_F16) cells_run_f16(c, m, at, begin, end, rows);
    if (dt == K_BF16) cells_run_bf16(c, m, at, begin, end, rows);
}

/* A row. */
K_TEMPLATE
void cells_row_of_outputs(enum k_dtype dt, const struct avg_plan *plan, const struct cells *c)
{
    const struct avg_axis *width = &plan->width;
    for (int64_t o = 0, end; o < width->out; o = end) {
        const struct avg_range range = avg_range(width, o);
        const int m = (int)range.count;
        end = o + 1;
        if (width->span == K_SPAN_WINDOWS && m == width->kernel)
            end = pool_min((width->in + width->pad - m) / width->stride + 1, width->out);
        cells_run(dt, c, m, c->from + range.first * c->cell_bytes, o, end, 1);
    }
}

/* A row of a gradient; columns: what its columns are multiplied with. */
K_TEMPLATE
void cells_row_scaled(enum k_dtype dt, const struct avg_plan *plan, const struct cells *c,
                      const float *columns)
{
    for (int64_t o = 0; o < plan->width.out; o++) {
        const struct avg_range range = avg_range(&plan->width, o);
        const char *at = c->from + range.first * c->cell_bytes;
        const float *factors = columns + range.first;
        const int m = (int)range.count;
        if (dt == K_F32) cells_scaled_f32(c, m, at, factors, o);
        if (dt == K_F16) cells_scaled_f16(c, m, at, factors, o);
        if (dt == K_BF16) cells_scaled_bf16(c, m, at, factors, o);
    }
}

/* Row `row` of the column's outputs. */
K_TEMPLATE
struct cells cells_begin(enum k_dtype dt, struct average *g, int64_t row)
{
    const struct avg_range rows = avg_range(&g->plan.height, row);
    const bool narrow = g->channels < BLOCK(dt);
    const int elements = narrow ? VL : BLOCK(dt);
    char *to = output_at(g, row, 0);
    const bool aligned = ((uintptr_t)to | (uintptr_t)g->cell_bytes) % LINE_BYTES == 0;
    struct cells c = {.from = input_at(g, g->depths.first, rows.first, 0),
                      .to = to,
                      .scale = scale_of(g, row_size(g, row)),
                      .row_bytes = g->plan.width.in * g->cell_bytes,
                      .cell_bytes = g->cell_bytes,
                      .last = (g->channels - elements) * k_size(dt),
                      .row_step = g->plan.height.stride * g->plan.width.in * g->cell_bytes,
                      .to_step = g->plan.width.out * g->cell_bytes,
                      .slots = g->sums,
                      .stride = g->plan.width.stride,
                      .rows = (int)rows.count,
                      .deep = (int)g->depths.count,
                      .blocks = (g->channels + elements - 1) / elements,
                      .narrow = narrow,
                      .stream = g->average->stream_output && aligned};
    c.deep_bytes = g->plan.height.in * c.row_bytes;
    for (int64_t i = 0; i < rows.count && g->average->gradient; i++)
        c.factors[i] = input_factor(g, g->depths.first, rows.first + i);
    return c;
}

/* Items are rows of outputs. */
K_TEMPLATE
void walk_cells(enum k_dtype dt, struct average *g, struct k_slice slice)
{
    const struct avg_plan *plan = &g->plan;
    const bool gradient = g->average->gradient;
    const struct avg_axis *width = &plan->width; /* windows are all whole? */
    const bool even = !gradient && width->span == K_SPAN_WINDOWS && width->pad == 0 &&
                      (width->out - 1) * width->stride + width->kernel <= width->in;
    float columns[AVG_COLUMNS];
    for (int64_t i = 0; i < plan->width.in && gradient; i++)
        columns[i] = (float)(1.0 / avg_size_of(g, &plan->width, i));
    for (int64_t item = slice.begin; item < slice.end;) {
        const int64_t row = item % plan->height.out;
        if (item == slice.begin || row == 0) column_begin(g, item / plan->height.out);
        struct cells c = cells_begin(dt, g, row);
        const int64_t rows = pool_min(plan->height.out - row, slice.end - item);
        const int64_t alike = pool_min(rows_alike(g, row), rows);
        item += alike;
        if (even) {
            cells_run(dt, &c, (int)plan->width.kernel, c.from, 0, plan->width.out, alike);
            continue;
        }
        for (int64_t left = alike; left > 0; left--) {
            if (gradient)
                cells_row_scaled(dt, plan, &c, columns);
            else
                cells_row_of_outputs(dt, plan, &c);
            c.from += c.row_step;
            c.to += c.to_step;
        }
    }
    if (g->average->stream_output) k_stream_end();
}

#endif
