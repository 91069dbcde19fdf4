/* SPDX-License-Identifier: Apache-2.0 */
/* Where rows of finished elements go, one behind the other: straight into the tensor, or, if that
 * is to be stored non-temporally, into an image in L1 that is streamed out in whole vectors. In
 * the image every row begins with a cache line, so that stores are aligned and it is the loads that
 * are not: a store across two lines waits for the streaming stores before it (measured: 14 cycles a
 * line instead of 8). Nothing outside of the region reaches the tensor. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_OUTLET_H
#define ACLNN_CPU_KERNELS_VECTOR_OUTLET_H

#include "kernels/vector/simd.h"

enum {
    OUTLET_ROOM = 8192,           /* bytes that may be asked for at once */
    OUTLET_SLACK = 2 * LINE_BYTES /* bytes that may be written behind a row */
};

/* Vectors that follow each other in memory, made of pieces of any length. */
struct k_vectors {
    char *to;   /* of the vector in work, aligned */
    int filled; /* first bytes of it that are pending, */
    int skip;   /* and of them those that are not ours */
    vf pending;
};

struct k_outlet {
    struct k_vectors vectors; /* direct: only `to` is used, the next row's address */
    char *end;                /* of the region */
    bool stream, direct;
    vf image[(OUTLET_ROOM + OUTLET_SLACK) / K_VECTOR_BYTES + 2];
};

static inline struct k_vectors vectors_begin(char *to, bool aligned)
{
    const int behind = aligned ? (int)((uintptr_t)to % K_VECTOR_BYTES) : 0;
    return (struct k_vectors){.to = to - behind, .filled = behind, .skip = behind};
}

static inline void outlet_begin(struct k_outlet *outlet, char *to, int64_t bytes, bool stream)
{
    outlet->stream = stream;
    outlet->vectors = vectors_begin(to, stream);
    outlet->end = to + bytes;
}

/* Bytes from row to row of those that outlet_room gives. */
static inline int64_t outlet_pitch(const struct k_outlet *outlet, int64_t bytes)
{
    return outlet->direct ? bytes : (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

/* Where the next rows go; rows * (bytes rounded up to whole lines) <= OUTLET_ROOM. OUTLET_SLACK
 * more bytes may be written behind the last row. */
static inline char *outlet_room(struct k_outlet *outlet, int64_t rows, int64_t bytes)
{
    outlet->direct =
        !outlet->stream && outlet->end - outlet->vectors.to >= rows * bytes + OUTLET_SLACK;
    return outlet->direct ? outlet->vectors.to : (char *)(outlet->image + 1);
}

/* The first `count` bytes come from a, the others from b. */
K_TEMPLATE
vf outlet_join(int count, vf a, vf b)
{
#if K_VECTOR_BYTES == 64
    typedef int8_t vb __attribute__((vector_size(64)));
    const vb lanes = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                      16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                      32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                      48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
#elif K_VECTOR_BYTES == 32
    typedef int8_t vb __attribute__((vector_size(32)));
    const vb lanes = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                      16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
#else
    typedef int8_t vb __attribute__((vector_size(16)));
    const vb lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#endif
    const vb first = lanes < (int8_t)count;
    return (vf)(((vb)a & first) | ((vb)b & ~first));
}

static inline void vectors_store_part(struct k_vectors *v, int from, int to, vf vector)
{
    memcpy(v->to + from, (const char *)&vector + from, (size_t)(to - from));
}

K_TEMPLATE
void vectors_store(struct k_vectors *v, vf vector, bool stream)
{
    if (__builtin_expect(v->skip > 0, 0)) {
        vectors_store_part(v, v->skip, K_VECTOR_BYTES, vector);
        v->skip = 0;
    } else if (stream) {
        k_stream(v->to, vector);
    } else {
        k_put(v->to, vector);
    }
    v->to += K_VECTOR_BYTES;
}

/* Appends `bytes` bytes from `from` on; up to K_VECTOR_BYTES before and behind them are read. */
K_TEMPLATE
void vectors_append(struct k_vectors *v, const char *from, int64_t bytes)
{
    int64_t x = -v->filled;
    vf vector = outlet_join(v->filled, v->pending, v_load((const float *)(const void *)(from + x)));
    if (x + K_VECTOR_BYTES <= bytes) {
        vectors_store(v, vector, true);
        for (x += K_VECTOR_BYTES; x + K_VECTOR_BYTES <= bytes; x += K_VECTOR_BYTES) {
            k_stream(v->to, v_load((const float *)(const void *)(from + x)));
            v->to += K_VECTOR_BYTES;
        }
        vector = v_load((const float *)(const void *)(from + x));
    }
    v->filled = (int)(bytes - x);
    v->pending = vector;
}

/* Appends `bytes` bytes that repeat one value. */
K_TEMPLATE
void vectors_fill(struct k_vectors *v, vf value, int64_t bytes, bool stream)
{
    int64_t x = -v->filled;
    vf vector = outlet_join(v->filled, v->pending, value);
    if (x + K_VECTOR_BYTES <= bytes) {
        vectors_store(v, vector, stream);
        for (x += K_VECTOR_BYTES; x + K_VECTOR_BYTES <= bytes; x += K_VECTOR_BYTES)
            vectors_store(v, value, stream);
        vector = value;
    }
    v->filled = (int)(bytes - x);
    v->pending = vector;
}

static inline void vectors_end(struct k_vectors *v)
{
    if (v->filled > v->skip) vectors_store_part(v, v->skip, v->filled, v->pending);
    v->filled = v->skip = 0;
}

/* Rows that outlet_room gave a place to are complete: each goes out `step` times, the first one
 * from its time `place` on, `rows` in all. Directly only once each. */
static inline void outlet_took_repeated(struct k_outlet *outlet, int64_t rows, int64_t bytes,
                                        int64_t place, int64_t step)
{
    const char *from = (const char *)(outlet->image + 1);
    const int64_t pitch = outlet_pitch(outlet, bytes);
    if (outlet->direct) {
        outlet->vectors.to += rows * bytes;
        return;
    }
    struct k_vectors vectors = outlet->vectors;
    for (int64_t r = 0; r < rows; r++) {
        if (outlet->stream) {
            vectors_append(&vectors, from, bytes);
        } else {
            memcpy(vectors.to, from, (size_t)bytes);
            vectors.to += bytes;
        }
        if (++place == step) place = 0, from += pitch;
    }
    outlet->vectors = vectors;
}

static inline void outlet_took(struct k_outlet *outlet, int64_t rows, int64_t bytes)
{
    outlet_took_repeated(outlet, rows, bytes, 0, 1);
}

/* The next rows, not to be streamed, were written where they belong. */
static inline void outlet_skip(struct k_outlet *outlet, int64_t bytes)
{
    outlet->vectors.to += bytes;
}

static inline void outlet_end(struct k_outlet *outlet)
{
    vectors_end(&outlet->vectors);
}

#endif
