/* SPDX-License-Identifier: Apache-2.0 */
/* One side of a convolution from the other, as a product of the packed weight (rows: result
 * channels, depth: operand channels and taps) with the windows (columns: result positions).
 *
 * No matrix of windows exists: an item packs CONV_DEPTH rows of its columns at a time, straight
 * from the operand, and multiplies them with every panel of its rows while they are in L1 and L2.
 * Sums over the depth are kept in the item's own block until they are complete, then rounded once
 * and stored where the result has them, whatever its strides. Towards the large side the positions
 * are split into phases (conv_plan.h), each a dense product of its own.
 *
 * An item needs some 370 KiB of stack. */
#include <stdint.h>

#include "kernels/conv/conv_side.h"
#include "kernels/conv/window_pack.h"
#include "kernels/gemm/gemm_panel.h"

enum { MAP_TILES = CONV_COLUMNS / GEMM_COLUMNS, MAP_PANELS = CONV_ROWS / CONV_PANEL };

struct map_item {
    const struct k_conv *conv;
    int64_t group, panel, panels; /* of the packed weight, in the group */
    int64_t rows;                 /* channels in those panels */
    int64_t depth, depth_block;
    const float *weight; /* packed, of this phase */
    int tiles;
    const char *from;
    char *to;
    const char *bias;
    struct pack_block block;
    struct pack_runs runs;
};

struct map_buffers {
    _Alignas(64) float columns[CONV_DEPTH * CONV_COLUMNS]; /* [tile][k][column] */
    _Alignas(64) float sums[CONV_ROWS * CONV_COLUMNS];     /* [tile][panel][row][column] */
};

/* Rows [begin, end) of the depth, which counts channel by channel, tap by tap. */
static void pack_depth(struct map_item *item, float *columns, int64_t begin, int64_t end)
{
    const struct k_conv *conv = item->conv;
    const struct k_conv_tensor *tensor = conv->to_large ? &conv->small : &conv->large;
    const struct conv_line *l = item->block.line;
    const int64_t taps = l[0].taps * l[1].taps * l[2].taps, size = pack_size(tensor->dtype);
    const int64_t all = taps < end - begin ? taps : end - begin;
    for (int64_t i = 0, tap = begin % taps; i < all; i++, tap = tap + 1 == taps ? 0 : tap + 1) {
        const int64_t at[K_CONV_AXES] = {tap / (l[1].taps * l[2].taps), tap / l[2].taps % l[1].taps,
                                         tap % l[2].taps};
        pack_clip(&item->runs, &item->block, tensor, size, at);
        const int64_t first = begin + i, channel = first / taps;
        const struct pack_target target = {.to = columns + (first - begin) * GEMM_COLUMNS,
                                           .row = taps * GEMM_COLUMNS,
                                           .width = GEMM_WIDTH,
                                           .next = CONV_DEPTH * GEMM_COLUMNS};
        pack_rows(&item->runs, item->tiles * GEMM_WIDTH, tensor,
                  v_address(item->from, channel * tensor->inner * size), conv_up(end - first, taps),
                  conv->rounding, &target);
    }
}

/* ---- storing ---- */

/* The pieces of one tile, of one row; sum begins with the tile's first vector. */
K_TEMPLATE
void store_row(enum k_dtype dt, const struct map_item *item, const struct k_conv_tensor *tensor,
               int piece, int pieces, int vector, const float *sum, char *to, float bias)
{
    const struct conv_line *l = item->block.line;
    const int64_t step = l[2].step * tensor->axis[2];
    const vf add = v_all(bias);
    for (int i = piece; i < pieces; i++) {
        const struct pack_piece *p = &item->block.piece[i];
        int64_t element = p->n * tensor->outer - p->first * step;
        for (int axis = 0; axis < K_CONV_AXES; axis++)
            element += (l[axis].first + p->at[axis] * l[axis].step) * tensor->axis[axis];
        vf value = v_load(sum + (p->vector - vector) * VL);
        if (item->conv->has_bias) value = value + add;
        k_store_between(dt, (char *)(uintptr_t)v_address(to, element * k_size(dt)), step, p->first,
                        p->count, value);
    }
}

static __attribute__((noinline)) void store_tile(const struct map_item *item, int tile,
                                                 int64_t panel, const float *sums)
{
    const struct k_conv *conv = item->conv;
    const struct k_conv_tensor *tensor = conv->to_large ? &conv->large : &conv->small;
    const int vector = tile * GEMM_WIDTH;
    int piece = 0, pieces;
    while (piece < item->block.pieces && item->block.piece[piece].vector < vector)
        piece++;
    for (pieces = piece; pieces < item->block.pieces; pieces++)
        if (item->block.piece[pieces].vector >= vector + GEMM_WIDTH) break;
    const int64_t left = item->rows - panel * CONV_PANEL;
    for (int64_t row = 0; row < CONV_PANEL && row < left; row++) {
        const int64_t in_group = (item->panel + panel) * CONV_PANEL + row;
        const int64_t channel = item->group * conv_rows(conv) + in_group;
        const float bias = conv->has_bias ? load_bias(conv, item->bias, channel) : 0;
        char *to = item->to + channel * tensor->inner * pack_size(tensor->dtype);
        const float *sum = sums + row * GEMM_COLUMNS;
        if (tensor->dtype == K_F32)
            store_row(K_F32, item, tensor, piece, pieces, vector, sum, to, bias);
        else if (tensor->dtype == K_F16)
            store_row(K_F16, item, tensor, piece, pieces, vector, sum, to, bias);
        else
            store_row(K_BF16, item, tensor, piece, pieces, vector, sum, to, bias);
    }
}

/* ---- an item ---- */

static void run_item(struct map_item *item, struct map_buffers *buffers)
{
    const int64_t panel_sums = (int64_t)CONV_PANEL * GEMM_COLUMNS;
    if (item->depth == 0) memset(buffers->sums, 0, sizeof(float) * (size_t)panel_sums);
    int64_t begin = 0;
    do {
        const int64_t left = item->depth - begin;
        const int64_t depth = left < item->depth_block ? left : item->depth_block;
        const bool is_last = begin + depth == item->depth, is_only = is_last && begin == 0;
        if (depth > 0) pack_depth(item, buffers->columns, begin, begin + depth);
        for (int tile = 0; item->conv->pairs && tile < item->tiles; tile++)
            pairs_of_rows(buffers->columns + (int64_t)tile * CONV_DEPTH * GEMM_COLUMNS,
                          GEMM_COLUMNS, depth);
        const int64_t first = item->conv->pairs ? begin / 2 : begin; /* row of the packed weight */
        for (int tile = 0; tile < item->tiles; tile++) {
            const float *columns = buffers->columns + (int64_t)tile * CONV_DEPTH * GEMM_COLUMNS;
            for (int64_t panel = 0; panel < item->panels; panel++) {
                const int64_t slot = is_only ? 0 : tile * item->panels + panel;
                float *sums = buffers->sums + slot * panel_sums;
                const float *weight = item->weight + (panel * item->depth + first) * CONV_PANEL;
                int64_t rows = item->rows - panel * CONV_PANEL;
                if (rows > CONV_PANEL) rows = CONV_PANEL;
                const struct gemm_ahead none = {(const char *)weight, 0};
                if (depth > 0)
                    multiply_panel(item->conv->pairs, rows, weight, columns, depth,
                                   (struct gemm_sums){sums, GEMM_COLUMNS, begin > 0}, none);
                if (is_last) store_tile(item, tile, panel, sums);
            }
        }
        begin += depth;
    } while (begin < item->depth);
}

/* Phases and columns of item number `index`; false when it has no column. */
static bool find_item(struct map_item *item, const struct conv_map_plan *plan, int64_t index,
                      const float *packed)
{
    const struct k_conv *conv = item->conv;
    int64_t phase[K_CONV_AXES], positions = conv->batch;
    const int64_t column = index % plan->column_blocks * plan->columns;
    index /= plan->column_blocks;
    struct conv_line *l = item->block.line;
    for (int axis = K_CONV_AXES - 1; axis >= 0; axis--) {
        phase[axis] = index % plan->phases[axis];
        index /= plan->phases[axis];
        l[axis] = conv_line_of(conv, axis, phase[axis]);
        positions *= l[axis].count;
    }
    if (column >= positions) return false;
    const int64_t end = positions - column < plan->columns ? positions : column + plan->columns;
    pack_cut(&item->block, column, end);
    item->tiles = (int)conv_up(item->block.vectors, GEMM_WIDTH);
    item->block.vectors = item->tiles * GEMM_WIDTH;

    item->panel = index % plan->row_blocks * plan->block_panels;
    item->group = index / plan->row_blocks;
    item->panels = plan->panels - item->panel;
    if (item->panels > plan->block_panels) item->panels = plan->block_panels;
    item->rows = conv_rows(conv) - item->panel * CONV_PANEL;
    if (item->rows > item->panels * CONV_PANEL) item->rows = item->panels * CONV_PANEL;

    const int64_t kernel_hw = conv->axis[1].kernel * conv->axis[2].kernel;
    const int64_t taps_before =
        l[0].tap_prefix * kernel_hw +
        l[0].taps * (l[1].tap_prefix * conv->axis[2].kernel + l[1].taps * l[2].tap_prefix);
    const int64_t channels = conv_depth_channels(conv), padded = plan->panels * CONV_PANEL;
    item->depth = channels * l[0].taps * l[1].taps * l[2].taps;
    item->depth_block = conv_depth_block(item->depth);
    item->weight = packed + padded * channels * (item->group * conv_taps(conv) + taps_before) +
                   item->panel * CONV_PANEL * item->depth;
    return true;
}

k_fn K_SYMBOL(conv_map);

void K_SYMBOL(conv_map)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_conv *conv = parameters;
    const struct conv_map_plan plan = conv_map_plan(conv);
    const struct k_conv_tensor *tensor = conv->to_large ? &conv->small : &conv->large;
    struct map_item item = {.conv = conv};
    struct map_buffers own;
    item.to = buffers[K_CONV_MAP_TO];
    item.bias = conv->has_bias ? buffers[K_CONV_MAP_BIAS] : NULL;
    for (int64_t i = slice.begin; i < slice.end; i++) {
        if (!find_item(&item, &plan, i, buffers[K_CONV_MAP_PACKED])) continue;
        item.from =
            (const char *)buffers[K_CONV_MAP_FROM] +
            item.group * conv_depth_channels(conv) * tensor->inner * pack_size(tensor->dtype);
        run_item(&item, &own);
    }
}
