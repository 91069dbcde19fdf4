/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of max pooling's gradient from the windows over them, one channel: where a window's index
 * is the cell, the window's value is added. A lane is a window and the group of cells (as many as
 * the strides) whose windows lie at the same few distances from it. */
#ifndef ACLNN_CPU_KERNELS_SIMD_MAX_CELLS_H
#define ACLNN_CPU_KERNELS_SIMD_MAX_CELLS_H

#include "kernels/max_pool_plan.h"
#include "kernels/simd/block.h"
#include "kernels/simd/select.h"

/* How windows lie over cells, both axes alike. */
enum cell_pattern {
    CELLS_ANY,
    CELLS_APART,     /* kernel 2, stride 2, no padding */
    CELLS_ODD,       /* kernel 3, stride 2, padding 1: even cells lie under one window */
    CELLS_EVEN,      /* kernel 3, stride 2, no padding: odd cells do */
    CELLS_EVERYWHERE /* kernel 3, stride 1 */
};

/* Windows to add, from lane 0 on. */
struct cell_term {
    const int32_t *place;
    const float *value;
};

struct cell_run {
    struct cell_term low; /* the first row of windows over the cells, the first column */
    int64_t step;         /* lanes from row to row of windows */
    int64_t start;        /* where the terms of cells_any are looked for */
    const int32_t *first; /* of each lane's cells the first one, less `base` */
    int32_t base, width;  /* width: cells of a row */
    int64_t lanes;
    char *to[MAX_STRIDE]; /* rows of cells, 2 VL * stride more may be written to each */

    /* Where each lane's own window is inside along the width, as in struct k_lanes, and cells of a
     * plane; stray is set if an own window's index lies outside of it. NULL: that is known. */
    const int32_t *inside, *length;
    uint32_t limit;
    bool stray;
};

static inline enum cell_pattern cell_pattern(const struct max_axis *height,
                                             const struct max_axis *width)
{
    const int64_t kernel = width->kernel, stride = width->stride, pad = width->pad;
    if (height->kernel != kernel || height->stride != stride || height->pad != pad ||
        (kernel > 1 && (height->dilation != 1 || width->dilation != 1)))
        return CELLS_ANY;
    if (kernel == 2 && stride == 2 && pad == 0) return CELLS_APART;
    if (kernel == 3 && stride == 2 && pad <= 1) return pad == 1 ? CELLS_ODD : CELLS_EVEN;
    return kernel == 3 && stride == 1 ? CELLS_EVERYWHERE : CELLS_ANY;
}

/* Two phases of the width, one beside the other. */
K_TEMPLATE
void put_pair(enum k_dtype dt, char *to, vf even, vf odd)
{
    if (dt == K_BF16) {
        k_put(to, block_pair_bf16(even, odd));
    } else if (dt == K_F16) {
        k_put(to, block_zip_f16(even, odd));
    } else {
        k_put(to, v_zip(0, even, odd));
        k_put(to + K_VECTOR_BYTES, v_zip(1, even, odd));
    }
}

/* Lanes that are not 0 where an index lies outside of its window of `side` rows, the first of which
 * is `pad` rows and columns before `cell`; lanes from i on, those that exist. */
K_TEMPLATE
vi cells_stray(const struct cell_run *run, int side, int pad, vi place, vi cell, int64_t i)
{
    const vu first = (vu)v_load_i(run->inside + i) + (vu)cell - (uint32_t)(pad * run->width + pad);
    vu column = (vu)place - first, least = column;
#pragma GCC unroll 4
    for (int row = 1; row < side; row++) {
        column -= (uint32_t)run->width;
        least = v_least_u(least, column);
    }
    const vi stray =
        (vi)(least >= (vu)v_load_i(run->length + i)) | (vi)((vu)place >= (vu){0} + run->limit);
    return run->lanes - i >= VL ? stray : stray & (v_lanes() < (int)(run->lanes - i));
}

/* Announces reads of windows where they are. */
K_TEMPLATE
void cells_ahead(struct cell_term low, int64_t i)
{
    k_prefetch((const char *)(low.place + i) + MAX_AHEAD);
    k_prefetch((const char *)(low.value + i) + MAX_AHEAD);
}

K_TEMPLATE
void cells_apart(enum k_dtype dt, bool look, struct cell_run *in)
{
    const struct cell_run run = *in;
    const vf zero = {0};
    vi stray = {0};
    for (int64_t i = 0; i < run.lanes; i += VL) {
        const vi place = v_load_i(run.low.place + i);
        const vf value = v_held(v_load(run.low.value + i));
        const vi cell = v_load_i(run.first + i) + run.base;
        if (look) cells_ahead(run.low, i);
        if (look) stray |= cells_stray(&run, 2, 0, place, cell, i);
#pragma GCC unroll 2
        for (int c = 0; c < 2; c++) {
            const vi even = cell + c * run.width;
            put_pair(dt, run.to[c] + 2 * i * k_size(dt), v_add_where_same(zero, place, even, value),
                     v_add_where_same(zero, place, even + 1, value));
        }
    }
    if (look) in->stray |= v_any(stray);
}

/* lone: the phase, of rows and columns, that lies under one window; the first of the two there are
 * if it is 0, else the second. */
K_TEMPLATE
void cells_overlapping(enum k_dtype dt, int lone, bool look, struct cell_run *in)
{
    const struct cell_run run = *in;
    const int both = 1 - lone;
    const vf zero = {0};
    vi stray = {0};
    for (int64_t i = 0; i < run.lanes; i += VL) {
        const int32_t *place = run.low.place + i;
        const float *value = run.low.value + i;
        const vi cell = v_load_i(run.first + i) + run.base;
        const vi p[4] = {(vi)v_held((vf)v_load_i(place)), (vi)v_held((vf)v_load_i(place + 1)),
                         (vi)v_held((vf)v_load_i(place + run.step)),
                         (vi)v_held((vf)v_load_i(place + run.step + 1))};
        const vf v[4] = {v_held(v_load(value)), v_held(v_load(value + 1)),
                         v_held(v_load(value + run.step)), v_held(v_load(value + run.step + 1))};
        if (look) cells_ahead(run.low, i);
        if (look) stray |= cells_stray(&run, 3, both, p[3 * lone], cell, i);
#pragma GCC unroll 2
        for (int c = 0; c < 2; c++) {
            const vi row = cell + c * run.width;
            const vi one = row + lone, two = row + both;
            vf phases[2] = {zero, zero};
#pragma GCC unroll 2
            for (int r = 0; r < 2; r++) {
                if (c == lone && r != lone) continue;
                phases[lone] =
                    v_add_where_same(phases[lone], p[2 * r + lone], one, v[2 * r + lone]);
                phases[both] = v_add_where_same(phases[both], p[2 * r], two, v[2 * r]);
                phases[both] = v_add_where_same(phases[both], p[2 * r + 1], two, v[2 * r + 1]);
            }
            put_pair(dt, run.to[c] + 2 * i * k_size(dt), phases[0], phases[1]);
        }
    }
    if (look) in->stray |= v_any(stray);
}

/* MAX_STRIP rows of cells; to look at windows the padding is 1. */
K_TEMPLATE
void cells_everywhere(enum k_dtype dt, bool look, struct cell_run *in)
{
    const struct cell_run run = *in;
    vi stray = {0};
    for (int64_t i = 0; i < run.lanes; i += VL) {
        const vi cell = v_load_i(run.first + i) + run.base;
        vf sums[MAX_STRIP] = {{0}};
        for (int row = 0; look && row < MAX_STRIP; row++)
            cells_ahead(run.low, row * run.step + i);
#pragma GCC unroll 8
        for (int row = 0; row < MAX_STRIP + 2; row++) {
            const int32_t *place = run.low.place + row * run.step + i;
            const float *value = run.low.value + row * run.step + i;
#pragma GCC unroll 4
            for (int column = 0; column < 3; column++) {
                const vi p = (vi)v_held((vf)v_load_i(place + column));
                const vf v = v_held(v_load(value + column));
                if (look && column == 1 && row >= 1 && row <= MAX_STRIP)
                    stray |= cells_stray(&run, 3, 1, p, cell + (row - 1) * run.width, i);
#pragma GCC unroll 4
                for (int r = 0; r < MAX_STRIP; r++)
                    if (r <= row && row <= r + 2)
                        sums[r] = v_add_where_same(sums[r], p, cell + r * run.width, v);
            }
        }
#pragma GCC unroll 4
        for (int r = 0; r < MAX_STRIP; r++)
            k_store(dt, run.to[r] + i * k_size(dt), sums[r]);
    }
    if (look) in->stray |= v_any(stray);
}

/* Any windows: terms of a row of cells by phases of the width, at the block's lane 0. */
struct cell_terms {
    int first[MAX_STRIDE + 1], stride;
    struct cell_term at[MAX_TAPS];
    vi from[MAX_STRIDE], place[MAX_STRIDE]; /* how elements of a row are found in its phases */
};

K_TEMPLATE
vf sum_cell_terms(const struct cell_terms *terms, int phase, int64_t at, vi cell)
{
    vf sum = {0};
    for (int t = terms->first[phase]; t < terms->first[phase + 1]; t++)
        sum = v_add_where_same(sum, v_load_i(terms->at[t].place + at), cell,
                               v_load(terms->at[t].value + at));
    return sum;
}

/* One row of cells, to run->to[0]. */
K_TEMPLATE
void cells_any(enum k_dtype dt, const struct cell_run *run, const struct cell_terms *terms)
{
    const int stride = terms->stride;
    char *to = run->to[0];
    for (int64_t i = 0; i < run->lanes; i += VL, to += stride * VL * k_size(dt)) {
        const vi cell = v_load_i(run->first + i) + run->base;
        vf sums[MAX_STRIDE];
        for (int x = 0; x < stride; x++)
            sums[x] = sum_cell_terms(terms, x, run->start + i, cell + x);
        if (stride == 2) {
            put_pair(dt, to, sums[0], sums[1]);
            continue;
        }
        for (int v = 0; v < stride; v++) {
            vf mixed = sums[0];
            for (int x = 0; stride > 1 && x < stride; x++)
                mixed = v_place(mixed, sums[x], terms->from[v], terms->place[v], x);
            k_store(dt, to + v * VL * k_size(dt), mixed);
        }
    }
}

K_TEMPLATE
void put_cells(enum k_dtype dt, bool look, enum cell_pattern pattern, struct cell_run *run,
               const struct cell_terms *terms)
{
    if (pattern == CELLS_APART)
        cells_apart(dt, look, run);
    else if (pattern == CELLS_ODD)
        cells_overlapping(dt, 0, look, run);
    else if (pattern == CELLS_EVEN)
        cells_overlapping(dt, 1, look, run);
    else if (pattern == CELLS_EVERYWHERE)
        cells_everywhere(dt, look, run);
    else
        cells_any(dt, run, terms);
}

#define CELLS_ARGUMENTS                                                                            \
    enum cell_pattern pattern, struct cell_run *run, const struct cell_terms *terms

static __attribute__((noinline, unused)) void put_cells_f32(CELLS_ARGUMENTS)
{
    if (run->inside && pattern != CELLS_ANY)
        put_cells(K_F32, true, pattern, run, terms);
    else
        put_cells(K_F32, false, pattern, run, terms);
}

static __attribute__((noinline, unused)) void put_cells_f16(CELLS_ARGUMENTS)
{
    put_cells(K_F16, false, pattern, run, terms);
}

static __attribute__((noinline, unused)) void put_cells_bf16(CELLS_ARGUMENTS)
{
    put_cells(K_BF16, false, pattern, run, terms);
}

K_TEMPLATE
void put_cells_of(enum k_dtype dt, CELLS_ARGUMENTS)
{
    if (dt == K_F32) put_cells_f32(pattern, run, terms);
    if (dt == K_F16) put_cells_f16(pattern, run, terms);
    if (dt == K_BF16) put_cells_bf16(pattern, run, terms);
}

#undef CELLS_ARGUMENTS

#endif
