/* SPDX-License-Identifier: Apache-2.0 */
/* Max pooling of one channel, separable: the largest tap of each window along each row of cells,
 * then, over the rows of a window, the largest of those, first ones first: that is the first
 * largest in row-major order. Lanes are windows. Where a row has as many windows as strides fit,
 * several rows are one long one, which is read once: taps come from the vectors before and behind,
 * and those that lie beside their row, being a neighbour's cells, are masked. Rows with a NaN, and
 * windows that are -inf all over, where padding could win, are told to the caller. A window of
 * several depths has rows of each of them, the first depth's first; or, if a plane fits, the
 * largest of each depth are found first, plane by plane, as they lie in memory. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_ROWS_H
#define ACLNN_CPU_KERNELS_POOL_MAX_ROWS_H

#include <math.h>

#include "kernels/pool/max_rows_make.h"

/* Where rows of results go, and how far they lie apart. */
struct max_rows_out {
    char *values, *places;
    int64_t pitch, place_pitch;
};

/* The ring that holds depth d, and the batch that holds row h of its cells. */
static inline int64_t rows_depth(const struct max_rows *rows, int64_t d)
{
    return d & (rows->depths - 1);
}

static inline int64_t rows_batch(const struct max_rows *rows, int64_t d, int64_t h)
{
    return rows_depth(rows, d) * rows->batches + (h >> rows->shift & (rows->batches - 1));
}

static inline int64_t rows_lane(const struct max_rows *rows, int64_t d, int64_t h)
{
    return rows->first + rows_batch(rows, d, h) * rows->room +
           (h & ((1 << rows->shift) - 1)) * rows->pitch;
}

/* A batch of rows of cells, from row h of depth d on, into the ring. */
K_TEMPLATE
void rows_add(enum k_dtype dt, bool codes, struct max_rows *rows, int64_t d, int64_t h)
{
    const struct max_plan *plan = rows->plan;
    const int64_t at = rows_lane(rows, d, h);
    const int64_t row = rows->of[rows_depth(rows, d)].plane * plan->height.in + h;
    const int64_t windows = max_least(1 << rows->shift, plan->height.in - h) * plan->width.out;
    const char *from = rows->x + row * plan->width.in * k_size(dt);
    float *to = (float *)(void *)rows->value + at;
    int32_t *place = (int32_t *)(void *)rows->place + at;
    const int32_t base = (int32_t)((d * plan->height.in + h) * plan->width.in);
    bool *bad = rows->bad + rows_batch(rows, d, h);
    if (rows->pattern == ROWS_ODD)
        batch_make(dt, codes, ROWS_ODD, rows, from, windows, base, to, place, bad);
    else if (rows->pattern == ROWS_EVEN)
        batch_make(dt, codes, ROWS_EVEN, rows, from, windows, base, to, place, bad);
    else if (rows->pattern == ROWS_EVERY)
        batch_make(dt, codes, ROWS_EVERY, rows, from, windows, base, to, place, bad);
    else
        row_make_any(dt, codes, rows, from, base, to, place, bad);
}

K_TEMPLATE
void rows_add_any(enum k_dtype dt, struct max_rows *rows, int64_t d, int64_t h)
{
    if (rows->codes)
        rows_add(dt, true, rows, d, h);
    else
        rows_add(dt, false, rows, d, h);
}
K_OUT_OF_LINE(void, rows_add_any, (struct max_rows * rows, int64_t d, int64_t h), (rows, d, h))

/* Lanes of a batch; batches in which any `span` rows lie; lanes of those. */
static inline int64_t rows_room(const struct max_rows *rows, int shift)
{
    return ((rows->pitch << shift) + VL - 1) / VL * VL;
}

static inline int64_t rows_batches(int64_t span, int shift)
{
    return max_power((span + (1 << shift) - 2) / (1 << shift) + 1);
}

static inline int64_t rows_lanes(const struct max_rows *rows, int64_t span, int shift)
{
    return rows_batches(span, shift) * rows_room(rows, shift);
}

/* Lanes of the padding in front of a plane. */
static inline int64_t rows_front(const struct max_plan *plan)
{
    return (plan->height.pad * plan->width.out + VL - 1) / VL * VL;
}

/* Does one ring for a whole plane leave room in L1? What lies under a row of windows is then found
 * by steps alone. */
static inline bool rows_are_flat(const struct max_plan *plan, enum rows_pattern pattern)
{
    const struct max_axis *height = &plan->height;
    const int64_t behind = (height->out - 1) * height->stride + max_span(height) - height->pad;
    return pattern != ROWS_ANY && height->dilation == 1 &&
           rows_front(plan) + max_most(behind, height->in) * plan->width.out <= MAX_RING / 4;
}

static inline void rows_flatten(struct max_rows *rows)
{
    const int64_t front = rows_front(rows->plan), in = rows->plan->height.in;
    rows->first = front;
    rows->room = rows->plan->width.out << rows->shift;
    rows->batches = max_power((in + (1 << rows->shift) - 1) >> rows->shift);
    for (int64_t i = 0; i < front; i += VL)
        rows->value[i / VL] = v_all(-INFINITY);
}

/* Half of the ring for windows of one depth, if so many fit as those of a window. */
static inline void rows_fold(struct max_rows *rows)
{
    const struct max_plan *plan = rows->plan;
    rows->kept = max_power(max_span(&plan->depth));
    rows->fold = (plan->height.out * plan->width.out + 2 * VL - 1) / VL * VL;
    rows->folds = plan->depth.kernel > 1 && rows_are_flat(plan, rows->pattern) &&
                  rows->kept * rows->fold <= MAX_RING / 2;
    for (int64_t d = 0; d < rows->kept; d++)
        rows->folded[d] = (struct rows_fold){-1, 0, false};
}

/* folds: may they? */
static inline void rows_begin(struct max_rows *rows, const struct max_plan *plan, const char *x,
                              const char *end, bool codes, bool folds)
{
    const struct max_axis *depth = &plan->depth, *height = &plan->height;
    const int64_t out = plan->width.out, deep = max_span(depth);
    rows->plan = plan;
    rows->x = x;
    rows->end = end;
    rows->codes = codes;
    rows->pattern = rows_pattern(&plan->width);
    rows->folds = false;
    if (folds) rows_fold(rows);
    rows->depths = rows->folds ? 1 : max_power(deep);
    for (int64_t d = 0; d < rows->depths; d++)
        rows->of[d] = (struct rows_plane){-1, 0, 0};
    const bool joined = rows->pattern != ROWS_ANY;
    rows->first = 0;
    rows->shift = 0;
    rows->pitch = joined ? out : rows_pitch(plan);
    const int64_t most = MAX_RING / rows->depths; /* lanes of a depth */
    for (int shift = 0; joined && out << shift <= ROWS_LANES && 1 << shift < 2 * height->in;) {
        rows->shift = shift++;
        if (rows_lanes(rows, max_span(height), shift) > most) break;
    }
    rows->batches = rows_batches(max_span(height), rows->shift);
    rows->room = rows_room(rows, rows->shift);
    /* Windows that share depths: all rows wait for the next ones. */
    const int64_t all = max_power((height->in + (1 << rows->shift) - 1) >> rows->shift);
    if (deep > depth->stride && rows->depths * all <= (int64_t)sizeof rows->bad &&
        all * rows->room <= most)
        rows->batches = all;
    int32_t *not_first = (int32_t *)(void *)rows->not_first;
    int32_t *not_last = (int32_t *)(void *)rows->not_last;
    for (int64_t i = 0, w = 0; joined && i < rows->room; i++) {
        not_first[i] = w > 0 ? -1 : 0;
        if (++w == out) w = 0;
        not_last[i] = w > 0 ? -1 : 0;
    }
    rows->flat =
        rows->folds || (depth->in == 1 && depth->kernel == 1 && rows_are_flat(plan, rows->pattern));
    if (rows->flat) rows_flatten(rows);
}

/* Rows [low, end) of the cells at depth d of `outer`, and more; returns how many are made. */
K_TEMPLATE
int64_t rows_of_depth(enum k_dtype dt, struct max_rows *rows, int64_t outer, int64_t d, int64_t low,
                      int64_t end)
{
    struct rows_plane *of = rows->of + rows_depth(rows, d);
    const int64_t plane = outer * rows->plan->depth.in + d, first = low >> rows->shift;
    const int64_t kept = max_most(of->begin, of->made - (rows->batches << rows->shift));
    if (of->plane != plane || low < kept || low > of->made) {
        of->plane = plane;
        of->begin = of->made = first << rows->shift;
    }
    for (; of->made < end; of->made += 1 << rows->shift)
        rows_add_any_of(dt, rows, d, of->made);
    return of->made;
}

/* The rows of cells that row (od, oh) of the windows of `outer` needs; returns how many, from the
 * first one on, the rows behind it may need. */
K_TEMPLATE
int64_t rows_want(enum k_dtype dt, struct max_rows *rows, int64_t outer, int64_t od, int64_t oh)
{
    const struct max_axis *depth = &rows->plan->depth, *height = &rows->plan->height;
    const int64_t start = oh * height->stride - height->pad;
    const int64_t low = max_most(start, 0), end = max_least(start + max_span(height), height->in);
    if (low >= end) return max_most(end, 0); /* windows of padding, above the cells or below */
    int64_t made = height->in;
    for (int64_t j = 0; j < depth->kernel; j++) {
        const int64_t d = od * depth->stride - depth->pad + j * depth->dilation;
        if (d < 0 || d >= depth->in) continue;
        made = max_least(made, rows_of_depth(dt, rows, outer, d, low, end));
    }
    return made;
}

/* The largest of `out` windows of `count` rows that begin at these lanes; false if they are not to
 * be trusted. Up to VL - 1 elements are written behind. */
K_TEMPLATE
bool rows_largest(enum k_dtype dt, bool codes, bool wide, const struct max_rows *rows, int count,
                  const int64_t lanes[], int64_t out, char *y, char *indices)
{
    const float *values = (const float *)(const void *)rows->value;
    const int32_t *places = (const int32_t *)(const void *)rows->place;
    vi low = {0};
    for (int64_t w = 0; w < out; w += VL) {
        vf best = v_all(-INFINITY);
        vi place = {0};
        if (count > 0) best = v_load(values + lanes[0] + w);
        if (count > 0 && codes) place = v_load_i(places + lanes[0] + w);
#pragma GCC unroll 4
        for (int r = 1; r < count; r++) {
            const vf value = v_load(values + lanes[r] + w);
            if (codes)
                v_take_greater(&best, &place, value, v_load_i(places + lanes[r] + w));
            else
                best = v_greater(best, value);
        }
        k_store_same(dt, y + w * k_size(dt), best);
        if (!codes) continue;
        vi padding = (vi)(best == v_all(-INFINITY));
        if (out - w < VL) padding &= (vi)(v_lanes() < (int)(out - w));
        low |= padding;
        put_place(wide, indices + w * (wide ? 8 : 4), place, false);
    }
    return !v_any(low);
}

/* Row (od, oh) of the windows, whose rows of cells are there. */
K_TEMPLATE
bool rows_window(enum k_dtype dt, enum k_index index, struct max_rows *rows, int64_t od, int64_t oh,
                 char *y, char *indices)
{
    const bool codes = index != K_INDEX_NONE, wide = index == K_INDEX_I64;
    const struct max_axis *depth = &rows->plan->depth, *height = &rows->plan->height;
    int64_t lanes[MAX_SIDE * MAX_SIDE];
    bool bad = false;
    int count = 0;
    const int64_t start = oh * height->stride - height->pad;
    for (int64_t i = 0; i < depth->kernel; i++) {
        const int64_t d = od * depth->stride - depth->pad + i * depth->dilation;
        if (d < 0 || d >= depth->in) continue;
        for (int64_t j = 0, h = start; j < height->kernel; j++, h += height->dilation) {
            if (h < 0 || h >= height->in) continue;
            bad |= rows->bad[rows_batch(rows, d, h)];
            lanes[count++] = rows_lane(rows, d, h);
        }
    }
    if (bad) return false;
    const int64_t out = rows->plan->width.out;
    if (count == 2) return rows_largest(dt, codes, wide, rows, 2, lanes, out, y, indices);
    if (count == 3) return rows_largest(dt, codes, wide, rows, 3, lanes, out, y, indices);
    return rows_largest(dt, codes, wide, rows, count, lanes, out, y, indices);
}

/* `runs` times `out` windows of `count` (at most MAX_SIDE) rows of a plane, the first one of which
 * begins at lane `at`, `step` lanes further for each. */
K_TEMPLATE
bool rows_steps(enum k_dtype dt, bool codes, bool wide, const struct max_rows *rows, int count,
                int64_t at, int64_t step, int64_t runs, int64_t out, struct max_rows_out to)
{
    const int64_t pitch = rows->pitch;
    bool good = true;
    for (; runs > 0; runs--, at += step) {
        int64_t lanes[MAX_SIDE];
#pragma GCC unroll 4
        for (int r = 0; r < count; r++)
            lanes[r] = at + r * pitch;
        good &= rows_largest(dt, codes, wide, rows, count, lanes, out, to.values, to.places);
        to.values += to.pitch;
        if (codes) to.places += to.place_pitch;
    }
    return good;
}

/* `run` rows of windows of a plane that the ring holds, whose rows of cells are there. */
K_TEMPLATE
bool rows_of_plane(enum k_dtype dt, bool codes, bool wide, struct max_rows *rows, int64_t oh,
                   int64_t run, struct max_rows_out *to)
{
    const struct max_axis *height = &rows->plan->height;
    const int64_t out = rows->plan->width.out, index_bytes = out * (wide ? 8 : 4);
    const int64_t start = oh * height->stride - height->pad, step = height->stride * out;
    const int64_t behind = start + (run - 1) * height->stride + height->kernel;
    float *values = (float *)(void *)rows->value + rows->first;
    for (int64_t i = height->in * out; i < behind * out; i += VL)
        v_store(values + i, v_all(-INFINITY));
    const bool joined = height->stride == 1 && to->pitch == out * k_size(dt) &&
                        (!codes || to->place_pitch == index_bytes);
    struct max_rows_out from = *to;
    to->values += run * to->pitch;
    if (codes) to->places += run * to->place_pitch;
    const int64_t at = rows->first + start * out, runs = joined ? 1 : run;
    const int64_t windows = joined ? run * out : out;
    if (height->kernel == 3)
        return rows_steps(dt, codes, wide, rows, 3, at, step, runs, windows, from);
    return rows_steps(dt, codes, wide, rows, (int)height->kernel, at, step, runs, windows, from);
}

/* The same as rows_run of one depth of a plane that the ring holds, results of type `as`. Cells are
 * read a batch at a time, not all before the first window: memory is at work meanwhile. */
K_TEMPLATE
bool rows_flat(enum k_dtype dt, enum k_dtype as, bool codes, bool wide, struct max_rows *rows,
               int64_t outer, int64_t d, int64_t oh, int64_t run, struct max_rows_out *to)
{
    const struct max_axis *height = &rows->plan->height;
    bool good = true;
    for (int64_t count; run > 0; run -= count, oh += count) {
        const int64_t start = oh * height->stride - height->pad, low = max_most(start, 0);
        const int64_t end = max_least(start + height->kernel, height->in);
        const int64_t made = rows_of_depth(dt, rows, outer, d, low, end);
        count = run;
        if (made < height->in)
            count =
                max_least(run, max_floor_div(made - height->kernel - start, height->stride) + 1);
        const int64_t behind = start + (count - 1) * height->stride + height->kernel;
        const int64_t last = (max_least(behind, height->in) - 1) >> rows->shift;
        for (int64_t batch = low >> rows->shift; batch <= last; batch++)
            good &= !rows->bad[batch];
        good &= rows_of_plane(as, codes, wide, rows, oh, count, to);
    }
    return good;
}

static inline int64_t fold_lane(const struct max_rows *rows, int64_t d)
{
    return MAX_RING / 2 + (d & (rows->kept - 1)) * rows->fold;
}

/* The windows of depth d alone, from row oh on at least; false if a NaN may be in them. A window of
 * padding is one in the result only if it is so at each depth. */
K_TEMPLATE
bool fold_depth(enum k_dtype dt, bool codes, struct max_rows *rows, int64_t outer, int64_t d,
                int64_t oh)
{
    const struct max_axis *height = &rows->plan->height;
    const int64_t plane = outer * rows->plan->depth.in + d, bytes = rows->plan->width.out * 4;
    struct rows_fold *fold = rows->folded + (d & (rows->kept - 1));
    if (fold->plane == plane && fold->begin <= oh) return !fold->bad;
    const int64_t at = fold_lane(rows, d) * 4 + oh * bytes;
    struct max_rows_out to = {(char *)rows->value + at, (char *)rows->place + at, bytes, bytes};
    rows_flat(dt, K_F32, codes, false, rows, outer, d, oh, height->out - oh, &to);
    *fold = (struct rows_fold){plane, oh, false};
    for (int64_t h = rows->of->begin; h < rows->of->made; h += 1 << rows->shift)
        fold->bad |= rows->bad[h >> rows->shift];
    return !fold->bad;
}

/* `run` rows of windows, which are one row of results, from (od, oh) on, depth by depth. */
K_TEMPLATE
bool rows_folded(enum k_dtype dt, bool codes, bool wide, struct max_rows *rows, int64_t outer,
                 int64_t od, int64_t oh, int64_t run, struct max_rows_out *to)
{
    const struct max_axis *depth = &rows->plan->depth;
    const int64_t out = rows->plan->width.out;
    char *values = to->values, *places = to->places;
    int64_t lanes[MAX_SIDE];
    bool good = true;
    int count = 0;
    for (int64_t j = 0; j < depth->kernel; j++) {
        const int64_t d = od * depth->stride - depth->pad + j * depth->dilation;
        if (d < 0 || d >= depth->in) continue;
        good &= fold_depth(dt, codes, rows, outer, d, oh);
        lanes[count++] = fold_lane(rows, d) + oh * out;
    }
    to->values += run * to->pitch;
    if (codes) to->places += run * to->place_pitch;
    if (count == 2)
        good &= rows_largest(dt, codes, wide, rows, 2, lanes, run * out, values, places);
    else if (count == 3)
        good &= rows_largest(dt, codes, wide, rows, 3, lanes, run * out, values, places);
    else
        good &= rows_largest(dt, codes, wide, rows, count, lanes, run * out, values, places);
    return good;
}

/* `run` rows of windows from (od, oh) on; false if they are not to be trusted. */
K_TEMPLATE
bool rows_run(enum k_dtype dt, bool codes, bool wide, struct max_rows *rows, int64_t outer,
              int64_t od, int64_t oh, int64_t run, struct max_rows_out *to)
{
    const struct max_axis *height = &rows->plan->height;
    const enum k_index index = !codes ? K_INDEX_NONE : wide ? K_INDEX_I64 : K_INDEX_I32;
    const int64_t behind = max_span(height) - height->pad, in = height->in;
    int64_t made = -1;
    bool good = true;
    if (rows->folds) return rows_folded(dt, codes, wide, rows, outer, od, oh, run, to);
    if (rows->flat) return rows_flat(dt, dt, codes, wide, rows, outer, 0, oh, run, to);
    for (; run > 0; run--, oh++) {
        if (max_least(oh * height->stride + behind, in) > made)
            made = rows_want(dt, rows, outer, od, oh);
        good &= rows_window(dt, index, rows, od, oh, to->values, to->places);
        to->values += to->pitch;
        if (codes) to->places += to->place_pitch;
    }
    return good;
}

#endif
