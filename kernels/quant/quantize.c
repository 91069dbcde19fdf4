/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "kernels/loop/convert.h"
#include "kernels/quant/k_quantize.h"

enum { TILE = 1024 };

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The factors of a tile, or `otherwise` where there are none. */
static void load_factors(const struct k_quantize *q, bool is_there, const char *buffer, int64_t row,
                         int64_t column, int64_t count, float otherwise, float *to)
{
    const int64_t size = k_dtype_size(q->factor);
    if (is_there && q->by_column) {
        k_widen(K_AS_F32, q->factor, buffer + column * size, to, count);
        return;
    }
    if (is_there)
        k_widen(K_AS_F32, q->factor, buffer + (q->period > 0 ? row % q->period * size : 0),
                &otherwise, 1);
    for (int64_t i = 0; i < count; i++)
        to[i] = otherwise;
}

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

static void store_whole(enum k_whole whole, float *x, int8_t *to, int64_t count)
{
    round_all(whole, x, count);
    for (int64_t i = 0; i < count; i++) {
        const float low = x[i] > -128 ? x[i] : -128, in = low < 127 ? low : 127;
        to[i] = (int8_t)(int32_t)(x[i] == x[i] ? in : 0);
    }
}

/* The tile's numbers, times the scale. */
static void load_scaled(const struct k_quantize *q, void *const buffers[], int64_t row,
                        int64_t column, int64_t count, float *x)
{
    const int64_t at = (row * q->columns + column) * k_dtype_size(q->from);
    float scales[TILE], offsets[TILE];
    k_widen(K_AS_F32, q->from, (const char *)buffers[K_QUANTIZE_FROM] + at, x, count);
    load_factors(q, q->has_scale, buffers[K_QUANTIZE_SCALE], row, column, count, 1, scales);
    if (q->what == K_DEQUANTIZE && q->has_offset) {
        load_factors(q, true, buffers[K_QUANTIZE_OFFSET], row, column, count, 0, offsets);
        for (int64_t i = 0; i < count; i++)
            x[i] += offsets[i];
    }
    for (int64_t i = 0; i < count; i++)
        x[i] *= scales[i];
    if (q->is_square)
        for (int64_t i = 0; i < count; i++)
            x[i] *= scales[i];
    if (q->what == K_QUANTIZE && q->has_offset) {
        load_factors(q, true, buffers[K_QUANTIZE_OFFSET], row, column, count, 0, offsets);
        for (int64_t i = 0; i < count; i++)
            x[i] += offsets[i];
    }
}

/* A NaN stays. */
static float largest(const float *x, int64_t count, float most)
{
    for (int64_t i = 0; i < count; i++) {
        const float size = fabsf(x[i]);
        most = size > most || size != size ? size : most;
    }
    return most;
}

k_fn K_SYMBOL(quantize);

void K_SYMBOL(quantize)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_quantize *q = parameters;
    float x[TILE];
    for (int64_t row = slice.begin; row < slice.end; row++) {
        float made = 0;
        for (int64_t at = 0; at < q->columns && q->what == K_QUANTIZE_DYNAMIC; at += TILE) {
            const int64_t count = smaller(TILE, q->columns - at);
            load_scaled(q, buffers, row, at, count, x);
            made = largest(x, count, made);
        }
        made /= 127;
        if (q->what == K_QUANTIZE_DYNAMIC)
            k_narrow(K_AS_F32, K_F32, &made, (char *)buffers[K_QUANTIZE_MADE] + row * 4, 1);
        for (int64_t at = 0; at < q->columns; at += TILE) {
            const int64_t count = smaller(TILE, q->columns - at), first = row * q->columns + at;
            char *to = (char *)buffers[K_QUANTIZE_TO] + first * k_dtype_size(q->to);
            load_scaled(q, buffers, row, at, count, x);
            for (int64_t i = 0; i < count && q->what == K_QUANTIZE_DYNAMIC; i++)
                x[i] /= made;
            if (q->what == K_DEQUANTIZE)
                k_narrow(K_AS_F32, q->to, x, to, count);
            else
                store_whole(q->whole, x, (int8_t *)to, count);
        }
    }
}
