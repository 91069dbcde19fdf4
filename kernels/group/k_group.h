/* SPDX-License-Identifier: Apache-2.0 */
/* Products of groups of rows, or of terms, each with a matrix of its own. How long the groups are
 * only the data may tell: a first step makes a table of them, and the second one multiplies. */
#ifndef ACLNN_CPU_KERNELS_GROUP_K_GROUP_H
#define ACLNN_CPU_KERNELS_GROUP_K_GROUP_H

#include "kernels/int8/k_int8.h"
#include "kernels/quant/k_quant.h"

enum {
    K_GROUP_GIVEN = 256, /* groups of a list that the plan knows */
    K_GROUP_ROWS = 256,  /* of an item, at most */
};

/* ---- the table ---- */

/* Rows, or terms, [begin, end) go to weight number `weight`. There is one record more than there
 * are groups, for its `blocks`. */
struct k_group_range {
    int64_t begin, end, weight;
    int64_t blocks; /* of K_GROUP_ROWS rows, of the groups before */
};

/* What a list of groups says: where each one ends; how long each is; pairs of a weight and how
 * long. */
enum k_group_form { K_GROUP_ENDS, K_GROUP_COUNTS, K_GROUP_PAIRS };

/* A group that ends before it begins or behind `extent`, or of a weight that is not there, is a
 * fault at that element of the list; it and those behind it are empty. */
struct k_group_ranges {
    enum k_group_form form;
    int64_t groups, extent, weights; /* weights: of PAIRS */
    bool is_given;                   /* by `list`: ENDS */
    const char *name;                /* of the list, for who describes its faults */
    int64_t list[K_GROUP_GIVEN];
};
enum { K_GROUP_LIST, K_GROUP_TABLE }; /* LIST: INT64; any buffer where it is given */
k_fn k_group_ranges;

/* What rows of groups say: TO[row] = FROM[row], -1 where the row is of no group, or where that is
 * not in [0, limit), which is a fault at the row. FROM: INT64 or INT32, TO: INT64. One item. */
struct k_group_pick {
    int64_t rows, groups, limit;
    bool is_wide;
    const char *name; /* of FROM, for who describes faults */
};
enum { K_GROUP_PICK_FROM, K_GROUP_PICK_TABLE, K_GROUP_PICK_TO, K_GROUP_PICK_BUFFERS };
k_fn k_group_pick;

/* ---- the products ---- */

enum k_group_kind { K_GROUP_PLAIN, K_GROUP_WHOLE, K_GROUP_WEIGHT }; /* gemm, int8, quant */

/* Groups [first, first + groups) of the table, of rows of x and y, or of the terms of both
 * factors, with a y each. The product's m is the most rows that all of them have (by_terms: the
 * rows of each); its matrices are those of the first group. Strides are in bytes. */
struct k_group {
    enum k_group_kind kind;
    bool by_terms;
    bool x_is_own, y_is_own; /* its rows begin with those of group `first` */
    bool is_one;             /* of the weights: number `only` */
    bool adds;               /* the addend is y itself */
    int64_t first, groups, only;
    int64_t x_step, y_step, token_step;  /* of a row; by_terms: of a term, of a group, 0 */
    int64_t term_step;                   /* by_terms: of the weight's */
    int64_t weight, bias, scale, offset; /* of a weight */
    int64_t column_blocks;
    int64_t few;    /* blocks of at most so many rows are multiplied where the weight lies */
    bool has_tiles; /* WHOLE: blocks of enough rows by tiles */
    union {
        struct k_gemm gemm; /* the first member of the others */
        struct k_int8 int8;
        struct k_quant quant;
    };
};

/* What is not there is any buffer. MORE: scales of rows of x (WHOLE), offsets (WEIGHT). OFFSET:
 * only of an int8 product that has them. */
enum {
    K_GROUP_RANGES,
    K_GROUP_X,
    K_GROUP_WEIGHTS,
    K_GROUP_Y,
    K_GROUP_BIAS,
    K_GROUP_SCALE,
    K_GROUP_MORE,
    K_GROUP_OFFSET,
};

/* Items are blocks of rows, found by the table, and columns, which are faster. */

#endif
