/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ring/k_ring.h"

enum { WORK = 1 << 14 };

struct k_work k_ring_update_work(const struct k_ring *r)
{
    const int64_t each = r->heads * (r->columns + 32);
    return (struct k_work){.items = r->batch * r->rows,
                           .grain = each > WORK ? 1 : WORK / (each + 1) + 1};
}
