/* SPDX-License-Identifier: Apache-2.0 */
/* Which element is the greatest, told whatever the order of comparing: the first of equal ones, the
 * last NaN. */
#ifndef ACLNN_CPU_KERNELS_POOL_CANDIDATES_H
#define ACLNN_CPU_KERNELS_POOL_CANDIDATES_H

#include "kernels/vector/select.h"

/* One element to a lane. `key` rises with the value and is greatest for NaN; of equal keys the
 * lesser `place` wins, which is the position, and for NaN its complement. */
struct candidates {
    vi key, place;
};

/* Elements at these positions. */
K_TEMPLATE
struct candidates rate(vf value, vi at)
{
    const vi nan = value != value;
    const vi bits = (vi)(value + 0.0f); /* -0 becomes 0 */
    const vi key = bits ^ ((bits >> 31) & INT32_MAX);
    return (struct candidates){(nan & INT32_MAX) | (~nan & key), at ^ nan};
}

K_TEMPLATE
struct candidates better(struct candidates a, struct candidates b)
{
    const vi take = (b.key > a.key) | ((b.key == a.key) & (b.place < a.place));
    return (struct candidates){(take & b.key) | (~take & a.key),
                               (take & b.place) | (~take & a.place)};
}

/* The position of the best of all lanes. */
K_TEMPLATE
int64_t best_lane(struct candidates c)
{
    for (int step = VL / 2; step > 0; step /= 2) {
        const vi from = (v_lanes() + step) & (VL - 1);
        const struct candidates other = {(vi)v_pick_one((vf)c.key, from),
                                         (vi)v_pick_one((vf)c.place, from)};
        c = better(c, other);
    }
    return c.place[0] < 0 ? ~c.place[0] : c.place[0];
}

#endif
