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

/* A step of an optimiser, over a loop. Numbers are constants of the call or elements of tensors of
 * one element, read when the step runs.
 *
 * Adam, with g = grad, -grad or grad + l2 var, and corrections c1, c2 of the moments:
 *     m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g g,  top = v or max(extra, v)
 *     var = (1 - lr decay) var - (lr / c1 u) / (sqrt(top) / sqrt(c2) + eps),
 *     where u is m, or beta1 m + (1 - beta1) g; extra = top or ema extra + (1 - ema) var
 * Where `found` is 1 nothing is written.
 * SGD, with g = grad / scale, and h = g or -g:
 *     h += decay var,  v = h or momentum v + (1 - dampening) h,  var -= lr (v or h + momentum v)
 * l2 and SGD's decay, where they are 0, add nothing, though var be infinite. */
enum k_step_flag {
    K_STEP_SGD = 1 << 0,
    K_STEP_MAXIMIZE = 1 << 1,
    K_STEP_NESTEROV = 1 << 2,
    /* Adam */
    K_STEP_LARGEST = 1 << 3,      /* extra: the largest second moment so far, */
    K_STEP_IN_MOMENT = 1 << 4,    /* which is written to v, not to extra */
    K_STEP_AVERAGE = 1 << 5,      /* extra: a running average of var */
    K_STEP_L2 = 1 << 6,           /* the decay is the gradient's */
    K_STEP_BY_TIME = 1 << 7,      /* c = 1 - beta^time */
    K_STEP_BY_POWER = 1 << 8,     /* c = 1 - power */
    K_STEP_POWER_BEFORE = 1 << 9, /* c = 1 - power beta */
    K_STEP_PLAIN_EPS = 1 << 10,   /* eps is added to sqrt(top), lr is lr sqrt(c2) / c1 */
    /* SGD */
    K_STEP_SCALED = 1 << 11,
    K_STEP_MOMENT = 1 << 12,
    K_STEP_FIRST = 1 << 13, /* v has no value yet */
    /* Adam, with g = grad / scale if it is SCALED */
    K_STEP_KEPT = 1 << 14,    /* grad / scale is a result, the last one */
    K_STEP_NEGATED = 1 << 15, /* then g = -g, before the decay is added */
};

enum k_step_number {
    K_STEP_LR,
    K_STEP_DECAY,
    K_STEP_BETA1,
    K_STEP_BETA2,
    K_STEP_EPS,
    K_STEP_EMA,
    K_STEP_TIME,
    K_STEP_POWER1,
    K_STEP_POWER2,
    K_STEP_MOMENTUM,
    K_STEP_DAMPENING,
    K_STEP_SCALE,
    K_STEP_FOUND,
    K_STEP_NUMBERS
};

/* Buffers: the loop's results, its operands, then the numbers' tensors. Operands: var, m, v, grad,
 * extra; results: var, m, v, extra. Of SGD var, grad, v; var, v, grad (if it is scaled). */
struct k_step {
    unsigned flags;
    double number[K_STEP_NUMBERS];
    int buffer[K_STEP_NUMBERS]; /* -1: a constant */
    enum k_dtype dtype[K_STEP_NUMBERS];
    struct k_loop loop;
};
struct k_work k_step_plan(struct k_step *step);

#endif
