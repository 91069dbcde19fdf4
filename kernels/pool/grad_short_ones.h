/* SPDX-License-Identifier: Apache-2.0 */
/* Short rows (grad_short.h), steps of one: three rows of dY, scaled, are kept. Which registers hold
 * the newest one changes from row to row: three rows are one turn of the loop. While a row is
 * summed along the height, the one before it is summed along the width. bf16 lie in registers as in
 * memory, even elements apart from odd ones, which are neighbours of each other: that saves half of
 * the permutations. */
#ifndef ACLNN_CPU_KERNELS_POOL_GRAD_SHORT_ONES_H
#define ACLNN_CPU_KERNELS_POOL_GRAD_SHORT_ONES_H

#include "kernels/pool/grad_short.h"

#if defined(K_ISA_avx512)
/* Of vectors of cells, and of a row's last one. */
#define ONES_FORM(dt)       ((dt) == K_BF16 ? LINES_PAIRED : LINES_IN_ORDER)
#define ONES_LAST(dt, kind) ((kind).vectors % 2 == 0 ? ONES_FORM(dt) : LINES_IN_ORDER)

/* Windows of vector i summed along the height, of which `value` is the newest row's. It goes where
 * `turn` says. +0 stands for -0 from here on. */
K_TEMPLATE
vf ones_sum(enum k_dtype dt, struct short_kind kind, struct shorts *s, int turn, int i, vf value)
{
    const bool certain = dt != K_F32;
    const vf factor = v_all(*s->factor);
    value = certain ? v_product(true, value, factor) : value * factor;
    const vf sum = s->kept[(turn + 1) % 3][i] + s->kept[(turn + 2) % 3][i] + value;
    s->kept[turn][i] = value;
    const int last = kind.vectors - (dt == K_BF16 && kind.vectors % 2 == 0 ? 2 : 1);
    const bool edge = !kind.uniform && (i == 0 || i >= last); /* the others' factors are 1 */
    if (certain) return edge ? sum * s->own[i] : sum;
    return v_plus(edge ? sum * s->own[i] : sum, (vf){0});
}

/* The windows of which `row` is the newest. bf16: of[2 i] those at even places of block i, of[2 i +
 * 1] the others, or, where the last block has at most VL, of[2 i] all of them. */
K_TEMPLATE
struct short_row ones_windows(enum k_dtype dt, struct short_kind kind, struct shorts *s, int turn,
                              struct short_row row)
{
    struct short_row sums = {{{0}}};
#pragma GCC unroll 4
    for (int i = 0; i < SHORT_KEPT; i++) {
        if (i >= kind.vectors) break;
        vf value = row.of[i];
        if (dt == K_BF16) {
            const vf words = row.of[i / 2 * 2];
            if (i % 2 == 0) tiny_watch(&s->tiny, words);
            const struct k_block block = block_of_bits(K_BF16, (vu)words);
            value = i % 2 ? block.b : i + 1 < kind.vectors ? block.a : short_widen(0, words);
        }
        sums.of[i] = ones_sum(dt, kind, s, turn, i, value);
    }
    return sums;
}

/* Three windows each, the oldest first. */
K_TEMPLATE
vf ones_cells(vf before, vf now, vf after)
{
    return v_plus(v_plus(v_delay(1, before, now), now), v_advance(now, after));
}

/* VL f16 and zeros. */
K_TEMPLATE
vf ones_half(vf x)
{
    return (vf)_mm512_zextsi256_si512((__m256i)v_to_f16(x));
}

/* One row of cells. */
K_TEMPLATE
void ones_put(enum k_dtype dt, struct short_kind kind, struct short_row sums, struct lines_out *out)
{
    const int step = BLOCK(dt) / VL;
    const __m512i places = lines_out_places(dt, ONES_FORM(dt), out);
    vf before = {0};
#pragma GCC unroll 4
    for (int i = 0; i < SHORT_KEPT; i += step) {
        if (i >= kind.vectors) break;
        const bool last = i + step >= kind.vectors, paired = dt != K_F32 && i + 1 < kind.vectors;
        const vf zero = {0}, a = sums.of[i], b = paired ? sums.of[i + 1] : zero;
        const vf after = last ? zero : sums.of[i + step];
        vf low, high = zero;
        if (dt == K_BF16 && paired) {
            low = v_plus(v_delay(1, before, b), a) + b;
            high = v_plus(a, b) + v_advance(a, after);
        } else {
            low = ones_cells(before, a, dt == K_F32 ? after : b);
            if (paired) high = ones_cells(a, b, after);
        }
        before = dt == K_F32 ? a : b;
        vf cells = low;
        if (dt == K_F16) cells = paired ? block_halves(dt, low, high) : ones_half(low);
        if (dt == K_BF16) cells = (vf)v_round_pairs(low, high);
        if (last)
            lines_out_last(dt, ONES_FORM(dt), ONES_LAST(dt, kind), out, cells);
        else
            lines_out_whole(dt, out, places, cells);
    }
}

/* The next row's newest one takes the oldest one's place; the loop begins with turn 0 again. */
static inline void ones_turn(struct shorts *s)
{
#pragma GCC unroll 4
    for (int i = 0; i < SHORT_KEPT; i++) {
        s->kept[1][i] = s->kept[2][i];
        s->kept[2][i] = s->kept[0][i];
    }
}

/* The newest row is the one at s->at, or one that is not there. */
K_TEMPLATE
struct short_row ones_newest(enum k_dtype dt, struct short_kind kind, struct shorts *s,
                             bool is_there)
{
    const char *at = s->at;
    if (!is_there) s->at = (const char *)short_zeros;
    const struct short_row windows = ones_windows(dt, kind, s, 0, short_load(dt, kind, s));
    ones_turn(s);
    s->factor++;
    s->at = at;
    return windows;
}

K_TEMPLATE
void ones_clear(struct shorts *s)
{
#pragma GCC unroll 4
    for (int i = 0; i < SHORT_KEPT; i++)
        s->kept[1][i] = s->kept[2][i] = (vf){0};
}

/* Rows [h, end) of the column in work but for the last one, whose windows are returned. follows:
 * h is 0, and the column before ended with row `before`: it goes out when the first rows of dY have
 * been loaded, which are those behind s->at. */
K_TEMPLATE
struct short_row ones_column(enum k_dtype dt, struct short_kind kind, const struct grad *g,
                             struct shorts *s, struct lines_out *out, int64_t h, int64_t end,
                             bool follows, struct short_row before)
{
    const int64_t pad = g->plan.height.pad, rows = short_height(g);
    const int64_t ahead = pool_min(end + pad, short_ahead(dt, g, s));
    int64_t row = h + pad - (POOL_FUSED - 1); /* of dY, the newest in work */
    struct short_row sums = {{{0}}};
    ones_clear(s);
    if (follows) { /* pad is 1 */
        s->factor++;
        s->at += s->row_bytes;
        ones_newest(dt, kind, s, true);
        ones_put(dt, kind, before, out);
        s->at += s->row_bytes;
        sums = ones_newest(dt, kind, s, true);
        row += POOL_FUSED;
    }
    for (; row <= h + pad; row++) {
        if (row < 0) {
            s->factor++;
            continue;
        }
        if (row < rows) s->at = row_of_dy(g, row, k_size(dt));
        sums = ones_newest(dt, kind, s, row < rows);
    }
    if (row + POOL_FUSED <= ahead) {
        s->at += s->row_bytes;
        struct short_row next = short_load(dt, kind, s);
        for (; row + POOL_FUSED <= ahead; row += POOL_FUSED)
#pragma GCC unroll 3
            for (int turn = 0; turn < POOL_FUSED; turn++, s->factor++) {
                const struct short_row now = next;
                s->at += s->row_bytes;
                next = short_load(dt, kind, s);
                const struct short_row windows = ones_windows(dt, kind, s, turn, now);
                ones_put(dt, kind, sums, out);
                sums = windows;
            }
        s->at -= s->row_bytes;
    }
    for (; row < end + pad; row++) {
        if (row < rows) s->at += s->row_bytes;
        const struct short_row windows = ones_newest(dt, kind, s, row < rows);
        ones_put(dt, kind, sums, out);
        sums = windows;
    }
    return sums;
}

/* Two vectors' even elements, and the odd ones. */
static inline void ones_apart(vf x[2])
{
    const vf low = x[0], high = x[1];
    x[0] = v_pick(low, high, v_lanes() * 2);
    x[1] = v_pick(low, high, v_lanes() * 2 + 1);
}

/* Items [item, end); returns whether no bf16 was tiny. */
K_TEMPLATE
bool ones_items(enum k_dtype dt, struct short_kind kind, struct grad *g, int64_t item, int64_t end)
{
    const int width = (int)g->plan.width.in, rest = (width - 1) % BLOCK(dt) + 1;
    struct lines_out out =
        lines_out_begin(dt, ONES_FORM(dt), ONES_LAST(dt, kind), &g->outlet.vectors,
                        rest * (int)k_size(dt), g->outlet.stream);
    struct shorts s = shorts_begin(dt, g);
    if (dt == K_BF16 && kind.vectors >= 2) ones_apart(s.own);
    if (dt == K_BF16 && kind.vectors >= 4) ones_apart(s.own + 2);
    const struct pool_plan *plan = &g->plan;
    const int64_t height = plan->height.in;
    const bool alike = plan->depth.in == 1 && plan->height.pad == 1 && height >= 2 &&
                       plan->height.out == height && height <= SHORT_ROWS;
    struct short_row sums = {{{0}}};
    bool is_open = false, follows = false;
    int64_t column = item / height, h = item % height;
    for (int64_t left = end - item; left > 0; column++, h = 0, follows = alike && g->depths > 0) {
        const int64_t stop = pool_min(h + left, height);
        left -= stop - h;
        follows = follows && stop == height;
        if (follows)
            g->outer = column;
        else
            column_begin(g, column);
        for (int64_t h_end; h < stop; h = h_end) {
            h_end = pool_min(h + SHORT_ROWS, stop);
            if (is_open && !follows) ones_put(dt, kind, sums, &out);
            s.factor =
                short_factors(g, h + plan->height.pad - (POOL_FUSED - 1), h_end + plan->height.pad);
            sums = ones_column(dt, kind, g, &s, &out, h, h_end, follows, sums);
            is_open = true;
        }
    }
    ones_put(dt, kind, sums, &out);
    lines_out_end(dt, ONES_FORM(dt), &out, &g->outlet.vectors);
    return tiny_end(&s.tiny);
}

#define ONES_KIND(name, dt, vectors)                                                               \
    K_OUTLINE bool name(struct grad *g, int64_t item, int64_t end)                                 \
    {                                                                                              \
        return ones_items(dt, (struct short_kind){vectors, false, false}, g, item, end);           \
    }                                                                                              \
    K_OUTLINE bool name##_uniform(struct grad *g, int64_t item, int64_t end)                       \
    {                                                                                              \
        return ones_items(dt, (struct short_kind){vectors, true, false}, g, item, end);            \
    }
#define ONES(suffix, dt)                                                                           \
    ONES_KIND(ones_1##suffix, dt, 1)                                                               \
    ONES_KIND(ones_2##suffix, dt, 2)                                                               \
    ONES_KIND(ones_3##suffix, dt, 3)                                                               \
    ONES_KIND(ones_4##suffix, dt, 4)                                                               \
    static inline bool ones##suffix(struct grad *g, int64_t item, int64_t end)                     \
    {                                                                                              \
        typedef bool ones_fn(struct grad *, int64_t, int64_t);                                     \
        static ones_fn *const all[][2] = {{ones_1##suffix, ones_1##suffix##_uniform},              \
                                          {ones_2##suffix, ones_2##suffix##_uniform},              \
                                          {ones_3##suffix, ones_3##suffix##_uniform},              \
                                          {ones_4##suffix, ones_4##suffix##_uniform}};             \
        return all[(g->plan.width.out - 1) / VL][g->widths.uniform](g, item, end);                 \
    }
ONES(_f32, K_F32)
ONES(_f16, K_F16)
ONES(_bf16, K_BF16)
#endif

#endif
