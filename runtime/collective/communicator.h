/* SPDX-License-Identifier: Apache-2.0 */
/* A communicator: its ranks, its mesh, and what is under way on it. */
#ifndef ACLNN_CPU_RUNTIME_COLLECTIVE_COMMUNICATOR_H
#define ACLNN_CPU_RUNTIME_COLLECTIVE_COMMUNICATOR_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "hccl/hccl.h"
#include "runtime/collective/control.h"
#include "runtime/collective/fault.h"
#include "runtime/collective/flight.h"
#include "runtime/collective/mesh.h"

enum co_state {
    CO_READY,
    CO_SUSPENDED, /* or failed and being made anew */
    CO_DESTROYED,
};

struct co_communicator {
    struct co_communicator *next; /* of the list of all */
    char name[COMM_NAME_MAX_LENGTH];
    uint32_t rank, size;
    uint32_t *members; /* their ranks in the control; the listener's as well */
    uint64_t id;       /* the same on all ranks, of one life: HcclCommResume changes it */
    int64_t timeout_ms;
    struct co_control *control;
    struct co_listener listener;

    pthread_mutex_t lock;
    pthread_cond_t idle;
    /* Guarded by lock. */
    int references; /* the list's, tasks' and callers' */
    enum co_state state;
    int running;                /* flights */
    struct co_mesh *mesh;       /* changes only while nothing runs; NULL with one rank */
    struct co_fault fault;      /* the first failure */
    bool was_alarmed;           /* others know of it */
    uint64_t calls;             /* collectives queued so far */
    uint64_t *sends, *receives; /* to and from each rank, queued so far */
    uint32_t lives;             /* HcclCommResume */
};

/* HCCL_CONNECT_TIMEOUT, in milliseconds. */
int64_t co_connect_timeout(void);

/* 64 bits of anything. */
uint64_t co_hash(uint64_t seed, const void *data, size_t size);

/* Connects the members, of which this process is number `rank`; takes over the reference to the
 * control, on failure too. NULL: fault says why. */
struct co_communicator *co_communicator_new(struct co_control *control, const uint32_t *members,
                                            uint32_t size, uint32_t rank, uint64_t id,
                                            const HcclCommConfig *config, int64_t deadline_ms,
                                            struct co_fault *fault);

/* With a reference more; NULL: it is none. */
struct co_communicator *co_communicator_find(HcclComm handle);
void co_communicator_retain(struct co_communicator *comm);
void co_communicator_release(struct co_communicator *comm);

/* Takes it off the list: the caller has its last reference but those of tasks. False: it is none.
 */
struct co_communicator *co_communicator_take(HcclComm handle);
/* Ends all flights. */
void co_communicator_destroy(struct co_communicator *comm);
HcclResult co_communicator_suspend(struct co_communicator *comm);
bool co_communicator_resume(struct co_communicator *comm, int64_t deadline_ms,
                            struct co_fault *fault);

/* A flight begins unless the communicator is suspended, destroyed or has failed: then flight->fault
 * says so. In any case it ends by the second, which makes its fault the communicator's. */
void co_flight_begin(struct co_communicator *comm, struct co_flight *flight, uint64_t slot);
void co_flight_end(struct co_communicator *comm, struct co_flight *flight);

#endif
