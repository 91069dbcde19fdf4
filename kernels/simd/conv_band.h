/* SPDX-License-Identifier: Apache-2.0 */
/* A band of one side of a convolution, of a few channels, as floats beside each other with zeros
 * where it reaches over the tensor's edges: what is computed from it meets no edge. Along rows,
 * every step-th position lies side by side, so that a strided window reads whole vectors. */
#ifndef ACLNN_CPU_KERNELS_SIMD_CONV_BAND_H
#define ACLNN_CPU_KERNELS_SIMD_CONV_BAND_H

#include "kernels/simd/window_pack.h"

/* [channel][depth][row][residue of the position][position / step] */
struct band {
    struct conv_span span[K_CONV_AXES];
    int64_t pitch;   /* floats from residue to residue */
    int64_t row;     /* from row to row */
    int64_t channel; /* from channel to channel */
};

static inline struct band band_of(const struct conv_span span[])
{
    struct band band = {.span = {span[0], span[1], span[2]}};
    band.pitch = conv_band_pitch(&span[2]);
    band.row = band.pitch * span[2].step;
    band.channel = band.row * span[1].count * span[0].count;
    return band;
}

/* Where the position lies in the band, as (depth, row, position along the row). */
static inline int64_t band_at(const struct band *band, int64_t d, int64_t h, int64_t w)
{
    const struct conv_span *s = band->span;
    const int64_t along = w - s[2].first;
    return ((d - s[0].first) * s[1].count + (h - s[1].first)) * band->row +
           along % s[2].step * band->pitch + along / s[2].step;
}

/* `count` positions, those from `first` below `end` from the tensor (position 0 at `from`, `step`
 * elements apart), the others zeros; whole vectors are written. */
K_TEMPLATE
void band_row_of(enum k_dtype dt, const char *from, int64_t step, int64_t first, int64_t end,
                 int64_t count, enum k_rounding rounding, float *to)
{
#if defined(K_ISA_avx512)
    if (step == 1) {
        for (int64_t i = 0; i < count; i += VL) {
            const int64_t begin = first > i ? first - i : 0, stop = end > i ? end - i : 0;
            const uint64_t lanes =
                (begin < VL ? ~0ULL << begin : 0) & (stop < VL ? (1ULL << stop) - 1 : 0xffff);
            vf value = k_load_lanes(dt, v_address(from, i * k_size(dt)), (__mmask16)lanes);
            if (rounding != K_ROUND_NONE) value = v_round_operand(rounding, value);
            v_store(to + i, value);
        }
        return;
    }
#endif
    for (int64_t i = 0; i < count; i += VL) {
        vf value = {0};
        if (first <= i && i + VL <= end && step == 1) {
            value = k_load(dt, v_address(from, i * k_size(dt)));
        } else {
            const int64_t begin = first > i ? first - i : 0, stop = end - i < VL ? end - i : VL;
            if (begin < stop)
                value = k_load_between(dt, v_address(from, i * step * k_size(dt)), step, (int)begin,
                                       (int)(stop - begin), value);
        }
        if (rounding != K_ROUND_NONE) value = v_round_operand(rounding, value);
        v_store(to + i, value);
    }
}

static __attribute__((noinline, unused)) void band_row(enum k_dtype dtype, const char *from,
                                                       int64_t step, int64_t first, int64_t end,
                                                       int64_t count, enum k_rounding rounding,
                                                       float *to)
{
    if (dtype == K_F32 && step == 1)
        band_row_of(K_F32, from, 1, first, end, count, rounding, to);
    else if (dtype == K_F32)
        band_row_of(K_F32, from, step, first, end, count, rounding, to);
    else if (dtype == K_F16)
        band_row_of(K_F16, from, step, first, end, count, rounding, to);
    else
        band_row_of(K_BF16, from, step, first, end, count, rounding, to);
}

enum { BAND_AHEAD = 3 }; /* channels */

/* Bytes that will be read soon. Rows of a few lines begin anew in memory for each channel: the
 * machine's own prefetching begins too late for them. */
static inline void band_announce(const char *from, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i += LINE_BYTES)
        __builtin_prefetch(from + i);
}

/* The band of `channels` channels, the first of which begins at `from`; extent[] is the tensor's.
 */
static __attribute__((unused)) void band_pack(const struct band *band,
                                              const struct k_conv_tensor *tensor,
                                              const int64_t extent[], const char *from,
                                              int64_t channels, enum k_rounding rounding, float *to)
{
    const struct conv_span *s = band->span;
    const int64_t size = pack_size(tensor->dtype), step = s[2].step;
    const int64_t count = conv_up(s[2].count, step);
    for (int64_t c = 0; c < channels; c++)
        for (int64_t d = s[0].first; d < s[0].first + s[0].count; d++)
            for (int64_t h = s[1].first; h < s[1].first + s[1].count; h++, to += band->row) {
                if (d < 0 || d >= extent[0] || h < 0 || h >= extent[1]) {
                    memset(to, 0, sizeof(float) * (size_t)band->row);
                    continue;
                }
                const int64_t row = c * tensor->inner + d * tensor->axis[0] + h * tensor->axis[1];
                if (c + BAND_AHEAD < channels && tensor->axis[2] == 1)
                    band_announce(v_address(from, size * (row + BAND_AHEAD * tensor->inner)),
                                  size * extent[2] < size * s[2].count ? size * extent[2]
                                                                       : size * s[2].count);
                for (int64_t r = 0; r < step && r < s[2].count; r++) {
                    /* Positions r, r + step, ... of the span; `first` to `end` lie inside. */
                    const int64_t at = s[2].first + r;
                    const int64_t first = at < 0 ? conv_up(-at, step) : 0;
                    const int64_t end = conv_floor(extent[2] - 1 - at, step) + 1;
                    band_row(tensor->dtype, v_address(from, size * (row + at * tensor->axis[2])),
                             step * tensor->axis[2], first, end, count, rounding,
                             to + r * band->pitch);
                }
            }
}

#endif
