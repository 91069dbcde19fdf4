/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of max pooling in blocks, one channel: many rows of windows become many rows of cells
 * at a time, so that short rows cost what their elements cost (kernels/simd/max_cells.h). An index
 * names one cell, so a window that lies beside a row's or a plane's end never matches a cell that
 * it does not cover, and rows need no gaps: windows are read where they are in memory, if indices
 * and values are 32 bits wide and no index lies outside of its window. Otherwise they are copied
 * into a ring of rows, where windows that do not exist have no place. */
#ifndef ACLNN_CPU_KERNELS_SIMD_MAX_BLOCK_H
#define ACLNN_CPU_KERNELS_SIMD_MAX_BLOCK_H

#include "kernels/simd/max_grad.h"

static inline int64_t block_rows(const struct max_plan *plan)
{
    return plan->block + plan->height.high - plan->height.low;
}

/* The row of the ring with the windows of the block's first group's lowest shift. */
static inline int32_t *block_row(struct max_grad *g, int depth, int64_t row)
{
    const int64_t guard = max_guard(&g->plan);
    const int64_t region = block_rows(&g->plan) * g->plan.pitch + 2 * guard;
    return (int32_t *)(void *)g->ring + depth * region + guard + row * g->plan.pitch;
}

/* Lanes behind a block's last row that are set to no place; VL more may be. */
static inline int64_t block_tail(const struct max_plan *plan)
{
    return max_guard(plan) - MAX_SLACK / 2;
}

/* Places, as of lanes_begin, for all lanes of a block. */
static inline void window_lanes(struct max_grad *g)
{
    const struct max_plan *plan = &g->plan;
    struct k_lanes *lanes = &g->lanes;
    lanes->first = lanes->channel = 0;
    lanes->channels = 1;
    lanes->windows = plan->pitch;
    lanes_begin(lanes, &plan->width);
    const int32_t step = (int32_t)(plan->height.stride * plan->width.in);
    const int64_t period = plan->planes > 1 ? plan->groups : block_rows(plan);
    for (int64_t row = 1; row < block_rows(plan); row++) {
        const int64_t at = row * plan->pitch;
        const int32_t down = (int32_t)(row % period) * step;
        for (int64_t w = 0; w < plan->pitch; w++) {
            lanes->base[at + w] = lanes->base[w] + down;
            lanes->inside[at + w] = lanes->inside[w];
            lanes->length[at + w] = lanes->length[w];
        }
    }
}

static inline bool block_is_planar(const struct max_plan *plan)
{
    return plan->depth.in == 1 && plan->depth.kernel == 1;
}

/* ---- windows ---- */

/* Which rows the taps of a row of windows lie in. In a plane of depth 1 a tap beyond the first or
 * last row is no place of the plane. */
static inline void block_codes(const struct max_plan *plan, int64_t od, int64_t oh,
                               struct row_codes *codes)
{
    if (!block_is_planar(plan)) {
        row_codes(plan, od, oh, codes);
        return;
    }
    codes->count = (int)plan->height.kernel;
    for (int64_t j = 0; j < plan->height.kernel; j++)
        codes->at[j] = (int32_t)(j * plan->height.dilation * plan->width.in);
    codes->limit = (int32_t)(plan->height.in * plan->width.in);
}

/* `count` windows from memory: their indices and values go to `to`, if it is not NULL. Returns
 * lanes that are not 0 where an index lies outside of its window. */
K_TEMPLATE
vi take_places(enum k_dtype dt, enum k_index index, const struct max_grad *g,
               const struct row_codes *rows, int32_t base, int64_t count, const char *dy,
               const char *indices, int32_t *to)
{
    const int64_t index_size = index == K_INDEX_I64 ? 8 : 4;
    const struct k_lanes *lanes = &g->lanes;
    vi stray = {0}, high = {0};
    for (int64_t i = 0; i < count; i += VL) {
        const int left = (int)max_least(count - i, VL);
        const char *at = dy + i * k_size(dt);
        k_prefetch(at + MAX_AHEAD);
        if (to) {
            const vf value =
                left == VL ? k_load(dt, at) : k_load_first_before(dt, at, left, g->dy_end);
            v_store((float *)(void *)(to + i) + MAX_RING_STEP, value);
        }
        vi place = v_load_i(lanes->base + i) + base;
        if (index == K_INDEX_NONE) {
            v_store_i(to + i, place);
            continue;
        }
        for (int line = 0; line < VL * index_size; line += LINE_BYTES)
            k_prefetch(indices + i * index_size + MAX_AHEAD + line);
        const vi first = place;
        place = k_load_indices(index == K_INDEX_I64, indices + i * index_size, left, g->indices_end,
                               &high);
        /* Unsigned: an index may be any number. */
        const vi code = (vi)((vu)place - (vu)first);
        const vi is_tap = code_is_tap(lanes, &g->plan.width, rows, i, code) &
                          (vi)((vu)place < (vu)v_all_i(rows->limit));
        stray |= left == VL ? ~is_tap : ~is_tap & (vi)(v_lanes() < left);
        if (to) v_store_i(to + i, place);
    }
    return stray | high;
}

/* Values of windows whose codes argmax_row has put into the ring. */
K_TEMPLATE
void take_found(enum k_dtype dt, const struct max_grad *g, int32_t base, int64_t count,
                const char *dy, int32_t *to)
{
    widen(dt, (float *)(void *)to + MAX_RING_STEP, dy, count, g->dy_end);
    for (int64_t i = 0; i < count; i += VL)
        v_store_i(to + i, v_load_i(to + i) + v_load_i(g->lanes.base + i) + base);
}

/* `rows` rows of windows from (od, oh) on, into the ring from `to` on; all exist. */
K_TEMPLATE
void take_rows(enum k_dtype dt, struct max_grad *g, struct k_lanes *real, int64_t od, int64_t oh,
               int64_t rows, int32_t *to)
{
    const struct max_plan *plan = &g->plan;
    const int64_t out = plan->width.out;
    const bool planar = block_is_planar(plan);
    const bool joined = plan->pitch == out && !g->argmax && planar;
    const int64_t runs = joined ? 1 : rows, count = joined ? rows * out : out;
    struct row_codes codes;
    vi stray = {0};
    block_codes(plan, od, oh, &codes);
    for (int64_t run = 0; run < runs; run++, to += plan->pitch) {
        const int64_t row = (g->outer * plan->depth.out + od) * plan->height.out + oh + run;
        const char *dy = g->dy + row * out * k_size(dt);
        const int32_t base = (int32_t)row_base(plan, od, oh + run);
        if (!planar && run > 0) block_codes(plan, od, oh + run, &codes);
        if (g->argmax) {
            g->argmax->code = to;
            argmax_row(dt, g->argmax, real, g->outer, od, oh + run);
            take_found(dt, g, base, count, dy, to);
        } else if (g->pool->index == K_INDEX_I64) {
            stray |= take_places(dt, K_INDEX_I64, g, &codes, base, count, dy,
                                 g->indices + row * out * 8, to);
        } else if (g->pool->index == K_INDEX_I32) {
            stray |= take_places(dt, K_INDEX_I32, g, &codes, base, count, dy,
                                 g->indices + row * out * 4, to);
        } else {
            take_places(dt, K_INDEX_NONE, g, &codes, base, count, dy, NULL, to);
        }
        if (plan->pitch > out) no_codes(to + out, to + plan->pitch);
    }
    if (v_any(stray)) g->stray = true;
}

#define TAKE_ARGUMENTS                                                                             \
    struct max_grad *g, struct k_lanes *real, int64_t od, int64_t oh, int64_t rows, int32_t *to

static __attribute__((noinline, unused)) void take_rows_f32(TAKE_ARGUMENTS)
{
    take_rows(K_F32, g, real, od, oh, rows, to);
}

static __attribute__((noinline, unused)) void take_rows_f16(TAKE_ARGUMENTS)
{
    take_rows(K_F16, g, real, od, oh, rows, to);
}

static __attribute__((noinline, unused)) void take_rows_bf16(TAKE_ARGUMENTS)
{
    take_rows(K_BF16, g, real, od, oh, rows, to);
}

K_TEMPLATE
void take_rows_of(enum k_dtype dt, TAKE_ARGUMENTS)
{
    if (dt == K_F32) take_rows_f32(g, real, od, oh, rows, to);
    if (dt == K_F16) take_rows_f16(g, real, od, oh, rows, to);
    if (dt == K_BF16) take_rows_bf16(g, real, od, oh, rows, to);
}

#undef TAKE_ARGUMENTS

/* The windows of `groups` groups from q on of one plane; those before `made` are there. */
K_TEMPLATE
void take_block(enum k_dtype dt, struct max_grad *g, struct k_lanes *real, int64_t q,
                int64_t groups, int64_t made)
{
    const struct max_axis *height = &g->plan.height;
    const int64_t low = q + height->low, high = q + groups + height->high; /* rows wanted */
    const int64_t begin = max_least(max_most(max_most(low, made), 0), high);
    const int64_t end = max_most(max_least(high, height->out), begin);
    for (int k = 0; k < g->depths; k++) {
        if (made <= low) no_codes(block_row(g, k, 0), block_row(g, k, begin - low));
        if (end > begin)
            take_rows_of(dt, g, real, g->depth[k], begin, end - begin,
                         block_row(g, k, begin - low));
        no_codes(block_row(g, k, end - low), block_row(g, k, high - low) + block_tail(&g->plan));
    }
}

/* The windows of `planes` planes from outer on, all of them. */
K_TEMPLATE
void take_planes(enum k_dtype dt, struct max_grad *g, struct k_lanes *real, int64_t outer,
                 int64_t planes)
{
    const struct max_plan *plan = &g->plan;
    const int64_t out = plan->height.out, front = -plan->height.low;
    const bool joined = plan->pitch == plan->width.out && plan->groups == out && !g->argmax;
    g->outer = outer;
    no_codes(block_row(g, 0, 0), block_row(g, 0, front));
    if (joined) {
        take_rows_of(dt, g, real, 0, 0, planes * out, block_row(g, 0, front));
    } else {
        for (int64_t plane = 0; plane < planes; plane++, g->outer++) {
            const int64_t row = front + plane * plan->groups;
            take_rows_of(dt, g, real, 0, 0, out, block_row(g, 0, row));
            no_codes(block_row(g, 0, row + out), block_row(g, 0, row + plan->groups));
        }
    }
    const int64_t end = front + planes * plan->groups;
    no_codes(block_row(g, 0, end),
             block_row(g, 0, end) + block_tail(plan) + plan->height.high * plan->pitch);
}

/* ---- windows where they are ---- */

/* `windows` (at least VL) windows that have `taps` rows of taps without gaps. */
K_TEMPLATE
vi look_at_run(int taps, const struct max_grad *g, const struct row_codes *codes, int32_t base,
               int64_t windows, const char *dy, const char *indices)
{
    const struct k_lanes *lanes = &g->lanes;
    const uint32_t limit = (uint32_t)codes->limit;
    vu stray = {0};
    for (int64_t i = 0;;) {
        k_prefetch(dy + i * 4 + MAX_AHEAD);
        k_prefetch(indices + i * 4 + MAX_AHEAD);
        const vu place = (vu)v_load_i((const int32_t *)(const void *)(indices + i * 4));
        const vu column = place - (vu)v_load_i(lanes->base + i) - (vu)v_load_i(lanes->inside + i) -
                          (uint32_t)base;
        vu least = column;
        for (int r = 1; r < taps; r++)
            least = v_least_u(least, column - (uint32_t)codes->at[r]);
        stray |= (vu)(least >= (vu)v_load_i(lanes->length + i)) | (vu)(place >= limit);
        if (i + VL == windows) return (vi)stray;
        i = max_least(i + VL, windows - VL);
    }
}

/* Do the indices of these rows of windows, counted through all planes, lie in their windows? */
static __attribute__((noinline, unused)) bool rows_are_known(struct max_grad *g, int64_t row,
                                                             int64_t end)
{
    const struct max_plan *plan = &g->plan;
    const int64_t out = plan->width.out, height = plan->height.out;
    const int64_t most = plan->planes > 1 ? plan->groups : block_rows(plan);
    const bool gaps = plan->width.dilation > 1 && plan->width.kernel > 1;
    struct row_codes codes;
    vi stray = {0};
    block_codes(plan, 0, 0, &codes);
    for (int64_t rows; row < end; row += rows) {
        const int64_t oh = row % height;
        rows = plan->pitch == out ? max_least(max_least(end - row, height - oh), most) : 1;
        const int32_t base = (int32_t)row_base(plan, 0, oh);
        const char *dy = g->dy + row * out * 4, *indices = g->indices + row * out * 4;
        if (gaps || rows * out < VL)
            stray |=
                take_places(K_F32, K_INDEX_I32, g, &codes, base, rows * out, dy, indices, NULL);
        else if (codes.count == 2)
            stray |= look_at_run(2, g, &codes, base, rows * out, dy, indices);
        else if (codes.count == 3)
            stray |= look_at_run(3, g, &codes, base, rows * out, dy, indices);
        else
            stray |= look_at_run(codes.count, g, &codes, base, rows * out, dy, indices);
    }
    return !v_any(stray);
}

/* May the windows of so many groups from group q of plane `outer` on be read where they are? */
static inline bool block_is_direct(struct max_grad *g, int64_t outer, int64_t q, int64_t groups)
{
    const struct max_plan *plan = &g->plan;
    const struct max_axis *height = &plan->height, *width = &plan->width;
    if (!g->direct) return false;
    const int64_t row = outer * height->out + q + height->low;
    const int64_t end = row + groups + height->high - height->low;
    const int64_t first = row * width->out + width->low;
    const int64_t last = (end - 1) * width->out + plan->pitch + width->high + VL;
    if (first < 0 || last > plan->outer * height->out * width->out) return false;
    const int64_t low = first / width->out, high = (last + width->out - 1) / width->out;
    g->direct = rows_are_known(g, max_most(low, g->looked), high);
    g->looked = high;
    const int64_t at = row * width->out + width->low;
    g->step = width->out;
    g->low[0] = (struct cell_term){(const int32_t *)(const void *)g->indices + at,
                                   (const float *)(const void *)g->dy + at};
    return g->direct;
}

static inline void block_in_ring(struct max_grad *g)
{
    g->step = g->plan.pitch;
    for (int k = 0; k < g->depths; k++) {
        const int32_t *row = block_row(g, k, 0) + g->plan.width.low;
        g->low[k] = (struct cell_term){row, (const float *)(const void *)row + MAX_RING_STEP};
    }
}

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
                    terms->at[count++] =
                        (struct cell_term){g->low[k].place + at, g->low[k].value + at};
                }
    }
    terms->first[width->stride] = count;
}

/* A run of lanes, from group `group` of the block on, all phases of the height. */
K_TEMPLATE
void block_run(enum k_dtype dt, struct max_grad *g, struct cell_run *run, enum cell_pattern pattern,
               int64_t group)
{
    const int64_t tall = g->plan.height.stride;
    char *made = (char *)(g->phase_rows + 1) + group * g->line;
    const int32_t base = run->base;
    run->start = group * g->step;
    run->first = g->lanes.base + group * g->plan.pitch;
    run->low = (struct cell_term){g->low[0].place + run->start, g->low[0].value + run->start};
    for (int64_t c = 0; pattern != CELLS_EVERYWHERE && c < tall; c++)
        run->to[c] = made + c * g->region;
    for (int r = 0; pattern == CELLS_EVERYWHERE && r < MAX_STRIP; r++)
        run->to[r] = made + r * g->line;
    if (pattern != CELLS_ANY) {
        put_cells_of(dt, pattern, run, NULL);
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
        .step = g->step,
        .width = (int32_t)width->in,
        .lanes = plan->pitch,
        .base = (int32_t)((d * height->in + q * height->stride) * width->in + width->pad)};
    const bool joined = g->step == plan->pitch && pattern != CELLS_EVERYWHERE;
    g->line = plan->pitch * width->stride * k_size(dt);
    if (!joined) g->line = (g->line + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    g->region = (all * g->line + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES + BLOCK_SLACK;
    if (height->stride == 1) block_terms(g, 0);
    if (joined) {
        run.lanes = all * plan->pitch;
        block_run(dt, g, &run, pattern, 0);
        return;
    }
    if (pattern == CELLS_EVERYWHERE && groups >= MAX_STRIP) {
        for (int64_t plane = 0; plane < planes; plane++)
            for (int64_t group = 0; group < groups; group += MAX_STRIP) /* the last ones twice */
                block_run(dt, g, &run, pattern,
                          plane * groups + max_least(group, groups - MAX_STRIP));
        return;
    }
    for (int64_t group = 0; group < all; group++)
        block_run(dt, g, &run, pattern == CELLS_EVERYWHERE ? CELLS_ANY : pattern, group);
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
                memcpy(vectors.to, from, (size_t)piece);
                vectors.to += piece;
            }
            if (++c == tall) c = 0, group++;
        }
    }
    g->outlet.vectors = vectors;
}

static inline void block_begin(struct max_grad *g)
{
    const struct max_plan *plan = &g->plan;
    const struct max_axis *height = &plan->height, *width = &plan->width;
    window_lanes(g);
    g->looked = INT64_MIN;
    /* A window beside a row's or a plane's end is another row's or plane's: it must not cover cells
     * at both. */
    g->direct = !g->argmax && g->dy_size == 4 && g->pool->index == K_INDEX_I32 &&
                block_is_planar(plan) &&
                width->out * width->stride > (width->kernel - 1) * width->dilation &&
                height->out * height->stride > (height->kernel - 1) * height->dilation &&
                (plan->planes == 1 || (plan->pitch == width->out && plan->groups == height->out));
    g->pattern = cell_pattern(height, width);
    /* Rows apart have to fit. */
    const int64_t line = (plan->pitch * width->stride * 4 + LINE_BYTES - 1) / LINE_BYTES;
    if (plan->block * height->stride * line * LINE_BYTES > MAX_BLOCK * 4) {
        if (g->pattern == CELLS_EVERYWHERE) g->pattern = CELLS_ANY;
        if (plan->pitch != width->out) g->direct = false;
    }
    g->cells_terms.stride = (int)width->stride;
    memcpy(g->cells_terms.from, g->from, sizeof g->from);
    memcpy(g->cells_terms.place, g->place, sizeof g->place);
    for (int k = 0; k < max_depths(&plan->depth); k++)
        no_codes(block_row(g, k, 0) - max_guard(plan), block_row(g, k, 0));
}

/* ---- the walk ---- */

/* Rows [h, end) of the column (outer, d) that grad_column has begun; false, and rows missing, if a
 * stray index is found and not to be ignored. */
K_TEMPLATE
bool walk_blocks(enum k_dtype dt, struct max_grad *g, struct k_lanes *real, int64_t d, int64_t h,
                 int64_t end, bool ignore)
{
    const struct max_plan *plan = &g->plan;
    const struct max_axis *height = &plan->height;
    const int64_t span = height->high - height->low, stride = height->stride;
    int64_t made = INT64_MIN; /* the ring holds rows before it */
    while (h < end) {
        const int64_t q = h / stride;
        const int64_t groups = max_least((end - 1) / stride - q + 1, plan->block);
        const int64_t rows = max_least(end, (q + groups) * stride) - h;
        const bool direct = block_is_direct(g, g->outer, q, groups);
        if (!direct) {
            take_block(dt, g, real, q, groups, made);
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
    return true;
}

#endif
