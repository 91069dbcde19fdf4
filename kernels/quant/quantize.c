/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "kernels/loop/convert.h"
#include "kernels/quant/k_quantize.h"

enum { TILE = 1024 };

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- factors ---- */

/* A row, and which of the rows of factors is its own. */
struct row {
    int64_t number, expert;
    bool is_plain; /* it has none */
};

/* The factors of a tile. */
static void load_factors(const struct k_quantize *q, enum k_dtype dtype, const char *buffer,
                         struct row row, int64_t column, int64_t count, float *to)
{
    const int64_t size = k_dtype_size(dtype);
    float one;
    if (q->by_column) {
        k_widen(K_AS_F32, dtype, buffer + (row.expert * q->columns + column) * size, to, count);
        return;
    }
    const int64_t at = q->period > 0 ? row.number / q->inner % q->period : row.expert;
    k_widen(K_AS_F32, dtype, buffer + at * size, &one, 1);
    for (int64_t i = 0; i < count; i++)
        to[i] = one;
}

static void add_offsets(const struct k_quantize *q, void *const buffers[], struct row row,
                        int64_t column, int64_t count, float *x)
{
    float offsets[TILE];
    if (!q->has_offset || row.is_plain) return;
    load_factors(q, q->offset, buffers[K_QUANTIZE_OFFSET], row, column, count, offsets);
    for (int64_t i = 0; i < count; i++)
        x[i] += offsets[i];
}

/* The tile's numbers, times the scale. */
static void load_scaled(const struct k_quantize *q, void *const buffers[], struct row row,
                        int64_t column, int64_t count, float *x)
{
    const int64_t at = (row.number * q->columns + column) * k_dtype_size(q->from);
    float scales[TILE];
    k_widen(K_AS_F32, q->from, (const char *)buffers[K_QUANTIZE_FROM] + at, x, count);
    if (q->what == K_DEQUANTIZE) add_offsets(q, buffers, row, column, count, x);
    const bool has_scale = q->has_scale && !row.is_plain;
    if (has_scale)
        load_factors(q, q->factor, buffers[K_QUANTIZE_SCALE], row, column, count, scales);
    if (has_scale && q->divides)
        for (int64_t i = 0; i < count; i++)
            x[i] /= scales[i];
    else if (has_scale)
        for (int64_t i = 0; i < count; i++)
            x[i] *= scales[i];
    if (q->is_square)
        for (int64_t i = 0; i < count; i++)
            x[i] *= scales[i];
    if (q->what == K_QUANTIZE) add_offsets(q, buffers, row, column, count, x);
}

/* ---- whole numbers ---- */

static void round_all(enum k_whole whole, float *x, int64_t count)
{
    if (whole == K_WHOLE_CEIL)
        for (int64_t i = 0; i < count; i++)
            x[i] = ceilf(x[i]);
    else if (whole == K_WHOLE_FLOOR)
        for (int64_t i = 0; i < count; i++)
            x[i] = floorf(x[i]);
    else if (whole == K_WHOLE_TRUNC)
        for (int64_t i = 0; i < count; i++)
            x[i] = truncf(x[i]);
    else
        for (int64_t i = 0; i < count; i++)
            x[i] = rintf(x[i]);
}

static int32_t low_of(const struct k_quantize *q)
{
    return q->is_four ? -8 : q->to == K_I8 ? -128 : q->to == K_U8 ? 0 : INT32_MIN;
}

static int32_t high_of(const struct k_quantize *q)
{
    return q->is_four ? 7 : q->to == K_I8 ? 127 : q->to == K_U8 ? 255 : INT32_MAX;
}

static void store_bytes(const float *x, float low, float high, char *to, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const float least = x[i] > low ? x[i] : low, in = least < high ? least : high;
        to[i] = (char)(int32_t)(x[i] == x[i] ? in : 0);
    }
}

/* Whole numbers from element `first` of the result on. */
static void store_whole(const struct k_quantize *q, float *x, char *to, int64_t first,
                        int64_t count)
{
    char bytes[TILE];
    round_all(q->whole, x, count);
    if (q->to == K_I32) {
        k_narrow(K_AS_F32, K_I32, x, to + 4 * first, count);
        return;
    }
    store_bytes(x, (float)low_of(q), (float)high_of(q), q->is_four ? bytes : to + first, count);
    for (int64_t i = 0; q->is_four && i < count; i += 2)
        to[(first + i) / 2] = (char)((bytes[i] & 15) | (unsigned)bytes[i + 1] << 4);
}

/* ---- rows that make their scale ---- */

/* A NaN stays. */
static float largest(const float *x, int64_t count, float most)
{
    for (int64_t i = 0; i < count; i++) {
        const float size = fabsf(x[i]);
        most = size > most || size != size ? size : most;
    }
    return most;
}

static void range_of(const float *x, int64_t count, float range[2])
{
    for (int64_t i = 0; i < count; i++) {
        range[0] = x[i] < range[0] || x[i] != x[i] ? x[i] : range[0];
        range[1] = x[i] > range[1] || x[i] != x[i] ? x[i] : range[1];
    }
}

static void run_dynamic(const struct k_quantize *q, void *const buffers[], struct row row)
{
    const bool is_shifted = q->what == K_QUANTIZE_SHIFTED;
    const bool is_inverse = q->what == K_QUANTIZE_INVERSE;
    const float high = (float)high_of(q), low = (float)low_of(q);
    float x[TILE], made = 0, shift = 0, range[2] = {INFINITY, -INFINITY};
    for (int64_t at = 0; at < q->columns; at += TILE) {
        const int64_t count = smaller(TILE, q->columns - at);
        load_scaled(q, buffers, row, at, count, x);
        if (is_shifted)
            range_of(x, count, range);
        else
            made = largest(x, count, made);
    }
    if (is_shifted && q->columns > 0) {
        made = (range[1] - range[0]) / (high - low);
        shift = high - range[1] / made;
    } else {
        made = is_inverse ? high / made : made / high;
    }
    ((float *)buffers[K_QUANTIZE_MADE])[row.number] = made;
    if (is_shifted) ((float *)buffers[K_QUANTIZE_SHIFT])[row.number] = shift;
    for (int64_t at = 0; at < q->columns; at += TILE) {
        const int64_t count = smaller(TILE, q->columns - at);
        load_scaled(q, buffers, row, at, count, x);
        for (int64_t i = 0; i < count; i++)
            x[i] = is_inverse ? x[i] * made : x[i] / made;
        for (int64_t i = 0; i < count && is_shifted; i++)
            x[i] += shift;
        store_whole(q, x, buffers[K_QUANTIZE_TO], row.number * q->columns + at, count);
    }
}

/* The expert of a row; the number of experts where it is behind all groups. */
static int64_t expert_of(const struct k_quantize *q, const int32_t *groups, int64_t row)
{
    int64_t end = 0;
    for (int64_t expert = 0; expert < q->experts; expert++) {
        end = (q->is_count ? end : 0) + groups[expert];
        if (row < end) return expert;
    }
    return q->experts;
}

/* false: a row of no group. */
static bool find_expert(const struct k_quantize *q, void *const buffers[], struct row *row)
{
    if (q->experts == 0) return true;
    row->expert = expert_of(q, buffers[K_QUANTIZE_GROUPS], row->number);
    row->is_plain = q->is_plain && row->expert == q->experts;
    if (row->expert < q->experts || row->is_plain) return true;
    if (!q->is_partial) k_fault_note(buffers[K_QUANTIZE_BUFFERS], row->number);
    ((float *)buffers[K_QUANTIZE_MADE])[row->number] = 0;
    if (q->what == K_QUANTIZE_SHIFTED) ((float *)buffers[K_QUANTIZE_SHIFT])[row->number] = 0;
    const int64_t bytes = q->is_four ? q->columns / 2 : q->columns;
    char *to = (char *)buffers[K_QUANTIZE_TO] + row->number * bytes;
    for (int64_t i = 0; i < bytes; i++)
        to[i] = 0;
    return false;
}

/* ---- fake ---- */

static void fake_tile(const struct k_quantize *q, void *const buffers[], struct row row,
                      int64_t column, int64_t count)
{
    const int64_t at = row.number * q->columns + column;
    const double least = (double)q->least, most = (double)q->most;
    float x[TILE], scales[TILE], offsets[TILE];
    uint8_t *made = (uint8_t *)buffers[K_QUANTIZE_MADE] + at;
    const char *from = (const char *)buffers[K_QUANTIZE_FROM] + at * k_dtype_size(q->from);
    k_widen(K_AS_F32, q->from, from, x, count);
    load_factors(q, q->factor, buffers[K_QUANTIZE_SCALE], row, column, count, scales);
    load_factors(q, q->offset, buffers[K_QUANTIZE_OFFSET], row, column, count, offsets);
    for (int64_t i = 0; i < count; i++) {
        const double offset = (double)offsets[i];
        const double whole = (double)rintf(x[i] / scales[i]) + offset;
        const double above = whole >= least ? whole : least, held = above > most ? most : above;
        x[i] = (float)(held - offset) * scales[i];
        made[i] = whole >= least && whole <= most;
    }
    k_narrow(K_AS_F32, q->to, x, (char *)buffers[K_QUANTIZE_TO] + at * k_dtype_size(q->to), count);
}

k_fn K_SYMBOL(quantize);

void K_SYMBOL(quantize)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_quantize *q = parameters;
    float x[TILE];
    for (struct row row = {.number = slice.begin}; row.number < slice.end; row.number++) {
        if (!find_expert(q, buffers, &row)) continue;
        if (q->what >= K_QUANTIZE_DYNAMIC && q->what <= K_QUANTIZE_SHIFTED) {
            run_dynamic(q, buffers, row);
            continue;
        }
        for (int64_t at = 0; at < q->columns; at += TILE) {
            const int64_t count = smaller(TILE, q->columns - at);
            const int64_t first = row.number * q->columns + at;
            if (q->what == K_QUANTIZE_FAKE) {
                fake_tile(q, buffers, row, at, count);
                continue;
            }
            load_scaled(q, buffers, row, at, count, x);
            if (q->what == K_QUANTIZE)
                store_whole(q, x, buffers[K_QUANTIZE_TO], first, count);
            else
                k_narrow(K_AS_F32, q->to, x,
                         (char *)buffers[K_QUANTIZE_TO] + first * k_dtype_size(q->to), count);
        }
    }
}
