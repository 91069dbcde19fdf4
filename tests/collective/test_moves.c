/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives that move: each element says whose it was and where it lay. */
#include "tests/collective/ranks.h"
#include "tests/collective/values.h"

enum { GUARD = 0x5a, TYPES = HCCL_DATA_TYPE_BFP16 + 1 };

/* Byte i of what a rank has. */
static unsigned char byte_of(uint32_t rank, size_t i)
{
    return (unsigned char)(rank * 37 + i * 11 + i / 251);
}

/* Device memory with a guard behind it, filled with the rank's bytes, or with guards. */
static unsigned char *memory_new(struct rank *rank, size_t size, bool is_filled)
{
    void *memory = NULL;
    RANK_CALL(rank, aclrtMalloc(&memory, size + 64, ACL_MEM_MALLOC_HUGE_FIRST));
    memset(memory, GUARD, size + 64);
    for (size_t i = 0; i < size && is_filled; i++)
        ((unsigned char *)memory)[i] = byte_of(rank->id, i);
    return memory;
}

static void memory_free(struct rank *rank, unsigned char *memory, size_t size)
{
    for (size_t i = 0; i < 64; i++)
        RANK_EXPECT(rank, memory[size + i] == GUARD, "written behind the end");
    RANK_CALL(rank, aclrtFree(memory));
}

/* got[0 .. size) are the bytes of that rank from `offset`. */
static void expect_bytes(struct rank *rank, const char *what, const unsigned char *got,
                         uint32_t owner, size_t offset, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (got[i] == byte_of(owner, offset + i)) continue;
        RANK_EXPECT(rank, !"right", "%s: byte %zu of rank %u's %zu", what, i, owner, size);
        return;
    }
}

static void finish(struct rank *rank)
{
    RANK_CALL(rank, aclrtSynchronizeStream(rank->stream));
}

static void broadcast(struct rank *rank, HcclDataType type, uint64_t count, uint32_t root)
{
    const size_t size = count * value_size(type);
    unsigned char *data = memory_new(rank, size, rank->id == root);
    RANK_CALL(rank, HcclBroadcast(data, count, type, root, rank->comm, rank->stream));
    finish(rank);
    expect_bytes(rank, "Broadcast", data, root, 0, size);
    memory_free(rank, data, size);
}

static void scatter(struct rank *rank, HcclDataType type, uint64_t count, uint32_t root,
                    bool in_place)
{
    const size_t each = count * value_size(type), all = each * rank->size;
    unsigned char *from = rank->id == root ? memory_new(rank, all, true) : NULL;
    unsigned char *to = from && in_place ? from + root * each : memory_new(rank, each, false);
    RANK_CALL(rank, HcclScatter(from, to, count, type, root, rank->comm, rank->stream));
    finish(rank);
    expect_bytes(rank, "Scatter", to, root, rank->id * each, each);
    if (!from || !in_place) memory_free(rank, to, each);
    if (from) memory_free(rank, from, all);
}

static void all_gather(struct rank *rank, HcclDataType type, uint64_t count, bool in_place)
{
    const size_t each = count * value_size(type), all = each * rank->size;
    unsigned char *to = memory_new(rank, all, false);
    unsigned char *from = in_place ? to + rank->id * each : memory_new(rank, each, true);
    for (size_t i = 0; i < each; i++)
        from[i] = byte_of(rank->id, i);
    RANK_CALL(rank, HcclAllGather(from, to, count, type, rank->comm, rank->stream));
    finish(rank);
    for (uint32_t r = 0; r < rank->size; r++)
        expect_bytes(rank, "AllGather", to + r * each, r, 0, each);
    if (!in_place) memory_free(rank, from, each);
    memory_free(rank, to, all);
}

/* Uneven counts, gaps, nothing from some ranks. */
static void all_gather_v(struct rank *rank, HcclDataType type, uint64_t count)
{
    const size_t element = value_size(type);
    uint64_t counts[8], displs[8], end = 2;
    for (uint32_t r = 0; r < rank->size; r++) {
        counts[r] = r % 3 == 2 ? 0 : count * (rank->size - r);
        displs[r] = end;
        end += counts[r] + r % 2;
    }
    const size_t own = counts[rank->id] * element;
    unsigned char *to = memory_new(rank, end * element, false);
    unsigned char *from = memory_new(rank, own, true);
    RANK_CALL(rank, HcclAllGatherV(from, counts[rank->id], to, counts, displs, type, rank->comm,
                                   rank->stream));
    finish(rank);
    for (uint32_t r = 0; r < rank->size; r++)
        expect_bytes(rank, "AllGatherV", to + displs[r] * element, r, 0, counts[r] * element);
    for (size_t i = 0; i < 2 * element; i++)
        RANK_EXPECT(rank, to[i] == GUARD, "a gap has been written to");
    memory_free(rank, from, own);
    memory_free(rank, to, end * element);
}

static void all_to_all(struct rank *rank, HcclDataType type, uint64_t count)
{
    const size_t each = count * value_size(type), all = each * rank->size;
    unsigned char *from = memory_new(rank, all, true), *to = memory_new(rank, all, false);
    RANK_CALL(rank, HcclAlltoAll(from, count, type, to, count, type, rank->comm, rank->stream));
    finish(rank);
    for (uint32_t r = 0; r < rank->size; r++)
        expect_bytes(rank, "AlltoAll", to + r * each, r, rank->id * each, each);
    memory_free(rank, from, all);
    memory_free(rank, to, all);
}

/* What rank `from` sends to rank `to`; for some pairs nothing. */
static uint64_t count_between(uint32_t from, uint32_t to)
{
    return (from * 3 + to * 5) % 7;
}

static void all_to_all_v(struct rank *rank, HcclDataType type, bool by_matrix)
{
    const size_t element = value_size(type);
    uint64_t counts[8], displs[8], matrix[64], recv_counts[8], recv_displs[8];
    uint64_t sent = 0, received = 0;
    for (uint32_t r = 0; r < rank->size; r++) {
        counts[r] = count_between(rank->id, r);
        displs[r] = sent;
        sent += counts[r] + (by_matrix ? 0 : 1);
        recv_counts[r] = count_between(r, rank->id);
        recv_displs[r] = received;
        received += recv_counts[r] + (by_matrix ? 0 : 2);
        for (uint32_t to = 0; to < rank->size; to++)
            matrix[r * rank->size + to] = count_between(r, to);
    }
    unsigned char *from = memory_new(rank, sent * element, true);
    unsigned char *to = memory_new(rank, received * element, false);
    if (by_matrix)
        RANK_CALL(rank, HcclAlltoAllVC(from, matrix, type, to, type, rank->comm, rank->stream));
    else
        RANK_CALL(rank, HcclAlltoAllV(from, counts, displs, type, to, recv_counts, recv_displs,
                                      type, rank->comm, rank->stream));
    memset(counts, 0xff, sizeof(counts)); /* they have been copied */
    memset(recv_displs + rank->size, 0, 0);
    finish(rank);
    for (uint32_t r = 0; r < rank->size; r++) {
        uint64_t offset = 0;
        for (uint32_t before = 0; before < rank->id; before++)
            offset += count_between(r, before) + (by_matrix ? 0 : 1);
        expect_bytes(rank, "AlltoAllV", to + recv_displs[r] * element, r, offset * element,
                     recv_counts[r] * element);
    }
    memory_free(rank, from, sent * element);
    memory_free(rank, to, received * element);
}

/* Round a ring, several at once, and a rank's own. */
static void send_and_receive(struct rank *rank, uint64_t count)
{
    const uint32_t next = (rank->id + 1) % rank->size,
                   previous = (rank->id + rank->size - 1) % rank->size;
    unsigned char *from = memory_new(rank, count, true), *to = memory_new(rank, count, false);
    if (rank->size > 1) {
        for (int turn = 0; turn < 2; turn++) {
            bool sends = (rank->id % 2 == 0) == (turn == 0);
            if (rank->size % 2 == 1 && rank->id == rank->size - 1) sends = turn == 1;
            if (sends)
                RANK_CALL(rank, HcclSend(from, count, HCCL_DATA_TYPE_UINT8, next, rank->comm,
                                         rank->stream));
            else
                RANK_CALL(rank, HcclRecv(to, count, HCCL_DATA_TYPE_UINT8, previous, rank->comm,
                                         rank->stream));
        }
        finish(rank);
        expect_bytes(rank, "Recv", to, previous, 0, count);
        memset(to, GUARD, count);
    }
    HcclSendRecvItem items[] = {
        {HCCL_RECV, to, count / 2, HCCL_DATA_TYPE_INT8, previous},
        {HCCL_SEND, from, count / 2, HCCL_DATA_TYPE_INT8, next},
        {HCCL_SEND, from + count / 2, count - count / 2, HCCL_DATA_TYPE_INT8, next},
        {HCCL_RECV, to + count / 2, count - count / 2, HCCL_DATA_TYPE_INT8, previous},
    };
    RANK_CALL(rank, HcclBatchSendRecv(items, 4, rank->comm, rank->stream));
    finish(rank);
    expect_bytes(rank, "BatchSendRecv", to, previous, 0, count);
    memory_free(rank, from, count);
    memory_free(rank, to, count);
}

/* Nobody passes before the last has come. */
static void barrier(struct rank *rank)
{
    static int turn;
    turn++;
    if (rank->id == rank->size - 1) rank_nap(5);
    atomic_fetch_add(&rank->shared->mark[0], 1);
    RANK_CALL(rank, HcclBarrier(rank->comm, rank->stream));
    finish(rank);
    int come = atomic_load(&rank->shared->mark[0]);
    RANK_EXPECT(rank, come >= turn * (int)rank->size, "%d have come to barrier %d", come, turn);
}

static void everything(struct rank *rank)
{
    rank_start(rank);
    for (int type = 0; type < TYPES; type++) {
        const uint32_t root = (uint32_t)type % rank->size;
        broadcast(rank, type, 1 + (uint64_t)type * 100, root);
        scatter(rank, type, 7, root, type % 2);
        all_gather(rank, type, 13, type % 2);
        all_gather_v(rank, type, 5);
        all_to_all(rank, type, 3);
        all_to_all_v(rank, type, type % 2);
    }
    for (uint32_t root = 0; root < rank->size; root++) {
        broadcast(rank, HCCL_DATA_TYPE_INT8, 1001, root);
        scatter(rank, HCCL_DATA_TYPE_INT8, 1, root, true);
    }
    broadcast(rank, HCCL_DATA_TYPE_FP32, 0, 0);
    all_gather(rank, HCCL_DATA_TYPE_FP32, 0, false);
    all_to_all(rank, HCCL_DATA_TYPE_FP32, 0);
    send_and_receive(rank, 1);
    send_and_receive(rank, 999);
    barrier(rank);
    barrier(rank);
    rank_end(rank);
}

static void large(struct rank *rank)
{
    rank_start(rank);
    broadcast(rank, HCCL_DATA_TYPE_FP32, (1 << 20) + 1, rank->size - 1);
    all_gather(rank, HCCL_DATA_TYPE_FP32, 1 << 18, true);
    all_gather_v(rank, HCCL_DATA_TYPE_FP16, 300001);
    all_to_all(rank, HCCL_DATA_TYPE_FP64, 1 << 16);
    scatter(rank, HCCL_DATA_TYPE_FP32, 1 << 18, 0, false);
    send_and_receive(rank, 3000001);
    rank_end(rank);
}

Test(moves, every_collective_and_number_of_ranks, .timeout = 600)
{
    for (uint32_t size = 1; size <= 8; size++)
        cr_expect_eq(ranks_run(size, everything), 0, "%u ranks", size);
}

Test(moves, large_counts, .timeout = 600)
{
    cr_expect_eq(ranks_run(3, large), 0);
    cr_expect_eq(ranks_run(4, large), 0);
}
