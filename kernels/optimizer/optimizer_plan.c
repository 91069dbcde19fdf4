/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/optimizer/k_optimizer.h"

struct k_work k_unscale_plan(const struct k_unscale *u)
{
    return (struct k_work){.items = (u->elements + K_OPTIMIZER_TILE - 1) / K_OPTIMIZER_TILE,
                           .grain = 8};
}

/* What is written was read before: non-temporal stores gain nothing. */
struct k_work k_step_plan(struct k_step *step)
{
    const struct k_work work = k_loop_finish(&step->loop, 4);
    step->loop.walk.streams = false;
    return work;
}
