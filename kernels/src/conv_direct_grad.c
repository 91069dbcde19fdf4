/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of a convolution's weight where a group has few weights (depthwise, small groups, a
 * first layer of few channels). Bands of both sides are copied as floats beside each other, the
 * large one with zeros around (conv_band.h); a weight's sum then multiplies rows of one with rows
 * of the other, shifted by its tap. As in conv_weight_grad each weight keeps CONV_LANES partial
 * sums side by side, lane i for every CONV_LANES-th position of a row, whatever the width of
 * vectors.
 *
 * An item is the bands of one part and one group, in order.
 * An item needs some 270 KiB of stack. */
#include <stdint.h>

#include "kernels/simd/conv_band.h"

struct grad_item {
    const struct k_conv *conv;
    struct band small, large;
    int64_t rows, steps, tail; /* of the small band: rows; of one: whole CONV_LANES, the rest */
};

struct grad_buffers {
    _Alignas(64) float band[CONV_DIRECT_BAND]; /* the large side's, then the small side's */
    _Alignas(64) float lanes[CONV_DIRECT_SUMS * CONV_LANES]; /* [small channel][term] */
    int32_t offset[CONV_DIRECT_SUMS];                        /* of each term in the large band */
};

/* Rows of `small`, `small_channel` floats apart, times taps, both added to the lanes (those of the
 * next row `terms` sums further). */
K_TEMPLATE
void grad_block(int rows, int taps, const struct grad_item *item, const float *small,
                const float *large, const int32_t *offset, float *lanes, int64_t terms)
{
    const int64_t large_row = item->conv->axis[1].stride * item->large.row;
    for (int part = 0; part < DOT_PARTS; part++) {
        vf sum[4][9];
        float *own = lanes + part * VL;
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++)
#pragma GCC unroll 9
            for (int t = 0; t < taps; t++)
                sum[r][t] = v_load(own + (r * terms + t) * CONV_LANES);
        for (int64_t row = 0; row < item->rows; row++) {
            const float *a = small + row * item->small.row + part * VL;
            const float *b = large + row * large_row + part * VL;
            for (int64_t step = 0; step < item->steps; step++) {
                vf left[4];
#pragma GCC unroll 4
                for (int r = 0; r < rows; r++)
                    left[r] = v_keep(v_load(a + r * item->small.channel));
#pragma GCC unroll 9
                for (int t = 0; t < taps; t++) {
                    const vf right = v_keep(v_load(b + offset[t]));
#pragma GCC unroll 4
                    for (int r = 0; r < rows; r++)
                        sum[r][t] = v_fma(left[r], right, sum[r][t]);
                }
                a += CONV_LANES;
                b += CONV_LANES;
            }
            /* What lies behind the row's last window has no part in it, infinite or not; behind
             * the vector that it ends in, rows hold what was there before. */
            if (item->tail <= part * VL) continue;
#pragma GCC unroll 9
            for (int t = 0; t < taps; t++) {
                const vf right =
                    v_first((int)item->tail - part * VL, v_load(b + offset[t]), (vf){0});
#pragma GCC unroll 4
                for (int r = 0; r < rows; r++)
                    sum[r][t] = v_fma(v_load(a + r * item->small.channel), right, sum[r][t]);
            }
        }
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++)
#pragma GCC unroll 9
            for (int t = 0; t < taps; t++)
                v_store(own + (r * terms + t) * CONV_LANES, sum[r][t]);
    }
}

/* Taps that registers hold beside one, two, four rows. */
enum { TAPS_1 = 9, TAPS_2 = 5, TAPS_4 = 3 };

static __attribute__((noinline)) void grad_row_1(const struct grad_item *item, const float *small,
                                                 const float *large, const int32_t *offset,
                                                 float *lanes, int64_t terms)
{
    int64_t t = 0;
    for (; t + TAPS_1 <= terms; t += TAPS_1)
        grad_block(1, TAPS_1, item, small, large, offset + t, lanes + t * CONV_LANES, terms);
    for (; t + 3 <= terms; t += 3)
        grad_block(1, 3, item, small, large, offset + t, lanes + t * CONV_LANES, terms);
    for (; t < terms; t++)
        grad_block(1, 1, item, small, large, offset + t, lanes + t * CONV_LANES, terms);
}

static __attribute__((noinline)) void grad_rows_2(const struct grad_item *item, const float *small,
                                                  const float *large, const int32_t *offset,
                                                  float *lanes, int64_t terms)
{
    int64_t t = 0;
    for (; t + TAPS_2 <= terms; t += TAPS_2)
        grad_block(2, TAPS_2, item, small, large, offset + t, lanes + t * CONV_LANES, terms);
    for (; t < terms; t++)
        grad_block(2, 1, item, small, large, offset + t, lanes + t * CONV_LANES, terms);
}

static __attribute__((noinline)) void grad_rows_4(const struct grad_item *item, const float *small,
                                                  const float *large, const int32_t *offset,
                                                  float *lanes, int64_t terms)
{
    int64_t t = 0;
    for (; t + TAPS_4 <= terms; t += TAPS_4)
        grad_block(4, TAPS_4, item, small, large, offset + t, lanes + t * CONV_LANES, terms);
    for (; t < terms; t++)
        grad_block(4, 1, item, small, large, offset + t, lanes + t * CONV_LANES, terms);
}

/* Where each (channel, tap) of the large side finds the band's first result position. */
static void list_terms(const struct grad_item *item, int32_t *offset)
{
    const struct k_conv_axis *a = item->conv->axis;
    const struct conv_span *s = item->large.span;
    for (int64_t c = 0; c < item->conv->large_channels; c++)
        for (int64_t d = 0; d < a[0].kernel; d++)
            for (int64_t h = 0; h < a[1].kernel; h++)
                for (int64_t w = 0; w < a[2].kernel; w++)
                    *offset++ = (int32_t)(c * item->large.channel +
                                          band_at(&item->large, s[0].first + d * a[0].dilation,
                                                  s[1].first + h * a[1].dilation,
                                                  s[2].first + w * a[2].dilation));
}

/* One band, from `begin` to below `end` of the small side. */
static void add_band(struct grad_item *item, struct grad_buffers *own, const int64_t begin[],
                     const int64_t end[], const char *small, const char *large)
{
    const struct k_conv *conv = item->conv;
    struct conv_span of_large[K_CONV_AXES], of_small[K_CONV_AXES];
    int64_t extent[K_CONV_AXES], small_extent[K_CONV_AXES];
    for (int axis = 0; axis < K_CONV_AXES; axis++) {
        of_large[axis] = conv_span_of(&conv->axis[axis], false, begin[axis], end[axis]);
        of_small[axis] = (struct conv_span){begin[axis], end[axis] - begin[axis], 1};
        extent[axis] = conv->axis[axis].large;
        small_extent[axis] = end[axis]; /* zeros behind the band's last column */
    }
    item->large = band_of(of_large);
    item->small = band_of(of_small);
    item->rows = end[1] - begin[1];
    item->steps = (end[2] - begin[2]) / CONV_LANES;
    item->tail = (end[2] - begin[2]) % CONV_LANES;
    float *of_rows = own->band + conv->large_channels * item->large.channel;
    band_pack(&item->large, &conv->large, extent, large, conv->large_channels, conv->rounding,
              own->band);
    band_pack(&item->small, &conv->small, small_extent, small, conv->small_channels, conv->rounding,
              of_rows);
    list_terms(item, own->offset);
    const int64_t terms = conv->large_channels * conv_taps(conv);
    for (int64_t row = 0, rows; row < conv->small_channels; row += rows) {
        const int64_t left = conv->small_channels - row;
        const float *from = of_rows + row * item->small.channel;
        float *lanes = own->lanes + row * terms * CONV_LANES;
        rows = left >= 4 ? 4 : left >= 2 ? 2 : 1;
        if (rows == 4)
            grad_rows_4(item, from, own->band, own->offset, lanes, terms);
        else if (rows == 2)
            grad_rows_2(item, from, own->band, own->offset, lanes, terms);
        else
            grad_row_1(item, from, own->band, own->offset, lanes, terms);
    }
}

static void run_item(struct grad_item *item, struct grad_buffers *own,
                     const struct conv_direct_plan *plan, int64_t first, int64_t last,
                     const char *small, const char *large, float *to)
{
    const struct k_conv *conv = item->conv;
    const int64_t sums = conv->small_channels * conv->large_channels * conv_taps(conv);
    memset(own->lanes, 0, sizeof(float) * (size_t)(sums * CONV_LANES));
    for (int64_t i = first; i < last; i++) {
        int64_t rest = i, begin[K_CONV_AXES], end[K_CONV_AXES];
        begin[2] = rest % plan->column_blocks * plan->columns;
        rest /= plan->column_blocks;
        begin[1] = rest % plan->row_blocks * plan->rows;
        rest /= plan->row_blocks;
        begin[0] = rest % plan->size[0];
        const int64_t batch = rest / plan->size[0], width[] = {1, plan->rows, plan->columns};
        for (int axis = 0; axis < K_CONV_AXES; axis++) {
            end[axis] = begin[axis] + width[axis];
            if (end[axis] > plan->size[axis]) end[axis] = plan->size[axis];
        }
        if (begin[1] >= end[1] || begin[2] >= end[2]) continue;
        add_band(item, own, begin, end,
                 v_address(small, batch * conv->small.outer * pack_size(conv->small.dtype)),
                 v_address(large, batch * conv->large.outer * pack_size(conv->large.dtype)));
    }
    for (int64_t i = 0; i < sums; i++)
        to[i] = dot_total(own->lanes + i * CONV_LANES);
}

k_fn K_SYMBOL(conv_direct_grad);

/* Items are (part, group). */
void K_SYMBOL(conv_direct_grad)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_conv *conv = parameters;
    const int64_t c = conv->large_channels, m = conv->small_channels;
    const struct conv_direct_plan plan = conv_direct_plan(conv, false, m + c);
    const int64_t group_floats = m * c * conv_taps(conv), bands = conv_up(plan.bands, conv->parts);
    struct grad_item item = {.conv = conv};
    struct grad_buffers own;
    for (int64_t i = slice.begin; i < slice.end; i++) {
        const int64_t group = i % conv->groups, first = i / conv->groups * bands;
        const int64_t left = plan.bands - first;
        run_item(&item, &own, &plan, first, first + (left < bands ? left : bands),
                 (const char *)buffers[K_CONV_GRAD_SMALL] +
                     group * m * conv->small.inner * pack_size(conv->small.dtype),
                 (const char *)buffers[K_CONV_GRAD_LARGE] +
                     group * c * conv->large.inner * pack_size(conv->large.dtype),
                 (float *)buffers[K_CONV_GRAD_PARTS] + i * group_floats);
    }
}
