/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and columns of a matrix are scaled in turns until the columns' factors stay. */
#include <math.h>

#include "kernels/linalg/rows.h"

static const double tiny = 1e-8;

/* row_factor = 1 / (rows (cost column_factor + tiny)) */
static void scale_rows(const struct k_sinkhorn *s, const double *cost, const double *column,
                       double *row)
{
    for (int64_t i = 0; i < s->rows; i++)
        row[i] =
            1 / ((double)s->rows * (row_dot(cost + i * s->columns, column, s->columns) + tiny));
}

/* The same of columns; returns by how much the factors change on average. */
static double scale_columns(const struct k_sinkhorn *s, const double *cost, const double *row,
                            double *column, double *sums)
{
    double change = 0;
    for (int64_t j = 0; j < s->columns; j++)
        sums[j] = 0;
    for (int64_t i = 0; i < s->rows; i++)
        row_add(sums, row[i], cost + i * s->columns, s->columns);
    for (int64_t j = 0; j < s->columns; j++) {
        const double factor = 1 / ((double)s->columns * (sums[j] + tiny));
        change += fabs(column[j] - factor);
        column[j] = factor;
    }
    return change / (double)s->columns;
}

k_fn K_SYMBOL(sinkhorn);

void K_SYMBOL(sinkhorn)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_sinkhorn *s = parameters;
    double *cost = (double *)buffers[K_SINKHORN_COST], *row = (double *)buffers[K_SINKHORN_ROW];
    double *column = (double *)buffers[K_SINKHORN_COLUMN];
    (void)slice; /* one item */
    for (int64_t k = 0; k < s->rows * s->columns; k++)
        cost[k] = exp(cost[k]);
    for (int64_t j = 0; j < s->columns; j++)
        column[j] = 1;
    double error = INFINITY;
    for (int turn = 0; turn < K_SINKHORN_TURNS && error > s->tolerance; turn++) {
        scale_rows(s, cost, column, row);
        error = scale_columns(s, cost, row, column, column + s->columns);
    }
    for (int64_t i = 0; i < s->rows; i++)
        for (int64_t j = 0; j < s->columns; j++)
            cost[i * s->columns + j] *= row[i] * column[j];
}
