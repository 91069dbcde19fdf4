/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/attention.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define U    0x1p-24
#define TINY 0x1p-120 /* exponentials below are 0 */

int64_t attention_rows(const int64_t *lengths, int64_t sequences)
{
    int64_t rows = 0;
    for (int64_t b = 0; b < sequences; b++)
        rows += lengths[b];
    return rows;
}

int64_t attention_weights(const struct attention *a)
{
    int64_t weights = 0;
    for (int64_t b = 0; b < a->sequences; b++)
        weights += a->heads * a->queries[b] * a->keys[b];
    return weights;
}

struct attention_values attention_values_new(int64_t count)
{
    return (struct attention_values){calloc((size_t)count + 1, sizeof(double)),
                                     calloc((size_t)count + 1, sizeof(double))};
}

void attention_values_free(struct attention_values *values)
{
    free(values->value);
    free(values->slack);
}

/* ---- one query of one head ---- */

struct row {
    int64_t b, n, i;       /* sequence, head, query */
    int64_t queries, keys; /* of the sequence */
    int64_t query, key;    /* first rows of it */
    int64_t weight, stat;  /* of the query: number of its first weight, of its row */
    double *score, *slack; /* of each key; NAN: not visible */
};

static bool is_in_band(int64_t j, int64_t i, int64_t before, int64_t after)
{
    return j >= i - before && j <= i + after;
}

/* Whether it is the last (step 1), or the first (-1), sequence with queries and keys. */
static bool is_outer(const struct attention *a, int64_t b, int step)
{
    for (int64_t k = b + step; k >= 0 && k < a->sequences; k += step)
        if (a->queries[k] > 0 && a->keys[k] > 0) return false;
    return true;
}

static bool is_visible(const struct attention *a, const struct row *r, int64_t j)
{
    const int64_t corner = r->i + r->keys - r->queries; /* the diagonal that ends at the corner */
    if (a->hidden && a->hidden[r->weight + j] != 0) return false;
    switch (a->mode) {
    case 0:
        return is_in_band(j, r->i, a->before, a->after);
    case 2:
        return j <= r->i;
    case 3:
        return j <= corner;
    case 4:
        return is_in_band(j, corner, a->before, a->after);
    case 6:
        return j <= corner || j < a->prefix[r->b];
    case 7:
        return is_outer(a, r->b, 1) ? is_in_band(j, corner, a->before, a->after) : j <= corner;
    case 8:
        return is_outer(a, r->b, -1) ? is_in_band(j, corner, a->before, a->after) : j <= r->i;
    default:
        return true;
    }
}

static const double *query_of(const double *of, const struct attention *a, const struct row *r,
                              int64_t size)
{
    return of + ((r->query + r->i) * a->heads + r->n) * size;
}

static int64_t key_at(const struct attention *a, const struct row *r, int64_t j, int64_t size)
{
    return ((r->key + j) * a->key_heads + r->n / (a->heads / a->key_heads)) * size;
}

static double bias_of(const struct attention *a, const struct row *r, int64_t j)
{
    const double apart = fabs((double)(j - r->i) + a->shift);
    if (a->type == BIAS_AFTER || a->type == BIAS_BEFORE) return a->bias[r->weight + j];
    if (a->type == BIAS_NONE) return 0;
    return -a->slopes[r->b * a->heads + r->n] * (a->type == BIAS_ROOT ? sqrt(apart) : apart);
}

static void find_scores(const struct attention *a, struct row *r)
{
    const double *q = query_of(a->q, a, r, a->d);
    for (int64_t j = 0; j < r->keys; j++) {
        const double *k = a->k + key_at(a, r, j, a->d), bias = bias_of(a, r, j);
        double sum = 0, size = 0;
        for (int64_t d = 0; d < a->d; d++) {
            sum += q[d] * k[d];
            size += fabs(q[d] * k[d]);
        }
        const bool is_before = a->type == BIAS_BEFORE;
        r->score[j] = is_before ? (sum + bias) * a->scale : sum * a->scale + bias;
        r->slack[j] = U * ((double)(a->d + 4) * size * fabs(a->scale) +
                           4 * fabs(bias) * (is_before ? fabs(a->scale) : 1));
        if (!is_visible(a, r, j)) r->score[j] = NAN;
    }
}

static double kept_of(const struct attention *a, const struct row *r, int64_t j)
{
    return a->kept && a->keep != 1 ? a->kept[r->weight + j] / a->keep : 1;
}

/* How far exponentials may be, of their size. */
static double doubt_of(const struct row *r)
{
    double most = 0;
    for (int64_t j = 0; j < r->keys; j++)
        if (!isnan(r->score[j]) && isfinite(r->slack[j])) most = fmax(most, r->slack[j]);
    return 2 * most + (double)(r->keys + 24) * 2 * U;
}

/* An exponential as it meets v, and how far it may be from that. Over several blocks of keys each
 * is rounded from the largest score so far. */
static double weight_of(const struct attention *a, const struct row *r, double e, double doubt,
                        double *slack)
{
    const double scaled = e * a->weight_scale, unsure = fabs(scaled) * doubt + TINY;
    *slack = 0;
    if (a->weight_scale == 0) return e;
    if (r->keys > a->block) {
        *slack = 0.5;
        return scaled;
    }
    if (fabs(fabs(scaled - trunc(scaled)) - 0.5) <= unsure) *slack = 1;
    return fmax(-128, fmin(127, nearbyint(scaled)));
}

typedef void row_fn(const struct attention *a, const struct row *row, void *to);

static void each_row(const struct attention *a, row_fn *function, void *to)
{
    struct row r = {0};
    int64_t weight = 0, stat = 0;
    for (r.b = 0; r.b < a->sequences; r.b++) {
        r.queries = a->queries[r.b];
        r.keys = a->keys[r.b];
        r.score = malloc(sizeof(double) * (size_t)(r.keys + 1));
        r.slack = malloc(sizeof(double) * (size_t)(r.keys + 1));
        for (r.n = 0; r.n < a->heads; r.n++)
            for (r.i = 0; r.i < r.queries; r.i++) {
                r.weight = weight + (r.n * r.queries + r.i) * r.keys;
                r.stat = stat + r.n * r.queries + r.i;
                find_scores(a, &r);
                function(a, &r, to);
            }
        weight += a->heads * r.queries * r.keys;
        stat += a->heads * r.queries;
        r.query += r.queries;
        r.key += r.keys;
        free(r.score);
        free(r.slack);
    }
}

/* ---- forward ---- */

struct forward {
    struct attention_values *m, *l, *out;
};

static void add_row(const struct attention *a, const struct row *r, void *to)
{
    const struct forward *f = to;
    const double doubt = doubt_of(r);
    double m = -INFINITY, l = 0, most = 0;
    double *out = f->out->value + (query_of(a->q, a, r, 1) - a->q) * a->dv;
    double *slack = f->out->slack + (out - f->out->value);
    for (int64_t j = 0; j < r->keys; j++) {
        if (isnan(r->score[j])) continue;
        m = fmax(m, r->score[j]);
        most = fmax(most, r->slack[j]);
    }
    if (a->sinks && r->keys > 0) m = fmax(m, a->sinks[r->n]);
    for (int64_t j = 0; j < r->keys; j++)
        if (r->score[j] > -INFINITY) l += exp(r->score[j] - m);
    if (a->sinks && r->keys > 0) l += exp(a->sinks[r->n] - m);
    const bool is_blind = l == 0, has_keys = r->keys > 0;
    f->m->value[r->stat] = !is_blind ? m : has_keys ? -FLT_MAX : 0;
    f->l->value[r->stat] = !is_blind ? l : has_keys ? FLT_MAX : 0;
    if (is_blind) return;
    f->m->slack[r->stat] = most;
    f->l->slack[r->stat] = l * doubt;
    for (int64_t j = 0; j < r->keys; j++) {
        if (!(r->score[j] > -INFINITY)) continue;
        double unsure;
        const double p =
            kept_of(a, r, j) * weight_of(a, r, exp(r->score[j] - m), 2 * doubt, &unsure) / l;
        const double *v = a->v + key_at(a, r, j, a->dv);
        for (int64_t d = 0; d < a->dv; d++) {
            out[d] += p * v[d];
            slack[d] += (fabs(p) * 2 * doubt + unsure / l + TINY) * fabs(v[d]);
        }
    }
}

void attention_forward(const struct attention *a, struct attention_values *m,
                       struct attention_values *l, struct attention_values *out)
{
    each_row(a, add_row, &(struct forward){m, l, out});
}

/* ---- backward ---- */

struct backward {
    struct attention_values *dq, *dk, *dv, *dsinks;
};

static void add_to(struct attention_values *to, int64_t at, double value, double size, double doubt)
{
    to->value[at] += value;
    to->slack[at] += fabs(size) * doubt;
}

static void add_row_grad(const struct attention *a, const struct row *r, void *to)
{
    const struct backward *f = to;
    const double l = a->l[r->stat], *dy = query_of(a->dy, a, r, a->dv);
    const double *q = query_of(a->q, a, r, a->d), *out = query_of(a->out, a, r, a->dv);
    const double doubt = doubt_of(r) + U * (double)(4 * a->d + a->dv + 4 * r->queries + 32);
    double product = 0, size = 0;
    for (int64_t d = 0; d < a->dv; d++) {
        product += dy[d] * out[d];
        size += fabs(dy[d] * out[d]);
    }
    if (l == 0 || l >= FLT_MAX) return;
    if (f->dsinks && r->keys > 0) {
        const double p = exp(a->sinks[r->n] - a->m[r->stat]) / l;
        add_to(f->dsinks, r->n, -p * product, (p + TINY / doubt) * size, doubt);
    }
    for (int64_t j = 0; j < r->keys; j++) {
        if (!(r->score[j] > -INFINITY)) continue;
        const double p = exp(r->score[j] - a->m[r->stat]) / l, kept = kept_of(a, r, j);
        const int64_t v = key_at(a, r, j, a->dv), k = key_at(a, r, j, a->d);
        double dp = 0, dp_size = 0;
        for (int64_t d = 0; d < a->dv; d++) {
            dp += dy[d] * a->v[v + d];
            dp_size += fabs(dy[d] * a->v[v + d]);
            add_to(f->dv, v + d, kept * p * dy[d], kept * (p + TINY / doubt) * dy[d], doubt);
        }
        const double ds = a->scale * p * (kept * dp - product);
        const double ds_size = fabs(a->scale) * (p + TINY / doubt) * (kept * dp_size + size);
        for (int64_t d = 0; d < a->d; d++) {
            add_to(f->dq, q - a->q + d, ds * a->k[k + d], ds_size * a->k[k + d], doubt);
            add_to(f->dk, k + d, ds * q[d], ds_size * q[d], doubt);
        }
    }
}

void attention_backward(const struct attention *a, struct attention_values *dq,
                        struct attention_values *dk, struct attention_values *dv,
                        struct attention_values *dsinks)
{
    each_row(a, add_row_grad, &(struct backward){dq, dk, dv, dsinks});
}
