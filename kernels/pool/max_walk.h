/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of max pooling: the walk over a slice's rows of cells, in blocks, along channels or row
 * by row (kernels/pool/max_grad.h tells what GRAD_FINDS is). */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_WALK_H
#define ACLNN_CPU_KERNELS_POOL_MAX_WALK_H

#include "kernels/pool/max_block.h"
#include "kernels/pool/max_channels.h"
#include "kernels/pool/max_grad.h"
#include "kernels/pool/max_grad_cells.h"
#include "kernels/pool/max_grad_flat.h"
#include "kernels/pool/max_grad_twos.h"
#include "kernels/pool/max_grad_volumes.h"
#include "kernels/pool/max_scatter.h"

static __attribute__((noinline)) void take_f32(struct max_grad *g, int64_t od, int64_t oh,
                                               int64_t begin, int64_t end, int32_t *code)
{
    take_row(K_F32, g, od, oh, begin, end, code);
}

static __attribute__((noinline)) void take_f16(struct max_grad *g, int64_t od, int64_t oh,
                                               int64_t begin, int64_t end, int32_t *code)
{
    take_row(K_F16, g, od, oh, begin, end, code);
}

static __attribute__((noinline)) void take_bf16(struct max_grad *g, int64_t od, int64_t oh,
                                                int64_t begin, int64_t end, int32_t *code)
{
    take_row(K_BF16, g, od, oh, begin, end, code);
}

/* Row oh of windows at every depth over the column. */
K_TEMPLATE
void make_rows(enum k_dtype dt, struct max_grad *g, struct k_lanes *real, int64_t oh)
{
    const struct max_plan *plan = &g->plan;
    const struct k_lanes *lanes = &g->lanes;
    const int64_t begin = max_least(max_most(lanes->first, 0), plan->width.out);
    const int64_t last = max_least(lanes->first + lanes->windows, plan->width.out);
    const int64_t end = max_most(last, begin);
    for (int k = 0; k < g->depths; k++) {
        int32_t *code = ring_row(g, k, oh);
        const int64_t front = max_most(begin - lanes->first, 0) * lanes->channels;
        no_codes(code, code + front);
        if (end > begin) {
            if (GRAD_FINDS) {
                g->argmax->code = code + front;
                argmax_row(dt, g->argmax, real, g->outer, g->depth[k], oh);
            }
            if (dt == K_F32) take_f32(g, g->depth[k], oh, begin, end, code);
            if (dt == K_F16) take_f16(g, g->depth[k], oh, begin, end, code);
            if (dt == K_BF16) take_bf16(g, g->depth[k], oh, begin, end, code);
        }
        no_codes(code + front + (end - begin) * lanes->channels,
                 code + lanes->windows * lanes->channels);
    }
}

static __attribute__((noinline)) void put_f32(struct max_grad *g, char *to)
{
    put_row_of(K_F32, g, to);
}

static __attribute__((noinline)) void put_f16(struct max_grad *g, char *to)
{
    put_row_of(K_F16, g, to);
}

static __attribute__((noinline)) void put_bf16(struct max_grad *g, char *to)
{
    put_row_of(K_BF16, g, to);
}

/* Rows [h, end) of a column; false, and rows missing, if a stray index is found and not to be
 * ignored. */
K_TEMPLATE
bool walk(enum k_dtype dt, struct max_grad *g, struct k_lanes *real, int64_t d, int64_t h,
          int64_t end, bool ignore)
{
    const struct max_plan *plan = &g->plan;
    for (; h < end; h++) {
        const int64_t needed =
            max_least(h / plan->height.stride + plan->height.high, plan->height.out - 1);
        for (; g->made <= needed; g->made++)
            make_rows(dt, g, real, g->made);
        if (g->stray && !ignore) return false;
        grad_terms(g, h);
        const int64_t row = (g->outer * plan->depth.in + d) * plan->height.in + h;
        char *to =
            g->dx + ((row * plan->width.in + g->first_cell) * plan->channels + g->lanes.channel) *
                        k_size(dt);
        if (dt == K_F32) put_f32(g, to);
        if (dt == K_F16) put_f16(g, to);
        if (dt == K_BF16) put_bf16(g, to);
    }
    return true;
}

/* The windows of the tile that exist, for argmax_row. */
static inline void real_lanes(const struct max_grad *g, struct k_lanes *real)
{
    const struct k_lanes *lanes = &g->lanes;
    const int64_t first = max_least(max_most(lanes->first, 0), g->plan.width.out);
    const int64_t last = max_least(lanes->first + lanes->windows, g->plan.width.out);
    const int64_t windows = max_most(last - first, 0);
    if (real->first == first && real->windows == windows && real->channel == lanes->channel) return;
    real->first = first;
    real->windows = windows;
    real->channel = lanes->channel;
    real->channels = lanes->channels;
    lanes_begin(real, &g->plan.width);
}

static inline void outlet_at(struct max_grad *g, int64_t item, int64_t end, int64_t row_bytes)
{
    if (g->contiguous && item < end)
        outlet_begin(&g->outlet, g->dx + item * row_bytes, (end - item) * row_bytes,
                     g->pool->stream_output);
}

/* Small planes, several at a time; items are planes. Returns as walk_items. */
K_TEMPLATE
bool walk_planes(enum k_dtype dt, struct max_grad *g, struct k_lanes *real,
                 const struct k_scatter *scatter, struct k_slice slice)
{
    const struct max_plan *plan = &g->plan;
    const int64_t rows = plan->height.in;
    const int64_t bytes = rows * plan->width.in * k_size(dt);
    bool unsettled = false;
    if (GRAD_FINDS) real_lanes(g, real);
    grad_column(g, slice.begin, 0, 0);
    outlet_at(g, slice.begin, slice.end, bytes);
    for (int64_t outer = slice.begin, planes; outer < slice.end; outer += planes) {
        planes = max_least(plan->planes, slice.end - outer);
        if (!block_is_direct(g, outer, 0, planes * plan->groups)) {
            take_planes(dt, g, real, outer, planes);
            block_in_ring(g);
        }
        if (!g->stray) block_cells(dt, g, planes, 0, 0, plan->groups);
        if (!g->stray) {
            block_out(dt, g, planes, plan->groups, 0, rows);
            continue;
        }
        outlet_end(&g->outlet);
        k_stream_end();
        for (int64_t plane = outer; plane < outer + planes; plane++)
            unsettled |= scatter_outer(dt, scatter, plane);
        g->stray = false;
        outlet_at(g, outer + planes, slice.end, bytes);
    }
    if (slice.begin < slice.end) outlet_end(&g->outlet);
    return unsettled;
}

/* Items of the slice; returns whether an outer that the slice holds in part has stray indices, or
 * an index lies in another outer. */
K_TEMPLATE
bool walk_items(enum k_dtype dt, struct max_grad *g, struct k_lanes *real,
                const struct k_scatter *scatter, struct k_slice slice)
{
    const struct max_plan *plan = &g->plan;
    const int64_t tiles = plan->tiles.of_channels * plan->tiles.tiles, rows = plan->height.in;
    const int64_t per_outer = plan->depth.in * tiles * rows;
    const int64_t row_bytes = plan->width.in * plan->channels * k_size(dt);
    bool unsettled = false;
    if (plan->volumes) return walk_volumes(dt, g, scatter, slice);
    if (walks_flat(g)) return walk_flat(dt, g, scatter, slice);
    if (walks_twos(g)) return walk_twos(dt, g, scatter, slice);
    if (plan->block > 0) block_begin(g);
    if (plan->wide) channels_begin(g);
    if (plan->planes > 1) return walk_planes(dt, g, real, scatter, slice);
    outlet_at(g, slice.begin, slice.end, row_bytes);
    for (int64_t item = slice.begin; item < slice.end;) {
        const int64_t h = item % rows, column = item / rows, outer = item / per_outer;
        const int64_t end = max_least(rows, h + slice.end - item);
        const bool whole = outer * per_outer >= slice.begin && (outer + 1) * per_outer <= slice.end;
        const int64_t d = column / tiles % plan->depth.in;
        if (plan->block == 0 && !plan->wide) grad_tile(g, column % tiles);
        if (GRAD_FINDS && !plan->wide) real_lanes(g, real);
        grad_column(g, outer, d, h);
        const bool done = plan->block > 0 ? walk_blocks(dt, g, real, d, h, end, !whole)
                          : plan->wide    ? walk_channels(dt, g, d, h, end, !whole)
                                          : walk(dt, g, real, d, h, end, !whole);
        if (done) {
            if (g->stray) {
                unsettled = true;
                scatter_add(dt, scatter, outer, 0, 0, 0, plan->channels, NULL); /* notes faults */
            }
            g->stray = false;
            item += end - h;
            continue;
        }
        if (g->contiguous) outlet_end(&g->outlet);
        k_stream_end();
        unsettled |= scatter_outer(dt, scatter, outer);
        g->stray = false;
        item = (outer + 1) * per_outer;
        outlet_at(g, item, slice.end, row_bytes);
    }
    if (g->contiguous && slice.begin < slice.end) outlet_end(&g->outlet);
    return unsettled;
}

#endif
