/* SPDX-License-Identifier: Apache-2.0 */
/* The operand of an item of conv_outer, of some channels: a position's channels side by side. */
#ifndef ACLNN_CPU_KERNELS_CONV_OUTER_BAND_H
#define ACLNN_CPU_KERNELS_CONV_OUTER_BAND_H

#include "kernels/conv/conv_band.h"
#include "kernels/conv/outer_item.h"
#include "kernels/vector/transpose.h"

/* Rows of the band from number `first` on (depths and rows together), of one image and channel. */
static void stage_channel(const struct outer_item *item, const struct k_conv_tensor *t,
                          const char *from, int64_t first, int64_t rows, float *to)
{
    const int64_t size = pack_size(t->dtype), height = item->band[1], width = item->band[2];
    const bool is_flat = t->axis[1] == width * t->axis[2];
    for (int64_t row = first; row < first + rows;) {
        const int64_t h = row % height, left = first + rows - row;
        int64_t count = is_flat ? height - h : 1;
        if (count > left) count = left;
        band_row(t->dtype, v_address(from, size * (row / height * t->axis[0] + h * t->axis[1])),
                 t->axis[2], 0, count * width, count * width, item->conv->rounding, to);
        to += count * width;
        row += count;
    }
}

/* Channels of positions that lie side by side, straight from the tensor: floats, or pairs of bf16.
 * Whole blocks of VL positions and lanes are written. */
K_TEMPLATE
void turn_channels_of(bool pairs, const char *from, int64_t apart, int64_t channels, int64_t count,
                      float *to, int64_t pitch)
{
    const enum k_dtype dt = pairs ? K_BF16 : K_F32;
    const int64_t step = pairs ? 2 : 1;
    for (int64_t i = 0; i < count; i += VL, from += VL * k_size(dt), to += VL * pitch) {
        vf a[VL];
        if (count - i >= VL && channels == VL * step) {
#pragma GCC unroll 16
            for (int64_t c = 0; c < VL; c++) {
                a[c] = k_load(dt, from + step * c * apart);
                if (pairs)
                    a[c] = (vf)((vu)a[c] >> 16 | (vu)k_load(dt, from + (step * c + 1) * apart));
            }
        } else {
            const int some = (int)(count - i < VL ? count - i : VL);
            for (int64_t c = 0; c < VL; c++) {
                const char *at = v_address(from, step * c * apart);
                a[c] = (vf){0};
                if (step * c < channels) a[c] = k_load_between(dt, at, 1, 0, some, a[c]);
                if (!pairs) continue;
                vf second = {0};
                if (step * c + 1 < channels)
                    second = k_load_between(dt, v_address(at, apart), 1, 0, some, second);
                a[c] = (vf)((vu)a[c] >> 16 | (vu)second);
            }
        }
        v_transpose(a);
#pragma GCC unroll 16
        for (int64_t c = 0; c < VL; c++)
            v_store(to + c * pitch, a[c]);
    }
}

static __attribute__((noinline)) void turn_channels(bool pairs, const char *from, int64_t apart,
                                                    int64_t channels, int64_t count, float *to,
                                                    int64_t pitch)
{
#if defined(K_PAIRS)
    if (pairs) {
        turn_channels_of(true, from, apart, channels, count, to, pitch);
        return;
    }
#endif
    (void)pairs;
    turn_channels_of(false, from, apart, channels, count, to, pitch);
}

/* The same of some rows. */
static void turn_rows(const struct outer_item *item, const struct k_conv_tensor *t,
                      const char *from, int64_t channels, int64_t first, int64_t rows, float *to,
                      int64_t pitch)
{
    const int64_t size = pack_size(t->dtype), height = item->band[1], width = item->band[2];
    const bool is_flat = t->axis[1] == width;
    for (int64_t row = first; row < first + rows;) {
        const int64_t h = row % height, left = first + rows - row;
        int64_t count = is_flat ? height - h : 1;
        if (count > left) count = left;
        turn_channels(item->conv->pairs,
                      v_address(from, size * (row / height * t->axis[0] + h * t->axis[1])),
                      size * t->inner, channels, count * width, to, pitch);
        to += count * width * pitch;
        row += count;
    }
}

/* Some channels, at most VL lanes, of some rows; every lane of a position is written. */
static void pack_lanes(const struct outer_item *item, const struct k_conv_tensor *t,
                       const char *from, int64_t channels, int64_t first, int64_t rows, float *to,
                       int64_t pitch, struct outer_buffers *own)
{
    const int64_t size = pack_size(t->dtype), positions = rows * item->band[2];
    const int64_t step = item->conv->pairs ? 2 : 1;
    if (t->axis[2] == 1 &&
        (item->conv->pairs || (t->dtype == K_F32 && item->conv->rounding == K_ROUND_NONE))) {
        turn_rows(item, t, from, channels, first, rows, to, pitch);
        return;
    }
    for (int64_t c = 0; c < channels; c += step) {
        float *stage = own->stage + c / step * OUTER_PITCH;
        stage_channel(item, t, v_address(from, size * c * t->inner), first, rows, stage);
        if (step == 1) continue;
        if (c + 1 < channels)
            stage_channel(item, t, v_address(from, size * (c + 1) * t->inner), first, rows,
                          own->row);
        for (int64_t i = 0; i < positions; i += VL) {
            const vf second = c + 1 < channels ? v_load(own->row + i) : (vf){0};
            const vu pair = v_pair(v_load(stage + i), second);
            memcpy(stage + i, &pair, sizeof pair);
        }
    }
    for (int64_t i = 0; i < positions; i += VL)
        transpose(own->stage + i, OUTER_PITCH, to + i * pitch, pitch);
}

/* Channels that lie side by side already. */
static void pack_last(const struct outer_item *item, const struct k_conv_tensor *t,
                      const char *from, int64_t channels, int64_t pitch, float *to)
{
    const int64_t size = pack_size(t->dtype);
    for (int64_t d = 0; d < item->band[0]; d++)
        for (int64_t h = 0; h < item->band[1]; h++)
            for (int64_t w = 0; w < item->band[2]; w++, to += pitch) {
                const char *at =
                    v_address(from, size * (d * t->axis[0] + h * t->axis[1] + w * t->axis[2]));
                if (item->conv->pairs) {
                    if (channels % 2) memset(to + pitch - 1, 0, sizeof *to);
                    memcpy(to, at, (size_t)(size * channels));
                    continue;
                }
                band_row(t->dtype, at, 1, 0, channels, channels, item->conv->rounding, to);
            }
}

/* Vectors that reach over their channels or rows write into what is written later: the last
 * channels come before the others, rows in order. */
static __attribute__((unused)) void outer_pack(const struct outer_item *item, int64_t channel,
                                               int64_t channels, struct outer_buffers *own)
{
    const struct k_conv *conv = item->conv;
    const struct k_conv_tensor *t = conv->to_large ? &conv->small : &conv->large;
    const int64_t size = pack_size(t->dtype), all_rows = item->band[0] * item->band[1];
    const int64_t at_once = item->band[2] > 0 ? OUTER_STAGE / item->band[2] : 1;
    const int64_t lanes = conv->pairs ? 2 * VL : VL, tail = channels % lanes;
    const int64_t pitch = conv->pairs ? conv_up(channels, 2) : channels;
    float *to = own->band;
    for (int64_t n = 0; n < item->images; n++) {
        const char *from = operand_at(item, n, channel);
        if (t->inner == 1 && channels > 1) {
            pack_last(item, t, from, channels, pitch, to);
            to += all_rows * item->band[2] * pitch;
            continue;
        }
        for (int64_t first = 0; first < all_rows; first += at_once) {
            const int64_t left = all_rows - first, rows = left < at_once ? left : at_once;
            if (tail > 0)
                pack_lanes(item, t, v_address(from, size * (channels - tail) * t->inner), tail,
                           first, rows, to + (channels - tail) / lanes * VL, pitch, own);
            for (int64_t c = 0; c + lanes <= channels; c += lanes)
                pack_lanes(item, t, v_address(from, size * c * t->inner), lanes, first, rows,
                           to + c / lanes * VL, pitch, own);
            to += rows * item->band[2] * pitch;
        }
    }
}

#endif
