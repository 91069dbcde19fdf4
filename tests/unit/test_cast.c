/* SPDX-License-Identifier: Apache-2.0 */
/* Casts by the loop, of every level and for every pair of types that are cast without a cut,
 * against the nearest number found in extended precision. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/elementwise/k_elementwise.h"
#include "kernels/kernels.h"
#include "tests/support/random.h"

enum { TABLES = 8, MOST = 700, TYPES = 13 };

/* A floating type by its precision and range, an integer type by its width. */
static const struct type {
    enum k_dtype dtype;
    int size, precision, least, largest; /* precision 0: an integer; exponents of ulp and range */
    bool is_signed;
} types[TYPES] = {
    {K_F32, 4, 24, -149, 128, true},   {K_F16, 2, 11, -24, 16, true},
    {K_BF16, 2, 8, -133, 128, true},   {K_I8, 1, 0, 0, 0, true},
    {K_U8, 1, 0, 0, 0, false},         {K_I16, 2, 0, 0, 0, true},
    {K_U16, 2, 0, 0, 0, false},        {K_I32, 4, 0, 0, 0, true},
    {K_U32, 4, 0, 0, 0, false},        {K_I64, 8, 0, 0, 0, true},
    {K_U64, 8, 0, 0, 0, false},        {K_BOOL, 1, 0, 0, 0, false},
    {K_F64, 8, 53, -1074, 1024, true},
};

/* Exact for every type: 64 bits of mantissa at least are asked for below. */
static long double value_of(const struct type *type, const char *at)
{
    uint64_t bits = 0;
    memcpy(&bits, at, (size_t)type->size);
    if (type->dtype == K_BOOL) return bits != 0;
    if (type->precision == 0) {
        const int unused = 64 - 8 * type->size;
        return type->is_signed ? (long double)((int64_t)(bits << unused) >> unused) : bits;
    }
    if (type->dtype == K_F64) {
        double value;
        memcpy(&value, at, sizeof value);
        return value;
    }
    if (type->dtype != K_F16) {
        const uint32_t wide = (uint32_t)bits << (type->dtype == K_BF16 ? 16 : 0);
        float value;
        memcpy(&value, &wide, sizeof value);
        return value;
    }
    const int exponent = (int)(bits >> 10 & 31), mantissa = (int)(bits & 0x3ff);
    const long double value = exponent == 31  ? (mantissa ? (long double)NAN : INFINITY)
                              : exponent == 0 ? ldexpl(mantissa, -24)
                                              : ldexpl(mantissa + 1024, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

static long double nearest(const struct type *type, long double value)
{
    if (value == 0 || !isfinite(value)) return value;
    int exponent;
    frexpl(value, &exponent);
    const int ulp =
        exponent - type->precision > type->least ? exponent - type->precision : type->least;
    const long double rounded = ldexpl(rintl(ldexpl(value, -ulp)), ulp);
    return fabsl(rounded) >= ldexpl(1, type->largest) ? copysignl(INFINITY, value) : rounded;
}

static bool can_cast(const struct type *from, const struct type *to)
{
    if (from->precision != 0 && to->precision == 0) return false;
    if (from->dtype == K_U64 && to->precision != 0) return false; /* the loop has them as int64_t */
    return to->dtype != K_BOOL || from->dtype == K_BOOL;
}

/* Bits at random; integers also near powers of two and near ties of the floating types. */
static uint64_t random_bits(const struct type *type, struct random *random)
{
    uint64_t bits = random_next(random);
    if (type->precision != 0 || random_once_in(random, 3)) return bits;
    bits >>= random_below(random, 64);
    if (random_once_in(random, 2)) {
        const int at = (int)random_between(random, 8, 60);
        bits = (bits & (UINT64_C(0xfff) << at)) | UINT64_C(1) << (at - 1);
        bits += (uint64_t)random_between(random, -1, 1);
    }
    return random_once_in(random, 2) ? bits : 0 - bits;
}

static bool is_right(const struct type *from, const struct type *to, const char *in,
                     const char *out)
{
    const long double value = value_of(from, in), got = value_of(to, out);
    if (to->precision == 0) { /* the low bits, or 0 and 1 */
        uint64_t wide = from->dtype == K_BOOL ? (uint64_t)value
                        : from->is_signed     ? (uint64_t)(int64_t)value
                                              : (uint64_t)value;
        return memcmp(&wide, out, (size_t)to->size) == 0;
    }
    const long double want = nearest(to, value);
    return isnan(want) ? isnan(got) : got == want && !signbit(got) == !signbit(want);
}

static void check(const struct type *from, const struct type *to, struct random *random)
{
    static char in[MOST * 8], out[MOST * 8 + 16];
    const struct k_table *tables[TABLES];
    const size_t levels = k_tables(tables, TABLES);
    const int64_t count = random_between(random, 1, MOST);
    struct k_elementwise cast = {
        .core = K_CORE_copy,
        .loop = {.compute = k_compute_of(from->dtype),
                 .results = 1,
                 .operands = 1,
                 .rank = 1,
                 .sizes = {count},
                 .operand = {{to->dtype, to->dtype, 0, {1}}, {from->dtype, from->dtype, 0, {1}}}}};
    const struct k_work work = k_elementwise_finish(&cast);
    const int64_t cut = random_below(random, work.items + 1);
    for (int64_t i = 0; i < count; i++) {
        const uint64_t bits = random_bits(from, random);
        memcpy(in + i * from->size, &bits, (size_t)from->size);
    }
    void *buffers[] = {out, in};
    for (size_t t = 0; t < levels; t++) {
        memset(out, 0x5A, sizeof out);
        tables[t]->elementwise(&cast, buffers, (struct k_slice){0, cut});
        tables[t]->elementwise(&cast, buffers, (struct k_slice){cut, work.items});
        for (int64_t i = 0; i < count; i++)
            cr_assert(is_right(from, to, in + i * from->size, out + i * to->size),
                      "level %zu, type %d to %d, element %ld: %Lg became %Lg", t, from->dtype,
                      to->dtype, (long)i, value_of(from, in + i * from->size),
                      value_of(to, out + i * to->size));
        for (int64_t i = count * to->size; i < (int64_t)sizeof out; i++)
            cr_assert_eq(out[i], 0x5A, "level %zu wrote behind its elements", t);
    }
}

Test(cast, every_pair_is_rounded_once)
{
    cr_assert(__LDBL_MANT_DIG__ >= 64);
    struct random random = {random_test_seed()};
    for (int64_t round = 0; round < random_test_count(20); round++)
        for (int from = 0; from < TYPES; from++)
            for (int to = 0; to < TYPES; to++)
                if (can_cast(&types[from], &types[to])) check(&types[from], &types[to], &random);
}
