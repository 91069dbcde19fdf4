/* SPDX-License-Identifier: Apache-2.0 */
/* Scans: along a row one element after the other, or a tile of columns, row after row. Compiled
 * with more optimisation than the rest (kernels/CMakeLists.txt): these loops are plain. */
#include <math.h>

#include "kernels/reduce/tile.h"
#include "kernels/vector/simd.h"

enum { COLUMNS = 512 };

/* What a scan has come to. */
struct state {
    _Alignas(LINE_BYTES) char values[COLUMNS * 8];
    int64_t places[COLUMNS];
};

/* x[i] becomes the scan's value there. step_i is 0 along a row, whose state is one element. */
#define SCAN(type, element, sum, product)                                                          \
    K_TEMPLATE                                                                                     \
    void scan_##type(enum k_scan_kind kind, bool is_exclusive, bool is_row, element *state,        \
                     int64_t *state_places, const element *x, element *y, int64_t *places,         \
                     int64_t count, int64_t at)                                                    \
    {                                                                                              \
        element own = state[0]; /* of a row */                                                     \
        int64_t own_place = state_places[0];                                                       \
        for (int64_t i = 0; i < count; i++) {                                                      \
            const element value = x[i], old = is_row ? own : state[i];                             \
            if (kind == K_SCAN_SUM || kind == K_SCAN_PRODUCT) {                                    \
                own = kind == K_SCAN_SUM ? (element)sum : (element)product;                        \
                if (!is_row) state[i] = own;                                                       \
                y[i] = is_exclusive ? old : own;                                                   \
                continue;                                                                          \
            }                                                                                      \
            const bool is_better =                                                                 \
                value != value || (kind == K_SCAN_MAX ? value >= old : value <= old);              \
            const int64_t old_place = is_row ? own_place : state_places[i];                        \
            y[i] = own = is_better ? value : old;                                                  \
            places[i] = own_place = is_better ? at + (is_row ? i : 0) : old_place;                 \
            if (!is_row) state[i] = own, state_places[i] = own_place;                              \
        }                                                                                          \
        if (is_row) state[0] = own, state_places[0] = own_place;                                   \
    }                                                                                              \
    static void scan_any_##type(const struct k_scan *s, bool is_row, void *state,                  \
                                int64_t *state_places, const void *x, void *y, int64_t *places,    \
                                int64_t count, int64_t at)                                         \
    {                                                                                              \
        SCAN_EACH(type, K_SCAN_SUM)                                                                \
        SCAN_EACH(type, K_SCAN_PRODUCT)                                                            \
        SCAN_EACH(type, K_SCAN_MAX)                                                                \
        SCAN_EACH(type, K_SCAN_MIN)                                                                \
    }
#define SCAN_EACH(type, which)                                                                     \
    if (s->kind == which && is_row)                                                                \
        scan_##type(which, s->is_exclusive, true, state, state_places, x, y, places, count, at);   \
    if (s->kind == which && !is_row)                                                               \
        scan_##type(which, s->is_exclusive, false, state, state_places, x, y, places, count, at);
SCAN(f32, float, old + value, old *value)
SCAN(f64, double, old + value, old *value)
SCAN(i32, int32_t, (uint32_t)old + (uint32_t)value, (uint32_t)old *(uint32_t)value)
SCAN(i64, int64_t, (uint64_t)old + (uint64_t)value, (uint64_t)old *(uint64_t)value)

static void scan_any(const struct k_scan *s, struct state *state, const void *x, void *y,
                     int64_t *places, int64_t count, int64_t at)
{
    const bool is_row = !s->by_columns;
    if (s->compute == K_AS_F32)
        scan_any_f32(s, is_row, state->values, state->places, x, y, places, count, at);
    else if (s->compute == K_AS_F64)
        scan_any_f64(s, is_row, state->values, state->places, x, y, places, count, at);
    else if (s->compute == K_AS_I32)
        scan_any_i32(s, is_row, state->values, state->places, x, y, places, count, at);
    else
        scan_any_i64(s, is_row, state->values, state->places, x, y, places, count, at);
}

static void begin(const struct k_scan *s, struct state *state, int64_t columns)
{
    const bool is_max = s->kind == K_SCAN_MAX;
    for (int64_t i = 0; i < columns; i++) {
        state->places[i] = 0;
        if (s->kind <= K_SCAN_PRODUCT && s->compute == K_AS_F64)
            ((double *)(void *)state->values)[i] = s->kind;
        else if (s->kind <= K_SCAN_PRODUCT)
            ((int64_t *)(void *)state->values)[i] = s->kind;
        else if (s->compute == K_AS_F32)
            ((float *)(void *)state->values)[i] = is_max ? -INFINITY : INFINITY;
        else if (s->compute == K_AS_F64)
            ((double *)(void *)state->values)[i] = is_max ? -(double)INFINITY : (double)INFINITY;
        else if (s->compute == K_AS_I32)
            ((int32_t *)(void *)state->values)[i] = is_max ? INT32_MIN : INT32_MAX;
        else
            ((int64_t *)(void *)state->values)[i] = is_max ? INT64_MIN : INT64_MAX;
    }
}

struct rooms {
    _Alignas(LINE_BYTES) char tile[TILE_ROOM], room[TILE_ROOM], out[TILE_ROOM];
    int64_t places[K_REDUCE_BLOCK];
    struct state state;
};

/* Scans `count` elements, a row's or a row of columns, which lie a step apart. */
static void scan_piece(const struct k_scan *s, char *const at[], int64_t from_step, int64_t to_step,
                       int64_t index_step, int64_t count, int64_t position, struct rooms *rooms)
{
    const struct tile_source source = {s->compute, s->from, s->via};
    const void *x = tile_fetch(source, at[K_SCAN_FROM], from_step, count, rooms->tile, rooms->room);
    scan_any(s, &rooms->state, x, rooms->out, rooms->places, count, position);
    tile_deliver(s->compute, s->result, s->to, rooms->out, at[K_SCAN_TO], to_step, count,
                 rooms->room);
    if (s->has_index)
        tile_deliver(K_AS_I64, K_I64, s->index_type, (char *)rooms->places, at[K_SCAN_INDEX],
                     index_step, count, rooms->room);
}

k_fn K_SYMBOL(scan);

void K_SYMBOL(scan)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_scan *s = parameters;
    const struct k_kept *kept = &s->kept;
    const int64_t sizes[] = {k_dtype_size(s->from), k_dtype_size(s->to),
                             k_dtype_size(s->index_type)};
    const int64_t sign = s->is_reversed ? -1 : 1, first = s->is_reversed ? s->count - 1 : 0;
    const int64_t steps[] = {s->from_step, s->to_step, s->index_step};
    const int inner = kept->rank - 1;
    struct rooms rooms;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const struct tile_place place =
            tile_place_of(kept, item, s->by_columns, s->columns, s->column_tiles);
        const int64_t offsets[] = {place.from, place.to, place.index};
        begin(s, &rooms.state, place.columns);
        const int64_t unit = s->by_columns ? 1 : K_REDUCE_BLOCK;
        for (int64_t at = 0; at < s->count; at += unit) {
            char *here[K_SCAN_BUFFERS];
            for (int i = 0; i < K_SCAN_BUFFERS; i++)
                here[i] =
                    (char *)buffers[i] + (offsets[i] + (first + sign * at) * steps[i]) * sizes[i];
            if (s->by_columns)
                scan_piece(s, here, kept->from[inner], kept->to[inner], kept->index[inner],
                           place.columns, at, &rooms);
            else
                scan_piece(s, here, sign * steps[0], sign * steps[1], sign * steps[2],
                           s->count - at < unit ? s->count - at : unit, at, &rooms);
        }
    }
}
