/* SPDX-License-Identifier: Apache-2.0 */
/* Products of a few rows with a large matrix, which is read once, where it lies: such products wait
 * for memory. Where the terms of a column lie side by side, column after column is multiplied; else
 * some rows of b at a time are added to sums that stay in L1.
 *
 * Where one factor of a dot product is unsigned, that has 128 more: a in columns, b in rows. */
#include "kernels/int8/int8_item.h"
#include "kernels/int8/int8_pack.h"

enum {
    TERMS = 2048,      /* of a, at once */
    WORDS = TERMS / 2, /* that hold them, at most */
    SLACK = 4 * VL,    /* bytes read behind a row of a */
    AT_ONCE = 4,       /* words of rows that are added in one go */
};

struct few {
    _Alignas(64) char a[K_GEMM_FEW][TERMS + SLACK];
    _Alignas(64) uint32_t words[K_GEMM_FEW][WORDS];
    _Alignas(64) uint32_t sums[K_GEMM_FEW][K_GEMM_SWEEP];
    uint32_t less[K_GEMM_FEW];
    struct int8_factors factors;
};

static uint32_t sum_of(vu lanes)
{
    uint32_t lane[VL], sum = 0;
    v_store_u(lane, lanes);
    for (int i = 0; i < VL; i++)
        sum += lane[i];
    return sum;
}

static bool is_biased(enum v_quads quads)
{
    return quads != NO_QUADS && QUADS_BIAS != 0;
}

/* ---- columns ---- */

#if defined(K_QUADS)
K_TEMPLATE
vu dot_quads(enum v_quads quads, vu a, vu b, vu sum)
{
#if defined(K_EIGHTS)
    if (quads == CPU_QUADS) return v_dot_quads_cpu(a, b, sum);
#endif
    (void)quads;
    return v_dot_quads(a, b, sum);
}
#endif

/* A vector of bytes is one word per lane of quads, or two halves of pairs. */
K_TEMPLATE
vu dot_bytes(enum v_quads quads, const char *a, const char *b, vu sum)
{
#if defined(K_QUADS)
    if (quads != NO_QUADS) return dot_quads(quads, v_load_u(a), v_load_u(b), sum);
#endif
    (void)quads;
    sum = v_dot_pairs(v_extend_bytes(a), v_extend_bytes(b), sum);
    return v_dot_pairs(v_extend_bytes(a + 2 * VL), v_extend_bytes(b + 2 * VL), sum);
}

K_TEMPLATE
void add_column(enum v_quads quads, int rows, const struct few *own, const char *b, int64_t terms,
                uint32_t *sums)
{
    enum { BYTES = 4 * VL };
    _Alignas(64) char ones[BYTES], last[BYTES] = {0};
    vu sum[K_GEMM_FEW] = {{0}}, all = {0};
    memset(ones, 1, sizeof ones);
    int64_t i = 0;
#if defined(K_EIGHTS)
    for (; i + 4 * BYTES <= terms; i += 4 * BYTES)
#pragma GCC unroll 4
        for (int v = 0; v < 4; v++)
#pragma GCC unroll 4
            for (int r = 0; r < rows; r++)
                sum[r] = dot_bytes(quads, own->a[r] + i + v * BYTES, b + i + v * BYTES, sum[r]);
#endif
    for (; i < terms; i += BYTES) {
        const char *at = b + i;
        if (terms - i < BYTES) at = memcpy(last, at, (size_t)(terms - i));
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++)
            sum[r] = dot_bytes(quads, own->a[r] + i, at, sum[r]);
        if (is_biased(quads)) all = dot_bytes(quads, ones, at, all);
    }
    const uint32_t less = is_biased(quads) ? QUADS_BIAS * sum_of(all) : 0;
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
        sums[r * K_GEMM_SWEEP] += sum_of(sum[r]) - less;
}

K_TEMPLATE
void add_columns(enum v_quads quads, const struct int8_item *item, int64_t begin, int64_t terms,
                 struct few *own)
{
    const struct k_gemm *g = &item->product->gemm;
    const char flip = is_biased(quads) ? (char)QUADS_BIAS : 0;
    for (int64_t row = 0; row < item->rows; row++) {
        memcpy(own->a[row], v_address(item->a, row * g->a.row + begin), (size_t)terms);
        for (int64_t i = 0; is_biased(quads) && i < terms; i++)
            own->a[row][i] ^= flip;
    }
    for (int64_t column = 0; column < item->columns; column++) {
        const char *b = v_address(item->b, column * g->b.column + begin);
        uint32_t *sums = own->sums[0] + column;
        if (item->rows == 1)
            add_column(quads, 1, own, b, terms, sums);
        else if (item->rows == 2)
            add_column(quads, 2, own, b, terms, sums);
        else if (item->rows == 3)
            add_column(quads, 3, own, b, terms, sums);
        else
            add_column(quads, 4, own, b, terms, sums);
    }
}

/* ---- rows ---- */

/* Rows of a as words, and what their sums have too much. */
K_TEMPLATE
void load_words(enum v_quads quads, const struct int8_item *item, int64_t begin, int64_t terms,
                struct few *own)
{
    const int each = int8_word_terms(quads);
    for (int64_t row = 0; row < item->rows; row++) {
        const char *a = v_address(item->a, row * item->product->gemm.a.row + begin);
        int32_t sum = 0;
        for (int64_t i = 0; i < terms; i += each) {
            uint32_t word = 0;
            for (int64_t j = 0; j < each && i + j < terms; j++)
                word |= quads != NO_QUADS ? (uint32_t)(uint8_t)a[i + j] << 8 * j
                                          : (uint32_t)(uint16_t)(int8_t)a[i + j] << 16 * j;
            own->words[row][i / each] = word;
        }
        for (int64_t i = 0; i < terms && is_biased(quads); i++)
            sum += (int8_t)a[i];
        own->less[row] += (uint32_t)(QUADS_BIAS * sum);
    }
}

K_TEMPLATE
vu dot_words(enum v_quads quads, vu b, vu a, vu sum)
{
#if defined(K_QUADS)
    if (quads != NO_QUADS) return dot_quads(quads, b, a, sum);
#endif
    (void)quads;
    return v_dot_pairs(b, a, sum);
}

#if defined(K_EIGHTS)
/* As add_words, AT_ONCE of them, for 4 VL columns. */
K_TEMPLATE
void add_wide_words(enum v_quads quads, const struct int8_item *item, const struct int8_strip *b,
                    int64_t column, int64_t word, struct few *own)
{
    vu x[AT_ONCE][4];
#pragma GCC unroll 4
    for (int i = 0; i < AT_ONCE; i++)
        v_quads_of_rows(4, v_address(b->from, column + (word + i) * 4 * b->along), b->along, x[i]);
    for (int64_t row = 0; row < item->rows; row++) {
        const uint32_t *words = own->words[row] + word;
        const vu a = v_load_u(words);
#pragma GCC unroll 4
        for (int v = 0; v < 4; v++) {
            uint32_t *at = own->sums[row] + column + v * VL;
            vu sum = v_load_u(at);
#pragma GCC unroll 4
            for (int i = 0; i < AT_ONCE; i++)
                sum = quads == CPU_QUADS ? v_dot_lane(x[i][v], i, a, sum)
                                         : v_dot_quads(x[i][v], v_all_u(words[i]), sum);
            v_store_u(at, sum);
        }
    }
}
#endif

/* `count` words from number `word` on, for all columns of the item. */
K_TEMPLATE
void add_words(enum v_quads quads, int count, const struct int8_item *item,
               const struct int8_strip *b, int64_t word, struct few *own)
{
    const int each = int8_word_terms(quads);
    int64_t column = 0;
#if defined(K_EIGHTS)
    for (; count == AT_ONCE && column + 4 * VL <= item->columns; column += 4 * VL)
        add_wide_words(quads, item, b, column, word, own);
#endif
    for (; column < item->columns; column += VL) {
        const int lanes = (int)gemm_min(item->columns - column, VL);
        vu x[AT_ONCE];
#pragma GCC unroll 4
        for (int i = 0; i < count; i++)
            x[i] = int8_word(quads, b, column, (word + i) * each, lanes);
        for (int64_t row = 0; row < item->rows; row++) {
            uint32_t *at = own->sums[row] + column;
            vu sum = v_load_u(at);
#pragma GCC unroll 4
            for (int i = 0; i < count; i++)
                sum = dot_words(quads, x[i], v_all_u(own->words[row][word + i]), sum);
            v_store_u(at, sum);
        }
    }
}

K_TEMPLATE
void add_rows(enum v_quads quads, const struct int8_item *item, int64_t begin, int64_t terms,
              struct few *own)
{
    const struct k_gemm *g = &item->product->gemm;
    const int each = int8_word_terms(quads);
    const struct int8_strip b = {.from = v_address(item->b, begin * g->b.row),
                                 .across = 1,
                                 .along = g->b.row,
                                 .terms = terms,
                                 .flip = is_biased(quads) ? 0x80808080 : 0};
    const int64_t words = (terms + each - 1) / each;
    int64_t word = 0;
    load_words(quads, item, begin, terms, own);
    for (; word + AT_ONCE <= terms / each; word += AT_ONCE)
        add_words(quads, AT_ONCE, item, &b, word, own);
    for (; word < words; word++)
        add_words(quads, 1, item, &b, word, own);
}

/* ---- the kernels ---- */

K_TEMPLATE
void run(enum v_quads quads, bool by_columns, const struct k_int8 *p, void *const buffers[],
         struct k_slice slice, struct few *own)
{
    memset(own->a, 0, sizeof own->a);
    for (int64_t i = slice.begin; i < slice.end; i++) {
        const struct int8_item item = int8_item_at(p, buffers, i);
        memset(own->sums, 0, sizeof own->sums);
        memset(own->less, 0, sizeof own->less);
        for (int64_t begin = 0; begin < p->gemm.k; begin += TERMS) {
            const int64_t terms = gemm_min(p->gemm.k - begin, TERMS);
            if (by_columns)
                add_columns(quads, &item, begin, terms, own);
            else
                add_rows(quads, &item, begin, terms, own);
        }
        for (int64_t at = 0; at < item.columns; at += K_GEMM_COLUMNS) {
            const int64_t count = gemm_min(item.columns - at, K_GEMM_COLUMNS);
            int8_load_factors(p, buffers, item.bias, item.column + at, count, &own->factors);
            int8_finish_rows(&item, buffers, &own->factors, own->sums[0], K_GEMM_SWEEP, own->less,
                             at, count);
        }
    }
}

#if defined(K_QUADS)
K_OUTLINE void run_quads(bool by_columns, const struct k_int8 *p, void *const buffers[],
                         struct k_slice slice, struct few *own)
{
    run(CPU_QUADS, by_columns, p, buffers, slice, own);
}
#endif

/* Not inlined: what both ways share is there once. */
K_OUTLINE void run_few(bool by_columns, const struct k_int8 *p, void *const buffers[],
                       struct k_slice slice)
{
    struct few own;
#if defined(K_QUADS)
    if (p->has_dots) {
        run_quads(by_columns, p, buffers, slice, &own);
        return;
    }
#endif
    run(EVERY_CPU, by_columns, p, buffers, slice, &own);
}

k_fn K_SYMBOL(int8_product_dots), K_SYMBOL(int8_product_sweep);

void K_SYMBOL(int8_product_dots)(const void *parameters, void *const buffers[],
                                 struct k_slice slice)
{
    run_few(true, parameters, buffers, slice);
}

void K_SYMBOL(int8_product_sweep)(const void *parameters, void *const buffers[],
                                  struct k_slice slice)
{
    run_few(false, parameters, buffers, slice);
}
