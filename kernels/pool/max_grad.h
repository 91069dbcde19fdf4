/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one call of a gradient of max pooling, and its rows of windows. These wait in a ring
 * in L1: per lane (window times channel) the code of the chosen tap (kernels/pool/argmax.h) and the
 * value of dY. A cell's terms are a list of runs of the ring, one per tap of its phase: where the
 * code is that tap, the value belongs to the cell.
 *
 * Who includes this says before, as the constant GRAD_FINDS, whether the indices are found in x (1)
 * or come from memory (0). */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_GRAD_H
#define ACLNN_CPU_KERNELS_POOL_MAX_GRAD_H

#include "kernels/pool/argmax.h"
#include "kernels/pool/max_cells.h"
#include "kernels/pool/max_pool_plan.h"
#include "kernels/pool/max_rows.h"
#include "kernels/vector/outlet.h"
#include "kernels/vector/select.h"

/* The values of a run lie MAX_RING_STEP words behind its codes. */
enum { MAX_RING_STEP = MAX_RING + 2 * MAX_SLACK, BLOCK_SLACK = 1024 };

struct max_term {
    const int32_t *code;
    int32_t tap;
};

struct max_grad {
    const struct k_max_pool *pool;
    struct max_plan plan;
    struct max_phases phases[K_MAX_POOL_AXES];
    const char *dy, *dy_end, *indices, *indices_end;
    int64_t dy_size;
    char *dx;
    struct k_argmax *argmax; /* GRAD_FINDS */
    char *taps;              /* wide plans: the ring of kernels/pool/max_found.h, MAX_FOUND bytes */
    struct max_rows *rows;   /* if not NULL, finds the indices of most rows of windows faster */
    bool contiguous;         /* the items' cells follow each other in memory */
    bool stray;              /* an index lies outside of its window */
    bool apart;              /* wide plans: rows of windows apart make all their cells at once */
    uint32_t indices_step;   /* from outer to outer, what indices begin with; 0: each with 0 */

    /* The tile in work. */
    struct k_lanes lanes; /* windows over its cells, with those that do not exist */
    int64_t first_cell, cells;

    /* The column in work: the depths over it, and the rows of windows made. */
    int64_t outer, made;
    int depths;
    int64_t depth[MAX_SIDE], depth_code[MAX_SIDE];
    int depth_tap[MAX_SIDE];
    struct max_term terms[MAX_TAPS];
    int first_term[MAX_STRIDE + 1];         /* by phases of the width */
    vi from[MAX_STRIDE], place[MAX_STRIDE]; /* if there are more than two phases */

    /* The block in work. */
    enum cell_pattern pattern;
    bool in_place;        /* windows are read where they are */
    bool direct;          /* so they may be, */
    bool own;             /* and each is looked at by the cells that it is the own window of */
    int64_t looked;       /* rows of windows, counted through all planes, whose indices are known */
    int64_t step;         /* lanes from row to row of windows, */
    int64_t value_size;   /* bytes from value to value of theirs */
    int64_t line, region; /* bytes from group to group of a phase's rows, from phase to phase */
    struct cell_term low[MAX_SIDE]; /* per depth, the first row and column of windows */
    struct cell_terms cells_terms;
    struct k_outlet outlet;
    vf ring[2 * MAX_RING_STEP / VL];
    vf phase_rows[(MAX_BLOCK + MAX_STRIDE * BLOCK_SLACK / 4) / VL + 2];
};

enum { NO_CODE = INT32_MIN };

static inline int32_t *ring_row(struct max_grad *g, int depth, int64_t row)
{
    const int64_t slot = depth * (int64_t)g->plan.rows + row % g->plan.rows;
    return (int32_t *)(void *)g->ring + slot * g->plan.pitch;
}

static inline void no_codes(int32_t *from, int32_t *end)
{
    for (; from < end; from += VL)
        v_store_i(from, v_all_i(NO_CODE));
}

/* The index of the first element of the outer in work; modulo 2^32, as all that is compared. */
static inline uint32_t first_index(const struct max_grad *g)
{
    return (uint32_t)g->outer * g->indices_step;
}

/* ---- rows of windows ---- */

/* Which taps of a row of windows lie in which rows inside the input: their codes. */
struct row_codes {
    int count;
    int32_t limit; /* indices are below it */
    int32_t at[MAX_TAPS];
};

static inline void row_codes(const struct max_plan *plan, int64_t od, int64_t oh,
                             struct row_codes *codes)
{
    const struct max_axis *depth = &plan->depth, *height = &plan->height;
    codes->count = 0;
    codes->limit = INT32_MAX;
    for (int64_t jd = 0; jd < depth->kernel; jd++) {
        const int64_t d = od * depth->stride - depth->pad + jd * depth->dilation;
        for (int64_t jh = 0; d >= 0 && d < depth->in && jh < height->kernel; jh++) {
            const int64_t h = oh * height->stride - height->pad + jh * height->dilation;
            if (h < 0 || h >= height->in) continue;
            codes->at[codes->count++] =
                (int32_t)((jd * depth->dilation * height->in + jh * height->dilation) *
                          plan->width.in);
        }
    }
}

/* Is each lane's code that of a tap inside the input? Along the width taps are inside from
 * `inside` on, over `length`. */
K_TEMPLATE
vi code_in_window(vi inside, vi length, const struct max_axis *width, const struct row_codes *rows,
                  vi code)
{
    vi is_tap = {0};
    if (width->dilation == 1 || width->kernel == 1) {
        const vu column = (vu)code - (vu)inside;
        vu least = (vu)v_all_i(-1);
        for (int r = 0; r < rows->count; r++)
            least = v_least_u(least, column - (uint32_t)rows->at[r]);
        return (vi)(least < (vu)length);
    }
    for (int r = 0; r < rows->count; r++)
        for (int32_t j = 0; j < (int32_t)width->kernel; j++) {
            const int32_t step = j * (int32_t)width->dilation;
            is_tap |= (code == rows->at[r] + step) & (vi)((vu)(step - inside) < (vu)length);
        }
    return is_tap;
}

K_TEMPLATE
vi code_is_tap(const struct k_lanes *lanes, const struct max_axis *width,
               const struct row_codes *rows, int64_t lane, vi code)
{
    return code_in_window(v_load_i(lanes->inside + lane), v_load_i(lanes->length + lane), width,
                          rows, code);
}

/* `count` lanes of windows from lane on, from memory into the ring. Returns lanes that are not 0
 * where an index lies outside of its window. */
K_TEMPLATE
vi take_run(enum k_dtype dt, enum k_index index, const struct max_grad *g,
            const struct row_codes *rows, int32_t base, int64_t lane, int64_t count, const char *dy,
            const char *indices, int32_t *code)
{
    const int64_t index_size = index == K_INDEX_I64 ? 8 : 4;
    vi stray = {0}, high = {0};
    for (int64_t i = 0; i < count; i += VL) {
        const int left = (int)max_least(count - i, VL);
        const char *at = dy + i * k_size(dt);
        k_prefetch(at + MAX_AHEAD);
        const vf value = left == VL ? k_load(dt, at) : k_load_first_before(dt, at, left, g->dy_end);
        v_store((float *)(void *)(code + i) + MAX_RING_STEP, value + 0.0f);
        if (index == K_INDEX_NONE) {
            v_store_i(code + i, (vi){0});
            continue;
        }
        for (int line = 0; line < VL * index_size; line += LINE_BYTES)
            k_prefetch(indices + i * index_size + MAX_AHEAD + line);
        const vi place = (vi)((vu)k_load_indices(index == K_INDEX_I64, indices + i * index_size,
                                                 left, g->indices_end, &high) -
                              first_index(g));
        /* Unsigned: an index may be any number. */
        const vi here = (vi)((vu)place - (uint32_t)base - (vu)v_load_i(g->lanes.base + lane + i));
        const vi is_tap = code_is_tap(&g->lanes, &g->plan.width, rows, lane + i, here) &
                          (vi)((vu)place < (vu)v_all_i(rows->limit));
        stray |= left == VL ? ~is_tap : ~is_tap & (vi)(v_lanes() < left);
        v_store_i(code + i, here);
    }
    return stray | high;
}

/* `count` values of dY. */
K_TEMPLATE
void take_values(enum k_dtype dt, const struct max_grad *g, int64_t count, const char *dy,
                 int32_t *code)
{
    float *value = (float *)(void *)code + MAX_RING_STEP;
    widen(dt, value, dy, count, g->dy_end);
    for (int64_t i = 0; i < count; i += VL)
        v_store(value + i, v_load(value + i) + 0.0f);
}

/* Row (od, oh) of the column's windows, those that exist, from window `begin` to `end`. */
K_TEMPLATE
void take_row(enum k_dtype dt, struct max_grad *g, int64_t od, int64_t oh, int64_t begin,
              int64_t end, int32_t *code)
{
    const struct max_plan *plan = &g->plan;
    const struct k_lanes *lanes = &g->lanes;
    const int64_t row = (g->outer * plan->depth.out + od) * plan->height.out + oh;
    const int64_t at = (row * plan->width.out + begin) * plan->channels + lanes->channel;
    const bool whole = lanes->channels == plan->channels;
    const int64_t runs = whole ? 1 : end - begin, step = whole ? 0 : plan->channels;
    const int64_t count = whole ? (end - begin) * plan->channels : lanes->channels;
    const char *dy = g->dy + at * k_size(dt);
    const int64_t front = (begin - lanes->first) * lanes->channels;
    if (GRAD_FINDS) {
        for (int64_t run = 0; run < runs; run++)
            take_values(dt, g, count, dy + run * step * k_size(dt), code + front + run * count);
        return;
    }
    const int32_t base = (int32_t)row_base(plan, od, oh);
    struct row_codes rows;
    row_codes(plan, od, oh, &rows);
    vi stray = {0};
    for (int64_t run = 0; run < runs; run++) {
        const int64_t lane = front + run * count, skip = run * step;
        const char *values = dy + skip * k_size(dt);
        if (g->pool->index == K_INDEX_I64)
            stray |= take_run(dt, K_INDEX_I64, g, &rows, base, lane, count, values,
                              g->indices + (at + skip) * 8, code + lane);
        else if (g->pool->index == K_INDEX_I32)
            stray |= take_run(dt, K_INDEX_I32, g, &rows, base, lane, count, values,
                              g->indices + (at + skip) * 4, code + lane);
        else
            take_run(dt, K_INDEX_NONE, g, &rows, base, lane, count, values, NULL, code + lane);
    }
    if (v_any(stray)) g->stray = true;
}

/* ---- the walk ---- */

static inline void grad_tile(struct max_grad *g, int64_t tile)
{
    const struct max_tiles *tiles = &g->plan.tiles;
    const struct max_axis *width = &g->plan.width;
    struct k_lanes *lanes = &g->lanes;
    const int64_t cell = tile % tiles->tiles * tiles->tile;
    const int64_t channel = tile / tiles->tiles * tiles->channels;
    if (lanes->windows > 0 && g->first_cell == cell && lanes->channel == channel) return;
    g->first_cell = cell;
    g->cells = max_least(tiles->tile, width->in - cell);
    lanes->first = cell / width->stride + width->low;
    lanes->windows = (g->cells + width->stride - 1) / width->stride + width->high - width->low;
    lanes->channel = channel;
    lanes->channels = (int)max_least(tiles->channels, g->plan.channels - channel);
    lanes_begin(lanes, width);
}

static inline void grad_column(struct max_grad *g, int64_t outer, int64_t d, int64_t h)
{
    const struct max_axis *depth = &g->plan.depth, *height = &g->plan.height;
    const struct max_phases *phases = &g->phases[0];
    const int64_t q = d / depth->stride, c = d % depth->stride;
    g->outer = outer;
    g->depths = 0;
    for (int e = phases->first[c]; e < phases->first[c + 1]; e++) {
        const int64_t od = q + phases->shift[e];
        if (od < 0 || od >= depth->out) continue;
        g->depth[g->depths] = od;
        g->depth_tap[g->depths] = phases->tap[e];
        g->depth_code[g->depths++] =
            phases->tap[e] * depth->dilation * height->in * g->plan.width.in;
    }
    g->made = max_most(h / height->stride + height->low, 0);
}

/* The terms of row h of cells, for each phase of the width. */
static inline void grad_terms(struct max_grad *g, int64_t h)
{
    const struct max_axis *height = &g->plan.height, *width = &g->plan.width;
    const struct max_phases *tall = &g->phases[1], *wide = &g->phases[2];
    const int64_t q = h / height->stride, c = h % height->stride;
    int count = 0;
    for (int64_t phase = 0; phase < width->stride; phase++) {
        g->first_term[phase] = count;
        for (int k = 0; k < g->depths; k++)
            for (int e = tall->first[c]; e < tall->first[c + 1]; e++) {
                const int64_t oh = q + tall->shift[e];
                if (oh < 0 || oh >= height->out) continue;
                const int32_t *row = ring_row(g, k, oh);
                const int64_t code = g->depth_code[k] + tall->tap[e] * height->dilation * width->in;
                for (int w = wide->first[phase]; w < wide->first[phase + 1]; w++)
                    g->terms[count++] =
                        (struct max_term){row + (wide->shift[w] - width->low) * g->lanes.channels,
                                          (int32_t)(code + wide->tap[w] * width->dilation)};
            }
    }
    g->first_term[width->stride] = count;
}

static inline void grad_begin(struct max_grad *g, enum k_dtype dt, const struct k_max_pool *pool,
                              const void *dy, const void *indices, void *dx)
{
    const struct max_plan *plan = &g->plan;
    g->pool = pool;
    max_phases(&plan->depth, &g->phases[0]);
    max_phases(&plan->height, &g->phases[1]);
    max_phases(&plan->width, &g->phases[2]);
    const int64_t windows = plan->outer * plan->depth.out * plan->height.out * plan->width.out;
    g->dy = dy;
    g->dy_end = g->dy + windows * plan->channels * k_size(dt);
    g->dy_size = k_size(dt);
    g->indices = indices;
    g->indices_end = g->indices;
    if (pool->index != K_INDEX_NONE)
        g->indices_end += windows * plan->channels * (pool->index == K_INDEX_I64 ? 8 : 4);
    g->dx = dx;
    g->argmax = NULL; /* the caller's, as are taps */
    g->rows = NULL;
    g->contiguous = plan->tiles.of_channels * plan->tiles.tiles == 1;
    g->stray = false;
    const int64_t elements = plan->depth.in * plan->height.in * plan->width.in * plan->channels;
    g->indices_step = pool->space == K_INDEX_OF_TENSOR ? (uint32_t)elements : 0;
    g->lanes.windows = 0;
    for (int v = 0; plan->width.stride > 2 && v < (int)plan->width.stride; v++) {
        const vi element = v_lanes() + v * VL;
        g->from[v] = element / (int)plan->width.stride;
        g->place[v] = element % (int)plan->width.stride;
    }
}

#endif
