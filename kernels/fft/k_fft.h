/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete Fourier transforms of lines of any length, forward:
 *     y[k] = scale sum x[j] exp(-2 pi i j k / n),  0 <= k < bins
 * in double, rounded once. */
#ifndef ACLNN_CPU_KERNELS_FFT_K_FFT_H
#define ACLNN_CPU_KERNELS_FFT_K_FFT_H

#include "kernels/kernel.h"

enum { K_FFT_STAGES = 64, K_FFT_LEVELS = 8 };

/* Ways: lengths without a prime factor above K_FFT_LARGEST are products of short transforms; any
 * length is a convolution with a chirp, by transforms of `points`, a power of two. */
enum { K_FFT_LARGEST = 13 };

struct k_fft {
    enum k_dtype dtype; /* of the real parts of what is read and written */
    bool is_complex, has_window, window_is_complex;
    int64_t length, points, bins; /* n; of the transforms that are made; results */
    bool is_chirp;
    int stages;
    int radix[K_FFT_STAGES]; /* of those transforms; their product is `points` */
    double scale;
    /* A line: `count` elements `from_step` apart, or fewer than n, or only the first n of them;
     * with a window they begin at element 0 and all but window_count from window_begin on are 0. */
    int64_t count, from_step, from_offset;
    int64_t window_count, window_begin, window_step;
    int64_t to_step, to_offset; /* between results; in real parts */
    /* Lines: a nest of loops, the last one innermost. */
    int rank;
    int64_t sizes[K_FFT_LEVELS], from[K_FFT_LEVELS], to[K_FFT_LEVELS];
    int64_t lines, lines_per_item;
};

/* Buffers of the step: real parts of x (then each its imaginary part), the window, the result, the
 * table, and scratch of k_fft_scratch() doubles for each item. */
enum { K_FFT_X, K_FFT_WINDOW, K_FFT_Y, K_FFT_TABLE, K_FFT_SCRATCH };

/* Of a plan: doubles of the table, which the kernel fft_table fills: exp(-2 pi i k / points); of a
 * chirp also exp(-pi i j j / n), and the transform of its conjugate. */
int64_t k_fft_table(const struct k_fft *fft);
int64_t k_fft_scratch(const struct k_fft *fft);

#endif
