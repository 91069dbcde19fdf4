/* SPDX-License-Identifier: Apache-2.0 */
/* The weight's gradient of windows of one channel each where the channels lie side by side: vectors
 * of channels, column by column straight from both tensors. A weight's lanes are added in
 * conv_direct_grad's order: lane i takes column i of each strip of CONV_LANES columns, from top to
 * bottom; taps that meet padding are left out. */
#ifndef ACLNN_CPU_KERNELS_SIMD_CONV_ALONG_GRAD_H
#define ACLNN_CPU_KERNELS_SIMD_CONV_ALONG_GRAD_H

#include "kernels/simd/gemm.h"

enum { COLUMN_TAPS = 3 }; /* rows of a window at once */

/* A column of the small side, and that of the large side which one column of the window reads. */
struct along_column {
    const char *small, *large; /* of the band's first row; of the plane's */
    int64_t small_row, large_row;
    int64_t rows, height;      /* of the band; of the large plane */
    int64_t first, step, next; /* the large row of row 0, tap 0; from row to row, from tap to tap */
    int64_t taps;              /* rows of the window */
    int64_t lanes;             /* floats from tap to tap */
    int count;                 /* channels, at most VL */
    bool announces;            /* the channels behind these come next */
    enum k_rounding rounding;
};

K_TEMPLATE
vf column_load(enum k_dtype dt, bool is_whole, const struct along_column *column, const char *at)
{
    vf value = is_whole ? k_load(dt, at) : k_load_first(dt, at, column->count);
    if (column->rounding != K_ROUND_NONE) value = v_round_operand(column->rounding, value);
    return value;
}

/* Rows [begin, end) of the band. */
K_TEMPLATE
void column_rows(enum k_dtype dt, bool is_whole, bool is_inside, int taps,
                 const struct along_column *column, int64_t tap, int64_t begin, int64_t end,
                 vf sum[])
{
    const char *small = v_address(column->small, begin * column->small_row);
    int64_t h = column->first + begin * column->step + tap * column->next;
    for (int64_t r = begin; r < end; r++, h += column->step) {
        const vf left = column_load(dt, is_whole, column, small);
#pragma GCC unroll 3
        for (int k = 0; k < taps; k++) {
            const int64_t at = h + k * column->next;
            if (!is_inside && (at < 0 || at >= column->height)) continue;
            const char *large = v_address(column->large, at * column->large_row);
            sum[k] = v_fma(left, column_load(dt, is_whole, column, large), sum[k]);
            if (column->announces) __builtin_prefetch(large + VL * k_size(dt));
        }
        if (column->announces) __builtin_prefetch(small + VL * k_size(dt));
        small = v_address(small, column->small_row);
    }
}

K_TEMPLATE
void column_taps(enum k_dtype dt, bool is_whole, int taps, const struct along_column *column,
                 int64_t tap, float *lanes)
{
    /* Rows whose taps are all inside. */
    const int64_t first = column->first + tap * column->next;
    const int64_t last = first + (taps - 1) * column->next, step = column->step;
    int64_t low = first < 0 ? conv_up(-first, step) : 0;
    int64_t high = last < column->height ? (column->height - 1 - last) / step + 1 : 0;
    if (high > column->rows) high = column->rows;
    if (low > high) low = high;
    vf sum[COLUMN_TAPS];
#pragma GCC unroll 3
    for (int k = 0; k < taps; k++)
        sum[k] = v_load(lanes + (tap + k) * column->lanes);
    column_rows(dt, is_whole, false, taps, column, tap, 0, low, sum);
    column_rows(dt, is_whole, true, taps, column, tap, low, high, sum);
    column_rows(dt, is_whole, false, taps, column, tap, high, column->rows, sum);
#pragma GCC unroll 3
    for (int k = 0; k < taps; k++)
        v_store(lanes + (tap + k) * column->lanes, sum[k]);
}

K_TEMPLATE
void column_of(enum k_dtype dt, bool is_whole, const struct along_column *column, float *lanes)
{
    int64_t tap = 0;
    for (; tap + 3 <= column->taps; tap += 3)
        column_taps(dt, is_whole, 3, column, tap, lanes);
    for (; tap < column->taps; tap++)
        column_taps(dt, is_whole, 1, column, tap, lanes);
}

#define COLUMN(name, dt)                                                                           \
    static __attribute__((noinline)) void name(const struct along_column *column, float *lanes)    \
    {                                                                                              \
        if (column->count == VL)                                                                   \
            column_of(dt, true, column, lanes);                                                    \
        else                                                                                       \
            column_of(dt, false, column, lanes);                                                   \
    }
COLUMN(column_f32, K_F32)
COLUMN(column_f16, K_F16)
COLUMN(column_bf16, K_BF16)
#undef COLUMN

static void add_column(enum k_dtype dtype, const struct along_column *column, float *lanes)
{
    if (dtype == K_F32)
        column_f32(column, lanes);
    else if (dtype == K_F16)
        column_f16(column, lanes);
    else
        column_bf16(column, lanes);
}

/* A band of some channels, positions [begin, end) of the small side: small and large are the
 * image's first elements of these channels. Lanes are [VL channels][tap][lane][channel]. */
static __attribute__((unused)) void along_grad_band(const struct k_conv *conv,
                                                    const int64_t begin[], const int64_t end[],
                                                    const char *small, const char *large,
                                                    int64_t channels, float *lanes)
{
    const struct k_conv_tensor *s = &conv->small, *l = &conv->large;
    const struct k_conv_axis *a = conv->axis;
    const int64_t size = k_size(s->dtype), tap_floats = CONV_LANES * VL;
    struct along_column column = {.small_row = size * s->axis[1],
                                  .large_row = size * l->axis[1],
                                  .rows = end[1] - begin[1],
                                  .height = a[1].large,
                                  .first = begin[1] * a[1].stride - a[1].pad,
                                  .step = a[1].stride,
                                  .next = a[1].dilation,
                                  .taps = a[1].kernel,
                                  .lanes = a[2].kernel * tap_floats,
                                  .rounding = conv->rounding};
    for (int64_t c = 0; c < channels; c += VL, lanes += conv_taps(conv) * tap_floats) {
        column.count = (int)(channels - c < VL ? channels - c : VL);
        column.announces = channels - c > VL;
        for (int64_t w = begin[2]; w < end[2]; w++) {
            const int64_t lane = (w - begin[2]) % CONV_LANES * VL;
            column.small = v_address(
                small, size * (begin[0] * s->axis[0] + begin[1] * s->axis[1] + w * s->axis[2] + c));
            for (int64_t kd = 0; kd < a[0].kernel; kd++)
                for (int64_t kw = 0; kw < a[2].kernel; kw++) {
                    const int64_t d = begin[0] * a[0].stride - a[0].pad + kd * a[0].dilation;
                    const int64_t x = w * a[2].stride - a[2].pad + kw * a[2].dilation;
                    if (d < 0 || d >= a[0].large || x < 0 || x >= a[2].large) continue;
                    column.large = v_address(large, size * (d * l->axis[0] + x * l->axis[2] + c));
                    add_column(s->dtype, &column,
                               lanes + (kd * a[1].kernel * a[2].kernel + kw) * tap_floats + lane);
                }
        }
    }
}

#endif
