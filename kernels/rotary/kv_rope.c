/* SPDX-License-Identifier: Apache-2.0 */
/* A row at a time, tiles of columns in turn. */
#include "kernels/rotary/k_kv_rope.h"

#include <math.h>

#include "kernels/loop/convert.h"

enum { TILE = 512, LANES = 4 };

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void load(enum k_dtype dtype, const void *table, int64_t at, int64_t count, float *to)
{
    k_widen(K_AS_F32, dtype, (const char *)table + at * k_dtype_size(dtype), to, count);
}

/* A row's place among the results: its number, its head and how many columns it has. */
struct row {
    int64_t number, head, columns;
};

/* Scales or offsets of columns. */
static void load_numbers(const float *from, int64_t count, const struct row *row, int64_t column,
                         int64_t columns, float *to)
{
    const int64_t first = count > row->columns ? row->head * row->columns : 0;
    for (int64_t i = 0; i < columns; i++)
        to[i] = count == 1 ? from[0] : from[first + column + i];
}

/* Results of columns from `column` on, to the four buffers of a side. */
static void put(const struct k_kv_rope *r, const struct k_kv_rope_side *side, void *const buffers[],
                const struct row *row, int64_t column, int64_t count, float *x)
{
    const int64_t at = row->number * row->columns + column;
    float scale[TILE], offset[TILE];
    if (side->is_plain)
        k_narrow(K_AS_F32, r->dtype, x, (char *)buffers[0] + at * k_dtype_size(r->dtype), count);
    if (!side->is_whole) return;
    load_numbers(buffers[2], side->scales, row, column, count, scale);
    for (int64_t i = 0; i < count; i++)
        x[i] *= scale[i];
    if (side->has_offset) {
        load_numbers(buffers[3], side->offsets, row, column, count, offset);
        for (int64_t i = 0; i < count; i++)
            x[i] += offset[i];
    }
    int8_t *to = (int8_t *)buffers[1] + at;
    for (int64_t i = 0; i < count; i++) {
        const float whole = rintf(x[i]), least = whole > -128 ? whole : -128;
        const float in = least < 127 ? least : 127;
        to[i] = (int8_t)(x[i] == x[i] ? in : 0);
    }
}

static float root_of(const struct k_kv_rope *r, const void *x, int64_t at)
{
    double lanes[LANES] = {0};
    float tile[TILE];
    for (int64_t column = 0; column < r->values; column += TILE) {
        const int64_t count = smaller(TILE, r->values - column);
        load(r->dtype, x, at + column, count, tile);
        for (int64_t i = count; i % LANES != 0; i++)
            tile[i] = 0;
        for (int64_t i = 0; i < count; i += LANES)
            for (int j = 0; j < LANES; j++)
                lanes[j] += (double)tile[i + j] * (double)tile[i + j];
    }
    const double sum = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    return (float)sqrt(sum / (double)r->values + r->epsilon);
}

static void put_values(const struct k_kv_rope *r, void *const buffers[], struct row row, int64_t at)
{
    const void *x = buffers[K_KV_ROPE_X];
    float tile[TILE], gamma[TILE];
    const float root = root_of(r, x, at);
    row.columns = r->values;
    for (int64_t column = 0; column < r->values; column += TILE) {
        const int64_t count = smaller(TILE, r->values - column);
        load(r->dtype, x, at + column, count, tile);
        load(r->dtype, buffers[K_KV_ROPE_GAMMA], column, count, gamma);
        for (int64_t i = 0; i < count; i++)
            tile[i] = tile[i] / root * gamma[i];
        put(r, &r->value, buffers + K_KV_ROPE_VALUE, &row, column, count, tile);
    }
}

/* One half of what is turned: `sign` times its partners at odd or even places. */
static void turn(const struct k_kv_rope *r, void *const buffers[], struct row row, int64_t at,
                 int64_t turns, bool is_second)
{
    const int64_t half = r->keys / 2, first = is_second ? half : 0;
    float pairs[2 * TILE], cosine[TILE], sine[TILE], tile[TILE];
    row.columns = r->keys;
    for (int64_t column = 0; column < half; column += TILE) {
        const int64_t count = smaller(TILE, half - column);
        load(r->dtype, buffers[K_KV_ROPE_X], at + 2 * column, 2 * count, pairs);
        load(r->dtype, buffers[K_KV_ROPE_COS], turns + first + column, count, cosine);
        load(r->dtype, buffers[K_KV_ROPE_SIN], turns + first + column, count, sine);
        for (int64_t i = 0; i < count; i++) {
            const float a = pairs[2 * i], b = pairs[2 * i + 1];
            tile[i] = is_second ? b * cosine[i] + a * sine[i] : a * cosine[i] - b * sine[i];
        }
        put(r, &r->key, buffers + K_KV_ROPE_KEY, &row, first + column, count, tile);
    }
}

k_fn K_SYMBOL(kv_rope);

void K_SYMBOL(kv_rope)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_kv_rope *r = parameters;
    for (int64_t number = slice.begin; number < slice.end; number++) {
        const int64_t sequence = number / r->length / r->heads, i = number % r->length;
        const int64_t at = number * (r->values + r->keys);
        const int64_t turns = (sequence * r->turns + (r->turns > 1 ? i : 0)) * r->keys;
        const struct row row = {number, number / r->length % r->heads, 0};
        put_values(r, buffers, row, at);
        turn(r, buffers, row, at + r->values, turns, false);
        turn(r, buffers, row, at + r->values, turns, true);
    }
}
