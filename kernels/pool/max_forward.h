/* SPDX-License-Identifier: Apache-2.0 */
/* What the ways of max_pool share: the state of a slice, and results on their way out. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_FORWARD_H
#define ACLNN_CPU_KERNELS_POOL_MAX_FORWARD_H

#include "kernels/pool/argmax.h"
#include "kernels/vector/instance.h"
#include "kernels/vector/outlet.h"

struct forward {
    const struct k_max_pool *pool;
    struct max_plan plan;
    const char *x;
    char *y, *indices;
    int64_t index_size;
    struct k_argmax argmax;
    struct k_lanes lanes;
    struct k_outlet values, places;
    vf best[(MAX_ROW + MAX_SLACK) / VL];
    vi code[(MAX_ROW + MAX_SLACK) / VL];
};

K_TEMPLATE
void put_values(enum k_dtype dt, char *to, const float *from, int64_t count)
{
    for (int64_t i = 0; i < count; i += VL)
        k_store(dt, to + i * k_size(dt), v_load(from + i));
}

/* Indices of VL lanes at a time; up to VL - 1 are written behind. */
static inline void put_places(bool wide, char *to, const int32_t *code, const int32_t *base,
                              int32_t row, int64_t count)
{
    for (int64_t i = 0; i < count; i += VL) {
        /* Lanes behind the last one hold anything: their sum may not overflow as a signed one. */
        const vu sum = (vu)v_load_i(code + i) + (vu)v_load_i(base + i) + (uint32_t)row;
        const vi place = (vi)sum;
        if (wide)
            put_place(true, to + i * 8, place, false);
        else
            put_place(false, to + i * 4, place, false);
    }
}

static inline void results_begin(struct forward *f, int64_t at, int64_t count, int64_t size)
{
    const bool stream = f->pool->stream_output;
    outlet_begin(&f->values, f->y + at * size, count * size, stream);
    if (f->indices)
        outlet_begin(&f->places, f->indices + at * f->index_size, count * f->index_size, stream);
}

static inline void results_end(struct forward *f)
{
    outlet_end(&f->values);
    if (f->indices) outlet_end(&f->places);
}

static inline void forward_tile(struct forward *f, int64_t tile)
{
    const struct max_tiles *tiles = &f->plan.tiles;
    struct k_lanes *lanes = &f->lanes;
    const int64_t first = tile % tiles->tiles * tiles->tile;
    const int64_t channel = tile / tiles->tiles * tiles->channels;
    const int channels = (int)max_least(tiles->channels, f->plan.channels - channel);
    const int64_t windows = max_least(tiles->tile, f->plan.width.out - first);
    if (lanes->first == first && lanes->channel == channel && lanes->windows == windows) return;
    lanes->first = first;
    lanes->windows = windows;
    lanes->channel = channel;
    lanes->channels = channels;
    lanes_begin(lanes, &f->plan.width);
}

/* ---- begin and end of a slice ---- */

K_TEMPLATE
void forward_begin(enum k_dtype dt, struct forward *f, const struct k_max_pool *pool,
                   void *const buf[])
{
    f->pool = pool;
    f->plan = pool->plan;
    const struct max_plan *plan = &f->plan;
    f->x = buf[K_MAX_POOL_X];
    f->y = buf[K_MAX_POOL_Y];
    f->indices = pool->index == K_INDEX_NONE ? NULL : buf[K_MAX_POOL_INDICES];
    f->index_size = pool->index == K_INDEX_I64 ? 8 : 4;
    const int64_t cells =
        plan->outer * plan->depth.in * plan->height.in * plan->width.in * plan->channels;
    f->argmax.plan = plan;
    f->argmax.x = f->x;
    f->argmax.end = f->x + cells * k_size(dt);
    f->argmax.codes = f->indices != NULL;
    f->argmax.best = (float *)(void *)f->best;
    f->argmax.code = (int32_t *)(void *)f->code;
    f->lanes.windows = -1;
}

/* The results of a slice follow each other: true where there are any. */
K_TEMPLATE
bool forward_out(enum k_dtype dt, struct forward *f, struct k_slice slice)
{
    const int64_t row = f->plan.width.out * f->plan.channels;
    if (slice.begin >= slice.end) return false;
    results_begin(f, slice.begin * row, (slice.end - slice.begin) * row, k_size(dt));
    return true;
}

static inline void forward_end(struct forward *f)
{
    results_end(f);
    if (f->pool->stream_output) k_stream_end();
}

#endif
