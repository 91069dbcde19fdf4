/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of elementwise functions. */
#include "api/op_check.h"
#include "api/op_row.h"
#include "executor/steps.h"
#include "kernels/elementwise/k_elementwise.h"

/* Bytes [begin, end) that a view reaches, where it is now. */
struct range {
    uintptr_t begin, end;
};

static struct range range_of(const struct ex_descriptor *d)
{
    const size_t element = ex_element_size(d->data_type);
    const uintptr_t base = (uintptr_t)atomic_load_explicit(&d->address, memory_order_acquire);
    int64_t last = d->offset;
    for (int i = 0; i < d->rank; i++)
        last += (d->sizes[i] - 1) * d->strides[i];
    return (struct range){base + (size_t)d->offset * element, base + ((size_t)last + 1) * element};
}

static bool is_same_view(const struct ex_descriptor *a, const struct ex_descriptor *b)
{
    for (int i = 0; i < a->rank; i++)
        if (a->sizes[i] != 1 && a->strides[i] != b->strides[i]) return false;
    return range_of(a).begin == range_of(b).begin;
}

/* Whether writing one element may change another that is still to be read. Tensors without an
 * address are taken to lie apart. */
static bool disturbs(const struct ex_descriptor *to, const struct ex_descriptor *from)
{
    if (!atomic_load_explicit(&to->address, memory_order_acquire) ||
        !atomic_load_explicit(&from->address, memory_order_acquire))
        return false;
    const struct range a = range_of(to), b = range_of(from);
    return a.begin < b.end && b.begin < a.end && !is_same_view(to, from);
}

void op_plan_elementwise(struct ex_plan *plan, const struct op_row *row,
                         const struct op_value *values, const int *buffers)
{
    enum { FROM, TO };
    const struct ex_descriptor *from = op_descriptor(values[FROM].tensor);
    const struct ex_descriptor *to = op_descriptor(values[TO].tensor);
    const struct ex_order order = ex_order_identity(to->rank);
    struct k_elementwise e = {.function = (enum k_unary)row->core,
                              .dtype = op_k_dtype(values[FROM].tensor),
                              .rank = from->rank};
    const bool through_scratch = disturbs(to, from);
    int64_t dense = 1;
    for (int i = e.rank - 1; i >= 0; i--) {
        e.sizes[i] = from->sizes[i];
        e.from_strides[i] = from->strides[i];
        e.to_strides[i] = through_scratch ? dense : to->strides[i];
        dense *= from->sizes[i];
    }
    const size_t bytes = (size_t)dense * ex_element_size(to->data_type);
    const int target = through_scratch ? ex_scratch(plan, bytes) : buffers[TO];
    if (target < 0) return;
    ex_step_way(plan, "elementwise", K_CHOICE_elementwise, e.dtype, &e, sizeof e,
                EX_BUFFERS(buffers[FROM], target), NULL);
    ex_deliver(plan, target, buffers[TO], &order);
}
