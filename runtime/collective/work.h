/* SPDX-License-Identifier: Apache-2.0 */
/* A call as its task keeps it, from the checks to the end of the task. */
#ifndef ACLNN_CPU_RUNTIME_COLLECTIVE_WORK_H
#define ACLNN_CPU_RUNTIME_COLLECTIVE_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/collective/communicator.h"
#include "runtime/collective/flight.h"

struct co_work;
typedef void co_work_fn(const struct co_work *work, struct co_flight *flight);

struct co_work {
    struct co_communicator *comm;
    const char *who;
    co_work_fn *run;
    const void *from;
    void *to;
    /* Read there and written there by this rank; 0: nothing, or not told. */
    uint64_t from_bytes, to_bytes;
    uint64_t bytes; /* of the call, for who looks at a timeline or a log */
    uint64_t count;
    size_t element;
    struct co_operation how;
    uint32_t root;
    uint64_t slot;
    struct co_pieces pieces, to_pieces; /* of numbers or counted by them */
    struct co_transfer *transfers;      /* or NULL */
    uint64_t numbers[];
};

/* Checks what every call has. *found has a reference for the caller. */
HcclResult co_work_enter(const char *who, HcclComm comm, aclrtStream stream,
                         struct co_communicator **found);
HcclResult co_check_type(const char *who, HcclDataType type, uint64_t count);
HcclResult co_check_op(const char *who, HcclReduceOp op);
HcclResult co_check_rank(const char *who, const char *name, uint32_t rank,
                         const struct co_communicator *comm);

/* A record with room for so many numbers, owning the caller's reference to the communicator; NULL,
 * reported, without memory: then the reference is gone as well. */
struct co_work *co_work_new(const char *who, struct co_communicator *comm, co_work_fn *run,
                            size_t numbers);
/* Frees it; returns the status. */
HcclResult co_work_give_up(struct co_work *work, HcclResult status);

/* Equal pieces of `each` elements. */
void co_work_cut_equally(struct co_work *work, uint64_t each);
/* count elements in pieces that differ by one at most. */
void co_work_cut_evenly(struct co_work *work, uint64_t count);
/* Copies an entry per rank; false, reported: the array is NULL, or an entry is too large. */
bool co_work_copy_numbers(struct co_work *work, const char *name, const void *array, uint64_t *to);
/* Gives up when one of the arrays has been refused. */
HcclResult co_work_refuse_array(struct co_work *work, const void *one, const void *other);
uint64_t co_sum_of(const uint64_t *numbers, uint32_t count);
/* Bytes from the first piece to the last; 0 when there are gaps, or none. */
uint64_t co_extent_of(const struct co_pieces *pieces, uint32_t count);

/* Queues the task, which owns the record from now on; on failure it is freed. bytes: for timelines.
 * Collectives are numbered in the order of their calls, which is the same on all ranks, and so meet
 * whatever streams they are on; a call that differs never meets. */
HcclResult co_work_queue_collective(struct co_work *work, uint64_t bytes, aclrtStream stream);
/* Of transfers, which have slots of their own. */
HcclResult co_work_queue(struct co_work *work, uint64_t bytes, aclrtStream stream);

/* How slots are made of the number of a call: the bits above those of co_slot. */
enum { CO_SLOT_CALL = 40, CO_SLOT_CALLS = 0x7fffff, CO_SLOT_SIGNATURE = 24, CO_SLOT_PAIR = 63 };

#endif
