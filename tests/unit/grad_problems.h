/* SPDX-License-Identifier: Apache-2.0 */
/* Random problems of the average gradient, each kind for a way of its own. */
#ifndef ACLNN_CPU_TESTS_UNIT_GRAD_PROBLEMS_H
#define ACLNN_CPU_TESTS_UNIT_GRAD_PROBLEMS_H

#include <stdint.h>

#include "kernels/pool/k_pool_grad.h"
#include "tests/unit/pool_values.h"

static inline int64_t windows_along(int64_t in, int64_t k, int64_t s, int64_t pad, bool ceil_mode)
{
    const int64_t room = in + 2 * pad - k;
    if (room < 0) return ceil_mode && room + s > 0 ? 1 : 0;
    int64_t out = (room + (ceil_mode ? s - 1 : 0)) / s + 1;
    if (ceil_mode && (out - 1) * s >= in + pad) out--;
    return out;
}

static inline bool random_axis(struct k_pool *p, int axis, int64_t max_in, int64_t max_kernel)
{
    const bool ceil_mode = between(0, 1);
    p->input[axis] = between(1, max_in);
    p->kernel[axis] = between(1, max_kernel);
    p->stride[axis] = between(0, 3) ? between(1, p->kernel[axis] + 1) : p->kernel[axis];
    const int64_t pad = between(0, p->kernel[axis] / 2);
    if (between(0, 3) == 0) p->input[axis] = p->kernel[axis];
    p->output[axis] =
        windows_along(p->input[axis], p->kernel[axis], p->stride[axis], pad, ceil_mode);
    p->pad_begin[axis] = p->pad_end[axis] = pad;
    return p->output[axis] > 0;
}

/* Several channels: windows side by side, or of three cells with a step of one or two. */
static inline struct k_pool random_channels_pool(void)
{
    static const int64_t channels[] = {2,  3,  4,  5,  8,  12,  15,   16,
                                       17, 24, 32, 40, 64, 130, 1000, 1100};
    const bool slides = between(0, 1);
    const int64_t step = between(1, 2);
    struct k_pool p = {.outer = between(1, 2),
                       .channels = channels[between(0, 15)],
                       .layout = K_CHANNELS_LAST,
                       .count_padding = between(0, 1),
                       .divisor = between(0, 3) ? 0 : 7,
                       .rounding = (enum k_rounding)(between(0, 2) ? K_ROUND_NONE : between(0, 2)),
                       .stream_output = between(0, 1)};
    for (int axis = 0; axis < K_POOL_AXES; axis++) {
        const int64_t k = p.kernel[axis] = axis == 0 ? 1 : slides ? 3 : between(1, 4);
        const int64_t cells = p.input[axis] = axis == 0 ? between(1, 2) : between(k, 14);
        const int64_t pad = p.pad_begin[axis] = p.pad_end[axis] = between(0, k / 2);
        p.stride[axis] = slides ? step : k;
        p.output[axis] = windows_along(cells, k, p.stride[axis], pad, between(0, 1));
    }
    return p;
}

/* Several channels, windows of three cells that overlap, more rows than are written at once. */
static inline struct k_pool random_sliding_pool(void)
{
    static const int64_t channels[] = {16, 17, 32, 40, 64, 67, 130, 520, 1100, 2100};
    struct k_pool p = random_channels_pool();
    p.channels = channels[between(0, 9)];
    p.outer = p.channels < 100 ? between(1, 3) : 1;
    for (int axis = 1; axis < K_POOL_AXES; axis++) {
        p.kernel[axis] = 3;
        p.stride[axis] = between(0, 3) ? 1 : 2;
        p.input[axis] = between(3, axis == 1 ? 40 : 12);
        p.pad_begin[axis] = p.pad_end[axis] = between(0, 1);
        p.output[axis] = windows_along(p.input[axis], 3, p.stride[axis], p.pad_begin[axis], false);
    }
    return p;
}

/* One window, the whole input. */
static inline struct k_pool random_global_pool(void)
{
    struct k_pool p = random_channels_pool();
    if (between(0, 1)) {
        p.layout = K_CHANNELS_FIRST;
        p.channels = 1;
        p.outer = between(1, 200);
    }
    for (int axis = 0; axis < K_POOL_AXES; axis++) {
        p.input[axis] = p.kernel[axis] = between(1, axis == 0 ? 4 : 9);
        p.stride[axis] = between(1, p.kernel[axis]);
        p.output[axis] = 1;
        p.pad_begin[axis] = p.pad_end[axis] = 0;
    }
    return p;
}

static inline struct k_pool random_pool(bool large)
{
    if (between(0, 9) == 0) return random_channels_pool();
    if (between(0, 19) == 0) return random_global_pool();
    struct k_pool p = {.channels = 1};
    const int kind = (int)between(0, 5);
    const int64_t wide = large ? 1200 : 70, tall = large ? 120 : 40;
    const int64_t kernel = between(0, 7) ? 5 : between(0, 3) ? 12 : large ? 100 : 40;
    do {
        bool good = random_axis(&p, 2, wide, kernel);
        good = random_axis(&p, 1, kind == 0 ? 1 : tall, kernel) && good;
        good = random_axis(&p, 0, kind < 4 ? 1 : 6, kind < 4 ? 1 : 4) && good;
        if (good) break;
    } while (true);
    p.layout = between(0, 1) ? K_CHANNELS_LAST : K_CHANNELS_FIRST;
    static const int64_t channels[] = {2, 3, 7, 15, 16, 17, 24, 31, 32, 40, 64, 96, 130};
    if (p.layout == K_CHANNELS_LAST) p.channels = channels[between(0, large ? 12 : 8)];
    p.outer = between(1, large ? 2 : 4);
    p.count_padding = between(0, 1);
    static const int64_t divisors[] = {0, 0, 0, 1, -3, 7, INT64_MAX, INT64_MIN};
    p.divisor = divisors[between(0, 7)];
    p.rounding = (enum k_rounding)(between(0, 2) ? K_ROUND_NONE : between(0, 2));
    p.stream_output = between(0, 1);
    return p;
}

/* Columns of rows that are much shorter than a vector, so many that they are treated as one row. */
static inline struct k_pool random_narrow_pool(void)
{
    struct k_pool p = random_pool(false);
    p.layout = K_CHANNELS_FIRST;
    p.channels = 1;
    p.outer = between(17, 120);
    p.rounding = K_ROUND_NONE;
    for (int axis = 0; axis < K_POOL_AXES; axis++) {
        const bool deep = axis == 0;
        p.kernel[axis] = deep ? 1 : 3;
        p.stride[axis] = 1;
        p.pad_begin[axis] = p.pad_end[axis] = !deep;
        p.input[axis] = p.output[axis] = deep ? 1 : between(2, axis == 1 ? 20 : 13);
    }
    return p;
}

/* Rows that are treated as one: windows of two cells side by side, in rows that are repeated. */
static inline struct k_pool random_repeats_pool(void)
{
    struct k_pool p = random_pool(false);
    const int64_t windows = between(0, 9) ? between(14, 70) : between(250, 258);
    p.layout = K_CHANNELS_FIRST;
    p.channels = 1;
    for (int axis = 0; axis < K_POOL_AXES; axis++) {
        p.kernel[axis] = axis == 0 ? 1 : axis == 1 ? between(2, 4) : 2;
        p.stride[axis] = axis == 0 ? between(1, 2) : p.kernel[axis];
        p.input[axis] =
            axis == 0 ? between(1, 3) : (axis == 1 ? between(1, 40) : windows) * p.kernel[axis];
        p.pad_begin[axis] = p.pad_end[axis] = 0;
        p.output[axis] = windows_along(p.input[axis], p.kernel[axis], p.stride[axis], 0, false);
    }
    return p;
}

/* The same: windows of three, one or half as many in a row as cells. */
static inline struct k_pool random_flat_pool(void)
{
    if (between(0, 3) == 0) return random_repeats_pool();
    struct k_pool p = random_pool(false);
    const bool two = between(0, 3);
    const int64_t windows = between(0, 9) ? between(two ? 16 : 3, 70) : between(250, 258);
    p.layout = K_CHANNELS_FIRST;
    p.channels = 1;
    if (windows <= 70 && between(0, 7) == 0) p.outer = between(4, 30); /* several bands */
    p.kernel[0] = 1;
    p.stride[0] = between(1, 2);
    p.input[0] = between(1, 3);
    p.pad_begin[0] = p.pad_end[0] = 0;
    p.output[0] = windows_along(p.input[0], 1, p.stride[0], 0, false);
    for (int axis = 1; axis < K_POOL_AXES; axis++) {
        const int64_t pad = two ? between(0, 1) : 1;
        p.kernel[axis] = 3;
        p.stride[axis] = two ? 2 : 1;
        p.pad_begin[axis] = p.pad_end[axis] = pad;
        p.input[axis] = axis == 1 ? between(3, 60) : windows * p.stride[axis];
        p.output[axis] =
            windows_along(p.input[axis], 3, p.stride[axis], pad, axis == 2 ? two : between(0, 1));
    }
    return p;
}

#endif
