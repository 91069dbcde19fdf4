/* SPDX-License-Identifier: Apache-2.0 */
/* A part of a tensor, copied to a place that is read when the copy runs. */
#include <string.h>

#include "kernels/index/k_place.h"

static int64_t number_at(const struct k_place *p, const void *indices, int64_t at)
{
    return p->is_wide ? ((const int64_t *)indices)[at] : ((const int32_t *)indices)[at];
}

static void copy_row(const struct k_place *p, char *to, const char *from, int64_t count)
{
    const int last = p->rank - 1;
    const int64_t size = p->element_size, to_step = p->to_strides[last] * size,
                  from_step = p->from_strides[last] * size;
    if (to_step == size && from_step == size) {
        memcpy(to, from, (size_t)(count * size));
        return;
    }
    for (int64_t i = 0; i < count; i++)
        memcpy(to + i * to_step, from + i * from_step, (size_t)size);
}

void k_place_part(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_place *p = parameters;
    const void *indices = buffers[K_PLACE_INDICES];
    const int64_t all = p->sizes[p->axis];
    const int64_t start = number_at(p, indices, p->has_lengths ? 2 * p->entry : p->entry);
    const int64_t length = p->has_lengths ? number_at(p, indices, 2 * p->entry + 1) : all;
    if (p->has_mask && ((const uint8_t *)buffers[K_PLACE_MASK])[p->entry] == 0) return;
    if (start < 0 || length < 0 || length > all || length > p->room || start > p->room - length) {
        if (slice.begin == 0) k_fault_note(buffers[K_PLACE_BUFFERS], p->entry);
        return;
    }
    const int last = p->rank - 1;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        int64_t to = p->to_offset + start * p->to_strides[p->axis], from = p->from_offset;
        int64_t left = item;
        bool is_inside = true;
        for (int axis = last - 1; axis >= 0; axis--) {
            const int64_t at = left % p->sizes[axis];
            left /= p->sizes[axis];
            is_inside = is_inside && (axis != p->axis || at < length);
            to += at * p->to_strides[axis];
            from += at * p->from_strides[axis];
        }
        if (is_inside)
            copy_row(p, (char *)buffers[K_PLACE_TO] + to * p->element_size,
                     (const char *)buffers[K_PLACE_FROM] + from * p->element_size,
                     p->axis == last ? length : p->sizes[last]);
    }
}
