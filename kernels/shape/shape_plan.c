/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/shape/k_shape.h"

enum { GRAIN = 1 << 15 }; /* elements worth a thread */

struct k_work k_ramp_work(const struct k_ramp *ramp)
{
    return (struct k_work){.items = (ramp->count + K_RAMP_BLOCK - 1) / K_RAMP_BLOCK,
                           .grain = GRAIN / K_RAMP_BLOCK};
}

struct k_work k_triangle_work(const struct k_triangle *triangle)
{
    struct k_work work = {.items = 1, .grain = 1};
    const int64_t columns = triangle->sizes[triangle->rank - 1];
    for (int axis = 0; axis < triangle->rank - 1; axis++)
        work.items *= triangle->sizes[axis];
    if (columns < GRAIN) work.grain = GRAIN / (columns > 0 ? columns : 1);
    return work;
}

struct k_work k_signs_work(const struct k_signs *signs)
{
    return (struct k_work){.items = signs->count / 8 + (signs->count % 8 != 0), .grain = 4096};
}
