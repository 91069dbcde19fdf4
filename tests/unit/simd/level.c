/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled once per level, as kernels are. */
#include "tests/unit/simd/level.h"

#include "kernels/vector/block.h"
#include "kernels/vector/dots.h"
#include "kernels/vector/masks.h"

#define FOR_TYPE(dt, call)                                                                         \
    do {                                                                                           \
        if ((dt) == K_F32) call(K_F32);                                                            \
        if ((dt) == K_F16) call(K_F16);                                                            \
        if ((dt) == K_BF16) call(K_BF16);                                                          \
    } while (0)

static vh load_half(const uint16_t *at)
{
    vh half;
    memcpy(&half, at, sizeof half);
    return half;
}

static void from_half(enum k_dtype dt, const uint16_t *half, float *value)
{
    v_store(value, dt == K_F16 ? v_from_f16(load_half(half)) : v_from_bf16(load_half(half)));
}

static void to_half(enum k_dtype dt, const float *value, uint16_t *half)
{
    const vh rounded = dt == K_F16 ? v_to_f16(v_load(value)) : v_to_bf16(v_load(value));
    memcpy(half, &rounded, sizeof rounded);
}

static void to_half_precision(enum k_dtype dt, const float *low, const float *high, uint16_t *words)
{
    const vw both = dt == K_F16 ? v_to_halves(K_F16, v_load(low), v_load(high))
                                : v_to_halves(K_BF16, v_load(low), v_load(high));
    memcpy(words, &both, sizeof both);
}

static void zip_words(int half, const uint16_t *a, const uint16_t *b, uint16_t *zipped)
{
    vw x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    const vw out = half == 0 ? v_zip_halves(0, x, y) : v_zip_halves(1, x, y);
    memcpy(zipped, &out, sizeof out);
}

static void load_first(enum k_dtype dt, const void *at, int count, float *value)
{
#define CALL(type) v_store(value, k_load_first(type, at, count))
    FOR_TYPE(dt, CALL);
#undef CALL
}

static void first(int count, const float *a, const float *b, float *value)
{
    v_store(value, v_first(count, v_load(a), v_load(b)));
}

static void delay(int n, const float *before, const float *value, float *delayed)
{
    const vf b = v_load(before), v = v_load(value);
    v_store(delayed, n == 0   ? v_delay(0, b, v)
                     : n == 1 ? v_delay(1, b, v)
                     : n == 2 ? v_delay(2, b, v)
                              : v_delay(3, b, v));
}

static void advance(const float *value, const float *after, float *advanced)
{
    v_store(advanced, v_advance(v_load(value), v_load(after)));
}

static void spread(int group, int k, const float *a, float *value)
{
    const vf x = v_load(a);
    for (int of = 1; of <= 4; of *= 2)
        for (int i = 0; i < of; i++)
            if (of == group && i == k) v_store(value, v_spread(of, i, x));
}

static void zip(int half, const float *a, const float *b, float *zipped)
{
    const vf x = v_load(a), y = v_load(b);
    v_store(zipped, half == 0 ? v_zip(0, x, y) : v_zip(1, x, y));
}

static void pick(const float *a, const float *b, const int32_t *from, float *picked)
{
    vi lanes;
    memcpy(&lanes, from, sizeof lanes);
    v_store(picked, v_pick(v_load(a), v_load(b), lanes));
    const vi one = (vi)v_pick_one(v_load(a), lanes & (VL - 1)), both = (vi)v_load(picked);
    for (int i = 0; i < VL; i++) /* a difference shows as a value that no test gives */
        if (from[i] < VL && one[i] != both[i]) picked[i] = __builtin_nanf("");
}

static void block_part(enum k_dtype dt, const char *at, int from, int to, const char *begin,
                       const char *end, void *elements)
{
#define CALL(type)                                                                                 \
    k_put(elements, block_elements(type, block_load_part(type, at, from, to, begin, end)))
    FOR_TYPE(dt, CALL);
#undef CALL
}

static void block_delay_by(enum k_dtype dt, int n, const void *before, const void *now,
                           void *elements)
{
#define DELAYED(type, n)                                                                           \
    k_put(elements, block_elements(type, block_delay(type, n, block_load(type, before),            \
                                                     block_load(type, now))))
#define CALL(type)                                                                                 \
    do {                                                                                           \
        if (n == 1) DELAYED(type, 1);                                                              \
        if (n == 2) DELAYED(type, 2);                                                              \
        if (n == 3) DELAYED(type, 3);                                                              \
    } while (0)
    FOR_TYPE(dt, CALL);
#undef CALL
#undef DELAYED
}

static void block_zip_both(enum k_dtype dt, const void *x, const void *y, void *elements)
{
    vf lines[2] = {{0}, {0}};
#define CALL(type) block_zip(type, block_load(type, x), block_load(type, y), lines)
    FOR_TYPE(dt, CALL);
#undef CALL
    memcpy(elements, lines, sizeof lines);
}

static void add_kept(const float *sum, const float *x, const uint8_t *flags, int period, int begin,
                     float *total)
{
    struct k_masks masks = {{0}};
    masks_make(&masks, flags, period);
    v_store(total, v_add_kept(v_load(sum), v_load(x), &masks, begin));
}

static void multiply(enum k_dtype dt, const void *x, const float *numbers, int period, int begin,
                     void *elements)
{
    enum { ROOM = 2 * (MASKS_PERIOD + VL) };
    float table[ROOM];
#define CALL(type)                                                                                 \
    do {                                                                                           \
        block_table(type, table, ROOM, numbers, period);                                           \
        const struct k_block factors = block_entries(type, table, ROOM, block_entry(type, begin)); \
        k_put(elements, block_elements(type, block_multiply(type, block_load(type, x), factors))); \
    } while (0)
    FOR_TYPE(dt, CALL);
#undef CALL
}

static void dot_pairs(const void *a, const void *b, const uint32_t *sum, uint32_t *out)
{
    v_store_u(out, v_dot_pairs(v_load_u(a), v_load_u(b), v_load_u(sum)));
}

#if defined(K_QUADS)
static void dot_quads(bool by_cpu, const void *a, const void *b, const uint32_t *sum, uint32_t *out)
{
    const vu x = v_load_u(a), y = v_load_u(b), z = v_load_u(sum);
#if defined(K_EIGHTS)
    if (by_cpu) {
        v_store_u(out, v_dot_quads_cpu(x, y, z));
        return;
    }
#endif
    (void)by_cpu;
    v_store_u(out, v_dot_quads(x, y, z));
}
#endif

#if defined(K_EIGHTS)
static void dot_lane(const void *a, int lane, const void *b, const uint32_t *sum, uint32_t *out)
{
    v_store_u(out, v_dot_lane(v_load_u(a), lane, v_load_u(b), v_load_u(sum)));
}

static void dot_eights(const void *a, const void *b, const uint32_t *sum, uint32_t *out)
{
    v_store_u(out, v_dot_eights(v_load_u(a), v_load_u(b), v_load_u(sum)));
}

static void quads_of_rows(int vectors, const void *at, int64_t step, uint32_t *out)
{
    vu words[4];
    if (vectors == 2)
        v_quads_of_rows(2, at, step, words);
    else if (vectors == 3)
        v_quads_of_rows(3, at, step, words);
    else
        v_quads_of_rows(4, at, step, words);
    memcpy(out, words, (size_t)vectors * sizeof *words);
}
#endif

simd_level_fn K_SYMBOL(simd_level);
const struct simd_level *K_SYMBOL(simd_level)(void)
{
    static const struct simd_level level = {
        .isa = K_ISA_STRING,
        .lanes = VL,
        .from_half = from_half,
        .to_half = to_half,
        .to_half_precision = to_half_precision,
        .zip_words = zip_words,
        .load_first = load_first,
        .first = first,
        .delay = delay,
        .advance = advance,
        .spread = spread,
        .zip = zip,
        .add_kept = add_kept,
        .pick = pick,
        .block_part = block_part,
        .block_delay = block_delay_by,
        .block_zip = block_zip_both,
        .block_multiply = multiply,
        .dot_pairs = dot_pairs,
#if defined(K_QUADS)
        .dot_quads = dot_quads,
        .quads_everywhere = EVERY_CPU == PLAIN_QUADS,
        .has_unsigned = QUADS_BIAS != 0,
#endif
#if defined(K_EIGHTS)
        .dot_lane = dot_lane,
        .dot_eights = dot_eights,
        .quads_of_rows = quads_of_rows,
#endif
    };
    return &level;
}
