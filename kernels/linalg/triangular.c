/* SPDX-License-Identifier: Apache-2.0 */
/* Substitution, row by row: x[i] = (b[i] - sum of a[i, k] x[k] over the rows k that are known) /
 * a[i, i]. The columns of a strip are lanes, and their sums stay in registers; a single column is
 * summed in lanes of its own. */
#include "kernels/linalg/k_linalg.h"
#include "kernels/vector/simd.h"

enum { STRIP = K_TRIANGULAR_STRIP, LANES = 8 };

/* left[] -= a[k] x[k, :] for `count` rows of x. */
static void subtract_rows(const double *restrict a, const double *restrict x, int64_t count,
                          int64_t columns, double *restrict left)
{
    double sums[STRIP] = {0};
    for (int64_t k = 0; k < count; k++)
        for (int j = 0; j < STRIP; j++)
            sums[j] += a[k] * x[k * columns + j];
    for (int j = 0; j < STRIP; j++)
        left[j] -= sums[j];
}

static void subtract_some(const double *restrict a, const double *restrict x, int64_t count,
                          int64_t columns, int64_t width, double *restrict left)
{
    for (int64_t j = 0; j < width; j++) {
        double sum = 0;
        for (int64_t k = 0; k < count; k++)
            sum += a[k] * x[k * columns + j];
        left[j] -= sum;
    }
}

static void subtract_column(const double *restrict a, const double *restrict x, int64_t count,
                            double *left)
{
    double sums[LANES] = {0}, sum = 0;
    int64_t k = 0;
    for (; k + LANES <= count; k += LANES)
        for (int lane = 0; lane < LANES; lane++)
            sums[lane] += a[k + lane] * x[k + lane];
    for (; k < count; k++)
        sum += a[k] * x[k];
    for (int lane = 0; lane < LANES; lane++)
        sum += sums[lane];
    *left -= sum;
}

static void solve_strip(const struct k_triangular *t, const double *a, double *x, int64_t width)
{
    const int64_t n = t->order, columns = t->columns;
    for (int64_t step = 0; step < n; step++) {
        const int64_t i = t->is_upper ? n - 1 - step : step;
        const int64_t known = t->is_upper ? i + 1 : 0;
        const double *row = a + i * n;
        double *left = x + i * columns;
        if (width == STRIP)
            subtract_rows(row + known, x + known * columns, step, columns, left);
        else if (columns == 1)
            subtract_column(row + known, x + known, step, left);
        else
            subtract_some(row + known, x + known * columns, step, columns, width, left);
        for (int64_t j = 0; j < width && !t->has_ones; j++)
            left[j] /= row[i];
    }
}

k_fn K_SYMBOL(triangular_solve);

void K_SYMBOL(triangular_solve)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_triangular *t = parameters;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t matrix = item / t->strips, first = item % t->strips * STRIP;
        const int64_t width = t->columns - first < STRIP ? t->columns - first : STRIP;
        const double *a = (const double *)buffers[K_TRIANGULAR_A] + matrix * t->order * t->order;
        double *x = (double *)buffers[K_TRIANGULAR_X] + matrix * t->order * t->columns;
        solve_strip(t, a, x + first, width);
    }
}
