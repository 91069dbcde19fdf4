/* SPDX-License-Identifier: Apache-2.0 */
/* What gather and scatter share: places that indices name, and runs of elements. */
#ifndef ACLNN_CPU_KERNELS_INDEX_WALK_H
#define ACLNN_CPU_KERNELS_INDEX_WALK_H

#include <string.h>

#include "kernels/index/k_index.h"
#include "kernels/vector/instance.h"

/* Where a walk is: elements from the buffers' beginnings, the number of the position in the shape
 * of the index tensors, and of each index tensor the element. */
struct walk {
    int64_t table, values, number;
    int64_t at[K_INDEX_TENSORS];
};

static inline struct walk walk_begin(const struct k_index *p)
{
    struct walk walk = {.table = p->table_offset, .values = p->value_offset};
    for (int k = 0; k < p->count; k++)
        walk.at[k] = p->index[k].offset;
    return walk;
}

static inline void walk_along(const struct k_index *p, struct walk *walk, int axis, int64_t by)
{
    walk->table += by * p->table_strides[axis];
    walk->values += by * p->value_strides[axis];
    walk->number += by * p->number_strides[axis];
    for (int k = 0; k < p->count; k++)
        walk->at[k] += by * p->index[k].strides[axis];
}

/* Goes to position `item` of the axes [begin, end), numbered row by row. */
static inline void walk_to(const struct k_index *p, struct walk *walk, int begin, int end,
                           int64_t item)
{
    for (int axis = end - 1; axis >= begin; axis--) {
        walk_along(p, walk, axis, item % p->sizes[axis]);
        item /= p->sizes[axis];
    }
}

/* index wrapped, or -1 where it names no element. */
static inline int64_t walk_index(const struct k_index *p, const struct k_index_tensor *tensor,
                                 const void *buffer, int64_t at)
{
    int64_t index = k_index_at(tensor, buffer, at);
    if (p->wraps && index < 0) index += tensor->size;
    return (uint64_t)index < (uint64_t)tensor->size ? index : -1;
}

static inline void walk_note(const struct k_index *p, void *const buffers[], int64_t number, int k)
{
    if (!p->skips) k_fault_note(buffers[K_INDEX_FIRST + p->count], number * p->count + k);
}

/* The place in the table where the walk is, or -1. */
static inline int64_t walk_place(const struct k_index *p, const struct walk *walk,
                                 void *const buffers[])
{
    int64_t place = walk->table;
    for (int k = 0; k < p->count; k++) {
        const int64_t index = walk_index(p, &p->index[k], buffers[K_INDEX_FIRST + k], walk->at[k]);
        if (__builtin_expect(index < 0, 0)) {
            walk_note(p, buffers, walk->number, k);
            return -1;
        }
        place += index * p->index[k].step;
    }
    return place;
}

/* count elements, strides in bytes. */
K_TEMPLATE
void walk_copy(int64_t size, char *to, int64_t to_step, const char *from, int64_t from_step,
               int64_t count)
{
    enum { SHORT = 128, PART = 16 };
    const int64_t bytes = count * size;
    if (to_step == size && from_step == size && bytes >= PART && bytes <= SHORT) {
        for (int64_t at = 0; at < bytes - PART; at += PART) /* a call of memcpy costs as much */
            memcpy(to + at, from + at, PART);
        memcpy(to + bytes - PART, from + bytes - PART, PART);
    } else if (to_step == size && from_step == size)
        memcpy(to, from, (size_t)bytes);
    else
        for (int64_t i = 0; i < count; i++)
            memcpy(to + i * to_step, from + i * from_step, (size_t)size);
}

#endif
