/* SPDX-License-Identifier: Apache-2.0 */
/* Mixtures of experts: which experts a token goes to, the order of tokens by experts, and the sums
 * of what comes back. Operands are dense. */
#ifndef ACLNN_CPU_KERNELS_MOE_K_MOE_H
#define ACLNN_CPU_KERNELS_MOE_K_MOE_H

#include "kernels/kernel.h"

/* ---- gates ---- */

enum {
    K_MOE_PICKS = 1024,   /* of a row, at most */
    K_MOE_EXPERTS = 2048, /* of a row with scores, at most */
};

enum k_moe_gate_kind {
    K_MOE_SOFTMAX,       /* p = softmax of the row; y = p of the largest */
    K_MOE_SOFTMAX_PICKS, /* y = softmax of the largest x */
    K_MOE_SCORES,        /* the largest p + bias of the best groups; p by softmax or sigmoid */
};

/* The `picks` largest of each row, the largest first, of equal ones the one of lower number; a NaN
 * is larger than all. SCORES: groups are ordered by their largest element, or by the sum of their
 * two largest (by_pairs); y = p * factor, of a sigmoid p / (sum of them + epsilon) * factor. */
struct k_moe_gate {
    enum k_moe_gate_kind kind;
    enum k_dtype from, to, bias;
    int64_t rows, experts, picks;
    int64_t groups, best_groups;
    bool by_pairs, is_sigmoid, has_bias;
    bool has_finished; /* rows whose experts are number `experts` */
    bool has_all;      /* ALL: FLOAT, p of the whole row */
    bool has_numbers;  /* NUMBERS: pick * rows + row */
    double factor, epsilon;
};

/* What is not there is any buffer. EXPERT and NUMBERS are INT32. Items are rows. */
enum {
    K_MOE_GATE_X,
    K_MOE_GATE_BIAS,
    K_MOE_GATE_FINISHED,
    K_MOE_GATE_Y,
    K_MOE_GATE_EXPERT,
    K_MOE_GATE_NUMBERS,
    K_MOE_GATE_ALL,
};
struct k_work k_moe_gate_plan(const struct k_moe_gate *gate);

/* ---- routes; compiled once, as memory limits them ---- */

k_fn k_moe_route, k_moe_rows, k_moe_tokens, k_moe_invert;

/* Sorts `count` numbers of experts, rows * picks of them, stably. Number i of the sorted ones is of
 * position p, which is its place before, or the one that PLACES says:
 *     TO_PLACES[p] = i, TO_EXPERTS[i] = the expert, SOURCES[i] = the token of p
 * With a capacity an expert has so many slots: i counts them, those without a token have the source
 * -1, and tokens beyond have the place -1. The token is p / picks, of PLACES p % rows. Faults are
 * positions: a place outside of [0, count), an expert outside of [0, experts) where it counts. */
struct k_moe_route {
    int64_t count, rows, picks, slots; /* slots: of SOURCES */
    bool is_wide;                      /* experts are INT64, else INT32 */
    bool has_places, has_sorted;       /* has_sorted: TO_EXPERTS */
    int64_t capacity, experts;         /* 0: no capacity; experts are not counted */
    bool has_counts, has_before;       /* COUNTS and BEFORE, INT32, one per expert */
    bool is_running;                   /* COUNTS is the sum up to each expert */
};

/* SCRATCH: k_moe_route_scratch() bytes. */
enum {
    K_MOE_ROUTE_EXPERTS,
    K_MOE_ROUTE_PLACES,
    K_MOE_ROUTE_SCRATCH,
    K_MOE_ROUTE_SOURCES,
    K_MOE_ROUTE_TO_PLACES,
    K_MOE_ROUTE_TO_EXPERTS,
    K_MOE_ROUTE_COUNTS,
    K_MOE_ROUTE_BEFORE,
    K_MOE_ROUTE_BUFFERS,
};
size_t k_moe_route_scratch(const struct k_moe_route *route);

/* Rows of a table where SOURCES says, zeros where it says -1. Sources are sound. */
struct k_moe_rows {
    int64_t rows, bytes; /* of the result; of a row */
};
enum { K_MOE_ROWS_FROM, K_MOE_ROWS_SOURCES, K_MOE_ROWS_TO };
struct k_work k_moe_rows_plan(const struct k_moe_rows *rows);

/* TO[e] = how many of the first sorted numbers are at most e, by bisection. INT32. */
struct k_moe_tokens {
    int64_t count, experts;
};
enum { K_MOE_TOKENS_FROM, K_MOE_TOKENS_TO };

/* TO[PLACES[p]] = p, -1 where there is none; of equal places the last one. A place outside of
 * [0, count) is a fault at p; one behind `rows` is left out. */
struct k_moe_invert {
    int64_t count, rows;
};
enum { K_MOE_INVERT_PLACES, K_MOE_INVERT_TO };

/* ---- sums ---- */

/* y[i] = first[i] + second[i] + sum over j of scale[i][j] * (x[place(i, j)] + bias[expert(i, j)])
 * for rows i, in FLOAT, from left to right, rounded once. place: PLACES[i * picks + j], or
 * PLACES[j * rows + i] (by_columns). A place of -1 (may_drop), or behind `sources` but below
 * rows * picks, stands for zeros. Other places and experts that are not there are faults at their
 * position, twice, and once more 1 of an expert. */
struct k_moe_sum {
    int64_t rows, picks, columns, sources, experts;
    enum k_dtype x, to, first, second, bias, scale;
    bool has_first, has_second, has_bias, has_scale;
    bool by_columns, may_drop;
};
enum {
    K_MOE_SUM_X,
    K_MOE_SUM_PLACES,
    K_MOE_SUM_FIRST,
    K_MOE_SUM_SECOND,
    K_MOE_SUM_BIAS,
    K_MOE_SUM_SCALE,
    K_MOE_SUM_EXPERT,
    K_MOE_SUM_TO,
    K_MOE_SUM_BUFFERS,
};
struct k_work k_moe_sum_plan(const struct k_moe_sum *sum);

/* Gradients of y[i] = sum over j of scale[i][j] * x[places[i * picks + j]]:
 *     of x      to[r] = gradient[p / picks] * scale[p], p = INVERSE[r]; zeros where it is -1
 *     of scale  to[p] = sum over columns of x[places[p]] * gradient[p / picks]
 * Places are sound or left out: the product is 0 then. */
struct k_moe_grad {
    int64_t rows, picks, columns, sources;
    enum k_dtype x, gradient, scale, to;
    bool has_scale;
};
enum { K_MOE_GRAD_GRADIENT, K_MOE_GRAD_SCALE, K_MOE_GRAD_INVERSE, K_MOE_GRAD_TO };
enum {
    K_MOE_SCALE_GRAD_X,
    K_MOE_SCALE_GRAD_GRADIENT,
    K_MOE_SCALE_GRAD_PLACES,
    K_MOE_SCALE_GRAD_TO
};
struct k_work k_moe_grad_plan(const struct k_moe_grad *grad);
struct k_work k_moe_scale_grad_plan(const struct k_moe_grad *grad);

#endif
