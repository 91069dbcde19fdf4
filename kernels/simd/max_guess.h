/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of max pooling as they show in indices: the stride follows from the sizes, kernel and
 * padding from how far indices lie before and behind their windows' multiples of it. A guess, which
 * the gradient holds each index against anyway. */
#ifndef ACLNN_CPU_KERNELS_SIMD_MAX_GUESS_H
#define ACLNN_CPU_KERNELS_SIMD_MAX_GUESS_H

#include "kernels/simd/max_scatter.h"

enum {
    GUESS_LEAST = 16, /* windows from which a plane shows all taps */
    GUESS_LOOK = 64,  /* that are looked at, and one more for each as many */
    GUESS_TAPS = 9,   /* larger windows are scattered faster than gathered */
};

/* Only the first channel of the outer is looked at. */
static inline bool guess_windows(const struct k_scatter *s, int64_t outer, struct k_max_pool *guess)
{
    const struct k_max_pool *pool = s->pool;
    if (s->windows < GUESS_LEAST || pool->space == K_INDEX_OF_COLUMNS) return false;
    if (pool->space == K_INDEX_OF_TENSOR && pool->outer * s->cells * pool->channels > INT32_MAX)
        return false;
    int64_t least[K_MAX_POOL_AXES] = {0}, most[K_MAX_POOL_AXES] = {0}, taps = 1;
    *guess = *pool;
    for (int a = 0; a < K_MAX_POOL_AXES; a++)
        guess->stride[a] =
            max_most((2 * pool->input[a] + pool->output[a] - 1) / (2 * pool->output[a]), 1);
    const int64_t step = s->windows / (GUESS_LOOK + s->windows / GUESS_LOOK) + 1;
    for (int64_t window = 0; window < s->windows; window += step) {
        const int64_t at = (outer * s->windows + window) * pool->channels;
        int64_t cell = scatter_target(s, scatter_index(s, at), outer, 0), rest = window;
        if (cell < 0) return false;
        for (int a = K_MAX_POOL_AXES - 1; a >= 0; a--) {
            const int64_t distance =
                cell % pool->input[a] - rest % pool->output[a] * guess->stride[a];
            least[a] = max_least(least[a], distance);
            most[a] = max_most(most[a], distance);
            cell /= pool->input[a];
            rest /= pool->output[a];
        }
    }
    for (int a = 0; a < K_MAX_POOL_AXES; a++) {
        guess->pad[a] = -least[a];
        guess->kernel[a] = most[a] - least[a] + 1;
        guess->dilation[a] = 1;
        if (guess->kernel[a] > GUESS_TAPS) return false;
        taps *= guess->kernel[a];
        /* The gradient looks at windows over its cells only, so each must lie over one. */
        if ((pool->output[a] - 1) * guess->stride[a] - guess->pad[a] >= pool->input[a])
            return false;
    }
    const struct max_plan plan = max_grad_plan(guess, false);
    return taps <= GUESS_TAPS && plan.fast && (plan.block > 0 || plan.wide);
}

#endif
