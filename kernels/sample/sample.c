/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/sample/k_sample.h"

#include <math.h>
#include <string.h>

#include "kernels/vector/instance.h"

/* Elements of tensors lie at any address. */
#define ANYWHERE __attribute__((aligned(1), may_alias))
typedef float single_anywhere ANYWHERE;
typedef double double_anywhere ANYWHERE;

#define T       float
#define AT      single_anywhere
#define NAME(x) single_##x
#define FLOOR   floorf
#define RINT    rintf
#define FABS    fabsf
#define FMOD    fmodf
#include "kernels/sample/taps.h"
#undef T
#undef AT
#undef NAME
#undef FLOOR
#undef RINT
#undef FABS
#undef FMOD
#define T       double
#define AT      double_anywhere
#define NAME(x) double_##x
#define FLOOR   floor
#define RINT    rint
#define FABS    fabs
#define FMOD    fmod
#include "kernels/sample/taps.h"

union tile {
    struct single_tile single;
    struct double_tile dual;
};

k_fn K_SYMBOL(sample), K_SYMBOL(sample_grad), K_SYMBOL(sample_grid_grad), K_SYMBOL(affine_grid);

void K_SYMBOL(sample)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_sample *s = parameters;
    const void *from = buffers[K_SAMPLE_FROM], *grid = buffers[K_SAMPLE_GRID];
    union tile tile;
    if (s->is_double)
        double_forward(s, from, grid, buffers[K_SAMPLE_TO], slice, &tile.dual);
    else
        single_forward(s, from, grid, buffers[K_SAMPLE_TO], slice, &tile.single);
}

void K_SYMBOL(sample_grad)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_sample *s = parameters;
    const void *gradient = buffers[K_SAMPLE_FROM], *grid = buffers[K_SAMPLE_GRID];
    union tile tile;
    if (s->is_double)
        double_backward(s, gradient, grid, buffers[K_SAMPLE_TO], slice, &tile.dual);
    else
        single_backward(s, gradient, grid, buffers[K_SAMPLE_TO], slice, &tile.single);
}

void K_SYMBOL(sample_grid_grad)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_sample *s = parameters;
    const void *from = buffers[K_SAMPLE_FROM], *grid = buffers[K_SAMPLE_GRID];
    const void *gradient = buffers[K_SAMPLE_GRADIENT];
    union tile tile;
    if (s->is_double)
        double_backward_grid(s, from, grid, gradient, buffers[K_SAMPLE_TO], slice, &tile.dual);
    else
        single_backward_grid(s, from, grid, gradient, buffers[K_SAMPLE_TO], slice, &tile.single);
}

void K_SYMBOL(affine_grid)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_sample *s = parameters;
    if (s->is_double)
        double_affine(s, buffers[K_AFFINE_GRID_THETA], buffers[K_AFFINE_GRID_TO], slice);
    else
        single_affine(s, buffers[K_AFFINE_GRID_THETA], buffers[K_AFFINE_GRID_TO], slice);
}
