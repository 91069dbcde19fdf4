/* SPDX-License-Identifier: Apache-2.0 */
/* Two drivers. By rows: a result's elements come in blocks, each into LANES sums. By columns: the
 * vectors run along results, rows are added to a tile of sums, four at once. In both, the sums of a
 * block join those of 16 blocks, these those of 16 times as many, and so on: the error grows with
 * the logarithm of the count. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/half/half_fold.h"
#include "kernels/reduce/tile.h"
#include "kernels/vector/math.h"
#include "kernels/vector/simd.h"

typedef int64_t vl __attribute__((vector_size(K_VECTOR_BYTES)));

enum {
    LANE_BYTES = 128,
    COLUMN_BYTES = 4096, /* of a tile of sums */
    LEVELS = 10,
    RADIX = 16,
    ROWS = 64, /* of a block */
};

enum map {
    MAP_keep,
    MAP_zero_of_nan,
    MAP_truth,
    MAP_square,
    MAP_size,
    MAP_power,
    MAP_deviation,
    MAP_exponential
};
enum combine { COMBINE_add, COMBINE_multiply, COMBINE_larger, COMBINE_smaller };
#define USES_NUMBER(map) ((map) >= MAP_power)

K_TEMPLATE
vf magnitude_f32(vf x)
{
    return (vf)((vi)x & INT32_MAX);
}

K_TEMPLATE
vd magnitude_f64(vd x)
{
    return (vd)((vl)x & INT64_MAX);
}

static __attribute__((noinline)) vf power_f32(vf x, vf p)
{
    return v_pow(x, p);
}

static __attribute__((noinline)) vf exponential_f32(vf x)
{
    return v_exp(x);
}

static __attribute__((noinline)) vd power_f64(vd x, vd p)
{
    for (int i = 0; i < (int)(sizeof x / sizeof x[0]); i++)
        x[i] = v_pow_f64(x[i], p[i]);
    return x;
}

static __attribute__((noinline)) vd exponential_f64(vd x)
{
    for (int i = 0; i < (int)(sizeof x / sizeof x[0]); i++)
        x[i] = v_exp_f64(x[i]);
    return x;
}

/* Integers wrap. */
#define SUM_OF(a, b)     ((a) + (b))
#define PRODUCT_OF(a, b) ((a) * (b))
#define IS_REAL
#define IS_NAN(x) ((x) != (x))
#define LOWEST    (-INFINITY)
#define HIGHEST   INFINITY
#include "kernels/elementwise/as_f32.h"
#include "kernels/reduce/fold.h"

#include "kernels/elementwise/as_f64.h"
#include "kernels/reduce/fold.h"
#undef IS_REAL
#undef IS_NAN
#undef LOWEST
#undef HIGHEST
#undef SUM_OF
#undef PRODUCT_OF
#define SUM_OF(a, b)     ((uint64_t)(a) + (uint64_t)(b))
#define PRODUCT_OF(a, b) ((uint64_t)(a) * (uint64_t)(b))
#define IS_NAN(x)        ((x) ^ (x))
#define LOWEST           INT32_MIN
#define HIGHEST          INT32_MAX
#include "kernels/elementwise/as_i32.h"
#include "kernels/reduce/fold.h"
#undef LOWEST
#undef HIGHEST
#define LOWEST  INT64_MIN
#define HIGHEST INT64_MAX
#include "kernels/elementwise/as_i64.h"
#include "kernels/reduce/fold.h"

/* ---- tables ---- */

typedef void along_fn(void *lanes, const void *x, int64_t count, const void *number);
typedef void across_fn(void *sums, const void *const rows[4], int row_count, int64_t count,
                       const void *numbers);

#define FOLD(name, map, how, type, element)                                                        \
    static void name##_along_##type(void *lanes, const void *x, int64_t count, const void *number) \
    {                                                                                              \
        along_##type(MAP_##map, COMBINE_##how, lanes, x, count, *(const element *)number);         \
    }                                                                                              \
    static void name##_across_##type(void *sums, const void *const rows[4], int row_count,         \
                                     int64_t count, const void *numbers)                           \
    {                                                                                              \
        const element *const four[4] = {rows[0], rows[1], rows[2], rows[3]};                       \
        if (row_count == 4)                                                                        \
            across_##type(MAP_##map, COMBINE_##how, sums, four, count, numbers);                   \
        else                                                                                       \
            for (int i = 0; i < row_count; i++)                                                    \
                across_one_##type(MAP_##map, COMBINE_##how, sums, four[i], count, numbers);        \
    }
#define FOLD_REALS(name, map, how)                                                                 \
    FOLD(name, map, how, f32, float) FOLD(name, map, how, f64, double)
#define FOLD_SUMS(name, map, how)     FOLD_REALS(name, map, how) FOLD(name, map, how, i64, int64_t)
#define FOLD_NUMBERS(name, map, how)  FOLD_SUMS(name, map, how) FOLD(name, map, how, i32, int32_t)
#define K_FOLD(name, map, how, types) FOLD_##types(name, map, how)
#include "kernels/reduce/folds.def"

static const struct fold {
    along_fn *along[K_COMPUTES];
    across_fn *across[K_COMPUTES];
    enum combine how;
    bool uses_number;
} folds[K_FOLDS] = {
#define ENTRY(name, place, type)                                                                   \
    [K_FOLD_##name].along[place] = name##_along_##type,                                            \
    [K_FOLD_##name].across[place] = name##_across_##type,
#define ENTRY_REALS(name)   ENTRY(name, K_AS_F32, f32) ENTRY(name, K_AS_F64, f64)
#define ENTRY_SUMS(name)    ENTRY_REALS(name) ENTRY(name, K_AS_I64, i64)
#define ENTRY_NUMBERS(name) ENTRY_SUMS(name) ENTRY(name, K_AS_I32, i32)
#define K_FOLD(name, map, combine, types)                                                          \
    ENTRY_##types(name)[K_FOLD_##name].how = COMBINE_##combine,                                    \
    [K_FOLD_##name].uses_number = USES_NUMBER(MAP_##map),
#include "kernels/reduce/folds.def"
};

static const struct combining {
    void (*merge)(void *sums, const void *more, int64_t count);
    void (*total)(void *lanes);
    void (*clear)(void *sums, int64_t count);
} combinings[][K_COMPUTES] = {
#define COMBINING(how)                                                                             \
    [COMBINE_##how] = {{how##_merge_f32, how##_total_f32, how##_clear_f32},                        \
                       {how##_merge_f64, how##_total_f64, how##_clear_f64},                        \
                       {how##_merge_i32, how##_total_i32, how##_clear_i32},                        \
                       {how##_merge_i64, how##_total_i64, how##_clear_i64}},
    COMBINING(add) COMBINING(multiply) COMBINING(larger) COMBINING(smaller)};

static void (*const fills[])(void *, double, int64_t) = {
    [K_AS_F32] = fill_f32, [K_AS_F64] = fill_f64, [K_AS_I32] = fill_i32, [K_AS_I64] = fill_i64};

/* ---- sums of sums ---- */

struct tower {
    _Alignas(LINE_BYTES) char sums[LEVELS][COLUMN_BYTES]; /* those of the block in work are [0] */
    int top;                                              /* the highest level in use */
    int64_t blocks;
};

static void tower_begin(struct tower *tower, const struct combining *c, int64_t count)
{
    tower->top = 0;
    tower->blocks = 0;
    c->clear(tower->sums[0], count);
}

/* A block is complete. */
static void tower_push(struct tower *tower, const struct combining *c, int64_t count)
{
    int level = 0;
    for (int64_t n = ++tower->blocks; level + 1 < LEVELS; level++) {
        if (level == tower->top) c->clear(tower->sums[++tower->top], count);
        c->merge(tower->sums[level + 1], tower->sums[level], count);
        c->clear(tower->sums[level], count);
        if (n % RADIX != 0) return;
        n /= RADIX;
    }
}

/* All of it is in sums[0]. */
static void tower_end(struct tower *tower, const struct combining *c, int64_t count)
{
    for (int level = 1; level <= tower->top; level++)
        c->merge(tower->sums[0], tower->sums[level], count);
}

/* ---- results ---- */

static double finished(const struct k_reduce *r, double value, double auxiliary)
{
    switch (r->finish) {
    case K_FINISH_DIVIDE:
        return value / r->number;
    case K_FINISH_ROOT:
        return sqrt(value);
    case K_FINISH_DEVIATION:
        return sqrt(value / r->number);
    case K_FINISH_POWER:
        return v_pow_f64(value, r->number);
    case K_FINISH_LOG:
        return v_log_f64(value);
    case K_FINISH_FINITE:
        return isinf(value) ? 0 : value;
    case K_FINISH_LOG_ADD:
        return v_log_f64(value) + auxiliary;
    default:
        return value;
    }
}

/* In double, rounded once. */
static void finish(const struct k_reduce *r, void *sums, int64_t count, const void *numbers)
{
    float *f32 = sums;
    double *f64 = sums;
    const bool is_single = r->compute == K_AS_F32;
    if (r->finish == K_FINISH_NONE) return;
    for (int64_t i = 0; i < count; i++)
        if (is_single)
            f32[i] = (float)finished(r, (double)f32[i], (double)((const float *)numbers)[i]);
        else
            f64[i] = finished(r, f64[i], ((const double *)numbers)[i]);
}

/* ---- the drivers ---- */

/* What fetches elements, and what is done with them. */
struct folding {
    struct tile_source source;
    along_fn *along;
    across_fn *across;
};

static struct folding folding_of(const struct k_reduce *r)
{
    const struct k_half_fold *half = k_half_fold_of(r->fold, r->from);
    if (half && r->compute == K_AS_F32 && (r->via == r->from || r->via == K_F32)) {
        const enum k_compute own = r->from == K_F16 ? K_AS_F16 : K_AS_BF16;
        return (struct folding){{own, r->from, r->from}, half->along, half->across};
    }
    return (struct folding){{r->compute, r->from, r->via},
                            folds[r->fold].along[r->compute],
                            folds[r->fold].across[r->compute]};
}

struct rooms {
    _Alignas(LINE_BYTES) char tile[TILE_ROOM], room[TILE_ROOM], numbers[COLUMN_BYTES];
    struct tower tower;
};

/* Where an item's result lies, and which reduced elements are its part: from *begin below *end. */
K_TEMPLATE
struct tile_place place_of(const struct k_reduce *r, int64_t item, int64_t *begin, int64_t *end)
{
    const int64_t whole = r->parts == 1 ? item : item / r->parts; /* mostly without a division */
    const int64_t part = item - whole * r->parts;
    struct tile_place place =
        tile_place_of(&r->kept, whole, r->by_columns, r->columns, r->column_tiles);
    place.to += part * r->to_part;
    place.index += part * r->to_part;
    *begin = part * r->part;
    *end = r->count - *begin < r->part ? r->count : *begin + r->part;
    return place;
}

/* The auxiliary numbers of some columns. */
static void fetch_numbers(const struct k_reduce *r, const void *buffer,
                          const struct tile_place *place, struct rooms *rooms)
{
    const int64_t size = k_dtype_size(k_dtype_of(r->compute));
    const int64_t step = r->by_columns ? r->kept.auxiliary[r->kept.rank - 1] : 1;
    if (r->has_auxiliary)
        move_elements(size, rooms->numbers, 1, (const char *)buffer + place->auxiliary * size, step,
                      place->columns);
    else
        fills[r->compute](rooms->numbers, r->auxiliary, place->columns);
}

static void fold_rows(const struct k_reduce *r, const struct folding *f, const char *from,
                      int64_t begin, int64_t end, const struct combining *c, struct rooms *rooms)
{
    const int64_t lanes = LANE_BYTES / k_dtype_size(k_dtype_of(r->compute));
    tower_begin(&rooms->tower, c, lanes);
    for (int64_t at = begin; at < end; at += K_REDUCE_BLOCK) {
        const int64_t count = end - at < K_REDUCE_BLOCK ? end - at : K_REDUCE_BLOCK;
        const void *x = tile_fetch_reduced(f->source, from, r->reduced_rank, r->reduced_sizes,
                                           r->reduced_steps, at, count, rooms->tile, rooms->room);
        f->along(rooms->tower.sums[0], x, count, rooms->numbers);
        if (at + count < end) tower_push(&rooms->tower, c, lanes);
    }
    tower_end(&rooms->tower, c, lanes);
    c->total(rooms->tower.sums[0]);
}

static void fold_columns(const struct k_reduce *r, const struct folding *f, const char *from,
                         int64_t columns, int64_t begin, int64_t end, const struct combining *c,
                         struct rooms *rooms)
{
    const int64_t size = k_dtype_size(r->from), step = r->kept.from[r->kept.rank - 1];
    const int64_t own = k_dtype_size(k_dtype_of(f->source.compute));
    tower_begin(&rooms->tower, c, columns);
    /* Four tiles of COLUMN_BYTES. */
    char *const tiles[4] = {rooms->tile, rooms->tile + COLUMN_BYTES, rooms->room,
                            rooms->room + COLUMN_BYTES};
    char apart[2][TILE_ROOM];
    for (int64_t at = begin; at < end;) {
        const int some = end - at < 4 ? (int)(end - at) : 4;
        const void *rows[4] = {NULL, NULL, NULL, NULL};
        for (int i = 0; i < some; i++) {
            const int64_t offset =
                tile_offset(r->reduced_rank, r->reduced_sizes, r->reduced_steps, at + i);
            rows[i] =
                tile_fetch(f->source, from + offset * size, step, columns, apart[0], apart[1]);
            if (rows[i] != apart[0]) continue;
            memcpy(tiles[i], apart[0], (size_t)(columns * own));
            rows[i] = tiles[i];
        }
        f->across(rooms->tower.sums[0], rows, some, columns, rooms->numbers);
        at += some;
        if ((at - begin) % ROWS == 0 && at < end) tower_push(&rooms->tower, c, columns);
    }
    tower_end(&rooms->tower, c, columns);
}

k_fn K_SYMBOL(reduce);

void K_SYMBOL(reduce)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_reduce *r = parameters;
    const struct combining *c = &combinings[folds[r->fold].how][r->compute];
    const struct folding f = folding_of(r);
    const int64_t from_size = k_dtype_size(r->from), to_size = k_dtype_size(r->to);
    struct rooms rooms;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        int64_t begin, end;
        const struct tile_place place = place_of(r, item, &begin, &end);
        const char *from = (const char *)buffers[K_REDUCE_FROM] + place.from * from_size;
        char *to = (char *)buffers[K_REDUCE_TO] + place.to * to_size;
        fetch_numbers(r, buffers[K_REDUCE_AUXILIARY], &place, &rooms);
        if (r->by_columns)
            fold_columns(r, &f, from, place.columns, begin, end, c, &rooms);
        else
            fold_rows(r, &f, from, begin, end, c, &rooms);
        finish(r, rooms.tower.sums[0], place.columns, rooms.numbers);
        tile_deliver(r->compute, r->result, r->to, rooms.tower.sums[0], to,
                     r->by_columns ? r->kept.to[r->kept.rank - 1] : 1, place.columns, rooms.room);
    }
}

/* ---- places of extremes ---- */

/* A block's extreme against the best so far, and, where it is better, its place. By columns: each
 * element of a row against the best above it. */
#define EXTREME(type, element, vector, mask_type, lane)                                            \
    K_TEMPLATE                                                                                     \
    bool better_##type(bool least, element a, element b)                                           \
    {                                                                                              \
        return (least ? a < b : a > b) || (a != a && b == b);                                      \
    }                                                                                              \
    static void extreme_rows_##type(bool least, bool is_first, void *best, int64_t *place,         \
                                    const void *block, const void *elements, int64_t count,        \
                                    int64_t at)                                                    \
    {                                                                                              \
        const element value = *(const element *)block;                                             \
        if (!is_first && !better_##type(least, value, *(element *)best)) return;                   \
        *(element *)best = value;                                                                  \
        const element *x = elements;                                                               \
        int64_t i = 0;                                                                             \
        while (i + 1 < count && !(x[i] == value || (value != value && x[i] != x[i])))              \
            i++;                                                                                   \
        *place = at + i;                                                                           \
    }                                                                                              \
    static void extreme_columns_##type(bool least, bool is_first, void *best, void *places,        \
                                       const void *row, int64_t count, int64_t at)                 \
    {                                                                                              \
        for (int64_t i = 0; i < count; i += (int64_t)(sizeof(vector) / sizeof(element))) {         \
            const size_t left = (size_t)(count - i) * sizeof(element);                             \
            vector x = {0}, b;                                                                     \
            mask_type place;                                                                       \
            if (left >= sizeof x)                                                                  \
                memcpy(&x, (const element *)row + i, sizeof x);                                    \
            else                                                                                   \
                memcpy(&x, (const element *)row + i, left);                                        \
            memcpy(&b, (element *)best + i, sizeof b);                                             \
            memcpy(&place, (lane *)places + i, sizeof place);                                      \
            mask_type mask = (least ? x < b : x > b) | ((x != x) & (b == b));                      \
            if (is_first) mask = ~(mask_type){0};                                                  \
            b = (vector)((mask & (mask_type)x) | (~mask & (mask_type)b));                          \
            place = (mask & (lane)at) | (~mask & place);                                           \
            memcpy((element *)best + i, &b, sizeof b);                                             \
            memcpy((lane *)places + i, &place, sizeof place);                                      \
        }                                                                                          \
    }
EXTREME(f32, float, vf, vi, int32_t)
EXTREME(f64, double, vd, vl, int64_t)
EXTREME(i32, int32_t, vi, vi, int32_t)
EXTREME(i64, int64_t, vl, vl, int64_t)

static const struct extreme {
    void (*rows)(bool least, bool is_first, void *best, int64_t *place, const void *block,
                 const void *elements, int64_t count, int64_t at);
    void (*columns)(bool least, bool is_first, void *best, void *places, const void *row,
                    int64_t count, int64_t at);
} extremes[] = {[K_AS_F32] = {extreme_rows_f32, extreme_columns_f32},
                [K_AS_F64] = {extreme_rows_f64, extreme_columns_f64},
                [K_AS_I32] = {extreme_rows_i32, extreme_columns_i32},
                [K_AS_I64] = {extreme_rows_i64, extreme_columns_i64}};

struct extreme_rooms {
    _Alignas(LINE_BYTES) char tile[TILE_ROOM], room[TILE_ROOM], best[COLUMN_BYTES];
    _Alignas(LINE_BYTES) char lanes[COLUMN_BYTES];
    int64_t places[K_REDUCE_BLOCK];
};

static void extreme_of_row(const struct k_reduce *r, const char *from, int64_t begin, int64_t end,
                           struct extreme_rooms *rooms)
{
    const struct combining *c = &combinings[folds[r->fold].how][r->compute];
    const struct tile_source source = {r->compute, r->from, r->via};
    const int64_t zero = 0, lanes = LANE_BYTES / k_dtype_size(k_dtype_of(r->compute));
    for (int64_t at = begin; at < end; at += K_REDUCE_BLOCK) {
        const int64_t count = end - at < K_REDUCE_BLOCK ? end - at : K_REDUCE_BLOCK;
        const void *x = tile_fetch_reduced(source, from, r->reduced_rank, r->reduced_sizes,
                                           r->reduced_steps, at, count, rooms->tile, rooms->room);
        c->clear(rooms->lanes, lanes);
        folds[r->fold].along[r->compute](rooms->lanes, x, count, &zero);
        c->total(rooms->lanes);
        extremes[r->compute].rows(r->fold == K_FOLD_least, at == begin, rooms->best, rooms->places,
                                  rooms->lanes, x, count, at);
    }
}

static void extremes_of_columns(const struct k_reduce *r, const char *from, int64_t columns,
                                int64_t begin, int64_t end, struct extreme_rooms *rooms)
{
    const struct tile_source source = {r->compute, r->from, r->via};
    const int64_t size = k_dtype_size(r->from), step = r->kept.from[r->kept.rank - 1];
    const bool is_wide = k_dtype_size(k_dtype_of(r->compute)) == 8;
    for (int64_t at = begin; at < end; at++) {
        const void *row = tile_fetch(source, from + at * r->reduced_steps[0] * size, step, columns,
                                     rooms->tile, rooms->room);
        extremes[r->compute].columns(r->fold == K_FOLD_least, at == begin, rooms->best,
                                     rooms->lanes, row, columns, at);
    }
    for (int64_t i = 0; i < columns; i++)
        rooms->places[i] =
            is_wide ? ((int64_t *)(void *)rooms->lanes)[i] : ((int32_t *)(void *)rooms->lanes)[i];
}

k_fn K_SYMBOL(extreme);

void K_SYMBOL(extreme)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_reduce *r = parameters;
    const int inner = r->kept.rank - 1;
    const int64_t from_size = k_dtype_size(r->from), to_size = k_dtype_size(r->to);
    const int64_t *table = buffers[K_REDUCE_AUXILIARY];
    struct extreme_rooms rooms;
    memset(&rooms, 0, sizeof rooms);
    for (int64_t item = slice.begin; item < slice.end; item++) {
        int64_t begin, end;
        const struct tile_place place = place_of(r, item, &begin, &end);
        const char *from = (const char *)buffers[K_REDUCE_FROM] + place.from * from_size;
        if (r->by_columns)
            extremes_of_columns(r, from, place.columns, begin, end, &rooms);
        else
            extreme_of_row(r, from, begin, end, &rooms);
        for (int64_t i = 0; i < place.columns && r->translates; i++)
            rooms.places[i] = table[place.from + (r->by_columns ? i * r->kept.from[inner] : 0) +
                                    rooms.places[i] * r->reduced_steps[0]];
        if (r->has_value)
            tile_deliver(r->compute, r->result, r->to, rooms.best,
                         (char *)buffers[K_REDUCE_TO] + place.to * to_size,
                         r->by_columns ? r->kept.to[inner] : 1, place.columns, rooms.room);
        tile_deliver(K_AS_I64, K_I64, r->index_type, (char *)rooms.places,
                     (char *)buffers[K_REDUCE_INDEX] + place.index * k_dtype_size(r->index_type),
                     r->by_columns ? r->kept.index[inner] : 1, place.columns, rooms.room);
    }
}
