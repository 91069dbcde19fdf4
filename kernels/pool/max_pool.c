/* SPDX-License-Identifier: Apache-2.0 */
/* y[o] = the largest tap of window o, indices[o] = its cell in the plane.
 *
 * Many channels: window by window, along the channels (kernels/pool/max_deep.h). One channel: along
 * rows of cells, then along the height (kernels/pool/max_rows.h); windows of two cells that do not
 * overlap along the width straight from the cells (kernels/pool/max_apart.h), of short rows those
 * of several rows in one vector (kernels/pool/max_shared.h). Else, and for rows with a NaN, row by
 * row of windows: the rows of cells under it are split by phases in L1 (kernels/pool/argmax.h) and
 * compared tap by tap, in row-major order, with the best so far; lanes are windows times channels.
 */
#include <assert.h>

#include "kernels/pool/argmax.h"
#include "kernels/pool/max_apart.h"
#include "kernels/pool/max_deep.h"
#include "kernels/pool/max_rows.h"
#include "kernels/pool/max_shared.h"
#include "kernels/pool/max_short.h"
#include "kernels/vector/instance.h"
#include "kernels/vector/outlet.h"

enum {
    SHORT_READ = 256, /* bytes of cells for a row of windows: of longer ones few at once */
    FEW_ROWS = 6,
    MORE_ROWS = 14,
    MOST_ROWS = 32,               /* where nothing is streamed */
    DIRECT_ROOM = 4 * OUTLET_ROOM /* bytes of results at once where they belong, at most */
};

struct forward {
    const struct k_max_pool *pool;
    struct max_plan plan;
    bool apart;               /* rows of windows straight from the cells, */
    struct max_shared shared; /* several in a vector */
    const char *x;
    char *y, *indices;
    int64_t index_size;
    struct k_argmax argmax;
    struct k_lanes lanes;
    struct max_rows rows;
    struct max_list list;
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
        const vi place = v_load_i(code + i) + v_load_i(base + i) + row;
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

/* ---- tiles of any shape ---- */

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

/* ---- one channel ---- */

/* Row (od, oh) of windows, tap by tap. */
K_TEMPLATE
void exact_row(enum k_dtype dt, struct forward *f, int64_t outer, int64_t od, int64_t oh,
               char *values, char *places)
{
    const int64_t out = f->plan.width.out;
    argmax_row(dt, &f->argmax, &f->lanes, outer, od, oh);
    put_values(dt, values, (const float *)(const void *)f->best, out);
    if (places)
        put_places(f->pool->index == K_INDEX_I64, places, (const int32_t *)(const void *)f->code,
                   f->lanes.base, (int32_t)row_base(&f->plan, od, oh), out);
}

static __attribute__((noinline)) void exact_row_f32(struct forward *f, int64_t outer, int64_t od,
                                                    int64_t oh, char *values, char *places)
{
    exact_row(K_F32, f, outer, od, oh, values, places);
}

static __attribute__((noinline)) void exact_row_f16(struct forward *f, int64_t outer, int64_t od,
                                                    int64_t oh, char *values, char *places)
{
    exact_row(K_F16, f, outer, od, oh, values, places);
}

static __attribute__((noinline)) void exact_row_bf16(struct forward *f, int64_t outer, int64_t od,
                                                     int64_t oh, char *values, char *places)
{
    exact_row(K_BF16, f, outer, od, oh, values, places);
}

K_TEMPLATE
void exact_rows(enum k_dtype dt, struct forward *f, int64_t item, int64_t rows,
                struct max_rows_out to)
{
    const struct max_plan *plan = &f->plan;
    forward_tile(f, 0);
    for (int64_t r = 0; r < rows; r++) {
        const int64_t oh = (item + r) % plan->height.out;
        const int64_t above = (item + r) / plan->height.out;
        const int64_t od = above % plan->depth.out, outer = above / plan->depth.out;
        if (dt == K_F32) exact_row_f32(f, outer, od, oh, to.values, to.places);
        if (dt == K_F16) exact_row_f16(f, outer, od, oh, to.values, to.places);
        if (dt == K_BF16) exact_row_bf16(f, outer, od, oh, to.values, to.places);
        to.values += to.pitch;
        if (to.places) to.places += to.place_pitch;
    }
}

/* Rows of windows from row `item` of all on; false if they are not to be trusted. */
K_TEMPLATE
bool fast_rows(enum k_dtype dt, bool codes, bool wide, struct forward *f, int64_t item,
               int64_t count, struct max_rows_out to)
{
    const struct max_plan *plan = &f->plan;
    if (f->apart) return apart_block(dt, codes, wide, plan, f->x, f->argmax.end, item, count, to);
    bool good = true;
    for (int64_t run; count > 0; count -= run, item += run) {
        const int64_t oh = item % plan->height.out, above = item / plan->height.out;
        const int64_t od = above % plan->depth.out, outer = above / plan->depth.out;
        run = max_least(count, plan->height.out - oh);
        good &= rows_run(dt, codes, wide, &f->rows, outer, od, oh, run, &to);
    }
    return good;
}

K_TEMPLATE
bool forward_block(enum k_dtype dt, struct forward *f, int64_t item, int64_t count,
                   struct max_rows_out to)
{
    const bool wide = f->pool->index == K_INDEX_I64;
    assert(f->pool->index == K_INDEX_NONE || to.places != NULL);
    if (f->pool->index == K_INDEX_NONE) return fast_rows(dt, false, false, f, item, count, to);
    return fast_rows(dt, true, wide, f, item, count, to);
}

/* Rows [item, end) of all windows. */
K_TEMPLATE
void forward_rows(enum k_dtype dt, struct forward *f, int64_t item, int64_t end)
{
    const struct max_plan *plan = &f->plan;
    const int64_t bytes = plan->width.out * k_size(dt);
    const int64_t index_bytes = plan->width.out * f->index_size;
    const int64_t line = max_most(bytes, index_bytes) + LINE_BYTES;
    const bool joined = !f->apart && (f->rows.folds || (f->rows.flat && plan->height.stride == 1));
    /* Reads and streaming stores in turns, of some KiB each. */
    const int64_t read = plan->height.stride * plan->width.in * k_size(dt);
    const int64_t in_turns = read > SHORT_READ ? FEW_ROWS : MORE_ROWS;
    const int64_t apart = f->pool->stream_output ? in_turns : MOST_ROWS;
    const int64_t wanted = joined ? OUTLET_ROOM : apart;
    int64_t most = max_most(max_least(OUTLET_ROOM / line, wanted), 1);
    if (most > plan->height.out) most -= most % plan->height.out; /* whole planes */
    for (int64_t rows; item < end; item += rows) {
        rows = max_least(most, end - item);
        struct max_rows_out to = {outlet_room(&f->values, rows, bytes), NULL,
                                  joined ? bytes : outlet_pitch(&f->values, bytes), 0};
        if (f->indices) {
            to.places = outlet_room(&f->places, rows, index_bytes);
            to.place_pitch = joined ? index_bytes : outlet_pitch(&f->places, index_bytes);
        }
        const bool good = forward_block(dt, f, item, rows, to);
        if (!good) exact_rows(dt, f, item, rows, to);
        const int64_t times = joined ? 1 : rows, each = rows / times;
        outlet_took(&f->values, times, each * bytes);
        if (f->indices) outlet_took(&f->places, times, each * index_bytes);
    }
}

/* ---- one channel, short rows ---- */

/* Rows of so many bytes that can be written where they belong. */
static inline int64_t direct_rows(const struct k_outlet *outlet, int64_t bytes)
{
    if (outlet->stream) return 0;
    return max_least(outlet->end - outlet->vectors.to - OUTLET_SLACK, DIRECT_ROOM) / bytes;
}

/* The same where rows share vectors. */
K_TEMPLATE
void forward_shared(enum k_dtype dt, enum k_index index, struct forward *f, int64_t item,
                    int64_t end)
{
    const struct max_plan *plan = &f->plan;
    const int64_t bytes = plan->width.out * k_size(dt);
    const int64_t index_bytes = plan->width.out * f->index_size;
    const int64_t few = OUTLET_ROOM / (max_most(bytes, index_bytes) + LINE_BYTES);
    const bool codes = index != K_INDEX_NONE;
    for (int64_t rows; item < end; item += rows) {
        int64_t direct = direct_rows(&f->values, bytes);
        if (codes) direct = max_least(direct, direct_rows(&f->places, index_bytes));
        rows = max_most(few, direct);
        if (rows > plan->height.out) rows -= rows % plan->height.out; /* whole planes */
        rows = max_least(rows, end - item);
        struct max_rows_out to = {outlet_room(&f->values, rows, bytes), NULL, bytes, index_bytes};
        if (codes) to.places = outlet_room(&f->places, rows, index_bytes);
        if (!shared_block(dt, index, &f->shared, plan, f->x, f->argmax.end, item, rows, to))
            exact_rows(dt, f, item, rows, to);
        outlet_took(&f->values, 1, rows * bytes);
        if (codes) outlet_took(&f->places, 1, rows * index_bytes);
    }
}

K_TEMPLATE
void forward_shared_any(enum k_dtype dt, struct forward *f, int64_t item, int64_t end)
{
    const enum k_index index = f->pool->index;
    if (index == K_INDEX_NONE) forward_shared(dt, K_INDEX_NONE, f, item, end);
    if (index == K_INDEX_I32) forward_shared(dt, K_INDEX_I32, f, item, end);
    if (index == K_INDEX_I64) forward_shared(dt, K_INDEX_I64, f, item, end);
}

static __attribute__((noinline)) void forward_shared_f32(struct forward *f, int64_t item,
                                                         int64_t end)
{
    forward_shared_any(K_F32, f, item, end);
}

static __attribute__((noinline)) void forward_shared_f16(struct forward *f, int64_t item,
                                                         int64_t end)
{
    forward_shared_any(K_F16, f, item, end);
}

static __attribute__((noinline)) void forward_shared_bf16(struct forward *f, int64_t item,
                                                          int64_t end)
{
    forward_shared_any(K_BF16, f, item, end);
}

/* ---- many channels ---- */

/* One window by way of images. */
K_TEMPLATE
void forward_pieces(enum k_dtype dt, bool codes, struct forward *f, const struct max_taps *taps)
{
    enum { PIECE = OUTLET_ROOM / 8 - VL };
    const int64_t channels = f->plan.channels, size = f->index_size;
    for (int64_t first = 0, end; first < channels; first = end) {
        end = channels - first < PIECE + VL ? channels : first + PIECE - VL;
        const int64_t piece = end - first;
        struct max_results to = {outlet_room(&f->values, 1, piece * k_size(dt)), NULL,
                                 f->pool->index, false};
        if (codes) to.places = outlet_room(&f->places, 1, piece * size);
        deep_window(dt, codes ? DEEP_PLACES : DEEP_VALUES, taps, &f->list, &to, first, end);
        outlet_took(&f->values, 1, piece * k_size(dt));
        if (codes) outlet_took(&f->places, 1, piece * size);
    }
}

/* The same as forward_windows of few channels; false if there may be a NaN, or other windows. */
K_TEMPLATE
bool short_windows(enum k_dtype dt, bool codes, const struct forward *f,
                   const struct max_taps *taps, const struct max_results *to, int64_t windows,
                   int64_t step, int64_t below)
{
    const int64_t stride = f->plan.width.stride;
    bool part;
    if (!deep_is_short(dt, &f->list, f->plan.channels, &part)) return false;
    const bool wide = f->pool->index == K_INDEX_I64;
    if (part && wide)
        return deep_short(dt, codes, true, true, taps, &f->list, to, windows, step, stride, below);
    if (part)
        return deep_short(dt, codes, false, true, taps, &f->list, to, windows, step, stride, below);
    if (wide)
        return deep_short(dt, codes, true, false, taps, &f->list, to, windows, step, stride, below);
    return deep_short(dt, codes, false, false, taps, &f->list, to, windows, step, stride, below);
}

/* `windows` windows that have as many taps each, from the one of `taps` on, where their results
 * belong. */
K_TEMPLATE
void forward_windows(enum k_dtype dt, bool codes, struct forward *f, struct max_taps *taps,
                     int64_t windows)
{
    const int64_t channels = f->plan.channels, stride = f->plan.width.stride;
    const int64_t below = (f->plan.height.stride - 1) * f->plan.width.in * channels * k_size(dt);
    struct max_results to = {f->values.vectors.to, codes ? f->places.vectors.to : NULL,
                             f->pool->index, f->values.stream};
    const int64_t step = stride * channels * k_size(dt);
    if (short_windows(dt, codes, f, taps, &to, windows, step, below)) {
        f->values.vectors.to = to.values + windows * channels * k_size(dt);
        if (codes) f->places.vectors.to = to.places + windows * channels * f->index_size;
        taps->at += windows * step;
        taps->place += (int32_t)(windows * stride);
        return;
    }
    for (int64_t w = 0; w < windows; w++) {
        /* Behind the end of a row it is what the next row of windows begins with. */
        taps->beyond = (windows - w) * step > FAR_BYTES ? 0 : below;
        deep_window(dt, codes ? DEEP_PLACES : DEEP_VALUES, taps, &f->list, &to, 0, channels);
        to.values += channels * k_size(dt);
        if (codes) to.places += channels * f->index_size;
        taps->at += step;
        taps->place += (int32_t)stride;
    }
    f->values.vectors.to = to.values;
    if (codes) f->places.vectors.to = to.places;
}

/* Row (od, oh) of windows. */
K_TEMPLATE
void forward_deep(enum k_dtype dt, bool codes, struct forward *f, int64_t outer, int64_t od,
                  int64_t oh)
{
    const struct max_plan *plan = &f->plan;
    const struct max_axis *depth = &plan->depth, *height = &plan->height, *width = &plan->width;
    const int64_t bytes = plan->channels * k_size(dt);
    const int64_t row = height->dilation * width->in, plane = depth->dilation * height->in;
    const bool whole = bytes % K_VECTOR_BYTES == 0 && f->values.vectors.filled == 0 &&
                       (!codes || f->places.vectors.filled == 0);
    const bool straight = !f->values.stream || whole;
    struct max_taps taps = {
        .bytes = {plane * width->in * bytes, row * bytes, width->dilation * bytes},
        .places = {(int32_t)(plane * width->in), (int32_t)row, (int32_t)width->dilation},
        .fresh = height->stride};
    const int64_t d = taps_inside(depth, od, &taps.count[0]);
    const int64_t h = taps_inside(height, oh, &taps.count[1]);
    for (int64_t ow = 0, run; ow < width->out; ow += run) {
        const int64_t w = taps_inside(width, ow, &taps.count[2]);
        const int64_t place = (d * height->in + h) * width->in + w;
        const int64_t cell = outer * depth->in * height->in * width->in + place;
        taps.place = (int32_t)place;
        taps.at = (const char *)((uintptr_t)f->x + (uintptr_t)(cell * bytes));
        list_update(dt, &f->list, &taps);
        run = 1;
        if (straight && taps.count[2] == width->kernel) /* more, until the last tap leaves */
            run = max_least((width->in - w - max_span(width)) / width->stride + 1, width->out - ow);
        if (straight)
            forward_windows(dt, codes, f, &taps, run);
        else
            forward_pieces(dt, codes, f, &taps);
    }
}

static __attribute__((noinline)) void forward_deep_f32(struct forward *f, int64_t outer, int64_t od,
                                                       int64_t oh)
{
    if (f->indices)
        forward_deep(K_F32, true, f, outer, od, oh);
    else
        forward_deep(K_F32, false, f, outer, od, oh);
}

static __attribute__((noinline)) void forward_deep_f16(struct forward *f, int64_t outer, int64_t od,
                                                       int64_t oh)
{
    if (f->indices)
        forward_deep(K_F16, true, f, outer, od, oh);
    else
        forward_deep(K_F16, false, f, outer, od, oh);
}

static __attribute__((noinline)) void forward_deep_bf16(struct forward *f, int64_t outer,
                                                        int64_t od, int64_t oh)
{
    if (f->indices)
        forward_deep(K_BF16, true, f, outer, od, oh);
    else
        forward_deep(K_BF16, false, f, outer, od, oh);
}

/* ---- items ---- */

/* Rows [oh, end) of one column of items. */
K_TEMPLATE
void forward_items(enum k_dtype dt, struct forward *f, int64_t column, int64_t oh, int64_t end)
{
    const struct max_plan *plan = &f->plan;
    const int64_t tiles = plan->tiles.of_channels * plan->tiles.tiles;
    const int64_t od = column / tiles % plan->depth.out, outer = column / tiles / plan->depth.out;
    if (plan->wide) {
        for (; oh < end; oh++) {
            if (dt == K_F32) forward_deep_f32(f, outer, od, oh);
            if (dt == K_F16) forward_deep_f16(f, outer, od, oh);
            if (dt == K_BF16) forward_deep_bf16(f, outer, od, oh);
        }
        return;
    }
    forward_tile(f, column % tiles);
    forward_column(dt, f, outer, od, oh, end, tiles == 1);
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
    f.x = buf[K_MAX_POOL_X];
    f.y = buf[K_MAX_POOL_Y];
    f.indices = pool->index == K_INDEX_NONE ? NULL : buf[K_MAX_POOL_INDICES];
    f.index_size = pool->index == K_INDEX_I64 ? 8 : 4;
    const int64_t cells =
        plan->outer * plan->depth.in * plan->height.in * plan->width.in * plan->channels;
    f.argmax.plan = plan;
    f.argmax.x = f.x;
    f.argmax.end = f.x + cells * k_size(dt);
    f.argmax.codes = f.indices != NULL;
    f.argmax.best = (float *)(void *)f.best;
    f.argmax.code = (int32_t *)(void *)f.code;
    f.lanes.windows = -1;
    memset(f.list.made_for, 0, sizeof f.list.made_for);
    f.list.count = 0;
    const bool by_rows = !plan->wide && max_by_rows(plan);
    f.apart = by_rows && max_is_apart(plan);
    if (f.apart) f.shared = max_shared(dt, plan);
    const bool shares = f.apart && f.shared.rows > 0;
    if (by_rows && !f.apart) rows_begin(&f.rows, plan, f.x, f.argmax.end, f.indices != NULL, true);
    const int64_t row = plan->width.out * plan->channels;
    const bool contiguous = tiles == 1 && slice.begin < slice.end;
    if (contiguous)
        results_begin(&f, slice.begin * row, (slice.end - slice.begin) * row, k_size(dt));
    if (shares && dt == K_F32) forward_shared_f32(&f, slice.begin, slice.end);
    if (shares && dt == K_F16) forward_shared_f16(&f, slice.begin, slice.end);
    if (shares && dt == K_BF16) forward_shared_bf16(&f, slice.begin, slice.end);
    if (by_rows && !shares) forward_rows(dt, &f, slice.begin, slice.end);
    for (int64_t item = slice.begin; !by_rows && item < slice.end;) {
        const int64_t oh = item % rows;
        const int64_t end = max_least(rows, oh + slice.end - item);
        forward_items(dt, &f, item / rows, oh, end);
        item += end - oh;
    }
    if (contiguous) results_end(&f);
    if (pool->stream_output) k_stream_end();
}

K_FLOATS(max_pool, struct k_max_pool)
