/* SPDX-License-Identifier: Apache-2.0 */
/* conv_bias_grad of every level: near the definition, the same bits at every level, in every layout
 * and however the work is cut, nothing written beside the result. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "kernels/conv/k_conv.h"
#include "kernels/kernels.h"
#include "tests/support/oracle.h"
#include "tests/support/random.h"

enum { ELEMENTS = 1 << 18, CHANNELS = 600, TABLES = 8, CASES = 90, BEHIND = 8 };

/* Ways in which the tensor lies. */
enum { PLANES, LAST, ROWS_APART, ALL_APART, WAYS };

static struct random dice;
static uint16_t words[2 * ELEMENTS];
static float singles[2 * ELEMENTS];
static double sums[CHANNELS], sizes[CHANNELS];
static float found[CHANNELS + BEHIND], expected[CHANNELS + BEHIND];

struct problem {
    int64_t images, channels, extent[K_CONV_AXES];
    enum k_dtype dtype;
    bool to_large;
};

static int64_t positions_of(const struct problem *p)
{
    return p->extent[0] * p->extent[1] * p->extent[2];
}

/* Planes of one position, long ones, many images, many channels. */
static struct problem random_problem(enum k_dtype dtype)
{
    struct problem p = {.dtype = dtype, .to_large = random_below(&dice, 2) == 1};
    const bool has_depth = random_below(&dice, 4) == 0, is_large = random_below(&dice, 4) == 0;
    for (;;) {
        p.images = random_between(&dice, 1, random_below(&dice, 3) == 0 ? 300 : 4);
        p.channels = random_between(&dice, 1, random_below(&dice, 2) == 0 ? CHANNELS : 8);
        p.extent[0] = has_depth ? random_between(&dice, 1, 5) : 1;
        p.extent[1] = random_between(&dice, 1, is_large ? 110 : 9);
        p.extent[2] = random_between(&dice, 1, is_large ? 110 : 40);
        if (p.images * p.channels * positions_of(&p) <= ELEMENTS) return p;
    }
}

static struct k_conv describe(const struct problem *p, int way)
{
    const int64_t *e = p->extent, c = p->channels;
    struct k_conv_tensor t = {.dtype = p->dtype};
    const int64_t apart = way == ALL_APART ? 2 : 1; /* between elements */
    const int64_t row = e[2] * apart + (way == ROWS_APART ? 3 : 0);
    if (way == LAST)
        t = (struct k_conv_tensor){
            p->dtype, positions_of(p) * c, 1, {e[1] * e[2] * c, e[2] * c, c}};
    else
        t = (struct k_conv_tensor){
            p->dtype, e[0] * e[1] * row * c, e[0] * e[1] * row, {e[1] * row, row, apart}};
    struct k_conv conv = {.batch = p->images,
                          .groups = 1,
                          .small_channels = p->to_large ? 1 : c,
                          .large_channels = p->to_large ? c : 1,
                          .to_large = p->to_large,
                          .bias_dtype = K_F32,
                          .bias_stride = 1};
    for (int i = 0; i < K_CONV_AXES; i++)
        conv.axis[i] = (struct k_conv_axis){.large = e[i], .small = e[i], .kernel = 1};
    *(p->to_large ? &conv.large : &conv.small) = t;
    return conv;
}

static const enum case_dtype cases[] = {
    [K_F32] = CASE_F32, [K_F16] = CASE_F16, [K_BF16] = CASE_BF16};

/* The same values in every layout; NaN everywhere else. False: they do not fit. */
static bool place(const struct problem *p, const struct k_conv *conv, uint64_t seed)
{
    const struct k_conv_tensor *t = p->to_large ? &conv->large : &conv->small;
    const int64_t *e = p->extent;
    struct random values = {seed};
    if (p->images * t->outer > 2 * ELEMENTS) return false;
    memset(singles, 0xff, sizeof singles);
    memset(words, 0xff, sizeof words);
    memset(sums, 0, sizeof sums);
    memset(sizes, 0, sizeof sizes);
    for (int64_t n = 0; n < p->images; n++)
        for (int64_t c = 0; c < p->channels; c++)
            for (int64_t i = 0; i < positions_of(p); i++) {
                const int64_t at = n * t->outer + c * t->inner + i / (e[1] * e[2]) * t->axis[0] +
                                   i / e[2] % e[1] * t->axis[1] + i % e[2] * t->axis[2];
                const float value = (float)random_between(&values, -1000000, 1000000) / 65536;
                const uint64_t bits = oracle_to_bits(cases[p->dtype], value);
                const double stored = oracle_from_bits(cases[p->dtype], bits);
                if (p->dtype == K_F32)
                    memcpy(&singles[at], &bits, sizeof singles[at]);
                else
                    words[at] = (uint16_t)bits;
                sums[c] += stored;
                sizes[c] += fabs(stored);
            }
    return true;
}

static void compute(const struct k_table *table, const struct k_conv *conv, int64_t channels,
                    int64_t at_once, float *to)
{
    const void *from = (conv->to_large ? conv->large : conv->small).dtype == K_F32
                           ? (const void *)singles
                           : (const void *)words;
    for (int64_t c = 0; c < CHANNELS + BEHIND; c++)
        to[c] = 4711;
    for (int64_t c = 0; c < channels; c += at_once)
        table->conv_bias_grad(conv, (void *[]){(void *)(uintptr_t)from, to},
                              (struct k_slice){c, c + at_once < channels ? c + at_once : channels});
}

static void check_definition(const struct problem *p, const char *isa)
{
    const double terms = (double)(p->images * positions_of(p));
    for (int64_t c = 0; c < p->channels; c++)
        cr_assert_leq(fabs(expected[c] - sums[c]), terms * 0x1p-24 * sizes[c],
                      "%s, channel %d: %g, not %g", isa, (int)c, (double)expected[c], sums[c]);
    for (int64_t c = p->channels; c < CHANNELS + BEHIND; c++)
        cr_assert_eq(expected[c], 4711, "%s: written behind the result", isa);
}

Test(conv_bias, every_level_layout_and_cut, .timeout = 300)
{
    const struct k_table *tables[TABLES];
    const size_t count = k_tables(tables, TABLES);
    int fitting[WAYS] = {0};
    dice.state = random_test_seed();
    for (int i = 0; i < CASES; i++) {
        const struct problem p = random_problem((enum k_dtype)(i % K_DTYPES));
        const uint64_t seed = random_next(&dice);
        for (int way = 0; way < WAYS; way++) {
            const struct k_conv conv = describe(&p, way);
            if (!place(&p, &conv, seed)) continue;
            fitting[way]++;
            if (way == PLANES) {
                compute(tables[0], &conv, p.channels, p.channels, expected);
                check_definition(&p, tables[0]->isa);
            }
            for (size_t t = 0; t < count; t++) {
                const int64_t cut[] = {p.channels, random_between(&dice, 1, p.channels)};
                for (int k = 0; k < 2; k++) {
                    compute(tables[t], &conv, p.channels, cut[k], found);
                    cr_assert_arr_eq(expected, found, sizeof found,
                                     "%s, case %d, layout %d, %d channels at once: other bits",
                                     tables[t]->isa, i, way, (int)cut[k]);
                }
            }
        }
    }
    for (int way = 0; way < WAYS; way++)
        cr_assert_gt(fitting[way], CASES / 3, "layout %d: only %d cases", way, fitting[way]);
}
