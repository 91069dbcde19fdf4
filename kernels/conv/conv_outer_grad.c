/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of a convolution's weight:
 *     w[m][c][t] = sum over n, o of small[n][m][o] * large[n][c][o * stride - pad + t * dilation]
 *
 * as a sum of outer products, position by position: a vector of small channels m, which lie side by
 * side in a transposed panel, times single elements of the large side. A tap is nothing but an
 * offset in the large side's band (conv_band.h), so that the band is copied once for all taps, and
 * no matrix of windows is packed. A block of sums, of some channels of one tap, stays in registers
 * for all positions of a few tiles whose tap meets no padding; then the next one takes them from L1
 * and L2.
 *
 * Every sum has one chain over the positions of its part, in order, whatever the width of vectors
 * and the cut into tiles; parts follow from the shape alone (conv_plan.h).
 *
 * Windows of one element need no band where a plane is a row: products read the large side where it
 * lies, once for every panel. bf16 is multiplied so by pairs of neighbours.
 *
 * With other bf16 where the CPU multiplies pairs, a term is a position of two tiles: of two images,
 * or of the last image alone. So pairs need no neighbour and hold no padding that the other half
 * has not.
 *
 * An item needs some 820 KiB of stack. */
#include <stdint.h>

#include "kernels/conv/outer_grad_sums.h"

/* Some columns times some vectors of a panel. */
static void multiply_some(const struct outer_grad *item, struct outer_grad_buffers *own,
                          const int64_t column[], int columns, int vectors, int64_t panel,
                          int64_t v)
{
    const float *from[BLOCK], *small = own->small + panel * ROOM * PANEL + v * VL;
    float *sums[BLOCK];
    const int64_t all = item->channels * conv_taps(&item->conv);
    for (int c = 0; c < columns; c++) {
        from[c] = item->columns + own->offset[column[c]];
        sums[c] = own->sums + (panel * all + column[c]) * PANEL + v * VL;
    }
#if defined(K_PAIRS)
    if (item->is_paired) {
        multiply_pairs_straight(columns, vectors, item, from, small, sums);
        return;
    }
    if (item->conv.pairs) {
        multiply_pairs(columns, vectors, item, from, small, sums);
        return;
    }
#endif
    if (item->plan->is_straight)
        multiply_straight(columns, vectors, item, from, small, sums);
    else
        multiply(columns, vectors, item, from, small, sums);
}

/* Small positions whose tap meets no padding, along an axis. */
struct range {
    int64_t low, high;
};

static struct range range_of(const struct k_conv_axis *a, int64_t tap)
{
    const int64_t at = tap * a->dilation - a->pad;
    return (struct range){conv_up(at < 0 ? -at : 0, a->stride),
                          conv_floor(a->large - 1 - at, a->stride) + 1};
}

/* `count` terms, one behind the other in the band and in the panels. */
static void append_terms(struct outer_grad *item, int64_t row, int64_t place, int64_t count)
{
    struct term *to = item->term + item->terms;
    for (int64_t i = 0; i < count; i++)
        to[i] = (struct term){(int32_t)(place + i), (int32_t)((row + i) * PANEL)};
    item->terms += count;
}

/* The positions inside of `count` from there on, counted from the first one. */
static struct range clip(const int64_t at[], int64_t count, const struct range r[])
{
    struct range in = {0, 0};
    if (at[0] < r[0].low || at[0] >= r[0].high || at[1] < r[1].low || at[1] >= r[1].high) return in;
    in.low = at[2] < r[2].low ? r[2].low - at[2] : 0;
    in.high = at[2] + count > r[2].high ? r[2].high - at[2] : count;
    if (in.high < in.low) in.high = in.low;
    return in;
}

/* Taps of few channels that make a block together. */
static int64_t taps_together(const struct outer_grad *item)
{
    return item->channels < BLOCK ? BLOCK / item->channels : 1;
}

static void ranges_of_tap(const struct outer_grad *item, int64_t tap, struct range r[])
{
    const struct k_conv_axis *a = item->conv.axis;
    r[0] = range_of(&a[0], tap / (a[1].kernel * a[2].kernel));
    r[1] = range_of(&a[1], tap / a[2].kernel % a[1].kernel);
    r[2] = range_of(&a[2], tap % a[2].kernel);
}

/* Whether taps with these ranges have the same terms: ranges are alike as far as segments reach. */
static bool is_same_reach(const struct outer_grad *item, const struct range a[],
                          const struct range b[])
{
    for (int axis = 0; axis < K_CONV_AXES; axis++) {
        const int64_t first = item->first[axis], last = item->last[axis];
        const int64_t low_a = a[axis].low > first ? a[axis].low : first;
        const int64_t low_b = b[axis].low > first ? b[axis].low : first;
        const int64_t high_a = a[axis].high < last ? a[axis].high : last;
        const int64_t high_b = b[axis].high < last ? b[axis].high : last;
        if (low_a != low_b || high_a != high_b) return false;
    }
    return true;
}

/* The terms of a tap with these ranges: of pairs of which one position at least is inside, then of
 * positions without a partner. */
static void list_terms(struct outer_grad *item, const struct range r[])
{
    item->terms = 0;
    for (int64_t i = 0; item->conv.pairs && i < item->segments; i++) {
        const struct segment *s = &item->segment[i];
        struct range in = clip(s->at[0], s->both, r);
        const struct range second = clip(s->at[1], s->both, r);
        if (in.low >= in.high) in = second;
        if (second.low < second.high && second.low < in.low) in.low = second.low;
        if (second.high > in.high) in.high = second.high;
        append_terms(item, s->number + in.low, s->place + in.low, in.high - in.low);
    }
    item->both = item->terms;
    for (int64_t i = 0; i < item->segments; i++) {
        const struct segment *s = &item->segment[i];
        struct range in = clip(s->at[0], s->count, r);
        if (in.low < s->both) in.low = s->both;
        if (in.low < in.high)
            append_terms(item, s->number + in.low, s->place + in.low, in.high - in.low);
    }
    if (item->is_paired) item->both = item->terms;
}

/* The window's taps column by column: where no row meets padding they have the same terms. */
static int64_t tap_of(const struct outer_grad *item, int64_t number)
{
    const int64_t width = item->conv.axis[2].kernel, rows = conv_taps(&item->conv) / width;
    return number % rows * width + number / rows;
}

/* Columns are the channels of the first tap, then those of the next one. A block has some channels
 * of one tap, or all of some taps with the same terms, `together` of them from number `i` on. */
static void add_taps(struct outer_grad *item, struct outer_grad_buffers *own, int64_t i,
                     int64_t together)
{
    const int64_t channels = item->channels, all = channels * together;
    const int64_t blocks = conv_up(all, BLOCK);
    for (int64_t panel = 0; panel * PANEL < item->rows; panel++) {
        const int64_t left = item->rows - panel * PANEL;
        const int64_t vectors = conv_up(left < PANEL ? left : PANEL, VL);
        for (int64_t v = 0, at_once; v < vectors; v += at_once) {
            at_once = vectors - v >= SOME ? SOME : vectors - v >= 2 ? 2 : 1;
            for (int64_t b = 0; b < blocks; b++) {
                const int64_t first = all * b / blocks, end = all * (b + 1) / blocks;
                int64_t column[BLOCK];
                for (int64_t c = first; c < end; c++)
                    column[c - first] = tap_of(item, i + c / channels) * channels + c % channels;
                sweep_on(&item->small_ahead);
                sweep_on(&item->large_ahead);
                multiply_some(item, own, column, (int)(end - first), (int)at_once, panel, v);
            }
        }
    }
}

static void add_tiles(struct outer_grad *item, struct outer_grad_buffers *own)
{
    const int64_t taps = conv_taps(&item->conv), most = taps_together(item);
    struct range known[K_CONV_AXES], r[K_CONV_AXES];
    for (int64_t i = 0, together; i < taps; i += together) {
        ranges_of_tap(item, tap_of(item, i), r);
        if (i == 0 || !is_same_reach(item, known, r)) list_terms(item, r);
        memcpy(known, r, sizeof known);
        for (together = 1; together < most && i + together < taps; together++) {
            ranges_of_tap(item, tap_of(item, i + together), r);
            if (!is_same_reach(item, known, r)) break;
        }
        add_taps(item, own, i, together);
    }
}

/* ---- an item ---- */

/* Where each (tap, channel) finds a tile's first position. */
static void list_columns(const struct outer_grad *item, const struct band *band, int32_t *offset)
{
    const struct k_conv_axis *a = item->conv.axis;
    const struct conv_span *s = band->span;
    for (int64_t d = 0; d < a[0].kernel; d++)
        for (int64_t h = 0; h < a[1].kernel; h++)
            for (int64_t w = 0; w < a[2].kernel; w++) {
                const int64_t at =
                    band_at(band, s[0].first + d * a[0].dilation, s[1].first + h * a[1].dilation,
                            s[2].first + w * a[2].dilation);
                for (int64_t c = 0; c < item->channels; c++)
                    *offset++ = (int32_t)(c * band->channel + at);
            }
}

/* The positions of a tile, or of a pair, whose band begins there. */
static void list_positions(struct outer_grad *item, const struct tile_pair *pair, int64_t begin)
{
    const struct tile_place *p = &pair->of[0], *second = &pair->of[1];
    const int64_t count = p->end[2] - p->begin[2], both = second->end[2] - second->begin[2];
    for (int axis = 0; axis < K_CONV_AXES; axis++) {
        const bool is_new = item->segments == 0;
        if (is_new || p->begin[axis] < item->first[axis]) item->first[axis] = p->begin[axis];
        if (is_new || p->end[axis] > item->last[axis]) item->last[axis] = p->end[axis];
        if (second->end[axis] > item->last[axis]) item->last[axis] = second->end[axis];
        if (second->begin[axis] < item->first[axis]) item->first[axis] = second->begin[axis];
    }
    for (int64_t row = 0; row < p->end[1] - p->begin[1]; row++) {
        const bool is_double = second->begin[1] + row < second->end[1];
        item->segment[item->segments++] =
            (struct segment){.number = (int32_t)item->positions,
                             .count = (int32_t)count,
                             .place = (int32_t)begin,
                             .both = is_double ? (int32_t)both : 0,
                             .at = {{p->begin[0], p->begin[1] + row, p->begin[2]},
                                    {second->begin[0], second->begin[1] + row, second->begin[2]}}};
        item->positions += count;
        begin += item->conv.axis[1].stride * item->band.row;
    }
}

K_TEMPLATE
void store_row_of(enum k_dtype dt, const float *from, int64_t count, char *to)
{
    for (int64_t i = 0; i < count; i += VL)
        k_store_between(dt, to + i * k_size(dt), 1, 0, (int)(count - i < VL ? count - i : VL),
                        v_load(from + i));
}

/* `count` sums side by side. */
static void store_row(enum k_dtype dtype, const float *from, int64_t count, char *to)
{
    if (dtype == K_F32)
        memcpy(to, from, sizeof(float) * (size_t)count);
    else if (dtype == K_F16)
        store_row_of(K_F16, from, count, to);
    else
        store_row_of(K_BF16, from, count, to);
}

/* [panel][tap][channel][m] becomes [m][channel][tap], rows `all` elements apart; by way of VL rows
 * in L1. */
static void store_sums(const struct outer_grad *item, struct outer_grad_buffers *own,
                       enum k_dtype dtype, char *to, int64_t all)
{
    const int64_t taps = conv_taps(&item->conv), channels = item->channels;
    const int64_t columns = taps * channels, pitch = columns + VL;
    _Static_assert((CONV_OUTER_SUMS / PANEL + VL) * VL <= PANEL * ROOM, "VL rows of columns");
    /* Sums that will lie side by side: the taps of a channel, or channels. */
    const int64_t run = taps > 1 ? taps : channels, apart = (taps > 1 ? channels : 1) * PANEL;
    for (int64_t row = 0; row < item->rows; row += VL) {
        const float *from = own->sums + row / PANEL * columns * PANEL + row % PANEL;
        for (int64_t c = 0; c * run < columns; c++)
            for (int64_t i = 0; i < run; i += VL) {
                vf a[VL];
#pragma GCC unroll 16
                for (int k = 0; k < VL; k++)
                    a[k] = v_load(from + c * PANEL + (i + k < run ? i + k : 0) * apart);
                v_transpose(a);
#pragma GCC unroll 16
                for (int k = 0; k < VL; k++)
                    v_store(own->rows + k * pitch + c * run + i, a[k]);
            }
        for (int64_t r = 0; r < VL && row + r < item->rows; r++)
            store_row(dtype, own->rows + r * pitch, columns,
                      to + (row + r) * all * pack_size(dtype));
    }
}

/* A tile's first position on the large side, where rows are read as they lie: from the group's
 * first element. */
static int64_t straight_at(const struct outer_grad *item, const struct tile_place *p)
{
    const struct k_conv_tensor *t = &item->conv.large;
    return p->batch * t->outer + item->channel * t->inner + p->begin[0] * t->axis[0] + p->begin[2];
}

/* Prefetches both sides of `tiles` tiles from number `tile` on; of several only where each is a
 * whole plane, else of the first, or the first pair. Where the large side is read as it lies, those
 * before begin `at` there and prefetch it themselves. */
static void prefetch_tiles(struct outer_grad *item, int64_t tile, int64_t tiles, int64_t at)
{
    const struct k_conv *conv = &item->conv;
    const struct k_conv_tensor *small = &conv->small, *large = &conv->large;
    const int64_t blocks = conv_up(conv_taps(conv), taps_together(item)) *
                           conv_up(item->channels, BLOCK) * conv_up(item->rows, PANEL);
    item->small_ahead.regions = item->large_ahead.regions = 0;
    item->ahead = 0;
    if (tiles < 1) return;
    const struct tile_place p = place_of(item, tile);
    item->ahead = straight_at(item, &p) - at;
    const bool is_plane =
        conv->axis[0].small == 1 && item->plan->row_blocks == 1 && item->plan->column_blocks == 1;
    int64_t of_small[K_CONV_AXES], of_large[K_CONV_AXES];
    int64_t at_small = p.batch * small->outer + item->row * small->inner;
    int64_t at_large = p.batch * large->outer + item->channel * large->inner;
    for (int axis = 0; axis < K_CONV_AXES; axis++) {
        const struct conv_span span =
            conv_span_of(&conv->axis[axis], false, p.begin[axis], p.end[axis]);
        const int64_t first = span.first > 0 ? span.first : 0, end = span.first + span.count;
        const int64_t extent = conv->axis[axis].large;
        of_small[axis] = p.end[axis] - p.begin[axis];
        of_large[axis] = (end < extent ? end : extent) - first;
        if (of_large[axis] < 0) of_large[axis] = 0;
        at_small += p.begin[axis] * small->axis[axis];
        at_large += first * large->axis[axis];
    }
    const int64_t images = is_plane    ? tiles
                           : tiles > 1 ? place_of(item, tile + 1).batch - p.batch + 1
                                       : 1;
    item->small_ahead = sweep_box(small, v_address(item->small, pack_size(small->dtype) * at_small),
                                  images, item->rows, of_small);
    item->large_ahead = sweep_box(large, v_address(item->large, pack_size(large->dtype) * at_large),
                                  images, item->channels, of_large);
    if (item->plan->is_straight) item->large_ahead.regions = 0;
    sweep_share(&item->small_ahead, blocks);
    sweep_share(&item->large_ahead, blocks);
}

static inline bool has_second(const struct tile_pair *p)
{
    return p->of[1].begin[1] < p->of[1].end[1];
}

/* A tile and, with pairs, the next one below `last`, unless that is larger; else none of its rows.
 */
static struct tile_pair pair_of(const struct outer_grad *item, int64_t tile, int64_t last,
                                int64_t number)
{
    const struct tile_place first = place_of(item, tile);
    struct tile_pair pair = {.of = {first, first}, .number = number};
    struct tile_place *second = &pair.of[1];
    if (item->conv.pairs && tile + 1 < last) *second = place_of(item, tile + 1);
    bool fits = item->conv.pairs && tile + 1 < last;
    for (int axis = 1; axis < K_CONV_AXES; axis++)
        fits =
            fits && second->end[axis] - second->begin[axis] <= first.end[axis] - first.begin[axis];
    if (!fits) {
        *second = first;
        second->end[1] = second->begin[1];
    }
    return pair;
}

/* The place of a tile's large side among columns that begin with place `at` of the tensor where it
 * is read as it lies; else it is copied to the band from `begin` on. */
static int64_t place_large(const struct outer_grad *item, struct outer_grad_buffers *own,
                           const struct tile_pair *p, int64_t at, int64_t begin)
{
    if (item->plan->is_straight) return straight_at(item, &p->of[0]) - at;
#if defined(K_PAIRS)
    if (item->conv.pairs) {
        pair_large(item, p, own->band + begin);
        return begin;
    }
#endif
    pack_large(item, &p->of[0], own->band + begin);
    return begin;
}

static void run_item(struct outer_grad *item, struct outer_grad_buffers *own, int64_t first,
                     int64_t last)
{
    const struct conv_outer_plan *plan = item->plan;
    const int64_t columns = item->channels * conv_taps(&item->conv);
    const int64_t panels = conv_up(item->rows, PANEL);
    struct conv_span span[K_CONV_AXES];
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        span[axis] = conv_span_of(&item->conv.axis[axis], false, 0, 1);
    span[1].count = conv_outer_rows(&item->conv, plan->rows);
    span[2].count = conv_outer_columns(&item->conv, plan->columns);
    item->band = band_of_pitch(span, conv_outer_pitch(&item->conv, plan->columns));
    item->band.channel += CONV_LANES;
    list_columns(item, &item->band, own->offset);
    for (int64_t c = 0; plan->is_straight && c < item->channels; c++)
        own->offset[c] = (int32_t)(c * item->conv.large.inner);
    memset(own->sums, 0, sizeof(float) * (size_t)(panels * columns * PANEL));
    memset(own->rows, 0, sizeof own->rows);
    const int64_t of_term = item->conv.pairs ? 2 : 1;
    for (int64_t tile = first; tile < last;) {
        item->positions = item->segments = 0;
        const struct tile_place here = place_of(item, tile);
        const int64_t at = straight_at(item, &here);
        item->columns = own->band;
        if (plan->is_straight)
            item->columns =
                (const float *)(const void *)v_address(item->large, at * (int64_t)sizeof(float));
        int64_t tiles = 0;
        for (; tiles < plan->tiles_at_once && tile < last; tiles++) {
            struct tile_pair *p = &own->tile[tiles];
            *p = pair_of(item, tile, last, item->positions);
            tile += has_second(p) ? 2 : 1;
            const int64_t begin = tiles * item->channels * item->band.channel;
            list_positions(item, p, place_large(item, own, p, at, begin));
        }
        if (!item->conv.pairs) pack_small(item, tiles, own);
#if defined(K_PAIRS)
        else
            pair_small(item, tiles, own);
#endif
        const int64_t left = last - tile, next = of_term * plan->tiles_at_once;
        prefetch_tiles(item, tile, left < next ? left : next, at);
        add_tiles(item, own);
    }
}

/* Rows that follow each other without a gap. */
static bool has_whole_planes(const struct k_conv *conv)
{
    const struct k_conv_tensor *small = &conv->small, *large = &conv->large;
    return small->axis[1] == conv->axis[2].small * small->axis[2] &&
           large->axis[1] == conv->axis[2].large * large->axis[2];
}

k_fn K_SYMBOL(conv_grad_outer);

/* Items are (part, group, row block, channel block). */
void K_SYMBOL(conv_grad_outer)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_conv *given = parameters;
    const struct conv_outer_plan plan = conv_outer_plan(given);
    struct outer_grad item = {.conv = *given,
                              .small_width = given->axis[2].small,
                              .small_row = given->small.axis[1],
                              .large_row = given->large.axis[1],
                              .plan = &plan};
    if (plan.is_joined) {
        conv_outer_join(&item.conv);
        item.is_paired = plan.is_straight && given->pairs;
        if (item.is_paired) conv_outer_pair(&item.conv);
        if (item.is_paired || has_whole_planes(given)) item.small_width = item.conv.axis[2].small;
    }
    const int64_t all = given->large_channels * conv_taps(given);
    const enum k_dtype dtype = conv_outer_is_whole(given) ? given->weight.dtype : K_F32;
    struct outer_grad_buffers own;
    for (int64_t i = slice.begin; i < slice.end; i++) {
        int64_t rest = i / plan.channel_blocks;
        item.channel = i % plan.channel_blocks * plan.channels;
        item.channels = given->large_channels - item.channel;
        if (item.channels > plan.channels) item.channels = plan.channels;
        item.row = rest % plan.small_blocks * plan.small_rows;
        rest /= plan.small_blocks;
        item.rows = given->small_channels - item.row;
        if (item.rows > plan.small_rows) item.rows = plan.small_rows;
        const int64_t group = rest % given->groups, part = rest / given->groups;
        const int64_t first = part * plan.part, left = plan.tiles - first;
        if (item.channels <= 0 || item.rows <= 0) continue;
        item.small = (const char *)buffers[K_CONV_GRAD_SMALL] + group * given->small_channels *
                                                                    given->small.inner *
                                                                    pack_size(given->small.dtype);
        item.large = (const char *)buffers[K_CONV_GRAD_LARGE] + group * given->large_channels *
                                                                    given->large.inner *
                                                                    pack_size(given->large.dtype);
        run_item(&item, &own, first, first + (left < plan.part ? left : plan.part));
        const int64_t m = (part * given->groups + group) * given->small_channels + item.row;
        store_sums(&item, &own, dtype,
                   (char *)buffers[K_CONV_GRAD_PARTS] +
                       (m * all + item.channel * conv_taps(given)) * pack_size(dtype),
                   all);
    }
}
