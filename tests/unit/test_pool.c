/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl_rt.h"
#include "runtime/device/device.h"
#include "runtime/schedule/pool.h"
#include "runtime/support/config.h"
#include "tests/unit/process.h"

enum { MOST_ITEMS = 5000, MOST_SLICES = 5000 };

struct seen {
    atomic_int times[MOST_ITEMS];
    atomic_int slices;
    int64_t smallest;
    int64_t items;
    int64_t grain;
    atomic_int too_small;
    atomic_int out_of_range;
};

static void see(void *context, int64_t begin, int64_t end)
{
    struct seen *seen = context;
    atomic_fetch_add(&seen->slices, 1);
    if (begin < 0 || end > seen->items || begin >= end) {
        atomic_fetch_add(&seen->out_of_range, 1);
        return;
    }
    if (end - begin < seen->grain && end - begin != seen->items)
        atomic_fetch_add(&seen->too_small, 1);
    for (int64_t i = begin; i < end; i++)
        atomic_fetch_add(&seen->times[i], 1);
}

static struct seen seen;

static void check_loop(struct rt_pool *pool, int64_t items, int64_t grain)
{
    memset(&seen, 0, sizeof(seen));
    seen.items = items;
    seen.grain = grain;
    rt_parallel_for(pool, see, &seen, items, grain);
    cr_assert_eq(seen.out_of_range, 0, "%ld items, grain %ld", (long)items, (long)grain);
    cr_assert_eq(seen.too_small, 0, "%ld items, grain %ld", (long)items, (long)grain);
    for (int64_t i = 0; i < items; i++)
        cr_assert_eq(seen.times[i], 1, "item %ld of %ld ran %d times with grain %ld", (long)i,
                     (long)items, seen.times[i], (long)grain);
    if (!pool || items <= grain) cr_assert_eq(seen.slices, items > 0);
}

static void check_loops(void)
{
    const int64_t grains[] = {1, 2, 3, 7, 64, 1000, 4999, 5000, 10000};
    for (size_t g = 0; g < sizeof(grains) / sizeof(*grains); g++) {
        for (int64_t items = 0; items < 70; items++)
            check_loop(rt_pool_default(), items, grains[g]);
        for (int64_t items = 71; items <= MOST_ITEMS; items += 493)
            check_loop(rt_pool_default(), items, grains[g]);
        check_loop(NULL, 100, grains[g]);
    }
}

ParameterizedTestParameters(pool, every_item_once)
{
    static int threads[] = {1, 2, 3, 8, 64};
    return cr_make_param_array(int, threads, sizeof(threads) / sizeof(*threads));
}

ParameterizedTest(int *threads, pool, every_item_once, .timeout = 600)
{
    char text[16];
    snprintf(text, sizeof(text), "%d", *threads);
    setenv("ACLNN_CPU_THREADS", text, 1);
    cr_assert_eq(rt_pool_threads(rt_pool_default()), *threads);
    check_loops();
    rt_runtime_shutdown();
}

/* The sum over slices is the serial loop's, whatever the cut: one slice after the other adds up. */
static int64_t last_begin;

static void rising(void *context, int64_t begin, int64_t end)
{
    (void)end;
    int *falls = context;
    if (begin < last_begin) ++*falls;
    last_begin = begin;
}

Test(pool, one_thread_is_the_plain_loop)
{
    int falls = 0;
    setenv("ACLNN_CPU_THREADS", "1", 1);
    rt_parallel_for(rt_pool_default(), rising, &falls, 1000, 1);
    cr_expect_eq(falls, 0);
}

/* An item is done when two threads have met. */
static _Atomic long thread_ids[2];
static atomic_int distinct;

static void meet(void *context, int64_t begin, int64_t end)
{
    (void)begin;
    (void)end;
    (void)context;
    long id = syscall(SYS_gettid);
    long none = 0;
    if (atomic_compare_exchange_strong(&thread_ids[0], &none, id) ||
        (thread_ids[0] != id &&
         (none = 0, atomic_compare_exchange_strong(&thread_ids[1], &none, id))))
        atomic_fetch_add(&distinct, 1);
    struct timespec nap = {.tv_nsec = 1000000};
    while (distinct < 2)
        nanosleep(&nap, NULL);
}

Test(pool, a_loop_runs_on_several_threads, .timeout = 600)
{
    setenv("ACLNN_CPU_THREADS", "4", 1);
    rt_parallel_for(rt_pool_default(), meet, NULL, 64, 1);
    cr_expect_eq(distinct, 2);
    rt_runtime_shutdown();
}

/* As many items as threads, each done when all have begun: a thread has one, that of its CPU. */
enum { MOST_THREADS = 64 };
static int everyone;
static atomic_int begun;
static long owner[MOST_THREADS];

static void hold(void *context, int64_t begin, int64_t end)
{
    (void)context;
    (void)end;
    owner[begin] = syscall(SYS_gettid);
    atomic_fetch_add(&begun, 1);
    while (begun < everyone)
        sched_yield();
}

static void hold_all(void)
{
    begun = 0;
    rt_parallel_for(rt_pool_default(), hold, NULL, everyone, 1);
    cr_assert_eq(begun, everyone);
}

Test(pool, a_cpu_keeps_its_part_of_a_loop, .timeout = 600)
{
    cpu_set_t mask, one;
    long first[MOST_THREADS];
    cr_assert_eq(sched_getaffinity(0, sizeof(mask), &mask), 0);
    if (CPU_COUNT(&mask) < 2 || CPU_COUNT(&mask) > MOST_THREADS)
        setenv("ACLNN_CPU_THREADS", "2", 1);
    everyone = rt_pool_threads(rt_pool_default());
    hold_all(); /* starts the workers */
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    cr_assert_eq(sched_setaffinity(0, sizeof(one), &one), 0);
    hold_all();
    memcpy(first, owner, sizeof(first));
    for (int round = 0; round < 100; round++) {
        hold_all();
        for (int i = 0; i < everyone; i++)
            cr_assert_eq(owner[i], first[i], "round %d: item %d of %d changed its thread", round, i,
                         everyone);
    }
    rt_runtime_shutdown();
}

Test(pool, shutdown_leaves_no_thread_and_work_goes_on_afterwards, .timeout = 600)
{
    setenv("ACLNN_CPU_THREADS", "4", 1);
    int before = process_count(PROCESS_THREADS);
    for (int round = 0; round < 3; round++) {
        check_loop(rt_pool_default(), MOST_ITEMS, 1);
        cr_expect_gt(process_count(PROCESS_THREADS), before);
        rt_runtime_shutdown();
        cr_expect(process_settles(PROCESS_THREADS, before));
    }
}

Test(pool, a_loop_without_enough_work_starts_no_thread)
{
    setenv("ACLNN_CPU_THREADS", "4", 1);
    int before = process_count(PROCESS_THREADS);
    check_loop(rt_pool_default(), 100, 100);
    check_loop(rt_pool_default(), 1, 1);
    cr_expect_eq(process_count(PROCESS_THREADS), before);
}
