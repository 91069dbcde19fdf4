/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/collective/network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum { BACKLOG = 1024, RETRY_MS = 20 };

int64_t co_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool co_random(void *data, size_t size)
{
    uint8_t *at = data;
    while (size > 0) {
        ssize_t got = getrandom(at, size, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static void nap(int64_t ms)
{
    const struct timespec time = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (ms % 1000) * 1000000};
    nanosleep(&time, NULL);
}

/* --- addresses ------------------------------------------------------------------------------- */

socklen_t co_address_size(const union co_address *address)
{
    return address->any.sa_family == AF_INET6 ? sizeof(address->v6) : sizeof(address->v4);
}

bool co_parse_address(const char *text, uint16_t port, union co_address *address)
{
    memset(address, 0, sizeof(*address));
    if (inet_pton(AF_INET, text, &address->v4.sin_addr) == 1) {
        address->v4.sin_family = AF_INET;
        address->v4.sin_port = htons(port);
        return true;
    }
    if (inet_pton(AF_INET6, text, &address->v6.sin6_addr) == 1) {
        address->v6.sin6_family = AF_INET6;
        address->v6.sin6_port = htons(port);
        return true;
    }
    return false;
}

void co_print_host(const union co_address *address, char *text, size_t room)
{
    const bool is_v6 = address->any.sa_family == AF_INET6;
    const void *where = is_v6 ? (const void *)&address->v6.sin6_addr : &address->v4.sin_addr;
    if (!inet_ntop(address->any.sa_family, where, text, (socklen_t)room)) snprintf(text, room, "?");
}

void co_print_address(const union co_address *address, char *text, size_t room)
{
    char host[INET6_ADDRSTRLEN];
    const bool is_v6 = address->any.sa_family == AF_INET6;
    co_print_host(address, host, sizeof(host));
    snprintf(text, room, is_v6 ? "[%s]:%u" : "%s:%u", host,
             ntohs(is_v6 ? address->v6.sin6_port : address->v4.sin_port));
}

/* HCCL_SOCKET_IFNAME: names or beginnings of names with commas; '=' in front: whole names; '^' in
 * front: all but these. */
static bool is_named(const char *list, const char *name)
{
    bool excludes = *list == '^';
    if (excludes) list++;
    bool is_whole = *list == '=';
    if (is_whole) list++;
    bool matches = false;
    while (*list && !matches) {
        size_t length = strcspn(list, ",");
        matches =
            length > 0 && strncmp(list, name, length) == 0 && (!is_whole || name[length] == '\0');
        list += length;
        if (*list == ',') list++;
    }
    return matches != excludes;
}

const char *co_setting(const char *name)
{
    const char *value = getenv(name); /* NOLINT(concurrency-mt-unsafe) */
    return value && *value ? value : NULL;
}

bool co_address_is_asked(void)
{
    return co_setting("HCCL_IF_IP") || co_setting("HCCL_SOCKET_IFNAME");
}

static bool copy_address(const struct ifaddrs *interface, union co_address *address)
{
    int family = interface->ifa_addr ? interface->ifa_addr->sa_family : AF_UNSPEC;
    if (!(interface->ifa_flags & IFF_UP) || (family != AF_INET && family != AF_INET6)) return false;
    memset(address, 0, sizeof(*address));
    memcpy(address, interface->ifa_addr,
           family == AF_INET ? sizeof(address->v4) : sizeof(address->v6));
    return family == AF_INET || !IN6_IS_ADDR_LINKLOCAL(&address->v6.sin6_addr);
}

bool co_own_address(union co_address *address, struct co_fault *fault)
{
    const char *ip = co_setting("HCCL_IF_IP"), *names = co_setting("HCCL_SOCKET_IFNAME");
    if (ip && co_parse_address(ip, 0, address)) return true;
    if (ip) return co_fail(fault, HCCL_E_PARA, "HCCL_IF_IP is \"%s\"; that is no IP address", ip);
    struct ifaddrs *all;
    if (getifaddrs(&all) != 0)
        return co_fail(fault, HCCL_E_SYSCALL, "getifaddrs: %s", strerror(errno));
    int best = 0; /* IPv4 before IPv6, any before the loopback */
    for (struct ifaddrs *at = all; at; at = at->ifa_next) {
        union co_address found;
        if (!copy_address(at, &found) || (names && !is_named(names, at->ifa_name))) continue;
        bool is_loopback = (at->ifa_flags & IFF_LOOPBACK) != 0;
        int rank = 1 + (found.any.sa_family == AF_INET) + (is_loopback ? 0 : 2);
        if (rank <= best) continue;
        best = rank;
        *address = found;
    }
    freeifaddrs(all);
    if (best > 0) return true;
    return co_fail(fault, HCCL_E_NOT_FOUND, "no network interface%s%s has an address",
                   names ? " of HCCL_SOCKET_IFNAME=" : "", names ? names : "");
}

/* --- connections ----------------------------------------------------------------------------- */

int co_listen(union co_address *address, struct co_fault *fault)
{
    const int on = 1;
    char text[80];
    socklen_t size = co_address_size(address);
    int listener = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener >= 0 && setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
        bind(listener, &address->any, size) == 0 && listen(listener, BACKLOG) == 0 &&
        getsockname(listener, &address->any, &size) == 0)
        return listener;
    int error = errno;
    co_print_address(address, text, sizeof(text));
    co_fail(fault, HCCL_E_TCP_CONNECT, "cannot listen at %s: %s", text, strerror(error));
    if (listener >= 0) close(listener);
    return -1;
}

/* What poll says before the deadline; false at it. */
static bool await(int socket, short events, int64_t deadline_ms)
{
    for (;;) {
        int64_t left = deadline_ms - co_now_ms();
        struct pollfd at = {.fd = socket, .events = events};
        if (left <= 0) return false;
        int ready = poll(&at, 1, left > 60000 ? 60000 : (int)left);
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) return false;
    }
}

/* 0, or the error of one attempt. */
static int try_to_connect(int socket, const union co_address *address, int64_t deadline_ms)
{
    int error = 0;
    socklen_t size = sizeof(error);
    if (connect(socket, &address->any, co_address_size(address)) == 0) return 0;
    if (errno != EINPROGRESS) return errno;
    if (!await(socket, POLLOUT, deadline_ms)) return ETIMEDOUT;
    getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
    return error;
}

void co_keep_alive(int socket)
{
    const int on = 1, idle = 10, interval = 5, probes = 3;
    const unsigned unacknowledged_ms = 25000;
    setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
    setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &unacknowledged_ms,
               sizeof(unacknowledged_ms));
}

int co_connect(const union co_address *address, int64_t deadline_ms, struct co_fault *fault)
{
    const int on = 1;
    int error = ETIMEDOUT;
    char text[80];
    while (co_now_ms() < deadline_ms) {
        int link = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        error = link < 0 ? errno : try_to_connect(link, address, deadline_ms);
        if (error == 0) {
            setsockopt(link, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
            co_keep_alive(link);
            return link;
        }
        if (link < 0) break;
        close(link);
        nap(RETRY_MS);
    }
    co_print_address(address, text, sizeof(text));
    co_fail(fault, error == ETIMEDOUT ? HCCL_E_TIMEOUT : HCCL_E_TCP_CONNECT,
            "cannot connect to the root at %s: %s", text, strerror(error));
    return -1;
}

/* --- messages -------------------------------------------------------------------------------- */

bool co_write(int socket, const void *data, size_t size, int64_t deadline_ms)
{
    const char *at = data;
    while (size > 0) {
        ssize_t sent = send(socket, at, size, MSG_NOSIGNAL);
        if (sent > 0) {
            at += sent;
            size -= (size_t)sent;
        } else if (errno != EINTR && ((errno != EAGAIN && errno != EWOULDBLOCK) ||
                                      !await(socket, POLLOUT, deadline_ms))) {
            return false;
        }
    }
    return true;
}

bool co_read(int socket, void *data, size_t size, int64_t deadline_ms)
{
    char *at = data;
    while (size > 0) {
        ssize_t got = recv(socket, at, size, 0);
        if (got > 0) {
            at += got;
            size -= (size_t)got;
        } else if (got == 0 || (errno != EINTR && ((errno != EAGAIN && errno != EWOULDBLOCK) ||
                                                   !await(socket, POLLIN, deadline_ms)))) {
            return false;
        }
    }
    return true;
}

bool co_write_message(int socket, uint32_t type, uint64_t tag, uint32_t rank, const void *data,
                      size_t length, int64_t deadline_ms)
{
    const struct co_header header = {
        .magic = CO_MAGIC, .type = type, .tag = tag, .rank = rank, .length = (uint32_t)length};
    return co_write(socket, &header, sizeof(header), deadline_ms) &&
           co_write(socket, data, length, deadline_ms);
}
