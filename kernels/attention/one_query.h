/* SPDX-License-Identifier: Apache-2.0 */
/* Heads of one query, as where text is generated. Their keys are read once, so nothing is packed:
 * VL keys at a time become scores, a block of keys grows the output. */
#ifndef ACLNN_CPU_KERNELS_ATTENTION_ONE_QUERY_H
#define ACLNN_CPU_KERNELS_ATTENTION_ONE_QUERY_H

#include "kernels/vector/row_products.h"

enum {
    ONE_KEYS = 64, /* of a block */
    ONE_ROW = K_ATTENTION_HEAD + ROW_LANES,
    ONE_QUERY = K_ATTENTION_HEAD + K_ATTENTION_ROPE + 2 * ROW_LANES,
};

/* query: its second part at padded(d). */
struct one_head {
    _Alignas(64) float query[ONE_QUERY], outputs[ONE_ROW];
    _Alignas(64) float scores[ONE_KEYS + ROW_LANES], beside[ONE_KEYS + ROW_LANES];
    float m, l, factor;
};

struct one_query {
    struct one_head heads[K_ATTENTION_ONE_HEADS];
    _Alignas(64) float rows[ONE_KEYS * ONE_ROW]; /* keys or values that are not read as they lie */
    struct quantised_factors whole;
};

static void make_bias_row(const struct meeting *t, const void *slopes, float *to)
{
    const struct k_attention *a = t->a;
    float slope;
    memcpy(&slope, row_of(&a->bias_at, slopes, 4, t->s->batch, t->head, 0), sizeof slope);
    for (int64_t i = 0; i < t->keys; i++) {
        const float apart = fabsf((float)(a->shift + (double)(t->key + i - t->query)));
        to[i] = (a->bias == K_ATTENTION_ROOT ? sqrtf(apart) : apart) * -slope;
    }
}

/* Products become scores, -infinity where a key is not visible and behind the last one. */
static void finish_row(const struct meeting *t, void *const buffers[], struct one_head *own)
{
    const struct k_attention *a = t->a;
    const struct k_attention_side *bias = &a->bias_at;
    const float scale = (float)a->scale;
    float *scores = own->scores;
    if (a->bias == K_ATTENTION_AFTER || a->bias == K_ATTENTION_BEFORE)
        widen(a->bias_type, pairs_of(t, bias, buffers[K_ATTENTION_BIAS], k_size(a->bias_type)),
              bias->column, t->keys, own->beside);
    else if (a->bias != K_ATTENTION_NONE)
        make_bias_row(t, buffers[K_ATTENTION_BIAS], own->beside);
    for (int64_t i = 0; i < t->keys; i += VL) {
        vf s = v_load(scores + i);
        if (a->bias == K_ATTENTION_NONE)
            s *= scale;
        else if (a->bias == K_ATTENTION_BEFORE)
            s = (s + v_load(own->beside + i)) * scale;
        else
            s = s * scale + v_load(own->beside + i);
        v_store(scores + i, s);
    }
    if (a->has_mask) {
        const char *masked = pairs_of(t, &a->mask, buffers[K_ATTENTION_MASK], 1);
        for (int64_t i = 0; i < t->keys; i++)
            if (*v_address(masked, i * a->mask.column) != 0) scores[i] = -INFINITY;
    }
    for (int64_t i = 0; i < t->keys && !sees_all(t); i++) {
        const int64_t key = t->key + i, from = key - t->query;
        const bool is_near = from >= t->s->low && from <= t->s->high;
        if (key >= t->s->prefix && !is_near) scores[i] = -INFINITY;
    }
    for (int64_t i = t->keys; i % VL != 0; i++)
        scores[i] = -INFINITY;
}

/* Scores become weights; returns the factor of outputs so far. */
static float grow_row(struct one_head *own, int64_t keys)
{
    vf most = v_all(own->m), sum[ROW_PARTS] = {{0}};
    float lanes[VL], m = own->m;
    for (int64_t i = 0; i < keys; i += VL) {
        const vf s = v_load(own->scores + i);
        most = v_if(v_less(most, s), s, most);
    }
    v_store(lanes, most);
    for (int i = 0; i < VL; i++)
        m = m < lanes[i] ? lanes[i] : m;
    const float from = m == -INFINITY ? 0 : m;
    for (int64_t i = 0; i < keys; i += VL) {
        const vf e = v_exp_single(v_load(own->scores + i) - from);
        v_store(own->scores + i, e);
        sum[i / VL % ROW_PARTS] += e;
    }
    const float factor = v_exp_single(v_all(own->m - from))[0];
    v_store(lanes, row_join(sum));
    for (int step = VL / 2; step > 0; step /= 2)
        for (int i = 0; i < step; i++)
            lanes[i] += lanes[i + step];
    own->m = m;
    own->l = own->l * factor + lanes[0];
    return factor;
}

/* A query that sees nothing has a maximum and a sum of their own; without keys both are 0. */
static void tell_stats(const struct meeting *t, void *const buffers[], const float *m,
                       const float *l)
{
    int64_t step;
    const bool has_keys = t->s->keys > 0;
    const int64_t at = stat_of(t->a, t->s, t->head, t->query, &step);
    float *maxima = (float *)buffers[K_ATTENTION_MAX] + at;
    float *sums = (float *)buffers[K_ATTENTION_SUM] + at;
    for (int64_t i = 0; i < t->queries; i++) {
        const bool is_blind = l[i] == 0;
        if (t->a->stats == K_ATTENTION_LOG) {
            maxima[i * step] = is_blind ? -INFINITY : m[i] + logf(l[i]);
            continue;
        }
        for (int k = 0; k < K_ATTENTION_STATS; k++) {
            maxima[i * step + k] = !is_blind ? m[i] : has_keys ? -FLT_MAX : 0;
            sums[i * step + k] = !is_blind ? l[i] : has_keys ? FLT_MAX : 0;
        }
    }
}

/* Bytes from row to row. */
static int64_t apart_of(const struct key_rows *rows)
{
    return rows->side.row * k_size(rows->dtype);
}

/* The keys of a meeting with columns side by side; as floats in own->rows where they are not. */
static struct key_rows rows_of(const struct meeting *t, enum key_part part, void *const buffers[],
                               int64_t columns, struct one_query *own)
{
    const struct key_rows rows = key_rows(t, part, buffers, own->rows, ONE_ROW);
    if (rows.side.column == 1) return rows;
    for (int64_t i = 0; i < t->keys; i++)
        widen(rows.dtype, v_address(rows.at, i * apart_of(&rows)), rows.side.column, columns,
              own->rows + i * ONE_ROW);
    return (struct key_rows){K_F32, {.row = ONE_ROW, .column = 1}, (const char *)own->rows};
}

/* All heads of an item meet the same keys. */
static void meet_one(const struct meeting *all, void *const buffers[], struct one_query *own)
{
    const struct k_attention *a = all->a;
    const struct key_rows k = rows_of(all, KEY_ROWS, buffers, a->d, own);
    for (int64_t i = 0; i < a->together; i++)
        row_dots(k.dtype, own->heads[i].query, a->d, k.at, apart_of(&k), all->keys,
                 own->heads[i].scores);
    if (a->rope > 0) {
        const struct key_rows rope = rows_of(all, ROPE_ROWS, buffers, a->rope, own);
        for (int64_t i = 0; i < a->together; i++) {
            struct one_head *h = &own->heads[i];
            row_dots(rope.dtype, h->query + padded(a->d), a->rope, rope.at, apart_of(&rope),
                     all->keys, h->beside);
            for (int64_t key = 0; key < all->keys; key += VL)
                v_store(h->scores + key, v_load(h->scores + key) + v_load(h->beside + key));
        }
    }
    for (int64_t i = 0; i < a->together; i++) {
        struct one_head *h = &own->heads[i];
        struct meeting t = *all;
        t.head += i;
        finish_row(&t, buffers, h);
        if (h->l == 0) memset(h->outputs, 0, sizeof h->outputs); /* NaN of hidden values */
        h->factor = grow_row(h, t.keys);
        if (a->rounds)
            round_rows(buffers[K_ATTENTION_WEIGHT_SCALE], 1, t.keys, h->scores, ROW_LANES);
    }
    const struct key_rows v = rows_of(all, VALUE_ROWS, buffers, a->dv, own);
    for (int64_t i = 0; i < a->together; i++) {
        struct one_head *h = &own->heads[i];
        row_sums(v.dtype, h->scores, h->factor, v.at, apart_of(&v), all->keys, a->dv, h->outputs);
    }
}

static void begin_head(const struct meeting *t, void *const buffers[], struct one_head *own)
{
    const struct k_attention *a = t->a;
    const struct k_attention_sequence *s = t->s;
    const int64_t size = k_size(a->dtype);
    own->m = -INFINITY;
    own->l = 0;
    memset(own->outputs, 0, sizeof own->outputs);
    if (a->has_sink && s->keys > 0) {
        own->m = ((const float *)buffers[K_ATTENTION_SINK])[t->head];
        own->l = own->m == -INFINITY ? 0 : 1;
    }
    widen(a->dtype, row_of(&a->q, buffers[K_ATTENTION_Q], size, s->batch, t->head, s->query),
          a->q.column, a->d, own->query);
    if (a->rope > 0)
        widen(a->dtype,
              row_of(&a->q_rope, buffers[K_ATTENTION_Q_ROPE], size, s->batch, t->head, s->query),
              a->q_rope.column, a->rope, own->query + padded(a->d));
}

static void end_head(const struct meeting *t, void *const buffers[], struct one_head *own,
                     struct quantised_factors *room)
{
    const struct k_attention *a = t->a;
    const struct quantised_factors *whole = whole_of(t, buffers, room);
    if (a->stats != K_ATTENTION_NO_STATS) tell_stats(t, buffers, &own->m, &own->l);
    for (int64_t i = 0; i < a->dv; i++)
        own->outputs[i] = own->l == 0 ? 0 : own->outputs[i] * (1 / own->l);
    store_row(a->dtype, whole, own->outputs, a->dv,
              row_of(&a->out, buffers[K_ATTENTION_OUT], whole ? 1 : k_size(a->dtype), t->s->batch,
                     t->head, t->s->query),
              a->out.column);
}

static void run_one_query(const struct k_attention *a, void *const buffers[], struct place place,
                          struct one_query *own)
{
    const struct k_attention_sequence s = padded_sequence(a, buffers, place.s);
    const int64_t head = place.head * a->together;
    struct meeting t = {.a = a, .s = &s, .queries = 1};
    for (t.head = head; t.head < head + a->together; t.head++)
        begin_head(&t, buffers, &own->heads[t.head - head]);
    t.head = head;
    for (; t.key < s.keys; t.key += t.packed) {
        t.keys = t.packed = keys_of_block(&t, ONE_KEYS);
        if (!sees_some(&t)) continue;
        leave_hidden(&t);
        meet_one(&t, buffers, own);
    }
    for (; t.head < head + a->together; t.head++)
        end_head(&t, buffers, &own->heads[t.head - head], &own->whole);
}

#endif
