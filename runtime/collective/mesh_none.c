/* SPDX-License-Identifier: Apache-2.0 */
/* In place of mesh.cpp when there is no gloo: communicators of one rank work, others are refused.
 */
#include <stddef.h>

#include "runtime/collective/mesh.h"

struct co_mesh *co_mesh_new(uint32_t rank, uint32_t size, const char *host,
                            const struct co_introduction *introduction, int64_t timeout_ms,
                            struct co_fault *fault)
{
    (void)rank;
    (void)size;
    (void)host;
    (void)introduction;
    (void)timeout_ms;
    co_fail(fault, HCCL_E_NOT_SUPPORT,
            "this libhccl.so was built without gloo (Debian: libgloo-dev): it has one rank only");
    return NULL;
}

/* No mesh, so nobody comes here. */

void co_mesh_free(struct co_mesh *mesh)
{
    (void)mesh;
}

void co_mesh_break(struct co_mesh *mesh, HcclResult code, const char *text)
{
    (void)mesh;
    (void)code;
    (void)text;
}

void co_mesh_close(struct co_mesh *mesh)
{
    (void)mesh;
}

struct co_port *co_port_new(struct co_mesh *mesh, void *memory, size_t size, struct co_fault *fault)
{
    (void)mesh;
    (void)memory;
    (void)size;
    co_fail(fault, HCCL_E_INTERNAL, "there is no mesh");
    return NULL;
}

void co_port_free(struct co_port *port)
{
    (void)port;
}

void co_port_send(struct co_port *port, uint32_t to, uint64_t slot, size_t offset, size_t size,
                  struct co_fault *fault)
{
    (void)port;
    (void)to;
    (void)slot;
    (void)offset;
    (void)size;
    (void)fault;
}

void co_port_receive(struct co_port *port, uint32_t from, uint64_t slot, size_t offset, size_t size,
                     struct co_fault *fault)
{
    (void)port;
    (void)from;
    (void)slot;
    (void)offset;
    (void)size;
    (void)fault;
}

void co_port_await_sent(struct co_port *port, int64_t timeout_ms, struct co_fault *fault)
{
    (void)port;
    (void)timeout_ms;
    (void)fault;
}

void co_port_await_received(struct co_port *port, int64_t timeout_ms, struct co_fault *fault)
{
    (void)port;
    (void)timeout_ms;
    (void)fault;
}
