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

k_fn k_moe_route, k_moe_rows, k_moe_tokens, k_moe_invert, k_moe_map, k_moe_elements, k_moe_slots;

enum k_moe_counts { K_MOE_EACH, K_MOE_RUNNING, K_MOE_PAIRS };

/* Sorts `count` numbers of experts, rows * picks of them, stably. Number i of the sorted ones is of
 * position p, which is its place before, or the one that PLACES says:
 *     TO_PLACES[p] = i (is_scattered: TO_PLACES[i] = p), TO_EXPERTS[i] = the expert
 *     SOURCES[i - first] = the token of p, POSITIONS[i - first] = p
 * With a capacity an expert has so many slots: i counts them, those without a token have the source
 * -1, and tokens beyond have the place -1. The token is p / picks, of PLACES p % rows. Experts
 * outside of [begin, end) are left out: their places are -1. Faults are positions: a place outside
 * of [0, count), an expert outside of [0, experts) where it counts. */
struct k_moe_route {
    int64_t count, rows, picks, slots; /* slots: of SOURCES */
    int64_t first;                     /* the sorted number of slot 0 */
    bool is_wide;                      /* experts are INT64, else INT32 */
    bool has_places, has_sorted;       /* has_sorted: TO_EXPERTS */
    bool is_scattered, has_positions;
    int64_t capacity, experts;   /* 0: no capacity; experts are not counted */
    int64_t begin, end;          /* end 0: all experts */
    bool has_counts, has_before; /* COUNTS and BEFORE, one per expert */
    bool has_groups;             /* GROUPS */
    bool counts_are_wide;        /* INT64, else INT32 */
    enum k_moe_counts counts; /* PAIRS: numbers of experts that have some, and how many; then 0 */
};

/* SCRATCH: k_moe_route_scratch() bytes. GROUPS: INT32, where the slots of each expert end. What is
 * not there is any buffer. */
enum {
    K_MOE_ROUTE_EXPERTS,
    K_MOE_ROUTE_PLACES,
    K_MOE_ROUTE_SCRATCH,
    K_MOE_ROUTE_SOURCES,
    K_MOE_ROUTE_TO_PLACES,
    K_MOE_ROUTE_TO_EXPERTS,
    K_MOE_ROUTE_COUNTS,
    K_MOE_ROUTE_BEFORE,
    K_MOE_ROUTE_GROUPS,
    K_MOE_ROUTE_POSITIONS,
    K_MOE_ROUTE_BUFFERS,
};
size_t k_moe_route_scratch(const struct k_moe_route *route);

/* TO[i] = FROM[SOURCES[i] - first], rows of so many bytes; zeros where there is no such row among
 * `sources`. Items are rows of TO. */
struct k_moe_rows {
    int64_t rows, bytes, sources, first;
};
enum { K_MOE_ROWS_FROM, K_MOE_ROWS_SOURCES, K_MOE_ROWS_TO };
struct k_work k_moe_rows_plan(const struct k_moe_rows *rows);

/* TO[e] = how many of the first sorted numbers are at most e, by bisection. INT32. */
struct k_moe_tokens {
    int64_t count, experts;
};
enum { K_MOE_TOKENS_FROM, K_MOE_TOKENS_TO };

/* TO[PLACES[p] - first] = p for the first `kept` of its rows, -1 where there is none; of equal
 * places the last one. A place outside of [0, places) is a fault at p, unless it is -1 and
 * may_drop; others are left out. */
struct k_moe_invert {
    int64_t count, rows, kept, places, first;
    bool may_drop;
};
enum { K_MOE_INVERT_PLACES, K_MOE_INVERT_TO };

/* MAP has a byte per token and expert, 0: the token does not go there. Its rows lie expert by
 * expert, those of an expert in the order of tokens:
 *     SOURCES[i] = token, ELEMENTS[i] = token * experts + expert
 * TO[token * picks + j] is the row of the token's j-th expert. Padded: an expert has so many rows,
 * tokens of which the map says nothing behind the others, and TO is SOURCES. -1 where there is
 * none. A token with more experts than picks is a fault; those beyond are left out. */
struct k_moe_map {
    int64_t tokens, experts, picks, capacity;
    bool is_padded;
};
/* USED: INT32, one per token; not of a padded one. */
enum {
    K_MOE_MAP_MAP,
    K_MOE_MAP_USED,
    K_MOE_MAP_TO,
    K_MOE_MAP_SOURCES,
    K_MOE_MAP_ELEMENTS,
    K_MOE_MAP_BUFFERS
};

/* TO[token * picks + j] = token * experts + the token's j-th expert; padded: TO[i] = TOKENS[i] *
 * experts + SLOTS[i] / capacity, of i without slots. -1 where there is none. Faults as above. */
struct k_moe_elements {
    int64_t count, tokens, experts, picks, capacity;
    bool is_padded, has_slots;
};
enum {
    K_MOE_ELEMENTS_MAP,
    K_MOE_ELEMENTS_TOKENS,
    K_MOE_ELEMENTS_SLOTS,
    K_MOE_ELEMENTS_TO,
    K_MOE_ELEMENTS_BUFFERS
};

/* TO[i] = i / picks. INT32. */
struct k_moe_slots {
    int64_t picks;
};
enum { K_MOE_SLOTS_TO };

/* ---- sums ---- */

/* y[i] = first[i] + second[i] + sum over j of scale[i][j] * (x[place(i, j)] + bias[expert(i, j)])
 * for rows i, in FLOAT, from left to right, rounded once. place: PLACES[i * picks + j] - begin, or
 * PLACES[j * rows + i] (by_columns). A place of -1 (may_drop), or outside of the `sources` but of
 * [0, rows * picks) before begin is taken off, stands for zeros. Other places and experts that are
 * not there are faults at their position, twice, and once more 1 of an expert. is_listed: the
 * places of a row are PLACES from ENDS[i - 1] to ENDS[i], all of them there, and scale[place]. */
struct k_moe_sum {
    int64_t rows, picks, columns, sources, experts, begin;
    enum k_dtype x, to, first, second, bias, scale;
    bool has_first, has_second, has_bias, has_scale;
    bool by_columns, may_drop, is_listed;
};
enum {
    K_MOE_SUM_X,
    K_MOE_SUM_PLACES,
    K_MOE_SUM_FIRST,
    K_MOE_SUM_SECOND,
    K_MOE_SUM_BIAS,
    K_MOE_SUM_SCALE,
    K_MOE_SUM_EXPERT,
    K_MOE_SUM_ENDS,
    K_MOE_SUM_TO,
    K_MOE_SUM_BUFFERS,
};
struct k_work k_moe_sum_plan(const struct k_moe_sum *sum);

/* Gradients of y[i] = sum over j of scale[i][j] * (x[place] + bias[expert]), i = p / picks, or
 * TOKENS[p]:
 *     of x      to[r] = gradient[i] * scale[p], p = INVERSE[r]; zeros where it is -1
 *     of scale  to[p] = sum over columns of (x[PLACES[p] - first] + bias[EXPERT[p]]) * gradient[i]
 * A place that is not there stands for zeros. Tokens and experts that are not there are faults, at
 * p
 * * 2 and p * 2 + 1: the products are 0 then. */
struct k_moe_grad {
    int64_t rows, picks, columns, sources, first, experts;
    enum k_dtype x, gradient, scale, to, bias;
    bool has_scale, has_bias, has_tokens;
};
enum {
    K_MOE_GRAD_GRADIENT,
    K_MOE_GRAD_SCALE,
    K_MOE_GRAD_INVERSE,
    K_MOE_GRAD_TOKENS,
    K_MOE_GRAD_TO,
    K_MOE_GRAD_BUFFERS
};
enum {
    K_MOE_SCALE_GRAD_X,
    K_MOE_SCALE_GRAD_GRADIENT,
    K_MOE_SCALE_GRAD_PLACES,
    K_MOE_SCALE_GRAD_TOKENS,
    K_MOE_SCALE_GRAD_BIAS,
    K_MOE_SCALE_GRAD_EXPERT,
    K_MOE_SCALE_GRAD_TO,
    K_MOE_SCALE_GRAD_BUFFERS
};
struct k_work k_moe_grad_plan(const struct k_moe_grad *grad);
struct k_work k_moe_scale_grad_plan(const struct k_moe_grad *grad);

#endif
