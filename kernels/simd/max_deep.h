/* SPDX-License-Identifier: Apache-2.0 */
/* Max pooling, channels innermost and many: window by window, vectors run along the channels of its
 * taps, which are read where they are. */
#ifndef ACLNN_CPU_KERNELS_SIMD_MAX_DEEP_H
#define ACLNN_CPU_KERNELS_SIMD_MAX_DEEP_H

#include <math.h>

#include "kernels/max_pool_plan.h"
#include "kernels/simd/block.h"
#include "kernels/simd/select.h"

/* The taps of a window that lie in the input, along each axis: from the first one on. */
struct max_taps {
    const char *at; /* first channel */
    int32_t place;
    int64_t count[K_MAX_POOL_AXES], bytes[K_MAX_POOL_AXES];
    int32_t places[K_MAX_POOL_AXES];
    int64_t fresh; /* so many of the last rows of taps are new to this window: announced ahead */
};

/* Most steps are 1, and a division takes as long as a dozen additions. */
static inline int64_t max_quotient(int64_t a, int64_t step)
{
    return step == 1 ? a : a / step;
}

static inline int64_t taps_inside(const struct max_axis *axis, int64_t o, int64_t *count)
{
    const int64_t start = o * axis->stride - axis->pad, step = axis->dilation;
    const int64_t before = start < 0 ? max_quotient(step - 1 - start, step) : 0;
    const int64_t end = start >= axis->in ? 0 : max_quotient(axis->in - start + step - 1, step);
    *count = max_most(max_least(end, axis->kernel) - before, 0);
    return start + before * step;
}

/* Announces what a window ahead reads where this one reads `vectors` vectors: spread over the taps,
 * so that there are never more announcements than a CPU keeps open. */
K_TEMPLATE
void taps_ahead(enum k_dtype dt, const char *at, int vectors)
{
    const int64_t bytes = VL * k_size(dt);
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
        if (v * bytes % LINE_BYTES == 0) k_prefetch_far(at + v * bytes);
}

/* Vectors of channels from one tap: as they lie; or, paired, those of even and those of odd number
 * of 2 VL, which is how bf16 is widened for least. */
K_TEMPLATE
void tap_values(enum k_dtype dt, bool paired, const char *at, int vectors, vf value[])
{
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v += 1 + paired) {
        const char *from = at + v * VL * k_size(dt);
        if (paired) {
            const struct k_block block = block_load(dt, from);
            value[v] = v_held(block.a);
            value[v + 1] = v_held(block.b);
        } else {
            value[v] = v_held(k_load(dt, from));
        }
    }
}

/* `vectors` (1, 2 or 4) times VL channels: the first largest tap and its place. exact: the last NaN
 * if there is one; else returns whether there may be one. What grows has no address outside of
 * here, so that it stays in registers. */
K_TEMPLATE
bool largest_taps(enum k_dtype dt, bool codes, bool exact, bool paired, const struct max_taps *taps,
                  int64_t channel, int vectors, vf best[], vi place[])
{
    const char *deep = taps->at + channel * k_size(dt);
    int32_t deep_place = taps->place;
    vf most[4] = {{0}}, sum[4] = {{0}}, value[4] = {{0}};
    vi where[4] = {{0}};
    const bool none = taps->count[0] * taps->count[1] * taps->count[2] == 0;
    if (!none) tap_values(dt, paired, deep, vectors, most);
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) {
        if (none) most[v] = v_all(-INFINITY);
        where[v] = v_all_i(deep_place);
    }
    for (int64_t d = 0; d < taps->count[0]; d++) {
        const char *tall = deep;
        int32_t tall_place = deep_place;
        for (int64_t h = 0; h < taps->count[1]; h++) {
            const char *at = tall;
            int32_t code = tall_place;
            for (int64_t w = 0; w < taps->count[2]; w++) {
                if (h >= taps->count[1] - taps->fresh) taps_ahead(dt, at, vectors);
                tap_values(dt, paired, at, vectors, value);
#pragma GCC unroll 4
                for (int v = 0; v < vectors; v++) {
                    if (exact)
                        v_take_larger(most + v, where + v, value[v], v_all_i(code));
                    else if (codes)
                        v_take_greater(most + v, where + v, value[v], v_all_i(code));
                    else
                        most[v] = v_greater(most[v], value[v]);
                    if (!exact) sum[v] = sum[v] + value[v];
                }
                at += taps->bytes[2];
                code += taps->places[2];
            }
            tall += taps->bytes[1];
            tall_place += taps->places[1];
        }
        deep += taps->bytes[0];
        deep_place += taps->places[0];
    }
    vi nan = {0};
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) {
        nan |= (vi)(sum[v] != sum[v]);
        best[v] = most[v];
        place[v] = where[v];
    }
    return !exact && v_any(nan);
}

/* Where a window's results go, and how: past the caches in whole vectors. */
struct max_results {
    char *values, *places;
    bool stream;
};

/* Paired vectors of bf16 as they lie. */
K_TEMPLATE
void put_paired(char *values, vf best[2], vi place[2], bool stream)
{
    const vu words = (vu)best[0] >> 16 | ((vu)best[1] & 0xffff0000);
    const vf even = (vf)place[0], odd = (vf)place[1];
    k_write(values, (vf)words, stream);
    place[0] = (vi)v_zip(0, even, odd);
    place[1] = (vi)v_zip(1, even, odd);
}

K_TEMPLATE
void put_largest(enum k_dtype dt, enum k_index index, bool paired, const struct max_results *to,
                 int64_t at, int vectors, vf best[], vi place[])
{
    const int unit = vectors == 1 ? 1 : LINE_PARTS(dt);
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v += unit) {
        char *values = to->values + (at + v * VL) * k_size(dt);
        if (paired)
            put_paired(values, best + v, place + v, to->stream);
        else if (unit == LINE_PARTS(dt))
            k_store_parts(dt, values, best + v, to->stream);
        else
            k_store_same(dt, values, best[v]);
    }
    const vf zero = {0}; /* a place is never negative: its upper half */
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) {
        if (index == K_INDEX_I32) {
            k_write(to->places + (at + v * VL) * 4, (vf)place[v], to->stream);
        } else if (index == K_INDEX_I64) {
            char *places = to->places + (at + v * VL) * 8;
            k_write(places, v_zip(0, (vf)place[v], zero), to->stream);
            k_write(places + K_VECTOR_BYTES, v_zip(1, (vf)place[v], zero), to->stream);
        }
    }
}

K_TEMPLATE
void deep_vectors(enum k_dtype dt, enum k_index index, const struct max_taps *taps,
                  const struct max_results *to, int64_t channel, int64_t at, int vectors)
{
    const bool paired = dt == K_BF16 && vectors > 1;
    const int unit = 1 + paired;
    vf best[4];
    vi place[4];
    if (largest_taps(dt, index != K_INDEX_NONE, false, paired, taps, channel, vectors, best, place))
        for (int v = 0; v < vectors; v += unit)
            largest_taps(dt, true, true, paired, taps, channel + v * VL, unit, best + v, place + v);
    put_largest(dt, index, paired, to, at, vectors, best, place);
}

/* Channels [first, end) of a window, at least VL; the last ones maybe twice. */
K_TEMPLATE
void deep_window(enum k_dtype dt, enum k_index index, const struct max_taps *taps,
                 const struct max_results *to, int64_t first, int64_t end)
{
    int64_t channel = first;
    for (; channel + 4 * VL <= end; channel += 4 * VL)
        deep_vectors(dt, index, taps, to, channel, channel - first, 4);
    for (; dt != K_F32 && channel + 2 * VL <= end; channel += 2 * VL)
        deep_vectors(dt, index, taps, to, channel, channel - first, 2);
    for (; channel < end; channel += VL) {
        channel = max_least(channel, end - VL);
        deep_vectors(dt, index, taps, to, channel, channel - first, 1);
    }
}

#endif
