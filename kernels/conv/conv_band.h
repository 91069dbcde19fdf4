/* SPDX-License-Identifier: Apache-2.0 */
/* A band of one side of a convolution, of a few channels, as floats beside each other with zeros
 * where it reaches over the tensor's edges: what is computed from it meets no edge. Along rows,
 * every step-th position lies side by side, so that a strided window reads whole vectors. */
#ifndef ACLNN_CPU_KERNELS_CONV_CONV_BAND_H
#define ACLNN_CPU_KERNELS_CONV_CONV_BAND_H

#include "kernels/conv/window_pack.h"

/* [channel][depth][row][residue of the position][position / step] */
struct band {
    struct conv_span span[K_CONV_AXES];
    int64_t pitch;   /* floats from residue to residue */
    int64_t row;     /* from row to row */
    int64_t channel; /* from channel to channel */
};

/* With rows `pitch` floats apart. */
static inline struct band band_of_pitch(const struct conv_span span[], int64_t pitch)
{
    struct band band = {.span = {span[0], span[1], span[2]}, .pitch = pitch};
    band.row = band.pitch * span[2].step;
    band.channel = band.row * span[1].count * span[0].count;
    return band;
}

static inline struct band band_of(const struct conv_span span[])
{
    return band_of_pitch(span, conv_band_pitch(&span[2]));
}

/* Where the position lies in the band, as (depth, row, position along the row). */
static inline int64_t band_at(const struct band *band, int64_t d, int64_t h, int64_t w)
{
    const struct conv_span *s = band->span;
    const int64_t along = w - s[2].first;
    return ((d - s[0].first) * s[1].count + (h - s[1].first)) * band->row +
           along % s[2].step * band->pitch + along / s[2].step;
}

/* Elements beside each other: zeros for `left` positions, `valid` positions from `from` on, zeros
 * up to `count` positions and the end of their vector; less than a vector more is written. */
K_TEMPLATE
void band_dense_row(enum k_dtype dt, const char *from, int64_t left, int64_t valid, int64_t count,
                    enum k_rounding rounding, float *to)
{
    for (int64_t i = 0; i < left; i += VL)
        v_store(to + i, (vf){0});
    int64_t i = 0;
    if (rounding == K_ROUND_NONE) /* most rows: a loop of a load and a store */
        for (; i + VL <= valid; i += VL)
            v_store(to + left + i, k_load(dt, from + i * k_size(dt)));
    for (; i + VL <= valid; i += VL)
        v_store(to + left + i, v_round_operand(rounding, k_load(dt, from + i * k_size(dt))));
    if (i < valid) {
        /* The last vector begins so early that it ends with the row. */
        const bool is_short = valid < VL;
        if (!is_short) i = valid - VL;
        vf value =
            is_short ? k_load_first(dt, from, (int)valid) : k_load(dt, from + i * k_size(dt));
        if (rounding != K_ROUND_NONE) value = v_round_operand(rounding, value);
        v_store(to + left + i, value);
    }
    const int64_t whole = conv_up(count, VL) * VL;
    for (i = left + (valid > 0 ? valid : 0); i < whole; i += VL)
        v_store(to + i, (vf){0});
}

/* VL elements, those of [first, end) from the tensor, the others zeros. */
K_TEMPLATE
vf band_load(enum k_dtype dt, const char *from, int64_t at, int64_t step, int64_t first,
             int64_t end, enum k_rounding rounding)
{
    vf value = {0};
    if (first <= at && at + VL <= end && step == 1) {
        value = k_load(dt, v_address(from, at * k_size(dt)));
    } else {
        const int64_t begin = first > at ? first - at : 0, stop = end - at < VL ? end - at : VL;
        if (begin < stop)
            value = k_load_between(dt, v_address(from, at * step * k_size(dt)), step, (int)begin,
                                   (int)(stop - begin), value);
    }
    return rounding != K_ROUND_NONE ? v_round_operand(rounding, value) : value;
}

/* `count` positions, those from `first` below `end` from the tensor (position 0 at `from`, `step`
 * elements apart), the others zeros; whole vectors are written. */
K_TEMPLATE
void band_row_of(enum k_dtype dt, const char *from, int64_t step, int64_t first, int64_t end,
                 int64_t count, enum k_rounding rounding, float *to)
{
    for (int64_t i = 0; i < count; i += VL)
        v_store(to + i, band_load(dt, from, i, step, first, end, rounding));
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

/* The same of elements beside each other, the even positions to one row, the odd ones to another.
 */
K_TEMPLATE
void band_halves_of(enum k_dtype dt, const char *from, int64_t first, int64_t end, int64_t count,
                    enum k_rounding rounding, float *even, float *odd)
{
    const vi pairs = v_lanes() * 2;
    for (int64_t i = 0; i < count; i += 2 * VL) {
        const vf a = band_load(dt, from, i, 1, first, end, rounding);
        const vf b = band_load(dt, from, i + VL, 1, first, end, rounding);
        v_store(even + i / 2, v_pick(a, b, pairs));
        v_store(odd + i / 2, v_pick(a, b, pairs + 1));
    }
}

/* A row of the band: position 0 of its span lies at `from`; those from `first` below `end` lie in
 * the tensor. */
struct band_line {
    int64_t first, end, count;
    int64_t step, pitch; /* of the span; floats from residue to residue */
    int64_t apart;       /* elements from position to position in the tensor */
    enum k_rounding rounding;
};

K_TEMPLATE
void band_line_of(enum k_dtype dt, const struct band_line *line, const char *from, float *to)
{
    const int64_t first = line->first, end = line->end;
    if (line->apart == 1 && line->step == 1) {
        const int64_t valid = end > first ? end - first : 0;
        band_dense_row(dt, v_address(from, first * k_size(dt)), valid > 0 ? first : 0, valid,
                       line->count, line->rounding, to);
        return;
    }
    if (line->apart == 1 && line->step == 2) {
        band_halves_of(dt, from, first, end, line->count, line->rounding, to, to + line->pitch);
        return;
    }
    for (int64_t r = 0; r < line->step && r < line->count; r++) {
        /* Positions r, r + step, ... */
        const int64_t low = first > r ? conv_up(first - r, line->step) : 0;
        const int64_t high = conv_floor(end - 1 - r, line->step) + 1;
        band_row_of(dt, v_address(from, r * line->apart * k_size(dt)), line->step * line->apart,
                    low, high, conv_up(line->count, line->step), line->rounding,
                    to + r * line->pitch);
    }
}

static __attribute__((noinline, unused)) void
band_line_pack(enum k_dtype dtype, const struct band_line *line, const char *from, float *to)
{
    if (dtype == K_F32)
        band_line_of(K_F32, line, from, to);
    else if (dtype == K_F16)
        band_line_of(K_F16, line, from, to);
    else
        band_line_of(K_BF16, line, from, to);
}

enum { BAND_AHEAD = 3 }; /* channels */

/* Bytes that will be read soon. Rows of a few lines begin anew in memory for each channel: the
 * machine's own prefetching begins too late for them. */
static inline void band_prefetch(const char *from, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i += LINE_BYTES)
        __builtin_prefetch(from + i);
}

/* Rows of some channels that the next band will be made of: bytes of a channel's, and from one
 * channel to the next. */
struct band_ahead {
    const char *from;
    int64_t bytes, channel, channels;
};

/* Rows `first` to below `last`, as far as there are; `from` is the first channel's row 0. */
static inline struct band_ahead band_ahead_of(const struct k_conv_tensor *tensor, int64_t channels,
                                              const char *from, int64_t extent, int64_t first,
                                              int64_t last)
{
    const int64_t size = pack_size(tensor->dtype);
    if (first < 0) first = 0;
    if (last > extent) last = extent;
    if (tensor->axis[2] != 1 || last <= first) return (struct band_ahead){.channels = 0};
    return (struct band_ahead){.from = v_address(from, first * tensor->axis[1] * size),
                               .bytes = (last - first) * tensor->axis[1] * size,
                               .channel = tensor->inner * size,
                               .channels = channels};
}

static inline int64_t band_ahead_lines(const struct band_ahead *ahead)
{
    return ahead->bytes / LINE_BYTES * ahead->channels;
}

/* Prefetches `count` of those lines from `line` on, into L2: so many as fit between two blocks of
 * arithmetic, since many at once would wait for each other. */
static inline void band_ahead_prefetch(const struct band_ahead *ahead, int64_t line, int64_t count)
{
    const int64_t lines = ahead->bytes / LINE_BYTES, all = lines * ahead->channels;
    for (int64_t end = line + count < all ? line + count : all; line < end; line++)
        __builtin_prefetch(
            v_address(ahead->from, line / lines * ahead->channel + line % lines * LINE_BYTES), 0,
            2);
}

#if defined(K_ISA_avx512)
enum { BAND_VECTORS = 8 }; /* of a row, at most */

/* Which lanes of a dense row's vectors lie in the tensor. */
static inline bool band_masks(const struct band_line *line, uint16_t mask[])
{
    if (line->apart != 1 || line->step != 1 || line->count > BAND_VECTORS * VL) return false;
    for (int64_t i = 0; i < line->count; i += VL) {
        const int64_t low = line->first > i ? line->first - i : 0;
        const int64_t high = line->end > i ? line->end - i : 0;
        mask[i / VL] = (uint16_t)(_bzhi_u32(0xffff, high < VL ? (unsigned)high : VL) &
                                  ~_bzhi_u32(0xffff, low < VL ? (unsigned)low : VL));
    }
    return true;
}

static inline void band_masked_row(const char *from, const uint16_t mask[], int64_t count,
                                   enum k_rounding rounding, float *to)
{
    for (int64_t i = 0; i < count; i += VL) {
        vf value = k_load_lanes(K_F32, v_address(from, i * k_size(K_F32)), mask[i / VL]);
        if (rounding != K_ROUND_NONE) value = v_round_operand(rounding, value);
        v_store(to + i, value);
    }
}
#endif

/* The band of `channels` channels, the first of which begins at `from`; extent[] is the tensor's.
 */
static __attribute__((unused)) void band_pack(const struct band *band,
                                              const struct k_conv_tensor *tensor,
                                              const int64_t extent[], const char *from,
                                              int64_t channels, enum k_rounding rounding, float *to)
{
    const struct conv_span *s = band->span;
    const int64_t size = pack_size(tensor->dtype), apart = tensor->axis[2];
    const int64_t last = s[2].first + s[2].count;
    const int64_t gap = band->channel - band->row * s[1].count * s[0].count;
    const struct band_line line = {.first = s[2].first < 0 ? -s[2].first : 0,
                                   .end = (last < extent[2] ? last : extent[2]) - s[2].first,
                                   .count = s[2].count,
                                   .step = s[2].step,
                                   .pitch = band->pitch,
                                   .apart = apart,
                                   .rounding = rounding};
#if defined(K_ISA_avx512)
    uint16_t mask[BAND_VECTORS];
    const bool is_masked = tensor->dtype == K_F32 && band_masks(&line, mask);
#else
    const bool is_masked = false;
#endif
    for (int64_t c = 0; c < channels; c++, to += gap)
        for (int64_t d = s[0].first; d < s[0].first + s[0].count; d++)
            for (int64_t h = s[1].first; h < s[1].first + s[1].count; h++, to += band->row) {
                if (d < 0 || d >= extent[0] || h < 0 || h >= extent[1] || line.end <= line.first) {
                    if (is_masked)
                        for (int64_t i = 0; i < band->row; i += VL)
                            v_store(to + i, (vf){0});
                    else
                        memset(to, 0, sizeof(float) * (size_t)band->row);
                    continue;
                }
                const int64_t row = c * tensor->inner + d * tensor->axis[0] + h * tensor->axis[1];
                const char *from_row = v_address(from, size * (row + s[2].first * apart));
                if (c + BAND_AHEAD < channels && apart == 1)
                    band_prefetch(
                        v_address(from_row, size * (BAND_AHEAD * tensor->inner + line.first)),
                        size * (line.end - line.first));
#if defined(K_ISA_avx512)
                if (is_masked) {
                    band_masked_row(from_row, mask, line.count, rounding, to);
                    continue;
                }
#endif
                band_line_pack(tensor->dtype, &line, from_row, to);
            }
}

#endif
