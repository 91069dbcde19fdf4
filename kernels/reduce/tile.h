/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of any type and step as dense tiles of a compute type, and back. */
#ifndef ACLNN_CPU_KERNELS_REDUCE_TILE_H
#define ACLNN_CPU_KERNELS_REDUCE_TILE_H

#include <string.h>

#include "kernels/loop/convert.h"
#include "kernels/reduce/k_reduce.h"

enum { TILE_ROOM = K_REDUCE_BLOCK * 8 };

/* Steps in elements; one of the two is 1. */
static inline void move_elements(int64_t size, char *to, int64_t to_step, const char *from,
                                 int64_t from_step, int64_t count)
{
    if (to_step == 1 && from_step == 1)
        memcpy(to, from, (size_t)(count * size));
    else if (size == 4)
        for (int64_t i = 0; i < count; i++)
            memcpy(to + i * to_step * 4, from + i * from_step * 4, 4);
    else if (size == 8)
        for (int64_t i = 0; i < count; i++)
            memcpy(to + i * to_step * 8, from + i * from_step * 8, 8);
    else if (size == 2)
        for (int64_t i = 0; i < count; i++)
            memcpy(to + i * to_step * 2, from + i * from_step * 2, 2);
    else
        for (int64_t i = 0; i < count; i++)
            to[i * to_step] = from[i * from_step];
}

/* What elements are and become. */
struct tile_source {
    enum k_compute compute;
    enum k_dtype from, via;
};

static inline bool is_real(enum k_dtype dtype)
{
    return dtype < K_DTYPES || dtype == K_F64;
}

/* At most K_REDUCE_BLOCK elements, where they lie or in `tile`; tile and room have TILE_ROOM bytes.
 */
static inline const void *tile_fetch(struct tile_source source, const char *at, int64_t step,
                                     int64_t count, char *tile, char *room)
{
    const bool is_plain = source.from == k_dtype_of(source.compute) && source.via == source.from;
    if (step != 1 && count > 1) {
        char *into = is_plain ? tile : room;
        move_elements(k_dtype_size(source.from), into, 1, at, step, count);
        at = into;
    }
    if (is_plain) return at;
    const bool is_cut = is_real(source.from) && !is_real(source.via);
    const enum k_compute first = is_cut ? K_AS_F64 : source.compute;
    k_widen(first, source.from, at, tile, count);
    if (source.via == source.from || (!is_cut && source.via == k_dtype_of(source.compute)))
        return tile;
    k_narrow(first, source.via, tile, room, count);
    k_widen(source.compute, source.via, room, tile, count);
    return tile;
}

/* Stores elements of a compute type as `result` and then as `to`. tile is changed. */
static inline void tile_deliver(enum k_compute compute, enum k_dtype result, enum k_dtype to,
                                char *tile, char *at, int64_t step, int64_t count, char *room)
{
    const enum k_dtype own = k_dtype_of(compute);
    if (result != to && result != own) {
        k_narrow(compute, result, tile, room, count);
        k_widen(compute, result, room, tile, count);
    }
    if (to != own) {
        char *into = step == 1 ? at : room;
        k_narrow(compute, to, tile, into, count);
        if (step == 1) return;
        tile = room;
    }
    move_elements(k_dtype_size(to), at, step, tile, 1, count);
}

/* The places of result number `item`, of columns of a tile: in elements. */
struct tile_place {
    int64_t from, to, auxiliary, index, columns;
};

/* by_columns: the last axis is cut into tiles; item counts those. */
static inline struct tile_place tile_place_of(const struct k_kept *kept, int64_t item,
                                              bool by_columns, int64_t columns, int64_t tiles)
{
    struct tile_place place = {.columns = 1};
    int axis = kept->rank - 1;
    if (by_columns) {
        const int64_t first = item % tiles * columns;
        item /= tiles;
        place.from = first * kept->from[axis];
        place.to = first * kept->to[axis];
        place.auxiliary = first * kept->auxiliary[axis];
        place.index = first * kept->index[axis];
        place.columns = kept->sizes[axis] - first;
        if (place.columns > columns) place.columns = columns;
        axis--;
    }
    for (; axis >= 0; axis--) {
        const int64_t i = axis > 0 ? item % kept->sizes[axis] : item;
        if (axis > 0) item /= kept->sizes[axis];
        place.from += i * kept->from[axis];
        place.to += i * kept->to[axis];
        place.auxiliary += i * kept->auxiliary[axis];
        place.index += i * kept->index[axis];
    }
    return place;
}

/* Where reduced element `position` lies, in elements. */
static inline int64_t tile_offset(int rank, const int64_t *sizes, const int64_t *steps,
                                  int64_t position)
{
    int64_t offset = 0;
    for (int axis = rank - 1; axis > 0; axis--) {
        offset += position % sizes[axis] * steps[axis];
        position /= sizes[axis];
    }
    return offset + position * steps[0];
}

/* Reduced elements from `position` on, at most K_REDUCE_BLOCK, behind each other. */
static inline const void *tile_fetch_reduced(struct tile_source source, const char *at, int rank,
                                             const int64_t *sizes, const int64_t *steps,
                                             int64_t position, int64_t count, char *tile,
                                             char *room)
{
    const int64_t run = sizes[rank - 1], step = steps[rank - 1];
    const int64_t size = k_dtype_size(source.from), own = k_dtype_size(k_dtype_of(source.compute));
    for (int64_t done = 0; done < count;) {
        const int64_t inside = rank == 1 ? position + done : (position + done) % run;
        int64_t some = run - inside;
        if (some > count - done) some = count - done;
        const char *from = at + tile_offset(rank, sizes, steps, position + done) * size;
        const void *elements = tile_fetch(source, from, step, some, tile + done * own, room);
        if (some == count) return elements;
        if (elements != tile + done * own)
            memcpy(tile + done * own, elements, (size_t)(some * own));
        done += some;
    }
    return tile;
}

#endif
