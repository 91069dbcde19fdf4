/* SPDX-License-Identifier: Apache-2.0 */
/* Host functions, notifies and values in graphs. */
#include <criterion/criterion.h>
#include <semaphore.h>
#include <string.h>

#include "acl/acl.h"
#include "acl/acl_mdl.h"
#include "runtime/device/device.h"
#include "tests/unit/lane.h"
#include "tests/unit/refusal.h"

static void note(void *argument)
{
    lane_note(*(const char *)argument);
}

static void launch(struct lane lane, const char *letter)
{
    cr_assert_eq(aclrtLaunchHostFunc(lane.handle, note, lane_letter(letter)), ACL_SUCCESS);
}

Test(captured_kinds, in_a_row, .timeout = 600)
{
    struct lane lane = lane_open(0);
    aclrtNotify notify;
    aclmdlRI graph;
    void *memory = NULL;
    cr_assert_eq(aclrtCreateNotify(&notify, 0), ACL_SUCCESS);
    cr_assert_eq(aclrtMalloc(&memory, 8, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
    cr_assert_eq(aclmdlRICaptureBegin(lane.handle, ACL_MODEL_RI_CAPTURE_MODE_RELAXED), ACL_SUCCESS);
    launch(lane, "a");
    cr_assert_eq(aclrtRecordNotify(notify, lane.handle), ACL_SUCCESS);
    cr_assert_eq(aclrtValueWrite(memory, 7, 0, lane.handle), ACL_SUCCESS);
    launch(lane, "b");
    cr_assert_eq(aclrtWaitAndResetNotify(notify, lane.handle, 0), ACL_SUCCESS);
    cr_assert_eq(aclrtValueWait(memory, 7, ACL_STREAM_WAIT_VALUE_EQ, lane.handle), ACL_SUCCESS);
    launch(lane, "c");
    cr_assert_eq(aclmdlRICaptureEnd(lane.handle, &graph), ACL_SUCCESS);
    for (int i = 0; i < 5; i++)
        cr_assert_eq(aclmdlRIExecuteAsync(graph, lane.handle), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    cr_expect_str_eq(lane_log, "abcabcabcabcabc");
    cr_expect_eq(aclmdlRIDestroy(graph), ACL_SUCCESS);
    rt_runtime_shutdown();
}

/* The second lane waits for what the first does, without an edge of the graph between the two. */
Test(captured_kinds, in_lanes, .timeout = 600)
{
    struct lane lane = lane_open(0), other = lane_open(0);
    aclrtNotify notify;
    aclrtEvent fork_event, join_event;
    aclmdlRI graph;
    cr_assert_eq(aclrtCreateNotify(&notify, 0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateEventExWithFlag(&fork_event, ACL_EVENT_SYNC), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateEventExWithFlag(&join_event, ACL_EVENT_SYNC), ACL_SUCCESS);
    cr_assert_eq(aclmdlRICaptureBegin(lane.handle, ACL_MODEL_RI_CAPTURE_MODE_RELAXED), ACL_SUCCESS);
    cr_assert_eq(aclrtRecordEvent(fork_event, lane.handle), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(other.handle, fork_event), ACL_SUCCESS);
    cr_assert_eq(aclrtWaitAndResetNotify(notify, other.handle, 0), ACL_SUCCESS);
    launch(other, "b");
    cr_assert_eq(aclrtRecordEvent(join_event, other.handle), ACL_SUCCESS);
    launch(lane, "a");
    cr_assert_eq(aclrtRecordNotify(notify, lane.handle), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(lane.handle, join_event), ACL_SUCCESS);
    launch(lane, "c");
    cr_assert_eq(aclmdlRICaptureEnd(lane.handle, &graph), ACL_SUCCESS);
    for (int i = 0; i < 20; i++)
        cr_assert_eq(aclmdlRIExecuteAsync(graph, lane.handle), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    cr_expect_eq(lane_logged, 60);
    for (int i = 0; i < 20; i++)
        cr_assert_eq(memcmp(&lane_log[3 * i], "abc", 3), 0, "%s", lane_log);
    cr_expect_eq(aclmdlRIDestroy(graph), ACL_SUCCESS);
    rt_runtime_shutdown();
}
