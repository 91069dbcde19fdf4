/* SPDX-License-Identifier: Apache-2.0 */
/* Heads of one query, as where text is generated. Their keys are read once, so nothing is packed:
 * VL keys at a time become scores, a block of keys grows the output. */
#ifndef ACLNN_CPU_KERNELS_ATTENTION_ONE_QUERY_H
#define ACLNN_CPU_KERNELS_ATTENTION_ONE_QUERY_H

#include "kernels/vector/transpose.h"

enum {
    ONE_KEYS = 64,              /* of a block */
    ONE_LANES = 16,             /* sums of a product of rows, the same at every level */
    ONE_PARTS = ONE_LANES / VL, /* vectors of them */
    ONE_VECTORS = 4,            /* of outputs, at once */
    ONE_ROW = K_ATTENTION_HEAD + ONE_LANES,
};

struct one_query {
    _Alignas(64) float query[ONE_ROW], outputs[ONE_ROW];
    _Alignas(64) float scores[ONE_KEYS + ONE_LANES], beside[ONE_KEYS + ONE_LANES];
    _Alignas(64) float rows[ONE_KEYS * ONE_ROW]; /* keys or values that are not contiguous */
    float m, l;
};

/* Sums of ONE_LANES lanes: lane i of the first vector has i and i + 8, or i, i + 4, i + 8 ... */
K_TEMPLATE
vf join_parts(vf *sum)
{
#pragma GCC unroll 4
    for (int step = ONE_PARTS / 2; step > 0; step /= 2)
#pragma GCC unroll 4
        for (int p = 0; p < step; p++)
            sum[p] += sum[p + step];
    return sum[0];
}

/* scores[] = the dot products of the query with keys `apart` bytes from each other. */
K_TEMPLATE
void score_keys(enum k_dtype dt, const float *query, int64_t d, const char *keys, int64_t apart,
                int64_t count, float *scores)
{
    for (int64_t key = 0; key < count; key += VL) {
        vf sum[VL];
        for (int64_t i = 0; i < VL; i++) {
            const char *at = v_address(keys, gemm_min(key + i, count - 1) * apart);
            vf part[ONE_PARTS] = {{0}};
            for (int64_t first = 0; first < d; first += ONE_LANES)
#pragma GCC unroll 4
                for (int p = 0; p < ONE_PARTS; p++) {
                    const int64_t term = first + p * VL, left = d - term;
                    if (left <= 0) break;
                    const char *from = v_address(at, term * k_size(dt));
                    part[p] = v_fma(
                        v_load(query + term),
                        left >= VL ? k_load(dt, from) : k_load_first(dt, from, (int)left), part[p]);
                }
            sum[i] = join_parts(part);
        }
        v_transpose(sum);
#pragma GCC unroll 4
        for (int step = VL / 2; step > 0; step /= 2)
#pragma GCC unroll 8
            for (int i = 0; i < step; i++)
                sum[i] += sum[i + step];
        v_store(scores + key, sum[0]);
    }
}

/* outputs[] = outputs[] * factor + sum over keys of weight * value, so many vectors of a row, all
 * whole or one of `lanes`. */
K_TEMPLATE
void add_vectors(enum k_dtype dt, int vectors, int64_t lanes, const float *weights, float factor,
                 const char *values, int64_t apart, int64_t count, float *outputs)
{
    vf sum[ONE_VECTORS];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
        sum[v] = v_load(outputs + v * VL) * factor;
    for (int64_t key = 0; key < count; key++) {
        const char *at = v_address(values, key * apart);
        const vf weight = v_all(weights[key]);
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            sum[v] = v_fma(weight,
                           lanes == VL ? k_load(dt, at + v * VL * k_size(dt))
                                       : k_load_first(dt, at, (int)lanes),
                           sum[v]);
    }
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
        v_store(outputs + v * VL, sum[v]);
}

K_TEMPLATE
void add_values(enum k_dtype dt, struct one_query *own, float factor, const char *values,
                int64_t apart, int64_t count, int64_t dv)
{
    int64_t first = 0;
    for (; first + ONE_VECTORS * VL <= dv; first += ONE_VECTORS * VL)
        add_vectors(dt, ONE_VECTORS, VL, own->scores, factor, v_address(values, first * k_size(dt)),
                    apart, count, own->outputs + first);
    for (; first + VL <= dv; first += VL)
        add_vectors(dt, 1, VL, own->scores, factor, v_address(values, first * k_size(dt)), apart,
                    count, own->outputs + first);
    if (first < dv)
        add_vectors(dt, 1, dv - first, own->scores, factor, v_address(values, first * k_size(dt)),
                    apart, count, own->outputs + first);
}

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
    const struct k_attention_side *bias = &a->bias_at, *mask = &a->mask;
    const float scale = (float)a->scale;
    float *scores = own->scores;
    if (a->bias == K_ATTENTION_AFTER || a->bias == K_ATTENTION_BEFORE)
        widen(a->bias_type,
              v_address(row_of(bias, buffers[K_ATTENTION_BIAS], k_size(a->bias_type), t->s->batch,
                               t->head, t->query),
                        k_size(a->bias_type) * t->key * bias->column),
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
        const char *masked =
            v_address(row_of(mask, buffers[K_ATTENTION_MASK], 1, t->s->batch, t->head, t->query),
                      t->key * mask->column);
        for (int64_t i = 0; i < t->keys; i++)
            if (*v_address(masked, i * mask->column) != 0) scores[i] = -INFINITY;
    }
    for (int64_t i = 0; i < t->keys && !sees_all(t); i++)
        if (!sees_key(t, t->key + i)) scores[i] = -INFINITY;
    for (int64_t i = t->keys; i % VL != 0; i++)
        scores[i] = -INFINITY;
}

/* Scores become weights; returns the factor of outputs so far. */
static float grow_row(struct one_query *own, int64_t keys)
{
    vf most = v_all(own->m), sum[ONE_PARTS] = {{0}};
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
        sum[i / VL % ONE_PARTS] += e;
    }
    const float factor = v_exp_single(v_all(own->m - from))[0];
    v_store(lanes, join_parts(sum));
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

static struct one_rows rows_of(const struct meeting *t, const struct k_attention_side *side,
                               const void *buffer, int64_t columns, struct one_query *own)
{
    const enum k_dtype dtype = t->a->dtype;
    const int64_t size = k_size(dtype), apart = side->row * size;
    const char *at =
        row_of(side, buffer, size, t->s->batch, t->head / t->a->group, t->s->key + t->key);
    if (side->column == 1) return (struct one_rows){dtype, at, apart};
    for (int64_t i = 0; i < t->keys; i++)
        widen(dtype, v_address(at, i * apart), side->column, columns, own->rows + i * ONE_ROW);
    return (struct one_rows){K_F32, (const char *)own->rows, ONE_ROW * sizeof *own->rows};
}

static void meet_one(const struct meeting *t, void *const buffers[], struct one_query *own)
{
    const struct k_attention *a = t->a;
    const struct one_rows k = rows_of(t, &a->k, buffers[K_ATTENTION_K], a->d, own);
    if (k.dtype == K_F32)
        score_keys(K_F32, own->query, a->d, k.at, k.apart, t->keys, own->scores);
    else if (k.dtype == K_F16)
        score_keys(K_F16, own->query, a->d, k.at, k.apart, t->keys, own->scores);
    else
        score_keys(K_BF16, own->query, a->d, k.at, k.apart, t->keys, own->scores);
    finish_row(t, buffers, own);
    if (own->l == 0) memset(own->outputs, 0, sizeof own->outputs); /* NaN of hidden values */
    const float factor = grow_row(own, t->keys);
    const struct one_rows v = rows_of(t, &a->v, buffers[K_ATTENTION_V], a->dv, own);
    if (v.dtype == K_F32)
        add_values(K_F32, own, factor, v.at, v.apart, t->keys, a->dv);
    else if (v.dtype == K_F16)
        add_values(K_F16, own, factor, v.at, v.apart, t->keys, a->dv);
    else
        add_values(K_BF16, own, factor, v.at, v.apart, t->keys, a->dv);
}

static void run_one_query(const struct k_attention *a, void *const buffers[], struct place place,
                          struct one_query *own)
{
    const struct k_attention_sequence *s = place.s;
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
    for (; t.key < s->keys; t.key += ONE_KEYS) {
        t.keys = gemm_min(s->keys - t.key, ONE_KEYS);
        if (!sees_some(&t)) continue;
        leave_hidden(&t);
        meet_one(&t, buffers, own);
    }
    if (a->stats != K_ATTENTION_NO_STATS) tell_stats(&t, buffers, &own->m, &own->l);
    for (int64_t i = 0; i < a->dv; i++)
        own->outputs[i] = own->l == 0 ? 0 : own->outputs[i] * (1 / own->l);
    narrow(a->dtype, own->outputs, a->dv,
           (char *)(uintptr_t)row_of(&a->out, buffers[K_ATTENTION_OUT], size, s->batch, t.head,
                                     s->query),
           a->out.column);
}

#endif
