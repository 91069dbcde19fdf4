/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of max pooling row by row: the terms of a row of cells become a row of dX. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_GRAD_CELLS_H
#define ACLNN_CPU_KERNELS_POOL_MAX_GRAD_CELLS_H

#include "kernels/pool/max_grad.h"

K_TEMPLATE
vf add_term(vf sum, const struct max_term *term, int64_t at)
{
    const float *value = (const float *)(const void *)(term->code + at) + MAX_RING_STEP;
    return v_add_where_same(sum, v_load_i(term->code + at), v_all_i(term->tap), v_load(value));
}

/* Sums of `vectors` (1, 2 or 4) times VL lanes from lane `at` on. Named one by one: an array would
 * live in memory. */
K_TEMPLATE
void sum_terms(const struct max_term *terms, int count, int64_t at, int vectors, vf sums[])
{
    vf a = {0}, b = {0}, c = {0}, d = {0};
    for (const struct max_term *term = terms, *end = terms + count; term < end; term++) {
        a = add_term(a, term, at);
        if (vectors > 1) b = add_term(b, term, at + VL);
        if (vectors > 2) c = add_term(c, term, at + 2 * VL);
        if (vectors > 2) d = add_term(d, term, at + 3 * VL);
    }
    sums[0] = a;
    if (vectors > 1) sums[1] = b;
    if (vectors > 2) sums[2] = c;
    if (vectors > 2) sums[3] = d;
}

/* Lanes [at, at + count) of one phase as elements; up to 4 VL are written behind. */
K_TEMPLATE
void put_run(enum k_dtype dt, const struct max_term *terms, int count, int64_t at, int64_t lanes,
             char *to)
{
    const int unit = LINE_PARTS(dt);
    vf sums[4];
    int64_t i = 0;
    for (; i + 4 * VL <= lanes; i += 4 * VL) {
        sum_terms(terms, count, at + i, 4, sums);
#pragma GCC unroll 4
        for (int v = 0; v < 4; v += unit)
            k_store_parts(dt, to + (i + v * VL) * k_size(dt), sums + v, false);
    }
    for (; i < lanes; i += unit * VL) {
        sum_terms(terms, count, at + i, unit, sums);
        k_store_parts(dt, to + i * k_size(dt), sums, false);
    }
}

/* One channel, stride 2: the sums of both phases, one beside the other. */
K_TEMPLATE
void put_pairs(enum k_dtype dt, const struct max_grad *g, const int *first, int64_t at,
               int64_t windows, char *to)
{
    const struct max_term *even = g->terms + first[0], *odd = g->terms + first[1];
    const int evens = first[1] - first[0], odds = first[2] - first[1];
    int64_t i = 0;
    for (; i + VL < windows; i += 2 * VL) {
        vf a[2], b[2];
        sum_terms(even, evens, at + i, 2, a);
        sum_terms(odd, odds, at + i, 2, b);
        const vf both[4] = {v_zip(0, a[0], b[0]), v_zip(1, a[0], b[0]), v_zip(0, a[1], b[1]),
                            v_zip(1, a[1], b[1])};
#pragma GCC unroll 4
        for (int v = 0; v < 4; v += LINE_PARTS(dt))
            k_store_parts(dt, to + (2 * i + v * VL) * k_size(dt), both + v, false);
    }
    for (; i < windows; i += VL) {
        vf a, b;
        sum_terms(even, evens, at + i, 1, &a);
        sum_terms(odd, odds, at + i, 1, &b);
        const vf both[2] = {v_zip(0, a, b), v_zip(1, a, b)};
        for (int v = 0; v < 2; v += LINE_PARTS(dt))
            k_store_parts(dt, to + (2 * i + v * VL) * k_size(dt), both + v, false);
    }
}

/* One channel, any stride. */
K_TEMPLATE
void put_phases(enum k_dtype dt, const struct max_grad *g, const int *first, int64_t at,
                int64_t windows, char *to)
{
    const int stride = (int)g->plan.width.stride;
    for (int64_t i = 0; i < windows; i += VL, to += stride * VL * k_size(dt)) {
        vf sums[MAX_STRIDE];
        for (int c = 0; c < stride; c++)
            sum_terms(g->terms + first[c], first[c + 1] - first[c], at + i, 1, sums + c);
        for (int v = 0; v < stride; v++) {
            vf mixed = {0};
            for (int c = 0; c < stride; c++)
                mixed = v_place(mixed, sums[c], g->from[v], g->place[v], c);
            k_store(dt, to + v * VL * k_size(dt), mixed);
        }
    }
}

/* Few channels: phases one by one, then cell by cell. */
K_TEMPLATE
void put_narrow(enum k_dtype dt, struct max_grad *g, int64_t windows, char *to)
{
    const int stride = (int)g->plan.width.stride, channels = g->lanes.channels;
    const int64_t lanes = windows * channels, pitch = lanes + MAX_SLACK;
    float *rows = (float *)(void *)g->phase_rows;
    for (int c = 0; c < stride; c++)
        put_run(K_F32, g->terms + g->first_term[c], g->first_term[c + 1] - g->first_term[c], 0,
                lanes, (char *)(rows + c * pitch));
    for (int64_t lane = 0; lane < lanes; lane += channels)
        for (int c = 0; c < stride; c++, to += channels * k_size(dt))
            k_store(dt, to, v_load(rows + c * pitch + lane));
}

/* Many channels: cell by cell. Rows that are too long for the outlet, and tiles of channels, go in
 * pieces of one cell. */
K_TEMPLATE
void put_wide(enum k_dtype dt, struct max_grad *g, char *to, bool pieces)
{
    const struct max_plan *plan = &g->plan;
    const int channels = g->lanes.channels;
    const int64_t step = plan->channels * k_size(dt), bytes = channels * k_size(dt);
    const bool whole = channels == plan->channels;
    int64_t phase = 0, lane = 0;
    for (int64_t cell = 0; cell < g->cells; cell++, to += step) {
        const int first = g->first_term[phase];
        const int count = g->first_term[phase + 1] - first;
        char *at = to;
        if (!whole) outlet_begin(&g->outlet, to, bytes, g->pool->stream_output);
        if (pieces) at = outlet_room(&g->outlet, 1, bytes);
        put_run(dt, g->terms + first, count, lane, channels, at);
        if (pieces) outlet_took(&g->outlet, 1, bytes);
        if (!whole) outlet_end(&g->outlet);
        if (++phase == plan->width.stride) phase = 0, lane += channels;
    }
}

/* The row of cells at `to` in the tensor. */
K_TEMPLATE
void put_row_of(enum k_dtype dt, struct max_grad *g, char *to)
{
    const struct max_plan *plan = &g->plan;
    const int64_t stride = plan->width.stride, channels = g->lanes.channels;
    const int64_t windows = (g->cells + stride - 1) / stride;
    const int64_t bytes = g->cells * channels * k_size(dt);
    const bool whole = channels == plan->channels;
    const int64_t room = bytes + stride * K_VECTOR_BYTES; /* whole vectors of all phases */
    const bool begins = whole && !g->contiguous;
    if (begins) outlet_begin(&g->outlet, to, bytes, g->pool->stream_output);
    if (!whole || room > OUTLET_ROOM) {
        put_wide(dt, g, to, true);
        if (begins) outlet_end(&g->outlet);
        return;
    }
    char *row = outlet_room(&g->outlet, 1, room);
    if (stride == 1)
        put_run(dt, g->terms, g->first_term[1], 0, g->cells * channels, row);
    else if (channels >= VL)
        put_wide(dt, g, row, false);
    else if (channels > 1)
        put_narrow(dt, g, windows, row);
    else if (stride == 2)
        put_pairs(dt, g, g->first_term, 0, windows, row);
    else
        put_phases(dt, g, g->first_term, 0, windows, row);
    outlet_took(&g->outlet, 1, bytes);
    if (begins) outlet_end(&g->outlet);
}

#endif
