/* SPDX-License-Identifier: Apache-2.0 */
/* How adaptive maxima are walked: shared by the planner (plane_shape.c) and the kernel of every
 * level. */
#ifndef ACLNN_CPU_KERNELS_POOL_ADAPTIVE_PLAN_H
#define ACLNN_CPU_KERNELS_POOL_ADAPTIVE_PLAN_H

#include "kernels/pool/k_adaptive_max.h"

/* in elements of `scale` cells each are cut into out bins; in = out * step + rest. */
struct adaptive_axis {
    int64_t in, out, scale, step, rest;
};

enum { ADAPTIVE_RUN = 256 }; /* cells of a bin from which its rows are worth being joined */

/* An item is a row of bins. Where a row is one large bin, that bin's rows lie behind each other in
 * memory: they are taken as one long row, and the axis outside of it becomes the row's. */
struct adaptive_plan {
    struct adaptive_axis depth, height, width;
    int64_t row, plane; /* cells of a row and of a plane */
    int64_t items;
};

static inline struct adaptive_axis adaptive_axis(int64_t in, int64_t out, int64_t scale)
{
    return (struct adaptive_axis){in, out, scale, in / out, in % out};
}

static inline struct adaptive_plan adaptive_plan(const struct k_adaptive_max *shape)
{
    struct adaptive_plan plan = {.depth = adaptive_axis(shape->in[0], shape->out[0], 1),
                                 .height = adaptive_axis(shape->in[1], shape->out[1], 1),
                                 .width = adaptive_axis(shape->in[2], shape->out[2], 1),
                                 .plane = shape->in[0] * shape->in[1] * shape->in[2]};
    for (int i = 0; i < 2 && plan.width.out == 1; i++) {
        const struct adaptive_axis joined =
            adaptive_axis(plan.height.in, plan.height.out, plan.width.in * plan.width.scale);
        if (joined.step * joined.scale < ADAPTIVE_RUN) break;
        plan.width = joined;
        plan.height = plan.depth;
        plan.depth = adaptive_axis(1, 1, 1);
    }
    plan.row = plan.width.in * plan.width.scale;
    plan.items = shape->planes * plan.depth.out * plan.height.out;
    return plan;
}

/* Where i * in / out lies: at an element, or (over > 0) over / out beyond its beginning. */
struct adaptive_mark {
    int64_t at, over;
};

/* 0 <= i <= out */
static inline struct adaptive_mark adaptive_mark(const struct adaptive_axis *axis, int64_t i)
{
    int64_t whole, over;
    if (axis->out <= INT32_MAX) {
        whole = i * axis->rest / axis->out;
        over = i * axis->rest - whole * axis->out;
    } else {
        const unsigned __int128 product = (unsigned __int128)i * (uint64_t)axis->rest;
        whole = (int64_t)(product / (uint64_t)axis->out);
        over = (int64_t)(product % (uint64_t)axis->out);
    }
    return (struct adaptive_mark){i * axis->step + whole, over};
}

static inline struct adaptive_mark adaptive_next(const struct adaptive_axis *axis,
                                                 struct adaptive_mark mark)
{
    mark.at += axis->step;
    mark.over += axis->rest;
    if (mark.over >= axis->out) {
        mark.over -= axis->out;
        mark.at++;
    }
    return mark;
}

/* Cells from `begin` up to `end` of the axis. */
struct adaptive_bin {
    int64_t begin, end;
};

/* Of the bin that begins at one mark and ends at the next one. */
static inline struct adaptive_bin adaptive_between(const struct adaptive_axis *axis,
                                                   struct adaptive_mark mark,
                                                   struct adaptive_mark next)
{
    return (struct adaptive_bin){mark.at * axis->scale, (next.at + (next.over > 0)) * axis->scale};
}

static inline struct adaptive_bin adaptive_bin(const struct adaptive_axis *axis, int64_t i)
{
    const struct adaptive_mark mark = adaptive_mark(axis, i);
    return adaptive_between(axis, mark, adaptive_next(axis, mark));
}

#endif
