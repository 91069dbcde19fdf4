/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices of every level and way against sums of doubles: random shapes, strides,
 * batches, types and epilogues, in random pieces, between guard pages. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/blis/k_blis.h"
#include "kernels/gemm/k_gemm.h"
#include "kernels/isa.h"
#include "kernels/kernels.h"
#include "kernels/way.h"
#include "tests/support/guard.h"
#include "tests/support/random.h"

enum { TABLES = 8, ROUNDS = 150, MATRICES = K_GEMM_BUFFERS, MOST = 12000 };

static const char *const ways[] = {NULL,         "gemm:dots",    "gemm:sweep", "gemm:blis",
                                   "gemm:tiles", "gemm:doubles", "gemm:packed"};

/* ---- elements ---- */

static int64_t size_of(enum k_dtype dtype)
{
    return dtype == K_F64 ? 8 : dtype == K_F32 ? 4 : 2;
}

static double half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = exponent == 0    ? ldexp(mantissa, -24)
                   : exponent == 31 ? (mantissa ? (double)NAN : (double)INFINITY)
                                    : ldexp(1024 + mantissa, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

static double element(enum k_dtype dtype, const unsigned char *at)
{
    double wide;
    float single;
    uint16_t half;
    if (dtype == K_F64) return memcpy(&wide, at, 8), wide;
    if (dtype == K_F32) return memcpy(&single, at, 4), (double)single;
    memcpy(&half, at, 2);
    if (dtype == K_F16) return half_value(half);
    const uint32_t bits = (uint32_t)half << 16;
    return memcpy(&single, &bits, 4), (double)single;
}

/* Few significant bits, so that every type holds the value. */
static void put(enum k_dtype dtype, unsigned char *at, double value)
{
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, 4);
    uint16_t half = (uint16_t)(bits >> 16);
    if (dtype == K_F16) { /* a normal number, zero, infinity or NaN */
        const uint32_t rest = bits & 0x7fffffff;
        const uint32_t magnitude = rest == 0            ? 0
                                   : rest == 0x7f800000 ? 0x7c00
                                   : rest > 0x7f800000  ? 0x7e00
                                                        : (rest - 0x38000000) >> 13;
        half = (uint16_t)(bits >> 16 & 0x8000) | (uint16_t)magnitude;
    }
    if (dtype == K_F64)
        memcpy(at, &value, 8);
    else if (dtype == K_F32)
        memcpy(at, &single, 4);
    else
        memcpy(at, &half, 2);
}

/* ---- a problem ---- */

struct problem {
    struct k_gemm gemm;
    struct guard guard[MATRICES];
    unsigned char *first[MATRICES]; /* element 0, 0 of the first matrix */
    unsigned char *low[MATRICES];   /* the first byte */
    size_t bytes[MATRICES];
};

static struct k_gemm_matrix *matrix_of(struct k_gemm *g, int which)
{
    struct k_gemm_matrix *all[] = {&g->a, &g->b, &g->c, &g->addend};
    return all[which];
}

/* Strides of a dense matrix in a random order of axes, with gaps and repeats now and then. */
static void random_layout(struct random *random, const struct k_gemm *g,
                          struct k_gemm_matrix *matrix, const int64_t size[2], bool may_repeat)
{
    const int64_t extent[] = {size[0], size[1], g->batch[0], g->batch[1]};
    int64_t *stride[] = {&matrix->row, &matrix->column, &matrix->batch[0], &matrix->batch[1]};
    int order[] = {1, 0, 3, 2};
    int64_t step = random_once_in(random, 8) ? 3 : 1;
    for (int i = 0; i < 3; i++) {
        const int j = random_once_in(random, 2) ? i + (int)random_below(random, 4 - i) : i;
        const int old = order[i];
        order[i] = order[j], order[j] = old;
    }
    for (int i = 0; i < 4; i++) {
        *stride[order[i]] = step;
        step *= extent[order[i]] < 1 ? 1 : extent[order[i]];
        if (random_once_in(random, 4)) step += random_between(random, 1, 5);
        if (may_repeat && random_once_in(random, order[i] < 2 ? 20 : 3)) *stride[order[i]] = 0;
        if (random_once_in(random, 20)) *stride[order[i]] *= -1;
    }
    if (random_once_in(random, 3)) { /* whole rows or columns side by side */
        matrix->column = 1, matrix->row = size[1];
        matrix->batch[1] = size[0] * size[1], matrix->batch[0] = matrix->batch[1] * g->batch[1];
    } else if (random_once_in(random, 3)) {
        matrix->row = 1, matrix->column = size[0];
        matrix->batch[1] = size[0] * size[1], matrix->batch[0] = matrix->batch[1] * g->batch[1];
    }
}

static int64_t random_size(struct random *random)
{
    if (random_once_in(random, 25)) return 0;
    if (random_once_in(random, 4)) return random_between(random, 1, 4);
    return random_between(random, 1, random_once_in(random, 6) ? 330 : 70);
}

static void random_types(struct random *random, struct k_gemm *g)
{
    const bool is_mixed = random_once_in(random, 4);
    const enum k_dtype one = (enum k_dtype)random_below(random, K_DTYPES);
    for (int i = 0; i < MATRICES; i++)
        matrix_of(g, i)->dtype = is_mixed ? (enum k_dtype)random_below(random, K_DTYPES) : one;
    if (random_once_in(random, 6))
        for (int i = 0; i < MATRICES; i++)
            matrix_of(g, i)->dtype = K_F64;
}

static struct k_gemm random_gemm(struct random *random)
{
    static const double factors[] = {1, 1, 0.5, -2, 0};
    struct k_gemm g = {.batch = {1, 1, 1, 1}, .alpha = factors[random_below(random, 5)]};
    do {
        g.m = random_size(random), g.n = random_size(random), g.k = random_size(random);
    } while (g.m * g.n > MOST || g.m * g.k > MOST || g.k * g.n > MOST);
    if (random_once_in(random, 3)) g.batch[0] = random_between(random, 1, 3);
    if (random_once_in(random, 3)) g.batch[1] = random_between(random, 0, 3);
    g.has_addend = random_once_in(random, 2);
    g.beta = factors[random_below(random, 5)];
    g.activation = random_once_in(random, 3) ? K_GEMM_RELU : K_GEMM_LINEAR;
    random_types(random, &g);
    if (g.c.dtype != K_F64 && random_once_in(random, 8)) g.rounding = K_ROUND_HF32;
    random_layout(random, &g, &g.a, (int64_t[]){g.m, g.k}, true);
    random_layout(random, &g, &g.b, (int64_t[]){g.k, g.n}, true);
    random_layout(random, &g, &g.c, (int64_t[]){g.m, g.n}, false);
    random_layout(random, &g, &g.addend, (int64_t[]){g.m, g.n}, true);
    if (random_once_in(random, 2)) g.addend.row = 0; /* a bias */
    return g;
}

static const int64_t *extents(const struct k_gemm *g, int which, int64_t extent[4])
{
    extent[0] = which == K_GEMM_B ? g->k : g->m;
    extent[1] = which == K_GEMM_A ? g->k : g->n;
    extent[2] = g->batch[0], extent[3] = g->batch[1];
    return extent;
}

static void place(struct random *random, struct problem *p, int which, bool is_special)
{
    static const double special[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, -0.0};
    const struct k_gemm_matrix *matrix = matrix_of(&p->gemm, which);
    const int64_t size = size_of(matrix->dtype);
    const int64_t stride[] = {matrix->row, matrix->column, matrix->batch[0], matrix->batch[1]};
    int64_t extent[4], low = 0, high = 1;
    extents(&p->gemm, which, extent);
    for (int i = 0; i < 4; i++) {
        if (extent[i] == 0) low = high = 0;
        const int64_t far = (extent[i] - 1) * stride[i];
        *(far < 0 ? &low : &high) += extent[i] > 0 ? far : 0;
    }
    if (extent[0] * extent[1] * extent[2] * extent[3] == 0) low = high = 0;
    p->bytes[which] = (size_t)((high - low) * size);
    p->low[which] = guard_place(&p->guard[which], p->bytes[which],
                                random_once_in(random, 2) ? GUARD_FRONT : GUARD_END, (size_t)size);
    p->first[which] = p->low[which] - low * size;
    for (int64_t i = 0; i < high - low; i++) {
        double value = (double)random_between(random, -15, 15) / 8;
        if (is_special && random_once_in(random, 40)) value = special[random_below(random, 4)];
        put(matrix->dtype, p->low[which] + i * size, value);
    }
}

static unsigned char *at(struct problem *p, int which, int64_t row, int64_t column,
                         const int64_t batch[2])
{
    const struct k_gemm_matrix *matrix = matrix_of(&p->gemm, which);
    return p->first[which] +
           size_of(matrix->dtype) * (row * matrix->row + column * matrix->column +
                                     batch[0] * matrix->batch[0] + batch[1] * matrix->batch[1]);
}

/* ---- the check ---- */

struct expected {
    double value, error;
};

/* Values are multiples of 1/8 of at most four bits: HF32 rounds none of them. */
static struct expected expect(struct problem *p, int64_t i, int64_t j, const int64_t batch[2])
{
    const struct k_gemm *g = &p->gemm;
    const double unit = ldexp(1, g->c.dtype == K_F64 ? -53 : -24);
    double sum = 0, terms = 0;
    for (int64_t t = 0; t < g->k; t++) {
        const double term = element(g->a.dtype, at(p, K_GEMM_A, i, t, batch)) *
                            element(g->b.dtype, at(p, K_GEMM_B, t, j, batch));
        sum += term;
        terms += fabs(term);
    }
    double error = 2 * (double)(g->k + 2) * unit * terms * fabs(g->alpha);
    double value = g->alpha * sum;
    error += unit * fabs(value);
    if (g->has_addend) {
        const double extra = g->beta * element(g->addend.dtype, at(p, K_GEMM_ADDEND, i, j, batch));
        value += extra;
        error += unit * (fabs(extra) + fabs(value));
    }
    if (g->activation == K_GEMM_RELU && value < 0) value = 0;
    error += fabs(value) * (g->c.dtype == K_F16    ? ldexp(1, -11)
                            : g->c.dtype == K_BF16 ? ldexp(1, -8)
                                                   : unit);
    if (g->c.dtype == K_F16) error += ldexp(1, -25);
    return (struct expected){value, error};
}

static void run(struct random *random, const struct problem *p, const struct k_chosen *chosen,
                bool in_pieces)
{
    void *const buffers[] = {p->first[0], p->first[1], p->first[2], p->first[3]};
    for (int64_t begin = 0, end; begin < chosen->work.items; begin = end) {
        end =
            in_pieces ? random_between(random, begin + 1, chosen->work.items) : chosen->work.items;
        chosen->run(&p->gemm, buffers, (struct k_slice){begin, end});
    }
}

static void describe(const struct k_gemm *g, const struct k_table *table, const char *way,
                     char *text, size_t size)
{
    snprintf(text, size,
             "%s %s: %ldx%ldx%ld batch %ldx%ld types %d %d %d strides a %ld,%ld b %ld,%ld c %ld,%ld"
             " addend %d %ld,%ld",
             table->isa, way, (long)g->m, (long)g->n, (long)g->k, (long)g->batch[0],
             (long)g->batch[1], (int)g->a.dtype, (int)g->b.dtype, (int)g->c.dtype, (long)g->a.row,
             (long)g->a.column, (long)g->b.row, (long)g->b.column, (long)g->c.row,
             (long)g->c.column, (int)g->has_addend, (long)g->addend.row, (long)g->addend.column);
}

static void compare(struct problem *p, const char *text)
{
    const struct k_gemm *g = &p->gemm;
    int64_t batch[2];
    for (batch[0] = 0; batch[0] < g->batch[0]; batch[0]++)
        for (batch[1] = 0; batch[1] < g->batch[1]; batch[1]++)
            for (int64_t i = 0; i < g->m; i++)
                for (int64_t j = 0; j < g->n; j++) {
                    const struct expected e = expect(p, i, j, batch);
                    const double got = element(g->c.dtype, at(p, K_GEMM_C, i, j, batch));
                    const bool is_right = isnan(e.value)   ? isnan(got)
                                          : isinf(e.value) ? e.value == got
                                                           : fabs(got - e.value) <= e.error;
                    cr_assert(is_right, "%s: c[%ld][%ld] is %g, not %g (%g)", text, (long)i,
                              (long)j, got, e.value, e.error);
                }
}

/* Returns whether the forced way was taken. */
static bool check(struct random *random, const struct k_table *table, const char *force)
{
    char text[512];
    struct problem p = {.gemm = random_gemm(random)};
    const bool is_special = random_once_in(random, 5);
    for (int i = 0; i < MATRICES; i++)
        place(random, &p, i, is_special);
    const struct k_problem problem = {&p.gemm, K_F32, table};
    k_way_force(force);
    const struct k_chosen chosen = k_way_choose(K_CHOICE_gemm, &problem);
    describe(&p.gemm, table, chosen.way->name, text, sizeof text);
    unsigned char *before = malloc(p.bytes[K_GEMM_C] + 1), *once = malloc(p.bytes[K_GEMM_C] + 1);
    cr_assert(before && once);
    memcpy(before, p.low[K_GEMM_C], p.bytes[K_GEMM_C]);
    run(random, &p, &chosen, false);
    memcpy(once, p.low[K_GEMM_C], p.bytes[K_GEMM_C]);
    compare(&p, text);
    memcpy(p.low[K_GEMM_C], before, p.bytes[K_GEMM_C]);
    run(random, &p, &chosen, true);
    cr_assert(memcmp(p.low[K_GEMM_C], once, p.bytes[K_GEMM_C]) == 0, "%s: other bits in pieces",
              text);
    for (int i = 0; i < MATRICES; i++) {
        cr_assert(guard_intact(&p.guard[i]), "%s: buffer %d", text, i);
        guard_free(&p.guard[i]);
    }
    free(before);
    free(once);
    return force && strcmp(chosen.way->name, force + strlen("gemm:")) == 0;
}

static bool level_has(const struct k_table *table, const char *force)
{
    const struct k_way *all;
    k_fn *found = NULL;
    for (int i = 0, count = k_ways(&all); force && i < count; i++)
        if (strcmp(all[i].kernel, "gemm") == 0 && strcmp(all[i].name, force + strlen("gemm:")) == 0)
            memcpy(&found, (const char *)table + all[i].slot, sizeof found);
    if (!found) return false;
    if (strcmp(force, "gemm:tiles") == 0) return table == k_best() && k_tiles_bf16();
    return strcmp(force, "gemm:blis") != 0 || k_blis_is_usable();
}

Test(gemm, random_products, .timeout = 300)
{
    struct random random = {random_test_seed()};
    const struct k_table *tables[TABLES];
    const size_t count = k_tables(tables, TABLES);
    for (size_t i = 0; i < count; i++)
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
            int64_t taken = 0;
            const int64_t rounds = random_test_count(ROUNDS);
            for (int64_t round = 0; round < rounds; round++)
                taken += check(&random, tables[i], ways[way]);
            cr_expect(taken > 0 || rounds < ROUNDS || !level_has(tables[i], ways[way]),
                      "%s: %s was never taken", tables[i]->isa, ways[way] ? ways[way] : "");
        }
    k_way_force(NULL);
}

/* beta * c + product, in place. */
Test(gemm, addend_is_the_result)
{
    struct random random = {random_test_seed()};
    const struct k_table *tables[TABLES];
    const size_t count = k_tables(tables, TABLES);
    for (size_t i = 0; i < count; i++) {
        float a[60 * 300], b[300 * 100], c[60 * 100], other[60 * 100];
        for (int64_t j = 0; j < 60 * 300; j++)
            a[j] = (float)random_unit(&random);
        for (int64_t j = 0; j < 300 * 100; j++)
            b[j] = (float)random_unit(&random);
        for (int64_t j = 0; j < 60 * 100; j++)
            c[j] = (float)random_unit(&random);
        struct k_gemm g = {.m = 60, .n = 100, .k = 300, .batch = {1, 1, 1, 1}, .alpha = 1};
        g.beta = 0.5, g.has_addend = true;
        g.a = (struct k_gemm_matrix){.row = 300, .column = 1};
        g.b = (struct k_gemm_matrix){.row = 100, .column = 1};
        g.c = g.addend = g.b;
        const struct k_problem problem = {&g, K_F32, tables[i]};
        const struct k_chosen chosen = k_way_choose(K_CHOICE_gemm, &problem);
        const struct k_slice all = {0, chosen.work.items};
        chosen.run(&g, (void *[]){a, b, other, c}, all);
        chosen.run(&g, (void *[]){a, b, c, c}, all);
        cr_assert_arr_eq(c, other, sizeof c, "%s", tables[i]->isa);
    }
}

/* Levels with fused multiply-add give the same bits, whatever the width of their vectors. */
Test(gemm, levels_agree)
{
    struct random random = {random_test_seed()};
    const struct k_table *tables[TABLES];
    const size_t count = k_tables(tables, TABLES);
    static float a[40 * 600], b[600 * 90], c[TABLES][40 * 90];
    for (size_t j = 0; j < sizeof a / sizeof *a; j++)
        a[j] = (float)random_unit(&random);
    for (size_t j = 0; j < sizeof b / sizeof *b; j++)
        b[j] = (float)random_unit(&random);
    static const char *const own[] = {"gemm:packed", "gemm:dots", "gemm:sweep"};
    for (int way = 0; way < 3; way++) {
        k_way_force(own[way]);
        for (size_t i = 0; i < count; i++) {
            struct k_gemm g = {.n = 90, .k = 600, .batch = {1, 1, 1, 1}, .alpha = 1};
            g.m = way == 0 ? 40 : way == 1 ? 7 : 3;
            g.a = (struct k_gemm_matrix){.row = 600, .column = 1};
            g.b = way == 1 ? (struct k_gemm_matrix){.row = 1, .column = 600}
                           : (struct k_gemm_matrix){.row = 90, .column = 1};
            g.c = (struct k_gemm_matrix){.row = 90, .column = 1};
            const struct k_problem problem = {&g, K_F32, tables[i]};
            const struct k_chosen chosen = k_way_choose(K_CHOICE_gemm, &problem);
            chosen.run(&g, (void *[]){a, b, c[i], NULL}, (struct k_slice){0, chosen.work.items});
            if (i > 0 && strcmp(tables[i]->isa, "base") != 0)
                cr_expect_arr_eq(c[0], c[i], sizeof(float) * 90 * (size_t)g.m, "%s: %s", own[way],
                                 tables[i]->isa);
        }
    }
    k_way_force(NULL);
}
