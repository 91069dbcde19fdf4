/* SPDX-License-Identifier: Apache-2.0 */
/* QR by reflections. Matrices are transposed: a column is a row here. */
#include <math.h>

#include "kernels/linalg/rows.h"

/* Makes the reflection I - tau v v^T that sends x to a multiple of its first element; v, whose
 * first element is 1, stays behind that. */
static double reflect(double *x, int64_t count)
{
    const double alpha = x[0], rest = row_length(x + 1, count - 1);
    if (rest == 0) return 0;
    const double beta = -copysign(hypot(alpha, rest), alpha);
    for (int64_t i = 1; i < count; i++)
        x[i] /= alpha - beta;
    x[0] = beta;
    return (beta - alpha) / beta;
}

static void apply(const double *v, double tau, double *x, int64_t count)
{
    const double factor = -tau * (x[0] + row_dot(v + 1, x + 1, count - 1));
    x[0] += factor;
    row_add(x + 1, factor, v + 1, count - 1);
}

static void factor(const struct k_matrix *m, double *a, double *q, double *tau)
{
    const int64_t rows = m->rows, columns = m->columns, count = rows < columns ? rows : columns;
    for (int64_t k = 0; k < count; k++) {
        tau[k] = reflect(a + k * rows + k, rows - k);
        for (int64_t j = k + 1; j < columns && tau[k] != 0; j++)
            apply(a + k * rows + k, tau[k], a + j * rows + k, rows - k);
    }
    for (int64_t i = 0; i < m->others * rows; i++)
        q[i] = i / rows == i % rows;
    for (int64_t k = count - 1; k >= 0; k--)
        for (int64_t j = k; j < m->others && tau[k] != 0; j++)
            apply(a + k * rows + k, tau[k], q + j * rows + k, rows - k);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = j + 1; i < rows; i++)
            a[j * rows + i] = 0;
}

k_fn K_SYMBOL(qr);

void K_SYMBOL(qr)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_matrix *m = parameters;
    const int64_t count = m->rows < m->columns ? m->rows : m->columns;
    for (int64_t item = slice.begin; item < slice.end; item++)
        factor(m, (double *)buffers[K_QR_A] + item * m->rows * m->columns,
               (double *)buffers[K_QR_Q] + item * m->others * m->rows,
               (double *)buffers[K_QR_TAU] + item * count);
}
