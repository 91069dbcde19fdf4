/* SPDX-License-Identifier: Apache-2.0 */
/* Replaying: what runs, in which order, how often, and what becomes of it when things end early.
 * Order is checked through plain variables, so that the thread sanitizer checks it as well. */
#include <criterion/criterion.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "runtime/capture/graph.h"
#include "runtime/schedule/queue.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/alloc.h"
#include "tests/unit/gate.h"
#include "tests/unit/graph_tasks.h"
#include "tests/unit/process.h"
#include "tests/unit/refusal.h"

TestSuite(graph, .init = set_up, .fini = tear_down, .timeout = 600);

/* --- one stream ------------------------------------------------------------------------------ */

Test(graph, captured_copies_run_in_replays_only)
{
    char *a, *b;
    cr_assert_eq(aclrtMalloc((void **)&a, 256, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    cr_assert_eq(aclrtMalloc((void **)&b, 256, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    memset(a, 0, 256);
    memset(b, 0, 256);
    begin(streams[0]);
    cr_assert_eq(aclrtMemsetAsync(a, 256, 7, 256, streams[0]), 0);
    cr_assert_eq(aclrtMemcpyAsync(b, 256, a, 256, ACL_MEMCPY_DEVICE_TO_DEVICE, streams[0]), 0);
    cr_assert_eq(aclrtMemcpyAsync(b, 8, a + 8, 8, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, streams[0]), 0);
    a[8] = 99; /* the buffered copy has its own source */
    aclmdlRI graph = end(streams[0]);
    cr_assert_eq(a[0], 0);
    for (int i = 0; i < 3; i++) {
        memset(b, 0, 256);
        replay(graph, streams[i % 2]);
        synchronise(streams[i % 2]);
        cr_assert_eq(a[255], 7);
        cr_assert_eq(b[0], 0);
        cr_assert_eq(b[8], 7);
    }
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
    aclrtFree(a);
    aclrtFree(b);
}

Test(graph, tasks_keep_their_order_and_are_released_once)
{
    begin(streams[0]);
    for (int i = 0; i < 5; i++)
        cr_assert_eq(submit_append(streams[0], i), 0);
    aclmdlRI graph = end(streams[0]);
    cr_assert_eq(traced, 0);
    replay(graph, streams[0]);
    cr_assert_eq(submit_append(streams[0], 77), 0); /* behind the replay, whole */
    replay(graph, streams[0]);
    synchronise(streams[0]);
    expect_trace((int[]){0, 1, 2, 3, 4, 77, 0, 1, 2, 3, 4}, 11);
    cr_assert_eq(atomic_load(&dropped), 1);
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
    cr_assert_eq(atomic_load(&dropped), 6);
    cr_assert_eq(aclmdlRIExecuteAsync(graph, streams[0]), ACL_ERROR_RT_INVALID_HANDLE);
    cr_assert_eq(aclmdlRIDestroy(graph), ACL_ERROR_RT_INVALID_HANDLE);
}

Test(graph, an_empty_graph_runs)
{
    begin(streams[0]);
    aclmdlRI graph = end(streams[0]);
    replay(graph, streams[0]);
    synchronise(streams[0]);
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

Test(graph, a_replay_allocates_nothing)
{
    begin(streams[0]);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(submit_append(streams[0], i), 0);
    hand(streams[0], 0, streams[1]);
    cr_assert_eq(submit_append(streams[1], 3), 0);
    hand(streams[1], 1, streams[0]);
    aclmdlRI graph = end(streams[0]);
    struct rt_stream *queue;
    cr_assert_eq(rt_stream_resolve(__func__, streams[0], &queue), 0);
    cr_assert(rt_queue_reserve(queue, 8)); /* for replays whose runner still holds the stream */
    for (int i = 0; i < 100; i++) {
        if (i == 10) rt_alloc_fail_at(0);
        replay(graph, streams[0]);
        synchronise(streams[0]);
    }
    cr_assert_eq(rt_alloc_fail_at(0), 0);
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

static void fail_task(struct rt_task *task, struct rt_stream *stream)
{
    rt_stream_fail(stream, (aclError)task->word[0].number, "a captured task fails");
}

Test(graph, errors_of_tasks_reach_the_stream)
{
    static const struct rt_task_kind kind = {.name = "fail", .run = fail_task, .rerun = fail_task};
    struct rt_task task = {.kind = &kind, .word[0].number = ACL_ERROR_RT_AICORE_EXCEPTION};
    begin(streams[0]);
    cr_assert_eq(submit_append(streams[0], 1), 0);
    hand(streams[0], 0, streams[1]);
    cr_assert_eq(rt_stream_submit(streams[1], &task, 0), 0);
    cr_assert_eq(submit_append(streams[0], 2), 0);
    hand(streams[1], 1, streams[0]);
    aclmdlRI graph = end(streams[0]);
    for (int i = 0; i < 2; i++) {
        replay(graph, streams[2]);
        cr_assert_eq(aclrtSynchronizeStream(streams[2]), ACL_ERROR_RT_AICORE_EXCEPTION);
        expect_trace((int[]){1, 2}, 2);
    }
    synchronise(streams[1]);
    cr_assert_eq(aclmdlRIExecute(graph, -1), ACL_ERROR_RT_AICORE_EXCEPTION);
    cr_assert_eq(aclmdlRIExecute(graph, 600000), ACL_ERROR_RT_AICORE_EXCEPTION);
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

/* --- several streams ---------------------------------------------------------------------------
 */

Test(graph, a_chain_through_streams_is_walked_as_one)
{
    begin(streams[0]);
    cr_assert_eq(submit_append(streams[0], 1), 0);
    hand(streams[0], 0, streams[1]);
    cr_assert_eq(submit_append(streams[1], 2), 0);
    hand(streams[1], 1, streams[2]);
    cr_assert_eq(submit_append(streams[2], 3), 0);
    hand(streams[2], 2, streams[0]);
    cr_assert_eq(submit_append(streams[0], 4), 0);
    aclmdlRI graph = end(streams[0]);
    cr_assert(((struct rt_graph *)graph)->is_walked);
    for (int i = 0; i < 3; i++) {
        replay(graph, streams[i]);
        synchronise(streams[i]);
        expect_trace((int[]){1, 2, 3, 4}, 4);
    }
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

Test(graph, branches_run_at_the_same_time)
{
    sem_init(&meets[0], 0, 0);
    sem_init(&meets[1], 0, 0);
    begin(streams[0]);
    cr_assert_eq(submit_append(streams[0], 1), 0);
    hand(streams[0], 0, streams[1]);
    cr_assert_eq(submit_meet(streams[0], 0), 0);
    cr_assert_eq(submit_meet(streams[1], 1), 0);
    hand(streams[1], 1, streams[0]);
    cr_assert_eq(submit_append(streams[0], 2), 0);
    aclmdlRI graph = end(streams[0]);
    for (int i = 0; i < 50; i++) {
        replay(graph, streams[0]);
        synchronise(streams[0]);
        expect_trace((int[]){1, 2}, 2);
    }
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

/* A cell each lane adds to, in turn, and which every edge passes on. */
static uint64_t cells[STREAMS];

static void add_cells(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    cells[task->word[0].number] += cells[task->word[1].number] * 3 + task->word[2].number;
}

static const struct rt_task_kind add_kind = {.name = "add", .run = add_cells, .rerun = add_cells};

static void submit_add(int to, int from, uint64_t number)
{
    struct rt_task task = {
        .kind = &add_kind,
        .word = {{.number = (uint64_t)to}, {.number = (uint64_t)from}, {.number = number}}};
    cr_assert_eq(rt_stream_submit(streams[to], &task, 0), 0);
}

/* Four lanes, each step of which reads what another wrote the step before. */
static void submit_mesh(void)
{
    for (int i = 1; i < STREAMS; i++)
        hand(streams[0], 0, streams[i]);
    for (int step = 0; step < 6; step++) {
        for (int i = 0; i < STREAMS; i++)
            submit_add(i, i, (uint64_t)(step * STREAMS + i));
        for (int i = 0; i < STREAMS; i++)
            cr_assert_eq(aclrtRecordEvent(events[i], streams[i]), 0);
        for (int i = 0; i < STREAMS; i++)
            cr_assert_eq(aclrtStreamWaitEvent(streams[i], events[(i + 1) % STREAMS]), 0);
        /* Only the lane itself and the one it waits for may be read now. */
        for (int i = 0; i < STREAMS; i += 2)
            submit_add(i, (i + 1) % STREAMS, 1);
        for (int i = 0; i < STREAMS; i++)
            cr_assert_eq(aclrtRecordEvent(events[i], streams[i]), 0);
        for (int i = 0; i < STREAMS; i++)
            cr_assert_eq(aclrtStreamWaitEvent(streams[i], events[(i + STREAMS - 1) % STREAMS]), 0);
    }
    for (int i = 1; i < STREAMS; i++)
        hand(streams[i], 4 + i, streams[0]);
}

Test(graph, edges_between_many_lanes_hold)
{
    uint64_t expected[STREAMS] = {0};
    begin(streams[0]);
    submit_mesh();
    aclmdlRI graph = end(streams[0]);
    cr_assert_eq(((struct rt_graph *)graph)->lane_count, STREAMS);
    for (int round = 0; round < 100; round++) {
        memset(cells, 0, sizeof(cells));
        submit_mesh(); /* not captured: as the streams do it */
        synchronise(streams[0]);
        memcpy(expected, cells, sizeof(cells));
        memset(cells, 0, sizeof(cells));
        replay(graph, streams[round % STREAMS]);
        synchronise(streams[round % STREAMS]);
        cr_assert_arr_eq(cells, expected, sizeof(cells));
    }
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

Test(graph, replays_in_several_streams_follow_each_other)
{
    begin(streams[0]);
    submit_mesh();
    aclmdlRI graph = end(streams[0]);
    memset(cells, 0, sizeof(cells));
    for (int round = 0; round < 200; round++)
        replay(graph, streams[0]);
    synchronise(streams[0]);
    uint64_t expected[STREAMS];
    memcpy(expected, cells, sizeof(cells));
    memset(cells, 0, sizeof(cells));
    for (int round = 0; round < 200; round++)
        replay(graph, streams[round % STREAMS]);
    cr_assert_eq(aclrtSynchronizeDevice(), 0);
    cr_assert_arr_eq(cells, expected, sizeof(cells));
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

/* --- early ends ----------------------------------------------------------------------------------
 */

Test(graph, a_graph_destroyed_in_flight_still_runs)
{
    static struct gate gate;
    begin(streams[0]);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(submit_append(streams[0], i), 0);
    aclmdlRI graph = end(streams[0]);
    gate_close(&gate, streams[0]);
    replay(graph, streams[0]);
    replay(graph, streams[0]);
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
    cr_assert_eq(atomic_load(&dropped), 0);
    cr_assert_eq(aclmdlRIExecuteAsync(graph, streams[0]), ACL_ERROR_RT_INVALID_HANDLE);
    gate_open(&gate);
    synchronise(streams[0]);
    expect_trace((int[]){0, 1, 2, 0, 1, 2}, 6);
    cr_assert_eq(atomic_load(&dropped), 3);
}

Test(graph, execute_gives_up_waiting_and_the_replay_goes_on)
{
    static struct gate gate;
    aclrtStream first;
    begin(streams[0]);
    cr_assert_eq(submit_append(streams[0], 5), 0);
    aclmdlRI graph = end(streams[0]);
    cr_assert_eq(aclrtCtxGetCurrentDefaultStream(&first), 0);
    gate_close(&gate, first);
    cr_assert_eq(aclmdlRIExecute(graph, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    gate_open(&gate);
    cr_assert_eq(aclmdlRIExecute(graph, -1), 0);
    expect_trace((int[]){5, 5}, 2);
    expect_refused(aclmdlRIExecute(graph, 0), ACL_ERROR_RT_PARAM_INVALID, "timeout is 0");
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

static struct gate inner_gate;
static sem_t inner_reached;

static void pass_gate(struct rt_task *task, struct rt_stream *stream)
{
    (void)task;
    (void)stream;
    sem_post(&inner_reached);
    while (sem_wait(&inner_gate.opened) != 0) {
    }
}

static const struct rt_task_kind pass_kind = {.name = "pass", .run = pass_gate, .rerun = pass_gate};

/* Lane 1 stands at a gate, lane 0 waits for it. */
static aclmdlRI capture_gate(void)
{
    struct rt_task task = {.kind = &pass_kind};
    cr_assert_eq(sem_init(&inner_gate.opened, 0, 0), 0);
    cr_assert_eq(sem_init(&inner_reached, 0, 0), 0);
    begin(streams[0]);
    cr_assert_eq(submit_append(streams[0], 1), 0);
    cr_assert_eq(submit_append(streams[0], 3), 0);
    hand(streams[0], 0, streams[1]);
    cr_assert_eq(rt_stream_submit(streams[1], &task, 0), 0);
    cr_assert_eq(submit_append(streams[1], 2), 0);
    hand(streams[1], 1, streams[0]);
    cr_assert_eq(submit_append(streams[0], 4), 0);
    return end(streams[0]);
}

static void *open_later(void *unused)
{
    usleep(20000);
    gate_open(&inner_gate);
    return unused;
}

Test(graph, a_destroyed_stream_ends_its_replay_and_others_get_their_turn)
{
    pthread_t thread;
    aclmdlRI graph = capture_gate();
    cr_assert_eq(aclmdlRIExecuteAsync(graph, streams[2]), 0);
    aclrtStreamStatus status;
    cr_assert_eq(aclrtStreamQuery(streams[2], &status), 0);
    sem_wait(&inner_reached);
    cr_assert_eq(aclmdlRIExecuteAsync(graph, streams[3]), 0);
    cr_assert_eq(aclrtStreamQuery(streams[3], &status), 0);
    cr_assert_eq(pthread_create(&thread, NULL, open_later, NULL), 0);
    cr_assert_eq(aclrtDestroyStreamForce(streams[2]), 0);
    pthread_join(thread, NULL);
    gate_open(&inner_gate);
    synchronise(streams[3]);
    /* Of the first replay 1 and 3 ran, and what had begun; it may have been about to end. */
    cr_assert(traced >= 6 && traced <= 8, "%d tasks ran", traced);
    cr_assert_eq(trace[traced - 1], 4);
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

Test(graph, abort_skips_what_has_not_begun)
{
    aclmdlRI graph = capture_gate();
    cr_assert_eq(aclmdlRIAbort(graph), 0); /* nothing runs */
    cr_assert_eq(aclmdlRIExecuteAsync(graph, streams[2]), 0);
    aclrtStreamStatus status;
    cr_assert_eq(aclrtStreamQuery(streams[2], &status), 0);
    sem_wait(&inner_reached);
    cr_assert_eq(aclmdlRIAbort(graph), 0);
    gate_open(&inner_gate);
    cr_assert_eq(aclrtSynchronizeStream(streams[2]), ACL_ERROR_RT_MODEL_ABORT_NORMAL);
    for (int i = 0; i < traced; i++)
        cr_assert(trace[i] != 2 && trace[i] != 4, "task %d ran", trace[i]);
    traced = 0;
    gate_open(&inner_gate);
    replay(graph, streams[2]);
    synchronise(streams[2]);
    cr_assert_eq(traced, 4);
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

Test(graph, finalize_frees_graphs_and_their_handles)
{
    int threads = process_count(PROCESS_THREADS); /* no worker has started */
    begin(streams[0]);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(submit_append(streams[0], i), 0);
    aclmdlRI graph = end(streams[0]);
    begin(streams[1]);
    cr_assert_eq(submit_append(streams[1], 9), 0); /* a capture that never ends */
    replay(graph, streams[0]);
    cr_assert_eq(aclFinalize(), 0);
    expect_trace((int[]){0, 1, 2}, 3);
    cr_assert_eq(atomic_load(&dropped), 4);
    cr_assert_eq(aclmdlRIDestroy(graph), 0); /* late, harmless */
    cr_assert(process_settles(PROCESS_THREADS, threads));
    cr_assert_eq(aclInit(NULL), 0);
}

Test(graph, a_forked_child_replays_and_the_parent_goes_on)
{
    static struct gate gate;
    process_begin_forks();
    begin(streams[0]);
    submit_mesh();
    aclmdlRI graph = end(streams[0]);
    memset(cells, 0, sizeof(cells));
    replay(graph, streams[0]);
    synchronise(streams[0]);
    uint64_t expected[STREAMS];
    memcpy(expected, cells, sizeof(cells));
    gate_close(&gate, streams[0]);
    replay(graph, streams[0]);
    pid_t child = fork();
    if (child == 0) {
        process_begin_child();
        memset(cells, 0, sizeof(cells));
        bool ok = aclmdlRIExecuteAsync(graph, streams[1]) == 0 &&
                  aclrtSynchronizeStream(streams[1]) == 0 &&
                  memcmp(cells, expected, sizeof(cells)) == 0 && aclmdlRIDestroy(graph) == 0 &&
                  aclFinalize() == 0;
        _exit(ok ? 0 : 1);
    }
    gate_open(&gate);
    synchronise(streams[0]);
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

/* --- what a graph says of itself -----------------------------------------------------------------
 */

/* Names are bytes; the file is UTF-8 whatever they are. */
Test(graph, names_of_any_bytes_make_a_file_of_utf_8)
{
    char path[] = "/tmp/test_graph_XXXXXX", text[4096], longest[513];
    begin(streams[0]);
    aclmdlRI graph = end(streams[0]);
    int file = mkstemp(path);
    cr_assert(file >= 0);
    cr_assert_eq(aclmdlRISetName(graph, "\xC3\xA4 \xFF \xC3( \xED\xA0\x80 \xE2\x82"), 0);
    cr_assert_eq(aclmdlRIDebugJsonPrint(graph, path, 0), 0);
    ssize_t size = read(file, text, sizeof(text) - 1);
    cr_assert(size > 0);
    text[size] = '\0';
    cr_expect_not_null(strstr(text, "\"\xC3\xA4 ? ?( ??? ?\?\""), "%s", text);
    close(file);
    unlink(path);

    memset(longest, 'n', sizeof longest);
    longest[512] = '\0';
    expect_refused(aclmdlRISetName(graph, longest), ACL_ERROR_RT_PARAM_INVALID, "511 bytes");
    longest[511] = '\0';
    cr_assert_eq(aclmdlRISetName(graph, longest), 0);
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
}

Test(graph, names_numbers_and_pictures)
{
    char name[8], path[] = "/tmp/test_graph_XXXXXX", text[4096];
    uint32_t id, other;
    begin(streams[0]);
    submit_mesh();
    aclmdlRI graph = end(streams[0]);
    cr_assert_eq(aclmdlRIGetName(graph, sizeof(name), name), 0);
    cr_assert_str_eq(name, "");
    cr_assert_eq(aclmdlRISetName(graph, "first"), 0);
    cr_assert_eq(aclmdlRISetName(graph, "a \"mesh\" of lanes"), 0);
    cr_assert_eq(aclmdlRIGetName(graph, sizeof(name), name), 0);
    cr_assert_str_eq(name, "a \"mesh");
    begin(streams[0]);
    aclmdlRI empty = end(streams[0]);
    cr_assert_eq(aclmdlRIGetId(graph, &id), 0);
    cr_assert_eq(aclmdlRIGetId(empty, &other), 0);
    cr_assert_neq(id, other);

    int file = mkstemp(path);
    cr_assert(file >= 0);
    cr_assert_eq(aclmdlRIDebugJsonPrint(graph, path, ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE), 0);
    ssize_t size = read(file, text, sizeof(text) - 1);
    cr_assert(size > 0);
    text[size] = '\0';
    cr_assert_not_null(strstr(text, "\"name\": \"a \\\"mesh\\\" of lanes\""));
    cr_assert_not_null(strstr(text, "\"name\": \"add\""));
    cr_assert_not_null(strstr(text, "\"after\": \"lane "));
    close(file);
    unlink(path);
    cr_assert_eq(aclmdlRIDebugPrint(graph), 0);
    expect_refused(aclmdlRIDebugJsonPrint(graph, "/nowhere/at/all", 0), ACL_ERROR_RT_FILE_WRITE,
                   "/nowhere/at/all");
    expect_refused(aclmdlRIDebugJsonPrint(graph, path, 2), ACL_ERROR_RT_PARAM_INVALID,
                   "flags is 0x2");
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
    cr_assert_eq(aclmdlRIDestroy(empty), 0);
}
