/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of graphs capture: streams, tasks that leave a trace, tasks that meet, and short
 * names for the calls. */
#ifndef ACLNN_CPU_TESTS_UNIT_GRAPH_TASKS_H
#define ACLNN_CPU_TESTS_UNIT_GRAPH_TASKS_H

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
#include "tests/unit/process.h"
#include "tests/unit/refusal.h"

enum { STREAMS = 4 };

static aclrtStream streams[STREAMS];
static aclrtEvent events[8];

static inline void set_up(void)
{
    setenv("ACLNN_CPU_THREADS", "3", 1);
    cr_assert_eq(aclInit(NULL), 0);
    cr_assert_eq(aclrtSetDevice(0), 0);
    for (int i = 0; i < STREAMS; i++)
        cr_assert_eq(aclrtCreateStream(&streams[i]), 0);
    for (int i = 0; i < 8; i++)
        cr_assert_eq(aclrtCreateEventExWithFlag(&events[i], ACL_EVENT_SYNC), 0);
}

static inline void tear_down(void)
{
    cr_assert_eq(aclFinalize(), 0);
}

/* --- tasks ----------------------------------------------------------------------------------- */

static int trace[64], traced;
static atomic_int dropped;

static inline void append(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    if (traced < 64) trace[traced++] = (int)task->word[0].number;
}

static inline void count_drop(struct rt_task *task)
{
    (void)task;
    atomic_fetch_add(&dropped, 1);
}

static inline void run_append(struct rt_task *task, struct rt_stream *stream)
{
    append(task, stream);
    count_drop(task);
}

static const struct rt_task_kind append_kind = {
    .name = "append", .run = run_append, .drop = count_drop, .rerun = append, .is_operator = true};

static inline aclError submit_append(aclrtStream stream, int number)
{
    struct rt_task task = {.kind = &append_kind, .word[0].number = (uint64_t)number};
    return rt_stream_submit(stream, &task, 0);
}

static inline void expect_trace(const int *numbers, int count)
{
    cr_assert_eq(traced, count, "%d tasks ran, not %d", traced, count);
    for (int i = 0; i < count; i++)
        cr_assert_eq(trace[i], numbers[i], "place %d: %d, not %d", i, trace[i], numbers[i]);
    traced = 0;
}

static inline void begin(aclrtStream stream)
{
    cr_assert_eq(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), 0);
}

static inline aclmdlRI end(aclrtStream stream)
{
    aclmdlRI graph = NULL;
    cr_assert_eq(aclmdlRICaptureEnd(stream, &graph), 0, "%s", aclGetRecentErrMsg());
    cr_assert_not_null(graph);
    return graph;
}

static inline void hand(aclrtStream from, int event, aclrtStream to)
{
    cr_assert_eq(aclrtRecordEvent(events[event], from), 0, "%s", aclGetRecentErrMsg());
    cr_assert_eq(aclrtStreamWaitEvent(to, events[event]), 0, "%s", aclGetRecentErrMsg());
}

static inline void replay(aclmdlRI graph, aclrtStream stream)
{
    cr_assert_eq(aclmdlRIExecuteAsync(graph, stream), 0, "%s", aclGetRecentErrMsg());
}

static inline void synchronise(aclrtStream stream)
{
    cr_assert_eq(aclrtSynchronizeStream(stream), 0, "%s", aclGetRecentErrMsg());
}

static sem_t meets[2];

static inline void meet(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    size_t side = task->word[0].number;
    sem_post(&meets[side]);
    while (sem_wait(&meets[1 - side]) != 0) {
    }
}

static const struct rt_task_kind meet_kind = {.name = "meet", .run = meet, .rerun = meet};

static inline aclError submit_meet(aclrtStream stream, uint64_t side)
{
    struct rt_task task = {.kind = &meet_kind, .word[0].number = side};
    return rt_stream_submit(stream, &task, 0);
}

#endif
