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

#include "kernels/kernels.h"

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

struct k_max_pool {
    int64_t outer, channels;
    int64_t input[K_MAX_POOL_AXES], output[K_MAX_POOL_AXES];
    int64_t kernel[K_MAX_POOL_AXES], stride[K_MAX_POOL_AXES];
    int64_t dilation[K_MAX_POOL_AXES], pad[K_MAX_POOL_AXES]; /* before the first cell */
    enum k_index index;
    enum k_index_space space;
    enum k_dtype dtype;   /* for kernels of one function for all types */
    bool channels_inside; /* the logical order of elements has the channels innermost */
    bool stream_output;   /* the output is larger than the caches: write past them */
};

/* max_pool (f32, f16, bf16), max_pool_any (every type, indices too). An all-padding window gives
 * the type's lowest value; with indices there must be none. */
enum { K_MAX_POOL_X, K_MAX_POOL_Y, K_MAX_POOL_INDICES, K_MAX_POOL_BUFFERS };

/* max_pool_grad: dx[i] = sum of dy over the windows whose index is i, in their row-major order,
 * from +0, in f32, rounded once. Indices may lie anywhere in the plane, not only in their windows.
 * An index outside the plane is left out and its position noted: it counts through the indices in
 * their logical order. max_pool_scatter does the same without being told windows: only extents
 * count; indices as `space` says. max_pool_mend has to be a step behind either of them, with the
 * same parameters: it does again what they could not finish, which is seldom. All three need a
 * record of faults behind their buffers. */
enum { K_MAX_POOL_GRAD_DY, K_MAX_POOL_GRAD_INDICES, K_MAX_POOL_GRAD_DX, K_MAX_POOL_GRAD_BUFFERS };

/* max_pool_recompute: the same with the indices that max_pool finds in x. No faults. */
enum {
    K_MAX_POOL_RECOMPUTE_DY,
    K_MAX_POOL_RECOMPUTE_X,
    K_MAX_POOL_RECOMPUTE_DX,
    K_MAX_POOL_RECOMPUTE_BUFFERS
};

struct k_work k_max_pool_work(const struct k_max_pool *pool);
struct k_work k_max_pool_any_work(const struct k_max_pool *pool);
struct k_work k_max_pool_grad_work(const struct k_max_pool *pool);
struct k_work k_max_pool_mend_work(const struct k_max_pool *pool);
struct k_work k_max_pool_recompute_work(const struct k_max_pool *pool);
struct k_work k_max_pool_scatter_work(const struct k_max_pool *pool);

/* Of one channel, indices of the plane: does plane_scatter_add do it faster than max_pool_grad? */
bool k_max_pool_grad_is_scattered(const struct k_max_pool *pool);

/* Does max_pool_grad make small volumes of one channel a vector of cells at a time, faster than
 * plane_scatter_add? */
bool k_max_pool_grad_is_by_volumes(const struct k_max_pool *pool);

/* Can max_pool do it? Else max_pool_any can. */
bool k_max_pool_is_fast(const struct k_max_pool *pool);

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
