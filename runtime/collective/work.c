/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/collective/work.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "aclnnext/aclnnext_extend.h"
#include "runtime/collective/reduction.h"

/* --- running -----------------------------------------------------------------------------------
 */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static aclError run_work(void *data, char *text, size_t room)
{
    const struct co_work *work = data;
    struct co_flight flight;
    const double begin = now();
    co_flight_begin(work->comm, &flight, work->slot);
    if (co_is_well(&flight.fault)) work->run(work, &flight);
    co_flight_end(work->comm, &flight);
    if (co_is_well(&flight.fault)) {
        const double seconds = now() - begin;
        aclAppLog(ACL_INFO, work->who, __FILE__, __LINE__,
                  "%" PRIu64 " bytes, %u ranks, %.3f ms, %.3f GB/s", work->bytes, work->comm->size,
                  seconds * 1e3, (double)work->bytes / seconds / 1e9);
        return ACL_SUCCESS;
    }
    size_t length = strnlen(flight.fault.text, room - 1);
    memcpy(text, flight.fault.text, length);
    text[length] = '\0';
    if (flight.fault.code == HCCL_E_TIMEOUT) return ACL_ERROR_RT_TASK_TIMEOUT;
    return flight.fault.code == HCCL_E_MEMORY ? ACL_ERROR_RT_MEMORY_ALLOCATION
                                              : ACL_ERROR_RT_SUSPECT_REMOTE_ERROR;
}

static void end_work(void *data)
{
    struct co_work *work = data;
    co_communicator_release(work->comm);
    free(work->transfers);
    free(work);
}

/* --- checking and queueing ----------------------------------------------------------------------
 */

HcclResult co_work_enter(const char *who, HcclComm comm, aclrtStream stream,
                         struct co_communicator **found)
{
    *found = NULL;
    if (!comm) return co_report(HCCL_E_PTR, who, "comm is NULL");
    if (!stream) return co_report(HCCL_E_PTR, who, "stream is NULL");
    struct co_communicator *at = co_communicator_find(comm);
    if (!at)
        return co_report(HCCL_E_NOT_FOUND, who, "comm is no communicator, or has been destroyed");
    pthread_mutex_lock(&at->lock);
    struct co_fault fault = at->fault;
    if (at->state != CO_READY)
        fault = (struct co_fault){HCCL_E_SUSPENDING, "the communicator is suspended"};
    pthread_mutex_unlock(&at->lock);
    if (co_is_well(&fault)) {
        *found = at;
        return HCCL_SUCCESS;
    }
    co_communicator_release(at);
    return co_report(fault.code, who, "%s", fault.text);
}

HcclResult co_check_type(const char *who, HcclDataType type, uint64_t count)
{
    const size_t size = co_type_size(type);
    if (size == 0)
        return co_report(HCCL_E_NOT_SUPPORT, who, "dataType is %d; it must be one of INT8 to BFP16",
                         (int)type);
    if (count > INT64_MAX / 16 / CO_RANKS_MAX)
        return co_report(HCCL_E_PARA, who, "count is %" PRIu64 "; that is too many", count);
    return HCCL_SUCCESS;
}

HcclResult co_check_op(const char *who, HcclReduceOp op)
{
    if ((unsigned)op <= HCCL_REDUCE_MIN) return HCCL_SUCCESS;
    return co_report(HCCL_E_NOT_SUPPORT, who, "op is %d; it must be SUM, PROD, MAX or MIN",
                     (int)op);
}

HcclResult co_check_rank(const char *who, const char *name, uint32_t rank,
                         const struct co_communicator *comm)
{
    if (rank < comm->size) return HCCL_SUCCESS;
    return co_report(HCCL_E_PARA, who, "%s is %u; it must be less than the number of ranks, %u",
                     name, rank, comm->size);
}

struct co_work *co_work_new(const char *who, struct co_communicator *comm, co_work_fn *run,
                            size_t numbers)
{
    struct co_work *work = calloc(1, sizeof(*work) + numbers * sizeof(uint64_t));
    if (!work) {
        co_communicator_release(comm);
        co_report(HCCL_E_MEMORY, who, "no host memory for a task");
        return NULL;
    }
    work->comm = comm;
    work->who = who;
    work->run = run;
    return work;
}

/* What this rank touches; other ranks reach its memory through no address of their own. */
static void tell_accesses(const struct co_work *work, aclrtStream stream)
{
    aclnnextAccess accesses[2];
    size_t count = 0;
    if (work->from_bytes > 0) accesses[count++] = (aclnnextAccess){work->from, work->from_bytes, 0};
    if (work->to_bytes > 0) accesses[count++] = (aclnnextAccess){work->to, work->to_bytes, 1};
    if (count > 0) aclnnextTellAccesses(stream, work->who, accesses, count);
    for (uint64_t i = 0; work->transfers && i < work->count; i++) {
        const struct co_transfer *transfer = &work->transfers[i];
        if (transfer->size > 0)
            aclnnextTellAccesses(
                stream, work->who,
                &(aclnnextAccess){transfer->data, transfer->size, !transfer->is_send}, 1);
    }
}

/* "HcclAllReduce, 4 ranks": what timelines and errors call a task. Records may outlive every
 * communicator, so a name stays. */
static const char *task_name(const char *who, uint32_t ranks)
{
    struct name {
        struct name *next;
        const char *who;
        uint32_t ranks;
        char text[64];
    };
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct name *names;
    pthread_mutex_lock(&lock);
    struct name *at = names;
    while (at && (at->who != who || at->ranks != ranks))
        at = at->next;
    if (!at && (at = malloc(sizeof(*at)))) {
        *at = (struct name){.next = names, .who = who, .ranks = ranks};
        snprintf(at->text, sizeof(at->text), "%s, %u rank%s", who, ranks, ranks == 1 ? "" : "s");
        names = at;
    }
    pthread_mutex_unlock(&lock);
    return at ? at->text : who;
}

HcclResult co_work_queue(struct co_work *work, uint64_t bytes, aclrtStream stream)
{
    tell_accesses(work, stream);
    work->bytes = bytes;
    const aclnnextStreamTask task = {.name = task_name(work->who, work->comm->size),
                                     .run = run_work,
                                     .release = end_work,
                                     .data = work,
                                     .bytes = bytes};
    aclError status = aclnnextLaunchStreamTask(stream, &task);
    if (status == ACL_SUCCESS) return HCCL_SUCCESS;
    end_work(work);
    return HCCL_E_RUNTIME; /* the runtime's text says why */
}

HcclResult co_work_queue_collective(struct co_work *work, uint64_t bytes, aclrtStream stream)
{
    struct co_communicator *comm = work->comm;
    const uint32_t said[] = {(uint32_t)work->how.type, (uint32_t)work->how.op, work->root};
    const uint64_t signature =
        co_hash(co_hash(7, work->who, strlen(work->who)), said, sizeof(said));
    pthread_mutex_lock(&comm->lock);
    const uint64_t call = comm->calls++;
    pthread_mutex_unlock(&comm->lock);
    work->slot = (call & CO_SLOT_CALLS) << CO_SLOT_CALL | (signature & 0xffff) << CO_SLOT_SIGNATURE;
    co_communicator_retain(comm);
    HcclResult status = co_work_queue(work, bytes, stream);
    if (status != HCCL_SUCCESS) {
        pthread_mutex_lock(&comm->lock);
        if (comm->calls == call + 1) comm->calls--;
        pthread_mutex_unlock(&comm->lock);
    }
    co_communicator_release(comm);
    return status;
}

void co_work_cut_equally(struct co_work *work, uint64_t each)
{
    const uint32_t n = work->comm->size;
    for (uint32_t r = 0; r < n; r++) {
        work->numbers[r] = r * each;
        work->numbers[n + r] = each;
    }
    work->pieces = (struct co_pieces){work->numbers, work->numbers + n, work->element};
}

void co_work_cut_evenly(struct co_work *work, uint64_t count)
{
    const uint32_t n = work->comm->size;
    for (uint32_t r = 0; r < n; r++) {
        work->numbers[r] = count / n * r + (r < count % n ? r : count % n);
        work->numbers[n + r] = count / n + (r < count % n);
    }
    work->pieces = (struct co_pieces){work->numbers, work->numbers + n, work->element};
}

bool co_work_copy_numbers(struct co_work *work, const char *name, const void *array, uint64_t *to)
{
    const uint64_t *from = array;
    if (!array) {
        co_report(HCCL_E_PTR, work->who, "%s is NULL", name);
        return false;
    }
    for (uint32_t r = 0; r < work->comm->size; r++) {
        if (from[r] > INT64_MAX / 32) {
            co_report(HCCL_E_PARA, work->who, "%s[%u] is %" PRIu64 "; that is too much", name, r,
                      from[r]);
            return false;
        }
        to[r] = from[r];
    }
    return true;
}

uint64_t co_sum_of(const uint64_t *numbers, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += numbers[i];
    return sum;
}

uint64_t co_extent_of(const struct co_pieces *pieces, uint32_t count)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < count; i++)
        if (pieces->begin[i] + pieces->length[i] > end) end = pieces->begin[i] + pieces->length[i];
    return end == co_sum_of(pieces->length, count) ? end * pieces->element : 0;
}

HcclResult co_work_give_up(struct co_work *work, HcclResult status)
{
    end_work(work);
    return status;
}

HcclResult co_work_refuse_array(struct co_work *work, const void *one, const void *other)
{
    return co_work_give_up(work, one && other ? HCCL_E_PARA : HCCL_E_PTR);
}
