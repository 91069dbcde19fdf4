/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that count, for tests of streams. */
#ifndef ACLNN_CPU_TESTS_UNIT_STREAM_TASKS_H
#define ACLNN_CPU_TESTS_UNIT_STREAM_TASKS_H

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <time.h>

#include "acl/acl.h"
#include "runtime/schedule/stream.h"

static atomic_int ran, dropped;

static inline void count(struct rt_task *task, struct rt_stream *stream)
{
    (void)task;
    (void)stream;
    atomic_fetch_add(&ran, 1);
}

static inline void count_drop(struct rt_task *task)
{
    (void)task;
    atomic_fetch_add(&dropped, 1);
}

static const struct rt_task_kind count_kind = {.name = "count", .run = count, .drop = count_drop};
static const struct rt_task count_task = {.kind = &count_kind};

static inline void nap(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static inline struct rt_stream *open_stream(aclrtStream *handle)
{
    struct rt_stream *stream = NULL;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(handle), ACL_SUCCESS);
    cr_assert_eq(rt_stream_resolve(__func__, *handle, &stream), ACL_SUCCESS);
    return stream;
}

static inline void submit_times(struct rt_stream *stream, int times, unsigned flags)
{
    for (int i = 0; i < times; i++)
        cr_assert_eq(rt_stream_submit(stream, &count_task, flags), ACL_SUCCESS);
}

#endif
