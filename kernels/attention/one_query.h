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

struct one_query {
    _Alignas(64) float query[ONE_QUERY], outputs[ONE_ROW]; /* query: its second part at padded(d) */
    _Alignas(64) float scores[ONE_KEYS + ROW_LANES], beside[ONE_KEYS + ROW_LANES];
    _Alignas(64) float rows[ONE_KEYS * ONE_ROW]; /* keys or values that are not contiguous */
    struct quantised_factors whole;
    float m, l;
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

static bool sees_key(const struct meeting *t, int64_t key)
{
    return key < t->s->prefix || (key - t->query >= t->s->low && key - t->query <= t->s->high);
}

/* Products become scores, -infinity where a key is not visible and behind the last one. */
static void finish_row(const struct meeting *t, void *const buffers[], struct one_query *own)
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
    for (int64_t i = 0; i < t->keys && !sees_all(t); i++)
        if (!sees_key(t, t->key + i)) scores[i] = -INFINITY;
    for (int64_t i = t->keys; i % VL != 0; i++)
        scores[i] = -INFINITY;
}

/* Scores become weights; returns the factor of outputs so far. */
static float grow_row(struct one_query *own, int64_t keys)
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

/* Rows of a side: where they lie, or as floats in own->rows; `apart` bytes from each other. */
struct one_rows {
    enum k_dtype dtype;
    const char *at;
    int64_t apart;
};

static struct one_rows rows_of(const struct meeting *t, enum key_part part, void *const buffers[],
                               int64_t columns, struct one_query *own)
{
    const struct key_rows rows = key_rows(t, part, buffers, own->rows, ONE_ROW);
    const int64_t apart = rows.side.row * k_size(rows.dtype);
    if (rows.side.column == 1) return (struct one_rows){rows.dtype, rows.at, apart};
    for (int64_t i = 0; i < t->keys; i++)
        widen(rows.dtype, v_address(rows.at, i * apart), rows.side.column, columns,
              own->rows + i * ONE_ROW);
    return (struct one_rows){K_F32, (const char *)own->rows, ONE_ROW * sizeof *own->rows};
}

static void meet_one(const struct meeting *t, void *const buffers[], struct one_query *own)
{
    const struct k_attention *a = t->a;
    const struct one_rows k = rows_of(t, KEY_ROWS, buffers, a->d, own);
    row_dots(k.dtype, own->query, a->d, k.at, k.apart, t->keys, own->scores);
    if (a->rope > 0) {
        const struct one_rows rope = rows_of(t, ROPE_ROWS, buffers, a->rope, own);
        row_dots(rope.dtype, own->query + padded(a->d), a->rope, rope.at, rope.apart, t->keys,
                 own->beside);
        for (int64_t i = 0; i < t->keys; i += VL)
            v_store(own->scores + i, v_load(own->scores + i) + v_load(own->beside + i));
    }
    finish_row(t, buffers, own);
    if (own->l == 0) memset(own->outputs, 0, sizeof own->outputs); /* NaN of hidden values */
    const float factor = grow_row(own, t->keys);
    const struct one_rows v = rows_of(t, VALUE_ROWS, buffers, a->dv, own);
    row_sums(v.dtype, own->scores, factor, v.at, v.apart, t->keys, a->dv, own->outputs);
}

static void run_one_query(const struct k_attention *a, void *const buffers[], struct place place,
                          struct one_query *own)
{
    const struct k_attention_sequence padded_one = padded_sequence(a, buffers, place.s);
    const struct k_attention_sequence *s = &padded_one;
    const int64_t size = k_size(a->dtype);
    struct meeting t = {.a = a, .s = s, .head = place.head, .queries = 1};
    own->m = -INFINITY;
    own->l = 0;
    memset(own->outputs, 0, sizeof own->outputs);
    if (a->has_sink && s->keys > 0) {
        own->m = ((const float *)buffers[K_ATTENTION_SINK])[t.head];
        own->l = own->m == -INFINITY ? 0 : 1;
    }
    widen(a->dtype, row_of(&a->q, buffers[K_ATTENTION_Q], size, s->batch, t.head, s->query),
          a->q.column, a->d, own->query);
    if (a->rope > 0)
        widen(a->dtype,
              row_of(&a->q_rope, buffers[K_ATTENTION_Q_ROPE], size, s->batch, t.head, s->query),
              a->q_rope.column, a->rope, own->query + padded(a->d));
    for (; t.key < s->keys; t.key += t.packed) {
        t.keys = t.packed = keys_of_block(&t, ONE_KEYS);
        if (!sees_some(&t)) continue;
        leave_hidden(&t);
        meet_one(&t, buffers, own);
    }
    if (a->stats != K_ATTENTION_NO_STATS) tell_stats(&t, buffers, &own->m, &own->l);
    for (int64_t i = 0; i < a->dv; i++)
        own->outputs[i] = own->l == 0 ? 0 : own->outputs[i] * (1 / own->l);
    const struct quantised_factors *whole = whole_of(&t, buffers, &own->whole);
    store_row(
        a->dtype, whole, own->outputs, a->dv,
        row_of(&a->out, buffers[K_ATTENTION_OUT], whole ? 1 : size, s->batch, t.head, s->query),
        a->out.column);
}

#endif
