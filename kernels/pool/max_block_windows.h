/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of max pooling in blocks: rows of windows, in a ring of rows or where they are in
 * memory (kernels/pool/max_block.h tells when). */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_BLOCK_WINDOWS_H
#define ACLNN_CPU_KERNELS_POOL_MAX_BLOCK_WINDOWS_H

#include "kernels/pool/max_grad.h"

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
        /* Unsigned: in lanes that nobody uses it may overflow. */
        vi place = (vi)((vu)v_load_i(lanes->base + i) + (vu)v_all_i(base));
        if (index == K_INDEX_NONE) {
            v_store_i(to + i, place);
            continue;
        }
        for (int line = 0; line < VL * index_size; line += LINE_BYTES)
            k_prefetch(indices + i * index_size + MAX_AHEAD + line);
        const vi first = place;
        place = (vi)((vu)k_load_indices(index == K_INDEX_I64, indices + i * index_size, left,
                                        g->indices_end, &high) -
                     first_index(g));
        /* Unsigned: an index may be any number. */
        const vi code = (vi)((vu)place - (vu)first);
        const vi is_tap = code_is_tap(lanes, &g->plan.width, rows, i, code) &
                          (vi)((vu)place < (vu)v_all_i(rows->limit));
        stray |= left == VL ? ~is_tap : ~is_tap & (vi)(v_lanes() < left);
        if (to) v_store_i(to + i, place);
    }
    return stray | high;
}

/* `rows` rows of windows from (od, oh) on, into the ring from `to` on; all exist. */
K_TEMPLATE
void take_rows(enum k_dtype dt, struct max_grad *g, int64_t od, int64_t oh, int64_t rows,
               int32_t *to)
{
    const struct max_plan *plan = &g->plan;
    const int64_t out = plan->width.out;
    const bool planar = block_is_planar(plan);
    const bool joined = plan->pitch == out && planar;
    const int64_t runs = joined ? 1 : rows, count = joined ? rows * out : out;
    const int64_t first = (g->outer * plan->depth.out + od) * plan->height.out + oh;
    struct row_codes codes;
    vi stray = {0};
    block_codes(plan, od, oh, &codes);
    for (int64_t run = 0; run < runs; run++, to += plan->pitch) {
        const int64_t row = first + run;
        const char *dy = g->dy + row * out * k_size(dt);
        const int32_t base = (int32_t)row_base(plan, od, oh + run);
        if (!planar && run > 0) block_codes(plan, od, oh + run, &codes);
        if (g->pool->index == K_INDEX_I64)
            stray |= take_places(dt, K_INDEX_I64, g, &codes, base, count, dy,
                                 g->indices + row * out * 8, to);
        else if (g->pool->index == K_INDEX_I32)
            stray |= take_places(dt, K_INDEX_I32, g, &codes, base, count, dy,
                                 g->indices + row * out * 4, to);
        else
            take_places(dt, K_INDEX_NONE, g, &codes, base, count, dy, NULL, to);
        if (plan->pitch > out) no_codes(to + out, to + plan->pitch);
    }
    if (v_any(stray)) g->stray = true;
}

/* The windows of `groups` groups from q on of one plane; those before `made` are there. */
K_TEMPLATE
void take_block(enum k_dtype dt, struct max_grad *g, int64_t q, int64_t groups, int64_t made)
{
    const struct max_axis *height = &g->plan.height;
    const int64_t low = q + height->low, high = q + groups + height->high; /* rows wanted */
    const int64_t begin = max_least(max_most(max_most(low, made), 0), high);
    const int64_t end = max_most(max_least(high, height->out), begin);
    for (int k = 0; k < g->depths; k++) {
        if (made <= low) no_codes(block_row(g, k, 0), block_row(g, k, begin - low));
        if (end > begin)
            take_rows(dt, g, g->depth[k], begin, end - begin, block_row(g, k, begin - low));
        no_codes(block_row(g, k, end - low), block_row(g, k, high - low) + block_tail(&g->plan));
    }
}

/* The windows of `planes` planes from outer on, all of them. */
K_TEMPLATE
void take_planes(enum k_dtype dt, struct max_grad *g, int64_t outer, int64_t planes)
{
    const struct max_plan *plan = &g->plan;
    const int64_t out = plan->height.out, front = -plan->height.low;
    const bool joined =
        plan->pitch == plan->width.out && plan->groups == out && g->indices_step == 0;
    g->outer = outer;
    no_codes(block_row(g, 0, 0), block_row(g, 0, front));
    if (joined) take_rows(dt, g, 0, 0, planes * out, block_row(g, 0, front));
    for (int64_t plane = 0; plane < planes && !joined; plane++, g->outer++) {
        const int64_t row = front + plane * plan->groups;
        take_rows(dt, g, 0, 0, out, block_row(g, 0, row));
        no_codes(block_row(g, 0, row + out), block_row(g, 0, row + plan->groups));
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
    const uint32_t first = first_index(g), limit = (uint32_t)codes->limit;
    vu stray = {0};
    for (int64_t i = 0;;) {
        k_prefetch(dy + i * g->dy_size + MAX_AHEAD);
        k_prefetch(indices + i * 4 + MAX_AHEAD);
        const vu place = (vu)v_load_i((const int32_t *)(const void *)(indices + i * 4)) - first;
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
    const int64_t out = plan->width.out, height = plan->height.out, outer = g->outer;
    const bool joined = plan->pitch == out && block_is_planar(plan);
    const int64_t most = plan->planes > 1 ? plan->groups : block_rows(plan);
    const bool gaps = plan->width.dilation > 1 && plan->width.kernel > 1;
    struct row_codes codes;
    vi stray = {0};
    for (int64_t rows; row < end; row += rows) {
        const int64_t oh = row % height, od = row / height % plan->depth.out;
        g->outer = row / height / plan->depth.out;
        rows = joined ? max_least(max_least(end - row, height - oh), most) : 1;
        block_codes(plan, od, oh, &codes);
        const int32_t base = (int32_t)row_base(plan, od, oh);
        const char *dy = g->dy + row * out * g->dy_size, *indices = g->indices + row * out * 4;
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
    g->outer = outer;
    return !v_any(stray);
}

/* Do the cells look at their own windows? */
static inline bool cells_look(const struct max_grad *g)
{
    return g->direct && g->own;
}

/* May the windows of so many groups from group q of plane `outer` on be read where they are, of
 * which there is one depth over the cells? Their own windows need not be looked at if the cells do
 * it. Other planes' windows lie beside the first and the last ones. */
static inline bool block_is_direct(struct max_grad *g, int64_t outer, int64_t q, int64_t groups)
{
    const struct max_plan *plan = &g->plan;
    const struct max_axis *height = &plan->height, *width = &plan->width;
    if (!g->direct || g->depths != 1) return false;
    if (g->dy_size != 4 && !cells_look(g)) return false;
    const int64_t plane = outer * plan->depth.out + g->depth[0];
    const int64_t row = plane * height->out + q + height->low;
    const int64_t end = row + groups + height->high - height->low;
    const int64_t first = row * width->out + width->low;
    const int64_t last = (end - 1) * width->out + plan->pitch + width->high;
    const int64_t all = plan->outer * plan->depth.out * height->out * width->out;
    if (first < 0 || last + VL > all) return false;
    const int64_t low = first / width->out, high = (last + width->out - 1) / width->out;
    if (cells_look(g)) {
        const int64_t begin = plane * height->out;
        const int64_t behind = begin + (plan->planes > 1 ? groups : height->out);
        g->direct = rows_are_known(g, low, begin) && rows_are_known(g, behind, high);
    } else {
        g->direct = rows_are_known(g, max_most(low, g->looked), high);
        g->looked = high;
    }
    const int64_t at = row * width->out + width->low;
    g->in_place = true;
    g->step = width->out;
    g->value_size = g->dy_size;
    g->low[0] =
        (struct cell_term){(const int32_t *)(const void *)g->indices + at, g->dy + at * g->dy_size};
    return g->direct;
}

static inline void block_in_ring(struct max_grad *g)
{
    g->in_place = false;
    g->step = g->plan.pitch;
    g->value_size = sizeof(float);
    for (int k = 0; k < g->depths; k++) {
        const int32_t *row = block_row(g, k, 0) + g->plan.width.low;
        g->low[k] = (struct cell_term){row, (const char *)(row + MAX_RING_STEP)};
    }
}

#endif
