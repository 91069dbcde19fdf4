/* SPDX-License-Identifier: Apache-2.0 */
/* A tile of a row is summed in double: for each place of the outer axes, pieces of `from` along the
 * last axis are widened and added where they belong. */
#include <string.h>

#include "kernels/loop/convert.h"
#include "kernels/overlap/k_overlap.h"

/* Indices begin + j step of an axis stand at from + j from_step, 0 <= j < count. step is 0 where
 * one index was repeated. */
struct piece {
    int64_t begin, step, from, from_step, count;
};

static int64_t pieces_of(const struct k_overlap_axis *a)
{
    return a->kind == K_OVERLAP_PLAIN ? 1 : a->kind == K_OVERLAP_WINDOWS ? a->taps : 3;
}

static struct piece tap(const struct k_overlap_axis *a, int64_t t)
{
    const int64_t at = t * a->dilation - a->padding;
    const int64_t first = at < 0 ? (-at + a->window - 1) / a->window : 0;
    const int64_t last = at >= a->size ? 0 : (a->size - 1 - at) / a->window + 1;
    const int64_t count = (last < a->windows ? last : a->windows) - first;
    return (struct piece){at + first * a->window, a->window, t * a->tap_stride + first * a->stride,
                          a->stride, count};
}

/* The inside, then the edge in front and the one behind. */
static struct piece piece_of(const struct k_overlap_axis *a, int64_t n)
{
    const int64_t end = a->front + a->size, count = n == 1 ? a->front : a->behind;
    struct piece p = {0, 1, a->front * a->stride, a->stride, count};
    if (a->kind == K_OVERLAP_WINDOWS) return tap(a, n);
    if (n == 0) {
        const int64_t cut = a->front < 0 ? -a->front : 0;
        p.begin = cut;
        p.from += cut * a->stride;
        p.count = a->size - cut + (a->behind < 0 ? a->behind : 0);
        return p;
    }
    if (a->kind == K_OVERLAP_REFLECTION) {
        p.begin = n == 1 ? 1 : a->size - 1 - count;
        p.from = (n == 1 ? count - 1 : end - 1 + count) * a->stride;
        p.from_step = -a->stride;
        return p;
    }
    p.from = n == 1 ? 0 : end * a->stride;
    if (a->kind == K_OVERLAP_REPLICATION)
        p.begin = n == 1 ? 0 : a->size - 1, p.step = 0;
    else
        p.begin = n == 1 ? a->size - count : 0;
    return p;
}

/* The tile at work. */
struct tile {
    const struct k_overlap *o;
    const char *from;
    int64_t index[K_OVERLAP_RANK]; /* of the row */
    int64_t begin, end;            /* along the last axis */
    double sums[K_OVERLAP_TILE];
};

#define GATHER(size)                                                                               \
    for (int64_t j = 0; j < count; j++)                                                            \
        memcpy(to + j * (size), from + j * step * (size), size);

static void gather(int64_t size, char *to, const char *from, int64_t step, int64_t count)
{
    if (size == 2) {
        GATHER(2)
    } else if (size == 4) {
        GATHER(4)
    } else {
        GATHER(8)
    }
}

/* Adds elements of `from` to every step-th sum. */
static void add_elements(struct tile *tile, double *sums, int64_t step, int64_t offset,
                         int64_t from_step, int64_t count)
{
    const enum k_dtype dtype = tile->o->from;
    const int64_t size = k_dtype_size(dtype);
    const char *elements = tile->from + offset * size;
    _Alignas(64) double wide[K_OVERLAP_TILE];
    _Alignas(64) char dense[K_OVERLAP_TILE * sizeof(double)];
    if (from_step != 1) {
        gather(size, dense, elements, from_step, count);
        elements = dense;
    }
    k_widen(K_AS_F64, dtype, elements, wide, count);
    if (step == 1)
        for (int64_t j = 0; j < count; j++)
            sums[j] += wide[j];
    else
        for (int64_t j = 0; j < count; j++)
            sums[j * step] += wide[j];
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static void add_row(struct tile *tile, int64_t offset)
{
    const struct k_overlap_axis *axis = &tile->o->axis[tile->o->rank - 1];
    for (int64_t n = 0; n < pieces_of(axis); n++) {
        const struct piece p = piece_of(axis, n);
        int64_t first = 0, end = p.count;
        if (p.step == 0) {
            if (p.begin < tile->begin || p.begin >= tile->end) continue;
        } else {
            first = clamp((tile->begin - p.begin + p.step - 1) / p.step, 0, end);
            end = clamp((tile->end - p.begin + p.step - 1) / p.step, 0, end);
        }
        for (; first < end; first += K_OVERLAP_TILE) {
            const int64_t left = end - first, at = p.begin + first * p.step - tile->begin;
            add_elements(tile, tile->sums + at, p.step, offset + p.from + first * p.from_step,
                         p.from_step, left < K_OVERLAP_TILE ? left : K_OVERLAP_TILE);
        }
    }
}

/* All places of the row's indices from this axis on. */
static void add_axis(struct tile *tile, int axis, int64_t offset)
{
    const struct k_overlap_axis *a = &tile->o->axis[axis];
    if (axis == tile->o->rank - 1) {
        add_row(tile, offset);
        return;
    }
    for (int64_t n = 0; n < pieces_of(a); n++) {
        const struct piece p = piece_of(a, n);
        const int64_t past = tile->index[axis] - p.begin;
        int64_t first = 0, end = p.count;
        if (p.step == 0) {
            if (past != 0) continue;
        } else {
            if (past < 0 || past % p.step != 0 || past / p.step >= end) continue;
            first = past / p.step;
            end = first + 1;
        }
        for (int64_t j = first; j < end; j++)
            add_axis(tile, axis + 1, offset + p.from + j * p.from_step);
    }
}

static void store(const struct tile *tile, char *to, int64_t step)
{
    const enum k_dtype dtype = tile->o->to;
    const int64_t count = tile->end - tile->begin, size = k_dtype_size(dtype);
    char dense[K_OVERLAP_TILE * sizeof(double)];
    k_narrow(K_AS_F64, dtype, tile->sums, step == 1 ? to : dense, count);
    for (int64_t j = 0; j < count && step != 1; j++)
        memcpy(to + j * step * size, dense + j * size, (size_t)size);
}

k_fn K_SYMBOL(overlap_add);

void K_SYMBOL(overlap_add)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_overlap *o = parameters;
    const int last = o->rank - 1;
    struct tile tile = {.o = o, .from = buffers[K_OVERLAP_FROM]};
    for (int64_t item = slice.begin; item < slice.end; item++) {
        int64_t rest = item / o->tiles, to = o->to_offset;
        tile.begin = item % o->tiles * K_OVERLAP_TILE;
        tile.end = clamp(tile.begin + K_OVERLAP_TILE, 0, o->axis[last].size);
        for (int axis = last - 1; axis >= 0; axis--) {
            tile.index[axis] = rest % o->axis[axis].size;
            rest /= o->axis[axis].size;
            to += tile.index[axis] * o->to_strides[axis];
        }
        memset(tile.sums, 0, (size_t)(tile.end - tile.begin) * sizeof *tile.sums);
        add_axis(&tile, 0, o->from_offset);
        to += tile.begin * o->to_strides[last];
        store(&tile, (char *)buffers[K_OVERLAP_TO] + to * k_dtype_size(o->to), o->to_strides[last]);
    }
}
