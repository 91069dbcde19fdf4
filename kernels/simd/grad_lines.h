/* SPDX-License-Identifier: Apache-2.0 */
/* One channel or few side by side, windows of three by a step of one, rows of dX as long as those
 * of dY, as in grad_flat.h, where permutations are cheap: rows one by one, by vectors that begin
 * with the row. Each vector of dY is read and scaled once, ahead of the cells that are written, and
 * kept for the next rows: in registers, or in L1 where rows are long. Neighbours along the width
 * come by permutation, so no load crosses a line but that of dY, and no term has to be masked;
 * finished rows, whatever their length, become whole lines by one more permutation for each. */
#ifndef ACLNN_CPU_KERNELS_SIMD_GRAD_LINES_H
#define ACLNN_CPU_KERNELS_SIMD_GRAD_LINES_H

#include "kernels/simd/grad_flat.h"

#if defined(K_ISA_avx512)
#define LINES_TAKES(dt) true
#define LINES_WHOLE(dt) ((int)(K_VECTOR_BYTES / k_size(dt))) /* elements of a vector */
enum {
    LINES_KEPT = 4,      /* vectors of a row that stays in registers */
    LINES_BAND = 64,     /* rows that are looked at for tiny values at once */
    LINES_FLOATS = 1472, /* of a row */
    LINES_PITCH = LINES_FLOATS + 4 * VL
};
_Static_assert((int)LINES_FLOATS >= (int)POOL_FLAT_CELLS, "rows of one channel");
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
    int64_t row_bytes;      /* of dY */
    vi left, right;         /* where a vector's neighbours along the width are, of it and another */
};

/* What loops know when they are compiled. */
struct lines_kind {
    int most;     /* rows of dY over one of cells */
    int vectors;  /* of a row; 0: unknown */
    bool apart;   /* neighbours along the width are not side by side */
    bool uniform; /* no factors along the width */
    bool certain; /* as in struct band */
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
    if (x * k_size(dt) % LINE_BYTES == 0) k_prefetch(at + POOL_FAR);
    if (kind.vectors == 0) value = pool_round(dt, l->rounding, value);
    value = kind.certain ? v_product(true, value, l->factor) : value * l->factor;
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
    const vf own = kind.vectors > 0 ? l->own[i] : v_load(l->factors + x);
    if (kind.certain) return kind.uniform ? sum : v_product(true, sum, own);
    return lines_plus(kind.uniform ? sum : sum * own, (vf){0});
}

K_TEMPLATE
vf lines_cells(struct lines_kind kind, const struct lines *l, vf before, vf now, vf after)
{
    if (kind.apart) return v_pick(before, now, l->left) + now + v_pick(now, after, l->right);
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

/* Elements `from` and on of a and then b. */
K_TEMPLATE
vf lines_pick(enum k_dtype dt, vf a, vf b, int from)
{
    if (dt == K_F32) return v_pick(a, b, v_lanes() + from);
    const vi words = v_lanes() * 0x20002 + (from * 0x10001 + 0x10000);
    return (vf)_mm512_permutex2var_epi16((__m512i)a, (__m512i)words, (__m512i)b);
}

K_TEMPLATE
vf lines_elements(enum k_dtype dt, struct lines_kind kind, vf low, vf high)
{
    if (dt == K_BF16 && kind.certain) return (vf)v_round_pairs(low, high);
    return block_halves(dt, low, high);
}

/* One row of cells. */
K_TEMPLATE
void lines_row(enum k_dtype dt, struct lines_kind kind, struct lines *l, struct lines_out *out)
{
    const int whole = LINES_WHOLE(dt), from = whole - out->filled;
    const int count = kind.vectors > 0 ? kind.vectors : l->vectors;
    const bool pairs = dt != K_F32, is_second = pairs && count % 2 == 0;
    vf low = {0}, before = {0}, now = lines_windows(dt, kind, l, 0, count == 1);
#pragma GCC unroll 4
    for (int i = 1; i < count; i++) {
        const vf after = lines_windows(dt, kind, l, i, i == count - 1);
        vf cells = lines_cells(kind, l, before, now, after);
        before = now, now = after;
        if (pairs && i % 2 == 1) {
            low = cells;
            continue;
        }
        if (pairs) cells = lines_elements(dt, kind, low, cells);
        lines_put(out, lines_pick(dt, out->before, cells, from));
        out->before = cells;
    }
    vf cells = lines_cells(kind, l, before, now, (vf){0});
    if (pairs)
        cells = lines_elements(dt, kind, is_second ? low : cells, is_second ? cells : (vf){0});
    const int rest = l->rest + (is_second ? VL : 0);
    out->filled += rest;
    if (out->filled >= whole) {
        lines_put(out, lines_pick(dt, out->before, cells, from));
        out->filled -= whole;
    }
    out->before = lines_pick(dt, out->before, cells, rest);
}

static inline void lines_begin(struct grad *g)
{
    const int64_t floats = g->plan.width.in * g->plan.channels + VL;
    memset(g->slots + POOL_FUSED * LINES_PITCH, 0, (size_t)floats * sizeof(float));
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
    const int whole = LINES_WHOLE(dt), filled = vectors->filled / (int)k_size(dt);
    const int channels = (int)g->plan.channels, width = (int)g->plan.width.in * channels;
    const vf pending = vectors->pending;
    struct lines_out out = {.to = vectors->to,
                            .before = lines_pick(dt, pending, pending, filled),
                            .filled = filled,
                            .skip = vectors->skip,
                            .plain = g->outlet.stream && vectors->skip == 0,
                            .stream = g->outlet.stream};
    struct lines l = {.rounding = g->pool->rounding,
                      .factors = g->widths.factors,
                      .newest = g->slots,
                      .rows = {g->slots + LINES_PITCH, g->slots + 2 * LINES_PITCH},
                      .vectors = (width + VL - 1) / VL,
                      .rest = (width - 1) % VL + 1,
                      .row_bytes = width * k_size(dt),
                      .left = v_lanes() + (VL - channels),
                      .right = v_lanes() + channels};
#pragma GCC unroll 4
    for (int i = 0; i < LINES_KEPT; i++)
        if (i < kind.vectors && !kind.uniform) l.own[i] = v_load(l.factors + i * VL);
    for (int before = kind.most - 1; before > 0; before--) {
        lines_find(dt, g, h - before, &l);
        for (int i = 0; i < l.vectors && kind.vectors == 0; i++)
            lines_windows(dt, (struct lines_kind){2, 0, false, true, false}, &l, i,
                          i == l.vectors - 1);
#pragma GCC unroll 4
        for (int i = 0; i < LINES_KEPT; i++)
            if (i < kind.vectors) lines_windows(dt, kind, &l, i, i == kind.vectors - 1);
        lines_turn(&l);
    }
    const struct pool_axis *height = &g->plan.height;
    const int64_t first = pool_max(h + height->pad, g->whole_low);
    const int64_t last = g->depths > 0 ? pool_min(g->whole_high, height->out) : 0;
    for (; h < end; h++) {
        const int64_t row = h + height->pad;
        if (row > first && row < last)
            l.at += l.row_bytes;
        else
            lines_find(dt, g, h, &l);
        lines_row(dt, kind, &l, &out);
        lines_turn(&l);
    }
    vectors->to = out.to;
    vectors->filled = out.filled * (int)k_size(dt);
    vectors->skip = out.skip;
    vectors->pending = lines_pick(dt, out.before, out.before, (whole - out.filled) % whole);
}

#define LINES_ROWS(name, dt, ...)                                                                  \
    K_OUTLINE void name(struct grad *g, int64_t h, int64_t end)                                    \
    {                                                                                              \
        lines_rows(dt, (struct lines_kind){__VA_ARGS__}, g, h, end);                               \
    }
/* Of three rows of windows and at most LINES_KEPT vectors, nothing rounded. */
#define LINES_SHORT(suffix, dt, certain)                                                           \
    LINES_ROWS(lines_3_1##suffix, dt, 3, 1, false, false, certain)                                 \
    LINES_ROWS(lines_3_1_uniform##suffix, dt, 3, 1, false, true, certain)                          \
    LINES_ROWS(lines_3_2##suffix, dt, 3, 2, false, false, certain)                                 \
    LINES_ROWS(lines_3_2_uniform##suffix, dt, 3, 2, false, true, certain)                          \
    LINES_ROWS(lines_3_3##suffix, dt, 3, 3, false, false, certain)                                 \
    LINES_ROWS(lines_3_3_uniform##suffix, dt, 3, 3, false, true, certain)                          \
    LINES_ROWS(lines_3_4##suffix, dt, 3, 4, false, false, certain)                                 \
    LINES_ROWS(lines_3_4_uniform##suffix, dt, 3, 4, false, true, certain)                          \
    static inline void lines_short##suffix(struct grad *g, int64_t h, int64_t end)                 \
    {                                                                                              \
        typedef void lines_fn(struct grad *, int64_t, int64_t);                                    \
        static lines_fn *const all[][2] = {{lines_3_1##suffix, lines_3_1_uniform##suffix},         \
                                           {lines_3_2##suffix, lines_3_2_uniform##suffix},         \
                                           {lines_3_3##suffix, lines_3_3_uniform##suffix},         \
                                           {lines_3_4##suffix, lines_3_4_uniform##suffix}};        \
        all[(g->plan.width.in - 1) / VL][g->widths.uniform](g, h, end);                            \
    }
LINES_SHORT(_f32, K_F32, false)
LINES_SHORT(_f16, K_F16, true)
LINES_SHORT(_bf16, K_BF16, true)
LINES_ROWS(lines_1_f32, K_F32, 1, 0, false, g->widths.uniform, false)
LINES_ROWS(lines_2_f32, K_F32, 2, 0, false, g->widths.uniform, false)
LINES_ROWS(lines_3_f32, K_F32, 3, 0, false, g->widths.uniform, false)

/* Of any number of vectors, of several channels. */
#define LINES_APART(suffix, dt)                                                                    \
    LINES_ROWS(lines_apart_1##suffix, dt, 1, 0, true, g->widths.uniform, false)                    \
    LINES_ROWS(lines_apart_2##suffix, dt, 2, 0, true, g->widths.uniform, false)                    \
    LINES_ROWS(lines_apart_3##suffix, dt, 3, 0, true, g->widths.uniform, false)                    \
    static inline void lines_apart##suffix(struct grad *g, int64_t h, int64_t end)                 \
    {                                                                                              \
        static void (*const all[])(struct grad *, int64_t, int64_t) = {                            \
            lines_apart_1##suffix, lines_apart_2##suffix, lines_apart_3##suffix};                  \
        all[g->plan.height.most - 1](g, h, end);                                                   \
    }
LINES_APART(_f32, K_F32)
LINES_APART(_f16, K_F16)
LINES_APART(_bf16, K_BF16)

/* Several channels, fewer than floats of a vector, whose rows fit? */
static inline bool lines_take_channels(const struct pool_plan *plan)
{
    return plan->way == POOL_ANY && plan->channels > 1 && plan->channels <= VL &&
           pool_is_fused(plan) && plan->cell_tiles == 1 && pool_is_even(plan) &&
           plan->width.in * plan->channels <= LINES_FLOATS;
}

static inline bool lines_are_short(const struct grad *g)
{
    return g->plan.height.most == 3 && g->plan.width.in <= LINES_KEPT * VL &&
           g->pool->rounding == K_ROUND_NONE;
}

/* Halves: where values may be tiny, or rows are long, by way of bands. */
K_TEMPLATE
void walk_lines_of_halves(enum k_dtype dt, struct grad *g, int64_t h, int64_t end)
{
    const struct pool_axis *height = &g->plan.height;
    const bool is_short = lines_are_short(g) && g->moderate && (dt == K_F16 || g->pairs);
    for (int64_t next; h < end; h = next) {
        next = is_short ? pool_min(h + LINES_BAND, end) : end;
        const int64_t low = pool_max(h + height->pad - 2, 0);
        const int64_t high = g->depths > 0 ? pool_min(next + height->pad, height->out) : 0;
        bool certain = is_short;
        if (certain && dt == K_BF16 && low < high)
            certain = flat_no_tiny(row_of_dy(g, low, k_size(dt)), (high - low) * g->plan.width.out);
        if (certain && dt == K_F16) lines_short_f16(g, h, next);
        if (certain && dt == K_BF16) lines_short_bf16(g, h, next);
        if (certain) continue;
        walk_flat(dt, g, h, next);
        lines_begin(g); /* its image lies over the zeros */
    }
}

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
    } else if (dt != K_F32)
        walk_lines_of_halves(dt, g, h, end);
    else if (lines_are_short(g))
        lines_short_f32(g, h, end);
    else
        any[g->plan.height.most - 1](g, h, end);
}
#else
#define LINES_TAKES(dt)           false
#define lines_take_channels(plan) false
#define lines_begin(g)            (void)(g)

K_TEMPLATE
void walk_lines(enum k_dtype dt, struct grad *g, int64_t h, int64_t end)
{
    walk_flat(dt, g, h, end);
}
#endif

#endif
