/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/rotary/k_rope.h"
#include "kernels/vector/instance.h"

/* Elements of tensors lie at any address. */
#define ANYWHERE __attribute__((aligned(1), may_alias))
typedef float single_anywhere ANYWHERE;
typedef double double_anywhere ANYWHERE;
typedef int32_t int32_anywhere ANYWHERE;
typedef int64_t int64_anywhere ANYWHERE;

/* -1: it is no row of the table. */
static int64_t position_of(const struct k_rope *r, void *const buffers[], int64_t place)
{
    const void *positions = buffers[K_ROPE_POSITIONS];
    const int64_t position = r->is_wide ? ((const int64_anywhere *)positions)[place]
                                        : ((const int32_anywhere *)positions)[place];
    if (position >= 0 && position < r->positions) return position;
    k_fault_note(buffers[K_ROPE_BUFFERS], place);
    return -1;
}

#define T       float
#define AT      single_anywhere
#define NAME(x) single_##x
#include "kernels/rotary/rope.h"
#undef T
#undef AT
#undef NAME
#define T       double
#define AT      double_anywhere
#define NAME(x) double_##x
#include "kernels/rotary/rope.h"

k_fn K_SYMBOL(rope);

void K_SYMBOL(rope)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_rope *r = parameters;
    if (r->is_double)
        double_rope(r, buffers, slice);
    else
        single_rope(r, buffers, slice);
}
