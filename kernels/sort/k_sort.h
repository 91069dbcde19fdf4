/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting dense rows, stably. Elements become records: an ordered unsigned key and the place. Parts
 * of a row are sorted by digits on the stack, and merged pairwise in scratch, level by level. Zeros
 * of both signs are equal; NaN is greater than all, and all NaN are equal. */
#ifndef ACLNN_CPU_KERNELS_SORT_K_SORT_H
#define ACLNN_CPU_KERNELS_SORT_K_SORT_H

#include "kernels/loop/k_loop.h"

enum {
    K_SORT_PART = 1 << 14,  /* elements that are sorted on the stack */
    K_SORT_PIECE = 1 << 13, /* records that one item merges */
};

struct k_sort {
    enum k_dtype dtype, index_type;
    bool is_descending, has_values, has_index;
    int64_t rows, count;
    int64_t keep; /* so many of each row's first ones are results, at least 1 */
    /* What k_sort_plan finds. */
    bool is_wide;  /* records of 16 bytes: the key has 64 bits, or the row is long */
    int64_t parts; /* of a row */
    int64_t run;   /* elements in a sorted run before this step (merge) */
    bool is_last;  /* the step writes the results */
};

/* Two scratch buffers of k_sort_scratch bytes: sort reads FROM and writes RUNS or the results;
 * merge reads FROM (records) and does the same. */
enum { K_SORT_FROM, K_SORT_RUNS, K_SORT_VALUES, K_SORT_INDEX, K_SORT_BUFFERS };

struct k_work k_sort_plan(struct k_sort *sort);
/* The step that merges the runs of `run` elements; false: the row is one run. */
bool k_sort_merge_plan(struct k_sort *sort, struct k_work *work);
/* Bytes of the runs of that many elements, 0 if rows have one part. */
int64_t k_sort_scratch(const struct k_sort *sort, int64_t run);

/* Records that a run of `run` elements keeps. */
static inline int64_t k_sort_kept(const struct k_sort *sort, int64_t run)
{
    return run < sort->keep ? run : sort->keep;
}

static inline int64_t k_sort_runs(const struct k_sort *sort, int64_t run)
{
    return (sort->count + run - 1) / run;
}

/* Rows of floats that are kept or become -infinity, from their sorted values (rising) and places
 * (int32): with has_k the K[row] largest ones are kept, and what equals the least of them; with
 * has_p those behind which the probabilities, the softmax of what is kept, are more than 1 - P[row]
 * when they are added up from the least on, and the largest one always. A K[row] of 0 or less, or
 * of a row's length or more, keeps all. Everything is dense; items are rows. */
struct k_top {
    bool has_k, has_p;
    int64_t rows, count;
};

enum { K_TOP_VALUES, K_TOP_PLACES, K_TOP_K, K_TOP_P, K_TOP_OUT };

struct k_work k_top_work(const struct k_top *top);

#endif
