/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "runtime/device/device.h"
#include "tests/unit/gate.h"
#include "tests/unit/lane.h"
#include "tests/unit/refusal.h"

static aclrtNotify new_notify(void)
{
    aclrtNotify notify = NULL;
    cr_assert_eq(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
    return notify;
}

static void wait_for(aclrtNotify notify, struct lane lane)
{
    cr_assert_eq(aclrtWaitAndResetNotify(notify, lane.handle, 0), ACL_SUCCESS);
}

static void record(aclrtNotify notify, struct lane lane)
{
    cr_assert_eq(aclrtRecordNotify(notify, lane.handle), ACL_SUCCESS);
}

static struct gate gate;

Test(notify, a_wait_holds_its_stream_back, .timeout = 600)
{
    struct lane first = lane_open(0), second = lane_open(0);
    aclrtNotify notify = new_notify();
    gate_close(&gate, first.stream);
    lane_submit(first, 'a', 0);
    record(notify, first);
    wait_for(notify, second);
    lane_submit(second, 'b', RT_SUBMIT_LARGE);
    cr_expect_eq(aclrtSynchronizeStreamWithTimeout(second.handle, 20),
                 ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    gate_open(&gate);
    cr_expect_eq(aclrtSynchronizeStream(second.handle), ACL_SUCCESS);
    cr_expect_str_eq(lane_log, "ab");
    cr_expect_eq(aclrtDestroyNotify(notify), ACL_SUCCESS);
    rt_runtime_shutdown();
}

/* Each record lets one wait pass, in the order the waits came. */
Test(notify, a_record_is_for_one_wait, .timeout = 600)
{
    struct lane lanes[3], recorder = lane_open(0);
    aclrtNotify notify = new_notify();
    for (int i = 0; i < 3; i++) {
        lanes[i] = lane_open(0);
        wait_for(notify, lanes[i]);
        lane_submit(lanes[i], (char)('a' + i), 0);
        lane_await(lane_is(lanes[i], RT_STREAM_PARKED));
    }
    for (unsigned i = 1; i <= 3; i++) {
        record(notify, recorder);
        cr_expect_eq(aclrtSynchronizeStream(lanes[i - 1].handle), ACL_SUCCESS);
        cr_expect_eq(lane_logged, i);
    }
    cr_expect_str_eq(lane_log, "abc");
    rt_runtime_shutdown();
}

Test(notify, two_records_before_a_wait_are_one, .timeout = 600)
{
    struct lane lane = lane_open(0), other = lane_open(0);
    aclrtNotify notify = new_notify();
    record(notify, other);
    record(notify, other);
    cr_assert_eq(aclrtSynchronizeStream(other.handle), ACL_SUCCESS);
    wait_for(notify, lane);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    wait_for(notify, lane);
    cr_expect_eq(aclrtSynchronizeStreamWithTimeout(lane.handle, 20),
                 ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    record(notify, other);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    rt_runtime_shutdown();
}

Test(notify, a_batch_is_reset, .timeout = 600)
{
    struct lane lane = lane_open(0);
    aclrtNotify notifies[3] = {new_notify(), new_notify(), NULL};
    for (int i = 0; i < 2; i++)
        record(notifies[i], lane);
    cr_assert_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    expect_refused(aclrtNotifyBatchReset(notifies, 3), ACL_ERROR_INVALID_PARAM, "NULL");
    expect_refused(aclrtNotifyBatchReset(NULL, 1), ACL_ERROR_INVALID_PARAM, "notifies is NULL");
    expect_refused(aclrtNotifyBatchReset(notifies, 0), ACL_ERROR_INVALID_PARAM, "num is 0");
    wait_for(notifies[0], lane);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS, "none was reset");
    cr_expect_eq(aclrtNotifyBatchReset(notifies, 2), ACL_SUCCESS);
    wait_for(notifies[1], lane);
    cr_expect_eq(aclrtSynchronizeStreamWithTimeout(lane.handle, 20),
                 ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    rt_runtime_shutdown();
}

Test(notify, a_wait_may_have_a_limit, .timeout = 600)
{
    struct lane lane = lane_open(0);
    aclrtNotify notify = new_notify();
    cr_assert_eq(aclrtWaitAndResetNotify(notify, lane.handle, 1), ACL_SUCCESS);
    lane_submit(lane, 'a', 0);
    expect_refused(aclrtSynchronizeStream(lane.handle), ACL_ERROR_RT_WAIT_TIMEOUT, "limit");
    cr_expect_str_eq(lane_log, "a", "later work runs");
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    rt_runtime_shutdown();
}

Test(notify, an_event_wait_may_have_a_limit_of_its_own, .timeout = 600)
{
    struct lane lane = lane_open(0);
    aclrtEvent event;
    cr_assert_eq(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC), ACL_SUCCESS);
    expect_refused(aclrtStreamWaitEventWithTimeout(lane.handle, event, -1),
                   ACL_ERROR_RT_PARAM_INVALID, "timeout is -1");
    cr_assert_eq(aclrtStreamWaitEventWithTimeout(lane.handle, event, 1), ACL_SUCCESS);
    lane_submit(lane, 'a', 0);
    expect_refused(aclrtSynchronizeStream(lane.handle), ACL_ERROR_RT_WAIT_TIMEOUT, "limit");
    cr_expect_str_eq(lane_log, "a");
    cr_assert_eq(aclrtStreamWaitEventWithTimeout(lane.handle, event, 0), ACL_SUCCESS);
    struct lane other = lane_open(0);
    cr_assert_eq(aclrtRecordEvent(event, other.handle), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    rt_runtime_shutdown();
}

/* --- the counting one ------------------------------------------------------------------------ */

static void count(aclrtCntNotify notify, struct lane lane, aclrtCntNotifyRecordMode mode,
                  uint32_t value)
{
    aclrtCntNotifyRecordInfo info = {.mode = mode, .value = value};
    cr_assert_eq(aclrtCntNotifyRecord(notify, lane.handle, &info), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
}

static bool passes(aclrtCntNotify notify, struct lane *lane, aclrtCntNotifyWaitMode mode,
                   uint32_t value, bool clears)
{
    aclrtCntNotifyWaitInfo info = {.mode = mode, .value = value, .isClear = clears};
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    cr_assert_eq(aclrtCntNotifyWaitWithTimeout(notify, lane->handle, &info), ACL_SUCCESS);
    while (!lane_is(*lane, RT_STREAM_PARKED) && status == ACL_STREAM_STATUS_NOT_READY)
        cr_assert_eq(aclrtStreamQuery(lane->handle, &status), ACL_SUCCESS);
    if (status == ACL_STREAM_STATUS_COMPLETE) return true;
    cr_assert_eq(aclrtDestroyStreamForce(lane->handle), ACL_SUCCESS);
    *lane = lane_open(0);
    return false;
}

Test(notify, counts_and_compares, .timeout = 600)
{
    struct lane lane = lane_open(0), recorder = lane_open(0);
    aclrtCntNotify notify;
    cr_assert_eq(aclrtCntNotifyCreate(&notify, 0), ACL_SUCCESS);
    cr_expect(passes(notify, &lane, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 0, false));
    count(notify, recorder, ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 5);
    cr_expect(passes(notify, &lane, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 5, false));
    cr_expect(!passes(notify, &lane, ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE, 5, false));
    cr_expect(passes(notify, &lane, ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE, 6, false));
    cr_expect(!passes(notify, &lane, ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE, 5, false));
    cr_expect(passes(notify, &lane, ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, 5, false));
    count(notify, recorder, ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 7);
    cr_expect(passes(notify, &lane, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 12, false));
    cr_expect(passes(notify, &lane, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE, 4, false));
    cr_expect(!passes(notify, &lane, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE, 6, false));
    count(notify, recorder, ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE, 2);
    cr_expect(passes(notify, &lane, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE, 6, false));
    count(notify, recorder, ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE, 10);
    cr_expect(passes(notify, &lane, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 10, true));
    cr_expect(passes(notify, &lane, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 0, false), "cleared");
    count(notify, recorder, ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 1);
    cr_assert_eq(aclrtCntNotifyReset(notify, recorder.handle), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(recorder.handle), ACL_SUCCESS);
    cr_expect(passes(notify, &lane, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 0, false), "reset");
    rt_runtime_shutdown();
}

/* A wait that clears lets one pass that came before it and wants less. */
Test(notify, clearing_is_a_change_too, .timeout = 600)
{
    struct lane low = lane_open(0), high = lane_open(0), recorder = lane_open(0);
    aclrtCntNotify notify;
    cr_assert_eq(aclrtCntNotifyCreate(&notify, 0), ACL_SUCCESS);
    count(notify, recorder, ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 5);
    aclrtCntNotifyWaitInfo less = {.mode = ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE, .value = 3};
    aclrtCntNotifyWaitInfo more = {
        .mode = ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE, .value = 5, .isClear = 1};
    cr_assert_eq(aclrtCntNotifyWaitWithTimeout(notify, low.handle, &less), ACL_SUCCESS);
    lane_await(lane_is(low, RT_STREAM_PARKED));
    cr_assert_eq(aclrtCntNotifyWaitWithTimeout(notify, high.handle, &more), ACL_SUCCESS);
    lane_await(lane_is(high, RT_STREAM_PARKED));
    count(notify, recorder, ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 1);
    cr_expect_eq(aclrtSynchronizeStream(high.handle), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(low.handle), ACL_SUCCESS);
    rt_runtime_shutdown();
}

/* --- misuse and ends ------------------------------------------------------------------------- */

Test(notify, misuse, .timeout = 600)
{
    struct lane lane = lane_open(0);
    aclrtNotify notify = new_notify();
    aclrtCntNotify counting;
    uint32_t id = 0, other = 0;
    expect_refused(aclrtCreateNotify(NULL, 0), ACL_ERROR_INVALID_PARAM, "notify is NULL");
    expect_refused(aclrtCreateNotify(&counting, 2), ACL_ERROR_RT_PARAM_INVALID, "flag is 2");
    cr_assert_eq(aclrtCntNotifyCreate(&counting, ACL_NOTIFY_DEVICE_USE_ONLY), ACL_SUCCESS);
    expect_refused(aclrtRecordNotify(NULL, lane.handle), ACL_ERROR_INVALID_PARAM, "NULL");
    expect_refused(aclrtRecordNotify(counting, lane.handle), ACL_ERROR_RT_INVALID_HANDLE, "notify");
    expect_refused(aclrtRecordNotify(notify, notify), ACL_ERROR_RT_INVALID_HANDLE, "stream");
    expect_refused(aclrtWaitAndResetNotify(&id, lane.handle, 0), ACL_ERROR_RT_INVALID_HANDLE,
                   "notify");
    expect_refused(aclrtGetNotifyId(notify, NULL), ACL_ERROR_INVALID_PARAM, "notifyId");
    expect_refused(aclrtCntNotifyRecord(counting, lane.handle, NULL), ACL_ERROR_INVALID_PARAM,
                   "info");
    expect_refused(aclrtCntNotifyWaitWithTimeout(counting, lane.handle, NULL),
                   ACL_ERROR_INVALID_PARAM, "info");
    expect_refused(aclrtCntNotifyReset(NULL, lane.handle), ACL_ERROR_INVALID_PARAM,
                   "cntNotify is NULL");
    expect_refused(aclrtCntNotifyReset(notify, lane.handle), ACL_ERROR_RT_INVALID_HANDLE,
                   "cntNotify");
    aclrtCntNotifyRecordInfo wrong = {.mode = (aclrtCntNotifyRecordMode)3};
    expect_refused(aclrtCntNotifyRecord(counting, lane.handle, &wrong), ACL_ERROR_RT_PARAM_INVALID,
                   "mode is 3");
    aclrtCntNotifyWaitInfo wrong_wait = {.mode = (aclrtCntNotifyWaitMode)5};
    expect_refused(aclrtCntNotifyWaitWithTimeout(counting, lane.handle, &wrong_wait),
                   ACL_ERROR_RT_PARAM_INVALID, "mode is 5");
    cr_expect_eq(aclrtGetNotifyId(notify, &id), ACL_SUCCESS);
    cr_expect_eq(aclrtCntNotifyGetId(counting, &other), ACL_SUCCESS);
    cr_expect_neq(id, other);
    cr_expect_eq(aclrtDestroyNotify(notify), ACL_SUCCESS);
    expect_refused(aclrtDestroyNotify(notify), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
    cr_expect_eq(aclrtCntNotifyDestroy(counting), ACL_SUCCESS);
    rt_runtime_shutdown();
}

Test(notify, may_be_destroyed_while_in_use, .timeout = 600)
{
    struct lane first = lane_open(0), second = lane_open(0);
    aclrtNotify notify = new_notify();
    gate_close(&gate, first.stream);
    record(notify, first);
    wait_for(notify, second);
    cr_expect_eq(aclrtDestroyNotify(notify), ACL_SUCCESS);
    gate_open(&gate);
    cr_expect_eq(aclrtSynchronizeStream(second.handle), ACL_SUCCESS);
    rt_runtime_shutdown();
}

/* The record is queued behind something that takes a while: the wait is not given up. */
Test(notify, finalize_loses_no_work, .timeout = 600)
{
    struct lane second = lane_open(0), first = lane_open(0), never = lane_open(0);
    aclrtNotify notify = new_notify(), unrecorded = new_notify();
    wait_for(notify, second);
    lane_submit(second, 'b', 0);
    lane_await(lane_is(second, RT_STREAM_PARKED));
    wait_for(unrecorded, never);
    lane_submit(never, 'x', 0);
    for (int i = 0; i < 100; i++)
        lane_submit(first, 'a', 0);
    record(notify, first);
    rt_runtime_shutdown();
    cr_expect_eq(lane_logged, 101);
    cr_expect_eq(lane_log[100], 'b');
}

Test(notify, a_forced_end_takes_the_wait_off_the_list, .timeout = 600)
{
    struct lane first = lane_open(0), second = lane_open(0), recorder = lane_open(0);
    aclrtNotify notify = new_notify();
    wait_for(notify, first);
    lane_await(lane_is(first, RT_STREAM_PARKED));
    wait_for(notify, second);
    cr_expect_eq(aclrtDestroyStreamForce(first.handle), ACL_SUCCESS);
    record(notify, recorder);
    cr_expect_eq(aclrtSynchronizeStream(second.handle), ACL_SUCCESS);
    rt_runtime_shutdown();
}
