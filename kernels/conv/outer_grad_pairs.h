/* SPDX-License-Identifier: Apache-2.0 */
/* conv_grad_outer's panels and bands of pairs of bf16: of each position of a tile and the same one
 * of a second tile. Both tensors are bf16, and nothing is rounded. */
#ifndef ACLNN_CPU_KERNELS_CONV_OUTER_GRAD_PAIRS_H
#define ACLNN_CPU_KERNELS_CONV_OUTER_GRAD_PAIRS_H

#include "kernels/conv/outer_grad_pack.h"

#if defined(K_PAIRS)

/* A row of a tile: element 0 lies at `at`; those from `first` below `end` are there, the others
 * count as zeros. */
struct strip {
    const char *at;
    int64_t first, end;
};

/* Bits of elements [i, i + 2 * VL) that are there. */
static inline __mmask32 strip_mask(const struct strip *s, int64_t i)
{
    const int64_t low = s->first > i ? s->first - i : 0, high = s->end > i ? s->end - i : 0;
    return _bzhi_u32(~0U, high < 32 ? (unsigned)high : 32U) &
           ~_bzhi_u32(~0U, low < 32 ? (unsigned)low : 32U);
}

/* Rows of some channels: the next one's elements lie `inner` bytes behind, and become floats
 * `channel` behind. */
struct rows {
    int64_t channels, inner, channel;
};

/* 2 * VL elements from number i on of both, of all channels, become pairs: of the first VL elements
 * and of the next ones, or of the even and the odd ones. */
K_TEMPLATE
void pair_block(bool even_odd, const struct strip s[2], int64_t i, const struct rows *rows,
                float *first, float *second)
{
    static const uint16_t number[4 * VL] = {
        0,  32, 1,  33, 2,  34, 3,  35, 4,  36, 5,  37, 6,  38, 7,  39, 8,  40, 9,  41, 10, 42,
        11, 43, 12, 44, 13, 45, 14, 46, 15, 47, 16, 48, 17, 49, 18, 50, 19, 51, 20, 52, 21, 53,
        22, 54, 23, 55, 24, 56, 25, 57, 26, 58, 27, 59, 28, 60, 29, 61, 30, 62, 31, 63};
    const __m512i low = _mm512_loadu_si512(number), high = _mm512_loadu_si512(number + 2 * VL);
    const __mmask32 some[] = {strip_mask(&s[0], i), strip_mask(&s[1], i)};
    const char *at[] = {v_address(s[0].at, 2 * i), v_address(s[1].at, 2 * i)};
    for (int64_t c = 0; c < rows->channels; c++) {
        const __m512i a = _mm512_maskz_loadu_epi16(some[0], at[0]);
        const __m512i b = _mm512_maskz_loadu_epi16(some[1], at[1]);
        for (int k = 0; k < 2; k++) {
            __builtin_prefetch(v_address(at[k], AHEAD * rows->inner));
            at[k] = v_address(at[k], rows->inner);
        }
        if (even_odd) {
            const __mmask32 odd = 0xaaaaaaaa;
            v_store(first, (vf)_mm512_mask_blend_epi16(odd, a, _mm512_slli_epi32(b, 16)));
            v_store(second, (vf)_mm512_mask_blend_epi16(odd, _mm512_srli_epi32(a, 16), b));
        } else {
            v_store(first, (vf)_mm512_permutex2var_epi16(a, low, b));
            if (second) v_store(second, (vf)_mm512_permutex2var_epi16(a, high, b));
        }
        first += rows->channel;
        if (second) second += rows->channel;
    }
}

/* Element 0. */
static inline uint32_t strip_element(const struct strip *s)
{
    uint16_t half = 0;
    if (s->first <= 0 && s->end > 0) memcpy(&half, s->at, sizeof half);
    return half;
}

/* `count` elements of both, `apart` bytes apart, every step-th one side by side: rows for each
 * residue, `pitch` floats from one to the next. Whole vectors are written. */
static void pair_rows(const struct strip s[2], int64_t apart, int64_t step, int64_t count,
                      int64_t pitch, const struct rows *rows, float *to)
{
    if (apart == 2 && step <= 2) {
        for (int64_t i = 0; i < count; i += 2 * VL)
            if (step == 2)
                pair_block(true, s, i, rows, to + i / 2, to + pitch + i / 2);
            else
                pair_block(false, s, i, rows, to + i, i + VL < count ? to + i + VL : NULL);
        return;
    }
    for (int64_t c = 0; c < rows->channels; c++)
        for (int64_t i = 0; i < count; i++) {
            const int64_t at = i * apart + c * rows->inner;
            const struct strip of[2] = {{v_address(s[0].at, at), s[0].first - i, s[0].end - i},
                                        {v_address(s[1].at, at), s[1].first - i, s[1].end - i}};
            const uint32_t pair = strip_element(&of[0]) | strip_element(&of[1]) << 16;
            memcpy(to + c * rows->channel + i % step * pitch + i / step, &pair, sizeof pair);
        }
}

/* Elements r, r + step, ... of a row whose elements lie `apart` bytes apart. */
static inline struct strip strip_part(const struct strip *s, int64_t apart, int64_t r, int64_t step)
{
    return (struct strip){v_address(s->at, r * apart),
                          s->first > r ? conv_up(s->first - r, step) : 0,
                          conv_floor(s->end - 1 - r, step) + 1};
}

/* VL channels of element i of both, those of `some`. */
static inline vu pair_channels(const struct strip s[2], int64_t apart, int64_t i, __mmask16 some)
{
    __m512i half[2];
    for (int k = 0; k < 2; k++) {
        const __mmask16 there = i >= s[k].first && i < s[k].end ? some : 0;
        half[k] =
            _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(there, v_address(s[k].at, i * apart)));
    }
    return (vu)_mm512_or_si512(half[0], _mm512_slli_epi32(half[1], 16));
}

/* `count` elements of `channels` channels that lie side by side become rows of elements, `channel`
 * floats from one to the next; whole vectors are written. */
static void pair_transposed(const struct strip s[2], int64_t apart, int64_t count, int64_t channels,
                            float *to, int64_t channel)
{
    for (int64_t c = 0; c < channels; c += VL) {
        const int some = (int)(channels - c < VL ? channels - c : VL);
        const struct strip of[2] = {{v_address(s[0].at, 2 * c), s[0].first, s[0].end},
                                    {v_address(s[1].at, 2 * c), s[1].first, s[1].end}};
        const __mmask16 mask = (__mmask16)_bzhi_u32(0xffff, (unsigned)some);
        for (int64_t i = 0; i < count; i += VL) {
            vf a[VL];
#pragma GCC unroll 16
            for (int k = 0; k < VL; k++)
                a[k] = (vf)pair_channels(of, apart, i + k, mask);
            v_transpose(a);
#pragma GCC unroll 16
            for (int k = 0; k < VL; k++)
                if (k < some) v_store(to + (c + k) * channel + i, a[k]);
        }
    }
}

/* Positions of a pair of tiles from number `number` on, as far as they lie evenly in a tensor whose
 * positions are the tiles' own; returns how many. */
static int64_t even_positions(const struct outer_grad *item, const struct k_conv_tensor *t,
                              int64_t row_apart, const struct tile_pair *p, int64_t number,
                              const char *from, struct strip s[2])
{
    const struct tile_place *first = &p->of[0];
    const int64_t columns = first->end[2] - first->begin[2], rows = first->end[1] - first->begin[1];
    const int64_t row = number / columns, i = number % columns;
    int64_t count = columns - i;
    for (int k = 0; k < 2; k++) {
        const struct tile_place *q = &p->of[k];
        const int64_t place = q->begin[2] + i, end = q->end[2] - place;
        int64_t at = q->batch * t->outer + q->begin[0] * t->axis[0];
        if (item->plan->is_joined) {
            const int64_t left = item->small_width - place % item->small_width;
            at += place / item->small_width * row_apart + place % item->small_width * t->axis[2];
            if (left < count) count = left;
        } else {
            at += (q->begin[1] + row) * t->axis[1] + place * t->axis[2];
        }
        const bool is_there = row < q->end[1] - q->begin[1] && end > 0;
        s[k] = (struct strip){v_address(from, 2 * at), 0, is_there ? end : 0};
    }
    /* Rows that follow each other, of both tiles. */
    const int64_t second_rows = p->of[1].end[1] - p->of[1].begin[1];
    const bool is_flat = !item->plan->is_joined && t->axis[1] == columns * t->axis[2] &&
                         (second_rows == 0 || (second_rows == rows && s[1].end == s[0].end));
    if (is_flat) count = rows * columns - number;
    for (int k = 0; k < 2; k++)
        if (s[k].end > count || (is_flat && s[k].end > 0)) s[k].end = count;
    return count;
}

/* Channels [0, channels) of such positions become rows, `pitch` floats from one to the next. */
static void pair_positions(const struct outer_grad *item, const struct k_conv_tensor *t,
                           int64_t row_apart, const struct tile_pair *p, const char *from,
                           int64_t channels, float *to, int64_t pitch)
{
    const int64_t all =
        (p->of[0].end[1] - p->of[0].begin[1]) * (p->of[0].end[2] - p->of[0].begin[2]);
    for (int64_t number = 0, count; number < all; number += count) {
        struct strip s[2];
        count = even_positions(item, t, row_apart, p, number, from, s);
        if (t->inner == 1 && channels >= LAST_FEW) {
            pair_transposed(s, 2 * t->axis[2], count, channels, to + number, pitch);
            continue;
        }
        pair_rows(s, 2 * t->axis[2], 1, count, 0, &(struct rows){channels, 2 * t->inner, pitch},
                  to + number);
    }
}

/* The panels of some pairs of tiles. */
static void pair_small(const struct outer_grad *item, int64_t tiles, struct outer_grad_buffers *own)
{
    const struct k_conv_tensor *t = &item->conv.small;
    for (int64_t panel = 0; panel * PANEL < item->rows; panel++) {
        float *to = own->small + panel * ROOM * PANEL;
        const int64_t left = item->rows - panel * PANEL, rows = left < PANEL ? left : PANEL;
        const char *from = v_address(item->small, 2 * (item->row + panel * PANEL) * t->inner);
        for (int64_t i = 0; i < tiles; i++) {
            const struct tile_pair *p = &own->tile[i];
            if (t->inner != 1 || rows < LAST_FEW) {
                pair_positions(item, t, item->small_row, p, from, rows, own->rows + p->number,
                               ROOM);
                continue;
            }
            const int64_t end = i + 1 < tiles ? own->tile[i + 1].number : item->positions;
            for (int64_t at = p->number, count; at < end; at += count) {
                struct strip s[2];
                count = even_positions(item, t, item->small_row, p, at - p->number, from, s);
                for (int64_t k = 0; k < count; k++)
                    for (int64_t c = 0; c < rows; c += VL) {
                        const struct strip of[2] = {{v_address(s[0].at, 2 * c), 0, s[0].end},
                                                    {v_address(s[1].at, 2 * c), 0, s[1].end}};
                        const __mmask16 some =
                            (__mmask16)_bzhi_u32(0xffff, (unsigned)(rows - c < VL ? rows - c : VL));
                        v_store(to + (at + k) * PANEL + c,
                                (vf)pair_channels(of, 2 * t->axis[2], k, some));
                    }
            }
        }
        if (t->inner != 1 || rows < LAST_FEW) turn_panel(item, own, left, to);
    }
}

/* The band of the item's channels of a pair of tiles. */
static void pair_large(const struct outer_grad *item, const struct tile_pair *p, float *to)
{
    const struct k_conv *conv = &item->conv;
    const struct k_conv_tensor *t = &conv->large;
    const struct band *band = &item->band;
    const int64_t apart = 2 * t->axis[2];
    const char *from = v_address(item->large, 2 * item->channel * t->inner);
    if (item->plan->is_joined) {
        pair_positions(item, t, item->large_row, p, from, item->channels, to, band->channel);
        return;
    }
    const bool is_last = t->inner == 1 && item->channels >= LAST_FEW;
    const int64_t step = band->span[2].step, count = band->span[2].count;
    for (int64_t d = 0; d < band->span[0].count; d++)
        for (int64_t h = 0; h < band->span[1].count; h++, to += band->row) {
            struct strip s[2];
            for (int k = 0; k < 2; k++) {
                const struct tile_place *q = &p->of[k];
                int64_t at[K_CONV_AXES] = {d, h, 0};
                for (int axis = 0; axis < K_CONV_AXES; axis++)
                    at[axis] += q->begin[axis] * conv->axis[axis].stride - conv->axis[axis].pad;
                const int64_t place = q->batch * t->outer + at[0] * t->axis[0] +
                                      at[1] * t->axis[1] + at[2] * t->axis[2];
                const int64_t end = conv->axis[2].large - at[2];
                s[k] = (struct strip){v_address(from, 2 * place), at[2] < 0 ? -at[2] : 0,
                                      end < count ? end : count};
                if (at[0] < 0 || at[0] >= conv->axis[0].large || at[1] < 0 ||
                    at[1] >= conv->axis[1].large || q->begin[1] == q->end[1])
                    s[k].end = 0;
            }
            for (int64_t r = 0; is_last && r < step && r < count; r++) {
                const struct strip part[2] = {strip_part(&s[0], apart, r, step),
                                              strip_part(&s[1], apart, r, step)};
                pair_transposed(part, step * apart, conv_up(count - r, step), item->channels,
                                to + r * band->pitch, band->channel);
            }
            if (!is_last)
                pair_rows(s, apart, step, count, band->pitch,
                          &(struct rows){item->channels, 2 * t->inner, band->channel}, to);
        }
}

#endif
#endif
