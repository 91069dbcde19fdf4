/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that are messages between pairs: all-to-all, sends and receives. */
#include <inttypes.h>
#include <stdlib.h>

#include "runtime/collective/reduction.h"
#include "runtime/collective/work.h"

static void all_to_all(const struct co_work *work, struct co_flight *flight)
{
    co_all_to_all(flight, &work->pieces, work->from, &work->to_pieces, work->to);
}

/* --- all to all ----------------------------------------------------------------------------- */

/* numbers: what is sent, begins and lengths, then what is received, likewise. */
static HcclResult queue_all_to_all(struct co_work *work, const void *from, HcclDataType from_type,
                                   const void *to, HcclDataType to_type, aclrtStream stream)
{
    const uint32_t n = work->comm->size, self = work->comm->rank;
    uint64_t *numbers = work->numbers;
    HcclResult status = co_check_type(work->who, from_type, 0);
    if (status == HCCL_SUCCESS) status = co_check_type(work->who, to_type, 0);
    if (status != HCCL_SUCCESS) return co_work_give_up(work, status);
    work->pieces = (struct co_pieces){numbers, numbers + n, co_type_size(from_type)};
    work->to_pieces = (struct co_pieces){numbers + 2 * n, numbers + 3 * n, co_type_size(to_type)};
    const uint64_t sent = co_sum_of(work->pieces.length, n),
                   received = co_sum_of(work->to_pieces.length, n);
    if (work->pieces.length[self] * work->pieces.element !=
        work->to_pieces.length[self] * work->to_pieces.element)
        return co_work_give_up(
            work, co_report(HCCL_E_PARA, work->who,
                            "this rank sends itself %" PRIu64 " bytes and receives %" PRIu64,
                            work->pieces.length[self] * work->pieces.element,
                            work->to_pieces.length[self] * work->to_pieces.element));
    if ((sent > 0 && !from) || (received > 0 && !to))
        return co_work_give_up(work, co_report(HCCL_E_PTR, work->who, "%s is NULL",
                                               sent > 0 && !from ? "sendBuf" : "recvBuf"));
    work->from = from;
    work->to = (void *)to; /* CANN's prototype */
    work->from_bytes = co_extent_of(&work->pieces, n);
    work->to_bytes = co_extent_of(&work->to_pieces, n);
    return co_work_queue_collective(
        work, sent * work->pieces.element + received * work->to_pieces.element, stream);
}

HcclResult HcclAlltoAll(const void *sendBuf, uint64_t sendCount, HcclDataType sendType,
                        const void *recvBuf, uint64_t recvCount, HcclDataType recvType,
                        HcclComm comm, aclrtStream stream)
{
    struct co_communicator *found;
    HcclResult status = co_work_enter(__func__, comm, stream, &found);
    if (status != HCCL_SUCCESS) return status;
    const uint32_t n = found->size;
    struct co_work *work = co_work_new(__func__, found, all_to_all, 4 * (size_t)n);
    if (!work) return HCCL_E_MEMORY;
    status = co_check_type(__func__, sendType, sendCount);
    if (status == HCCL_SUCCESS) status = co_check_type(__func__, recvType, recvCount);
    if (status != HCCL_SUCCESS) return co_work_give_up(work, status);
    for (uint32_t r = 0; r < n; r++) {
        work->numbers[r] = r * sendCount;
        work->numbers[n + r] = sendCount;
        work->numbers[2 * n + r] = r * recvCount;
        work->numbers[3 * n + r] = recvCount;
    }
    if (sendCount == 0 && recvCount == 0) return co_work_give_up(work, HCCL_SUCCESS);
    return queue_all_to_all(work, sendBuf, sendType, recvBuf, recvType, stream);
}

HcclResult HcclAlltoAllV(const void *sendBuf, const void *sendCounts, const void *sdispls,
                         HcclDataType sendType, const void *recvBuf, const void *recvCounts,
                         const void *rdispls, HcclDataType recvType, HcclComm comm,
                         aclrtStream stream)
{
    struct co_communicator *found;
    HcclResult status = co_work_enter(__func__, comm, stream, &found);
    if (status != HCCL_SUCCESS) return status;
    const uint32_t n = found->size;
    struct co_work *work = co_work_new(__func__, found, all_to_all, 4 * (size_t)n);
    if (!work) return HCCL_E_MEMORY;
    if (!co_work_copy_numbers(work, "sdispls", sdispls, work->numbers) ||
        !co_work_copy_numbers(work, "sendCounts", sendCounts, work->numbers + n))
        return co_work_refuse_array(work, sdispls, sendCounts);
    if (!co_work_copy_numbers(work, "rdispls", rdispls, work->numbers + 2 * n) ||
        !co_work_copy_numbers(work, "recvCounts", recvCounts, work->numbers + 3 * n))
        return co_work_refuse_array(work, rdispls, recvCounts);
    return queue_all_to_all(work, sendBuf, sendType, recvBuf, recvType, stream);
}

HcclResult HcclAlltoAllVC(const void *sendBuf, const void *sendCountMatrix, HcclDataType sendType,
                          const void *recvBuf, HcclDataType recvType, HcclComm comm,
                          aclrtStream stream)
{
    const uint64_t *matrix = sendCountMatrix;
    struct co_communicator *found;
    HcclResult status = co_work_enter(__func__, comm, stream, &found);
    if (status != HCCL_SUCCESS) return status;
    const uint32_t n = found->size, self = found->rank;
    struct co_work *work = co_work_new(__func__, found, all_to_all, 4 * (size_t)n);
    if (!work) return HCCL_E_MEMORY;
    uint64_t *numbers = work->numbers;
    if (!co_work_copy_numbers(work, "sendCountMatrix", matrix ? matrix + (size_t)self * n : NULL,
                              numbers + n))
        return co_work_refuse_array(work, matrix, matrix);
    uint64_t sent = 0, received = 0;
    for (uint32_t r = 0; r < n; r++) {
        numbers[r] = sent;
        sent += numbers[n + r];
        numbers[2 * n + r] = received;
        numbers[3 * n + r] = matrix[(size_t)r * n + self];
        if (numbers[3 * n + r] > INT64_MAX / 32)
            return co_work_give_up(
                work, co_report(HCCL_E_PARA, __func__, "sendCountMatrix has too large a count"));
        received += numbers[3 * n + r];
    }
    return queue_all_to_all(work, sendBuf, sendType, recvBuf, recvType, stream);
}

/* --- pairs ---------------------------------------------------------------------------------- */

static void transfer(const struct co_work *work, struct co_flight *flight)
{
    co_transfer(flight, work->transfers, work->count);
}

static HcclResult check_item(const char *who, const HcclSendRecvItem *item,
                             const struct co_communicator *comm)
{
    HcclResult status = co_check_type(who, item->dataType, item->count);
    if (status == HCCL_SUCCESS)
        status = co_check_rank(who, "the remote rank", item->remoteRank, comm);
    if (status == HCCL_SUCCESS && (unsigned)item->sendRecvType > HCCL_RECV)
        status =
            co_report(HCCL_E_PARA, who, "sendRecvType is %d; it must be HCCL_SEND or HCCL_RECV",
                      (int)item->sendRecvType);
    if (status == HCCL_SUCCESS && item->count > 0 && !item->buf)
        status = co_report(HCCL_E_PTR, who, "a buffer is NULL");
    return status;
}

/* The bytes that this rank sends itself must have where to go. */
static HcclResult check_own(const char *who, const HcclSendRecvItem *items, uint32_t count,
                            uint32_t self)
{
    uint32_t sends = 0, receives = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].remoteRank != self) continue;
        uint32_t nth = items[i].sendRecvType == HCCL_SEND ? sends++ : receives++;
        if (items[i].sendRecvType == HCCL_SEND) continue;
        for (uint32_t k = 0; k < count; k++) {
            if (items[k].remoteRank != self || items[k].sendRecvType != HCCL_SEND || nth-- > 0)
                continue;
            if (items[k].count * co_type_size(items[k].dataType) ==
                items[i].count * co_type_size(items[i].dataType))
                break;
            return co_report(HCCL_E_PARA, who,
                             "item %u receives from this rank what item %u sends, "
                             "with another size",
                             i, k);
        }
    }
    if (sends == receives) return HCCL_SUCCESS;
    return co_report(HCCL_E_PARA, who, "this rank sends itself %u items and receives %u", sends,
                     receives);
}

static HcclResult pairs(const char *who, const HcclSendRecvItem *items, uint32_t count,
                        struct co_communicator *comm, aclrtStream stream)
{
    HcclResult status = HCCL_SUCCESS;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count && status == HCCL_SUCCESS; i++)
        status = check_item(who, &items[i], comm);
    if (status == HCCL_SUCCESS) status = check_own(who, items, count, comm->rank);
    if (status != HCCL_SUCCESS) {
        co_communicator_release(comm);
        return status;
    }
    struct co_work *work = co_work_new(who, comm, transfer, 0);
    if (!work) return HCCL_E_MEMORY;
    work->transfers = calloc(count, sizeof(*work->transfers));
    if (!work->transfers)
        return co_work_give_up(work, co_report(HCCL_E_MEMORY, who, "no host memory for a task"));
    work->count = count;
    pthread_mutex_lock(&comm->lock);
    for (uint32_t i = 0; i < count; i++) {
        const bool is_send = items[i].sendRecvType == HCCL_SEND;
        uint64_t *counter = (is_send ? comm->sends : comm->receives) + items[i].remoteRank;
        const uint64_t call = (*counter)++ & CO_SLOT_CALLS;
        work->transfers[i] =
            (struct co_transfer){.slot = (uint64_t)1 << CO_SLOT_PAIR | call << CO_SLOT_CALL,
                                 .data = items[i].buf,
                                 .size = items[i].count * co_type_size(items[i].dataType),
                                 .peer = items[i].remoteRank,
                                 .is_send = is_send};
        bytes += work->transfers[i].size;
    }
    pthread_mutex_unlock(&comm->lock);
    return co_work_queue(work, bytes, stream);
}

static HcclResult one(const char *who, HcclSendRecvType type, void *data, uint64_t count,
                      HcclDataType data_type, uint32_t peer, HcclComm comm, aclrtStream stream)
{
    struct co_communicator *found;
    const HcclSendRecvItem item = {type, data, count, data_type, peer};
    HcclResult status = co_work_enter(who, comm, stream, &found);
    if (status != HCCL_SUCCESS) return status;
    if (peer == found->rank)
        status = co_report(HCCL_E_PARA, who, "%s is %u, which is this rank itself",
                           type == HCCL_SEND ? "destRank" : "srcRank", peer);
    if (status == HCCL_SUCCESS) return pairs(who, &item, 1, found, stream);
    co_communicator_release(found);
    return status;
}

HcclResult HcclSend(void *sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank,
                    HcclComm comm, aclrtStream stream)
{
    return one(__func__, HCCL_SEND, sendBuf, count, dataType, destRank, comm, stream);
}

HcclResult HcclRecv(void *recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank,
                    HcclComm comm, aclrtStream stream)
{
    return one(__func__, HCCL_RECV, recvBuf, count, dataType, srcRank, comm, stream);
}

HcclResult HcclBatchSendRecv(HcclSendRecvItem *sendRecvInfo, uint32_t itemNum, HcclComm comm,
                             aclrtStream stream)
{
    struct co_communicator *found;
    HcclResult status = co_work_enter(__func__, comm, stream, &found);
    if (status != HCCL_SUCCESS) return status;
    if (sendRecvInfo && itemNum > 0) return pairs(__func__, sendRecvInfo, itemNum, found, stream);
    co_communicator_release(found);
    CO_CHECK(sendRecvInfo, HCCL_E_PTR, "sendRecvInfo is NULL");
    CO_CHECK(itemNum > 0, HCCL_E_PARA, "itemNum is 0; it must be greater than 0");
    return HCCL_SUCCESS;
}
