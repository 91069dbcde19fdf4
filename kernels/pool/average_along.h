/* SPDX-License-Identifier: Apache-2.0 */
/* Average pooling: outputs from a row of sums, added along the width. */
#ifndef ACLNN_CPU_KERNELS_POOL_AVERAGE_ALONG_H
#define ACLNN_CPU_KERNELS_POOL_AVERAGE_ALONG_H

#include "kernels/pool/average.h"

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
                (plain_sum(stride, n, from + x * stride, gap) + (vf){0}) * v_load(scale + x));
}

/* n terms in vectors of any lanes; those that a lane has not count as -0. spread: over how many
 * vectors the lanes' first terms lie. */
K_TEMPLATE
vf picked_sum(const struct picks *picks, const float *sums, int x, int spread)
{
    const int vector = x / VL, n = picks->terms[vector];
    const float *at = sums + picks->base[vector];
    vi lanes, counts;
    memcpy(&lanes, picks->first + x, sizeof lanes);
    memcpy(&counts, picks->count + x, sizeof counts);
    lanes = lanes - picks->base[vector];
    const vi low = lanes & (2 * VL - 1), beyond = lanes >= 2 * VL;
    vf sum = {0}, block = {0};
    for (int t = 0; t < n; t++, at += picks->gap) {
        vf term =
            spread == 1 ? v_pick_one(v_load(at), low) : v_pick(v_load(at), v_load(at + VL), low);
        if (spread > 2) {
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

/* Vector x / VL of outputs of any ranges. */
K_TEMPLATE
vf picked(const struct picks *picks, const float *sums, int x)
{
    const int reach = picks->reach[x / VL];
    if (reach < VL) return picked_sum(picks, sums, x, 1);
    if (reach < 2 * VL) return picked_sum(picks, sums, x, 2);
    if (reach < 4 * VL) return picked_sum(picks, sums, x, 4);
    float lanes[VL] = {0};
    for (int i = 0; i < VL && x + i < picks->columns; i++)
        lanes[i] = lane_sum(sums + picks->first[x + i], picks->count[x + i], picks->gap);
    return v_load(lanes);
}

/* Compiled once for all types; what fills the last vector is written, too. */
K_OUTLINE void picked_floats(const struct picks *picks, const float *sums, const float *factors,
                             float *to)
{
    for (int x = 0; x < picks->columns; x += VL)
        v_store(to + x, (picked(picks, sums, x) + (vf){0}) * v_load(factors + x));
}

K_TEMPLATE
void picked_row(enum k_dtype dt, const struct picks *picks, const float *sums, const float *scale,
                char *to)
{
    float values[AVG_PICKS + VL];
    if (dt == K_F32) {
        picked_floats(picks, sums, scale, (float *)(void *)to);
        return;
    }
    picked_floats(picks, sums, scale, values);
    for (int x = 0; x < picks->columns; x += VL)
        k_store(dt, to + x * k_size(dt), v_load(values + x));
}

/* One channel or few: `columns` outputs to `to`, and what fills the last vector. */
K_TEMPLATE
void columns_row(enum k_dtype dt, const struct average *g, const float *from, const float *scale,
                 int columns, char *to)
{
    const int n = (int)g->plan.width.kernel;
    if (!g->plan.plain)
        picked_row(dt, &g->along, from, scale, to);
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

/* Many channels: the tile's channels of one output of n terms. */
K_TEMPLATE
void cell_row(enum k_dtype dt, int n, const float *from, int64_t gap, vf scale, int channels,
              char *to)
{
    for (int tile = 0; tile < channels; tile += VL) {
        const int x = tile + VL <= channels || channels < VL ? tile : channels - VL;
        const vf sum = n == 0 ? (vf){0} : plain_sum(1, n, from + x, gap);
        k_store(dt, to + x * k_size(dt), (sum + (vf){0}) * scale);
    }
}

/* Outputs of cells [cell, end), `bytes` apart. */
K_TEMPLATE
void cells_row(enum k_dtype dt, const struct average *g, const float *sums, const float *scale,
               int cell, int end, char *to, int64_t bytes)
{
    const int channels = g->channels;
    const int64_t gap = g->along.gap;
    for (; cell < end; cell++, to += bytes) {
        const float *from = sums + g->along.first[cell];
        const vf factor = v_all(scale[cell]);
        const int n = g->along.count[cell];
        if (n == 1)
            cell_row(dt, 1, from, gap, factor, channels, to);
        else if (n == 2)
            cell_row(dt, 2, from, gap, factor, channels, to);
        else if (n == 3)
            cell_row(dt, 3, from, gap, factor, channels, to);
        else
            cell_row(dt, n, from, gap, factor, channels, to);
    }
}

#endif
