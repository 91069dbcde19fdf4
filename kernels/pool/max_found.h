/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of max pooling by recompute, channels innermost and many: rows of windows wait in a
 * ring as the numbers of their chosen taps, counted in row-major order, a byte for each channel. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_FOUND_H
#define ACLNN_CPU_KERNELS_POOL_MAX_FOUND_H

#include "kernels/pool/max_deep.h"
#include "kernels/pool/max_grad.h"

enum { NO_TAP = 255 };

static inline char *taps_row(const struct max_grad *g, int depth, int64_t oh)
{
    const int64_t slot = depth * (int64_t)g->plan.rows + oh % g->plan.rows;
    return g->taps + slot * g->plan.width.out * g->plan.channels;
}

/* The first tap of a window inside the input, and how many are. */
static inline int64_t first_tap(const struct max_axis *axis, int64_t o, int64_t *cell,
                                int64_t *count)
{
    const int64_t start = o * axis->stride - axis->pad;
    *cell = taps_inside(axis, o, count);
    return *cell == start ? 0 : (*cell - start) / axis->dilation;
}

/* Row oh of the windows at one of the depths over the column. */
K_TEMPLATE
void find_taps(enum k_dtype dt, struct max_grad *g, int slot, int64_t oh)
{
    const struct max_plan *plan = &g->plan;
    const struct max_axis *depth = &plan->depth, *height = &plan->height, *width = &plan->width;
    const int64_t bytes = plan->channels * k_size(dt);
    const int64_t row = height->dilation * width->in, plane = depth->dilation * height->in;
    const int64_t step = width->stride * bytes; /* of x that a window adds */
    const int64_t below = (height->stride - 1) * width->in * bytes;
    const int64_t values = plan->channels * g->dy_size; /* bytes of a window's */
    const int64_t above = (g->outer * depth->out + g->depth[slot]) * height->out + oh;
    const char *dy = g->dy + above * width->out * values;
    char *to = taps_row(g, slot, oh);
    struct max_taps taps = {
        .bytes = {plane * width->in * bytes, row * bytes, width->dilation * bytes},
        .places = {(int32_t)(height->kernel * width->kernel), (int32_t)width->kernel, 1},
        .fresh = height->stride};
    struct max_list list = {.count = 0};
    struct max_results results = {.stream = false};
    int64_t d, h, w;
    const int64_t deep = first_tap(depth, g->depth[slot], &d, &taps.count[0]);
    const int64_t tall = deep * height->kernel + first_tap(height, oh, &h, &taps.count[1]);
    const int64_t start = (g->outer * depth->in + d) * height->in + h;
    for (int64_t ow = 0; ow < width->out; ow++, to += plan->channels, dy += values) {
        const int64_t wide = first_tap(width, ow, &w, &taps.count[2]);
        taps.place = (int32_t)(tall * width->kernel + wide);
        taps.at = (const char *)((uintptr_t)g->x + (uintptr_t)((start * width->in + w) * bytes));
        if (taps.count[0] * taps.count[1] * taps.count[2] == 0) {
            memset(to, NO_TAP, (size_t)plan->channels);
            continue;
        }
        for (int64_t i = 0; i < values; i += LINE_BYTES) /* read when the row is found */
            k_prefetch(dy + i);
        taps.beyond = (width->out - ow) * step > FAR_BYTES ? 0 : below;
        list_update(dt, &list, &taps);
        results.places = to;
        deep_window(dt, DEEP_TAPS, &taps, &list, &results, 0, plan->channels);
    }
}

K_OUT_OF_LINE(void, find_taps, (struct max_grad * g, int slot, int64_t oh), (g, slot, oh))

#endif
