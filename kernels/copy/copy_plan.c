/* SPDX-License-Identifier: Apache-2.0 */
/* Shape arithmetic of strided copies; the same for every instruction set. */
#include "kernels/copy/k_copy.h"
#include "kernels/way.h"

enum {
    BLOCK_EDGE = 2,  /* elements along both axes from which blocks are worth it */
    GRAIN = 1 << 16, /* bytes worth a thread */
};

static int64_t magnitude(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

static void move_axis(struct k_copy *copy, int to, int from)
{
    copy->sizes[to] = copy->sizes[from];
    copy->from_strides[to] = copy->from_strides[from];
    copy->to_strides[to] = copy->to_strides[from];
}

/* Whether axis a belongs outside of axis b: the destination is written in rising order. */
static bool goes_outside(const struct k_copy *copy, int a, int b)
{
    int64_t to_a = magnitude(copy->to_strides[a]), to_b = magnitude(copy->to_strides[b]);
    if (to_a != to_b) return to_a > to_b;
    return magnitude(copy->from_strides[a]) > magnitude(copy->from_strides[b]);
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

/* The axis along which the source runs while the inner one does not; -1: none. */
static int axis_across(const struct k_copy *copy)
{
    const int inner = copy->rank - 1;
    if (inner < 0 || copy->sizes[inner] < BLOCK_EDGE || copy->from_strides[inner] == 1) return -1;
    for (int axis = inner - 1; axis >= 0; axis--)
        if (copy->from_strides[axis] == 1 && copy->sizes[axis] >= BLOCK_EDGE) return axis;
    return -1;
}

/* Of items that move `bytes` each. */
static struct k_work work_of(const struct k_copy *copy, int64_t bytes)
{
    struct k_work work = {.items = copy->walk.row == 0 ? 0 : copy->walk.pieces, .grain = 1};
    for (int axis = 0; axis < copy->walk.inner; axis++)
        if (axis != copy->walk.across) work.items *= copy->sizes[axis];
    if (bytes > 0 && bytes < GRAIN) work.grain = GRAIN / bytes;
    return work;
}

const char *k_copy_blocks_refuses(const struct k_problem *problem)
{
    return axis_across(problem->parameters) < 0 ? "no transposition" : NULL;
}

struct k_work k_copy_blocks_plan(const struct k_problem *problem)
{
    struct k_copy *copy = problem->parameters;
    struct k_copy_walk walk = {.inner = copy->rank - 1, .across = axis_across(copy)};
    walk.block = K_COPY_EDGE_BYTES / copy->element_size;
    if (walk.block < K_COPY_EDGE) walk.block = K_COPY_EDGE;
    walk.row = copy->sizes[walk.inner];
    walk.across_size = copy->sizes[walk.across];
    walk.pieces = (walk.across_size + walk.block - 1) / walk.block;
    size_t bytes = (size_t)copy->element_size;
    for (int axis = 0; axis < copy->rank; axis++)
        bytes *= (size_t)copy->sizes[axis];
    walk.streams = bytes > k_cache_last_level() && copy->to_strides[walk.inner] == 1;
    copy->walk = walk;
    const int64_t rows = walk.across_size < walk.block ? walk.across_size : walk.block;
    return work_of(copy, rows * (walk.row < GRAIN ? walk.row : GRAIN) * copy->element_size);
}

struct k_work k_copy_rows_plan(const struct k_problem *problem)
{
    struct k_copy *copy = problem->parameters;
    struct k_copy_walk walk = {.inner = copy->rank - 1, .across = -1, .row = 1};
    if (walk.inner >= 0) walk.row = copy->sizes[walk.inner];
    walk.pieces = (walk.row + K_COPY_PIECE - 1) / K_COPY_PIECE;
    copy->walk = walk;
    return work_of(copy, (walk.row < K_COPY_PIECE ? walk.row : K_COPY_PIECE) * copy->element_size);
}
