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
int int8_word_terms(enum v_quads quads)
{
    return quads != NO_QUADS ? 4 : 2;
}

/* So many words, or one more: eights have two each. */
#if defined(K_EIGHTS)
#define INT8_WHOLE(quads, words) ((quads) == CPU_EIGHTS ? ((words) + 1) / 2 * 2 : (words))
#else
#define INT8_WHOLE(quads, words) (words)
#endif

/* VL words of a lane; so many terms of it are left. */
K_TEMPLATE
vu int8_words(enum v_quads quads, const char *at, int64_t left)
{
    char some[4 * VL] = {0};
    if (left < int8_word_terms(quads) * VL) at = memcpy(some, at, (size_t)left);
    return quads != NO_QUADS ? v_load_u(at) : v_extend_bytes(at);
}

/* A strip whose terms are contiguous. */
K_TEMPLATE
void int8_pack_along(enum v_quads quads, int width, const struct int8_strip *s, uint32_t *to)
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
vu int8_word(enum v_quads quads, const struct int8_strip *s, int64_t first, int64_t term, int count)
{
    const int each = int8_word_terms(quads);
    vu words = {0};
#pragma GCC unroll 4
    for (int i = 0; i < each; i++) {
        if (term + i >= s->terms) break;
        const vu bytes = int8_lanes(quads == NO_QUADS, s, first, term + i, count);
        words |= quads != NO_QUADS ? bytes << 8 * i : i == 0 ? bytes & 0xffff : bytes << 16;
    }
    return words ^ v_all_u(s->flip);
}

#if defined(K_EIGHTS)
/* A whole row of words from contiguous lanes, if it is one. */
K_TEMPLATE
bool int8_row_of_words(enum v_quads quads, int width, const struct int8_strip *s, int64_t term,
                       uint32_t *to)
{
    vu words[4];
    if (quads == NO_QUADS || s->across != 1 || s->lanes < width || term + 4 > s->terms)
        return false;
    v_quads_of_rows(width / VL, v_address(s->from, term * s->along), s->along, words);
#pragma GCC unroll 4
    for (int v = 0; v < width / VL; v++)
        v_store_u(to + v * VL, words[v]);
    return true;
}
#endif

/* Any strip, a word at a time. */
K_TEMPLATE
void int8_pack_across(enum v_quads quads, int width, const struct int8_strip *s, uint32_t *to)
{
    const int step = width < VL ? width : VL, each = int8_word_terms(quads);
    for (int64_t term = 0; term < s->terms; term += each, to += width) {
#if defined(K_EIGHTS)
        if (int8_row_of_words(quads, width, s, term, to)) continue;
#endif
        for (int first = 0; first < width; first += step) {
            const int64_t left = s->lanes - first;
            const int count = (int)(left < 0 ? 0 : left < step ? left : step);
            v_store_u(to + first, int8_word(quads, s, first, term, count));
        }
    }
}

#if defined(K_EIGHTS)
/* Rows of eights from a strip whose terms are contiguous: to[eight][lane][word]. */
K_TEMPLATE
void int8_pack_eights(int width, const struct int8_strip *s, uint32_t *to)
{
    for (int64_t term = 0; term < s->terms; term += 4 * VL, to += VL * width)
#pragma GCC unroll 6
        for (int lane = 0; lane < width; lane += 2) {
            vu a[2] = {{0}, {0}};
#pragma GCC unroll 2
            for (int i = 0; i < 2; i++)
                if (lane + i < s->lanes)
                    a[i] =
                        int8_words(PLAIN_QUADS, v_address(s->from, (lane + i) * s->across + term),
                                   s->terms - term);
            v_store_u(to + 2 * lane, v_zip_doubles(0, a[0], a[1]));
            v_store_u(to + 2 * (width + lane), v_zip_doubles(1, a[0], a[1]));
        }
}

/* Two rows of words become one of eights, in place; `have` words are there. */
K_TEMPLATE
void int8_pair_words(int width, int64_t have, uint32_t *words)
{
    if (have % 2 != 0) memset(words + have * width, 0, (size_t)width * sizeof *words);
    for (int64_t row = 0; row < have; row += 2, words += 2 * width) {
        vu a[6];
#pragma GCC unroll 6
        for (int v = 0; v < 2 * width / VL; v++)
            a[v] = v_load_u(words + v * VL);
#pragma GCC unroll 3
        for (int v = 0; v < width / VL; v++) {
            const vf one = (vf)a[v], other = (vf)a[v + width / VL];
            v_store_u(words + 2 * v * VL, (vu)v_zip(0, one, other));
            v_store_u(words + (2 * v + 1) * VL, (vu)v_zip(1, one, other));
        }
    }
}
#endif

/* Writes up to VL rows of `width` words, or VL words, more than the terms need. Eights are two
 * words of a lane side by side. */
K_TEMPLATE
void int8_pack(enum v_quads quads, int width, const struct int8_strip *s, uint32_t *to)
{
#if defined(K_EIGHTS)
    if (quads == CPU_EIGHTS && s->along == 1 && s->across != 1) {
        int8_pack_eights(width, s, to);
        return;
    }
    if (quads == CPU_EIGHTS) {
        int8_pack_across(quads, width, s, to);
        int8_pair_words(width, (s->terms + 3) / 4, to);
        return;
    }
#endif
    if (s->along == 1 && s->across != 1)
        int8_pack_along(quads, width, s, to);
    else
        int8_pack_across(quads, width, s, to);
}

#endif
