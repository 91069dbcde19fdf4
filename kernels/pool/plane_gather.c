/* SPDX-License-Identifier: Apache-2.0 */
/* values[plane][i] = cells[plane][indices[plane][i]], 0 and a note where that
 * is outside of the plane. Slices are cut anywhere among the entries. */
#include <string.h>

#include "kernels/pool/k_plane.h"
#include "kernels/vector/instance.h"
#include "kernels/vector/simd.h"

enum {
    AT_ONCE = 4,      /* entries whose indices are looked at together */
    AHEAD = 14 << 10, /* bytes that cells are announced ahead, */
    LEAST = 1024,     /* in planes of so many bytes: smaller ones are as good as
                         sequences */
};

struct gather {
    char *values;
    const char *indices, *cells; /* cells: of the plane */
    uint64_t count;              /* of the plane's cells */
    int64_t step;                /* bytes of cells for AT_ONCE entries; 0: not announced */
    struct k_fault *fault;
};

K_TEMPLATE
uint64_t gather_index(int index_size, const struct gather *g, int64_t i)
{
    int32_t narrow;
    uint64_t wide;
    if (index_size == 4) {
        memcpy(&narrow, g->indices + i * 4, 4);
        return (uint64_t)(int64_t)narrow;
    }
    memcpy(&wide, g->indices + i * 8, 8);
    return wide;
}

K_TEMPLATE
void gather_one(int size, int index_size, const struct gather *g, int64_t i)
{
    const uint64_t index = gather_index(index_size, g, i);
    if (__builtin_expect(index < g->count, 1)) {
        memcpy(g->values + i * size, g->cells + index * (uint64_t)size, (size_t)size);
    } else {
        memset(g->values + i * size, 0, (size_t)size);
        k_fault_note(g->fault, i);
    }
}

/* Entries [i, end), of one plane, whose first one is `first`. Cells are
 * announced as if indices rose evenly: those of a pooling go up and down by
 * rows, which hardware does not foresee. */
K_TEMPLATE
void gather_run(int size, int index_size, const struct gather *g, int64_t first, int64_t i,
                int64_t end)
{
    const char *ahead = g->cells + (i - first) / AT_ONCE * g->step;
    for (; i + AT_ONCE <= end; i += AT_ONCE, ahead += g->step) {
        uint64_t index[AT_ONCE];
        bool inside = true;
        for (int64_t line = 0; line < g->step; line += LINE_BYTES)
            k_prefetch(ahead + AHEAD + line);
#pragma GCC unroll 4
        for (int k = 0; k < AT_ONCE; k++) {
            index[k] = gather_index(index_size, g, i + k);
            inside &= index[k] < g->count;
        }
        if (__builtin_expect(!inside, 0)) {
            for (int k = 0; k < AT_ONCE; k++)
                gather_one(size, index_size, g, i + k);
            continue;
        }
#pragma GCC unroll 4
        for (int k = 0; k < AT_ONCE; k++)
            memcpy(g->values + (i + k) * size, g->cells + index[k] * (uint64_t)size, (size_t)size);
    }
    for (; i < end; i++)
        gather_one(size, index_size, g, i);
}

K_TEMPLATE
void gather_entries(int size, int index_size, const struct k_plane *shape, void *const buffers[],
                    struct k_slice slice)
{
    struct gather g = {.values = buffers[K_PLANE_VALUES],
                       .indices = buffers[K_PLANE_INDICES],
                       .count = (uint64_t)shape->cells,
                       .fault = buffers[K_PLANE_BUFFERS]};
    g.step = shape->cells * size / shape->entries * AT_ONCE;
    if (g.step > AT_ONCE * LINE_BYTES || shape->cells * size < LEAST) g.step = 0;
    int64_t end;
    for (int64_t begin = slice.begin; begin < slice.end; begin = end) {
        const int64_t plane = begin / shape->entries;
        g.cells = (const char *)buffers[K_PLANE_CELLS] + plane * shape->cells * size;
        end = (plane + 1) * shape->entries < slice.end ? (plane + 1) * shape->entries : slice.end;
        gather_run(size, index_size, &g, plane * shape->entries, begin, end);
    }
}

/* The index size becomes a constant here, the element size at the caller. */
K_TEMPLATE
void gather(int size, const struct k_plane *shape, void *const buffers[], struct k_slice slice)
{
    if (shape->index_size == 4)
        gather_entries(size, 4, shape, buffers, slice);
    else
        gather_entries(size, 8, shape, buffers, slice);
}

k_fn K_SYMBOL(plane_gather);

void K_SYMBOL(plane_gather)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_plane *shape = parameters;
    switch (shape->element_size) {
    case 1:
        gather(1, shape, buffers, slice);
        break;
    case 2:
        gather(2, shape, buffers, slice);
        break;
    case 4:
        gather(4, shape, buffers, slice);
        break;
    default:
        gather(8, shape, buffers, slice);
        break;
    }
}
