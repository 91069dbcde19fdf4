/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of rows of complex numbers, in double. */
#ifndef ACLNN_CPU_KERNELS_LINALG_PAIRS_H
#define ACLNN_CPU_KERNELS_LINALG_PAIRS_H

#include <math.h>
#include <stdbool.h>

#include "kernels/linalg/k_linalg.h"
#include "kernels/vector/instance.h"

struct pair {
    double real, imaginary;
};

static inline struct pair pair_negated(struct pair a)
{
    return (struct pair){-a.real, -a.imaginary};
}

static inline struct pair pair_conjugate(struct pair a)
{
    return (struct pair){a.real, -a.imaginary};
}

static inline struct pair pair_times(struct pair a, struct pair b)
{
    return (struct pair){a.real * b.real - a.imaginary * b.imaginary,
                         a.real * b.imaginary + a.imaginary * b.real};
}

static inline struct pair pair_scaled(struct pair a, double factor)
{
    return (struct pair){a.real * factor, a.imaginary * factor};
}

/* Smith's method, by the larger part of the divisor; by 0 both parts are divided on their own. */
static inline struct pair pair_over(struct pair a, struct pair b)
{
    if (b.real == 0 && b.imaginary == 0)
        return (struct pair){a.real / fabs(b.real), a.imaginary / fabs(b.real)};
    if (fabs(b.real) >= fabs(b.imaginary)) {
        const double ratio = b.imaginary / b.real, scale = 1 / (b.real + b.imaginary * ratio);
        return (struct pair){(a.real + a.imaginary * ratio) * scale,
                             (a.imaginary - a.real * ratio) * scale};
    }
    const double ratio = b.real / b.imaginary, scale = 1 / (b.real * ratio + b.imaginary);
    return (struct pair){(a.real * ratio + a.imaginary) * scale,
                         (a.imaginary * ratio - a.real) * scale};
}

static inline double pair_size(struct pair a)
{
    return hypot(a.real, a.imaginary);
}

/* to[] += factor * x[] */
K_TEMPLATE
void pairs_add(struct pair *restrict to, struct pair factor, const struct pair *restrict x,
               int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        to[k].real += factor.real * x[k].real - factor.imaginary * x[k].imaginary;
        to[k].imaginary += factor.real * x[k].imaginary + factor.imaginary * x[k].real;
    }
}

/* The sum of a[k] times the conjugate of b[k]. */
K_TEMPLATE
struct pair pairs_dot(const struct pair *a, const struct pair *b, int64_t count)
{
    enum { LANES = 4 };
    double real[LANES] = {0}, imaginary[LANES] = {0};
    struct pair sum = {0, 0};
    for (int64_t k = 0; k < count; k++) {
        const int lane = (int)(k % LANES);
        real[lane] += a[k].real * b[k].real + a[k].imaginary * b[k].imaginary;
        imaginary[lane] += a[k].imaginary * b[k].real - a[k].real * b[k].imaginary;
    }
    for (int lane = 0; lane < LANES; lane++) {
        sum.real += real[lane];
        sum.imaginary += imaginary[lane];
    }
    return sum;
}

/* The largest part of a row, NaN where one is. */
K_TEMPLATE
double pairs_largest(const struct pair *x, int64_t count)
{
    double most = 0;
    for (int64_t k = 0; k < count; k++) {
        const double size = fmax(fabs(x[k].real), fabs(x[k].imaginary));
        if (x[k].real != x[k].real || x[k].imaginary != x[k].imaginary) return NAN;
        if (size > most) most = size;
    }
    return most;
}

/* The length of a row, without overflow on the way. */
K_TEMPLATE
double pairs_length(const struct pair *x, int64_t count)
{
    const double most = pairs_largest(x, count);
    double sum = 0;
    if (most == 0 || !isfinite(most)) return most;
    for (int64_t k = 0; k < count; k++) {
        const double real = x[k].real / most, imaginary = x[k].imaginary / most;
        sum += real * real + imaginary * imaginary;
    }
    return most * sqrt(sum);
}

K_TEMPLATE
void pairs_swap(struct pair *a, struct pair *b, int64_t count)
{
    for (int64_t k = 0; k < count && a != b; k++) {
        const struct pair kept = a[k];
        a[k] = b[k];
        b[k] = kept;
    }
}

/* An identity, or its first rows. */
K_TEMPLATE
void pairs_identity(struct pair *to, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < rows * columns; i++)
        to[i] = (struct pair){i / columns == i % columns, 0};
}

#endif
