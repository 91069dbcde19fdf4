/* SPDX-License-Identifier: Apache-2.0 */
/* Shape arithmetic of pooling; the same for every instruction set. */
#include "kernels/k_pool.h"

struct k_work k_avg_pool_grad_work(const struct k_pool *pool, enum k_dtype dtype)
{
    enum { GRAIN = 1 << 15 }; /* elements worth a thread */
    (void)dtype;
    int64_t items = pool->outer * pool->input[0] * pool->input[1];
    int64_t row = pool->input[2] * pool->channels;
    if (row == 0) items = 0;
    return (struct k_work){.items = items, .grain = row == 0 || row > GRAIN ? 1 : GRAIN / row};
}
