/* SPDX-License-Identifier: Apache-2.0 */
/* Images that are read at any place: a grid names one for each result.
 *
 *     to[n, c, p] = sum over taps of weight(g[n, p]) * from[n, c, place(g[n, p])]
 *
 * g has two or three coordinates in [-1, 1], the one of the last axis first. Taps are the product
 * of those of each axis; one that lies outside of the image counts as 0 (K_SAMPLE_ZEROS) or is
 * moved into it. Operands are dense, all FLOAT or all DOUBLE; coordinates are computed in that type
 * as PyTorch does, so that the nearest pixel is the same. */
#ifndef ACLNN_CPU_KERNELS_SAMPLE_K_SAMPLE_H
#define ACLNN_CPU_KERNELS_SAMPLE_K_SAMPLE_H

#include "kernels/kernel.h"

enum k_sample_mode { K_SAMPLE_LINEAR, K_SAMPLE_NEAREST, K_SAMPLE_CUBIC };
enum k_sample_padding { K_SAMPLE_ZEROS, K_SAMPLE_BORDER, K_SAMPLE_REFLECTION };

enum {
    K_SAMPLE_AXES = 3,
    K_SAMPLE_TAPS = 16,
    K_SAMPLE_TILE = 64,     /* places whose taps are found at once */
    K_SAMPLE_CHANNELS = 16, /* of an item of sample_grad */
};

struct k_sample {
    bool is_double;
    enum k_sample_mode mode;
    enum k_sample_padding padding;
    bool align_corners; /* -1 and 1 are the centers of the outermost pixels, not their edges */
    int axes;           /* 2: sizes[0] is 1 and has no coordinate */
    int64_t batch, channels, points, sizes[K_SAMPLE_AXES];
};

/* sample: items are tiles of places. sample_grad: what each pixel gets of the results' gradient;
 * items are some channels of an image. sample_grid_grad: of each coordinate; items are tiles. */
enum { K_SAMPLE_FROM, K_SAMPLE_GRID, K_SAMPLE_TO, K_SAMPLE_GRADIENT };
struct k_work k_sample_plan(const struct k_sample *sample);
struct k_work k_sample_grad_plan(const struct k_sample *sample);

/* affine_grid: to[n, p] = theta[n] (coordinates of pixel p, 1), for theta[n] of axes rows and axes
 * + 1 columns. Items are pixels of all images; channels and points do not count. */
enum { K_AFFINE_GRID_THETA, K_AFFINE_GRID_TO };
struct k_work k_affine_grid_plan(const struct k_sample *sample);

#endif
