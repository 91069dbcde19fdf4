/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of max pooling's gradient from the windows over them, one channel: where a window's index
 * is the cell, the window's value is added. A lane is a window and the group of cells (as many as
 * the strides) whose windows lie at the same few distances from it. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_CELLS_H
#define ACLNN_CPU_KERNELS_POOL_MAX_CELLS_H

#include "kernels/pool/max_pool_plan.h"
#include "kernels/pool/max_words.h"
#include "kernels/vector/block.h"
#include "kernels/vector/select.h"

/* How windows lie over cells, both axes alike. */
enum cell_pattern {
    CELLS_ANY,
    CELLS_APART,     /* kernel 2, stride 2, no padding */
    CELLS_ODD,       /* kernel 3, stride 2, padding 1: even cells lie under one window */
    CELLS_EVEN,      /* kernel 3, stride 2, no padding: odd cells do */
    CELLS_EVERYWHERE /* kernel 3, stride 1 */
};

/* Windows to add, from lane 0 on: values as they are in memory, or floats. */
struct cell_term {
    const int32_t *place;
    const char *value;
};

struct cell_range {
    uint32_t first, count;
};

/* What is looked at of own windows. */
enum cell_look {
    CELLS_KNOWN, /* nothing */
    CELLS_WHOLE, /* they have one depth, and rows of the plane only */
    CELLS_LOOK,
};

struct cell_run {
    struct cell_term low; /* the first row of windows over the cells, the first column */
    int64_t q;            /* group of the plane that the block begins with */
    int64_t step;         /* lanes from row to row of windows */
    int64_t start;        /* where the terms of cells_any are looked for */
    const int32_t *first; /* of each lane's cells the first one, less `base` */
    int32_t base, width;  /* width: cells of a row */
    int64_t lanes;
    char *to[MAX_STRIDE]; /* rows of cells, 2 VL * stride more may be written to each */

    /* Where each lane's own window is inside along the width, as in struct k_lanes; stray is set if
     * an own window's index lies outside of it, unless it is one of another depth of the window's.
     * NULL: that is known. */
    const int32_t *inside, *length;
    enum cell_look look;
    struct cell_range plane, deep; /* places of the depth in work, and of all of the window's */
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
vi cells_stray(const struct cell_run *run, enum cell_look look, int side, int pad, vi place,
               vi cell, int64_t i)
{
    const vu first = (vu)v_load_i(run->inside + i) + (vu)cell - (uint32_t)(pad * run->width + pad);
    vu column = (vu)place - first, least = column;
#pragma GCC unroll 4
    for (int row = 1; row < side; row++) {
        column -= (uint32_t)run->width;
        least = v_least_u(least, column);
    }
    vi stray = (vi)(least >= (vu)v_load_i(run->length + i));
    if (look == CELLS_LOOK) {
        stray &= (vi)((vu)place - run->plane.first < (vu){0} + run->plane.count);
        stray |= (vi)((vu)place - run->deep.first >= (vu){0} + run->deep.count);
    }
    return run->lanes - i >= VL ? stray : stray & (v_lanes() < (int)(run->lanes - i));
}

/* Announces reads of windows where they are. */
K_TEMPLATE
void cells_ahead(enum k_dtype from, struct cell_term low, int64_t i)
{
    k_prefetch((const char *)(low.place + i) + MAX_AHEAD);
    k_prefetch(low.value + i * k_size(from) + MAX_AHEAD);
}

/* The values of windows from lane i on, in a register. */
K_TEMPLATE
vf cell_values(enum k_dtype from, const char *value, int64_t i)
{
    return v_held(k_load(from, value + i * k_size(from)));
}

K_TEMPLATE
void cells_apart(enum k_dtype dt, enum k_dtype from, enum cell_look look, struct cell_run *in)
{
    const struct cell_run run = *in;
    const vf zero = {0};
    vi stray = {0};
    for (int64_t i = 0; i < run.lanes; i += VL) {
        const vi place = v_load_i(run.low.place + i);
        const bool words = from != K_F32; /* a pair of cells is a lane */
        vf value = zero;
        vu low = {0}, high = {0};
        if (words) {
            low = words_lanes(from, run.low.value + i * k_size(from));
            high = low << 16;
        } else {
            value = cell_values(from, run.low.value, i);
        }
        const vi cell = v_load_i(run.first + i) + run.base;
        if (look) cells_ahead(from, run.low, i);
        if (look) stray |= cells_stray(&run, look, 2, 0, place, cell, i);
#pragma GCC unroll 2
        for (int c = 0; c < 2; c++) {
            const vi even = cell + c * run.width;
            if (words) {
                const vu pair = (low & (vu)(place == even)) | (high & (vu)(place == even + 1));
                k_put(run.to[c] + 2 * i * k_size(dt), (vf)pair);
                continue;
            }
            put_pair(dt, run.to[c] + 2 * i * k_size(dt), v_add_where_same(zero, place, even, value),
                     v_add_where_same(zero, place, even + 1, value));
        }
    }
    if (look) in->stray |= v_any(stray);
}

/* lone: the phase, of rows and columns, that lies under one window; the first of the two there are
 * if it is 0, else the second. */
K_TEMPLATE
void cells_overlapping(enum k_dtype dt, enum k_dtype from, int lone, enum cell_look look,
                       struct cell_run *in)
{
    const struct cell_run run = *in;
    const int both = 1 - lone;
    const vf zero = {0};
    vi stray = {0};
    for (int64_t i = 0; i < run.lanes; i += VL) {
        const int32_t *place = run.low.place + i;
        const char *value = run.low.value;
        const vi cell = v_load_i(run.first + i) + run.base;
        const vi p[4] = {(vi)v_held((vf)v_load_i(place)), (vi)v_held((vf)v_load_i(place + 1)),
                         (vi)v_held((vf)v_load_i(place + run.step)),
                         (vi)v_held((vf)v_load_i(place + run.step + 1))};
        const vf v[4] = {cell_values(from, value, i), cell_values(from, value, i + 1),
                         cell_values(from, value, i + run.step),
                         cell_values(from, value, i + run.step + 1)};
        if (look) cells_ahead(from, run.low, i);
        if (look) stray |= cells_stray(&run, look, 3, both, p[3 * lone], cell, i);
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

/* MAX_STRIP rows of cells. */
K_TEMPLATE
void cells_everywhere(enum k_dtype dt, enum k_dtype from, const struct cell_run *run)
{
    for (int64_t i = 0; i < run->lanes; i += VL) {
        const vi cell = v_load_i(run->first + i) + run->base;
        vf sums[MAX_STRIP] = {{0}};
#pragma GCC unroll 8
        for (int row = 0; row < MAX_STRIP + 2; row++) {
            const int64_t at = row * run->step + i;
            const int32_t *place = run->low.place + at;
#pragma GCC unroll 4
            for (int column = 0; column < 3; column++) {
                const vi p = (vi)v_held((vf)v_load_i(place + column));
                const vf v = cell_values(from, run->low.value, at + column);
#pragma GCC unroll 4
                for (int r = 0; r < MAX_STRIP; r++)
                    if (r <= row && row <= r + 2)
                        sums[r] = v_add_where_same(sums[r], p, cell + r * run->width, v);
            }
        }
#pragma GCC unroll 4
        for (int r = 0; r < MAX_STRIP; r++)
            k_store(dt, run->to[r] + i * k_size(dt), sums[r]);
    }
}

/* Any windows: terms of a row of cells by phases of the width, at the block's lane 0. */
struct cell_terms {
    int first[MAX_STRIDE + 1], stride;
    struct cell_term at[MAX_TAPS];
    vi from[MAX_STRIDE], place[MAX_STRIDE]; /* how elements of a row are found in its phases */
};

K_TEMPLATE
vf sum_cell_terms(enum k_dtype from, const struct cell_terms *terms, int phase, int64_t at, vi cell)
{
    vf sum = {0};
    for (int t = terms->first[phase]; t < terms->first[phase + 1]; t++)
        sum = v_add_where_same(sum, v_load_i(terms->at[t].place + at), cell,
                               k_load(from, terms->at[t].value + at * k_size(from)));
    return sum;
}

/* One row of cells, to run->to[0]. */
K_TEMPLATE
void cells_any(enum k_dtype dt, enum k_dtype from, const struct cell_run *run,
               const struct cell_terms *terms)
{
    const int stride = terms->stride;
    char *to = run->to[0];
    for (int64_t i = 0; i < run->lanes; i += VL, to += stride * VL * k_size(dt)) {
        const vi cell = v_load_i(run->first + i) + run->base;
        vf sums[MAX_STRIDE];
        for (int x = 0; x < stride; x++)
            sums[x] = sum_cell_terms(from, terms, x, run->start + i, cell + x);
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
void put_cells(enum k_dtype dt, enum k_dtype from, enum cell_look look, enum cell_pattern pattern,
               struct cell_run *run, const struct cell_terms *terms)
{
    if (pattern == CELLS_APART)
        cells_apart(dt, from, look, run);
    else if (pattern == CELLS_ODD)
        cells_overlapping(dt, from, 0, look, run);
    else if (pattern == CELLS_EVEN)
        cells_overlapping(dt, from, 1, look, run);
    else if (look != CELLS_KNOWN)
        return; /* the others do not look */
    else if (pattern == CELLS_EVERYWHERE)
        cells_everywhere(dt, from, run);
    else
        cells_any(dt, from, run, terms);
}

#define CELLS_ARGUMENTS                                                                            \
    enum cell_pattern pattern, struct cell_run *run, const struct cell_terms *terms

/* Values of half types are read where they are if windows are looked at, else made floats before.
 */
K_TEMPLATE
void put_cells_halves(enum k_dtype dt, CELLS_ARGUMENTS)
{
    if (run->look == CELLS_KNOWN)
        put_cells(dt, K_F32, CELLS_KNOWN, pattern, run, terms);
    else if (run->look == CELLS_WHOLE)
        put_cells(dt, dt, CELLS_WHOLE, pattern, run, terms);
    else
        put_cells(dt, dt, CELLS_LOOK, pattern, run, terms);
}

static __attribute__((noinline, unused)) void put_cells_f32(CELLS_ARGUMENTS)
{
    if (run->look == CELLS_KNOWN || pattern == CELLS_ANY)
        put_cells(K_F32, K_F32, CELLS_KNOWN, pattern, run, terms);
    else if (run->look == CELLS_WHOLE)
        put_cells(K_F32, K_F32, CELLS_WHOLE, pattern, run, terms);
    else
        put_cells(K_F32, K_F32, CELLS_LOOK, pattern, run, terms);
}

static __attribute__((noinline, unused)) void put_cells_f16(CELLS_ARGUMENTS)
{
    put_cells_halves(K_F16, pattern, run, terms);
}

static __attribute__((noinline, unused)) void put_cells_bf16(CELLS_ARGUMENTS)
{
    put_cells_halves(K_BF16, pattern, run, terms);
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
