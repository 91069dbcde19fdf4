/* SPDX-License-Identifier: Apache-2.0 */
/* dx[i] = sum of dy over the windows whose index is i, in their row-major order, without being told
 * windows: they are guessed from the indices of a slice's first outer (max_guess.h). Where they
 * hold, as for any pooling of one kernel and stride, the way for such windows gathers, which looks
 * at every index anyway; else max_pool_grad_scatter does it. This choice waits for the data. */
#include "kernels/kernels.h"
#include "kernels/pool/max_guess.h"
#include "kernels/vector/instance.h"
#include "kernels/way.h"

extern const struct k_table K_SYMBOL(k_table);

K_TEMPLATE
void max_pool_grad_guess(enum k_dtype dt, const struct k_max_pool *pool, void *const buf[],
                         struct k_slice slice)
{
    const struct k_table *level = &K_SYMBOL(k_table);
    const struct k_scatter scatter = scatter_begin(
        pool, buf[K_MAX_POOL_GRAD_DY], buf[K_MAX_POOL_GRAD_INDICES], NULL, buf[K_MAX_POOL_GRAD_DX]);
    struct k_max_pool guess;
    if (slice.begin < slice.end && guess_windows(&scatter, slice.begin, &guess)) {
        const struct k_problem problem = {&guess, dt, level};
        const struct k_chosen chosen = k_way_choose(K_CHOICE_max_pool_grad, &problem);
        const int64_t items = chosen.work.items / pool->outer;
        chosen.run(&guess, buf, (struct k_slice){slice.begin * items, slice.end * items});
        return;
    }
    level->max_pool_grad_scatter[dt](pool, buf, slice);
}

K_FLOATS_VECTOR(max_pool_grad_guess, struct k_max_pool)
