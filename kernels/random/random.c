/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of numbers, then of doubles or integers, which are rounded once. Contraction is off for
 * this file: uniform numbers have the same bits on all levels. */
#include "kernels/random/k_random.h"

#include <math.h>
#include <string.h>

#include "kernels/loop/convert.h"
#include "kernels/vector/math.h"

enum { LANES = 16, ROUNDS = 10, WORDS = 2 * K_RANDOM_TILE };

/* ---- Philox ---- */

struct key {
    uint64_t seed, offset;
};

/* LANES blocks: 4 LANES words. */
static void philox(struct key key, uint64_t block, uint32_t *words)
{
    uint32_t x0[LANES], x1[LANES], x2[LANES], x3[LANES];
    uint32_t k0 = (uint32_t)key.seed, k1 = (uint32_t)(key.seed >> 32);
    for (int i = 0; i < LANES; i++) {
        x0[i] = (uint32_t)(block + (uint64_t)i);
        x1[i] = (uint32_t)((block + (uint64_t)i) >> 32);
        x2[i] = (uint32_t)key.offset;
        x3[i] = (uint32_t)(key.offset >> 32);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < LANES; i++) {
            const uint64_t a = (uint64_t)x0[i] * 0xD2511F53, b = (uint64_t)x2[i] * 0xCD9E8D57;
            x0[i] = (uint32_t)(b >> 32) ^ x1[i] ^ k0;
            x1[i] = (uint32_t)b;
            x2[i] = (uint32_t)(a >> 32) ^ x3[i] ^ k1;
            x3[i] = (uint32_t)a;
        }
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    for (int i = 0; i < LANES; i++) {
        words[4 * i] = x0[i];
        words[4 * i + 1] = x1[i];
        words[4 * i + 2] = x2[i];
        words[4 * i + 3] = x3[i];
    }
}

static struct key key_of(const struct k_random *r, const void *seed, const void *offset)
{
    struct key key = {r->seed, r->offset};
    uint64_t more;
    if (!r->has_seed) return key;
    memcpy(&key.seed, seed, sizeof key.seed);
    memcpy(&more, offset, sizeof more);
    key.offset += more;
    return key;
}

/* The numbers of `count` elements from number `first` on, a multiple of 4. words: WORDS. */
static void fill_words(struct key key, bool is_wide, int64_t first, int64_t count, uint32_t *words)
{
    const int64_t each = is_wide ? 2 : 1, blocks = (count * each + 3) / 4;
    for (int64_t i = 0; i < blocks; i += LANES)
        philox(key, (uint64_t)(first * each / 4 + i), words + 4 * i);
}

static inline uint64_t pair_of(const uint32_t *words, int64_t i)
{
    return words[2 * i] | (uint64_t)words[2 * i + 1] << 32;
}

/* ---- fractions ---- */

static void fractions(const uint32_t *words, bool is_wide, int64_t count, double *u)
{
    if (is_wide)
        for (int64_t i = 0; i < count; i++)
            u[i] = (double)(int64_t)(pair_of(words, i) >> 11) * 0x1p-53;
    else
        for (int64_t i = 0; i < count; i++)
            u[i] = (int32_t)(words[i] >> 8) * 0x1p-24;
}

static void open_fractions(const uint32_t *words, bool is_wide, int64_t count, double *v)
{
    if (is_wide)
        for (int64_t i = 0; i < count; i++)
            v[i] = ((double)(int64_t)(pair_of(words, i) >> 12) + 0.5) * 0x1p-52;
    else
        for (int64_t i = 0; i < count; i++)
            v[i] = ((double)(int64_t)words[i] + 0.5) * 0x1p-32;
}

/* ---- distributions ---- */

/* x = -log(x); whole vectors are read and written. */
static void minus_logs(double *x, int64_t count)
{
    enum { VD = sizeof(vd) / sizeof(double) };
    for (int64_t i = 0; i < count; i += VD) {
        vd v;
        memcpy(&v, x + i, sizeof v);
        v = -wide_log_precise(v);
        memcpy(x + i, &v, sizeof v);
    }
}

/* u: radii in even places, turns in odd ones. */
static void polar(double *u, int64_t count)
{
    enum { VD = sizeof(vd) / sizeof(double), PART = 64 };
    for (int64_t begin = 0; begin < count; begin += 2 * PART) {
        double radius[PART], turn[PART];
        for (int i = 0; i < PART; i++) {
            radius[i] = u[begin + 2 * i];
            turn[i] = 2 * u[begin + 2 * i + 1];
        }
        minus_logs(radius, PART);
        for (int i = 0; i < PART; i += VD) {
            vd r, a;
            memcpy(&r, radius + i, sizeof r);
            memcpy(&a, turn + i, sizeof a);
            const struct wide_turn t = wide_turn_of(a);
            r = vd_sqrt(2 * r);
            r = vd_if(vd_less(vd_all(0.5), a), vd_if(vd_less(a, vd_all(1.5)), -r, r), r);
            const vd x = r * t.cosine, y = r * t.sine;
            memcpy(radius + i, &x, sizeof x);
            memcpy(turn + i, &y, sizeof y);
        }
        for (int i = 0; i < PART; i++) {
            u[begin + 2 * i] = radius[i];
            u[begin + 2 * i + 1] = turn[i];
        }
    }
}

struct tile {
    _Alignas(64) uint32_t words[WORDS];
    _Alignas(64) double x[K_RANDOM_TILE], a[K_RANDOM_TILE], b[K_RANDOM_TILE];
    int64_t whole[K_RANDOM_TILE];
};

static const double *operand(bool is_given, enum k_dtype dtype, const void *from, double number,
                             int64_t first, int64_t count, double *room)
{
    if (is_given)
        k_widen(K_AS_F64, dtype, (const char *)from + first * k_dtype_size(dtype), room, count);
    else
        for (int64_t i = 0; i < count; i++)
            room[i] = number;
    return room;
}

static void whole_numbers(const struct k_random *r, struct tile *t, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const uint64_t x = pair_of(t->words, i);
        const uint64_t high =
            r->kind == K_RANDOM_KEY ? x : (uint64_t)((unsigned __int128)x * r->range >> 64);
        t->whole[i] = (int64_t)((uint64_t)r->least + high);
    }
}

static void real_numbers(const struct k_random *r, struct tile *t, const double *a, const double *b,
                         int64_t count)
{
    double *x = t->x;
    switch (r->kind) {
    case K_RANDOM_UNIFORM:
        fractions(t->words, r->is_wide, count, x);
        for (int64_t i = 0; i < count; i++) {
            x[i] = r->a + x[i] * (r->b - r->a);
            x[i] = x[i] > r->limit ? r->limit : x[i];
        }
        return;
    case K_RANDOM_NORMAL:
        open_fractions(t->words, r->is_wide, K_RANDOM_TILE, x);
        polar(x, K_RANDOM_TILE);
        for (int64_t i = 0; i < count; i++)
            x[i] = a[i] + b[i] * x[i];
        return;
    case K_RANDOM_TRUTH:
        for (int64_t i = 0; i < count; i++)
            x[i] = (double)(int64_t)t->words[i] < a[i] * 0x1p32;
        return;
    default:
        open_fractions(t->words, r->is_wide, K_RANDOM_TILE, x);
        minus_logs(x, K_RANDOM_TILE);
        for (int64_t i = 0; i < count; i++)
            x[i] = r->kind == K_RANDOM_RACE ? a[i] / x[i] : x[i] / a[i];
    }
}

/* K_RANDOM_TILE bytes would take eight tiles of words: a byte's numbers are drawn in turn. */
static void bits(const struct k_random *r, struct key key, int64_t first, int64_t count, char *to,
                 struct tile *t)
{
    enum { BYTES = K_RANDOM_TILE / 8 };
    const double bound = r->a * 0x1p32;
    for (int64_t begin = 0; begin < count; begin += BYTES) {
        const int64_t some = count - begin < BYTES ? count - begin : BYTES;
        fill_words(key, false, 8 * (first + begin), 8 * some, t->words);
        for (int64_t i = 0; i < some; i++) {
            unsigned byte = 0;
            for (int bit = 0; bit < 8; bit++)
                byte |= (unsigned)((double)(int64_t)t->words[8 * i + bit] >= bound) << bit;
            to[begin + i] = (char)byte;
        }
    }
}

k_fn K_SYMBOL(random), K_SYMBOL(dropout), K_SYMBOL(draw_check), K_SYMBOL(draw_sums), K_SYMBOL(draw);

void K_SYMBOL(random)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_random *r = parameters;
    const struct key key = key_of(r, buffers[K_RANDOM_SEED], buffers[K_RANDOM_OFFSET]);
    const bool is_whole = r->kind == K_RANDOM_WHOLE || r->kind == K_RANDOM_KEY;
    struct tile tile;
    memset(tile.words, 0, sizeof tile.words);
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t first = item * K_RANDOM_TILE, left = r->elements - first;
        const int64_t count = left < K_RANDOM_TILE ? left : K_RANDOM_TILE;
        char *to = (char *)buffers[K_RANDOM_TO] + first * k_dtype_size(r->to);
        if (r->kind == K_RANDOM_BITS) {
            bits(r, key, first, count, to, &tile);
            continue;
        }
        fill_words(key, r->is_wide, first, (count + 1) / 2 * 2, tile.words);
        if (is_whole) {
            whole_numbers(r, &tile, count);
            k_narrow(K_AS_I64, r->to, tile.whole, to, count);
            continue;
        }
        const double *a =
            operand(r->has_a, r->a_type, buffers[K_RANDOM_A], r->a, first, count, tile.a);
        const double *b =
            operand(r->has_b, r->b_type, buffers[K_RANDOM_B], r->b, first, count, tile.b);
        real_numbers(r, &tile, a, b, count);
        k_narrow(K_AS_F64, r->to, tile.x, to, count);
    }
}

void K_SYMBOL(dropout)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_dropout *d = parameters;
    const unsigned char *mask = buffers[K_DROPOUT_MASK];
    _Alignas(64) double x[K_RANDOM_TILE];
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t first = item * K_RANDOM_TILE, left = d->elements - first;
        const int64_t count = left < K_RANDOM_TILE ? left : K_RANDOM_TILE;
        k_widen(K_AS_F64, d->from,
                (const char *)buffers[K_DROPOUT_FROM] + first * k_dtype_size(d->from), x, count);
        for (int64_t i = 0; i < count; i++) {
            const bool is_kept = mask[(first + i) / 8] >> (i % 8) & 1;
            x[i] = is_kept ? x[i] * d->scale : 0;
        }
        k_narrow(K_AS_F64, d->to, x, (char *)buffers[K_DROPOUT_TO] + first * k_dtype_size(d->to),
                 count);
    }
}

/* ---- draws ---- */

static bool is_weight(double x)
{
    return x >= 0 && x < (double)INFINITY;
}

/* The first weight of the row that is none, or the row. */
static void note_row(const struct k_draw *d, const void *from, int64_t row, struct k_fault *fault)
{
    int64_t place = 0;
    while (place < d->count && is_weight(k_number_at(d->dtype, from, row * d->count + place)))
        place++;
    k_fault_note(fault, row * (d->count + 1) + place);
}

void K_SYMBOL(draw_check)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_draw *d = parameters;
    const char *from = buffers[K_DRAW_FROM];
    _Alignas(64) double x[K_RANDOM_TILE];
    for (int64_t row = slice.begin; row < slice.end; row++) {
        bool has_others = false, has_some = false;
        for (int64_t begin = 0; begin < d->count; begin += K_RANDOM_TILE) {
            const int64_t left = d->count - begin;
            const int64_t count = left < K_RANDOM_TILE ? left : K_RANDOM_TILE;
            k_widen(K_AS_F64, d->dtype, from + (row * d->count + begin) * k_dtype_size(d->dtype), x,
                    count);
            for (int64_t i = 0; i < count; i++) {
                has_others |= !is_weight(x[i]);
                has_some |= x[i] > 0;
            }
        }
        if (has_others || !has_some) note_row(d, from, row, buffers[K_DRAW_CHECK_BUFFERS]);
    }
}

void K_SYMBOL(draw_sums)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_draw *d = parameters;
    const char *from = buffers[K_DRAW_FROM];
    for (int64_t row = slice.begin; row < slice.end; row++) {
        double *sums = (double *)buffers[K_DRAW_SUMS] + row * d->count, sum = 0;
        bool has_others = false;
        k_widen(K_AS_F64, d->dtype, from + row * d->count * k_dtype_size(d->dtype), sums, d->count);
        for (int64_t i = 0; i < d->count; i++) {
            has_others |= !(sums[i] >= 0);
            sums[i] = sum += sums[i];
        }
        if (has_others || !(sum > 0 && sum < (double)INFINITY))
            note_row(d, from, row, buffers[K_DRAW_SUMS_BUFFERS]);
    }
}

static int64_t pick(const double *sums, int64_t count, double wanted)
{
    int64_t low = 0, high = count - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (sums[middle] > wanted)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void K_SYMBOL(draw)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_draw *d = parameters;
    const struct key key =
        key_of(&d->random, buffers[K_DRAW_PICK_SEED], buffers[K_DRAW_PICK_OFFSET]);
    const int64_t all = d->rows * d->draws;
    int64_t *to = buffers[K_DRAW_PICK_TO];
    struct tile tile;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t first = item * K_RANDOM_TILE;
        const int64_t count = all - first < K_RANDOM_TILE ? all - first : K_RANDOM_TILE;
        fill_words(key, true, first, count, tile.words);
        fractions(tile.words, true, count, tile.x);
        for (int64_t i = 0; i < count; i++) {
            const double *sums =
                (const double *)buffers[K_DRAW_PICK_SUMS] + (first + i) / d->draws * d->count;
            to[first + i] = pick(sums, d->count, tile.x[i] * sums[d->count - 1]);
        }
    }
}
