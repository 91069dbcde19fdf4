/* SPDX-License-Identifier: Apache-2.0 */
/* conv_direct of every level on random windows of few channels: near the definition, the same bits
 * by non-temporal stores or not, however the work is cut and at every level that fuses
 * multiply-adds, and nothing written outside of the result. (Whole operators never have results so
 * large in tests.) */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "kernels/conv/conv_plan.h"
#include "kernels/kernels.h"
#include "kernels/way.h"
#include "tests/unit/dice.h"

enum { GUARD = 128, TABLES = 8, ELEMENTS = 1 << 16, CASES = 150 };

static _Alignas(64) float from[ELEMENTS], weight[ELEMENTS];
static _Alignas(64) char first[ELEMENTS * 4 + 2 * GUARD], other[ELEMENTS * 4 + 2 * GUARD];

static void fill(void *to, enum k_dtype dtype)
{
    for (int64_t i = 0; i < ELEMENTS; i++) {
        const float value = (float)between(-100, 100) / 64; /* exact in every type */
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        if (dtype == K_F32)
            ((float *)to)[i] = value;
        else
            ((uint16_t *)to)[i] = (uint16_t)(bits >> 16); /* as BF16; as FP16 some other number */
    }
}

static struct k_conv random_problem(enum k_dtype dtype)
{
    struct k_conv conv = {.batch = between(1, 2), .groups = between(1, 4), .parts = 1};
    conv.large_channels = conv.small_channels = 1;
    if (between(0, 3) == 0) conv.large_channels = between(1, 3);
    if (between(0, 3) == 0) conv.small_channels = between(1, 3);
    /* Three by three windows of one channel have a way of their own. */
    const bool is_three = between(0, 2) == 0;
    if (is_three) conv.large_channels = conv.small_channels = 1;
    conv.to_large = between(0, 1);
    conv.axis[0] = (struct k_conv_axis){1, 1, 1, 1, 1, 0};
    for (int i = 1; i < K_CONV_AXES; i++) {
        struct k_conv_axis *a = &conv.axis[i];
        *a = (struct k_conv_axis){.kernel = between(1, 7), .stride = 1, .dilation = 1};
        if (between(0, 2) == 0) a->stride = between(1, 3);
        if (between(0, 2) == 0) a->dilation = between(1, 2);
        if (is_three) a->kernel = 3;
        a->pad = between(0, a->kernel - 1);
        const int64_t reach = (a->kernel - 1) * a->dilation;
        a->large = reach + 1 + between(0, i == 1 ? 20 : is_three ? 140 : 70);
        a->small = (a->large + 2 * a->pad - reach - 1) / a->stride + 1;
    }
    const int64_t large = conv.axis[1].large * conv.axis[2].large;
    const int64_t small = conv.axis[1].small * conv.axis[2].small;
    const int64_t taps = conv.axis[1].kernel * conv.axis[2].kernel;
    conv.large = (struct k_conv_tensor){
        dtype, conv.groups * conv.large_channels * large, large, {0, conv.axis[2].large, 1}};
    conv.small = (struct k_conv_tensor){
        dtype, conv.groups * conv.small_channels * small, small, {0, conv.axis[2].small, 1}};
    conv.weight = (struct k_conv_tensor){
        dtype, conv.large_channels * taps, taps, {0, conv.axis[2].kernel, 1}};
    return conv;
}

static size_t result_bytes(const struct k_conv *conv)
{
    const struct k_conv_tensor *to = conv->to_large ? &conv->large : &conv->small;
    return (size_t)(conv->batch * to->outer) * (to->dtype == K_F32 ? 4 : 2);
}

/* The levels that have conv_direct; how many. */
static size_t direct_tables(const struct k_table *tables[TABLES])
{
    size_t count = k_tables(tables, TABLES);
    while (count > 0 && !tables[count - 1]->conv_direct)
        count--;
    if (count == 0) cr_skip("conv_direct is not on the base level");
    return count;
}

/* All items, `at_once` by `at_once`; `shift` bytes behind an aligned address. */
static void compute(const struct k_table *table, const struct k_conv *conv, char *to, int64_t shift,
                    int64_t at_once)
{
    memset(to, 0x5a, sizeof first);
    const int64_t items = k_conv_direct_work(conv).items;
    void *const buffers[] = {from, weight, to + GUARD + shift};
    for (int64_t i = 0; i < items; i += at_once)
        table->conv_direct(conv, buffers,
                           (struct k_slice){i, i + at_once < items ? i + at_once : items});
    const char *end = to + GUARD + shift + result_bytes(conv);
    for (int64_t i = 0; i < GUARD + shift; i++)
        cr_assert_eq(to[i], 0x5a, "%s: %d bytes before the result", table->isa,
                     (int)(GUARD + shift - i));
    for (int64_t i = 0; i < GUARD - shift; i++)
        cr_assert_eq(end[i], 0x5a, "%s: %d bytes behind the result", table->isa, (int)i);
}

/* One element of a FLOAT result, and the sum of its terms' absolute values. */
static double element(const struct k_conv *conv, int64_t n, int64_t channel, int64_t y, int64_t x,
                      double *size)
{
    const int64_t rows = conv->to_large ? conv->large_channels : conv->small_channels;
    const int64_t terms = conv->to_large ? conv->small_channels : conv->large_channels;
    const int64_t group = channel / rows, row = channel % rows;
    const struct k_conv_tensor *t = conv->to_large ? &conv->small : &conv->large;
    const struct k_conv_axis *a = conv->axis;
    double sum = 0;
    *size = 0;
    for (int64_t c = 0; c < terms; c++)
        for (int64_t h = 0; h < a[1].kernel; h++)
            for (int64_t w = 0; w < a[2].kernel; w++) {
                int64_t at[2] = {y * a[1].stride - a[1].pad + h * a[1].dilation,
                                 x * a[2].stride - a[2].pad + w * a[2].dilation};
                if (conv->to_large) {
                    at[0] = y + a[1].pad - h * a[1].dilation;
                    at[1] = x + a[2].pad - w * a[2].dilation;
                    if (at[0] < 0 || at[1] < 0 || at[0] % a[1].stride || at[1] % a[2].stride)
                        continue;
                    at[0] /= a[1].stride;
                    at[1] /= a[2].stride;
                }
                const int64_t height = conv->to_large ? a[1].small : a[1].large;
                const int64_t width = conv->to_large ? a[2].small : a[2].large;
                if (at[0] < 0 || at[1] < 0 || at[0] >= height || at[1] >= width) continue;
                const int64_t m = group * conv->small_channels + (conv->to_large ? c : row);
                const double product =
                    (double)from[n * t->outer + (group * terms + c) * t->inner +
                                 at[0] * t->axis[1] + at[1]] *
                    (double)weight[m * conv->weight.outer +
                                   (conv->to_large ? row : c) * conv->weight.inner +
                                   h * a[2].kernel + w];
                sum += product;
                *size += fabs(product);
            }
    return sum;
}

static void check_definition(const struct k_table *table, const struct k_conv *conv)
{
    const struct k_conv_tensor *t = conv->to_large ? &conv->large : &conv->small;
    const int64_t height = conv->to_large ? conv->axis[1].large : conv->axis[1].small;
    const int64_t width = t->axis[1], channels = t->outer / t->inner;
    const double terms = 3.0 * 49 + 2;
    for (int64_t i = 0; i < conv->batch * t->outer; i++) {
        double size;
        const double expected = element(conv, i / t->outer, i / t->inner % channels,
                                        i / width % height, i % width, &size);
        float found;
        memcpy(&found, first + GUARD + 4 * i, sizeof found);
        cr_assert_leq(fabs(found - expected), terms * 0x1p-24 * size, "%s: %g, not %g", table->isa,
                      (double)found, expected);
    }
}

Test(conv_direct, every_level_and_way, .timeout = 300)
{
    const struct k_table *tables[TABLES];
    const size_t count = direct_tables(tables);
    for (int i = 0; i < CASES; i++) {
        const enum k_dtype dtype = (enum k_dtype)(i % K_DTYPES);
        struct k_conv conv = random_problem(dtype);
        const int64_t shift = between(0, 15) * 4;
        if (!k_conv_is_direct(&conv) || conv.batch * conv.large.outer > ELEMENTS ||
            conv.batch * conv.small.outer > ELEMENTS)
            continue;
        fill(from, dtype);
        fill(weight, dtype);
        compute(tables[0], &conv, first, shift, 1 << 20);
        for (size_t t = 0; t < count; t++) {
            for (int way = 0; way < 4; way++) {
                conv.stream_output = way & 1;
                compute(tables[t], &conv, other, shift, way & 2 ? 1 : 3);
                cr_assert_arr_eq(first, other, sizeof first, "%s, case %d: other bits, way %d",
                                 tables[t]->isa, i, way);
            }
            conv.stream_output = false;
        }
        if (dtype != K_F32) continue;
        compute(tables[count - 1], &conv, first, 0, 1 << 20);
        check_definition(tables[count - 1], &conv);
        compute(tables[0], &conv, first, 0, 1 << 20);
        check_definition(tables[0], &conv);
    }
}

Test(conv_direct, weight_gradient_of_every_level, .timeout = 300)
{
    const struct k_table *tables[TABLES];
    const size_t count = k_tables(tables, TABLES);
    for (int i = 0; i < CASES; i++) {
        const enum k_dtype dtype = (enum k_dtype)(i % K_DTYPES);
        struct k_conv conv = random_problem(dtype);
        conv.to_large = false;
        const struct k_problem problem = {&conv, dtype, tables[0]};
        if (k_conv_grad_direct_refuses(&problem)) continue;
        const int64_t items = k_conv_grad_direct_plan(&problem).items;
        const size_t bytes = k_conv_parts_bytes(&conv);
        if (bytes > sizeof first || conv.batch * conv.large.outer > ELEMENTS ||
            conv.batch * conv.small.outer > ELEMENTS)
            continue;
        fill(from, dtype);
        fill(weight, dtype); /* the small side here */
        tables[0]->conv_grad_direct(&conv, (void *[]){weight, from, first},
                                    (struct k_slice){0, items});
        for (size_t t = 0; t < count; t++) {
            if (strcmp(tables[t]->isa, "base") == 0) continue;
            for (int64_t item = 0; item < items; item++)
                tables[t]->conv_grad_direct(&conv, (void *[]){weight, from, other},
                                            (struct k_slice){item, item + 1});
            cr_assert_arr_eq(first, other, bytes, "%s, case %d: other bits", tables[t]->isa, i);
        }
    }
}

/* ---- groups of few channels side by side ---- */

/* [n][channel][position] becomes [n][position][channel]. */
static void turn(const void *of, void *to, int64_t images, int64_t channels, int64_t positions,
                 size_t size)
{
    for (int64_t n = 0; n < images; n++)
        for (int64_t c = 0; c < channels; c++)
            for (int64_t p = 0; p < positions; p++)
                memcpy((char *)to + (size_t)((n * positions + p) * channels + c) * size,
                       (const char *)of + (size_t)((n * channels + c) * positions + p) * size,
                       size);
}

static struct k_conv_tensor last_of(enum k_dtype dtype, int64_t channels, const int64_t extent[])
{
    return (struct k_conv_tensor){
        dtype,
        extent[0] * extent[1] * extent[2] * channels,
        1,
        {extent[1] * extent[2] * channels, extent[2] * channels, channels}};
}

static struct k_conv_tensor planes_of(enum k_dtype dtype, int64_t channels, const int64_t extent[])
{
    const int64_t plane = extent[0] * extent[1] * extent[2];
    return (struct k_conv_tensor){
        dtype, plane * channels, plane, {extent[1] * extent[2], extent[2], 1}};
}

static struct k_conv few_channels(enum k_dtype dtype)
{
    int64_t large[K_CONV_AXES], small[K_CONV_AXES];
    struct k_conv conv = {.batch = between(1, 2), .groups = between(4, 70), .parts = 1};
    const bool is_deep = between(0, 3) == 0, is_wide = between(0, 3) == 0;
    if (is_wide) conv.groups = between(250, 1200);
    const int64_t group = 1 << between(0, 2);
    if (group > 1) conv.groups = conv.groups / group + CONV_LANES;
    if (between(0, 2) == 0) conv.groups = conv_up(conv.groups, CONV_ALONG_UNIT) * CONV_ALONG_UNIT;
    conv.large_channels = conv.small_channels = group;
    conv.to_large = between(0, 1);
    for (int i = 0; i < K_CONV_AXES; i++) {
        struct k_conv_axis *a = &conv.axis[i];
        *a =
            (struct k_conv_axis){.kernel = between(1, is_wide ? 3 : 5), .stride = 1, .dilation = 1};
        if (between(0, 2) == 0) a->stride = between(1, 4);
        if (between(0, 2) == 0) a->dilation = between(1, 3);
        if (i == 0 && !is_deep) a->kernel = a->stride = a->dilation = 1;
        a->pad = between(0, a->kernel);
        const int64_t reach = (a->kernel - 1) * a->dilation;
        a->large = (reach > 2 * a->pad ? reach - 2 * a->pad : 0) + 1 + between(0, is_wide ? 2 : 9);
        if (i == 0 && !is_deep) a->large = 1, a->pad = 0;
        a->small = (a->large + 2 * a->pad - reach - 1) / a->stride + 1;
        large[i] = a->large;
        small[i] = a->small;
    }
    const int64_t hw = conv.axis[1].kernel * conv.axis[2].kernel, taps = hw * conv.axis[0].kernel;
    conv.weight = (struct k_conv_tensor){dtype, group * taps, taps, {hw, conv.axis[2].kernel, 1}};
    conv.large = planes_of(dtype, conv.groups * group, large);
    conv.small = planes_of(dtype, conv.groups * group, small);
    return conv;
}

/* The same windows over tensors whose channels lie last. */
static struct k_conv channels_last(const struct k_conv *planes)
{
    struct k_conv last = *planes;
    int64_t large[K_CONV_AXES], small[K_CONV_AXES];
    for (int i = 0; i < K_CONV_AXES; i++) {
        large[i] = last.axis[i].large;
        small[i] = last.axis[i].small;
    }
    const int64_t channels = last.groups * last.small_channels;
    last.large = last_of(last.large.dtype, channels, large);
    last.small = last_of(last.small.dtype, channels, small);
    return last;
}

/* Do both tensors fit the buffers here? */
static bool fits(const struct k_conv *conv)
{
    return conv->batch * conv->large.outer <= ELEMENTS &&
           conv->batch * conv->small.outer <= ELEMENTS;
}

Test(conv_direct, along_channels_as_in_planes, .timeout = 300)
{
    static _Alignas(64) float planes[ELEMENTS];
    static char turned[sizeof first];
    const struct k_table *tables[TABLES];
    const size_t count = direct_tables(tables);
    int checked = 0;
    for (int i = 0; i < CASES; i++) {
        const enum k_dtype dtype = (enum k_dtype)(i % K_DTYPES);
        const size_t size = dtype == K_F32 ? 4 : 2;
        const struct k_conv plain = few_channels(dtype);
        struct k_conv last = channels_last(&plain);
        const int64_t shift = between(0, 1) * between(0, 15) * 4;
        const int64_t channels = plain.groups * plain.small_channels;
        if (!k_conv_is_direct(&plain) || !fits(&plain)) continue;
        const struct k_conv_tensor *of = plain.to_large ? &plain.small : &plain.large;
        const struct k_conv_tensor *to = plain.to_large ? &plain.large : &plain.small;
        checked++;
        fill(weight, dtype);
        fill(planes, dtype);
        for (size_t t = 0; t < count; t++) {
            memcpy(from, planes, sizeof from);
            compute(tables[t], &plain, first, shift, 1 << 20);
            memset(turned, 0x5a, sizeof turned);
            turn(first + GUARD + shift, turned + GUARD + shift, plain.batch, channels, to->inner,
                 size);
            turn(planes, from, plain.batch, channels, of->inner, size);
            for (int way = 0; way < 4; way++) {
                last.stream_output = way & 1;
                compute(tables[t], &last, other, shift, way & 2 ? 1 : 5);
                cr_assert_arr_eq(turned, other, sizeof turned, "%s, case %d: other bits",
                                 tables[t]->isa, i);
            }
        }
    }
    cr_assert_gt(checked, CASES / 2, "%d cases", checked);
}

Test(conv_direct, weight_gradient_along_channels_as_in_planes, .timeout = 300)
{
    static _Alignas(64) float large_planes[ELEMENTS], small_planes[ELEMENTS];
    const struct k_table *tables[TABLES];
    const size_t count = k_tables(tables, TABLES);
    int checked = 0;
    for (int i = 0; i < CASES; i++) {
        const enum k_dtype dtype = (enum k_dtype)(i % K_DTYPES);
        const size_t size = dtype == K_F32 ? 4 : 2;
        struct k_conv plain = few_channels(dtype);
        plain.to_large = false;
        plain.parts = between(1, 3);
        const struct k_conv last = channels_last(&plain);
        const size_t bytes = k_conv_parts_bytes(&plain);
        const struct k_problem problem = {&plain, dtype, tables[0]};
        if (k_conv_grad_direct_refuses(&problem) || !fits(&plain) || bytes > sizeof first) continue;
        const int64_t items = plain.parts * plain.groups;
        checked++;
        fill(large_planes, dtype);
        fill(small_planes, dtype);
        const int64_t channels = plain.groups * plain.small_channels;
        turn(large_planes, from, plain.batch, channels, plain.large.inner, size);
        turn(small_planes, weight, plain.batch, channels, plain.small.inner, size);
        for (size_t t = 0; t < count; t++) {
            memset(other, 0x5a, sizeof other);
            tables[t]->conv_grad_direct(&plain, (void *[]){small_planes, large_planes, first},
                                        (struct k_slice){0, items});
            const int64_t at_once = between(1, items);
            for (int64_t item = 0; item < items; item += at_once)
                tables[t]->conv_grad_direct(
                    &last, (void *[]){weight, from, other},
                    (struct k_slice){item, item + at_once < items ? item + at_once : items});
            cr_assert_arr_eq(first, other, bytes, "%s, case %d: other bits", tables[t]->isa, i);
            for (size_t k = bytes; k < bytes + GUARD; k++)
                cr_assert_eq(other[k], 0x5a, "%s, case %d: written behind the result",
                             tables[t]->isa, i);
        }
    }
    cr_assert_gt(checked, CASES / 2, "%d cases", checked);
}
