/* SPDX-License-Identifier: Apache-2.0 */
/* Around convolution's products: the weight packed for conv_map, the parts of its gradient joined.
 */
#include <stdint.h>
#include <string.h>

#include "kernels/conv/conv_band.h"

/* ---- packing: [group][class of taps][panel][depth][CONV_PANEL rows], zeros behind the last row */

enum { STAGE = 64 }; /* elements; a multiple of VL and of CONV_PANEL */

K_TEMPLATE
void finish_stage(enum k_dtype dt, const char *raw, enum k_rounding rounding, float *to,
                  int64_t floats)
{
    for (int64_t i = 0; i < floats; i += VL) {
        const char *at = raw + i * k_size(dt);
        const bool is_whole = i + VL <= floats;
        vf value = is_whole ? k_load(dt, at) : k_load_first(dt, at, (int)(floats - i));
        if (rounding != K_ROUND_NONE) value = v_round_operand(rounding, value);
        memcpy(to + i, &value, sizeof(float) * (size_t)(is_whole ? VL : floats - i));
    }
}

/* One panel of one class of taps: `rows` rows `row` bytes apart, channels `channel` bytes apart. */
K_TEMPLATE
void pack_panel(enum k_dtype dt, const struct k_conv *conv, const struct conv_line l[],
                const char *from, int64_t row, int rows, int64_t channel, int64_t channels,
                float *to)
{
    const int64_t size = k_size(dt);
    _Alignas(64) char raw[STAGE * sizeof(float)] = {0};
    int64_t staged = 0;
    for (int64_t c = 0; c < channels; c++)
        for (int64_t d = 0; d < l[0].taps; d++)
            for (int64_t h = 0; h < l[1].taps; h++) {
                const int64_t *stride = conv->weight.axis;
                const char *at =
                    from + c * channel +
                    size * ((l[0].tap + d * l[0].tap_step) * stride[0] +
                            (l[1].tap + h * l[1].tap_step) * stride[1] + l[2].tap * stride[2]);
                for (int64_t w = 0; w < l[2].taps; w++) {
                    for (int r = 0; r < rows; r++)
                        memcpy(raw + (staged + r) * size, at + r * row, (size_t)size);
                    at += size * l[2].tap_step * stride[2];
                    staged += CONV_PANEL;
                    if (staged < STAGE) continue;
                    finish_stage(dt, raw, conv->rounding, to, STAGE);
                    to += STAGE;
                    staged = 0;
                }
            }
    finish_stage(dt, raw, conv->rounding, to, staged);
}

static __attribute__((noinline)) void pack_panel_any(const struct k_conv *conv,
                                                     const struct conv_line l[], const char *from,
                                                     int rows, float *to)
{
    const struct k_conv_tensor *w = &conv->weight;
    const int64_t size = pack_size(w->dtype), channels = conv_depth_channels(conv);
    const int64_t row = size * (conv->to_large ? w->inner : w->outer);
    const int64_t channel = size * (conv->to_large ? w->outer : w->inner);
    if (w->dtype == K_F32)
        pack_panel(K_F32, conv, l, from, row, rows, channel, channels, to);
    else if (w->dtype == K_F16)
        pack_panel(K_F16, conv, l, from, row, rows, channel, channels, to);
    else
        pack_panel(K_BF16, conv, l, from, row, rows, channel, channels, to);
}

/* ---- windows of one element, whose large channels lie side by side ---- */

enum { PANELS_AT_ONCE = 8, PACK_AHEAD = 16 }; /* rows that are prefetched before they are read */

static bool is_single(const struct k_conv *conv)
{
    const bool has_pairs = !conv->pairs || conv->to_large || conv->large_channels % 2 == 0;
    return conv_taps(conv) == 1 && conv->weight.inner == 1 && has_pairs;
}

/* Rows of elements become a panel: each step is a perfect shuffle of all of them, which as many
 * times as CONV_PANEL has bits puts the rows' elements side by side. */
K_TEMPLATE
void turn_panel(enum k_dtype dt, enum k_rounding rounding, const char *from, int64_t row, int rows,
                int64_t count, float *to)
{
    for (int64_t c = 0; c < count; c += VL, to += VL * CONV_PANEL) {
        const int some = (int)(count - c < VL ? count - c : VL);
        vf a[CONV_PANEL], b[CONV_PANEL];
#pragma GCC unroll 8
        for (int r = 0; r < CONV_PANEL; r++) {
            a[r] = (vf){0};
            if (r < rows)
                a[r] =
                    k_load_between(dt, v_address(from, r * row + c * k_size(dt)), 1, 0, some, a[r]);
            if (rounding != K_ROUND_NONE) a[r] = v_round_operand(rounding, a[r]);
        }
#pragma GCC unroll 3
        for (int step = 1; step < CONV_PANEL; step *= 2) {
#pragma GCC unroll 4
            for (int i = 0; i < CONV_PANEL / 2; i++) {
                b[2 * i] = v_zip(0, a[i], a[i + CONV_PANEL / 2]);
                b[2 * i + 1] = v_zip(1, a[i], a[i + CONV_PANEL / 2]);
            }
            memcpy(a, b, sizeof a);
        }
        memcpy(to, a, sizeof(float) * CONV_PANEL * (size_t)some);
    }
}

/* Channels whose rows lie side by side, of some panels, `panel` floats from one to the next: a line
 * holds rows of several. */
K_TEMPLATE
void copy_panels(enum k_dtype dt, bool pairs, enum k_rounding rounding, const char *from,
                 int64_t channel, int64_t channels, int64_t rows, int64_t panel, float *to)
{
    const int lanes = (int)VL < (int)CONV_PANEL ? VL : CONV_PANEL;
    for (int64_t c = 0; c < channels; c += pairs ? 2 : 1, to += CONV_PANEL) {
        const char *at = v_address(from, c * channel);
        for (int64_t i = 0; i < rows * k_size(dt); i += LINE_BYTES) {
            __builtin_prefetch(v_address(at, PACK_AHEAD * channel + i));
            if (pairs) __builtin_prefetch(v_address(at, (PACK_AHEAD + 1) * channel + i));
        }
        for (int64_t r = 0; r < conv_up(rows, CONV_PANEL) * CONV_PANEL; r += lanes) {
            const int some = (int)(rows - r < 0 ? 0 : rows - r < lanes ? rows - r : lanes);
            const int64_t place = r * k_size(dt);
            vf value = k_load_between(dt, v_address(at, place), 1, 0, some, (vf){0});
            if (rounding != K_ROUND_NONE) value = v_round_operand(rounding, value);
            if (pairs) {
                vf second = {0};
                if (c + 1 < channels)
                    second = k_load_between(dt, v_address(at, channel + place), 1, 0, some, second);
                value = (vf)v_pair(value, second);
            }
            memcpy(to + r / CONV_PANEL * panel + r % CONV_PANEL, &value,
                   sizeof(float) * (size_t)lanes);
        }
    }
}

K_TEMPLATE
void pack_single_of(enum k_dtype dt, const struct k_conv *conv, const char *from, int64_t rows,
                    float *to)
{
    const int64_t channels = conv_depth_channels(conv), outer = k_size(dt) * conv->weight.outer;
    if (conv->to_large)
        copy_panels(dt, conv->pairs, conv->rounding, from, outer, channels, rows,
                    CONV_PANEL * channels, to);
    else if (conv->pairs) /* neighbours, as elements of 32 bits */
        turn_panel(K_F32, K_ROUND_NONE, from, outer, (int)rows, channels / 2, to);
    else
        turn_panel(dt, conv->rounding, from, outer, (int)rows, channels, to);
}

static __attribute__((noinline)) void pack_single(const struct k_conv *conv, const char *from,
                                                  int64_t rows, float *to)
{
    if (conv->weight.dtype == K_F32)
        pack_single_of(K_F32, conv, from, rows, to);
    else if (conv->weight.dtype == K_F16)
        pack_single_of(K_F16, conv, from, rows, to);
    else
        pack_single_of(K_BF16, conv, from, rows, to);
}

/* ---- panels ---- */

static struct conv_line line_of_class(const struct k_conv *conv, int axis, int64_t tap)
{
    struct conv_line line = {0};
    conv_line_of_class(&line, &conv->axis[axis], conv_tap_classes(conv, axis), tap);
    return line;
}

k_fn K_SYMBOL(conv_pack), K_SYMBOL(conv_weight_sum);

/* Items are panels, group by group. */
void K_SYMBOL(conv_pack)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_conv *conv = parameters;
    const struct k_conv_tensor *w = &conv->weight;
    const int64_t rows = conv_rows(conv), panels = conv_up(rows, CONV_PANEL);
    const int64_t channels = conv_depth_channels(conv), size = pack_size(w->dtype);
    const int64_t group_floats = panels * CONV_PANEL * channels * conv_taps(conv);
    for (int64_t item = slice.begin, at_once; item < slice.end; item += at_once) {
        const int64_t group = item / panels, panel = item % panels, row = panel * CONV_PANEL;
        at_once = is_single(conv) && conv->to_large ? PANELS_AT_ONCE : 1;
        if (at_once > slice.end - item) at_once = slice.end - item;
        if (at_once > panels - panel) at_once = panels - panel;
        float *to = (float *)buffers[K_CONV_PACK_PACKED] + group * group_floats;
        /* The small side's channels are the weight's first axis, through all groups. */
        const int64_t m = group * conv->small_channels + (conv->to_large ? 0 : row);
        const int64_t c = conv->to_large ? row : 0;
        const char *from =
            (const char *)buffers[K_CONV_PACK_WEIGHT] + size * (m * w->outer + c * w->inner);
        const int64_t left = rows - row, most = at_once * CONV_PANEL;
        const int64_t count = left < most ? left : most;
        if (is_single(conv)) {
            pack_single(conv, from, count, to + panel * CONV_PANEL * channels);
            continue;
        }
        for (int64_t d = 0; d < conv_tap_classes(conv, 0); d++)
            for (int64_t h = 0; h < conv_tap_classes(conv, 1); h++)
                for (int64_t x = 0; x < conv_tap_classes(conv, 2); x++) {
                    const struct conv_line l[] = {line_of_class(conv, 0, d),
                                                  line_of_class(conv, 1, h),
                                                  line_of_class(conv, 2, x)};
                    const int64_t depth = channels * l[0].taps * l[1].taps * l[2].taps;
                    float *packed = to + panel * CONV_PANEL * depth;
                    pack_panel_any(conv, l, from, (int)count, packed);
                    if (conv->pairs) pairs_of_rows(packed, CONV_PANEL, depth);
                    to += panels * CONV_PANEL * depth;
                }
    }
}

/* ---- the weight's gradient from its parts ---- */

/* A row whose elements follow each other. */
K_TEMPLATE
void sum_dense_row(enum k_dtype dt, const struct k_conv *conv, const float *part,
                   int64_t part_floats, int64_t count, char *to)
{
    for (int64_t i = 0; i < count; i += VL) {
        const int some = (int)(count - i < VL ? count - i : VL);
        const bool is_whole = some == VL;
        vf sum = is_whole ? v_load(part + i) : k_load_first(K_F32, (const char *)(part + i), some);
        for (int64_t p = 1; p < conv->parts; p++) {
            const float *at = part + p * part_floats + i;
            sum = sum + (is_whole ? v_load(at) : k_load_first(K_F32, (const char *)at, some));
        }
        k_store_between(dt, to + i * k_size(dt), 1, 0, some, sum);
    }
}

K_TEMPLATE
void sum_row(enum k_dtype dt, const struct k_conv *conv, const float *part, int64_t part_floats,
             char *to)
{
    const struct k_conv_tensor *w = &conv->weight;
    const struct k_conv_axis *a = conv->axis;
    if (conv_weight_is_dense(conv)) {
        sum_dense_row(dt, conv, part, part_floats, conv->large_channels * conv_taps(conv), to);
        return;
    }
    int64_t i = 0;
    for (int64_t c = 0; c < conv->large_channels; c++)
        for (int64_t d = 0; d < a[0].kernel; d++)
            for (int64_t h = 0; h < a[1].kernel; h++)
                for (int64_t x = 0; x < a[2].kernel; x++, i++) {
                    float sum = part[i];
                    for (int64_t p = 1; p < conv->parts; p++)
                        sum += part[p * part_floats + i];
                    const int64_t element =
                        c * w->inner + d * w->axis[0] + h * w->axis[1] + x * w->axis[2];
                    k_store_between(dt, to + element * k_size(dt), 1, 0, 1, v_all(sum));
                }
}

/* Items are rows: one small channel each. */
void K_SYMBOL(conv_weight_sum)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_conv *conv = parameters;
    const int64_t row = conv->large_channels * conv_taps(conv);
    const int64_t part_floats = conv->groups * conv->small_channels * row;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const float *part = (const float *)buffers[K_CONV_SUM_PARTS] + item * row;
        char *to = (char *)buffers[K_CONV_SUM_WEIGHT] +
                   item * conv->weight.outer * pack_size(conv->weight.dtype);
        if (conv->weight.dtype == K_F32)
            sum_row(K_F32, conv, part, part_floats, to);
        else if (conv->weight.dtype == K_F16)
            sum_row(K_F16, conv, part, part_floats, to);
        else
            sum_row(K_BF16, conv, part, part_floats, to);
    }
}
