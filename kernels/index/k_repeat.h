/* SPDX-License-Identifier: Apache-2.0 */
/* Indices from how often each of them stands there. */
#ifndef ACLNN_CPU_KERNELS_INDEX_K_REPEAT_H
#define ACLNN_CPU_KERNELS_INDEX_K_REPEAT_H

#include "kernels/kernel.h"

/* Compiled once, not per level; one item. */
k_fn k_repeat;

/* to = 0, 0, .., 1, 1, .., 2, ..: i stands there repeats[i] times, `room` elements in all. A
 * negative number is noted, and counts as 0; that they do not add up to `room` is noted as `count`,
 * and what is missing is 0. */
struct k_repeat {
    int64_t count, room;
    bool is_wide, is_wide_to; /* int64, else int32 */
    bool is_grad;             /* for the report */
    int64_t offset, stride;   /* of repeats; a stride of 0: one number for all */
    int64_t to_offset, to_stride;
};

enum { K_REPEAT_REPEATS, K_REPEAT_TO, K_REPEAT_BUFFERS };

static inline int64_t k_repeat_at(const struct k_repeat *repeat, const void *repeats, int64_t i)
{
    const int64_t at = repeat->offset + i * repeat->stride;
    return repeat->is_wide ? ((const int64_t *)repeats)[at] : ((const int32_t *)repeats)[at];
}

#endif
