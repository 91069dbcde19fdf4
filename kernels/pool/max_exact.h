/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of windows of one channel, tap by tap: where a cell is a NaN. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_EXACT_H
#define ACLNN_CPU_KERNELS_POOL_MAX_EXACT_H

#include "kernels/pool/max_forward.h"
#include "kernels/pool/max_rows.h"

/* Row (od, oh) of windows, tap by tap. */
K_TEMPLATE
void exact_row(enum k_dtype dt, struct forward *f, int64_t outer, int64_t od, int64_t oh,
               char *values, char *places)
{
    const int64_t out = f->plan.width.out;
    argmax_row(dt, &f->argmax, &f->lanes, outer, od, oh);
    put_values(dt, values, (const float *)(const void *)f->best, out);
    if (places)
        put_places(f->pool->index == K_INDEX_I64, places, (const int32_t *)(const void *)f->code,
                   f->lanes.base, (int32_t)row_base(&f->plan, od, oh), out);
}

K_OUT_OF_LINE(void, exact_row,
              (struct forward * f, int64_t outer, int64_t od, int64_t oh, char *values,
               char *places),
              (f, outer, od, oh, values, places))

K_TEMPLATE
void exact_rows(enum k_dtype dt, struct forward *f, int64_t item, int64_t rows,
                struct max_rows_out to)
{
    const struct max_plan *plan = &f->plan;
    forward_tile(f, 0);
    for (int64_t r = 0; r < rows; r++) {
        const int64_t oh = (item + r) % plan->height.out;
        const int64_t above = (item + r) / plan->height.out;
        const int64_t od = above % plan->depth.out, outer = above / plan->depth.out;
        exact_row_of(dt, f, outer, od, oh, to.values, to.places);
        to.values += to.pitch;
        if (to.places) to.places += to.place_pitch;
    }
}

#endif
