/* SPDX-License-Identifier: Apache-2.0 */
/* avg_pool and mean of every level against sums in double straight from the definitions, on random
 * shapes; the same bits from every level, layout and cutting of the work; nothing written outside
 * of the output. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/pool/k_average.h"
#include "kernels/way.h"
#include "tests/unit/pool_values.h"

enum { GUARD = 128, TABLES = 8, AXES = K_POOL_AXES };

/* Does output o add input i along the axis? */
static bool adds(const struct k_average *p, int axis, int64_t o, int64_t i)
{
    const int64_t in = p->input[axis], out = p->output[axis];
    if (p->span[axis] == K_SPAN_BINS)
        return i >= o * in / out && i < ((o + 1) * in + out - 1) / out;
    const bool taps = p->span[axis] == K_SPAN_TAPS;
    const int64_t window = taps ? i : o, cell = taps ? o : i;
    const int64_t from = cell - (window * p->stride[axis] - p->pad_begin[axis]);
    return from >= 0 && from % p->dilation[axis] == 0 && from / p->dilation[axis] < p->kernel[axis];
}

/* The size of window or bin w along the axis. */
static double size_along(const struct k_average *p, int axis, int64_t w)
{
    const int64_t cells = p->gradient ? p->output[axis] : p->input[axis];
    const int64_t windows = p->gradient ? p->input[axis] : p->output[axis];
    int64_t size = 0;
    if (p->span[axis] == K_SPAN_BINS)
        return (double)(((w + 1) * cells + windows - 1) / windows - w * cells / windows);
    for (int64_t t = 0; t < p->kernel[axis]; t++) {
        const int64_t at = w * p->stride[axis] - p->pad_begin[axis] + t * p->dilation[axis];
        if (p->count_padding)
            size += at < cells + p->pad_end[axis];
        else
            size += at >= 0 && at < cells;
    }
    return (double)size;
}

struct sum {
    double value, magnitude;
    int terms;
};

struct kernel_case {
    enum k_dtype dt;
    struct k_average p;
    int64_t inputs, outputs, size; /* elements; bytes of one */
    double *window_size[AXES];
    char *in, *out, *in_block, *out_block;
};

static double size_of(const struct kernel_case *c, const int64_t w[])
{
    if (c->p.divisor != 0) return (double)c->p.divisor;
    return c->window_size[0][w[0]] * c->window_size[1][w[1]] * c->window_size[2][w[2]];
}

static struct sum oracle(const struct kernel_case *c, int64_t outer, const int64_t o[],
                         int64_t channel)
{
    const struct k_average *p = &c->p;
    struct sum sum = {0};
    int64_t low[AXES], high[AXES], i[AXES]; /* of the inputs that are added */
    for (int axis = 0; axis < AXES; axis++) {
        low[axis] = p->input[axis], high[axis] = -1;
        for (int64_t x = 0; x < p->input[axis]; x++)
            if (adds(p, axis, o[axis], x)) {
                if (x < low[axis]) low[axis] = x;
                high[axis] = x;
            }
    }
    const double outputs_size = p->gradient ? 1 : size_of(c, o);
    for (i[0] = low[0]; i[0] <= high[0]; i[0]++)
        for (i[1] = low[1]; i[1] <= high[1]; i[1]++)
            for (i[2] = low[2]; i[2] <= high[2]; i[2]++) {
                if (!adds(p, 0, o[0], i[0]) || !adds(p, 1, o[1], i[1]) || !adds(p, 2, o[2], i[2]))
                    continue;
                const int64_t cell =
                    ((outer * p->input[0] + i[0]) * p->input[1] + i[1]) * p->input[2] + i[2];
                const double value = operand(c->dt, p->rounding,
                                             element(c->dt, c->in, cell * p->channels + channel)) /
                                     (p->gradient ? size_of(c, i) : outputs_size);
                sum.value += value;
                sum.magnitude += fabs(value);
                sum.terms++;
            }
    return sum;
}

static int64_t windows_along(int64_t in, int64_t extent, int64_t s, int64_t begin, int64_t pads,
                             bool ceil_mode)
{
    const int64_t room = in + pads - extent;
    if (room < 0) return ceil_mode && room + s > 0 ? 1 : 0;
    int64_t out = (room + (ceil_mode ? s - 1 : 0)) / s + 1;
    if (ceil_mode && (out - 1) * s >= in + begin) out--;
    return out;
}

static bool random_axis(struct k_average *p, int axis, bool bins, int64_t max_in,
                        int64_t max_kernel)
{
    const int64_t cells = between(1, max_in);
    int64_t windows = between(1, between(0, 2) ? cells : max_in);
    p->kernel[axis] = p->stride[axis] = p->dilation[axis] = 1;
    p->pad_begin[axis] = p->pad_end[axis] = 0;
    p->span[axis] = K_SPAN_BINS;
    if (!bins) {
        const int64_t k = p->kernel[axis] = between(1, max_kernel);
        const int64_t d = p->dilation[axis] = p->gradient && k > 1 ? between(1, 4) : 1;
        p->stride[axis] = between(0, 2) ? between(1, k + 1) : k;
        p->pad_begin[axis] = between(0, (p->gradient ? (k - 1) * d : k / 2));
        p->pad_end[axis] = p->gradient ? between(0, (k - 1) * d) : p->pad_begin[axis];
        windows = windows_along(cells, (k - 1) * d + 1, p->stride[axis], p->pad_begin[axis],
                                p->pad_begin[axis] + p->pad_end[axis], between(0, 1));
        p->span[axis] = p->gradient ? K_SPAN_TAPS : K_SPAN_WINDOWS;
    }
    p->input[axis] = p->gradient ? windows : cells;
    p->output[axis] = p->gradient ? cells : windows;
    return windows > 0;
}

/* Small windows or bins, many channels: outputs are summed from the cells themselves. */
static struct k_average random_cells_average(void)
{
    static const int64_t channels[] = {32, 33, 40, 64, 67, 96, 130};
    struct k_average p = {.outer = between(1, 2),
                          .channels = channels[between(0, 6)],
                          .layout = K_CHANNELS_LAST,
                          .count_padding = between(0, 1),
                          .stream_output = between(0, 1)};
    const bool bins = between(0, 1);
    p.gradient = bins && between(0, 1);
    p.divisor = bins || between(0, 3) ? 0 : 7;
    for (int axis = 0; axis < AXES; axis++) {
        const int64_t k = p.kernel[axis] = axis == 0 ? 1 : between(1, 3);
        const int64_t cells = p.input[axis] = axis == 0 ? between(1, 3) : between(k, 16);
        const int64_t pad = p.pad_begin[axis] = p.pad_end[axis] = bins ? 0 : between(0, k / 2);
        p.stride[axis] = bins ? 1 : between(1, 3);
        p.dilation[axis] = 1;
        p.span[axis] = bins ? K_SPAN_BINS : K_SPAN_WINDOWS;
        p.output[axis] = windows_along(cells, k, p.stride[axis], pad, 2 * pad, between(0, 1));
        if (bins) p.output[axis] = axis == 0 ? p.input[axis] : between(1, 16);
        if (bins && axis == 0 && between(0, 1)) p.input[axis] = p.output[axis] = 1;
    }
    return p;
}

static struct k_average random_average(bool large)
{
    if (between(0, 9) == 0) return random_cells_average();
    struct k_average p = {.channels = 1};
    static const int64_t channels[] = {2, 3, 7, 15, 16, 17, 24, 31, 32, 40, 64, 96, 130, 1100};
    static const int64_t divisors[] = {0, 0, 0, 1, -3, 7, INT64_MAX, INT64_MIN};
    p.gradient = between(0, 1);
    const bool bins = between(0, 2) == 0;
    const int kind = (int)between(0, 5);
    const int64_t wide = large ? 900 : 60, tall = large ? 60 : 25;
    const int64_t kernel = between(0, 7) ? 5 : between(0, 3) ? 12 : large ? 100 : 30;
    for (;;) {
        bool good = random_axis(&p, 2, bins, wide, kernel);
        good = random_axis(&p, 1, bins, kind == 0 ? 1 : tall, kernel) && good;
        good = random_axis(&p, 0, bins, kind < 4 ? 1 : 6, kind < 4 ? 1 : 4) && good;
        if (good) break;
    }
    p.layout = between(0, 1) ? K_CHANNELS_LAST : K_CHANNELS_FIRST;
    if (p.layout == K_CHANNELS_LAST) p.channels = channels[between(0, large ? 13 : 8)];
    p.outer = between(1, large ? 2 : 3);
    p.count_padding = between(0, 1);
    p.divisor = bins || p.gradient ? 0 : divisors[between(0, 7)];
    p.rounding = (enum k_rounding)(between(0, 2) ? K_ROUND_NONE : between(0, 2));
    p.stream_output = between(0, 1);
    return p;
}

static int64_t product(const int64_t sizes[])
{
    return sizes[0] * sizes[1] * sizes[2];
}

static const char *describe(enum k_dtype dt, const struct k_average *p)
{
    static char text[600];
    int at = snprintf(text, sizeof text, "%s outer %lld channels %lld%s", dtype_names[dt],
                      (long long)p->outer, (long long)p->channels, p->gradient ? " gradient" : "");
    for (int axis = 0; axis < AXES; axis++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       ", %d: %lld to %lld k %lld s %lld d %lld p %lld+%lld", (int)p->span[axis],
                       (long long)p->input[axis], (long long)p->output[axis],
                       (long long)p->kernel[axis], (long long)p->stride[axis],
                       (long long)p->dilation[axis], (long long)p->pad_begin[axis],
                       (long long)p->pad_end[axis]);
    snprintf(text + at, sizeof text - (size_t)at, ", divisor %lld padding %d rounding %d stream %d",
             (long long)p->divisor, p->count_padding, (int)p->rounding, p->stream_output);
    return text;
}

/* Both blocks end where the tensors do, so that a sanitizer sees what is read behind them. */
static void case_begin(struct kernel_case *c, enum k_dtype dt, const struct k_average *p)
{
    *c = (struct kernel_case){.dt = dt, .p = *p, .size = dt == K_F32 ? 4 : 2};
    c->inputs = p->outer * product(p->input) * p->channels;
    c->outputs = p->outer * product(p->output) * p->channels;
    const int64_t before = between(0, 15) * c->size;
    c->in_block = malloc((size_t)(c->inputs * c->size + before));
    c->out_block = aligned_alloc(64, ((size_t)(c->outputs * c->size) + 2 * GUARD + 127) / 64 * 64);
    c->in = c->in_block + before;
    c->out = c->out_block + GUARD + between(0, 15) * c->size;
    fill_random(dt, c->in, c->inputs);
    for (int axis = 0; axis < AXES; axis++) {
        const int64_t windows = p->gradient ? p->input[axis] : p->output[axis];
        c->window_size[axis] = malloc((size_t)windows * sizeof(double));
        for (int64_t w = 0; w < windows; w++)
            c->window_size[axis][w] = size_along(p, axis, w);
    }
}

static void case_end(struct kernel_case *c)
{
    free(c->in_block);
    free(c->out_block);
    for (int axis = 0; axis < AXES; axis++)
        free(c->window_size[axis]);
}

static void run_kernel(struct kernel_case *c, k_fn *kernel, const void *parameters,
                       struct k_work work, bool cut, const char *isa)
{
    const size_t bytes = (size_t)(c->outputs * c->size);
    memset(c->out - GUARD, 0xa5, GUARD);
    memset(c->out, 0xff, bytes);
    memset(c->out + bytes, 0xa5, GUARD - 64);
    for (int64_t begin = 0, end; begin < work.items; begin = end) {
        end = cut ? begin + between(1, work.items - begin) : work.items;
        kernel(parameters, (void *[]){c->in, c->out}, (struct k_slice){begin, end});
    }
    for (int i = 0; i < GUARD; i++)
        cr_assert_eq((unsigned char)c->out[i - GUARD], 0xa5, "%s: byte %d before the output", isa,
                     i - GUARD);
    for (int i = 0; i < GUARD - 64; i++)
        cr_assert_eq((unsigned char)c->out[bytes + (size_t)i], 0xa5,
                     "%s: byte %d behind the output", isa, i);
}

static void run(struct kernel_case *c, const struct k_table *table, bool cut)
{
    const struct k_chosen chosen =
        k_way_choose(K_CHOICE_avg_pool, &(struct k_problem){&c->p, c->dt, table});
    run_kernel(c, chosen.run, &c->p, chosen.work, cut, table->isa);
}

static struct k_mean mean_of(const struct k_average *p)
{
    return (struct k_mean){.outer = p->outer,
                           .count = product(p->input),
                           .channels = p->channels,
                           .divisor = (double)product(p->input),
                           .rounding = p->rounding};
}

static void run_mean(struct kernel_case *c, const struct k_table *table, bool cut)
{
    const struct k_mean mean = mean_of(&c->p);
    run_kernel(c, table->mean[c->dt], &mean, k_mean_work(&mean), cut, table->isa);
}

typedef void run_fn(struct kernel_case *c, const struct k_table *table, bool cut);

static double tolerance_of(const struct kernel_case *c, const struct sum *sum)
{
    const double rounding = (c->p.gradient ? 4 : 2) + sum->terms;
    return rounding * 0x1p-24 * sum->magnitude * 1.001 +
           (c->dt == K_F32
                ? 0x1p-149
                : 1.001 * store_error(c->dt, fabs(sum->value) + sum->magnitude * 0x1p-20));
}

/* Output number i: its place. */
static void place_of(const struct k_average *p, int64_t i, int64_t *outer, int64_t o[],
                     int64_t *channel)
{
    *channel = i % p->channels, i /= p->channels;
    o[2] = i % p->output[2], i /= p->output[2];
    o[1] = i % p->output[1], i /= p->output[1];
    o[0] = i % p->output[0];
    *outer = i / p->output[0];
}

static void check_against_oracle(const struct kernel_case *c, const char *isa)
{
    const int64_t some = c->outputs > 4000 ? c->outputs / 4000 : 1;
    for (int64_t i = between(0, some - 1); i < c->outputs; i += between(1, 2 * some - 1)) {
        int64_t outer, channel, o[AXES];
        place_of(&c->p, i, &outer, o, &channel);
        const struct sum sum = oracle(c, outer, o, channel);
        const double got = element(c->dt, c->out, i), tolerance = tolerance_of(c, &sum);
        cr_assert(fabs(got - sum.value) <= tolerance,
                  "%s %s: output %lld is %.9g, not %.9g (+- %.3g)", isa, describe(c->dt, &c->p),
                  (long long)i, got, sum.value, tolerance);
        cr_assert(sum.terms > 0 || !signbit(got), "%s %s: output %lld is -0", isa,
                  describe(c->dt, &c->p), (long long)i);
    }
}

/* One case: the first level against the oracle, everything else against its bits. */
static void check_case(run_fn *run_it, enum k_dtype dt, const struct k_average *p)
{
    const struct k_table *tables[TABLES];
    const size_t count = k_tables(tables, TABLES);
    struct kernel_case c;
    case_begin(&c, dt, p);
    const size_t bytes = (size_t)(c.outputs * c.size);
    char *first = malloc(bytes);
    for (size_t t = 0; t < count; t++) {
        for (int cut = 0; cut < 2; cut++) {
            run_it(&c, tables[t], cut);
            if (t == 0 && cut == 0) {
                check_against_oracle(&c, tables[t]->isa);
                memcpy(first, c.out, bytes);
            }
            for (int64_t i = 0; memcmp(first, c.out, bytes) != 0 && i < c.outputs; i++)
                cr_assert(memcmp(first + i * c.size, c.out + i * c.size, (size_t)c.size) == 0,
                          "%s %s, %s: output %lld is %.9g, with %s in one piece %.9g",
                          tables[t]->isa, describe(dt, p), cut ? "cut" : "one piece", (long long)i,
                          element(dt, c.out, i), tables[0]->isa, element(dt, first, i));
        }
    }
    free(first);
    case_end(&c);
}

Test(avg_pool, random_shapes)
{
    for (int i = 0; i < random_test_count(40); i++) {
        const struct k_average p = random_average(false);
        check_case(run, (enum k_dtype)(i % K_DTYPES), &p);
    }
}

Test(avg_pool, large_random_shapes)
{
    for (int i = 0; i < random_test_count(30); i++) {
        struct k_average p = random_average(true);
        const int64_t cells =
            product(p.input) > product(p.output) ? product(p.input) : product(p.output);
        if (p.outer * cells * p.channels > 1000000) p.outer = 1;
        if (cells * p.channels > 1000000) p.channels = p.layout == K_CHANNELS_LAST ? 2 : 1;
        check_case(run, (enum k_dtype)(i % K_DTYPES), &p);
    }
}

/* One axis at a time beyond what fits the kernel's rows and rings. */
Test(avg_pool, terms_beyond_the_row_of_sums)
{
    static const int64_t channels[] = {1, 3, 40, 700};
    for (int i = 0; i < 4; i++)
        for (int axis = 0; axis < AXES; axis++)
            for (int gradient = 0; gradient < 2; gradient++) {
                struct k_average p = {.outer = 1, .channels = channels[i], .gradient = gradient};
                for (int other = 0; other < AXES; other++) {
                    p.input[other] = p.output[other] = 2;
                    p.kernel[other] = p.stride[other] = p.dilation[other] = 1;
                    p.span[other] = gradient ? K_SPAN_TAPS : K_SPAN_WINDOWS;
                }
                const int64_t size = i < 2 ? 9000 : 300;
                p.kernel[axis] = size, p.pad_begin[axis] = p.pad_end[axis] = 2;
                p.dilation[axis] = gradient ? 2 : 1;
                p.input[axis] = gradient ? 200 : size;
                p.output[axis] = gradient ? 199 + 2 * size - 5 : 5;
                if (gradient && axis != 2) p.input[axis] = 20, p.output[axis] = 19 + 2 * size - 5;
                if (axis != 0)
                    p.kernel[0] = 2, p.input[0] = gradient ? 1 : 2, p.output[0] = 3 - p.input[0];
                p.layout = channels[i] > 1 ? K_CHANNELS_LAST : K_CHANNELS_FIRST;
                check_case(run, (enum k_dtype)((i + axis) % K_DTYPES), &p);
            }
}

/* The input of channels last is that of channels first with its axes moved: so must the output be,
 * bit for bit. */
static void check_layouts(run_fn *run_it, struct k_average last)
{
    const struct k_table *table = k_best();
    last.layout = K_CHANNELS_LAST;
    if (last.channels == 1) last.channels = between(2, 40);
    struct k_average first = last;
    first.layout = K_CHANNELS_FIRST;
    first.outer = last.outer * last.channels;
    first.channels = 1;
    struct kernel_case a, b;
    case_begin(&a, K_F32, &last);
    case_begin(&b, K_F32, &first);
    const int64_t inputs = product(last.input), outputs = product(last.output), n = last.channels;
    for (int64_t j = 0; j < a.inputs; j++)
        ((float *)(void *)b.in)[(j / n / inputs * n + j % n) * inputs + j / n % inputs] =
            ((float *)(void *)a.in)[j];
    run_it(&a, table, false);
    run_it(&b, table, false);
    for (int64_t j = 0; j < a.outputs; j++) {
        const float *x = (float *)(void *)a.out + j;
        const float *y =
            (float *)(void *)b.out + (j / n / outputs * n + j % n) * outputs + j / n % outputs;
        cr_assert(memcmp(x, y, sizeof *x) == 0, "%s: output %lld is %.9g, channels first %.9g",
                  describe(K_F32, &last), (long long)j, (double)*x, (double)*y);
    }
    case_end(&a);
    case_end(&b);
}

Test(avg_pool, layouts_agree)
{
    for (int i = 0; i < random_test_count(60); i++)
        check_layouts(run, random_average(false));
}

/* A NaN and an infinity reach the outputs that add them and no other. */
Test(avg_pool, special_values_stay_in_their_ranges)
{
    const struct k_table *tables[TABLES];
    const size_t count = k_tables(tables, TABLES);
    for (int i = 0; i < random_test_count(60); i++) {
        const struct k_average p = random_average(false);
        const enum k_dtype dt = (enum k_dtype)(i % K_DTYPES);
        struct kernel_case c;
        case_begin(&c, dt, &p);
        const int64_t at = between(0, c.inputs - 1);
        const bool nan = between(0, 1);
        if (dt == K_F32) ((float *)(void *)c.in)[at] = nan ? NAN : INFINITY;
        if (dt == K_F16) ((uint16_t *)(void *)c.in)[at] = nan ? 0x7e00 : 0x7c00;
        if (dt == K_BF16) ((uint16_t *)(void *)c.in)[at] = nan ? 0x7fc0 : 0x7f80;
        for (size_t t = 0; t < count; t++) {
            run(&c, tables[t], true);
            for (int64_t j = 0; j < c.outputs; j++) {
                int64_t outer, channel, o[AXES];
                place_of(&c.p, j, &outer, o, &channel);
                const double want = oracle(&c, outer, o, channel).value,
                             got = element(dt, c.out, j);
                cr_assert(isnan(want)   ? isnan(got)
                          : isinf(want) ? got == want
                                        : isfinite(got),
                          "%s %s: output %lld is %g, not %g", tables[t]->isa, describe(dt, &p),
                          (long long)j, got, want);
            }
        }
        case_end(&c);
    }
}

static struct k_average random_mean(void)
{
    static const int64_t channels[] = {1, 1, 1, 2, 3, 15, 16, 17, 64, 100, 511, 512, 513, 1500};
    struct k_average p = {.outer = between(1, 40), .channels = channels[between(0, 13)]};
    for (int axis = 0; axis < AXES; axis++) {
        p.span[axis] = K_SPAN_BINS;
        p.input[axis] = p.output[axis] = 1;
    }
    p.input[2] = between(0, 9) ? between(1, 70) : between(1, 2000);
    if (p.channels > 1) p.outer = between(1, 3);
    if (p.channels > 20 && p.input[2] > 100) p.input[2] = 100;
    p.layout = p.channels > 1 ? K_CHANNELS_LAST : K_CHANNELS_FIRST;
    p.rounding = (enum k_rounding)(between(0, 2) ? K_ROUND_NONE : between(0, 2));
    return p;
}

Test(mean, random_shapes)
{
    for (int i = 0; i < random_test_count(300); i++) {
        const struct k_average p = random_mean();
        check_case(run_mean, (enum k_dtype)(i % K_DTYPES), &p);
    }
}

Test(mean, layouts_agree)
{
    for (int i = 0; i < random_test_count(60); i++)
        check_layouts(run_mean, random_mean());
}

Test(mean, doubles)
{
    const struct k_table *tables[TABLES];
    const size_t count = k_tables(tables, TABLES);
    for (int i = 0; i < random_test_count(400); i++) {
        struct k_average p = random_mean();
        p.rounding = K_ROUND_NONE;
        const struct k_mean mean = mean_of(&p);
        const int64_t inputs = mean.outer * mean.count * mean.channels,
                      outputs = mean.outer * mean.channels;
        double *in = malloc((size_t)inputs * sizeof *in),
               *out = malloc((size_t)outputs * sizeof *out);
        double *back = malloc((size_t)inputs * sizeof *back);
        for (int64_t j = 0; j < inputs; j++)
            in[j] = (double)(int32_t)random_next(dice()) * 0x1p-20;
        for (size_t t = 0; t < count; t++) {
            const int64_t items = k_mean_work(&mean).items, cut = between(0, items);
            for (int part = 0; part < 2; part++) {
                const struct k_slice slice = {part ? cut : 0, part ? items : cut};
                tables[t]->mean_f64(&mean, (void *[]){in, out}, slice);
                tables[t]->spread_f64(&mean, (void *[]){out, back}, slice);
            }
            for (int64_t j = 0; j < outputs; j++) {
                long double sum = 0, magnitude = 0;
                for (int64_t k = 0; k < mean.count; k++) {
                    const int64_t at =
                        (j / mean.channels * mean.count + k) * mean.channels + j % mean.channels;
                    sum += in[at], magnitude += fabsl(in[at]);
                    cr_assert_eq(back[at], out[j] / (double)mean.count);
                }
                cr_assert(fabsl(out[j] - sum / mean.count) <=
                              (mean.count + 2) * 0x1p-53L * magnitude / mean.count,
                          "%s: count %lld channels %lld, output %lld", tables[t]->isa,
                          (long long)mean.count, (long long)mean.channels, (long long)j);
            }
        }
        free(in), free(out), free(back);
    }
}

static int64_t items_of(struct k_average *p)
{
    return k_way_choose(K_CHOICE_avg_pool, &(struct k_problem){p, K_F32, k_best()}).work.items;
}

Test(avg_pool, empty_has_no_items)
{
    struct k_average p = random_average(false);
    struct k_mean mean = mean_of(&p);
    p.outer = 0;
    cr_assert_eq(items_of(&p), 0);
    p.outer = 1, p.channels = 0;
    cr_assert_eq(items_of(&p), 0);
    p.channels = 1, p.output[2] = 0;
    cr_assert_eq(items_of(&p), 0);
    mean.channels = 0;
    cr_assert_eq(k_mean_work(&mean).items, 0);
}
