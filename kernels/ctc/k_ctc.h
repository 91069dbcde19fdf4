/* SPDX-License-Identifier: Apache-2.0 */
/* Connectionist temporal classification: the likelihood that a sequence of T distributions spells a
 * target, summed over all ways to spell it, and its gradient. The places of a target of length S
 * are W = 2 S + 1: its classes with blanks between and around them.
 *
 *     alpha[t, w] = log of the sum over paths that are at place w at time t, up to t
 *     beta[t, w]  = the same from t on
 *     loss        = -log(exp(alpha[T - 1, W - 1]) + exp(alpha[T - 1, W - 2]))
 *     grad[t, c]  = (exp(p[t, c]) - sum over places w of class c of
 *                    exp(alpha[t, w] + beta[t, w] + loss - p[t, c])) * grad_out
 *
 * p are logarithms of probabilities. Everything is computed in double and rounded once. */
#ifndef ACLNN_CPU_KERNELS_CTC_K_CTC_H
#define ACLNN_CPU_KERNELS_CTC_K_CTC_H

#include "kernels/loop/k_loop.h"

/* Of one sample. */
struct k_ctc_sample {
    int64_t times, length; /* of the distributions, of the target */
    int64_t target;        /* where the target begins */
};

/* Strides in elements. Targets are dense INT64; one that is no class counts as the blank and is
 * noted as a fault at its place among all targets. */
struct k_ctc {
    enum k_dtype dtype;
    bool zero_infinity;
    int64_t times, samples, classes, blank;
    int64_t places; /* of alpha, 2 S + 1 or more: what no path reaches is -infinity */
    int64_t p_strides[3], alpha_strides[3], out_strides[3]; /* t, n, c; n, t, w; as p */
    int64_t loss_stride, grad_stride;
    int64_t scratch; /* doubles of a sample; k_ctc_plan sets it */
    struct k_ctc_sample sample[];
};

enum { K_CTC_P, K_CTC_TARGETS, K_CTC_SCRATCH, K_CTC_LOSS, K_CTC_ALPHA, K_CTC_BUFFERS };
enum {
    K_CTC_GRAD_P,
    K_CTC_GRAD_TARGETS,
    K_CTC_GRAD_SCRATCH,
    K_CTC_GRAD_LOSS,
    K_CTC_GRAD_ALPHA,
    K_CTC_GRAD_OF, /* the loss' gradient */
    K_CTC_GRAD_OUT,
    K_CTC_GRAD_BUFFERS
};

/* Rows of a sample's scratch begin with two places before the first one, which no path reaches, and
 * end with room for a vector. */
enum { K_CTC_BEFORE = 2, K_CTC_BEHIND = 8 };

/* Items are samples. */
struct k_work k_ctc_plan(struct k_ctc *ctc, bool is_gradient);

#endif
