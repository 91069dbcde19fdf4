/* SPDX-License-Identifier: Apache-2.0 */
/* Windows that slide over up to three axes (depth, height, width; unused leading axes have extent
 * 1). */
#ifndef ACLNN_CPU_KERNELS_POOL_K_POOL_H
#define ACLNN_CPU_KERNELS_POOL_K_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"

enum { K_POOL_AXES = 3 };

enum k_layout {
    K_CHANNELS_FIRST, /* (outer, D, H, W), dense; outer = N * C */
    K_CHANNELS_LAST,  /* (outer, D, H, W, channels), dense; outer = N */
};

struct k_pool {
    int64_t outer;
    int64_t channels; /* 1 for K_CHANNELS_FIRST */
    int64_t input[K_POOL_AXES], output[K_POOL_AXES];
    int64_t kernel[K_POOL_AXES], stride[K_POOL_AXES];
    int64_t pad_begin[K_POOL_AXES], pad_end[K_POOL_AXES];
    int64_t divisor;    /* 0: by window; else what every window is divided by */
    bool count_padding; /* with divisor 0: a window's size includes its part of the padding */
    bool stream_output; /* the output is larger than the caches: write past them */
    enum k_layout layout;
    enum k_rounding rounding;
};

/* Buffers of avg_pool_grad. */
enum { K_AVG_POOL_GRAD_DY, K_AVG_POOL_GRAD_DX, K_AVG_POOL_GRAD_BUFFERS };

#endif
