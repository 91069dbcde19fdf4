/* SPDX-License-Identifier: Apache-2.0 */
/* Whether all pairs of elements are equal: a byte that is 1 before, and 0 as soon as one slice
 * finds a pair that is not. Slices only ever write the same 0, so their order has no say. */
#include "kernels/elementwise/k_elementwise.h"
#include "kernels/loop/loop.h"

struct equal {
    enum k_compute compute;
    unsigned char *byte;
};

static bool differ_f32(const float *a, const float *b, int64_t count)
{
    int32_t found = 0;
    for (int64_t i = 0; i < count; i++)
        found |= a[i] != b[i];
    return found;
}

static bool differ_f64(const double *a, const double *b, int64_t count)
{
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++)
        found |= a[i] != b[i];
    return found;
}

static bool differ_i32(const int32_t *a, const int32_t *b, int64_t count)
{
    int32_t found = 0;
    for (int64_t i = 0; i < count; i++)
        found |= a[i] ^ b[i];
    return found;
}

static bool differ_i64(const int64_t *a, const int64_t *b, int64_t count)
{
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++)
        found |= a[i] ^ b[i];
    return found;
}

static void compare(const void *parameters, const void *const from[], void *const to[],
                    int64_t count)
{
    const struct equal *equal = parameters;
    (void)to;
    if (!__atomic_load_n(equal->byte, __ATOMIC_RELAXED)) return;
    const bool found = equal->compute == K_AS_F32   ? differ_f32(from[0], from[1], count)
                       : equal->compute == K_AS_F64 ? differ_f64(from[0], from[1], count)
                       : equal->compute == K_AS_I32 ? differ_i32(from[0], from[1], count)
                                                    : differ_i64(from[0], from[1], count);
    if (found) __atomic_store_n(equal->byte, 0, __ATOMIC_RELAXED);
}

k_fn K_SYMBOL(equal);

void K_SYMBOL(equal)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_loop *loop = parameters;
    const struct equal equal = {loop->compute, buffers[0]};
    k_loop_run(loop, compare, &equal, buffers + 1, slice);
}
