/* SPDX-License-Identifier: Apache-2.0 */
/* Finished rows of any length, in vectors that begin with the row, become whole lines that follow
 * each other in memory: one permutation for each. */
#ifndef ACLNN_CPU_KERNELS_POOL_LINES_OUT_H
#define ACLNN_CPU_KERNELS_POOL_LINES_OUT_H

#include "kernels/vector/outlet.h"

#if defined(K_ISA_avx512)
/* Halves may come paired: a vector's even elements first, then its odd ones. */
enum lines_form { LINES_IN_ORDER, LINES_PAIRED };

/* The permutation that takes elements n and on of two vectors, as many as one holds, begins n
 * elements behind the table's begin. */
#define LINES_EIGHT(x)       x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7
#define LINES_PAIR(x)        (x) / 2, (x) / 2 + VL
#define LINES_EIGHT_PAIRS(x) LINES_PAIR(x), LINES_PAIR(x + 2), LINES_PAIR(x + 4), LINES_PAIR(x + 6)
#define LINES_PAIRS(x)                                                                             \
    LINES_EIGHT_PAIRS(x), LINES_EIGHT_PAIRS(x + 8), LINES_EIGHT_PAIRS(x + 16),                     \
        LINES_EIGHT_PAIRS(x + 24)
static const uint32_t lines_floats[2 * VL] = {LINES_EIGHT(0), LINES_EIGHT(8), LINES_EIGHT(16),
                                              LINES_EIGHT(24)};
static const uint16_t lines_halves[4 * VL] = {LINES_EIGHT(0),  LINES_EIGHT(8),  LINES_EIGHT(16),
                                              LINES_EIGHT(24), LINES_EIGHT(32), LINES_EIGHT(40),
                                              LINES_EIGHT(48), LINES_EIGHT(56)};
/* The first vector is paired; the second one is in order, or paired too. */
static const uint16_t lines_pairs[2][4 * VL] = {
    [LINES_IN_ORDER] = {LINES_PAIRS(0), LINES_EIGHT(32), LINES_EIGHT(40), LINES_EIGHT(48),
                        LINES_EIGHT(56)},
    [LINES_PAIRED] = {LINES_PAIRS(0), LINES_PAIRS(64)}};

/* Which element each place of a paired vector has. */
static const uint16_t lines_paired_elements[2 * VL] = {0,  2,  4,  6,  8,  10, 12, 14, 16, 18, 20,
                                                       22, 24, 26, 28, 30, 1,  3,  5,  7,  9,  11,
                                                       13, 15, 17, 19, 21, 23, 25, 27, 29, 31};

struct lines_out {
    char *to;
    vf before;
    int64_t left; /* bytes until a line is full; the others are the last ones of `before` */
    int64_t rest; /* bytes of a row's last vector */
    __m512i tail; /* makes `before` of it and a row's last vector */
    int skip;     /* bytes of the vector in work that are not ours */
    bool plain;   /* past the caches, nothing to skip */
    bool stream;
};

K_TEMPLATE
__m512i lines_places(enum k_dtype dt, enum lines_form before, enum lines_form now, int64_t bytes)
{
    const char *table = dt == K_F32              ? (const char *)lines_floats
                        : before == LINES_PAIRED ? (const char *)lines_pairs[now]
                                                 : (const char *)lines_halves;
    return _mm512_loadu_si512(table + bytes);
}

K_TEMPLATE
vf lines_permute(enum k_dtype dt, vf a, vf b, __m512i places)
{
    const __m512i x = (__m512i)a, y = (__m512i)b;
    return dt == K_F32 ? (vf)_mm512_permutex2var_epi32(x, places, y)
                       : (vf)_mm512_permutex2var_epi16(x, places, y);
}

/* form: of the vectors that come; last: of each row's last one, which has `rest` bytes. */
K_TEMPLATE
struct lines_out lines_out_begin(enum k_dtype dt, enum lines_form form, enum lines_form last,
                                 const struct k_vectors *v, int rest, bool stream)
{
    struct lines_out out = {.to = v->to,
                            .left = K_VECTOR_BYTES - v->filled,
                            .rest = rest,
                            .tail = lines_places(dt, form, last, rest),
                            .skip = v->skip,
                            .plain = stream && v->skip == 0,
                            .stream = stream};
    if (form == LINES_IN_ORDER) {
        const __m512i places = lines_places(dt, form, form, v->filled);
        out.before = lines_permute(dt, v->pending, v->pending, places);
        return out;
    }
    const __m512i elements = _mm512_loadu_si512(lines_paired_elements);
    const __m512i places = _mm512_add_epi16(elements, _mm512_set1_epi16((int16_t)(v->filled / 2)));
    out.before = lines_permute(dt, v->pending, v->pending, places);
    out.tail = (__m512i)lines_permute(
        dt, (vf)lines_places(dt, form, last, 0), (vf)lines_places(dt, form, last, K_VECTOR_BYTES),
        _mm512_add_epi16(elements, _mm512_set1_epi16((int16_t)(rest / 2))));
    return out;
}

K_TEMPLATE
void lines_out_end(enum k_dtype dt, enum lines_form form, const struct lines_out *out,
                   struct k_vectors *v)
{
    const __m512i places = lines_places(dt, form, form, out->left % K_VECTOR_BYTES);
    v->to = out->to;
    v->filled = (int)(K_VECTOR_BYTES - out->left);
    v->skip = out->skip;
    v->pending = lines_permute(dt, out->before, out->before, places);
}

K_TEMPLATE
void lines_put(struct lines_out *out, vf elements)
{
    if (__builtin_expect(out->plain, 1)) {
        k_stream(out->to, elements);
    } else if (out->skip > 0) {
        char bytes[K_VECTOR_BYTES]; /* else every vector would go by way of memory */
        k_put(bytes, elements);
        memcpy(out->to + out->skip, bytes + out->skip, (size_t)(K_VECTOR_BYTES - out->skip));
        out->skip = 0;
        out->plain = out->stream;
    } else {
        k_put(out->to, elements);
    }
    out->to += K_VECTOR_BYTES;
}

/* A whole vector of a row that goes on, by the permutation that serves the row. */
K_TEMPLATE
__m512i lines_out_places(enum k_dtype dt, enum lines_form form, const struct lines_out *out)
{
    return lines_places(dt, form, form, out->left);
}

K_TEMPLATE
void lines_out_whole(enum k_dtype dt, struct lines_out *out, __m512i places, vf cells)
{
    lines_put(out, lines_permute(dt, out->before, cells, places));
    out->before = cells;
}

/* A row's last vector. */
K_TEMPLATE
void lines_out_last(enum k_dtype dt, enum lines_form form, enum lines_form last,
                    struct lines_out *out, vf cells)
{
    const int64_t left = out->left;
    out->left -= out->rest;
    if (out->left <= 0) {
        const __m512i places = lines_places(dt, form, last, left);
        lines_put(out, lines_permute(dt, out->before, cells, places));
        out->left += K_VECTOR_BYTES;
    }
    out->before = lines_permute(dt, out->before, cells, out->tail);
}
#endif

#endif
