/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that capture random programs over several streams, replay them into random streams, free
 * memory and destroy graphs while replays are queued. What is in memory in the end is compared bit
 * for bit with the same program run in order by the thread itself. Blocks are read and written
 * without atomics, so that the thread sanitizer checks the edges. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "runtime/schedule/stream.h"

enum { THREADS = 4, LANES = 4, WORDS = 512, ROUNDS = 500, OPERATIONS = 60, REPLAYS = 4 };

struct operation {
    int lane, from;
    uint64_t salt;
};

struct crew {
    uint32_t random;
    aclrtStream streams[LANES];
    aclrtEvent events[LANES + 2];
    uint64_t *blocks[LANES];
    uint64_t expected[LANES][WORDS];
    struct operation operations[OPERATIONS];
    int operation_count;
};

static uint32_t next_random(struct crew *crew, uint32_t below)
{
    crew->random ^= crew->random << 13;
    crew->random ^= crew->random >> 17;
    crew->random ^= crew->random << 5;
    return crew->random % below;
}

static void mix(uint64_t *to, const uint64_t *from, uint64_t salt)
{
    for (int i = 0; i < WORDS; i++)
        to[i] = (to[i] ^ (from[WORDS - 1 - i] + salt)) * 0x9E3779B97F4A7C15u;
}

static void run_mix(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    mix(task->word[0].pointer, task->word[1].pointer, task->word[2].number);
}

static const struct rt_task_kind mix_kind = {
    .name = "mix", .run = run_mix, .rerun = run_mix, .is_operator = true};

static void submit_mix(struct crew *crew, const struct operation *operation)
{
    struct rt_stream *stream;
    struct rt_task task = {.kind = &mix_kind,
                           .word = {{.pointer = crew->blocks[operation->lane]},
                                    {.pointer = crew->blocks[operation->from]},
                                    {.number = operation->salt}}};
    cr_assert_eq(rt_stream_resolve(__func__, crew->streams[operation->lane], &stream), 0);
    unsigned flags = operation->salt % 8 == 0 ? RT_SUBMIT_LARGE : 0;
    cr_assert_eq(rt_stream_submit(stream, &task, flags), 0);
}

/* What lane `to` is given next comes after what lane `from` was given. */
static void hand(struct crew *crew, int event, int from, int to)
{
    cr_assert_eq(aclrtRecordEvent(crew->events[event], crew->streams[from]), 0);
    cr_assert_eq(aclrtStreamWaitEvent(crew->streams[to], crew->events[event]), 0);
}

static void submit_program(struct crew *crew)
{
    for (int lane = 1; lane < LANES; lane++)
        hand(crew, 0, 0, lane);
    for (int i = 0; i < crew->operation_count; i++) {
        const struct operation *operation = &crew->operations[i];
        bool is_shared = operation->from != operation->lane;
        if (is_shared) hand(crew, 1, operation->from, operation->lane);
        submit_mix(crew, operation);
        if (is_shared) hand(crew, 2, operation->lane, operation->from); /* it may write again */
    }
    for (int lane = 1; lane < LANES; lane++)
        hand(crew, 2 + lane, lane, 0);
}

static void make_program(struct crew *crew)
{
    crew->operation_count = 1 + (int)next_random(crew, OPERATIONS);
    for (int i = 0; i < crew->operation_count; i++) {
        struct operation *operation = &crew->operations[i];
        operation->lane = (int)next_random(crew, LANES);
        operation->from =
            next_random(crew, 3) == 0 ? (int)next_random(crew, LANES) : operation->lane;
        operation->salt = next_random(crew, UINT32_MAX);
    }
    for (int lane = 0; lane < LANES; lane++) {
        void *block;
        cr_assert_eq(aclrtMalloc(&block, WORDS * sizeof(uint64_t), ACL_MEM_MALLOC_HUGE_FIRST), 0);
        crew->blocks[lane] = block;
        for (int i = 0; i < WORDS; i++)
            crew->blocks[lane][i] = crew->expected[lane][i] = next_random(crew, UINT32_MAX);
    }
}

static void run_in_order(struct crew *crew)
{
    for (int round = 0; round < REPLAYS; round++)
        for (int i = 0; i < crew->operation_count; i++) {
            const struct operation *operation = &crew->operations[i];
            mix(crew->expected[operation->lane], crew->expected[operation->from], operation->salt);
        }
}

static aclmdlRI capture_program(struct crew *crew)
{
    aclmdlRI graph;
    cr_assert_eq(aclmdlRICaptureBegin(crew->streams[0], ACL_MODEL_RI_CAPTURE_MODE_RELAXED), 0);
    submit_program(crew);
    cr_assert_eq(aclmdlRICaptureEnd(crew->streams[0], &graph), 0, "%s", aclGetRecentErrMsg());
    return graph;
}

/* Stream 0 copies the blocks out once all replays have run, and their memory and the graph are
 * given back before that. */
static void replay_and_leave(struct crew *crew, aclmdlRI graph, uint64_t *copies)
{
    for (int i = 0; i < REPLAYS; i++) {
        int lane = (int)next_random(crew, LANES);
        cr_assert_eq(aclmdlRIExecuteAsync(graph, crew->streams[lane]), 0);
        if (next_random(crew, 8) == 0) cr_assert_eq(aclrtSynchronizeStream(crew->streams[lane]), 0);
    }
    for (int lane = 1; lane < LANES; lane++)
        hand(crew, 2 + lane, lane, 0);
    for (int lane = 0; lane < LANES; lane++) {
        size_t size = WORDS * sizeof(uint64_t);
        cr_assert_eq(aclrtMemcpyAsync(copies + lane * WORDS, size, crew->blocks[lane], size,
                                      ACL_MEMCPY_DEVICE_TO_DEVICE, crew->streams[0]),
                     0);
    }
    cr_assert_eq(aclmdlRIDestroy(graph), 0);
    for (int lane = 0; lane < LANES; lane++)
        cr_assert_eq(aclrtFree(crew->blocks[lane]), 0);
}

static void *work(void *argument)
{
    struct crew *crew = argument;
    void *copies;
    cr_assert_eq(aclrtSetDevice(0), 0);
    cr_assert_eq(aclrtMalloc(&copies, LANES * WORDS * sizeof(uint64_t), ACL_MEM_MALLOC_HUGE_FIRST),
                 0);
    for (int i = 0; i < LANES; i++)
        cr_assert_eq(aclrtCreateStream(&crew->streams[i]), 0);
    for (int i = 0; i < LANES + 2; i++)
        cr_assert_eq(aclrtCreateEventExWithFlag(&crew->events[i], ACL_EVENT_SYNC), 0);
    for (int round = 0; round < ROUNDS; round++) {
        make_program(crew);
        run_in_order(crew);
        replay_and_leave(crew, capture_program(crew), copies);
        cr_assert_eq(aclrtSynchronizeStream(crew->streams[0]), 0);
        cr_assert_eq(memcmp(copies, crew->expected, sizeof(crew->expected)), 0, "round %d", round);
    }
    cr_assert_eq(aclrtFree(copies), 0);
    return NULL;
}

Test(stress, random_programs_captured_and_replayed, .timeout = 600)
{
    static struct crew crews[THREADS];
    pthread_t threads[THREADS];
    setenv("ACLNN_CPU_THREADS", "3", 1);
    cr_assert_eq(aclInit(NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        crews[i].random = 2463534242u + (uint32_t)i * 747796405u;
        cr_assert_eq(pthread_create(&threads[i], NULL, work, &crews[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(aclFinalize(), 0);
}
