/* SPDX-License-Identifier: Apache-2.0 */
/* A stream with its handle, and tasks that note in which order they ran. */
#ifndef ACLNN_CPU_TESTS_UNIT_LANE_H
#define ACLNN_CPU_TESTS_UNIT_LANE_H

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "acl/acl.h"
#include "runtime/schedule/queue.h"
#include "runtime/schedule/stream.h"

struct lane {
    aclrtStream handle;
    struct rt_stream *stream;
};

static inline struct lane lane_open(uint32_t priority)
{
    struct lane lane;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStreamWithConfig(&lane.handle, priority, 0), ACL_SUCCESS);
    cr_assert_eq(rt_stream_resolve(__func__, lane.handle, &lane.stream), ACL_SUCCESS);
    return lane;
}

/* What ran, in order. */
static char lane_log[256];
static atomic_uint lane_logged;

static inline void lane_note(char c)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    lane_log[lane_logged] = c;
    lane_logged++; /* who sees the number sees the letters */
    pthread_mutex_unlock(&lock);
}

static inline void lane_run(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    lane_note((char)task->word[0].number);
}

static inline void lane_submit(struct lane lane, char c, unsigned flags)
{
    static const struct rt_task_kind kind = {.name = "note", .run = lane_run};
    struct rt_task task = {.kind = &kind, .word[0].number = (uint64_t)c};
    cr_assert_eq(rt_stream_submit(lane.stream, &task, flags), ACL_SUCCESS);
}

static inline void lane_nap(void)
{
    struct timespec time = {.tv_nsec = 1000000};
    nanosleep(&time, NULL);
}

/* A letter for a function that notes it. */
static inline void *lane_letter(const char *letter)
{
    return (void *)(uintptr_t)letter;
}

/* Somebody is made to run the stream if nobody does. */
static inline bool lane_is(struct lane lane, enum rt_stream_state state)
{
    rt_queue_kick(lane.stream);
    rt_lock_take(&lane.stream->lock);
    bool is_so = lane.stream->state == state;
    rt_lock_give(&lane.stream->lock);
    return is_so;
}

/* Waits for the condition, which must come; the test's own limit ends it if not. */
#define lane_await(condition)                                                                      \
    do {                                                                                           \
        while (!(condition))                                                                       \
            lane_nap();                                                                            \
    } while (0)

#endif
