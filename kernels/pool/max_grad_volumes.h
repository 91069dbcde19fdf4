/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of max pooling, one channel, small volumes and windows of 2 or 3 by a step of 2: a row
 * of cells is one or two vectors. Windows over it are neighbours in memory: VL are loaded, those
 * over each cell come by permutation, and serve both rows of cells of a group. A window can match
 * one of its cells alone, and no other cell is compared with it: as many matches as windows mean
 * that no index strays. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_GRAD_VOLUMES_H
#define ACLNN_CPU_KERNELS_POOL_MAX_GRAD_VOLUMES_H

#include "kernels/pool/max_walk.h"

enum {
    VOLUME_VECTORS = 2, /* of a row of cells */
    VOLUME_COLUMNS = 2, /* windows over a cell, along the width */
    VOLUME_CHUNK = 16,  /* volumes that are done again if an index strays */
};

/* A vector of the row: its windows begin with `low`, lane i picks pick[][i] of them; none: -1 where
 * there is none. */
struct volume_vector {
    int64_t low;
    vi pick[VOLUME_COLUMNS], none[VOLUME_COLUMNS];
};

struct volumes {
    const struct max_plan *plan;
    enum cell_pattern pattern;
    int vectors;
    int64_t windows, cells; /* of a volume */
    uint32_t step;          /* what its indices begin with, more than those before */
    struct volume_vector vector[VOLUME_VECTORS];
};

/* Volumes, one behind the other. */
struct volume {
    const char *values, *indices;
    uint32_t first; /* what indices begin with */
    char *to;
    int64_t count;
};

/* A row of windows, as a row of cells sees it. */
struct volume_row {
    vi place[VOLUME_VECTORS][VOLUME_COLUMNS];
    vf value[VOLUME_VECTORS][VOLUME_COLUMNS];
};

/* sum + term in the lanes where a is b, which are counted. */
K_TEMPLATE
vf volume_add(vf sum, vi a, vi b, vf term, vi *matches)
{
#if defined(K_ISA_avx512)
    const __mmask16 same = _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
    const __m512i count = (__m512i)*matches;
    *matches = (vi)_mm512_mask_sub_epi32(count, same, count, _mm512_set1_epi32(-1));
    return (vf)_mm512_mask_add_ps((__m512)sum, same, (__m512)sum, (__m512)term);
#else
    const vi same = a == b;
    *matches -= same;
    return sum + (vf)(same & (vi)term);
#endif
}

/* The row of windows from window `at` of the volume on. */
K_TEMPLATE
struct volume_row volume_take(enum k_dtype dt, int columns, int vectors,
                              const struct volume_vector vector[], const struct volume *volume,
                              bool exists, int64_t at)
{
    struct volume_row row;
#pragma GCC unroll 2
    for (int v = 0; v < vectors; v++) {
        vi places = {0};
        vf values = {0};
        if (exists) {
            const float *from = (const float *)(const void *)volume->indices;
            places = (vi)v_held(v_load(from + at + vector[v].low));
            values = v_held(k_load(dt, volume->values + (at + vector[v].low) * k_size(dt)));
        }
#pragma GCC unroll 2
        for (int c = 0; c < columns; c++) {
            row.place[v][c] = v_all_i(-1);
            row.value[v][c] = values;
            if (!exists) continue;
            row.place[v][c] = (vi)v_pick_one((vf)places, vector[v].pick[c]) | vector[v].none[c];
            row.value[v][c] = v_pick_one(values, vector[v].pick[c]);
        }
    }
    return row;
}

/* A row of cells from `cell` on under two rows of windows, or, if `after` is NULL, one. */
K_TEMPLATE
void volume_put(enum k_dtype dt, int columns, int vectors, const struct volume_row *row,
                const struct volume_row *after, uint32_t cell, char *to, vi *matches)
{
#pragma GCC unroll 2
    for (int v = 0; v < vectors; v++) {
        const vi meant = (vi)((vu)v_lanes() + (cell + (uint32_t)(v * VL)));
        vf sum = {0};
#pragma GCC unroll 2
        for (int c = 0; c < columns; c++)
            sum = volume_add(sum, row->place[v][c], meant, row->value[v][c], matches);
#pragma GCC unroll 2
        for (int c = 0; after && c < columns; c++)
            sum = volume_add(sum, after->place[v][c], meant, after->value[v][c], matches);
        if (columns == 1)
            k_store_same(dt, to + v * VL * k_size(dt), sum);
        else
            k_store(dt, to + v * VL * k_size(dt), sum);
    }
}

/* All cells of a depth from `cell` on, under windows from `begin` on if that exist. */
K_TEMPLATE
void volume_depth(enum k_dtype dt, enum cell_pattern pattern, int vectors,
                  const struct volumes *all, const struct volume_vector vector[],
                  const struct volume *volume, bool exist, int64_t begin, uint32_t cell, char *to,
                  vi *found)
{
    const int columns = pattern == CELLS_APART ? 1 : 2;
    const int64_t rows = all->plan->height.in, out = all->plan->height.out;
    const int64_t windows = all->plan->width.out;
    const uint32_t width = (uint32_t)all->plan->width.in;
    const int64_t line = width * k_size(dt);
    /* Row `ahead` of windows is the last one over the first two rows of cells. */
    const int64_t ahead = pattern == CELLS_ODD ? 1 : 0;
    struct volume_row above =
        volume_take(dt, columns, vectors, vector, volume, exist && ahead > 0, begin);
    for (int64_t h = 0, oh = ahead; h < rows; h += 2, oh++) {
        const struct volume_row row = volume_take(dt, columns, vectors, vector, volume,
                                                  exist && oh < out, begin + oh * windows);
        const struct volume_row *one = pattern == CELLS_ODD ? &above : &row;
        if (pattern == CELLS_EVEN)
            volume_put(dt, columns, vectors, &above, &row, cell, to, found);
        else
            volume_put(dt, columns, vectors, one, NULL, cell, to, found);
        if (h + 1 == rows) return;
        if (pattern == CELLS_ODD)
            volume_put(dt, columns, vectors, &above, &row, cell + width, to + line, found);
        else
            volume_put(dt, columns, vectors, one, NULL, cell + width, to + line, found);
        cell += 2 * width;
        to += 2 * line;
        above = row;
    }
}

/* All cells of the volumes. Up to a vector is written behind them, and read behind their windows.
 */
K_TEMPLATE
void volume_cells(enum k_dtype dt, enum cell_pattern pattern, int vectors,
                  const struct volumes *all, struct volume volume, vi *matches)
{
    const struct max_axis *depth = &all->plan->depth;
    const int64_t cells = all->plan->height.in * all->plan->width.in;
    const int64_t windows = all->plan->height.out * all->plan->width.out;
    struct volume_vector vector[VOLUME_VECTORS];
    vi found = {0};
#pragma GCC unroll 2
    for (int v = 0; v < vectors; v++)
        vector[v] = all->vector[v];
    for (; volume.count > 0; volume.count--) {
        for (int64_t d = 0, od = 0, phase = 0; d < depth->in; d++) {
            volume_depth(dt, pattern, vectors, all, vector, &volume, od < depth->out, od * windows,
                         volume.first + (uint32_t)(d * cells), volume.to + d * cells * k_size(dt),
                         &found);
            if (++phase == depth->stride) phase = 0, od++;
        }
        volume.values += all->windows * k_size(dt);
        volume.indices += all->windows * (int64_t)sizeof(int32_t);
        volume.to += all->cells * k_size(dt);
        volume.first += all->step;
    }
    *matches += found;
}

K_TEMPLATE
void volume_any(enum k_dtype dt, const struct volumes *all, const struct volume *volume, vi *found)
{
    if (all->pattern == CELLS_APART && all->vectors == 1)
        volume_cells(dt, CELLS_APART, 1, all, *volume, found);
    else if (all->pattern == CELLS_APART)
        volume_cells(dt, CELLS_APART, 2, all, *volume, found);
    else if (all->pattern == CELLS_ODD && all->vectors == 1)
        volume_cells(dt, CELLS_ODD, 1, all, *volume, found);
    else if (all->pattern == CELLS_ODD)
        volume_cells(dt, CELLS_ODD, 2, all, *volume, found);
    else if (all->vectors == 1)
        volume_cells(dt, CELLS_EVEN, 1, all, *volume, found);
    else
        volume_cells(dt, CELLS_EVEN, 2, all, *volume, found);
}
K_OUT_OF_LINE(void, volume_any, (const struct volumes *all, const struct volume *volume, vi *found),
              (all, volume, found))

static inline void volumes_begin(struct volumes *all, const struct max_grad *g)
{
    const struct max_plan *plan = &g->plan;
    const struct max_phases *phases = &g->phases[2];
    const struct max_axis *width = &plan->width;
    all->step = g->indices_step;
    all->plan = plan;
    all->pattern = cell_pattern(width);
    all->windows = plan->depth.out * plan->height.out * width->out;
    all->cells = plan->depth.in * plan->height.in * width->in;
    all->vectors = (int)((width->in + VL - 1) / VL);
    int64_t x = 0, q = 0, c = 0;
    for (int v = 0; v < all->vectors; v++) {
        struct volume_vector *vector = &all->vector[v];
        /* With the address sanitizer GCC 12 loads arrays as aligned that its frames do not align.
         */
        union {
            int32_t lane[VL];
            vi all;
        } pick[VOLUME_COLUMNS] = {{{0}}}, none[VOLUME_COLUMNS];
        vector->low = max_least(max_most(q + width->low, 0), width->out - 1);
        for (int i = 0; i < VL; i++, x++) {
            int count = 0;
            for (int w = phases->first[c]; x < width->in && w < phases->first[c + 1]; w++) {
                const int64_t ow = q + phases->shift[w];
                if (ow < 0 || ow >= width->out) continue;
                none[count].lane[i] = 0;
                pick[count++].lane[i] = (int32_t)(ow - vector->low);
            }
            for (; count < VOLUME_COLUMNS; count++)
                none[count].lane[i] = -1;
            if (++c == width->stride) c = 0, q++;
        }
        for (int k = 0; k < VOLUME_COLUMNS; k++) {
            vector->pick[k] = pick[k].all;
            vector->none[k] = none[k].all;
        }
    }
}

/* So many volumes from `outer` on; false if an index strays. */
K_TEMPLATE
bool volumes_put(enum k_dtype dt, struct max_grad *g, const struct volumes *all, int64_t outer,
                 int64_t volumes)
{
    const bool stream = g->pool->stream_output;
    const int64_t size = sizeof(int32_t), bytes = all->cells * k_size(dt);
    _Alignas(LINE_BYTES) float cells[VOLUME_CELLS + 3 * VL];
    char values[(VOLUME_WINDOWS + VL) * sizeof(float)];
    char indices[(VOLUME_WINDOWS + VL) * sizeof(int32_t)], *image = (char *)(cells + VL);
    vi found = {0};
    struct volume volume;
    for (int64_t end = outer + volumes; outer < end; outer += volume.count) {
        char *to = g->outlet.vectors.to;
        volume.values = g->dy + outer * all->windows * k_size(dt);
        volume.indices = g->indices + outer * all->windows * size;
        volume.first = (uint32_t)outer * all->step;
        volume.to = to;
        /* As many as have room to read and write behind. */
        const int64_t entries = (g->indices_end - volume.indices) / size - VL;
        const int64_t rest = stream ? 0 : g->outlet.end - to - VL * k_size(dt);
        volume.count = max_least(max_least(entries / all->windows, rest / bytes), end - outer);
        const bool direct = volume.count > 0;
        if (!direct) {
            memcpy(values, volume.values, (size_t)(all->windows * k_size(dt)));
            memcpy(indices, volume.indices, (size_t)(all->windows * size));
            memset(indices + all->windows * size, 0, (size_t)(VL * size));
            volume = (struct volume){values, indices, volume.first, image, 1};
        }
        volume_any_of(dt, all, &volume, &found);
        if (stream) {
            vectors_append(&g->outlet.vectors, image, bytes);
            continue;
        }
        if (!direct) memcpy(to, image, (size_t)bytes);
        g->outlet.vectors.to = to + volume.count * bytes;
    }
    int64_t matches = 0;
    for (int i = 0; i < VL; i++)
        matches += found[i];
    return matches == volumes * all->windows;
}

/* Items are volumes; returns as walk_rows. */
K_TEMPLATE
bool walk_volumes(enum k_dtype dt, struct max_grad *g, const struct k_scatter *scatter,
                  struct k_slice slice)
{
    struct volumes all;
    volumes_begin(&all, g);
    const int64_t bytes = all.cells * k_size(dt);
    bool unsettled = false;
    outlet_at(g, slice.begin, slice.end, bytes);
    for (int64_t outer = slice.begin, count; outer < slice.end; outer += count) {
        count = max_least(VOLUME_CHUNK, slice.end - outer);
        if (volumes_put(dt, g, &all, outer, count)) continue;
        outlet_end(&g->outlet);
        k_stream_end();
        for (int64_t i = outer; i < outer + count; i++)
            unsettled |= scatter_outer(dt, scatter, i);
        outlet_at(g, outer + count, slice.end, bytes);
    }
    if (slice.begin < slice.end) outlet_end(&g->outlet);
    return unsettled;
}

#endif
