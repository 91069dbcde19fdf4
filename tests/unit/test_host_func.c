/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "runtime/device/device.h"
#include "tests/unit/gate.h"
#include "tests/unit/lane.h"
#include "tests/unit/process.h"
#include "tests/unit/refusal.h"

static void note(void *argument)
{
    lane_note(*(const char *)argument);
}

/* Blocks until its semaphore is posted. */
struct door {
    sem_t opened;
    atomic_bool is_inside;
};

static void stand_at_door(void *argument)
{
    struct door *door = argument;
    atomic_store(&door->is_inside, true);
    while (sem_wait(&door->opened) != 0) {
    }
}

Test(host_func, runs_in_the_streams_order, .timeout = 600)
{
    struct lane lane = lane_open(0);
    for (int i = 0; i < 50; i++) {
        lane_submit(lane, 'a', 0);
        cr_assert_eq(aclrtLaunchHostFunc(lane.handle, note, lane_letter("b")), ACL_SUCCESS);
        lane_submit(lane, 'c', i % 2 ? RT_SUBMIT_LARGE : 0);
    }
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    cr_assert_eq(lane_logged, 150);
    for (int i = 0; i < 150; i++)
        cr_assert_eq(lane_log[i], 'a' + i % 3, "%d: %s", i, lane_log);
    rt_runtime_shutdown();
}

Test(host_func, runs_although_nobody_synchronises, .timeout = 600)
{
    struct lane lane = lane_open(0);
    cr_assert_eq(aclrtLaunchHostFunc(lane.handle, note, lane_letter("a")), ACL_SUCCESS);
    lane_submit(lane, 'b', 0);
    lane_await(lane_logged == 2);
    cr_expect_str_eq(lane_log, "ab");
}

/* More functions block than there are workers, and other streams go on. */
Test(host_func, blocked_functions_stall_nobody, .timeout = 600)
{
    enum { DOORS = 40 };
    static struct door doors[DOORS];
    struct lane blocked[DOORS];
    setenv("ACLNN_CPU_THREADS", "2", 1);
    for (int i = 0; i < DOORS; i++) {
        blocked[i] = lane_open(0);
        sem_init(&doors[i].opened, 0, 0);
        cr_assert_eq(aclrtLaunchHostFunc(blocked[i].handle, stand_at_door, &doors[i]), ACL_SUCCESS);
        lane_submit(blocked[i], 'z', 0);
    }
    for (int i = 0; i < DOORS; i++)
        lane_await(doors[i].is_inside);
    struct lane free = lane_open(0);
    lane_submit(free, 'a', RT_SUBMIT_LARGE);
    lane_await(lane_logged == 1);
    lane_submit(free, 'b', 0);
    cr_assert_eq(aclrtLaunchHostFunc(free.handle, note, lane_letter("c")), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(free.handle), ACL_SUCCESS);
    cr_expect_str_eq(lane_log, "abc");
    for (int i = 0; i < DOORS; i++)
        sem_post(&doors[i].opened);
    cr_expect_eq(aclrtSynchronizeDevice(), ACL_SUCCESS);
    cr_expect_eq(lane_logged, 3 + DOORS);
    rt_runtime_shutdown();
}

Test(host_func, threads_end_when_idle_and_at_the_end, .timeout = 600)
{
    enum { DOORS = 12 };
    static struct door doors[DOORS];
    int before = process_count(PROCESS_THREADS);
    setenv("ACLNN_CPU_THREADS", "1", 1);
    for (int i = 0; i < DOORS; i++) {
        struct lane lane = lane_open(0);
        sem_init(&doors[i].opened, 0, 0);
        cr_assert_eq(aclrtLaunchHostFunc(lane.handle, stand_at_door, &doors[i]), ACL_SUCCESS);
    }
    for (int i = 0; i < DOORS; i++)
        lane_await(doors[i].is_inside);
    cr_expect_geq(process_count(PROCESS_THREADS), before + DOORS);
    for (int i = 0; i < DOORS; i++)
        sem_post(&doors[i].opened);
    cr_expect_eq(aclrtSynchronizeDevice(), ACL_SUCCESS);
    cr_expect(process_settles(PROCESS_THREADS, before + 3), "a worker and two host threads stay");
    rt_runtime_shutdown();
    cr_expect(process_settles(PROCESS_THREADS, before), "none is left");
}

/* What must not be called inside a function, and what may be. */
static aclError inside[8];
static struct lane the_lane;
static int pageable[2];

static void try_everything(void *argument)
{
    (void)argument;
    aclrtStream stream = the_lane.handle;
    aclrtContext context = NULL;
    aclrtEvent event;
    inside[0] = aclrtSynchronizeStream(stream);
    inside[1] = aclrtSynchronizeDevice();
    inside[2] = aclrtSynchronizeStreamWithTimeout(stream, 1000);
    inside[3] = aclrtDestroyStream(stream);
    inside[4] = aclrtMemcpyAsync(&pageable[0], sizeof(int), &pageable[1], sizeof(int),
                                 ACL_MEMCPY_DEFAULT, stream);
    inside[5] = aclFinalize();
    inside[6] = aclrtResetDevice(0);
    if (aclrtGetCurrentContext(&context) == ACL_SUCCESS && context) lane_note('c');
    if (aclrtCreateEvent(&event) == ACL_SUCCESS && aclrtRecordEvent(event, stream) == ACL_SUCCESS)
        lane_note('e');
    inside[7] = aclrtSynchronizeEvent(event);
    lane_submit(the_lane, 's', 0);
}

Test(host_func, waiting_inside_is_refused_and_submitting_is_not, .timeout = 600)
{
    the_lane = lane_open(0);
    cr_assert_eq(aclrtLaunchHostFunc(the_lane.handle, try_everything, NULL), ACL_SUCCESS);
    lane_await(lane_logged >= 2); /* what it submits comes behind what is synchronised now */
    cr_expect_eq(aclrtSynchronizeStream(the_lane.handle), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(the_lane.handle), ACL_SUCCESS);
    for (int i = 0; i < 8; i++)
        cr_expect_eq(inside[i], ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "call %d: %d", i, inside[i]);
    cr_expect_str_eq(lane_log, "ces");
}

static void *open_door(void *argument)
{
    struct door *door = argument;
    lane_await(door->is_inside);
    for (int i = 0; i < 20; i++)
        lane_nap();
    lane_note('o');
    sem_post(&door->opened);
    return NULL;
}

Test(host_func, a_forced_end_waits_for_what_has_begun_and_drops_the_rest, .timeout = 600)
{
    static struct door door;
    pthread_t thread;
    struct lane lane = lane_open(0);
    sem_init(&door.opened, 0, 0);
    cr_assert_eq(aclrtLaunchHostFunc(lane.handle, stand_at_door, &door), ACL_SUCCESS);
    cr_assert_eq(aclrtLaunchHostFunc(lane.handle, note, lane_letter("x")), ACL_SUCCESS);
    lane_submit(lane, 'x', 0);
    cr_assert_eq(pthread_create(&thread, NULL, open_door, &door), 0);
    lane_await(door.is_inside);
    cr_expect_eq(aclrtDestroyStreamForce(lane.handle), ACL_SUCCESS);
    lane_note('d');
    pthread_join(thread, NULL);
    cr_expect_str_eq(lane_log, "od");
    rt_runtime_shutdown();
}

/* --- beside a worker that computes ----------------------------------------------------------- */

/* One worker, which stands at a gate: what is queued behind a function begins nevertheless, up to
 * what takes a worker. */
Test(host_func, the_next_one_begins_although_all_workers_compute, .timeout = 600)
{
    static struct door door;
    static struct gate gate;
    aclrtEvent event;
    setenv("ACLNN_CPU_THREADS", "1", 1);
    struct lane lane = lane_open(0), busy = lane_open(0);
    sem_init(&door.opened, 0, 0);
    cr_assert_eq(aclrtCreateEvent(&event), ACL_SUCCESS);
    cr_assert_eq(aclrtLaunchHostFunc(lane.handle, stand_at_door, &door), ACL_SUCCESS);
    cr_assert_eq(aclrtRecordEvent(event, lane.handle), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(lane.handle, event), ACL_SUCCESS);
    cr_assert_eq(aclrtLaunchHostFunc(lane.handle, note, lane_letter("b")), ACL_SUCCESS);
    lane_submit(lane, 'c', 0);
    lane_await(door.is_inside);
    gate_close(&gate, busy.stream);
    lane_await(lane_is(busy, RT_STREAM_RUNNING));
    sem_post(&door.opened);
    lane_await(lane_logged == 1);
    gate_open(&gate);
    cr_expect_eq(aclrtSynchronizeDevice(), ACL_SUCCESS);
    cr_expect_str_eq(lane_log, "bc");
}

static void take_time(struct rt_task *task, struct rt_stream *stream)
{
    (void)task;
    (void)stream;
    lane_nap();
}

/* One worker gives way between long tasks: what waits for one of them does not wait for all. */
Test(host_func, a_worker_gives_way_between_long_tasks, .timeout = 600)
{
    static const struct rt_task_kind long_kind = {.name = "long", .run = take_time};
    const struct rt_task long_task = {.kind = &long_kind};
    aclrtEvent event;
    setenv("ACLNN_CPU_THREADS", "1", 1);
    struct lane lane = lane_open(0), busy = lane_open(0);
    cr_assert_eq(aclrtCreateEvent(&event), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(lane.handle, event), ACL_SUCCESS);
    lane_submit(lane, 'f', 0);
    lane_await(lane_is(lane, RT_STREAM_PARKED));
    for (int i = 0; i < 40; i++) {
        cr_assert_eq(rt_stream_submit(busy.stream, &long_task, 0), ACL_SUCCESS);
        if (i == 1) cr_assert_eq(aclrtRecordEvent(event, busy.handle), ACL_SUCCESS);
    }
    lane_submit(busy, 'l', 0);
    lane_await(lane_logged == 2);
    cr_expect_str_eq(lane_log, "fl");
}

/* --- ends ------------------------------------------------------------------------------------- */

/* A function that was discarded before it began leaves nothing behind for the next one. */
Test(host_func, discards_at_any_moment, .timeout = 600)
{
    struct lane lane = lane_open(0);
    for (int i = 0; i < 3000; i++) {
        static char nothing;
        lane_logged = 0;
        cr_assert_eq(aclrtLaunchHostFunc(lane.handle, note, &nothing), ACL_SUCCESS);
        for (volatile int spin = 0; spin < i % 400; spin++) {
        }
        cr_assert_eq(aclrtStreamAbort(lane.handle), ACL_SUCCESS);
        cr_assert_eq(aclrtSynchronizeStream(lane.handle), ACL_ERROR_RT_STREAM_ABORT);
        unsigned before = lane_logged;
        cr_assert_eq(aclrtLaunchHostFunc(lane.handle, note, &nothing), ACL_SUCCESS);
        cr_assert_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
        cr_assert_eq(lane_logged, before + 1);
    }
    rt_runtime_shutdown();
}

Test(host_func, finalize_waits_for_functions, .timeout = 600)
{
    static struct door door;
    pthread_t thread;
    struct lane lane = lane_open(0);
    sem_init(&door.opened, 0, 0);
    cr_assert_eq(aclrtLaunchHostFunc(lane.handle, stand_at_door, &door), ACL_SUCCESS);
    lane_submit(lane, 'a', 0);
    cr_assert_eq(pthread_create(&thread, NULL, open_door, &door), 0);
    rt_runtime_shutdown();
    cr_expect_str_eq(lane_log, "oa", "no work is lost");
    pthread_join(thread, NULL);
}

Test(host_func, refusals)
{
    struct lane lane = lane_open(0);
    expect_refused(aclrtLaunchHostFunc(lane.handle, NULL, NULL), ACL_ERROR_RT_PARAM_INVALID,
                   "fn is NULL");
    expect_refused(aclrtLaunchHostFunc(&lane, note, NULL), ACL_ERROR_RT_INVALID_HANDLE, "stream");
    cr_expect_eq(aclrtLaunchHostFunc(NULL, note, lane_letter("a")), ACL_SUCCESS);
    expect_refused(aclrtSubscribeReport((uint64_t)pthread_self(), NULL),
                   ACL_ERROR_RT_STREAM_SUBSCRIBE, "aclrtLaunchHostFunc");
    cr_expect_eq(aclrtSynchronizeStream(NULL), ACL_SUCCESS);
    cr_expect_str_eq(lane_log, "a");
}

static pid_t forked;

/* In the child the function's thread is the last one: it ends the process. */
static void leave_at_once(void)
{
    _exit(7); /* before anything else looks at the end, such as a search for leaks */
}

static void fork_inside(void *argument)
{
    (void)argument;
    forked = fork();
    if (forked != 0) return;
    process_begin_child();
    atexit(leave_at_once);
}

Test(host_func, a_function_may_fork, .timeout = 600)
{
    process_begin_forks();
    struct lane lane = lane_open(0);
    int status = -1;
    cr_assert_eq(aclrtLaunchHostFunc(lane.handle, fork_inside, NULL), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    cr_assert_gt(forked, 0);
    cr_assert_eq(waitpid(forked, &status, 0), forked);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 7, "it ended by itself: %x",
              (unsigned)status);
    rt_runtime_shutdown();
}

Test(host_func, a_child_starts_afresh, .timeout = 600)
{
    process_begin_forks();
    static struct door door;
    struct lane lane = lane_open(0);
    int status = -1;
    sem_init(&door.opened, 0, 0);
    cr_assert_eq(aclrtLaunchHostFunc(lane.handle, stand_at_door, &door), ACL_SUCCESS);
    lane_await(door.is_inside);
    pid_t child = fork();
    if (child == 0) {
        process_begin_child();
        if (aclrtLaunchHostFunc(lane.handle, note, lane_letter("a")) != ACL_SUCCESS) _exit(1);
        if (aclrtSynchronizeStream(lane.handle) != ACL_SUCCESS) _exit(2);
        rt_runtime_shutdown();
        _exit(lane_logged == 1 ? 0 : 3);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect_eq(status, 0, "%d", status);
    sem_post(&door.opened);
    cr_expect_eq(aclrtSynchronizeStream(lane.handle), ACL_SUCCESS);
    cr_expect_eq(lane_logged, 0, "the child's is not ours");
    rt_runtime_shutdown();
}
