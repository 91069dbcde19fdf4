/* SPDX-License-Identifier: Apache-2.0 */
/* output[bin] = greatest element, indices[bin] = where it stands.
 *
 * Rows of bins are made in two steps: vectors along the width find the greatest of each column of
 * the bins' rows; then bins, one to a lane, look through their columns. Several narrow rows are in
 * work at once, so that lanes are full. Bins of many columns (a global maximum, say) are searched
 * by vectors of their own.
 *
 * Down a column x takes the place of m where x > m, or where x is NaN: that keeps the first of
 * equal elements and the last NaN. Columns are then compared as candidates, in any order: one may
 * be looked at twice, and vectors may overlap.
 *
 * DOUBLE, and planes whose positions do not fit an int32_t, go one element at a time. The result is
 * copied from the input, so a NaN keeps its bits. */
#include <math.h>
#include <string.h>

#include "kernels/pool/adaptive_plan.h"
#include "kernels/pool/candidates.h"
#include "kernels/pool/k_adaptive_max.h"
#include "kernels/vector/gather.h"

enum {
    COLUMNS = 1024, /* in work at once */
    BINS = 256,     /* the same */
    WIDE = 4 * VL,  /* columns from which a bin is worth vectors of its own */
};

K_TEMPLATE
int64_t size_of(enum k_dtype dt)
{
    return dt == K_F64 ? 8 : k_size(dt);
}

/* Rows of bins, the same numbers for all of a slice. */
struct maxima {
    const struct adaptive_plan *plan;
    const char *input;
    char *output, *indices;
    int index_size;
};

/* The elements that one row of bins looks at. */
struct rows {
    const char *plane;
    struct adaptive_bin depth, height;
};

K_TEMPLATE
struct rows rows_of(enum k_dtype dt, const struct maxima *m, int64_t item)
{
    const struct adaptive_plan *plan = m->plan;
    const int64_t above = item / plan->height.out;
    return (struct rows){
        .plane = m->input + above / plan->depth.out * plan->plane * size_of(dt),
        .depth = adaptive_bin(&plan->depth, above % plan->depth.out),
        .height = adaptive_bin(&plan->height, item % plan->height.out),
    };
}

/* Bin i of all has its greatest element at this position of the plane. */
K_TEMPLATE
void put(enum k_dtype dt, const struct maxima *m, const char *plane, int64_t i, int64_t at)
{
    const size_t size = (size_t)size_of(dt);
    memcpy(m->output + i * (int64_t)size, plane + at * (int64_t)size, size);
    if (m->index_size == 4) {
        const int32_t narrow = (int32_t)at;
        memcpy(m->indices + i * 4, &narrow, sizeof narrow);
    } else {
        memcpy(m->indices + i * 8, &at, sizeof at);
    }
}

/* ---- one element at a time ---- */

K_TEMPLATE
double element(enum k_dtype dt, const char *at)
{
    if (dt != K_F64) return (double)k_load_first(dt, at, 1)[0];
    double value;
    memcpy(&value, at, sizeof value);
    return value;
}

K_TEMPLATE
void bins_by_element(enum k_dtype dt, const struct maxima *m, int64_t item)
{
    const struct adaptive_plan *plan = m->plan;
    const struct rows rows = rows_of(dt, m, item);
    struct adaptive_mark mark = {0, 0}, next;
    for (int64_t i = 0; i < plan->width.out; i++, mark = next) {
        next = adaptive_next(&plan->width, mark);
        const struct adaptive_bin bin = adaptive_between(&plan->width, mark, next);
        int64_t best = -1;
        double most = 0;
        for (int64_t d = rows.depth.begin; d < rows.depth.end; d++)
            for (int64_t h = rows.height.begin; h < rows.height.end; h++) {
                const int64_t row = (d * plan->height.in + h) * plan->row;
                for (int64_t at = row + bin.begin; at < row + bin.end; at++) {
                    const double value = element(dt, rows.plane + at * size_of(dt));
                    if (best >= 0 && !(value > most) && value == value) continue;
                    best = at;
                    most = value;
                }
            }
        put(dt, m, rows.plane, item * plan->width.out + i, best);
    }
}

/* ---- wide bins ---- */

/* A bin of at least a vector of columns: lanes go along its rows. The last vector of a row overlaps
 * the one before. */
K_TEMPLATE
int64_t best_of_bin(enum k_dtype dt, const struct maxima *m, const struct rows *rows,
                    struct adaptive_bin bin)
{
    const int64_t height = m->plan->height.in, pitch = m->plan->row;
    vf best = v_all(-INFINITY);
    vi place = v_lanes() + (int32_t)((rows->depth.begin * height + rows->height.begin) * pitch +
                                     bin.begin); /* where all is -inf */
    struct candidates tails = {v_all_i(INT32_MIN), v_all_i(INT32_MAX)};
    for (int64_t d = rows->depth.begin; d < rows->depth.end; d++)
        for (int64_t h = rows->height.begin; h < rows->height.end; h++) {
            const int64_t row = (d * height + h) * pitch, last = row + bin.end - VL;
            for (int64_t at = row + bin.begin; at <= last; at += VL)
                v_take_larger(&best, &place, k_load(dt, rows->plane + at * k_size(dt)),
                              v_lanes() + (int32_t)at);
            const vf tail = k_load(dt, rows->plane + last * k_size(dt));
            tails = better(tails, rate(tail, v_lanes() + (int32_t)last));
        }
    return best_lane(better(rate(best, place), tails));
}

K_TEMPLATE
void wide_bins(enum k_dtype dt, const struct maxima *m, int64_t item)
{
    const struct adaptive_axis *width = &m->plan->width;
    const struct rows rows = rows_of(dt, m, item);
    struct adaptive_mark mark = {0, 0}, next;
    for (int64_t i = 0; i < width->out; i++, mark = next) {
        next = adaptive_next(width, mark);
        const int64_t at = best_of_bin(dt, m, &rows, adaptive_between(width, mark, next));
        put(dt, m, rows.plane, item * width->out + i, at);
    }
}

/* ---- columns ---- */

/* The best of each column, and what bins make of them. Vectors may be read and written behind. */
struct columns {
    int32_t key[COLUMNS + 2 * VL], place[COLUMNS + 2 * VL];
};

/* `vectors` of columns from `first`, of which the last one holds `left`. Several at once: each row
 * is read in long pieces, and no vector waits for its own comparison. */
K_TEMPLATE
void find_vectors(enum k_dtype dt, int vectors, const struct maxima *m, const struct rows *rows,
                  int64_t first, int left, struct columns *columns, int64_t to)
{
    const int64_t height = m->plan->height.in, pitch = m->plan->row;
    vf best[4] = {{0}};
    vi place[4] = {{0}};
    bool is_first = true;
    for (int64_t d = rows->depth.begin; d < rows->depth.end; d++)
        for (int64_t h = rows->height.begin; h < rows->height.end; h++) {
            const int64_t at = (d * height + h) * pitch;
            const char *from = rows->plane + (at + first) * k_size(dt);
            const vi here = v_all_i((int32_t)at);
            for (int v = 0; v < vectors; v++) {
                const char *next = from + v * VL * k_size(dt);
                const vf value =
                    v < vectors - 1 || left == VL ? k_load(dt, next) : k_load_first(dt, next, left);
                if (is_first) {
                    best[v] = value;
                    place[v] = here;
                } else {
                    v_take_larger(&best[v], &place[v], value, here);
                }
            }
            is_first = false;
        }
    for (int v = 0; v < vectors; v++) {
        const int32_t column = (int32_t)first + v * VL;
        const struct candidates found = rate(best[v], place[v] + v_lanes() + column);
        v_store_i(columns->key + to + v * VL, found.key);
        v_store_i(columns->place + to + v * VL, found.place);
    }
}

/* Columns [first, first + count) of the rows, from `to` on. */
K_TEMPLATE
void find_columns(enum k_dtype dt, const struct maxima *m, const struct rows *rows, int64_t first,
                  int64_t count, struct columns *columns, int64_t to)
{
    int64_t c = 0;
    for (; count - c >= 4 * VL; c += 4 * VL)
        find_vectors(dt, 4, m, rows, first + c, VL, columns, to + c);
    for (; count - c >= 2 * VL; c += 2 * VL)
        find_vectors(dt, 2, m, rows, first + c, VL, columns, to + c);
    for (; c < count; c += VL)
        find_vectors(dt, 1, m, rows, first + c, count - c < VL ? (int)(count - c) : VL, columns,
                     to + c);
}

/* Bins as columns [begin, end) of those in work, in rising order. */
struct bins {
    int count;
    int64_t widest;
    int32_t begin[BINS + VL], end[BINS + VL];
    int32_t at[BINS + VL]; /* where the greatest elements stand */
};

K_TEMPLATE
void add_bin(struct bins *bins, int64_t begin, int64_t end)
{
    bins->begin[bins->count] = (int32_t)begin;
    bins->end[bins->count++] = (int32_t)end;
    if (end - begin > bins->widest) bins->widest = end - begin;
}

/* Lanes behind the last bin look at the same as that. */
static void end_bins(struct bins *bins)
{
    for (int i = bins->count; i < bins->count + VL; i++) {
        bins->begin[i] = bins->begin[bins->count - 1];
        bins->end[i] = bins->end[bins->count - 1];
    }
}

/* Each lane's column: all lie within two vectors from `base` when they are near. */
K_TEMPLATE
struct candidates fetch(const struct columns *columns, vi at, int32_t base, bool is_near)
{
    if (!is_near)
        return (struct candidates){v_gather_i(columns->key, at), v_gather_i(columns->place, at)};
    const float *key = (const float *)(const void *)(columns->key + base);
    const float *place = (const float *)(const void *)(columns->place + base);
    at -= base;
    return (struct candidates){(vi)v_pick(v_load(key), v_load(key + VL), at),
                               (vi)v_pick(v_load(place), v_load(place + VL), at)};
}

K_TEMPLATE
void search_lanes(const struct columns *columns, struct bins *bins, int first, bool is_near)
{
    const int32_t base = bins->begin[first];
    const vi begin = v_load_i(bins->begin + first), last = v_load_i(bins->end + first) - 1;
    struct candidates best = fetch(columns, begin, base, is_near);
    for (int32_t j = 1; j < bins->widest; j++) {
        const vi at = begin + j, ends = at > last;
        best = better(best, fetch(columns, (ends & last) | (~ends & at), base, is_near));
    }
    const vi nan = best.place >> 31;
    v_store_i(bins->at + first, best.place ^ nan);
}

/* The first `count` bins. */
static void search_bins(const struct columns *columns, struct bins *bins, int count)
{
    for (int i = 0; i < count; i += VL) {
        if (bins->end[i + VL - 1] - bins->begin[i] <= 2 * VL)
            search_lanes(columns, bins, i, true);
        else
            search_lanes(columns, bins, i, false);
    }
}

/* ---- rows of bins ---- */

/* Rows that fit the columns in work, several at once. */
K_TEMPLATE
void short_rows(enum k_dtype dt, const struct maxima *m, struct k_slice slice)
{
    const struct adaptive_plan *plan = m->plan;
    const int64_t out = plan->width.out, pitch = (plan->row + VL - 1) / VL * VL;
    const int64_t most = COLUMNS / pitch < BINS / out ? COLUMNS / pitch : BINS / out;
    struct columns columns;
    struct bins bins = {.count = 0};
    struct rows rows[COLUMNS / VL];
    for (int64_t r = 0; r < most; r++) {
        struct adaptive_mark mark = {0, 0}, next;
        for (int64_t i = 0; i < out; i++, mark = next) {
            next = adaptive_next(&plan->width, mark);
            const struct adaptive_bin bin = adaptive_between(&plan->width, mark, next);
            add_bin(&bins, r * pitch + bin.begin, r * pitch + bin.end);
        }
    }
    end_bins(&bins);
    for (int64_t item = slice.begin; item < slice.end; item += most) {
        const int64_t count = slice.end - item < most ? slice.end - item : most;
        for (int64_t r = 0; r < count; r++) {
            rows[r] = rows_of(dt, m, item + r);
            find_columns(dt, m, &rows[r], 0, plan->row, &columns, r * pitch);
        }
        search_bins(&columns, &bins, (int)(count * out));
        for (int64_t r = 0; r < count; r++)
            for (int64_t i = 0; i < out; i++)
                put(dt, m, rows[r].plane, (item + r) * out + i, bins.at[r * out + i]);
    }
}

/* A row of more columns or bins than are in work at once. */
K_TEMPLATE
void long_row(enum k_dtype dt, const struct maxima *m, int64_t item)
{
    const struct adaptive_axis *width = &m->plan->width;
    const struct rows rows = rows_of(dt, m, item);
    struct columns columns;
    struct bins bins;
    struct adaptive_mark mark = {0, 0};
    for (int64_t i = 0; i < width->out; i += bins.count) {
        const int64_t first = mark.at * width->scale;
        bins.count = 0;
        bins.widest = 0;
        while (i + bins.count < width->out && bins.count < BINS) {
            const struct adaptive_mark next = adaptive_next(width, mark);
            const struct adaptive_bin bin = adaptive_between(width, mark, next);
            if (bin.end - first > COLUMNS) break;
            add_bin(&bins, bin.begin - first, bin.end - first);
            mark = next;
        }
        end_bins(&bins);
        find_columns(dt, m, &rows, first, bins.end[bins.count - 1], &columns, 0);
        search_bins(&columns, &bins, bins.count);
        for (int b = 0; b < bins.count; b++)
            put(dt, m, rows.plane, item * width->out + i + b, bins.at[b]);
    }
}

K_TEMPLATE
void make_rows(enum k_dtype dt, const struct k_adaptive_max *shape, void *const buffers[],
               struct k_slice slice)
{
    const struct adaptive_plan plan = adaptive_plan(shape);
    const struct maxima m = {.plan = &plan,
                             .input = buffers[K_ADAPTIVE_MAX_INPUT],
                             .output = buffers[K_ADAPTIVE_MAX_OUTPUT],
                             .indices = buffers[K_ADAPTIVE_MAX_INDICES],
                             .index_size = shape->index_size};
    if (dt != K_F64 && plan.plane <= INT32_MAX && plan.row <= COLUMNS && plan.width.out <= BINS &&
        plan.width.step * plan.width.scale < WIDE) {
        short_rows(dt, &m, slice);
        return;
    }
    for (int64_t item = slice.begin; item < slice.end; item++)
        if (dt == K_F64 || plan.plane > INT32_MAX)
            bins_by_element(dt, &m, item);
        else if (plan.width.step * plan.width.scale >= WIDE)
            wide_bins(dt, &m, item);
        else
            long_row(dt, &m, item);
}

k_fn K_SYMBOL(adaptive_max_planes);

void K_SYMBOL(adaptive_max_planes)(const void *parameters, void *const buffers[],
                                   struct k_slice slice)
{
    const struct k_adaptive_max *shape = parameters;
    switch (shape->dtype) {
    case K_F16:
        make_rows(K_F16, shape, buffers, slice);
        break;
    case K_BF16:
        make_rows(K_BF16, shape, buffers, slice);
        break;
    case K_F64:
        make_rows(K_F64, shape, buffers, slice);
        break;
    default:
        make_rows(K_F32, shape, buffers, slice);
        break;
    }
}
