/* SPDX-License-Identifier: Apache-2.0 */
/* Several channels, windows of three along the width: a window's channels are summed along the
 * height and at once become the cells of which it is the newest window; the sums wait in L1 for
 * the cells to come. With a step of one two rows of cells at a time where their windows are whole:
 * four rows of dY instead of six come from the second cache. */
#ifndef ACLNN_CPU_KERNELS_SIMD_GRAD_SLIDE_H
#define ACLNN_CPU_KERNELS_SIMD_GRAD_SLIDE_H

#include "kernels/simd/grad.h"

enum { SLIDE_TOGETHER = 4 }; /* blocks of two cells that are written in turns */

struct slide {
    const char *at;    /* the first window in the newest row of dY over the first row of cells */
    int64_t row_bytes; /* of dY */
    char *to;          /* the first cell */
    int64_t to_bytes;  /* from row to row */
    int64_t cell_bytes;
    int64_t cells, front, real, count; /* as in struct grad */
    int64_t last;                      /* channel where the last block begins */
    int blocks;
    bool stream, uniform;
    enum k_rounding rounding;
    float factor[POOL_FUSED]; /* two rows: all the same */
    const float *widths;
    float *slots;
};

/* bf16: loaded once, not by each of the two that take a half of every lane. */
K_TEMPLATE
struct k_block slide_elements(enum k_dtype dt, const char *at)
{
#ifdef K_PAIRS
    if (dt == K_BF16) return block_of_bits(dt, v_keep_pairs(v_load_pairs(at)));
#endif
    return block_load(dt, at);
}

/* Elements of a row of dY, scaled; the first term of a sum is never -0. */
K_TEMPLATE
struct k_block slide_term(enum k_dtype dt, const struct slide *s, const char *at, int row,
                          bool is_first)
{
    struct k_block value = slide_elements(dt, at);
    if (__builtin_expect(s->rounding != K_ROUND_NONE, 0))
        value = grad_round(dt, s->rounding, value);
    const vf factor = v_all(s->factor[row]);
    const bool certain = dt != K_F32; /* channels_slides */
    if (is_first)
        return (struct k_block){v_product(certain, value.a, factor),
                                dt == K_F32 ? value.b : v_product(certain, value.b, factor)};
    return (struct k_block){value.a * factor, dt == K_F32 ? value.b : value.b * factor};
}

K_TEMPLATE
struct k_block slide_load(enum k_dtype dt, const float *slot)
{
    return (struct k_block){v_load(slot), dt == K_F32 ? (vf){0} : v_load(slot + VL)};
}

K_TEMPLATE
void slide_store(enum k_dtype dt, float *slot, struct k_block x)
{
    v_store(slot, x.a);
    if (dt != K_F32) v_store(slot + VL, x.b);
}

/* Of one row of cells or two. Not an array: it would live in memory. */
struct slide_pair {
    struct k_block first, second;
};

/* The sums along the height of the window's channels at `at`, of n rows of dY, times `width` unless
 * that is known to be 1. skip: bytes to where the announced ones go on. */
K_TEMPLATE
struct slide_pair slide_sums(enum k_dtype dt, int n, int rows, bool is_common,
                             const struct slide *s, const char *at, int64_t skip, float width)
{
    struct slide_pair sums = {{{0}, {0}}, {{0}, {0}}};
    if (n == 1) {
        k_prefetch(at + POOL_FAR);
        sums.first = slide_term(dt, s, at, 0, true);
        if (!is_common) sums.first = block_scale(dt, sums.first, v_all(width));
        return sums;
    }
    const char *second = at - (n - 2) * s->row_bytes;
    const struct k_block a = slide_term(dt, s, second - s->row_bytes, 0, true);
    const struct k_block b = slide_term(dt, s, second, 1, rows == 2);
    k_prefetch(at + skip + POOL_FAR);
    sums.first = block_add(dt, a, b);
    if (n == 3) {
        const struct k_block c = slide_term(dt, s, at, 2, false);
        sums.first = block_add(dt, sums.first, c);
        if (rows == 2) {
            at += s->row_bytes;
            k_prefetch(at + POOL_FAR);
            sums.second = block_add(dt, b, c);
            sums.second = block_add(dt, sums.second, slide_term(dt, s, at, 2, false));
        }
    }
    if (!is_common) {
        sums.first = block_scale(dt, sums.first, v_all(width));
        if (rows == 2) sums.second = block_scale(dt, sums.second, v_all(width));
    }
    return sums;
}

/* The cell at `to`, from the sums of its windows; newest: where those are kept. */
K_TEMPLATE
void slide_cell(enum k_dtype dt, bool has_cell, const float *oldest, const float *middle,
                float *newest, struct k_block sums, char *to, bool stream)
{
    if (has_cell) {
        struct k_block sum = block_add(dt, slide_load(dt, oldest), slide_load(dt, middle));
        sum = block_add(dt, sum, sums);
        k_write(to, block_elements(dt, sum), stream);
    }
    slide_store(dt, newest, sums);
}

/* A window, if it is there, and the cells of which it is the newest, if they are. is_common: its
 * factor is known to be 1. */
K_TEMPLATE
void slide_window(enum k_dtype dt, int n, int rows, bool is_there, bool has_cell, bool is_common,
                  const struct slide *s, const char *at, int64_t skip, float width,
                  float *const slots[3], char *to)
{
    const int pitch = POOL_FUSED * s->blocks * BLOCK(dt); /* to the second row's */
    const float *oldest = slots[0], *middle = slots[1];
    float *newest = slots[2];
    const int64_t last = s->last * k_size(dt); /* its own variable: fewer integers to keep */
    int left = s->blocks;
    for (int64_t x = 0; left > 0; left--, x += K_VECTOR_BYTES) {
        x = pool_min(x, last);
        struct slide_pair sums = {{{0}, {0}}, {{0}, {0}}};
        if (is_there) sums = slide_sums(dt, n, rows, is_common, s, at + x, skip, width);
        slide_cell(dt, has_cell, oldest, middle, newest, sums.first, to + x, s->stream);
        if (rows == 2)
            slide_cell(dt, has_cell, oldest + pitch, middle + pitch, newest + pitch, sums.second,
                       to + s->to_bytes + x, s->stream);
        oldest += BLOCK(dt), middle += BLOCK(dt), newest += BLOCK(dt);
    }
}

/* One row of cells or two, each in n rows of windows. */
K_TEMPLATE
void slide_rows(enum k_dtype dt, int n, int rows, const struct slide *given)
{
    const struct slide s = *given; /* a copy: not read again after each store */
    const int64_t pitch = (int64_t)s.blocks * BLOCK(dt);
    float *slots[3] = {s.slots, s.slots + pitch, s.slots + 2 * pitch};
    const size_t bytes = (size_t)s.blocks * BLOCK(dt) * sizeof(float);
    for (int i = 0; i < 3; i++) {
        memset(slots[i], 0, bytes);
        if (rows == 2) memset(slots[i] + POOL_FUSED * pitch, 0, bytes);
    }
    for (int64_t j = 0; j < s.count; j++) {
        const char *at = s.at + j * s.cell_bytes;
        char *to = s.to + (j - s.front) * s.cell_bytes;
        const bool is_there = j < s.real, has_cell = j >= s.front;
        const float width = s.uniform || !is_there ? 1 : s.widths[j];
        /* Behind the end of a row lies one that is here already; the other one's end leads on. */
        const bool ends = rows == 2 && j * s.cell_bytes + POOL_FAR >= s.row_bytes;
        const int64_t skip = ends ? 2 * s.row_bytes : 0;
        if (is_there && has_cell && width == 1)
            slide_window(dt, n, rows, true, true, true, &s, at, skip, 1, slots, to);
        else
            slide_window(dt, n, rows, is_there, has_cell, false, &s, at, skip, width, slots, to);
        float *oldest = slots[0];
        slots[0] = slots[1], slots[1] = slots[2], slots[2] = oldest;
    }
}

/* ---- a step of two: the first cell lies in two windows, the second one in one ---- */

/* is_whole: the window and both cells are there, and its factor is 1. */
K_TEMPLATE
void slide_hop(enum k_dtype dt, int n, bool is_whole, const struct slide *s, int64_t j,
               const float *older, float *newest)
{
    const int64_t start = 2 * j - s->front;
    const bool is_there = is_whole || j < s->real;
    const bool has_first = is_whole || (start >= 0 && start < s->cells);
    const bool has_second = is_whole || (start >= -1 && start + 1 < s->cells);
    const float width = is_whole || s->uniform || !is_there ? 1 : s->widths[j];
    const char *at = s->at + j * s->cell_bytes;
    char *to = s->to + start * s->cell_bytes;
    const bool apart = s->blocks > SLIDE_TOGETHER; /* streaming stores want one sequence */
    for (int block = 0; block < s->blocks; block++) {
        const int slot = block * BLOCK(dt);
        const int64_t x = pool_min((int64_t)block * BLOCK(dt), s->last) * k_size(dt);
        struct k_block sum = {{0}, {0}};
        if (is_there) sum = slide_sums(dt, n, 1, is_whole, s, at + x, 0, width).first;
        if (has_first)
            k_write(to + x, block_elements(dt, block_add(dt, slide_load(dt, older + slot), sum)),
                    s->stream);
        if (has_second && !apart)
            k_write(to + s->cell_bytes + x, block_elements(dt, sum), s->stream);
        slide_store(dt, newest + slot, sum);
    }
    to += s->cell_bytes;
    for (int block = 0; block < s->blocks && has_second && apart; block++) {
        const int64_t x = pool_min((int64_t)block * BLOCK(dt), s->last) * k_size(dt);
        const struct k_block sum = slide_load(dt, newest + block * BLOCK(dt));
        k_write(to + x, block_elements(dt, sum), s->stream);
    }
}

K_TEMPLATE
void slide_hops(enum k_dtype dt, int n, const struct slide *given)
{
    const struct slide s = *given;
    float *older = s.slots, *newest = s.slots + (int64_t)s.blocks * BLOCK(dt);
    memset(older, 0, (size_t)s.blocks * BLOCK(dt) * sizeof(float));
    for (int64_t j = 0; j < s.count; j++) {
        const int64_t start = 2 * j - s.front;
        const bool is_whole = j < s.real && start >= 0 && start + 1 < s.cells;
        if (is_whole && (s.uniform || s.widths[j] == 1))
            slide_hop(dt, n, true, &s, j, older, newest);
        else
            slide_hop(dt, n, false, &s, j, older, newest);
        float *last = older;
        older = newest, newest = last;
    }
}

#define SLIDE_ROWS(suffix, dt)                                                                     \
    K_OUTLINE void slide_2_1##suffix(const struct slide *s)                                        \
    {                                                                                              \
        slide_rows(dt, 2, 1, s);                                                                   \
    }                                                                                              \
    K_OUTLINE void slide_3_1##suffix(const struct slide *s)                                        \
    {                                                                                              \
        slide_rows(dt, 3, 1, s);                                                                   \
    }                                                                                              \
    K_OUTLINE void slide_3_2##suffix(const struct slide *s)                                        \
    {                                                                                              \
        slide_rows(dt, 3, 2, s);                                                                   \
    }                                                                                              \
    K_OUTLINE void slide_hops_1##suffix(const struct slide *s)                                     \
    {                                                                                              \
        slide_hops(dt, 1, s);                                                                      \
    }                                                                                              \
    K_OUTLINE void slide_hops_2##suffix(const struct slide *s)                                     \
    {                                                                                              \
        slide_hops(dt, 2, s);                                                                      \
    }                                                                                              \
    static inline void slide##suffix(int step, int n, int rows, const struct slide *s)             \
    {                                                                                              \
        if (step == 2) {                                                                           \
            (n == 1 ? slide_hops_1##suffix : slide_hops_2##suffix)(s);                             \
            return;                                                                                \
        }                                                                                          \
        (n == 2 ? slide_2_1##suffix : rows == 1 ? slide_3_1##suffix : slide_3_2##suffix)(s);       \
    }
SLIDE_ROWS(_f32, K_F32)
SLIDE_ROWS(_f16, K_F16)
SLIDE_ROWS(_bf16, K_BF16)

#endif
