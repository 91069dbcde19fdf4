/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the library of mesh.cpp, libhccl_gloo.so, when the first mesh is made, and hands its calls
 * on. It is a library of its own because PyTorch has another version of gloo inside, whose symbols
 * have the same names: linked to libhccl.so, gloo's calls would go wherever a name is found first.
 * Loaded by itself with RTLD_DEEPBIND it finds its own. Without it there are communicators of one
 * rank only. */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "runtime/collective/mesh.h"

#define LIBRARY "libhccl_gloo.so"

static const struct co_mesh_calls *calls; /* NULL: it cannot be had */
static char reason[100];

/* Beside this library, by its whole path: sanitizers take dlopen's place and know nothing of a
 * RUNPATH. */
static void find(char *path, size_t size)
{
    Dl_info own = {0};
    const char *folder = dladdr((void *)&calls, &own) ? own.dli_fname : "";
    const char *end = strrchr(folder, '/');
    const int length = end ? (int)(end + 1 - folder) : 0;
    snprintf(path, size, "%.*s%s", length, folder, LIBRARY);
}

static void load(void)
{
    char path[4096];
    find(path, sizeof(path));
    /* nodelete: gloo's threads. Sanitizers refuse RTLD_DEEPBIND. */
    const int deep = CO_SANITIZED ? 0 : RTLD_DEEPBIND;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | deep);
    if (library) calls = dlsym(library, "co_mesh_gloo");
    const char *text = calls ? NULL : dlerror();
    if (text) snprintf(reason, sizeof(reason), "%s", text);
}

struct co_mesh *co_mesh_new(uint32_t rank, uint32_t size, const char *host,
                            const struct co_introduction *introduction, int64_t timeout_ms,
                            struct co_fault *fault)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (calls) return calls->mesh_new(rank, size, host, introduction, timeout_ms, fault);
    co_fail(fault, HCCL_E_NOT_SUPPORT,
            "one rank only without gloo (Debian: libgloo-dev, libgloo0): %s", reason);
    return NULL;
}

/* Who has a mesh or a port has the calls. */

void co_mesh_free(struct co_mesh *mesh)
{
    if (mesh) calls->mesh_free(mesh);
}

void co_mesh_break(struct co_mesh *mesh, HcclResult code, const char *text)
{
    if (mesh) calls->mesh_break(mesh, code, text);
}

void co_mesh_close(struct co_mesh *mesh)
{
    if (mesh) calls->mesh_close(mesh);
}

struct co_port *co_port_new(struct co_mesh *mesh, void *memory, size_t size, struct co_fault *fault)
{
    return mesh ? calls->port_new(mesh, memory, size, fault) : NULL;
}

void co_port_free(struct co_port *port)
{
    if (port) calls->port_free(port);
}

void co_port_send(struct co_port *port, uint32_t to, uint64_t slot, size_t offset, size_t size,
                  struct co_fault *fault)
{
    if (port) calls->port_send(port, to, slot, offset, size, fault);
}

void co_port_receive(struct co_port *port, uint32_t from, uint64_t slot, size_t offset, size_t size,
                     struct co_fault *fault)
{
    if (port) calls->port_receive(port, from, slot, offset, size, fault);
}

void co_port_await_sent(struct co_port *port, int64_t timeout_ms, struct co_fault *fault)
{
    if (port) calls->port_await_sent(port, timeout_ms, fault);
}

void co_port_await_received(struct co_port *port, int64_t timeout_ms, struct co_fault *fault)
{
    if (port) calls->port_await_received(port, timeout_ms, fault);
}
