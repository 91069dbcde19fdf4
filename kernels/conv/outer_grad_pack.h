/* SPDX-License-Identifier: Apache-2.0 */
/* What conv_grad_outer multiplies, copied for some tiles at a time: panels of small channels,
 * position by position, and the band of the large side. */
#ifndef ACLNN_CPU_KERNELS_CONV_OUTER_GRAD_PACK_H
#define ACLNN_CPU_KERNELS_CONV_OUTER_GRAD_PACK_H

#include "kernels/conv/conv_band.h"
#include "kernels/conv/outer_grad_last.h"
#include "kernels/conv/sweep_box.h"
#include "kernels/vector/transpose.h"

enum {
    PANEL = CONV_OUTER_PANEL,
    ROOM = CONV_OUTER_POSITIONS + CONV_LANES, /* positions; whole vectors are written */
    SOME = K_VECTOR_BYTES == 64 ? 4 : 2,      /* vectors of a panel that are taken at once */
    BLOCK = 6,                                /* columns that are taken at once */
};

/* Positions of a tile that lie in one row: the number of the first one, its place in the band and
 * in its plane. With pairs of bf16 every position makes one with the same position of a second
 * tile, as far as that reaches. */
struct segment {
    int32_t number, count, place;
    int32_t both; /* of the first ones, with the second tile's */
    int64_t at[2][K_CONV_AXES];
};

/* Where the factors of a product lie: in the band, seen from a column's place, and in a panel. */
struct term {
    int32_t place, row;
};

struct outer_grad {
    struct k_conv conv;  /* with rows joined where windows are single elements */
    bool is_paired;      /* its elements are pairs of bf16 */
    int64_t small_width; /* positions that lie evenly in the tensors: of a row before that */
    int64_t small_row, large_row; /* elements from row to row then */
    const struct conv_outer_plan *plan;
    int64_t row, rows, channel, channels; /* of the group */
    const char *small, *large;            /* of the group */
    struct band band;                     /* of a tile; those of tiles at an end are as large */
    const float *columns;                 /* bands, or the large side itself */
    int64_t ahead;     /* from the large side's elements to those of the next tiles */
    int64_t positions; /* of the tiles at once, or of their pairs */
    int64_t first[K_CONV_AXES], last[K_CONV_AXES]; /* no segment lies before or behind these */
    int64_t segments;
    struct segment segment[CONV_OUTER_POSITIONS];
    int64_t terms, both; /* of the tap in work; the first ones are of both tiles */
    struct term term[CONV_OUTER_POSITIONS];
    struct sweep small_ahead, large_ahead; /* of the tiles that come next, between products */
};

/* Where a tile lies. */
struct tile_place {
    int64_t batch, begin[K_CONV_AXES], end[K_CONV_AXES];
};

/* A tile and, with pairs, the second one, of the same size or smaller. */
struct tile_pair {
    struct tile_place of[2];
    int64_t number; /* of its first position */
};

struct outer_grad_buffers {
    _Alignas(64) float small[CONV_OUTER_ROWS / PANEL * ROOM * PANEL]; /* [panel][position][m] */
    _Alignas(64) float band[CONV_OUTER_BAND + 2 * CONV_LANES];
    _Alignas(64) float sums[CONV_OUTER_SUMS + CONV_LANES * PANEL]; /* [panel][column][m] */
    _Alignas(64) float rows[PANEL * ROOM];                         /* [m][position] */
    int32_t offset[CONV_OUTER_SUMS / PANEL];                       /* of each column in the band */
    struct tile_pair tile[CONV_OUTER_POSITIONS];
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

/* With pairs, the tiles of an image and those of the next one in turns; those of the last image of
 * an odd number follow each other. */
static struct tile_place place_of(const struct outer_grad *item, int64_t index)
{
    const struct conv_outer_plan *plan = item->plan;
    const struct k_conv *conv = &item->conv;
    const int64_t of_image = plan->row_blocks * plan->column_blocks * conv->axis[0].small;
    struct tile_place p = {.batch = index / of_image};
    index %= of_image;
    if (conv->pairs && (p.batch | 1) < conv->batch) {
        index += p.batch % 2 * of_image;
        p.batch = p.batch / 2 * 2 + index % 2;
        index /= 2;
    }
    p.begin[2] = index % plan->column_blocks * plan->columns;
    index /= plan->column_blocks;
    p.begin[1] = index % plan->row_blocks * plan->rows;
    p.begin[0] = index / plan->row_blocks;
    const int64_t width[] = {1, plan->rows, plan->columns};
    for (int axis = 0; axis < K_CONV_AXES; axis++) {
        const int64_t size = conv->axis[axis].small;
        p.end[axis] = p.begin[axis] + width[axis] < size ? p.begin[axis] + width[axis] : size;
    }
    return p;
}

/* A tile's positions of one small channel, row behind row. */
enum { AHEAD = 8 }; /* channels that are prefetched before they are read */

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

/* The same of positions that lie side by side, transposed on the way, piece by piece that lies
 * evenly in the tensor. */
static void turn_small(const struct outer_grad *item, const struct tile_place *p, const char *from,
                       int64_t channels, float *to)
{
    const struct k_conv_tensor *t = &item->conv.small;
    const int64_t size = pack_size(t->dtype), columns = p->end[2] - p->begin[2];
    int64_t at = p->begin[2], end = p->end[2], width = item->small_width, apart = item->small_row;
    int64_t first = p->batch * t->outer + p->begin[0] * t->axis[0];
    if (!item->plan->is_joined) {
        first += p->begin[1] * t->axis[1] + at;
        apart = t->axis[1];
        at = 0;
        end = (p->end[1] - p->begin[1]) * columns;
        width = apart == columns ? end : columns; /* rows may follow each other */
    }
    for (int64_t some; at < end; at += some, to += some * PANEL) {
        const int64_t left = width - at % width;
        some = left < end - at ? left : end - at;
        turn_row(t->dtype, v_address(from, size * (first + at / width * apart + at % width)),
                 size * t->inner, channels, some, item->conv.rounding, to, PANEL);
    }
}

/* Rows of positions become a panel. */
static inline void turn_panel(const struct outer_grad *item, const struct outer_grad_buffers *own,
                              int64_t rows, float *to)
{
    for (int64_t r = 0; r < PANEL && r < rows; r += VL)
        for (int64_t i = 0; i < item->positions; i += VL)
            transpose(own->rows + r * ROOM + i, ROOM, to + i * PANEL + r, PANEL);
}

/* The panels of some tiles. */
static __attribute__((unused)) void pack_small(const struct outer_grad *item, int64_t tiles,
                                               struct outer_grad_buffers *own)
{
    const struct k_conv_tensor *t = &item->conv.small;
    const int64_t size = pack_size(t->dtype);
    for (int64_t panel = 0; panel * PANEL < item->rows; panel++) {
        float *to = own->small + panel * ROOM * PANEL;
        const int64_t left = item->rows - panel * PANEL;
        const char *from = v_address(item->small, size * (item->row + panel * PANEL) * t->inner);
        if (t->inner == 1 && left >= LAST_FEW) {
            for (int64_t i = 0; i < tiles; i++)
                pack_small_last(item, &own->tile[i].of[0], from, left < PANEL ? left : PANEL,
                                to + own->tile[i].number * PANEL);
            continue;
        }
        if (t->axis[2] == 1) {
            for (int64_t i = 0; i < tiles; i++)
                turn_small(item, &own->tile[i].of[0], from, left < PANEL ? left : PANEL,
                           to + own->tile[i].number * PANEL);
            continue;
        }
        for (int64_t r = 0; r < PANEL && r < left; r++)
            for (int64_t i = 0; i < tiles; i++)
                pack_small_row(item, &own->tile[i].of[0], v_address(from, size * r * t->inner),
                               own->rows + r * ROOM + own->tile[i].number);
        turn_panel(item, own, left, to);
    }
}

/* The band of the item's channels of a tile. */
static __attribute__((unused)) void pack_large(const struct outer_grad *item,
                                               const struct tile_place *p, float *to)
{
    const struct k_conv *conv = &item->conv;
    const struct k_conv_tensor *t = &conv->large;
    const bool is_last = t->inner == 1 && item->channels >= LAST_FEW;
    const int64_t size = pack_size(t->dtype);
    const char *from =
        v_address(item->large, size * (p->batch * t->outer + item->channel * t->inner));
    if (item->plan->is_joined && is_last) {
        for (int64_t i = p->begin[2], some; i < p->end[2]; i += some, to += some) {
            const int64_t at = i % item->small_width, left = item->small_width - at;
            some = left < p->end[2] - i ? left : p->end[2] - i;
            const int64_t element = p->begin[0] * t->axis[0] +
                                    i / item->small_width * item->large_row + at * t->axis[2];
            turn_row(t->dtype, v_address(from, size * element), size * t->axis[2], some,
                     item->channels, conv->rounding, to, item->band.channel);
        }
        return;
    }
    if (item->plan->is_joined) {
        for (int64_t c = 0; c < item->channels; c++) {
            const int64_t ahead =
                size * ((c + AHEAD) * t->inner + p->begin[0] * t->axis[0] + p->begin[2]);
            if (c + AHEAD < item->channels && t->axis[2] == 1)
                band_prefetch(v_address(from, ahead), size * (p->end[2] - p->begin[2]));
            pack_line(item, t, item->large_row,
                      v_address(from, size * (c * t->inner + p->begin[0] * t->axis[0])),
                      p->begin[2], p->end[2] - p->begin[2], to + c * item->band.channel);
        }
        return;
    }
    struct band band = item->band;
    int64_t extent[K_CONV_AXES];
    for (int axis = 0; axis < K_CONV_AXES; axis++) {
        band.span[axis].first =
            conv_span_of(&conv->axis[axis], false, p->begin[axis], p->end[axis]).first;
        extent[axis] = conv->axis[axis].large;
    }
    if (is_last)
        turn_band(&band, t, extent, from, item->channels, conv->rounding, to);
    else
        band_pack(&band, t, extent, from, item->channels, conv->rounding, to);
}

#endif
