/* SPDX-License-Identifier: Apache-2.0 */
/* LU with partial pivoting, some columns at a time: what is right of and below them is updated by
 * all of them together. Cholesky row by row. */
#include <math.h>
#include <stdbool.h>

#include "kernels/linalg/rows.h"

enum { PANEL = 32 };

static void swap_rows(double *a, int64_t n, int64_t one, int64_t other)
{
    for (int64_t j = 0; j < n && one != other; j++) {
        const double kept = a[one * n + j];
        a[one * n + j] = a[other * n + j];
        a[other * n + j] = kept;
    }
}

/* The row from k on with the largest element of column k; a NaN is the largest. */
static int64_t pivot_of(const double *a, int64_t n, int64_t k)
{
    int64_t at = k;
    for (int64_t i = k + 1; i < n; i++) {
        const double size = fabs(a[i * n + k]), most = fabs(a[at * n + k]);
        if (size > most || (size != size && most == most)) at = i;
    }
    return at;
}

/* Columns begin to end - 1, below which everything is up to date. Returns whether rows were
 * exchanged an odd number of times; p's rows are exchanged too. */
static bool factor_panel(double *a, double *p, int64_t n, int64_t begin, int64_t end)
{
    bool is_odd = false;
    for (int64_t k = begin; k < end; k++) {
        const int64_t at = pivot_of(a, n, k);
        is_odd ^= at != k;
        swap_rows(a, n, k, at);
        if (p != a) swap_rows(p, n, k, at);
        if (a[k * n + k] == 0) continue; /* so is all below it */
        for (int64_t i = k + 1; i < n; i++) {
            double *row = a + i * n;
            row[k] /= a[k * n + k];
            row_add(row + k + 1, -row[k], a + k * n + k + 1, end - k - 1);
        }
    }
    return is_odd;
}

static bool factor(double *a, double *p, int64_t n)
{
    bool is_odd = false;
    for (int64_t begin = 0; begin < n; begin += PANEL) {
        const int64_t end = n - begin < PANEL ? n : begin + PANEL;
        is_odd ^= factor_panel(a, p, n, begin, end);
        for (int64_t i = begin + 1; i < n; i++)
            row_subtract(a + i * n + end, a + i * n + begin, a + begin * n + end,
                         (i < end ? i : end) - begin, n, n - end);
    }
    return is_odd;
}

static void set_identity(double *p, int64_t n)
{
    for (int64_t i = 0; i < n * n; i++)
        p[i] = i / n == i % n;
}

k_fn K_SYMBOL(lu);

void K_SYMBOL(lu)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_matrix *m = parameters;
    const int64_t n = m->rows;
    const bool has_p = buffers[K_LU_P] != buffers[K_LU_A];
    for (int64_t item = slice.begin; item < slice.end; item++) {
        double *a = (double *)buffers[K_LU_A] + item * n * n;
        double *p = has_p ? (double *)buffers[K_LU_P] + item * n * n : a;
        if (has_p) set_identity(p, n);
        double sign = factor(a, p, n) ? -1 : 1, log_of = 0;
        for (int64_t i = 0; i < n; i++) {
            const double pivot = a[i * n + i];
            sign *= pivot != pivot ? pivot : (pivot > 0) - (pivot < 0);
            log_of += log(fabs(pivot));
        }
        if (m->has_faults && sign == 0) k_fault_note(buffers[K_LU_BUFFERS], item);
        ((double *)buffers[K_LU_SIGN])[item] = sign;
        ((double *)buffers[K_LU_LOG])[item] = m->wants_log && sign < 0 ? NAN : log_of;
    }
}

/* ---- Cholesky ---- */

/* Whether a is positive definite. */
static bool factor_symmetric(double *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double *row = a + i * n;
        for (int64_t j = 0; j < i; j++)
            row[j] = (row[j] - row_dot(row, a + j * n, j)) / a[j * n + j];
        const double rest = row[i] - row_dot(row, row, i);
        if (!(rest > 0)) return false;
        row[i] = sqrt(rest);
        for (int64_t j = i + 1; j < n; j++)
            row[j] = 0;
    }
    return true;
}

k_fn K_SYMBOL(cholesky);

void K_SYMBOL(cholesky)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_matrix *m = parameters;
    const int64_t n = m->rows;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        double *a = (double *)buffers[K_CHOLESKY_A] + item * n * n;
        if (factor_symmetric(a, n)) continue;
        k_fault_note(buffers[K_CHOLESKY_BUFFERS], item);
        for (int64_t i = 0; i < n * n; i++)
            a[i] = NAN;
    }
}
