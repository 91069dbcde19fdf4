/* SPDX-License-Identifier: Apache-2.0 */
/* What optimisers do between and around gradients. */
#ifndef ACLNN_CPU_KERNELS_OPTIMIZER_K_OPTIMIZER_H
#define ACLNN_CPU_KERNELS_OPTIMIZER_K_OPTIMIZER_H

#include "kernels/loop/k_loop.h"

/* grad[i] *= scale; found = 1 if some grad[i] is not finite, else it stays. Dense gradients, found
 * and scale one FLOAT each. */
struct k_unscale {
    enum k_dtype dtype;
    int64_t elements;
};
enum { K_UNSCALE_GRAD, K_UNSCALE_FOUND, K_UNSCALE_SCALE };
struct k_work k_unscale_plan(const struct k_unscale *unscale);

/* One element each: the scale that follows, and the count of steps without an infinity. */
struct k_amp_scale {
    enum k_dtype dtype, found, to;
    double growth, backoff;
    int64_t interval;
};
enum { K_AMP_SCALE, K_AMP_TRACKER, K_AMP_FOUND, K_AMP_TO, K_AMP_TO_TRACKER };

enum { K_OPTIMIZER_TILE = 1024 };

#endif
