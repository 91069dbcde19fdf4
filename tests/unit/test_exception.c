/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

#include "acl/acl.h"
#include "runtime/device/device.h"
#include "tests/unit/gate.h"
#include "tests/unit/lane.h"
#include "tests/unit/refusal.h"

enum { MOST = 64 };

static struct told {
    uint32_t task, stream, thread, device, code;
    pthread_t on;
} told[MOST];
static atomic_int count, other_count;

static void tell(aclrtExceptionInfo *info)
{
    told[count] = (struct told){
        aclrtGetTaskIdFromExceptionInfo(info),    aclrtGetStreamIdFromExceptionInfo(info),
        aclrtGetThreadIdFromExceptionInfo(info),  aclrtGetDeviceIdFromExceptionInfo(info),
        aclrtGetErrorCodeFromExceptionInfo(info), pthread_self()};
    atomic_fetch_add(&count, 1);
}

static void tell_too(aclrtExceptionInfo *info)
{
    (void)info;
    atomic_fetch_add(&other_count, 1);
}

static void fail(struct rt_task *task, struct rt_stream *stream)
{
    rt_stream_fail(stream, (aclError)task->word[0].number, "on purpose");
}

static const struct rt_task_kind fail_kind = {.name = "fail", .run = fail};

static void submit_fail(struct lane lane, aclError code)
{
    struct rt_task task = {.kind = &fail_kind, .word[0].number = (uint64_t)code};
    cr_assert_eq(rt_stream_submit(lane.stream, &task, 0), ACL_SUCCESS);
}

Test(exception, tells_which_task_failed_before_synchronise_returns, .timeout = 600)
{
    struct lane lane = lane_open(0);
    int32_t id = -1;
    uint32_t failed = 0, last = 0;
    cr_assert_eq(aclrtSetExceptionInfoCallback(tell), ACL_SUCCESS);
    lane_submit(lane, 'a', 0);
    submit_fail(lane, ACL_ERROR_RT_AICORE_EXCEPTION);
    cr_assert_eq(aclrtGetThreadLastTaskId(&failed), ACL_SUCCESS);
    lane_submit(lane, 'b', 0);
    cr_assert_eq(aclrtGetThreadLastTaskId(&last), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_ERROR_RT_AICORE_EXCEPTION);
    cr_assert_eq(count, 1);
    cr_assert_eq(aclrtStreamGetId(lane.handle, &id), ACL_SUCCESS);
    cr_expect_eq(told[0].task, failed);
    cr_expect_neq(failed, last);
    cr_expect_eq(told[0].stream, (uint32_t)id);
    cr_expect_eq(told[0].thread, (uint32_t)gettid());
    cr_expect_eq(told[0].device, 0);
    cr_expect_eq(told[0].code, ACL_ERROR_RT_AICORE_EXCEPTION);
    cr_expect(!pthread_equal(told[0].on, pthread_self()));
    rt_runtime_shutdown();
}

Test(exception, each_failure_is_told_in_order, .timeout = 600)
{
    struct lane lane = lane_open(0);
    cr_assert_eq(aclrtSetExceptionInfoCallback(tell), ACL_SUCCESS);
    for (int i = 0; i < MOST; i++)
        submit_fail(lane, 500000 + i);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), 500000, "the first");
    cr_assert_eq(count, MOST);
    for (unsigned i = 0; i < MOST; i++)
        cr_expect_eq(told[i].code, 500000 + i);
    rt_runtime_shutdown();
}

Test(exception, callbacks_come_and_go, .timeout = 600)
{
    struct lane lane = lane_open(0);
    expect_refused(aclrtExceptionInfoCallbackRegister(NULL), ACL_ERROR_RT_PARAM_INVALID, "NULL");
    expect_refused(aclrtExceptionInfoCallbackUnregister(NULL), ACL_ERROR_RT_PARAM_INVALID, "NULL");
    cr_assert_eq(aclrtSetExceptionInfoCallback(tell), ACL_SUCCESS);
    cr_assert_eq(aclrtExceptionInfoCallbackRegister(tell_too), ACL_SUCCESS);
    cr_assert_eq(aclrtExceptionInfoCallbackRegister(tell_too), ACL_SUCCESS);
    submit_fail(lane, 500000);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), 500000);
    cr_expect_eq(count, 1);
    cr_expect_eq(other_count, 1);
    cr_assert_eq(aclrtSetExceptionInfoCallback(NULL), ACL_SUCCESS);
    submit_fail(lane, 500000);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), 500000);
    cr_expect_eq(count, 1);
    cr_expect_eq(other_count, 2);
    cr_assert_eq(aclrtExceptionInfoCallbackUnregister(tell_too), ACL_SUCCESS);
    cr_assert_eq(aclrtExceptionInfoCallbackUnregister(tell_too), ACL_SUCCESS);
    submit_fail(lane, 500000);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), 500000);
    cr_expect_eq(other_count, 2);
    rt_runtime_shutdown();
}

/* The program holds a lock that its callback wants while it submits. */
static pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;

static void tell_under_lock(aclrtExceptionInfo *info)
{
    pthread_mutex_lock(&mine);
    tell(info);
    pthread_mutex_unlock(&mine);
}

Test(exception, a_callback_may_want_the_submitters_lock, .timeout = 600)
{
    struct lane lane = lane_open(0);
    cr_assert_eq(aclrtSetExceptionInfoCallback(tell_under_lock), ACL_SUCCESS);
    pthread_mutex_lock(&mine);
    submit_fail(lane, 500000);
    for (int i = 0; i < 100; i++) {
        lane_logged = 0;
        for (int k = 0; k < 100; k++)
            lane_submit(lane, 'a', 0);
        lane_await(lane_logged >= 100);
    }
    cr_expect_eq(count, 0);
    pthread_mutex_unlock(&mine);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), 500000);
    cr_expect_eq(count, 1);
    rt_runtime_shutdown();
}

Test(exception, getters_without_info)
{
    cr_expect_eq(aclrtGetTaskIdFromExceptionInfo(NULL), UINT32_MAX);
    cr_expect_eq(aclrtGetStreamIdFromExceptionInfo(NULL), UINT32_MAX);
    cr_expect_eq(aclrtGetThreadIdFromExceptionInfo(NULL), UINT32_MAX);
    cr_expect_eq(aclrtGetDeviceIdFromExceptionInfo(NULL), UINT32_MAX);
    cr_expect_eq(aclrtGetErrorCodeFromExceptionInfo(NULL), UINT32_MAX);
}
