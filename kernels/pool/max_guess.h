/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of max pooling as they show in indices: the stride follows from the sizes, kernel and
 * padding from how far indices lie before and behind their windows' multiples of it. A guess, which
 * the gradient holds each index against anyway. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_GUESS_H
#define ACLNN_CPU_KERNELS_POOL_MAX_GUESS_H

#include "kernels/pool/max_scatter.h"

enum {
    GUESS_LEAST = 16, /* windows from which a plane shows all taps */
    GUESS_LOOK = 32,  /* that are looked at, and one more for each as many */
    GUESS_TAPS = 9,   /* larger windows are scattered faster than gathered */
};

/* Extents of numbers in [0, 2^31), and what divides by them: a division takes as long as ten
 * products. */
struct guess_box {
    int64_t extent[K_MAX_POOL_AXES];
    double inverse[K_MAX_POOL_AXES];
};

static inline struct guess_box guess_box(const int64_t extents[])
{
    struct guess_box box;
#pragma GCC unroll 3
    for (int a = 0; a < K_MAX_POOL_AXES; a++) {
        box.extent[a] = extents[a];
        box.inverse[a] = 1.0 / (double)extents[a];
    }
    return box;
}

/* Of half a number more, so that what is divisible does not round down. */
static inline int64_t guess_quotient(int64_t number, double inverse)
{
    return (int64_t)(((double)number + 0.5) * inverse);
}

/* Where number `at` lies, row-major. */
static inline void guess_places(const struct guess_box *box, int64_t at, int64_t places[])
{
#pragma GCC unroll 3
    for (int a = K_MAX_POOL_AXES - 1; a >= 0; a--) {
        const int64_t next = a > 0 ? guess_quotient(at, box->inverse[a]) : 0;
        places[a] = at - next * box->extent[a];
        at = next;
    }
}

/* Where the number that is `steps` more lies. */
static inline void guess_next(const struct guess_box *box, const int64_t steps[], int64_t places[])
{
    int64_t carry = 0;
#pragma GCC unroll 3
    for (int a = K_MAX_POOL_AXES - 1; a >= 0; a--) {
        places[a] += steps[a] + carry;
        carry = a > 0 && places[a] >= box->extent[a];
        if (carry) places[a] -= box->extent[a];
    }
}

/* How far indices lie from their windows' multiples of the strides, in the first channel of an
 * outer. False if one is no cell of it. */
static inline bool guess_reach(const struct k_scatter *s, int64_t outer, const int64_t strides[],
                               int64_t least[], int64_t most[])
{
    const struct k_max_pool *pool = s->pool;
    const bool of_tensor = pool->space == K_INDEX_OF_TENSOR, inside = pool->channels_inside;
    const struct guess_box input = guess_box(pool->input), output = guess_box(pool->output);
    const int64_t first = of_tensor ? outer * s->cells * pool->channels : 0;
    const int64_t unit = of_tensor && inside ? pool->channels : 1; /* from cell to cell */
    const double inverse = 1.0 / (double)unit;
    const int64_t step = s->windows / (GUESS_LOOK + s->windows / GUESS_LOOK) + 1;
    int64_t cells[K_MAX_POOL_AXES], windows[K_MAX_POOL_AXES] = {0}, steps[K_MAX_POOL_AXES];
    guess_places(&output, step, steps);
    for (int64_t window = 0; window < s->windows;
         window += step, guess_next(&output, steps, windows)) {
        const int64_t at = (outer * s->windows + window) * pool->channels;
        const uint64_t index = (uint64_t)scatter_index(s, at) - (uint64_t)first;
        if (index >= (uint64_t)(s->cells * unit)) return false;
        const int64_t cell = unit > 1 ? guess_quotient((int64_t)index, inverse) : (int64_t)index;
        guess_places(&input, cell, cells);
#pragma GCC unroll 3
        for (int a = 0; a < K_MAX_POOL_AXES; a++) {
            const int64_t distance = cells[a] - windows[a] * strides[a];
            least[a] = max_least(least[a], distance);
            most[a] = max_most(most[a], distance);
        }
    }
    return true;
}

/* The windows that an outer's indices show. */
static inline bool guess_windows(const struct k_scatter *s, int64_t outer, struct k_max_pool *guess)
{
    const struct k_max_pool *pool = s->pool;
    if (s->windows < GUESS_LEAST || s->windows > INT32_MAX || s->cells > INT32_MAX) return false;
    if (pool->space == K_INDEX_OF_COLUMNS) return false;
    if (pool->space == K_INDEX_OF_TENSOR && pool->outer * s->cells * pool->channels > INT32_MAX)
        return false;
    int64_t least[K_MAX_POOL_AXES] = {0}, most[K_MAX_POOL_AXES] = {0}, taps = 1;
    *guess = *pool;
    for (int a = 0; a < K_MAX_POOL_AXES; a++)
        guess->stride[a] =
            max_most((2 * pool->input[a] + pool->output[a] - 1) / (2 * pool->output[a]), 1);
    if (!guess_reach(s, outer, guess->stride, least, most)) return false;
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
    guess->is_told = true;
    return taps <= GUESS_TAPS;
}

#endif
