/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of rows of doubles. Sums are made in lanes, in the same order on every level. */
#ifndef ACLNN_CPU_KERNELS_LINALG_ROWS_H
#define ACLNN_CPU_KERNELS_LINALG_ROWS_H

#include <math.h>

#include "kernels/linalg/k_linalg.h"
#include "kernels/vector/instance.h"

enum { ROW_LANES = 8, ROW_STRIP = K_TRIANGULAR_STRIP };

K_TEMPLATE
double row_dot(const double *a, const double *b, int64_t count)
{
    double sums[ROW_LANES] = {0}, sum = 0;
    int64_t k = 0;
    for (; k + ROW_LANES <= count; k += ROW_LANES)
        for (int lane = 0; lane < ROW_LANES; lane++)
            sums[lane] += a[k + lane] * b[k + lane];
    for (; k < count; k++)
        sum += a[k] * b[k];
    for (int lane = 0; lane < ROW_LANES; lane++)
        sum += sums[lane];
    return sum;
}

/* to[] += factor * x[] */
K_TEMPLATE
void row_add(double *restrict to, double factor, const double *restrict x, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        to[k] += factor * x[k];
}

/* to[] -= sum over k of a[k] x[k, :], rows of x `step` apart. */
K_TEMPLATE
void row_subtract(double *restrict to, const double *restrict a, const double *restrict x,
                  int64_t rows, int64_t step, int64_t count)
{
    int64_t first = 0;
    for (; first + ROW_STRIP <= count; first += ROW_STRIP) {
        double sums[ROW_STRIP] = {0};
        for (int64_t k = 0; k < rows; k++)
            for (int j = 0; j < ROW_STRIP; j++)
                sums[j] += a[k] * x[k * step + first + j];
        for (int j = 0; j < ROW_STRIP; j++)
            to[first + j] -= sums[j];
    }
    for (int64_t k = 0; k < rows && first < count; k++)
        row_add(to + first, -a[k], x + k * step + first, count - first);
}

/* The length of a row, without overflow on the way. */
K_TEMPLATE
double row_length(const double *x, int64_t count)
{
    double most = 0, sum = 0;
    for (int64_t k = 0; k < count; k++)
        most = fabs(x[k]) > most || x[k] != x[k] ? fabs(x[k]) : most;
    if (most == 0 || !isfinite(most)) return most;
    for (int64_t k = 0; k < count; k++)
        sum += x[k] / most * (x[k] / most);
    return most * sqrt(sum);
}

#endif
