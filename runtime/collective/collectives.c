/* SPDX-License-Identifier: Apache-2.0 */
/* The collectives that rings and trees do: their checks, and what their tasks run. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/collective/reduction.h"
#include "runtime/collective/work.h"

/* --- reductions ----------------------------------------------------------------------------------
 */

enum {
    SHORT_BYTES = 16 << 10, /* up to here a tree of all the data is quicker than a ring of pieces */
    SWAPPED_BYTES = 4 << 20, /* up to here two ranks swap all; then adding all twice costs more */
};

static bool is_short(const struct co_work *work, const struct co_flight *flight)
{
    return flight->size > 2 && work->count * work->element <= SHORT_BYTES;
}

static void all_reduce(const struct co_work *work, struct co_flight *flight)
{
    if (flight->size == 2 && work->count * work->element <= SWAPPED_BYTES) {
        co_all_reduce_by_swap(flight, work->how, work->from, work->to, work->count);
        return;
    }
    if (is_short(work, flight)) {
        co_reduce_by_tree(flight, work->how, 0, work->from, work->to, work->count);
        co_broadcast(flight, 0, work->to, work->count * work->element);
        return;
    }
    co_reduce_scatter(flight, &work->pieces, work->how, work->from, NULL, work->to);
    co_all_gather(flight, &work->pieces, work->to);
}

static void reduce(const struct co_work *work, struct co_flight *flight)
{
    const bool is_root = flight->rank == work->root, by_tree = is_short(work, flight);
    const size_t begin = work->pieces.begin[flight->rank] * work->element;
    const uint64_t own = by_tree ? work->count : work->pieces.length[flight->rank];
    char *scratch = is_root ? NULL : malloc(own > 0 ? own * work->element : 1);
    if (!is_root && !scratch) {
        co_fail(&flight->fault, HCCL_E_MEMORY, "no host memory for scratch");
        return;
    }
    if (by_tree) {
        co_reduce_by_tree(flight, work->how, work->root, work->from, is_root ? work->to : scratch,
                          work->count);
    } else {
        char *piece = is_root ? (char *)work->to + begin : scratch;
        co_reduce_scatter(flight, &work->pieces, work->how, work->from, piece, NULL);
        co_gather(flight, &work->pieces, work->root, piece, work->to);
    }
    free(scratch);
}

static void reduce_scatter(const struct co_work *work, struct co_flight *flight)
{
    co_reduce_scatter(flight, &work->pieces, work->how, work->from, work->to, NULL);
}

/* Any of the three that reduce equal counts; a Reduce has a root. */
static HcclResult reduction(const char *who, co_work_fn *run, const void *from, void *to,
                            uint64_t count, struct co_operation how, uint32_t root, HcclComm comm,
                            aclrtStream stream)
{
    struct co_communicator *found;
    HcclResult status = co_work_enter(who, comm, stream, &found);
    if (status != HCCL_SUCCESS) return status;
    const bool has_result = run != reduce || root == found->rank;
    status = co_check_type(who, how.type, count);
    if (status == HCCL_SUCCESS) status = co_check_op(who, how.op);
    if (status == HCCL_SUCCESS) status = co_check_rank(who, "root", root, found);
    if (status == HCCL_SUCCESS && count > 0 && (!from || (!to && has_result)))
        status = co_report(HCCL_E_PTR, who, "%s is NULL", from ? "recvBuf" : "sendBuf");
    if (status != HCCL_SUCCESS || count == 0) {
        co_communicator_release(found);
        return status;
    }
    struct co_work *work = co_work_new(who, found, run, 2 * (size_t)found->size);
    if (!work) return HCCL_E_MEMORY;
    work->from = from;
    work->to = to;
    work->count = count;
    work->element = co_type_size(how.type);
    work->how = how;
    work->root = root;
    if (run == reduce_scatter)
        co_work_cut_equally(work, count);
    else
        co_work_cut_evenly(work, count);
    const uint64_t all = run == reduce_scatter ? count * work->comm->size : count;
    work->from_bytes = all * work->element;
    work->to_bytes = has_result ? count * work->element : 0;
    return co_work_queue_collective(work, all * work->element, stream);
}

HcclResult HcclAllReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType,
                         HcclReduceOp op, HcclComm comm, aclrtStream stream)
{
    return reduction(__func__, all_reduce, sendBuf, recvBuf, count,
                     (struct co_operation){dataType, op}, 0, comm, stream);
}

HcclResult HcclReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType,
                      HcclReduceOp op, uint32_t root, HcclComm comm, aclrtStream stream)
{
    return reduction(__func__, reduce, sendBuf, recvBuf, count, (struct co_operation){dataType, op},
                     root, comm, stream);
}

HcclResult HcclReduceScatter(void *sendBuf, void *recvBuf, uint64_t recvCount,
                             HcclDataType dataType, HcclReduceOp op, HcclComm comm,
                             aclrtStream stream)
{
    return reduction(__func__, reduce_scatter, sendBuf, recvBuf, recvCount,
                     (struct co_operation){dataType, op}, 0, comm, stream);
}

HcclResult HcclReduceScatterV(void *sendBuf, const void *sendCounts, const void *sendDispls,
                              void *recvBuf, uint64_t recvCount, HcclDataType dataType,
                              HcclReduceOp op, HcclComm comm, aclrtStream stream)
{
    struct co_communicator *found;
    HcclResult status = co_work_enter(__func__, comm, stream, &found);
    if (status != HCCL_SUCCESS) return status;
    const uint32_t n = found->size, self = found->rank;
    struct co_work *work = co_work_new(__func__, found, reduce_scatter, 2 * (size_t)n);
    if (!work) return HCCL_E_MEMORY;
    status = co_check_type(__func__, dataType, recvCount);
    if (status == HCCL_SUCCESS) status = co_check_op(__func__, op);
    if (status != HCCL_SUCCESS) return co_work_give_up(work, status);
    if (!co_work_copy_numbers(work, "sendDispls", sendDispls, work->numbers) ||
        !co_work_copy_numbers(work, "sendCounts", sendCounts, work->numbers + n))
        return co_work_refuse_array(work, sendCounts, sendDispls);
    const uint64_t all = co_sum_of(work->numbers + n, n);
    if (work->numbers[n + self] != recvCount)
        return co_work_give_up(work,
                               co_report(HCCL_E_PARA, __func__,
                                         "recvCount is %" PRIu64 "; sendCounts[%u] is %" PRIu64,
                                         recvCount, self, work->numbers[n + self]));
    if ((all > 0 && !sendBuf) || (recvCount > 0 && !recvBuf))
        return co_work_give_up(work, co_report(HCCL_E_PTR, __func__, "sendBuf or recvBuf is NULL"));
    work->from = sendBuf;
    work->to = recvBuf;
    work->how = (struct co_operation){dataType, op};
    work->element = co_type_size(dataType);
    work->pieces = (struct co_pieces){work->numbers, work->numbers + n, work->element};
    work->from_bytes = co_extent_of(&work->pieces, n);
    work->to_bytes = recvCount * work->element;
    return co_work_queue_collective(work, all * work->element, stream);
}

/* --- moving --------------------------------------------------------------------------------- */

static void broadcast(const struct co_work *work, struct co_flight *flight)
{
    co_broadcast(flight, work->root, work->to, work->count * work->element);
}

static void scatter(const struct co_work *work, struct co_flight *flight)
{
    co_scatter(flight, work->root, work->from, work->to, work->count * work->element);
}

static void all_gather(const struct co_work *work, struct co_flight *flight)
{
    char *own = (char *)work->to + work->pieces.begin[flight->rank] * work->element;
    const size_t size = work->pieces.length[flight->rank] * work->element;
    if (size > 0 && own != work->from) memmove(own, work->from, size);
    co_all_gather(flight, &work->pieces, work->to);
}

static void barrier(const struct co_work *work, struct co_flight *flight)
{
    (void)work;
    co_barrier(flight);
}

/* What has one count for all; from NULL: is not used on this rank. */
static HcclResult move(const char *who, co_work_fn *run, const void *from, void *to, uint64_t count,
                       HcclDataType type, uint32_t root, HcclComm comm, aclrtStream stream)
{
    struct co_communicator *found;
    HcclResult status = co_work_enter(who, comm, stream, &found);
    if (status != HCCL_SUCCESS) return status;
    const bool needs_from = run == all_gather || (run == scatter && root == found->rank);
    status = co_check_type(who, type, count);
    if (status == HCCL_SUCCESS) status = co_check_rank(who, "root", root, found);
    if (status == HCCL_SUCCESS && count > 0 && (!to || (needs_from && !from)))
        status = co_report(HCCL_E_PTR, who, "%s is NULL",
                           run == broadcast ? "buf" : (to ? "sendBuf" : "recvBuf"));
    if (status != HCCL_SUCCESS || count == 0) {
        co_communicator_release(found);
        return status;
    }
    struct co_work *work = co_work_new(who, found, run, 2 * (size_t)found->size);
    if (!work) return HCCL_E_MEMORY;
    work->from = from;
    work->to = to;
    work->count = count;
    work->element = co_type_size(type);
    work->how.type = type;
    work->root = root;
    co_work_cut_equally(work, count);
    const uint64_t all = run == all_gather ? count * work->comm->size : count;
    const bool is_root = root == work->comm->rank;
    if (run == broadcast && is_root) work->from = to;
    if (run == all_gather || is_root)
        work->from_bytes = (run == scatter ? work->comm->size : 1) * count * work->element;
    if (run != broadcast || !is_root) work->to_bytes = all * work->element;
    return co_work_queue_collective(work, all * work->element, stream);
}

HcclResult HcclBroadcast(void *buf, uint64_t count, HcclDataType dataType, uint32_t root,
                         HcclComm comm, aclrtStream stream)
{
    return move(__func__, broadcast, NULL, buf, count, dataType, root, comm, stream);
}

HcclResult HcclScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType,
                       uint32_t root, HcclComm comm, aclrtStream stream)
{
    return move(__func__, scatter, sendBuf, recvBuf, recvCount, dataType, root, comm, stream);
}

HcclResult HcclAllGather(void *sendBuf, void *recvBuf, uint64_t sendCount, HcclDataType dataType,
                         HcclComm comm, aclrtStream stream)
{
    return move(__func__, all_gather, sendBuf, recvBuf, sendCount, dataType, 0, comm, stream);
}

HcclResult HcclAllGatherV(void *sendBuf, uint64_t sendCount, void *recvBuf, const void *recvCounts,
                          const void *recvDispls, HcclDataType dataType, HcclComm comm,
                          aclrtStream stream)
{
    struct co_communicator *found;
    HcclResult status = co_work_enter(__func__, comm, stream, &found);
    if (status != HCCL_SUCCESS) return status;
    const uint32_t n = found->size, self = found->rank;
    struct co_work *work = co_work_new(__func__, found, all_gather, 2 * (size_t)n);
    if (!work) return HCCL_E_MEMORY;
    status = co_check_type(__func__, dataType, sendCount);
    if (status != HCCL_SUCCESS) return co_work_give_up(work, status);
    if (!co_work_copy_numbers(work, "recvDispls", recvDispls, work->numbers) ||
        !co_work_copy_numbers(work, "recvCounts", recvCounts, work->numbers + n))
        return co_work_refuse_array(work, recvCounts, recvDispls);
    const uint64_t all = co_sum_of(work->numbers + n, n);
    if (work->numbers[n + self] != sendCount)
        return co_work_give_up(work,
                               co_report(HCCL_E_PARA, __func__,
                                         "sendCount is %" PRIu64 "; recvCounts[%u] is %" PRIu64,
                                         sendCount, self, work->numbers[n + self]));
    if ((sendCount > 0 && !sendBuf) || (all > 0 && !recvBuf))
        return co_work_give_up(work, co_report(HCCL_E_PTR, __func__, "sendBuf or recvBuf is NULL"));
    work->from = sendBuf;
    work->to = recvBuf;
    work->how.type = dataType;
    work->element = co_type_size(dataType);
    work->pieces = (struct co_pieces){work->numbers, work->numbers + n, work->element};
    work->from_bytes = sendCount * work->element;
    work->to_bytes = co_extent_of(&work->pieces, n);
    return co_work_queue_collective(work, all * work->element, stream);
}

HcclResult HcclBarrier(HcclComm comm, aclrtStream stream)
{
    struct co_communicator *found;
    HcclResult status = co_work_enter(__func__, comm, stream, &found);
    if (status != HCCL_SUCCESS) return status;
    struct co_work *work = co_work_new(__func__, found, barrier, 0);
    return work ? co_work_queue_collective(work, 0, stream) : HCCL_E_MEMORY;
}
