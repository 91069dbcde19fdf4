/* SPDX-License-Identifier: Apache-2.0 */
/* A few rows of x times columns of the weight, whose terms lie side by side. Within a group the sum
 * is made of the integers alone; a fused product with the scale adds it to the column's lanes. */
#include "kernels/quant/quant_weight.h"
#include "kernels/vector/transpose.h"

enum {
#if defined K_ISA_avx512
    ROWS = 8, /* at once; each has its sums in registers */
#elif defined K_ISA_base
    ROWS = 4,
#else
    ROWS = 6,
#endif
    TERMS = 1024, /* of x, at once */
    /* Of a single row, whose columns are read without a break: memory likes long ones. */
    TERMS_OF_ONE = 4 * TERMS,
    GROUPS = TERMS / K_QUANT_GROUP,
    GROUPS_OF_ONE = TERMS_OF_ONE / K_QUANT_GROUP,
    BLOCK = 2 * VL,
    COLUMNS = 2,  /* at once, at most */
    AHEAD = 2048, /* bytes between what is read and what is prefetched */
};

struct work {
    const struct k_quant *quant;
    void *const *buffers;
    int64_t first, rows, column, columns;         /* of the result */
    int64_t begin, terms;                         /* the chunk of terms */
    int64_t pieces, ends[GROUPS_OF_ONE + 1];      /* of its groups */
    bool is_least;                                /* each piece has K_QUANT_GROUP terms */
    int64_t first_of_x, begin_of_x;               /* what is in x; -1: nothing */
    _Alignas(64) float x[ROWS * TERMS];           /* rows, TERMS apart; zeros behind the terms */
    float x_sums[ROWS * GROUPS];                  /* of each piece */
    _Alignas(64) vf lanes[ROWS][K_QUANT_COLUMNS]; /* sums */
    float more[ROWS][K_QUANT_COLUMNS];            /* of the offsets */
    float scales[K_QUANT_COLUMNS * GROUPS_OF_ONE + VL]; /* of each column's pieces */
    float offsets[K_QUANT_COLUMNS * GROUPS_OF_ONE + VL];
};
_Static_assert(TERMS_OF_ONE <= ROWS * TERMS, "a single row has room");

/* Even terms of each block in front of the odd ones, as INT4 are widened. */
static void part_block(float *x)
{
    float parted[BLOCK];
    for (int i = 0; i < BLOCK; i++)
        parted[i % 2 * VL + i / 2] = x[i];
    memcpy(x, parted, sizeof parted);
}

/* Where what a group has of the chunk ends: all but the last are multiples of K_QUANT_GROUP. */
static void find_pieces(struct work *w)
{
    const int64_t group = w->quant->group;
    int64_t end = (w->begin / group + 1) * group - w->begin;
    for (w->pieces = 0; w->pieces == 0 || w->ends[w->pieces - 1] < w->terms; end += group)
        w->ends[w->pieces++] = gemm_min(end, w->terms);
    w->is_least = group == K_QUANT_GROUP && w->terms % K_QUANT_GROUP == 0;
}

static void load_chunk(struct work *w)
{
    const struct k_gemm *g = &w->quant->gemm;
    const int64_t whole = (w->terms + BLOCK - 1) / BLOCK * BLOCK;
    if (w->first_of_x == w->first && w->begin_of_x == w->begin) return;
    w->first_of_x = w->first;
    w->begin_of_x = w->begin;
    find_pieces(w);
    for (int64_t row = 0; row < w->rows; row++) {
        float *x = w->x + row * TERMS;
        memset(x + w->terms, 0, (size_t)(whole - w->terms) * sizeof *x);
        widen(g->a.dtype,
              v_address(w->buffers[K_QUANT_X], k_size(g->a.dtype) * ((w->first + row) * g->a.row +
                                                                     w->begin * g->a.column)),
              g->a.column, w->terms, x);
        for (int64_t piece = 0, term = 0; piece < w->pieces && w->quant->has_offset; piece++) {
            float sum = 0;
            for (; term < w->ends[piece]; term++)
                sum += x[term];
            w->x_sums[row * GROUPS + piece] = sum;
        }
        for (int64_t i = 0; i < w->terms && w->quant->is_four; i += BLOCK)
            part_block(x + i);
    }
}

/* A block of the terms of each column, from `at` on, `apart` bytes from each other: sum[][] is it,
 * or grows by it. */
K_TEMPLATE
void add_block(bool is_four, bool is_first, int rows, int columns, const char *at, int64_t apart,
               const float *x, vf sum[ROWS][COLUMNS])
{
#pragma GCC unroll 2
    for (int c = 0; c < columns; c++) {
        const char *from = v_address(at, c * apart);
        /* Of the next columns; of one column after the other. */
        __builtin_prefetch(v_address(from, columns > 1 ? columns * apart : AHEAD));
        const vf low = quant_load(is_four, 0, from);
        const vf high = quant_load(is_four, 1, is_four ? from : from + VL);
#pragma GCC unroll 8
        for (int r = 0; r < rows; r++) {
            const vf x_low = v_load(x + r * TERMS), x_high = v_load(x + r * TERMS + VL);
            sum[r][c] = is_first ? low * x_low : v_fma(low, x_low, sum[r][c]);
            sum[r][c] = v_fma(high, x_high, sum[r][c]);
        }
    }
}

/* The same of less than a block: `bytes` of each column. */
K_TEMPLATE
void add_rest(bool is_four, int rows, int columns, const char *at, int64_t apart, int64_t bytes,
              const float *x, vf sum[ROWS][COLUMNS])
{
    char rest[COLUMNS][BLOCK] = {{0}};
    for (int c = 0; c < columns; c++)
        memcpy(rest[c], v_address(at, c * apart), (size_t)bytes);
    add_block(is_four, false, rows, columns, rest[0], BLOCK, x, sum);
}

/* The sums of a piece of any length. */
K_TEMPLATE
void add_piece(bool is_four, int rows, int columns, const char *at, int64_t apart, int64_t terms,
               const float *x, vf sum[ROWS][COLUMNS])
{
    const int divisor = is_four ? 2 : 1; /* terms of a byte */
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 2
        for (int c = 0; c < columns; c++)
            sum[r][c] = (vf){0};
    for (; terms >= BLOCK; terms -= BLOCK, at += BLOCK / divisor, x += BLOCK)
        add_block(is_four, false, rows, columns, at, apart, x, sum);
    if (terms > 0)
        add_rest(is_four, rows, columns, at, apart, (terms + divisor - 1) / divisor, x, sum);
}

/* The sums of K_QUANT_GROUP terms. */
K_TEMPLATE
void add_least(bool is_four, int rows, int columns, const char *at, int64_t apart, const float *x,
               vf sum[ROWS][COLUMNS])
{
#pragma GCC unroll 4
    for (int term = 0; term < K_QUANT_GROUP; term += BLOCK)
        add_block(is_four, term == 0, rows, columns, v_address(at, is_four ? term / 2 : term),
                  apart, x + term, sum);
}

/* The sums of `columns` columns from `first` on, `rows` rows. */
K_TEMPLATE
void add_columns(bool is_four, bool is_least, int rows, int columns, struct work *w, int64_t first)
{
    const int divisor = is_four ? 2 : 1;
    const int64_t apart = w->quant->column / divisor, pieces = w->pieces;
    const char *at =
        v_address(w->buffers[K_QUANT_WEIGHT], (w->column + first) * apart + w->begin / divisor);
    const float *scales = w->scales + first * pieces;
    vf lanes[ROWS][COLUMNS];
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 2
        for (int c = 0; c < columns; c++)
            lanes[r][c] = w->lanes[r][first + c];
    for (int64_t term = 0, piece = 0; piece < pieces; piece++) {
        const int64_t end = is_least ? term + K_QUANT_GROUP : w->ends[piece];
        const float *x = w->x + term;
        vf sum[ROWS][COLUMNS];
        if (is_least)
            add_least(is_four, rows, columns, at, apart, x, sum);
        else
            add_piece(is_four, rows, columns, at, apart, end - term, x, sum);
        at += (end - term) / divisor;
        term = end;
#pragma GCC unroll 2
        for (int c = 0; c < columns; c++)
#pragma GCC unroll 8
            for (int r = 0; r < rows; r++)
                lanes[r][c] = v_fma(sum[r][c], v_all(scales[c * pieces + piece]), lanes[r][c]);
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 2
        for (int c = 0; c < columns; c++)
            w->lanes[r][first + c] = lanes[r][c];
}

static void add_offsets(struct work *w)
{
    for (int64_t c = 0; c < w->columns; c++)
        for (int64_t piece = 0; piece < w->pieces; piece++)
            for (int64_t r = 0; r < w->rows; r++)
                w->more[r][c] += w->scales[c * w->pieces + piece] *
                                 w->offsets[c * w->pieces + piece] * w->x_sums[r * GROUPS + piece];
}

/* Groups of so many columns from `first` on; where the rest begins. */
K_TEMPLATE
int64_t walk(bool is_four, int rows, int columns, struct work *w, int64_t first)
{
    for (; first + columns <= w->columns; first += columns) {
        if (w->is_least)
            add_columns(is_four, true, rows, columns, w, first);
        else
            add_columns(is_four, false, rows, columns, w, first);
    }
    return first;
}

/* Two rows leave registers for two columns; one waits for memory, which hardware prefetches best
 * where one column is read after the other. */
K_TEMPLATE
void add_all_columns(bool is_four, struct work *w)
{
    switch (w->rows) {
    case 1:
        walk(is_four, 1, 1, w, 0);
        break;
    case 2:
        walk(is_four, 2, 1, w, walk(is_four, 2, 2, w, 0));
        break;
    case 3:
        walk(is_four, 3, 1, w, 0);
        break;
    case 4:
        walk(is_four, 4, 1, w, 0);
        break;
#ifndef K_ISA_base
    case 5:
        walk(is_four, 5, 1, w, 0);
        break;
#endif
#ifdef K_ISA_avx512
    case 6:
        walk(is_four, 6, 1, w, 0);
        break;
    case 7:
        walk(is_four, 7, 1, w, 0);
        break;
#endif
    default:
        walk(is_four, ROWS, 1, w, 0);
    }
}

/* The factors of the chunk's pieces, column after column, and zeros up to a whole vector. */
static void load_factors(const struct work *w, const struct k_quant_factor *factor,
                         const void *buffer, float *to)
{
    const int64_t group = w->begin / w->quant->group;
    if (factor->column == w->pieces && (factor->group == 1 || w->pieces == 1)) {
        quant_factors(factor, buffer, group, w->column, 1, w->columns * w->pieces, to);
        return;
    }
    for (int64_t c = 0; c < w->columns; c++)
        quant_factors(factor, buffer, group, w->column + c, factor->group, w->pieces,
                      to + c * w->pieces);
}

static void add_chunk(struct work *w)
{
    const struct k_quant *q = w->quant;
    load_chunk(w);
    load_factors(w, &q->scale, w->buffers[K_QUANT_SCALE], w->scales);
    if (q->has_offset) load_factors(w, &q->offset, w->buffers[K_QUANT_OFFSET], w->offsets);
    if (q->is_four)
        add_all_columns(true, w);
    else
        add_all_columns(false, w);
    if (q->has_offset) add_offsets(w);
}

static void finish(const struct work *w)
{
    const struct k_gemm *g = &w->quant->gemm;
    const int64_t size = k_size(g->c.dtype);
    float bias[K_QUANT_COLUMNS] = {0};
    if (g->has_addend)
        widen(g->addend.dtype,
              v_address(w->buffers[K_QUANT_BIAS],
                        k_size(g->addend.dtype) * w->column * g->addend.column),
              g->addend.column, w->columns, bias);
    for (int64_t r = 0; r < w->rows; r++) {
        _Alignas(64) float result[K_QUANT_COLUMNS] = {0};
        for (int64_t c = 0; c < w->columns; c += VL) {
            vf sum[VL];
            memcpy(sum, &w->lanes[r][c], sizeof sum);
            v_transpose(sum);
#pragma GCC unroll 4
            for (int step = VL / 2; step > 0; step /= 2)
#pragma GCC unroll 8
                for (int i = 0; i < step; i++)
                    sum[i] += sum[i + step];
            sum[0] += v_load(w->more[r] + c);
            if (g->has_addend) sum[0] += v_load(bias + c);
            v_store(result + c, sum[0]);
        }
        char *to = (char *)w->buffers[K_QUANT_Y] +
                   size * ((w->first + r) * g->c.row + w->column * g->c.column);
        narrow(g->c.dtype, result, w->columns, to, g->c.column);
    }
}

k_fn K_SYMBOL(quant_dots);

void K_SYMBOL(quant_dots)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_quant *q = parameters;
    struct work w;
    w.quant = q;
    w.buffers = buffers;
    w.first_of_x = -1;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        w.column = item * K_QUANT_COLUMNS;
        w.columns = gemm_min(K_QUANT_COLUMNS, q->gemm.n - w.column);
        for (w.first = 0; w.first < q->gemm.m; w.first += ROWS) {
            w.rows = gemm_min(ROWS, q->gemm.m - w.first);
            memset(w.lanes, 0, (size_t)w.rows * sizeof w.lanes[0]);
            memset(w.more, 0, (size_t)w.rows * sizeof w.more[0]);
            const int64_t most = w.rows == 1 ? TERMS_OF_ONE : TERMS;
            for (w.begin = 0; w.begin < q->gemm.k; w.begin += most) {
                w.terms = gemm_min(most, q->gemm.k - w.begin);
                add_chunk(&w);
            }
            finish(&w);
        }
    }
}
