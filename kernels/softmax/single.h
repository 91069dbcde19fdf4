/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of rows of f32 and half types: elements in f32, sums in double. A row that fits is read
 * once and its exponentials are kept; a longer one is read twice. */
#include "kernels/vector/math_single.h"

static float greatest_single(const float *x, int64_t count, float start)
{
    vf best[4] = {v_all(start), v_all(start), v_all(start), v_all(start)};
    int64_t i = 0;
    for (; i + 4 * VL <= count; i += 4 * VL)
#pragma GCC unroll 4
        for (int k = 0; k < 4; k++) {
            const vf value = v_load(x + i + k * VL);
            best[k] = v_if(v_less(best[k], value), value, best[k]);
        }
    float lanes[VL];
    for (int k = 1; k < 4; k++)
        best[0] = v_if(v_less(best[0], best[k]), best[k], best[0]);
    v_store(lanes, best[0]);
    for (int half = VL / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; lane++)
            lanes[lane] = lanes[lane] < lanes[lane + half] ? lanes[lane + half] : lanes[lane];
    start = lanes[0];
    for (; i < count; i++)
        start = start < x[i] ? x[i] : start;
    return start;
}

/* e[i] = exp(x[i] - m); returns the sum. e may be x. */
static double exponentials_single(const float *x, float m, float *e, int64_t count)
{
    struct lanes sums = {{{0}}};
    float rest[K_NORM_LANES];
    for (int64_t i = 0; i < count; i += K_NORM_LANES) {
        const bool is_whole = i + K_NORM_LANES <= count;
        if (!is_whole) {
            for (int lane = 0; lane < K_NORM_LANES; lane++)
                rest[lane] = lane < count - i ? x[i + lane] : -INFINITY;
        }
        const float *from = is_whole ? x + i : rest;
        float *to = is_whole ? e + i : rest;
#pragma GCC unroll 4
        for (int k = 0; k < K_NORM_LANES / VL; k++) {
            const vf value = v_exp_single(v_load(from + k * VL) - m);
            v_store(to + k * VL, value);
            sums.part[2 * k] += vd_widen(0, value);
            sums.part[2 * k + 1] += vd_widen(1, value);
        }
        if (!is_whole) memcpy(e + i, rest, (size_t)(count - i) * sizeof *e);
    }
    return lanes_total(&sums);
}

/* to[i] = x[i] * by, or (x[i] - m) - by. Of all NaN there is one on every level. */
static void finish_single(bool is_log, const float *x, float m, float by, float *to, int64_t count)
{
    const bool is_nan = by != by;
    FOR_VECTORS(count, const vf value = load_some(x + i, some);
                const vf result = is_log ? (value - m) - by : value * by;
                store_some(to + i, is_nan ? v_all(NAN) : result, some));
}

/* ---- rows ---- */

static void finish_row(const struct row *row, struct room *room, const float *x, float m, float by,
                       int64_t begin, int64_t count)
{
    float *to = single_place(row, K_SOFTMAX_OUT, begin, count);
    if (!to) to = (float *)room->more;
    finish_single(row->norm->kind == K_NORM_LOG_SOFTMAX, x, m, by, to, count);
    single_write(row, K_SOFTMAX_OUT, begin, count, to);
}

/* A long row whose elements and results are dense floats: three passes, exponentials made once. */
static void single_long_row(const struct row *row, const float *x, float *to)
{
    const int64_t count = row->norm->count;
    const float m = greatest_single(x, count, -INFINITY);
    const double sum = exponentials_single(x, m, to, count);
    finish_single(false, to, m, (float)(1 / sum), to, count);
}

static void single_row(const struct row *row, struct room *room)
{
    const int64_t count = row->norm->count;
    const bool is_log = row->norm->kind == K_NORM_LOG_SOFTMAX, fits = count <= SINGLE_KEEP;
    float *keep = (float *)room->keep, *more = (float *)room->more, m = -INFINITY;
    const float *x = single_place(row, K_SOFTMAX_X, 0, count);
    double sum = 0;
    if (!fits && !is_log && x && single_place(row, K_SOFTMAX_OUT, 0, count)) {
        single_long_row(row, x, single_place(row, K_SOFTMAX_OUT, 0, count));
        return;
    }
    for (int64_t at = 0; at < count; at += SINGLE_KEEP) {
        const int64_t some = count - at < SINGLE_KEEP ? count - at : SINGLE_KEEP;
        x = single_read(row, K_SOFTMAX_X, at, some, keep);
        const float larger = greatest_single(x, some, m);
        if (larger > m && sum != 0) sum *= exp((double)m - (double)larger);
        m = larger;
        /* Nothing but -infinity so far counts as 0, a NaN as itself. */
        if (m == -INFINITY && at + some < count) {
            for (int64_t i = 0; i < some; i++)
                if (x[i] != x[i]) sum = NAN;
            continue;
        }
        sum += exponentials_single(x, m, is_log || !fits ? more : keep, some);
    }
    const float by = (float)(is_log ? log(sum) : 1 / sum);
    if (fits) {
        finish_row(row, room, is_log ? x : keep, m, by, 0, count);
        return;
    }
    for (int64_t at = 0; at < count; at += SINGLE_KEEP) {
        const int64_t some = count - at < SINGLE_KEEP ? count - at : SINGLE_KEEP;
        x = single_read(row, K_SOFTMAX_X, at, some, keep);
        if (!is_log) exponentials_single(x, m, keep, some);
        finish_row(row, room, is_log ? x : keep, m, by, at, some);
    }
}

/* ---- gradients ---- */

#define MOST_EXPONENT 88 /* that v_exp_single takes */

/* Of (dy - sum(dy y)) y, or dy - exp(y) sum(dy). */
static void single_grad_row(const struct row *row, struct room *room)
{
    const int64_t count = row->norm->count, step = count <= SINGLE_KEEP ? SINGLE_KEEP : SINGLE_TILE;
    const bool is_log = row->norm->kind == K_NORM_LOG_SOFTMAX_GRAD, fits = count <= step;
    const float *dy = NULL, *y = NULL;
    double all = 0;
    for (int64_t at = 0; at < count; at += step) {
        const int64_t some = count - at < step ? count - at : step;
        dy = single_read(row, K_SOFTMAX_GRAD_DY, at, some, (float *)room->keep);
        y = single_read(row, K_SOFTMAX_GRAD_Y, at, some, (float *)room->more);
        if (is_log && greatest_single(y, some, 0) > MOST_EXPONENT) {
            softmax_grad_row(row, room); /* no logarithm of a probability */
            return;
        }
        all += is_log ? single_sum(dy, some) : single_products(dy, y, some);
    }
    const struct split by = split_of(all);
    for (int64_t at = 0; at < count; at += SINGLE_TILE) {
        const int64_t part = count - at < SINGLE_TILE ? count - at : SINGLE_TILE;
        const float *of_dy = dy + at, *of_y = y + at;
        if (!fits) {
            of_dy = single_read(row, K_SOFTMAX_GRAD_DY, at, part, (float *)room->keep);
            of_y = single_read(row, K_SOFTMAX_GRAD_Y, at, part, (float *)room->more);
        }
        float *to = single_place(row, K_SOFTMAX_GRAD_OUT, at, part);
        if (!to) to = (float *)room->tile[0];
        FOR_VECTORS(
            part, const vf a = load_some(of_dy + i, some), b = load_some(of_y + i, some);
            store_some(to + i,
                       is_log ? v_fma(v_exp_single(b), v_all(-by.high), a) : v_minus(a, by) * b,
                       some));
        single_write(row, K_SOFTMAX_GRAD_OUT, at, part, to);
    }
}
