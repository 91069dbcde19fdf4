/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <time.h>

#include "acl/acl.h"
#include "runtime/device/device.h"
#include "tests/unit/gate.h"
#include "tests/unit/lane.h"
#include "tests/unit/refusal.h"

static uint64_t *new_value(uint64_t value)
{
    void *memory = NULL;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtMalloc(&memory, 2 * sizeof(value), ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    __atomic_store_n((uint64_t *)memory, value, __ATOMIC_SEQ_CST);
    return memory;
}

static void write_value(uint64_t *at, uint64_t value, struct lane lane)
{
    cr_assert_eq(aclrtValueWrite(at, value, 0, lane.handle), ACL_SUCCESS);
}

static void wait_value(uint64_t *at, uint64_t value, uint32_t how, struct lane lane)
{
    cr_assert_eq(aclrtValueWait(at, value, how, lane.handle), ACL_SUCCESS);
}

static bool passes(uint64_t found, uint64_t value, uint32_t how)
{
    struct lane lane = lane_open(0);
    uint64_t *at = new_value(found);
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    wait_value(at, value, how, lane);
    while (!lane_is(lane, RT_STREAM_PARKED) && status == ACL_STREAM_STATUS_NOT_READY)
        cr_assert_eq(aclrtStreamQuery(lane.handle, &status), ACL_SUCCESS);
    cr_assert_eq(aclrtDestroyStreamForce(lane.handle), ACL_SUCCESS);
    cr_assert_eq(aclrtFree(at), ACL_SUCCESS);
    return status == ACL_STREAM_STATUS_COMPLETE;
}

Test(value, comparisons, .timeout = 600)
{
    cr_expect(passes(5, 5, ACL_STREAM_WAIT_VALUE_EQ));
    cr_expect(!passes(5, 6, ACL_STREAM_WAIT_VALUE_EQ));
    cr_expect(!passes(5, 5 + (UINT64_C(1) << 32), ACL_STREAM_WAIT_VALUE_EQ), "all 64 bits count");
    cr_expect(passes(5, 5, ACL_STREAM_WAIT_VALUE_GEQ));
    cr_expect(passes(6, 5, ACL_STREAM_WAIT_VALUE_GEQ));
    cr_expect(!passes(4, 5, ACL_STREAM_WAIT_VALUE_GEQ));
    cr_expect(passes(2, UINT64_MAX, ACL_STREAM_WAIT_VALUE_GEQ), "a counter that wrapped");
    cr_expect(passes(6, 4, ACL_STREAM_WAIT_VALUE_AND));
    cr_expect(!passes(6, 9, ACL_STREAM_WAIT_VALUE_AND));
    cr_expect(passes(6, 9, ACL_STREAM_WAIT_VALUE_NOR));
    cr_expect(!passes(~UINT64_C(9), 9, ACL_STREAM_WAIT_VALUE_NOR));
    rt_runtime_shutdown();
}

Test(value, a_write_of_another_stream_ends_the_wait, .timeout = 600)
{
    static struct gate gate;
    struct lane writer = lane_open(0), waiter = lane_open(0);
    uint64_t *at = new_value(0);
    wait_value(at, 1, ACL_STREAM_WAIT_VALUE_EQ, waiter);
    lane_submit(waiter, 'b', 0);
    gate_close(&gate, writer.stream);
    lane_submit(writer, 'a', 0);
    write_value(at, 1, writer);
    lane_await(lane_is(waiter, RT_STREAM_PARKED));
    cr_expect_eq(lane_logged, 0);
    gate_open(&gate);
    cr_expect_eq(aclrtSynchronizeStream(waiter.handle), ACL_SUCCESS);
    cr_expect_str_eq(lane_log, "ab");
    cr_expect_eq(*at, 1);
    rt_runtime_shutdown();
}

/* Nobody tells the library of this write. */
Test(value, a_write_of_the_program_ends_the_wait, .timeout = 600)
{
    struct lane waiter = lane_open(0);
    uint64_t *at = new_value(0);
    for (uint64_t i = 1; i <= 20; i++) {
        wait_value(at, i, ACL_STREAM_WAIT_VALUE_GEQ, waiter);
        lane_await(lane_is(waiter, RT_STREAM_PARKED));
        __atomic_store_n(at, i, __ATOMIC_RELEASE);
        cr_expect_eq(aclrtSynchronizeStream(waiter.handle), ACL_SUCCESS);
    }
    rt_runtime_shutdown();
}

Test(value, a_copy_ends_the_wait, .timeout = 600)
{
    struct lane writer = lane_open(0), waiter = lane_open(0);
    uint64_t *at = new_value(0), *from = new_value(7);
    wait_value(at, 7, ACL_STREAM_WAIT_VALUE_EQ, waiter);
    lane_await(lane_is(waiter, RT_STREAM_PARKED));
    cr_assert_eq(aclrtMemcpyAsync(at, 8, from, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, writer.handle),
                 ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(writer.handle), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(waiter.handle), ACL_SUCCESS);
    rt_runtime_shutdown();
}

/* Two streams hand a turn to each other. */
Test(value, ping_pong, .timeout = 600)
{
    enum { ROUNDS = 2000 };
    struct lane ping = lane_open(0), pong = lane_open(0);
    uint64_t *at = new_value(0);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        wait_value(at, 2 * i, ACL_STREAM_WAIT_VALUE_EQ, ping);
        write_value(at, 2 * i + 1, ping);
        wait_value(at, 2 * i + 1, ACL_STREAM_WAIT_VALUE_EQ, pong);
        write_value(at, 2 * i + 2, pong);
    }
    cr_expect_eq(aclrtSynchronizeDevice(), ACL_SUCCESS);
    cr_expect_eq(*at, 2 * ROUNDS);
    rt_runtime_shutdown();
}

static double milliseconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

Test(value, a_wait_costs_next_to_nothing, .timeout = 600)
{
    const struct timespec pause = {.tv_nsec = 500000000};
    struct lane waiter = lane_open(0);
    uint64_t *at = new_value(0);
    wait_value(at, 1, ACL_STREAM_WAIT_VALUE_EQ, waiter);
    lane_await(lane_is(waiter, RT_STREAM_PARKED));
    double used = milliseconds(CLOCK_PROCESS_CPUTIME_ID), took = milliseconds(CLOCK_MONOTONIC);
    nanosleep(&pause, NULL); /* longer on a machine under load */
    used = milliseconds(CLOCK_PROCESS_CPUTIME_ID) - used;
    took = milliseconds(CLOCK_MONOTONIC) - took;
    cr_expect_lt(used, took / 4, "%.1f ms of CPU in %.1f", used, took);
    write_value(at, 1, waiter); /* behind its own wait: it cannot come */
    cr_expect_eq(aclrtDestroyStreamForce(waiter.handle), ACL_SUCCESS);
    cr_log_info("%.2f ms of CPU in %.1f ms", used, took);
    rt_runtime_shutdown();
}

Test(value, misuse, .timeout = 600)
{
    struct lane lane = lane_open(0);
    uint64_t *at = new_value(0);
    static uint64_t elsewhere;
    void *host = NULL;
    cr_assert_eq(aclrtMallocHost(&host, sizeof(uint64_t)), ACL_SUCCESS);
    expect_refused(aclrtValueWrite(host, 1, 0, lane.handle), ACL_ERROR_RT_PARAM_INVALID,
                   "device memory");
    expect_refused(aclrtValueWrite(NULL, 1, 0, lane.handle), ACL_ERROR_INVALID_PARAM, "NULL");
    expect_refused(aclrtValueWait(NULL, 1, 0, lane.handle), ACL_ERROR_INVALID_PARAM, "NULL");
    expect_refused(aclrtValueWrite((char *)at + 4, 1, 0, lane.handle), ACL_ERROR_RT_ADDR_UNALIGNED,
                   "aligned");
    expect_refused(aclrtValueWait((char *)at + 1, 1, 0, lane.handle), ACL_ERROR_RT_ADDR_UNALIGNED,
                   "aligned");
    expect_refused(aclrtValueWrite(&elsewhere, 1, 0, lane.handle), ACL_ERROR_RT_PARAM_INVALID,
                   "device memory");
    expect_refused(aclrtValueWait(&elsewhere, 1, 0, lane.handle), ACL_ERROR_RT_PARAM_INVALID,
                   "device memory");
    expect_refused(aclrtValueWrite(at, 1, 1, lane.handle), ACL_ERROR_RT_PARAM_INVALID, "flag is 1");
    expect_refused(aclrtValueWait(at, 1, 4, lane.handle), ACL_ERROR_RT_PARAM_INVALID, "flag is 4");
    expect_refused(aclrtValueWrite(at, 1, 0, at), ACL_ERROR_RT_INVALID_HANDLE, "stream");
    rt_runtime_shutdown();
}

/* The write is still to come when the end begins; another wait will never end. */
Test(value, finalize_loses_no_work, .timeout = 600)
{
    struct lane waiter = lane_open(0), never = lane_open(0), writer = lane_open(0);
    uint64_t *at = new_value(0);
    wait_value(at, 1, ACL_STREAM_WAIT_VALUE_EQ, waiter);
    lane_submit(waiter, 'b', 0);
    lane_await(lane_is(waiter, RT_STREAM_PARKED));
    wait_value(at, 2, ACL_STREAM_WAIT_VALUE_EQ, never);
    lane_submit(never, 'x', 0);
    for (int i = 0; i < 100; i++)
        lane_submit(writer, 'a', 0);
    write_value(at, 1, writer);
    rt_runtime_shutdown();
    cr_expect_eq(lane_logged, 101);
    cr_expect_eq(lane_log[100], 'b');
}

/* Memory that a queued wait looks at is not given to others. */
Test(value, memory_may_be_freed_while_it_is_looked_at, .timeout = 600)
{
    static struct gate gate;
    struct lane writer = lane_open(0), waiter = lane_open(0);
    uint64_t *at = new_value(0);
    wait_value(at, 1, ACL_STREAM_WAIT_VALUE_EQ, waiter);
    gate_close(&gate, writer.stream);
    write_value(at, 1, writer);
    lane_await(lane_is(waiter, RT_STREAM_PARKED));
    cr_expect_eq(aclrtFree(at), ACL_SUCCESS);
    uint64_t *other = new_value(5);
    cr_expect_neq(other, at);
    gate_open(&gate);
    cr_expect_eq(aclrtSynchronizeStream(waiter.handle), ACL_SUCCESS);
    rt_runtime_shutdown();
}
