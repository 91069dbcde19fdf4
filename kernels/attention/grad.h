/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of attention: the three steps of k_attention.h. */
#include <float.h>

#include "kernels/attention/tile.h"

enum {
    ROW = (K_ATTENTION_HEAD / K_ATTENTION_TILE + 1) * K_ATTENTION_TILE,
    ROWS_FLOATS = 3 * K_ATTENTION_TILE, /* of a tile */
};

/* ---- what each query needs ---- */

struct products {
    _Alignas(64) float dy[(K_ATTENTION_HEAD + 16) * GEMM_COLUMNS];
    _Alignas(64) float out[(K_ATTENTION_HEAD + 16) * GEMM_COLUMNS];
};

/* dy . out of some queries */
static void multiply_rows(const struct k_attention *a, void *const buffers[],
                          const struct place *place, int64_t query, int64_t queries,
                          struct products *own, float *to)
{
    const int64_t size = k_size(a->dtype), row = place->s->query + query;
    tile_of_rows(a->dtype, &a->dy,
                 row_of(&a->dy, buffers[K_ATTENTION_DY], size, place->s->batch, place->head, row),
                 queries, a->dv, own->dy);
    tile_of_rows(a->dtype, &a->out,
                 row_of(&a->out, buffers[K_ATTENTION_OUT], size, place->s->batch, place->head, row),
                 queries, a->dv, own->out);
    for (int64_t lane = 0; lane < GEMM_COLUMNS; lane += VL) {
        vf sum = {0};
        for (int64_t i = 0; i < a->dv; i++)
            sum = v_fma(v_load(own->dy + i * GEMM_COLUMNS + lane),
                        v_load(own->out + i * GEMM_COLUMNS + lane), sum);
        v_store(to + lane, sum);
    }
}

k_fn K_SYMBOL(attention_rows);

void K_SYMBOL(attention_rows)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_attention *a = parameters;
    struct products own;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const struct place place = place_of(a, K_ATTENTION_TILES, a->heads, item);
        const int64_t query = place.unit * K_ATTENTION_TILE;
        int64_t step;
        const int64_t at = stat_of(a, place.s, place.head, query, &step);
        const int64_t number = tile_number(a, place.s, place.head, place.unit);
        const float *maxima = (const float *)buffers[K_ATTENTION_MAX] + at;
        const float *sums = (const float *)buffers[K_ATTENTION_SUM] + at;
        float *m = (float *)buffers[K_ATTENTION_ROWS] + number * ROWS_FLOATS;
        float *by = m + K_ATTENTION_TILE, *products = by + K_ATTENTION_TILE;
        memset(m, 0, ROWS_FLOATS * sizeof *m);
        for (int64_t i = 0; i < gemm_min(place.s->queries - query, K_ATTENTION_TILE); i++) {
            const float sum = sums[i * step];
            m[i] = maxima[i * step];
            by[i] = sum == 0 || sum == FLT_MAX ? 0 : 1 / sum;
        }
        for (int64_t first = 0; first < K_ATTENTION_TILE && query + first < place.s->queries;
             first += GEMM_COLUMNS)
            multiply_rows(a, buffers, &place, query + first, place.s->queries - query - first, &own,
                          products + first);
    }
}

/* ---- blocks of keys ---- */

struct gradient {
    _Alignas(64) float keys[K_ATTENTION_SUMS + PACK_SLACK];        /* panels [d][key] */
    _Alignas(64) float values[K_ATTENTION_SUMS + PACK_SLACK];      /* panels [dv][key] */
    _Alignas(64) float columns[K_ATTENTION_SUMS + PACK_SLACK];     /* keys again, panels [key][d] */
    _Alignas(64) float dk[K_ATTENTION_SUMS], dv[K_ATTENTION_SUMS]; /* [key][] */
    _Alignas(64) float q[(K_ATTENTION_HEAD + 16) * K_ATTENTION_TILE];  /* tiles [d][query] */
    _Alignas(64) float dy[(K_ATTENTION_HEAD + 16) * K_ATTENTION_TILE]; /* tiles [dv][query] */
    _Alignas(64) float q_rows[ROW * K_ATTENTION_TILE], dy_rows[ROW * K_ATTENTION_TILE];
    _Alignas(64) float p[SUBTILES * LARGEST], ds[SUBTILES * LARGEST];
    _Alignas(64) float panel[K_ATTENTION_TILE * K_GEMM_PANEL + PACK_SLACK];
    struct beside beside;
};

/* Rows of a sum. */
static int64_t whole_tiles(int64_t count)
{
    return (count + K_ATTENTION_TILE - 1) / K_ATTENTION_TILE * K_ATTENTION_TILE;
}

static void pack_block(const struct meeting *t, int64_t head, void *const buffers[],
                       struct gradient *own)
{
    const struct k_attention *a = t->a;
    const int64_t size = k_size(a->dtype), row = t->s->key + t->key;
    const char *k = row_of(&a->k, buffers[K_ATTENTION_K], size, t->s->batch, head, row);
    const char *v = row_of(&a->v, buffers[K_ATTENTION_V], size, t->s->batch, head, row);
    panels_of_rows(a->dtype, &a->k, k, t->keys, a->d, own->keys);
    panels_of_rows(a->dtype, &a->v, v, t->keys, a->dv, own->values);
    panels_of_columns(a->dtype, &a->k, k, t->keys, a->d, own->columns);
    memset(own->dk, 0, (size_t)(t->keys * whole_tiles(a->d)) * sizeof *own->dk);
    memset(own->dv, 0, (size_t)(t->keys * whole_tiles(a->dv)) * sizeof *own->dv);
}

static void pack_queries(const struct meeting *t, void *const buffers[], struct gradient *own)
{
    const struct k_attention *a = t->a;
    const int64_t size = k_size(a->dtype), row = t->s->query + t->query;
    const char *q = row_of(&a->q, buffers[K_ATTENTION_Q], size, t->s->batch, t->head, row);
    const char *dy = row_of(&a->dy, buffers[K_ATTENTION_DY], size, t->s->batch, t->head, row);
    for (int64_t first = 0; first < t->queries; first += GEMM_COLUMNS) {
        tile_of_rows(a->dtype, &a->q, v_address(q, size * first * a->q.row), t->queries - first,
                     a->d, own->q + first * padded(a->d));
        tile_of_rows(a->dtype, &a->dy, v_address(dy, size * first * a->dy.row), t->queries - first,
                     a->dv, own->dy + first * padded(a->dv));
    }
    tiles_of_columns(a->dtype, &a->q, q, t->queries, a->d, own->q_rows);
    tiles_of_columns(a->dtype, &a->dy, dy, t->queries, a->dv, own->dy_rows);
}

/* p: from scores to weights as they were kept; ds: from dy . v to the gradient of scores. rows:
 * what attention_rows left of the queries. */
static __attribute__((noinline)) void make_weights(const struct meeting *t, void *const buffers[],
                                                   struct beside *beside, const float *rows,
                                                   float *p, float *ds)
{
    if (t->a->keep != 1) {
        find_kept(t, buffers[K_ATTENTION_DROP], beside->flags);
        keep_weights(t, beside->flags, ds);
    }
    for (int64_t query = 0; query < t->queries; query += VL) {
        const vf m = v_load(rows + query), by = v_load(rows + K_ATTENTION_TILE + query);
        const vf product = v_load(rows + 2 * K_ATTENTION_TILE + query);
        for (int64_t key = 0; key < t->keys; key++) {
            const int64_t at = key * GEMM_COLUMNS + query;
            const vf weight = v_exp_single(v_load(p + at) - m) * by;
            v_store(p + at, weight);
            v_store(ds + at, weight * (v_load(ds + at) - product));
        }
    }
    if (t->a->keep != 1) keep_weights(t, beside->flags, p);
}

/* sums[key][] += weights, as rows of keys, times rows of queries */
static void add_to_keys(const struct meeting *t, const float *weights, const float *rows,
                        int64_t columns, float *panel, float *sums)
{
    const int64_t apart = whole_tiles(columns);
    for (int64_t key = 0; key < t->keys; key += K_GEMM_PANEL) {
        const int64_t keys = gemm_min(t->keys - key, K_GEMM_PANEL);
        for (int64_t first = 0; first < t->queries; first += GEMM_COLUMNS)
            pack_panel(
                K_F32,
                &(struct gemm_strip){
                    .from = (const char *)(weights + first * K_ATTENTION_KEYS + key * GEMM_COLUMNS),
                    .across = GEMM_COLUMNS,
                    .along = 1,
                    .lanes = keys,
                    .terms = gemm_min(t->queries - first, GEMM_COLUMNS)},
                panel + first * K_GEMM_PANEL);
        for (int64_t column = 0; column < columns; column += GEMM_COLUMNS)
            multiply_any(false, keys, vectors_of(columns - column), panel,
                         rows + column * K_ATTENTION_TILE, t->queries,
                         (struct gemm_sums){sums + key * apart + column, apart, true});
    }
}

/* A tile of queries of one head and a block of keys. */
static void meet_grad(const struct meeting *t, void *const buffers[], struct gradient *own,
                      const float *rows, float *dq)
{
    const struct k_attention *a = t->a;
    pack_queries(t, buffers, own);
    for (int64_t first = 0; first < t->queries; first += GEMM_COLUMNS) {
        struct meeting some = *t;
        float *p = own->p + first * K_ATTENTION_KEYS, *ds = own->ds + first * K_ATTENTION_KEYS;
        some.query += first;
        some.queries = gemm_min(t->queries - first, GEMM_COLUMNS);
        const int64_t vectors = vectors_of(some.queries);
        multiply_panels(t->keys, a->d, vectors, own->keys, padded(a->d),
                        own->q + first * padded(a->d), p, false);
        finish_scores(&some, buffers, &own->beside, p);
        multiply_panels(t->keys, a->dv, vectors, own->values, padded(a->dv),
                        own->dy + first * padded(a->dv), ds, false);
        make_weights(&some, buffers, &own->beside, rows + first, p, ds);
        multiply_panels(a->d, t->keys, vectors, own->columns, padded(t->packed), ds,
                        dq + first * a->d, true);
    }
    add_to_keys(t, own->p, own->dy_rows, a->dv, own->panel, own->dv);
    add_to_keys(t, own->ds, own->q_rows, a->d, own->panel, own->dk);
}

static void store_keys(const struct meeting *t, const struct k_attention_side *side, void *buffer,
                       int64_t head, int64_t columns, float factor, float *sums)
{
    const int64_t size = k_size(t->a->dtype), apart = whole_tiles(columns);
    for (int64_t key = 0; key < t->keys; key++) {
        for (int64_t i = 0; factor != 1 && i < columns; i += VL)
            v_store(sums + key * apart + i, v_load(sums + key * apart + i) * v_all(factor));
        narrow(t->a->dtype, sums + key * apart, columns,
               (char *)(uintptr_t)row_of(side, buffer, size, t->s->batch, head,
                                         t->s->key + t->key + key),
               side->column);
    }
}

/* All queries, of each head that has these keys, and a block of them. */
static void run_block(struct meeting t, int64_t head, float *parts, void *const buffers[],
                      struct gradient *own)
{
    const struct k_attention *a = t.a;
    pack_block(&t, head, buffers, own);
    for (t.head = head * a->group; t.head < (head + 1) * a->group; t.head++)
        for (t.query = 0; t.query < t.s->queries; t.query += K_ATTENTION_TILE) {
            const int64_t number = tile_number(a, t.s, t.head, t.query / K_ATTENTION_TILE);
            t.queries = gemm_min(t.s->queries - t.query, K_ATTENTION_TILE);
            t.keys = t.packed;
            if (!sees_some(&t)) continue;
            leave_hidden(&t);
            meet_grad(&t, buffers, own,
                      (const float *)buffers[K_ATTENTION_ROWS] + number * ROWS_FLOATS,
                      parts + number * a->d * K_ATTENTION_TILE);
        }
    t.keys = t.packed;
    store_keys(&t, &a->dk, buffers[K_ATTENTION_DK], head, a->d, (float)a->scale, own->dk);
    store_keys(&t, &a->dv_to, buffers[K_ATTENTION_DV], head, a->dv, 1, own->dv);
}

k_fn K_SYMBOL(attention_grad);

void K_SYMBOL(attention_grad)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_attention *a = parameters;
    const int64_t heads = a->heads / a->group, tile = a->d * K_ATTENTION_TILE;
    struct gradient own;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const struct place place = place_of(a, K_ATTENTION_CHUNK, heads, item);
        const struct k_attention_sequence *s = place.s;
        float *parts = (float *)buffers[K_ATTENTION_PARTS] + place.unit * a->tiles * tile;
        const int64_t blocks = k_attention_blocks(a, s->keys);
        const int64_t chunks = k_attention_chunks(a, s->keys);
        const int64_t first = tile_number(a, s, place.head * a->group, 0);
        const int64_t behind = tile_number(a, s, (place.head + 1) * a->group, 0);
        memset(parts + first * tile, 0, (size_t)((behind - first) * tile) * sizeof *parts);
        for (int64_t block = place.unit * blocks / chunks;
             block < (place.unit + 1) * blocks / chunks; block++) {
            struct meeting t = {.a = a, .s = s, .key = block * a->keys};
            t.keys = t.packed = gemm_min(s->keys - t.key, a->keys);
            run_block(t, place.head, parts, buffers, &own);
        }
    }
}

/* ---- sinks ---- */

k_fn K_SYMBOL(attention_sink_grad);

void K_SYMBOL(attention_sink_grad)(const void *parameters, void *const buffers[],
                                   struct k_slice slice)
{
    const struct k_attention *a = parameters;
    for (int64_t head = slice.begin; head < slice.end; head++) {
        const float sink = ((const float *)buffers[K_ATTENTION_SINK])[head];
        double sum = 0;
        for (int64_t k = 0; k < a->sequences; k++) {
            const struct k_attention_sequence *s = &a->sequence[k];
            for (int64_t i = 0; i < s->queries && s->keys > 0; i++) {
                const int64_t number = tile_number(a, s, head, i / K_ATTENTION_TILE);
                const float *m = (const float *)buffers[K_ATTENTION_ROWS] + number * ROWS_FLOATS +
                                 i % K_ATTENTION_TILE;
                sum -= exp((double)sink - m[0]) * m[K_ATTENTION_TILE] * m[2 * K_ATTENTION_TILE];
            }
        }
        ((float *)buffers[K_ATTENTION_DSINK])[head] = (float)sum;
    }
}

/* ---- parts of dq ---- */

k_fn K_SYMBOL(attention_query_grad);

void K_SYMBOL(attention_query_grad)(const void *parameters, void *const buffers[],
                                    struct k_slice slice)
{
    const struct k_attention *a = parameters;
    const int64_t tile = a->d * K_ATTENTION_TILE, size = k_size(a->dtype);
    float factors[K_ATTENTION_TILE], sums[K_ATTENTION_HEAD * GEMM_COLUMNS];
    for (int i = 0; i < K_ATTENTION_TILE; i++)
        factors[i] = (float)a->scale;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const struct place place = place_of(a, K_ATTENTION_TILES, a->heads, item);
        const struct k_attention_sequence *s = place.s;
        const int64_t number = tile_number(a, s, place.head, place.unit);
        for (int64_t query = place.unit * K_ATTENTION_TILE, first = 0;
             first < K_ATTENTION_TILE && query + first < s->queries; first += GEMM_COLUMNS) {
            const float *part =
                (const float *)buffers[K_ATTENTION_PARTS] + number * tile + first * a->d;
            memset(sums, 0, (size_t)(a->d * GEMM_COLUMNS) * sizeof *sums);
            for (int64_t k = 0; k < k_attention_chunks(a, s->keys); k++, part += a->tiles * tile)
                for (int64_t i = 0; i < a->d * GEMM_COLUMNS; i += VL)
                    v_store(sums + i, v_load(sums + i) + v_load(part + i));
            store_rows(a->dtype, sums, factors, gemm_min(s->queries - query - first, GEMM_COLUMNS),
                       a->d,
                       row_of(&a->dq, buffers[K_ATTENTION_DQ], size, s->batch, place.head,
                              s->query + query + first),
                       &a->dq, NULL);
        }
    }
}
