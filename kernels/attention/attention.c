/* SPDX-License-Identifier: Apache-2.0 */
/* Attention by blocks of keys: maxima, sums and outputs of some queries grow with each block. */
#include "kernels/attention/few_queries.h"
#include "kernels/attention/grad.h"

struct forward {
    _Alignas(64) float queries[K_ATTENTION_ROPE_FLOATS +
                               16 * K_ATTENTION_QUERIES]; /* tiles [d][query] */
    _Alignas(64) float outputs[K_ATTENTION_FLOATS + 16 * K_ATTENTION_QUERIES]; /* tiles [dv][] */
    _Alignas(64) float keys[K_ATTENTION_ROPE_SUMS + PACK_SLACK];               /* panels [d][key] */
    _Alignas(64) float values[K_ATTENTION_SUMS + PACK_SLACK]; /* panels [key][dv] */
    union {
        struct {
            _Alignas(64) float scores[LARGEST];
            struct beside beside;
        };
        float rows[K_ATTENTION_SUMS]; /* of quantised keys, packed before there are scores */
    };
    struct quantised_factors whole;
    float m[K_ATTENTION_QUERIES], l[K_ATTENTION_QUERIES];
};

/* Scores become weights; outputs and sums so far are scaled to the new maximum. */
static __attribute__((noinline)) void grow(const struct meeting *t, struct forward *own,
                                           int64_t first, float *outputs)
{
    for (int64_t query = 0; query < t->queries; query += VL) {
        float *weight = own->scores + query;
        const vf before = v_load(own->m + first + query);
        vf m = before, sum = {0};
        for (int64_t key = 0; key < t->keys; key++) {
            const vf s = v_load(weight + key * GEMM_COLUMNS);
            m = v_if(v_less(m, s), s, m);
        }
        const vf from = v_if(v_equal(m, v_all(-INFINITY)), (vf){0}, m);
        for (int64_t key = 0; key < t->keys; key++) {
            const vf e = v_exp_single(v_load(weight + key * GEMM_COLUMNS) - from);
            v_store(weight + key * GEMM_COLUMNS, e);
            sum += e;
        }
        const vf factor = v_exp_single(before - from);
        v_store(own->m + first + query, m);
        v_store(own->l + first + query, v_load(own->l + first + query) * factor + sum);
        for (int64_t i = 0; outputs && i < t->a->dv; i++) {
            float *at = outputs + i * GEMM_COLUMNS + query;
            v_store(at, v_load(at) * factor);
        }
    }
}

static void meet(const struct meeting *t, void *const buffers[], struct forward *own, int64_t first)
{
    const struct k_attention *a = t->a;
    const int64_t vectors = vectors_of(t->queries);
    float *outputs = own->outputs + first * padded(a->dv);
    bool is_first = true;
    for (int64_t i = 0; i < t->queries; i++)
        is_first = is_first && own->l[first + i] == 0;
    multiply_panels(t->keys, a->row, vectors, own->keys, padded(a->row),
                    own->queries + first * padded(a->row), own->scores, false);
    finish_scores(t, buffers, &own->beside, own->scores);
    grow(t, own, first, is_first ? NULL : outputs);
    if (a->rounds)
        round_rows(buffers[K_ATTENTION_WEIGHT_SCALE], t->keys, t->queries, own->scores,
                   GEMM_COLUMNS);
    if (a->keep != 1) {
        find_kept(t, buffers[K_ATTENTION_DROP], own->beside.flags);
        keep_weights(t, own->beside.flags, own->scores);
    }
    multiply_panels(a->dv, t->keys, vectors, own->values, padded(t->packed), own->scores, outputs,
                    !is_first);
}

/* Panels of keys one by one, so that the second part of each stands behind the first one. */
static void pack_with_rope(const struct meeting *t, const struct key_rows *k, void *const buffers[],
                           float *to)
{
    const struct k_attention *a = t->a;
    const struct key_rows rope = key_rows(t, ROPE_ROWS, buffers, NULL, 0);
    const int64_t size = k_size(a->dtype);
    for (int64_t first = 0; first < t->keys; first += K_GEMM_PANEL) {
        const int64_t rows = gemm_min(t->keys - first, K_GEMM_PANEL);
        float *panel = to + first * padded(a->row);
        panels_of_rows(k->dtype, &k->side, v_address(k->at, size * first * k->side.row), rows, a->d,
                       panel);
        panels_of_rows(rope.dtype, &rope.side, v_address(rope.at, size * first * rope.side.row),
                       rows, a->rope, panel + a->d * K_GEMM_PANEL);
    }
}

static void pack_keys(const struct meeting *t, void *const buffers[], struct forward *own)
{
    const struct k_attention *a = t->a;
    const struct key_rows k = key_rows(t, KEY_ROWS, buffers, own->rows, padded(a->d));
    if (a->rope > 0)
        pack_with_rope(t, &k, buffers, own->keys);
    else
        panels_of_rows(k.dtype, &k.side, k.at, t->keys, a->d, own->keys);
    const struct key_rows v = key_rows(t, VALUE_ROWS, buffers, own->rows, padded(a->dv));
    panels_of_columns(v.dtype, &v.side, v.at, t->keys, a->dv, own->values);
}

static void pack_tile_of_queries(const struct meeting *t, void *const buffers[], float *to)
{
    const struct k_attention *a = t->a;
    const int64_t size = k_size(a->dtype), row = t->s->query + t->query;
    tile_of_rows(a->dtype, &a->q,
                 row_of(&a->q, buffers[K_ATTENTION_Q], size, t->s->batch, t->head, row), t->queries,
                 a->d, to);
    if (a->rope > 0)
        tile_of_rows(
            a->dtype, &a->q_rope,
            row_of(&a->q_rope, buffers[K_ATTENTION_Q_ROPE], size, t->s->batch, t->head, row),
            t->queries, a->rope, to + a->d * GEMM_COLUMNS);
}

static void finish(const struct meeting *t, void *const buffers[], struct forward *own,
                   int64_t first)
{
    const struct k_attention *a = t->a;
    float *l = own->l + first;
    const struct quantised_factors *whole = whole_of(t, buffers, &own->whole);
    if (a->stats != K_ATTENTION_NO_STATS) tell_stats(t, buffers, own->m + first, l);
    for (int64_t i = 0; i < t->queries; i++)
        l[i] = l[i] == 0 ? 0 : 1 / l[i];
    store_rows(a->dtype, own->outputs + first * padded(a->dv), l, t->queries, a->dv,
               row_of(&a->out, buffers[K_ATTENTION_OUT], whole ? 1 : k_size(a->dtype), t->s->batch,
                      t->head, t->s->query + t->query),
               &a->out, whole);
}

/* Columns from `first` on are queries of one of the item's heads; false: they are none. */
static bool is_part(const struct meeting *all, int64_t first, struct meeting *part)
{
    *part = *all;
    part->head += first / all->a->block;
    part->query += first % all->a->block;
    part->queries = gemm_min(all->queries - first % all->a->block, GEMM_COLUMNS);
    return part->queries > 0;
}

/* A sink is the first score. */
static void begin_with_sinks(const struct meeting *all, void *const buffers[], struct forward *own)
{
    const struct k_attention *a = all->a;
    const int64_t columns = a->together * a->block;
    const float *sinks = (const float *)buffers[K_ATTENTION_SINK] + all->head;
    for (int64_t i = 0; i < columns; i++) {
        own->m[i] = sinks[i / a->block];
        own->l[i] = own->m[i] == -INFINITY ? 0 : 1;
    }
    memset(own->outputs, 0, (size_t)(columns * padded(a->dv)) * sizeof *own->outputs);
}

static void run_item(const struct k_attention *a, void *const buffers[], struct place place,
                     struct forward *own)
{
    const struct k_attention_sequence padded_one = padded_sequence(a, buffers, place.s);
    const struct k_attention_sequence *s = &padded_one;
    const int64_t query = place.unit * a->block, columns = a->together * a->block;
    struct meeting part, all = {.a = a, .s = s, .head = place.head * a->together, .query = query};
    all.queries = gemm_min(s->queries - query, a->block);
    for (int64_t i = 0; i < columns; i++) {
        own->m[i] = -INFINITY;
        own->l[i] = 0;
    }
    if (a->has_sink && s->keys > 0) begin_with_sinks(&all, buffers, own);
    for (int64_t first = 0; first < columns; first += GEMM_COLUMNS)
        if (is_part(&all, first, &part))
            pack_tile_of_queries(&part, buffers, own->queries + first * padded(a->row));
    for (; all.key < s->keys; all.key += all.packed) {
        all.keys = all.packed = keys_of_block(&all, a->keys);
        if (!sees_some(&all)) continue;
        pack_keys(&all, buffers, own);
        for (int64_t first = 0; first < columns; first += GEMM_COLUMNS) {
            if (!is_part(&all, first, &part) || !sees_some(&part)) continue;
            leave_hidden(&part);
            meet(&part, buffers, own, first);
        }
    }
    for (int64_t first = 0; first < columns; first += GEMM_COLUMNS)
        if (is_part(&all, first, &part)) finish(&part, buffers, own, first);
}

k_fn K_SYMBOL(attention_few_queries), K_SYMBOL(attention_tiles);

void K_SYMBOL(attention_few_queries)(const void *parameters, void *const buffers[],
                                     struct k_slice slice)
{
    const struct k_attention *a = parameters;
    struct few_queries own;
    for (int64_t i = slice.begin; i < slice.end; i++)
        run_few_queries(a, buffers, place_of(a, K_ATTENTION_BLOCK, a->heads / a->together, i),
                        &own);
}

void K_SYMBOL(attention_tiles)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_attention *a = parameters;
    struct forward own;
    for (int64_t i = slice.begin; i < slice.end; i++)
        run_item(a, buffers, place_of(a, K_ATTENTION_BLOCK, a->heads / a->together, i), &own);
}
