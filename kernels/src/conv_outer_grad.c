/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of a convolution's weight:
 *     w[m][c][t] = sum over n, o of small[n][m][o] * large[n][c][o * stride - pad + t * dilation]
 *
 * as a sum of outer products, position by position: a vector of small channels m, which lie side by
 * side in a transposed panel, times single elements of the large side. A tap is nothing but an
 * offset in the large side's band (conv_band.h), so that the band is copied once for all taps, and
 * no matrix of windows is packed. A block of sums stays in registers for all positions of a few
 * tiles; then the next one takes them from L1 and L2.
 *
 * Every sum has one chain over the positions of its part, in order, whatever the width of vectors
 * and the cut into tiles; parts follow from the shape alone (conv_plan.h).
 *
 * An item needs some 600 KiB of stack. */
#include <stdint.h>

#include "kernels/simd/conv_band.h"
#include "kernels/simd/transpose.h"

enum {
    PANEL = CONV_OUTER_PANEL,
    ROOM = CONV_OUTER_POSITIONS + CONV_LANES, /* positions; whole vectors are written */
    SOME = K_VECTOR_BYTES == 64 ? 4 : 2,      /* vectors of a panel that are taken at once */
    BLOCK = 6,                                /* columns that are taken at once */
};

struct outer_item {
    struct k_conv conv;  /* with rows joined where windows are single elements */
    int64_t small_width; /* positions that lie evenly in the tensors: of a row before that */
    int64_t small_row, large_row; /* elements from row to row then */
    const struct conv_outer_plan *plan;
    int64_t row, rows, channel, channels; /* of the group */
    const char *small, *large;            /* of the group */
    int64_t band_channel, band_row;       /* floats */
    int64_t positions;                    /* of the tiles at once */
    int32_t place[CONV_OUTER_POSITIONS];  /* of each position in the band */
    /* With pairs: those of neighbours first, then positions that have none. */
    int64_t neighbours, singles;
    int32_t pair[CONV_OUTER_POSITIONS], pair_place[CONV_OUTER_POSITIONS]; /* first position */
};

struct outer_buffers {
    _Alignas(64) float small[CONV_OUTER_ROWS / PANEL * ROOM * PANEL]; /* [panel][position][m] */
    _Alignas(64) float band[CONV_OUTER_BAND];
    _Alignas(64) float sums[CONV_OUTER_SUMS];                         /* [panel][column][m] */
    _Alignas(64) float rows[PANEL * ROOM];                            /* [m][position] */
    _Alignas(64) float pairs[CONV_OUTER_ROWS / PANEL * ROOM * PANEL]; /* [panel][pair][m] */
    int32_t offset[CONV_OUTER_SUMS / PANEL]; /* of each column in the band */
};

/* ---- packing ---- */

/* `count` positions from `begin` on of a line whose rows of `width` lie `row` elements apart. */
static void pack_line(const struct outer_item *item, const struct k_conv_tensor *tensor,
                      int64_t row, const char *from, int64_t begin, int64_t count, float *to)
{
    const int64_t size = pack_size(tensor->dtype), width = item->small_width;
    while (count > 0) {
        const int64_t at = begin % width, left = width - at, some = left < count ? left : count;
        band_row(tensor->dtype,
                 v_address(from, size * (begin / width * row + at * tensor->axis[2])),
                 tensor->axis[2], 0, some, some, item->conv.rounding, to);
        begin += some;
        count -= some;
        to += some;
    }
}

/* Where a tile begins. */
struct tile_place {
    int64_t batch, begin[K_CONV_AXES], end[K_CONV_AXES];
};

static struct tile_place place_of(const struct outer_item *item, int64_t index)
{
    const struct conv_outer_plan *plan = item->plan;
    struct tile_place p;
    p.begin[2] = index % plan->column_blocks * plan->columns;
    index /= plan->column_blocks;
    p.begin[1] = index % plan->row_blocks * plan->rows;
    index /= plan->row_blocks;
    p.begin[0] = index % item->conv.axis[0].small;
    p.batch = index / item->conv.axis[0].small;
    const int64_t width[] = {1, plan->rows, plan->columns};
    for (int axis = 0; axis < K_CONV_AXES; axis++) {
        const int64_t size = item->conv.axis[axis].small;
        p.end[axis] = p.begin[axis] + width[axis] < size ? p.begin[axis] + width[axis] : size;
    }
    return p;
}

/* A tile's positions of one small channel, row behind row. */
enum { AHEAD = 4 }; /* channels that are announced before they are read */

static void pack_small_row(const struct outer_item *item, const struct tile_place *p,
                           const char *from, float *to)
{
    const struct k_conv_tensor *t = &item->conv.small;
    const int64_t size = pack_size(t->dtype), columns = p->end[2] - p->begin[2];
    from = v_address(from, size * (p->batch * t->outer + p->begin[0] * t->axis[0]));
    if (item->plan->is_joined) {
        pack_line(item, t, item->small_row, from, p->begin[2], columns, to);
        return;
    }
    int64_t rows = p->end[1] - p->begin[1], count = columns;
    from = v_address(from, size * (p->begin[1] * t->axis[1] + p->begin[2] * t->axis[2]));
    if (t->axis[1] == columns * t->axis[2]) { /* rows follow each other */
        count *= rows;
        rows = 1;
        if (t->axis[2] == 1) band_announce(v_address(from, AHEAD * size * t->inner), size * count);
    }
    for (int64_t row = 0; row < rows; row++, to += count)
        band_row(t->dtype, v_address(from, size * row * t->axis[1]), t->axis[2], 0, count, count,
                 item->conv.rounding, to);
}

/* The panels' positions from `at` on. */
static void pack_small(const struct outer_item *item, const struct tile_place *p, int64_t at,
                       struct outer_buffers *own)
{
    const struct k_conv_tensor *t = &item->conv.small;
    const int64_t count =
        (p->end[1] - p->begin[1]) * (p->end[2] - p->begin[2]); /* not more than ROOM - lanes */
    for (int64_t panel = 0; panel * PANEL < item->rows; panel++) {
        float *to = own->small + (panel * ROOM + at) * PANEL;
        const int64_t left = item->rows - panel * PANEL;
        for (int64_t r = 0; r < PANEL && r < left; r++)
            pack_small_row(item, p,
                           item->small +
                               pack_size(t->dtype) * (item->row + panel * PANEL + r) * t->inner,
                           own->rows + r * ROOM);
        for (int64_t r = 0; r < PANEL && r < left; r += VL)
            for (int64_t i = 0; i < count; i += VL)
                transpose(own->rows + r * ROOM + i, ROOM, to + i * PANEL + r, PANEL);
    }
}

/* The band of the item's channels behind those that are there. */
static void pack_large(const struct outer_item *item, const struct tile_place *p, float *to)
{
    const struct k_conv *conv = &item->conv;
    const struct k_conv_tensor *t = &conv->large;
    const int64_t size = pack_size(t->dtype);
    const char *from =
        v_address(item->large, size * (p->batch * t->outer + item->channel * t->inner));
    if (item->plan->is_joined) {
        for (int64_t c = 0; c < item->channels; c++) {
            const int64_t ahead =
                size * ((c + AHEAD) * t->inner + p->begin[0] * t->axis[0] + p->begin[2]);
            if (c + AHEAD < item->channels && t->axis[2] == 1)
                band_announce(v_address(from, ahead), size * (p->end[2] - p->begin[2]));
            pack_line(item, t, item->large_row,
                      v_address(from, size * (c * t->inner + p->begin[0] * t->axis[0])),
                      p->begin[2], p->end[2] - p->begin[2], to + c * item->band_channel);
        }
        return;
    }
    struct conv_span span[K_CONV_AXES];
    int64_t extent[K_CONV_AXES];
    for (int axis = 0; axis < K_CONV_AXES; axis++) {
        span[axis] = conv_span_of(&conv->axis[axis], false, p->begin[axis], p->end[axis]);
        extent[axis] = conv->axis[axis].large;
    }
    /* Bands of tiles at an end are as large as the others. */
    span[1].count = conv_outer_rows(conv, item->plan->rows);
    span[2].count = conv_outer_columns(conv, item->plan->columns);
    const struct band band = band_of(span);
    band_pack(&band, t, extent, from, item->channels, conv->rounding, to);
}

/* ---- products ---- */

/* sums[column][m] += outer products of all positions: from[column] is where the column's first
 * tile begins in the band. One loop, so that the sums stay in registers. */
K_TEMPLATE
void outer_block(int columns, int vectors, const struct outer_item *item, const float *const from[],
                 const float *small, float *sums)
{
    vf sum[BLOCK][SOME];
#pragma GCC unroll 6
    for (int c = 0; c < columns; c++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            sum[c][v] = v_load(sums + c * PANEL + v * VL);
    const int64_t positions = item->positions;
    for (int64_t i = 0; i < positions; i++) {
        const int64_t at = item->place[i];
        vf m[SOME];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            m[v] = v_keep(v_load(small + v * VL));
#pragma GCC unroll 6
        for (int c = 0; c < columns; c++) {
            const vf x = v_keep(v_all(from[c][at]));
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++)
                sum[c][v] = v_fma(x, m[v], sum[c][v]);
        }
        small += PANEL;
    }
#pragma GCC unroll 6
    for (int c = 0; c < columns; c++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            v_store(sums + c * PANEL + v * VL, sum[c][v]);
}

#if defined(K_PAIRS)
/* The same with pairs of positions; the band holds bf16. */
K_TEMPLATE
K_PAIRS_TARGET void outer_pairs(int columns, int vectors, const struct outer_item *item,
                                const uint16_t *const from[], const float *small, float *sums)
{
    vf sum[BLOCK][SOME];
#pragma GCC unroll 6
    for (int c = 0; c < columns; c++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            sum[c][v] = v_load(sums + c * PANEL + v * VL);
    for (int64_t i = 0; i < item->neighbours; i++) {
        const int64_t at = item->pair_place[i];
        vu m[SOME];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            m[v] = v_keep_pairs(v_load_pairs(small + v * VL));
#pragma GCC unroll 6
        for (int c = 0; c < columns; c++) {
            uint32_t pair;
            memcpy(&pair, from[c] + at, sizeof pair);
            const vu x = v_keep_pairs(v_all_pairs(pair));
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++)
                sum[c][v] = v_dot(x, m[v], sum[c][v]);
        }
        small += PANEL;
    }
    for (int64_t i = item->neighbours; i < item->neighbours + item->singles; i++) {
#pragma GCC unroll 6
        for (int c = 0; c < columns; c++) {
            uint16_t half;
            memcpy(&half, from[c] + item->pair_place[i], sizeof half);
            const vu x = v_keep_pairs(v_all_pairs(half));
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++)
                sum[c][v] = v_dot(x, v_load_pairs(small + v * VL), sum[c][v]);
        }
        small += PANEL;
    }
#pragma GCC unroll 6
    for (int c = 0; c < columns; c++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            v_store(sums + c * PANEL + v * VL, sum[c][v]);
}

static __attribute__((noinline)) K_PAIRS_TARGET int64_t
multiply_pairs(int vectors, const struct outer_item *item, int64_t left,
               const uint16_t *const from[], const float *small, float *sums)
{
    if (vectors == SOME && left >= BLOCK) {
        outer_pairs(BLOCK, SOME, item, from, small, sums);
        return BLOCK;
    }
    if (vectors == SOME)
        outer_pairs(1, SOME, item, from, small, sums);
    else if (vectors == 2)
        outer_pairs(1, 2, item, from, small, sums);
    else
        outer_pairs(1, 1, item, from, small, sums);
    return 1;
}

/* Panels and bands, as they were packed, become pairs of bf16 and bf16. */
static void make_pairs(struct outer_item *item, struct outer_buffers *own, int64_t band_floats)
{
    const int32_t *place = item->place;
    item->neighbours = item->singles = 0;
    for (int pass = 0; pass < 2; pass++) /* neighbours, then singles */
        for (int64_t i = 0; i < item->positions;) {
            const bool has_next = i + 1 < item->positions && place[i + 1] == place[i] + 1;
            const int64_t at = item->neighbours + item->singles;
            if (has_next == (pass == 0)) {
                item->pair[at] = (int32_t)i;
                item->pair_place[at] = place[i];
                ++*(has_next ? &item->neighbours : &item->singles);
            }
            i += has_next ? 2 : 1;
        }
    for (int64_t panel = 0; panel * PANEL < item->rows; panel++)
        for (int64_t i = 0; i < item->neighbours + item->singles; i++) {
            const float *from = own->small + (panel * ROOM + item->pair[i]) * PANEL;
            float *to = own->pairs + (panel * ROOM + i) * PANEL;
            for (int v = 0; v < PANEL; v += VL) {
                const vf second = i < item->neighbours ? v_load(from + PANEL + v) : (vf){0};
                const vu pair = v_pair(v_load(from + v), second);
                memcpy(to + v, &pair, sizeof pair);
            }
        }
    char *halves = (char *)own->band;
    for (int64_t i = 0; i < band_floats; i += VL) {
        const vh half = __builtin_convertvector((vu)v_load(own->band + i) >> 16, vh);
        memcpy(halves + i * 2, &half, sizeof half);
    }
}
#endif

K_TEMPLATE
int64_t outer_columns(int vectors, const struct outer_item *item, int64_t left,
                      const float *const from[], const float *small, float *sums)
{
    if (left >= BLOCK) {
        outer_block(BLOCK, vectors, item, from, small, sums);
        return BLOCK;
    }
    if (left >= 3) {
        outer_block(3, vectors, item, from, small, sums);
        return 3;
    }
    outer_block(1, vectors, item, from, small, sums);
    return 1;
}

/* Some vectors of a panel with as many columns as go at once; how many. */
static __attribute__((noinline)) int64_t multiply(int vectors, const struct outer_item *item,
                                                  int64_t left, const float *const from[],
                                                  const float *small, float *sums)
{
    if (vectors == SOME) return outer_columns(SOME, item, left, from, small, sums);
    if (vectors == 2) return outer_columns(2, item, left, from, small, sums);
    return outer_columns(1, item, left, from, small, sums);
}

/* With as many columns as go at once, from `column` on; how many. */
static int64_t multiply_some(const struct outer_item *item, const struct outer_buffers *own,
                             int vectors, int64_t panel, int v, int64_t column, int64_t columns,
                             float *sums)
{
#if defined(K_PAIRS)
    if (item->conv.pairs) {
        const uint16_t *halves[BLOCK];
        for (int64_t c = 0; c < BLOCK; c++)
            halves[c] = (const uint16_t *)own->band +
                        own->offset[column + c < columns ? column + c : column];
        return multiply_pairs(vectors, item, columns - column, halves,
                              own->pairs + panel * ROOM * PANEL + v * VL, sums);
    }
#endif
    const float *from[BLOCK];
    for (int64_t c = 0; c < BLOCK; c++)
        from[c] = own->band + own->offset[column + c < columns ? column + c : column];
    return multiply(vectors, item, columns - column, from,
                    own->small + panel * ROOM * PANEL + v * VL, sums);
}

static void add_tiles(const struct outer_item *item, struct outer_buffers *own)
{
    const int64_t columns = item->channels * conv_taps(&item->conv);
    for (int64_t panel = 0; panel * PANEL < item->rows; panel++) {
        const int64_t left = item->rows - panel * PANEL;
        const int64_t vectors = conv_up(left < PANEL ? left : PANEL, VL);
        for (int64_t v = 0, at_once; v < vectors; v += at_once) {
            float *sums = own->sums + panel * columns * PANEL + v * VL;
            at_once = vectors - v >= SOME ? SOME : vectors - v >= 2 ? 2 : 1;
            for (int64_t column = 0; column < columns;)
                column += multiply_some(item, own, (int)at_once, panel, (int)v, column, columns,
                                        sums + column * PANEL);
        }
    }
}

/* ---- an item ---- */

/* Where each (channel, tap) finds a tile's first position. */
static void list_columns(const struct outer_item *item, const struct band *band, int32_t *offset)
{
    const struct k_conv_axis *a = item->conv.axis;
    const struct conv_span *s = band->span;
    for (int64_t c = 0; c < item->channels; c++)
        for (int64_t d = 0; d < a[0].kernel; d++)
            for (int64_t h = 0; h < a[1].kernel; h++)
                for (int64_t w = 0; w < a[2].kernel; w++)
                    *offset++ =
                        (int32_t)(c * band->channel + band_at(band, s[0].first + d * a[0].dilation,
                                                              s[1].first + h * a[1].dilation,
                                                              s[2].first + w * a[2].dilation));
}

/* The positions of a tile whose band begins there. */
static void list_places(struct outer_item *item, const struct tile_place *p, int64_t begin)
{
    for (int64_t row = p->begin[1]; row < p->end[1]; row++) {
        for (int64_t column = 0; column < p->end[2] - p->begin[2]; column++)
            item->place[item->positions++] = (int32_t)(begin + column);
        begin += item->conv.axis[1].stride * item->band_row;
    }
}

/* [panel][column][m] becomes [m][column], rows `all` floats apart. */
static void store_sums(const struct outer_item *item, int64_t columns, const float *sums, float *to,
                       int64_t all)
{
    for (int64_t row = 0; row < item->rows; row += VL)
        for (int64_t column = 0; column < columns; column += VL) {
            const float *from = sums + (row / PANEL * columns + column) * PANEL + row % PANEL;
            if (row + VL <= item->rows && column + VL <= columns) {
                transpose(from, PANEL, to + row * all + column, all);
                continue;
            }
            for (int64_t r = 0; r < VL && row + r < item->rows; r++)
                for (int64_t c = 0; c < VL && column + c < columns; c++)
                    to[(row + r) * all + column + c] = from[c * PANEL + r];
        }
}

static void run_item(struct outer_item *item, struct outer_buffers *own, int64_t first,
                     int64_t last, float *to)
{
    const struct conv_outer_plan *plan = item->plan;
    const int64_t columns = item->channels * conv_taps(&item->conv);
    const int64_t panels = conv_up(item->rows, PANEL);
    struct conv_span span[K_CONV_AXES];
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        span[axis] = conv_span_of(&item->conv.axis[axis], false, 0, 1);
    span[1].count = conv_outer_rows(&item->conv, plan->rows);
    span[2].count = conv_outer_columns(&item->conv, plan->columns);
    const struct band band = band_of(span);
    item->band_channel = band.channel;
    item->band_row = band.row;
    list_columns(item, &band, own->offset);
    memset(own->sums, 0, sizeof(float) * (size_t)(panels * columns * PANEL));
    memset(own->rows, 0, sizeof own->rows);
    const int64_t tile_floats = item->channels * band.channel;
    for (int64_t tile = first; tile < last;) {
        item->positions = 0;
        for (int64_t i = 0; i < plan->tiles_at_once && tile < last; i++, tile++) {
            const struct tile_place p = place_of(item, tile);
            pack_small(item, &p, item->positions, own);
            pack_large(item, &p, own->band + i * tile_floats);
            list_places(item, &p, i * tile_floats);
        }
#if defined(K_PAIRS)
        if (item->conv.pairs) make_pairs(item, own, plan->tiles_at_once * tile_floats);
#endif
        add_tiles(item, own);
    }
    const int64_t all = item->conv.large_channels * conv_taps(&item->conv);
    store_sums(item, columns, own->sums,
               to + item->row * all + item->channel * conv_taps(&item->conv), all);
}

k_fn K_SYMBOL(conv_outer_grad);

/* Items are (part, group, row block, channel block). */
void K_SYMBOL(conv_outer_grad)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_conv *given = parameters;
    const struct conv_outer_plan plan = conv_outer_plan(given);
    struct outer_item item = {.conv = *given,
                              .small_width = given->axis[2].small,
                              .small_row = given->small.axis[1],
                              .large_row = given->large.axis[1],
                              .plan = &plan};
    if (plan.is_joined) conv_outer_join(&item.conv);
    const int64_t all = given->large_channels * conv_taps(given);
    struct outer_buffers own;
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
        run_item(&item, &own, first, first + (left < plan.part ? left : plan.part),
                 (float *)buffers[K_CONV_GRAD_PARTS] +
                     (part * given->groups + group) * given->small_channels * all);
    }
}
