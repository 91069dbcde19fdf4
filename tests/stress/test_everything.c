/* SPDX-License-Identifier: Apache-2.0 */
/* Everything at once: threads run random programs over streams that hand on to each other by
 * events, notifies and values; with operators, copies, fills, host functions, callbacks, captures
 * and replays, frees in flight, and streams that end by force beside them. What is in memory after
 * each program is compared bit for bit with the same program run in order. Blocks are read and
 * written without atomics, so that the thread sanitizer checks the order.
 * A scale of 60 (ACLNN_TEST_SCALE) is some millions of tasks. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "runtime/callback/callback.h"
#include "runtime/device/device.h"
#include "tests/stress/random_program.h"

enum {
    THREADS = 4,
    PROGRAMS = 60, /* per thread */
    HANDS = 24,    /* notifies and values that one program may use, each once in a run */
    TEMPORARIES = OPERATIONS,
};

#define OK(call) cr_assert_eq((call), ACL_SUCCESS, "%s: %s", #call, aclGetRecentErrMsg())

struct crew;

struct call {
    struct block *block;
    uint64_t salt;
};

struct crew {
    pthread_t thread, server;
    atomic_bool is_served;
    struct random random;
    aclrtStream streams[LANES], alone;
    struct place places[LANES], expected[LANES];
    aclrtEvent live, captured;
    aclrtNotify notifies[HANDS];
    uint64_t *values; /* device: HANDS */
    int notifies_used, values_used;
    void *temporaries[TEMPORARIES]; /* of a capture: freed when the replays are queued */
    int temporary_count;
    bool is_capturing;
    int runs; /* of what is submitted now */
    struct call calls[OPERATIONS];
    uint64_t tasks, passing;
    _Atomic uint64_t passing_run;
};

static struct crew crews[THREADS];

static void count_tasks(struct crew *crew, int tasks)
{
    crew->tasks += (uint64_t)(tasks * crew->runs);
}

/* --- functions of the program ----------------------------------------------------------------- */

static void stir(void *argument)
{
    const struct call *call = argument;
    program_stir(call->block, call->salt);
}

static void count_passing(void *argument)
{
    struct crew *crew = argument;
    atomic_fetch_add(&crew->passing_run, 1);
}

static void do_nothing(void *unused)
{
    (void)unused;
}

static void *serve(void *argument)
{
    struct crew *crew = argument;
    while (atomic_load(&crew->is_served)) {
        aclError status = aclrtProcessReport(5);
        cr_assert(status == ACL_SUCCESS || status == ACL_ERROR_RT_REPORT_TIMEOUT ||
                      status == ACL_ERROR_RT_THREAD_SUBSCRIBE,
                  "%d", status);
    }
    return NULL;
}

static void submit_call(struct crew *crew, int lane, struct call *call)
{
    if (lane > 0) {
        OK(aclrtLaunchHostFunc(crew->streams[lane], stir, call));
        return;
    }
    OK(aclrtLaunchCallback(stir, call, ACL_CALLBACK_BLOCK, crew->streams[0]));
    if (call->salt % 2 == 0) return;
    OK(aclrtLaunchCallback(count_passing, crew, ACL_CALLBACK_NO_BLOCK, crew->streams[0]));
    crew->passing++;
    count_tasks(crew, 1);
}

/* --- operations ------------------------------------------------------------------------------- */

static void hand_by_event(struct crew *crew, int from, int to)
{
    aclrtEvent event = crew->is_capturing ? crew->captured : crew->live;
    OK(aclrtRecordEvent(event, crew->streams[from]));
    OK(aclrtStreamWaitEvent(crew->streams[to], event));
    count_tasks(crew, 2);
}

/* What lane `to` is given next comes after what lane `from` was given. A stream enters a capture by
 * an event only; here all are in it before. */
static void hand(struct crew *crew, int from, int to, uint64_t salt)
{
    if (salt % 3 == 1 && crew->notifies_used < HANDS) {
        aclrtNotify notify = crew->notifies[crew->notifies_used++];
        OK(aclrtRecordNotify(notify, crew->streams[from]));
        OK(aclrtWaitAndResetNotify(notify, crew->streams[to], 0));
        count_tasks(crew, 2);
    } else if (salt % 3 == 2 && crew->values_used < HANDS) {
        uint64_t *value = &crew->values[crew->values_used++];
        OK(aclrtValueWrite(value, 1, 0, crew->streams[from]));
        OK(aclrtValueWait(value, 1, ACL_STREAM_WAIT_VALUE_EQ, crew->streams[to]));
        OK(aclrtValueWrite(value, 0, 0, crew->streams[to]));
        count_tasks(crew, 3);
    } else {
        hand_by_event(crew, from, to);
    }
}

static void copy(struct crew *crew, int lane, void *to, const void *from, size_t size)
{
    OK(aclrtMemcpyAsync(to, size, from, size, ACL_MEMCPY_DEVICE_TO_DEVICE, crew->streams[lane]));
    count_tasks(crew, 1);
}

static void copy_halves(struct crew *crew, int lane, uint64_t *words)
{
    void *between;
    size_t size = WORDS / 2 * sizeof(*words);
    OK(aclrtMalloc(&between, size, ACL_MEM_MALLOC_NORMAL_ONLY));
    copy(crew, lane, between, words + WORDS / 2, size);
    copy(crew, lane, words, between, size);
    if (crew->is_capturing)
        crew->temporaries[crew->temporary_count++] = between;
    else
        OK(aclrtFree(between));
}

static void submit_operation(struct crew *crew, const struct operation *operation,
                             struct call *call)
{
    int lane = operation->lane, other = operation->other;
    struct block *block = crew->places[lane].block;
    switch (operation->what) {
    case FILLS:
        OK(aclrtMemsetAsync(block->windows, sizeof(block->windows), program_byte(operation),
                            sizeof(block->windows), crew->streams[lane]));
        count_tasks(crew, 1);
        break;
    case COPIES:
        copy_halves(crew, lane, block->words);
        break;
    case OPERATES:
        place_operate(&crew->places[lane], crew->streams[lane]);
        count_tasks(crew, 1);
        break;
    case EXCHANGES:
        hand(crew, other, lane, operation->salt);
        copy(crew, lane, block->words, crew->places[other].block->words,
             WORDS / 4 * sizeof(block->words[0]));
        hand(crew, lane, other, operation->salt / 3);
        break;
    default:
        *call = (struct call){.block = block, .salt = operation->salt};
        submit_call(crew, lane, call);
        count_tasks(crew, 1);
    }
}

/* --- sections --------------------------------------------------------------------------------- */

static void submit_operations(struct crew *crew, const struct program *program,
                              const struct section *section)
{
    for (int i = section->first; i < section->end; i++) {
        const struct operation *operation = &program->operations[i];
        submit_operation(crew, operation, &crew->calls[i]);
        if (!crew->is_capturing && operation->salt >> 32 & 1 && operation->salt >> 33 & 1)
            OK(aclrtSynchronizeStream(crew->streams[operation->lane]));
    }
}

static aclmdlRI capture(struct crew *crew, const struct program *program,
                        const struct section *section)
{
    aclmdlRI graph;
    crew->is_capturing = true;
    crew->runs = section->runs;
    OK(aclmdlRICaptureBegin(crew->streams[1], ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    for (int lane = 2; lane < LANES; lane++)
        hand_by_event(crew, 1, lane);
    submit_operations(crew, program, section);
    for (int lane = 2; lane < LANES; lane++)
        hand_by_event(crew, lane, 1);
    OK(aclmdlRICaptureEnd(crew->streams[1], &graph));
    crew->is_capturing = false;
    crew->runs = 1;
    return graph;
}

/* Into any stream; the graph and what it copies by way of are gone while the replays are queued. */
static void capture_and_replay(struct crew *crew, const struct program *program,
                               const struct section *section)
{
    aclmdlRI graph = capture(crew, program, section);
    int into = (int)random_below(&crew->random, LANES);
    for (int lane = 0; lane < LANES; lane++)
        if (lane != into) hand_by_event(crew, lane, into);
    for (int run = 0; run < section->runs; run++)
        OK(aclmdlRIExecuteAsync(graph, crew->streams[into]));
    for (int lane = 0; lane < LANES; lane++)
        if (lane != into) hand_by_event(crew, into, lane);
    OK(aclmdlRIDestroy(graph));
    while (crew->temporary_count > 0)
        OK(aclrtFree(crew->temporaries[--crew->temporary_count]));
}

/* --- streams that end by force ---------------------------------------------------------------- */

static aclmdlRI capture_for_ever(aclrtStream stream, aclrtNotify never)
{
    aclmdlRI graph;
    OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    OK(aclrtLaunchHostFunc(stream, do_nothing, NULL));
    OK(aclrtWaitAndResetNotify(never, stream, 0));
    OK(aclmdlRICaptureEnd(stream, &graph));
    return graph;
}

static void queue_callbacks(struct crew *crew, aclrtStream stream)
{
    OK(aclrtSubscribeReport((uint64_t)crew->server, stream));
    OK(aclrtLaunchCallback(do_nothing, NULL, ACL_CALLBACK_BLOCK, stream));
    OK(aclrtLaunchCallback(do_nothing, NULL, ACL_CALLBACK_NO_BLOCK, stream));
}

/* It ends amid whatever it is at. */
static void live_shortly(struct crew *crew)
{
    struct random *random = &crew->random;
    aclrtStream stream;
    aclrtNotify never;
    aclmdlRI graph = NULL;
    OK(aclrtCreateStreamWithConfig(&stream, (uint32_t)random_below(random, 8), 0));
    OK(aclrtCreateNotify(&never, 0));
    if (random_once_in(random, 2)) {
        graph = capture_for_ever(stream, never);
        OK(aclmdlRIExecuteAsync(graph, stream));
        if (random_once_in(random, 2)) OK(aclmdlRIAbort(graph));
    } else {
        queue_callbacks(crew, stream);
    }
    if (random_once_in(random, 2)) OK(aclrtWaitAndResetNotify(never, stream, 0));
    if (random_once_in(random, 2))
        OK(aclrtValueWait(crew->values, UINT64_MAX, ACL_STREAM_WAIT_VALUE_EQ, stream));
    if (random_once_in(random, 2)) OK(aclrtStreamAbort(stream));
    OK(aclrtDestroyNotify(never));
    if (graph && random_once_in(random, 2)) {
        OK(aclmdlRIDestroy(graph));
        graph = NULL;
    }
    OK(aclrtDestroyStreamForce(stream));
    if (graph) OK(aclmdlRIDestroy(graph));
}

/* --- threads ---------------------------------------------------------------------------------- */

static void run_program(struct crew *crew, uint64_t seed)
{
    struct program program;
    struct random random = {.state = seed};
    program_make(&program, &random);
    crew->random = random;
    crew->notifies_used = crew->values_used = 0;
    for (int s = 0; s < SECTIONS; s++) {
        if (random_once_in(&crew->random, 6)) live_shortly(crew);
        if (program.sections[s].is_captured)
            capture_and_replay(crew, &program, &program.sections[s]);
        else
            submit_operations(crew, &program, &program.sections[s]);
    }
    program_run_in_order(&program, crew->expected, crew->alone);
    for (int lane = 0; lane < LANES; lane++)
        OK(aclrtSynchronizeStream(crew->streams[lane]));
    for (int lane = 0; lane < LANES; lane++) {
        const unsigned char *got = (const unsigned char *)crew->places[lane].block;
        const unsigned char *wanted = (const unsigned char *)crew->expected[lane].block;
        for (size_t i = 0; i < sizeof(struct block); i++)
            if (got[i] != wanted[i])
                cr_assert_fail("byte %zu of lane %d of the program with seed %llu", i, lane,
                               (unsigned long long)seed);
    }
}

static void *work(void *argument)
{
    struct crew *crew = argument;
    struct random seeds = {.state = random_test_seed() + (uint64_t)(crew - crews)};
    OK(aclrtSetDevice(0));
    for (int64_t i = random_test_count(PROGRAMS); i > 0; i--)
        run_program(crew, random_next(&seeds));
    return NULL;
}

static void open_crew(struct crew *crew)
{
    void *values;
    crew->runs = 1;
    atomic_store(&crew->is_served, true);
    cr_assert_eq(pthread_create(&crew->server, NULL, serve, crew), 0);
    OK(aclrtCreateStream(&crew->alone));
    for (int i = 0; i < LANES; i++) {
        OK(aclrtCreateStreamWithConfig(&crew->streams[i], (uint32_t)(2 * i), 0));
        crew->places[i] = place_open();
        crew->expected[i] = place_open();
    }
    OK(aclrtSubscribeReport((uint64_t)crew->server, crew->streams[0]));
    OK(aclrtCreateEventExWithFlag(&crew->live, ACL_EVENT_SYNC));
    OK(aclrtCreateEventExWithFlag(&crew->captured, ACL_EVENT_SYNC));
    for (int i = 0; i < HANDS; i++)
        OK(aclrtCreateNotify(&crew->notifies[i], 0));
    OK(aclrtMalloc(&values, HANDS * sizeof(uint64_t), ACL_MEM_MALLOC_NORMAL_ONLY));
    crew->values = values;
    memset(values, 0, HANDS * sizeof(uint64_t));
}

static void close_crew(struct crew *crew)
{
    for (int i = 0; i < LANES; i++) {
        place_close(&crew->places[i]);
        place_close(&crew->expected[i]);
        if (i % 2) OK(aclrtDestroyStream(crew->streams[i]));
    }
    OK(aclrtFree(crew->values));
}

Test(everything, comes_out_as_in_order, .timeout = 3600)
{
    uint64_t tasks = 0;
    atomic_store(&rt_callback_patience_ns, INT64_MAX); /* all threads serve until the end */
    OK(aclrtSetDevice(0));
    for (int i = 0; i < THREADS; i++)
        open_crew(&crews[i]);
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&crews[i].thread, NULL, work, &crews[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(crews[i].thread, NULL);
    for (int i = 0; i < THREADS; i++)
        close_crew(&crews[i]);
    rt_runtime_shutdown();
    for (int i = 0; i < THREADS; i++) {
        cr_expect_eq(crews[i].passing_run, crews[i].passing, "no callback is lost");
        atomic_store(&crews[i].is_served, false);
        pthread_join(crews[i].server, NULL);
        tasks += crews[i].tasks;
    }
    cr_log_info("%llu tasks", (unsigned long long)tasks);
}
