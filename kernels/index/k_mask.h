/* SPDX-License-Identifier: Apache-2.0 */
/* Elements that a mask selects: bytes, of which those that are not 0 select. Three steps: the
 * selected elements of each block are counted, the counts summed up, then each block knows where
 * its elements go. */
#ifndef ACLNN_CPU_KERNELS_INDEX_K_MASK_H
#define ACLNN_CPU_KERNELS_INDEX_K_MASK_H

#include "kernels/kernel.h"

/* Compiled once, not per level. */
k_fn k_mask_count, k_mask_sum, k_mask_pack, k_mask_places, k_mask_spread;

enum { K_MASK_BLOCK = 4096, K_MASK_RANK = 8 };

/* The j-th selected element, which is element i of the mask:
 *     pack    to[j * to_strides[0]] = from[i]
 *     places  to[j * to_strides[0] + axis * to_strides[1]] = index of i along the axis, int64
 *     spread  to[i] = from[j]; with more than `room` selected elements none beyond, and their
 *             number is noted
 * counts[b], int64, is what is selected in front of block b; counts[blocks] of all. */
struct k_mask {
    int64_t elements, blocks;
    int element_size;
    int rank;
    int64_t sizes[K_MASK_RANK];
    int64_t to_offset, to_strides[2];
    bool is_compact; /* places: to_strides[1] is the number of all, an axis lies behind the other */
    int64_t room;
};

enum { K_MASK_COUNT_MASK, K_MASK_COUNT_COUNTS };
enum { K_MASK_SUM_COUNTS };
enum { K_MASK_MASK, K_MASK_COUNTS, K_MASK_TO, K_MASK_FROM };

struct k_work k_mask_work(const struct k_mask *mask);

#endif
