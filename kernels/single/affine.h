/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are centred and scaled, and their gradients, of f32 and half types: what
 * kernels/norm/affine_rows.h does in double. */
#include "kernels/single/rows.h"

/* What is normalised: number[1] X + X2 + BIAS, what of those is there. */
static const float *single_inputs(const struct row *row, struct room *room, int x2, int bias,
                                  int64_t begin, int64_t count, float *to)
{
    const vf alpha = v_all((float)row->norm->number[1]);
    const bool adds = has(row, x2), adds_bias = bias >= 0 && has(row, bias);
    const float *x = single_read(row, K_AFFINE_X, begin, count, to);
    if (row->norm->number[1] == 1 && !adds && !adds_bias) return x;
    for (int64_t at = 0; at < count; at += SINGLE_TILE) {
        const int64_t part = count - at < SINGLE_TILE ? count - at : SINGLE_TILE;
        const float *more = x, *again = x;
        if (adds) more = single_read(row, x2, begin + at, part, (float *)room->tile[0]);
        if (adds_bias) again = single_read(row, bias, begin + at, part, (float *)room->tile[1]);
        FOR_VECTORS(part, vf sum = load_some(x + at + i, some);
                    sum = adds ? v_fma(alpha, sum, load_some(more + i, some)) : alpha * sum;
                    if (adds_bias) sum += load_some(again + i, some);
                    store_some(to + at + i, sum, some));
    }
    return to;
}

static bool is_single_affine(const struct k_norm *n)
{
    return !(n->options & K_NORM_SWISH) && single_operands(n, K_AFFINE_X, K_AFFINE_BETA) &&
           single_operands(n, K_AFFINE_OUT, K_AFFINE_OUT) &&
           single_operands(n, K_AFFINE_SUM, K_AFFINE_SUM);
}

/* ---- forward ---- */

/* The row's statistics, which are written; `x` is what was read last. */
static void single_statistics(const struct row *row, struct room *room, int64_t step,
                              const float **x, double *mean, double *rstd)
{
    const struct k_norm *n = row->norm;
    const bool is_centred = n->options & K_NORM_CENTRED;
    struct moments all = {0, 0, 0};
    for (int64_t at = 0; at < n->count; at += step) {
        const int64_t some = n->count - at < step ? n->count - at : step;
        struct moments more = {(double)some, 0, 0};
        *x = single_inputs(row, room, K_AFFINE_X2, K_AFFINE_BIAS, at, some, (float *)room->keep);
        if (is_centred) more.mean = single_sum(*x, some) / (double)some;
        more.squares = single_squares(*x, more.mean, some);
        if (at == 0)
            all = more;
        else if (is_centred)
            join(&all, &more);
        else
            all.squares += more.squares;
    }
    const double variance = all.squares / (double)n->count;
    *mean = all.mean;
    *rstd = 1 / sqrt(variance + n->number[0]);
    row_put(row, K_AFFINE_MEAN, all.mean);
    row_put(row, K_AFFINE_SPREAD, n->spread == K_NORM_VARIANCE ? variance : *rstd);
    follow(row, K_AFFINE_RUNNING_MEAN, all.mean);
    follow(row, K_AFFINE_RUNNING_VARIANCE, all.squares / (double)(n->count - 1));
}

/* ((x - mean) rstd) gamma + beta of some of the row. */
static void single_affine(const struct row *row, struct room *room, const float *x,
                          struct split mean, float rstd, int64_t begin, int64_t count, float *to)
{
    const struct k_norm *n = row->norm;
    if (n->options & K_NORM_OF_ROW) {
        double gamma = 1, beta = 0;
        if (has(row, K_AFFINE_GAMMA)) gamma = row_number(row, K_AFFINE_GAMMA);
        if (has(row, K_AFFINE_BETA)) beta = row_number(row, K_AFFINE_BETA);
        const vf by = v_all((float)gamma * rstd), plus = v_all((float)beta);
        FOR_VECTORS(
            count,
            store_some(to + i, v_fma(v_minus(load_some(x + i, some), mean), by, plus), some));
        return;
    }
    const float *gamma = single_constant(row, room, K_AFFINE_GAMMA, 0, 1, begin, count);
    const float *beta = single_constant(row, room, K_AFFINE_BETA, 1, 0, begin, count);
    const vf more = v_all((float)n->number[2]), by = v_all(rstd);
    FOR_VECTORS(count, const vf normal = v_minus(load_some(x + i, some), mean) * by;
                const vf slope = load_some(gamma + i, some) + more;
                store_some(to + i, v_fma(normal, slope, load_some(beta + i, some)), some));
}

static void single_affine_row(const struct row *row, struct room *room)
{
    const struct k_norm *n = row->norm;
    const bool fits = n->count <= SINGLE_KEEP;
    const float *all = NULL;
    double mean = 0, rstd;
    if (has(row, K_AFFINE_RSTD_IN)) {
        if (has(row, K_AFFINE_MEAN_IN)) mean = row_number(row, K_AFFINE_MEAN_IN);
        rstd = row_number(row, K_AFFINE_RSTD_IN);
        if (n->spread == K_NORM_VARIANCE) rstd = 1 / sqrt(rstd + n->number[0]);
    } else {
        single_statistics(row, room, fits ? SINGLE_KEEP : SINGLE_TILE, &all, &mean, &rstd);
        if (!fits) all = NULL;
    }
    if (!has(row, K_AFFINE_OUT) && !has(row, K_AFFINE_SUM)) return;
    for (int64_t at = 0; at < n->count; at += SINGLE_TILE) {
        const int64_t some = n->count - at < SINGLE_TILE ? n->count - at : SINGLE_TILE;
        const float *x = all ? all + at
                             : single_inputs(row, room, K_AFFINE_X2, K_AFFINE_BIAS, at, some,
                                             (float *)room->keep);
        if (has(row, K_AFFINE_SUM)) single_write(row, K_AFFINE_SUM, at, some, x);
        if (!has(row, K_AFFINE_OUT)) continue;
        float *to = single_place(row, K_AFFINE_OUT, at, some);
        if (!to) to = (float *)room->more;
        single_affine(row, room, x, split_of(mean), (float)rstd, at, some, to);
        single_write(row, K_AFFINE_OUT, at, some, to);
    }
}

/* ---- backward ---- */

static bool is_single_affine_grad(const struct k_norm *n)
{
    return !(n->options & K_NORM_SWISH) &&
           single_operands(n, K_AFFINE_GRAD_X, K_AFFINE_GRAD_BETA) &&
           single_operands(n, K_AFFINE_GRAD_DSUM, K_AFFINE_GRAD_DX2);
}

/* Terms of gradients: x; y: dy; z: gamma, NULL where it does not change along the row. */
K_TEMPLATE
vf term_xhat(const struct terms *t, int64_t i, int64_t some)
{
    return v_minus(load_some(t->x + i, some), t->mean) * t->factor;
}

K_TEMPLATE
vf term_g(const struct terms *t, int64_t i, int64_t some)
{
    const vf dy = load_some(t->y + i, some);
    return t->z ? dy * load_some(t->z + i, some) : dy;
}

K_TEMPLATE
vf term_g_xhat(const struct terms *t, int64_t i, int64_t some)
{
    return term_g(t, i, some) * term_xhat(t, i, some);
}

static void single_grad_read(const struct row *row, struct room *room, int64_t begin, int64_t count,
                             struct terms *into)
{
    into->x = single_inputs(row, room, K_AFFINE_GRAD_X2, -1, begin, count, (float *)room->keep);
    into->y = single_read(row, K_AFFINE_GRAD_DY, begin, count, (float *)room->more);
    into->z = NULL;
    if (has(row, K_AFFINE_GRAD_GAMMA) && !(row->norm->options & K_NORM_OF_ROW))
        into->z = single_constant(row, room, K_AFFINE_GRAD_GAMMA, 0, 1, begin, count);
}

/* (g - by - xhat slope) factor of some of the row, to DX and DX2. */
static void single_grad_write(const struct row *row, struct room *room, const struct terms *of,
                              float by, float slope, float factor, int64_t begin, int64_t count)
{
    const bool adds = has(row, K_AFFINE_GRAD_DSUM);
    const float alpha = (float)row->norm->number[1];
    float *to = single_place(row, K_AFFINE_GRAD_DX, begin, count);
    const float *more = NULL;
    if (!to || has(row, K_AFFINE_GRAD_DX2)) to = (float *)room->tile[2];
    if (adds) more = single_read(row, K_AFFINE_GRAD_DSUM, begin, count, (float *)room->tile[1]);
    FOR_VECTORS(count, const vf apart = term_g(of, i, some) - by;
                vf dx = v_fma(term_xhat(of, i, some), v_all(-slope), apart) * factor;
                if (adds) dx += load_some(more + i, some); store_some(to + i, dx, some));
    if (has(row, K_AFFINE_GRAD_DX2)) {
        single_write(row, K_AFFINE_GRAD_DX2, begin, count, to);
        FOR_VECTORS(count, store_some(to + i, load_some(to + i, some) * alpha, some));
    }
    single_write(row, K_AFFINE_GRAD_DX, begin, count, to);
}

static void single_affine_grad_row(const struct row *row, struct room *room)
{
    const struct k_norm *n = row->norm;
    const bool fits = n->count <= SINGLE_KEEP, is_fixed = n->options & K_NORM_FIXED;
    const bool sums = !is_fixed || has(row, K_AFFINE_GRAD_DGAMMA) || has(row, K_AFFINE_GRAD_DBETA);
    const int64_t step = fits ? SINGLE_KEEP : SINGLE_TILE;
    const double count = (double)n->count;
    double rstd = row_number(row, K_AFFINE_GRAD_RSTD), mean = 0, all = 0, all_xhat = 0;
    if (has(row, K_AFFINE_GRAD_MEAN)) mean = row_number(row, K_AFFINE_GRAD_MEAN);
    if (n->spread == K_NORM_VARIANCE) rstd = 1 / sqrt(rstd + n->number[0]);
    struct terms whole = {.mean = split_of(mean), .factor = (float)rstd};
    for (int64_t at = 0; at < n->count && (sums || fits); at += step) {
        const int64_t some = n->count - at < step ? n->count - at : step;
        single_grad_read(row, room, at, some, &whole);
        if (!sums) continue;
        double of_g, of_g_xhat;
        single_totals(term_g, term_g_xhat, &whole, some, &of_g, &of_g_xhat);
        all += of_g;
        all_xhat += of_g_xhat;
    }
    double factor = rstd;
    if (has(row, K_AFFINE_GRAD_GAMMA) && n->options & K_NORM_OF_ROW)
        factor *= row_number(row, K_AFFINE_GRAD_GAMMA);
    row_put(row, K_AFFINE_GRAD_DGAMMA, all_xhat);
    row_put(row, K_AFFINE_GRAD_DBETA, all);
    if (!has(row, K_AFFINE_GRAD_DX)) return;
    const double by = is_fixed || !(n->options & K_NORM_CENTRED) ? 0 : all / count;
    const double slope = is_fixed ? 0 : all_xhat / count;
    for (int64_t at = 0; at < n->count; at += SINGLE_TILE) {
        const int64_t some = n->count - at < SINGLE_TILE ? n->count - at : SINGLE_TILE;
        struct terms part = whole;
        if (fits) {
            part.x += at;
            part.y += at;
            if (part.z) part.z += at;
        } else {
            single_grad_read(row, room, at, some, &part);
        }
        single_grad_write(row, room, &part, (float)by, (float)slope, (float)factor, at, some);
    }
}

/* As parameter_grad_row. */
static void single_parameter_grad_row(const struct row *row, struct room *room)
{
    const struct k_norm *n = row->norm;
    double of_gamma = 0, of_beta = 0;
    for (int64_t at = 0; at < n->count; at += SINGLE_TILE) {
        const int64_t count = n->count - at < SINGLE_TILE ? n->count - at : SINGLE_TILE;
        float *xhat = (float *)room->constant[0];
        const float *x =
            single_inputs(row, room, K_AFFINE_GRAD_X2, -1, at, count, (float *)room->keep);
        const float *dy = single_read(row, K_AFFINE_GRAD_DY, at, count, (float *)room->more);
        const float *mean = single_read(row, K_AFFINE_GRAD_MEAN, at, count, (float *)room->tile[1]);
        const float *rstd = single_read(row, K_AFFINE_GRAD_RSTD, at, count, (float *)room->tile[2]);
        FOR_VECTORS(count, const vf apart = load_some(x + i, some) - load_some(mean + i, some);
                    store_some(xhat + i, apart * load_some(rstd + i, some), some));
        of_gamma += single_products(dy, xhat, count);
        of_beta += single_sum(dy, count);
    }
    room->constant_at[0] = NULL;
    row_put(row, K_AFFINE_GRAD_DGAMMA, of_gamma);
    row_put(row, K_AFFINE_GRAD_DBETA, of_beta);
}

/* ---- sums over rows ---- */

enum { SINGLE_ROWS = 8 }; /* that are added in f32 before they are added in double */

/* Adds dy xhat to gamma and dy to beta. */
static void single_add_parameters(const struct row *row, struct room *room, int64_t at,
                                  int64_t count, float *gamma, float *beta)
{
    struct terms of = {.factor = (float)row_number(row, K_AFFINE_GRAD_RSTD)};
    if (has(row, K_AFFINE_GRAD_MEAN)) of.mean = split_of(row_number(row, K_AFFINE_GRAD_MEAN));
    of.x = single_inputs(row, room, K_AFFINE_GRAD_X2, -1, at, count, (float *)room->keep);
    of.y = single_read(row, K_AFFINE_GRAD_DY, at, count, (float *)room->more);
    FOR_VECTORS(count, const vf dy = load_some(of.y + i, some);
                v_store(beta + i, v_load(beta + i) + dy);
                v_store(gamma + i, v_fma(dy, term_xhat(&of, i, some), v_load(gamma + i))));
}

/* to[i] += from[i], which becomes 0; both have room for whole vectors. */
static void single_flush(float *from, double *to, int64_t count)
{
    for (int64_t i = 0; i < count; i += VL) {
        const vf value = v_load(from + i);
        vd sums[2];
        memcpy(sums, to + i, sizeof sums);
        sums[0] += vd_widen(0, value);
        sums[1] += vd_widen(1, value);
        memcpy(to + i, sums, sizeof sums);
        v_store(from + i, (vf){0});
    }
}
