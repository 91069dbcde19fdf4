/* SPDX-License-Identifier: Apache-2.0 */
/* One channel, windows of three, rows of dY so short that they stay in registers when they are
 * scaled: what the kernels of steps of one and of two share.
 *
 * Each vector of dY is read and scaled once, ahead of the cells that are written; neighbours along
 * the width come by permutation, so no load crosses a line but that of dY, and no term has to be
 * masked. A row is loaded while the one before it is in work: what one row's operations wait for
 * each other, those of the other fill.
 *
 * Halves only where nothing is rounded to a subnormal number (struct band). Whether a bf16 was too
 * small for that is known when a band is written. */
#ifndef ACLNN_CPU_KERNELS_POOL_GRAD_SHORT_H
#define ACLNN_CPU_KERNELS_POOL_GRAD_SHORT_H

#include "kernels/pool/grad_flat.h"
#include "kernels/pool/lines_out.h"
#include "kernels/pool/tiny.h"

#if defined(K_ISA_avx512)
enum {
    SHORT_KEPT = 4, /* vectors of a row of dY */
    SHORT_ROWS = 64 /* of a column of dX at once */
};
_Static_assert(SHORT_ROWS + POOL_FUSED - 1 <= ROW_FACTORS, "a factor for each row of dY over them");

/* What loops know when they are compiled. */
struct short_kind {
    int vectors;  /* of a row of dY */
    bool uniform; /* steps of one: no factors along the width */
    bool late;    /* steps of two: a window and the next one share a cell, not the one before */
};

struct shorts {
    const char *at;      /* the newest row of dY */
    const float *factor; /* of that row */
    int rest;            /* elements of a row's last load */
    int64_t row_bytes;
    vf kept[POOL_FUSED][SHORT_KEPT]; /* rows of dY, scaled */
    vf own[SHORT_KEPT];              /* the factors of windows along the width */
    struct tiny tiny;                /* bf16 */
};

/* Of one row: bf16 as in memory, or floats. */
struct short_row {
    vf of[SHORT_KEPT + 1];
};

static const float short_zeros[SHORT_KEPT * VL];

static inline struct shorts shorts_begin(enum k_dtype dt, const struct grad *g)
{
    const int64_t width = g->plan.width.out;
    const int load = dt == K_BF16 ? 2 * VL : VL;
    struct shorts s = {.rest = (int)((width - 1) % load) + 1,
                       .row_bytes = width * k_size(dt),
                       .tiny = tiny_begin()};
#pragma GCC unroll 4
    for (int i = 0; i < SHORT_KEPT; i++)
        s.own[i] = g->widths.uniform ? v_all(1) : v_load(g->widths.factors + i * VL);
    return s;
}

/* 2 VL bf16, or the first `count`. */
K_TEMPLATE
vf short_words(const char *at, int count)
{
    const __mmask32 mask = (__mmask32)((1ULL << count) - 1);
    return (vf)v_keep_pairs((vu)_mm512_maskz_loadu_epi16(mask, at));
}

/* Half of them, widened, in this order. */
K_TEMPLATE
vf short_widen(int half, vf words)
{
    const __m512i places = (__m512i)((v_lanes() + half * VL) * 0x10000);
    return (vf)_mm512_maskz_permutexvar_epi16(0xaaaaaaaa, places, (__m512i)words);
}

/* The row at s->at. */
K_TEMPLATE
struct short_row short_load(enum k_dtype dt, struct short_kind kind, const struct shorts *s)
{
    struct short_row row = {{{0}}};
    const int step = dt == K_BF16 ? 2 : 1;
#pragma GCC unroll 4
    for (int i = 0; i < SHORT_KEPT; i += step) {
        const char *at = s->at + i * VL * k_size(dt);
        const bool whole = i + step < kind.vectors;
        if (i >= kind.vectors) break;
        if (i * VL * k_size(dt) % LINE_BYTES == 0) k_prefetch(at + POOL_FAR);
        if (dt == K_BF16)
            row.of[i] = short_words(at, whole ? 2 * VL : s->rest);
        else
            row.of[i] = v_keep(whole ? k_load(dt, at) : k_load_first(dt, at, s->rest));
    }
    return row;
}

/* The factor of row `row` of dY in the first depth over the column. */
static inline float row_factor(const struct grad *g, int64_t row)
{
    const bool whole = row >= g->whole_low && row < g->whole_high;
    return whole ? g->whole_factor : factor_of(g, 0, row);
}

/* Rows of dY over the column in work. */
static inline int64_t short_height(const struct grad *g)
{
    return g->depths > 0 ? g->plan.height.out : 0;
}

/* The factors of rows [first, end) of dY, 0 for those that are not there. Columns of the same depth
 * share them. */
static inline const float *short_factors(struct grad *g, int64_t first, int64_t end)
{
    struct row_factors *f = &g->row_factors;
    if (f->depth == g->depth && f->first == first && f->end == end) return f->of;
    f->depth = g->depth, f->first = first, f->end = end;
    const int64_t rows = short_height(g), whole_end = pool_min(g->whole_high, rows);
    for (int i = 0; i < ROW_FACTORS; i += VL)
        v_store(f->of + i, v_all(g->whole_factor));
    for (int64_t row = first; row < end; row++) {
        if (row >= pool_max(g->whole_low, 0) && row < whole_end)
            row = whole_end - 1;
        else
            f->of[row - first] = row >= 0 && row < rows ? row_factor(g, row) : 0;
    }
    return f->of;
}

/* How many rows of dY over the column have another one behind them, be it the next column's. */
K_TEMPLATE
int64_t short_ahead(enum k_dtype dt, const struct grad *g, const struct shorts *s)
{
    const int64_t rows = short_height(g);
    const bool more = rows > 0 && g->dy_end - row_of_dy(g, rows, k_size(dt)) >= s->row_bytes;
    return more ? rows : rows - 1;
}
#endif

#endif
