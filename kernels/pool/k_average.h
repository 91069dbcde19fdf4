/* SPDX-License-Identifier: Apache-2.0 */
/* Averages over boxes of cells, and their gradients, where k_pool.h's does not reach: along each of
 * three axes an output element adds the inputs of one range. */
#ifndef ACLNN_CPU_KERNELS_POOL_K_AVERAGE_H
#define ACLNN_CPU_KERNELS_POOL_K_AVERAGE_H

#include "kernels/pool/k_pool.h"

/* Which inputs an output adds along an axis. */
enum k_span {
    K_SPAN_WINDOWS, /* output o: cells o * stride - pad_begin + [0, kernel) that lie in the input */
    K_SPAN_BINS,    /* output o of O, input of I: cells floor(o * I / O) to ceil((o + 1) * I / O),
                       the end not included. With input and output exchanged these are the bins over
                       a cell, so it serves both directions */
    K_SPAN_TAPS,    /* output is cell i, inputs are windows: those o with
                       i = o * stride - pad_begin + t * dilation for a t in [0, kernel) */
};

/* Small planes as a whole; windows of few cells, many channels side by side; rows of sums. */
enum k_average_way { K_AVERAGE_ROWS, K_AVERAGE_CELLS, K_AVERAGE_PLANES };

struct k_average {
    int64_t outer;
    int64_t channels; /* 1 for K_CHANNELS_FIRST */
    int64_t input[K_POOL_AXES], output[K_POOL_AXES];
    enum k_span span[K_POOL_AXES];
    /* Of windows and taps only. */
    int64_t kernel[K_POOL_AXES], stride[K_POOL_AXES], dilation[K_POOL_AXES];
    int64_t pad_begin[K_POOL_AXES], pad_end[K_POOL_AXES];
    bool count_padding; /* a window's size includes its part of the padding */
    bool gradient;      /* inputs are divided by their window's or bin's size, else the sums are */
    int64_t divisor;    /* 0: by size; else what every sum is divided by */
    bool stream_output;
    enum k_layout layout;
    enum k_rounding rounding; /* of the inputs */
    enum k_average_way way;   /* a plan sets it */
};

enum { K_AVERAGE_IN, K_AVERAGE_OUT, K_AVERAGE_BUFFERS };

/* The mean of everything: (outer, count, channels), dense, to (outer, channels); channels is 1
 * where they come first. mean is for the floating types of K_KERNEL, mean_f64 for doubles. */
struct k_mean {
    int64_t outer, count, channels;
    double divisor;
    enum k_rounding rounding; /* of the inputs; not for doubles */
};

enum { K_MEAN_IN, K_MEAN_OUT, K_MEAN_BUFFERS };

struct k_work k_mean_work(const struct k_mean *mean);

/* spread_f64, the gradient of mean_f64: (outer, channels) to (outer, count, channels), each element
 * divided. Buffers as above, items as of mean. */

#endif
