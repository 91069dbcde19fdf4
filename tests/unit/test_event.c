/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "acl/acl.h"
#include "runtime/device/device.h"
#include "runtime/schedule/queue.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/alloc.h"
#include "runtime/support/futex.h"
#include "tests/unit/gate.h"
#include "tests/unit/refusal.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* aclrtQueryEvent */

static atomic_int ran;

static void count(struct rt_task *task, struct rt_stream *stream)
{
    (void)task;
    (void)stream;
    atomic_fetch_add(&ran, 1);
}

static const struct rt_task_kind count_kind = {.name = "count", .run = count};
static const struct rt_task count_task = {.kind = &count_kind};

static void nap(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void nap_task(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    nap((long)task->word[0].number);
}

static struct gate barrier;

static const struct rt_task_kind nap_kind = {.name = "nap", .run = nap_task};

struct lane {
    aclrtStream handle;
    struct rt_stream *stream;
};

static struct lane open_lane(void)
{
    struct lane lane;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&lane.handle), ACL_SUCCESS);
    cr_assert_eq(rt_stream_resolve(__func__, lane.handle, &lane.stream), ACL_SUCCESS);
    return lane;
}

static void submit_count(struct lane lane)
{
    cr_assert_eq(rt_stream_submit(lane.stream, &count_task, 0), ACL_SUCCESS);
}

static void submit_nap(struct lane lane, uint64_t ms)
{
    struct rt_task task = {.kind = &nap_kind, .word[0].number = ms};
    cr_assert_eq(rt_stream_submit(lane.stream, &task, RT_SUBMIT_LARGE), ACL_SUCCESS);
}

static aclrtEventRecordedStatus recorded_status(aclrtEvent event)
{
    aclrtEventRecordedStatus status = (aclrtEventRecordedStatus)-1;
    cr_assert_eq(aclrtQueryEventStatus(event, &status), ACL_SUCCESS);
    return status;
}

static aclrtEventStatus old_status(aclrtEvent event)
{
    aclrtEventStatus status = ACL_EVENT_STATUS_RESERVED;
    cr_assert_eq(aclrtQueryEvent(event, &status), ACL_SUCCESS);
    return status;
}

static aclrtEventWaitStatus wait_status(aclrtEvent event)
{
    aclrtEventWaitStatus status = ACL_EVENT_WAIT_STATUS_RESERVED;
    cr_assert_eq(aclrtQueryEventWaitStatus(event, &status), ACL_SUCCESS);
    return status;
}

/* --- ordering --------------------------------------------------------------------------------- */

Test(event, a_wait_holds_the_stream_back, .timeout = 600)
{
    struct lane first = open_lane(), second = open_lane();
    aclrtEvent event;
    cr_assert_eq(aclrtCreateEvent(&event), ACL_SUCCESS);
    gate_close(&barrier, first.stream);
    cr_assert_eq(aclrtRecordEvent(event, first.handle), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(second.handle, event), ACL_SUCCESS);
    submit_count(second);
    nap(5);
    cr_expect_eq(ran, 0);
    cr_expect_eq(recorded_status(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
    cr_expect_eq(old_status(event), ACL_EVENT_STATUS_NOT_READY);
    cr_expect_eq(wait_status(event), ACL_EVENT_WAIT_STATUS_NOT_READY);
    gate_open(&barrier);
    cr_expect_eq(aclrtSynchronizeStream(second.handle), ACL_SUCCESS);
    cr_expect_eq(ran, 1);
    cr_expect_eq(recorded_status(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
    cr_expect_eq(old_status(event), ACL_EVENT_STATUS_COMPLETE);
    cr_expect_eq(wait_status(event), ACL_EVENT_WAIT_STATUS_COMPLETE);
}

Test(event, a_plain_wait_before_the_record_waits_for_it, .timeout = 600)
{
    struct lane first = open_lane(), second = open_lane(), third = open_lane();
    aclrtEvent event;
    cr_assert_eq(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(second.handle, event), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(third.handle, event), ACL_SUCCESS);
    submit_count(second);
    submit_count(third);
    nap(10);
    cr_expect_eq(ran, 0);
    cr_assert_eq(aclrtRecordEvent(event, first.handle), ACL_SUCCESS);
    while (ran < 2) /* although nobody synchronises */
        nap(1);
}

Test(event, an_ex_wait_before_any_record_does_not_wait, .timeout = 600)
{
    struct lane lane = open_lane();
    aclrtEvent event;
    cr_assert_eq(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC), ACL_SUCCESS);
    cr_expect_eq(recorded_status(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
    cr_assert_eq(aclrtStreamWaitEvent(lane.handle, event), ACL_SUCCESS);
    submit_count(lane);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    cr_expect_eq(ran, 1);
}

Test(event, an_ex_wait_keeps_its_record_when_the_event_is_recorded_again, .timeout = 600)
{
    struct lane quick = open_lane(), slow = open_lane(), waiting = open_lane();
    aclrtEvent event, gate;
    cr_assert_eq(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateEvent(&gate), ACL_SUCCESS);
    submit_nap(quick, 5);
    cr_assert_eq(aclrtRecordEvent(event, quick.handle), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(waiting.handle, event), ACL_SUCCESS);
    submit_count(waiting);
    cr_assert_eq(aclrtStreamWaitEvent(slow.handle, gate), ACL_SUCCESS);
    cr_assert_eq(aclrtRecordEvent(event, slow.handle), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(waiting.handle), ACL_SUCCESS);
    cr_expect_eq(ran, 1);
    cr_expect_eq(recorded_status(event), ACL_EVENT_RECORDED_STATUS_NOT_READY,
                 "the event shows the later record");
    cr_assert_eq(aclrtRecordEvent(gate, quick.handle), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeEvent(event), ACL_SUCCESS);
    cr_expect_eq(recorded_status(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
}

/* The later record is quick, the earlier one slow: a wait for the earlier must not pass early. */
Test(event, records_may_complete_out_of_order, .timeout = 600)
{
    struct lane quick = open_lane(), slow = open_lane(), waiting = open_lane();
    aclrtEvent event;
    cr_assert_eq(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC), ACL_SUCCESS);
    gate_close(&barrier, slow.stream);
    submit_count(slow);
    cr_assert_eq(aclrtRecordEvent(event, slow.handle), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(waiting.handle, event), ACL_SUCCESS);
    cr_assert_eq(aclrtRecordEvent(event, quick.handle), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeEvent(event), ACL_SUCCESS);
    cr_expect_eq(ran, 0);
    gate_open(&barrier);
    cr_expect_eq(aclrtSynchronizeStream(waiting.handle), ACL_SUCCESS);
    cr_expect_eq(ran, 1);
}

Test(event, waiting_in_its_own_stream_is_free, .timeout = 600)
{
    struct lane lane = open_lane();
    aclrtEvent event;
    cr_assert_eq(aclrtCreateEvent(&event), ACL_SUCCESS);
    cr_assert_eq(aclrtRecordEvent(event, lane.handle), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(lane.handle, event), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
}

Test(event, long_chains_finish_with_one_thread, .timeout = 600)
{
    enum { LANES = 200 };
    static struct lane lanes[LANES];
    static aclrtEvent events[LANES];
    setenv("ACLNN_CPU_THREADS", "1", 1);
    for (int i = 0; i < LANES; i++) {
        lanes[i] = open_lane();
        cr_assert_eq(aclrtCreateEvent(&events[i]), ACL_SUCCESS);
    }
    for (int i = LANES; i-- > 0;) { /* the last first: every wait comes before its record */
        if (i > 0) cr_assert_eq(aclrtStreamWaitEvent(lanes[i].handle, events[i - 1]), ACL_SUCCESS);
        submit_count(lanes[i]);
        cr_assert_eq(aclrtRecordEvent(events[i], lanes[i].handle), ACL_SUCCESS);
    }
    cr_expect_eq(aclrtSynchronizeEvent(events[LANES - 1]), ACL_SUCCESS);
    cr_expect_eq(ran, LANES);
}

/* --- reset ------------------------------------------------------------------------------------ */

Test(event, after_a_reset_a_wait_means_the_next_record, .timeout = 600)
{
    struct lane first = open_lane(), second = open_lane();
    aclrtEvent event;
    cr_assert_eq(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC), ACL_SUCCESS);
    for (int round = 0; round < 3; round++) {
        cr_assert_eq(aclrtRecordEvent(event, first.handle), ACL_SUCCESS);
        cr_assert_eq(aclrtStreamWaitEvent(second.handle, event), ACL_SUCCESS);
        cr_assert_eq(aclrtResetEvent(event, second.handle), ACL_SUCCESS);
        cr_expect_eq(aclrtSynchronizeStream(second.handle), ACL_SUCCESS);
        cr_expect_eq(recorded_status(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
    }
    cr_assert_eq(aclrtStreamWaitEvent(second.handle, event), ACL_SUCCESS);
    submit_count(second);
    nap(10);
    cr_expect_eq(ran, 0);
    cr_assert_eq(aclrtResetEvent(event, second.handle), ACL_SUCCESS); /* disturbs no wait */
    cr_assert_eq(aclrtRecordEvent(event, first.handle), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(second.handle), ACL_SUCCESS);
    cr_expect_eq(ran, 1);
}

Test(event, resetting_an_event_for_times_changes_nothing, .timeout = 600)
{
    struct lane lane = open_lane();
    aclrtEvent events[2];
    float ms = -1;
    cr_assert_eq(aclrtCreateEventWithFlag(&events[0], ACL_EVENT_TIME_LINE), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateEvent(&events[1]), ACL_SUCCESS);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(aclrtResetEvent(events[i], lane.handle), ACL_SUCCESS);
        cr_assert_eq(aclrtRecordEvent(events[i], lane.handle), ACL_SUCCESS);
        cr_assert_eq(aclrtResetEvent(events[i], lane.handle), ACL_SUCCESS);
    }
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    cr_expect_eq(aclrtEventElapsedTime(&ms, events[0], events[1]), ACL_SUCCESS);
    cr_expect_geq(ms, 0);
}

/* --- host waits ------------------------------------------------------------------------------- */

Test(event, synchronise, .timeout = 600)
{
    struct lane lane = open_lane();
    aclrtEvent event;
    cr_assert_eq(aclrtCreateEvent(&event), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeEvent(event), ACL_SUCCESS, "never recorded");
    cr_expect_eq(recorded_status(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
    cr_expect_eq(old_status(event), ACL_EVENT_STATUS_COMPLETE);
    submit_count(lane);
    cr_assert_eq(aclrtRecordEvent(event, lane.handle), ACL_SUCCESS);
    gate_close(&barrier, lane.stream);
    cr_expect_eq(aclrtSynchronizeEvent(event), ACL_SUCCESS); /* and does not wait for later work */
    cr_expect_eq(ran, 1);
    cr_assert_eq(aclrtRecordEvent(event, lane.handle), ACL_SUCCESS);
    expect_refused(aclrtSynchronizeEventWithTimeout(event, 20), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
                   "not completed in time");
    expect_refused(aclrtSynchronizeEventWithTimeout(event, 0), ACL_ERROR_RT_PARAM_INVALID,
                   "timeout is 0");
    expect_refused(aclrtSynchronizeEventWithTimeout(event, -5), ACL_ERROR_RT_PARAM_INVALID,
                   "timeout is -5");
    gate_open(&barrier);
    cr_expect_eq(aclrtSynchronizeEventWithTimeout(event, 600000), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeEventWithTimeout(event, -1), ACL_SUCCESS);
}

Test(event, polling_makes_progress, .timeout = 600)
{
    struct lane lane = open_lane();
    aclrtEvent event;
    cr_assert_eq(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC), ACL_SUCCESS);
    for (int i = 1; i <= 200; i++) {
        submit_count(lane);
        cr_assert_eq(aclrtRecordEvent(event, lane.handle), ACL_SUCCESS);
        while (recorded_status(event) != ACL_EVENT_RECORDED_STATUS_COMPLETE) {
        }
        cr_assert_eq(ran, i);
    }
}

static void fail_task(struct rt_task *task, struct rt_stream *stream)
{
    (void)task;
    rt_stream_fail(stream, ACL_ERROR_RT_AICORE_EXCEPTION, "plane 3 is broken");
}

static const struct rt_task_kind fail_kind = {.name = "fail", .run = fail_task};

Test(event, synchronise_returns_the_streams_error, .timeout = 600)
{
    struct lane lane = open_lane();
    aclrtEvent event;
    const struct rt_task task = {.kind = &fail_kind};
    cr_assert_eq(aclrtCreateEvent(&event), ACL_SUCCESS);
    cr_assert_eq(rt_stream_submit(lane.stream, &task, 0), ACL_SUCCESS);
    cr_assert_eq(aclrtRecordEvent(event, lane.handle), ACL_SUCCESS);
    expect_refused(aclrtSynchronizeEvent(event), ACL_ERROR_RT_AICORE_EXCEPTION, "plane 3");
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    cr_assert_eq(rt_stream_submit(lane.stream, &task, 0), ACL_SUCCESS);
    cr_assert_eq(aclrtRecordEvent(event, lane.handle), ACL_SUCCESS);
    while (recorded_status(event) != ACL_EVENT_RECORDED_STATUS_COMPLETE)
        nap(1);
    expect_refused(aclrtSynchronizeEvent(event), ACL_ERROR_RT_AICORE_EXCEPTION, "plane 3");
}

Test(event, waits_time_out, .timeout = 600)
{
    struct lane lane = open_lane();
    aclrtEvent never;
    cr_assert_eq(aclrtCreateEvent(&never), ACL_SUCCESS);
    cr_assert_eq(aclrtSetOpWaitTimeout(1), ACL_SUCCESS);
    int64_t start = rt_now_ns();
    cr_assert_eq(aclrtStreamWaitEvent(lane.handle, never), ACL_SUCCESS);
    cr_assert_eq(aclrtSetOpWaitTimeout(0), ACL_SUCCESS);
    submit_count(lane);
    expect_refused(aclrtSynchronizeStream(lane.handle), ACL_ERROR_RT_WAIT_TIMEOUT,
                   "aclrtSetOpWaitTimeout");
    int64_t took = rt_now_ns() - start;
    cr_expect(took >= 1000 * 1000000ll, "after %ld ms", (long)(took / 1000000));
    cr_expect_eq(ran, 1, "what follows the wait runs");
    cr_expect_eq(wait_status(never), ACL_EVENT_WAIT_STATUS_COMPLETE);
}

/* --- times ------------------------------------------------------------------------------------ */

Test(event, elapsed_time, .timeout = 600)
{
    struct lane lane = open_lane();
    aclrtEvent start, end;
    float ms = -1;
    uint64_t start_us = 0, end_us = 0;
    cr_assert_eq(aclrtCreateEvent(&start), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateEventExWithFlag(&end, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE),
                 ACL_SUCCESS);
    expect_refused(aclrtEventElapsedTime(&ms, start, end), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                   "startEvent");
    cr_assert_eq(aclrtRecordEvent(start, lane.handle), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeEvent(start), ACL_SUCCESS);
    expect_refused(aclrtEventElapsedTime(&ms, start, end), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                   "endEvent");
    gate_close(&barrier, lane.stream);
    cr_assert_eq(aclrtRecordEvent(end, lane.handle), ACL_SUCCESS);
    expect_refused(aclrtEventElapsedTime(&ms, start, end), ACL_ERROR_RT_EVENT_NOT_COMPLETE,
                   "synchronise it first");
    expect_refused(aclrtEventGetTimestamp(end, &end_us), ACL_ERROR_RT_EVENT_NOT_COMPLETE,
                   "synchronise it first");
    nap(50);
    gate_open(&barrier);
    cr_assert_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    cr_assert_eq(aclrtEventElapsedTime(&ms, start, end), ACL_SUCCESS);
    cr_expect(ms >= 49, "%f ms", (double)ms);
    expect_refused(aclrtEventElapsedTime(&ms, end, start), ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL,
                   "before startEvent");
    cr_assert_eq(aclrtEventGetTimestamp(start, &start_us), ACL_SUCCESS);
    cr_assert_eq(aclrtEventGetTimestamp(end, &end_us), ACL_SUCCESS);
    cr_expect_float_eq((double)(end_us - start_us) * 1e-3, (double)ms, 0.01 + (double)ms * 1e-6);
    expect_refused(aclrtEventElapsedTime(NULL, start, end), ACL_ERROR_INVALID_PARAM, "ms is NULL");
    expect_refused(aclrtEventElapsedTime(&ms, NULL, end), ACL_ERROR_INVALID_PARAM,
                   "startEvent is NULL");
    expect_refused(aclrtEventElapsedTime(&ms, start, NULL), ACL_ERROR_INVALID_PARAM,
                   "endEvent is NULL");
    expect_refused(aclrtEventGetTimestamp(start, NULL), ACL_ERROR_INVALID_PARAM,
                   "timestamp is NULL");
}

Test(event, an_external_event_keeps_no_time, .timeout = 600)
{
    struct lane lane = open_lane();
    aclrtEvent event;
    float ms;
    cr_assert_eq(aclrtCreateEventWithFlag(&event, ACL_EVENT_EXTERNAL), ACL_SUCCESS);
    cr_assert_eq(aclrtRecordEvent(event, lane.handle), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    expect_refused(aclrtEventElapsedTime(&ms, event, event), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "external");
}

/* --- handles ---------------------------------------------------------------------------------- */

Test(event, may_be_destroyed_while_in_use, .timeout = 600)
{
    struct lane first = open_lane(), second = open_lane();
    aclrtEvent event;
    for (int round = 0; round < 50; round++) {
        cr_assert_eq(aclrtCreateEvent(&event), ACL_SUCCESS);
        submit_nap(first, 1);
        cr_assert_eq(aclrtRecordEvent(event, first.handle), ACL_SUCCESS);
        cr_assert_eq(aclrtStreamWaitEvent(second.handle, event), ACL_SUCCESS);
        submit_count(second);
        cr_assert_eq(aclrtDestroyEvent(event), ACL_SUCCESS);
    }
    cr_expect_eq(aclrtSynchronizeStream(second.handle), ACL_SUCCESS);
    cr_expect_eq(ran, 50);
    expect_refused(aclrtDestroyEvent(event), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
    expect_refused(aclrtRecordEvent(event, first.handle), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
    expect_refused(aclrtStreamWaitEvent(first.handle, event), ACL_ERROR_RT_INVALID_HANDLE,
                   "destroyed");
    rt_runtime_shutdown();
}

Test(event, a_record_dropped_with_its_stream_lets_others_go_on, .timeout = 600)
{
    struct lane first = open_lane(), second = open_lane();
    aclrtEvent event, never;
    cr_assert_eq(aclrtCreateEvent(&event), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateEvent(&never), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(first.handle, never), ACL_SUCCESS);
    cr_assert_eq(aclrtRecordEvent(event, first.handle), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(second.handle, event), ACL_SUCCESS);
    submit_count(second);
    cr_assert_eq(aclrtDestroyStreamForce(first.handle), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(second.handle), ACL_SUCCESS);
    cr_expect_eq(ran, 1);
}

Test(event, misuse_has_a_code_and_a_text, .timeout = 600)
{
    struct lane lane = open_lane();
    aclrtEvent event, ex;
    aclrtEventStatus old;
    aclrtEventWaitStatus waits;
    uint32_t id = 0, other_id = 0;
    expect_refused(aclrtCreateEvent(NULL), ACL_ERROR_INVALID_PARAM, "event is NULL");
    expect_refused(aclrtCreateEventWithFlag(NULL, 1), ACL_ERROR_INVALID_PARAM, "event is NULL");
    expect_refused(aclrtCreateEventExWithFlag(NULL, 1), ACL_ERROR_INVALID_PARAM, "event is NULL");
    expect_refused(aclrtCreateEventWithFlag(&event, ACL_EVENT_EXTERNAL | ACL_EVENT_SYNC),
                   ACL_ERROR_INVALID_PARAM, "ACL_EVENT_EXTERNAL");
    expect_refused(aclrtDestroyEvent(NULL), ACL_ERROR_INVALID_PARAM, "event is NULL");
    expect_refused(aclrtRecordEvent(NULL, lane.handle), ACL_ERROR_INVALID_PARAM, "event is NULL");
    expect_refused(aclrtResetEvent(NULL, lane.handle), ACL_ERROR_INVALID_PARAM, "event is NULL");
    expect_refused(aclrtStreamWaitEvent(lane.handle, NULL), ACL_ERROR_INVALID_PARAM,
                   "event is NULL");
    expect_refused(aclrtSynchronizeEvent(NULL), ACL_ERROR_INVALID_PARAM, "event is NULL");
    expect_refused(aclrtSynchronizeEvent(lane.handle), ACL_ERROR_RT_INVALID_HANDLE, "not an event");
    cr_assert_eq(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateEventExWithFlag(&ex, ACL_EVENT_SYNC), ACL_SUCCESS);
    expect_refused(aclrtQueryEventStatus(event, NULL), ACL_ERROR_INVALID_PARAM, "status is NULL");
    expect_refused(aclrtQueryEvent(event, NULL), ACL_ERROR_INVALID_PARAM, "status is NULL");
    expect_refused(aclrtQueryEventWaitStatus(event, NULL), ACL_ERROR_INVALID_PARAM,
                   "status is NULL");
    expect_refused(aclrtResetEvent(ex, lane.handle), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "Ex");
    expect_refused(aclrtQueryEvent(ex, &old), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "Ex");
    expect_refused(aclrtQueryEventWaitStatus(ex, &waits), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "Ex");
    cr_expect_eq(aclrtGetEventId(event, &id), ACL_SUCCESS);
    cr_expect_eq(aclrtGetEventId(ex, &other_id), ACL_SUCCESS);
    cr_expect_neq(id, other_id);
    expect_refused(aclrtGetEventId(event, NULL), ACL_ERROR_INVALID_PARAM, "eventId is NULL");
}

Test(event, belongs_to_its_context, .timeout = 600)
{
    struct lane lane = open_lane();
    aclrtContext context;
    aclrtEvent event;
    cr_assert_eq(aclrtCreateEvent(&event), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateContext(&context, 0), ACL_SUCCESS);
    expect_refused(aclrtRecordEvent(event, NULL), ACL_ERROR_RT_STREAM_CONTEXT, "another context");
    expect_refused(aclrtResetEvent(event, NULL), ACL_ERROR_RT_STREAM_CONTEXT, "another context");
    expect_refused(aclrtRecordEvent(event, lane.handle), ACL_ERROR_RT_STREAM_CONTEXT,
                   "another context");
    cr_expect_eq(aclrtDestroyContext(context), ACL_SUCCESS);
    expect_refused(aclrtRecordEvent(event, NULL), ACL_ERROR_RT_CONTEXT_NULL, "no context");
    cr_expect_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_expect_eq(aclrtRecordEvent(event, NULL), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeEvent(event), ACL_SUCCESS);
}

Test(event, memory, .timeout = 600)
{
    struct lane lane = open_lane(), other = open_lane();
    aclrtEvent event = NULL;
    rt_alloc_fail_at(1);
    expect_refused(aclrtCreateEvent(&event), ACL_ERROR_RT_MEMORY_ALLOCATION, "no host memory");
    cr_expect_null(event);
    cr_assert_eq(aclrtCreateEvent(&event), ACL_SUCCESS);
    submit_count(lane);
    submit_count(other);
    cr_assert_eq(aclrtSynchronizeDevice(), ACL_SUCCESS);
    /* A queue may be longer than its tasks for a while: their runner still holds the stream. */
    cr_assert(rt_queue_reserve(lane.stream, 8) && rt_queue_reserve(other.stream, 8));
    rt_alloc_fail_at(0);
    for (int i = 0; i < 100; i++) {
        cr_assert_eq(aclrtRecordEvent(event, lane.handle), ACL_SUCCESS);
        cr_assert_eq(aclrtStreamWaitEvent(other.handle, event), ACL_SUCCESS);
        cr_assert_eq(aclrtSynchronizeStream(other.handle), ACL_SUCCESS);
    }
    cr_expect_eq(rt_alloc_fail_at(0), 0, "records allocate although the event is warm");
}

enum { MANY = 200000, OLDEST = 64, QUERIES = 64 * 10, MEASUREMENTS = 90 };

/* What this thread has computed, however long others had its CPU. */
static int64_t own_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Of a query of the events that are there longest, the least of many short measurements. */
static double query_ns(aclrtEvent *events)
{
    double least = 1e18;
    aclrtEventRecordedStatus status;
    for (int round = 0; round < MEASUREMENTS; round++) {
        int64_t begin = own_ns();
        for (int i = 0; i < QUERIES; i++)
            aclrtQueryEventStatus(events[i % OLDEST], &status);
        double ns = (double)(own_ns() - begin) / QUERIES;
        if (ns < least) least = ns;
    }
    return least;
}

Test(event, a_query_costs_the_same_however_many_events_live, .timeout = 600)
{
    open_lane();
    aclrtEvent *events = malloc(MANY * sizeof(*events));
    cr_assert_not_null(events);
    double few = 0;
    for (int i = 0; i < MANY; i++) {
        cr_assert_eq(aclrtCreateEvent(&events[i]), ACL_SUCCESS);
        if (i == 1000) few = query_ns(events);
    }
    double many = query_ns(events);
    cr_expect_lt(many, 4 * few, "%.0f ns with 1,000, %.0f ns with %d", few, many, MANY);
    rt_runtime_shutdown();
    free(events);
}

/* The table of handles has grown several times. */
Test(event, handles_are_found_however_many_there_are, .timeout = 600)
{
    enum { COUNT = 20000 };
    static aclrtEvent events[COUNT];
    aclrtEventRecordedStatus status;
    open_lane();
    for (int i = 0; i < COUNT; i++)
        cr_assert_eq(aclrtCreateEvent(&events[i]), ACL_SUCCESS);
    for (int i = 0; i < COUNT; i += 2)
        cr_assert_eq(aclrtDestroyEvent(events[i]), ACL_SUCCESS);
    for (int i = 1; i < COUNT; i += 2)
        cr_assert_eq(aclrtQueryEventStatus(events[i], &status), ACL_SUCCESS);
    for (int i = 0; i < COUNT; i += 2)
        cr_assert_eq(aclrtQueryEventStatus(events[i], &status), ACL_ERROR_RT_INVALID_HANDLE);
    rt_runtime_shutdown();
}
