/* SPDX-License-Identifier: Apache-2.0 */
/* Max pooling of one channel, separable: the largest tap of each window along each row of cells,
 * then, over the rows of a window, the largest of those, first ones first: that is the first
 * largest in row-major order. Lanes are windows. Rows with a NaN, and windows that are -inf all
 * over, where padding could win, are told to the caller. */
#ifndef ACLNN_CPU_KERNELS_SIMD_MAX_ROWS_H
#define ACLNN_CPU_KERNELS_SIMD_MAX_ROWS_H

#include <math.h>

#include "kernels/max_pool_plan.h"
#include "kernels/simd/select.h"

/* The rows of cells in work, in a ring, and what is known of them. */
struct max_rows {
    const struct max_plan *plan;
    const char *x, *end; /* the tensor */
    bool codes;          /* places wanted */
    int64_t outer, made; /* the plane in work, the next row of cells */
    int64_t slots, pitch;
    bool bad[MAX_SIDE]; /* a NaN may be in the row */
    vf value[MAX_RING / VL];
    vi place[MAX_RING / VL];
};

static inline int64_t rows_pitch(const struct max_plan *plan)
{
    return (plan->width.out + VL - 1) / VL * VL;
}

static inline bool rows_can(const struct max_plan *plan)
{
    const struct max_axis *width = &plan->width;
    return plan->channels == 1 && plan->depth.in == 1 && plan->depth.kernel == 1 &&
           (width->dilation == 1 || width->kernel == 1) && width->stride <= 2 &&
           width->kernel <= MAX_SIDE &&
           (plan->height.kernel - 1) * plan->height.dilation < MAX_SIDE && plan->tiles.tiles == 1 &&
           width->out <= MAX_RING / MAX_SIDE - 16;
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
void row_make(enum k_dtype dt, bool codes, int stride, int kernel, struct max_rows *rows,
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
void row_make_any(enum k_dtype dt, bool codes, struct max_rows *rows, const char *row, int32_t base,
                  float *to, int32_t *place, bool *bad)
{
    const int stride = (int)rows->plan->width.stride, kernel = (int)rows->plan->width.kernel;
    if (stride == 2 && kernel == 2)
        row_make(dt, codes, 2, 2, rows, row, base, to, place, bad);
    else if (stride == 2 && kernel == 3)
        row_make(dt, codes, 2, 3, rows, row, base, to, place, bad);
    else if (stride == 2)
        row_make(dt, codes, 2, kernel, rows, row, base, to, place, bad);
    else if (kernel == 3)
        row_make(dt, codes, 1, 3, rows, row, base, to, place, bad);
    else
        row_make(dt, codes, 1, kernel, rows, row, base, to, place, bad);
}

/* Row h of cells into the ring. */
K_TEMPLATE
void rows_add(enum k_dtype dt, struct max_rows *rows, int64_t h)
{
    const struct max_plan *plan = rows->plan;
    const int64_t slot = h % rows->slots, at = slot * rows->pitch;
    const int64_t row = rows->outer * plan->height.in + h;
    const char *from = rows->x + row * plan->width.in * k_size(dt);
    float *to = (float *)(void *)rows->value + at;
    int32_t *place = (int32_t *)(void *)rows->place + at;
    const int32_t base = (int32_t)(h * plan->width.in);
    for (int64_t line = 0; line < plan->width.in * k_size(dt); line += LINE_BYTES)
        k_prefetch(from + line + MAX_AHEAD);
    if (rows->codes)
        row_make_any(dt, true, rows, from, base, to, place, rows->bad + slot);
    else
        row_make_any(dt, false, rows, from, base, to, place, rows->bad + slot);
}

static __attribute__((noinline, unused)) void rows_add_f32(struct max_rows *rows, int64_t h)
{
    rows_add(K_F32, rows, h);
}

static __attribute__((noinline, unused)) void rows_add_f16(struct max_rows *rows, int64_t h)
{
    rows_add(K_F16, rows, h);
}

static __attribute__((noinline, unused)) void rows_add_bf16(struct max_rows *rows, int64_t h)
{
    rows_add(K_BF16, rows, h);
}

static inline void rows_begin(struct max_rows *rows, const struct max_plan *plan, const char *x,
                              const char *end, bool codes)
{
    rows->plan = plan;
    rows->x = x;
    rows->end = end;
    rows->codes = codes;
    rows->outer = -1;
    rows->slots =
        max_most((plan->height.kernel - 1) * plan->height.dilation + 1, plan->height.kernel);
    rows->pitch = rows_pitch(plan);
}

/* The rows of cells that row oh of the windows of plane `outer` needs. */
K_TEMPLATE
void rows_want(enum k_dtype dt, struct max_rows *rows, int64_t outer, int64_t oh)
{
    const struct max_axis *height = &rows->plan->height;
    const int64_t low = max_most(oh * height->stride - height->pad, 0);
    const int64_t end =
        max_least(oh * height->stride - height->pad + (height->kernel - 1) * height->dilation + 1,
                  height->in);
    if (rows->outer != outer) rows->made = 0;
    rows->outer = outer;
    for (rows->made = max_most(rows->made, low); rows->made < end; rows->made++) {
        if (dt == K_F32) rows_add_f32(rows, rows->made);
        if (dt == K_F16) rows_add_f16(rows, rows->made);
        if (dt == K_BF16) rows_add_bf16(rows, rows->made);
    }
}

/* Indices of VL lanes; i64: twice the bytes. */
K_TEMPLATE
void put_place(bool wide, char *to, vi place)
{
    if (!wide) {
        k_put(to, (vf)place);
        return;
    }
    const vf zero = {0}; /* a place is never negative: its upper half */
    k_put(to, v_zip(0, (vf)place, zero));
    k_put(to + K_VECTOR_BYTES, v_zip(1, (vf)place, zero));
}

/* The largest of `count` rows; false if they are not to be trusted. Up to VL - 1 elements are
 * written behind. */
K_TEMPLATE
bool rows_largest(enum k_dtype dt, enum k_index index, int count, const float *const values[],
                  const int32_t *const places[], int64_t out, char *y, char *indices)
{
    vi low = {0};
    for (int64_t w = 0; w < out; w += VL) {
        vf best = v_all(-INFINITY);
        vi place = {0};
        if (count > 0) best = v_load(values[0] + w);
        if (count > 0 && index != K_INDEX_NONE) place = v_load_i(places[0] + w);
#pragma GCC unroll 4
        for (int r = 1; r < count; r++) {
            const vf value = v_load(values[r] + w);
            if (index == K_INDEX_NONE)
                best = v_greater(best, value);
            else
                v_take_greater(&best, &place, value, v_load_i(places[r] + w));
        }
        k_store(dt, y + w * k_size(dt), best);
        if (index == K_INDEX_NONE) continue;
        const vf real = out - w < VL ? v_first((int)(out - w), best, (vf){0}) : best;
        low |= (vi)(real == v_all(-INFINITY));
        put_place(index == K_INDEX_I64, indices + w * (index == K_INDEX_I64 ? 8 : 4), place);
    }
    return !v_any(low);
}

/* Row oh of the windows of a plane. */
K_TEMPLATE
bool rows_window(enum k_dtype dt, enum k_index index, struct max_rows *rows, int64_t oh, char *y,
                 char *indices)
{
    const struct max_axis *height = &rows->plan->height;
    const float *values[MAX_SIDE];
    const int32_t *places[MAX_SIDE];
    const int64_t out = rows->plan->width.out;
    bool bad = false;
    int count = 0;
    for (int64_t j = 0; j < height->kernel; j++) {
        const int64_t h = oh * height->stride - height->pad + j * height->dilation;
        if (h < 0 || h >= height->in) continue;
        const int64_t slot = h % rows->slots;
        bad |= rows->bad[slot];
        values[count] = (const float *)(const void *)rows->value + slot * rows->pitch;
        places[count++] = (const int32_t *)(const void *)rows->place + slot * rows->pitch;
    }
    if (bad) return false;
    if (count == 2) return rows_largest(dt, index, 2, values, places, out, y, indices);
    if (count == 3) return rows_largest(dt, index, 3, values, places, out, y, indices);
    return rows_largest(dt, index, count, values, places, out, y, indices);
}

#endif
