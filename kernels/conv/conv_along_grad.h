/* SPDX-License-Identifier: Apache-2.0 */
/* The weight's gradient of groups of one, two or four channels where the channels lie side by side:
 * vectors of channels, column by column straight from both tensors. A lane is a channel of the
 * large side; it meets each channel of its group's small side. A weight's partial sums are added in
 * conv_grad_direct's order: sum i takes column i of each strip of CONV_LANES columns, from top to
 * bottom; taps that meet padding are left out. */
#ifndef ACLNN_CPU_KERNELS_CONV_CONV_ALONG_GRAD_H
#define ACLNN_CPU_KERNELS_CONV_CONV_ALONG_GRAD_H

#include "kernels/conv/conv_plan.h"
#include "kernels/vector/lanes.h"

enum { COLUMN_TAPS = 3, COLUMN_GROUP = 4 }; /* taps along an axis at once; channels of a group */

/* A column of the small side, and those of the large side which a row of the window reads. */
struct along_column {
    const char *small, *large; /* of the band's first row; of the plane's */
    int64_t small_row, large_row;
    int64_t apart;             /* bytes from a large column to the next tap's */
    int64_t rows, height;      /* of the band; of the large plane */
    int64_t first, step, next; /* the large row of row 0, tap 0; from row to row, from tap to tap */
    int64_t taps;              /* rows of the window */
    int64_t lanes, of_group;   /* floats from row to row of taps, from small channel to channel */
    int count;                 /* channels, at most VL */
    int64_t ahead[2];          /* bytes to what comes next of the small and the large side, or 0 */
    enum k_rounding rounding;
};

K_TEMPLATE
vf column_load(enum k_dtype dt, bool is_whole, const struct along_column *column, const char *at)
{
    vf value = is_whole ? k_load(dt, at) : k_load_first(dt, at, column->count);
    if (column->rounding != K_ROUND_NONE) value = v_round_operand(column->rounding, value);
    return value;
}

/* Rows [begin, end) of the band with `high` rows of `wide` taps. */
K_TEMPLATE
void column_rows(enum k_dtype dt, int group, bool is_whole, bool is_inside, int high, int wide,
                 const struct along_column *column, int64_t tap, int64_t begin, int64_t end,
                 vf sum[][COLUMN_TAPS][COLUMN_TAPS])
{
    const char *small = v_address(column->small, begin * column->small_row);
    int64_t h = column->first + begin * column->step + tap * column->next;
    for (int64_t r = begin; r < end; r++, h += column->step) {
        const vf left = column_load(dt, is_whole, column, small);
        vf of[COLUMN_GROUP];
#pragma GCC unroll 4
        for (int k = 0; k < group; k++)
            of[k] = v_spread(group, k, left);
#pragma GCC unroll 3
        for (int i = 0; i < high; i++) {
            const int64_t at = h + i * column->next;
            if (!is_inside && (at < 0 || at >= column->height)) continue;
            const char *large = v_address(column->large, at * column->large_row);
#pragma GCC unroll 3
            for (int j = 0; j < wide; j++) {
                const vf right =
                    column_load(dt, is_whole, column, v_address(large, j * column->apart));
#pragma GCC unroll 4
                for (int k = 0; k < group; k++)
                    sum[k][i][j] = v_fma(of[k], right, sum[k][i][j]);
            }
        }
        if (column->ahead[0] != 0) __builtin_prefetch(v_address(small, column->ahead[0]), 0, 2);
        if (column->ahead[1] != 0)
            __builtin_prefetch(v_address(column->large, h * column->large_row + column->ahead[1]),
                               0, 2);
        small = v_address(small, column->small_row);
    }
}

/* Sums into registers, or back. */
K_TEMPLATE
void column_move(bool is_back, int group, int high, int wide, const struct along_column *column,
                 float *lanes, vf sum[][COLUMN_TAPS][COLUMN_TAPS])
{
#pragma GCC unroll 4
    for (int k = 0; k < group; k++)
#pragma GCC unroll 3
        for (int i = 0; i < high; i++)
#pragma GCC unroll 3
            for (int j = 0; j < wide; j++) {
                float *at = lanes + k * column->of_group + i * column->lanes + j * CONV_LANES * VL;
                if (is_back)
                    v_store(at, sum[k][i][j]);
                else
                    sum[k][i][j] = v_load(at);
            }
}

K_TEMPLATE
void column_taps(enum k_dtype dt, int group, bool is_whole, int high, int wide,
                 const struct along_column *column, int64_t tap, float *lanes)
{
    /* Rows whose taps are all inside. */
    const int64_t first = column->first + tap * column->next;
    const int64_t last = first + (high - 1) * column->next, step = column->step;
    int64_t low = first < 0 ? conv_up(-first, step) : 0;
    int64_t end = last < column->height ? (column->height - 1 - last) / step + 1 : 0;
    if (end > column->rows) end = column->rows;
    if (low > end) low = end;
    vf sum[COLUMN_GROUP][COLUMN_TAPS][COLUMN_TAPS];
    lanes += tap * column->lanes;
    column_move(false, group, high, wide, column, lanes, sum);
    column_rows(dt, group, is_whole, false, high, wide, column, tap, 0, low, sum);
    column_rows(dt, group, is_whole, true, high, wide, column, tap, low, end, sum);
    column_rows(dt, group, is_whole, false, high, wide, column, tap, end, column->rows, sum);
    column_move(true, group, high, wide, column, lanes, sum);
}

K_TEMPLATE
void column_of(enum k_dtype dt, int group, bool is_whole, int wide,
               const struct along_column *given, float *lanes)
{
    struct along_column column = *given;
    int64_t tap = 0;
    for (; tap + COLUMN_TAPS <= column.taps; tap += COLUMN_TAPS) {
        column_taps(dt, group, is_whole, COLUMN_TAPS, wide, &column, tap, lanes);
        column.ahead[0] = column.ahead[1] = 0; /* once */
    }
    for (; tap < column.taps; tap++) {
        column_taps(dt, group, is_whole, 1, wide, &column, tap, lanes);
        column.ahead[0] = column.ahead[1] = 0;
    }
}

typedef void column_fn(const struct along_column *column, float *lanes);

#define COLUMN(name, dt, group, wide)                                                              \
    static __attribute__((noinline)) void name(const struct along_column *column, float *lanes)    \
    {                                                                                              \
        if (column->count == VL)                                                                   \
            column_of(dt, group, true, wide, column, lanes);                                       \
        else                                                                                       \
            column_of(dt, group, false, wide, column, lanes);                                      \
    }
#define COLUMN_TYPE(name, dt)                                                                      \
    COLUMN(name##_1, dt, 1, 1)                                                                     \
    COLUMN(name##_1_wide, dt, 1, COLUMN_TAPS)                                                      \
    COLUMN(name##_2, dt, 2, 1)                                                                     \
    COLUMN(name##_4, dt, 4, 1)
COLUMN_TYPE(column_f32, K_F32)
COLUMN_TYPE(column_f16, K_F16)
COLUMN_TYPE(column_bf16, K_BF16)
#undef COLUMN
#undef COLUMN_TYPE

/* For one tap along the row, or for COLUMN_TAPS of them. */
static column_fn *column_for(enum k_dtype dtype, int64_t group, bool is_wide)
{
#define COLUMNS(name)                                                                              \
    {                                                                                              \
        [1] = {name##_1, name##_1_wide}, [2] = {name##_2}, [4] = { name##_4 }                      \
    }
    static column_fn *const all[K_DTYPES][COLUMN_GROUP + 1][2] = {[K_F32] = COLUMNS(column_f32),
                                                                  [K_F16] = COLUMNS(column_f16),
                                                                  [K_BF16] = COLUMNS(column_bf16)};
#undef COLUMNS
    return all[dtype][group][is_wide];
}

/* A row of the window's taps, column w of the small side. */
static void column_row(const struct k_conv *conv, struct along_column *column, int64_t w,
                       const char *large, float *lanes)
{
    const struct k_conv_axis *a = &conv->axis[2];
    const int64_t size = k_size(conv->small.dtype), tap_floats = CONV_LANES * VL;
    const int64_t group = conv->small_channels;
    const int64_t ahead[] = {column->ahead[0], column->ahead[1]};
    for (int64_t tap = 0, some; tap < a->kernel; tap += some) {
        const int64_t x = w * a->stride - a->pad + tap * a->dilation;
        const int64_t last = x + (COLUMN_TAPS - 1) * a->dilation;
        const bool is_wide =
            group == 1 && tap + COLUMN_TAPS <= a->kernel && x >= 0 && last < a->large;
        some = is_wide ? COLUMN_TAPS : 1;
        if (x < 0 || x >= a->large) continue;
        column->large = v_address(large, size * x * conv->large.axis[2]);
        column_for(conv->small.dtype, group, is_wide)(column, lanes + tap * tap_floats);
        column->ahead[0] = column->ahead[1] = 0; /* once */
    }
    column->ahead[0] = ahead[0];
    column->ahead[1] = ahead[1];
}

/* A band of some channels, positions [begin, end) of the small side: small and large are the
 * image's first elements of these channels. Lanes are [VL channels][small channel of the
 * group][tap][lane][channel]. */
static __attribute__((unused)) void along_grad_band(const struct k_conv *conv,
                                                    const int64_t begin[], const int64_t end[],
                                                    const char *small, const char *large,
                                                    int64_t channels, float *lanes)
{
    const struct k_conv_tensor *s = &conv->small, *l = &conv->large;
    const struct k_conv_axis *a = conv->axis;
    const int64_t size = k_size(s->dtype), tap_floats = CONV_LANES * VL;
    const int64_t plane = a[1].kernel * a[2].kernel * tap_floats;
    struct along_column column = {.small_row = size * s->axis[1],
                                  .large_row = size * l->axis[1],
                                  .apart = size * l->axis[2] * a[2].dilation,
                                  .rows = end[1] - begin[1],
                                  .height = a[1].large,
                                  .first = begin[1] * a[1].stride - a[1].pad,
                                  .step = a[1].stride,
                                  .next = a[1].dilation,
                                  .taps = a[1].kernel,
                                  .lanes = a[2].kernel * tap_floats,
                                  .of_group = conv_taps(conv) * tap_floats,
                                  .rounding = conv->rounding};
    for (int64_t c = 0; c < channels; c += VL, lanes += conv->small_channels * column.of_group) {
        column.count = (int)(channels - c < VL ? channels - c : VL);
        column.ahead[0] = column.ahead[1] = channels - c > VL ? VL * size : 0;
        for (int64_t w = begin[2]; w < end[2]; w++) {
            column.small = v_address(
                small, size * (begin[0] * s->axis[0] + begin[1] * s->axis[1] + w * s->axis[2] + c));
            for (int64_t kd = 0; kd < a[0].kernel; kd++) {
                const int64_t d = begin[0] * a[0].stride - a[0].pad + kd * a[0].dilation;
                if (d < 0 || d >= a[0].large) continue;
                column_row(conv, &column, w, v_address(large, size * (d * l->axis[0] + c)),
                           lanes + kd * plane + (w - begin[2]) % CONV_LANES * VL);
            }
        }
    }
}

#endif
