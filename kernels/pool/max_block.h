/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of max pooling in blocks, one channel: many rows of windows become many rows of cells
 * at a time, so that short rows cost what their elements cost (kernels/pool/max_cells.h). An index
 * names one cell, so a window that lies beside a row's or a plane's end never matches a cell that
 * it does not cover, and rows need no gaps: windows are read where they are in memory, if indices
 * and values are 32 bits wide and no index lies outside of its window. Otherwise they are copied
 * into a ring of rows, where windows that do not exist have no place. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_BLOCK_H
#define ACLNN_CPU_KERNELS_POOL_MAX_BLOCK_H

#include "kernels/pool/max_block_windows.h"

/* ---- cells ---- */

/* Terms for all phases of the width of phase c of the height. */
static inline void block_terms(struct max_grad *g, int64_t c)
{
    const struct max_axis *height = &g->plan.height, *width = &g->plan.width;
    const struct max_phases *tall = &g->phases[1], *wide = &g->phases[2];
    struct cell_terms *terms = &g->cells_terms;
    int count = 0;
    for (int64_t phase = 0; phase < width->stride; phase++) {
        terms->first[phase] = count;
        for (int k = 0; k < g->depths; k++)
            for (int e = tall->first[c]; e < tall->first[c + 1]; e++)
                for (int w = wide->first[phase]; w < wide->first[phase + 1]; w++) {
                    const int64_t at =
                        (tall->shift[e] - height->low) * g->step + wide->shift[w] - width->low;
                    terms->at[count++] = (struct cell_term){g->low[k].place + at,
                                                            g->low[k].value + at * g->value_size};
                }
    }
    terms->first[width->stride] = count;
}

/* Have the own windows of so many groups of a plane one depth, and only rows of the plane? */
static inline bool windows_are_whole(const struct max_plan *plan, int64_t q, int64_t groups)
{
    const struct max_axis *height = &plan->height;
    if (plan->planes > 1) q = 0, groups = plan->groups;
    return plan->depth.kernel == 1 && q * height->stride >= height->pad &&
           (q + groups - 1) * height->stride - height->pad + max_span(height) <= height->in;
}

/* A run of `groups` groups' lanes, from group `group` of the block on, all phases of the height. */
K_TEMPLATE
void block_run(enum k_dtype dt, struct max_grad *g, struct cell_run *run, enum cell_pattern pattern,
               int64_t group, int64_t groups)
{
    const int64_t tall = g->plan.height.stride;
    char *made = (char *)(g->phase_rows + 1) + group * g->line;
    const int32_t base = run->base;
    run->start = group * g->step;
    run->first = g->lanes.base + group * g->plan.pitch;
    run->low = (struct cell_term){g->low[0].place + run->start,
                                  g->low[0].value + run->start * g->value_size};
    run->inside = g->lanes.inside + group * g->plan.pitch;
    run->length = g->lanes.length + group * g->plan.pitch;
    if (run->look != CELLS_KNOWN)
        run->look = windows_are_whole(&g->plan, run->q + group, groups) ? CELLS_WHOLE : CELLS_LOOK;
    for (int64_t c = 0; pattern != CELLS_EVERYWHERE && c < tall; c++)
        run->to[c] = made + c * g->region;
    for (int r = 0; pattern == CELLS_EVERYWHERE && r < MAX_STRIP; r++)
        run->to[r] = made + r * g->line;
    if (pattern != CELLS_ANY) {
        put_cells_of(dt, pattern, run, NULL);
        if (run->stray) g->stray = true;
        return;
    }
    for (int64_t c = 0; c < tall; c++) {
        if (c > 0 || tall > 1) block_terms(g, c);
        run->to[0] = made + c * g->region;
        run->base = base + (int32_t)(c * run->width);
        put_cells_of(dt, CELLS_ANY, run, &g->cells_terms);
    }
    run->base = base;
}

/* What indices mean the cells of so many depths from d on. */
static inline struct cell_range depth_places(const struct max_grad *g, int64_t d, int64_t depths)
{
    const int64_t plane = g->plan.height.in * g->plan.width.in;
    return (struct cell_range){first_index(g) + (uint32_t)(d * plane), (uint32_t)(depths * plane)};
}

/* Those of all depths of the windows over the column, if they are of one depth. */
static inline struct cell_range window_places(const struct max_grad *g)
{
    const struct max_axis *depth = &g->plan.depth;
    const int64_t begin = g->depth[0] * depth->stride - depth->pad;
    const int64_t first = max_most(begin, 0);
    return depth_places(g, first, max_least(begin + depth->kernel, depth->in) - first);
}

/* All phases of groups [q, q + groups) of each of `planes` planes. */
K_TEMPLATE
void block_cells(enum k_dtype dt, struct max_grad *g, int64_t planes, int64_t d, int64_t q,
                 int64_t groups)
{
    const struct max_plan *plan = &g->plan;
    const struct max_axis *height = &plan->height, *width = &plan->width;
    const int64_t all = planes * groups;
    const enum cell_pattern pattern = g->depths == 1 ? g->pattern : CELLS_ANY;
    struct cell_run run = {
        .q = q,
        .step = g->step,
        .width = (int32_t)width->in,
        .lanes = plan->pitch,
        .base = (int32_t)((d * height->in + q * height->stride) * width->in + width->pad),
        .look = g->in_place && cells_look(g) ? CELLS_LOOK : CELLS_KNOWN};
    if (g->in_place) {
        run.base = (int32_t)((uint32_t)run.base + first_index(g));
        run.plane = depth_places(g, d, 1);
        run.deep = window_places(g);
    }
    const bool joined = g->step == plan->pitch && pattern != CELLS_EVERYWHERE;
    g->line = plan->pitch * width->stride * k_size(dt);
    if (!joined) g->line = (g->line + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    g->region = (all * g->line + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES + BLOCK_SLACK;
    if (height->stride == 1) block_terms(g, 0);
    if (joined) {
        run.lanes = all * plan->pitch;
        block_run(dt, g, &run, pattern, 0, all);
        return;
    }
    if (pattern == CELLS_EVERYWHERE && groups >= MAX_STRIP) {
        for (int64_t plane = 0; plane < planes; plane++)
            for (int64_t group = 0; group < groups; group += MAX_STRIP) /* the last ones twice */
                block_run(dt, g, &run, pattern,
                          plane * groups + max_least(group, groups - MAX_STRIP), MAX_STRIP);
        return;
    }
    for (int64_t group = 0; group < all; group++)
        block_run(dt, g, &run, pattern == CELLS_EVERYWHERE ? CELLS_ANY : pattern, group, 1);
}

/* `bytes` bytes; up to a vector before `end` more may be written behind. */
static inline void block_put(char *to, const char *from, int64_t bytes, const char *end)
{
    if (end - to < bytes + K_VECTOR_BYTES) {
        memcpy(to, from, (size_t)bytes);
        return;
    }
    for (int64_t x = 0; x < bytes; x += K_VECTOR_BYTES)
        k_put(to + x, v_load((const float *)(const void *)(from + x)));
}

/* Rows [first, first + rows) of each of `planes` planes to the tensor. */
K_TEMPLATE
void block_out(enum k_dtype dt, struct max_grad *g, int64_t planes, int64_t groups, int64_t first,
               int64_t rows)
{
    const struct max_plan *plan = &g->plan;
    const int64_t tall = plan->height.stride, bytes = plan->width.in * k_size(dt);
    const char *made = (const char *)(g->phase_rows + 1);
    struct k_vectors vectors = g->outlet.vectors;
    const bool stream = g->pool->stream_output;
    const bool joined = tall == 1 && g->line == bytes && groups == rows;
    const int64_t pieces = joined ? 1 : rows, piece = joined ? planes * rows * bytes : bytes;
    for (int64_t plane = 0; plane < (joined ? 1 : planes); plane++) {
        int64_t c = first % tall, group = plane * groups;
        for (int64_t row = 0; row < pieces; row++) {
            const char *from = made + c * g->region + group * g->line;
            if (stream) {
                vectors_append(&vectors, from, piece);
            } else {
                block_put(vectors.to, from, piece, g->outlet.end);
                vectors.to += piece;
            }
            if (++c == tall) c = 0, group++;
        }
    }
    g->outlet.vectors = vectors;
}

/* As many windows as groups of cells? */
static inline bool axis_is_even(const struct max_axis *axis)
{
    return axis->out == (axis->in + axis->stride - 1) / axis->stride;
}

static inline void block_begin(struct max_grad *g)
{
    const struct max_plan *plan = &g->plan;
    const struct max_axis *height = &plan->height, *width = &plan->width;
    window_lanes(g);
    g->looked = INT64_MIN;
    /* A window beside a row's or a plane's end is another row's or plane's: it must not cover cells
     * at both. */
    g->direct =
        g->pool->index == K_INDEX_I32 && (plan->depth.dilation == 1 || plan->depth.kernel == 1) &&
        width->out * width->stride > (width->kernel - 1) * width->dilation &&
        height->out * height->stride > (height->kernel - 1) * height->dilation &&
        (plan->planes == 1 ||
         (plan->pitch == width->out && plan->groups == height->out && g->indices_step == 0));
    g->pattern = cell_pattern(height, width);
    g->own = g->pattern != CELLS_ANY && g->pattern != CELLS_EVERYWHERE && axis_is_even(height) &&
             axis_is_even(width) && (g->pattern == CELLS_APART || plan->depth.kernel == 1);
    /* Rows apart have to fit. */
    const int64_t line = (plan->pitch * width->stride * 4 + LINE_BYTES - 1) / LINE_BYTES;
    if (plan->block * height->stride * line * LINE_BYTES > MAX_BLOCK * 4) {
        if (g->pattern == CELLS_EVERYWHERE) g->pattern = CELLS_ANY;
        if (plan->pitch != width->out) g->direct = false;
    }
    g->cells_terms.stride = (int)width->stride;
    if (width->stride > 2) {
        memcpy(g->cells_terms.from, g->from, sizeof g->from);
        memcpy(g->cells_terms.place, g->place, sizeof g->place);
    }
    for (int k = 0; k < max_depths(&plan->depth); k++)
        no_codes(block_row(g, k, 0) - max_guard(plan), block_row(g, k, 0));
}

/* ---- the walk ---- */

/* Rows [h, end) of the column (outer, d) that grad_column has begun; false, and rows missing, if a
 * stray index is found and not to be ignored. */
K_TEMPLATE
bool walk_blocks(enum k_dtype dt, struct max_grad *g, int64_t d, int64_t h, int64_t end,
                 bool ignore)
{
    const struct max_plan *plan = &g->plan;
    const struct max_axis *height = &plan->height;
    const int64_t span = height->high - height->low, stride = height->stride;
    int64_t made = INT64_MIN;                      /* the ring holds rows before it */
    if (plan->depth.in > 1) g->looked = INT64_MIN; /* windows that lie over the last column too */
    while (h < end) {
        const int64_t q = h / stride;
        const int64_t groups = max_least((end - 1) / stride - q + 1, plan->block);
        const int64_t rows = max_least(end, (q + groups) * stride) - h;
        const bool direct = block_is_direct(g, g->outer, q, groups);
        if (!direct) {
            take_block(dt, g, q, groups, made);
            block_in_ring(g);
        }
        if (g->stray && !ignore) return false;
        block_cells(dt, g, 1, d, q, groups);
        block_out(dt, g, 1, groups, h - q * stride, rows);
        h += rows;
        made = direct ? INT64_MIN : q + groups + height->high;
        if (h == end || direct) continue;
        for (int k = 0; k < g->depths && span > 0; k++) {
            int32_t *to = block_row(g, k, 0), *from = block_row(g, k, groups);
            const size_t bytes = (size_t)(span * plan->pitch) * sizeof *to;
            memmove(to, from, bytes);
            memmove(to + MAX_RING_STEP, from + MAX_RING_STEP, bytes);
        }
    }
    return ignore || !g->stray;
}

#endif
