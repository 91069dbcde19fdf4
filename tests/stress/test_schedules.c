/* SPDX-License-Identifier: Apache-2.0 */
/* Short programs under many schedules: waits, aborts, ends by force, replays that are cancelled,
 * callbacks, frees in flight; host functions in test_schedules_host.c. Each round must end, and
 * what is not dropped must have run in order. Counters are plain, so that the thread sanitizer
 * checks the order as well. */
#include <criterion/criterion.h>

#ifndef ACLNN_CPU_POINTS

Test(schedules, need_points)
{
    cr_skip_test("needs points (runtime/support/point.h), which only builds with a sanitizer have");
}

#else

#include "runtime/callback/callback.h"
#include "tests/stress/schedule_rounds.h"

TestSuite(schedules, .init = set_up, .fini = tear_down, .timeout = 900);

/* --- waits ------------------------------------------------------------------------------------ */

/* Two records of a notify may become one, so its next pair begins when this one is over. */
static void hop(struct walker *walker, aclrtStream from, aclrtStream to)
{
    switch (random_below(&walker->random, 4)) {
    case 0:
        OK(aclrtRecordNotify(walker->notify, from));
        OK(aclrtWaitAndResetNotify(walker->notify, to, 0));
        OK(aclrtSynchronizeStream(to));
        break;
    case 1:
        walker->turns++;
        OK(aclrtValueWrite(walker->value, walker->turns, 0, from));
        OK(aclrtValueWait(walker->value, walker->turns, ACL_STREAM_WAIT_VALUE_GEQ, to));
        break;
    default:
        OK(aclrtRecordEvent(walker->event, from));
        OK(aclrtStreamWaitEvent(to, walker->event));
    }
}

static void *wander(void *argument)
{
    struct walker *walker = argument;
    struct random *random = &walker->random;
    OK(aclrtSetDevice(0));
    aclrtStream at = any_stream(random);
    int64_t steps = random_between(random, 4, 16);
    for (int64_t i = 0; i < steps; i++) {
        if (random_once_in(random, 3))
            OK(aclrtLaunchHostFunc(at, step_on, walker));
        else
            step_in(at, walker);
        walker->expected++;
        aclrtStream next = any_stream(random);
        if (next != at) hop(walker, at, next);
        at = next;
        if (random_once_in(random, 6)) OK(aclrtSynchronizeStream(any_stream(random)));
        if (random_once_in(random, 6)) OK(aclrtSynchronizeEvent(walker->event));
    }
    OK(aclrtSynchronizeStream(at));
    cr_assert_eq(walker->number, walker->expected);
    return NULL;
}

static void walk_together(struct random *random)
{
    static struct walker walkers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        void *value;
        walkers[i] = (struct walker){.random.state = random_next(random)};
        OK(aclrtCreateEventExWithFlag(&walkers[i].event, ACL_EVENT_SYNC));
        OK(aclrtCreateNotify(&walkers[i].notify, 0));
        OK(aclrtMalloc(&value, 64, ACL_MEM_MALLOC_NORMAL_ONLY));
        walkers[i].value = value;
        *walkers[i].value = 0;
    }
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&walkers[i].thread, NULL, wander, &walkers[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(walkers[i].thread, NULL);
        OK(aclrtFree(walkers[i].value));
        OK(aclrtDestroyNotify(walkers[i].notify));
        OK(aclrtDestroyEvent(walkers[i].event));
    }
}

Test(schedules, waits)
{
    run_rounds("waits", walk_together);
}

/* --- ends before the time --------------------------------------------------------------------- */

static void submit_blocked(struct random *random, aclrtStream stream)
{
    for (int64_t i = random_between(random, 1, 5); i > 0; i--) {
        switch (random_below(random, 5)) {
        case 0:
            OK(aclrtWaitAndResetNotify(rival.notify, stream, 0));
            break;
        case 1:
            OK(aclrtStreamWaitEvent(stream, rival.event));
            break;
        case 2:
            OK(aclrtValueWait(rival.value, 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
            break;
        default:
            OK(aclrtLaunchHostFunc(stream, count_function, &rival));
        }
    }
}

static void abort_it(struct random *random)
{
    struct walker after = {.random.state = random_next(random)};
    open_rival(random);
    submit_blocked(random, streams[0]);
    cr_assert_eq(pthread_create(&rival.thread, NULL, disturb, &rival), 0);
    pause_a_little(random);
    if (random_once_in(random, 3)) aclrtStreamStop(streams[0]);
    if (random_once_in(random, 3)) {
        OK(aclrtDestroyStreamForce(streams[0]));
        streams[0] = NULL;
    } else {
        OK(aclrtStreamAbort(streams[0]));
        cr_assert(is_end(aclrtSynchronizeStream(streams[0])));
        step_in(streams[0], &after);
        OK(aclrtSynchronizeStream(streams[0]));
        cr_assert_eq(after.number, 1);
    }
    rival.is_over = true;
    close_rival();
}

Test(schedules, aborts)
{
    run_rounds("aborts", abort_it);
}

/* --- replays ---------------------------------------------------------------------------------- */

/* Other lanes wait for things outside; lane 0 for them, or for something outside as well. */
static aclmdlRI capture(struct random *random)
{
    aclmdlRI graph;
    aclrtEvent edge;
    OK(aclrtCreateEventExWithFlag(&edge, ACL_EVENT_SYNC));
    OK(aclmdlRICaptureBegin(streams[0], ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    OK(aclrtRecordEvent(edge, streams[0]));
    for (int i = 1; i < STREAMS; i++)
        OK(aclrtStreamWaitEvent(streams[i], edge));
    for (int64_t i = random_between(random, 1, 8); i > 0; i--) {
        aclrtStream stream = any_stream(random);
        static struct walker anybody[STREAMS];
        struct walker *own = &anybody[stream == streams[1] ? 1 : stream == streams[2] ? 2 : 0];
        switch (random_below(random, 4)) {
        case 0:
            OK(aclrtWaitAndResetNotify(rival.notify, stream, 0));
            break;
        case 1:
            OK(aclrtValueWait(rival.value, 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
            break;
        case 2:
            OK(aclrtLaunchHostFunc(stream, step_on, own));
            break;
        default:
            step_in(stream, own);
        }
        if (random_once_in(random, 3)) {
            OK(aclrtRecordEvent(edge, stream));
            OK(aclrtStreamWaitEvent(any_stream(random), edge));
        }
    }
    for (int i = 1; i < STREAMS; i++) {
        OK(aclrtRecordEvent(edge, streams[i]));
        OK(aclrtStreamWaitEvent(streams[0], edge));
    }
    OK(aclmdlRICaptureEnd(streams[0], &graph));
    OK(aclrtDestroyEvent(edge));
    return graph;
}

/* Ends a replay that may wait for ever; a second one in another stream is ended the same way. */
static void cancel(struct random *random, aclmdlRI graph, int index)
{
    switch (random_below(random, 4)) {
    case 0:
        OK(aclrtDestroyStreamForce(streams[index]));
        streams[index] = NULL;
        return;
    case 1:
        OK(aclrtStreamAbort(streams[index]));
        break;
    default:
        while (aclrtSynchronizeStreamWithTimeout(streams[index], 1) ==
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
            OK(aclmdlRIAbort(graph));
        return;
    }
    aclError status = aclrtSynchronizeStream(streams[index]);
    cr_assert(is_end(status) || status == ACL_ERROR_RT_MODEL_ABORT_NORMAL, "%d", status);
}

static void replay(struct random *random)
{
    open_rival(random);
    aclmdlRI graph = capture(random);
    bool are_two = random_once_in(random, 2);
    OK(aclmdlRIExecuteAsync(graph, streams[0]));
    if (are_two) OK(aclmdlRIExecuteAsync(graph, streams[2]));
    cr_assert_eq(pthread_create(&rival.thread, NULL, disturb, &rival), 0);
    pause_a_little(random);
    if (random_once_in(random, 2)) {
        /* Whoever is at it is cancelled once, and nothing else sets it going. */
        OK(aclmdlRIAbort(graph));
        pause_a_little(random);
    }
    cancel(random, graph, 0);
    if (are_two) cancel(random, graph, 2);
    OK(aclmdlRIDestroy(graph));
    close_rival();
}

Test(schedules, replays_with_cancels)
{
    run_rounds("replays_with_cancels", replay);
}

/* One replay, begun for sure and cancelled once while its lanes come to what they wait for: it must
 * end with nobody's help. */
static void cancel_once(struct random *random)
{
    open_rival(random);
    aclmdlRI graph = capture(random);
    OK(aclmdlRIExecuteAsync(graph, streams[0]));
    aclrtSynchronizeStreamWithTimeout(streams[0], 1);
    OK(aclrtStreamAbort(streams[0]));
    aclrtSynchronizeStream(streams[0]);
    OK(aclmdlRIExecuteAsync(graph, streams[0]));
    struct rt_graph *inside = graph;
    for (bool has_begun = false; !has_begun;) {
        pthread_mutex_lock(&inside->lock);
        has_begun = inside->runner != NULL;
        pthread_mutex_unlock(&inside->lock);
        if (!has_begun && aclrtSynchronizeStreamWithTimeout(streams[0], 1) == ACL_SUCCESS) break;
    }
    OK(aclmdlRIAbort(graph));
    aclrtSynchronizeStream(streams[0]);
    OK(aclmdlRIDestroy(graph));
    cr_assert_eq(pthread_create(&rival.thread, NULL, disturb, &rival), 0);
    close_rival();
}

Test(schedules, a_cancel_is_enough)
{
    run_rounds("a_cancel_is_enough", cancel_once);
}

/* --- callbacks -------------------------------------------------------------------------------- */

static struct server {
    pthread_t thread;
    atomic_bool serves;
    atomic_int run;
} server;

static void count_callback(void *argument)
{
    struct server *mine = argument;
    atomic_fetch_add(&mine->run, 1);
}

static void *serve(void *argument)
{
    struct server *mine = argument;
    while (atomic_load(&mine->serves)) {
        aclError status = aclrtProcessReport(1);
        cr_assert(status == ACL_SUCCESS || status == ACL_ERROR_RT_REPORT_TIMEOUT ||
                      status == ACL_ERROR_RT_THREAD_SUBSCRIBE,
                  "%d", status);
    }
    return NULL;
}

static void call_back(struct random *random)
{
    int expected = 0;
    atomic_store(&server.run, 0);
    atomic_store(&server.serves, true);
    open_rival(random);
    cr_assert_eq(pthread_create(&server.thread, NULL, serve, &server), 0);
    OK(aclrtSubscribeReport((uint64_t)server.thread, streams[0]));
    for (int64_t i = random_between(random, 1, 8); i > 0; i--) {
        bool blocks = random_once_in(random, 2);
        OK(aclrtLaunchCallback(count_callback, &server,
                               blocks ? ACL_CALLBACK_BLOCK : ACL_CALLBACK_NO_BLOCK, streams[0]));
        expected++;
        if (random_once_in(random, 4)) OK(aclrtSynchronizeStream(streams[0]));
    }
    cr_assert_eq(pthread_create(&rival.thread, NULL, disturb, &rival), 0);
    switch (random_below(random, 4)) {
    case 0:
        OK(aclrtUnSubscribeReport((uint64_t)server.thread, streams[0]));
        aclrtSynchronizeStream(streams[0]); /* what did not run is an error */
        break;
    case 1:
        OK(aclrtStreamAbort(streams[0]));
        cr_assert(is_end(aclrtSynchronizeStream(streams[0])));
        break;
    case 2:
        OK(aclrtDestroyStreamForce(streams[0]));
        streams[0] = NULL;
        break;
    default:
        OK(aclrtSynchronizeStream(streams[0]));
        while (atomic_load(&server.run) < expected)
            sched_yield();
    }
    atomic_store(&server.serves, false);
    pthread_join(server.thread, NULL);
    close_rival();
    cr_assert_leq(atomic_load(&server.run), expected);
}

Test(schedules, callbacks)
{
    atomic_store(&rt_callback_patience_ns, 2000000); /* the server has gone before the stream */
    run_rounds("callbacks", call_back);
}

/* Replays whose callbacks are handed over in two lanes, while they are cancelled. */
static void replay_callbacks(struct random *random)
{
    aclmdlRI graph;
    aclrtEvent edge;
    atomic_store(&server.serves, true);
    cr_assert_eq(pthread_create(&server.thread, NULL, serve, &server), 0);
    OK(aclrtCreateEventExWithFlag(&edge, ACL_EVENT_SYNC));
    for (int i = 0; i < 2; i++)
        OK(aclrtSubscribeReport((uint64_t)server.thread, streams[i]));
    OK(aclmdlRICaptureBegin(streams[0], ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    OK(aclrtRecordEvent(edge, streams[0]));
    OK(aclrtStreamWaitEvent(streams[1], edge));
    for (int64_t i = random_between(random, 1, 6); i > 0; i--)
        OK(aclrtLaunchCallback(count_callback, &server,
                               random_once_in(random, 3) ? ACL_CALLBACK_NO_BLOCK
                                                         : ACL_CALLBACK_BLOCK,
                               streams[random_below(random, 2)]));
    OK(aclrtRecordEvent(edge, streams[1]));
    OK(aclrtStreamWaitEvent(streams[0], edge));
    OK(aclmdlRICaptureEnd(streams[0], &graph));
    OK(aclmdlRIExecuteAsync(graph, streams[0]));
    OK(aclmdlRIExecuteAsync(graph, streams[2]));
    pause_a_little(random);
    if (random_once_in(random, 2)) OK(aclmdlRIAbort(graph));
    cancel(random, graph, 0);
    cancel(random, graph, 2);
    OK(aclmdlRIDestroy(graph));
    OK(aclrtDestroyEvent(edge));
    atomic_store(&server.serves, false);
    pthread_join(server.thread, NULL);
}

Test(schedules, callbacks_of_graphs)
{
    atomic_store(&rt_callback_patience_ns, 2000000);
    run_rounds("callbacks_of_graphs", replay_callbacks);
}

/* --- frees in flight -------------------------------------------------------------------------- */

enum { BYTES = 4096 };

static void *fill_and_free(void *argument)
{
    struct walker *walker = argument;
    struct random *random = &walker->random;
    void *blocks[2];
    OK(aclrtSetDevice(0));
    for (int i = 0; i < 2; i++)
        OK(aclrtMalloc(&blocks[i], BYTES, ACL_MEM_MALLOC_NORMAL_ONLY));
    aclrtStream at = streams[random_below(random, STREAMS)];
    for (int64_t i = random_between(random, 2, 10); i > 0; i--) {
        int byte = (int)random_below(random, 256);
        OK(aclrtMemsetAsync(blocks[0], BYTES, byte, BYTES, at));
        if (random_once_in(random, 3)) {
            aclrtStream next = any_stream(random);
            OK(aclrtRecordEvent(walker->event, at));
            OK(aclrtStreamWaitEvent(next, walker->event));
            at = next;
        }
        OK(aclrtMemcpyAsync(blocks[1], BYTES, blocks[0], BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, at));
        OK(aclrtFree(blocks[0]));
        blocks[0] = blocks[1];
        OK(aclrtMalloc(&blocks[1], BYTES, ACL_MEM_MALLOC_NORMAL_ONLY));
        if (!random_once_in(random, 3)) continue;
        OK(aclrtSynchronizeStream(at));
        for (int k = 0; k < BYTES; k++)
            cr_assert_eq(((unsigned char *)blocks[0])[k], byte);
    }
    for (int i = 0; i < 2; i++)
        OK(aclrtFree(blocks[i]));
    return NULL;
}

static void free_in_flight(struct random *random)
{
    static struct walker walkers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        walkers[i] = (struct walker){.random.state = random_next(random)};
        OK(aclrtCreateEventExWithFlag(&walkers[i].event, ACL_EVENT_SYNC));
        cr_assert_eq(pthread_create(&walkers[i].thread, NULL, fill_and_free, &walkers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(walkers[i].thread, NULL);
        OK(aclrtDestroyEvent(walkers[i].event));
    }
}

Test(schedules, frees)
{
    run_rounds("frees", free_in_flight);
}

#endif
