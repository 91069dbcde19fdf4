/* SPDX-License-Identifier: Apache-2.0 */
/* dx[i] = sum of dy over the windows whose first largest tap is i, in their row-major order: many
 * channels, innermost. As max_pool_grad_channels.c, with taps that are found in x (max_found.h). */
enum { GRAD_FINDS = 1 };
#include "kernels/pool/max_channels.h"
#include "kernels/pool/max_walk.h"
#include "kernels/vector/instance.h"

K_TEMPLATE
void max_recompute_channels(enum k_dtype dt, const struct k_max_recompute *both, void *const buf[],
                            struct k_slice slice)
{
    struct max_grad g;
    char taps[MAX_FOUND];
    const struct k_scatter scatter = scatter_begin(&both->find, buf[K_MAX_RECOMPUTE_DY], NULL,
                                                   buf[K_MAX_RECOMPUTE_X], buf[K_MAX_RECOMPUTE_DX]);
    grad_begin(&g, dt, &both->find, buf[K_MAX_RECOMPUTE_DY], NULL, buf[K_MAX_RECOMPUTE_DX]);
    g.x = buf[K_MAX_RECOMPUTE_X];
    g.taps = taps;
    channels_begin(&g);
    walk_rows(dt, &g, &scatter, slice, walk_channels);
    if (both->find.stream_output) k_stream_end();
}

K_FLOATS_VECTOR(max_recompute_channels, struct k_max_recompute)
