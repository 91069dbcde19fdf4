/* SPDX-License-Identifier: Apache-2.0 */
/* Singular values by Jacobi's rotations of pairs of rows, until all rows are orthogonal: their
 * lengths are the values. */
#include <math.h>
#include <stdbool.h>

#include "kernels/linalg/rows.h"

enum { SWEEPS = 60 };
static const double tiny = 0x1p-52;

static void rotate(double *restrict a, double *restrict b, double c, double s, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        const double one = a[k], other = b[k];
        a[k] = c * one - s * other;
        b[k] = s * one + c * other;
    }
}

/* Makes two rows orthogonal; false if they are. */
static bool turn_pair(double *a, double *b, double *v, double *w, int64_t count,
                      int64_t short_count)
{
    const double aa = row_dot(a, a, count), bb = row_dot(b, b, count), ab = row_dot(a, b, count);
    if (!(fabs(ab) > 4 * tiny * sqrt(aa) * sqrt(bb))) return false;
    const double zeta = (bb - aa) / (2 * ab);
    const double t = copysign(1 / (fabs(zeta) + hypot(1, zeta)), zeta);
    const double c = 1 / sqrt(1 + t * t);
    rotate(a, b, c, c * t, count);
    rotate(v, w, c, c * t, short_count);
    return true;
}

static void turn_all(double *x, double *v, int64_t rows, int64_t count)
{
    bool is_moving = true;
    for (int sweep = 0; sweep < SWEEPS && is_moving; sweep++) {
        is_moving = false;
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = i + 1; j < rows; j++)
                is_moving |= turn_pair(x + i * count, x + j * count, v + i * rows, v + j * rows,
                                       count, rows);
    }
}

/* Rows fall in length. */
static void sort_rows(double *x, double *v, double *sigma, int64_t rows, int64_t count)
{
    for (int64_t i = 0; i < rows; i++)
        sigma[i] = row_length(x + i * count, count);
    for (int64_t i = 0; i < rows; i++) {
        int64_t most = i;
        for (int64_t j = i + 1; j < rows; j++)
            if (sigma[j] > sigma[most]) most = j;
        if (most == i) continue;
        const double kept = sigma[i];
        sigma[i] = sigma[most];
        sigma[most] = kept;
        for (int64_t k = 0; k < count; k++) {
            const double other = x[i * count + k];
            x[i * count + k] = x[most * count + k];
            x[most * count + k] = other;
        }
        for (int64_t k = 0; k < rows; k++) {
            const double other = v[i * rows + k];
            v[i * rows + k] = v[most * rows + k];
            v[most * rows + k] = other;
        }
    }
}

/* Row `row` becomes orthogonal to those before it and of length 1: of the axes, the one that these
 * have least of, less their parts of it. left[t]: how much of axis t they leave. */
static void complete_row(double *rows, int64_t row, int64_t count, const double *left)
{
    double *own = rows + row * count;
    int64_t axis = 0;
    for (int64_t t = 1; t < count; t++)
        if (left[t] > left[axis]) axis = t;
    for (int64_t t = 0; t < count; t++)
        own[t] = t == axis;
    for (int again = 0; again < 2; again++)
        for (int64_t i = 0; i < row; i++)
            row_add(own, -row_dot(own, rows + i * count, count), rows + i * count, count);
    const double length = row_length(own, count);
    for (int64_t t = 0; t < count; t++)
        own[t] /= length;
}

/* Rows of length 1: those of x, and others that complete a basis, also where a value is nothing
 * but rounding. */
static void fill_long(const struct k_matrix *m, const double *x, const double *sigma, double *to,
                      double *left)
{
    const int64_t count = m->columns;
    for (int64_t t = 0; t < count; t++)
        left[t] = 1;
    for (int64_t i = 0; i < m->others; i++) {
        double *row = to + i * count;
        if (i < m->rows && sigma[i] > (double)count * tiny * sigma[0])
            for (int64_t t = 0; t < count; t++)
                row[t] = x[i * count + t] / sigma[i];
        else
            complete_row(to, i, count, left);
        for (int64_t t = 0; t < count; t++)
            left[t] -= row[t] * row[t];
    }
}

static void fill_nan(double *to, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = NAN;
}

static void factor(const struct k_matrix *m, double *x, double *sigma, double *v, double *to,
                   double *left)
{
    const int64_t rows = m->rows, count = m->columns;
    double most = 0;
    for (int64_t i = 0; i < rows * count; i++)
        most = fabs(x[i]) > most || x[i] != x[i] ? fabs(x[i]) : most;
    if (!isfinite(most)) {
        fill_nan(sigma, rows);
        fill_nan(v, rows * rows);
        fill_nan(to, m->others * count);
        return;
    }
    for (int64_t i = 0; i < rows * count && most > 0; i++)
        x[i] /= most;
    for (int64_t i = 0; i < rows * rows; i++)
        v[i] = i / rows == i % rows;
    turn_all(x, v, rows, count);
    sort_rows(x, v, sigma, rows, count);
    fill_long(m, x, sigma, to, left);
    for (int64_t i = 0; i < rows; i++)
        sigma[i] *= most;
}

k_fn K_SYMBOL(svd);

void K_SYMBOL(svd)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_matrix *m = parameters;
    for (int64_t item = slice.begin; item < slice.end; item++)
        factor(m, (double *)buffers[K_SVD_X] + item * m->rows * m->columns,
               (double *)buffers[K_SVD_SIGMA] + item * m->rows,
               (double *)buffers[K_SVD_SHORT] + item * m->rows * m->rows,
               (double *)buffers[K_SVD_LONG] + item * m->others * m->columns,
               (double *)buffers[K_SVD_LEFT] + item * m->columns);
}
