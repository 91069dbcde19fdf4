/* SPDX-License-Identifier: Apache-2.0 */
/* A task that ends when the test says so: what lies behind it in its stream has not run until then,
 * however slowly or unevenly the machine runs the test. A thread that waits for the stream may be
 * the one that stands at the gate, so open it first. */
#ifndef ACLNN_CPU_TESTS_UNIT_GATE_H
#define ACLNN_CPU_TESTS_UNIT_GATE_H

#include <criterion/criterion.h>
#include <semaphore.h>

#include "acl/acl_rt.h"
#include "runtime/schedule/stream.h"

/* static or longer-lived than the task */
struct gate {
    sem_t opened;
};

static inline void gate_run(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    struct gate *gate = task->word[0].pointer;
    while (sem_wait(&gate->opened) != 0) {
    }
}

static inline void gate_close(struct gate *gate, struct rt_stream *stream)
{
    static const struct rt_task_kind kind = {.name = "gate", .run = gate_run};
    struct rt_task task = {.kind = &kind, .word[0].pointer = gate};
    cr_assert_eq(sem_init(&gate->opened, 0, 0), 0);
    cr_assert_eq(rt_stream_submit(stream, &task, RT_SUBMIT_LARGE), ACL_SUCCESS);
}

/* A new stream that stands at the gate. */
static inline aclrtStream gate_close_stream(struct gate *gate)
{
    aclrtStream stream;
    struct rt_stream *queue;
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    cr_assert_eq(rt_stream_resolve("test", stream, &queue), ACL_SUCCESS);
    gate_close(gate, queue);
    return stream;
}

static inline void gate_open(struct gate *gate)
{
    sem_post(&gate->opened);
}

#endif
