/* SPDX-License-Identifier: Apache-2.0 */
/* Combining elements, on vectors T; included once for each compute type. The tree is fixed: LANES
 * sums, whatever the length of a vector, then halves of them. */

K_TEMPLATE
T NAME(pick)(MASK mask, T a, T b)
{
    return (T)((mask & (MASK)a) | (~mask & (MASK)b));
}

K_TEMPLATE
T NAME(all)(ELEMENT value)
{
    return value - (T){0};
}

K_TEMPLATE
T NAME(at)(const ELEMENT *x)
{
    T y;
    memcpy(&y, x, sizeof y);
    return y;
}

/* ---- how two are combined; NaN wins over every number ---- */

K_TEMPLATE
T NAME(combine)(enum combine how, T a, T b)
{
    if (how == COMBINE_add) return a + b;
    if (how == COMBINE_multiply) return a * b;
    if (how == COMBINE_larger) return NAME(pick)((b > a) | IS_NAN(b), b, a);
    return NAME(pick)((b < a) | IS_NAN(b), b, a);
}

K_TEMPLATE
ELEMENT NAME(combine_one)(enum combine how, ELEMENT a, ELEMENT b)
{
    if (how == COMBINE_add) return (ELEMENT)SUM_OF(a, b);
    if (how == COMBINE_multiply) return (ELEMENT)PRODUCT_OF(a, b);
    if (how == COMBINE_larger) return b > a || IS_NAN(b) ? b : a;
    return b < a || IS_NAN(b) ? b : a;
}

K_TEMPLATE
ELEMENT NAME(neutral)(enum combine how)
{
    if (how == COMBINE_add) return 0;
    if (how == COMBINE_multiply) return 1;
    return how == COMBINE_larger ? LOWEST : HIGHEST;
}

/* ---- what an element becomes ---- */

K_TEMPLATE
T NAME(map)(enum map how, T x, T a)
{
    if (how == MAP_truth) return NAME(pick)(x != 0, NAME(all)(1), (T){0});
#ifdef IS_REAL
    if (how == MAP_zero_of_nan) return (T)((MASK)(x == x) & (MASK)x);
    if (how == MAP_square) return x * x;
    if (how == MAP_size) return NAME(magnitude)(x);
    if (how == MAP_power) return NAME(power)(NAME(magnitude)(x), a);
    if (how == MAP_deviation) return (x - a) * (x - a);
    if (how == MAP_exponential) return NAME(exponential)(x - a);
#endif
    (void)a;
    return x;
}

/* ---- a dense run into lanes ---- */

K_TEMPLATE
void NAME(along)(enum map map, enum combine how, ELEMENT *lanes, const ELEMENT *x, int64_t count,
                 ELEMENT a)
{
    enum { EACH = sizeof(T) / sizeof(ELEMENT), VECTORS = LANE_BYTES / sizeof(T) };
    enum { LANES = LANE_BYTES / sizeof(ELEMENT) };
    const T number = NAME(all)(a);
    T sums[VECTORS], y;
    /* One by one: copied as a whole they would pass through memory in smaller pieces. */
#pragma GCC unroll 8
    for (int v = 0; v < VECTORS; v++)
        sums[v] = NAME(at)(lanes + v * EACH);
    for (; count >= LANES; count -= LANES, x += LANES)
#pragma GCC unroll 8
        for (int v = 0; v < VECTORS; v++)
            sums[v] = NAME(combine)(how, sums[v], NAME(map)(map, NAME(at)(x + v * EACH), number));
    if (count > 0) {
        ELEMENT rest[LANES] = {0};
        memcpy(rest, x, (size_t)count * sizeof *x);
        for (int v = 0; v < VECTORS; v++) {
            y = NAME(map)(map, NAME(at)(rest + v * EACH), number);
            memcpy(rest + v * EACH, &y, sizeof y);
        }
        for (int64_t i = count; i < LANES; i++)
            rest[i] = NAME(neutral)(how);
#pragma GCC unroll 8
        for (int v = 0; v < VECTORS; v++)
            sums[v] = NAME(combine)(how, sums[v], NAME(at)(rest + v * EACH));
    }
#pragma GCC unroll 8
    for (int v = 0; v < VECTORS; v++)
        memcpy(lanes + v * EACH, &sums[v], sizeof sums[v]);
}

/* lanes[0] becomes the combination of all. */
K_TEMPLATE
void NAME(total)(enum combine how, ELEMENT *lanes)
{
    enum { EACH = sizeof(T) / sizeof(ELEMENT), VECTORS = LANE_BYTES / sizeof(T) };
    T sums[VECTORS];
    ELEMENT all[EACH];
#pragma GCC unroll 8
    for (int v = 0; v < VECTORS; v++)
        sums[v] = NAME(at)(lanes + v * EACH);
#pragma GCC unroll 4
    for (int half = VECTORS / 2; half > 0; half /= 2)
#pragma GCC unroll 8
        for (int i = 0; i < half; i++)
            sums[i] = NAME(combine)(how, sums[i], sums[i + half]);
    memcpy(all, &sums[0], sizeof all);
#pragma GCC unroll 4
    for (int half = EACH / 2; half > 0; half /= 2)
#pragma GCC unroll 8
        for (int i = 0; i < half; i++)
            all[i] = NAME(combine_one)(how, all[i], all[i + half]);
    lanes[0] = all[0];
}

/* ---- rows into columns; count is padded to whole vectors by whoever calls ---- */

/* sums[i] = combination of it and of four rows' elements i. */
K_TEMPLATE
void NAME(across)(enum map map, enum combine how, ELEMENT *sums, const ELEMENT *const rows[4],
                  int64_t count, const ELEMENT *a)
{
    enum { EACH = sizeof(T) / sizeof(ELEMENT) };
    int64_t i = 0;
    for (; i + EACH <= count; i += EACH) {
        const T number = USES_NUMBER(map) ? NAME(at)(a + i) : (T){0};
        T sum, x[4];
#pragma GCC unroll 4
        for (int r = 0; r < 4; r++)
            x[r] = NAME(map)(map, NAME(at)(rows[r] + i), number);
        x[0] = NAME(combine)(how, NAME(combine)(how, x[0], x[1]), NAME(combine)(how, x[2], x[3]));
        sum = NAME(combine)(how, NAME(at)(sums + i), x[0]);
        memcpy(sums + i, &sum, sizeof sum);
    }
    if (i == count) return;
    const size_t bytes = (size_t)(count - i) * sizeof(ELEMENT);
    T sum = {0}, number = {0}, x[4] = {{0}};
    memcpy(&sum, sums + i, bytes);
    if (USES_NUMBER(map)) memcpy(&number, a + i, bytes);
    for (int r = 0; r < 4; r++) {
        memcpy(&x[r], rows[r] + i, bytes);
        x[r] = NAME(map)(map, x[r], number);
    }
    x[0] = NAME(combine)(how, NAME(combine)(how, x[0], x[1]), NAME(combine)(how, x[2], x[3]));
    sum = NAME(combine)(how, sum, x[0]);
    memcpy(sums + i, &sum, bytes);
}

/* The same of one row. */
K_TEMPLATE
void NAME(across_one)(enum map map, enum combine how, ELEMENT *sums, const ELEMENT *row,
                      int64_t count, const ELEMENT *a)
{
    enum { EACH = sizeof(T) / sizeof(ELEMENT) };
    int64_t i = 0;
    T sum = {0}, number = {0}, x = {0};
    for (; i + EACH <= count; i += EACH) {
        if (USES_NUMBER(map)) number = NAME(at)(a + i);
        x = NAME(map)(map, NAME(at)(row + i), number);
        sum = NAME(combine)(how, NAME(at)(sums + i), x);
        memcpy(sums + i, &sum, sizeof sum);
    }
    if (i == count) return;
    const size_t bytes = (size_t)(count - i) * sizeof(ELEMENT);
    memcpy(&sum, sums + i, bytes);
    memcpy(&x, row + i, bytes);
    if (USES_NUMBER(map)) memcpy(&number, a + i, bytes);
    sum = NAME(combine)(how, sum, NAME(map)(map, x, number));
    memcpy(sums + i, &sum, bytes);
}

K_TEMPLATE
void NAME(clear)(enum combine how, ELEMENT *sums, int64_t count)
{
    enum { EACH = sizeof(T) / sizeof(ELEMENT) };
    const T neutral = NAME(all)(NAME(neutral)(how));
    for (; count >= EACH; count -= EACH, sums += EACH)
        memcpy(sums, &neutral, sizeof neutral);
    if (count > 0) memcpy(sums, &neutral, (size_t)count * sizeof *sums);
}

static void NAME(fill)(void *sums, double value, int64_t count)
{
    ELEMENT *to = sums;
    for (int64_t i = 0; i < count; i++)
        to[i] = (ELEMENT)value;
}

/* ---- functions for tables ---- */

#define COMBINING(how)                                                                             \
    static void NAME(how##_merge)(void *sums, const void *more, int64_t count)                     \
    {                                                                                              \
        NAME(across_one)(MAP_keep, COMBINE_##how, sums, more, count, NULL);                        \
    }                                                                                              \
    static void NAME(how##_total)(void *lanes)                                                     \
    {                                                                                              \
        NAME(total)(COMBINE_##how, lanes);                                                         \
    }                                                                                              \
    static void NAME(how##_clear)(void *sums, int64_t count)                                       \
    {                                                                                              \
        NAME(clear)(COMBINE_##how, sums, count);                                                   \
    }
COMBINING(add)
COMBINING(multiply)
COMBINING(larger)
COMBINING(smaller)
#undef COMBINING
