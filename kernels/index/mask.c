/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/index/k_mask.h"
#include "kernels/vector/instance.h"

static int64_t block_end(const struct k_mask *p, int64_t block)
{
    const int64_t end = (block + 1) * K_MASK_BLOCK;
    return end < p->elements ? end : p->elements;
}

void k_mask_count(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_mask *p = parameters;
    const unsigned char *mask = buffers[K_MASK_COUNT_MASK];
    int64_t *counts = buffers[K_MASK_COUNT_COUNTS];
    for (int64_t block = slice.begin; block < slice.end; block++) {
        int count = 0;
        const int64_t end = block_end(p, block);
        for (int64_t i = block * K_MASK_BLOCK; i < end; i++)
            count += mask[i] != 0;
        counts[block] = count;
    }
}

void k_mask_sum(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_mask *p = parameters;
    int64_t *counts = buffers[K_MASK_SUM_COUNTS], sum = 0;
    (void)slice;
    for (int64_t block = 0; block < p->blocks; block++) {
        const int64_t own = counts[block];
        counts[block] = sum;
        sum += own;
    }
    counts[p->blocks] = sum;
}

/* The places of a block's selected elements; how many. */
static int find(const struct k_mask *p, const unsigned char *mask, int64_t block,
                uint16_t found[K_MASK_BLOCK + 1])
{
    const int64_t begin = block * K_MASK_BLOCK;
    const int count = (int)(block_end(p, block) - begin);
    int selected = 0;
    for (int i = 0; i < count; i++) {
        found[selected] = (uint16_t)i;
        selected += mask[begin + i] != 0;
    }
    return selected;
}

K_TEMPLATE
void pack(int64_t size, char *to, int64_t to_step, const char *from, const uint16_t *found,
          int count)
{
    for (int j = 0; j < count; j++)
        memcpy(to + j * to_step, from + found[j] * size, (size_t)size);
}

void k_mask_pack(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_mask *p = parameters;
    const int64_t *counts = buffers[K_MASK_COUNTS];
    const int64_t size = p->element_size, step = p->to_strides[0] * size;
    for (int64_t block = slice.begin; block < slice.end; block++) {
        uint16_t found[K_MASK_BLOCK + 1];
        const int count = find(p, buffers[K_MASK_MASK], block, found);
        char *to = (char *)buffers[K_MASK_TO] + p->to_offset * size + counts[block] * step;
        const char *from = (const char *)buffers[K_MASK_FROM] + block * K_MASK_BLOCK * size;
        if (size == 1)
            pack(1, to, step, from, found, count);
        else if (size == 2)
            pack(2, to, step, from, found, count);
        else if (size == 4)
            pack(4, to, step, from, found, count);
        else
            pack(8, to, step, from, found, count);
    }
}

/* The indices of the first element of a block. */
static void indices_of(const struct k_mask *p, int64_t element, int64_t at[K_MASK_RANK])
{
    for (int axis = p->rank - 1; axis >= 0; axis--) {
        at[axis] = element % p->sizes[axis];
        element /= p->sizes[axis];
    }
}

void k_mask_places(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_mask *p = parameters;
    const int64_t *counts = buffers[K_MASK_COUNTS];
    const int64_t along = p->is_compact ? counts[p->blocks] : p->to_strides[1];
    for (int64_t block = slice.begin; block < slice.end; block++) {
        uint16_t found[K_MASK_BLOCK + 1];
        const int count = find(p, buffers[K_MASK_MASK], block, found);
        int64_t at[K_MASK_RANK], before = 0;
        int64_t *to = (int64_t *)buffers[K_MASK_TO] + p->to_offset;
        if (count > 0) indices_of(p, block * K_MASK_BLOCK, at);
        for (int j = 0; j < count; j++) {
            int64_t carry = found[j] - before;
            before = found[j];
            for (int axis = p->rank - 1; carry > 0 && axis >= 0; axis--) {
                at[axis] += carry;
                carry = 0;
                if (at[axis] < p->sizes[axis]) break;
                carry = at[axis] / p->sizes[axis];
                at[axis] %= p->sizes[axis];
            }
            for (int axis = 0; axis < p->rank; axis++)
                to[(counts[block] + j) * p->to_strides[0] + axis * along] = at[axis];
        }
    }
}

void k_mask_spread(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_mask *p = parameters;
    const int64_t *counts = buffers[K_MASK_COUNTS];
    const size_t size = (size_t)p->element_size;
    for (int64_t block = slice.begin; block < slice.end; block++) {
        uint16_t found[K_MASK_BLOCK + 1];
        const int64_t count = find(p, buffers[K_MASK_MASK], block, found);
        const int64_t room = p->room - counts[block] < count ? p->room - counts[block] : count;
        char *to = (char *)buffers[K_MASK_TO] + block * K_MASK_BLOCK * p->element_size;
        const char *from = (const char *)buffers[K_MASK_FROM] + counts[block] * p->element_size;
        for (int64_t j = 0; j < room; j++)
            memcpy(to + found[j] * size, from + (size_t)j * size, size);
        if (room < count) k_fault_note(buffers[K_MASK_FROM + 1], counts[p->blocks]);
    }
}
