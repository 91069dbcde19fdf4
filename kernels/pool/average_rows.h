/* SPDX-License-Identifier: Apache-2.0 */
/* Average pooling: rows of the input, added along the depth and the height into a row of sums. */
#ifndef ACLNN_CPU_KERNELS_POOL_AVERAGE_ROWS_H
#define ACLNN_CPU_KERNELS_POOL_AVERAGE_ROWS_H

#include "kernels/pool/average.h"

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

K_OUT_OF_LINE(void, sum_block, (SUM_ARGUMENTS),
              (m, rows, factors, rounding, end, floats, to, joining))

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

enum {
    RUN_AHEAD = 8192, /* bytes that reads are announced ahead, to the first cache */
    RUN_LONG = 384    /* bytes from which a row is worth a loop of its own */
};

/* Rows of n rows each: the first at `at`, the next ones step_bytes further. Each of them is the sum
 * of `deep` rows. */
struct run {
    const char *at;
    int64_t row_bytes, deep_bytes, step_bytes, floats, rows;
    float *to;
    int64_t row_floats;
    /* Announcements that reach the end of a plane go on this much further: where the next windows
     * begin, not in the plane that these read, too. */
    const char *plane_end;
    int64_t leap;
    int n, deep;
    int together; /* rows that are added at once */
    bool pair;    /* the last two of them are new */
};

/* VL elements of a row and of those behind it along the depth. */
K_TEMPLATE
vf run_deep(enum k_dtype dt, int deep, bool is_new, const char *at, int64_t deep_bytes,
            int64_t ahead)
{
    vf sum = k_load(dt, at);
    if (is_new) k_prefetch(at + ahead);
    for (int i = 1; i < deep; i++) {
        at += deep_bytes;
        sum = sum + k_load(dt, at);
        if (is_new) k_prefetch(at + ahead);
    }
    return sum;
}

/* Long rows that are new are read one after the other, in the order of memory. */
K_TEMPLATE
void sum_run(enum k_dtype dt, int n, int together, int deep, const struct run *run)
{
    const struct run in = *run;
    const char *at = in.at;
    float *to = in.to;
    const int old = together - (in.pair ? 2 : 1); /* rows of them that were read before */
    for (int64_t r = 0; r < in.rows; r++, at += in.step_bytes, to += in.row_floats) {
        const int64_t ahead =
            deep > 1 && in.plane_end - at < RUN_AHEAD ? RUN_AHEAD + in.leap : RUN_AHEAD;
        for (int64_t x = 0; x < in.floats; x += VL) {
            const char *from = at + x * k_size(dt);
            vf sum = run_deep(dt, deep, old <= 0, from, in.deep_bytes, ahead);
#pragma GCC unroll 3
            for (int i = 1; i < together; i++) {
                from += in.row_bytes;
                sum = sum + run_deep(dt, deep, i >= old, from, in.deep_bytes, ahead);
            }
            v_store(to + x, sum);
        }
        for (int i = together; i < n; i++) {
            const char *from = at + i * in.row_bytes;
            for (int64_t x = 0; x < in.floats; x += VL, from += VL * k_size(dt))
                v_store(to + x,
                        v_load(to + x) + run_deep(dt, deep, true, from, in.deep_bytes, ahead));
        }
    }
}

K_TEMPLATE
void sum_runs(enum k_dtype dt, const struct run *run)
{
    if (run->deep == 2 && run->n == 2 && run->together == 2)
        sum_run(dt, 2, 2, 2, run);
    else if (run->deep > 1)
        sum_run(dt, run->n, run->together, run->deep, run);
    else if (run->n == 1)
        sum_run(dt, 1, 1, 1, run);
    else if (run->n == 2 && run->together == 1)
        sum_run(dt, 2, 1, 1, run);
    else if (run->n == 2)
        sum_run(dt, 2, 2, 1, run);
    else if (run->n == 3 && run->together == 2)
        sum_run(dt, 3, 2, 1, run);
    else if (run->n == 3 && run->together == 3)
        sum_run(dt, 3, 3, 1, run);
    else
        sum_run(dt, run->n, run->together, 1, run);
}

K_OUT_OF_LINE(void, sum_runs, (const struct run *run), (run))

/* The sums of as many of the rows from `row` on as have whole windows of at most AVG_BLOCK rows and
 * whose last vectors lie in the tensor; returns how many. */
K_TEMPLATE
int64_t sum_whole(enum k_dtype dt, const struct average *g, int64_t row, int64_t rows, float *to)
{
    const struct avg_axis *height = &g->plan.height;
    const int64_t start = row * height->stride - height->pad;
    if (!g->plan.simple || start < 0 || g->pieces != 1 || g->depths.count == 0) return 0;
    const int64_t last = (height->in + height->pad - height->kernel) / height->stride;
    struct run run = {.at = input_at(g, g->depths.first, start, g->real_low),
                      .row_bytes = g->plan.width.in * g->cell_bytes,
                      .floats = g->piece_floats,
                      .rows = pool_min(rows, last - row + 1),
                      .to = to,
                      .row_floats = g->row_floats,
                      .n = (int)height->kernel,
                      .deep = (int)g->depths.count};
    run.step_bytes = height->stride * run.row_bytes;
    run.deep_bytes = height->in * run.row_bytes;
    run.plane_end = input_at(g, g->depths.first, height->in, 0);
    run.leap = (g->plan.depth.stride - 1) * run.deep_bytes;
    run.together = run.n;
    if (run.row_bytes >= RUN_LONG)
        run.together = (int)pool_max(height->kernel - height->stride, 0) + 1;
    run.pair = run.together > 1 && run.together - run.n + height->stride > 1;
    const int64_t reach = (run.deep - 1) * run.deep_bytes + (run.n - 1) * run.row_bytes +
                          (run.floats + VL - 1) / VL * VL * k_size(dt);
    while (run.rows > 0 && g->in_end - run.at < (run.rows - 1) * run.step_bytes + reach)
        run.rows--;
    if (run.rows <= 0) return 0;
    sum_runs_of(dt, &run);
    return run.rows;
}

#endif
