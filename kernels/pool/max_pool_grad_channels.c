/* SPDX-License-Identifier: Apache-2.0 */
/* dx[i] = sum of dy over the windows whose index is i, in their row-major order: many channels,
 * innermost (max_channels.h). */
enum { GRAD_FINDS = 0 };
#include "kernels/pool/max_channels.h"
#include "kernels/pool/max_walk.h"
#include "kernels/vector/instance.h"

K_TEMPLATE
void max_pool_grad_channels(enum k_dtype dt, const struct k_max_pool *pool, void *const buf[],
                            struct k_slice slice)
{
    struct max_grad g;
    const struct k_scatter scatter = max_grad_begin(dt, &g, pool, buf);
    channels_begin(&g);
    max_grad_end(&g, &scatter, walk_rows(dt, &g, &scatter, slice, walk_channels));
}

K_FLOATS_VECTOR(max_pool_grad_channels, struct k_max_pool)
