/* SPDX-License-Identifier: Apache-2.0 */
/* Many streams, events between them, several submitting threads. The order inside a stream is
 * checked by plain variables, so that the thread sanitizer checks the ordering as well. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "acl/acl_rt.h"
#include "runtime/device/device.h"
#include "runtime/schedule/pool.h"
#include "runtime/schedule/stream.h"

enum {
    STREAMS = 64,
    TASKS = 10000,
    THREADS = 4,
    EVENTS = 32,
    OWN = STREAMS / THREADS, /* streams per submitting thread */
};

struct lane {
    aclrtStream handle;
    struct rt_stream *stream;
    uint64_t submitted;       /* by its thread */
    uint64_t done;            /* by its tasks, one after the other: deliberately not atomic */
    _Atomic uint64_t visible; /* the same for tasks of other streams */
};

struct shared_event {
    pthread_mutex_t lock;
    aclrtEvent event;
    struct lane *lane; /* where it was last recorded, and behind how many tasks */
    uint64_t promised;
};

static struct lane lanes[STREAMS];
static struct shared_event events[EVENTS];
static _Atomic uint64_t out_of_order, too_early;

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void count(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    struct lane *lane = task->word[0].pointer;
    if (lane->done != task->word[1].number) atomic_fetch_add(&out_of_order, 1);
    lane->done++;
    atomic_store_explicit(&lane->visible, lane->done, memory_order_relaxed);
}

static void expect(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    const struct lane *lane = task->word[0].pointer;
    if (atomic_load_explicit(&lane->visible, memory_order_relaxed) < task->word[1].number)
        atomic_fetch_add(&too_early, 1);
}

static const struct rt_task_kind count_kind = {.name = "count", .run = count};
static const struct rt_task_kind expect_kind = {.name = "expect", .run = expect};

static void submit_count(struct lane *lane, unsigned flags)
{
    struct rt_task task = {.kind = &count_kind,
                           .word = {{.pointer = lane}, {.number = lane->submitted}}};
    lane->submitted++;
    cr_assert_eq(rt_stream_submit(lane->stream, &task, flags), ACL_SUCCESS);
}

static void record_somewhere(struct lane *lane, uint32_t random)
{
    struct shared_event *event = &events[random % EVENTS];
    pthread_mutex_lock(&event->lock);
    cr_assert_eq(aclrtRecordEvent(event->event, lane->handle), ACL_SUCCESS);
    event->lane = lane;
    event->promised = lane->submitted;
    pthread_mutex_unlock(&event->lock);
}

static void wait_somewhere(struct lane *lane, uint32_t random)
{
    struct shared_event *event = &events[random % EVENTS];
    pthread_mutex_lock(&event->lock);
    if (event->lane) {
        struct rt_task task = {.kind = &expect_kind,
                               .word = {{.pointer = event->lane}, {.number = event->promised}}};
        cr_assert_eq(aclrtStreamWaitEvent(lane->handle, event->event), ACL_SUCCESS);
        cr_assert_eq(rt_stream_submit(lane->stream, &task, 0), ACL_SUCCESS);
    }
    pthread_mutex_unlock(&event->lock);
}

static void *submit_all(void *argument)
{
    struct lane *own = argument;
    uint32_t state = 12345u + (uint32_t)(own - lanes) * 7919u;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    for (int i = 0; i < OWN * TASKS; i++) {
        struct lane *lane = &own[next_random(&state) % OWN];
        while (lane->submitted == TASKS)
            lane = lane + 1 < own + OWN ? lane + 1 : own;
        uint32_t what = next_random(&state) % 1000;
        submit_count(lane, what % 16 == 0 ? RT_SUBMIT_LARGE : 0);
        if (what < 100) record_somewhere(lane, next_random(&state));
        if (what >= 100 && what < 200) wait_somewhere(lane, next_random(&state));
        if (what == 200) cr_assert_eq(aclrtSynchronizeStream(lane->handle), ACL_SUCCESS);
        if (what == 201)
            cr_assert_eq(aclrtSynchronizeEvent(events[next_random(&state) % EVENTS].event),
                         ACL_SUCCESS);
        if (what == 202) {
            aclrtStreamStatus status;
            cr_assert_eq(aclrtStreamQuery(lane->handle, &status), ACL_SUCCESS);
        }
    }
    return NULL;
}

static void open_lanes(void)
{
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    for (int i = 0; i < STREAMS; i++) {
        cr_assert_eq(aclrtCreateStream(&lanes[i].handle), ACL_SUCCESS);
        cr_assert_eq(rt_stream_resolve(__func__, lanes[i].handle, &lanes[i].stream), ACL_SUCCESS);
    }
}

Test(stress, order_holds_with_random_events, .timeout = 600)
{
    pthread_t threads[THREADS];
    open_lanes();
    for (int i = 0; i < EVENTS; i++) {
        pthread_mutex_init(&events[i].lock, NULL);
        cr_assert_eq(aclrtCreateEventExWithFlag(&events[i].event, ACL_EVENT_SYNC), ACL_SUCCESS);
    }
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, submit_all, &lanes[i * OWN]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(aclrtSynchronizeDevice(), ACL_SUCCESS);
    for (int i = 0; i < STREAMS; i++)
        cr_expect_eq(lanes[i].done, TASKS, "stream %d ran %lu tasks", i,
                     (unsigned long)lanes[i].done);
    cr_expect_eq(out_of_order, 0);
    cr_expect_eq(too_early, 0);
    for (int i = 0; i < STREAMS; i++)
        cr_expect_eq(aclrtDestroyStream(lanes[i].handle), ACL_SUCCESS);
    for (int i = 0; i < EVENTS; i++)
        cr_expect_eq(aclrtDestroyEvent(events[i].event), ACL_SUCCESS);
    rt_runtime_shutdown();
}

/* One stream, many submitters: every task runs once, each thread's in its order. */
static uint64_t next_of[THREADS];

static void follow(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    uint64_t *next = task->word[0].pointer;
    if (*next != task->word[1].number) atomic_fetch_add(&out_of_order, 1);
    ++*next;
}

static const struct rt_task_kind follow_kind = {.name = "follow", .run = follow};

static void *submit_to_one(void *argument)
{
    struct rt_task task = {.kind = &follow_kind, .word[0].pointer = argument};
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    for (uint64_t i = 0; i < 5 * TASKS; i++) {
        task.word[1].number = i;
        cr_assert_eq(rt_stream_submit(lanes[0].stream, &task, 0), ACL_SUCCESS);
        if (i % 1000 == 0) cr_assert_eq(aclrtSynchronizeStream(lanes[0].handle), ACL_SUCCESS);
    }
    return NULL;
}

Test(stress, many_threads_share_a_stream, .timeout = 600)
{
    pthread_t threads[THREADS];
    open_lanes();
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, submit_to_one, &next_of[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(aclrtSynchronizeStream(lanes[0].handle), ACL_SUCCESS);
    for (int i = 0; i < THREADS; i++)
        cr_expect_eq(next_of[i], 5 * TASKS);
    cr_expect_eq(out_of_order, 0);
    rt_runtime_shutdown();
}

/* What is deferred is released after the tasks that were queued before, and all of it is. */
struct piece {
    struct rt_deferred deferred;
    _Atomic uint64_t users;
};

static _Atomic uint64_t released, in_use;

static void use_piece(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    struct piece *piece = task->word[0].pointer;
    atomic_fetch_sub_explicit(&piece->users, 1, memory_order_relaxed);
}

static void release_piece(struct rt_deferred *deferred)
{
    struct piece *piece = (struct piece *)deferred;
    if (atomic_load_explicit(&piece->users, memory_order_relaxed) != 0)
        atomic_fetch_add(&in_use, 1);
    free(piece);
    atomic_fetch_add(&released, 1);
}

static const struct rt_task_kind use_kind = {.name = "use", .run = use_piece};

static void *defer_many(void *argument)
{
    struct lane *own = argument;
    uint32_t state = 999u + (uint32_t)(own - lanes);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    for (int i = 0; i < TASKS; i++) {
        struct piece *piece = malloc(sizeof(*piece));
        uint32_t users = next_random(&state) % 4;
        *piece = (struct piece){.deferred = {.release = release_piece}, .users = users};
        struct rt_task task = {.kind = &use_kind, .word[0].pointer = piece};
        for (uint32_t u = 0; u < users; u++)
            cr_assert_eq(rt_stream_submit(own[next_random(&state) % OWN].stream, &task, 0),
                         ACL_SUCCESS);
        rt_defer(&piece->deferred);
        if (i % 64 == 0)
            cr_assert_eq(aclrtSynchronizeStream(own[next_random(&state) % OWN].handle),
                         ACL_SUCCESS);
    }
    return NULL;
}

Test(stress, deferred_release_waits_for_its_users, .timeout = 600)
{
    pthread_t threads[THREADS];
    open_lanes();
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, defer_many, &lanes[i * OWN]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    rt_runtime_shutdown();
    cr_expect_eq(released, THREADS * TASKS);
    cr_expect_eq(in_use, 0);
}

/* Loops from tasks and from user threads at once. */
enum { ITEMS = 10000, LOOPS = 300 };

static void add_items(void *context, int64_t begin, int64_t end)
{
    _Atomic int64_t *sum = context;
    int64_t part = 0;
    for (int64_t i = begin; i < end; i++)
        part += i;
    atomic_fetch_add_explicit(sum, part, memory_order_relaxed);
}

static void run_loop(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    rt_parallel_for(rt_pool_default(), add_items, task->word[0].pointer, ITEMS, 1);
}

static const struct rt_task_kind loop_kind = {.name = "loop", .run = run_loop};

static void *loop_many(void *argument)
{
    struct lane *lane = argument;
    _Atomic int64_t mine = 0, theirs = 0;
    struct rt_task task = {.kind = &loop_kind, .word[0].pointer = (void *)&theirs};
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    for (int i = 0; i < LOOPS; i++) {
        cr_assert_eq(rt_stream_submit(lane->stream, &task, RT_SUBMIT_LARGE), ACL_SUCCESS);
        rt_parallel_for(rt_pool_default(), add_items, (void *)&mine, ITEMS, 1);
        if (i % 2) cr_assert_eq(aclrtSynchronizeStream(lane->handle), ACL_SUCCESS);
    }
    cr_assert_eq(aclrtSynchronizeStream(lane->handle), ACL_SUCCESS);
    const int64_t one = (int64_t)ITEMS * (ITEMS - 1) / 2;
    cr_expect_eq(mine, LOOPS * one);
    cr_expect_eq(theirs, LOOPS * one);
    return NULL;
}

Test(stress, loops_from_tasks_and_threads, .timeout = 600)
{
    pthread_t threads[THREADS];
    open_lanes();
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, loop_many, &lanes[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    rt_runtime_shutdown();
}

/* Streams come and go while others wait for them: plain events, waited for before and after their
 * record, forced ends, waits that give up. Each must end, and what is not forced must run. */
enum { LIVES = 2000 };

static void wait_then_record(struct lane *lane, aclrtStream other, aclrtEvent event)
{
    cr_assert_eq(aclrtResetEvent(event, other), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(lane->handle, event), ACL_SUCCESS);
    submit_count(lane, 0);
    cr_assert_eq(aclrtRecordEvent(event, other), ACL_SUCCESS);
}

static void end_by_force(struct lane *lane, aclrtEvent event, uint32_t random)
{
    aclrtEvent never;
    cr_assert_eq(aclrtCreateEventWithFlag(&never, ACL_EVENT_SYNC), ACL_SUCCESS);
    if (random % 2) cr_assert_eq(aclrtStreamWaitEvent(lane->handle, never), ACL_SUCCESS);
    cr_assert_eq(aclrtRecordEvent(event, lane->handle), ACL_SUCCESS);
    submit_count(lane, random % 3 ? 0 : RT_SUBMIT_LARGE);
    if (random % 2)
        cr_assert_eq(aclrtSynchronizeStreamWithTimeout(lane->handle, 1),
                     ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    cr_assert_eq(aclrtDestroyStreamForce(lane->handle), ACL_SUCCESS);
    cr_assert_eq(aclrtDestroyEvent(never), ACL_SUCCESS);
    lane->submitted = lane->done;
}

static void end_in_peace(struct lane *lane, uint32_t random)
{
    if (random % 2) cr_assert_eq(aclrtSynchronizeStream(lane->handle), ACL_SUCCESS);
    cr_assert_eq(aclrtDestroyStream(lane->handle), ACL_SUCCESS);
    cr_expect_eq(lane->done, lane->submitted);
}

static void *live_and_die(void *argument)
{
    struct lane *lane = argument;
    uint32_t state = 77u + (uint32_t)(lane - lanes) * 131u;
    aclrtStream other;
    aclrtEvent event;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&other), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC), ACL_SUCCESS);
    cr_assert_eq(aclrtRecordEvent(event, other), ACL_SUCCESS);
    for (int i = 0; i < LIVES; i++) {
        uint32_t random = next_random(&state);
        cr_assert_eq(aclrtCreateStream(&lane->handle), ACL_SUCCESS);
        cr_assert_eq(rt_stream_resolve(__func__, lane->handle, &lane->stream), ACL_SUCCESS);
        for (uint32_t k = random % 50; k > 0; k--)
            submit_count(lane, next_random(&state) % 8 ? 0 : RT_SUBMIT_LARGE);
        if (random >> 8 & 1) wait_then_record(lane, other, event);
        if (random >> 9 & 1)
            end_in_peace(lane, random >> 10);
        else
            end_by_force(lane, event, random >> 10);
        /* A forced end lets those go on who wait for a record that was dropped. */
        cr_assert_eq(aclrtStreamWaitEvent(other, event), ACL_SUCCESS);
        if (random >> 12 & 1) cr_assert_eq(aclrtSynchronizeStream(other), ACL_SUCCESS);
    }
    cr_assert_eq(aclrtDestroyStream(other), ACL_SUCCESS);
    cr_assert_eq(aclrtDestroyEvent(event), ACL_SUCCESS);
    return NULL;
}

Test(stress, streams_come_and_go, .timeout = 600)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, live_and_die, &lanes[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    cr_expect_eq(out_of_order, 0);
    rt_runtime_shutdown();
}
