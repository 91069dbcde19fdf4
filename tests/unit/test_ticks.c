/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of records agrees with CLOCK_MONOTONIC, whichever was chosen. */
#include <criterion/criterion.h>

#include "runtime/support/ticks.h"

/* A moment's own measure, and that of the two moments the rate comes from. */
enum { ALLOWED_NS = 100000, MOMENTS = 1000 };

static void compare_moments(void)
{
    static int64_t ticks[MOMENTS], before[MOMENTS], after[MOMENTS];
    for (int i = 0; i < MOMENTS; i++) {
        before[i] = rt_now_ns();
        ticks[i] = rt_ticks();
        after[i] = rt_now_ns();
    }
    struct rt_ticks_line line = rt_ticks_measure();
    cr_expect_gt(line.ns_per_tick, 0);
    for (int i = 0; i < MOMENTS; i++) {
        int64_t ns = rt_ticks_to_ns(&line, ticks[i]);
        cr_expect_geq(ns, before[i] - ALLOWED_NS, "moment %d", i);
        cr_expect_leq(ns, after[i] + ALLOWED_NS, "moment %d", i);
    }
}

Test(ticks, are_those_of_the_system_clock)
{
    rt_ticks_choose();
    compare_moments();
}

#if !defined(__aarch64__) /* always counted */
Test(ticks, may_be_the_system_clock_itself)
{
    rt_ticks_choose();
    atomic_store(&rt_ticks_are_counted, false);
    int64_t before = rt_now_ns();
    int64_t ticks = rt_ticks();
    int64_t after = rt_now_ns();
    cr_expect_leq(before, ticks);
    cr_expect_leq(ticks, after);
}
#endif
