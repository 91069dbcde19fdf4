/* SPDX-License-Identifier: Apache-2.0 */
/* dx[i] = sum of dy over the windows whose first largest tap is i, in their row-major order: as
 * many outers at a time as leave their indices in the caches, by the ways of max_pool and
 * max_pool_grad for such shapes. */
#include "kernels/pool/k_max_pool.h"
#include "kernels/vector/instance.h"
#include "kernels/vector/simd.h"

K_TEMPLATE
void max_recompute_outers(enum k_dtype dt, const struct k_max_recompute *both, void *const buf[],
                          struct k_slice slice)
{
    float largest[K_MAX_RECOMPUTE_WINDOWS] __attribute__((aligned(LINE_BYTES)));
    int32_t indices[K_MAX_RECOMPUTE_WINDOWS] __attribute__((aligned(LINE_BYTES)));
    struct k_max_pool find = both->find, add = both->add;
    struct k_fault fault; /* stays as it is: the indices are right */
    atomic_init(&fault.position, INT64_MAX);
    atomic_init(&fault.unsettled, 0);
    const int64_t windows = find.output[0] * find.output[1] * find.output[2] * find.channels;
    const int64_t cells = find.input[0] * find.input[1] * find.input[2] * find.channels;
    for (int64_t outer = slice.begin, count; outer < slice.end; outer += count) {
        count = slice.end - outer < both->outers ? slice.end - outer : both->outers;
        find.outer = find.plan.outer = add.outer = add.plan.outer = count;
        char *x = (char *)buf[K_MAX_RECOMPUTE_X] + outer * cells * k_size(dt);
        char *dy = (char *)buf[K_MAX_RECOMPUTE_DY] + outer * windows * k_size(dt);
        char *dx = (char *)buf[K_MAX_RECOMPUTE_DX] + outer * cells * k_size(dt);
        both->run_find(&find, (void *[]){x, largest, indices},
                       (struct k_slice){0, count * both->find_items});
        both->run_add(&add, (void *[]){dy, indices, dx, &fault},
                      (struct k_slice){0, count * both->add_items});
    }
}

K_FLOATS(max_recompute_outers, struct k_max_recompute)
