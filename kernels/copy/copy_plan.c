/* SPDX-License-Identifier: Apache-2.0 */
/* Shape arithmetic of strided copies; the same for every instruction set. */
#include "kernels/copy/copy_plan.h"
#include "kernels/copy/k_copy.h"

static void move_axis(struct k_copy *copy, int to, int from)
{
    copy->sizes[to] = copy->sizes[from];
    copy->from_strides[to] = copy->from_strides[from];
    copy->to_strides[to] = copy->to_strides[from];
}

/* Whether axis a belongs outside of axis b: the destination is written in rising order. */
static bool goes_outside(const struct k_copy *copy, int a, int b)
{
    int64_t to_a = copy_magnitude(copy->to_strides[a]), to_b = copy_magnitude(copy->to_strides[b]);
    if (to_a != to_b) return to_a > to_b;
    return copy_magnitude(copy->from_strides[a]) > copy_magnitude(copy->from_strides[b]);
}

static void swap_axes(struct k_copy *copy, int a, int b)
{
    struct k_copy old = *copy;
    copy->sizes[a] = old.sizes[b], copy->sizes[b] = old.sizes[a];
    copy->from_strides[a] = old.from_strides[b], copy->from_strides[b] = old.from_strides[a];
    copy->to_strides[a] = old.to_strides[b], copy->to_strides[b] = old.to_strides[a];
}

/* Whether stepping over the whole of axis b is one step of axis a, on both sides. */
static bool continues(const struct k_copy *copy, int a, int b)
{
    int64_t from, to;
    return !__builtin_mul_overflow(copy->from_strides[b], copy->sizes[b], &from) &&
           !__builtin_mul_overflow(copy->to_strides[b], copy->sizes[b], &to) &&
           copy->from_strides[a] == from && copy->to_strides[a] == to;
}

void k_copy_simplify(struct k_copy *copy)
{
    int rank = 0;
    for (int axis = 0; axis < copy->rank; axis++) {
        if (copy->sizes[axis] == 0) { /* nothing to copy: one empty axis says so */
            *copy = (struct k_copy){.rank = 1, .element_size = copy->element_size};
            copy->from_strides[0] = copy->to_strides[0] = 1;
            return;
        }
        if (copy->sizes[axis] != 1) move_axis(copy, rank++, axis);
    }
    for (int i = 1; i < rank; i++)
        for (int j = i; j > 0 && goes_outside(copy, j, j - 1); j--)
            swap_axes(copy, j, j - 1);

    int merged = 0;
    for (int axis = 1; axis < rank; axis++) {
        if (continues(copy, merged, axis)) {
            int64_t size = copy->sizes[merged] * copy->sizes[axis];
            move_axis(copy, merged, axis);
            copy->sizes[merged] = size;
        } else {
            move_axis(copy, ++merged, axis);
        }
    }
    copy->rank = rank == 0 ? 0 : merged + 1;
}

struct k_work k_copy_strided_work(const struct k_copy *copy)
{
    struct copy_plan plan = copy_plan(copy);
    int64_t rows = plan.across < 0                 ? 1
                   : plan.across_size < plan.block ? plan.across_size
                                                   : plan.block;
    int64_t row = plan.across < 0 && plan.row > COPY_PIECE ? COPY_PIECE : plan.row;
    int64_t bytes = rows * (row > COPY_GRAIN ? COPY_GRAIN : row) * copy->element_size;
    int64_t grain = bytes <= 0 ? 1 : COPY_GRAIN / bytes;
    return (struct k_work){.items = plan.items, .grain = grain < 1 ? 1 : grain};
}
