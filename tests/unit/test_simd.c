/* SPDX-License-Identifier: Apache-2.0 */
/* The primitives of kernels/vector on every level that this CPU runs, against plain C. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "kernels/isa.h"
#include "kernels/kernels.h"
#include "tests/support/guard.h"
#include "tests/support/oracle.h"
#include "tests/support/random.h"
#include "tests/unit/simd/level.h"

#define SIMD_LEVEL(isa) extern simd_level_fn simd_level__##isa;
#ifdef SIMD_avx512
SIMD_LEVEL(avx512)
#endif
#ifdef SIMD_avx2
SIMD_LEVEL(avx2)
#endif
#ifdef SIMD_neon
SIMD_LEVEL(neon)
#endif
#ifdef SIMD_base
SIMD_LEVEL(base)
#endif

enum { TABLES = 8, ROUNDS = 2000, ELEMENTS = 2 * SIMD_LANES, PERIOD = 100 };

static simd_level_fn *const functions[] = {
#ifdef SIMD_avx512
    simd_level__avx512,
#endif
#ifdef SIMD_avx2
    simd_level__avx2,
#endif
#ifdef SIMD_neon
    simd_level__neon,
#endif
#ifdef SIMD_base
    simd_level__base,
#endif
};

static bool cpu_runs(const char *isa)
{
    const struct k_table *tables[TABLES];
    const size_t count = k_tables(tables, TABLES);
    for (size_t i = 0; i < count; i++)
        if (strcmp(tables[i]->isa, isa) == 0) return true;
    return false;
}

/* The next level that runs here, from *i on; NULL: none. */
static const struct simd_level *next_level(size_t *i)
{
    while (*i < sizeof functions / sizeof *functions) {
        const struct simd_level *level = functions[(*i)++]();
        if (cpu_runs(level->isa)) return level;
    }
    return NULL;
}

#define FOR_LEVELS(level)                                                                          \
    for (size_t next_ = 0; next_ == 0;)                                                            \
        for (const struct simd_level *level; (level = next_level(&next_)) != NULL;)

static const enum case_dtype oracle_types[] = {
    [K_F32] = CASE_F32, [K_F16] = CASE_F16, [K_BF16] = CASE_BF16};

static const int sizes[] = {[K_F32] = 4, [K_F16] = 2, [K_BF16] = 2};

static int elements_of(const struct simd_level *level, enum k_dtype dt)
{
    return level->lanes * 4 / sizes[dt];
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float value_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Element i of a block in memory. */
static double element(enum k_dtype dt, const void *block, int i)
{
    uint64_t bits = 0;
    memcpy(&bits, (const char *)block + i * sizes[dt], (size_t)sizes[dt]);
    return oracle_from_bits(oracle_types[dt], bits);
}

/* Small whole numbers, so that sums and products of a few are exact in every type. */
static void fill_small(struct random *random, enum k_dtype dt, void *block)
{
    for (int i = 0; i < ELEMENTS * 4 / sizes[dt]; i++) {
        const uint64_t bits =
            oracle_to_bits(oracle_types[dt], (double)random_between(random, -7, 7));
        memcpy((char *)block + i * sizes[dt], &bits, (size_t)sizes[dt]);
    }
}

/* ---- half types ---- */

Test(simd, every_half_number_widens_exactly)
{
    FOR_LEVELS(level)
    for (enum k_dtype dt = K_F16; dt <= K_BF16; dt++)
        for (uint32_t bits = 0; bits < 0x10000; bits += (uint32_t)level->lanes) {
            uint16_t half[SIMD_LANES];
            float value[SIMD_LANES];
            for (int i = 0; i < level->lanes; i++)
                half[i] = (uint16_t)(bits + (uint32_t)i);
            level->from_half(dt, half, value);
            for (int i = 0; i < level->lanes; i++) {
                const double expected = oracle_from_bits(oracle_types[dt], half[i]);
                if (isnan(expected))
                    cr_assert(isnan(value[i]), "%s %#x", level->isa, half[i]);
                else
                    cr_assert_eq(bits_of(value[i]), bits_of((float)expected), "%s %#x", level->isa,
                                 half[i]);
            }
        }
}

static void check_rounded(const struct simd_level *level, enum k_dtype dt, float value,
                          uint16_t half)
{
    if (isnan(value)) {
        cr_assert(isnan(oracle_from_bits(oracle_types[dt], half)), "%s NaN %#x gives %#x",
                  level->isa, bits_of(value), half);
        return;
    }
    cr_assert_eq(half, oracle_to_bits(oracle_types[dt], (double)value), "%s %a gives %#x",
                 level->isa, (double)value, half);
}

/* Random bits, and the midpoint behind a half number with its neighbours. */
static float value_to_round(struct random *random, enum k_dtype dt)
{
    if (random_once_in(random, 2)) return value_of((uint32_t)random_next(random));
    const uint64_t half = random_next(random) & 0xffff;
    const double low = oracle_from_bits(oracle_types[dt], half);
    const double high = oracle_from_bits(oracle_types[dt], half + 1);
    if (!isfinite(low) || !isfinite(high)) return (float)low;
    return value_of(bits_of((float)((low + high) / 2)) + (uint32_t)random_between(random, -1, 1));
}

Test(simd, words_round_to_nearest_even)
{
    struct random random = {random_test_seed()};
    FOR_LEVELS(level)
    for (enum k_dtype dt = K_F16; dt <= K_BF16; dt++)
        for (int round = 0; round < 10 * ROUNDS; round++) {
            float value[2 * SIMD_LANES];
            uint16_t half[SIMD_LANES], words[2 * SIMD_LANES];
            for (int i = 0; i < 2 * level->lanes; i++)
                value[i] = value_to_round(&random, dt);
            level->to_half(dt, value, half);
            level->to_half_precision(dt, value, value + level->lanes, words);
            for (int i = 0; i < level->lanes; i++)
                check_rounded(level, dt, value[i], half[i]);
            for (int i = 0; i < 2 * level->lanes; i++)
                check_rounded(level, dt, value[i], words[i]);
        }
}

/* ---- lanes ---- */

Test(simd, lanes_move_as_said)
{
    struct random random = {random_test_seed()};
    FOR_LEVELS(level)
    for (int round = 0; round < ROUNDS; round++) {
        const int lanes = level->lanes;
        float pair[2 * SIMD_LANES], out[SIMD_LANES];
        int32_t from[SIMD_LANES];
        for (int i = 0; i < 2 * lanes; i++)
            pair[i] = value_of((uint32_t)random_next(&random) & 0xbfffffff); /* no NaN */
        const float *a = pair, *b = pair + lanes;
        for (int n = 0; n <= 3; n++) {
            level->delay(n, a, b, out);
            cr_assert_arr_eq(out, pair + lanes - n, (size_t)lanes * sizeof *out, "%s delay %d",
                             level->isa, n);
        }
        level->advance(a, b, out);
        cr_assert_arr_eq(out, pair + 1, (size_t)lanes * sizeof *out, "%s advance", level->isa);
        for (int group = 1; group <= 4; group *= 2)
            for (int k = 0; k < group; k++) {
                level->spread(group, k, a, out);
                for (int i = 0; i < lanes; i++)
                    cr_assert_eq(bits_of(out[i]), bits_of(a[i / group * group + k]),
                                 "%s spread %d of %d, lane %d", level->isa, k, group, i);
            }
        for (int half = 0; half < 2; half++) {
            level->zip(half, a, b, out);
            for (int i = 0; i < lanes; i++)
                cr_assert_eq(bits_of(out[i]),
                             bits_of(pair[i % 2 * lanes + half * lanes / 2 + i / 2]),
                             "%s zip %d lane %d", level->isa, half, i);
        }
        for (int i = 0; i < lanes; i++)
            from[i] = (int32_t)random_below(&random, 2 * lanes);
        level->pick(a, b, from, out);
        for (int i = 0; i < lanes; i++)
            cr_assert_eq(bits_of(out[i]), bits_of(pair[from[i]]), "%s pick lane %d", level->isa, i);
        const int count = (int)random_between(&random, 0, lanes);
        level->first(count, a, b, out);
        for (int i = 0; i < lanes; i++)
            cr_assert_eq(bits_of(out[i]), bits_of(i < count ? a[i] : b[i]), "%s first %d",
                         level->isa, count);
    }
}

Test(simd, words_zip)
{
    FOR_LEVELS(level)
    {
        const int count = 2 * level->lanes;
        uint16_t a[ELEMENTS], b[ELEMENTS], out[ELEMENTS];
        for (int i = 0; i < count; i++)
            a[i] = (uint16_t)(1000 + i), b[i] = (uint16_t)(2000 + i);
        for (int half = 0; half < 2; half++) {
            level->zip_words(half, a, b, out);
            for (int i = 0; i < count; i++)
                cr_assert_eq(out[i], (i % 2 ? b : a)[half * count / 2 + i / 2], "%s half %d at %d",
                             level->isa, half, i);
        }
    }
}

Test(simd, a_part_is_read_and_nothing_else)
{
    struct random random = {random_test_seed()};
    struct guard guard = {0};
    FOR_LEVELS(level)
    for (int round = 0; round < ROUNDS; round++) {
        const enum k_dtype dt = (enum k_dtype)random_below(&random, K_DTYPES);
        const int count = (int)random_between(&random, 1, level->lanes - 1);
        float value[SIMD_LANES];
        unsigned char *at =
            guard_place(&guard, (size_t)(count * sizes[dt]), GUARD_END, (size_t)sizes[dt]);
        for (int i = 0; i < count * sizes[dt]; i++)
            at[i] = (unsigned char)(random_next(&random) & 0x3f);
        level->load_first(dt, at, count, value);
        for (int i = 0; i < level->lanes; i++)
            cr_assert_eq(bits_of(value[i]), bits_of(i < count ? (float)element(dt, at, i) : 0),
                         "%s lane %d of %d", level->isa, i, count);
    }
    guard_free(&guard);
}

/* ---- blocks ---- */

Test(simd, a_part_of_a_block_keeps_its_place)
{
    struct random random = {random_test_seed()};
    struct guard guard = {0};
    FOR_LEVELS(level)
    for (int round = 0; round < ROUNDS; round++) {
        const enum k_dtype dt = (enum k_dtype)random_below(&random, K_DTYPES);
        const int all = elements_of(level, dt), size = sizes[dt];
        const int from = (int)random_below(&random, all);
        const int to = (int)random_between(&random, from + 1, all);
        const bool whole = random_once_in(&random, 2); /* all of it may be read */
        const int begin = whole ? 0 : from, end = whole ? all : to;
        char out[64];
        char *at = guard_place(&guard, (size_t)((end - begin) * size),
                               random_once_in(&random, 2) ? GUARD_FRONT : GUARD_END, (size_t)size);
        for (int i = 0; i < (end - begin) * size; i++)
            at[i] = (char)(random_next(&random) & 0x3f);
        level->block_part(dt, at - begin * size, from, to, at, at + (end - begin) * size, out);
        for (int i = 0; i < all; i++)
            cr_assert_eq(element(dt, out, i), i >= from && i < to ? element(dt, at, i - begin) : 0,
                         "%s type %d: element %d of [%d, %d)", level->isa, (int)dt, i, from, to);
    }
    guard_free(&guard);
}

Test(simd, blocks_move_as_their_elements)
{
    struct random random = {random_test_seed()};
    FOR_LEVELS(level)
    for (int round = 0; round < ROUNDS; round++) {
        const enum k_dtype dt = (enum k_dtype)random_below(&random, K_DTYPES);
        const int all = elements_of(level, dt), n = (int)random_between(&random, 1, 3);
        char x[4 * ELEMENTS], y[4 * ELEMENTS], out[128];
        fill_small(&random, dt, x);
        fill_small(&random, dt, y);
        level->block_delay(dt, n, x, y, out);
        for (int i = 0; i < all; i++)
            cr_assert_eq(element(dt, out, i),
                         i < n ? element(dt, x, all + i - n) : element(dt, y, i - n),
                         "%s type %d: delay %d of element %d", level->isa, (int)dt, n, i);
        level->block_zip(dt, x, y, out);
        for (int i = 0; i < 2 * all; i++)
            cr_assert_eq(element(dt, out, i), element(dt, i % 2 ? y : x, i / 2),
                         "%s type %d: zip of element %d", level->isa, (int)dt, i);
    }
}

Test(simd, tables_repeat)
{
    struct random random = {random_test_seed()};
    FOR_LEVELS(level)
    for (int round = 0; round < ROUNDS; round++) {
        const enum k_dtype dt = (enum k_dtype)random_below(&random, K_DTYPES);
        const int all = elements_of(level, dt), period = (int)random_between(&random, 1, PERIOD);
        int begin = (int)random_below(&random, period);
        begin -= begin % 2;
        char x[4 * ELEMENTS], out[64];
        float numbers[PERIOD];
        fill_small(&random, dt, x);
        for (int i = 0; i < period; i++)
            numbers[i] = (float)random_between(&random, 1, 7);
        level->block_multiply(dt, x, numbers, period, begin, out);
        for (int i = 0; i < all; i++)
            cr_assert_eq(element(dt, out, i),
                         element(dt, x, i) * (double)numbers[(begin + i) % period],
                         "%s type %d: product of element %d, period %d from %d", level->isa,
                         (int)dt, i, period, begin);
    }
}

Test(simd, masks_repeat)
{
    struct random random = {random_test_seed()};
    FOR_LEVELS(level)
    for (int round = 0; round < ROUNDS; round++) {
        const int period = (int)random_between(&random, 1, PERIOD);
        const int begin = (int)random_below(&random, period);
        char x[4 * ELEMENTS], y[4 * ELEMENTS], out[64];
        uint8_t flags[PERIOD];
        fill_small(&random, K_F32, x);
        fill_small(&random, K_F32, y);
        for (int i = 0; i < period; i++)
            flags[i] = random_once_in(&random, 2);
        level->add_kept((const float *)(void *)x, (const float *)(void *)y, flags, period, begin,
                        (float *)(void *)out);
        for (int i = 0; i < level->lanes; i++)
            cr_assert_eq(element(K_F32, out, i),
                         element(K_F32, x, i) +
                             (flags[(begin + i) % period] ? element(K_F32, y, i) : 0),
                         "%s: sum of element %d, period %d from %d", level->isa, i, period, begin);
    }
}

/* ---- dot products of integers ---- */

enum { BYTES = 4 * SIMD_LANES };

/* A byte, one of the ends half of the time. */
static char byte_of(struct random *random)
{
    if (random_once_in(random, 2)) return (char)random_next(random);
    return random_once_in(random, 2) ? -128 : 127;
}

struct integers {
    char a[BYTES], b[BYTES];
    uint32_t sum[SIMD_LANES], out[SIMD_LANES];
};

static void draw(struct random *random, struct integers *to)
{
    for (int i = 0; i < BYTES; i++)
        to->a[i] = byte_of(random), to->b[i] = byte_of(random);
    for (int i = 0; i < SIMD_LANES; i++)
        to->sum[i] = (uint32_t)random_next(random);
}

/* Of `count` bytes each; what wraps is the same modulo 2^32. */
static uint32_t dot(bool is_unsigned, const char *a, const char *b, int count)
{
    int32_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += (is_unsigned ? (int)(unsigned char)a[i] : (int)(signed char)a[i]) *
               (int)(signed char)b[i];
    return (uint32_t)sum;
}

Test(simd, dot_products_of_words_are_exact)
{
    struct random random = {random_test_seed()};
    FOR_LEVELS(level)
    for (int round = 0; round < ROUNDS; round++) {
        struct integers n;
        int16_t a[2 * SIMD_LANES], b[2 * SIMD_LANES];
        draw(&random, &n);
        for (int i = 0; i < 2 * SIMD_LANES; i++)
            a[i] = (signed char)n.a[i], b[i] = (signed char)n.b[i];
        level->dot_pairs(a, b, n.sum, n.out);
        for (int i = 0; i < level->lanes; i++)
            cr_assert_eq(n.out[i], n.sum[i] + dot(false, n.a + 2 * i, n.b + 2 * i, 2), "%s lane %d",
                         level->isa, i);
    }
}

Test(simd, dot_products_of_bytes_are_exact)
{
    struct random random = {random_test_seed()};
    FOR_LEVELS(level)
    for (int by_cpu = 0; by_cpu < 2; by_cpu++) {
        if (!level->dot_quads || !(by_cpu ? k_dots_int8() : level->quads_everywhere)) continue;
        for (int round = 0; round < ROUNDS; round++) {
            struct integers n;
            draw(&random, &n);
            level->dot_quads(by_cpu, n.a, n.b, n.sum, n.out);
            for (int i = 0; i < level->lanes; i++)
                cr_assert_eq(n.out[i],
                             n.sum[i] + dot(level->has_unsigned, n.a + 4 * i, n.b + 4 * i, 4),
                             "%s lane %d, the CPU's: %d", level->isa, i, by_cpu);
            for (int lane = 0; lane < 4 && by_cpu && level->dot_lane; lane++) {
                level->dot_lane(n.a, lane, n.b, n.sum, n.out);
                for (int i = 0; i < level->lanes; i++)
                    cr_assert_eq(n.out[i], n.sum[i] + dot(false, n.a + 4 * i, n.b + 4 * lane, 4),
                                 "%s lane %d with lane %d", level->isa, i, lane);
            }
        }
    }
}

Test(simd, products_of_two_rows_and_two_columns_are_exact)
{
    struct random random = {random_test_seed()};
    FOR_LEVELS(level)
    for (int round = 0; round < ROUNDS && level->dot_eights && k_tiles_int8(); round++) {
        struct integers n;
        draw(&random, &n);
        level->dot_eights(n.a, n.b, n.sum, n.out);
        for (int i = 0; i < 4; i++)
            cr_assert_eq(n.out[i], n.sum[i] + dot(false, n.a + i / 2 * 8, n.b + i % 2 * 8, 8),
                         "%s row %d column %d", level->isa, i / 2, i % 2);
    }
}

Test(simd, rows_of_bytes_become_words_and_nothing_else_is_read)
{
    struct random random = {random_test_seed()};
    struct guard guard = {0};
    FOR_LEVELS(level)
    for (int round = 0; round < ROUNDS && level->quads_of_rows; round++) {
        const int vectors = (int)random_between(&random, 2, 4), row = vectors * level->lanes;
        const int step = row + (int)random_below(&random, 5), size = 3 * step + row;
        uint32_t words[4 * SIMD_LANES];
        char *at = guard_place(&guard, (size_t)size, GUARD_END, 1);
        for (int i = 0; i < size; i++)
            at[i] = (char)random_next(&random);
        level->quads_of_rows(vectors, at, step, words);
        for (int i = 0; i < 4 * row; i++)
            cr_assert_eq(((char *)words)[i], at[i % 4 * step + i / 4], "%s: byte %d of %d",
                         level->isa, i, 4 * row);
    }
    guard_free(&guard);
}
