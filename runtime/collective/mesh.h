/* SPDX-License-Identifier: Apache-2.0 */
/* Connections between all ranks of a communicator, and sends and receives over them: gloo's, behind
 * functions of C. mesh.cpp is the one file that knows gloo; mesh_load.c loads it.
 *
 * A port is a piece of memory that is sent from or received into. Sends and receives between two
 * ranks meet by slot, in the order of their calls; their sizes must be equal, so whatever decides
 * sizes belongs into the slot. Every function may be called from any thread, one port by one thread
 * at a time; each does nothing when *fault is set already. */
#ifndef ACLNN_CPU_RUNTIME_COLLECTIVE_MESH_H
#define ACLNN_CPU_RUNTIME_COLLECTIVE_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/collective/fault.h"

#ifdef __cplusplus
extern "C" {
#endif

struct co_mesh;
struct co_port;

/* How ranks tell each other where they listen: bytes[i] of mine are for rank i, as
 * co_control_exchange. */
struct co_introduction {
    void *context;
    bool (*exchange)(void *context, const void *mine, void *theirs, size_t item);
};

/* Connects all ranks. host: a literal address of this machine. timeout_ms: for connecting. NULL:
 * fault says why. */
struct co_mesh *co_mesh_new(uint32_t rank, uint32_t size, const char *host,
                            const struct co_introduction *introduction, int64_t timeout_ms,
                            struct co_fault *fault);
/* No port may be left. */
void co_mesh_free(struct co_mesh *mesh);

/* Ends all waiting on it, now and from now on, with this. The first text stays. */
void co_mesh_break(struct co_mesh *mesh, HcclResult code, const char *text);

/* Closes all connections of one that is broken: nothing is read any more, other ranks notice. */
void co_mesh_close(struct co_mesh *mesh);

/* Memory that is only sent from is only read. NULL: fault says why. Freeing returns when nothing
 * reads or writes the memory any more. */
struct co_port *co_port_new(struct co_mesh *mesh, void *memory, size_t size,
                            struct co_fault *fault);
void co_port_free(struct co_port *port);

void co_port_send(struct co_port *port, uint32_t to, uint64_t slot, size_t offset, size_t size,
                  struct co_fault *fault);
void co_port_receive(struct co_port *port, uint32_t from, uint64_t slot, size_t offset, size_t size,
                     struct co_fault *fault);
/* For one send, or one receive, the oldest. Not within timeout_ms: a fault, and the mesh breaks. */
void co_port_await_sent(struct co_port *port, int64_t timeout_ms, struct co_fault *fault);
void co_port_await_received(struct co_port *port, int64_t timeout_ms, struct co_fault *fault);

/* The same, as libhccl_gloo.so has them: its one symbol, co_mesh_gloo. */
struct co_mesh_calls {
    struct co_mesh *(*mesh_new)(uint32_t rank, uint32_t size, const char *host,
                                const struct co_introduction *introduction, int64_t timeout_ms,
                                struct co_fault *fault);
    void (*mesh_free)(struct co_mesh *mesh);
    void (*mesh_break)(struct co_mesh *mesh, HcclResult code, const char *text);
    void (*mesh_close)(struct co_mesh *mesh);
    struct co_port *(*port_new)(struct co_mesh *mesh, void *memory, size_t size,
                                struct co_fault *fault);
    void (*port_free)(struct co_port *port);
    void (*port_send)(struct co_port *port, uint32_t to, uint64_t slot, size_t offset, size_t size,
                      struct co_fault *fault);
    void (*port_receive)(struct co_port *port, uint32_t from, uint64_t slot, size_t offset,
                         size_t size, struct co_fault *fault);
    void (*port_await_sent)(struct co_port *port, int64_t timeout_ms, struct co_fault *fault);
    void (*port_await_received)(struct co_port *port, int64_t timeout_ms, struct co_fault *fault);
};
extern const struct co_mesh_calls co_mesh_gloo;

#ifdef __cplusplus
}
#endif

#endif
