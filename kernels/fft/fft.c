/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms by Stockham's stages, which leave the results in order: a stage of radix r
 * turns r parts of an array, `m s` elements apart, into short transforms that lie side by side; s
 * is the product of the radices before. Real and imaginary parts are arrays of their own, so that
 * the inner loop over s runs on whole vectors. */
#include <math.h>

#include "kernels/fft/k_fft.h"
#include "kernels/vector/instance.h"

struct parts {
    double *re, *im;
};

struct root {
    double re, im;
};

/* exp(-2 pi i k / n): from the nearest eighth of a turn, so that multiples of it are exact. */
static struct root root_of(int64_t k, int64_t n)
{
    static const double half = 0x1.6a09e667f3bcdp-1, pi = 0x1.921fb54442d18p+1;
    const double eighths[] = {1, half, 0, -half, -1, -half, 0, half}; /* cosines */
    const int64_t eighth = (8 * k + n / 2) / n;
    const double angle = 2 * pi * ((double)(8 * k - eighth * n) / (8 * (double)n));
    const double c = cos(angle), s = sin(angle);
    const struct root turned = {eighths[eighth % 8], eighths[(eighth + 6) % 8]};
    return (struct root){turned.re * c - turned.im * s, -(turned.im * c + turned.re * s)};
}

static inline struct root table_root(const double *table, int64_t k)
{
    return (struct root){table[2 * k], table[2 * k + 1]};
}

/* ---- stages ---- */

static void stage2(struct parts x, struct parts y, const double *table, int64_t m, int64_t s)
{
    for (int64_t p = 0; p < m; p++) {
        const struct root w = table_root(table, p * s);
        const double *a = x.re + s * p, *b = x.im + s * p;
        const double *c = a + s * m, *d = b + s * m;
        double *re = y.re + 2 * s * p, *im = y.im + 2 * s * p;
        for (int64_t q = 0; q < s; q++) {
            const double r = a[q] - c[q], i = b[q] - d[q];
            re[q] = a[q] + c[q];
            im[q] = b[q] + d[q];
            re[q + s] = r * w.re - i * w.im;
            im[q + s] = r * w.im + i * w.re;
        }
    }
}

static void stage4(struct parts x, struct parts y, const double *table, int64_t m, int64_t s)
{
    const int64_t part = s * m;
    for (int64_t p = 0; p < m; p++) {
        const struct root w1 = table_root(table, p * s), w2 = table_root(table, 2 * p * s),
                          w3 = table_root(table, 3 * p * s);
        const double *a = x.re + s * p, *b = x.im + s * p;
        double *re = y.re + 4 * s * p, *im = y.im + 4 * s * p;
        for (int64_t q = 0; q < s; q++) {
            const double r0 = a[q] + a[q + 2 * part], i0 = b[q] + b[q + 2 * part];
            const double r1 = a[q] - a[q + 2 * part], i1 = b[q] - b[q + 2 * part];
            const double r2 = a[q + part] + a[q + 3 * part], i2 = b[q + part] + b[q + 3 * part];
            const double r3 = a[q + part] - a[q + 3 * part], i3 = b[q + part] - b[q + 3 * part];
            const double u1 = r1 + i3, v1 = i1 - r3, u2 = r0 - r2, v2 = i0 - i2;
            const double u3 = r1 - i3, v3 = i1 + r3;
            re[q] = r0 + r2;
            im[q] = i0 + i2;
            re[q + s] = u1 * w1.re - v1 * w1.im;
            im[q + s] = u1 * w1.im + v1 * w1.re;
            re[q + 2 * s] = u2 * w2.re - v2 * w2.im;
            im[q + 2 * s] = u2 * w2.im + v2 * w2.re;
            re[q + 3 * s] = u3 * w3.re - v3 * w3.im;
            im[q + 3 * s] = u3 * w3.im + v3 * w3.re;
        }
    }
}

/* Any radix: sums of r products each. n: points of all. */
static void stage(int radix, struct parts x, struct parts y, const double *table, int64_t m,
                  int64_t s, int64_t n)
{
    for (int64_t p = 0; p < m; p++)
        for (int j = 0; j < radix; j++) {
            double *re = y.re + s * (radix * p + j), *im = y.im + s * (radix * p + j);
            for (int64_t q = 0; q < s; q++)
                re[q] = im[q] = 0;
            for (int k = 0; k < radix; k++) {
                /* w_radix^(j k) w^(p j): both are powers of the root of n. */
                const int64_t power = (n / radix * (j * k % radix) + p * j * s) % n;
                const struct root w = table_root(table, power);
                const double *a = x.re + s * (p + m * k), *b = x.im + s * (p + m * k);
                for (int64_t q = 0; q < s; q++) {
                    re[q] += a[q] * w.re - b[q] * w.im;
                    im[q] += a[q] * w.im + b[q] * w.re;
                }
            }
        }
}

/* The transform of x, in x or in y: which, is returned. */
static struct parts transform(const struct k_fft *fft, const double *table, struct parts x,
                              struct parts y)
{
    int64_t s = 1;
    for (int i = 0; i < fft->stages; i++) {
        const int radix = fft->radix[i];
        const int64_t m = fft->points / (s * radix);
        if (radix == 2)
            stage2(x, y, table, m, s);
        else if (radix == 4)
            stage4(x, y, table, m, s);
        else
            stage(radix, x, y, table, m, s, fft->points);
        const struct parts other = x;
        x = y;
        y = other;
        s *= radix;
    }
    return x;
}

/* ---- a chirp: j k = (j j + k k - (k - j)^2) / 2 ---- */

static const double *chirp_of(const struct k_fft *fft, const double *table)
{
    return table + 2 * fft->points;
}

/* a = b times a root. */
static inline void turn(const struct parts *to, int64_t i, double re, double im, struct root w)
{
    to->re[i] = re * w.re - im * w.im;
    to->im[i] = re * w.im + im * w.re;
}

static struct parts transform_chirp(const struct k_fft *fft, const double *table, struct parts x,
                                    struct parts y)
{
    const double *chirp = chirp_of(fft, table), *filter = chirp + 2 * fft->length;
    const double by = 1 / (double)fft->points;
    for (int64_t j = 0; j < fft->points; j++)
        if (j < fft->length)
            turn(&x, j, x.re[j], x.im[j], table_root(chirp, j));
        else
            x.re[j] = x.im[j] = 0;
    struct parts made = transform(fft, table, x, y), other = made.re == x.re ? y : x;
    /* The inverse transform is the conjugate's, conjugated. */
    for (int64_t k = 0; k < fft->points; k++) {
        turn(&made, k, made.re[k], made.im[k], table_root(filter, k));
        made.im[k] = -made.im[k];
    }
    made = transform(fft, table, made, other);
    for (int64_t k = 0; k < fft->length; k++)
        turn(&made, k, made.re[k] * by, -made.im[k] * by, table_root(chirp, k));
    return made;
}

k_fn K_SYMBOL(fft_table);

/* One item. Scratch is behind the table. */
void K_SYMBOL(fft_table)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_fft *fft = parameters;
    double *table = buffers[0], *scratch = buffers[1];
    const int64_t n = fft->length, m = fft->points;
    if (slice.begin == slice.end) return;
    for (int64_t k = 0; k < m; k++) {
        const struct root w = root_of(k, m);
        table[2 * k] = w.re;
        table[2 * k + 1] = w.im;
    }
    if (!fft->is_chirp) return;
    double *chirp = table + 2 * m, *filter = chirp + 2 * n;
    const struct parts x = {scratch, scratch + m}, y = {scratch + 2 * m, scratch + 3 * m};
    for (int64_t k = 0; k < m; k++)
        x.re[k] = x.im[k] = 0;
    for (int64_t j = 0, square = 0; j < n; square = (square + 2 * j + 1) % (2 * n), j++) {
        const struct root w = root_of(square, 2 * n);
        chirp[2 * j] = w.re;
        chirp[2 * j + 1] = w.im;
        x.re[j] = x.re[(m - j) % m] = w.re;
        x.im[j] = x.im[(m - j) % m] = -w.im;
    }
    const struct parts made = transform(fft, table, x, y);
    for (int64_t k = 0; k < m; k++) {
        filter[2 * k] = made.re[k];
        filter[2 * k + 1] = made.im[k];
    }
}

/* ---- lines ---- */

static inline double read(const struct k_fft *fft, const void *from, int64_t at)
{
    return fft->dtype == K_F64 ? ((const double *)from)[at] : (double)((const float *)from)[at];
}

static void gather(const struct k_fft *fft, const void *x, const void *window, int64_t at,
                   struct parts to)
{
    const int64_t width = fft->is_complex ? 2 : 1, window_width = fft->window_is_complex ? 2 : 1;
    for (int64_t j = 0; j < fft->length; j++) {
        const int64_t in = j - fft->window_begin, from = width * (at + j * fft->from_step);
        double re = 0, im = 0;
        if (j < fft->count && in >= 0 && in < fft->window_count) {
            re = read(fft, x, from);
            im = fft->is_complex ? read(fft, x, from + 1) : 0;
        }
        if (fft->has_window && in >= 0 && in < fft->window_count) {
            const int64_t place = window_width * in * fft->window_step;
            const struct root w = {read(fft, window, place),
                                   fft->window_is_complex ? read(fft, window, place + 1) : 0};
            const struct root value = {re * w.re - im * w.im, re * w.im + im * w.re};
            if (fft->window_is_complex || fft->is_complex) {
                re = value.re;
                im = value.im;
            } else {
                re *= w.re;
            }
        }
        to.re[j] = re;
        to.im[j] = im;
    }
}

static void store(const struct k_fft *fft, struct parts from, void *y, int64_t at)
{
    for (int64_t k = 0; k < fft->bins; k++) {
        const int64_t to = at + k * fft->to_step;
        const double re = from.re[k] * fft->scale, im = from.im[k] * fft->scale;
        if (fft->dtype == K_F64) {
            ((double *)y)[to] = re;
            ((double *)y)[to + 1] = im;
        } else {
            ((float *)y)[to] = (float)re;
            ((float *)y)[to + 1] = (float)im;
        }
    }
}

/* Not inlined: what both ways share is there once. */
K_OUTLINE void run(const struct k_fft *fft, void *const buffers[], struct k_slice slice)
{
    const double *table = buffers[K_FFT_TABLE];
    const int64_t m = fft->points;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        double *scratch = (double *)buffers[K_FFT_SCRATCH] + item * 4 * m;
        const struct parts a = {scratch, scratch + m}, b = {scratch + 2 * m, scratch + 3 * m};
        int64_t line = item * fft->lines_per_item, end = line + fft->lines_per_item;
        if (end > fft->lines) end = fft->lines;
        for (; line < end; line++) {
            int64_t from = fft->from_offset, to = fft->to_offset, rest = line;
            for (int axis = fft->rank - 1; axis >= 0; axis--) {
                from += rest % fft->sizes[axis] * fft->from[axis];
                to += rest % fft->sizes[axis] * fft->to[axis];
                rest /= fft->sizes[axis];
            }
            gather(fft, buffers[K_FFT_X], buffers[K_FFT_WINDOW], from, a);
            const struct parts made =
                fft->is_chirp ? transform_chirp(fft, table, a, b) : transform(fft, table, a, b);
            store(fft, made, buffers[K_FFT_Y], to);
        }
    }
}

k_fn K_SYMBOL(fft_factors), K_SYMBOL(fft_chirp);

void K_SYMBOL(fft_factors)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    run(parameters, buffers, slice);
}

void K_SYMBOL(fft_chirp)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    run(parameters, buffers, slice);
}
