/* SPDX-License-Identifier: Apache-2.0 */
/* Max pooling and its gradients. Windows slide over up to three axes (depth, height, width; unused
 * leading axes have extent 1, kernel 1, stride 1, dilation 1, pad 0). Tensors are dense: cells are
 * (outer, D, H, W, channels), windows (outer, oD, oH, oW, channels); channels-first tensors have
 * outer = N * C and one channel, channels-last ones outer = N.
 *
 * Tap (jd, jh, jw) of window (od, oh, ow) is cell (od * stride - pad + jd * dilation, ...); taps
 * beyond the input are padding, never chosen. The chosen tap is the first largest in row-major
 * order, or the last NaN if there is one. An index is (d * H + h) * W + w of the chosen cell. */
#ifndef ACLNN_CPU_KERNELS_POOL_K_MAX_POOL_H
#define ACLNN_CPU_KERNELS_POOL_K_MAX_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"

enum { K_MAX_POOL_AXES = 3 };

enum k_index {
    K_INDEX_NONE, /* forward: not wanted; gradient: kernel 1, the only tap is meant */
    K_INDEX_I32,
    K_INDEX_I64,
};

/* What indices of a gradient count. */
enum k_index_space {
    K_INDEX_OF_PLANE,   /* cells of the window's own plane, row-major */
    K_INDEX_OF_TENSOR,  /* elements of the whole gradient in its logical order, row-major */
    K_INDEX_OF_COLUMNS, /* the same with the spatial axes column-major */
};

struct max_axis {
    int64_t in, out, kernel, stride, dilation, pad;
    int64_t low, high; /* least and largest shift e of a tap */
};

/* A row is cut into tiles of channels and, along the width, of windows (max_pool) or cells. */
struct max_tiles {
    int64_t tile, tiles;           /* windows or cells */
    int64_t channels, of_channels; /* of a tile; how many tiles */
};

struct max_plan {
    struct max_axis depth, height, width;
    int64_t outer, channels;
    struct max_tiles tiles;
    int64_t items; /* rows of tiles, ordered (outer, depth, channel tile, width tile, height) */
    int rows;      /* gradient: rows of the ring, for each of the depths over a cell */
};

struct k_max_pool {
    int64_t outer, channels;
    int64_t input[K_MAX_POOL_AXES], output[K_MAX_POOL_AXES];
    int64_t kernel[K_MAX_POOL_AXES], stride[K_MAX_POOL_AXES];
    int64_t dilation[K_MAX_POOL_AXES], pad[K_MAX_POOL_AXES]; /* before the first cell */
    enum k_index index;
    enum k_index_space space;
    enum k_dtype dtype;   /* for kernels of one function for all types */
    bool is_told;         /* gradient: kernel, stride, dilation and pad are the windows' */
    bool channels_inside; /* the logical order of elements has the channels innermost */
    bool stream_output;   /* the output is larger than the caches: write past them */
    struct max_plan plan; /* what the way that is taken adds */
};

/* max_pool: of every element type (indices too). An all-padding window gives the type's lowest
 * value; with indices there must be none. */
enum { K_MAX_POOL_X, K_MAX_POOL_Y, K_MAX_POOL_INDICES, K_MAX_POOL_BUFFERS };

/* max_pool_grad: dx[i] = sum of dy over the windows whose index is i, in their row-major order,
 * from +0, in f32, rounded once. Indices may lie anywhere in the plane, not only in their windows.
 * An index outside the plane is left out and its position noted: it counts through the indices in
 * their logical order. max_pool_mend has to be a step behind it, with the same parameters: it does
 * again what a slice could not finish, which is seldom. Both need a record of faults behind their
 * buffers. */
enum { K_MAX_POOL_GRAD_DY, K_MAX_POOL_GRAD_INDICES, K_MAX_POOL_GRAD_DX, K_MAX_POOL_GRAD_BUFFERS };

/* max_recompute: the same with the indices that max_pool finds in x. No faults. */
enum { K_MAX_RECOMPUTE_DY, K_MAX_RECOMPUTE_X, K_MAX_RECOMPUTE_DX, K_MAX_RECOMPUTE_BUFFERS };

enum { K_MAX_RECOMPUTE_WINDOWS = 1 << 14 }; /* times channels, of what is in work at once */

/* The problem is `find`; its plan adds the rest. */
struct k_max_recompute {
    struct k_max_pool find, add;           /* of `outers` outers: indices, then the gradient */
    k_fn *run_find, *run_add;              /* ways of max_pool and max_pool_grad */
    int64_t outers, find_items, add_items; /* items of an outer */
};

struct k_work k_max_pool_mend_work(const struct k_max_pool *pool);

/* Of one channel, indices of the plane: plane_scatter_add, as no way of max_pool_grad gathers? */
bool k_max_pool_grad_is_scattered(const struct k_max_pool *pool, enum k_dtype dtype);

/* Does max_pool_grad make small volumes of one channel a vector of cells at a time, faster than
 * plane_scatter_add? */
bool k_max_pool_grad_is_by_volumes(const struct k_max_pool *pool, enum k_dtype dtype);

/* Can max_recompute do it? Else max_pool and max_pool_grad can, one step after the other. */
bool k_max_recompute_is_one_step(const struct k_max_recompute *both, enum k_dtype dtype);

/* Does max_pool find the windows of a plane along its rows, faster than adaptive_max? */
bool k_max_pool_is_by_rows(const struct k_max_pool *pool);

/* The place in memory, in elements, of the window at a position in logical order. */
int64_t k_max_pool_place(const struct k_max_pool *pool, int64_t position);

/* max_global: the largest of `length` elements, NaN if one is: (outer, length, inner) to
 * (outer, inner). f32, f16, bf16, f64. */
struct k_max_global {
    int64_t outer, length, inner;
    enum k_dtype dtype;
};

enum { K_MAX_GLOBAL_X, K_MAX_GLOBAL_Y, K_MAX_GLOBAL_BUFFERS };

struct k_work k_max_global_work(const struct k_max_global *global);

#endif
