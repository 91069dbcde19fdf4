/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of max pooling, channels innermost and many: do the indices of a row of windows lie in
 * their windows? */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_LOOK_H
#define ACLNN_CPU_KERNELS_POOL_MAX_LOOK_H

#include "kernels/pool/max_grad.h"

/* How an index of the tensor becomes one of the plane: it is less `first` and `channel` for each
 * channel, then divided by what it rises by for a cell, which is odd times a power of two, by what
 * the odd factor's product with is 1 modulo 2^32. What is not divisible becomes more than any plane
 * has. */
struct index_unit {
    uint32_t first, channel, cell, times;
    int twos;
};

static inline struct index_unit index_unit(const struct max_grad *g)
{
    const uint32_t channels = (uint32_t)g->plan.channels;
    const bool inside = g->pool->channels_inside;
    struct index_unit unit = {.first = first_index(g),
                              .channel = inside ? 1 : g->indices_step / channels,
                              .cell = inside ? channels : 1};
    unit.twos = __builtin_ctz(unit.cell);
    const uint32_t odd = unit.cell >> unit.twos;
    unit.times = odd; /* right for three bits; each round doubles them */
    for (int round = 0; round < 4; round++)
        unit.times *= 2 - odd * unit.times;
    return unit;
}

K_TEMPLATE
vu plane_index(bool of_tensor, const struct index_unit *unit, int64_t channel, vu index)
{
    if (!of_tensor) return index;
    const uint32_t first = unit->first + (uint32_t)channel * unit->channel;
    const vu n = (index - first - (vu)v_lanes() * unit->channel) * unit->times;
    return n >> unit->twos | n << (32 - unit->twos) % 32;
}

/* The most that an index of a window lies behind its last row of taps that begins before it; wraps
 * around if none does. `first`: the first tap inside, were it in row 0 of `rows`. */
K_TEMPLATE
vu look_at_window(enum k_index index, bool of_tensor, int rows, const struct row_codes *codes,
                  const struct index_unit *unit, uint32_t first, const char *at, const char *dy,
                  int64_t dy_size, int64_t channels, vi *high)
{
    const int64_t index_size = index == K_INDEX_I64 ? 8 : 4;
    vu most = {0};
    for (int64_t channel = 0; channel < channels; channel += VL) { /* the last ones maybe again */
        const int64_t begin = max_least(channel, channels - VL);
        const char *from = at + begin * index_size;
        for (int line = 0; line < VL * index_size; line += LINE_BYTES)
            k_prefetch_far(from + line);
        k_prefetch_far(dy + channel * dy_size);
        const vu place = (vu)k_load_indices(index == K_INDEX_I64, from, VL, from, high);
        const vu column = plane_index(of_tensor, unit, begin, place) - first;
        vu least = (vu)v_all_i(-1);
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++)
            least = v_least_u(least, column - (uint32_t)codes->at[r]);
        most = v_most_u(most, least);
    }
    return most;
}

/* Windows with gaps between their taps. */
K_TEMPLATE
vi look_at_gaps(enum k_index index, bool of_tensor, const struct max_grad *g,
                const struct row_codes *codes, const struct index_unit *unit, int64_t w,
                uint32_t base, const char *at, vi *high)
{
    const int64_t index_size = index == K_INDEX_I64 ? 8 : 4, channels = g->plan.channels;
    vi stray = {0};
    for (int64_t channel = 0; channel < channels; channel += VL) {
        const int64_t begin = max_least(channel, channels - VL);
        const char *from = at + begin * index_size;
        const vu place = (vu)k_load_indices(index == K_INDEX_I64, from, VL, from, high);
        const vi code = (vi)(plane_index(of_tensor, unit, begin, place) - base);
        stray |= ~code_in_window(v_all_i(g->lanes.inside[w]), v_all_i(g->lanes.length[w]),
                                 &g->plan.width, codes, code);
    }
    return stray;
}

/* Looks at the indices of row (od, oh) of windows. */
K_TEMPLATE
void look_at_row(enum k_index index, bool of_tensor, struct max_grad *g, int64_t od, int64_t oh)
{
    const struct max_plan *plan = &g->plan;
    const int64_t channels = plan->channels, line = channels * (index == K_INDEX_I64 ? 8 : 4);
    const int64_t row = (g->outer * plan->depth.out + od) * plan->height.out + oh;
    const bool gaps = plan->width.dilation > 1 && plan->width.kernel > 1;
    const char *at = g->indices + row * plan->width.out * line;
    const char *dy = g->dy + row * plan->width.out * channels * g->dy_size;
    const struct k_lanes *lanes = &g->lanes;
    const struct index_unit unit = index_unit(g);
    struct row_codes codes;
    vi stray = {0}, high = {0};
    row_codes(plan, od, oh, &codes);
    for (int64_t w = 0; w < plan->width.out; w++, at += line, dy += channels * g->dy_size) {
        const uint32_t base = (uint32_t)row_base(plan, od, oh) + (uint32_t)lanes->base[w];
        const uint32_t first = base + (uint32_t)lanes->inside[w];
        vu most;
        if (gaps) {
            stray |= look_at_gaps(index, of_tensor, g, &codes, &unit, w, base, at, &high);
            continue;
        }
        if (codes.count == 2)
            most = look_at_window(index, of_tensor, 2, &codes, &unit, first, at, dy, g->dy_size,
                                  channels, &high);
        else if (codes.count == 3)
            most = look_at_window(index, of_tensor, 3, &codes, &unit, first, at, dy, g->dy_size,
                                  channels, &high);
        else
            most = look_at_window(index, of_tensor, codes.count, &codes, &unit, first, at, dy,
                                  g->dy_size, channels, &high);
        stray |= (vi)(most >= (vu)v_all_i(lanes->length[w]));
    }
    if (v_any(stray | high)) g->stray = true;
}

K_OUTLINE void look_at_channels(struct max_grad *g, int64_t od, int64_t oh)
{
    const bool of_tensor = g->indices_step > 0;
    if (of_tensor && g->pool->index == K_INDEX_I64)
        look_at_row(K_INDEX_I64, true, g, od, oh);
    else if (of_tensor)
        look_at_row(K_INDEX_I32, true, g, od, oh);
    else if (g->pool->index == K_INDEX_I64)
        look_at_row(K_INDEX_I64, false, g, od, oh);
    else
        look_at_row(K_INDEX_I32, false, g, od, oh);
}

#endif
