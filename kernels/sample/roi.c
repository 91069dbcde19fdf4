/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/sample/k_roi.h"

#include <math.h>
#include <string.h>

#include "kernels/vector/instance.h"

enum { PLACES = 64 };

/* Elements of tensors lie at any address. */
#define ANYWHERE __attribute__((aligned(1), may_alias))
typedef float single_anywhere ANYWHERE;
typedef double double_anywhere ANYWHERE;
typedef int32_t int32_anywhere ANYWHERE;

#define T       float
#define AT      single_anywhere
#define NAME(x) single_##x
#define FLOOR   floorf
#define CEIL    ceilf
#include "kernels/sample/roi.h"
#undef T
#undef AT
#undef NAME
#undef FLOOR
#undef CEIL
#define T       double
#define AT      double_anywhere
#define NAME(x) double_##x
#define FLOOR   floor
#define CEIL    ceil
#include "kernels/sample/roi.h"

k_fn K_SYMBOL(roi), K_SYMBOL(roi_grad), K_SYMBOL(iou);

void K_SYMBOL(roi)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_roi *r = parameters;
    if (r->is_double)
        double_roi(r, buffers, slice);
    else
        single_roi(r, buffers, slice);
}

void K_SYMBOL(roi_grad)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_roi *r = parameters;
    if (r->is_double)
        double_roi_grad(r, buffers, slice);
    else
        single_roi_grad(r, buffers, slice);
}

void K_SYMBOL(iou)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_iou *p = parameters;
    const void *a = buffers[K_IOU_FIRST], *b = buffers[K_IOU_SECOND];
    if (p->is_double)
        double_iou(p, a, b, buffers[K_IOU_TO], slice);
    else
        single_iou(p, a, b, buffers[K_IOU_TO], slice);
}
