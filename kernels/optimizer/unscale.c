/* SPDX-License-Identifier: Apache-2.0 */
/* Slices write disjoint gradients, and `found` only ever the same 1. */
#include <math.h>
#include <string.h>

#include "kernels/loop/convert.h"
#include "kernels/optimizer/k_optimizer.h"

k_fn K_SYMBOL(unscale), K_SYMBOL(amp_scale);

void K_SYMBOL(unscale)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_unscale *u = parameters;
    const float scale = *(const float *)buffers[K_UNSCALE_SCALE];
    const double factor = (double)scale;
    _Alignas(64) double x[K_OPTIMIZER_TILE];
    bool is_finite = true;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t first = item * K_OPTIMIZER_TILE, left = u->elements - first;
        const int64_t count = left < K_OPTIMIZER_TILE ? left : K_OPTIMIZER_TILE;
        char *grad = (char *)buffers[K_UNSCALE_GRAD] + first * k_dtype_size(u->dtype);
        int64_t others = 0;
        k_widen(K_AS_F64, u->dtype, grad, x, count);
        for (int64_t i = 0; i < count; i++) {
            others |= !(fabs(x[i]) < (double)INFINITY);
            x[i] *= factor;
        }
        k_narrow(K_AS_F64, u->dtype, x, grad, count);
        is_finite &= others == 0;
    }
    const float one = 1;
    uint32_t bits;
    memcpy(&bits, &one, sizeof bits);
    if (!is_finite) __atomic_store_n((uint32_t *)buffers[K_UNSCALE_FOUND], bits, __ATOMIC_RELAXED);
}

void K_SYMBOL(amp_scale)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_amp_scale *a = parameters;
    double scale, found, rounded;
    int32_t tracker;
    (void)slice;
    k_widen(K_AS_F64, a->dtype, buffers[K_AMP_SCALE], &scale, 1);
    k_widen(K_AS_F64, a->found, buffers[K_AMP_FOUND], &found, 1);
    memcpy(&tracker, buffers[K_AMP_TRACKER], sizeof tracker);
    if (found != 0) {
        scale *= a->backoff;
        tracker = 0;
    } else if ((int64_t)tracker + 1 == a->interval) {
        const double grown = scale * a->growth;
        k_narrow(K_AS_F64, a->to, &grown, buffers[K_AMP_TO], 1);
        k_widen(K_AS_F64, a->to, buffers[K_AMP_TO], &rounded, 1);
        if (isfinite(rounded)) scale = grown;
        tracker = 0;
    } else {
        tracker = (int32_t)((uint32_t)tracker + 1);
    }
    k_narrow(K_AS_F64, a->to, &scale, buffers[K_AMP_TO], 1);
    memcpy(buffers[K_AMP_TO_TRACKER], &tracker, sizeof tracker);
}
