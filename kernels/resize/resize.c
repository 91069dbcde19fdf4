/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/loop/convert.h"
#include "kernels/resize/k_resize.h"

/* Elements of tensors lie at any address. */
#define ANYWHERE __attribute__((aligned(1), may_alias))
typedef uint16_t two_bytes ANYWHERE;
typedef uint32_t four_bytes ANYWHERE;
typedef uint64_t eight_bytes ANYWHERE;
typedef float single_anywhere ANYWHERE;
typedef double double_anywhere ANYWHERE;

/* ---- nearest ---- */

#define GATHER(type)                                                                               \
    {                                                                                              \
        const type *of = (const type *)from;                                                       \
        type *restrict made = (type *)to;                                                          \
        for (int64_t j = 0; j < count; j++)                                                        \
            made[j] = of[at[j]];                                                                   \
    }                                                                                              \
    break

static void gather(int64_t size, const char *from, const int32_t *at, char *to, int64_t count)
{
    switch (size) {
    case 1:
        GATHER(uint8_t);
    case 2:
        GATHER(two_bytes);
    case 4:
        GATHER(four_bytes);
    default:
        GATHER(eight_bytes);
    }
}

/* A line of the same elements as the one before it is a copy of that. */
static void nearest(const struct k_resize *r, const char *from, const char *table, char *to,
                    struct k_slice slice)
{
    const struct k_resize_axis *a = r->axis;
    const int32_t *z = (const void *)(table + a[0].places),
                  *y = (const void *)(table + a[1].places);
    const int32_t *x = (const void *)(table + a[2].places);
    const int64_t size = k_dtype_size(r->dtype);
    int64_t before = -1;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t h = item % a[1].out, d = item / a[1].out % a[0].out;
        const int64_t plane = item / a[1].out / a[0].out;
        const int64_t row = (plane * a[0].in + z[d]) * a[1].in + y[h];
        char *line = to + item * a[2].out * size;
        if (row == before)
            memcpy(line, line - a[2].out * size, (size_t)(a[2].out * size));
        else
            gather(size, from + row * a[2].in * size, x, line, a[2].out);
        before = row;
    }
}

/* ---- others ---- */

#define REAL          float
#define REAL_ANYWHERE single_anywhere
#define REAL_DTYPE    K_F32
#define REAL_COMPUTE  K_AS_F32
#define LINES(name)   single_##name
#include "kernels/resize/resize_lines.h"
#undef REAL
#undef REAL_ANYWHERE
#undef REAL_DTYPE
#undef REAL_COMPUTE
#undef LINES
#define REAL          double
#define REAL_ANYWHERE double_anywhere
#define REAL_DTYPE    K_F64
#define REAL_COMPUTE  K_AS_F64
#define LINES(name)   double_##name
#include "kernels/resize/resize_lines.h"

k_fn K_SYMBOL(resize);

void K_SYMBOL(resize)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_resize *r = parameters;
    const char *from = buffers[K_RESIZE_FROM], *table = buffers[K_RESIZE_TABLE];
    char *to = buffers[K_RESIZE_TO];
    if (r->mode == K_RESIZE_NEAREST || r->mode == K_RESIZE_NEAREST_EXACT)
        nearest(r, from, table, to, slice);
    else if (r->dtype == K_F64)
        double_run(r, from, table, to, slice);
    else
        single_run(r, from, table, to, slice);
}

k_fn K_SYMBOL(resize_grad);

void K_SYMBOL(resize_grad)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_resize *r = parameters;
    const char *from = buffers[K_RESIZE_FROM], *table = buffers[K_RESIZE_TABLE];
    if (r->dtype == K_F64)
        double_grad(r, from, table, buffers[K_RESIZE_TO], slice);
    else
        single_grad(r, from, table, buffers[K_RESIZE_TO], slice);
}
