/* SPDX-License-Identifier: Apache-2.0 */
/* Where rows of finished elements go, one behind the other: straight into the tensor, or, if that
 * is to be written past the caches, into an image in L1 of which whole lines are streamed out a
 * little later (their stores have then left the store queue: a load that spans two stores would
 * have to wait for them). Rows may be written longer than they are; nothing outside of the region
 * reaches the tensor. */
#ifndef ACLNN_CPU_KERNELS_SIMD_SINK_H
#define ACLNN_CPU_KERNELS_SIMD_SINK_H

#include "kernels/simd/simd.h"

enum {
    SINK_FRONT = 64,  /* bytes that may be written before a row in the image */
    SINK_SLACK = 640, /* bytes that may be written behind a row */
    SINK_ROOM = 8192, /* bytes that may be asked for at once */
    SINK_BATCH = 1024,
    SINK_LAG = 1024,
    SINK_BYTES = SINK_ROOM + SINK_BATCH + SINK_LAG + 2 * LINE_BYTES,
};

struct k_sink {
    char *to;       /* the tensor's address of the next row, or of the image's first byte */
    char *end;      /* of the region */
    int skip;       /* first bytes of the image that are not ours */
    int used, done; /* bytes of the image in use; that are written out (whole lines) */
    bool stream, direct;
    char *image;
    vf storage[(SINK_FRONT + SINK_BYTES + SINK_SLACK) / sizeof(vf) + 1];
};

static inline void sink_begin(struct k_sink *sink, char *to, int64_t bytes, bool stream)
{
    sink->stream = stream;
    sink->image = (char *)sink->storage + SINK_FRONT;
    sink->end = to + bytes;
    sink->skip = stream ? (int)((uintptr_t)to % LINE_BYTES) : 0;
    sink->to = to - sink->skip;
    sink->used = sink->skip;
    sink->done = 0;
}

/* Writes out the image's bytes up to the last whole line before `until`. */
static inline void sink_write(struct k_sink *sink, int until)
{
    int at = sink->done;
    if (at == 0 && sink->skip != 0 && until >= LINE_BYTES) {
        memcpy(sink->to + sink->skip, sink->image + sink->skip, (size_t)(LINE_BYTES - sink->skip));
        sink->skip = 0;
        at = LINE_BYTES;
    }
    for (; at + LINE_BYTES <= until; at += LINE_BYTES)
        for (int i = 0; i < LINE_BYTES / K_VECTOR_BYTES; i++)
            k_stream(sink->to + at + i * K_VECTOR_BYTES,
                     v_load((const float *)(const void *)(sink->image + at + i * K_VECTOR_BYTES)));
    sink->done = at;
}

/* Empties the image but for the last, broken line. */
static inline void sink_turn(struct k_sink *sink)
{
    if (!sink->stream) {
        memcpy(sink->to, sink->image, (size_t)sink->used);
        sink->to += sink->used;
        sink->used = 0;
        return;
    }
    sink_write(sink, sink->used);
    for (int i = 0; i < LINE_BYTES; i += K_VECTOR_BYTES)
        v_store((float *)(void *)(sink->image + i),
                v_load((const float *)(const void *)(sink->image + sink->done + i)));
    sink->to += sink->done;
    sink->used -= sink->done;
    sink->done = 0;
}

/* Where the next `bytes` (at most SINK_ROOM) go; SINK_SLACK more may be written, and SINK_FRONT
 * before if `front`. */
static inline char *sink_room(struct k_sink *sink, int64_t bytes, bool front)
{
    sink->direct =
        !sink->stream && !front && sink->used == 0 && sink->end - sink->to >= bytes + SINK_SLACK;
    if (sink->direct) return sink->to;
    if (sink->used + bytes > SINK_BYTES) sink_turn(sink);
    return sink->image + sink->used;
}

static inline void sink_took(struct k_sink *sink, int64_t bytes)
{
    if (sink->direct) {
        sink->to += bytes;
        return;
    }
    sink->used += (int)bytes;
    if (sink->stream && sink->used - sink->done >= SINK_LAG + SINK_BATCH)
        sink_write(sink, sink->used - SINK_LAG);
}

static inline void sink_end(struct k_sink *sink)
{
    if (sink->stream) sink_write(sink, sink->used);
    const int from = sink->done > sink->skip ? sink->done : sink->skip;
    if (sink->used > from) memcpy(sink->to + from, sink->image + from, (size_t)(sink->used - from));
    sink->used = sink->done = sink->skip = 0;
}

#endif
