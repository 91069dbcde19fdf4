/* SPDX-License-Identifier: Apache-2.0 */
/* cells[index of i] += value i (plane_scatter_add) or = value i (plane_scatter_last), for rising i,
 * all other cells 0; indices may say anything.
 *
 * Mostly in place: cells are zeroed in rising order a little ahead of the first entry that needs
 * them, so a plane whose indices rise is touched once, while it is in L1. (Through a buffer that is
 * streamed out it takes twice the time of one thread, however large the output.) Small planes are
 * zeroed several at a time, and their entries need no second look.
 *
 * Sums of half types are floats, which have no room in place. They meet in a tile, the buffer of a
 * range of cells, or of several small planes. In a plane of several tiles blocks of entries are
 * first asked for their least and greatest index: with local indices a tile looks at few blocks, in
 * no order at all at every entry. */
#include <string.h>

#include "kernels/pool/k_plane.h"
#include "kernels/pool/plane_plan.h"
#include "kernels/vector/simd.h"

enum {
    TILE = 1 << 14,     /* floats of the buffer */
    BLOCKS = 1024,      /* most blocks of entries of a plane */
    BLOCK_ENTRIES = 64, /* fewest entries of a block */
    AHEAD = 1024,       /* cells zeroed at once in place */
    WIDEN = 256,        /* half numbers widened at once */
    SMALL = 1 << 13,    /* bytes of small planes zeroed at once in place */
};

/* Part of a plane being filled. */
struct part {
    const char *values, *indices; /* of the plane */
    int64_t first, count;         /* cells of the plane that `cells` holds */
    int64_t zeroed;               /* of them, from the first: those behind are still unset */
    char *cells;
    int64_t plane_cells;
    int64_t position;      /* of the plane's first index among all */
    struct k_fault *fault; /* NULL: somebody else looks for faults */
};

/* Planes that are dense, one behind the other. */
struct planes {
    const struct k_plane *shape;
    const struct way *way;
    const char *values, *indices;
    char *cells;
    struct k_fault *fault;
};

/* Entries [begin, end) of the plane into the part. */
typedef void put_fn(struct part *part, int64_t begin, int64_t end);
/* All entries of planes [plane, plane + count) to `cells`, which are zeros and hold nothing else.
 */
typedef void put_planes_fn(const struct planes *p, int64_t plane, int64_t count, char *cells);

struct way {
    put_fn *put;
    put_planes_fn *put_planes;
    enum k_dtype
        half; /* the type that sums are rounded to; K_F32: none, cells are filled in place */
    int index_size;
};

K_TEMPLATE
int64_t index_at(int index_size, const char *indices, int64_t i)
{
    int32_t narrow;
    int64_t wide;
    if (index_size == 4) {
        memcpy(&narrow, indices + i * 4, 4);
        return narrow;
    }
    memcpy(&wide, indices + i * 8, 8);
    return wide;
}

/* ---- entries ---- */

/* Makes the cell ready, or says that it is not of this part (then perhaps of none). */
K_OUTLINE bool reach(struct part *part, int64_t cell, int64_t i, int cell_size)
{
    if (cell >= 0 && cell < part->count) {
        const int64_t until = part->count - cell > AHEAD ? cell + AHEAD : part->count;
        memset(part->cells + part->zeroed * cell_size, 0,
               (size_t)((until - part->zeroed) * cell_size));
        part->zeroed = until;
        return true;
    }
    const uint64_t index = (uint64_t)cell + (uint64_t)part->first;
    if (part->fault && index >= (uint64_t)part->plane_cells)
        k_fault_note(part->fault, part->position + i);
    return false;
}

/* cells[...] += values, which begin with entry `begin`. */
K_TEMPLATE
void add_floats(int index_size, struct part *part, const char *values, int64_t begin, int64_t end)
{
    const char *indices = part->indices; /* copies: not read again after each store */
    char *cells = part->cells;
    const uint64_t first = (uint64_t)part->first;
    int64_t zeroed = part->zeroed;
    for (int64_t i = begin; i < end; i++) {
        const int64_t cell = (int64_t)((uint64_t)index_at(index_size, indices, i) - first);
        float value, sum;
        if (__builtin_expect((uint64_t)cell >= (uint64_t)zeroed, 0)) {
            if (!reach(part, cell, i, 4)) continue;
            zeroed = part->zeroed;
        }
        memcpy(&value, values + (i - begin) * 4, 4);
        memcpy(&sum, cells + cell * 4, 4);
        sum += value;
        memcpy(cells + cell * 4, &sum, 4);
    }
}

/* At most WIDEN half numbers. */
K_TEMPLATE
void widen_entries(enum k_dtype dt, float *to, const char *values, int64_t count)
{
    for (int64_t i = 0; i < count; i += VL)
        v_store(to + i, count - i >= VL ? k_load(dt, values + i * 2)
                                        : k_load_first(dt, values + i * 2, (int)(count - i)));
}

K_TEMPLATE
void add_entries(enum k_dtype dt, int index_size, struct part *part, int64_t begin, int64_t end)
{
    if (dt == K_F32) {
        add_floats(index_size, part, part->values + begin * 4, begin, end);
        return;
    }
    float wide[WIDEN];
    for (int64_t at = begin; at < end; at += WIDEN) {
        const int64_t until = end - at < WIDEN ? end : at + WIDEN;
        widen_entries(dt, wide, part->values + at * 2, until - at);
        add_floats(index_size, part, (const char *)wide, at, until);
    }
}

K_TEMPLATE
void set_entries(int size, int index_size, struct part *part, int64_t begin, int64_t end)
{
    const char *indices = part->indices, *values = part->values; /* as in add_floats */
    char *cells = part->cells;
    const uint64_t first = (uint64_t)part->first;
    int64_t zeroed = part->zeroed;
    for (int64_t i = begin; i < end; i++) {
        const int64_t cell = (int64_t)((uint64_t)index_at(index_size, indices, i) - first);
        if (__builtin_expect((uint64_t)cell >= (uint64_t)zeroed, 0)) {
            if (!reach(part, cell, i, size)) continue;
            zeroed = part->zeroed;
        }
        memcpy(cells + cell * size, values + i * size, (size_t)size);
    }
}

K_TEMPLATE
void add_to_planes(enum k_dtype dt, int index_size, const struct planes *p, int64_t plane,
                   int64_t count, char *cells)
{
    const uint64_t most = (uint64_t)p->shape->cells;
    const int64_t entries = p->shape->entries;
    float wide[WIDEN];
    for (int64_t end = plane + count; plane < end; plane++, cells += most * sizeof(float)) {
        const char *indices = p->indices + plane * entries * index_size;
        const char *values = p->values + plane * entries * k_size(dt);
        for (int64_t at = 0, until; at < entries; at = until) {
            until = dt == K_F32 || entries - at < WIDEN ? entries : at + WIDEN;
            const char *from = values + at * k_size(dt);
            if (dt != K_F32) {
                widen_entries(dt, wide, from, until - at);
                from = (const char *)wide;
            }
            for (int64_t i = at; i < until; i++) {
                const uint64_t cell = (uint64_t)index_at(index_size, indices, i);
                float value, sum;
                if (__builtin_expect(cell >= most, 0)) {
                    k_fault_note(p->fault, plane * entries + i);
                    continue;
                }
                memcpy(&value, from + (i - at) * 4, 4);
                memcpy(&sum, cells + cell * 4, 4);
                sum += value;
                memcpy(cells + cell * 4, &sum, 4);
            }
        }
    }
}

K_TEMPLATE
void set_in_planes(int size, int index_size, const struct planes *p, int64_t plane, int64_t count,
                   char *cells)
{
    const uint64_t most = (uint64_t)p->shape->cells;
    const int64_t entries = p->shape->entries;
    for (int64_t end = plane + count; plane < end; plane++, cells += most * (uint64_t)size) {
        const char *indices = p->indices + plane * entries * index_size;
        const char *values = p->values + plane * entries * size;
        for (int64_t i = 0; i < entries; i++) {
            const uint64_t cell = (uint64_t)index_at(index_size, indices, i);
            if (__builtin_expect(cell < most, 1))
                memcpy(cells + cell * (uint64_t)size, values + i * size, (size_t)size);
            else
                k_fault_note(p->fault, plane * entries + i);
        }
    }
}

#define ADD(name, dt, index_size)                                                                  \
    static void name(struct part *part, int64_t begin, int64_t end)                                \
    {                                                                                              \
        add_entries(dt, index_size, part, begin, end);                                             \
    }                                                                                              \
    static void name##_planes(const struct planes *p, int64_t plane, int64_t count, char *cells)   \
    {                                                                                              \
        add_to_planes(dt, index_size, p, plane, count, cells);                                     \
    }
ADD(add_f32_32, K_F32, 4)
ADD(add_f32_64, K_F32, 8)
ADD(add_f16_32, K_F16, 4)
ADD(add_f16_64, K_F16, 8)
ADD(add_bf16_32, K_BF16, 4)
ADD(add_bf16_64, K_BF16, 8)

#define SET(name, size, index_size)                                                                \
    static void name(struct part *part, int64_t begin, int64_t end)                                \
    {                                                                                              \
        set_entries(size, index_size, part, begin, end);                                           \
    }                                                                                              \
    static void name##_planes(const struct planes *p, int64_t plane, int64_t count, char *cells)   \
    {                                                                                              \
        set_in_planes(size, index_size, p, plane, count, cells);                                   \
    }
SET(set_1_32, 1, 4)
SET(set_1_64, 1, 8)
SET(set_2_32, 2, 4)
SET(set_2_64, 2, 8)
SET(set_4_32, 4, 4)
SET(set_4_64, 4, 8)
SET(set_8_32, 8, 4)
SET(set_8_64, 8, 8)

/* ---- the way out of a tile ---- */

K_TEMPLATE
int64_t pick_least(int64_t a, int64_t b, int64_t c)
{
    const int64_t least = a < b ? a : b;
    return least < c ? least : c;
}

/* At most VL cells, rounded. */
K_TEMPLATE
void write_few(enum k_dtype dt, char *to, const float *cells, int64_t count)
{
    const vh halves = v_to_half(dt, v_load(cells));
    memcpy(to, &halves, (size_t)count * sizeof halves[0]);
}

/* The cells of a tile, which is readable for two vectors behind them, rounded; streamed past the
 * caches where vectors are aligned. */
K_TEMPLATE
void write_rounded(enum k_dtype dt, char *to, const float *cells, int64_t count, bool stream)
{
    int64_t i = 0;
    if (stream) {
        const int64_t head = (int64_t)(-(uintptr_t)to % K_VECTOR_BYTES) / 2;
        for (; i < head && i < count; i += VL)
            write_few(dt, to + i * 2, cells + i, pick_least(VL, head - i, count - i));
        i = head;
    }
    for (; i + 2 * VL <= count; i += 2 * VL) {
        const vf parts[2] = {v_load(cells + i), v_load(cells + i + VL)};
        k_store_parts(dt, to + i * 2, parts, stream);
    }
    for (; i < count; i += VL)
        write_few(dt, to + i * 2, cells + i, pick_least(VL, VL, count - i));
}

static void finish_tile(enum k_dtype dt, const vf tile[], int64_t cells, char *to, bool stream)
{
    const float *from = (const float *)(const void *)tile;
    stream = stream && (uintptr_t)to % 2 == 0;
    if (dt == K_F16)
        write_rounded(K_F16, to, from, cells, stream);
    else
        write_rounded(K_BF16, to, from, cells, stream);
}

/* ---- planes ---- */

static struct part part_of(const struct planes *p, int64_t plane)
{
    const int64_t entry = plane * p->shape->entries;
    return (struct part){
        .values = p->values + entry * p->shape->element_size,
        .indices = p->indices + entry * p->shape->index_size,
        .plane_cells = p->shape->cells,
        .position = entry,
        .fault = p->fault,
    };
}

static void fill_in_place(const struct planes *p, int64_t plane, int64_t first, int64_t count)
{
    const int64_t size = p->shape->element_size;
    struct part part = part_of(p, plane);
    part.first = first;
    part.count = count;
    part.cells = p->cells + (plane * p->shape->cells + first) * size;
    p->way->put(&part, 0, p->shape->entries);
    memset(part.cells + part.zeroed * size, 0, (size_t)((count - part.zeroed) * size));
}

/* Whole planes, as many at a time as a tile holds. */
static void fill_small(const struct planes *p, int64_t begin, int64_t end)
{
    vf tile[TILE / VL + 2];
    const int64_t cells = p->shape->cells, most = TILE / cells;
    for (int64_t plane = begin; plane < end; plane += most) {
        const int64_t planes = end - plane < most ? end - plane : most;
        memset(tile, 0, (size_t)(planes * cells) * sizeof(float));
        p->way->put_planes(p, plane, planes, (char *)tile);
        finish_tile(p->way->half, tile, planes * cells, p->cells + plane * cells * 2,
                    p->shape->stream_output);
    }
}

/* Whole planes in place, a few at a time. */
static void fill_small_in_place(const struct planes *p, int64_t begin, int64_t end)
{
    const int64_t bytes = p->shape->cells * p->shape->element_size, most = SMALL / bytes;
    for (int64_t plane = begin; plane < end; plane += most) {
        const int64_t planes = end - plane < most ? end - plane : most;
        char *cells = p->cells + plane * bytes;
        memset(cells, 0, (size_t)(planes * bytes));
        p->way->put_planes(p, plane, planes, cells);
    }
}

/* The tiles, counted from a first cell, that each block of a plane's entries lies in. */
struct blocks {
    int64_t entries; /* of a block; the last may have less */
    int count;
    uint32_t first[BLOCKS], last[BLOCKS]; /* first > last: in none */
};

K_TEMPLATE
void look_at(int index_size, const struct part *part, struct blocks *blocks, int64_t entries)
{
    for (int b = 0; b < blocks->count; b++) {
        const int64_t begin = b * blocks->entries;
        const int64_t end = entries - begin < blocks->entries ? entries : begin + blocks->entries;
        int64_t least = INT64_MAX, most = INT64_MIN;
        for (int64_t i = begin; i < end; i++) {
            const int64_t index = index_at(index_size, part->indices, i);
            least = index < least ? index : least;
            most = index > most ? index : most;
        }
        if (least < 0 || most >= part->plane_cells)
            for (int64_t i = begin; i < end; i++) {
                const int64_t index = index_at(index_size, part->indices, i);
                if (index < 0 || index >= part->plane_cells)
                    k_fault_note(part->fault, part->position + i);
            }
        blocks->first[b] = 1;
        blocks->last[b] = 0;
        if (most < part->first || least >= part->first + part->count) continue;
        least = least < part->first ? 0 : least - part->first;
        most = most >= part->first + part->count ? part->count - 1 : most - part->first;
        blocks->first[b] = (uint32_t)(least / TILE);
        blocks->last[b] = (uint32_t)(most / TILE);
    }
}

static void fill_by_tiles(const struct planes *p, const struct part *all,
                          const struct blocks *blocks, char *to)
{
    vf tile[TILE / VL + 2];
    const int64_t first = all->first, count = all->count;
    struct part part = *all;
    part.fault = NULL;
    part.cells = (char *)tile;
    for (uint32_t t = 0; t * (int64_t)TILE < count; t++) {
        const int64_t at = t * (int64_t)TILE;
        part.first = first + at;
        part.count = count - at < TILE ? count - at : TILE;
        part.zeroed = part.count;
        memset(tile, 0, (size_t)part.count * sizeof(float));
        for (int b = 0; b < blocks->count; b++) {
            if (t < blocks->first[b] || t > blocks->last[b]) continue;
            const int64_t begin = b * blocks->entries, left = p->shape->entries - begin;
            p->way->put(&part, begin, begin + (left < blocks->entries ? left : blocks->entries));
        }
        finish_tile(p->way->half, tile, part.count, to + at * 2, p->shape->stream_output);
    }
}

static void fill_large(const struct planes *p, int64_t plane, int64_t first, int64_t count)
{
    const int64_t entries = p->shape->entries;
    struct blocks blocks;
    blocks.entries = (entries + BLOCKS - 1) / BLOCKS;
    if (blocks.entries < BLOCK_ENTRIES) blocks.entries = BLOCK_ENTRIES;
    blocks.count = (int)((entries + blocks.entries - 1) / blocks.entries);
    struct part part = part_of(p, plane);
    part.first = first;
    part.count = count;
    if (p->way->index_size == 4)
        look_at(4, &part, &blocks, entries);
    else
        look_at(8, &part, &blocks, entries);
    fill_by_tiles(p, &part, &blocks, p->cells + (plane * p->shape->cells + first) * 2);
}

static void scatter(const struct way *way, const struct k_plane *shape, void *const buffers[],
                    struct k_slice slice)
{
    const struct plane_pieces pieces = plane_pieces(shape);
    const struct planes p = {.shape = shape,
                             .way = way,
                             .values = buffers[K_PLANE_VALUES],
                             .indices = buffers[K_PLANE_INDICES],
                             .cells = buffers[K_PLANE_CELLS],
                             .fault = buffers[K_PLANE_BUFFERS]};
    const bool in_place = way->half == K_F32;
    if (!in_place && shape->cells <= TILE) {
        fill_small(&p, slice.begin, slice.end);
    } else if (in_place && shape->cells * shape->element_size <= SMALL) {
        fill_small_in_place(&p, slice.begin, slice.end);
    } else {
        int64_t end;
        for (int64_t item = slice.begin; item < slice.end; item = end) {
            /* Pieces that lie side by side are filled as one. */
            const int64_t plane = item / pieces.count;
            end = (plane + 1) * pieces.count < slice.end ? (plane + 1) * pieces.count : slice.end;
            const int64_t first = item % pieces.count * pieces.cells;
            const int64_t until = ((end - 1) % pieces.count + 1) * pieces.cells;
            const int64_t count = (until < shape->cells ? until : shape->cells) - first;
            if (in_place)
                fill_in_place(&p, plane, first, count);
            else
                fill_large(&p, plane, first, count);
        }
    }
    if (!in_place && shape->stream_output) k_stream_end();
}

K_TEMPLATE
void plane_scatter_add(enum k_dtype dt, const struct k_plane *shape, void *const buffers[],
                       struct k_slice slice)
{
    static const struct way ways[K_DTYPES][2] = {
        [K_F32] = {{add_f32_32, add_f32_32_planes, K_F32, 4},
                   {add_f32_64, add_f32_64_planes, K_F32, 8}},
        [K_F16] = {{add_f16_32, add_f16_32_planes, K_F16, 4},
                   {add_f16_64, add_f16_64_planes, K_F16, 8}},
        [K_BF16] = {{add_bf16_32, add_bf16_32_planes, K_BF16, 4},
                    {add_bf16_64, add_bf16_64_planes, K_BF16, 8}},
    };
    scatter(&ways[dt][shape->index_size == 8], shape, buffers, slice);
}
K_FLOATS(plane_scatter_add, struct k_plane)

k_fn K_SYMBOL(plane_scatter_last);

void K_SYMBOL(plane_scatter_last)(const void *parameters, void *const buffers[],
                                  struct k_slice slice)
{
    static const struct way ways[][2] = {
        [1] = {{set_1_32, set_1_32_planes, K_F32, 4}, {set_1_64, set_1_64_planes, K_F32, 8}},
        [2] = {{set_2_32, set_2_32_planes, K_F32, 4}, {set_2_64, set_2_64_planes, K_F32, 8}},
        [4] = {{set_4_32, set_4_32_planes, K_F32, 4}, {set_4_64, set_4_64_planes, K_F32, 8}},
        [8] = {{set_8_32, set_8_32_planes, K_F32, 4}, {set_8_64, set_8_64_planes, K_F32, 8}},
    };
    const struct k_plane *shape = parameters;
    scatter(&ways[shape->element_size][shape->index_size == 8], shape, buffers, slice);
}
