/* SPDX-License-Identifier: Apache-2.0 */
/* Average pooling of small planes of any ranges: a row has fewer cells than a vector has lanes or
 * not many more, so the cells of a plane are taken as one row, twice: of the input, which outputs
 * along the height add, and of those sums, which outputs along the width add. */
#ifndef ACLNN_CPU_KERNELS_POOL_AVERAGE_PLANES_H
#define ACLNN_CPU_KERNELS_POOL_AVERAGE_PLANES_H

#include "kernels/pool/average_along.h"

enum { PLANE_ROOM = AVG_PICKS + 4 * LANES_MOST }; /* vectors that picks load end behind a plane */

struct planes {
    struct picks tall, wide;
    int cells, sums, outputs; /* of a plane */
    /* Per cell, per sum, per output. */
    float row_factors[PLANE_ROOM], column_factors[PLANE_ROOM], scales[PLANE_ROOM];
    float input[PLANE_ROOM], between[PLANE_ROOM];
};

/* Row r of the plane of sums adds rows of the plane of cells; output (r, c) adds sums of row r. */
static inline void planes_tables(struct planes *p, const struct average *g)
{
    const struct avg_plan *plan = &g->plan;
    const struct avg_axis *height = &plan->height, *width = &plan->width;
    const int in = (int)width->in, out = (int)width->out, rows = (int)height->out;
    p->cells = (int)height->in * in;
    p->sums = rows * in;
    p->outputs = rows * out;
    p->tall.gap = height->step * in;
    p->wide.gap = width->step;
    for (int r = 0; r < rows; r++) {
        const struct avg_range range = avg_range(height, r);
        for (int c = 0; c < in; c++) {
            p->tall.first[r * in + c] = (int32_t)range.first * in + c;
            p->tall.count[r * in + c] = (int32_t)range.count;
        }
    }
    for (int c = 0; c < out; c++) {
        const struct avg_range range = avg_range(width, c);
        for (int r = 0; r < rows; r++) {
            p->wide.first[r * out + c] = r * in + (int32_t)range.first;
            p->wide.count[r * out + c] = (int32_t)range.count;
        }
    }
    picks_finish(&p->tall, p->sums);
    picks_finish(&p->wide, p->outputs);
}

static inline void planes_factors(struct planes *p, const struct average *g)
{
    const struct avg_plan *plan = &g->plan;
    const struct avg_axis *height = &plan->height, *width = &plan->width;
    const bool gradient = g->average->gradient;
    for (int i = 0; i < p->cells; i++)
        p->row_factors[i] = gradient ? input_factor(g, 0, i / width->in) : 1;
    for (int i = 0; i < p->sums; i++)
        p->column_factors[i] = gradient ? (float)(1.0 / avg_size_of(g, width, i % width->in)) : 1;
    for (int i = 0; i < p->outputs; i++) {
        double all = gradient ? 1 : (double)g->average->divisor;
        if (all == 0)
            all = avg_size_of(g, &plan->depth, 0) * avg_size_of(g, height, i / width->out) *
                  avg_size_of(g, width, i % width->out);
        p->scales[i] = (float)(1.0 / all);
    }
    /* What fills the last vectors is computed with, too. */
    for (int i = 0; i < VL; i++)
        p->row_factors[p->cells + i] = p->column_factors[p->sums + i] = p->scales[p->outputs + i] =
            1;
}

K_TEMPLATE
void plane_load(enum k_dtype dt, struct planes *p, const struct average *g, const char *from)
{
    for (int x = 0; x < p->cells; x += VL) {
        const char *at = from + x * k_size(dt);
        const int left = p->cells - x;
        vf value = left >= VL ? k_load(dt, at) : k_load_first_before(dt, at, left, g->in_end);
        value = pool_round(dt, g->average->rounding, value);
        v_store(p->input + x, value * v_load(p->row_factors + x));
    }
}

/* Items are planes. */
K_TEMPLATE
void walk_planes(enum k_dtype dt, struct average *g, struct k_slice slice)
{
    struct planes planes;
    planes_tables(&planes, g);
    planes_factors(&planes, g);
    memset(planes.input, 0, sizeof planes.input);
    memset(planes.between, 0, sizeof planes.between);
    const int64_t in_bytes = planes.cells * k_size(dt), out_bytes = planes.outputs * k_size(dt);
    outlet_begin(&g->outlet, g->out + slice.begin * out_bytes,
                 (slice.end - slice.begin) * out_bytes, g->average->stream_output);
    for (int64_t plane = slice.begin; plane < slice.end; plane++) {
        plane_load(dt, &planes, g, g->in + plane * in_bytes);
        picked_floats(&planes.tall, planes.input, planes.column_factors, planes.between);
        picked_row(dt, &planes.wide, planes.between, planes.scales,
                   outlet_room(&g->outlet, 1, out_bytes));
        outlet_took(&g->outlet, 1, out_bytes);
    }
    outlet_end(&g->outlet);
    if (g->average->stream_output) k_stream_end();
}

#endif
