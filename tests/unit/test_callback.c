/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "runtime/callback/callback.h"
#include "runtime/device/device.h"
#include "runtime/support/alloc.h"
#include "tests/unit/gate.h"
#include "tests/unit/lane.h"
#include "tests/unit/process.h"
#include "tests/unit/refusal.h"

/* A thread that processes reports until told to stop. */
static atomic_bool stops;
static pthread_t server;
static sem_t has_begun;
static sem_t may_serve; /* posted: it goes on to its loop */
static atomic_int served;

static void *serve(void *argument)
{
    (void)argument;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    sem_post(&has_begun);
    while (sem_wait(&may_serve) != 0) {
    }
    while (!stops) {
        aclError status = aclrtProcessReport(10);
        if (status == ACL_SUCCESS) atomic_fetch_add(&served, 1);
        cr_assert(status == ACL_SUCCESS || status == ACL_ERROR_RT_REPORT_TIMEOUT ||
                      status == ACL_ERROR_RT_THREAD_SUBSCRIBE,
                  "%d", status);
    }
    return NULL;
}

static void start_server(void)
{
    sem_init(&has_begun, 0, 0);
    sem_init(&may_serve, 0, 0);
    cr_assert_eq(pthread_create(&server, NULL, serve, NULL), 0);
    while (sem_wait(&has_begun) != 0) {
    }
}

static void stop_server(void)
{
    stops = true;
    pthread_join(server, NULL);
}

static struct lane open_served(void)
{
    struct lane lane = lane_open(0);
    cr_assert_eq(aclrtSubscribeReport((uint64_t)server, lane.handle), ACL_SUCCESS);
    return lane;
}

static pthread_t ran_on;

static void note(void *argument)
{
    ran_on = pthread_self();
    lane_note(*(const char *)argument);
}

static void launch(struct lane lane, const char *what, aclrtCallbackBlockType type)
{
    cr_assert_eq(aclrtLaunchCallback(note, lane_letter(what), type, lane.handle), ACL_SUCCESS);
}

Test(callback, a_blocking_one_holds_its_stream_back, .timeout = 600)
{
    start_server();
    struct lane lane = open_served();
    lane_submit(lane, 'a', 0);
    launch(lane, "b", ACL_CALLBACK_BLOCK);
    lane_submit(lane, 'c', RT_SUBMIT_LARGE);
    lane_await(lane_logged == 1);
    cr_expect_eq(aclrtSynchronizeStreamWithTimeout(lane.handle, 20),
                 ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    sem_post(&may_serve);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    cr_expect_str_eq(lane_log, "abc");
    cr_expect(pthread_equal(ran_on, server));
    stop_server();
    rt_runtime_shutdown();
}

Test(callback, a_passing_one_does_not, .timeout = 600)
{
    start_server();
    struct lane lane = open_served();
    lane_submit(lane, 'a', 0);
    launch(lane, "c", ACL_CALLBACK_NO_BLOCK);
    lane_submit(lane, 'b', 0);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    cr_expect_str_eq(lane_log, "ab");
    sem_post(&may_serve);
    lane_await(lane_logged == 3);
    cr_expect_str_eq(lane_log, "abc");
    cr_expect(pthread_equal(ran_on, server));
    stop_server();
    rt_runtime_shutdown();
}

/* One call runs all that has come, in order, from several streams. */
Test(callback, one_thread_serves_several_streams, .timeout = 600)
{
    start_server();
    struct lane first = open_served(), second = open_served();
    for (int i = 0; i < 10; i++)
        launch(first, "a", ACL_CALLBACK_NO_BLOCK);
    cr_expect_eq(aclrtSynchronizeStream(first.handle), ACL_SUCCESS);
    for (int i = 0; i < 10; i++)
        launch(second, "b", ACL_CALLBACK_NO_BLOCK);
    cr_expect_eq(aclrtSynchronizeStream(second.handle), ACL_SUCCESS);
    sem_post(&may_serve);
    lane_await(lane_logged == 20);
    cr_expect_str_eq(lane_log, "aaaaaaaaaabbbbbbbbbb");
    lane_await(served > 0);
    cr_expect_eq(served, 1);
    stop_server();
    rt_runtime_shutdown();
}

Test(callback, misuse, .timeout = 600)
{
    struct lane lane = lane_open(0);
    uint64_t self = (uint64_t)pthread_self();
    expect_refused(aclrtProcessReport(0), ACL_ERROR_INVALID_PARAM, "timeout is 0");
    expect_refused(aclrtProcessReport(-2), ACL_ERROR_INVALID_PARAM, "timeout is -2");
    expect_refused(aclrtProcessReport(1), ACL_ERROR_RT_THREAD_SUBSCRIBE, "no stream");
    expect_refused(aclrtProcessReport(-1), ACL_ERROR_RT_THREAD_SUBSCRIBE, "no stream");
    expect_refused(aclrtLaunchCallback(note, NULL, ACL_CALLBACK_BLOCK, lane.handle),
                   ACL_ERROR_RT_STREAM_NO_CB_REG, "no thread");
    expect_refused(aclrtUnSubscribeReport(self, lane.handle), ACL_ERROR_RT_STREAM_SUBSCRIBE,
                   "no thread");
    cr_assert_eq(aclrtSubscribeReport(self, lane.handle), ACL_SUCCESS);
    expect_refused(aclrtProcessReport(1), ACL_ERROR_RT_REPORT_TIMEOUT, "1 ms");
    expect_refused(aclrtSubscribeReport(self, lane.handle), ACL_ERROR_RT_STREAM_SUBSCRIBE,
                   "already");
    expect_refused(aclrtSubscribeReport(self + 1, lane.handle), ACL_ERROR_RT_STREAM_SUBSCRIBE,
                   "already");
    expect_refused(aclrtUnSubscribeReport(self + 1, lane.handle), ACL_ERROR_RT_THREAD_SUBSCRIBE,
                   "not the one");
    expect_refused(aclrtLaunchCallback(NULL, NULL, ACL_CALLBACK_BLOCK, lane.handle),
                   ACL_ERROR_RT_PARAM_INVALID, "fn is NULL");
    expect_refused(aclrtLaunchCallback(note, NULL, (aclrtCallbackBlockType)2, lane.handle),
                   ACL_ERROR_INVALID_PARAM, "blockType is 2");
    expect_refused(aclrtLaunchHostFunc(lane.handle, note, NULL), ACL_ERROR_RT_STREAM_SUBSCRIBE,
                   "subscribed");
    cr_expect_eq(aclrtUnSubscribeReport(self, lane.handle), ACL_SUCCESS);
    expect_refused(aclrtProcessReport(1), ACL_ERROR_RT_THREAD_SUBSCRIBE, "no stream");
    cr_expect_eq(aclrtLaunchHostFunc(lane.handle, note, lane_letter("h")), ACL_SUCCESS);
    expect_refused(aclrtSubscribeReport(self, lane.handle), ACL_ERROR_RT_STREAM_SUBSCRIBE,
                   "aclrtLaunchHostFunc");
    expect_refused(aclrtLaunchCallback(note, NULL, ACL_CALLBACK_BLOCK, lane.handle),
                   ACL_ERROR_RT_STREAM_SUBSCRIBE, "aclrtLaunchHostFunc");
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    rt_runtime_shutdown();
}

Test(callback, at_most_1024_threads, .timeout = 600)
{
    static aclrtStream streams[1025];
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    for (int i = 0; i < 1025; i++)
        cr_assert_eq(aclrtCreateStream(&streams[i]), ACL_SUCCESS);
    for (int i = 0; i < 1024; i++)
        cr_assert_eq(aclrtSubscribeReport(1000 + (uint64_t)i, streams[i]), ACL_SUCCESS);
    expect_refused(aclrtSubscribeReport(1, streams[1024]), ACL_ERROR_RT_OVER_LIMIT, "1024");
    cr_expect_eq(aclrtSubscribeReport(1000, streams[1024]), ACL_SUCCESS);
    rt_runtime_shutdown();
}

/* Who shall run the callback must not wait for it. */
Test(callback, the_subscriber_is_told_before_it_waits_for_ever, .timeout = 600)
{
    struct lane lane = lane_open(0);
    cr_assert_eq(aclrtSubscribeReport((uint64_t)pthread_self(), lane.handle), ACL_SUCCESS);
    launch(lane, "a", ACL_CALLBACK_BLOCK);
    lane_submit(lane, 'b', 0);
    expect_refused(aclrtSynchronizeStream(lane.handle), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "aclrtProcessReport");
    expect_refused(aclrtDestroyStream(lane.handle), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "aclrtProcessReport");
    expect_refused(aclrtSynchronizeDevice(), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "aclrtProcessReport");
    cr_expect_eq(aclrtProcessReport(-1), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    cr_expect_str_eq(lane_log, "ab");
    rt_runtime_shutdown();
}

static aclError inside[3];
static struct lane the_lane;

static void try_to_wait(void *argument)
{
    (void)argument;
    inside[0] = aclrtSynchronizeStream(the_lane.handle);
    inside[1] = aclrtProcessReport(1);
    inside[2] = aclrtSynchronizeDevice();
    lane_submit(the_lane, 's', 0);
}

Test(callback, waiting_inside_is_refused, .timeout = 600)
{
    start_server();
    the_lane = open_served();
    sem_post(&may_serve);
    cr_assert_eq(aclrtLaunchCallback(try_to_wait, NULL, ACL_CALLBACK_BLOCK, the_lane.handle),
                 ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(the_lane.handle), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(the_lane.handle), ACL_SUCCESS);
    for (int i = 0; i < 3; i++)
        cr_expect_eq(inside[i], ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "call %d: %d", i, inside[i]);
    cr_expect_str_eq(lane_log, "s");
    stop_server();
    rt_runtime_shutdown();
}

Test(callback, unsubscribing_leaves_an_error_for_what_did_not_run, .timeout = 600)
{
    start_server();
    struct lane lane = open_served();
    launch(lane, "x", ACL_CALLBACK_BLOCK);
    launch(lane, "x", ACL_CALLBACK_BLOCK);
    launch(lane, "x", ACL_CALLBACK_NO_BLOCK);
    lane_submit(lane, 'a', 0);
    cr_assert_eq(aclrtUnSubscribeReport((uint64_t)server, lane.handle), ACL_SUCCESS);
    expect_refused(aclrtSynchronizeStream(lane.handle), ACL_ERROR_RT_STREAM_NO_CB_REG,
                   "did not run");
    cr_expect_str_eq(lane_log, "a");
    sem_post(&may_serve);
    stop_server();
    rt_runtime_shutdown();
}

static void *process_for_ever(void *argument)
{
    aclError *status = argument;
    while (sem_wait(&may_serve) != 0) {
    }
    *status = aclrtProcessReport(-1);
    return NULL;
}

Test(callback, the_end_of_the_stream_ends_the_subscription, .timeout = 600)
{
    aclError status = ACL_SUCCESS;
    sem_init(&may_serve, 0, 0);
    cr_assert_eq(pthread_create(&server, NULL, process_for_ever, &status), 0);
    struct lane lane = open_served();
    sem_post(&may_serve);
    lane_nap(); /* so that it mostly waits already */
    cr_expect_eq(aclrtDestroyStream(lane.handle), ACL_SUCCESS);
    pthread_join(server, NULL);
    cr_expect_eq(status, ACL_ERROR_RT_THREAD_SUBSCRIBE);
    rt_runtime_shutdown();
}

Test(callback, a_forced_end_drops_what_has_not_begun, .timeout = 600)
{
    start_server();
    struct lane lane = open_served();
    launch(lane, "x", ACL_CALLBACK_NO_BLOCK);
    launch(lane, "x", ACL_CALLBACK_BLOCK);
    lane_submit(lane, 'x', 0);
    cr_expect_eq(aclrtDestroyStreamForce(lane.handle), ACL_SUCCESS);
    sem_post(&may_serve);
    stop_server();
    cr_expect_eq(lane_logged, 0);
    rt_runtime_shutdown();
}

Test(callback, finalize_waits_for_a_thread_that_serves, .timeout = 600)
{
    start_server();
    struct lane lane = open_served();
    launch(lane, "a", ACL_CALLBACK_BLOCK);
    lane_submit(lane, 'b', 0);
    launch(lane, "c", ACL_CALLBACK_NO_BLOCK);
    atomic_store(&rt_callback_patience_ns, INT64_MAX);
    sem_post(&may_serve);
    rt_runtime_shutdown();
    cr_expect_str_eq(lane_log, "abc", "no work is lost");
    stop_server();
}

Test(callback, finalize_does_not_wait_for_a_thread_that_does_not, .timeout = 600)
{
    start_server();
    struct lane lane = open_served(), other = lane_open(0);
    launch(lane, "x", ACL_CALLBACK_BLOCK);
    lane_submit(lane, 'x', 0);
    lane_submit(other, 'a', 0);
    atomic_store(&rt_callback_patience_ns, 20000000);
    rt_runtime_shutdown();
    cr_expect_str_eq(lane_log, "a");
    sem_post(&may_serve);
    stop_server();
}

Test(callback, without_memory, .timeout = 600)
{
    struct lane lane = lane_open(0);
    uint64_t self = (uint64_t)pthread_self();
    aclrtNotify notify;
    rt_alloc_fail_at(1);
    expect_refused(aclrtSubscribeReport(self, lane.handle), ACL_ERROR_RT_MEMORY_ALLOCATION,
                   "no host memory");
    rt_alloc_fail_at(1);
    expect_refused(aclrtCreateNotify(&notify, 0), ACL_ERROR_RT_MEMORY_ALLOCATION, "no host memory");
    cr_assert_eq(aclrtSubscribeReport(self, lane.handle), ACL_SUCCESS);
    rt_alloc_fail_at(1);
    expect_refused(aclrtLaunchCallback(note, NULL, ACL_CALLBACK_BLOCK, lane.handle),
                   ACL_ERROR_RT_MEMORY_ALLOCATION, "no host memory");
    rt_alloc_fail_at(2); /* the queue's first chunk */
    cr_expect_eq(aclrtLaunchCallback(note, NULL, ACL_CALLBACK_BLOCK, lane.handle),
                 ACL_ERROR_RT_MEMORY_ALLOCATION);
    rt_alloc_fail_at(0);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS, "none waits for this thread");
    launch(lane, "a", ACL_CALLBACK_BLOCK);
    cr_expect_eq(aclrtProcessReport(-1), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    cr_expect_str_eq(lane_log, "a");
    rt_runtime_shutdown();
}

/* The parent's callbacks are not the child's, which subscribes anew. */
Test(callback, a_child_starts_afresh, .timeout = 600)
{
    process_begin_forks();
    start_server();
    struct lane lane = open_served();
    int status = -1;
    launch(lane, "a", ACL_CALLBACK_BLOCK);
    launch(lane, "b", ACL_CALLBACK_NO_BLOCK);
    lane_await(lane_is(lane, RT_STREAM_PARKED));
    pid_t child = fork();
    if (child == 0) {
        process_begin_child();
        if (aclrtSynchronizeStream(lane.handle) != ACL_SUCCESS) _exit(1);
        if (aclrtSubscribeReport((uint64_t)pthread_self(), lane.handle) != ACL_SUCCESS) _exit(2);
        launch(lane, "c", ACL_CALLBACK_BLOCK);
        if (aclrtProcessReport(600000) != ACL_SUCCESS) _exit(3);
        if (aclrtSynchronizeStream(lane.handle) != ACL_SUCCESS) _exit(4);
        rt_runtime_shutdown();
        _exit(strcmp(lane_log, "c") == 0 ? 0 : 5);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect_eq(status, 0, "%x", (unsigned)status);
    sem_post(&may_serve);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    lane_await(lane_logged == 2);
    cr_expect_str_eq(lane_log, "ab");
    stop_server();
    rt_runtime_shutdown();
}

static pid_t forked;

static void fork_inside(void *argument)
{
    (void)argument;
    forked = fork();
    if (forked != 0) return;
    process_begin_child();
    lane_note('f');
}

/* A callback may fork; the child's call of aclrtProcessReport ends, for it is subscribed no more.
 */
Test(callback, a_callback_may_fork, .timeout = 600)
{
    process_begin_forks();
    struct lane lane = lane_open(0);
    int status = -1;
    cr_assert_eq(aclrtSubscribeReport((uint64_t)pthread_self(), lane.handle), ACL_SUCCESS);
    cr_assert_eq(aclrtLaunchCallback(fork_inside, NULL, ACL_CALLBACK_BLOCK, lane.handle),
                 ACL_SUCCESS);
    aclError processed = aclrtProcessReport(-1);
    if (forked == 0) {
        bool ok = processed == ACL_ERROR_RT_THREAD_SUBSCRIBE && lane_logged == 1 &&
                  aclrtSynchronizeStream(lane.handle) == ACL_SUCCESS;
        rt_runtime_shutdown();
        _exit(ok ? 0 : 1);
    }
    cr_expect_eq(processed, ACL_SUCCESS);
    cr_assert_eq(waitpid(forked, &status, 0), forked);
    cr_expect_eq(status, 0, "%x", (unsigned)status);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    rt_runtime_shutdown();
}
