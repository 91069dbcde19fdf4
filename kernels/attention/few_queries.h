/* SPDX-License-Identifier: Apache-2.0 */
/* Few queries, as where text is generated. Keys are not packed: VL at a time become scores of a row
 * (a query of a head), a block of them grows its outputs. */
#ifndef ACLNN_CPU_KERNELS_ATTENTION_FEW_QUERIES_H
#define ACLNN_CPU_KERNELS_ATTENTION_FEW_QUERIES_H

#include <float.h>

#include "kernels/attention/tile.h"
#include "kernels/vector/row_products.h"

enum {
    FEW_KEYS = 64, /* of a block */
    FEW_ROW = K_ATTENTION_HEAD + ROW_LANES,
    FEW_AHEAD = 16, /* rows between what is read and what is prefetched */
    FEW_QUERY = K_ATTENTION_HEAD + K_ATTENTION_ROPE + 2 * ROW_LANES,
};

/* query: its second part at padded(d). */
struct few_row {
    _Alignas(64) float query[FEW_QUERY], outputs[FEW_ROW];
    _Alignas(64) float scores[FEW_KEYS + ROW_LANES], beside[FEW_KEYS + ROW_LANES];
    float m, l, factor;
};

struct few_queries {
    struct few_row row[K_ATTENTION_FEW_ROWS];
    _Alignas(64) float keys[FEW_KEYS * FEW_ROW]; /* or values, that are not read as they lie */
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
static void finish_row(const struct meeting *t, void *const buffers[], struct few_row *own)
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
static float grow_row(struct few_row *own, int64_t keys)
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
    own->m = m;
    own->l = own->l * factor + row_total(sum);
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

static void clear_outputs(const struct k_attention *a, struct few_row *own)
{
    memset(own->outputs, 0, (size_t)padded(a->dv) * sizeof *own->outputs);
}

/* A query of a head meets the keys that all of its item meet. */
static struct meeting meeting_of_row(const struct meeting *all, int64_t row)
{
    struct meeting t = *all;
    t.head += row / all->queries;
    t.query = row % all->queries;
    t.queries = 1;
    return t;
}

/* The keys of a meeting with columns side by side; as floats where they are not. */
static struct row_matrix matrix_of(const struct meeting *t, enum key_part part,
                                   void *const buffers[], int64_t columns, struct few_queries *own)
{
    const struct key_rows keys = key_rows(t, part, buffers, own->keys, FEW_ROW);
    const int64_t apart = keys.side.row * k_size(keys.dtype), near = sizeof(float[FEW_ROW]);
    const int64_t ahead = t->keys > FEW_AHEAD ? FEW_AHEAD * apart : 0;
    if (keys.side.column == 1)
        return (struct row_matrix){keys.dtype, keys.at, apart, ahead, t->keys, columns};
    for (int64_t i = 0; i < t->keys; i++)
        widen(keys.dtype, v_address(keys.at, i * apart), keys.side.column, columns,
              own->keys + i * FEW_ROW);
    return (struct row_matrix){K_F32, (const char *)own->keys, near, 0, t->keys, columns};
}

static void meet_rows(const struct meeting *all, void *const buffers[], struct few_queries *own)
{
    const struct k_attention *a = all->a;
    struct few_row *const first = own->row;
    const int64_t next = sizeof *first / sizeof(float);
    const struct row_floats rows = {a->together * all->queries, next, next};
    const struct row_matrix k = matrix_of(all, KEY_ROWS, buffers, a->d, own);
    row_dots(&k, rows, first->query, first->scores);
    if (a->rope > 0) {
        const struct row_matrix rope = matrix_of(all, ROPE_ROWS, buffers, a->rope, own);
        row_dots(&rope, rows, first->query + padded(a->d), first->beside);
        for (struct few_row *r = first; r < first + rows.rows; r++)
            for (int64_t key = 0; key < all->keys; key += VL)
                v_store(r->scores + key, v_load(r->scores + key) + v_load(r->beside + key));
    }
    for (int64_t i = 0; i < rows.rows; i++) {
        struct few_row *r = &own->row[i];
        const struct meeting t = meeting_of_row(all, i);
        finish_row(&t, buffers, r);
        if (r->l == 0) clear_outputs(a, r); /* NaN of hidden values */
        r->factor = grow_row(r, t.keys);
        if (a->rounds)
            round_rows(buffers[K_ATTENTION_WEIGHT_SCALE], 1, t.keys, r->scores, ROW_LANES);
    }
    const struct row_matrix v = matrix_of(all, VALUE_ROWS, buffers, a->dv, own);
    row_sums(&v, rows, first->scores, &first->factor, first->outputs);
}

static void begin_row(struct meeting t, void *const buffers[], struct few_row *own)
{
    const struct k_attention *a = t.a;
    const struct k_attention_sequence *s = t.s;
    const int64_t size = k_size(a->dtype), query = s->query + t.query;
    own->m = -INFINITY;
    own->l = 0;
    clear_outputs(a, own);
    if (a->has_sink && s->keys > 0) {
        own->m = ((const float *)buffers[K_ATTENTION_SINK])[t.head];
        own->l = own->m == -INFINITY ? 0 : 1;
    }
    widen(a->dtype, row_of(&a->q, buffers[K_ATTENTION_Q], size, s->batch, t.head, query),
          a->q.column, a->d, own->query);
    if (a->rope > 0)
        widen(a->dtype,
              row_of(&a->q_rope, buffers[K_ATTENTION_Q_ROPE], size, s->batch, t.head, query),
              a->q_rope.column, a->rope, own->query + padded(a->d));
}

static void end_row(struct meeting t, void *const buffers[], struct few_row *own,
                    struct quantised_factors *room)
{
    const struct k_attention *a = t.a;
    const struct quantised_factors *whole = whole_of(&t, buffers, room);
    if (a->stats != K_ATTENTION_NO_STATS) tell_stats(&t, buffers, &own->m, &own->l);
    const vf factor = v_all(own->l == 0 ? 0 : 1 / own->l);
    if (own->l == 0) clear_outputs(a, own);
    for (int64_t i = 0; i < a->dv; i += VL)
        v_store(own->outputs + i, v_load(own->outputs + i) * factor);
    store_row(a->dtype, whole, own->outputs, a->dv,
              row_of(&a->out, buffers[K_ATTENTION_OUT], whole ? 1 : k_size(a->dtype), t.s->batch,
                     t.head, t.s->query + t.query),
              a->out.column);
}

static void run_few_queries(const struct k_attention *a, void *const buffers[], struct place place,
                            struct few_queries *own)
{
    const struct k_attention_sequence s = padded_sequence(a, buffers, place.s);
    const int64_t rows = a->together * s.queries;
    struct meeting all = {.a = a, .s = &s, .head = place.head * a->together};
    all.queries = s.queries;
    for (int64_t i = 0; i < rows; i++)
        begin_row(meeting_of_row(&all, i), buffers, &own->row[i]);
    for (; all.key < s.keys; all.key += all.packed) {
        all.keys = all.packed = keys_of_block(&all, FEW_KEYS);
        if (!sees_some(&all)) continue;
        leave_hidden(&all);
        meet_rows(&all, buffers, own);
    }
    for (int64_t i = 0; i < rows; i++)
        end_row(meeting_of_row(&all, i), buffers, &own->row[i], &own->whole);
}

#endif
