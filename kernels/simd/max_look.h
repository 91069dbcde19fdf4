/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of max pooling, channels innermost and many: do the indices of a row of windows lie in
 * their windows? */
#ifndef ACLNN_CPU_KERNELS_SIMD_MAX_LOOK_H
#define ACLNN_CPU_KERNELS_SIMD_MAX_LOOK_H

#include "kernels/simd/max_grad.h"

/* The most that an index of a window lies behind its last row of taps that begins before it; wraps
 * around if none does. `first`: the first tap inside, were it in row 0 of `rows`. */
K_TEMPLATE
vu look_at_window(enum k_index index, int rows, const struct row_codes *codes, uint32_t first,
                  const char *at, const char *dy, int64_t dy_size, int64_t channels, vi *high)
{
    const int64_t index_size = index == K_INDEX_I64 ? 8 : 4;
    vu most = {0};
    for (int64_t channel = 0; channel < channels; channel += VL) { /* the last ones maybe again */
        const char *from = at + max_least(channel, channels - VL) * index_size;
        for (int line = 0; line < VL * index_size; line += LINE_BYTES)
            k_prefetch_far(from + line);
        k_prefetch_far(dy + channel * dy_size);
        const vu column = (vu)k_load_indices(index == K_INDEX_I64, from, VL, from, high) - first;
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
vi look_at_gaps(enum k_index index, const struct max_grad *g, const struct row_codes *codes,
                int64_t w, uint32_t base, const char *at, vi *high)
{
    const int64_t index_size = index == K_INDEX_I64 ? 8 : 4, channels = g->plan.channels;
    vi stray = {0};
    for (int64_t channel = 0; channel < channels; channel += VL) {
        const char *from = at + max_least(channel, channels - VL) * index_size;
        const vi code = (vi)((vu)k_load_indices(index == K_INDEX_I64, from, VL, from, high) - base);
        stray |= ~code_in_window(v_all_i(g->lanes.inside[w]), v_all_i(g->lanes.length[w]),
                                 &g->plan.width, codes, code);
    }
    return stray;
}

/* Looks at the indices of row (od, oh) of windows. */
K_TEMPLATE
void look_at_row(enum k_index index, struct max_grad *g, int64_t od, int64_t oh)
{
    const struct max_plan *plan = &g->plan;
    const int64_t channels = plan->channels, line = channels * (index == K_INDEX_I64 ? 8 : 4);
    const int64_t row = (g->outer * plan->depth.out + od) * plan->height.out + oh;
    const bool gaps = plan->width.dilation > 1 && plan->width.kernel > 1;
    const char *at = g->indices + row * plan->width.out * line;
    const char *dy = g->dy + row * plan->width.out * channels * g->dy_size;
    const struct k_lanes *lanes = &g->lanes;
    struct row_codes codes;
    vi stray = {0}, high = {0};
    row_codes(plan, od, oh, &codes);
    for (int64_t w = 0; w < plan->width.out; w++, at += line, dy += channels * g->dy_size) {
        const uint32_t base = (uint32_t)row_base(plan, od, oh) + (uint32_t)lanes->base[w];
        const uint32_t first = base + (uint32_t)lanes->inside[w];
        vu most;
        if (gaps) {
            stray |= look_at_gaps(index, g, &codes, w, base, at, &high);
            continue;
        }
        if (codes.count == 2)
            most = look_at_window(index, 2, &codes, first, at, dy, g->dy_size, channels, &high);
        else if (codes.count == 3)
            most = look_at_window(index, 3, &codes, first, at, dy, g->dy_size, channels, &high);
        else
            most = look_at_window(index, codes.count, &codes, first, at, dy, g->dy_size, channels,
                                  &high);
        stray |= (vi)(most >= (vu)v_all_i(lanes->length[w]));
    }
    if (v_any(stray | high)) g->stray = true;
}

static __attribute__((noinline, unused)) void look_at_channels(struct max_grad *g, int64_t od,
                                                               int64_t oh)
{
    if (g->pool->index == K_INDEX_I64)
        look_at_row(K_INDEX_I64, g, od, oh);
    else
        look_at_row(K_INDEX_I32, g, od, oh);
}

/* The windows of a row, one lane each. */
static inline void channels_begin(struct max_grad *g)
{
    g->lanes.first = g->lanes.channel = 0;
    g->lanes.channels = 1;
    g->lanes.windows = g->plan.width.out;
    lanes_begin(&g->lanes, &g->plan.width);
}

#endif
