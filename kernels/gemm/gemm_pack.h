/* SPDX-License-Identifier: Apache-2.0 */
/* Strips of an operand, side by side as products of panels read them: to[term][lane], FLOAT or
 * pairs of bf16. The lanes of a strip are rows of a or columns of b. */
#ifndef ACLNN_CPU_KERNELS_GEMM_GEMM_PACK_H
#define ACLNN_CPU_KERNELS_GEMM_GEMM_PACK_H

#include "kernels/vector/lanes.h"
#include "kernels/vector/pairs.h"
#include "kernels/vector/transpose.h"

enum { PACK_SLACK = 16 * VL }; /* floats that may be written behind a strip */

/* Strides in elements. */
struct gemm_strip {
    const char *from;
    int64_t across, along; /* from lane to lane, from term to term */
    int64_t lanes, terms;
    enum k_rounding rounding;
};

/* The next terms of a lane where they are contiguous: `left` of them at least one, zeros behind. As
 * pairs, a vector holds 2 VL terms. */
K_TEMPLATE
vf strip_terms(enum k_dtype dt, bool pairs, const char *at, int64_t left)
{
    if (!pairs) return left >= VL ? k_load(dt, at) : k_load_first(dt, at, (int)left);
    vf words = {0};
    if (left >= 2 * VL)
        memcpy(&words, at, sizeof words);
    else
        memcpy(&words, at, (size_t)(2 * left));
    return words;
}

/* A strip whose terms are contiguous. */
K_TEMPLATE
void pack_along(enum k_dtype dt, bool pairs, int width, const struct gemm_strip *s, float *to)
{
    const int64_t size = k_size(dt), at_once = pairs ? 2 * VL : VL;
    const int group = width < VL ? width : VL;
    for (int64_t term = 0; term < s->terms; term += at_once) {
        float *rows = to + (pairs ? term / 2 : term) * width;
        for (int first = 0; first < width; first += group) {
            vf a[VL > 8 ? VL : 8];
#pragma GCC unroll 16
            for (int i = 0; i < group; i++) {
                a[i] = (vf){0};
                if (first + i >= s->lanes) continue;
                a[i] = strip_terms(dt, pairs,
                                   v_address(s->from, size * ((first + i) * s->across + term)),
                                   s->terms - term);
                if (s->rounding != K_ROUND_NONE) a[i] = v_round_operand(s->rounding, a[i]);
            }
            if (group < VL) {
                transpose_eight(a);
#pragma GCC unroll 8
                for (int i = 0; i < group; i++)
                    v_store(rows + i * VL, a[i]);
                continue;
            }
            v_transpose(a);
#pragma GCC unroll 16
            for (int i = 0; i < VL; i++)
                v_store(rows + i * width + first, a[i]);
        }
    }
}

/* Any strip, a term at a time. */
K_TEMPLATE
void pack_across(enum k_dtype dt, bool pairs, int width, const struct gemm_strip *s, float *to)
{
    const int64_t size = k_size(dt), step = pairs ? 2 : 1;
    for (int64_t term = 0; term < s->terms; term += step, to += width)
#pragma GCC unroll 4
        for (int first = 0; first < width; first += VL) {
            const int64_t left = s->lanes - first, room = width < VL ? width : VL;
            const int count = (int)(left < 0 ? 0 : left < room ? left : room);
            const char *at = v_address(s->from, size * (first * s->across + term * s->along));
            vf value = {0}, second = {0};
            if (count > 0) value = k_load_between(dt, at, s->across, 0, count, (vf){0});
            if (pairs && count > 0 && term + 1 < s->terms)
                second = k_load_between(dt, v_address(at, size * s->along), s->across, 0, count,
                                        (vf){0});
            if (pairs) value = (vf)v_pair(value, second);
            if (s->rounding != K_ROUND_NONE) value = v_round_operand(s->rounding, value);
            v_store(to + first, value);
        }
}

K_TEMPLATE
void pack_strip_of(enum k_dtype dt, bool pairs, int width, const struct gemm_strip *s, float *to)
{
    if (s->along == 1 && s->across != 1)
        pack_along(dt, pairs, width, s, to);
    else
        pack_across(dt, pairs, width, s, to);
}

K_TEMPLATE
void pack_strip(enum k_dtype dt, bool pairs, int width, const struct gemm_strip *s, float *to)
{
#if defined(K_PAIRS)
    if (pairs) {
        pack_strip_of(K_BF16, true, width, s, to);
        return;
    }
#endif
    (void)pairs;
    if (dt == K_F32)
        pack_strip_of(K_F32, false, width, s, to);
    else if (dt == K_F16)
        pack_strip_of(K_F16, false, width, s, to);
    else
        pack_strip_of(K_BF16, false, width, s, to);
}

#endif
