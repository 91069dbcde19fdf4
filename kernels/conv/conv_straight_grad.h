/* SPDX-License-Identifier: Apache-2.0 */
/* The weight's gradient of windows of one channel each straight from both tensors (conv_straight.h
 * tells how): strips of CONV_LANES columns are walked from top to bottom, and every row that is
 * loaded serves as many rows of the window as registers hold sums for. */
#ifndef ACLNN_CPU_KERNELS_CONV_CONV_STRAIGHT_GRAD_H
#define ACLNN_CPU_KERNELS_CONV_CONV_STRAIGHT_GRAD_H

#include "kernels/conv/conv_straight.h"

#if defined(K_ISA_avx512)

/* A band of both planes, and what is prefetched of the next one. */
struct straight_band {
    const char *small, *large;    /* the planes */
    int64_t small_row, large_row; /* bytes */
    int64_t begin, end, width;    /* rows and columns of the small side */
    const char *next_small, *next_large;
};

/* Row `row` of the large side times the small rows whose windows hold it: as row h of the window
 * for left[h], low <= h < high. */
K_TEMPLATE
void straight_grad_row(enum k_dtype dt, int low, int high, int width,
                       const struct straight_plan *plan, const struct straight_band *band,
                       int64_t row, const uint16_t lanes[], int64_t at, const vf left[],
                       vf sum[ROWS_CHUNK][STRAIGHT_WIDTH])
{
    const char *from = straight_row(plan, band->large, band->large_row, row);
#pragma GCC unroll 7
    for (int w = 0; w < width; w++) {
        const vf x = v_keep(
            k_load_lanes(dt, v_address(from, (plan->column[w] + at) * k_size(dt)), lanes[w]));
#pragma GCC unroll 3
        for (int h = low; h < high; h++)
            sum[h][w] = v_fma(left[h], x, sum[h][w]);
    }
}

/* The strip from column `at` on, of rows `first` to first + kernel_rows - 1 of the window. The band
 * has at least as many rows. */
K_TEMPLATE
void straight_grad_strip(enum k_dtype dt, int kernel_rows, int width,
                         const struct straight_plan *plan, const struct straight_band *band,
                         int64_t first, int64_t at, vf sum[ROWS_CHUNK][STRAIGHT_WIDTH])
{
    uint16_t lanes[STRAIGHT_WIDTH];
    const int64_t left_over = band->width - at;
    const uint16_t inside = left_over < VL ? (uint16_t)((1U << left_over) - 1) : 0xffff;
#pragma GCC unroll 7
    for (int w = 0; w < width; w++)
        lanes[w] = plan->lanes[at / VL][w] & inside;
    const int64_t lines = band->end - band->begin;
    const char *small = band->small + band->begin * band->small_row + at * k_size(dt);
    int64_t row = plan->first_row + band->begin + first, ahead = at / VL * lines * LINE_BYTES;
    vf left[ROWS_CHUNK] = {{0}, {0}, {0}};
#pragma GCC unroll 2
    for (int i = 0; i < kernel_rows - 1; i++, row++, small += band->small_row) {
        left[2] = left[1], left[1] = left[0], left[0] = k_load_lanes(dt, small, inside);
        straight_grad_row(dt, 0, i + 1, width, plan, band, row, lanes, at, left, sum);
    }
    for (int64_t i = kernel_rows - 1; i < lines; i++, row++, small += band->small_row) {
        left[2] = left[1], left[1] = left[0], left[0] = k_load_lanes(dt, small, inside);
        straight_grad_row(dt, 0, kernel_rows, width, plan, band, row, lanes, at, left, sum);
        __builtin_prefetch(v_address(band->next_small, ahead), 0, 2);
        __builtin_prefetch(v_address(band->next_large, ahead), 0, 2);
        ahead += LINE_BYTES;
    }
#pragma GCC unroll 2
    for (int i = 1; i < kernel_rows; i++, row++) {
        left[2] = left[1], left[1] = left[0];
        straight_grad_row(dt, i, kernel_rows, width, plan, band, row, lanes, at, left, sum);
    }
}

K_TEMPLATE
void straight_grad_chunk(enum k_dtype dt, int kernel_rows, int width,
                         const struct straight_plan *plan, const struct straight_band *band,
                         int64_t first, float *lanes)
{
    vf sum[ROWS_CHUNK][STRAIGHT_WIDTH];
    lanes += first * width * CONV_LANES;
#pragma GCC unroll 3
    for (int h = 0; h < kernel_rows; h++)
#pragma GCC unroll 7
        for (int w = 0; w < width; w++)
            sum[h][w] = v_load(lanes + (h * width + w) * CONV_LANES);
    for (int64_t at = 0; at < band->width; at += VL)
        straight_grad_strip(dt, kernel_rows, width, plan, band, first, at, sum);
#pragma GCC unroll 3
    for (int h = 0; h < kernel_rows; h++)
#pragma GCC unroll 7
        for (int w = 0; w < width; w++)
            v_store(lanes + (h * width + w) * CONV_LANES, sum[h][w]);
}

K_TEMPLATE
void straight_grad(enum k_dtype dt, int width, const struct straight_plan *plan,
                   const struct straight_band *band, int64_t height, float *lanes)
{
    int64_t h = 0;
    for (; h + 3 <= height; h += 3)
        straight_grad_chunk(dt, 3, width, plan, band, h, lanes);
    if (height - h == 2) straight_grad_chunk(dt, 2, width, plan, band, h, lanes);
    if (height - h == 1) straight_grad_chunk(dt, 1, width, plan, band, h, lanes);
}

#define STRAIGHT_GRAD(name, dt, width)                                                             \
    static __attribute__((noinline)) void name(const struct straight_plan *plan,                   \
                                               const struct straight_band *band, int64_t height,   \
                                               float *lanes)                                       \
    {                                                                                              \
        straight_grad(dt, width, plan, band, height, lanes);                                       \
    }
STRAIGHT_GRAD(straight_grad_f32_3, K_F32, 3)
STRAIGHT_GRAD(straight_grad_f32_5, K_F32, 5)
STRAIGHT_GRAD(straight_grad_f32_7, K_F32, 7)
STRAIGHT_GRAD(straight_grad_f16_3, K_F16, 3)
STRAIGHT_GRAD(straight_grad_f16_5, K_F16, 5)
STRAIGHT_GRAD(straight_grad_f16_7, K_F16, 7)
STRAIGHT_GRAD(straight_grad_bf16_3, K_BF16, 3)
STRAIGHT_GRAD(straight_grad_bf16_5, K_BF16, 5)
STRAIGHT_GRAD(straight_grad_bf16_7, K_BF16, 7)
#undef STRAIGHT_GRAD

/* Adds a band to the lanes of all weights of a window of `height` rows and `width` columns. */
static void straight_grad_add(enum k_dtype dtype, int64_t width, const struct straight_plan *plan,
                              const struct straight_band *band, int64_t height, float *lanes)
{
    typedef void add_fn(const struct straight_plan *, const struct straight_band *, int64_t,
                        float *);
    static add_fn *const all[][K_DTYPES] = {
        {straight_grad_f32_3, straight_grad_f16_3, straight_grad_bf16_3},
        {straight_grad_f32_5, straight_grad_f16_5, straight_grad_bf16_5},
        {straight_grad_f32_7, straight_grad_f16_7, straight_grad_bf16_7},
    };
    all[width / 2 - 1][dtype](plan, band, height, lanes);
}

#endif
#endif
