/* SPDX-License-Identifier: Apache-2.0 */
/* How conv_point is cut, shared by the planner and the kernels of every level. */
#ifndef ACLNN_CPU_KERNELS_CONV_CONV_POINT_PLAN_H
#define ACLNN_CPU_KERNELS_CONV_CONV_POINT_PLAN_H

#include "kernels/conv/conv_outer_plan.h"

enum {
    POINT_TILES = 6,      /* of CONV_TILE positions, of an item, at most */
    POINT_FLOATS = 73728, /* of an item's operand, and of its sums that wait */
    POINT_PLANE = 16,     /* positions of an image, at least */
    POINT_PIECES = POINT_TILES * CONV_TILE / POINT_PLANE + 2, /* images of an item, at most */
};

/* Positions are those of all images. Items are (group, column block, row block), the last fastest.
 */
struct conv_point {
    int64_t plane, positions;
    int64_t channels; /* of the operand, between two additions to a result: as conv_outer's */
    int64_t columns, column_blocks;
    int64_t panels, block_panels, row_blocks; /* of CONV_PANEL result channels */
    int64_t items;
};

static inline struct conv_point conv_point_of(const struct k_conv *conv)
{
    struct conv_point plan = {.plane = 1, .channels = conv_outer_of(conv).channels};
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        plan.plane *= conv->axis[axis].small;
    plan.positions = plan.plane * conv->batch;
    const int64_t tiles = conv_up(plan.positions, CONV_TILE);
    int64_t at_once = POINT_FLOATS / CONV_TILE / plan.channels;
    if (at_once > POINT_TILES) at_once = POINT_TILES;
    const bool is_whole = plan.channels >= conv_depth_channels(conv); /* no sums wait */
    const int64_t rows = is_whole ? CONV_ROWS * 2 : POINT_FLOATS / CONV_TILE / at_once;
    plan.panels = conv_up(conv_rows(conv), CONV_PANEL);
    plan.row_blocks = conv_up(plan.panels, rows / CONV_PANEL);
    for (;;) {
        plan.column_blocks = conv_up(tiles, at_once);
        plan.columns = at_once * CONV_TILE;
        plan.block_panels = conv_up(plan.panels, plan.row_blocks);
        plan.row_blocks = conv_up(plan.panels, plan.block_panels);
        plan.items = conv->groups * plan.column_blocks * plan.row_blocks;
        if (plan.items >= OUTER_ENOUGH) return plan;
        if (at_once > 2)
            at_once /= 2;
        else if (plan.block_panels > 8)
            plan.row_blocks *= 2;
        else
            return plan;
    }
}

#endif
