/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/rotary/k_kv_rope.h"

struct k_work k_kv_rope_plan(const struct k_kv_rope *r)
{
    enum { GRAIN = 16384 };
    const int64_t cost = 2 * (r->values + r->keys);
    return (struct k_work){.items = r->rows, .grain = cost < GRAIN ? GRAIN / (cost + 1) + 1 : 1};
}
