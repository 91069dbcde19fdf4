/* SPDX-License-Identifier: Apache-2.0 */
/* y[o] = the largest tap of window o, indices[o] = its cell: any shape. Row by row of windows: the
 * rows of cells under it are split by phases in L1 (argmax.h) and compared tap by tap, in row-major
 * order, with the best so far; lanes are windows times channels. */
#include "kernels/pool/max_forward.h"

/* `count` lanes from `lane` on to their place behind element `at` of the outputs. */
K_TEMPLATE
void put_lanes(enum k_dtype dt, struct forward *f, int64_t at, int64_t lane, int64_t count,
               int32_t row, bool contiguous)
{
    enum { PIECE = OUTLET_ROOM / 8 };
    const bool wide = f->pool->index == K_INDEX_I64;
    const float *best = (const float *)(const void *)f->best + lane;
    const int32_t *code = (const int32_t *)(const void *)f->code + lane;
    if (!contiguous) results_begin(f, at, count, k_size(dt));
    put_values(dt, outlet_room(&f->values, 1, count * k_size(dt)), best, count);
    outlet_took(&f->values, 1, count * k_size(dt));
    for (int64_t i = 0; f->indices && i < count; i += PIECE) {
        const int64_t piece = max_least(PIECE, count - i);
        char *to = outlet_room(&f->places, 1, piece * f->index_size);
        put_places(wide, to, code + i, f->lanes.base + lane + i, row, piece);
        outlet_took(&f->places, 1, piece * f->index_size);
    }
    if (!contiguous) results_end(f);
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

K_TEMPLATE
void max_pool_tiles(enum k_dtype dt, const struct k_max_pool *pool, void *const buf[],
                    struct k_slice slice)
{
    struct forward f;
    forward_begin(dt, &f, pool, buf);
    const struct max_plan *plan = &f.plan;
    const int64_t tiles = plan->tiles.of_channels * plan->tiles.tiles, rows = plan->height.out;
    const bool contiguous = tiles == 1 && forward_out(dt, &f, slice);
    for (int64_t item = slice.begin, end; item < slice.end; item += end) {
        const int64_t oh = item % rows, column = item / rows, above = column / tiles;
        end = max_least(rows - oh, slice.end - item);
        forward_tile(&f, column % tiles);
        forward_column(dt, &f, above / plan->depth.out, above % plan->depth.out, oh, oh + end,
                       contiguous);
    }
    if (contiguous) results_end(&f);
    if (pool->stream_output) k_stream_end();
}

K_FLOATS_VECTOR(max_pool_tiles, struct k_max_pool)
