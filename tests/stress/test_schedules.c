/* SPDX-License-Identifier: Apache-2.0 */
/* Short programs under many schedules: waits, aborts, ends by force, replays that are cancelled,
 * host functions, callbacks, frees in flight. Each round must end, and what is not dropped must
 * have run in order. Counters are plain, so that the thread sanitizer checks the order as well. */
#include <criterion/criterion.h>

#ifndef ACLNN_CPU_POINTS

Test(schedules, need_points)
{
    cr_skip_test("needs points (runtime/point.h), which only builds with a sanitizer have");
}

#else

#include <semaphore.h>
#include <string.h>

#include "acl/acl.h"
#include "runtime/callback.h"
#include "runtime/stream.h"
#include "runtime/thread.h"
#include "tests/stress/schedule.h"
#include "tests/unit/process.h"

enum { STREAMS = 3, THREADS = 3, ROUNDS = 200, ROUNDS_PER_LIFE = 20 };

static aclrtStream streams[STREAMS];

#define OK(call) cr_assert_eq((call), ACL_SUCCESS, "%s: %s", #call, aclGetRecentErrMsg())

static void set_up(void)
{
    setenv("ACLNN_CPU_THREADS", "3", 1);
    schedule_begin();
}

static void tear_down(void)
{
    schedule_end();
}

TestSuite(schedules, .init = set_up, .fini = tear_down, .timeout = 900);

static void open_streams(void)
{
    OK(aclrtSetDevice(0));
    for (uint32_t i = 0; i < STREAMS; i++)
        OK(aclrtCreateStreamWithConfig(&streams[i], i, 0));
}

/* The library is initialised anew now and then: its threads come and go, too. */
static void run_rounds(const char *name, void (*round)(struct random *random))
{
    int64_t rounds = random_test_count(ROUNDS);
    for (int64_t i = 0; i < rounds; i++) {
        struct random random = schedule_round(name, i);
        if (i % ROUNDS_PER_LIFE == 0) OK(aclInit(NULL));
        open_streams();
        round(&random);
        for (int s = 0; s < STREAMS; s++)
            if (streams[s]) OK(aclrtDestroyStream(streams[s]));
        if (i % ROUNDS_PER_LIFE == ROUNDS_PER_LIFE - 1 || i == rounds - 1) OK(aclFinalize());
    }
}

static void pause_a_little(struct random *random)
{
    struct timespec nap = {.tv_nsec = (long)random_below(random, 300000)};
    if (random_once_in(random, 2)) nanosleep(&nap, NULL);
}

static aclrtStream any_stream(struct random *random)
{
    return streams[random_below(random, STREAMS)];
}

/* --- waits ------------------------------------------------------------------------------------ */

/* A number that wanders from stream to stream, one more at each stop. */
struct walker {
    struct random random;
    pthread_t thread;
    aclrtEvent event;
    aclrtNotify notify;
    uint64_t *value;
    uint64_t turns;
    int number, expected;
};

static void step_on(void *argument)
{
    struct walker *walker = argument;
    walker->number = walker->number + 1;
}

static void run_step(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    step_on(task->word[0].pointer);
}

static const struct rt_task_kind step_kind = {.name = "step", .run = run_step, .rerun = run_step};

static void step_in(aclrtStream handle, struct walker *walker)
{
    struct rt_stream *stream;
    struct rt_task task = {.kind = &step_kind, .word[0].pointer = walker};
    OK(rt_stream_resolve(__func__, handle, &stream));
    OK(rt_stream_submit(stream, &task, random_once_in(&walker->random, 3) ? RT_SUBMIT_LARGE : 0));
}

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

static struct rival {
    struct random random;
    pthread_t thread;
    aclrtNotify notify;
    aclrtEvent event;
    uint64_t *value;
    bool is_over; /* nothing of the round may run any more */
    int functions;
} rival;

static void count_function(void *argument)
{
    struct rival *mine = argument;
    cr_assert(!mine->is_over);
    mine->functions++;
}

/* Brings what the stream may be waiting for, or looks at it. */
static void *disturb(void *argument)
{
    struct rival *mine = argument;
    struct random *random = &mine->random;
    OK(aclrtSetDevice(0));
    for (int64_t i = random_below(random, 5); i > 0; i--) {
        pause_a_little(random);
        switch (random_below(random, 4)) {
        case 0:
            OK(aclrtRecordNotify(mine->notify, streams[1]));
            break;
        case 1:
            OK(aclrtRecordEvent(mine->event, streams[1]));
            break;
        case 2:
            OK(aclrtValueWrite(mine->value, 1, 0, streams[1]));
            break;
        default:
            OK(aclrtSynchronizeStreamWithTimeout(streams[1], -1));
        }
    }
    return NULL;
}

static void open_rival(struct random *random)
{
    void *value;
    rival = (struct rival){.random.state = random_next(random)};
    OK(aclrtCreateEventWithFlag(&rival.event, ACL_EVENT_SYNC));
    OK(aclrtCreateNotify(&rival.notify, 0));
    OK(aclrtMalloc(&value, 64, ACL_MEM_MALLOC_NORMAL_ONLY));
    rival.value = value;
    *rival.value = 0;
}

static void close_rival(void)
{
    pthread_join(rival.thread, NULL);
    OK(aclrtSynchronizeStream(streams[1]));
    OK(aclrtFree(rival.value));
    OK(aclrtDestroyNotify(rival.notify));
    OK(aclrtDestroyEvent(rival.event));
}

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

static bool is_end(aclError status)
{
    return status == ACL_SUCCESS || status == ACL_ERROR_RT_STREAM_ABORT ||
           status == ACL_ERROR_RT_TASK_ABORT_STOP;
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

Test(schedules, host_functions)
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

Test(schedules, discards)
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
Test(schedules, a_late_return_is_not_the_next_functions)
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

static void delay_first_wake(const char *name)
{
    if (strcmp(name, "before a wake") != 0 || !rt_self.in_callback) return;
    if (atomic_fetch_add(&returns, 1) > 0) return;
    struct timespec nap = {.tv_nsec = 50000000};
    sem_post(&return_begun);
    nanosleep(&nap, NULL);
}

static void await_parking(void *argument)
{
    struct rt_stream *stream = argument;
    for (bool is_parked = false; !is_parked; sched_yield()) {
        rt_lock_take(&stream->lock);
        is_parked = stream->state == RT_STREAM_PARKED;
        rt_lock_give(&stream->lock);
    }
}

/* A function's thread has given its stream back and is about to wake a worker when the library
 * ends: no worker may be started after the others were joined. The function ends when its stream is
 * parked, for else the worker that runs the stream goes on with it, and nobody is to be woken. */
Test(schedules, no_worker_outlives_a_late_wake)
{
    struct rt_stream *stream;
    int threads = process_count(PROCESS_THREADS);
    cr_assert_eq(sem_init(&return_begun, 0, 0), 0);
    atomic_store(&rt_point_hooked, delay_first_wake);
    schedule_round("no_worker_outlives_a_late_wake", 0);
    OK(aclInit(NULL));
    open_streams();
    OK(rt_stream_resolve(__func__, streams[0], &stream));
    OK(aclrtLaunchHostFunc(streams[0], await_parking, stream));
    sem_wait(&return_begun);
    OK(aclFinalize());
    cr_assert(process_settles(PROCESS_THREADS, threads));
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
