/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers: Philox 4x32-10 with the seed as key. Block b of a call is the counter
 * (b, offset), 64 bits each; it gives four numbers of 32 bits or two of 64 (a pair, low half
 * first). Element i takes the i-th number, so results depend on the seed, the offset and the place
 * alone. */
#ifndef ACLNN_CPU_KERNELS_RANDOM_K_RANDOM_H
#define ACLNN_CPU_KERNELS_RANDOM_K_RANDOM_H

#include "kernels/loop/k_loop.h"

/* u is a fraction in [0, 1), of 24 bits (53 if wide); v one in (0, 1), of 32 bits (52) and a half.
 */
enum k_random_kind {
    K_RANDOM_UNIFORM,     /* a + u (b - a), at most `limit` */
    K_RANDOM_NORMAL,      /* a + b z; z of elements 2i, 2i + 1 are the polar coordinates of Box and
                             Muller: radius from the first one's v, turn from the second one's */
    K_RANDOM_WHOLE,       /* least + the high half of x range, x of 64 bits */
    K_RANDOM_TRUTH,       /* x < a 2^32, x of 32 bits */
    K_RANDOM_EXPONENTIAL, /* -log(v) / a */
    K_RANDOM_RACE,        /* a / -log(v) */
    K_RANDOM_KEY,         /* the 64 bits themselves */
    K_RANDOM_BITS,        /* bit i of a byte: number 8 byte + i, not below a 2^32 */
};

struct k_random {
    enum k_random_kind kind;
    enum k_dtype to;
    bool is_wide;
    bool has_a, has_b; /* dense tensors, in place of the numbers */
    enum k_dtype a_type, b_type;
    bool has_seed; /* seed and what is added to offset are read from tensors */
    uint64_t seed, offset;
    int64_t elements;
    double a, b, limit;
    int64_t least;
    uint64_t range;
};

/* Any other buffer where there is none. */
enum { K_RANDOM_TO, K_RANDOM_A, K_RANDOM_B, K_RANDOM_SEED, K_RANDOM_OFFSET, K_RANDOM_BUFFERS };

enum { K_RANDOM_TILE = 1024 };

/* Finds is_wide. Items are tiles. */
struct k_work k_random_plan(struct k_random *random);
/* The largest number below x that the type has. */
double k_random_below(enum k_dtype dtype, double x);

/* to[i] = bit i of the mask ? from[i] scale : 0 */
struct k_dropout {
    enum k_dtype from, to;
    int64_t elements;
    double scale;
};
enum { K_DROPOUT_FROM, K_DROPOUT_MASK, K_DROPOUT_TO };
struct k_work k_dropout_plan(const struct k_dropout *dropout);

/* Rows of weights, looked at or made running sums; draws with replacement: the first place whose
 * sum is more than u times the whole. What is drawn from a row with a fault is some place of it.
 * Faults are noted at row (count + 1) + place of a weight that is negative, infinite or no number,
 * and at place `count` of a row that has no weight above 0, or whose sum is infinite. */
struct k_draw {
    enum k_dtype dtype;
    int64_t rows, count, draws;
    struct k_random random; /* of the numbers: rows times draws, wide */
};
enum { K_DRAW_FROM, K_DRAW_SUMS, K_DRAW_SUMS_BUFFERS };
enum { K_DRAW_CHECK_BUFFERS = 1 };
enum { K_DRAW_PICK_SUMS, K_DRAW_PICK_TO, K_DRAW_PICK_SEED, K_DRAW_PICK_OFFSET };

#endif
