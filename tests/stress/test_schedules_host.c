/* SPDX-License-Identifier: Apache-2.0 */
/* Host functions under many schedules, as in test_schedules.c. */
#include <criterion/criterion.h>

#ifndef ACLNN_CPU_POINTS

Test(schedules_host, need_points)
{
    cr_skip_test("needs points (runtime/support/point.h), which only builds with a sanitizer have");
}

#else

#include <semaphore.h>
#include <string.h>

#include "runtime/support/thread.h"
#include "tests/stress/schedule_rounds.h"
#include "tests/unit/process.h"

TestSuite(schedules_host, .init = set_up, .fini = tear_down, .timeout = 900);

/* --- host functions --------------------------------------------------------------------------- */

static void *look_on(void *argument)
{
    struct rival *mine = argument;
    OK(aclrtSetDevice(0));
    for (int i = 0; i < 6; i++) {
        pause_a_little(&mine->random);
        aclError status = aclrtSynchronizeStreamWithTimeout(streams[0], 1);
        cr_assert(status == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT || is_end(status), "%d", status);
    }
    return NULL;
}

/* One after the other, while somebody wants attention, and while they are dropped. */
static void call_in_a_row(struct random *random)
{
    open_rival(random);
    int64_t calls = random_between(random, 2, 12);
    bool is_aborted = random_once_in(random, 2);
    cr_assert_eq(pthread_create(&rival.thread, NULL, look_on, &rival), 0);
    for (int64_t i = 0; i < calls; i++) {
        if (is_aborted && random_once_in(random, 3)) {
            OK(aclrtStreamAbort(streams[0]));
            if (random_once_in(random, 2)) cr_assert(is_end(aclrtSynchronizeStream(streams[0])));
        }
        OK(aclrtLaunchHostFunc(streams[0], count_function, &rival));
        if (random_once_in(random, 3)) {
            OK(aclrtRecordEvent(rival.event, streams[0]));
            if (random_once_in(random, 2)) cr_assert(is_end(aclrtSynchronizeEvent(rival.event)));
        }
    }
    if (is_aborted) OK(aclrtStreamAbort(streams[0]));
    cr_assert(is_end(aclrtSynchronizeStream(streams[0])));
    if (!is_aborted) cr_assert_eq(rival.functions, calls);
    rival.is_over = true;
    close_rival();
}

Test(schedules_host, host_functions)
{
    run_rounds("host_functions", call_in_a_row);
}

/* What is dropped before it began leaves nothing behind for the next one. */
static void drop_and_go_on(struct random *random)
{
    open_rival(random);
    cr_assert_eq(pthread_create(&rival.thread, NULL, look_on, &rival), 0);
    for (int i = 0; i < 8; i++) {
        OK(aclrtLaunchHostFunc(streams[0], count_function, &rival));
        for (volatile int64_t spin = random_below(random, 400); spin > 0; spin--) {
        }
        OK(aclrtStreamAbort(streams[0]));
        cr_assert(is_end(aclrtSynchronizeStream(streams[0])));
        int before = rival.functions;
        OK(aclrtLaunchHostFunc(streams[0], count_function, &rival));
        OK(aclrtSynchronizeStream(streams[0]));
        cr_assert_eq(rival.functions, before + 1);
    }
    rival.is_over = true;
    close_rival();
}

Test(schedules_host, discards)
{
    run_rounds("discards", drop_and_go_on);
}

static sem_t function_begun, function_may_end, return_begun, may_return;
static atomic_int returns;

static void stop_first_return(const char *name)
{
    if (strcmp(name, "before returning") != 0 || atomic_fetch_add(&returns, 1) > 0) return;
    sem_post(&return_begun);
    sem_wait(&may_return);
}

static void do_nothing(void *unused)
{
    (void)unused;
}

static void run_until_told(void *unused)
{
    (void)unused;
    sem_post(&function_begun);
    sem_wait(&function_may_end);
}

/* The stream is set going without need while a function that has run has not told so yet. What is
 * told then must not be taken for the next function's return, which would let that be dropped
 * while it runs. */
Test(schedules_host, a_late_return_is_not_the_next_functions)
{
    struct rt_stream *stream;
    sem_t *semaphores[] = {&function_begun, &function_may_end, &return_begun, &may_return};
    for (int i = 0; i < 4; i++)
        cr_assert_eq(sem_init(semaphores[i], 0, 0), 0);
    atomic_store(&rt_point_hooked, stop_first_return);
    schedule_round("a_late_return_is_not_the_next_functions", 0);
    OK(aclInit(NULL));
    open_streams();
    OK(rt_stream_resolve(__func__, streams[0], &stream));
    OK(aclrtLaunchHostFunc(streams[0], do_nothing, NULL));
    OK(aclrtLaunchHostFunc(streams[0], run_until_told, NULL));
    rt_queue_kick(stream);
    sem_wait(&return_begun);
    rt_queue_unpark(stream);
    cr_assert_eq(aclrtSynchronizeStreamWithTimeout(streams[0], 50),
                 ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    int begun;
    sem_getvalue(&function_begun, &begun);
    cr_expect_eq(begun, 0, "the first function has not returned");
    sem_post(&may_return);
    sem_wait(&function_begun);
    OK(aclrtStreamAbort(streams[0]));
    cr_assert_eq(aclrtSynchronizeStreamWithTimeout(streams[0], 50),
                 ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "it still runs");
    sem_post(&function_may_end);
    cr_assert_eq(aclrtSynchronizeStream(streams[0]), ACL_ERROR_RT_STREAM_ABORT);
    OK(aclFinalize());
}

static _Thread_local bool has_run_function;

static void delay_first_wake(const char *name)
{
    if (strcmp(name, "before a wake") != 0 || !has_run_function) return;
    if (atomic_fetch_add(&returns, 1) > 0) return;
    struct timespec nap = {.tv_nsec = 50000000};
    sem_post(&return_begun);
    nanosleep(&nap, NULL);
}

static void await_parking(void *argument)
{
    struct rt_stream *stream = argument;
    has_run_function = true;
    for (bool is_parked = false; !is_parked; sched_yield()) {
        rt_lock_take(&stream->lock);
        is_parked = stream->state == RT_STREAM_PARKED && rt_queue_submitted(stream) == 2;
        rt_lock_give(&stream->lock);
    }
}

static void run_nothing(struct rt_task *task, struct rt_stream *stream)
{
    (void)task;
    (void)stream;
}

/* A function's thread has given its stream back, for what comes next takes a worker, and is about
 * to wake one when the library ends: no worker may be started after the others were joined. The
 * function ends when its stream is parked, for else the worker that runs the stream goes on with
 * it, and nobody is to be woken. */
Test(schedules_host, no_worker_outlives_a_late_wake)
{
    static const struct rt_task_kind nothing_kind = {.name = "nothing", .run = run_nothing};
    const struct rt_task nothing = {.kind = &nothing_kind};
    struct rt_stream *stream;
    int threads = process_count(PROCESS_THREADS);
    cr_assert_eq(sem_init(&return_begun, 0, 0), 0);
    atomic_store(&rt_point_hooked, delay_first_wake);
    schedule_round("no_worker_outlives_a_late_wake", 0);
    OK(aclInit(NULL));
    open_streams();
    OK(rt_stream_resolve(__func__, streams[0], &stream));
    OK(aclrtLaunchHostFunc(streams[0], await_parking, stream));
    OK(rt_stream_submit(stream, &nothing, 0));
    sem_wait(&return_begun);
    OK(aclFinalize());
    cr_assert(process_settles(PROCESS_THREADS, threads));
}

#endif
