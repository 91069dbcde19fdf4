/* SPDX-License-Identifier: Apache-2.0 */
/* Several channels, windows of three along the width: a window's channels are summed along the
 * height and at once become the cells of which it is the newest window; the sums wait in L1 for
 * the cells to come. With a step of one several rows of cells at a time where their windows are
 * whole: a row of dY is read and scaled one and a half times then, not three times. */
#ifndef ACLNN_CPU_KERNELS_POOL_GRAD_SLIDE_H
#define ACLNN_CPU_KERNELS_POOL_GRAD_SLIDE_H

#include "kernels/pool/grad.h"
#include "kernels/pool/tiny.h"

enum {
    SLIDE_ROWS = 4,     /* of cells at once; f32, with less to compute, gain by 2, not by more */
    SLIDE_FAR = 8192,   /* where several rows are read, bytes announced to the second cache, */
    SLIDE_NEAR = 2048,  /* and to the first; more goes out of that again */
    SLIDE_TOGETHER = 4, /* blocks of two cells that are written in turns */
    SLIDE_WARY = 16     /* times that bf16 are rounded the long way when some were tiny */
};

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
    float factor[POOL_FUSED]; /* several rows of cells: all the same */
    const float *widths;
    float *slots;
};

/* What loops know when they are compiled. */
struct slide_kind {
    int n;          /* rows of dY over a row of cells */
    int rows;       /* of cells; if several, n is 3 */
    bool is_native; /* bf16: watched, and rounded by the CPU's instruction */
    bool is_plain;  /* no operand is rounded first, and the window's factor is 1 */
};

/* What is found on the way. */
struct slide_found {
#ifdef K_PAIRS
    struct tiny tiny;
#endif
    bool none_tiny;
};

/* bf16: loaded once, not by each of the two that take a half of every lane. */
K_TEMPLATE
struct k_block slide_elements(enum k_dtype dt, struct slide_kind kind, const char *at, bool is_new,
                              struct slide_found *found)
{
#ifdef K_PAIRS
    if (dt == K_BF16) {
        const vu words = v_keep_pairs(v_load_pairs(at));
        if (kind.is_native && is_new) tiny_watch(&found->tiny, (vf)words);
        return block_of_bits(dt, words);
    }
#endif
    (void)kind, (void)is_new, (void)found;
    return block_load(dt, at);
}

/* Elements of the row-th row of dY, scaled; the first term of a sum is never -0. */
K_TEMPLATE
struct k_block slide_term(enum k_dtype dt, struct slide_kind kind, const struct slide *s,
                          const char *at, int row, struct slide_found *found)
{
    struct k_block value = slide_elements(dt, kind, at, row >= POOL_FUSED - 1, found);
    if (!kind.is_plain && __builtin_expect(s->rounding != K_ROUND_NONE, 0))
        value = grad_round(dt, s->rounding, value);
    const vf factor = v_all(s->factor[row < POOL_FUSED ? row : POOL_FUSED - 1]);
    const bool certain = dt != K_F32; /* channels_slides */
    if (row < kind.rows)
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

/* f16: what converts them adds, too; half of the sums are made elsewhere. */
K_TEMPLATE
struct k_block slide_plus(enum k_dtype dt, struct k_block x, struct k_block y)
{
    return dt == K_F16 ? block_plus(dt, x, y) : block_add(dt, x, y);
}

/* Bytes from windows to those that are announced, for rows but the newest one. */
struct slide_ahead {
    int64_t far, near;
};

/* Of each row of cells. */
struct slide_sums {
    struct k_block of[SLIDE_ROWS];
};

/* The sums along the height of the window's channels at `at`, the newest row over the first row of
 * cells. */
K_TEMPLATE
struct slide_sums slide_sums(enum k_dtype dt, struct slide_kind kind, const struct slide *s,
                             const char *at, struct slide_ahead ahead, float width,
                             struct slide_found *found)
{
    const int n = kind.n;
    struct slide_sums sums = {{{{0}, {0}}}};
    const char *row = at - (n - 1) * s->row_bytes;
    struct k_block oldest = slide_term(dt, kind, s, row, 0, found), middle = {{0}, {0}};
    if (n == 1) k_prefetch(row + POOL_FAR);
    if (n >= 2) {
        row += s->row_bytes;
        middle = slide_term(dt, kind, s, row, 1, found);
        if (n == 2) k_prefetch(row + POOL_FAR);
    }
#pragma GCC unroll 4
    for (int r = 0; r < SLIDE_ROWS; r++) {
        if (r >= kind.rows) break;
        struct k_block sum = n == 1 ? oldest : block_add(dt, oldest, middle);
        if (n == 3) {
            row += s->row_bytes;
            const bool leads = r + 1 == kind.rows; /* on behind the end of its row */
            if (kind.rows == 1) k_prefetch(row + POOL_FAR);
            if (kind.rows > 1) k_prefetch_second(row + (leads ? SLIDE_FAR : ahead.far));
            if (kind.rows > 1) k_prefetch(row + (leads ? SLIDE_NEAR : ahead.near));
            const struct k_block newest = slide_term(dt, kind, s, row, r + 2, found);
            sum = block_add(dt, sum, newest);
            oldest = middle, middle = newest;
        }
        sums.of[r] = kind.is_plain ? sum : block_scale(dt, sum, v_all(width));
    }
    return sums;
}

/* A cell's elements as in memory. */
K_TEMPLATE
vf slide_bits(enum k_dtype dt, struct slide_kind kind, struct k_block sum)
{
#ifdef K_PAIRS
    if (dt == K_BF16 && kind.is_native) {
        const vi places = v_lanes() * 0x10001 + 0x100000; /* even ones lie before the odd ones */
        const vu words = v_round_pairs(sum.a, sum.b);
        return (vf)_mm512_permutexvar_epi16((__m512i)places, (__m512i)words);
    }
#endif
    (void)kind;
    return block_elements(dt, sum);
}

/* A window, if it is there, and the cells of which it is the newest, if they are. */
K_TEMPLATE
void slide_window(enum k_dtype dt, struct slide_kind kind, bool is_there, bool has_cell,
                  bool stream, const struct slide *s, const char *at, struct slide_ahead ahead,
                  float width, float *const slots[POOL_FUSED], char *to, struct slide_found *found)
{
    const float *oldest = slots[0], *middle = slots[1];
    float *newest = slots[2];
    const int64_t last = s->last * k_size(dt); /* its own variable: fewer integers to keep */
    int left = s->blocks;
    for (int64_t x = 0; left > 0; left--, x += K_VECTOR_BYTES) {
        x = pool_min(x, last);
        struct slide_sums sums = {{{{0}, {0}}}};
        if (is_there) sums = slide_sums(dt, kind, s, at + x, ahead, width, found);
#pragma GCC unroll 4
        for (int r = 0; r < SLIDE_ROWS; r++) {
            if (r >= kind.rows) break;
            if (has_cell) {
                struct k_block sum = slide_plus(dt, slide_load(dt, oldest), slide_load(dt, middle));
                sum = slide_plus(dt, sum, sums.of[r]);
                k_write(to + r * s->to_bytes + x, slide_bits(dt, kind, sum), stream);
            }
            slide_store(dt, newest, sums.of[r]);
            oldest += BLOCK(dt), middle += BLOCK(dt), newest += BLOCK(dt);
        }
    }
}

/* Behind the end of a row lies one that is here already. */
K_TEMPLATE
int64_t slide_ahead(int rows, const struct slide *s, int64_t window, int64_t bytes)
{
    const bool ends = window * s->cell_bytes + bytes >= s->row_bytes;
    return bytes + (ends ? rows * s->row_bytes : 0);
}

/* Rows of cells, each in n rows of windows; returns false if some bf16 was tiny, so that they have
 * to be written once more. */
K_TEMPLATE
bool slide_rows(enum k_dtype dt, struct slide_kind kind, const struct slide *given)
{
    const struct slide s = *given; /* a copy: not read again after each store */
    struct slide_kind plain = kind;
    plain.is_plain = true;
    struct slide_found found = {.none_tiny = true};
#ifdef K_PAIRS
    found.tiny = tiny_begin();
#endif
    const int64_t pitch = (int64_t)s.blocks * kind.rows * BLOCK(dt);
    float *slots[POOL_FUSED] = {s.slots, s.slots + pitch, s.slots + 2 * pitch};
    for (int64_t i = s.front; i < POOL_FUSED - 1; i++) /* that are read before they are written */
        memset(slots[i], 0, (size_t)pitch * sizeof(float));
    for (int64_t j = 0; j < s.count; j++) {
        const char *at = s.at + j * s.cell_bytes;
        char *to = s.to + (j - s.front) * s.cell_bytes;
        const bool is_there = j < s.real, has_cell = j >= s.front;
        const float width = s.uniform || !is_there ? 1 : s.widths[j];
        const struct slide_ahead ahead = {slide_ahead(kind.rows, &s, j, SLIDE_FAR),
                                          slide_ahead(kind.rows, &s, j, SLIDE_NEAR)};
        if (is_there && has_cell && width == 1 && s.rounding == K_ROUND_NONE) {
            if (s.stream)
                slide_window(dt, plain, true, true, true, &s, at, ahead, 1, slots, to, &found);
            else
                slide_window(dt, plain, true, true, false, &s, at, ahead, 1, slots, to, &found);
        } else {
            slide_window(dt, kind, is_there, has_cell, s.stream, &s, at, ahead, width, slots, to,
                         &found);
        }
        float *oldest = slots[0];
        slots[0] = slots[1], slots[1] = slots[2], slots[2] = oldest;
    }
#ifdef K_PAIRS
    if (kind.is_native) found.none_tiny = tiny_end(&found.tiny);
#endif
    return found.none_tiny;
}

/* ---- a step of two: the first cell lies in two windows, the second one in one ---- */

/* is_whole: the window and both cells are there, its factor is 1, and no operand is rounded. */
K_TEMPLATE
void slide_hop(enum k_dtype dt, int n, bool is_whole, const struct slide *s, int64_t j,
               const float *older, float *newest)
{
    const int64_t start = 2 * j - s->front;
    const bool is_there = is_whole || j < s->real;
    const bool has_first = is_whole || (start >= 0 && start < s->cells);
    const bool has_second = is_whole || (start >= -1 && start + 1 < s->cells);
    const float width = is_whole || s->uniform || !is_there ? 1 : s->widths[j];
    const struct slide_kind kind = {.n = n, .rows = 1, .is_plain = is_whole};
    const char *at = s->at + j * s->cell_bytes;
    char *to = s->to + start * s->cell_bytes;
    const struct slide_ahead none = {0, 0}; /* one row */
    struct slide_found unused;
    const bool apart = s->blocks > SLIDE_TOGETHER; /* streaming stores want one sequence */
    for (int block = 0; block < s->blocks; block++) {
        const int slot = block * BLOCK(dt);
        const int64_t x = pool_min((int64_t)block * BLOCK(dt), s->last) * k_size(dt);
        struct k_block sum = {{0}, {0}};
        if (is_there) sum = slide_sums(dt, kind, s, at + x, none, width, &unused).of[0];
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
        const bool is_whole =
            j < s.real && start >= 0 && start + 1 < s.cells && s.rounding == K_ROUND_NONE;
        if (is_whole && (s.uniform || s.widths[j] == 1))
            slide_hop(dt, n, true, &s, j, older, newest);
        else
            slide_hop(dt, n, false, &s, j, older, newest);
        float *last = older;
        older = newest, newest = last;
    }
}

#define SLIDE_CODE(suffix, dt)                                                                     \
    K_OUTLINE void slide_1_1##suffix(const struct slide *s)                                        \
    {                                                                                              \
        slide_rows(dt, (struct slide_kind){.n = 1, .rows = 1}, s);                                 \
    }                                                                                              \
    K_OUTLINE void slide_2_1##suffix(const struct slide *s)                                        \
    {                                                                                              \
        slide_rows(dt, (struct slide_kind){.n = 2, .rows = 1}, s);                                 \
    }                                                                                              \
    K_OUTLINE void slide_3_1##suffix(const struct slide *s)                                        \
    {                                                                                              \
        slide_rows(dt, (struct slide_kind){.n = 3, .rows = 1}, s);                                 \
    }                                                                                              \
    K_OUTLINE void slide_3_2##suffix(const struct slide *s)                                        \
    {                                                                                              \
        slide_rows(dt, (struct slide_kind){.n = 3, .rows = 2}, s);                                 \
    }                                                                                              \
    K_OUTLINE void slide_3_4##suffix(const struct slide *s)                                        \
    {                                                                                              \
        slide_rows(dt, (struct slide_kind){.n = 3, .rows = 4}, s);                                 \
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
        (n == 1                     ? slide_1_1##suffix                                            \
         : n == 2                   ? slide_2_1##suffix                                            \
         : rows == 1                ? slide_3_1##suffix                                            \
         : rows == 2 || dt == K_F32 ? slide_3_2##suffix                                            \
                                    : slide_3_4##suffix)(s);                                       \
    }
SLIDE_CODE(_f32, K_F32)
SLIDE_CODE(_f16, K_F16)
SLIDE_CODE(_bf16, K_BF16)

/* ---- bf16, rounded by the CPU ---- */

K_OUTLINE bool slide_native_2(const struct slide *s)
{
    return slide_rows(K_BF16, (struct slide_kind){.n = 3, .rows = 2, .is_native = true}, s);
}

K_OUTLINE bool slide_native_4(const struct slide *s)
{
    return slide_rows(K_BF16, (struct slide_kind){.n = 3, .rows = 4, .is_native = true}, s);
}

/* Several rows of cells; false if they are not written, or have to be once more. */
static inline bool slide_native(struct grad *g, int rows, const struct slide *s)
{
    if (!g->pairs || s->rounding != K_ROUND_NONE) return false;
    if (g->wary > 0) {
        g->wary--;
        return false;
    }
    /* Only the newest row of each sum is watched. */
    const int64_t watched = 2 * s->row_bytes;
    bool none_tiny = g->watched == s->at || tiny_none(s->at - watched, watched / k_size(K_BF16));
    if (none_tiny) none_tiny = (rows == 2 ? slide_native_2 : slide_native_4)(s);
    g->watched = none_tiny ? s->at + rows * s->row_bytes : NULL;
    g->wary = none_tiny ? 0 : SLIDE_WARY;
    return none_tiny;
}

#endif
