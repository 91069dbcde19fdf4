/* SPDX-License-Identifier: Apache-2.0 */
/* Max pooling, channels innermost, one vector of memory of them: windows of four taps, as those of
 * 2 x 2 are, in a loop in which nothing else is decided. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_SHORT_H
#define ACLNN_CPU_KERNELS_POOL_MAX_SHORT_H

#include "kernels/pool/max_deep.h"

enum { SHORT_TAPS = 4 };

/* Are windows of four taps, all of them new, and one vector of memory or (part) of VL halves? */
K_TEMPLATE
bool deep_is_short(enum k_dtype dt, const struct max_list *list, int64_t channels, bool *part)
{
    *part = dt != K_F32 && channels == VL;
    return list->count == SHORT_TAPS && list->fresh == (1 << SHORT_TAPS) - 1 &&
           (*part || channels == BLOCK(dt));
}

/* `windows` such windows, `step` bytes and `stride` places apart; what follows them is announced
 * `below` further. False if there may be a NaN. */
K_TEMPLATE
bool deep_short(enum k_dtype dt, bool codes, bool wide, bool part, const struct max_taps *taps,
                const struct max_list *list, const struct max_results *to, int64_t windows,
                int64_t step, int64_t stride, int64_t below)
{
    const int64_t size = (part ? K_VECTOR_BYTES / 2 : K_VECTOR_BYTES);
    const int64_t places_size = size / k_size(dt) * (wide ? 8 : 4);
    const int64_t b1 = list->bytes[1], b2 = list->bytes[2], b3 = list->bytes[3];
    const char *at = taps->at, *end = at + windows * step, *turn = end - FAR_BYTES;
    const bool stream = to->stream;
    char *values = to->values, *places = to->places;
    vi base = v_all_i(taps->place), code[SHORT_TAPS], nan = {0};
#pragma GCC unroll 4
    for (int t = 0; t < SHORT_TAPS; t++)
        code[t] = v_all_i(list->places[t]);
    for (; at < end; at += step, base += (int32_t)stride) {
        const char *const tap[] = {at, at + b1, at + b2, at + b3};
        const int64_t beyond = at < turn ? 0 : below;
        vf best = {0};
        vi where[2] = {{0}};
        if (dt == K_F32) {
            vf sum = best = v_load((const float *)(const void *)at);
#pragma GCC unroll 4
            for (int t = 1; t < SHORT_TAPS; t++) {
                const vf value = v_held(v_load((const float *)(const void *)tap[t]));
                if (codes)
                    v_take_greater(&best, where, value, code[t]);
                else
                    best = v_greater(best, value);
                sum = sum + value;
            }
            nan |= (vi)(sum != sum);
        } else {
            vw word = words_at(part, at), place = {0};
            vk most = words_key(dt, word);
#pragma GCC unroll 4
            for (int t = 1; t < SHORT_TAPS; t++) {
                const vw value = words_at(part, tap[t]);
                words_take_greater(codes, &most, &word, &place, words_key(dt, value), value,
                                   (vw)code[t]);
            }
            nan |= keys_of_nan(dt, most);
            best = (vf)word;
            where[0] = words_lanes_of(0, place);
            if (!part) where[1] = words_lanes_of(1, place);
        }
#pragma GCC unroll 4
        for (int t = 0; t < SHORT_TAPS; t++)
            k_prefetch(tap[t] + beyond + FAR_BYTES);
        words_put(part, values, best, stream);
        values += size;
        if (!codes) continue;
        put_place(wide, places, where[0] + base, stream);
        if (dt != K_F32 && !part)
            put_place(wide, places + VL * (wide ? 8 : 4), where[1] + base, stream);
        places += places_size;
    }
    return !v_any(nan);
}

#endif
