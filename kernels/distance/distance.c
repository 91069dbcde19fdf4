/* SPDX-License-Identifier: Apache-2.0 */
/* A tile of distances is summed strip by strip of the features: the rows of y are turned over, so
 * that neighbouring distances are neighbouring lanes, and each row of x goes by them. */
#include <math.h>
#include <string.h>

#include "kernels/distance/k_distance.h"
#include "kernels/loop/convert.h"
#include "kernels/vector/math.h"
#include "kernels/vector/simd.h"

enum { ROWS = K_DISTANCE_ROWS, COLUMNS = K_DISTANCE_COLUMNS, DEPTH = 32, STRIP = K_DISTANCE_STRIP };

/* Where item's batch lies in x and in y. */
static void find_batch(const struct k_distance *d, int64_t batch, int64_t *x, int64_t *y)
{
    *x = *y = 0;
    for (int i = d->batch_rank - 1; i >= 0; i--) {
        const int64_t index = batch % d->batch_sizes[i];
        batch /= d->batch_sizes[i];
        *x += index * d->x_strides[i];
        *y += index * d->y_strides[i];
    }
}

static const char *element(const void *buffer, enum k_dtype dtype, int64_t i)
{
    return (const char *)buffer + i * k_dtype_size(dtype);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- distances ---- */

struct tile {
    double x[ROWS][DEPTH], y[DEPTH][COLUMNS]; /* y turned over, 0 beyond its rows */
    double sums[ROWS][COLUMNS];
};

/* sums[j] += |x - y[j]|^p; a NaN stays. */
static void add_powers(const struct k_distance *d, double x, const double *y, double *sums)
{
    if (d->dtype == K_F64) {
        for (int j = 0; j < COLUMNS; j++)
            sums[j] += pow(fabs(x - y[j]), d->p);
        return;
    }
    enum { LANES = sizeof(vf) / sizeof(float) };
    float sizes[COLUMNS];
    for (int j = 0; j < COLUMNS; j++)
        sizes[j] = (float)fabs(x - y[j]);
    for (int j = 0; j < COLUMNS; j += LANES) {
        vf v;
        memcpy(&v, sizes + j, sizeof v);
        v = v_pow(v, (vf){0} + (float)d->p);
        memcpy(sizes + j, &v, sizeof v);
    }
    for (int j = 0; j < COLUMNS; j++)
        sums[j] += (double)sizes[j];
}

static void add_row(const struct k_distance *d, double x, const double *restrict y,
                    double *restrict sums)
{
    if (d->p == 2) {
        for (int j = 0; j < COLUMNS; j++)
            sums[j] += (x - y[j]) * (x - y[j]);
    } else if (d->p == 1) {
        for (int j = 0; j < COLUMNS; j++)
            sums[j] += fabs(x - y[j]);
    } else if (d->p == 0) {
        for (int j = 0; j < COLUMNS; j++) {
            const double left = x - y[j];
            sums[j] += left != left ? left : left != 0 ? 1.0 : 0.0;
        }
    } else if (isinf(d->p)) {
        for (int j = 0; j < COLUMNS; j++) {
            const double size = fabs(x - y[j]);
            sums[j] = size > sums[j] || size != size ? size : sums[j];
        }
    } else {
        add_powers(d, x, y, sums);
    }
}

static void add_strip(const struct k_distance *d, struct tile *t, const void *x, const void *y,
                      int64_t rows, int64_t columns, int64_t depth)
{
    double row[DEPTH];
    for (int64_t i = 0; i < rows; i++)
        k_widen(K_AS_F64, d->dtype, element(x, d->dtype, i * d->features), t->x[i], depth);
    for (int64_t j = 0; j < columns; j++) {
        k_widen(K_AS_F64, d->dtype, element(y, d->dtype, j * d->features), row, depth);
        for (int64_t k = 0; k < depth; k++)
            t->y[k][j] = row[k];
    }
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < depth; k++)
            add_row(d, t->x[i][k], t->y[k], t->sums[i]);
}

static double root_of(double p, double sum)
{
    if (p == 2) return sqrt(sum);
    return p == 0 || p == 1 || isinf(p) ? sum : pow(sum, 1 / p);
}

/* Where the distance of row i and row j is, of a batch. */
static int64_t place_of(const struct k_distance *d, int64_t i, int64_t j)
{
    return d->is_triangle ? i * (2 * d->rows - i - 1) / 2 + j - i - 1 : i * d->columns + j;
}

static void run_tile(const struct k_distance *d, struct tile *t, void *const buffers[],
                     int64_t batch, int64_t i, int64_t j)
{
    const int64_t rows = smaller(ROWS, d->rows - i), columns = smaller(COLUMNS, d->columns - j);
    int64_t x, y;
    find_batch(d, batch, &x, &y);
    x += i * d->features;
    y += j * d->features;
    memset(t->y, 0, sizeof t->y);
    memset(t->sums, 0, sizeof t->sums);
    for (int64_t k = 0; k < d->features; k += DEPTH)
        add_strip(d, t, element(buffers[K_DISTANCE_X], d->dtype, x + k),
                  element(buffers[K_DISTANCE_Y], d->dtype, y + k), rows, columns,
                  smaller(DEPTH, d->features - k));
    for (int64_t row = 0; row < rows; row++) {
        const int64_t first = d->is_triangle && j <= i + row ? i + row + 1 - j : 0;
        if (first >= columns) continue;
        for (int64_t column = first; column < columns; column++)
            t->sums[row][column] = root_of(d->p, t->sums[row][column]);
        const int64_t to = batch * d->rows * d->columns + place_of(d, i + row, j + first);
        k_narrow(K_AS_F64, d->dtype, t->sums[row] + first,
                 (char *)buffers[K_DISTANCE_TO] + to * k_dtype_size(d->dtype), columns - first);
    }
}

k_fn K_SYMBOL(distance), K_SYMBOL(distance_grad);

void K_SYMBOL(distance)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_distance *d = parameters;
    struct tile tile;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t column = item % d->column_tiles * COLUMNS, rest = item / d->column_tiles;
        const int64_t row = rest % d->row_tiles * ROWS, batch = rest / d->row_tiles;
        if (d->is_triangle && column + COLUMNS <= row + 1) continue;
        run_tile(d, &tile, buffers, batch, row, column);
    }
}

/* ---- gradients ---- */

static double sign_of(double x)
{
    return (x > 0) - (x < 0);
}

/* The slope of the distance of one pair by its feature, times `by`; `of` is the distance. */
static double slope(double p, double left, double by, double of)
{
    const double size = fabs(left);
    if (of == 0 || (left == 0 && p < 1)) return 0;
    if (p < 2) return sign_of(left) * pow(size, p - 1) * by / pow(of, p - 1);
    return left * pow(size, p - 2) * by / pow(of, p - 1);
}

/* Of the largest difference, or of all that are as large: as the distance was, differences are
 * rounded to the rows' type. */
static void add_largest(enum k_dtype dtype, const double *x, const double *y, double by, double of,
                        double *sums, int64_t count)
{
    double sizes[STRIP];
    char rounded[STRIP * sizeof(double)];
    for (int64_t k = 0; k < count; k++)
        sizes[k] = fabs(x[k] - y[k]);
    k_narrow(K_AS_F64, dtype, sizes, rounded, count);
    k_widen(K_AS_F64, dtype, rounded, sizes, count);
    for (int64_t k = 0; k < count; k++)
        if (sizes[k] == of) sums[k] += by * sign_of(x[k] - y[k]);
}

static void add_slopes(double p, const double *restrict x, const double *restrict y, double by,
                       double of, double *restrict sums, int64_t count)
{
    if (p == 1) {
        for (int64_t k = 0; k < count; k++) {
            const double left = x[k] - y[k];
            sums[k] += by * (left > 0 ? 1.0 : left < 0 ? -1.0 : 0.0);
        }
    } else if (p == 2) {
        for (int64_t k = 0; k < count && of != 0; k++)
            sums[k] += by * (x[k] - y[k]) / of;
    } else {
        for (int64_t k = 0; k < count; k++)
            sums[k] += slope(p, x[k] - y[k], by, of);
    }
}

void K_SYMBOL(distance_grad)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_distance *d = parameters;
    double x[STRIP], y[STRIP], sums[STRIP];
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t first = item % d->strips * STRIP, row = item / d->strips;
        const int64_t count = smaller(STRIP, d->features - first), i = row % d->rows;
        int64_t x_at, y_at;
        find_batch(d, row / d->rows, &x_at, &y_at);
        x_at += i * d->features + first;
        memset(sums, 0, sizeof sums);
        k_widen(K_AS_F64, d->dtype, element(buffers[K_DISTANCE_GRAD_X], d->dtype, x_at), x, count);
        for (int64_t j = 0; j < d->columns && d->p != 0; j++) {
            double by, of;
            const int64_t pair = row * d->columns + j;
            k_widen(K_AS_F64, d->dtype, element(buffers[K_DISTANCE_GRAD_OF], d->dtype, pair), &by,
                    1);
            k_widen(K_AS_F64, d->dtype, element(buffers[K_DISTANCE_GRAD_DISTANCE], d->dtype, pair),
                    &of, 1);
            k_widen(K_AS_F64, d->dtype,
                    element(buffers[K_DISTANCE_GRAD_Y], d->dtype, y_at + j * d->features + first),
                    y, count);
            if (isinf(d->p))
                add_largest(d->dtype, x, y, by, of, sums, count);
            else
                add_slopes(d->p, x, y, by, of, sums, count);
        }
        char *to = (char *)buffers[K_DISTANCE_GRAD_TO];
        k_narrow(K_AS_F64, d->dtype, sums,
                 to + (row * d->features + first) * k_dtype_size(d->dtype), count);
    }
}
