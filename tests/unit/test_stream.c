/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "acl/acl.h"
#include "runtime/device/device.h"
#include "runtime/schedule/queue.h"
#include "runtime/schedule/stream.h"
#include "runtime/schedule/worker.h"
#include "runtime/support/alloc.h"
#include "tests/unit/gate.h"
#include "tests/unit/refusal.h"
#include "tests/unit/stream_tasks.h"

static void nap_task(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    nap((long)task->word[0].number);
    atomic_fetch_add(&ran, 1);
}

static struct gate barrier;

static const struct rt_task_kind nap_kind = {.name = "nap", .run = nap_task};

static void fail_task(struct rt_task *task, struct rt_stream *stream)
{
    rt_stream_fail(stream, (aclError)task->word[0].number, "element %d is out of range",
                   (int)task->word[1].number);
}

static const struct rt_task_kind fail_kind = {.name = "fail", .run = fail_task};

static void submit_nap(struct rt_stream *stream, uint64_t ms)
{
    struct rt_task task = {.kind = &nap_kind, .word[0].number = ms};
    cr_assert_eq(rt_stream_submit(stream, &task, RT_SUBMIT_LARGE), ACL_SUCCESS);
}

static void submit_failure(struct rt_stream *stream, aclError code, int element)
{
    struct rt_task task = {.kind = &fail_kind,
                           .word = {{.number = (uint64_t)code}, {.number = (uint64_t)element}}};
    cr_assert_eq(rt_stream_submit(stream, &task, 0), ACL_SUCCESS);
}

/* --- order and completion -------------------------------------------------------------------- */

static int next_expected; /* touched by tasks of one stream only, so it needs no atomic */

static void check_order(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    cr_assert_eq(next_expected, (int)task->word[0].number);
    next_expected++;
}

static const struct rt_task_kind order_kind = {.name = "order", .run = check_order};

Test(stream, tasks_run_in_order, .timeout = 600)
{
    aclrtStream handle;
    struct rt_stream *stream = open_stream(&handle);
    struct rt_task task = {.kind = &order_kind};
    for (int i = 0; i < 30000; i++) {
        task.word[0].number = (uint64_t)i;
        cr_assert_eq(rt_stream_submit(stream, &task, i % 3 == 0 ? RT_SUBMIT_LARGE : 0),
                     ACL_SUCCESS);
        if (i % 997 == 0) cr_assert_eq(aclrtSynchronizeStream(handle), ACL_SUCCESS);
    }
    cr_expect_eq(aclrtSynchronizeStream(handle), ACL_SUCCESS);
    cr_expect_eq(next_expected, 30000);
    cr_expect_eq(aclrtDestroyStream(handle), ACL_SUCCESS);
}

Test(stream, small_tasks_run_although_nobody_waits, .timeout = 600)
{
    aclrtStream handle;
    struct rt_stream *stream = open_stream(&handle);
    for (int i = 1; i <= 20; i++) {
        submit_times(stream, 1, 0);
        while (ran < i)
            nap(1);
        if (i % 4 == 0) nap(10); /* long enough for the workers to fall asleep */
    }
}

Test(stream, query_does_not_wait, .timeout = 600)
{
    aclrtStream handle;
    aclrtStreamStatus status;
    struct rt_stream *stream = open_stream(&handle);
    cr_expect_eq(aclrtStreamQuery(handle, &status), ACL_SUCCESS);
    cr_expect_eq(status, ACL_STREAM_STATUS_COMPLETE);
    gate_close(&barrier, stream);
    submit_times(stream, 1, 0);
    cr_expect_eq(aclrtStreamQuery(handle, &status), ACL_SUCCESS);
    cr_expect_eq(status, ACL_STREAM_STATUS_NOT_READY);
    gate_open(&barrier);
    while (status != ACL_STREAM_STATUS_COMPLETE)
        cr_assert_eq(aclrtStreamQuery(handle, &status), ACL_SUCCESS);
    cr_expect_eq(ran, 1);
}

Test(stream, default_stream_is_null, .timeout = 600)
{
    struct rt_stream *stream, *same;
    aclrtStream handle;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(rt_stream_resolve(__func__, NULL, &stream), ACL_SUCCESS);
    cr_assert_eq(aclrtCtxGetCurrentDefaultStream(&handle), ACL_SUCCESS);
    cr_assert_eq(rt_stream_resolve(__func__, handle, &same), ACL_SUCCESS);
    cr_expect_eq(stream, same);
    submit_times(stream, 5, 0);
    cr_expect_eq(aclrtSynchronizeStream(NULL), ACL_SUCCESS);
    cr_expect_eq(ran, 5);
    expect_refused(aclrtDestroyStream(handle), ACL_ERROR_INVALID_PARAM, "default stream");
}

Test(stream, launch_blocking_runs_before_submit_returns, .timeout = 600)
{
    aclrtStream handle;
    setenv("ASCEND_LAUNCH_BLOCKING", "1", 1);
    struct rt_stream *stream = open_stream(&handle);
    for (int i = 1; i <= 100; i++) {
        submit_times(stream, 1, i % 2 ? RT_SUBMIT_LARGE : 0);
        cr_assert_eq(ran, i);
    }
}

static void *drain_too(void *argument)
{
    rt_stream_drain(argument);
    return NULL;
}

Test(stream, several_threads_may_wait, .timeout = 600)
{
    aclrtStream handle;
    pthread_t threads[8];
    struct rt_stream *stream = open_stream(&handle);
    for (int round = 0; round < 20; round++) {
        submit_nap(stream, 2);
        submit_times(stream, 100, 0);
        for (int i = 0; i < 8; i++)
            cr_assert_eq(pthread_create(&threads[i], NULL, drain_too, stream), 0);
        for (int i = 0; i < 8; i++)
            pthread_join(threads[i], NULL);
        cr_assert_eq(ran, 101 * (round + 1));
    }
}

/* Ends when as many tasks as word[0] are inside at once. */
static void meet(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    atomic_fetch_add(&ran, 1);
    while ((uint64_t)ran < task->word[0].number)
        nap(1);
}

static const struct rt_task_kind meet_kind = {.name = "meet", .run = meet};

Test(stream, streams_overlap, .timeout = 600)
{
    aclrtStream handles[2];
    setenv("ACLNN_CPU_THREADS", "2", 1);
    for (int i = 0; i < 2; i++) {
        struct rt_stream *stream = open_stream(&handles[i]);
        struct rt_task task = {.kind = &meet_kind, .word[0].number = 2};
        cr_assert_eq(rt_stream_submit(stream, &task, RT_SUBMIT_LARGE), ACL_SUCCESS);
    }
    cr_expect_eq(aclrtSynchronizeDevice(), ACL_SUCCESS);
}

static bool is_running(struct rt_stream *stream)
{
    rt_lock_take(&stream->lock);
    bool is_running = stream->state == RT_STREAM_RUNNING;
    rt_lock_give(&stream->lock);
    return is_running;
}

/* No worker comes for a stream that somebody else has run: it would find nothing and take a CPU
 * away from those who compute. */
Test(stream, who_waits_takes_a_stream_off_the_ready_list, .timeout = 600)
{
    enum { WORKERS = 2, STREAMS = 4 };
    static const int order[STREAMS] = {1, 3, 0, 2};
    static struct gate gates[WORKERS];
    aclrtStream handles[STREAMS], busy;
    setenv("ACLNN_CPU_THREADS", "2", 1);
    for (int i = 0; i < WORKERS; i++) {
        struct rt_stream *stream = open_stream(&busy);
        gate_close(&gates[i], stream);
        while (!is_running(stream))
            nap(1);
    }
    for (int i = 0; i < STREAMS; i++)
        submit_times(open_stream(&handles[i]), 1, RT_SUBMIT_LARGE);
    for (int i = 0; i < STREAMS; i++) {
        cr_expect(rt_worker_has_ready());
        cr_expect_eq(aclrtSynchronizeStream(handles[order[i]]), ACL_SUCCESS);
        cr_expect_eq(ran, i + 1);
    }
    cr_expect_not(rt_worker_has_ready());
    submit_times(open_stream(&handles[0]), 1, RT_SUBMIT_LARGE);
    for (int i = 0; i < WORKERS; i++)
        gate_open(&gates[i]);
    cr_expect_eq(aclrtSynchronizeDevice(), ACL_SUCCESS);
    cr_expect_eq(ran, STREAMS + 1);
}

static void *await_first(void *stream)
{
    rt_queue_await(stream, 1);
    return NULL;
}

Test(stream, waiting_does_not_run_later_tasks, .timeout = 600)
{
    aclrtStream handle;
    struct rt_stream *stream = open_stream(&handle);
    pthread_t thread;
    static struct gate first, later;
    gate_close(&first, stream);
    gate_close(&later, stream);
    cr_assert_eq(pthread_create(&thread, NULL, await_first, stream), 0);
    nap(10); /* so that it mostly waits already */
    gate_open(&first);
    pthread_join(thread, NULL);
    gate_open(&later);
    cr_expect_eq(aclrtSynchronizeStream(handle), ACL_SUCCESS);
}

/* --- time limits ------------------------------------------------------------------------------ */

Test(stream, synchronise_gives_up_in_time, .timeout = 600)
{
    aclrtStream handle;
    struct rt_stream *stream = open_stream(&handle);
    expect_refused(aclrtSynchronizeStreamWithTimeout(handle, 0), ACL_ERROR_RT_PARAM_INVALID,
                   "timeout is 0");
    expect_refused(aclrtSynchronizeStreamWithTimeout(handle, -2), ACL_ERROR_RT_PARAM_INVALID,
                   "timeout is -2");
    cr_expect_eq(aclrtSynchronizeStreamWithTimeout(handle, 1), ACL_SUCCESS);
    gate_close(&barrier, stream);
    submit_times(stream, 1, 0);
    expect_refused(aclrtSynchronizeStreamWithTimeout(handle, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                   "20 ms");
    cr_expect_eq(ran, 0);
    gate_open(&barrier);
    cr_expect_eq(aclrtSynchronizeStreamWithTimeout(handle, 600000), ACL_SUCCESS);
    cr_expect_eq(ran, 1);
    submit_times(stream, 3, 0);
    cr_expect_eq(aclrtSynchronizeStreamWithTimeout(handle, -1), ACL_SUCCESS);
    submit_times(stream, 3, 0);
    cr_expect_eq(aclrtSynchronizeStreamWithTimeout(handle, 600000), ACL_SUCCESS);
    cr_expect_eq(ran, 7);
}

/* --- asynchronous errors ---------------------------------------------------------------------- */

Test(stream, first_error_is_kept_until_synchronise, .timeout = 600)
{
    aclrtStream handle;
    struct rt_stream *stream = open_stream(&handle);
    submit_failure(stream, ACL_ERROR_RT_AICORE_EXCEPTION, 17);
    submit_failure(stream, ACL_ERROR_RT_AICORE_TIMEOUT, 18);
    submit_times(stream, 2, 0);
    rt_stream_drain(stream);
    expect_refused(aclrtSynchronizeStream(handle), ACL_ERROR_RT_AICORE_EXCEPTION,
                   "element 17 is out of range");
    cr_expect_eq(ran, 2, "the rest runs by default");
    cr_expect_eq(aclrtSynchronizeStream(handle), ACL_SUCCESS, "and is told once");
    submit_failure(stream, ACL_ERROR_RT_AICORE_TIMEOUT, 19);
    expect_refused(aclrtSynchronizeStreamWithTimeout(handle, 600000), ACL_ERROR_RT_AICORE_TIMEOUT,
                   "element 19");
    submit_failure(stream, ACL_ERROR_RT_AICORE_TIMEOUT, 20);
    expect_refused(aclrtSynchronizeDevice(), ACL_ERROR_RT_AICORE_TIMEOUT, "element 20");
}

Test(stream, stop_on_failure, .timeout = 600)
{
    aclrtStream handle, other_handle;
    struct rt_stream *stream = open_stream(&handle);
    struct rt_stream *other = open_stream(&other_handle);
    expect_refused(aclrtSetStreamFailureMode(handle, 2), ACL_ERROR_INVALID_PARAM, "mode is 2");
    cr_expect_eq(aclrtSetStreamFailureMode(handle, ACL_CONTINUE_ON_FAILURE), ACL_SUCCESS);
    cr_expect_eq(aclrtSetStreamFailureMode(handle, ACL_STOP_ON_FAILURE), ACL_SUCCESS);
    expect_refused(aclrtSetStreamFailureMode(handle, ACL_CONTINUE_ON_FAILURE),
                   ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "cannot be taken back");
    submit_times(stream, 1, 0);
    submit_failure(stream, ACL_ERROR_RT_AICORE_EXCEPTION, 3);
    submit_times(stream, 5, 0);
    expect_refused(aclrtSynchronizeStream(handle), ACL_ERROR_RT_AICORE_EXCEPTION, "element 3");
    cr_expect_eq(ran, 1);
    cr_expect_eq(dropped, 5);
    cr_expect_eq(rt_stream_submit(stream, &count_task, 0), ACL_ERROR_RT_AICORE_EXCEPTION);
    cr_expect_eq(rt_stream_submit(other, &count_task, 0), ACL_ERROR_RT_AICORE_EXCEPTION);
    expect_refused(aclrtSynchronizeStream(other_handle), ACL_ERROR_RT_AICORE_EXCEPTION,
                   "element 3");
    cr_assert_eq(aclrtCreateStream(&other_handle), ACL_SUCCESS);
    cr_assert_eq(rt_stream_resolve(__func__, other_handle, &other), ACL_SUCCESS);
    cr_expect_eq(rt_stream_submit(other, &count_task, 0), ACL_ERROR_RT_AICORE_EXCEPTION);
    cr_expect_eq(aclrtResetDevice(0), ACL_SUCCESS);
    cr_expect_eq(aclrtResetDevice(0), ACL_SUCCESS);
    submit_times(open_stream(&handle), 1, 0); /* a new context starts afresh */
    cr_expect_eq(aclrtSynchronizeStream(handle), ACL_SUCCESS);
    cr_expect_eq(ran, 2);
}

static aclError inner_status[3];

static void wait_inside(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    aclrtSetDevice(0);
    inner_status[0] = aclrtSynchronizeStream(task->word[0].pointer);
    inner_status[1] = aclrtSynchronizeStreamWithTimeout(task->word[0].pointer, 10);
    inner_status[2] = aclrtSynchronizeDevice();
}

static const struct rt_task_kind wait_inside_kind = {.name = "wait", .run = wait_inside};

Test(stream, a_task_must_not_wait, .timeout = 600)
{
    aclrtStream handle;
    struct rt_stream *stream = open_stream(&handle);
    struct rt_task task = {.kind = &wait_inside_kind, .word[0].pointer = handle};
    cr_assert_eq(rt_stream_submit(stream, &task, 0), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(handle), ACL_SUCCESS);
    for (int i = 0; i < 3; i++)
        cr_expect_eq(inner_status[i], ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

/* --- handles ---------------------------------------------------------------------------------- */

Test(stream, destroy_waits_and_stale_handles_are_refused, .timeout = 600)
{
    aclrtStream handle;
    aclrtStreamStatus status;
    int32_t id;
    struct rt_stream *stream = open_stream(&handle);
    submit_nap(stream, 20);
    submit_times(stream, 100, 0);
    cr_expect_eq(aclrtDestroyStream(handle), ACL_SUCCESS);
    cr_expect_eq(ran, 101);
    expect_refused(aclrtDestroyStream(handle), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
    expect_refused(aclrtSynchronizeStream(handle), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
    expect_refused(aclrtStreamQuery(handle, &status), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
    expect_refused(aclrtStreamGetId(handle, &id), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
    expect_refused(aclrtDestroyStreamForce(handle), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
    expect_refused(aclrtSynchronizeStream(&id), ACL_ERROR_RT_INVALID_HANDLE, "not a stream");
}

Test(stream, force_drops_what_has_not_begun, .timeout = 600)
{
    aclrtStream handle;
    aclrtEvent never;
    struct rt_stream *stream = open_stream(&handle);
    cr_assert_eq(aclrtCreateEvent(&never), ACL_SUCCESS);
    submit_times(stream, 3, 0);
    cr_assert_eq(aclrtStreamWaitEvent(handle, never), ACL_SUCCESS);
    submit_times(stream, 50, 0);
    while (ran < 3)
        nap(1);
    nap(5);
    cr_expect_eq(aclrtDestroyStreamForce(handle), ACL_SUCCESS);
    cr_expect_eq(ran, 3);
    cr_expect_eq(dropped, 50);
    cr_expect_eq(aclrtDestroyEvent(never), ACL_SUCCESS);
    rt_runtime_shutdown();
}

/* Says that it looks, and is in no hurry to find that the task must wait, for ever. */
static atomic_bool looks;

static bool hesitates(struct rt_task *task, struct rt_stream *stream)
{
    (void)task;
    (void)stream;
    atomic_store(&looks, true);
    nap(50);
    return false;
}

static const struct rt_task_kind hesitating_kind = {
    .name = "hesitate", .run = count, .drop = count_drop, .ready = hesitates};
static const struct rt_task hesitating_task = {.kind = &hesitating_kind};

/* A worker that was about to park the stream when it was destroyed once parked it all the same, and
 * destroying slept for ever unless it came by within two milliseconds. */
Test(stream, force_drops_a_wait_that_is_about_to_park, .timeout = 600)
{
    aclrtStream handle;
    struct rt_stream *stream = open_stream(&handle);
    cr_assert_eq(rt_stream_submit(stream, &hesitating_task, RT_SUBMIT_LARGE), ACL_SUCCESS);
    cr_assert_eq(rt_stream_submit(stream, &count_task, 0), ACL_SUCCESS);
    while (!atomic_load(&looks))
        nap(1);
    cr_expect_eq(aclrtDestroyStreamForce(handle), ACL_SUCCESS);
    cr_expect_eq(dropped, 2);
    cr_expect_eq(ran, 0);
}

Test(stream, null_and_range_misuse)
{
    aclrtStream handle;
    uint32_t value;
    struct rt_stream *stream = open_stream(&handle);
    (void)stream;
    expect_refused(aclrtCreateStream(NULL), ACL_ERROR_INVALID_PARAM, "stream is NULL");
    expect_refused(aclrtCreateStreamWithConfig(NULL, 0, 0), ACL_ERROR_INVALID_PARAM,
                   "stream is NULL");
    expect_refused(aclrtDestroyStream(NULL), ACL_ERROR_INVALID_PARAM, "stream is NULL");
    expect_refused(aclrtDestroyStreamForce(NULL), ACL_ERROR_INVALID_PARAM, "stream is NULL");
    expect_refused(aclrtStreamQuery(handle, NULL), ACL_ERROR_INVALID_PARAM, "status is NULL");
    expect_refused(aclrtStreamGetId(handle, NULL), ACL_ERROR_INVALID_PARAM, "streamId is NULL");
    expect_refused(aclrtStreamGetPriority(handle, NULL), ACL_ERROR_INVALID_PARAM, "NULL");
    expect_refused(aclrtStreamGetFlags(handle, NULL), ACL_ERROR_INVALID_PARAM, "NULL");
    expect_refused(aclrtGetStreamOverflowSwitch(handle, NULL), ACL_ERROR_INVALID_PARAM, "NULL");
    expect_refused(aclrtSetStreamOverflowSwitch(handle, 2), ACL_ERROR_INVALID_PARAM, "flag is 2");
    cr_expect_eq(aclrtSetStreamOverflowSwitch(handle, 1), ACL_SUCCESS);
    cr_expect_eq(aclrtGetStreamOverflowSwitch(handle, &value), ACL_SUCCESS);
    cr_expect_eq(value, 1);
}

Test(stream, properties)
{
    aclrtStream handle, other;
    uint32_t value;
    int32_t id, other_id, least, greatest;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(
        aclrtCreateStreamWithConfig(&handle, 3, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC),
        ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStreamWithConfig(&other, 99, 0), ACL_SUCCESS);
    cr_expect_eq(aclrtStreamGetPriority(handle, &value), ACL_SUCCESS);
    cr_expect_eq(value, 3);
    cr_expect_eq(aclrtStreamGetPriority(other, &value), ACL_SUCCESS);
    cr_expect_eq(value, 7);
    cr_expect_eq(aclrtStreamGetFlags(handle, &value), ACL_SUCCESS);
    cr_expect_eq(value, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC);
    cr_expect_eq(aclrtStreamGetId(handle, &id), ACL_SUCCESS);
    cr_expect_eq(aclrtStreamGetId(other, &other_id), ACL_SUCCESS);
    cr_expect_neq(id, other_id);
    cr_expect_eq(aclrtStreamGetId(NULL, &id), ACL_SUCCESS);
    cr_expect_eq(aclrtDeviceGetStreamPriorityRange(&least, &greatest), ACL_SUCCESS);
    cr_expect_eq(least, 7);
    cr_expect_eq(greatest, 0);
    cr_expect_eq(aclrtDeviceGetStreamPriorityRange(NULL, NULL), ACL_SUCCESS);
}

Test(stream, configuration_handle)
{
    aclrtStream handle;
    uint32_t value = 5;
    size_t flag = ACL_STREAM_FAST_LAUNCH, size = 64;
    void *work = &value;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    aclrtStreamConfigHandle *config = aclrtCreateStreamConfigHandle();
    cr_assert_not_null(config);
    cr_expect_eq(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &value, sizeof(value)),
                 ACL_SUCCESS);
    cr_expect_eq(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, &flag, sizeof(flag)),
                 ACL_SUCCESS);
    cr_expect_eq(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_WORK_SIZE, &size, sizeof(size)),
                 ACL_SUCCESS);
    cr_expect_eq(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_WORK_ADDR_PTR, &work, sizeof(work)),
                 ACL_SUCCESS);
    cr_expect_eq(config->workSize, 64);
    cr_expect_eq(config->workptr, &value);
    expect_refused(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &value, 8),
                   ACL_ERROR_INVALID_PARAM, "valueSize is 8");
    expect_refused(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, NULL, 4),
                   ACL_ERROR_INVALID_PARAM, "attrValue is NULL");
    expect_refused(aclrtSetStreamConfigOpt(config, (aclrtStreamConfigAttr)4, &value, 4),
                   ACL_ERROR_INVALID_PARAM, "attr is 4");
    expect_refused(aclrtSetStreamConfigOpt(NULL, ACL_RT_STREAM_PRIORITY, &value, 4),
                   ACL_ERROR_INVALID_PARAM, "handle is NULL");
    cr_assert_eq(aclrtCreateStreamV2(&handle, config), ACL_SUCCESS);
    expect_refused(aclrtCreateStreamV2(&handle, NULL), ACL_ERROR_INVALID_PARAM, "handle is NULL");
    expect_refused(aclrtCreateStreamV2(NULL, config), ACL_ERROR_INVALID_PARAM, "stream is NULL");
    cr_expect_eq(aclrtDestroyStreamConfigHandle(config), ACL_SUCCESS);
    expect_refused(aclrtDestroyStreamConfigHandle(NULL), ACL_ERROR_INVALID_PARAM, "handle is NULL");
    cr_expect_eq(aclrtStreamGetPriority(handle, &value), ACL_SUCCESS);
    cr_expect_eq(value, 5);
}

Test(stream, persistent_streams_are_not_waited_for, .timeout = 600)
{
    aclrtStream handle;
    aclrtEvent never;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStreamWithConfig(&handle, 0, ACL_STREAM_PERSISTENT), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateEvent(&never), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(handle, never), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(handle), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStreamWithTimeout(handle, 600000), ACL_SUCCESS);
}

Test(stream, last_task_of_a_thread)
{
    aclrtStream handle;
    uint32_t task = 99;
    struct rt_stream *stream = open_stream(&handle);
    cr_expect_eq(aclrtGetThreadLastTaskId(&task), ACL_SUCCESS);
    cr_expect_eq(task, 0);
    submit_times(stream, 3, 0);
    cr_expect_eq(aclrtGetThreadLastTaskId(&task), ACL_SUCCESS);
    cr_expect_eq(task, 3);
    expect_refused(aclrtGetThreadLastTaskId(NULL), ACL_ERROR_INVALID_PARAM, "taskId is NULL");
}

/* --- memory ----------------------------------------------------------------------------------- */

Test(stream, warm_streams_allocate_nothing, .timeout = 600)
{
    aclrtStream handle;
    aclrtEvent gate; /* holds the tasks back, so that the queue grows to its full length */
    struct rt_stream *stream = open_stream(&handle);
    cr_assert_eq(aclrtCreateEvent(&gate), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(handle, gate), ACL_SUCCESS);
    submit_times(stream, 200, 0);
    cr_assert_eq(aclrtRecordEvent(gate, NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(handle), ACL_SUCCESS);
    rt_alloc_fail_at(0);
    for (int round = 0; round < 100; round++) {
        submit_times(stream, 100, 0);
        cr_assert_eq(aclrtSynchronizeStream(handle), ACL_SUCCESS);
    }
    cr_expect_eq(rt_alloc_fail_at(0), 0);
}

Test(stream, want_of_memory_is_reported, .timeout = 600)
{
    aclrtStream handle;
    struct rt_stream *stream = open_stream(&handle);
    aclrtStream other = NULL;
    rt_alloc_fail_at(1);
    cr_expect_eq(rt_stream_submit(stream, &count_task, 0), ACL_ERROR_RT_MEMORY_ALLOCATION);
    cr_expect_eq(rt_stream_submit(stream, &count_task, 0), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(handle), ACL_SUCCESS);
    cr_expect_eq(ran, 1, "the refused task is not queued");
    rt_alloc_fail_at(1);
    expect_refused(aclrtCreateStream(&other), ACL_ERROR_RT_MEMORY_ALLOCATION, "no host memory");
    cr_expect_null(other);
}

Test(stream, ten_thousand_with_an_event_each, .timeout = 600)
{
    enum { STREAMS = 10000 };
    static aclrtStream handles[STREAMS];
    static aclrtEvent events[STREAMS];
    struct rusage before, after;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    getrusage(RUSAGE_SELF, &before);
    for (int i = 0; i < STREAMS; i++) {
        struct rt_stream *stream = open_stream(&handles[i]);
        cr_assert_eq(aclrtCreateEventWithFlag(&events[i], ACL_EVENT_SYNC), ACL_SUCCESS);
        if (i > 0) cr_assert_eq(aclrtStreamWaitEvent(handles[i], events[i - 1]), ACL_SUCCESS);
        submit_times(stream, 1, 0);
        cr_assert_eq(aclrtRecordEvent(events[i], handles[i]), ACL_SUCCESS);
    }
    cr_expect_eq(aclrtSynchronizeStream(handles[STREAMS - 1]), ACL_SUCCESS);
    cr_expect_eq(ran, STREAMS);
    getrusage(RUSAGE_SELF, &after);
#ifndef __SANITIZE_THREAD__ /* which multiplies memory */
    cr_expect_lt(after.ru_maxrss - before.ru_maxrss, 16 * STREAMS, "more than 16 KiB a stream");
#else
    (void)before;
    (void)after;
#endif
    rt_runtime_shutdown();
}
