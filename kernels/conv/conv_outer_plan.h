/* SPDX-License-Identifier: Apache-2.0 */
/* How conv_outer is cut, shared by the planner and the kernels of every level: all numbers follow
 * from the shape. */
#ifndef ACLNN_CPU_KERNELS_CONV_CONV_OUTER_PLAN_H
#define ACLNN_CPU_KERNELS_CONV_CONV_OUTER_PLAN_H

#include "kernels/conv/conv_plan.h"

enum {
    OUTER_PANEL = 64,      /* result channels side by side in the packed weight, at most */
    OUTER_UNIT = 16,       /* their number is rounded up to it */
    OUTER_RESULTS = 512,   /* result positions of an item, at most */
    OUTER_LEAST = 96,      /* and those to which they are cut for the sake of more items */
    OUTER_SUMS = 65536,    /* floats */
    OUTER_TERMS = 576,     /* terms between two additions to a result, about */
    OUTER_CHANNELS = 256,  /* operand channels of a band, at most */
    OUTER_BAND = 49152,    /* floats of a band */
    OUTER_STAGE = 528,     /* operand positions of a row, at most */
    OUTER_TAPS = 1024,     /* taps, at most */
    OUTER_REACH = 1 << 14, /* the longest reach of a window */
    OUTER_ENOUGH = 32,     /* items that keep many threads busy */
};

/* Items are (row block, batch block, tile along each axis, group), the last fastest: what follows
 * needs the same rows of the weight. A tile is a box of result positions, of all phases. */
struct conv_outer {
    bool fits;
    int64_t size[K_CONV_AXES], tile[K_CONV_AXES], blocks[K_CONV_AXES];
    int64_t images, image_blocks; /* of an item: more than one where a tile is a whole plane */
    int64_t panels, block_panels, row_blocks;
    int64_t channels, chunks; /* of the operand: of a band, and bands */
    int64_t items;
};

/* Operand positions that a tile needs; every tile begins at a multiple of the stride. */
static inline int64_t conv_outer_span(const struct k_conv *conv, int axis, int64_t tile)
{
    return conv_span_of(&conv->axis[axis], conv->to_large, 0, tile).count;
}

static inline int64_t conv_outer_padded(int64_t rows)
{
    return conv_up(rows, OUTER_UNIT) * OUTER_UNIT;
}

/* Tiles of at most that many results and a band that holds two channels at least. */
static inline bool conv_outer_tile(struct conv_outer *plan, const struct k_conv *conv,
                                   int64_t results)
{
    int64_t left = results, band = 1;
    for (int axis = K_CONV_AXES - 1; axis >= 0; axis--) {
        const int64_t unit = conv->to_large ? conv->axis[axis].stride : 1, size = plan->size[axis];
        int64_t tile = left < size ? left / unit * unit : size;
        if (tile < size && tile < unit) tile = unit < size ? unit : size;
        const int64_t room = axis == 2 ? OUTER_STAGE : OUTER_BAND / 4 / band;
        while (tile > unit && conv_outer_span(conv, axis, tile) > room)
            tile = conv_up(tile / 2, unit) * unit;
        if (conv_outer_span(conv, axis, tile) > room) return false;
        const int64_t blocks = conv_up(size, tile);
        if (blocks > 1) tile = conv_up(conv_up(size, blocks), unit) * unit;
        plan->tile[axis] = tile;
        plan->blocks[axis] = conv_up(size, tile);
        band *= conv_outer_span(conv, axis, tile);
        left = tile == 0 ? 1 : left / tile;
        if (left < 1) left = 1;
    }
    const int64_t positions = plan->tile[0] * plan->tile[1] * plan->tile[2];
    plan->images = 1;
    if (plan->blocks[0] == 1 && plan->blocks[1] == 1 && plan->blocks[2] == 1) plan->images = left;
    if (plan->images > conv->batch) plan->images = conv->batch;
    if (plan->images > OUTER_BAND / 16 / band) plan->images = OUTER_BAND / 16 / band;
    if (plan->images < 1) plan->images = 1;
    plan->image_blocks = conv_up(conv->batch, plan->images);
    plan->images = conv_up(conv->batch, plan->image_blocks);
    band *= plan->images;
    const int64_t of_float = conv->pairs ? 2 : 1;
    int64_t channels = of_float * OUTER_TERMS / conv_taps(conv);
    if (channels > of_float * OUTER_BAND / band) channels = of_float * OUTER_BAND / band;
    if (channels > OUTER_CHANNELS) channels = OUTER_CHANNELS;
    channels = channels < 2 ? 2 : channels / 2 * 2;
    plan->chunks = conv_up(conv_depth_channels(conv), channels);
    plan->channels = conv_up(conv_up(conv_depth_channels(conv), plan->chunks), 2) * 2;
    plan->chunks = conv_up(conv_depth_channels(conv), plan->channels);
    return positions <= OUTER_RESULTS;
}

static inline struct conv_outer conv_outer_of(const struct k_conv *conv)
{
    struct conv_outer plan = {.panels = conv_up(conv_rows(conv), OUTER_PANEL)};
    if (conv->batch < 1 || plan.panels < 1 || conv_depth_channels(conv) < 1) return plan;
    double taps = 1;
    for (int axis = 0; axis < K_CONV_AXES; axis++) {
        const struct k_conv_axis *a = &conv->axis[axis];
        plan.size[axis] = conv->to_large ? a->large : a->small;
        taps *= (double)a->kernel;
        if (plan.size[axis] < 1 || a->kernel > OUTER_REACH || a->dilation > OUTER_REACH ||
            a->stride > OUTER_REACH || a->kernel * a->dilation > OUTER_REACH)
            return plan;
    }
    if (taps > OUTER_TAPS) return plan;
    int64_t results = OUTER_RESULTS;
    plan.block_panels = OUTER_SUMS / OUTER_RESULTS / OUTER_PANEL;
    if (plan.block_panels > plan.panels) plan.block_panels = plan.panels;
    for (;;) {
        if (!conv_outer_tile(&plan, conv, results)) return plan;
        plan.row_blocks = conv_up(plan.panels, plan.block_panels);
        plan.block_panels = conv_up(plan.panels, plan.row_blocks);
        plan.items = plan.image_blocks * plan.blocks[0] * plan.blocks[1] * plan.blocks[2] *
                     conv->groups * plan.row_blocks;
        if (plan.items >= OUTER_ENOUGH) break;
        if (plan.block_panels > 1)
            plan.block_panels = conv_up(plan.block_panels, 2);
        else if (results > OUTER_LEAST)
            results = results / 2 < OUTER_LEAST ? OUTER_LEAST : results / 2;
        else
            break;
    }
    plan.fits = true;
    return plan;
}

#endif
