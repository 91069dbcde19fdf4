/* SPDX-License-Identifier: Apache-2.0 */
/* What conv_outer_grad multiplies, copied for some tiles at a time: panels of small channels,
 * position by position, and the band of the large side. */
#ifndef ACLNN_CPU_KERNELS_SIMD_OUTER_GRAD_PACK_H
#define ACLNN_CPU_KERNELS_SIMD_OUTER_GRAD_PACK_H

#include "kernels/simd/conv_band.h"
#include "kernels/simd/outer_grad_last.h"
#include "kernels/simd/sweep_box.h"
#include "kernels/simd/transpose.h"

enum {
    PANEL = CONV_OUTER_PANEL,
    ROOM = CONV_OUTER_POSITIONS + CONV_LANES, /* positions; whole vectors are written */
    SOME = K_VECTOR_BYTES == 64 ? 4 : 2,      /* vectors of a panel that are taken at once */
    BLOCK = 6,                                /* columns that are taken at once */
};

/* Positions of a tile that lie in one row: the number of the first one, its place in the band and
 * in its plane. With pairs, neighbours make one; so do the last positions of two rows whose number
 * is odd. */
struct segment {
    int32_t number, count, place;
    int64_t at[K_CONV_AXES];
    int32_t pair;   /* the first one's row in a panel */
    int32_t single; /* that of the last position, if it has no neighbour; -1 */
    bool is_second; /* in that row */
};

/* Where the factors of a product lie: in the band, seen from a column's place, and in a panel. */
struct term {
    int32_t place, row;
};

struct outer_grad {
    struct k_conv conv;  /* with rows joined where windows are single elements */
    int64_t small_width; /* positions that lie evenly in the tensors: of a row before that */
    int64_t small_row, large_row; /* elements from row to row then */
    const struct conv_outer_plan *plan;
    int64_t row, rows, channel, channels;          /* of the group */
    const char *small, *large;                     /* of the group */
    int64_t band_channel, band_row;                /* floats */
    int64_t positions;                             /* of the tiles at once */
    int64_t first[K_CONV_AXES], last[K_CONV_AXES]; /* no segment lies before or behind these */
    int64_t segments;
    struct segment segment[CONV_OUTER_POSITIONS];
    int64_t terms; /* of the tap in work; with pairs that many before the singles */
    int64_t single_terms;
    int64_t pairs, singles; /* rows of a panel of pairs; positions without a neighbour */
    int16_t of_pair[2 * (CONV_OUTER_POSITIONS + CONV_LANES)]; /* positions' numbers; -1: a zero */
    struct term term[CONV_OUTER_POSITIONS];
    struct sweep small_ahead, large_ahead; /* of the tiles that come next, between products */
};

/* Where a tile lies. */
struct tile_place {
    int64_t batch, begin[K_CONV_AXES], end[K_CONV_AXES];
    int64_t number; /* of its first position */
};

struct outer_grad_buffers {
    _Alignas(64) float small[CONV_OUTER_ROWS / PANEL * ROOM * PANEL]; /* [panel][position][m] */
    _Alignas(64) float band[CONV_OUTER_BAND];
    _Alignas(64) float sums[CONV_OUTER_SUMS + CONV_LANES * PANEL];    /* [panel][column][m] */
    _Alignas(64) float rows[PANEL * ROOM];                            /* [m][position] */
    _Alignas(64) float pairs[CONV_OUTER_ROWS / PANEL * ROOM * PANEL]; /* [panel][pair][m] */
    int32_t offset[CONV_OUTER_SUMS / PANEL]; /* of each column in the band */
    struct tile_place tile[CONV_OUTER_POSITIONS];
};

/* ---- packing ---- */

/* Whether positions of a side are packed as the halves that they are, of which pairs are made. */
static inline bool packs_halves(const struct outer_grad *item, const struct k_conv_tensor *t)
{
    return item->conv.pairs && t->inner != 1 && t->axis[2] == 1;
}

static inline bool packs_half_band(const struct outer_grad *item)
{
    return packs_halves(item, &item->conv.large) && item->conv.axis[2].stride == 1;
}

/* `count` positions. */
static void pack_row(const struct outer_grad *item, const struct k_conv_tensor *t, bool halves,
                     const char *from, int64_t count, char *to)
{
    if (halves)
        k_halves_row(from, 0, count, count, to);
    else
        band_row(t->dtype, from, t->axis[2], 0, count, count, item->conv.rounding,
                 (float *)(void *)to);
}

/* `count` positions from `begin` on of a line whose rows of `width` lie `row` elements apart. */
static void pack_line(const struct outer_grad *item, const struct k_conv_tensor *tensor,
                      int64_t row, bool halves, const char *from, int64_t begin, int64_t count,
                      char *to)
{
    const int64_t size = pack_size(tensor->dtype), width = item->small_width;
    while (count > 0) {
        const int64_t at = begin % width, left = width - at, some = left < count ? left : count;
        pack_row(item, tensor, halves,
                 v_address(from, size * (begin / width * row + at * tensor->axis[2])), some, to);
        begin += some;
        count -= some;
        to += (halves ? 2 : 4) * some;
    }
}

static struct tile_place place_of(const struct outer_grad *item, int64_t index)
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
enum { AHEAD = 8 }; /* channels that are announced before they are read */

static void pack_small_row(const struct outer_grad *item, const struct tile_place *p, bool halves,
                           const char *from, char *to)
{
    const struct k_conv_tensor *t = &item->conv.small;
    const int64_t size = pack_size(t->dtype), columns = p->end[2] - p->begin[2];
    from = v_address(from, size * (p->batch * t->outer + p->begin[0] * t->axis[0]));
    if (item->plan->is_joined) {
        pack_line(item, t, item->small_row, halves, from, p->begin[2], columns, to);
        return;
    }
    int64_t rows = p->end[1] - p->begin[1], count = columns;
    from = v_address(from, size * (p->begin[1] * t->axis[1] + p->begin[2] * t->axis[2]));
    if (t->axis[1] == columns * t->axis[2]) { /* rows follow each other */
        count *= rows;
        rows = 1;
        if (t->axis[2] == 1) band_announce(v_address(from, AHEAD * size * t->inner), size * count);
    }
    for (int64_t row = 0; row < rows; row++, to += (halves ? 2 : 4) * count)
        pack_row(item, t, halves, v_address(from, size * row * t->axis[1]), count, to);
}

/* The same of channels that lie side by side: a tile's positions of a panel's channels. */
static void pack_small_last(const struct outer_grad *item, const struct tile_place *p,
                            const char *from, int64_t channels, float *to)
{
    const struct k_conv_tensor *t = &item->conv.small;
    const int64_t size = pack_size(t->dtype), columns = p->end[2] - p->begin[2];
    from = v_address(from, size * (p->batch * t->outer + p->begin[0] * t->axis[0]));
    if (!item->plan->is_joined) {
        from = v_address(from, size * (p->begin[1] * t->axis[1] + p->begin[2] * t->axis[2]));
        for (int64_t row = p->begin[1]; row < p->end[1]; row++, to += columns * PANEL)
            last_rows(t->dtype, v_address(from, size * (row - p->begin[1]) * t->axis[1]),
                      size * t->axis[2], columns, channels, item->conv.rounding, to, PANEL);
        return;
    }
    for (int64_t i = p->begin[2], some; i < p->end[2]; i += some, to += some * PANEL) {
        const int64_t at = i % item->small_width, left = item->small_width - at;
        some = left < p->end[2] - i ? left : p->end[2] - i;
        const int64_t element = i / item->small_width * item->small_row + at * t->axis[2];
        last_rows(t->dtype, v_address(from, size * element), size * t->axis[2], some, channels,
                  item->conv.rounding, to, PANEL);
    }
}

#if defined(K_PAIRS)
/* A row of halves, positions in order, as a row of pairs. */
static void pair_row(const struct outer_grad *item, const uint16_t *halves, float *to)
{
    for (int64_t pair = 0; pair < item->pairs; pair += VL) {
        const __m512i number = _mm512_loadu_si512(item->of_pair + 2 * pair);
        const __mmask32 some = _mm512_movepi16_mask(~number);
        /* Neighbours, of which the first one is the lowest or the next. */
        int first = item->of_pair[2 * pair];
        const __m512i from = _mm512_sub_epi16(number, _mm512_set1_epi16((int16_t)first));
        __m512i value;
        if (_mm512_mask_cmpgt_epu16_mask(some, from, _mm512_set1_epi16(63)) == 0) {
            const __m512i low = _mm512_loadu_si512(halves + first);
            const __m512i high = _mm512_loadu_si512(halves + first + 2 * VL);
            value = _mm512_maskz_permutex2var_epi16(some, low, from, high);
        } else {
            uint16_t one[2 * VL];
            for (int i = 0; i < 2 * VL; i++) {
                const int at = item->of_pair[2 * pair + i];
                one[i] = at < 0 ? 0 : halves[at];
            }
            memcpy(&value, one, sizeof value);
        }
        _mm512_storeu_si512(to + pair, value);
    }
}
#endif

/* The panels of some tiles; with pairs, of pairs. */
static __attribute__((unused)) void pack_small(const struct outer_grad *item,
                                               const struct tile_place tile[], int64_t tiles,
                                               struct outer_grad_buffers *own)
{
    const struct k_conv_tensor *t = &item->conv.small;
    const bool is_halved = packs_halves(item, t);
    const int64_t size = pack_size(t->dtype), unit = is_halved ? 2 : 4;
    const int64_t count = is_halved ? item->pairs : item->positions;
    for (int64_t panel = 0; panel * PANEL < item->rows; panel++) {
        float *to = (is_halved ? own->pairs : own->small) + panel * ROOM * PANEL;
        const int64_t left = item->rows - panel * PANEL;
        const char *from = v_address(item->small, size * (item->row + panel * PANEL) * t->inner);
        if (t->inner == 1 && left >= LAST_FEW) {
            for (int64_t i = 0; i < tiles; i++)
                pack_small_last(item, &tile[i], from, left < PANEL ? left : PANEL,
                                to + tile[i].number * PANEL);
            continue;
        }
        /* Halves wait where floats else are; a row that was just written is not read at once. */
        float *lines = is_halved && item->singles > 0 ? own->small : own->rows;
        for (int64_t r = 0; r < PANEL && r < left; r++)
            for (int64_t i = 0; i < tiles; i++)
                pack_small_row(item, &tile[i], is_halved, v_address(from, size * r * t->inner),
                               (char *)(lines + r * ROOM) + unit * tile[i].number);
#if defined(K_PAIRS)
        for (int64_t r = 0; lines != own->rows && r < PANEL && r < left; r++)
            pair_row(item, (const uint16_t *)(const void *)(lines + r * ROOM),
                     own->rows + r * ROOM);
#endif
        for (int64_t r = 0; r < PANEL && r < left; r += VL)
            for (int64_t i = 0; i < count; i += VL)
                transpose(own->rows + r * ROOM + i, ROOM, to + i * PANEL + r, PANEL);
    }
}

/* The band of the item's channels of a tile. */
static __attribute__((unused)) void pack_large(const struct outer_grad *item,
                                               const struct tile_place *p, char *to)
{
    const struct k_conv *conv = &item->conv;
    const struct k_conv_tensor *t = &conv->large;
    const bool is_last = t->inner == 1 && item->channels >= LAST_FEW;
    const bool halves = packs_half_band(item);
    const int64_t size = pack_size(t->dtype), unit = halves ? 2 : 4;
    float *floats = (float *)(void *)to;
    const char *from =
        v_address(item->large, size * (p->batch * t->outer + item->channel * t->inner));
    if (item->plan->is_joined && is_last) {
        for (int64_t i = p->begin[2], some; i < p->end[2]; i += some, floats += some) {
            const int64_t at = i % item->small_width, left = item->small_width - at;
            some = left < p->end[2] - i ? left : p->end[2] - i;
            const int64_t element = p->begin[0] * t->axis[0] +
                                    i / item->small_width * item->large_row + at * t->axis[2];
            turn_row(t->dtype, v_address(from, size * element), size * t->axis[2], some,
                     item->channels, conv->rounding, floats, item->band_channel);
        }
        return;
    }
    if (item->plan->is_joined) {
        for (int64_t c = 0; c < item->channels; c++) {
            const int64_t ahead =
                size * ((c + AHEAD) * t->inner + p->begin[0] * t->axis[0] + p->begin[2]);
            if (c + AHEAD < item->channels && t->axis[2] == 1)
                band_announce(v_address(from, ahead), size * (p->end[2] - p->begin[2]));
            pack_line(item, t, item->large_row, halves,
                      v_address(from, size * (c * t->inner + p->begin[0] * t->axis[0])),
                      p->begin[2], p->end[2] - p->begin[2], to + unit * c * item->band_channel);
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
    if (is_last)
        turn_band(&band, t, extent, from, item->channels, conv->rounding, floats);
    else if (halves)
        band_pack_as(true, &band, t, extent, from, item->channels, conv->rounding, to);
    else
        band_pack(&band, t, extent, from, item->channels, conv->rounding, floats);
}

/* ---- pairs ---- */

static void number_pair(struct outer_grad *item, int64_t first, int64_t second)
{
    int16_t *to = item->of_pair + 2 * item->pairs++;
    to[0] = (int16_t)first;
    to[1] = (int16_t)second;
}

/* The rows of a panel of pairs, in the order of their positions. */
static __attribute__((unused)) void number_pairs(struct outer_grad *item)
{
    const struct segment *waiting = NULL;
    item->pairs = item->singles = 0;
    for (int64_t i = 0; i < item->segments; i++) {
        struct segment *s = &item->segment[i];
        const int64_t last = s->number + s->count - 1;
        s->pair = (int32_t)item->pairs;
        for (int64_t at = s->number; at < last; at += 2)
            number_pair(item, at, at + 1);
        s->single = -1;
        if (s->count % 2 == 0) continue;
        s->is_second = item->singles++ % 2 != 0;
        if (!s->is_second) {
            waiting = s;
            continue;
        }
        s->single = (int32_t)item->pairs;
        number_pair(item, waiting->number + waiting->count - 1, last);
    }
    if (item->singles % 2) number_pair(item, waiting->number + waiting->count - 1, -1);
    for (int i = 0; i < 2 * CONV_LANES; i++)
        item->of_pair[2 * item->pairs + i] = -1;
}

#if defined(K_PAIRS)
/* Panels of floats, row by row of two positions, become panels of pairs. */
static void pair_panels(const struct outer_grad *item, struct outer_grad_buffers *own)
{
    for (int64_t panel = 0; panel * PANEL < item->rows; panel++) {
        const float *small = own->small + panel * ROOM * PANEL;
        float *to = own->pairs + panel * ROOM * PANEL;
        for (int64_t pair = 0; pair < item->pairs; pair++, to += PANEL) {
            const int16_t *of = item->of_pair + 2 * pair;
            for (int v = 0; v < PANEL; v += VL) {
                const vf first = v_load(small + of[0] * PANEL + v);
                const vu both =
                    v_pair(first, of[1] < 0 ? (vf){0} : v_load(small + of[1] * PANEL + v));
                memcpy(to + v, &both, sizeof both);
            }
        }
    }
}

/* What was packed as floats becomes pairs and halves. */
static __attribute__((unused)) void make_pairs(const struct outer_grad *item,
                                               struct outer_grad_buffers *own, int64_t band_floats)
{
    if (!packs_halves(item, &item->conv.small)) pair_panels(item, own);
    if (packs_half_band(item)) return;
    char *halves = (char *)own->band;
    for (int64_t i = 0; i < band_floats; i += VL) {
        const vh half = __builtin_convertvector((vu)v_load(own->band + i) >> 16, vh);
        memcpy(halves + i * 2, &half, sizeof half);
    }
}
#endif

#endif
