/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives as tasks of streams: order, several streams and communicators, graphs, refusals. */
#include "tests/collective/ranks.h"

enum { COUNT = 1000 };

static float *numbers_new(struct rank *rank, float value)
{
    void *memory = NULL;
    RANK_CALL(rank, aclrtMalloc(&memory, COUNT * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
    for (int i = 0; i < COUNT; i++)
        ((float *)memory)[i] = value;
    return memory;
}

static void expect_all(struct rank *rank, const float *numbers, float value)
{
    for (int i = 0; i < COUNT; i++)
        RANK_EXPECT(rank, numbers[i] == value, "[%d] is %g, not %g", i, (double)numbers[i],
                    (double)value);
}

static HcclResult sum(struct rank *rank, float *numbers, HcclComm comm, aclrtStream stream)
{
    (void)rank;
    return HcclAllReduce(numbers, numbers, COUNT, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm,
                         stream);
}

/* Between copies that it depends on and that depend on it; nothing is synchronised in between. */
static void in_order(struct rank *rank)
{
    rank_start(rank);
    float *one = numbers_new(rank, 1), *other = numbers_new(rank, 0);
    const size_t bytes = COUNT * sizeof(float);
    float want = 1;
    for (int i = 0; i < 10; i++, want *= (float)rank->size) {
        RANK_CALL(rank, aclrtMemcpyAsync(other, bytes, one, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE,
                                         rank->stream));
        RANK_CALL(rank, sum(rank, other, rank->comm, rank->stream));
        RANK_CALL(rank, aclrtMemcpyAsync(one, bytes, other, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE,
                                         rank->stream));
    }
    RANK_CALL(rank, aclrtSynchronizeStream(rank->stream));
    expect_all(rank, one, want);
    aclrtFree(one);
    aclrtFree(other);
    rank_end(rank);
}

Test(streams, order_of_the_stream, .timeout = 600)
{
    cr_expect_eq(ranks_run(1, in_order), 0);
    cr_expect_eq(ranks_run(3, in_order), 0);
}

/* Two communicators on two streams; even ranks call in one order, odd ones in the other, and one
 * communicator's stream is held up on one rank. One worker is enough. */
static void opposite_orders(struct rank *rank)
{
    HcclComm second = NULL;
    aclrtStream streams[2];
    uint32_t ranks[] = {0, 1, 2, 3};
    setenv("ACLNN_CPU_THREADS", "1", 1);
    rank_start(rank);
    streams[0] = rank->stream;
    RANK_CALL(rank, aclrtCreateStream(&streams[1]));
    RANK_CALL(rank,
              HcclCreateSubCommConfig(&rank->comm, rank->size, ranks, 7, rank->id, NULL, &second));
    HcclComm comms[] = {rank->comm, second};
    float *numbers[] = {numbers_new(rank, 1), numbers_new(rank, 2)};
    for (int i = 0; i < 5; i++) {
        int first = (int)(rank->id + (uint32_t)i) % 2;
        RANK_CALL(rank, sum(rank, numbers[first], comms[first], streams[first]));
        if (rank->id == 2) rank_nap(2);
        RANK_CALL(rank, sum(rank, numbers[!first], comms[!first], streams[!first]));
    }
    for (int i = 0; i < 2; i++) /* both are under way in any case */
        RANK_CALL(rank, aclrtSynchronizeStream(streams[(rank->id + (uint32_t)i) % 2]));
    float want = 1;
    for (int i = 0; i < 5; i++)
        want *= (float)rank->size;
    expect_all(rank, numbers[0], want);
    expect_all(rank, numbers[1], 2 * want);
    aclrtFree(numbers[0]);
    aclrtFree(numbers[1]);
    RANK_CALL(rank, HcclCommDestroy(second));
    RANK_CALL(rank, aclrtDestroyStream(streams[1]));
    rank_end(rank);
}

Test(streams, two_communicators_in_opposite_orders, .timeout = 600)
{
    cr_expect_eq(ranks_run(2, opposite_orders), 0);
    cr_expect_eq(ranks_run(4, opposite_orders), 0);
}

/* One communicator on two streams: calls meet by their number, in whatever order streams run. */
static void one_on_two_streams(struct rank *rank)
{
    aclrtStream other;
    aclrtEvent event;
    rank_start(rank);
    RANK_CALL(rank, aclrtCreateStream(&other));
    RANK_CALL(rank, aclrtCreateEvent(&event));
    float *one = numbers_new(rank, 1), *two = numbers_new(rank, 2);
    if (rank->id == 0) RANK_CALL(rank, aclrtStreamWaitEvent(rank->stream, event));
    RANK_CALL(rank, sum(rank, one, rank->comm, rank->stream));
    RANK_CALL(rank, sum(rank, two, rank->comm, other));
    RANK_CALL(rank, aclrtSynchronizeStream(other));
    expect_all(rank, two, 2 * (float)rank->size);
    if (rank->id == 0) RANK_CALL(rank, aclrtRecordEvent(event, other));
    RANK_CALL(rank, aclrtSynchronizeStream(rank->stream));
    expect_all(rank, one, (float)rank->size);
    RANK_CALL(rank, aclrtDestroyStream(other));
    RANK_CALL(rank, aclrtDestroyEvent(event));
    aclrtFree(one);
    aclrtFree(two);
    rank_end(rank);
}

Test(streams, one_communicator_on_two_streams, .timeout = 600)
{
    cr_expect_eq(ranks_run(3, one_on_two_streams), 0);
}

static void captured(struct rank *rank)
{
    aclmdlRI graph;
    rank_start(rank);
    const size_t bytes = COUNT * sizeof(float);
    float *one = numbers_new(rank, 1), *all = NULL;
    RANK_CALL(rank, aclrtMalloc((void **)&all, bytes * rank->size, ACL_MEM_MALLOC_HUGE_FIRST));
    RANK_CALL(rank, aclmdlRICaptureBegin(rank->stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    RANK_CALL(rank, sum(rank, one, rank->comm, rank->stream));
    RANK_CALL(rank, HcclAllGather(one, all, COUNT, HCCL_DATA_TYPE_FP32, rank->comm, rank->stream));
    RANK_CALL(rank, aclmdlRICaptureEnd(rank->stream, &graph));
    float *between = numbers_new(rank, 1), want = 1;
    for (int i = 0; i < 3; i++) {
        want *= (float)rank->size;
        RANK_CALL(rank, aclmdlRIExecuteAsync(graph, rank->stream));
        RANK_CALL(rank, sum(rank, between, rank->comm, rank->stream));
        RANK_CALL(rank, aclrtSynchronizeStream(rank->stream));
        expect_all(rank, one, want);
        expect_all(rank, between, want);
        for (uint32_t r = 0; r < rank->size; r++)
            expect_all(rank, all + r * COUNT, want);
    }
    RANK_CALL(rank, aclmdlRIDestroy(graph));
    aclrtFree(one);
    aclrtFree(all);
    aclrtFree(between);
    rank_end(rank);
}

Test(streams, capture_and_replay, .timeout = 600)
{
    cr_expect_eq(ranks_run(1, captured), 0);
    cr_expect_eq(ranks_run(3, captured), 0);
}

/* --- refusals ------------------------------------------------------------------------------- */

#define REFUSED(rank, code, call, part)                                                            \
    do {                                                                                           \
        HcclResult got_ = (call);                                                                  \
        const char *text_ = rank_text();                                                           \
        RANK_EXPECT(rank, got_ == (code), "%s returned %d", #call, (int)got_);                     \
        RANK_EXPECT(rank, strstr(text_, part) != NULL, "%s", text_);                               \
    } while (0)

static void refusals(struct rank *rank)
{
    const HcclDataType f32 = HCCL_DATA_TYPE_FP32;
    rank_start(rank);
    HcclComm comm = rank->comm;
    aclrtStream stream = rank->stream;
    float x[8] = {0};
    uint64_t counts[2] = {1, 1}, displs[2] = {0, 1};
    REFUSED(rank, HCCL_E_PTR, HcclAllReduce(NULL, x, 1, f32, 0, comm, stream), "sendBuf is NULL");
    REFUSED(rank, HCCL_E_PTR, HcclAllReduce(x, NULL, 1, f32, 0, comm, stream), "recvBuf is NULL");
    REFUSED(rank, HCCL_E_PTR, HcclAllReduce(x, x, 1, f32, 0, NULL, stream), "comm is NULL");
    REFUSED(rank, HCCL_E_PTR, HcclAllReduce(x, x, 1, f32, 0, comm, NULL), "stream is NULL");
    REFUSED(rank, HCCL_E_NOT_FOUND, HcclAllReduce(x, x, 1, f32, 0, x, stream), "no communicator");
    REFUSED(rank, HCCL_E_NOT_SUPPORT, HcclAllReduce(x, x, 1, 12, 0, comm, stream),
            "dataType is 12");
    REFUSED(rank, HCCL_E_NOT_SUPPORT, HcclAllReduce(x, x, 1, f32, 4, comm, stream), "op is 4");
    REFUSED(rank, HCCL_E_PARA, HcclAllReduce(x, x, UINT64_MAX, f32, 0, comm, stream), "count is");
    REFUSED(rank, HCCL_E_PARA, HcclBroadcast(x, 1, f32, rank->size, comm, stream), "root is");
    REFUSED(rank, HCCL_E_PARA, HcclReduce(x, x, 1, f32, 0, 9, comm, stream), "root is 9");
    REFUSED(rank, HCCL_E_PARA, HcclSend(x, 1, f32, rank->id, comm, stream), "this rank itself");
    REFUSED(rank, HCCL_E_PARA, HcclRecv(x, 1, f32, 7, comm, stream), "remote rank is 7");
    REFUSED(rank, HCCL_E_PARA, HcclAllGatherV(x, 2, x, counts, displs, f32, comm, stream),
            "sendCount is 2");
    REFUSED(rank, HCCL_E_PTR, HcclAllGatherV(x, 1, x, NULL, displs, f32, comm, stream),
            "recvCounts is NULL");
    REFUSED(rank, HCCL_E_PARA, HcclReduceScatterV(x, counts, displs, x, 3, f32, 0, comm, stream),
            "recvCount is 3");
    REFUSED(rank, HCCL_E_PTR,
            HcclAlltoAllV(x, counts, NULL, f32, x, counts, displs, f32, comm, stream),
            "sdispls is NULL");
    REFUSED(rank, HCCL_E_PARA, HcclAlltoAll(x, 1, f32, x, 2, f32, comm, stream), "sends itself");
    REFUSED(rank, HCCL_E_PTR, HcclAlltoAllVC(x, NULL, f32, x, f32, comm, stream),
            "sendCountMatrix");
    REFUSED(rank, HCCL_E_PTR, HcclBatchSendRecv(NULL, 1, comm, stream), "sendRecvInfo");
    HcclSendRecvItem item = {HCCL_SEND, x, 1, f32, rank->id};
    REFUSED(rank, HCCL_E_PARA, HcclBatchSendRecv(&item, 1, comm, stream), "1 items and receives 0");
    REFUSED(rank, HCCL_E_PARA, HcclBatchSendRecv(&item, 0, comm, stream), "itemNum is 0");
    REFUSED(rank, HCCL_E_PTR, HcclGetRankId(comm, NULL), "rank is NULL");
    REFUSED(rank, HCCL_E_NOT_FOUND, HcclCommDestroy(x), "no communicator");
    RANK_EXPECT(rank, HcclAllReduce(x, x, 1, f32, 0, comm, x) == HCCL_E_RUNTIME, "no stream");
    RANK_CALL(rank, HcclAllReduce(NULL, NULL, 0, f32, 0, comm, stream));
    RANK_CALL(rank, HcclBarrier(comm, stream)); /* all are still in step */
    RANK_CALL(rank, aclrtSynchronizeStream(stream));
    rank_end(rank);
}

Test(streams, what_is_refused, .timeout = 600)
{
    cr_expect_eq(ranks_run(2, refusals), 0);
}
