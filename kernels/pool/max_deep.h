/* SPDX-License-Identifier: Apache-2.0 */
/* Max pooling, channels innermost and many: window by window, vectors run along the channels of its
 * taps, which are read where they are. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_DEEP_H
#define ACLNN_CPU_KERNELS_POOL_MAX_DEEP_H

#include <math.h>

#include "kernels/pool/max_keys.h"
#include "kernels/pool/max_pool_plan.h"
#include "kernels/vector/block.h"

enum { DEEP_BLOCKS = 4 }; /* vectors of memory that are worked on at once, at most */

/* The taps of a window that lie in the input, along each axis: from the first one on. */
struct max_taps {
    const char *at; /* first channel */
    int32_t place;
    int64_t count[K_MAX_POOL_AXES], bytes[K_MAX_POOL_AXES];
    int32_t places[K_MAX_POOL_AXES];
    int64_t fresh;  /* so many of the last rows of taps are new to this window: announced ahead */
    int64_t beyond; /* bytes to add to how far ahead */
};

/* The same as one list, in their order, for all windows with as many of them: how far from the
 * first tap. Halves need places of 16 bits. */
struct max_list {
    int64_t made_for[K_MAX_POOL_AXES]; /* counts; all 0 at first */
    int count;                         /* 0: no tap, or too many for a list */
    uint64_t fresh;                    /* a bit for each tap */
    int64_t bytes[MAX_TAPS];
    int32_t places[MAX_TAPS]; /* halves: the same 16 bits twice */
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

static inline void list_make(enum k_dtype dt, struct max_list *list, const struct max_taps *taps)
{
    const int64_t *count = taps->count;
    const int64_t most = dt == K_F32 ? INT32_MAX : UINT16_MAX;
    memcpy(list->made_for, count, sizeof list->made_for);
    list->count = 0;
    list->fresh = 0;
    for (int i = 0; i < K_MAX_POOL_AXES; i++)
        if (count[i] == 0 || count[i] > MAX_TAPS) return;
    int64_t last = 0;
    for (int i = 0; i < K_MAX_POOL_AXES; i++)
        last += (count[i] - 1) * taps->places[i];
    if (count[0] * count[1] * count[2] > MAX_TAPS || last > most) return;
    for (int64_t d = 0; d < count[0]; d++)
        for (int64_t h = 0; h < count[1]; h++)
            for (int64_t w = 0; w < count[2]; w++) {
                const int64_t place =
                    d * taps->places[0] + h * taps->places[1] + w * taps->places[2];
                list->bytes[list->count] =
                    d * taps->bytes[0] + h * taps->bytes[1] + w * taps->bytes[2];
                list->places[list->count] = (int32_t)(dt == K_F32 ? place : place * 0x10001);
                if (h >= count[1] - taps->fresh) list->fresh |= 1ULL << list->count;
                list->count++;
            }
}

/* Makes the list that of the window's taps. */
static inline void list_update(enum k_dtype dt, struct max_list *list, const struct max_taps *taps)
{
    if (taps->count[2] != list->made_for[2] || taps->count[1] != list->made_for[1] ||
        taps->count[0] != list->made_for[0])
        list_make(dt, list, taps);
}

/* Announces what a window ahead reads where this one reads: spread over the taps, so that there
 * are never more announcements than a CPU keeps open. To the first cache: halves of 256 channels
 * took between once and twice as long, from run to run, while lines stopped at the second one. */
K_TEMPLATE
void taps_ahead(const char *at, int blocks)
{
#pragma GCC unroll 4
    for (int b = 0; b < blocks; b++)
        if (b * K_VECTOR_BYTES % LINE_BYTES == 0) k_prefetch(at + b * K_VECTOR_BYTES + FAR_BYTES);
}

/* `blocks` vectors of floats: the first largest tap and how far its place is from the first one's.
 * Returns whether there may be a NaN. What grows has no address outside of here, so that it stays
 * in registers. */
K_TEMPLATE
bool largest_floats(bool codes, const struct max_list *list, int64_t beyond, const char *first,
                    int blocks, vf best[], vi place[])
{
    vf most[4], sum[4] = {{0}}, value[4];
    vi where[4] = {{0}};
    if (list->fresh & 1) taps_ahead(first + beyond, blocks);
#pragma GCC unroll 4
    for (int b = 0; b < blocks; b++)
        sum[b] = most[b] = v_held(k_load(K_F32, first + b * K_VECTOR_BYTES));
    for (int t = 1; t < list->count; t++) {
        const char *at = first + list->bytes[t];
        const vi code = v_all_i(list->places[t]);
        if (list->fresh >> t & 1) taps_ahead(at + beyond, blocks);
#pragma GCC unroll 4
        for (int b = 0; b < blocks; b++) {
            value[b] = v_held(k_load(K_F32, at + b * K_VECTOR_BYTES));
            if (codes)
                v_take_greater(most + b, where + b, value[b], code);
            else
                most[b] = v_greater(most[b], value[b]);
            sum[b] = sum[b] + value[b];
        }
    }
    vi nan = {0};
#pragma GCC unroll 4
    for (int b = 0; b < blocks; b++) {
        nan |= (vi)(sum[b] != sum[b]);
        best[b] = most[b];
        place[b] = where[b];
    }
    return v_any(nan);
}

/* The same of halves; part: VL of them. */
K_TEMPLATE
bool largest_words(enum k_dtype dt, bool codes, const struct max_list *list, int64_t beyond,
                   const char *first, int blocks, bool part, vf best[], vi place[])
{
    vw word[4], where[4] = {{0}};
    vk most[4];
    if (list->fresh & 1) taps_ahead(first + beyond, blocks);
#pragma GCC unroll 4
    for (int b = 0; b < blocks; b++) {
        word[b] = words_at(part, first + b * K_VECTOR_BYTES);
        most[b] = words_key(dt, word[b]);
    }
    for (int t = 1; t < list->count; t++) {
        const char *at = first + list->bytes[t];
        const vw code = (vw)v_all_i(list->places[t]);
        if (list->fresh >> t & 1) taps_ahead(at + beyond, blocks);
#pragma GCC unroll 4
        for (int b = 0; b < blocks; b++) {
            const vw value = words_at(part, at + b * K_VECTOR_BYTES);
            words_take_greater(codes, most + b, word + b, where + b, words_key(dt, value), value,
                               code);
        }
    }
    vi nan = {0};
#pragma GCC unroll 4
    for (int b = 0; b < blocks; b++) {
        nan |= keys_of_nan(dt, most[b]);
        best[b] = (vf)word[b];
        place[2 * b] = words_lanes_of(0, where[b]);
        if (!part) place[2 * b + 1] = words_lanes_of(1, where[b]);
    }
    return v_any(nan);
}

/* VL channels of any window, one vector: the last NaN if there is one. */
K_TEMPLATE
void exact_taps(enum k_dtype dt, const struct max_taps *taps, int64_t channel, vf *best, vi *place)
{
    const char *deep = taps->at + channel * k_size(dt);
    int32_t deep_place = taps->place;
    const bool none = taps->count[0] * taps->count[1] * taps->count[2] == 0;
    vf most = none ? v_all(-INFINITY) : k_load(dt, deep);
    vi where = v_all_i(deep_place);
    for (int64_t d = 0; d < taps->count[0]; d++) {
        const char *tall = deep;
        int32_t tall_place = deep_place;
        for (int64_t h = 0; h < taps->count[1]; h++) {
            const char *at = tall;
            int32_t code = tall_place;
            for (int64_t w = 0; w < taps->count[2]; w++) {
                v_take_larger(&most, &where, k_load(dt, at), v_all_i(code));
                at += taps->bytes[2];
                code += taps->places[2];
            }
            tall += taps->bytes[1];
            tall_place += taps->places[1];
        }
        deep += taps->bytes[0];
        deep_place += taps->places[0];
    }
    *best = most;
    *place = where;
}

/* The same as vectors of memory. */
K_TEMPLATE
void exact_blocks(enum k_dtype dt, const struct max_taps *taps, int64_t channel, int blocks,
                  bool part, vf best[], vi place[])
{
    const int vectors = part ? 1 : blocks * LINE_PARTS(dt);
    for (int v = 0; v < vectors; v++) {
        vf value;
        exact_taps(dt, taps, channel + v * VL, &value, place + v);
        k_store_same(dt, (char *)best + v * VL * k_size(dt), value);
    }
}

K_OUT_OF_LINE(void, exact_blocks,
              (const struct max_taps *taps, int64_t channel, int blocks, bool part, vf best[],
               vi place[]),
              (taps, channel, blocks, part, best, place))

/* `blocks` vectors of memory from `channel` on, or (part) VL halves: the first largest tap, the
 * last NaN if there is one, and its place, LINE_PARTS vectors of these for each block. */
K_TEMPLATE
void largest_blocks(enum k_dtype dt, bool codes, const struct max_taps *taps,
                    const struct max_list *list, int64_t channel, int blocks, bool part, vf best[],
                    vi place[])
{
    const char *first = taps->at + channel * k_size(dt);
    vf found[DEEP_BLOCKS];
    vi where[2 * DEEP_BLOCKS];
    const bool nan =
        list->count == 0 ||
        (dt == K_F32
             ? largest_floats(codes, list, taps->beyond, first, blocks, best, place)
             : largest_words(dt, codes, list, taps->beyond, first, blocks, part, best, place));
    const int vectors = part ? 1 : blocks * LINE_PARTS(dt);
    if (__builtin_expect(!nan, 1)) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            place[v] += taps->place;
        return;
    }
    exact_blocks_of(dt, taps, channel, blocks, part, found, where);
#pragma GCC unroll 4
    for (int b = 0; b < blocks; b++)
        best[b] = found[b];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
        place[v] = where[v];
}

/* What is wanted of windows. */
enum deep_result {
    DEEP_VALUES,
    DEEP_PLACES, /* values and places */
    DEEP_TAPS    /* places only, each less than 256, as bytes */
};

/* Where a window's results go, and how: past the caches in whole vectors. */
struct max_results {
    char *values, *places;
    enum k_index index;
    bool stream;
};

K_TEMPLATE
void put_largest(enum k_dtype dt, enum deep_result wanted, const struct max_results *to, int64_t at,
                 int blocks, bool part, const vf best[], const vi place[])
{
    const int vectors = part ? 1 : blocks * LINE_PARTS(dt);
    const bool wide = to->index == K_INDEX_I64;
#pragma GCC unroll 4
    for (int b = 0; b < blocks && wanted != DEEP_TAPS; b++)
        words_put(part, to->values + at * k_size(dt) + b * K_VECTOR_BYTES, best[b], to->stream);
#pragma GCC unroll 4
    for (int v = 0; v < vectors && wanted != DEEP_VALUES; v++, at += VL)
        if (wanted == DEEP_TAPS)
            v_store_bytes(to->places + at, place[v]);
        else
            put_place(wide, to->places + at * (wide ? 8 : 4), place[v], to->stream);
}

/* Channels from `channel` on, results from element `at` on. */
K_TEMPLATE
void deep_blocks(enum k_dtype dt, enum deep_result wanted, const struct max_taps *taps,
                 const struct max_list *list, const struct max_results *to, int64_t channel,
                 int64_t at, int blocks, bool part)
{
    vf best[DEEP_BLOCKS];
    vi place[2 * DEEP_BLOCKS];
    largest_blocks(dt, wanted != DEEP_VALUES, taps, list, channel, blocks, part, best, place);
    put_largest(dt, wanted, to, at, blocks, part, best, place);
}

/* Channels [first, end) of a window, at least VL; the last ones maybe twice. */
K_TEMPLATE
void deep_window(enum k_dtype dt, enum deep_result wanted, const struct max_taps *taps,
                 const struct max_list *list, const struct max_results *to, int64_t first,
                 int64_t end)
{
    const int64_t one = BLOCK(dt), many = 4 * VL;
    int64_t channel = first;
    for (; channel + many <= end; channel += many)
        deep_blocks(dt, wanted, taps, list, to, channel, channel - first, (int)(many / one), false);
    for (; channel < end && end - first >= one; channel += one) {
        channel = max_least(channel, end - one);
        deep_blocks(dt, wanted, taps, list, to, channel, channel - first, 1, false);
    }
    for (; dt != K_F32 && channel < end; channel += VL) {
        channel = max_least(channel, end - VL);
        deep_blocks(dt, wanted, taps, list, to, channel, channel - first, 1, true);
    }
}

#endif
