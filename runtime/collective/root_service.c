/* SPDX-License-Identifier: Apache-2.0 */
/* One thread, one poll, no locks: all that a service has is its thread's. A connection may do
 * nothing before it has shown the token; what comes from strangers is bounded in size, number and
 * time, and closed. */
#include "runtime/collective/root_service.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    STRANGERS_MAX = 64,
    STRANGER_MS = 10000, /* to show the token */
    FAREWELL_MS = 5000,  /* for refused ranks to read why */
};

struct link {
    int socket;
    int rank;    /* -1: a stranger */
    bool leaves; /* in order */
    bool closes; /* once all is written */
    bool is_own; /* of this process */
    int64_t since;
    struct co_header header;
    uint8_t *payload;
    size_t got; /* of header and payload */
    uint8_t *out;
    size_t out_begin, out_end, out_room;
};

/* Rows that have come: row i is what member i has for each. */
struct exchange {
    struct exchange *next;
    uint64_t tag;
    uint32_t count, item, come;
    uint32_t *members;
    bool *has_come;
    uint8_t *rows;
};

struct service {
    struct co_root root;
    int listener;
    int64_t timeout_ms, deadline_ms;
    uint32_t size, joined; /* size 0: nobody has joined yet */
    uint32_t own_rank;     /* of this process; UINT32_MAX: none */
    bool is_complete, is_refusing;
    char refusal[160];
    struct link *links;
    size_t count, room;
    struct exchange *exchanges;
};

/* --- writing --------------------------------------------------------------------------------- */

static void put(struct link *link, const void *data, size_t size)
{
    if (link->closes) return;
    if (link->out_end + size > link->out_room) {
        size_t room = (link->out_end + size) * 2;
        uint8_t *out = realloc(link->out, room);
        if (!out) {
            link->closes = true;
            return;
        }
        link->out = out;
        link->out_room = room;
    }
    if (size > 0) memcpy(link->out + link->out_end, data, size);
    link->out_end += size;
}

static void put_message(struct link *link, enum co_message type, uint64_t tag, uint32_t rank,
                        const void *data, size_t length)
{
    const struct co_header header = {.magic = CO_MAGIC,
                                     .type = (uint32_t)type,
                                     .tag = tag,
                                     .rank = rank,
                                     .length = (uint32_t)length};
    put(link, &header, sizeof(header));
    put(link, data, length);
}

static void flush(struct link *link)
{
    while (link->out_begin < link->out_end) {
        ssize_t sent = send(link->socket, link->out + link->out_begin,
                            link->out_end - link->out_begin, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (sent < 0) {
            link->closes = true;
            break;
        }
        link->out_begin += (size_t)sent;
    }
    link->out_begin = link->out_end = 0;
}

static void refuse(struct link *link, const char *text)
{
    put_message(link, CO_REFUSE, 0, 0, text, strlen(text));
    link->rank = -1;
    link->closes = true;
}

static void tell_others(struct service *service, const struct link *but, enum co_message type,
                        uint64_t tag, uint32_t rank, const char *text)
{
    for (size_t i = 0; i < service->count; i++) {
        struct link *link = &service->links[i];
        if (link != but && link->rank >= 0 && !link->leaves)
            put_message(link, type, tag, rank, text, strlen(text));
    }
}

static struct link *link_of(struct service *service, uint32_t rank)
{
    for (size_t i = 0; i < service->count; i++)
        if (service->links[i].rank == (int)rank) return &service->links[i];
    return NULL;
}

/* --- joining --------------------------------------------------------------------------------- */

static bool is_token(const uint8_t *one, const uint8_t *other)
{
    unsigned differ = 0;
    for (size_t i = 0; i < 32; i++)
        differ |= (unsigned)(one[i] ^ other[i]);
    return differ == 0;
}

static void refuse_all(struct service *service, const char *text)
{
    snprintf(service->refusal, sizeof(service->refusal), "%s", text);
    service->is_refusing = true;
    service->deadline_ms = co_now_ms() + FAREWELL_MS;
    for (size_t i = 0; i < service->count; i++)
        if (service->links[i].rank >= 0) refuse(&service->links[i], text);
}

static void join(struct service *service, struct link *link)
{
    struct co_join join;
    char text[160];
    memcpy(&join, link->payload, sizeof(join));
    if (!is_token(join.token, service->root.token)) {
        refuse(link, "the root info's token is another one than the root's");
    } else if (service->is_refusing) {
        refuse(link, service->refusal);
    } else if (service->size != 0 && join.size != service->size) {
        snprintf(text, sizeof(text), "nRanks is %u, and %u for the first rank that came", join.size,
                 service->size);
        refuse(link, text);
    } else if (join.size == 0 || join.size > CO_RANKS_MAX || join.rank >= join.size) {
        snprintf(text, sizeof(text), "rank is %u of %u", join.rank, join.size);
        refuse(link, text);
    } else if (service->is_complete || link_of(service, join.rank)) {
        snprintf(text, sizeof(text), "rank %u is there already", join.rank);
        refuse(link, text);
    } else {
        if (service->size == 0) service->deadline_ms = co_now_ms() + service->timeout_ms;
        service->size = join.size;
        link->rank = (int)join.rank;
        link->is_own = join.process == service->root.process;
        if (link->is_own) service->own_rank = join.rank;
        service->joined++;
        if (service->joined < service->size) return;
        service->is_complete = true;
        tell_others(service, NULL, CO_WELCOME, 0, service->own_rank, "");
    }
}

static void time_out(struct service *service)
{
    char text[160];
    int at =
        snprintf(text, sizeof(text), "%u of %u ranks came within %lld s; missing:", service->joined,
                 service->size, (long long)service->timeout_ms / 1000);
    for (uint32_t rank = 0; rank < service->size && at < (int)sizeof(text) - 16; rank++)
        if (!link_of(service, rank))
            at += snprintf(text + at, sizeof(text) - (size_t)at, " %u", rank);
    refuse_all(service, text);
}

/* --- exchanging ------------------------------------------------------------------------------ */

static void free_exchange(struct exchange *exchange)
{
    if (!exchange) return;
    free(exchange->members);
    free(exchange->has_come);
    free(exchange->rows);
    free(exchange);
}

static struct exchange *new_exchange(uint64_t tag, const struct co_exchange_head *head,
                                     const uint32_t *members)
{
    const size_t count = head->count;
    struct exchange *exchange = calloc(1, sizeof(*exchange));
    if (!exchange) return NULL;
    exchange->tag = tag;
    exchange->count = head->count;
    exchange->item = head->item;
    exchange->members = malloc(count * sizeof(*members));
    exchange->has_come = calloc(count, sizeof(bool));
    exchange->rows = calloc(count * count, head->item);
    if (!exchange->members || !exchange->has_come || !exchange->rows) {
        free_exchange(exchange);
        return NULL;
    }
    memcpy(exchange->members, members, count * sizeof(*members));
    return exchange;
}

/* Each member gets its column. */
static void finish_exchange(struct service *service, struct exchange *exchange)
{
    const size_t count = exchange->count, item = exchange->item;
    uint8_t *column = malloc(count * item);
    for (size_t i = 0; i < count && column; i++) {
        struct link *link = link_of(service, exchange->members[i]);
        for (size_t row = 0; row < count; row++)
            memcpy(column + row * item, exchange->rows + (row * count + i) * item, item);
        if (link) put_message(link, CO_COLUMN, exchange->tag, 0, column, count * item);
    }
    free(column);
    struct exchange **at = &service->exchanges;
    while (*at != exchange)
        at = &(*at)->next;
    *at = exchange->next;
    free_exchange(exchange);
}

static void take_row(struct service *service, struct link *link)
{
    struct co_exchange_head head;
    const size_t length = link->header.length;
    if (length < sizeof(head)) goto bad;
    memcpy(&head, link->payload, sizeof(head));
    if (head.count == 0 || head.count > service->size || head.item == 0 || head.item > 4096)
        goto bad;
    const size_t names = head.count * sizeof(uint32_t), row = (size_t)head.count * head.item;
    if (length != sizeof(head) + names + row) goto bad;
    uint32_t members[CO_RANKS_MAX];
    memcpy(members, link->payload + sizeof(head), names);

    struct exchange *at = service->exchanges;
    while (at && (at->tag != link->header.tag || at->count != head.count || at->item != head.item ||
                  memcmp(at->members, members, names) != 0))
        at = at->next;
    if (!at) {
        at = new_exchange(link->header.tag, &head, members);
        if (!at) goto bad;
        at->next = service->exchanges;
        service->exchanges = at;
    }
    for (uint32_t i = 0; i < head.count; i++) {
        if (members[i] != (uint32_t)link->rank) continue;
        memcpy(at->rows + i * row, link->payload + sizeof(head) + names, row);
        at->come += !at->has_come[i];
        at->has_come[i] = true;
    }
    if (at->come == at->count) finish_exchange(service, at);
    return;
bad:
    link->closes = true;
}

/* --- reading --------------------------------------------------------------------------------- */

static bool is_allowed(const struct service *service, const struct link *link)
{
    const struct co_header *header = &link->header;
    if (header->magic != CO_MAGIC) return false;
    if (link->rank < 0) return header->type == CO_JOIN && header->length == sizeof(struct co_join);
    if (header->type == CO_EXCHANGE)
        return service->is_complete && header->length <= CO_PAYLOAD_MAX;
    return (header->type == CO_LEAVE || header->type == CO_FAIL) && header->length <= 256;
}

static void take_message(struct service *service, struct link *link)
{
    char text[257] = "";
    switch (link->header.type) {
    case CO_JOIN:
        join(service, link);
        break;
    case CO_EXCHANGE:
        take_row(service, link);
        break;
    case CO_LEAVE:
        link->leaves = true;
        tell_others(service, link, CO_LEAVE, 0, (uint32_t)link->rank, "");
        break;
    default: /* CO_FAIL */
        if (link->payload) memcpy(text, link->payload, link->header.length);
        tell_others(service, link, CO_ALARM, link->header.tag, (uint32_t)link->rank, text);
        break;
    }
}

/* False: nothing more to read, or the connection has ended. */
static bool read_some(struct service *service, struct link *link)
{
    const size_t head = sizeof(link->header);
    bool in_head = link->got < head;
    uint8_t *to =
        in_head ? (uint8_t *)&link->header + link->got : link->payload + (link->got - head);
    size_t want = (in_head ? head : head + link->header.length) - link->got;
    ssize_t got = recv(link->socket, to, want, 0);
    if (got < 0 && errno == EINTR) return true;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
    if (got <= 0) {
        link->out_begin = link->out_end = 0;
        link->closes = true;
        return false;
    }
    link->got += (size_t)got;
    if (link->got == head && in_head) {
        if (!is_allowed(service, link)) link->closes = true;
        if (!link->closes && link->header.length > 0) link->payload = malloc(link->header.length);
        if (link->header.length > 0 && !link->payload) link->closes = true;
    }
    if (!link->closes && link->got >= head && link->got == head + link->header.length) {
        take_message(service, link);
        free(link->payload);
        link->payload = NULL;
        link->got = 0;
    }
    return !link->closes;
}

/* --- connections ----------------------------------------------------------------------------- */

/* With too many strangers the oldest goes: a rank says at once what it has to say. */
static void make_way(struct service *service)
{
    size_t strangers = 0;
    struct link *oldest = NULL;
    for (size_t i = 0; i < service->count; i++) {
        struct link *link = &service->links[i];
        if (link->rank >= 0 || link->closes) continue;
        strangers++;
        if (!oldest || link->since < oldest->since) oldest = link;
    }
    if (strangers < STRANGERS_MAX) return;
    oldest->out_begin = oldest->out_end = 0;
    oldest->closes = true;
}

static bool has_room(struct service *service)
{
    if (service->count < service->room) return true;
    const size_t room = service->room * 2 + 16;
    struct link *links = realloc(service->links, room * sizeof(*links));
    if (!links) return false;
    service->links = links;
    service->room = room;
    return true;
}

static void greet(struct service *service)
{
    const int on = 1;
    for (;;) {
        int socket = accept4(service->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (socket < 0) return;
        if (!has_room(service)) {
            close(socket);
            continue;
        }
        make_way(service);
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        co_keep_alive(socket);
        service->links[service->count++] =
            (struct link){.socket = socket, .rank = -1, .since = co_now_ms()};
    }
}

/* Takes the connection off the list; a rank that has not left in order is told to the others. */
static void part(struct service *service, size_t index)
{
    struct link link = service->links[index];
    char text[160];
    service->links[index] = service->links[--service->count];
    close(link.socket);
    free(link.payload);
    free(link.out);
    if (link.rank < 0) return;
    if (link.leaves) return;
    snprintf(text, sizeof(text),
             "rank %d is gone: its process has ended or its host is unreachable", link.rank);
    if (service->is_complete)
        tell_others(service, NULL, CO_ALARM, 0, (uint32_t)link.rank, text);
    else
        refuse_all(service, text);
}

/* This process's own last: when a rank here has heard its end, the process may end. */
static void flush_all(struct service *service)
{
    for (int own = 0; own < 2; own++)
        for (size_t i = 0; i < service->count; i++)
            if (service->links[i].is_own == (own == 1)) flush(&service->links[i]);
}

static void part_where_due(struct service *service)
{
    int64_t now = co_now_ms();
    flush_all(service);
    for (size_t i = service->count; i-- > 0;) {
        struct link *link = &service->links[i];
        bool is_late = link->rank < 0 && now - link->since > STRANGER_MS;
        if ((link->closes && link->out_begin == link->out_end) || is_late) part(service, i);
    }
    flush_all(service);
}

static bool has_closing(const struct service *service)
{
    for (size_t i = 0; i < service->count; i++)
        if (service->links[i].closes) return true;
    return false;
}

static bool is_over(const struct service *service)
{
    int64_t now = co_now_ms();
    if (service->is_refusing) return now >= service->deadline_ms || service->count == 0;
    if (!service->is_complete) return service->size == 0 && now >= service->deadline_ms;
    for (size_t i = 0; i < service->count; i++)
        if (service->links[i].rank >= 0) return false;
    return true;
}

static void *serve(void *argument)
{
    struct service *service = argument;
    struct pollfd *polls = NULL;
    pthread_setname_np(pthread_self(), "hccl/root");
    while (!is_over(service)) {
        size_t count = service->count;
        struct pollfd *more = realloc(polls, (count + 1) * sizeof(*polls));
        if (!more) break;
        polls = more;
        for (size_t i = 0; i < count; i++) {
            const struct link *link = &service->links[i];
            short events = link->out_begin < link->out_end ? POLLIN | POLLOUT : POLLIN;
            polls[i] = (struct pollfd){.fd = link->socket, .events = events};
        }
        polls[count] = (struct pollfd){.fd = service->listener, .events = POLLIN};
        if (poll(polls, count + 1, has_closing(service) ? 1 : 500) < 0 && errno != EINTR) break;
        for (size_t i = 0; i < count; i++)
            while (polls[i].revents & (POLLIN | POLLERR | POLLHUP) &&
                   read_some(service, &service->links[i])) {
            }
        if (polls[count].revents) greet(service);
        part_where_due(service);
        if (!service->is_complete && !service->is_refusing && service->size != 0 &&
            co_now_ms() >= service->deadline_ms)
            time_out(service);
    }
    free(polls);
    close(service->listener);
    for (size_t i = 0; i < service->count; i++) {
        close(service->links[i].socket);
        free(service->links[i].payload);
        free(service->links[i].out);
    }
    for (struct exchange *at = service->exchanges, *next; at; at = next) {
        next = at->next;
        free_exchange(at);
    }
    free(service->links);
    free(service);
    return NULL;
}

uint64_t co_process(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static uint64_t process;
    static pid_t owner; /* a forked child is another process */
    pthread_mutex_lock(&lock);
    if (owner != getpid()) {
        owner = getpid();
        if (!co_random(&process, sizeof(process))) process = (uint64_t)owner << 32 | 1;
    }
    uint64_t own = process;
    pthread_mutex_unlock(&lock);
    return own;
}

bool co_root_serve(struct co_root *root, int64_t timeout_ms, struct co_fault *fault)
{
    pthread_t thread;
    sigset_t all, old;
    int listener = co_listen(&root->address, fault);
    if (listener < 0) return false;
    struct service *service = calloc(1, sizeof(*service));
    if (!service) {
        close(listener);
        return co_fail(fault, HCCL_E_MEMORY, "no host memory for the root's service");
    }
    service->root = *root;
    service->own_rank = UINT32_MAX;
    service->listener = listener;
    service->timeout_ms = timeout_ms;
    service->deadline_ms = co_now_ms() + timeout_ms;
    sigfillset(&all); /* signals are the program's, on the program's threads */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int error = pthread_create(&thread, NULL, serve, service);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (error == 0) {
        pthread_detach(thread);
        return true;
    }
    close(listener);
    free(service);
    return co_fail(fault, HCCL_E_SYSCALL, "no thread for the root's service: %s", strerror(error));
}
