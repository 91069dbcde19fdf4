/* SPDX-License-Identifier: Apache-2.0 */
/* Captured tasks that park their stream: host functions, notifies, values. */
#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "runtime/capture/graph.h"

static aclrtStream streams[3];
static aclrtEvent events[2];

static void set_up(void)
{
    setenv("ACLNN_CPU_THREADS", "3", 1);
    cr_assert_eq(aclInit(NULL), 0);
    cr_assert_eq(aclrtSetDevice(0), 0);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(aclrtCreateStream(&streams[i]), 0);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(aclrtCreateEventExWithFlag(&events[i], ACL_EVENT_SYNC), 0);
}

static void tear_down(void)
{
    cr_assert_eq(aclFinalize(), 0);
}

TestSuite(graph_host, .init = set_up, .fini = tear_down, .timeout = 600);

static int left, right, joined; /* ordered by the graph alone */

static void add_left(void *unused)
{
    (void)unused;
    left++;
}

static void add_right(void *unused)
{
    (void)unused;
    right++;
}

static void join_both(void *unused)
{
    (void)unused;
    joined = left + right;
}

static void fork_and_join(void (*between)(void))
{
    cr_assert_eq(aclrtRecordEvent(events[0], streams[0]), 0);
    cr_assert_eq(aclrtStreamWaitEvent(streams[1], events[0]), 0);
    between();
    cr_assert_eq(aclrtRecordEvent(events[1], streams[1]), 0);
    cr_assert_eq(aclrtStreamWaitEvent(streams[0], events[1]), 0);
}

static void launch_both(void)
{
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(aclrtLaunchHostFunc(streams[0], add_left, NULL), 0, "%s",
                     aclGetRecentErrMsg());
        cr_assert_eq(aclrtLaunchHostFunc(streams[1], add_right, NULL), 0);
    }
}

Test(graph_host, host_functions_run_in_their_lanes)
{
    aclmdlRI graph;
    cr_assert_eq(aclmdlRICaptureBegin(streams[0], ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), 0);
    fork_and_join(launch_both);
    cr_assert_eq(aclrtLaunchHostFunc(streams[0], join_both, NULL), 0);
    cr_assert_eq(aclmdlRICaptureEnd(streams[0], &graph), 0, "%s", aclGetRecentErrMsg());
    cr_assert_eq(((struct rt_graph *)graph)->lane_count, 2);
    for (int i = 1; i <= 50; i++) {
        cr_assert_eq(aclmdlRIExecuteAsync(graph, streams[i % 3]), 0);
        cr_assert_eq(aclrtSynchronizeStream(streams[i % 3]), 0);
        cr_assert_eq(joined, 6 * i, "replay %d: %d", i, joined);
    }
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

static aclrtNotify notify;

static void wait_for_notify(void)
{
    cr_assert_eq(aclrtWaitAndResetNotify(notify, streams[1], 0), 0, "%s", aclGetRecentErrMsg());
    cr_assert_eq(aclrtLaunchHostFunc(streams[1], add_right, NULL), 0);
    cr_assert_eq(aclrtLaunchHostFunc(streams[0], add_left, NULL), 0);
}

static aclmdlRI capture_notify(void)
{
    aclmdlRI graph;
    cr_assert_eq(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT), 0);
    cr_assert_eq(aclmdlRICaptureBegin(streams[0], ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), 0);
    fork_and_join(wait_for_notify);
    cr_assert_eq(aclrtLaunchHostFunc(streams[0], join_both, NULL), 0);
    cr_assert_eq(aclmdlRICaptureEnd(streams[0], &graph), 0, "%s", aclGetRecentErrMsg());
    return graph;
}

Test(graph_host, each_replay_takes_a_notify)
{
    aclmdlRI graph = capture_notify();
    for (int i = 1; i <= 20; i++) {
        if (i % 2) cr_assert_eq(aclrtRecordNotify(notify, streams[2]), 0);
        cr_assert_eq(aclmdlRIExecuteAsync(graph, streams[0]), 0);
        if (i % 2 == 0) {
            cr_assert_eq(aclrtSynchronizeStreamWithTimeout(streams[0], 2),
                         ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
            cr_assert_eq(aclrtRecordNotify(notify, streams[2]), 0);
        }
        cr_assert_eq(aclrtSynchronizeStream(streams[0]), 0);
        cr_assert_eq(joined, 2 * i);
    }
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

Test(graph_host, a_wait_that_never_ends_can_be_aborted)
{
    aclmdlRI graph = capture_notify();
    for (int i = 0; i < 5; i++) {
        cr_assert_eq(aclmdlRIExecuteAsync(graph, streams[0]), 0);
        aclError status = ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
        while (status == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT) { /* no more once the replay has begun */
            cr_assert_eq(aclmdlRIAbort(graph), 0);
            status = aclrtSynchronizeStreamWithTimeout(streams[0], 2);
        }
        cr_assert_eq(status, ACL_ERROR_RT_MODEL_ABORT_NORMAL);
        cr_assert_eq(right, 0);
    }
    cr_assert_eq(aclmdlRIExecuteAsync(graph, streams[0]), 0);
    cr_assert_eq(aclrtRecordNotify(notify, streams[2]), 0);
    cr_assert_eq(aclrtSynchronizeStream(streams[0]), 0);
    cr_assert_eq(right, 1);
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

Test(graph_host, finalize_gives_up_a_wait_that_never_ends)
{
    aclmdlRI graph = capture_notify();
    cr_assert_eq(aclmdlRIExecuteAsync(graph, streams[0]), 0);
    cr_assert_eq(aclmdlRIExecuteAsync(graph, streams[2]), 0);
    cr_assert_eq(aclFinalize(), 0);
    cr_assert_eq(right, 0);
    cr_assert_eq(aclInit(NULL), 0);
}

Test(graph_host, values_are_waited_for_and_written)
{
    aclmdlRI graph;
    uint64_t *value;
    cr_assert_eq(aclrtMalloc((void **)&value, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    value[0] = value[1] = 0;
    cr_assert_eq(aclmdlRICaptureBegin(streams[0], ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), 0);
    cr_assert_eq(aclrtValueWait(value, 5, ACL_STREAM_WAIT_VALUE_EQ, streams[0]), 0);
    cr_assert_eq(aclrtValueWrite(value, 0, 0, streams[0]), 0);
    cr_assert_eq(aclrtValueWrite(value + 1, 9, 0, streams[0]), 0);
    cr_assert_eq(aclmdlRICaptureEnd(streams[0], &graph), 0);
    for (int i = 0; i < 5; i++) {
        cr_assert_eq(aclmdlRIExecuteAsync(graph, streams[0]), 0);
        cr_assert_eq(aclrtValueWrite(value, 5, 0, streams[1]), 0);
        cr_assert_eq(aclrtSynchronizeStream(streams[0]), 0);
        cr_assert_eq(value[0], 0);
        cr_assert_eq(value[1], 9);
    }
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
    cr_assert_eq(aclrtFree(value), 0);
}
