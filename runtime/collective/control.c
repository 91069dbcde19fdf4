/* SPDX-License-Identifier: Apache-2.0 */
/* Locks: control->lock guards all of a control but its socket's reading side, which is the
 * thread's. Listeners are called with it. */
#include "runtime/collective/control.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WRITE_MS = 30000, FAREWELL_MS = 3000, FOREVER_MS = 1000000000 };

/* An exchange that waits for its column. */
struct waiter {
    struct waiter *next;
    uint64_t tag;
    void *column;
    size_t size;
    bool is_done;
};

struct co_control {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* CLOCK_MONOTONIC */
    pthread_t thread;
    int references, socket;
    uint32_t rank, root_rank;
    bool root_has_left, ends;
    bool is_lost, is_joined;
    char lost[160];
    struct waiter *waiters;
    struct co_listener *listeners;
};

/* --- what the thread hears -------------------------------------------------------------------- */

static bool has_member(const struct co_listener *listener, uint32_t rank)
{
    for (uint32_t i = 0; i < listener->count; i++)
        if (listener->members[i] == rank) return true;
    return false;
}

static void alarm_locked(struct co_control *control, uint64_t id, uint32_t rank, const char *text)
{
    for (struct co_listener *at = control->listeners; at; at = at->next)
        if (id != 0 ? at->id == id : has_member(at, rank)) at->alarm(at, text);
}

static void lose_locked(struct co_control *control, const char *text)
{
    control->is_lost = true;
    snprintf(control->lost, sizeof(control->lost), "%s", text);
    pthread_cond_broadcast(&control->changed);
    if (control->ends || control->root_has_left) return;
    for (struct co_listener *at = control->listeners; at; at = at->next)
        at->alarm(at, text);
}

static void take_column_locked(struct co_control *control, const struct co_header *header,
                               const void *payload)
{
    for (struct waiter *at = control->waiters; at; at = at->next) {
        if (at->tag != header->tag || at->size != header->length) continue;
        memcpy(at->column, payload, at->size);
        at->is_done = true;
    }
    pthread_cond_broadcast(&control->changed);
}

static bool hear(struct co_control *control)
{
    struct co_header header;
    char *payload = NULL;
    const int64_t deadline = co_now_ms() + FOREVER_MS;
    if (!co_read(control->socket, &header, sizeof(header), deadline)) return false;
    if (header.magic != CO_MAGIC || header.length > CO_PAYLOAD_MAX) return false;
    payload = calloc(1, (size_t)header.length + 1);
    if (!payload || !co_read(control->socket, payload, header.length, deadline)) {
        free(payload);
        return false;
    }
    pthread_mutex_lock(&control->lock);
    if (header.type == CO_COLUMN) take_column_locked(control, &header, payload);
    if (header.type == CO_ALARM) alarm_locked(control, header.tag, header.rank, payload);
    if (header.type == CO_LEAVE && header.rank == control->root_rank) control->root_has_left = true;
    pthread_mutex_unlock(&control->lock);
    free(payload);
    return true;
}

static void *watch(void *argument)
{
    struct co_control *control = argument;
    pthread_setname_np(pthread_self(), "hccl/watch");
    while (hear(control)) {
    }
    pthread_mutex_lock(&control->lock);
    lose_locked(control, "the root's process has ended or its host is unreachable");
    pthread_mutex_unlock(&control->lock);
    return NULL;
}

/* --- joining ---------------------------------------------------------------------------------- */

/* Waits for the root's answer to what has been sent. */
static bool await_welcome(int socket, uint32_t *root_rank, int64_t deadline_ms,
                          struct co_fault *fault)
{
    struct co_header header;
    char text[161] = "";
    if (!co_read(socket, &header, sizeof(header), deadline_ms)) {
        if (co_now_ms() >= deadline_ms)
            return co_fail(fault, HCCL_E_TIMEOUT,
                           "not all ranks have come within HCCL_CONNECT_TIMEOUT");
        return co_fail(fault, HCCL_E_TCP_CONNECT, "the root has closed the connection");
    }
    *root_rank = header.rank;
    if (header.magic == CO_MAGIC && header.type == CO_WELCOME && header.length == 0) return true;
    if (header.magic != CO_MAGIC || header.type != CO_REFUSE || header.length > 160 ||
        !co_read(socket, text, header.length, deadline_ms))
        return co_fail(fault, HCCL_E_TCP_CONNECT, "what answers is not the root");
    bool is_late = strstr(text, " ranks came within ") != NULL;
    return co_fail(fault, is_late ? HCCL_E_TIMEOUT : HCCL_E_PARA, "the root refuses: %s", text);
}

static struct co_control *new_control(int socket, uint32_t rank, uint32_t root_rank)
{
    sigset_t all, old;
    pthread_condattr_t attributes;
    struct co_control *control = calloc(1, sizeof(*control));
    if (!control) return NULL;
    pthread_mutex_init(&control->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&control->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    control->references = 1;
    control->socket = socket;
    control->rank = rank;
    control->root_rank = root_rank;
    sigfillset(&all); /* signals are the program's, on the program's threads */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int error = pthread_create(&control->thread, NULL, watch, control);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (error == 0) return control;
    pthread_cond_destroy(&control->changed);
    pthread_mutex_destroy(&control->lock);
    free(control);
    return NULL;
}

/* A connection to the root that has shown the token; -1: fault says why not. One that is closed
 * without a word may have had to make way for strangers: it is tried again. */
static int join(const struct co_root *root, const struct co_join *join, uint32_t *root_rank,
                int64_t deadline_ms, struct co_fault *fault)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    for (;;) {
        struct co_fault own = {0};
        int socket = co_connect(&root->address, deadline_ms, fault);
        if (socket < 0) return -1;
        /* A second more: the root knows better which rank is missing. */
        if (co_write_message(socket, CO_JOIN, 0, join->rank, join, sizeof(*join), deadline_ms) &&
            await_welcome(socket, root_rank, deadline_ms + 1000, &own))
            return socket;
        close(socket);
        bool is_closed = co_is_well(&own) || own.code == HCCL_E_TCP_CONNECT;
        if (!is_closed || co_now_ms() >= deadline_ms) {
            co_fail(fault, co_is_well(&own) ? HCCL_E_TCP_CONNECT : own.code, "%s",
                    co_is_well(&own) ? "the root closes the connection" : own.text);
            return -1;
        }
        nanosleep(&pause, NULL);
    }
}

struct co_control *co_control_join(const struct co_root *root, uint32_t size, uint32_t rank,
                                   int64_t deadline_ms, struct co_fault *fault)
{
    struct co_join said = {.size = size, .rank = rank, .process = co_process()};
    uint32_t root_rank = UINT32_MAX;
    memcpy(said.token, root->token, sizeof(said.token));
    int socket = join(root, &said, &root_rank, deadline_ms, fault);
    if (socket < 0) return NULL;
    struct co_control *control = new_control(socket, rank, root_rank);
    if (control) return control;
    close(socket);
    co_fail(fault, HCCL_E_MEMORY, "no host memory or no thread");
    return NULL;
}

void co_control_retain(struct co_control *control)
{
    pthread_mutex_lock(&control->lock);
    control->references++;
    pthread_mutex_unlock(&control->lock);
}

/* Closing with something unread would reset the connection, and the root might not read that this
 * rank leaves: so the root closes first. */
static void farewell(struct co_control *control)
{
    const struct timespec until = {.tv_sec = (time_t)((co_now_ms() + FAREWELL_MS) / 1000)};
    co_write_message(control->socket, CO_LEAVE, 0, control->rank, NULL, 0,
                     co_now_ms() + FAREWELL_MS);
    shutdown(control->socket, SHUT_WR);
    pthread_mutex_lock(&control->lock);
    while (!control->is_lost &&
           pthread_cond_timedwait(&control->changed, &control->lock, &until) == 0) {
    }
    pthread_mutex_unlock(&control->lock);
}

void co_control_leave(struct co_control *control)
{
    pthread_mutex_lock(&control->lock);
    bool leaves = !control->ends && !control->is_lost;
    control->ends = true;
    pthread_mutex_unlock(&control->lock);
    if (!leaves) return;
    farewell(control);
    shutdown(control->socket, SHUT_RDWR);
    pthread_join(control->thread, NULL);
    control->is_joined = true;
}

void co_control_release(struct co_control *control)
{
    if (!control) return;
    pthread_mutex_lock(&control->lock);
    bool is_last = --control->references == 0;
    if (is_last) control->ends = true;
    bool is_lost = control->is_lost;
    pthread_mutex_unlock(&control->lock);
    if (!is_last) return;
    if (!is_lost) farewell(control);
    shutdown(control->socket, SHUT_RDWR);
    if (!control->is_joined) pthread_join(control->thread, NULL);
    close(control->socket);
    pthread_cond_destroy(&control->changed);
    pthread_mutex_destroy(&control->lock);
    free(control);
}

void co_control_address(const struct co_control *control, union co_address *address)
{
    socklen_t size = sizeof(*address);
    memset(address, 0, sizeof(*address));
    getsockname(control->socket, &address->any, &size);
}

/* --- exchanging ------------------------------------------------------------------------------- */

static bool await_column_locked(struct co_control *control, const struct waiter *waiter,
                                int64_t deadline_ms, struct co_fault *fault)
{
    const struct timespec until = {.tv_sec = (time_t)(deadline_ms / 1000),
                                   .tv_nsec = (long)(deadline_ms % 1000) * 1000000};
    while (!waiter->is_done && !control->is_lost)
        if (pthread_cond_timedwait(&control->changed, &control->lock, &until) != 0) break;
    if (waiter->is_done) return true;
    if (control->is_lost) return co_fail(fault, HCCL_E_REMOTE, "%s", control->lost);
    return co_fail(fault, HCCL_E_TIMEOUT, "not all ranks have come within HCCL_CONNECT_TIMEOUT");
}

bool co_control_exchange(struct co_control *control, uint64_t tag, const uint32_t *members,
                         uint32_t count, const void *mine, void *theirs, size_t item,
                         int64_t deadline_ms, struct co_fault *fault)
{
    const struct co_exchange_head head = {.count = count, .item = (uint32_t)item};
    const size_t names = count * sizeof(*members), row = count * item;
    if (!co_is_well(fault)) return false;
    uint8_t *message = malloc(sizeof(head) + names + row);
    if (!message) return co_fail(fault, HCCL_E_MEMORY, "no host memory for an exchange");
    memcpy(message, &head, sizeof(head));
    memcpy(message + sizeof(head), members, names);
    memcpy(message + sizeof(head) + names, mine, row);

    struct waiter waiter = {.tag = tag, .column = theirs, .size = row};
    pthread_mutex_lock(&control->lock);
    waiter.next = control->waiters;
    control->waiters = &waiter;
    bool is_well = !control->is_lost &&
                   co_write_message(control->socket, CO_EXCHANGE, tag, control->rank, message,
                                    sizeof(head) + names + row, co_now_ms() + WRITE_MS);
    is_well = is_well ? await_column_locked(control, &waiter, deadline_ms, fault)
                      : co_fail(fault, HCCL_E_REMOTE, "the connection to the root is lost");
    struct waiter **at = &control->waiters;
    while (*at != &waiter)
        at = &(*at)->next;
    *at = waiter.next;
    pthread_mutex_unlock(&control->lock);
    free(message);
    return is_well;
}

/* --- listeners -------------------------------------------------------------------------------- */

void co_control_listen(struct co_control *control, struct co_listener *listener)
{
    pthread_mutex_lock(&control->lock);
    listener->next = control->listeners;
    control->listeners = listener;
    if (control->is_lost && !control->root_has_left) listener->alarm(listener, control->lost);
    pthread_mutex_unlock(&control->lock);
}

void co_control_unlisten(struct co_control *control, struct co_listener *listener)
{
    pthread_mutex_lock(&control->lock);
    struct co_listener **at = &control->listeners;
    while (*at && *at != listener)
        at = &(*at)->next;
    if (*at) *at = listener->next;
    pthread_mutex_unlock(&control->lock);
}

void co_control_fail(struct co_control *control, uint64_t id, const char *text)
{
    size_t length = strnlen(text, 160);
    pthread_mutex_lock(&control->lock);
    if (!control->is_lost)
        co_write_message(control->socket, CO_FAIL, id, control->rank, text, length,
                         co_now_ms() + WRITE_MS);
    pthread_mutex_unlock(&control->lock);
}
