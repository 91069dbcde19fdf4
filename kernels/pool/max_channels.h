/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of max pooling, channels innermost and many: cell by cell, vectors run along the
 * channels of the windows over it, which are read where they are. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_CHANNELS_H
#define ACLNN_CPU_KERNELS_POOL_MAX_CHANNELS_H

#include "kernels/pool/max_channels_apart.h"

enum { CHANNELS_PIECE = OUTLET_ROOM / 4 - VL }; /* channels of a cell in one piece */

K_TEMPLATE
vf add_channels(enum k_dtype dt, enum channel_kind kind, vf sum, const struct channel_terms *terms,
                int term, vi places, int64_t at)
{
    const vi meant = kind == CHANNEL_TAPS ? v_all_i(terms->tap[term]) : places;
    return v_add_where_same(sum, load_places(kind, terms->place[term] + at * place_size(kind)),
                            meant, k_load(dt, terms->value[term] + at * k_size(dt)));
}

/* 2 VL channels of a half type with one window. */
K_TEMPLATE
vf only_words(enum k_dtype dt, enum channel_kind kind, const struct channel_cell *cell,
              int64_t channel)
{
    const struct channel_terms *terms = cell->terms;
    int64_t at = cell->windows + channel;
    const vw words = words_load(dt, terms->value[0] + at * 2);
    vi places[2], meant[2];
#pragma GCC unroll 2
    for (int v = 0; v < 2; v++, at += VL, channel += VL) {
        places[v] = load_places(kind, terms->place[0] + at * place_size(kind));
        meant[v] =
            kind == CHANNEL_TAPS ? v_all_i(terms->tap[0]) : channel_places(kind, cell, 0, channel);
    }
    return words_where_same(places, meant, words);
}

K_TEMPLATE
void put_only(enum k_dtype dt, enum channel_kind kind, const struct channel_cell *cell,
              int64_t channel, int64_t count, char *to, bool stream)
{
    for (int64_t i = 0; i < count; i += 2 * VL)
        k_write(to + i * k_size(dt), only_words(dt, kind, cell, channel + i), stream);
}

/* `vectors` (1, 2 or 4) times VL channels. Named one by one: an array would live in memory. */
K_TEMPLATE
void sum_channels(enum k_dtype dt, enum channel_kind kind, int count,
                  const struct channel_cell *cell, int64_t channel, int vectors, vf sums[])
{
    const struct channel_terms *terms = cell->terms;
    const vi place = channel_places(kind, cell, 0, channel);
    const vi up = v_all_i(is_of_tensor(kind) ? VL * cell->step : 0);
    const int64_t at = cell->windows + channel;
    vf a = {0}, b = {0}, c = {0}, d = {0};
#pragma GCC unroll 4
    for (int t = 0; t < count; t++) {
        a = add_channels(dt, kind, a, terms, t, place, at);
        if (vectors > 1) b = add_channels(dt, kind, b, terms, t, place + up, at + VL);
        if (vectors > 2) c = add_channels(dt, kind, c, terms, t, place + 2 * up, at + 2 * VL);
        if (vectors > 2) d = add_channels(dt, kind, d, terms, t, place + 3 * up, at + 3 * VL);
    }
    sums[0] = a;
    if (vectors > 1) sums[1] = b;
    if (vectors > 2) sums[2] = c;
    if (vectors > 2) sums[3] = d;
}

/* Channels [channel, end) of one cell with `count` terms, at least VL, to `to`; stream: whole
 * vectors. */
K_TEMPLATE
void put_terms(enum k_dtype dt, enum channel_kind kind, int count, const struct channel_cell *cell,
               int64_t channel, int64_t end, char *to, bool stream)
{
    const int unit = LINE_PARTS(dt);
    vf sums[4];
    if (dt != K_F32 && count == 1) {
        const int64_t whole = (end - channel) / (2 * VL) * 2 * VL;
        if (stream)
            put_only(dt, kind, cell, channel, whole, to, true);
        else
            put_only(dt, kind, cell, channel, whole, to, false);
        channel += whole;
        to += whole * k_size(dt);
    }
    for (; channel + 4 * VL <= end; channel += 4 * VL, to += 4 * VL * k_size(dt)) {
        sum_channels(dt, kind, count, cell, channel, 4, sums);
#pragma GCC unroll 4
        for (int v = 0; v < 4; v += unit)
            k_store_parts(dt, to + v * VL * k_size(dt), sums + v, stream);
    }
    for (; channel + unit * VL <= end; channel += unit * VL, to += unit * VL * k_size(dt)) {
        sum_channels(dt, kind, count, cell, channel, unit, sums);
        k_store_parts(dt, to, sums, stream);
    }
    for (; channel < end; channel += VL, to += VL * k_size(dt)) { /* the last ones maybe again */
        const int64_t again = max_most(channel + VL - end, 0);
        sum_channels(dt, kind, count, cell, channel - again, 1, sums);
        k_store(dt, to - again * k_size(dt), sums[0]);
    }
}

/* Any number of terms. Most windows lie over cells one, two or four at a time. */
K_TEMPLATE
void put_channels(enum k_dtype dt, enum channel_kind kind, const struct channel_cell *cell,
                  int64_t channel, int64_t end, char *to, bool stream)
{
    const int count = cell->terms->count;
    if (count == 1)
        put_terms(dt, kind, 1, cell, channel, end, to, stream);
    else if (count == 2)
        put_terms(dt, kind, 2, cell, channel, end, to, stream);
    else if (count == 4)
        put_terms(dt, kind, 4, cell, channel, end, to, stream);
    else
        put_terms(dt, kind, count, cell, channel, end, to, stream);
}

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

/* Does one window lie over all cells of a group, and over them alone? */
static inline bool group_is_apart(const struct channel_terms phases[], int64_t stride)
{
    for (int64_t c = 0; c < stride; c++)
        if (phases[c].count != 1 || phases[c].place[0] != phases[0].place[0]) return false;
    return true;
}

/* The first cell of row h of depth d. */
K_TEMPLATE
struct channel_cell first_cell(enum channel_kind kind, const struct max_grad *g, int64_t d,
                               int64_t h)
{
    struct index_unit unit = {.cell = 1};
    if (is_of_tensor(kind)) unit = index_unit(g);
    const int64_t cells = (d * g->plan.height.in + h) * g->plan.width.in;
    return (struct channel_cell){
        .place = (int32_t)(first_index(g) + (uint32_t)cells * unit.cell),
        .unit = (int32_t)unit.cell,
        .step = (int32_t)unit.channel,
    };
}

/* What the next row of windows to be looked at begins with: it is announced to the second cache
 * cell by cell, so that it comes while cells are computed and written. */
struct channels_ahead {
    const char *place, *value;
    int64_t places, values; /* bytes for each cell */
};

K_TEMPLATE
struct channels_ahead channels_ahead(enum k_dtype dt, enum channel_kind kind,
                                     const struct max_grad *g, int64_t h)
{
    const struct max_axis *height = &g->plan.height, *width = &g->plan.width;
    struct channels_ahead ahead = {g->indices, g->dy, 0, 0};
    if (kind == CHANNEL_TAPS || !g->outlet.stream || g->depths != 1 || g->made >= height->out)
        return ahead;
    /* Each of the rows of cells until then announces its part. */
    const int64_t row = (g->outer * g->plan.depth.out + g->depth[0]) * height->out + g->made;
    const int64_t all = width->out * g->plan.channels, part = all / height->stride;
    const int64_t first = row * all + h % height->stride * part;
    ahead.place = g->indices + first * place_size(kind);
    ahead.value = g->dy + first * k_size(dt);
    ahead.places = part * place_size(kind) / width->in;
    ahead.values = part * k_size(dt) / width->in;
    return ahead;
}

K_TEMPLATE
void announce(struct channels_ahead *ahead)
{
    for (int64_t i = 0; i < ahead->places; i += LINE_BYTES)
        __builtin_prefetch(ahead->place + i, 0, 2);
    for (int64_t i = 0; i < ahead->values; i += LINE_BYTES)
        __builtin_prefetch(ahead->value + i, 0, 2);
    ahead->place += ahead->places;
    ahead->value += ahead->values;
}

/* Row h of cells of depth d; or, if windows are apart, so many rows `at_once`. */
K_TEMPLATE
void channels_row(enum k_dtype dt, enum channel_kind kind, struct max_grad *g, int64_t d, int64_t h,
                  int64_t at_once)
{
    const struct max_plan *plan = &g->plan;
    const struct max_axis *width = &plan->width;
    const int64_t channels = plan->channels, bytes = channels * k_size(dt);
    const int64_t inner = max_most(-width->low, 0); /* the first group whose windows all exist */
    const int64_t last = max_most(width->out - max_most(width->high, 0), inner);
    struct channel_row rows[MAX_TAPS];
    struct channel_terms phases[MAX_STRIDE], border;
    const int count = channel_rows(kind, g, h, rows);
    struct channel_cell cell = first_cell(kind, g, d, h);
    if (at_once > 1) {
        put_apart(dt, kind, g, rows, &cell, at_once, width->out, g->outlet.vectors.to);
        outlet_skip(&g->outlet, at_once * width->in * bytes);
        return;
    }
    for (int64_t c = 0; inner < last && c < width->stride; c++)
        find_terms(kind, g, rows, count, c, inner, phases + c);
    char *straight = NULL; /* cells are written where they belong */
    if (!g->outlet.stream || (bytes % K_VECTOR_BYTES == 0 && g->outlet.vectors.filled == 0))
        straight = g->outlet.vectors.to;
    int64_t q = 0, c = 0;
    /* Many lines are written in order. */
    if (straight && inner == 0 && last > 0 && width->stride <= width->in / last &&
        channels <= 4 * VL && group_is_apart(phases, width->stride)) {
        const struct channel_row row = {phases[0].place[0], phases[0].value[0], phases[0].tap[0]};
        put_apart(dt, kind, g, &row, &cell, 1, last, straight);
        q = last;
        cell.place += (int32_t)(last * width->stride) * cell.unit;
        straight += last * width->stride * bytes;
    }
    struct channels_ahead ahead = channels_ahead(dt, kind, g, h);
    for (int64_t x = q * width->stride; x < width->in; x++, cell.place += cell.unit) {
        if (ahead.places > 0) announce(&ahead);
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

K_TEMPLATE
void channels_row_kinds(enum k_dtype dt, struct max_grad *g, int64_t d, int64_t h, int64_t at_once)
{
    if (GRAD_FINDS)
        channels_row(dt, CHANNEL_TAPS, g, d, h, at_once);
    else if (g->pool->index == K_INDEX_I64) /* seldom: one function for both */
        channels_row(dt, g->indices_step > 0 ? CHANNEL_TENSOR_I64 : CHANNEL_I64, g, d, h, at_once);
    else if (g->indices_step > 0)
        channels_row(dt, CHANNEL_TENSOR_I32, g, d, h, at_once);
    else
        channels_row(dt, CHANNEL_I32, g, d, h, at_once);
}

K_OUT_OF_LINE(void, channels_row_kinds,
              (struct max_grad * g, int64_t d, int64_t h, int64_t at_once), (g, d, h, at_once))

/* Rows [h, end) of the column (outer, d) that grad_column has begun; false, and rows missing, if a
 * stray index is found and not to be ignored. */
K_TEMPLATE
bool walk_channels(enum k_dtype dt, struct max_grad *g, int64_t d, int64_t h, int64_t end,
                   bool ignore)
{
    const struct max_axis *height = &g->plan.height;
    for (int64_t at_once; h < end; h += at_once) {
        at_once = rows_apart(g, h, end);
        const int64_t needed = max_least(h / height->stride + height->high, height->out - 1);
        for (; g->made <= needed; g->made++)
            for (int k = 0; k < g->depths; k++) {
                if (!GRAD_FINDS && at_once == 1)
                    look_at_channels(g, g->depth[k], g->made);
                else if (!GRAD_FINDS)
                    continue; /* looked at when it is used */
                else
                    find_taps_of(dt, g, k, g->made);
            }
        if (g->stray && !ignore) return false;
        channels_row_kinds_of(dt, g, d, h, at_once);
    }
    return ignore || !g->stray;
}

#endif
