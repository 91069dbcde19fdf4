/* SPDX-License-Identifier: Apache-2.0 */
/* cells[index of i] += value i (plane_scatter_add) or = value i (plane_scatter_last), for rising i,
 * all other cells 0; indices may say anything.
 *
 * Two ways, both with the entries in rising order, so both give the same bits:
 * - in place: cells are zeroed in rising order a little ahead of the first entry that needs them,
 *   so a plane whose indices rise is touched once, while it is in L1;
 * - by tiles: the entries of a range of cells meet in a buffer, which is rounded and written out,
 *   past the caches if need be. To find them, blocks of entries are first asked for their least and
 *   greatest index: with local indices a tile looks at few blocks.
 * Half types need the buffer, for their sums are floats. Others take it when the output is larger
 * than the caches and the indices are local. (Half types with indices in no order at all over a
 * plane of many tiles look at every entry for every tile.) */
#include <string.h>

#include "kernels/k_plane.h"
#include "kernels/plane_plan.h"
#include "kernels/simd/simd.h"

enum {
    TILE_BYTES = 1 << 15, /* of the buffer: about an L1 */
    BLOCKS = 1024,        /* most blocks of entries of a plane */
    BLOCK_ENTRIES = 64,   /* fewest entries of a block */
    AHEAD = 1024,         /* cells zeroed at once in place */
    WIDEN = 256,          /* half numbers widened at once */
    LOCAL = 4,            /* tiles a block may lie in on average to be called local */
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

/* Entries [begin, end) of the plane into the part. */
typedef void put_fn(struct part *part, int64_t begin, int64_t end);

struct way {
    put_fn *put;
    int cell_size;     /* of a cell while it is filled */
    enum k_dtype sums; /* the half type that cells are rounded to, else K_F32 */
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
static __attribute__((noinline)) bool reach(struct part *part, int64_t cell, int64_t i,
                                            int cell_size)
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
    int64_t zeroed = part->zeroed;
    for (int64_t i = begin; i < end; i++) {
        const int64_t cell =
            (int64_t)((uint64_t)index_at(index_size, part->indices, i) - (uint64_t)part->first);
        float value, sum;
        if ((uint64_t)cell >= (uint64_t)zeroed) {
            if (!reach(part, cell, i, 4)) continue;
            zeroed = part->zeroed;
        }
        memcpy(&value, values + (i - begin) * 4, 4);
        memcpy(&sum, part->cells + cell * 4, 4);
        sum += value;
        memcpy(part->cells + cell * 4, &sum, 4);
    }
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
        for (int64_t i = at; i < until; i += VL)
            v_store(wide + (i - at),
                    until - i >= VL ? k_load(dt, part->values + i * 2)
                                    : k_load_first(dt, part->values + i * 2, (int)(until - i)));
        add_floats(index_size, part, (const char *)wide, at, until);
    }
}

K_TEMPLATE
void set_entries(int size, int index_size, struct part *part, int64_t begin, int64_t end)
{
    int64_t zeroed = part->zeroed;
    for (int64_t i = begin; i < end; i++) {
        const int64_t cell =
            (int64_t)((uint64_t)index_at(index_size, part->indices, i) - (uint64_t)part->first);
        if ((uint64_t)cell >= (uint64_t)zeroed) {
            if (!reach(part, cell, i, size)) continue;
            zeroed = part->zeroed;
        }
        memcpy(part->cells + cell * size, part->values + i * size, (size_t)size);
    }
}

#define ADD(name, dt, index_size)                                                                  \
    static void name(struct part *part, int64_t begin, int64_t end)                                \
    {                                                                                              \
        add_entries(dt, index_size, part, begin, end);                                             \
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

/* Floats become half numbers where they are. */
static void narrow(enum k_dtype dt, char *cells, int64_t count)
{
    for (int64_t i = 0; i < count; i += VL) { /* a tile is a multiple of VL floats */
        const vf value = v_load((const float *)(const void *)(cells + i * 4));
        if (dt == K_F16)
            k_store(K_F16, cells + i * 2, value);
        else
            k_store(K_BF16, cells + i * 2, value);
    }
}

static void write_out(char *to, const char *from, int64_t bytes, bool stream)
{
    int64_t at = 0;
    if (stream && bytes >= 2 * K_VECTOR_BYTES) {
        at = (int64_t)(-(uintptr_t)to % K_VECTOR_BYTES);
        memcpy(to, from, (size_t)at);
        for (; at + K_VECTOR_BYTES <= bytes; at += K_VECTOR_BYTES)
            k_stream(to + at, v_load((const float *)(const void *)(from + at)));
    }
    memcpy(to + at, from + at, (size_t)(bytes - at));
}

/* Rounds and writes the cells of a tile. */
static void finish_tile(const struct way *way, vf tile[], int64_t cells, char *to, bool stream)
{
    int64_t size = way->cell_size;
    if (way->sums != K_F32) {
        narrow(way->sums, (char *)tile, cells);
        size = 2;
    }
    write_out(to, (const char *)tile, cells * size, stream);
}

/* ---- planes ---- */

struct planes {
    const struct k_plane *shape;
    const struct way *way;
    const char *values, *indices;
    char *cells;
    struct k_fault *fault;
};

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
    vf tile[TILE_BYTES / sizeof(vf)];
    const int64_t cells = p->shape->cells, cell_size = p->way->cell_size;
    const int64_t most = TILE_BYTES / (cells * cell_size);
    for (int64_t plane = begin; plane < end; plane += most) {
        const int64_t planes = end - plane < most ? end - plane : most;
        memset(tile, 0, (size_t)(planes * cells * cell_size));
        for (int64_t i = 0; i < planes; i++) {
            struct part part = part_of(p, plane + i);
            part.count = part.zeroed = cells;
            part.cells = (char *)tile + i * cells * cell_size;
            p->way->put(&part, 0, p->shape->entries);
        }
        finish_tile(p->way, tile, planes * cells, p->cells + plane * cells * p->shape->element_size,
                    p->shape->stream_output);
    }
}

/* The tiles, counted from a first cell, that each block of a plane's entries lies in. */
struct blocks {
    int64_t entries; /* of a block; the last may have less */
    int count;
    int64_t tile_cells;
    bool local;
    uint32_t first[BLOCKS], last[BLOCKS]; /* first > last: in none */
};

K_TEMPLATE
void look_at(int index_size, const struct part *part, struct blocks *blocks, int64_t entries)
{
    int64_t total = 0;
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
        blocks->first[b] = (uint32_t)(least / blocks->tile_cells);
        blocks->last[b] = (uint32_t)(most / blocks->tile_cells);
        total += blocks->last[b] - blocks->first[b] + 1;
    }
    blocks->local = total <= LOCAL * (blocks->count + part->count / blocks->tile_cells);
}

static void fill_by_tiles(const struct planes *p, struct part *part, const struct blocks *blocks,
                          char *to)
{
    vf tile[TILE_BYTES / sizeof(vf)];
    const int64_t first = part->first, count = part->count;
    part->fault = NULL;
    part->cells = (char *)tile;
    for (uint32_t t = 0; t * blocks->tile_cells < count; t++) {
        const int64_t at = t * blocks->tile_cells;
        part->first = first + at;
        part->count = count - at < blocks->tile_cells ? count - at : blocks->tile_cells;
        part->zeroed = part->count;
        memset(tile, 0, (size_t)(part->count * p->way->cell_size));
        for (int b = 0; b < blocks->count; b++) {
            if (t < blocks->first[b] || t > blocks->last[b]) continue;
            const int64_t begin = b * blocks->entries, left = p->shape->entries - begin;
            p->way->put(part, begin, begin + (left < blocks->entries ? left : blocks->entries));
        }
        finish_tile(p->way, tile, part->count, to + at * p->shape->element_size,
                    p->shape->stream_output);
    }
}

static void fill_large(const struct planes *p, int64_t plane, int64_t first, int64_t count)
{
    const int64_t entries = p->shape->entries;
    struct blocks blocks = {.tile_cells = TILE_BYTES / p->way->cell_size};
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
    if (!blocks.local && p->way->sums == K_F32)
        fill_in_place(p, plane, first, count);
    else
        fill_by_tiles(p, &part, &blocks,
                      p->cells + (plane * p->shape->cells + first) * p->shape->element_size);
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
    const bool in_place = way->sums == K_F32 && !shape->stream_output;
    if (!in_place && pieces.count == 1 && shape->cells * way->cell_size <= TILE_BYTES) {
        fill_small(&p, slice.begin, slice.end);
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
    if (shape->stream_output) k_stream_end();
}

K_TEMPLATE
void plane_scatter_add(enum k_dtype dt, const struct k_plane *shape, void *const buffers[],
                       struct k_slice slice)
{
    static const struct way ways[K_DTYPES][2] = {
        [K_F32] = {{add_f32_32, 4, K_F32, 4}, {add_f32_64, 4, K_F32, 8}},
        [K_F16] = {{add_f16_32, 4, K_F16, 4}, {add_f16_64, 4, K_F16, 8}},
        [K_BF16] = {{add_bf16_32, 4, K_BF16, 4}, {add_bf16_64, 4, K_BF16, 8}},
    };
    scatter(&ways[dt][shape->index_size == 8], shape, buffers, slice);
}
K_FLOATS(plane_scatter_add, struct k_plane)

k_fn K_SYMBOL(plane_scatter_last);

void K_SYMBOL(plane_scatter_last)(const void *parameters, void *const buffers[],
                                  struct k_slice slice)
{
    static const struct way ways[][2] = {
        [1] = {{set_1_32, 1, K_F32, 4}, {set_1_64, 1, K_F32, 8}},
        [2] = {{set_2_32, 2, K_F32, 4}, {set_2_64, 2, K_F32, 8}},
        [4] = {{set_4_32, 4, K_F32, 4}, {set_4_64, 4, K_F32, 8}},
        [8] = {{set_8_32, 8, K_F32, 4}, {set_8_64, 8, K_F32, 8}},
    };
    const struct k_plane *shape = parameters;
    scatter(&ways[shape->element_size][shape->index_size == 8], shape, buffers, slice);
}
