/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the program whose stacks are too small for kernels: whatever they wait for is run by
 * others. A task here takes nearly all the stack that a task may take. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "runtime/schedule/pool.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/stack.h"

enum {
    TAKEN = RT_TASK_STACK - (96 << 10),
    SMALL = 128 << 10,
    LARGE = 8 << 20,
    MANY = 5000, /* tasks: more than a submitter leaves to others */
    ITEMS = 64,
};

static atomic_int ran, on_small;
static _Thread_local bool is_small;

static __attribute__((noinline)) void take_stack(void *context, int64_t begin, int64_t end)
{
    volatile char own[TAKEN];
    int written = 0;
    (void)context;
    for (int i = TAKEN - 1; i > 0; i -= 4096)
        own[i] = 1; /* downwards, page by page, as stacks grow */
    for (int i = TAKEN - 1; i > 0; i -= 4096)
        written += own[i];
    if (written == 0) return;
    if (is_small) atomic_fetch_add(&on_small, 1);
    atomic_fetch_add(&ran, (int)(end - begin));
}

static void run_loop(struct rt_task *task, struct rt_stream *stream)
{
    (void)task;
    (void)stream;
    rt_parallel_for(rt_pool_default(), take_stack, NULL, ITEMS, 1);
}

static void run_once(struct rt_task *task, struct rt_stream *stream)
{
    (void)task;
    (void)stream;
    take_stack(NULL, 0, 1);
}

static const struct rt_task_kind loop_kind = {.name = "loop", .run = run_loop};
static const struct rt_task_kind once_kind = {.name = "once", .run = run_once};

static aclError submit(aclrtStream handle, const struct rt_task_kind *kind, unsigned flags)
{
    struct rt_stream *stream;
    const struct rt_task task = {.kind = kind};
    const aclError status = rt_stream_resolve(__func__, handle, &stream);
    return status != ACL_SUCCESS ? status : rt_stream_submit(stream, &task, flags);
}

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const aclError status = (call);                                                            \
        if (status != ACL_SUCCESS) return status;                                                  \
    } while (0)

/* Loops and single tasks, waited for in each way. */
static aclError wait_for_streams(void)
{
    aclrtStream stream, other;
    aclrtEvent event;
    TRY(aclrtSetDevice(0));
    TRY(aclrtCreateStream(&stream));
    TRY(aclrtCreateStream(&other));
    TRY(aclrtCreateEvent(&event));
    for (int i = 0; i < 20; i++) {
        TRY(submit(stream, &loop_kind, i % 2 ? RT_SUBMIT_LARGE : 0));
        TRY(aclrtSynchronizeStream(stream));
    }
    for (int i = 0; i < 20; i++) { /* `other` is parked until `stream` has run */
        TRY(submit(stream, &once_kind, 0));
        TRY(aclrtRecordEvent(event, stream));
        TRY(aclrtStreamWaitEvent(other, event));
        TRY(submit(other, &loop_kind, 0));
        TRY(i % 2 ? aclrtSynchronizeStream(other) : aclrtSynchronizeDevice());
    }
    TRY(aclrtRecordEvent(event, stream));
    TRY(aclrtSynchronizeEvent(event));
    for (int i = 0; i < MANY; i++)
        TRY(submit(stream, &once_kind, 0));
    TRY(aclrtSynchronizeStream(stream));
    TRY(aclrtDestroyEvent(event));
    TRY(submit(other, &once_kind, 0));
    TRY(aclrtDestroyStream(other));
    return aclrtDestroyStream(stream);
}

static const int ALL = 20 * ITEMS + 20 * (1 + ITEMS) + MANY + 1;

static void *wait_on_small(void *status)
{
    is_small = true;
    *(aclError *)status = wait_for_streams();
    return NULL;
}

static void *wait_on_large(void *status)
{
    *(aclError *)status = wait_for_streams();
    return NULL;
}

static void run_on_stack(size_t bytes, void *run(void *))
{
    pthread_attr_t attributes;
    pthread_t thread;
    aclError status = -1;
    atomic_store(&ran, 0);
    cr_assert_eq(pthread_attr_init(&attributes), 0);
    cr_assert_eq(pthread_attr_setstacksize(&attributes, bytes), 0);
    cr_assert_eq(pthread_create(&thread, &attributes, run, &status), 0);
    pthread_attr_destroy(&attributes);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    cr_assert_eq(status, ACL_SUCCESS, "%d", status);
    cr_assert_eq(ran, ALL, "%d of %d items ran", ran, ALL);
}

static void run_with_threads(const char *threads)
{
    setenv("ACLNN_CPU_THREADS", threads, 1);
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    run_on_stack(SMALL, wait_on_small);
    cr_assert_eq(on_small, 0, "%d tasks ran on a stack of %d bytes", on_small, SMALL);
    run_on_stack(LARGE, wait_on_large);
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(small_stack, .timeout = 600);

Test(small_stack, one_thread)
{
    run_with_threads("1");
}

Test(small_stack, three_threads)
{
    run_with_threads("3");
}

static void *look(void *found)
{
    *(bool *)found = rt_stack_suffices();
    return NULL;
}

static bool found_on_stack(size_t bytes)
{
    pthread_attr_t attributes;
    pthread_t thread;
    bool found = false;
    cr_assert_eq(pthread_attr_init(&attributes), 0);
    cr_assert_eq(pthread_attr_setstacksize(&attributes, bytes), 0);
    cr_assert_eq(pthread_create(&thread, &attributes, look, &found), 0);
    pthread_attr_destroy(&attributes);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    return found;
}

Test(small_stack, is_told_from_a_large_one)
{
    cr_assert_not(found_on_stack(SMALL));
    cr_assert_not(found_on_stack(RT_TASK_STACK));
    cr_assert(found_on_stack(LARGE));
}
