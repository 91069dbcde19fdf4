/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/rotary/k_rope.h"

struct k_work k_rope_plan(const struct k_rope *r)
{
    enum { GRAIN = 16384 };
    const int64_t cost = r->heads * r->head;
    return (struct k_work){.items = r->tokens, .grain = cost < GRAIN ? GRAIN / (cost + 1) + 1 : 1};
}
