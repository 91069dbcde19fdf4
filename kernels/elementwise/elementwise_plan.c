/* SPDX-License-Identifier: Apache-2.0 */
/* Axes of elementwise functions: those of one element go, those that follow each other in both
 * tensors become one. The innermost is the one along which the result's elements lie closest. */
#include "kernels/elementwise/k_elementwise.h"
#include "kernels/way.h"

static void move_axis(struct k_elementwise *e, int to, int from)
{
    e->sizes[to] = e->sizes[from];
    e->from_strides[to] = e->from_strides[from];
    e->to_strides[to] = e->to_strides[from];
}

static void swap_axes(struct k_elementwise *e, int a, int b)
{
    const struct k_elementwise old = *e;
    move_axis(e, a, b);
    e->sizes[b] = old.sizes[a];
    e->from_strides[b] = old.from_strides[a];
    e->to_strides[b] = old.to_strides[a];
}

static bool goes_outside(const struct k_elementwise *e, int a, int b)
{
    if (e->to_strides[a] != e->to_strides[b]) return e->to_strides[a] > e->to_strides[b];
    return e->from_strides[a] > e->from_strides[b];
}

/* Whether stepping over the whole of axis b is one step of axis a, in both tensors. */
static bool continues(const struct k_elementwise *e, int a, int b)
{
    int64_t from, to;
    return !__builtin_mul_overflow(e->from_strides[b], e->sizes[b], &from) &&
           !__builtin_mul_overflow(e->to_strides[b], e->sizes[b], &to) &&
           e->from_strides[a] == from && e->to_strides[a] == to;
}

/* The same elements with as few axes as can be; one at least. The answer is the same for a plan
 * that has been finished. */
static struct k_elementwise merged(const struct k_elementwise *problem)
{
    struct k_elementwise e = *problem;
    int rank = 0, last = 0;
    e.elements = 1;
    for (int axis = 0; axis < e.rank; axis++) {
        e.elements *= e.sizes[axis];
        if (e.sizes[axis] != 1) move_axis(&e, rank++, axis);
    }
    for (int i = 1; i < rank; i++)
        for (int j = i; j > 0 && goes_outside(&e, j, j - 1); j--)
            swap_axes(&e, j, j - 1);
    for (int axis = 1; axis < rank; axis++) {
        if (continues(&e, last, axis)) {
            const int64_t size = e.sizes[last] * e.sizes[axis];
            move_axis(&e, last, axis);
            e.sizes[last] = size;
        } else {
            move_axis(&e, ++last, axis);
        }
    }
    if (rank == 0) {
        e.sizes[0] = 1;
        e.from_strides[0] = e.to_strides[0] = 1;
    }
    e.rank = last + 1;
    return e;
}

const char *k_elementwise_dense_refuses(const struct k_problem *problem)
{
    const struct k_elementwise e = merged(problem->parameters);
    return e.rank == 1 && e.from_strides[0] == 1 && e.to_strides[0] == 1
               ? NULL
               : "elements do not follow each other";
}

struct k_work k_elementwise_plan(const struct k_problem *problem)
{
    enum { GRAIN = 32 }; /* tiles worth a thread */
    struct k_elementwise *e = problem->parameters;
    *e = merged(e);
    const int64_t tiles =
        e->elements / K_ELEMENTWISE_TILE + (e->elements % K_ELEMENTWISE_TILE != 0);
    return (struct k_work){.items = tiles, .grain = GRAIN};
}
