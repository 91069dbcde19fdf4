/* SPDX-License-Identifier: Apache-2.0 */
/* Attention by blocks of keys: maxima, sums and outputs of some queries grow with each block. */
#include "kernels/attention/grad.h"
#include "kernels/attention/one_query.h"

struct forward {
    _Alignas(
        64) float queries[K_ATTENTION_FLOATS + 16 * K_ATTENTION_QUERIES]; /* tiles [d][query] */
    _Alignas(64) float outputs[K_ATTENTION_FLOATS + 16 * K_ATTENTION_QUERIES]; /* tiles [dv][] */
    _Alignas(64) float keys[K_ATTENTION_SUMS + PACK_SLACK];                    /* panels [d][key] */
    _Alignas(64) float values[K_ATTENTION_SUMS + PACK_SLACK]; /* panels [key][dv] */
    _Alignas(64) float scores[LARGEST];
    struct beside beside;
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
    multiply_panels(t->keys, a->d, vectors, own->keys, padded(a->d),
                    own->queries + first * padded(a->d), own->scores, false);
    finish_scores(t, buffers, &own->beside, own->scores);
    grow(t, own, first, is_first ? NULL : outputs);
    if (a->keep != 1) {
        find_kept(t, buffers[K_ATTENTION_DROP], own->beside.flags);
        keep_weights(t, own->beside.flags, own->scores);
    }
    multiply_panels(a->dv, t->keys, vectors, own->values, padded(t->packed), own->scores, outputs,
                    !is_first);
}

static void pack_keys(const struct meeting *t, void *const buffers[], struct forward *own)
{
    const struct k_attention *a = t->a;
    const int64_t head = t->head / a->group, row = t->s->key + t->key, size = k_size(a->dtype);
    panels_of_rows(a->dtype, &a->k,
                   row_of(&a->k, buffers[K_ATTENTION_K], size, t->s->batch, head, row), t->keys,
                   a->d, own->keys);
    panels_of_columns(a->dtype, &a->v,
                      row_of(&a->v, buffers[K_ATTENTION_V], size, t->s->batch, head, row), t->keys,
                      a->dv, own->values);
}

static void finish(const struct meeting *t, void *const buffers[], struct forward *own,
                   int64_t first)
{
    const struct k_attention *a = t->a;
    float *l = own->l + first;
    if (a->stats != K_ATTENTION_NO_STATS) tell_stats(t, buffers, own->m + first, l);
    for (int64_t i = 0; i < t->queries; i++)
        l[i] = l[i] == 0 ? 0 : 1 / l[i];
    store_rows(a->dtype, own->outputs + first * padded(a->dv), l, t->queries, a->dv,
               (char *)(uintptr_t)row_of(&a->out, buffers[K_ATTENTION_OUT], k_size(a->dtype),
                                         t->s->batch, t->head, t->s->query + t->query),
               &a->out);
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
    const struct k_attention_sequence *s = place.s;
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
            tile_of_rows(a->dtype, &a->q,
                         row_of(&a->q, buffers[K_ATTENTION_Q], k_size(a->dtype), s->batch,
                                part.head, s->query + part.query),
                         part.queries, a->d, own->queries + first * padded(a->d));
    for (; all.key < s->keys; all.key += a->keys) {
        all.keys = all.packed = gemm_min(s->keys - all.key, a->keys);
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

k_fn K_SYMBOL(attention);

void K_SYMBOL(attention)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_attention *a = parameters;
    union {
        struct forward many;
        struct one_query one;
    } own;
    for (int64_t i = slice.begin; i < slice.end; i++)
        if (a->is_one_query)
            run_one_query(a, buffers, place_of(a, K_ATTENTION_BLOCK, a->heads, i), &own.one);
        else
            run_item(a, buffers, place_of(a, K_ATTENTION_BLOCK, a->heads / a->together, i),
                     &own.many);
}
