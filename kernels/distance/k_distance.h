/* SPDX-License-Identifier: Apache-2.0 */
/* Distances of rows by a p-norm, and their gradients. Rows, distances and gradients are dense;
 * everything is computed in double, but powers of what is no DOUBLE, and rounded once.
 *
 *     to[b, i, j] = |x[b, i, :] - y[b, j, :]|_p
 *     grad_x[b, i, k] = sum over j of grad[b, i, j] d to[b, i, j] / d x[b, i, k]
 *
 * p = 0 counts differences that are not 0, p = infinity takes the largest. A NaN gives NaN. */
#ifndef ACLNN_CPU_KERNELS_DISTANCE_K_DISTANCE_H
#define ACLNN_CPU_KERNELS_DISTANCE_K_DISTANCE_H

#include "kernels/loop/k_loop.h"

enum {
    K_DISTANCE_BATCH = 6,    /* axes of a batch */
    K_DISTANCE_ROWS = 16,    /* of x in a tile */
    K_DISTANCE_COLUMNS = 64, /* rows of y in a tile */
    K_DISTANCE_STRIP = 512,  /* features whose gradient is summed at once */
};

struct k_distance {
    enum k_dtype dtype;
    double p;
    bool is_triangle; /* x is y: only j > i, and to[] has the pairs side by side */
    int64_t rows, columns, features;
    int batch_rank;
    int64_t batch_sizes[K_DISTANCE_BATCH];
    /* In elements; 0 where an operand is repeated. */
    int64_t x_strides[K_DISTANCE_BATCH], y_strides[K_DISTANCE_BATCH];
    int64_t row_tiles, column_tiles, strips;
};

enum { K_DISTANCE_X, K_DISTANCE_Y, K_DISTANCE_TO };
enum {
    K_DISTANCE_GRAD_OF, /* the distances' gradient */
    K_DISTANCE_GRAD_X,
    K_DISTANCE_GRAD_Y,
    K_DISTANCE_GRAD_DISTANCE,
    K_DISTANCE_GRAD_TO
};

/* Items of distance are tiles, of distance_grad strips of rows of x. */
struct k_work k_distance_plan(struct k_distance *distance);
struct k_work k_distance_grad_plan(struct k_distance *distance);

#endif
