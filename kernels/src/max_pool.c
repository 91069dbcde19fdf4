/* SPDX-License-Identifier: Apache-2.0 */
/* y[o] = the largest tap of window o, indices[o] = its cell in the plane.
 *
 * Row by row of windows: the rows of cells under it are split by phases in L1 (kernels/simd/
 * argmax.h) and compared tap by tap, in row-major order, with the best so far; lanes are windows
 * times channels, so both layouts run the same loops. */
#include "kernels/simd/argmax.h"
#include "kernels/simd/instance.h"
#include "kernels/simd/sink.h"

struct forward {
    const struct k_max_pool *pool;
    struct max_plan plan;
    char *y, *indices;
    struct k_argmax argmax;
    struct k_lanes lanes;
    struct k_sink values, places;
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
        const vi place = v_load_i(code + i) + v_load_i(base + i) + row;
        if (!wide) {
            memcpy(to + i * 4, &place, sizeof place);
            continue;
        }
        const vf zero = {0}; /* a place is never negative: its upper half */
        k_put(to + i * 8, v_zip(0, (vf)place, zero));
        k_put(to + i * 8 + K_VECTOR_BYTES, v_zip(1, (vf)place, zero));
    }
}

/* `count` lanes from `lane` on to their place behind element `at` of the outputs. */
K_TEMPLATE
void put_lanes(enum k_dtype dt, struct forward *f, int64_t at, int64_t lane, int64_t count,
               int32_t row, bool contiguous)
{
    enum { PIECE = SINK_ROOM / 8 };
    const bool wide = f->pool->index == K_INDEX_I64;
    const int size = wide ? 8 : 4;
    const float *best = (const float *)(const void *)f->best + lane;
    const int32_t *code = (const int32_t *)(const void *)f->code + lane;
    const bool stream = f->pool->stream_output;
    if (!contiguous) sink_begin(&f->values, f->y + at * k_size(dt), count * k_size(dt), stream);
    char *to = sink_room(&f->values, count * k_size(dt), false);
    put_values(dt, to, best, count);
    sink_took(&f->values, count * k_size(dt));
    if (!contiguous) sink_end(&f->values);
    if (f->pool->index == K_INDEX_NONE) return;
    if (!contiguous) sink_begin(&f->places, f->indices + at * size, count * size, stream);
    for (int64_t i = 0; i < count; i += PIECE) {
        const int64_t piece = max_least(PIECE, count - i);
        to = sink_room(&f->places, piece * size, false);
        put_places(wide, to, code + i, f->lanes.base + lane + i, row, piece);
        sink_took(&f->places, piece * size);
    }
    if (!contiguous) sink_end(&f->places);
}

/* Tile `tile` of rows [oh, end) of the windows (outer, od). */
K_TEMPLATE
void forward_column(enum k_dtype dt, struct forward *f, int64_t outer, int64_t od, int64_t oh,
                    int64_t end, bool contiguous)
{
    const struct max_plan *plan = &f->plan;
    const struct k_lanes *lanes = &f->lanes;
    for (; oh < end; oh++) {
        argmax_row(dt, &f->argmax, lanes, outer, od, oh);
        const int64_t row = (outer * plan->depth.out + od) * plan->height.out + oh;
        const int64_t at = (row * plan->width.out + lanes->first) * plan->channels + lanes->channel;
        const int32_t base = (int32_t)row_base(plan, od, oh);
        if (lanes->channels == plan->channels) {
            put_lanes(dt, f, at, 0, lanes->windows * lanes->channels, base, contiguous);
            continue;
        }
        for (int64_t w = 0; w < lanes->windows; w++)
            put_lanes(dt, f, at + w * plan->channels, w * lanes->channels, lanes->channels, base,
                      false);
    }
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

K_TEMPLATE
void max_pool(enum k_dtype dt, const struct k_max_pool *pool, void *const buf[],
              struct k_slice slice)
{
    struct forward f;
    f.pool = pool;
    f.plan = max_plan(pool);
    const struct max_plan *plan = &f.plan;
    const int64_t tiles = plan->tiles.of_channels * plan->tiles.tiles, rows = plan->height.out;
    f.y = buf[K_MAX_POOL_Y];
    f.indices = pool->index == K_INDEX_NONE ? NULL : buf[K_MAX_POOL_INDICES];
    f.argmax.plan = plan;
    f.argmax.x = buf[K_MAX_POOL_X];
    const int64_t cells =
        plan->outer * plan->depth.in * plan->height.in * plan->width.in * plan->channels;
    f.argmax.end = f.argmax.x + cells * k_size(dt);
    f.argmax.codes = pool->index != K_INDEX_NONE;
    f.argmax.best = (float *)(void *)f.best;
    f.argmax.code = (int32_t *)(void *)f.code;
    f.lanes.windows = -1;
    const int64_t row = plan->width.out * plan->channels;
    const int64_t size = pool->index == K_INDEX_I64 ? 8 : 4;
    if (tiles == 1 && slice.begin < slice.end) {
        const int64_t count = (slice.end - slice.begin) * row, at = slice.begin * row;
        sink_begin(&f.values, f.y + at * k_size(dt), count * k_size(dt), pool->stream_output);
        if (f.indices)
            sink_begin(&f.places, f.indices + at * size, count * size, pool->stream_output);
    }
    for (int64_t item = slice.begin; item < slice.end;) {
        const int64_t oh = item % rows, column = item / rows;
        const int64_t end = max_least(rows, oh + slice.end - item);
        const int64_t od = column / tiles % plan->depth.out;
        forward_tile(&f, column % tiles);
        forward_column(dt, &f, column / tiles / plan->depth.out, od, oh, end, tiles == 1);
        item += end - oh;
    }
    if (tiles == 1 && slice.begin < slice.end) {
        sink_end(&f.values);
        if (f.indices) sink_end(&f.places);
    }
    if (pool->stream_output) k_stream_end();
}

K_FLOATS(max_pool, struct k_max_pool)
