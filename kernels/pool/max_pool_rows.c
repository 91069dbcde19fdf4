/* SPDX-License-Identifier: Apache-2.0 */
/* y[o] = the largest tap of window o, indices[o] = its cell: one channel, along rows of cells, then
 * over them (max_rows.h). */
#include "kernels/pool/max_forward_rows.h"

K_TEMPLATE
void max_pool_rows(enum k_dtype dt, const struct k_max_pool *pool, void *const buf[],
                   struct k_slice slice)
{
    struct forward f;
    struct max_rows rows;
    forward_begin(dt, &f, pool, buf);
    if (!forward_out(dt, &f, slice)) return;
    rows_begin(&rows, &f.plan, f.x, f.argmax.end, f.indices != NULL, true);
    forward_rows(dt, false, &f, &rows, slice.begin, slice.end);
    forward_end(&f);
}

K_FLOATS_VECTOR(max_pool_rows, struct k_max_pool)
