/* SPDX-License-Identifier: Apache-2.0 */
/* One channel, windows of three by a step of one, rows of dX as long as those of dY, as in
 * grad_flat.h, where permutations are cheap: rows one by one, by vectors that begin with the row.
 * Each vector of dY is read and scaled once, ahead of the cells that are written, and kept for the
 * next rows: in registers, or in L1 where rows are long. Neighbours along the width come by
 * permutation, so no load crosses a line but that of dY, and no term has to be masked; finished
 * rows, whatever their length, become whole lines by one more permutation for each. */
#ifndef ACLNN_CPU_KERNELS_SIMD_GRAD_LINES_H
#define ACLNN_CPU_KERNELS_SIMD_GRAD_LINES_H

#include "kernels/simd/grad_flat.h"

#if defined(K_ISA_avx512)
#define LINES_TAKES(dt) ((dt) == K_F32)
enum {
    LINES_KEPT = 4, /* vectors of a row that stays in registers */
    LINES_PITCH = POOL_FLAT_CELLS + 4 * VL
};
_Static_assert((POOL_FUSED + 1) * LINES_PITCH <= POOL_FUSED * POOL_SLOT, "rows and a row of zeros");

/* What goes out: `filled` elements, the last ones of `before`, and what follows them. */
struct lines_out {
    char *to;
    vf before;
    int filled, skip; /* skip: bytes of the vector in work that are not ours */
    bool plain;       /* past the caches, nothing to skip */
    bool stream;
};

/* Rows of dY over a row of cells. */
struct lines {
    const char *at, *end; /* the newest, in memory */
    vf factor;
    enum k_rounding rounding;
    const float *factors;   /* of the windows along the width */
    float *newest;          /* scaled rows: where the newest goes, */
    const float *rows[2];   /* the ones before it, the oldest first, */
    vf kept[2][LINES_KEPT]; /* or all of them, if they are few, */
    vf own[LINES_KEPT];     /* with the factors of each vector */
    int vectors, rest;      /* of a row; elements of its last one, at most VL */
};

/* What loops know when they are compiled. */
struct lines_kind {
    int most;     /* rows of dY over one of cells */
    int vectors;  /* of a row; 0: unknown */
    bool uniform; /* no factors along the width */
};

/* x + y, by the units that multiply: there is more to add than to multiply. */
K_TEMPLATE
vf lines_plus(vf x, vf y)
{
    return (vf)_mm512_fmadd_ps((__m512)x, _mm512_set1_ps(1), (__m512)y);
}

/* Windows of vector i, summed along the height. +0 stands for -0 from here on. */
K_TEMPLATE
vf lines_windows(enum k_dtype dt, struct lines_kind kind, struct lines *l, int i, bool is_last)
{
    const int x = i * VL;
    const char *at = l->at + x * k_size(dt);
    vf value = is_last ? k_load_first_before(dt, at, l->rest, l->end) : k_load(dt, at);
    k_prefetch(at + POOL_AHEAD);
    if (kind.vectors == 0) value = pool_round(dt, l->rounding, value);
    value = value * l->factor;
    vf sum = value;
    if (kind.vectors > 0) {
        sum = lines_plus(l->kept[0][i], l->kept[1][i]) + value;
        l->kept[0][i] = l->kept[1][i];
        l->kept[1][i] = value;
    } else {
        if (kind.most > 1) v_store(l->newest + x, value);
        if (kind.most == 2) sum = v_load(l->rows[1] + x) + value;
        if (kind.most == 3) sum = v_load(l->rows[0] + x) + v_load(l->rows[1] + x) + value;
    }
    if (!kind.uniform) sum = sum * (kind.vectors > 0 ? l->own[i] : v_load(l->factors + x));
    return lines_plus(sum, (vf){0});
}

K_TEMPLATE
vf lines_cells(vf before, vf now, vf after)
{
    return v_delay(1, before, now) + now + v_advance(now, after);
}

K_TEMPLATE
void lines_put(struct lines_out *out, vf elements)
{
    if (__builtin_expect(out->plain, 1)) {
        k_stream(out->to, elements);
    } else if (out->skip > 0) {
        char bytes[K_VECTOR_BYTES]; /* else every vector would go by way of memory */
        k_put(bytes, elements);
        memcpy(out->to + out->skip, bytes + out->skip, (size_t)(K_VECTOR_BYTES - out->skip));
        out->skip = 0;
        out->plain = out->stream;
    } else {
        k_put(out->to, elements);
    }
    out->to += K_VECTOR_BYTES;
}

/* One row of cells. */
K_TEMPLATE
void lines_row(enum k_dtype dt, struct lines_kind kind, struct lines *l, struct lines_out *out)
{
    const vi from = v_lanes() + (VL - out->filled);
    const int count = kind.vectors > 0 ? kind.vectors : l->vectors;
    vf before = {0}, now = lines_windows(dt, kind, l, 0, count == 1);
#pragma GCC unroll 4
    for (int i = 1; i < count; i++) {
        const vf after = lines_windows(dt, kind, l, i, i == count - 1);
        const vf cells = lines_cells(before, now, after);
        lines_put(out, v_pick(out->before, cells, from));
        out->before = cells;
        before = now, now = after;
    }
    const vf cells = lines_cells(before, now, (vf){0});
    out->filled += l->rest;
    if (out->filled >= VL) {
        lines_put(out, v_pick(out->before, cells, from));
        out->filled -= VL;
    }
    out->before = v_pick(out->before, cells, v_lanes() + l->rest);
}

static inline void lines_begin(struct grad *g)
{
    memset(g->slots + POOL_FUSED * LINES_PITCH, 0, LINES_PITCH * sizeof(float));
}

/* The newest row of dY over row h of cells; zeros if there is none. */
K_TEMPLATE
void lines_find(enum k_dtype dt, const struct grad *g, int64_t h, struct lines *l)
{
    const struct pool_axis *height = &g->plan.height;
    const int64_t row = h + height->pad;
    const bool whole = row >= g->whole_low && row < g->whole_high;
    const char *zeros = (const char *)(g->slots + POOL_FUSED * LINES_PITCH);
    const bool is_there = row >= 0 && row < height->out && g->depths > 0;
    l->at = is_there ? row_of_dy(g, row, k_size(dt)) : zeros;
    l->end = is_there ? g->dy_end : zeros + LINES_PITCH * sizeof(float);
    l->factor = v_all(!is_there ? 0 : whole ? g->whole_factor : factor_of(g, 0, row));
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
    struct k_vectors *vectors = &g->outlet.vectors;
    const int filled = vectors->filled / 4, width = (int)g->plan.width.in;
    const vf pending = vectors->pending;
    struct lines_out out = {.to = vectors->to,
                            .before = v_pick(pending, pending, v_lanes() + filled),
                            .filled = filled,
                            .skip = vectors->skip,
                            .plain = g->outlet.stream && vectors->skip == 0,
                            .stream = g->outlet.stream};
    struct lines l = {.rounding = g->pool->rounding,
                      .factors = g->widths.factors,
                      .newest = g->slots,
                      .rows = {g->slots + LINES_PITCH, g->slots + 2 * LINES_PITCH},
                      .vectors = (width + VL - 1) / VL,
                      .rest = (width - 1) % VL + 1};
#pragma GCC unroll 4
    for (int i = 0; i < LINES_KEPT; i++)
        if (i < kind.vectors && !kind.uniform) l.own[i] = v_load(l.factors + i * VL);
    for (int before = kind.most - 1; before > 0; before--) {
        lines_find(dt, g, h - before, &l);
        for (int i = 0; i < l.vectors && kind.vectors == 0; i++)
            lines_windows(dt, (struct lines_kind){2, 0, true}, &l, i, i == l.vectors - 1);
#pragma GCC unroll 4
        for (int i = 0; i < LINES_KEPT; i++)
            if (i < kind.vectors) lines_windows(dt, kind, &l, i, i == kind.vectors - 1);
        lines_turn(&l);
    }
    for (; h < end; h++) {
        lines_find(dt, g, h, &l);
        lines_row(dt, kind, &l, &out);
        lines_turn(&l);
    }
    vectors->to = out.to;
    vectors->filled = out.filled * 4;
    vectors->skip = out.skip;
    vectors->pending = v_pick(out.before, out.before, v_lanes() + (VL - out.filled) % VL);
}

#define LINES_ROWS(name, dt, ...)                                                                  \
    K_OUTLINE void name(struct grad *g, int64_t h, int64_t end)                                    \
    {                                                                                              \
        lines_rows(dt, (struct lines_kind){__VA_ARGS__}, g, h, end);                               \
    }
LINES_ROWS(lines_1_f32, K_F32, 1, 0, g->widths.uniform)
LINES_ROWS(lines_2_f32, K_F32, 2, 0, g->widths.uniform)
LINES_ROWS(lines_3_f32, K_F32, 3, 0, g->widths.uniform)
LINES_ROWS(lines_3_1_f32, K_F32, 3, 1, false)
LINES_ROWS(lines_3_1_uniform_f32, K_F32, 3, 1, true)
LINES_ROWS(lines_3_2_f32, K_F32, 3, 2, false)
LINES_ROWS(lines_3_2_uniform_f32, K_F32, 3, 2, true)
LINES_ROWS(lines_3_3_f32, K_F32, 3, 3, false)
LINES_ROWS(lines_3_3_uniform_f32, K_F32, 3, 3, true)
LINES_ROWS(lines_3_4_f32, K_F32, 3, 4, false)
LINES_ROWS(lines_3_4_uniform_f32, K_F32, 3, 4, true)

/* Rows [h, end) of this column. */
K_TEMPLATE
void walk_lines(enum k_dtype dt, struct grad *g, int64_t h, int64_t end)
{
    typedef void lines_fn(struct grad *, int64_t, int64_t);
    static lines_fn *const any[] = {lines_1_f32, lines_2_f32, lines_3_f32};
    static lines_fn *const of_three[][2] = {{lines_3_1_f32, lines_3_1_uniform_f32},
                                            {lines_3_2_f32, lines_3_2_uniform_f32},
                                            {lines_3_3_f32, lines_3_3_uniform_f32},
                                            {lines_3_4_f32, lines_3_4_uniform_f32}};
    const int64_t vectors = (g->plan.width.in + VL - 1) / VL;
    const bool has_own = g->plan.height.most == 3 && vectors <= LINES_KEPT;
    (void)dt;
    if (has_own && g->pool->rounding == K_ROUND_NONE)
        of_three[vectors - 1][g->widths.uniform](g, h, end);
    else
        any[g->plan.height.most - 1](g, h, end);
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
