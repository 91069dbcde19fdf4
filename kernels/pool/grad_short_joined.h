/* SPDX-License-Identifier: Apache-2.0 */
/* Short rows (grad_short.h) of halves, steps of one, as many windows as cells along both axes, that
 * leave much of their last vector empty: rows and columns that follow each other are treated as one
 * row, so that no lane is empty whatever their length. A cell's windows along the height are a
 * row's length apart: permutations of two vectors of dY, which stay in registers. Even elements lie
 * apart from odd ones, as bf16 do in memory: they are each other's neighbours. Masks tell where
 * rows and columns end. */
#ifndef ACLNN_CPU_KERNELS_POOL_GRAD_SHORT_JOINED_H
#define ACLNN_CPU_KERNELS_POOL_GRAD_SHORT_JOINED_H

#include "kernels/pool/grad_short.h"

#if defined(K_ISA_avx512)
enum {
    JOINED_CELLS = 2 * VL, /* of a vector in work */
    JOINED_WIDTH = 11,     /* of a row at most: longer ones fill enough of vectors of their own */
    JOINED_COLUMN = 1024,  /* cells of a column at most */
    JOINED_FEW = 16,       /* columns of a call for which masks are not worth their while */
    JOINED_BAND = 1 << 14, /* cells that are written before one asks for tiny values */
    /* Steps before the one that gives the first cells, for these cells' windows and the one before
     * them, whose rows are all in the vector that it is in itself. */
    JOINED_BEFORE = 2
};
_Static_assert((int)JOINED_WIDTH <= (int)VL,
               "the oldest row over a vector's cells begins in the one before");

/* What loops know when they are compiled. */
struct joined_kind {
    bool odd;     /* rows are of odd length */
    bool uniform; /* all windows have the same factor */
};

/* Masks of every second cell from a place in the column on, a bit for each. */
enum joined_mask {
    JOINED_BEFORE_IT, /* there is a cell before it in its row, */
    JOINED_BEHIND_IT, /* behind it; */
    JOINED_ABOVE_IT,  /* above it in its column, */
    JOINED_BELOW_IT,  /* below it */
    JOINED_BORDER,    /* the row below is a column's first or last one */
    JOINED_EDGE,      /* it begins or ends its row */
    JOINED_MASKS = 8
};
typedef uint16_t joined_bits __attribute__((vector_size(2 * JOINED_MASKS)));

struct joined_tables {
    int width, column;                    /* cells of a row, of a column */
    float factor, border;                 /* of most rows of dY, of a column's first and last one */
    float own;                            /* of windows at a row's ends */
    joined_bits masks[JOINED_COLUMN + 1]; /* by place in the column */
};

struct joined {
    const struct joined_tables *tables;
    const char *dy;
    int64_t windows, at; /* of dY; the first of the next ones in work */
    int place;           /* of the first one of `now` in its column */
    vi mid[2], old;      /* permutations */
    vf kept[2];          /* the vector of dY before that, scaled: even elements, odd ones */
    vf before, now[2];   /* windows summed along the height: a vector's odd ones, all of the
                            next */
    struct tiny tiny;    /* bf16 */
};

/* ---- tables ---- */

/* The bits of a cell that its place in its row decides on. */
static inline joined_bits joined_of_cell(const struct joined_tables *t, int cell)
{
    const bool first = cell == 0, last = cell == t->width - 1;
    joined_bits bits = {0};
    bits[JOINED_BEFORE_IT] = !first;
    bits[JOINED_BEHIND_IT] = !last;
    bits[JOINED_EDGE] = first || last;
    return bits;
}

/* Those that its row's place in the column decides on. */
static inline joined_bits joined_of_row(int row, int height)
{
    joined_bits bits = {0};
    bits[JOINED_ABOVE_IT] = row > 0;
    bits[JOINED_BELOW_IT] = row < height - 1;
    bits[JOINED_BORDER] = row >= height - 2;
    return bits;
}

static inline void joined_make(struct joined_tables *t, const struct grad *g)
{
    const int width = (int)g->plan.width.in, height = (int)g->plan.height.in;
    joined_bits of_cell[JOINED_WIDTH], next[2] = {{0}, {0}};
    t->width = width;
    t->column = width * height;
    t->factor = g->whole_factor;
    t->border = row_factor(g, 0);
    t->own = g->widths.uniform ? 1 : g->widths.plain[0];
    for (int cell = 0; cell < width; cell++)
        of_cell[cell] = joined_of_cell(t, cell);
    /* Masks end with cells as far behind the column's end, in columns that follow. */
    for (int row = height + JOINED_CELLS / width; row >= 0; row--) {
        const joined_bits of_row = joined_of_row(row % height, height);
        for (int cell = width - 1; cell >= 0; cell--) {
            const int place = row * width + cell;
            const joined_bits now = of_row | of_cell[cell] | next[1] << 1;
            if (place <= t->column) t->masks[place] = now;
            next[1] = next[0], next[0] = now;
        }
    }
}

/* ---- a vector ---- */

/* The next words of dY; zeros for those that are not there. */
K_TEMPLATE
vf joined_words(const struct joined *j, bool all)
{
    const char *at = (const char *)((uintptr_t)j->dy + 2 * (uintptr_t)j->at);
    if (all) return v_load((const float *)(const void *)at);
    const int64_t low = pool_min(pool_max(-j->at, 0), JOINED_CELLS);
    const int64_t high = pool_min(pool_max(j->windows - j->at, 0), JOINED_CELLS);
    const __mmask32 some = _bzhi_u32(~0U, (unsigned)high) & ~_bzhi_u32(~0U, (unsigned)low);
    return (vf)_mm512_maskz_loadu_epi16(some, at);
}

/* Where to find what lies `delay` lanes before a vector's. */
K_TEMPLATE
vi joined_delay(int delay)
{
    return v_lanes() + (VL - delay);
}

K_TEMPLATE
vf joined_permute(vf older, vf newer, vi places)
{
    return (vf)_mm512_permutex2var_ps((__m512)older, (__m512i)places, (__m512)newer);
}

/* In assembly: compilers take the way by an integer register, which only one unit serves. */
K_TEMPLATE
__mmask16 joined_load(const joined_bits *bits, enum joined_mask mask)
{
    __mmask16 some;
    __asm__("kmovw %1, %0" : "=k"(some) : "m"(((const uint16_t *)bits)[mask]));
    return some;
}

/* x + y where the bit is set, else y. */
K_TEMPLATE
vf joined_add(__mmask16 some, vf x, vf y)
{
    return (vf)_mm512_mask_add_ps((__m512)y, some, (__m512)x, (__m512)y);
}

/* The same as v_plus. */
K_TEMPLATE
vf joined_plus(__mmask16 some, vf x, vf y)
{
    return (vf)_mm512_mask3_fmadd_ps((__m512)x, _mm512_set1_ps(1), (__m512)y, some);
}

K_TEMPLATE
vf joined_widen(enum k_dtype dt, int part, vf words)
{
    if (dt == K_BF16) {
        const struct k_block block = block_of_bits(K_BF16, (vu)words);
        return part ? block.b : block.a;
    }
    const __m512i places = (__m512i)(v_lanes() * 0x40004 + (part ? 0x30001 : 0x20000));
    const __m512i halves = _mm512_permutexvar_epi16(places, (__m512i)words);
    return v_from_half(dt, (vh)_mm512_castsi512_si256(halves));
}

/* Windows of the next vector, the even or the odd ones, summed along the height; value: the newest
 * row's. */
K_TEMPLATE
vf joined_sum(struct joined_kind kind, const struct joined *j, const joined_bits *m, int part,
              const vf value[2])
{
    const int other = kind.odd ? !part : part;
    const vf mid = joined_permute(j->kept[other], value[other], j->mid[part]);
    const vf old = joined_permute(j->kept[part], value[part], j->old);
    const vf both = joined_add(joined_load(m, JOINED_ABOVE_IT), old, mid);
    const vf sum = (vf)_mm512_mask_add_ps((__m512)both, joined_load(m, JOINED_BELOW_IT),
                                          (__m512)both, (__m512)value[part]);
    if (kind.uniform) return sum;
    return (vf)_mm512_mask_mul_ps((__m512)sum, joined_load(m, JOINED_EDGE), (__m512)sum,
                                  _mm512_set1_ps(j->tables->own));
}

/* What the newest rows over a vector's even cells, or odd ones, are scaled by. */
K_TEMPLATE
vf joined_factor(struct joined_kind kind, const struct joined_tables *t, const joined_bits *m)
{
    const vf factor = v_all(t->factor);
    if (kind.uniform) return factor;
    return (vf)_mm512_mask_mov_ps((__m512)factor, joined_load(m, JOINED_BORDER),
                                  (__m512)v_all(t->border));
}

/* The cells of `now`, as in memory; the next windows take its place. all: dY has all their newest
 * rows' words. */
K_TEMPLATE
vf joined_step(enum k_dtype dt, struct joined_kind kind, bool all, struct joined *j)
{
    const struct joined_tables *t = j->tables;
    const vf words = v_keep(joined_words(j, all)), even = j->now[0], odd = j->now[1];
    const joined_bits *m = t->masks + j->place;
    for (j->place += JOINED_CELLS; j->place >= t->column;)
        j->place -= t->column;
    const joined_bits *next = t->masks + j->place;
    vf value[2], sum[2];
    if (dt == K_BF16) tiny_watch(&j->tiny, words);
#pragma GCC unroll 2
    for (int part = 0; part < 2; part++)
        value[part] =
            v_product(true, joined_widen(dt, part, words), joined_factor(kind, t, next + part));
#pragma GCC unroll 2
    for (int part = 0; part < 2; part++)
        sum[part] = joined_sum(kind, j, next + part, part, value);
    const __mmask16 within = joined_load(m, JOINED_BEHIND_IT); /* the pair is in one row */
    const vf low = joined_plus(joined_load(m, JOINED_BEFORE_IT), v_delay(1, j->before, odd), even);
    const vf high = joined_plus(within, even, odd);
    const vf cells[2] = {
        joined_add(within, odd, low),
        joined_add(joined_load(m + 1, JOINED_BEHIND_IT), v_advance(even, sum[0]), high),
    };
    j->before = odd;
#pragma GCC unroll 2
    for (int part = 0; part < 2; part++) {
        j->kept[part] = value[part];
        j->now[part] = sum[part];
    }
    j->at += JOINED_CELLS;
    if (dt == K_F16) return block_zip_f16(cells[0], cells[1]);
    const __m512i zip = (__m512i)(v_lanes() * 0x10001 + 0x100000);
    return (vf)_mm512_permutexvar_epi16(zip, (__m512i)v_round_pairs(cells[0], cells[1]));
}

/* ---- a call ---- */

/* The first cells are those from `cell` on, counted over all columns. */
K_TEMPLATE
struct joined joined_begin(const struct grad *g, const struct joined_tables *t, int64_t cell)
{
    const int width = t->width;
    int64_t place = cell - JOINED_BEFORE * JOINED_CELLS; /* of `now`, not there yet */
    struct joined j = {.tables = t,
                       .dy = g->dy,
                       .windows = (g->dy_end - g->dy) / k_size(K_F16),
                       .at = place + JOINED_CELLS + width,
                       .mid = {joined_delay((width + 1) / 2), joined_delay(width / 2)},
                       .old = joined_delay(width),
                       .tiny = tiny_begin()};
    place %= t->column;
    j.place = (int)(place < 0 ? place + t->column : place);
    return j;
}

/* Items [item, end); returns whether no bf16 was tiny. */
K_TEMPLATE
bool joined_items(enum k_dtype dt, struct joined_kind kind, struct grad *g,
                  const struct joined_tables *t, int64_t item, int64_t end)
{
    struct k_vectors out = g->outlet.vectors;
    const bool stream = g->outlet.stream;
    const int64_t pending = out.filled / k_size(dt), cells = pending + (end - item) * t->width;
    const int64_t whole = cells / JOINED_CELLS;
    struct joined j = joined_begin(g, t, item * t->width - pending);
    /* The first vector has the pending cells too, made once more. */
    for (int64_t i = -JOINED_BEFORE; i <= whole;) {
        int64_t all = pool_min(whole - i, (j.windows - j.at) / JOINED_CELLS);
        if (i > 0 && all > 0) {
            char *to = out.to;
            i += all;
            for (; all > 0; all--, to += K_VECTOR_BYTES) {
                k_prefetch((const char *)((uintptr_t)j.dy + 2 * (uintptr_t)j.at) + POOL_FAR);
                k_write(to, joined_step(dt, kind, true, &j), stream);
            }
            out.to = to;
            continue;
        }
        const vf line = joined_step(dt, kind, false, &j);
        if (i >= 0 && i < whole) vectors_store(&out, line, stream);
        out.pending = line;
        i++;
    }
    out.filled = (int)(cells % JOINED_CELLS * k_size(dt));
    g->outlet.vectors = out;
    return tiny_end(&j.tiny);
}

#define JOINED_KIND(name, dt, ...)                                                                 \
    K_OUTLINE bool name(struct grad *g, const struct joined_tables *t, int64_t item, int64_t end)  \
    {                                                                                              \
        return joined_items(dt, (struct joined_kind){__VA_ARGS__}, g, t, item, end);               \
    }
#define JOINED(suffix, dt)                                                                         \
    JOINED_KIND(joined_even##suffix, dt, false, false)                                             \
    JOINED_KIND(joined_even_uniform##suffix, dt, false, true)                                      \
    JOINED_KIND(joined_odd##suffix, dt, true, false)                                               \
    JOINED_KIND(joined_odd_uniform##suffix, dt, true, true)                                        \
    static inline bool joined##suffix(struct grad *g, const struct joined_tables *t, int64_t item, \
                                      int64_t end)                                                 \
    {                                                                                              \
        typedef bool joined_fn(struct grad *, const struct joined_tables *, int64_t, int64_t);     \
        static joined_fn *const all[][2] = {{joined_even##suffix, joined_even_uniform##suffix},    \
                                            {joined_odd##suffix, joined_odd_uniform##suffix}};     \
        const bool uniform = g->widths.uniform && t->border == t->factor;                          \
        return all[t->width % 2][uniform](g, t, item, end);                                        \
    }
JOINED(_f16, K_F16)
JOINED(_bf16, K_BF16)

/* Does this way take items of a call that has short rows? */
static inline bool joined_takes(const struct grad *g, struct k_slice items)
{
    const struct pool_plan *plan = &g->plan;
    const int64_t height = plan->height.in, column = plan->width.in * height;
    return plan->way == POOL_FLAT && plan->width.in <= JOINED_WIDTH && plan->height.pad == 1 &&
           plan->height.out == height && height >= 2 && column <= JOINED_COLUMN &&
           plan->depth.in == 1 && plan->depth.out == 1 &&
           items.end - items.begin > JOINED_FEW * height;
}
#endif

#endif
