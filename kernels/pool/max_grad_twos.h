/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of max pooling, one channel, windows of 2 or 3 by a step of two along height and width,
 * half as many as cells: the whole tensor as one row of pairs of cells, in the order of memory, so
 * that whole vectors of the output are made, wherever rows end, and nothing is copied. A lane is a
 * pair: cells 2 w and 2 w + 1 of a row, and window w of the row of windows over it. Those rows are
 * read once for each row of cells: the lanes jump back at the end of every other row, and, where
 * windows have several depths, of a plane.
 *
 * An index names one cell, so windows beside a row's ends do no harm: what matches belongs there.
 * Windows of another outer do not match, as they are hidden. All indices of an outer lie in their
 * windows, or what they mean was added, if there were as many matches as windows. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_GRAD_TWOS_H
#define ACLNN_CPU_KERNELS_POOL_MAX_GRAD_TWOS_H

#include "kernels/pool/max_grad_volumes.h"
#include "kernels/pool/max_scatter.h"

/* Of the vector in work its first cells, and the matches so far, negative. */
struct twos_lanes {
    vu cell;
    vi matches;
};

struct twos {
    enum cell_pattern pattern;
    const int32_t *places;
    const char *values;
    char *dx;
    int64_t windows, pairs, begin, finish; /* of the tensor; pairs of the slice */
    int64_t width, height;                 /* windows of a row, rows of a plane */
    int64_t outer, depths;                 /* pairs of an outer; depths of cells under a window */
    int64_t period;                        /* cells; indices begin anew behind so many */
    bool stream;

    /* The vector in work: its first lane's pair and window, lanes until the next jump, by how many
     * windows; rows of windows and depths that follow. */
    int64_t pair, at, left, back, rows, copies;
    struct twos_lanes *lanes;
};

/* Behind a jump. */
static inline void twos_jump(struct twos *t)
{
    t->at -= t->back;
    t->left += t->width;
    if (t->back != t->width) {
        t->back = t->width;
        t->rows = t->height - 1;
        t->copies--;
        return;
    }
    if (t->depths > 1 && t->rows == 0 && t->copies > 0) {
        t->back = t->height * t->width;
        return;
    }
    t->left += t->width;
    if (t->depths > 1 && --t->rows < 0) t->rows = t->height - 1, t->copies = t->depths - 1;
}

/* Moves to a pair. */
static inline void twos_seek(struct twos *t, int64_t pair)
{
    const int64_t inside = max_least(max_most(pair, 0), t->pairs - 1);
    const int64_t row = inside / t->width, w = inside % t->width;
    const int64_t plane = row / (2 * t->height), h = row % (2 * t->height);
    const int64_t copy = plane % t->depths, cell = 2 * pair;
    t->pair = pair;
    t->at = (plane / t->depths * t->height + h / 2) * t->width + w;
    t->rows = t->height - 1 - h / 2;
    t->copies = t->depths - 1 - copy;
    t->back = t->width;
    t->left = t->width - w;
    if (h % 2 == 1) {
        t->left -= t->width; /* as before the jump */
        t->at += t->back;
        twos_jump(t);
    }
    t->lanes->cell = 2 * (vu)v_lanes() + (uint32_t)((cell % t->period + t->period) % t->period);
    t->lanes->cell = v_least_u(t->lanes->cell, t->lanes->cell - (uint32_t)t->period);
}

/* A row of windows: of one column, or two. */
struct twos_row {
    vi place[2];
    vf value[2];
};

/* Are values added as halves' bits? */
K_TEMPLATE
bool twos_are_words(enum k_dtype dt, enum cell_pattern pattern)
{
    return dt != K_F32 && pattern == CELLS_APART;
}

K_TEMPLATE
vf twos_values(enum k_dtype dt, enum cell_pattern pattern, const char *at)
{
    if (dt == K_F16 && pattern == CELLS_APART) return (vf)words_lanes(dt, at);
    if (dt == K_BF16 && pattern == CELLS_APART) return k_load(dt, at) + 0.0f;
    return v_held(k_load(dt, at));
}

/* What bf16 are widened and rounded by, held in registers: compilers would make it anew for each
 * vector. */
struct twos_fixed {
#if defined(K_ISA_avx512)
    vi pick, next, upper, below, one, half;
#else
    char none;
#endif
};

static inline struct twos_fixed twos_fixed(void)
{
    struct twos_fixed fixed = {0};
#if defined(K_ISA_avx512)
    const vi upper = v_lanes() * 0x20002 + 0x210001;
    fixed.pick = (vi)v_held((vf)(v_lanes() * 0x10001));
    fixed.next = (vi)v_held((vf)(v_lanes() * 0x10001 + 0x10001));
    fixed.upper = (vi)v_held((vf)upper);
    fixed.below = (vi)v_held((vf)(upper - 0x10001));
    fixed.one = (vi)v_held((vf)v_all_i(0x10001));
    fixed.half = (vi)v_held((vf)v_all_i((int32_t)0x80008000));
#endif
    return fixed;
}

/* Values of windows from `at` on, of `columns`. */
K_TEMPLATE
void twos_take_values(enum k_dtype dt, enum cell_pattern pattern, int columns,
                      const struct twos_fixed *fixed, const char *at, vf value[])
{
#if defined(K_ISA_avx512)
    if (dt == K_BF16 && columns == 2) {
        const __m512i halves = (__m512i)v_held(v_load((const float *)(const void *)at));
        const __m512i pick = (__m512i)fixed->pick;
        value[0] = (vf)_mm512_maskz_permutexvar_epi16(0xaaaaaaaa, pick, halves);
        value[1] = (vf)_mm512_maskz_permutexvar_epi16(0xaaaaaaaa, (__m512i)fixed->next, halves);
        return;
    }
#endif
    (void)fixed;
    value[0] = twos_values(dt, pattern, at);
    if (columns == 2) value[1] = twos_values(dt, pattern, at + k_size(dt));
}

/* Pairs of bf16, as block_pair_bf16. */
K_TEMPLATE
vf twos_pairs(const struct twos_fixed *fixed, vf even, vf odd)
{
#if defined(K_ISA_avx512)
    const __m512i a = (__m512i)even, b = (__m512i)odd, one = (__m512i)fixed->one;
    const __m512i words = _mm512_permutex2var_epi16(a, (__m512i)fixed->upper, b);
    const __m512i below = _mm512_permutex2var_epi16(a, (__m512i)fixed->below, b);
    const __m512i enough = _mm512_ternarylogic_epi32(words, one, (__m512i)fixed->half, 0xae);
    const __mmask32 up = _mm512_cmpge_epu16_mask(below, enough);
    return (vf)_mm512_mask_add_epi16(words, up, words, one);
#else
    (void)fixed;
    return block_pair_bf16(even, odd);
#endif
}

/* The row from window `at` on; lanes from t->left on, if it jumps there, are t->back before. */
K_TEMPLATE
struct twos_row twos_take(enum k_dtype dt, enum cell_pattern pattern, const struct twos *t,
                          const struct twos_fixed *fixed, bool jumps, int64_t at)
{
    struct twos_row row = {{{0}}, {{0}}};
    const int columns = pattern == CELLS_APART ? 1 : 2;
    const int64_t again = at - t->back;
    vf values[2] = {{0}, {0}};
    twos_take_values(dt, pattern, columns, fixed, t->values + at * k_size(dt), row.value);
    if (jumps)
        twos_take_values(dt, pattern, columns, fixed, t->values + again * k_size(dt), values);
#pragma GCC unroll 2
    for (int c = 0; c < columns; c++) {
        row.place[c] = (vi)v_held((vf)v_load_i(t->places + at + c));
        if (!jumps) continue;
        row.place[c] =
            (vi)v_first((int)t->left, (vf)row.place[c], (vf)v_load_i(t->places + again + c));
        row.value[c] = v_first((int)t->left, row.value[c], values[c]);
    }
    return row;
}

/* Windows apart: the halves of each pair, of which the index means one. */
K_TEMPLATE
vf twos_words(enum k_dtype dt, const struct twos_row *row, vi cell, vi *matches)
{
    const vu value = (vu)row->value[0];
    const vu low = dt == K_BF16 ? value >> 16 : value, high = dt == K_BF16 ? value : value << 16;
#if defined(K_ISA_avx512)
    const __m512i place = (__m512i)row->place[0], count = (__m512i)*matches;
    const __mmask16 even = _mm512_cmpeq_epi32_mask(place, (__m512i)cell);
    const __mmask16 odd = _mm512_cmpeq_epi32_mask(place, (__m512i)(cell + 1));
    const __m512i one = _mm512_maskz_mov_epi32(even, (__m512i)low);
    *matches =
        (vi)_mm512_mask_sub_epi32(count, _kor_mask16(even, odd), count, _mm512_set1_epi32(-1));
    return (vf)_mm512_mask_mov_epi32(one, odd, (__m512i)high);
#else
    const vi even = row->place[0] == cell, odd = row->place[0] == cell + 1;
    *matches -= even | odd;
    return (vf)((low & (vu)even) | (high & (vu)odd));
#endif
}

/* Adds term to *a where the place is x, to *b where it is y, and counts both. */
K_TEMPLATE
void twos_add_pair(vf *a, vf *b, vi place, vi x, vi y, vf term, vi *matches)
{
#if defined(K_ISA_avx512)
    const __mmask16 first = _mm512_cmpeq_epi32_mask((__m512i)place, (__m512i)x);
    const __mmask16 second = _mm512_cmpeq_epi32_mask((__m512i)place, (__m512i)y);
    const __m512i count = (__m512i)*matches;
    *a = (vf)_mm512_mask_add_ps((__m512)*a, first, (__m512)*a, (__m512)term);
    *b = (vf)_mm512_mask_add_ps((__m512)*b, second, (__m512)*b, (__m512)term);
    *matches =
        (vi)_mm512_mask_sub_epi32(count, _kor_mask16(first, second), count, _mm512_set1_epi32(-1));
#else
    const vi first = place == x, second = place == y;
    *a += (vf)(first & (vi)term);
    *b += (vf)(second & (vi)term);
    *matches -= first | second;
#endif
}

/* The cells under one row of windows, or two, to `to`. */
K_TEMPLATE
void twos_put(enum k_dtype dt, enum cell_pattern pattern, int rows, const struct twos_fixed *fixed,
              const struct twos_row row[], vi cell, bool stream, char *to, vi *matches)
{
    const int columns = pattern == CELLS_APART ? 1 : 2;
    const int lone = pattern == CELLS_EVEN ? 1 : 0, both = 1 - lone;
    vf sums[2] = {{0}, {0}};
    if (twos_are_words(dt, pattern)) {
        k_write(to, twos_words(dt, row, cell, matches), stream);
        return;
    }
#pragma GCC unroll 2
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 2
        for (int c = 0; c < columns; c++) {
            const vi place = row[r].place[c];
            const vf value = row[r].value[c];
            if (c == lone || columns == 1)
                twos_add_pair(&sums[both], &sums[lone], place, cell + both, cell + lone, value,
                              matches);
            else
                sums[both] = volume_add(sums[both], place, cell + both, value, matches);
        }
    if (dt == K_BF16) k_write(to, twos_pairs(fixed, sums[0], sums[1]), stream);
    if (dt == K_F16) k_write(to, block_zip_f16(sums[0], sums[1]), stream);
    if (dt != K_F32) return;
    k_write(to, v_zip(0, sums[0], sums[1]), stream);
    k_write(to + K_VECTOR_BYTES, v_zip(1, sums[0], sums[1]), stream);
}

/* Windows of the outer before its own (CELLS_EVEN) or behind it (CELLS_ODD), for each pair. */
K_TEMPLATE
vi twos_reach(enum cell_pattern pattern, const struct twos *t, vu cell, uint32_t first)
{
    const uint32_t cells = (uint32_t)(2 * t->outer), width = (uint32_t)(2 * t->width);
    vu x = cell - first;
    x = v_least_u(x, x - cells);
    if (pattern == CELLS_ODD) x = cells - 2 - x;
    return (vi)(v_least_u(x, x - width) >> 1);
}

/* Hides windows `far` from the pair's that are not the outer's. */
K_TEMPLATE
void twos_hide(vi *place, vi reach, int64_t far)
{
    *place |= reach < (int32_t)far;
}

/* One vector. border: it lies near an end of an outer, the first of whose cells is `first`. */
K_TEMPLATE
void twos_vector(enum k_dtype dt, enum cell_pattern pattern, int rows, bool jumps, bool border,
                 bool stream, const struct twos *t, const struct twos_fixed *fixed, vu cell,
                 uint32_t first, char *to, vi *matches)
{
    const int64_t near = pattern == CELLS_EVEN ? -1 : 0;
    const int own = pattern == CELLS_EVEN && rows == 2 ? 1 : 0, aside = near == 0 ? 1 : 0;
    struct twos_row row[2];
#pragma GCC unroll 2
    for (int r = 0; r < rows; r++)
        row[r] = twos_take(dt, pattern, t, fixed, jumps, t->at + near + (r - own) * t->width);
    if (border) {
        const vi reach = twos_reach(pattern, t, cell, first);
        twos_hide(&row[own].place[aside], reach, 1);
        twos_hide(&row[1 - own].place[1 - aside], reach, t->width);
        twos_hide(&row[1 - own].place[aside], reach, t->width + 1);
    }
    twos_put(dt, pattern, rows, fixed, row, (vi)cell, stream, to, matches);
}

/* Up to `count` vectors of pairs, as long as all windows over them are in memory; returns how many
 * there were. */
K_TEMPLATE
int64_t twos_run(enum k_dtype dt, enum cell_pattern pattern, bool border, bool stream,
                 struct twos *all, uint32_t first, int64_t count)
{
    struct twos t = *all;
    const int64_t above = pattern == CELLS_EVEN ? t.width + 1 : 0;
    const int64_t below = pattern == CELLS_ODD ? t.width + 1 : 0;
    const int64_t ahead = pattern == CELLS_ODD ? t.width : 0;
    const struct twos_fixed fixed = twos_fixed();
    const int64_t last = t.windows - 2 * VL - below; /* a vector of halves may be read */
    char *to = t.dx + 2 * t.pair * k_size(dt);
    vi matches = t.lanes->matches;
    int64_t done = 0;
    vu cell = v_least_u(t.lanes->cell, t.lanes->cell - (uint32_t)t.period);
    for (; done < count && t.at <= last; done++) {
        if (t.left == 0) twos_jump(&t);
        const bool jumps = t.left < VL;
        const bool one =
            pattern == CELLS_APART ||
            (pattern == CELLS_EVEN ? t.left >= VL + t.width : !jumps && t.left <= t.width);
        if (t.at < above + (jumps ? t.back : 0)) break;
        if (jumps && pattern == CELLS_APART)
            twos_vector(dt, pattern, 1, true, false, stream, &t, &fixed, cell, first, to, &matches);
        else if (jumps)
            twos_vector(dt, pattern, 2, true, border, stream, &t, &fixed, cell, first, to,
                        &matches);
        else if (border || !one)
            twos_vector(dt, pattern, 2, false, border, stream, &t, &fixed, cell, first, to,
                        &matches);
        else
            twos_vector(dt, pattern, 1, false, false, stream, &t, &fixed, cell, first, to,
                        &matches);
        if (jumps) twos_jump(&t);
        if (t.left <= t.width) { /* of two rows of cells the first one */
            k_prefetch((const char *)(t.places + t.at + ahead) + MAX_AHEAD);
            k_prefetch(t.values + (t.at + ahead) * k_size(dt) + MAX_AHEAD);
        }
        t.at += VL;
        t.left -= VL;
        cell += 2 * VL;
        to += 2 * VL * k_size(dt);
    }
    t.pair += done * VL;
    *t.lanes = (struct twos_lanes){cell, matches};
    *all = t;
    return done;
}

/* One vector near an end of the tensor or of the slice; only pairs of the slice are written. */
K_TEMPLATE
void twos_edge(enum k_dtype dt, enum cell_pattern pattern, struct twos *t)
{
    const int64_t near = pattern == CELLS_EVEN ? -1 : 0, size = k_size(dt);
    const int64_t windows = t->outer / (2 * t->depths), first = t->pair; /* of an outer */
    const int64_t outer = max_most(first, 0) / t->outer, next = (outer + 1) * t->outer;
    const int sides = pattern == CELLS_APART ? 1 : 2;
    int32_t places[2][2][VL];
    char values[2][2][VL * sizeof(float)] = {{{0}}}, bytes[2 * K_VECTOR_BYTES];
    const struct twos_fixed fixed = twos_fixed();
    struct twos_row row[2];
    vi matches = {0};
    for (int i = 0; i < VL; i++, t->pair++) {
        const bool inside = t->pair >= 0 && t->pair < t->pairs;
        const int64_t begin = (outer + (t->pair >= next)) * windows;
        if (inside && t->left == 0) twos_jump(t);
        for (int r = 0; r < sides; r++)
            for (int c = 0; c < sides; c++) {
                const int64_t at = t->at + (r + near) * t->width + c + near;
                const bool exists = inside && at >= begin && at < begin + windows;
                places[r][c][i] = exists ? t->places[at] : -1;
                if (exists) memcpy(values[r][c] + i * size, t->values + at * size, (size_t)size);
            }
        if (inside) t->at++, t->left--;
    }
    for (int r = 0; r < sides; r++)
        for (int c = 0; c < sides; c++) {
            row[r].place[c] = v_load_i(places[r][c]);
            row[r].value[c] = twos_values(dt, pattern, values[r][c]);
        }
    t->lanes->cell = v_least_u(t->lanes->cell, t->lanes->cell - (uint32_t)t->period);
    twos_put(dt, pattern, sides, &fixed, row, (vi)t->lanes->cell, false, bytes, &matches);
    t->lanes->cell += 2 * VL;
    const int64_t begin = max_most(first, t->begin), end = max_least(first + VL, t->finish);
    const vi lane = v_lanes();
    t->lanes->matches +=
        matches & (lane >= (int32_t)(begin - first)) & (lane < (int32_t)(end - first));
    memcpy(t->dx + 2 * begin * size, bytes + 2 * (begin - first) * size,
           (size_t)(2 * (end - begin) * size));
}

/* Functions of their own, so that what they loop with stays in registers. */
#define TWOS_RUN(name, dt, pattern, border)                                                        \
    K_OUTLINE int64_t name(struct twos *t, uint32_t first, int64_t count)                          \
    {                                                                                              \
        if ((pattern) == CELLS_APART && !t->stream)                                                \
            return twos_run(dt, pattern, border, false, t, first, count);                          \
        return twos_run(dt, pattern, border, (pattern) == CELLS_APART || t->stream, t, first,      \
                        count);                                                                    \
    }
#define TWOS_KERNELS(type, dt)                                                                     \
    TWOS_RUN(twos_apart_##type, dt, CELLS_APART, false)                                            \
    TWOS_RUN(twos_odd_##type, dt, CELLS_ODD, false)                                                \
    TWOS_RUN(twos_odd_end_##type, dt, CELLS_ODD, true)                                             \
    TWOS_RUN(twos_even_##type, dt, CELLS_EVEN, false)                                              \
    TWOS_RUN(twos_even_end_##type, dt, CELLS_EVEN, true)                                           \
    K_OUTLINE void twos_edge_##type(struct twos *t)                                                \
    {                                                                                              \
        if (t->pattern == CELLS_APART) twos_edge(dt, CELLS_APART, t);                              \
        if (t->pattern == CELLS_ODD) twos_edge(dt, CELLS_ODD, t);                                  \
        if (t->pattern == CELLS_EVEN) twos_edge(dt, CELLS_EVEN, t);                                \
    }                                                                                              \
    static inline int64_t twos_run_##type(struct twos *t, bool border, uint32_t first,             \
                                          int64_t count)                                           \
    {                                                                                              \
        if (t->pattern == CELLS_APART) return twos_apart_##type(t, first, count);                  \
        if (t->pattern == CELLS_ODD)                                                               \
            return border ? twos_odd_end_##type(t, first, count)                                   \
                          : twos_odd_##type(t, first, count);                                      \
        return border ? twos_even_end_##type(t, first, count) : twos_even_##type(t, first, count); \
    }
TWOS_KERNELS(f32, K_F32)
TWOS_KERNELS(f16, K_F16)
TWOS_KERNELS(bf16, K_BF16)
#undef TWOS_KERNELS
#undef TWOS_RUN

/* Vectors of pairs until `end`. */
K_TEMPLATE
void twos_until(enum k_dtype dt, struct twos *t, int64_t end)
{
    while (t->pair < end) {
        const int64_t outer = max_most(t->pair, 0) / t->outer, x = t->pair - outer * t->outer;
        const int64_t rest = t->outer - x, most = 3 * t->width; /* pairs that are near an end */
        const int64_t first = t->period == 2 * t->outer ? 0 : outer * 2 * t->outer;
        /* The vector that reaches into the next outer is by itself. */
        int64_t count = max_least(max_least(end, t->finish) - t->pair, rest) / VL;
        bool border = t->pattern != CELLS_APART;
        if (count == 0)
            count = t->pair + VL <= t->finish;
        else if (t->pattern == CELLS_EVEN && x >= most)
            border = false;
        else if (t->pattern == CELLS_EVEN)
            count = max_least(count, (most - x + VL - 1) / VL);
        else if (t->pattern == CELLS_ODD && rest >= most + VL)
            border = false, count = max_least(count, (rest - most) / VL);
        if (t->pair < t->begin) count = 0;
        int64_t done = 0;
        if (dt == K_F32) done = twos_run_f32(t, border, (uint32_t)first, count);
        if (dt == K_F16) done = twos_run_f16(t, border, (uint32_t)first, count);
        if (dt == K_BF16) done = twos_run_bf16(t, border, (uint32_t)first, count);
        if (done > 0) continue;
        if (dt == K_F32) twos_edge_f32(t);
        if (dt == K_F16) twos_edge_f16(t);
        if (dt == K_BF16) twos_edge_bf16(t);
    }
}

/* As many matches as windows? */
static inline bool twos_match(vi matches, int64_t windows)
{
    int64_t sum = 0;
    for (int i = 0; i < VL; i++)
        sum += matches[i];
    return sum == windows;
}

/* Pairs of an outer until `end`, whole vectors; returns the outer's matches in all, and leaves
 * those of the next one's pairs that the last vector has. */
K_TEMPLATE
vi twos_make(enum k_dtype dt, struct twos *t, int64_t end)
{
    twos_until(dt, t, end - VL + 1);
    if (t->pair == end) {
        const vi matches = t->lanes->matches;
        t->lanes->matches = (vi){0};
        return matches;
    }
    const vi own = v_lanes() < (int32_t)(end - t->pair), before = t->lanes->matches;
    if (t->pair < end) twos_until(dt, t, end);
    const vi last = t->lanes->matches - before;
    t->lanes->matches = last & ~own;
    return before + (last & own);
}

/* Items are outers; returns as walk_rows. */
K_TEMPLATE
bool walk_twos(enum k_dtype dt, struct max_grad *g, const struct k_scatter *scatter,
               struct k_slice slice)
{
    const struct max_plan *plan = &g->plan;
    const struct max_axis *depth = &plan->depth, *height = &plan->height, *width = &plan->width;
    const int64_t outer = depth->in * height->in * width->out; /* pairs */
    struct twos_lanes lanes = {{0}, {0}};
    struct twos t = {.pattern = cell_pattern(width),
                     .places = (const int32_t *)(const void *)g->indices,
                     .values = g->dy,
                     .dx = g->dx,
                     .windows = plan->outer * depth->out * height->out * width->out,
                     .pairs = plan->outer * outer,
                     .begin = slice.begin * outer,
                     .finish = slice.end * outer,
                     .width = width->out,
                     .height = height->out,
                     .outer = outer,
                     .depths = depth->kernel,
                     .period = 2 * (g->indices_step > 0 ? plan->outer * outer : outer),
                     .stream = g->pool->stream_output &&
                               (uintptr_t)g->dx % (uintptr_t)(2 * g->dy_size) == 0,
                     .lanes = &lanes};
    const int64_t windows = outer / (2 * t.depths);
    bool unsettled = false;
    const char *to = g->dx + 2 * t.begin * k_size(dt);
    twos_seek(&t, t.begin - (int64_t)((uintptr_t)to % K_VECTOR_BYTES) / (2 * k_size(dt)));
    for (int64_t o = slice.begin; o < slice.end; o++) {
        if (twos_match(twos_make(dt, &t, (o + 1) * outer), windows)) continue;
        k_stream_end();
        unsettled |= scatter_outer(dt, scatter, o);
    }
    return unsettled;
}

#endif
