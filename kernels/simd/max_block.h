/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of max pooling in blocks: many rows of windows become many rows of cells at a time, so
 * that short rows cost what their elements cost. See max_pool_plan.h for why rows need no gaps. */
#ifndef ACLNN_CPU_KERNELS_SIMD_MAX_BLOCK_H
#define ACLNN_CPU_KERNELS_SIMD_MAX_BLOCK_H

#include "kernels/simd/max_grad.h"

enum { BLOCK_DIRECT = 24 /* windows of a row from which rows are made where they belong */ };

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

/* Lanes behind a block's last row that are set to no code; VL more may be. */
static inline int64_t block_tail(const struct max_plan *plan)
{
    return max_guard(plan) - MAX_SLACK / 2;
}

/* Places, as of lanes_begin, for all lanes of a block. */
static inline void block_lanes(struct max_grad *g)
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

/* `rows` rows of windows from (od, oh) on, into the ring from `code` on; all exist. */
K_TEMPLATE
void take_rows(enum k_dtype dt, struct max_grad *g, struct k_lanes *real, int64_t od, int64_t oh,
               int64_t rows, int32_t *code)
{
    const struct max_plan *plan = &g->plan;
    const int64_t out = plan->width.out;
    const bool flat = plan->pitch == out && !g->argmax;
    const bool planar = plan->depth.in == 1 && plan->depth.kernel == 1;
    const int64_t runs = flat && planar ? 1 : rows, count = flat && planar ? rows * out : out;
    struct row_codes codes;
    vi stray = {0};
    for (int64_t run = 0; run < runs; run++, code += plan->pitch) {
        const int64_t row = (g->outer * plan->depth.out + od) * plan->height.out + oh + run;
        const char *dy = g->dy + row * out * k_size(dt);
        if (g->argmax) {
            g->argmax->code = code;
            argmax_row(dt, g->argmax, real, g->outer, od, oh + run);
            take_values(dt, g, count, dy, code);
        } else {
            const int32_t base = (int32_t)row_base(plan, od, oh + run);
            if (run == 0 || !planar) row_codes(plan, od, oh + run, &codes);
            if (planar) { /* an index in the plane has its row in the plane */
                codes.count = (int)plan->height.kernel;
                for (int64_t j = 0; run == 0 && j < plan->height.kernel; j++)
                    codes.at[j] = (int32_t)(j * plan->height.dilation * plan->width.in);
                codes.limit = (int32_t)(plan->height.in * plan->width.in);
            }
            if (g->pool->index == K_INDEX_I64)
                stray |= take_run(dt, K_INDEX_I64, g, &codes, base, 0, count, dy,
                                  g->indices + row * out * 8, code);
            else if (g->pool->index == K_INDEX_I32)
                stray |= take_run(dt, K_INDEX_I32, g, &codes, base, 0, count, dy,
                                  g->indices + row * out * 4, code);
            else
                take_run(dt, K_INDEX_NONE, g, &codes, base, 0, count, dy, NULL, code);
        }
        if (plan->pitch > out) no_codes(code + out, code + plan->pitch);
    }
    if (v_any(stray)) g->stray = true;
}

static __attribute__((noinline, unused)) void take_rows_f32(struct max_grad *g,
                                                            struct k_lanes *real, int64_t od,
                                                            int64_t oh, int64_t rows, int32_t *code)
{
    take_rows(K_F32, g, real, od, oh, rows, code);
}

static __attribute__((noinline, unused)) void take_rows_f16(struct max_grad *g,
                                                            struct k_lanes *real, int64_t od,
                                                            int64_t oh, int64_t rows, int32_t *code)
{
    take_rows(K_F16, g, real, od, oh, rows, code);
}

static __attribute__((noinline, unused)) void take_rows_bf16(struct max_grad *g,
                                                             struct k_lanes *real, int64_t od,
                                                             int64_t oh, int64_t rows,
                                                             int32_t *code)
{
    take_rows(K_BF16, g, real, od, oh, rows, code);
}

K_TEMPLATE
void take_rows_of(enum k_dtype dt, struct max_grad *g, struct k_lanes *real, int64_t od, int64_t oh,
                  int64_t rows, int32_t *code)
{
    if (dt == K_F32) take_rows_f32(g, real, od, oh, rows, code);
    if (dt == K_F16) take_rows_f16(g, real, od, oh, rows, code);
    if (dt == K_BF16) take_rows_bf16(g, real, od, oh, rows, code);
}

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
    const bool flat = plan->pitch == plan->width.out && plan->groups == out && !g->argmax;
    g->outer = outer;
    no_codes(block_row(g, 0, 0), block_row(g, 0, front));
    if (flat) {
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

/* Terms for all phases, relative to the block's first lane. */
static inline void block_terms(struct max_grad *g)
{
    const struct max_axis *height = &g->plan.height, *width = &g->plan.width;
    const struct max_phases *tall = &g->phases[1], *wide = &g->phases[2];
    int count = 0;
    for (int64_t c = 0; c < height->stride; c++)
        for (int64_t phase = 0; phase <= width->stride; phase++) {
            g->first_term[c][phase] = count;
            if (phase == width->stride) break;
            for (int k = 0; k < g->depths; k++)
                for (int e = tall->first[c]; e < tall->first[c + 1]; e++)
                    for (int w = wide->first[phase]; w < wide->first[phase + 1]; w++)
                        g->terms[count++] = (struct max_term){
                            block_row(g, k, tall->shift[e] - height->low) + wide->shift[w],
                            (int32_t)(g->depth_code[k] +
                                      tall->tap[e] * height->dilation * width->in +
                                      wide->tap[w] * width->dilation)};
        }
}

/* Phase c of the height: `lanes` lanes from lane `at` on, as elements. */
K_TEMPLATE
void block_phase(enum k_dtype dt, const struct max_grad *g, int64_t c, int64_t at, int64_t lanes,
                 char *to)
{
    const int *first = g->first_term[c];
    const int64_t stride = g->plan.width.stride;
    if (stride == 1)
        put_run(dt, g->terms + first[0], first[1] - first[0], at, lanes, to);
    else if (stride == 2)
        put_pairs(dt, g, first, at, lanes, to);
    else
        put_phases(dt, g, first, at, lanes, to);
}

/* `bytes` bytes, 64 more may be written. */
static inline void copy_row(char *to, const char *from, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i += K_VECTOR_BYTES)
        v_store((float *)(void *)(to + i), v_load((const float *)(const void *)(from + i)));
}

/* Rows [first, first + rows) of cells of each of `planes` planes, which have `groups` groups in the
 * ring. */
K_TEMPLATE
void block_put(enum k_dtype dt, struct max_grad *g, int64_t planes, int64_t groups, int64_t first,
               int64_t rows)
{
    const struct max_plan *plan = &g->plan;
    const int64_t stride = plan->width.stride, tall = plan->height.stride;
    const int64_t lanes = planes * groups * plan->pitch;
    const int64_t line = plan->pitch * stride * k_size(dt), bytes = plan->width.in * k_size(dt);
    const int64_t all = planes * rows * bytes;
    if (tall == 1 && line == bytes && all <= SINK_ROOM && groups == rows) {
        char *to = sink_room(&g->sink, all, false);
        block_phase(dt, g, 0, 0, lanes, to);
        sink_took(&g->sink, all);
        return;
    }
    const bool direct = plan->pitch >= BLOCK_DIRECT;
    char *made = (char *)g->phase_rows;
    const int64_t region = planes * groups * line + BLOCK_SLACK;
    for (int64_t c = 0; c < tall; c++)
        if (!direct) block_phase(dt, g, c, 0, lanes, made + c * region);
    const int64_t most = SINK_ROOM / bytes;
    for (int64_t plane = 0; plane < planes; plane++) {
        int64_t c = first % tall;
        int64_t group = plane * groups + first / tall;
        for (int64_t row = 0, now; row < rows; row += now) {
            now = max_least(rows - row, most);
            char *to = sink_room(&g->sink, now * bytes, false);
            for (int64_t r = 0; r < now; r++, to += bytes) {
                if (direct)
                    block_phase(dt, g, c, group * plan->pitch, plan->pitch, to);
                else
                    copy_row(to, made + c * region + group * line, bytes);
                if (++c == tall) c = 0, group++;
            }
            sink_took(&g->sink, now * bytes);
        }
    }
}

static __attribute__((noinline, unused)) void
block_put_f32(struct max_grad *g, int64_t planes, int64_t groups, int64_t first, int64_t rows)
{
    block_put(K_F32, g, planes, groups, first, rows);
}

static __attribute__((noinline, unused)) void
block_put_f16(struct max_grad *g, int64_t planes, int64_t groups, int64_t first, int64_t rows)
{
    block_put(K_F16, g, planes, groups, first, rows);
}

static __attribute__((noinline, unused)) void
block_put_bf16(struct max_grad *g, int64_t planes, int64_t groups, int64_t first, int64_t rows)
{
    block_put(K_BF16, g, planes, groups, first, rows);
}

K_TEMPLATE
void block_put_of(enum k_dtype dt, struct max_grad *g, int64_t planes, int64_t groups,
                  int64_t first, int64_t rows)
{
    if (dt == K_F32) block_put_f32(g, planes, groups, first, rows);
    if (dt == K_F16) block_put_f16(g, planes, groups, first, rows);
    if (dt == K_BF16) block_put_bf16(g, planes, groups, first, rows);
}

static inline void block_begin(struct max_grad *g)
{
    block_lanes(g);
    for (int k = 0; k < max_depths(&g->plan.depth); k++)
        no_codes(block_row(g, k, 0) - max_guard(&g->plan), block_row(g, k, 0));
}

/* Rows [h, end) of the column that grad_column has begun; false, and rows missing, if a stray index
 * is found and not to be ignored. */
K_TEMPLATE
bool walk_blocks(enum k_dtype dt, struct max_grad *g, struct k_lanes *real, int64_t h, int64_t end,
                 bool ignore)
{
    const struct max_plan *plan = &g->plan;
    const struct max_axis *height = &plan->height;
    const int64_t span = height->high - height->low, stride = height->stride;
    int64_t made = INT64_MIN;
    block_terms(g);
    while (h < end) {
        const int64_t q = h / stride;
        const int64_t groups = max_least((end - 1) / stride - q + 1, plan->block);
        const int64_t rows = max_least(end, (q + groups) * stride) - h;
        take_block(dt, g, real, q, groups, made);
        if (g->stray && !ignore) return false;
        block_put_of(dt, g, 1, groups, h - q * stride, rows);
        h += rows;
        if (h == end) break;
        for (int k = 0; k < g->depths && span > 0; k++) {
            int32_t *to = block_row(g, k, 0), *from = block_row(g, k, groups);
            const size_t bytes = (size_t)(span * plan->pitch) * sizeof *to;
            memmove(to, from, bytes);
            memmove(to + MAX_RING_STEP, from + MAX_RING_STEP, bytes);
        }
        made = q + groups + height->high;
    }
    return true;
}

#endif
