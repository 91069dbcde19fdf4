/* SPDX-License-Identifier: Apache-2.0 */
/* A device with little memory: how programs run out of it, and how they do not. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "runtime/memory/blocks.h"
#include "runtime/schedule/stream.h"
#include "tests/unit/gate.h"
#include "tests/unit/refusal.h"

#define MIB ((size_t)1 << 20)

static void start(void)
{
    setenv("ACLNN_CPU_DEVICE_MEMORY", "64M", 1);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
}

TestSuite(device_memory, .init = start, .timeout = 600);

static size_t free_bytes(void)
{
    size_t free, total;
    cr_assert_eq(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), ACL_SUCCESS);
    cr_assert_eq(total, 64 * MIB);
    return free;
}

/* size - 32, because a block has 32 readable bytes behind its end, and they count. */
static void *take(size_t size)
{
    void *memory = NULL;
    cr_assert_eq(aclrtMalloc(&memory, size - 32, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    return memory;
}

static void give(void *memory)
{
    cr_assert_eq(aclrtFree(memory), ACL_SUCCESS);
}

static struct gate gate;

/* On a device the second block fits: the first one's memory is free from its aclrtFree on. */
Test(device_memory, freed_memory_in_use_does_not_stand_in_the_way)
{
    unsigned char *first = take(40 * MIB);
    memset(first, 7, 40 * MIB - 32);
    unsigned char *result = take(MIB);
    aclrtStream stream = gate_close_stream(&gate);
    cr_assert_eq(aclrtMemcpyAsync(result, 1000, first, 1000, ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
                 ACL_SUCCESS);
    give(first);
    cr_expect_eq(free_bytes(), 23 * MIB, "counted as free while queued work uses it");
    unsigned char *second = take(40 * MIB); /* nothing opens the gate: the wait must end */
    cr_expect_neq(second, first);
    memset(second, 9, 40 * MIB - 32);
    cr_expect_eq(free_bytes(), 0);
    gate_open(&gate);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(result[i], 7);
    cr_expect_eq(free_bytes(), 23 * MIB);
    give(second);
    give(result);
    cr_expect_eq(free_bytes(), 64 * MIB);
    cr_assert_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
}

static void *open_gate(void *unused)
{
    (void)unused;
    gate_open(&gate);
    return NULL;
}

Test(device_memory, released_memory_serves_who_waits_for_it)
{
    for (int round = 0; round < 20; round++) {
        void *first = take(64 * MIB);
        aclrtStream stream = gate_close_stream(&gate);
        give(first);
        pthread_t thread;
        cr_assert_eq(pthread_create(&thread, NULL, open_gate, NULL), 0);
        void *second = take(64 * MIB);
        pthread_join(thread, NULL);
        cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
        cr_expect_eq(free_bytes(), 0);
        give(second);
        cr_expect_eq(free_bytes(), 64 * MIB);
        cr_assert_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
    }
}

/* The loop of a program without a pool: a workspace for each step, freed right after its launch. */
Test(device_memory, running_ahead_with_workspaces)
{
    enum { STEPS = 300 };
    unsigned char *result = take(MIB);
    aclrtStream stream;
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    for (int step = 0; step < STEPS; step++) {
        unsigned char *workspace = take(20 * MIB);
        cr_assert_eq(aclrtMemsetAsync(workspace, 20 * MIB - 32, step, 64 << 10, stream), 0);
        cr_assert_eq(aclrtMemcpyAsync(result + step, 1, workspace + (64 << 10) - 1, 1,
                                      ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
                     ACL_SUCCESS);
        give(workspace);
    }
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    for (int step = 0; step < STEPS; step++)
        cr_assert_eq(result[step], (unsigned char)step);
    give(result);
    cr_expect_eq(free_bytes(), 64 * MIB);
    cr_expect_null(aclGetRecentErrMsg());
    cr_assert_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
}

static void *from_a_task;

static void run_malloc(struct rt_task *task, struct rt_stream *stream)
{
    (void)task;
    (void)stream;
    aclrtSetDevice(0);
    aclrtMalloc(&from_a_task, 40 * MIB, ACL_MEM_MALLOC_HUGE_FIRST);
}

/* A task holds up the release of what it asks for. */
Test(device_memory, a_task_gets_what_its_own_stream_holds_up)
{
    static const struct rt_task_kind kind = {.name = "malloc", .run = run_malloc};
    aclrtStream stream = gate_close_stream(&gate);
    struct rt_stream *queue;
    cr_assert_eq(rt_stream_resolve("test", stream, &queue), ACL_SUCCESS);
    void *block = take(40 * MIB);
    cr_assert_eq(rt_stream_submit(queue, &(struct rt_task){.kind = &kind}, 0), ACL_SUCCESS);
    give(block);
    gate_open(&gate);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    cr_assert_not_null(from_a_task);
    give(from_a_task);
    cr_expect_eq(free_bytes(), 64 * MIB);
}

Test(device_memory, refusal_tells_what_waits)
{
    void *memory = (void *)1;
    void *held = take(30 * MIB);
    void *freed = take(30 * MIB);
    aclrtStream stream = gate_close_stream(&gate);
    give(freed);
    expect_refused(aclrtMalloc(&memory, 40 * MIB, ACL_MEM_MALLOC_HUGE_FIRST),
                   ACL_ERROR_RT_MEMORY_ALLOCATION,
                   "41943040 bytes were asked for; of the device's 67108864 bytes 62914560 are "
                   "used and 4194304 are free; 31457280 of the used bytes were freed, but queued "
                   "work still uses them");
    cr_expect_eq(memory, (void *)1);
    gate_open(&gate);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    expect_refused(aclrtMalloc(&memory, 40 * MIB, ACL_MEM_MALLOC_HUGE_FIRST),
                   ACL_ERROR_RT_MEMORY_ALLOCATION, "31457280 are used and 35651584 are free");
    give(held);
    memory = take(40 * MIB);
    give(memory);
}

Test(device_memory, usage_has_a_peak)
{
    aclrtMemUsageInfo infos[2];
    size_t count = 0;
    void *first = take(30 * MIB);
    void *second = take(20 * MIB);
    give(first);
    cr_assert_eq(aclrtGetMemUsageInfo(0, infos, 2, &count), ACL_SUCCESS);
    cr_expect_eq(count, 1);
    cr_expect_str_eq(infos[0].name, "APP");
    cr_expect_eq(infos[0].curMemSize, 20 * MIB);
    cr_expect_eq(infos[0].memPeakSize, 50 * MIB);
    give(second);
    expect_refused(aclrtGetMemUsageInfo(0, NULL, 2, &count), ACL_ERROR_INVALID_PARAM, "memUsage");
    expect_refused(aclrtGetMemUsageInfo(0, infos, 2, NULL), ACL_ERROR_INVALID_PARAM, "outputNum");
    expect_refused(aclrtGetMemUsageInfo(0, infos, 0, &count), ACL_ERROR_RT_PARAM_INVALID,
                   "inputNum");
    expect_refused(aclrtGetMemUsageInfo(9, infos, 2, &count), ACL_ERROR_RT_INVALID_DEVICEID,
                   "is 9");
}
