/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of max pooling, channels innermost and many, windows apart: window by window, whose
 * cells no other one lies over. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_CHANNELS_APART_H
#define ACLNN_CPU_KERNELS_POOL_MAX_CHANNELS_APART_H

#include "kernels/pool/max_channel_places.h"

/* Windows whose cells are `rows` x `stride`: the rows lie `line` bytes apart. */
struct channels_apart {
    int rows, stride;
    int64_t bytes, line; /* of a cell, of a row of cells */
    int32_t cells, taps; /* of a row of cells, of a window's row */
    bool look, stream;
};

/* `vectors` vectors of channels of a window's cells. Returns lanes that are not 0 where the index
 * is none of them. */
K_TEMPLATE
vi put_window(enum k_dtype dt, enum channel_kind kind, const struct channels_apart *apart,
              const struct channel_row *row, const struct channel_cell *cell, int64_t channel,
              int vectors, char *to)
{
    const bool whole = vectors == LINE_PARTS(dt), words = dt != K_F32;
    const char *value = row->value + channel * k_size(dt);
    vi places[2] = {{0}, v_all_i(1)}, meant[2] = {{0}}, high = {0};
    vu stray[2] = {(vu)v_all_i(-1), (vu)v_all_i(-1)};
    vf single = {0};
    vw pairs = {0};
    vh halves;
    if (!words) {
        single = v_held(k_load(dt, value));
    } else if (whole) {
        pairs = words_load(dt, value);
    } else {
        memcpy(&halves, value, sizeof halves);
        pairs = words_added(dt, words_wide(halves));
    }
#pragma GCC unroll 2
    for (int v = 0; v < vectors; v++) {
        const char *from = row->place + (channel + v * VL) * place_size(kind);
        places[v] = kind == CHANNEL_TAPS
                        ? load_places(kind, from)
                        : k_load_indices(place_size(kind) == 8, from, VL, from, &high);
    }
    for (int r = 0; r < apart->rows; r++)
        for (int c = 0; c < apart->stride; c++) {
            char *put = to + r * apart->line + c * apart->bytes + channel * k_size(dt);
#pragma GCC unroll 2
            for (int v = 0; v < vectors; v++) {
                meant[v] = kind == CHANNEL_TAPS
                               ? v_all_i(row->tap + r * apart->taps + c)
                               : channel_places(kind, cell, r * apart->cells + c, channel + v * VL);
                if (apart->look) stray[v] = v_least_u(stray[v], (vu)places[v] - (vu)meant[v]);
            }
            const vf sum = words ? words_where_same(places, meant, pairs)
                                 : v_add_where_same((vf){0}, places[0], meant[0], single);
            if (whole) {
                k_write(put, sum, apart->stream);
                continue;
            }
            halves = words_first((vw)sum);
            memcpy(put, &halves, sizeof halves);
        }
    return (vi)(vectors > 1 ? stray[0] | stray[1] : stray[0]) | high;
}

/* The cells of `windows` windows from the row's first one on. */
K_TEMPLATE
void put_windows(enum k_dtype dt, enum channel_kind kind, struct max_grad *g,
                 struct channel_row row, struct channel_cell cell,
                 const struct channels_apart *apart, int64_t windows, char *to)
{
    const int unit = LINE_PARTS(dt);
    const int64_t channels = g->plan.channels;
    vi stray = {0};
    for (int64_t w = 0; w < windows; w++) {
        int64_t channel = 0;
        for (; channel + unit * VL <= channels; channel += unit * VL)
            stray |= put_window(dt, kind, apart, &row, &cell, channel, unit, to);
        for (; channel < channels; channel += VL) /* the last ones maybe again */
            stray |=
                put_window(dt, kind, apart, &row, &cell, max_least(channel, channels - VL), 1, to);
        row.place += channels * place_size(kind);
        row.value += channels * k_size(dt);
        cell.place += apart->stride * cell.unit;
        to += apart->stride * apart->bytes;
    }
    if (apart->look && v_any(stray)) g->stray = true;
}

/* The same, in so many rows of cells. More than one are all that the windows lie over: then their
 * indices are looked at. */
K_TEMPLATE
void put_apart(enum k_dtype dt, enum channel_kind kind, struct max_grad *g,
               const struct channel_row *row, const struct channel_cell *cell, int64_t rows,
               int64_t windows, char *to)
{
    const struct max_axis *width = &g->plan.width;
    const int64_t bytes = g->plan.channels * k_size(dt);
    struct channels_apart apart = {
        .rows = (int)rows,
        .stride = (int)width->stride,
        .bytes = bytes,
        .line = width->in * bytes,
        .cells = (int32_t)width->in,
        .taps = (int32_t)width->kernel,
        .look = rows > 1 && kind != CHANNEL_TAPS,
        .stream = g->outlet.stream,
    };
    if (rows == 2 && width->stride == 2) {
        apart.rows = apart.stride = 2;
        apart.look = kind != CHANNEL_TAPS;
        apart.stream = false;
        put_windows(dt, kind, g, *row, *cell, &apart, windows, to);
    } else if (rows == 1 && width->stride == 2) {
        apart.rows = 1;
        apart.stride = 2;
        apart.look = false;
        put_windows(dt, kind, g, *row, *cell, &apart, windows, to);
    } else {
        put_windows(dt, kind, g, *row, *cell, &apart, windows, to);
    }
}

static inline bool axis_is_apart(const struct max_axis *axis)
{
    return axis->kernel == axis->stride && axis->pad == 0 && axis->dilation == 1 &&
           axis->in == axis->out * axis->stride;
}

/* The windows of a row, one lane each. Many lines are written in order, but of half types, where
 * looking at an index once for all cells saves more. */
static inline void channels_begin(struct max_grad *g)
{
    g->lanes.first = g->lanes.channel = 0;
    g->lanes.channels = 1;
    g->lanes.windows = g->plan.width.out;
    lanes_begin(&g->lanes, &g->plan.width);
    g->apart = !g->pool->stream_output && g->plan.depth.kernel == 1 &&
               (g->plan.channels <= 4 * VL || g->dy_size == 2) && axis_is_apart(&g->plan.height) &&
               axis_is_apart(&g->plan.width);
}

/* How many rows from row h of cells on are made at once: all that a row of windows lies over, if
 * it is apart. */
static inline int64_t rows_apart(const struct max_grad *g, int64_t h, int64_t end)
{
    const struct max_plan *plan = &g->plan;
    const int64_t stride = plan->height.stride;
    return g->apart && g->depths == 1 && h % stride == 0 && h + stride <= end ? stride : 1;
}

#endif
