/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

#include "acl/acl.h"
#include "runtime/device/device.h"
#include "tests/unit/gate.h"
#include "tests/unit/lane.h"
#include "tests/unit/refusal.h"

static struct gate gate;
static atomic_bool is_aborting;

static void *open_gate(void *argument)
{
    (void)argument;
    lane_await(is_aborting);
    for (int i = 0; i < 10; i++)
        lane_nap();
    lane_note('o');
    gate_open(&gate);
    return NULL;
}

Test(abort, drops_what_is_queued_and_waits_for_what_runs, .timeout = 600)
{
    pthread_t thread;
    struct lane lane = lane_open(0);
    gate_close(&gate, lane.stream);
    lane_submit(lane, 'x', 0);
    lane_await(lane_is(lane, RT_STREAM_RUNNING));
    cr_assert_eq(pthread_create(&thread, NULL, open_gate, NULL), 0);
    is_aborting = true;
    cr_expect_eq(aclrtStreamAbort(lane.handle), ACL_SUCCESS);
    lane_note('a');
    pthread_join(thread, NULL);
    cr_expect_str_eq(lane_log, "oa");
    expect_refused(aclrtSynchronizeStream(lane.handle), ACL_ERROR_RT_STREAM_ABORT, "aborted");
    lane_submit(lane, 'b', 0);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS, "it can be used again");
    cr_expect_str_eq(lane_log, "oab");
    rt_runtime_shutdown();
}

Test(abort, ends_waits_and_those_who_wait_for_it, .timeout = 600)
{
    struct lane lane = lane_open(0), other = lane_open(0);
    aclrtEvent never, event;
    cr_assert_eq(aclrtCreateEventWithFlag(&never, ACL_EVENT_SYNC), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(lane.handle, never), ACL_SUCCESS);
    lane_submit(lane, 'x', 0);
    cr_assert_eq(aclrtRecordEvent(event, lane.handle), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(other.handle, event), ACL_SUCCESS);
    lane_submit(other, 'a', 0);
    cr_expect_eq(aclrtStreamAbort(lane.handle), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(other.handle), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_ERROR_RT_STREAM_ABORT);
    cr_expect_str_eq(lane_log, "a");
    rt_runtime_shutdown();
}

static void *synchronize(void *argument)
{
    const struct lane *lane = argument;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    return (void *)(intptr_t)aclrtSynchronizeStream(lane->handle);
}

Test(abort, a_synchronise_that_waits_returns, .timeout = 600)
{
    struct lane lane = lane_open(0);
    pthread_t thread;
    void *status = NULL;
    aclrtEvent never;
    cr_assert_eq(aclrtCreateEventWithFlag(&never, ACL_EVENT_SYNC), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(lane.handle, never), ACL_SUCCESS);
    cr_assert_eq(pthread_create(&thread, NULL, synchronize, &lane), 0);
    lane_await(lane_is(lane, RT_STREAM_PARKED));
    cr_expect_eq(aclrtStreamAbort(lane.handle), ACL_SUCCESS);
    pthread_join(thread, &status);
    cr_expect_eq((aclError)(intptr_t)status, ACL_ERROR_RT_STREAM_ABORT);
    rt_runtime_shutdown();
}

static sem_t door;
static atomic_bool is_inside;

static void stand(void *argument)
{
    (void)argument;
    is_inside = true;
    while (sem_wait(&door) != 0) {
    }
}

Test(abort, does_not_wait_for_a_host_function, .timeout = 600)
{
    struct lane lane = lane_open(0);
    sem_init(&door, 0, 0);
    cr_assert_eq(aclrtLaunchHostFunc(lane.handle, stand, NULL), ACL_SUCCESS);
    lane_submit(lane, 'x', 0);
    lane_await(is_inside);
    cr_expect_eq(aclrtStreamAbort(lane.handle), ACL_SUCCESS);
    expect_refused(aclrtStreamStop(lane.handle), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "half way");
    sem_post(&door);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_ERROR_RT_STREAM_ABORT);
    cr_expect_eq(lane_logged, 0);
    rt_runtime_shutdown();
}

Test(abort, stop_ends_one_wait, .timeout = 600)
{
    struct lane lane = lane_open(0);
    aclrtNotify notify;
    cr_assert_eq(aclrtCreateNotify(&notify, 0), ACL_SUCCESS);
    cr_expect_eq(aclrtStreamStop(lane.handle), ACL_SUCCESS, "nothing runs");
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    cr_assert_eq(aclrtWaitAndResetNotify(notify, lane.handle, 0), ACL_SUCCESS);
    lane_submit(lane, 'a', 0);
    lane_await(lane_is(lane, RT_STREAM_PARKED));
    cr_expect_eq(aclrtStreamStop(lane.handle), ACL_SUCCESS);
    expect_refused(aclrtSynchronizeStream(lane.handle), ACL_ERROR_RT_TASK_ABORT_STOP, "stopped");
    cr_expect_str_eq(lane_log, "a", "what is queued behind it runs");
    gate_close(&gate, lane.stream);
    lane_await(lane_is(lane, RT_STREAM_RUNNING));
    expect_refused(aclrtStreamStop(lane.handle), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "half way");
    expect_refused(aclrtStreamStop(NULL), ACL_ERROR_RT_PARAM_INVALID, "default stream");
    gate_open(&gate);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    rt_runtime_shutdown();
}

static void fail(struct rt_task *task, struct rt_stream *stream)
{
    (void)task;
    rt_stream_fail(stream, ACL_ERROR_RT_AICORE_EXCEPTION, "index %d", 7);
}

/* As torch_npu uses it: streams that stop on failure take work again, without the old error. */
Test(abort, of_a_device_ends_failures, .timeout = 600)
{
    static const struct rt_task_kind kind = {.name = "fail", .run = fail};
    const struct rt_task failing = {.kind = &kind};
    struct lane lane = lane_open(0), other = lane_open(0), late;
    cr_assert_eq(aclrtSetStreamFailureMode(lane.handle, ACL_STOP_ON_FAILURE), ACL_SUCCESS);
    for (int round = 0; round < 2; round++) {
        cr_assert_eq(rt_stream_submit(lane.stream, &failing, 0), ACL_SUCCESS);
        expect_refused(aclrtSynchronizeDevice(), ACL_ERROR_RT_AICORE_EXCEPTION, "index 7");
        cr_expect_eq(rt_stream_submit(other.stream, &failing, 0), ACL_ERROR_RT_AICORE_EXCEPTION);
        late = lane_open(0);
        cr_expect_eq(rt_stream_submit(late.stream, &failing, 0), ACL_ERROR_RT_AICORE_EXCEPTION);
        cr_expect_eq(aclrtDeviceTaskAbort(0, 0), ACL_SUCCESS);
        lane_submit(lane, 'a', 0);
        lane_submit(other, 'a', 0);
        lane_submit(late, 'a', 0);
        lane_submit(lane_open(0), 'a', 0);
        cr_expect_eq(aclrtSynchronizeDevice(), ACL_SUCCESS);
    }
    cr_expect_str_eq(lane_log, "aaaaaaaa");
    /* There are never more than 64. */
    expect_refused(aclrtDeviceTaskAbort(64, 0), ACL_ERROR_RT_INVALID_DEVICEID, "deviceId is 64");
    rt_runtime_shutdown();
}

Test(abort, of_a_device_waits_for_what_runs, .timeout = 600)
{
    struct lane lane = lane_open(0), other = lane_open(0);
    aclrtEvent never;
    static const struct rt_task_kind kind = {.name = "note", .run = lane_run};
    const struct rt_task note = {.kind = &kind};
    cr_assert_eq(aclrtCreateEventWithFlag(&never, ACL_EVENT_SYNC), ACL_SUCCESS);
    gate_close(&gate, lane.stream);
    lane_submit(lane, 'x', 0);
    lane_await(lane_is(lane, RT_STREAM_RUNNING));
    cr_assert_eq(aclrtStreamWaitEvent(other.handle, never), ACL_SUCCESS);
    lane_submit(other, 'x', 0);
    expect_refused(aclrtDeviceTaskAbort(0, 20), ACL_ERROR_RT_WAIT_TIMEOUT, "after 20 ms");
    cr_expect_eq(rt_stream_submit(other.stream, &note, 0), ACL_ERROR_RT_DEVICE_TASK_ABORT);
    cr_expect_str_eq(aclGetRecentErrMsg(), "note: the work of device 0 is being aborted");
    gate_open(&gate);
    cr_expect_eq(aclrtDeviceTaskAbort(0, 600000), ACL_SUCCESS);
    lane_submit(lane, 'a', 0);
    lane_submit(other, 'a', 0);
    cr_expect_eq(aclrtSynchronizeDevice(), ACL_SUCCESS);
    cr_expect_str_eq(lane_log, "aa");
    rt_runtime_shutdown();
}

enum { EVENT, NOTIFY, VALUE, WAITS };

static void queue_wait(const struct lane *lane, int kind, aclrtEvent event, aclrtNotify notify,
                       void *value)
{
    aclError status = ACL_SUCCESS;
    if (kind == EVENT) status = aclrtStreamWaitEvent(lane->handle, event);
    if (kind == NOTIFY) status = aclrtWaitAndResetNotify(notify, lane->handle, 0);
    if (kind == VALUE) status = aclrtValueWait(value, 1, ACL_STREAM_WAIT_VALUE_EQ, lane->handle);
    cr_assert_eq(status, ACL_SUCCESS);
}

/* Whether nobody has run the stream yet, a worker is about to park it, or it is parked. */
Test(abort, stop_ends_a_wait_that_the_stream_comes_to, .timeout = 600)
{
    struct lane lane = lane_open(0);
    aclrtEvent never;
    aclrtNotify notify;
    void *value;
    cr_assert_eq(aclrtCreateEventWithFlag(&never, ACL_EVENT_SYNC), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateNotify(&notify, 0), ACL_SUCCESS);
    cr_assert_eq(aclrtMalloc(&value, 64, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
    cr_assert_eq(aclrtMemset(value, 64, 0, 64), ACL_SUCCESS);
    for (int round = 0; round < 60; round++) {
        const struct timespec delay = {.tv_nsec = round / WAITS % 5 * 100000};
        if (round % 2 == 1) lane_submit(lane, 'x', 0);
        queue_wait(&lane, round % WAITS, never, notify, value);
        if (delay.tv_nsec > 0) nanosleep(&delay, NULL);
        aclError status = aclrtStreamStop(lane.handle);
        while (status == ACL_ERROR_RT_FEATURE_NOT_SUPPORT) /* it ran just then, and said so */
            status = aclrtStreamStop(lane.handle);
        cr_assert_eq(status, ACL_SUCCESS);
        cr_assert_eq(aclrtSynchronizeStreamWithTimeout(lane.handle, 10000),
                     ACL_ERROR_RT_TASK_ABORT_STOP, "round %d", round);
    }
    rt_runtime_shutdown();
}

/* A stop is for waits that were queued before it. */
Test(abort, stop_ends_no_later_wait, .timeout = 600)
{
    struct lane lane = lane_open(0), other = lane_open(0);
    aclrtEvent event;
    cr_assert_eq(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC), ACL_SUCCESS);
    lane_submit(lane, 'a', 0);
    while (aclrtStreamStop(lane.handle) != ACL_SUCCESS) {
    }
    cr_assert_eq(aclrtStreamWaitEvent(lane.handle, event), ACL_SUCCESS);
    lane_submit(lane, 'c', 0);
    lane_await(lane_is(lane, RT_STREAM_PARKED));
    cr_expect_str_eq(lane_log, "a");
    cr_assert_eq(aclrtRecordEvent(event, other.handle), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    cr_expect_str_eq(lane_log, "ac");
    rt_runtime_shutdown();
}

/* --- priorities ------------------------------------------------------------------------------ */

/* All workers stand at a gate while the streams become ready. */
Test(priority, ready_streams_are_served_in_its_order, .timeout = 600)
{
    static struct gate gates[2];
    struct lane busy[2], lanes[8];
    setenv("ACLNN_CPU_THREADS", "2", 1);
    for (int i = 0; i < 2; i++) {
        busy[i] = lane_open(0);
        gate_close(&gates[i], busy[i].stream);
        lane_await(lane_is(busy[i], RT_STREAM_RUNNING));
    }
    for (int i = 0; i < 8; i++) {
        lanes[i] = lane_open(7 - (uint32_t)i);
        lane_submit(lanes[i], (char)('0' + 7 - i), RT_SUBMIT_LARGE);
    }
    gate_open(&gates[0]); /* one worker alone takes them */
    lane_await(lane_logged == 8);
    cr_expect_str_eq(lane_log, "01234567");
    gate_open(&gates[1]);
    cr_expect_eq(aclrtSynchronizeDevice(), ACL_SUCCESS);
    rt_runtime_shutdown();
}

/* A worker amid the tasks of a stream turns to one that goes before it. */
Test(priority, a_long_queue_gives_way, .timeout = 600)
{
    static struct gate gates[2];
    struct lane busy, low, high;
    setenv("ACLNN_CPU_THREADS", "2", 1);
    busy = lane_open(0);
    low = lane_open(5);
    high = lane_open(1);
    gate_close(&gates[0], busy.stream);
    lane_await(lane_is(busy, RT_STREAM_RUNNING));
    gate_close(&gates[1], low.stream);
    lane_await(lane_is(low, RT_STREAM_RUNNING));
    for (int i = 0; i < 20; i++)
        lane_submit(low, 'l', RT_SUBMIT_LARGE);
    lane_submit(high, 'h', RT_SUBMIT_LARGE);
    gate_open(&gates[1]);
    lane_await(lane_logged == 21);
    cr_expect_eq(lane_log[0], 'h', "%s", lane_log);
    gate_open(&gates[0]);
    cr_expect_eq(aclrtSynchronizeDevice(), ACL_SUCCESS);
    rt_runtime_shutdown();
}
