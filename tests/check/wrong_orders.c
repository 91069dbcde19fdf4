/* SPDX-License-Identifier: Apache-2.0 */
/* Programs with a race: two operations use the same bytes, one of them writes, and nothing orders
 * them. */
#include "tests/check/program.h"

#include "acl/acl_mdl.h"

#define RACE "race/unordered"

/* Nothing at all between the writer and the reader. */
static void no_event(struct world *w)
{
    put(w, 0, 0);
    copy(w, 1, 1, 0);
}

/* Two streams write the same buffer. */
static void two_writers(struct world *w)
{
    put(w, 0, 0);
    put(w, 1, 0);
}

/* The reader is first: the writer must wait for it all the same. */
static void write_after_read(struct world *w)
{
    copy(w, 0, 1, 0);
    put(w, 1, 0);
}

/* The event is recorded before the write that it should stand for. */
static void recorded_too_early(struct world *w)
{
    OK(aclrtRecordEvent(w->e[0], w->s[0]));
    put(w, 0, 0);
    OK(aclrtStreamWaitEvent(w->s[1], w->e[0]));
    copy(w, 1, 1, 0);
}

/* The wait is queued behind the read. */
static void waits_too_late(struct world *w)
{
    put(w, 0, 0);
    OK(aclrtRecordEvent(w->e[0], w->s[0]));
    copy(w, 1, 1, 0);
    OK(aclrtStreamWaitEvent(w->s[1], w->e[0]));
}

/* The event is recorded again, in another stream, before anybody waits for the first record. */
static void reused_event(struct world *w)
{
    put(w, 0, 0);
    OK(aclrtRecordEvent(w->e[0], w->s[0]));
    put(w, 2, 2);
    OK(aclrtRecordEvent(w->e[0], w->s[2]));
    OK(aclrtStreamWaitEvent(w->s[1], w->e[0]));
    copy(w, 1, 1, 0);
}

/* The wrong event is waited for. */
static void other_event(struct world *w)
{
    put(w, 0, 0);
    OK(aclrtRecordEvent(w->e[0], w->s[0]));
    OK(aclrtRecordEvent(w->e[1], w->s[2]));
    OK(aclrtStreamWaitEvent(w->s[1], w->e[1]));
    copy(w, 1, 1, 0);
}

/* The event is recorded in a stream that has nothing to do with the write. */
static void recorded_in_wrong_stream(struct world *w)
{
    put(w, 0, 0);
    after(w, 2, 0, 1);
    copy(w, 1, 1, 0);
}

/* The wrong stream waits. */
static void wrong_stream_waits(struct world *w)
{
    put(w, 0, 0);
    after(w, 0, 0, 2);
    copy(w, 1, 1, 0);
}

/* The default stream is a stream like others here: it waits for none. */
static void default_stream(struct world *w)
{
    put(w, 0, 0);
    OK(aclrtMemcpyAsync(w->d[1], BYTES, w->d[0], BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, NULL));
}

/* The wrong stream is synchronised. */
static void wrong_stream_synchronised(struct world *w)
{
    put(w, 0, 0);
    OK(aclrtSynchronizeStream(w->s[1]));
    copy(w, 1, 1, 0);
}

/* The synchronise comes before the write. */
static void synchronised_too_early(struct world *w)
{
    OK(aclrtSynchronizeStream(w->s[0]));
    put(w, 0, 0);
    copy(w, 1, 1, 0);
}

/* The host waits for an event that was recorded before the write. */
static void host_waits_for_early_event(struct world *w)
{
    OK(aclrtRecordEvent(w->e[0], w->s[0]));
    put(w, 0, 0);
    OK(aclrtSynchronizeEvent(w->e[0]));
    copy(w, 1, 1, 0);
}

/* The host reads what a stream is still writing. */
static void host_reads(struct world *w)
{
    put(w, 0, 0);
    OK(aclrtMemcpy(w->pageable, BYTES, w->d[0], BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
}

/* The host writes what a stream is still reading. */
static void host_writes(struct world *w)
{
    copy(w, 0, 1, 0);
    OK(aclrtMemcpy(w->d[0], BYTES, w->pageable, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
}

/* The host fills what a stream is still writing. */
static void host_fills(struct world *w)
{
    put(w, 0, 0);
    OK(aclrtMemset(w->d[0], BYTES, 1, BYTES));
}

/* Only the last four bytes are shared. */
static void overlap_at_the_end(struct world *w)
{
    put_part(w, 0, 0, 0, 2052);
    put_part(w, 1, 0, 2048, BYTES);
}

/* A small piece inside of a large one. */
static void piece_inside(struct world *w)
{
    put(w, 0, 0);
    put_part(w, 1, 0, 1000, 1004);
}

/* A copy reads half of what is being written. */
static void reads_half(struct world *w)
{
    put_part(w, 0, 0, 1024, 3072);
    copy_part(w, 1, w->d[1], w->d[0], 2048);
}

/* Operators, not copies. */
static void operators(struct world *w)
{
    absolute(w, 0, w->d[1], w->d[0]);
    absolute(w, 1, w->d[2], w->d[1]);
}

/* In place in one stream, read in another. */
static void in_place(struct world *w)
{
    absolute(w, 0, w->d[0], w->d[0]);
    absolute(w, 1, w->d[1], w->d[0]);
}

/* Columns 0 to 16 and columns 16 to 32 share column 16. */
static void columns_that_meet(struct world *w)
{
    absolute_view(w, 0, w->d[0], w->d[1], 32, 17, 32);
    absolute_view(w, 1, w->d[0] + 64, w->d[1] + 64, 32, 16, 32);
}

/* One workspace for two operators that may run at once. */
static void shared_workspace(struct world *w)
{
    const size_t size = workspace_bytes(w);
    with_workspace(w, 0, 1, 0, w->workspace, size);
    with_workspace(w, 1, 2, 0, w->workspace, size);
}

/* The workspace of one is the input of another. */
static void workspace_is_read(struct world *w)
{
    with_workspace(w, 0, 1, 0, w->workspace, workspace_bytes(w));
    copy_part(w, 1, w->d[2], w->workspace, BYTES);
}

/* A chain of two events, the middle one missing. */
static void broken_chain(struct world *w)
{
    put(w, 0, 0);
    OK(aclrtRecordEvent(w->e[0], w->s[0]));
    put(w, 2, 2);
    after(w, 2, 1, 1);
    copy(w, 1, 1, 0);
}

/* The chain's second link is recorded before its first one is waited for. */
static void chain_in_wrong_order(struct world *w)
{
    put(w, 0, 0);
    OK(aclrtRecordEvent(w->e[0], w->s[0]));
    OK(aclrtRecordEvent(w->e[1], w->s[2]));
    OK(aclrtStreamWaitEvent(w->s[2], w->e[0]));
    OK(aclrtStreamWaitEvent(w->s[1], w->e[1]));
    copy(w, 1, 1, 0);
}

/* Two buffers by turns; the writer waits for the reader of the other one. */
static void double_buffer_off_by_one(struct world *w)
{
    for (int i = 0; i < 6; i++) {
        const int slot = i % 2;
        if (i >= 2) OK(aclrtStreamWaitEvent(w->s[0], w->e[0]));
        put(w, 0, slot);
        after(w, 0, 2, 1);
        if (i % 2 == 0) OK(aclrtRecordEvent(w->e[0], w->s[1])); /* before the read, not behind */
        copy(w, 1, 2, slot);
    }
}

/* The upload of the next batch does not wait for the last one's reader. */
static void upload_overwrites(struct world *w)
{
    for (int i = 0; i < 3; i++) {
        upload(w, 0, 0);
        after(w, 0, 0, 1);
        absolute(w, 1, w->d[1], w->d[0]);
    }
}

/* Two downloads into the same pinned buffer. */
static void pinned_twice(struct world *w)
{
    download(w, 0, 0);
    download(w, 1, 1);
}

/* A notify that is recorded before the write. */
static void early_notify(struct world *w)
{
    aclrtNotify notify;
    OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
    OK(aclrtRecordNotify(notify, w->s[0]));
    put(w, 0, 0);
    OK(aclrtWaitAndResetNotify(notify, w->s[1], 0));
    copy(w, 1, 1, 0);
    OK(aclrtSynchronizeDevice());
    OK(aclrtDestroyNotify(notify));
}

/* The wait for a value is over before the write that it should stand for. */
static void early_value(struct world *w)
{
    OK(aclrtMemset(w->d[3], BYTES, 0, 8));
    OK(aclrtValueWrite(w->d[3], 1, 0, w->s[0]));
    put(w, 0, 0);
    OK(aclrtValueWait(w->d[3], 1, ACL_STREAM_WAIT_VALUE_EQ, w->s[1]));
    copy(w, 1, 1, 0);
}

/* A query that says "not yet" orders nothing, and neither does one of another event. */
static void wrong_query(struct world *w)
{
    aclrtEventRecordedStatus status;
    put(w, 0, 0);
    OK(aclrtQueryEventStatus(w->e[1], &status));
    copy(w, 1, 1, 0);
}

static void capture_copy(struct world *w, aclmdlRI *graph)
{
    OK(aclmdlRICaptureBegin(w->s[0], ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    copy(w, 0, 1, 0);
    OK(aclmdlRICaptureEnd(w->s[0], graph));
}

/* A replay reads what another stream writes. */
static void replay_and_stream(struct world *w)
{
    aclmdlRI graph;
    capture_copy(w, &graph);
    put(w, 1, 0);
    OK(aclmdlRIExecuteAsync(graph, w->s[0]));
    OK(aclrtSynchronizeDevice());
    OK(aclmdlRIDestroy(graph));
}

/* The same graph in two streams. */
static void replay_in_two_streams(struct world *w)
{
    aclmdlRI graph;
    capture_copy(w, &graph);
    OK(aclmdlRIExecuteAsync(graph, w->s[0]));
    OK(aclmdlRIExecuteAsync(graph, w->s[1]));
    OK(aclrtSynchronizeDevice());
    OK(aclmdlRIDestroy(graph));
}

static void nothing(void *argument)
{
    (void)argument;
}

/* A host function orders its own stream, no other. */
static void host_function(struct world *w)
{
    put(w, 0, 0);
    OK(aclrtLaunchHostFunc(w->s[0], nothing, NULL));
    copy(w, 1, 1, 0);
}

/* Three streams; the third reads and nobody waits for it. */
static void third_reader(struct world *w)
{
    put(w, 0, 0);
    OK(aclrtRecordEvent(w->e[0], w->s[0]));
    OK(aclrtStreamWaitEvent(w->s[1], w->e[0]));
    OK(aclrtStreamWaitEvent(w->s[2], w->e[0]));
    copy(w, 1, 1, 0);
    copy(w, 2, 2, 0);
    after(w, 1, 1, 0);
    put(w, 0, 0);
}

/* Ordered once; the second round has lost its event. */
static void second_round(struct world *w)
{
    put(w, 0, 0);
    after(w, 0, 0, 1);
    copy(w, 1, 1, 0);
    put(w, 0, 0);
}

/* Rows of a matrix, copied while another stream writes one of them. */
static void rows(struct world *w)
{
    OK(aclrtMemcpy2dAsync(w->d[1], 64, w->d[0], 128, 64, 32, ACL_MEMCPY_DEVICE_TO_DEVICE, w->s[0]));
    put_part(w, 1, 0, 128 * 7 + 60, 128 * 7 + 68);
}

#define PROGRAM(name)                                                                              \
    {                                                                                              \
#name, name, RACE                                                                          \
    }
const struct program wrong_orders[] = {
    PROGRAM(no_event),
    PROGRAM(two_writers),
    PROGRAM(write_after_read),
    PROGRAM(recorded_too_early),
    PROGRAM(waits_too_late),
    PROGRAM(reused_event),
    PROGRAM(other_event),
    PROGRAM(recorded_in_wrong_stream),
    PROGRAM(wrong_stream_waits),
    PROGRAM(default_stream),
    PROGRAM(wrong_stream_synchronised),
    PROGRAM(synchronised_too_early),
    PROGRAM(host_waits_for_early_event),
    PROGRAM(host_reads),
    PROGRAM(host_writes),
    PROGRAM(host_fills),
    PROGRAM(overlap_at_the_end),
    PROGRAM(piece_inside),
    PROGRAM(reads_half),
    PROGRAM(operators),
    PROGRAM(in_place),
    PROGRAM(columns_that_meet),
    PROGRAM(shared_workspace),
    PROGRAM(workspace_is_read),
    PROGRAM(broken_chain),
    PROGRAM(chain_in_wrong_order),
    PROGRAM(double_buffer_off_by_one),
    PROGRAM(upload_overwrites),
    PROGRAM(pinned_twice),
    PROGRAM(early_notify),
    PROGRAM(early_value),
    PROGRAM(wrong_query),
    PROGRAM(replay_and_stream),
    PROGRAM(replay_in_two_streams),
    PROGRAM(host_function),
    PROGRAM(third_reader),
    PROGRAM(second_round),
    PROGRAM(rows),
};
const size_t wrong_order_count = sizeof wrong_orders / sizeof *wrong_orders;
