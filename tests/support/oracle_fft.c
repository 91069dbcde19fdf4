/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms from the definition: a sum of products with roots of unity for each result. */
#include <math.h>
#include <stdlib.h>

#include "tests/support/oracle_norm.h"

/* exp(-2 pi i k / n) for 0 <= k < n, real and imaginary parts side by side. */
static long double *roots_of(int64_t n)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    long double *roots = calloc((size_t)(2 * n), sizeof *roots);
    for (int64_t k = 0; k < n; k++) {
        roots[2 * k] = cosl(2 * pi * (long double)k / (long double)n);
        roots[2 * k + 1] = -sinl(2 * pi * (long double)k / (long double)n);
    }
    return roots;
}

/* Result `bin` of x, times the scale, as the elements `at` and at + 1 of an output. */
static void put_bin(struct rig_problem *problem, int out, int64_t at, const double *x,
                    int64_t count, int64_t n, int64_t bin, long double scale,
                    const long double *roots)
{
    long double sum[2] = {0, 0};
    double size = 0;
    for (int64_t j = 0; j < count; j++) {
        const int64_t power = (int64_t)((unsigned __int128)j * (uint64_t)bin % (uint64_t)n);
        sum[0] += (long double)x[j] * roots[2 * power];
        sum[1] += (long double)x[j] * roots[2 * power + 1];
        size += fabs(x[j]);
    }
    for (int part = 0; part < 2; part++)
        norm_put_sum(problem, out, at + part, (double)(sum[part] * scale), size * (double)scale,
                     64);
}

static void rfft(struct rig_problem *problem)
{
    const struct operand *self = &problem->tensor[0].view;
    const int64_t n = norm_integer(problem, "n", 1), norm = norm_integer(problem, "norm", 1);
    const int64_t bins = n / 2 + 1;
    const struct norm_lines l = norm_lines_of(self, norm_integer(problem, "dim", 0));
    const int64_t count = l.count < n ? l.count : n;
    const long double scale = norm == 2   ? 1 / (long double)n
                              : norm == 3 ? 1 / sqrtl((long double)n)
                                          : 1;
    long double *roots = roots_of(n);
    double *x = calloc((size_t)count + 1, sizeof *x);
    for (int64_t line = 0; line < l.lines; line++) {
        for (int64_t j = 0; j < count; j++)
            x[j] = oracle_value(problem, 0, norm_at(&l, line, j));
        for (int64_t k = 0; k < bins; k++) {
            const int64_t at = (line / l.step * bins + k) * l.step + line % l.step;
            put_bin(problem, 1, 2 * at, x, count, n, k, scale, roots);
        }
    }
    free(x);
    free(roots);
}

/* No half types. */
static enum case_dtype of_fft(enum case_dtype dtype)
{
    return dtype == CASE_F64 ? CASE_F64 : CASE_F32;
}

static struct test_case random_rfft(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype = of_fft(dtype));
    int64_t dims[CASE_RANK], out[CASE_RANK];
    int rank = random_shape(random, dims, 200);
    if (rank == 0) dims[rank++] = 5;
    if (rank == CASE_RANK) rank--;
    const int axis = (int)random_below(random, rank);
    const int64_t n = random_once_in(random, 2) ? random_between(random, 1, 40)
                      : dims[axis] > 0          ? dims[axis]
                                                : 1;
    for (int i = 0; i < rank; i++)
        out[i] = i == axis ? n / 2 + 1 : dims[i];
    out[rank] = 2;
    random_tensor(&test, random, "self", dtype, dims, rank, false);
    random_number(&test, "n", (double)n);
    random_number(&test, "dim", random_once_in(random, 2) ? axis : axis - rank);
    random_number(&test, "norm", (double)random_between(random, 1, 3));
    random_tensor(&test, random, "out", dtype, out, rank + 1, true);
    return test;
}

/* Of real numbers, as real and imaginary parts; the others are tests/ops/test_fft.c's. */
static void stft(struct rig_problem *problem)
{
    const struct operand *self = &problem->tensor[0].view;
    const int window = norm_operand(problem, "windowOptional");
    const int out = norm_operand(problem, "out");
    const int64_t n = norm_integer(problem, "nFft", 1), hop = norm_integer(problem, "hopLength", 1);
    const int64_t win = norm_integer(problem, "winLength", 1), left = (n - win) / 2;
    const int64_t length = self->dims[self->rank - 1];
    const int64_t batch = self->rank == 2 ? self->dims[0] : 1;
    const int64_t bins = norm_integer(problem, "onesided", 0) ? n / 2 + 1 : n;
    const int64_t frames = (length - n) / hop + 1;
    const long double scale =
        norm_integer(problem, "normalized", 0) ? 1 / sqrtl((long double)n) : 1;
    long double *roots = roots_of(n);
    double *x = calloc((size_t)n, sizeof *x);
    for (int64_t frame = 0; frame < batch * frames; frame++) {
        const int64_t from = frame / frames * length + frame % frames * hop;
        for (int64_t j = 0; j < n; j++)
            x[j] = j < left || j >= left + win ? 0
                                               : oracle_value(problem, 0, from + j) *
                                                     norm_value(problem, window, j - left, 1);
        for (int64_t k = 0; k < bins; k++)
            put_bin(problem, out, 2 * ((frame / frames * bins + k) * frames + frame % frames), x, n,
                    n, k, scale, roots);
    }
    free(x);
    free(roots);
}

static struct test_case random_stft(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype = of_fft(dtype));
    const int rank = (int)random_between(random, 1, 2);
    const int64_t n = random_between(random, 1, 24), win = random_between(random, 1, n);
    const int64_t hop = random_between(random, 1, 9), is_one_sided = random_below(random, 2);
    const int64_t length = n + random_between(random, 0, 40);
    const int64_t batch = random_once_in(random, 20) ? 0 : random_between(random, 1, 3);
    const int64_t self[2] = {rank == 2 ? batch : length, length};
    int64_t out[CASE_RANK] = {batch};
    int at = rank - 1;
    out[at++] = is_one_sided ? n / 2 + 1 : n;
    out[at++] = (length - n) / hop + 1;
    out[at++] = 2;
    random_tensor(&test, random, "self", dtype, self, rank, false);
    if (random_once_in(random, 2))
        random_tensor(&test, random, "windowOptional", dtype, &win, 1, false);
    random_tensor(&test, random, "out", dtype, out, at, true);
    random_number(&test, "nFft", (double)n);
    random_number(&test, "hopLength", (double)hop);
    random_number(&test, "winLength", (double)win);
    random_number(&test, "normalized", (double)random_below(random, 2));
    random_number(&test, "onesided", (double)is_one_sided);
    random_number(&test, "returnComplex", 0);
    return test;
}

const struct oracle_row oracle_fft_rows[] = {
    {.name = "aclRfft1D",
     .oracle = rfft,
     .random = random_rfft,
     .ulp = 1,
     .lines = LINES("rfft1_d f32 self=3x2048 n=2048 dim=1 norm=1 out=3x1025x2",
                    "rfft1_d f64 self=2x1009 n=1009 dim=1 norm=3 out=2x505x2",
                    "rfft1_d f64 self=2x1001x3 n=1001 dim=1 norm=1 out=2x501x3x2",
                    "rfft1_d f32 self=300x97 n=97 dim=1 norm=2 out=300x49x2",
                    "rfft1_d f32 self=5x0 n=6 dim=1 norm=1 out=5x4x2"),
     .sound = "rfft1_d f32 self=3x8 n=8 dim=1 norm=1 out=3x5x2"},
    {.name = "aclStft",
     .oracle = stft,
     .random = random_stft,
     .ulp = 1,
     .lines = LINES("stft f32 self=2x3000 windowOptional=400 out=2x201x17x2 nFft=400 "
                    "hopLength=160 winLength=400 normalized=0 onesided=1 returnComplex=0",
                    "stft f64 self=2000 windowOptional=301 out=509x4x2 nFft=509 hopLength=400 "
                    "winLength=301 normalized=1 onesided=0 returnComplex=0"),
     .sound = "stft f32 self=2x30 windowOptional=6 out=2x5x12x2 nFft=8 hopLength=2 winLength=6 "
              "normalized=0 onesided=1 returnComplex=0"},
    {.name = NULL},
};
