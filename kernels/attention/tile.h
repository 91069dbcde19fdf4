/* SPDX-License-Identifier: Apache-2.0 */
/* Queries and keys that meet. Matrices of weights are stored by keys, [key][query], tiles of
 * GEMM_COLUMNS queries: so maxima and sums run along vectors, and what comes out of one product is
 * packed for the next one. */
#ifndef ACLNN_CPU_KERNELS_ATTENTION_TILE_H
#define ACLNN_CPU_KERNELS_ATTENTION_TILE_H

#include "kernels/attention/k_attention.h"
#include "kernels/cache/quantised_rows.h"
#include "kernels/gemm/gemm_item.h"
#include "kernels/gemm/gemm_pack.h"
#include "kernels/gemm/gemm_panel.h"
#include "kernels/vector/flags.h"
#include "kernels/vector/math_single.h"

enum {
    SUBTILES = K_ATTENTION_TILE / GEMM_COLUMNS,
    LARGEST = K_ATTENTION_KEYS * GEMM_COLUMNS, /* floats of a matrix of weights */
};

/* Some queries of one head, at most GEMM_COLUMNS, and some keys, the first of a block of so many
 * that are packed. */
struct meeting {
    const struct k_attention *a;
    const struct k_attention_sequence *s;
    int64_t head, query, queries, key, keys, packed;
};

/* ---- where things are ---- */

/* Of an item: its sequence, head (of queries, or of keys) and which of the units. */
struct place {
    const struct k_attention_sequence *s;
    int64_t head, unit;
};

static struct place place_of(const struct k_attention *a, enum k_attention_unit unit, int64_t heads,
                             int64_t item)
{
    int64_t first = 0, behind = a->sequences;
    const int64_t one = item / heads; /* before[] counts for one head */
    while (behind - first > 1) {
        const int64_t middle = (first + behind) / 2;
        if (a->sequence[middle].before[unit] <= one)
            first = middle;
        else
            behind = middle;
    }
    const struct k_attention_sequence *s = &a->sequence[first];
    int64_t count = k_attention_chunks(a, s->keys);
    if (unit != K_ATTENTION_CHUNK) {
        const int64_t each = unit == K_ATTENTION_BLOCK ? a->block : K_ATTENTION_TILE;
        count = (s->queries + each - 1) / each;
    }
    item -= s->before[unit] * heads;
    return (struct place){s, item / count, item % count};
}

/* The number of a tile of all heads. */
static int64_t tile_number(const struct k_attention *a, const struct k_attention_sequence *s,
                           int64_t head, int64_t tile)
{
    const int64_t count = (s->queries + K_ATTENTION_TILE - 1) / K_ATTENTION_TILE;
    return s->before[K_ATTENTION_TILES] * a->heads + head * count + tile;
}

static const char *row_of(const struct k_attention_side *side, const void *buffer, int64_t size,
                          int64_t batch, int64_t head, int64_t row)
{
    return v_address(buffer, size * (batch * side->batch + head * side->head + row * side->row));
}

/* A mask's or a bias's element of the first query and key. */
static const char *pairs_of(const struct meeting *m, const struct k_attention_side *side,
                            const void *buffer, int64_t size)
{
    const char *row =
        row_of(side, buffer, size, m->s->batch, m->head, m->query + m->s->query_shift);
    return v_address(row, size * (m->key + m->s->key_shift) * side->column);
}

/* The place of the first statistic of a query, and how far that of the next one is. */
static int64_t stat_of(const struct k_attention *a, const struct k_attention_sequence *s,
                       int64_t head, int64_t query, int64_t *step)
{
    const int64_t each = a->stats == K_ATTENTION_LOG ? 1 : K_ATTENTION_STATS;
    const int64_t rows = a->stat_rows > 0 ? a->stat_rows : s->queries;
    query += s->query_shift;
    *step = (a->is_by_rows ? a->heads : 1) * each;
    return (s->stats + (a->is_by_rows ? query * a->heads + head : head * rows + query)) * each;
}

/* Elements of a row, up to whole vectors of any level. */
static int64_t padded(int64_t count)
{
    return (count + 15) & ~INT64_C(15);
}

static int64_t vectors_of(int64_t count)
{
    return gemm_min((count + VL - 1) / VL, GEMM_WIDTH);
}

/* ---- keys and values ---- */

enum key_part { KEY_ROWS, VALUE_ROWS, ROPE_ROWS };

/* Rows as they lie, or as floats. */
struct key_rows {
    enum k_dtype dtype;
    struct k_attention_side side;
    const char *at;
};

/* The keys of a meeting, all of them shared or none. Quantised ones become room[row * apart]. */
static struct key_rows key_rows(const struct meeting *t, enum key_part part, void *const buffers[],
                                float *room, int64_t apart)
{
    const struct k_attention *a = t->a;
    const bool is_shared = t->key < a->shared, is_key = part == KEY_ROWS;
    const struct k_attention_side *own[] = {&a->k, &a->v, &a->k_rope};
    const struct k_attention_side *shared[] = {&a->shared_k, &a->shared_v};
    const struct k_attention_side *side = is_shared ? shared[part] : own[part];
    static const int places[] = {K_ATTENTION_K, K_ATTENTION_V, K_ATTENTION_K_ROPE};
    const int place = is_shared ? K_ATTENTION_SHARED_K + (int)part : places[part];
    const int64_t row = is_shared ? t->key : t->s->key + t->key - a->shared;
    const int64_t batch = is_shared ? 0 : t->s->batch, head = t->head / a->group;
    if (!a->k_as.is_there || part == ROPE_ROWS)
        return (struct key_rows){a->dtype, *side,
                                 row_of(side, buffers[place], k_size(a->dtype), batch, head, row)};
    const struct k_quantised *q = is_key ? &a->k_as : &a->v_as;
    const int factors = is_key ? K_ATTENTION_K_SCALE : K_ATTENTION_V_SCALE;
    const int64_t at = batch * side->batch + head * side->head + row * side->row;
    const int64_t first = t->key + t->s->key_shift;
    read_quantised(q,
                   &(struct quantised_at){
                       v_address(buffers[place], q->is_four ? at / 2 : at), side->row, side->column,
                       factor_at(&q->scale, buffers[factors], t->s->batch, head, first),
                       factor_at(&q->offset, buffers[factors + 1], t->s->batch, head, first)},
                   t->keys, is_key ? a->d : a->dv, room, apart);
    return (struct key_rows){K_F32, {.row = apart, .column = 1}, (const char *)room};
}

/* Keys of the next block: shared ones and others are never in the same. */
static int64_t keys_of_block(const struct meeting *t, int64_t most)
{
    return gemm_min((t->key < t->a->shared ? t->a->shared : t->s->keys) - t->key, most);
}

/* Rows before a sequence that stands at the end of `rows`, but for as many as `padding` says. */
static int64_t rows_before(const void *padding, int64_t rows)
{
    int64_t behind;
    memcpy(&behind, padding, sizeof behind);
    return behind > 0 ? rows - behind : rows;
}

/* The sequence where it stands. */
static struct k_attention_sequence padded_sequence(const struct k_attention *a,
                                                   void *const buffers[],
                                                   const struct k_attention_sequence *s)
{
    struct k_attention_sequence own = *s;
    if (a->pads_queries)
        own.query_shift = rows_before(buffers[K_ATTENTION_Q_PADDING], a->query_rows - s->queries);
    if (a->pads_keys)
        own.key_shift = rows_before(buffers[K_ATTENTION_K_PADDING], a->key_rows - s->keys);
    if (own.key_shift < 0 && a->query_rows == 1) own.keys = 0;
    own.query_shift = own.query_shift > 0 ? own.query_shift : 0;
    own.key_shift = own.key_shift > 0 ? own.key_shift : 0;
    own.query += own.query_shift;
    own.key += own.key_shift;
    return own;
}

/* ---- packing ---- */

static __attribute__((noinline)) void pack_tile(enum k_dtype dt, const struct gemm_strip *strip,
                                                float *to)
{
    pack_strip(dt, false, GEMM_COLUMNS, strip, to);
}

static __attribute__((noinline)) void pack_panel(enum k_dtype dt, const struct gemm_strip *strip,
                                                 float *to)
{
    pack_strip(dt, false, K_GEMM_PANEL, strip, to);
}

/* Rows as lanes of a tile: to[column][row], up to GEMM_COLUMNS of them. */
static void tile_of_rows(enum k_dtype dt, const struct k_attention_side *side, const char *from,
                         int64_t rows, int64_t columns, float *to)
{
    pack_tile(dt,
              &(struct gemm_strip){.from = from,
                                   .across = side->row,
                                   .along = side->column,
                                   .lanes = gemm_min(rows, GEMM_COLUMNS),
                                   .terms = columns},
              to);
}

/* Rows as terms: tiles of columns, to[tile][row][column], K_ATTENTION_TILE rows to a tile. */
static void tiles_of_columns(enum k_dtype dt, const struct k_attention_side *side, const char *from,
                             int64_t rows, int64_t columns, float *to)
{
    const struct k_attention_side turned = {.row = side->column, .column = side->row};
    for (int64_t first = 0; first < columns; first += GEMM_COLUMNS)
        tile_of_rows(dt, &turned, v_address(from, k_size(dt) * first * side->column),
                     columns - first, rows, to + first * K_ATTENTION_TILE);
}

/* Rows as lanes of panels: to[panel][column][row]. */
static void panels_of_rows(enum k_dtype dt, const struct k_attention_side *side, const char *from,
                           int64_t rows, int64_t columns, float *to)
{
    for (int64_t first = 0; first < rows; first += K_GEMM_PANEL)
        pack_panel(dt,
                   &(struct gemm_strip){.from = v_address(from, k_size(dt) * first * side->row),
                                        .across = side->row,
                                        .along = side->column,
                                        .lanes = gemm_min(rows - first, K_GEMM_PANEL),
                                        .terms = columns},
                   to + first * padded(columns));
}

/* Columns as lanes: to[panel][row][column]. */
static void panels_of_columns(enum k_dtype dt, const struct k_attention_side *side,
                              const char *from, int64_t rows, int64_t columns, float *to)
{
    const struct k_attention_side turned = {.row = side->column, .column = side->row};
    panels_of_rows(dt, &turned, from, columns, rows, to);
}

/* sums[row][] = or += panels times a tile, rows GEMM_COLUMNS apart. */
static void multiply_panels(int64_t rows, int64_t terms, int64_t vectors, const float *panels,
                            int64_t panel, const float *tile, float *sums, bool add)
{
    for (int64_t row = 0; row < rows; row += K_GEMM_PANEL)
        multiply_any(false, gemm_min(rows - row, K_GEMM_PANEL), vectors, panels + row * panel, tile,
                     terms, (struct gemm_sums){sums + row * GEMM_COLUMNS, GEMM_COLUMNS, add});
}

/* ---- what is visible ---- */

static bool sees_some(const struct meeting *m)
{
    const int64_t last_key = m->key + m->keys - 1, last_query = m->query + m->queries - 1;
    return m->key < m->s->prefix ||
           (last_key - m->query >= m->s->low && m->key - last_query <= m->s->high);
}

static bool sees_all(const struct meeting *m)
{
    const int64_t last_key = m->key + m->keys - 1, last_query = m->query + m->queries - 1;
    return last_key < m->s->prefix ||
           (m->key - last_query >= m->s->low && last_key - m->query <= m->s->high);
}

/* Leaves the keys behind the last one that some query sees. */
static void leave_hidden(struct meeting *m)
{
    const int64_t high = m->query + m->queries - 1 + m->s->high;
    const int64_t behind = (high < m->s->prefix ? m->s->prefix : high + 1) - m->key;
    m->keys = gemm_min(m->keys, behind);
}

static int32_t lane_limit(int64_t lane)
{
    return (int32_t)(lane < -1 ? -1 : lane > VL ? VL : lane);
}

/* The lanes, from that query on, that see the key. */
static vi seeing(const struct meeting *m, int64_t query, int64_t key)
{
    const vi lanes = v_lanes();
    if (key < m->s->prefix) return lanes >= 0;
    const int32_t first = lane_limit(key - query - m->s->high);
    const int32_t last = lane_limit(key - query - m->s->low);
    return (lanes >= first) & (lanes <= last);
}

/* ---- bytes and bits beside the weights ---- */

/* to[key][query]. Rows of bytes are `apart` bytes from each other, rows of bits as many bits. */
K_TEMPLATE
void turn_flags(bool is_bits, const struct meeting *m, const char *from, int64_t apart,
                int64_t step, int64_t begin, float *to)
{
    for (int64_t key = 0; key < m->keys; key += VL)
        for (int64_t query = 0; query < m->queries; query += VL) {
            const int64_t count = gemm_min(m->keys - key, VL);
            vf a[VL];
            for (int64_t i = 0; i < VL; i++) {
                const int64_t row = (query + i) * apart;
                a[i] = (vf){0};
                if (query + i >= m->queries) continue;
                a[i] = is_bits ? flags_of(true, from, 1, begin + row + key, count)
                               : flags_of(false, v_address(from, row), step, key, count);
            }
            v_transpose(a);
            for (int64_t i = 0; i < count; i++)
                v_store(to + (key + i) * GEMM_COLUMNS + query, a[i]);
        }
}

/* false: nothing is masked, and `to` is not written. */
static __attribute__((noinline)) bool find_masked(const struct meeting *m, const void *mask,
                                                  float *to)
{
    const struct k_attention_side *side = &m->a->mask;
    bool some = false;
    const char *from = pairs_of(m, side, mask, 1);
    for (int64_t i = 0; i < m->queries && !some; i++)
        some = is_any_set(v_address(from, i * side->row), side->column, m->keys);
    if (some) turn_flags(false, m, from, side->row, side->column, 0, to);
    return some;
}

/* Which weights are kept. */
static __attribute__((noinline)) void find_kept(const struct meeting *m, const void *drop,
                                                float *to)
{
    const int64_t row = m->head * m->s->queries + m->query;
    turn_flags(true, m, drop, m->s->keys, 1, m->s->weights + row * m->s->keys + m->key, to);
}

/* ---- scores ---- */

/* Room for what stands beside the scores. */
struct beside {
    _Alignas(64) float bias[LARGEST], flags[LARGEST];
};

static void read_bias(const struct meeting *m, const void *bias, float *to)
{
    const enum k_dtype dt = m->a->bias_type;
    const struct k_attention_side *side = &m->a->bias_at;
    tile_of_rows(dt, side, pairs_of(m, side, bias, k_size(dt)), m->queries, m->keys, to);
}

static void make_bias(const struct meeting *m, const void *slopes, float *to)
{
    const struct k_attention *a = m->a;
    float slope;
    memcpy(&slope, row_of(&a->bias_at, slopes, 4, m->s->batch, m->head, 0), sizeof slope);
    for (int64_t key = 0; key < m->keys; key++)
        for (int64_t query = 0; query < m->queries; query += VL) {
            const vf lanes = __builtin_convertvector(v_lanes(), vf);
            const double from = a->shift + (double)(m->key + key - m->query - query);
            vf apart = v_abs(v_all((float)from) - lanes);
            for (int i = 0; a->bias == K_ATTENTION_ROOT && i < VL; i++)
                apart[i] = sqrtf(apart[i]);
            v_store(to + key * GEMM_COLUMNS + query, apart * v_all(-slope));
        }
}

/* Products become scores, -infinity where a key is not visible. */
static __attribute__((noinline)) void finish_scores(const struct meeting *m, void *const buffers[],
                                                    struct beside *beside, float *scores)
{
    const struct k_attention *a = m->a;
    const vf scale = v_all((float)a->scale), hidden = v_all(-INFINITY);
    const bool is_masked = a->has_mask && find_masked(m, buffers[K_ATTENTION_MASK], beside->flags);
    const bool is_whole = sees_all(m);
    if (a->bias == K_ATTENTION_AFTER || a->bias == K_ATTENTION_BEFORE)
        read_bias(m, buffers[K_ATTENTION_BIAS], beside->bias);
    else if (a->bias != K_ATTENTION_NONE)
        make_bias(m, buffers[K_ATTENTION_BIAS], beside->bias);
    for (int64_t key = 0; key < m->keys; key++)
        for (int64_t query = 0; query < m->queries; query += VL) {
            const int64_t at = key * GEMM_COLUMNS + query;
            vf s = v_load(scores + at);
            if (a->bias == K_ATTENTION_NONE)
                s *= scale;
            else if (a->bias == K_ATTENTION_BEFORE)
                s = (s + v_load(beside->bias + at)) * scale;
            else
                s = s * scale + v_load(beside->bias + at);
            if (is_masked) {
                const vi masked = (vi)v_load(beside->flags + at) != 0;
                s = (vf)((masked & (vi)hidden) | (~masked & (vi)s));
            }
            if (!is_whole) {
                const vi visible = seeing(m, m->query + query, m->key + key);
                s = (vf)((visible & (vi)s) | (~visible & (vi)hidden));
            }
            v_store(scores + at, s);
        }
}

/* weights[key][query] /= keep, or 0 where they are dropped; flags: what find_kept found */
static void keep_weights(const struct meeting *m, const float *flags, float *weights)
{
    const vf scale = v_all((float)(1 / m->a->keep));
    for (int64_t key = 0; key < m->keys; key++)
        for (int64_t query = 0; query < m->queries; query += VL) {
            const int64_t at = key * GEMM_COLUMNS + query;
            const vi kept = (vi)v_load(flags + at) != 0;
            v_store(weights + at, (vf)(kept & (vi)(v_load(weights + at) * scale)));
        }
}

/* ---- results ---- */

/* Columns of a tile, times a factor for each, become rows of a tensor: sums[column][row]. whole:
 * NULL, or what makes them INT8. */
static __attribute__((noinline)) void store_rows(enum k_dtype dt, const float *sums,
                                                 const float *factors, int64_t rows,
                                                 int64_t columns, const char *to,
                                                 const struct k_attention_side *side,
                                                 const struct quantised_factors *whole)
{
    const int64_t size = whole ? 1 : k_size(dt);
    float turned[VL][K_ATTENTION_HEAD + 16];
    for (int64_t first = 0; first < rows; first += VL) {
        const vf factor = v_load(factors + first);
        for (int64_t column = 0; column < columns; column += VL) {
            vf a[VL];
            for (int64_t i = 0; i < VL; i++) {
                a[i] = (vf){0};
                if (column + i >= columns) continue;
                const vf value = v_load(sums + (column + i) * GEMM_COLUMNS + first) * factor;
                a[i] = v_if(v_equal(factor, (vf){0}), (vf){0}, value);
            }
            v_transpose(a);
            for (int64_t i = 0; i < VL; i++)
                v_store(turned[i] + column, a[i]);
        }
        for (int64_t i = 0; i < VL && first + i < rows; i++)
            store_row(dt, whole, turned[i], columns, v_address(to, size * (first + i) * side->row),
                      side->column);
    }
}

/* What makes a head's results INT8; NULL: nothing does. */
static const struct quantised_factors *whole_of(const struct meeting *m, void *const buffers[],
                                                struct quantised_factors *own)
{
    const struct k_quantised *q = &m->a->out_as;
    if (!q->is_there) return NULL;
    const struct quantised_at at = {
        .scale = factor_at(&q->scale, buffers[K_ATTENTION_OUT_SCALE], 0, m->head, 0),
        .offset = factor_at(&q->offset, buffers[K_ATTENTION_OUT_OFFSET], 0, m->head, 0)};
    read_factors(q, &at, 0, m->a->dv, true, own);
    return own;
}

#endif
