/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of small integers that stand for numbers: keys and values as (element + offset) * scale, and
 * results that become such integers: x * scale + offset, to the nearest. */
#ifndef ACLNN_CPU_KERNELS_CACHE_K_QUANTISED_H
#define ACLNN_CPU_KERNELS_CACHE_K_QUANTISED_H

#include "kernels/cache/k_cache.h"

enum { K_QUANTISED_ROW = 512 }; /* elements of a row, at most */

/* Scales or offsets. Strides in elements, 0 along an axis that shares them; block: of sequences. */
struct k_quantised_factor {
    enum k_dtype dtype; /* a floating one */
    int64_t first;      /* elements before them */
    struct k_cache_side at;
};

struct k_quantised {
    bool is_there;
    bool is_four; /* INT4, two to a byte, the first in its low half; else INT8 */
    bool has_offset;
    struct k_quantised_factor scale, offset;
};

#endif
