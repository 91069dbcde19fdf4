/* SPDX-License-Identifier: Apache-2.0 */
/* Locks, in this order: a control's, a communicator's, the list's or a mesh's. An alarm comes with
 * the control's, so no function of control.h is called with a communicator's. */
#include "runtime/collective/communicator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONCE = 16, ATTEMPT_MS = 2000 };

static struct {
    pthread_mutex_t lock;
    struct co_communicator *first;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint64_t co_hash(uint64_t seed, const void *data, size_t size)
{
    const unsigned char *at = data;
    uint64_t hash = seed ^ 0xcbf29ce484222325ULL;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * 0x100000001b3ULL;
    hash = (hash ^ hash >> 31) * 0x9e3779b97f4a7c15ULL;
    return hash ^ hash >> 29;
}

/* --- connecting ------------------------------------------------------------------------------- */

struct introduction {
    struct co_communicator *comm;
    uint64_t tag;
    int64_t deadline_ms;
    struct co_fault *fault;
};

static bool introduce(void *context, const void *mine, void *theirs, size_t item)
{
    const struct introduction *how = context;
    const struct co_communicator *comm = how->comm;
    return co_control_exchange(comm->control, how->tag, comm->members, comm->size, mine, theirs,
                               item, how->deadline_ms, how->fault);
}

/* Each rank shows each other what that one has told it through the root: gloo takes whoever
 * connects first for its peer. */
static bool verify(const struct co_communicator *comm, struct co_mesh *mesh, const uint8_t *told,
                   const uint8_t *heard, int64_t timeout_ms, struct co_fault *fault)
{
    const size_t bytes = (size_t)comm->size * NONCE;
    uint8_t *shown = calloc(1, bytes);
    if (!shown) return co_fail(fault, HCCL_E_MEMORY, "no host memory to verify the connections");
    struct co_port *out = co_port_new(mesh, (void *)heard, bytes, fault);
    struct co_port *in = co_port_new(mesh, shown, bytes, fault);
    for (uint32_t peer = 0; peer < comm->size; peer++) {
        if (peer == comm->rank) continue;
        co_port_receive(in, peer, comm->id | 1, (size_t)peer * NONCE, NONCE, fault);
        co_port_send(out, peer, comm->id | 1, (size_t)peer * NONCE, NONCE, fault);
    }
    for (uint32_t i = 1; i < comm->size; i++) {
        co_port_await_received(in, timeout_ms, fault);
        co_port_await_sent(out, timeout_ms, fault);
    }
    for (uint32_t peer = 0; peer < comm->size && co_is_well(fault); peer++)
        if (peer != comm->rank && memcmp(shown + peer * NONCE, told + peer * NONCE, NONCE) != 0)
            co_fail(fault, HCCL_E_TCP_CONNECT, "a stranger has connected instead of rank %u", peer);
    co_port_free(out);
    co_port_free(in);
    free(shown);
    return co_is_well(fault);
}

static void own_host(const struct co_communicator *comm, char *host, size_t room,
                     struct co_fault *fault)
{
    union co_address address;
    if (!co_address_is_asked())
        co_control_address(comm->control, &address);
    else if (!co_own_address(&address, fault))
        return;
    co_print_host(&address, host, room);
}

/* One attempt. *well: of all ranks. */
static struct co_mesh *try_to_connect(struct co_communicator *comm, unsigned attempt,
                                      int64_t deadline_ms, bool *well, struct co_fault *fault)
{
    const uint32_t size = comm->size;
    const uint64_t tag = co_hash(comm->id, &attempt, sizeof(attempt)) & ~3ULL;
    struct introduction how = {comm, tag, deadline_ms, fault};
    const struct co_introduction introduction = {&how, introduce};
    struct co_fault own = {0};
    struct co_mesh *mesh = NULL;
    char host[64] = "";
    uint8_t *bytes = calloc(size, 2 * NONCE + 2);
    *well = false;
    if (!bytes || !co_random(bytes, (size_t)size * NONCE)) {
        free(bytes);
        co_fail(fault, HCCL_E_MEMORY, "no host memory or no random numbers to connect the ranks");
        return NULL;
    }
    uint8_t *told = bytes, *heard = told + (size_t)size * NONCE,
            *fine = heard + (size_t)size * NONCE, *verdicts = fine + size;
    own_host(comm, host, sizeof(host), fault);
    how.tag = tag | 1;
    if (introduce(&how, told, heard, NONCE)) {
        int64_t left = deadline_ms - co_now_ms();
        how.tag = tag | 2;
        how.fault = &own;
        mesh = co_mesh_new(comm->rank, size, host, &introduction,
                           left > 2 * ATTEMPT_MS ? left / 2 : left, &own);
        if (mesh) verify(comm, mesh, told, heard, left / 4 + 1, &own);
    }
    how.tag = tag | 3;
    how.fault = fault;
    memset(fine, co_is_well(&own) && mesh ? 1 : 0, size);
    if (introduce(&how, fine, verdicts, 1)) {
        *well = fine[0] == 1;
        for (uint32_t r = 0; r < size; r++)
            *well = *well && (r == comm->rank || verdicts[r] == 1);
    }
    if (!*well && mesh) {
        co_mesh_break(mesh, HCCL_E_TCP_CONNECT, "connecting has failed");
        co_mesh_free(mesh);
        mesh = NULL;
    }
    if (own.code == HCCL_E_NOT_SUPPORT) co_fail(fault, own.code, "%s", own.text);
    if (!*well && co_now_ms() >= deadline_ms)
        co_fail(fault, co_is_well(&own) ? HCCL_E_TIMEOUT : own.code, "%s",
                co_is_well(&own) ? "another rank could not connect" : own.text);
    free(bytes);
    return mesh;
}

static bool connect_all(struct co_communicator *comm, int64_t deadline_ms, struct co_fault *fault)
{
    bool well = comm->size == 1;
    for (unsigned attempt = 0; !well && co_is_well(fault); attempt++) {
        struct co_mesh *mesh = try_to_connect(comm, attempt, deadline_ms, &well, fault);
        pthread_mutex_lock(&comm->lock);
        comm->mesh = mesh;
        if (!co_is_well(&comm->fault)) co_fail(fault, comm->fault.code, "%s", comm->fault.text);
        pthread_mutex_unlock(&comm->lock);
    }
    return co_is_well(fault);
}

/* --- alarms ------------------------------------------------------------------------------------
 */

static void alarm_communicator(struct co_listener *listener, const char *text)
{
    struct co_communicator *comm =
        (struct co_communicator *)(void *)((char *)listener -
                                           offsetof(struct co_communicator, listener));
    pthread_mutex_lock(&comm->lock);
    comm->was_alarmed = true;
    co_fail(&comm->fault, HCCL_E_REMOTE, "%s", text);
    if (comm->mesh) co_mesh_break(comm->mesh, HCCL_E_REMOTE, text);
    pthread_mutex_unlock(&comm->lock);
}

/* --- life --------------------------------------------------------------------------------------
 */

static void free_communicator(struct co_communicator *comm)
{
    pthread_cond_destroy(&comm->idle);
    pthread_mutex_destroy(&comm->lock);
    free(comm->members);
    free(comm->sends);
    free(comm->receives);
    free(comm);
}

static int64_t timeout_of(const char *variable, int64_t seconds)
{
    const char *text = co_setting(variable);
    char *end;
    if (!text) return seconds * 1000;
    long long value = strtoll(text, &end, 10);
    if (*end || value < 0 || value > 1000000) return seconds * 1000;
    return value == 0 ? 1000000000LL : value * 1000;
}

int64_t co_connect_timeout(void)
{
    return timeout_of("HCCL_CONNECT_TIMEOUT", 120);
}

static struct co_communicator *allocate(const uint32_t *members, uint32_t size)
{
    struct co_communicator *comm = calloc(1, sizeof(*comm));
    if (!comm) return NULL;
    pthread_mutex_init(&comm->lock, NULL);
    pthread_cond_init(&comm->idle, NULL);
    comm->members = malloc(size * sizeof(*members));
    comm->sends = calloc(size, sizeof(*comm->sends));
    comm->receives = calloc(size, sizeof(*comm->receives));
    if (!comm->members || !comm->sends || !comm->receives) {
        free_communicator(comm);
        return NULL;
    }
    memcpy(comm->members, members, size * sizeof(*members));
    return comm;
}

struct co_communicator *co_communicator_new(struct co_control *control, const uint32_t *members,
                                            uint32_t size, uint32_t rank, uint64_t id,
                                            const HcclCommConfig *config, int64_t deadline_ms,
                                            struct co_fault *fault)
{
    struct co_communicator *comm = allocate(members, size);
    if (!comm) {
        co_fail(fault, HCCL_E_MEMORY, "no host memory for a communicator of %u ranks", size);
        co_control_release(control);
        return NULL;
    }
    comm->rank = rank;
    comm->size = size;
    comm->id = id;
    comm->timeout_ms = timeout_of("HCCL_EXEC_TIMEOUT", 1836);
    comm->control = control;
    comm->references = 1;
    if (config && config->hcclCommName[0])
        snprintf(comm->name, sizeof(comm->name), "%.127s", config->hcclCommName);
    else
        snprintf(comm->name, sizeof(comm->name), "hccl_%016llx", (unsigned long long)id);
    comm->listener = (struct co_listener){
        .id = id, .members = comm->members, .count = size, .alarm = alarm_communicator};
    co_control_listen(control, &comm->listener);
    if (!connect_all(comm, deadline_ms, fault)) {
        co_communicator_destroy(comm);
        return NULL;
    }
    pthread_mutex_lock(&all.lock);
    comm->next = all.first;
    all.first = comm;
    pthread_mutex_unlock(&all.lock);
    return comm;
}

static struct co_communicator **find_locked(HcclComm handle)
{
    struct co_communicator **at = &all.first;
    while (*at && *at != handle)
        at = &(*at)->next;
    return at;
}

struct co_communicator *co_communicator_find(HcclComm handle)
{
    pthread_mutex_lock(&all.lock);
    struct co_communicator *comm = *find_locked(handle);
    if (comm) co_communicator_retain(comm);
    pthread_mutex_unlock(&all.lock);
    return comm;
}

struct co_communicator *co_communicator_take(HcclComm handle)
{
    pthread_mutex_lock(&all.lock);
    struct co_communicator **at = find_locked(handle), *comm = *at;
    if (comm) *at = comm->next;
    pthread_mutex_unlock(&all.lock);
    return comm;
}

void co_communicator_retain(struct co_communicator *comm)
{
    __atomic_fetch_add(&comm->references, 1, __ATOMIC_RELAXED);
}

void co_communicator_release(struct co_communicator *comm)
{
    if (__atomic_fetch_sub(&comm->references, 1, __ATOMIC_ACQ_REL) == 1) free_communicator(comm);
}

/* The mesh, which nothing uses any more. */
static void drop_mesh(struct co_communicator *comm, enum co_state state, HcclResult code,
                      const char *text)
{
    pthread_mutex_lock(&comm->lock);
    comm->state = state;
    if (comm->mesh && comm->running > 0) co_mesh_break(comm->mesh, code, text);
    while (comm->running > 0)
        pthread_cond_wait(&comm->idle, &comm->lock);
    struct co_mesh *mesh = comm->mesh;
    comm->mesh = NULL;
    pthread_mutex_unlock(&comm->lock);
    if (mesh) co_mesh_free(mesh);
}

void co_communicator_destroy(struct co_communicator *comm)
{
    drop_mesh(comm, CO_DESTROYED, HCCL_E_UNAVAIL, "the communicator has been destroyed");
    co_control_unlisten(comm->control, &comm->listener);
    co_control_release(comm->control);
    comm->control = NULL;
    co_communicator_release(comm);
}

HcclResult co_communicator_suspend(struct co_communicator *comm)
{
    drop_mesh(comm, CO_SUSPENDED, HCCL_E_SUSPENDING, "the communicator has been suspended");
    return HCCL_SUCCESS;
}

bool co_communicator_resume(struct co_communicator *comm, int64_t deadline_ms,
                            struct co_fault *fault)
{
    co_communicator_suspend(comm);
    co_control_unlisten(comm->control, &comm->listener);
    pthread_mutex_lock(&comm->lock);
    comm->lives++;
    comm->id = co_hash(comm->id, &comm->lives, sizeof(comm->lives));
    comm->fault = (struct co_fault){0};
    comm->was_alarmed = false;
    comm->calls = 0;
    memset(comm->sends, 0, comm->size * sizeof(*comm->sends));
    memset(comm->receives, 0, comm->size * sizeof(*comm->receives));
    comm->listener.id = comm->id;
    pthread_mutex_unlock(&comm->lock);
    co_control_listen(comm->control, &comm->listener);
    if (!connect_all(comm, deadline_ms, fault)) return false;
    pthread_mutex_lock(&comm->lock);
    comm->state = CO_READY;
    pthread_mutex_unlock(&comm->lock);
    return true;
}

/* A process that ends without having destroyed its communicators leaves in order, unless it is in
 * the middle of something. */
__attribute__((destructor)) static void leave(void)
{
    bool is_idle = true;
    if (pthread_mutex_trylock(&all.lock) != 0) return;
    for (struct co_communicator *comm = all.first; comm && is_idle; comm = comm->next) {
        is_idle = pthread_mutex_trylock(&comm->lock) == 0;
        if (!is_idle) break;
        is_idle = comm->running == 0;
        pthread_mutex_unlock(&comm->lock);
    }
    for (struct co_communicator *comm = all.first; comm && is_idle; comm = comm->next)
        co_control_leave(comm->control);
    pthread_mutex_unlock(&all.lock);
}

/* --- flights -----------------------------------------------------------------------------------
 */

void co_flight_begin(struct co_communicator *comm, struct co_flight *flight, uint64_t slot)
{
    *flight = (struct co_flight){
        .rank = comm->rank, .size = comm->size, .slot = slot, .timeout_ms = comm->timeout_ms};
    pthread_mutex_lock(&comm->lock);
    if (comm->state == CO_DESTROYED)
        co_fail(&flight->fault, HCCL_E_UNAVAIL, "the communicator has been destroyed");
    else if (comm->state == CO_SUSPENDED)
        co_fail(&flight->fault, HCCL_E_SUSPENDING, "the communicator is suspended");
    else if (!co_is_well(&comm->fault))
        flight->fault = comm->fault;
    flight->mesh = comm->mesh;
    comm->running++;
    pthread_mutex_unlock(&comm->lock);
}

void co_flight_end(struct co_communicator *comm, struct co_flight *flight)
{
    bool tells = false;
    if (!co_is_well(&flight->fault) && flight->mesh) {
        co_mesh_break(flight->mesh, flight->fault.code, flight->fault.text);
        co_mesh_close(flight->mesh);
    }
    pthread_mutex_lock(&comm->lock);
    if (!co_is_well(&flight->fault) && comm->state == CO_READY) {
        tells = co_is_well(&comm->fault) && !comm->was_alarmed;
        co_fail(&comm->fault, flight->fault.code, "%s", flight->fault.text);
    }
    uint64_t id = comm->id;
    pthread_mutex_unlock(&comm->lock);
    if (tells) {
        char text[160];
        snprintf(text, sizeof(text), "rank %u: %.140s", flight->rank, flight->fault.text);
        co_control_fail(comm->control, id, text);
    }
    pthread_mutex_lock(&comm->lock);
    if (--comm->running == 0) pthread_cond_broadcast(&comm->idle);
    pthread_mutex_unlock(&comm->lock);
}
