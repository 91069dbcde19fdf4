/* SPDX-License-Identifier: Apache-2.0 */
/* One collective under way on this rank's thread, and the algorithms. Each is a recipe over ports
 * (mesh.h) that does nothing more once flight->fault is set. */
#ifndef ACLNN_CPU_RUNTIME_COLLECTIVE_FLIGHT_H
#define ACLNN_CPU_RUNTIME_COLLECTIVE_FLIGHT_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/collective/fault.h"
#include "runtime/collective/mesh.h"

struct co_flight {
    struct co_mesh *mesh; /* NULL with one rank */
    uint32_t rank, size;
    uint64_t slot; /* of this call; the low 24 bits are 0: phase and size */
    int64_t timeout_ms;
    struct co_fault fault;
};

/* Pieces of a buffer, one for each rank, in elements. */
struct co_pieces {
    const uint64_t *begin, *length; /* an entry per rank */
    size_t element;                 /* bytes */
};

/* The slot of messages of this size in a phase of the call: sizes that differ never meet. */
static inline uint64_t co_slot(uint64_t call, unsigned phase, size_t size)
{
    const uint64_t mixed = (uint64_t)size * 0x9e3779b97f4a7c15ULL;
    return call | (uint64_t)(phase & 0xff) << 16 | mixed >> 48;
}

/* How to combine. */
struct co_operation {
    HcclDataType type;
    HcclReduceOp op;
};

/* into[0 .. length of this rank's piece) = op over all ranks of their piece for this rank, pieces
 * of `own`, which is only read. `into` may be this rank's piece of own. keep: NULL, or a buffer
 * laid out as own, which may be own, and takes this rank's piece in its place instead of into; the
 * others are overwritten. */
void co_reduce_scatter(struct co_flight *flight, const struct co_pieces *pieces,
                       struct co_operation how, const void *own, void *into, void *keep);
/* Every rank's piece of `all` to every rank. */
void co_all_gather(struct co_flight *flight, const struct co_pieces *pieces, void *all);
/* Every rank's piece to the root: from `piece`, into `all` on the root, whose own is there. */
void co_gather(struct co_flight *flight, const struct co_pieces *pieces, uint32_t root,
               const void *piece, void *all);
/* sum = op over all ranks of own, count elements; sum, which may be own, is scratch but on the
 * root. For short data: as many steps as the number of ranks has bits, but all the data in each. */
void co_reduce_by_tree(struct co_flight *flight, struct co_operation how, uint32_t root,
                       const void *own, void *sum, uint64_t count);
/* The same on both of two ranks, count > 0. */
void co_all_reduce_by_swap(struct co_flight *flight, struct co_operation how, const void *own,
                           void *sum, uint64_t count);
void co_broadcast(struct co_flight *flight, uint32_t root, void *data, size_t size);
/* To rank r the r-th piece of from, from it the r-th of to; this rank's own is copied. */
void co_all_to_all(struct co_flight *flight, const struct co_pieces *pieces, const void *from,
                   const struct co_pieces *to_pieces, void *to);
void co_scatter(struct co_flight *flight, uint32_t root, const void *from, void *to, size_t size);
void co_barrier(struct co_flight *flight);

/* Of a batch; slot is that of one send or receive. */
struct co_transfer {
    uint64_t slot;
    void *data;
    size_t size;
    uint32_t peer;
    bool is_send;
};
void co_transfer(struct co_flight *flight, const struct co_transfer *transfers, size_t count);

#endif
