/* SPDX-License-Identifier: Apache-2.0 */
/* Vector clocks: for each slot (the host, streams, lanes of graphs) the last operation of it that
 * is known to have ended. The caller holds the checker's lock. */
#ifndef ACLNN_CPU_RUNTIME_CHECK_CLOCK_H
#define ACLNN_CPU_RUNTIME_CHECK_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/support/alloc.h"

struct rt_check_clock {
    uint32_t count, room;
    uint64_t *at;
};

static inline uint64_t rt_check_clock_at(const struct rt_check_clock *clock, uint32_t slot)
{
    return slot < clock->count ? clock->at[slot] : 0;
}

/* False without memory. */
static inline bool rt_check_clock_reach(struct rt_check_clock *clock, uint32_t count)
{
    if (count > clock->room) {
        const uint32_t room = count + count / 2 + 8;
        uint64_t *at = rt_alloc(room * sizeof *at);
        if (!at) return false;
        if (clock->count) memcpy(at, clock->at, clock->count * sizeof *at);
        rt_free(clock->at);
        clock->at = at;
        clock->room = room;
    }
    for (; clock->count < count; clock->count++)
        clock->at[clock->count] = 0;
    return true;
}

static inline void rt_check_clock_set(struct rt_check_clock *clock, uint32_t slot, uint64_t time)
{
    if (rt_check_clock_reach(clock, slot + 1)) clock->at[slot] = time;
}

static inline void rt_check_clock_join(struct rt_check_clock *clock,
                                       const struct rt_check_clock *other)
{
    if (!rt_check_clock_reach(clock, other->count)) return;
    for (uint32_t i = 0; i < other->count; i++)
        if (clock->at[i] < other->at[i]) clock->at[i] = other->at[i];
}

static inline void rt_check_clock_clear(struct rt_check_clock *clock)
{
    clock->count = 0;
}

static inline void rt_check_clock_end(struct rt_check_clock *clock)
{
    rt_free(clock->at);
    *clock = (struct rt_check_clock){0};
}

#endif
