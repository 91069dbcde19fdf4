/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that look like those with a race, and have none. */
#include "tests/check/program.h"

#include "acl/acl_mdl.h"

static void event(struct world *w)
{
    put(w, 0, 0);
    after(w, 0, 0, 1);
    copy(w, 1, 1, 0);
}

/* One stream is an order. */
static void one_stream(struct world *w)
{
    put(w, 0, 0);
    put(w, 0, 0);
    copy(w, 0, 1, 0);
    put(w, 0, 0);
}

/* Readers need no order among themselves. */
static void two_readers(struct world *w)
{
    copy(w, 0, 1, 0);
    copy(w, 1, 2, 0);
}

static void write_after_read(struct world *w)
{
    copy(w, 0, 1, 0);
    after(w, 0, 0, 1);
    put(w, 1, 0);
}

/* The later record stands for all that is before it. */
static void late_record(struct world *w)
{
    put(w, 0, 0);
    put(w, 0, 2);
    after(w, 0, 0, 1);
    copy(w, 1, 1, 0);
}

/* A wait holds on to its record: the event may be used again at once. */
static void reused_event(struct world *w)
{
    put(w, 0, 0);
    after(w, 0, 0, 1);
    OK(aclrtRecordEvent(w->e[0], w->s[2]));
    copy(w, 1, 1, 0);
}

/* The wait is queued before the record, which the host queues later: the stream waits. */
static void wait_before_record(struct world *w)
{
    OK(aclrtStreamWaitEvent(w->s[1], w->e[0]));
    copy(w, 1, 1, 0);
    put(w, 0, 0);
    OK(aclrtRecordEvent(w->e[0], w->s[0]));
}

/* The same through a stream in the middle. */
static void chain(struct world *w)
{
    put(w, 0, 0);
    after(w, 0, 0, 2);
    after(w, 2, 1, 1);
    copy(w, 1, 1, 0);
}

static void chain_of_early_waits(struct world *w)
{
    OK(aclrtStreamWaitEvent(w->s[1], w->e[1]));
    copy(w, 1, 1, 0);
    OK(aclrtStreamWaitEvent(w->s[2], w->e[0]));
    OK(aclrtRecordEvent(w->e[1], w->s[2]));
    put(w, 0, 0);
    OK(aclrtRecordEvent(w->e[0], w->s[0]));
}

static void synchronised(struct world *w)
{
    put(w, 0, 0);
    OK(aclrtSynchronizeStream(w->s[0]));
    copy(w, 1, 1, 0);
}

static void synchronised_with_limit(struct world *w)
{
    put(w, 0, 0);
    OK(aclrtSynchronizeStreamWithTimeout(w->s[0], 10000));
    copy(w, 1, 1, 0);
}

static void device_synchronised(struct world *w)
{
    put(w, 0, 0);
    OK(aclrtSynchronizeDevice());
    copy(w, 1, 1, 0);
}

static void host_waits_for_event(struct world *w)
{
    put(w, 0, 0);
    OK(aclrtRecordEvent(w->e[0], w->s[0]));
    OK(aclrtSynchronizeEvent(w->e[0]));
    copy(w, 1, 1, 0);
}

/* Polling is waiting. */
static void polled_event(struct world *w)
{
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    put(w, 0, 0);
    OK(aclrtRecordEvent(w->e[0], w->s[0]));
    while (status != ACL_EVENT_RECORDED_STATUS_COMPLETE)
        OK(aclrtQueryEventStatus(w->e[0], &status));
    copy(w, 1, 1, 0);
}

static void polled_stream(struct world *w)
{
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    put(w, 0, 0);
    while (status != ACL_STREAM_STATUS_COMPLETE)
        OK(aclrtStreamQuery(w->s[0], &status));
    copy(w, 1, 1, 0);
}

static void default_stream(struct world *w)
{
    put(w, 0, 0);
    OK(aclrtRecordEvent(w->e[0], w->s[0]));
    OK(aclrtStreamWaitEvent(NULL, w->e[0]));
    OK(aclrtMemcpyAsync(w->d[1], BYTES, w->d[0], BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, NULL));
}

static void host_reads(struct world *w)
{
    put(w, 0, 0);
    OK(aclrtSynchronizeStream(w->s[0]));
    OK(aclrtMemcpy(w->pageable, BYTES, w->d[0], BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
}

/* The host has written before it queues. */
static void host_writes_first(struct world *w)
{
    OK(aclrtMemcpy(w->d[0], BYTES, w->pageable, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    copy(w, 0, 1, 0);
    copy(w, 1, 2, 0);
}

/* A copy from memory that is not pinned has ended when the call returns. */
static void pageable_copy(struct world *w)
{
    OK(aclrtMemcpyAsync(w->d[0], BYTES, w->pageable, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, w->s[0]));
    copy(w, 1, 1, 0);
}

static void two_parts(struct world *w)
{
    put_part(w, 0, 0, 0, 2048);
    put_part(w, 1, 0, 2048, BYTES);
}

static void pieces_side_by_side(struct world *w)
{
    for (size_t i = 0; i < 32; i++)
        put_part(w, (int)(i % STREAMS), 0, i * 128, (i + 1) * 128);
}

static void operators(struct world *w)
{
    absolute(w, 0, w->d[1], w->d[0]);
    after(w, 0, 0, 1);
    absolute(w, 1, w->d[2], w->d[1]);
}

static void in_place(struct world *w)
{
    absolute(w, 0, w->d[0], w->d[0]);
    after(w, 0, 0, 1);
    absolute(w, 1, w->d[0], w->d[0]);
}

/* The left and the right columns of one matrix: their bounds overlap, their bytes do not. */
static void columns(struct world *w)
{
    absolute_view(w, 0, w->d[0], w->d[1], 32, 16, 32);
    absolute_view(w, 1, w->d[0] + 64, w->d[1] + 64, 32, 16, 32);
}

/* Even and odd elements. */
static void every_other(struct world *w)
{
    absolute_view(w, 0, w->d[0], w->d[1], 200, 1, 2);
    absolute_view(w, 1, w->d[0] + 4, w->d[1] + 4, 200, 1, 2);
}

static void rows(struct world *w)
{
    OK(aclrtMemcpy2dAsync(w->d[1], 64, w->d[0], 128, 64, 32, ACL_MEMCPY_DEVICE_TO_DEVICE, w->s[0]));
    put_part(w, 1, 0, 128 * 7 + 64, 128 * 7 + 128);
}

static void workspaces(struct world *w)
{
    const size_t size = workspace_bytes(w);
    void *own = device(size);
    with_workspace(w, 0, 1, 0, w->workspace, size);
    with_workspace(w, 1, 2, 0, own, size);
    OK(aclrtSynchronizeDevice());
    OK(aclrtFree(own));
}

static void workspace_by_turns(struct world *w)
{
    const size_t size = workspace_bytes(w);
    with_workspace(w, 0, 1, 0, w->workspace, size);
    after(w, 0, 0, 1);
    with_workspace(w, 1, 2, 0, w->workspace, size);
}

static void double_buffer(struct world *w)
{
    for (int i = 0; i < 6; i++) {
        const int slot = i % 2;
        if (i >= 2) OK(aclrtStreamWaitEvent(w->s[0], w->e[slot]));
        put(w, 0, slot);
        after(w, 0, 2, 1);
        copy(w, 1, 2, slot);
        OK(aclrtRecordEvent(w->e[slot], w->s[1]));
    }
}

static void upload_waits(struct world *w)
{
    for (int i = 0; i < 3; i++) {
        if (i > 0) after(w, 1, 1, 0);
        upload(w, 0, 0);
        after(w, 0, 0, 1);
        absolute(w, 1, w->d[1], w->d[0]);
    }
}

static void downloads(struct world *w)
{
    download(w, 0, 0);
    OK(aclrtSynchronizeStream(w->s[0]));
    download(w, 1, 1);
}

static void notify(struct world *w)
{
    aclrtNotify notify;
    OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
    put(w, 0, 0);
    OK(aclrtRecordNotify(notify, w->s[0]));
    OK(aclrtWaitAndResetNotify(notify, w->s[1], 0));
    copy(w, 1, 1, 0);
    OK(aclrtSynchronizeDevice());
    OK(aclrtDestroyNotify(notify));
}

/* There and back by one notify for each direction, the waits queued first. */
static void notify_waits_first(struct world *w)
{
    aclrtNotify there, back;
    OK(aclrtCreateNotify(&there, ACL_NOTIFY_DEFAULT));
    OK(aclrtCreateNotify(&back, ACL_NOTIFY_DEFAULT));
    OK(aclrtWaitAndResetNotify(there, w->s[1], 0));
    copy(w, 1, 1, 0);
    OK(aclrtRecordNotify(back, w->s[1]));
    put(w, 0, 0);
    OK(aclrtRecordNotify(there, w->s[0]));
    OK(aclrtWaitAndResetNotify(back, w->s[0], 0));
    put(w, 0, 0);
    OK(aclrtSynchronizeDevice());
    OK(aclrtDestroyNotify(there));
    OK(aclrtDestroyNotify(back));
}

static void value(struct world *w)
{
    OK(aclrtMemset(w->d[3], BYTES, 0, 8));
    OK(aclrtValueWait(w->d[3], 1, ACL_STREAM_WAIT_VALUE_EQ, w->s[1]));
    copy(w, 1, 1, 0);
    put(w, 0, 0);
    OK(aclrtValueWrite(w->d[3], 1, 0, w->s[0]));
}

static void replay(struct world *w)
{
    aclmdlRI graph;
    OK(aclmdlRICaptureBegin(w->s[0], ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    copy(w, 0, 1, 0);
    OK(aclmdlRICaptureEnd(w->s[0], &graph));
    put(w, 1, 0);
    after(w, 1, 0, 0);
    OK(aclmdlRIExecuteAsync(graph, w->s[0]));
    OK(aclmdlRIExecuteAsync(graph, w->s[0]));
    OK(aclrtSynchronizeDevice());
    OK(aclmdlRIDestroy(graph));
}

/* What is only captured does not run. */
static void captured_only(struct world *w)
{
    aclmdlRI graph;
    OK(aclmdlRICaptureBegin(w->s[0], ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    copy(w, 0, 1, 0);
    OK(aclmdlRICaptureEnd(w->s[0], &graph));
    put(w, 1, 0);
    OK(aclrtSynchronizeDevice());
    OK(aclmdlRIDestroy(graph));
}

/* A graph of two streams that part and meet. */
static void forked_graph(struct world *w)
{
    aclmdlRI graph;
    aclrtEvent fork, join;
    OK(aclrtCreateEventExWithFlag(&fork, ACL_EVENT_SYNC));
    OK(aclrtCreateEventExWithFlag(&join, ACL_EVENT_SYNC));
    OK(aclmdlRICaptureBegin(w->s[0], ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    put(w, 0, 0);
    OK(aclrtRecordEvent(fork, w->s[0]));
    OK(aclrtStreamWaitEvent(w->s[1], fork));
    copy(w, 1, 1, 0);
    copy(w, 0, 2, 0);
    OK(aclrtRecordEvent(join, w->s[1]));
    OK(aclrtStreamWaitEvent(w->s[0], join));
    copy(w, 0, 3, 1);
    OK(aclmdlRICaptureEnd(w->s[0], &graph));
    for (int i = 0; i < 3; i++)
        OK(aclmdlRIExecuteAsync(graph, w->s[0]));
    put(w, 0, 0);
    OK(aclrtSynchronizeDevice());
    OK(aclmdlRIDestroy(graph));
    OK(aclrtDestroyEvent(fork));
    OK(aclrtDestroyEvent(join));
}

static void read_in_function(void *argument)
{
    struct world *w = argument;
    OK(aclrtMemcpy(w->pageable, BYTES, w->d[0], BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
}

/* A host function comes behind what its stream has done, and before what it will do. */
static void host_function(struct world *w)
{
    put(w, 0, 0);
    OK(aclrtLaunchHostFunc(w->s[0], read_in_function, w));
    put(w, 0, 0);
}

static void third_reader(struct world *w)
{
    put(w, 0, 0);
    OK(aclrtRecordEvent(w->e[0], w->s[0]));
    OK(aclrtStreamWaitEvent(w->s[1], w->e[0]));
    OK(aclrtStreamWaitEvent(w->s[2], w->e[0]));
    copy(w, 1, 1, 0);
    copy(w, 2, 2, 0);
    after(w, 1, 1, 0);
    after(w, 2, 2, 0);
    put(w, 0, 0);
}

/* A destroyed stream has ended. */
static void destroyed_stream(struct world *w)
{
    aclrtStream stream;
    OK(aclrtCreateStream(&stream));
    OK(aclrtMemsetAsync(w->d[0], BYTES, 0, BYTES, stream));
    OK(aclrtDestroyStream(stream));
    copy(w, 1, 1, 0);
}

/* The same bytes for something new. */
static void memory_again(struct world *w)
{
    for (int i = 0; i < 4; i++) {
        char *memory = device(BYTES);
        OK(aclrtMemsetAsync(memory, BYTES, 0, BYTES, w->s[i % 2]));
        OK(aclrtSynchronizeStream(w->s[i % 2]));
        OK(aclrtFree(memory));
    }
}

#define PROGRAM(name)                                                                              \
    {                                                                                              \
#name, name, ""                                                                            \
    }
const struct program right_orders[] = {
    PROGRAM(event),
    PROGRAM(one_stream),
    PROGRAM(two_readers),
    PROGRAM(write_after_read),
    PROGRAM(late_record),
    PROGRAM(reused_event),
    PROGRAM(wait_before_record),
    PROGRAM(chain),
    PROGRAM(chain_of_early_waits),
    PROGRAM(synchronised),
    PROGRAM(synchronised_with_limit),
    PROGRAM(device_synchronised),
    PROGRAM(host_waits_for_event),
    PROGRAM(polled_event),
    PROGRAM(polled_stream),
    PROGRAM(default_stream),
    PROGRAM(host_reads),
    PROGRAM(host_writes_first),
    PROGRAM(pageable_copy),
    PROGRAM(two_parts),
    PROGRAM(pieces_side_by_side),
    PROGRAM(operators),
    PROGRAM(in_place),
    PROGRAM(columns),
    PROGRAM(every_other),
    PROGRAM(rows),
    PROGRAM(workspaces),
    PROGRAM(workspace_by_turns),
    PROGRAM(double_buffer),
    PROGRAM(upload_waits),
    PROGRAM(downloads),
    PROGRAM(notify),
    PROGRAM(notify_waits_first),
    PROGRAM(value),
    PROGRAM(replay),
    PROGRAM(captured_only),
    PROGRAM(forked_graph),
    PROGRAM(host_function),
    PROGRAM(third_reader),
    PROGRAM(destroyed_stream),
    PROGRAM(memory_again),
};
const size_t right_order_count = sizeof right_orders / sizeof *right_orders;
