/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of max pooling, channels innermost and many: how windows tell their places, and what
 * tells a cell. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_CHANNEL_PLACES_H
#define ACLNN_CPU_KERNELS_POOL_MAX_CHANNEL_PLACES_H

#include "kernels/pool/max_found.h"
#include "kernels/pool/max_look.h"

/* How a window's place is told: by an index of the plane or of the tensor, or by the number of its
 * tap (max_found.h). */
enum channel_kind {
    CHANNEL_I32,
    CHANNEL_I64,
    CHANNEL_TENSOR_I32,
    CHANNEL_TENSOR_I64,
    CHANNEL_TAPS
};

/* The windows over a cell: their first channels. Away from a row's ends the same serve all cells of
 * a phase, so many windows further on. */
struct channel_terms {
    const char *place[MAX_TAPS], *value[MAX_TAPS];
    int32_t tap[MAX_TAPS]; /* CHANNEL_TAPS: which one the cell is */
    int count;
};

/* A cell of the row. `windows` channels are skipped in its terms. Indices of the tensor rise by
 * `unit` from cell to cell, by `step` from channel to channel. */
struct channel_cell {
    const struct channel_terms *terms;
    int64_t windows;
    int32_t place, unit, step;
};

K_TEMPLATE
int64_t place_size(enum channel_kind kind)
{
    return kind == CHANNEL_TAPS ? 1 : kind == CHANNEL_I64 || kind == CHANNEL_TENSOR_I64 ? 8 : 4;
}

K_TEMPLATE
vi load_places(enum channel_kind kind, const char *at)
{
    if (kind == CHANNEL_TAPS) return v_load_bytes(at);
    if (place_size(kind) == 4) return v_load_i((const int32_t *)(const void *)at);
    vf halves[2];
    memcpy(halves, at, sizeof halves);
    return (vi)v_unzip(0, halves[0], halves[1]);
}

K_TEMPLATE
bool is_of_tensor(enum channel_kind kind)
{
    return kind == CHANNEL_TENSOR_I32 || kind == CHANNEL_TENSOR_I64;
}

/* The indices that mean cell `c` of those from this one on, from channel `channel` on. */
K_TEMPLATE
vi channel_places(enum channel_kind kind, const struct channel_cell *cell, int c, int64_t channel)
{
    if (!is_of_tensor(kind)) return v_all_i(cell->place + c);
    const uint32_t first = (uint32_t)cell->place + (uint32_t)(c * cell->unit);
    return (vi)((vu)v_lanes() * (uint32_t)cell->step + first +
                (uint32_t)channel * (uint32_t)cell->step);
}

/* A row of windows as seen from a row of cells: its first window, first channel. */
struct channel_row {
    const char *place, *value;
    int32_t tap; /* CHANNEL_TAPS: of the window, the first one in the row of cells */
};

#endif
