/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of max pooling, channels innermost and many: cell by cell, vectors run along the
 * channels of the windows over it, which are read where they are. */
#ifndef ACLNN_CPU_KERNELS_SIMD_MAX_CHANNELS_H
#define ACLNN_CPU_KERNELS_SIMD_MAX_CHANNELS_H

#include "kernels/simd/max_found.h"

enum { CHANNELS_PIECE = OUTLET_ROOM / 4 - VL }; /* channels of a cell in one piece */

/* How a window's place is told: by an index, or by the number of its tap (max_found.h). */
enum channel_kind { CHANNEL_I32, CHANNEL_I64, CHANNEL_TAPS };

/* The windows over a cell: their first channels. Away from a row's ends the same serve all cells of
 * a phase, so many windows further on. */
struct channel_terms {
    const char *place[MAX_TAPS], *value[MAX_TAPS];
    int32_t tap[MAX_TAPS]; /* CHANNEL_TAPS: which one the cell is */
    int count;
};

/* A cell of the row. `windows` channels are skipped in its terms. */
struct channel_cell {
    const struct channel_terms *terms;
    int64_t windows;
    int32_t place;
};

K_TEMPLATE
int64_t place_size(enum channel_kind kind)
{
    return kind == CHANNEL_I64 ? 8 : kind == CHANNEL_I32 ? 4 : 1;
}

K_TEMPLATE
vi load_places(enum channel_kind kind, const char *at)
{
    if (kind == CHANNEL_TAPS) return v_load_bytes(at);
    if (kind == CHANNEL_I32) return v_load_i((const int32_t *)(const void *)at);
    vf halves[2];
    memcpy(halves, at, sizeof halves);
    return (vi)v_unzip(0, halves[0], halves[1]);
}

K_TEMPLATE
vf add_channels(enum k_dtype dt, enum channel_kind kind, vf sum, const struct channel_terms *terms,
                int term, int32_t place, int64_t at)
{
    const int32_t meant = kind == CHANNEL_TAPS ? terms->tap[term] : place;
    return v_add_where_same(sum, load_places(kind, terms->place[term] + at * place_size(kind)),
                            v_all_i(meant), k_load(dt, terms->value[term] + at * k_size(dt)));
}

/* `vectors` (1, 2 or 4) times VL channels. Named one by one: an array would live in memory. */
K_TEMPLATE
void sum_channels(enum k_dtype dt, enum channel_kind kind, const struct channel_cell *cell,
                  int64_t channel, int vectors, vf sums[])
{
    const struct channel_terms *terms = cell->terms;
    const int32_t place = cell->place;
    const int64_t at = cell->windows + channel;
    vf a = {0}, b = {0}, c = {0}, d = {0};
    for (int t = 0; t < terms->count; t++) {
        a = add_channels(dt, kind, a, terms, t, place, at);
        if (vectors > 1) b = add_channels(dt, kind, b, terms, t, place, at + VL);
        if (vectors > 2) c = add_channels(dt, kind, c, terms, t, place, at + 2 * VL);
        if (vectors > 2) d = add_channels(dt, kind, d, terms, t, place, at + 3 * VL);
    }
    sums[0] = a;
    if (vectors > 1) sums[1] = b;
    if (vectors > 2) sums[2] = c;
    if (vectors > 2) sums[3] = d;
}

/* Channels [channel, end) of one cell, at least VL, to `to`; stream: whole vectors. */
K_TEMPLATE
void put_channels(enum k_dtype dt, enum channel_kind kind, const struct channel_cell *cell,
                  int64_t channel, int64_t end, char *to, bool stream)
{
    const int unit = LINE_PARTS(dt);
    vf sums[4];
    for (; channel + 4 * VL <= end; channel += 4 * VL, to += 4 * VL * k_size(dt)) {
        sum_channels(dt, kind, cell, channel, 4, sums);
        for (int v = 0; v < 4; v += unit)
            k_store_parts(dt, to + v * VL * k_size(dt), sums + v, stream);
    }
    for (; channel + unit * VL <= end; channel += unit * VL, to += unit * VL * k_size(dt)) {
        sum_channels(dt, kind, cell, channel, unit, sums);
        k_store_parts(dt, to, sums, stream);
    }
    for (; channel < end; channel += VL, to += VL * k_size(dt)) { /* the last ones maybe again */
        const int64_t again = max_most(channel + VL - end, 0);
        sum_channels(dt, kind, cell, channel - again, 1, sums);
        k_store(dt, to - again * k_size(dt), sums[0]);
    }
}

/* A row of windows as seen from a row of cells: its first window, first channel. */
struct channel_row {
    const char *place, *value;
    int32_t tap; /* CHANNEL_TAPS: of the window, the first one in the row of cells */
};

K_TEMPLATE
int channel_rows(enum channel_kind kind, const struct max_grad *g, int64_t h,
                 struct channel_row rows[])
{
    const struct max_plan *plan = &g->plan;
    const struct max_axis *height = &plan->height;
    const struct max_phases *tall = &g->phases[1];
    const int64_t q = h / height->stride, c = h % height->stride;
    int count = 0;
    for (int k = 0; k < g->depths; k++)
        for (int e = tall->first[c]; e < tall->first[c + 1]; e++) {
            const int64_t oh = q + tall->shift[e];
            if (oh < 0 || oh >= height->out) continue;
            const int64_t row = (g->outer * plan->depth.out + g->depth[k]) * height->out + oh;
            const int64_t line = plan->width.out * plan->channels, at = row * line;
            rows[count].place =
                kind == CHANNEL_TAPS ? taps_row(g, k, oh) : g->indices + at * place_size(kind);
            rows[count].value = g->dy + at * g->dy_size;
            rows[count++].tap =
                (int32_t)((g->depth_tap[k] * height->kernel + tall->tap[e]) * plan->width.kernel);
        }
    return count;
}

/* The windows over the cell of phase c in group q, those that exist. */
K_TEMPLATE
void find_terms(enum channel_kind kind, const struct max_grad *g, const struct channel_row rows[],
                int count, int64_t c, int64_t q, struct channel_terms *terms)
{
    const struct max_phases *wide = &g->phases[2];
    const int64_t channels = g->plan.channels;
    terms->count = 0;
    for (int r = 0; r < count; r++)
        for (int w = wide->first[c]; w < wide->first[c + 1]; w++) {
            const int64_t ow = q + wide->shift[w];
            if (ow < 0 || ow >= g->plan.width.out) continue;
            terms->place[terms->count] = rows[r].place + ow * channels * place_size(kind);
            terms->tap[terms->count] = rows[r].tap + wide->tap[w];
            terms->value[terms->count++] = rows[r].value + ow * channels * g->dy_size;
        }
}

/* A cell, to `straight` if it is not NULL, else by way of images. */
K_TEMPLATE
void put_cell(enum k_dtype dt, enum channel_kind kind, struct max_grad *g,
              const struct channel_cell *cell, char *straight)
{
    const int64_t channels = g->plan.channels;
    if (straight) {
        put_channels(dt, kind, cell, 0, channels, straight, g->outlet.stream);
        return;
    }
    for (int64_t first = 0, end; first < channels; first = end) {
        end = channels - first < CHANNELS_PIECE + VL ? channels : first + CHANNELS_PIECE - VL;
        const int64_t piece = (end - first) * k_size(dt);
        char *to = outlet_room(&g->outlet, 1, piece);
        put_channels(dt, kind, cell, first, end, to, false);
        outlet_took(&g->outlet, 1, piece);
    }
}

/* Row h of cells of depth d. */
K_TEMPLATE
void channels_row(enum k_dtype dt, enum channel_kind kind, struct max_grad *g, int64_t d, int64_t h)
{
    const struct max_plan *plan = &g->plan;
    const struct max_axis *width = &plan->width;
    const int64_t channels = plan->channels, bytes = channels * k_size(dt);
    const int64_t inner = max_most(-width->low, 0); /* the first group whose windows all exist */
    const int64_t last = max_most(width->out - max_most(width->high, 0), inner);
    struct channel_row rows[MAX_TAPS];
    struct channel_terms phases[MAX_STRIDE], border;
    const int count = channel_rows(kind, g, h, rows);
    for (int64_t c = 0; inner < last && c < width->stride; c++)
        find_terms(kind, g, rows, count, c, inner, phases + c);
    struct channel_cell cell = {.place = (int32_t)((d * plan->height.in + h) * width->in)};
    char *straight = NULL; /* cells are written where they belong */
    if (!g->outlet.stream || (bytes % K_VECTOR_BYTES == 0 && g->outlet.vectors.filled == 0))
        straight = g->outlet.vectors.to;
    int64_t q = 0, c = 0;
    for (int64_t x = 0; x < width->in; x++, cell.place++) {
        cell.terms = phases + c;
        cell.windows = (q - inner) * channels;
        if (q < inner || q >= last) {
            find_terms(kind, g, rows, count, c, q, &border);
            cell.terms = &border;
            cell.windows = 0;
        }
        if (++c == width->stride) c = 0, q++;
        put_cell(dt, kind, g, &cell, straight);
        if (straight) straight += bytes;
    }
    if (straight) g->outlet.vectors.to = straight;
}

/* Looks at the indices of row (od, oh) of windows. */
K_TEMPLATE
void look_at_row(enum k_index index, struct max_grad *g, int64_t od, int64_t oh)
{
    const struct max_plan *plan = &g->plan;
    const int64_t index_size = index == K_INDEX_I64 ? 8 : 4, channels = plan->channels;
    const int64_t row = (g->outer * plan->depth.out + od) * plan->height.out + oh;
    const char *at = g->indices + row * plan->width.out * channels * index_size;
    const char *dy = g->dy + row * plan->width.out * channels * g->dy_size;
    struct row_codes codes;
    struct k_lanes *lanes = &g->lanes;
    vi stray = {0}, high = {0};
    const int32_t base = (int32_t)row_base(plan, od, oh);
    row_codes(plan, od, oh, &codes);
    for (int64_t w = 0; w < plan->width.out; w++) {
        for (int64_t channel = 0; channel < channels; channel += VL) {
            const int left = (int)max_least(channels - channel, VL);
            for (int line = 0; line < VL * index_size; line += LINE_BYTES)
                k_prefetch(at + MAX_AHEAD + line);
            k_prefetch(dy + MAX_AHEAD);
            const vi place = k_load_indices(index == K_INDEX_I64, at, left, g->indices_end, &high);
            const vi code = (vi)((vu)place - (uint32_t)base - (uint32_t)lanes->base[w]);
            const vi is_tap = code_in_window(v_all_i(lanes->inside[w]), v_all_i(lanes->length[w]),
                                             &plan->width, &codes, code);
            stray |= left == VL ? ~is_tap : ~is_tap & (vi)(v_lanes() < left);
            at += left * index_size;
            dy += left * g->dy_size;
        }
    }
    if (v_any(stray | high)) g->stray = true;
}

static __attribute__((noinline, unused)) void look_at_channels(struct max_grad *g, int64_t od,
                                                               int64_t oh)
{
    if (g->pool->index == K_INDEX_I64)
        look_at_row(K_INDEX_I64, g, od, oh);
    else
        look_at_row(K_INDEX_I32, g, od, oh);
}

static __attribute__((noinline, unused)) void channels_row_f32(struct max_grad *g, int64_t d,
                                                               int64_t h)
{
    if (GRAD_FINDS)
        channels_row(K_F32, CHANNEL_TAPS, g, d, h);
    else if (g->pool->index == K_INDEX_I64)
        channels_row(K_F32, CHANNEL_I64, g, d, h);
    else
        channels_row(K_F32, CHANNEL_I32, g, d, h);
}

static __attribute__((noinline, unused)) void channels_row_f16(struct max_grad *g, int64_t d,
                                                               int64_t h)
{
    if (GRAD_FINDS)
        channels_row(K_F16, CHANNEL_TAPS, g, d, h);
    else if (g->pool->index == K_INDEX_I64)
        channels_row(K_F16, CHANNEL_I64, g, d, h);
    else
        channels_row(K_F16, CHANNEL_I32, g, d, h);
}

static __attribute__((noinline, unused)) void channels_row_bf16(struct max_grad *g, int64_t d,
                                                                int64_t h)
{
    if (GRAD_FINDS)
        channels_row(K_BF16, CHANNEL_TAPS, g, d, h);
    else if (g->pool->index == K_INDEX_I64)
        channels_row(K_BF16, CHANNEL_I64, g, d, h);
    else
        channels_row(K_BF16, CHANNEL_I32, g, d, h);
}

/* The windows of a row, one lane each. */
static inline void channels_begin(struct max_grad *g)
{
    g->lanes.first = g->lanes.channel = 0;
    g->lanes.channels = 1;
    g->lanes.windows = g->plan.width.out;
    lanes_begin(&g->lanes, &g->plan.width);
}

/* Rows [h, end) of the column (outer, d) that grad_column has begun; false, and rows missing, if a
 * stray index is found and not to be ignored. */
K_TEMPLATE
bool walk_channels(enum k_dtype dt, struct max_grad *g, int64_t d, int64_t h, int64_t end,
                   bool ignore)
{
    const struct max_axis *height = &g->plan.height;
    for (; h < end; h++) {
        const int64_t needed = max_least(h / height->stride + height->high, height->out - 1);
        for (; g->made <= needed; g->made++)
            for (int k = 0; k < g->depths; k++) {
                if (!GRAD_FINDS)
                    look_at_channels(g, g->depth[k], g->made);
                else if (dt == K_F32)
                    find_taps_f32(g, k, g->made);
                else if (dt == K_F16)
                    find_taps_f16(g, k, g->made);
                else
                    find_taps_bf16(g, k, g->made);
            }
        if (g->stray && !ignore) return false;
        if (dt == K_F32) channels_row_f32(g, d, h);
        if (dt == K_F16) channels_row_f16(g, d, h);
        if (dt == K_BF16) channels_row_bf16(g, d, h);
    }
    return true;
}

#endif
