/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions. result[k] = finish(combine over r of map(operand[k, r])) for all indices k of the
 * kept axes, r of the reduced ones. A fold is a row of folds.def. */
#ifndef ACLNN_CPU_KERNELS_REDUCE_K_REDUCE_H
#define ACLNN_CPU_KERNELS_REDUCE_K_REDUCE_H

#include "kernels/loop/k_loop.h"

enum k_fold {
#define K_FOLD(name, map, combine, types) K_FOLD_##name,
#include "kernels/reduce/folds.def"
    K_FOLDS
};

/* What is done to a result; n: k_reduce.number. */
enum k_finish {
    K_FINISH_NONE,
    K_FINISH_DIVIDE,    /* by n */
    K_FINISH_ROOT,      /* square root */
    K_FINISH_DEVIATION, /* square root of the quotient by n */
    K_FINISH_POWER,     /* to the n-th power */
    K_FINISH_LOG,       /* logarithm */
    K_FINISH_LOG_ADD,   /* auxiliary + logarithm */
    K_FINISH_FINITE,    /* 0 for infinity */
};

enum {
    K_REDUCE_RANK = 8,
    K_REDUCE_BLOCK = 1024, /* elements of a tile */
};

/* The kept axes, and steps along them in elements. */
struct k_kept {
    int rank;
    int64_t sizes[K_REDUCE_RANK];
    int64_t from[K_REDUCE_RANK], to[K_REDUCE_RANK];
    int64_t auxiliary[K_REDUCE_RANK]; /* of the auxiliary numbers */
    int64_t index[K_REDUCE_RANK];     /* of the second result: places */
};

struct k_reduce {
    enum k_fold fold;
    enum k_finish finish;
    enum k_compute compute;
    enum k_dtype from, via;  /* elements are cast to `via` before they are computed with */
    enum k_dtype result, to; /* the result becomes one of `result`, and is stored as `to` */
    double number;           /* of the finish */
    double auxiliary;        /* of the fold, if it takes one and no buffer has it */
    bool has_auxiliary;      /* the buffer K_REDUCE_AUXILIARY has numbers of the compute type */
    struct k_kept kept;
    /* Results behind the last reduced axis: with the sizes, what decides on the tree of sums, so
     * that steps have no say in the bits. */
    int64_t inner;
    int reduced_rank;
    int64_t reduced_sizes[K_REDUCE_RANK], reduced_steps[K_REDUCE_RANK];
    /* Arguments of the extreme (fold greatest, least; one reduced axis): the first place of the
     * extreme, which NaN is, goes to K_REDUCE_INDEX. */
    bool has_value, has_index;
    enum k_dtype index_type;
    bool translates; /* places are looked up in K_REDUCE_AUXILIARY (int64), steps as `from` */
    /* What k_reduce_plan finds. The reduced elements are numbered and cut into parts, whose results
     * lie to_part elements apart. */
    int64_t count, part, parts, to_part;
    bool by_columns; /* vectors run along the last kept axis, in tiles */
    int64_t columns, column_tiles;
};

enum {
    K_REDUCE_FROM,
    K_REDUCE_TO,
    K_REDUCE_AUXILIARY, /* any other buffer if there is none; so with the two below */
    K_REDUCE_INDEX,
    K_REDUCE_BUFFERS
};

/* Orders and merges axes and chooses the driver. Items are results times parts; by columns, tiles
 * of results times parts. */
struct k_work k_reduce_plan(struct k_reduce *reduce);

/* Of a planned reduction: whether its results are few and long. Then *reduce becomes a reduction
 * into parts, of the returned number of elements of the compute type (and as many int64 places),
 * and *second what reduces those; both are planned, *work is the first one's. 0: it stays. */
int64_t k_reduce_split(struct k_reduce *reduce, struct k_reduce *second, struct k_work *work,
                       struct k_work *second_work);

/* ---- scans ---- */

enum k_scan_kind { K_SCAN_SUM, K_SCAN_PRODUCT, K_SCAN_MAX, K_SCAN_MIN };

/* to[k, i] = combination of from[k, 0 .. i]. NaN is the extreme; of equal ones the last counts.
 * Sums and products are made in f64 and i64. */
struct k_scan {
    enum k_scan_kind kind;
    enum k_compute compute;
    enum k_dtype from, via, result, to, index_type;
    bool is_exclusive, is_reversed, has_index;
    struct k_kept kept; /* auxiliary: none */
    int64_t count, from_step, to_step, index_step;
    bool by_columns;
    int64_t columns, column_tiles;
};

enum { K_SCAN_FROM, K_SCAN_TO, K_SCAN_INDEX, K_SCAN_BUFFERS };

struct k_work k_scan_plan(struct k_scan *scan);

/* ---- the k-th smallest ---- */

/* NaN is greater than all. The place is the first one of that value. */
struct k_select {
    enum k_compute compute;
    enum k_dtype from, to, index_type;
    int64_t k; /* from 0; -1: the lower median, NaN if there is one; -2: that of what is no NaN */
    bool has_index;
    struct k_kept kept;
    int reduced_rank;
    int64_t reduced_sizes[K_REDUCE_RANK], reduced_steps[K_REDUCE_RANK];
    int64_t count;
};

/* ROOM: count elements of the compute type for each result. */
enum { K_SELECT_FROM, K_SELECT_TO, K_SELECT_INDEX, K_SELECT_ROOM, K_SELECT_BUFFERS };

struct k_work k_select_plan(struct k_select *select);

/* ---- for all of them ---- */

/* Sorts axes by their first steps, largest first, and merges those that continue each other. */
void k_kept_merge(struct k_kept *kept);

#endif
