/* SPDX-License-Identifier: Apache-2.0 */
/* aclrtLaunchCallback in a capture: the function runs on the thread that was subscribed then, once
 * for each replay. In most tests that is the test's own thread, which comes when it is told to. */
#include "acl/acl_rt.h"
#include "runtime/callback/callback.h"
#include "tests/unit/graph_tasks.h"
#include "tests/unit/lane.h"

TestSuite(graph_callback, .init = set_up, .fini = tear_down, .timeout = 600);

static atomic_int called;
static pthread_t called_on;

static void count_call(void *unused)
{
    (void)unused;
    called_on = pthread_self();
    atomic_fetch_add(&called, 1);
}

static void append_two(void *unused)
{
    (void)unused;
    trace[traced++] = 2; /* the stream's tasks wait */
}

static void subscribe(aclrtStream stream)
{
    cr_assert_eq(aclrtSubscribeReport((uint64_t)pthread_self(), stream), 0);
}

static void launch(aclrtCallback function, aclrtCallbackBlockType type, aclrtStream stream)
{
    cr_assert_eq(aclrtLaunchCallback(function, NULL, type, stream), 0, "%s", aclGetRecentErrMsg());
}

static aclmdlRI capture(aclrtCallback function, aclrtCallbackBlockType type)
{
    begin(streams[0]);
    submit_append(streams[0], 1);
    launch(function, type, streams[0]);
    submit_append(streams[0], 3);
    return end(streams[0]);
}

static void process(void)
{
    cr_assert_eq(aclrtProcessReport(-1), 0, "%s", aclGetRecentErrMsg());
}

Test(graph_callback, a_blocking_one_holds_back_what_follows)
{
    subscribe(streams[0]);
    aclmdlRI graph = capture(append_two, ACL_CALLBACK_BLOCK);
    for (int i = 0; i < 3; i++) {
        replay(graph, streams[i]);
        process();
        synchronise(streams[i]);
        expect_trace((const int[]){1, 2, 3}, 3);
    }
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

Test(graph_callback, a_passing_one_does_not)
{
    subscribe(streams[0]);
    aclmdlRI graph = capture(count_call, ACL_CALLBACK_NO_BLOCK);
    for (int i = 0; i < 3; i++)
        replay(graph, streams[0]);
    synchronise(streams[0]);
    expect_trace((const int[]){1, 3, 1, 3, 1, 3}, 6);
    cr_expect_eq(called, 0);
    process();
    cr_expect_eq(called, 3);
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

static aclmdlRI capture_lanes(aclrtCallbackBlockType first, aclrtCallbackBlockType second)
{
    begin(streams[0]);
    hand(streams[0], 0, streams[1]);
    launch(count_call, first, streams[1]);
    launch(count_call, second, streams[0]);
    hand(streams[1], 1, streams[0]);
    return end(streams[0]);
}

Test(graph_callback, lanes_have_their_own)
{
    subscribe(streams[0]);
    subscribe(streams[1]);
    aclmdlRI graph = capture_lanes(ACL_CALLBACK_BLOCK, ACL_CALLBACK_BLOCK);
    for (int i = 1; i <= 50; i++) {
        replay(graph, streams[2]);
        while (called < 2 * i)
            process();
        synchronise(streams[2]);
    }
    cr_expect_eq(called, 100);
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

Test(graph_callback, the_graph_keeps_its_thread)
{
    subscribe(streams[0]);
    aclmdlRI graph = capture(count_call, ACL_CALLBACK_BLOCK);
    cr_assert_eq(aclrtUnSubscribeReport((uint64_t)pthread_self(), streams[0]), 0);
    replay(graph, streams[0]);
    process();
    synchronise(streams[0]);
    cr_expect_eq(called, 1);
    expect_refused(aclrtProcessReport(1), ACL_ERROR_RT_REPORT_TIMEOUT, "no callback has come");
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
    expect_refused(aclrtProcessReport(1), ACL_ERROR_RT_THREAD_SUBSCRIBE, "subscribed to no stream");
}

/* They go with their graph when nothing else binds the thread. */
Test(graph_callback, passing_ones_that_nobody_ran_are_dropped)
{
    subscribe(streams[0]);
    aclmdlRI graph = capture(count_call, ACL_CALLBACK_NO_BLOCK);
    cr_assert_eq(aclrtUnSubscribeReport((uint64_t)pthread_self(), streams[0]), 0);
    replay(graph, streams[0]);
    synchronise(streams[0]);
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
    expect_refused(aclrtProcessReport(1), ACL_ERROR_RT_THREAD_SUBSCRIBE, "subscribed to no stream");
    cr_expect_eq(called, 0);
}

Test(graph_callback, needs_a_subscribed_thread)
{
    begin(streams[0]);
    expect_refused(aclrtLaunchCallback(count_call, NULL, ACL_CALLBACK_BLOCK, streams[0]),
                   ACL_ERROR_RT_STREAM_NO_CB_REG, "no thread is subscribed");
    submit_append(streams[0], 1);
    aclmdlRI graph = end(streams[0]);
    replay(graph, streams[0]);
    synchronise(streams[0]);
    expect_trace((const int[]){1}, 1);
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

static aclmdlRI executed;
static aclError executed_with;

static void execute(void *unused)
{
    (void)unused;
    executed_with = aclmdlRIExecute(executed, 1000);
}

Test(graph_callback, nothing_waits_for_a_graph_inside_of_one)
{
    subscribe(streams[0]);
    executed = capture(count_call, ACL_CALLBACK_NO_BLOCK);
    launch(execute, ACL_CALLBACK_BLOCK, streams[0]);
    process();
    cr_expect_eq(executed_with, ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    executed_with = ACL_SUCCESS;
    cr_assert_eq(aclrtLaunchHostFunc(streams[1], execute, NULL), 0);
    synchronise(streams[1]);
    cr_expect_eq(executed_with, ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    cr_assert_eq(aclmdlRIDestroy(executed), 0);
    cr_expect_eq(traced, 0);
}

/* --- replays that do not end ------------------------------------------------------------------ */

static void abort_until_complete(aclmdlRI graph, aclrtStream stream)
{
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    while (status != ACL_STREAM_STATUS_COMPLETE) { /* before its begin there is nothing to abort */
        cr_assert_eq(aclmdlRIAbort(graph), 0);
        cr_assert_eq(aclrtStreamQuery(stream, &status), 0);
    }
}

Test(graph_callback, an_aborted_replay_takes_it_back)
{
    subscribe(streams[0]);
    subscribe(streams[1]);
    aclmdlRI graph = capture_lanes(ACL_CALLBACK_BLOCK, ACL_CALLBACK_BLOCK);
    for (int i = 0; i < 50; i++) {
        replay(graph, streams[2]);
        abort_until_complete(graph, streams[2]);
        cr_assert_eq(aclrtSynchronizeStream(streams[2]), ACL_ERROR_RT_MODEL_ABORT_NORMAL);
    }
    expect_refused(aclrtProcessReport(1), ACL_ERROR_RT_REPORT_TIMEOUT, "no callback has come");
    cr_expect_eq(called, 0);
    replay(graph, streams[2]);
    while (called < 2)
        process();
    synchronise(streams[2]);
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

Test(graph_callback, an_aborted_stream_takes_it_back)
{
    subscribe(streams[0]);
    aclmdlRI graph = capture(append_two, ACL_CALLBACK_BLOCK);
    replay(graph, streams[0]);
    cr_assert_eq(aclrtStreamAbort(streams[0]), 0);
    cr_assert_eq(aclrtSynchronizeStream(streams[0]), ACL_ERROR_RT_STREAM_ABORT);
    traced = 0;
    replay(graph, streams[0]);
    process();
    synchronise(streams[0]);
    expect_trace((const int[]){1, 2, 3}, 3);
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

/* The thread that ends the context is the one that would have to run it. */
Test(graph_callback, the_end_drops_what_nobody_will_run)
{
    subscribe(streams[0]);
    subscribe(streams[1]);
    aclmdlRI graph = capture_lanes(ACL_CALLBACK_BLOCK, ACL_CALLBACK_NO_BLOCK);
    for (int i = 0; i < 3; i++)
        replay(graph, streams[i]);
    cr_assert_eq(aclrtResetDevice(0), 0);
    cr_expect_eq(called, 0);
    cr_assert_eq(aclrtSetDevice(0), 0);
}

/* The replay that gets the turn when the first one is dropped is not the next stream to be ended.
 */
Test(graph_callback, the_end_drops_them_in_any_order)
{
    static const int order[] = {0, 2, 1};
    subscribe(streams[0]);
    subscribe(streams[1]);
    aclmdlRI graph = capture_lanes(ACL_CALLBACK_BLOCK, ACL_CALLBACK_NO_BLOCK);
    for (int i = 0; i < 3; i++) {
        struct lane lane = {.handle = streams[order[i]]};
        replay(graph, lane.handle);
        cr_assert_eq(rt_stream_resolve(__func__, lane.handle, &lane.stream), 0);
        lane_await(lane_is(lane, RT_STREAM_PARKED));
    }
    cr_assert_eq(aclrtResetDevice(0), 0);
    cr_expect_eq(called, 0);
    cr_assert_eq(aclrtSetDevice(0), 0);
}

Test(graph_callback, without_memory_the_replay_fails)
{
    static const aclrtCallbackBlockType types[] = {ACL_CALLBACK_NO_BLOCK, ACL_CALLBACK_BLOCK};
    subscribe(streams[0]);
    for (int i = 0; i < 2; i++) {
        aclmdlRI graph = capture(count_call, types[i]);
        replay(graph, streams[0]);
        process();
        synchronise(streams[0]);
        rt_alloc_fail_at(1);
        replay(graph, streams[0]);
        cr_expect_eq(aclrtSynchronizeStream(streams[0]), ACL_ERROR_RT_MEMORY_ALLOCATION);
        rt_alloc_fail_at(0);
        expect_trace((const int[]){1, 3, 1, 3}, 4);
        cr_assert_eq(aclmdlRIDestroy(graph), 0);
    }
    cr_expect_eq(called, 2);
}

/* --- other threads ---------------------------------------------------------------------------- */

static atomic_bool stops;

static void *serve(void *unused)
{
    (void)unused;
    while (!stops) {
        aclError status = aclrtProcessReport(10);
        cr_assert(status == ACL_SUCCESS || status == ACL_ERROR_RT_REPORT_TIMEOUT ||
                      status == ACL_ERROR_RT_THREAD_SUBSCRIBE,
                  "%d", status);
    }
    return NULL;
}

Test(graph_callback, a_server_runs_them_all)
{
    enum { REPLAYS = 500 };
    pthread_t server;
    cr_assert_eq(pthread_create(&server, NULL, serve, NULL), 0);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(aclrtSubscribeReport((uint64_t)server, streams[i]), 0);
    aclmdlRI graphs[] = {capture_lanes(ACL_CALLBACK_BLOCK, ACL_CALLBACK_NO_BLOCK),
                         capture_lanes(ACL_CALLBACK_NO_BLOCK, ACL_CALLBACK_BLOCK)};
    for (int i = 0; i < REPLAYS; i++)
        replay(graphs[i % 2], streams[i % STREAMS]);
    for (int i = 0; i < STREAMS; i++)
        synchronise(streams[i]);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(aclmdlRIDestroy(graphs[i]), 0);
    while (called < 2 * REPLAYS)
        sched_yield();
    cr_expect(pthread_equal(called_on, server));
    stops = true;
    pthread_join(server, NULL);
    cr_expect_eq(called, 2 * REPLAYS);
}

Test(graph_callback, a_child_has_no_thread_for_it)
{
    process_begin_forks();
    subscribe(streams[0]);
    aclmdlRI blocking = capture(count_call, ACL_CALLBACK_BLOCK);
    aclmdlRI passing = capture(count_call, ACL_CALLBACK_NO_BLOCK);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        process_begin_child();
        aclmdlRI graphs[] = {blocking, passing};
        bool is_right = true;
        for (int i = 0; i < 2; i++) {
            is_right &= aclmdlRIExecuteAsync(graphs[i], streams[0]) == 0;
            is_right &= aclrtSynchronizeStream(streams[0]) == ACL_ERROR_RT_STREAM_NO_CB_REG;
            is_right &= aclmdlRIDestroy(graphs[i]) == 0;
        }
        _exit(is_right ? 0 : 1);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
    replay(blocking, streams[0]);
    process();
    synchronise(streams[0]);
    cr_expect_eq(called, 1);
    cr_assert_eq(aclmdlRIDestroy(blocking), 0);
    cr_assert_eq(aclmdlRIDestroy(passing), 0);
}
