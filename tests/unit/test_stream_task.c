/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnextLaunchStreamTask: work of other libraries in a stream. */
#include <criterion/criterion.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnext/aclnnext_extend.h"
#include "runtime/device/device.h"
#include "tests/unit/lane.h"
#include "tests/unit/process.h"

struct work {
    char letter;
    aclError result;
    int releases, runs;
    sem_t *door; /* waits there first */
};

static aclError run(void *data, char *text, size_t room)
{
    struct work *work = data;
    while (work->door && sem_wait(work->door) != 0) {
    }
    work->runs++;
    lane_note(work->letter);
    if (work->result != ACL_SUCCESS) snprintf(text, room, "%c has gone wrong", work->letter);
    return work->result;
}

static void release(void *data)
{
    struct work *work = data;
    work->releases++;
}

static aclError launch(struct lane lane, struct work *work)
{
    aclnnextStreamTask task = {
        .name = "test work", .run = run, .release = release, .data = work, .bytes = 4096};
    return aclnnextLaunchStreamTask(lane.handle, &task);
}

Test(stream_task, runs_in_the_streams_order, .timeout = 600)
{
    struct lane lane = lane_open(0);
    struct work work = {.letter = 'b'};
    for (int i = 0; i < 20; i++) {
        lane_submit(lane, 'a', 0);
        cr_assert_eq(launch(lane, &work), ACL_SUCCESS);
        lane_submit(lane, 'c', 0);
    }
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    cr_assert_eq(lane_logged, 60);
    for (int i = 0; i < 60; i++)
        cr_assert_eq(lane_log[i], 'a' + i % 3, "%d: %s", i, lane_log);
    cr_expect_eq(work.releases, 20);
    rt_runtime_shutdown();
}

Test(stream_task, a_failure_is_the_streams, .timeout = 600)
{
    struct lane lane = lane_open(0), other = lane_open(0);
    struct work bad = {.letter = 'x', .result = ACL_ERROR_RT_TASK_TIMEOUT};
    struct work good = {.letter = 'y'}, apart = {.letter = 'z'};
    cr_assert_eq(launch(lane, &bad), ACL_SUCCESS);
    cr_assert_eq(launch(lane, &good), ACL_SUCCESS);
    cr_assert_eq(launch(other, &apart), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_ERROR_RT_TASK_TIMEOUT);
    const char *text = aclGetRecentErrMsg();
    cr_expect(text && strstr(text, "test work: x has gone wrong"), "%s", text ? text : "no text");
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS, "it is told once");
    cr_expect_eq(aclrtSynchronizeStream(other.handle), ACL_SUCCESS);
    cr_expect_eq(bad.releases, 1);
    cr_expect_eq(good.releases, 1);
    cr_expect_eq(apart.releases, 1);
    rt_runtime_shutdown();
}

Test(stream_task, waits_block_nobody_and_are_dropped, .timeout = 600)
{
    sem_t door;
    sem_init(&door, 0, 0);
    struct lane blocked = lane_open(0), lane = lane_open(0);
    struct work waits = {.letter = 'w', .door = &door}, behind = {.letter = 'v'};
    struct work free = {.letter = 'f'};
    cr_assert_eq(launch(blocked, &waits), ACL_SUCCESS);
    cr_assert_eq(launch(blocked, &behind), ACL_SUCCESS);
    cr_assert_eq(launch(lane, &free), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    cr_expect_str_eq(lane_log, "f");
    sem_post(&door);
    cr_expect_eq(aclrtSynchronizeStream(blocked.handle), ACL_SUCCESS);
    cr_expect_str_eq(lane_log, "fwv");
    aclrtEvent never;
    cr_assert_eq(aclrtCreateEvent(&never), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(lane.handle, never), ACL_SUCCESS);
    cr_assert_eq(launch(lane, &free), ACL_SUCCESS);
    cr_expect_eq(aclrtDestroyStreamForce(lane.handle), ACL_SUCCESS);
    cr_expect_eq(free.releases, 2, "released when dropped too");
    rt_runtime_shutdown();
}

Test(stream_task, is_captured_and_replayed, .timeout = 600)
{
    struct lane lane = lane_open(0);
    struct work good = {.letter = 'g'}, bad = {.letter = 'b', .result = ACL_ERROR_RT_TASK_TIMEOUT};
    aclmdlRI graph;
    cr_assert_eq(aclmdlRICaptureBegin(lane.handle, ACL_MODEL_RI_CAPTURE_MODE_RELAXED), ACL_SUCCESS);
    cr_assert_eq(launch(lane, &good), ACL_SUCCESS);
    cr_assert_eq(launch(lane, &bad), ACL_SUCCESS);
    cr_assert_eq(launch(lane, &good), ACL_SUCCESS);
    cr_assert_eq(aclmdlRICaptureEnd(lane.handle, &graph), ACL_SUCCESS);
    cr_expect_eq(lane_logged, 0);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(aclmdlRIExecuteAsync(graph, lane.handle), ACL_SUCCESS);
        cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_ERROR_RT_TASK_TIMEOUT);
    }
    cr_expect_str_eq(lane_log, "gbggbggbg");
    cr_expect_eq(good.releases + bad.releases, 0);
    cr_expect_eq(aclmdlRIDestroy(graph), ACL_SUCCESS);
    cr_expect_eq(good.releases, 2);
    cr_expect_eq(bad.releases, 1);
    rt_runtime_shutdown();
}

Test(stream_task, what_is_refused)
{
    struct lane lane = lane_open(0);
    struct work work = {.letter = 'a'};
    aclnnextStreamTask task = {.name = "test work", .release = release, .data = &work};
    cr_expect_eq(aclnnextLaunchStreamTask(lane.handle, NULL), ACL_ERROR_INVALID_PARAM);
    cr_expect_eq(aclnnextLaunchStreamTask(lane.handle, &task), ACL_ERROR_INVALID_PARAM);
    task.run = run;
    task.name = NULL;
    cr_expect_eq(aclnnextLaunchStreamTask(lane.handle, &task), ACL_ERROR_INVALID_PARAM);
    task.name = "test work";
    cr_expect_eq(aclnnextLaunchStreamTask(&task, &task), ACL_ERROR_RT_INVALID_HANDLE);
    cr_expect_eq(work.releases, 0);
    cr_expect_eq(aclnnextReportError(9, "Somebody", "said something"), 9);
    const char *text = aclGetRecentErrMsg();
    cr_expect(text && strstr(text, "Somebody: said something"), "%s", text ? text : "no text");
    rt_runtime_shutdown();
}
