/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/fft/k_fft.h"
#include "kernels/way.h"

/* Radices of a length, 4 where it goes; what is left behind them. */
static int64_t take_factors(struct k_fft *fft, int64_t length)
{
    static const int radices[] = {4, 2, 3, 5, 7, 11, K_FFT_LARGEST};
    fft->stages = 0;
    for (size_t i = 0; i < sizeof radices / sizeof radices[0]; i++)
        for (; length % radices[i] == 0; length /= radices[i])
            fft->radix[fft->stages++] = radices[i];
    return length;
}

/* Items of about 2^16 points, at most 64 of them, so that scratch stays small. */
static struct k_work cut(struct k_fft *fft, int64_t points)
{
    fft->points = points;
    take_factors(fft, points);
    const int64_t least = 65536 / fft->points + 1, even = (fft->lines + 63) / 64;
    fft->lines_per_item = least > even ? least : even;
    return (struct k_work){.items = (fft->lines + fft->lines_per_item - 1) / fft->lines_per_item,
                           .grain = 1};
}

const char *k_fft_factors_refuses(const struct k_problem *problem)
{
    struct k_fft copy = *(const struct k_fft *)problem->parameters;
    return take_factors(&copy, copy.length) == 1 ? NULL : "a prime factor above 13";
}

struct k_work k_fft_factors_plan(const struct k_problem *problem)
{
    struct k_fft *fft = problem->parameters;
    fft->is_chirp = false;
    return cut(fft, fft->length);
}

struct k_work k_fft_chirp_plan(const struct k_problem *problem)
{
    struct k_fft *fft = problem->parameters;
    int64_t points = 1;
    while (points < 2 * fft->length - 1)
        points *= 2;
    fft->is_chirp = true;
    return cut(fft, points);
}

int64_t k_fft_table(const struct k_fft *fft)
{
    return 2 * fft->points + (fft->is_chirp ? 2 * fft->length + 2 * fft->points : 0);
}

/* Two arrays of real and imaginary parts. */
int64_t k_fft_scratch(const struct k_fft *fft)
{
    return 4 * fft->points;
}
