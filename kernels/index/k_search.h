/* SPDX-License-Identifier: Apache-2.0 */
/* Places in sorted sequences; histograms. */
#ifndef ACLNN_CPU_KERNELS_INDEX_K_SEARCH_H
#define ACLNN_CPU_KERNELS_INDEX_K_SEARCH_H

#include "kernels/kernel.h"

/* Compiled once, not per level. */
k_fn k_search, k_histogram, k_histogram_range, k_histogram_sum;

/* to[i] = how many elements of the i-th value's sequence it does not stand in front of: those less
 * than it, and, with is_right, those equal. Value i has sequence i / per_sequence, of `length`
 * elements. All dense, of one type: F32, F64, I32 or I64. With a sorter, int64 and dense, element j
 * of a sequence is the one that its row of the sorter names; one outside of it is noted by its
 * place, and read as the first. */
struct k_search {
    enum k_dtype dtype;
    int64_t values, per_sequence, length;
    bool is_right, has_sorter, is_wide; /* is_wide: int64 results, else int32 */
};

enum { K_SEARCH_SEQUENCE, K_SEARCH_VALUES, K_SEARCH_TO, K_SEARCH_SORTER, K_SEARCH_BUFFERS };

struct k_work k_search_work(const struct k_search *search);

/* Three steps over dense double or float values: the range, if it is not given, part by part;
 * counts, part by part; their sum. Values outside of the range and NaN count nowhere. */
struct k_histogram {
    enum k_dtype dtype; /* F32 or F64 */
    int64_t elements, bins, parts, part;
    bool has_range;
    double low, high;
};

/* ranges: two doubles of each part; counts: int64, bins of each part, then the sum. */
enum { K_HISTOGRAM_VALUES, K_HISTOGRAM_RANGES, K_HISTOGRAM_COUNTS, K_HISTOGRAM_BUFFERS };

#endif
