/* SPDX-License-Identifier: Apache-2.0 */
/* dx[i] = sum of dy over the windows whose index is i, in their row-major order: one channel,
 * windows of 2 or 3 by a step of 2, half as many as cells (max_grad_twos.h). */
#include "kernels/pool/max_grad_twos.h"
#include "kernels/pool/max_walk.h"
#include "kernels/vector/instance.h"

K_TEMPLATE
void max_pool_grad_twos(enum k_dtype dt, const struct k_max_pool *pool, void *const buf[],
                        struct k_slice slice)
{
    struct max_grad g;
    const struct k_scatter scatter = max_grad_begin(dt, &g, pool, buf);
    max_grad_end(&g, &scatter, walk_twos(dt, &g, &scatter, slice));
}

K_FLOATS_VECTOR(max_pool_grad_twos, struct k_max_pool)
