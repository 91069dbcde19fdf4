/* SPDX-License-Identifier: Apache-2.0 */
/* Capturing: what each misuse returns and what becomes of the capture. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/alloc.h"
#include "tests/unit/refusal.h"

#define GLOBAL       ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
#define THREAD_LOCAL ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL
#define RELAXED      ACL_MODEL_RI_CAPTURE_MODE_RELAXED
#define ACTIVE       ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE
#define INVALIDATED  ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED

static aclrtStream stream, other;
static aclrtEvent event, back;
static char *block; /* of the device */
static char pageable[64];

static void set_up(void)
{
    cr_assert_eq(aclInit(NULL), 0);
    cr_assert_eq(aclrtSetDevice(0), 0);
    cr_assert_eq(aclrtCreateStream(&stream), 0);
    cr_assert_eq(aclrtCreateStream(&other), 0);
    cr_assert_eq(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC), 0);
    cr_assert_eq(aclrtCreateEventExWithFlag(&back, ACL_EVENT_SYNC), 0);
    cr_assert_eq(aclrtMalloc((void **)&block, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
}

static void tear_down(void)
{
    cr_assert_eq(aclFinalize(), 0);
}

TestSuite(capture, .init = set_up, .fini = tear_down, .timeout = 600);

static void begin(aclmdlRICaptureMode mode)
{
    cr_assert_eq(aclmdlRICaptureBegin(stream, mode), 0, "%s", aclGetRecentErrMsg());
}

static void expect_status(aclrtStream of, aclmdlRICaptureStatus status)
{
    aclmdlRICaptureStatus found;
    cr_assert_eq(aclmdlRICaptureGetInfo(of, &found, NULL), 0);
    cr_expect_eq(found, status, "status %d, not %d", (int)found, (int)status);
}

/* The capture ends with this code, and the stream works as before. */
static void end_with(aclError code)
{
    aclmdlRI graph = NULL;
    cr_assert_eq(aclmdlRICaptureEnd(stream, &graph), code, "%s", aclGetRecentErrMsg());
    expect_status(stream, ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    expect_status(other, ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    cr_assert_eq(aclrtMemsetAsync(block, 64, 1, 64, stream), 0);
    cr_assert_eq(aclrtSynchronizeStream(stream), 0);
    cr_assert_eq(aclrtSynchronizeDevice(), 0);
    if (code == 0) cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

static void join(void)
{
    cr_assert_eq(aclrtRecordEvent(event, stream), 0);
    cr_assert_eq(aclrtStreamWaitEvent(other, event), 0);
}

Test(capture, arguments)
{
    aclmdlRI graph;
    aclmdlRICaptureStatus status;
    aclmdlRICaptureMode mode = (aclmdlRICaptureMode)3;
    aclrtStream first, persistent;
    expect_refused(aclmdlRICaptureBegin(NULL, GLOBAL), ACL_ERROR_INVALID_PARAM, "stream is NULL");
    expect_refused(aclmdlRICaptureBegin(stream, mode), ACL_ERROR_RT_PARAM_INVALID, "mode is 3");
    expect_refused(aclmdlRICaptureEnd(NULL, &graph), ACL_ERROR_INVALID_PARAM, "stream is NULL");
    expect_refused(aclmdlRICaptureEnd(stream, NULL), ACL_ERROR_INVALID_PARAM, "modelRI is NULL");
    expect_refused(aclmdlRICaptureGetInfo(NULL, &status, &graph), ACL_ERROR_INVALID_PARAM,
                   "stream is NULL");
    expect_refused(aclmdlRICaptureGetInfo(stream, NULL, NULL), ACL_ERROR_INVALID_PARAM,
                   "both NULL");
    expect_refused(aclmdlRICaptureThreadExchangeMode(NULL), ACL_ERROR_INVALID_PARAM,
                   "mode is NULL");
    expect_refused(aclmdlRICaptureThreadExchangeMode(&mode), ACL_ERROR_RT_PARAM_INVALID,
                   "*mode is 3");
    expect_refused(aclmdlRIExecuteAsync(NULL, stream), ACL_ERROR_INVALID_PARAM, "modelRI is NULL");
    expect_refused(aclmdlRIExecuteAsync(block, stream), ACL_ERROR_RT_INVALID_HANDLE,
                   "is not a graph");
    expect_refused(aclmdlRIDestroy(NULL), ACL_ERROR_INVALID_PARAM, "modelRI is NULL");
    expect_refused(aclmdlRIDestroy(stream), ACL_ERROR_RT_INVALID_HANDLE, "is not a graph");
    cr_assert_eq(aclrtCtxGetCurrentDefaultStream(&first), 0);
    expect_refused(aclmdlRICaptureBegin(first, GLOBAL), ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
                   "default stream");
    cr_assert_eq(aclrtCreateStreamWithConfig(&persistent, 0, ACL_STREAM_PERSISTENT), 0);
    expect_refused(aclmdlRICaptureBegin(persistent, GLOBAL), ACL_ERROR_RT_PARAM_INVALID, "flags");
    expect_refused(aclmdlRICaptureEnd(stream, &graph), ACL_ERROR_RT_STREAM_NOT_CAPTURED,
                   "is not being captured");
    cr_assert_eq(aclmdlRICaptureGetInfo(stream, &status, &graph), 0);
    cr_assert_null(graph);
}

Test(capture, a_capturing_stream_is_not_waited_for_or_destroyed)
{
    aclmdlRI graph, again;
    aclrtStreamStatus query;
    begin(GLOBAL);
    expect_status(stream, ACTIVE);
    expect_refused(aclmdlRICaptureBegin(stream, GLOBAL), ACL_ERROR_RT_STREAM_CAPTURED,
                   "already being captured");
    expect_refused(aclrtSynchronizeStream(stream), ACL_ERROR_RT_STREAM_CAPTURED, "being captured");
    expect_refused(aclrtSynchronizeStreamWithTimeout(stream, 10), ACL_ERROR_RT_STREAM_CAPTURED,
                   "being captured");
    expect_refused(aclrtStreamQuery(stream, &query), ACL_ERROR_RT_STREAM_CAPTURED,
                   "being captured");
    expect_refused(aclrtDestroyStream(stream), ACL_ERROR_RT_STREAM_CAPTURED, "being captured");
    expect_refused(aclrtDestroyStreamForce(stream), ACL_ERROR_RT_STREAM_CAPTURED, "being captured");
    expect_refused(aclrtSynchronizeDevice(), ACL_ERROR_RT_STREAM_CAPTURED, "being captured");
    cr_assert_eq(aclrtSynchronizeStream(other), 0);
    cr_assert_eq(aclmdlRICaptureGetInfo(stream, NULL, &graph), 0);
    expect_refused(aclmdlRIExecuteAsync(graph, other), ACL_ERROR_RT_MODEL_CAPTURED,
                   "still being captured");
    expect_refused(aclmdlRIDestroy(graph), ACL_ERROR_RT_MODEL_CAPTURED, "still being captured");
    expect_refused(aclmdlRIDebugPrint(graph), ACL_ERROR_RT_MODEL_CAPTURED, "still being captured");
    expect_status(stream, ACTIVE);
    cr_assert_eq(aclmdlRICaptureEnd(stream, &again), 0);
    cr_assert_eq(again, graph);
    begin(GLOBAL);
    expect_refused(aclmdlRIExecuteAsync(graph, stream), ACL_ERROR_RT_STREAM_CAPTURED,
                   "being captured");
    cr_assert_eq(aclmdlRIExecuteAsync(graph, other), 0);
    expect_status(stream, ACTIVE);
    end_with(0);
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

/* --- events --------------------------------------------------------------------------------------
 */

Test(capture, a_captured_event_is_not_asked_on_the_host)
{
    aclrtEventRecordedStatus status;
    float ms;
    uint64_t us;
    begin(GLOBAL);
    cr_assert_eq(aclrtRecordEvent(event, stream), 0);
    expect_refused(aclrtQueryEventStatus(event, &status), ACL_ERROR_RT_EVENT_CAPTURED, "event");
    expect_refused(aclrtSynchronizeEvent(event), ACL_ERROR_RT_EVENT_CAPTURED, "event");
    expect_refused(aclrtSynchronizeEventWithTimeout(event, 10), ACL_ERROR_RT_EVENT_CAPTURED,
                   "event");
    expect_refused(aclrtEventElapsedTime(&ms, event, back), ACL_ERROR_RT_EVENT_CAPTURED,
                   "startEvent");
    expect_refused(aclrtEventGetTimestamp(event, &us), ACL_ERROR_RT_EVENT_CAPTURED, "event");
    end_with(0);
    cr_assert_eq(aclrtQueryEventStatus(event, &status), 0); /* it was never recorded */
    cr_assert_eq(status, ACL_EVENT_RECORDED_STATUS_COMPLETE);
    begin(GLOBAL);
    cr_assert_eq(aclrtRecordEvent(event, stream), 0);
    cr_assert_eq(aclrtRecordEvent(event, other), 0); /* leaves the capture */
    cr_assert_eq(aclrtSynchronizeEvent(event), 0);
    end_with(0);
}

Test(capture, streams_that_join_come_back)
{
    aclrtStream first;
    begin(GLOBAL);
    join();
    expect_status(other, ACTIVE);
    aclmdlRI graph;
    expect_refused(aclmdlRICaptureEnd(other, &graph), ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED,
                   "has joined");
    cr_assert_eq(aclrtCtxGetCurrentDefaultStream(&first), 0);
    expect_refused(aclrtStreamWaitEvent(first, event), ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
                   "default stream");
    end_with(ACL_ERROR_RT_STREAM_UNJOINED);

    begin(GLOBAL); /* recorded, not waited for */
    join();
    cr_assert_eq(aclrtMemsetAsync(block, 64, 1, 64, other), 0);
    cr_assert_eq(aclrtRecordEvent(back, other), 0);
    end_with(ACL_ERROR_RT_STREAM_UNJOINED);

    begin(GLOBAL); /* a task after the way back */
    join();
    cr_assert_eq(aclrtRecordEvent(back, other), 0);
    cr_assert_eq(aclrtStreamWaitEvent(stream, back), 0);
    cr_assert_eq(aclrtMemsetAsync(block, 64, 1, 64, other), 0);
    end_with(ACL_ERROR_RT_STREAM_UNJOINED);

    begin(GLOBAL);
    join();
    cr_assert_eq(aclrtRecordEvent(back, other), 0);
    cr_assert_eq(aclrtStreamWaitEvent(stream, back), 0);
    end_with(0);
}

Test(capture, two_captures_do_not_meet)
{
    aclmdlRI graph;
    begin(GLOBAL);
    cr_assert_eq(aclrtRecordEvent(event, stream), 0);
    cr_assert_eq(aclmdlRICaptureBegin(other, GLOBAL), 0);
    expect_refused(aclrtStreamWaitEvent(other, event), ACL_ERROR_STREAM_CAPTURE_CONFLICT,
                   "belongs to that of");
    expect_status(stream, INVALIDATED);
    expect_status(other, INVALIDATED);
    cr_assert_eq(aclrtMemsetAsync(block, 64, 1, 64, other),
                 ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    cr_assert_eq(aclmdlRICaptureEnd(other, &graph), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    end_with(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
}

Test(capture, events_that_a_capture_does_not_take)
{
    aclrtEvent plain;
    cr_assert_eq(aclrtCreateEvent(&plain), 0);
    cr_assert_eq(aclrtRecordEvent(back, other), 0);
    begin(GLOBAL);
    expect_refused(aclrtRecordEvent(plain, stream), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "aclrtCreateEventExWithFlag");
    expect_refused(aclrtStreamWaitEvent(stream, plain), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "aclrtCreateEventExWithFlag");
    expect_refused(aclrtResetEvent(plain, stream), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "aclrtCreateEventExWithFlag");
    expect_refused(aclrtStreamWaitEvent(stream, back), ACL_ERROR_RT_CAPTURE_DEPENDENCY,
                   "outside of the capture");
    cr_assert_eq(aclrtStreamWaitEvent(stream, event), 0); /* never recorded: nothing to wait for */
    expect_status(stream, ACTIVE);
    end_with(0);
}

/* --- unsafe calls and modes --------------------------------------------------------------------
 */

static void *copy_at_once(void *mode)
{
    aclmdlRICaptureMode wanted = *(aclmdlRICaptureMode *)mode;
    cr_assert_eq(aclrtSetDevice(0), 0);
    cr_assert_eq(aclmdlRICaptureThreadExchangeMode(&wanted), 0);
    cr_assert_eq(wanted, GLOBAL); /* a fresh thread's */
    aclError status = aclrtMemcpy(block, 64, pageable, 64, ACL_MEMCPY_HOST_TO_DEVICE);
    return (void *)(intptr_t)status;
}

static aclError copy_in_thread(aclmdlRICaptureMode mode)
{
    pthread_t thread;
    void *status;
    cr_assert_eq(pthread_create(&thread, NULL, copy_at_once, &mode), 0);
    pthread_join(thread, &status);
    return (aclError)(intptr_t)status;
}

static aclError copy_here(aclmdlRICaptureMode mode)
{
    aclmdlRICaptureMode old = mode;
    cr_assert_eq(aclmdlRICaptureThreadExchangeMode(&old), 0);
    aclError status = aclrtMemcpy(block, 64, pageable, 64, ACL_MEMCPY_HOST_TO_DEVICE);
    cr_assert_eq(aclmdlRICaptureThreadExchangeMode(&old), 0);
    cr_assert_eq(old, mode);
    return status;
}

Test(capture, what_each_mode_allows)
{
    static const struct {
        aclmdlRICaptureMode capture, thread;
        bool here, elsewhere; /* allowed */
    } rows[] = {
        {GLOBAL, GLOBAL, false, false},
        {GLOBAL, THREAD_LOCAL, false, true},
        {GLOBAL, RELAXED, true, true},
        {THREAD_LOCAL, GLOBAL, false, true},
        {THREAD_LOCAL, THREAD_LOCAL, false, true},
        {THREAD_LOCAL, RELAXED, true, true},
        {RELAXED, GLOBAL, true, true},
        {RELAXED, THREAD_LOCAL, true, true},
        {RELAXED, RELAXED, true, true},
    };
    const aclError refused = ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        begin(rows[i].capture);
        cr_expect_eq(copy_here(rows[i].thread), rows[i].here ? 0 : refused, "row %zu, here", i);
        expect_status(stream, rows[i].here ? ACTIVE : INVALIDATED);
        end_with(rows[i].here ? 0 : ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
        begin(rows[i].capture);
        cr_expect_eq(copy_in_thread(rows[i].thread), rows[i].elsewhere ? 0 : refused,
                     "row %zu, in another thread", i);
        end_with(rows[i].elsewhere ? 0 : ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    }
}

Test(capture, every_call_that_acts_at_once_is_refused)
{
    begin(GLOBAL);
    expect_refused(aclrtMemset(block, 64, 1, 64), ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
                   "not allowed while");
    end_with(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    begin(GLOBAL);
    expect_refused(aclrtMemcpy2d(block, 8, pageable, 8, 8, 8, ACL_MEMCPY_HOST_TO_DEVICE),
                   ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, "not allowed while");
    end_with(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    begin(GLOBAL);
    cr_assert_eq(aclrtMemcpyAsync(block, 64, pageable, 64, ACL_MEMCPY_HOST_TO_DEVICE, other),
                 ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);
    end_with(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    begin(RELAXED);
    cr_assert_eq(aclrtMemcpyAsync(block, 64, pageable, 64, ACL_MEMCPY_HOST_TO_DEVICE, other), 0);
    expect_status(stream, ACTIVE);
    cr_assert_eq(aclrtMemcpyAsync(block, 64, pageable, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream),
                 ACL_ERROR_RT_PARAM_INVALID);
    end_with(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
}

static void *end_here(void *result)
{
    aclmdlRI graph;
    cr_assert_eq(aclrtSetDevice(0), 0);
    *(aclError *)result = aclmdlRICaptureEnd(stream, &graph);
    if (*(aclError *)result == 0) cr_assert_eq(aclmdlRIDestroy(graph), 0);
    return NULL;
}

Test(capture, another_thread_ends_a_relaxed_capture_only)
{
    pthread_t thread;
    aclError result;
    begin(GLOBAL);
    cr_assert_eq(pthread_create(&thread, NULL, end_here, &result), 0);
    pthread_join(thread, NULL);
    cr_assert_eq(result, ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD);
    end_with(ACL_ERROR_RT_STREAM_NOT_CAPTURED); /* it was given up */
    begin(RELAXED);
    cr_assert_eq(pthread_create(&thread, NULL, end_here, &result), 0);
    pthread_join(thread, NULL);
    cr_assert_eq(result, 0);
}

/* --- tasks that are not taken ------------------------------------------------------------------
 */

static void run_once(struct rt_task *task, struct rt_stream *queue)
{
    (void)task;
    (void)queue;
}

static bool is_never_ready(struct rt_task *task, struct rt_stream *queue)
{
    (void)task;
    (void)queue;
    return false;
}

Test(capture, a_task_that_cannot_run_again_invalidates)
{
    static const struct rt_task_kind once = {.name = "once", .run = run_once};
    static const struct rt_task_kind waits = {
        .name = "waits", .run = run_once, .rerun = run_once, .ready = is_never_ready};
    const struct rt_task tasks[] = {{.kind = &once}, {.kind = &waits}};
    for (int i = 0; i < 2; i++) {
        begin(GLOBAL);
        cr_assert_eq(rt_stream_submit(stream, &tasks[i], 0), ACL_ERROR_RT_STREAM_CAPTURED);
        cr_assert_not_null(strstr(aclGetRecentErrMsg(), "cannot be replayed"));
        expect_status(stream, INVALIDATED);
        end_with(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    }
}

Test(capture, a_group_takes_operators_of_one_stream)
{
    aclrtTaskGrp group;
    expect_refused(aclmdlRICaptureTaskGrpBegin(stream), ACL_ERROR_RT_STREAM_NOT_CAPTURED,
                   "is not being captured");
    begin(GLOBAL);
    expect_refused(aclmdlRICaptureTaskUpdateBegin(stream, block), ACL_ERROR_RT_STREAM_CAPTURED,
                   "being captured");
    cr_assert_eq(aclmdlRICaptureTaskGrpBegin(stream), 0);
    cr_assert_eq(aclrtMemsetAsync(block, 64, 1, 64, stream), ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT);
    cr_assert_eq(aclmdlRICaptureTaskGrpEnd(stream, &group), ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT);
    join();
    cr_assert_eq(aclmdlRICaptureTaskGrpBegin(stream), 0);
    cr_assert_eq(aclrtMemsetAsync(block, 64, 1, 64, other), ACL_ERROR_STREAM_TASK_GROUP_INTR);
    cr_assert_eq(aclmdlRICaptureTaskGrpEnd(stream, &group), ACL_ERROR_STREAM_TASK_GROUP_INTR);
    cr_assert_eq(aclmdlRICaptureTaskGrpBegin(stream), 0);
    end_with(ACL_ERROR_STREAM_TASK_GROUP_STATUS);
}

/* --- want of memory --------------------------------------------------------------------------- */

/* Each request fails once: the code is 207001, or the graph is whole. */
Test(capture, every_allocation_may_fail)
{
    int64_t requests = 1;
    for (int64_t n = 0; n <= requests; n++) {
        aclmdlRI graph = NULL;
        rt_alloc_fail_at(n);
        aclError status = aclmdlRICaptureBegin(stream, GLOBAL);
        for (int i = 0; i < 40 && status == 0; i++)
            status = aclrtMemsetAsync(block, 64, i, 64, stream);
        if (status == 0) status = aclrtRecordEvent(event, stream);
        if (status == 0) status = aclrtStreamWaitEvent(other, event);
        if (status == 0) status = aclrtMemsetAsync(block, 32, 7, 32, other);
        if (status == 0) status = aclrtMemsetAsync(block + 32, 32, 9, 32, stream);
        if (status == 0) status = aclrtRecordEvent(back, other);
        if (status == 0) status = aclrtStreamWaitEvent(stream, back);
        aclError ended = aclmdlRICaptureEnd(stream, &graph);
        if (n == 0) requests = rt_alloc_fail_at(0);
        rt_alloc_fail_at(0);
        if (ended != 0) {
            cr_expect(status == ACL_ERROR_RT_MEMORY_ALLOCATION ||
                          ended == ACL_ERROR_RT_MEMORY_ALLOCATION,
                      "request %d: %d, then %d", (int)n, status, ended);
            continue;
        }
        cr_assert_eq(aclmdlRIExecuteAsync(graph, stream), 0);
        cr_assert_eq(aclrtSynchronizeStream(stream), 0);
        cr_expect_eq(block[0], 7);
        cr_expect_eq(block[63], 9);
        cr_assert_eq(aclmdlRIDestroy(graph), 0);
    }
    cr_assert(requests > 5);
}
