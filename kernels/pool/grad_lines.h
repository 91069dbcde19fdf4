/* SPDX-License-Identifier: Apache-2.0 */
/* One channel or few side by side, windows of three by a step of one, rows of dX as long as those
 * of dY, as in grad_flat.h, where permutations are cheap: rows one by one, by vectors that begin
 * with the row, as in grad_short_ones.h, but scaled rows are kept in L1. */
#ifndef ACLNN_CPU_KERNELS_POOL_GRAD_LINES_H
#define ACLNN_CPU_KERNELS_POOL_GRAD_LINES_H

#include "kernels/pool/grad_short_ones.h"

#if defined(K_ISA_avx512)
#define LINES_TAKES(dt) true
enum { LINES_FLOATS = POOL_LINES_FLOATS, LINES_PITCH = LINES_FLOATS + 4 * VL };
_Static_assert((int)LINES_FLOATS >= (int)POOL_FLAT_CELLS, "rows of one channel");
_Static_assert((POOL_FUSED + 1) * LINES_PITCH <= POOL_FUSED * POOL_SLOT, "rows and a row of zeros");

/* Rows of dY over a row of cells. */
struct lines {
    const char *at; /* the newest, in memory */
    vf factor;
    enum k_rounding rounding;
    const float *factors; /* of the windows along the width */
    float *newest;        /* scaled rows: where the newest goes, */
    const float *rows[2]; /* the ones before it, the oldest first */
    int vectors, rest;    /* of a row; elements of its last one, at most VL */
    vi left, right;       /* where a vector's neighbours along the width are, of it and another */
};

/* What loops know when they are compiled. */
struct lines_kind {
    int most;     /* rows of dY over one of cells */
    bool apart;   /* neighbours along the width are not side by side */
    bool uniform; /* no factors along the width */
};

/* Windows of vector i, summed along the height. +0 stands for -0 from here on. */
K_TEMPLATE
vf lines_windows(enum k_dtype dt, struct lines_kind kind, struct lines *l, int i, bool is_last)
{
    const int x = i * VL;
    const char *at = l->at + x * k_size(dt);
    vf value = is_last ? k_load_first(dt, at, l->rest) : k_load(dt, at);
    if (x * k_size(dt) % LINE_BYTES == 0) k_prefetch(at + POOL_FAR);
    value = pool_round(dt, l->rounding, value) * l->factor;
    vf sum = value;
    if (kind.most > 1) v_store(l->newest + x, value);
    if (kind.most == 2) sum = v_load(l->rows[1] + x) + value;
    if (kind.most == 3) sum = v_load(l->rows[0] + x) + v_load(l->rows[1] + x) + value;
    return v_plus(kind.uniform ? sum : sum * v_load(l->factors + x), (vf){0});
}

K_TEMPLATE
vf lines_cells(struct lines_kind kind, const struct lines *l, vf before, vf now, vf after)
{
    if (kind.apart) return v_pick(before, now, l->left) + now + v_pick(now, after, l->right);
    return v_delay(1, before, now) + now + v_advance(now, after);
}

/* One row of cells. */
K_TEMPLATE
void lines_row(enum k_dtype dt, struct lines_kind kind, struct lines *l, struct lines_out *out)
{
    const bool pairs = dt != K_F32, is_second = pairs && l->vectors % 2 == 0;
    const __m512i places = lines_out_places(dt, LINES_IN_ORDER, out);
    vf low = {0}, before = {0}, now = lines_windows(dt, kind, l, 0, l->vectors == 1);
#pragma GCC unroll 4
    for (int i = 1; i < l->vectors; i++) {
        const vf after = lines_windows(dt, kind, l, i, i == l->vectors - 1);
        vf cells = lines_cells(kind, l, before, now, after);
        before = now, now = after;
        if (pairs && i % 2 == 1) {
            low = cells;
            continue;
        }
        if (pairs) cells = block_halves(dt, low, cells);
        lines_out_whole(dt, out, places, cells);
    }
    vf cells = lines_cells(kind, l, before, now, (vf){0});
    if (pairs) cells = block_halves(dt, is_second ? low : cells, is_second ? cells : (vf){0});
    lines_out_last(dt, LINES_IN_ORDER, LINES_IN_ORDER, out, cells);
}

/* The newest row of dY over row h of cells, and its factor; if there is none, zeros and 0. */
K_TEMPLATE
const char *newest_row(enum k_dtype dt, const struct grad *g, int64_t h, const void *zeros,
                       vf *factor)
{
    const int64_t row = h + g->plan.height.pad;
    const bool is_there = row >= 0 && row < g->plan.height.out && g->depths > 0;
    *factor = v_all(is_there ? row_factor(g, row) : 0);
    return is_there ? row_of_dy(g, row, k_size(dt)) : zeros;
}

static inline void lines_begin(struct grad *g)
{
    const int64_t floats = g->plan.width.in * g->plan.channels + VL;
    memset(g->slots + POOL_FUSED * LINES_PITCH, 0, (size_t)floats * sizeof(float));
}

K_TEMPLATE
void lines_turn(struct lines *l)
{
    float *oldest = (float *)l->rows[0];
    l->rows[0] = l->rows[1];
    l->rows[1] = l->newest;
    l->newest = oldest;
}

K_TEMPLATE
void lines_rows(enum k_dtype dt, struct lines_kind kind, struct grad *g, int64_t h, int64_t end)
{
    const int channels = (int)g->plan.channels, width = (int)g->plan.width.in * channels;
    const float *zeros = g->slots + POOL_FUSED * LINES_PITCH;
    struct lines l = {.rounding = g->pool->rounding,
                      .factors = g->widths.factors,
                      .newest = g->slots,
                      .rows = {g->slots + LINES_PITCH, g->slots + 2 * LINES_PITCH},
                      .vectors = (width + VL - 1) / VL,
                      .rest = (width - 1) % VL + 1,
                      .left = v_lanes() + (VL - channels),
                      .right = v_lanes() + channels};
    struct lines_out out =
        lines_out_begin(dt, LINES_IN_ORDER, LINES_IN_ORDER, &g->outlet.vectors,
                        ((width - 1) % BLOCK(dt) + 1) * (int)k_size(dt), g->outlet.stream);
    for (int before = kind.most - 1; before > 0; before--) {
        l.at = newest_row(dt, g, h - before, zeros, &l.factor);
        for (int i = 0; i < l.vectors; i++)
            lines_windows(dt, (struct lines_kind){2, false, true}, &l, i, i == l.vectors - 1);
        lines_turn(&l);
    }
    const int64_t pad = g->plan.height.pad, first = pool_max(h + pad, g->whole_low);
    const int64_t last = g->depths > 0 ? pool_min(g->whole_high, g->plan.height.out) : 0;
    for (; h < end; h++) {
        if (h + pad > first && h + pad < last) /* most rows */
            l.at += width * k_size(dt);
        else
            l.at = newest_row(dt, g, h, zeros, &l.factor);
        lines_row(dt, kind, &l, &out);
        lines_turn(&l);
    }
    lines_out_end(dt, LINES_IN_ORDER, &out, &g->outlet.vectors);
}

#define LINES_ROWS(name, dt, ...)                                                                  \
    K_OUTLINE void name(struct grad *g, int64_t h, int64_t end)                                    \
    {                                                                                              \
        lines_rows(dt, (struct lines_kind){__VA_ARGS__}, g, h, end);                               \
    }
LINES_ROWS(lines_1_f32, K_F32, 1, false, g->widths.uniform)
LINES_ROWS(lines_2_f32, K_F32, 2, false, g->widths.uniform)
LINES_ROWS(lines_3_f32, K_F32, 3, false, g->widths.uniform)

/* Of several channels. */
#define LINES_APART(suffix, dt)                                                                    \
    LINES_ROWS(lines_apart_1##suffix, dt, 1, true, g->widths.uniform)                              \
    LINES_ROWS(lines_apart_2##suffix, dt, 2, true, g->widths.uniform)                              \
    LINES_ROWS(lines_apart_3##suffix, dt, 3, true, g->widths.uniform)                              \
    static inline void lines_apart##suffix(struct grad *g, int64_t h, int64_t end)                 \
    {                                                                                              \
        static void (*const all[])(struct grad *, int64_t, int64_t) = {                            \
            lines_apart_1##suffix, lines_apart_2##suffix, lines_apart_3##suffix};                  \
        all[g->plan.height.most - 1](g, h, end);                                                   \
    }
LINES_APART(_f32, K_F32)
LINES_APART(_f16, K_F16)
LINES_APART(_bf16, K_BF16)

/* Rows [h, end) of this column. */
K_TEMPLATE
void walk_lines(enum k_dtype dt, struct grad *g, int64_t h, int64_t end)
{
    static void (*const any[])(struct grad *, int64_t, int64_t) = {lines_1_f32, lines_2_f32,
                                                                   lines_3_f32};
    if (g->plan.channels > 1) {
        if (dt == K_F32) lines_apart_f32(g, h, end);
        if (dt == K_F16) lines_apart_f16(g, h, end);
        if (dt == K_BF16) lines_apart_bf16(g, h, end);
    } else if (dt == K_F32) {
        any[g->plan.height.most - 1](g, h, end);
    } else {
        walk_flat(dt, g, h, end);
    }
}
#else
#define LINES_TAKES(dt) false
#define lines_begin(g)  (void)(g)

K_TEMPLATE
void walk_lines(enum k_dtype dt, struct grad *g, int64_t h, int64_t end)
{
    walk_flat(dt, g, h, end);
}
#endif

#endif
