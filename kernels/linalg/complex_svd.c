/* SPDX-License-Identifier: Apache-2.0 */
/* Singular values of complex matrices, as svd.c has those of real ones: the second row of a pair is
 * turned by an angle that makes their product real, then both are rotated. */
#include "kernels/linalg/pairs.h"

enum { SWEEPS = 60 };
static const double tiny = 0x1p-52;

/* b is multiplied by `turn`, then both rows are rotated. */
static void rotate(struct pair *restrict a, struct pair *restrict b, struct pair turn, double c,
                   double s, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        const struct pair one = a[k], other = pair_times(turn, b[k]);
        a[k].real = c * one.real - s * other.real;
        a[k].imaginary = c * one.imaginary - s * other.imaginary;
        b[k].real = s * one.real + c * other.real;
        b[k].imaginary = s * one.imaginary + c * other.imaginary;
    }
}

/* Makes two rows orthogonal; false if they are. */
static bool turn_pair(struct pair *a, struct pair *b, struct pair *v, struct pair *w, int64_t count,
                      int64_t short_count)
{
    const double aa = pairs_dot(a, a, count).real, bb = pairs_dot(b, b, count).real;
    const struct pair ab = pairs_dot(a, b, count);
    const double size = pair_size(ab);
    if (!(size > 4 * tiny * sqrt(aa) * sqrt(bb))) return false;
    const struct pair turn = {ab.real / size, ab.imaginary / size};
    const double zeta = (bb - aa) / (2 * size);
    const double t = copysign(1 / (fabs(zeta) + hypot(1, zeta)), zeta);
    const double c = 1 / sqrt(1 + t * t);
    rotate(a, b, turn, c, c * t, count);
    rotate(v, w, turn, c, c * t, short_count);
    return true;
}

static void turn_all(struct pair *x, struct pair *v, int64_t rows, int64_t count)
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
static void sort_rows(struct pair *x, struct pair *v, double *sigma, int64_t rows, int64_t count)
{
    for (int64_t i = 0; i < rows; i++)
        sigma[i] = pairs_length(x + i * count, count);
    for (int64_t i = 0; i < rows; i++) {
        int64_t most = i;
        for (int64_t j = i + 1; j < rows; j++)
            if (sigma[j] > sigma[most]) most = j;
        const double kept = sigma[i];
        sigma[i] = sigma[most];
        sigma[most] = kept;
        pairs_swap(x + i * count, x + most * count, count);
        pairs_swap(v + i * rows, v + most * rows, rows);
    }
}

/* Row `row` becomes orthogonal to those before it and of length 1: of the axes, the one that these
 * have least of, less their parts of it. left[t]: how much of axis t they leave. */
static void complete_row(struct pair *rows, int64_t row, int64_t count, const double *left)
{
    struct pair *own = rows + row * count;
    int64_t axis = 0;
    for (int64_t t = 1; t < count; t++)
        if (left[t] > left[axis]) axis = t;
    for (int64_t t = 0; t < count; t++)
        own[t] = (struct pair){t == axis, 0};
    for (int again = 0; again < 2; again++)
        for (int64_t i = 0; i < row; i++)
            pairs_add(own, pair_negated(pairs_dot(own, rows + i * count, count)), rows + i * count,
                      count);
    const double length = pairs_length(own, count);
    for (int64_t t = 0; t < count; t++)
        own[t] = pair_scaled(own[t], 1 / length);
}

/* Rows of length 1: those of x, and others that complete a basis, also where a value is nothing
 * but rounding. */
static void fill_long(const struct k_matrix *m, const struct pair *x, const double *sigma,
                      struct pair *to, double *left)
{
    const int64_t count = m->columns;
    for (int64_t t = 0; t < count; t++)
        left[t] = 1;
    for (int64_t i = 0; i < m->others; i++) {
        struct pair *row = to + i * count;
        if (i < m->rows && sigma[i] > (double)count * tiny * sigma[0])
            for (int64_t t = 0; t < count; t++)
                row[t] = (struct pair){x[i * count + t].real / sigma[i],
                                       x[i * count + t].imaginary / sigma[i]};
        else
            complete_row(to, i, count, left);
        for (int64_t t = 0; t < count; t++)
            left[t] -= row[t].real * row[t].real + row[t].imaginary * row[t].imaginary;
    }
}

static void fill_nan(struct pair *to, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = (struct pair){NAN, NAN};
}

static void conjugate(struct pair *to, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        to[i].imaginary = -to[i].imaginary;
}

static void factor(const struct k_matrix *m, struct pair *x, double *sigma, struct pair *v,
                   struct pair *to, double *left)
{
    const int64_t rows = m->rows, count = m->columns;
    const double most = pairs_largest(x, rows * count);
    if (!isfinite(most)) {
        for (int64_t i = 0; i < rows; i++)
            sigma[i] = NAN;
        fill_nan(v, rows * rows);
        fill_nan(to, m->others * count);
        return;
    }
    for (int64_t i = 0; i < rows * count && most > 0; i++)
        x[i] = (struct pair){x[i].real / most, x[i].imaginary / most};
    pairs_identity(v, rows, rows);
    turn_all(x, v, rows, count);
    sort_rows(x, v, sigma, rows, count);
    fill_long(m, x, sigma, to, left);
    for (int64_t i = 0; i < rows; i++)
        sigma[i] *= most;
    if (!m->conjugates) return;
    conjugate(v, rows * rows);
    conjugate(to, m->others * count);
}

k_fn K_SYMBOL(complex_svd);

void K_SYMBOL(complex_svd)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_matrix *m = parameters;
    for (int64_t item = slice.begin; item < slice.end; item++)
        factor(m, (struct pair *)buffers[K_SVD_X] + item * m->rows * m->columns,
               (double *)buffers[K_SVD_SIGMA] + item * m->rows,
               (struct pair *)buffers[K_SVD_SHORT] + item * m->rows * m->rows,
               (struct pair *)buffers[K_SVD_LONG] + item * m->others * m->columns,
               (double *)buffers[K_SVD_LEFT] + item * m->columns);
}
