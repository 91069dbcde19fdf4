/* SPDX-License-Identifier: Apache-2.0 */
/* Maxima of bins: each axis is cut into as many bins as the output has elements, which may overlap.
 * Unused leading axes have extent 1. */
#ifndef ACLNN_CPU_KERNELS_POOL_K_ADAPTIVE_MAX_H
#define ACLNN_CPU_KERNELS_POOL_K_ADAPTIVE_MAX_H

#include <stdint.h>

#include "kernels/kernel.h"

enum { K_ADAPTIVE_AXES = 3 };

/* Along an axis of `in` elements, bin i of `out` covers floor(i * in / out) up to, but not with,
 * ceil((i + 1) * in / out). output[o] is the first of the greatest elements of its bin in row-major
 * order, or its last NaN; indices[o] is where that stands in its plane, (d * H + h) * W + w.
 * Everything is dense, (planes, axes); for way channels, which has no doubles and at most INT32_MAX
 * cells in a plane, (planes, axes, channels). */
struct k_adaptive_max {
    int64_t planes, channels; /* channels: side by side in memory; a plan for planes leaves 1 */
    int64_t in[K_ADAPTIVE_AXES], out[K_ADAPTIVE_AXES]; /* in > 0 */
    enum k_dtype dtype;                                /* K_F32, K_F16, K_BF16 or K_F64 */
    int index_size;                                    /* 4: int32_t, 8: int64_t */
    bool is_last;                                      /* the channels, in memory */
};

enum {
    K_ADAPTIVE_MAX_INPUT,
    K_ADAPTIVE_MAX_OUTPUT,
    K_ADAPTIVE_MAX_INDICES,
    K_ADAPTIVE_MAX_BUFFERS
};

#endif
