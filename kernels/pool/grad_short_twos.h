/* SPDX-License-Identifier: Apache-2.0 */
/* Short rows (grad_short.h) of halves, steps of two along height and width, twice as many cells in
 * a row as windows (grad_twos.h): a row of dX is made of one row of dY, the next one of that and
 * the row behind it. A vector of windows makes one of cells, the even ones apart from the odd
 * ones. */
#ifndef ACLNN_CPU_KERNELS_POOL_GRAD_SHORT_TWOS_H
#define ACLNN_CPU_KERNELS_POOL_GRAD_SHORT_TWOS_H

#include "kernels/pool/grad_short.h"

#if defined(K_ISA_avx512)
/* A row of dY, scaled. */
K_TEMPLATE
struct short_row short_twos_values(enum k_dtype dt, struct short_kind kind, struct shorts *s,
                                   struct short_row row)
{
    struct short_row values = {{{0}}};
    const vf factor = v_all(*s->factor);
#pragma GCC unroll 4
    for (int i = 0; i < SHORT_KEPT; i++) {
        if (i >= kind.vectors) break;
        vf value = row.of[i];
        if (dt == K_BF16 && i % 2 == 0) tiny_watch(&s->tiny, value);
        if (dt == K_BF16) value = short_widen(i % 2, row.of[i / 2 * 2]);
        values.of[i] = v_product(true, value, factor);
    }
    return values;
}

/* One row of cells, of windows that are summed along the height. */
K_TEMPLATE
void short_twos_put(enum k_dtype dt, struct short_kind kind, const struct shorts *s,
                    struct short_row sums, struct lines_out *out)
{
#pragma GCC unroll 4
    for (int i = 0; i < SHORT_KEPT; i++) {
        const bool edge = i == 0 || i == kind.vectors - 1; /* the others' factors are 1 */
        if (edge && i < kind.vectors) sums.of[i] = sums.of[i] * s->own[i];
    }
    const __m512i places = lines_out_places(dt, LINES_PAIRED, out);
    vf before = {0};
#pragma GCC unroll 4
    for (int i = 0; i < SHORT_KEPT; i++) {
        if (i >= kind.vectors) break;
        const bool last = i + 1 == kind.vectors;
        const vf now = sums.of[i], after = last ? (vf){0} : sums.of[i + 1];
        const vf even = kind.late ? now : now + v_delay(1, before, now);
        const vf odd = kind.late ? now + v_advance(now, after) : now;
        before = now;
        const vf cells = dt == K_BF16 ? (vf)v_round_pairs(even, odd) : block_halves(dt, even, odd);
        if (last)
            lines_out_last(dt, LINES_PAIRED, LINES_PAIRED, out, cells);
        else
            lines_out_whole(dt, out, places, cells);
    }
}

K_TEMPLATE
struct short_row short_twos_sums(struct short_kind kind, struct short_row a, struct short_row b)
{
#pragma GCC unroll 4
    for (int i = 0; i < SHORT_KEPT; i++)
        if (i < kind.vectors) a.of[i] = a.of[i] + b.of[i];
    return a;
}

/* Row `row` of dY; zeros if it is not there. */
K_TEMPLATE
struct short_row short_twos_row(enum k_dtype dt, struct short_kind kind, const struct grad *g,
                                struct shorts *s, int64_t row)
{
    const bool is_there = row >= 0 && row < short_height(g);
    s->at = is_there ? row_of_dy(g, row, k_size(dt)) : (const char *)short_zeros;
    return short_twos_values(dt, kind, s, short_load(dt, kind, s));
}

/* Rows [h, end) of the column in work. */
K_TEMPLATE
void short_twos_column(enum k_dtype dt, struct short_kind kind, struct grad *g, struct shorts *s,
                       struct lines_out *out, int64_t h, int64_t end)
{
    const int64_t first = h + g->plan.height.pad, stop = end + g->plan.height.pad;
    const int64_t ahead = pool_min(stop / 2, short_ahead(dt, g, s));
    int64_t row = first / 2; /* of dY: rows 2 row and 2 row + 1 of dX begin with it */
    s->factor = short_factors(g, row - 1, stop / 2 + 1);
    struct short_row before = {{{0}}};
    if (first % 2 == 0) before = short_twos_row(dt, kind, g, s, row - 1);
    s->factor++;
    if (first % 2 == 1) {
        before = short_twos_row(dt, kind, g, s, row++);
        short_twos_put(dt, kind, s, before, out);
        s->factor++;
    }
    if (row < ahead) {
        s->at = row_of_dy(g, row, k_size(dt));
        struct short_row next = short_load(dt, kind, s);
        for (; row < ahead; row++, s->factor++) {
            const struct short_row now = next;
            s->at += s->row_bytes;
            next = short_load(dt, kind, s);
            const struct short_row values = short_twos_values(dt, kind, s, now);
            short_twos_put(dt, kind, s, short_twos_sums(kind, before, values), out);
            short_twos_put(dt, kind, s, values, out);
            before = values;
        }
    }
    for (; 2 * row < stop; row++, s->factor++) {
        const struct short_row values = short_twos_row(dt, kind, g, s, row);
        short_twos_put(dt, kind, s, short_twos_sums(kind, before, values), out);
        if (2 * row + 1 < stop) short_twos_put(dt, kind, s, values, out);
        before = values;
    }
}

/* Items [item, end); returns whether no bf16 was tiny. */
K_TEMPLATE
bool short_twos_items(enum k_dtype dt, struct short_kind kind, struct grad *g, int64_t item,
                      int64_t end)
{
    const int rest = ((int)g->plan.width.in - 1) % BLOCK(dt) + 1;
    struct lines_out out = lines_out_begin(dt, LINES_PAIRED, LINES_PAIRED, &g->outlet.vectors,
                                           rest * (int)k_size(dt), g->outlet.stream);
    struct shorts s = shorts_begin(dt, g);
    const int64_t height = g->plan.height.in;
    int64_t column = item / height, h = item % height;
    for (int64_t left = end - item; left > 0; column++, h = 0) {
        const int64_t stop = pool_min(h + left, height);
        left -= stop - h;
        column_begin(g, column);
        for (; h < stop; h += SHORT_ROWS)
            short_twos_column(dt, kind, g, &s, &out, h, pool_min(h + SHORT_ROWS, stop));
    }
    lines_out_end(dt, LINES_PAIRED, &out, &g->outlet.vectors);
    return tiny_end(&s.tiny);
}

#define SHORT_TWOS_KIND(name, dt, ...)                                                             \
    K_OUTLINE bool name(struct grad *g, int64_t item, int64_t end)                                 \
    {                                                                                              \
        return short_twos_items(dt, (struct short_kind){__VA_ARGS__}, g, item, end);               \
    }
#define SHORT_TWOS(suffix, dt)                                                                     \
    SHORT_TWOS_KIND(short_twos_2_early##suffix, dt, 2, false, false)                               \
    SHORT_TWOS_KIND(short_twos_2_late##suffix, dt, 2, false, true)                                 \
    SHORT_TWOS_KIND(short_twos_4_early##suffix, dt, 4, false, false)                               \
    SHORT_TWOS_KIND(short_twos_4_late##suffix, dt, 4, false, true)                                 \
    static inline bool short_twos##suffix(struct grad *g, int64_t item, int64_t end)               \
    {                                                                                              \
        typedef bool short_twos_fn(struct grad *, int64_t, int64_t);                               \
        static short_twos_fn *const all[2][2] = {                                                  \
            {short_twos_2_early##suffix, short_twos_2_late##suffix},                               \
            {short_twos_4_early##suffix, short_twos_4_late##suffix}};                              \
        const struct pool_axis *width = &g->plan.width;                                            \
        return all[width->out > 2 * VL][width->pad > 0](g, item, end);                             \
    }
SHORT_TWOS(_f16, K_F16)
SHORT_TWOS(_bf16, K_BF16)
#endif

#endif
