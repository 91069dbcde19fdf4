/* SPDX-License-Identifier: Apache-2.0 */
/* The weight as conv_outer reads it:
 *     [group][phase's taps][panel][some channels][tap][channel][result channels of the panel]
 * Taps come in the order of the operand's positions; result channels behind the last one are
 * zeros. Dense weights are transposed by blocks of vectors, others element by element. */
#include <stdint.h>

#include "kernels/conv/conv_band.h"
#include "kernels/conv/conv_outer_plan.h"
#include "kernels/vector/transpose.h"

struct panel {
    const struct k_conv *conv;
    struct conv_line line[K_CONV_AXES];
    bool is_reversed[K_CONV_AXES];
    int64_t row, channel; /* bytes from one result channel to the next, and operand channel */
    int64_t rows, width;
    int64_t block;                 /* floats to the place of the channels that come next */
    int32_t place[2 * OUTER_TAPS]; /* of each term, from its result channel's; or -1 */
};

/* Number `tap` in the order of positions, as an index along an axis of the weight. */
static int64_t tap_of(const struct panel *p, int axis, int64_t tap)
{
    const struct conv_line *l = &p->line[axis];
    return l->tap + (p->is_reversed[axis] ? l->taps - 1 - tap : tap) * l->tap_step;
}

/* ---- element by element ---- */

K_TEMPLATE
void gather_row(enum k_dtype dt, const struct panel *p, const char *from, float *to)
{
    _Alignas(64) char raw[OUTER_PANEL * sizeof(float)];
    const int64_t size = k_size(dt);
    for (int64_t r = 0; r < p->rows; r++)
        memcpy(raw + r * size, from + r * p->row, (size_t)size);
    memset(raw + p->rows * size, 0, (size_t)((p->width - p->rows) * size));
    for (int64_t i = 0; i < p->width; i += VL) {
        vf value = k_load(dt, raw + i * size);
        if (p->conv->rounding != K_ROUND_NONE) value = v_round_operand(p->conv->rounding, value);
        v_store(to + i, value);
    }
}

static __attribute__((noinline)) void gather_channels(const struct panel *p, const char *from,
                                                      int64_t channels, float *to)
{
    const enum k_dtype dt = p->conv->weight.dtype;
    for (int64_t c = 0; c < channels; c++, from += p->channel, to += p->width)
        if (dt == K_F32)
            gather_row(K_F32, p, from, to);
        else if (dt == K_F16)
            gather_row(K_F16, p, from, to);
        else
            gather_row(K_BF16, p, from, to);
}

static void pack_any(const struct panel *p, const char *from, int64_t channels, float *to)
{
    const struct conv_line *l = p->line;
    const struct k_conv_tensor *t = &p->conv->weight;
    for (int64_t d = 0; d < l[0].taps; d++)
        for (int64_t h = 0; h < l[1].taps; h++)
            for (int64_t w = 0; w < l[2].taps; w++, to += channels * p->width) {
                const int64_t element = tap_of(p, 0, d) * t->axis[0] +
                                        tap_of(p, 1, h) * t->axis[1] + tap_of(p, 2, w) * t->axis[2];
                gather_channels(p, from + pack_size(t->dtype) * element, channels, to);
            }
}

/* ---- dense weights ---- */

/* Instead of the bytes to another channel, which are 0 where channels are one in memory. */
enum { NO_SECOND = -1 };

/* Fewer terms in a row are not worth being transposed. */
static bool is_transposed(const struct k_conv *conv)
{
    const bool in_a_row = !conv->to_large && !conv->pairs;
    return conv_weight_is_dense(conv) && (in_a_row || conv_taps(conv) >= 4);
}

/* VL rows of `count` elements, transposed; rows from `rows` on are zeros. With `second`, the
 * bytes to another channel, they become pairs of bf16. What lies `ahead` of them, of the channels
 * that are packed next, is prefetched; so are their places by those who store. */
K_TEMPLATE
void turn_rows(enum k_dtype dt, bool pairs, bool whole, const char *from, int64_t step,
               int64_t second, int64_t rows, int count, int64_t ahead, vf a[VL])
{
    const int some = whole ? VL : count;
#pragma GCC unroll 16
    for (int64_t i = 0; i < VL; i++) {
        a[i] = (vf){0};
        if (!whole && i >= rows) continue;
        const char *at = from + i * step;
        __builtin_prefetch(v_address(at, ahead), 0, 2);
        a[i] = k_load_between(dt, at, 1, 0, some, a[i]);
        if (!pairs) continue;
        vf other = {0};
        if (second != NO_SECOND)
            other = k_load_between(dt, v_address(at, second), 1, 0, some, other);
        if (second >= ahead / 2) __builtin_prefetch(v_address(at, second + ahead), 0, 2);
        a[i] = (vf)v_pair(a[i], other);
    }
    v_transpose(a);
}

/* `terms` in a row, of VL result channels: of one channel or, where they follow each other, of
 * several ones. */
K_TEMPLATE
void pack_terms(enum k_dtype dt, bool pairs, const struct panel *p, const char *from,
                int64_t second, int64_t rows, int64_t terms, int64_t ahead, float *to)
{
    const int64_t next = p->block;
    for (int64_t k = 0; k < terms; k += VL, from += VL * k_size(dt)) {
        const int count = (int)(terms - k < VL ? terms - k : VL);
        vf a[VL];
        if (rows >= VL && count == VL)
            turn_rows(dt, pairs, true, from, p->row, second, rows, count, ahead, a);
        else
            turn_rows(dt, pairs, false, from, p->row, second, rows, count, ahead, a);
        for (int i = 0; i < VL; i++)
            if (p->conv->rounding != K_ROUND_NONE) a[i] = v_round_operand(p->conv->rounding, a[i]);
        for (int i = 0; i < count; i++) {
            if (p->place[k + i] < 0) continue;
            float *at = to + p->place[k + i];
            __builtin_prefetch(at + next, 1, 2);
            v_store(at, a[i]);
        }
    }
}

/* Where the terms of one channel go or, in a row with them, of so many; others than the class's
 * nowhere. */
static void find_places(struct panel *p, int64_t channels, int64_t apart)
{
    const struct conv_line *l = p->line;
    const int64_t taps = conv_taps(p->conv);
    const int64_t kernel_h = p->conv->axis[1].kernel, kernel_w = p->conv->axis[2].kernel;
    int64_t row = 0;
    for (int64_t i = 0; i < channels * taps; i++)
        p->place[i] = -1;
    for (int64_t d = 0; d < l[0].taps; d++)
        for (int64_t h = 0; h < l[1].taps; h++)
            for (int64_t w = 0; w < l[2].taps; w++, row += apart) {
                const int64_t tap =
                    (tap_of(p, 0, d) * kernel_h + tap_of(p, 1, h)) * kernel_w + tap_of(p, 2, w);
                for (int64_t c = 0; c < channels; c++)
                    p->place[c * taps + tap] = (int32_t)((row + c) * p->width);
            }
}

/* Towards the small side a row holds all channels and taps of a result channel; some channels are
 * packed at a time, so the next ones are not far. Towards the large side the taps of all result
 * channels of an operand channel follow each other. */
K_TEMPLATE
void pack_dense_of(enum k_dtype dt, bool pairs, struct panel *p, const char *from, int64_t channels,
                   float *to)
{
    const int64_t taps = conv_taps(p->conv), step = pairs ? 2 : 1;
    const bool to_large = p->conv->to_large, in_a_row = !pairs && !to_large;
    const int64_t at_once = in_a_row ? channels : step;
    const int64_t ahead = (to_large ? step : channels) * p->channel;
    find_places(p, in_a_row ? channels : 1, pairs ? conv_up(channels, 2) : channels);
    p->block = p->line[0].taps * p->line[1].taps * p->line[2].taps * channels * p->width;
    const int64_t outer = to_large ? channels : p->width, outer_step = to_large ? at_once : VL;
    const int64_t inner = to_large ? p->width : channels, inner_step = to_large ? VL : at_once;
    for (int64_t i = 0; i < outer; i += outer_step)
        for (int64_t j = 0; j < inner; j += inner_step) {
            const int64_t c = to_large ? i : j, r = to_large ? j : i;
            pack_terms(dt, pairs, p, from + c * p->channel + r * p->row,
                       c + 1 < channels ? p->channel : NO_SECOND, p->rows - r,
                       in_a_row ? channels * taps : taps, ahead, to + c / step * p->width + r);
        }
}

static __attribute__((noinline)) void pack_dense(struct panel *p, const char *from,
                                                 int64_t channels, float *to)
{
    const enum k_dtype dt = p->conv->weight.dtype;
#if defined(K_PAIRS)
    if (p->conv->pairs) {
        pack_dense_of(K_BF16, true, p, from, channels, to);
        return;
    }
#endif
    if (dt == K_F32)
        pack_dense_of(K_F32, false, p, from, channels, to);
    else if (dt == K_F16)
        pack_dense_of(K_F16, false, p, from, channels, to);
    else
        pack_dense_of(K_BF16, false, p, from, channels, to);
}

/* ---- a panel ---- */

/* Rows of channels become rows of pairs of them, tap by tap, in place. */
static void make_pairs(const struct panel *p, int64_t taps, int64_t channels, float *rows)
{
    float *to = rows;
    for (int64_t tap = 0; tap < taps; tap++)
        for (int64_t c = 0; c < channels; c += 2, to += p->width) {
            const float *from = rows + (tap * channels + c) * p->width;
            for (int64_t i = 0; i < p->width; i += VL) {
                const vf second = c + 1 < channels ? v_load(from + p->width + i) : (vf){0};
                const vu pair = v_pair(v_load(from + i), second);
                memcpy(to + i, &pair, sizeof pair);
            }
        }
}

/* Of all channels, `at_once` of them together. */
static void pack_panel(struct panel *p, const char *from, int64_t at_once, float *to)
{
    const struct k_conv *conv = p->conv;
    const int64_t all = conv_depth_channels(conv);
    const int64_t taps = p->line[0].taps * p->line[1].taps * p->line[2].taps;
    for (int64_t c = 0; c < all; c += at_once) {
        const int64_t channels = all - c < at_once ? all - c : at_once;
        float *rows = to + c * taps * p->width;
        if (is_transposed(conv)) {
            pack_dense(p, from + c * p->channel, channels, rows);
            continue;
        }
        pack_any(p, from + c * p->channel, channels, rows);
        if (conv->pairs) make_pairs(p, taps, channels, rows);
    }
}

/* The taps of a class, numbered by its first one; towards the large side they are read backwards.
 */
static void set_class(struct panel *p, int axis, int64_t tap)
{
    const struct k_conv *conv = p->conv;
    p->line[axis] = (struct conv_line){0};
    conv_line_of_class(&p->line[axis], &conv->axis[axis], conv_tap_classes(conv, axis), tap);
    p->is_reversed[axis] = conv->to_large && p->line[axis].taps > 1;
}

k_fn K_SYMBOL(conv_outer_pack);

/* Items are panels, group by group. */
void K_SYMBOL(conv_outer_pack)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_conv *conv = parameters;
    const struct conv_outer plan = conv_outer_of(conv);
    const struct k_conv_tensor *w = &conv->weight;
    const int64_t size = pack_size(w->dtype), channels = conv_depth_channels(conv);
    const int64_t padded = conv_outer_padded(conv_rows(conv));
    struct panel p;
    p.conv = conv;
    p.row = size * (conv->to_large ? w->inner : w->outer);
    p.channel = size * (conv->to_large ? w->outer : w->inner);
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t group = item / plan.panels, row = item % plan.panels * OUTER_PANEL;
        const int64_t left = conv_rows(conv) - row;
        p.rows = left < OUTER_PANEL ? left : OUTER_PANEL;
        p.width = conv_outer_padded(p.rows);
        /* The small side's channels are the weight's first axis, through all groups. */
        const int64_t m = group * conv->small_channels + (conv->to_large ? 0 : row);
        const char *from = (const char *)buffers[K_CONV_PACK_WEIGHT] +
                           size * (m * w->outer + (conv->to_large ? row : 0) * w->inner);
        float *to =
            (float *)buffers[K_CONV_PACK_PACKED] + group * padded * channels * conv_taps(conv);
        for (int64_t d = 0; d < conv_tap_classes(conv, 0); d++)
            for (int64_t h = 0; h < conv_tap_classes(conv, 1); h++)
                for (int64_t x = 0; x < conv_tap_classes(conv, 2); x++) {
                    set_class(&p, 0, d);
                    set_class(&p, 1, h);
                    set_class(&p, 2, x);
                    const int64_t taps = p.line[0].taps * p.line[1].taps * p.line[2].taps;
                    pack_panel(&p, from, plan.channels, to + row * channels * taps);
                    to += padded * channels * taps;
                }
    }
}
