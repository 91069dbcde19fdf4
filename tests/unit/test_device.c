/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "runtime/device/device.h"
#include "runtime/schedule/pool.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/devices.h"
#include "tests/unit/process.h"
#include "tests/unit/refusal.h"

Test(device, count_and_range)
{
    uint32_t count = 0;
    cr_expect_eq(aclrtGetDeviceCount(&count), ACL_SUCCESS);
    cr_expect_eq(count, (uint32_t)rt_device_count());
    cr_expect_geq(count, 1);
    expect_refused(aclrtGetDeviceCount(NULL), ACL_ERROR_INVALID_PARAM, "NULL");
    expect_refused(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID, "numbered from 0");
    expect_refused(aclrtSetDevice((int32_t)count), ACL_ERROR_RT_INVALID_DEVICEID,
                   "numbered from 0");
    expect_refused(aclrtResetDevice((int32_t)count), ACL_ERROR_RT_INVALID_DEVICEID,
                   "numbered from 0");
    expect_refused(aclrtGetDevice(NULL), ACL_ERROR_INVALID_PARAM, "NULL");
}

Test(device, resets_count)
{
    int32_t device = -1, active = -1;
    aclrtStream stream;
    cr_expect_eq(aclrtGetPrimaryCtxState(0, NULL, &active), ACL_SUCCESS);
    cr_expect_eq(active, 0);
    expect_refused(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_NULL, "is not set");
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    cr_expect_eq(aclrtGetDevice(&device), ACL_SUCCESS);
    cr_expect_eq(device, 0);
    cr_expect_eq(aclrtResetDevice(0), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS, "one use is left");
    cr_expect_eq(aclrtGetPrimaryCtxState(0, NULL, &active), ACL_SUCCESS);
    cr_expect_eq(active, 1);
    cr_expect_eq(aclrtResetDevice(0), ACL_SUCCESS);
    expect_refused(aclrtSynchronizeStream(stream), ACL_ERROR_RT_CONTEXT_NULL, "no context");
    expect_refused(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL, "no context");
    expect_refused(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_NULL, "is not set");
}

Test(device, force_resets_whatever_the_count)
{
    for (int i = 0; i < 3; i++)
        cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_expect_eq(aclrtResetDeviceForce(0), ACL_SUCCESS);
    expect_refused(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_NULL, "is not set");
    expect_refused(aclrtResetDeviceForce(0), ACL_ERROR_RT_CONTEXT_NULL, "is not set");
}

Test(device, primary_state_misuse)
{
    uint32_t flags;
    int32_t active;
    expect_refused(aclrtGetPrimaryCtxState(0, &flags, &active), ACL_ERROR_INVALID_PARAM, "");
    expect_refused(aclrtGetPrimaryCtxState(0, NULL, NULL), ACL_ERROR_INVALID_PARAM, "NULL");
    expect_refused(aclrtGetPrimaryCtxState(9, NULL, &active), ACL_ERROR_RT_INVALID_DEVICEID,
                   "numbered from 0");
}

Test(device, properties)
{
    aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_ABNORMAL;
    int64_t value = 0;
    int32_t yes = -1;
    aclrtUtilizationInfo use = {0};
    aclrtFloatOverflowMode mode;
    cr_expect_eq(aclrtQueryDeviceStatus(0, &status), ACL_SUCCESS);
    cr_expect_eq(status, ACL_RT_DEVICE_STATUS_NORMAL);
    expect_refused(aclrtQueryDeviceStatus(0, NULL), ACL_ERROR_INVALID_PARAM, "NULL");
    expect_refused(aclrtQueryDeviceStatus(7, &status), ACL_ERROR_RT_INVALID_DEVICEID,
                   "numbered from 0");
    cr_expect_eq(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, &value), ACL_SUCCESS);
    cr_expect_eq(value, rt_pool_threads(rt_pool_default()));
    cr_expect_eq(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, &value), ACL_SUCCESS);
    cr_expect_gt(value, 0);
    expect_refused(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_WARP_SIZE, &value),
                   ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "");
    expect_refused(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_WARP_SIZE, NULL), ACL_ERROR_INVALID_PARAM,
                   "NULL");
    expect_refused(aclrtGetDeviceInfo(UINT32_MAX, ACL_DEV_ATTR_WARP_SIZE, &value),
                   ACL_ERROR_RT_INVALID_DEVICEID, "numbered from 0");
    cr_expect_eq(aclrtGetDeviceUtilizationRate(0, &use), ACL_SUCCESS);
    cr_expect(use.cubeUtilization >= 0 && use.cubeUtilization <= 100);
    use.utilizationExtend = (void *)&use;
    expect_refused(aclrtGetDeviceUtilizationRate(0, &use), ACL_ERROR_INVALID_PARAM, "");
    expect_refused(aclrtDeviceCanAccessPeer(&yes, 0, 0), ACL_ERROR_INVALID_PARAM, "");
    expect_refused(aclrtDeviceCanAccessPeer(&yes, 0, 5), ACL_ERROR_RT_INVALID_DEVICEID,
                   "numbered from 0");
    expect_refused(aclrtDeviceCanAccessPeer(NULL, 0, 1), ACL_ERROR_INVALID_PARAM, "NULL");
    expect_refused(aclrtDeviceEnablePeerAccess(0, 1), ACL_ERROR_FEATURE_UNSUPPORTED, "");
    expect_refused(aclrtDeviceEnablePeerAccess(0, 0), ACL_ERROR_RT_CONTEXT_NULL, "no context");
    cr_expect_eq(aclrtSetDevice(0), ACL_SUCCESS);
    expect_refused(aclrtDeviceEnablePeerAccess(0, 0), ACL_ERROR_INVALID_PARAM, "");
    expect_refused(aclrtDeviceDisablePeerAccess(0), ACL_ERROR_INVALID_PARAM, "");
    cr_expect_eq(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION), ACL_SUCCESS);
    cr_expect_eq(aclrtGetDeviceSatMode(&mode), ACL_SUCCESS);
    cr_expect_eq(mode, ACL_RT_OVERFLOW_MODE_SATURATION);
    expect_refused(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_UNDEF), ACL_ERROR_INVALID_PARAM, "");
    expect_refused(aclrtGetDeviceSatMode(NULL), ACL_ERROR_INVALID_PARAM, "NULL");
    cr_expect_eq(aclrtSetTsDevice(ACL_TS_ID_AICORE), ACL_SUCCESS);
    expect_refused(aclrtSetTsDevice(ACL_TS_ID_RESERVED), ACL_ERROR_INVALID_PARAM, "");
    cr_expect_eq(aclrtSetOpExecuteTimeOut(3), ACL_SUCCESS);
    cr_expect_eq(aclrtSetOpExecuteTimeOutWithMs(3), ACL_SUCCESS);
}

/* --- work ------------------------------------------------------------------------------------ */

static atomic_int ran;

static void count(struct rt_task *task, struct rt_stream *stream)
{
    (void)task;
    (void)stream;
    atomic_fetch_add(&ran, 1);
}

static const struct rt_task_kind count_kind = {.name = "count", .run = count};
static const struct rt_task count_task = {.kind = &count_kind};

static struct rt_stream *open_stream(aclrtStream *handle)
{
    struct rt_stream *stream = NULL;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(handle), ACL_SUCCESS);
    cr_assert_eq(rt_stream_resolve(__func__, *handle, &stream), ACL_SUCCESS);
    return stream;
}

Test(device, synchronise_waits_for_every_stream, .timeout = 600)
{
    aclrtStream handles[8];
    for (int i = 0; i < 8; i++) {
        struct rt_stream *stream = open_stream(&handles[i]);
        for (int k = 0; k < 10; k++)
            cr_assert_eq(rt_stream_submit(stream, &count_task, 0), ACL_SUCCESS);
    }
    cr_expect_eq(aclrtSynchronizeDevice(), ACL_SUCCESS);
    cr_expect_eq(ran, 80);
    cr_expect_eq(aclrtSynchronizeDeviceWithTimeout(600000), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeDeviceWithTimeout(-1), ACL_SUCCESS);
    expect_refused(aclrtSynchronizeDeviceWithTimeout(0), ACL_ERROR_RT_PARAM_INVALID, "");
    expect_refused(aclrtSynchronizeDeviceWithTimeout(-2), ACL_ERROR_RT_PARAM_INVALID, "");
}

Test(device, synchronise_times_out, .timeout = 600)
{
    aclrtStream handle;
    aclrtEvent event;
    open_stream(&handle);
    cr_assert_eq(aclrtCreateEvent(&event), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(handle, event), ACL_SUCCESS);
    expect_refused(aclrtSynchronizeDeviceWithTimeout(20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                   "has not");
    cr_assert_eq(aclrtRecordEvent(event, NULL), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeDeviceWithTimeout(600000), ACL_SUCCESS);
}

Test(device, reset_waits_for_work, .timeout = 600)
{
    aclrtStream handle;
    struct rt_stream *stream = open_stream(&handle);
    for (int k = 0; k < 1000; k++)
        cr_assert_eq(rt_stream_submit(stream, &count_task, 0), ACL_SUCCESS);
    cr_expect_eq(aclrtResetDevice(0), ACL_SUCCESS);
    cr_expect_eq(ran, 1000);
}

Test(device, reset_ends_a_stream_whose_event_never_comes, .timeout = 600)
{
    aclrtStream handle;
    aclrtEvent event;
    struct rt_stream *stream = open_stream(&handle);
    cr_assert_eq(aclrtCreateEvent(&event), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(handle, event), ACL_SUCCESS);
    cr_assert_eq(rt_stream_submit(stream, &count_task, 0), ACL_SUCCESS);
    cr_expect_eq(aclrtResetDevice(0), ACL_SUCCESS);
    cr_expect_eq(ran, 0, "what waits for ever must not run early");
}

/* The first stream waits for the second, which waits for an event that never comes, or for the
 * first. */
static void reset_behind_a_chain(bool is_circle)
{
    aclrtStream first, second;
    aclrtEvent never, link;
    struct rt_stream *queues[] = {open_stream(&first), open_stream(&second)};
    cr_assert_eq(aclrtCreateEvent(&never), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateEvent(&link), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(second, never), ACL_SUCCESS);
    cr_assert_eq(aclrtRecordEvent(link, second), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(first, link), ACL_SUCCESS);
    if (is_circle) cr_assert_eq(aclrtRecordEvent(never, first), ACL_SUCCESS);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(rt_stream_submit(queues[i], &count_task, 0), ACL_SUCCESS);
    cr_expect_eq(aclrtResetDeviceForce(0), ACL_SUCCESS);
    /* In a circle the first one's record is dropped, which sets the second going. */
    cr_expect_eq(ran, is_circle, "what waits for ever must not run early");
}

Test(device, reset_ends_streams_that_wait_for_one_that_waits_for_ever, .timeout = 600)
{
    reset_behind_a_chain(false);
}

Test(device, reset_ends_streams_that_wait_for_each_other, .timeout = 600)
{
    reset_behind_a_chain(true);
}

Test(device, finalize_leaves_no_thread_and_late_calls_are_harmless, .timeout = 600)
{
    int before = process_count(PROCESS_THREADS);
    for (int round = 0; round < 3; round++) {
        aclrtStream handle;
        aclrtEvent event;
        float ms;
        cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
        struct rt_stream *stream = open_stream(&handle);
        cr_assert_eq(aclrtCreateEvent(&event), ACL_SUCCESS);
        for (int k = 0; k < 100; k++)
            cr_assert_eq(rt_stream_submit(stream, &count_task, RT_SUBMIT_LARGE), ACL_SUCCESS);
        cr_assert_eq(aclrtRecordEvent(event, handle), ACL_SUCCESS);
        cr_assert_eq(aclFinalize(), ACL_SUCCESS);
        cr_expect_eq(ran, 100 * (round + 1), "finalize waits for the work");
        cr_expect(process_settles(PROCESS_THREADS, before));
        expect_refused(aclrtDestroyEvent(event), ACL_ERROR_RT_INVALID_HANDLE, "has been destroyed");
        expect_refused(aclrtEventElapsedTime(&ms, event, event), ACL_ERROR_RT_INVALID_HANDLE,
                       "has been destroyed");
        expect_refused(aclrtDestroyStream(handle), ACL_ERROR_RT_CONTEXT_NULL, "no context");
        expect_refused(aclrtSynchronizeStream(handle), ACL_ERROR_RT_CONTEXT_NULL, "no context");
    }
}

/* --- fork ------------------------------------------------------------------------------------- */

static void add(void *context, int64_t begin, int64_t end)
{
    atomic_fetch_add((_Atomic int64_t *)context, end - begin);
}

/* Exit codes tell where a child went wrong; Criterion's asserts do not work there. */
static int use_runtime_in_child(struct rt_stream *inherited, aclrtStream handle)
{
    _Atomic int64_t items = 0;
    int at_fork = ran;
    aclrtStream fresh;
    if (rt_stream_submit(inherited, &count_task, RT_SUBMIT_LARGE) != ACL_SUCCESS) return 10;
    if (aclrtSynchronizeStream(handle) != ACL_SUCCESS) return 11;
    if (ran != at_fork + 1) return 12;
    if (aclrtCreateStream(&fresh) != ACL_SUCCESS) return 13;
    rt_parallel_for(rt_pool_default(), add, (void *)&items, 1000, 1);
    if (items != 1000) return 14;
    if (aclrtDestroyStream(fresh) != ACL_SUCCESS) return 15;
    rt_runtime_shutdown();
    return 0;
}

static atomic_bool enough;

static void *keep_busy(void *argument)
{
    aclrtStream handle = argument;
    struct rt_stream *stream;
    aclrtSetDevice(0);
    if (rt_stream_resolve(__func__, handle, &stream) != ACL_SUCCESS) return NULL;
    while (!enough) {
        rt_stream_submit(stream, &count_task, ran % 3 ? 0 : RT_SUBMIT_LARGE);
        if (ran % 50 == 0) aclrtSynchronizeStream(handle);
    }
    return NULL;
}

Test(device, a_forked_child_can_use_the_runtime, .timeout = 600)
{
    process_begin_forks();
    aclrtStream handle, busy;
    pthread_t thread;
    struct rt_stream *stream = open_stream(&handle);
    open_stream(&busy);
    setenv("ACLNN_CPU_THREADS", "2", 0);
    cr_assert_eq(pthread_create(&thread, NULL, keep_busy, busy), 0);
    for (int i = 0; i < 50; i++) {
        int status = -1;
        cr_assert_eq(rt_stream_submit(stream, &count_task, i % 2 ? RT_SUBMIT_LARGE : 0),
                     ACL_SUCCESS);
        pid_t child = fork();
        if (child == 0) {
            alarm(500);
            enough = true;
            aclrtSynchronizeStream(handle);
            _exit(use_runtime_in_child(stream, handle));
        }
        cr_assert_gt(child, 0);
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_assert(WIFEXITED(status), "child %d was killed by signal %d", i, WTERMSIG(status));
        cr_assert_eq(WEXITSTATUS(status), 0, "child %d failed at %d", i, WEXITSTATUS(status));
    }
    enough = true;
    pthread_join(thread, NULL);
    cr_expect_eq(aclrtSynchronizeDevice(), ACL_SUCCESS);
    rt_runtime_shutdown();
}
