/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products of a row of weights and some rows of the batch: the weights are read once for all of
 * them, sums are made in eight lanes. What the gates become is vector math. */
#include <string.h>

#include "kernels/rnn/k_rnn.h"
#include "kernels/vector/math.h"
#include "kernels/vector/simd.h"

enum { ROWS = K_RNN_ROWS, SUMS = 8, LANES = sizeof(vd) / sizeof(double) };

typedef double sums __attribute__((vector_size(SUMS * sizeof(double))));

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* to[r] = sum over k of w[k] x[r][k] */
static void dots(const double *w, int64_t count, const double *const x[ROWS], double to[ROWS])
{
    sums all[ROWS] = {{0}};
    int64_t k = 0;
    for (; k + SUMS <= count; k += SUMS) {
        sums weights, row;
        memcpy(&weights, w + k, sizeof weights);
        for (int r = 0; r < ROWS; r++) {
            memcpy(&row, x[r] + k, sizeof row);
            all[r] += weights * row;
        }
    }
    for (int r = 0; r < ROWS; r++) {
        double sum = 0;
        for (int lane = 0; lane < SUMS; lane++)
            sum += all[r][lane];
        for (int64_t rest = k; rest < count; rest++)
            sum += w[rest] * x[r][rest];
        to[r] = sum;
    }
}

/* Rows first to first + count - 1 of a matrix; the others are the first one again. */
static void point_at(const double *matrix, int64_t first, int64_t count, int64_t step,
                     const double *x[ROWS])
{
    for (int r = 0; r < ROWS; r++)
        x[r] = matrix + (first + (r < count ? r : 0)) * step;
}

/* ---- products ---- */

k_fn K_SYMBOL(products);

void K_SYMBOL(products)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_products *p = parameters;
    const double *b = buffers[K_PRODUCTS_B], *bias = buffers[K_PRODUCTS_BIAS];
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t first = item * ROWS, count = smaller(ROWS, p->rows - first);
        double *to = (double *)buffers[K_PRODUCTS_TO] + first * p->to_step, row[ROWS];
        const double *a[ROWS];
        point_at(buffers[K_PRODUCTS_A], first, count, p->depth, a);
        for (int64_t n = 0; n < p->columns; n++) {
            dots(b + n * p->depth, p->depth, a, row);
            for (int r = 0; r < count; r++) {
                const double sum = row[r] + (p->has_bias ? bias[n] : 0);
                to[r * p->to_step + n] = sum + (p->adds ? to[r * p->to_step + n] : 0);
            }
        }
    }
}

/* ---- what the gates become ---- */

static void sigmoids(double *x, int64_t count)
{
    for (int64_t j = 0; j < count; j += LANES) {
        vd v;
        memcpy(&v, x + j, sizeof v);
        v = wide_sigmoid(v);
        memcpy(x + j, &v, sizeof v);
    }
}

static void tangents(double *x, int64_t count)
{
    for (int64_t j = 0; j < count; j += LANES) {
        vd v;
        memcpy(&v, x + j, sizeof v);
        v = wide_tanh(vd_at_most(vd_at_least(v, -9.05), 9.05));
        memcpy(x + j, &v, sizeof v);
    }
}

/* The place of an element of the planes. */
static double *plane_at(const struct k_rnn *rnn, void *planes, int plane, int64_t t, int64_t row)
{
    return (double *)planes + ((plane * rnn->times + t) * rnn->batch + row) * rnn->hidden;
}

/* The time that comes before t; -1: there is none. */
static int64_t before(const struct k_rnn *rnn, int64_t t)
{
    if (!rnn->is_reverse) return t - 1;
    return t + 1 < rnn->times ? t + 1 : -1;
}

/* Gates of a row, each with room for whole vectors, as x_hh; then h and what else is kept. */
static void lstm_cell(const struct k_rnn *rnn, void *const buffers[], int64_t t, int64_t row,
                      double *gates, double *tanh_c, int64_t padded)
{
    const int64_t hidden = rnn->hidden, last = before(rnn, t);
    const double *x = (const double *)buffers[K_RNN_X_IH] + (t * rnn->batch + row) * 4 * hidden;
    void *planes = buffers[K_RNN_PLANES];
    const double *c0 = last < 0 ? (const double *)buffers[K_RNN_C0] + row * hidden
                                : plane_at(rnn, planes, K_LSTM_C, last, row);
    double *i = gates, *f = i + padded, *g = f + padded, *o = g + padded;
    double *c = plane_at(rnn, planes, K_LSTM_C, t, row),
           *h = plane_at(rnn, planes, K_LSTM_H, t, row);
    const struct {
        int plane;
        const double *from;
    } kept[] = {
        {K_LSTM_I, i}, {K_LSTM_G, g}, {K_LSTM_F, f}, {K_LSTM_O, o}, {K_LSTM_TANH_C, tanh_c}};
    for (int gate = 0; gate < 4; gate++)
        for (int64_t j = 0; j < hidden; j++)
            gates[gate * padded + j] += x[gate * hidden + j];
    sigmoids(i, 2 * padded);
    tangents(g, padded);
    sigmoids(o, padded);
    for (int64_t j = 0; j < hidden; j++)
        tanh_c[j] = c[j] = f[j] * c0[j] + i[j] * g[j];
    tangents(tanh_c, padded);
    for (int64_t j = 0; j < hidden; j++)
        h[j] = o[j] * tanh_c[j];
    for (int k = 0; k < 5; k++)
        memcpy(plane_at(rnn, planes, kept[k].plane, t, row), kept[k].from,
               (size_t)hidden * sizeof *h);
}

static void gru_cell(const struct k_rnn *rnn, void *const buffers[], int64_t t, int64_t row,
                     double *gates, const double *h0, int64_t padded)
{
    const int64_t hidden = rnn->hidden;
    const double *x = (const double *)buffers[K_RNN_X_IH] + (t * rnn->batch + row) * 3 * hidden;
    void *planes = buffers[K_RNN_PLANES];
    double *r = gates, *z = r + padded, *n = z + padded;
    double *h = plane_at(rnn, planes, K_GRU_H, t, row);
    memcpy(plane_at(rnn, planes, K_GRU_HN, t, row), n, (size_t)hidden * sizeof *n);
    for (int64_t j = 0; j < hidden; j++) {
        r[j] += x[j];
        z[j] += x[hidden + j];
    }
    sigmoids(r, 2 * padded);
    for (int64_t j = 0; j < hidden; j++)
        n[j] = x[2 * hidden + j] + r[j] * n[j];
    tangents(n, padded);
    for (int64_t j = 0; j < hidden; j++)
        h[j] = (1 - z[j]) * n[j] + z[j] * h0[j];
    memcpy(plane_at(rnn, planes, K_GRU_R, t, row), r, (size_t)hidden * sizeof *h);
    memcpy(plane_at(rnn, planes, K_GRU_Z, t, row), z, (size_t)hidden * sizeof *h);
    memcpy(plane_at(rnn, planes, K_GRU_N, t, row), n, (size_t)hidden * sizeof *h);
}

/* One time of some rows of the batch. */
static void advance(const struct k_rnn *rnn, void *const buffers[], int64_t t, int64_t first,
                    int64_t count, double *scratch)
{
    const int64_t hidden = rnn->hidden, padded = (hidden + 7) / 8 * 8, last = before(rnn, t);
    const int64_t gates = k_rnn_gates(rnn);
    const int plane = rnn->is_gru ? K_GRU_H : K_LSTM_H;
    const double *w = buffers[K_RNN_W_HH], *bias = buffers[K_RNN_BIAS_HH];
    const double *x[ROWS];
    double row[ROWS];
    const double *h0 = last < 0 ? (const double *)buffers[K_RNN_H0] + first * hidden
                                : plane_at(rnn, buffers[K_RNN_PLANES], plane, last, first);
    point_at(h0, 0, count, hidden, x);
    for (int64_t gate = 0; gate < gates; gate++)
        for (int64_t j = 0; j < hidden; j++) {
            const int64_t at = gate * hidden + j;
            dots(w + at * hidden, hidden, x, row);
            for (int r = 0; r < count; r++)
                scratch[(r * gates + gate) * padded + j] = row[r] + bias[at];
        }
    for (int r = 0; r < count; r++) {
        double *own = scratch + r * gates * padded, *free = scratch + ROWS * gates * padded;
        if (rnn->is_gru)
            gru_cell(rnn, buffers, t, first + r, own, x[r], padded);
        else
            lstm_cell(rnn, buffers, t, first + r, own, free, padded);
        memcpy((double *)buffers[K_RNN_Y] + (t * rnn->batch + first + r) * rnn->y_step +
                   rnn->y_first,
               plane_at(rnn, buffers[K_RNN_PLANES], plane, t, first + r),
               (size_t)hidden * sizeof *own);
    }
}

k_fn K_SYMBOL(rnn);

void K_SYMBOL(rnn)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_rnn *rnn = parameters;
    const int64_t padded = (rnn->hidden + 7) / 8 * 8;
    const int64_t size = (ROWS * k_rnn_gates(rnn) + 1) * padded;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        double *scratch = (double *)buffers[K_RNN_SCRATCH] + item * size;
        const int64_t first = item * ROWS, count = smaller(ROWS, rnn->batch - first);
        for (int64_t j = 0; j < size; j++)
            scratch[j] = 0;
        for (int64_t step = 0; step < rnn->times; step++)
            advance(rnn, buffers, rnn->is_reverse ? rnn->times - 1 - step : step, first, count,
                    scratch);
    }
}

/* ---- gradients ---- */

static void lstm_grad(const struct k_rnn *rnn, void *const buffers[], int64_t t, int64_t row,
                      const double *dy, double *dh, double *dc)
{
    const int64_t hidden = rnn->hidden, last = before(rnn, t);
    void *planes = buffers[K_RNN_GRAD_PLANES];
    const double *i = plane_at(rnn, planes, K_LSTM_I, t, row);
    const double *g = plane_at(rnn, planes, K_LSTM_G, t, row);
    const double *f = plane_at(rnn, planes, K_LSTM_F, t, row);
    const double *o = plane_at(rnn, planes, K_LSTM_O, t, row);
    const double *tanh_c = plane_at(rnn, planes, K_LSTM_TANH_C, t, row);
    const double *c0 = last < 0 ? (const double *)buffers[K_RNN_GRAD_C0] + row * hidden
                                : plane_at(rnn, planes, K_LSTM_C, last, row);
    double *to = (double *)buffers[K_RNN_GRAD_DX_IH] + (t * rnn->batch + row) * 4 * hidden;
    for (int64_t j = 0; j < hidden; j++) {
        const double h = dh[j] + dy[j], c = dc[j] + h * o[j] * (1 - tanh_c[j] * tanh_c[j]);
        to[j] = c * g[j] * i[j] * (1 - i[j]);
        to[hidden + j] = c * c0[j] * f[j] * (1 - f[j]);
        to[2 * hidden + j] = c * i[j] * (1 - g[j] * g[j]);
        to[3 * hidden + j] = h * tanh_c[j] * o[j] * (1 - o[j]);
        dc[j] = c * f[j];
        dh[j] = 0;
    }
}

/* dh becomes what goes by the gates: z dh */
static void gru_grad(const struct k_rnn *rnn, void *const buffers[], int64_t t, int64_t row,
                     const double *dy, double *dh)
{
    const int64_t hidden = rnn->hidden, last = before(rnn, t);
    const int64_t at = (t * rnn->batch + row) * 3 * hidden;
    void *planes = buffers[K_RNN_GRAD_PLANES];
    const double *r = plane_at(rnn, planes, K_GRU_R, t, row);
    const double *z = plane_at(rnn, planes, K_GRU_Z, t, row);
    const double *n = plane_at(rnn, planes, K_GRU_N, t, row);
    const double *hn = plane_at(rnn, planes, K_GRU_HN, t, row);
    const double *h0 = last < 0 ? (const double *)buffers[K_RNN_GRAD_H0] + row * hidden
                                : plane_at(rnn, planes, K_GRU_H, last, row);
    double *to = (double *)buffers[K_RNN_GRAD_DX_IH] + at;
    double *to_hh = (double *)buffers[K_RNN_GRAD_DX_HH] + at;
    for (int64_t j = 0; j < hidden; j++) {
        const double h = dh[j] + dy[j], dn = h * (1 - z[j]) * (1 - n[j] * n[j]);
        to[j] = to_hh[j] = dn * hn[j] * r[j] * (1 - r[j]);
        to[hidden + j] = to_hh[hidden + j] = h * (h0[j] - n[j]) * z[j] * (1 - z[j]);
        to[2 * hidden + j] = dn;
        to_hh[2 * hidden + j] = dn * r[j];
        dh[j] = h * z[j];
    }
}

/* Goes back over one time. */
static void go_back(const struct k_rnn *rnn, void *const buffers[], int64_t t, int64_t first,
                    int64_t count)
{
    const int64_t hidden = rnn->hidden, width = k_rnn_gates(rnn) * hidden;
    const double *w = buffers[K_RNN_GRAD_W_HH], *x[ROWS];
    double *dh = (double *)buffers[K_RNN_GRAD_DH] + first * hidden, row[ROWS];
    for (int r = 0; r < count; r++) {
        const double *dy = (const double *)buffers[K_RNN_GRAD_DY] +
                           (t * rnn->batch + first + r) * rnn->y_step + rnn->y_first;
        if (rnn->is_gru)
            gru_grad(rnn, buffers, t, first + r, dy, dh + r * hidden);
        else
            lstm_grad(rnn, buffers, t, first + r, dy, dh + r * hidden,
                      (double *)buffers[K_RNN_GRAD_DC] + (first + r) * hidden);
    }
    point_at(buffers[K_RNN_GRAD_DX_HH], t * rnn->batch + first, count, width, x);
    for (int64_t j = 0; j < hidden; j++) {
        dots(w + j * width, width, x, row);
        for (int r = 0; r < count; r++)
            dh[r * hidden + j] += row[r];
    }
}

k_fn K_SYMBOL(rnn_grad);

void K_SYMBOL(rnn_grad)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_rnn *rnn = parameters;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t first = item * ROWS, count = smaller(ROWS, rnn->batch - first);
        for (int64_t step = 0; step < rnn->times; step++)
            go_back(rnn, buffers, rnn->is_reverse ? step : rnn->times - 1 - step, first, count);
    }
}
