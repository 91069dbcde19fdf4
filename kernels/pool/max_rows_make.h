/* SPDX-License-Identifier: Apache-2.0 */
/* Max pooling of one channel, the first step: rows of cells become the largest tap of each window
 * along them (max_rows.h), row by row or several as one. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_ROWS_MAKE_H
#define ACLNN_CPU_KERNELS_POOL_MAX_ROWS_MAKE_H

#include <math.h>

#include "kernels/pool/max_pool_plan.h"
#include "kernels/vector/select.h"

enum { ROWS_LANES = 512 }; /* windows of rows that are one, wanted */

/* How windows lie along the width, where rows can be one. */
enum rows_pattern {
    ROWS_ANY,
    ROWS_ODD,  /* kernel 3, stride 2, padding 1: the first window's first tap is padding */
    ROWS_EVEN, /* kernel 3, stride 2, no padding: the last window's last tap is */
    ROWS_EVERY /* kernel 3, stride 1, padding 1: both are */
};

/* Rows [begin, made) of the cells of a plane of one depth were made, the latest of them are kept;
 * both are the first of a batch. */
struct rows_plane {
    int64_t plane, begin, made;
};

/* The windows of a plane of one depth, from row `begin` on, as if they had no other. */
struct rows_fold {
    int64_t plane, begin;
    bool bad; /* a NaN may be in them */
};

/* The rows of cells in work, in a ring of batches for each depth, and what is known of them. */
struct max_rows {
    const struct max_plan *plan;
    const char *x, *end; /* the tensor */
    bool codes;          /* places wanted */
    enum rows_pattern pattern;
    int64_t depths;      /* in work at once, a power of two */
    int shift;           /* 1 << shift rows are a batch; */
    int64_t batches;     /* so many are kept of each depth, a power of two */
    int64_t pitch, room; /* lanes from row to row, from batch to batch */
    int64_t first;       /* lane of the ring's begin */
    bool flat;           /* the ring holds a plane, rows of -inf where its padding is; */
    bool folds;          /* behind it lie the largest of each depth of a window */
    int64_t kept;        /* depths of those, a power of two */
    int64_t fold;        /* lanes from depth to depth */
    struct rows_plane of[MAX_SIDE];
    struct rows_fold folded[MAX_SIDE];
    bool bad[MAX_SIDE * MAX_SIDE]; /* a NaN may be in the batch */
    vf value[MAX_RING / VL + 1];   /* a vector may be read behind */
    vi place[MAX_RING / VL + 1];
    vi not_first[ROWS_LANES / VL + 1], not_last[ROWS_LANES / VL + 1]; /* of a row's windows */
};

static inline int64_t rows_pitch(const struct max_plan *plan)
{
    return (plan->width.out + VL - 1) / VL * VL;
}

/* VL cells from cell `cell` of a row on; outside of the row -inf, and nothing is read there. */
K_TEMPLATE
vf row_edge(enum k_dtype dt, const char *row, int64_t cell, int64_t in)
{
    const int low = (int)max_least(max_most(-cell, 0), VL);
    const int high = (int)max_most(max_least(in - cell, VL), low);
    const char *at = (const char *)((uintptr_t)row + (uintptr_t)(cell * k_size(dt)));
#if defined(K_ISA_avx512)
    const __mmask16 mask = (__mmask16)((1U << high) - (1U << low));
    const __m512 outside = _mm512_set1_ps(-INFINITY);
    if (dt == K_F32) return (vf)_mm512_mask_loadu_ps(outside, mask, at);
    const vf inside = v_from_half(dt, (vh)_mm256_maskz_loadu_epi16(mask, at));
    return (vf)_mm512_mask_mov_ps(outside, mask, (__m512)inside);
#else
    char bytes[VL * sizeof(float)] = {0};
    if (high > low)
        memcpy(bytes + low * k_size(dt), at + low * k_size(dt),
               (size_t)((high - low) * k_size(dt)));
    const vf outside = v_all(-INFINITY);
    return v_first(low, outside, v_first(high, k_load(dt, bytes), outside));
#endif
}

K_TEMPLATE
vf row_cells(enum k_dtype dt, bool edge, const char *row, int64_t cell, int64_t in)
{
    return edge ? row_edge(dt, row, cell, in) : k_load(dt, row + cell * k_size(dt));
}

/* Along VL windows, the first of which begins at `cell`: the largest tap, its number, and a sum
 * that is a NaN if a tap is one. */
K_TEMPLATE
void row_windows(enum k_dtype dt, bool codes, int stride, int kernel, bool edge, const char *row,
                 int64_t cell, int64_t in, vf *best, vi *tap, vf *sum)
{
    vf value, odd = {0};
    *tap = (vi){0};
#pragma GCC unroll 4
    for (int j = 0; j < kernel; j++) {
        if (stride == 1) {
            value = row_cells(dt, edge, row, cell + j, in);
        } else if (j % 2 == 0) {
            const vf a = row_cells(dt, edge, row, cell + j, in);
            const vf b = row_cells(dt, edge, row, cell + j + VL, in);
            value = v_unzip(0, a, b);
            odd = v_unzip(1, a, b);
        } else {
            value = odd;
        }
        if (j == 0) {
            *best = *sum = value;
            continue;
        }
        *sum = *sum + value;
        if (codes)
            v_take_greater(best, tap, value, v_all_i(j));
        else
            *best = v_greater(*best, value);
    }
}

K_TEMPLATE
void row_make(enum k_dtype dt, bool codes, int stride, int kernel, const struct max_rows *rows,
              const char *row, int32_t base, float *to, int32_t *place, bool *bad)
{
    const struct max_axis *width = &rows->plan->width;
    const int64_t in = width->in, out = width->out;
    const int64_t reach = (kernel - 1) / stride * stride + stride * VL; /* cells read */
    const char *last = rows->end - reach * k_size(dt);
    vi nan = {0};
    for (int64_t w = 0; w < out; w += VL) {
        const int64_t cell = w * stride - width->pad;
        const int64_t windows = max_least(out - w, VL);
        const bool edge = cell < 0 || cell + (windows - 1) * stride + kernel > in ||
                          last - row < cell * k_size(dt);
        vf best = {0}, sum = {0};
        vi tap = {0};
        if (edge)
            row_windows(dt, codes, stride, kernel, true, row, cell, in, &best, &tap, &sum);
        else
            row_windows(dt, codes, stride, kernel, false, row, cell, in, &best, &tap, &sum);
        nan |= (vi)(sum != sum);
        v_store(to + w, best);
        if (codes) v_store_i(place + w, tap + v_lanes() * stride + (base + (int32_t)cell));
    }
    *bad = v_any(nan);
}

K_TEMPLATE
void row_make_any(enum k_dtype dt, bool codes, const struct max_rows *rows, const char *row,
                  int32_t base, float *to, int32_t *place, bool *bad)
{
    const int stride = (int)rows->plan->width.stride, kernel = (int)rows->plan->width.kernel;
    for (int64_t line = 0; line < rows->plan->width.in * k_size(dt); line += LINE_BYTES)
        k_prefetch(row + line + MAX_FAR);
    if (stride == 2 && kernel == 3)
        row_make(dt, codes, 2, 3, rows, row, base, to, place, bad);
    else if (stride == 2)
        row_make(dt, codes, 2, kernel, rows, row, base, to, place, bad);
    else
        row_make(dt, codes, 1, kernel, rows, row, base, to, place, bad);
}

/* ---- rows that are one ---- */

/* VL cells; those behind the tensor are zeros. */
K_TEMPLATE
vf batch_cells(enum k_dtype dt, const char *at, const char *end)
{
    const int64_t left = (end - at) / k_size(dt);
    if (__builtin_expect(left >= VL, 1)) return k_load(dt, at);
    return left > 0 ? k_load_first(dt, at, (int)left) : (vf){0};
}

/* The cells of VL windows; by phases of the stride. */
K_TEMPLATE
void batch_load(enum k_dtype dt, int stride, const char *at, const char *end, vf phases[])
{
    const vf a = batch_cells(dt, at, end);
    phases[0] = a;
    if (stride == 1) return;
    const vf b = batch_cells(dt, at + VL * k_size(dt), end);
    phases[0] = v_unzip(0, a, b);
    phases[1] = v_unzip(1, a, b);
}

K_TEMPLATE
vf batch_masked(vi inside, vf value)
{
    return (vf)((inside & (vi)value) | (~inside & (vi)v_all(-INFINITY)));
}

/* `windows` windows of rows which are one. `base` is the place of its cell 0. */
K_TEMPLATE
void batch_make(enum k_dtype dt, bool codes, enum rows_pattern pattern, const struct max_rows *rows,
                const char *row, int64_t windows, int32_t base, float *to, int32_t *place,
                bool *bad)
{
    const int stride = pattern == ROWS_EVERY ? 1 : 2;
    const int pad = pattern == ROWS_ODD || pattern == ROWS_EVERY ? 1 : 0;
    const bool looks_ahead = pattern == ROWS_EVEN || pattern == ROWS_EVERY;
    const int64_t step = stride * VL * k_size(dt);
    const char *end = rows->end;
    vf before = {0}, now[2], next[2] = {{0}};
    vi nan = {0}, here = v_lanes() * stride + (base - pad);
    if (looks_ahead) batch_load(dt, stride, row, end, next);
    for (int64_t w = 0, v = 0; w < windows; w += VL, v++, row += step) {
        for (int line = 0; line < step; line += LINE_BYTES)
            k_prefetch(row + line + MAX_FAR);
        vf taps[3];
        if (looks_ahead) {
            now[0] = next[0];
            now[1] = next[1];
            batch_load(dt, stride, row + step, end, next);
        } else {
            batch_load(dt, stride, row, end, now);
        }
        const vf center = now[0], odd = stride == 2 ? now[1] : now[0];
        if (pad == 1) {
            taps[0] = batch_masked(rows->not_first[v], v_delay(1, before, odd));
            taps[1] = center;
            taps[2] = odd;
            before = odd;
        } else {
            taps[0] = center;
            taps[1] = odd;
        }
        if (looks_ahead) taps[2] = batch_masked(rows->not_last[v], v_advance(center, next[0]));
        vf best = taps[0], sum = taps[0];
        vi tap = {0};
#pragma GCC unroll 4
        for (int j = 1; j < 3; j++) {
            sum = sum + taps[j];
            if (codes)
                v_take_greater(&best, &tap, taps[j], v_all_i(j));
            else
                best = v_greater(best, taps[j]);
        }
        nan |= (vi)(sum != sum);
        v_store(to + w, best);
        if (codes) v_store_i(place + w, here + tap);
        here += VL * stride;
    }
    *bad = v_any(nan);
}

static inline enum rows_pattern rows_pattern(const struct max_axis *width)
{
    const int64_t kernel = width->kernel, pad = width->pad;
    if (width->in != width->out * width->stride || width->dilation != 1) return ROWS_ANY;
    if (width->stride == 1) return kernel == 3 && pad == 1 ? ROWS_EVERY : ROWS_ANY;
    if (kernel == 3 && pad == 1) return ROWS_ODD;
    return kernel == 3 && pad == 0 ? ROWS_EVEN : ROWS_ANY;
}

#endif
