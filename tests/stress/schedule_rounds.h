/* SPDX-License-Identifier: Apache-2.0 */
/* What the suites of schedules share: rounds with streams of their own, a number that walks, and a
 * rival that brings what others wait for. */
#ifndef ACLNN_CPU_TESTS_STRESS_SCHEDULE_ROUNDS_H
#define ACLNN_CPU_TESTS_STRESS_SCHEDULE_ROUNDS_H

#include "acl/acl.h"
#include "runtime/schedule/stream.h"
#include "tests/stress/schedule.h"

enum { STREAMS = 3, THREADS = 3, ROUNDS = 20, ROUNDS_PER_LIFE = 20 };

static aclrtStream streams[STREAMS];

#define OK(call) cr_assert_eq((call), ACL_SUCCESS, "%s: %s", #call, aclGetRecentErrMsg())

static inline void set_up(void)
{
    setenv("ACLNN_CPU_THREADS", "3", 1);
    schedule_begin();
}

static inline void tear_down(void)
{
    schedule_end();
}

static inline void open_streams(void)
{
    OK(aclrtSetDevice(0));
    for (uint32_t i = 0; i < STREAMS; i++)
        OK(aclrtCreateStreamWithConfig(&streams[i], i, 0));
}

/* The library is initialised anew now and then: its threads come and go, too. */
static inline void run_rounds(const char *name, void (*round)(struct random *random))
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

static inline void pause_a_little(struct random *random)
{
    struct timespec nap = {.tv_nsec = (long)random_below(random, 300000)};
    if (random_once_in(random, 2)) nanosleep(&nap, NULL);
}

static inline aclrtStream any_stream(struct random *random)
{
    return streams[random_below(random, STREAMS)];
}

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

static inline void step_on(void *argument)
{
    struct walker *walker = argument;
    walker->number = walker->number + 1;
}

static inline void run_step(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    step_on(task->word[0].pointer);
}

static const struct rt_task_kind step_kind = {.name = "step", .run = run_step, .rerun = run_step};

static inline void step_in(aclrtStream handle, struct walker *walker)
{
    struct rt_stream *stream;
    struct rt_task task = {.kind = &step_kind, .word[0].pointer = walker};
    OK(rt_stream_resolve(__func__, handle, &stream));
    OK(rt_stream_submit(stream, &task, random_once_in(&walker->random, 3) ? RT_SUBMIT_LARGE : 0));
}

static struct rival {
    struct random random;
    pthread_t thread;
    aclrtNotify notify;
    aclrtEvent event;
    uint64_t *value;
    bool is_over; /* nothing of the round may run any more */
    int functions;
} rival;

static inline void count_function(void *argument)
{
    struct rival *mine = argument;
    cr_assert(!mine->is_over);
    mine->functions++;
}

/* Brings what the stream may be waiting for, or looks at it. */
static inline void *disturb(void *argument)
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

static inline void open_rival(struct random *random)
{
    void *value;
    rival = (struct rival){.random.state = random_next(random)};
    OK(aclrtCreateEventWithFlag(&rival.event, ACL_EVENT_SYNC));
    OK(aclrtCreateNotify(&rival.notify, 0));
    OK(aclrtMalloc(&value, 64, ACL_MEM_MALLOC_NORMAL_ONLY));
    rival.value = value;
    *rival.value = 0;
}

static inline void close_rival(void)
{
    pthread_join(rival.thread, NULL);
    OK(aclrtSynchronizeStream(streams[1]));
    OK(aclrtFree(rival.value));
    OK(aclrtDestroyNotify(rival.notify));
    OK(aclrtDestroyEvent(rival.event));
}

static inline bool is_end(aclError status)
{
    return status == ACL_SUCCESS || status == ACL_ERROR_RT_STREAM_ABORT ||
           status == ACL_ERROR_RT_TASK_ABORT_STOP;
}

#endif
