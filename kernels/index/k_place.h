/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor that is copied into another one, from a place on that the device knows. */
#ifndef ACLNN_CPU_KERNELS_INDEX_K_PLACE_H
#define ACLNN_CPU_KERNELS_INDEX_K_PLACE_H

#include "kernels/kernel.h"

/* A kernel that memory limits, not arithmetic: compiled once, not per level. */
k_fn k_place_part;

enum { K_PLACE_RANK = 8 };

/* to[.., start + i, ..] = from[.., i, ..] for i < length along an axis, where INDICES[entry] is the
 * start and the axis' size the length; with has_lengths they are INDICES[2 entry] and [2 entry +
 * 1]. With has_mask nothing is copied where MASK[entry] is 0. A part that leaves the axis, which
 * has `room`, is not copied and noted as `entry`. Strides in elements; items are rows of the last
 * axis.
 */
struct k_place {
    bool is_wide; /* indices are int64, else int32 */
    bool has_lengths, has_mask;
    int64_t entry, room, element_size;
    int rank, axis; /* 1 at least */
    int64_t sizes[K_PLACE_RANK], from_strides[K_PLACE_RANK], to_strides[K_PLACE_RANK];
    int64_t from_offset, to_offset;
};

enum { K_PLACE_INDICES, K_PLACE_MASK, K_PLACE_FROM, K_PLACE_TO, K_PLACE_BUFFERS };

struct k_work k_place_work(const struct k_place *place);

#endif
