/* SPDX-License-Identifier: Apache-2.0 */
/* What conv_outer_grad multiplies, copied for some tiles at a time: panels of small channels,
 * position by position, and the band of the large side. */
#ifndef ACLNN_CPU_KERNELS_SIMD_OUTER_GRAD_PACK_H
#define ACLNN_CPU_KERNELS_SIMD_OUTER_GRAD_PACK_H

#include "kernels/simd/conv_band.h"
#include "kernels/simd/outer_grad_last.h"
#include "kernels/simd/transpose.h"

enum {
    PANEL = CONV_OUTER_PANEL,
    ROOM = CONV_OUTER_POSITIONS + CONV_LANES, /* positions; whole vectors are written */
    SOME = K_VECTOR_BYTES == 64 ? 4 : 2,      /* vectors of a panel that are taken at once */
    BLOCK = 6,                                /* columns that are taken at once */
};

/* Positions of a tile that lie in one row: the number of the first one, its place in the band and
 * in its plane. With pairs, neighbours make one; pairs come before positions that have no partner.
 */
struct segment {
    int32_t number, count, place;
    int64_t at[K_CONV_AXES];
    int32_t pair, single; /* numbers of the first pair and of the last position, if it is alone */
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
    struct term term[CONV_OUTER_POSITIONS];
};

struct outer_grad_buffers {
    _Alignas(64) float small[CONV_OUTER_ROWS / PANEL * ROOM * PANEL]; /* [panel][position][m] */
    _Alignas(64) float band[CONV_OUTER_BAND];
    _Alignas(64) float sums[CONV_OUTER_SUMS + CONV_LANES * PANEL];    /* [panel][column][m] */
    _Alignas(64) float rows[PANEL * ROOM];                            /* [m][position] */
    _Alignas(64) float pairs[CONV_OUTER_ROWS / PANEL * ROOM * PANEL]; /* [panel][pair][m] */
    int32_t offset[CONV_OUTER_SUMS / PANEL]; /* of each column in the band */
};

/* ---- packing ---- */

/* `count` positions from `begin` on of a line whose rows of `width` lie `row` elements apart. */
static void pack_line(const struct outer_grad *item, const struct k_conv_tensor *tensor,
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
enum { AHEAD = 4 }; /* channels that are announced before they are read */

static void pack_small_row(const struct outer_grad *item, const struct tile_place *p,
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

/* The panels' positions from `at` on. */
static __attribute__((unused)) void pack_small(const struct outer_grad *item,
                                               const struct tile_place *p, int64_t at,
                                               struct outer_grad_buffers *own)
{
    const struct k_conv_tensor *t = &item->conv.small;
    const int64_t count =
        (p->end[1] - p->begin[1]) * (p->end[2] - p->begin[2]); /* not more than ROOM - lanes */
    for (int64_t panel = 0; panel * PANEL < item->rows; panel++) {
        float *to = own->small + (panel * ROOM + at) * PANEL;
        const int64_t left = item->rows - panel * PANEL;
        const char *from =
            v_address(item->small, pack_size(t->dtype) * (item->row + panel * PANEL) * t->inner);
        if (t->inner == 1 && left >= LAST_FEW) {
            pack_small_last(item, p, from, left < PANEL ? left : PANEL, to);
            continue;
        }
        for (int64_t r = 0; r < PANEL && r < left; r++)
            pack_small_row(item, p, v_address(from, pack_size(t->dtype) * r * t->inner),
                           own->rows + r * ROOM);
        for (int64_t r = 0; r < PANEL && r < left; r += VL)
            for (int64_t i = 0; i < count; i += VL)
                transpose(own->rows + r * ROOM + i, ROOM, to + i * PANEL + r, PANEL);
    }
}

/* The band of the item's channels behind those that are there. */
static __attribute__((unused)) void pack_large(const struct outer_grad *item,
                                               const struct tile_place *p, float *to)
{
    const struct k_conv *conv = &item->conv;
    const struct k_conv_tensor *t = &conv->large;
    const int64_t size = pack_size(t->dtype);
    const char *from =
        v_address(item->large, size * (p->batch * t->outer + item->channel * t->inner));
    const bool is_last = t->inner == 1 && item->channels >= LAST_FEW;
    if (item->plan->is_joined && is_last) {
        for (int64_t i = p->begin[2], some; i < p->end[2]; i += some, to += some) {
            const int64_t at = i % item->small_width, left = item->small_width - at;
            some = left < p->end[2] - i ? left : p->end[2] - i;
            const int64_t element = p->begin[0] * t->axis[0] +
                                    i / item->small_width * item->large_row + at * t->axis[2];
            turn_row(t->dtype, v_address(from, size * element), size * t->axis[2], some,
                     item->channels, conv->rounding, to, item->band_channel);
        }
        return;
    }
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
    if (is_last)
        turn_band(&band, t, extent, from, item->channels, conv->rounding, to);
    else
        band_pack(&band, t, extent, from, item->channels, conv->rounding, to);
}

#if defined(K_PAIRS)
/* A panel's rows of two positions, or of one, as a row of pairs. */
static void pair_rows(const float *from, bool has_next, float *to)
{
    for (int v = 0; v < PANEL; v += VL) {
        const vf second = has_next ? v_load(from + PANEL + v) : (vf){0};
        const vu pair = v_pair(v_load(from + v), second);
        memcpy(to + v, &pair, sizeof pair);
    }
}

/* Panels and bands, as they were packed, become pairs of bf16 and bf16. */
static __attribute__((unused)) void make_pairs(struct outer_grad *item,
                                               struct outer_grad_buffers *own, int64_t band_floats)
{
    int32_t rows = 0;
    for (int64_t i = 0; i < item->segments; i++) {
        item->segment[i].pair = rows;
        rows += item->segment[i].count / 2;
    }
    for (int64_t i = 0; i < item->segments; i++)
        item->segment[i].single = item->segment[i].count % 2 ? rows++ : -1;
    for (int64_t panel = 0; panel * PANEL < item->rows; panel++) {
        const float *small = own->small + panel * ROOM * PANEL;
        float *pairs = own->pairs + panel * ROOM * PANEL;
        for (int64_t i = 0; i < item->segments; i++) {
            const struct segment *s = &item->segment[i];
            for (int64_t k = 0; k < s->count / 2; k++)
                pair_rows(small + (s->number + 2 * k) * PANEL, true, pairs + (s->pair + k) * PANEL);
            if (s->single >= 0)
                pair_rows(small + (s->number + s->count - 1) * PANEL, false,
                          pairs + s->single * PANEL);
        }
    }
    char *halves = (char *)own->band;
    for (int64_t i = 0; i < band_floats; i += VL) {
        const vh half = __builtin_convertvector((vu)v_load(own->band + i) >> 16, vh);
        memcpy(halves + i * 2, &half, sizeof half);
    }
}
#endif

#endif
