/* SPDX-License-Identifier: Apache-2.0 */
/* External events and task groups in replays. */
#include <criterion/criterion.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "runtime/capture/graph.h"
#include "runtime/schedule/queue.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/alloc.h"
#include "tests/unit/gate.h"
#include "tests/unit/graph_tasks.h"
#include "tests/unit/process.h"
#include "tests/unit/refusal.h"

TestSuite(graph_groups, .init = set_up, .fini = tear_down, .timeout = 600);

/* --- external events and task groups ---------------------------------------------------------- */

Test(graph_groups, an_external_event_is_waited_for_in_each_replay)
{
    aclrtEvent outside;
    cr_assert_eq(aclrtCreateEventWithFlag(&outside, ACL_EVENT_EXTERNAL), 0);
    begin(streams[0]);
    cr_assert_eq(submit_append(streams[0], 1), 0);
    cr_assert_eq(aclrtStreamWaitEvent(streams[0], outside), 0);
    cr_assert_eq(aclrtResetEvent(outside, streams[0]), 0);
    cr_assert_eq(submit_append(streams[0], 2), 0);
    aclmdlRI graph = end(streams[0]);
    for (int i = 0; i < 20; i++) {
        if (i % 2 == 0) {
            replay(graph, streams[0]);
            cr_assert_eq(aclrtSynchronizeStreamWithTimeout(streams[0], 2),
                         ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        }
        cr_assert_eq(aclrtRecordEvent(outside, streams[2]), 0);
        if (i % 2 == 1) replay(graph, streams[0]);
        synchronise(streams[0]);
        expect_trace((int[]){1, 2}, 2);
    }
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
    cr_assert_eq(aclrtDestroyEvent(outside), 0);
}

Test(graph_groups, finalize_drops_a_replay_that_waits_for_ever)
{
    aclrtEvent outside;
    cr_assert_eq(aclrtCreateEventWithFlag(&outside, ACL_EVENT_EXTERNAL), 0);
    begin(streams[0]);
    cr_assert_eq(submit_append(streams[0], 1), 0);
    hand(streams[0], 0, streams[1]);
    cr_assert_eq(aclrtStreamWaitEvent(streams[1], outside), 0);
    cr_assert_eq(submit_append(streams[1], 2), 0);
    cr_assert_eq(submit_append(streams[0], 3), 0);
    hand(streams[1], 1, streams[0]);
    aclmdlRI graph = end(streams[0]);
    replay(graph, streams[0]);
    replay(graph, streams[2]);
    cr_assert_eq(aclFinalize(), 0);
    for (int i = 0; i < traced; i++)
        cr_assert_neq(trace[i], 2);
    cr_assert_eq(atomic_load(&dropped), 3);
    cr_assert_eq(aclInit(NULL), 0);
}

Test(graph_groups, a_captured_record_of_an_external_event_happens_in_each_replay)
{
    aclrtEvent outside;
    cr_assert_eq(aclrtCreateEventWithFlag(&outside, ACL_EVENT_EXTERNAL), 0);
    begin(streams[0]);
    cr_assert_eq(submit_append(streams[0], 1), 0);
    cr_assert_eq(aclrtRecordEvent(outside, streams[0]), 0);
    aclmdlRI graph = end(streams[0]);
    for (int i = 0; i < 5; i++) {
        cr_assert_eq(aclrtStreamWaitEvent(streams[1], outside), 0);
        cr_assert_eq(submit_append(streams[1], 2), 0);
        replay(graph, streams[0]);
        synchronise(streams[1]);
        expect_trace((int[]){1, 2}, 2);
        synchronise(streams[0]);
        cr_assert_eq(aclrtResetEvent(outside, streams[0]), 0);
    }
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

Test(graph_groups, tasks_of_a_group_are_replaced)
{
    aclrtTaskGrp group = NULL;
    begin(streams[0]);
    cr_assert_eq(submit_append(streams[0], 1), 0);
    cr_assert_eq(aclmdlRICaptureTaskGrpBegin(streams[0]), 0);
    cr_assert_eq(submit_append(streams[0], 2), 0);
    cr_assert_eq(submit_append(streams[0], 3), 0);
    cr_assert_eq(aclmdlRICaptureTaskGrpEnd(streams[0], &group), 0);
    cr_assert_eq(submit_append(streams[0], 4), 0);
    aclmdlRI graph = end(streams[0]);
    replay(graph, streams[0]);
    synchronise(streams[0]);
    expect_trace((int[]){1, 2, 3, 4}, 4);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(aclmdlRICaptureTaskUpdateBegin(streams[0], group), 0);
        cr_assert_eq(submit_append(streams[0], 20 + i), 0);
        cr_assert_eq(submit_append(streams[0], 30 + i), 0);
        cr_assert_eq(aclmdlRICaptureTaskUpdateEnd(streams[0]), 0);
        replay(graph, streams[0]);
        synchronise(streams[0]);
        expect_trace((int[]){1, 20 + i, 30 + i, 4}, 4);
        cr_assert_eq(atomic_load(&dropped), 2 * (i + 1));
    }
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
    cr_assert_eq(atomic_load(&dropped), 10);
    expect_refused(aclmdlRICaptureTaskUpdateBegin(streams[0], group), ACL_ERROR_RT_INVALID_HANDLE,
                   "not a task group");
}

Test(graph_groups, an_update_of_too_few_or_too_many_is_an_error)
{
    aclrtTaskGrp group = NULL;
    begin(streams[0]);
    expect_refused(aclmdlRICaptureTaskGrpEnd(streams[0], &group),
                   ACL_ERROR_STREAM_TASK_GROUP_STATUS, "has begun no task group");
    cr_assert_eq(aclmdlRICaptureTaskGrpBegin(streams[0]), 0);
    expect_refused(aclmdlRICaptureTaskGrpBegin(streams[0]), ACL_ERROR_STREAM_TASK_GROUP_STATUS,
                   "has an open task group");
    cr_assert_eq(submit_append(streams[0], 1), 0);
    cr_assert_eq(submit_append(streams[0], 2), 0);
    cr_assert_eq(aclmdlRICaptureTaskGrpEnd(streams[0], &group), 0);
    aclmdlRI graph = end(streams[0]);

    expect_refused(aclmdlRICaptureTaskUpdateEnd(streams[0]), ACL_ERROR_STREAM_TASK_GROUP_STATUS,
                   "updates no task group");
    cr_assert_eq(aclmdlRICaptureTaskUpdateBegin(streams[0], group), 0);
    expect_refused(aclmdlRICaptureTaskUpdateBegin(streams[1], group),
                   ACL_ERROR_STREAM_TASK_GROUP_STATUS, "being updated already");
    cr_assert_eq(submit_append(streams[0], 11), 0);
    expect_refused(aclmdlRICaptureTaskUpdateEnd(streams[0]), ACL_ERROR_RT_INTERNAL_ERROR,
                   "fewer tasks");
    cr_assert_eq(aclmdlRICaptureTaskUpdateBegin(streams[0], group), 0);
    cr_assert_eq(submit_meet(streams[0], 0), ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT);
    cr_assert_eq(submit_append(streams[0], 12), 0);
    cr_assert_eq(submit_append(streams[0], 13), 0);
    cr_assert_eq(submit_append(streams[0], 14), ACL_ERROR_RT_INTERNAL_ERROR);
    cr_assert_eq(aclmdlRICaptureTaskUpdateEnd(streams[0]), 0);
    replay(graph, streams[0]);
    synchronise(streams[0]);
    expect_trace((int[]){12, 13}, 2);
    cr_assert_eq(aclmdlRICaptureTaskUpdateBegin(streams[1], group), 0);
    cr_assert_eq(aclrtDestroyStream(streams[1]), 0); /* amid an update */
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}
