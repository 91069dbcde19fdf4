/* SPDX-License-Identifier: Apache-2.0 */
/* Complex matrices: substitution, LU with partial pivoting, QR by reflections, row by row. */
#include "kernels/linalg/pairs.h"

/* ---- substitution ---- */

static void solve_strip(const struct k_triangular *t, const struct pair *a, struct pair *x,
                        int64_t width)
{
    const int64_t n = t->order, columns = t->columns;
    for (int64_t step = 0; step < n; step++) {
        const int64_t i = t->is_upper ? n - 1 - step : step;
        const int64_t known = t->is_upper ? i + 1 : 0;
        const struct pair *row = a + i * n;
        struct pair *left = x + i * columns;
        for (int64_t k = known; k < known + step; k++)
            pairs_add(left, pair_negated(row[k]), x + k * columns, width);
        for (int64_t j = 0; j < width && !t->has_ones; j++)
            left[j] = pair_over(left[j], row[i]);
    }
}

k_fn K_SYMBOL(complex_triangular_solve);

void K_SYMBOL(complex_triangular_solve)(const void *parameters, void *const buffers[],
                                        struct k_slice slice)
{
    const struct k_triangular *t = parameters;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t matrix = item / t->strips, first = item % t->strips * K_TRIANGULAR_STRIP;
        const int64_t rest = t->columns - first;
        solve_strip(t, (const struct pair *)buffers[K_TRIANGULAR_A] + matrix * t->order * t->order,
                    (struct pair *)buffers[K_TRIANGULAR_X] + matrix * t->order * t->columns + first,
                    rest < K_TRIANGULAR_STRIP ? rest : K_TRIANGULAR_STRIP);
    }
}

/* ---- determinants ---- */

/* What the pivot is the largest by; a NaN is larger than any number. */
static bool is_larger(struct pair a, struct pair b)
{
    const double size = fabs(a.real) + fabs(a.imaginary), most = fabs(b.real) + fabs(b.imaginary);
    return size > most || (size != size && most == most);
}

/* Returns whether rows were exchanged an odd number of times. */
static bool factor_lu(struct pair *a, int64_t n)
{
    bool is_odd = false;
    for (int64_t k = 0; k < n; k++) {
        int64_t at = k;
        for (int64_t i = k + 1; i < n; i++)
            if (is_larger(a[i * n + k], a[at * n + k])) at = i;
        is_odd ^= at != k;
        pairs_swap(a + k * n, a + at * n, n);
        if (a[k * n + k].real == 0 && a[k * n + k].imaginary == 0) continue; /* so is all below */
        for (int64_t i = k + 1; i < n; i++) {
            struct pair *row = a + i * n;
            row[k] = pair_over(row[k], a[k * n + k]);
            pairs_add(row + k + 1, pair_negated(row[k]), a + k * n + k + 1, n - k - 1);
        }
    }
    return is_odd;
}

k_fn K_SYMBOL(complex_lu);

/* Of a singular matrix the sign is 0 and has no angle. */
void K_SYMBOL(complex_lu)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_matrix *m = parameters;
    const int64_t n = m->rows;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        struct pair *a = (struct pair *)buffers[K_LU_A] + item * n * n;
        struct pair sign = {factor_lu(a, n) ? -1 : 1, 0}, log_of = {0, 0};
        for (int64_t i = 0; i < n; i++) {
            const struct pair pivot = a[i * n + i];
            const double size = pair_size(pivot);
            const struct pair none = {0, 0};
            sign = size == 0
                       ? none
                       : pair_times(sign, (struct pair){pivot.real / size, pivot.imaginary / size});
            log_of.real += log(size);
        }
        if (m->wants_log && (sign.real != 0 || sign.imaginary != 0))
            log_of.imaginary = atan2(sign.imaginary, sign.real);
        ((struct pair *)buffers[K_LU_SIGN])[item] = sign;
        ((struct pair *)buffers[K_LU_LOG])[item] = log_of;
    }
}

/* ---- QR ---- */

/* Makes the reflection I - tau v v^H whose adjoint sends x to a real multiple of its first element;
 * v, whose first element is 1, stays behind that. */
static struct pair reflect(struct pair *x, int64_t count)
{
    const struct pair alpha = x[0], none = {0, 0};
    const double rest = pairs_length(x + 1, count - 1);
    if (rest == 0 && alpha.imaginary == 0) return none;
    const double beta = -copysign(hypot(pair_size(alpha), rest), alpha.real);
    const struct pair divisor = {alpha.real - beta, alpha.imaginary};
    for (int64_t i = 1; i < count; i++)
        x[i] = pair_over(x[i], divisor);
    x[0] = (struct pair){beta, 0};
    return (struct pair){(beta - alpha.real) / beta, -alpha.imaginary / beta};
}

static void apply(const struct pair *v, struct pair tau, struct pair *x, int64_t count)
{
    struct pair sum = pairs_dot(x + 1, v + 1, count - 1);
    sum.real += x[0].real;
    sum.imaginary += x[0].imaginary;
    const struct pair factor = pair_negated(pair_times(tau, sum));
    x[0].real += factor.real;
    x[0].imaginary += factor.imaginary;
    pairs_add(x + 1, factor, v + 1, count - 1);
}

static void factor_qr(const struct k_matrix *m, struct pair *a, struct pair *q, struct pair *tau)
{
    const int64_t rows = m->rows, columns = m->columns, count = rows < columns ? rows : columns;
    const struct pair none = {0, 0};
    for (int64_t k = 0; k < count; k++) {
        tau[k] = reflect(a + k * rows + k, rows - k);
        for (int64_t j = k + 1; j < columns; j++)
            apply(a + k * rows + k, pair_conjugate(tau[k]), a + j * rows + k, rows - k);
    }
    pairs_identity(q, m->others, rows);
    for (int64_t k = count - 1; k >= 0; k--)
        for (int64_t j = k; j < m->others; j++)
            apply(a + k * rows + k, tau[k], q + j * rows + k, rows - k);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = j + 1; i < rows; i++)
            a[j * rows + i] = none;
}

k_fn K_SYMBOL(complex_qr);

void K_SYMBOL(complex_qr)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_matrix *m = parameters;
    const int64_t count = m->rows < m->columns ? m->rows : m->columns;
    for (int64_t item = slice.begin; item < slice.end; item++)
        factor_qr(m, (struct pair *)buffers[K_QR_A] + item * m->rows * m->columns,
                  (struct pair *)buffers[K_QR_Q] + item * m->others * m->rows,
                  (struct pair *)buffers[K_QR_TAU] + item * count);
}
