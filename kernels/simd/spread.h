/* SPDX-License-Identifier: Apache-2.0 */
/* From a row of windows to a row of cells: sums over the windows j, j - 1, ... that cover a cell,
 * then each sum to its cells. See kernels/pool_plan.h for j, most and rest. */
#ifndef ACLNN_CPU_KERNELS_SIMD_SPREAD_H
#define ACLNN_CPU_KERNELS_SIMD_SPREAD_H

#include "kernels/k_pool.h"
#include "kernels/pool_plan.h"
#include "kernels/simd/simd.h"

/* What cubeMathType does to a value of gradOutput. */
K_TEMPLATE
vf pool_round(enum k_dtype dt, enum k_rounding rounding, vf value)
{
    if (rounding == K_ROUND_NONE || dt == K_F16) return value;
    if (rounding == K_ROUND_F16) return v_from_f16(v_to_f16(value));
    if (dt != K_F32) return value;
    const vu bits = (vu)value, finite = (vu)((bits & 0x7f800000) != 0x7f800000);
    return (vf)((finite & ((bits + 0x800) & 0xfffff000)) | (~finite & bits));
}

/* A row of windows in memory: the sum of `depths` rows, each scaled. */
struct k_windows {
    const char *at, *end;            /* end: of the whole tensor, reads stay below it */
    int64_t depth_bytes;             /* from one of the rows to the next */
    int depths;                      /* >= 1 */
    const float *scale[POOL_DIRECT]; /* per depth and window */
    enum k_rounding rounding;
    int count,
        real; /* windows to walk, of which the first `real` are in memory; the others are zero */
    int64_t front; /* cells before the row that the first windows reach */
};

/* Windows x to x + VL - 1, zero beyond the real ones. */
K_TEMPLATE
vf windows_load(enum k_dtype dt, const struct k_windows *in, int x, bool whole)
{
    if (!whole && x >= in->real) return (vf){0};
    vf sum = {0};
    const char *at = in->at + x * k_size(dt);
    k_prefetch(at + POOL_AHEAD);
    for (int depth = 0; depth < in->depths; depth++, at += in->depth_bytes) {
        vf value = whole ? k_load(dt, at) : k_load_first_before(dt, at, in->real - x, in->end);
        value = pool_round(dt, in->rounding, value) * v_load(in->scale[depth] + x);
        sum = depth == 0 ? value : sum + value;
    }
    return sum;
}

/* The sum over the `most` windows that end in each lane of now. */
K_TEMPLATE
vf sum_most(int most, vf before, vf now)
{
    switch (most) {
    case 1:
        return now;
    case 2:
        return v_delay(1, before, now) + now;
    case 3:
        return v_delay(2, before, now) + v_delay(1, before, now) + now;
    default:
        return v_delay(3, before, now) + v_delay(2, before, now) + v_delay(1, before, now) + now;
    }
}

/* Stores the cells of VL windows at e; pattern[q] says where the cells of the q-th vector come
 * from. */
K_TEMPLATE
void cells_store(int step, const vi pattern[], float *e, vf most, vf fewer)
{
    if (step == 1) {
        v_store(e, most);
    } else if (step == 2) {
        v_store(e, v_zip(0, most, fewer));
        v_store(e + VL, v_zip(1, most, fewer));
    } else {
        for (int q = 0; q < step; q++)
            v_store(e + q * VL, v_pick(most, fewer, pattern[q]));
    }
}

K_TEMPLATE
void spread_step(int most, int step, bool even, const vi pattern[], float *e, vf before, vf now)
{
    const vf all = sum_most(most, before, now);
    const vf fewer = even ? all : most == 1 ? (vf){0} : sum_most(most - 1, before, now);
    cells_store(step, pattern, e, all, fewer);
}

/* Rows of windows of one channel, one depth, in memory, and where their cells go. */
struct k_rows {
    const char *at, *end; /* first window; end of the whole tensor */
    int64_t row_bytes;
    const float *scale; /* per window; NULL: scaled */
    enum k_rounding rounding;
    int count, real, front; /* as in k_windows */
    float *to;
    int64_t pitch; /* floats from row to row */
    int64_t rows;
};

/* Windows x to x + VL - 1, zero beyond the real ones. */
K_TEMPLATE
vf row_load(enum k_dtype dt, const struct k_rows *in, const char *row, int x, bool whole)
{
    const char *at = row + x * k_size(dt);
    k_prefetch(at + POOL_AHEAD);
    vf value = {0};
    if (whole)
        value = k_load(dt, at);
    else if (x < in->real)
        value = k_load_first_before(dt, at, in->real - x, in->end);
    if (in->rounding != K_ROUND_NONE) value = pool_round(dt, in->rounding, value);
    return in->scale ? value * v_load(in->scale + (x < in->real ? x : in->real)) : value;
}

/* Spreads rows of windows to rows of cells. The cells before a row keep their values; up to
 * POOL_SLACK floats behind it are overwritten. even: every cell of a window's stride has `most`
 * windows. */
K_TEMPLATE
void spread_rows(enum k_dtype dt, int most, int step, bool even, const vi pattern[],
                 const struct k_rows *rows)
{
    const struct k_rows in = *rows;
    float keep[POOL_REGISTER_WINDOWS * POOL_REGISTER_STEP];
    const char *at = in.at;
    float *e = in.to;
    for (int64_t row = 0; row < in.rows; row++, at += in.row_bytes, e += in.pitch) {
        for (int i = 0; i < in.front; i++)
            keep[i] = e[i - in.front];
        vf before = {0};
        float *to = e - in.front;
        int x = 0;
        for (; x + VL <= in.real; x += VL, to += VL * step) {
            const vf now = row_load(dt, &in, at, x, true);
            spread_step(most, step, even, pattern, to, before, now);
            before = now;
        }
        for (; x < in.count; x += VL, to += VL * step) {
            const vf now = row_load(dt, &in, at, x, false);
            spread_step(most, step, even, pattern, to, before, now);
            before = now;
        }
        for (int i = 0; i < in.front; i++)
            e[i - in.front] = keep[i];
    }
}

/* ---- at most one window over a cell: rows of cells as elements ---- */

/* One vector of elements: VL windows, 2 VL of a half type. */
K_TEMPLATE
vf expand_load(enum k_dtype dt, const struct k_rows *in, const char *row, int x)
{
    if (dt == K_F32) return row_load(dt, in, row, x, x + VL <= in->real);
    const bool whole = x + 2 * VL <= in->real;
    const vf low = row_load(dt, in, row, x, whole), high = row_load(dt, in, row, x + VL, whole);
    return (vf)v_to_halves(dt, low, high);
}

K_TEMPLATE
vf expand_zip(enum k_dtype dt, int half, vf all, bool even)
{
    const vf other = even ? all : (vf){0};
    return dt == K_F32 ? v_zip(half, all, other) : (vf)v_zip_halves(half, (vw)all, (vw)other);
}

K_TEMPLATE
void expand_row(enum k_dtype dt, int step, bool even, const vi pattern[], const struct k_rows *in,
                const char *row, char *e)
{
    const int per = dt == K_F32 ? VL : 2 * VL; /* windows of a vector of elements */
    if (step <= 2) {
        for (int x = 0; x < in->count; x += per, e += step * K_VECTOR_BYTES) {
            const vf all = expand_load(dt, in, row, x);
            k_put(e, step == 1 ? all : expand_zip(dt, 0, all, even));
            if (step == 2 && x + per / 2 < in->count)
                k_put(e + K_VECTOR_BYTES, expand_zip(dt, 1, all, even));
        }
        return;
    }
    for (int x = 0; x < in->count; x += VL) {
        const vf all = row_load(dt, in, row, x, x + VL <= in->real);
        for (int q = 0; q < step; q++, e += VL * k_size(dt))
            k_store(dt, e, v_pick(all, (vf){0}, pattern[q]));
    }
}

/* Rows list[0 .. in->rows) of windows (NULL: zeros), each to `bytes` bytes of cells; the cells
 * before a row keep their values. A row that is short and comes again is made once. */
K_TEMPLATE
void expand_rows(enum k_dtype dt, int step, bool even, const vi pattern[],
                 const struct k_rows *rows, const char *const list[], char *to, int64_t bytes)
{
    enum { KEPT = POOL_REGISTER_STEP * 4 };
    const struct k_rows in = *rows;
    const int64_t front = in.front * k_size(dt);
    const bool single = step <= 2 && front == 0 && bytes <= K_VECTOR_BYTES;
    const char *before = NULL;
    vf once = {0};
    for (int64_t r = 0; r < in.rows; r++, to += bytes) {
        const char *row = list[r];
        if (single && row) {
            if (row != before) {
                once = expand_load(dt, &in, row, 0);
                if (step == 2) once = expand_zip(dt, 0, once, even);
            }
            before = row;
            k_put(to, once);
        } else if (!row) {
            memset(to, 0, (size_t)bytes);
        } else if (front == 0) {
            expand_row(dt, step, even, pattern, &in, row, to);
        } else {
            char kept[KEPT];
            memcpy(kept, to - front, (size_t)front);
            expand_row(dt, step, even, pattern, &in, row, to - front);
            memcpy(to - front, kept, (size_t)front);
        }
    }
}

K_TEMPLATE
void expand_rows_step(enum k_dtype dt, int step, bool even, const vi pattern[],
                      const struct k_rows *rows, const char *const list[], char *to, int64_t bytes)
{
    if (step == 1)
        expand_rows(dt, 1, true, pattern, rows, list, to, bytes);
    else if (step == 2 && even)
        expand_rows(dt, 2, true, pattern, rows, list, to, bytes);
    else if (step == 2)
        expand_rows(dt, 2, false, pattern, rows, list, to, bytes);
    else
        expand_rows(dt, step, even, pattern, rows, list, to, bytes);
}

/* pattern[q] lane i: cell q * VL + i belongs to window (q * VL + i) / step, counted from the
 * vectors given; from the second vector if its place in the stride is not below rest. */
K_TEMPLATE
void spread_pattern(int step, int rest, vi pattern[])
{
    int window = 0, place = 0;
    for (int q = 0; q < step; q++) {
        for (int i = 0; i < VL; i++) {
            pattern[q][i] = window + (place < rest ? 0 : VL);
            if (++place == step) place = 0, window++;
        }
    }
}

K_TEMPLATE
void spread_rows_step(enum k_dtype dt, int most, int step, bool even, const vi pattern[],
                      const struct k_rows *rows)
{
    if (step == 1)
        spread_rows(dt, most, 1, true, pattern, rows);
    else if (step == 2 && even)
        spread_rows(dt, most, 2, true, pattern, rows);
    else if (step == 2)
        spread_rows(dt, most, 2, false, pattern, rows);
    else
        spread_rows(dt, most, step, even, pattern, rows);
}

/* most <= POOL_REGISTER_WINDOWS, step <= POOL_REGISTER_STEP. */
K_TEMPLATE
void spread_rows_any(enum k_dtype dt, int most, int step, bool even, const vi pattern[],
                     const struct k_rows *rows)
{
    switch (most) {
    case 1:
        spread_rows_step(dt, 1, step, even, pattern, rows);
        break;
    case 2:
        spread_rows_step(dt, 2, step, even, pattern, rows);
        break;
    case 3:
        spread_rows_step(dt, 3, step, even, pattern, rows);
        break;
    default:
        spread_rows_step(dt, 4, step, even, pattern, rows);
        break;
    }
}

/* ---- several channels ---- */

/* A tile of windows and channels in memory. */
struct k_channels {
    struct k_windows windows; /* at: the first window's first channel; front counts cells */
    int64_t window_bytes;     /* from one window to the next */
    int channels;
    int cells; /* of the row */
};

/* VL channels from x on of window j (real), scaled; short of VL channels the rest is what follows
 * in memory or zero. */
K_TEMPLATE
vf channels_load(enum k_dtype dt, const struct k_channels *in, int j, int x)
{
    const struct k_windows *windows = &in->windows;
    vf sum = {0};
    const char *at = windows->at + j * in->window_bytes + x * k_size(dt);
    k_prefetch(at + POOL_AHEAD);
    for (int depth = 0; depth < windows->depths; depth++, at += windows->depth_bytes) {
        const int left = in->channels - x;
        vf value = left >= VL ? k_load(dt, at) : k_load_first_before(dt, at, left, windows->end);
        value = pool_round(dt, windows->rounding, value) * windows->scale[depth][j];
        sum = depth == 0 ? value : sum + value;
    }
    return sum;
}

/* Rows of windows, scaled, `channels` floats each; up to VL - 1 floats behind are overwritten. */
K_TEMPLATE
void channels_scale(enum k_dtype dt, const struct k_channels *in, float *to)
{
    for (int j = 0; j < in->windows.real; j++, to += in->channels)
        for (int x = 0; x < in->channels; x += VL)
            v_store(to + x, channels_load(dt, in, j, x));
}

/* Spreads to e, for at least VL channels. Vectors run along the channels, the last one over its
 * neighbour if need be. */
K_TEMPLATE
void spread_channels(enum k_dtype dt, int most, const struct k_channels *in, int64_t step,
                     int64_t rest, float *e)
{
    const int channels = in->channels;
    for (int tile = 0; tile < channels; tile += VL) {
        const int x = tile + VL <= channels ? tile : channels - VL;
        vf a = {0}, b = {0}, c = {0};
        int64_t cell = -in->windows.front;
        for (int j = 0; j < in->windows.count; j++) {
            const vf d = j < in->windows.real ? channels_load(dt, in, j, x) : (vf){0};
            const vf fewer = most == 1 ? (vf){0} : most == 2 ? d : most == 3 ? c + d : (b + c) + d;
            const vf all = most == 1   ? d
                           : most == 2 ? c + d
                           : most == 3 ? (b + c) + d
                                       : ((a + b) + c) + d;
            const int64_t split = cell + rest, end = pool_min(cell + step, in->cells);
            for (cell = cell < 0 ? 0 : cell; cell < split && cell < end; cell++)
                v_store(e + cell * channels + x, all);
            for (; cell < end; cell++)
                v_store(e + cell * channels + x, fewer);
            cell = split - rest + step;
            a = b, b = c, c = d;
        }
    }
}

/* ---- through buffers: any number of windows, any step, any number of channels ---- */

/* to[i] = from[i] + from[i + gap] + ... (most terms). In one order for every shape: up to four
 * terms one by one; else the first one plus sums of a power of two, the small ones behind. from is
 * destroyed. */
static inline void slide(float *to, float *from, int most, int64_t gap, int64_t count)
{
    if (most <= POOL_REGISTER_WINDOWS) {
        for (int64_t x = 0; x < count; x += VL) {
            vf sum = most == 0 ? (vf){0} : v_load(from + x);
            for (int t = 1; t < most; t++)
                sum = sum + v_load(from + x + t * gap);
            v_store(to + x, sum);
        }
        return;
    }
    int64_t covered = 0, reach = count + (most - 1) * gap; /* from[0 .. reach) is valid */
    for (int bit = 1; bit <= most; bit *= 2) {
        for (int64_t x = 0; (most & bit) != 0 && x < count; x += VL) {
            const vf level = v_load(from + x + covered * gap);
            v_store(to + x, covered == 0 ? level : v_load(to + x) + level);
        }
        if ((most & bit) != 0) covered += bit;
        reach -= bit * gap;
        for (int64_t x = 0; 2 * bit <= most && x < reach; x += VL)
            v_store(from + x, v_load(from + x) + v_load(from + x + bit * gap));
    }
}

/* Channels [first, first + count) of real window j as elements, to `copies` cells that are
 * cell_bytes apart. Several copies only of at least 2 VL channels: then nothing is written behind a
 * cell. */
K_TEMPLATE
void channels_copy(enum k_dtype dt, const struct k_channels *in, int j, int first, int count,
                   char *to, int copies, int64_t cell_bytes)
{
    const int wide = dt == K_F32 ? VL : 2 * VL;
    for (int tile = 0; tile < count; tile += wide) {
        const int x = tile + wide <= count || count < wide ? tile : count - wide;
        vf value = channels_load(dt, in, j, first + x);
        if (dt != K_F32) {
            const bool more = first + x + VL < in->channels;
            const vf high = more ? channels_load(dt, in, j, first + x + VL) : (vf){0};
            value = (vf)v_to_halves(dt, value, high);
        }
        char *cell = to + x * k_size(dt);
        for (int i = 0; i < copies; i++, cell += cell_bytes)
            memcpy(cell, &value, sizeof value);
    }
}

struct spread_buffers {
    float windows[POOL_ROW_WINDOWS + VL], levels[POOL_ROW_WINDOWS + VL];
    float all[POOL_ROW_WINDOWS + VL], fewer[POOL_ROW_WINDOWS + VL];
};

/* `cells` cells from cell on take the same channels. */
K_TEMPLATE
void cells_fill(float *e, const float *from, int channels, int cells)
{
    if (channels == 1) {
        const vf value = v_all(*from);
        for (int i = 0; i < cells; i += VL)
            v_store(e + i, value);
        return;
    }
    for (int i = 0; i < cells; i++, e += channels)
        for (int x = 0; x < channels; x += VL)
            v_store(e + x, v_load(from + x));
}

/* Sums `count` windows of the buffer, then spreads them; front: cells before e that the first sum
 * reaches. */
static inline void spread_sums(struct spread_buffers *buffer, int channels,
                               const struct pool_axis *axis, int count, int64_t front, int cells,
                               float *e)
{
    const int most = (int)axis->most;
    const int64_t floats = (int64_t)count * channels;
    const float *fewer = buffer->fewer;
    if (most <= POOL_REGISTER_WINDOWS) {
        slide(buffer->all, buffer->windows, most, channels, floats);
        slide(buffer->fewer, buffer->windows + channels, most - 1, channels, floats);
    } else {
        memcpy(buffer->levels, buffer->windows, sizeof buffer->levels);
        slide(buffer->fewer, buffer->levels + channels, most - 1, channels, floats);
        for (int64_t x = 0; x < floats; x += VL)
            v_store(buffer->all + x, v_load(buffer->windows + x) + v_load(buffer->fewer + x));
    }
    const float *all = buffer->all;
    for (int64_t cell = -front; cell < cells;
         cell += axis->stride, all += channels, fewer += channels) {
        const int64_t end = pool_min(cell + axis->stride, cells);
        const int64_t begin = pool_max(cell, 0);
        const int64_t split = pool_max(pool_min(cell + axis->rest, end), begin);
        cells_fill(e + begin * channels, all, channels, (int)(split - begin));
        if (split < end) cells_fill(e + split * channels, fewer, channels, (int)(end - split));
    }
}

/* Any number of windows, channels, any step. lead: zero windows before the first one. */
K_TEMPLATE
void spread_buffered(enum k_dtype dt, const struct k_channels *in, int lead,
                     const struct pool_axis *axis, int64_t front, struct spread_buffers *buffer,
                     float *e)
{
    const int channels = in->channels, all = in->windows.count + lead;
    float *to = buffer->windows;
    memset(to, 0, sizeof buffer->windows);
    if (channels == 1)
        for (int x = 0; x < in->windows.real; x += VL)
            v_store(to + lead + x, windows_load(dt, &in->windows, x, x + VL <= in->windows.real));
    else
        channels_scale(dt, in, to + lead * channels);
    if (channels != 1) memset(to + (lead + in->windows.real) * channels, 0, VL * sizeof(float));
    spread_sums(buffer, channels, axis, all - (int)axis->most + 1, front, in->cells, e);
}

#endif
