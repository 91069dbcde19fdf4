/* SPDX-License-Identifier: Apache-2.0 */
/* Several channels, windows side by side: no cell lies in two of them, and none
 * between them. A window's channels are scaled once and written to all of its
 * cells. */
#ifndef ACLNN_CPU_KERNELS_POOL_GRAD_TILES_H
#define ACLNN_CPU_KERNELS_POOL_GRAD_TILES_H

#include "kernels/pool/grad.h"

enum {
    TILE_BLOCKS = 2, /* blocks: so many of any number of cells are written from
                        the register, */
    TILE_CELLS = 4,  /* cells: or any number of blocks of so many cells */
};

/* Rows of cells that are the same, and the row of windows that they lie in. */
struct tiles {
    const char *at, *end; /* windows; end of dY */
    char *to;             /* the first cell */
    int64_t cells, cell_bytes;
    int64_t rows, row_bytes;
    int64_t start, stride; /* cells from the first one to the first window, from that to the next */
    int64_t last; /* channel where the last block begins: over its neighbour if it has to */
    int blocks, channels;
    bool half; /* the channels are the first half of a vector */
    bool stream;
    bool uniform;
    enum k_rounding rounding;
    float factor;
    const float *widths; /* factors of the windows, where they are not uniform */
    char *image;         /* room for a window, in L1 */
};

/* The first half of the lanes, twice. */
K_TEMPLATE
vf tile_twice(vf x)
{
#if K_VECTOR_BYTES == 64
    return __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
#elif K_VECTOR_BYTES == 32
    return __builtin_shufflevector(x, x, 0, 1, 2, 3, 0, 1, 2, 3);
#else
    return __builtin_shufflevector(x, x, 0, 1, 0, 1);
#endif
}

/* How a run of windows goes out. */
struct tile_way {
    bool half;   /* half a vector */
    bool stream; /* non-temporal */
    bool two;    /* two rows of two cells, windows of one size, nothing rounded */
    bool repeat; /* cell after cell: through the image, or, non-temporal, computed anew for each */
};

/* `windows` windows of `cells` cells each, in every row. */
struct tile_run {
    const char *at;
    char *to;
    const float *widths;
    int64_t windows, cells;
};

/* Channels x and on of the window at `at`, as they go out. */
K_TEMPLATE
vf tile_elements(enum k_dtype dt, struct tile_way way, const struct tiles *t, const char *at,
                 int64_t x, float width)
{
    at += x * k_size(dt);
    struct k_block value =
        way.half ? block_load_first(dt, at, t->channels, t->end) : block_load(dt, at);
    if (way.stream)
        k_prefetch(at + POOL_FAR);
    else
        k_prefetch(at + POOL_AHEAD);
    if (!way.two && __builtin_expect(t->rounding != K_ROUND_NONE, 0))
        value = grad_round(dt, t->rounding, value);
    value = block_scale(dt, value, v_all(t->factor));
    if (!way.two && !t->uniform) value = block_scale(dt, value, v_all(width));
    return block_elements(dt, value);
}

K_TEMPLATE
int64_t tile_channel(enum k_dtype dt, const struct tiles *t, int block)
{
    return pool_min((int64_t)block * BLOCK(dt), t->last);
}

/* Cells next to each other whose channels are half a vector each. */
K_TEMPLATE
void tile_halves(char *to, vf elements, int64_t cells)
{
    const vf twice = tile_twice(elements);
    int64_t i = 0;
    for (; i + 2 <= cells; i += 2, to += K_VECTOR_BYTES)
        k_put(to, twice);
    if (i < cells) memcpy(to, &elements, sizeof elements / 2);
}

/* A vector of every cell of a window. */
K_TEMPLATE
void tile_cells(struct tile_way way, const struct tiles *t, vf elements, char *to, int64_t cells)
{
    if (way.two && way.half) {
        k_put(to, tile_twice(elements));
        k_put(to + t->row_bytes, tile_twice(elements));
        return;
    }
    if (way.two) {
        k_put(to, elements);
        k_put(to + t->cell_bytes, elements);
        k_put(to + t->row_bytes, elements);
        k_put(to + t->row_bytes + t->cell_bytes, elements);
        return;
    }
    for (int64_t r = 0; r < t->rows; r++, to += t->row_bytes) {
        if (way.half) tile_halves(to, elements, cells);
        for (int64_t i = 0; i < cells && !way.half; i++)
            k_write(to + i * t->cell_bytes, elements, way.stream);
    }
}

/* A finished cell, once more: whole vectors, or more than one of which the last lies over its
 * neighbour. */
K_TEMPLATE
void tile_copy(char *to, const char *from, int64_t bytes)
{
    int64_t x = 0;
    for (; x + K_VECTOR_BYTES <= bytes; x += K_VECTOR_BYTES)
        k_put(to + x, v_load((const float *)(const void *)(from + x)));
    x = bytes - K_VECTOR_BYTES;
    if (bytes % K_VECTOR_BYTES != 0) k_put(to + x, v_load((const float *)(const void *)(from + x)));
}

K_TEMPLATE
void tile_window(enum k_dtype dt, struct tile_way way, const struct tiles *t, const char *at,
                 float width, char *to, int64_t cells)
{
    for (int64_t i = 0; i < cells && way.repeat && way.stream; i++, to += t->cell_bytes)
        for (int block = 0; block < t->blocks; block++) {
            const int64_t x = tile_channel(dt, t, block);
            k_stream(to + x * k_size(dt), tile_elements(dt, way, t, at, x, width));
        }
    if (way.repeat && way.stream) return;
    for (int block = 0; block < (way.half ? 1 : t->blocks); block++) {
        const int64_t x = way.half ? 0 : tile_channel(dt, t, block);
        const vf elements = tile_elements(dt, way, t, at, x, width);
        if (way.repeat)
            k_put(t->image + x * k_size(dt), elements);
        else
            tile_cells(way, t, elements, to + x * k_size(dt), cells);
    }
    const int64_t bytes = t->channels * k_size(dt);
    for (int64_t r = 0; way.repeat && r < t->rows; r++, to += t->row_bytes)
        for (int64_t i = 0; i < cells; i++)
            tile_copy(to + i * t->cell_bytes, t->image, bytes);
}

/* Copies that no pointer leads to: so their members stay in registers whatever is written. */
K_TEMPLATE
void tile_windows(enum k_dtype dt, struct tile_way way, const struct tiles *tiles,
                  const struct tile_run *run)
{
    const struct tiles t = *tiles;
    const struct tile_run r = *run;
    const char *at = r.at;
    char *to = r.to;
    for (int64_t j = 0; j < r.windows; j++, at += t.cell_bytes, to += t.stride * t.cell_bytes)
        tile_window(dt, way, &t, at, way.two || t.uniform ? 1 : r.widths[j], to, r.cells);
}

K_TEMPLATE
void tile_run_any(enum k_dtype dt, const struct tiles *t, const struct tile_run *run)
{
    const bool two = t->rows == 2 && run->cells == 2 && t->stride == 2 && t->uniform &&
                     t->rounding == K_ROUND_NONE && !t->stream;
    const bool few = t->blocks <= TILE_BLOCKS;
    const int64_t all = run->cells * t->rows;
    if (t->half && two)
        tile_windows(dt, (struct tile_way){.half = true, .two = true}, t, run);
    else if (t->half)
        tile_windows(dt, (struct tile_way){.half = true}, t, run);
    else if (two)
        tile_windows(dt, (struct tile_way){.two = true}, t, run);
    else if (t->stream && (few || all == 1))
        tile_windows(dt, (struct tile_way){.stream = true}, t, run);
    else if (t->stream)
        tile_windows(dt, (struct tile_way){.stream = true, .repeat = true}, t, run);
    else if (few || all <= TILE_CELLS)
        tile_windows(dt, (struct tile_way){.half = false}, t, run);
    else
        tile_windows(dt, (struct tile_way){.repeat = true}, t, run);
}

K_OUT_OF_LINE(void, tile_run_any, (const struct tiles *t, const struct tile_run *run), (t, run))

/* All cells of the rows. The windows at both ends may be cut off. */
K_TEMPLATE
void tile_rows(enum k_dtype dt, const struct tiles *t)
{
    struct tile_run run = {.at = t->at, .widths = t->widths};
    for (int64_t start = t->start; start < t->cells; start += run.windows * t->stride) {
        const int64_t cell = pool_max(start, 0), end = pool_min(start + t->stride, t->cells);
        run.to = t->to + cell * t->cell_bytes;
        run.cells = end - cell;
        run.windows = run.cells == t->stride ? (t->cells - cell) / t->stride : 1;
        tile_run_any_of(dt, t, &run);
        run.at += run.windows * t->cell_bytes;
        run.widths += run.windows;
    }
}

#endif
