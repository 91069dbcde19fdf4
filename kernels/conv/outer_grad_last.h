/* SPDX-License-Identifier: Apache-2.0 */
/* conv_grad_outer's panels and bands from tensors whose channels lie side by side: panels as they
 * are, bands transposed a block of vectors at a time. */
#ifndef ACLNN_CPU_KERNELS_CONV_OUTER_GRAD_LAST_H
#define ACLNN_CPU_KERNELS_CONV_OUTER_GRAD_LAST_H

#include "kernels/conv/conv_band.h"
#include "kernels/vector/transpose.h"

enum { LAST_FEW = 4 }; /* channels; fewer are not worth a block */

/* `count` positions of `channels` channels, `apart` bytes from one to the next; in whole vectors of
 * channels, `pitch` floats from one to the next. */
static __attribute__((unused)) void last_rows(enum k_dtype dtype, const char *from, int64_t apart,
                                              int64_t count, int64_t channels,
                                              enum k_rounding rounding, float *to, int64_t pitch)
{
    for (int64_t i = 0; i < count; i++, from = v_address(from, apart), to += pitch)
        band_row(dtype, from, 1, 0, channels, channels, rounding, to);
}

/* At most VL positions and channels. */
K_TEMPLATE
void turn_block(enum k_dtype dt, const char *from, int64_t apart, int positions, int channels,
                enum k_rounding rounding, float *to, int64_t channel)
{
    _Alignas(64) float stage[VL * VL], turned[VL * VL];
    if (dt == K_F32 && rounding == K_ROUND_NONE && positions == VL && channels == VL) {
        transpose((const float *)(const void *)from, apart / k_size(dt), to, channel);
        return;
    }
    for (int i = 0; i < VL; i++) {
        vf value = {0};
        if (i < positions) {
            const char *at = v_address(from, i * apart);
            value = channels == VL ? k_load(dt, at) : k_load_first(dt, at, channels);
            if (rounding != K_ROUND_NONE) value = v_round_operand(rounding, value);
        }
        v_store(stage + i * VL, value);
    }
    if (channels == VL) {
        transpose(stage, VL, to, channel);
        return;
    }
    transpose(stage, VL, turned, VL);
    for (int c = 0; c < channels; c++)
        v_store(to + c * channel, v_load(turned + c * VL));
}

/* Where a block of `all` begins that has `at` in it, whole if there are enough: the last one takes
 * what the one before has taken too. */
static inline int64_t turn_from(int64_t at, int64_t all)
{
    return at + VL <= all || all < VL ? at : all - VL;
}

K_TEMPLATE
void turn_row_of(enum k_dtype dt, const char *from, int64_t apart, int64_t count, int64_t channels,
                 enum k_rounding rounding, float *to, int64_t channel)
{
    for (int64_t p = 0; p < count; p += VL) {
        const int64_t i = turn_from(p, count);
        const int positions = (int)(count < VL ? count : VL);
        for (int64_t q = 0; q < channels; q += VL) {
            const int64_t c = turn_from(q, channels);
            turn_block(dt, v_address(from, i * apart + c * k_size(dt)), apart, positions,
                       (int)(channels < VL ? channels : VL), rounding, to + c * channel + i,
                       channel);
        }
    }
}

/* `count` positions of `channels` channels, `apart` bytes from one to the next, become rows of
 * positions, `channel` floats from one to the next; less than a vector has zeros behind it. */
static __attribute__((noinline, unused)) void turn_row(enum k_dtype dtype, const char *from,
                                                       int64_t apart, int64_t count,
                                                       int64_t channels, enum k_rounding rounding,
                                                       float *to, int64_t channel)
{
    if (dtype == K_F32)
        turn_row_of(K_F32, from, apart, count, channels, rounding, to, channel);
    else if (dtype == K_F16)
        turn_row_of(K_F16, from, apart, count, channels, rounding, to, channel);
    else
        turn_row_of(K_BF16, from, apart, count, channels, rounding, to, channel);
}

static inline void zero_columns(float *to, int64_t begin, int64_t end, int64_t channels,
                                int64_t channel)
{
    if (begin >= end) return;
    for (int64_t c = 0; c < channels; c++)
        memset(to + c * channel + begin, 0, sizeof(float) * (size_t)(end - begin));
}

/* One row of the band, of all channels: position 0 of its span lies at `from`, those from `first`
 * below `end` lie in the tensor. */
static void turn_band_row(const struct band *band, const struct k_conv_tensor *t, const char *from,
                          int64_t first, int64_t end, int64_t channels, enum k_rounding rounding,
                          float *to)
{
    const int64_t step = band->span[2].step, apart = t->axis[2] * pack_size(t->dtype);
    const int64_t whole = conv_up(conv_up(band->span[2].count, step), VL) * VL;
    for (int64_t r = 0; r < step; r++, to += band->pitch) {
        /* Positions r, r + step, ... */
        const int64_t low = first > r ? conv_up(first - r, step) : 0;
        const int64_t high = conv_floor(end - 1 - r, step) + 1;
        zero_columns(to, 0, low < whole ? low : whole, channels, band->channel);
        if (low < high)
            turn_row(t->dtype, v_address(from, (low * step + r) * apart), step * apart, high - low,
                     channels, rounding, to + low, band->channel);
        zero_columns(to, high > low ? high : low, whole, channels, band->channel);
    }
}

/* band_pack of such a tensor. */
static __attribute__((unused)) void turn_band(const struct band *band,
                                              const struct k_conv_tensor *t, const int64_t extent[],
                                              const char *from, int64_t channels,
                                              enum k_rounding rounding, float *to)
{
    const struct conv_span *s = band->span;
    const int64_t last = s[2].first + s[2].count, size = pack_size(t->dtype);
    const int64_t first = s[2].first < 0 ? -s[2].first : 0;
    const int64_t end = (last < extent[2] ? last : extent[2]) - s[2].first;
    for (int64_t d = s[0].first; d < s[0].first + s[0].count; d++)
        for (int64_t h = s[1].first; h < s[1].first + s[1].count; h++, to += band->row) {
            const bool is_there = d >= 0 && d < extent[0] && h >= 0 && h < extent[1] && first < end;
            const int64_t row = d * t->axis[0] + h * t->axis[1] + s[2].first * t->axis[2];
            if (is_there)
                turn_band_row(band, t, v_address(from, size * row), first, end, channels, rounding,
                              to);
            else
                zero_columns(to, 0, band->row, channels, band->channel);
        }
}

#endif
