/* SPDX-License-Identifier: Apache-2.0 */
/* One side of a convolution from the other where every window is a single element and a channel's
 * positions lie side by side: the packed weight (rows: result channels) times the operand's rows of
 * positions, which need no turning round, neither before nor after.
 *
 * The positions of all images make one row. An item copies some channels of a few tiles of it at a
 * time, pairs of bf16 zipped, and multiplies them with every panel of its rows; sums that are not
 * complete wait in the item's own block. What comes next is prefetched from within the products,
 * one line with each term: so many lines at a time would make them wait. The terms between two
 * additions are conv_outer's, so results have the bits that they have where positions do not lie
 * side by side.
 *
 * An item needs some 590 KiB of stack. */
#include <stdint.h>

#include "kernels/conv/conv_band.h"
#include "kernels/conv/conv_point_plan.h"
#include "kernels/conv/conv_side.h"
#include "kernels/conv/point_panel.h"

enum {
    POINT_COLUMNS = POINT_TILES * CONV_TILE,
};

/* Columns of an item that lie in one image. */
struct point_piece {
    int64_t element; /* of its first position, from the image's first one */
    int64_t image;
    int first, count; /* columns */
};

/* Lanes of a vector of columns that lie in one image; the lanes before them are those of the span
 * before. */
struct point_span {
    int first, count;    /* lanes */
    int tile, column;    /* of the vector, in its tile */
    int64_t operand, to; /* elements from a channel's first one to where lane 0 would lie */
};

enum { POINT_SPANS = POINT_COLUMNS / VL + POINT_PIECES };

struct point_item {
    const struct k_conv *conv;
    const struct conv_point *plan;
    const char *operand; /* of the group */
    char *result;        /* of the tensor */
    const char *bias;
    const float *weight;   /* of the first panel */
    int64_t channel, rows; /* of the result */
    int64_t apart;         /* the operand's channels, in elements */
    int pieces, spans, tiles;
    struct point_piece piece[POINT_PIECES];
    struct point_span span[POINT_SPANS];
    /* Of a tile: elements from a channel's first one, of the operand and of the result; or -1: not
     * of one image. */
    int64_t straight[POINT_TILES * CONV_TILE / GEMM_COLUMNS];
    int64_t into[POINT_TILES * CONV_TILE / GEMM_COLUMNS];
    bool is_stored, has_loose; /* by products: some tiles; and not all */
};

struct point_buffers {
    _Alignas(64) float columns[POINT_FLOATS];           /* [tile][channel][column] */
    _Alignas(64) float sums[POINT_FLOATS + CONV_LANES]; /* [panel][row][tile][column] */
};

/* ---- packing ---- */

static inline const char *piece_at(const struct point_item *item, const struct k_conv_tensor *t,
                                   const struct point_piece *piece, int64_t channel)
{
    return v_address(item->operand, pack_size(t->dtype) * (piece->image * t->outer +
                                                           piece->element + channel * t->inner));
}

/* A vector of a channel's columns, joined to those lanes that come from the image before. */
K_TEMPLATE
vf load_span(enum k_dtype dt, const struct point_item *item, const struct point_span *s, int64_t c,
             vf before)
{
    const char *at = v_address(item->operand, k_size(dt) * (c * item->apart + s->operand));
    const vf other = s->first == 0 ? (vf){0} : before;
    return k_load_between(dt, at, 1, s->first, s->count, other);
}

/* Channels [begin, end) of the tiles that products do not pack. */
K_TEMPLATE
void pack_columns(enum k_dtype dt, bool pairs, const struct point_item *item, int64_t begin,
                  int64_t end, float *to)
{
    const int64_t step = pairs ? 2 : 1, tile = conv_up(end - begin, step) * GEMM_COLUMNS;
    const enum k_rounding rounding = item->conv->rounding;
    for (const struct point_span *s = item->span; s < item->span + item->spans;) {
        const struct point_span *first = s;
        do
            s++;
        while (s < item->span + item->spans && s->tile == first->tile);
        if (item->straight[first->tile] >= 0) continue;
        float *row = to + first->tile * tile;
        for (int64_t c = begin; c < end; c += step, row += GEMM_COLUMNS) {
            vf one = {0}, other = {0};
            for (const struct point_span *i = first; i < s; i++) {
                one = load_span(dt, item, i, c, one);
                if (pairs && c + 1 < end) other = load_span(dt, item, i, c + 1, other);
                vf value = pairs ? (vf)v_pair(one, other) : one;
                if (rounding != K_ROUND_NONE) value = v_round_operand(rounding, one);
                v_store(row + i->column, value);
            }
        }
    }
}

static __attribute__((noinline)) void pack_channels(const struct point_item *item, int64_t begin,
                                                    int64_t end, struct point_buffers *own)
{
    const enum k_dtype dt = tensor_from(item->conv)->dtype;
#if defined(K_PAIRS)
    if (item->conv->pairs) {
        pack_columns(K_BF16, true, item, begin, end, own->columns);
        return;
    }
#endif
    if (dt == K_F32)
        pack_columns(K_F32, false, item, begin, end, own->columns);
    else if (dt == K_F16)
        pack_columns(K_F16, false, item, begin, end, own->columns);
    else
        pack_columns(K_BF16, false, item, begin, end, own->columns);
}

/* ---- storing ---- */

/* `count` sums and what is added to them, by non-temporal stores in whole lines. */
K_TEMPLATE
void stream_run(enum k_dtype dt, const float *from, int64_t count, vf add, char *to)
{
    enum { AT_ONCE = LINE_BYTES / K_VECTOR_BYTES };
    const int64_t block = dt == K_F32 ? VL : 2 * VL;
    const int64_t head = (int64_t)(-(uintptr_t)to % LINE_BYTES) / k_size(dt);
    int64_t i = 0;
    for (; i < head && i < count; i += VL) {
        const int64_t left = (head < count ? head : count) - i;
        k_store_between(dt, to + i * k_size(dt), 1, 0, (int)(left < VL ? left : VL),
                        v_load(from + i) + add);
    }
    if (i > head) i = head;
    for (; i + AT_ONCE * block <= count; i += AT_ONCE * block)
#pragma GCC unroll 4
        for (int v = 0; v < AT_ONCE; v++) {
            const float *at = from + i + v * block;
            const vf low = v_load(at) + add;
            const vf elements = dt == K_F32 ? low : (vf)v_to_halves(dt, low, v_load(at + VL) + add);
            k_stream(to + (i + v * block) * k_size(dt), elements);
        }
    for (; i < count; i += VL)
        k_store_between(dt, to + i * k_size(dt), 1, 0, (int)(count - i < VL ? count - i : VL),
                        v_load(from + i) + add);
}

/* A row of results, from its sums and what is added to them; of loose tiles or all. */
K_TEMPLATE
void store_row(enum k_dtype dt, const struct point_item *item, bool is_loose, const float *sums,
               vf add, char *to)
{
    const struct k_conv_tensor *t = tensor_to(item->conv);
    if (is_loose || !item->conv->stream_output) {
        for (const struct point_span *s = item->span; s < item->span + item->spans; s++)
            if (!is_loose || item->into[s->tile] < 0)
                k_store_between(dt, to + k_size(dt) * s->to, 1, s->first, s->count,
                                v_load(sums + s->tile * GEMM_COLUMNS + s->column) + add);
        return;
    }
    for (const struct point_piece *p = item->piece; p < item->piece + item->pieces; p++)
        stream_run(dt, sums + p->first, p->count, add,
                   to + k_size(dt) * (p->image * t->outer + p->element));
}

static __attribute__((noinline)) void put_row(const struct point_item *item, bool is_loose,
                                              const float *sums, float bias, char *to)
{
    const enum k_dtype dt = tensor_to(item->conv)->dtype;
    if (dt == K_F32)
        store_row(K_F32, item, is_loose, sums, v_all(bias), to);
    else if (dt == K_F16)
        store_row(K_F16, item, is_loose, sums, v_all(bias), to);
    else
        store_row(K_BF16, item, is_loose, sums, v_all(bias), to);
}

static int64_t rows_of(const struct point_item *item, int64_t panel)
{
    const int64_t left = item->rows - panel * CONV_PANEL;
    return left < CONV_PANEL ? left : CONV_PANEL;
}

/* What is added without a bias leaves every value as it is, -0 as well. */
static float bias_of(const struct point_item *item, int64_t channel)
{
    return item->conv->has_bias ? load_bias(item->conv, item->bias, channel) : -0.0F;
}

/* Rows [begin, end) of a panel, of those tiles that products have not stored. */
static void store_rows(const struct point_item *item, int64_t panel, int64_t begin, int64_t end,
                       const float *sums)
{
    const struct k_conv_tensor *t = tensor_to(item->conv);
    const bool is_loose = item->is_stored && rows_of(item, panel) == CONV_PANEL;
    for (int64_t row = begin; row < end; row++) {
        const int64_t channel = item->channel + panel * CONV_PANEL + row;
        put_row(item, is_loose, sums + row * item->tiles * GEMM_COLUMNS, bias_of(item, channel),
                item->result + channel * t->inner * pack_size(t->dtype));
    }
}

/* ---- what comes next ---- */

/* A row of a panel's results, as far as it lies in one image. */
static void prefetch_result(const struct point_item *item, int64_t panel, int64_t row)
{
    const struct k_conv_tensor *t = tensor_to(item->conv);
    const struct point_piece *p = &item->piece[row % item->pieces];
    const int64_t size = pack_size(t->dtype), channel = item->channel + panel * CONV_PANEL + row;
    const char *at =
        v_address(item->result, size * (p->image * t->outer + p->element + channel * t->inner));
    for (int64_t i = 0; i < size * p->count; i += LINE_BYTES)
        __builtin_prefetch(v_address(at, i), 1);
}

/* Lines of a channel of an item's operand. */
static int64_t operand_lines(const struct point_item *item)
{
    const int64_t size = pack_size(tensor_from(item->conv)->dtype);
    int64_t lines = 0;
    for (int i = 0; i < item->pieces; i++)
        lines += size * item->piece[i].count / LINE_BYTES + 1;
    return lines;
}

/* Line number `line` of those, of the channels from `channel` on. */
static struct gemm_ahead operand_line(const struct point_item *item, int64_t channel, int64_t line)
{
    const struct k_conv_tensor *t = tensor_from(item->conv);
    const int64_t size = pack_size(t->dtype);
    const struct point_piece *p = item->piece;
    for (int64_t of_piece; line >= (of_piece = size * p->count / LINE_BYTES + 1); p++)
        line -= of_piece;
    return (struct gemm_ahead){v_address(piece_at(item, t, p, channel), line * LINE_BYTES),
                               size * t->inner};
}

/* ---- an item ---- */

/* A tile's columns in the tensor, from a channel on. */
static struct gemm_source source_of(const struct point_item *item, int tile, int64_t channel,
                                    float *to)
{
    const int64_t size = pack_size(tensor_from(item->conv)->dtype);
    return (struct gemm_source){
        .at = v_address(item->operand, size * (channel * item->apart + item->straight[tile])),
        .step = size * item->apart,
        .to = to};
}

/* Where a product stores a tile's results of a panel; or NULL. */
static float *result_of(const struct point_item *item, int64_t panel, int tile)
{
    if (!item->is_stored || item->into[tile] < 0 || rows_of(item, panel) < CONV_PANEL) return NULL;
    const int64_t channel = item->channel + panel * CONV_PANEL;
    return (float *)(void *)item->result + channel * tensor_to(item->conv)->inner +
           item->into[tile];
}

/* That place and, unless stores are non-temporal, the next product's. */
static struct gemm_result result_and_next(const struct point_item *item,
                                          const struct point_item *next, int64_t panel, int tile,
                                          const float *bias)
{
    const int64_t apart = tensor_to(item->conv)->inner;
    struct gemm_result result = {.at = result_of(item, panel, tile),
                                 .apart = apart,
                                 .bias = bias,
                                 .stream = item->conv->stream_output,
                                 .next = bias};
    const float *then = NULL;
    if (tile + 1 < item->tiles)
        then = result_of(item, panel, tile + 1);
    else if (panel + 1 < conv_up(item->rows, CONV_PANEL))
        then = result_of(item, panel + 1, 0);
    else if (next)
        then = result_of(next, 0, 0);
    if (then && !result.stream) {
        result.next = then;
        result.next_apart = apart;
    }
    return result;
}

/* Complete results go from products to the tensor where a tile is of one image; others are stored
 * while the next panel's products are computed, a row or two at a time, which the machine writes
 * meanwhile. */
static void run_item(const struct point_item *item, const struct point_item *next,
                     struct point_buffers *own)
{
    const struct k_conv *conv = item->conv;
    const int64_t depth = conv_depth_channels(conv), at_once = item->plan->channels;
    const int64_t panels = conv_up(item->rows, CONV_PANEL), panel_floats = CONV_PANEL * depth;
    for (int64_t begin = 0; begin < depth; begin += at_once) {
        const int64_t end = depth - begin < at_once ? depth : begin + at_once, count = end - begin;
        const int64_t rows = conv->pairs ? conv_up(count, 2) : count;
        const bool is_last = end == depth;
        pack_channels(item, begin, end, own);
        const struct point_item *of = is_last ? next : item;
        const int64_t lines = of ? operand_lines(of) : 0, blocks = panels * item->tiles;
        const float *complete = NULL;
        for (int64_t panel = 0; panel < panels; panel++) {
            const int64_t slot = is_last && begin == 0 ? panel % 2 : panel;
            const int64_t some = rows_of(item, panel);
            float *sums = own->sums + slot * item->tiles * CONV_PANEL * GEMM_COLUMNS;
            float bias[CONV_PANEL];
            for (int64_t row = 0; is_last && item->is_stored && row < some; row++)
                bias[row] = bias_of(item, item->channel + panel * CONV_PANEL + row);
            const float *weight = item->weight + panel * panel_floats +
                                  (conv->pairs ? begin / 2 : begin) * CONV_PANEL;
            for (int tile = 0; tile < item->tiles; tile++) {
                const int64_t block = panel * item->tiles + tile, line = block * lines / blocks;
                const int64_t row = tile * CONV_PANEL / item->tiles;
                const int64_t row_end = (tile + 1) * CONV_PANEL / item->tiles;
                struct gemm_ahead ahead = {(const char *)weight, 0};
                if ((block + 1) * lines / blocks > line)
                    ahead = operand_line(of, is_last ? 0 : end, line);
                for (int64_t i = row;
                     is_last && !item->is_stored && !conv->stream_output && i < row_end && i < some;
                     i++)
                    prefetch_result(item, panel, i);
                float *columns = own->columns + tile * rows * GEMM_COLUMNS;
                const struct gemm_sums to = {sums + tile * GEMM_COLUMNS,
                                             item->tiles * (int64_t)GEMM_COLUMNS, begin > 0};
                if (is_last && result_of(item, panel, tile))
                    multiply_panel_into(weight, columns, count, to, ahead,
                                        panel == 0 ? source_of(item, tile, begin, columns)
                                                   : (struct gemm_source){0},
                                        result_and_next(item, next, panel, tile, bias));
                else if (panel == 0 && item->straight[tile] >= 0)
                    pack_multiply_panel(conv->pairs, weight, count, to, ahead,
                                        source_of(item, tile, begin, columns));
                else
                    multiply_panel(conv->pairs, some, weight, columns, count, to, ahead);
                if (complete) store_rows(item, panel - 1, row, row_end, complete);
            }
            complete =
                is_last && (item->has_loose || !item->is_stored || some < CONV_PANEL) ? sums : NULL;
        }
        if (complete) store_rows(item, panels - 1, 0, rows_of(item, panels - 1), complete);
    }
}

static void find_spans(struct point_item *item)
{
    const struct k_conv_tensor *from = tensor_from(item->conv), *to = tensor_to(item->conv);
    item->spans = 0;
    for (const struct point_piece *p = item->piece; p < item->piece + item->pieces; p++) {
        const int end = p->first + p->count;
        for (int at = p->first; at < end;) {
            const int lane = at % VL, left = VL - lane, count = left < end - at ? left : end - at;
            const int64_t element = p->element + (at - p->first) - lane;
            item->span[item->spans++] =
                (struct point_span){.first = lane,
                                    .count = count,
                                    .tile = at / GEMM_COLUMNS,
                                    .column = at % GEMM_COLUMNS - lane,
                                    .operand = p->image * from->outer + element,
                                    .to = p->image * to->outer + element};
            at += count;
        }
    }
}

/* Whether tiles' rows of results are whole lines of FLOAT: stores across lines cost products more
 * than another way through L1. */
static bool has_lines(const struct point_item *item)
{
    const struct k_conv_tensor *t = tensor_to(item->conv);
    const int64_t of_line = LINE_BYTES / (int64_t)sizeof(float);
    return t->dtype == K_F32 && GEMM_COLUMNS % of_line == 0 &&
           (uintptr_t)item->result % LINE_BYTES == 0 && t->outer % of_line == 0 &&
           t->inner % of_line == 0 && item->plan->plane % of_line == 0;
}

/* Tiles of which a product may take whole rows as they lie in the tensor. */
static void find_straight(struct point_item *item)
{
    const struct k_conv *conv = item->conv;
    const struct k_conv_tensor *from = tensor_from(conv), *to = tensor_to(conv);
    const bool is_ready = item->rows >= CONV_PANEL && conv->rounding == K_ROUND_NONE &&
                          (conv->pairs ? conv_depth_channels(conv) % 2 == 0 : from->dtype == K_F32);
    item->is_stored = is_ready && !conv->pairs && has_lines(item);
    for (int tile = 0; tile < item->tiles; tile++)
        item->straight[tile] = item->into[tile] = -1;
    for (const struct point_piece *p = item->piece; is_ready && p < item->piece + item->pieces; p++)
        for (int64_t tile = conv_up(p->first, GEMM_COLUMNS);
             (tile + 1) * GEMM_COLUMNS <= p->first + p->count; tile++) {
            const int64_t element = p->element + tile * GEMM_COLUMNS - p->first;
            item->straight[tile] = p->image * from->outer + element;
            item->into[tile] = p->image * to->outer + element;
        }
    item->has_loose = false;
    for (int tile = 0; tile < item->tiles; tile++)
        item->has_loose = item->has_loose || item->into[tile] < 0;
}

/* The images of columns [begin, end). */
static void cut_columns(struct point_item *item, int64_t begin, int64_t end)
{
    const int64_t plane = item->plan->plane;
    item->pieces = 0;
    item->tiles = (int)conv_up(end - begin, GEMM_COLUMNS);
    for (int64_t at = begin; at < end;) {
        const int64_t left = plane - at % plane, count = left < end - at ? left : end - at;
        item->piece[item->pieces++] = (struct point_piece){.element = at % plane,
                                                           .image = at / plane,
                                                           .first = (int)(at - begin),
                                                           .count = (int)count};
        at += count;
    }
    find_spans(item);
    find_straight(item);
}

static void find_item(struct point_item *item, int64_t index, void *const buffers[])
{
    const struct k_conv *conv = item->conv;
    const struct conv_point *plan = item->plan;
    const struct k_conv_tensor *from = tensor_from(conv);
    const int64_t depth = conv_depth_channels(conv);
    const int64_t panel = index % plan->row_blocks * plan->block_panels;
    index /= plan->row_blocks;
    const int64_t begin = index % plan->column_blocks * plan->columns;
    const int64_t group = index / plan->column_blocks, left = plan->positions - begin;
    item->channel = group * conv_rows(conv) + panel * CONV_PANEL;
    item->rows = conv_rows(conv) - panel * CONV_PANEL;
    if (item->rows > plan->block_panels * CONV_PANEL) item->rows = plan->block_panels * CONV_PANEL;
    item->apart = from->inner;
    item->operand =
        v_address(buffers[K_CONV_MAP_FROM], pack_size(from->dtype) * group * depth * from->inner);
    item->result = buffers[K_CONV_MAP_TO];
    cut_columns(item, begin, left < plan->columns ? plan->positions : begin + plan->columns);
    item->weight = (const float *)buffers[K_CONV_MAP_PACKED] +
                   (group * plan->panels + panel) * CONV_PANEL * depth;
    item->bias = conv->has_bias ? buffers[K_CONV_MAP_BIAS] : NULL;
}

k_fn K_SYMBOL(conv_point);

void K_SYMBOL(conv_point)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_conv *conv = parameters;
    const struct conv_point plan = conv_point_of(conv);
    struct point_item item[2] = {{.conv = conv, .plan = &plan}, {.conv = conv, .plan = &plan}};
    struct point_buffers own;
    if (slice.begin < slice.end) find_item(&item[slice.begin % 2], slice.begin, buffers);
    for (int64_t i = slice.begin; i < slice.end; i++) {
        struct point_item *next = i + 1 < slice.end ? &item[(i + 1) % 2] : NULL;
        if (next) find_item(next, i + 1, buffers);
        run_item(&item[i % 2], next, &own);
    }
    if (conv->stream_output) k_stream_end();
}
