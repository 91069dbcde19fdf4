/* SPDX-License-Identifier: Apache-2.0 */
/* Average pooling: outputs from a row of sums, added along the width. */
#ifndef ACLNN_CPU_KERNELS_SIMD_AVERAGE_ALONG_H
#define ACLNN_CPU_KERNELS_SIMD_AVERAGE_ALONG_H

#include "kernels/simd/average.h"

/* One vector of outputs, each the sum of n terms `gap` floats apart. */
K_TEMPLATE
vf plain_sum(int stride, int n, const float *at, int64_t gap)
{
    const vi lanes = v_lanes() * 2;
    vf sum = {0}, block = {0};
#pragma GCC unroll 4
    for (int t = 0; t < n; t++) {
        vf term;
        if (stride == 1) {
            term = v_load(at + t * gap);
        } else {
            const float *even = at + t / 2 * 2;
            term = v_pick(v_load(even), v_load(even + VL), lanes + t % 2);
        }
        block = t % AVG_BLOCK == 0 ? term : block + term;
        if (t % AVG_BLOCK == AVG_BLOCK - 1 || t == n - 1) sum = t < AVG_BLOCK ? block : sum + block;
    }
    return sum;
}

K_TEMPLATE
void plain_row(enum k_dtype dt, int stride, int n, const float *from, int64_t gap,
               const float *scale, int columns, char *to)
{
    for (int x = 0; x < columns; x += VL)
        k_store(dt, to + x * k_size(dt),
                plain_sum(stride, n, from + x * stride, gap) * v_load(scale + x));
}

/* n terms in vectors of any lanes; those that a lane has not count as -0. */
K_TEMPLATE
vf picked_sum(const struct average *g, const float *sums, int x, bool far)
{
    const int vector = x / VL, n = g->terms[vector];
    const int64_t gap = g->plan.width.step * g->channels;
    const float *at = sums + g->base[vector];
    vi lanes, counts;
    memcpy(&lanes, g->first + x, sizeof lanes);
    memcpy(&counts, g->count + x, sizeof counts);
    lanes = lanes - g->base[vector];
    const vi low = lanes & (2 * VL - 1), beyond = lanes >= 2 * VL;
    vf sum = {0}, block = {0};
    for (int t = 0; t < n; t++, at += gap) {
        vf term = v_pick(v_load(at), v_load(at + VL), low);
        if (far) {
            const vf other = v_pick(v_load(at + 2 * VL), v_load(at + 3 * VL), low);
            term = (vf)((beyond & (vi)other) | (~beyond & (vi)term));
        }
        const vi ours = counts > t;
        term = (vf)((ours & (vi)term) | (~ours & (vi)v_all(-0.0f)));
        block = t % AVG_BLOCK == 0 ? term : block + term;
        if (t % AVG_BLOCK == AVG_BLOCK - 1 || t == n - 1) sum = t < AVG_BLOCK ? block : sum + block;
    }
    return (vf)((vi)sum & (counts > 0));
}

static inline float lane_sum(const float *at, int count, int64_t gap)
{
    float sum = 0;
    for (int t = 0; t < count; t += AVG_BLOCK) {
        const int end = count - t < AVG_BLOCK ? count : t + AVG_BLOCK;
        float block = at[t * gap];
        for (int i = t + 1; i < end; i++)
            block = block + at[i * gap];
        sum = t == 0 ? block : sum + block;
    }
    return sum;
}

/* Any ranges. */
K_TEMPLATE
void picked_row(enum k_dtype dt, const struct average *g, const float *sums, const float *scale,
                char *to)
{
    for (int x = 0; x < g->columns; x += VL) {
        vf sum = {0};
        if (g->reach[x / VL] < 2 * VL) {
            sum = picked_sum(g, sums, x, false);
        } else if (g->reach[x / VL] < 4 * VL) {
            sum = picked_sum(g, sums, x, true);
        } else {
            float lanes[VL] = {0};
            const int64_t gap = g->plan.width.step * g->channels;
            for (int i = 0; i < VL && x + i < g->columns; i++)
                lanes[i] = lane_sum(sums + g->first[x + i], g->count[x + i], gap);
            sum = v_load(lanes);
        }
        k_store(dt, to + x * k_size(dt), sum * v_load(scale + x));
    }
}

/* One channel or few: `columns` outputs to `to`, and what fills the last vector. */
K_TEMPLATE
void columns_row(enum k_dtype dt, const struct average *g, const float *from, const float *scale,
                 int columns, char *to)
{
    const int n = (int)g->plan.width.kernel;
    if (!g->plan.plain)
        picked_row(dt, g, from, scale, to);
    else if (g->plan.width.stride == 1 && n == 3)
        plain_row(dt, 1, 3, from, g->channels, scale, columns, to);
    else if (g->plan.width.stride == 1)
        plain_row(dt, 1, n, from, g->channels, scale, columns, to);
    else if (n == 2)
        plain_row(dt, 2, 2, from, 1, scale, columns, to);
    else if (n == 3)
        plain_row(dt, 2, 3, from, 1, scale, columns, to);
    else
        plain_row(dt, 2, n, from, 1, scale, columns, to);
}

/* Many channels: outputs of cells [cell, end), the tile's channels of each, `bytes` apart. */
K_TEMPLATE
void cells_row(enum k_dtype dt, int constant, const struct average *g, const float *sums,
               const float *scale, int cell, int end, char *to, int64_t bytes)
{
    const int channels = g->channels;
    const int64_t gap = g->plan.width.step * channels;
    for (; cell < end; cell++, to += bytes) {
        const float *from = sums + g->first[cell];
        const int n = constant ? constant : g->count[cell];
        for (int tile = 0; tile < channels; tile += VL) {
            const int x = tile + VL <= channels || channels < VL ? tile : channels - VL;
            const vf sum = n == 0 ? (vf){0} : plain_sum(1, n, from + x, gap);
            k_store(dt, to + x * k_size(dt), sum * v_all(scale[cell]));
        }
    }
}

K_TEMPLATE
void cells_row_of(enum k_dtype dt, const struct average *g, const float *sums, const float *scale,
                  int cell, int end, char *to, int64_t bytes)
{
    const int n = g->plan.width.uniform ? (int)g->plan.width.kernel : 0;
    if (n == 2)
        cells_row(dt, 2, g, sums, scale, cell, end, to, bytes);
    else if (n == 3)
        cells_row(dt, 3, g, sums, scale, cell, end, to, bytes);
    else
        cells_row(dt, 0, g, sums, scale, cell, end, to, bytes);
}

#endif
