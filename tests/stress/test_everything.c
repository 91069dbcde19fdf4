/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, events, notifies, values, callbacks, host functions, ends and frees at once. What a
 * stream's tasks do to its own memory must come out as if it had run alone, and nothing may hang.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "runtime/device.h"
#include "runtime/stream.h"

enum {
    THREADS = 4,
    LANES = 4, /* streams per thread; the first has callbacks, the others host functions */
    STEPS = 3000,
    WORDS = 64,
};

struct lane {
    aclrtStream handle;
    uint64_t *memory; /* device: WORDS that only this stream changes */
    uint64_t sum;     /* what a serial run makes of them */
    uint64_t functions, callbacks;
    _Atomic uint64_t functions_run, callbacks_run;
    uint64_t plain; /* changed by tasks and functions in the stream's order, by nobody else */
    uint64_t plain_expected;
    uint32_t marker; /* what the memory was last filled with */
};

struct crew {
    pthread_t thread;
    pthread_t server;
    _Atomic int served; /* 1 while the server shall serve */
    struct lane lanes[LANES];
    aclrtNotify notify;
    aclrtEvent event;
    uint64_t *turn; /* a value that one lane writes and another waits for */
    uint64_t turns;
    uint32_t random;
};

static struct crew crews[THREADS];

static int steps(void)
{
    const char *scale = getenv("ACLNN_TEST_SCALE");
    double factor = scale ? atof(scale) : 1;
    int wanted = (int)(STEPS * factor);
    return wanted > 100 ? wanted : 100;
}

static uint32_t next_random(struct crew *crew)
{
    crew->random ^= crew->random << 13;
    crew->random ^= crew->random >> 17;
    crew->random ^= crew->random << 5;
    return crew->random;
}

static void count_function(void *argument)
{
    struct lane *lane = argument;
    lane->plain = lane->plain * 3 + 1;
    atomic_fetch_add(&lane->functions_run, 1);
}

static void count_callback(void *argument)
{
    struct lane *lane = argument;
    lane->plain = lane->plain * 3 + 2;
    atomic_fetch_add(&lane->callbacks_run, 1);
}

static void count_passing(void *argument)
{
    struct lane *lane = argument;
    atomic_fetch_add(&lane->callbacks_run, 1);
}

static void *serve(void *argument)
{
    struct crew *crew = argument;
    while (atomic_load(&crew->served)) {
        aclError status = aclrtProcessReport(5);
        cr_assert(status == ACL_SUCCESS || status == ACL_ERROR_RT_REPORT_TIMEOUT ||
                      status == ACL_ERROR_RT_THREAD_SUBSCRIBE,
                  "%d", status);
    }
    return NULL;
}

static void call_program(struct lane *lane, bool has_callbacks, uint32_t random)
{
    if (!has_callbacks) {
        cr_assert_eq(aclrtLaunchHostFunc(lane->handle, count_function, lane), ACL_SUCCESS);
        lane->plain_expected = lane->plain_expected * 3 + 1;
        lane->functions++;
        return;
    }
    bool blocks = random % 2;
    cr_assert_eq(aclrtLaunchCallback(blocks ? count_callback : count_passing, lane,
                                     blocks ? ACL_CALLBACK_BLOCK : ACL_CALLBACK_NO_BLOCK,
                                     lane->handle),
                 ACL_SUCCESS);
    if (blocks) lane->plain_expected = lane->plain_expected * 3 + 2;
    lane->callbacks++;
}

/* A fill, and a copy by way of memory that is freed at once. */
static void touch_memory(struct lane *lane, uint32_t random)
{
    void *between = NULL;
    uint8_t byte = (uint8_t)(random >> 8);
    cr_assert_eq(aclrtMalloc(&between, WORDS * 8, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
    cr_assert_eq(aclrtMemsetAsync(between, WORDS * 8, byte, WORDS * 8, lane->handle), ACL_SUCCESS);
    cr_assert_eq(aclrtMemcpyAsync(lane->memory, WORDS * 8, between, WORDS * 8,
                                  ACL_MEMCPY_DEVICE_TO_DEVICE, lane->handle),
                 ACL_SUCCESS);
    cr_assert_eq(aclrtFree(between), ACL_SUCCESS);
    lane->marker = byte;
}

/* Each wait is for something that was submitted before it, so that nothing hangs. */
static void order(struct crew *crew, struct lane *from, struct lane *to, uint32_t random)
{
    switch (random % 3) {
    case 0:
        cr_assert_eq(aclrtRecordEvent(crew->event, from->handle), ACL_SUCCESS);
        cr_assert_eq(aclrtStreamWaitEventWithTimeout(to->handle, crew->event, 60), ACL_SUCCESS);
        break;
    case 1:
        /* Two records may become one: the next pair begins when this one is over. */
        cr_assert_eq(aclrtRecordNotify(crew->notify, from->handle), ACL_SUCCESS);
        cr_assert_eq(aclrtWaitAndResetNotify(crew->notify, to->handle, 60), ACL_SUCCESS);
        cr_assert_eq(aclrtSynchronizeStream(to->handle), ACL_SUCCESS);
        break;
    default:
        crew->turns++;
        cr_assert_eq(aclrtValueWrite(crew->turn, crew->turns, 0, from->handle), ACL_SUCCESS);
        cr_assert_eq(aclrtValueWait(crew->turn, crew->turns, ACL_STREAM_WAIT_VALUE_GEQ, to->handle),
                     ACL_SUCCESS);
        /* Else a later write of another stream could be overtaken by this one. */
        cr_assert_eq(aclrtSynchronizeStream(from->handle), ACL_SUCCESS);
    }
}

static void check(struct lane *lane)
{
    cr_assert_eq(aclrtSynchronizeStream(lane->handle), ACL_SUCCESS);
    cr_assert_eq(lane->plain, lane->plain_expected);
    cr_assert_eq(atomic_load(&lane->functions_run), lane->functions);
    for (int i = 0; i < WORDS; i++)
        cr_assert_eq(lane->memory[i], lane->marker * UINT64_C(0x0101010101010101));
}

/* A stream that lives shortly and ends by force, amid whatever it is at. */
static void live_shortly(struct crew *crew, uint32_t random)
{
    static _Atomic uint64_t ignored;
    static struct lane none;
    aclrtStream stream;
    aclrtNotify never;
    (void)ignored;
    cr_assert_eq(aclrtCreateStreamWithConfig(&stream, random % 8, 0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateNotify(&never, 0), ACL_SUCCESS);
    if (random & 64) {
        cr_assert_eq(aclrtSubscribeReport((uint64_t)crew->server, stream), ACL_SUCCESS);
        cr_assert_eq(aclrtLaunchCallback(count_passing, &none, ACL_CALLBACK_BLOCK, stream),
                     ACL_SUCCESS);
        cr_assert_eq(aclrtLaunchCallback(count_passing, &none, ACL_CALLBACK_NO_BLOCK, stream),
                     ACL_SUCCESS);
    }
    if (random & 128) cr_assert_eq(aclrtWaitAndResetNotify(never, stream, 0), ACL_SUCCESS);
    if (random & 256)
        cr_assert_eq(aclrtValueWait(crew->turn, UINT64_MAX, ACL_STREAM_WAIT_VALUE_EQ, stream),
                     ACL_SUCCESS);
    if (random & 512) cr_assert_eq(aclrtStreamAbort(stream), ACL_SUCCESS);
    cr_assert_eq(aclrtDestroyNotify(never), ACL_SUCCESS);
    cr_assert_eq(aclrtDestroyStreamForce(stream), ACL_SUCCESS);
}

static void *work(void *argument)
{
    struct crew *crew = argument;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    for (int i = steps(); i > 0; i--) {
        uint32_t random = next_random(crew);
        int index = (int)(random % LANES);
        struct lane *lane = &crew->lanes[index];
        struct lane *other = &crew->lanes[(index + 1 + (int)(random >> 4) % (LANES - 1)) % LANES];
        switch (random >> 8 & 15) {
        case 0:
            live_shortly(crew, random >> 12);
            break;
        case 1:
            check(lane);
            break;
        case 2:
        case 3:
        case 4:
            order(crew, lane, other, random >> 12);
            break;
        case 5:
        case 6:
        case 7:
        case 8:
            touch_memory(lane, random >> 12);
            break;
        default:
            call_program(lane, index == 0, random >> 12);
        }
    }
    for (int i = 0; i < LANES; i++)
        check(&crew->lanes[i]);
    return NULL;
}

static void open_crew(struct crew *crew, int number)
{
    void *memory = NULL;
    crew->random = 2463534242u + (uint32_t)number * 7919u;
    cr_assert_eq(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
    crew->turn = memory;
    *crew->turn = 0;
    cr_assert_eq(aclrtCreateNotify(&crew->notify, 0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateEventExWithFlag(&crew->event, ACL_EVENT_SYNC), ACL_SUCCESS);
    crew->served = 1;
    cr_assert_eq(pthread_create(&crew->server, NULL, serve, crew), 0);
    for (int i = 0; i < LANES; i++) {
        struct lane *lane = &crew->lanes[i];
        cr_assert_eq(aclrtCreateStreamWithConfig(&lane->handle, (uint32_t)(2 * i), 0), ACL_SUCCESS);
        cr_assert_eq(aclrtMalloc(&memory, WORDS * 8, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
        cr_assert_eq(aclrtMemset(memory, WORDS * 8, 0, WORDS * 8), ACL_SUCCESS);
        lane->memory = memory;
    }
    cr_assert_eq(aclrtSubscribeReport((uint64_t)crew->server, crew->lanes[0].handle), ACL_SUCCESS);
}

static void close_crew(struct crew *crew)
{
    for (int i = 0; i < LANES; i++) {
        struct lane *lane = &crew->lanes[i];
        cr_expect_eq(aclrtFree(lane->memory), ACL_SUCCESS);
        if (i % 2) cr_expect_eq(aclrtDestroyStream(lane->handle), ACL_SUCCESS);
    }
    cr_expect_eq(aclrtFree(crew->turn), ACL_SUCCESS);
}

Test(everything, comes_out_as_alone, .timeout = 600)
{
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    for (int i = 0; i < THREADS; i++)
        open_crew(&crews[i], i);
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&crews[i].thread, NULL, work, &crews[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(crews[i].thread, NULL);
    for (int i = 0; i < THREADS; i++)
        close_crew(&crews[i]);
    rt_runtime_shutdown();
    for (int i = 0; i < THREADS; i++) {
        cr_expect_eq(crews[i].lanes[0].callbacks_run, crews[i].lanes[0].callbacks,
                     "no callback is lost");
        atomic_store(&crews[i].served, 0);
        pthread_join(crews[i].server, NULL);
    }
}
