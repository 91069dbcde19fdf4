/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of a device's and a stream's threads: what is told, what loops follow, what is refused. */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit/refusal.h"
#include "tests/unit/stream_tasks.h"

#include "runtime/schedule/pool.h"

enum { THREADS = 4, ITEMS = 200, MOST = 16 };

static const aclrtDevResLimitType CUBE = ACL_RT_DEV_RES_CUBE_CORE;
static const aclrtDevResLimitType VECTOR = ACL_RT_DEV_RES_VECTOR_CORE;

static aclrtStream handle;
static struct rt_stream *stream;

static void begin(void)
{
    setenv("ACLNN_CPU_THREADS", "4", 1);
    setenv("ACLNN_CPU_DEVICES", "2", 1);
    stream = open_stream(&handle);
}

TestSuite(limits, .init = begin, .timeout = 600);

static uint32_t of_device(int32_t device, aclrtDevResLimitType type)
{
    uint32_t value = 0;
    cr_assert_eq(aclrtGetDeviceResLimit(device, type, &value), ACL_SUCCESS);
    return value;
}

static uint32_t of_stream(aclrtStream of, aclrtDevResLimitType type)
{
    uint32_t value = 0;
    cr_assert_eq(aclrtGetStreamResLimit(of, type, &value), ACL_SUCCESS);
    return value;
}

static uint32_t of_thread(aclrtDevResLimitType type)
{
    uint32_t value = 0;
    cr_assert_eq(aclrtGetResInCurrentThread(type, &value), ACL_SUCCESS);
    return value;
}

Test(limits, a_stream_goes_before_its_device)
{
    cr_expect_eq(of_device(0, CUBE), THREADS);
    cr_expect_eq(of_stream(handle, VECTOR), THREADS);
    cr_assert_eq(aclrtSetDeviceResLimit(0, CUBE, 3), ACL_SUCCESS);
    cr_expect_eq(of_device(0, CUBE), 3);
    cr_expect_eq(of_device(0, VECTOR), THREADS);
    cr_expect_eq(of_device(1, CUBE), THREADS);
    cr_expect_eq(of_stream(handle, CUBE), 3);
    cr_expect_eq(of_thread(CUBE), 3);
    cr_assert_eq(aclrtSetStreamResLimit(handle, CUBE, 4), ACL_SUCCESS);
    cr_expect_eq(of_stream(handle, CUBE), 4);
    cr_expect_eq(of_stream(NULL, CUBE), 3);
    cr_expect_eq(of_thread(CUBE), 3);
    cr_assert_eq(aclrtUseStreamResInCurrentThread(handle), ACL_SUCCESS);
    cr_expect_eq(of_thread(CUBE), 4);
    cr_assert_eq(aclrtUseStreamResInCurrentThread(NULL), ACL_SUCCESS);
    cr_expect_eq(of_thread(CUBE), 3);
    cr_assert_eq(aclrtUseStreamResInCurrentThread(handle), ACL_SUCCESS);
    cr_assert_eq(aclrtUnuseStreamResInCurrentThread(handle), ACL_SUCCESS);
    cr_expect_eq(of_thread(CUBE), 3);
    cr_assert_eq(aclrtResetStreamResLimit(handle), ACL_SUCCESS);
    cr_expect_eq(of_stream(handle, CUBE), 3);
    cr_assert_eq(aclrtResetDeviceResLimit(0), ACL_SUCCESS);
    cr_expect_eq(of_stream(handle, CUBE), THREADS);
}

/* ---- loops ---- */

static _Atomic long ids[MOST];

static void note_thread(void *context, int64_t first, int64_t last)
{
    const long id = syscall(SYS_gettid);
    (void)context;
    for (int i = 0; i < MOST; i++) {
        long none = 0;
        if (ids[i] == id || atomic_compare_exchange_strong(&ids[i], &none, id) || none == id) break;
    }
    const struct timespec nap = {.tv_nsec = 100000 * (last - first)};
    nanosleep(&nap, NULL);
}

static void run_loop(struct rt_task *task, struct rt_stream *of)
{
    (void)task;
    (void)of;
    rt_parallel_for(rt_pool_default(), note_thread, NULL, ITEMS, 1);
}

static const struct rt_task_kind loop_kind = {.name = "loop", .run = run_loop};

/* On how many threads a loop of the stream has run. */
static int threads_of_a_loop(void)
{
    const struct rt_task task = {.kind = &loop_kind};
    int count = 0;
    memset(ids, 0, sizeof ids);
    cr_assert_eq(rt_stream_submit(stream, &task, RT_SUBMIT_LARGE), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(handle), ACL_SUCCESS);
    while (count < MOST && ids[count])
        count++;
    return count;
}

Test(limits, loops_follow_the_smaller_one)
{
    int all = 0, two = 0;
    for (int i = 0; i < 20; i++) {
        const int now = threads_of_a_loop();
        all = now > all ? now : all;
        cr_expect_leq(now, THREADS + 1); /* the waiting thread too */
    }
    cr_expect_gt(all, 2);
    cr_assert_eq(aclrtSetDeviceResLimit(0, VECTOR, 1), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDeviceResLimit(1, CUBE, 2), ACL_SUCCESS);
    for (int i = 0; i < 20; i++)
        cr_expect_eq(threads_of_a_loop(), 1);
    cr_assert_eq(aclrtSetStreamResLimit(handle, VECTOR, 3), ACL_SUCCESS);
    cr_assert_eq(aclrtSetStreamResLimit(handle, CUBE, 2), ACL_SUCCESS);
    for (int i = 0; i < 20; i++) {
        const int now = threads_of_a_loop();
        two = now > two ? now : two;
        cr_expect_leq(now, 2);
    }
    cr_expect_eq(two, 2);
}

/* ---- refusals ---- */

Test(limits, what_no_device_has_is_refused)
{
    const aclError bad = ACL_ERROR_INVALID_PARAM;
    const aclrtDevResLimitType other = (aclrtDevResLimitType)2;
    uint32_t value;
    expect_refused(aclrtSetDeviceResLimit(0, CUBE, 0), bad, "value is 0; it must be from 1 to 4");
    expect_refused(aclrtSetDeviceResLimit(0, CUBE, 5), bad, "value is 5; it must be from 1 to 4");
    expect_refused(aclrtSetDeviceResLimit(0, other, 1), bad, "type is 2");
    expect_refused(aclrtSetDeviceResLimit(2, CUBE, 1), ACL_ERROR_RT_INVALID_DEVICEID,
                   "deviceId is 2; devices are numbered from 0 to 1");
    expect_refused(aclrtGetDeviceResLimit(-1, CUBE, &value), ACL_ERROR_RT_INVALID_DEVICEID,
                   "deviceId is -1");
    expect_refused(aclrtGetDeviceResLimit(0, other, &value), bad, "type is 2");
    expect_refused(aclrtGetDeviceResLimit(0, CUBE, NULL), bad, "value is NULL");
    expect_refused(aclrtResetDeviceResLimit(7), ACL_ERROR_RT_INVALID_DEVICEID, "deviceId is 7");
    expect_refused(aclrtSetStreamResLimit(handle, VECTOR, 100), bad, "value is 100");
    expect_refused(aclrtSetStreamResLimit(handle, other, 1), bad, "type is 2");
    expect_refused(aclrtGetStreamResLimit(handle, other, &value), bad, "type is 2");
    expect_refused(aclrtGetStreamResLimit(handle, CUBE, NULL), bad, "value is NULL");
    expect_refused(aclrtGetStreamResLimit(&value, CUBE, &value), ACL_ERROR_RT_INVALID_HANDLE, "");
    expect_refused(aclrtResetStreamResLimit(&value), ACL_ERROR_RT_INVALID_HANDLE, "");
    expect_refused(aclrtUseStreamResInCurrentThread(&value), ACL_ERROR_RT_INVALID_HANDLE, "");
    expect_refused(aclrtUnuseStreamResInCurrentThread(&value), ACL_ERROR_RT_INVALID_HANDLE, "");
    expect_refused(aclrtGetResInCurrentThread(other, &value), bad, "type is 2");
    expect_refused(aclrtGetResInCurrentThread(CUBE, NULL), bad, "value is NULL");
    cr_expect_eq(of_device(0, CUBE), THREADS);
}

Test(limits, of_a_stream_that_is_no_more)
{
    uint32_t value;
    cr_assert_eq(aclrtUseStreamResInCurrentThread(handle), ACL_SUCCESS);
    cr_assert_eq(aclrtDestroyStream(handle), ACL_SUCCESS);
    expect_refused(aclrtGetResInCurrentThread(CUBE, &value), ACL_ERROR_RT_INVALID_HANDLE, "");
}
