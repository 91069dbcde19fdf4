/* SPDX-License-Identifier: Apache-2.0 */
/* Strips of an operand of INT8 as words, side by side as products of panels read them:
 * to[word][lane]. A word holds so many terms of a lane, the first one below; those behind the last
 * are 0. The lanes of a strip are rows of a or columns of b. */
#ifndef ACLNN_CPU_KERNELS_INT8_INT8_PACK_H
#define ACLNN_CPU_KERNELS_INT8_INT8_PACK_H

#include "kernels/gemm/gemm_pack.h"
#include "kernels/vector/dots.h"

/* Strides in bytes. */
struct int8_strip {
    const char *from;
    int64_t across, along; /* from lane to lane, from term to term */
    int64_t lanes, terms;
    uint32_t flip; /* of each word: 128 more in unsigned bytes */
};

K_TEMPLATE
int int8_word_terms(bool quads)
{
    return quads ? 4 : 2;
}

/* VL words of a lane; so many terms of it are left. */
K_TEMPLATE
vu int8_words(bool quads, const char *at, int64_t left)
{
    char some[4 * VL] = {0};
    if (left < int8_word_terms(quads) * VL) at = memcpy(some, at, (size_t)left);
    return quads ? v_load_u(at) : v_extend_bytes(at);
}

/* A strip whose terms are contiguous. */
K_TEMPLATE
void int8_pack_along(bool quads, int width, const struct int8_strip *s, uint32_t *to)
{
    const int group = width < VL ? width : VL, each = int8_word_terms(quads);
    for (int64_t term = 0; term < s->terms; term += (int64_t)each * VL, to += VL * width)
        for (int first = 0; first < width; first += group) {
            vf a[VL > 8 ? VL : 8];
#pragma GCC unroll 16
            for (int i = 0; i < group; i++) {
                a[i] = (vf)v_all_u(s->flip);
                if (first + i < s->lanes)
                    a[i] =
                        (vf)(int8_words(quads, v_address(s->from, (first + i) * s->across + term),
                                        s->terms - term) ^
                             v_all_u(s->flip));
            }
            if (group < VL) {
                transpose_eight(a);
#pragma GCC unroll 8
                for (int i = 0; i < group; i++)
                    v_store_u(to + i * VL, (vu)a[i]);
                continue;
            }
            v_transpose(a);
#pragma GCC unroll 16
            for (int i = 0; i < VL; i++)
                v_store_u(to + i * width + first, (vu)a[i]);
        }
}

/* Bytes of so many lanes at one term, as words; zeros behind them. */
K_TEMPLATE
vu int8_lanes(bool is_signed, const struct int8_strip *s, int64_t first, int64_t term, int count)
{
    const char *at = v_address(s->from, first * s->across + term * s->along);
    char some[VL] = {0};
    if (s->across == 1 && count >= VL) return (vu)v_from_bytes(is_signed, at);
    for (int lane = 0; lane < count && lane < VL; lane++)
        some[lane] = *v_address(at, lane * s->across);
    return (vu)v_from_bytes(is_signed, some);
}

/* The next word of VL lanes from `first` on, `count` of which are there. */
K_TEMPLATE
vu int8_word(bool quads, const struct int8_strip *s, int64_t first, int64_t term, int count)
{
    const int each = int8_word_terms(quads);
    vu words = {0};
#pragma GCC unroll 4
    for (int i = 0; i < each; i++) {
        if (term + i >= s->terms) break;
        const vu bytes = int8_lanes(!quads, s, first, term + i, count);
        words |= quads ? bytes << 8 * i : i == 0 ? bytes & 0xffff : bytes << 16;
    }
    return words ^ v_all_u(s->flip);
}

/* Any strip, a word at a time. */
K_TEMPLATE
void int8_pack_across(bool quads, int width, const struct int8_strip *s, uint32_t *to)
{
    const int step = width < VL ? width : VL, each = int8_word_terms(quads);
    for (int64_t term = 0; term < s->terms; term += each, to += width)
        for (int first = 0; first < width; first += step) {
            const int64_t left = s->lanes - first;
            const int count = (int)(left < 0 ? 0 : left < step ? left : step);
            v_store_u(to + first, int8_word(quads, s, first, term, count));
        }
}

/* Writes up to VL rows of `width` words, or VL words, more than the terms need. */
K_TEMPLATE
void int8_pack(bool quads, int width, const struct int8_strip *s, uint32_t *to)
{
    if (s->along == 1 && s->across != 1)
        int8_pack_along(quads, width, s, to);
    else
        int8_pack_across(quads, width, s, to);
}

#endif
