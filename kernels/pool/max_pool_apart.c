/* SPDX-License-Identifier: Apache-2.0 */
/* y[o] = the largest tap of window o, indices[o] = its cell: one channel, windows of two cells side
 * by side that do not overlap along the width. Straight from the cells (max_apart.h). */
#include "kernels/pool/max_forward_rows.h"

K_TEMPLATE
void max_pool_apart(enum k_dtype dt, const struct k_max_pool *pool, void *const buf[],
                    struct k_slice slice)
{
    struct forward f;
    forward_begin(dt, &f, pool, buf);
    if (!forward_out(dt, &f, slice)) return;
    forward_rows(dt, true, &f, NULL, slice.begin, slice.end);
    forward_end(&f);
}

K_FLOATS_VECTOR(max_pool_apart, struct k_max_pool)
