/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of rows of f32 and half types: elements in f32, sums in double. A row that fits is read
 * once and its exponentials are kept; a longer one is read twice. */
#include "kernels/vector/math_single.h"

enum { SINGLE_KEEP = 2 * K_NORM_KEEP }; /* floats that take the room of doubles */

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

/* to[i] = x[i] * factor, or (x[i] - m) - by */
static void finish_single(bool is_log, const float *x, float m, float by, float *to, int64_t count)
{
    int64_t i = 0;
    for (; i + VL <= count; i += VL) {
        const vf value = v_load(x + i);
        v_store(to + i, is_log ? (value - m) - by : value * by);
    }
    for (; i < count; i++)
        to[i] = is_log ? (x[i] - m) - by : x[i] * by;
}

/* ---- rows ---- */

static bool is_dense(const struct side *side)
{
    return side->rank == 1 && (side->steps[0] == 1 || side->sizes[0] == 1);
}

static char *address_of(const struct row *row, int operand, int64_t begin)
{
    return row->side[operand].at + begin * k_dtype_size(row->norm->operand[operand].dtype);
}

/* Elements as floats: where they lie, or in `to`. */
static const float *read_single(const struct row *row, struct room *room, int operand,
                                int64_t begin, int64_t count, float *to)
{
    const enum k_dtype dtype = row->norm->operand[operand].dtype;
    const char *at = address_of(row, operand, begin);
    if (is_dense(&row->side[operand])) {
        if (dtype == K_F32) return (const float *)(const void *)at;
        k_widen(K_AS_F32, dtype, at, to, count);
        return to;
    }
    for (int64_t i = 0; i < count; i += TILE) {
        const int64_t some = count - i < TILE ? count - i : TILE;
        row_read(row, operand, begin + i, some, room->tile[0]);
        narrow(K_F32, room->tile[0], (char *)(to + i), some);
    }
    return to;
}

static void write_single(const struct row *row, struct room *room, int operand, int64_t begin,
                         int64_t count, const float *from)
{
    const enum k_dtype dtype = row->norm->operand[operand].dtype;
    char *at = address_of(row, operand, begin);
    if (is_dense(&row->side[operand])) {
        k_narrow(K_AS_F32, dtype, from, at, count);
        return;
    }
    for (int64_t i = 0; i < count; i += TILE) {
        const int64_t some = count - i < TILE ? count - i : TILE;
        widen(K_F32, (const char *)(from + i), room->tile[0], some);
        row_write(row, operand, begin + i, some, room->tile[0]);
    }
}

static void finish_row(const struct row *row, struct room *room, const float *x, float m, float by,
                       int64_t begin, int64_t count)
{
    const bool is_log = row->norm->kind == K_NORM_LOG_SOFTMAX;
    const bool is_plain =
        row->norm->operand[K_SOFTMAX_OUT].dtype == K_F32 && is_dense(&row->side[K_SOFTMAX_OUT]);
    float *to = (float *)room->more;
    if (is_plain) to = (float *)(void *)address_of(row, K_SOFTMAX_OUT, begin);
    finish_single(is_log, x, m, by, to, count);
    if (!is_plain) write_single(row, room, K_SOFTMAX_OUT, begin, count, to);
}

static bool is_single(const struct row *row)
{
    return row->norm->operand[K_SOFTMAX_X].dtype < K_DTYPES &&
           row->norm->operand[K_SOFTMAX_OUT].dtype < K_DTYPES;
}

static void single_row(const struct row *row, struct room *room)
{
    const int64_t count = row->norm->count;
    const bool is_log = row->norm->kind == K_NORM_LOG_SOFTMAX, fits = count <= SINGLE_KEEP;
    float *keep = (float *)room->keep, *more = (float *)room->more, m = -INFINITY;
    const float *x = NULL;
    double sum = 0;
    for (int64_t at = 0; at < count; at += SINGLE_KEEP) {
        const int64_t some = count - at < SINGLE_KEEP ? count - at : SINGLE_KEEP;
        x = read_single(row, room, K_SOFTMAX_X, at, some, keep);
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
        x = read_single(row, room, K_SOFTMAX_X, at, some, keep);
        if (!is_log) exponentials_single(x, m, keep, some);
        finish_row(row, room, is_log ? x : keep, m, by, at, some);
    }
}
