/* SPDX-License-Identifier: Apache-2.0 */
/* avg_pool_grad of every level against a scatter in double, on random shapes; the same bits from
 * every level, layout and cutting of the work; nothing written outside of dX. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/pool/k_pool_grad.h"
#include "kernels/way.h"
#include "tests/unit/grad_problems.h"
#include "tests/unit/pool_values.h"

enum { GUARD = 128, TABLES = 8 };

static int64_t product(const int64_t sizes[])
{
    return sizes[0] * sizes[1] * sizes[2];
}

static double window_size(const struct k_pool *p, const int64_t window[])
{
    double size = 1;
    if (p->divisor != 0) return (double)p->divisor;
    for (int axis = 0; axis < K_POOL_AXES; axis++) {
        int64_t start = window[axis] * p->stride[axis] - p->pad_begin[axis];
        int64_t end = start + p->kernel[axis];
        int64_t limit = p->input[axis] + (p->count_padding ? p->pad_end[axis] : 0);
        if (end > limit) end = limit;
        if (start < 0 && !p->count_padding) start = 0;
        size *= (double)(end - start);
    }
    return size;
}

/* Adds dy[w] / size(w) and its magnitude to every cell of every window. */
static void oracle(enum k_dtype dt, const struct k_pool *p, const void *dy, double *sum,
                   double *magnitude, int *terms)
{
    const int64_t *in = p->input, *out = p->output;
    for (int64_t o = 0; o < p->outer; o++)
        for (int64_t w = 0; w < out[0] * out[1] * out[2]; w++) {
            const int64_t window[] = {w / out[2] / out[1], w / out[2] % out[1], w % out[2]};
            int64_t low[K_POOL_AXES], high[K_POOL_AXES];
            for (int axis = 0; axis < K_POOL_AXES; axis++) {
                low[axis] = window[axis] * p->stride[axis] - p->pad_begin[axis];
                high[axis] = low[axis] + p->kernel[axis];
                if (low[axis] < 0) low[axis] = 0;
                if (high[axis] > in[axis]) high[axis] = in[axis];
            }
            const double size = window_size(p, window);
            for (int64_t c = 0; c < p->channels; c++) {
                const int64_t at = (o * out[0] * out[1] * out[2] + w) * p->channels + c;
                const double term = operand(dt, p->rounding, element(dt, dy, at)) / size;
                for (int64_t d = low[0]; d < high[0]; d++)
                    for (int64_t h = low[1]; h < high[1]; h++)
                        for (int64_t x = low[2]; x < high[2]; x++) {
                            const int64_t cell = ((o * in[0] + d) * in[1] + h) * in[2] + x;
                            sum[cell * p->channels + c] += term;
                            magnitude[cell * p->channels + c] += fabs(term);
                            terms[cell * p->channels + c]++;
                        }
            }
        }
}

/* The same for windows that are large and many: a term is added where its window begins and taken
 * away where it ends, along each axis, and then everything is summed. */
static void oracle_of_many(enum k_dtype dt, const struct k_pool *p, const void *dy, double *sum,
                           double *magnitude, int *terms)
{
    const int64_t *in = p->input, *out = p->output;
    const int64_t pitch[] = {(in[1] + 1) * (in[2] + 1), in[2] + 1, 1},
                  room = (in[0] + 1) * pitch[0];
    double *value = calloc((size_t)room, sizeof *value), *size = calloc((size_t)room, sizeof *size);
    int *count = calloc((size_t)room, sizeof *count);
    for (int64_t plane = 0; plane < p->outer * p->channels; plane++) {
        const int64_t o = plane / p->channels, c = plane % p->channels;
        memset(value, 0, (size_t)room * sizeof *value);
        memset(size, 0, (size_t)room * sizeof *size);
        memset(count, 0, (size_t)room * sizeof *count);
        for (int64_t w = 0; w < out[0] * out[1] * out[2]; w++) {
            const int64_t window[] = {w / out[2] / out[1], w / out[2] % out[1], w % out[2]};
            const int64_t at = (o * out[0] * out[1] * out[2] + w) * p->channels + c;
            const double term =
                operand(dt, p->rounding, element(dt, dy, at)) / window_size(p, window);
            for (int corner = 0; corner < 8; corner++) {
                int64_t cell = 0;
                int sign = 1;
                for (int axis = 0; axis < K_POOL_AXES; axis++) {
                    const bool ends = corner >> axis & 1;
                    int64_t edge = window[axis] * p->stride[axis] - p->pad_begin[axis] +
                                   (ends ? p->kernel[axis] : 0);
                    edge = edge < 0 ? 0 : edge > in[axis] ? in[axis] : edge;
                    cell += edge * pitch[axis];
                    if (ends) sign = -sign;
                }
                value[cell] += sign * term;
                size[cell] += sign * fabs(term);
                count[cell] += sign;
            }
        }
        for (int axis = 0; axis < K_POOL_AXES; axis++)
            for (int64_t cell = 0; cell < room; cell++) {
                if (cell / pitch[axis] % (in[axis] + 1) == 0) continue;
                value[cell] += value[cell - pitch[axis]];
                size[cell] += size[cell - pitch[axis]];
                count[cell] += count[cell - pitch[axis]];
            }
        for (int64_t i = 0; i < in[0] * in[1] * in[2]; i++) {
            const int64_t cell =
                i / (in[1] * in[2]) * pitch[0] + i / in[2] % in[1] * pitch[1] + i % in[2];
            const int64_t at = (o * in[0] * in[1] * in[2] + i) * p->channels + c;
            sum[at] = value[cell], magnitude[at] = size[cell], terms[at] = count[cell];
        }
    }
    free(value);
    free(size);
    free(count);
}

static const char *describe(enum k_dtype dt, const struct k_pool *p)
{
    static char text[400];
    int at = snprintf(text, sizeof text, "%s outer %lld channels %lld", dtype_names[dt],
                      (long long)p->outer, (long long)p->channels);
    for (int axis = 0; axis < K_POOL_AXES; axis++)
        at += snprintf(
            text + at, sizeof text - (size_t)at, ", in %lld out %lld k %lld s %lld p %lld+%lld",
            (long long)p->input[axis], (long long)p->output[axis], (long long)p->kernel[axis],
            (long long)p->stride[axis], (long long)p->pad_begin[axis], (long long)p->pad_end[axis]);
    snprintf(text + at, sizeof text - (size_t)at, ", divisor %lld padding %d rounding %d stream %d",
             (long long)p->divisor, p->count_padding, (int)p->rounding, p->stream_output);
    return text;
}

/* Element i becomes a subnormal number, of either sign. */
static void set_tiny(enum k_dtype dt, void *base, int64_t i)
{
    const uint32_t random = (uint32_t)random_next(dice());
    const uint32_t bits = random & 0x807fffff;
    if (dt == K_F32) memcpy((float *)base + i, &bits, sizeof bits);
    if (dt == K_BF16) ((uint16_t *)base)[i] = (uint16_t)(random & 0x807f);
    if (dt == K_F16) ((uint16_t *)base)[i] = (uint16_t)(random & 0x83ff);
}

static void fill_tiny(enum k_dtype dt, void *base, int64_t count)
{
    const int64_t apart = between(0, 2) > 0 ? 20 : 20 + count / 2; /* many or few */
    for (int64_t i = between(0, apart / 2); i < count; i += between(1, apart))
        set_tiny(dt, base, i);
}

/* FEW_TINY: zeros and one to three such numbers, each of which decides how its rows are made. */
enum data { ANY_DATA, FEW_TINY };

struct kernel_case {
    enum k_dtype dt;
    struct k_pool pool;
    int64_t windows, cells, size; /* elements of dY and dX; bytes of one */
    char *dy, *dx;                /* the tensors, inside of guarded blocks */
    char *dy_block, *dx_block;
};

static void case_begin(struct kernel_case *c, enum k_dtype dt, const struct k_pool *pool,
                       enum data data)
{
    *c = (struct kernel_case){.dt = dt, .pool = *pool, .size = dt == K_F32 ? 4 : 2};
    c->windows = pool->outer * product(pool->output) * pool->channels;
    c->cells = pool->outer * product(pool->input) * pool->channels;
    c->dy_block = malloc((size_t)(c->windows * c->size) + 64);
    c->dx_block = aligned_alloc(64, ((size_t)(c->cells * c->size) + 2 * GUARD + 127) / 64 * 64);
    c->dy = c->dy_block + between(0, 15) * c->size;
    c->dx = c->dx_block + GUARD + between(0, 15) * c->size;
    if (data == FEW_TINY) {
        memset(c->dy, 0, (size_t)(c->windows * c->size));
        for (int64_t left = between(1, 3); left > 0; left--)
            set_tiny(dt, c->dy, between(0, c->windows - 1));
        return;
    }
    fill_random(dt, c->dy, c->windows);
    const int64_t from = between(0, 2) > 0 ? 0 : between(0, c->windows - 1);
    const int64_t count = from > 0 ? between(1, c->windows - from) : c->windows;
    if (between(0, 4) > 0) return;
    /* Among zeros, so that sums are subnormal numbers, too. */
    if (between(0, 1)) memset(c->dy + from * c->size, 0, (size_t)(count * c->size));
    fill_tiny(dt, c->dy + from * c->size, count);
}

static void case_end(struct kernel_case *c)
{
    free(c->dy_block);
    free(c->dx_block);
}

static void run(struct kernel_case *c, const struct k_table *table, bool cut)
{
    const size_t bytes = (size_t)(c->cells * c->size);
    struct k_pool_grad grad = k_pool_grad(&c->pool, c->dt);
    const struct k_chosen chosen =
        k_way_choose(K_CHOICE_avg_pool_grad, &(struct k_problem){&grad, c->dt, table});
    const struct k_work work = chosen.work;
    memset(c->dx - GUARD, 0xa5, GUARD);
    memset(c->dx, 0xff, bytes);
    memset(c->dx + bytes, 0xa5, GUARD - 64);
    int64_t begin = 0;
    while (begin < work.items) {
        const int64_t end = cut ? begin + between(1, work.items - begin) : work.items;
        chosen.run(&grad, (void *[]){c->dy, c->dx}, (struct k_slice){begin, end});
        begin = end;
    }
    for (int i = 0; i < GUARD; i++)
        cr_assert_eq((unsigned char)c->dx[i - GUARD], 0xa5, "%s: byte %d before dX", table->isa,
                     i - GUARD);
    for (int i = 0; i < GUARD - 64; i++)
        cr_assert_eq((unsigned char)c->dx[bytes + (size_t)i], 0xa5, "%s: byte %d behind dX",
                     table->isa, i);
}

static void check_against_oracle(const struct kernel_case *c, const char *isa)
{
    const size_t count = (size_t)c->cells;
    double *sum = calloc(count, sizeof *sum), *magnitude = calloc(count, sizeof *magnitude);
    int *terms = calloc(count, sizeof *terms);
    const bool many = product(c->pool.output) > 1000 && product(c->pool.kernel) > 1000;
    (many ? oracle_of_many : oracle)(c->dt, &c->pool, c->dy, sum, magnitude, terms);
    for (size_t i = 0; i < count; i++) {
        const double got = element(c->dt, c->dx, (int64_t)i);
        const double tolerance =
            (4 + terms[i]) * 0x1p-24 * magnitude[i] * 1.001 +
            (c->dt == K_F32 ? (2 + terms[i]) * 0x1p-149
                            : 1.001 * store_error(c->dt, fabs(sum[i]) + magnitude[i] * 0x1p-20));
        cr_assert(fabs(got - sum[i]) <= tolerance, "%s %s: cell %zu is %.9g, not %.9g (+- %.3g)",
                  isa, describe(c->dt, &c->pool), i, got, sum[i], tolerance);
    }
    free(sum);
    free(magnitude);
    free(terms);
}

/* One case: the first level against the oracle, everything else against its bits. */
static void check_data(enum k_dtype dt, const struct k_pool *pool, enum data data)
{
    const struct k_table *tables[TABLES];
    const size_t count = k_tables(tables, TABLES);
    struct kernel_case c;
    case_begin(&c, dt, pool, data);
    const size_t bytes = (size_t)(c.cells * c.size);
    char *first = malloc(bytes);
    for (size_t t = 0; t < count; t++) {
        for (int cut = 0; cut < 2; cut++) {
            run(&c, tables[t], cut);
            if (t == 0 && cut == 0) {
                check_against_oracle(&c, tables[t]->isa);
                memcpy(first, c.dx, bytes);
            }
            for (int64_t i = 0; memcmp(first, c.dx, bytes) != 0 && i < c.cells; i++)
                cr_assert(memcmp(first + i * c.size, c.dx + i * c.size, (size_t)c.size) == 0,
                          "%s %s, %s: cell %lld is %.9g, with %s in one piece %.9g", tables[t]->isa,
                          describe(dt, pool), cut ? "cut" : "one piece", (long long)i,
                          element(dt, c.dx, i), tables[0]->isa, element(dt, first, i));
        }
    }
    free(first);
    case_end(&c);
}

static void check_case(enum k_dtype dt, const struct k_pool *pool)
{
    check_data(dt, pool, ANY_DATA);
}

Test(avg_pool_grad, random_shapes)
{
    for (int64_t i = 0; i < random_test_count(300); i++) {
        const struct k_pool pool = random_pool(false);
        check_case((enum k_dtype)(i % K_DTYPES), &pool);
    }
}

Test(avg_pool_grad, rows_treated_as_one)
{
    for (int64_t i = 0; i < random_test_count(60); i++) {
        const struct k_pool pool = random_flat_pool();
        check_case((enum k_dtype)(i % K_DTYPES), &pool);
    }
}

Test(avg_pool_grad, narrow_columns)
{
    for (int64_t i = 0; i < random_test_count(60); i++) {
        const struct k_pool pool = random_narrow_pool();
        check_case(i % 5 ? i % 2 ? K_BF16 : K_F16 : K_F32, &pool);
    }
}

Test(avg_pool_grad, windows_that_slide)
{
    for (int64_t i = 0; i < random_test_count(40); i++) {
        const struct k_pool pool = random_sliding_pool();
        check_case(i % 2 ? K_BF16 : i % 4 ? K_F16 : K_F32, &pool);
    }
}

Test(avg_pool_grad, few_tiny_values)
{
    for (int64_t i = 0; i < random_test_count(60); i++) {
        struct k_pool pool = i % 3 == 0   ? random_narrow_pool()
                             : i % 3 == 1 ? random_sliding_pool()
                                          : random_flat_pool();
        pool.rounding = K_ROUND_NONE;
        if (pool.channels > 130) pool.channels = 32; /* many would take long */
        check_data(i % 4 < 2 ? K_BF16 : K_F16, &pool, FEW_TINY);
    }
}

Test(avg_pool_grad, large_random_shapes)
{
    for (int64_t i = 0; i < random_test_count(15); i++) {
        struct k_pool pool = random_pool(true);
        if (pool.outer * product(pool.input) * pool.channels > 2000000) pool.outer = 1;
        if (product(pool.input) * pool.channels > 2000000)
            pool.channels = pool.layout == K_CHANNELS_LAST ? 2 : 1;
        check_case((enum k_dtype)(i % K_DTYPES), &pool);
    }
}

/* dY of channels last is dY of channels first with its axes moved: so must dX be, bit for bit. */
static void check_layouts(const struct k_pool *last)
{
    const struct k_table *table = k_best();
    struct k_pool first = *last;
    first.layout = K_CHANNELS_FIRST;
    first.outer = last->outer * last->channels;
    first.channels = 1;
    struct kernel_case a, b;
    case_begin(&a, K_F32, last, ANY_DATA);
    case_begin(&b, K_F32, &first, ANY_DATA);
    const int64_t windows = product(last->output), cells = product(last->input), n = last->channels;
    for (int64_t j = 0; j < a.windows; j++)
        ((float *)(void *)b.dy)[(j / n / windows * n + j % n) * windows + j / n % windows] =
            ((float *)(void *)a.dy)[j];
    run(&a, table, false);
    run(&b, table, false);
    for (int64_t j = 0; j < a.cells; j++) {
        const float x = ((float *)(void *)a.dx)[j];
        const float y =
            ((float *)(void *)b.dx)[(j / n / cells * n + j % n) * cells + j / n % cells];
        cr_assert(x == y, "%s: cell %lld is %.9g, channels first %.9g", describe(K_F32, last),
                  (long long)j, (double)x, (double)y);
    }
    case_end(&a);
    case_end(&b);
}

Test(avg_pool_grad, layouts_agree)
{
    for (int64_t i = 0; i < random_test_count(40); i++) {
        struct k_pool pool = random_pool(false);
        pool.layout = K_CHANNELS_LAST;
        if (pool.channels == 1) pool.channels = between(2, 20);
        check_layouts(&pool);
    }
}

/* More windows over a cell than a tile has room for, along one axis or several. */
Test(avg_pool_grad, very_many_windows_over_a_cell)
{
    static const int64_t shapes[][3 * K_POOL_AXES] = {
        /* input, kernel, stride; padding is half the kernel, but for every third case */
        {1, 3, 2500, 1, 2, 1200, 1, 1, 1},       {1, 2, 9000, 1, 1, 5000, 1, 1, 4},
        {1, 520, 530, 1, 500, 510, 1, 1, 1},     {1, 60, 530, 1, 50, 510, 1, 1, 1},
        {1, 310, 300, 1, 500, 510, 1, 1, 1},     {1, 1, 1000, 1, 1, 2000, 1, 1, 1},
        {20, 12, 11, 15, 3, 3, 1, 1, 1},         {40, 20, 21, 30, 12, 12, 1, 1, 1},
        {12, 3, 1100, 10, 2, 1000, 1, 1, 1},     {1, 12, 1001, 1, 11, 1001, 1, 1, 1},
        {1, 1, 800000, 1, 1, 600000, 1, 1, 600}, {1, 1300, 290, 1, 1100, 280, 1, 1, 1},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const int64_t *shape = shapes[i];
        struct k_pool p = {.outer = 1, .channels = 1, .count_padding = i % 2};
        for (int axis = 0; axis < K_POOL_AXES; axis++) {
            p.input[axis] = shape[axis], p.kernel[axis] = shape[axis + 3];
            p.stride[axis] = shape[axis + 6];
            p.pad_begin[axis] = p.pad_end[axis] =
                i % 3 == 2 && p.kernel[axis] < p.input[axis] ? 0 : p.kernel[axis] / 2;
            p.output[axis] = windows_along(p.input[axis], p.kernel[axis], p.stride[axis],
                                           p.pad_begin[axis], false);
        }
        check_case((enum k_dtype)(i % K_DTYPES), &p);
        if (product(p.input) > 100000) continue;
        p.layout = K_CHANNELS_LAST;
        p.channels = (int64_t[]){3, 4, 19}[i % 3];
        check_case((enum k_dtype)((i + 1) % K_DTYPES), &p);
        p.channels = 6;
        check_layouts(&p);
    }
}

/* A NaN and an infinity reach the cells of their windows and no other. */
Test(avg_pool_grad, special_values_stay_in_their_windows)
{
    const struct k_table *tables[TABLES];
    const size_t count = k_tables(tables, TABLES);
    for (int64_t i = 0; i < random_test_count(70); i++) {
        const struct k_pool pool = i % 3 == 0   ? random_flat_pool()
                                   : i % 7 == 0 ? random_narrow_pool()
                                                : random_pool(false);
        const enum k_dtype dt = (enum k_dtype)(i / 3 % K_DTYPES);
        struct kernel_case c;
        case_begin(&c, dt, &pool, ANY_DATA);
        const int64_t at = between(0, c.windows - 1);
        const bool nan = between(0, 1);
        const float value = nan ? NAN : INFINITY;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        if (dt == K_F32) ((float *)(void *)c.dy)[at] = value;
        if (dt == K_F16) ((uint16_t *)(void *)c.dy)[at] = nan ? 0x7e00 : 0x7c00;
        if (dt == K_BF16) ((uint16_t *)(void *)c.dy)[at] = (uint16_t)(bits >> 16);
        double *sum = calloc((size_t)c.cells, sizeof *sum),
               *magnitude = calloc((size_t)c.cells, sizeof *sum);
        int *terms = calloc((size_t)c.cells, sizeof *terms);
        oracle(dt, &pool, c.dy, sum, magnitude, terms);
        for (size_t t = 0; t < count; t++) {
            run(&c, tables[t], true);
            for (int64_t j = 0; j < c.cells; j++) {
                const double got = element(dt, c.dx, j);
                const bool same = isnan(sum[j])   ? isnan(got)
                                  : isinf(sum[j]) ? got == sum[j]
                                                  : isfinite(got);
                cr_assert(same, "%s %s: cell %lld is %g, not %g", tables[t]->isa,
                          describe(dt, &pool), (long long)j, got, sum[j]);
            }
        }
        free(sum);
        free(magnitude);
        free(terms);
        case_end(&c);
    }
}

static int64_t items_of(const struct k_pool *pool)
{
    struct k_pool_grad grad = k_pool_grad(pool, K_F32);
    const struct k_problem problem = {&grad, K_F32, k_best()};
    return k_way_choose(K_CHOICE_avg_pool_grad, &problem).work.items;
}

Test(avg_pool_grad, empty_has_no_items)
{
    struct k_pool pool = {.outer = 0,
                          .channels = 1,
                          .input = {1, 4, 4},
                          .output = {1, 2, 2},
                          .kernel = {1, 2, 2},
                          .stride = {1, 2, 2}};
    cr_assert_eq(items_of(&pool), 0);
    pool.outer = 1, pool.channels = 0;
    cr_assert_eq(items_of(&pool), 0);
    pool.channels = 1, pool.input[2] = 0, pool.output[2] = 0;
    cr_assert_eq(items_of(&pool), 0);
}
